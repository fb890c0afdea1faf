"""stop_orders against a plain model that goes event by event and operation by operation, and the cycles its header promises."""

import os
import random
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.task import Task
from cocotb.triggers import RisingEdge
from harness import simulate

SLOTS = int(os.environ.get("SLOTS", "64"))
GROUPS = SLOTS // int(os.environ.get("GROUP", "16"))
REGISTERED = int(os.environ.get("REGISTERED", "0"))
QUARTER = SLOTS // 4
SET, CHANGE, CANCEL = range(3)
EMPTY, ARMED, FIRING, FIRED = range(4)
LOWEST, HIGHEST = -(1 << 47), (1 << 47) - 1
LAST_LOWEST, LAST_HIGHEST = -(1 << 48), (1 << 48) - 1  # of last prices
OPERATION_CYCLES = 5  # accepted to answered, without events
HELD_BACK_AFTER = 256  # cycles that an operation waits for a pause between events, until there is one


clocks: list[Task[None]] = []  # the last is this test's, or has ended with the test before


def turn(slot: int, instrument: int) -> int:
    """When the slot's turn comes among those that one event fires."""
    return slot ^ instrument % 4 * QUARTER


def intent_after(slot: int, instrument: int = 3) -> int:
    """Cycles, event to intent."""
    return 2 + REGISTERED + turn(slot, instrument) // (SLOTS // GROUPS)


@dataclass(frozen=True)
class Stop:
    sell: bool
    instrument: int
    trigger: int

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
    left: list[tuple[int, int]] = field(default_factory=list)  # slot, cycle
    answers: list[tuple[bool, int]] = field(default_factory=list)
    cycle: int = 0
    events: list[int] = field(default_factory=list)  # the cycles in which they were taken
    operation: tuple[int, int, Stop] | None = None  # accepted, not answered
    soon: bool = True  # in the last cycle

    async def start(self) -> None:
        dut = self.dut
        # One clock a test: with another for each of its hundred benches every cycle takes longer than the one before.
        if not clocks or clocks[-1].done():
            clocks.append(cocotb.start_soon(Clock(dut.clk, 2, "ns").start()))
        for name in ("event_valid", "write_valid", "intent_ready"):
            getattr(dut, name).value = 0
        dut.rst.value = 1
        for _ in range(3):
            await RisingEdge(dut.clk)
        dut.rst.value = 0
        for _ in range(4 + GROUPS):
            await self.step()

    async def step(self, event: tuple[int, int] | None = None, write: tuple[int, int, Stop] | None = None, ready: bool = True) -> bool:
        """One cycle; whether the write was accepted. Whether the event was: `taken`."""
        dut = self.dut
        dut.event_valid.value = event is not None
        if event:
            dut.event_instrument.value, dut.event_price.value = event
        dut.write_valid.value = write is not None
        if write:
            operation, slot, stop = write
            dut.write_operation.value, dut.write_slot.value = operation, slot
            dut.write_sell.value, dut.write_instrument.value, dut.write_trigger.value = stop.sell, stop.instrument, stop.trigger
        dut.intent_ready.value = ready
        await RisingEdge(dut.clk)  # what is seen now is of the cycle that ends
        accepted = write is not None and bool(dut.write_ready.value)
        self.taken = event is not None and bool(dut.event_ready.value)
        if dut.intent_valid.value:
            assert self.soon, "an intent that was not announced"
            assert self.due, "an order nobody asked for"
            number, stop = self.due[0]
            assert (int(dut.intent_slot.value), int(dut.intent_instrument.value)) == (number, stop.instrument)
            if ready:
                self.due.popleft()
                self.slots[number].state = FIRED
                self.left.append((number, self.cycle))
        self.soon = bool(dut.intent_soon.value)
        if dut.answer_valid.value:
            # It took effect in the cycle before this one: before this cycle's event, and after those of earlier cycles.
            assert self.operation is not None
            self._operate(bool(dut.answer_done.value), int(dut.answer_previous.value))
        if event and self.taken:
            self.events.append(self.cycle)
            for place in sorted(range(SLOTS), key=lambda slot: turn(slot, event[0])):
                entry = self.slots[place]
                if entry.state == ARMED and entry.stop and entry.stop.reached(*event):
                    entry.state = FIRING
                    self.due.append((place, entry.stop))
        if accepted:
            assert self.operation is None
            self.operation = write
        self.cycle += 1
        return accepted

    def _operate(self, done: bool, previous: int) -> None:
        assert self.operation
        operation, number, stop = self.operation
        self.answers.append((done, previous))
        self.operation = None
        slot = self.slots[number]
        # Whether an order has just left may be seen a moment late.
        assert previous == slot.state or (previous, slot.state) == (FIRING, FIRED), f"slot {number} was {slot.state}, answered {previous}"
        assert done == (previous in (EMPTY, FIRED) if operation == SET else previous == ARMED)
        if done:
            self.slots[number] = Slot(EMPTY if operation == CANCEL else ARMED, None if operation == CANCEL else stop)

    async def operate(self, operation: int, slot: int, stop: Stop) -> tuple[bool, int]:
        while not await self.step(write=(operation, slot, stop)):
            pass
        while self.operation:
            await self.step()
        return self.answers[-1]

    async def event(self, instrument: int, price: int, ready: bool = True) -> int:
        """Offered until it is taken: the cycle."""
        await self.step(event=(instrument, price), ready=ready)
        while not self.taken:
            await self.step(event=(instrument, price), ready=ready)
        return self.cycle - 1

    async def drain(self) -> None:
        quiet = 0
        for _ in range(9 * SLOTS + 4 * GROUPS):
            await self.step()
            quiet = 0 if self.due else quiet + 1
            if quiet > 2 * GROUPS + 8:
                return
        raise AssertionError(f"{len(self.due)} orders did not leave")


