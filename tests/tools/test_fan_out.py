"""fan_out: a netlist does the same with its drivers copied, and no net that can be shared out drives many cells any more."""

import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from fan_out import RESET_FROM, SCARCE, SCARCE_FROM, SHARE, SHARED_FROM, share_out

CLOCK, RESET = 1, 2
Cell = dict[str, Any]


def cell(kind: str, output: str, init: str = "", **connections: list[int]) -> Cell:
    return {
        "type": kind,
        "parameters": {"INIT": init},
        "attributes": {},
        "connections": connections,
        "port_directions": {pin: "output" if pin == output else "input" for pin in connections},
    }


def lut(inputs: list[int], output: int, init: int) -> Cell:
    return cell("LUT4", "Z", f"{init:016b}", **{pin: [bit] for pin, bit in zip("ABCD", inputs, strict=True)}, Z=[output])


def flip_flop(data: int, output: int) -> Cell:
    return cell("TRELLIS_FF", "Q", CLK=[CLOCK], DI=[data], LSR=[RESET], Q=[output])


def module(cells: dict[str, Cell], inputs: list[int], outputs: list[int]) -> dict[str, Any]:
    ports = {
        "in": {"direction": "input", "bits": [CLOCK, RESET, *inputs]},
        "out": {"direction": "output", "bits": outputs},
    }
    return {"ports": ports, "cells": cells, "netnames": {}}


def random_module(seed: int) -> dict[str, Any]:
    """Flip-flops after two levels of LUTs; a few nets are read by most of them."""
    choose = random.Random(seed)
    inputs = list(range(10, 14))
    registers = list(range(100, 300))
    popular = choose.sample(registers, 3) + inputs[:1]
    first = list(range(400, 420))
    second = list(range(500, 700))
    cells = {
        f"a.first{bit}": lut([choose.choice(registers + popular * 40) for _ in range(4)], bit, choose.getrandbits(16)) for bit in first
    }
    for bit in second:
        sources = [choose.choice(popular), choose.choice(first[:2]), choose.choice(first), choose.choice(registers)]
        cells[f"b.second{bit}"] = lut(sources, bit, choose.getrandbits(16))
    for register, data in zip(registers, second, strict=True):
        cells[f"c{register % 7}.register{register}"] = flip_flop(data, register)
    return module(cells, inputs, registers[:5])


def run(netlist: dict[str, Any], cycles: int) -> list[list[bool]]:
    """What is at the outputs, cycle by cycle, on inputs that are the same in each run; all flip-flops begin at 0."""
    choose = random.Random(7)
    inputs = netlist["ports"]["in"]["bits"][2:]
    cells = netlist["cells"].values()
    registers = [(c["connections"]["DI"][0], c["connections"]["Q"][0]) for c in cells if c["type"] == "TRELLIS_FF"]
    luts = {
        c["connections"]["Z"][0]: (c["parameters"]["INIT"], [c["connections"][pin][0] for pin in "ABCD"])
        for c in cells
        if c["type"] == "LUT4"
    }
    state = {output: False for _, output in registers}
    seen = []
    for _ in range(cycles):
        values = state | {bit: choose.random() < 0.5 for bit in inputs}

        def value(bit: int, values: dict[int, bool] = values) -> bool:
            if bit not in values:
                init, sources = luts[bit]
                address = sum(value(source) << index for index, source in enumerate(sources))
                values[bit] = init[15 - address] == "1"
            return values[bit]

        seen.append([value(bit) for bit in netlist["ports"]["out"]["bits"]])
        state = {output: value(data) for data, output in registers}
    return seen


def fan_outs(netlist: dict[str, Any]) -> Counter[int]:
    count: Counter[int] = Counter()
    for reader in netlist["cells"].values():
        for pin, bits in reader["connections"].items():
            if reader["port_directions"][pin] == "input":
                count.update(bit for bit in bits if isinstance(bit, int))
    return count


@pytest.mark.parametrize("seed", range(5))
def test_a_netlist_with_copies_does_the_same(seed: int) -> None:
    netlist = random_module(seed)
    expected = run(netlist, 30)
    assert len({tuple(outputs) for outputs in expected}) > 3
    copies = share_out(netlist)
    assert copies > 10
    assert run(netlist, 30) == expected


