"""skewed_table (with skewed_hash) against a dictionary: what is written is found, by the next operation too, and there is room."""

import os
import random
from collections import deque

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from harness import cases, simulate

KEY, SETS_LOG2, WAYS, PAYLOAD, FIELD = 12, 3, 4, 8, 2  # of book_table_tb
STASH = int(os.environ.get("BOOK_TABLE_STASH", "0"))
LATENCY = 4
INPUTS = ("move", "early_key", "valid", "enters", "sweep", "sweep_set", "sweep_all", "sweep_field", "join_payload", "write")


class Bench:
    """An operation is (key, what to write or None to take it out, or "look"); its answer is written 4 cycles later."""

    def __init__(self, dut) -> None:
        self.dut = dut
        self.entries: dict[int, int] = {}
        self.pipe: deque[tuple[int, int | str | None, int] | None] = deque([None] * LATENCY)
        self.refused = self.found = 0
        self.check = True
        self.moves = 0

    async def start(self) -> None:
        dut = self.dut
        cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
        for name in (*INPUTS, "write_live", "write_payload"):
            getattr(dut, name).value = 0
        dut.rst.value = 1
        for _ in range(3):
            await FallingEdge(dut.clk)
        dut.rst.value = 0
        await self.sweep(everything=True)

    async def cycle(self, operation: tuple[int, int | str | None] | None = None, next_key: int = 0, join: int = 0) -> None:
        dut = self.dut
        dut.early_key.value = next_key
        dut.valid.value = operation is not None
        dut.enters.value = operation is not None and isinstance(operation[1], int) and bool(join)
        dut.join_payload.value = join
        self.pipe.append((*operation, join) if operation else None)
        due = self.pipe.popleft()
        dut.write.value = 0
        if due and self.check:
            self._answer(*due)
        await FallingEdge(dut.clk)

    def _answer(self, key: int, what: int | str | None, joined: int) -> None:
        """Compares what was found, and says what to write: all of it stands in registers half a cycle before it is taken."""
        dut = self.dut
        hit, full, enters = bool(dut.hit.value), bool(dut.full.value), isinstance(what, int)
        assert hit == (key in self.entries), f"key {key:x}"
        assert int(dut.payload.value) == joined | (0 if enters and joined else self.entries.get(key, 0))
        assert hit or full or int(dut.way.value).bit_count() == 1
        self.found += hit
        self.refused += enters and full and not hit
        if enters and (hit or not full):
            assert isinstance(what, int)
            self.entries[key] = what
            dut.write.value, dut.write_live.value, dut.write_payload.value = 1, 1, what
        elif what is None and hit:
            del self.entries[key]
            dut.write.value, dut.write_live.value = 1, 0

    async def move(self) -> None:
        """Gives the table time to empty its stash: a move 8 cycles after the last operation, and nothing for 8 cycles after it."""
        dut = self.dut
        for _ in range(8):
            await self.cycle()
        if not dut.stash_waits.value:
            return
        self.moves += 1
        self.check = False
        dut.early_key.value = int(dut.stash_key.value)
        await FallingEdge(dut.clk)
        dut.valid.value, dut.move.value, dut.write.value = 1, 1, 0
        await FallingEdge(dut.clk)
        dut.valid.value = dut.move.value = 0
        for _ in range(8):
            await FallingEdge(dut.clk)
        self.check = True

    async def sweep(self, field: int = 0, everything: bool = False) -> None:
        dut = self.dut
        for _ in range(8):
            await self.cycle()
        self.check = False
        for index in range(1 << SETS_LOG2):
            dut.sweep.value, dut.sweep_set.value, dut.sweep_field.value, dut.sweep_all.value = 1, index, field, everything
            dut.valid.value = 1
            await FallingEdge(dut.clk)
            dut.valid.value = 0
            await FallingEdge(dut.clk)
        for _ in range(8):
            await FallingEdge(dut.clk)
        dut.sweep.value = dut.sweep_all.value = 0
        self.check = True
        self.entries = {} if everything else {key: value for key, value in self.entries.items() if value >> PAYLOAD - FIELD != field}


async def run(b: Bench, rng: random.Random, operations: int, keys: list[int], adds: float) -> None:
    """Operations 2 cycles apart or more."""
    for _ in range(operations):
        key = rng.choice(keys)
        what: int | str | None = rng.randrange(1 << PAYLOAD) if rng.random() < adds else rng.choice([None, None, "look"])
        await b.cycle(next_key=key)
        await b.cycle((key, what), join=rng.choice([0, 1 + rng.randrange(255)]) if isinstance(what, int) else 0)
        for _ in range(rng.choice([0, 0, 0, 1, 2, 3])):
            await b.cycle()
        if rng.random() < 0.1:
            await b.move()


@cocotb.test()
async def entries_are_what_was_written_last(dut):
    b, rng = Bench(dut), random.Random(1)
    await b.start()
    for keys, adds in ((3, 0.5), (8, 0.6), (24, 0.6), (100, 0.7), (4096, 0.8)):
        await run(b, rng, cases(400, 20_000), rng.sample(range(1 << KEY), keys), adds)
        await b.sweep(everything=True)
    assert b.found > 500
    assert b.refused > 0
    assert (b.moves > 0) == (STASH > 0)


@cocotb.test(skip=not STASH)
async def moves_make_room(dut):
    """Until 20 of the 32 places of the ways are taken; without moves some of these find none sooner."""
    b, rng = Bench(dut), random.Random(3)
    await b.start()
    for _ in range(6):
        keys = rng.sample(range(1 << KEY), 20)
        for key in keys:
            await b.cycle(next_key=key)
            await b.cycle((key, rng.randrange(256)))
            for _ in range(100):
                await b.move()
                if not dut.stash_waits.value:
                    break
            else:
                raise AssertionError("no place is found")
        assert not b.refused
        assert sorted(b.entries) == sorted(keys)
        for key in rng.sample(keys, 20):
            await b.cycle(next_key=key)
            await b.cycle((key, "look"))
        await b.sweep(everything=True)
    assert b.moves > 5


@cocotb.test()
async def a_sweep_takes_out_one_value_of_the_field(dut):
    b, rng = Bench(dut), random.Random(2)
    await b.start()
    keys = rng.sample(range(1 << KEY), 40)
    for field in (0, 1, 2, 3, 3):
        await run(b, rng, 60, keys, 0.9)
        await b.sweep(field)
        await run(b, rng, 60, keys, 0.1)


@pytest.mark.parametrize("stash", [0, 2])
def test_book_table(stash: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOOK_TABLE_STASH", str(stash))
    simulate("book_table_tb", "test_book_table", parameters={"STASH": stash})
