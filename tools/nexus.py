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
