"""What all tests share: markers that skip what cannot run here, and the count of cocotb tests in the summary."""

import os
import re
import resource
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

# Files that share one build, of the complete core: in one part, so that no other waits for it.
TOGETHER = ("test_core.py", "test_order_kill.py", "test_order_path.py")
DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--part", metavar="I/N", help="only every Nth file, from the Ith on: several runs at once share the tests")


def only_part(config: pytest.Config, items: list[pytest.Item], part: str) -> None:
    """Leaves the files of this part, and each file complete: its tests often use one build of a bench."""
    match = re.fullmatch(r"([1-9]\d*)/([1-9]\d*)", part)
    if match is None or int(match[1]) > int(match[2]):
        raise pytest.UsageError(f"--part {part}: give the part and the number of parts, as in --part 1/4")
    index, count = int(match[1]), int(match[2])
    paths = sorted({item.path for item in items})
    alone = [path for path in paths if path.name not in TOGETHER]
    files = {path: alone.index(path) + 1 if path in alone else 0 for path in paths}
    taken = [item for item in items if files[item.path] % count == index - 1]
    config.hook.pytest_deselected(items=[item for item in items if files[item.path] % count != index - 1])
    items[:] = taken


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if part := config.getoption("--part"):
        only_part(config, items, part)
    no_network = os.geteuid() != 0 or shutil.which("ip") is None
    for item in items:
        if no_network and item.get_closest_marker("root"):
            item.add_marker(pytest.mark.skip(reason="needs root and iproute2"))
        if not DATA.is_dir() and item.get_closest_marker("data"):
            item.add_marker(pytest.mark.skip(reason="the recorded data (../shared/data) is not here"))


# Processor seconds by test, with those of the programs that it started: on a shared machine they say more than the time that passed.
processor: dict[str, float] = {}
# So many of them are shown.
SLOWEST = 5


def processor_seconds() -> float:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    began = processor_seconds()
    try:
        return (yield)
    finally:
        processor[item.nodeid] = processor_seconds() - began


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    harness = sys.modules.get("harness")
    if harness is not None and sum(harness.totals.values()):
        passed, failed = harness.totals["passed"], harness.totals["failed"]
        terminalreporter.write_line(f"cocotb: {passed} tests passed, {failed} failed inside the simulations above")
    slowest = sorted(processor.items(), key=lambda entry: -entry[1])
    for name, seconds in slowest[: int(os.environ.get("TICKWIRE_SLOWEST", SLOWEST))]:
        terminalreporter.write_line(f"{seconds:7.1f} s of processor: {name}")
