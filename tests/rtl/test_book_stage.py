"""book_stage against a plain book: after every event the best levels, trades and faults are the same, bad frames leave nothing."""

import random
from dataclasses import replace

import cocotb
from book_bench import LATENCY, TRADE_LATENCY, Bench, buy, change_to, delete, sell
from book_model import (
    ADD,
    BUY,
    CLEAR,
    DELETE,
    EXECUTE,
    MODIFY,
    REDUCE,
    REPLACE,
    SELL,
    STATUS,
    TRADE,
    WINDOW_TICKS,
    Event,
    Window,
)
from harness import cases, simulate

SMALL = {"SETS_LOG2": 6, "LEVEL_SETS_LOG2": 6, "LOG": 16, "FIFO": 64, "ORDERS": 60}
LOW = 16384 * 4 - 3000  # the upper bits of the ticks change within the window
BY_ID = (EXECUTE, REDUCE, DELETE, REPLACE, MODIFY)
WINDOWS = {0: Window(100, LOW), 1: Window(100, 100), 2: Window(1, 5), 3: Window(25, 8192 * 3)}


async def started(dut) -> Bench:
    bench = Bench(dut, SMALL["LOG"], SMALL["ORDERS"])
    await bench.start(WINDOWS)
    return bench


def execute(id_: int, quantity: int, price: int = 0, instrument: int | None = None) -> Event:
    return Event(EXECUTE, instrument, price=price, quantity=quantity, id=id_)


def reduce(id_: int, quantity: int, instrument: int | None = None) -> Event:
    return Event(REDUCE, instrument, quantity=quantity, id=id_)


@cocotb.test()
async def best_prices_come_6_cycles_after_their_event(dut):
    b = await started(dut)
    await b.frame([buy(0, 1, LOW + 50), sell(0, 2, LOW + 60), buy(0, 3, LOW + 51), execute(3, 40), delete(3), reduce(2, 1)], gap=5)
    await b.settle()
    assert b.latencies == [LATENCY] * 6
    b.latencies.clear()
    await b.frame([buy(1, 4, 200), execute(1, 100), sell(1, 5, 201), sell(1, 6, 200), buy(1, 7, 210)], gap=1)  # locked, then crossed
    await b.settle()
    assert b.latencies == [LATENCY] * 5
    assert b.faults == 0
    assert b.compared == 11


@cocotb.test()
async def an_add_that_improves_the_best_is_known_after_2_cycles(dut):
    b = await started(dut)
    adds = [buy(0, 1, LOW + 9), sell(0, 2, LOW + 99), buy(0, 3, LOW + 10), buy(0, 4, LOW + 10), buy(0, 5, LOW + 8), sell(0, 6, LOW + 98)]
    await b.frame([*adds, buy(0, 7, LOW + 98), sell(0, 8, LOW + 97)], gap=12)
    await b.settle()
    assert b.early == 4
    await b.frame([buy(0, 11, LOW + 100), buy(0, 12, LOW + 101), buy(1, 13, 150), delete(12), buy(1, 14, 151)], gap=2)
    await b.settle()
    assert b.early == 5, "of an instrument only the first, as long as operations are on their way"
    await b.frame(
        [buy(1, 14, 152), Event(ADD, 1, BUY, 15301, 5, 15), sell(2, 16, 90)], gap=12
    )  # twice the id; no multiple of the tick; outside
    await b.settle()
    assert b.early == 5


@cocotb.test()
async def a_trade_has_the_price_of_its_order_or_its_own(dut):
    b = await started(dut)
    events = [buy(0, 1, LOW + 3, 500), execute(1, 100), execute(1, 100, 7), Event(TRADE, 0, SELL, 123456, 1 << 31), sell(3, 2, 30000)]
    await b.frame([*events, execute(1, 300)], gap=1)
    wide = [Event(TRADE, 0, BUY, 1 << 33, 5), Event(TRADE, 0, BUY, -3, 5), execute(2, 10, 1 << 32), execute(2, 10, 30001)]
    await b.frame(wide, gap=1)
    await b.settle()


