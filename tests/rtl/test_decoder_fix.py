"""decoder_fix against the model of the byte stream: any message, cut into any segments, some of which prove bad and come again."""

import os
import random
from collections import Counter, deque
from dataclasses import replace
from decimal import Decimal
from itertools import count, pairwise
from typing import Any

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from fix_model import CAUSES, NUMBERS, SOH, Event, FixModel, Instrument, encode
from harness import cases, simulate
from pins import Pins

LANES = int(os.environ.get("W", "64")) // 8
TRADES_ONLY = os.environ.get("TRADES_ONLY") == "1"
TRADE, STATUS = 6, 8
EVENT_CYCLES = 3 if LANES == 1 else 2  # between events that are committed together
LOWEST, HIGHEST = -(1 << 48), (1 << 48) - 1  # of the prices that stops and risk compare
LATENCY = 10 if LANES == 1 else 8  # last bytes of the segment → first event; W=64: one more if a number ends in them
VERDICT = 2  # an empty last beat, the bytes long before → first event
PAUSE = 8 if LANES == 1 else 3  # cycles without a beat after a segment
STARTS = [0] if LANES == 1 else [0, 2, 6]  # the lane a segment may begin in


def latency(start: int, data: bytes) -> int:
    """From the last bytes to the first event: a number before CheckSum's seven bytes is in the last beat if that is full."""
    return LATENCY + (LANES > 1 and (start + len(data)) % LANES == 0)


TABLE = {
    0: Instrument(b"AAPL", 4),
    1: Instrument(b"A", 2),
    2: Instrument(b"EUR/USD", 5, 2),
    5: Instrument(b"ABCDEFGH", 8),
    7: Instrument(b"ESZ4", 0),
    15: Instrument(b"AP", 3, 8),
}


def narrow(price: int) -> int:
    """As the price leaves: at W=8 the nearest one that stops and risk can compare."""
    return min(max(price, LOWEST), HIGHEST) if LANES == 1 else price


