"""highest_price: max_notional / quantity as Python divides, all ones for a division by zero."""

from random import Random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from harness import simulate

LATENCY = 65


@cocotb.test()
async def the_quotient_is_rounded_down(dut):
    rng = Random(1)
    cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
    dut.start.value = 0
    dut.rst.value = 1
    await FallingEdge(dut.clk)
    await FallingEdge(dut.clk)
    dut.rst.value = 0
    top = (1 << 64) - 1
    cases = [(0, 0), (top, 0), (0, 5), (top, 1), (top, (1 << 32) - 1), (7, 8), (8, 8), (9, 8)]
    cases += [(rng.getrandbits(rng.randint(1, 64)), rng.getrandbits(rng.randint(1, 32))) for _ in range(60)]
    for notional, quantity in cases:
        dut.start.value, dut.max_notional.value, dut.quantity.value = 1, notional, quantity
        await FallingEdge(dut.clk)
        dut.start.value, dut.max_notional.value = 0, 0
        cycles = 0
        while not int(dut.done.value):
            assert int(dut.busy.value)
            await FallingEdge(dut.clk)
            cycles += 1
        assert cycles == LATENCY - 1
        assert int(dut.price.value) == (notional // quantity if quantity else top)


def test_highest_price() -> None:
    simulate("highest_price", "test_highest_price")
