"""Reads of the best 16 levels: each shows a side as it was at one moment, while events come and when none do."""

import random

import cocotb
from book_bench import Bench, buy, delete, sell
from book_model import BUY, SELL, WINDOW_TICKS, Best, Event, Window
from harness import cases, simulate

SIZES = {"SETS_LOG2": 7, "LEVEL_SETS_LOG2": 7, "LOG": 64, "FIFO": 64, "ORDERS": 900, "PATIENCE_LOG2": 13}
LOW = 16384 * 4 - 3000  # the upper bits of the ticks change within the window
WINDOWS = {0: Window(100, LOW), 1: Window(100, 100)}
LEVELS = 16


class Reader(Bench):
    """Keeps what a side was after each event since the read of it began."""

    def __init__(self, dut) -> None:
        super().__init__(dut, SIZES["LOG"], SIZES["ORDERS"])
        self.line: tuple[int, int] | None = None
        self.moments: list[list[Best]] = []
        self.reads = self.given_up = self.first_moments = 0

    def _moment(self) -> None:
        if self.line:
            self.moments.append(self.model.levels(*self.line)[:LEVELS])

    def _expect(self, event: Event) -> None:
        super()._expect(event)
        self._moment()

    def _expect_verdict(self, good: bool) -> None:
        super()._expect_verdict(good)
        self._moment()

    async def begin(self, instrument: int, side: int) -> None:
        dut = self.dut
        assert not dut.read_busy.value
        # What has come is in the book, but for what still waits.
        recent = self.moments[-1:] if self.line == (instrument, side) else []
        self.line, self.moments = (instrument, side), recent
        self._moment()
        dut.read_start.value, dut.read_instrument.value, dut.read_sell.value = 1, instrument, side
        await self.step()
        dut.read_start.value = 0
        await self.step()
        assert dut.read_busy.value

    async def levels(self) -> list[Best]:
        """Of the read that has ended."""
        dut = self.dut
        window = self.model.windows[self.line[0]] if self.line else Window()
        found: list[Best] = []
        for place in range(LEVELS):
            dut.read_place.value = place
            await self.step()
            tick, shares, orders = (int(getattr(dut, f"read_{name}").value) for name in ("tick", "shares", "orders"))
            if orders:
                assert len(found) == place, "levels after a place without one"
                found.append(Best(window.low + (tick - window.low) % (1 << 14), shares, orders))
            else:
                assert (tick, shares) == (0, 0)
        return found

    async def compare(self) -> None:
        """What was read, if it was, with what there was."""
        moments, self.line = self.moments, self.line
        if not self.dut.read_done.value:
            assert await self.levels() == []
            self.given_up += 1
            return
        found = await self.levels()
        assert found in moments, f"{self.line}: {found}"
        self.first_moments += found == moments[0]
        self.reads += 1

    async def read(self, instrument: int, side: int) -> list[Best]:
        """With nothing else."""
        await self.begin(instrument, side)
        for _ in range(10_000):
            await self.step()
            if not self.dut.read_busy.value:
                break
        assert self.dut.read_done.value
        return await self.levels()


