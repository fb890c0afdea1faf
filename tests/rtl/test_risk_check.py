"""risk_check against a plain model of the limits, each limit at its edge, the kill switch, and the cycle its header promises."""

import random
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from harness import simulate

NEW, CANCEL, REPLACE = range(3)
REASONS = ("killed", "record", "instrument", "stale", "quantity", "notional", "no price", "collar", "rate", "open orders", "position")
INSTRUMENTS = 16
LATENCY = 1  # request to order, in cycles
U64 = (1 << 64) - 1


@dataclass(frozen=True)
class Order:
    instrument: int = 3
    price: int | None = 1000  # None: market
    quantity: int = 10
    sell: bool = False
    kind: int = NEW
    notional: int = 10_000
    client_id: int = 77
    market_by_host: bool = False  # `price` is then that of its notional, and within the collar
    complete: bool = True


@dataclass
class Limits:
    max_quantity: int = 1000
    max_notional: int = 1_000_000
    rate_orders: int = 200
    rate_window: int = 10
    max_open_orders: int = 1000
    collar: int = 50
    position: int = 100_000


@dataclass
class Bench:
    dut: Any
    limits: Limits = field(default_factory=Limits)
    cycle: int = 0
    sent: list[int] = field(default_factory=list)  # cycles in which orders left
    refused: Counter[str] = field(default_factory=Counter)
    refusal: str | None = None  # the last pulse's

    async def start(self, enable: bool = True) -> None:
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
        for name in (
            "price_valid",
            "request_valid",
            "next_valid",
            "limit_write",
            "adjust_valid",
            "gap",
            "kill_clear",
            "kill",
            "kill_enable",
            "stale",
            "limit_sources",
        ):
            getattr(dut, name).value = 0
        dut.session_up.value, dut.order_ready.value = 1, 1
        for name in ("max_quantity", "max_notional", "rate_orders", "rate_window", "max_open_orders"):
            getattr(dut, name).value = 0
        dut.rst.value = 1
        for _ in range(3):
            await RisingEdge(dut.clk)
        dut.rst.value = 0
        await self.step(INSTRUMENTS + 1)
        if enable:
            self.configure()
            for instrument in range(INSTRUMENTS):
                await self.write_limit(instrument)
            await self.clear()

    def configure(self) -> None:
        for name in ("max_quantity", "max_notional", "rate_orders", "rate_window", "max_open_orders"):
            getattr(self.dut, name).value = getattr(self.limits, name)

    async def step(self, cycles: int = 1) -> None:
        for _ in range(cycles):
            await RisingEdge(self.dut.clk)
            self.cycle += 1
            if self.dut.refused_valid.value:
                self.refusal = REASONS[int(self.dut.refused_reason.value)]
                self.refused[self.refusal] += 1
            if self.dut.order_valid.value and self.dut.order_ready.value:
                self.sent.append(self.cycle)

    async def write_limit(self, instrument: int, enable: bool = True, reference: int | None = None) -> None:
        dut = self.dut
        dut.limit_has_reference.value, dut.limit_reference.value = reference is not None, (reference or 0) % (1 << 49)
        dut.limit_write.value, dut.limit_instrument.value, dut.limit_enable.value = 1, instrument, enable
        dut.limit_collar.value, dut.limit_position.value = self.limits.collar, self.limits.position
        await self.step()
        dut.limit_write.value = 0

    async def clear(self) -> None:
        self.dut.kill_clear.value = 1
        await self.step()
        self.dut.kill_clear.value = 0
        await self.step()

    async def price(self, instrument: int, price: int) -> None:
        dut = self.dut
        dut.price_valid.value, dut.price_instrument.value, dut.last_price.value = 1, instrument, price % (1 << 49)
        await self.step()
        dut.price_valid.value = 0

    async def adjust(self, instrument: int, buy: int = 0, sell: int = 0, closed: int = 0) -> None:
        dut = self.dut
        dut.adjust_valid.value, dut.adjust_instrument.value, dut.adjust_closed.value = 1, instrument, closed
        dut.adjust_buy.value, dut.adjust_sell.value = buy % (1 << 48), sell % (1 << 48)
        await self.step()
        while not dut.adjust_ready.value:
            await self.step()
        dut.adjust_valid.value = 0

    def put(self, order: Order) -> None:
        dut = self.dut
        dut.request_kind.value, dut.request_limit.value, dut.request_sell.value = order.kind, order.price is not None, order.sell
        if order.market_by_host:
            dut.request_limit.value = 0
        dut.request_collar.value = order.price is not None
        dut.request_complete.value = order.complete
        dut.request_instrument.value, dut.request_price.value = order.instrument, (order.price or 0) % (1 << 48)
        dut.request_quantity.value, dut.request_client_id.value = order.quantity, order.client_id
        dut.request_notional.value = order.notional

    async def ask(self, order: Order, settle: int = 8) -> str:
        """What becomes of an order: "sent", or why not."""
        dut = self.dut
        await self.step(settle)
        dut.next_instrument.value = order.instrument
        await self.step()
        self.put(order)
        dut.request_valid.value = 1
        self.refusal = None
        count = len(self.sent)
        await self.step()
        accepted = self.cycle
        assert dut.request_ready.value
        packed = int(dut.request_order.value)
        dut.request_valid.value = 0
        await self.step()
        passed = len(self.sent) > count
        if passed:
            assert int(dut.order.value) == packed
            assert self.sent[-1] == accepted + LATENCY
        await self.step()
        if self.refusal:
            assert not passed
            assert int(dut.refused_order.value) == packed
            return self.refusal
        assert passed, "neither sent nor refused"
        return "sent"

    async def ask_now(self, order: Order) -> str:
        self.put(order)
        self.dut.request_valid.value = 1
        self.refusal, count = None, len(self.sent)
        await self.step()
        self.dut.request_valid.value = 0
        await self.step(2)
        return self.refusal or ("sent" if len(self.sent) > count else "nothing")


