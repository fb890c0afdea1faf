"""decimal_digits: the digits that Python writes, for every kind of number, one a cycle."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from harness import cases, simulate

LATENCY = 4
BITS = 34


def numbers() -> list[int]:
    rng = random.Random(1)
    edges = [0, 1, 9, 10, 10**10 - 1, 10**10, 2**BITS - 1]
    for power in range(11):
        edges += [10**power - 1, 10**power, 5 * 10**power]
    for bit in range(BITS):
        edges += [1 << bit, (1 << bit) - 1]
    wide = [rng.getrandbits(rng.randint(1, BITS)) for _ in range(cases(3_000, 300_000))]
    return [number for number in edges + wide if number < 1 << BITS]


@cocotb.test()
async def a_number_a_cycle_has_its_digits_four_cycles_later(dut):
    cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
    dut.hold.value = 0
    await FallingEdge(dut.clk)
    values = numbers()
    for cycle in range(len(values) + LATENCY):
        if cycle < len(values):
            dut.value.value = values[cycle]
        if cycle >= LATENCY:
            value = values[cycle - LATENCY]
            assert bool(int(dut.fits.value)) == (value < 10**10), value
            if value < 10**10:
                assert f"{int(dut.digits.value):010x}" == f"{value:010d}"
        await FallingEdge(dut.clk)


@cocotb.test()
async def while_held_the_digits_stay(dut):
    cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
    dut.hold.value, dut.value.value = 0, 1234567890
    for _ in range(LATENCY):
        await FallingEdge(dut.clk)
    dut.hold.value = 1
    for value in (9, 99, 999, 9999, 99999, 999999):
        dut.value.value = value
        await FallingEdge(dut.clk)
        assert f"{int(dut.digits.value):010x}" == "1234567890"


def test_decimal_digits() -> None:
    simulate("decimal_digits", "test_decimal_digits")
