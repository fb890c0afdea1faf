"""fifo and fifo_registered against a deque: the same words, the same counts, the same refusals, whatever is written and read when."""

import os
import random
from collections import deque

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from harness import simulate

WIDTH = int(os.environ.get("FIFO_WIDTH", "64"))
DEPTH = int(os.environ.get("FIFO_DEPTH", "16"))  # words it has room for


async def reset(dut) -> None:
    cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
    dut.write.value = 0
    dut.read.value = 0
    dut.rst.value = 1
    for _ in range(3):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    await RisingEdge(dut.clk)


async def compare(dut, cycles: int, write_share: float, read_share: float, rng: random.Random, held: deque[int]) -> tuple[int, int]:
    """Runs against the model; returns how many writes were refused and the most words held."""
    refused = most = 0
    for _ in range(cycles):
        write, read, word = rng.random() < write_share, rng.random() < read_share, rng.getrandbits(WIDTH)
        dut.write.value, dut.read.value, dut.write_data.value = write, read, word
        await RisingEdge(dut.clk)  # samples what stood in the cycle just driven
        assert int(dut.count.value) == len(held)
        assert bool(dut.empty.value) == (not held)
        full = len(held) == DEPTH
        assert bool(dut.full.value) == full
        assert bool(dut.overflow.value) == (write and full)
        if held:
            assert int(dut.read_data.value) == held[0]
        if read and held:
            held.popleft()
        if write and not full:
            held.append(word)
        refused += write and full
        most = max(most, len(held))
    return refused, most


@cocotb.test()
async def words_come_out_in_order_at_any_rate(dut):
    rng = random.Random(1)
    await reset(dut)
    held: deque[int] = deque()
    for write_share, read_share in [(0.5, 0.5), (0.9, 0.3), (0.3, 0.9), (1.0, 1.0), (1.0, 0.5), (0.1, 0.1), (0.5, 1.0)]:
        await compare(dut, 10 * DEPTH + 200, write_share, read_share, rng, held)


@cocotb.test()
async def it_holds_exactly_depth_words_and_refuses_the_next(dut):
    rng = random.Random(2)
    await reset(dut)
    held: deque[int] = deque()
    assert await compare(dut, DEPTH + 5, 1.0, 0.0, rng, held) == (5, DEPTH)
    refused, _ = await compare(dut, 1, 1.0, 1.0, rng, held)  # refused even though a word leaves
    assert refused == 1
    await compare(dut, DEPTH + 5, 0.0, 1.0, rng, held)
    assert not held


@cocotb.test()
async def a_word_falls_through_in_one_cycle(dut):
    rng = random.Random(3)
    await reset(dut)
    for _ in range(3 * DEPTH):
        word = rng.getrandbits(WIDTH)
        dut.write.value, dut.write_data.value, dut.read.value = 1, word, 0
        await RisingEdge(dut.clk)
        assert dut.empty.value
        dut.write.value, dut.read.value = 0, 1
        await RisingEdge(dut.clk)
        assert not dut.empty.value
        assert int(dut.read_data.value) == word


@pytest.mark.parametrize(("width", "depth"), [(1, 2), (64, 16), (36, 512)])
@pytest.mark.parametrize(("module", "more"), [("fifo", 0), ("fifo_registered", 1)])
def test_fifo(module: str, more: int, width: int, depth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIFO_WIDTH", str(width))
    monkeypatch.setenv("FIFO_DEPTH", str(depth + more))
    simulate(module, "test_fifo", {"WIDTH": width, "DEPTH": depth})
