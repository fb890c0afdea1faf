"""Drives tcp_engine_tb: frames onto the line, orders and host messages in, what comes out into a network with a peer at its end."""

import random
import zlib
from collections import Counter, deque
from ipaddress import IPv4Address

from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from pins import Pins
from tcp_peer import CLIENT_MAC, ENDS, Ends, Network, Peer

# tcp_event_t, its last member first: bit 0.
EVENTS = [
    "sent",
    "host_refused",
    "full",
    "given_up",
    "fast",
    "retransmission",
    "reset_sent",
    "reset_received",
    "challenge",
    "refused_ack",
    "refused_syn",
    "refused_rst",
    "out_of_order",
    "checksum_error",
    "segment",
]
STATES = [
    "closed",
    "syn_sent",
    "syn_received",
    "established",
    "fin_wait_1",
    "fin_wait_2",
    "close_wait",
    "closing",
    "last_ack",
    "time_wait",
]
SUM_AFTER = {8: 47, 64: 4}  # cycles after an order's acceptance from which its sum must be there
PAYLOAD_AFTER = {8: 53, 64: 5}


def ones_sum(data: bytes) -> int:
    """Ones'-complement sum of 16-bit words; 0xffff where 65,535 divides a sum that is not zero."""
    value = int.from_bytes(data + b"\0" * (len(data) % 2), "big")
    return value % 65535 or (65535 if value else 0)