@cocotb.test()
async def the_same_order_and_the_same_level_in_successive_events(dut):
    b = await started(dut)
    t = LOW + 100
    await b.frame([buy(0, 1, t, 10), reduce(1, 1), reduce(1, 2), execute(1, 3), execute(1, 4), buy(0, 1, t, 5), delete(1)], gap=1)
    await b.frame([buy(0, 1, t), buy(0, 2, t), buy(0, 3, t), delete(2), buy(0, 4, t + 1), delete(4), delete(1), delete(3)], gap=1)
    await b.frame([buy(0, 1, t), delete(1), buy(0, 1, t), delete(1), sell(1, 1, 300), delete(1), buy(0, 1, t)], gap=1)
    await b.settle()
    assert b.faults == 0


@cocotb.test()
async def a_replacement_is_a_delete_and_an_add(dut):
    b = await started(dut)
    t = LOW + 3000
    await b.frame([buy(0, 1, t), buy(0, 2, t - 1)], gap=3)
    await b.settle()
    b.latencies.clear()
    await b.frame([change_to(1, 3, t - 1, 50, 0), change_to(3, 4, t + 2, 60, 0)], gap=5)
    await b.settle()
    assert b.latencies == [LATENCY + 2] * 2
    b.latencies.clear()
    await b.frame(
        [change_to(4, 5, t - 2, 50), change_to(2, 6, t + 2, 60), change_to(6, 1, t, 9)], gap=7
    )  # which instrument, only the order says
    await b.settle()
    assert b.latencies == [LATENCY + 4] * 3
    await b.frame([change_to(5, 7, t, 1), change_to(7, 8, t, 2), change_to(8, 9, t, 3), delete(9), delete(1)], gap=1)
    await b.settle()
    assert b.faults == 0


@cocotb.test()
async def an_order_that_changes_in_place_keeps_its_id_and_its_side(dut):
    t = LOW + 3000
    b = await started(dut)
    await b.frame([Event(CLEAR, 0), buy(0, 1, t, 10), buy(0, 2, t, 20), sell(0, 3, t + 5, 30)], gap=7)
    to = [(1, t, 4), (1, t, 14), (2, t + 1, 5), (3, t + 2, 30)]
    await b.frame([Event(MODIFY, None, BUY, 100 * tick, quantity, id_) for id_, tick, quantity in to], gap=7)
    await b.frame([Event(MODIFY, 0, SELL, 100 * t, 3, 2), Event(MODIFY, 0, SELL, 100 * t, 2, 2), delete(1), delete(3)], gap=1)
    await b.settle()
    assert b.faults == 0


@cocotb.test()
async def what_cannot_be_booked_makes_the_instrument_untradable(dut):
    t = LOW + 3000
    cases_ = [
        [buy(0, 1, t, 0)],
        [buy(0, 1, t, 1 << 24)],
        [buy(0, 1 << 48, t)],
        [buy(0, 1, t), change_to(1, 1, t, 5)],
        [buy(0, 1, t), change_to(1, 2, t, 0)],
        [buy(0, 1, t), change_to(1, 2, t, 1 << 24), change_to(1, 1 << 60, t, 3)],
        [delete(77, 0)],
        [delete(1 << 50, 0), delete((1 << 50) + 1, 0)],
        [buy(0, 1, t), delete(1, 1)],
        [buy(0, 1, t), buy(1, 1, 150)],
        [buy(0, 1, t), buy(1, 2, 150), change_to(1, 2, t, 5)],
        [buy(0, 1, t), execute(1, 101), reduce(1, 101), execute(1, 1 << 40)],
        [Event(ADD, 0, BUY, 100 * t + 1, 5, 1), Event(ADD, 3, SELL, 25 * 8192 * 3 + 26, 5, 2)],
        [buy(0, 1, LOW + WINDOW_TICKS), sell(1, 2, 99), Event(ADD, 2, BUY, 1 << 40, 5, 3)],
        [Event(MODIFY, 0, quantity=1), Event(CLEAR, 1)],
        [buy(1, 1, 150), Event(CLEAR, 1)],
        [buy(0, 1, t), Event(MODIFY, 0, BUY, 100 * t, 1 << 24, 1), Event(MODIFY, 0, BUY, 100 * t, 0, 1)],
        [Event(MODIFY, None, BUY, 100 * t, 5, 88), buy(0, 1, t), Event(MODIFY, 1, BUY, 150 * 25, 5, 1)],
        [execute(5, 0, instrument=0), reduce(6, 0), Event(STATUS, 0), delete(9)],
        # They name an instrument that is none of ours: the orders stay, and nothing is counted.
        [buy(0, 1, t), *(Event(kind, None, price=100 * t, quantity=5, id=1, new_id=2, has_symbol=True) for kind in BY_ID)],
    ]
    b = await started(dut)
    next_ = 1
    for events in cases_:
        await b.frame(events, gap=3)
        await b.settle()
        for i in list(b.model.causes):
            await b.clear(i)
            assert await b.rebuilt(i, b.sequence + next_)
        for i in (0, 1):
            await b.clear(i)
            assert await b.rebuilt(i, b.sequence + next_)
    assert b.faults > 20
    assert b.not_ours == b.model.not_ours


