"""instrument_stage where a beat is a byte: symbols that come character by character, and a table that is written meanwhile."""

from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from harness import simulate

TABLE = {0: b"AAPL    ", 1: b"A       ", 7: b"ABCDEFGH", 15: b"ABCDEFGI"}


class Bench:
    def __init__(self, dut: Any) -> None:
        self.dut = dut

    async def start(self) -> None:
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
        for name in ("instrument_write", "coming", "has_symbol", "late", "event_valid"):
            getattr(dut, name).value = 0
        dut.rst.value = 1
        for _ in range(3):
            await FallingEdge(dut.clk)
        dut.rst.value = 0
        for index, symbol in TABLE.items():
            await self.write(index, symbol)

    def begin_write(self, index: int, symbol: bytes, used: bool = True) -> None:
        dut = self.dut
        dut.instrument_index.value, dut.instrument_used.value = index, used
        dut.instrument_symbol.value = int.from_bytes(symbol, "big")
        dut.instrument_write.value = 1

    async def write(self, index: int, symbol: bytes, used: bool = True) -> None:
        self.begin_write(index, symbol, used)
        await FallingEdge(self.dut.clk)
        self.dut.instrument_write.value = 0
        while self.dut.instrument_busy.value:
            await FallingEdge(self.dut.clk)

    async def event(self, symbol: bytes, late: bool = False, gap: int = 0) -> int | None:
        """The instrument of an event that has this symbol; `gap`: cycles before each character."""
        dut = self.dut
        for place, character in enumerate(symbol):
            for _ in range(gap):
                dut.coming.value, dut.place.value, dut.character.value = 0, 5, ord("A")
                await FallingEdge(dut.clk)
            dut.coming.value, dut.place.value, dut.character.value = 1, place, character
            await FallingEdge(dut.clk)
            dut.instrument_write.value = 0
        dut.coming.value = 0
        dut.has_symbol.value = not late
        if not late:
            await FallingEdge(dut.clk)
        dut.has_symbol.value = 0
        dut.event_valid.value, dut.late.value = 1, late
        at_once = int(dut.known_instrument.value) if dut.known.value else None
        await FallingEdge(dut.clk)
        dut.event_valid.value = dut.late.value = 0
        found = int(dut.found_instrument.value) if dut.found_known.value else None
        assert at_once is None if late else at_once == found
        return found


def number_of(symbol: bytes) -> int | None:
    return next((index for index, each in TABLE.items() if each == symbol), None)


@cocotb.test()
async def a_symbol_is_ours_if_all_its_characters_are(dut: Any) -> None:
    b = Bench(dut)
    await b.start()
    for symbol in TABLE.values():
        for late in (False, True):
            for gap in (0, 1):
                assert await b.event(symbol, late, gap) == number_of(symbol)
        for place in range(8):
            other = symbol[:place] + bytes([symbol[place] ^ 1]) + symbol[place + 1 :]
            assert await b.event(other) == number_of(other)
            assert await b.event(symbol) == number_of(symbol), "one that was not ours leaves nothing"


@cocotb.test()
async def what_is_no_longer_used_matches_nothing(dut: Any) -> None:
    b = Bench(dut)
    await b.start()
    await b.write(7, b"ABCDEFGH", used=False)
    assert await b.event(b"ABCDEFGH") is None
    assert await b.event(b"ABCDEFGI") == 15
    await b.write(7, b"GOOG    ")
    assert await b.event(b"GOOG    ") == 7


@cocotb.test()
async def a_symbol_that_comes_while_it_is_written_is_never_half_old_half_new(dut: Any) -> None:
    """In every cycle around: the old symbol, the new one, and what is made of the halves of both."""
    b = Bench(dut)
    old, new = b"ABCDEFGH", b"IJKLMNOP"
    await b.start()
    seen = set()
    for symbol in (old, new, *(old[:n] + new[n:] for n in range(1, 8)), *(new[:n] + old[n:] for n in range(1, 8))):
        for before in range(16):
            await b.write(7, old)
            b.begin_write(7, new)
            for _ in range(before):
                await FallingEdge(dut.clk)
                dut.instrument_write.value = 0
            got = await b.event(symbol)
            assert got is None or symbol in (old, new), (symbol, before)
            seen.add((symbol, got))
            while dut.instrument_busy.value:
                await FallingEdge(dut.clk)
            assert await b.event(new) == 7
            assert await b.event(old) is None
    assert (new, 7) in seen


def test_instrument_characters() -> None:
    simulate("instrument_characters_tb", "test_instrument_characters", {})