async def bench(dut: Any) -> Bench:
    made = Bench(dut)
    await made.start()
    return made


def sell(trigger: int, instrument: int = 3) -> Stop:
    return Stop(True, instrument, trigger)


def buy(trigger: int, instrument: int = 3) -> Stop:
    return Stop(False, instrument, trigger)


@cocotb.test()
async def fires_at_the_trigger_and_not_before(dut: Any) -> None:
    for stop, just_before, at in (
        (sell(1000), 1001, 1000),
        (sell(-5), -4, -5),
        (sell(0), 1, -900),
        (buy(1000), 999, 1000),
        (buy(-5), -6, -5),
        (sell(LOWEST), LOWEST + 1, LOWEST),
        (buy(HIGHEST), HIGHEST - 1, HIGHEST),
        (buy(1 << 40), (1 << 40) - 1, 1 << 40),
        (sell(HIGHEST), LAST_HIGHEST, LAST_LOWEST),
        (buy(LOWEST), LAST_LOWEST, LAST_HIGHEST),
    ):
        b = await bench(dut)
        assert await b.operate(SET, 5, stop) == (True, EMPTY)
        await b.event(3, just_before)
        await b.event(4, at)
        await b.drain()
        assert not b.left
        await b.event(3, at)
        await b.drain()
        assert [slot for slot, _ in b.left] == [5]
    for stop in (sell(HIGHEST), buy(LOWEST)):
        b = await bench(dut)
        await b.operate(SET, 0, stop)
        await b.event(3, 12)
        await b.drain()
        assert len(b.left) == 1


@cocotb.test()
async def the_intent_comes_a_fixed_number_of_cycles_after_the_event(dut: Any) -> None:
    for slot in range(0, SLOTS, 3):
        b = await bench(dut)
        await b.operate(SET, slot, sell(1000))
        for _ in range(slot % 4):
            await b.step()
        now = await b.event(3, 1000)
        await b.drain()
        assert [(n, cycle - now) for n, cycle in b.left] == [(slot, intent_after(slot))]


@cocotb.test()
async def all_that_one_event_fires_leave_from_the_instruments_quarter_on_and_before_those_of_the_next(dut: Any) -> None:
    first, second, third, fourth = (range(at, at + QUARTER) for at in range(0, SLOTS, QUARTER))
    for instrument, quarters in (
        (4, (first, second, third, fourth)),
        (5, (second, first, fourth, third)),
        (6, (third, fourth, first, second)),
        (7, (fourth, third, second, first)),
    ):
        b = await bench(dut)
        for slot in reversed(range(SLOTS)):
            await b.operate(SET, slot, sell(1000 if slot % 2 else 900, instrument))
        now = await b.event(instrument, 1000)
        await b.event(instrument, 900)
        await b.drain()
        order = [slot for quarter in quarters for slot in quarter]
        assert [slot for slot, _ in b.left] == [slot for slot in order if slot % 2] + [slot for slot in order if slot % 2 == 0]
        assert b.left[0][1] - now == 2 + REGISTERED
        # Five cycles an intent, up to two more for each group or event that fired meanwhile.
        assert b.left[-1][1] - now <= 2 + REGISTERED + 5 * SLOTS + 2 * (2 * GROUPS)


