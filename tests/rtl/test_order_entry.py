"""order_entry: what the host enters is prepared first, then its stop is set or its order requested; what is refused changes nothing."""

from random import Random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly
from harness import simulate

SLOTS = 8
SET, CHANGE, CANCEL, STRATEGY, ORDER = 1, 2, 3, 14, 15  # operations
COMPUTED = 4  # handles after those of the stops
HOST = SLOTS + COMPUTED  # the handle of the host's orders
STOP_SET, STOP_CANCEL = 0, 2  # what the stops get
HIGHEST = (1 << 47) - 1  # of a trigger and a price, signed
EMPTY, ARMED, FIRING, FIRED = range(4)
COMPLETE, TOO_WIDE = 0, 2
LIMIT, MARKET = 1, 0


class Bench:
    """The order store, the stops and risk as order_entry sees them: answers after a while."""

    def __init__(self, dut) -> None:
        self.dut = dut
        self.rng = Random(4)
        self.refuse_text = False
        self.states = [EMPTY] * SLOTS
        self.prepared: dict[str, int] | None = None
        self.records: dict[int, dict[str, int]] = {}  # by handle, committed
        self.taken: list[tuple[int, int]] = []  # intents of the host: handle, instrument
        self.risk_takes = True
        self.request: dict[str, int] | None = None
        self.answer: tuple[int, int, int] | None = None
        self.prepare_delay = self.stop_delay = 0
        self.stop: tuple[int, int] = (STOP_CANCEL, 0)  # what the stops got last: operation, slot
        self.parameters: list[tuple[int, ...]] = []  # the strategy's, as it took them
        self.replacements = 0  # prepared for the strategy
        self.original: int | None = None  # of the one it wants
        self.changed: int | None = None  # the slot whose stop took effect in the last cycle

    async def start(self) -> None:
        cocotb.start_soon(Clock(self.dut.clk, 8, "ns").start())
        inputs = ("entry_valid", "prepare_ready", "prepared", "stop_ready", "stop_answer_valid", "intent_ready", "strategy_ready")
        for name in (*inputs, "replace_valid"):
            getattr(self.dut, name).value = 0
        self.dut.rst.value = 1
        for _ in range(3):
            await FallingEdge(self.dut.clk)
        self.dut.rst.value = 0

    async def cycle(self) -> None:
        dut, rng = self.dut, self.rng
        await FallingEdge(dut.clk)
        dut.entry_valid.value = self.request is not None
        dut.replace_valid.value, dut.replace_original.value = self.original is not None, self.original or 0
        if self.request:
            assert int(dut.entry_ready.value) or self.original is not None
            for name, value in self.request.items():
                getattr(dut, f"entry_{name}").value = value
            self.request = None
        dut.prepare_ready.value = prepare_ready = self.prepare_delay == 0 and rng.random() < 0.5
        dut.stop_ready.value = stop_ready = self.stop_delay == 0 and rng.random() < 0.5
        dut.prepared.value = self.prepare_delay == 1
        dut.prepared_text.value = TOO_WIDE if self.refuse_text else COMPLETE
        dut.stop_answer_valid.value = self.stop_delay == 1
        if self.stop_delay == 1:
            operation, slot = self.stop
            state = self.states[slot]
            done = state in (EMPTY, FIRED) if operation == STOP_SET else state == ARMED
            if done:
                self.states[slot] = EMPTY if operation == STOP_CANCEL else ARMED
            dut.stop_answer_done.value, dut.stop_answer_previous.value = done, state
        dut.intent_ready.value = self.risk_takes and rng.random() < 0.5
        dut.strategy_ready.value = strategy_ready = rng.random() < 0.3
        await ReadOnly()
        if int(dut.commit.value):
            assert self.prepared, "nothing is prepared"
            assert not self.refuse_text
            if self.prepared["handle"] in (SLOTS + 1, SLOTS + 2):
                assert self.prepare_delay == 1, "with its answer"
            elif SLOTS <= self.prepared["handle"] < HOST:
                assert int(dut.strategy_valid.value)
                assert strategy_ready, "with the strategy's parameters"
            if self.prepared["handle"] < SLOTS:
                assert self.stop_delay == 1, "with the stop's answer"
                assert self.stop == (self.stop[0], self.prepared["handle"])
            self.records[self.prepared["handle"]] = self.prepared
            self.prepared = None
        else:
            assert not (self.stop_delay == 1 and done and operation != STOP_CANCEL), "a stop was set without its order"
        self.prepare_delay = max(0, self.prepare_delay - 1)
        self.stop_delay = max(0, self.stop_delay - 1)
        if int(dut.prepare_valid.value) and prepare_ready:
            names = (
                "handle",
                "kind",
                "limit",
                "sell",
                "instrument",
                "price",
                "quantity",
                "client_id",
                "original",
                "collar",
                "computed",
                "strategy",
            )
            self.prepared = {name: int(getattr(dut, f"prepare_{name}").value) for name in names}
            self.prepare_delay = rng.randrange(2, 20)
        if int(dut.stop_valid.value) and stop_ready:
            self.stop = (int(dut.stop_operation.value), int(dut.stop_slot.value))
            self.watch = tuple(int(getattr(dut, f"stop_{name}").value) for name in ("sell", "instrument", "trigger"))
            self.stop_delay = rng.randrange(2, 20)
        if int(dut.intent_valid.value) and int(dut.intent_ready.value):
            assert int(dut.intent_handle.value) in self.records, "asked for before it is there"
            self.taken.append((int(dut.intent_handle.value), int(dut.intent_instrument.value)))
        if int(dut.strategy_valid.value) and strategy_ready:
            names = ("enabled", "sell", "instrument", "single")  # type: ignore[assignment]
            self.parameters.append(tuple(int(getattr(dut, f"strategy_{name}").value) for name in names))
        if int(dut.replace_done.value):
            self.replacements, self.original = self.replacements + 1, None
        if int(dut.answer_valid.value):
            self.answer = tuple(int(getattr(dut, f"answer_{n}").value) for n in ("done", "previous", "text"))  # type: ignore[assignment]

    async def enter(self, code: int, slot: int = 0, **fields: int) -> tuple[int, int, int]:
        defaults = {
            "kind": 0,
            "limit": LIMIT,
            "sell": 0,
            "instrument": 1,
            "trigger": 5,
            "price": 6,
            "quantity": 7,
            "client_id": 8,
            "enabled": 0,
            "single": 0,
        }
        fields = {name: value % (1 << 64) if name in ("trigger", "price") else value for name, value in fields.items()}
        self.request = {"code": code, "slot": slot} | defaults | fields
        self.answer = None
        for _ in range(400):
            await self.cycle()
            if self.answer:
                return self.answer
        raise AssertionError("no answer")

    async def cycles(self, count: int) -> None:
        for _ in range(count):
            await self.cycle()