class Bench:
    def __init__(self, dut: Any, seed: int = 1) -> None:
        self.dut, self.rng = Pins(dut), random.Random(seed)
        self.model = FixModel(TABLE)
        self.events: list[tuple[int, Event]] = []
        self.expected: deque[Event] = deque()
        self.entries = 0  # that the messages describe, trades or not
        self.counts: Counter[str] = Counter()
        self.cycle = 0
        self.idle = 99
        self.modelled = True
        self.ready = 1.0  # how often the sink of the events is

    async def start(self) -> None:
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
        dut.restart.value = dut.instrument_write.value = 0
        dut.put(in_valid=0, event_ready=1)
        dut.rst.value = 1
        for _ in range(4):
            await RisingEdge(dut.clk)
        dut.rst.value = 0
        await self.step()
        for index, instrument in TABLE.items():
            dut.instrument_write.value, dut.instrument_used.value, dut.instrument_index.value = 1, 1, index
            dut.instrument_symbol.value = int.from_bytes(instrument.symbol, "big")
            dut.instrument_symbol_length.value = len(instrument.symbol)
            dut.instrument_price_scale.value, dut.instrument_quantity_scale.value = instrument.price_scale, instrument.quantity_scale
            await self.step()
            dut.instrument_write.value = 0
            await self.step()
            while dut.instrument_busy.value:
                await self.step()

    async def step(self) -> None:
        dut = self.dut
        await RisingEdge(dut.clk)
        if dut.event_valid.value and dut.event_ready.value:
            price = int(dut.event_price.value)
            event = Event(
                int(dut.event_kind.value),
                bool(dut.event_sell.value),
                chr(int(dut.event_message_type.value)),
                price - (price >> 63 << 64),
                int(dut.event_quantity.value),
                bool(dut.event_last.value),
                int(dut.event_instrument.value),
                int(dut.event_sequence.value),
            )
            assert self.expected, f"an event nobody expects: {event}"
            want = self.expected.popleft()
            wide = not LOWEST < want.price < HIGHEST + 1
            assert dut.event_wide.value == (LANES > 1 and wide), event
            want = replace(want, price=narrow(want.price))
            assert event == want, f"{event}, expected {want}"
            self.events.append((self.cycle, event))
        if causes := int(dut.cause.value):
            self.counts.update(cause for i, cause in enumerate(CAUSES) if causes >> i & 1)
        dut.put(event_ready=self.rng.random() < self.ready)
        self.cycle += 1
        self.idle += 1

    async def segment(self, data: bytes, good: bool = True, stall: float = 0.0, late: int | None = None, start: int | None = None) -> int:
        """The cycle of the segment's last beat; `late`: an empty one, so many cycles after the bytes. `start`: lane of the first byte."""
        dut = self.dut
        while self.idle < PAUSE:
            await self.step()
        first = self.rng.choice(STARTS) if start is None else start
        cuts = [0, *range(LANES - first, len(data), LANES)] if data else []
        beats = [data[a:b] for a, b in pairwise([*cuts, len(data)])]
        for number, beat in enumerate([*beats, *([b""] if late is not None or not beats else [])]):
            while self.rng.random() < stall:
                dut.put(in_valid=0)
                await self.step()
            if not beat and late:
                dut.put(in_valid=0)
                for _ in range(late - 1):
                    await self.step()
            last = not beat or (late is None and number + 1 == len(beats))
            if last and self.modelled:
                described = self.model.segment(data, good)
                self.entries += len(described)
                self.expected += [event for event in described if event.kind in (TRADE, STATUS) or not TRADES_ONLY]
            lane = first if number == 0 and beat else 0
            lanes = self.rng.randbytes(lane) + beat
            beat_data = int.from_bytes(lanes + self.rng.randbytes(LANES - len(lanes)), "little")
            keep = (1 << len(lanes)) - (1 << lane)
            dut.put(in_valid=1, in_last=last, in_err=last and not good, in_data=beat_data, in_keep=keep)
            await self.step()
        dut.put(in_valid=0)
        self.idle = 0
        return self.cycle - 1

    async def finish(self, unknown: bool = True) -> None:
        for _ in range(LATENCY + 20):
            await self.step()
        self.ready = 1.0
        for _ in range(EVENT_CYCLES * len(self.expected)):
            await self.step()
        assert not self.expected, f"did not come: {self.expected}"
        got = {cause: self.counts[cause] for cause in CAUSES}
        want = {cause: self.model.state.counts[cause] for cause in CAUSES}
        if not unknown:
            got["unknown instrument"] = want["unknown instrument"]
        assert got == want, [(cause, got[cause], want[cause]) for cause in CAUSES if got[cause] != want[cause]]

    async def random_cuts(self, stream: bytes, bad: float = 0.0, longest: int = 60) -> None:
        at = 0
        while at < len(stream):
            size = self.rng.choice([1, 2, 3, self.rng.randrange(1, longest), self.rng.randrange(1, longest)])
            part = stream[at : at + size]
            if self.rng.random() < bad:
                wrong = bytearray(part)
                for _ in range(self.rng.randrange(1, 4)):
                    wrong[self.rng.randrange(len(wrong))] = self.rng.choice([1, 61, 48, 56, 255, self.rng.randrange(256)])
                await self.segment(bytes(wrong), good=False, stall=self.rng.choice([0, 0.3]), late=self.rng.choice([None, 1, 2, 3, 9]))
                continue
            late = self.rng.choice([None, 1, 2, 9])
            await self.segment(part, stall=self.rng.choice([0, 0, 0.3]), late=late)
            at += size
            for _ in range(self.rng.choice([0, 0, 5, 20])):
                await self.step()


async def bench(dut: Any, seed: int = 1) -> Bench:
    made = Bench(dut, seed)
    await made.start()
    return made


def trade(price: str | bytes, symbol: str = "AAPL", quantity: str | None = "100", checksum: int = 0, length: int = 0) -> bytes:
    fields: list[tuple[int, Any]] = [(35, "W"), (55, symbol), (268, 1), (269, 2), (270, price)]
    if quantity is not None:
        fields.append((271, quantity))
    return encode(fields, checksum=checksum, length=length)


def random_number(rng: random.Random, scale: int) -> str:
    kind = rng.random()
    digits = rng.choice([1, 2, 3, 5, 8, 12])
    whole = rng.randrange(10**digits)
    if kind < 0.3:
        return str(whole)
    decimals = rng.randrange(min(scale, 15 - digits) + 1) if scale else 0
    text = f"{whole}.{rng.randrange(10**decimals):0{decimals}d}" if decimals else f"{whole}." if kind < 0.35 else str(whole)
    if kind > 0.9 and len(text) < 14:
        text = "-" + text
    if 0.35 < kind < 0.4:
        text = rng.choice(
            ["", ".", "-", "1-2", "1.2.3", "12a", "99999999999999999", "0.123456789", "9999999999999999", "1e5", " 1", ".5", "0.00", "-0"]
        )
    return text


