"""fast_range: whether a sum is in the range of an integer type, or of an exponent."""

from __future__ import annotations

import random

import cocotb
from cocotb.triggers import Timer
from harness import cases, simulate


@cocotb.test
async def sums_at_and_around_the_ends_of_every_type_are_told_apart(dut) -> None:
    rng = random.Random(3)
    ends = [0, -64, 64] + [sign * 2**power for power in (7, 8, 15, 16, 31, 32, 63, 64) for sign in (1, -1)]
    sums = [end + off for end in ends for off in (-2, -1, 0, 1, 2)]
    sums += [rng.randrange(-(2**71), 2**71) >> rng.randrange(71) for _ in range(cases(500, 50_000))]
    for total in sums:
        for width, bits in enumerate((8, 16, 32, 64)):
            for is_signed in (0, 1):
                dut.sum.value, dut.width.value, dut.is_signed.value = total % 2**72, width, is_signed
                await Timer(1, "ns")
                low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if is_signed else (0, 2**bits - 1)
                assert bool(dut.fits.value) == (low <= total <= high), (total, bits, is_signed)
                assert bool(dut.fits_exponent.value) == (-63 <= total <= 63), total


def test_fast_range() -> None:
    simulate("fast_range", "test_fast_range")
