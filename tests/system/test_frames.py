"""tshark reads every frame that the core sends, all checksums verified, and has no complaint.

One session with everything in it: ARP, ping, TCP with orders, retransmissions, and its end. The frames are
taken where they leave the core, before the line loses any.
"""

import socket
import struct
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "rtl"))

from bad_line import WIDTHS
from capture import GOOD, Capture, read, tshark_missing
from fix_server import Server
from impaired import Cable, Impairment
from namespace import CORE_IP, CORE_MAC, KERNEL_IP, KERNEL_MAC, TAP, Namespace, missing, simulation
from order_desk import DESK, GROUP, PORT, session, stop

REASON = missing() or tshark_missing()
pytestmark = pytest.mark.skipif(REASON is not None, reason=REASON or "")

ORDERS = 100
SECOND = 1_000_000_000


def feed() -> None:
    """Eight seconds of a market that the core has no use for, by ITCH 5.0 over MoldUDP64."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        line.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(KERNEL_IP))
        for sequence in range(1, 9):
            at = (34_200 + sequence) * SECOND
            add = struct.pack(">cHH6sQcI8sI", b"A", 1, 0, at.to_bytes(6, "big"), sequence, b"B", 100, b"ABC     ", 95_000)
            line.sendto(struct.pack(">10sQHH", b"KERNEL0001", sequence, 1, len(add)) + add, (GROUP, 26_400))
            time.sleep(0.05)


def ping() -> None:
    """Asks, whatever the line does with the answers."""
    head = struct.pack(">BBHHH", 8, 0, 0, 77, 1)
    for length in (8, 57, 1400):
        payload = bytes(i % 256 for i in range(length))
        padded = head + payload + b"\0" * (length % 2)
        total = sum(struct.unpack(f">{len(padded) // 2}H", padded))
        total = (total & 0xFFFF) + (total >> 16)
        with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as raw:
            raw.sendto(head[:2] + struct.pack(">H", 0xFFFF - (total & 0xFFFF) - (total >> 16)) + head[4:] + payload, (CORE_IP, 0))
        time.sleep(0.05)


def orders(server: Server) -> None:
    heard = time.monotonic()
    while len(server.messages) < 1 + ORDERS:
        assert time.monotonic() < heard + 60, f"{len(server.messages) - 1} orders"
        server.trade("ABC", "9.99")
        if server.receive(0.02):
            heard = time.monotonic()


def record(width: int, folder: Path) -> Capture:
    """All frames on the core's line of such a session."""
    capture = Capture()

    def watch(_: bool, frame: bytes) -> None:
        capture.add(frame)

    with Namespace() as namespace:
        namespace.interface(TAP, "02:54:57:00:00:03", None)
        namespace.interface("server0", KERNEL_MAC, KERNEL_IP)
        cable = namespace.inside(lambda: Cable(TAP, "server0", Impairment(loss=0.05), 4, watch))
        carrying = namespace.start(cable.run)
        desk = folder / "desk.toml"
        stops = ", ".join(stop(quantity) for quantity in range(1, ORDERS + 1))
        desk.write_text(DESK + session(stops, f"{WIDTHS}\nrto_minimum_ms = 20"))
        try:
            server = namespace.inside(lambda: Server(KERNEL_IP, PORT))
            with simulation(namespace, desk, width) as core:
                server.accept(120)
                server.log_on(120)
                core.wait_for("logged_on", seconds=120)
                parts: tuple[Callable[[], None], ...] = (ping, feed, lambda: orders(server), ping)
                for part in parts:
                    namespace.inside(part)
                core.interrupt()
                server.log_out(60)
                core.end()
                [summary] = core.of_type("session")
            server.close()
        finally:
            cable.stop.set()
            carrying.result(timeout=5)
    assert summary["counters"]["tcp_retransmission"] > 0, "the line was too good"
    return capture


@pytest.mark.parametrize("width", [64])
def test_tshark_reads_every_frame_of_a_session_without_a_complaint(tmp_path: Path, width: int) -> None:
    capture = record(width, tmp_path)
    file = tmp_path / "session.pcap"
    capture.write(file)
    frames = [frame for frame in read(file, PORT) if frame.source == CORE_MAC]
    assert len(frames) == sum(frame[6:12] == bytes.fromhex(CORE_MAC.replace(":", "")) for _, frame in capture.frames)

    seen = Counter(frame.protocols[-1] if "tcp" not in frame.protocols else "tcp" for frame in frames)
    print(seen, Counter(kind for frame in frames for kind in frame.fix))
    for kind in ("arp", "tcp"):
        assert seen[kind] > 0, seen
    assert sum("icmp" in frame.protocols for frame in frames) > 0
    assert sum(frame.fix.count("D") for frame in frames) >= ORDERS

    for frame in frames:
        assert frame.complaints == (), frame
        for name, statuses in frame.checksums.items():
            assert set(statuses) == {GOOD}, (name, frame)
        if "ip" in frame.protocols:
            assert {protocol for protocol in ("tcp", "udp", "icmp", "igmp", "ip") if protocol in frame.protocols} == {
                name.split(".")[0] for name in frame.checksums
            }, frame


def test_tshark_complains_of_a_frame_with_a_wrong_bit(tmp_path: Path) -> None:
    """The check above is not blind: a bit of a checksum, of a length, of a FIX message."""
    body = b"35=0\x0149=A\x0156=B\x0134=2\x0152=20261121-00:00:00.000\x01"
    message = b"8=FIX.4.4\x019=%d\x01" % len(body) + body
    message += b"10=%03d\x01" % (sum(message) % 256)
    good = tcp_frame(message)
    wrong_fix = tcp_frame(message[:-3] + b"9" + message[-2:] if message[-3:-2] != b"9" else message[:-3] + b"8" + message[-2:])
    for name, frame in {
        "good": good,
        "IP checksum": good[:24] + bytes((good[24] ^ 1,)) + good[25:],
        "TCP checksum": good[:50] + bytes((good[50] ^ 1,)) + good[51:],
        "header length of TCP": good[:46] + b"\x10" + good[47:],
        "CheckSum of FIX": wrong_fix,
    }.items():
        capture = Capture()
        capture.add(frame)
        capture.write(tmp_path / "one.pcap")
        [told] = read(tmp_path / "one.pcap", PORT)
        fine = not told.complaints and all(status == GOOD for statuses in told.checksums.values() for status in statuses)
        assert fine == (name == "good"), (name, told)


def tcp_frame(payload: bytes) -> bytes:
    def checksum(data: bytes) -> bytes:
        total = sum(struct.unpack(f">{(len(data) + 1) // 2}H", data + b"\0" * (len(data) % 2)))
        while total >> 16:
            total = (total & 0xFFFF) + (total >> 16)
        return struct.pack(">H", 0xFFFF - total)

    addresses = socket.inet_aton(CORE_IP) + socket.inet_aton(KERNEL_IP)
    tcp = struct.pack(">HHIIBBHHH", 50_000, PORT, 1, 1, 5 << 4, 0x18, 1000, 0, 0) + payload
    tcp = tcp[:16] + checksum(addresses + struct.pack(">HH", socket.IPPROTO_TCP, len(tcp)) + tcp) + tcp[18:]
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), 1, 0, 64, socket.IPPROTO_TCP, 0) + addresses
    ip = ip[:10] + checksum(ip) + ip[12:]
    macs = bytes.fromhex((KERNEL_MAC + CORE_MAC).replace(":", ""))
    return macs + b"\x08\x00" + ip + tcp
