"""market_stage: trades of good frames leave once, in order, after the verdict; what is lost is counted; those of the session go first."""

import random
from collections import deque

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly
from harness import simulate

ADD, TRADE, STATUS = 0, 6, 8
TRADES = 8  # of market_stage_tb
HIGHEST = (1 << 48) - 1  # of a trade's price
SPACING = 2  # cycles
SYMBOLS = ["AAPL", "A", "MSFT", "ABCDEFGH"]


def number(symbol: str) -> int:
    return int.from_bytes(symbol.ljust(8).encode(), "big")


def clamped(price: int) -> int:
    """The 64 bits as a last price: what does not fit 49 bits is the end of the range."""
    signed = price - (1 << 64) if price >> 63 & 1 else price
    return max(-HIGHEST - 1, min(HIGHEST, signed))


class Bench:
    def __init__(self, dut, seed: int = 1) -> None:
        self.dut = dut
        self.rng = random.Random(seed)
        self.cycle = 0
        self.frame: list[tuple[int, int]] = []  # of the open frame
        self.due: deque[tuple[int, int]] = deque()
        self.out: list[int] = []  # cycles
        self.overflows = 0
        self.ready = 1.0

    async def start(self, instruments: list[str]) -> None:
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
        inputs = (
            "event_valid",
            "verdict_valid",
            "instrument_write",
            "trade_ready",
            "new_session",
            "event_has_locate",
            "event_without_key",
            "event_locate",
        )
        book = ("event_sell", "event_non_printable", "book_valid", "book_verdict_valid", "book_settled")
        for name in (*inputs, *book, "session_valid", "session_instrument", "session_price", "session_nothing"):
            getattr(dut, name).value = 0
        dut.event_has_symbol.value = 1
        dut.rst.value = 1
        for _ in range(3):
            await FallingEdge(dut.clk)
        dut.rst.value = 0
        for index, symbol in enumerate(instruments):
            await self.name(index, symbol)

    async def name(self, index: int, symbol: str, used: bool = True) -> None:
        self.dut.instrument_index.value, self.dut.instrument_used.value = index, used
        self.dut.instrument_symbol.value = number(symbol)
        self.dut.instrument_write.value = 1
        await FallingEdge(self.dut.clk)
        self.dut.instrument_write.value = 0
        for _ in range(3):  # until it is written
            await FallingEdge(self.dut.clk)

    async def step(self, event: tuple[int, str, int] | None = None, verdict: bool | None = None) -> None:
        dut = self.dut
        dut.event_valid.value = event is not None
        if event:
            dut.event_kind.value = event[0]
            dut.event_symbol.value, dut.event_price.value = number(event[1]), event[2] % (1 << 64)
        dut.verdict_valid.value = verdict is not None
        dut.verdict_good.value = bool(verdict)
        dut.trade_ready.value = self.rng.random() < self.ready
        await ReadOnly()
        if dut.trade_valid.value and dut.trade_ready.value:
            assert (int(dut.trade_instrument.value), dut.trade_price.value.to_signed()) == self.due.popleft()
            self.out.append(self.cycle)
        self.overflows += int(dut.overflow.value)
        await FallingEdge(dut.clk)
        if event and event[0] == TRADE and event[1] in SYMBOLS:
            self.frame.append((SYMBOLS.index(event[1]), clamped(event[2])))
        if verdict is not None:
            if verdict:
                self.due += self.frame
            self.frame.clear()
        self.cycle += 1

    async def rest(self, cycles: int = 20 * SPACING) -> None:
        for _ in range(cycles):
            await self.step()


@cocotb.test()
async def trades_of_good_frames_come_out_once_and_in_order(dut):
    bench = Bench(dut)
    await bench.start(SYMBOLS)
    for turn in range(400):
        bench.ready = (1.0, 0.3, 0.8)[turn % 3]
        count = bench.rng.randrange(TRADES + 1)
        while len(bench.due) + count > TRADES:
            await bench.step()
        for at in range(count):
            kind = TRADE if bench.rng.random() < 0.7 else ADD
            symbol = bench.rng.choice([*SYMBOLS, "AAPLX", "B"])
            verdict = (bench.rng.random() < 0.7) if at == count - 1 and turn % 2 else None
            await bench.step((kind, symbol, bench.rng.getrandbits(64)), verdict)
        if count == 0 or not turn % 2:
            await bench.step(None, bench.rng.random() < 0.7)
    bench.ready = 1.0
    await bench.rest(2 * TRADES * SPACING)
    assert not bench.due
    assert bench.overflows == 0
    assert len(bench.out) > 300


