"""strategy_orders: each intent becomes a request for its prepared order; prepare_merge: two have orders prepared, in turn."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly
from harness import cases, simulate

HANDLE = 16
ORDERS = 4
HOST_HANDLE = HANDLE + ORDERS
AWAY = 4  # cycles in which the handle stays after an intent, and before one of another order
PREPARING = 9  # cycles
NEW, CANCEL, REPLACE = range(3)
WHOLE, TOO_WIDE = 0, 1


class Key(NamedTuple):
    """Of a prepared order."""

    instrument: int
    market: bool
    sell: bool
    quantity: int
    time_in_force: int = 0


@dataclass(frozen=True)
class Intent:
    instrument: int
    sell: bool
    quantity: int
    price: int
    kind: int = NEW
    fits: bool = True
    limit: bool = True
    time_in_force: int = 0

    @property
    def possible(self) -> bool:
        return self.kind == NEW and self.fits and (not self.limit or 0 <= self.price < 1 << 32)

    @property
    def key(self) -> Key:
        return Key(self.instrument, not self.limit, self.sell, self.quantity, self.time_in_force)


class Bench:
    """Risk: it prepares an order in PREPARING cycles, and takes an intent only of an order that it has."""

    def __init__(self, dut) -> None:
        self.dut, self.rng, self.now = dut, Random(3), 0
        self.waiting: deque[Intent] = deque()
        self.due: deque[tuple[Intent, int]] = deque()
        self.store: dict[int, Key] = {}
        self.preparing: tuple[int, int, Key] | None = None  # when it is done, handle, order
        self.prepared: list[Key] = []
        self.latencies: list[int] = []
        self.refusals = 0
        self.ready = True
        self.too_wide = 10_000  # quantities from here on do not fit
        self.soon: tuple[bool, int] = (False, 0)
        self.handles: deque[int] = deque(maxlen=AWAY + 1)
        self.kept = 0  # cycles in which the handle must stay
        self.answered = self.host_taken = False  # in the cycle before
        self.ahead: deque[Key] = deque()  # orders that are to be prepared before they are asked for
        self.ahead_answers: list[bool] = []

    async def start(self) -> None:
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
        for name in (
            "asked_valid",
            "ahead_valid",
            "restart",
            "prepared",
            "prepared_text",
            "host_busy",
            "host_valid",
            "host_commit",
            "intent_ready",
        ):
            getattr(dut, name).value = 0
        dut.max_notional.value, dut.prepare_ready.value, dut.host_handle.value = 1_000, 1, HOST_HANDLE
        dut.asked_original.value = 0
        dut.rst.value = 1
        for _ in range(3):
            await FallingEdge(dut.clk)
        dut.rst.value = 0
        for _ in range(3):
            await self.cycle()

    async def cycle(self) -> None:
        dut = self.dut
        dut.ahead_valid.value = bool(self.ahead)
        if self.ahead:
            instrument, market, sell, quantity, dut.ahead_time_in_force.value = self.ahead[0]
            dut.ahead_instrument.value, dut.ahead_market.value = instrument, market
            dut.ahead_sell.value, dut.ahead_quantity.value = sell, quantity
        dut.asked_valid.value = bool(self.waiting)
        if self.waiting:
            asked = self.waiting[0]
            dut.asked_kind.value, dut.asked_fits.value, dut.asked_limit.value = asked.kind, asked.fits, asked.limit
            dut.asked_sell.value, dut.asked_instrument.value = asked.sell, asked.instrument
            dut.asked_price.value, dut.asked_quantity.value = asked.price % (1 << 48), asked.quantity
            dut.asked_time_in_force.value = asked.time_in_force
        dut.intent_ready.value = self.ready
        done = self.preparing if self.preparing and self.preparing[0] == self.now else None
        dut.prepared.value = done is not None
        if done:
            dut.prepared_text.value = TOO_WIDE if done[2][3] >= self.too_wide else WHOLE
        dut.prepare_ready.value = self.preparing is None
        await ReadOnly()
        handle = int(dut.intent_handle.value)
        if self.kept and self.handles:
            assert handle == self.handles[-1], "it moved while risk reads the order"
        self.kept = max(self.kept - 1, 0)
        self.handles.append(handle)
        if done:
            self.preparing = None
            if dut.commit.value:
                assert done[2][3] < self.too_wide or done[1] == HOST_HANDLE
                self.store[done[1]] = done[2]
        elif dut.prepare_valid.value and self.preparing is None:
            market = bool(dut.prepare_market.value)
            order = Key(
                int(dut.prepare_instrument.value),
                market,
                bool(dut.prepare_sell.value),
                int(dut.prepare_quantity.value),
                int(dut.prepare_time_in_force.value),
            )
            at = int(dut.prepare_handle.value)
            self.preparing = (self.now + PREPARING, at, order)
            if at != HOST_HANDLE:
                assert HANDLE <= at < HANDLE + ORDERS
                assert dut.prepare_computed.value
                assert dut.prepare_strategy.value
                # A market order has no limit of its own that could be far from the last price.
                assert bool(dut.prepare_collar.value) != market
                self.prepared.append(order)
        if dut.intent_valid.value:
            soon, price_soon = self.soon
            assert (soon, price_soon) == (True, int(dut.intent_price.value)), "it was not announced"
            if self.ready:
                intent, since = self.due.popleft()
                assert self.store[handle] == intent.key
                assert len(set(self.handles)) == 1, "its order was not there long enough"
                assert (int(dut.intent_instrument.value), int(dut.intent_price.value)) == (intent.instrument, intent.price)
                assert dut.intent_computed.value
                self.latencies.append(self.now - since)
                self.kept = AWAY
        self.soon = bool(dut.intent_soon.value), int(dut.intent_price_soon.value)
        self.refusals += int(dut.refused.value)
        self.answered = bool(dut.host_answered.value)
        self.host_taken = bool(dut.host_valid.value and dut.host_ready.value)
        if dut.ahead_done.value:
            order = self.ahead.popleft()
            assert not dut.ahead_prepared.value or order in self.store.values()
            self.ahead_answers.append(bool(dut.ahead_prepared.value))
        if self.waiting and dut.asked_ready.value:
            asked = self.waiting.popleft()
            if asked.possible and asked.quantity < self.too_wide:
                self.due.append((asked, self.now))
        await FallingEdge(dut.clk)
        self.now += 1

    async def run(self, cycles: int) -> None:
        for _ in range(cycles):
            await self.cycle()


@cocotb.test
async def an_order_is_prepared_once_and_then_goes_at_once(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    for price in (10, 11):
        bench.waiting.append(Intent(2, False, 100, price))
        await bench.run(40)
    bench.waiting.append(Intent(3, True, 100, 12))
    await bench.run(40)
    bench.waiting.append(Intent(2, False, 100, 13))
    await bench.run(40)
    assert bench.prepared == [Key(2, False, False, 100), Key(3, False, True, 100)]
    assert bench.latencies[1] == 1
    assert bench.latencies[3] == 2 + AWAY
    assert not bench.due


@cocotb.test
async def a_market_order_is_prepared_as_one_and_is_not_the_limit_order_of_its_quantity(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    for limit in (True, False, False, True):
        bench.waiting.append(Intent(2, True, 100, 10 if limit else 0, limit=limit))
        await bench.run(40)
    assert bench.prepared == [Key(2, False, True, 100), Key(2, True, True, 100)]
    assert bench.latencies[2] == 1
    assert not bench.due


@cocotb.test
async def orders_that_differ_in_their_time_in_force_are_prepared_each(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    for time_in_force in (0, 3, 0, 4, 3):
        bench.waiting.append(Intent(2, True, 100, 10, time_in_force=time_in_force))
        await bench.run(40)
    assert bench.prepared == [Key(2, False, True, 100, time_in_force) for time_in_force in (0, 3, 4)]
    assert not bench.due


@cocotb.test
async def what_cannot_be_an_order_is_refused_and_holds_up_nothing(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    good = Intent(1, False, 5, 7)
    bad = [
        Intent(1, False, 5, -1),
        Intent(1, False, 5, 1 << 32),
        Intent(1, False, 5, 7, kind=CANCEL),
        Intent(1, False, 5, 7, kind=REPLACE),
        Intent(1, False, 5, 7, fits=False),
        Intent(1, False, bench.too_wide, 7),
    ]
    for intent in bad:
        bench.waiting.extend((intent, good))
    await bench.run(400)
    assert bench.refusals == len(bad)
    assert len(bench.latencies) == len(bad)


@cocotb.test
async def new_limits_and_a_restart_forget_what_was_prepared(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    for change in ("nothing", "max_notional", "restart"):
        if change == "max_notional":
            dut.max_notional.value = 2_000
        if change == "restart":
            dut.restart.value = 1
            await bench.cycle()
            dut.restart.value = 0
        await bench.run(3)
        bench.waiting.append(Intent(1, True, 9, 4))
        await bench.run(40)
    assert len(bench.prepared) == 3
    assert not bench.due


@cocotb.test
async def orders_that_were_prepared_ahead_do_not_wait(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    orders: list[Key] = [
        Key(2, False, False, 100),
        Key(2, False, True, 100),
        Key(3, False, False, bench.too_wide),
        Key(2, False, False, 100),
    ]
    bench.ahead.extend(orders)
    await bench.run(100)
    assert bench.ahead_answers == [True, True, False, True]
    assert bench.prepared == orders[:3], "what is there is not prepared twice"
    assert bench.refusals == 0, "no intent was refused"
    for price, sell in ((10, False), (11, False), (12, True)):
        bench.waiting.append(Intent(2, sell, 100, price))
        await bench.run(20)
    assert bench.latencies == [1, 1, 2 + AWAY]
    assert len(bench.prepared) == 3


@cocotb.test
async def new_limits_prepare_all_orders_again_before_they_are_asked_for(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    orders: list[Key] = [Key(1, False, False, 5), Key(1, False, True, 5), Key(2, False, False, 5)]
    bench.ahead.extend(orders)
    await bench.run(100)
    dut.max_notional.value = 2_000
    await bench.run(100)
    assert sorted(bench.prepared) == sorted(orders * 2)
    # Once more, and an intent comes before its order's turn: nothing is prepared twice.
    dut.max_notional.value = 3_000
    await bench.run(4)
    bench.waiting.append(Intent(2, False, 5, 7))
    await bench.run(100)
    assert sorted(bench.prepared) == sorted(orders * 3)
    assert not bench.due
    # And while one is being prepared: it is prepared again.
    dut.max_notional.value = 4_000
    await bench.run(6)
    dut.max_notional.value = 5_000
    await bench.run(100)
    assert len(bench.prepared) == 3 * 4 + 1


@cocotb.test
async def the_host_and_the_strategy_have_their_orders_prepared_in_turn(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    done = 0
    for number in range(cases(60, 2_000)):
        bench.waiting.append(Intent(number % 7, False, 100, number))
        dut.host_busy.value = dut.host_valid.value = 1
        for _ in range(200):
            await bench.cycle()
            if bench.host_taken:
                dut.host_valid.value = 0
            if bench.answered:
                break
        assert bench.answered
        # Some commit later, some never.
        await bench.run(bench.rng.randrange(4))
        dut.host_busy.value = 0
        done += 1
        await bench.run(bench.rng.randrange(40))
    await bench.run(200)
    assert not bench.due
    assert len(bench.latencies) == done


@cocotb.test
async def random_intents_get_their_own_orders(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    bench.too_wide = 4
    given = cases(1_500, 50_000)
    for number in range(given):
        rng = bench.rng
        if number % 10 == 3:
            bench.ahead.append(
                Key(rng.randrange(2), rng.random() < 0.2, rng.random() < 0.5, rng.choice([1, 2, 3, 4, 5]), rng.choice([0, 3]))
            )
            while bench.ahead:
                bench.ready = rng.random() < 0.7
                await bench.cycle()
        if number % 25 == 7:
            dut.max_notional.value = rng.randrange(1 << 40)
        kind = NEW if rng.random() < 0.95 else rng.choice([CANCEL, REPLACE])
        price = rng.randrange(1 << 32) if rng.random() < 0.95 else -5
        sell, quantity, limit = rng.random() < 0.5, rng.choice([1, 1, 1, 2, 3, 4]), rng.random() < 0.8
        bench.waiting.append(
            Intent(rng.randrange(2), sell, quantity, price if limit else 0, kind, limit=limit, time_in_force=rng.choice([0, 0, 0, 3]))
        )
        while bench.waiting:
            bench.ready = rng.random() < 0.7
            await bench.cycle()
    bench.ready = True
    await bench.run(60)
    assert not bench.due
    assert len(bench.latencies) + bench.refusals == given


def test_strategy_orders() -> None:
    simulate("strategy_orders_tb", "test_strategy_orders", parameters={"HANDLE": HANDLE, "ORDERS": ORDERS, "OWN": 0})
