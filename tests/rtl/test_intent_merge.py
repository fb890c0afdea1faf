"""intent_merge: the first source never waits, the second's order is read before its intent goes, each intent passes once, announced."""

from random import Random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from harness import simulate

FIRST, SECOND, THIRD = 0, 1, 2
BASE = (0, 128, 256)  # of the handles, counted up


@cocotb.test()
async def the_first_passes_at_once_and_the_others_when_those_before_them_cannot_have_one(dut):
    cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
    for name in ("first_valid", "first_soon", "second_valid", "second_soon", "third_valid", "out_ready"):
        getattr(dut, name).value = 0
    dut.rst.value = 1
    for _ in range(3):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    rng = Random(6)
    passed = [0, 0, 0]
    handles = list(BASE)
    soon = [False, False]  # of the first two: an intent may stand in this cycle
    second_waits = third_waits = False
    announced, second_late, before = True, 0, [(-1, False), (-1, False)]
    for cycle in range(9000):
        busy = 0.05 if cycle % 2000 < 1000 else 0.9
        # An intent is announced a cycle ahead. The first's may be taken back; the second's stays until it is taken.
        first = soon[FIRST] and rng.random() < 0.7
        could = list(soon)
        second_waits = second_waits or (soon[SECOND] and rng.random() < 0.7)
        soon = [rng.random() < busy, second_waits or rng.random() < 0.2]
        third_waits = third_waits or rng.random() < 0.3
        dut.first_valid.value, dut.first_soon.value, dut.first_handle.value = first, soon[FIRST], handles[FIRST]
        dut.second_valid.value, dut.second_soon.value, dut.second_handle.value = second_waits, soon[SECOND], handles[SECOND]
        dut.second_price.value = handles[SECOND] * 1000
        dut.third_valid.value, dut.third_handle.value = third_waits, handles[THIRD]
        ready = rng.random() < 0.5 if cycle % 3000 < 1500 else True
        dut.out_ready.value = ready
        await RisingEdge(dut.clk)  # what is seen belongs to the cycle that ends
        shown, handle = bool(dut.out_valid.value), int(dut.out_handle.value)
        assert bool(dut.first_ready.value) == ready or not first, "the first is taken whenever risk is ready"
        source = None
        if first:
            assert shown
            assert handle == handles[FIRST]
            source = FIRST
        elif shown:
            assert announced, "risk was not warned"
            assert not could[FIRST]
            source = SECOND if handle == handles[SECOND] else THIRD
            assert handle == handles[source]
            assert second_waits if source == SECOND else third_waits and not could[SECOND]
        if shown:
            assert int(dut.out_instrument.value) == ~handle & 0xFF
            assert bool(dut.out_computed.value) == (source == SECOND)
            if source == SECOND:
                assert int(dut.out_price.value) == handle * 1000
                assert int(dut.ahead.value)
            else:
                assert not int(dut.ahead.value)
        if int(dut.ahead.value):
            assert before == [(handle, True)] * 2, "its order has been read in the two cycles before"
        taken = source if shown and ready else None
        assert bool(dut.second_ready.value) <= ready
        assert (bool(dut.second_ready.value) and second_waits) == (taken == SECOND)
        assert bool(dut.third_ready.value) == (taken == THIRD)
        before = [before[1], (handle, ready)]
        # While risk is always ready, the second goes in the third cycle in which the first cannot have one.
        second_late = second_late + 1 if second_waits and not could[FIRST] and cycle % 3000 > 1510 and taken != SECOND else 0
        assert second_late <= 2
        announced = bool(dut.out_soon.value)
        if taken is not None:
            passed[taken] += 1
            if taken != SECOND:  # which has one order
                handles[taken] = BASE[taken] + (handles[taken] + 1 - BASE[taken]) % 128
        second_waits = second_waits and taken != SECOND
        third_waits = third_waits and taken != THIRD
    assert min(passed) > 200, passed


def test_intent_merge() -> None:
    simulate("intent_merge_tb", "test_intent_merge")
