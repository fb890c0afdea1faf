"""price_book against a plain book: best prices after each entry, whatever leaves; rebuilds by the host; what makes it untradable."""

import random
from collections import Counter
from dataclasses import dataclass, field

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from harness import cases, simulate
from pins import Pins

TICKS = 8190
PART = 20  # bits that a tick is found in, the lowest seven of them no part of it
LATENCY = 5  # of an entry to `top`, and a cycle in the bench
SETTLED = 40  # cycles after which no entry is on its way
WINDOW, CLEAR, RESTORE, TRADABLE = range(4)
ADD, REDUCE, DELETE = range(3)
INPUTS = ("entry", "verdict", "lost", "new_session", "host_valid", "host_instrument", "clears", "wrong")


@dataclass
class Book:
    """How many orders are at each price, by side: bids, asks."""

    sides: tuple[Counter[int], Counter[int]] = field(default_factory=lambda: (Counter(), Counter()))

    def step(self, sells: int, price: int, adds: bool) -> None:
        levels = self.sides[sells]
        levels[price] += 1 if adds else -1
        if not levels[price]:
            del levels[price]

    def best(self, sells: int) -> tuple[int, int]:
        """Price and number of orders; 0, 0: there is none."""
        levels = self.sides[sells]
        if not levels:
            return (0, 0)
        price = min(levels) if sells else max(levels)
        return (price, levels[price])


class Bench:
    def __init__(self, dut, size: int = 25, low: int = 500_000) -> None:
        self.dut, self.size, self.low = Pins(dut), size, low
        self.book = Book()
        self.next = 1
        self.seen: list[tuple[int, int, int, int] | None] = []
        cocotb.start_soon(Clock(dut.clk, 2, "ns").start())

    async def reset(self) -> None:
        self.dut.put(**dict.fromkeys(INPUTS, 0), between=1, next=1, rst=1, good=1, from_first=0, lost_next=0)
        await self.cycles(3)
        self.dut.put(rst=0)

    async def cycles(self, count: int = 1) -> None:
        for _ in range(count):
            await FallingEdge(self.dut.clk)

    async def host(self, request: int, **values: int) -> bool:
        self.dut.put(host_valid=1, host_request=request, **values)
        for _ in range(10_000):
            await self.cycles()
            if self.dut.host_ready.value:
                done = bool(self.dut.host_done.value)
                self.dut.put(host_valid=0)
                await self.cycles()
                return done
        raise AssertionError("the host's request is not answered")

    async def window(self) -> bool:
        shift = (self.size & -self.size).bit_length() - 1
        end = self.low + TICKS * self.size
        inverse = pow(self.size >> shift, -1, 1 << 24)
        return await self.host(WINDOW, low_price=self.low, end_price=end, shift=shift, inverse=inverse, size=self.size)

    async def begin(self) -> None:
        """An empty book that is tradable."""
        await self.reset()
        assert await self.window()
        assert await self.host(TRADABLE, host_next=1)

    async def entry(self, sells: int, price: int, adds: bool, *, steps: int = 1, last: bool = False, good: int = 1, **more: int) -> None:
        """One cycle with an entry."""
        self.dut.put(entry=1, steps=steps, adds=int(adds), sells=sells, price=price, tick=self.tick_of(price), **more)
        self.dut.put(verdict=int(last), good=good)
        await self.cycles()
        self.dut.put(entry=0, verdict=0, clears=0, wrong=0)

    def one(self) -> int:
        """What a price of 1 is in ticks."""
        shift = (self.size & -self.size).bit_length() - 1
        return (pow(self.size >> shift, -1, 1 << PART) << (PART - 13 - shift)) % (1 << PART)

    def tick_of(self, price: int) -> int:
        """As the decoder finds it: of a price that is on none, some."""
        return (price - self.low) * self.one() % (1 << PART) >> PART - 13

    def place(self, tick: int) -> int:
        return self.low + tick * self.size


