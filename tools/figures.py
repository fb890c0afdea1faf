#!/usr/bin/env python3
"""Writes path.json, tick_to_trade.json and products.json in out/bench, and docs/reference/figures.md, from what `make bench`,
`make pnr` and `make test` left in out/, and keeps a copy of each measurement in docs/reference/figures/, so that anyone can check the page.

What was not measured is null in the JSON, with the reason under `missing`; its row of the page stays as it was, with its date and its
revision. Nanoseconds are cycles at the slowest clock that the seeds of place and route reached, never at a required clock.

With --stamp FILE...: adds date and revision to files that a measurement has just written, and does nothing else.
"""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from figure_designs import areas, placed_rows
from figure_row import Row
from figure_rows import ROWS
from measured import Measured
from products import products
from tick_to_trade import tick_to_trade

ROOT = Path(__file__).resolve().parents[1]
PAGE = "docs/reference/figures.md"


def path_figures(measured: Measured) -> dict[str, Any]:
    """out/bench/path.json."""
    missing: dict[str, str] = {}

    def value(key: str, found: Any, how: str) -> Any:
        if found is None or found == []:
            missing[key] = f"not measured here: {how}"
            return None
        return found

    def design(key: str, name: str) -> Any:
        return value(key, measured.get(f"pnr/{name}", "fmax_mhz"), f"make pnr DESIGN={name}")

    def stops(width: str, preset: str) -> dict[str, Any]:
        key = f"stops.{width}.last_first"
        cycles = value(
            f"{key}_cycles.max", measured.get("bench/session", f"stop_last_first_cycles.{width}.max"), "tickwire-verify bench session"
        )
        placed = measured.nanoseconds(preset, cycles)
        return {
            "last_first_cycles": {"max": cycles},
            "last_first_ns": {"max": value(f"{key}_ns.max", placed, f"make pnr DESIGN={preset}, tickwire-verify bench session")},
            "clock_mhz": measured.clock(preset),
        }

    durable = measured.get("bench/session", "fix_ack.durable.p50")
    quickfix = measured.get("bench/session", "fix_ack.quickfix_file.p50")
    counts = [measured.get(f"bench/{name}", "mismatches") for name in ("foundation", "arbiter")]
    of_orders = measured.get("bench/orders", "mismatches") or 0  # orders_compared says whether there are any
    mismatches = None if None in counts else sum(counts) + of_orders
    minutes = measured.get("test_times", "minutes") if measured.get("test_times", "passed") else None
    figures = {
        "stops": {"w64": stops("w64", "stops_10g"), "w8": stops("w8", "stops_1g")},
        "stops_10g": {
            "fmax_mhz": design("stops_10g.fmax_mhz", "stops_10g"),
            "lut4": value("stops_10g.lut4", measured.get("pnr/stops_10g", "lut4"), "make pnr DESIGN=stops_10g"),
        },
        "stops_1g": {"fmax_mhz": design("stops_1g.fmax_mhz", "stops_1g")},
        "statistics_10g": {"fmax_mhz": design("statistics_10g.fmax_mhz", "statistics_10g")},
        "statistics_1g": {"fmax_mhz": design("statistics_1g.fmax_mhz", "statistics_1g")},
        "orders_compared": value("orders_compared", measured.get("bench/orders", "orders_compared"), "the lockstep of orders"),
        "fuzz_frames": value("fuzz_frames", measured.get("bench/foundation", "fuzz_frames"), "tickwire-verify bench foundation"),
        "mismatches": value("mismatches", mismatches, "tickwire-verify bench foundation, tickwire-verify bench arbiter"),
        "fix": {
            "encode_ns": value("fix.encode_ns", measured.get("bench/session", "fix_encode_order_ns"), "tickwire-verify bench session"),
            "parse_ns": value("fix.parse_ns", measured.get("bench/session", "fix_parse_report_ns"), "tickwire-verify bench session"),
            "disk_over_quickfix": value(
                "fix.disk_over_quickfix",
                round(durable / quickfix, 2) if durable and quickfix else None,
                "tickwire-verify bench session, with QuickFIX (Debian: apt install libquickfix-dev)",
            ),
        },
        "test_minutes": value("test_minutes", minutes, "make test, passed"),
    }
    return figures | {"date": time.strftime("%Y-%m-%d", time.gmtime()), "revision": revision(), "missing": missing}


Rows = dict[tuple[str, str], list[str]]