def random_entry(rng: random.Random, refresh: bool, broken: float) -> list[tuple[int, Any]]:
    instrument = rng.choice([*TABLE.values(), Instrument(b"NONE", 2), Instrument(b"ABCDEFGHI", 2)])
    price, quantity = random_number(rng, instrument.price_scale), str(rng.randrange(10 ** rng.choice([1, 3, 9])))
    if instrument.quantity_scale and rng.random() < 0.5:
        quantity += ".25"
    fields: list[tuple[int, Any]] = [(269, rng.choice("0122224"))]
    if refresh:
        fields = [(279, rng.choice("0012")), *fields]
        if rng.random() < 0.7:
            fields.append((rng.choice([55, 55, 48]), instrument.symbol))
        if rng.random() < 0.2:
            fields.append((48, rng.choice(["US0378331005", "A"])))
    fields += [(270, price), (271, quantity)][: rng.choice([1, 2, 2, 2])]
    if rng.random() < 0.3:
        fields.append((rng.choice([1023, 278, 346, 58]), rng.choice(["x", "1", "a=b", "8=FIX", " 8=FIX.4.4"])))
    if rng.random() < broken:
        where = rng.randrange(len(fields))
        change = rng.randrange(3)
        if change == 0:
            del fields[where]
        elif change == 1:
            fields.insert(where, rng.choice(fields))
        else:
            rng.shuffle(fields)
    return fields


def random_message(rng: random.Random, broken: float = 0.05) -> bytes:
    kind = rng.random()
    if kind < 0.15:
        fields: list[tuple[int, Any]] = [
            (35, rng.choice(["0", "1", "A", "4", "8", "WX", "AE"])),
            (34, next(NUMBERS)),
            (43, rng.choice("YN")),
            (58, "a text"),
            (270, "x"),
        ]
        fields = fields[: rng.randrange(1, 6)]
    else:
        refresh = kind < 0.6
        count = rng.choice([0, 1, 1, 1, 2, 3, 8])
        number = next(NUMBERS)
        fields = [(35, "X" if refresh else "W"), (49, "EXCHANGE"), (34, number if rng.random() < 0.9 else rng.randrange(number + 2))]
        if rng.random() < 0.1:
            fields.append((43, rng.choice("YNN")))
        if not refresh or rng.random() < 0.2:
            fields.append((55, rng.choice(list(TABLE.values())).symbol))
        fields.append((268, count + (rng.random() < broken)))
        for _ in range(count):
            fields += random_entry(rng, refresh, broken)
    message = encode(
        fields,
        rng.choice([b"FIX.4.4", b"FIX.4.4", b"FIX.4.2", b"FIX"]),
        checksum=rng.randrange(256) if rng.random() < broken else 0,
        length=rng.choice([-1, 1, 100]) if rng.random() < broken else 0,
    )
    if rng.random() < broken:
        message = message[: rng.randrange(len(message))]
    if rng.random() < broken:
        message += rng.choice([b"\x01", b"garbage", b"8=FI", b"10=000\x01", b"x\x01y\x01", b"8=FIX", b"\x01\x01\x01"])
    if rng.random() < broken:
        changed = bytearray(message)
        changed[rng.randrange(len(changed))] = rng.choice([1, 61, 48, 50, 57, rng.randrange(256)])
        message = bytes(changed)
    return message


@cocotb.test()
async def a_last_price_in_one_segment_comes_in_time(dut: Any) -> None:
    b = await bench(dut)
    for length in range(1, 30):
        for start in STARTS:
            data = (
                trade("101.25", quantity="1" * min(length, 15))
                if length < 16
                else trade("1" * (length - 15 if length < 24 else 8), "ESZ4", None)
            )
            end = await b.segment(data, start=start)
            count = len(b.events)
            await b.finish()
            assert [cycle for cycle, _ in b.events[count:]] == [end + latency(start, data)]
    assert b.model.state.counts["prices"] == 29 * len(STARTS)


@cocotb.test()
async def a_verdict_behind_the_bytes_lets_the_event_out_at_once(dut: Any) -> None:
    b = await bench(dut)
    for text in range(LANES):
        for late in range(1, 14):
            data = encode([(35, "W"), (58, "x" * (text + 1)), (55, "AAPL"), (268, 1), (269, 2), (270, "9.5")])
            start = STARTS[late % len(STARTS)]
            end = await b.segment(data, late=late, start=start)
            count = len(b.events)
            await b.finish()
            assert [cycle for cycle, _ in b.events[count:]] == [end + max(VERDICT, latency(start, data) - late)]
    assert b.events


