"""The simulated core trades on an order log in FAST: packets are lost, and its book is rebuilt from the exchange's snapshots.

tickwire exchange ─ FAST ─ Relay: loses some ─ tw0 ─ tickwire sim --tap
        └──────────────────── FIX over TCP ─────┘
"""

import json
import re
import select
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "rtl"))

from capture import Capture
from namespace import CORE_IP, CORE_MAC, KERNEL_IP, KERNEL_MAC, ROOT, TAP, TICKWIRE, Namespace, missing, simulation

REASON = missing()
pytestmark = pytest.mark.skipif(REASON is not None, reason=REASON or "")

TEMPLATES = ROOT / "desks" / "fast" / "order-log.xml"
# Of lines A, B and of the snapshots' A, B: where the exchange sends to, and where the core listens.
SENT, HEARD = (25430, 25431, 25432, 25433), (26430, 26431, 26432, 26433)
LOST_BY_BOTH = 200
# Of each socket of the relay: what comes while a busy machine does not let it read.
BUFFER = 4 << 20
SO_RCVBUFFORCE = 33


class Relay:
    """Passes on what the exchange sends, but for every 200th packet of the log, which is lost on both lines."""

    def __init__(self, namespace: Namespace) -> None:
        self.packets: dict[int, bytes] = {}  # of the log, by number
        self.orders: dict[int, str] = {}  # price by MsgSeqNum
        self.listening, self.ended = threading.Event(), threading.Event()
        self.done = namespace.start(self._run)
        assert self.listening.wait(10), "the relay does not listen"

    def _run(self) -> None:
        lines = []
        for port in SENT:
            line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            line.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER)
            line.bind(("127.0.0.1", port))
            lines.append(line)
        onward = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        # What leaves the core and comes to it: its orders are read from there.
        frames = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0800))
        frames.bind((TAP, 0))
        self.listening.set()
        while not self.ended.is_set():
            readable, _, _ = select.select([*lines, frames], [], [], 0.1)
            for ready in readable:
                if ready is frames:
                    self._order(frames.recv(2048))
                    continue
                place, packet = lines.index(ready), ready.recv(2048)
                (number,) = struct.unpack("<I", packet[:4])
                if place < 2:
                    self.packets[number] = packet
                if place >= 2 or number % LOST_BY_BOTH:
                    onward.sendto(packet, (CORE_IP, HEARD[place]))

    def _order(self, frame: bytes) -> None:
        """The price of a NewOrderSingle."""
        sequence, price = re.search(rb"\x0134=(\d+)\x01", frame), re.search(rb"\x0144=([\d.]+)\x01", frame)
        if b"\x0135=D\x01" in frame and sequence and price:
            self.orders[int(sequence[1])] = price[1].decode()

    def numbers(self) -> list[int]:
        """Those of the log's packets."""
        return sorted(self.packets)

    def log(self) -> list[bytes]:
        """The log's packets: all from the first to the last."""
        numbers = self.numbers()
        lost = sorted(set(range(numbers[0], numbers[-1] + 1)) - set(numbers))
        assert not lost, f"the relay itself lost packets {lost[:10]}"
        return [self.packets[number] for number in numbers]

    def wait_for(self, packets: int, seconds: float = 120) -> None:
        """Until the log has so many packets."""
        end = time.monotonic() + seconds
        while len(self.packets) < packets:
            assert time.monotonic() < end, f"{len(self.packets)} packets"
            time.sleep(0.1)

    def anew(self) -> list[int]:
        """Forgets the log and the orders, and gives the log's numbers; the exchange has ended."""
        numbers: list[int] = []
        while numbers != self.numbers():
            numbers = self.numbers()
            time.sleep(0.5)
        self.packets, self.orders = {}, {}
        return numbers

    def prices(self) -> list[int]:
        """Those of the orders, in their order, in 1/10,000."""
        return [int(price.replace(".", "")) for _, price in sorted(self.orders.items())]

    def end(self) -> None:
        self.ended.set()
        self.done.result()


@pytest.fixture
def namespace() -> Iterator[Namespace]:
    with Namespace() as made:
        yield made


def desk() -> str:
    """The shipped desk, for symbol A, with its addresses here."""
    text = (ROOT / "desks" / "order-log.toml").read_text()
    for before, after in (
        ('lines = ["127.0.0.1:26430", "127.0.0.1:26431"]', f'lines = ["{CORE_IP}:26430", "{CORE_IP}:26431"]'),
        ('snapshots = ["127.0.0.1:26432", "127.0.0.1:26433"]', f'snapshots = ["{CORE_IP}:26432", "{CORE_IP}:26433"]'),
        ('"desks/fast/', f'"{ROOT}/desks/fast/'),
        ('"127.0.0.1:9880"', f'"{KERNEL_IP}:9880"'),
        ('to = "127.0.0.1:26501"', f'to = "{KERNEL_IP}:26501"\nmac = "{KERNEL_MAC}"\n[core]\nmac = "{CORE_MAC}"\nip = "{CORE_IP}"'),
        ('sender = "ALICE"', 'sender = "ALICE"\nusername = "ALICE"\npassword = "secret"'),
        ('"AAPL"', '"A"'),
        # A core that reads no prices of the session has that one alone.
        ('collar = "5"', 'collar = "1000", reference_price = "100"'),
        ("quantity = 100", "quantity = 1"),
    ):
        assert before in text, before
        text = text.replace(before, after)
    return text


