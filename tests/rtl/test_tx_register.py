"""tx_register, with and without FROM_MEMORY, and tx_spare, against a queue: every beat once, in order, one a cycle where no side waits."""

import random
from collections import deque

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from harness import simulate


def latency(dut) -> int:
    """Cycles from a beat at `in` to the same at `out`: tx_spare has none."""
    return 0 if int(dut.SPARE.value) else 2 if int(dut.FROM_MEMORY.value) else 1


def places(dut) -> int:
    """Beats that it holds at most."""
    return latency(dut) + 1


async def reset(dut) -> None:
    cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
    dut.in_valid.value = 0
    dut.out_ready.value = 0
    dut.rst.value = 1
    for _ in range(3):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    await RisingEdge(dut.clk)


async def drive(dut, cycles: int, valid_share: float, ready_share: float, rng: random.Random, held: deque[tuple[int, int, int]]) -> int:
    """Offers beats and takes them; returns how many came out. `held`: what went in and has not come out."""
    taken = 0
    offered = None
    for _ in range(cycles):
        if offered is None and rng.random() < valid_share:
            offered = (rng.getrandbits(len(dut.in_data)), rng.getrandbits(len(dut.in_keep)), rng.getrandbits(1))
        dut.in_valid.value = offered is not None
        if offered is not None:
            dut.in_data.value, dut.in_keep.value, dut.in_last.value = offered
        dut.out_ready.value = rng.random() < ready_share
        await RisingEdge(dut.clk)
        if offered is not None and dut.in_ready.value:
            held.append(offered)
            offered = None
        if dut.out_valid.value and dut.out_ready.value:
            assert (int(dut.out_data.value), int(dut.out_keep.value), int(dut.out_last.value)) == held.popleft()
            taken += 1
        assert len(held) <= places(dut)
    dut.in_valid.value = 0
    return taken


async def drain(dut, held: deque[tuple[int, int, int]]) -> None:
    """Takes all that is stored, and sees that nothing else comes."""
    await drive(dut, places(dut) + 3, 0.0, 1.0, random.Random(0), held)
    assert not held, "a beat never came out"


@cocotb.test()
async def beats_come_out_once_and_in_order_at_any_rate(dut):
    rng = random.Random(1)
    await reset(dut)
    held: deque[tuple[int, int, int]] = deque()
    for valid_share, ready_share in [(0.5, 0.5), (0.9, 0.3), (0.3, 0.9), (1.0, 0.5), (0.5, 1.0), (0.9, 0.9)]:
        taken = await drive(dut, 500, valid_share, ready_share, rng, held)
        # As many as the slower side lets through, less what chance takes.
        assert taken > 500 * min(valid_share, ready_share) * 0.6
        await drain(dut, held)


@cocotb.test()
async def what_went_in_comes_out_when_nothing_more_comes(dut):
    rng = random.Random(3)
    await reset(dut)
    held: deque[tuple[int, int, int]] = deque()
    for count in range(1, 12):
        await drive(dut, count, 1.0, 0.0, rng, held)
        assert held, "the first beat finds place"
        await drain(dut, held)


@cocotb.test()
async def a_beat_a_cycle_passes_when_the_reader_is_always_ready(dut):
    rng = random.Random(2)
    await reset(dut)
    held: deque[tuple[int, int, int]] = deque()
    assert await drive(dut, 300, 1.0, 1.0, rng, held) == 300 - latency(dut)


@cocotb.test()
async def ready_does_not_follow_the_reader_within_a_cycle(dut):
    await reset(dut)
    dut.in_valid.value = 1
    dut.in_data.value, dut.in_keep.value, dut.in_last.value = 1, 1, 0
    for _ in range(6):
        await RisingEdge(dut.clk)
    assert not dut.in_ready.value  # all registers hold a beat
    dut.out_ready.value = 1
    await RisingEdge(dut.clk)
    assert not dut.in_ready.value
    await RisingEdge(dut.clk)
    assert dut.in_ready.value


@cocotb.test()
async def a_beat_is_offered_whether_or_not_the_reader_is_ready(dut):
    """A sender that waits for `ready`, before a reader that waits for `valid`, would wait for ever."""
    await reset(dut)
    dut.in_valid.value = 1
    dut.in_data.value, dut.in_keep.value, dut.in_last.value = 5, 1, 1
    for _ in range(latency(dut) + 1):
        await RisingEdge(dut.clk)
    dut.in_valid.value = 0
    assert dut.out_valid.value
    assert int(dut.out_data.value) == 5
    for _ in range(5):
        await RisingEdge(dut.clk)
        assert dut.out_valid.value, "it stays"


@pytest.mark.parametrize(("width", "memory"), [(8, 0), (64, 0), (8, 1), (64, 1)])
def test_tx_register(width: int, memory: int) -> None:
    simulate("tx_register_tb", "test_tx_register", {"W": width, "FROM_MEMORY": memory})


@pytest.mark.parametrize("width", [8, 64])
def test_tx_spare(width: int) -> None:
    simulate("tx_register_tb", "test_tx_register", {"W": width, "SPARE": 1})