@cocotb.test()
async def fires_once_until_armed_again(dut: Any) -> None:
    b = await bench(dut)
    await b.operate(SET, 7, sell(50))
    for price in (49, 48, 47, 51, 12):
        await b.event(3, price)
    await b.drain()
    assert len(b.left) == 1
    assert await b.operate(CHANGE, 7, sell(60)) == (False, FIRED)
    assert await b.operate(CANCEL, 7, sell(60)) == (False, FIRED)
    await b.event(3, 1)
    await b.drain()
    assert len(b.left) == 1
    assert await b.operate(SET, 7, sell(60)) == (True, FIRED)
    await b.event(3, 1)
    await b.drain()
    assert len(b.left) == 2


@cocotb.test()
async def a_slot_whose_order_has_not_left_is_not_armed_again(dut: Any) -> None:
    b = await bench(dut)
    await b.operate(SET, 7, sell(50))
    await b.event(3, 50, ready=False)
    assert await b.step(write=(SET, 7, sell(70)), ready=False)
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
    assert await b.operate(CHANGE, 1, buy(80, instrument=2)) == (True, ARMED)
    assert int(dut.armed_count.value) == 1
    await b.event(3, 10)
    await b.event(2, 79)
    await b.drain()
    assert not b.left
    await b.event(2, 80)
    await b.drain()
    assert [slot for slot, _ in b.left] == [1]
    await b.operate(SET, 2, sell(50))
    assert await b.operate(CANCEL, 2, sell(0)) == (True, ARMED)
    await b.event(3, 10)
    await b.drain()
    assert len(b.left) == 1
    assert int(dut.armed_count.value) == 0


@cocotb.test()
async def an_operation_takes_effect_between_two_events(dut: Any) -> None:
    """The event in every cycle around the one in which a change or a cancel takes effect: old stop or new, never both, never neither."""
    fired = set()
    for slot in (4, SLOTS - 2):
        for operation in (CHANGE, CANCEL):
            for at in range(1, OPERATION_CYCLES + GROUPS + 4):
                b = await bench(dut)
                await b.operate(SET, slot, sell(100))
                # Reached by the new stop only if it is a change, by the old one only if it came too late.
                price = 150 if operation == CHANGE else 100
                await b.step(write=(operation, slot, sell(200)))
                for cycle in range(1, OPERATION_CYCLES + 2 * GROUPS + 12):
                    await b.step(event=(3, price) if cycle == at else None)
                await b.drain()
                done, previous = b.answers[-1]
                assert done == (previous == ARMED)
                assert [cycle - b.events[-1] for _, cycle in b.left] in ([], [intent_after(slot)]), "an operation delays no order"
                fired.add((operation, done, len(b.left)))
    assert fired == {(CHANGE, True, 0), (CHANGE, True, 1), (CANCEL, True, 0), (CANCEL, False, 1)}


@cocotb.test()
async def the_answer_comes_in_time_however_dense_the_events_are(dut: Any) -> None:
    b = await bench(dut)
    for spacing in (None, 10 * GROUPS, 4 * GROUPS, 1):
        await b.step(write=(SET if spacing is None else CHANGE, 3, sell(5)))
        began = b.cycle - 1
        offered: tuple[int, int] | None = None
        while b.operation:
            if spacing and b.cycle % spacing == 0:
                offered = (9, 1)
            await b.step(event=offered)
            if b.taken:
                offered = None
        cycles = b.cycle - 1 - began
        if spacing is None:
            assert cycles == OPERATION_CYCLES
        else:
            assert cycles <= HELD_BACK_AFTER + OPERATION_CYCLES + GROUPS + 4


