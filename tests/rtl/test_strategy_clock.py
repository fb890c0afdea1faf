"""strategy_clock: the latest time that good frames of the session have told, at each frame's verdict in the book and of each trade."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import cocotb
from cocotb.clock import Clock as Ticks
from cocotb.triggers import FallingEdge, ReadOnly
from harness import cases, simulate

SECOND = 1_000_000_000
NUMBERS = 256
SOONEST = 4  # cycles from a frame's verdict to the next event: its headers


@dataclass(frozen=True)
class Event:
    seconds: int
    nanoseconds: int
    is_trade: bool = False


class Model:
    """pipeline::Programs, Clock: the latest time of good frames, anew in each session."""

    def __init__(self) -> None:
        self.committed = self.running = 0

    def begin(self, begins_session: bool) -> None:
        self.running = 0 if begins_session else self.committed

    def event(self, event: Event) -> int:
        self.running = max(self.running, event.seconds * SECOND + event.nanoseconds)
        return self.running

    def verdict(self, good: bool) -> int:
        if good:
            self.committed = self.running
        return self.committed


class Bench:
    def __init__(self, dut) -> None:
        self.dut, self.model, self.rng = dut, Model(), Random(2)
        self.judgements: deque[tuple[int, int]] = deque()  # the earliest cycle, and the frame's time
        self.expected: deque[tuple[int, bool]] = deque()  # judged: the time, and whether it was ready
        self.now = self.frames = self.trades = self.not_ready = 0
        self.trade_times: list[int] = []

    async def start(self) -> None:
        dut = self.dut
        cocotb.start_soon(Ticks(dut.clk, 2, "ns").start())
        for port in (dut.event_valid, dut.verdict_valid, dut.judged, dut.trade_number, dut.begins_session, dut.restart):
            port.value = 0
        dut.rst.value = 1
        for _ in range(3):
            await FallingEdge(dut.clk)
        dut.rst.value = 0

    async def cycle(self, events: tuple[Event, ...] = (), verdict: bool | None = None, after: int = 1) -> None:
        """`after`: cycles from the verdict to that of the book."""
        dut = self.dut
        dut.event_valid.value = (1 << len(events)) - 1
        if events:
            dut.event_is_trade.value = events[0].is_trade
            dut.seconds.value = sum(event.seconds << 32 * place for place, event in enumerate(events))
            dut.nanoseconds.value = sum(event.nanoseconds << 48 * place for place, event in enumerate(events))
        for event in events:
            time = self.model.event(event)
            if event.is_trade:
                self.trade_times.append(time)
        dut.verdict_valid.value = verdict is not None
        dut.verdict_good.value = bool(verdict)
        if verdict is not None:
            earliest = max(self.now + after, self.judgements[-1][0] + 1 if self.judgements else 0)
            self.judgements.append((earliest, self.model.verdict(verdict)))
        # The newest waits where its time is not there yet; what is before it does not.
        judges = bool(self.judgements) and self.judgements[0][0] <= self.now
        dut.judged.value = judges
        await ReadOnly()
        if dut.frame_valid.value:
            time, _ = self.expected.popleft()
            assert int(dut.frame_time.value) == time
            self.frames += 1
        assert not (self.expected and self.expected[0][1]), "it was ready and is not there"
        if judges:
            ready = bool(dut.ready.value)
            self.not_ready += not ready
            self.expected.append((self.judgements.popleft()[1], ready))
        await FallingEdge(dut.clk)
        self.now += 1

    async def idle(self, cycles: int) -> None:
        for _ in range(cycles):
            await self.cycle()

    async def frame(self, events: Sequence[tuple[Event, ...]], good: bool, begins: bool = False, after: int = 1, late: int = 0) -> None:
        self.dut.begins_session.value = begins
        self.model.begin(begins)
        for event in events[:-1]:
            await self.cycle(event)
        if late:
            await self.cycle(events[-1] if events else ())
            await self.idle(late - 1)
        await self.cycle(() if late or not events else events[-1], good, after)
        self.dut.begins_session.value = 0

    async def times_of_trades(self, count: int) -> list[int]:
        """Of the last trades."""
        times = []
        for number in range(len(self.trade_times) - count, len(self.trade_times)):
            self.dut.trade_number.value = number % NUMBERS
            await self.idle(2)
            times.append(int(self.dut.trade_time.value))
        return times


@cocotb.test
async def time_never_goes_back_within_a_session_and_begins_anew_with_another(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    for nanoseconds, begins, good in (
        (5, False, True),
        (3, False, True),
        (9, False, False),
        (7, False, True),
        (2, True, False),
        (4, True, True),
    ):
        await bench.frame([(Event(0, nanoseconds),)], good, begins, after=6)
        await bench.idle(8)
    # One without messages, and one that begins a session without any.
    await bench.frame([], True, after=6)
    await bench.idle(8)
    await bench.frame([], True, True, after=6)
    await bench.idle(8)
    assert bench.model.committed == 0
    assert bench.frames == 8
    assert bench.not_ready == 0


@cocotb.test
async def seconds_count_a_thousand_million_nanoseconds(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    for seconds in (1, 34_200, 86_399, 131_071):
        await bench.frame([(Event(seconds, 0),), (Event(seconds, SECOND - 1, True),)], True, after=6)
        await bench.idle(8)
        assert await bench.times_of_trades(1) == [seconds * SECOND + SECOND - 1]
    assert bench.frames == 4


@cocotb.test
async def a_frame_judged_before_its_last_time_is_known_has_it_a_few_cycles_later(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    for late, ready in ((0, False), (1, False), (2, False), (3, True), (4, True)):
        before = bench.not_ready
        # In the beat of the verdict, or so many cycles before it; the book's verdict a cycle later.
        await bench.frame([(Event(0, 10 + late),)], True, late=late)
        await bench.idle(8)
        assert (bench.not_ready == before) == ready, late
    assert bench.frames == 5


@cocotb.test
async def random_frames_have_the_models_times(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    rng, time = bench.rng, 0
    for _ in range(cases(1_000, 20_000)):
        begins = rng.random() < 0.05
        beats = []
        for _ in range(rng.randrange(5)):
            time = max(0, time + rng.randrange(-SECOND // 2, SECOND))
            event = Event(time // SECOND % 86_400, time % SECOND, rng.random() < 0.4)
            beats.append((event, Event(event.seconds + 1, 0)) if rng.random() < 0.2 else (event,))
        count = sum(beat[0].is_trade for beat in beats)
        # The book may be some frames late.
        await bench.frame(beats, rng.random() < 0.8, begins, rng.choice([1, 2, 6, 40]), rng.randrange(4))
        await bench.idle(rng.randrange(SOONEST, 9))
        assert await bench.times_of_trades(count) == bench.trade_times[len(bench.trade_times) - count :]
    await bench.idle(100)
    assert not bench.expected
    assert bench.frames >= 1_000
    assert bench.not_ready > 30


def test_strategy_clock() -> None:
    simulate("strategy_clock_tb", "test_strategy_clock")
