"""strategy_orders with OWN: cancels and replacements are prepared when they are asked for, beside the new orders that are kept prepared."""

from __future__ import annotations

import cocotb
from cocotb.triggers import FallingEdge, ReadOnly
from harness import cases, simulate
from test_strategy_orders import CANCEL, HANDLE, NEW, ORDERS, REPLACE, Bench, Intent, Key

CHANGES = HANDLE + ORDERS - 1  # the handle of cancels and replacements


class Changes(Bench):
    """Risk as in the other bench; what was prepared, with its kind and the order that it changes."""

    def __init__(self, dut) -> None:
        super().__init__(dut)
        self.kinds: list[tuple[int, int, int, bool, int]] = []
        self.sent: list[tuple[int, int, int]] = []  # handle, price if it has one, the instrument
        self.originals: list[int] = []
        self.times_in_force: list[int] = []

    async def run_until_quiet(self, cycles: int) -> None:
        dut = self.dut
        for _ in range(cycles):
            dut.asked_original.value = self.originals[0] if self.originals else 0
            waiting = len(self.waiting)
            await self.watched()
            if len(self.waiting) < waiting and self.originals:
                self.originals.pop(0)

    async def watched(self) -> None:
        """A cycle; whoever asks for an order may be asked for a change, which is not in the store of the other bench."""
        dut = self.dut
        dut.asked_valid.value = bool(self.waiting)
        if self.waiting:
            asked = self.waiting[0]
            dut.asked_kind.value, dut.asked_fits.value, dut.asked_limit.value = asked.kind, asked.fits, asked.limit
            dut.asked_sell.value, dut.asked_instrument.value = asked.sell, asked.instrument
            dut.asked_price.value, dut.asked_quantity.value = asked.price % (1 << 48), asked.quantity
            dut.asked_time_in_force.value = asked.time_in_force
        dut.intent_ready.value = 1
        done = self.preparing is not None and self.preparing[0] == self.now
        dut.prepared.value = done
        dut.prepared_text.value = 0
        dut.prepare_ready.value = self.preparing is None
        await ReadOnly()
        if done:
            assert dut.commit.value
            self.preparing = None
        elif dut.prepare_valid.value and self.preparing is None:
            kind, handle = int(dut.prepare_kind.value), int(dut.prepare_handle.value)
            market = bool(dut.prepare_market.value)
            quantity, time_in_force = int(dut.prepare_quantity.value), int(dut.prepare_time_in_force.value)
            order = Key(int(dut.prepare_instrument.value), market, bool(dut.prepare_sell.value), quantity, time_in_force)
            self.preparing = (self.now + 9, handle, order)
            self.kinds.append((kind, handle, int(dut.prepare_original.value), bool(dut.prepare_computed.value), quantity))
            self.times_in_force.append(time_in_force)
        if dut.intent_valid.value:
            handle, computed = int(dut.intent_handle.value), bool(dut.intent_computed.value)
            self.sent.append((handle, int(dut.intent_price.value) if computed else 0, int(dut.intent_instrument.value)))
        self.refusals += int(dut.refused.value)
        taken = bool(self.waiting and dut.asked_ready.value)
        await FallingEdge(dut.clk)
        self.now += 1
        if taken:
            self.waiting.popleft()


@cocotb.test
async def changes_are_prepared_under_the_last_handle_with_the_order_that_they_change(dut) -> None:
    bench = Changes(dut)
    await bench.start()
    for intent, original in (
        (Intent(2, False, 100, 10), 0),
        (Intent(2, False, 100, 11, kind=REPLACE, time_in_force=1), 0x123),
        (Intent(2, True, 100, 0, kind=CANCEL), 0x124),
        (Intent(2, False, 100, 12), 0),
    ):
        bench.waiting.append(intent)
        bench.originals.append(original)
        await bench.run_until_quiet(60)
    assert bench.kinds == [
        (NEW, HANDLE, 0, True, 100),
        (REPLACE, CHANGES, 0x123, True, 100),
        (CANCEL, CHANGES, 0x124, False, 100),
    ]
    assert bench.times_in_force == [0, 1, 0]
    assert bench.sent == [(HANDLE, 10, 2), (CHANGES, 11, 2), (CHANGES, 0, 2), (HANDLE, 12, 2)]
    assert bench.refusals == 0


@cocotb.test
async def new_orders_never_take_the_place_of_changes(dut) -> None:
    bench = Changes(dut)
    await bench.start()
    for number in range(cases(40, 400)):
        change = number % 3 == 2
        bench.waiting.append(Intent(1, False, 1 + number % 6, number, kind=REPLACE if change else NEW))
        bench.originals.append(number)
        await bench.run_until_quiet(60)
        assert bench.sent[-1][1] == number
        assert (bench.sent[-1][0] == CHANGES) == change
    assert all((handle == CHANGES) == (kind != 0) for kind, handle, *_ in bench.kinds)


def test_strategy_changes() -> None:
    simulate("strategy_orders_tb", "test_strategy_changes", parameters={"HANDLE": HANDLE, "ORDERS": ORDERS, "OWN": 1})
