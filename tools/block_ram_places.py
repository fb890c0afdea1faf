"""Where block RAMs go, for a part that is nearly full of them.

nextpnr's static placer puts block RAMs on their sites one after the other; where few sites are left, the last ones land far from their
logic, and all wires grow with it: of itch_trader_10g, which has 195 of 208 sites, from 324,000 to 550,000 units. So the design is placed
twice. The first time without some of its block RAMs (`thin`), so that logic lies as it would like to. The second time each block RAM has a
site: all of them are given out at once, so that the wires to the logic that was placed are shortest (`assign`, the assignment problem).
"""

import re
from collections import Counter, defaultdict
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


def memory_of(name: str) -> str:
    """The memory that a block RAM is a part of: its name without the numbers at its end."""
    return re.sub(r"[.\d]+$", "", name)


def rams_of(module: dict[str, Any]) -> list[str]:
    return [name for name, cell in module["cells"].items() if cell["type"] == BLOCK_RAM]


def thin(module: dict[str, Any], most: int) -> None:
    """Takes block RAMs out until there are so many, out of the largest memories: what is left of one stands for all of it."""
    cells = module["cells"]
    parts: dict[str, list[str]] = defaultdict(list)
    for name in rams_of(module):
        parts[memory_of(name)].append(name)
    left = Counter({memory: len(names) for memory, names in parts.items()})
    gone: set[int] = set()
    while left.total() > most:
        memory, _ = left.most_common(1)[0]
        left[memory] -= 1
        cell = cells.pop(parts[memory].pop())
        for port, bits in cell["connections"].items():
            if cell["port_directions"][port] == "output":
                gone.update(bit for bit in bits if isinstance(bit, int))
    for cell in cells.values():
        for port, bits in cell["connections"].items():
            cell["connections"][port] = ["0" if bit in gone else bit for bit in bits]
    for net in module["netnames"].values():
        net["bits"] = ["0" if bit in gone else bit for bit in net["bits"]]


def sites_of(bels: list[str]) -> list[str]:
    """All sites of the part, from those that are used: its rows of block RAMs have the same columns."""
    columns = {tile(bel).x: bel.rsplit("/", 1)[1] for bel in bels}
    rows = {tile(bel).y for bel in bels}
    return [f"X{x}/Y{y}/{columns[x]}" for y in sorted(rows) for x in sorted(columns)]


def boxes(module: dict[str, Any], places: dict[str, Place]) -> dict[str, list[Box]]:
    """What each block RAM is connected to, a box a net."""
    nets: dict[int, set[str]] = defaultdict(set)
    for name, cell in module["cells"].items():
        for bits in cell["connections"].values():
            for bit in bits:
                if isinstance(bit, int):
                    nets[bit].add(name)
    rams = set(rams_of(module))
    found: dict[str, list[Box]] = defaultdict(list)
    for names in nets.values():
        own = names & rams
        ends = [places[name] for name in names - rams if name in places]
        if own and ends and len(names) <= MOST_CELLS:
            xs, ys = [place.x for place in ends], [place.y for place in ends]
            box = Box(min(xs), max(xs), min(ys), max(ys), len(own) ** -0.5)
            for name in own:
                found[name].append(box)
    return found


def assign(placed: dict[str, Any], module: dict[str, Any]) -> float:
    """Gives all block RAMs of a module a site, by a placement of its logic; the wire that they need, in tiles."""
    bels = {name: cell["attributes"][BEL] for name, cell in placed["cells"].items() if BEL in cell["attributes"]}
    used = [bels[name] for name in rams_of(placed)]
    nets = boxes(module, {name: tile(bel) for name, bel in bels.items()})
    rams, sites = rams_of(module), sites_of(used)
    if len(rams) > len(sites):
        raise ValueError(f"{len(rams)} block RAMs, {len(sites)} sites found")
    places = [tile(site) for site in sites]
    costs = [[sum(box.distance(place) for box in nets[name]) for place in places] for name in rams]
    rows, chosen = linear_sum_assignment(costs)
    for row, site in zip(rows, chosen, strict=True):
        module["cells"][rams[row]]["attributes"]["BEL"] = sites[site]
    return sum(costs[row][site] for row, site in zip(rows, chosen, strict=True))
