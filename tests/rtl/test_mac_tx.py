"""mac_tx: what is on the MII is the frame, padded, with the right FCS, in time and with a gap; a starved frame ends in an error.

It is the test of gmii_tx and xgmii_tx too, one of which stands in it: a frame may end in any lane, with FCS and terminate after it.
"""

import os
import random
import zlib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from harness import cases, simulate
from mii_record import MiiRecord, Sent
from pins import Pins

HERE = Path(__file__).parent
Beat = tuple[int, int, bool]  # data, keep, last
WIDTH = int(os.environ.get("W", "64"))
LATENCY = 1  # first beat valid → first preamble byte on the MII


def on_the_wire(frame: bytes) -> bytes:
    padded = frame.ljust(60, b"\0")
    return padded + zlib.crc32(padded).to_bytes(4, "little")


def fcs_is_good(wire: bytes) -> bool:
    return zlib.crc32(wire[:-4]).to_bytes(4, "little") == wire[-4:]


def beats(frame: bytes) -> Iterator[Beat]:
    """The frame's beats; bytes outside `keep` are 0, as mac_tx asks of its source."""
    size = WIDTH // 8
    for at in range(0, len(frame), size):
        part = frame[at : at + size]
        yield int.from_bytes(part, "little"), (1 << len(part)) - 1, at + size >= len(frame)


class Bench:
    """Plays beats into `in` and records the MII. A `None` beat is a cycle without a valid one."""

    def __init__(self, dut) -> None:
        self.dut = Pins(dut)
        self.mii = MiiRecord(WIDTH)
        self.started: list[int] = []
        self.underruns: list[int] = []
        self.offered: list[int] = []  # cycle in which each frame's first beat was first valid
        self.cycle = 0

    async def reset(self) -> None:
        self.dut.in_valid.value = 0
        self.dut.rst.value = 1
        for _ in range(3):
            await RisingEdge(self.dut.clk)
        self.dut.rst.value = 0
        for _ in range(20):
            await self.step()

    async def step(self) -> bool:
        """One cycle; returns whether a beat was taken in it."""
        dut = self.dut
        await RisingEdge(dut.clk)
        self.mii.cycle(int(dut.mii_data.value), int(dut.mii_control.value), int(dut.mii_error.value))
        if dut.started.value:
            self.started.append(self.cycle)
        if dut.underrun.value:
            self.underruns.append(self.cycle)
        self.cycle += 1
        return bool(dut.in_valid.value) and bool(dut.in_ready.value)

    async def idle(self, cycles: int) -> None:
        self.dut.in_valid.value = 0
        for _ in range(cycles):
            await self.step()

    async def send(self, sequence: list[Beat | None]) -> None:
        first = True
        for beat in sequence:
            if beat is None:
                await self.idle(1)
                continue
            self.dut.in_valid.value = 1
            self.dut.in_data.value, self.dut.in_keep.value, self.dut.in_last.value = beat
            if first:
                self.offered.append(self.cycle)
            first = False
            while not await self.step():
                pass
        self.dut.in_valid.value = 0

    async def finish(self) -> list[Sent]:
        await self.idle(100)
        assert self.started == [sent.cycle for sent in self.mii.frames]
        return self.mii.frames


def run_clock(dut) -> None:
    cocotb.start_soon(Clock(dut.clk, 2, "ns").start())


async def sent_as_is(dut, frames: list[bytes], pause: int) -> list[Sent]:
    run_clock(dut)
    bench = Bench(dut)
    await bench.reset()
    for frame in frames:
        await bench.send(list(beats(frame)))
        await bench.idle(pause)
    sent = await bench.finish()
    assert bench.underruns == []
    assert len(sent) == len(frames)
    for got, frame in zip(sent, frames, strict=True):
        assert not got.error
        assert got.data == on_the_wire(frame), f"{len(frame)} bytes"
    return sent


