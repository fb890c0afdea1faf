"""block_ram_registers: flip-flops go into a block RAM only where its register does the same."""

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from block_ram_registers import pack

CLOCK, OTHER_CLOCK = 1, 2


def ram(width: int = 9, **connections: list[int | str]) -> dict[str, Any]:
    outputs: dict[str, list[int | str]] = {f"DO{port}{i}": [100 + 20 * (port == "B") + i] for port in "AB" for i in range(18)}
    pins: dict[str, list[int | str]] = {"CLKA": [CLOCK], "CLKB": [CLOCK], **outputs, **connections}
    return {
        "type": "DP16KD",
        "parameters": {"DATA_WIDTH_B": f"{width:032b}", "REGMODE_A": "NOREG", "REGMODE_B": "NOREG"},
        "connections": pins,
        "port_directions": {pin: "output" if pin.startswith("DO") else "input" for pin in pins},
    }


def flip_flop(data: int, q: int, clock: int = CLOCK, enable: str = "1 ", reset: int | str = "0") -> dict[str, Any]:
    return {
        "type": "TRELLIS_FF",
        "parameters": {"CLKMUX": "CLK", "CEMUX": enable},
        "connections": {"CLK": [clock], "DI": [data], "LSR": [reset], "Q": [q]},
        "port_directions": {"CLK": "input", "DI": "input", "LSR": "input", "Q": "output"},
    }


def netlist(*cells: dict[str, Any], outputs: tuple[int, ...] = ()) -> dict[str, Any]:
    ports = {"out": {"direction": "output", "bits": list(outputs)}}
    return {"ports": ports, "cells": {f"cell{i}": cell for i, cell in enumerate(cells)}}


def test_flip_flops_behind_every_used_bit_go_into_the_ram() -> None:
    module = netlist(ram(), flip_flop(120, 500), flip_flop(121, 501), outputs=(500, 501))
    assert pack(module) == 2
    (left,) = module["cells"].values()
    assert (left["connections"]["DOB0"], left["connections"]["DOB1"]) == ([500], [501])
    assert (left["parameters"]["REGMODE_A"], left["parameters"]["REGMODE_B"]) == ("NOREG", "OUTREG")


def test_at_36_bits_both_ports_are_one_register() -> None:
    module = netlist(ram(36), flip_flop(100, 500), flip_flop(120, 501))
    assert pack(module) == 2
    (left,) = module["cells"].values()
    assert (left["parameters"]["REGMODE_A"], left["parameters"]["REGMODE_B"]) == ("OUTREG", "OUTREG")


@pytest.mark.parametrize(
    "second",
    [
        flip_flop(121, 501, clock=OTHER_CLOCK),
        flip_flop(121, 501, enable="CE"),
        flip_flop(121, 501, reset=7),
        {"type": "LUT4", "parameters": {}, "connections": {"A": [121], "Z": [501]}, "port_directions": {"A": "input", "Z": "output"}},
        flip_flop(120, 501),  # the first bit is read twice
    ],
)
def test_one_bit_that_does_not_fit_keeps_all_outside(second: dict[str, Any]) -> None:
    module = netlist(ram(), flip_flop(120, 500), second)
    assert pack(module) == 0
    assert len(module["cells"]) == 3


def test_a_bit_that_is_an_output_itself_keeps_its_flip_flop() -> None:
    module = netlist(ram(), flip_flop(120, 500), outputs=(120,))
    assert pack(module) == 0
