"""config_port and the decoders of the stages: each operation reaches its stage once with its operands (order-operations.md)."""

import os
from dataclasses import dataclass, field
from typing import Any

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from harness import simulate

W = int(os.environ.get("W", "64"))
INSTRUMENTS = 16
SET, CHANGE, CANCEL, BEAT, RECORD, CLEAR, BOOK, TIME, DATE, NUMBER, LIMIT, ADJUST, INSTRUMENT, STRATEGY, ORDER = range(1, 16)
ON_FEED, ON_SESSION = 1, 2
COMPLETE, QUANTITY_TOO_WIDE, PRICE_TOO_WIDE = range(3)
EMPTY, ARMED, FIRING, FIRED = range(4)
HIGHEST = (1 << 47) - 1  # of a trigger and a price, signed; of a collar, unsigned

# What is written where, as the page says: fields by their widths, the first highest, as the structs of the packages are.
TEMPLATE = {"sum": 16, "byte_sum": 8, "number_at": 2, "time_at": 2, "check_odd": 1, "price_odd": 10}
LIMITS = {"enable": 1, "sources": 2, "collar": 47, "position_limit": 47, "has_reference": 1, "reference_price": 49}
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
    "entry_valid": ("entry_code", "entry_index"),
    "session_write": ("session_index", "session_instrument"),
    "feed_write": ("feed_index", "feed_used", "feed_symbol"),
    "statistics_write": ("statistics_index", "statistics_symbol"),
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
    seen: list[tuple[str, dict[str, int]]] = field(default_factory=list)  # pulses, with the values beside them
    refused: int = 0

    async def start(self) -> None:
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, 8, "ns").start())
        for name in (
            "start",
            "entry_busy",
            "entry_done",
            "entry_previous",
            "entry_text",
            "adjust_ready",
            "session_busy",
            "book_ready",
            "book_done",
            "walk_level_valid",
            "walk_done",
        ):
            getattr(dut, name).value = 0
        dut.rst.value = 1
        for _ in range(3):
            await FallingEdge(dut.clk)
        dut.rst.value = 0

    async def cycle(self) -> None:
        await FallingEdge(self.dut.clk)
        self.refused += int(self.dut.refused.value)
        for name, beside in PULSES.items():
            # order_entry gets every operation, and takes its own.
            if int(getattr(self.dut, name).value) and (
                name != "entry_valid" or int(self.dut.entry_code.value) in (SET, CHANGE, CANCEL, STRATEGY, ORDER)
            ):
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
        assert await self.operate(code, index, operands) == (1, COMPLETE)
        (pulse,) = self.seen
        return pulse

    async def nothing(self, code: int, index: int, operands: list[int] | None = None, text: int = COMPLETE) -> None:
        """It is not done, and reaches no stage."""
        self.seen.clear()
        assert await self.operate(code, index, operands) == (0, text)
        assert not self.seen
        assert not int(self.dut.adjust_valid.value)


async def bench(dut: Any) -> Bench:
    made = Bench(dut)
    await made.start()
    return made


