"""run_tests: steps run a few at a time, none before what it waits for, and one that fails holds nothing up."""

import sys
import threading
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import run_tests


class Recorder:
    """In place of `run`: takes a moment, and writes down what began and ended in which order."""

    def __init__(self, failing: str = "") -> None:
        self.failing = failing
        self.lock = threading.Lock()
        self.events: list[tuple[str, str]] = []
        self.running = self.most = 0

    def __call__(self, name: str) -> run_tests.Result:
        with self.lock:
            self.events.append(("begin", name))
            self.running += 1
            self.most = max(self.most, self.running)
        time.sleep(0.02)
        with self.lock:
            self.events.append(("end", name))
            self.running -= 1
        return run_tests.Result(name, int(name == self.failing), 0.02, 0.0)


@pytest.mark.parametrize("failing", ["", "rust", "rtl-2"])
def test_every_step_runs_once_so_many_at_a_time_and_after_what_it_waits_for(monkeypatch: pytest.MonkeyPatch, failing: str) -> None:
    recorder = Recorder(failing)
    monkeypatch.setattr(run_tests, "run", recorder)
    results = run_tests.run_all(list(run_tests.STEPS))
    assert [result.name for result in results] == list(run_tests.STEPS)
    assert [result.name for result in results if result.code] == ([failing] if failing else [])
    assert sorted(name for kind, name in recorder.events if kind == "begin") == sorted(run_tests.STEPS)
    assert recorder.most == run_tests.AT_ONCE
    for later, earlier in run_tests.AFTER.items():
        for name in earlier:
            assert recorder.events.index(("end", name)) < recorder.events.index(("begin", later))


def test_a_step_alone_does_not_wait_for_what_was_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_tests, "run", Recorder())
    assert [result.name for result in run_tests.run_all(["system"])] == ["system"]


def test_a_program_that_is_absent_fails_its_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(run_tests.STEPS, "lint", ["/nonexistent/program"])
    assert run_tests.run("lint").code == 127


def test_a_warning_of_the_compiler_fails_the_build_alone() -> None:
    assert run_tests.warned("rust-build", "   Compiling book v0.1.0\nwarning: unused variable: `x`\n")
    assert not run_tests.warned("rust-build", "   Compiling book v0.1.0\n  a line about a warning\n")
    assert not run_tests.warned("rust", "warning: unused variable: `x`\n")
