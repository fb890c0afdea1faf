"""Orders over a bad line: the simulated core, a cable that impairs its frames, and a server on the kernel's TCP that stores every byte.

    tickwire sim --tap ─ tw0 ─ Cable ─ server0 ─ TCP of the kernel ─ Server

The server sends trades all the time; each fires the stops that are armed by then. When it has as many orders as there were stops, it looks
at its byte stream: a Logon, the orders and a Logout must be all of it.
"""

import json
import select
import socket
import struct
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "rtl"))

from fix_order import parse
from fix_server import Server
from impaired import ETHERNET_HEADER, Cable, Impairment
from namespace import KERNEL_IP, KERNEL_MAC, TAP, Namespace, Simulation, simulation
from order_desk import DESK, PORT, session, stop

ACK = 0x10
TRADE_EVERY = 0.03
# A line that carries nothing for so long is dead: TCP's retransmissions back off to seconds.
SILENCE = 90.0
# Characters of a price and of a quantity: arming a stop takes the core 64 cycles for each.
WIDTHS = "price_width = 5\nquantity_width = 5"


@dataclass(frozen=True)
class Line:
    """A kind of line. `share`: of all orders. `closing`: the server stops reading for a while, again and again."""

    impairment: Impairment
    share: float
    rto_minimum_ms: int = 200
    closing: bool = False


@dataclass
class Result:
    """The result of the server's byte stream, and what the line did."""

    orders: int
    lost: int
    doubled: int
    seconds: float
    frames: dict[str, int]
    retransmissions: int
    closed_windows: int
    probes: int
    wrong: list[str] = field(default_factory=list)


class Window:
    """Watches the server's receive window close and the core probe it (RFC 9293, 3.8.6.1), by a segment without data from below SND.UNA.

    A closed window is one that holds no complete order: the core sends none in parts, and a kernel does not take back what it has granted.
    """

    def __init__(self) -> None:
        self.order = 0  # bytes, of every order
        self.closed = False
        self.acknowledged = 0
        self.closings = 0
        self.probes = 0
        self.probes_of_this = 0

    def watch(self, from_core: bool, frame: bytes) -> None:
        if frame[12:14] != b"\x08\x00" or frame[23] != socket.IPPROTO_TCP:
            return
        total = struct.unpack(">H", frame[16:18])[0]
        tcp = ETHERNET_HEADER + (frame[14] & 0xF) * 4
        sequence, acknowledgment, offset, flags, window = struct.unpack(">IIBBH", frame[tcp + 4 : tcp + 16])
        payload = frame[tcp + (offset >> 4) * 4 : ETHERNET_HEADER + total]
        if from_core:
            if not self.order and b"\x0135=D\x01" in payload:
                self.order = len(payload)  # the first leaves alone
            behind = (self.acknowledged - sequence) % (1 << 32)
            if self.closed and not payload and 0 < behind < 1 << 16:
                self.probes += 1
                self.probes_of_this += 1
        elif flags & ACK:
            self.acknowledged = acknowledgment
            closed = window < self.order
            if closed and not self.closed:
                self.closings += 1
                self.probes_of_this = 0
            self.closed = closed


def unsent(core: Simulation) -> list[dict[str, object]]:
    return [
        line for line in core.told if line["type"] in ("not_sent", "stop_refused", "disconnected") or line.get("outcome", "sent") != "sent"
    ]


def offer(server: Server) -> None:
    """A trade, if there is room for it: a server that waited for room, and did not read, could wait for ever. While its window is closed a
    kernel ignores what segments beyond the window acknowledge."""
    assert server.connection is not None
    if select.select([], [server.connection], [], 0)[1]:
        server.trade("ABC", "9.99")


def collect(server: Server, core: Simulation, count: int, window: Window | None) -> None:
    """Trades go out and orders come in, until there are enough. With `window`, nothing is read while it closes and until it was probed."""
    assert server.connection is not None
    trade_at, heard = 0.0, time.monotonic()
    last = heard + 120 + count * 0.25
    read_until = heard  # the first thing the server does is not to read
    while len(server.messages) < 1 + count:
        now = time.monotonic()
        assert now < min(heard + SILENCE, last), f"{len(server.messages) - 1} of {count} orders; {unsent(core)[:5]}; {core.told[-2:]}"
        assert core.process.poll() is None, core.errors()
        if now >= trade_at:
            trade_at = now + TRADE_EVERY
            offer(server)
        if window is not None and now >= read_until:
            # Until the window is shut and has been probed, or nothing comes that would shut it.
            closed_by = window.closings
            # The core's time is simulated: on a machine that is busy it goes slowly, and the first probe comes late.
            while time.monotonic() < now + (20 if window.closed and not window.probes else 3) and not (
                window.closed and window.probes_of_this
            ):
                time.sleep(TRADE_EVERY)
                offer(server)
            read_until = time.monotonic() + (0.3 if window.closings > closed_by else 0.05)
        if server.receive(TRADE_EVERY):
            heard = time.monotonic()


