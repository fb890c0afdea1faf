"""strategy_own_orders: what a strategy is told about its orders, and what it may ask about them; risk and the exchange are played here.

The comparison with software, on random answers, is verify/lockstep/tests/own_orders.rs.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly
from harness import simulate

ORDERS = ANSWERS = 4
POSITIONS_AT = 100
NEW, CANCEL, REPLACE = range(3)
SENT, OPEN, CLOSED, REPLACED, CHANGE_REFUSED, UNKNOWN = range(6)
ACCEPTED, FILLED, CANCELLED, REPLACED_REPORT, REJECTED, REFUSED = range(6)


class Report(NamedTuple):
    kind: int
    order: int
    price: int
    quantity: int
    remaining: int
    reason: int = 0


class Asked(NamedTuple):
    kind: int
    sell: int
    instrument: int
    price: int
    quantity: int
    original: int
    time_in_force: int


class Bench:
    def __init__(self, dut) -> None:
        self.dut = dut
        self.reports: list[Report] = []
        self.asked: list[Asked] = []
        self.loads: list[tuple[int, int]] = []
        self.intents: deque[dict[str, int]] = deque()
        self.takes_reports = True
        self.refusals = self.losses = self.running = 0

    async def start(self, follows: bool = True) -> None:
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
        for name in ("in_valid", "impossible", "not_sent", "cancel_sent", "working_valid", "working_rejected", "working_traded"):
            getattr(dut, name).value = 0
        for name in ("restart", "begins", "host_holds", "working_priced", "working_price_negative", "working_price", "working_reason"):
            getattr(dut, name).value = 0
        dut.follows.value = dut.reads_positions.value = follows
        dut.out_ready.value = dut.over.value = dut.held.value = dut.rst.value = 1
        for _ in range(3):
            await FallingEdge(dut.clk)
        dut.rst.value = 0
        await self.run(3)

    async def cycle(self) -> None:
        dut = self.dut
        dut.in_valid.value = bool(self.intents)
        if self.intents:
            for name, value in self.intents[0].items():
                getattr(dut, f"in_{name}").value = value
        dut.over.value = not self.running
        dut.begins.value = 0
        await ReadOnly()
        gives = bool(dut.report_valid.value) and self.takes_reports
        if gives:
            names = ("kind", "order", "price", "quantity", "remaining", "reason")
            values = {name: int(getattr(dut, f"report_{name}").value) for name in names}
            self.reports.append(Report(**values | {"price": dut.report_price.value.to_signed()}))
        if dut.out_valid.value and dut.out_ready.value:
            kind, sell, instrument = (int(getattr(dut, f"out_{name}").value) for name in ("kind", "sell", "instrument"))
            price, quantity = (int(getattr(dut, f"out_{name}").value) for name in ("price", "quantity"))
            original, time_in_force = int(f"{int(dut.original.value):x}"), int(dut.out_time_in_force.value)
            self.asked.append(Asked(kind, sell, instrument, price, quantity, original, time_in_force))
        if dut.load.value:
            self.loads.append((int(dut.load_address.value), dut.load_value.value.to_signed()))
        self.refusals += int(dut.refused.value)
        self.losses += int(dut.overflow.value)
        if self.intents and dut.in_ready.value:
            self.intents.popleft()
        await FallingEdge(dut.clk)
        if self.running:
            self.running -= 1
        if gives:
            # The handler begins with the edge that comes.
            dut.begins.value = 1
            dut.in_valid.value = 0
            await FallingEdge(dut.clk)
            dut.begins.value = 0
            self.running = 5

    async def run(self, cycles: int) -> None:
        for _ in range(cycles):
            await self.cycle()

    async def pulse(self, cycles: int = 60, **ports: int) -> None:
        for name, value in ports.items():
            getattr(self.dut, name).value = value
        await self.cycle()
        for name in ports:
            getattr(self.dut, name).value = 0
        await self.run(cycles)

    async def works(self, what: int, place: int, number: int, cycles: int = 60, **more: int) -> None:
        bcd = int(str(number), 16)
        ports = {f"working_{name}": value for name, value in more.items()}
        await self.pulse(cycles, working_valid=1, working_what=what, working_place=place, working_number=bcd, **ports)

    async def intent(self, kind: int, order: int, price: int = 0, quantity: int = 0, sell: int = 0, fits: int = 1) -> None:
        members = {"kind": kind, "order": order, "price": price, "quantity": quantity, "sell": sell, "fits": fits}
        # Only a new order has an instrument and a time in force: here the last digits of its number.
        self.intents.append({**members, "instrument": 3 if kind == NEW else 0, "time_in_force": order % 8 if kind == NEW else 0})
        await self.run(60)

    async def order(self, order: int, number: int, quantity: int = 100, sell: int = 0) -> None:
        """A new order that leaves and that the exchange accepts; risk has it at the place of its number."""
        await self.intent(NEW, order, 50, quantity, sell)
        await self.works(SENT, number, number)
        await self.works(OPEN, number, number)


@cocotb.test
async def fills_change_position_and_remainder_until_the_order_has_ended(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    await bench.order(1, 20)
    await bench.order(2, 21, sell=1)
    assert int(dut.open.value) == 2
    await bench.works(OPEN, 20, 20, traded=30)
    await bench.works(CLOSED, 20, 20, traded=70)
    await bench.works(CLOSED, 21, 21, traded=40)
    assert bench.reports == [
        Report(ACCEPTED, 1, 50, 100, 100),
        Report(ACCEPTED, 2, 50, 100, 100),
        Report(FILLED, 1, 50, 30, 70),
        Report(FILLED, 1, 50, 70, 0),
        Report(FILLED, 2, 50, 40, 60),
        Report(CANCELLED, 2, 50, 60, 0),
    ]
    assert bench.loads == [(POSITIONS_AT + 3, 30), (POSITIONS_AT + 3, 100), (POSITIONS_AT + 3, 60)]
    assert int(dut.open.value) == 0


@cocotb.test
async def a_fill_has_its_own_price_and_the_orders_where_the_exchange_gives_none(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    await bench.order(1, 20)
    await bench.works(OPEN, 20, 20, traded=10, priced=1, price=49)
    await bench.works(OPEN, 20, 20, traded=10, price=48)
    await bench.works(OPEN, 20, 20, traded=10, priced=1, price_negative=1, price=3)
    await bench.works(OPEN, 20, 20, traded=10, priced=1, price=0)
    await bench.works(OPEN, 20, 20, traded=10, priced=1, price=0xFFFF_FFFF)
    # Nothing is new in it: no fill.
    await bench.works(OPEN, 20, 20, priced=1, price=7)
    # With a replacement, of which a part was traded before: the fill's price, then the new order.
    await bench.intent(REPLACE, 1, 55, 30)
    await bench.works(SENT, 21, 21)
    await bench.works(REPLACED, 21, 21, traded=5, priced=1, price=47)
    await bench.works(CLOSED, 21, 21, traded=10)
    assert bench.reports[1:] == [
        Report(FILLED, 1, 49, 10, 90),
        Report(FILLED, 1, 50, 10, 80),
        Report(FILLED, 1, -3, 10, 70),
        Report(FILLED, 1, 0, 10, 60),
        Report(FILLED, 1, 0xFFFF_FFFF, 10, 50),
        Report(FILLED, 1, 47, 5, 25),
        Report(REPLACED_REPORT, 1, 55, 25, 25),
        Report(FILLED, 1, 55, 10, 15),
        Report(CANCELLED, 1, 55, 15, 0),
    ]


@cocotb.test
async def what_the_exchange_rejects_has_its_reason(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    await bench.intent(NEW, 1, 50, 100)
    await bench.works(SENT, 20, 20)
    await bench.works(CLOSED, 20, 20, rejected=1, reason=99)
    await bench.order(2, 21)
    await bench.intent(REPLACE, 2, 51, 100)
    await bench.works(SENT, 22, 22)
    await bench.works(CHANGE_REFUSED, 22, 22, reason=65_535)
    await bench.intent(CANCEL, 2)
    await bench.pulse(cancel_sent=1, cancel_number=0x23)
    # Of an order that is open no other report has one.
    await bench.works(OPEN, 21, 21, traded=10, reason=3)
    await bench.works(CLOSED, 21, 21, reason=6)
    await bench.works(UNKNOWN, 0, 23, rejected=1, reason=1)
    assert bench.reports == [
        Report(REJECTED, 1, 50, 100, 0, 99),
        Report(ACCEPTED, 2, 50, 100, 100),
        Report(REJECTED, 2, 50, 100, 100, 65_535),
        Report(FILLED, 2, 50, 10, 90),
        Report(CANCELLED, 2, 50, 90, 0, 6),
        Report(REJECTED, 2, 0, 100, 0, 1),
    ]


@cocotb.test
async def a_change_names_the_order_as_the_exchange_knows_it_and_has_all_of_its_quantity_and_its_time_in_force(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    await bench.order(7, 20, sell=1)
    await bench.works(OPEN, 20, 20, traded=30)
    await bench.intent(REPLACE, 7, 55, 10)
    assert bench.asked[-1] == Asked(REPLACE, 1, 3, 55, 40, 20, 7)
    await bench.works(SENT, 25, 25)
    await bench.works(REPLACED, 25, 25)
    assert bench.reports[-1] == Report(REPLACED_REPORT, 7, 55, 10, 10)
    await bench.intent(CANCEL, 7)
    assert bench.asked[-1][:3] == (CANCEL, 1, 3)
    assert bench.asked[-1].original == 25
    await bench.pulse(cancel_sent=1, cancel_number=0x26)
    await bench.works(CLOSED, 25, 26)
    assert bench.reports[-1] == Report(CANCELLED, 7, 55, 10, 0)


@cocotb.test
async def a_request_waits_for_the_answer_to_the_one_before_and_the_last_one_counts(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    await bench.order(1, 20)
    await bench.intent(REPLACE, 1, 51, 100)
    await bench.works(SENT, 21, 21)
    asked = len(bench.asked)
    await bench.intent(REPLACE, 1, 52, 100)
    await bench.intent(REPLACE, 1, 53, 90)
    assert len(bench.asked) == asked
    await bench.works(CHANGE_REFUSED, 21, 21)
    assert bench.asked[asked:] == [Asked(REPLACE, 0, 3, 53, 90, 20, 1)]
    await bench.works(SENT, 22, 22)
    assert bench.reports[-1] == Report(REJECTED, 1, 50, 100, 100)


@cocotb.test
async def what_is_not_sent_comes_back_as_a_report_with_its_reason(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    await bench.intent(NEW, 1, 50, 100)
    await bench.pulse(not_sent=1, not_sent_reason=7)
    await bench.intent(CANCEL, 1)
    await bench.intent(NEW, 2, 50, 100)
    await bench.pulse(impossible=1)
    await bench.order(3, 20)
    await bench.intent(REPLACE, 3, 51, 5)
    await bench.pulse(not_sent=1, not_sent_reason=10)
    await bench.intent(REPLACE, 3, 51, 5, fits=0)
    assert bench.reports == [
        Report(REFUSED, 1, 50, 100, 0, 7),
        Report(REJECTED, 1, 0, 0, 0, 1),
        Report(REFUSED, 2, 50, 100, 0, 100),
        Report(ACCEPTED, 3, 50, 100, 100),
        Report(REFUSED, 3, 50, 100, 100, 10),
        Report(REFUSED, 3, 50, 100, 100, 4),
    ]
    assert bench.refusals == 1


@cocotb.test
async def the_refusal_of_a_cancel_is_told_after_the_order_has_ended(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    await bench.order(1, 20)
    await bench.intent(CANCEL, 1)
    await bench.pulse(cancel_sent=1, cancel_number=0x21)
    await bench.works(CLOSED, 20, 20, traded=100)
    await bench.works(UNKNOWN, 0, 21, rejected=1)
    await bench.works(UNKNOWN, 0, 21, rejected=1)
    assert bench.reports[1:] == [Report(FILLED, 1, 50, 100, 0), Report(REJECTED, 1, 0, 100, 0)]


@cocotb.test
async def an_order_beyond_those_that_there_is_room_for_is_refused_and_counted(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    for order in range(1, ORDERS + 1):
        await bench.order(order, 20 + order)
    asked = len(bench.asked)
    await bench.intent(NEW, 9, 50, 100)
    assert (bench.reports[-1], bench.refusals) == (Report(REFUSED, 9, 50, 100, 0, 9), 1)
    assert len(bench.asked) == asked
    await bench.works(CLOSED, 22, 22)
    await bench.order(10, 30)
    assert bench.reports[-1] == Report(ACCEPTED, 10, 50, 100, 100)


@cocotb.test
async def answers_that_find_no_room_are_a_loss(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    await bench.order(1, 20)
    bench.running = 1_000
    bench.takes_reports = False
    await bench.works(OPEN, 20, 20, traded=1)
    await bench.run(20)
    for _ in range(ANSWERS):
        await bench.works(OPEN, 20, 20, cycles=0, traded=1)
    await bench.run(5)
    assert bench.losses == 0
    await bench.works(OPEN, 20, 20, traded=1)
    await bench.works(OPEN, 20, 20, traded=1)
    assert bench.losses >= 1


@cocotb.test
async def a_strategy_that_is_loaded_has_no_orders_and_no_position(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    await bench.order(1, 20)
    await bench.works(OPEN, 20, 20, traded=10)
    await bench.pulse(restart=1)
    assert int(dut.open.value) == 0
    reports = len(bench.reports)
    await bench.works(CLOSED, 20, 20, traded=90)
    assert len(bench.reports) == reports
    await bench.order(1, 21)
    await bench.works(OPEN, 21, 21, traded=5)
    assert bench.loads[-1] == (POSITIONS_AT + 3, 5)


@cocotb.test
async def intents_of_a_strategy_that_does_not_follow_its_orders_pass_at_once(dut) -> None:
    bench = Bench(dut)
    await bench.start(follows=False)
    for order in range(1, 10):
        bench.intents.append({"kind": NEW, "order": order, "price": order, "quantity": 1, "sell": 0, "fits": 1, "instrument": 3})
    await bench.run(10)
    assert [asked.price for asked in bench.asked] == list(range(1, 10))
    await bench.works(OPEN, 20, 20, traded=5)
    assert (bench.reports, int(dut.open.value), bench.refusals) == ([], 0, 0)


def test_strategy_own_orders() -> None:
    simulate("strategy_own_orders_tb", "test_strategy_own_orders", parameters={"ORDERS": ORDERS, "ANSWERS": ANSWERS})
