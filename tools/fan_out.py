"""Gives a net that drives many cells several drivers, each near its share of them, as other flows do: nextpnr has no such step, and a
flip-flop with 200 readers all over a part is 7 ns away from some of them, whatever else the path holds.

The driver, a LUT or a flip-flop (with the LUT that feeds only it), is copied; its readers are distinguished by the names of the flip-flops
and memories they are or lead to, so that a copy serves neighbours. What the netlist does is the same: copies have the same inputs.
"""

from collections import defaultdict
from typing import Any

from block_ram_registers import Bit, Module

Pin = tuple[str, str, int]  # cell, port, index

COMBINATIONAL = ("LUT4", "CCU2C", "PFUMX", "L6MUX21")
MUX_DATA = ("ALUT", "BLUT", "D0", "D1")
# Above the first, a net is shared out, into parts of at most the second. Above the last it is a reset, which is not urgent.
SHARED_FROM, SHARE, RESET_FROM = 40, 24, 2000
# With so many LUTs, carries counted as two, the largest part is four fifths full: copies would take the places that are left. There so many
# times more readers are many.
SCARCE_FROM, SCARCE = 68_000, 3


class Netlist:
    def __init__(self, module: Module) -> None:
        self.cells: dict[str, dict[str, Any]] = module["cells"]
        self.driver: dict[Bit, tuple[str, str]] = {}
        self.readers: dict[Bit, list[Pin]] = defaultdict(list)
        self.places: dict[str, str] = {}
        for name, cell in self.cells.items():
            for port, bits in cell["connections"].items():
                for index, bit in enumerate(bits):
                    if cell["port_directions"][port] == "output":
                        self.driver[bit] = (name, port)
                    elif isinstance(bit, int):
                        self.readers[bit].append((name, port, index))
        self.ports = {bit for port in module["ports"].values() for bit in port["bits"]}
        used = [bit for net in module["netnames"].values() for bit in net["bits"] if isinstance(bit, int)]
        luts = sum({"LUT4": 1, "CCU2C": 2}.get(cell["type"], 0) for cell in self.cells.values())
        self.scarce = SCARCE if luts >= SCARCE_FROM else 1
        self.next_bit = max([*self.readers, *self.driver, *self.ports, *used], key=lambda bit: bit if isinstance(bit, int) else 0)

    def new_bit(self) -> int:
        assert isinstance(self.next_bit, int)
        self.next_bit += 1
        return self.next_bit

    def place(self, wanted: str) -> str:
        """Where a cell will be: the name of a flip-flop or memory that it is, or the middle one of those it leads to."""
        stack = [wanted]
        while stack:
            name = stack[-1]
            cell = self.cells[name]
            if cell["type"] not in COMBINATIONAL:
                self.places[name] = name
            if self.places.get(name):
                stack.pop()
                continue
            outputs = [bit for port, bits in cell["connections"].items() if cell["port_directions"][port] == "output" for bit in bits]
            behind = list(dict.fromkeys(reader for bit in outputs for reader, _, _ in self.readers[bit]))
            if name not in self.places:
                self.places[name] = ""  # being looked at: a loop counts as broken where it is met
                missing = [reader for reader in behind if reader not in self.places]
                if missing:
                    stack.extend(missing)
                    continue
            found = sorted(self.places[reader] for reader in behind if self.places.get(reader))
            self.places[name] = found[len(found) // 2] if found else name
        return self.places[wanted]

    def copied(self, name: str, port: str, number: int) -> int:
        """A copy of a cell, on the same inputs; returns the net it drives."""
        cell = self.cells[name]
        connections = {pin: list(bits) for pin, bits in cell["connections"].items()}
        copy = cell | {"connections": connections, "attributes": dict(cell["attributes"])}
        copy_name = f"{name}$copy{number}"
        connections[port] = [self.new_bit()]
        if cell["type"] == "TRELLIS_FF":
            # nextpnr puts a LUT beside the flip-flop it feeds, if it feeds no other.
            source, output = self.driver.get(connections["DI"][0], ("", ""))
            if source and self.cells[source]["type"] == "LUT4" and len(self.readers[connections["DI"][0]]) == 1:
                connections["DI"] = [self.copied(source, output, number)]
        for pin, bits in connections.items():
            for index, bit in enumerate(bits):
                if cell["port_directions"][pin] != "output" and isinstance(bit, int):
                    self.readers[bit].append((copy_name, pin, index))
        self.cells[copy_name] = copy
        bit = connections[port][0]
        self.driver[bit] = (copy_name, port)
        return bit

    def share_out(self, bit: Bit) -> None:
        """Copies the driver of a net and shares its readers out among the copies."""
        name, port = self.driver[bit]
        readers = sorted(self.readers[bit], key=lambda pin: (self.place(pin[0]), pin))
        parts = -(-len(readers) // (SHARE * self.scarce))
        bounds = [len(readers) * part // parts for part in range(parts + 1)]
        self.readers[bit] = readers[: bounds[1]]
        for part in range(1, parts):
            copy = self.copied(name, port, part)
            for reader, pin, index in readers[bounds[part] : bounds[part + 1]]:
                self.cells[reader]["connections"][pin][index] = copy
                self.readers[copy].append((reader, pin, index))


def share_out(module: Module) -> int:
    """Shares out every net of a netlist with many readers; returns how many cells were copied for it."""
    netlist = Netlist(module)
    before = len(netlist.cells)
    # Flip-flops first: their copies add readers to what feeds them.
    for kind in ("TRELLIS_FF", "LUT4"):
        many = [bit for bit, readers in netlist.readers.items() if SHARED_FROM * netlist.scarce < len(readers) < RESET_FROM]
        for bit in sorted(many, key=lambda bit: -len(netlist.readers[bit])):
            name, _ = netlist.driver.get(bit, ("", ""))
            # A LUT before a slice's own multiplexer has its place there.
            fixed = any(port in MUX_DATA for _, port, _ in netlist.readers[bit])
            if name and netlist.cells[name]["type"] == kind and bit not in netlist.ports and not fixed:
                netlist.share_out(bit)
    return len(netlist.cells) - before
