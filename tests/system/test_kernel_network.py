"""A real Linux kernel multicasts the feed into the simulated MAC and takes the report back on a UDP socket.

In a network namespace of its own, `tickwire sim --tap` attaches the Verilated core to a TAP interface. The kernel's stack makes
and checks every frame: Ethernet, IPv4, UDP and their checksums are no model of ours. Needs root and iproute2.
"""

import socket
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from namespace import CORE_IP, CORE_MAC, KERNEL_IP, KERNEL_MAC, TAP, Namespace, missing, simulation

GROUP, PORT = "239.77.1.1", 26400
REPORT_PORT = 26501

DESK = f"""
[feed]
itch = "5.0"
lines = ["{GROUP}:{PORT}"]
[statistics]
symbols = ["AAPL", "MSFT"]
[report]
to = "{KERNEL_IP}:{REPORT_PORT}"
mac = "{KERNEL_MAC}"
[core]
mac = "{CORE_MAC}"
ip = "{CORE_IP}"
"""


REASON = missing()
pytestmark = pytest.mark.skipif(REASON is not None, reason=REASON or "")


@pytest.fixture(params=[64])
def core(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Namespace]:
    """The core on a TAP interface; it ends in good order."""
    desk = tmp_path / "desk.toml"
    desk.write_text(DESK)
    with Namespace() as namespace:
        namespace.interface(TAP, KERNEL_MAC, KERNEL_IP)
        namespace.run("ip", "route", "add", "224.0.0.0/4", "dev", TAP)
        with simulation(namespace, desk, request.param) as running:
            yield namespace
            running.end()


def add_order(nanoseconds: int, side: bytes, shares: int, symbol: bytes, price: int) -> bytes:
    """`A` of ITCH 5.0."""
    return struct.pack(">cHH6sQcI8sI", b"A", 1, 0, nanoseconds.to_bytes(6, "big"), 7, side, shares, symbol.ljust(8), price)


def datagram(sequence: int, *messages: bytes) -> bytes:
    blocks = b"".join(struct.pack(">H", len(message)) + message for message in messages)
    return struct.pack(">10sQH", b"KERNEL0001", sequence, len(messages)) + blocks


def exchange() -> list[bytes]:
    """Two seconds of market, multicast; the reports that came back."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as reports, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as feed:
        reports.bind((KERNEL_IP, REPORT_PORT))
        reports.settimeout(10)
        feed.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(KERNEL_IP))
        feed.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 1)
        second = 1_000_000_000
        got = []
        feed.sendto(datagram(1, add_order(34200 * second, b"B", 100, b"AAPL", 5_850_000)), (GROUP, PORT))
        got.append(reports.recv(2048))
        feed.sendto(
            datagram(
                2,
                add_order(34200 * second + 5, b"B", 300, b"AAPL", 5_849_900),
                add_order(34200 * second + 6, b"S", 50, b"MSFT", 300_100),
                add_order(34200 * second + 7, b"S", 1, b"GOOG", 1),
            ),
            (GROUP, PORT),
        )
        feed.sendto(datagram(5, add_order(34201 * second, b"S", 1, b"AAPL", 1)), (GROUP, PORT))
        got.append(reports.recv(2048))
        return got


def test_the_kernel_gets_a_report_for_the_second_it_sent(core: Namespace) -> None:
    first, second = core.inside(exchange)

    # docs/reference/rules.md, "The report". The first message begins the first second: nothing before it.
    for payload, number, begins, sequence in ((first, 1, 34200, 1), (second, 2, 34201, 5)):
        assert len(payload) == 64 + 2 * 64
        head = struct.unpack(">4sBBBBIIHHH10sQQQQ", payload[:64])
        assert head == (b"TWST", 1, 2, 0, 1, number, begins, 0, 2, 2, b"KERNEL0001", sequence, 0, sequence, 0)
    side = ">IIIQQ"
    nothing = bytes(28)
    assert first[64:] == b"AAPL    " + nothing + nothing + b"MSFT    " + nothing + nothing
    buy = struct.pack(side, 2, 5_849_900, 5_850_000, 400, 5_850_000 + 5_849_900)
    sell = struct.pack(side, 1, 300_100, 300_100, 50, 300_100)
    assert second[64:] == b"AAPL    " + buy + nothing + b"MSFT    " + nothing + sell