@cocotb.test()
async def a_stop_is_set_with_its_order_under_the_slots_handle(dut):
    bench = Bench(dut)
    await bench.start()
    entered = {"sell": 1, "instrument": 3, "trigger": 99, "price": 98, "quantity": 10, "client_id": 0xFFFFFFFF}
    assert await bench.enter(SET, 3, **entered) == (1, EMPTY, COMPLETE)
    assert bench.watch == (1, 3, 99)
    order = {name: entered[name] for name in ("sell", "instrument", "price", "quantity", "client_id")}
    assert bench.records == {3: order | {"handle": 3, "kind": 0, "limit": LIMIT, "original": 99, "collar": 1, "computed": 0, "strategy": 0}}
    # A market order has the trigger as its price, for its notional, and no collar.
    assert await bench.enter(CHANGE, 3, **(entered | {"limit": MARKET})) == (1, ARMED, COMPLETE)
    assert {name: bench.records[3][name] for name in ("price", "limit", "collar")} == {"price": 99, "limit": MARKET, "collar": 0}
    assert await bench.enter(CANCEL, 3) == (1, ARMED, COMPLETE)
    assert not bench.taken


@cocotb.test()
async def what_is_refused_leaves_the_record_as_it_was(dut):
    bench = Bench(dut)
    await bench.start()
    await bench.enter(SET, 3, quantity=10)
    before = dict(bench.records)
    bench.refuse_text = True
    assert await bench.enter(CHANGE, 3, quantity=11) == (0, EMPTY, TOO_WIDE)
    assert await bench.enter(ORDER, 0, quantity=11) == (0, EMPTY, TOO_WIDE)
    bench.refuse_text = False
    for state in (FIRING, FIRED):
        bench.states[3] = state
        assert await bench.enter(CHANGE, 3, quantity=12) == (0, state, COMPLETE)
        assert await bench.enter(CANCEL, 3) == (0, state, COMPLETE)
    bench.states[3] = FIRING
    assert await bench.enter(SET, 3, quantity=12) == (0, FIRING, COMPLETE)
    assert bench.records == before
    await bench.cycles(50)
    assert not bench.taken