@cocotb.test()
async def prices_are_read_at_the_instruments_scale(dut: Any) -> None:
    b = await bench(dut)
    for symbol, text, value in (
        ("AAPL", "101.25", 1012500),
        ("AAPL", "-0.0001", -1),
        ("AAPL", "0", 0),
        ("AAPL", ".5", 5000),
        ("AAPL", "5.", 50000),
        ("AAPL", "000000000000012", 120000),
        ("AAPL", "1.5000", 15000),
        ("AAPL", "999999999999", 9999999999990000),
        ("AAPL", "-99999999999.999", -999999999999990),
        ("AAPL", "28147497671.0656", 1 << 48),
        ("AAPL", "28147497671.0655", (1 << 48) - 1),
        ("AAPL", "-28147497671.065", -281474976710650),
        ("AAPL", "-28147497671.066", -281474976710660),
        ("AAPL", "28147507671.1", 281475076711000),
        ("AAPL", "28147487671.9999", 281474876719999),
        ("ESZ4", "1000000000000000", 10**15),
        ("ESZ4", "-281474976710655", -(1 << 48) + 1),
        ("ESZ4", "-281474976710656", -(1 << 48)),
        ("ESZ4", "-281474976710657", -(1 << 48) - 1),
        ("ESZ4", "-999999999999999", -999999999999999),
        ("A", "7.25", 725),
        ("ESZ4", "4321", 4321),
        ("ESZ4", "9999999999999999", 9999999999999999),
        ("ESZ4", "12.", 12),
        ("ABCDEFGH", "12345678.1234567", 1234567812345670),
        ("EUR/USD", "1.08125", 108125),
        ("AP", "0.001", 1),
    ):
        count = len(b.events)
        await b.segment(trade(text, symbol))
        await b.finish()
        assert [event.price for _, event in b.events[count:]] == [narrow(value)], text


@cocotb.test()
async def a_trade_of_nothing_or_without_a_price_is_no_trade(dut: Any) -> None:
    b = await bench(dut)
    b.modelled = False
    numbers = count(1)
    for price, quantity, kind in (
        ("49.95", "10", TRADE),
        ("49.95", "0", STATUS),
        ("0", "10", STATUS),
        ("-0.0000", "10", STATUS),
        ("0", None, STATUS),
        ("0.0001", "0", STATUS),
        ("0.0001", None, TRADE),  # MDEntrySize is not there: it says nothing
        ("-0.0001", "1", TRADE),
        ("49.95", "100", TRADE),
    ):
        for zeros in range(8):  # wherever the fields end
            number, text = next(numbers), None if quantity is None else "0" * zeros + quantity
            event = Event(kind, False, "W", int(Decimal(price).scaleb(4)), int(quantity or 0), True, 0, number)
            b.expected.append(event)
            size = [] if text is None else [(271, text)]
            await b.segment(encode([(35, "W"), (34, number), (55, "AAPL"), (268, 1), (269, 2), (270, price), *size]))
    for _ in range(LATENCY + 20):
        await b.step()
    assert not b.expected


@cocotb.test()
async def numbers_that_lack_all_their_decimals_are_at_scale_when_the_next_entry_begins_at_once(dut: Any) -> None:
    b = await bench(dut)
    for symbol, price, quantity in (("AP", "-5", "7"), ("ABCDEFGH", "-9", "8"), ("AP", "-12345678", "12345678"), ("AP", "0", "0")):
        for numbers in ([(270, price), (271, quantity)], [(271, quantity), (270, price)], [(270, price)]):
            fields: list[tuple[int, Any]] = [(35, "W"), (55, symbol), (268, 3)]
            for side in (2, 0, 1):
                fields += [(269, side), *numbers]
            await b.segment(encode(fields))
    await b.finish()
    assert b.entries == 4 * 3 * 3


