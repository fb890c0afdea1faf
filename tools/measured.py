"""What `make bench`, `make pnr` and `make test` left in out/."""

import json
import time
from pathlib import Path
from typing import Any

from placed import RECORD
from placed import load as load_placed


class Measured:
    """The files below out/, by name, and values in them by path."""

    def __init__(self, out: Path, record: Path = RECORD) -> None:
        self.out = out
        self.placed = load_placed(record)
        self.files: dict[str, Any] = {}

    def file(self, name: str) -> Any:
        """The content of out/NAME.json; of a design that was not placed here, its record; none if it is absent or no JSON."""
        if name not in self.files:
            try:
                self.files[name] = json.loads((self.out / f"{name}.json").read_text())
            except (OSError, ValueError):
                folder, _, design = name.partition("/")
                self.files[name] = self.placed.get(design) if folder == "pnr" else None
        return self.files[name]

    def get(self, name: str, path: str = "") -> Any:
        """The value at `a.b.0.c` in a file; none if any part of it is absent."""
        value = self.file(name)
        for part in path.split(".") if path else []:
            if isinstance(value, list) and part.isdigit() and int(part) < len(value):
                value = value[int(part)]
            elif isinstance(value, dict):
                value = value.get(part)
            else:
                return None
        return value

    def clock(self, design: str) -> float | None:
        """The slowest clock of a design's seeds, in MHz."""
        clocks = self.get(f"pnr/{design}", "fmax_mhz")
        return min(clocks) if clocks else None

    def nanoseconds(self, design: str, cycles: float | None) -> float | None:
        """Cycles at the design's clock."""
        clock = self.clock(design)
        return None if clock is None or cycles is None else round(cycles * 1000 / clock, 2)

    def when(self, name: str) -> str:
        """The day on which a file was written."""
        path = self.out / f"{name}.json"
        return time.strftime("%Y-%m-%d", time.gmtime(path.stat().st_mtime)) if path.exists() else "-"
