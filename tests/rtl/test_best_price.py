"""best_price: after each good frame that changed its book, an intent at the watched side's best price, if it is new; or a cancel."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from random import Random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly
from harness import cases, simulate

DEPTH = 4
HANDLE = 64
LATENCY = 0
CANCEL = -1  # in place of a price


@dataclass(frozen=True)
class Change:
    instrument: int
    tradable: bool
    bid: int | None
    ask: int | None


class Model:
    """The rule of docs/reference/rules.md."""

    def __init__(self) -> None:
        self.enabled, self.instrument, self.sell = False, 0, False
        self.last: int | None = None
        self.changed: Change | None = None
        self.single = False
        self.blocked = False  # an answer is due about its one order
        self.working = False  # it is in the market
        self.cancels = False  # a cancel of it is due

    def write(self, enabled: bool, instrument: int, sell: bool) -> None:
        self.enabled, self.instrument, self.sell = enabled, instrument, sell
        self.last = self.changed = None
        self.blocked = self.working = self.cancels = False

    def change(self, change: Change) -> None:
        if self.enabled and change.instrument == self.instrument:
            self.changed = change

    def verdict(self, good: bool) -> int | None:
        change, self.changed = self.changed, None
        if not good or not change or self.blocked:
            return None
        price = (change.bid if self.sell else change.ask) if change.tradable else None
        if not price and self.working:
            self.last, self.blocked, self.cancels = None, True, True
            return CANCEL
        if not price or price == self.last:
            return None
        self.blocked = self.single
        self.last = price
        return price


class Bench:
    def __init__(self, dut) -> None:
        self.dut = dut
        self.cycle_number = 0
        self.model = Model()
        self.expected: deque[tuple[int, int]] = deque()  # price, and the cycle of its verdict
        self.taken: list[int] = []
        self.latencies: list[int] = []
        self.overflows = 0
        self.risk_ready = True
        self.write_ready = False
        self.shown = False
        self.price_soon = 0
        self.order = (0, 0, 0)  # handle, computed, instrument in the cycle before
        self.exact = True  # all changes are announced, and nothing else
        self.rng = Random(1)
        self.coming: tuple[Change | None, bool | None] = (None, None)

    async def start(self) -> None:
        cocotb.start_soon(Clock(self.dut.clk, 2, "ns").start())
        inputs = ("change_valid", "comes", "verdict_valid", "verdict_good", "write_valid", "intent_ready")
        early = ("improves", "improves_last", "improves_fault")
        for name in (*inputs, *early, "single", "not_sent", "cancel_sent", "working_valid", "replace_done"):
            getattr(self.dut, name).value = 0
        self.dut.rst.value = 1
        for _ in range(3):
            await FallingEdge(self.dut.clk)
        self.dut.rst.value = 0

    async def cycle(self, change: Change | None = None, verdict: bool | None = None) -> None:
        """The change and the verdict come in the cycle after this one, its prices in this one: always if it is tradable."""
        dut = self.dut
        coming = self.announced(change)
        dut.comes.value = coming is not None
        # The instrument of a change is there a cycle ahead of it, whether or not the change is announced.
        dut.comes_instrument.value = change.instrument if change else self.rng.randrange(3)
        if coming:
            dut.comes_instrument.value, dut.comes_bid.value, dut.comes_ask.value = coming.instrument, coming.bid or 0, coming.ask or 0
        now, self.coming = self.coming, (change, verdict)
        change, verdict = now
        dut.change_valid.value = change is not None
        if change:
            dut.change_instrument.value, dut.tradable.value = change.instrument, change.tradable
            for side, price in (("bid", change.bid), ("ask", change.ask)):
                getattr(dut, f"{side}_exists").value = price is not None
                getattr(dut, f"{side}_price").value = price or 0
            self.model.change(change)
        dut.verdict_valid.value, dut.verdict_good.value = verdict is not None, bool(verdict)
        if verdict is not None and (price := self.model.verdict(verdict)) is not None:
            self.expected.append((price, self.cycle_number))
        dut.intent_ready.value = self.risk_ready
        await ReadOnly()
        self.overflows += int(dut.overflow.value)
        self.write_ready = bool(int(dut.write_ready.value))
        assert not (self.write_ready and int(dut.intent_valid.value)), "an intent of the old parameters is still on its way"
        if int(dut.intent_valid.value):
            price, since = self.expected[0]
            handle = HANDLE + (2 if price == CANCEL else self.model.working)
            order = (handle, int(price != CANCEL), self.model.instrument)
            assert self.order == order, "risk reads it since the cycle before"
            assert self.price_soon == int(dut.intent_price.value), "its digits are being made since the cycle before"
            assert price in (CANCEL, self.price_soon)
            if not self.shown:
                self.latencies.append(self.cycle_number - since)
            self.shown = not self.risk_ready
            if self.risk_ready:
                self.taken.append(price)
                self.expected.popleft()
        self.price_soon = int(dut.intent_price_soon.value)
        self.order = (int(dut.intent_handle.value), int(dut.intent_computed.value), int(dut.intent_instrument.value))
        self.cycle_number += 1
        await FallingEdge(dut.clk)

    def announced(self, change: Change | None) -> Change | None:
        if self.exact or self.rng.random() < 0.8 or (change and change.tradable):
            return change
        return None if change else Change(self.rng.randrange(3), True, self.rng.randrange(9), self.rng.randrange(9))

    async def write(self, enabled: bool, instrument: int, sell: bool) -> None:
        dut = self.dut
        dut.write_valid.value, dut.enabled.value, dut.instrument.value, dut.sell.value = 1, enabled, instrument, sell
        for _ in range(40):
            await self.cycle()
            if self.write_ready:
                self.model.write(enabled, instrument, sell)
                dut.write_valid.value = 0
                return
        raise AssertionError("not taken")


@cocotb.test()
async def it_takes_the_best_ask_at_the_end_of_the_frame_that_changed_it(dut):
    bench = Bench(dut)
    await bench.start()
    await bench.write(True, 3, False)
    for _ in range(6):  # the order under new parameters is read
        await bench.cycle()
    frames = [
        ([Change(3, True, 10, 20)], True),  # the first
        ([Change(3, True, 11, 20)], True),  # the other side
        ([Change(3, True, 11, 19), Change(3, True, 11, 18)], True),  # its last change counts
        ([Change(3, True, 11, 17), Change(3, True, 11, 18)], True),  # back again
        ([Change(4, True, 11, 15)], True),  # another instrument
        ([Change(3, True, 11, 16)], False),  # a bad frame
        ([Change(3, False, 11, 16)], True),  # not tradable
        ([Change(3, True, 11, None)], True),  # no ask
        ([], True),
        ([Change(3, True, 11, 16)], True),
    ]
    for changes, good in frames:
        for change in changes:
            await bench.cycle(change)
        await bench.cycle(verdict=good)
        for _ in range(6):
            await bench.cycle()
    assert bench.taken == [20, 18, 16]
    assert set(bench.latencies) == {LATENCY}


@cocotb.test()
async def intents_wait_in_order_and_one_too_many_is_counted(dut):
    bench = Bench(dut)
    await bench.start()
    await bench.write(True, 0, True)
    bench.risk_ready = False
    for price in range(1, DEPTH + 2):  # one stands at the output
        await bench.cycle(Change(0, True, price, None), True)
    for _ in range(4):
        await bench.cycle()
    assert bench.overflows == 0
    await bench.cycle(Change(0, True, 99, None), True)
    await bench.cycle()
    bench.expected.pop()
    for _ in range(4):
        await bench.cycle()
    assert bench.overflows == 1
    bench.risk_ready = True
    for _ in range(40):
        await bench.cycle()
    assert bench.taken == list(range(1, DEPTH + 2))


@cocotb.test()
async def new_parameters_wait_until_what_the_old_ones_asked_for_has_been_read(dut):
    bench = Bench(dut)
    await bench.start()
    await bench.write(True, 0, False)
    bench.risk_ready = False
    await bench.cycle(Change(0, True, None, 5), True)
    dut.write_valid.value, dut.instrument.value = 1, 1
    for _ in range(10):
        await bench.cycle()
        assert not bench.write_ready
    bench.risk_ready = True
    waited = 0
    while not bench.write_ready:
        await bench.cycle()
        waited += 1
        assert waited < 20
    # Taken in the first of these cycles; risk reads its order in the two after it.
    assert waited > 3
    assert bench.taken == [5]


@cocotb.test()
async def random_frames_give_the_intents_of_the_rule(dut):
    rng = Random(3)
    bench = Bench(dut)
    await bench.start()
    bench.exact = False
    for turn in range(cases(6000, 200_000)):
        if turn % 500 == 0:
            bench.risk_ready = True
            while bench.expected:
                await bench.cycle()
            await bench.write(rng.random() < 0.9, rng.randrange(2), rng.random() < 0.5)
        bench.risk_ready = rng.random() < 0.8
        change = None
        if rng.random() < 0.5:
            change = Change(rng.choice([0, 1, 1, 0, 2]), rng.random() < 0.9, *(rng.choice([None, 0, 5, 6, 7]) for _ in range(2)))
        verdict = rng.random() < 0.8 if rng.random() < 0.5 and len(bench.expected) < DEPTH else None
        await bench.cycle(change, verdict)
    assert bench.overflows == 0
    assert len(bench.taken) > 200


@dataclass(frozen=True)
class Improvement:
    """An add that improves the best price of one side, and how it goes on."""

    instrument: int
    bid: bool
    price: int
    last: bool  # of its good frame, which ends in time
    fault: bool
    ready: bool  # risk takes an intent at once


async def improve(bench: Bench, add: Improvement) -> int | None:
    """The add's cycles up to its change and the verdict; the cycle, after that of `improves`, in which an intent was taken that stands."""
    dut = bench.dut
    taken = None
    price = bench.model.last
    change = Change(add.instrument, not add.fault, add.price if add.bid else None, None if add.bid else add.price)
    expected = None
    for cycle in range(12):
        dut.improves.value = cycle == 0
        dut.improves_instrument.value, dut.improves_bid.value, dut.improves_price.value = add.instrument, add.bid, add.price
        dut.improves_last.value = cycle == 1 and add.last
        dut.improves_fault.value = cycle == 2 and add.fault
        dut.comes.value = cycle == 3
        dut.comes_instrument.value, dut.comes_bid.value, dut.comes_ask.value = add.instrument, change.bid or 0, change.ask or 0
        dut.change_valid.value = dut.verdict_valid.value = dut.verdict_good.value = cycle == 4
        if cycle == 4:
            dut.change_instrument.value, dut.tradable.value = change.instrument, change.tradable
            for side, of_side in (("bid", change.bid), ("ask", change.ask)):
                getattr(dut, f"{side}_exists").value, getattr(dut, f"{side}_price").value = of_side is not None, of_side or 0
            bench.model.change(change)
            expected = bench.model.verdict(True)
        dut.intent_ready.value = add.ready or cycle > 1
        await ReadOnly()
        if int(dut.intent_withdraw.value):
            assert add.fault
            assert taken == cycle - 1 == 1
            taken = None
        if int(dut.intent_valid.value) and int(dut.intent_ready.value):
            assert taken is None, "one intent a change"
            # Its digits are made from the cycle before on, until risk holds it.
            assert int(dut.intent_price.value) == add.price == bench.price_soon == int(dut.intent_price_soon.value)
            taken = cycle
        bench.price_soon = int(dut.intent_price_soon.value)
        await FallingEdge(dut.clk)
    assert (taken is None) == (expected is None), f"{add}, last {price}"
    return taken


