"""order_log_price: mantissa and exponent to a price of four decimals, exact, or wrong where it is none; and to its tick."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from harness import cases, simulate
from pins import Pins

SCALE = 4
MASK = (1 << 32) - 1


def price_of(mantissa: int, exponent: int) -> int | None:
    """In 1/10,000; none: it has more decimals, is 0, negative, or more than 32 bits."""
    if not 0 <= exponent + SCALE <= 5 or not 0 < mantissa <= MASK:
        return None
    price = mantissa * 10 ** (exponent + SCALE)
    return price if price <= MASK else None


@cocotb.test()
async def a_price_is_its_mantissa_times_its_power_of_ten(dut):
    rng = random.Random(1)
    pins = Pins(dut)
    cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
    edge = [(0, 0), (1, -4), (MASK, -4), (MASK + 1, -4), (MASK // 10, -3), (MASK // 10 + 1, -3), (42949, 1), (42950, 1), (1, -5), (1, 2)]
    edge += [(-1, -4), (-(1 << 63), 0), (1 << 32, 1), (585, 0), (583475, -4)]
    edge += [(rng.randrange(500_000, 700_000) // 25 * 25, -4) for _ in range(200)] + [(rng.randrange(500, 704), -1) for _ in range(200)]
    random_cases = [
        (rng.randrange(1 << rng.randrange(1, 34)) * rng.choice((1, 1, 1, -1)), rng.randrange(-6, 4)) for _ in range(cases(3_000, 100_000))
    ]
    # A window of a tick of 25 from 50.
    part, low = 1 << 20, 500_000
    one = pow(25, -1, part) << 7
    for power in range(6):
        pins.put(factor_valid=1, factor_at=power, factor=one * 10**power % part)
        await FallingEdge(dut.clk)
    pins.put(factor_valid=0, low=low * one % part)
    edge += [(low + 25 * tick, -4) for tick in (0, 1, 8_189)]
    ticks = 0
    known = 0
    # The exponent comes a cycle before its mantissa; a price a cycle.
    given = [*edge, *random_cases, (1, 0), (1, 0), (1, 0)]
    for place, (_, exponent) in enumerate(given[:-1]):
        pins.put(exponent0=exponent & 0x7F, mantissa1=given[place - 1][0] & ((1 << 64) - 1) if place else 0)
        await FallingEdge(dut.clk)
        # In this cycle a mantissa was taken; the price of the one before it has left.
        if place >= 2:
            mantissa, power = given[place - 2]
            wanted = price_of(mantissa, power)
            assert bool(pins.wrong3.value) == (wanted is None), (mantissa, power)
            if wanted is not None:
                assert pins.price3.value == wanted, (mantissa, power)
                tick, rest = divmod(wanted - low, 25)
                if not rest and 0 <= tick < 8_190:
                    assert pins.tick3.value == tick, (mantissa, power)
                    ticks += 1
                assert pins.rank3.value == pins.tick3.value << 13 | (~pins.tick3.value & 0x1FFF), (mantissa, power)
                known += 1
    assert known > 200, known
    assert ticks > 200, ticks


def test_order_log_price() -> None:
    simulate("order_log_price", "test_order_log_price")
