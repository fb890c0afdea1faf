#!/usr/bin/env python3
"""Runs every check of `make test`, all of them even when one fails, and closes with a summary.

Three steps at a time: each waits some of its time, for a socket or for the last crate of a chain, and three keep two cores busy. A step
begins as soon as there is room and what it needs is done. What a step prints appears together, when it is over. A run of all steps leaves
its times in out/test_times.json.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import figures

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
PYTHON = sys.executable

PYTEST = [PYTHON, "-m", "pytest", "--durations=5"]
RTL_PARTS = 8


def present(*folders: str) -> list[str]:
    """Those of these folders that are here."""
    return [folder for folder in folders if (ROOT / folder).is_dir()]


# In the order in which they begin.
STEPS: dict[str, list[str]] = {
    # Compiled by Clippy's driver, which is the compiler and Clippy in one: a lint costs no second compilation.
    "rust-build": ["cargo", "test", "--locked", "--workspace", "--no-run", "--quiet"],
    "rust": ["cargo", "test", "--locked", "--workspace", "--no-fail-fast", "--quiet"],
    "formal": [PYTHON, "tools/formal.py", "--quick", "--jobs", "1"],
    "system": [*PYTEST, *present("tests/system", "tests/how_to")],
    # A model's warnings are looked at where it is built: the presets' by cargo test, the benches' by pytest.
    "lint": [PYTHON, "tools/lint.py", "--few", "--without", "clippy", "--without", "verilator", "--without", "cargo doc"],
    **{f"rtl-{part}": [*PYTEST, "--part", f"{part}/{RTL_PARTS}", *present("tests/tools", "tests/rtl")] for part in range(1, RTL_PARTS + 1)},
}
# What waits for what. The system tests want the program that is built with the Rust tests, the proofs of strategies what writes their
# files.
AFTER = {"rust": ["rust-build"], "system": ["rust-build"], "formal": ["rust-build"]}
AT_ONCE = 3
TELL_SECONDS = 50
# `make test` on an idle machine of two processors takes at most this; more is a warning.
MINUTES = 22
TIMES = ROOT / "out" / "test_times.json"

NO_TESTS_COLLECTED = 5  # pytest's exit code


@dataclass
class Result:
    """How a step ended: exit code, wall time, and the processor time of its programs, which says more on a shared machine."""

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


@cache
def clippy() -> dict[str, str]:
    """The environment in which Cargo compiles this workspace by Clippy's driver; none where Clippy is not installed."""
    sysroot = subprocess.run(["rustc", "--print", "sysroot"], cwd=ROOT, capture_output=True, text=True, check=False)
    driver = Path(sysroot.stdout.strip()) / "bin" / "clippy-driver"
    if not driver.exists():
        print("Clippy is not here (rustup component add clippy): its lints are not checked", flush=True)
        return {}
    return {"RUSTC_WORKSPACE_WRAPPER": str(driver)}


def warned(name: str, output: str) -> bool:
    """Whether what the compiler or Clippy printed has a warning: one that is let stand hides the next."""
    return name == "rust-build" and re.search(r"^warning", output, re.MULTILINE) is not None


def run(name: str) -> Result:
    command = STEPS[name]
    # The program with debug assertions; make build makes the other.
    environment = os.environ | {"PYTHONUNBUFFERED": "1"} | clippy()
    if (TARGET / "debug" / "tickwire").exists():
        environment.setdefault("TICKWIRE", str(TARGET / "debug" / "tickwire"))
    title = f"=== {name}: {' '.join(command).replace(str(ROOT) + os.sep, '')}"
    with printing:
        print(f"{title}: begun", flush=True)
    began = time.monotonic()
    with tempfile.TemporaryFile(mode="w+", errors="replace") as output:
        try:
            process = subprocess.Popen(
                command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env=environment
            )
        except OSError as error:
            with printing:
                print(f"=== {name}: cannot start {command[0]}: {error}", flush=True)
            return Result(name, 127, 0.0, 0.0)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        result = Result(name, process.returncode, time.monotonic() - began, usage.ru_utime + usage.ru_stime)
        output.seek(0)
        printed = output.read()
        if warned(name, printed):
            result.code = result.code or 1
            printed += "a warning fails the build: see above\n"
        with printing:
            print(f"\n{title}\n{printed}=== {name}: {result.verdict}, {result.seconds:.0f} s", flush=True)
    return result