@cocotb.test()
async def garbage_in_a_number_drops_the_message(dut: Any) -> None:
    b = await bench(dut)
    texts = [
        "",
        ".",
        "-",
        "-.",
        "1.2.3",
        "1-",
        "--1",
        "12a",
        "a12",
        "1 2",
        "+1",
        "1e3",
        "1.00001",
        "1.00000",
        "10000000000000",
        "00000000000000001",
        "\xff",
    ]
    for number, text in enumerate(texts):
        await b.segment(trade(text.encode("latin1")))
        await b.segment(trade("1.5"))
        await b.finish()
        bad = b.model.state.counts["bad number"]
        assert bad + b.model.state.counts["malformed"] == number + 1, text
    await b.segment(trade("1", quantity="-5"))
    await b.segment(trade("1", quantity="5.5"))
    await b.segment(encode([(35, "W"), (55, "AAPL"), (268, 1), (269, 2), (270, "1=2")]))
    await b.finish()
    assert len(b.events) == len(texts)


@cocotb.test()
async def checksum_and_length_are_verified(dut: Any) -> None:
    b = await bench(dut)
    for checksum in (1, 128, 255):
        await b.segment(trade("5", checksum=checksum))
    for length in (1, -1, 10, 1000):
        await b.segment(trade("5", length=length))
    for wrong in (b"10=1\x01", b"10=01\x01", b"10=1000\x01", b"10=abc\x01", b"10=\x01", b"10=999\x01"):
        await b.segment(trade("5")[:-7] + wrong)
    # The right sum in another shape, or more than a byte.
    messages = [trade("5", quantity=str(quantity)) for quantity in range(1, 300)]
    for low, high, shape, more in ((0, 10, "{}", 0), (10, 100, "{}", 0), (100, 256, "0{}", 0), (100, 256, "{}", 256), (0, 256, "{}", 512)):
        message = next(message for message in messages if low <= int(message[-4:-1]) < high)
        await b.segment(message[:-4] + shape.format(int(message[-4:-1]) + more).encode() + b"\x01")
    await b.finish()
    assert not b.events
    assert b.model.state.counts["bad checksum"] == 14
    assert b.model.state.counts["bad length"] == 4
    await b.segment(trade("5"))
    await b.finish()
    assert len(b.events) == 1


@cocotb.test()
async def the_number_of_entries_is_held_to_what_is_said(dut: Any) -> None:
    b = await bench(dut)
    told = ("0", "2", "1025", "65537", "99999", "000001", "131073", "", "1a", "-1")
    for entries in told:
        await b.segment(encode([(35, "W"), (55, "AAPL"), (268, entries), (269, 2), (270, "5")]))
    await b.segment(encode([(35, "W"), (55, "AAPL"), (268, "1"), (268, "1"), (269, 2), (270, "5")]))  # given twice
    await b.finish(unknown=False)
    assert not b.events
    assert b.model.state.counts["malformed"] == len(told) + 1
    for entries in ("1", "01", "00001"):
        await b.segment(encode([(35, "W"), (55, "AAPL"), (268, entries), (269, 2), (270, "5")]))
    await b.finish(unknown=False)
    assert len(b.events) == 3


@cocotb.test()
async def tags_that_end_like_others_are_others(dut: Any) -> None:
    b = await bench(dut)
    others = [(1009, "5"), (1035, "X"), (4010, "123"), (1055, "MSFT"), (1268, "9")]
    in_entry = [(1269, "0"), (1270, "9"), (2271, "1"), (10271, "2"), (3279, "1")]
    fields: list[tuple[int, Any]] = [(35, "W"), *others, (55, "AAPL"), (268, 1), (269, 2), *in_entry, (270, "5"), (271, "100"), *in_entry]
    await b.segment(encode(fields))
    await b.finish()
    assert [event.quantity for _, event in b.events] == [100]
    assert b.model.state.counts["prices"] == 1


@cocotb.test()
async def every_cut_of_a_message_gives_the_same_events(dut: Any) -> None:
    b = await bench(dut)
    entries: list[tuple[int, Any]] = [(35, "X"), (268, 3), (279, 0), (269, 2), (55, "AAPL"), (270, "12.5"), (271, 3)]
    entries += [(279, 1), (269, 0), (270, "12"), (279, 2), (269, 1), (55, "A")]
    length = len(encode(entries))
    for cut in range(1, length):
        data = encode(entries)
        await b.segment(data[:cut])
        await b.segment(data[cut:])
    for size in range(1, 20):
        data = encode(entries)
        for at in range(0, length, size):
            await b.segment(data[at : at + size])
    await b.finish()
    assert b.entries == 3 * (length - 1 + 19)