@cocotb.test()
async def an_order_of_the_host_has_a_handle_of_its_own_and_is_asked_for_once(dut):
    bench = Bench(dut)
    await bench.start()
    for kind, limit in ((0, LIMIT), (0, MARKET), (1, LIMIT), (2, LIMIT)):
        bench.taken.clear()
        entered = {"kind": kind, "limit": limit, "instrument": 2, "trigger": 0x123456789, "price": 44, "client_id": kind}
        assert await bench.enter(ORDER, 0, **entered) == (1, EMPTY, COMPLETE)
        await bench.cycles(50)
        assert bench.taken == [(HOST, 2)]
        record = bench.records[HOST]
        expected = {"kind": kind, "limit": limit, "price": 44, "original": 0x123456789, "collar": 1, "client_id": kind}
        assert {name: record[name] for name in expected} == expected
    assert set(bench.records) == {HOST}


@cocotb.test()
async def a_strategys_parameters_take_effect_with_its_order_or_not_at_all(dut):
    bench = Bench(dut)
    await bench.start()
    entered = {"sell": 1, "instrument": 2, "quantity": 9, "client_id": 3, "limit": MARKET, "trigger": HIGHEST + 1}
    assert await bench.enter(STRATEGY, 0, enabled=1, **entered) == (1, EMPTY, COMPLETE)
    assert bench.parameters == [(1, 1, 2, 0)]
    record = bench.records[SLOTS]
    expected = {
        "kind": 0,
        "limit": LIMIT,
        "sell": 1,
        "instrument": 2,
        "price": 0,
        "quantity": 9,
        "client_id": 3,
        "collar": 1,
        "computed": 1,
        "strategy": 1,
    }
    assert {name: record[name] for name in expected} == expected
    bench.refuse_text = True
    assert await bench.enter(STRATEGY, 0, enabled=0, **entered) == (0, EMPTY, TOO_WIDE)
    bench.refuse_text = False
    assert await bench.enter(STRATEGY, 1, enabled=0, **entered) == (0, EMPTY, COMPLETE), "there is one strategy"
    assert bench.parameters == [(1, 1, 2, 0)]
    assert not bench.taken


