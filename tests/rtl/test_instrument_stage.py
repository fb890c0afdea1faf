"""instrument_stage: which instrument an event belongs to, by symbol and by the stock locate that was learned."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly
from harness import simulate
from test_market_stage import SYMBOLS, TRADE, number

ADD, STATUS = 0, 8


class Bench:
    def __init__(self, dut):
        self.dut = dut

    async def start(self):
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
        for name in (
            "event_valid",
            "event_kind",
            "event_price",
            "verdict_valid",
            "verdict_good",
            "instrument_write",
            "trade_ready",
            "new_session",
            "event_without_key",
            "session_valid",
            "session_instrument",
            "session_price",
        ):
            getattr(dut, name).value = 0
        dut.rst.value = 1
        for _ in range(3):
            await FallingEdge(dut.clk)
        dut.rst.value = 0
        for index, symbol in enumerate(SYMBOLS):
            await self.name(index, symbol)

    async def name(self, index: int, symbol: str, used: bool = True):
        dut = self.dut
        dut.instrument_index.value, dut.instrument_used.value, dut.instrument_symbol.value = index, used, number(symbol)
        dut.instrument_write.value = 1
        await FallingEdge(dut.clk)
        dut.instrument_write.value = 0
        for _ in range(3):  # until it is written
            await FallingEdge(dut.clk)

    async def event(self, symbol: str | None = None, locate: int | None = None) -> int | None:
        """The instrument of an event with this key; the next one may follow at once."""
        dut = self.dut
        dut.event_valid.value = 1
        dut.event_kind.value = STATUS if symbol is None else TRADE
        dut.event_has_symbol.value, dut.event_symbol.value = symbol is not None, number(symbol or "AAPL")
        dut.event_has_locate.value, dut.event_locate.value = locate is not None, locate or 0
        await FallingEdge(dut.clk)
        dut.event_valid.value = dut.event_has_symbol.value = dut.event_has_locate.value = 0
        await ReadOnly()
        assert dut.known_valid.value
        return int(dut.known_instrument.value) if dut.known.value else None


@cocotb.test()
async def a_symbol_says_which_and_its_locate_is_learned_from_it(dut):
    b = Bench(dut)
    await b.start()
    assert await b.event("MSFT") == 2
    await FallingEdge(dut.clk)
    assert await b.event("MSF") is None
    await FallingEdge(dut.clk)
    assert await b.event(locate=7) is None, "nobody has said whose it is"
    await FallingEdge(dut.clk)
    assert await b.event("MSFT", 7) == 2
    await FallingEdge(dut.clk)
    assert await b.event(locate=7) == 2
    await FallingEdge(dut.clk)
    assert await b.event(locate=8) is None
    await FallingEdge(dut.clk)
    assert await b.event("MSFX", 8) is None
    await FallingEdge(dut.clk)
    assert await b.event(locate=8) is None
    await FallingEdge(dut.clk)
    assert await b.event() is None, "without a key"


@cocotb.test()
async def the_event_after_the_one_it_is_learned_from_knows_it(dut):
    b = Bench(dut)
    await b.start()
    dut.event_valid.value = 1
    learned = 0
    for symbol, locate in (("A", 300), (None, 300), ("A", 301), (None, 300), (None, 301)):
        dut.event_has_symbol.value, dut.event_symbol.value = symbol is not None, number(symbol or "MSFT")
        dut.event_has_locate.value, dut.event_locate.value = 1, locate
        await FallingEdge(dut.clk)
        got = int(dut.known_instrument.value) if dut.known.value else None
        assert got == (None if (symbol, locate) == (None, 300) and learned == 301 else 1)
        learned = locate if symbol else learned


@cocotb.test()
async def a_locate_that_the_feed_gives_to_another_instrument_is_that_one_s(dut):
    b = Bench(dut)
    await b.start()
    for symbol, locate, expected in (("MSFT", 7, 2), ("A", 7, 1), (None, 7, 1), ("MSFT", 8, 2), (None, 8, 2), (None, 7, 1)):
        assert await b.event(symbol, locate) == expected
        await FallingEdge(dut.clk)


@cocotb.test()
async def a_new_session_and_a_new_symbol_forget_the_locate(dut):
    b = Bench(dut)
    await b.start()
    for symbol, locate in (("AAPL", 1), ("A", 2)):
        await b.event(symbol, locate)
        await FallingEdge(dut.clk)
    await b.name(0, "GOOG")
    assert await b.event(locate=1) is None
    await FallingEdge(dut.clk)
    assert await b.event(locate=2) == 1
    await FallingEdge(dut.clk)
    await b.name(1, "A", used=False)
    assert await b.event(locate=2) is None
    await FallingEdge(dut.clk)
    assert await b.event("A") is None
    await FallingEdge(dut.clk)
    await b.event("GOOG", 9)
    await FallingEdge(dut.clk)
    assert await b.event(locate=9) == 0
    await FallingEdge(dut.clk)
    dut.new_session.value = 1
    await FallingEdge(dut.clk)
    dut.new_session.value = 0
    assert await b.event(locate=9) is None


@cocotb.test()
async def what_a_bad_frame_teaches_is_forgotten_with_its_verdict(dut):
    b, rng = Bench(dut), random.Random(6)
    await b.start()
    kept: dict[int, int] = {}
    forgotten = 0
    for _ in range(400):
        learned = dict(kept)
        for _ in range(rng.randrange(4)):
            symbol, locate = rng.choice(SYMBOLS), rng.randrange(1, 6)
            index = SYMBOLS.index(symbol)
            learned = {other: its for other, its in learned.items() if its != locate} | {index: locate}
            with_last = rng.random() < 0.3
            good = rng.random() < 0.5
            dut.verdict_valid.value, dut.verdict_good.value = with_last, good
            assert await b.event(symbol, locate) == index
            await FallingEdge(dut.clk)
            dut.verdict_valid.value = 0
            await FallingEdge(dut.clk)
            if with_last:
                kept = learned if good else kept
                learned = dict(kept)
        good = rng.random() < 0.5
        dut.verdict_valid.value, dut.verdict_good.value = 1, good
        await FallingEdge(dut.clk)
        dut.verdict_valid.value = 0
        await FallingEdge(dut.clk)
        forgotten += not good and learned != kept
        kept = learned if good else kept
        locate = rng.randrange(1, 6)
        expected = next((index for index, its in kept.items() if its == locate), None)
        assert await b.event(locate=locate) == expected
        await FallingEdge(dut.clk)
    assert forgotten > 50


@cocotb.test()
async def an_event_without_a_key_has_its_instrument_a_cycle_later(dut):
    b, rng = Bench(dut), random.Random(5)
    await b.start()
    for _ in range(200):
        symbol = rng.choice([*SYMBOLS, "X", "MSF"])
        dut.event_valid.value, dut.event_without_key.value, dut.event_kind.value = 1, 1, ADD
        dut.event_has_symbol.value, dut.event_symbol.value = 1, number(symbol)
        await FallingEdge(dut.clk)
        dut.event_valid.value = dut.event_has_symbol.value = 0
        dut.event_symbol.value = number(rng.choice(SYMBOLS))
        await FallingEdge(dut.clk)
        found = int(dut.found_instrument.value) if dut.found_known.value else None
        assert found == (SYMBOLS.index(symbol) if symbol in SYMBOLS else None)


@cocotb.test()
async def random_events_equal_a_dictionary(dut):
    b, rng = Bench(dut), random.Random(3)
    await b.start()
    learned: dict[int, int] = {}  # of an instrument
    for _ in range(2000):
        symbol = rng.choice([None, None, *SYMBOLS, "X"])
        locate = rng.choice([None, 1, 2, 3, 4, 5, 0xFFFF])
        known = SYMBOLS.index(symbol) if symbol in SYMBOLS else None
        if symbol is None and locate is not None:
            known = next((index for index, its in learned.items() if its == locate), None)
        if known is not None and symbol and locate is not None:
            learned = {index: its for index, its in learned.items() if its != locate}  # the last one counts
            learned[known] = locate
        assert await b.event(symbol, locate) == known
        await FallingEdge(dut.clk)


def test_instrument_stage() -> None:
    simulate("market_stage_tb", "test_instrument_stage")
