"""intent_merge: the first source never waits for the second, the second's intents pass when nothing else can, each once and announced."""

from random import Random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from harness import simulate


@cocotb.test()
async def the_first_passes_at_once_and_the_second_when_the_first_cannot_have_one(dut):
    cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
    for name in ("first_valid", "first_soon", "second_valid", "out_ready"):
        getattr(dut, name).value = 0
    dut.rst.value = 1
    for _ in range(3):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    rng = Random(6)
    passed: dict[str, int] = {"first": 0, "second": 0}
    first, second = 0, 256  # handles, counted up
    soon = valid = waits = False
    announced = True
    first_could = True  # in this cycle
    for cycle in range(6000):
        busy = 0.05 if cycle % 2000 < 1000 else 0.9
        # An intent is announced a cycle ahead, and may stay or be taken back.
        valid = soon and rng.random() < 0.7
        first_could = soon
        soon = rng.random() < busy
        waits = waits or rng.random() < 0.3
        dut.first_valid.value, dut.first_soon.value, dut.first_handle.value = valid, soon, first
        dut.second_valid.value, dut.second_handle.value = waits, second
        ready = rng.random() < 0.5
        dut.out_ready.value = ready
        await RisingEdge(dut.clk)  # what is seen belongs to the cycle that ends
        shown, handle = bool(dut.out_valid.value), int(dut.out_handle.value)
        assert bool(dut.first_ready.value) == ready or not valid, "the first is taken whenever risk is ready"
        if valid:
            assert shown
            assert handle == first
        if shown:
            assert announced, "risk was not warned"
            assert int(dut.out_instrument.value) == ~handle & 0xFF
            if not valid:
                assert handle == second
                assert waits
                assert not first_could
        assert bool(dut.second_ready.value) == (shown and ready and not valid)
        announced = bool(dut.out_soon.value)
        if shown and ready:
            passed["first" if valid else "second"] += 1
            if valid:
                first = (first + 1) % 256
            else:
                second, waits = 256 + (second + 1) % 256, False
    assert passed["first"] > 500
    assert passed["second"] > 200


def test_intent_merge() -> None:
    simulate("intent_merge_tb", "test_intent_merge")
