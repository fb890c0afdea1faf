"""Where block RAMs go, for a part that is nearly full of them.

nextpnr's static placer puts block RAMs on their sites one after the other; where few sites are left, the last ones land far from their
logic, and all wires grow with it: of itch_trader_10g, which has 195 of 208 sites, from 324,000 to 550,000 units. So the design is placed
twice. The second time each block RAM has a site of the first: all of them are given out at once, so that the wires to the logic that was
placed are shortest (the assignment problem).
"""

import re
from collections import defaultdict
from typing import Any, NamedTuple

from scipy.optimize import linear_sum_assignment

BLOCK_RAM = "DP16KD"
BEL = "NEXTPNR_BEL"
# A net of more cells leads everywhere, wherever the block RAM is.
MOST_CELLS = 400


class Place(NamedTuple):
    """A tile."""

    x: int
    y: int


class Box(NamedTuple):
    """The bounding box of a net's logic; it counts less for each of several block RAMs, which will stand beside each other."""

    left: int
    right: int
    bottom: int
    top: int
    weight: float

    def distance(self, place: Place) -> float:
        across = max(0, self.left - place.x, place.x - self.right)
        along = max(0, self.bottom - place.y, place.y - self.top)
        return self.weight * (across + along)


def tile(bel: str) -> Place:
    """Of a name like X46/Y46/EBR3."""
    found = re.match(r"X(\d+)/Y(\d+)/", bel)
    if found is None:
        raise ValueError(f"{bel} is no place")
    return Place(int(found[1]), int(found[2]))


def boxes(cells: dict[str, Any], rams: set[str]) -> dict[str, list[Box]]:
    """What each block RAM is connected to, a box a net."""
    nets: dict[int, set[str]] = defaultdict(set)
    for name, cell in cells.items():
        for bits in cell["connections"].values():
            for bit in bits:
                if isinstance(bit, int):
                    nets[bit].add(name)
    found: dict[str, list[Box]] = defaultdict(list)
    for names in nets.values():
        own = names & rams
        places = [tile(cells[name]["attributes"][BEL]) for name in names - rams if BEL in cells[name]["attributes"]]
        if own and places and len(names) <= MOST_CELLS:
            xs, ys = [place.x for place in places], [place.y for place in places]
            box = Box(min(xs), max(xs), min(ys), max(ys), len(own) ** -0.5)
            for name in own:
                found[name].append(box)
    return found


def assign(placed: dict[str, Any], netlist: dict[str, Any]) -> tuple[float, float]:
    """Gives block RAMs of the netlist's module the sites of the placed module; the wire that they need before and after, in tiles."""
    cells = placed["cells"]
    rams = [name for name, cell in cells.items() if cell["type"] == BLOCK_RAM]
    sites = [cells[name]["attributes"][BEL] for name in rams]
    nets = boxes(cells, set(rams))
    places = [tile(site) for site in sites]
    costs = [[sum(box.distance(place) for box in nets[name]) for place in places] for name in rams]
    _, chosen = linear_sum_assignment(costs)
    for name, site in zip(rams, chosen, strict=True):
        netlist["cells"][name]["attributes"]["BEL"] = sites[site]
    return sum(costs[i][i] for i in range(len(rams))), sum(row[site] for row, site in zip(costs, chosen, strict=True))
