"""clock_ns: counts nanoseconds exactly, and can be moved."""

import os

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge
from harness import simulate


async def start(dut) -> None:
    cocotb.start_soon(Clock(dut.clk, 6400, "ps").start())
    dut.load.value = 0
    dut.load_value.value = 0
    dut.rst.value = 1
    await ClockCycles(dut.clk, 3)
    await FallingEdge(dut.clk)
    dut.rst.value = 0


@cocotb.test()
async def five_hundred_cycles_are_exact_nanoseconds(dut):
    await start(dut)
    begin = int(dut.now.value)
    await ClockCycles(dut.clk, 500)
    await FallingEdge(dut.clk)
    assert int(dut.now.value) - begin == (4000 if int(os.environ["W"]) == 8 else 3200)


@cocotb.test()
async def every_step_is_within_a_nanosecond_of_the_true_time(dut):
    await start(dut)
    period = 8.0 if int(os.environ["W"]) == 8 else 6.4
    begin = int(dut.now.value)
    for cycle in range(1, 50):
        await FallingEdge(dut.clk)
        assert abs(int(dut.now.value) - begin - period * cycle) < 1.0


@cocotb.test()
async def loading_moves_the_clock(dut):
    await start(dut)
    dut.load.value = 1
    dut.load_value.value = 34_200_000_000_000
    await FallingEdge(dut.clk)
    assert int(dut.now.value) == 34_200_000_000_000
    dut.load.value = 0
    await FallingEdge(dut.clk)
    assert 34_200_000_000_006 <= int(dut.now.value) <= 34_200_000_000_008


@cocotb.test()
async def it_carries_through_every_bit_from_the_first_cycle_after_a_load_on(dut):
    await start(dut)
    period = 8.0 if int(os.environ["W"]) == 8 else 6.4
    for top in (1 << 24, 3 << 24, 1 << 32, 1 << 40, 1 << 63):
        for before in (1, 6, 7, 8, 15, 100):
            dut.load.value, dut.load_value.value = 1, top - before
            await FallingEdge(dut.clk)
            dut.load.value = 0
            for cycle in range(1, 20):
                await FallingEdge(dut.clk)
                assert abs(int(dut.now.value) - (top - before) - period * cycle) < 1.0


@pytest.mark.parametrize("width", [8, 64])
def test_clock_ns(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("W", str(width))
    simulate("clock_ns", "test_clock_ns", {"W": width})
