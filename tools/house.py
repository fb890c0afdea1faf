#!/usr/bin/env python3
"""Writes out/bench/house.json: how large the product is, how long a newcomer and a test wait, which faults are open.

With --fresh: measures `make demo` from nothing first, in a clone without caches in a new folder, and leaves its times in
out/demo_times.json.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import Any

import figures
import presets

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "out"
FAULTS = ROOT / "tests" / "faults.toml"


def tracked(pattern: str) -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "--", pattern], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / line for line in listed.stdout.splitlines()]


def lines(pattern: str) -> int:
    """Lines that were written by hand: generated files say so in their names."""
    files = [path for path in tracked(pattern) if "generated" not in path.name]
    return sum(len(path.read_text().splitlines()) for path in files if path.exists())


def read(path: Path) -> dict[str, Any]:
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return {}


def golden() -> int:
    files = tracked("*/golden/traces.toml")
    return sum(len(tomllib.loads(path.read_text())) for path in files)


def fresh() -> None:
    """`make demo` in a clone of what is committed, without any cache of this user."""
    with tempfile.TemporaryDirectory(prefix="tickwire-") as folder:
        clone = Path(folder) / "tickwire"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        environment = os.environ | {"CCACHE_DISABLE": "1", "TICKWIRE_CACHE": str(Path(folder) / "cache")}
        environment.pop("CARGO_TARGET_DIR", None)
        began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(["make", "demo"], cwd=clone, env=environment, stdin=subprocess.DEVNULL, check=True)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        processor = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
        record = {"minutes": round((time.monotonic() - began) / 60, 2), "processor_minutes": round(processor / 60, 2)}
    OUT.mkdir(exist_ok=True)
    (OUT / "demo_times.json").write_text(json.dumps(record | {"revision": figures.revision()}, indent=2) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fresh", action="store_true", help="measure make demo from nothing first: minutes")
    if parser.parse_args().fresh:
        fresh()
    demo, tests = read(OUT / "demo_times.json"), read(OUT / "test_times.json")
    program = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "release" / "tickwire"
    faults = tomllib.loads(FAULTS.read_text())
    all_presets = presets.load()
    record = {
        "demo_minutes_from_nothing": demo.get("minutes"),
        "demo_processor_minutes": demo.get("processor_minutes"),
        "test_minutes": tests.get("minutes"),
        "test_processor_minutes": tests.get("processor_minutes"),
        "product_lines": lines("crates/*/src/*.rs"),
        "verify_lines": lines("verify/*/src/*.rs"),
        "rtl_lines": lines("rtl/*.sv"),
        "presets": len(all_presets),
        "models_in_program": sum(preset.built_in for preset in all_presets),
        "program_mb": round(program.stat().st_size / 1e6, 1) if program.exists() else None,
        "faults": len(faults),
        "faults_open": sum(not fault.get("tests") or "open" in fault for fault in faults.values()),
        "golden_traces": golden(),
    }
    path = OUT / "bench" / "house.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=2) + "\n")
    figures.stamp(path)
    print(path.read_text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
