"""Which source files a module needs: one module a file of the same name makes this a matter of names."""

import re
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RTL = ROOT / "rtl"
TESTS = ROOT / "tests"
SHELL = RTL / "cores" / "shell.sv.in"
SHELLS = ROOT / "out" / "shells"

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_]\w*")
_PARAMETER = re.compile(r"parameter int (\w+) = (\d+)")


def known_files() -> dict[str, Path]:
    """Every SystemVerilog file by the name of what it defines; the design before the test benches."""
    files = [*sorted(TESTS.rglob("*.sv")), *sorted((ROOT / "boards").rglob("*.sv")), *sorted(RTL.rglob("*.sv"))]
    return {path.stem: path for path in files}


def filled(template: str, has: Callable[[str], bool]) -> str:
    """The lines of a template that are there: between `@if NAME` and `@else` or `@end` where it `has` that."""
    lines, there = [], True
    for line in template.splitlines(keepends=True):
        match line.split():
            case ["@if", name]:
                there = has(name)
            case ["@else"]:
                there = not there
            case ["@end"]:
                there = True
            case _ if there:
                lines.append(line)
    return "".join(lines)


def shell(top: str) -> Path:
    """Writes the core `top` with plain ports, as crates/cosim does for its models. Its parameters are those of the core."""
    core = (RTL / "cores" / f"{top}.sv").read_text()
    ports = set(_WORD.findall(_COMMENT.sub(" ", core).partition(");")[0]))
    parameters = _PARAMETER.findall(core)
    text = filled(SHELL.read_text(), ports.__contains__).replace("@TOP@", top)
    text = text.replace("@PARAMETERS@", ",\n".join(f"    parameter int {name} = {value}" for name, value in parameters))
    text = text.replace("@SETTINGS@", ",\n".join(f"      .{name}({name})" for name, _ in parameters))
    file = SHELLS / f"{top}_shell.sv"
    SHELLS.mkdir(parents=True, exist_ok=True)
    if not file.exists() or file.read_text() != text:
        file.write_text(text)
    return file


def closure(top: str, extra: list[Path] | None = None) -> list[Path]:
    """The files `top` needs, each after those it uses: packages and interfaces first. `extra` files win over known ones."""
    files = known_files() | {path.stem: path.resolve() for path in extra or []}
    product = top.removesuffix("_shell")
    if top not in files and (RTL / "cores" / f"{product}.sv").exists():
        files[top] = shell(product)
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
