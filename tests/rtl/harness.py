"""Builds a test bench with Verilator and runs its cocotb tests: one call a pytest test.

A bench is built again only when a file it uses changed. With WAVES=1 the run leaves dump.vcd beside the bench's binary.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import warnings
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from find_libpython import find_libpython

ROOT = Path(__file__).resolve().parents[2]
RTL = ROOT / "rtl"
sys.path.insert(0, str(ROOT / "tools"))

from sources import closure, known_files  # noqa: E402

# cocotb tests run and failed so far, for the summary pytest closes with (conftest.py).
totals = {"passed": 0, "failed": 0}


def simulate(
    toplevel: str,
    test_module: str,
    parameters: dict[str, int] | None = None,
    extra: list[Path] | None = None,
    plusargs: list[str] | None = None,
    build_args: list[str] | None = None,
) -> None:
    """Run the cocotb tests in `test_module` (beside this file) against `toplevel`.

    Modules are found by name in rtl/ and tests/; `extra` names sources that are not called what they define.
    """
    if find_libpython() is None:
        pytest.skip("libpython3 is not here (Debian: apt install libpython3.11)")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from cocotb_tools.runner import get_runner
    parameters = parameters or {}
    environment = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    # cocotb calls make itself; large models do not build without the first. A bench runs once: optimized, the compiler takes
    # ten times as long and the test, which waits for Python, is hardly faster.
    environment["MAKEFLAGS"] = "CFG_CXXFLAGS_PCH_I=-include OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0"
    if shutil.which("ccache"):
        environment["OBJCACHE"] = "ccache"
    os.environ.update(environment)

    sources = _sources(toplevel, extra or [])
    arguments = ["--assert", "-Wall", "-Wno-fatal", "--timing", *(build_args or [])]
    waves = bool(os.environ.get("WAVES"))
    tag = "_".join([toplevel, *(f"{name}{value}" for name, value in parameters.items())])
    build = ROOT / "build" / "cocotb" / tag
    key = _digest([str(arguments), str(parameters), str(waves), *(path.read_text() for path in sources)])
    stamp = build / "content"
    runner = get_runner("verilator")
    with _locked(build):
        if not (stamp.exists() and stamp.read_text() == key and (build / toplevel).exists()):
            stamp.unlink(missing_ok=True)
            try:
                runner.build(
                    sources=sources,
                    hdl_toplevel=toplevel,
                    parameters=parameters,
                    build_dir=build,
                    build_args=arguments,
                    waves=waves,
                    always=True,
                )
            except subprocess.CalledProcessError as error:
                pytest.fail(f"{tag} does not build ({error.returncode}): see the output below", pytrace=False)
            stamp.write_text(key)
        results = build / f"{test_module}.xml"
        results.unlink(missing_ok=True)
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


def _sources(toplevel: str, extra: list[Path]) -> list[Path]:
    """Everything the bench is made of, what is used before what uses it."""
    roots = [path.stem for path in extra] + ([toplevel] if toplevel in known_files() else [])
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
    cases = list(ElementTree.parse(results).iter("testcase"))
    failed = [str(case.get("name")) for case in cases if case.find("failure") is not None or case.find("error") is not None]
    totals["failed"] += len(failed)
    totals["passed"] += len(cases) - len(failed)
    if failed:
        pytest.fail(f"{tag}: {len(failed)} of {len(cases)} cocotb tests failed: {', '.join(failed)}", pytrace=False)
    if exit_code is not None or not cases:
        pytest.fail(f"{tag}: the simulation ended with exit code {exit_code} after {len(cases)} tests", pytrace=False)
