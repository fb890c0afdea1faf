"""arbiter_timed: the latencies written into packets, against the cycles the bench sees and the rules of docs/reference/arbitration.md."""

import random
from dataclasses import dataclass

import cocotb
import pytest
from arbiter_model import PROTOCOLS, LowLatency, Protocol, Seen, Sent
from harness import simulate
from stream_bench import StreamBench, beats_of

STAMP = 4  # bytes
OUTPUTS = ("low", "high")


@dataclass
class Job:
    """A packet on the input, and what the splitter does with it."""

    begin: int
    data: bytes
    number: int
    count: int = 1
    err: bool = False
    delay: int = 0
    drop: tuple[bool, bool] = (False, False)
    spoil: tuple[bool, bool] = (False, False)
    number_on_b: int | None = None


class Timed(StreamBench):
    def __init__(self, dut) -> None:
        super().__init__(dut, OUTPUTS)
        self.protocol: Protocol = PROTOCOLS[int(dut.PRESET.value)]
        self.rng = random.Random(3)
        self.offset = self.protocol.header
        self.registers = (self.offset + STAMP - 1) // self.width - self.offset // self.width + 1  # of packet_stamp, and of packet_timer
        self.number_beat = (self.protocol.header - 1) // self.width

    async def begin(self, time_window: int = 500) -> None:
        zero = dict.fromkeys(("delay", "drop", "spoil", "replace", "replacement", "mode", "idle_limit", "flush", "clear"), 0)
        await self.start(time_window=time_window, count_window=100, **zero)

    def packet(self, begin: int, number: int, length: int = 60, **asked: object) -> Job:
        return Job(begin, self.protocol.packet(number, 1, length, self.rng), number, **asked)  # type: ignore[arg-type]

    def beats(self, job: Job) -> int:
        return -(-len(job.data) // self.width)

    async def send(self, jobs: list[Job], longer: int = 100) -> None:
        firsts = {job.begin: job for job in jobs}
        beats = {job.begin + i: beat for job in jobs for i, beat in enumerate(beats_of(job.data, self.width, job.err))}

        def also(now: int) -> None:
            job = firsts.get(now)
            if job is None:
                return
            self.dut.delay.value = job.delay
            self.dut.drop.value = job.drop[0] | job.drop[1] << 1
            self.dut.spoil.value = job.spoil[0] | job.spoil[1] << 1
            self.dut.replace.value = 2 * (job.number_on_b is not None)
            self.dut.replacement.value = (job.number_on_b or 0) << self.protocol.sequence_bits

        await self.run(beats, max(beats) + longer, also)

    def sent(self, jobs: list[Job]) -> list[Sent]:
        """What the arbiter gets, and in which cycles; no packet may need another delay than it asks for."""
        lines: list[Sent] = []
        for job in jobs:
            for line in (0, 1):
                if job.drop[line]:
                    continue
                begin = job.begin + 1 + self.registers + (job.delay if line else 0)
                number, data = job.number, job.data
                if line and job.number_on_b is not None:
                    number = job.number_on_b
                    place = self.protocol.sequence_offset
                    field = number.to_bytes(self.protocol.sequence_bytes, self.protocol.order)
                    data = data[:place] + field + data[place + len(field) :]
                good = not job.err and not job.spoil[line]
                lines.append(
                    Sent(line, begin, data, number, job.count, good, len(data) < self.protocol.header, begin + self.beats(job) - 1)
                )
        return lines

    def left(self, output: str) -> list[Seen]:
        """What the arbiter let out, and in which cycles, as seen before the timer; the latency still in it."""
        return [Seen(p.begin - self.registers, p.end - self.registers, p.data, p.err) for p in self.packets(output)]

    def latency(self, data: bytes) -> int:
        return int.from_bytes(data[self.offset : self.offset + STAMP], "little")

    def without(self, data: bytes) -> bytes:
        """A packet without what stamp and timer write into it."""
        return data[: self.offset] + data[self.offset + STAMP :]

    def good(self, output: str) -> list[tuple[int, int]]:
        """Number and written latency of each good packet."""
        place = self.protocol.sequence_offset
        return [
            (int.from_bytes(p.data[place : place + self.protocol.sequence_bytes], self.protocol.order), self.latency(p.data))
            for p in self.packets(output)
            if not p.err
        ]

    def counted(self, output: int) -> tuple[int, ...]:
        ports = (self.dut.latest, self.dut.minimum, self.dut.maximum, self.dut.packets, self.dut.too_short)
        return tuple(int(port.value) >> (32 * output) & 0xFFFFFFFF for port in ports)


@cocotb.test()
async def both_lines_whole_and_simultaneous_every_latency_is_one(dut):
    bench = Timed(dut)
    await bench.begin()
    gap = -(-84 // bench.width)
    jobs: list[Job] = []
    at = 10
    for i in range(60):
        jobs.append(bench.packet(at, 500 + i, bench.rng.choice([48, 60, 61, 200])))
        at += bench.beats(jobs[-1]) + gap + bench.rng.randrange(4)
    await bench.send(jobs)
    for index, output in enumerate(OUTPUTS):
        assert bench.good(output) == [(job.number, 1) for job in jobs], output
        assert bench.counted(index) == (1, 1, 1, len(jobs), 0), output


@cocotb.test()
async def a_packet_that_only_b_brings_takes_one_cycle_from_there(dut):
    bench = Timed(dut)
    await bench.begin()
    jobs = [bench.packet(10 + 150 * i, 500 + i, delay=2, drop=(i % 2 == 1, False)) for i in range(8)]
    await bench.send(jobs)
    for output in OUTPUTS:
        assert bench.good(output) == [(job.number, 1) for job in jobs]
        begins = [p.begin for p in bench.left(output) if not p.err]
        # B is two cycles behind: the packet leaves that much later, but its own latency is as before.
        assert begins == [job.begin + 1 + bench.registers + (2 if job.drop[0] else 0) + 1 for job in jobs]


@cocotb.test()
async def a_packet_behind_one_that_only_b_brought_waits_for_its_end(dut):
    bench = Timed(dut)
    await bench.begin()
    first = bench.packet(10, 500)
    only_b = bench.packet(200, 501, delay=2, drop=(True, False))
    behind = bench.packet(200 + bench.beats(only_b), 502, delay=2)
    await bench.send([first, only_b, behind])
    model = LowLatency(bench.protocol, bench.width)
    model.run(bench.sent([first, only_b, behind]))
    want = [p for p in model.out if not p.err]
    assert [p.begin for p in bench.left("low") if not p.err] == [p.begin for p in want]
    written = bench.good("low")
    assert [number for number, _ in written] == [500, 501, 502]
    if bench.number_beat >= 2:  # the next wanted number is known at once: A's copy waits for the two cycles that B is later, and no longer
        assert [cycles for _, cycles in written] == [1, 1, 3]


@cocotb.test()
async def a_packet_behind_a_gap_bears_the_time_it_waited(dut):
    bench = Timed(dut)
    await bench.begin(time_window=300)
    first, lost, third = bench.packet(10, 500), bench.packet(160, 501, drop=(True, True)), bench.packet(310, 502)
    await bench.send([first, lost, third], 600)
    assert bench.good("low") == [(500, 1), (502, 1)]
    arrived, left = bench.sent([third])[0], bench.left("high")[-1]
    assert bench.good("high") == [(500, 1), (502, left.begin - arrived.begin)]
    assert left.begin - arrived.end >= 300
    assert bench.counted(1) == (left.begin - arrived.begin, 1, left.begin - arrived.begin, 2, 0)


@cocotb.test()
async def a_packet_with_another_number_on_b_is_judged_by_it(dut):
    bench = Timed(dut)
    await bench.begin()
    jobs = [bench.packet(10, 500), bench.packet(200, 501, drop=(True, False), number_on_b=300), bench.packet(400, 501)]
    await bench.send(jobs)
    for output in OUTPUTS:
        assert bench.good(output) == [(500, 1), (501, 1)]


@cocotb.test()
async def what_is_written_is_what_the_bench_sees_and_the_rules_say(dut):
    bench = Timed(dut)
    await bench.begin(time_window=200)
    rng = bench.rng
    gap = 2 + -(-84 // bench.width)  # Ethernet's, and what B's delay may take of it
    jobs: list[Job] = []
    at, number = 10, 500
    for _ in range(400):
        length = bench.protocol.header + rng.choice([0, 1, STAMP - 1, STAMP, 30, 60, 200]) + rng.randrange(bench.width)
        job = bench.packet(
            at,
            number,
            length,
            delay=rng.randrange(3),
            err=rng.random() < 0.02,
            drop=(rng.random() < 0.2, rng.random() < 0.2),
            spoil=(rng.random() < 0.1, rng.random() < 0.1),
            number_on_b=number - 40 if rng.random() < 0.05 else None,
        )
        jobs.append(job)
        number += 1
        at += bench.beats(job) + gap + rng.choice([0, 0, 1, 2, 3, 30, 60])
    await bench.send(jobs, 800)
    lines = bench.sent(jobs)

    model = LowLatency(bench.protocol, bench.width)
    model.run(lines)
    low = bench.left("low")
    arrivals = {(sent.data, sent.begin): sent for sent in lines}
    for seen, want in zip(low, model.out, strict=True):
        assert (seen.begin, seen.end, seen.err) == (want.begin, want.end, want.err)
        assert bench.without(seen.data) == bench.without(want.data)
    waited: set[int] = set()
    for output in OUTPUTS:
        timed = 0
        for seen in bench.left(output):
            if len(seen.data) < bench.offset + STAMP:
                continue
            copies = [s for s in arrivals.values() if bench.without(s.data).startswith(bench.without(seen.data)) and s.begin < seen.begin]
            assert bench.latency(seen.data) in {seen.begin - s.begin for s in copies}, f"{output}, cycle {seen.begin}"
            timed += not seen.err
            waited.add(seen.begin - min(s.begin for s in copies))
        assert bench.counted(OUTPUTS.index(output))[3] == timed
        written = [bench.latency(p.data) for p in bench.left(output) if not p.err and len(p.data) >= bench.offset + STAMP]
        assert bench.counted(OUTPUTS.index(output))[:3] == (written[-1], min(written), max(written))
        assert timed > 100
    assert len(waited) > 5  # the test does cover it


@pytest.mark.parametrize(("width", "preset"), [(8, 0), (64, 0), (128, 0), (8, 3), (64, 3), (128, 3)])
def test_arbiter_timed(width: int, preset: int) -> None:
    simulate("arbiter_timed_tb", "test_arbiter_timed", {"W": width, "PRESET": preset})
