#!/usr/bin/env python3
"""Writes out/bench/path.json and docs/reference/figures.md from what `make bench`, `make pnr` and `make test` left in out/.

What was not measured is null in the JSON, with the reason under `missing`, and a dash with the reason in the page. Nanoseconds are
cycles at the slowest clock that the seeds of place and route reached, never at a required clock.

With --stamp FILE...: adds date and revision to files that a measurement has just written, and does nothing else.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import presets
from placed import RECORD
from placed import load as load_placed

ROOT = Path(__file__).resolve().parents[1]
PAGE = "docs/reference/figures.md"


class Measured:
    """The files below out/, by name, and values in them by path."""

    def __init__(self, out: Path, record: Path = RECORD) -> None:
        self.out = out
        self.placed = load_placed(record)
        self.files: dict[str, Any] = {}

    def file(self, name: str) -> Any:
        """The content of out/NAME.json; of a design that was not placed here, its record; none if it is absent or no JSON."""
        if name not in self.files:
            try:
                self.files[name] = json.loads((self.out / f"{name}.json").read_text())
            except (OSError, ValueError):
                folder, _, design = name.partition("/")
                self.files[name] = self.placed.get(design) if folder == "pnr" else None
        return self.files[name]

    def get(self, name: str, path: str = "") -> Any:
        """The value at `a.b.0.c` in a file; none if any part of it is absent."""
        value = self.file(name)
        for part in path.split(".") if path else []:
            if isinstance(value, list) and part.isdigit() and int(part) < len(value):
                value = value[int(part)]
            elif isinstance(value, dict):
                value = value.get(part)
            else:
                return None
        return value

    def clock(self, design: str) -> float | None:
        """The slowest clock of a design's seeds, in MHz."""
        clocks = self.get(f"pnr/{design}", "fmax_mhz")
        return min(clocks) if clocks else None

    def nanoseconds(self, design: str, cycles: float | None) -> float | None:
        """Cycles at the design's clock."""
        clock = self.clock(design)
        return None if clock is None or cycles is None else round(cycles * 1000 / clock, 2)

    def when(self, name: str) -> str:
        """The day on which a file was written."""
        path = self.out / f"{name}.json"
        return time.strftime("%Y-%m-%d", time.gmtime(path.stat().st_mtime)) if path.exists() else "-"


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
        cycles = value(f"{key}_cycles.max", measured.get("bench/session", f"stop_last_first_cycles.{width}.max"), "tickwire bench session")
        placed = measured.nanoseconds(preset, cycles)
        return {
            "last_first_cycles": {"max": cycles},
            "last_first_ns": {"max": value(f"{key}_ns.max", placed, f"make pnr DESIGN={preset}, tickwire bench session")},
            "clock_mhz": measured.clock(preset),
        }

    durable = measured.get("bench/session", "fix_ack.durable.p50")
    quickfix = measured.get("bench/session", "fix_ack.quickfix_file.p50")
    counts = [measured.get(f"bench/{name}", "mismatches") for name in ("foundation", "arbiter")]
    of_orders = measured.get("bench/orders", "mismatches") or 0  # orders_compared says whether there are any
    mismatches = None if None in counts else sum(counts) + of_orders
    minutes = measured.get("test_times", "minutes") if measured.get("test_times", "passed") else None
    nexus = "itch_10g_lifcl_40_9"
    figures = {
        "stops": {"w64": stops("w64", "stops_10g"), "w8": stops("w8", "stops_1g")},
        "stops_10g": {
            "fmax_mhz": design("stops_10g.fmax_mhz", "stops_10g"),
            "lut4": value("stops_10g.lut4", measured.get("pnr/stops_10g", "lut4"), "make pnr DESIGN=stops_10g"),
        },
        "stops_1g": {"fmax_mhz": design("stops_1g.fmax_mhz", "stops_1g")},
        "itch_10g": {
            "fmax_mhz": design("itch_10g.fmax_mhz", "itch_10g"),
            "fmax_mhz_nexus": design("itch_10g.fmax_mhz_nexus", nexus),
        },
        "itch_1g": {"fmax_mhz": design("itch_1g.fmax_mhz", "itch_1g")},
        "orders_compared": value("orders_compared", measured.get("bench/orders", "orders_compared"), "the lockstep of orders"),
        "fuzz_frames": value("fuzz_frames", measured.get("bench/foundation", "fuzz_frames"), "tickwire bench foundation"),
        "mismatches": value("mismatches", mismatches, "tickwire bench foundation, tickwire bench arbiter"),
        "fix": {
            "encode_ns": value("fix.encode_ns", measured.get("bench/session", "fix_encode_order_ns"), "tickwire bench session"),
            "parse_ns": value("fix.parse_ns", measured.get("bench/session", "fix_parse_report_ns"), "tickwire bench session"),
            "disk_over_quickfix": value(
                "fix.disk_over_quickfix",
                round(durable / quickfix, 2) if durable and quickfix else None,
                "tickwire bench session, with QuickFIX (Debian: apt install libquickfix-dev)",
            ),
        },
        "test_minutes": value("test_minutes", minutes, "make test, passed"),
    }
    return figures | {"date": time.strftime("%Y-%m-%d", time.gmtime()), "revision": revision(), "missing": missing}


