"""The README is short, and its figures are those of docs/reference/figures.md."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
FIGURES = (ROOT / "docs" / "reference" / "figures.md").read_text()
LONGEST = 120
WIDEST_CELL = 100
ROWS = 6


def tables() -> list[list[str]]:
    """Every row of every table, as its cells; headings and rules too."""
    lines = [line for line in README.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def figures() -> list[list[str]]:
    """The rows of the table of figures."""
    rows = tables()
    begin = rows.index(["what", "Tickwire", "published"]) + 2
    return rows[begin : begin + ROWS]


def test_the_readme_is_read_in_a_minute() -> None:
    assert len(README.splitlines()) <= LONGEST
    assert max(len(cell) for row in tables() for cell in row) <= WIDEST_CELL


def test_each_figure_of_the_readme_is_one_of_the_page_of_figures() -> None:
    cells = {cell.strip() for line in FIGURES.splitlines() if line.startswith("|") for cell in line.strip("|").split("|")}
    rows = figures()
    assert [len(row) for row in rows] == [3] * ROWS
    for what, figure, _ in rows:
        assert any(cell == figure or cell.startswith(f"{figure} (") for cell in cells), f"{what}: no figure {figure}: run make bench"
