"""fix_reports against a plain model of the byte stream: any message, cut into any segments, some of which prove bad and come again."""

import os
import random
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise, zip_longest
from typing import Any

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from harness import cases, simulate
from pins import Pins

W = int(os.environ.get("W", "64"))
WORDS = int(os.environ.get("WORDS", "1024"))
LANES = W // 8
STARTS = [0] if LANES == 1 else [0, 2, 6]  # the lane a segment may begin in
SOH = b"\x01"
PREFIX = b"TW-4"
DECIMALS = 4  # of the instruments' prices
DETAILS = os.environ.get("DETAILS", "1") == "1"
OPEN, CLOSED, REJECTED, REPLACED, CHANGE_REFUSED = range(5)


@dataclass(frozen=True)
class Report:
    what: int
    number: int
    original: int | None
    traded: int | None
    price: int | None = None
    reason: int = 0


def message(fields: list[tuple[int, Any]], begin: str = "FIX.4.4", checksum: int = 0, length: int = 0) -> bytes:
    """As FIX 4.4 volume 2 writes it; `checksum` and `length` are errors that are added."""
    body = b"".join(f"{tag}=".encode() + (value if isinstance(value, bytes) else str(value).encode()) + SOH for tag, value in fields)
    head = f"8={begin}".encode() + SOH + f"9={len(body) + length}".encode() + SOH
    return head + body + f"10={(sum(head + body) + checksum) % 256:03d}".encode() + SOH


def name(number: int, prefix: bytes = PREFIX) -> bytes:
    return prefix + f"{number:09d}".encode()


def report(number: int, execution: str = "0", status: str = "0", traded: Any = 0, original: int | None = None) -> list[tuple[int, Any]]:
    fields: list[tuple[int, Any]] = [(35, 8), (49, "EX"), (56, "TW"), (34, 7), (37, "A1"), (11, name(number))]
    if original is not None:
        fields.append((41, name(original)))
    return [*fields, (17, "E1"), (150, execution), (39, status), (55, "AAPL"), (54, 1), (38, 100), (151, 0), (14, traded), (6, "1.5")]


# ---- the model: messages of the whole stream, from FIX's words ---------------------------------------------


def whole_number(text: bytes) -> int | None:
    integer, _, fraction = text.partition(b".")
    if not integer.isdigit() or fraction.strip(b"0") or int(integer) >= 1 << 31:
        return None
    return int(integer)


def last_price(text: bytes, decimals: int) -> int | str | None:
    """A number of at most 18 digits, as an integer at the scale; None: it is none there, or it does not fit."""
    digits = text.removeprefix(b"-").replace(b".", b"", 1)
    if not digits.isdigit() or len(digits) > 18:
        return "unreadable"
    scaled = Decimal(text.decode()).scaleb(decimals)
    return int(scaled) if scaled == int(scaled) and abs(scaled) < 1 << 32 else None


def reject_reason(text: bytes) -> int | str:
    return min(int(text), 65_535) if text.isdigit() and int(text) < 1 << 31 else "unreadable"


def own(text: bytes) -> int | None:
    digits = text[len(PREFIX) :]
    return int(digits) if text.startswith(PREFIX) and len(digits) == 9 and digits.isdigit() else None


def told(fields: list[tuple[bytes, bytes]], decimals: int) -> Report | str | None:
    """What a good message says: a report, that it cannot be read, or nothing about us."""
    of = dict(fields)
    price: int | str | None = None
    reason: int | str = 0
    tags = [tag for tag, _ in fields]
    kind = of[b"35"]
    number = own(of.get(b"11", b""))
    if kind not in (b"8", b"9") or number is None or tags.count(b"11") != 1:
        return None
    originals = [value for tag, value in fields if tag == b"41"]
    original = own(originals[-1]) if originals else None
    code = b"102" if kind == b"9" else b"103"
    if DETAILS and code in of:
        reason = reject_reason(of[code])
    if DETAILS and kind == b"8" and b"31" in of:
        price = last_price(of[b"31"], decimals)
    if DETAILS and (tags.count(code) > 1 or (kind == b"8" and tags.count(b"31") > 1)):
        return "unreadable"
    if isinstance(reason, str) or isinstance(price, str):
        return "unreadable"
    if kind == b"9":
        return Report(CHANGE_REFUSED, number, original, None, None, reason)
    traded = whole_number(of.get(b"14", b""))
    if traded is None or any(tags.count(tag) != 1 for tag in (b"150", b"39", b"14")):
        return "unreadable"
    status = of[b"39"]
    if of[b"150"] == b"5":
        what = REPLACED
    elif status == b"8":
        what = REJECTED
    else:
        what = CLOSED if status in (b"2", b"3", b"4", b"C") else OPEN
    return Report(what, number, original, traded, price, reason)


