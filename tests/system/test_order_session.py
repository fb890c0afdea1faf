"""The simulated core in a real network: a Linux kernel pings it, finds it by ARP, sees it join its groups, and takes its orders over TCP.

Orders come from stops that the desk arms. The peer is a FIX server of a few lines of Python that checks every byte, or `tickwire exchange`.
"""

import select
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "rtl"))

from fix_order import parse
from fix_server import Server, fields, message, split
from namespace import CORE_IP, CORE_MAC, KERNEL_IP, KERNEL_MAC, TAP, TICKWIRE, Namespace, missing, simulation
from order_desk import DESK, GROUP, PORT, session, stop

REASON = missing()
pytestmark = pytest.mark.skipif(REASON is not None, reason=REASON or "")


@pytest.fixture
def namespace() -> Iterator[Namespace]:
    with Namespace() as made:
        yield made


def wait(deadline: float, what: str) -> None:
    assert time.monotonic() < deadline, what
    time.sleep(0.02)


def echo(sequence: int, payload: bytes) -> bytes:
    """An ICMP echo request (RFC 792)."""
    head = struct.pack(">BBHHH", 8, 0, 0, 77, sequence)
    words = struct.unpack(f">{len(head + payload) // 2}H", head + payload)
    total = sum(words)
    total = (total & 0xFFFF) + (total >> 16)
    return head[:2] + struct.pack(">H", 0xFFFF - (total & 0xFFFF) - (total >> 16)) + head[4:] + payload


@pytest.mark.parametrize("preset", ["stops_1g", "itch_trader_10g"])
def test_a_kernel_pings_the_core_finds_its_address_and_sees_it_join_its_group(namespace: Namespace, tmp_path: Path, preset: str) -> None:
    namespace.interface(TAP, KERNEL_MAC, KERNEL_IP)
    desk = tmp_path / "desk.toml"
    has_feed = preset.startswith("itch")
    # Of a feed, prices have four decimals.
    trading = session(stop(1), decimals=4).replace("collar", "feed = true, collar") if has_feed else session(stop(1))
    desk.write_text(DESK + trading)

    def listen() -> socket.socket:
        # IGMP, to all of its routers (RFC 3376): not addressed to us, but seen on the interface.
        frames = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0800))
        frames.bind((TAP, 0))
        return frames

    frames = namespace.inside(listen)
    with simulation(namespace, desk, preset) as core:

        def ping() -> list[int]:
            answered = []
            with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as raw:
                raw.settimeout(10)
                for sequence, length in enumerate((56, 8, 1400)):
                    payload = bytes(i % 256 for i in range(length))
                    raw.sendto(echo(sequence, payload), (CORE_IP, 0))
                    while True:
                        packet, _ = raw.recvfrom(2048)
                        icmp = packet[20:]
                        if icmp[0] == 0:
                            break
                    assert icmp[8:] == payload
                    answered.append(struct.unpack(">H", icmp[6:8])[0])
            return answered

        assert namespace.inside(ping) == [0, 1, 2]
        neighbours = namespace.run("ip", "neigh", "show", "dev", TAP)
        assert f"{CORE_IP} lladdr {CORE_MAC}" in neighbours, neighbours

        # IGMPv3 report of one record, change to exclude nothing: a join (RFC 3376, 4.2), to 224.0.0.22, with router alert.
        report = b""
        deadline = time.monotonic() + 10
        while has_feed and report[23:24] != b"\x02":
            assert time.monotonic() < deadline, "no IGMP report"
            if select.select([frames], [], [], 0.1)[0]:
                report = frames.recv(2048)
        if has_feed:
            header = (report[14] & 0xF) * 4
            igmp = report[14 + header :]
            assert report[30:34] == socket.inet_aton("224.0.0.22")
            assert igmp[0] == 0x22
            assert socket.inet_aton(GROUP) in igmp
        core.end()
    frames.close()


