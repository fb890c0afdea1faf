"""fast_template: a message without an identifier has the last one (FAST 1.1, operator copy), and a bad packet changes nothing."""

import random
from dataclasses import dataclass, replace

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from harness import cases, simulate


@dataclass(frozen=True)
class Last:
    """The last template, if there is one."""

    has: bool = False
    identifier: int = 0
    row: int = 0


class Bench:
    def __init__(self, dut) -> None:
        self.dut = dut
        self.last = self.good = Last()
        self.first = True  # no message of the packet has come
        self.each = False  # each packet begins without a template

    async def start(self) -> None:
        cocotb.start_soon(Clock(self.dut.clk, 2, "ns").start())
        names = ("restart", "reset_each_packet", "taken", "taken_id", "taken_row", "resets", "copies", "finished", "finished_good")
        for name in names:
            getattr(self.dut, name).value = 0
        self.dut.rst.value = 1
        for _ in range(3):
            await FallingEdge(self.dut.clk)
        self.dut.rst.value = 0
        await FallingEdge(self.dut.clk)

    @property
    def knows(self) -> bool:
        return self.last.has and not (self.each and self.first)

    def check(self) -> None:
        assert bool(self.dut.first_message.value) == self.first
        assert bool(self.dut.knows.value) == self.knows
        if self.knows:
            assert (int(self.dut.id.value), int(self.dut.row.value)) == (self.last.identifier, self.last.row)

    async def pulse(self, name: str) -> None:
        getattr(self.dut, name).value = 1
        await FallingEdge(self.dut.clk)
        getattr(self.dut, name).value = 0
        self.check()

    async def identifier(self, identifier: int, row: int, resets: bool) -> None:
        """One in the stream: its row was read a cycle before."""
        self.dut.taken_row.value = row
        await FallingEdge(self.dut.clk)
        self.dut.taken_row.value = row ^ 0x1FF
        self.dut.taken_id.value, self.dut.resets.value = identifier, resets
        # A template that resets the dictionaries is no last one afterwards.
        self.last, self.first = Last(not resets, identifier, row), False
        await self.pulse("taken")

    async def copy(self) -> None:
        self.last, self.first = replace(self.last, has=self.knows), False
        await self.pulse("copies")

    async def finish(self, good: bool) -> None:
        self.dut.finished_good.value = good
        self.first = True
        if good:
            self.good = self.last
        else:
            self.last = self.good
        await self.pulse("finished")


@cocotb.test()
async def a_message_without_an_identifier_has_the_last_one_and_a_bad_packet_changes_nothing(dut):
    bench, rng = Bench(dut), random.Random(8)
    await bench.start()
    bench.check()
    copies = 0
    for _ in range(cases(2_000, 40_000)):
        for _ in range(rng.randrange(5)):
            if rng.random() < 0.5:
                await bench.identifier(rng.getrandbits(32), rng.randrange(512), rng.random() < 0.2)
            else:
                copies += bench.knows
                await bench.copy()
        await bench.finish(rng.random() < 0.7)
        if rng.random() < 0.05:
            bench.each = rng.random() < 0.5
            dut.reset_each_packet.value = bench.each
            bench.last = bench.good = replace(bench.last, has=False)
            await bench.pulse("restart")
    assert copies > 200


def test_fast_template() -> None:
    simulate("fast_template", "test_fast_template")