@cocotb.test()
async def an_add_that_improves_the_best_price_is_acted_on_before_its_change_and_only_once(dut):
    rng = Random(7)
    bench = Bench(dut)
    await bench.start()
    sooner = 0
    for turn in range(cases(600, 20_000)):
        if turn % 50 == 0:
            dut.intent_ready.value = 1
            await bench.write(True, rng.randrange(2), rng.random() < 0.5)
            for _ in range(8):
                await bench.cycle()
        # A small choice, so that a price is often the last one again, also after a fault.
        some = [rng.random() < chance for chance in (0.5, 0.8, 0.2, 0.8)]
        add = Improvement(rng.choice([0, 1]), some[0], rng.choice([5, 6, 0]), some[1], some[2], some[3])
        watched = (add.instrument, add.bid) == (bench.model.instrument, bench.model.sell)
        new = add.price not in (0, bench.model.last)
        taken = await improve(bench, add)
        if watched and new and not add.fault:
            assert taken == (1 if add.last and add.ready else 4)
            sooner += taken == 1
    assert sooner > cases(15, 500)


SENT, OPEN, CLOSED, REPLACED, CHANGE_REFUSED = range(5)  # working_e


class Exchange:
    """What becomes of the strategy's orders with `single`, an event a cycle; it knows its own orders, not the module's states."""

    def __init__(self, bench: Bench, rng: Random) -> None:
        self.bench, self.rng = bench, rng
        self.taken = 0
        self.asked = False  # risk has an intent
        self.order: int | None = None  # in the market: its place
        self.new: int | None = None  # sent, without an answer
        self.request: int | None = None  # a replacement, the same
        self.cancel = False  # sent, without an answer
        self.number = 0
        self.prepares = False
        self.seen: Counter[str] = Counter()

    def forget(self) -> None:
        self.order = self.new = self.request = None
        self.prepares = self.cancel = False

    async def cycle(self, change: Change | None = None, verdict: bool | None = None) -> None:
        dut, model, rng = self.bench.dut, self.bench.model, self.rng
        said, what, place = "", None, None
        due = rng.random() < 0.15
        dut.working_number.value = rng.randrange(1 << 36)
        if self.asked and due:
            said = "not sent" if rng.random() < 0.2 else "cancel sent" if model.cancels else "sent"
            if said == "sent":
                what, place = SENT, rng.choice([p for p in range(8) if p != self.order])
                self.number = rng.randrange(1 << 36)
                dut.working_number.value = self.number
        elif self.new is not None and due:
            what, place = rng.choice([(OPEN, self.new), (OPEN, self.new), (CLOSED, self.new)])
            said = "accepted" if what == OPEN else "rejected"
        elif self.request is not None and due:
            what, place = rng.choice([(REPLACED, self.request), (CHANGE_REFUSED, self.request), (CLOSED, self.request)])
            if self.order is None:
                what = CHANGE_REFUSED
            said = {REPLACED: "replaced", CHANGE_REFUSED: "as it was", CLOSED: "replaced and filled"}[what]
        elif self.cancel and due:
            what, place = rng.choice([(CLOSED, self.order), (CHANGE_REFUSED, self.order)])
            said = "cancelled" if what == CLOSED else "not cancelled"
        elif self.prepares and due:
            said = "prepared"
        elif self.order is not None and rng.random() < 0.02:
            said, what, place = "filled", CLOSED, self.order
        elif self.order is not None and rng.random() < 0.02:
            what, place = OPEN, self.order  # filled in part
        elif rng.random() < 0.3:
            # Others' orders, and those that it no longer follows.
            what, place = rng.choice([OPEN, CLOSED, REPLACED, CHANGE_REFUSED]), 8 + rng.randrange(8)
        dut.not_sent.value, dut.cancel_sent.value, dut.replace_done.value = said == "not sent", said == "cancel sent", said == "prepared"
        dut.working_valid.value, dut.working_strategy.value = what is not None, 1
        dut.working_what.value, dut.working_place.value = what or 0, place or 0
        if what is None and rng.random() < 0.2:
            # An order that is not of a strategy.
            dut.working_valid.value, dut.working_strategy.value = 1, 0
            dut.working_what.value, dut.working_place.value = rng.randrange(5), self.order or self.new or self.request or 0
        await self.bench.cycle(change, verdict)
        self.seen[said] += 1
        if said in ("not sent", "sent", "cancel sent"):
            self.asked = False
        if said == "cancel sent":
            self.cancel = self.order is not None
        if said in ("cancelled", "not cancelled"):
            self.cancel = False
        if said == "cancelled" or (said == "filled" and self.cancel):
            self.order, self.cancel = None, False
            said = "cancelled"
        if said == "sent":
            if model.working:
                self.request = place
            else:
                self.new = place
        if said in ("accepted", "replaced"):
            self.order, self.prepares = place, True
        if said in ("filled", "replaced and filled"):
            self.order = None
        if said in ("accepted", "rejected"):
            self.new = None
        if said in ("replaced", "as it was", "replaced and filled"):
            self.request = None
        if said == "prepared":
            self.prepares = False
        done = said == "cancel sent" and not self.cancel
        if done or said in ("not sent", "rejected", "as it was", "replaced and filled", "prepared", "cancelled", "not cancelled"):
            model.blocked, model.working, model.cancels = False, self.order is not None, False
        if said == "filled" and not model.blocked:
            model.working = False
        if len(self.bench.taken) > self.taken:
            self.taken, self.asked = len(self.bench.taken), True

    def check(self) -> None:
        """After a cycle in which nothing was said."""
        dut = self.bench.dut
        assert int(dut.replace_valid.value) == self.prepares
        if self.prepares:
            assert int(dut.replace_original.value) == self.number


