"""stale_source: stale after exactly its limit of silence, never without a limit, and fresh again at once."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from harness import simulate


async def start(dut) -> None:
    cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
    dut.limit.value = dut.alive.value = 0
    dut.rst.value = 1
    for _ in range(3):
        await FallingEdge(dut.clk)
    dut.rst.value = 0


async def silence(dut, cycles: int) -> int | None:
    """The cycle in which it became stale."""
    for cycle in range(cycles):
        if int(dut.stale.value):
            return cycle
        await FallingEdge(dut.clk)
    return None


@cocotb.test()
async def it_is_stale_a_cycle_after_its_limit_and_until_it_reports(dut):
    await start(dut)
    # Beyond 2^16, where the upper half counts too.
    for limit in (1, 7, 100, 0x1_0003):
        dut.limit.value, dut.alive.value = limit, 1
        await FallingEdge(dut.clk)
        dut.alive.value = 0
        assert await silence(dut, limit + 20) == limit + 1
        assert await silence(dut, 5) == 0, "stays so"
        dut.alive.value = 1
        await FallingEdge(dut.clk)
        assert not int(dut.stale.value)


@cocotb.test()
async def a_feed_that_reports_in_time_is_never_stale(dut):
    await start(dut)
    dut.limit.value = 10
    for _ in range(30):
        dut.alive.value = 1
        await FallingEdge(dut.clk)
        dut.alive.value = 0
        assert await silence(dut, 9) is None


@cocotb.test()
async def without_a_limit_it_is_never_stale(dut):
    await start(dut)
    dut.limit.value, dut.alive.value = 3, 1
    await FallingEdge(dut.clk)
    dut.alive.value = 0
    assert await silence(dut, 20) == 4
    dut.limit.value = 0
    await FallingEdge(dut.clk)
    assert await silence(dut, 50) is None


def test_stale_source() -> None:
    simulate("stale_source", "test_stale_source")
