"""fast_events: an entry that cannot be read makes its packet bad, unless it says that it is of an instrument that is not ours."""

from dataclasses import dataclass
from random import Random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from harness import cases, simulate

MESSAGE, ABSENT, UNSIGNED, DECIMAL, TEXT = 1, 2, 3, 5, 6  # field_e
SYMBOL, ORDER_ID, PRICE, QUANTITY, ACTION, SIDE = 3, 4, 5, 6, 9, 11  # member_e
ADD, DELETE, BUY, SELL = 1, 5, 11, 12  # meaning_e
UNKNOWN_ACTION, UNKNOWN_SIDE, NO_SIDE, NO_SYMBOL, NO_ORDER_ID, NO_PRICE, NO_QUANTITY = 0, 2, 4, 5, 6, 7, 8  # fault_e
BAD_SYMBOL, BAD_ORDER_ID, PRICE_SCALE, QUANTITY_SCALE = 9, 10, 11, 12
SCALE = 4  # decimals of prices
OURS = ["USDRUB", "EURRUB", "A"]
OTHERS = ["CNYRUB", "USDRU", "B"]
KEYLESS = "a,b,c,d,e"  # of more than eight characters: it has no key


def key(symbol: str) -> int:
    return int.from_bytes(symbol.ljust(8).encode(), "big")


@dataclass
class Entry:
    """An order that enters, and what is wrong with it."""

    symbol: str | None
    order_id: int
    fault: int | None
    fields: list[dict[str, int]]


def text(member: int, characters: str) -> list[dict[str, int]]:
    assert len(characters) <= 8
    return [{"kind": TEXT, "member": member, "value": int.from_bytes(characters.encode(), "big"), "count": len(characters)}]


def integer(member: int, value: int) -> list[dict[str, int]]:
    return [{"kind": UNSIGNED, "member": member, "value": value}]


def entry(rng: Random, symbol: str | None, order_id: int, fault: int | None) -> Entry:
    exponent = -5 if fault == PRICE_SCALE else rng.choice([-4, -2, 0])
    members = {
        ACTION: integer(ACTION, 77 if fault == UNKNOWN_ACTION else 0),
        SIDE: [] if fault == NO_SIDE else integer(SIDE, 9 if fault == UNKNOWN_SIDE else rng.choice([1, 2])),
        ORDER_ID: [] if fault == NO_ORDER_ID else text(ORDER_ID, "12x") if fault == BAD_ORDER_ID else integer(ORDER_ID, order_id),
        PRICE: []
        if fault == NO_PRICE
        else [{"kind": DECIMAL, "member": PRICE, "value": rng.randrange(1, 10**6), "exponent": exponent % 128}],
        QUANTITY: []
        if fault == NO_QUANTITY
        else [{"kind": DECIMAL, "member": QUANTITY, "value": 1, "exponent": (-1 if fault == QUANTITY_SCALE else 0) % 128}],
    }
    if symbol == KEYLESS:
        # Two pieces are not needed: a name of eight characters with one that is not printable has none either.
        members[SYMBOL] = text(SYMBOL, "a\x01b")
    elif symbol is not None:
        members[SYMBOL] = text(SYMBOL, symbol)
    order = list(members)
    rng.shuffle(order)
    fields = [dict(field) for member in order for field in members[member]]
    fields[-1]["entry_end"] = 1
    return Entry(symbol, order_id, fault, fields)


def judge(entries: list[Entry], ours: list[str]) -> tuple[list[int], int | None]:
    """The order ids that leave, and the fault of the packet."""
    first = None
    for one in entries:
        fault = one.fault
        if one.symbol == KEYLESS:  # of several values that are wrong the first counts, and before what is missing
            fault = min(BAD_SYMBOL, fault if fault in (UNKNOWN_ACTION, UNKNOWN_SIDE) else BAD_SYMBOL)
        if one.symbol is None:
            fault = NO_SYMBOL if fault in (None, NO_ORDER_ID, NO_PRICE, NO_QUANTITY) else fault
        if fault is None or first is not None:
            continue
        foreign = ours and one.symbol is not None and one.symbol not in ours
        if not foreign:
            first = fault
    good = [one.order_id for one in entries if one.fault is None and one.symbol not in (None, KEYLESS)]
    return good, first