def model(stream: bytes, decimals: int = DECIMALS) -> list[Report | str]:
    found: list[Report | str] = []
    at = 0
    begin: int | None = None
    fields: list[tuple[bytes, bytes]] = []
    while (end := stream.find(SOH, at)) >= 0:
        tag, equals, value = stream[at:end].partition(b"=")
        if not equals:
            begin = None
        elif tag == b"8":
            begin, fields = at, []
        if begin is not None and equals:
            fields.append((tag, value))
            if tag == b"10":
                heads = [tag for tag, _ in fields[:3]]
                if heads == [b"8", b"9", b"35"] and [tag for tag, _ in fields].count(b"9") == 1:
                    body = stream.index(SOH, stream.index(SOH, begin) + 1) + 1
                    length_good = whole_number(fields[1][1]) == at - body
                    sum_good = len(value) == 3 and value.isdigit() and int(value) == sum(stream[begin:at]) % 256
                    result = told(fields[2:], decimals) if length_good and sum_good and [t for t, _ in fields].count(b"35") == 1 else None
                    if result is not None:
                        found.append(result)
                begin = None
        at = end + 1
    return found


# ---- the bench -------------------------------------------------------------------------------------------


class Bench:
    def __init__(self, dut: Any, seed: int = 1) -> None:
        self.dut, self.rng = Pins(dut), random.Random(seed)
        self.stream = bytearray()  # all that proved good
        self.found: list[Report | str] = []
        self.ready = 1.0
        self.overflows = 0
        self.decimals = DECIMALS

    async def start(self, prefix: bytes | None = PREFIX) -> None:
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
        dut.put(in_valid=0, in_last=0, in_err=0, report_ready=1, host_valid=0)
        dut.rst.value = 1
        for _ in range(4):
            await RisingEdge(dut.clk)
        dut.rst.value = 0
        if prefix is not None:
            await self.prefix(prefix)

    async def prefix(self, prefix: bytes) -> None:
        for place, operand in enumerate([*prefix, 256 | self.decimals << 12]):
            self.dut.put(host_valid=1, host_index=256 + place, host_operand=operand)
            await self.step()
            self.dut.put(host_valid=0)
            await self.step()
            assert self.dut.host_done.value

    async def step(self) -> None:
        dut = self.dut
        await RisingEdge(dut.clk)
        if dut.report_valid.value and dut.report_ready.value:
            what = int(dut.report_what.value)
            original = int(f"{int(dut.report_original.value):x}") if dut.report_has_original.value else None
            traded = None if what == CHANGE_REFUSED else int(dut.report_traded.value)
            magnitude = int(dut.report_price.value)
            price = (-magnitude if dut.report_price_negative.value else magnitude) if dut.report_priced.value else None
            reason = int(dut.report_reason.value)
            self.found.append(Report(what, int(f"{int(dut.report_number.value):x}"), original, traded, price, reason))
        if dut.unreadable.value:
            self.found.append("unreadable")
        self.overflows += int(dut.overflow.value)
        dut.put(report_ready=self.rng.random() < self.ready)

    async def segment(self, data: bytes, good: bool = True, stall: float = 0.0) -> None:
        """The bytes, then the verdict on them in a beat without any, as tcp_rx gives it; or with the last of them."""
        dut = self.dut
        first = self.rng.choice(STARTS)
        cuts = sorted({0, *range(LANES - first, len(data), LANES), len(data)})
        beats = [data[a:b] for a, b in pairwise(cuts)]
        if not beats or self.rng.random() < 0.7:
            beats.append(b"")
        for place, beat in enumerate(beats):
            while self.rng.random() < stall:
                dut.put(in_valid=0)
                await self.step()
            last = place + 1 == len(beats)
            lane = first if place == 0 and beat else 0
            lanes = self.rng.randbytes(lane) + beat
            word = int.from_bytes(lanes + self.rng.randbytes(LANES - len(lanes)), "little")
            dut.put(in_valid=1, in_last=last, in_err=last and not good, in_data=word, in_keep=(1 << len(lanes)) - (1 << lane))
            await self.step()
        dut.put(in_valid=0)
        if good:
            self.stream += data

    async def finish(self) -> list[Report | str]:
        """What came since the last time, as the model has it."""
        self.ready = 1.0
        for _ in range(WORDS * LANES + 200 if len(self.stream) > 3000 else 4000):
            await self.step()
        assert not self.overflows
        want = model(bytes(self.stream), self.decimals)
        pairs = enumerate(zip_longest(self.found, want))
        assert self.found == want, next((at, got, expected) for at, (got, expected) in pairs if got != expected)
        return want


