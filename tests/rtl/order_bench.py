"""Bench of rtl/order: order_messages between a risk that has orders, a host, and a model of the TCP engine's two writers."""

import os
from dataclasses import dataclass, field
from datetime import datetime
from random import Random
from typing import Any

import cocotb
import fix_order as fix
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly
from pins import Pins

W = int(os.environ.get("W", "64"))
BYTES = W // 8
SUM_AFTER, PAYLOAD_AFTER = (47, 53) if W == 8 else (4, 5)  # cycles after the one that took the order: tcp_engine
BUSY_AFTER = 3  # cycles after the payload in which TCP takes no order
SYMBOLS = ["MSFT", "A", "LONGNAME"]
DECIMALS = [2, 0, 4]
LENGTH = int(os.environ.get("LENGTH", "224"))
COMPUTED = os.environ.get("COMPUTED") == "1"
# So that numbers, times and CheckSum are at even and at odd offsets.
SENDER, TARGET = "TICKW" if LENGTH % 4 == 1 else "TICK", "EXCH"
PREFIXES = ["T1-", "U-", "T2-"]
WHOLE, QUANTITY_TOO_WIDE, PRICE_TOO_WIDE, NO_INSTRUMENT = range(4)
NO_TEMPLATE, NO_SESSION, NO_NUMBER, NO_TIME = 0, 2, 3, 4
SENT, TOO_LONG, MALFORMED, HOST_NO_SESSION = range(4)
CONNECTION, NUMBER, EXHAUSTED, TIME_UNKNOWN, DATE_MISSING, HOST_MESSAGE = (1 << bit for bit in range(5, -1, -1))


@dataclass
class Order:
    kind: int
    market: bool
    sell: bool
    instrument: int
    price: int
    quantity: int
    text: int
    original: str = "000000000"
    generation: int = 0  # upper bits of client_id
    time_in_force: int = 0  # in a bench of computed orders
    computed: bool = False  # its price comes two cycles before it

    @property
    def client_id(self) -> int:
        return self.generation << 4 | ~self.text & 15  # it does not say which text it has


@dataclass
class Message:
    """One that left, as TCP saw it."""

    data: bytes
    sum: int | None  # of an order
    order: Order | None


@dataclass
class HostMessage:
    data: bytes
    numbered: bool
    number_at: int


def host_message(kind: str, moment: datetime, number: str = "000000000", extra: str = "") -> HostMessage:
    """A session message as the host writes it: zeros for number and checksum."""
    body = f"35={kind}|49={SENDER}|56={TARGET}|34={number}|52={fix.fix_time(moment)}|{extra}"
    text = f"8=FIX.4.4|9={len(body)}|{body}".replace("|", "\x01")
    numbered = number == "000000000"
    check = "000" if numbered else f"{sum(text.encode()) % 256:03}"
    return HostMessage(f"{text}10={check}\x01".encode(), numbered, text.index("\x0134=") + 4)


def price_text(price: int, decimals: int) -> str:
    digits = f"{abs(price):0{fix.PRICE_WIDTH - 1 - (decimals > 0)}}"
    text = f"{digits[:-decimals]}.{digits[-decimals:]}" if decimals else digits
    return ("-" if price < 0 else "0") + text


