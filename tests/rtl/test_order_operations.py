"""order_operations: each code reaches its module once with what its operands mean (docs/reference/order-operations.md), or is refused."""

import os
from dataclasses import dataclass, field
from random import Random
from typing import Any

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from harness import simulate

W = int(os.environ.get("W", "64"))
SLOTS, INSTRUMENTS = 64, 16
SET, CHANGE, CANCEL, BEAT, RECORD, CLEAR, DECIMALS, TIME, DATE, NUMBER, LIMIT, ADJUST, FIX, FEED, ORDER = range(1, 16)
WHOLE, QUANTITY_TOO_WIDE, PRICE_TOO_WIDE = range(3)
EMPTY, ARMED, FIRING, FIRED = range(4)
HIGHEST = (1 << 47) - 1  # of a trigger and a price, signed; of a collar, unsigned

# What is written where, as the page says: fields by their widths, the first highest, as the structs of the packages are.
ENTRY = {"kind": 2, "side": 1, "order_type": 1, "instrument": 8, "trigger": 48, "price": 48, "quantity": 32, "client_id": 32}
TEMPLATE = {"sum": 16, "byte_sum": 8, "number_at": 2, "time_at": 2, "check_odd": 1}
LIMITS = {"enable": 1, "sources": 2, "collar": 47, "position_limit": 47}
ADJUSTMENT = {"instrument": 8, "buy": 48, "sell": 48, "closed": 16}
FIX_INSTRUMENT = {"used": 1, "symbol": 64, "symbol_length": 4, "price_scale": 4, "quantity_scale": 4}
PULSES = {
    "template_write": ("template_address", "template_data"),
    "template_set": ("template_index", "template_record"),
    "template_clear": ("template_index",),
    "decimals_write": ("instrument", "decimals"),
    "time_load": ("load_time", "load_boundary"),
    "date_load": ("load_date",),
    "number_load": ("load_number",),
    "limit_write": ("instrument", "limit"),
    "fix_write": ("instrument", "fix_instrument"),
    "feed_write": ("instrument", "feed_used", "feed_symbol"),
}


def fields(value: int, widths: dict[str, int]) -> dict[str, int]:
    found = {}
    for name, width in reversed(widths.items()):
        found[name] = value & (1 << width) - 1
        value >>= width
    assert value == 0
    return found


def words(*values: int) -> list[int]:
    """64-bit values as two words, low word first."""
    return [value >> shift & 0xFFFFFFFF for value in values for shift in (0, 32)]


@dataclass
class Bench:
    dut: Any
    seen: list[tuple[str, dict[str, int]]] = field(default_factory=list)  # pulses, with what stood beside them
    refused: int = 0

    async def start(self) -> None:
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, 8, "ns").start())
        for name in ("start", "entry_ready", "entry_answer_valid", "adjust_ready", "fix_busy"):
            getattr(dut, name).value = 0
        dut.rst.value = 1
        for _ in range(3):
            await FallingEdge(dut.clk)
        dut.rst.value = 0

    async def cycle(self) -> None:
        await FallingEdge(self.dut.clk)
        self.refused += int(self.dut.refused.value)
        for name, beside in PULSES.items():
            if int(getattr(self.dut, name).value):
                self.seen.append((name, {port: int(getattr(self.dut, port).value) for port in beside}))

    async def begin(self, code: int, index: int = 0, operands: list[int] | None = None) -> None:
        """Started in the cycle that follows; operands stay, as registers do."""
        dut = self.dut
        dut.code.value, dut.index.value = code, index
        padded = (operands or []) + [0] * (7 - len(operands or []))
        dut.operand.value = sum(word << 32 * i for i, word in enumerate(padded))
        dut.start.value = 1
        await self.cycle()
        dut.start.value = 0
        assert int(dut.busy.value)

    async def end(self) -> tuple[int, int]:
        for _ in range(10):
            if not int(self.dut.busy.value):
                # A pulse comes with the end.
                await self.cycle()
                await self.cycle()
                return int(self.dut.done.value), int(self.dut.text.value)
            await self.cycle()
        raise AssertionError("still busy")

    async def operate(self, code: int, index: int = 0, operands: list[int] | None = None) -> tuple[int, int]:
        await self.begin(code, index, operands)
        return await self.end()

    async def one(self, code: int, index: int, operands: list[int]) -> tuple[str, dict[str, int]]:
        """The one pulse of an operation that is done at once."""
        self.seen.clear()
        assert await self.operate(code, index, operands) == (1, WHOLE)
        (pulse,) = self.seen
        return pulse

    async def nothing(self, code: int, index: int, operands: list[int] | None = None, text: int = WHOLE) -> None:
        """It is not done, and nobody hears of it."""
        self.seen.clear()
        assert await self.operate(code, index, operands) == (0, text)
        assert not self.seen
        assert not int(self.dut.entry_valid.value)
        assert not int(self.dut.adjust_valid.value)


