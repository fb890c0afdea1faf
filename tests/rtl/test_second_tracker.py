"""second_tracker: seconds, heartbeats and time running backwards, against the model and against the ends of the number range."""

import os
from random import Random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from harness import ROOT, simulate
from statistics_model import BILLION, STATUS, TIME, Event, Feed, SecondModel

SETTLE = 18 // int(os.environ.get("DIGIT_BITS", "3")) + 1  # cycles from the verdict until the second is there


class Bench:
    def __init__(self, dut, itch50: bool) -> None:
        self.dut, self.itch50 = dut, itch50
        self.model = SecondModel(itch50)
        self.sequence = 0
        self.heartbeats = 0

    async def start(self) -> None:
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, 8, "ns").start())
        for name in ("event_valid", "short_valid", "verdict_valid", "report_busy", "new_session", "lost", "event_kind", "short_kind"):
            getattr(dut, name).value = 0
        dut.itch50.value = self.itch50
        dut.rst.value = 1
        for _ in range(12):
            await FallingEdge(dut.clk)
        dut.rst.value = 0

    def put(self, port: str, event: Event) -> bool:
        self.sequence += 1
        event.sequence = self.sequence
        for name in ("valid", "kind", "seconds", "nanoseconds", "sequence"):
            getattr(self.dut, f"{port}_{name}").value = 1 if name == "valid" else getattr(event, name)
        return self.model.event(event)

    async def frame(
        self, cycles: list[tuple[Event | None, Event | None]], good: bool, new_session: bool = False, busy: bool = False, late: int = 0
    ) -> bool:
        """One frame, an entry a cycle; the verdict comes `late` cycles after the last. True when it is a heartbeat."""
        dut = self.dut
        feed = Feed(new_session=new_session, lost=self.sequence)
        self.model.begin(feed)
        dut.new_session.value, dut.lost.value, dut.report_busy.value = new_session, feed.lost, busy
        after = False
        padded = [*cycles, *[(None, None)] * late] or [(None, None)]
        for i, (event, short) in enumerate(padded):
            dut.event_valid.value = dut.short_valid.value = 0
            event_after = after
            if event and self.put("event", event):
                event_after = after = True
            if short and self.put("short", short):
                after = True
            if i == len(padded) - 1:
                dut.verdict_valid.value, dut.verdict_good.value = 1, good
            await FallingEdge(dut.clk)
            if event:
                assert int(dut.after_boundary.value) == (event_after and not busy)
        dut.event_valid.value = dut.short_valid.value = dut.verdict_valid.value = 0
        heartbeat = self.model.verdict(good)
        assert int(dut.heartbeat.value) == heartbeat
        if heartbeat:
            assert int(dut.missed.value) == busy
        dut.report_busy.value = heartbeat and not busy
        await FallingEdge(dut.clk)
        assert int(dut.heartbeat.value) == 0
        assert int(dut.time_backwards.value) == self.model.backwards
        for _ in range(SETTLE - 2):
            await FallingEdge(dut.clk)
        if heartbeat and not busy:
            assert int(dut.second.value) == self.model.second
            assert self.model.boundary is not None
            assert self.model.boundary is not None
            assert int(dut.sequence_number.value) == self.model.boundary.sequence
            assert int(dut.boundary_lost.value) == feed.lost
        assert int(dut.time_backwards.value) == self.model.backwards
        await FallingEdge(dut.clk)
        self.heartbeats += heartbeat
        return heartbeat


def at(time: int) -> Event:
    return Event(STATUS, 0, time)


def second(value: int) -> Event:
    return Event(TIME, value)


