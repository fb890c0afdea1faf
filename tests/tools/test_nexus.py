"""tools/nexus.py: the netlist that nextpnr-nexus takes."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import nexus


def carry(carry_in: list[Any], init: str = "0xFFFF") -> dict[str, Any]:
    return {
        "type": "CCU2",
        "parameters": {"INIT0": init},
        "port_directions": {"CIN": "input"},
        "connections": {"CIN": carry_in},
    }


def test_a_constant_carry_input_is_dropped_however_the_netlist_writes_it() -> None:
    low = {"type": "VLO", "connections": {"Z": [7]}, "port_directions": {"Z": "output"}}
    cells = {"low": low, "text": carry(["0"]), "wire": carry([7]), "chain": carry([8])}
    assert nexus.mend_carries({"cells": cells}) == 2
    assert "CIN" not in cells["text"]["connections"]
    assert "CIN" not in cells["wire"]["connections"]
    assert cells["chain"]["connections"]["CIN"] == [8]


def test_a_constant_that_the_chain_uses_stays() -> None:
    cells = {"used": carry(["1"], init="0x00AA")}
    assert nexus.mend_carries({"cells": cells}) == 0
    assert cells["used"]["connections"]["CIN"] == ["1"]
