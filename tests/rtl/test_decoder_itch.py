"""decoder_itch against a plain model: every event, verdict, cause and counter, and the cycle each comes in."""

import os
import random
from dataclasses import dataclass, field
from typing import Any

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge
from harness import ROOT, cases, simulate
from mold_itch_model import CAUSES, EVENT_FIELDS, FEED_FIELDS, Decoder, Outcome, datagram, lengths, random_message, unpack
from pins import Pins

LATENCY = 4  # last beat → verdict, and the beat with a message's last byte → its event
SESSION = b"TICKWIRE01"


@dataclass
class Frame:
    payload: bytes
    err: bool = False
    empty_end: bool = False  # the last beat holds nothing


@dataclass
class Seen:
    """What came out for one frame."""

    events: list[tuple[int, dict[str, int]]] = field(default_factory=list)
    feeds: list[int] = field(default_factory=list)
    after_gap: list[bool] = field(default_factory=list)  # with each event
    verdict: dict[str, int] = field(default_factory=dict)
    cycle: int = 0


class Bench:
    def __init__(self, dut: Any, itch50: bool, seed: int = 1) -> None:
        self.dut, self.itch50, self.rng = Pins(dut), itch50, random.Random(seed)
        self.lanes = int(os.environ["W"]) // 8
        self.model = Decoder()
        self.cycle = 0
        self.seen: list[Seen] = []
        self.open = Seen()
        self.expected: list[tuple[Outcome, list[int]]] = []

    async def start(self) -> None:
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, 8, "ns").start())
        dut.put(in_valid=0)
        dut.itch50.value = int(self.itch50)
        dut.rst.value = 1
        await ClockCycles(dut.clk, 3)
        await FallingEdge(dut.clk)
        dut.rst.value = 0
        await self._step()

    async def _step(self) -> None:
        """One cycle; what is on the inputs was just set, the outputs are those of this cycle."""
        dut = self.dut
        if dut.activity.value == 1:
            self._look()
        await FallingEdge(dut.clk)
        self.cycle += 1

    def _look(self) -> None:
        dut = self.dut
        for valid, data in ((dut.event_valid, dut.event_data), (dut.short_valid, dut.short_data)):
            if valid.value == 1:
                self.open.events.append((self.cycle, unpack(EVENT_FIELDS, int(data.value))))
                self.open.feeds.append(int(dut.feed.value))
                self.open.after_gap.append(bool(dut.after_gap.value))
        pulses = {name: int(getattr(dut, name).value) for name in ("mold_cause_valid", "new_session", "gap")}
        if dut.verdict_valid.value == 1:
            names = ("verdict_good", "mold_cause", "lost", "messages", "unknown_type", "bad_length")
            self.open.verdict = pulses | {name: int(getattr(dut, name).value) for name in names}
            self.open.feeds.append(int(dut.feed.value))
            self.open.cycle = self.cycle
            self.seen.append(self.open)
            self.open = Seen()
        else:
            assert not any(pulses.values()), "a pulse without a verdict"

    async def send(self, frame: Frame, stall: float = 0.0, pause: int = 0) -> None:
        dut, lanes, payload = self.dut, self.lanes, frame.payload
        chunks = [payload[i : i + lanes] for i in range(0, len(payload), lanes)]
        if not chunks or (frame.empty_end and len(chunks[-1]) == lanes):
            chunks.append(b"")
        cycles = []
        for i, chunk in enumerate(chunks):
            while stall and self.rng.random() < stall:
                dut.put(in_valid=0, in_last=self.rng.getrandbits(1))
                await self._step()
            last = i == len(chunks) - 1
            filler = self.rng.randbytes(lanes - len(chunk))
            err = int(frame.err) if last else self.rng.getrandbits(1)
            data = int.from_bytes(chunk + filler, "little")
            dut.put(in_valid=1, in_data=data, in_keep=(1 << len(chunk)) - 1, in_last=int(last), in_err=err)
            cycles.append(self.cycle)
            await self._step()
        dut.put(in_valid=0)
        for _ in range(pause):
            await self._step()
        self.expected.append((self.model.take(payload, self.itch50, frame.err), cycles))

    async def check(self) -> None:
        for _ in range(LATENCY + 2):
            await self._step()
        assert len(self.seen) == len(self.expected), "one verdict a frame"
        for number, (seen, (want, cycles)) in enumerate(zip(self.seen, self.expected, strict=True)):
            where = f"frame {number} ({want.cause})"
            got = seen.verdict
            assert seen.cycle == cycles[-1] + LATENCY, f"{where}: verdict after {seen.cycle - cycles[-1]} cycles"
            assert bool(got["verdict_good"]) == want.good, where
            assert bool(got["mold_cause_valid"]) == (want.cause is not None), where
            if want.cause is not None:
                assert CAUSES[got["mold_cause"]] == want.cause, where
            assert (bool(got["new_session"]), bool(got["gap"]), got["lost"]) == (want.new_session, want.gap, want.lost), where
            if not want.good:
                continue
            counts = (got["messages"], got["unknown_type"], got["bad_length"])
            assert counts == (want.messages, want.unknown_type, want.bad_length), f"{where}: {counts}"
            assert [e for _, e in seen.events] == want.events, where
            assert [c for c, _ in seen.events] == [cycles[end // self.lanes] + LATENCY for end in want.ends], f"{where}: event latency"
            assert all(unpack(FEED_FIELDS, f) == want.feed for f in seen.feeds), f"{where}: feed"
            assert all(after_gap == want.gap for after_gap in seen.after_gap), f"{where}: after_gap"
        self.seen.clear()
        self.expected.clear()


async def bench(dut: Any, itch50: bool, seed: int = 1) -> Bench:
    out = Bench(dut, itch50, seed)
    await out.start()
    return out


@cocotb.test()
@cocotb.parametrize(itch50=[False, True])
async def every_message_type_becomes_its_event(dut: Any, itch50: bool) -> None:
    b = await bench(dut, itch50)
    sequence = 1
    for _ in range(8):
        for kind in lengths(itch50):
            await b.send(Frame(datagram(SESSION, sequence, [random_message(b.rng, itch50, kind)])))
            sequence += 1
    await b.check()


@cocotb.test()
@cocotb.parametrize(itch50=[False, True])
async def messages_straddle_beats_at_every_offset(dut: Any, itch50: bool) -> None:
    b = await bench(dut, itch50)
    sequence = 1
    for shift in range(8):
        filler = [b"?" * (5 + shift)]  # an unknown type moves what follows
        for kind in lengths(itch50):
            for behind in "SD" if itch50 else "TSD":
                messages = filler + [random_message(b.rng, itch50, k) for k in (kind, behind, kind)]
                await b.send(Frame(datagram(SESSION, sequence, messages)))
                sequence += len(messages)
    await b.check()


@cocotb.test()
@cocotb.parametrize(itch50=[False, True])
async def runs_of_the_shortest_messages_lose_nothing(dut: Any, itch50: bool) -> None:
    b = await bench(dut, itch50)
    sequence = 1
    shortest = ["S", "W", "D", "SD"] if itch50 else ["T", "S", "D", "TS", "TD", "TTS", "TSS", "TTSD"]
    for pattern in shortest:
        for first in ("T" if not itch50 else "S", "S", "D"):
            messages = [random_message(b.rng, itch50, k) for k in first + pattern * (60 // len(pattern))]
            await b.send(Frame(datagram(SESSION, sequence, messages)))
            sequence += len(messages)
    await b.check()


@cocotb.test()
async def the_second_of_a_dropped_frame_is_forgotten(dut: Any) -> None:
    b = await bench(dut, itch50=False)

    def time(second: int) -> bytes:
        return b"T" + second.to_bytes(4, "big")

    order = random_message(b.rng, False, "D")
    await b.send(Frame(datagram(SESSION, 1, [order, time(34200), order])))
    await b.send(Frame(datagram(SESSION, 4, [time(34201), order]), err=True))
    await b.send(Frame(datagram(SESSION, 4, [order])))
    await b.send(Frame(datagram(SESSION, 5, [time(34202), order])[:-1]))
    await b.send(Frame(datagram(SESSION, 5, [order])))
    await b.send(Frame(datagram(SESSION, 4, [time(34203), order])))
    await b.send(Frame(datagram(b"ANOTHERONE", 4, [order]), err=True))
    await b.send(Frame(datagram(SESSION, 6, [order])))
    await b.send(Frame(datagram(b"ANOTHERONE", 4, [order])))
    seconds = [e["seconds"] for want, _ in b.expected for e in want.events]
    assert seconds == [0, 34200, 34200, 34200, 34200, 34200, 0]
    await b.check()


@cocotb.test()
async def sessions_gaps_and_old_frames_move_the_expected_number(dut: Any) -> None:
    b = await bench(dut, itch50=True)
    top = (1 << 64) - 1
    other = b"ANOTHERONE"
    for session, sequence, count in [
        (SESSION, 10, None), (SESSION, 12, None), (SESSION, 12, None), (SESSION, 11, 0), (SESSION, 14, 0), (SESSION, 20, 0),
        (SESSION, 19, None), (SESSION, 25, 0xFFFF), (SESSION, 25, None), (other, 3, 0), (other, 5, None), (SESSION, 1, None),
        (SESSION, top - 1, None), (SESSION, 0, None), (SESSION, top, 0), (SESSION, 1, None), (SESSION, 1 << 63, None), (SESSION, 5, None),
    ]:  # fmt: skip
        messages = [] if count is not None else [random_message(b.rng, True, "D") for _ in range(2)]
        await b.send(Frame(datagram(session, sequence, messages, count)))
    causes = [want.cause for want, _ in b.expected]
    assert causes[:6] == ["packet", "packet", "old", "old", "heartbeat", "heartbeat"]
    assert b.expected[5][0].lost == 6
    assert b.expected[5][0].gap
    await b.check()


@cocotb.test()
@cocotb.parametrize(itch50=[False, True])
async def of_a_datagram_that_began_before_the_new_messages_are_taken(dut: Any, itch50: bool) -> None:
    b = await bench(dut, itch50)
    types = "SWXD" if itch50 else "TSXD"
    messages = [random_message(b.rng, itch50, b.rng.choice(types)) for _ in range(400)]
    # As they are cut on the one line, and on the other; a retransmission of what is known, and of more; all of it again.
    at = 0
    for back in (*range(8), 0, 20, 1, 300):
        first = max(0, at - back)
        for end in (first + b.rng.randrange(8), at + 1 + b.rng.randrange(5)):
            await b.send(Frame(datagram(SESSION, 1 + first, messages[first:end]), err=b.rng.random() < 0.2))
            at = b.model.expected - 1 if b.model.session else 0
    await b.send(Frame(datagram(SESSION, 1, messages)))
    await b.send(Frame(datagram(SESSION, 1, messages)))
    assert [want.cause for want, _ in b.expected[-2:]] == ["packet", "old"]
    numbers = [event["sequence_number"] for want, _ in b.expected for event in want.events]
    assert numbers == list(range(1, 401)), "each message once"
    assert not any(want.gap for want, _ in b.expected)
    await b.check()


@cocotb.test()
@cocotb.parametrize(itch50=[False, True])
async def a_datagram_cut_anywhere_is_malformed_and_leaves_no_trace(dut: Any, itch50: bool) -> None:
    b = await bench(dut, itch50)
    messages = [random_message(b.rng, itch50, k) for k in (("S", "D", "S") if itch50 else ("T", "T", "S", "D", "T"))]
    whole = datagram(SESSION, 1, messages)
    for cut in range(len(whole)):
        await b.send(Frame(whole[:cut], empty_end=bool(cut & 8)))
        await b.send(Frame(datagram(SESSION, 1, [], 0)))
    for extra in range(1, 18):
        await b.send(Frame(whole + bytes(extra)))
        await b.send(Frame(datagram(SESSION, 1, [], 0) + bytes(extra)))
    await b.send(Frame(whole, empty_end=True))
    assert [want.cause for want, _ in b.expected].count("malformed") == len(whole) + 2 * 17
    await b.check()


@cocotb.test()
@cocotb.parametrize(itch50=[False, True])
async def blocks_shorter_than_any_message_are_malformed(dut: Any, itch50: bool) -> None:
    b = await bench(dut, itch50)
    for at in range(12):
        for short in range(5):
            messages = [b"?" * (5 + at), bytes(short), random_message(b.rng, itch50, "D")]
            await b.send(Frame(datagram(SESSION, 1, messages)))
            await b.send(Frame(datagram(SESSION, 1, messages[:2])))
            await b.send(Frame(datagram(SESSION, 1, messages[1:])))
    assert all(want.cause == "malformed" for want, _ in b.expected)
    await b.check()


def hostile(b: Bench, recent: list[bytes]) -> Frame:
    """A frame that is mostly right, and often wrong in one place."""
    rng, itch50 = b.rng, b.itch50
    session = b.model.session or SESSION
    if rng.random() < 0.04:
        session = rng.choice([SESSION, b"ANOTHERONE", rng.randbytes(10)])
    sequence = b.model.expected
    choice = rng.random()
    if choice < 0.1:
        sequence += rng.choice([1, 2, 1000, 1 << 33])
    elif choice < 0.2:
        sequence = max(0, sequence - rng.choice([1, 2, 50]))
    elif choice < 0.21:
        sequence = rng.getrandbits(64)
    if sequence > 1 << 60:
        session = rng.randbytes(10)  # start again, so that not everything is old from here on
        sequence = rng.getrandbits(20)
    types = list(lengths(itch50))
    if rng.random() < 0.4:
        types = ["S", "D", "W"] if itch50 else ["T", "S", "T", "D"]
    messages = []
    for _ in range(rng.choice([0, 1, 1, 1, 2, 3, 5, 12])):
        message = random_message(rng, itch50, rng.choice(types))
        odd = rng.random()
        if odd < 0.03:
            message = rng.randbytes(rng.choice([5, 6, 7, 8, 9, 30, 36, 64, 70, 127, 300]))
        elif odd < 0.06:
            message = (message + rng.randbytes(4))[: max(5, len(message) + rng.randint(-3, 4))]
        elif odd < 0.065:
            message = message[: rng.randint(0, 4)]
        messages.append(message)
    count = None
    if not messages and rng.random() < 0.3:
        count = 0xFFFF
    elif rng.random() < 0.03:
        count = max(0, len(messages) + rng.choice([-1, 1, 5]))
    payload = bytearray(datagram(session, sequence, messages, count))
    choice = rng.random()
    if choice < 0.04:
        payload = payload[: rng.randint(0, len(payload))]
    elif choice < 0.06:
        payload += rng.randbytes(rng.randint(1, 20))
    elif choice < 0.08:
        for _ in range(rng.randint(1, 3)):
            payload[rng.randrange(len(payload))] = rng.getrandbits(8)
    if choice > 0.97 and recent:
        payload = bytearray(rng.choice(recent))
    recent.append(bytes(payload))
    del recent[:-5]
    return Frame(bytes(payload), err=rng.random() < 0.05, empty_end=rng.random() < 0.2)


@cocotb.test()
@cocotb.parametrize(itch50=[False, True], stall=[0.0, 0.3])
async def hostile_frames_decode_as_the_model_says(dut: Any, itch50: bool, stall: float) -> None:
    b = await bench(dut, itch50, seed=7 + itch50)
    recent: list[bytes] = []
    for _ in range(cases(1, 4) if b.lanes == 8 else 1):
        for _ in range(cases(250, 500)):
            await b.send(hostile(b, recent), stall, b.rng.choice([0, 0, 0, 1, 2, 5]))
        await b.check()


@cocotb.test()
async def a_full_size_packet_of_the_shortest_messages_counts_right(dut: Any) -> None:
    b = await bench(dut, itch50=False)
    for kind in "TSD":
        size = lengths(False)[kind] + 2
        messages = [random_message(b.rng, False, kind) for _ in range((8972 - 20) // size)]
        await b.send(Frame(datagram(SESSION, b.model.expected, messages)))
    await b.check()


@pytest.mark.parametrize("width", [8, 64])
def test_decoder_itch(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("W", str(width))
    simulate("decoder_itch_tb", "test_decoder_itch", {"W": width}, [ROOT / "tests/rtl/decoder_itch_tb.sv"])
