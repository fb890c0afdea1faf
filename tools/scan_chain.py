"""The module that a design is placed in: a flip-flop at each of its ports, and three pins in all, whatever the part has."""

from typing import Any


def folded(level: int) -> str:
    """What the outputs are in after so many foldings."""
    return f"folded{level}" if level else "stored"


def folding(level: int, widths: list[int]) -> list[str]:
    """One of them: a flip-flop has the parity of four of the level before."""
    ends = [(4 * at, min(4 * at + 4, widths[level - 1]) - 1) for at in range(widths[level])]
    return [f"{folded(level)}[{at}] <= ^{folded(level - 1)}[{high}:{low}];" for at, (low, high) in enumerate(ends)]


def wrapper(top: str, ports: dict[str, Any], clock: str) -> str:
    """registered.v: the design between two chains of flip-flops.

    The design's inputs come out of a shift register; its outputs are stored, and folded four to one until one is left. So every port has a
    flip-flop at it, none is optimized away, and the part needs three pins. They are not folded into a shift register too: where a
    core leaves a thousand outputs constant, yosys takes its constant end apart flip-flop by flip-flop, seconds each.
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
    widths = [out]
    while widths[-1] > 1:
        widths.append((widths[-1] + 3) // 4)
    levels = range(1, len(widths))
    lines = [
        f"module registered(input \\{clock} , input scan_in, output scan_out);",
        f"  reg [{into}:0] driven;",
        f"  wire [{out - 1}:0] found;",
        f"  reg [{out - 1}:0] stored;",
        *(f"  reg [{widths[level] - 1}:0] {folded(level)};" for level in levels),
        f"  assign scan_out = {folded(len(widths) - 1)}[0];",
        f"  always @(posedge \\{clock} ) begin",
        f"    driven <= {{scan_in, driven[{into}:1]}};",
        "    stored <= found;",
        *(f"    {line}" for level in levels for line in folding(level, widths)),
        "  end",
        f"  \\{top} \\design (",
        "    " + ",\n    ".join(connections),
        "  );",
        "endmodule",
    ]
    return "\n".join(lines) + "\n"