async def bench(dut: Any, **limits: int) -> Bench:
    made = Bench(dut, Limits(**limits))
    await made.start()
    for instrument in range(INSTRUMENTS):
        await made.price(instrument, 1000)
    return made


@cocotb.test()
async def nothing_passes_after_reset(dut: Any) -> None:
    b = Bench(dut)
    await b.start(enable=False)
    assert await b.ask(Order()) == "killed"
    await b.clear()
    assert await b.ask(Order()) == "instrument"
    await b.write_limit(3)
    await b.price(3, 1000)
    for name, reason in (
        ("max_quantity", "quantity"),
        ("max_notional", "notional"),
        ("rate_orders", "rate"),
        ("max_open_orders", "open orders"),
    ):
        assert await b.ask(Order()) == reason
        getattr(dut, name).value = getattr(b.limits, name)
    assert await b.ask(Order()) == "sent"


@cocotb.test()
async def each_limit_holds_at_its_edge(dut: Any) -> None:
    b = await bench(dut)
    good = Order()
    for order, outcome in (
        (good, "sent"),
        (replace(good, quantity=1000), "sent"),
        (replace(good, quantity=1001), "quantity"),
        (replace(good, quantity=(1 << 32) - 1), "quantity"),
        (replace(good, quantity=0), "quantity"),
        (replace(good, notional=1_000_000), "sent"),
        (replace(good, notional=1_000_001), "notional"),
        (replace(good, notional=U64), "notional"),
        (replace(good, price=1050), "sent"),
        (replace(good, price=950), "sent"),
        (replace(good, price=1051), "collar"),
        (replace(good, price=949), "collar"),
        (replace(good, price=-1000), "collar"),
        (replace(good, price=(1 << 47) - 1), "collar"),
        (replace(good, price=-(1 << 47)), "collar"),
        (replace(good, price=None), "sent"),
        (replace(good, price=1050, market_by_host=True), "sent"),
        (replace(good, price=1051, market_by_host=True), "collar"),
        (replace(good, price=0, market_by_host=True), "collar"),
        (replace(good, kind=CANCEL, price=0, market_by_host=True), "sent"),
        (replace(good, complete=False), "record"),
        (replace(good, complete=False, instrument=16, quantity=0), "record"),
        (replace(good, complete=False, kind=CANCEL), "record"),
        (replace(good, instrument=15), "sent"),
        (replace(good, instrument=16), "instrument"),
        (replace(good, instrument=255), "instrument"),
        (replace(good, kind=REPLACE, quantity=1001), "quantity"),
        (replace(good, kind=CANCEL, quantity=0, notional=U64, price=0), "sent"),
    ):
        assert await b.ask(order) == outcome, order
    b.limits.max_notional = U64
    b.configure()
    assert await b.ask(replace(good, notional=U64)) == "notional", "a saturated notional is above any limit"
    assert await b.ask(replace(good, notional=U64 - 1)) == "sent"