def moves(rng: random.Random, book: Book, bench: Bench, middle: int) -> tuple[int, int, bool]:
    """An order that enters near the middle, or one that leaves, often at the best price."""
    sells = rng.randrange(2)
    levels = book.sides[sells]
    if levels and rng.random() < 0.5:
        price = book.best(sells)[0] if rng.random() < 0.6 else rng.choice(list(levels))
        return (sells, price, False)
    away = min(rng.randint(1, 60), rng.randint(1, 60)) if rng.random() < 0.95 else rng.randint(1, 3_000)
    return (sells, bench.place(middle + (away if sells else -away)), True)


@cocotb.test()
async def the_best_prices_follow_each_entry(dut):
    """At every rate; where it does not know a best price it says so, and tells it when it does."""
    rng = random.Random(1)
    bench = Bench(dut)
    await bench.begin()
    pins = bench.dut
    expected = [(False, (0, 0), (0, 0))] * (LATENCY - 1)
    unknown = known_again = 0
    bursts = 0
    leaving = 0
    middle = 4_000
    for number in range(cases(12_000, 200_000)):
        middle += rng.choice((-1, 0, 0, 0, 1))
        busy = rng.random() < (0.9 if bursts else 0.3)
        bursts = bursts - 1 if bursts else 40 * (rng.random() < 0.01)
        move = None
        if busy:
            if leaving and bench.book.sides[leaving % 2]:
                # A series of deletes at the best price: more levels go than are at hand.
                move = (leaving % 2, bench.book.best(leaving % 2)[0], False)
                leaving -= 2
            else:
                leaving = rng.choice((40, 41)) if rng.random() < 0.004 else 0
                move = moves(rng, bench.book, bench, middle)
        if move:
            bench.book.step(*move)
            await bench.entry(*move, last=rng.random() < 0.5)
        else:
            await bench.cycles()
        expected.append((move is not None, bench.book.best(0), bench.book.best(1)))
        changed, *best = expected.pop(0)
        assert not pins.fault.value, number
        again = bool(pins.top_verdict.value) and not pins.top_judged.value
        assert bool(pins.top_valid.value) == (changed or again), number
        if pins.top_valid.value:
            found = [(pins.bid.value, pins.bid_orders.value), (pins.ask.value, pins.ask_orders.value)]
            for mine, theirs in zip(found, best, strict=True):
                assert mine == theirs or (mine == (0, 0) and not pins.top_complete.value), (number, found, best)
            unknown += not pins.top_complete.value
            known_again += again
            assert pins.top_tradable.value
    await bench.cycles(3_000)
    assert (pins.comes_bid.value, pins.comes_ask.value) == (bench.book.best(0)[0], bench.book.best(1)[0])
    assert unknown > 20, unknown
    assert known_again > 1, known_again


@cocotb.test()
async def a_packet_that_takes_all_levels_at_hand_answers_as_soon_as_any_other(dut):
    """Level after level, in one packet, on either side and on both in turn: the next one is known in time, at every rate of a line."""
    bench = Bench(dut)
    await bench.begin()
    pins = bench.dut
    middle = 4_000
    for sides in ((0,), (1,), (0, 1)):
        # Ticks from one level to the next; cycles of how many have an entry. An entry has nine bytes or more.
        for apart, (busy, of), levels in (
            (1, (8, 9), 16),
            (1, (2, 3), 60),
            (2, (2, 3), 60),
            (4, (1, 2), 60),
            (9, (1, 4), 30),
            (3, (1, 1), 14),
        ):
            if len(sides) == 2:
                levels = min(levels, 40)  # the search goes from side to side
            for sells in sides:
                for place in range(levels + 2):
                    tick = middle + (apart * place + 1) * (1 if sells else -1)
                    bench.book.step(sells, bench.place(tick), True)
                    await bench.entry(sells, bench.place(tick), True, last=True)
            # All that is near is found ahead.
            await bench.cycles(3 * SETTLED)
            for number in range(levels):
                sells = sides[number % len(sides)]
                last = number == levels - 1
                price = bench.book.best(sells)[0]
                bench.book.step(sells, price, False)
                await bench.entry(sells, price, False, last=last)
                if number % busy == busy - 1 and not last:
                    await bench.cycles(of - busy)
            await bench.cycles(LATENCY - 1)
            case = (sides, apart, busy, of)
            assert (pins.top_valid.value, pins.top_verdict.value, pins.top_judged.value) == (1, 1, 1), case
            assert pins.top_complete.value, case
            assert (pins.bid.value, pins.ask.value) == (bench.book.best(0)[0], bench.book.best(1)[0]), case
            # And the book is empty again.
            for sells in sides:
                for price in list(bench.book.sides[sells]):
                    while bench.book.sides[sells][price]:
                        bench.book.step(sells, price, False)
                        await bench.entry(sells, price, False, last=True)
            await bench.cycles(SETTLED)
            assert pins.tradable.value, case


