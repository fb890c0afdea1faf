"""MoldUDP64 and TotalView-ITCH 4.1/5.0 as docs/reference/rules.md has them: a plain model to compare the RTL with."""

import random
import struct
from dataclasses import dataclass, field

EVENT_FIELDS = [  # of tickwire_pkg::event_t, most significant first
    ("kind", 4), ("source", 1), ("known", 1), ("instrument", 8), ("message_type", 8), ("side", 1), ("has_symbol", 1), ("symbol", 64),
    ("price", 64), ("quantity", 64), ("non_printable", 1),
    ("order_id", 64), ("new_order_id", 64), ("seconds", 32), ("nanoseconds", 48), ("sequence_number", 64), ("last", 1),
]  # fmt: skip
FEED_FIELDS = [("session", 80), ("first_sequence", 64), ("lost", 64), ("new_session", 1)]

KINDS = ["add", "modify", "execute", "reduce", "delete", "replace", "trade", "time", "status", "clear"]
KIND_OF = {
    "A": "add", "F": "add", "E": "execute", "C": "execute", "X": "reduce", "D": "delete", "U": "replace",
    "P": "trade", "Q": "trade", "T": "time",
}  # fmt: skip
CAUSES = ["malformed", "old", "heartbeat", "end_of_session", "packet"]

LENGTHS_50 = {
    "S": 12, "R": 39, "H": 25, "Y": 20, "L": 26, "V": 35, "W": 12, "K": 28, "J": 35, "h": 21, "A": 36, "F": 40,
    "E": 31, "C": 36, "X": 23, "D": 19, "U": 35, "P": 44, "Q": 40, "B": 19, "I": 50, "N": 20, "O": 48,
}  # fmt: skip
LENGTHS_41 = {
    "T": 5, "S": 6, "R": 20, "H": 19, "Y": 14, "L": 20, "A": 30, "F": 34, "E": 25,
    "C": 30, "X": 17, "D": 13, "U": 29, "P": 38, "Q": 34, "B": 13, "I": 44, "N": 14,
}  # fmt: skip

# Members of the body, in order: (event member or - for one no event carries, bytes). What follows is skipped.
BODY = {
    "A": [("order_id", 8), ("side", 1), ("quantity", 4), ("symbol", 8), ("price", 4)],
    "E": [("order_id", 8), ("quantity", 4)],
    "C": [("order_id", 8), ("quantity", 4), ("-", 8), ("non_printable", 1), ("price", 4)],
    "X": [("order_id", 8), ("quantity", 4)],
    "D": [("order_id", 8)],
    "U": [("order_id", 8), ("new_order_id", 8), ("quantity", 4), ("price", 4)],
    "Q": [("quantity", 8), ("symbol", 8), ("price", 4)],
    "B": [("order_id", 8)],
    "L": [("-", 4), ("symbol", 8)],
    "I": [("-", 8), ("-", 8), ("-", 1), ("symbol", 8)],
}
BODY["F"] = BODY["P"] = BODY["A"]
BODY.update({kind: [("symbol", 8)] for kind in "RHYKJhNO"})

MASK64 = (1 << 64) - 1


def unpack(fields: list[tuple[str, int]], value: int) -> dict[str, int]:
    """A packed struct's members."""
    out = {}
    for name, width in reversed(fields):
        out[name] = value & ((1 << width) - 1)
        value >>= width
    return out


def lengths(itch50: bool) -> dict[str, int]:
    return LENGTHS_50 if itch50 else LENGTHS_41


def random_message(rng: random.Random, itch50: bool, kind: str) -> bytes:
    body = bytearray(rng.randbytes(lengths(itch50)[kind] - 1))
    if kind in "AFP":
        at = (11 if itch50 else 5) + 8 - 1
        body[at] = rng.choice(b"BBBSSs")
    if kind == "C":
        at = (11 if itch50 else 5) + 20 - 1
        body[at] = rng.choice(b"NYn")
    if kind in "PQ" and rng.random() < 0.5:  # shares and price: of a cross without shares both are 0
        head = 11 if itch50 else 5
        fields = ((0, 8), (16, 4)) if kind == "Q" else ((9, 4), (21, 4))
        for at, size in rng.choice((fields, fields[:1], fields[1:])):
            body[head - 1 + at : head - 1 + at + size] = bytes(size)
    return kind.encode() + bytes(body)