@cocotb.test()
async def the_quotient_is_exact_over_all_48_bit_times(dut):
    bench = Bench(dut, True)
    await bench.start()
    rng = Random(1)
    top = 2**48 - 1
    times = [0, 1, BILLION - 1, BILLION, BILLION + 1, top, top // BILLION * BILLION, top // BILLION * BILLION - 1]
    times += [(1 << k) * BILLION + d for k in range(18) for d in (-1, 0, 1)] + [rng.randrange(top + 1) for _ in range(300)]
    for time in times:
        assert await bench.frame([(at(time), None)], True, new_session=True)
        end = (time // BILLION + 1) * BILLION
        if end <= top:
            assert not await bench.frame([(at(end - 1), None)], True)
            assert await bench.frame([(at(end), None)], True)


@cocotb.test()
async def the_second_jumps_to_that_of_the_message(dut):
    bench = Bench(dut, True)
    await bench.start()
    for time, heartbeat in ((5, True), (5, False), (90, True), (89, False), (90.999_999_999, False), (91, True)):
        assert await bench.frame([(at(round(time * BILLION)), None)], True) == heartbeat


@cocotb.test()
async def one_heartbeat_a_frame_and_the_next_frame_catches_up(dut):
    bench = Bench(dut, True)
    await bench.start()
    assert await bench.frame([(at(BILLION), None), (at(2 * BILLION), None), (at(3 * BILLION), None)], True)
    assert bench.model.second == 1
    assert await bench.frame([(at(3 * BILLION + 1), None)], True)
    assert bench.model.second == 3


@cocotb.test()
async def a_bad_frame_leaves_no_trace(dut):
    bench = Bench(dut, True)
    await bench.start()
    assert await bench.frame([(at(BILLION + 5), None)], True)
    assert not await bench.frame([(at(9 * BILLION), None)], False)
    assert not await bench.frame([(at(7 * BILLION), None)], False, new_session=True)
    assert not await bench.frame([(at(BILLION + 6), None)], True)
    assert await bench.frame([(at(2 * BILLION), None)], True)


@cocotb.test()
async def a_good_new_session_forgets_the_second_even_without_messages(dut):
    for itch50, first in ((True, at(BILLION)), (False, second(1))):
        bench = Bench(dut, itch50)
        await bench.start()
        assert await bench.frame([(first, None)], True)
        assert not await bench.frame([], True, new_session=True)
        assert await bench.frame([(first, None)], True)


@cocotb.test()
async def a_missed_heartbeat_advances_the_second_but_not_the_report(dut):
    for itch50, make in ((True, lambda s: at(s * BILLION)), (False, second)):
        bench = Bench(dut, itch50)
        await bench.start()
        assert await bench.frame([(make(3), None)], True)
        assert await bench.frame([(make(8), None)], True, busy=True)
        assert int(dut.second.value) == 3
        assert not await bench.frame([(make(8), None)], True)
        assert await bench.frame([(make(9), None)], True)
        assert int(dut.second.value) == 9


@cocotb.test()
async def in_itch_41_only_a_later_T_begins_a_second(dut):
    bench = Bench(dut, False)
    await bench.start()
    assert not await bench.frame([(Event(STATUS, 5, 3), None)], True)
    assert await bench.frame([(second(5), None)], True)
    assert not await bench.frame([(second(5), second(4))], True)
    assert await bench.frame([(second(5), second(6))], True), "the short T behind an old T"
    assert await bench.frame([(second(8), second(7))], True), "the first T, not the short one"
    assert bench.model.second == 8
    assert await bench.frame([(second(2**32 - 1), None)], True)
    assert not await bench.frame([(second(2**32 - 1), None)], True)


@cocotb.test()
async def random_frames_equal_the_model(dut):
    for itch50 in (True, False):
        rng = Random(7 + itch50)
        bench = Bench(dut, itch50)
        await bench.start()
        clock = 1000
        for _ in range(1500):
            cycles: list[tuple[Event | None, Event | None]] = []
            before = clock
            for _ in range(rng.choice([0, 1, 1, 2, 4, 9])):
                clock = max(0, clock + rng.choice([0, 1, 1, rng.randrange(400), -1, -rng.randrange(300)]))
                if itch50:
                    cycles.append((at(clock * BILLION // 300), None))
                    continue
                ports = [rng.choice([None, TIME, STATUS]) for _ in range(2)]
                ns = {TIME: 0, STATUS: clock % 300 * 3_000_000}
                event, short = (None if kind is None else Event(kind, clock // 300, ns[kind]) for kind in ports)
                cycles.append((event, short))
            good = rng.random() < 0.75
            await bench.frame(cycles, good, rng.random() < 0.05, rng.random() < 0.2, rng.choice([0, 0, 1, 3]))
            clock = clock if good else before
        assert bench.heartbeats > 100


@pytest.mark.parametrize("digit_bits", [2, 3])
def test_second_tracker(digit_bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIGIT_BITS", str(digit_bits))
    simulate("second_tracker_tb", "test_second_tracker", {"DIGIT_BITS": digit_bits}, [ROOT / "tests/rtl/second_tracker_tb.sv"])
