"""host_registers: the core's registers and those of the order path at one port; without a session the latter are not there."""

import logging
import os

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp
from harness import simulate
from session_bench import address

SESSIONS = int(os.environ.get("SESSIONS", "1"))


async def start(dut) -> AxiLiteMaster:
    cocotb.start_soon(Clock(dut.clk, 8, "ns").start())
    logging.getLogger("cocotb").setLevel(logging.WARNING)
    host = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "axil"), dut.clk, dut.rst)
    dut.time_low.value, dut.next_number.value = 0x11223344, 0x55667788
    dut.rst.value = 1
    for _ in range(3):
        await FallingEdge(dut.clk)
    dut.rst.value = 0
    return host


async def read(host: AxiLiteMaster, name: str) -> tuple[int, int]:
    answer = await host.read(address(name), 4)
    return int(answer.resp), int.from_bytes(answer.data, "little")


async def write(host: AxiLiteMaster, name: str, value: int, offset: int = 0) -> int:
    return int((await host.write(address(name) + offset, value.to_bytes(4, "little"))).resp)


@cocotb.test()
async def each_block_is_at_its_addresses_and_neither_is_in_the_other(dut):
    host = await start(dut)
    assert await read(host, "identity") == (AxiResp.OKAY, 0x54574952)
    assert await read(host, "time_low") == (AxiResp.OKAY, 0x11223344)
    assert await write(host, "local_ip", 0x0A000001) == AxiResp.OKAY
    assert await read(host, "local_ip") == (AxiResp.OKAY, 0x0A000001)
    present = AxiResp.OKAY if SESSIONS else AxiResp.DECERR
    assert await read(host, "next_number") == (present, 0x55667788 if SESSIONS else 0)
    assert await write(host, "max_quantity", 0xCAFE) == present
    assert int(dut.max_quantity.value) == (0xCAFE if SESSIONS else 0)
    # The offsets of local_ip and of max_quantity in the other block: nothing there has changed.
    elsewhere = await write(host, "local_ip", 0xFFFFFFFF, 0x400)
    assert elsewhere in ((AxiResp.OKAY, AxiResp.SLVERR) if SESSIONS else (AxiResp.DECERR,))
    assert await write(host, "max_quantity", 0xFFFFFFFF, -0x400) in (AxiResp.OKAY, AxiResp.SLVERR)
    assert await read(host, "local_ip") == (AxiResp.OKAY, 0x0A000001)
    assert int(dut.max_quantity.value) == (0xCAFE if SESSIONS else 0)


@cocotb.test()
async def writes_and_reads_back_to_back_come_in_their_order(dut):
    host = await start(dut)
    writes, reads = [], []
    for i in range(40):
        name = ("local_ip", "max_quantity")[i % 2]
        writes.append(host.init_write(address(name), (i << 8).to_bytes(4, "little")))
        reads.append(host.init_read(address("time_low" if i % 3 else "next_number"), 4))
    for event in (*writes, *reads):
        await event.wait()
    high = AxiResp.OKAY if SESSIONS else AxiResp.DECERR
    assert [int(event.data.resp) for event in writes] == [AxiResp.OKAY, high] * 20
    for i, event in enumerate(reads):
        value = 0x11223344 if i % 3 else 0x55667788 if SESSIONS else 0
        assert (int(event.data.resp), int.from_bytes(event.data.data, "little")) == (AxiResp.OKAY if i % 3 else high, value)
    assert int(dut.local_ip.value) == 38 << 8
    assert int(dut.max_quantity.value) == ((39 << 8) if SESSIONS else 0)


@cocotb.test()
async def a_write_is_answered_once_the_register_has_changed(dut):
    host = await start(dut)
    writing = cocotb.start_soon(write(host, "local_ip", 0x0A000002))
    while not dut.axil_bvalid.value:
        await FallingEdge(dut.clk)
    assert int(dut.local_ip.value) == 0x0A000002
    await writing


@cocotb.test()
async def a_start_of_an_operation_is_a_pulse_of_one_cycle(dut):
    host = await start(dut)
    pulses = 0

    async def count() -> None:
        nonlocal pulses
        while True:
            await FallingEdge(dut.clk)
            pulses += int(dut.start.value)

    cocotb.start_soon(count())
    for _ in range(3):
        await write(host, "operation", 1 << 31 | 9)
    await write(host, "operation", 9)
    await read(host, "time_low")
    assert pulses == 3


@pytest.mark.parametrize("sessions", [0, 1])
def test_host_registers(sessions: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SESSIONS", str(sessions))
    simulate("host_registers_tb", "test_host_registers", {"SESSIONS": sessions})