@cocotb.test()
async def a_bad_segment_leaves_no_trace(dut: Any) -> None:
    b = await bench(dut)
    length = len(trade("3.25") + trade("4.5"))
    for cut in range(1, length, 3):
        for size in (1, 5, 8, 24, 70):
            data = trade("3.25") + trade("4.5")
            await b.segment(data[:cut])
            await b.segment(data[cut : cut + size], good=False)
            await b.segment(trade("99")[: size + 3], good=False)
            await b.segment(b"", good=False)
            await b.segment(data[cut:])
    await b.finish()
    assert len(b.events) == 2 * 5 * len(range(1, length, 3))


@cocotb.test()
async def a_bad_end_of_an_open_message_in_a_bad_segment_spoils_none_of_its_entries(dut: Any) -> None:
    b = await bench(dut)
    for symbol in ("A", "AP"):
        entries: list[tuple[int, Any]] = [
            (35, "W"),
            (55, symbol),
            (268, 3),
            (269, 2),
            (270, "1"),
            (269, 0),
            (270, "2"),
            (269, 1),
            (270, "3"),
        ]
        complete = encode(entries)
        first = complete.index(b"269=1") - 8
        for cut in range(first, len(complete) - 1):
            whole = encode(entries)
            wrong = bytearray(whole[cut:-2] + b"%d\x01" % ((whole[-2] + 1) % 10))  # CheckSum
            await b.segment(whole[:cut])
            await b.segment(bytes(wrong) + trade("77") + trade("78") + trade("79"), good=False)
            await b.segment(whole[cut:] + trade("80"))
            # And if it is the message that is bad, those after it are not.
            whole = encode(entries)
            wrong = bytearray(whole[cut:-2] + b"%d\x01" % ((whole[-2] + 1) % 10))  # CheckSum
            await b.segment(whole[:cut])
            before, after = trade("81"), trade("82")
            await b.segment(bytes(wrong) + before + after[:-9])
            await b.segment(after[-9:])
    await b.finish()
    assert b.entries == 2 * 6 * (len(complete) - 1 - first)


@cocotb.test()
async def resynchronises_at_the_next_begin_string(dut: Any) -> None:
    b = await bench(dut)
    good = trade("6")
    for garbage in (
        b"x",
        b"\x01",
        b"\x01\x01\x01",
        b"8=FI",
        b"8=FIX",
        b"8=FIX.4.4\x019=5\x01",
        b"10=123\x01",
        good[:40],
        good[:-1],
        b"=" * 9,
        b"8=8=8=",
    ):
        await b.segment(garbage + trade("7") + trade("8"))
        await b.finish()
    assert len(b.events) >= 18


@cocotb.test()
async def more_entries_than_there_is_room_for_are_counted(dut: Any) -> None:
    b = await bench(dut)
    entry: list[tuple[int, Any]] = [(269, 2), (270, 5)]
    await b.segment(encode([(35, "W"), (55, "A"), (268, 64), *entry * 64]))
    await b.finish()
    assert len(b.events) == 64
    data = encode([(35, "W"), (55, "A"), (268, 65), *entry * 65])
    model = b.model.state
    await b.segment(data)
    b.expected.clear()
    model.counts["prices"] -= 1
    model.counts["overflow"] += 1
    await b.segment(trade("7"))
    await b.finish()
    assert len(b.events) == 65


@cocotb.test()
async def entries_of_others_are_passed_over_and_counted(dut: Any) -> None:
    b = await bench(dut)
    entries: list[tuple[int, Any]] = [(35, "X"), (268, 5)]
    for symbol, kind in (("AAPL", 2), ("NONE", 2), ("AAP", 0), ("AAPLX", 1), ("AP", 2)):
        entries += [(279, 0), (269, kind), (55, symbol), (270, "1"), (271, 1)]
    await b.segment(encode(entries))
    await b.segment(encode([(35, "W"), (48, "US0378331005"), (55, "A"), (268, 2), (269, 2), (270, "3"), (269, 4), (270, "x")]))
    await b.finish()
    assert [event.instrument for _, event in b.events] == [0, 15, 1]
    assert b.model.state.counts["unknown instrument"] == 3


def numbered(number: str | int, *more: tuple[int, Any], kind: str = "W", after: bool = False, checksum: int = 0) -> bytes:
    """A trade with this MsgSeqNum, and more fields before its entries or after them."""
    entries: list[tuple[int, Any]] = [(55, "AAPL"), (268, 1), (269, 2), (270, "1")]
    return encode([(35, kind), (34, number), *([] if after else more), *entries, *(more if after else [])], checksum=checksum)


def session(kind: str, number: int, *more: tuple[int, Any]) -> bytes:
    return encode([(35, kind), (34, number), *more])


