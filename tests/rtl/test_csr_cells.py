"""Registers of a stage as the host sees them: settings, status, counters; and what the stage sees."""

import logging
from random import Random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp
from harness import simulate

WHOLE, PARTS, WRITTEN, WIDE, NOTHING = 0x040, 0x044, 0x048, 0x050, 0x054
MEMORY, REGISTERS = 0x100, 0x180


async def start(dut: Any) -> AxiLiteMaster:
    cocotb.start_soon(Clock(dut.clk, 8, "ns").start())
    logging.getLogger("cocotb").setLevel(logging.WARNING)
    host = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "axil"), dut.clk, dut.rst)
    dut.wide.value = dut.middle.value = dut.pulse.value = dut.amount.value = dut.few.value = 0
    dut.shown.value = 1
    dut.rst.value = 1
    for _ in range(3):
        await FallingEdge(dut.clk)
    dut.rst.value = 0
    return host


async def read(host: AxiLiteMaster, address: int) -> int:
    answer = await host.read(address, 4)
    assert answer.resp == AxiResp.OKAY
    return int.from_bytes(answer.data, "little")


async def write(host: AxiLiteMaster, address: int, value: int) -> None:
    assert (await host.write(address, value.to_bytes(4, "little"))).resp == AxiResp.OKAY


@cocotb.test()
async def settings_are_those_of_the_reset_until_they_are_written(dut: Any) -> None:
    host = await start(dut)
    assert (int(dut.whole.value), int(dut.low.value), int(dut.high.value), int(dut.written.value)) == (0x12345678, 5, 0, 2 << 16 | 1)
    assert await read(host, WHOLE) == 0x12345678
    await write(host, WHOLE, 0xCAFEF00D)
    await write(host, PARTS, 0xABCDEF09)
    await write(host, WRITTEN, 0xFFFF1111)
    await write(host, WRITTEN + 4, 0xFFFF2222)
    assert (int(dut.whole.value), int(dut.low.value), int(dut.high.value)) == (0xCAFEF00D, 9, 0xAB)
    assert int(dut.written.value) == 0x22221111
    assert await read(host, WHOLE) == 0xCAFEF00D


@cocotb.test()
async def a_word_shows_the_fields_that_can_be_read_of_all_who_have_it(dut: Any) -> None:
    host = await start(dut)
    dut.middle.value, dut.wide.value = 0x765, 0x89ABCDEF
    await write(host, PARTS, 0xABFFFFEF)
    assert await read(host, PARTS) == 0xAB076500
    assert await read(host, WIDE) == 0x89ABCDEF
    assert [await read(host, address) for address in (WRITTEN, NOTHING, 0x7FC, MEMORY - 4)] == [0, 0, 0, 0]


@cocotb.test()
async def what_is_only_read_and_what_nobody_has_takes_no_write(dut: Any) -> None:
    host = await start(dut)
    dut.wide.value = 7
    for address in (WIDE, NOTHING, MEMORY, REGISTERS):
        await write(host, address, 0xFFFFFFFF)
    assert [await read(host, address) for address in (WHOLE, WIDE, MEMORY, REGISTERS)] == [0x12345678, 7, 0, 0]


@cocotb.test()
async def a_write_is_answered_once_the_setting_has_changed(dut: Any) -> None:
    host = await start(dut)
    writing = cocotb.start_soon(write(host, WHOLE, 0x0A000002))
    while not dut.axil_bvalid.value:
        await FallingEdge(dut.clk)
    assert int(dut.whole.value) == 0x0A000002
    await writing


@cocotb.test()
async def a_pulse_is_there_for_one_cycle(dut: Any) -> None:
    host = await start(dut)
    pulses = 0

    async def count() -> None:
        nonlocal pulses
        while True:
            await FallingEdge(dut.clk)
            pulses += int(dut.start.value)

    cocotb.start_soon(count())
    for value in (0x10, 0x1F, 0x0F, 0x30):
        await write(host, PARTS, value)
    await read(host, PARTS)
    assert pulses == 3


@cocotb.test()
async def counters_are_exact_and_each_at_its_address(dut: Any) -> None:
    host = await start(dut)
    rng = Random(1)
    counts, few = [0] * 11, [0] * 2
    for _ in range(400):
        pulse, add, other = rng.randrange(1 << 11), rng.randrange(256), rng.randrange(4)
        dut.pulse.value, dut.amount.value, dut.few.value = pulse, add, other
        await FallingEdge(dut.clk)
        for slot in range(11):
            counts[slot] += (pulse >> slot & 1) * (add if slot == 2 else 1)
        for slot in range(2):
            few[slot] += other >> slot & 1
    dut.pulse.value = dut.few.value = 0
    for _ in range(2):
        assert [await read(host, MEMORY + 4 * slot) for slot in range(11)] == counts
        assert [await read(host, REGISTERS + 4 * slot) for slot in range(2)] == few
        # Beyond the last one nobody answers, and an answer is gone with the next access.
        assert [await read(host, MEMORY + 4 * slot) for slot in range(11, 16)] == [0] * 5
        assert await read(host, REGISTERS + 8) == 0
        assert await read(host, MEMORY) == counts[0]
        assert await read(host, WHOLE) == 0x12345678


@cocotb.test()
async def what_is_not_shown_does_not_answer(dut: Any) -> None:
    host = await start(dut)
    dut.pulse.value, dut.wide.value = 1, 7
    for _ in range(10):
        await FallingEdge(dut.clk)
    dut.pulse.value = 0
    dut.shown.value = 0
    assert (await read(host, MEMORY), await read(host, WIDE)) == (0, 0)
    dut.shown.value = 1
    assert (await read(host, MEMORY), await read(host, WIDE)) == (10, 7)


def test_csr_cells() -> None:
    simulate("csr_cells_tb", "test_csr_cells")
