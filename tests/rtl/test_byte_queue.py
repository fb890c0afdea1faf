"""byte_queue against a byte string: what proved good comes out once and in order, whatever the frames' lengths; what did not, never."""

import random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from harness import simulate

BYTES = 256  # of byte_queue_tb


class Bench:
    def __init__(self, dut, seed: int) -> None:
        self.dut = dut
        self.rng = random.Random(seed)
        self.lanes = len(dut.in_keep)
        self.good = bytearray()
        self.out = bytearray()
        self.ready_share = 1.0

    async def start(self) -> None:
        cocotb.start_soon(Clock(self.dut.clk, 2, "ns").start())
        self.dut.in_valid.value = self.dut.out_ready.value = self.dut.clear.value = 0
        self.dut.rst.value = 1
        for _ in range(3):
            await FallingEdge(self.dut.clk)
        self.dut.rst.value = 0
        await FallingEdge(self.dut.clk)

    async def cycle(self) -> None:
        """What is ready in a cycle is known before its edge: set, then read."""
        dut = self.dut
        ready = self.rng.random() < self.ready_share
        dut.out_ready.value = ready
        if ready and dut.out_valid.value:
            keep, data = int(dut.out_keep.value), int(dut.out_data.value).to_bytes(self.lanes, "little")
            assert keep
            self.out += bytes(byte for lane, byte in enumerate(data) if keep >> lane & 1)
        await FallingEdge(dut.clk)

    async def frame(self, payload: bytes, err: bool, empty_end: bool) -> None:
        """Beats with pauses; the verdict with the last of them, or later in an empty one."""
        beats = [payload[at : at + self.lanes] for at in range(0, len(payload), self.lanes)] + ([b""] if empty_end or not payload else [])
        dut = self.dut
        for at, beat in enumerate(beats):
            last = at == len(beats) - 1
            dut.in_valid.value, dut.in_last.value, dut.in_err.value = 1, last, last and err
            dut.in_data.value, dut.in_keep.value = int.from_bytes(beat, "little"), (1 << len(beat)) - 1
            await self.cycle()
            dut.in_valid.value = 0
            for _ in range(self.rng.choice((0, 0, 1))):
                await self.cycle()
        if not err:
            self.good += payload

    async def rest(self, cycles: int = 200) -> None:
        for _ in range(cycles):
            await self.cycle()


@cocotb.test()
async def good_bytes_come_out_once_in_order_and_bad_ones_never(dut):
    bench = Bench(dut, 1)
    await bench.start()
    for turn in range(600):
        bench.ready_share = (0.0, 0.2, 0.7, 1.0)[turn // 10 % 4]
        size = bench.rng.choice((0, 1, 2, 7, 8, 9, bench.rng.randrange(60)))
        await bench.cycle()
        await bench.cycle()  # `room` follows
        if size > int(dut.room.value):  # as tcp_rx: such a segment ends in err
            await bench.frame(bench.rng.randbytes(size), True, bool(turn % 2))
        else:
            await bench.frame(bench.rng.randbytes(size), bench.rng.random() < 0.2, bool(turn % 2))
        await bench.cycle()
    bench.ready_share = 1.0
    await bench.rest(1000)
    assert bench.out == bench.good
    assert len(bench.good) > 4 * BYTES


@cocotb.test()
async def what_is_kept_is_never_written_over_by_a_frame_without_room(dut):
    bench = Bench(dut, 2)
    await bench.start()
    bench.ready_share = 0.0
    kept = bench.rng.randbytes(BYTES - 4 * bench.lanes)
    await bench.frame(kept, False, False)
    await bench.rest(8)
    assert int(dut.room.value) == 0 or int(dut.room.value) <= bench.lanes  # the row at `out` has left the memory
    await bench.frame(bench.rng.randbytes(2 * BYTES), True, False)
    bench.ready_share = 1.0
    await bench.rest(1000)
    assert bench.out == kept


@cocotb.test()
async def room_is_lessened_by_good_bytes_only_and_comes_back_as_they_are_read(dut):
    bench = Bench(dut, 3)
    await bench.start()
    bench.ready_share = 0.0
    await bench.rest(4)
    whole = int(dut.room.value)
    assert whole == BYTES - 4 * bench.lanes
    await bench.frame(bytes(10), True, False)
    await bench.rest(4)
    assert int(dut.room.value) == whole
    await bench.frame(bytes(range(100)), False, False)
    await bench.rest(8)
    assert whole - 100 <= int(dut.room.value) <= whole - 100 + bench.lanes
    bench.ready_share = 1.0
    await bench.rest(300)
    assert int(dut.room.value) == whole
    assert bench.out == bytes(range(100))


@cocotb.test()
async def clear_forgets_everything(dut):
    bench = Bench(dut, 4)
    await bench.start()
    bench.ready_share = 0.0
    await bench.frame(b"before", False, False)
    dut.clear.value = 1
    await bench.cycle()
    dut.clear.value = 0
    bench.good.clear()
    await bench.frame(b"behind it", False, True)
    bench.ready_share = 1.0
    await bench.rest()
    assert bench.out == b"behind it"


@pytest.mark.parametrize("w", [8, 64])
def test_byte_queue(w: int) -> None:
    simulate("byte_queue_tb", "test_byte_queue", {"W": w})
