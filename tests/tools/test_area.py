"""area: a netlist of a few cells, counted by hand."""

import json
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from area import by_module, by_stage, newest

CELLS = {
    "design.a.b.x_LUT4_Z": "LUT4",
    "design.a.b.c.y_LUT4_Z": "LUT4",
    "design.a.sum_CCU2C_S0": "CCU2C",
    "design.a.ram.0": "TRELLIS_DPR16X4",
    "design.a.q_TRELLIS_FF_Q": "TRELLIS_FF",
    "loose_LUT4_Z": "LUT4",
}


def write(file: Path) -> Path:
    file.parent.mkdir(parents=True)
    cells = {name: {"type": kind} for name, kind in CELLS.items()}
    file.write_text(json.dumps({"modules": {"registered": {"cells": cells}, "LUT4": {}}}))
    return file


def test_each_module_has_the_luts_of_its_cells(tmp_path: Path) -> None:
    netlist = write(tmp_path / "some-0123456789abcdef" / "netlist.json")
    # Two of a carry, six of distributed RAM; a flip-flop has none.
    assert by_module(netlist, 2) == {"a": 2, "a.ram": 6, "a.b": 2, "(top)": 1}
    assert by_module(netlist, 3) == {"a": 2, "a.ram": 6, "a.b": 1, "a.b.c": 1, "(top)": 1}


def test_a_stage_has_its_parts_and_what_is_small_is_left_out(tmp_path: Path) -> None:
    netlist = write(tmp_path / "some-0123456789abcdef" / "netlist.json")
    stages = by_stage(netlist, depth=2, least=0.15)
    assert list(stages.items()) == [
        ("a", {"lut4": 10, "ff": 1, "ebr": 0}),
        ("a.ram", {"lut4": 6, "ff": 0, "ebr": 0}),
        ("a.b", {"lut4": 2, "ff": 0, "ebr": 0}),
    ]


def test_the_newest_netlist_of_the_design_counts_and_none_is_said(tmp_path: Path) -> None:
    old = write(tmp_path / "some-0000000000000000" / "netlist.json")
    new = write(tmp_path / "some-ffffffffffffffff" / "netlist.json")
    write(tmp_path / "some-more-0000000000000000" / "netlist.json")
    os.utime(old, (1, 1))
    assert newest("some", tmp_path) == new
    with pytest.raises(SystemExit, match="no netlist of other"):
        newest("other", tmp_path)