@cocotb.test()
async def with_one_order_in_the_market_it_asks_for_one_thing_at_a_time(dut):
    rng = Random(4)
    bench = Bench(dut)
    bench.model.single = True
    await bench.start()
    dut.single.value = 1
    exchange = Exchange(bench, rng)
    kinds: Counter[str] = Counter()
    for turn in range(cases(20_000, 400_000)):
        if turn % 1000 == 0:
            bench.risk_ready = True
            await exchange.cycle()  # what was announced
            while bench.expected or exchange.asked:
                await exchange.cycle()
            dut.working_valid.value = dut.not_sent.value = dut.cancel_sent.value = dut.replace_done.value = 0
            await bench.write(rng.random() < 0.95, rng.randrange(2), rng.random() < 0.5)
            exchange.forget()
        bench.risk_ready = rng.random() < 0.8
        change = None
        if rng.random() < 0.5:
            change = Change(rng.choice([0, 1]), rng.random() < 0.95, *(rng.choice([None, 5, 6, 7]) for _ in range(2)))
        before = "cancel" if bench.model.cancels else "replace" if bench.model.working else "new"
        count = len(bench.taken)
        await exchange.cycle(change, rng.random() < 0.8 if rng.random() < 0.5 else None)
        kinds[before] += len(bench.taken) - count
        exchange.check()
    assert bench.overflows == 0
    assert min(kinds[kind] for kind in ("new", "replace", "cancel")) > 100, kinds
    assert min(exchange.seen.values()) > 20, exchange.seen


