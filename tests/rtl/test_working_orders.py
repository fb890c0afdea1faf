"""working_orders against an exchange that keeps its own books: after every report risk's exposure is what these say."""

import os
import random
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from harness import cases, simulate
from pins import Pins

PLACES = int(os.environ.get("PLACES", "512"))
NEW, CANCEL, REPLACE = range(3)
OPEN, CLOSED, REJECTED, REPLACED, CHANGE_REFUSED = range(5)
IS_SENT, IS_OPEN, HAS_ENDED, IS_REPLACED, IS_AS_IT_WAS, IS_UNKNOWN = range(6)  # working_e
GAP = 24  # cycles between orders that leave


def bcd(number: int) -> int:
    return int(f"{number:09d}", 16)


@dataclass
class Entry:
    """An order at the exchange, or a replacement that it has not answered."""

    instrument: int
    sell: bool
    quantity: int
    traded: int = 0
    original: int | None = None  # of a replacement
    strategy: bool = False


@dataclass
class Exposure:
    """What risk has, from what left and from the adjustments; and what is right, from the exchange's books."""

    buys: Counter[int] = field(default_factory=Counter)
    sells: Counter[int] = field(default_factory=Counter)
    open: int = 0


class Bench:
    def __init__(self, dut: Any, seed: int = 1) -> None:
        self.dut, self.rng = Pins(dut), random.Random(seed)
        self.risk = Exposure()
        self.position: Counter[int] = Counter()  # what was bought less what was sold
        self.orders: dict[int, Entry] = {}  # in the market
        self.requests: dict[int, Entry] = {}  # replacements not answered
        self.sent_queue: deque[tuple[int, int, Entry]] = deque()
        self.since_sent = 0
        self.changes: list[tuple[int, int, bool]] = []
        self.details: list[tuple[int, int]] = []  # of a report: the price of its fill, as it came, and its reason
        self.told: list[tuple[int, int, int]] = []  # of a report: its number, what is new of what was traded, whether it is a rejection
        self.unknown = self.overflows = self.adjustments = 0
        self.ready = 1.0

    async def start(self) -> None:
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
        dut.put(sent_valid=0, report_valid=0, adjust_ready=0, report_price=0, report_reason=0)
        dut.rst.value = 1
        for _ in range(4):
            await RisingEdge(dut.clk)
        dut.rst.value = 0
        for _ in range(PLACES + 8):
            await self.step()

    async def step(self) -> None:
        dut = self.dut
        await RisingEdge(dut.clk)
        if dut.adjust_valid.value and dut.adjust_ready.value:
            self.adjustments += 1
            instrument = int(dut.adjust_instrument.value)
            self.risk.buys[instrument] += dut.adjust_buy.signed
            self.risk.sells[instrument] += dut.adjust_sell.signed
            self.risk.open -= int(dut.adjust_closed.value)
        if dut.change_valid.value:
            what, place = int(dut.change_what.value), int(dut.change_place.value)
            number = int(f"{int(dut.change_number.value):x}")
            if what == IS_SENT:
                assert place == number % 1000 % PLACES
            else:
                self.told.append((number, int(dut.change_traded.value), int(dut.change_rejected.value)))
                self.details.append((int(dut.change_price.value), int(dut.change_reason.value)))
            self.changes.append((what, place, bool(dut.change_strategy.value)))
        self.unknown += int(dut.unknown.value)
        self.overflows += int(dut.overflow.value)
        self.since_sent += 1
        sends = bool(self.sent_queue) and self.since_sent >= GAP
        dut.put(sent_valid=int(sends), adjust_ready=int(self.rng.random() < self.ready))
        if sends:
            number, kind, entry = self.sent_queue.popleft()
            dut.put(sent_number=bcd(number), sent_kind=kind, sent_sell=int(entry.sell), sent_instrument=entry.instrument)
            dut.put(sent_quantity=entry.quantity, sent_strategy=int(entry.strategy))
            self.since_sent = 0

    # ---- what leaves: risk counts it (risk_check) ----------------------------------------------------------

    def send(self, number: int, entry: Entry) -> None:
        kind = NEW if entry.original is None else REPLACE
        (self.risk.sells if entry.sell else self.risk.buys)[entry.instrument] += entry.quantity
        self.risk.open += kind == NEW
        (self.orders if kind == NEW else self.requests)[number] = entry
        self.sent_queue.append((number, kind, entry))

    # ---- what the exchange does, and says -------------------------------------------------------------------

    def trade(self, number: int, quantity: int) -> None:
        entry = self.orders[number]
        entry.traded += quantity
        self.position[entry.instrument] += -quantity if entry.sell else quantity

    async def report(self, what: int, number: int, traded: int = 0, original: int | None = None, price: int = 0, reason: int = 0) -> None:
        dut = self.dut
        dut.put(report_price=price, report_reason=reason)
        # The exchange answers what it has got.
        while self.sent_queue or self.since_sent < 2:
            await self.step()
        dut.put(report_valid=1, report_what=what, report_number=bcd(number), report_traded=traded)
        dut.put(report_has_original=int(original is not None), report_original=bcd(original or 0))
        while True:
            await self.step()
            if dut.report_ready.value:
                break
        # It was taken in the cycle that this edge ended.
        dut.put(report_valid=0, report_price=0, report_reason=0)

    async def settle(self) -> None:
        ready, self.ready = self.ready, 1.0
        for _ in range(60):
            await self.step()
        self.ready = ready

    def right(self) -> Exposure:
        """From the exchange's books alone: everything open and filled, and what has no answer yet."""
        found = Exposure(open=len(self.orders))
        for instrument in range(16):
            mine = [entry for entry in self.orders.values() if entry.instrument == instrument]
            asked = [entry for entry in self.requests.values() if entry.instrument == instrument]
            position = self.position[instrument]
            for side, sell in ((found.buys, False), (found.sells, True)):
                side[instrument] = -position if sell else position
                side[instrument] += sum(entry.quantity - entry.traded for entry in mine if entry.sell == sell)
                side[instrument] += sum(entry.quantity for entry in asked if entry.sell == sell)
        return found

    async def check(self) -> None:
        await self.settle()
        right = self.right()
        for instrument in range(16):
            got = (self.risk.buys[instrument], self.risk.sells[instrument])
            assert got == (right.buys[instrument], right.sells[instrument]), instrument
        assert self.risk.open == right.open


