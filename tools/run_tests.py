#!/usr/bin/env python3
"""Runs every check of `make test`, all of them even when one fails, and closes with a summary.

Two at a time: the compiler of the Rust tests and of the benches uses both cores, but most else is one program that runs on one.
What a step prints stands together, when it is over.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
PYTHON = sys.executable

STEPS: dict[str, list[str]] = {
    "lint": [PYTHON, "tools/lint.py"],
    "rust": ["cargo", "test", "--locked", "--workspace", "--no-fail-fast", "--quiet"],
    "system": [PYTHON, "-m", "pytest", "tests/system"],
    "rtl": [PYTHON, "-m", "pytest", "tests/tools", "tests/rtl"],
    "formal": [PYTHON, "tools/formal.py", "--quick", "--jobs", "1"],
}
# What waits for what: each lane is one step after the other. The system tests want the program that the Rust tests have built.
LANES = (("lint", "rust", "system"), ("rtl", "formal"))

NO_TESTS_COLLECTED = 5  # pytest's exit code


@dataclass
class Result:
    """How a step ended: exit code, wall time, and the processor time of its programs, which tells more on a machine that is shared."""

    name: str
    code: int
    seconds: float
    processor: float

    @property
    def verdict(self) -> str:
        if self.code == 0:
            return "passed"
        return "no tests" if self.code == NO_TESTS_COLLECTED and "pytest" in STEPS[self.name] else f"FAILED ({self.code})"


printing = threading.Lock()


def run(name: str) -> Result:
    command = STEPS[name]
    # The program with debug assertions; make build makes the other.
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    if (TARGET / "debug" / "tickwire").exists():
        environment.setdefault("TICKWIRE", str(TARGET / "debug" / "tickwire"))
    title = f"=== {name}: {' '.join(command).replace(str(ROOT) + os.sep, '')}"
    with printing:
        print(f"{title}: begun", flush=True)
    began = time.monotonic()
    with tempfile.TemporaryFile(mode="w+", errors="replace") as output:
        process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        result = Result(name, process.returncode, time.monotonic() - began, usage.ru_utime + usage.ru_stime)
        output.seek(0)
        with printing:
            print(f"\n{title}\n{output.read()}=== {name}: {result.verdict}, {result.seconds:.0f} s", flush=True)
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("steps", nargs="*", metavar="step", help=f"only these, of: {', '.join(STEPS)}")
    arguments = parser.parse_args()
    unknown = set(arguments.steps) - set(STEPS)
    if unknown:
        parser.error(f"no such step: {', '.join(sorted(unknown))}")

    wanted = arguments.steps or list(STEPS)
    began = time.monotonic()
    with ThreadPoolExecutor(max_workers=len(LANES)) as pool:
        lanes = pool.map(lambda lane: [run(name) for name in lane if name in wanted], LANES)
        results = [result for lane in lanes for result in lane]

    print("\n=== summary")
    for result in results:
        print(f"  {result.name:<8} {result.verdict:<12} {result.seconds:7.1f} s, processor {result.processor:7.1f} s")
    failed = [result.name for result in results if result.code != 0]
    total, processor = time.monotonic() - began, sum(result.processor for result in results)
    print(f"  {'all':<8} {'FAILED: ' + ', '.join(failed) if failed else 'passed':<12} {total:7.1f} s, processor {processor:7.1f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
