"""risk with computed orders: their price comes with the intent, is checked like that of any order, and leaves ahead of the order."""

import os
from random import Random

import cocotb
import pytest
from harness import simulate
from test_risk import COMPLETE, INSTRUMENTS, NOTIONAL, RECORD, TEXTS, Bench, Order

HANDLES, COMPUTED = 9, 4  # handles 4 to 7 may have computed orders
FIRST = HANDLES - 1 - COMPUTED
W = int(os.environ.get("W", "64"))


async def prepare(bench: Bench, handle: int, order: Order, computed: bool = True) -> None:
    bench.dut.prepare_computed.value = computed
    assert await bench.prepare(handle, order) == COMPLETE
    bench.dut.prepare_computed.value = 0
    await bench.cycles(3)  # as a strategy does, whose order is read all the time


async def outcome(bench: Bench, handle: int, price: int, instrument: int = 1, computed: bool = True) -> tuple[Order, int] | int:
    return await bench.outcome(handle, instrument, price if computed else None)


@cocotb.test()
async def a_computed_order_leaves_with_the_price_of_its_intent_and_a_text_without_one(dut):
    bench = Bench(dut)
    await bench.start()
    order = Order(price=0, quantity=12, client_id=99)
    await prepare(bench, FIRST, order)
    await prepare(bench, FIRST + 3, Order(price=0, quantity=12, client_id=98, sell=True))
    for price in (1, 12345, (1 << 32) - 1):
        left = await outcome(bench, FIRST, price)
        assert isinstance(left, tuple)
        assert left[0] == Order(price=price, quantity=12, client_id=99)
        # Neither characters nor sums of a price: as a market order's.
        await bench.check(
            (Order(price=0, quantity=12, client_id=99, limit=False), left[1]), Order(price=0, quantity=12, client_id=99, limit=False)
        )
    left = await outcome(bench, FIRST + 3, 7)
    assert isinstance(left, tuple)
    assert left[0] == Order(price=7, quantity=12, client_id=98, sell=True)


