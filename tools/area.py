#!/usr/bin/env python3
"""Which modules a design's LUTs are in: of the newest netlist that tools/pnr.py made of it.

A LUT belongs to the module whose name it has; where the mapper merged logic of two, that is one of both. Counted as in pnr.py: a cell of a
carry chain is two LUTs, one of distributed RAM six.
"""

import argparse
import json
import re
import sys
from collections import Counter
from pathlib import Path

BUILD = Path(__file__).resolve().parents[1] / "build" / "pnr"
SIZES = {"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 6}
FLIP_FLOPS = ("TRELLIS_FF", "FD1P3BX", "FD1P3DX", "FD1P3IX", "FD1P3JX")
BLOCK_RAMS = ("DP16KD", "PDPW16KD", "PDPSC16K", "PDP16K", "DP16K")


def newest(design: str, build: Path = BUILD) -> Path:
    """The netlist, or the program ends with what to do."""
    found = [path for path in build.glob(f"{design}-*/netlist.json") if re.fullmatch(rf"{design}-[0-9a-f]{{16}}", path.parent.name)]
    if not found:
        raise SystemExit(f"no netlist of {design} in {build.name}: make pnr DESIGN={design} first")
    return max(found, key=lambda path: path.stat().st_mtime)


def by_module(netlist: Path, depth: int) -> Counter[str]:
    """LUTs of each module, at most so many names deep."""
    modules = json.loads(netlist.read_text())["modules"]
    cells = max((module.get("cells", {}) for module in modules.values()), key=len)
    luts: Counter[str] = Counter()
    for name, cell in cells.items():
        if size := SIZES.get(cell["type"]):
            names = name.replace("\\", "").removeprefix("design.").split(".")[:-1]
            luts[".".join(names[:depth]) or "(top)"] += size
    return luts


def by_stage(netlist: Path, depth: int = 3, least: float = 0.02) -> dict[str, dict[str, int]]:
    """The modules of a core that have at least this share of its LUTs, a stage before its parts: LUT4, flip-flops and block RAMs, those of
    their own parts included. What is in the top itself is `(top)`."""
    modules = json.loads(netlist.read_text())["modules"]
    cells = max((module.get("cells", {}) for module in modules.values()), key=len)
    stages: dict[str, Counter[str]] = {}
    for name, cell in cells.items():
        names = name.replace("\\", "").removeprefix("design.").removeprefix("core.").split(".")[:-1] or ["(top)"]
        for end in range(1, min(depth, len(names)) + 1):
            stage = stages.setdefault(".".join(names[:end]), Counter())
            stage["lut4"] += SIZES.get(cell["type"], 0)
            stage["ff"] += cell["type"] in FLIP_FLOPS
            stage["ebr"] += cell["type"] in BLOCK_RAMS
    total = sum(stage["lut4"] for name, stage in stages.items() if "." not in name)
    kept = {name: {kind: stage[kind] for kind in ("lut4", "ff", "ebr")} for name, stage in stages.items() if stage["lut4"] >= least * total}

    def order(name: str) -> list[tuple[int, str]]:
        parts = name.split(".")
        return [(-kept[".".join(parts[:end])]["lut4"], parts[end - 1]) for end in range(1, len(parts) + 1)]

    return {name: kept[name] for name in sorted(kept, key=order)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("design", help="a preset or a block, as tools/pnr.py --design takes it")
    parser.add_argument("--depth", type=int, default=3, help="names of modules within each other; default: 3")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    luts = by_module(newest(arguments.design), arguments.depth)
    if arguments.json:
        print(json.dumps(dict(luts.most_common()), indent=2))
        return 0
    total = sum(luts.values())
    print(f"{total:6} LUTs")
    for module, count in luts.most_common():
        print(f"{count:6} {100 * count / total:5.1f} %  {module}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