@cocotb.test()
async def the_collar_follows_the_last_price_without_wrapping(dut: Any) -> None:
    b = await bench(dut)
    top, bottom = (1 << 47) - 1, -(1 << 47)
    for last, price, outcome in (
        (top, top, "sent"),
        (top, bottom, "collar"),
        (top, top - 50, "sent"),
        (top, top - 51, "collar"),
        (bottom, bottom + 50, "sent"),
        (bottom, top, "collar"),
        ((1 << 48) - 1, top, "collar"),
        (-(1 << 48), bottom, "collar"),
        (-20, 30, "sent"),
        (-20, 31, "collar"),
    ):
        await b.price(3, last)
        assert await b.ask(Order(price=price)) == outcome, (last, price)
    await b.write_limit(3)
    assert await b.ask(Order(price=-20)) == "no price"
    await b.price(3, -20)
    assert await b.ask(Order(price=-20)) == "sent"


@cocotb.test()
async def the_last_price_is_told_without_its_sign_and_as_nothing_where_there_is_none(dut: Any) -> None:
    """What the notional of a strategy's market order is worked out with."""
    b = await bench(dut)
    for price in (3000, -3000, 0, (1 << 48) - 1, -(1 << 48)):
        await b.price(3, price)
        dut.next_instrument.value = 3
        await b.step()
        assert int(dut.next_price.value) == abs(price), price
    await b.write_limit(3)
    dut.next_instrument.value = 3
    await b.step()
    assert int(dut.next_price.value) == 0, "new limits forget it"


@cocotb.test()
async def a_price_that_comes_with_limits_holds_until_the_next_trade(dut: Any) -> None:
    b = await bench(dut)
    await b.write_limit(3, reference=-2000)
    await b.step()
    for price, outcome in ((-1950, "sent"), (-1949, "collar"), (-2051, "collar")):
        assert await b.ask(Order(price=price)) == outcome, price
    assert await b.ask(Order(instrument=4, price=1000)) == "sent", "another instrument keeps its price"
    await b.price(3, 5000)
    assert await b.ask(Order(price=-2000)) == "collar"
    assert await b.ask(Order(price=5050)) == "sent"
    await b.write_limit(3)
    assert await b.ask(Order(price=5050)) == "no price", "limits without a price forget it"
    await b.write_limit(16, reference=7000)
    await b.step()
    assert await b.ask(Order(instrument=0, price=1000)) == "sent", "there is no instrument 16"


@cocotb.test()
async def a_price_that_comes_with_limits_waits_for_trades_and_is_older_than_one_of_its_instrument(dut: Any) -> None:
    b = await bench(dut)
    for traded, outcomes in ((4, {3: "sent", 4: "collar"}), (3, {3: "collar", 4: "sent"})):
        for instrument in (3, 4):
            await b.price(instrument, 1000)
        await b.write_limit(3, reference=1000)
        # A trade in each cycle in which the price could be written.
        for _ in range(5):
            await b.price(traded, 9000)
        await b.step(2)
        for instrument, outcome in outcomes.items():
            assert await b.ask(Order(instrument=instrument, price=1000)) == outcome, (traded, instrument)


@cocotb.test()
async def a_price_counts_for_the_order_it_triggers(dut: Any) -> None:
    """Event in one cycle, request two cycles later, as stop_orders does: compared with that event's price."""
    b = await bench(dut)
    for last, price, outcome in ((5000, 5001, "sent"), (7000, 5001, "collar"), (5010, 5001, "sent")):
        await b.step(8)
        dut.price_valid.value, dut.price_instrument.value, dut.last_price.value = 1, 9, last
        await b.step()
        dut.price_valid.value, dut.next_instrument.value = 0, 9
        await b.step()
        assert await b.ask_now(Order(instrument=9, price=price)) == outcome


