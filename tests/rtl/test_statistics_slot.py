"""statistics_slot after instrument_stage: every report byte for byte, every counter and every latency against the model."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly
from harness import ROOT, cases, simulate
from pins import Pins
from statistics_model import ADD, BILLION, REPLACE, STATUS, TIME, TRADE, Event, Feed, SecondModel, Side, Table, report

VERDICT_TO_HEARTBEAT = 2
VERDICT_TO_REQUEST = 3
VERDICT_TO_COUNT = 4
NEXT_FRAME = {1: 11, 8: 8}  # by bytes in a beat: cycles from a verdict to the next frame's first event
ADD_TO_ADD = {1: 8, 8: 4}
COMMIT = 4
WRITE = 3  # cycles from the operation that writes an instrument to the first event under its new symbol


@dataclass
class Update:
    cycle: int
    slot: int
    sell: bool
    after: bool
    price: int
    quantity: int


class Bench:
    """Drives one cycle at a time, collects what comes out and checks it as it comes."""

    def __init__(self, dut, seed: int, itch50: bool, accumulate: bool, symbol_count: int) -> None:
        self.dut, self.rng = Pins(dut), Random(seed)
        self.width = len(dut.payload_data) // 8
        self.symbols = INSTRUMENTS
        self.itch50, self.accumulate, self.symbol_count = itch50, accumulate, symbol_count
        self.cycle = 0
        self.second = SecondModel(itch50)
        self.table = Table(self.symbols)
        self.feed = Feed(session=b"0000000001", new_session=True)
        self.sequence, self.seconds, self.nanoseconds = 1, 34200, 34200 * BILLION if itch50 else 0
        self.number = 0
        self.busy_from: int | None = None  # a report is outstanding from this cycle on
        self.expected: list[bytes] = []
        self.parts_left = 0
        self.received = bytearray()
        self.requests = 0  # taken and not yet answered by a payload
        self.due: dict[str, set[int]] = {name: set() for name in ("request", "heartbeat", "missed")}
        self.counts: dict[int, tuple[int, int, int]] = {}
        self.finish: list[tuple[int, Callable[[], None]]] = []
        self.updates: list[Update] = []  # of the frame that is passing
        self.passing = [self.updates]  # those of frames not yet committed
        self.names: list[tuple[int, int, bytes]] = []  # instruments being written: cycle, index, symbol
        self.host_free = 0  # from this cycle on the host may write the next
        self.hits = self.misses = 0
        self.after = False
        self.last_add = -100
        self.ready_rate = 1.0
        self.reports = self.missed = self.sent = self.good = 0

    # ---- the clock ----------------------------------------------------------------------------

    async def start(self) -> None:
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
        for signal in dut.design:
            name = signal._name
            if name in INPUTS:
                signal.value = 0
        dut.put(request_ready=0, payload_ready=0)
        dut.itch50.value, dut.accumulate.value, dut.symbol_count.value = self.itch50, self.accumulate, self.symbol_count
        dut.rst.value = 1
        for _ in range(20):
            await FallingEdge(dut.clk)
        dut.rst.value = 0

    async def step(self, **inputs: int) -> None:
        """One cycle with these pulses; what the registers show in it is checked first."""
        dut = self.dut
        self.observe()
        for name, value in inputs.items():
            getattr(dut, name).value = value
        if self.last_taken:
            await ReadOnly()
            assert bool(int(dut.report_sent.value)) == (self.parts_left == 0)
            self.sent += int(dut.report_sent.value)
        await FallingEdge(dut.clk)
        for name in inputs:
            if name in PULSES:
                getattr(dut, name).value = 0
        if "event_valid" in inputs:
            # What is beside `valid` means nothing from the next cycle on.
            for name, bits in (("side", 1), ("symbol", 64), ("price", 32), ("quantity", 32)):
                getattr(dut, f"event_{name}").value = self.rng.getrandbits(bits)
        self.cycle += 1
        while self.finish and self.finish[0][0] < self.cycle:
            self.finish.pop(0)[1]()
        while self.names and self.names[0][0] == self.cycle:
            _, index, symbol = self.names.pop(0)
            self.table.names[index] = symbol
            self.table.clear(index)
            for updates in self.passing:
                updates[:] = [update for update in updates if update.slot != index]

    async def idle(self, cycles: int) -> None:
        for _ in range(cycles):
            await self.step()

    def observe(self) -> None:
        dut, cycle = self.dut, self.cycle
        for name, output in (("heartbeat", dut.heartbeat), ("missed", dut.report_missed)):
            assert bool(int(output.value)) == (cycle in self.due[name]), (name, cycle)
        if int(dut.count_valid.value):
            got = (int(dut.filter_hit.value), int(dut.filter_miss.value), int(dut.time_backwards.value))
            assert got == self.counts.pop(cycle, None), cycle
        assert cycle not in self.counts
        request = bool(int(dut.request_valid.value))
        if cycle in self.due["request"]:
            assert request
        if request:
            assert self.busy_from is not None
            assert cycle >= self.busy_from
            if cycle == self.busy_from:
                assert cycle in self.due["request"]
            self.length = int(dut.payload_length.value)
            take = self.rng.random() < self.ready_rate
            dut.put(request_ready=take)
            self.requests += take
        else:
            dut.put(request_ready=0)
        self.ready = self.requests > 0 and self.rng.random() < self.ready_rate
        dut.put(payload_ready=self.ready)
        self.last_taken = False
        if int(dut.payload_valid.value) and self.ready:
            keep = int(dut.payload_keep.value)
            assert keep == (1 << self.width) - 1
            self.received += int(dut.payload_data.value).to_bytes(self.width, "little")
            if int(dut.payload_last.value):
                self.last_taken = True
                assert len(self.received) == self.length
                assert self.expected, "a report that nothing asked for"
                wanted = self.expected.pop(0)
                differ = [i for i, (got, want) in enumerate(zip(self.received, wanted, strict=True)) if got != want]
                at = differ[0] & ~63 if differ else 0  # the header or the record that differs first
                here, there = bytes(self.received[at : at + 64]).hex(" ", -8), wanted[at : at + 64].hex(" ", -8)
                assert not differ, f"report {self.number} from byte {at}:\n got {here}\nwant {there}"
                self.received.clear()
                self.requests -= 1
                self.parts_left -= 1
                if self.parts_left == 0:
                    self.busy_from = None
                    self.free_at = cycle + 1
                    self.reports += 1

    # ---- the table ------------------------------------------------------------------------------

    def write(self, index: int, symbol: bytes) -> dict[str, int]:
        """The inputs of the operation that writes an instrument; it takes the next cycles."""
        self.names.append((self.cycle + WRITE, index, symbol))
        self.host_free = self.cycle + WRITE + 3
        number = int.from_bytes(symbol, "big")
        return {"instrument_write": 1, "instrument_index": index, "instrument_used": any(symbol), "instrument_symbol": number}

    async def load(self, names: list[bytes]) -> None:
        for index, name in enumerate(names):
            await self.step(**self.write(index, name))
            await self.idle(WRITE + 2)

    # ---- frames ---------------------------------------------------------------------------------

    def busy(self) -> bool:
        return self.busy_from is not None and self.cycle >= self.busy_from

    def begin(self, feed: Feed) -> None:
        self.second.begin(feed)
        self.feed = feed
        dut = self.dut
        dut.session.value = int.from_bytes(feed.session, "big")
        dut.first_sequence.value, dut.lost.value, dut.new_session.value = feed.first_sequence, feed.lost, feed.new_session
        self.after = False
        self.accepted = False

    def pass_event(self, event: Event) -> None:
        if self.second.event(event) and not self.busy():
            self.after = self.accepted = True
        if event.kind == ADD:
            slot = self.table.slot(event.symbol)
            if slot is None:
                self.misses += 1
            else:
                self.hits += 1
                self.updates.append(Update(self.cycle, slot, event.sell, self.after, event.price, event.quantity))

    def pass_verdict(self, good: bool) -> None:
        heartbeat = self.second.verdict(good)
        cycle = self.cycle
        accepted = heartbeat and self.accepted
        if good:
            self.good += 1
            self.counts[cycle + VERDICT_TO_COUNT] = (self.hits, self.misses, self.second.backwards)
        if heartbeat:
            self.due["heartbeat"].add(cycle + VERDICT_TO_HEARTBEAT)
            if accepted:
                self.due["request"].add(cycle + VERDICT_TO_REQUEST)
                self.busy_from = cycle + VERDICT_TO_REQUEST
                self.number += 1
                self.parts_left = (self.symbol_count + 15) // 16
            else:
                self.missed += 1
                self.due["missed"].add(cycle + VERDICT_TO_HEARTBEAT)
        boundary, feed, number, count = self.second.boundary, self.feed, self.number, self.symbol_count
        second, updates = self.second.second, self.updates

        def commit() -> None:
            self.passing = [other for other in self.passing if other is not updates]
            if not good:
                return
            for u in updates:
                if not u.after:
                    self.table.side(u.slot, u.sell).add(u.price, u.quantity)
            if accepted:
                assert second is not None
                assert boundary is not None
                flags = int(self.accumulate) | int(self.itch50) << 1
                names = list(self.table.names)
                self.expected += report(self.table.sides, names, count, number, second, boundary.sequence, feed, flags)
                if not self.accumulate:
                    self.table.sides = {}
            for u in updates:
                if u.after:
                    self.table.side(u.slot, u.sell).add(u.price, u.quantity)

        self.finish.append((cycle + COMMIT, commit))
        self.hits = self.misses = 0
        self.updates = []
        self.passing.append(self.updates)

    async def drive(self, event: Event | None, short: Event | None = None, verdict: bool | None = None, extra: dict | None = None) -> None:
        inputs: dict[str, int] = dict(extra or {})
        if event:
            inputs |= {
                "event_valid": 1,
                "event_kind": event.kind,
                "event_side": event.sell,
                "event_symbol": int.from_bytes(event.symbol, "big"),
                "event_price": event.price,
                "event_quantity": event.quantity,
                "event_seconds": event.seconds,
                "event_nanoseconds": event.nanoseconds,
                "event_sequence": event.sequence,
            }
        if short:
            inputs |= {
                "short_valid": 1,
                "short_kind": short.kind,
                "short_seconds": short.seconds,
                "short_nanoseconds": short.nanoseconds,
                "short_sequence": short.sequence,
            }
        if verdict is not None:
            inputs |= {"verdict_valid": 1, "verdict_good": verdict}
        await self.step(**inputs)
        # They arrive in the next cycle.
        for arrived in (event, short):
            if arrived:
                self.pass_event(arrived)
        if verdict is not None:
            self.pass_verdict(verdict)

    # ---- random traffic -------------------------------------------------------------------------

    def random_event(self, names: list[bytes], short: bool, step: int) -> Event:
        """The next message of a feed whose time goes on by about `step` ns a message."""
        rng = self.rng
        sequence = self.sequence
        self.sequence += 1
        if self.itch50:
            self.nanoseconds = max(0, self.nanoseconds + (rng.randrange(2 * step) if rng.random() > 0.05 else -rng.randrange(step)))
            seconds, nanoseconds = 0, self.nanoseconds
        elif short or rng.random() < 0.3:
            if rng.random() < 0.7:
                self.seconds = max(0, self.seconds + rng.choice([0, 0, 1, 1, 1, 2, -1]))
                self.nanoseconds = 0
                return Event(TIME, seconds=self.seconds, sequence=sequence)
            seconds, nanoseconds = self.seconds, self.nanoseconds
        else:
            self.nanoseconds = (self.nanoseconds + rng.randrange(10**8)) % BILLION
            seconds, nanoseconds = self.seconds, self.nanoseconds
        if short:
            return Event(STATUS, seconds, nanoseconds, sequence)
        kind = rng.choice([ADD, ADD, ADD, TRADE, REPLACE, STATUS])
        return Event(
            kind,
            seconds,
            nanoseconds,
            sequence,
            sell=rng.random() < 0.5,
            symbol=rng.choice(names),
            price=rng.getrandbits(32) if rng.random() < 0.2 else rng.randrange(5_000_000, 5_001_000),
            quantity=rng.getrandbits(32) if rng.random() < 0.1 else rng.randrange(1, 1000),
        )

    async def random_frame(self, names: list[bytes], step: int) -> None:
        rng = self.rng
        good = rng.random() < 0.8
        saved = (self.sequence, self.seconds, self.nanoseconds)
        new_session = (self.feed.new_session and self.good == 0) or rng.random() < 0.03
        session = rng.randbytes(10) if new_session else self.feed.session
        lost = self.feed.lost + rng.choice([0, 0, 0, 1, 7])
        previous = self.feed
        self.begin(Feed(session, self.sequence, lost, new_session))
        messages = rng.choice([0, 1, 1, 2, 3, 5, 8])
        for i in range(messages):
            written = rng.random() < 0.05 and not self.busy() and self.cycle >= self.host_free
            event: Event | None = self.random_event(names, False, step)
            while event and event.kind == ADD and self.cycle - self.last_add < ADD_TO_ADD[self.width]:
                await self.step()
            if event and event.kind == ADD:
                self.last_add = self.cycle
            short = self.random_event(names, True, step) if not self.itch50 and rng.random() < 0.3 else None
            verdict = good if i == messages - 1 and rng.random() < 0.7 else None
            await self.drive(event, short, verdict, self.random_write(names) if written else None)
            if verdict is not None:
                break
            await self.idle(rng.choice([0, 0, 0, 1, 3]))
        else:
            await self.idle(rng.choice([0, 0, 1, 5]))
            await self.drive(None, None, good)
        if not good:
            self.sequence, self.seconds, self.nanoseconds = saved
            self.feed = previous
        await self.idle(NEXT_FRAME[self.width] - 1)

    def random_write(self, names: list[bytes]) -> dict[str, int]:
        """Clears an instrument, or gives it a symbol: its own, or one that no other has."""
        index = self.rng.randrange(self.symbols)
        others = {name for at, name in enumerate(self.table.names) if at != index and any(name)}
        return self.write(index, self.rng.choice([name for name in (self.table.names[index], bytes(8), *names) if name not in others]))

    async def settle(self) -> None:
        self.ready_rate = 1.0
        for _ in range(20000):
            await self.step()
            if self.busy_from is None and not self.finish:
                break
        await self.idle(3)
        assert not self.expected
        assert not self.counts


PULSES = {"event_valid", "short_valid", "verdict_valid", "instrument_write"}
INPUTS = PULSES | {"session", "first_sequence", "lost", "new_session"}


def make_names(rng: Random, count: int, filled: float) -> tuple[list[bytes], list[bytes]]:
    """Names for the slots (some empty), and symbols of the feed: those and strangers that look like them."""
    alphabet = b"ABCDEFGH"
    pool: set[bytes] = set()
    while len(pool) < 2 * count:
        pool.add(bytes(rng.choices(alphabet, k=rng.randrange(1, 6))).ljust(8))
    listed = sorted(pool)
    rng.shuffle(listed)
    names = [n if rng.random() < filled else bytes(8) for n in listed[:count]]
    return names, [n for n in names if any(n)] + listed[count : count + count // 3]


async def traffic(dut, seed: int, itch50: bool, accumulate: bool, frames: int) -> None:
    rng = Random(seed)
    symbols = INSTRUMENTS
    bench = Bench(dut, seed, itch50, accumulate, symbol_count=symbols if seed % 2 else rng.randrange(1, symbols + 1))
    await bench.start()
    names, feed_symbols = make_names(rng, symbols, 0.9)
    await bench.load(names)
    for i in range(frames):
        if i % 25 == 0:
            bench.ready_rate = rng.choice([1.0, 1.0, 0.7, 0.2])
        await bench.random_frame(feed_symbols, step=rng.choice([10**4, 10**7, 10**8, 10**9]))
        if rng.random() < 0.4:
            while bench.busy_from is not None:
                await bench.step()
    await bench.settle()
    dut._log.info("%d reports, %d missed", bench.reports, bench.missed)
    assert bench.sent == bench.reports == bench.number
    assert bench.reports > frames // 20
    assert bench.missed > 0


@cocotb.test()
async def interval_reports_of_itch_50_equal_the_model(dut):
    await traffic(dut, 1, True, False, FRAMES)


@cocotb.test()
async def accumulated_reports_of_itch_50_equal_the_model(dut):
    await traffic(dut, 2, True, True, FRAMES)


@cocotb.test()
async def interval_reports_of_itch_41_equal_the_model(dut):
    await traffic(dut, 3, False, False, FRAMES)


@cocotb.test()
async def accumulated_reports_of_itch_41_equal_the_model(dut):
    await traffic(dut, 4, False, True, FRAMES)


def add(symbol: bytes, second: int, ns: int, sequence: int, sell: bool = False) -> Event:
    return Event(ADD, 0, second * BILLION + ns, sequence, sell, symbol, 5_850_000 + sequence, 100 * sequence)


@cocotb.test()
async def a_boundary_with_the_verdict_is_reported_without_a_pause_on_the_wire(dut):
    """The hardest timing: the last message of the frame begins the second and comes with the verdict."""
    bench = Bench(dut, 5, True, False, 16)
    await bench.start()
    names = [bytes(f"SYM{i}", "ascii").ljust(8) for i in range(bench.symbols)]
    await bench.load(names)
    for second in range(10, 14):
        bench.begin(Feed(b"0000000001", 100 * second, 0, second == 10))
        await bench.drive(add(names[0], second, 999_999_999, 100 * second))
        await bench.idle(ADD_TO_ADD[bench.width] - 1)
        last = add(names[0], second + 1, 0, 100 * second + 1, True)
        bench.ready_rate = 0.0
        await bench.drive(last, None, True)
        await bench.idle(2)
        words = -5  # 42 bytes of header leave before the payload's first beat is needed
        request = bench.cycle
        while bench.busy_from is not None:
            bench.ready_rate = float(bench.cycle > request + 4)
            if bench.ready_rate:
                assert int(dut.payload_valid.value), f"beat {words} is late"
                words += 1
            await bench.step()
        await bench.idle(20)
    assert bench.reports == 4


@cocotb.test()
async def nothing_of_a_bad_frame_is_counted_and_its_second_is_forgotten(dut):
    bench = Bench(dut, 6, True, False, 2)
    await bench.start()
    names = [b"AAPL    ", b"MSFT    "] + [bytes(8)] * (bench.symbols - 2)
    await bench.load(names)
    for second, good in ((5, True), (6, False), (6, True), (7, False), (8, True)):
        bench.begin(Feed(b"0000000001", second, 0, second == 5))
        for i in range(4):
            await bench.drive(add(names[i % 2], second, i * 1000, i + 1, i > 1))
            await bench.idle(ADD_TO_ADD[bench.width] - 1)
        await bench.drive(None, None, good)
        await bench.idle(200 * 8 // bench.width)
    assert bench.reports == 3
    assert bench.table.sides[(0, False)] == Side(1, 5_850_001, 5_850_001, 100, 5_850_001)


@cocotb.test()
async def an_instrument_may_be_written_in_every_cycle_of_an_update(dut):
    """An add under the old symbol is gone, one under the new counts from nothing, whichever cycle it comes in: never a mixture."""
    bench = Bench(dut, 7, True, True, 1)
    await bench.start()
    await bench.load([b"AAPL    "] + [bytes(8)] * (bench.symbols - 1))
    number = 0
    symbols = b"AAPL    ", b"MSFT    "
    for begin in range(16):
        for old, new in (symbols, symbols[::-1], (symbols[0], symbols[0])):
            # What the first frame left is in the report that the second one asks for.
            for written in (True, False):
                number += 1
                bench.begin(Feed(b"0000000001", 100 * number, 0, number == 1))
                for cycle in range(32 if written else 1):
                    event = add((old, new)[cycle // 8 % 2], 10 + number, cycle, 100 * number + cycle) if cycle % 8 == 0 else None
                    await bench.drive(event, extra=bench.write(0, new) if written and cycle == begin else None)
                await bench.drive(None, None, True)
                await bench.settle()
                await bench.idle(NEXT_FRAME[bench.width])
    assert bench.reports == number


FRAMES = int(os.environ.get("FRAMES", str(cases(200, 600))))
INSTRUMENTS = int(os.environ.get("INSTRUMENTS", "16"))


@pytest.mark.parametrize("width", [8, 64])
def test_statistics_slot(width: int) -> None:
    simulate("statistics_slot_tb", "test_statistics_slot", {"W": width}, [ROOT / "tests/rtl/statistics_slot_tb.sv"])


def test_statistics_slot_of_256_instruments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FRAMES", str(cases(45, 150)))
    monkeypatch.setenv("INSTRUMENTS", "256")
    simulate("statistics_slot_tb", "test_statistics_slot", {"W": 64, "INSTRUMENTS": 256}, [ROOT / "tests/rtl/statistics_slot_tb.sv"])
