"""line_status: every pulse of the second line and of the arbiter is in the counter of its name, and in no other."""

import random
import re

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from harness import ROOT, simulate
from net_model import CAUSES

SLOT = {
    name.lower(): int(slot)
    for name, slot in re.findall(r"COUNT_(\w+)\s*= 6'd(\d+)", (ROOT / "rtl/host/generated/line_counters_pkg.sv").read_text())
}
BY_LINE = (
    *("host_frame", "host_overflow", "passed", "refused", "missed", "bad", "malformed"),
    *("far", "stale", "cut_through", "kept", "too_long", "overflow", "silent"),
)
ALONE = ("released", "session_reset", "feed_overflow")
# arbiter_pkg::arbiter_event_t, from the highest bits down: two bits by line, then the single ones.
ARBITER = (*BY_LINE[2:], "released", "session_reset")
NEAR_BITS = 20
BITS = 64


def arbiter_events(pulses: dict[str, int]) -> int:
    """The packed struct of these pulses."""
    packed = 0
    for name in ARBITER:
        packed = packed << (1 if name in ALONE else 2) | pulses.get(name, 0)
    return packed


class Bench:
    """Drives every input and adds up what the counters must be."""

    def __init__(self, dut) -> None:
        self.dut = dut
        self.rng = random.Random(3)
        self.clear()

    def clear(self) -> None:
        self.counts = dict.fromkeys(SLOT, 0)
        self.last_gap = (0, 0)

    async def start(self) -> None:
        Clock(self.dut.clk, 8, "ns").start()
        self.dut.count_request.value = 0
        self.nothing()
        await FallingEdge(self.dut.clk)
        await self.reset()

    async def reset(self) -> None:
        self.dut.rst.value = 1
        for _ in range(4):
            await FallingEdge(self.dut.clk)
        self.dut.rst.value = 0
        self.clear()

    def nothing(self) -> None:
        self.dut.b_cause_valid.value = 0
        self.dut.gap.value = 0
        self.dut.arbiter_events.value = 0
        for name in (*BY_LINE[:2], "feed_overflow"):
            getattr(self.dut, name).value = 0

    def pulse(self, rate: float) -> None:
        """Pulses of all kinds, each with this probability; what is beside one that is low is noise."""
        dut, rng = self.dut, self.rng
        cause = rng.randrange(len(CAUSES))
        valid = rng.random() < rate
        dut.b_cause_valid.value, dut.b_cause.value = valid, cause
        self.counts["b_" + CAUSES[cause]] += valid
        pulses: dict[str, int] = {}
        for name in BY_LINE:
            lines = [rng.random() < rate for _ in range(2)]
            pulses[name] = lines[0] | lines[1] << 1
            self.counts["a_" + name] += lines[0]
            self.counts["b_" + name] += lines[1]
        for name in ALONE:
            pulses[name] = rng.random() < rate
            self.counts[name] += pulses[name]
        dut.arbiter_events.value = arbiter_events(pulses)
        for name in (*BY_LINE[:2], "feed_overflow"):
            getattr(dut, name).value = int(pulses[name])
        begin = [rng.choice((rng.getrandbits(BITS), (1 << BITS) - 1, rng.randrange(1 << NEAR_BITS))) for _ in range(2)]
        end = [(number + rng.choice((1, rng.randrange(1, 1 << NEAR_BITS), (1 << NEAR_BITS) - 1))) % (1 << BITS) for number in begin]
        gaps = [rng.random() < rate for _ in range(2)]
        dut.gap.value = gaps[0] | gaps[1] << 1
        dut.gap_from.value, dut.gap_to.value = (numbers[0] | numbers[1] << BITS for numbers in (begin, end))
        for output, name in enumerate(("low", "high")):
            self.counts[f"{name}_gap"] += gaps[output]
            self.counts[f"{name}_lost"] += (end[output] - begin[output]) % (1 << BITS) if gaps[output] else 0
        if gaps[1]:
            self.last_gap = begin[1], end[1]

    async def read(self, slot: int) -> int:
        self.dut.count_request.value = 1
        self.dut.count_slot.value = slot
        await FallingEdge(self.dut.clk)
        self.dut.count_request.value = 0
        for _ in range(68):
            answer = int(self.dut.count.value) if self.dut.count_answer.value else None
            await FallingEdge(self.dut.clk)
            if answer is not None:
                return answer
        raise AssertionError(f"slot {slot}: no answer in 68 cycles")

    async def check(self) -> None:
        self.nothing()
        for _ in range(8):
            await FallingEdge(self.dut.clk)
        names = {slot: name for name, slot in SLOT.items()}
        for slot in range(64):
            name = names.get(slot)
            want = self.counts[name] % (1 << 32) if name else 0
            assert await self.read(slot) == want, name or f"slot {slot}, which is nobody's"
        assert (int(self.dut.last_gap_from.value), int(self.dut.last_gap_to.value)) == self.last_gap


@cocotb.test()
async def every_pulse_is_in_the_counter_of_its_name(dut):
    bench = Bench(dut)
    await bench.start()
    for rate, cycles in ((0.05, 400), (0.5, 400), (1, 200), (0, 10), (0.01, 1000)):
        for _ in range(cycles):
            bench.pulse(rate)
            await FallingEdge(dut.clk)
        await bench.check()
    counted = [count for name, count in bench.counts.items() if not name.endswith("_lost")]
    assert min(counted) > 10  # none is left out
    assert len(set(counted)) > len(counted) // 2  # nor easily taken for another


@cocotb.test()
async def a_reset_forgets_all(dut):
    bench = Bench(dut)
    await bench.start()
    for _ in range(100):
        bench.pulse(0.5)
        await FallingEdge(dut.clk)
    await bench.reset()  # with pulses up to its end
    await bench.check()


def test_line_status() -> None:
    simulate("line_status", "test_line_status")
