"""stop_orders against a plain model that goes event by event and operation by operation, and the cycles its header promises."""

import os
import random
from collections import deque
from dataclasses import dataclass, field, replace
from typing import Any

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from harness import simulate

SLOTS = int(os.environ.get("SLOTS", "64"))
GROUPS = SLOTS // int(os.environ.get("AT_ONCE", "64"))
PERIOD = 1 if GROUPS == 1 else GROUPS + 1  # cycles an event takes
EVENTS = 64  # that wait for that
SET, CHANGE, CANCEL, SEND = range(4)
EMPTY, ARMED, FIRING, FIRED = range(4)
LOWEST, HIGHEST = -(1 << 47), (1 << 47) - 1
LAST_LOWEST, LAST_HIGHEST = -(1 << 48), (1 << 48) - 1  # of last prices
OPERATION_CYCLES = 38  # accepted → answered, without events
PAUSE = 3 if GROUPS == 1 else 5  # cycles without an event, the last of them that in which an operation takes effect
TURN = 1 if GROUPS == 1 else 2  # cycles before the host's order is shown from which on an event does not go before it
ORIGINAL = 0x123456789  # in the place of the trigger
SPACING = 4  # of requests of one event, in cycles


def request_behind(slot: int) -> int:
    """Cycles, event to request."""
    return 3 if GROUPS == 1 else 4 + slot // (SLOTS // GROUPS)


@dataclass(frozen=True)
class Stop:
    sell: bool
    instrument: int
    trigger: int
    quantity: int
    client_id: int
    price: int | None = None  # None: market
    kind: int = 0  # new, cancel, replace: of an order of the host
    by_host: bool = False  # the price of its notional is then in the place of `price`, of a market order in that of `trigger` here

    @property
    def notional(self) -> int:
        return min(abs(self.trigger if self.price is None else self.price) * self.quantity, (1 << 64) - 1)

    def reached(self, instrument: int, last: int) -> bool:
        return instrument == self.instrument and (last <= self.trigger if self.sell else last >= self.trigger)


@dataclass
class Slot:
    state: int = EMPTY
    stop: Stop | None = None


