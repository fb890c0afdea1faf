"""price_sums: the sums of the digits in the field as Python writes it."""

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
    for decimals in range(DIGITS):
        dut.decimals.value = decimals
        await FallingEdge(dut.clk)
        for number in [0, 10**DIGITS - 1, *(rng.randrange(10**DIGITS) for _ in range(100))]:
            dut.digits.value = int(str(number), 16)
            await FallingEdge(dut.clk)
            places = [(at, int(c)) for at, c in enumerate(field(number, decimals)) if c != "."]
            halves = int(dut.halves.value)
            assert (halves >> 7, halves & 127) == (sum(d for _, d in places[:5]), sum(d for _, d in places[5:]))
            await FallingEdge(dut.clk)
            assert int(dut.even.value) == sum(digit for at, digit in places if at % 2 == 0)
            assert int(dut.odd.value) == sum(digit for at, digit in places if at % 2)


def test_price_sums() -> None:
    simulate("price_sums", "test_price_sums")
