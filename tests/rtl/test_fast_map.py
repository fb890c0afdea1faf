"""fast_map: the bits of presence maps come in their order, those put aside come back, and set bits beyond the held ones are told."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from harness import cases, simulate

DEPTH = 4
HELD = 35  # bits


def bits_of(data: bytes) -> list[int]:
    """A map's bits in their order (FAST 1.1: seven a byte, the highest first)."""
    return [byte >> place & 1 for byte in data for place in range(6, -1, -1)]


class Bench:
    """The open map as a list of bits, and those that are put aside."""

    def __init__(self, dut) -> None:
        self.dut = dut
        self.bits: list[int] = [0] * HELD
        self.extra = False
        self.aside: list[tuple[list[int], bool, int]] = []

    async def start(self) -> None:
        cocotb.start_soon(Clock(self.dut.clk, 2, "ns").start())
        self.idle()
        self.dut.rst.value = 1
        for _ in range(3):
            await FallingEdge(self.dut.clk)
        self.dut.rst.value = 0

    def idle(self) -> None:
        for name in ("restart", "is_map", "take", "take_more", "drop_first", "take_shift", "would_pop", "pop", "push", "shift", "shift_by"):
            getattr(self.dut, name).value = 0

    async def step(self) -> None:
        await FallingEdge(self.dut.clk)
        self.idle()
        assert [int(bit) for bit in f"{int(self.dut.bits.value):035b}"] == self.bits
        assert bool(self.dut.extra.value) == self.extra
        assert bool(self.dut.half.value) == (len(self.aside) >= DEPTH // 2)

    def give(self, data: bytes) -> None:
        """The token: its last byte is byte 0; what is before it is of an earlier one."""
        self.dut.token_count.value = len(data)
        self.dut.token_data.value = int.from_bytes(data[::-1].ljust(8, b"\xff"), "little")

    def hold(self, bits: list[int]) -> None:
        self.bits, self.extra = (bits + [0] * HELD)[:HELD], any(bits[HELD:])

    async def message(self, data: bytes) -> None:
        """A message's map: the identifier has its first bit."""
        self.give(data)
        self.dut.restart.value = self.dut.is_map.value = self.dut.take.value = self.dut.drop_first.value = 1
        self.dut.take_shift.value = 1
        self.hold(bits_of(data)[1:])
        # 35 are held, and the first of them has gone: of a longer map the last place stays empty.
        if len(data) > 5:
            self.bits[HELD - 1] = 0
            self.extra = any(bits_of(data)[HELD:])
        self.aside.clear()
        await self.step()

    async def nested(self, data: bytes, used: int, put_aside: int | None) -> None:
        """A group's map; of one byte `used` bits are taken at once. The open one is put aside with a number."""
        self.give(data)
        self.dut.is_map.value = self.dut.take.value = 1
        self.dut.take_shift.value = used
        if put_aside is not None:
            self.dut.push.value, self.dut.push_data.value = 1, put_aside
            self.aside.append((self.bits, self.extra, put_aside))
        self.hold(bits_of(data)[used if len(data) == 1 else 0 :])
        await self.step()

    async def shift(self, by: int, put_aside: int | None) -> None:
        self.dut.shift.value, self.dut.shift_by.value = 1, by
        if put_aside is not None:
            self.dut.push.value, self.dut.push_data.value = 1, put_aside
            self.aside.append((self.bits, self.extra, put_aside))
        self.bits = self.bits[by:] + [0] * by
        await self.step()

    async def back(self) -> None:
        bits, extra, number = self.aside.pop()
        self.dut.pop.value = self.dut.would_pop.value = 1
        assert int(self.dut.pop_data.value) == number
        self.bits, self.extra = bits, extra
        await self.step()

    async def more(self, data: bytes) -> None:
        """A further piece of a map that is longer than a token."""
        self.give(data)
        self.dut.take_more.value = self.dut.is_map.value = 1
        self.extra = self.extra or any(bits_of(data))
        await self.step()


@cocotb.test()
async def maps_are_taken_shifted_put_aside_and_come_back(dut):
    bench, rng = Bench(dut), random.Random(9)
    await bench.start()

    def a_map(most: int) -> bytes:
        return bytes(rng.randrange(128) if rng.random() < 0.7 else 0 for _ in range(rng.randrange(1, most + 1)))

    await bench.message(a_map(5))
    for _ in range(cases(4_000, 60_000)):
        number = rng.getrandbits(25)
        choice = rng.random()
        room = len(bench.aside) < DEPTH
        if choice < 0.2:
            await bench.message(a_map(8))
        elif choice < 0.45 and room:
            await bench.nested(a_map(8), rng.randrange(5), number)
        elif choice < 0.5:
            await bench.nested(a_map(3), rng.randrange(5), None)
        elif choice < 0.55:
            await bench.more(a_map(8))
        elif choice < 0.75 and bench.aside:
            await bench.back()
        else:
            await bench.shift(rng.randrange(5), number if room and rng.random() < 0.3 else None)


def test_fast_map() -> None:
    simulate("fast_map_tb", "test_fast_map", {"DEPTH": DEPTH})