@cocotb.test()
async def events_that_come_faster_than_they_are_compared_wait_and_none_is_lost(dut: Any) -> None:
    b = await bench(dut)
    for slot in range(SLOTS):
        await b.operate(SET, slot, sell(1000 - slot, instrument=0))
    for price in range(1010, 1000 - SLOTS, -1):
        await b.event(0, price)
    assert {after - before for before, after in zip(b.events, b.events[1:], strict=False)} == {GROUPS}
    await b.drain()
    assert [slot for slot, _ in b.left] == list(range(SLOTS))


@cocotb.test()
async def an_order_that_leaves_while_others_fire_disarms_no_other_slot(dut: Any) -> None:
    per_group = SLOTS // GROUPS
    others = range(per_group, SLOTS, per_group)  # of the same lane; they never fire
    for phase in range(3 * GROUPS + 6):
        b = await bench(dut)
        await b.operate(SET, 0, sell(50))
        for slot in others:
            await b.operate(SET, slot, sell(-1000))
            await b.operate(SET, slot + 1, sell(40))
        await b.event(3, 50, ready=False)
        for _ in range(4):
            await b.step(ready=False)
        offered: tuple[int, int] | None = (3, 40)
        for cycle in range(3 * GROUPS + 6):
            await b.step(event=offered, ready=cycle >= phase)
            offered = None if b.taken else offered
        await b.drain()
        for slot in others:
            assert await b.operate(CANCEL, slot, sell(0)) == (True, ARMED), (phase, slot)


@cocotb.test()
async def an_order_that_leaves_while_an_operation_lets_an_event_pass_changes_its_own_slot_only(dut: Any) -> None:
    other = SLOTS // GROUPS  # the same lane, the next group
    for ready_at in range(16):
        for event_at in range(ready_at + 6):
            b = await bench(dut)
            await b.operate(SET, 0, sell(50))
            await b.event(3, 50, ready=False)
            for _ in range(GROUPS + 6):
                await b.step(ready=False)
            wanted: tuple[int, int, Stop] | None = (SET, other, sell(40))
            offered: tuple[int, int] | None = None
            for cycle in range(ready_at + GROUPS + 16):
                offered = (3, 40) if cycle == event_at else offered
                if await b.step(event=offered, write=wanted, ready=cycle >= ready_at):
                    wanted = None
                offered = None if b.taken else offered
            while b.operation:
                await b.step()
            await b.drain()
            assert await b.operate(CANCEL, 0, sell(0)) == (False, FIRED), (ready_at, event_at)
            assert b.slots[other].state in (ARMED, FIRED)


@cocotb.test()
async def random_events_and_operations_equal_the_model(dut: Any) -> None:
    rng = random.Random(11)
    b = await bench(dut)
    wanted: tuple[int, int, Stop] | None = None
    offered: tuple[int, int] | None = None
    for period in range(60):
        density = rng.choice([0.02, 0.1, 0.3, 1.0]) / GROUPS
        readiness = rng.choice([1.0, 1.0, 0.5, 0.05])
        for _ in range(250):
            if wanted is None and rng.random() < 0.5:
                # Few triggers near the prices, so that changes and cancels often meet a stop that fires.
                stop = Stop(rng.random() < 0.5, rng.randrange(3), rng.randrange(90, 110))
                wanted = (rng.choice([SET, SET, CHANGE, CANCEL]), rng.choice([rng.randrange(16), rng.randrange(SLOTS)]) % SLOTS, stop)
            if offered is None and rng.random() < density:
                offered = (rng.randrange(3), rng.randrange(80, 120))
            if await b.step(event=offered, write=wanted, ready=rng.random() < readiness):
                wanted = None
            if b.taken:
                offered = None
        if period % 10 == 9:
            while b.operation:
                await b.step()
            await b.drain()
            assert int(dut.armed_count.value) == sum(s.state == ARMED for s in b.slots)
    await b.drain()
    refused = [previous for done, previous in b.answers if not done]
    assert len(b.left) > 200
    assert {EMPTY, ARMED, FIRED} <= set(refused)


@pytest.mark.parametrize(("slots", "group", "registered"), [(8, 2, 0), (32, 8, 0), (64, 16, 0), (64, 8, 1), (64, 4, 1)])
def test_stop_orders(slots: int, group: int, registered: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLOTS", str(slots))
    monkeypatch.setenv("GROUP", str(group))
    monkeypatch.setenv("REGISTERED", str(registered))
    simulate("stop_orders_tb", "test_stop_orders", {"SLOTS": slots, "GROUP": group, "REGISTERED": registered})