async def bench(dut: Any, seed: int = 1) -> Bench:
    made = Bench(dut, seed)
    await made.start()
    return made


@cocotb.test()
async def each_kind_of_report_is_told(dut: Any) -> None:
    b = await bench(dut)
    for fields in (
        report(5),
        report(5, "F", "1", 40),
        report(5, "F", "2", "100.000"),
        report(6, "4", "4", 30, original=5),
        report(7, "C", "C", 0),
        report(8, "3", "3", 1),
        report(9, "8", "8"),
        report(10, "E", "E", 3, original=9),
        report(10, "5", "0", 3, original=9),
        report(10, "5", "2", 2_147_483_647, original=9),
        [(35, 9), (34, 3), (37, "x"), (11, name(12)), (41, name(5)), (39, 0), (434, 1)],
    ):
        await b.segment(message(fields))
    assert await b.finish() == [
        Report(OPEN, 5, None, 0),
        Report(OPEN, 5, None, 40),
        Report(CLOSED, 5, None, 100),
        Report(CLOSED, 6, 5, 30),
        Report(CLOSED, 7, None, 0),
        Report(CLOSED, 8, None, 1),
        Report(REJECTED, 9, None, 0),
        Report(OPEN, 10, 9, 3),
        Report(REPLACED, 10, 9, 3),
        Report(REPLACED, 10, 9, 2_147_483_647),
        Report(CHANGE_REFUSED, 12, 5, None),
    ]


@cocotb.test()
async def others_orders_and_other_messages_are_passed_over(dut: Any) -> None:
    b = await bench(dut)
    names = (
        b"TW-5000000005",
        b"TW-400000005",
        b"TW-40000000005",
        b"TW-400000000x",
        b"TW-4",
        PREFIX + b"0" * 25,
        b"",
        b"XTW-4000000005",
        b"000000005",
    )
    for changed in names:
        await b.segment(message([(tag, changed if tag == 11 else value) for tag, value in report(5)]))
    for kind in ("D", "W", "88", "", "A"):
        await b.segment(message([(35, kind), *report(5)[1:]]))
    assert await b.finish() == []


@cocotb.test()
async def damaged_messages_say_nothing_and_the_next_one_is_read(dut: Any) -> None:
    b = await bench(dut)
    good = message(report(5))
    damaged = [message(report(5), checksum=1), message(report(5), length=1), message(report(5), length=-1), good[:-30], good[:40]]
    damaged += [good.replace(b"\x0110=", b"\x0110=0"), b"8=FIX.4.4\x0135=8\x019=5\x01" + good[20:]]
    damaged.append(b"\x01" + good[:30] + b"\x01\x01" + good[31:])
    for at, wrong in enumerate(damaged):
        await b.segment(wrong)
        await b.segment(b"\x01" + message(report(100 + at)))
    found = await b.finish()
    assert [told.number for told in found if isinstance(told, Report)] == list(range(100, 100 + len(damaged)))


@cocotb.test()
async def a_report_of_ours_that_lacks_what_is_needed_is_told(dut: Any) -> None:
    b = await bench(dut)
    fields = report(5, "F", "1", 40)
    for tag in (150, 39, 14):
        await b.segment(message([field for field in fields if field[0] != tag]))
        await b.segment(message([*fields, (tag, 1)]))
    for traded in ("", "2147483648", "4294967297", "1.5", "-1", "x", ".", ".0", "1.0.0", "99999999999"):
        await b.segment(message(report(5, "F", "1", traded)))
    assert await b.finish() == ["unreadable"] * 16


@cocotb.test(skip=not DETAILS)
async def the_price_of_a_fill_comes_in_the_instruments_scale_or_not_at_all(dut: Any) -> None:
    b = await bench(dut)
    largest = (1 << 32) - 1
    told = {
        b"585.33": 5_853_300,
        b"585.3300": 5_853_300,
        b"585.33000000": 5_853_300,
        b"7": 70_000,
        b"7.": 70_000,
        b".5": 5_000,
        b"0": 0,
        b"0.0001": 1,
        b"0000000000007.25": 72_500,
        b"-0.0025": -25,
        b"-429496.7295": -largest,
        b"429496.7295": largest,
        b"000429496.729500000": largest,
        # Not in this scale, or beyond what is carried: the message is good all the same.
        b"0.00001": None,
        b"585.33001": None,
        b"-0.00001": None,
        b"429496.7296": None,
        b"-429496.7296": None,
        b"999999999999999999": None,
        b"6871947.6736": None,  # 2^36: its lowest 36 bits are none
        b"0.00000000000000001": None,
    }
    for place, text in enumerate(told):
        await b.segment(message([*report(place, "F", "1", 40), (31, text), (32, 5)]))
    assert await b.finish() == [Report(OPEN, place, None, 40, price) for place, price in enumerate(told.values())]


