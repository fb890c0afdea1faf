"""fix_window against a text: where its fields end, which tags stand where, and the characters before each end (FIX 4.4, tag=value)."""

import random
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from fix_model import encode
from harness import cases, simulate
from pins import Pins

LANES, HALF = 8, 4
STARTS = (0, 2, 6)  # lanes in which a segment may begin
PAUSE = 3  # cycles without a beat after a segment's end, and after its last bytes
LATENCY = 2
SOH = b"\x01"
CHARACTERS, NUMBER = 8, 17  # before an SOH
# By the position of a tag in the one-hot vector (fix_pkg): BeginString's is not among them, 8=FIX is looked for.
TAGS = {b"9": 1, b"10": 2, b"35": 3, b"48": 4, b"55": 4, b"268": 5, b"269": 6, b"270": 7, b"271": 8, b"279": 9, b"34": 10, b"43": 11}
POINT, MINUS, SEPARATOR, OTHER = 0xB, 0xC, 0xD, 0xF  # what is no digit


def code(character: int) -> int:
    return {**{ord(str(digit)): digit for digit in range(10)}, ord("."): POINT, ord("-"): MINUS, SOH[0]: SEPARATOR}.get(character, OTHER)


@dataclass(frozen=True)
class Beat:
    """What is on `in`: the bytes from lane `first` on, and the text before them."""

    before: bytes
    data: bytes
    first: int
    last: bool
    err: bool

    @property
    def text(self) -> bytes:
        return self.before + self.data

    def at(self, lane: int) -> int | None:
        """Where the lane's byte is in the text, if it has one."""
        place = lane - self.first
        return len(self.before) + place if 0 <= place < len(self.data) else None

    def tag(self, lane: int) -> int:
        """The tag whose "=" is in the lane: what stands between it and the SOH before it."""
        at = self.at(lane)
        if at is None or self.text[at] != ord("="):
            return 0
        position = TAGS.get(self.text[self.text.rfind(SOH, 0, at) + 1 : at])
        return 0 if position is None else 1 << position

    def begins(self, lane: int) -> bool:
        """8=FIX ends in the lane, and the 8 is not the end of another tag."""
        at = self.at(lane)
        return at is not None and self.text[: at + 1].endswith(b"8=FIX") and not self.text[at - 5 : at - 4].isdigit()


