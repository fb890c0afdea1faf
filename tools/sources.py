"""Which source files a module needs: one module a file of the same name makes this a matter of names."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RTL = ROOT / "rtl"
TESTS = ROOT / "tests"

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_]\w*")


def known_files() -> dict[str, Path]:
    """Every SystemVerilog file by the name of what it defines; the design before the test benches."""
    files = [*sorted(TESTS.rglob("*.sv")), *sorted((ROOT / "boards").rglob("*.sv")), *sorted(RTL.rglob("*.sv"))]
    return {path.stem: path for path in files}


def closure(top: str, extra: list[Path] | None = None) -> list[Path]:
    """The files `top` needs, each after those it uses: packages and interfaces first. `extra` files win over known ones."""
    files = known_files() | {path.stem: path.resolve() for path in extra or []}
    if top not in files:
        raise SystemExit(f"no file {top}.sv in rtl/, tests/ or boards/ (name another with --sources)")
    order: list[Path] = []
    seen: set[str] = set()

    def visit(name: str) -> None:
        seen.add(name)
        text = _COMMENT.sub(" ", files[name].read_text())
        for word in dict.fromkeys(_WORD.findall(text)):
            if word in files and word not in seen:
                visit(word)
        order.append(files[name])

    visit(top)
    rank = {True: 0, False: 1}
    return sorted(order, key=lambda path: rank[path.stem.endswith("_pkg")])
