"""fast_time: digits of a date and a time of day to nanoseconds since midnight."""

from __future__ import annotations

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from harness import cases, simulate

DATES = (20130801, 20261126, 190404, 0)  # that 64 bits have room for, by groups of three decimals
KNOWN_SECOND, NEXT_SECOND, OTHER_SECOND = 14, 17, 91  # cycles at most
NEXT = 8  # seconds that cost a cycle each


async def begin(dut) -> None:
    cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
    dut.rst.value, dut.start.value, dut.forget.value, dut.value.value, dut.decimals.value = 1, 0, 0, 0, 0
    for _ in range(3):
        await FallingEdge(dut.clk)
    dut.rst.value = 0


async def start(dut, value: int, groups: int) -> None:
    dut.start.value, dut.value.value, dut.decimals.value = 1, value, groups
    await FallingEdge(dut.clk)
    dut.start.value = 0


async def convert(dut, value: int, groups: int) -> tuple[int, bool, int]:
    """Nanoseconds, whether it is no time of day, and the cycles that it took."""
    await start(dut, value, groups)
    cycles = 1
    while dut.busy.value:
        await FallingEdge(dut.clk)
        cycles += 1
        assert cycles <= OTHER_SECOND
    return int(dut.nanoseconds.value), bool(dut.bad.value), cycles


def digits(date: int, second_of_day: int, fraction: int, groups: int) -> int:
    """YYYYMMDDHHMMSS and 3 × groups decimals, as a number."""
    hours, minutes, seconds = second_of_day // 3600, second_of_day // 60 % 60, second_of_day % 60
    return int(f"{date}{hours:02}{minutes:02}{seconds:02}" + (f"{fraction:0{3 * groups}}" if groups else ""))


@cocotb.test
async def times_of_day_are_nanoseconds_and_those_of_the_same_second_are_fast(dut) -> None:
    await begin(dut)
    rng = random.Random(5)
    second = 0
    before = None
    advanced = 0
    for _ in range(cases(400, 20_000)):
        groups = rng.choice([0, 1, 1, 2, 3])
        date = rng.choice([0, DATES[groups]])
        if before is None or rng.random() < 0.3:
            second = rng.randrange(86_400)
        elif rng.random() < 0.5:
            second = min(second + rng.randrange(12), 86_399)
        fraction = rng.randrange(1000**groups)
        nanoseconds, bad, cycles = await convert(dut, digits(date, second, fraction, groups), groups)
        assert not bad
        assert nanoseconds == second * 10**9 + fraction * 1000 ** (3 - groups)
        assert int(dut.second.value) == second % 60
        if before == (date, second, groups):
            assert cycles <= KNOWN_SECOND
        elif before and before[0] == date and before[2] == groups and 0 < second - before[1] <= NEXT and second // 60 == before[1] // 60:
            assert cycles <= NEXT_SECOND + second - before[1]
            advanced += 1
        before = (date, second, groups)
        if rng.random() < 0.1:
            dut.forget.value = 1
            await FallingEdge(dut.clk)
            dut.forget.value = 0
            before = None
    assert advanced > 3


@cocotb.test
async def hours_minutes_and_seconds_beyond_a_day_are_bad_and_nothing_is_learnt_of_them(dut) -> None:
    await begin(dut)
    for value, is_bad in (
        (235959, False),
        (235960, False),  # a leap second
        (240000, True),
        (236000, True),
        (235961, True),
        (235961, True),
        (99_99_99, True),
        (0, False),
    ):
        _, bad, _ = await convert(dut, 20130801_000000 + value, 0)
        assert bad == is_bad, value


@cocotb.test
async def a_start_while_it_is_busy_begins_anew(dut) -> None:
    await begin(dut)
    rng = random.Random(6)
    for _ in range(cases(40, 1_000)):
        second = rng.randrange(86_390)
        if rng.random() < 0.5:
            await convert(dut, digits(20130801, second, 0, 1), 1)
        await start(dut, digits(20130801, second + rng.randrange(9), 0, 1), 1)
        for _ in range(rng.randrange(60)):
            await FallingEdge(dut.clk)
        second += rng.randrange(10)
        assert (await convert(dut, digits(20130801, second, 7, 1), 1))[:2] == (second * 10**9 + 7_000_000, False)


def test_fast_time() -> None:
    simulate("fast_time", "test_fast_time")
