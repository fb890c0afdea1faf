"""arbiter_stage: what each source brings, and when; of one line only that line; gaps of narrow numbers in 64 bits.

Without a store (PACKETS 0) the low-latency output is as with one, and nothing comes on the other."""

import os
import random
from typing import Any

import cocotb
import pytest
from arbiter_model import PROTOCOLS
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from harness import simulate
from pins import Pins

WIDTH = int(os.environ.get("W", "64")) // 8
LINES = int(os.environ.get("LINES", "2"))
PACKETS = int(os.environ.get("PACKETS", "8"))
PROTOCOL = PROTOCOLS[int(os.environ.get("PRESET", "0"))]
LINE_A, LINE_B, LOW_LATENCY, HIGH_RELIABILITY = range(4)
LATENCY = {LINE_A: 1, LINE_B: 1, LOW_LATENCY: 2, HIGH_RELIABILITY: 2}  # cycles
SPACE = 12 * 8 // WIDTH  # cycles from one packet to the next

Came = tuple[int, int, bytes, bool]  # first cycle, last cycle, bytes, through the arbiter


class Bench:
    def __init__(self, dut: Any) -> None:
        self.dut = Pins(dut)
        self.rng = random.Random(4)
        self.now = 0
        self.came: list[Came] = []
        self.gaps: list[tuple[int, int, int]] = []  # output, from, to
        self.passed = 0
        self.cut = 0  # packets that ended in err
        self.resets = 0  # sessions

    async def start(self, source: int) -> None:
        Clock(self.dut.clk, 2, "ns").start()
        self.dut.put(in_valid=0, in_last=0, source=source, rst=1)
        for _ in range(4):
            await RisingEdge(self.dut.clk)
        self.dut.put(rst=0)
        for _ in range(4):
            await RisingEdge(self.dut.clk)

    def packet(self, number: int) -> bytes:
        return PROTOCOL.packet(number, 1, PROTOCOL.header + self.rng.randrange(1, 40), self.rng)

    async def play(self, packets: list[tuple[int, int, bytes]]) -> None:
        """Packets by their first cycle and line; and all that comes of them."""
        dut = self.dut
        beats = {}
        for begin, line, data in packets:
            for i, at in enumerate(range(0, len(data), WIDTH)):
                beats[begin + i, line] = (data[at : at + WIDTH], at + WIDTH >= len(data))
        opened, begun = b"", 0
        for _ in range(max(cycle for cycle, _ in beats) + 30):
            valid = last = keep = word = 0
            for line in range(2):
                part, ends = beats.get((self.now, line), (b"", False))
                valid |= bool(part) << line
                last |= ends << line
                keep |= ((1 << len(part)) - 1) << (WIDTH * line)
                word |= int.from_bytes(part, "little") << (8 * WIDTH * line)
            dut.put(in_valid=valid, in_last=last, in_keep=keep, in_data=word)
            await RisingEdge(dut.clk)
            assert not dut.overflow.value
            self.passed += int(dut.passed.value).bit_count()
            self.resets += int(dut.session_reset.value)
            for output in range(2):
                if int(dut.gap.value) >> output & 1:
                    first, behind = (int(port.value) >> (64 * output) & (1 << 64) - 1 for port in (dut.gap_from, dut.gap_to))
                    self.gaps.append((output, first, behind))
            if dut.out_valid.value:
                begun = begun if opened else self.now
                opened += int(dut.out_data.value).to_bytes(WIDTH, "little")[: int(dut.out_keep.value).bit_count()]
                if dut.out_last.value:
                    if dut.out_err.value:
                        self.cut += 1
                    else:
                        self.came.append((begun, self.now, opened, bool(dut.arbitrated.value)))
                    opened = b""
            self.now += 1


@cocotb.test()
@cocotb.parametrize(source=[LINE_A, LINE_B, LOW_LATENCY, HIGH_RELIABILITY])
async def a_source_brings_its_packets_and_no_others_in_time(dut: Any, source: int) -> None:
    b = Bench(dut)
    await b.start(source)
    # Each packet on one line only, in turn, so that the arbiter lets all of them through as they come.
    packets = [(SPACE * i, i % 2, b.packet(i + 1)) for i in range(12)]
    await b.play(packets)
    taken = source if LINES == 2 else LINE_A
    arbitrated = taken in (LOW_LATENCY, HIGH_RELIABILITY)
    want = []
    for begin, line, data in packets:
        if taken == HIGH_RELIABILITY and not PACKETS:
            continue
        if arbitrated or line == taken:
            first = begin + LATENCY[taken]
            want.append((first, first + -(-len(data) // WIDTH) - 1, data, arbitrated))
    assert b.came == want
    assert b.passed == (len(packets) if LINES == 2 else 0)
    assert b.gaps == []
    assert b.cut == 0


@cocotb.test()
async def a_gap_is_reported_in_64_bits_and_only_by_an_arbiter(dut: Any) -> None:
    b = Bench(dut)
    await b.start(LOW_LATENCY)
    top = 1 << PROTOCOL.sequence_bits
    await b.play([(SPACE * i, 0, b.packet(number)) for i, number in enumerate((top - 3, top - 1, 1))])
    assert [gap for gap in b.gaps if gap[0] == 0] == ([(0, top - 2, top - 1), (0, 0, 1)] if LINES == 2 else [])


@cocotb.test(skip=LINES == 1)
async def a_new_session_is_known_by_its_second_packet_and_what_comes_then_passes(dut: Any) -> None:
    b = Bench(dut)
    await b.start(LOW_LATENCY)
    far = 1 << PROTOCOL.sequence_bits - 2
    numbers = (1, 2, 3, far, far + 1, far + 2, far + 3)
    packets = [(2 * SPACE * i, i % 2, b.packet(number)) for i, number in enumerate(numbers)]
    await b.play(packets)
    assert [data for _, _, data, _ in b.came] == [data for _, _, data in packets[:3] + packets[5:]]
    assert (b.cut, b.resets, b.passed) == (2, 1, 5)
    # From the new session's first packet, which was refused, to the one that passed.
    assert [gap for gap in b.gaps if gap[0] == 0] == [(0, far, far + 2)]


@pytest.mark.parametrize(
    ("width", "lines", "preset", "settle", "packets"),
    [
        (8, 1, 0, 0, 8),
        (8, 2, 0, 0, 8),
        (8, 2, 1, 9, 8),
        (8, 2, 0, 0, 0),
        (64, 1, 0, 9, 8),
        (64, 2, 0, 9, 8),
        (64, 2, 1, 9, 8),
        (64, 2, 0, 0, 0),
    ],
)
def test_arbiter_stage(width: int, lines: int, preset: int, settle: int, packets: int, monkeypatch: pytest.MonkeyPatch) -> None:
    parameters = {"W": width, "LINES": lines, "PRESET": preset, "PACKETS": packets, "SETTLE": settle}
    for name, value in parameters.items():
        monkeypatch.setenv(name, str(value))
    simulate("arbiter_stage_tb", "test_arbiter_stage", parameters)
