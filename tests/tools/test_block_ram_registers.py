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
    # As yosys leaves them: at 36 bits port A's enable is of no use.
    enables: dict[str, list[int | str]] = {"OCEA": ["0" if width == 36 else "1"], "OCEB": ["1"]}
    pins: dict[str, list[int | str]] = {"CLKA": [CLOCK], "CLKB": [CLOCK], **enables, **outputs, **connections}
    return {
        "type": "DP16KD",
        "parameters": {"DATA_WIDTH_B": f"{width:032b}", "REGMODE_A": "NOREG", "REGMODE_B": "NOREG"},
        "connections": pins,
        "port_directions": {pin: "output" if pin.startswith("DO") else "input" for pin in pins},
    }


def flip_flop(
    data: int, q: int, clock: int = CLOCK, enable: int | None = None, inverted: bool = False, reset: int | str = "0"
) -> dict[str, Any]:
    pins: dict[str, list[int | str]] = {"CLK": [clock], "DI": [data], "LSR": [reset], "Q": [q]}
    if enable is not None:
        pins["CE"] = [enable]
    return {
        "type": "TRELLIS_FF",
        "parameters": {"CLKMUX": "CLK", "CEMUX": "1 " if enable is None else "INV" if inverted else "CE"},
        "connections": pins,
        "port_directions": {pin: "output" if pin == "Q" else "input" for pin in pins},
    }


def netlist(*cells: dict[str, Any], outputs: tuple[int, ...] = ()) -> dict[str, Any]:
    ports = {"out": {"direction": "output", "bits": list(outputs)}}
    return {"ports": ports, "cells": {f"cell{i}": cell for i, cell in enumerate(cells)}}


def left_as_it_was(module: dict[str, Any]) -> bool:
    blank = ram()
    return all(
        cell["parameters"] == blank["parameters"] and cell["connections"] == blank["connections"]
        for cell in module["cells"].values()
        if cell["type"] == "DP16KD"
    )


def test_flip_flops_behind_every_used_bit_go_into_the_ram() -> None:
    module = netlist(ram(), flip_flop(120, 500), flip_flop(121, 501), outputs=(500, 501))
    assert pack(module) == 2
    (left,) = module["cells"].values()
    assert (left["connections"]["DOB0"], left["connections"]["DOB1"]) == ([500], [501])
    assert (left["parameters"]["REGMODE_A"], left["parameters"]["REGMODE_B"]) == ("NOREG", "OUTREG")
    assert (left["connections"]["OCEA"], left["connections"]["OCEB"]) == (["1"], ["1"])


def test_at_36_bits_both_ports_are_one_register() -> None:
    module = netlist(ram(36), flip_flop(100, 500), flip_flop(120, 501))
    assert pack(module) == 2
    (left,) = module["cells"].values()
    assert (left["parameters"]["REGMODE_A"], left["parameters"]["REGMODE_B"]) == ("OUTREG", "OUTREG")


@pytest.mark.parametrize("inverted", [False, True])
def test_what_enables_the_flip_flops_enables_the_register(inverted: bool) -> None:
    bits = [flip_flop(at, at + 400, enable=7, inverted=inverted) for at in (100, 101)]
    module = netlist(ram(), *bits, flip_flop(120, 600))
    assert pack(module) == 3
    (left,) = module["cells"].values()
    assert (left["connections"]["OCEA"], left["connections"]["OCEB"]) == ([7], ["1"])
    assert left["parameters"].get("OCEAMUX", "OCEA") == ("INV" if inverted else "OCEA")
    assert "OCEBMUX" not in left["parameters"]


def test_at_36_bits_port_b_enables_the_register_of_both() -> None:
    module = netlist(ram(36), flip_flop(100, 500, enable=7), flip_flop(120, 501, enable=7))
    assert pack(module) == 2
    (left,) = module["cells"].values()
    assert (left["connections"]["OCEA"], left["connections"]["OCEB"]) == (["0"], [7])


@pytest.mark.parametrize("other", [flip_flop(121, 501, enable=8), flip_flop(121, 501, enable=7, inverted=True)])
def test_flip_flops_that_are_not_enabled_together_stay(other: dict[str, Any]) -> None:
    module = netlist(ram(), flip_flop(120, 500, enable=7), other)
    assert pack(module) == 0
    assert left_as_it_was(module)


@pytest.mark.parametrize(
    "second",
    [
        flip_flop(121, 501, clock=OTHER_CLOCK),
        flip_flop(121, 501, enable=7),
        flip_flop(121, 501, reset=7),
        {"type": "LUT4", "parameters": {}, "connections": {"A": [121], "Z": [501]}, "port_directions": {"A": "input", "Z": "output"}},
        flip_flop(120, 501),  # the first bit is read twice
    ],
)
def test_one_bit_that_does_not_fit_keeps_all_outside(second: dict[str, Any]) -> None:
    module = netlist(ram(), flip_flop(120, 500), second)
    assert pack(module) == 0
    assert len(module["cells"]) == 3


def test_a_register_that_rtl_wants_outside_stays_there() -> None:
    module = netlist(ram(), flip_flop(100, 500), flip_flop(120, 600), flip_flop(121, 601))
    module["netnames"] = {"record": {"attributes": {"outside_memory": "1"}, "bits": [601]}, "other": {"attributes": {}, "bits": [500]}}
    assert pack(module) == 1
    assert {cell["connections"]["Q"][0] for cell in module["cells"].values() if cell["type"] == "TRELLIS_FF"} == {600, 601}


def test_a_bit_that_is_an_output_itself_keeps_its_flip_flop() -> None:
    module = netlist(ram(), flip_flop(120, 500), outputs=(120,))
    assert pack(module) == 0
