"""out/bench/products.json: each product of rtl/cores/, the part and clock it reached, its size, and its latency at that clock.

From what `make pnr` left in out/pnr (or rtl/placed.json has), and `tickwire measure` in out/bench. Nanoseconds are at the slowest clock
of its seeds.
"""

from typing import Any

import presets
from measured import Measured

# Where the latency of a product is: the file, and the series in it.
LATENCIES = {"order_log_trader_10g": ("bench/order_log_prices", "fpga_w64_wire_rate")}
STATISTICS = {"min": "min", "mean": "mean", "p999": "p999", "max": "max"}


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
        file, series = LATENCIES[preset.name]
        cycles = {ours: measured.get(file, f"{series}.cycles.{theirs}") for ours, theirs in STATISTICS.items()}
        nanoseconds = {
            name: value(f"{preset.name}.latency_ns.{name}", measured.nanoseconds(preset.name, found), "make bench, make pnr")
            for name, found in cycles.items()
        }
        return placed | {"wanted_mhz": preset.place[0].clock_mhz, "latency_cycles": cycles, "latency_ns": nanoseconds}

    shipped = [preset for preset in presets.load() if preset.top != "core"]
    counts = [measured.get(file, "mismatches") for file, _ in LATENCIES.values()]
    return {
        **{preset.name: product(preset) for preset in shipped},
        "mismatches": None if None in counts else sum(counts),
        "missing": missing,
    }