def datagram(session: bytes, sequence: int, messages: list[bytes], count: int | None = None) -> bytes:
    count = len(messages) if count is None else count
    return session + struct.pack(">QH", sequence & MASK64, count) + b"".join(struct.pack(">H", len(m)) + m for m in messages)


@dataclass
class Outcome:
    good: bool
    cause: str | None  # None: the UDP itself was bad
    lost: int  # so far
    new_session: bool = False
    gap: bool = False
    feed: dict[str, int] = field(default_factory=dict)
    events: list[dict[str, int]] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)  # for each event, where in the datagram its message's last byte is
    messages: int = 0
    unknown_type: int = 0
    bad_length: int = 0


class Decoder:
    def __init__(self) -> None:
        self.session: bytes | None = None
        self.expected = 0
        self.lost = 0
        self.second = 0

    def take(self, payload: bytes, itch50: bool, err: bool = False) -> Outcome:
        if err:
            return Outcome(False, None, self.lost)
        blocks = self._blocks(payload)
        if blocks is None:
            return Outcome(False, "malformed", self.lost)
        session = payload[:10]
        sequence, count = struct.unpack(">QH", payload[10:20])
        new = session != self.session
        known = 0 if new else max(0, self.expected - sequence)  # messages at its front that have come
        if known and known >= len(blocks):
            return Outcome(False, "old", self.lost)
        gap = not new and sequence > self.expected
        if gap:
            self.lost = (self.lost + sequence - self.expected) & MASK64
        if new:
            self.second = 0
        self.session = session
        self.expected = (sequence + len(blocks)) & MASK64
        out = Outcome(True, {0: "heartbeat", 0xFFFF: "end_of_session"}.get(count, "packet"), self.lost, new, gap)
        out.messages = len(blocks) - known
        out.feed = {
            "session": int.from_bytes(session, "big"),
            "first_sequence": sequence + known,
            "lost": self.lost,
            "new_session": int(new),
        }
        for i, (start, length) in enumerate(blocks):
            if i < known:
                continue
            message = payload[start : start + length]
            kind = chr(message[0])
            if kind not in lengths(itch50):
                out.unknown_type += 1
            elif lengths(itch50)[kind] != length:
                out.bad_length += 1
            else:
                event = self._event(message, kind, itch50)
                event["sequence_number"] = (sequence + i) & MASK64
                event["last"] = int(i == len(blocks) - 1)
                out.events.append(event)
                out.ends.append(start + length - 1)
        return out

    @staticmethod
    def _blocks(payload: bytes) -> list[tuple[int, int]] | None:
        """Start and length of every message; None: malformed."""
        if len(payload) < 20:
            return None
        count = int.from_bytes(payload[18:20], "big")
        at, blocks = 20, []
        for _ in range(0 if count == 0xFFFF else count):
            if at + 2 > len(payload):
                return None
            length = int.from_bytes(payload[at : at + 2], "big")
            if length < 5 or at + 2 + length > len(payload):
                return None
            blocks.append((at + 2, length))
            at += 2 + length
        return blocks if at == len(payload) else None

    def _event(self, message: bytes, kind: str, itch50: bool) -> dict[str, int]:
        event = {name: 0 for name, _ in EVENT_FIELDS}
        event["kind"] = KINDS.index(KIND_OF.get(kind, "status"))
        event["message_type"] = ord(kind)
        if kind == "T":
            self.second = int.from_bytes(message[1:5], "big")
        elif itch50:
            event["nanoseconds"] = int.from_bytes(message[5:11], "big")
        else:
            event["nanoseconds"] = int.from_bytes(message[1:5], "big")
        event["seconds"] = 0 if itch50 else self.second
        at = 11 if itch50 else 5
        for name, size in BODY.get(kind, []):
            part = message[at : at + size]
            at += size
            if name == "side":
                event["side"] = int(part != b"B")
            elif name == "non_printable":
                event[name] = int(part == b"N")
            elif name != "-":
                event[name] = int.from_bytes(part, "big")
            if name == "symbol":
                event["has_symbol"] = 1
        if kind in "PQ" and (event["quantity"] == 0 or event["price"] == 0):
            event["kind"] = KINDS.index("status")
        return event
