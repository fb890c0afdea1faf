"""What all tests share: markers that skip what cannot run here, and the count of cocotb tests in the summary."""

import os
import shutil
import sys
from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    no_network = os.geteuid() != 0 or shutil.which("ip") is None
    for item in items:
        if no_network and item.get_closest_marker("root"):
            item.add_marker(pytest.mark.skip(reason="needs root and iproute2"))
        if not DATA.is_dir() and item.get_closest_marker("data"):
            item.add_marker(pytest.mark.skip(reason="the recorded data (../shared/data) is not here"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    harness = sys.modules.get("harness")
    if harness is not None and sum(harness.totals.values()):
        passed, failed = harness.totals["passed"], harness.totals["failed"]
        terminalreporter.write_line(f"cocotb: {passed} tests passed, {failed} failed inside the simulations above")
