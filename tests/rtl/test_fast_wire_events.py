"""fast_wire_events: an entry becomes the event of docs/reference/fast-events.md, or the packet's verdict is not good."""

from __future__ import annotations

from random import Random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from harness import cases, simulate
from test_fast_event_texts import key, number

ROW = 3
KINDS = {"add": 0, "modify": 1, "execute": 2, "reduce": 3, "delete": 4, "trade": 6, "status": 8, "clear": 9, "level": 10}
MEANINGS = [
    "unknown",
    "add",
    "modify",
    "execute",
    "reduce",
    "delete",
    "trade",
    "status",
    "clear",
    "level",
    "remove_level",
    "buy",
    "sell",
    "ignore",
]
ACTIONS = {
    0: "add",
    1: "modify",
    2: "delete",
    3: "trade",
    4: "execute",
    5: "reduce",
    6: "status",
    7: "level",
    8: "remove_level",
    9: "ignore",
}
SIDES = {1: "buy", 2: "sell"}
TYPES = {ord("0"): "buy", ord("1"): "sell", ord("J"): "clear"}
PRICE_SCALE, QUANTITY_SCALE = 4, 0
SECOND = 1_000_000_000
BEGINS = 10 * 3600 + 58 * 60 + 50  # of the day, so that minutes and an hour end
# What a kind needs, and what it may have besides: the reference's table.
NEEDS: dict[str, tuple[str, str]] = {
    "add": ("side symbol order_id price quantity", ""),
    "modify": ("order_id quantity", "side price"),
    "execute": ("order_id quantity", "price"),
    "reduce": ("order_id quantity", ""),
    "delete": ("order_id", ""),
    "trade": ("symbol price quantity", "side order_id"),
    "level": ("side symbol price quantity", ""),
    "remove_level": ("side symbol price", ""),
    "clear": ("symbol", ""),
    "status": ("", ""),
}


