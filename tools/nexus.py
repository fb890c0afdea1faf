"""What place and route of a Nexus part needs besides that of ECP5: a wrapper with few pins, their places, a netlist nextpnr takes."""

from typing import Any

# All pins need a place. A clock pin, without which the clock does not reach its buffer; and three others of the same package.
PINS = {"clock": "E12", "scan_in": "F13", "scan_out": "G13"}


def constraints(clock: str) -> str:
    """The .pdc file of the wrapper."""
    ports = {clock if port == "clock" else port: site for port, site in PINS.items()}
    lines = [
        f"ldc_set_location -site {{{site}}} [get_ports {port}]\nldc_set_port -iobuf {{IO_TYPE=LVCMOS33}} [get_ports {port}]"
        for port, site in ports.items()
    ]
    return "\n".join(lines) + "\n"


def wrapper(top: str, ports: dict[str, Any], clock: str) -> str:
    """registered.v: the design between two chains of flip-flops.

    The design's inputs come out of a shift register; its outputs are stored and folded into another. So every port has a
    flip-flop at it, none is optimized away, and the part needs three pins.
    """
    inputs = [(name, len(port["bits"])) for name, port in ports.items() if port["direction"] == "input" and name != clock]
    outputs = [(name, len(port["bits"])) for name, port in ports.items() if port["direction"] == "output"]
    connections = [f".\\{clock} (\\{clock} )"]
    for members, vector in ((inputs, "driven"), (outputs, "found")):
        at = 0
        for name, width in members:
            connections.append(f".\\{name} ({vector}[{at + width - 1}:{at}])")
            at += width
    into, out = (sum(width for _, width in members) for members in (inputs, outputs))
    lines = [
        f"module registered(input \\{clock} , input scan_in, output scan_out);",
        f"  reg [{into}:0] driven;",
        f"  wire [{out - 1}:0] found;",
        f"  reg [{out - 1}:0] stored;",
        f"  reg [{out}:0] folded;",
        "  assign scan_out = folded[0];",
        f"  always @(posedge \\{clock} ) begin",
        f"    driven <= {{scan_in, driven[{into}:1]}};",
        "    stored <= found;",
        f"    folded <= {{1'b0, folded[{out}:1] ^ stored}};",
        "  end",
        f"  \\{top} design (",
        "    " + ",\n    ".join(connections),
        "  );",
        "endmodule",
    ]
    return "\n".join(lines) + "\n"


def mend_carries(module: dict[str, Any]) -> int:
    """Drops the constant carry input of chains that make their own carry (INIT0 is all ones), which nextpnr rejects; returns how many.

    A constant is written in the netlist as text, or as the wire of a cell that drives nothing else.
    """
    constants = {bit for cell in module["cells"].values() if cell["type"] in ("VLO", "VHI") for bit in cell["connections"]["Z"]}
    mended = 0
    for cell in module["cells"].values():
        if cell["type"] != "CCU2":
            continue
        carry = cell["connections"].get("CIN", [])
        if carry and (isinstance(carry[0], str) or carry[0] in constants) and _number(cell["parameters"].get("INIT0", "0")) == 0xFFFF:
            del cell["connections"]["CIN"]
            cell.get("port_directions", {}).pop("CIN", None)
            mended += 1
    return mended


def _number(text: str) -> int:
    """A parameter of a netlist: bits, or as yosys writes what it does not know the width of, 0x and digits."""
    return int(text, 16) if text.startswith("0x") else int(text, 2)
