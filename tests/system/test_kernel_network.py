"""A real Linux kernel multicasts the feed into the simulated MAC and takes the report back on a UDP socket.

In a network namespace of its own, `tickwire sim --tap` attaches the Verilated core to a TAP interface. The kernel's stack makes
and checks every frame: Ethernet, IPv4, UDP and their checksums are nobody's model here. Needs root and iproute2.
"""

import ctypes
import os
import shutil
import signal
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import TypeVar

import pytest

ROOT = Path(__file__).resolve().parents[2]
TICKWIRE = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "tickwire"
NAMESPACE = f"tickwire-{os.getpid()}"
TAP = "tw0"
GROUP, PORT = "239.77.1.1", 26400
KERNEL_IP, KERNEL_MAC, REPORT_PORT = "192.168.77.1", "02:54:57:00:00:02", 26501
CORE_IP, CORE_MAC = "192.168.77.2", "02:54:57:00:00:01"
CLONE_NEWNET = 0x40000000
LIBC = ctypes.CDLL(None, use_errno=True)

T = TypeVar("T")

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


def missing() -> str | None:
    if os.geteuid() != 0:
        return "needs root (network namespaces)"
    if shutil.which("ip") is None:
        return "needs iproute2 (the command ip)"
    if not Path("/dev/net/tun").exists():
        return "needs /dev/net/tun"
    if not TICKWIRE.exists():
        return f"{TICKWIRE} is not built: make build"
    probe = subprocess.run(["ip", "netns", "add", f"{NAMESPACE}-probe"], capture_output=True, text=True, check=False)
    if probe.returncode != 0:
        return f"network namespaces are not allowed here: {probe.stderr.strip()}"
    subprocess.run(["ip", "netns", "delete", f"{NAMESPACE}-probe"], check=True)
    return None


REASON = missing()
pytestmark = pytest.mark.skipif(REASON is not None, reason=REASON or "")


def ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True)


def in_namespace(work: Callable[[], T]) -> T:
    """Runs `work` in a thread inside the namespace: a thread, so that the test itself stays outside."""
    result: Future[T] = Future()

    def enter() -> None:
        try:
            with open(f"/var/run/netns/{NAMESPACE}") as namespace:
                # os.setns came with Python 3.12; Debian 12 has 3.11.
                if LIBC.setns(namespace.fileno(), CLONE_NEWNET):
                    raise OSError(ctypes.get_errno(), "setns")
            result.set_result(work())
        except BaseException as error:  # handed to the caller
            result.set_exception(error)

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    return result.result()


@pytest.fixture(params=[8, 64])
def core(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    desk = tmp_path / "desk.toml"
    desk.write_text(DESK)
    ip("netns", "add", NAMESPACE)
    try:
        inside = ("-n", NAMESPACE)
        ip(*inside, "tuntap", "add", TAP, "mode", "tap")
        ip("netns", "exec", NAMESPACE, "sysctl", "-qw", f"net.ipv6.conf.{TAP}.disable_ipv6=1")
        ip(*inside, "link", "set", TAP, "address", KERNEL_MAC, "up")
        ip(*inside, "address", "add", f"{KERNEL_IP}/24", "dev", TAP)
        ip(*inside, "route", "add", "224.0.0.0/4", "dev", TAP)
        command = ["ip", "netns", "exec", NAMESPACE, str(TICKWIRE), "sim", "--tap", TAP, "--desk", str(desk), "--width", str(request.param)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            yield process
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=20)
        assert process.returncode == 0, errors
    finally:
        ip("netns", "delete", NAMESPACE)


def add_order(nanoseconds: int, side: bytes, shares: int, symbol: bytes, price: int) -> bytes:
    """`A` of ITCH 5.0."""
    return struct.pack(">cHH6sQcI8sI", b"A", 1, 0, nanoseconds.to_bytes(6, "big"), 7, side, shares, symbol.ljust(8), price)


def datagram(sequence: int, *messages: bytes) -> bytes:
    blocks = b"".join(struct.pack(">H", len(message)) + message for message in messages)
    return struct.pack(">10sQH", b"KERNEL0001", sequence, len(messages)) + blocks


def carrier_up() -> bool:
    return "LOWER_UP" in subprocess.run(["ip", "-n", NAMESPACE, "link", "show", TAP], capture_output=True, text=True, check=True).stdout


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


def test_the_kernel_gets_a_report_for_the_second_it_sent(core: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 20
    while not carrier_up():
        assert core.poll() is None, core.communicate()[1]
        assert time.monotonic() < deadline, "the core did not attach to the TAP interface"
        time.sleep(0.05)
    first, second = in_namespace(exchange)

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
