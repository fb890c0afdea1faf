"""Where a netlist's slow paths will be, estimated without placing it: seconds instead of many minutes.

Each cell has a delay, each wire one that grows with what it drives: the constants below, by nextpnr's results for the cores on speed
grade 8. It is good for the order of the paths, and for what they lead through; a figure is about a tenth off where the placer has room.
"""

import json
import math
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# ns on speed grade 8; grade 6 is SLOWER times as slow.
FLIP_FLOP, LUT, MUX, CARRY_IN, CARRY, CARRY_OUT = 0.35, 0.18, 0.1, 0.35, 0.05, 0.4
BLOCK_RAM, BLOCK_RAM_REGISTERED, MULTIPLIER, CONTROL = 4.3, 0.7, 2.0, 0.2
WIRE, WIRE_BY_FAN_OUT, WIRE_INSIDE = 0.45, 0.13, 0.05
SLOWER = {"25k": 1.3, "45k": 1.3, "85k-6": 1.3, "85k": 1.0, "um5g-85k": 1.0}

SOURCES = ("TRELLIS_FF", "DP16KD", "PDPW16KD", "MULT18X18D")
CLOCKS = ("CLK", "CLKA", "CLKB", "WCK")
CONTROLS = ("CE", "LSR", "CEA", "CEB", "OCEA", "OCEB", "WRE")


@dataclass(frozen=True)
class Group:
    """Paths from one module to another: how many are slow, and the slowest, its nets from the start with what each drives."""

    source: str
    sink: str
    ns: float
    count: int
    nets: list[tuple[str, int]]


class Netlist:
    def __init__(self, module: dict[str, Any], device: str) -> None:
        self.cells: dict[str, dict[str, Any]] = module["cells"]
        self.scale = SLOWER[device]
        self.names: dict[int, str] = {}
        for name, net in module["netnames"].items():
            for index, bit in enumerate(net["bits"]):
                if isinstance(bit, int) and (bit not in self.names or len(name) < len(self.names[bit])):
                    self.names[bit] = f"{name}[{index}]" if len(net["bits"]) > 1 else name
        self.driver: dict[int, tuple[str, str]] = {}
        self.fan_out: Counter[int] = Counter()
        for name, cell in self.cells.items():
            for port, bits in cell["connections"].items():
                for bit in bits:
                    if isinstance(bit, int):
                        if cell["port_directions"][port] == "output":
                            self.driver[bit] = (name, port)
                        else:
                            self.fan_out[bit] += 1
        self.carries = {bit for bit, (_, port) in self.driver.items() if port == "COUT"}
        self.arrival: dict[int, float] = {}
        self.before: dict[int, int | None] = {}

    def wire(self, bit: int) -> float:
        return self.scale * (WIRE + WIRE_BY_FAN_OUT * math.log2(self.fan_out[bit] + 1))

    def carry_detour(self, bit: int) -> float:
        """A chain of carries leaves its column and comes in again where it begins with a net, or a carry is wanted elsewhere too."""
        if bit not in self.carries:
            return self.wire(bit) + CARRY_IN * self.scale
        return 0.0 if self.fan_out[bit] == 1 else self.wire(bit) + (CARRY_OUT + CARRY_IN) * self.scale

    def start(self, cell: dict[str, Any]) -> float:
        """When the output of a cell with a clock is there."""
        if cell["type"] == "TRELLIS_FF":
            return FLIP_FLOP * self.scale
        if cell["type"] == "MULT18X18D":
            return MULTIPLIER * self.scale
        registered = "OUTREG" in (cell["parameters"].get("REGMODE_A"), cell["parameters"].get("REGMODE_B"))
        return (BLOCK_RAM_REGISTERED if registered else BLOCK_RAM) * self.scale

    def inputs(self, cell: dict[str, Any], output: str) -> list[tuple[int, float]]:
        """What a cell without a clock waits for: net, and from its arrival to the output."""
        kind = cell["type"]
        found = []
        for port, bits in cell["connections"].items():
            if cell["port_directions"][port] != "input" or (kind == "TRELLIS_DPR16X4" and port != "RAD"):
                continue
            for bit in bits:
                if not isinstance(bit, int):
                    continue
                if kind in ("PFUMX", "L6MUX21"):
                    delay = WIRE_INSIDE + MUX
                elif kind == "CCU2C" and port == "CIN":
                    delay = (CARRY if output == "COUT" else CARRY_IN) * self.scale + self.carry_detour(bit)
                elif kind == "CCU2C":
                    delay = self.wire(bit) + (CARRY_IN if output == "COUT" else CARRY_OUT) * self.scale
                else:
                    delay = self.wire(bit) + LUT * self.scale + (CARRY_OUT * self.scale if bit in self.carries else 0.0)
                found.append((bit, delay))
        return found

    def arrive(self, wanted: int) -> float:
        """When a net is there, ns after the clock edge; a loop counts as broken where it is met."""
        stack = [wanted]
        while stack:
            bit = stack[-1]
            if bit in self.arrival and self.arrival[bit] >= 0:
                stack.pop()
                continue
            cell = self.cells[self.driver[bit][0]] if bit in self.driver else None
            if cell is None or cell["type"] in SOURCES:
                self.arrival[bit] = 0.0 if cell is None else self.start(cell)
                self.before[bit] = None
                continue
            inputs = self.inputs(cell, self.driver[bit][1])
            if bit not in self.arrival:
                self.arrival[bit] = -1.0  # being looked at
                missing = [source for source, _ in inputs if source not in self.arrival]
                if missing:
                    stack.extend(missing)
                    continue
            best, source = max(((self.arrival[source] + delay, source) for source, delay in inputs), default=(0.0, None))
            self.arrival[bit], self.before[bit] = max(best, 0.0), source
        return self.arrival[wanted]

    def path(self, bit: int | None) -> list[int]:
        nets: list[int] = []
        while bit is not None and bit not in nets:
            nets.append(bit)
            bit = self.before[bit]
        return nets[::-1]


