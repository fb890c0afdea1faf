"""Moves the flip-flops after a block RAM into it: the ECP5's DP16KD has an output register of its own, which yosys leaves unused.

Without it the data is there 5.8 ns (speed grade 6) after the clock, with it in a fraction of that. A port's register is used where every
bit that is used at all feeds one flip-flop and nothing else, all on the RAM's clock, never reset, and enabled always or all by the same
net: that becomes the port's OCE, which holds the register and nothing else of the RAM.

A register in a block RAM is placed with it, and is 0.4 ns slower than a flip-flop: where there is no time for that, RTL says
so by the attributes `keep`, without which yosys may drop the name, and `outside_memory` on the register.
"""

from collections import defaultdict
from typing import Any

Module = dict[str, Any]
Bit = int | str


def users_of(module: Module) -> dict[Bit, list[tuple[str, str]]]:
    """The readers of each net: cells with the pin, and the module's own outputs."""
    users: dict[Bit, list[tuple[str, str]]] = defaultdict(list)
    for name, cell in module["cells"].items():
        for pin, bits in cell["connections"].items():
            if cell["port_directions"].get(pin) != "output":
                for bit in bits:
                    users[bit].append((name, pin))
    for name, port in module["ports"].items():
        if port["direction"] == "output":
            for bit in port["bits"]:
                users[bit].append(("", name))
    return users


def is_plain(cell: dict[str, Any], clock: list[Bit]) -> bool:
    """A flip-flop on this clock, never reset."""
    parameters, connections = cell["parameters"], cell["connections"]
    return (
        cell["type"] == "TRELLIS_FF"
        and connections["CLK"] == clock
        and parameters.get("CLKMUX") == "CLK"
        and connections.get("LSR", ["0"]) == ["0"]
    )


def enable_of(cell: dict[str, Any]) -> tuple[Bit, bool]:
    """The net that enables a flip-flop, and whether it does so when low."""
    polarity = cell["parameters"].get("CEMUX", "CE").strip()
    return ("1", False) if polarity == "1" else (cell["connections"]["CE"][0], polarity == "INV")


def outside(module: Module) -> set[Bit]:
    """The nets of registers that RTL wants outside."""
    named = module.get("netnames", {}).values()
    return {bit for net in named if "outside_memory" in net["attributes"] for bit in net["bits"]}


def pack(module: Module) -> int:
    """Uses the output registers of a netlist's block RAMs in place of flip-flops; returns how many of these went."""
    users = users_of(module)
    cells = module["cells"]
    kept_outside = outside(module)
    packed = 0
    for ram in [cell for cell in cells.values() if cell["type"] == "DP16KD"]:
        connections, parameters = ram["connections"], ram["parameters"]
        # At 36 bits both ports' outputs are one word's.
        wide = int(parameters["DATA_WIDTH_B"], 2) == 36
        for ports in ["AB"] if wide else ["A", "B"]:
            pins = {pin: users[bits[0]] for port in ports for pin, bits in connections.items() if pin.startswith(f"DO{port}")}
            used = {pin: readers[0] for pin, readers in pins.items() if readers}
            single = all(len(readers) <= 1 for readers in pins.values())
            clock = connections[f"CLK{ports[0]}"]
            if not used or not single or any(connections[f"CLK{port}"] != clock for port in ports):
                continue
            if not all(pin == "DI" and is_plain(cells[name], clock) for name, pin in used.values()):
                continue
            enables = {enable_of(cells[name]) for name, _ in used.values()}
            if len(enables) > 1 or any(cells[name]["connections"]["Q"][0] in kept_outside for name, _ in used.values()):
                continue
            (enable, inverted) = enables.pop()
            # At 36 bits it is port B's that counts.
            connections[f"OCE{ports[-1]}"] = [enable]
            if inverted:
                parameters[f"OCE{ports[-1]}MUX"] = "INV"
            for pin, (name, _) in used.items():
                connections[pin] = cells.pop(name)["connections"]["Q"]
            for port in ports:
                parameters[f"REGMODE_{port}"] = "OUTREG"
            packed += len(used)
    return packed