@cocotb.test()
async def the_rate_holds_in_any_window(dut: Any) -> None:
    b = await bench(dut, rate_orders=3, rate_window=400)
    outcomes = [await b.ask(Order()) for _ in range(5)]
    assert outcomes == ["sent"] * 3 + ["rate"] * 2
    first = b.sent[0]
    while b.cycle < first + 385:
        await b.step()
    assert await b.ask(Order(), settle=0) == "rate"
    while b.cycle < first + 405:
        await b.step()
    assert await b.ask(Order(), settle=0) == "sent"
    rng = random.Random(3)
    for _ in range(120):
        await b.ask(Order(), settle=rng.choice([5, 30, 90, 150]))
    for early, late in zip(b.sent, b.sent[3:], strict=False):
        assert late - early >= 400
    assert len(b.sent) > 20
    assert b.refused["rate"] > 20


@cocotb.test()
async def open_orders_and_position_count_until_the_host_adjusts_them(dut: Any) -> None:
    b = await bench(dut, max_open_orders=3, position=100)
    assert [await b.ask(Order(quantity=40)) for _ in range(3)] == ["sent", "sent", "position"]
    assert await b.ask(Order(quantity=20)) == "sent"
    assert await b.ask(Order(quantity=1)) == "open orders"
    assert int(dut.open_orders.value) == 3
    await b.adjust(3, sell=-40, closed=1)  # 40 bought: long 40, 60 more open to buy
    assert await b.ask(Order(quantity=1)) == "position"
    assert await b.ask(Order(quantity=140, sell=True)) == "sent"
    await b.adjust(3, closed=2)
    assert await b.ask(Order(quantity=1, sell=True)) == "position"
    await b.adjust(3, buy=-20)
    assert await b.ask(Order(quantity=21)) == "position"
    assert await b.ask(Order(quantity=20)) == "sent"
    assert await b.ask(Order(quantity=100, instrument=4)) == "sent", "of another instrument"
    await b.adjust(3, closed=9)
    await b.step()
    assert int(dut.open_orders.value) == 0
    assert await b.ask(Order(kind=CANCEL, quantity=100)) == "sent"
    await b.step(8)
    assert int(dut.open_orders.value) == 0


@cocotb.test()
async def orders_close_after_each_other_count_each(dut: Any) -> None:
    """Requests without a pause, the host adjusting all the while: each limit in turn lets exactly three pass."""
    for limits in ({"position": 30}, {"max_open_orders": 3}, {"rate_orders": 3, "rate_window": 10_000}):
        b = await bench(dut, **limits)
        await b.step(8)
        dut.next_valid.value, dut.next_instrument.value = 1, 3
        await b.step()
        b.put(Order(quantity=10))
        dut.request_valid.value = 1
        dut.adjust_valid.value, dut.adjust_instrument.value, dut.adjust_closed.value = 1, 3, 0
        dut.adjust_buy.value = dut.adjust_sell.value = 0
        began = b.cycle
        await b.step(100)
        dut.request_valid.value = dut.adjust_valid.value = 0
        assert [cycle - began for cycle in b.sent] == [2, 8, 14], limits


