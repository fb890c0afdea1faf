"""book_ticks and book_price against Python's division: ranks in order, exact, windows of any place and tick."""

import random
from collections import deque

import cocotb
from book_model import WINDOW_TICKS
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from harness import cases, simulate

RANKS = 1 << 14
MOST = (1 << 32) - 1
# 0.0025, 0.01, 0.0005 at six decimals; the largest odd factor.
TICK_SIZES = [1, 2, 3, 5, 10, 25, 31, 50, 100, 100, 200, 31 << 7, 2_500, 10_000, 500, 2_047, 2_047 << 7, 1_999]


def rank_of(tick: int, sell: int) -> int:
    return (tick if sell else ~tick) % RANKS


@cocotb.test()
async def prices_are_ranks_and_prices_again(dut):
    rng = random.Random(1)
    cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
    for name in ("write", "below", "above", "ranked", "given_rank", "given_valid", "given"):
        getattr(dut, name).value = 0
    await FallingEdge(dut.clk)
    windows = []
    for instrument in range(16):
        size = rng.choice(TICK_SIZES)
        low = rng.choice([0, rng.randrange(MOST // size - WINDOW_TICKS), rng.randrange(20_000), MOST // size - WINDOW_TICKS])
        low = min(low, MOST // size - WINDOW_TICKS)
        shift = (size & -size).bit_length() - 1
        values = {
            "instrument": instrument,
            "window_low_price": low * size,
            "window_low_tick": low,
            "window_end_price": (low + WINDOW_TICKS) * size,
            "window_shift": shift,
            "window_inverse": pow(size >> shift, -1, 1 << 24),
            "window_size": size,
        }
        for name, value in values.items():
            getattr(dut, name).value = value
        dut.write.value = 1
        await FallingEdge(dut.clk)
        windows.append((low, size))
    dut.write.value = 0

    ranks: deque[tuple[int, bool, bool, bool] | None] = deque([None] * 4)
    prices: deque[tuple[int, bool] | None] = deque([None] * 7)
    seen = {"outside": 0, "better": 0, "off_tick": 0, "ranked": 0}
    for _ in range(cases(6000, 200_000)):
        instrument, sell = rng.randrange(16), rng.randrange(2)
        low, size = windows[instrument]
        high = low + WINDOW_TICKS - 1
        near = [low, high, low - 1, high + 1, rng.randrange(low, high + 1), rng.randrange(low, high + 1), rng.randrange(MOST // size)]
        price = rng.choice(near) * size + rng.choice([0, 0, 0, rng.randrange(size), size & -size])
        price = rng.choice([price] * 20 + [0, MOST, -1, 1 << 32, -(1 << 62), rng.randrange(1 << 32)])
        below, above = price < low * size, price >= (high + 1) * size
        tick = low - 1 if below else high + 1 if above else price // size
        ranked = rng.random() < 0.2
        dut.instrument.value, dut.sell.value, dut.ranked.value = instrument, sell, ranked
        dut.price.value = price % (1 << 32)
        dut.below.value, dut.above.value = price < 0, price > MOST
        dut.given_rank.value = rank_of(tick, sell) if ranked else rng.randrange(RANKS)
        own = rng.random() < 0.2
        dut.given_valid.value, dut.given.value = own, price % (1 << 32)
        outside, better = (above, below) if sell else (below, above)
        if ranked:
            outside, better = below or above, False
        off_tick = not (ranked or below or above) and price % size != 0
        ranks.append((rank_of(tick, sell), outside, better, off_tick))
        known = own or not (below or above)
        prices.append(None if off_tick and not own else (price % (1 << 32) if own else price - price % size, known))
        for name, hit in zip(seen, (outside, better, off_tick, ranked), strict=True):
            seen[name] += hit

        due = ranks.popleft()
        if due:
            rank, *flags = due
            if not due[3]:
                assert int(dut.rank.value) == rank
            assert [bool(dut.outside.value), bool(dut.better.value), bool(dut.off_tick.value)] == flags
        again = prices.popleft()
        if again:
            assert bool(dut.price_known.value) == again[1]
            if again[1]:
                assert int(dut.price_again.value) == again[0]
        await FallingEdge(dut.clk)
    assert min(seen.values()) > 100, seen


def test_book_ticks() -> None:
    simulate("book_ticks_tb", "test_book_ticks")
