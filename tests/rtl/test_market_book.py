"""market_stage with an order book: executions are trades too, and all trades of the feed stay in their order, whichever way they come."""

import random
from collections import deque
from dataclasses import dataclass, field

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly
from harness import simulate

ADD, EXECUTE, TRADE = 0, 2, 6
DELAY = 8  # cycles from an event to its trade in the book
SPACING = 2  # cycles between trades

Trade = tuple[int, int, int]  # instrument, side, price


@dataclass
class Event:
    kind: int
    instrument: int
    side: int
    price: int
    printed: bool = True
    booked: bool = True  # an execution: the book has its order
    priced: bool = True  # and knows its price


@dataclass
class Given:
    """What the book gives in a cycle: a trade, or a verdict."""

    cycle: int
    trade: Trade | None
    priced: bool = True
    good: bool = False


@dataclass
class Frame:
    trades: list[Trade] = field(default_factory=list)
    in_book: bool = False


class Bench:
    def __init__(self, dut, seed: int) -> None:
        self.dut = dut
        self.rng = random.Random(seed)
        self.cycle = 0
        self.ready = 1.0
        self.slow = 0  # cycles that the book may take longer
        self.at_stage: tuple[Event | None, bool | None] = (None, None)  # given a cycle ago
        self.frame = Frame()
        self.book: deque[Given] = deque()
        self.idle = False  # of the book, in the cycle before
        self.due: deque[Trade] = deque()
        self.out: list[tuple[int, Trade]] = []
        self.overflows = 0
        self.by_book = 0  # trades of a message of their own that the book told

    async def start(self) -> None:
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
        zero = "event_valid verdict_valid new_session event_has_locate event_without_key event_locate session_valid session_instrument"
        for name in (*zero.split(), "session_price", "book_valid", "book_verdict_valid", "book_settled", "trade_ready"):
            getattr(dut, name).value = 0
        dut.event_has_symbol.value = 1
        dut.rst.value = 1
        for _ in range(3):
            await FallingEdge(dut.clk)
        dut.rst.value = 0
        for index in range(4):
            dut.instrument_index.value, dut.instrument_used.value, dut.instrument_symbol.value = index, 1, index + 1
            dut.instrument_write.value = 1
            await FallingEdge(dut.clk)
            dut.instrument_write.value = 0
            for _ in range(3):
                await FallingEdge(dut.clk)

    def _to_book(self, given: Given) -> None:
        """In order, and trades with their distance."""
        after = self.book[-1].cycle + (SPACING if given.trade else 0) if self.book else 0
        given.cycle = max(given.cycle + self.rng.randint(0, self.slow), after)
        self.book.append(given)

    def _arrive(self, event: Event | None, verdict: bool | None, direct: bool) -> None:
        """What the stage and the book see in this cycle."""
        if event:
            trade = (event.instrument, event.side, event.price)
            executed = event.kind == EXECUTE and event.printed and event.booked
            if (executed and event.priced) or event.kind == TRADE:
                self.frame.trades.append(trade)
            if executed or (event.kind == TRADE and not direct):
                self.by_book += event.kind == TRADE
                self._to_book(Given(self.cycle + DELAY, trade, event.priced))
                self.frame.in_book = True
        if verdict is not None:
            if verdict:
                self.due += self.frame.trades
            self._to_book(Given(self.cycle + 3, None, good=verdict))
            self.frame = Frame()

    async def step(self, event: Event | None = None, verdict: bool | None = None) -> None:
        dut = self.dut
        dut.event_valid.value = event is not None
        if event:
            dut.event_kind.value, dut.event_symbol.value = event.kind, event.instrument + 1
            dut.event_price.value, dut.event_sell.value = event.price, event.side
            dut.event_non_printable.value = not event.printed
        dut.verdict_valid.value, dut.verdict_good.value = verdict is not None, bool(verdict)
        dut.trade_ready.value = self.rng.random() < self.ready
        dut.book_settled.value = self.idle
        given = self.book.popleft() if self.book and self.book[0].cycle <= self.cycle else None
        # A verdict may come with the last trade of its frame.
        closes = given
        if given and given.trade and self.book and self.book[0].trade is None and self.book[0].cycle <= self.cycle:
            closes = self.book.popleft()
        dut.book_valid.value = bool(given and given.trade)
        if given and given.trade:
            dut.book_priced.value = given.priced
            dut.book_instrument.value, dut.book_sell.value, dut.book_price.value = given.trade
        dut.book_verdict_valid.value = bool(closes and closes.trade is None)
        dut.book_verdict_good.value = bool(closes and closes.good)
        self.idle = not self.book and not self.frame.in_book and given is None
        await ReadOnly()
        self._arrive(*self.at_stage, bool(dut.direct_trades.value))
        if dut.trade_valid.value and dut.trade_ready.value:
            found = (int(dut.trade_instrument.value), int(dut.trade_sell.value), int(dut.trade_price.value))
            assert found == self.due.popleft()
            self.out.append((self.cycle, found))
        self.overflows += int(dut.overflow.value)
        await FallingEdge(dut.clk)
        self.at_stage = (event, verdict)
        self.idle = self.idle and not self.book
        self.cycle += 1

    async def rest(self, cycles: int = 40) -> None:
        for _ in range(cycles):
            await self.step()


