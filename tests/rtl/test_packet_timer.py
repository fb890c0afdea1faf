"""packet_stamp and packet_timer: what is written into packets and counted, against a few lines of arithmetic."""

import random
from dataclasses import dataclass

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from harness import simulate
from stream_bench import Beat, StreamBench, beats_of

WORD = 1 << 32
STAMP = 4  # bytes


@dataclass
class Job:
    begin: int
    data: bytes
    err: bool = False
    pause: tuple[int, int] = (0, 0)  # after which beat, and cycles


class Timer(StreamBench):
    """`epoch` is what packet_stamp counts in cycle 0, `skew` what packet_timer is ahead of it: by it a latency of any size is made."""

    def __init__(self, dut) -> None:
        super().__init__(dut, ("out", "between"))
        self.offset, self.device = int(dut.OFFSET.value), int(dut.DEVICE.value)
        self.registers = (self.offset + STAMP - 1) // self.width - self.offset // self.width + 1
        self.rng = random.Random(9)
        self.epoch, self.skew = WORD - 150, 0  # it wraps

    def cycles(self, job: Job) -> list[int]:
        behind, pause = job.pause
        return [job.begin + i + (pause if i > behind else 0) for i in range(max(1, -(-len(job.data) // self.width)))]

    async def send(self, jobs: list[Job]) -> None:
        beats: dict[int, Beat] = {}
        for job in jobs:
            beats |= zip(self.cycles(job), beats_of(job.data, self.width, job.err), strict=True)

        def also(now: int) -> None:
            self.dut.stamp_cycle.value = (self.epoch + now) % WORD
            self.dut.timer_cycle.value = (self.epoch + self.skew + now) % WORD

        await self.run(beats, max(beats) + 2 * self.registers + self.device + 4, also)

    def holds(self, job: Job) -> bool:
        return len(job.data) >= self.offset + STAMP

    def written(self, job: Job, value: int) -> bytes:
        if not self.holds(job):
            return job.data
        return job.data[: self.offset] + (value % WORD).to_bytes(STAMP, "little") + job.data[self.offset + STAMP :]

    def counts(self) -> tuple[int, int, int, int, int]:
        dut = self.dut
        return tuple(int(port.value) for port in (dut.latest, dut.minimum, dut.maximum, dut.packets, dut.too_short))  # type: ignore[return-value]

    async def begin(self) -> None:
        await self.start(clear=0, stamp_cycle=0, timer_cycle=0)


@cocotb.test()
async def a_packet_bears_the_cycle_of_its_first_beat_and_then_the_cycles_since(dut):
    bench = Timer(dut)
    await bench.begin()
    jobs = [Job(10 + 100 * i, bench.rng.randbytes(bench.offset + STAMP + 3 * i)) for i in range(5)]
    await bench.send(jobs)
    through = bench.registers
    between, out = bench.packets("between"), bench.packets("out")
    assert [(p.begin, p.data) for p in between] == [(j.begin + through, bench.written(j, bench.epoch + j.begin)) for j in jobs]
    assert [(p.begin, p.data) for p in out] == [(j.begin + 2 * through + bench.device, bench.written(j, bench.device)) for j in jobs]
    assert bench.counts() == (bench.device, bench.device, bench.device, 5, 0)


@cocotb.test()
async def any_difference_is_right_and_counted(dut):
    bench = Timer(dut)
    await bench.begin()
    assert bench.counts() == (0, WORD - 1, 0, 0, 0)
    seen: list[int] = []
    jobs: list[Job] = []
    for i in range(60):
        bench.epoch = bench.rng.getrandbits(32)
        bench.skew = bench.rng.choice([0, 1, 255 - bench.device, 256, 0xFFFF, 0x10000, 0xFFFFFF, bench.rng.getrandbits(32), WORD - 1])
        jobs.append(Job(bench.now + 2, bench.rng.randbytes(bench.offset + STAMP + i % 5)))
        seen.append((bench.device + bench.skew) % WORD)
        await bench.send(jobs[-1:])
        assert bench.counts() == (seen[-1], min(seen), max(seen), len(seen), 0)
    assert [p.data for p in bench.packets("out")] == [bench.written(job, value) for job, value in zip(jobs, seen, strict=True)]
    bench.dut.clear.value = 1
    await RisingEdge(bench.dut.clk)
    bench.dut.clear.value = 0
    await RisingEdge(bench.dut.clk)
    await RisingEdge(bench.dut.clk)
    assert bench.counts() == (0, WORD - 1, 0, 0, 0)


@cocotb.test()
async def short_packets_and_bad_ones_pass_and_are_not_measured(dut):
    bench = Timer(dut)
    await bench.begin()
    short = [Job(10 + 40 * length, bench.rng.randbytes(length)) for length in range(bench.offset + STAMP)]
    at = short[-1].begin + 100
    whole, bad = Job(at, bench.rng.randbytes(bench.offset + STAMP)), Job(at + 100, bench.rng.randbytes(bench.offset + 9), err=True)
    bad_short = Job(at + 200, bench.rng.randbytes(bench.offset), err=True)
    await bench.send([*short, whole, bad, bad_short])
    out = bench.packets("out")
    assert [p.data for p in out[:-3]] == [job.data for job in short]
    assert [p.data for p in out[-3:]] == [bench.written(whole, bench.device), bench.written(bad, bench.device), bad_short.data]
    assert [p.err for p in out] == [False] * (len(short) + 1) + [True, True]
    assert bench.counts() == (bench.device, bench.device, bench.device, 1, len(short))


@cocotb.test()
async def packets_back_to_back_and_with_pauses_keep_their_shape(dut):
    bench = Timer(dut)
    await bench.begin()
    rng = bench.rng
    jobs: list[Job] = []
    at = 5
    for _ in range(500):
        length = rng.choice([rng.randrange(bench.offset + STAMP + 2), bench.offset + STAMP + rng.randrange(3 * bench.width), bench.width])
        job = Job(at, rng.randbytes(length), err=rng.random() < 0.1)
        # A packet that ends within the stamp after a pause there has its first bytes changed: see field_writer.
        if bench.holds(job) or len(job.data) <= bench.offset:
            job.pause = (rng.randrange(length // bench.width + 1), rng.choice([0, 0, 1, 3]))
        jobs.append(job)
        at = bench.cycles(job)[-1] + 1 + rng.choice([0, 0, 0, 1, 2, 9])
    await bench.send(jobs)
    later = 2 * bench.registers + bench.device
    want: dict[int, Beat] = {}
    for job in jobs:
        beats = beats_of(bench.written(job, bench.device), bench.width, job.err)
        want |= {cycle + later: beat for cycle, beat in zip(bench.cycles(job), beats, strict=True)}
    for cycle in sorted(want.keys() | bench.seen["out"].keys()):
        assert bench.seen["out"].get(cycle) == want.get(cycle), f"cycle {cycle}"
    good = [job for job in jobs if not job.err]
    measured = sum(bench.holds(job) for job in good)
    assert bench.counts() == (bench.device, bench.device, bench.device, measured, len(good) - measured)


# OFFSET: in the first beat, over two beats of 64 bits, over two of 128, after the first beats.
@pytest.mark.parametrize(
    ("width", "offset"), [(8, 0), (8, 3), (64, 0), (64, 4), (64, 5), (64, 7), (64, 20), (128, 0), (128, 13), (128, 20)]
)
def test_packet_timer(width: int, offset: int) -> None:
    simulate("packet_timer_tb", "test_packet_timer", {"W": width, "OFFSET": offset})
