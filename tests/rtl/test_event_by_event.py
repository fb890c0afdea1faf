"""event_by_event: each event of a good frame becomes a frame of its own, after the book is done with the one before; gaps stay in order."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly
from harness import cases, simulate

DEPTH = 32


@dataclass
class Frame:
    beats: list[tuple[int, int]]  # ids of the first and the second event, 0: there is none
    number: int  # its first event's
    good: bool = True
    after_gap: bool = False
    begins: bool = False
    from_first: bool = False
    late: int = 0  # cycles from the last event to the verdict


class Told(NamedTuple):
    """What leaves in a cycle."""

    ids: tuple[int, int] | None = None  # a frame, of these events
    after_gap: bool = False
    begins: bool = False
    from_first: bool = False
    gap: int | None = None
    session: int | None = None


@dataclass
class Bench:
    dut: Any
    told: list[Told] = field(default_factory=list)
    losses: int = 0
    busy: int = 0  # cycles until the book is done
    works: bool = True  # it takes events at all
    early: int = 0
    rng: Random = field(default_factory=lambda: Random(3))

    async def start(self, enabled: bool = True) -> None:
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
        events, status = ("in_id", "in_second_id", "in_number", "in_good", "early_id"), ("after_gap", "begins_session", "from_first")
        for name in (*events, *status, "first_sequence"):
            getattr(dut, name).value = 0
        self.quiet()
        dut.enabled.value, dut.taken.value, dut.rst.value = enabled, 1, 1
        for _ in range(3):
            await FallingEdge(dut.clk)
        dut.rst.value = 0
        await self.cycles(3)

    def quiet(self) -> None:
        for name in ("in_valid", "in_verdict", "gap", "new_session"):
            getattr(self.dut, name).value = 0

    async def cycle(self) -> None:
        dut = self.dut
        dut.taken.value = self.works and self.busy == 0
        await ReadOnly()
        told = Told()
        valid = int(dut.out_valid.value)
        if dut.out_verdict.value and dut.out_good.value:
            ids = (int(dut.out_id.value) if valid & 1 else 0, int(dut.out_second_id.value) if valid & 2 else 0)
            flags = (bool(getattr(dut, f"out_{name}").value) for name in ("after_gap", "begins_session", "from_first"))
            told = Told(ids, *flags)
            if valid & 1:
                assert self.early == ids[0], "its id is given a cycle ahead"
            assert self.busy == 0, "the book was not done with the one before"
            self.busy = self.rng.choice([14, 15, 20, 60])
        elif valid:
            raise AssertionError("an event without a verdict")
        number = int(dut.out_first_sequence.value)
        told = told._replace(gap=number if dut.out_gap.value else None, session=number if dut.out_new_session.value else None)
        if told != Told():
            self.told.append(told)
        self.early = int(dut.out_early_id.value)
        self.losses += int(dut.overflow.value)
        await FallingEdge(dut.clk)
        self.busy = max(0, self.busy - 1)

    async def cycles(self, count: int) -> None:
        for _ in range(count):
            await self.cycle()

    async def frame(self, frame: Frame) -> None:
        dut = self.dut
        dut.after_gap.value, dut.begins_session.value, dut.from_first.value = frame.after_gap, frame.begins, frame.from_first
        for at, (first, second) in enumerate(frame.beats):
            dut.in_valid.value = bool(first) | bool(second) << 1
            dut.in_id.value, dut.in_second_id.value, dut.in_number.value = first, second, frame.number + at
            last = at + 1 == len(frame.beats) and not frame.late
            dut.in_verdict.value, dut.in_good.value = last, frame.good
            dut.first_sequence.value = frame.number if last else 7  # it is right with the verdict alone
            await self.cycle()
        self.quiet()
        if frame.late or not frame.beats:
            await self.cycles(max(frame.late - 1, 0))
            dut.in_verdict.value, dut.in_good.value = 1, frame.good
            dut.first_sequence.value = frame.number
            await self.cycle()
        self.quiet()
        dut.gap.value, dut.new_session.value = frame.good and frame.after_gap, frame.good and frame.begins
        await self.cycle()
        self.quiet()

    @staticmethod
    def expected(frame: Frame) -> list[Told]:
        if not frame.good:
            return []
        beats = frame.beats or [(0, 0)]
        session = frame.number if frame.begins else None
        told = [Told(ids, frame.after_gap, frame.begins and at == 0, frame.from_first) for at, ids in enumerate(beats)]
        told[0] = told[0]._replace(session=session)
        return told + [Told(gap=frame.number)] * frame.after_gap


def random_frame(rng: Random, number: int) -> Frame:
    def ids() -> tuple[int, int]:
        which = rng.choice([1, 1, 1, 2, 3])
        return (rng.randrange(1, 1 << 31) if which & 1 else 0, rng.randrange(1, 1 << 31) if which & 2 else 0)

    return Frame(
        beats=[ids() for _ in range(rng.choice([0, 1, 1, 2, 5]))],
        number=number,
        good=rng.random() < 0.8,
        after_gap=rng.random() < 0.2,
        begins=rng.random() < 0.1,
        from_first=rng.random() < 0.5,
        late=rng.choice([0, 0, 1, 4]),
    )


@cocotb.test
async def events_of_good_frames_leave_one_by_one_with_what_their_frames_were(dut) -> None:
    bench = Bench(dut)
    await bench.start()
    expected: list[Told] = []
    for number in range(cases(150, 3_000)):
        frame = random_frame(bench.rng, 10 + 10 * number)
        expected += bench.expected(frame)
        await bench.frame(frame)
        for _ in range(1_000):
            if len(bench.told) + 2 < len(expected):
                await bench.cycle()
        assert len(bench.told) + 2 >= len(expected), "it is stuck"
        await bench.cycles(bench.rng.choice([0, 0, 3]))
    await bench.cycles(200)
    for at, (told, wanted) in enumerate(zip(bench.told, expected, strict=False)):
        assert told == wanted, at
    assert len(bench.told) == len(expected)
    assert bench.losses == 0


@cocotb.test
async def without_it_everything_passes_in_its_cycle(dut) -> None:
    bench = Bench(dut)
    await bench.start(enabled=False)
    for name, value in {"in_valid": 3, "in_id": 5, "in_second_id": 6, "early_id": 7, "after_gap": 1, "from_first": 1, "gap": 1}.items():
        getattr(dut, name).value = value
    await ReadOnly()
    assert (int(dut.out_valid.value), int(dut.out_id.value), int(dut.out_second_id.value), int(dut.out_early_id.value)) == (3, 5, 6, 7)
    assert (int(dut.out_after_gap.value), int(dut.out_from_first.value), int(dut.out_gap.value), int(dut.out_verdict.value)) == (1, 1, 1, 0)


@cocotb.test
async def it_begins_and_ends_between_two_frames(dut) -> None:
    bench = Bench(dut)
    await bench.start(enabled=False)
    dut.in_valid.value, dut.in_id.value = 1, 5
    await ReadOnly()
    assert int(dut.out_valid.value) == 1
    await FallingEdge(dut.clk)
    dut.enabled.value, dut.in_id.value = 1, 6
    await ReadOnly()
    assert int(dut.out_valid.value) == 1, "the frame has begun without it"
    await FallingEdge(dut.clk)
    dut.in_valid.value, dut.in_verdict.value, dut.in_good.value = 0, 1, 1
    await bench.cycle()
    bench.quiet()
    await bench.cycles(20)
    bench.told.clear()
    frames = [Frame([(1, 0), (2, 0)], 1), Frame([(3, 0), (4, 0)], 3)]
    await bench.frame(frames[0])
    dut.enabled.value = 0
    await bench.frame(frames[1])
    await bench.cycles(300)
    assert bench.told == bench.expected(frames[0]) + bench.expected(frames[1]), "what waits leaves before it ends"
    dut.in_valid.value, dut.in_id.value = 1, 9
    await ReadOnly()
    assert int(dut.out_valid.value) == 1


@cocotb.test
async def what_finds_no_room_is_lost_with_its_frame_and_a_gap_follows(dut) -> None:
    bench = Bench(dut)
    for lengths in ([DEPTH + 4], [3] * (DEPTH // 2), [1] * (DEPTH + 3), [DEPTH - 1, 1, 1, 1, 1]):
        bench.told.clear()
        bench.losses, bench.works = 0, False
        await bench.start()
        number, frames = 100, []
        for length in lengths:
            frames.append(Frame([(number + at, 0) for at in range(length)], number))
            await bench.frame(frames[-1])
            number += length
        assert bench.losses == 1, f"told once: {lengths}"
        bench.works = True
        await bench.cycles(1_500)
        if not any(told.gap for told in bench.told):
            # Where a frame ends there is room again: that one is lost too.
            await bench.frame(Frame([(number, 0)], number))
            number += 1
        after = Frame([(number, 0)], number)
        await bench.frame(after)
        await bench.cycles(200)
        whole: list[Told] = []
        for frame in frames:
            if len(whole) + len(frame.beats) < len(bench.told) - 1:
                whole += bench.expected(frame)
        assert bench.told == [*whole, Told(gap=number), *bench.expected(after)], "no frame in part, and the gap where what is lost was"
        assert number - 100 > len(whole)


def test_event_by_event() -> None:
    simulate("event_by_event_tb", "test_event_by_event", parameters={"DEPTH": DEPTH})
