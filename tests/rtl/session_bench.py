"""The core with its order path on an MII: a network with an exchange at its end, and a host at registers and streams."""

import os
import re
import struct
from collections import deque
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import cocotb
import fix_order as fix
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Lock, Timer
from fix_model import encode
from mii_record import MiiRecord
from mold_itch_model import datagram
from net_model import Mii, build, group_mac, with_fcs
from pins import Pins
from scapy.layers.l2 import ARP, Ether
from tcp_peer import CLIENT_IP, CLIENT_MAC, CLIENT_PORT, PEER_IP, PEER_MAC, PEER_PORT, Peer

W = int(os.environ.get("W", "64"))
PAGE = Path(__file__).parents[2] / "docs" / "reference"
NOON = datetime(2026, 3, 2, 12)
LENGTH = 224
SYMBOL, PREFIX = "MSFT", "T1-"
DECIMALS = 2
FEED_SYMBOL = "AAPL"  # instrument 1: its prices come by ITCH, in 1/10,000
GROUP, PORT = "239.1.2.3", 26400
ESTABLISHED = 3
# Operations of order_registers.rdl.
SET, CHANGE, CANCEL, BEAT, RECORD, CLEAR, BOOK, TIME, DATE, NUMBER, LIMIT, ADJUST, INSTRUMENT, STRATEGY, ORDER = range(1, 16)
ON_FEED, ON_SESSION = 1, 2  # where the instrument has a symbol
SENT, DROPPED, REFUSED = range(3)
# Of the core of ITCH with an order book, small: one build for all tests of it.
TRADER = {"BOOK_ORDERS": 192, "STOPS": 64}


@cache
def address(name: str) -> int:
    """Address of a register, read from the reference pages."""
    for page in ("registers.md", "order-registers.md"):
        if found := re.search(rf"^\| (0x[0-9a-f]+)[^|]* \| `{name}`", (PAGE / page).read_text(), re.MULTILINE):
            return int(found[1], 16)
    raise KeyError(name)


def ip_number(text: str) -> int:
    return int.from_bytes(bytes(map(int, text.split("."))), "big")


def number_of(mac: str) -> int:
    return int(mac.replace(":", ""), 16)


@dataclass
class Report:
    """What the core reported about an order."""

    what: int
    reason: int
    client_id: int
    number: int
    time_ns: int


@dataclass
class Stop:
    slot: int
    trigger: int
    quantity: int
    price: int = 0
    sell: bool = True
    limit: bool = False
    instrument: int = 0
    client_id: int = 0

    def words(self) -> list[int]:
        first = int(self.sell) | self.limit << 1 | self.instrument << 8
        mask = (1 << 64) - 1
        trigger, price = self.trigger & mask, self.price & mask
        return [first, trigger & 0xFFFFFFFF, trigger >> 32, price & 0xFFFFFFFF, price >> 32, self.quantity, self.client_id]


@dataclass
class Order:
    """One of the host's, without a trigger."""

    quantity: int
    price: int
    kind: int = fix.NEW
    original: int = 0  # number of the order it is about
    sell: bool = False
    limit: bool = True
    instrument: int = 0
    client_id: int = 0

    def words(self) -> list[int]:
        first = int(self.sell) | self.limit << 1 | self.kind << 2 | self.instrument << 8
        original, price = fix.bcd(f"{self.original:09}"), self.price & (1 << 64) - 1
        return [first, original & 0xFFFFFFFF, original >> 32, price & 0xFFFFFFFF, price >> 32, self.quantity, self.client_id]


