"""fast_wire_choice: packets in their order, each once and whole, whichever engine does them; what went out in vain is taken back."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from harness import cases, simulate

GOOD, FRAME, LATE = 0, 1, 4  # reasons, of which LATE stands for all that are none of the frame's
INPUTS = [
    "passed",
    "wire_valid",
    "wire_id",
    "wire_verdict_valid",
    "wire_verdict_good",
    "wire_verdict_reason",
    "lost",
    "microcode_valid",
    "microcode_id",
    "microcode_verdict_valid",
    "microcode_verdict_good",
]


@dataclass
class Packet:
    """One of the feed. What the engines say of it have ids of their own, so that it shows whose they are."""

    number: int
    asks: bool
    reason: int
    count: int  # events
    in_vain: int  # what the wire-rate engine gives of a packet that it then hands over
    good: bool  # to the microcode engine
    lost: bool  # it would need dictionaries that the microcode engine has no more

    def events(self, engine: int, count: int) -> list[int]:
        return [self.number << 16 | engine << 8 | index for index in range(count)]

    @property
    def of_wire(self) -> list[int]:
        return self.events(1, self.in_vain if self.reason == LATE else self.count)

    @property
    def of_microcode(self) -> list[int]:
        return self.events(2, self.count)


@dataclass
class Bench:
    dut: Any
    rng: Random
    with_microcode: list[Packet] = field(default_factory=list)  # theirs, the first is being done
    expected: list[tuple[list[int], bool, bool]] = field(default_factory=list)  # events, good, ends
    seen: list[tuple[list[int], bool, bool]] = field(default_factory=list)
    open_events: list[int] = field(default_factory=list)
    left: list[int] = field(default_factory=list)  # of the packet that the microcode engine does
    doing: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    told: Counter[str] = field(default_factory=Counter)

    async def cycle(self, **inputs: int) -> None:
        """Gives these inputs and a step of the microcode engine, and notes what leaves."""
        dut = self.dut
        finished = False
        if self.with_microcode and self.rng.random() < 0.4:
            packet = self.with_microcode[0]
            if not self.doing:
                self.left, self.doing = packet.of_microcode, True
            ends = len(self.left) < 2 and self.rng.random() < 0.5
            if self.left:
                inputs |= {"microcode_valid": 1, "microcode_id": self.left.pop(0)}
                ends = ends and not self.left
            if ends:
                inputs |= {"microcode_verdict_valid": 1, "microcode_verdict_good": int(packet.good)}
                finished = True
        for name in INPUTS:
            getattr(dut, name).value = inputs.get(name, 0)
        await FallingEdge(dut.clk)
        if finished:
            self.with_microcode.pop(0)
            self.doing = False

    def look(self) -> None:
        dut = self.dut
        if dut.out_valid.value:
            self.open_events.append(int(dut.out_id.value))
        if dut.out_verdict_valid.value:
            self.seen.append((self.open_events, bool(dut.out_verdict_good.value), bool(dut.ends.value)))
            self.open_events = []
        else:
            assert not dut.ends.value
        for name in ("done", "handed_over"):
            self.told[name] += int(getattr(dut, name).value)

    async def watch(self) -> None:
        """What leaves depends on the inputs of the same cycle: it is looked at before the next ones."""
        while True:
            await cocotb.triggers.RisingEdge(self.dut.clk)
            self.look()

    async def packet(self, packet: Packet) -> None:
        if not packet.asks:
            await self.cycle(passed=1)
            self.with_microcode.append(packet)
            self.expected.append((packet.of_microcode, packet.good, True))
            self.counts["passed"] += 1
            return
        direct = None
        events = packet.of_wire
        verdict = {"wire_verdict_valid": 1, "wire_verdict_good": int(packet.reason == GOOD), "wire_verdict_reason": packet.reason}
        if packet.lost:
            verdict["lost"] = 1
        together = bool(events) and self.rng.random() < 0.5
        for index, event in enumerate(events):
            while self.rng.random() < 0.5:
                await self.cycle()
            last = together and index == len(events) - 1
            direct = not self.with_microcode if direct is None else direct
            await self.cycle(wire_valid=1, wire_id=event, **(verdict if last else {}))
        if not together:
            while self.rng.random() < 0.5:
                await self.cycle()
            direct = not self.with_microcode if direct is None else direct
            await self.cycle(**verdict)
        if direct and packet.reason != LATE:
            self.expected.append((events, packet.reason == GOOD, True))
            self.counts["direct" if packet.reason == GOOD else "frame"] += 1
            return
        if direct and packet.lost:
            self.expected.append((events, False, True))
            self.counts["lost"] += 1
            return
        if direct and events:
            self.expected.append((events, False, False))
            self.counts["in vain"] += 1
        self.expected.append((packet.of_microcode, packet.good, True))
        self.with_microcode.append(packet)
        self.counts["handed over"] += 1


@cocotb.test
async def every_packet_leaves_once_and_in_its_turn(dut) -> None:
    rng = Random(1)
    bench = Bench(dut, rng)
    cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
    dut.rst.value = 1
    for name in INPUTS:
        getattr(dut, name).value = 0
    for _ in range(3):
        await FallingEdge(dut.clk)
    dut.rst.value = 0
    cocotb.start_soon(bench.watch())
    for number in range(cases(3_000, 60_000)):
        reason = rng.choice([GOOD, GOOD, GOOD, FRAME, LATE])
        await bench.packet(
            Packet(
                number,
                rng.random() < 0.9,
                reason,
                rng.randrange(5),
                rng.randrange(4),
                reason != FRAME and rng.random() < 0.9,
                rng.random() < 0.2,
            )
        )
        for _ in range(rng.choice([0, 3, 12, 60])):
            await bench.cycle()
    while bench.with_microcode:
        await bench.cycle()
    for _ in range(2):
        await bench.cycle()
    assert bench.seen == bench.expected
    assert all(bench.counts[what] > 100 for what in ("passed", "direct", "frame", "in vain", "handed over")), bench.counts
    assert bench.counts["lost"] > 50, bench.counts
    assert bench.told == Counter(done=bench.counts["direct"], handed_over=bench.counts["handed over"])


def test_fast_wire_choice() -> None:
    simulate("fast_wire_choice_tb", "test_fast_wire_choice")
