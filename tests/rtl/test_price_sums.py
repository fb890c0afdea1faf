"""price_sums: the sums of the digits in the field as Python writes it."""

import itertools
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from harness import simulate

DIGITS = 10


def field(number: int, decimals: int) -> str:
    text = f"{number:0{DIGITS}d}"
    return f"{text[: DIGITS - decimals]}.{text[DIGITS - decimals :]}" if decimals else text


@cocotb.test()
async def the_sums_are_those_of_the_field(dut):
    rng = random.Random(1)
    cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
    for decimals, begin in itertools.product(range(DIGITS), (0, 1)):
        # At which offset of the message each digit stands, where the field begins at an even or an odd one.
        offsets = [begin + at for at, c in enumerate(field(0, decimals)) if c != "."]
        dut.odd_offset.value = sum(1 << DIGITS - 1 - i for i, at in enumerate(offsets) if at % 2)
        for number in [0, 10**DIGITS - 1, *(rng.randrange(10**DIGITS) for _ in range(100))]:
            dut.digits.value = int(str(number), 16)
            dut.none.value = 0
            await FallingEdge(dut.clk)
            all_digits, even, odd = (sum(int(sums.value) >> 6 * half & 63 for half in (0, 1)) for sums in (dut.all, dut.even, dut.odd))
            places = [(begin + at, int(c)) for at, c in enumerate(field(number, decimals)) if c != "."]
            assert all_digits == sum(digit for _, digit in places)
            assert even == sum(digit for at, digit in places if at % 2 == 0)
            assert odd == sum(digit for at, digit in places if at % 2)

        dut.none.value = 1
        await FallingEdge(dut.clk)
        assert int(dut.all.value) == int(dut.even.value) == int(dut.odd.value) == 0


def test_price_sums() -> None:
    simulate("price_sums", "test_price_sums")
