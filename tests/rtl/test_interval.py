"""interval: a pulse of one cycle, every CYCLES cycles, the first CYCLES after the reset."""

import os

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from harness import simulate

CYCLES = int(os.environ.get("CYCLES", "5"))


async def pulses(dut, count: int) -> list[int]:
    """Cycles in which there is one, after a reset: the first edge without it begins cycle 1."""
    dut.rst.value = 1
    for _ in range(3):
        await FallingEdge(dut.clk)
        assert not int(dut.pulse.value)
    dut.rst.value = 0
    found = []
    for cycle in range(1, count + 1):
        await FallingEdge(dut.clk)
        if int(dut.pulse.value):
            found.append(cycle)
    return found


@cocotb.test()
async def a_pulse_comes_in_every_interval_and_a_reset_begins_it_anew(dut):
    cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
    await FallingEdge(dut.clk)
    assert await pulses(dut, 4 * CYCLES) == [CYCLES, 2 * CYCLES, 3 * CYCLES, 4 * CYCLES]
    assert await pulses(dut, 2 * CYCLES - 1) == [CYCLES]
    assert await pulses(dut, CYCLES) == [CYCLES]


@pytest.mark.parametrize("cycles", [2, 5, 256])
def test_interval(cycles: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CYCLES", str(cycles))
    simulate("interval", "test_interval", {"CYCLES": cycles})
