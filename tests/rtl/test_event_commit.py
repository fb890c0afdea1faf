"""event_commit against a deque of committed words and a list of pending ones: what leaves, in which cycle, and what is lost."""

import os
from collections import deque
from random import Random
from typing import Any

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from harness import cases, simulate
from pins import Pins

WIDTH = int(os.environ.get("COMMIT_WIDTH", "8"))
DEPTH = int(os.environ.get("COMMIT_DEPTH", "4"))
LATENCY = 1  # cycles, verdict to the first word
INTERVAL = 2  # cycles, word to word


class Bench:
    """Drives the design and compares it with the model in every cycle."""

    def __init__(self, dut: Any, seed: int) -> None:
        self.pins = Pins(dut)
        self.rng = Random(seed)
        self.cycle = 0
        self.forget()

    def forget(self) -> None:
        """The model, empty."""
        self.committed: deque[tuple[int, int]] = deque()  # word, cycle of its verdict
        self.pending: list[int] = []
        self.left: list[tuple[int, int]] = []  # word, cycle
        self.lost: list[int] = []  # cycles in which a word found no room
        self.taken_back = 0
        self.with_verdict = {True: 0, False: 0}  # words that were written in their verdict's cycle, by the verdict

    async def start(self) -> None:
        cocotb.start_soon(Clock(self.pins.clk, 2, "ns").start())
        await self.reset()

    async def reset(self) -> None:
        self.pins.put(rst=1, write=0, write_data=0, verdict_valid=0, verdict_good=0, out_ready=0)
        await RisingEdge(self.pins.clk)
        self.pins.put(rst=0)
        self.cycle += 1
        self.forget()

    def word(self) -> int:
        return self.rng.getrandbits(WIDTH)

    async def step(self, word: int | None = None, verdict: bool | None = None, ready: bool = True) -> None:
        """One cycle. Inputs that are not valid are random."""
        pins = self.pins
        pins.put(write=word is not None, write_data=self.word() if word is None else word, out_ready=ready)
        pins.put(verdict_valid=verdict is not None, verdict_good=self.rng.random() < 0.5 if verdict is None else verdict)
        await RisingEdge(pins.clk)  # what is seen now is of the cycle that ends
        assert bool(pins.overflow.value) == (self.lost[-1:] == [self.cycle - 1])
        room = len(self.committed) + len(self.pending) < DEPTH  # a word that leaves in this cycle makes none yet
        previous = self.left[-1][1] if self.left else -INTERVAL
        due = bool(self.committed) and self.cycle >= max(self.committed[0][1] + LATENCY, previous + INTERVAL)
        assert bool(pins.out_valid.value) == due, f"cycle {self.cycle}: a word is {'late' if due else 'not committed, or early'}"
        if due:
            assert int(pins.out_data.value) == self.committed[0][0]
            if ready:
                self.left.append((self.committed.popleft()[0], self.cycle))
        if word is not None and room:
            self.pending.append(word)
            if verdict is not None:
                self.with_verdict[verdict] += 1
        elif word is not None:
            self.lost.append(self.cycle)
        if verdict is not None:
            if verdict:
                self.committed.extend((each, self.cycle) for each in self.pending)
            else:
                self.taken_back += len(self.pending)
            self.pending.clear()
        self.cycle += 1

    async def wait(self, cycles: int, ready: bool = True) -> None:
        for _ in range(cycles):
            await self.step(ready=ready)

    async def frame(self, words: list[int], good: bool, gap: int = 0, ready: bool = True) -> int:
        """A word in every cycle, the verdict `gap` cycles after the last, with it if 0: the verdict's cycle."""
        last = max(len(words), 1) - 1 + gap
        for i in range(last + 1):
            await self.step(words[i] if i < len(words) else None, good if i == last else None, ready)
        return self.cycle - 1

    async def drain(self) -> None:
        while self.committed:
            await self.step()
        await self.wait(3)

    def words(self, count: int) -> list[int]:
        return [self.word() for _ in range(count)]

    def out(self) -> list[int]:
        return [word for word, _ in self.left]


async def bench(dut: Any, seed: int) -> Bench:
    made = Bench(dut, seed)
    await made.start()
    return made


@cocotb.test()
async def words_leave_only_after_a_good_verdict_and_in_order(dut: Any) -> None:
    b = await bench(dut, 1)
    for count in (1, 2, DEPTH - 1, DEPTH):
        for gap in (0, 1, 2, 9):
            words, before = b.words(count), len(b.left)
            for word in words:
                await b.step(word)
            await b.wait(gap)
            assert len(b.left) == before
            await b.step(verdict=True)
            await b.drain()
            assert b.out()[before:] == words
    assert not b.lost