@cocotb.test(skip=not DETAILS)
async def a_price_that_is_the_last_before_the_checksum_of_a_message_is_at_its_scale_too(dut: Any) -> None:
    for decimals in (15, 0, 8):
        b = Bench(dut)
        b.decimals = decimals
        await b.start()
        for place, text in enumerate((b"7", b"0.5", b"-1", b"0", b"2.0", b"0.00001")):
            # Whatever came before it does not stay.
            await b.segment(message(report(place + 10)))
            await b.segment(message([*report(place, "F", "1", 40), (31, text)]))
        await b.finish()


@cocotb.test(skip=not DETAILS)
async def a_refusal_has_the_exchanges_reason(dut: Any) -> None:
    b = await bench(dut)
    refusal = [(35, 9), (34, 3), (37, "x"), (11, name(12)), (41, name(5)), (39, 0), (434, 1)]
    codes = {b"0": 0, b"1": 1, b"99": 99, b"007": 7, b"65535": 65_535, b"65536": 65_535, b"2147483647": 65_535}
    for code in codes:
        await b.segment(message([*report(5, "8", "8"), (103, code)]))
        await b.segment(message([*refusal, (102, code)]))
    # Each message has its own: 102 belongs to 35=9 alone, 103 to 35=8.
    await b.segment(message([*report(5, "8", "8"), (102, 3)]))
    await b.segment(message([*refusal, (103, 3), (31, 5)]))
    want = []
    for reason in [*codes.values(), 0]:
        want += [Report(REJECTED, 5, None, 0, None, reason), Report(CHANGE_REFUSED, 12, 5, None, None, reason)]
    assert await b.finish() == want


@cocotb.test(skip=not DETAILS)
async def a_price_or_reason_that_is_no_number_or_comes_twice_is_told(dut: Any) -> None:
    b = await bench(dut)
    fields = report(5, "F", "1", 40)
    refusal = [(35, 9), (34, 3), (37, "x"), (11, name(12)), (41, name(5)), (39, 0), (434, 1)]
    prices = (
        b"",
        b"-",
        b".",
        b"-.",
        b"+1",
        b"1e4",
        b"1.2.3",
        b"1-",
        b"--1",
        b"1,5",
        b" 1",
        b"x",
        b"1234567890123456789",
        b"0" * 19,
        b"0" * 33,
        b"0." + b"0" * 18,
    )
    codes = (b"", b"-1", b"1.", b"1.0", b".", b"x", b"2147483648", b"4294967296", b"99999999999")
    for text in prices:
        await b.segment(message([*fields, (31, text)]))
    await b.segment(message([*fields, (31, 1), (31, 1)]))
    for code in codes:
        await b.segment(message([*fields, (103, code)]))
        await b.segment(message([*refusal, (102, code)]))
    await b.segment(message([*fields, (103, 1), (103, 1)]))
    await b.segment(message([*refusal, (102, 1), (102, 1)]))
    assert await b.finish() == ["unreadable"] * (len(prices) + 2 * len(codes) + 3)


@cocotb.test()
async def nothing_is_said_until_there_is_a_prefix_and_after_it_is_taken_away(dut: Any) -> None:
    b = Bench(dut)
    await b.start(prefix=None)
    await b.segment(message(report(5)))
    for _ in range(1000):
        await b.step()
    await b.prefix(b"")  # may be empty: nine digits are a name
    await b.segment(message([(tag, b"000000077" if tag == 11 else value) for tag, value in report(5)]))
    for _ in range(1000):
        await b.step()
    b.dut.put(host_valid=1, host_index=256, host_operand=512)
    await b.step()
    b.dut.put(host_valid=0)
    await b.segment(message([(tag, b"000000078" if tag == 11 else value) for tag, value in report(5)]))
    for _ in range(1000):
        await b.step()
    assert b.found == [Report(OPEN, 77, None, 0)]


@cocotb.test()
async def a_frame_of_others_that_is_longer_than_there_is_room_loses_nothing(dut: Any) -> None:
    b = await bench(dut)
    for _ in range(2):
        await b.segment(message(report(5)))
        await b.segment(bytes(2 * WORDS * max(LANES, 2)), good=False)
    assert await b.finish() == [Report(OPEN, 5, None, 0)] * 2