@dataclass(frozen=True)
class Row:
    """A line of the page: what it is, the figure or none, what it is compared with, seeds or sample, the command, the file it is from."""

    what: str
    figure: Callable[[Measured], str | None]
    published: str
    seeds: str
    command: str
    file: str


def number(value: float) -> str:
    """As a person writes it: at most three decimals, thousands apart."""
    return f"{value:,.0f}" if value == round(value) else f"{value:,.3f}".rstrip("0") if value < 1 else f"{value:,.1f}"


def values(file: str, text: str, *paths: str) -> Callable[[Measured], str | None]:
    """The text with the values at these paths; none if one of them is absent."""

    def figure(measured: Measured) -> str | None:
        found = [measured.get(file, path) for path in paths]
        if any(value is None for value in found):
            return None
        return text.format(*(number(value) if isinstance(value, int | float) else value for value in found))

    return figure


def latency(file: str, path: str, preset: str) -> Callable[[Measured], str | None]:
    """Cycles, and nanoseconds at the clock that the preset reached."""

    def figure(measured: Measured) -> str | None:
        cycles = measured.get(file, path)
        if cycles is None:
            return None
        placed, clock = measured.nanoseconds(preset, cycles), measured.clock(preset)
        at = (
            f"{placed:.1f} ns at {clock:.1f} MHz (`{preset}`, slowest seed)" if placed else f"`{preset}` not placed here, so no nanoseconds"
        )
        return f"{number(cycles)} cycles, {at}"

    return figure


def placed(name: str) -> Callable[[Measured], str | None]:
    """Clock, size and verdict of a design."""

    def figure(measured: Measured) -> str | None:
        design = measured.file(f"pnr/{name}")
        if design is None:
            return None
        clocks = ", ".join(f"{clock:.1f}" for clock in design["fmax_mhz"])
        verdict = "met" if design["met"] else "MISSED"
        text = f"{clocks} MHz on the {design['device']}, {design['target_mhz']:g} wanted: {verdict}"
        if "lut4" in design:
            text += f"; {design['lut4']:,} LUT4, {design['ff']:,} flip-flops, {design['ebr']} block RAMs, {design['dsp']} DSPs"
        return text

    return figure