async def bench(dut: Any, seed: int = 1) -> Bench:
    made = Bench(dut, seed)
    await made.start()
    return made


@cocotb.test()
async def fills_and_ends_give_back_what_the_order_had_taken(dut: Any) -> None:
    b = await bench(dut)
    b.send(5, Entry(3, sell=False, quantity=10, strategy=True))
    b.send(6, Entry(3, sell=True, quantity=10))
    await b.report(OPEN, 5)
    await b.check()
    b.trade(5, 4)
    await b.report(OPEN, 5, 4)
    await b.check()
    await b.report(OPEN, 5, 4)  # again
    await b.report(OPEN, 5, 3)  # an old one
    await b.check()
    await b.report(CLOSED, 5, 4)
    del b.orders[5]
    await b.check()
    await b.report(CLOSED, 5, 4)
    b.trade(6, 10)
    await b.report(CLOSED, 6, 10)
    del b.orders[6]
    await b.check()
    assert b.adjustments == 3
    assert b.unknown == 1
    sent = [(IS_SENT, 5, True), (IS_SENT, 6, False)]
    assert b.changes == [*sent, *[(IS_OPEN, 5, True)] * 4, (HAS_ENDED, 5, True), (HAS_ENDED, 6, False)]
    assert b.told == [(5, 0, 0), (5, 4, 0), (5, 0, 0), (5, 0, 0), (5, 0, 0), (6, 10, 0)]


@cocotb.test()
async def the_price_of_a_fill_and_the_reason_of_a_refusal_come_with_the_change(dut: Any) -> None:
    b = await bench(dut)
    price = 3 << 32 | 585_330_0  # known and negative
    b.send(5, Entry(3, sell=False, quantity=10))
    b.send(6, Entry(3, sell=False, quantity=25, original=5))
    b.trade(5, 4)
    await b.report(OPEN, 5, 4, price=price)
    await b.report(CHANGE_REFUSED, 6, original=5, reason=99)  # of the replacement,
    await b.report(CHANGE_REFUSED, 7, original=5, reason=65_535)  # of a cancel,
    await b.report(CHANGE_REFUSED, 8, original=500, reason=1)  # of a cancel of an order that is not here
    await b.report(REJECTED, 5, 4, price=price, reason=13)
    await b.settle()
    assert b.details == [(price, 0), (0, 99), (0, 65_535), (0, 1), (price, 13)]