class Bench:
    def __init__(self, dut: Any) -> None:
        self.dut = Pins(dut)
        self.rng = random.Random(9)
        self.text = SOH * NUMBER  # the first message begins as any other, after an SOH
        self.pipe: list[Beat | None] = [None] * LATENCY
        self.seen: dict[str, int] = {"soh": 0, "tag": 0, "begin": 0, "bare": 0, "after": 0}
        self.idle = PAUSE

    async def start(self) -> None:
        cocotb.start_soon(Clock(self.dut.clk, 2, "ns").start())
        self.dut.put(in_valid=0, in_keep=0, rst=1)
        for _ in range(4):
            await RisingEdge(self.dut.clk)
        self.dut.put(rst=0)
        await self.step(None)

    async def step(self, beat: Beat | None) -> None:
        dut, rng = self.dut, self.rng
        lanes = bytearray(rng.randbytes(LANES))
        if beat is None:
            dut.put(in_valid=0, in_keep=0, in_last=rng.getrandbits(1), in_err=rng.getrandbits(1))
        else:
            lanes[beat.first : beat.first + len(beat.data)] = beat.data
            keep = ((1 << len(beat.data)) - 1) << beat.first
            dut.put(in_valid=1, in_keep=keep, in_last=beat.last, in_err=beat.last and beat.err)
        dut.put(in_data=int.from_bytes(lanes, "little"))
        self.pipe.append(beat)
        await RisingEdge(dut.clk)
        came = self.pipe.pop(0)
        assert dut.out_valid.value == (came is not None)
        if came is not None:
            self.compare(came)

    def compare(self, beat: Beat) -> None:
        dut = self.dut
        assert (bool(dut.out_last.value), bool(dut.out_err.value)) == (beat.last, beat.last and beat.err)
        assert dut.out_count.value == len(beat.data), beat
        if not beat.data:
            assert int(dut.out_soh.value) == int(dut.out_extra.value) == int(dut.out_begin.value) == int(dut.out_data.value) == 0
            return
        assert dut.out_skip.value == beat.first
        lanes = bytes(beat.first) + beat.data
        assert int(dut.out_data.value).to_bytes(LANES, "little") == lanes.ljust(LANES, b"\0"), beat
        begins = [beat.begins(lane) for lane in range(LANES)]
        assert int(dut.out_begin.value) == sum(1 << lane for lane in range(LANES) if begins[lane]), beat
        for lane in range(LANES):
            at = beat.at(lane)
            tag = int(dut.out_tag.value) >> (12 * lane) & 0xFFF
            if at is not None:
                assert tag == beat.tag(lane), f"{beat}, lane {lane}"
                self.seen["tag"] += tag != 0
            if begins[lane]:
                assert at is not None
                bare = beat.text[at - 5] != SOH[0]
                assert int(dut.out_bare.value) >> lane & 1 == bare, f"{beat}, lane {lane}"
                self.seen["begin"] += 1
                self.seen["bare"] += bare
        for half in range(2):
            self.compare_half(beat, half)

    def compare_half(self, beat: Beat, half: int) -> None:
        dut = self.dut
        lanes = range(HALF * half, HALF * half + HALF)
        ends = [lane for lane in lanes if (at := beat.at(lane)) is not None and beat.text[at] == SOH[0]]
        assert int(dut.out_soh.value) >> (HALF * half) & 0xF == (1 << (ends[0] - lanes[0]) if ends else 0), f"{beat}, half {half}"
        assert bool(int(dut.out_extra.value) >> half & 1) == (len(ends) > 1), f"{beat}, half {half}"
        if ends:
            end = beat.at(ends[0])
            assert end is not None
            characters = beat.text[:end][-CHARACTERS:]
            assert int(dut.out_chars.value) >> (64 * half) & (1 << 64) - 1 == int.from_bytes(characters, "big"), f"{beat}, half {half}"
            number = beat.text[:end][: -NUMBER - 1 : -1]
            equals = sum((character == ord("=")) << i for i, character in enumerate(number))
            codes = sum(code(character) << (4 * i) for i, character in enumerate(number))
            assert int(dut.out_number_equals.value) >> (NUMBER * half) & (1 << NUMBER) - 1 == equals, f"{beat}, half {half}"
            assert int(dut.out_number_code.value) >> (4 * NUMBER * half) & (1 << 4 * NUMBER) - 1 == codes, f"{beat}, half {half}"
            self.seen["soh"] += 1
        self.compare_field(beat, half, "before", range(lanes[0], ends[0] if ends else lanes[-1] + 1))
        self.compare_field(beat, half, "after", range(ends[-1] + 1, lanes[-1] + 1) if ends else range(0))

    def compare_field(self, beat: Beat, half: int, which: str, lanes: range) -> None:
        """The last tag in these lanes of the half is the one that is named."""
        equals = int(getattr(self.dut, f"out_{which}").value) >> (HALF * half) & 0xF
        begins = int(getattr(self.dut, f"out_begin_{which}").value) >> (HALF * half) & 0xF
        last = max((lane for lane in lanes if (at := beat.at(lane)) is not None and beat.text[at] == ord("=")), default=None)
        begin = max((lane for lane in lanes if beat.begins(lane) and (last is None or lane > last)), default=None)
        assert begins == (0 if begin is None else 1 << (begin - HALF * half)), f"{beat}, half {half}, {which}"
        if begin is None:
            assert equals == (0 if last is None else 1 << (last - HALF * half)), f"{beat}, half {half}, {which}"
        else:
            tags = int(self.dut.out_tag.value)
            named = [lane for lane in range(HALF) if equals >> lane & 1]
            assert not any(tags >> (12 * (HALF * half + lane)) & 0xFFF for lane in named), f"{beat}, half {half}, {which}"
        self.seen["after"] += which == "after" and last is not None

    async def pause(self, cycles: int = PAUSE) -> None:
        while self.idle < cycles:
            self.idle += 1
            await self.step(None)

    async def segment(
        self, data: bytes, good: bool = True, start: int = 0, stall: float = 0.0, late: int | None = None, pause: int = PAUSE
    ) -> None:
        """`late`: the verdict in an empty beat, so many cycles after the bytes. A bad segment's bytes are forgotten."""
        await self.pause(pause)
        cuts = [0, *range(LANES - start, len(data), LANES), len(data)] if data else []
        text = self.text
        beats = []
        for number, (begin, end) in enumerate(pairwise(cuts)):
            beats.append(Beat(text[-40:], data[begin:end], start if number == 0 else 0, late is None and end == len(data), not good))
            text += data[begin:end]
        for beat in beats:
            while self.rng.random() < stall:
                await self.step(None)
            await self.step(beat)
        if late is not None or not beats:
            for _ in range((late or 1) - 1):
                await self.step(None)
            await self.step(Beat(b"", b"", 0, True, not good))
        self.idle = 0
        if good:
            self.text = text[-100:]

    async def finish(self) -> None:
        for _ in range(LATENCY + PAUSE):
            await self.step(None)


async def bench(dut: Any) -> Bench:
    made = Bench(dut)
    await made.start()
    return made


PRICES = encode(
    [(35, "X"), (34, 17), (43, "N"), (268, 2), (279, 0), (269, 2), (55, "EUR/USD"), (270, "-12.5"), (271, 3), (48, "A"), (1269, "x")],
    begin=b"FIX.4.4",
)


