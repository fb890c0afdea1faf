"""wall_clock: decimal universal time, consistent at every moment, over every roll-over, with the sums of its digits."""

from datetime import datetime, timedelta
from random import Random

import cocotb
import fix_order as fix
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from harness import simulate

MILLISECOND = timedelta(milliseconds=1)


class Bench:
    def __init__(self, dut) -> None:
        self.dut = dut
        self.now = 5

    async def start(self) -> None:
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, 8, "ns").start())
        dut.load.value = dut.date_load.value = dut.time_ns.value = 0
        dut.rst.value = 1
        for _ in range(3):
            await FallingEdge(dut.clk)
        dut.rst.value = 0

    async def cycle(self, step: int = 8) -> None:
        self.now += step
        self.dut.time_ns.value = self.now
        await FallingEdge(self.dut.clk)

    async def load(self, moment: datetime, until_next: int = 1_000_000) -> None:
        self.boundary = self.now + until_next
        self.dut.load_time.value, self.dut.load_boundary.value = fix.time_digits(moment), self.boundary
        self.dut.load.value = 1
        await self.cycle()
        self.dut.load.value = 0

    async def date(self, day: datetime) -> None:
        self.dut.load_date.value = fix.bcd(day.strftime("%Y%m%d"))
        self.dut.date_load.value = 1
        await self.cycle()
        self.dut.date_load.value = 0

    async def settle(self) -> None:
        for _ in range(22):
            await self.cycle()

    def check(self, moment: datetime) -> None:
        dut = self.dut
        assert int(dut.valid.value) == 1
        assert f"{int(dut.utc.value):017x}" == f"{fix.time_digits(moment):017x}"
        text = fix.fix_time(moment)
        even, odd = (sum(int(c) for c in text[parity::2] if c.isdigit()) for parity in (0, 1))
        assert int(dut.sums.value) == even << 15 | odd << 8 | even + odd


@cocotb.test()
async def every_roll_over_is_that_of_the_calendar(dut):
    bench = Bench(dut)
    await bench.start()
    rng = Random(3)
    moments = [datetime(2026, 1, 1) + timedelta(seconds=s) - MILLISECOND for s in (1, 10, 60, 600, 3600, 36000, 72000)]
    moments += [datetime(2026, 11, 21, h, 59, 59, 999000) for h in range(24)]
    moments += [datetime(y, m, d, 23, 59, 59, 999000) for y, m, d in ((2024, 2, 28), (2024, 2, 29), (2099, 12, 31), (2026, 9, 30))]
    moments += [datetime(2026, 11, 21) + rng.randrange(86_400_000) * MILLISECOND for _ in range(60)]
    for moment in moments:
        await bench.load(moment)
        await bench.date(moment + timedelta(days=1))
        await bench.settle()
        bench.check(moment)
        await bench.cycle(1_000_000)
        await bench.settle()
        bench.check(moment + MILLISECOND)


@cocotb.test()
async def the_next_millisecond_shows_20_cycles_behind_its_boundary_and_never_half(dut):
    bench = Bench(dut)
    await bench.start()
    moment = datetime(2026, 11, 21, 9, 59, 59, 998000)
    await bench.load(moment, 10_000)
    await bench.settle()
    changes = []
    before = int(dut.utc.value)
    # Each boundary, met exactly; the next is a millisecond later.
    for _ in range(2):
        while bench.now < bench.boundary:
            await bench.cycle(min(8, bench.boundary - bench.now) if bench.boundary - bench.now < 10_000 else 5_000)
        reached = 0
        for cycle in range(40):
            if int(dut.utc.value) != before:
                changes.append(cycle)
                before = int(dut.utc.value)
                reached += 1
            await bench.cycle()
        assert reached == 1
        moment += MILLISECOND
        bench.check(moment)
        bench.boundary += 1_000_000
    assert changes == [19, 19]


@cocotb.test()
async def a_day_begins_only_with_its_date(dut):
    bench = Bench(dut)
    await bench.start()
    last = datetime(2026, 12, 31, 23, 59, 59, 999000)
    assert int(dut.valid.value) == 0
    for with_date in (True, False, True):
        await bench.load(last)
        if with_date:
            await bench.date(datetime(2027, 1, 1))
        await bench.settle()
        assert int(dut.date_known.value) == with_date
        bench.check(last)
        await bench.cycle(1_000_000)
        await bench.settle()
        assert int(dut.date_known.value) == 0, "used up"
        assert int(dut.date_missing.value) == (not with_date)
        if with_date:
            bench.check(datetime(2027, 1, 1))
        for _ in range(3):
            await bench.cycle(1_000_000)
            await bench.settle()
            assert int(dut.valid.value) == with_date


@cocotb.test()
async def there_is_no_time_while_milliseconds_are_caught_up_with(dut):
    bench = Bench(dut)
    await bench.start()
    moment = datetime(2026, 11, 21, 23, 59, 59, 990000)
    await bench.load(moment)
    await bench.date(datetime(2026, 11, 22))
    await bench.settle()
    await bench.cycle(25_000_000)
    shown = 0
    for _ in range(25 * 19 + 25):
        await bench.cycle()
        if int(dut.valid.value) and int(dut.utc.value) != fix.time_digits(moment):
            shown += 1
            bench.check(moment + 25 * MILLISECOND)
    assert shown > 0


def test_wall_clock() -> None:
    simulate("wall_clock", "test_wall_clock")