@cocotb.test()
async def a_report_about_an_order_that_nobody_sent_changes_nothing(dut: Any) -> None:
    b = await bench(dut)
    b.send(5, Entry(3, sell=False, quantity=10))
    for number in (6, 1005, 517, 100_000_005, 999_999_999, 0):
        for what in range(5):
            await b.report(what, number, 7)
            await b.report(what, number, 7, original=number + 1000 if number < 10_000 else 3)
    await b.check()
    assert b.adjustments == 0
    # A strategy may wait for the refusal of a request about an order that has ended.
    assert b.changes == [(IS_SENT, 5, False), *[(IS_UNKNOWN, 0, True)] * 24]
    assert Counter(number for number, *_ in b.told) == dict.fromkeys((6, 1005, 517, 100_000_005, 999_999_999, 0), 4)
    assert b.unknown == 60


@cocotb.test()
async def a_replacement_takes_the_place_of_its_order(dut: Any) -> None:
    b = await bench(dut)
    b.send(5, Entry(3, sell=False, quantity=10))
    b.trade(5, 4)
    await b.report(OPEN, 5, 4)
    b.send(6, Entry(3, sell=False, quantity=25, original=5, strategy=True))
    await b.report(OPEN, 6, 4, original=5)  # it is being looked at
    await b.check()
    # One more is traded before it is replaced, and told with it.
    b.trade(5, 1)
    b.orders[6] = b.requests.pop(6)
    b.orders[6].traded = b.orders.pop(5).traded
    await b.report(REPLACED, 6, 5, original=5)
    await b.check()
    await b.report(REPLACED, 6, 5, original=5)
    b.trade(6, 20)
    await b.report(CLOSED, 6, 25)
    del b.orders[6]
    await b.check()
    first = [(IS_SENT, 5, False), (IS_OPEN, 5, False), (IS_SENT, 6, True), (IS_OPEN, 5, False)]
    assert b.changes == [*first, (IS_REPLACED, 6, True), (HAS_ENDED, 6, True)]
    assert b.told == [(5, 4, 0), (6, 0, 0), (6, 1, 0), (6, 20, 0)]


@cocotb.test()
async def a_replacement_that_is_refused_leaves_the_order_as_it_was(dut: Any) -> None:
    b = await bench(dut)
    for what in (CHANGE_REFUSED, REJECTED):
        b.send(5, Entry(2, sell=True, quantity=10, strategy=True))
        b.send(6, Entry(2, sell=True, quantity=25, original=5, strategy=True))
        await b.report(what, 6, original=5)
        del b.requests[6]
        await b.check()
        await b.report(CLOSED, 7, 0, original=5)  # a cancel names it
        del b.orders[5]
        await b.check()
    assert b.changes == [(IS_SENT, 5, True), (IS_SENT, 6, True), (IS_AS_IT_WAS, 6, True), (HAS_ENDED, 5, True)] * 2


@cocotb.test()
async def a_cancel_that_is_refused_changes_no_exposure_and_is_told(dut: Any) -> None:
    b = await bench(dut)
    for number, strategy in ((5, True), (7, False)):
        b.changes.clear()
        b.send(number, Entry(2, sell=True, quantity=10, strategy=strategy))
        await b.report(CHANGE_REFUSED, 600, original=number)
        await b.check()
        assert b.changes == [(IS_SENT, number, strategy), (IS_AS_IT_WAS, number, strategy)]
    assert b.adjustments == 0
    assert b.unknown == 0


@cocotb.test()
async def a_replacement_whose_quantity_is_traded_already_closes_the_order(dut: Any) -> None:
    b = await bench(dut)
    b.send(5, Entry(2, sell=True, quantity=10))
    b.trade(5, 6)
    b.send(6, Entry(2, sell=True, quantity=6, original=5))
    await b.report(REPLACED, 6, 6, original=5)
    del b.orders[5], b.requests[6]
    await b.check()
    assert b.changes[2:] == [(HAS_ENDED, 6, False)]


@cocotb.test()
async def an_end_that_tells_less_than_is_known_takes_no_fill_back(dut: Any) -> None:
    b = await bench(dut)
    b.send(5, Entry(3, sell=False, quantity=10))
    b.trade(5, 4)
    await b.report(OPEN, 5, 4)
    await b.report(CLOSED, 5, 3)
    del b.orders[5]
    await b.check()


