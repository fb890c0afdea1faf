"""risk with its order store: what it compares and the characters that leave belong to the same order, complete or not there at all."""

import os
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from harness import simulate

W = int(os.environ.get("W", "64"))
HANDLES, TEXTS, INSTRUMENTS = 9, 16, 4
DECIMALS = [0, 2, 4, 8]
NEW, CANCEL, REPLACE = range(3)
COMPLETE, NO_INSTRUMENT = 0, 3  # text_answer_e
RECORD, NOTIONAL = 1, 5  # refusal_e
U64 = (1 << 64) - 1
# The layout of risk_tb.
QUANTITY_AT, QUANTITY_WIDTH, PRICE_AT, PRICE_WIDTH, ORIGINAL_AT = 1, 10, 11, 17, 28


@dataclass(frozen=True)
class Order:
    kind: int = NEW
    limit: bool = True
    sell: bool = False
    instrument: int = 1
    price: int = 100
    quantity: int = 10
    client_id: int = 7
    original: int = 0

    @property
    def notional(self) -> int:
        return min(abs(self.price) * self.quantity, U64)

    @property
    def text(self) -> dict[int, bytes]:
        """Its characters, by where they are."""
        found = {0: b"12"[self.sell : self.sell + 1], QUANTITY_AT: b"%0*d" % (QUANTITY_WIDTH, self.quantity)}
        if self.kind == REPLACE or (self.kind == NEW and self.limit):
            decimals = DECIMALS[self.instrument]
            digits = f"{abs(self.price):0{PRICE_WIDTH - 1 - (decimals > 0)}}"
            point = f"{digits[:-decimals]}.{digits[-decimals:]}" if decimals else digits
            found[PRICE_AT] = (("-" if self.price < 0 else "0") + point).encode()
        if self.kind != NEW:
            found[ORIGINAL_AT] = b"%09d" % self.original
        return found