@cocotb.test()
async def what_is_sent_again_makes_no_event(dut: Any) -> None:
    b = await bench(dut)
    x: list[tuple[int, Any]] = [(35, "X"), (34, 5), (268, 1), (279, 0), (269, 2), (55, "AAPL"), (270, "2")]
    for data, sequences in (
        (numbered(5), [5]),
        (numbered(5), []),
        (encode(x), []),
        (encode([*x, (43, "Y")]), []),
        (numbered(3) + numbered(6) + numbered(6), [6]),
        (numbered(7, (43, "Y")), []),
        (numbered(7, (43, "?")), []),
        (numbered(7, (43, "Y"), after=True), []),
        (numbered(7, (43, "N")), [7]),
        (numbered(7, (43, "N")), []),
        (numbered("000000008"), [8]),
        (numbered(8), []),
        (numbered(40, checksum=1) + numbered(9), [9]),  # what is not good was not taken
        (encode([(35, "W"), (34, 50), (55, "AAPL"), (268, 1), (269, 2), (270, "x")]) + numbered(10), [10]),
        (encode([(35, "W"), (34, 11), (55, "AAPL"), (268, 0)]), []),  # it is taken, without entries
        (numbered(11), []),
        (session("0", 60) + session("2", 61) + numbered(12), [12]),  # neither raises the number
        (session("0", 13) + numbered(12), []),  # nor starts the numbers again
        (numbered(999999999), [999999999]),
        (numbered(123456789), []),
    ):
        count = len(b.events)
        await b.segment(data)
        await b.finish()
        assert [event.sequence for _, event in b.events[count:]] == sequences, data
    assert b.model.state.counts["repeated"] == 13
    assert b.model.state.counts["malformed"] == 0


@cocotb.test()
async def a_number_right_after_a_message_is_compared_with_that_messages(dut: Any) -> None:
    b = await bench(dut)
    entries: list[tuple[int, Any]] = [(55, "A"), (268, 1), (269, 2), (270, "1")]
    for number in range(1, 10):
        # The shortest BeginString that is taken: 21 bytes from the CheckSum's SOH, in any lane, to MsgSeqNum's.
        short = encode([(35, "W"), (34, number), *entries], begin=b"FIX")
        await b.segment(b"8=FIX"[:5] + b"x" * number + SOH + short + short)
        await b.segment(session("A", 1) + encode([(35, "W"), (34, number), *entries], begin=b"FIX") + session("A", 1))
    await b.finish()
    assert b.model.state.counts["repeated"] == 9


@cocotb.test()
async def logon_and_sequence_reset_begin_the_numbers_anew(dut: Any) -> None:
    b = await bench(dut)
    for data, sequences in (
        (numbered(100), [100]),
        (session("A", 1, (141, "Y")) + numbered(2), [2]),
        (numbered(2), []),
        (session("4", 3, (36, 1)) + numbered(1), [1]),
        (session("4", 2, (43, "Y"), (123, "Y"), (36, 1)) + numbered(1), []),  # fills a gap of what was sent before
        (session("4", 2, (43, "N"), (36, 1)) + numbered(1), [1]),
        (session("4", 2, (36, 1))[:-4] + b"000\x01" + numbered(1), []),  # a bad CheckSum
        (session("5", 2, (141, "Y")) + session("44", 2) + numbered(1), []),
    ):
        count = len(b.events)
        await b.segment(data)
        await b.finish()
        assert [event.sequence for _, event in b.events[count:]] == sequences, data
    dut.restart.value = 1
    await b.step()
    dut.restart.value = 0
    b.model.state.highest = 0
    await b.segment(numbered(1))
    await b.finish()
    assert b.events[-1][1].sequence == 1
    assert b.model.state.counts["repeated"] == 4


@cocotb.test()
async def numbers_in_a_bad_segment_are_not_taken_and_begin_nothing_anew(dut: Any) -> None:
    b = await bench(dut)
    length = len(numbered("0010"))
    for cut in range(1, length):
        number = 10 + 10 * cut
        data = numbered(f"{number:04}")
        await b.segment(data[:cut])
        await b.segment(data[cut:] + numbered(9000), good=False)
        await b.segment(data[cut:] + session("A", 1), good=False)
        await b.segment(data[cut:] + numbered(f"{number:04}") + numbered(number + 1))
        await b.segment(numbered(number))
    await b.finish()
    assert [event.sequence for _, event in b.events] == [10 + 10 * cut + more for cut in range(1, length) for more in (0, 1)]
    assert b.model.state.counts["repeated"] == 2 * (length - 1)


