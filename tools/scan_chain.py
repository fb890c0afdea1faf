"""The module that a design is placed in: a flip-flop at each of its ports, and three pins in all, whatever the part has."""

from typing import Any


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
        f"  \\{top} \\design (",
        "    " + ",\n    ".join(connections),
        "  );",
        "endmodule",
    ]
    return "\n".join(lines) + "\n"
