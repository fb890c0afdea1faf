"""Builds a test bench with Verilator and runs its cocotb tests: one call a pytest test.

A bench is built again only when a file it uses changed; a warning of Verilator fails its test. With WAVES=1 the run leaves dump.vcd
beside the bench's binary.

Verilator's output is compiled as one file, and Verilator's own library and headers once for all benches: a build costs seconds, not the
half minute of cocotb's makefile. Tests see the ports and signals of the bench, and what visible.vlt names of the design inside it.
"""

import fcntl
import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import warnings
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest
from find_libpython import find_libpython

ROOT = Path(__file__).resolve().parents[2]
RTL = ROOT / "rtl"
BUILD = ROOT / "build" / "cocotb"
VISIBLE = Path(__file__).with_name("visible.vlt")
sys.path.insert(0, str(ROOT / "tools"))

from sources import closure, known_files  # noqa: E402

# cocotb tests run and failed so far, for the summary pytest closes with (conftest.py).
totals = {"passed": 0, "failed": 0}

# Verilator's library, as far as a bench under cocotb needs it.
LIBRARY = ("verilated", "verilated_dpi", "verilated_vpi", "verilated_threads", "verilated_timing")
LIBRARY_WAVES = (*LIBRARY, "verilated_vcd_c")
HEADERS = ("verilated", "verilated_dpi", "verilated_vpi", "verilated_timing", "verilated_syms")
DEFINES = ("VERILATOR=1", "VM_COVERAGE=0", "VM_SC=0", "VM_TIMING=1", "VM_TRACE_FST=0", "VM_TRACE_SAIF=0")


def cases(few: int, many: int) -> int:
    """How many random cases: as many as find most bugs in seconds, or under `TICKWIRE_LONG` (`make long`) as many as find the rare one."""
    return many if os.environ.get("TICKWIRE_LONG") else few


def core_widths() -> list[int]:
    """Widths at which the complete core is simulated: 64, and 8 too under `TICKWIRE_LONG`.

    The stages have tests of their own at both, the presets golden traces, and verify/lockstep compares both cores with software.
    """
    return [64, 8][: cases(1, 2)]


def simulate(
    toplevel: str,
    test_module: str,
    parameters: dict[str, int] | None = None,
    extra: list[Path] | None = None,
    plusargs: list[str] | None = None,
    build_args: list[str] | None = None,
) -> None:
    """Run the cocotb tests in `test_module` (beside this file) against `toplevel`.

    Modules are found by name in rtl/ and tests/; `extra` names sources whose file name is not what they define.
    """
    if find_libpython() is None:
        pytest.skip("libpython3 is not here (Debian: apt install libpython3.11)")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from cocotb_tools.runner import get_runner
    parameters = parameters or {}
    sources = [VISIBLE, *_sources(toplevel, extra or [])]
    waves = bool(os.environ.get("WAVES"))
    tag = "_".join([toplevel, *(f"{name}{value}" for name, value in parameters.items())])
    build = BUILD / tag
    options = ["--top-module", toplevel, "--public-depth", "1", *(f"-G{name}={value}" for name, value in parameters.items())]
    options += ["--assert", "--timing", *(["--trace"] if waves else []), *(build_args or [])]
    with _locked(build):
        _build(build, tag, toplevel, options, sources, waves)
    results = build / f"{test_module}.xml"
    results.unlink(missing_ok=True)
    runner = get_runner("verilator")
    runner.waves = waves
    try:
        runner.test(
            hdl_toplevel=toplevel,
            hdl_toplevel_lang="verilog",
            test_module=test_module,
            build_dir=build,
            test_dir=build if waves else Path(__file__).parent,
            results_xml=str(results),
            plusargs=plusargs or [],
            waves=waves,
            seed=os.environ.get("COCOTB_RANDOM_SEED", "1"),
        )
    except SystemExit as exit_:
        _judge(results, tag, str(exit_.code))
    else:
        _judge(results, tag, None)


def _build(build: Path, tag: str, toplevel: str, options: list[str], sources: list[Path], waves: bool) -> None:
    """Makes the bench's program, `toplevel` in the folder `build`, unless the one there is of these sources."""
    root = _verilator_root()
    key = _digest([str(options), str(root), _compiler(), *(path.read_text() for path in [*sources, Path(__file__)])])
    stamp = build / "content"
    if stamp.exists() and stamp.read_text() == key and (build / toplevel).exists():
        return
    for old in build.iterdir():
        if old.name != "lock":
            old.unlink() if old.is_file() else shutil.rmtree(old)
    from cocotb_tools import config

    library = _library(root, waves)
    program = config.share_dir / "lib" / "verilator" / "verilator.cpp"
    # By paths that are the same in every clone: they stand in the C++, for the messages of assertions.
    files = [str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path) for path in sources]
    _run(tag, [*_launcher(), "--cc", "--vpi", "--prefix", "Vtop", "--Mdir", str(build), *options, *files])
    # What runs in every cycle is optimized a little: of the complete core a simulation takes a third of the time, and the compiler seconds
    # more. What runs once (Verilator calls it slow) is not: that is where more would go.
    parts = [*sorted(path.name for path in build.glob("Vtop*.cpp")), os.path.relpath(program, build)]
    often, once = ([f'#include "{part}"\n' for part in parts if part.endswith("Slow.cpp") == slow] for slow in (False, True))
    (build / "bench.cpp").write_text("".join([*often, '#pragma GCC optimize("O0")\n', *once]))
    headers = ["-include", str(library / "headers.h")]
    _run(tag, [*_ccache(), *_compile(root, waves), "-Og", "-I.", *headers, "-fpch-preprocess", "-c", "bench.cpp", "-o", "bench.o"], build)
    link = [f"-L{config.libs_dir}", f"-Wl,-rpath,{config.libs_dir}", "-lcocotbvpi_verilator", "-pthread", "-latomic"]
    _run(tag, [*shlex.split(os.environ.get("CXX", "g++")), "bench.o", str(library / "libverilated.a"), *link, "-o", toplevel], build)
    (build / "bench.o").unlink()
    stamp.write_text(key)