@cocotb.test()
async def a_message_cut_anywhere_and_beginning_in_any_lane_reads_the_same(dut: Any) -> None:
    b = await bench(dut)
    for cut in range(1, len(PRICES)):
        await b.segment(PRICES[:cut], start=b.rng.choice(STARTS))
        await b.segment(PRICES[cut:], start=b.rng.choice(STARTS))
    for start in STARTS:
        for size in range(1, 28):
            for at in range(0, len(PRICES), size):
                await b.segment(PRICES[at : at + size], start=start)
    await b.finish()
    assert b.seen["begin"] == len(PRICES) - 1 + 27 * len(STARTS)
    assert b.seen["soh"] == 14 * b.seen["begin"]
    assert b.seen["tag"] == 12 * b.seen["begin"]


@cocotb.test()
async def every_tag_in_every_lane_and_none_that_only_ends_like_one(dut: Any) -> None:
    b = await bench(dut)
    tags = [*TAGS, *(b"1" + tag for tag in TAGS), *(tag + b"0" for tag in TAGS), *(tag[1:] for tag in TAGS if len(tag) > 1)]
    tags += [tag[:-1] + bytes([tag[-1] ^ 1]) for tag in TAGS] + [b"", b"x", b"8", b"278", b"379", b"-9", b"9 "]
    for tag in tags:
        for lane in range(LANES):
            await b.segment(b"58=" + b"x" * lane + SOH + tag + b"=1" + SOH + tag + b"=" + tag + b"=2" + SOH)
    await b.finish()
    assert b.seen["tag"] > 2 * 8 * len(TAGS)


@cocotb.test()
async def of_two_ends_in_a_half_the_first_is_found_and_what_is_after_the_last(dut: Any) -> None:
    b = await bench(dut)
    for text in (b"9=", b"=", b"", b"x", b"9=\x01", b"=\x01", b"\x01=", b"=\x01="):
        for lane in range(LANES):
            await b.segment(b"58=" + b"x" * lane + SOH + text + SOH + b"abc\x01" + b"=" + SOH)
    await b.finish()
    assert b.seen["soh"] > 8 * 8 * 2


@cocotb.test()
async def begin_string_is_found_in_every_lane_bare_or_not(dut: Any) -> None:
    b = await bench(dut)
    for front in (SOH, b"x", b" ", b"1", b"0", b"=", b"8", b"8=", b"8=FI", b"8=FIX", b"-", b"\xff"):
        for lane in range(LANES):
            for begin in (b"8=FIX", b"9=FIX", b"8=FIY", b"8=GIX", b"8=fix", b"8-FIX", b"8=FOX"):
                await b.segment(b"58=" + b"x" * lane + front + begin + b".4.4\x01")
    await b.finish()
    assert b.seen["bare"] >= 8 * 7
    assert b.seen["begin"] >= b.seen["bare"] + 8


@cocotb.test()
async def a_bad_segment_is_forgotten_whatever_its_length(dut: Any) -> None:
    b = await bench(dut)
    for size in range(41):
        for late in (None, 1, 2, 3, 9):
            for start in STARTS:
                cut = b.rng.randrange(1, len(PRICES))
                await b.segment(PRICES[:cut], start=b.rng.choice(STARTS), late=late)
                await b.segment(
                    b.rng.choice([PRICES, bytes(b.rng.choices(b"8=FIX\x01259.-", k=41))])[:size], good=False, start=start, late=late
                )
                if b.rng.random() < 0.3:
                    await b.segment(b"", good=False)
                await b.segment(PRICES[cut:], start=start)
    await b.finish()
    assert b.seen["begin"] > 41 * 5 * 3


@cocotb.test()
async def a_bad_beat_that_comes_while_the_text_before_it_is_saved_leaves_that(dut: Any) -> None:
    b = await bench(dut)
    for cut in range(1, len(PRICES)):
        await b.segment(PRICES[:cut])
        await b.segment(b"9=FIX\x01"[: cut % 7], good=False, pause=2)
        await b.segment(PRICES[cut:])
    await b.finish()
    assert b.seen["tag"] >= 12 * (len(PRICES) - 1)


@cocotb.test()
async def random_texts_in_random_segments_equal_the_model(dut: Any) -> None:
    b = await bench(dut)
    rng = b.rng
    for _ in range(cases(600, 6000)):
        fields = [
            rng.choice([*TAGS, b"58", b"1", b""])
            + rng.choice([b"=", b"=", b"=", b""])
            + rng.choice([b"8=FIX", b"", b"", b""])
            + bytes(rng.choices(b"0123.-=AFIX8", k=rng.randrange(9)))
            for _ in range(rng.randrange(1, 6))
        ]
        if rng.random() < 0.2:
            fields.insert(rng.randrange(len(fields)), b"8=FIX.4.4")
        data = SOH.join([*fields, b""])[: rng.randrange(1, 60)]
        good = rng.random() < 0.8
        await b.segment(data, good, rng.choice(STARTS), rng.choice([0, 0, 0.3]), rng.choice([None, None, 1, 2, 9]))
    await b.finish()
    assert min(b.seen.values()) > 20


def test_fix_window() -> None:
    simulate("fix_window_tb", "test_fix_window")
