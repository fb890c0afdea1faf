"""strategy_events: the trades of a good frame, then an event for each instrument that it changed, in the order of their first changes."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from random import Random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly
from harness import cases, simulate

DEPTH = 8
BOOK = 6  # cycles from an event to what the book makes of it
LATENCY = 1  # of the only instrument of a frame
LATENCY_OF_MEMORY = 3
LATENCY_OF_TRADES = 6
TRADES = 16
WORD = (1 << 64) - 1

Level = tuple[int, int, int]  # price, quantity, orders
NONE: Level = (0, 0, 0)


@dataclass(frozen=True)
class Trade:
    instrument: int
    sell: bool
    price: int
    quantity: int
    priced: bool = True
    now: int = 0  # of the event that comes


@dataclass(frozen=True)
class Change:
    instrument: int
    bid: Level | None
    ask: Level | None
    tradable: bool = True
    complete: bool = True
    trade: Trade | None = None  # of the same event
    time: int = 0  # 0: its event is not told, unless it is a trade


@dataclass(frozen=True)
class Event:
    instrument: int
    changed: bool
    tradable: bool
    bid: Level
    ask: Level
    now: int = 0


@dataclass(frozen=True)
class Timer:
    now: int


class Model:
    """pipeline::Programs: trades at once, strategy::events::Changes at the end of the frame; and what the frames before left."""

    def __init__(self) -> None:
        self.frame: dict[int, Change] = {}  # in the order of their first changes
        self.before: dict[int, tuple[Level, Level]] = {}
        self.told: list[Trade | Timer] = []
        self.committed = self.running = 0  # times
        self.takes_trades = True
        self.every = 0  # of the timer
        self.due: int | None = None
        self.due_before: int | None = None
        self.session = False  # the frame begins one

    def change(self, change: Change) -> None:
        self.frame[change.instrument] = change
        if change.time or change.trade:
            self.time(change.time)
        if self.takes_trades and change.trade and change.trade.priced:
            self.told.append(replace(change.trade, now=self.running))

    def time(self, time: int) -> None:
        if self.session:
            self.running, self.due, self.session = 0, None, False
        self.running = max(self.running, time)
        if self.every and self.due is None:
            self.due = self.running + self.every
        while self.due is not None and self.due <= self.running:
            self.told.append(Timer(self.due))
            self.due += self.every

    def verdict(self, good: bool) -> list[Event | Trade | Timer]:
        frame, self.frame = self.frame, {}
        told, self.told = self.told, []
        self.running = self.committed = self.running if good else self.committed
        self.due = self.due_before = self.due if good else self.due_before
        self.session = False
        events: list[Event | Trade | Timer] = [*told] if good else []
        for change in frame.values() if good else ():
            if change.complete:
                bid, ask = change.bid or NONE, change.ask or NONE
                before = self.before.get(change.instrument, (NONE, NONE))
                self.before[change.instrument] = (bid, ask)
                events.append(Event(change.instrument, before != (bid, ask), change.tradable, bid, ask, self.committed))
        return events


def packed(level: Level | None, noise: int) -> int:
    """A level's bits; of one that does not exist they say nothing."""
    price, quantity, orders = level or (noise, noise, noise)
    return price << 44 | quantity << 12 | orders & 0xFFF