def _library(root: Path, waves: bool) -> Path:
    """Where Verilator's library and headers are, compiled once; the library optimized: its VPI is where a simulation spends its time."""
    names = LIBRARY_WAVES if waves else LIBRARY
    folder = BUILD / f"library{'_waves' if waves else ''}"
    key = _digest([str(root), _compiler(), Path(__file__).read_text()])
    archive, stamp = folder / "libverilated.a", folder / "content"
    with _locked(folder):
        if not (stamp.exists() and stamp.read_text() == key):
            archive.unlink(missing_ok=True)
            for name in names:
                _run(
                    name,
                    [*_ccache(), *_compile(root, waves), "-O2", "-c", str(root / "include" / f"{name}.cpp"), "-o", f"{name}.o"],
                    folder,
                )
            _run("ar", ["ar", "rcs", str(archive), *(f"{name}.o" for name in names)], folder)
            (folder / "headers.h").write_text("".join(f'#include "{name}.h"\n' for name in HEADERS))
            _run("headers.h", [*_compile(root, waves), "-Og", "-x", "c++-header", "headers.h", "-o", "headers.h.gch"], folder)
            # The precompiled header differs from one compilation to the next: ccache takes what it was made of.
            made_of = _digest([_compiler(), (root / "include" / "verilated_config.h").read_text(), Path(__file__).read_text()])
            (folder / "headers.h.gch.sum").write_text(made_of)
            stamp.write_text(key)
    return folder


def _ccache() -> list[str]:
    """What a call of the compiler begins with where ccache is installed."""
    return ["ccache"] if shutil.which("ccache") else []


# Paths are hashed relative to the folder of the build, so that another clone finds what this one has compiled.
os.environ |= {
    "CCACHE_BASEDIR": "/",
    "CCACHE_NOHASHDIR": "1",
    "CCACHE_PCH_EXTSUM": "1",
    "CCACHE_SLOPPINESS": "pch_defines,time_macros,include_file_mtime,include_file_ctime",
}


def _compile(root: Path, waves: bool) -> list[str]:
    """The compiler with all that a bench and Verilator's library are compiled with."""
    defines = [f"-D{define}" for define in (*DEFINES, f"VM_TRACE={int(waves)}", f"VM_TRACE_VCD={int(waves)}")]
    include = [f"-I{root / 'include'}", f"-I{root / 'include' / 'vltstd'}"]
    coroutines = [] if "clang" in _compiler() else ["-fcoroutines"]
    return [*shlex.split(os.environ.get("CXX", "g++")), "-std=gnu++20", *coroutines, "-w", *defines, *include]


@cache
def _compiler() -> str:
    """The compiler's name and version."""
    command = [*shlex.split(os.environ.get("CXX", "g++")), "--version"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@cache
def _verilator_root() -> Path:
    """Where Verilator has the C++ its output needs."""
    command = [*_launcher(), "--getenv", "VERILATOR_ROOT"]
    return Path(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip())


def _launcher() -> list[str]:
    return [str(Path(sys.executable).parent / "verilator")]


def _run(tag: str, command: list[str], folder: Path = ROOT) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        print(done.stdout, done.stderr, sep="\n")
        pytest.fail(f"{tag} does not build ({Path(command[0]).name}: {done.returncode}): see the output below", pytrace=False)


def _sources(toplevel: str, extra: list[Path]) -> list[Path]:
    """Everything the bench is made of, each file before those that use it."""
    known = toplevel in known_files() or toplevel.endswith("_shell")
    roots = [path.stem for path in extra] + ([toplevel] if known else [])
    ordered = dict.fromkeys(path for root in roots for path in closure(root, extra))
    return sorted(ordered, key=lambda path: not path.stem.endswith("_pkg"))


def _digest(texts: list[str]) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


@contextmanager
def _locked(build: Path) -> Iterator[None]:
    """Two pytest runs at once must not build the same bench."""
    build.mkdir(parents=True, exist_ok=True)
    with (build / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _judge(results: Path, tag: str, exit_code: str | None) -> None:
    """Fails the pytest test with the names of the cocotb tests that failed."""
    if not results.exists():
        pytest.fail(f"{tag}: the simulation ended without results (exit code {exit_code}): see the output below", pytrace=False)
    ran = list(ElementTree.parse(results).iter("testcase"))
    failed = [str(case.get("name")) for case in ran if case.find("failure") is not None or case.find("error") is not None]
    totals["failed"] += len(failed)
    totals["passed"] += len(ran) - len(failed)
    if failed:
        pytest.fail(f"{tag}: {len(failed)} of {len(ran)} cocotb tests failed: {', '.join(failed)}", pytrace=False)
    if exit_code is not None or not ran:
        pytest.fail(f"{tag}: the simulation ended with exit code {exit_code} after {len(ran)} tests", pytrace=False)
