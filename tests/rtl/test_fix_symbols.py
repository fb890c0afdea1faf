"""fix_symbols against a table of texts: a value is an instrument's symbol if the field ends with "=" and that symbol."""

import os
import random
from typing import Any

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from harness import cases, simulate
from pins import Pins

INSTRUMENTS = int(os.environ.get("INSTRUMENTS", "16"))
LONGEST = 8
WRITE_CYCLES = 67
LATENCY = 1
LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./-_abcxyz"


class Bench:
    def __init__(self, dut: Any) -> None:
        self.dut = Pins(dut)
        self.rng = random.Random(5)
        self.table: dict[int, bytes] = {}  # what matches
        self.fields = [b"", b""]  # in the cycle before, by half
        self.matches = 0

    async def start(self) -> None:
        cocotb.start_soon(Clock(self.dut.clk, 2, "ns").start())
        self.dut.put(write=0)
        await self.reset()

    async def reset(self) -> None:
        self.dut.put(rst=1, write=0)
        await RisingEdge(self.dut.clk)
        await RisingEdge(self.dut.clk)
        self.dut.put(rst=0)
        self.table = {}
        self.fields = [b"", b""]
        await self.step(b"", b"")

    async def step(self, *fields: bytes) -> None:
        """A cycle with these fields' last characters in the halves; what was in the one before is compared."""
        padded = [self.rng.randbytes(9) + field for field in fields]
        texts = [text[-9:] for text in padded]
        chars = sum(int.from_bytes(text[1:], "big") << (64 * half) for half, text in enumerate(texts))
        self.dut.put(chars=chars, equals=sum((text[0:1] == b"=") << half for half, text in enumerate(texts)))
        before, self.fields = self.fields, texts
        await RisingEdge(self.dut.clk)
        for half, text in enumerate(before):
            got = int((self.dut.match_0, self.dut.match_1)[half].value)
            want = sum((text.endswith(b"=" + symbol)) << index for index, symbol in self.table.items())
            assert got == want, f"{text!r} in half {half}: {got:#b}, expected {want:#b}"
            self.matches += want.bit_count()

    async def write(self, index: int, symbol: bytes, used: bool = True, length: int | None = None) -> None:
        """Writes an instrument; meanwhile the others match as before, and it does not."""
        dut = self.dut
        others = [*self.table.values(), symbol]
        dut.put(write=1, index=index, used=used, symbol=int.from_bytes(symbol, "big"), symbol_length=length or len(symbol))
        await self.step(*self.some(others))
        assert dut.busy.value
        dut.put(write=0)
        await self.step(*self.some(others))  # a value in the cycle of the write is compared with what was
        assert dut.busy.value
        self.table.pop(index, None)
        cycles = 2
        while True:
            await self.step(*self.some(others))
            if not dut.busy.value:
                break
            cycles += 1
        assert cycles == WRITE_CYCLES
        if used and (length or len(symbol)) <= LONGEST:
            self.table[index] = symbol

    def some(self, symbols: list[bytes]) -> tuple[bytes, bytes]:
        first, second = (b"55=" + self.rng.choice(symbols) for _ in range(2))
        return first, second


async def bench(dut: Any) -> Bench:
    made = Bench(dut)
    await made.start()
    return made


def some_symbol(rng: random.Random) -> bytes:
    return bytes(rng.choices(LETTERS, k=rng.randint(1, LONGEST)))


@cocotb.test()
async def symbols_of_every_length_match_in_both_halves_and_their_ends_do_not(dut: Any) -> None:
    b = await bench(dut)
    complete = b"ABCDEFGH"
    ends = [complete[-length:] for length in range(1, LONGEST + 1)][-INSTRUMENTS:]
    for index, symbol in enumerate(ends):
        await b.write(index, symbol)
    for text in [*ends, *(complete[:length] for length in range(1, LONGEST)), b"XABCDEFGH", b"=ABCDEFG"]:
        for tag in (b"55=", b"48=", b"55", b"=", b"5=A="):
            await b.step(tag + text, b"")
            await b.step(b"", tag + text)
    await b.step(b"", b"")
    assert b.matches >= 2 * 4 * len(ends)


@cocotb.test()
async def every_bit_of_every_character_counts(dut: Any) -> None:
    b = await bench(dut)
    for index, symbol in ((INSTRUMENTS - 1, b"ESZ4/USD"), (0, b"Q7")):
        await b.write(index, symbol)
        await b.step(b"", b"")
        count = b.matches
        for place in range(len(symbol)):
            for bit in range(8):
                other = bytearray(symbol)
                other[place] ^= 1 << bit
                await b.step(b"55=" + bytes(other), b"55=" + bytes(other))
        await b.step(b"", b"")
        assert b.matches == count
        await b.step(b"55=" + symbol, b"48=" + symbol)
        await b.step(b"", b"")
        assert b.matches == count + 2


@cocotb.test()
async def what_is_not_used_or_too_long_never_matches(dut: Any) -> None:
    b = await bench(dut)
    await b.write(1, b"MSFT")
    await b.write(1, b"MSFT", used=False)
    await b.write(2, b"ABCDEFGH", length=9)
    await b.write(3, b"ABCDEFGH", length=15)
    for text in (b"MSFT", b"ABCDEFGH", b"X=ABCDEFGH", b""):
        await b.step(b"55=" + text, b"55=" + text)
    await b.step(b"", b"")
    await b.write(1, b"MSFT")
    await b.step(b"55=MSFT", b"")
    await b.step(b"", b"")
    assert 1 in b.table


@cocotb.test()
async def a_reset_empties_the_table(dut: Any) -> None:
    b = await bench(dut)
    await b.write(0, b"A")
    await b.step(b"55=A", b"55=A")
    await b.step(b"", b"")
    count = b.matches
    assert count
    await b.reset()
    await b.step(b"55=A", b"55=A")
    await b.step(b"", b"")
    # And ends a write that goes on.
    b.dut.put(write=1, index=0, used=1, symbol=ord("A"), symbol_length=1)
    await b.step(b"", b"")
    await b.reset()
    assert not b.dut.busy.value
    for _ in range(WRITE_CYCLES + 2):
        await b.step(b"55=A", b"55=A")
    assert b.matches == count


@cocotb.test()
async def random_tables_match_random_values_while_they_are_written(dut: Any) -> None:
    b = await bench(dut)
    rng = b.rng
    for _ in range(cases(40, 400)):
        symbol = rng.choice([some_symbol(rng), *b.table.values()])  # two instruments may have the same one
        await b.write(rng.randrange(INSTRUMENTS), symbol, rng.random() < 0.9)
        for _ in range(20):
            value = bytearray(rng.choice([some_symbol(rng), *b.table.values()]))
            if rng.random() < 0.3:
                value[rng.randrange(len(value))] = rng.choice(LETTERS)
            await b.step(b"55=" + bytes(value), b.some([*b.table.values(), b"NONE"])[0])
    assert b.matches > 1000


@pytest.mark.parametrize("instruments", [4, 16])
def test_fix_symbols(instruments: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSTRUMENTS", str(instruments))
    simulate("fix_symbols_tb", "test_fix_symbols", {"INSTRUMENTS": instruments})
