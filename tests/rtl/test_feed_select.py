"""feed_select cycle by cycle: what it is told to pass passes a cycle later, and a change of source never cuts or joins packets."""

import random
from dataclasses import dataclass, field

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from harness import simulate
from stream_bench import Beat, beats_of

LINE_A, LINE_B, LOW_LATENCY, HIGH_RELIABILITY = SOURCES = range(4)


@dataclass
class Play:
    """What is on the four streams, by cycle, and what is asked for: `choices` from the cycle they name on."""

    width: int
    rng: random.Random
    streams: list[dict[int, Beat]] = field(default_factory=lambda: [{} for _ in SOURCES])
    packets: list[list[list[int]]] = field(default_factory=lambda: [[] for _ in SOURCES])  # the cycles of each one's beats
    choices: dict[int, int] = field(default_factory=dict)

    def packet(self, source: int, at: int, beats: int, stalls: float = 0.0) -> int:
        """Put a packet on a stream; returns the cycle behind it. Each is random, so none is taken for another."""
        size = (beats - 1) * self.width + self.rng.randrange(1, self.width + 1)
        cycles = []
        for beat in beats_of(self.rng.randbytes(size), self.width, self.rng.random() < 0.3):
            while self.rng.random() < stalls:
                at += 1
            self.streams[source][at] = beat
            cycles.append(at)
            at += 1
        self.packets[source].append(cycles)
        return at

    def expected(self) -> dict[int, tuple[Beat, bool]]:
        """By cycle, the beats that come out, and whether they are the arbiter's: a choice is taken when nothing is on its way."""
        begins = [{cycles[0]: cycles for cycles in packets} for packets in self.packets]
        asked, chosen = LINE_A, LINE_A
        passing: list[int] = []
        out = {}
        for now in range(self.end()):
            asked = self.choices.get(now, asked)
            passing = passing or begins[chosen].get(now, [])
            for cycle in passing:
                out[cycle + 1] = (self.streams[chosen][cycle], chosen in (LOW_LATENCY, HIGH_RELIABILITY))
            if not passing or now == passing[-1]:
                passing, chosen = [], asked
        return out

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
    return Play(len(dut.out_keep), random.Random(11))


async def run(dut, play: Play) -> dict[int, tuple[Beat, bool]]:
    """Plays all of it; what was on `out`, by cycle. Without valid the streams are noise, and so is err but with last."""
    seen = {}
    rng, lanes = play.rng, play.width
    for now in range(play.end()):
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
        if dut.out_valid.value:
            is_last = bool(dut.out_last.value)
            octets = int(dut.out_data.value).to_bytes(lanes, "little")[: int(dut.out_keep.value).bit_length()]
            seen[now] = (Beat(octets, is_last, is_last and bool(dut.out_err.value)), bool(dut.arbitrated.value))
    dut.in_valid.value = 0
    return seen


def check(play: Play, seen: dict[int, tuple[Beat, bool]]) -> None:
    want = play.expected()
    for cycle in sorted(want.keys() | seen.keys()):
        assert seen.get(cycle) == want.get(cycle), f"cycle {cycle}"


@cocotb.test()
async def every_source_passes_unchanged_a_cycle_later(dut):
    await start(dut)
    for source in SOURCES:
        play = await reset(dut)
        play.choices[0] = source
        for other in SOURCES:
            at = 2
            for _ in range(60):
                at = play.packet(other, at, play.rng.randrange(1, 6), play.rng.choice((0, 0, 0.5))) + play.rng.choice((0, 0, 1, 3))
        seen = await run(dut, play)
        assert seen == {cycle + 1: (beat, source >= LOW_LATENCY) for cycle, beat in play.streams[source].items()}


@cocotb.test()
async def a_packet_on_its_way_is_finished_and_the_next_is_of_the_new_source(dut):
    play = await start(dut)
    play.choices = {0: LINE_A, 5: HIGH_RELIABILITY}
    play.packet(LINE_A, 4, 4)  # cycles 4 to 7
    play.packet(LINE_A, 8, 2)
    play.packet(HIGH_RELIABILITY, 8, 3)  # begins as soon as it may
    seen = await run(dut, play)
    assert sorted(seen) == [*range(5, 9), *range(9, 12)]
    assert [seen[cycle][0] for cycle in range(9, 12)] == [play.streams[HIGH_RELIABILITY][cycle] for cycle in range(8, 11)]
    assert [arbitrated for _, arbitrated in seen.values()] == [False] * 4 + [True] * 3


@cocotb.test()
async def a_stream_within_a_packet_when_it_is_chosen_is_silent_up_to_its_end(dut):
    play = await start(dut)
    play.choices = {0: LINE_A, 6: LINE_B}
    play.packet(LINE_A, 2, 3)
    play.packet(LINE_B, 4, 6)  # cycles 4 to 9
    play.packet(LINE_A, 7, 9)  # nobody's any more
    play.packet(LINE_B, 10, 2)
    seen = await run(dut, play)
    assert sorted(seen) == [3, 4, 5, 11, 12]
    assert seen[11][0] == play.streams[LINE_B][10]


@cocotb.test()
async def a_silent_stream_is_left_at_once_for_another(dut):
    play = await start(dut)
    play.choices = {0: LINE_A, 4: LINE_B, 6: LOW_LATENCY}
    play.packet(LINE_B, 2, 20)
    play.packet(LOW_LATENCY, 7, 3)
    seen = await run(dut, play)
    assert sorted(seen) == [8, 9, 10]


@cocotb.test()
async def a_packet_that_stalls_keeps_its_place(dut):
    play = await start(dut)
    play.choices = {0: LINE_A, 6: LINE_B}
    play.packet(LINE_A, 4, 2)
    play.streams[LINE_A][40] = play.streams[LINE_A].pop(5)  # its last beat comes late
    play.packets[LINE_A][0][1] = 40
    play.packet(LINE_B, 10, 5)
    play.packet(LINE_B, 41, 5)
    seen = await run(dut, play)
    assert sorted(seen) == [5, 41, *range(42, 47)]


@cocotb.test()
async def random_changes_on_random_streams_back_to_back(dut):
    await start(dut)
    for length, stalls, pauses, changes in [
        (1, 0, (0,), 1),
        (3, 0, (0,), 0.5),
        (6, 0, (0, 0, 1, 2), 0.2),
        (5, 0.3, (0, 0, 4), 0.1),
        (9, 0, (0,), 0.02),
    ]:
        play = await reset(dut)
        for source in SOURCES:
            at = play.rng.randrange(4)
            while at < 1200:
                at = play.packet(source, at, play.rng.randrange(1, length + 1), stalls) + play.rng.choice(pauses)
        play.choices = {now: play.rng.choice(SOURCES) for now in range(1200) if play.rng.random() < changes}
        seen = await run(dut, play)
        check(play, seen)
        assert len({beat.data for beat, _ in seen.values()}) > 50


@pytest.mark.parametrize("w", [8, 64])
def test_feed_select(w: int) -> None:
    simulate("feed_select_tb", "test_feed_select", {"W": w})