@dataclass
class Bench:
    dut: Any
    slots: list[Slot] = field(default_factory=lambda: [Slot() for _ in range(SLOTS)])
    due: deque[tuple[int, Stop]] = field(default_factory=deque)  # what must leave, in order
    due_since: deque[int] = field(default_factory=deque)  # its event
    shown: list[int] = field(default_factory=list)  # cycles in which a stop's order is the request
    waiting: Stop | None = None  # the host's order
    sent: list[tuple[Stop, int]] = field(default_factory=list)  # the host's, with the cycle
    left: list[tuple[int, Stop, int]] = field(default_factory=list)  # slot, order, cycle
    answers: list[tuple[bool, int]] = field(default_factory=list)
    cycle: int = 0
    events: list[int] = field(default_factory=lambda: [0])  # cycles
    operation: tuple[int, int, Stop] | None = None  # accepted, not answered
    told_next: int | None = None
    told_valid: list[bool] = field(default_factory=lambda: [True, True])  # of the last two cycles
    backlog: float = 0.0  # events not compared yet, at most

    async def start(self) -> None:
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
        for name in ("event_valid", "write_valid", "request_ready"):
            getattr(dut, name).value = 0
        dut.rst.value = 1
        for _ in range(3):
            await RisingEdge(dut.clk)
        dut.rst.value = 0
        for _ in range(4 + GROUPS):
            await self.step()

    async def step(self, event: tuple[int, int] | None = None, write: tuple[int, int, Stop] | None = None, ready: bool = True) -> bool:
        """One cycle; whether the write was accepted."""
        dut = self.dut
        dut.event_valid.value = event is not None
        if event:
            dut.event_instrument.value, dut.event_price.value = event[0], event[1] % (1 << 49)
        dut.write_valid.value = write is not None
        if write:
            operation, slot, stop = write
            dut.write_operation.value, dut.write_slot.value = operation, slot
            dut.write_sell.value, dut.write_limit.value = stop.sell, stop.price is not None
            dut.write_instrument.value, dut.write_trigger.value = stop.instrument, ORIGINAL if stop.by_host else stop.trigger % (1 << 48)
            price = stop.trigger if stop.by_host and stop.price is None else stop.price or 0
            dut.write_price.value = price % (1 << 48)
            dut.write_kind.value = stop.kind
            dut.write_quantity.value, dut.write_client_id.value = stop.quantity, stop.client_id
        dut.request_ready.value = ready
        await RisingEdge(dut.clk)  # what is seen now is of the cycle that ends
        accepted = write is not None and bool(dut.write_ready.value)
        if dut.request_valid.value:
            assert self.told_next is None or self.told_next == int(dut.request_instrument.value), "next_instrument"
            assert all(self.told_valid), "next_valid"
            if int(dut.request_by_host.value):
                self._leaves_by_host(ready)
            else:
                self.shown.append(self.cycle)
                if ready:
                    self._leaves()
        self.told_next = int(dut.next_instrument.value)
        self.told_valid = [self.told_valid[-1], bool(dut.next_valid.value)]
        if dut.answer_valid.value:
            # It took effect in the cycle before this one, and so before this cycle's event and behind those of earlier cycles.
            assert self.operation is not None
            self._operate(bool(dut.answer_done.value), int(dut.answer_previous.value))
        self.backlog = max(0.0, self.backlog + (event is not None) - 1 / PERIOD)
        if event:
            self.events.append(self.cycle)
            fired = [(n, s) for n, s in enumerate(self.slots) if s.state == ARMED and s.stop and s.stop.reached(*event)]
            for number, armed in fired:
                assert armed.stop
                armed.state = FIRING
                self.due.append((number, armed.stop))
                self.due_since.append(self.cycle)
        if accepted:
            assert self.operation is None
            self.operation = write
        self.cycle += 1
        return accepted

    def _leaves_by_host(self, taken: bool) -> None:
        stop = self.waiting
        assert stop, "an order the host did not give"
        names = ("request_kind", "request_limit", "request_sell", "request_instrument", "request_quantity", "request_client_id")
        got = [int(getattr(self.dut, name).value) for name in (*names, "request_notional")]
        assert got == [stop.kind, stop.price is not None, stop.sell, stop.instrument, stop.quantity, stop.client_id, stop.notional]
        assert int(self.dut.request_price.value) == (stop.trigger if stop.price is None else stop.price) % (1 << 48)
        assert all(cycle >= self.cycle - TURN for cycle in self.due_since), "a stop goes first"
        if taken:
            self.sent.append((stop, self.cycle))
            self.waiting = None

    def _leaves(self) -> None:
        dut = self.dut
        assert self.due, "an order nobody asked for"
        number, stop = self.due.popleft()
        self.due_since.popleft()
        names = ("request_slot", "request_kind", "request_limit", "request_sell", "request_instrument", "request_quantity")
        got = [int(getattr(dut, name).value) for name in (*names, "request_client_id", "request_notional")]
        want = [number, 0, stop.price is not None, stop.sell, stop.instrument, stop.quantity, stop.client_id, stop.notional]
        assert got == want, f"slot {number}: {got}, expected {want}"
        if stop.price is not None:
            assert int(dut.request_price.value) == stop.price % (1 << 48)
        self.slots[number].state = FIRED
        self.left.append((number, stop, self.cycle))

    def _operate(self, done: bool, previous: int) -> None:
        assert self.operation
        operation, number, stop = self.operation
        self.answers.append((done, previous))
        self.operation = None
        if operation == SEND:
            assert done
            self.waiting = stop
            return
        slot = self.slots[number]
        # Whether an order has just left may be seen a moment late.
        assert previous == slot.state or (previous, slot.state) == (FIRING, FIRED), f"slot {number} was {slot.state}, told {previous}"
        assert done == (previous in (EMPTY, FIRED) if operation == SET else previous == ARMED)
        if done:
            self.slots[number] = Slot(EMPTY if operation == CANCEL else ARMED, None if operation == CANCEL else stop)

    async def operate(self, operation: int, slot: int, stop: Stop) -> tuple[bool, int]:
        while not await self.step(write=(operation, slot, stop)):
            pass
        while self.operation:
            await self.step()
        return self.answers[-1]

    async def drain(self) -> None:
        for _ in range((SPACING + 2) * SLOTS + PERIOD * (1 + int(self.backlog))):
            await self.step()
        assert not self.due, f"{len(self.due)} orders did not leave"


async def bench(dut: Any) -> Bench:
    made = Bench(dut)
    await made.start()
    return made


def sell(trigger: int, client_id: int = 1, **others: Any) -> Stop:
    return Stop(True, others.pop("instrument", 3), trigger, others.pop("quantity", 100), client_id, **others)


def buy(trigger: int, client_id: int = 1, **others: Any) -> Stop:
    return Stop(False, others.pop("instrument", 3), trigger, others.pop("quantity", 100), client_id, **others)


