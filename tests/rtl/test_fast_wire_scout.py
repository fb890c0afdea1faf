"""fast_wire_scout: the template is told a cycle before a packet's first beat, at any alignment, after a Reset; beats leave as they come."""

from __future__ import annotations

import random
from typing import NamedTuple

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from harness import cases, simulate

IDS = [5, 127, 128, 3610, 16_383, 16_384, 2_097_151]  # by their number in the set
GONE = 130  # loaded as the eighth, then taken away
OTHERS = [GONE, 6, 0, 255, 3611, 461_995]
RESET = 120
LATENCY = 4
LANES = 8


class Beat(NamedTuple):
    data: int
    keep: int
    last: bool
    err: bool


def stop_bit(value: int) -> bytes:
    """An unsigned integer of FAST 1.1 (10.6.1): seven bits a byte, the last one with the highest bit set."""
    parts = [value & 0x7F | 0x80]
    while value := value >> 7:
        parts.insert(0, value & 0x7F)
    return bytes(parts)


def beats_of(rng: random.Random, packet: bytes, skip: int, err: bool) -> list[Beat]:
    """From lane `skip` on; what is not the packet's is anything."""
    beats = []
    for begin in range(-skip, len(packet), LANES):
        lanes = range(max(begin, 0), min(begin + LANES, len(packet)))
        data = bytes(packet[at] if at in lanes else rng.randrange(256) for at in range(begin, begin + LANES))
        keep = sum(1 << (at - begin) for at in lanes)
        beats.append(Beat(int.from_bytes(data, "little"), keep, begin + LANES >= len(packet), False))
    beats[-1] = beats[-1]._replace(err=err)
    return beats


async def load(dut, number: int, identifier: int, used: bool = True) -> None:
    dut.load_template_at.value = number
    dut.load_used.value = used
    dut.load_id.value = identifier
    dut.load_id_bytes.value = len(stop_bit(identifier))
    dut.load_reset_id.value = 0x80 | RESET
    dut.load_valid.value = 1
    await RisingEdge(dut.clk)
    dut.load_valid.value = 0


@cocotb.test
async def the_template_is_told_a_cycle_before_the_packet(dut) -> None:
    rng = random.Random(1)
    Clock(dut.clk, 2, "ns").start()
    dut.in_valid.value = dut.load_valid.value = 0
    dut.rst.value = 1
    for _ in range(4):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    for number, identifier in enumerate([*IDS, GONE]):
        await load(dut, number, identifier)
    await load(dut, len(IDS), GONE, used=False)
    await RisingEdge(dut.clk)

    sent: dict[int, Beat] = {}  # by the cycle in which it comes
    leaves: dict[int, Beat] = {}
    told: list[tuple[int, int | None]] = []  # from which cycle on, which template
    now = 1
    for _ in range(cases(4_000, 100_000)):
        identifier = rng.choice(IDS if rng.random() < 0.8 else OTHERS)
        packet = bytes([0x40 | rng.randrange(0x80) | 0x80]) + stop_bit(identifier) + rng.randbytes(rng.randrange(4, 40))
        if rng.random() < 0.3:
            packet = bytes([0xC0, 0x80 | RESET]) + packet
        beats = beats_of(rng, packet, rng.randrange(LANES), rng.random() < 0.1)
        gaps = rng.choice([0, 0, 3])
        cycles = []
        for _ in beats:
            now += rng.randrange(gaps + 1)
            cycles.append(now)
            now += 1
        sent |= dict(zip(cycles, beats, strict=True))
        # A beat leaves when the next one has come, the last one at once.
        after = [*(cycle - 1 for cycle in cycles[1:]), cycles[-1]]
        out = [cycle + LATENCY for cycle in after]
        leaves |= dict(zip(out, beats, strict=True))
        told.append((out[0] - 1, IDS.index(identifier) if identifier in IDS else None))
        now += rng.choice([0, 0, 1, 7])

    seen: dict[int, Beat] = {}
    expected: int | None = None
    begun = False
    turns = dict(told)
    for cycle in range(now + 10):
        beat = sent.get(cycle)
        dut.in_valid.value = beat is not None
        if beat is not None:
            dut.in_data.value, dut.in_keep.value, dut.in_last.value, dut.in_err.value = beat
        await RisingEdge(dut.clk)
        if dut.out_valid.value:
            last = bool(dut.out_last.value)
            seen[cycle] = Beat(int(dut.out_data.value), int(dut.out_keep.value), last, bool(dut.out_err.value))
        if cycle in turns:
            expected, begun = turns[cycle], True
        if begun:
            found = int(dut.number.value) if dut.known.value else None
            assert found == expected, f"cycle {cycle}: template {found}, not {expected}"
    assert seen == leaves
    assert not dut.busy.value
    assert sum(number is None for _, number in told) > 500


def test_fast_wire_scout() -> None:
    simulate("fast_wire_scout_tb", "test_fast_wire_scout")