@cocotb.test()
async def every_length_to_130_is_padded_and_has_its_fcs(dut):
    rng = random.Random(2)
    await sent_as_is(dut, [rng.randbytes(n) for n in range(1, 131)], pause=0)


@cocotb.test()
async def random_lengths_to_9000_arrive_whole(dut):
    rng = random.Random(3)
    lengths = [9000, 8999, 8998, 8997, 8996, 8995, 8994, 8993][: cases(2, 8) if WIDTH == 8 else 8]
    lengths += [rng.randint(60, 9000) for _ in range(cases(3, 6) if WIDTH == 8 else cases(15, 30))]
    await sent_as_is(dut, [rng.randbytes(n) for n in lengths], pause=0)


@cocotb.test()
async def frames_back_to_back_have_the_least_gap(dut):
    rng = random.Random(4)
    lengths = [*range(60, 90), 1, 8, 59]
    sent = await sent_as_is(dut, [rng.randbytes(n) for n in lengths], pause=0)
    for before, after in pairwise(sent):
        assert after.gap >= 12
        if WIDTH == 8:
            assert after.gap == 12
        else:  # rounded up to the next lane 0
            assert after.gap < 12 + 8
            assert (len(before.data) + after.gap) % 8 == 0


@cocotb.test()
async def the_preamble_follows_the_first_beat_by_the_stated_latency(dut):
    run_clock(dut)
    rng = random.Random(5)
    bench = Bench(dut)
    await bench.reset()
    for pause in range(40, 60):
        await bench.send(list(beats(rng.randbytes(64))))
        await bench.idle(pause)
    sent = await bench.finish()
    assert [s.cycle - offered for s, offered in zip(sent, bench.offered, strict=True)] == [LATENCY] * 20


@cocotb.test()
async def frames_offered_at_any_time_after_one_another_keep_the_gap(dut):
    run_clock(dut)
    for pause in range(30):
        rng = random.Random(pause)
        bench = Bench(dut)
        await bench.reset()
        for length in (61, 66, 71):
            await bench.send(list(beats(rng.randbytes(length))))
            await bench.idle(pause)
        for sent in await bench.finish():
            assert fcs_is_good(sent.data)
            assert sent.gap is None or sent.gap >= 12


@cocotb.test()
async def a_starved_frame_ends_in_an_error_and_the_next_is_good(dut):
    run_clock(dut)
    rng = random.Random(6)
    frame = rng.randbytes(100)
    total = len(list(beats(frame)))
    for at in range(1, total):
        for missing in (1, 2, 30):
            bench = Bench(dut)
            await bench.reset()
            good = rng.randbytes(rng.randint(1, 130))
            whole = list(beats(frame))
            await bench.send(whole[:at] + [None] * (missing + 8 * (at == 1) * (WIDTH == 8)) + whole[at:])
            await bench.send(list(beats(good)))
            first, second = await bench.finish()
            assert len(bench.underruns) == 1
            assert first.error
            assert not fcs_is_good(first.data)
            assert first.data[: at * WIDTH // 8] == frame[: at * WIDTH // 8]
            assert not second.error
            assert second.gap >= 12
            assert second.data == on_the_wire(good)


@cocotb.test()
async def a_starved_frame_whose_rest_comes_in_pieces_is_thrown_away(dut):
    run_clock(dut)
    rng = random.Random(7)
    bench = Bench(dut)
    await bench.reset()
    broken: list[Beat | None] = []
    for beat in beats(rng.randbytes(300)):
        broken += [beat, None, None]
    await bench.send(broken[:-2])
    await bench.send(list(beats(b"good" * 20)))
    first, second = await bench.finish()
    assert first.error
    assert len(bench.underruns) == 1
    assert second.data == on_the_wire(b"good" * 20)


@pytest.mark.parametrize("width", [8, 64])
def test_mac_tx(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("W", str(width))
    simulate("mac_tx_tb", "test_mac_tx", {"W": width}, [HERE / "mac_tx_tb.sv"])