def trade(price: int) -> Event:
    return Event(TRADE, 1, 0, price)


def execution(price: int, **values: bool) -> Event:
    return Event(EXECUTE, 2, 1, price, **values)


@cocotb.test()
async def executions_and_trades_leave_in_the_order_of_their_events_and_those_of_bad_frames_do_not(dut):
    bench = Bench(dut, 1)
    await bench.start()
    for turn in range(1_500):
        bench.ready = (1.0, 0.4, 0.9)[turn % 3]
        bench.slow = (0, 0, 4, 12)[turn // 3 % 4]
        executions = (0.5, 0.05, 0.2)[turn // 50 % 3]
        while len(bench.due) > 2:
            await bench.step()
        count = bench.rng.randrange(5)
        for at in range(count):
            kind = EXECUTE if bench.rng.random() < executions else TRADE if bench.rng.random() < 0.5 else ADD
            event = Event(kind, bench.rng.randrange(4), bench.rng.getrandbits(1), bench.rng.getrandbits(32))
            event.printed, event.booked = bench.rng.random() < 0.8, bench.rng.random() < 0.8
            verdict = (bench.rng.random() < 0.8) if at == count - 1 and turn % 2 else None
            await bench.step(event, verdict)
            await bench.rest(1 + (bench.rng.randrange(10) if bench.rng.random() < 0.2 else 0))
        if count == 0 or not turn % 2:
            await bench.step(None, bench.rng.random() < 0.8)
            await bench.rest(1)
    bench.ready = 1.0
    await bench.rest(200)
    assert not bench.due
    assert bench.overflows == 0
    assert len(bench.out) > 800
    assert 100 < bench.by_book < len(bench.out)


@cocotb.test()
async def a_trade_with_no_execution_before_it_waits_for_the_verdict_alone(dut):
    bench = Bench(dut, 2)
    await bench.start()
    await bench.rest(5)
    await bench.step(trade(7), True)
    given = bench.cycle  # in this cycle the stage has it
    await bench.rest()
    assert bench.out == [(given + 1, (1, 0, 7))]
    await bench.step(execution(8), True)
    await bench.step(trade(9), True)
    await bench.rest()
    await bench.step(trade(10), True)
    given = bench.cycle
    await bench.rest()
    assert [price for _, (_, _, price) in bench.out] == [7, 8, 9, 10]
    assert bench.out[-1][0] == given + 1
    assert bench.by_book == 1


@cocotb.test()
async def an_execution_that_is_not_printed_is_no_trade_and_one_without_a_price_is_counted(dut):
    bench = Bench(dut, 3)
    await bench.start()
    await bench.step(execution(1, printed=False), True)
    await bench.rest()
    assert bench.overflows == 0
    await bench.step(execution(2, priced=False), True)
    await bench.rest()
    assert not bench.out
    assert bench.overflows == 1


@cocotb.test()
async def executions_without_room_are_counted_and_those_before_them_are_complete(dut):
    bench = Bench(dut, 4)
    await bench.start()
    bench.ready = 0.0
    for price in range(19):  # TRADES is 8
        await bench.step(execution(price))
        await bench.rest(1)
    del bench.frame.trades[16:]
    await bench.step(None, True)
    await bench.rest()
    assert bench.overflows == 3
    bench.ready = 1.0
    await bench.rest(60)
    assert len(bench.out) == 16


def test_market_book() -> None:
    simulate("market_stage_tb", "test_market_book", {"BOOK": 1})