@cocotb.test()
async def what_was_found_ahead_follows_the_entries(dut):
    """Orders enter and leave where levels are found ahead, behind those at hand, while the best ones leave: at every rate."""
    rng = random.Random(3)
    bench = Bench(dut)
    await bench.begin()
    pins = bench.dut
    middle = 4_000
    expected = [(False, (0, 0), (0, 0))] * (LATENCY - 1)
    late = changes = 0
    for number in range(cases(16_000, 200_000)):
        if number % 200 == 0:
            rate = rng.choice((0.1, 0.25, 0.5, 0.67, 0.89, 1))
            span = rng.choice((16, 30, 30, 60))
            leave = rng.choice((0.3, 0.5, 0.6))
        move = None
        if rng.random() < rate:
            sells = rng.randrange(2) if number % 400 < 200 else number // 400 % 2
            levels = bench.book.sides[sells]
            if levels and rng.random() < leave:
                # Mostly the best one, or one of those behind it.
                near = sorted(levels, reverse=not sells)[: span // 2]
                price = near[0] if rng.random() < 0.5 else rng.choice(near)
                move = (sells, price, False)
            else:
                move = (sells, bench.place(middle + rng.randint(1, span) * (1 if sells else -1)), True)
        if move and bench.book.sides[move[0]][move[1]] < 400:
            bench.book.step(*move)
            await bench.entry(*move, last=rng.random() < 0.3)
        else:
            move = None
            await bench.cycles()
        expected.append((move is not None, bench.book.best(0), bench.book.best(1)))
        changed, *best = expected.pop(0)
        assert not pins.fault.value, number
        assert pins.tradable.value, number
        if changed:
            changes += 1
            late += not pins.top_complete.value
            found = [(pins.bid.value, pins.bid_orders.value), (pins.ask.value, pins.ask_orders.value)]
            for mine, theirs in zip(found, best, strict=True):
                assert mine == theirs or (mine == (0, 0) and not pins.top_complete.value), (number, found, best)
    await bench.cycles(3_000)
    assert (pins.comes_bid.value, pins.comes_ask.value) == (bench.book.best(0)[0], bench.book.best(1)[0])
    assert 20 < late < changes / 5, (late, changes)


@cocotb.test()
async def the_host_rebuilds_it(dut):
    """Orders of a snapshot, what has left since; entries that come meanwhile are not booked, and have to be in it."""
    rng = random.Random(2)
    bench = Bench(dut, size=100, low=1_000_000)
    await bench.begin()
    pins = bench.dut
    for _ in range(3):
        for _ in range(50):
            move = moves(rng, bench.book, bench, 4_000)
            bench.book.step(*move)
            await bench.entry(*move, last=True)
        await bench.cycles(SETTLED)
        pins.put(lost=1, lost_next=70)
        await bench.cycles()
        pins.put(lost=0)
        await bench.cycles()
        assert not pins.tradable.value
        assert not await bench.host(TRADABLE, host_next=1_000), "it is not being rebuilt"
        assert not await bench.host(RESTORE, host_restore=ADD, host_sells=0, host_price=bench.place(1), host_shares=1)
        assert await bench.host(CLEAR)
        assert not pins.listens.value
        assert not pins.tradable.value
        assert await bench.window()
        bench.book = Book()
        for _ in range(60):
            sells, price, adds = moves(rng, bench.book, bench, 4_000)
            bench.book.step(sells, price, adds)
            assert await bench.host(RESTORE, host_restore=ADD if adds else DELETE, host_sells=sells, host_price=price, host_shares=1)
            assert await bench.host(RESTORE, host_restore=REDUCE, host_sells=sells, host_price=price, host_shares=1)
        # An entry of message 79 is missed: what is restored has to reach it.
        pins.put(next=80)
        await bench.entry(1, bench.place(1), True, last=True)
        await bench.cycles(SETTLED)
        assert not await bench.host(TRADABLE, host_next=79)
        assert await bench.host(TRADABLE, host_next=80)
        assert pins.tradable.value
        await bench.cycles(1_000)  # the levels after the best ones are read
        assert (pins.comes_bid.value, pins.comes_ask.value) == (bench.book.best(0)[0], bench.book.best(1)[0])
        move = moves(rng, bench.book, bench, 4_000)
        bench.book.step(*move)
        await bench.entry(*move, last=True)
        await bench.cycles(LATENCY - 1)
        assert (pins.bid.value, pins.ask.value, pins.top_complete.value) == (bench.book.best(0)[0], bench.book.best(1)[0], 1)


@cocotb.test()
async def the_decoder_is_told_how_ticks_are_found(dut):
    """Of every tick size: what each power of ten is in ticks, and the window's begin."""
    for size, low in ((1, 0), (25, 500_000), (100, 1_000_000), (128 * 2_047, 7), (96, 4_294_000_000), (10_000, 123)):
        bench = Bench(dut, size=size, low=low)
        await bench.reset()
        factors = {}
        pins = bench.dut
        shift = (size & -size).bit_length() - 1
        pins.put(host_valid=1, host_request=WINDOW, low_price=low, end_price=min(low + TICKS * size, 0xFFFF_FFFF), shift=shift, size=size)
        pins.put(inverse=pow(size >> shift, -1, 1 << 24), host_instrument=0)
        while not pins.host_ready.value:
            await bench.cycles()
            if pins.factor_valid.value:
                factors[pins.factor_at.value] = pins.factor.value
        assert pins.host_done.value
        pins.put(host_valid=0)
        assert factors == {power: bench.one() * 10**power % (1 << PART) for power in range(6)}
        assert pins.low_part.value == low * bench.one() % (1 << PART)


@cocotb.test()
async def requests_that_cannot_be_done_are_refused(dut):
    bench = Bench(dut)
    await bench.reset()
    assert not await bench.host(WINDOW, host_instrument=1)
    assert not await bench.host(CLEAR, host_instrument=1)
    assert not await bench.host(TRADABLE, host_instrument=1, host_next=1)
    bench.dut.put(host_instrument=0)
    assert await bench.window()
    restore = {"host_restore": ADD, "host_sells": 1, "host_shares": 1}
    assert not await bench.host(RESTORE, **{**restore, "host_shares": 0}, host_price=bench.place(1)), "an order of nothing"
    assert not await bench.host(RESTORE, **restore, host_price=bench.place(1) + 1), "between two ticks"
    assert not await bench.host(RESTORE, **restore, host_price=bench.place(-1)), "better than the window"
    assert await bench.host(RESTORE, **restore, host_price=bench.place(TICKS + 5)), "beyond its worse end"
    assert not await bench.host(TRADABLE, host_next=1), "the best ask is not known"
    assert await bench.host(RESTORE, **restore, host_price=bench.place(TICKS - 1))
    assert not await bench.host(RESTORE, **{**restore, "host_restore": DELETE}, host_price=bench.place(2)), "no order is there"
    assert await bench.host(TRADABLE, host_next=1)
    assert not await bench.window(), "not while it is tradable"


@cocotb.test()
async def what_contradicts_makes_it_untradable(dut):
    """Once it is found, no change is told as tradable, until the host has rebuilt it."""
    bench = Bench(dut)
    far = TICKS + 3
    faults = {
        "a delete where no order is": [(1, 100, False)],
        "a delete of a level that the best ones do not hold": [*((1, tick, True) for tick in range(20)), (1, 500, False)],
        "a price better than the window": [(1, -1, True)],
        "a delete beyond the window where none is": [*((1, tick, True) for tick in range(10)), (1, far, False)],
        "more orders at a price than can be counted": [(0, 7, True)] * 512,
    }
    for name, steps in faults.items():
        await bench.begin()
        for sells, tick, adds in steps:
            assert bench.dut.tradable.value, name
            await bench.entry(sells, bench.place(tick), adds, last=True)
        await bench.cycles(SETTLED)
        assert not bench.dut.tradable.value, name
        await bench.entry(0, bench.place(50), True, last=True)
        await bench.cycles(LATENCY - 1)
        assert bench.dut.top_valid.value
        assert not bench.dut.top_tradable.value, name
        assert await bench.host(CLEAR)
        assert await bench.host(TRADABLE, host_next=1)
        assert bench.dut.tradable.value

    for name, entry in {
        "a price between two ticks": {"price": bench.place(3) + 1},
        "an entry that cannot be read": {"price": bench.place(3), "wrong": 1, "steps": 0},
    }.items():
        await bench.begin()
        await bench.entry(1, **{"adds": True, "last": True, **entry})
        await bench.cycles(SETTLED)
        assert not bench.dut.tradable.value, name

    # Not even at once: its tick has no meaning.
    for tick, sells in ((3, 1), (3, 0), (-1, 1), (TICKS, 0)):
        await bench.begin()
        await bench.entry(sells, bench.place(tick) + (tick == 3), True, last=True)
        await bench.cycles(LATENCY - 1)
        assert (bench.dut.top_valid.value, bench.dut.top_verdict.value, bench.dut.top_tradable.value) == (1, 1, 0), tick

    # The feed says that the book is empty: it is, or not.
    await bench.begin()
    await bench.entry(1, 0, True, steps=0, clears=1, last=True)
    await bench.cycles(SETTLED)
    assert bench.dut.tradable.value
    await bench.entry(1, bench.place(3), True, last=True)
    await bench.entry(1, 0, True, steps=0, clears=1, last=True)
    await bench.cycles(SETTLED)
    assert not bench.dut.tradable.value


@cocotb.test()
async def orders_beyond_the_window_are_not_forgotten(dut):
    """While there are some, no best price is made up where the levels that are known are gone."""
    bench = Bench(dut)
    await bench.begin()
    pins = bench.dut
    asks = [TICKS + 10, *range(100, 109)]
    for tick in asks:
        await bench.entry(1, bench.place(tick), True, last=True)
    await bench.cycles(SETTLED)
    for tick in range(100, 109):
        assert pins.comes_ask.value == bench.place(tick)
        await bench.entry(1, bench.place(tick), False, last=True)
        await bench.cycles(SETTLED)
    assert pins.tradable.value
    assert pins.comes_ask.value == 0
    await bench.entry(0, bench.place(5), True, last=True)
    await bench.cycles(LATENCY - 1)
    assert not pins.top_complete.value

    # One of them leaves, and nothing is unknown any more; one enters, and it is again.
    for adds, known in ((False, 1), (True, 0), (False, 1)):
        await bench.entry(1, bench.place(TICKS + 10), adds, last=True)
        await bench.cycles(3 * SETTLED)
        await bench.entry(0, bench.place(5), True, last=True)
        await bench.cycles(LATENCY - 1)
        assert (pins.ask.value, pins.top_complete.value, pins.top_tradable.value) == (0, known, 1), adds

    # The one beyond has the lowest bits of another's tick: in cycles that follow each other they are not taken for the same.
    orders = 0
    for adds in (True, True, False, True, False):
        orders += 1 if adds else -1
        await bench.entry(1, bench.place(8_192 + 8), True)
        await bench.entry(1, bench.place(8), adds)
        await bench.entry(1, bench.place(8_192 + 8), False, last=True)
        await bench.cycles(LATENCY - 1)
        assert (pins.ask.value, pins.ask_orders.value, pins.top_tradable.value) == (bench.place(8), orders, 1), adds
        await bench.cycles(3 * SETTLED)


@cocotb.test()
async def a_feed_that_begins_with_its_first_message_finds_it_ready(dut):
    bench = Bench(dut)
    for number, ready in ((1, True), (0, False)):
        await bench.begin()
        bench.dut.put(new_session=1, from_first=number, lost_next=number)
        await bench.cycles()
        bench.dut.put(new_session=0)
        await bench.cycles(SETTLED)
        assert bool(bench.dut.tradable.value) == ready


def test_price_book() -> None:
    simulate("price_book_tb", "test_price_book")