@cocotb.test()
async def orders_beyond_the_window_are_kept(dut):
    b = await started(dut)
    low, high = LOW, LOW + WINDOW_TICKS - 1
    await b.frame([buy(0, 1, low - 1), buy(0, 2, 5), sell(0, 3, high + 1), sell(0, 4, 10 * high)], gap=3)
    await b.frame([buy(0, 5, low), sell(0, 6, high), buy(0, 7, high), sell(0, 8, low), delete(7), delete(8)], gap=3)
    await b.frame([Event(ADD, 2, BUY, -5, 5, 10), Event(ADD, 2, BUY, 5, 5, 11), delete(10), delete(11)], gap=3)
    await b.frame([delete(5), delete(6), delete(1), delete(2), buy(0, 9, low), delete(9), reduce(3, 50), delete(3), execute(4, 100)], gap=1)
    await b.settle()
    assert b.faults == 0


@cocotb.test()
async def a_bad_frame_leaves_nothing(dut):
    b = await started(dut)
    t = LOW + 500
    await b.frame([buy(0, 1, t, 100), buy(0, 2, t, 50), sell(0, 3, t + 5, 70), buy(1, 4, 200, 10)])
    bad = [
        delete(1),
        execute(2, 20),
        execute(2, 30),
        change_to(3, 5, t + 4, 9),
        sell(1, 6, 205),
        buy(1, 7, 201),
        reduce(7, 60),
        execute(4, 3),
    ]
    await b.frame(bad, good=False)
    await b.frame(bad, good=False, gap=3, with_last=True)
    await b.frame([delete(1), change_to(2, 8, t + 1, 5, 0)], good=False, gap=4, with_last=True)
    await b.frame([Event(TRADE, 0, BUY, 5, 5), buy(0, 1, t), delete(99, 1), buy(1, 9, 202)], good=False)
    await b.settle()
    assert not b.model.causes
    await b.frame(bad)
    await b.settle()
    assert b.undone == 4


@cocotb.test()
async def events_wait_while_a_frame_is_undone(dut):
    b = await started(dut)
    rng = random.Random(4)
    for turn in range(30):
        live = 100 * turn
        add = [buy(0, live + i, LOW + 300 + rng.randrange(6), 10) for i in range(10)]
        await b.frame(add, gap=0 if turn % 2 else 1, good=False)
        await b.frame(add[:8], gap=rng.randrange(3), with_last=True)
        await b.frame([delete(live + i) for i in range(8)], gap=0, good=turn % 3 != 0)
        if turn % 3 == 0:
            await b.frame([delete(live + i) for i in range(8)], gap=1)
        await b.rest(rng.randrange(60))
    await b.settle()
    assert max(b.latencies) > 20
    assert b.overflows == 0
    assert b.faults == 0


@cocotb.test()
async def more_operations_than_the_log_holds_are_refused(dut):
    b = await started(dut)
    t = LOW + 3000
    adds = [buy(0, i, t + i) for i in range(14)]
    await b.frame([*adds, Event(TRADE, 0, BUY, 7, 7), change_to(3, 50, t, 5), delete(1), delete(2)])
    await b.settle()
    assert b.model.causes
    await b.clear(0)
    assert await b.rebuilt(0, b.sequence + 1)
    await b.frame([*adds, delete(3), delete(4), delete(5)], good=False)
    await b.settle()
    assert b.model.causes


