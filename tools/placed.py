#!/usr/bin/env python3
"""rtl/placed.json: what place and route reached, by design, at which revision and with which seeds.

`tools/pnr.py` records each design it has placed. The file is committed, so that every table, the report and the demo state nanoseconds at a
clock that was reached, also where nothing was placed. `placed.py FILE...` records results of out/pnr/.
"""

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "rtl" / "placed.json"
KEPT = (
    "device",
    "target_mhz",
    "fmax_mhz",
    "minutes",
    "seeds",
    "lut4",
    "carry",
    "distributed_ram",
    "ff",
    "ebr",
    "dsp",
    "stages",
    "met",
    "date",
    "revision",
)


def load(path: Path = RECORD) -> dict[str, dict[str, Any]]:
    """The record by design; empty if there is none."""
    try:
        content = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def record(result: dict[str, Any], path: Path = RECORD) -> None:
    """Puts a result of out/pnr/ in the place of the design's last one."""
    entry = {key: result[key] for key in KEPT if result.get(key) is not None}
    path.write_text(json.dumps(dict(sorted((load(path) | {result["name"]: entry}).items())), indent=2) + "\n")


def main() -> int:
    for name in sys.argv[1:]:
        record(json.loads(Path(name).read_text()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
