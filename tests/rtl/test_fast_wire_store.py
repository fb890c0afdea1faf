"""fast_wire_store: packets that do not ask go on at once, the others when it is decided, all in their order; what finds no room is cut."""

from __future__ import annotations

import random

import cocotb
from harness import cases, simulate
from stream_bench import Beat, StreamBench, beats_of

DEPTH = 32
FIRST_OUT = 2  # cycles of a packet that need not wait, and from a decision


class Bench(StreamBench):
    """Notes the overflow pulses too, and gives decisions and `asks` by cycle."""

    def __init__(self, dut) -> None:
        super().__init__(dut, ("out",))
        self.overflows = 0
        self.muted: list[bool] = []  # of each packet that leaves

    async def give(
        self, beats: dict[int, Beat], asks: dict[int, bool], decisions: dict[int, bool], mutes: frozenset[int] = frozenset()
    ) -> None:
        def also(cycle: int) -> None:
            self.overflows += int(self.dut.overflow.value)
            if self.dut.out_valid.value and self.dut.out_last.value:
                self.muted.append(bool(self.dut.out_muted.value))
            self.dut.asks.value = asks.get(cycle, False)
            self.dut.decision_valid.value = cycle in decisions
            self.dut.decision_on.value = decisions.get(cycle, False)
            self.dut.decision_mute.value = cycle in mutes

        await self.start(asks=0, decision_valid=0, decision_on=0, decision_mute=0)
        await self.run(beats, max([*beats, *decisions]) + 3 * DEPTH, also)


@cocotb.test
async def packets_go_on_or_are_dropped_in_their_order(dut) -> None:
    rng = random.Random(1)
    bench = Bench(dut)
    beats: dict[int, Beat] = {}
    asks: dict[int, bool] = {}
    decisions: dict[int, bool] = {}
    expected: list[tuple[bytes, bool]] = []
    mutes: set[int] = set()
    muted: list[bool] = []
    decided = 0  # the last decision
    drained = 0  # by then all before is gone
    now = 1
    for _ in range(cases(1_500, 40_000)):
        packet = rng.randbytes(rng.randrange(1, 90))
        err, asking, on = rng.random() < 0.2, rng.random() < 0.7, rng.random() < 0.5
        begin = now
        for beat in beats_of(packet, 8, err):
            beats[now], asks[now] = beat, asking
            now += 1
            if rng.random() < 0.2:
                now += rng.randrange(4)
        if asking:
            decided = max(decided + 1, now + rng.choice([0, 1, 5]))
            decisions[decided] = on
            if rng.random() < 0.5:
                mutes.add(decided)
        if not asking or on:
            expected.append((packet, err))
            muted.append(asking and decided in mutes)
        drained = max(drained, decided if asking else begin, now) + len(packet) // 8 + 4
        # No more waits than there is room for.
        now += rng.choice([0, 0, 1]) if drained - now < 6 else drained - now
    await bench.give(beats, asks, decisions, frozenset(mutes))
    assert [(packet.data, packet.err) for packet in bench.packets("out")] == expected
    assert bench.muted == muted
    assert bench.overflows == 0
    assert len(expected) > 500


@cocotb.test
async def what_need_not_wait_is_there_after_two_cycles(dut) -> None:
    bench = Bench(dut)
    beats = {cycle: beat for begin in (1, 60) for cycle, beat in enumerate(beats_of(bytes(range(40)), 8), begin)}
    await bench.give(beats, {cycle: cycle > 50 for cycle in beats}, {80: True})
    assert [packet.begin for packet in bench.packets("out")] == [1 + FIRST_OUT, 80 + FIRST_OUT]


@cocotb.test
async def a_packet_that_finds_no_room_is_cut_and_the_next_one_is_whole(dut) -> None:
    for on in (True, False):
        bench = Bench(dut)
        first = bytes(range(250)) * 2
        beats = dict(enumerate(beats_of(first, 8), 1))
        begin = max(beats) + 3 * DEPTH
        asks = dict.fromkeys(beats, True)
        beats |= dict(enumerate(beats_of(first[:30], 8), begin))
        await bench.give(beats, asks, {max(asks) + 9: on})
        # The last beat that there was room for says that it is bad.
        cut = [(first[: 8 * DEPTH], True)] if on else []
        assert [(packet.data, packet.err) for packet in bench.packets("out")] == [*cut, (first[:30], False)]
        assert bench.overflows == 1


def test_fast_wire_store() -> None:
    simulate("fast_wire_store_tb", "test_fast_wire_store")
