"""block_ram_places: each block RAM to the site where its wires are shortest, all at once."""

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from block_ram_places import assign, sites_of, thin


def cell(kind: str, *nets: int | str, drives: int | None = None) -> dict[str, Any]:
    connections: dict[str, list[int | str]] = {"A": list(nets), "Q": [] if drives is None else [drives]}
    return {"type": kind, "attributes": {}, "connections": connections, "port_directions": {"A": "input", "Q": "output"}}


def placed(**bels: str) -> dict[str, Any]:
    kind = {True: "DP16KD", False: "TRELLIS_COMB"}
    return {"cells": {name: {"type": kind["EBR" in bel], "attributes": {"NEXTPNR_BEL": bel}} for name, bel in bels.items()}}


def test_block_rams_go_to_the_sites_beside_their_logic() -> None:
    module = {"cells": {"low": cell("DP16KD", 1), "high": cell("DP16KD", 2), "a": cell("LUT4", 1), "b": cell("LUT4", 2)}}
    first = placed(low="X10/Y90/EBR0", high="X10/Y10/EBR0", a="X12/Y8/SLICEA.COMB0", b="X12/Y92/SLICEA.COMB0")
    assert assign(first, module) == 8  # 2 across and 2 along, each
    assert module["cells"]["low"]["attributes"] == {"BEL": "X10/Y10/EBR0"}
    assert module["cells"]["high"]["attributes"] == {"BEL": "X10/Y90/EBR0"}


def test_all_are_given_out_at_once_and_not_each_to_the_site_it_likes_best() -> None:
    # Both like the site at X10 best; the second has another nearly as good, the first has not, and two nets.
    module = {
        "cells": {"second": cell("DP16KD", 2), "first": cell("DP16KD", 1, 3), "a": cell("LUT4", 1, 3), "b": cell("LUT4", 2)},
    }
    first = placed(second="X10/Y10/EBR0", first="X13/Y10/EBR1", a="X5/Y10/SLICEA.COMB0", b="X11/Y10/SLICEA.COMB0")
    assert assign(first, module) == 2 * 5 + 2
    assert module["cells"]["first"]["attributes"]["BEL"] == "X10/Y10/EBR0"


def test_a_net_that_leads_everywhere_and_one_without_logic_count_nothing() -> None:
    lights = {f"l{n}": cell("LUT4", 2) for n in range(500)}
    module = {"cells": {"one": cell("DP16KD", 1, "0", 2), "other": cell("DP16KD", 1, 2)} | lights}
    first = placed(one="X10/Y10/EBR0", other="X40/Y10/EBR1", **dict.fromkeys(lights, "X5/Y50/SLICEA.COMB0"))
    assert assign(first, module) == 0


def test_a_block_ram_that_was_not_placed_gets_a_free_site_in_the_rows_of_the_others() -> None:
    module = {"cells": {name: cell("DP16KD", net) for net, name in enumerate(("one", "two", "new"), 1)} | {"a": cell("LUT4", 3)}}
    first = placed(one="X4/Y22/EBR0", two="X6/Y46/EBR1", a="X6/Y20/SLICEA.COMB0")
    assert sites_of(["X4/Y22/EBR0", "X6/Y46/EBR1"]) == ["X4/Y22/EBR0", "X6/Y22/EBR1", "X4/Y46/EBR0", "X6/Y46/EBR1"]
    assert assign(first, module) == 2
    assert module["cells"]["new"]["attributes"]["BEL"] == "X6/Y22/EBR1"


def test_more_block_rams_than_sites_are_refused() -> None:
    module = {"cells": {name: cell("DP16KD", 1) for name in ("one", "two")}}
    with pytest.raises(ValueError, match="2 block RAMs, 1 sites"):
        assign(placed(one="X4/Y22/EBR0"), module)


def test_the_largest_memories_lose_their_parts_first_and_what_they_drove_is_constant() -> None:
    large = {f"large.0.{n}": cell("DP16KD", 1, drives=10 + n) for n in range(3)}
    module = {
        "cells": large | {"small.0.0": cell("DP16KD", 1, drives=20), "a": cell("LUT4", 10, 11, 12, 20)},
        "netnames": {"q": {"bits": [10, 11, 12, 20]}},
    }
    thin(module, 2)
    assert sorted(module["cells"]) == ["a", "large.0.0", "small.0.0"]
    assert module["cells"]["a"]["connections"]["A"] == [10, "0", "0", 20]
    assert module["netnames"]["q"]["bits"] == [10, "0", "0", 20]