@cocotb.test()
async def a_bad_verdict_takes_back_exactly_what_its_frame_wrote(dut: Any) -> None:
    b = await bench(dut, 2)
    for kept in sorted({0, 1, 2, DEPTH // 2, DEPTH - 1}):
        for bad in sorted({1, 2, DEPTH - kept} & set(range(1, DEPTH - kept + 1))):
            for gap in (0, 1, 3):
                before = len(b.left)
                first, second = b.words(kept), b.words(DEPTH - kept)
                await b.frame(first, True, ready=False)
                await b.frame(b.words(bad), False, gap, ready=False)
                await b.frame(second, True, ready=False)  # finds the room at once, and exactly that
                assert not b.lost
                await b.drain()
                assert b.out()[before:] == first + second


@cocotb.test()
async def a_bad_frame_leaves_nothing_while_words_leave(dut: Any) -> None:
    b = await bench(dut, 3)
    for bad in range(1, min(DEPTH, 8)):
        for gap in (0, 1, 2):
            before = len(b.left)
            first, second = b.words(1), b.words(2 if DEPTH > 2 else 1)
            await b.frame(first, True)
            await b.frame(b.words(bad), False, gap)
            await b.frame(second, True)
            await b.drain()
            assert b.out()[before:] == first + second


@cocotb.test()
async def a_word_leaves_one_cycle_after_the_verdict_when_nothing_waits(dut: Any) -> None:
    b = await bench(dut, 4)
    for gap in (*range(6), 20):  # 0: written in the verdict's cycle
        for pause in range(2, 5):
            for count in (1, min(3, DEPTH)):
                before = len(b.left)
                verdict = await b.frame(b.words(count), True, gap)
                await b.drain()
                assert b.left[before][1] == verdict + LATENCY
                await b.wait(pause)


@cocotb.test()
async def a_word_leaves_in_every_second_cycle(dut: Any) -> None:
    b = await bench(dut, 5)
    verdict = await b.frame(b.words(DEPTH), True, ready=False)
    await b.drain()
    assert [cycle for _, cycle in b.left] == [verdict + LATENCY + INTERVAL * i for i in range(DEPTH)]

    before = len(b.left)
    first = b.cycle
    for _ in range(4 * DEPTH):  # they come as fast as they leave: each leaves the cycle after it came
        await b.step(b.word(), verdict=True)
        await b.step()
    await b.drain()
    assert [cycle for _, cycle in b.left[before:]] == [first + LATENCY + INTERVAL * i for i in range(4 * DEPTH)]
    assert not b.lost


@cocotb.test()
async def a_word_waits_unchanged_until_it_is_taken(dut: Any) -> None:
    b = await bench(dut, 6)
    words = b.words(2)
    await b.frame(words[:1], True, ready=False)
    for _ in range(2 * DEPTH):  # the model compares the word in every cycle
        await b.step(b.word(), verdict=False, ready=False)
    await b.frame(words[1:], True, ready=False)
    await b.wait(5, ready=False)
    await b.drain()
    assert b.out() == words


@cocotb.test()
async def overflow_loses_exactly_the_word_that_finds_no_room(dut: Any) -> None:
    b = await bench(dut, 7)
    for committed in sorted({0, 1, DEPTH // 2, DEPTH}):
        for verdict in (True, False):
            before, lost = len(b.left), len(b.lost)
            first, second = b.words(committed), b.words(DEPTH - committed)
            await b.frame(first, True, ready=False)
            for word in second:
                await b.step(word, ready=False)
            full = b.cycle
            for _ in range(3):
                await b.step(b.word(), ready=False)
            await b.wait(2, ready=False)
            await b.step(b.word(), verdict, ready=False)  # a word taken back in this cycle makes no room yet either
            await b.drain()
            assert b.lost[-4:] == [full, full + 1, full + 2, full + 5]
            assert b.out()[before:] == first + (second if verdict else [])
            # Afterwards it has all of its room, and works as before.
            words, before = b.words(DEPTH), len(b.left)
            await b.frame(words, True, ready=False)
            await b.drain()
            assert b.out()[before:] == words
            assert len(b.lost) == lost + 4


@cocotb.test()
async def a_word_that_leaves_makes_room_in_the_next_cycle(dut: Any) -> None:
    b = await bench(dut, 8)
    words = b.words(DEPTH + 1)
    await b.frame(words[:DEPTH], True, ready=False)
    await b.wait(2, ready=False)
    at = b.cycle
    await b.step(b.word(), True, ready=True)
    await b.step(words[DEPTH], True, ready=False)
    await b.step(b.word(), True, ready=False)
    assert b.lost == [at, at + 2]
    await b.drain()
    assert b.out() == words


@cocotb.test()
async def reset_empties_it(dut: Any) -> None:
    b = await bench(dut, 9)
    for committed in (0, 1, DEPTH):
        await b.frame(b.words(committed), True, ready=False)
        for word in b.words(DEPTH + 1 - committed):
            await b.step(word, ready=False)
        await b.reset()
        words = b.words(DEPTH)  # from the first cycle on it has all of its room
        await b.frame(words, True, ready=False)
        await b.drain()
        assert b.out() == words
        assert not b.lost


@cocotb.test()
async def random_frames_equal_the_model(dut: Any) -> None:
    b = await bench(dut, 10)
    rng = b.rng
    for _ in range(cases(80, 1500)):
        write = rng.choice([0.05, 0.3, 0.5, 1.0])
        ends = rng.choice([0.02, 0.2, 0.5, 1.0])
        good = rng.choice([0.0, 0.5, 0.9, 1.0])
        readiness = rng.choice([0.02, 0.5, 1.0, 1.0])
        for _ in range(60 + DEPTH):
            word = b.word() if rng.random() < write else None
            verdict = rng.random() < good if rng.random() < ends else None
            await b.step(word, verdict, rng.random() < readiness)
    await b.step(verdict=True)
    await b.drain()
    # All of it happened.
    assert min(len(b.left), len(b.lost), b.taken_back, b.with_verdict[True], b.with_verdict[False]) > 100


@pytest.mark.parametrize(("width", "depth"), [(8, 2), (8, 4), (50, 256)])
def test_event_commit(width: int, depth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMMIT_WIDTH", str(width))
    monkeypatch.setenv("COMMIT_DEPTH", str(depth))
    simulate("event_commit", "test_event_commit", {"WIDTH": width, "DEPTH": depth})