@cocotb.test()
async def an_instrument_is_rebuilt_by_the_host(dut):
    b = await started(dut)
    t = LOW + 1000
    await b.frame([buy(0, i, t + i % 5) for i in range(12)])
    await b.frame([sell(1, 100 + i, 300 + i) for i in range(12)])
    await b.settle()
    assert not await b.window(0, WINDOWS[0]), "its window is in use"
    assert not await b.restore(0, BUY, 1, 1, 1), "it is not being rebuilt"
    await b.clear(0)
    await b.frame([buy(0, 50, t), delete(1), delete(105), sell(1, 120, 301)])  # the first two are not booked
    for id_, tick in ((1, t), (2, t), (3, t + 7), (4, LOW - 9)):
        assert await b.restore(0, BUY, id_, 100 * tick, 30)
    assert not await b.rebuilt(0, b.sequence - 3)
    assert await b.rebuilt(0, b.sequence + 1)  # delete(1) was nobody's order; delete(105) was booked
    await b.frame([delete(3), execute(2, 30), delete(110)])
    await b.settle()
    # An order that does not fit ends the rebuild.
    await b.clear(0)
    assert await b.restore(0, BUY, 1, 100 * t, 30)
    assert await b.restore(0, BUY, 1, 100 * t, 30)
    await b.rest()
    assert not await b.rebuilt(0, b.sequence + 1)
    await b.clear(0)
    assert await b.rebuilt(0, b.sequence + 1)
    await b.settle()


@cocotb.test()
async def the_changes_of_a_frame_after_a_gap_are_untradable_from_the_first_on_and_tradable_again_if_the_frame_is_bad(dut):
    b = await started(dut)
    await b.frame([buy(0, 1, LOW + 5), sell(0, 2, LOW + 9), buy(1, 3, 150)])
    await b.settle()
    early = b.early
    for gap in (0, 1, 12):
        b.after_gap = True
        events = [buy(0, 10, LOW + 6), change_to(10, 11, LOW + 7, 10), execute(2, 1), buy(1, 12, 160)]
        await b.frame([*events, sell(0, 13, LOW + 8)], good=False, gap=gap)
        await b.settle()  # compares what is tradable after it
        b.after_gap = False
        await b.frame([delete(3), buy(1, 3, 150)], gap=12)
        await b.settle()
    assert b.early == early, "the best price is not told early either"
    b.after_gap = True
    await b.frame([buy(0, 10, LOW + 6)], gap=1)
    b.after_gap = False
    b.dut.gap.value, b.dut.gap_next.value = 1, 500
    await b.step()
    b.dut.gap.value = 0
    b.model.causes = dict.fromkeys(WINDOWS, 14)
    await b.frame([buy(0, 14, LOW + 7)])
    await b.settle()


@cocotb.test()
async def the_first_frame_of_another_session_changes_nothing_tradable_unless_a_day_begins_with_it(dut):
    b = await started(dut)
    # From message 1, without orders; not from message 1; with orders of the session before. All prove bad: what is tradable stays.
    day = [buy(0, 1, LOW + 5), buy(0, 2, LOW + 6), sell(0, 3, LOW + 9), change_to(2, 4, LOW + 7, 10)]
    for before, from_first, is_other in (([], True, False), ([], False, True), ([buy(0, 9, LOW + 1)], True, True)):
        await b.frame(before)
        await b.settle()
        early = b.early
        for gap in (0, 1, 12):
            b.begins_session, b.is_of_another_session = (True, from_first), is_other
            await b.frame(day, good=False, gap=gap)
            b.begins_session, b.is_of_another_session = (False, False), False
            await b.settle()
        assert (b.early == early) == is_other, "nor is the best price told early"


@cocotb.test()
async def a_gap_and_a_session_make_all_untradable(dut):
    b = await started(dut)
    await b.frame([buy(0, 1, LOW + 5)])
    await b.settle()
    b.dut.gap.value, b.dut.gap_next.value = 1, 500
    await b.step()
    b.dut.gap.value = 0
    await b.rest(3)
    assert not int(dut.all_tradable.value) & 0xF
    b.model.causes = dict.fromkeys(WINDOWS, 14)
    for i in WINDOWS:
        await b.clear(i)
        assert not await b.rebuilt(i, 499)
        assert await b.rebuilt(i, 500)
    await b.settle()
    await b.frame([buy(0, 1, LOW + 5)])
    for first, tradable in ((1, False), (2, False)):
        b.dut.new_session.value, b.dut.session_first.value = 1, first
        await b.step()
        b.dut.new_session.value = 0
        await b.rest(3)
        assert bool(int(dut.all_tradable.value) & 0xF) == tradable
        b.model.causes = dict.fromkeys(WINDOWS, 15)
    await b.frame([delete(1)])
    b.dut.new_session.value, b.dut.session_first.value = 1, 1
    await b.step()
    b.dut.new_session.value = 0
    b.model.causes.clear()
    await b.settle()