def test_a_core_that_was_killed_comes_back_and_resends_what_it_sent(namespace: Namespace, tmp_path: Path) -> None:
    namespace.interface(TAP, KERNEL_MAC, KERNEL_IP)
    desk = tmp_path / "desk.toml"
    store = f'store = "{tmp_path / "alice.redb"}"'
    desk.write_text(DESK + session(", ".join(stop(quantity) for quantity in (1, 2, 3)), store))
    server = namespace.inside(lambda: Server(KERNEL_IP, PORT))
    with simulation(namespace, desk, 64) as core:
        server.accept()
        assert server.log_on()[34] == "000000001"
        core.wait_for("logged_on")
        server.trade("ABC", "9.99")
        deadline = time.monotonic() + 20
        while len(server.messages) < 4:
            wait(deadline, "the orders")
            server.receive(0.2)
        core.wait_for("order", 3)
        core.kill()
    before = server.messages[1:]
    assert [parse(raw)[34] for raw in before] == ["000000002", "000000003", "000000004"]

    # It may have sent what it did not live to store: nothing leaves before the operator has looked.
    with simulation(namespace, desk, 64) as core:
        [restored] = core.wait_for("restored")
        assert restored["open_orders"] == 3
        assert "the hardware could send" in restored["unsure"]
        server.accept()
        assert int(server.log_on()[34]) > 4
        core.wait_for("logged_on")
        server.trade("ABC", "9.99")
        orders = core.wait_for("order", 3)
        assert {(order["outcome"], order["reason"]) for order in orders} == {("refused", "the kill switch is on")}
        core.kill()

    with simulation(namespace, desk, 64, "--confirm-positions", "none") as core:
        server.accept()
        logon = server.log_on()
        core.wait_for("logged_on")
        # Numbers it may have used and not stored are never used again.
        assert int(logon[34]) > 4
        # As if the last two orders had never come.
        server.send("2", "7=3", "16=0")
        deadline = time.monotonic() + 20
        again: list[dict[int, str]] = []
        while not any(int(m[34]) >= 5 for m in again):
            wait(deadline, f"no answer to the ResendRequest: {again}")
            again += [dict(fields(raw)) for raw in server.receive(0.2)]
        resent = [m for m in again if m[35] == "D"]
        for raw, second in zip(before[1:], resent, strict=True):
            first = dict(fields(raw))
            assert (second[43], second[122]) == ("Y", first[52])
            changing = (9, 10, 43, 52, 122)
            assert {tag: v for tag, v in first.items() if tag not in changing} == {t: v for t, v in second.items() if t not in changing}
        [fill] = [m for m in again if m[35] == "4"]
        assert (fill[123], fill[34], int(fill[36])) == ("Y", "5", int(logon[34]) + 1), "what is behind them is nothing"
        # The session goes on.
        server.trade("ABC", "9.98")
        sent: list[bytes] = []
        while len(sent) < 3:
            wait(deadline, "no orders behind the restart")
            sent += [raw for raw in server.receive(0.2) if dict(fields(raw))[35] == "D"]
        assert [int(parse(raw)[34]) for raw in sent] == [int(logon[34]) + i for i in (1, 2, 3)]
        core.end()
    server.close()


