"""Each how-to page's commands run as they are written, in a copy of what they use."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from page import Page, parse

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "system"))
from namespace import TICKWIRE, missing  # noqa: E402

SECONDS = 300
PAGES = [parse(path, path.read_text()) for path in sorted((ROOT / "docs" / "how-to").glob("*.md"))]


def marks(page: Page) -> list[pytest.MarkDecorator]:
    chosen = {"root": page.root, "slow": page.slow}
    return [getattr(pytest.mark, name) for name, holds in chosen.items() if holds]


def to_run() -> list[object]:
    return [pytest.param(page, id=page.path.stem, marks=marks(page)) for page in PAGES if page.none is None]


@pytest.mark.parametrize("page", to_run())
def test_the_commands_of_a_page_run_as_written(page: Page, tmp_path: Path) -> None:
    if not TICKWIRE.exists():
        pytest.skip(f"{TICKWIRE} is not built: make build")
    if page.root and (reason := missing()) is not None:
        pytest.skip(reason)
    shutil.copytree(ROOT / "desks", tmp_path / "desks")
    for name, content in page.files.items():
        (tmp_path / name).write_text(content)
    script = "\n".join(["set -eu", *page.script])
    with (tmp_path / "printed").open("w+") as printed:
        shell = subprocess.Popen(
            ["bash", "-c", script],
            cwd=tmp_path,
            env={**os.environ, "PATH": f"{TICKWIRE.parent}:{os.environ['PATH']}"},
            stdout=printed,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            code = shell.wait(SECONDS)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            # What the page left in the background.
            for number in (signal.SIGINT, signal.SIGKILL):
                try:
                    os.killpg(shell.pid, number)
                except ProcessLookupError:
                    break
                shell.poll()
                subprocess.run(["sleep", "2"], check=True)
            for namespace in [line.split()[3] for line in page.script if line.startswith("ip netns add ")]:
                subprocess.run(["ip", "netns", "delete", namespace], check=False)
        printed.seek(0)
        said = printed.read()
    assert code == 0, f"exit code {code}:\n{said[-4_000:]}"
    lines = said.splitlines()
    for expected in page.prints:
        assert any(line.startswith(expected) for line in lines), f"{expected!r} is not in:\n{said[-4_000:]}"


@pytest.mark.parametrize("page", PAGES, ids=[page.path.stem for page in PAGES])
def test_each_page_has_commands_that_run_or_says_why_not(page: Page) -> None:
    assert page.script or page.none, f"{page.path}: write its commands as sh, or <!-- test: none: REASON -->"


def test_comments_of_a_page_say_what_is_run() -> None:
    text = """# T
<!-- test: slow -->
<!-- test: file a.toml -->
```toml
x = 1
```
```sh
one
two
```
<!-- test: skip: it asks -->
```sh
three
```
```
printed
```
<!-- test: prints -->
```
done
```
"""
    page = parse(Path("t.md"), text)
    assert (page.script, page.files, page.prints) == (["one", "two"], {"a.toml": "x = 1\n"}, ["done"])
    assert (page.slow, page.root, page.none) == (True, False, None)
    with pytest.raises(ValueError, match="unknown comment"):
        parse(Path("t.md"), "<!-- test: sometimes -->")
    with pytest.raises(ValueError, match="does not end"):
        parse(Path("t.md"), "```sh\nls")
