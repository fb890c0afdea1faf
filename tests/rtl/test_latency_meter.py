"""latency_meter: cycles from a heartbeat's last byte to the first byte of its report."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge
from harness import simulate


async def start(dut) -> None:
    cocotb.start_soon(Clock(dut.clk, 8, "ns").start())
    for name in ("verdict", "heartbeat", "started"):
        getattr(dut, name).value = 0
    dut.verdict_delay.value = 3
    dut.rst.value = 1
    await ClockCycles(dut.clk, 3)
    await FallingEdge(dut.clk)
    dut.rst.value = 0


async def pulse(dut, name: str) -> None:
    getattr(dut, name).value = 1
    await FallingEdge(dut.clk)
    getattr(dut, name).value = 0


async def report(dut, verdict_to_heartbeat: int, heartbeat_to_started: int) -> None:
    """Last byte in cycle 0, verdict in cycle 3, the others as given."""
    await pulse(dut, "verdict")
    for _ in range(verdict_to_heartbeat - 1):
        await FallingEdge(dut.clk)
    await pulse(dut, "heartbeat")
    for _ in range(heartbeat_to_started - 1):
        await FallingEdge(dut.clk)
    await pulse(dut, "started")


@cocotb.test()
async def latency_counts_from_the_last_byte_to_the_first(dut):
    await start(dut)
    await report(dut, verdict_to_heartbeat=5, heartbeat_to_started=4)
    assert int(getattr(dut, "last").value) == 3 + 5 + 4


@cocotb.test()
async def minimum_and_maximum_hold_the_extremes(dut):
    await start(dut)
    assert int(dut.minimum.value) == 0xFFFFFFFF
    for wait in (4, 2, 9, 3):
        await report(dut, verdict_to_heartbeat=5, heartbeat_to_started=wait)
        await ClockCycles(dut.clk, 3)
        await FallingEdge(dut.clk)
    assert (int(dut.minimum.value), int(dut.maximum.value), int(getattr(dut, "last").value)) == (10, 17, 11)


@cocotb.test()
async def verdicts_of_other_frames_leave_a_running_measurement_alone(dut):
    await start(dut)
    await pulse(dut, "verdict")
    await FallingEdge(dut.clk)
    await pulse(dut, "heartbeat")
    await pulse(dut, "verdict")
    await pulse(dut, "started")
    assert int(getattr(dut, "last").value) == 3 + 4


@cocotb.test()
async def a_packet_without_heartbeat_is_not_measured(dut):
    await start(dut)
    await pulse(dut, "verdict")
    await pulse(dut, "started")
    assert int(getattr(dut, "last").value) == 0


def test_latency_meter() -> None:
    simulate("latency_meter", "test_latency_meter")
