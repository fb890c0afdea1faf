"""The core of the statistics: registers answer over AXI4-Lite, and a frame's cause is counted where the register map says.

The complete path is compared with its software twin in verify/lockstep/tests; this is the core as a host sees it.
"""

import os
import re
import zlib
from pathlib import Path

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge
from cocotbext.axi import AxiLiteBus, AxiLiteMaster
from harness import core_widths, simulate

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "registers.md"


def address(name: str) -> int:
    """Address of a register, read from the reference page."""
    found = re.search(rf"^\| (0x[0-9a-f]+)[^|]* \| `{name}`", PAGE.read_text(), re.MULTILINE)
    assert found, name
    return int(found[1], 16)


def idle(dut) -> None:
    gmii = int(os.environ["W"]) == 8
    dut.rx_a_data.value = 0 if gmii else 0x0707070707070707
    dut.rx_a_control.value = 0 if gmii else 0xFF
    dut.rx_a_error.value = 0
    dut.rx_b_data.value = 0 if gmii else 0x0707070707070707
    dut.rx_b_control.value = 0 if gmii else 0xFF
    dut.rx_b_error.value = 0
    dut.host_ready.value = 1


async def start(dut) -> AxiLiteMaster:
    cocotb.start_soon(Clock(dut.clk, 8, "ns").start())
    idle(dut)
    dut.time_set.value = 0
    dut.time_value.value = 0
    host = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "axil"), dut.clk, dut.rst)
    dut.rst.value = 1
    await ClockCycles(dut.clk, 4)
    dut.rst.value = 0
    await ClockCycles(dut.clk, 4)
    return host


async def send(dut, frame: bytes) -> None:
    """Drive a frame (FCS included) onto the MII, start in lane 0."""
    if int(os.environ["W"]) == 8:
        for byte in b"\x55" * 7 + b"\xd5" + frame:
            await FallingEdge(dut.clk)
            dut.rx_a_data.value, dut.rx_a_control.value = byte, 1
    else:
        lanes = [(0xFB, 1)] + [(0x55, 0)] * 6 + [(0xD5, 0)] + [(b, 0) for b in frame] + [(0xFD, 1)]
        lanes += [(0x07, 1)] * (-len(lanes) % 8)
        for at in range(0, len(lanes), 8):
            await FallingEdge(dut.clk)
            dut.rx_a_data.value = int.from_bytes(bytes(b for b, _ in lanes[at : at + 8]), "little")
            dut.rx_a_control.value = sum(c << i for i, (_, c) in enumerate(lanes[at : at + 8]))
    await FallingEdge(dut.clk)
    idle(dut)
    await ClockCycles(dut.clk, 40)


async def release(dut) -> None:
    """Take time_set away after one cycle."""
    await FallingEdge(dut.clk)
    dut.time_set.value = 0


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def identity_and_build_parameters_read_back(dut):
    host = await start(dut)
    assert await host.read_dword(address("identity")) == int.from_bytes(b"TWIR", "big")
    assert await host.read_dword(address("build")) == int(os.environ["W"]) | 16 << 16


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def configuration_reads_back_as_written(dut):
    host = await start(dut)
    values = {address(name): value for name, value in (("local_ip", 0x0A000001), ("report_ip", 0xC0A80102), ("time_set_low", 0x5AA51234))}
    values |= {address("group") + 4 * slot: 0xE9360C6F + slot for slot in range(4)}
    values |= {address("port") + 4 * slot: 26400 + slot for slot in range(4)}
    for where, value in values.items():
        await host.write_dword(where, value)
    # Read only when all are written: no two share a place.
    assert {where: await host.read_dword(where) for where in values} == values


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def time_can_be_set_by_register_and_runs_on(dut):
    host = await start(dut)
    await host.write_dword(address("time_set_high"), 7964)
    await host.write_dword(address("time_set_low"), 5)
    await host.write_dword(address("time_command"), 1)
    first = await host.read_dword(address("time_low"))
    assert await host.read_dword(address("time_high")) == 7964
    assert first < await host.read_dword(address("time_low")) < 10_000


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def frames_are_counted_by_cause_and_only_while_enabled(dut):
    host = await start(dut)
    body = bytes(range(60))
    good = body + zlib.crc32(body).to_bytes(4, "little")
    bad = body + b"\0\0\0\0"
    runt = body[:40] + zlib.crc32(body[:40]).to_bytes(4, "little")
    await send(dut, good)
    assert await host.read_dword(address("other_mac")) == 0
    await host.write_dword(address("control"), 0x0001_0003)
    for frame in (good, bad, bad, runt, good, good):
        await send(dut, frame)
    counts = {name: await host.read_dword(address(name)) for name in ("other_mac", "fcs_error", "runt", "accepted")}
    assert counts == {"other_mac": 3, "fcs_error": 2, "runt": 1, "accepted": 0}


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def a_write_to_a_counter_is_answered_and_changes_nothing(dut):
    host = await start(dut)
    await host.write_dword(address("control"), 0x0001_0003)
    await send(dut, bytes(64))
    for _ in range(2):
        assert await host.read_dword(address("fcs_error")) == 1
        await host.write_dword(address("fcs_error"), 77)


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def a_counter_is_read_within_40_cycles_any_other_register_in_4(dut):
    host = await start(dut)

    async def cycles_of(name: str) -> int:
        reading = cocotb.start_soon(host.read_dword(address(name)))
        while not (dut.axil_arvalid.value and dut.axil_arready.value):
            await FallingEdge(dut.clk)
        cycles = 0
        while not dut.axil_rvalid.value:
            await FallingEdge(dut.clk)
            cycles += 1
        await reading
        return cycles

    assert {await cycles_of(name) for name in ("identity", "control", "time_low", "mold_lost_low")} == {4}
    taken = []
    for wait in range(64):
        await ClockCycles(dut.clk, wait + 1)  # at every distance of the scanner of 32
        taken.append(await cycles_of("accepted"))
    assert (min(taken), max(taken)) == (9, 40)


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def addresses_without_a_register_read_zero(dut):
    host = await start(dut)
    used = {int(found, 16) for found in re.findall(r"^\| (0x1[0-9a-f]{2}) ", PAGE.read_text(), re.MULTILINE)}
    assert len(used) == 44
    for hole in (0x094, *(hole for hole in range(0x100, 0x200, 4) if hole not in used)):
        assert await host.read_dword(hole) == 0


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def frames_are_stamped_at_their_first_and_last_byte(dut):
    host = await start(dut)
    await host.write_dword(address("control"), 0x0001_0003)
    # The clock stands at 1,000,000 in the cycle after time_set, in which the preamble begins.
    await FallingEdge(dut.clk)
    dut.time_set.value, dut.time_value.value = 1, 1_000_000
    cocotb.start_soon(release(dut))
    body = bytes(196)
    await send(dut, body + zlib.crc32(body).to_bytes(4, "little"))
    first = await host.read_dword(address("frame_first_time_low"))
    last = await host.read_dword(address("frame_last_time_low"))
    # Eight bytes of preamble, then 200 bytes: on GMII a cycle each, on XGMII 8 a cycle.
    beats, period = ((8, 207), 8) if int(os.environ["W"]) == 8 else ((1, 25), 6.4)
    assert abs(first - (1_000_000 + beats[0] * period)) <= 1
    assert abs(last - (1_000_000 + beats[1] * period)) <= 1


@pytest.mark.parametrize("width", core_widths())
def test_core(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("W", str(width))
    simulate("itch_statistics_shell", "test_core", {"W": width})
