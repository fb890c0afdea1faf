"""incident_records: what happens is told at once, what happens soon after it together, and nothing is forgotten."""

import itertools
import os
import random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from harness import simulate

INTERVAL = int(os.environ.get("INTERVAL", "8"))
BITS = 33
LATENCY = 3


class Bench:
    """Drives the module and collects its records: the cycle each came in, and what it says."""

    def __init__(self, dut) -> None:
        self.dut = dut
        self.cycle = 0
        self.records: list[tuple[int, int]] = []

    async def start(self) -> None:
        cocotb.start_soon(Clock(self.dut.clk, 2, "ns").start())
        self.dut.rst.value, self.dut.enable.value, self.dut.incidents.value = 1, 1, 0
        for _ in range(4):
            await FallingEdge(self.dut.clk)
        self.dut.rst.value = 0

    async def give(self, incidents: int) -> None:
        """A cycle in which these happen."""
        self.dut.incidents.value, self.dut.time_ns.value = incidents, 1_000 + self.cycle
        await FallingEdge(self.dut.clk)
        self.cycle += 1
        if int(self.dut.valid.value):
            assert (int(self.dut.kind.value), int(self.dut.count.value), int(self.dut.tag.value)) == (3, 2, 3)
            happened, time_ns = (int(self.dut.values.value) >> at & (1 << 64) - 1 for at in (0, 64))
            assert time_ns == 1_000 + self.cycle - 1  # that of the cycle in which the record was made
            self.records.append((self.cycle, happened))

    async def quiet(self, cycles: int) -> None:
        for _ in range(cycles):
            await self.give(0)


@cocotb.test()
async def the_first_is_told_at_once_and_those_that_follow_soon_together(dut):
    bench = Bench(dut)
    await bench.start()
    for bit in range(BITS):
        bench.records.clear()
        begun = bench.cycle
        await bench.give(1 << bit)
        await bench.give(0b101 << 5)
        await bench.give(1 << bit)
        await bench.quiet(3 * INTERVAL)
        assert bench.records == [(begun + LATENCY, 1 << bit), (begun + LATENCY + INTERVAL, 0b101 << 5 | 1 << bit)]


@cocotb.test()
async def whatever_comes_each_is_in_the_next_record_and_records_are_an_interval_apart(dut):
    bench = Bench(dut)
    await bench.start()
    rng = random.Random(4)
    given: list[int] = []
    for rate in (0.02, 0.3, 1.0):
        for _ in range(40 * INTERVAL):
            incidents = 1 << rng.randrange(BITS) if rng.random() < rate else 0
            given.append(incidents)
            await bench.give(incidents)
    for _ in range(3 * INTERVAL):
        given.append(0)
        await bench.give(0)
    told = 0
    for cycle, happened in bench.records:
        # A record has what came up to two cycles before it.
        due = 0
        for incidents in given[told : cycle - LATENCY + 1]:
            due |= incidents
        assert happened == due, f"cycle {cycle}"
        told = cycle - LATENCY + 1
    assert not any(given[told:])
    cycles = [cycle for cycle, _ in bench.records]
    assert min(after - before for before, after in itertools.pairwise(cycles)) == INTERVAL
    assert len(cycles) > 40


@cocotb.test()
async def nothing_is_told_while_it_is_off_and_what_waits_then_is_forgotten(dut):
    bench = Bench(dut)
    await bench.start()
    await bench.give(1)
    await bench.give(2)
    await bench.quiet(2)
    assert [happened for _, happened in bench.records] == [1]
    dut.enable.value = 0
    await bench.give(4)
    await bench.quiet(2 * INTERVAL)
    dut.enable.value = 1
    await bench.quiet(2 * INTERVAL)
    assert len(bench.records) == 1
    await bench.give(8)
    await bench.quiet(LATENCY)
    assert [happened for _, happened in bench.records] == [1, 8]


@pytest.mark.parametrize("interval", [8, 64])
def test_incident_records(interval: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INTERVAL", str(interval))
    simulate("incident_records_tb", "test_incident_records", {"INTERVAL": interval})
