"""Drives control_plane_tb: frames onto the MII, and what the control plane sends and the host gets; scapy reads and makes the frames."""

import random
from collections import Counter, deque
from collections.abc import Callable

from cocotb.clock import Clock
from cocotb.triggers import First, RisingEdge, Timer
from cocotb.utils import get_sim_time
from net_model import Mii, with_fcs, zero_sum
from pins import Pins
from scapy.layers.inet import ICMP, IP
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Packet, Raw

LOCAL_MAC, LOCAL_IP = "02:00:00:00:00:01", "10.0.0.1"
PEER_MAC, PEER_IP = "02:00:00:00:00:99", "10.0.0.2"
OTHER_MAC, OTHER_IP = "02:00:00:00:00:77", "10.0.0.7"
BROADCAST = "ff:ff:ff:ff:ff:ff"
# control_event_t, its last member first: bit 0.
EVENTS = [
    "igmp_report",
    "igmp_refused",
    "igmp_query",
    "icmp_refused",
    "icmp_answer",
    "arp_conflict",
    "arp_poison",
    "arp_refused",
    "arp_request",
    "arp_answer",
    "overflow",
]


def number(address: str) -> int:
    """A MAC or IPv4 address as its register has it."""
    if ":" in address:
        return int(address.replace(":", ""), 16)
    return int.from_bytes(bytes(map(int, address.split("."))), "big")


def read(frame: bytes) -> Packet:
    """A frame the hardware sent, every checksum in it verified against scapy's own."""
    packet = Ether(frame)
    if IP in packet:
        header = frame[14 : 14 + 4 * packet[IP].ihl]
        message = frame[14 + len(header) : 14 + packet[IP].len]
        assert packet[IP].len == len(frame) - 14, "the frame is longer than the packet"
        assert zero_sum(header), "IPv4 checksum"
        assert zero_sum(message), "ICMP or IGMP checksum"
        again = packet[IP].copy()
        del again.chksum
        assert IP(bytes(again)).chksum == packet[IP].chksum
    return packet