@cocotb.test()
async def an_adjustment_waits_for_a_request_that_is_due(dut: Any) -> None:
    b = await bench(dut, position=100)
    dut.next_valid.value, dut.next_instrument.value = 1, 3
    dut.adjust_valid.value, dut.adjust_instrument.value, dut.adjust_closed.value = 1, 4, 0
    dut.adjust_buy.value, dut.adjust_sell.value = 0, 50
    for _ in range(20):
        await b.step()
        assert not dut.adjust_ready.value
    assert await b.ask_now(Order(quantity=100)) == "sent"
    dut.next_valid.value = 0
    while not dut.adjust_ready.value:
        await b.step()
    dut.adjust_valid.value = 0
    assert await b.ask(Order(quantity=50, instrument=4, sell=True)) == "sent"
    # One that comes unannounced, at any stage of an adjustment, is compared with the exposure before or after it, of its own instrument.
    for delay in range(1, 7):
        b = await bench(dut, position=100)
        await b.adjust(3, buy=100)
        await b.step(8)
        dut.next_instrument.value = 3
        dut.adjust_valid.value, dut.adjust_instrument.value = 1, 4
        await b.step(delay)
        b.put(Order(quantity=1))
        dut.request_valid.value, dut.next_valid.value, b.refusal = 1, 1, None
        await b.step()
        while not dut.request_ready.value:
            await b.step()
        dut.request_valid.value = dut.adjust_valid.value = 0
        await b.step(4)
        assert b.refusal == "position", delay


@cocotb.test()
async def an_order_that_waits_is_added_whatever_the_host_adjusts_meanwhile(dut: Any) -> None:
    for delay in range(8):
        b = await bench(dut, position=100)
        dut.order_ready.value = 0
        await b.step(8)
        dut.next_instrument.value = 3
        await b.step()
        b.put(Order(quantity=60))
        dut.request_valid.value = 1
        await b.step()
        dut.request_valid.value = 0
        dut.adjust_valid.value, dut.adjust_instrument.value, dut.adjust_closed.value = 1, 4, 0
        dut.adjust_buy.value = dut.adjust_sell.value = 0
        await b.step(1 + delay)
        dut.order_ready.value = 1
        await b.step()
        assert len(b.sent) == 1
        await b.step(8)
        dut.adjust_valid.value = 0
        assert await b.ask(Order(quantity=41)) == "position", delay
        assert await b.ask(Order(quantity=40)) == "sent", delay


@cocotb.test()
async def a_position_may_be_wider_than_a_quantity(dut: Any) -> None:
    for position in (1 << 32, (1 << 40) + 3, (1 << 47) - 1):
        b = await bench(dut, position=position)
        assert await b.ask(Order(quantity=1000)) == "sent", position
        await b.adjust(3, buy=position - 1000 - 4)
        assert await b.ask(Order(quantity=5)) == "position", position
        assert await b.ask(Order(quantity=4)) == "sent", position


@cocotb.test()
async def the_kill_switch_holds_until_cleared(dut: Any) -> None:
    b = await bench(dut)
    dut.kill.value = 1
    assert await b.ask(Order()) == "killed"
    assert await b.ask(Order(kind=REPLACE)) == "killed"
    assert await b.ask(Order(kind=CANCEL)) == "sent"
    await b.clear()
    assert await b.ask(Order()) == "killed"
    dut.kill.value = 0
    assert await b.ask(Order()) == "sent"
    for bit, name, bad, good in ((2, "session_up", 0, 1), (1, "stale", 1, 0), (0, "gap", 1, 0)):
        getattr(dut, name).value = bad
        assert await b.ask(Order()) == "sent", "not enabled"
        getattr(dut, name).value = good
        await b.step()
        dut.kill_enable.value = 1 << bit
        assert await b.ask(Order()) == "sent"
        getattr(dut, name).value = bad
        await b.step()
        getattr(dut, name).value = good
        await b.step(2)
        assert int(dut.killed_by.value) == 1 << bit
        assert await b.ask(Order()) == "killed"
        assert await b.ask(Order(kind=CANCEL)) == ("killed" if name == "session_up" else "sent")
        getattr(dut, name).value = bad
        await b.clear()
        assert await b.ask(Order()) == "killed", "the cause lasts"
        getattr(dut, name).value = good
        await b.clear()
        assert await b.ask(Order()) == "sent"
        dut.kill_enable.value = 0


@cocotb.test()
async def a_stale_source_stops_the_instruments_that_depend_on_it_and_no_others(dut: Any) -> None:
    b = await bench(dut)
    feed, session = 1, 2
    # Instruments 0 to 3 depend on none, on the feed, on the session, on both.
    for sources in range(4):
        dut.limit_sources.value = sources
        await b.write_limit(sources)
        await b.price(sources, 1000)
    for stale in (feed, session, feed | session, 0, feed):
        dut.stale.value = stale
        for sources in range(4):
            expected = "stale" if sources & stale else "sent"
            assert await b.ask(Order(instrument=sources)) == expected
            assert await b.ask(Order(instrument=sources, kind=REPLACE)) == expected
            assert await b.ask(Order(instrument=sources, kind=CANCEL)) == "sent"
    assert int(dut.killed_by.value) == 0
    assert await b.ask(Order(instrument=1, quantity=1001)) == "stale", "the first reason is reported"