@cocotb.test()
async def replacement_and_cancel_of_a_strategys_order_are_the_order_with_its_number_and_the_host_waits(dut):
    bench = Bench(dut)
    await bench.start()
    entered = {"sell": 1, "instrument": 2, "quantity": 9, "client_id": 3, "single": 1}
    assert (await bench.enter(STRATEGY, 0, enabled=1, **entered))[0]
    assert bench.parameters == [(1, 1, 2, 1)]
    assert (await bench.enter(SET, 1, quantity=77, instrument=1))[0], "another order in between"
    for turn in range(20):
        original = 0x12345678_0 + turn
        bench.original = original
        others = {handle: record for handle, record in bench.records.items() if handle not in (SLOTS + 1, SLOTS + 2)}
        done = bench.replacements
        for _ in range(turn % 5):
            await bench.cycle()
        if turn % 2:
            assert await bench.enter(CANCEL, 1 + turn % 2) == (0, EMPTY, COMPLETE)
        while bench.replacements == done:
            await bench.cycle()
        await bench.cycles(3)
        same = {"limit": LIMIT, "sell": 1, "instrument": 2, "price": 0, "quantity": 9, "client_id": 3, "collar": 1, "strategy": 1}
        assert bench.records.pop(SLOTS + 1) == same | {"handle": SLOTS + 1, "kind": 2, "computed": 1, "original": original}
        assert bench.records.pop(SLOTS + 2) == same | {"handle": SLOTS + 2, "kind": 1, "computed": 0, "original": original}
        assert bench.records == others
        assert bench.replacements == done + 1
    assert len(bench.parameters) == 1


@cocotb.test()
async def while_an_order_of_the_host_waits_another_is_refused_and_stops_are_not(dut):
    bench = Bench(dut)
    await bench.start()
    bench.risk_takes = False
    assert (await bench.enter(ORDER, 0, quantity=5))[0]
    record = dict(bench.records[HOST])
    assert await bench.enter(ORDER, 0, quantity=6) == (0, FIRING, COMPLETE)
    assert bench.records[HOST] == record, "the one that waits stays as it is"
    assert await bench.enter(SET, 0, quantity=7) == (1, EMPTY, COMPLETE)
    bench.risk_takes = True
    await bench.cycles(20)
    assert len(bench.taken) == 1
    assert await bench.enter(ORDER, 0, quantity=6) == (1, EMPTY, COMPLETE)
    await bench.cycles(20)
    assert len(bench.taken) == 2


@cocotb.test()
async def prices_of_48_bits_pass_and_wider_ones_are_refused(dut):
    bench = Bench(dut)
    await bench.start()
    for price in (HIGHEST, -HIGHEST - 1, 0, -1):
        assert await bench.enter(SET, 1, trigger=price, price=price) == (1, EMPTY, COMPLETE)
        assert (bench.records[1]["price"], bench.watch[2]) == (price % (1 << 48), price % (1 << 48))
        assert await bench.enter(CANCEL, 1) == (1, ARMED, COMPLETE)
    before = dict(bench.records)
    for price in (HIGHEST + 1, -HIGHEST - 2, (1 << 63) - 1, -(1 << 63), 1 << 48, 1 << 62):
        assert await bench.enter(SET, 1, trigger=price) == (0, EMPTY, TOO_WIDE)
        assert await bench.enter(CHANGE, 1, price=price) == (0, EMPTY, TOO_WIDE)
        assert await bench.enter(ORDER, 0, price=price) == (0, EMPTY, TOO_WIDE)
        # A cancel has no prices.
        assert await bench.enter(CANCEL, 1, trigger=price, price=price) == (0, EMPTY, COMPLETE)
    assert bench.records == before


@cocotb.test()
async def a_slot_or_a_kind_that_is_not_there_is_not_done(dut):
    bench = Bench(dut)
    await bench.start()
    for code in (SET, CHANGE, CANCEL):
        for slot in (SLOTS, 0x8000, 0xFFFF):
            assert await bench.enter(code, slot, trigger=HIGHEST + 1) == (0, EMPTY, COMPLETE)
    for index in (1, SLOTS, 0x8000):
        assert await bench.enter(ORDER, index) == (0, EMPTY, COMPLETE)
    assert await bench.enter(ORDER, 0, kind=3) == (0, EMPTY, COMPLETE)
    assert not bench.records
    assert not bench.taken


@pytest.mark.parametrize("slots", [SLOTS])
def test_order_entry(slots: int) -> None:
    simulate("order_entry_tb", "test_order_entry", {"SLOTS": slots, "COMPUTED": COMPUTED})
