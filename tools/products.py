"""out/bench/products.json: each preset, the part and clock it reached, its size, and its latency at that clock.

From what `make pnr` left in out/pnr (or rtl/placed.json has), and `tickwire measure` in out/bench. Nanoseconds are at the slowest clock
of its seeds.
"""

from pathlib import Path
from typing import Any

import presets
from measured import Measured
from sources import RTL

# Where the latency of a product is, from the last byte to the first: the file, and the series of cycles in it. Others have no series.
LATENCIES = {
    "stops_1g": ("bench/session", "stop_last_first_cycles.w8"),
    "stops_10g": ("bench/session", "stop_last_first_cycles.w64"),
    "itch_trader_10g": ("bench/itch", "fpga_w64.cycles"),
    "moex_10g_one_line": ("bench/order_log", "fpga_w64_processor.cycles"),
    "order_log_module_10g": ("bench/order_log", "fpga_w64_module_wire_rate.cycles"),
    "order_log_processor_10g": ("bench/order_log", "fpga_w64_processor_wire_rate.cycles"),
    "order_log_trader_10g": ("bench/order_log_prices", "fpga_w64_wire_rate.cycles"),
}
COMPARED = ("bench/itch", "bench/order_log", "bench/order_log_prices")  # with software, packet by packet
STATISTICS = {"min": "min", "mean": "mean", "p999": "p999", "max": "max"}


def lines(path: Path) -> int:
    return len(path.read_text().splitlines())


def products(measured: Measured) -> dict[str, Any]:
    """Its content; what was not measured is null, with the command under `missing`."""
    missing: dict[str, str] = {}

    def value(key: str, found: Any, how: str) -> Any:
        if found is None:
            missing[key] = f"not measured here: {how}"
        return found

    def product(preset: presets.Preset) -> dict[str, Any]:
        design = f"pnr/{preset.name}"
        placed = {
            ours: value(f"{preset.name}.{ours}", measured.get(design, theirs), f"make pnr DESIGN={preset.name}")
            for ours, theirs in {"part": "device", "fmax_mhz": "fmax_mhz", "lut4": "lut4", "ebr": "ebr", "pnr_minutes": "minutes"}.items()
        }
        clocks = placed | {"wanted_mhz": preset.place[0].clock_mhz}
        if preset.name not in LATENCIES:
            return clocks
        file, series = LATENCIES[preset.name]
        cycles = {ours: measured.get(file, f"{series}.{theirs}") for ours, theirs in STATISTICS.items()}
        nanoseconds = {
            name: value(f"{preset.name}.latency_ns.{name}", measured.nanoseconds(preset.name, found), "make bench, make pnr")
            for name, found in cycles.items()
        }
        return clocks | {"latency_cycles": cycles, "latency_ns": nanoseconds}

    counts = [measured.get(file, "mismatches") for file in COMPARED]
    return {
        **{preset.name: product(preset) for preset in presets.load()},
        "mismatches": None if None in counts else sum(counts),
        "rtl_lines": sum(lines(path) for path in RTL.rglob("*.sv") if "generated" not in path.parts),
        "top_lines": {path.stem: lines(path) for path in sorted((RTL / "cores").glob("*.sv"))},
        "missing": missing,
    }