@dataclass
class Bench:
    dut: Any
    seed: int = 1
    stall: float = 0.0  # chance a cycle that a writer waits
    time_step: int = 8 if W == 8 else 6
    now: int = 1000
    cycle_number: int = 0
    connected: bool = True
    tcp_busy: bool = False
    order: Order | None = None
    accepted: list[int] = field(default_factory=list)
    stream: list[Message] = field(default_factory=list)
    sent: list[tuple[int, int, int, int]] = field(default_factory=list)  # client_id, number, time, time_ns
    dropped: list[tuple[int, int]] = field(default_factory=list)
    answers: list[tuple[int, int]] = field(default_factory=list)
    host_queue: list[HostMessage] = field(default_factory=list)
    latencies: list[int] = field(default_factory=list)  # order accepted to message_valid

    def __post_init__(self) -> None:
        self.dut = Pins(self.dut)
        self.rng = Random(self.seed)
        self.age: int | None = None
        self.beats = 0
        self.pause = 0
        self.collected = b""
        self.sum: int | None = None
        self.taken: Order | None = None
        self.was_valid = False
        self.writer = b""
        self.writer_ready = True
        self.host_at = 0
        self.price_ahead = 0  # cycles

    async def start(self) -> None:
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, 6400, "ps").start())
        for name in [
            "template_write",
            "template_set",
            "template_clear",
            "decimals_write",
            "time_load",
            "date_load",
            "number_load",
            "text_valid",
            "order_valid",
            "message_ready",
            "payload_ready",
            "in_valid",
            "host_ready",
            "connected",
            "order_price_ahead",
        ]:
            getattr(dut, name).value = 0
        dut.rst.value = 1
        for _ in range(3):
            await FallingEdge(dut.clk)
        dut.rst.value = 0
        await self.configure()

    async def pulse(self, name: str, **values: int) -> None:
        await FallingEdge(self.dut.clk)
        for port, value in values.items():
            getattr(self.dut, port).value = value
        getattr(self.dut, name).value = 1
        await FallingEdge(self.dut.clk)
        getattr(self.dut, name).value = 0

    async def configure(self) -> None:
        dut = self.dut
        dut.message_length.value = LENGTH
        beats = 256 // BYTES
        for instrument, symbol in enumerate(SYMBOLS):
            for form in range(5 if COMPUTED else 4):
                names = (SENDER, TARGET, PREFIXES[instrument])
                template, layout = fix.compile_template(form, symbol, LENGTH, *names, DECIMALS[instrument], in_force=COMPUTED)
                index = form << 2 | instrument
                codes = template.codes + [0] * (256 - LENGTH)
                dut.template_write.value = 1
                for beat in range(beats):
                    dut.template_address.value = index * beats + beat
                    dut.template_data.value = sum(code << 9 * i for i, code in enumerate(codes[beat * BYTES : (beat + 1) * BYTES]))
                    await FallingEdge(dut.clk)
                dut.template_write.value = 0
                await self.pulse(
                    "template_set",
                    template_index=index,
                    template_sum=template.sum,
                    template_byte_sum=template.byte_sum,
                    template_number_at=template.number_at,
                    template_time_at=template.time_at,
                    template_check_odd=template.check_odd,
                    template_price_odd=template.price_odd,
                )
            await self.pulse("decimals_write", decimals_instrument=instrument, decimals=DECIMALS[instrument])
        dut.side_at.value = layout.side_at
        dut.quantity_at.value = layout.quantity_at
        dut.quantity_width.value = fix.QUANTITY_WIDTH
        dut.price_at.value = layout.price_at
        dut.price_width.value = fix.PRICE_WIDTH
        dut.original_at.value = layout.original_at
        dut.has_time_in_force.value = layout.time_in_force_at is not None
        dut.time_in_force_at.value = layout.time_in_force_at or 0

    async def set_time(self, moment: datetime, next_date: str | None = None) -> None:
        """`moment` is now; the next millisecond begins a million nanoseconds later."""
        await self.pulse("time_load", load_time=fix.time_digits(moment), load_boundary=self.now + 1_000_000, time_ns=self.now)
        self.moment, self.moment_ns = moment, self.now
        if next_date:
            await self.pulse("date_load", load_date=fix.bcd(next_date))

    async def set_number(self, number: int) -> None:
        await self.pulse("number_load", load_number=fix.bcd(f"{number:09}"))

    async def begin_text(self, order: Order) -> None:
        await self.pulse(
            "text_valid",
            text_index=order.text,
            text_kind=order.kind,
            text_type=not order.market,
            text_computed=order.computed,
            text_side=order.sell,
            text_time_in_force=order.time_in_force,
            text_instrument=order.instrument,
            text_price=order.price % 2**48,
            text_quantity=order.quantity,
            text_original=fix.bcd(order.original),
        )

    async def write_text(self, order: Order) -> int:
        dut = self.dut
        await self.begin_text(order)
        for _ in range(3000):
            await self.cycle()
            if int(dut.text_answer_valid.value):
                return int(dut.text_answer.value)
        raise AssertionError("no answer of order_text")

    def give_order(self, order: Order) -> None:
        assert self.order is None
        self.order = order
        self.price_ahead = 2 if order.computed else 0

    async def cycle(self) -> None:
        dut, rng = self.dut, self.rng
        await FallingEdge(dut.clk)
        self.cycle_number += 1
        self.now += self.time_step
        dut.time_ns.value = self.now
        idle = self.age is None and not self.pause and self.connected and not self.tcp_busy
        host_waits = bool(self.writer) and not self.writer_ready
        message_ready = idle and rng.random() >= self.stall
        payload_ready = self.age is not None and self.age + 1 >= PAYLOAD_AFTER and self.beats > 0 and rng.random() >= self.stall
        order = None if self.price_ahead else self.order
        self.price_ahead = max(0, self.price_ahead - 1)
        if COMPUTED:
            dut.put(order_price_ahead=self.order.price if self.order and self.order.computed else rng.getrandbits(32))
        if order:
            dut.put(order_computed=order.computed, order_kind=order.kind, order_type=not order.market, order_instrument=order.instrument)
            dut.put(order_client_id=order.client_id, order_text=order.text)
        in_valid = bool(self.host_queue) and rng.random() >= self.stall
        if self.host_queue:
            message = self.host_queue[0]
            last = self.host_at == len(message.data) - 1
            dut.put(in_data=message.data[self.host_at], in_last=last, numbered=message.numbered, number_at=message.number_at)
        dut.put(message_ready=message_ready, payload_ready=payload_ready, host_ready=self.writer_ready)
        dut.put(connected=self.connected, order_valid=order is not None, in_valid=in_valid)
        await ReadOnly()

        if self.age is not None:
            self.age += 1
            if self.age >= SUM_AFTER:
                total = int(dut.message_sum.value)
                assert self.sum in (None, total), "the sum changed while the message left"
                self.sum = total
            if payload_ready:
                self.collected += int(dut.payload.value).to_bytes(BYTES, "little")
                self.beats -= 1
                if self.beats == 0:
                    self.stream.append(Message(self.collected[:LENGTH], self.sum, self.taken))
                    self.age, self.pause = None, BUSY_AFTER
        elif self.pause:
            self.pause -= 1
        valid = bool(int(dut.message_valid.value))
        if valid and not self.was_valid:
            self.latencies.append(self.cycle_number - self.accepted[-1])
        self.was_valid = valid
        if valid and message_ready:
            self.age, self.beats, self.collected, self.sum = 0, -(-LENGTH // BYTES), b"", None
        elif host_waits and idle:
            self.stream.append(Message(self.writer, None, None))
            self.writer, self.writer_ready, self.pause = b"", True, 20
        if int(dut.host_valid.value) and self.writer_ready:
            keep = int(dut.host_keep.value)
            assert keep in [(1 << n) - 1 for n in range(1, BYTES + 1)]
            assert int(dut.host_data.value) >> 8 * keep.bit_count() == 0, "bytes outside keep"
            self.writer += int(dut.host_data.value).to_bytes(BYTES, "little")[: keep.bit_count()]
            if int(dut.host_last.value):
                self.writer_ready = False
            else:
                assert keep == (1 << BYTES) - 1
        if order and int(dut.order_ready.value):
            self.taken, self.order = order, None
            self.accepted.append(self.cycle_number)
        if in_valid and int(dut.in_ready.value):
            self.host_at += 1
            if self.host_at == len(self.host_queue[0].data):
                self.host_queue.pop(0)
                self.host_at = 0
        if int(dut.sent_valid.value):
            self.sent.append(tuple(int(getattr(dut, f"sent_{n}").value) for n in ("client_id", "number", "utc", "time_ns")))  # type: ignore[arg-type]
        if int(dut.dropped_valid.value):
            self.dropped.append((int(dut.dropped_client_id.value), int(dut.dropped_reason.value)))
        if int(dut.answer_valid.value):
            self.answers.append((int(dut.answer.value), int(f"{int(dut.answer_number.value):x}")))

    async def cycles(self, count: int) -> None:
        for _ in range(count):
            await self.cycle()

    def stopped(self) -> int:
        return int(self.dut.stopped.value)

    async def settle(self, limit: int = 6000) -> None:
        """Until nothing is on its way."""
        quiet = 0
        for _ in range(limit):
            await self.cycle()
            busy = self.order or self.host_queue or self.age is not None or self.pause or self.writer or int(self.dut.busy.value)
            quiet = 0 if busy or self.stopped() & HOST_MESSAGE else quiet + 1
            if quiet > 30:
                return
        raise AssertionError("still busy")

    def check_order(self, message: Message) -> dict[int, str]:
        """Checks that it is the order, complete and right; returns its fields."""
        order = message.order
        assert order is not None
        fields = fix.parse(message.data)
        number = fields[34]
        expected = {
            8: "FIX.4.4",
            35: "DFG"[order.kind],
            49: SENDER,
            56: TARGET,
            11: PREFIXES[order.instrument] + number,
            55: SYMBOLS[order.instrument],
            54: "12"[order.sell],
            38: f"{order.quantity:0{fix.QUANTITY_WIDTH}}",
            60: fields[52],
        }
        if order.kind == fix.REPLACE or (order.kind == fix.NEW and not order.market):
            expected[44] = price_text(order.price, DECIMALS[order.instrument])  # of a computed one, too: its first digits are 0
        if order.kind != fix.NEW:
            expected[41] = PREFIXES[order.instrument] + order.original
        else:
            expected[40] = "1" if order.market else "2"
        if COMPUTED and order.kind != fix.CANCEL:
            expected[59] = str(order.time_in_force)
        assert {tag: fields.get(tag) for tag in expected} == expected, message.data
        assert (44 in fields, 59 in fields) == (44 in expected, 59 in expected)
        assert len(number) == 9
        assert message.sum is not None
        assert (message.sum or 0xFFFF) == fix.ones_complement(message.data), message.data
        return fields
