"""A strategy's reads of levels: each shows the side as the frame left it whose events the strategy handles, whatever has come since."""

import random
from collections import deque

import cocotb
from book_bench import buy, delete, sell
from book_model import BUY, SELL, Best
from harness import cases, simulate
from test_book_walk import LEVELS, LOW, SIZES, WINDOWS, Reader, spread

Asked = tuple[int, int, int]  # instrument, side, number
Sides = dict[tuple[int, int], list[Best]]

# From a verdict: the strategy is known to be busy, as program_slot says it.
BUSY_AFTER = 2


class Strategy(Reader):
    """After each good frame it asks for some levels, and is busy until it has them."""

    def __init__(self, dut, rng: random.Random) -> None:
        super().__init__(dut)
        self.rng = rng
        self.asks = True
        self.frames: deque[Sides] = deque()  # what each left, in the order of their verdicts
        self.side: Sides = {}  # of the last one
        self.todo: list[Asked] = []
        self.busy_in: int | None = None
        self.pause = 0
        self.asked: tuple[Asked, int] | None = None  # with the cycle
        self.answered = False
        self.cycles: list[tuple[int, int]] = []  # number, cycles
        self.found = self.none = 0

    def _expect_verdict(self, good: bool) -> None:
        super()._expect_verdict(good)
        self.frames.append({(i, side): self.model.levels(i, side)[:LEVELS] for i in WINDOWS for side in (BUY, SELL)})

    def _compare(self) -> None:
        super()._compare()
        dut = self.dut
        assert not (dut.level_busy.value and dut.change_valid.value), f"cycle {self.cycle}: the next frame goes before this one is taken"
        if dut.out_verdict_valid.value:
            self.side = self.frames.popleft()
            if self.asks and dut.out_verdict_good.value:
                self.busy_in = BUSY_AFTER
                count = self.rng.randrange(5)
                self.todo = [(self.rng.randrange(2), self.rng.randrange(2), self.rng.randrange(LEVELS)) for _ in range(count)]
        self.answered = bool(dut.level_answered.value)
        if self.answered:
            assert self.asked
            (instrument, side, number), cycle = self.asked
            levels = self.side[instrument, side]
            expected = levels[number] if number < len(levels) else Best()
            price = int(dut.level_price.value)
            assert price % WINDOWS[instrument].tick == 0
            found = Best(price // WINDOWS[instrument].tick, int(dut.level_shares.value), int(dut.level_orders.value))
            assert found == expected, f"cycle {self.cycle}: level {number} of {instrument}, {side}"
            assert bool(dut.level_exists.value) == (number < len(levels))
            self.cycles.append((number, self.cycle - cycle))
            self.found += number < len(levels)
            self.none += number >= len(levels)

    async def _cycle(self, event, verdict) -> None:
        dut = self.dut
        if self.busy_in is not None:
            self.busy_in -= 1
            if self.busy_in == 0:
                self.busy_in = None
                dut.level_busy.value = 1
                self.pause = self.rng.choice([0, 3, 30])
        elif dut.level_busy.value:
            if self.answered:
                dut.level_asks.value, self.asked = 0, None
            elif self.asked is None and self.todo:
                asked = self.todo.pop()
                self.asked = asked, self.cycle
                dut.level_asks.value = 1
                dut.level_instrument.value, dut.level_sell.value, dut.level_number.value = asked
            elif self.asked is None:
                self.pause -= 1
                dut.level_busy.value = int(self.pause >= 0)
        await super()._cycle(event, verdict)

    async def ask(self, *asked: Asked) -> list[int]:
        """With no frame on its way: how many cycles each took."""
        before = len(self.cycles)
        self.todo = list(reversed(asked))
        self.dut.level_busy.value = 1
        self.pause = 1
        await self.step()
        while self.dut.level_busy.value:
            await self.step()
        return [cycles for _, cycles in self.cycles[before:]]


async def started(dut, seed: int) -> Strategy:
    b = Strategy(dut, random.Random(seed))
    dut.level_one_by_one.value = 1
    await b.start(WINDOWS)
    dut.level_one_by_one.value = 1
    return b


@cocotb.test()
async def the_best_16_levels_of_each_side_one_by_one(dut):
    b = await started(dut, 1)
    b.asks = False
    in_line: list[int] = []
    for apart in (1, 3, 130, 341):
        orders = spread(apart)
        for at in range(0, len(orders), 50):
            await b.frame(orders[at : at + 50], gap=1)
            await b.settle()
        for left in range(24):
            for side in (BUY, SELL) if left % 3 == 0 else ():
                assert len(b.side[0, side]) == min(25 - left, LEVELS)
                cycles = await b.ask(*[(0, side, number) for number in range(LEVELS)], (1, side, 0), (1, side, 1))
                in_line += cycles[:5]
            gone = [1] if left == 0 else [2 * left, 2 * left + 1]
            await b.frame([delete(i + side) for side in (0, 100) for i in gone], gap=1)
            await b.settle()
            await b.rest(200)
        await b.frame([delete(i) for i in [48, 148, 200, 201, 202] if i in b.model.orders], gap=1)
        await b.settle()
        assert not b.model.orders
        await b.ask((0, SELL, 0), (0, BUY, 15))
    assert sorted(in_line)[len(in_line) // 2] <= 16, in_line


@cocotb.test()
async def levels_are_those_of_the_frame_while_others_come(dut):
    rng = random.Random(19)
    b = await started(dut, 2)
    live: list[int] = []
    id_ = 0
    for _ in range(cases(400, 20_000)):
        if b.line and not dut.read_busy.value:
            await b.compare()
        # The host reads too.
        if not b.line and not b.changes and not b.verdicts and rng.random() < 0.3:
            await b.begin(rng.randrange(2), rng.choice([BUY, SELL]))
        frame, after = [], list(live)
        for _ in range(rng.randrange(6)):
            if len(after) > 60 or (after and rng.random() < 0.4):
                frame.append(delete(after.pop(rng.randrange(len(after)))))
            else:
                id_ += 1
                instrument, side = rng.randrange(2), rng.choice([buy, sell])
                frame.append(side(instrument, id_, WINDOWS[instrument].low + 4000 + rng.randrange(400), rng.randrange(1, 99)))
                after.append(id_)
        good = rng.random() < 0.8
        await b.frame(frame, good, gap=rng.choice([0, 1, 3, 40]), with_last=rng.random() < 0.5)
        if good:
            live = after
        await b.rest(rng.choice([0, 0, 10, 100, 900]))
        while len(b.changes) > 30:
            await b.step()
    await b.settle(40_000)
    assert not b.frames
    assert b.overflows == 0
    assert b.found > cases(300, 15_000)
    assert b.none > cases(20, 1000)
    assert b.reads > cases(20, 1000)
    assert b.undone > cases(20, 1000)


@cocotb.test()
async def levels_are_right_while_a_line_is_filled_up_and_the_host_reads(dut):
    b = await started(dut, 4)
    b.asks = False
    id_ = 0
    await b.frame([buy(0, 10_000 + i, LOW + 4000 - i) for i in range(20)], gap=1)
    await b.settle()
    for after in range(cases(60, 400)):
        ids = range(id_, id_ + (14 if after % 3 else 12))
        id_ = ids[-1] + 1
        await b.frame([sell(0, i, LOW + 4000 + i - ids[0], 1 + i % 90) for i in ids], gap=1)
        await b.settle()
        await b.frame([delete(i) for i in ids[:5]], gap=1, with_last=True)
        while b.verdicts:
            await b.step()
        await b.rest(after % 60)
        await b.ask(*[(0, SELL, number) for number in (5, 6, 7, 8, 9)])
        await b.settle()
        await b.begin(0, BUY)
        await b.rest(after * 3)
        await b.ask(*[(0, SELL, 8)] * 6)
        while dut.read_busy.value:
            await b.step()
        await b.compare()
        await b.frame([delete(i) for i in ids[5:]], gap=1)
        await b.settle()
        await b.rest(100)
    assert b.reads == cases(60, 400)


@cocotb.test()
async def without_reads_frames_do_not_wait(dut):
    b = Strategy(dut, random.Random(3))
    b.asks = False
    await b.start(WINDOWS)
    dut.level_one_by_one.value = 0
    most = []
    for one_by_one in (0, 1):
        dut.level_one_by_one.value = one_by_one
        await b.rest(4)
        b.latencies.clear()
        for i in range(20):
            await b.step(buy(0, 1 + i + 100 * one_by_one, LOW + 50 + i), True)
            await b.step()
        await b.settle()
        most.append(max(b.latencies))
    assert most[1] > 1.5 * most[0], most


def test_book_level_reads() -> None:
    simulate("book_tb", "test_book_level_reads", parameters={**SIZES, "LEVEL_READS": 1})