def rows_before(text: str) -> Rows:
    """The rows of a page in their order, by what they are of and the command ("the same" is of several)."""
    rows: Rows = {}
    for line in text.splitlines():
        cells = line.removeprefix("| ").removesuffix(" |").split(" | ")
        if line.startswith("| ") and len(cells) == 7:
            rows.setdefault((cells[0], cells[6]), []).append(line)
    return rows


def row_text(row: Row, measured: Measured, before: Rows) -> str:
    """The row in Markdown; as it was `before`, if there is no other figure."""
    figure = row.figure(measured)
    same = before.get((row.what, f"`{row.command}`"), [])
    was = same.pop(0) if same else None
    if not figure and was:
        return was
    content = measured.file(row.file)
    own = content if isinstance(content, dict) else {}
    seeds = ", ".join(map(str, own["seeds"])) if own.get("seeds") else row.seeds
    date = own.get("date", measured.when(row.file))[:10]
    at = own.get("revision", "not recorded") if figure else ""
    return (
        f"| {row.what} | {figure or 'not measured here'} | {row.published} | {seeds} | {date if figure else ''} | {at} | `{row.command}` |"
    )


def page(measured: Measured, before: Rows) -> str:
    """docs/reference/figures.md."""
    head = ["| what | figure | beside | seeds | date | revision | command |", "|---|---|---|---|---|---|---|"]
    lines = [
        "# Figures",
        "",
        "Written by `make bench` from the files below `out/`, never by hand. What is not measured again stays, with its date and its",
        "revision; what never was says so.",
        "Cycles are of the simulated core, at its interface; nanoseconds are those cycles at the slowest clock that place and route",
        "reached for that preset, here or at the revision that rtl/placed.json records. Software figures are of that machine.",
        "",
        *head,
        *(row_text(row, measured, before) for row in ROWS),
        "",
        "## Place and route",
        "",
        "Every port registered; seeds in the order of their clocks. `make pnr` writes these; a core takes 10 to 40 minutes.",
        "",
        *head,
        *(row_text(row, measured, before) for row in placed_rows()),
        "",
        "## Area by stage",
        "",
        "Of each preset's netlist, as it was placed last: stages and their parts that have at least 2 % of its LUTs, those of their own",
        "parts included. A LUT belongs to the module whose name it has; where the mapper merged logic of two, that is one of both.",
        "",
        *areas(measured),
    ]
    return "\n".join(lines)


def revision() -> str:
    """Of the sources, with -dirty if anything but the page that this writes was changed since."""

    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()

    at = git("describe", "--always")
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", f":!{PAGE}")
    return f"{at or 'unknown'}{'-dirty' if changed else ''}"


def stamp(path: Path) -> None:
    """Adds today's date and the revision to a JSON object that has just been measured; a file that is no JSON object stays as it is."""
    try:
        record = json.loads(path.read_text())
    except (OSError, ValueError):
        return
    if isinstance(record, dict):
        stamped = record | {"date": time.strftime("%Y-%m-%d", time.gmtime()), "revision": revision()}
        path.write_text(json.dumps(stamped, indent=2) + "\n")


def main() -> int:
    if sys.argv[1:2] == ["--stamp"]:
        for name in sys.argv[2:]:
            stamp(Path(name))
        return 0
    measured = Measured(ROOT / "out")
    figures = path_figures(measured)
    target = ROOT / "out" / "bench" / "path.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(figures, indent=2) + "\n")
    whole = tick_to_trade(measured) | {"date": figures["date"], "revision": figures["revision"]}
    (target.parent / "tick_to_trade.json").write_text(json.dumps(whole, indent=2) + "\n")
    shipped = products(measured) | {"date": figures["date"], "revision": figures["revision"]}
    (target.parent / "products.json").write_text(json.dumps(shipped, indent=2) + "\n")
    measured.keep({row.file for row in ROWS} | {"bench/house"})
    before = rows_before((ROOT / PAGE).read_text()) if (ROOT / PAGE).exists() else {}
    (ROOT / PAGE).write_text(page(measured, before))
    print(f"written: out/bench/path.json, out/bench/tick_to_trade.json, out/bench/products.json, {PAGE}")
    for key, why in (figures["missing"] | whole["missing"] | shipped["missing"]).items():
        print(f"  {key}: {why}")
    differ = (figures["mismatches"] or 0) + (whole["mismatches"] or 0) + (shipped["mismatches"] or 0)
    if differ:
        print(f"hardware and software differ: {differ} times", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