GENERATED = "generated data seed 16, AAPL hour where it is"
ROWS = (
    Row(
        "ITCH: last byte of the tick in → first byte of the report out, W = 64, two lines",
        latency("bench/foundation", "w64.last_first_cycles.max", "itch_10g_two_lines"),
        "2.7 µs (system B, 2011)",
        GENERATED,
        "tickwire bench foundation",
        "bench/foundation",
    ),
    Row(
        "the same, W = 8",
        latency("bench/foundation", "w8.last_first_cycles.max", "itch_1g_two_lines"),
        "",
        GENERATED,
        "tickwire bench foundation",
        "bench/foundation",
    ),
    Row(
        "reports of hardware and software compared, W = 8 / W = 64",
        values("bench/foundation", "{} / {}", "w8.reports_compared", "w64.reports_compared"),
        "",
        GENERATED,
        "tickwire bench foundation",
        "bench/foundation",
    ),
    Row(
        "mutated frames through hardware and software; differences of any kind",
        values("bench/foundation", "{}; {}", "fuzz_frames", "mismatches"),
        "",
        "1000 to 1003",
        "tickwire bench foundation",
        "bench/foundation",
    ),
    Row(
        "ITCH in software, one thread, a message: parse / parse and filter / the complete pipeline",
        values("bench/foundation", "{} / {} / {} ns", "itch.0.parse_ns", "itch.0.parse_filter_ns", "itch.0.handler_ns"),
        "6.8 to 6.9 ns to parse and filter, the best open parsers",
        "AAPL hour, or generated seed 8000",
        "tickwire bench foundation",
        "bench/foundation",
    ),
    Row(
        "order book in software at 8,000 symbols, with queues, one thread, parse included, a message; as a multiple of the parse",
        values("bench/book", "{} ns; {}", "ns_per_message", "of_parse"),
        "51 ns (itch-order-book, levels only, another run)",
        "8000; processor time, least of 7 passes",
        "tickwire bench book",
        "bench/book",
    ),
    Row(
        "order book in software against a plain one after every message; differences",
        values("bench/book", "{}; {}", "messages_compared", "mismatches"),
        "",
        "16; the AAPL hour where it is",
        "tickwire bench book",
        "bench/book",
    ),
    Row(
        "order book in hardware against software, bad frames and a rebuild included: messages; all differences of the book",
        values("bench/book", "{}; {}", "hardware.messages_compared", "mismatches"),
        "",
        "16, 18; the AAPL hour where it is",
        "make bench",
        "bench/book",
    ),
    Row(
        "order book in hardware: an event to the best price; between two events",
        values("bench/book", "{} cycles; {}", "best_price_cycles", "interval_cycles"),
        "11 cycles, one a cycle (vendor's claim)",
        "80 events",
        "make bench",
        "bench/book",
    ),
    Row(
        "mutated frames through the book, bad verdicts included; of these through the cores that trade; differences of the book",
        values("bench/book", "{}; {}; {}", "fuzz_frames", "fuzz.core_frames", "mismatches"),
        "",
        "101 on",
        "make bench",
        "bench/book",
    ),
    Row(
        "tick to trade: last byte of a message that changes the best price in → first byte of the order out, W = 64, any message",
        latency("bench/book", "w64.last_first_cycles.max", "itch_trader_10g"),
        "561 ns least, 640 mean, 1,163 most (system E, 2018)",
        "AAPL; generated, seed 16",
        "make bench",
        "bench/book",
    ),
    Row(
        "the same where an add improves the best price",
        latency("bench/book", "w64.improving_add_cycles.max", "itch_trader_10g"),
        "",
        "AAPL; generated, seed 16",
        "make bench",
        "bench/book",
    ),
    Row(
        "tick to trade, W = 8, any message",
        latency("bench/book", "w8.last_first_cycles.max", "itch_trader_1g"),
        "",
        "AAPL; generated, seed 16",
        "make bench",
        "bench/book",
    ),
    Row(
        "tick to trade: orders of hardware and software compared, W = 64 / W = 8; most cycles between two messages of a kind",
        values("bench/book", "{} / {}; {} / {}", *(f"{w}.{key}" for key in ("orders_compared", "jitter_cycles") for w in ("w64", "w8"))),
        "",
        "AAPL; generated, seed 16",
        "make bench",
        "bench/book",
    ),
    Row(
        "tick to trade in software on sockets, busy-poll, p50; as a multiple of a bare echo from UDP to TCP in the same run",
        values("bench/book", "{} ns; {}", "tick_to_trade.busy_poll.order_ns.p50", "software_over_echo"),
        "",
        "20,000 orders",
        "tickwire bench book",
        "bench/book",
    ),
    Row(
        "software pipeline on sockets, busy-poll, last→first p50; as a multiple of a bare UDP echo",
        values("bench/foundation", "{} ns; {}", "software.handler.0.last_first_ns.p50", "software.handler.0.of_echo"),
        "",
        GENERATED,
        "tickwire bench foundation",
        "bench/foundation",
    ),
    Row(
        "price in → stop order out, W = 64, most of all rounds",
        latency("bench/session", "stop_last_first_cycles.w64.max", "stops_10g"),
        "640 ns mean, 780 most (system C, 2018)",
        "1,000 rounds",
        "tickwire bench session",
        "bench/session",
    ),
    Row(
        "the same, W = 8",
        latency("bench/session", "stop_last_first_cycles.w8.max", "stops_1g"),
        "",
        "1,000 rounds",
        "tickwire bench session",
        "bench/session",
    ),
    Row(
        "the software client in the same market, p50",
        values("bench/session", "{} ns", "stop_software_ns.p50"),
        "",
        "1,000 rounds",
        "tickwire bench session",
        "bench/session",
    ),
    Row(
        "decision of a strategy → first byte of the order, W = 64 / W = 8",
        values("bench/decision_first_byte", "{} / {} cycles", "w64", "w8"),
        "",
        "cocotb seed 1",
        "pytest tests/rtl/test_order_path.py",
        "bench/decision_first_byte",
    ),
    Row(
        "orders over lines that lose, reorder, double, corrupt, delay: sent, lost, doubled",
        values("bench/bad_lines", "{}, {}, {}", "orders", "lost", "doubled"),
        "",
        "",
        "make orders",
        "bench/bad_lines",
    ),
    Row(
        "orders of hardware and software compared; differences",
        values("bench/orders", "{}; {}", "orders_compared", "mismatches"),
        "",
        "",
        "make bench",
        "bench/orders",
    ),
    Row(
        "FIX: encode an order / parse a report, CheckSum verified",
        values("bench/session", "{} / {} ns", "fix_encode_order_ns", "fix_parse_report_ns"),
        "59 / 119 ns (hffix, another run)",
        "best of 4,000 passes",
        "tickwire bench session",
        "bench/session",
    ),
    Row(
        "FIX order over loopback to its report, p50: in memory / QuickFIX C++, same run",
        values("bench/session", "{} / {} µs", "fix_ack.memory.p50", "fix_ack.quickfix.p50"),
        "",
        "5,000 orders",
        "tickwire bench session",
        "bench/session",
    ),
    Row(
        "with journal and sessions on disk / QuickFIX with its file store, same run",
        values("bench/session", "{} / {} µs", "fix_ack.durable.p50", "fix_ack.quickfix_file.p50"),
        "",
        "5,000 orders",
        "tickwire bench session",
        "bench/session",
    ),
    Row(
        "FIX 4.4 acceptance scripts of QuickFIX: passed, of",
        values("bench/fix_acceptance", "{}, {}", "passed", "scripts"),
        "",
        "",
        "cargo test -p session --test acceptance",
        "bench/fix_acceptance",
    ),
    Row(
        "matching engine, one thread",
        values("bench/session", "{} operations/s", "match_orders_per_s"),
        "22 million/s (best open engine)",
        "4",
        "tickwire bench session",
        "bench/session",
    ),
    Row(
        "A/B arbiter, an expected packet: low latency / high reliability",
        values("bench/arbiter", "{} / {} cycles", "low_latency_cycles.max", "expected_cycles.max"),
        "1 / 7 cycles (system D, 2014)",
        "1",
        "tickwire bench arbiter",
        "bench/arbiter",
    ),
    Row(
        "A/B arbiter against its rules / against its software, packets; differences",
        values("bench/arbiter", "{} / {}; {}", "random_packets", "lockstep_packets", "mismatches"),
        "",
        "10,000 on",
        "tickwire bench arbiter",
        "bench/arbiter",
    ),
    Row(
        "`make test`: minutes, processor minutes",
        values("test_times", "{}, {} on {} processors", "minutes", "processor_minutes", "processors"),
        "",
        "",
        "make test",
        "test_times",
    ),
)
BLOCKS = (
    ("arbiter_w8", "the arbiter alone, W = 8", ""),
    ("arbiter_w64", "the arbiter alone, W = 64", "one policy, 64 bits, 1,609 LUT4, 94 to 101 MHz"),
    ("arbiter_w128_seq64", "the arbiter alone, W = 128, 64-bit numbers", "166 MHz on a Virtex-6 (system D)"),
    ("arbiter_w128_seq32", "the arbiter alone, W = 128, 32-bit numbers", "190 MHz on a Virtex-6 (system D)"),
    ("book", "the order book alone, 12,288 orders", "10,262 LUT4 and 42 MHz, price ladder of the best open trading core"),
    ("tcp_w8", "the TCP client alone, W = 8", ""),
    ("tcp_w64", "the TCP client alone, W = 64", "2,219 LUT4 and 97 MHz, TCP transmit of the best open trading core"),
)