@cocotb.test()
async def fires_at_the_trigger_and_not_before(dut: Any) -> None:
    for stop, just_before, at in (
        (sell(1000), 1001, 1000),
        (sell(-5), -4, -5),
        (sell(0, price=-7), 1, -900),
        (buy(1000, price=1010), 999, 1000),
        (buy(-5), -6, -5),
        (sell(LOWEST), LOWEST + 1, LOWEST),
        (buy(HIGHEST), HIGHEST - 1, HIGHEST),
        (buy(1 << 40), (1 << 40) - 1, 1 << 40),
        (sell(HIGHEST), LAST_HIGHEST, LAST_LOWEST),
        (buy(LOWEST), LAST_LOWEST, LAST_HIGHEST),
    ):
        b = await bench(dut)
        assert await b.operate(SET, 5, stop) == (True, EMPTY)
        await b.step(event=(3, just_before))
        await b.step(event=(4, at))
        await b.drain()
        assert not b.left
        await b.step(event=(3, at))
        await b.drain()
        assert [(n, s) for n, s, _ in b.left] == [(5, stop)]
    for stop in (sell(HIGHEST), buy(LOWEST)):
        b = await bench(dut)
        await b.operate(SET, 0, stop)
        await b.step(event=(3, 12))
        await b.drain()
        assert len(b.left) == 1


@cocotb.test()
async def the_request_comes_a_fixed_number_of_cycles_behind_the_event(dut: Any) -> None:
    b = await bench(dut)
    for slot in range(SLOTS):
        await b.operate(SET, slot, sell(1000, slot))
    for _ in range(5):
        await b.step()
    now = b.cycle
    await b.step(event=(3, 900))
    await b.drain()
    assert [slot for slot, _, _ in b.left] == list(range(SLOTS))
    cycles = [cycle - now for _, _, cycle in b.left]
    if GROUPS == 1:
        assert cycles == [request_behind(0) + SPACING * slot for slot in range(SLOTS)]
    # In groups, up to two cycles more for each group that fires meanwhile.
    assert cycles[0] == request_behind(0)
    assert cycles[-1] <= request_behind(0) + SPACING * (SLOTS - 1) + 2 * (GROUPS - 1)
    for slot in range(0, SLOTS, 3):
        b = await bench(dut)
        await b.operate(SET, slot, sell(1000, slot))
        await b.step()
        now = b.cycle
        await b.step(event=(3, 1000))
        await b.drain()
        assert [(n, cycle - now) for n, _, cycle in b.left] == [(slot, request_behind(slot))]


@cocotb.test()
async def fires_once_until_armed_again(dut: Any) -> None:
    b = await bench(dut)
    await b.operate(SET, 7, sell(50))
    for price in (49, 48, 47, 51, 12):
        await b.step(event=(3, price))
    await b.drain()
    assert len(b.left) == 1
    assert await b.operate(CHANGE, 7, sell(60)) == (False, FIRED)
    assert await b.operate(CANCEL, 7, sell(60)) == (False, FIRED)
    await b.step(event=(3, 1))
    await b.drain()
    assert len(b.left) == 1
    assert await b.operate(SET, 7, sell(60, 2)) == (True, FIRED)
    await b.step(event=(3, 1))
    await b.drain()
    assert [s.client_id for _, s, _ in b.left] == [1, 2]


@cocotb.test()
async def a_slot_whose_order_has_not_left_is_not_armed_again(dut: Any) -> None:
    b = await bench(dut)
    await b.operate(SET, 7, sell(50))
    await b.step(event=(3, 50), ready=False)
    assert await b.step(write=(SET, 7, sell(70, 2)), ready=False)
    while b.operation:
        await b.step(ready=False)
    assert b.answers[-1] == (False, FIRING)
    await b.drain()
    assert len(b.left) == 1


@cocotb.test()
async def changed_and_cancelled_while_armed(dut: Any) -> None:
    b = await bench(dut)
    assert await b.operate(CHANGE, 1, sell(50)) == (False, EMPTY)
    assert await b.operate(CANCEL, 1, sell(50)) == (False, EMPTY)
    assert await b.operate(SET, 1, sell(50)) == (True, EMPTY)
    assert await b.operate(SET, 1, sell(60)) == (False, ARMED)
    changed = buy(80, 9, instrument=2, price=81, quantity=(1 << 32) - 1)
    assert await b.operate(CHANGE, 1, changed) == (True, ARMED)
    await b.step(event=(3, 10))
    await b.step(event=(2, 79))
    await b.drain()
    assert not b.left
    await b.step(event=(2, 80))
    await b.drain()
    assert [s for _, s, _ in b.left] == [changed]
    await b.operate(SET, 2, sell(50))
    assert await b.operate(CANCEL, 2, sell(0)) == (True, ARMED)
    await b.step(event=(3, 10))
    await b.drain()
    assert len(b.left) == 1