running: dict[str, float] = {}


def tell(workers: list[threading.Thread]) -> None:
    """What runs, and for how long, once a minute: what a step prints comes only when it is over."""
    while any(worker.is_alive() for worker in workers):
        time.sleep(TELL_SECONDS)
        now = time.monotonic()
        if steps := [f"{name} for {(now - began) / 60:.0f} min" for name, began in list(running.items())]:
            with printing:
                print(f"... running: {', '.join(steps)}", flush=True)


def run_all(wanted: list[str]) -> list[Result]:
    """Every step, AT_ONCE at a time, in the order of STEPS as far as AFTER lets them."""
    waiting = list(wanted)
    results: dict[str, Result] = {}
    changed = threading.Condition()

    def ready() -> str | None:
        return next((name for name in waiting if all(other not in wanted or other in results for other in AFTER.get(name, []))), None)

    def work() -> None:
        while True:
            with changed:
                changed.wait_for(lambda: not waiting or ready() is not None)
                name = ready()
                if name is None:
                    return
                waiting.remove(name)
            running[name] = time.monotonic()
            result = run(name)
            del running[name]
            with changed:
                results[name] = result
                changed.notify_all()

    workers = [threading.Thread(target=work) for _ in range(AT_ONCE)]
    for worker in workers:
        worker.start()
    threading.Thread(target=tell, args=(workers,), daemon=True).start()
    for worker in workers:
        worker.join()
    return [results[name] for name in wanted]


# What tests leave for the figures.
FIGURES = tuple(ROOT / "out" / "bench" / f"{name}.json" for name in ("bad_lines", "decision_first_byte", "fix_acceptance"))


def write_times(results: list[Result], seconds: float) -> None:
    """For `make bench`: how long `make test` takes, on how many processors, and of which revision."""
    revision = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=False)
    record = {
        "date": time.strftime("%Y-%m-%d %H:%M", time.gmtime()),
        "revision": revision.stdout.strip(),
        "passed": all(result.code == 0 for result in results),
        "processors": os.cpu_count(),
        "minutes": round(seconds / 60, 2),
        "processor_minutes": round(sum(result.processor for result in results) / 60, 2),
        "steps": {
            result.name: {"seconds": round(result.seconds, 1), "processor_seconds": round(result.processor, 1)} for result in results
        },
    }
    TIMES.parent.mkdir(parents=True, exist_ok=True)
    TIMES.write_text(json.dumps(record, indent=2) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("steps", nargs="*", metavar="step", help=f"only these, of: {', '.join(STEPS)}; rtl is all of its parts")
    arguments = parser.parse_args()
    asked = {name for step in arguments.steps for name in ([n for n in STEPS if n.startswith("rtl-")] if step == "rtl" else [step])}
    unknown = asked - set(STEPS)
    if unknown:
        parser.error(f"no such step: {', '.join(sorted(unknown))}")

    wanted = [name for name in STEPS if not asked or name in asked]
    began, begun_at = time.monotonic(), time.time()
    results = run_all(wanted)

    print("\n=== summary")
    for result in results:
        print(f"  {result.name:<8} {result.verdict:<12} {result.seconds:7.1f} s, processor {result.processor:7.1f} s")
    failed = [result.name for result in results if result.code != 0]
    total, processor = time.monotonic() - began, sum(result.processor for result in results)
    print(f"  {'all':<8} {'FAILED: ' + ', '.join(failed) if failed else 'passed':<12} {total:7.1f} s, processor {processor:7.1f} s")
    if wanted == list(STEPS) and total > MINUTES * 60:
        print(f"  warning: {total / 60:.0f} minutes; on an idle machine of two processors it has to be {MINUTES} at most", flush=True)
    for path in FIGURES:
        if path.exists() and path.stat().st_mtime >= begun_at:
            figures.stamp(path)
    if wanted == list(STEPS):
        write_times(results, total)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