@cocotb.test()
async def an_order_that_waits_is_stopped_by_the_kill_switch(dut: Any) -> None:
    b = await bench(dut)
    dut.order_ready.value = 0
    await b.step(8)
    b.put(Order())
    dut.next_instrument.value = 3
    await b.step()
    dut.request_valid.value = 1
    await b.step()
    dut.request_valid.value = 0
    await b.step(5)
    assert dut.order_valid.value
    assert not dut.request_ready.value
    dut.kill.value = 1
    await b.step(2)
    dut.order_ready.value = 1
    await b.step(5)
    assert not b.sent
    assert b.refusal == "killed"
    assert int(dut.open_orders.value) == 0


@cocotb.test()
async def random_orders_equal_the_model(dut: Any) -> None:
    rng = random.Random(9)
    b = await bench(dut, max_open_orders=12, position=3000, rate_orders=5, rate_window=150, max_quantity=900, max_notional=5000)
    last: dict[int, int] = dict.fromkeys(range(INSTRUMENTS), 1000)
    exposure: dict[tuple[int, bool], int] = defaultdict(int)
    open_orders = 0
    outcomes: Counter[str] = Counter()
    for number in range(1500):
        if rng.random() < 0.3:
            instrument = rng.randrange(4)
            last[instrument] = rng.randrange(900, 1100)
            await b.price(instrument, last[instrument])
        if rng.random() < 0.25:
            instrument, buy, sell, closed = rng.randrange(4), rng.randrange(-900, 300), rng.randrange(-900, 300), rng.randrange(3)
            await b.adjust(instrument, buy, sell, closed)
            exposure[instrument, False] += buy
            exposure[instrument, True] += sell
            open_orders = max(0, open_orders - closed)
        order = Order(
            rng.choice([0, 1, 2, 3, 3, 20]),
            rng.choice([None, last[1] + rng.randrange(-70, 70)]),
            rng.choice([0, rng.randrange(1, 950)]) if rng.random() < 0.2 else rng.randrange(1, 900),
            rng.random() < 0.5,
            rng.choice([NEW, NEW, NEW, REPLACE, CANCEL]),
            rng.randrange(5500),
            number,
        )
        outcome = await b.ask(order, settle=rng.choice([6, 20, 60]))
        reasons = []
        if order.kind != CANCEL:
            reasons = [
                "instrument" if order.instrument >= INSTRUMENTS else "",
                "quantity" if not 0 < order.quantity <= 900 else "",
                "notional" if order.notional > 5000 else "",
                "collar" if order.price is not None and abs(order.price - last.get(order.instrument, 0)) > 50 else "",
                "open orders" if order.kind == NEW and open_orders >= 12 else "",
                "position" if exposure[order.instrument, order.sell] + order.quantity > 3000 else "",
            ]
        found = [reason for reason in reasons if reason]
        if order.instrument >= INSTRUMENTS:
            found = found[:1]
        # The rate has its own test: here it may come before the later ones.
        if outcome == "rate":
            assert not found or found[0] in ("open orders", "position")
        else:
            assert outcome == (found[0] if found else "sent"), (order, found)
        outcomes[outcome] += 1
        if outcome == "sent" and order.kind != CANCEL:
            exposure[order.instrument, order.sell] += order.quantity
            open_orders += order.kind == NEW
    await b.step(4)
    for reason in REASONS:
        assert b.refused[reason] == outcomes[reason]
    assert all(outcomes[reason] >= 5 for reason in ("sent", "quantity", "notional", "collar", "rate", "open orders", "position"))


def test_risk_check() -> None:
    simulate("risk_check_tb", "test_risk_check", {"INSTRUMENTS": INSTRUMENTS})