@dataclass
class Bench:
    """A cycle is a step of everything, counted in its middle; the host's accesses run beside it."""

    dut: Any
    cycle: int = 0
    to_core: deque[bytes] = field(default_factory=deque)
    words: deque[int] = field(default_factory=deque)
    last_byte: list[tuple[bytes, int]] = field(default_factory=list)  # frames that are in, with the cycle of their last FCS byte
    others: list[bytes] = field(default_factory=list)  # frames of the core that neither belong to the session nor ask for a MAC
    arrivals: dict[int, bytes] = field(default_factory=dict)  # payloads of the session by the cycle of their preamble
    session: bytearray = field(default_factory=bytearray)
    reports: list[Report] = field(default_factory=list)
    answers: list[tuple[int, int]] = field(default_factory=list)
    message: deque[tuple[int, bool]] = field(default_factory=deque)
    answer_arp: bool = True
    read_session: bool = True

    def __post_init__(self) -> None:
        self.dut = Pins(self.dut)
        self.record = MiiRecord(W)
        self.peer = Peer(self.transmit, timeout=1_000_000)
        self.taken = 0

    def transmit(self, frame: bytes) -> None:
        self.to_core.append(with_fcs(frame.ljust(60, b"\0")))

    async def start(self) -> None:
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, 8, "ns").start())
        for name in ("rx_a_error", "rx_b_data", "rx_b_control", "rx_b_error", "message_numbered", "time_set"):
            getattr(dut, name).value = 0
        self.drive()
        dut.host_ready.value = dut.report_ready.value = 1
        dut.put(axil_awvalid=0, axil_wvalid=0, axil_arvalid=0, axil_bready=1, axil_rready=1, axil_wstrb=15)
        self.access = Lock()
        dut.rst.value = 1
        for _ in range(4):
            await FallingEdge(dut.clk)
        dut.rst.value = 0
        cocotb.start_soon(self.run())

    async def run(self) -> None:
        while True:
            await self.step()

    async def step(self) -> None:
        dut = self.dut
        await FallingEdge(dut.clk)
        self.drive()
        await dut.settled()
        self.record.cycle(int(dut.tx_data.value), int(dut.tx_control.value), int(dut.tx_error.value))
        while self.taken < len(self.record.frames) and self.record.frames[self.taken].data:
            self.arrive(self.record.frames[self.taken].cycle, self.record.frames[self.taken].data[:-4])
            self.taken += 1
        if dut.session_valid.value and self.session_ready:
            keep, data = int(dut.session_keep.value), int(dut.session_data.value).to_bytes(W // 8, "little")
            self.session += bytes(byte for lane, byte in enumerate(data) if keep >> lane & 1)
        if dut.report_valid.value:
            names = ("what", "reason", "client_id", "number", "time")
            self.reports.append(Report(*(int(getattr(dut, f"report_{name}").value) for name in names)))
        if dut.answer_valid.value:
            self.answers.append((int(dut.answer.value), int(dut.answer_number.value)))
        if self.message_valid and dut.message_ready.value:
            self.message.popleft()
        if self.cycle % 16 == 0:
            self.peer.tick(self.cycle)
        self.cycle += 1

    def drive(self) -> None:
        put = self.dut.put
        self.session_ready, self.message_valid = self.read_session, bool(self.message)
        put(session_ready=self.session_ready, message_valid=self.message_valid)
        if self.message:
            data, last = self.message[0]
            put(message_data=data, message_last=last)
        if not self.words and self.to_core:
            frame = self.to_core.popleft()
            mii = Mii(W)
            mii.frame(frame, lane=0 if W == 64 else None)
            mii.idle(-len(mii.octets) % (W // 8))
            self.words.extend(mii.octets)
            self.last_byte.append((frame, self.cycle + mii.sent[0].last))
        if self.words:
            beat = [self.words.popleft() for _ in range(W // 8)]
            data = int.from_bytes(bytes(octet & 255 for octet in beat), "little")
            put(rx_a_data=data, rx_a_control=sum((octet >> 8 & 1) << lane for lane, octet in enumerate(beat)))
        else:
            put(rx_a_data=0 if W == 8 else 0x0707070707070707, rx_a_control=0 if W == 8 else 0xFF)

    def arrive(self, cycle: int, frame: bytes) -> None:
        packet = Ether(frame)
        if ARP in packet:
            if packet[ARP].op == 1 and packet[ARP].pdst == PEER_IP and self.answer_arp:
                answer = ARP(op=2, hwsrc=PEER_MAC, psrc=PEER_IP, hwdst=CLIENT_MAC, pdst=CLIENT_IP)
                self.transmit(bytes(Ether(src=PEER_MAC, dst=CLIENT_MAC) / answer))
            elif packet[ARP].op == 2:
                self.others.append(frame)
        elif frame[12:14] == b"\x08\x00" and frame[23] == 6:
            length = 14 + int.from_bytes(frame[16:18], "big")
            self.peer.take(frame[:length])
            payload = frame[34 + 4 * (frame[46] >> 4) : length]
            if payload:
                self.arrivals[cycle] = payload
        else:
            self.others.append(frame)

    async def rest(self, cycles: int) -> None:
        """So many cycles, in one wait: an edge each would cost as much as what the bench does in it."""
        await Timer(8 * cycles, "ns")

    async def until(self, condition, limit: int = 40_000) -> None:
        """Seen at the latest 4 cycles after it is so."""
        for _ in range(0, limit, 4):
            if condition():
                return
            await self.rest(4)
        raise AssertionError(f"not within {limit} cycles")

    # ---- the host ------------------------------------------------------------------------------------

    # One access after the other, with nothing of AXI4-Lite but what the core needs: test_core and test_axil_csr test it as such, and
    # a general master would take longer than the rest of the bench.

    async def write(self, name: str, value: int, offset: int = 0) -> None:
        dut = self.dut
        async with self.access:
            await FallingEdge(dut.clk)
            dut.put(axil_awaddr=address(name) + offset, axil_awvalid=1, axil_wdata=value & 0xFFFFFFFF, axil_wvalid=1)
            waiting = True
            while waiting:
                await dut.settled()
                # An address or data that is taken at the coming edge is not offered in the cycle after it.
                address_taken, data_taken, done = dut.axil_awready.value, dut.axil_wready.value, dut.axil_bvalid.value
                await FallingEdge(dut.clk)
                dut.put(**{"axil_awvalid": 0} if address_taken else {}, **{"axil_wvalid": 0} if data_taken else {})
                waiting = not done

    async def read(self, name: str) -> int:
        dut = self.dut
        async with self.access:
            await FallingEdge(dut.clk)
            dut.put(axil_araddr=address(name), axil_arvalid=1)
            while True:
                await dut.settled()
                taken, done, value = dut.axil_arready.value, dut.axil_rvalid.value, dut.axil_rdata.value
                await FallingEdge(dut.clk)
                if taken:
                    dut.put(axil_arvalid=0)
                if done:
                    return value

    async def operate(self, code: int, index: int = 0, operands: list[int] | None = None) -> int:
        """Carries an operation out, and returns its state."""
        for i, value in enumerate(operands or []):
            await self.write("operand", value, 4 * i)
        await self.write("operation", code | index << 8 | 1 << 31)
        while (state := await self.read("operation_state")) & 1:
            pass
        return state

    async def configure(self) -> None:
        for name, value in {
            "local_mac_low": number_of(CLIENT_MAC) & 0xFFFFFFFF,
            "local_mac_high": number_of(CLIENT_MAC) >> 32,
            "local_ip": ip_number(CLIENT_IP),
            "peer_ip": ip_number(PEER_IP),
            "next_hop_ip": ip_number(PEER_IP),
            "tcp_port": CLIENT_PORT | PEER_PORT << 16,
            "tcp_secret": 12345,
            "rto_initial": 3906,
            "rto_minimum": 781,
            "rto_maximum": 234_375,
            "message_length": LENGTH,
            "max_quantity": 1000,
            "max_notional_high": 1,
            "rate_orders": 100,
            "rate_window": 1000,
            "max_open_orders": 100,
            "group": ip_number(GROUP),
            "port": PORT,
            "control": 1 | 1 << 1 | 1 << 16,
        }.items():
            await self.write(name, value)
        await self.load_time()
        await self.operate(NUMBER, 0, [1, 0])
        await self.operate(LIMIT, 0, [1, 10_000, 0, 1_000_000, 0])
        symbol = int.from_bytes(SYMBOL.encode(), "big")
        assert await self.operate(INSTRUMENT, 0, [ON_SESSION | len(SYMBOL) << 4 | DECIMALS << 8, 0, 0, symbol, 0]) & 2
        for form in (fix.LIMIT, fix.MARKET):
            await self.load_template(form, 0, SYMBOL)
        await self.load_template(fix.MARKET, 1, FEED_SYMBOL)
        await self.operate(LIMIT, 1, [1, 1_000_000, 0, 1_000_000, 0])
        symbol = int.from_bytes(FEED_SYMBOL.ljust(8).encode(), "big")
        assert await self.operate(INSTRUMENT, 1, [ON_FEED | 4 << 8, symbol & 0xFFFFFFFF, symbol >> 32, 0, 0]) & 2

    async def load_time(self) -> None:
        digits = fix.time_digits(NOON)
        await self.operate(TIME, 0, [digits >> 32 * i & 0xFFFFFFFF for i in range(3)] + [1 << 30, 0])

    async def load_template(self, form: int, instrument: int, symbol: str, decimals: int = 0) -> None:
        template, layout = fix.compile_template(form, symbol, LENGTH, "TICK", "EXCH", PREFIX, decimals)
        beats = 256 * 8 // W
        place = form * (await self.read("build") >> 16 & 511) + instrument
        for beat in range((LENGTH * 8 + W - 1) // W):
            codes = template.codes[beat * W // 8 : (beat + 1) * W // 8]
            data = sum(code << 9 * lane for lane, code in enumerate(codes))
            words = [data >> 32 * i & 0xFFFFFFFF for i in range(3 if W == 64 else 1)]
            await self.operate(BEAT, place * beats + beat, words)
        flags = template.number_at << 24 | template.time_at << 26 | template.check_odd << 28
        await self.operate(RECORD, place, [template.sum | template.byte_sum << 16 | flags, template.price_odd])
        await self.write("text_layout", layout.side_at | layout.quantity_at << 8 | fix.QUANTITY_WIDTH << 16)
        await self.write("text_layout_price", layout.price_at | fix.PRICE_WIDTH << 8 | layout.original_at << 16)

    async def connect(self) -> None:
        await self.write("session_command", 1)
        while await self.read("session_state") & 15 != ESTABLISHED:
            pass

    async def log_on(self) -> None:
        """Connects, sends Logon, and lets risk know."""
        await self.connect()
        await self.say("A", "98=0|108=30|")
        await self.write("logged_on", 1)
        await self.write("kill_switch", 0x10E)

    async def say(self, kind: str, extra: str = "") -> None:
        """A session message of the host: it leaves with the next number."""
        body = f"35={kind}|49=TICK|56=EXCH|34=000000000|52={fix.fix_time(NOON)}|{extra}"
        text = f"8=FIX.4.4|9={len(body)}|{body}10=000|".replace("|", "\x01")
        self.dut.message_numbered.value = 1
        self.dut.message_number_at.value = text.index("\x0134=") + 4
        count = len(self.answers)
        self.message.extend((byte, at == len(text) - 1) for at, byte in enumerate(text.encode()))
        await self.until(lambda: len(self.answers) > count)

    async def arm(self, stop: Stop) -> int:
        return await self.operate(SET, stop.slot, stop.words())

    async def send(self, order: Order) -> int:
        return await self.operate(ORDER, 0, order.words())

    def messages(self) -> list[dict[int, str]]:
        """The FIX messages that the exchange got so far, each checked."""
        found = []
        at = 0
        data = bytes(self.peer.received)
        while at < len(data):
            end = data.index(b"\x0110=", at) + 8
            found.append(fix.parse(data[at:end]))
            at = end
        return found

    # ---- the exchange ----------------------------------------------------------------------------------

    def price(self, price: str, size: int = 100, number: int | None = None, duplicate: str = "") -> bytes:
        """A trade, as 35=X; with this MsgSeqNum or the next, and with PossDupFlag, if it is given."""
        self.prices = getattr(self, "prices", 0) + 1
        return encode(
            [
                (35, "X"),
                (49, "EXCH"),
                (56, "TICK"),
                (34, self.prices if number is None else number),
                *([(43, duplicate)] if duplicate else []),
                (52, fix.fix_time(NOON)),
                (268, 1),
                (279, 0),
                (269, 2),
                (55, SYMBOL),
                (270, price),
                (271, size),
            ]
        )

    async def load_prefix(self) -> None:
        """What our ClOrdIDs begin with: from here on the core reads what becomes of them."""
        for place, operand in enumerate([*PREFIX.encode(), 256]):
            assert await self.operate(INSTRUMENT, 256 + place, [operand]) & 2

    def execution(
        self, number: int, execution: str, status: str, traded: int = 0, original: int | None = None, prefix: str = PREFIX
    ) -> bytes:
        """An ExecutionReport about the order, or the request, with this MsgSeqNum; `traded`: CumQty."""
        self.prices = getattr(self, "prices", 0) + 1
        return encode(
            [
                (35, "8"),
                (49, "EXCH"),
                (56, "TICK"),
                (34, self.prices),
                (52, fix.fix_time(NOON)),
                (37, number),
                (11, f"{prefix}{number:09d}"),
                *([(41, f"{prefix}{original:09d}")] if original is not None else []),
                (17, self.prices),
                (150, execution),
                (39, status),
                (55, SYMBOL),
                (54, 1),
                (151, 0),
                (14, traded),
                (6, 0),
            ]
        )

    def change_refused(self, number: int, original: int) -> bytes:
        """An OrderCancelReject about the request with this MsgSeqNum."""
        self.prices = getattr(self, "prices", 0) + 1
        names: list[tuple[int, bytes | str | int]] = [
            (37, original),
            (11, f"{PREFIX}{number:09d}"),
            (41, f"{PREFIX}{original:09d}"),
            (39, "0"),
            (434, 2),
        ]
        return encode([(35, "9"), (49, "EXCH"), (56, "TICK"), (34, self.prices), (52, fix.fix_time(NOON)), *names])

    def text(self, length: int) -> bytes:
        """A message that the core does not use, with a text of so many bytes."""
        self.prices = getattr(self, "prices", 0) + 1
        return encode([(35, "B"), (49, "EXCH"), (56, "TICK"), (34, self.prices), (52, fix.fix_time(NOON)), (58, "x" * length)])

    def trades(self, *trades: tuple[str, int], damaged: bool = False) -> bytes:
        """A MoldUDP64 packet of ITCH 5.0 trades (P), symbol and price in 1/10,000; its payload."""
        messages = [
            b"P"
            + bytes(4)
            + bytes(6)
            + bytes(8)
            + b"B"
            + struct.pack(">I", 100)
            + symbol.ljust(8).encode()
            + struct.pack(">I", price)
            + bytes(8)
            for symbol, price in trades
        ]
        return self.feed(*messages, damaged=damaged)

    def feed(self, *messages: bytes, damaged: bool = False) -> bytes:
        """A MoldUDP64 packet of ITCH messages; its payload."""
        self.sequence = getattr(self, "sequence", 1)
        payload = datagram(b"SESSION001", self.sequence, list(messages))
        frame = build(payload, group_mac(GROUP), GROUP, PORT)
        self.to_core.append(with_fcs(frame)[:-1] + b"\0" if damaged else with_fcs(frame))
        if not damaged:
            self.sequence += len(messages)
        return payload

    def last_in(self, payload: bytes) -> int:
        """The cycle of the last FCS byte of the frame that brought it."""
        return next(cycle for frame, cycle in self.last_byte if payload in frame)
