"""Two that read the book: the first goes before the second, and each gets what is its own."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly
from harness import cases, simulate


@cocotb.test()
async def each_gets_what_was_read_for_it_and_the_first_goes_before_the_second(dut):
    """Against the rules of book_walk_if: a read stands unchanged, and is low for a cycle before another begins."""
    rng = random.Random(25)
    cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
    for name in ("first_valid", "second_valid", "out_level_valid", "out_done"):
        getattr(dut, name).value = 0
    dut.first_instrument.value, dut.second_instrument.value = 3, 9
    dut.rst.value = 1
    for _ in range(3):
        await FallingEdge(dut.clk)
    dut.rst.value = 0
    asks = [False, False]
    before: int | None = None  # the instrument that was read in the cycle before
    given = [0, 0]
    begun_anew = 0
    for _ in range(cases(4000, 100_000)):
        for i in range(2):
            if rng.random() < (0.1 if asks[i] else 0.05):
                asks[i] = not asks[i]
        dut.first_valid.value, dut.second_valid.value = asks
        # What the book gives is for the read of this cycle; it may still give something of the one before.
        dut.out_level_valid.value, dut.out_done.value = rng.random() < 0.5, rng.random() < 0.2
        await ReadOnly()
        now = int(dut.out_instrument.value) if dut.out_valid.value else None
        assert now in (None, 3, 9)
        assert None in (now, before) or now == before, "one read follows another without a cycle between them"
        if now is not None:
            assert asks[now == 9], "nobody asks for it"
            assert bool(dut.out_after_line.value) == (now == 3)
        assert not (now == 9 and asks[0]), "the first waits for the second"
        begun_anew += before == 9 and asks[0]
        for name, comes in (("level_valid", dut.out_level_valid), ("done", dut.out_done)):
            found = int(getattr(dut, name).value)
            assert found in ((1, 2) if comes.value else (0,)), "nobody gets it, or both do"
            if now is not None and comes.value:
                assert found == (1 if now == 3 else 2), "what was read for one goes to the other"
                given[now == 9] += 1
            if before == 9 and now is None and asks[0] and comes.value:
                assert found == 2, "what was still read for the second goes to the first"
        before = now
        await FallingEdge(dut.clk)
    assert min(given) > cases(100, 2500)
    assert begun_anew > cases(10, 250)


def test_book_walk_merge() -> None:
    simulate("book_walk_merge_tb", "test_book_walk_merge")
