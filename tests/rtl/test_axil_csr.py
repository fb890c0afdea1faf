"""axil_csr: each access reaches the stages once and alone, in its order, and its answer comes back, when it is due."""

import logging
import os
from dataclasses import dataclass, field
from random import Random
from typing import Any

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp
from harness import simulate

ORDERS = int(os.environ.get("ORDERS", "1"))
HALF = 0x400
WAITS = 0x0C0  # words from here on answer later


@dataclass
class Stage:
    """A stage at the other end: has what was written, at each address, and answers after as many cycles as it likes."""

    dut: Any
    rng: Random
    words: dict[int, int] = field(default_factory=dict)
    seen: list[tuple[str, int]] = field(default_factory=list)
    longest: int = 60

    async def run(self) -> None:
        dut, rest = self.dut, -1
        dut.csr_waits.value, dut.csr_answer.value = 0, 0
        while True:
            await FallingEdge(dut.clk)
            address = int(dut.csr_address.value)
            assert not (int(dut.csr_write.value) and int(dut.csr_read.value))
            if int(dut.csr_write.value):
                self.seen.append(("write", address))
                self.words[address] = int(dut.csr_data.value)
            if int(dut.csr_read.value):
                self.seen.append(("read", address))
                rest = self.rng.randrange(2, self.longest) if address >= WAITS else 1
            elif rest > 0:
                rest -= 1
            # An answer that is not due is not there yet.
            dut.csr_waits.value = int(rest > 0 and address >= WAITS)
            dut.csr_answer.value = self.words.get(address, 0) if rest == 0 else 0xBAD0BAD0


async def start(dut: Any, **options: Any) -> tuple[AxiLiteMaster, Stage]:
    cocotb.start_soon(Clock(dut.clk, 8, "ns").start())
    logging.getLogger("cocotb").setLevel(logging.WARNING)
    host = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "axil"), dut.clk, dut.rst)
    stage = Stage(dut, Random(1), **options)
    dut.rst.value = 1
    cocotb.start_soon(stage.run())
    for _ in range(3):
        await FallingEdge(dut.clk)
    dut.rst.value = 0
    return host, stage


async def read(host: AxiLiteMaster, address: int) -> tuple[int, int]:
    answer = await host.read(address, 4)
    return int(answer.resp), int.from_bytes(answer.data, "little")


async def write(host: AxiLiteMaster, address: int, value: int, octets: int = 4) -> int:
    return int((await host.write(address, value.to_bytes(4, "little")[:octets])).resp)


@cocotb.test()
async def what_is_written_is_read_and_what_nobody_has_is_0(dut: Any) -> None:
    host, stage = await start(dut)
    for address in (0x000, 0x010, 0x300, 0x3FC):
        assert await write(host, address, 0x01020304 + address) == AxiResp.OKAY
        assert await read(host, address) == (AxiResp.OKAY, 0x01020304 + address)
    assert await read(host, 0x100) == (AxiResp.OKAY, 0)
    assert [(what, address * 4) for what, address in stage.seen[:2]] == [("write", 0x000), ("read", 0x000)]


@cocotb.test()
async def without_an_order_path_its_addresses_are_refused(dut: Any) -> None:
    host, stage = await start(dut)
    for address in (HALF, HALF + 0x100, 2 * HALF - 4):
        present = AxiResp.OKAY if ORDERS else AxiResp.DECERR
        assert await write(host, address, 7) == present
        assert await read(host, address) == (present, 7 if ORDERS else 0)
    assert len(stage.seen) == (6 if ORDERS else 0)
    # And the next access is answered as ever.
    assert await write(host, 0x010, 8) == AxiResp.OKAY
    assert await read(host, 0x010) == (AxiResp.OKAY, 8)


@cocotb.test()
async def a_write_of_a_part_of_a_word_changes_nothing(dut: Any) -> None:
    host, stage = await start(dut)
    assert await write(host, 0x010, 0x11111111) == AxiResp.OKAY
    for offset, octets in ((0, 1), (0, 2), (2, 2), (3, 1), (1, 3)):
        assert await write(host, 0x010 + offset, 0xFFFFFFFF, octets) == AxiResp.SLVERR
    assert await read(host, 0x010) == (AxiResp.OKAY, 0x11111111)
    assert stage.seen == [("write", 4), ("read", 4)]


@cocotb.test()
async def accesses_at_once_come_one_by_one_and_in_their_order(dut: Any) -> None:
    host, stage = await start(dut)
    rng = Random(2)
    lines = 2 * HALF if ORDERS else HALF
    writes, reads = [], []
    for i in range(60):
        address = 4 * rng.randrange(lines // 4)
        stage.words.setdefault(address // 4, 3 * address)
        reads.append((address, host.init_read(address, 4)))
        if i % 2:
            other = 4 * rng.randrange(lines // 4)
            while any(other == at for at, _ in reads):
                other = 4 * rng.randrange(lines // 4)
            writes.append((other, host.init_write(other, i.to_bytes(4, "little"))))
    for _, event in writes:
        await event.wait()
        assert int(event.data.resp) == AxiResp.OKAY
    for address, event in reads:
        await event.wait()
        # One that was written later may have been read before or after.
        expected = {3 * address, stage.words[address // 4]}
        assert (int(event.data.resp), int.from_bytes(event.data.data, "little") in expected) == (AxiResp.OKAY, True)
    assert [address * 4 for what, address in stage.seen if what == "write"] == [address for address, _ in writes]
    assert [address * 4 for what, address in stage.seen if what == "read"] == [address for address, _ in reads]


@cocotb.test()
async def a_write_goes_before_a_read_that_comes_with_it(dut: Any) -> None:
    host, stage = await start(dut)
    events = [host.init_read(0x020, 4), host.init_write(0x010, bytes(4))]
    for event in events:
        await event.wait()
    assert [what for what, _ in stage.seen] == ["write", "read"]


@cocotb.test()
async def a_write_takes_3_cycles_and_a_read_4(dut: Any) -> None:
    """From the cycle in which it is taken to that of its answer; with a stage that waits, as many more."""
    await start(dut)
    dut.axil_bready.value = dut.axil_rready.value = 1
    dut.axil_wstrb.value = 15
    for valid, ready, answer, cycles in (
        (("axil_awvalid", "axil_wvalid"), "axil_awready", "axil_bvalid", 3),
        (("axil_arvalid",), "axil_arready", "axil_rvalid", 4),
    ):
        await FallingEdge(dut.clk)
        dut.axil_awaddr.value = dut.axil_araddr.value = 0x010
        for name in valid:
            getattr(dut, name).value = 1
        await ReadOnly()
        assert int(getattr(dut, ready).value)
        passed = 0
        while not int(getattr(dut, answer).value):
            await FallingEdge(dut.clk)
            for name in valid:
                getattr(dut, name).value = 0
            passed += 1
            assert passed < 100
        assert passed == cycles


@pytest.mark.parametrize("orders", [0, 1])
def test_axil_csr(orders: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORDERS", str(orders))
    simulate("axil_csr_tb", "test_axil_csr", {"ORDERS": orders})