class Bench:
    """A session's two ends. A tick (what the engine takes for a microsecond) is a cycle."""

    at_once = True  # an order's frame begins in the cycle in which the order is accepted

    def __init__(self, dut, seed: int = 1, ends: Ends = ENDS, **network: float) -> None:
        self.dut = Pins(dut)
        self.ends = ends
        self.width = len(dut.line_data)
        self.size = self.width // 8
        self.rng = random.Random(seed)
        self.cycle = 0
        self.to_client = Network(random.Random(seed + 1), self.put_on_line, **network)  # type: ignore[arg-type]
        # What is damaged on the way to the peer fails its FCS: a loss. On the way here the FCS is made after the damage.
        network["loss"] = network.get("loss", 0.0) + network.pop("damage", 0.0)
        self.to_peer = Network(random.Random(seed + 2), lambda frame: self.peer.take(frame), **network)  # type: ignore[arg-type]
        self.peer = Peer(lambda frame: self.to_client.put(self.cycle, frame), ends=ends)
        self.beats: deque[tuple[int, int, int, int, int]] = deque()  # data, first, offset, stop, last
        self.frames: list[tuple[int, bytes]] = []  # of the engine: cycle of the first beat
        self.frame = bytearray()
        self.frame_at: int | None = None  # its first beat
        self.received = bytearray()  # payload that proved good
        self.partial = bytearray()
        self.refused = 0  # payloads that ended in err
        self.passed = bytearray()  # of `lanes`, of segments that proved good
        self.passing = bytearray()
        self.passed_at = [0, 0]  # cycles of the last bytes and of the verdict
        self.payload_at: list[int] = []  # cycle of a payload's first beat
        self.orders: deque[bytes] = deque()
        self.order: bytes | None = None  # being sent
        self.order_at = 0
        self.order_beat = 0
        self.accepted: list[int] = []  # cycles
        self.payload_taken: list[int] = []  # cycles of an order's payload beats
        self.sent = bytearray()  # what the writers wrote, in the order it first left
        self.next_seq = 0  # length of what was not sent before
        self.host: deque[bytes] = deque()
        self.host_offered: deque[bytes] = deque()  # waits in the engine
        self.host_beat = 0
        self.events: Counter[str] = Counter()
        self.ready_share = 1.0
        self.line_busy = False
        self.line_at = 0  # cycle of the last frame's first beat
        self.line_offset = 0
        self.stalled = 0

    def set_up(self, **settings: int) -> None:
        values = {
            "tick": 1,
            "local_mac": int(CLIENT_MAC.replace(":", ""), 16),
            "local_ip": 0x0A000001,
            "local_port": self.ends.client_port,
            "peer_ip": int(IPv4Address(self.ends.peer_ip)),
            "peer_port": self.ends.peer_port,
            "mss": 1460,
            "secret": 0x12345678,
            "rto_initial": 6000,
            "rto_minimum": 3000,
            "rto_maximum": 60000,
            "keep_alive": 0,
            "time_wait": 5000,
            "retries": 8,
            "connect": 0,
            "close": 0,
            "reset_session": 0,
            "peer_mac_valid": 1,
            "peer_mac": int(self.ends.peer_mac.replace(":", ""), 16),
            "receive_window": 40000,
            "order_length": 200,
            "line_error": 0,
            "out_ready": 1,
            **settings,
        }
        for name, value in values.items():
            getattr(self.dut, name).value = value
        self.dut.put(line_valid=0, order_valid=0, host_valid=0)

    async def start(self, **settings: int) -> None:
        dut = self.dut
        Clock(dut.clk, 2, "ns").start()
        self.set_up(**settings)
        dut.rst.value = 1
        for _ in range(4):
            await RisingEdge(dut.clk)
        dut.rst.value = 0
        for _ in range(12):
            await self.step()

    # ---- line -------------------------------------------------------------------------------------

    def put_on_line(self, frame: bytes) -> None:
        """With FCS, in either lane; at least the shortest gap before it."""
        data = frame.ljust(60, b"\0")
        data += zlib.crc32(data).to_bytes(4, "little")
        offset = int(self.size == 8 and self.rng.random() < 0.5)
        data = bytes(4 * offset) + data
        self.beats += [(0, 0, offset, self.size, 0)] * (1 if self.size == 8 else 9)
        parts = [data[i : i + self.size] for i in range(0, len(data), self.size)]
        for i, part in enumerate(parts):
            self.beats.append((int.from_bytes(part, "little"), i == 0, offset, len(part), i + 1 == len(parts)))
        self.beats.append((0, 0, offset, self.size, 0))

    def drive_line(self) -> None:
        dut = self.dut
        if self.beats:
            data, first, offset, stop, last = self.beats.popleft()
            dut.put(line_valid=int(first or self.line_busy))
            self.line_busy = bool((first or self.line_busy) and not last)
            if first:
                self.line_at, self.line_offset = self.cycle, offset
            dut.put(line_data=data, line_first=int(first), line_offset=offset, line_stop=stop, line_last=int(last))
        else:
            dut.put(line_valid=0)

    # ---- writers ----------------------------------------------------------------------------------

    def drive_orders(self) -> None:
        dut = self.dut
        dut.put(order_valid=int(bool(self.orders) and self.order is None))
        if self.order is not None:
            part = self.order[self.order_beat * self.size :][: self.size]
            part += self.rng.randbytes(self.size - len(part))
            dut.order_payload.value = int.from_bytes(part, "little")
            early = self.cycle < self.order_at + SUM_AFTER[self.width]
            dut.order_sum.value = self.rng.getrandbits(16) if early else ones_sum(self.order)

    def drive_host(self) -> None:
        dut = self.dut
        dut.put(host_valid=int(bool(self.host)))
        if self.host:
            message = self.host[0]
            part = message[self.host_beat * self.size :][: self.size]
            last = int((self.host_beat + 1) * self.size >= len(message))
            dut.put(host_data=int.from_bytes(part, "little"), host_keep=(1 << len(part)) - 1, host_last=last)

    # ---- a cycle ----------------------------------------------------------------------------------

    async def step(self) -> None:
        self.pass_time()
        self.drive_line()
        self.drive_orders()
        self.drive_host()
        # At W=64 a sink that takes a frame's first beat takes it to its end.
        ready = self.ready_share >= 1.0 or (self.size == 8 and bool(self.frame)) or self.rng.random() < self.ready_share
        if self.ready_share < 1.0:
            self.dut.out_ready.value = int(ready)
        await RisingEdge(self.dut.clk)
        self.watch_writers()
        self.watch_frames(ready)
        self.watch_received()

    def pass_time(self) -> None:
        self.peer.tick(self.cycle)
        self.to_client.tick(self.cycle)
        self.to_peer.tick(self.cycle)

    def watch_writers(self) -> None:
        dut = self.dut
        if self.order is None and self.orders and dut.order_ready.value:
            self.order = self.orders.popleft()
            self.order_at = self.cycle
            self.order_beat = 0
            self.accepted.append(self.cycle)
        elif self.order is not None and dut.order_payload_ready.value:
            self.order_beat += 1
            self.payload_taken.append(self.cycle)
        if self.host and dut.host_ready.value:
            self.host_beat += 1
            if self.host_beat * self.size >= len(self.host[0]):
                self.host_offered.append(self.host.popleft())
                self.host_beat = 0

    def watch_received(self) -> None:
        self.watch_lanes()
        self.watch_payload()
        events = int(self.dut.events.value)
        if events:
            for i, name in enumerate(EVENTS):
                if events >> i & 1:
                    self.events[name] += 1
            if events >> EVENTS.index("host_refused") & 1:
                self.host_offered.popleft()
        self.cycle += 1

    def watch_frames(self, ready: bool) -> None:
        dut = self.dut
        if not dut.out_valid.value:
            if self.frame:
                self.stalled += 1
            return
        if self.frame_at is None:
            self.frame_at = self.cycle
        if not ready:
            return
        keep = int(dut.out_keep.value)
        data = int(dut.out_data.value).to_bytes(self.size, "little")
        count = keep.bit_count()
        assert keep == (1 << count) - 1
        assert data[count:] == bytes(self.size - count)
        self.frame += data[:count]
        if dut.out_last.value:
            at, frame = self.frame_at, bytes(self.frame)
            self.frame_at = None
            self.frame.clear()
            self.left(at, frame)
        else:
            assert count == self.size

    def left(self, at: int, frame: bytes) -> None:
        """A frame has left, whose first beat was there in cycle `at`."""
        self.frames.append((at, frame))
        ordered = self.order is not None and at >= self.order_at
        self.merge(frame, ordered)
        self.to_peer.put(self.cycle, frame)
        if self.order is not None and ordered:
            assert at == self.order_at or not self.at_once
            assert self.order_beat == -(-len(self.order) // self.size)
            self.order = None

    def merge(self, frame: bytes, ordered: bool) -> None:
        """What leaves for the first time is a complete message of one of the writers, unchanged."""
        seq = int.from_bytes(frame[38:42], "big")
        payload = frame[34 + 4 * (frame[46] >> 4) :]
        if frame[47] & 2:  # SYN
            self.next_seq = (seq + 1) % (1 << 32)
        elif payload and seq == self.next_seq:
            message = self.order if ordered else self.host_offered.popleft()
            assert payload == message
            self.sent += payload
            self.next_seq = (seq + len(payload)) % (1 << 32)

    def watch_payload(self) -> None:
        dut = self.dut
        if dut.payload_valid.value:
            if not self.partial:
                self.payload_at.append(self.cycle)
            keep = int(dut.payload_keep.value)
            self.partial += int(dut.payload_data.value).to_bytes(self.size, "little")[: keep.bit_count()]
            if dut.payload_last.value:
                if dut.payload_err.value:
                    self.refused += 1
                else:
                    assert self.passed.endswith(self.partial)  # a cycle ago
                    self.received += self.partial
                self.partial.clear()

    def watch_lanes(self) -> None:
        dut = self.dut
        if dut.lanes_valid.value:
            keep = int(dut.lanes_keep.value)
            data = int(dut.lanes_data.value).to_bytes(self.size, "little")
            if keep:
                assert not dut.lanes_last.value
                first = (keep & -keep).bit_length() - 1
                assert keep + (1 << first) & keep == 0
                assert not self.passing or first == 0
                self.passing += data[first : keep.bit_length()]
            self.passed_at[bool(dut.lanes_last.value)] = self.cycle
            if dut.lanes_last.value:
                assert keep == 0
                if not dut.lanes_err.value:
                    self.passed += self.passing
                self.passing.clear()

    # ---- for tests --------------------------------------------------------------------------------

    @property
    def state(self) -> str:
        return STATES[int(self.dut.state.value)]

    async def pulse(self, name: str) -> None:
        getattr(self.dut, name).value = 1
        await self.step()
        getattr(self.dut, name).value = 0

    async def run(self, cycles: int) -> None:
        for _ in range(cycles):
            await self.step()

    async def until(self, condition, limit: int = 100_000) -> None:
        for _ in range(limit):
            if condition():
                return
            await self.step()
        raise AssertionError(f"not reached within {limit} cycles: state {self.state}, events {dict(self.events)}")

    async def connect(self) -> None:
        await self.pulse("connect")
        await self.until(lambda: self.state == "established" and self.peer.state == "open")