@cocotb.test()
async def prices_without_a_sequence_number_in_front_of_their_entries_are_malformed(dut: Any) -> None:
    b = await bench(dut)
    entries: list[tuple[int, Any]] = [(55, "AAPL"), (268, 1), (269, 2), (270, "1")]
    bad = [
        encode([(35, "W"), *entries], numbered=False),
        encode([(35, "W"), *entries, (34, 1)]),
        numbered(1, (34, 1)),
        numbered(1, (34, 2), after=True),
    ]
    bad += [numbered(number) for number in ("", "x", "1a", "-1", "1.0", "0000000001", "1234567890", " 1")]
    for data in bad:
        await b.segment(data)
    await b.finish(unknown=False)
    assert not b.events
    assert b.model.state.counts["malformed"] == len(bad)
    await b.segment(encode([(35, "0")], numbered=False) + encode([(35, "0"), (34, "x")]) + numbered(1))
    await b.finish(unknown=False)
    assert b.model.state.counts["other"] == 2
    assert [event.sequence for _, event in b.events] == [1]


@cocotb.test()
async def a_giant_message_is_given_up(dut: Any) -> None:
    b = await bench(dut)
    b.modelled = False
    await b.segment(b"8=FIX.4.4\x019=70000\x0135=W\x01")
    filler = b"58=" + b"x" * 900 + b"\x01"
    for _ in range(74):
        await b.segment(filler)
    for _ in range(9):
        await b.step()
    assert b.counts["truncated"] == 1
    b.modelled, b.model = True, FixModel(TABLE)
    b.model.state.counts["truncated"] += 1
    await b.segment(trade("7"))
    await b.finish()
    assert len(b.events) == 1


@cocotb.test()
async def events_wait_for_whoever_takes_them(dut: Any) -> None:
    b = await bench(dut)
    entry: list[tuple[int, Any]] = [(269, 2), (270, 5)]
    b.ready = 0.0
    await b.segment(encode([(35, "W"), (55, "A"), (268, 64), *entry * 64]))
    for _ in range(100):
        await b.step()
    await b.segment(encode([(35, "W"), (55, "A"), (268, 1), *entry]))  # no room is left for it
    b.expected.pop()
    b.model.state.counts["prices"] -= 1
    b.model.state.counts["overflow"] += 1
    assert not b.events
    await b.finish()
    assert len(b.events) == 64
    for turn in range(150):
        b.ready = (0.1, 0.5, 0.9)[turn % 3]
        while len(b.expected) > 50:
            await b.step()
        message = random_message(b.rng, 0.0)
        cut = b.rng.randrange(len(message))
        await b.segment(message[:cut])
        await b.segment(message[cut:] + trade("99"), good=False)
        await b.segment(message[cut:])
    await b.finish(unknown=False)
    assert len(b.events) > 64 + (15 if TRADES_ONLY else 50)


@cocotb.test()
async def a_new_connection_forgets_what_was_open(dut: Any) -> None:
    b = await bench(dut)
    await b.segment(trade("7")[:-5])
    for _ in range(10):
        await b.step()
    dut.restart.value = 1
    await b.step()
    dut.restart.value = 0
    b.model = FixModel(TABLE)
    await b.segment(trade("8"))
    await b.finish()
    assert [event.price for _, event in b.events] == [80000]


@cocotb.test()
@cocotb.parametrize(seed=[1, 2, 3, 4])
async def random_streams_equal_the_model(dut: Any, seed: int) -> None:
    b = await bench(dut, seed)
    broken = [0.0, 0.02, 0.1, 0.2][seed - 1]
    stream = b"".join(random_message(b.rng, broken) for _ in range(cases(80, 200)))
    longest = [40, 500, 100, 1400][seed - 1]
    await b.random_cuts(stream, [0.1, 0.0, 0.1, 0.2][seed - 1], longest)
    await b.finish(unknown=False)
    assert b.entries > cases(4, 10)


@pytest.mark.parametrize("trades_only", [False, True])
@pytest.mark.parametrize("width", [8, 64])
def test_decoder_fix(width: int, trades_only: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("W", str(width))
    monkeypatch.setenv("TRADES_ONLY", str(int(trades_only)))
    simulate("decoder_fix_tb", "test_decoder_fix", {"W": width} | ({"TRADES_ONLY": 1} if trades_only else {}))
