"""cause_counters: every cause of every source is counted once, whoever asks meanwhile, and reset clears all."""

import os
import random
from collections import Counter

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from harness import simulate

SOURCES = int(os.environ.get("SOURCES", "2"))
CAUSES = int(os.environ.get("CAUSES", "32"))
BITS = (CAUSES - 1).bit_length()
TURN = SOURCES + 1  # cycles in which each source, and the host, has its turn


async def start(dut) -> None:
    cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
    dut.valid.value, dut.request.value = 0, 0
    await reset(dut)


async def reset(dut) -> None:
    dut.rst.value = 1
    for _ in range(3):
        await FallingEdge(dut.clk)
    dut.rst.value = 0


async def read(dut, source: int, cause: int) -> int:
    dut.request.value, dut.request_source.value, dut.request_cause.value = 1, source, cause
    await FallingEdge(dut.clk)
    dut.request.value = 0
    for _ in range(2 * SOURCES * CAUSES + 4 * TURN):
        if int(dut.answer.value):
            count = int(dut.answer_count.value)
            await FallingEdge(dut.clk)
            assert int(dut.answer.value) == 0
            return count
        await FallingEdge(dut.clk)
    raise AssertionError("no answer")


async def give(dut, causes: dict[int, int]) -> None:
    """A cycle in which these sources give these causes."""
    dut.valid.value = sum(1 << source for source in causes)
    dut.cause.value = sum(cause << BITS * source for source, cause in causes.items())
    await FallingEdge(dut.clk)
    dut.valid.value = 0


@cocotb.test()
async def each_source_is_counted_by_cause_as_often_as_it_may_come(dut):
    await start(dut)
    for _ in range(2 * SOURCES * CAUSES + TURN):
        await FallingEdge(dut.clk)
    chooser = random.Random(7)
    counted: Counter[tuple[int, int]] = Counter()
    ready = [0] * SOURCES
    asked = []

    async def ask() -> None:
        for _ in range(40):
            source, cause = chooser.randrange(SOURCES), chooser.randrange(CAUSES)
            before = counted[source, cause]
            found = await read(dut, source, cause)
            # The source's last one may wait still.
            asked.append(max(before - 1, 0) <= found <= counted[source, cause])

    reader = cocotb.start_soon(ask())
    for cycle in range(4000):
        causes = {}
        for source in range(SOURCES):
            if ready[source] <= cycle and chooser.random() < 0.7:
                # Few causes, so that one comes twice in a row.
                causes[source] = chooser.choice([0, 1, CAUSES - 1, chooser.randrange(CAUSES)])
                ready[source] = cycle + TURN
        dut.valid.value = sum(1 << source for source in causes)
        dut.cause.value = sum(cause << BITS * source for source, cause in causes.items())
        await FallingEdge(dut.clk)
        counted.update(causes.items())
    dut.valid.value = 0
    await reader
    assert all(asked)
    assert len(asked) == 40
    for _ in range(2 * TURN + 4):
        await FallingEdge(dut.clk)
    assert sum(counted.values()) > 1000
    for source in range(SOURCES):
        for cause in range(CAUSES):
            assert await read(dut, source, cause) == counted[source, cause], (source, cause)


@cocotb.test()
async def what_comes_while_the_counters_are_cleared_is_counted(dut):
    await start(dut)
    given = {source: (source + 1) % CAUSES for source in range(SOURCES)}
    await give(dut, given)
    for _ in range(2 * SOURCES * CAUSES + TURN):
        await FallingEdge(dut.clk)
    for source, cause in given.items():
        assert await read(dut, source, cause) == 1
        assert await read(dut, source, (cause + 1) % CAUSES) == 0
    await reset(dut)
    for source, cause in given.items():
        assert await read(dut, source, cause) == 0


@pytest.mark.parametrize(("sources", "causes"), [(2, 32), (8, 32), (6, 4)])
def test_cause_counters(sources: int, causes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCES", str(sources))
    monkeypatch.setenv("CAUSES", str(causes))
    simulate("cause_counters", "test_cause_counters", {"SOURCES": sources, "CAUSES": causes})
