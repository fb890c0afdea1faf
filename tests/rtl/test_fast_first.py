"""fast_first: of the instructions of a group the first that has something to do, and what the walk must know of it."""

from __future__ import annotations

import random
from itertools import product

import cocotb
from cocotb.triggers import Timer
from harness import cases, simulate

GROUP = 4


def bits(values: list[bool]) -> int:
    return sum(value << place for place, value in enumerate(values))


@cocotb.test
async def the_first_with_something_to_do_is_found_by_walking_through_all(dut) -> None:
    rng = random.Random(11)
    inputs = ("sets", "takes", "by_kind", "is_exponent", "waits_set", "waits_clear")
    for _ in range(cases(60, 2_000)):
        for todo in product((False, True), repeat=GROUP):
            group = {name: [rng.random() < 0.5 for _ in range(GROUP)] for name in inputs}
            slots = [rng.randrange(256) for _ in range(GROUP)]
            dut.todo.value = bits(list(todo))
            for name, values in group.items():
                getattr(dut, name).value = bits(values)
            dut.slots.value = sum(slot << 8 * place for place, slot in enumerate(slots))
            await Timer(1, "ns")
            found = {
                name: int(getattr(dut, name).value)
                for name in ("chosen", "alone", "alone_but_skipped", "needs", "skips", "waits", "copies", "recalls", "place")
            }
            with_work = [place for place in range(GROUP) if todo[place]]
            expected = {
                "chosen": 1 << with_work[0] if with_work else 0,
                "alone": len(with_work) < 2,
                # An exponent that is absent skips its mantissa, which stands right after it.
                "alone_but_skipped": not [place for place in with_work[1:] if place != with_work[0] + 1],
            }
            one = {name: bool(with_work) and values[with_work[0]] for name, values in group.items()}
            text = one["by_kind"] and not one["is_exponent"]
            expected |= {
                "needs": one["sets"] and one["takes"],
                "skips": one["sets"] and one["by_kind"] and one["is_exponent"],
                "copies": one["sets"] and text,
                "recalls": bool(with_work) and not one["sets"] and text,
                # Whether the walk waits for a string with copy is not known here.
                "waits": (one["waits_set"] if one["sets"] else one["waits_clear"]) and not text,
                "place": slots[with_work[0]] % 8 if with_work else 0,
            }
            assert found == {name: int(value) for name, value in expected.items()}, (todo, group)


def test_fast_first() -> None:
    simulate("fast_first_tb", "test_fast_first")
