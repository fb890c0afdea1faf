"""fast_wire_second: the second of the last packet, and the one after it, through minutes and up to an hour's end."""

from __future__ import annotations

from random import Random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from harness import cases, simulate

SECOND = 1_000_000_000
DAY = 86_400


def clock(of_day: int, groups: int) -> int:
    """A second of the day as HHMMSS and decimals."""
    return (of_day // 3600 * 10_000 + of_day // 60 % 60 * 100 + of_day % 60) * 1000**groups


@cocotb.test
async def packets_go_on_from_second_to_second_until_one_is_worked_out(dut) -> None:
    rng = Random(1)
    cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
    for name in ("known", "learnt", "advance", "forget", "second", "minute", "groups", "digits", "nanoseconds"):
        getattr(dut, name).value = 0
    dut.listens.value = 1
    dut.rst.value = 1
    for _ in range(3):
        await FallingEdge(dut.clk)
    dut.rst.value = 0
    await FallingEdge(dut.clk)
    assert not int(dut.now_known.value)
    assert not int(dut.next_known.value)

    async def settle(of_day: int, groups: int) -> bool:
        """Checks what is known of a second a few cycles later. Whether the next one is."""
        assert not int(dut.steady.value), "a change is told"
        for _ in range(5):
            await FallingEdge(dut.clk)
        assert int(dut.steady.value)
        assert int(dut.now_known.value)
        assert int(dut.now_digits.value) == clock(of_day, groups)
        assert int(dut.now_nanoseconds.value) == of_day * SECOND
        following = of_day + 1
        assert int(dut.next_known.value) == (following % 3600 != 0)
        if following % 3600:
            assert int(dut.next_digits.value) == clock(following, groups), of_day
            assert int(dut.next_nanoseconds.value) == following * SECOND
        return following % 3600 != 0

    advanced = ends = passed_over = 0
    for _ in range(cases(300, 5_000)):
        of_day, groups = rng.choice([rng.randrange(DAY), rng.randrange(24) * 3600 + 3360 + rng.randrange(240)]), rng.randrange(4)
        if rng.random() < 0.2:
            # Nothing is known until it is worked out.
            dut.known.value = 0
            await FallingEdge(dut.clk)
            assert not int(dut.now_known.value)
        elif rng.random() < 0.3 and int(dut.now_known.value):
            # Of a packet that the microcode engine does besides: it does not count until there is one that is its own to do.
            before = int(dut.now_digits.value)
            dut.listens.value = 0
            dut.second.value, dut.digits.value = 1, rng.getrandbits(40)
            for _ in range(rng.choice([1, 2])):
                dut.learnt.value = 1 - int(dut.learnt.value)
                for _ in range(4):
                    await FallingEdge(dut.clk)
                    assert (int(dut.now_known.value), int(dut.now_digits.value)) == (1, before)
            dut.listens.value = 1
            await FallingEdge(dut.clk)
            assert int(dut.now_digits.value) == int(dut.digits.value)
            assert not int(dut.steady.value)
            passed_over += 1
        elif rng.random() < 0.1:
            dut.listens.value, dut.forget.value = 0, 1
            await FallingEdge(dut.clk)
            dut.listens.value, dut.forget.value = 1, 0
            assert not int(dut.now_known.value)
        dut.known.value, dut.learnt.value = 1, 1 - int(dut.learnt.value)
        dut.second.value, dut.minute.value, dut.groups.value = of_day % 60, of_day // 60 % 60, groups
        dut.digits.value, dut.nanoseconds.value = clock(of_day, groups), of_day * SECOND
        await FallingEdge(dut.clk)
        for _ in range(rng.choice([5, 70, 250])):
            if not await settle(of_day, groups):
                ends += 1
                break
            dut.advance.value = 1
            await FallingEdge(dut.clk)
            dut.advance.value = 0
            of_day += 1
            advanced += 1
    assert advanced > 3_000
    assert ends > 30
    assert passed_over > 30


def test_fast_wire_second() -> None:
    simulate("fast_wire_second_tb", "test_fast_wire_second")
