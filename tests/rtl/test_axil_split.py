"""axil_split: each access goes to the block its address says, once and alone, and its answer comes back; DECERR where there is no block."""

import os
from collections import deque
from dataclasses import dataclass, field
from random import Random
from typing import Any

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly
from harness import simulate

HIGH = int(os.environ.get("HIGH", "1"))
ADDRESS = 10
OKAY, SLVERR, DECERR = 0, 2, 3
LOW, UP = 0, 1 << ADDRESS  # first address of each block


def word(block: int, address: int) -> int:
    return block << 31 | address << 8 | 0x5A


def part(signal: Any, block: int, width: int) -> int:
    """A block's part of a signal that holds both."""
    return int(signal.value) >> block * width & (1 << width) - 1


@dataclass
class Block:
    """A register block: takes an access at any time, and answers it later; writes to 0x3F0 and above are errors."""

    rng: Random
    ready: bool = False
    writes: list[tuple[int, int]] = field(default_factory=list)
    reads: list[int] = field(default_factory=list)
    answer: tuple[str, int, int] | None = None  # b or r, response, data
    wait: int = 0

    def take(self, what: str, address: int, data: int) -> None:
        assert self.answer is None, "a second access before the first was answered"
        response = SLVERR if address >= 0x3F0 else OKAY
        self.wait = self.rng.randrange(4)
        if what == "b":
            self.writes.append((address, data))
            self.answer = ("b", response, 0)
        else:
            self.reads.append(address)
            self.answer = ("r", response, word(0, address))


@dataclass
class Bench:
    """A master with a queue of writes and one of reads, which it asks for at once."""

    dut: Any
    seed: int = 1
    eager: bool = False  # no side ever waits
    writes: deque[tuple[int, int]] = field(default_factory=deque)
    reads: deque[int] = field(default_factory=deque)
    wrote: list[int] = field(default_factory=list)
    read: list[tuple[int, int]] = field(default_factory=list)
    order: list[str] = field(default_factory=list)  # of what was accepted
    cycle: int = 0
    ends: list[int] = field(default_factory=list)  # cycles of answers

    async def start(self, clock: bool) -> None:
        dut = self.dut
        if clock:
            cocotb.start_soon(Clock(dut.clk, 8, "ns").start())
        await FallingEdge(dut.clk)
        self.rng = Random(self.seed)
        self.blocks = [Block(Random(self.seed + 1)), Block(Random(self.seed + 2))]
        self.show_address = self.show_data = self.show_read = False
        self.expected_writes: list[tuple[int, int]] = []
        self.expected_reads: list[int] = []
        self.waiting: str | None = None
        for name in ("awvalid", "wvalid", "arvalid", "bready", "rready", "block_bvalid", "block_rvalid", "block_awready", "block_arready"):
            getattr(dut, name).value = 0
        dut.block_wready.value = 0
        dut.rst.value = 1
        for _ in range(3):
            await FallingEdge(dut.clk)
        dut.rst.value = 0

    def chance(self, probability: float) -> bool:
        return self.eager or self.rng.random() < probability

    async def step(self) -> None:
        dut = self.dut
        await FallingEdge(dut.clk)
        self.cycle += 1
        # What is offered stays until it is taken.
        self.show_address = bool(self.writes) and (self.show_address or self.chance(0.5))
        self.show_data = bool(self.writes) and (self.show_data or self.chance(0.5))
        self.show_read = bool(self.reads) and (self.show_read or self.chance(0.5))
        dut.awvalid.value, dut.wvalid.value, dut.arvalid.value = self.show_address, self.show_data, self.show_read
        dut.awaddr.value = self.writes[0][0] if self.writes else 0
        dut.araddr.value = self.reads[0] if self.reads else 0
        dut.wdata.value = self.writes[0][1] if self.writes else 0
        dut.wstrb.value = self.writes[0][1] % 16 if self.writes else 0
        dut.bready.value, dut.rready.value = self.chance(0.5), self.chance(0.5)
        ready = [self.chance(0.5) and block.answer is None for block in self.blocks]
        dut.block_awready.value = dut.block_wready.value = dut.block_arready.value = ready[0] | ready[1] << 1
        valid, responses = {"b": 0, "r": 0}, 0
        data = 0
        for i, block in enumerate(self.blocks):
            if self.eager:
                block.wait = 0
            if block.answer and block.wait == 0:
                valid[block.answer[0]] |= 1 << i
            elif block.answer:
                block.wait -= 1
            # What is there without an answer means nothing.
            response, value = block.answer[1:] if block.answer else (1, 0x0BADBAD0)
            responses |= response << 2 * i
            data |= (value | i << 31) << 32 * i
        dut.block_bvalid.value, dut.block_rvalid.value = valid["b"], valid["r"]
        dut.block_bresp.value = dut.block_rresp.value = responses
        dut.block_rdata.value = data
        await ReadOnly()
        accepted = {name: int(getattr(dut, f"block_{name}").value) for name in ("awvalid", "wvalid", "arvalid")}
        assert accepted["awvalid"] == accepted["wvalid"]
        assert accepted["awvalid"].bit_count() + accepted["arvalid"].bit_count() <= 1, "one access at a time"
        for i, block in enumerate(self.blocks):
            if accepted["awvalid"] >> i & 1 and ready[i]:
                assert part(dut.block_wstrb, i, 4) == int(dut.wstrb.value)
                block.take("b", part(dut.block_awaddr, i, ADDRESS), part(dut.block_wdata, i, 32))
            if accepted["arvalid"] >> i & 1 and ready[i]:
                block.take("r", part(dut.block_araddr, i, ADDRESS), 0)
        assert int(dut.awready.value) == int(dut.wready.value)
        if self.show_address and self.show_data and int(dut.awready.value):
            self.accept("b")
            self.expected_writes.append(self.writes.popleft())
            self.show_address = self.show_data = False
        elif self.show_read and int(dut.arready.value):
            self.accept("r")
            self.expected_reads.append(self.reads.popleft())
            self.show_read = False
        else:
            assert not (self.show_read and int(dut.arready.value))
        if int(dut.bvalid.value) and int(dut.bready.value):
            self.answered("b")
            self.wrote.append(int(dut.bresp.value))
        if int(dut.rvalid.value) and int(dut.rready.value):
            self.answered("r")
            self.read.append((int(dut.rresp.value), int(dut.rdata.value)))

    def accept(self, what: str) -> None:
        assert self.waiting is None, "accepted before the last was answered"
        self.waiting = what
        self.order.append(what)

    def answered(self, what: str) -> None:
        assert self.waiting == what
        self.waiting = None
        self.ends.append(self.cycle)
        # The block's answer is taken; one that the module gives itself belongs to no block.
        for block in self.blocks:
            if block.answer and block.wait == 0:
                assert block.answer[0] == what
                block.answer = None

    async def drain(self, limit: int = 5000) -> None:
        for _ in range(limit):
            if not (self.writes or self.reads or self.waiting):
                return
            await self.step()
        raise AssertionError("an access was not answered")

    def check(self) -> None:
        """What the blocks saw and the answers to the master, for all requests."""
        blocks: list[list[tuple[int, int]]] = [[], []]
        for address, data in self.expected_writes:
            blocks[address >= UP].append((address % UP, data))
        reads: list[list[int]] = [[], []]
        for address in self.expected_reads:
            reads[address >= UP].append(address % UP)
        if not HIGH:
            blocks[1], reads[1] = [], []
        assert [block.writes for block in self.blocks] == blocks
        assert [block.reads for block in self.blocks] == reads

        def response(address: int) -> int:
            return DECERR if address >= UP and not HIGH else SLVERR if address % UP >= 0x3F0 else OKAY

        assert self.wrote == [response(address) for address, _ in self.expected_writes]
        assert [answer for answer, _ in self.read] == [response(address) for address in self.expected_reads]
        for address, (_, data) in zip(self.expected_reads, self.read, strict=True):
            assert data == (0 if response(address) == DECERR else word(address >= UP, address % UP)), hex(address)


