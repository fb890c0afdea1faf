"""tx_priority against three queues of frames: complete, in order, the first before the others, never two of these in a row before it."""

import random
from collections.abc import Sequence

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from harness import simulate
from stream_bench import Beat, beats_of

SOURCES = 3


class Merge:
    """The sources, with frames to send, and what came out."""

    def __init__(self, dut, seed: int) -> None:
        self.dut = dut
        self.lanes = len(dut.out_keep)
        self.rng = random.Random(seed)
        self.frames: list[list[bytes]] = [[] for _ in range(SOURCES)]
        self.queues: list[list[Beat]] = [[] for _ in range(SOURCES)]
        self.offered = [False] * SOURCES
        self.since = [0] * SOURCES  # cycle in which the beat was first offered
        self.waits: list[list[int]] = [[] for _ in range(SOURCES)]  # cycles that each frame's first beat waited
        self.begun = [False] * SOURCES
        self.order: list[int] = []  # source of each frame that came out
        self.passed_over = 0  # frames of others that began while one of the first waited
        self.most_passed_over = 0
        self.data = b""
        self.inside: int | None = None
        self.now = 0

    async def start(self) -> None:
        Clock(self.dut.clk, 2, "ns").start()
        self.dut.in_valid.value = 0
        self.dut.out_ready.value = 0
        self.dut.rst.value = 1
        for _ in range(4):
            await RisingEdge(self.dut.clk)
        self.dut.rst.value = 0
        await RisingEdge(self.dut.clk)

    def frame(self, source: int, beats: int) -> None:
        data = self.rng.randbytes((beats - 1) * self.lanes + self.rng.randrange(1, self.lanes + 1))
        self.frames[source].append(data)
        self.queues[source].extend(beats_of(data, self.lanes))

    async def run(self, cycles: int, valid: Sequence[float] = (1, 1, 1), ready: float = 1) -> None:
        """A source without a beat offers its next one in a share of the cycles, and then holds it."""
        dut, rng = self.dut, self.rng
        held = None
        for _ in range(cycles):
            in_valid = in_last = keep = data = 0
            for source, queue in enumerate(self.queues):
                if not self.offered[source] and queue and rng.random() < valid[source]:
                    self.offered[source] = True
                    self.since[source] = self.now
                beat = queue[0] if self.offered[source] else Beat(rng.randbytes(self.lanes), rng.random() < 0.5)
                in_valid |= self.offered[source] << source
                in_last |= beat.last << source
                keep |= ((1 << len(beat.data)) - 1) << (self.lanes * source)
                data |= int.from_bytes(beat.data, "little") << (8 * self.lanes * source)
            dut.in_valid.value, dut.in_last.value, dut.in_keep.value, dut.in_data.value = in_valid, in_last, keep, data
            dut.out_ready.value = rng.random() < ready
            await RisingEdge(dut.clk)
            moved = in_valid & int(dut.in_ready.value)
            on_out = None
            if dut.out_valid.value:
                octets = int(dut.out_data.value).to_bytes(self.lanes, "little")[: int(dut.out_keep.value).bit_length()]
                on_out = (int(dut.source.value), octets)
            assert held is None or on_out == held, f"cycle {self.now}: {held} was on offer"
            if on_out is not None and dut.out_ready.value:
                self.take(on_out[0], on_out[1], bool(dut.out_last.value), moved)
                held = None
            else:
                assert not moved, f"cycle {self.now}: {moved:03b} was taken, and nothing came out"
                held = on_out
            self.now += 1

    def take(self, source: int, octets: bytes, last: bool, moved: int) -> None:
        assert moved == 1 << source, f"cycle {self.now}: one of {source} came out, {moved:03b} was taken"
        assert self.inside in (None, source), f"cycle {self.now}: a beat of {source} within a frame of {self.inside}"
        if self.inside is None:
            self.waits[source].append(self.now - self.since[source])
            if source == 0:
                self.passed_over = 0
            elif self.offered[0] and self.since[0] < self.now:
                self.passed_over += 1
                self.most_passed_over = max(self.most_passed_over, self.passed_over)
        beat = self.queues[source].pop(0)
        assert (beat.data, beat.last) == (octets, last), f"cycle {self.now}"
        self.offered[source] = False
        self.data += octets
        self.inside = None if last else source
        if last:
            assert self.data == self.frames[source][self.order.count(source)]
            self.order.append(source)
            self.data = b""

    def check(self) -> None:
        assert not any(self.queues), "not all came out"
        assert [self.order.count(source) for source in range(SOURCES)] == [len(frames) for frames in self.frames]


@cocotb.test()
async def the_first_leaves_in_the_cycle_it_comes_when_all_is_quiet(dut):
    merge = Merge(dut, 1)
    await merge.start()
    for gap in (1, 2, 3, 7, 1, 1):
        merge.frame(0, 3)
        await merge.run(3 + gap)
    for source in (1, 2, 2, 1):  # after another's frame as well
        merge.frame(source, 2)
        await merge.run(6)
        merge.frame(0, 2)
        await merge.run(3)
    merge.check()
    assert merge.waits[0] == [0] * 10
    assert merge.waits[1] == merge.waits[2] == [1, 1]


@cocotb.test()
async def the_first_alone_goes_back_to_back(dut):
    merge = Merge(dut, 2)
    await merge.start()
    for beats in (1, 2, 1, 5, 1):
        merge.frame(0, beats)
    merge.frame(1, 1)
    merge.frame(2, 1)
    await merge.run(10)
    assert merge.order == [0] * 5
    await merge.run(5)
    assert merge.order == [0] * 5 + [1, 2]


@cocotb.test()
async def the_second_goes_before_the_third(dut):
    merge = Merge(dut, 3)
    await merge.start()
    for source in (2, 2, 1, 1, 1):
        merge.frame(source, 2)
    await merge.run(20)
    assert merge.order == [1, 1, 1, 2, 2]


@cocotb.test()
async def at_most_one_frame_goes_before_a_waiting_first(dut):
    merge = Merge(dut, 4)
    await merge.start()
    for valid, ready in [((0.5, 0.5, 0.5), 0.5), ((0.1, 1, 1), 1), ((0.05, 1, 0.3), 0.7), ((1, 1, 1), 0.3), ((0.9, 0.9, 0.9), 0.9)]:
        for source in range(SOURCES):
            for _ in range(40):
                merge.frame(source, merge.rng.choice((1, 1, 2, 3, 9)))
        for _ in range(100):
            await merge.run(100, valid, ready)
            if not any(merge.queues):
                break
    merge.check()
    assert merge.most_passed_over == 1


@pytest.mark.parametrize("w", [8, 64])
def test_tx_priority(w: int) -> None:
    simulate("tx_priority_tb", "test_tx_priority", {"W": w})