class Client:
    """Somebody else at the exchange."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.connection = socket.create_connection((KERNEL_IP, PORT), timeout=10)
        self.next = 1
        self.rest = b""
        self.send("A", "98=0", "108=0", f"553={name}", "554=secret")

    def send(self, msg_type: str, *rest: str) -> None:
        self.connection.sendall(message(msg_type, self.next, *rest, sender=self.name, target="EX"))
        self.next += 1

    def order(self, side: str, quantity: int, price: str) -> None:
        now = time.strftime("%Y%m%d-%H:%M:%S", time.gmtime())
        rest = (f"11={self.name}{self.next}", "55=ABC", f"54={side}", f"60={now}", f"38={quantity}", "40=2", f"44={price}")
        self.send("D", *rest)

    def reports(self, seconds: float) -> list[dict[int, str]]:
        """Execution reports that came within a time."""
        self.connection.settimeout(seconds)
        try:
            whole, self.rest = split(self.rest + self.connection.recv(1 << 20))
        except TimeoutError:
            return []
        read = [dict(fields(raw)) for raw in whole]
        return [report for report in read if report[35] == "8"]


@pytest.mark.parametrize("width", [8, 64])
def test_a_stop_trades_at_the_exchange(namespace: Namespace, tmp_path: Path, width: int) -> None:
    namespace.interface(TAP, KERNEL_MAC, KERNEL_IP)
    desk = tmp_path / "desk.toml"
    # The exchange writes prices with four decimals.
    credentials = 'username = "ALICE"\npassword = "secret"'
    desk.write_text(DESK + session(stop(7), credentials, decimals=4))
    listen = ("exchange", "--name", "EX", "--client", "ALICE:secret", "--client", "BOB:secret", "--symbols", "ABC")
    command = namespace.command(str(TICKWIRE), "--json", *listen, "--listen", f"{KERNEL_IP}:{PORT}", "--prices-to-all")
    exchange = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert exchange.stdout is not None
        assert "listening" in exchange.stdout.readline()
        with simulation(namespace, desk, width) as core:
            core.wait_for("logged_on")
            bob = namespace.inside(lambda: Client("BOB"))
            # A trade at 9.90 with himself reaches the trigger; what is left of his bid is what the stop sells to.
            bob.order("1", 20, "9.90")
            bob.order("2", 3, "9.90")
            [order] = core.wait_for("order")
            assert (order["outcome"], order["side"], order["quantity"]) == ("sent", "sell", 7)
            fills: list[str] = []
            deadline = time.monotonic() + 20
            while fills.count("7") < 1:
                wait(deadline, f"no trade with the stop's order: {fills}")
                fills += [report[32] for report in bob.reports(0.2) if report[150] == "F"]
            assert fills == ["3", "3", "7"], "with himself, both sides; with the stop"
            core.end()
            [told] = core.of_type("session")
            assert told["counters"]["fix_prices"] > 0
            assert told["counters"]["fix_bad_checksum"] == 0
    finally:
        exchange.terminate()
        exchange.wait()


def test_orders_typed_at_the_host_go_through_the_cores_limits_to_the_exchange(namespace: Namespace, tmp_path: Path) -> None:
    namespace.interface(TAP, KERNEL_MAC, KERNEL_IP)
    desk = tmp_path / "desk.toml"
    desk.write_text(DESK + session("", 'username = "ALICE"\npassword = "secret"', decimals=4))
    listen = ("exchange", "--name", "EX", "--client", "ALICE:secret", "--client", "BOB:secret", "--symbols", "ABC")
    command = namespace.command(str(TICKWIRE), "--json", *listen, "--listen", f"{KERNEL_IP}:{PORT}", "--prices-to-all")
    exchange = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert exchange.stdout is not None
        assert "listening" in exchange.stdout.readline()
        with simulation(namespace, desk, 64, "--lines") as core:
            core.wait_for("logged_on")
            bob = namespace.inside(lambda: Client("BOB"))
            deadline = time.monotonic() + 60

            def typed(line: str) -> dict[str, object]:
                """What the core, or its host, prints for a line."""
                count = len(core.of_type("order") + core.of_type("line_refused"))
                core.type(line)
                while len(core.of_type("order") + core.of_type("line_refused")) == count:
                    wait(deadline, line)
                return [told for told in core.told if told["type"] in ("order", "line_refused")][-1]

            def change(line: str) -> dict[str, object]:
                """Until the exchange has reported the order that is to be changed."""
                while (told := typed(line))["type"] == "line_refused":
                    wait(deadline, line)
                return told

            # There is no last price before a trade: nothing passes.
            assert (first := typed("buy 5 ABC 9.50"))["outcome"] == "refused", first
            bob.order("1", 3, "10.00")
            bob.order("2", 3, "10.00")
            while (bought := typed("buy 5 ABC 9.50"))["outcome"] == "refused":
                assert bought["reason"] == "no last price"
                wait(deadline, "no price")
            assert (bought["kind"], bought["side"], bought["quantity"], "slot" in bought) == ("new", "buy", 5, False)
            replaced = change(f"replace {bought['number']} 8 9.6")
            assert (replaced["kind"], replaced["original"], replaced["outcome"]) == ("replace", bought["number"], "sent")
            bob.order("2", 2, "9.60")
            cancelled = change(f"cancel {replaced['number']}")
            assert (cancelled["kind"], cancelled["original"], cancelled["outcome"]) == ("cancel", replaced["number"], "sent")
            # Once the exchange has reported its end there is no such order.
            while typed(f"cancel {replaced['number']}")["type"] == "order":
                wait(deadline, "the cancel was not told")
            bob.order("2", 6, "9.60")
            fills = [report[32] for report in bob.reports(1) + bob.reports(1) if report[150] == "F"]
            assert fills == ["3", "3", "2"], "with himself, both sides; with the replacement; with what was cancelled not"
            assert typed("buy 6 ABC 9.60")["outcome"] == "sent"
            while not fills[3:]:
                wait(deadline, "no trade with the last order")
                fills += [report[32] for report in bob.reports(0.2) if report[150] == "F"]
            assert fills[3:] == ["6"]
            assert typed("buy 5 ABC 30")["reason"] == "price collar"
            assert typed("buy 5 XYZ 1") == {"type": "line_refused", "line": "buy 5 XYZ 1", "reason": "XYZ is not traded"}
            core.type("quit")
            assert core.process.wait(20) == 0
            while not core.of_type("session"):
                wait(deadline, "no summary")
            [told] = core.of_type("session")
            # The cancel may have been typed again before the exchange reported it.
            assert told["orders_sent"] >= 4
    finally:
        exchange.terminate()
        exchange.wait()


def test_an_interface_that_is_not_there_is_named_with_what_to_do(namespace: Namespace, tmp_path: Path) -> None:
    desk = tmp_path / "desk.toml"
    desk.write_text(DESK + session(stop(100)))
    command = namespace.command(str(TICKWIRE), "sim", "--tap", "tw9", "--desk", str(desk), "--width", "64")
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 1, done
    assert "interface tw9 is down: `ip tuntap add dev tw9 mode tap` if there is none, then `ip link set dev tw9 up`" in done.stderr