class Bench:
    def __init__(self, dut) -> None:
        self.dut = dut
        self.left: list[tuple[Order, int]] = []  # with its text
        self.refused: list[int] = []
        self.sending: int | None = None
        cocotb.start_soon(Clock(dut.clk, 8, "ns").start())

    async def start(self, max_notional: int = U64) -> None:
        dut = self.dut
        for name in (
            "price_valid",
            "limit_write",
            "decimals_write",
            "kill_clear",
            "prepare_valid",
            "commit",
            "intent_valid",
            "intent_soon",
            "intent_computed",
            "intent_ahead",
            "intent_price_soon",
            "prepare_computed",
        ):
            getattr(dut, name).value = 0
        dut.sending.value, dut.out_ready.value, dut.max_notional.value, dut.price.value = 0, 1, max_notional, 100
        dut.rst.value = 1
        await self.cycles(3)
        dut.rst.value = 0
        await self.cycles(INSTRUMENTS + 2)
        for instrument, decimals in enumerate(DECIMALS):
            dut.instrument.value, dut.decimals.value = instrument, decimals
            for name in ("limit_write", "decimals_write", "price_valid"):
                await self.pulse(name)
        await self.pulse("kill_clear")

    async def cycle(self) -> None:
        """What is seen belongs to the cycle that ends."""
        dut = self.dut
        dut.sending.value, dut.sending_text.value = self.sending is not None, self.sending or 0
        await RisingEdge(dut.clk)
        if int(dut.out_valid.value) and int(dut.out_ready.value):
            names = ("kind", "limit", "sell", "instrument", "price", "quantity", "client_id")
            fields: dict[str, Any] = {name: int(getattr(dut, f"out_{name}").value) for name in names}
            fields["price"] = dut.out_price.value.to_signed()
            self.left.append((Order(**fields), int(dut.out_text.value)))
        if int(dut.refused_valid.value):
            self.refused.append(int(dut.refused_reason.value))

    async def cycles(self, count: int) -> None:
        for _ in range(count):
            await self.cycle()

    async def pulse(self, name: str) -> None:
        getattr(self.dut, name).value = 1
        await self.cycle()
        getattr(self.dut, name).value = 0

    async def prepare(self, handle: int, order: Order, commit: bool = True, limit: int = 3000) -> int | None:
        """The answer; None if there is none in time."""
        dut = self.dut
        dut.prepare_handle.value = handle
        for name in ("kind", "limit", "sell", "instrument", "quantity", "client_id"):
            getattr(dut, f"prepare_{name}").value = int(getattr(order, name))
        dut.prepare_price.value = order.price % (1 << 48)
        dut.prepare_original.value = int(f"{order.original:09}", 16)
        dut.prepare_collar.value = 0
        dut.prepare_valid.value = 1
        await self.cycle()
        while not int(dut.prepare_ready.value):
            await self.cycle()
        dut.prepare_valid.value = 0
        for _ in range(limit):
            await self.cycle()
            if int(dut.answer_valid.value):
                answer = int(dut.answer.value)
                if commit and answer == COMPLETE:
                    await self.pulse("commit")
                return answer
        return None

    async def ask(self, handle: int, instrument: int, price: int | None = None) -> None:
        """With a price it is a computed order: handle and instrument stand two cycles ahead, the price one."""
        dut = self.dut
        dut.intent_soon.value = 1
        computed = price is not None
        dut.intent_computed.value = computed
        if price is not None:
            dut.intent_handle.value, dut.intent_instrument.value = handle, instrument
            dut.intent_price.value = dut.intent_price_soon.value = price
        await self.cycle()
        ready = int(dut.intent_ready.value)
        while computed and ready < 2:
            await self.cycle()
            ready = ready + 1 if int(dut.intent_ready.value) else 0
        dut.intent_ahead.value = computed
        dut.intent_valid.value, dut.intent_handle.value, dut.intent_instrument.value = 1, handle, instrument
        await self.cycle()
        while not int(dut.intent_ready.value):
            assert not computed
            await self.cycle()
        dut.intent_valid.value = dut.intent_soon.value = dut.intent_ahead.value = dut.intent_computed.value = 0

    async def outcome(self, handle: int, instrument: int, price: int | None = None) -> tuple[Order, int] | int:
        """What left, with its text, or the reason of its refusal."""
        left, refused = len(self.left), len(self.refused)
        await self.ask(handle, instrument, price)
        for _ in range(20):
            await self.cycle()
            if len(self.refused) > refused:
                await self.cycles(8)
                return self.refused[-1]
            if len(self.left) > left:
                await self.cycles(8)
                return self.left[-1]
        raise AssertionError("neither left nor refused")

    async def characters(self, text: int) -> bytes:
        dut = self.dut
        found = b""
        for word in range(64 * 8 // W):
            dut.text.value, dut.word.value = text, word
            await self.cycle()
            await self.cycle()
            found += int(dut.data.value).to_bytes(W // 8, "little")
        return found

    async def check(self, left: tuple[Order, int], order: Order) -> None:
        """Checks that it is the order, with its characters and their sums."""
        assert replace(left[0], original=order.original) == order
        found = await self.characters(left[1])
        expected = order.text
        assert {at: found[at : at + len(part)] for at, part in expected.items()} == expected
        words = sum(byte << (0 if (at + i) % 2 else 8) for at, part in expected.items() for i, byte in enumerate(part))
        while words >> 16:
            words = (words & 0xFFFF) + (words >> 16)
        assert (int(self.dut.sum.value) % 0xFFFF, int(self.dut.byte_sum.value)) == (
            words % 0xFFFF,
            sum(sum(part) for part in expected.values()) % 256,
        )


def random_order(rng: Random) -> Order:
    instrument = rng.randrange(INSTRUMENTS)
    price_bits, quantity_bits = rng.choice([(4, 32), (20, 4), (31, 32), (46, 16)])  # the notional fits
    return Order(
        kind=rng.choice([NEW, NEW, CANCEL, REPLACE]),
        limit=rng.random() < 0.7,
        sell=rng.random() < 0.5,
        instrument=instrument,
        price=rng.choice([1, -1]) * rng.randrange(1 << price_bits),
        quantity=rng.randrange(1, 1 << quantity_bits),
        client_id=rng.choice([rng.getrandbits(32), rng.randrange(TEXTS)]),
        original=rng.randrange(10**9),
    )


@cocotb.test()
async def what_leaves_is_what_was_checked_whatever_its_client_id_is(dut):
    bench = Bench(dut)
    await bench.start()
    rng = Random(2)
    orders: dict[int, Order] = {}
    for turn in range(30):
        handle = turn if turn < HANDLES else rng.randrange(HANDLES)
        orders[handle] = random_order(rng)
        assert await bench.prepare(handle, orders[handle]) == COMPLETE
        for asked in rng.choices(list(orders), k=2):
            left = await bench.outcome(asked, orders[asked].instrument)
            assert isinstance(left, tuple)
            await bench.check(left, orders[asked])
    for handle, order in orders.items():
        left = await bench.outcome(handle, order.instrument)
        assert isinstance(left, tuple)
        await bench.check(left, order)


@cocotb.test()
async def the_notional_is_worked_out_by_risk_and_saturates(dut):
    bench = Bench(dut)
    for order in (
        Order(price=12345, quantity=678),
        Order(price=-12345, quantity=678),
        Order(price=(1 << 46) + 3, quantity=1 << 17),
        Order(price=-(1 << 47), quantity=1 << 16, kind=NEW, limit=False),
        Order(price=1, quantity=(1 << 32) - 1),
        Order(price=0, quantity=5),
    ):
        for limit, passes in ((order.notional, True), (order.notional - 1, False)):
            if limit < 0:
                continue
            await bench.start(limit)
            assert await bench.prepare(3, order) == COMPLETE
            outcome = await bench.outcome(3, order.instrument)
            assert isinstance(outcome, tuple) if passes else outcome == NOTIONAL, (order, limit)
    await bench.start(U64)
    assert await bench.prepare(3, Order(price=-(1 << 47), quantity=(1 << 32) - 1, limit=False)) == COMPLETE
    assert await bench.outcome(3, 1) == NOTIONAL, "saturated: above any limit"


@cocotb.test()
async def an_order_that_is_not_there_or_of_another_instrument_is_refused(dut):
    bench = Bench(dut)
    await bench.start()
    assert await bench.outcome(4, 1) == RECORD
    assert await bench.prepare(4, Order(), commit=False) == COMPLETE
    assert await bench.outcome(4, 1) == RECORD, "prepared, and not committed"
    assert await bench.prepare(4, Order(quantity=10)) == COMPLETE
    assert await bench.outcome(4, 2) == RECORD, "the limits of another instrument were looked up"
    assert await bench.outcome(5, 1) == RECORD
    assert await bench.outcome(HANDLES, 1) == RECORD
    assert await bench.outcome(511, 1) == RECORD
    assert await bench.prepare(4, Order(quantity=20, instrument=INSTRUMENTS)) == NO_INSTRUMENT
    left = await bench.outcome(4, 1)
    assert isinstance(left, tuple)
    await bench.check(left, Order(quantity=10))


@cocotb.test()
async def an_order_that_waits_or_leaves_keeps_its_text_however_many_are_prepared_meanwhile(dut):
    bench = Bench(dut)
    await bench.start()
    first, second = Order(quantity=11, client_id=1), Order(quantity=22, client_id=2)
    assert await bench.prepare(0, first) == COMPLETE
    assert await bench.prepare(1, second) == COMPLETE
    # The first leaves, the second waits in risk.
    left = await bench.outcome(0, 1)
    assert isinstance(left, tuple)
    bench.sending = left[1]
    dut.out_ready.value = 0
    await bench.ask(1, 1)
    await bench.cycles(6)
    waiting = int(dut.out_text.value)
    for count in range(8):
        for handle in (0, 1, 2):
            assert await bench.prepare(handle, Order(quantity=100 + count, price=count)) == COMPLETE
        await bench.check(left, first)
    dut.out_ready.value = 1
    await bench.cycles(6)
    assert bench.left[-1][1] == waiting
    await bench.check(bench.left[-1], second)
    for handle in (0, 1, 2):
        now = await bench.outcome(handle, 1)
        assert isinstance(now, tuple)
        await bench.check(now, Order(quantity=107, price=7))


@cocotb.test()
async def the_order_comes_a_fixed_number_of_cycles_after_its_intent(dut):
    bench = Bench(dut)
    await bench.start()
    assert await bench.prepare(8, Order()) == COMPLETE
    for _ in range(3):
        await bench.ask(8, 1)
        before, cycles = len(bench.left), 0
        while len(bench.left) == before:
            await bench.cycle()
            cycles += 1
        assert cycles == 3
        await bench.cycles(10)


@cocotb.test()
async def an_adjustment_of_the_host_never_delays_an_order_that_was_announced(dut):
    bench = Bench(dut)
    await bench.start()
    assert await bench.prepare(0, Order()) == COMPLETE
    latencies = set()
    for lead in range(12):
        dut.adjust_valid.value = 1
        await bench.cycles(lead)
        await bench.ask(0, 1)
        before, cycles = len(bench.left), 0
        while len(bench.left) == before:
            await bench.cycle()
            cycles += 1
        latencies.add(cycles)
        await bench.cycles(30)
    assert latencies == {3}


@pytest.mark.parametrize("w", [8, 64])
def test_risk(w: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("W", str(w))
    simulate("risk_tb", "test_risk", {"W": w, "HANDLES": HANDLES, "TEXTS": TEXTS, "INSTRUMENTS": INSTRUMENTS})
