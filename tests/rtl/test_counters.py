"""counters: what is read is what was counted up to a known cycle, whatever pulses, however often, whenever it is asked for."""

import os
import random
from collections import deque

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from harness import simulate

SLOTS = int(os.environ.get("SLOTS", "64"))
AMOUNT_SLOTS = (50, 49, 48, 44, 43, 42) if SLOTS == 64 else (6, 5, 4, 3, 2, 1)  # as in the bench: the parameter's last is element 0
ROUND = SLOTS
LEAST, MOST = 5, ROUND + 4  # cycles from a request to its answer
DEPTH = 5  # an answer holds every pulse up to this many cycles before it


class Bench:
    """The model is a sum a slot; `history` has them as they were some cycles ago."""

    def __init__(self, dut):
        self.dut = dut
        self.pulse, self.amount = 0, [0] * len(AMOUNT_SLOTS)
        self.clear()

    def clear(self) -> None:
        self.totals = [0] * SLOTS
        self.history = deque([list(self.totals)] * (DEPTH + 1), DEPTH + 1)

    async def start(self) -> None:
        cocotb.start_soon(Clock(self.dut.clk, 8, "ns").start())
        await FallingEdge(self.dut.clk)
        await self.reset(3)

    async def reset(self, cycles: int) -> None:
        """Leaves with reset just released; what pulses during it does not count."""
        self.dut.rst.value = 1
        self.dut.request.value = 0
        for _ in range(cycles):
            self.drive()
            await FallingEdge(self.dut.clk)
        self.dut.rst.value = 0
        self.clear()

    def drive(self) -> None:
        self.dut.pulse.value = self.pulse
        self.dut.amount.value = sum(amount << 16 * i for i, amount in enumerate(self.amount))

    async def step(self, request: int | None = None) -> int | None:
        """One cycle with the pulses and amounts set; returns the answer at its start."""
        answer = int(self.dut.answer_count.value) if int(self.dut.answer.value) else None
        self.history.append(list(self.totals))
        self.drive()
        self.dut.request.value = request is not None
        if request is not None:
            self.dut.request_slot.value = request
        for slot in range(SLOTS):
            if self.pulse >> slot & 1:
                add = self.amount[AMOUNT_SLOTS.index(slot)] if slot in AMOUNT_SLOTS else 1
                self.totals[slot] = (self.totals[slot] + add) % 2**32
        await FallingEdge(self.dut.clk)
        return answer

    async def read(self, slot: int, change=lambda: None) -> int:
        """Asks for a count and compares the answer with the model; `change` sets the pulses of each cycle."""
        change()
        assert await self.step(slot) is None
        for cycle in range(1, MOST + 1):
            change()
            answer = await self.step()
            if answer is not None:
                # After step() the newest entry is the sum before this cycle.
                assert answer == self.history[-DEPTH][slot], f"slot {slot}, {cycle} cycles after the request"
                assert cycle >= LEAST
                return answer
        raise AssertionError(f"slot {slot}: no answer in {MOST} cycles")


def randomly(bench: Bench, rng: random.Random, rate: float):
    """Pulses in every slot with this probability, amounts small, great and 0."""

    def change() -> None:
        bench.pulse = sum((rng.random() < rate) << slot for slot in range(SLOTS))
        bench.amount = [rng.choice((0, 1, 0xFFFF, rng.randrange(1 << 16))) for _ in AMOUNT_SLOTS]

    return change


@cocotb.test()
async def counts_are_exact_at_any_moment_under_random_pulses(dut):
    rng = random.Random(1)
    bench = Bench(dut)
    await bench.start()
    for rate in (0.02, 0.3, 0.9):
        change = randomly(bench, rng, rate)
        for _ in range(150):
            await bench.read(rng.randrange(SLOTS), change)
            for _ in range(rng.randrange(70)):
                change()
                assert await bench.step() is None
    bench.pulse = 0
    for slot in range(SLOTS):
        assert await bench.read(slot) == bench.totals[slot]


@cocotb.test()
async def a_pulse_in_the_request_s_cycle_is_in_the_answer(dut):
    bench = Bench(dut)
    await bench.start()
    for cycle in range(2 * ROUND + 5):  # at every distance of the scanner
        bench.pulse = 1 << 7
        assert await bench.step(7) is None
        bench.pulse = 0
        answer = None
        while answer is None:
            answer = await bench.step()
        assert answer == cycle + 1


@cocotb.test()
async def a_pulse_every_cycle_is_never_lost(dut):
    bench = Bench(dut)
    await bench.start()
    bench.pulse = 1 << 0 | 1 << SLOTS - 1
    for _ in range(20):
        for _ in range(5 * ROUND):
            await bench.step()
        assert await bench.read(0) > 0
        assert await bench.read(SLOTS - 1) > 0


@cocotb.test()
async def greatest_amounts_every_cycle_wrap_at_32_bits(dut):
    bench = Bench(dut)
    await bench.start()
    bench.pulse = sum(1 << slot for slot in AMOUNT_SLOTS)
    bench.amount = [0xFFFF] * len(AMOUNT_SLOTS)
    last = 0
    for _ in range(3):
        for _ in range(24_000):
            await bench.step()
        for slot in AMOUNT_SLOTS:
            count = await bench.read(slot)
        wrapped, last = count < last, count
    assert wrapped


@cocotb.test()
async def after_reset_every_count_is_zero_whatever_the_memory_holds(dut):
    rng = random.Random(2)
    bench = Bench(dut)
    await bench.start()
    change = randomly(bench, rng, 0.5)
    for wait in (0, 1, 3, 40, 64, 200):
        for _ in range(3 * ROUND):
            change()
            await bench.step()
        await bench.step(rng.randrange(SLOTS))  # asked for, but reset comes before the answer
        for _ in range(rng.randrange(LEAST)):
            await bench.step()
        await bench.reset(rng.choice((1, 2, 5)))
        bench.pulse = 0
        for _ in range(wait):
            assert await bench.step() is None
        for slot in rng.sample(range(SLOTS), SLOTS):
            assert await bench.read(slot) == 0


@cocotb.test()
async def pulses_of_the_first_round_after_reset_count(dut):
    rng = random.Random(3)
    bench = Bench(dut)
    await bench.start()
    for _ in range(8):
        change = randomly(bench, rng, 0.5)
        await bench.reset(1)
        for _ in range(rng.randrange(ROUND)):
            change()
            await bench.step()
        for _ in range(8):
            await bench.read(rng.randrange(SLOTS), change)


@pytest.mark.parametrize("slots", [64, 32, 16, 8])
def test_counters(slots: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLOTS", str(slots))
    simulate("counters_tb", "test_counters", {"SLOTS": slots})
