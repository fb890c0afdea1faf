"""block_ram_places: each block RAM to the site where its wires are shortest, all at once."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from block_ram_places import assign


def cell(kind: str, bel: str, *nets: int | str) -> dict[str, Any]:
    return {"type": kind, "attributes": {"NEXTPNR_BEL": bel}, "connections": {"A": list(nets)}}


def netlist(*names: str) -> dict[str, Any]:
    return {"cells": {name: {"attributes": {}} for name in names}}


def test_two_block_rams_that_stand_at_each_others_logic_change_places() -> None:
    cells = {
        "low": cell("DP16KD", "X10/Y90/EBR0", 1),
        "high": cell("DP16KD", "X10/Y10/EBR0", 2),
        "logic of low": cell("TRELLIS_COMB", "X12/Y8/SLICEA.COMB0", 1),
        "logic of high": cell("TRELLIS_COMB", "X12/Y92/SLICEA.COMB0", 2),
    }
    design = netlist("low", "high")
    # 2 tiles across, 82 along, each, before; 2 and 2 after.
    assert assign({"cells": cells}, design) == (168, 8)
    assert design["cells"]["low"]["attributes"] == {"BEL": "X10/Y10/EBR0"}
    assert design["cells"]["high"]["attributes"] == {"BEL": "X10/Y90/EBR0"}


def test_all_are_given_out_at_once_and_not_each_to_the_site_it_likes_best() -> None:
    # Both like site X10 best; the second has a site nearly as good, the first has none.
    cells = {
        "second": cell("DP16KD", "X10/Y10/EBR0", 2),
        "first": cell("DP16KD", "X13/Y10/EBR0", 1, 3),
        "logic of first": cell("TRELLIS_COMB", "X5/Y10/SLICEA.COMB0", 1, 3),
        "logic of second": cell("TRELLIS_COMB", "X11/Y10/SLICEA.COMB0", 2),
    }
    design = netlist("first", "second")
    # Before: 1 + 2 x 8. After: 2 + 2 x 5.
    assert assign({"cells": cells}, design) == (17, 12)
    assert design["cells"]["first"]["attributes"]["BEL"] == "X10/Y10/EBR0"


def test_a_net_without_logic_and_one_that_leads_everywhere_count_nothing() -> None:
    cells = {
        "one": cell("DP16KD", "X10/Y10/EBR0", 1, "0", 2),
        "other": cell("DP16KD", "X40/Y10/EBR0", 1, 2),
    } | {f"logic {n}": cell("TRELLIS_COMB", f"X{n % 60 + 1}/Y50/SLICEA.COMB0", 2) for n in range(500)}
    assert assign({"cells": cells}, netlist("one", "other")) == (0, 0)
