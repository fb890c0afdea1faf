"""crc32_pkg against zlib."""

import random
import zlib

import cocotb
from cocotb.triggers import Timer
from harness import ROOT, simulate

RESIDUE = 0xDEBB20E3


@cocotb.test()
async def every_step_equals_zlib(dut):
    rng = random.Random(1)
    for _ in range(2000):
        before = rng.randbytes(rng.randrange(12))
        data = rng.randbytes(8)
        dut.state.value = zlib.crc32(before) ^ 0xFFFFFFFF
        dut.data.value = int.from_bytes(data, "little")
        await Timer(1, "ns")
        for signal, size in ((dut.after8, 1), (dut.after32, 4), (dut.after64, 8)):
            assert int(signal.value) == zlib.crc32(before + data[:size]) ^ 0xFFFFFFFF


@cocotb.test()
async def every_unstep_takes_zeros_back(dut):
    rng = random.Random(2)
    for _ in range(2000):
        before = rng.randbytes(rng.randrange(12))
        for signal, size in ((dut.before1, 1), (dut.before2, 2), (dut.before3, 3)):
            dut.state.value = zlib.crc32(before + bytes(size)) ^ 0xFFFFFFFF
            await Timer(1, "ns")
            assert int(signal.value) == zlib.crc32(before) ^ 0xFFFFFFFF


@cocotb.test()
async def a_frame_with_its_fcs_leaves_the_residue(dut):
    frame = bytes(range(60))
    frame += zlib.crc32(frame).to_bytes(4, "little")
    state = 0xFFFFFFFF
    for at in range(0, 64, 8):
        dut.state.value = state
        dut.data.value = int.from_bytes(frame[at : at + 8], "little")
        await Timer(1, "ns")
        state = int(dut.after64.value)
    assert state == RESIDUE


def test_crc32():
    simulate("crc32_tb", "test_crc32", extra=[ROOT / "tests" / "rtl" / "crc32_tb.sv"])
