"""line_splitter: both lines, cycle by cycle, against what its header says."""

import random
from dataclasses import dataclass, replace

import cocotb
import pytest
from arbiter_model import PROTOCOLS, Protocol
from harness import simulate
from stream_bench import Beat, StreamBench, beats_of

CONTROLS = ("delay", "drop", "bad", "replace", "replacement")


@dataclass
class Job:
    """A packet on the input and what is asked for it; tuples are by line, A first."""

    begin: int
    data: bytes
    err: bool = False
    delay: int = 0
    drop: tuple[bool, bool] = (False, False)
    bad: tuple[bool, bool] = (False, False)
    numbers: tuple[int | None, int | None] = (None, None)
    pause: tuple[int, int] = (0, 0)  # after which beat, and cycles


class Splitter(StreamBench):
    def __init__(self, dut) -> None:
        super().__init__(dut, ("a", "b"))
        self.protocol: Protocol = PROTOCOLS[int(dut.PRESET.value)]
        self.rng = random.Random(5)

    async def begin(self) -> None:
        await self.start(**dict.fromkeys(CONTROLS, 0))

    def packet(self, begin: int, length: int, **asked: object) -> Job:
        return replace(Job(begin, self.rng.randbytes(length)), **asked)  # type: ignore[arg-type]

    def cycles(self, job: Job) -> list[int]:
        """Of the beats on `in`."""
        behind, pause = job.pause
        return [job.begin + i + (pause if i > behind else 0) for i in range(max(1, -(-len(job.data) // self.width)))]

    def end(self, job: Job) -> int:
        return self.cycles(job)[-1]

    async def send(self, jobs: list[Job]) -> None:
        """All of them; in cycles without a packet's first beat the other inputs are noise."""
        beats = {cycle: beat for job in jobs for cycle, beat in zip(self.cycles(job), beats_of(job.data, self.width, job.err), strict=True)}
        firsts = {job.begin: job for job in jobs}
        bits = self.protocol.sequence_bits

        def also(now: int) -> None:
            dut, job = self.dut, firsts.get(now)
            if job is None:
                for name in CONTROLS:
                    getattr(dut, name).value = self.rng.getrandbits(len(getattr(dut, name)))
                return
            dut.delay.value = job.delay
            dut.drop.value = job.drop[0] | job.drop[1] << 1
            dut.bad.value = job.bad[0] | job.bad[1] << 1
            dut.replace.value = sum((number is not None) << line for line, number in enumerate(job.numbers))
            dut.replacement.value = sum((number or 0) << (line * bits) for line, number in enumerate(job.numbers))

        await self.run(beats, max(beats) + 6, also)

    def expected(self, jobs: list[Job], line: int) -> dict[int, Beat]:
        out: dict[int, Beat] = {}
        for job in jobs:
            if job.drop[line]:
                continue
            data = bytearray(job.data)
            number = job.numbers[line]
            if number is not None:
                place = slice(self.protocol.sequence_offset, self.protocol.sequence_offset + self.protocol.sequence_bytes)
                data[place] = number.to_bytes(self.protocol.sequence_bytes, self.protocol.order)[: len(data[place])]
            later = 1
            if line == 1:
                later += min(job.delay, 2)
                while out and job.begin + later <= max(out):
                    later += 1
            for cycle, beat in zip(self.cycles(job), beats_of(bytes(data), self.width, job.err or job.bad[line]), strict=True):
                out[cycle + later] = beat
        return out

    def check(self, jobs: list[Job]) -> None:
        for line, name in enumerate(("a", "b")):
            want = self.expected(jobs, line)
            for cycle in sorted(want.keys() | self.seen[name].keys()):
                assert self.seen[name].get(cycle) == want.get(cycle), f"line {name}, cycle {cycle}"


@cocotb.test()
async def b_mirrors_a_in_the_same_cycle_or_one_or_two_later(dut):
    bench = Splitter(dut)
    await bench.begin()
    jobs = [bench.packet(5 + 100 * delay, 70, delay=delay) for delay in (0, 1, 2, 3)]
    await bench.send(jobs)
    a, b = bench.packets("a"), bench.packets("b")
    assert [p.begin for p in a] == [job.begin + 1 for job in jobs]
    assert [two.begin - one.begin for one, two in zip(a, b, strict=True)] == [0, 1, 2, 2]
    assert [p.data for p in a] == [p.data for p in b] == [job.data for job in jobs]
    assert not any(p.err for p in a + b)


@cocotb.test()
async def each_line_loses_spoils_and_renumbers_by_itself(dut):
    bench = Splitter(dut)
    await bench.begin()
    top = (1 << bench.protocol.sequence_bits) - 2
    asked: list[dict[str, object]] = [
        {"drop": (True, False)},
        {"drop": (False, True)},
        {"drop": (True, True)},
        {"bad": (True, False)},
        {"bad": (False, True), "delay": 1},
        {"numbers": (0x01020304, None)},
        {"numbers": (None, top), "delay": 2},
        {"numbers": (7, 8), "bad": (True, True), "delay": 1},
        {"err": True},
    ]
    jobs = [bench.packet(5 + 100 * i, 70 + i, **wish) for i, wish in enumerate(asked)]
    await bench.send(jobs)
    bench.check(jobs)
    # In so many words, without the model:
    assert [p.err for p in bench.packets("a")] == [False, True, False, False, False, True, True]
    assert [p.err for p in bench.packets("b")] == [False, False, True, False, False, True, True]
    field = slice(bench.protocol.sequence_offset, bench.protocol.sequence_offset + bench.protocol.sequence_bytes)
    numbers = [int.from_bytes(p.data[field], bench.protocol.order) for p in bench.packets("b")]
    assert numbers[4:6] == [top, 8]


@cocotb.test()
async def a_smaller_delay_waits_for_a_pause(dut):
    bench = Splitter(dut)
    await bench.begin()
    width = bench.width
    jobs: list[Job] = []
    at = 5
    for delay, pause in [(2, 0), (0, 0), (0, 1), (0, 0), (0, 1), (2, 0), (0, 2), (2, 5), (1, 0), (0, 5)]:
        jobs.append(bench.packet(at, 4 * width, delay=delay))
        at += 4 + pause
    await bench.send(jobs)
    bench.check(jobs)
    shifts = [two.begin - one.begin for one, two in zip(bench.packets("a"), bench.packets("b"), strict=True)]
    assert shifts == [2, 2, 2, 1, 1, 2, 2, 2, 1, 1]


@cocotb.test()
async def a_packet_lost_on_b_is_in_no_ones_way(dut):
    bench = Splitter(dut)
    await bench.begin()
    jobs = [bench.packet(5 + 2 * i, 2 * bench.width, delay=2 * (i % 2), drop=(False, i % 2 == 1)) for i in range(4)]
    await bench.send(jobs)
    assert [p.begin for p in bench.packets("b")] == [jobs[0].begin + 1, jobs[2].begin + 1]


@cocotb.test()
async def random_packets_are_split_as_asked(dut):
    bench = Splitter(dut)
    await bench.begin()
    rng = bench.rng
    header = bench.protocol.header
    jobs: list[Job] = []
    at = 5

    def pair(chance: float) -> tuple[bool, bool]:
        return rng.random() < chance, rng.random() < chance

    for _ in range(600):
        numbers = tuple(rng.getrandbits(bench.protocol.sequence_bits) if rng.random() < 0.5 else None for _ in range(2))
        job = bench.packet(
            at,
            rng.choice([rng.randrange(header + 3), header + rng.randrange(4 * bench.width), 1, bench.width]),
            err=rng.random() < 0.1,
            delay=rng.randrange(3),
            drop=pair(0.2),
            bad=pair(0.2),
            numbers=numbers,
            pause=(rng.randrange(header), rng.choice([0, 0, 1, 2, 3])),
        )
        jobs.append(job)
        at = bench.end(job) + 1 + rng.choice([0, 0, 0, 1, 2, 3, 10])
    await bench.send(jobs)
    bench.check(jobs)


@pytest.mark.parametrize(("width", "preset"), [(8, 0), (64, 0), (128, 0), (8, 1), (64, 1), (64, 2), (8, 3), (64, 3), (128, 3)])
def test_line_splitter(width: int, preset: int) -> None:
    simulate("line_splitter_tb", "test_line_splitter", {"W": width, "PRESET": preset})
