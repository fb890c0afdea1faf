#!/usr/bin/env python3
"""Runs every check of `make test`, all of them even when one fails, and closes with a summary."""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHON = sys.executable

STEPS: dict[str, list[str]] = {
    "lint": [PYTHON, "tools/lint.py"],
    "rust": ["cargo", "test", "--locked", "--workspace", "--no-fail-fast", "--quiet"],
    "build": ["cargo", "build", "--release", "--locked", "--package", "tickwire"],
    "rtl": [PYTHON, "-m", "pytest", "tests/tools", "tests/rtl"],
    "system": [PYTHON, "-m", "pytest", "tests/system"],
    "formal": [PYTHON, "tools/formal.py", "--quick"],
}

NO_TESTS_COLLECTED = 5  # pytest's exit code


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("steps", nargs="*", metavar="step", help=f"only these, of: {', '.join(STEPS)}")
    arguments = parser.parse_args()
    unknown = set(arguments.steps) - set(STEPS)
    if unknown:
        parser.error(f"no such step: {', '.join(sorted(unknown))}")

    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    results = []
    for name in arguments.steps or STEPS:
        command = STEPS[name]
        print(f"\n=== {name}: {' '.join(command).replace(str(ROOT) + os.sep, '')}", flush=True)
        began = time.monotonic()
        code = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, env=environment, check=False).returncode
        results.append((name, code, time.monotonic() - began))

    print("\n=== summary")
    for name, code, seconds in results:
        verdict = "passed" if code == 0 else "no tests" if code == NO_TESTS_COLLECTED and "pytest" in STEPS[name] else f"FAILED ({code})"
        print(f"  {name:<8} {verdict:<12} {seconds:7.1f} s")
    failed = [name for name, code, _ in results if code != 0]
    total = sum(seconds for _, _, seconds in results)
    print(f"  {'all':<8} {'FAILED: ' + ', '.join(failed) if failed else 'passed':<12} {total:7.1f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
