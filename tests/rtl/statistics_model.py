"""The second, the statistics and the report, written from docs/reference/rules.md alone: the model the strategy's tests compare with."""

import struct
from dataclasses import dataclass, field

ADD, MODIFY, EXECUTE, REDUCE, DELETE, REPLACE, TRADE, TIME, STATUS, CLEAR = range(10)
BILLION = 10**9


@dataclass
class Event:
    kind: int
    seconds: int = 0
    nanoseconds: int = 0
    sequence: int = 0
    sell: bool = False
    symbol: bytes = bytes(8)
    price: int = 0
    quantity: int = 0


@dataclass
class Feed:
    session: bytes = bytes(10)
    first_sequence: int = 0
    lost: int = 0
    new_session: bool = False


class SecondModel:
    """The current second and the time of the message before, with the frame that is passing."""

    def __init__(self, itch50: bool) -> None:
        self.itch50 = itch50
        self.second: int | None = None
        self.previous: tuple[int, int] | None = None
        self.begin(Feed())

    def begin(self, feed: Feed) -> None:
        self.feed = feed
        self.boundary: Event | None = None
        self.frame_second = None if feed.new_session else self.second
        self.frame_previous = None if feed.new_session else self.previous
        self.backwards = 0

    def boundary_second(self, event: Event) -> int:
        return event.nanoseconds // BILLION if self.itch50 else event.seconds

    def event(self, event: Event) -> bool:
        """True when the second of the feed begins with this message."""
        key = (0 if self.itch50 else event.seconds, event.nanoseconds)
        self.backwards += self.frame_previous is not None and key < self.frame_previous
        self.frame_previous = key
        begins = (
            self.boundary is None
            and (self.itch50 or event.kind == TIME)
            and (self.frame_second is None or self.boundary_second(event) > self.frame_second)
        )
        if begins:
            self.boundary = event
        return begins

    def verdict(self, good: bool) -> bool:
        """True when the frame is a heartbeat."""
        if not good:
            return False
        self.previous = self.frame_previous
        self.second = self.boundary_second(self.boundary) if self.boundary else self.frame_second
        return self.boundary is not None


@dataclass
class Side:
    count: int = 0
    minimum: int = 0
    maximum: int = 0
    volume: int = 0
    sum: int = 0

    def add(self, price: int, quantity: int) -> None:
        self.minimum = price if self.count == 0 else min(self.minimum, price)
        self.maximum = max(self.maximum, price)
        self.count += 1
        self.volume += quantity
        self.sum += price

    def to_bytes(self) -> bytes:
        return struct.pack(">IIIQQ", self.count, self.minimum, self.maximum, self.volume, self.sum)


@dataclass
class Table:
    """Names of slots, and the statistics of each slot and side."""

    symbols: int
    names: list[bytes] = field(default_factory=list)
    sides: dict[tuple[int, bool], Side] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.names = [bytes(8)] * self.symbols
        self.sides = {}

    def slot(self, symbol: bytes) -> int | None:
        return self.names.index(symbol) if symbol in self.names and any(symbol) else None

    def side(self, slot: int, sell: bool) -> Side:
        return self.sides.setdefault((slot, sell), Side())

    def clear(self, slot: int) -> None:
        for sell in (False, True):
            self.sides.pop((slot, sell), None)


def report(
    sides: dict[tuple[int, bool], Side], names: list[bytes], count: int, number: int, second: int, sequence: int, feed: Feed, flags: int
) -> list[bytes]:
    """The payloads of one report's parts."""
    parts = (count + 15) // 16
    payloads = []
    for part in range(parts):
        slots = range(16 * part, min(count, 16 * part + 16))
        head = b"TWST" + bytes([1, flags, part, parts]) + struct.pack(">IIHHH", number, second, 16 * part, len(slots), count)
        head += feed.session + struct.pack(">QQQQ", sequence, feed.lost, feed.first_sequence, 0)
        records = [names[s] + sides.get((s, False), Side()).to_bytes() + sides.get((s, True), Side()).to_bytes() for s in slots]
        payloads.append(head + b"".join(records))
    return payloads
