"""Puts beats on streams with plain ports cycle by cycle, and writes down what is on others: for tests where every cycle counts."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from cocotb.clock import Clock
from cocotb.triggers import RisingEdge


class Beat(NamedTuple):
    data: bytes
    last: bool
    err: bool = False


class Packet(NamedTuple):
    """What was on a stream from a packet's first beat, in cycle `begin`, to its last, in `end`."""

    begin: int
    end: int
    data: bytes
    err: bool


def beats_of(packet: bytes, width: int, err: bool = False) -> list[Beat]:
    """A packet's beats of `width` bytes; an empty one is one beat without bytes."""
    parts = [packet[i : i + width] for i in range(0, len(packet), width)] or [b""]
    return [Beat(part, i + 1 == len(parts), err and i + 1 == len(parts)) for i, part in enumerate(parts)]


class StreamBench:
    """A design with the stream `in` and others; `seen` holds what was on those, by name and cycle."""

    def __init__(self, dut, outputs: tuple[str, ...]) -> None:
        self.dut = dut
        self.width = len(dut.in_keep)
        self.outputs = outputs
        self.now = 0
        self.seen: dict[str, dict[int, Beat]] = {name: {} for name in outputs}

    async def start(self, **inputs: int) -> None:
        """Clock and reset; `inputs` are the values of the other ports."""
        Clock(self.dut.clk, 2, "ns").start()
        self.dut.in_valid.value = 0
        for name, value in inputs.items():
            getattr(self.dut, name).value = value
        self.dut.rst.value = 1
        for _ in range(4):
            await RisingEdge(self.dut.clk)
        self.dut.rst.value = 0
        await RisingEdge(self.dut.clk)

    async def run(self, beats: Mapping[int, Beat], until: int, also: Callable[[int], None] | None = None) -> None:
        """Cycles `now` to `until`; `beats` by the cycle they are on `in`. `also` sets other inputs of the cycle it is called with."""
        dut = self.dut
        while self.now <= until:
            beat = beats.get(self.now)
            dut.in_valid.value = beat is not None
            if beat is not None:
                dut.in_data.value = int.from_bytes(beat.data, "little")
                dut.in_keep.value = (1 << len(beat.data)) - 1
                dut.in_last.value = beat.last
                dut.in_err.value = beat.err
            if also:
                also(self.now)
            await RisingEdge(dut.clk)
            for name in self.outputs:
                if getattr(dut, f"{name}_valid").value:
                    data = int(getattr(dut, f"{name}_data").value).to_bytes(self.width, "little")
                    last = bool(getattr(dut, f"{name}_last").value)
                    err = last and bool(getattr(dut, f"{name}_err").value)
                    self.seen[name][self.now] = Beat(data[: int(getattr(dut, f"{name}_keep").value).bit_length()], last, err)
            self.now += 1

    def packets(self, name: str) -> list[Packet]:
        """The packets that have been on an output."""
        found: list[Packet] = []
        opened: list[tuple[int, Beat]] = []
        for cycle, beat in self.seen[name].items():
            opened.append((cycle, beat))
            if beat.last:
                found.append(Packet(opened[0][0], cycle, b"".join(b.data for _, b in opened), beat.err))
                opened = []
        assert not opened, f"{name}: a packet has not ended"
        return found