def examine(messages: list[bytes], rest: bytes, count: int, sent: list[tuple[int, int]]) -> tuple[int, int, list[str]]:
    """Orders lost and doubled, and whatever else is wrong. `sent`: number and quantity of each order, as the core reported."""
    wrong = []
    quantities: list[int] = []
    orders = [raw for raw in messages[1:] if parse(raw)[35] == "D"]
    if [parse(raw)[35] for raw in messages[1 + len(orders) :]] != ["5"]:
        wrong.append(f"behind the orders: {messages[1 + len(orders) :]!r}")
    if rest:
        wrong.append(f"behind the Logout: {rest!r}")
    for number, raw in enumerate(orders, 2):
        order = parse(raw)  # which checks BodyLength and CheckSum
        expected = {35: "D", 34: f"{number:09}", 11: f"A{number:09}", 55: "ABC", 54: "2", 40: "2", 44: "09.50"}
        if any(order.get(tag) != value for tag, value in expected.items()):
            wrong.append(f"order {number}: {raw!r}")
        quantities.append(int(order[38]))
    if sent != list(enumerate(quantities, 2)):
        wrong.append("the core told of other orders than came")
    lost = len(set(range(1, count + 1)) - set(quantities))
    strange = set(quantities) - set(range(1, count + 1))
    if strange:
        wrong.append(f"nobody's orders: {sorted(strange)[:5]}")
    return lost, len(quantities) - len(set(quantities)), wrong


def run(line: Line, count: int, seed: int) -> Result:
    """So many orders over such a line, in its own namespace."""
    began = time.monotonic()
    window = Window()
    with TemporaryDirectory() as folder, Namespace() as namespace:
        namespace.interface(TAP, "02:54:57:00:00:03", None)
        namespace.interface("server0", KERNEL_MAC, KERNEL_IP)
        # The server's interface is the other end of the cable; without one it has no carrier.
        cable = namespace.inside(lambda: Cable(TAP, "server0", line.impairment, seed, window.watch))
        carrying = namespace.start(cable.run)
        more = f"{WIDTHS}\nrto_minimum_ms = {line.rto_minimum_ms}"
        desk = Path(folder) / "desk.toml"
        desk.write_text(DESK + session(", ".join(stop(quantity) for quantity in range(1, count + 1)), more))
        try:
            server = namespace.inside(lambda: Server(KERNEL_IP, PORT, receive_buffer=4096 if line.closing else None))
            with simulation(namespace, desk, 64) as core:
                server.accept(120)
                server.log_on(120)
                core.wait_for("logged_on", seconds=120)
                collect(server, core, count, window if line.closing else None)
                core.interrupt()
                server.log_out(60)
                core.end()
                told = core.wait_for("order", count)
                [summary] = core.of_type("session")
            server.close()
        finally:
            cable.stop.set()
            carrying.result(timeout=5)
    sent = [(order["number"], order["quantity"]) for order in told if order["outcome"] == "sent"]
    lost, doubled, wrong = examine(server.messages, server.rest, count, sent)
    if (summary["orders_sent"], summary["orders_refused"], summary["orders_dropped"]) != (count, 0, 0):
        wrong.append(f"not all were sent: {summary}")
    return Result(
        orders=count,
        lost=lost,
        doubled=doubled,
        seconds=round(time.monotonic() - began, 1),
        frames=cable.counted,
        retransmissions=summary["counters"]["tcp_retransmission"],
        closed_windows=window.closings,
        probes=window.probes,
        wrong=wrong,
    )


if __name__ == "__main__":  # one line by hand: bad_line.py '{"loss": 0.1}' 1000
    print(run(Line(Impairment(**json.loads(sys.argv[1])), 1, closing="closing" in sys.argv), int(sys.argv[2]), 4))
