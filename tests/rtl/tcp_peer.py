"""A TCP peer in plain Python, the server that tcp_engine talks to: frames in, frames out, no knowledge of the hardware.

It checks every frame it is given as a careful receiver would, stores what it received in order, acknowledges, and sends data with
retransmission. What the network does to frames in between is up to the test.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Raw

CLIENT_MAC = "02:00:00:00:00:01"
PEER_MAC = "02:00:00:00:00:99"
CLIENT_IP = "10.0.0.1"
PEER_IP = "10.0.0.2"
CLIENT_PORT = 40001
PEER_PORT = 9876

MODULUS = 1 << 32


@dataclass(frozen=True)
class Ends:
    """The addresses of a session."""

    client_port: int = CLIENT_PORT
    peer_mac: str = PEER_MAC
    peer_ip: str = PEER_IP
    peer_port: int = PEER_PORT


ENDS = Ends()


def zero_sum(data: bytes) -> bool:
    """Whether 16-bit words add up to zero in ones' complement."""
    return int.from_bytes(data + b"\0" * (len(data) % 2), "big") % 65535 == 0


def distance(a: int, b: int) -> int:
    """b - a in sequence space, -2^31 to 2^31 - 1."""
    return (b - a + MODULUS // 2) % MODULUS - MODULUS // 2


@dataclass(frozen=True)
class Segment:
    """What is in a frame of the client."""

    seq: int
    ack: int
    flags: str  # scapy's letters
    window: int
    payload: bytes
    options: tuple[tuple[str, object], ...] = ()

    @property
    def length(self) -> int:
        """In sequence numbers."""
        return len(self.payload) + ("S" in self.flags) + ("F" in self.flags)


def parse(frame: bytes, ends: Ends = ENDS) -> Segment:
    """A frame of the client, without padding and FCS; every field that has one right value is compared with it."""
    assert frame[:14] == bytes.fromhex((ends.peer_mac + CLIENT_MAC).replace(":", "")) + b"\x08\x00"
    packet = IP(frame[14:])
    assert (packet.version, packet.ihl, packet.tos, packet.id, str(packet.flags), packet.frag, packet.ttl) == (4, 5, 0, 0, "DF", 0, 64)
    assert (packet.src, packet.dst, packet.proto) == (CLIENT_IP, ends.peer_ip, 6)
    assert packet.len == len(frame) - 14
    assert zero_sum(frame[14:34])
    segment = frame[34:]
    assert zero_sum(frame[26:34] + bytes([0, 6]) + len(segment).to_bytes(2, "big") + segment), "TCP checksum"
    tcp = packet[TCP]
    assert (tcp.sport, tcp.dport, tcp.urgptr, tcp.reserved) == (ends.client_port, ends.peer_port, 0, 0)
    payload = segment[4 * tcp.dataofs :]
    return Segment(tcp.seq, tcp.ack, str(tcp.flags), tcp.window, payload, tuple(tcp.options))


def build(
    seq: int,
    ack: int,
    flags: str,
    payload: bytes = b"",
    window: int = 60000,
    options: list[tuple[str, object]] | None = None,
    vlan: int | None = None,
    ip_fields: dict[str, object] | None = None,
    tcp_fields: dict[str, object] | None = None,
    mac: str = CLIENT_MAC,
    ends: Ends = ENDS,
) -> bytes:
    """A frame of the peer, without padding and FCS."""
    ether = Ether(src=ends.peer_mac, dst=mac)
    if vlan is not None:
        ether = ether / Dot1Q(vlan=vlan)
    ip = IP(**{"src": ends.peer_ip, "dst": CLIENT_IP, "id": 7, "flags": "DF", **(ip_fields or {})})
    fields = {"sport": ends.peer_port, "dport": ends.client_port, "seq": seq % MODULUS, "ack": ack % MODULUS, "flags": flags}
    tcp = TCP(**{**fields, "window": window, "options": options or [], **(tcp_fields or {})})
    return bytes(ether / ip / tcp / Raw(payload)) if payload else bytes(ether / ip / tcp)


@dataclass
class Peer:
    """Listens, accepts, receives, sends. `transmit` puts a frame on its wire; `now` is in the unit of `timeout`."""

    transmit: Callable[[bytes], None]
    initial: int = 1_000_000
    window: int = 60000
    mss: int | None = 1460
    timeout: int = 3000
    state: str = "listen"
    una: int = 0
    nxt: int = 0
    expected: int = 0
    received: bytearray = field(default_factory=bytearray)
    early: dict[int, bytes] = field(default_factory=dict)
    unsent: bytearray = field(default_factory=bytearray)
    flight: bytes = b""
    fin_wanted: bool = False
    fin_seq: int | None = None
    client_fin: int | None = None
    client_initial: int = 0
    highest_ack: int = 0  # the client ever sent
    edge: int = 0  # of the window, the furthest ever announced
    segments: list[Segment] = field(default_factory=list)
    doubled: int = 0
    sent_at: int = 0
    now: int = 0
    ack_data: bool = True  # off: takes nothing in, sends nothing
    segment_size: Callable[[], int] = lambda: 200
    ends: Ends = ENDS

    def reply(self, flags: str = "A", payload: bytes = b"", seq: int | None = None, **fields: object) -> None:
        """Send a segment with the present acknowledgment and window."""
        self.edge = max(self.edge, self.expected + self.window, key=lambda edge: distance(self.client_initial, edge % MODULUS))
        self.transmit(build(self.nxt if seq is None else seq, self.expected, flags, payload, self.window, ends=self.ends, **fields))  # type: ignore[arg-type]

    def take(self, frame: bytes) -> None:
        """A frame of the client arrives."""
        segment = parse(frame, self.ends)
        self.segments.append(segment)
        if "R" in segment.flags:
            self.state = "reset"
            return
        if "S" in segment.flags:
            if self.state in ("listen", "accepting"):
                self.state = "accepting"
                self.client_initial = segment.seq
                self.expected = (segment.seq + 1) % MODULUS
                self.una, self.nxt = self.initial % MODULUS, (self.initial + 1) % MODULUS
                self.answer_syn()
            return
        if self.state == "accepting" and segment.ack == self.nxt:
            self.state = "open"
            self.una = self.nxt
        if self.state in ("listen", "accepting", "reset") or not self.ack_data:
            return
        # Never beyond the window: the furthest that we announced.
        if segment.payload:
            assert distance((segment.seq + len(segment.payload)) % MODULUS, self.edge % MODULUS) >= 0, "sent beyond the window"
        self.acknowledged(segment.ack)
        self.data(segment)

    def answer_syn(self) -> None:
        options: list[tuple[str, object]] = [("MSS", self.mss)] if self.mss else []
        self.edge = self.expected + self.window
        self.sent_at = self.now
        self.transmit(build(self.initial, self.expected, "SA", b"", self.window, options, ends=self.ends))

    def acknowledged(self, ack: int) -> None:
        done = distance(self.una, ack)
        outstanding = len(self.flight) + (self.fin_seq is not None)
        assert -70000 < done <= outstanding, "acknowledges what was not sent"
        if done > 0:
            self.flight = self.flight[done:]
            self.una = ack
            self.sent_at = self.now

    def data(self, segment: Segment) -> None:
        offset = distance(self.expected, segment.seq)
        payload = segment.payload
        if "F" in segment.flags:
            self.client_fin = (segment.seq + len(payload)) % MODULUS
        if payload:
            if offset <= 0:
                if -offset < len(payload):
                    self.accept(payload[-offset:])
                else:
                    self.doubled += 1
            else:
                self.early[segment.seq] = max(self.early.get(segment.seq, b""), payload, key=len)
            while (after := self.from_early()) is not None:
                self.accept(after)
        if self.client_fin == self.expected and self.state == "open":
            self.expected = (self.expected + 1) % MODULUS
            self.state = "half"
        # Anything that takes sequence numbers, and what is not where it should be, is answered.
        if segment.length or offset != 0:
            self.reply()

    def from_early(self) -> bytes | None:
        for seq, payload in list(self.early.items()):
            skip = distance(seq, self.expected)
            if skip >= 0:
                del self.early[seq]
                if skip < len(payload):
                    return payload[skip:]
        return None

    def accept(self, payload: bytes) -> None:
        self.received += payload
        self.expected = (self.expected + len(payload)) % MODULUS

    def send(self, data: bytes) -> None:
        self.unsent += data

    def burst(self, *payloads: bytes) -> None:
        """Send segments one after the other, whether or not those before are acknowledged; nothing else may be under way."""
        assert not self.flight
        assert not self.unsent
        self.sent_at = self.now
        self.flight = b"".join(payloads)
        seq = self.una
        self.nxt = (self.una + len(self.flight)) % MODULUS
        for payload in payloads:
            self.reply("PA", payload, seq)
            seq = (seq + len(payload)) % MODULUS

    def tick(self, now: int) -> None:
        """Time passes: send what waits, one segment at a time; again after a while."""
        self.now = now
        if self.state == "accepting" and now - self.sent_at >= self.timeout:
            self.answer_syn()
        if self.state not in ("open", "half"):
            return
        if (self.flight or (self.fin_seq is not None and self.una == self.fin_seq)) and now - self.sent_at >= self.timeout:
            self.sent_at = now
            if self.flight:
                self.reply("PA", self.flight, self.una)
            else:
                self.reply("FA", b"", self.una)
        if not self.flight and self.unsent:
            size = self.segment_size()
            self.flight = bytes(self.unsent[:size])
            del self.unsent[:size]
            self.sent_at = now
            self.nxt = (self.una + len(self.flight)) % MODULUS
            self.reply("PA", self.flight, self.una)
        elif not self.flight and self.fin_wanted and self.fin_seq is None:
            self.fin_seq = self.nxt
            self.reply("FA")
            self.nxt = (self.nxt + 1) % MODULUS
            self.sent_at = now


@dataclass
class Network:
    """The network in between: frames are late, lost, doubled, overtaken, damaged."""

    rng: random.Random
    deliver: Callable[[bytes], None]
    delay: int = 20
    jitter: int = 0
    loss: float = 0.0
    double: float = 0.0
    damage: float = 0.0
    waiting: list[tuple[int, int, bytes]] = field(default_factory=list)
    count: int = 0
    lost: int = 0

    def put(self, now: int, frame: bytes) -> None:
        copies = 0 if self.rng.random() < self.loss else 2 if self.rng.random() < self.double else 1
        self.lost += copies == 0
        for _ in range(copies):
            if self.rng.random() < self.damage:
                at = self.rng.randrange(14, len(frame))
                frame = frame[:at] + bytes([frame[at] ^ 1 << self.rng.randrange(8)]) + frame[at + 1 :]
            self.count += 1
            self.waiting.append((now + self.delay + self.rng.randint(0, self.jitter), self.count, frame))
        self.waiting.sort()

    def tick(self, now: int) -> None:
        while self.waiting and self.waiting[0][0] <= now:
            self.deliver(self.waiting.pop(0)[2])
