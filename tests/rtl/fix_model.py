"""A plain model of decoder_fix: a byte stream, cut anywhere, to events and counts. Written from FIX 4.4, not from the RTL."""

import copy
from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import count

SOH = b"\x01"
CAUSES = (
    "prices",
    "other",
    "bad checksum",
    "bad length",
    "malformed",
    "bad number",
    "overflow",
    "truncated",
    "skipped",
    "unknown instrument",
    "repeated",
)
NUMBERS = count(1)  # MsgSeqNum of the messages that are encoded without one
KINDS = {"add": 0, "modify": 1, "delete": 4, "trade": 6, "status": 8}  # event_kind_e
LONGEST = 1 << 16


@dataclass(frozen=True)
class Instrument:
    symbol: bytes
    price_scale: int
    quantity_scale: int = 0


@dataclass(frozen=True)
class Event:
    kind: int
    sell: bool
    message_type: str
    price: int
    quantity: int
    last: bool
    instrument: int
    sequence: int


@dataclass
class Entry:
    action: bytes | None = None
    type: bytes | None = None
    price: int | None = None
    quantity: int | None = None
    instrument: int | None = None


class MalformedError(Exception):
    """The message's fields are not in order."""


@dataclass
class Message:
    """An open message: its fields so far."""

    start: int
    fields: list[tuple[bytes, bytes, int, int]] = field(default_factory=list)  # tag, value, begin, end in the stream
    short: bool = False


@dataclass
class State:
    stream: bytearray = field(default_factory=bytearray)
    field_begin: int = 0
    message: Message | None = None
    skipping: bool = False
    highest: int = 0  # MsgSeqNum of what was taken
    counts: Counter[str] = field(default_factory=Counter)


def number(text: bytes, scale: int) -> int | None:
    """A decimal as an integer of 10^-scale; None if it is no decimal, or does not fit."""
    if not 1 <= len(text) <= 16:
        return None
    digits = text[1:] if text[:1] == b"-" else text
    if not digits.replace(b".", b"", 1).isdigit():
        return None
    if len(digits.partition(b".")[2]) > scale:
        return None
    scaled = int(Decimal(text.decode()).scaleb(scale))
    return scaled if abs(scaled) < 10**16 else None


KNOWN = {b"9", b"10", b"34", b"35", b"43", b"48", b"55", b"268", b"269", b"270", b"271", b"279"}


def field_of(text: bytes) -> tuple[bytes, bytes, int | None]:
    """Tag and value of what is between two SOH; and where 8=FIX begins in it. A second = leaves a field without a tag."""
    found = max((i for i in range(len(text)) if text[i : i + 5] == b"8=FIX" and not text[max(i - 1, 0) : i].isdigit()), default=None)
    if found is not None and b"=" not in text[found + 2 :]:
        return b"8", text[found + 2 :], found
    tag, equals, value = text.partition(b"=")
    if not equals or b"=" in value or tag not in KNOWN:
        return b"", b"", found
    return tag, value, found


