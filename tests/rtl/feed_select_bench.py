"""feed_select's streams, cycle by cycle, and what has to come out, written from the module's header."""

import random
from collections import deque
from dataclasses import dataclass, field

from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from stream_bench import Beat, beats_of

LINE_A, LINE_B, LOW_LATENCY, HIGH_RELIABILITY = SOURCES = range(4)
LENGTH = 20  # of the first message, 2 bytes
LIMIT = 128  # beats


@dataclass
class Passing:
    """A beat that is let in, in cycle `at`: the first message ends in it, or has, if it `settles`."""

    at: int
    beat: Beat
    arbitrated: bool
    settles: bool
    unsettles: bool  # it ends a packet from which the next must keep its distance


@dataclass
class Play:
    """What is on the four streams, by cycle, and the source requested: `choices` from the cycle they name on."""

    width: int
    settle: int
    patience: int
    rng: random.Random
    streams: list[dict[int, Beat]] = field(default_factory=lambda: [{} for _ in SOURCES])
    packets: list[list[list[int]]] = field(default_factory=lambda: [[] for _ in SOURCES])  # the cycles of each one's beats
    choices: dict[int, int] = field(default_factory=dict)

    def packet(self, source: int, at: int, beats: int, stalls: float = 0.0, message: int | None = None, err: bool | None = None) -> int:
        """Put a packet on a stream; returns the cycle after it. Each is random, except the length of its first message, so none is taken
        for another."""
        data = bytearray(self.rng.randbytes((beats - 1) * self.width + self.rng.randrange(1, self.width + 1)))
        if message is not None:
            data[LENGTH : LENGTH + 2] = message.to_bytes(2, "big")
        cycles = []
        for beat in beats_of(bytes(data), self.width, self.rng.random() < 0.3 if err is None else err):
            while self.rng.random() < stalls:
                at += 1
            self.streams[source][at] = beat
            cycles.append(at)
            at += 1
        self.packets[source].append(cycles)
        return at

    def copy(self, source: int, other: int, later: int) -> None:
        """The stream `other` has all that `source` has, so much later."""
        self.streams[other] = {cycle + later: beat for cycle, beat in self.streams[source].items()}
        self.packets[other] = [[cycle + later for cycle in cycles] for cycles in self.packets[source]]

    def let_in(self) -> list[tuple[int, list[int]]]:
        """The packets of the chosen streams: source and cycles. A choice is taken when neither stream is within a packet; when it has
        waited long enough, when the old one is not."""
        begins = [{cycles[0]: cycles for cycles in packets} for packets in self.packets]
        inside = [{cycle for cycles in packets for cycle in range(cycles[0], cycles[-1])} for packets in self.packets]
        asked, chosen = LINE_A, LINE_A
        passing: list[int] = []
        waited = 0
        found = []
        for now in range(self.end()):
            asked = self.choices.get(now, asked)
            if not passing and now in begins[chosen]:
                passing = begins[chosen][now]
                found.append((chosen, passing))
            if passing and now == passing[-1]:
                passing = []
            if not passing and (now not in inside[asked] or waited == self.patience):
                chosen, waited = asked, 0
            else:
                waited = 0 if asked == chosen else min(waited + 1, self.patience)
        return found

    def expected(self) -> tuple[dict[int, tuple[Beat, bool]], int]:
        """By cycle, the beats that come out, and whether they are the arbiter's; and how many packets overflow."""
        arrivals: dict[int, Passing] = {}
        begins: dict[int, list[int]] = {}
        for source, cycles in self.let_in():
            beats = [self.streams[source][cycle] for cycle in cycles]
            data = b"".join(beat.data for beat in beats)
            message_end = (LENGTH + 1 + int.from_bytes(data[LENGTH : LENGTH + 2], "big")) // self.width
            header = (LENGTH + 1) // self.width
            begins[cycles[0]] = cycles
            for i, (cycle, beat) in enumerate(zip(cycles, beats, strict=True)):
                unsettles = beat.last and not (beat.err and i <= header)
                arrivals[cycle] = Passing(
                    cycle, beat, source in (LOW_LATENCY, HIGH_RELIABILITY), i > header and i >= message_end, unsettles
                )
        out: dict[int, tuple[Beat, bool]] = {}
        waiting: deque[Passing] = deque()
        overflows, settled, dropped = 0, 0, set()
        now = 0
        while now < self.end() or waiting:
            if self.settle and now in begins and len(waiting) > LIMIT:
                dropped |= set(begins[now])
                overflows += 1
            if now in arrivals and now not in dropped:
                waiting.append(arrivals[now])
            if waiting and (now >= settled or not waiting[0].settles):
                leaves = waiting.popleft()
                out[now + 1] = (leaves.beat, leaves.arbitrated)
                if leaves.unsettles:
                    settled = now + self.settle
            now += 1
        return out, overflows

    def end(self) -> int:
        return max(max(stream, default=0) for stream in self.streams) + 3


async def start(dut) -> Play:
    Clock(dut.clk, 2, "ns").start()
    return await reset(dut)


async def reset(dut) -> Play:
    dut.in_valid.value = 0
    dut.source.value = 0
    dut.rst.value = 1
    for _ in range(4):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    await RisingEdge(dut.clk)
    return Play(len(dut.out_keep), int(dut.SETTLE.value), int(dut.PATIENCE.value), random.Random(11))


async def run(dut, play: Play, longer: int = 0) -> tuple[dict[int, tuple[Beat, bool]], int]:
    """Plays all of it, and waits `longer`; what was on `out`, by cycle, and packets that overflowed. Without valid the streams are noise,
    and so is err except with last."""
    seen = {}
    overflows = 0
    rng, lanes = play.rng, play.width
    for now in range(play.end() + longer):
        valid = last = err = keep = data = 0
        for source, stream in enumerate(play.streams):
            beat = stream.get(now)
            if beat is None:
                last |= rng.getrandbits(1) << source
                data |= rng.getrandbits(8 * lanes) << (8 * lanes * source)
                keep |= rng.getrandbits(lanes) << (lanes * source)
                continue
            valid |= 1 << source
            last |= beat.last << source
            err |= (beat.err if beat.last else rng.getrandbits(1)) << source
            keep |= ((1 << len(beat.data)) - 1) << (lanes * source)
            data |= int.from_bytes(beat.data, "little") << (8 * lanes * source)
        dut.in_valid.value, dut.in_last.value, dut.in_err.value, dut.in_keep.value, dut.in_data.value = valid, last, err, keep, data
        if now in play.choices:
            dut.source.value = play.choices[now]
        await RisingEdge(dut.clk)
        overflows += int(dut.overflow.value)
        if dut.out_valid.value:
            is_last = bool(dut.out_last.value)
            octets = int(dut.out_data.value).to_bytes(lanes, "little")[: int(dut.out_keep.value).bit_length()]
            seen[now] = (Beat(octets, is_last, is_last and bool(dut.out_err.value)), bool(dut.arbitrated.value))
    dut.in_valid.value = 0
    return seen, overflows


async def played(dut, play: Play) -> dict[int, tuple[Beat, bool]]:
    """Plays all of it, and compares it with what is expected, to the cycle."""
    want, overflows = play.expected()
    seen, overflowed = await run(dut, play, max(0, max(want, default=0) + 3 - play.end()))
    for cycle in sorted(want.keys() | seen.keys()):
        assert seen.get(cycle) == want.get(cycle), f"cycle {cycle}"
    assert overflowed == overflows
    return seen