@pytest.mark.parametrize("seed", range(5))
def test_every_reader_still_has_one_driver_and_few_share_it(seed: int) -> None:
    netlist = random_module(seed)
    before = len(netlist["cells"])
    copies = share_out(netlist)
    assert len(netlist["cells"]) == before + copies
    drivers = Counter(
        bit
        for c in netlist["cells"].values()
        for pin, bits in c["connections"].items()
        if c["port_directions"][pin] == "output"
        for bit in bits
    )
    assert set(drivers.values()) == {1}
    ports = {bit for port in netlist["ports"].values() for bit in port["bits"]}
    found = fan_outs(netlist)
    assert set(found) <= set(drivers) | ports
    flip_flops = {c["connections"]["Q"][0] for c in netlist["cells"].values() if c["type"] == "TRELLIS_FF"} - ports
    # A share, and what LUTs copied later read again.
    assert all(found[bit] <= SHARED_FROM + SHARE for bit in flip_flops)


def test_copies_serve_those_that_lead_to_neighbours() -> None:
    cells = {"source": flip_flop(50, 100)}
    for i in range(24):
        for number, part in enumerate("abc"):
            net = 1000 + 100 * number + i
            cells[f"lut{i}{part}"] = lut([100, 50, 51, 52], net, 1)
            cells[f"{part}.register{i}"] = flip_flop(net, net + 1000)
    netlist = module(cells, [50, 51, 52], [])
    assert share_out(netlist) == 2
    served = {name[-1]: c["connections"]["A"][0] for name, c in netlist["cells"].items() if c["type"] == "LUT4"}
    assert len(set(served.values())) == 3
    assert all(c["connections"]["A"][0] == served[name[-1]] for name, c in netlist["cells"].items() if c["type"] == "LUT4")


def test_a_lut_that_feeds_one_flip_flop_is_copied_with_it() -> None:
    readers = {f"a.register{i}": flip_flop(100, 1000 + i) for i in range(SHARED_FROM + 1)}
    netlist = module({"lut": lut([50] * 4, 60, 1), "source": flip_flop(60, 100)} | readers, [50], [])
    assert share_out(netlist) == 2
    assert netlist["cells"]["source$copy1"]["connections"]["DI"] == netlist["cells"]["lut$copy1"]["connections"]["Z"] != [60]


def test_a_lut_that_others_read_too_is_not_copied_with_a_flip_flop() -> None:
    readers = {f"a.register{i}": flip_flop(100, 1000 + i) for i in range(SHARED_FROM + 1)}
    netlist = module({"lut": lut([50] * 4, 60, 1), "source": flip_flop(60, 100), "other": flip_flop(60, 101)} | readers, [50], [])
    assert share_out(netlist) == 1


@pytest.mark.parametrize(("others", "copies"), [(SCARCE_FROM - SHARED_FROM * SCARCE, 4), (SCARCE_FROM, 0)])
def test_in_a_full_part_more_readers_are_few(others: int, copies: int) -> None:
    cells: dict[str, Cell] = {f"a.register{i}": flip_flop(100, 10_000 + i) for i in range(SHARED_FROM * SCARCE)}
    cells |= {f"other{i}": lut([50] * 4, 1_000_000 + i, 1) for i in range(others)}
    cells["source"] = flip_flop(50, 100)
    found = share_out(module(cells, [50], []))
    assert found == copies


@pytest.mark.parametrize(
    ("readers", "extra", "outputs"),
    [
        (SHARED_FROM, {}, []),  # not many
        (RESET_FROM, {}, []),  # a reset
        (SHARED_FROM + 1, {}, [100]),  # an output of the design
        (SHARED_FROM + 1, {"mux": cell("PFUMX", "Z", ALUT=[100], BLUT=[51], C0=[50], Z=[70])}, []),  # bound to its slice
    ],
)
def test_what_need_not_or_cannot_be_copied_stays(readers: int, extra: dict[str, Cell], outputs: list[int]) -> None:
    cells = {"source": lut([50] * 4, 100, 1)} | {f"a.register{i}": flip_flop(100, 10000 + i) for i in range(readers)} | extra
    assert share_out(module(cells, [50, 51], outputs)) == 0
