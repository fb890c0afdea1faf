"""out/bench/tick_to_trade.json: tick to trade in one object, from what `tickwire measure` and `tickwire-verify bench` left in out/bench/.

Cores are at the slowest clock that their seeds reached; a core that was never placed has no nanoseconds.
"""

from typing import Any

from measured import Measured

# Where `tickwire measure` on the order log, and on ITCH, leave their figures.
ORDER_LOG = "bench/order_log"
ORDER_LOG_PRICES = "bench/order_log_prices"
ITCH = "bench/itch"
ITCH_TRADER = "itch_trader_10g"
STRATEGY = "bench/strategy"
MODULES = "bench/strategy_modules"

# What the figures are called, in which file they are, and what `tickwire measure` calls them. best_price is in the core of `wire_rate`
# itself; the others have a strategy in the language.
TARGETS = {
    "wire_rate": (ORDER_LOG_PRICES, "fpga_w64_wire_rate"),
    "module": (ORDER_LOG, "fpga_w64_module_wire_rate"),
    "processor": (ORDER_LOG, "fpga_w64_processor_wire_rate"),
    "software": (ORDER_LOG, "software_busy_poll"),
}
# Stages are of packets that come one by one, and of cores.
STAGED = {name: series for name, series in TARGETS.items() if name != "software"} | {"itch": (ITCH, "fpga_w64")}
STATISTICS = {name: name for name in ("min", "mean", "p50", "p95", "p97", "p99", "p999", "max")} | {"stddev": "sd"}
STAGES = ("receive", "decode", "book", "strategy", "risk", "send")


def tick_to_trade(measured: Measured) -> dict[str, Any]:
    """Its content; what was not measured is null, with the command under `missing`."""
    missing: dict[str, str] = {}

    def value(key: str, file: str, path: str, command: str) -> Any:
        found = measured.get(file, path)
        if found is None:
            missing[key] = f"not measured here: {command}"
        return found

    def of_target(name: str, file: str, series: str) -> dict[str, Any]:
        measure = "tickwire measure on the order log, and make pnr"
        path = f"{series}.nanoseconds"
        return {f"{ours}_ns": value(f"{name}.{ours}_ns", file, f"{path}.{theirs}", measure) for ours, theirs in STATISTICS.items()} | {
            f"{ours}_cycles": measured.get(file, f"{series}.cycles.{theirs}") for ours, theirs in STATISTICS.items() if name != "software"
        }

    def at_clock(key: str, cycles: Any) -> Any:
        found = measured.nanoseconds(ITCH_TRADER, cycles)
        if found is None:
            missing[key] = "not measured here: tickwire-verify bench book, and make pnr"
        return found

    def of_itch(kind: str) -> dict[str, Any]:
        measure = "tickwire measure on ITCH"
        return {
            pace: {
                which: value(f"itch_{kind}_ns.{pace}.{which}", ITCH, f"{series}.{kind}_ns.{which}", measure) for which in ("mean", "max")
            }
            for pace, series in {"1x": "fpga_w64_1x", "8x": "fpga_w64_8x"}.items()
        }

    def clocks(key: str, design: str) -> Any:
        return value(key, f"pnr/{design}", "fmax_mhz", f"make pnr DESIGN={design}")

    counts = [measured.get(file, "mismatches") for file in (ORDER_LOG, ORDER_LOG_PRICES, ITCH, STRATEGY)]
    return {
        **{name: of_target(name, *series) for name, series in TARGETS.items()},
        "itch": {
            f"{kind}_ns": at_clock(f"itch.{kind}_ns", measured.get("bench/book", f"w64.{series}.max"))
            for kind, series in {"any": "last_first_cycles", "improving": "improving_add_cycles"}.items()
        },
        "software_over_echo": value("software_over_echo", "bench/book", "software_over_echo", "tickwire-verify bench book"),
        "stages": {
            name: {stage: measured.get(file, f"{series}.stages.{stage}.mean") for stage in STAGES}
            for name, (file, series) in STAGED.items()
        },
        "itch_eot_sof_ns": of_itch("eot_sof"),
        "itch_som_sof_ns": of_itch("som_sof"),
        "w64": {"fmax_mhz": clocks("w64.fmax_mhz", ITCH_TRADER)},
        "order_log_processor_10g": {"fmax_mhz": clocks("order_log_processor_10g.fmax_mhz", "order_log_processor_10g")},
        "order_log_module_10g": {"fmax_mhz": clocks("order_log_module_10g.fmax_mhz", "order_log_module_10g")},
        **{
            name: value(name, ORDER_LOG, f"{TARGETS['module'][1]}.{series}", "tickwire measure on the order log")
            for name, series in {"sim_seconds": "simulation_seconds", "edit_to_simulation_seconds": "edit_to_simulation_seconds"}.items()
        },
        "handler_ns": value("handler_ns", STRATEGY, "handler_ns", "tickwire-verify bench strategy"),
        "backtest_seconds": value("backtest_seconds", STRATEGY, "backtest_seconds", "tickwire-verify bench strategy, with the AAPL hour"),
        "programs": value("programs", STRATEGY, "programs", "tickwire-verify bench strategy"),
        "programs_wire": value("programs_wire", MODULES, "programs_wire", "make bench"),
        "mismatches": None if None in counts else sum(counts),
        "missing": missing,
    }