def placed_rows() -> list[Row]:
    """A row a preset and part, then the blocks alone."""
    rows = []
    for preset in presets.load():
        for index, place in enumerate(preset.place):
            name = preset.name if index == 0 else f"{preset.name}_{place.part.lower().replace('-', '_')}"
            rows.append(Row(f"`{name}`: {preset.summary}", placed(name), "", "", f"make pnr DESIGN={name}", f"pnr/{name}"))
    return rows + [Row(what, placed(name), beside, "", f"make pnr DESIGN={name}", f"pnr/{name}") for name, what, beside in BLOCKS]


def row_text(row: Row, measured: Measured) -> str:
    """The row in Markdown."""
    figure = row.figure(measured)
    content = measured.file(row.file)
    own = content if isinstance(content, dict) else {}
    seeds = ", ".join(map(str, own["seeds"])) if own.get("seeds") else row.seeds
    date = own.get("date", measured.when(row.file))[:10]
    at = own.get("revision", "not recorded") if figure else ""
    return (
        f"| {row.what} | {figure or 'not measured here'} | {row.published} | {seeds} | {date if figure else ''} | {at} | `{row.command}` |"
    )


def page(measured: Measured) -> str:
    """docs/reference/figures.md."""
    head = ["| what | figure | beside | seeds | date | revision | command |", "|---|---|---|---|---|---|---|"]
    lines = [
        "# Figures",
        "",
        "Written by `make bench` from the files below `out/`, never by hand: what was not measured on that machine says so.",
        "Cycles are of the simulated core, at its interface; nanoseconds are those cycles at the slowest clock that place and route",
        "reached for that preset, here or at the revision that rtl/placed.json records. Software figures are of that machine.",
        "",
        *head,
        *(row_text(row, measured) for row in ROWS),
        "",
        "## Place and route",
        "",
        "Every port registered; seeds in the order of their clocks. `make pnr` writes these; a core takes 10 to 40 minutes.",
        "",
        *head,
        *(row_text(row, measured) for row in placed_rows()),
        "",
    ]
    return "\n".join(lines)


def revision() -> str:
    """Of the sources, with -dirty if they were changed since."""
    done = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


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
    (ROOT / PAGE).write_text(page(measured))
    print(f"written: out/bench/path.json, {PAGE}")
    for key, why in figures["missing"].items():
        print(f"  {key}: {why}")
    if figures["mismatches"]:
        print(f"hardware and software differ: {figures['mismatches']} times", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