async def bench(dut: Any) -> Bench:
    made = Bench(dut)
    await made.start()
    return made


async def entered(b: Bench, answer: tuple[int, int, int] = (1, EMPTY, WHOLE), wait: int = 0) -> dict[str, int]:
    """Takes the stop that is offered after a while, and answers it."""
    dut = b.dut
    while not int(dut.entry_valid.value):
        await b.cycle()
    for _ in range(wait):
        await b.cycle()
        assert int(dut.entry_valid.value)
        assert int(dut.busy.value)
    found = fields(int(dut.entry.value), ENTRY)
    found |= {"operation": int(dut.entry_code.value), "slot": int(dut.entry_slot.value)}
    dut.entry_ready.value = 1
    await b.cycle()
    dut.entry_ready.value = 0
    for _ in range(wait):
        assert not int(dut.entry_valid.value), "given once"
        assert int(dut.busy.value)
        await b.cycle()
    dut.entry_answer_valid.value = 1
    dut.entry_answer.value, dut.entry_text.value = answer[0] << 2 | answer[1], answer[2]
    await b.cycle()
    dut.entry_answer_valid.value = 0
    return found


@cocotb.test()
async def what_is_written_at_once_comes_as_one_pulse_with_its_operands(dut: Any) -> None:
    b = await bench(dut)
    data = 0x123456789ABCDEF012 & (1 << (72 if W == 64 else 9)) - 1
    address = (2 * INSTRUMENTS + 5) * (2048 // W) + 17
    assert await b.one(BEAT, address, words(data, 0x12)) == (
        "template_write",
        {"template_address": address, "template_data": data if W == 8 else data % (1 << 64) | 0x12 << 64},
    )
    record = {"sum": 0xABCD, "byte_sum": 0xEF, "number_at": 2, "time_at": 1, "check_odd": 1}
    name, got = await b.one(RECORD, 63, [0xABCD | 0xEF << 16 | 2 << 24 | 1 << 26 | 1 << 28])
    assert (name, got["template_index"], fields(got["template_record"], TEMPLATE)) == ("template_set", 63, record)
    assert await b.one(CLEAR, 33, []) == ("template_clear", {"template_index": 33})
    assert await b.one(DECIMALS, 15, [9]) == ("decimals_write", {"instrument": 15, "decimals": 9})
    assert await b.one(TIME, 0, [0x18123999, 0x20260302, 0x9, *words(0x1234567890ABCDEF)]) == (
        "time_load",
        {"load_time": 0x9_20260302_18123999, "load_boundary": 0x1234567890ABCDEF},
    )
    assert await b.one(DATE, 0, [0x20261231]) == ("date_load", {"load_date": 0x20261231})
    assert await b.one(NUMBER, 0, [0x87654321, 0x9]) == ("number_load", {"load_number": 0x987654321})
    for sources in range(4):
        name, got = await b.one(LIMIT, 15, [1 | sources << 1, *words(HIGHEST), *words(HIGHEST - 1)])
        limits = {"enable": 1, "sources": sources, "collar": HIGHEST, "position_limit": HIGHEST - 1}
        assert (name, got["instrument"], fields(got["limit"], LIMITS)) == ("limit_write", 15, limits)
    name, got = await b.one(FIX, 3, [1 | 4 << 4 | 2 << 8 | 7 << 12, *words(0x4D534654)])
    instrument = {"used": 1, "symbol": 0x4D534654, "symbol_length": 4, "price_scale": 2, "quantity_scale": 7}
    assert (name, got["instrument"], fields(got["fix_instrument"], FIX_INSTRUMENT)) == ("fix_write", 3, instrument)
    symbol = int.from_bytes(b"AAPL    ", "big")
    assert await b.one(FEED, 2, [1, *words(symbol)]) == ("feed_write", {"instrument": 2, "feed_used": 1, "feed_symbol": symbol})


@cocotb.test()
async def a_pulse_comes_three_cycles_after_the_start(dut: Any) -> None:
    b = await bench(dut)
    await b.begin(DATE, 0, [1])  # the edge that ends it saw the start
    await b.cycle()
    assert not b.seen
    await b.cycle()
    assert [name for name, _ in b.seen] == ["date_load"]
    assert not int(dut.busy.value)


@cocotb.test()
async def stops_and_orders_are_offered_until_taken_and_answered_with_what_order_entry_says(dut: Any) -> None:
    b = await bench(dut)
    rng = Random(3)
    for code, operation in ((SET, 0), (CHANGE, 1), (CANCEL, 2), (ORDER, 3)):
        for answer in ((1, EMPTY, WHOLE), (0, FIRED, WHOLE), (0, EMPTY, QUANTITY_TOO_WIDE), (1, ARMED, WHOLE)):
            trigger, price = rng.randrange(-HIGHEST - 1, HIGHEST + 1), rng.randrange(-HIGHEST - 1, HIGHEST + 1)
            slot = 0 if code == ORDER else rng.randrange(SLOTS)
            kind = rng.randrange(3)
            side, order_type, instrument = rng.randrange(2), rng.randrange(2), rng.randrange(INSTRUMENTS)
            quantity, client_id = rng.getrandbits(32), rng.getrandbits(32)
            first = side | order_type << 1 | kind << 2 | instrument << 8
            await b.begin(code, slot, [first, *words(trigger, price), quantity, client_id])
            assert await entered(b, answer, wait=rng.randrange(4)) == {
                "kind": kind if code == ORDER else 0,
                "side": side,
                "order_type": order_type,
                "instrument": instrument,
                "trigger": trigger % (1 << 48),
                "price": price % (1 << 48),
                "quantity": quantity,
                "client_id": client_id,
                "operation": operation,
                "slot": slot,
            }
            assert await b.end() == (answer[0], answer[2])
            assert int(dut.previous.value) == answer[1]
    assert not b.seen


@cocotb.test()
async def prices_of_48_bits_pass_and_wider_ones_are_answered_and_not_done(dut: Any) -> None:
    b = await bench(dut)
    beyond = [HIGHEST + 1, -HIGHEST - 2, (1 << 63) - 1, -(1 << 63), 1 << 48, 1 << 62]
    within = [HIGHEST, -HIGHEST - 1, 0, -1]
    for code in (SET, CHANGE, CANCEL, ORDER):
        for trigger, price in [(0, p) for p in within] + [(t, 0) for t in within]:
            await b.begin(code, 0, [0, *words(trigger, price), 1, 1])
            found = await entered(b)
            assert (found["trigger"], found["price"]) == (trigger % (1 << 48), price % (1 << 48))
            assert await b.end() == (1, WHOLE)
    for code in (SET, CHANGE):
        for price in beyond:
            await b.nothing(code, 0, [0, *words(price, 0), 1, 1], PRICE_TOO_WIDE)
            await b.nothing(code, 0, [0, *words(0, price), 1, 1], PRICE_TOO_WIDE)
    for price in beyond:
        await b.nothing(ORDER, 0, [0, *words(0, price), 1, 1], PRICE_TOO_WIDE)
        # A cancel has no prices.
        await b.begin(CANCEL, 0, [0, *words(price, price), 1, 1])
        await entered(b)
        assert await b.end() == (1, WHOLE)
    for collar in (HIGHEST + 1, 1 << 48, 1 << 63, (1 << 64) - 1):
        await b.nothing(LIMIT, 0, [1, *words(collar, 5)], PRICE_TOO_WIDE)
    assert (await b.one(LIMIT, 0, [1, *words(HIGHEST, 5)]))[0] == "limit_write"


@cocotb.test()
async def what_is_not_there_is_not_done(dut: Any) -> None:
    b = await bench(dut)
    await b.nothing(0, 0)
    for code in (SET, CHANGE, CANCEL):
        for slot in (SLOTS, 0x8000, 0xFFFF):
            await b.nothing(code, slot)
    for code in (DECIMALS, LIMIT, ADJUST, FIX, FEED):
        for instrument in (INSTRUMENTS, 0x100, 0xFFFF):
            await b.nothing(code, instrument, [1])
    # A price that is too wide as well: there is nothing to say of it.
    await b.nothing(SET, SLOTS, [0, *words(HIGHEST + 1)])
    await b.nothing(LIMIT, INSTRUMENTS, [1, *words(HIGHEST + 1)])
    for index in (1, SLOTS, 0x8000):
        await b.nothing(ORDER, index)
    await b.nothing(ORDER, 0, [3 << 2])  # no such kind
    # The next one is not held up.
    assert (await b.one(DATE, 0, [5]))[0] == "date_load"


@cocotb.test()
async def an_adjustment_waits_until_risk_takes_it(dut: Any) -> None:
    b = await bench(dut)
    buy, sell = -5, (1 << 47) - 1
    await b.begin(ADJUST, 7, [*words(buy, sell), 3])
    await b.cycle()
    for _ in range(5):
        await b.cycle()
        assert int(dut.busy.value)
        assert int(dut.adjust_valid.value)
    expected = {"instrument": 7, "buy": buy % (1 << 48), "sell": sell, "closed": 3}
    assert fields(int(dut.adjust.value), ADJUSTMENT) == expected
    dut.adjust_ready.value = 1
    await b.cycle()
    dut.adjust_ready.value = 0
    assert not int(dut.adjust_valid.value)
    assert await b.end() == (1, WHOLE)
    assert not b.seen


@cocotb.test()
async def an_instrument_of_the_decoder_is_done_when_the_decoder_is(dut: Any) -> None:
    b = await bench(dut)
    dut.fix_busy.value = 1
    await b.begin(FIX, 1, [1])
    for _ in range(6):
        await b.cycle()
        assert int(dut.busy.value)
    assert [name for name, _ in b.seen] == ["fix_write"]
    dut.fix_busy.value = 0
    assert await b.end() == (1, WHOLE)
    assert len(b.seen) == 1


@cocotb.test()
async def one_that_is_started_while_another_is_busy_is_refused_and_counted(dut: Any) -> None:
    b = await bench(dut)
    await b.begin(SET, 9, [1, 0, 0, 0, 0, 44, 0])
    await b.cycle()
    dut.start.value = 1
    await b.cycle()
    dut.start.value = 0
    await b.cycle()
    assert b.refused == 1
    found = await entered(b)
    assert (found["slot"], found["quantity"]) == (9, 44)
    assert await b.end() == (1, WHOLE)
    for _ in range(5):
        await b.cycle()
    assert not int(dut.busy.value)
    assert b.refused == 1
    assert not b.seen


@pytest.mark.parametrize("w", [8, 64])
def test_order_operations(w: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("W", str(w))
    simulate("order_operations", "test_order_operations", {"W": w, "SLOTS": SLOTS, "INSTRUMENTS": INSTRUMENTS})
