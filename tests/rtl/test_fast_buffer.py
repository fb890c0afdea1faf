"""fast_buffer: beats leave in order, their stop bits found; a packet without room is broken off or left out whole, and told."""

import os
import random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly
from harness import cases, simulate
from stream_bench import Beat, beats_of

W = int(os.environ.get("W", "64"))
DEPTH = 16
LANES = W // 8
FRAME, OVERFLOW = 17, 18  # fast_error_e


def facts(beat: Beat) -> dict[str, int]:
    """What is known of a beat's stop bits: a byte with the top bit set ends its entity. A packet's last byte is given one."""
    data = bytearray(beat.data)
    cut = beat.last and bool(data) and not data[-1] & 0x80
    if cut:
        data[-1] |= 0x80
    stops = [lane for lane, byte in enumerate(data) if byte & 0x80]
    return {
        "data": int.from_bytes(data, "little"),
        "first": 1 << stops[0] if stops else 0,
        "has_stop": bool(stops),
        "only": len(stops) == 1,
        "breaks": beat.last and not data,
        "trailing": 0 if beat.last or not stops else LANES - 1 - stops[-1],
        "last": beat.last,
        "cut": cut,
        "error": FRAME if beat.last and beat.err else 0,
    }


class Bench:
    """Packets go in back to back or apart; beats are taken as often as `greed` says."""

    def __init__(self, dut, seed: int) -> None:
        self.dut, self.rng = dut, random.Random(seed)
        self.greed = 1.0
        self.taken: list[dict[str, int]] = []
        self.overflows = 0

    async def start(self) -> None:
        cocotb.start_soon(Clock(self.dut.clk, 2, "ns").start())
        self.dut.in_valid.value, self.dut.out_take.value, self.dut.rst.value = 0, 0, 1
        for _ in range(3):
            await FallingEdge(self.dut.clk)
        self.dut.rst.value = 0

    async def cycle(self, beat: Beat | None) -> None:
        dut = self.dut
        dut.in_valid.value = beat is not None
        if beat is not None:
            dut.in_data.value, dut.in_keep.value = int.from_bytes(beat.data, "little"), (1 << len(beat.data)) - 1
            dut.in_last.value, dut.in_err.value = beat.last, beat.err
        dut.out_take.value = self.rng.random() < self.greed
        await ReadOnly()
        if dut.out_valid.value and dut.out_take.value:
            self.taken.append({name: int(getattr(dut, f"out_{name}").value) for name in facts(Beat(b"\x80", True))})
        assert int(dut.waiting.value) <= DEPTH
        await FallingEdge(dut.clk)
        self.overflows += int(dut.overflow.value)

    async def drain(self) -> None:
        self.greed = 1.0
        for _ in range(DEPTH + 4):
            await self.cycle(None)
        assert int(self.dut.waiting.value) == 0


def packet_of(rng: random.Random) -> bytes:
    stop = rng.choice([0.05, 0.4, 0.9])
    return bytes(rng.randrange(128) | (0x80 if rng.random() < stop else 0) for _ in range(rng.randrange(0, 5 * LANES)))


def same(found: dict[str, int], expected: dict[str, int]) -> bool:
    mask = (1 << W) - 1
    return {**found, "data": found["data"] & mask} == expected


@cocotb.test()
async def what_finds_room_leaves_in_order_with_its_stop_bits_found(dut):
    bench = Bench(dut, 1)
    await bench.start()
    expected = []
    for _ in range(cases(400, 10_000)):
        bench.greed = bench.rng.choice([0.2, 0.5, 1.0])
        for beat in beats_of(packet_of(bench.rng), LANES, bench.rng.random() < 0.2):
            while int(dut.waiting.value) >= DEPTH - 2 or bench.rng.random() < 0.2:
                await bench.cycle(None)
            await bench.cycle(beat)
            expected.append(facts(beat))
    await bench.drain()
    assert bench.overflows == 0
    assert len(bench.taken) == len(expected)
    assert all(same(*pair) for pair in zip(bench.taken, expected, strict=True))


@cocotb.test()
async def what_finds_no_room_is_broken_off_or_left_out_and_each_is_told(dut):
    bench = Bench(dut, 2)
    await bench.start()
    packets, roomy = [], []
    for _ in range(cases(1_500, 30_000)):
        bench.greed = bench.rng.choice([0.1, 0.3, 1.0])
        packet = [*beats_of(packet_of(bench.rng), LANES, bench.rng.random() < 0.2)]
        roomy.append(int(dut.waiting.value) + len(packet) < DEPTH)
        for beat in packet:
            await bench.cycle(beat)
        packets.append([facts(beat) for beat in packet])
        for _ in range(bench.rng.choice([0, 0, 3, 20])):
            await bench.cycle(None)
    await bench.drain()
    left, broken, absent, at = list(bench.taken), 0, 0, 0
    for packet, has_room in zip(packets, roomy, strict=True):
        whole = left[at : at + len(packet)]
        if len(whole) == len(packet) and all(same(*pair) for pair in zip(whole, packet, strict=True)):
            at += len(packet)
            continue
        assert not has_room, "there was room for all of it"
        begun = 0
        while begun < len(packet) and at + begun < len(left) and same(left[at + begun], packet[begun]):
            begun += 1
        ended = left[at + begun] if at + begun < len(left) else None
        if ended and ended["error"] == OVERFLOW:
            assert (ended["last"], ended["breaks"], ended["has_stop"], ended["first"]) == (1, 1, 0, 0)
            broken += 1
            at += begun + 1
        else:
            assert begun == 0, "it ends without a word"
            absent += 1
    assert at == len(left)
    assert broken > 20
    assert absent > 20
    assert bench.overflows == broken + absent


@pytest.mark.parametrize("width", [8, 64])
def test_fast_buffer(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("W", str(width))
    simulate("fast_buffer_tb", "test_fast_buffer", {"W": width, "DEPTH": DEPTH})