@cocotb.test()
async def a_stream_that_is_not_read_overflows_and_says_so(dut: Any) -> None:
    b = await bench(dut)
    b.ready = 0.0
    await b.step()
    data = message(report(5))
    for _ in range(2 * WORDS * max(LANES, 2) // len(data)):
        await b.segment(data)
    assert b.overflows
    # What was said before is right, and what comes after is read.
    b.ready = 1.0
    for _ in range(WORDS * (LANES + 2)):
        await b.step()
    assert set(b.found) == {Report(OPEN, 5, None, 0)}
    count = len(b.found)
    await b.segment(b"\x01" + message(report(6)))
    for _ in range(1000):
        await b.step()
    assert b.found[count:] == [Report(OPEN, 6, None, 0)]


def random_price(rng: random.Random) -> str:
    sign, whole, part = (
        rng.choice(["", "", "-"]),
        rng.choice(["", rng.randrange(500_000), rng.randrange(10**9)]),
        rng.choice(["", "5", "2500", "25000"]),
    )
    return f"{sign}{whole}{rng.choice(['.', '.', '', '..'])}{part}{rng.choice(['', '', '0' * rng.randrange(12), 'x'])}"


def random_message(rng: random.Random) -> bytes:
    number, original = rng.randrange(10**9), rng.choice([None, rng.randrange(10**9)])
    traded = rng.choice([0, 7, "12.0", rng.randrange(1 << 32)])
    fields = report(number, rng.choice("012345678ACDEFI"), rng.choice("012345678ACE9"), traded, original)
    kind = rng.random()
    if kind < 0.2:
        fields[0] = (35, rng.choice(["9", "9", "W", "X", "0", "AE"]))
    if rng.random() < 0.5:
        fields.insert(rng.randrange(5, len(fields) + 1), (31, random_price(rng)))
    if rng.random() < 0.3:
        fields.insert(rng.randrange(5, len(fields) + 1), (rng.choice([102, 103]), rng.choice([0, 1, 99, 70_000, 1 << 31, "", "x"])))
    if kind > 0.9:
        del fields[rng.randrange(len(fields))]
    if 0.8 < kind < 0.9:
        fields.insert(rng.randrange(len(fields) + 1), rng.choice([*fields, (58, "a=b 8=FIX"), (1023, "x"), (9, 5), (5001, "y"), (110, 3)]))
    if 0.7 < kind < 0.8:
        rng.shuffle(fields)
    data = bytearray(message(fields, checksum=rng.random() < 0.05, length=rng.random() < 0.05))
    if rng.random() < 0.1:
        data[rng.randrange(len(data))] = rng.choice([1, 61, 48, 56, rng.randrange(256)])
    if rng.random() < 0.05:
        del data[rng.randrange(len(data)) :]
    return bytes(data) + rng.choice([b"", b"", b"", b"\x01", b"8=FIX.4"])


@cocotb.test()
async def random_streams_equal_the_model(dut: Any) -> None:
    b = await bench(dut, 11)
    rng = b.rng
    for _ in range(cases(60, 1500)):
        stream = b"".join(random_message(rng) for _ in range(rng.randrange(1, 6)))
        b.ready = rng.choice([0.02, 0.5, 1.0])
        bad = rng.choice([0, 0.1, 0.5])
        at = 0
        while at < len(stream):
            part = stream[at : at + rng.choice([1, 2, 3, rng.randrange(1, 60), rng.randrange(1, 1460)])]
            if rng.random() < bad:
                wrong = bytearray(part)
                wrong[rng.randrange(len(wrong))] = rng.choice([1, 61, 48, 56])
                await b.segment(bytes(wrong), good=False, stall=rng.choice([0, 0.3]))
                continue
            await b.segment(part, stall=rng.choice([0, 0, 0.3]))
            at += len(part)
        for _ in range(len(stream) * 2):
            await b.step()
    found = await b.finish()
    kinds = [told.what if isinstance(told, Report) else told for told in found]
    reports = [told for told in found if isinstance(told, Report)]
    assert any(told.price is not None for told in reports) == any(told.reason for told in reports) == DETAILS
    assert {OPEN, CLOSED, REJECTED, REPLACED, CHANGE_REFUSED, "unreadable"} <= set(kinds)


@pytest.mark.parametrize(("width", "details"), [(64, 1), (8, 1), (64, 0)])
def test_fix_reports(width: int, details: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("W", str(width))
    monkeypatch.setenv("DETAILS", str(details))
    monkeypatch.setenv("WORDS", "1024")
    simulate("fix_reports_tb", "test_fix_reports", {"W": width, "DETAILS": details})