class FixModel:
    def __init__(self, instruments: dict[int, Instrument]) -> None:
        self.instruments = instruments
        self.state = State()

    def segment(self, data: bytes, good: bool = True) -> list[Event]:
        """The events that leave when this segment has come."""
        if not good:
            return []
        events: list[Event] = []
        saved = copy.copy(self.state.counts)
        self.state.counts = saved
        for byte in data:
            self.state.stream.append(byte)
            if byte == SOH[0]:
                events += self._field()
        s = self.state
        if s.message and len(s.stream) - s.message.start >= LONGEST:
            raise NotImplementedError("what happens at the limit depends on the beats")
        return events

    def _field(self) -> list[Event]:
        s = self.state
        begin, end = s.field_begin, len(s.stream)
        text = bytes(s.stream[begin : end - 1])
        s.field_begin = end
        tag, value, found = field_of(text)
        if tag == b"8" and (found == 0 or s.message is None):
            assert found is not None
            if s.message:
                s.counts["truncated"] += 1
                self._unknown(s.message)
            s.message, s.skipping = Message(begin + found), False
            return []
        if s.message is None:
            s.counts["skipped"] += not s.skipping
            s.skipping = True
            return []
        s.message.short |= len(text) < 3
        s.message.fields.append((tag, value, begin, end))
        if tag != b"10":
            return []
        message, s.message = s.message, None
        outcome, events = self._judge(message)
        s.counts[outcome] += 1
        self._unknown(message)
        return events if outcome == "prices" else []

    def _judge(self, message: Message) -> tuple[str, list[Event]]:
        fields = message.fields
        try:
            if message.short or len(fields) < 3 or fields[0][0] != b"9" or fields[1][0] != b"35":
                raise MalformedError
            if any(tag in (b"9", b"35") for tag, *_ in fields[2:]):
                raise MalformedError
            prices = fields[1][1] in (b"W", b"X")
            entries, bad = self._entries(message) if prices else ([], False)
            sequence = self._sequence(message) if prices else 0
        except MalformedError:
            return "malformed", []
        checksum = fields[-1][1]
        if len(checksum) != 3 or not checksum.isdigit():
            return "bad checksum", []
        told = fields[0][1]
        begin_of_last = fields[-1][2]
        if not told.isdigit() or len(told) > 5 or int(told) != begin_of_last - fields[0][3]:
            return "bad length", []
        total = sum(self.state.stream[message.start : begin_of_last]) % 256
        if int(checksum) != total:
            return "bad checksum", []
        if bad:
            return "bad number", []
        repeated = any(tag == b"43" and value != b"N" for tag, value, *_ in fields[2:])
        if not prices:
            if fields[1][1] in (b"A", b"4") and not repeated:
                self.state.highest = 0
            return "other", []
        if repeated or sequence <= self.state.highest:
            return "repeated", []
        self.state.highest = sequence
        return "prices", self._events(fields[1][1].decode(), entries, sequence)

    @staticmethod
    def _sequence(message: Message) -> int:
        """MsgSeqNum: once, one to nine digits, before the entries."""
        tags = [tag for tag, *_ in message.fields]
        if tags.count(b"34") != 1 or (b"268" in tags and tags.index(b"34") > tags.index(b"268")):
            raise MalformedError
        value = message.fields[tags.index(b"34")][1]
        if not value.isdigit() or len(value) > 9:
            raise MalformedError
        return int(value)

    def _entries(self, message: Message) -> tuple[list[Entry], bool]:
        """The entries, and whether a number in them is bad."""
        refresh = message.fields[1][1] == b"X"
        entries: list[Entry] = []
        named = named_here = False
        instrument: int | None = None
        group: bytes | None = None
        bad = False
        for tag, value, *_ in message.fields[2:]:
            entry = entries[-1] if entries else None
            if tag in (b"55", b"48"):
                if not named_here or instrument is None:
                    instrument = next((i for i, known in self.instruments.items() if known.symbol == value), None)
                named = named_here = True
                if entry:
                    if entry.price is not None or entry.quantity is not None:
                        raise MalformedError
                    entry.instrument = instrument
            elif tag == b"268":
                if group is not None:
                    raise MalformedError
                group = value
            if tag == b"279" or (tag == b"269" and not refresh):
                if group is None or (tag == b"279" and not refresh):
                    raise MalformedError
                if entry:
                    self._complete(entry, named)
                entry = Entry(instrument=instrument)
                entries.append(entry)
                named_here = False
            if tag == b"279":
                if value not in (b"0", b"1", b"2"):
                    raise MalformedError
                assert entry
                entry.action = value
            elif tag == b"269":
                if entry is None or entry.type is not None:
                    raise MalformedError
                entry.type = value
            elif tag in (b"270", b"271"):
                if entry is None or entry.type is None or not named:
                    raise MalformedError
                if (entry.price if tag == b"270" else entry.quantity) is not None:
                    raise MalformedError
                result: int | None = 0
                if entry.instrument is not None and entry.type in (b"0", b"1", b"2"):
                    known = self.instruments[entry.instrument]
                    result = number(value, known.price_scale if tag == b"270" else known.quantity_scale)
                    if result is None or (tag == b"271" and value.startswith(b"-")):
                        bad, result = True, 0
                if tag == b"270":
                    entry.price = result
                else:
                    entry.quantity = result
        if entries:
            self._complete(entries[-1], named)
        if group is None or not group.isdigit() or len(group) > 5 or int(group) != len(entries):
            raise MalformedError
        if not entries and group != b"0":
            raise MalformedError
        return entries, bad

    @staticmethod
    def _complete(entry: Entry, named: bool) -> None:
        if entry.type is None or not named or (entry.price is None and entry.action != b"2"):
            raise MalformedError

    def _events(self, message_type: str, entries: list[Entry], sequence: int) -> list[Event]:
        events = []
        for i, entry in enumerate(entries):
            if entry.type not in (b"0", b"1", b"2") or entry.instrument is None:
                continue
            kind = {b"1": "modify", b"2": "delete"}.get(entry.action or b"", "trade" if entry.type == b"2" else "add")
            if kind == "trade" and (entry.price == 0 or entry.quantity == 0):
                kind = "status"
            last = i + 1 == len(entries)
            sell, price, quantity = entry.type == b"1", entry.price or 0, entry.quantity or 0
            event = Event(KINDS[kind], sell, message_type, price, quantity, last, entry.instrument, sequence)
            events.append(event)
        return events

    def _unknown(self, message: Message) -> None:
        """Counted only for messages in order; the RTL counts those of others too, which no test relies on."""
        try:
            if len(message.fields) >= 2 and message.fields[1][1] in (b"W", b"X"):
                entries, _ = self._entries(message)
                self.state.counts["unknown instrument"] += sum(e.instrument is None and e.type in (b"0", b"1", b"2") for e in entries)
        except MalformedError:
            pass


def encode(
    fields: list[tuple[int, bytes | str | int]], begin: bytes = b"FIX.4.4", checksum: int = 0, length: int = 0, numbered: bool = True
) -> bytes:
    """A message of these fields, 35 first, then MsgSeqNum; `checksum` and `length` are added to what they should be.

    MsgSeqNum is one above that of the message encoded before, in six digits, unless it is among the fields or not wanted.
    """
    if numbered and all(tag != 34 for tag, _ in fields):
        fields = [fields[0], (34, f"{next(NUMBERS):06}"), *fields[1:]]
    values = [value if isinstance(value, bytes) else str(value).encode() for _, value in fields]
    body = b"".join(b"%d=%b\x01" % (tag, value) for (tag, _), value in zip(fields, values, strict=True))
    head = b"8=%b\x019=%d\x01" % (begin, len(body) + length)
    return head + body + b"10=%03d\x01" % ((sum(head + body) + checksum) % 256)
