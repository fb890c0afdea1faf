"""frame_memory: frames that are committed come out complete, in their order; what is discarded, or found no room, leaves no trace."""

import os
from collections import deque
from dataclasses import dataclass, field
from random import Random
from typing import Any

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly
from harness import simulate

W = int(os.environ.get("W", "64"))
BYTES = W // 8
WORDS = 16
LATENCY = 2  # commit to the first beat

Word = tuple[int, int, bool]  # data, bytes of it that count, last


def frame(number: int, words: int, stop: int = BYTES) -> list[Word]:
    """Of so many words; `stop` bytes in the last."""
    data = [(number * 31 + i * 7 + 1) * 0x0101010101010101 % (1 << W) for i in range(words)]
    return [(value, stop if i == words - 1 else BYTES, i == words - 1) for i, value in enumerate(data)]


@dataclass
class Bench:
    dut: Any
    cycle: int = 0
    out: list[list[Word]] = field(default_factory=lambda: [[]])
    kept: list[int] = field(default_factory=list)  # cycles
    overflows: list[int] = field(default_factory=list)
    first_beats: list[int] = field(default_factory=list)
    written: int = 0  # words in the memory, by what went in and out
    ready: bool = True

    async def start(self, clock: bool = True) -> None:
        dut = self.dut
        if clock:
            cocotb.start_soon(Clock(dut.clk, 8, "ns").start())
        await FallingEdge(dut.clk)
        for name in ("write", "commit", "discard", "out_ready"):
            getattr(dut, name).value = 0
        dut.rst.value = 1
        for _ in range(3):
            await FallingEdge(dut.clk)
        dut.rst.value = 0

    async def step(self, word: Word | None = None, commit: bool = False, discard: bool = False) -> None:
        dut = self.dut
        await FallingEdge(dut.clk)
        self.cycle += 1
        dut.write.value = word is not None
        if word:
            dut.write_data.value, dut.write_stop.value, dut.write_last.value = word
        dut.commit.value, dut.discard.value = commit, discard
        dut.out_ready.value = self.ready
        await ReadOnly()
        self.was_full = bool(int(dut.full.value))
        if int(dut.kept.value):
            self.kept.append(self.cycle)
        if int(dut.overflow.value):
            self.overflows.append(self.cycle)
        if int(dut.out_valid.value) and self.ready:
            if not self.out[-1]:
                self.first_beats.append(self.cycle)
            keep = int(dut.out_keep.value)
            count = keep.bit_count()
            assert keep == (1 << count) - 1
            last = bool(int(dut.out_last.value))
            self.out[-1].append((int(dut.out_data.value), count, last))
            if last:
                self.out.append([])

    async def put(self, words: list[Word], behind: int | None = None, discard: bool = False) -> None:
        """The verdict comes with the last word, or so many cycles after it."""
        for word in words[:-1]:
            await self.step(word)
        if behind is None:
            await self.step(words[-1], commit=not discard, discard=discard)
            return
        await self.step(words[-1])
        for _ in range(behind):
            await self.step()
        await self.step(commit=not discard, discard=discard)

    async def drain(self) -> list[list[Word]]:
        self.ready = True
        for _ in range(2 * WORDS + 8):
            await self.step()
        assert not self.out[-1], "a frame that does not end"
        return self.out[:-1]


async def bench(dut: Any, clock: bool = True) -> Bench:
    made = Bench(dut)
    await made.start(clock)
    return made


@cocotb.test()
async def what_is_committed_comes_out_two_cycles_later_with_its_bytes(dut: Any) -> None:
    b = await bench(dut)
    frames = [frame(n, words, stop) for n, (words, stop) in enumerate([(1, 1), (3, BYTES), (5, max(1, BYTES - 1)), (1, BYTES), (WORDS, 1)])]
    for n, words in enumerate(frames):
        await b.put(words, behind=[None, 0, 5, None, 3][n])
        committed = b.cycle
        for _ in range(WORDS + 4):
            await b.step()
        assert b.kept[-1] == committed + 1
        assert b.first_beats[-1] == committed + LATENCY
    assert await b.drain() == frames
    assert not b.overflows


@cocotb.test()
async def nothing_of_a_frame_comes_out_before_its_commit(dut: Any) -> None:
    b = await bench(dut)
    await b.put(frame(1, 4), behind=20)
    assert b.first_beats == []
    await b.put(frame(2, 4), discard=True)
    await b.put(frame(3, 2), behind=1, discard=True)
    await b.put(frame(4, 2))
    assert await b.drain() == [frame(1, 4), frame(4, 2)]
    assert len(b.kept) == 2
    assert not b.overflows