@cocotb.test()
async def an_operation_takes_effect_between_two_events(dut: Any) -> None:
    """The event in every cycle around the one in which a change or a cancel takes effect: old stop or new, never both, never neither."""
    for operation in (CHANGE, CANCEL):
        for at in range(OPERATION_CYCLES - 6, OPERATION_CYCLES + 4):
            b = await bench(dut)
            await b.operate(SET, 4, sell(100, 1))
            await b.step(write=(operation, 4, sell(200, 2)))
            for cycle in range(1, OPERATION_CYCLES + 12):
                await b.step(event=(3, 100) if cycle == at else None)
            await b.drain()
            done, previous = b.answers[-1]
            assert len(b.answers) == 2
            ids = [s.client_id for _, s, _ in b.left]
            assert ids == ([1] if not done else [2] if operation == CHANGE else [])
            assert done == (previous == ARMED)


@cocotb.test()
async def the_answer_comes_in_time(dut: Any) -> None:
    b = await bench(dut)
    await b.step(write=(SET, 3, sell(5)))
    began = b.cycle - 1
    while b.operation:
        await b.step()
    assert b.cycle - 1 - began == OPERATION_CYCLES
    # An event every fourth cycle, as dense as ITCH gets at W=64, still lets operations through; in groups, what is compared is no pause.
    await b.step(write=(CHANGE, 3, sell(5)))
    began = b.cycle - 1
    while b.operation:
        await b.step(event=(9, 1) if b.cycle % (4 * PERIOD) == 0 else None)
    assert b.cycle - 1 - began <= OPERATION_CYCLES + PAUSE + (PERIOD if GROUPS > 1 else 0)


@cocotb.test()
async def notionals_are_exact_and_saturate(dut: Any) -> None:
    rng = random.Random(5)
    b = await bench(dut)
    prices = [
        0,
        1,
        -1,
        HIGHEST,
        LOWEST,
        (1 << 32) + 1,
        -(1 << 32) - 1,
        *(rng.randrange(LOWEST, HIGHEST) >> rng.randrange(60) for _ in range(20)),
    ]
    for i, price in enumerate(prices):
        quantity = rng.choice([1, (1 << 32) - 1, rng.getrandbits(32), 2, 0])
        await b.operate(SET, i % SLOTS, sell(9, i, price=price, quantity=quantity))
        await b.step(event=(3, 9))
        for _ in range(request_behind(i % SLOTS) + 2):
            await b.step()
    assert len(b.left) == len(prices)


def order(client_id: int, price: int | None, **others: Any) -> Stop:
    """The host's: no trigger, but a price of its notional where it is a market order."""
    trigger = others.pop("reference", 0)
    return Stop(
        others.pop("sell", False), others.pop("instrument", 5), trigger, others.pop("quantity", 7), client_id, price, by_host=True, **others
    )


@cocotb.test()
async def an_order_of_the_host_leaves_once_without_a_price(dut: Any) -> None:
    b = await bench(dut)
    await b.operate(SET, 0, sell(50))
    orders = [
        order(1, -12),
        order(2, None, reference=44),
        order(3, 12, kind=1, sell=True),
        order(4, HIGHEST, kind=2, quantity=(1 << 32) - 1),
    ]
    for wanted in orders:
        await b.operate(SEND, 0, wanted)
        assert int(dut.send_waits.value)
        for _ in range(8):
            await b.step()
        assert not int(dut.send_waits.value)
    assert [sent for sent, _ in b.sent] == orders
    assert not b.left
    # The slot is as it was.
    await b.step(event=(3, 50))
    await b.drain()
    assert len(b.left) == 1


@cocotb.test()
async def an_order_of_the_host_that_risk_does_not_take_waits_and_no_stop_waits_for_it(dut: Any) -> None:
    for phase in range(12):
        b = await bench(dut)
        await b.operate(SET, 0, sell(50, 8))
        await b.operate(SEND, 0, order(9, 12, kind=2))
        for _ in range(20 + phase):
            await b.step(ready=False)
        await b.step(event=(3, 50), ready=False)
        event = b.cycle - 1
        while not b.shown:
            await b.step(ready=False)
        assert b.shown == [event + request_behind(0)]
        await b.drain()
        assert len(b.left) == len(b.sent) == 1
        assert b.left[0][2] < b.sent[0][1]