def module_of(cell: str) -> str:
    """Without its last name, and with the members of an array as one."""
    return re.sub(r"\[\d+\]", "[]", ".".join(part for part in cell.split(".")[:-1] if part != "design")) or "(top)"


def slow_paths(netlist: Path, device: str, limit: float) -> list[Group]:
    """Groups of paths slower than `limit` ns, the slowest first."""
    modules = json.loads(netlist.read_text())["modules"]
    design = Netlist(max(modules.values(), key=lambda module: len(module.get("cells", {}))), device)
    ends: dict[tuple[str, str], list[tuple[float, int]]] = {}
    for name, cell in design.cells.items():
        if cell["type"] not in (*SOURCES, "TRELLIS_DPR16X4"):
            continue
        for port, bits in cell["connections"].items():
            if cell["port_directions"][port] != "input" or port in CLOCKS or (cell["type"] == "TRELLIS_DPR16X4" and port == "RAD"):
                continue
            for bit in bits:
                if not isinstance(bit, int):
                    continue
                # A flip-flop is beside the LUT that drives it.
                wire = 0.0 if port == "DI" and cell["type"] == "TRELLIS_FF" else design.wire(bit)
                ns = design.arrive(bit) + wire + (CONTROL if port in CONTROLS else 0.0)
                if ns > limit:
                    first = design.path(bit)[0]
                    source = module_of(design.driver[first][0]) if first in design.driver else "(ports)"
                    ends.setdefault((source, module_of(name)), []).append((ns, bit))
    groups = []
    for (source, sink), found in ends.items():
        ns, bit = max(found)
        nets = [(re.sub(r"^.*\.", "", design.names.get(net, "?")), design.fan_out[net]) for net in design.path(bit)]
        groups.append(Group(source, sink, ns, len(found), nets))
    return sorted(groups, key=lambda group: -group.ns)


def show(groups: list[Group], limit: float, most: int = 40) -> None:
    count = sum(group.count for group in groups)
    print(f"  estimated, not placed: {count} paths over {limit:.1f} ns, by the modules they start and end in")
    for group in groups[:most]:
        print(f"  {group.ns:6.2f} ns  {group.count:5}  {group.source} -> {group.sink}")
        print(f"                    {' > '.join(f'{name}({fan_out})' for name, fan_out in group.nets)[:400]}")
    if len(groups) > most:
        print(f"  and {len(groups) - most} pairs of modules more")