class Bench:
    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.events: list[tuple[int, bool]] = []
        self.packets: list[tuple[list[tuple[int, bool]], bool, int | None]] = []

    async def step(self) -> None:
        dut = self.dut
        await FallingEdge(dut.clk)
        if dut.event_valid.value == 1:
            self.events.append((int(dut.event_order_id.value), bool(dut.event_last.value)))
        if dut.out_verdict.value == 1:
            fault = int(dut.fault.value) if dut.fault_valid.value == 1 else None
            self.packets.append((self.events, bool(dut.out_good.value), fault))
            self.events = []
        assert dut.overflow.value == 0

    async def start(self) -> None:
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
        for name in ("table_valid", "instrument_write", "field_valid", "verdict"):
            getattr(dut, name).value = 0
        dut.rst.value = 1
        await self.step()
        await self.step()
        dut.rst.value = 0
        # event_row_t: used, id, type, kind, absent of side, type, action, members of the entry, an event an entry, groups of decimals.
        row = 0
        for bits, width in ((1, 1), (7, 32), (ord("X"), 8), (0, 4), (0, 4), (0, 4), (0, 4), (0xE78, 12), (1, 1), (2, 2)):
            row = row << width | bits
        await self.table(0, 0, row)
        for which, meanings in ((0, {0: ADD}), (2, {1: BUY, 2: SELL})):
            for code in range(256):
                await self.table(1, which * 256 + code, meanings.get(code, 0))
        await self.table(2, 0, SCALE)

    async def table(self, what: int, index: int, data: int) -> None:
        dut = self.dut
        dut.table_valid.value, dut.table_what.value, dut.table_index.value, dut.table_data.value = 1, what, index, data
        await self.step()
        dut.table_valid.value = 0

    async def instrument(self, index: int, symbol: str | None) -> None:
        dut = self.dut
        dut.instrument_write.value, dut.instrument_index.value = 1, index
        dut.instrument_used.value, dut.instrument_symbol.value = symbol is not None, key(symbol or "")
        await self.step()
        dut.instrument_write.value = 0

    async def field(self, kind: int, member: int, value: int = 0, exponent: int = 0, count: int = 0, entry_end: int = 0) -> None:
        dut = self.dut
        dut.field_valid.value, dut.field_kind.value, dut.field_member.value, dut.field_value.value = 1, kind, member, value
        dut.field_exponent.value, dut.field_count.value, dut.field_entry_end.value = exponent, count, entry_end
        await self.step()
        dut.field_valid.value = 0

    async def packet(self, rng: Random, entries: list[Entry], good: bool) -> None:
        await self.field(MESSAGE, 0, 7)
        for one in entries:
            for field in one.fields:
                await self.field(**field)
                for _ in range(rng.choice([0, 0, 0, 1, 5])):
                    await self.step()
        self.dut.verdict.value, self.dut.verdict_good.value = 1, good
        await self.step()
        self.dut.verdict.value = 0
        for _ in range(rng.choice([0, 0, 30])):
            await self.step()


@cocotb.test()
async def what_cannot_be_read_of_others_is_passed_over(dut: Any) -> None:
    rng = Random(1)
    b = Bench(dut)
    await b.start()
    expected: list[tuple[list[int], int | None, bool]] = []
    number = 0
    seen = {"foreign": 0, "ours": 0, "nobody's": 0, "keyless": 0}
    faults = [UNKNOWN_ACTION, UNKNOWN_SIDE, NO_SIDE, NO_ORDER_ID, NO_PRICE, NO_QUANTITY, BAD_ORDER_ID, PRICE_SCALE, QUANTITY_SCALE]
    # First nobody has said what is ours; then three instruments in any places; then one of them is no longer.
    for ours, last in (([], OURS), (OURS, OURS), (OURS[:2], OURS)):
        for index, symbol in enumerate(last):
            await b.instrument(5 * index, symbol if symbol in ours else None)
        for _ in range(cases(150, 2000)):
            entries = []
            for _ in range(rng.randrange(6)):
                number += 1
                fault = rng.choice(faults) if rng.random() < 0.3 else None
                pool = [*OURS, *OTHERS, *OTHERS]
                if rng.random() < 0.1:
                    pool = [KEYLESS]
                named: str | None = None if rng.random() < 0.03 else rng.choice(pool)
                entries.append(entry(rng, named, number, fault))
                if fault is not None and named is not None:
                    seen["keyless" if named == KEYLESS else "ours" if named in ours else "foreign"] += 1
                if named is None:
                    seen["nobody's"] += 1
            good = rng.random() < 0.9
            await b.packet(rng, entries, good)
            expected.append((*judge(entries, ours), good))
        for _ in range(400):
            await b.step()
    assert min(seen.values()) > 10, seen
    assert len(b.packets) == len(expected)
    for place, ((events, good, fault), (ids, wrong, frame)) in enumerate(zip(b.packets, expected, strict=True)):
        assert good == (frame and wrong is None), place
        assert fault == (wrong if frame else None), place
        if good:
            assert [one for one, _ in events] == ids, place
            assert [last for _, last in events] == [False] * (len(ids) - 1) + [True] * bool(ids), place


def test_fast_foreign() -> None:
    simulate("fast_foreign_tb", "test_fast_foreign")