@cocotb.test()
async def a_stop_that_fires_beside_an_order_of_the_host_loses_no_cycle_before_risk(dut: Any) -> None:
    first = []
    for phase in range(14):
        b = await bench(dut)
        await b.operate(SET, 0, sell(50, 8))
        await b.operate(SEND, 0, order(9, 12))
        for _ in range(phase):
            await b.step()
        await b.step(event=(3, 50))
        event = b.cycle - 1
        await b.drain()
        assert b.shown == [event + request_behind(0)]
        assert len(b.left) == len(b.sent) == 1
        first.append(b.left[0][2] < b.sent[0][1])
    assert first[0]
    assert not first[-1]


@cocotb.test()
async def an_order_that_leaves_while_others_fire_disarms_no_other_slot(dut: Any) -> None:
    per_group = SLOTS // GROUPS
    others = range(per_group, SLOTS, per_group) if GROUPS > 1 else range(2, SLOTS, 8)  # of the same lane; they never fire
    for phase in range(3 * GROUPS + 6):
        b = await bench(dut)
        await b.operate(SET, 0, sell(50, 8))
        for slot in others:
            await b.operate(SET, slot, sell(-1000, 9))
            await b.operate(SET, slot + 1, sell(40, 10))
        await b.step(event=(3, 50), ready=False)
        while not dut.request_valid.value:
            await b.step(ready=False)
        for cycle in range(3 * GROUPS + 6):
            await b.step(event=(3, 40) if cycle == 0 else None, ready=cycle >= phase)
        await b.drain()
        for slot in others:
            assert await b.operate(CANCEL, slot, sell(0)) == (True, ARMED), (phase, slot)


@cocotb.test()
async def random_events_and_operations_equal_the_model(dut: Any) -> None:
    rng = random.Random(11)
    b = await bench(dut)
    wanted: tuple[int, int, Stop] | None = None
    number = 0
    for period in range(60):
        density = rng.choice([0.02, 0.1, 0.3, 1.0]) / PERIOD
        readiness = rng.choice([1.0, 1.0, 0.5, 0.05])
        burst = 0
        for _ in range(250):
            if wanted is None and rng.random() < 0.9:
                number += 1
                # Few triggers near the prices, so that changes and cancels often meet a stop that fires.
                stop = Stop(rng.random() < 0.5, rng.randrange(3), rng.randrange(90, 110), rng.getrandbits(rng.choice([4, 32])), number)
                if rng.random() < 0.5:
                    stop = Stop(stop.sell, stop.instrument, stop.trigger, stop.quantity, number, rng.randrange(-(1 << 34), 1 << 34))
                wanted = (rng.choice([SET, SET, CHANGE, CANCEL]), rng.randrange(min(SLOTS, 16)), stop)
                if rng.random() < 0.3 and b.waiting is None and not (b.operation and b.operation[0] == SEND):
                    wanted = (SEND, 0, replace(stop, by_host=True, kind=rng.randrange(3)))
            burst = burst - 1 if burst else rng.choice([0, 0, 0, 5]) if rng.random() < density else -1
            event = (rng.randrange(3), rng.randrange(80, 120)) if burst >= 0 and rng.random() < 0.6 and b.backlog < EVENTS - 2 else None
            burst = max(burst, 0)
            if await b.step(event=event, write=wanted, ready=rng.random() < readiness):
                wanted = None
        if period % 10 == 9:
            while b.operation:
                await b.step()
            await b.drain()
            for _ in range(6 * SLOTS):  # counted twice since
                await b.step()
            assert int(dut.armed_count.value) == sum(s.state == ARMED for s in b.slots)
    await b.drain()
    refused = [previous for done, previous in b.answers if not done]
    assert len(b.left) > 60
    assert len(b.sent) > 20
    assert {EMPTY, ARMED, FIRED} <= set(refused)


@pytest.mark.parametrize(("slots", "at_once"), [(8, 8), (16, 8), (64, 64), (64, 8)])
def test_stop_orders(slots: int, at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLOTS", str(slots))
    monkeypatch.setenv("AT_ONCE", str(at_once))
    simulate("stop_orders_tb", "test_stop_orders", {"SLOTS": slots, "AT_ONCE": at_once})
