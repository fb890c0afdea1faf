"""symbol_filter: every symbol of a full table is found, every stranger is not, always in 6 cycles."""

from random import Random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from harness import simulate
from statistics_model import bucket, place, symbol_hash

LATENCY = 6


def number(symbol: bytes) -> int:
    return int.from_bytes(symbol, "big")


async def start(dut) -> None:
    cocotb.start_soon(Clock(dut.clk, 8, "ns").start())
    for name in ("lookup_valid", "lookup_symbol", "bucket_write", "hash_rotate"):
        getattr(dut, name).value = 0
    dut.rst.value = 1
    for _ in range(10):
        await FallingEdge(dut.clk)
    dut.rst.value = 0


async def write(dut, way: int, address: int, used: bool, symbol: bytes, slot: int) -> None:
    dut.bucket_write.value, dut.bucket_way.value, dut.bucket_address.value = 1, way, address
    dut.bucket_used.value, dut.bucket_symbol.value, dut.bucket_index.value = used, number(symbol), slot
    await FallingEdge(dut.clk)
    dut.bucket_write.value = 0


async def load(dut, slots: dict[bytes, int], rng: Random) -> None:
    symbols = 1 << len(dut.index)
    ways = None
    while ways is None:
        rotates = (rng.randrange(32), rng.randrange(32))
        ways = place(slots, rotates, symbols, rng)
    dut.hash_rotate.value = rotates[0] | rotates[1] << 5
    for way in range(2):
        for address in range(2 * symbols):
            symbol, slot = ways[way].get(address, (bytes(8), 0))
            await write(dut, way, address, address in ways[way], symbol, slot)


async def lookups(dut, wanted: list[tuple[bytes, int | None]], rng: Random) -> None:
    """Back to back and with pauses; each answer is awaited in exactly its cycle."""
    due: dict[int, int | None] = {}
    cycle, next_lookup, left = 0, 0, list(wanted)
    while left or due:
        dut.lookup_valid.value = 0
        dut.lookup_symbol.value = rng.getrandbits(64)
        if left and cycle >= next_lookup:
            symbol, slot = left.pop(0)
            dut.lookup_valid.value, dut.lookup_symbol.value = 1, number(symbol)
            due[cycle + LATENCY] = slot
            next_lookup = cycle + rng.choice([4, 4, 4, 5, 9])
        assert bool(int(dut.result_valid.value)) == (cycle in due)
        if cycle in due:
            slot = due.pop(cycle)
            assert int(dut.hit.value) == (slot is not None)
            assert int(dut.index.value) == (slot or 0)
        await FallingEdge(dut.clk)
        cycle += 1


def names(rng: Random, count: int) -> list[bytes]:
    pool: set[bytes] = set()
    while len(pool) < count:
        pool.add(bytes(rng.choices(b"ABCDE", k=rng.randrange(1, 9))).ljust(8))
    listed = sorted(pool)
    rng.shuffle(listed)
    return listed


@cocotb.test()
async def an_empty_table_finds_nothing_not_even_zeros(dut):
    await start(dut)
    dut.hash_rotate.value = 0
    await lookups(dut, [(bytes(8), None), (b"AAPL    ", None)], Random(1))


@cocotb.test()
async def every_symbol_of_a_full_table_is_found_and_no_stranger(dut):
    rng = Random(2)
    await start(dut)
    symbols = 1 << len(dut.index)
    for _ in range(4):
        listed = names(rng, 2 * symbols)
        slots = {name: slot for slot, name in enumerate(listed[:symbols])}
        await load(dut, slots, rng)
        wanted = [(name, slots.get(name)) for name in listed] + [(bytes(8), None)]
        rng.shuffle(wanted)
        await lookups(dut, wanted, rng)


@cocotb.test()
async def a_bucket_is_left_and_taken_while_lookups_go_on(dut):
    rng = Random(3)
    await start(dut)
    symbols = 1 << len(dut.index)
    await load(dut, {}, rng)
    dut.hash_rotate.value = 0 | 11 << 5
    for way, rotate in ((0, 0), (1, 11)):
        at = bucket(b"AAPL    ", rotate, symbols)
        await write(dut, way, at, True, b"AAPL    ", 7)
        await lookups(dut, [(b"AAPL    ", 7), (b"AAPM    ", None), (b"AAPL   \0", None)], rng)
        await write(dut, way, at, False, b"AAPL    ", 7)
        await lookups(dut, [(b"AAPL    ", None)], rng)


def test_the_hash_is_the_one_documented() -> None:
    assert symbol_hash(b"AAPL    ") == 0xA053ECB5
    assert bucket(b"AAPL    ", 11, 16) == (0xA053ECB5 << 11 | 0xA053ECB5 >> 21) & 31


@pytest.mark.parametrize("symbols", [16, 256])
def test_symbol_filter(symbols: int) -> None:
    simulate("symbol_filter", "test_symbol_filter", {"SYMBOLS": symbols})