@cocotb.test()
async def what_replaces_an_order_that_has_ended_gives_back_what_was_traded_of_it(dut: Any) -> None:
    b = await bench(dut)
    b.send(5, Entry(3, sell=False, quantity=10))
    b.send(6, Entry(3, sell=False, quantity=25, original=5))
    b.trade(5, 7)
    await b.report(CLOSED, 5, 7)
    del b.orders[5]
    await b.check()
    await b.report(REPLACED, 6, 7, original=5)
    await b.settle()
    # 7 are bought and 18 are open, of an order that ended for the count.
    assert (b.risk.buys[3], b.risk.sells[3], b.risk.open) == (25, -7, 0)


@cocotb.test()
async def an_open_order_whose_place_is_taken_is_told(dut: Any) -> None:
    b = await bench(dut)
    b.send(5, Entry(2, sell=True, quantity=10))
    await b.settle()
    assert not b.overflows
    b.send(1005, Entry(2, sell=True, quantity=10))
    await b.settle()
    assert b.overflows == 1
    await b.report(CLOSED, 5)
    await b.report(CLOSED, 1005)
    del b.orders[1005]
    await b.check()
    assert b.unknown == 1


@cocotb.test()
async def random_exchanges_and_exposures_are_equal(dut: Any) -> None:
    b = await bench(dut, 5)
    rng = b.rng
    number = 0
    told: list[tuple[int, int, int, int | None]] = []  # every report so far, to be sent again
    happened: Counter[str] = Counter()

    async def say(what: int, number: int, traded: int, original: int | None = None) -> None:
        told.append((what, number, traded, original))
        await b.report(what, number, traded, original)

    for _ in range(cases(1000, 20_000)):
        b.ready = rng.choice([0.05, 0.5, 1.0])
        chance = rng.random()
        number += rng.choice([1, 1, 2])
        if chance < 0.3 and len(b.orders) < 20:
            b.send(number, Entry(rng.randrange(4), rng.random() < 0.5, rng.choice([1, 10, (1 << 31) - 1]), strategy=rng.random() < 0.5))
        elif not b.orders:
            continue
        else:
            place = rng.choice(list(b.orders))
            if number - min(b.orders) > PLACES // 2:
                place, chance = min(b.orders), 0.85  # before its place is taken
            order = b.orders[place]
            left = order.quantity - order.traded
            asked = [request for request, entry in b.requests.items() if entry.original == place]
            if chance < 0.5 and not asked:
                b.send(number, Entry(order.instrument, order.sell, rng.choice([1, 5, order.quantity, order.quantity + 7]), original=place))
            elif chance < 0.65 and asked:
                request = b.requests.pop(asked[0])
                kind = rng.random()
                if kind < 0.7 and request.quantity >= order.traded:
                    happened["replaced"] += 1
                    del b.orders[place]
                    request.traded = order.traded
                    if request.quantity > request.traded:
                        b.orders[asked[0]] = request
                    await say(REPLACED, asked[0], request.traded, place)
                else:
                    happened["refused"] += 1
                    await say(CHANGE_REFUSED if kind < 0.85 else REJECTED, asked[0], order.traded, place)
            elif chance < 0.8:
                fill = rng.randrange(1, left + 1)
                b.trade(place, fill)
                happened["traded"] += 1
                closes = fill == left
                if closes:
                    del b.orders[place]
                await say(CLOSED if closes else OPEN, place, order.traded)
            elif chance < 0.9:
                del b.orders[place]
                happened["ended"] += 1
                cancel = rng.random() < 0.5
                if cancel:
                    await say(CLOSED, number, order.traded, place)
                else:
                    await say(rng.choice([CLOSED, REJECTED]), place, order.traded)
            if told and rng.random() < 0.3:
                happened["again"] += 1
                what, name, traded, original = rng.choice(told[-30:])
                # What was said of a request is said again only while it is known to be over.
                if name not in b.requests:
                    await b.report(what, name, traded, original)
        # A request whose order has ended is refused.
        for asks, entry in list(b.requests.items()):
            if entry.original not in b.orders:
                del b.requests[asks]
                await say(CHANGE_REFUSED, asks, 0, entry.original)
        await b.check()
    assert b.overflows == 0
    assert min(happened.values()) > 10, happened


@pytest.mark.parametrize("places", [512, 128])
def test_working_orders(places: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLACES", str(places))
    simulate("working_orders_tb", "test_working_orders", {"PLACES": places})