@cocotb.test()
async def the_first_comes_a_cycle_after_the_verdict_and_the_next_two_cycles_apart(dut):
    bench = Bench(dut)
    await bench.start(SYMBOLS)
    for price in range(3):
        await bench.step((TRADE, "A", price))
    await bench.rest(30)
    assert not bench.out
    await bench.step((TRADE, "A", 3), True)
    now = bench.cycle  # the bench holds the verdict for a cycle
    await bench.rest()
    await bench.rest()
    assert bench.out == [now + 1 + SPACING * i for i in range(4)]
    await bench.step((TRADE, "A", 4), True)  # alone, and with its verdict
    await bench.rest()
    assert bench.out[4:] == [bench.cycle - 20 * SPACING + 1]


@cocotb.test()
async def an_add_knows_its_instrument_at_once_though_its_symbol_comes_with_its_last_bytes(dut):
    bench = Bench(dut)
    await bench.start(SYMBOLS)
    dut.event_without_key.value = 1
    for turn in range(200):
        symbol = bench.rng.choice([*SYMBOLS, "AAPLX"])
        dut.event_valid.value, dut.event_kind.value, dut.event_symbol.value = 1, ADD, number(symbol)
        await FallingEdge(dut.clk)
        dut.event_valid.value, dut.event_symbol.value = 0, number(bench.rng.choice(SYMBOLS))
        await ReadOnly()
        assert int(dut.known_valid.value)
        expected = (1, SYMBOLS.index(symbol)) if symbol in SYMBOLS else (0, 0)
        assert (int(dut.known.value), int(dut.known_instrument.value)) == expected
        for _ in range(1 + turn % 2):
            await FallingEdge(dut.clk)


@cocotb.test()
async def a_trade_without_room_is_counted_and_those_before_it_are_complete(dut):
    bench = Bench(dut)
    await bench.start(SYMBOLS)
    bench.ready = 0.0
    for price in range(TRADES + 3):
        await bench.step((TRADE, "MSFT", price))
    del bench.frame[TRADES:]
    await bench.step(None, True)
    bench.ready = 1.0
    await bench.rest(2 * TRADES * SPACING)
    assert bench.overflows == 3
    assert len(bench.out) == TRADES


@cocotb.test()
async def an_instrument_that_is_not_used_any_more_is_passed_over(dut):
    bench = Bench(dut)
    await bench.start(SYMBOLS)
    await bench.name(1, "A", used=False)
    await bench.name(200, "A")  # there are not so many: changes nothing
    await bench.step((TRADE, "A", 5))
    bench.frame.clear()
    await bench.step((TRADE, "AAPL", 6), True)
    await bench.rest()
    assert len(bench.out) == 1


@cocotb.test()
async def trades_of_the_session_go_before_those_of_the_feed_which_wait(dut):
    bench = Bench(dut)
    await bench.start(SYMBOLS)
    bench.ready = 0.0
    await bench.step((TRADE, "A", 7), True)
    await bench.rest(4)
    dut.session_valid.value, dut.session_instrument.value, dut.session_price.value = 1, 3, 9
    bench.due.appendleft((3, 9))
    await bench.step()
    assert not dut.session_ready.value
    bench.ready = 1.0
    await bench.step()
    dut.session_valid.value = 0
    await bench.rest(4)
    assert len(bench.out) == 2
    assert not bench.due


@cocotb.test()
async def what_trades_nothing_is_no_trade_and_holds_nothing_up(dut):
    bench = Bench(dut)
    await bench.start(SYMBOLS)
    bench.ready = 0.0
    dut.session_valid.value, dut.session_nothing.value = 1, 1
    await bench.step((STATUS, "A", 0), True)
    assert dut.session_ready.value, "taken, though nobody takes trades"
    dut.session_valid.value = 0
    bench.ready = 1.0
    await bench.rest(8)
    assert not bench.out


@cocotb.test()
async def a_price_of_the_session_beyond_the_range_is_its_end(dut):
    bench = Bench(dut)
    await bench.start(SYMBOLS)
    bench.ready = 1.0
    for price in (HIGHEST, HIGHEST + 1, 1 << 62, -HIGHEST - 1, -HIGHEST - 2, -(1 << 63)):
        dut.session_valid.value, dut.session_instrument.value, dut.session_price.value = 1, 0, price
        bench.due.append((0, max(-HIGHEST - 1, min(HIGHEST, price))))
        await bench.step()
    dut.session_valid.value = 0
    assert len(bench.out) == 6


def test_market_stage() -> None:
    simulate("market_stage_tb", "test_market_stage")