def digits_of(second: int) -> int:
    """A second of the day as a time with six decimals."""
    return 260_101 * 10**12 + (second // 3600 * 10_000 + second // 60 % 60 * 100 + second % 60) * 1_000_000


Entry = dict[str, Any]
Event = dict[str, int]


def event(entry: Entry, last: bool, second: int) -> Event | None:
    """What the reference makes of it after a packet in that second; None: the microcode engine has to look at it."""
    has: dict[str, int] = {}
    kind = ACTIONS.get(0)  # no action is an add: `absent` of the table
    if entry["action"] is not None:
        kind = ACTIONS.get(entry["action"])
    if kind in (None, "ignore"):
        return None
    if entry["side"] is not None:
        if entry["side"] not in SIDES:
            return None
        has["side"] = int(SIDES[entry["side"]] == "sell")
    if entry["type"] is not None:
        meaning = TYPES.get(ord(entry["type"])) if len(entry["type"]) == 1 else None
        if meaning is None:
            return None
        if meaning in ("buy", "sell"):
            if "side" in has:
                return None  # which of the two fields comes later is not known here
            has["side"] = int(meaning == "sell")
        else:
            kind = meaning
    for name, convert in (("symbol", key), ("order_id", number)):
        if entry[name] is not None:
            if (value := convert(entry[name])) is None:
                return None
            has[name] = value
    for name, scale in (("price", PRICE_SCALE), ("quantity", QUANTITY_SCALE)):
        if entry[name] is not None:
            mantissa, exponent = entry[name]
            if not 0 <= exponent + scale <= 7 or not -(1 << 39) <= mantissa < 1 << 39:
                return None
            has[name] = mantissa * 10 ** (exponent + scale)
    if has.get("quantity", 0) < 0 or (of_day := second_of(entry["time"], second)) is None:
        return None
    needed, possible = (names.split() for names in NEEDS[str(kind)])
    if any(name not in has for name in needed):
        return None
    given = {name: has.get(name, 0) if name in [*needed, *possible] else 0 for name in ("side", "order_id", "price", "quantity")}
    name = str(kind)
    if name == "modify" and given["quantity"] == 0:
        name = "delete"
    if name == "trade" and (given["price"] == 0 or given["quantity"] == 0):
        name = "status"
    return {
        "kind": KINDS[name.removeprefix("remove_")],
        "message_type": ord("X"),
        "side": given["side"],
        "has_symbol": int("symbol" in has),
        "symbol": has.get("symbol", 0),
        "price": given["price"] % (1 << 64),
        "quantity": given["quantity"],
        "order_id": given["order_id"],
        "nanoseconds": of_day * SECOND + (entry["time"] - digits_of(of_day)) * 1000,
        "sequence": entry["sequence"],
        "last": int(last),
    }


def second_of(time: int, second: int) -> int | None:
    """That second or the next one, but not that of another hour; None: neither."""
    possible = [second] if (second + 1) % 3600 == 0 else [second, second + 1]
    return next((each for each in possible if 0 <= time - digits_of(each) < 1_000_000), None)


def value(bits: int = 0, count: int = 0, exponent: int = 0, absent: bool = False) -> int:
    """value_t"""
    return int(absent) << 95 | exponent % 128 << 88 | count << 84 | bits % (1 << 84)


def text(characters: str | None) -> int:
    if characters is None:
        return value(absent=True, bits=0x55, count=1)
    bits = 0
    for character in characters[-12:]:
        bits = bits << 7 | ord(character)
    return value(bits, min(len(characters), 15))


def decimal(parts: tuple[int, int] | None) -> int:
    return value(absent=True) if parts is None else value(parts[0], exponent=parts[1])


def random_entry(rng: Random, rare: float) -> Entry:
    """Mostly what an order log has; now and then anything."""

    def maybe(usual: Any, *others: Any) -> Any:
        return rng.choice(others) if rng.random() < rare else usual

    action = rng.randrange(9) if rng.random() < 0.5 else rng.randrange(3)
    digits = str(rng.randrange(10 ** rng.randrange(1, 13)))
    return {
        "action": maybe(action, None, 9, 77, 256),
        "type": maybe(rng.choice("01"), "J", None, "x", "01"),
        "side": maybe(None, 1, 2, 3),
        "order_id": maybe(digits, None, "007", "1a"),
        "symbol": maybe(rng.choice(["USD000UTSTOM", "CNY", "EURUSD000TOM"]), None, "a,b,c,d,e,f", ""),
        "price": maybe((rng.randrange(4) * rng.randrange(10**8), rng.randrange(-4, 1)), None, (1, -5), (1, 4), (1 << 40, 0), (-5, 0)),
        "quantity": maybe((rng.randrange(3) * rng.randrange(10**6), rng.randrange(3)), None, (-1, 0), (5, -1)),
    }


async def load(dut) -> None:
    async def table(what: int, index: int, data: int) -> None:
        dut.table_valid.value, dut.table_what.value, dut.table_index.value, dut.table_data.value = 1, what, index, data
        await FallingEdge(dut.clk)
        dut.table_valid.value = 0

    # event_row_t: used, id, type, kind, absent of side, type, action, members of the entry, an event an entry, groups of decimals.
    row = 0
    for bits, width in ((1, 1), (3610, 32), (ord("X"), 8), (0, 4), (0, 4), (0, 4), (MEANINGS.index("add"), 4), (0xE78, 12), (1, 1), (2, 2)):
        row = row << width | bits
    for which, meanings in ((0, ACTIONS), (1, TYPES), (2, SIDES)):
        for code in range(256):
            await table(1, (ROW * 4 + which) * 256 + code, MEANINGS.index(meanings.get(code, "unknown")))
    scales = PRICE_SCALE << 5 | QUANTITY_SCALE
    dut.load_valid.value, dut.load_data.value = 1, (((scales << 72 | row) << 3) | ROW) << 12 | 0b111111_111_010
    await FallingEdge(dut.clk)
    dut.load_valid.value = 0
    for _ in range(3):
        await FallingEdge(dut.clk)


@cocotb.test
async def entries_are_the_events_of_the_reference_or_spoil_their_packet(dut) -> None:
    rng = Random(1)
    cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
    inputs = [
        "load_valid",
        "table_valid",
        "entry_valid",
        "entry_last",
        "entry",
        "header",
        "header_absent",
        "spoilt",
        "verdict_valid",
        "verdict_good",
    ]
    for name in inputs:
        getattr(dut, name).value = 0
    second, advanced, elsewhere = BEGINS, 0, 0
    dut.second_known.value, dut.second_digits.value, dut.second_nanoseconds.value = 1, digits_of(second), second * SECOND
    dut.second_of_minute.value, dut.minute_of_hour.value = second % 60, second // 60 % 60
    dut.rst.value = 1
    for _ in range(3):
        await FallingEdge(dut.clk)
    dut.rst.value = 0
    await load(dut)

    expected: list[Event | bool] = []
    seen: list[Event | bool] = []

    async def cycle() -> None:
        await FallingEdge(dut.clk)
        if dut.event_valid.value:
            names = [
                "kind",
                "message_type",
                "side",
                "has_symbol",
                "symbol",
                "price",
                "quantity",
                "order_id",
                "nanoseconds",
                "sequence",
                "last",
            ]
            seen.append({name: int(getattr(dut, f"event_{name}").value) for name in names})
        if dut.out_verdict_valid.value:
            seen.append(bool(dut.out_verdict_good.value))

    for sequence in range(cases(2_000, 40_000)):
        entries = [random_entry(rng, 0.02) for _ in range(rng.randrange(1, 6))]
        engine_good = rng.random() < 0.9
        told_at = len(entries) if engine_good or rng.random() < 0.5 else rng.randrange(len(entries))  # the engine knows from that entry on
        in_second = second + rng.choices([0, 1, 2, -1], [60, 30, 2, 2])[0]
        time = digits_of(in_second) + rng.choice([0, 999_999, rng.randrange(1_000_000)])
        elsewhere += second_of(time, second) is None
        good = True
        for index, entry in enumerate(entries):
            entry |= {"time": time, "sequence": sequence}
            last = index == len(entries) - 1
            good = good and index < told_at
            made = event(entry, last, second) if good else None
            good = made is not None
            if made is not None:
                expected.append(made)
            action = value(absent=True) if entry["action"] is None else value(entry["action"])
            fields = [
                action,
                text(entry["type"]),
                value(entry["side"] or 0, absent=entry["side"] is None),
                decimal(entry["price"]),
                decimal(entry["quantity"]),
            ]
            fields += [text(entry["order_id"]), text(entry["symbol"])]
            dut.entry.value = sum(bits << (96 * place) for place, bits in enumerate(fields))
            dut.header.value = time << 64 | sequence
            dut.entry_valid.value, dut.entry_last.value = 1, int(last)
            await cycle()
            dut.entry_valid.value = 0
            dut.spoilt.value = int(index >= told_at)
            dut.entry.value = rng.getrandbits(96 * 7)
            if not last:
                for _ in range(rng.randrange(3)):
                    await cycle()
                    dut.spoilt.value = 0
        # 2 cycles after the last entry; the header may be the next packet's.
        await cycle()
        dut.header.value = rng.getrandbits(128)
        dut.spoilt.value = 0
        dut.verdict_valid.value, dut.verdict_good.value = 1, int(engine_good)
        await cycle()
        dut.verdict_valid.value = 0
        expected.append(good and engine_good)
        if good and engine_good and second_of(time, second) == second + 1:
            second += 1
            advanced += 1
            for _ in range(12):
                await cycle()
        for _ in range(rng.choice([0, 0, 5])):
            await cycle()
    for _ in range(8):
        await cycle()
    assert len(seen) == len(expected)
    for place, (one, other) in enumerate(zip(seen, expected, strict=True)):
        assert one == other, place
    verdicts = [one for one in expected if isinstance(one, bool)]
    assert 400 < sum(verdicts) < len(verdicts) - 400
    assert advanced == 3600 * 11 - 1 - BEGINS, "to the hour's end, where the next second is not known"
    assert elsewhere > 100


def test_fast_wire_events() -> None:
    simulate("fast_wire_events_tb", "test_fast_wire_events")