@cocotb.test()
async def a_fault_in_the_first_frame_of_the_day_stays(dut):
    """That a session begins is told with the verdict on its first frame, after the frame's events."""
    b = await started(dut)
    await b.frame([buy(1, 1, 105, quantity=0)])  # of the day before
    await b.settle()
    await b.step(buy(0, 1, LOW + 5, quantity=0))
    await b.rest(12)
    await b.step(None, True)
    b.dut.new_session.value, b.dut.session_first.value = 1, 1
    await b.step()
    b.dut.new_session.value = 0
    assert b.model.causes.keys() == {0, 1}
    del b.model.causes[1]
    await b.settle()


@cocotb.test()
async def a_line_that_ran_short_is_filled_up(dut):
    """Sides of 24 levels, from which the best ones go: near together, far apart, while others come."""
    rng = random.Random(5)
    for apart, pause in ((1, 60), (7, 150), (150, 400), (150, 0), (1, 0)):
        b = await started(dut)
        ids = list(range(1, 25))
        for start in range(0, 24, 6):
            await b.frame([buy(0, i, LOW + 4000 - apart * i) for i in ids[start : start + 6]])
            await b.frame([sell(0, 100 + i, LOW + 4001 + apart * i) for i in ids[start : start + 6]])
        await b.rest(500)
        for i in ids:
            bad = rng.random() < 0.3
            await b.frame([delete(i), delete(100 + i)], good=not bad)
            if bad:
                await b.frame([delete(i), delete(100 + i)])
            if rng.random() < 0.3:
                extra = 200 + i
                await b.frame([buy(0, extra, LOW + 4000 - apart * rng.randrange(1, 25)), delete(extra)])
            await b.rest(pause)
        await b.settle()
        if pause:
            assert b.unknown_best == 0
        assert not b.model.orders
        assert b.faults == 0


@cocotb.test()
async def an_event_without_room_makes_all_untradable(dut):
    b = await started(dut)
    b.compares = False
    for i in range(4 * SMALL["FIFO"]):  # two come in the time of one operation
        await b.step(buy(i % 2, i, LOW + 4000))
    await b.step(None, True)
    await b.rest(300)
    assert b.overflows > 0
    assert not int(dut.all_tradable.value) & 0xF
    b.changes.clear()
    b.trades.clear()
    b.verdicts.clear()
    b.verdict_cycles.clear()
    b.expected_shown.clear()
    b.improving.clear()
    b.model.orders.clear()
    b.compares = True
    for i in WINDOWS:
        await b.clear(i)
        assert not await b.rebuilt(i, 0), "what was lost is not in it"
        assert await b.rebuilt(i, 1 << 40)
    await b.frame([buy(0, 1, LOW + 9), sell(0, 2, LOW + 12), delete(1)])
    await b.settle()