@cocotb.test()
async def after_a_cancel_the_same_price_is_a_new_order_even_if_it_came_in_the_next_cycle(dut):
    """The frame that begins then ends after the exchange has answered."""
    bench = Bench(dut)
    bench.model.single = True
    await bench.start()
    dut.single.value = 1

    async def said(**values: int) -> None:
        for name, value in values.items():
            getattr(dut, name).value = value
        await bench.cycle()
        for name in values:
            getattr(dut, name).value = 0

    async def about(what: int) -> None:
        await said(working_valid=1, working_strategy=1, working_what=what, working_place=3)

    ask = Change(0, True, None, 5)
    for later in range(4):
        await bench.write(True, 0, False)
        for _ in range(6):
            await bench.cycle()
        await bench.cycle(ask, True)
        for _ in range(6):
            await bench.cycle()
        await about(SENT)
        await about(OPEN)
        await said(replace_done=1)
        bench.model.blocked, bench.model.working = False, True
        for _ in range(6):
            await bench.cycle()
        await bench.cycle(Change(0, True, 4, None), True)
        for _ in range(later):
            await bench.cycle()
        await bench.cycle(ask)
        for _ in range(10):
            await bench.cycle()
        # It is filled as its cancel leaves.
        if later == 3:
            dut.cancel_sent.value = 1
        else:
            await said(cancel_sent=1)
        await about(CLOSED)
        dut.cancel_sent.value = 0
        bench.model.blocked = bench.model.working = bench.model.cancels = False
        for _ in range(6):
            await bench.cycle()
        await bench.cycle(None, True)
        for _ in range(6):
            await bench.cycle()
        assert bench.taken == [5, CANCEL, 5]
        bench.taken.clear()
        await said(not_sent=1)


def test_best_price() -> None:
    simulate("best_price_tb", "test_best_price", {"DEPTH": DEPTH})