class Bench:
    def __init__(self, dut) -> None:
        self.dut, self.model, self.rng = dut, Model(), Random(1)
        self.now = 0
        self.expected: deque[tuple[Event | Trade | Timer, int]] = deque()  # and the cycle of its verdict
        self.latencies: list[int] = []
        self.overflows = 0
        self.ready = True

    async def start(self) -> None:
        cocotb.start_soon(Clock(self.dut.clk, 2, "ns").start())
        self.dut.change_valid.value = self.dut.verdict_valid.value = self.dut.event_ready.value = 0
        self.dut.takes_trades.value = self.model.takes_trades
        self.dut.takes_timer.value, self.dut.every.value = self.model.every != 0, self.model.every
        self.dut.restart.value = 0
        self.dut.known.value = self.dut.trade.value = self.dut.event_comes.value = self.dut.begins_session.value = 0
        self.dut.rst.value = 1
        for _ in range(3):
            await FallingEdge(self.dut.clk)
        self.dut.rst.value = 0

    async def cycle(self, change: Change | None = None, verdict: bool | None = None, known: bool = False) -> None:
        dut = self.dut
        dut.change_valid.value = change is not None
        if change:
            noise = self.rng.randrange(1 << 31)
            dut.change_instrument.value = change.instrument
            dut.tradable.value, dut.complete.value = change.tradable, change.complete
            dut.bid_exists.value, dut.ask_exists.value = change.bid is not None, change.ask is not None
            dut.bid.value, dut.ask.value = packed(change.bid, noise), packed(change.ask, noise)
            self.model.change(change)
        trade = change.trade if change else None
        dut.trade.value = trade is not None
        if trade:
            dut.trade_priced.value, dut.trade_instrument.value, dut.trade_sell.value = trade.priced, trade.instrument, trade.sell
            dut.trade_price.value, dut.trade_quantity.value = trade.price, trade.quantity
        dut.known.value = known
        dut.event_comes.value = bool(change and (change.time or change.trade) and not known)
        dut.nanoseconds.value = change.time if change else 0
        dut.verdict_valid.value = verdict is not None
        dut.verdict_good.value = bool(verdict)
        if verdict is not None or known:
            self.expected.extend((event, self.now) for event in self.model.verdict(known or bool(verdict)))
        dut.event_ready.value = self.ready
        await ReadOnly()
        self.overflows += int(dut.overflow.value)
        if dut.event_valid.value and self.ready:
            assert self.expected, f"an event nobody expects: {self.event()}"
            event, since = self.expected.popleft()
            assert self.event() == event
            self.latencies.append(self.now - since - BOOK)
        await FallingEdge(dut.clk)
        self.now += 1

    def event(self) -> Event | Trade | Timer:
        bits = int(self.dut.event_inputs.value)
        words = [bits >> 64 * place & WORD for place in range(11)]
        if int(self.dut.event_handler.value) == 3:
            assert not any(words[1:])
            return Timer(words[0])
        if int(self.dut.event_handler.value) == 1:
            assert not any(words[7:])
            return Trade(words[2], bool(words[4]), words[5], words[6], now=words[0])
        assert int(self.dut.event_handler.value) == 0
        bid, ask = (words[5], words[6], words[7]), (words[8], words[9], words[10])
        return Event(words[2], bool(words[3]), bool(words[4]), bid, ask, words[0])

    def change(self, instruments: int) -> Change:
        rng = self.rng

        def level() -> Level | None:
            return (rng.randrange(1, 4), rng.choice([1, (1 << 32) - 1]), rng.randrange(1, 3)) if rng.random() < 0.9 else None

        instrument, trade = rng.randrange(instruments), None
        if rng.random() < 0.3:
            trade = Trade(instrument, rng.random() < 0.5, rng.randrange(1 << 32), rng.randrange(1 << 32))
        return Change(instrument, level(), level(), rng.random() < 0.8, rng.random() < 0.9, trade, self.now * 100 + rng.randrange(3_000))


