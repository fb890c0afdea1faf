"""Each test that tests/faults.toml names is there."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FAULTS = tomllib.loads((ROOT / "tests" / "faults.toml").read_text())


def test_every_test_that_holds_a_fault_mended_exists() -> None:
    missing = []
    for fault, about in FAULTS.items():
        for entry in about["tests"]:
            path, _, name = entry.partition("::")
            file = ROOT / path
            if not file.exists() or (f"fn {name}(" not in (text := file.read_text()) and f"def {name}(" not in text):
                missing.append(f"{fault}: {entry}")
    assert not missing


def test_a_fault_is_held_by_a_test_or_says_why_it_is_open() -> None:
    silent = [fault for fault, about in FAULTS.items() if not about["tests"] and "open" not in about]
    assert not silent