@cocotb.test()
async def what_is_written_at_once_comes_as_one_pulse_with_its_operands(dut: Any) -> None:
    b = await bench(dut)
    data = 0x123456789ABCDEF012 & (1 << (72 if W == 64 else 9)) - 1
    address = (2 * INSTRUMENTS + 5) * (2048 // W) + 17
    assert await b.one(BEAT, address, words(data, 0x12)) == (
        "template_write",
        {"template_address": address, "template_data": data if W == 8 else data % (1 << 64) | 0x12 << 64},
    )
    record = {"sum": 0xABCD, "byte_sum": 0xEF, "number_at": 2, "time_at": 1, "check_odd": 1, "price_odd": 0x2A5}
    name, got = await b.one(RECORD, 63, [0xABCD | 0xEF << 16 | 2 << 24 | 1 << 26 | 1 << 28, 0x2A5])
    assert (name, got["template_index"], fields(got["template_record"], TEMPLATE)) == ("template_set", 63, record)
    assert await b.one(CLEAR, 33, []) == ("template_clear", {"template_index": 33})
    assert await b.one(TIME, 0, [0x18123999, 0x20260302, 0x9, *words(0x1234567890ABCDEF)]) == (
        "time_load",
        {"load_time": 0x9_20260302_18123999, "load_boundary": 0x1234567890ABCDEF},
    )
    assert await b.one(DATE, 0, [0x20261231]) == ("date_load", {"load_date": 0x20261231})
    assert await b.one(NUMBER, 0, [0x87654321, 0x9]) == ("number_load", {"load_number": 0x987654321})
    for sources in range(4):
        name, got = await b.one(LIMIT, 15, [1 | sources << 1, *words(HIGHEST), *words(HIGHEST - 1)])
        limits = {"enable": 1, "sources": sources, "collar": HIGHEST, "position_limit": HIGHEST - 1, "has_reference": 0}
        limits["reference_price"] = fields(got["limit"], LIMITS)["reference_price"]  # means nothing
        assert (name, got["instrument"], fields(got["limit"], LIMITS)) == ("limit_write", 15, limits)


@cocotb.test()
async def an_instrument_is_written_into_every_stage_that_has_a_part_of_it(dut: Any) -> None:
    b = await bench(dut)
    feed, session = int.from_bytes(b"AAPL    ", "big"), int.from_bytes(b"AAPL.O", "big")
    first = ON_FEED | ON_SESSION | 6 << 4 | 4 << 8 | 7 << 12
    assert await b.operate(INSTRUMENT, 3, [first, *words(feed, session)]) == (1, COMPLETE)
    seen = dict(b.seen)
    assert sorted(seen) == sorted(name for name, _ in b.seen) == ["decimals_write", "feed_write", "session_write", "statistics_write"]
    assert seen["decimals_write"] == {"instrument": 3, "decimals": 4}
    assert seen["feed_write"] == {"feed_index": 3, "feed_used": 1, "feed_symbol": feed}
    expected = {"used": 1, "symbol": session, "symbol_length": 6, "price_scale": 4, "quantity_scale": 7}
    assert seen["statistics_write"] == {"statistics_index": 3, "statistics_symbol": feed}
    assert seen["session_write"]["session_index"] == 3
    assert fields(seen["session_write"]["session_instrument"], FIX_INSTRUMENT) == expected
    # Prices of a feed in FAST have the decimals of its table.
    for decimals in (0, 15):
        b.seen.clear()
        assert await b.operate(INSTRUMENT, 3, [ON_FEED | decimals << 8, *words(feed, 0)]) == (1, COMPLETE)
        assert dict(b.seen)["decimals_write"] == {"instrument": 3, "decimals": decimals}
    # On one of them only, or on none: then it has decimals for the host's orders.
    b.seen.clear()
    assert await b.operate(INSTRUMENT, 15, [9 << 8, *words(feed, session)]) == (1, COMPLETE)
    seen = dict(b.seen)
    assert seen["decimals_write"] == {"instrument": 15, "decimals": 9}
    assert not seen["feed_write"]["feed_used"]
    assert not fields(seen["session_write"]["session_instrument"], FIX_INSTRUMENT)["used"]


@cocotb.test()
async def an_instrument_that_cannot_be_is_written_nowhere(dut: Any) -> None:
    b = await bench(dut)
    for length, decimals, quantity_decimals in ((0, 2, 0), (9, 2, 0), (15, 2, 0), (4, 9, 0), (4, 2, 9)):
        await b.nothing(INSTRUMENT, 0, [ON_SESSION | length << 4 | decimals << 8 | quantity_decimals << 12])
    assert await b.operate(INSTRUMENT, 0, [ON_SESSION | 8 << 4 | 8 << 8 | 8 << 12]) == (1, COMPLETE)


@cocotb.test()
async def a_pulse_comes_two_cycles_after_the_start(dut: Any) -> None:
    b = await bench(dut)
    await b.begin(DATE, 0, [1])  # the edge that ends it saw the start
    assert not b.seen
    await b.cycle()
    assert [name for name, _ in b.seen] == ["date_load"]


@cocotb.test()
async def an_entry_is_busy_until_order_entry_has_answered(dut: Any) -> None:
    b = await bench(dut)
    for code in (SET, CHANGE, CANCEL, ORDER):
        for done, previous, text in ((1, EMPTY, COMPLETE), (0, FIRED, COMPLETE), (0, EMPTY, QUANTITY_TOO_WIDE), (1, ARMED, COMPLETE)):
            b.seen.clear()
            await b.begin(code, 7)
            await b.cycle()
            dut.entry_busy.value = 1
            for _ in range(9):
                await b.cycle()
                assert int(dut.busy.value)
            dut.entry_busy.value = 0
            dut.entry_done.value, dut.entry_previous.value, dut.entry_text.value = done, previous, text
            assert await b.end() == (done, text)
            assert int(dut.previous.value) == previous
            dut.entry_done.value = dut.entry_previous.value = dut.entry_text.value = 0
            assert b.seen == [("entry_valid", {"entry_code": code, "entry_index": 7})]


@cocotb.test()
async def a_request_to_the_book_stays_until_the_book_has_answered(dut: Any) -> None:
    b = await bench(dut)
    window, clear, restore, tradable = range(4)
    low, high = 0xDEADBEEF, 0x1234
    for request, operands, expected in (
        (
            window,
            [100, 200, 300, 0xA2ABCD | 5 << 24, 0x2FFFF | 6 << 18],
            {"window": [(100, 32), (200, 32), (300, 32), (5, 3), (0xA2ABCD, 24), (0x2FFFF, 18), (6, 3)]},
        ),
        (clear, [], {}),
        (restore, [low, high | 1 << 31, 0xFFFFFF, 77], {"id": high << 32 | low, "sell": 1, "shares": 0xFFFFFF, "price": 77, "restore": 0}),
        (restore | 1 << 3, [low, high, 5], {"id": high << 32 | low, "sell": 0, "shares": 5, "restore": 1}),
        (restore | 2 << 3, [low, high], {"id": high << 32 | low, "restore": 2}),
        (tradable, [low, high], {"next": high << 32 | low}),
    ):
        for done in (0, 1):
            await b.begin(BOOK, 11 | request << 8, operands)
            for _ in range(5):
                await b.cycle()
                assert int(dut.busy.value)
            assert int(dut.book_valid.value)
            assert (int(dut.book_request.value), int(dut.book_instrument.value)) == (request & 3, 11)
            for name, value in expected.items():
                packed = 0
                for part, width in value if isinstance(value, list) else [(value, 0)]:
                    packed = packed << width | part
                assert int(getattr(dut, f"book_{name}").value) == packed, name
            dut.book_ready.value, dut.book_done.value = 1, done
            await b.cycle()
            dut.book_ready.value = 0
            assert not int(dut.book_valid.value)
            assert await b.end() == (done, COMPLETE)
    # There is no such instrument.
    assert await b.operate(BOOK, 16 | window << 8, []) == (0, COMPLETE)


@cocotb.test()
async def levels_that_are_read_are_shown_one_by_one(dut: Any) -> None:
    b = await bench(dut)
    read, show = 4 << 8, 5 << 8
    for count in (3, 16, 0):
        await b.begin(BOOK, 9 | read | 1 << 11)
        await b.cycle()
        assert (int(dut.walk_valid.value), int(dut.walk_instrument.value), int(dut.walk_sell.value)) == (1, 9, 1)
        levels = [(0x3000 + 7 * count + place, 1 + place, 1000 * place) for place in range(count)]
        # The side changes: what was given comes again.
        for place, (tick, orders, shares) in [*enumerate((1, 2, 3) for _ in levels[:2]), *enumerate(levels)]:
            dut.walk_level_valid.value, dut.walk_place.value = 1, place
            dut.walk_tick.value, dut.walk_level.value = tick, orders << 32 | shares
            await b.cycle()
            dut.walk_level_valid.value = 0
            await b.cycle()
        assert int(dut.busy.value)
        dut.walk_done.value, dut.walk_count.value = 1, count
        await b.cycle()
        dut.walk_done.value = 0
        assert not int(dut.walk_valid.value)
        assert await b.end() == (1, COMPLETE)
        for place in range(16):
            assert await b.operate(BOOK, show | place << 12) == (1, COMPLETE)
            tick, orders, shares = levels[place] if place < count else (0, 0, 0)
            assert int(dut.level.value) == tick << 44 | orders << 32 | shares
    assert await b.operate(BOOK, 16 | read) == (0, COMPLETE), "there is no such instrument"


@cocotb.test()
async def a_collar_of_47_bits_passes_and_a_wider_one_is_answered_and_not_done(dut: Any) -> None:
    b = await bench(dut)
    for collar in (HIGHEST + 1, 1 << 48, 1 << 63, (1 << 64) - 1):
        await b.nothing(LIMIT, 0, [1, *words(collar, 5)], PRICE_TOO_WIDE)
    assert (await b.one(LIMIT, 0, [1, *words(HIGHEST, 5)]))[0] == "limit_write"


@cocotb.test()
async def a_price_that_comes_with_limits_has_49_bits_and_a_wider_one_is_answered_and_not_done(dut: Any) -> None:
    b = await bench(dut)
    for price in ((1 << 48), -(1 << 48) - 1, (1 << 63) - 1, -(1 << 63)):
        operands = [1 | 8, *words(HIGHEST, 5), *words(price % (1 << 64))]
        await b.nothing(LIMIT, 0, operands, PRICE_TOO_WIDE)
        # It is looked at only if it is said to be there.
        assert (await b.one(LIMIT, 0, [1, *operands[1:]]))[0] == "limit_write"
    for price in ((1 << 48) - 1, -(1 << 48), -1, 0):
        name, got = await b.one(LIMIT, 0, [1 | 8, *words(HIGHEST, 5), *words(price % (1 << 64))])
        found = fields(got["limit"], LIMITS)
        assert (name, found["has_reference"], found["reference_price"]) == ("limit_write", 1, price % (1 << 49))


@cocotb.test()
async def what_is_not_there_is_not_done(dut: Any) -> None:
    b = await bench(dut)
    await b.nothing(0, 0)
    for code in (0, 0):
        await b.nothing(code, 0, [0x401])
    for code in (LIMIT, ADJUST, INSTRUMENT):
        for instrument in (INSTRUMENTS, 0x100, 0xFFFF):
            await b.nothing(code, instrument, [1 | 4 << 8])
    # A price that is too wide as well: that is not reported.
    await b.nothing(LIMIT, INSTRUMENTS, [1, *words(HIGHEST + 1)])
    # The next one does not wait.
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
    assert await b.end() == (1, COMPLETE)
    assert not b.seen


@cocotb.test()
async def an_instrument_of_the_decoder_is_done_when_the_decoder_is(dut: Any) -> None:
    b = await bench(dut)
    dut.session_busy.value = 1
    await b.begin(INSTRUMENT, 1, [0])
    for _ in range(6):
        await b.cycle()
        assert int(dut.busy.value)
    assert len(b.seen) == 4
    dut.session_busy.value = 0
    assert await b.end() == (1, COMPLETE)
    assert len(b.seen) == 4


@cocotb.test()
async def one_that_is_started_while_another_is_busy_is_refused_and_counted(dut: Any) -> None:
    b = await bench(dut)
    dut.session_busy.value = 1
    await b.begin(INSTRUMENT, 9, [0])
    await b.cycle()
    dut.code.value, dut.index.value, dut.start.value = DATE, 8, 1
    await b.cycle()
    dut.start.value = 0
    await b.cycle()
    assert b.refused == 1
    dut.session_busy.value = 0
    assert await b.end() == (1, COMPLETE)
    for _ in range(5):
        await b.cycle()
    assert not int(dut.busy.value)
    assert b.refused == 1
    assert "date_load" not in dict(b.seen)
    assert {beside.get("feed_index", 9) for _, beside in b.seen} == {9}


@pytest.mark.parametrize("w", [8, 64])
def test_config_port(w: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("W", str(w))
    simulate("config_port_tb", "test_config_port", {"W": w, "INSTRUMENTS": INSTRUMENTS})