@cocotb.test()
async def frames_follow_one_another_at_a_word_a_cycle(dut: Any) -> None:
    b = await bench(dut)
    frames = [frame(n, 1 + n % 5) for n in range(40)]
    for words in frames:
        await b.put(words)
    total = sum(len(words) for words in frames)
    assert await b.drain() == frames
    # Never a cycle without a beat once the first is there, except where the next frame was not committed yet.
    assert b.first_beats[-1] <= total + LATENCY


@cocotb.test()
async def a_frame_that_finds_no_room_is_lost_whole_and_told(dut: Any) -> None:
    b = await bench(dut)
    b.ready = False
    await b.put(frame(1, WORDS - 3))
    for behind in (None, 2):
        await b.put(frame(2, 4), behind)
        await b.step()
    await b.step()
    assert len(b.overflows) == 2
    # There is room for three.
    await b.put(frame(3, 3))
    await b.step()
    await b.step()
    assert b.was_full
    # A frame that began without room is lost, even if all of the others leave meanwhile.
    await b.step((1, BYTES, False))
    b.ready = True
    for _ in range(WORDS + 4):
        await b.step()
    assert not b.was_full
    await b.step((2, BYTES, True), commit=True)
    await b.put(frame(5, 2))
    assert await b.drain() == [frame(1, WORDS - 3), frame(3, 3), frame(5, 2)]
    assert len(b.overflows) == 3
    assert len(b.kept) == 3


@cocotb.test()
async def a_frame_that_found_no_room_and_is_discarded_is_no_overflow(dut: Any) -> None:
    b = await bench(dut)
    b.ready = False
    await b.put(frame(1, WORDS))
    await b.put(frame(2, 2), discard=True)
    await b.put(frame(3, 2), behind=3, discard=True)
    assert await b.drain() == [frame(1, WORDS)]
    assert not b.overflows
    # All of the memory is free again.
    await b.put(frame(4, WORDS))
    assert await b.drain() == [frame(1, WORDS), frame(4, WORDS)]


@cocotb.test()
async def tight_tells_that_eight_words_or_less_were_free_two_cycles_ago(dut: Any) -> None:
    b = await bench(dut)
    b.ready = False
    told = []
    for i in range(WORDS):
        await b.step((i, BYTES, False))
        told.append(bool(int(dut.tight.value)))
    await b.step()
    told.append(bool(int(dut.tight.value)))
    await b.step()
    told.append(bool(int(dut.tight.value)))
    # In the cycle of word i, i - 2 words were there two cycles ago: 8 of 16 leave eight.
    assert told == [i - 2 >= WORDS - 8 for i in range(WORDS + 2)]
    await b.step(discard=True)
    await b.step()
    await b.step()
    await b.step()
    assert not int(dut.tight.value)


@cocotb.test()
async def any_mix_of_frames_verdicts_and_pauses_keeps_what_fitted(dut: Any) -> None:
    rng = Random(2)
    b = await bench(dut)
    expected: list[list[Word]] = []
    lost = 0
    for number in range(400):
        words = frame(number, rng.choice([1, 2, 3, 5, 9, WORDS]), rng.randrange(1, BYTES + 1))
        discard, fitted = rng.random() < 0.25, True
        pending: deque[Word] = deque(words)
        together = rng.random() < 0.5
        while pending:
            b.ready = rng.random() < 0.4
            if rng.random() < 0.3:
                await b.step()
                continue
            verdict = together and len(pending) == 1
            await b.step(pending.popleft(), commit=verdict and not discard, discard=verdict and discard)
            fitted &= not b.was_full
        if not together:
            for _ in range(rng.randrange(4)):
                await b.step()
            await b.step(commit=not discard, discard=discard)
        if not discard and fitted:
            expected.append(words)
        lost += not discard and not fitted
    assert await b.drain() == expected
    assert (len(b.kept), len(b.overflows)) == (len(expected), lost)
    assert lost > 20
    assert len(expected) > 100


@pytest.mark.parametrize("w", [8, 64])
def test_frame_memory(w: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("W", str(w))
    simulate("frame_memory_tb", "test_frame_memory", {"W": w, "WORDS": WORDS})
