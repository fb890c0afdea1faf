"""What `make bench`, `make pnr` and `make test` left in out/, and before that in docs/reference/figures/, which is kept in the tree."""

import json
import time
from pathlib import Path
from typing import Any

from placed import RECORD
from placed import load as load_placed

# Measurements that are kept: what the page of figures was made from.
KEPT = Path(__file__).resolve().parents[1] / "docs" / "reference" / "figures"


class Measured:
    """The files below out/, by name, and values in them by path. One that is not there is taken from what is kept."""

    def __init__(self, out: Path, record: Path = RECORD, kept: Path = KEPT) -> None:
        self.out = out
        self.kept = kept
        self.placed = load_placed(record)
        self.files: dict[str, Any] = {}

    def file(self, name: str) -> Any:
        """The content of out/NAME.json, or else what is kept of it; of a design that was not placed here, its record; none if it is absent
        or no JSON."""
        if name not in self.files:
            self.files[name] = self.read(name)
        return self.files[name]

    def read(self, name: str) -> Any:
        folder, _, design = name.rpartition("/")
        # A design and a measurement may have one name: of a design there is rtl/placed.json.
        kept = [] if folder == "pnr" else [self.kept / f"{design}.json"]
        for path in (self.out / f"{name}.json", *kept):
            try:
                return json.loads(path.read_text())
            except (OSError, ValueError):
                continue
        return self.placed.get(design) if folder == "pnr" else None

    def keep(self, names: set[str]) -> None:
        """Copies what was measured here to where it is kept."""
        self.kept.mkdir(parents=True, exist_ok=True)
        for name in sorted(names):
            path = self.out / f"{name}.json"
            if path.exists() and not name.startswith("pnr/"):
                (self.kept / path.name).write_text(path.read_text())

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