async def bench(dut: Any, clock: bool = True, **options: Any) -> Bench:
    made = Bench(dut, **options)
    await made.start(clock)
    return made


@cocotb.test()
async def each_block_answers_for_its_addresses(dut: Any) -> None:
    b = await bench(dut)
    addresses = [LOW, LOW + 4, UP - 4, UP, UP + 8, 2 * UP - 4, UP - 16, UP + 0x3F0]
    b.writes.extend((address, i) for i, address in enumerate(addresses))
    await b.drain()
    b.reads.extend(addresses)
    await b.drain()
    b.check()
    assert len(b.wrote) == len(b.read) == len(addresses)


@cocotb.test()
async def a_write_goes_before_a_read_that_comes_with_it(dut: Any) -> None:
    for first, second in ((LOW, LOW), (LOW, UP), (UP, LOW), (UP, UP)):
        b = await bench(dut, clock=first == second == LOW, eager=True)
        b.writes.append((first, 1))
        b.reads.append(second)
        await b.drain()
        assert b.order == ["b", "r"]
        b.check()


@cocotb.test()
async def accesses_follow_one_another_every_two_cycles(dut: Any) -> None:
    """Accepted in one cycle, answered in the next, for a block that never waits, and for one that is not there."""
    b = await bench(dut, eager=True)
    b.reads.extend([LOW, UP, LOW, LOW, UP, UP])
    await b.drain()
    b.writes.extend([(UP, 1), (LOW, 2), (UP, 3)])
    await b.drain()
    b.check()
    assert b.ends == list(range(b.ends[0], b.ends[0] + 2 * len(b.ends), 2))


@cocotb.test()
async def a_reset_forgets_what_was_not_answered(dut: Any) -> None:
    b = await bench(dut)
    b.reads.append(UP)
    while b.waiting is None:
        await b.step()
    b = await bench(dut, clock=False)
    for _ in range(20):
        await b.step()
        assert not int(dut.rvalid.value)
        assert not int(dut.bvalid.value)
    b.reads.append(LOW)
    await b.drain()
    b.check()


@cocotb.test()
async def any_mix_of_accesses_is_carried_out_once_each(dut: Any) -> None:
    b = await bench(dut, seed=5)
    rng = Random(6)
    for _ in range(300):
        for _ in range(rng.randrange(4)):
            if rng.random() < 0.5:
                b.writes.append((rng.randrange(2 * UP) & ~3, rng.getrandbits(32)))
            else:
                b.reads.append(rng.randrange(2 * UP) & ~3)
        for _ in range(rng.randrange(12)):
            await b.step()
    await b.drain(20_000)
    b.check()
    assert len(b.wrote) > 150
    assert len(b.read) > 150


@pytest.mark.parametrize("high", [0, 1])
def test_axil_split(high: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HIGH", str(high))
    simulate("axil_split_tb", "test_axil_split", {"ADDRESS": ADDRESS, "HIGH": high})