def spread(apart: int) -> list[Event]:
    """Orders in 25 levels of each side, so many ticks apart, one of another instrument, and two beyond the window, in no level."""
    orders = [buy(0, i, LOW + WINDOW_TICKS - 1 - apart * (i // 2), 10 + i) for i in range(1, 49)]
    orders += [sell(0, 100 + i, LOW + apart * (i // 2), 10 + i) for i in range(1, 49)]
    return [*orders, sell(1, 200, 150, 7), buy(0, 201, LOW - 5), sell(0, 202, LOW + WINDOW_TICKS)]


async def started(dut) -> Reader:
    b = Reader(dut)
    await b.start(WINDOWS)
    return b


@cocotb.test()
async def the_best_16_levels_of_each_side_with_quantity_and_orders(dut):
    b = await started(dut)
    assert await b.read(0, BUY) == []
    for apart in (1, 3, 130, 341):
        orders = spread(apart)
        for at in range(0, len(orders), 50):
            await b.frame(orders[at : at + 50], gap=1)
        await b.settle()
        for left in range(24):
            for side in (BUY, SELL) if left % 3 == 0 else ():
                levels = b.model.levels(0, side)
                assert len(levels) == 25 - left
                assert await b.read(0, side) == levels[:LEVELS]
            if left in (0, 1):
                assert await b.read(1, SELL) == [Best(150, 7, 1)]
            gone = [1] if left == 0 else [2 * left, 2 * left + 1]
            await b.frame([delete(i + side) for side in (0, 100) for i in gone], gap=1)
            await b.settle()
        await b.frame([delete(i) for i in [48, 148, 200, 201, 202] if i in b.model.orders], gap=1)
        await b.settle()
        assert not b.model.orders
        assert await b.read(0, SELL) == []


@cocotb.test()
async def a_read_shows_one_moment_while_events_come(dut):
    b = await started(dut)
    rng = random.Random(18)
    live: list[int] = []
    id_ = 0
    for turn in range(cases(500, 20_000)):
        if not b.line or not dut.read_busy.value:
            if b.line:
                await b.compare()
            await b.begin(rng.randrange(2), rng.choice([BUY, SELL]))
        frame, after = [], list(live)
        for _ in range(rng.randrange(1, 6)):
            if len(after) > 60 or (after and rng.random() < 0.4):
                frame.append(delete(after.pop(rng.randrange(len(after)))))
            else:
                id_ += 1
                instrument, side = rng.randrange(2), rng.choice([buy, sell])
                frame.append(side(instrument, id_, WINDOWS[instrument].low + 4000 + rng.randrange(400), rng.randrange(1, 99)))
                after.append(id_)
        good = rng.random() < 0.8
        await b.frame(frame, good, gap=rng.choice([1, 1, 3, 40]))
        if good:
            live = after
        await b.rest(rng.choice([0, 10, 100, 900]) if turn % 4 else 0)
    await b.settle()
    assert b.reads > cases(40, 2500)
    assert b.first_moments < b.reads, "some began anew"


@cocotb.test()
async def a_read_of_a_side_that_never_rests_is_given_up(dut):
    b = await started(dut)
    b.compares = False
    await b.frame([sell(1, i, 200 + i) for i in range(1, 20)], gap=1)
    await b.begin(1, SELL)
    cycles = 0
    while dut.read_busy.value:
        await b.frame([sell(1, 50, 200), delete(50)], gap=8)
        cycles += 1
        assert cycles < 1000
    assert not dut.read_done.value
    assert await b.levels() == []
    assert await b.read(1, SELL) == b.model.levels(1, SELL)[:LEVELS], "the next one is not harmed"


@cocotb.test()
async def a_line_that_runs_short_goes_first(dut):
    """The best prices are known again as soon as without a read."""
    b = await started(dut)
    taken = []
    for reads in (False, True):
        await b.frame([buy(0, i, LOW + 8000 - 8 * i) for i in range(1, 33)], gap=1)
        await b.frame([sell(1, 100 + i, 200 + 100 * i) for i in range(1, 41)], gap=1)
        await b.settle()
        await b.rest(4000)
        if reads:
            await b.begin(1, SELL)
            await b.rest(120)
            assert dut.read_busy.value
        await b.frame([delete(i) for i in range(1, 9)], gap=1)
        start = b.cycle
        while not dut.change_known.value:
            await b.step()
            assert b.cycle < start + 2000
        taken.append(b.cycle - start)
        await b.frame([delete(i) for i in [*range(9, 33), *range(101, 141)]], gap=1)
        await b.settle()
        await b.rest(8000)
    assert taken[1] <= taken[0] + 40, taken


def test_book_walk() -> None:
    simulate("book_tb", "test_book_walk", parameters=SIZES)