class Bench:
    """The control plane between a MII and the host; nothing moves except in `step`."""

    def __init__(self, dut, seed: int = 1) -> None:
        self.dut = Pins(dut)
        self.width = len(dut.mii_data)
        self.lanes = self.width // 8
        self.rng = random.Random(seed)
        self.now = 0
        self.octets: deque[int] = deque()
        self.sent: list[tuple[int, bytes]] = []  # cycle of the first beat, frame
        self.host: list[bytes] = []
        self.beats = {"out": b"", "host": b""}
        self.begun = 0
        self.held: tuple[int, int, bool] | None = None
        self.events: Counter[str] = Counter()
        self.ready = 1.0
        self.quiet = False  # in the last cycle nothing was sent, given to the host, or told
        self.tick_every = 0  # cycles in a millisecond, as far as the design knows; 0: time stands still

    async def start(self, quiet: bool = True, **settings: int) -> None:
        """Reset, and the announcements of the beginning thrown away if `quiet`."""
        dut = self.dut
        Clock(dut.clk, 2, "ns").start()
        values = {
            "enable": 1,
            "local_mac": number(LOCAL_MAC),
            "local_ip": number(LOCAL_IP),
            "group": 0,
            "port": 26400,
            "resolve_valid": 0,
            "resolve_ip": 0,
            "pinned": 0,
            **settings,
        }
        for name, value in values.items():
            getattr(dut, name).value = value
        self.idle()
        dut.put(millisecond=0, out_ready=1)
        dut.rst.value = 1
        for _ in range(8):
            await RisingEdge(dut.clk)
        dut.rst.value = 0
        if quiet:
            await self.run(100)
            self.tick_every = 1
            await self.run(320)  # the second announcement comes two seconds after the first
            self.tick_every = 0
            await self.run(100)
            self.sent.clear()
            self.events.clear()

    def idle(self) -> None:
        data, control = (0, 0) if self.width == 8 else (0x0707070707070707, 0xFF)
        self.dut.put(mii_data=data, mii_control=control, mii_error=0)

    def put(self, frame: bytes | Packet, fcs: bool = True, **how) -> None:
        """A frame onto the MII, padded to 60 bytes, with its FCS."""
        mii = Mii(self.width, list(self.octets))
        data = bytes(frame).ljust(60, b"\0")
        how.setdefault("lane", self.rng.choice((0, 4)))
        mii.frame(with_fcs(data) if fcs else data, **how)
        self.octets = deque(mii.octets)

    async def step(self) -> None:
        dut = self.dut
        if self.octets:
            beat = [self.octets.popleft() if self.octets else (0x107 if self.width == 64 else 0) for _ in range(self.lanes)]
            dut.put(
                mii_data=int.from_bytes(bytes(octet & 255 for octet in beat), "little"),
                mii_control=sum((octet >> 8 & 1) << lane for lane, octet in enumerate(beat)),
                mii_error=int(self.width == 8 and beat[0] >> 9),
            )
        else:
            self.idle()
        ready = self.rng.random() < self.ready
        dut.put(out_ready=ready, millisecond=bool(self.tick_every) and self.now % self.tick_every == 0)
        await RisingEdge(dut.clk)
        self.quiet = not dut.active.value
        events = int(dut.events.value)
        if events:
            self.events.update(name for i, name in enumerate(EVENTS) if events >> i & 1)
        on_out = None
        if dut.out_valid.value:
            on_out = (int(dut.out_data.value), int(dut.out_keep.value), bool(dut.out_last.value))
            if not self.beats["out"] and self.held is None:
                self.begun = self.now
        elif self.beats["out"]:
            raise AssertionError(f"cycle {self.now}: a pause within a frame")
        assert self.held is None or on_out == self.held, f"cycle {self.now}: a beat that waited changed"
        self.held = None if ready else on_out
        if on_out and ready:
            self.take("out", *on_out)
        if dut.host_valid.value:
            self.take("host", int(dut.host_data.value), int(dut.host_keep.value), bool(dut.host_last.value))
        self.now += 1

    def take(self, port: str, data: int, keep: int, last: bool) -> None:
        octets = data.to_bytes(self.lanes, "little")
        count = keep.bit_length()
        assert count
        assert keep == (1 << count) - 1, f"keep {keep:b}"
        assert last or count == self.lanes, f"keep {keep:b} within a frame"
        assert port == "host" or not any(octets[count:]), "bytes outside keep"
        self.beats[port] += octets[:count]
        if last:
            if port == "out":
                self.sent.append((self.begun, self.beats[port]))
            else:
                self.host.append(self.beats[port])
            self.beats[port] = b""

    async def run(self, cycles: int) -> None:
        end = self.now + cycles
        while self.now < end:
            await self.step()
            if self.quiet and not self.octets and self.ready >= 1.0:
                next_tick = self.now + -self.now % self.tick_every if self.tick_every else end
                await self.sleep(min(end, next_tick) - self.now - 1)

    async def sleep(self, cycles: int) -> None:
        """So many cycles with nothing on the inputs, in one wait; fewer if the design has something to say: the next step sees it."""
        if cycles < 4:  # shorter than it takes to wait
            return
        self.idle()
        self.dut.put(out_ready=1, millisecond=0)
        began = get_sim_time("ns")
        # After an edge, at which `active` may rise, and before the next.
        await First(RisingEdge(self.dut.design.active), Timer(2 * cycles + 1, "ns"))
        self.now += int(get_sim_time("ns") - began) // 2

    async def until(self, condition: Callable[[], bool], limit: int = 20_000) -> None:
        begin = self.now
        while not condition():
            assert self.now < begin + limit, f"nothing in {limit} cycles"
            await self.step()

    async def play(self, rest: int = 400) -> list[Packet]:
        """All frames put, and `rest` cycles more; what was sent since the last call."""
        before = len(self.sent)
        while self.octets:
            await self.step()
        await self.run(rest)
        return [read(frame) for _, frame in self.sent[before:]]


def arp(op: int | str = "who-has", dst: str = BROADCAST, **fields) -> Packet:
    """From the peer, for us, unless `fields` say otherwise."""
    known = {"hwsrc": PEER_MAC, "psrc": PEER_IP, "hwdst": "00:00:00:00:00:00", "pdst": LOCAL_IP, **fields}
    return Ether(dst=dst, src=known["hwsrc"]) / ARP(op=op, **known)


def ping(payload: bytes = b"", dst: str = LOCAL_MAC, ip: str = LOCAL_IP, icmp: dict | None = None, **fields) -> Packet:
    """An echo request of the peer to us, unless `icmp` and `fields`, of the two headers, say otherwise."""
    return (
        Ether(dst=dst, src=PEER_MAC)
        / IP(**{"src": PEER_IP, "dst": ip, **fields})
        / ICMP(**{"id": 7, "seq": 9, **(icmp or {})})
        / Raw(payload)
    )