class Stream:
    """Random events, mostly of what a feed does; few ids and few ticks, so that they meet."""

    def __init__(self, rng: random.Random, ids: int, ticks: int, named: float, odd: float) -> None:
        self.rng, self.ids, self.ticks, self.named, self.odd = rng, ids, ticks, named, odd

    def event(self, orders: dict) -> Event:
        rng = self.rng
        if rng.random() < self.odd:
            return self.any_event()
        kinds = [ADD] * 6 + [EXECUTE] * 3 + [REDUCE] * 2 + [DELETE] * 4 + [REPLACE] * 3 + [TRADE]
        kind = rng.choice(kinds if orders else [ADD])
        if kind == ADD and len(orders) > self.ids * 3 // 4:
            kind = DELETE
        if kind in (ADD, TRADE):
            id_ = rng.choice([i for i in range(self.ids) if i not in orders])
            instrument = rng.choice([0, 0, 0, 1])
            return Event(kind, instrument, rng.randrange(2), self.price(instrument), rng.randrange(1, 100), id_)
        id_ = rng.choice(list(orders))
        order = orders[id_]
        named: int | None = order.instrument if rng.random() < self.named else None
        if kind == DELETE:
            return delete(id_, named)
        if kind == REPLACE:
            new = rng.choice([i for i in range(self.ids) if i not in orders])
            return Event(REPLACE, named, price=self.price(order.instrument), quantity=rng.randrange(1, 100), id=id_, new_id=new)
        quantity = order.left if rng.random() < 0.4 else rng.randrange(1, order.left + 1)
        return Event(kind, named, price=rng.choice([0, 0, 777]) if kind == EXECUTE else 0, quantity=quantity, id=id_)

    def price(self, instrument: int) -> int:
        window = WINDOWS[instrument]
        return window.tick * (window.low + 4000 + self.rng.randrange(self.ticks))

    def any_event(self) -> Event:
        rng = self.rng
        kind = rng.choice([ADD, EXECUTE, REDUCE, DELETE, REPLACE, TRADE, ADD, DELETE, STATUS])
        instrument = rng.choice([0, 1, None, 0, 1, 17, 3])
        quantity = rng.choice([0, 1, 5, 50, 1 << 24, 1 << 33]) if kind != TRADE else 3
        price = self.price(0) + rng.choice([0, 0, 1, 100 * 9000, -100 * 6000])
        if instrument == 17:
            kind = ADD
        event = Event(kind, instrument, rng.randrange(2), price, quantity, rng.randrange(self.ids), rng.randrange(self.ids))
        return replace(event, has_symbol=rng.random() < 0.5)


async def random_frames(b: Bench, stream: Stream, frames: int) -> None:
    rng = stream.rng
    for _ in range(frames):
        gap = rng.choice([1, 1, 1, 0, 2, 5])
        count = rng.randrange(8)
        good = rng.random() < 0.7
        for at in range(count):
            b.sequence += 1
            # The event after the next is chosen when the model has seen this one: its orders are those of the event before.
            await b.step()
            event = stream.event(b.model.orders)
            await b.step(event, good if at == count - 1 and gap == 2 else None)
            await b.rest(max(gap - 1, 0))
        if count == 0 or gap != 2:
            await b.step(None, good)
        await b.rest(rng.choice([6, 10, 12, 40]))


@cocotb.test()
async def events_of_other_instruments_take_no_time(dut):
    """One a cycle, more of them than the FIFO has room for; one of ours after them is booked as at once as ever."""
    b = await started(dut)
    await b.frame([buy(0, 1, LOW + 9)])
    for number in range(3 * SMALL["FIFO"]):
        await b.step(Event(BY_ID[number % 5], None, quantity=5, id=1, new_id=2, has_symbol=True))
    await b.step(buy(0, 2, LOW + 10))
    await b.step(None, True)
    await b.settle()
    assert b.overflows == b.faults == b.not_ours == 0
    assert set(b.model.orders) == {1, 2}


@cocotb.test()
async def random_streams_of_few_orders(dut):
    for seed, (ids, ticks, named) in enumerate([(6, 3, 0.5), (12, 12, 0.0), (40, 20, 1.0), (50, 300, 0.5)]):
        b = await started(dut)
        await random_frames(b, Stream(random.Random(seed), ids, ticks, named, 0.0), cases(120, 3000))
        await b.settle()
        assert b.faults == 0
        assert b.compared > 100
        assert b.levels_compared > 150
        dut._log.info("%d events compared, best unknown in %d", b.compared, b.unknown_best)


@cocotb.test()
async def random_streams_of_anything(dut):
    not_ours = 0
    for seed, (ids, ticks) in enumerate([(6, 3), (20, 12)]):
        b = await started(dut)
        for _ in range(cases(12, 300)):
            await random_frames(b, Stream(random.Random(seed), ids, ticks, 0.5, 0.3), 12)
            await b.settle()
            for i in list(b.model.causes):
                await b.clear(i)
                assert await b.rebuilt(i, b.sequence + 1)
        assert b.faults > 10
        not_ours += b.not_ours
    assert not_ours > 0


def test_book_stage() -> None:
    simulate("book_tb", "test_book_stage", parameters=SMALL)


assert TRADE_LATENCY == LATENCY + 2