@cocotb.test()
async def a_price_is_refused_where_price_times_quantity_is_above_the_limit(dut):
    bench = Bench(dut)
    rng = Random(4)
    for turn in range(40):
        quantity = rng.choice([1, 2, 3, 7, 1000, rng.randrange(1, 1 << 32), (1 << 32) - 1])
        limit = rng.choice([0, 5, 10**6, rng.getrandbits(40), rng.getrandbits(63), (1 << 64) - 1])
        await bench.start(limit)
        await prepare(bench, FIRST + turn % COMPUTED, Order(price=0, quantity=quantity))
        edge = min(limit // quantity, (1 << 32) - 1)
        for price in {edge, min(edge + 1, (1 << 32) - 1), 1, rng.getrandbits(32)}:
            left = await outcome(bench, FIRST + turn % COMPUTED, price)
            assert (left == NOTIONAL) == (price * quantity > limit), (limit, quantity, price, left)


@cocotb.test()
async def a_market_order_is_refused_where_the_last_price_times_quantity_is_above_the_limit(dut):
    bench = Bench(dut)
    rng = Random(5)
    for turn in range(25):
        quantity = rng.choice([1, 3, 1000, rng.randrange(1, 1 << 20)])
        limit = rng.choice([10**6, rng.getrandbits(40), rng.getrandbits(50)])
        await bench.start(limit)
        market = Order(price=0, quantity=quantity, limit=False)
        await prepare(bench, FIRST + turn % COMPUTED, market)
        edge = limit // quantity
        for price in (edge, edge + 1, -edge, -edge - 1, 1, rng.getrandbits(40)):
            if abs(price) >= 1 << 47:
                continue
            dut.instrument.value, dut.price_valid.value, dut.price.value = 1, 1, price
            await bench.cycles(1)
            dut.price_valid.value = 0
            await bench.cycles(2)
            # What the intent says is nothing to it.
            left = await outcome(bench, FIRST + turn % COMPUTED, rng.getrandbits(32))
            assert (left == NOTIONAL) == (abs(price) * quantity > limit), (limit, quantity, price, left)
            if isinstance(left, tuple):
                assert left[0] == Order(price=abs(price), quantity=quantity, limit=False)


@cocotb.test()
async def an_order_is_refused_until_it_is_prepared_under_the_limit_that_holds(dut):
    bench = Bench(dut)
    await bench.start(10**6)
    await prepare(bench, FIRST, Order(price=0, quantity=10))
    assert isinstance(await outcome(bench, FIRST, 100), tuple)
    dut.max_notional.value = 10**5
    await bench.cycles(3)
    assert await outcome(bench, FIRST, 100) == RECORD
    dut.max_notional.value = 10**6
    await bench.cycles(3)
    assert await outcome(bench, FIRST, 100) == RECORD, "even under the old one"
    await prepare(bench, FIRST, Order(price=0, quantity=10))
    assert isinstance(await outcome(bench, FIRST, 100), tuple)
    # It changes while an order is being prepared: nobody knows for which limit that is.
    dut.prepare_computed.value = 1
    preparing = cocotb.start_soon(bench.prepare(FIRST + 1, Order(price=0, quantity=10)))
    await bench.cycles(60)
    dut.max_notional.value = 10**4
    assert await preparing == COMPLETE
    await bench.cycles(3)
    assert await outcome(bench, FIRST + 1, 100) == RECORD


@cocotb.test()
async def an_intent_with_a_price_and_a_record_without_one_belong_together(dut):
    bench = Bench(dut)
    await bench.start()
    await prepare(bench, FIRST, Order(price=0, quantity=10))
    assert await outcome(bench, FIRST, 100, computed=False) == RECORD
    await prepare(bench, FIRST + 1, Order(price=50, quantity=10), computed=False)
    assert await outcome(bench, FIRST + 1, 100) == RECORD
    assert isinstance(await outcome(bench, FIRST + 1, 100, computed=False), tuple)
    # Not under the handle of a stop, nor the host's.
    for handle in (0, FIRST - 1, HANDLES - 1):
        await prepare(bench, handle, Order(price=0, quantity=10))
        assert await outcome(bench, handle, 100) == RECORD
    # Not of another instrument.
    assert await outcome(bench, FIRST, 100, instrument=2) == RECORD


@cocotb.test()
async def a_price_is_compared_though_another_order_was_read_until_two_cycles_before(dut):
    bench = Bench(dut)
    await bench.start(1000 * 10)
    await prepare(bench, FIRST, Order(price=0, quantity=10))
    # A market order, whose notional is that of the last price; none was traded yet, and its record is all that the store has read.
    await prepare(bench, 0, Order(price=0, quantity=1, limit=False), computed=False)
    for price in (999, 1000, 1001):
        dut.intent_handle.value, dut.intent_instrument.value = 0, 1
        await bench.cycles(5)
        left = await outcome(bench, FIRST, price)
        if price > 1000:
            assert left == NOTIONAL
        else:
            assert isinstance(left, tuple)
            assert left[0].price == price


@cocotb.test()
async def the_price_leaves_two_cycles_before_its_order_and_stays_until_that_left(dut):
    bench = Bench(dut)
    await bench.start()
    await prepare(bench, FIRST, Order(price=0, quantity=10))
    for wait in (0, 1, 9):
        seen: list[tuple[int, bool, bool]] = []
        dut.out_ready.value = 0 if wait else 1

        async def watch(seen=seen) -> None:
            while True:
                await bench.cycle()
                seen.append((int(dut.out_price_ahead.value), bool(int(dut.out_valid.value)), bool(int(dut.intent_valid.value))))

        watching = cocotb.start_soon(watch())
        await bench.ask(FIRST, 1, 4242 + wait)
        dut.intent_price.value, dut.intent_price_soon.value = 1, 2
        await bench.cycles(4 + wait)
        dut.out_ready.value = 1
        await bench.cycles(8)
        watching.cancel()
        first = next(at for at, (_, valid, _) in enumerate(seen) if valid)
        last = max(at for at, (_, valid, _) in enumerate(seen) if valid)
        asked = next(at for at, (_, _, asks) in enumerate(seen) if asks)
        assert first == asked + 1
        assert all(price == 4242 + wait for price, _, _ in seen[first - 2 : last + 1]), seen
        assert (last - first >= wait) or not wait


@pytest.mark.parametrize("w", [8, 64])
def test_risk_computed(w: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("W", str(w))
    parameters = {"W": w, "HANDLES": HANDLES, "COMPUTED": COMPUTED, "TEXTS": TEXTS, "INSTRUMENTS": INSTRUMENTS}
    simulate("risk_tb", "test_risk_computed", parameters)
