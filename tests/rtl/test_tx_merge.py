"""tx_merge against two queues of frames: complete, in order, in turns, and a beat once offered stays until it is taken."""

import random
from collections.abc import Sequence

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from harness import simulate
from stream_bench import Beat, beats_of


class Merge:
    """The two sources, with frames to send, and what came out."""

    def __init__(self, dut, seed: int) -> None:
        self.dut = dut
        self.lanes = len(dut.out_keep)
        self.rng = random.Random(seed)
        self.frames: tuple[list[bytes], list[bytes]] = ([], [])  # all that were to be sent
        self.queues: tuple[list[Beat], list[Beat]] = ([], [])  # beats not yet taken
        self.offered = [False, False]
        self.taken: list[tuple[int, int, Beat]] = []  # cycle, source, beat
        self.waiting: list[bool] = []  # for each last beat taken: the other source had a beat then
        self.now = 0

    async def start(self, clock: bool = True) -> None:
        if clock:
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

    async def run(self, cycles: int, valid: Sequence[float] = (1, 1), ready: float = 1) -> None:
        """A source without a beat offers its next one in a share of the cycles, and then holds it."""
        dut, rng = self.dut, self.rng
        held = None  # a beat on `out` that was not taken
        for _ in range(cycles):
            in_valid = in_last = keep = data = 0
            for source, queue in enumerate(self.queues):
                self.offered[source] = bool(queue) and (self.offered[source] or rng.random() < valid[source])
                beat = queue[0] if self.offered[source] else Beat(rng.randbytes(self.lanes), rng.random() < 0.5)
                in_valid |= self.offered[source] << source
                in_last |= beat.last << source
                keep |= ((1 << len(beat.data)) - 1) << (self.lanes * source)
                data |= int.from_bytes(beat.data, "little") << (8 * self.lanes * source)
            dut.in_valid.value, dut.in_last.value, dut.in_keep.value, dut.in_data.value = in_valid, in_last, keep, data
            dut.out_ready.value = rng.random() < ready
            await RisingEdge(dut.clk)
            readies = int(dut.in_ready.value)
            on_out = None
            if dut.out_valid.value:
                octets = int(dut.out_data.value).to_bytes(self.lanes, "little")[: int(dut.out_keep.value).bit_length()]
                on_out = (int(dut.from_b.value), Beat(octets, bool(dut.out_last.value)))
            assert held is None or on_out == held, f"cycle {self.now}: {held} was on offer"
            moved = in_valid & readies
            if on_out is not None and dut.out_ready.value:
                source, beat = on_out
                assert moved == 1 << source, f"cycle {self.now}: one of {source} came out, {moved:02b} was taken"
                assert beat == self.queues[source].pop(0), f"cycle {self.now}"
                self.offered[source] = False
                self.taken.append((self.now, source, beat))
                if beat.last:
                    self.waiting.append(bool(in_valid >> (1 - source) & 1))
                held = None
            else:
                assert not moved, f"cycle {self.now}: {moved:02b} was taken, and nothing came out"
                held = on_out
            self.now += 1

    def check(self) -> list[int]:
        """All came out, complete, and the one that waited was next; the frames' sources, in order."""
        assert self.queues == ([], []), "not all came out"
        found: tuple[list[bytes], list[bytes]] = ([], [])
        order: list[int] = []
        data = b""
        source = None
        for cycle, from_, beat in self.taken:
            assert source in (None, from_), f"cycle {cycle}: a beat of {from_} within a frame of {source}"
            data += beat.data
            source = from_
            if beat.last:
                found[from_].append(data)
                order.append(from_)
                data, source = b"", None
        assert found == self.frames
        for one, next_, waited in zip(order, order[1:], self.waiting, strict=False):
            assert not waited or next_ != one, "the other one waited, and was not next"
        return order


@cocotb.test()
async def two_that_always_have_one_take_turns_without_a_pause(dut):
    merge = Merge(dut, 1)
    await merge.start()
    for beats in (1, 2, 7, 1, 3, 1, 1, 12, 5):
        merge.frame(0, beats)
        merge.frame(1, merge.rng.randrange(1, 9))
    beats = sum(map(len, merge.queues))
    await merge.run(beats)
    assert merge.check() == [0, 1] * 9
    assert [cycle for cycle, _, _ in merge.taken] == list(range(beats))


@cocotb.test()
async def one_alone_passes_at_full_rate_whichever_it_is(dut):
    for source in (0, 1):
        merge = Merge(dut, 2)
        await merge.start(clock=source == 0)
        for _ in range(8):
            merge.frame(source, merge.rng.randrange(1, 5))
        beats = len(merge.queues[source])
        await merge.run(beats + 1)
        merge.check()
        assert [cycle for cycle, _, _ in merge.taken] == [source + i for i in range(beats)]  # a cycle to take turns, after reset a's


@cocotb.test()
async def what_comes_while_it_is_idle_waits_one_cycle_at_most(dut):
    merge = Merge(dut, 3)
    await merge.start()
    for source in (1, 0, 0, 1, 1, 0, 1):
        merge.frame(source, 3)
        begin = merge.now
        await merge.run(8)
        first = next(cycle for cycle, _, _ in merge.taken if cycle >= begin)
        assert first - begin <= 1
        assert not any(merge.queues)
    merge.check()


@cocotb.test()
async def random_pauses_of_both_and_of_the_reader(dut):
    merge = Merge(dut, 4)
    await merge.start()
    for valid, ready in [
        ((0.5, 0.5), 0.5),
        ((1, 0.2), 1),
        ((0.1, 1), 0.7),
        ((1, 1), 0.2),
        ((0.05, 0.05), 1),
        ((0.9, 0.9), 0.9),
        ((1, 1), 1),
    ]:
        for source in (0, 1):
            for _ in range(40):
                merge.frame(source, merge.rng.choice((1, 1, 2, 3, 9)))
        for _ in range(100):
            await merge.run(100, valid, ready)
            if not any(merge.queues):
                break
    order = merge.check()
    assert order.count(0) == order.count(1) == 280


@pytest.mark.parametrize("w", [8, 64])
def test_tx_merge(w: int) -> None:
    simulate("tx_merge_tb", "test_tx_merge", {"W": w})