@cocotb.test
async def the_only_instrument_of_a_frame_has_its_event_in_the_cycle_after_the_verdict(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    for verdict_with_change in (True, False):
        for price in (1, 2):
            change = Change(3, (price, 5, 1), None)
            await bench.cycle(change, True if verdict_with_change else None)
            if not verdict_with_change:
                await bench.cycle()
                await bench.cycle(None, True)
            for _ in range(6 + BOOK):
                await bench.cycle()
    assert bench.latencies == [LATENCY] * 4
    assert not bench.expected


@cocotb.test
async def several_instruments_of_a_frame_have_theirs_in_the_order_of_their_first_changes(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    for instrument in (7, 2, 15, 2, 7):
        await bench.cycle(Change(instrument, (instrument, 1, 1), (90, 1, 1)))
    await bench.cycle(None, True)
    for _ in range(8 + BOOK):
        await bench.cycle()
    assert bench.latencies == [LATENCY_OF_MEMORY, LATENCY_OF_MEMORY + 1, LATENCY_OF_MEMORY + 2]
    assert not bench.expected


@cocotb.test
async def nothing_of_a_bad_frame_is_seen_and_what_it_changed_counts_as_never_changed(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    await bench.cycle(Change(1, (5, 5, 1), None), True)
    await bench.cycle(Change(1, (6, 5, 1), None))
    # Taken back, then the verdict.
    await bench.cycle(Change(1, (5, 5, 1), None), False)
    await bench.cycle(Change(1, (5, 5, 1), None), True)
    for _ in range(5 + BOOK):
        await bench.cycle()
    assert len(bench.latencies) == 2
    assert not bench.expected


@cocotb.test
async def the_trades_of_a_frame_come_in_their_order_before_its_changes(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    trades = [Trade(instrument, sell, 10 + instrument, 100) for instrument, sell in ((7, True), (2, False), (7, False))]
    for verdict_with_change in (True, False):
        for trade in trades:
            last = verdict_with_change and trade is trades[-1]
            await bench.cycle(Change(trade.instrument, (trade.price, 1, 1), (90, 1, 1), trade=trade), True if last else None)
        if not verdict_with_change:
            await bench.cycle(None, True)
        for _ in range(14 + BOOK):
            await bench.cycle()
        assert not bench.expected
        assert bench.latencies == [LATENCY_OF_TRADES + late for late in (0, 2, 4, 5, 6)]
        bench.latencies.clear()
    assert bench.overflows == 0


@cocotb.test
async def trades_of_a_bad_frame_and_those_that_the_strategy_does_not_take_are_not_given(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    change = Change(1, (5, 5, 1), None, trade=Trade(1, False, 5, 5))
    await bench.cycle(change)
    await bench.cycle(Change(1, None, None), False)
    for _ in range(10 + BOOK):
        await bench.cycle()
    assert not bench.latencies
    bench.model.takes_trades = False
    await bench.start()
    # Then they cost the change nothing.
    bench.model.before.clear()
    await bench.cycle(change, True)
    for _ in range(10 + BOOK):
        await bench.cycle()
    assert bench.latencies == [LATENCY]
    assert not bench.expected
    assert bench.overflows == 0


@cocotb.test
async def trades_wait_for_the_strategy_and_stay_between_the_changes_of_their_frames(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    bench.ready = False
    for price in range(1, 4):
        await bench.cycle(Change(1, (price, 1, 1), None, trade=Trade(1, False, price, price)), True)
        for _ in range(12 + BOOK):
            await bench.cycle()
    bench.ready = True
    for _ in range(20 + BOOK):
        await bench.cycle()
    assert len(bench.latencies) == 6
    assert not bench.expected


@cocotb.test
async def a_trade_that_finds_no_room_or_has_no_price_is_lost_and_told_and_those_after_it_come(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    bench.ready = False
    for number in range(TRADES + 3):
        trade = Trade(1, False, number + 1, 1, number != 2)
        await bench.cycle(Change(1, (5, 1, 1), None, trade=trade), True if number == TRADES + 2 else None)
    # One has no price; two of the others find no room.
    change = bench.expected.pop()
    for _ in range(2):
        bench.expected.pop()
    bench.expected.append(change)
    for _ in range(12 + BOOK):
        await bench.cycle()
    assert bench.overflows == 3
    bench.ready = True
    for _ in range(3 * TRADES):
        await bench.cycle()
    await bench.cycle(Change(2, (5, 1, 1), None, trade=Trade(2, True, 9, 9)), True)
    for _ in range(12 + BOOK):
        await bench.cycle()
    assert len(bench.latencies) == TRADES + 1 + 2
    assert not bench.expected


@cocotb.test
async def the_timer_is_due_an_interval_after_the_first_message_and_before_what_comes_later(dut) -> None:
    bench = Bench(dut)
    bench.model.every = 100
    await bench.start()
    # 1,000: its first message. 1,350: three times; the third of them after a trade within the frame.
    await bench.cycle(Change(1, (5, 1, 1), None, time=1_000), True)
    for _ in range(10 + BOOK):
        await bench.cycle()
    await bench.cycle(Change(1, (6, 1, 1), None, time=1_250, trade=Trade(1, False, 6, 1)))
    await bench.cycle(Change(1, (7, 1, 1), None, time=1_350, trade=Trade(1, False, 7, 1)), True)
    timers = [event.now for event, _ in bench.expected if isinstance(event, Timer)]
    assert timers == [1_100, 1_200, 1_300]
    for _ in range(60 + BOOK):
        await bench.cycle()
    assert not bench.expected
    # A frame without a change that the strategy is given: the timer does not wait for another. And a bad one, which does not count.
    await bench.cycle(Change(1, (7, 1, 1), None, time=1_800), False)
    for _ in range(20):
        await bench.cycle()
    await bench.cycle(Change(1, (7, 1, 1), None, complete=False, time=1_400), True)
    assert [event.now for event, _ in bench.expected] == [1_400]
    for _ in range(20):
        await bench.cycle()
    assert not bench.expected


@cocotb.test
async def random_frames_with_a_timer_and_sessions_give_the_models_events(dut) -> None:
    bench = Bench(dut)
    bench.model.every = 2_500
    await bench.start()
    for _ in range(cases(400, 20_000)):
        session = bench.rng.random() < 0.05
        bench.model.session = session
        dut.begins_session.value = session
        for _ in range(bench.rng.randrange(4)):
            await bench.cycle(bench.change(4))
        await bench.cycle(bench.change(4), bench.rng.random() < 0.8)
        dut.begins_session.value = 0
        # An event takes four cycles.
        for _ in range(60):
            bench.ready = bench.rng.random() < 0.8
            await bench.cycle()
    bench.ready = True
    for _ in range(100):
        await bench.cycle()
    assert len(bench.latencies) > 1_000
    assert not bench.expected
    assert bench.overflows == 0


@cocotb.test
async def random_frames_give_the_models_events(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    given = 0
    for _ in range(cases(400, 20_000)):
        # Between two frames, levels may be known again.
        if bench.rng.random() < 0.2:
            known = bench.change(4)
            await bench.cycle(Change(known.instrument, known.bid, known.ask, known.tradable), known=True)
        instruments = bench.rng.choice([1, 2, 16])
        bench.ready = bench.rng.random() < 0.7
        for _ in range(bench.rng.randrange(1, 6)):
            await bench.cycle(bench.change(instruments))
            if bench.rng.random() < 0.5:
                await bench.cycle()
        last = bench.change(instruments) if bench.rng.random() < 0.5 else None
        await bench.cycle(last, bench.rng.random() < 0.8)
        # The next frame is some cycles away, as its headers are.
        for _ in range(16):
            bench.ready = bench.rng.random() < 0.8
            await bench.cycle()
        given = len(bench.latencies)
    bench.ready = True
    for _ in range(40 + BOOK):
        await bench.cycle()
    assert given > 300
    assert not bench.expected
    assert bench.overflows == 0


@cocotb.test
async def an_event_that_finds_no_room_is_told(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    bench.ready = False
    for price in range(1, DEPTH + 3):  # one in front, DEPTH after it, and one too many
        await bench.cycle(Change(1, (price, 1, 1), None), True)
        for _ in range(4 + BOOK):
            await bench.cycle()
    assert bench.overflows == 1
    bench.ready = True
    bench.expected.pop()
    for _ in range(DEPTH + 3):
        await bench.cycle()
    assert len(bench.latencies) == DEPTH + 1
    assert not bench.expected


@cocotb.test
async def a_frame_that_cannot_be_gathered_all_gives_no_event_and_is_told(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    bench.ready = True
    for instrument in range(6):
        await bench.cycle(Change(instrument, (5, 1, 1), None), True if instrument == 5 else None)
    # The first six are still given out: the next frame takes the other place, and a third has none for its first changes.
    for instrument in (6, 7):
        await bench.cycle(Change(instrument, (6, 1, 1), None), True if instrument == 7 else None)
    expected = len(bench.expected)
    before = dict(bench.model.before)
    for instrument in (8, 9, 10, 11, 12, 13, 14):
        await bench.cycle(Change(instrument, (7, 1, 1), None), True if instrument == 14 else None)
    while len(bench.expected) > expected - len(bench.latencies):
        bench.expected.pop()
    bench.model.before = before
    for _ in range(20 + BOOK):
        await bench.cycle()
    assert bench.overflows > 0
    assert not bench.expected
    # The next frame is as any other.
    await bench.cycle(Change(8, (7, 1, 1), None), True)
    for _ in range(6 + BOOK):
        await bench.cycle()
    assert not bench.expected
    assert bench.latencies[-1] == LATENCY


def test_strategy_events() -> None:
    simulate("strategy_events_tb", "test_strategy_events", parameters={"DEPTH": DEPTH, "TRADES": TRADES, "BOOK": BOOK})
