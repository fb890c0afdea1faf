"""fast_preamble: the preamble comes off, and its number says what is missing, what has come already, and what there is no room for."""

import random
from collections import Counter

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from harness import cases, simulate
from stream_bench import StreamBench, beats_of


class Model:
    """docs/reference/rules.md, FAST packets with a preamble."""

    def __init__(self) -> None:
        self.expected: int | None = None

    def packet(self, data: bytes, err: bool, room: bool) -> tuple[str, tuple[int, int, int, int] | None]:
        """What becomes of it; of one that is passed on whether it is good and the first, its number, and how many are lost before it."""
        if len(data) < 5:
            return "nothing" if err else "malformed", None
        number = int.from_bytes(data[:4], "little")
        old = self.expected is not None and number < self.expected
        if not room:
            return "overflow", None
        if old:
            return "nothing" if err else "old", None
        told = (int(not err), int(self.expected is None), number, 0 if self.expected is None else number - self.expected)
        if not err:
            self.expected = number + 1
        return "passed", told


class Bench:
    def __init__(self, dut) -> None:
        self.dut = dut
        self.streams = StreamBench(dut, ("out",))
        self.told: list[tuple[int, int, int, int]] = []
        self.after_gap: list[bool] = []
        self.begins: list[tuple[bool, bool]] = []  # a session; with number 1
        self.pulses: Counter[str] = Counter()

    async def start(self) -> None:
        await self.streams.start(restart=0, room=1)
        cocotb.start_soon(self.watch())

    async def watch(self) -> None:
        dut = self.dut
        while True:
            await RisingEdge(dut.clk)
            for name in ("old", "malformed", "overflow"):
                self.pulses[name] += int(getattr(dut, name).value)
            if dut.begins_valid.value:
                self.after_gap.append(bool(dut.after_gap.value))
                self.begins.append((bool(dut.begins_session.value), bool(dut.from_first.value)))
                assert len(self.after_gap) == len(self.told) + 1, "a packet begins before it ends"
            if dut.packet_valid.value:
                names = ("good", "first", "number", "lost")
                self.told.append(tuple(int(getattr(dut, f"packet_{name}").value) for name in names))  # type: ignore[arg-type]

    async def send(self, data: bytes, err: bool, room: bool, pause: int) -> None:
        """One packet, its beats apart now and then where the line is slower."""
        self.dut.room.value = room
        at = self.streams.now
        beats = {}
        for beat in beats_of(data, self.streams.width, err):
            beats[at] = beat
            at += 1
        await self.streams.run(beats, at - 1 + pause)


@cocotb.test()
async def every_packet_has_the_fate_of_the_rule(dut):
    bench, model = Bench(dut), Model()
    await bench.start()
    rng = random.Random(6)
    passed, told, pulses = [], [], Counter()
    number = 100
    for _ in range(cases(3000, 50_000)):
        kind = rng.random()
        number += 1 if kind < 0.7 else rng.choice([0, -1, 2, 5, -number])
        number = max(0, min(number, (1 << 32) - 2)) if rng.random() < 0.999 else rng.randrange(1 << 32) // 2
        length = rng.choice([rng.randrange(0, 9), rng.randrange(5, 40)])
        data = number.to_bytes(4, "little")[: min(length, 4)] + rng.randbytes(max(0, length - 4))
        err, room = rng.random() < 0.1, rng.random() < 0.9
        fate, about = model.packet(data, err, room)
        await bench.send(data, err, room, rng.choice([0, 0, 0, 1, 5]))
        if fate == "passed":
            passed.append((data[4:], err))
            told.append(about)
        pulses[fate] += 1
        if rng.random() < 0.002:
            await bench.streams.run({}, bench.streams.now + 3)
            dut.restart.value = 1
            await bench.streams.run({}, bench.streams.now)
            dut.restart.value = 0
            model.expected = None
            number = rng.choice([0, number])  # the next may be 1
        if model.expected is not None and rng.random() < 0.05:
            number = model.expected - 1
    await bench.streams.run({}, bench.streams.now + 5)
    assert [(packet.data, packet.err) for packet in bench.streams.packets("out")] == passed
    assert bench.told == told
    assert bench.after_gap == [lost > 0 for *_, lost in told]
    assert bench.begins == [(bool(first), number == 1) for _, first, number, _ in told]
    assert (True, True) in bench.begins
    assert bench.pulses == Counter({name: pulses[name] for name in ("old", "malformed", "overflow")})
    assert min(pulses.values()) > 20, pulses
    assert sum(lost > 0 for *_, lost in bench.told) > 20
    assert sum(first for _, first, *_ in bench.told) > 2


@pytest.mark.parametrize("w", [8, 64])
def test_fast_preamble(w: int) -> None:
    simulate("fast_preamble_tb", "test_fast_preamble", {"W": w})