def best_asks(log: list[bytes], folder: Path) -> list[int]:
    """The best ask of the exchange's one symbol in 1/10,000, whenever it is another: read without the map and the book of core and host."""
    capture = Capture()
    for payload in log:
        udp = struct.pack(">HHHH", 1, 1, 8 + len(payload), 0) + payload
        ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(udp), 0, 0x4000, 64, 17, 0) + bytes(8)
        capture.add(bytes(12) + b"\x08\x00" + ip + udp)
    path = folder / "log.pcap"
    capture.write(path)
    options = ("--templates", str(TEMPLATES), "--framing", "preamble", "--reset-each-packet")
    printed = subprocess.run([str(TICKWIRE), "fast", "decode", *options, str(path)], check=True, capture_output=True, text=True).stdout
    asks: dict[str, int] = {}
    changes: list[int] = []
    for line in printed.splitlines():
        fields: dict[str, Any] = json.loads(line)["fields"]
        for entry in fields.get("Entries", []):
            if entry["MDEntryType"] != "1":
                continue
            if entry["MDUpdateAction"] == 2:
                del asks[entry["MDEntryID"]]
            else:
                mantissa, exponent = entry["MDEntryPx"].split("e")
                # Zeros at a price's end are not sent.
                asks[entry["MDEntryID"]] = int(mantissa) * 10 ** (int(exponent) + 4)
        best = min(asks.values(), default=0)
        if best and (not changes or changes[-1] != best):
            changes.append(best)
    return changes


def made_day(folder: Path) -> Path:
    """A recorded day of two minutes."""
    day = folder / "day.itch50"
    size = ("--symbols", "2", "--messages", "12000", "--seconds", "120")
    subprocess.run([str(TICKWIRE), "generate", "itch", "--out", str(day), *size], check=True, capture_output=True)
    return day


@contextmanager
def exchange(namespace: Namespace, day: Path) -> Iterator[None]:
    """An exchange with the day in its books; its log begins with message 1."""
    options = ["exchange", "--json", "--listen", f"{KERNEL_IP}:9880", "--client", "ALICE:secret", "--symbols", "A", "--replay", str(day)]
    options += ["--prices-to-all", "--fast-templates", str(TEMPLATES), "--fast-snapshot-cycle", "1s"]
    for name, port in zip(("line-a", "line-b", "snapshots-a", "snapshots-b"), SENT, strict=True):
        options += [f"--fast-{name}", f"127.0.0.1:{port}"]
    process = subprocess.Popen(namespace.command(str(TICKWIRE), *options), stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert "listening" in process.stdout.readline()
        yield
    finally:
        process.terminate()
        process.wait()


def check_prices(prices: list[int], log: list[bytes], folder: Path) -> None:
    """It buys at the best ask whenever that is another than before: what it sent is what the log says, but for what it did not see."""
    changes = iter(best_asks(log, folder))
    for place, price in enumerate(prices):
        assert price in changes, f"order {place} of {len(prices)}: {price} is no best ask of the log, or none any more"


@pytest.mark.parametrize("which", [64, "order_log_trader_10g"])
def test_a_core_loses_packets_of_the_log_and_trades_again_after_each_snapshot(
    which: int | str, namespace: Namespace, tmp_path: Path
) -> None:
    namespace.interface(TAP, KERNEL_MAC, KERNEL_IP)
    (tmp_path / "desk.toml").write_text(desk())
    day = made_day(tmp_path)
    relay = Relay(namespace)
    try:
        # The core first: its model may have to be built, for longer than the day lasts.
        with simulation(namespace, tmp_path / "desk.toml", which) as core, exchange(namespace, day):
            core.wait_for("logged_on")
            restored = core.wait_for("restored", 3, seconds=150)
            at = [place for place, told in enumerate(core.told) if told.get("type") == "restored"][1]
            core.wait_for("order", 2 + sum(told["type"] == "order" for told in core.told[:at]))
            core.end()
    finally:
        relay.end()
    assert any(told["orders"] > 10 for told in restored), restored
    assert not core.of_type("not_restored")
    books = [told["tradable"] for told in core.of_type("book")]
    assert books.count(False) >= 2, books
    assert books.count(True) >= 2, books
    prices = relay.prices()
    assert len(prices) == sum(order["outcome"] == "sent" for order in core.of_type("order"))
    # Two at least after the second snapshot; how many before depends on how fast the machine is.
    assert len(prices) >= 2
    check_prices(prices, relay.log(), tmp_path)


def test_a_core_trades_again_when_the_exchange_has_begun_anew_with_lower_numbers(namespace: Namespace, tmp_path: Path) -> None:
    namespace.interface(TAP, KERNEL_MAC, KERNEL_IP)
    (tmp_path / "desk.toml").write_text(desk())
    day = made_day(tmp_path)
    relay = Relay(namespace)
    try:
        with simulation(namespace, tmp_path / "desk.toml", 64) as core:
            with exchange(namespace, day):
                core.wait_for("logged_on")
                core.wait_for("restored", seconds=150)
                # Far enough into the log, so that the numbers of the next exchange are below for longer than the test lasts.
                relay.wait_for(1_500)
                core.wait_for("order", 2)
            first = relay.anew()
            told = len(core.told)
            with exchange(namespace, day):
                core.wait_for("logged_on", 2)
                core.wait_for("anew", seconds=60)
                core.wait_for("restored", 1 + sum(one["type"] == "restored" for one in core.told[:told]), seconds=60)
                core.wait_for("order", 3 + sum(one["type"] == "order" for one in core.told), seconds=60)
                assert relay.numbers()[-1] < first[-1]
                core.end()
    finally:
        relay.end()
    after = core.told[told:]
    books = [one["tradable"] for one in after if one["type"] == "book"]
    # Cleared, and complete again.
    assert False in books, books
    assert books[-1], books
    prices = relay.prices()
    assert len(prices) >= 2
    check_prices(prices, relay.log(), tmp_path)
