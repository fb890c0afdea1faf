"""path.json and the page of figures: what is measured is there, at the placed clock; what is not is null with a reason."""

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import figures
import placed
from products import products
from tick_to_trade import tick_to_trade


def measured(folder: Path, files: dict[str, Any]) -> figures.Measured:
    for name, content in files.items():
        path = folder / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content))
    return figures.Measured(folder, folder / "placed.json", folder / "kept")


DESIGN = {"fmax_mhz": [130.0, 125.0, 140.0], "device": "LFE5UM5G-85F-8", "target_mhz": 156.25, "met": False, "seeds": [1, 2, 3]}
SIZE = {"lut4": 40_000, "ff": 20_000, "ebr": 60, "dsp": 1, "date": "2026-01-02", "revision": "abc1234"}


def test_nanoseconds_are_at_the_slowest_placed_clock(tmp_path: Path) -> None:
    out = measured(tmp_path, {"bench/session": {"stop_last_first_cycles": {"w64": {"max": 15}}}, "pnr/stops_10g": DESIGN | SIZE})
    path = figures.path_figures(out)
    assert path["stops"]["w64"]["last_first_ns"]["max"] == 120.0  # 15 cycles at 125 MHz, not at the 156.25 wanted
    assert path["stops_10g"] == {"fmax_mhz": [130.0, 125.0, 140.0], "lut4": 40_000}
    assert "stops.w64.last_first_ns.max" not in path["missing"]


def test_a_design_that_was_not_placed_here_has_the_clock_that_the_sources_record_and_one_that_was_has_its_own(tmp_path: Path) -> None:
    session = {"bench/session": {"stop_last_first_cycles": {"w64": {"max": 15}}}}
    placed.record({"name": "stops_10g", "fmax_mhz": [100.0]} | SIZE, tmp_path / "placed.json")
    recorded = measured(tmp_path, session)
    assert figures.path_figures(recorded)["stops"]["w64"]["last_first_ns"]["max"] == 150.0
    own = measured(tmp_path, {"pnr/stops_10g": DESIGN | SIZE})
    assert figures.path_figures(own)["stops"]["w64"]["last_first_ns"]["max"] == 120.0


def test_what_is_kept_of_a_measurement_is_no_design_of_its_name(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "fast_wire.json").write_text('{"mismatches": 0}')
    placed.record({"name": "fast_wire", "fmax_mhz": [100.0]} | SIZE, tmp_path / "placed.json")
    measured = figures.Measured(tmp_path, tmp_path / "placed.json", kept)
    assert measured.get("bench/fast_wire", "mismatches") == 0
    assert measured.clock("fast_wire") == 100.0


def test_without_a_placement_there_are_no_nanoseconds(tmp_path: Path) -> None:
    out = measured(tmp_path, {"bench/session": {"stop_last_first_cycles": {"w64": {"max": 15}}}})
    path = figures.path_figures(out)
    assert path["stops"]["w64"]["last_first_cycles"]["max"] == 15
    assert path["stops"]["w64"]["last_first_ns"]["max"] is None
    assert "make pnr DESIGN=stops_10g" in path["missing"]["stops.w64.last_first_ns.max"]
    assert "not placed here" in figures.page(out, {})


def test_whatever_is_absent_is_null_and_named_with_what_measures_it(tmp_path: Path) -> None:
    path = figures.path_figures(measured(tmp_path, {}))
    for key in ("orders_compared", "fuzz_frames", "mismatches", "test_minutes"):
        assert path[key] is None
        assert key in path["missing"]
    assert path["fix"] == {"encode_ns": None, "parse_ns": None, "disk_over_quickfix": None}
    assert path["statistics_10g"] == {"fmax_mhz": None}


def test_differences_of_all_benches_add_up_and_are_unknown_while_one_has_not_run(tmp_path: Path) -> None:
    out = measured(tmp_path, {"bench/foundation": {"mismatches": 2, "fuzz_frames": 10}, "bench/arbiter": {"mismatches": 3}})
    assert figures.path_figures(out)["mismatches"] == 5
    partly = measured(tmp_path / "partly", {"bench/foundation": {"mismatches": 0}})
    assert figures.path_figures(partly)["mismatches"] is None
    none = measured(tmp_path / "none", {"bench/foundation": {"mismatches": 0}, "bench/arbiter": {"mismatches": 0}})
    assert figures.path_figures(none)["mismatches"] == 0


def test_a_test_run_that_failed_has_no_minutes(tmp_path: Path) -> None:
    assert figures.path_figures(measured(tmp_path / "a", {"test_times": {"minutes": 18.5, "passed": True}}))["test_minutes"] == 18.5
    assert figures.path_figures(measured(tmp_path / "b", {"test_times": {"minutes": 2.0, "passed": False}}))["test_minutes"] is None


def test_the_page_has_date_revision_and_seeds_of_each_placement(tmp_path: Path) -> None:
    text = figures.page(measured(tmp_path, {"pnr/stops_10g": DESIGN | SIZE}), {})
    line = next(line for line in text.splitlines() if line.startswith("| `stops_10g`"))
    assert "130.0, 125.0, 140.0 MHz on the LFE5UM5G-85F-8, 156.25 wanted: MISSED" in line
    assert "| 1, 2, 3 | 2026-01-02 | abc1234 | `make pnr DESIGN=stops_10g` |" in line
    assert "| `statistics_1g`: Statistics of ITCH on lines A and B at 1 GbE, arbitrated | not measured here |" in text


def test_a_row_names_the_revision_that_was_measured_not_the_one_that_writes_the_page(tmp_path: Path) -> None:
    out = measured(tmp_path, {"bench/decision_first_byte": {"w64": 2, "w8": 3}})
    line = next(line for line in figures.page(out, {}).splitlines() if "| 2 / 3 cycles |" in line)
    assert "| not recorded |" in line
    figures.stamp(tmp_path / "bench/decision_first_byte.json")
    line = next(line for line in figures.page(measured(tmp_path, {}), {}).splitlines() if "| 2 / 3 cycles |" in line)
    assert f"| {figures.revision()} |" in line


def test_tick_to_trade_is_at_the_clock_of_the_core_that_trades(tmp_path: Path) -> None:
    book = {"w64": {"last_first_cycles": {"max": 17}, "improving_add_cycles": {"max": 13}, "orders_compared": 5, "jitter_cycles": 0}}
    page = figures.page(measured(tmp_path, {"bench/book": book, "pnr/itch_trader_10g": DESIGN | SIZE}), {})
    rows = [line for line in page.splitlines() if "tick to trade" in line or "improves the best" in line]
    assert "17 cycles, 136.0 ns at 125.0 MHz (`itch_trader_10g`, slowest seed)" in rows[0]
    assert "13 cycles, 104.0 ns at 125.0 MHz" in rows[1]
    assert "| 5; 0 |" in rows[2]
    assert "not measured here" in rows[3]


def test_the_order_book_alone_is_a_design_that_can_be_placed(tmp_path: Path) -> None:
    page = figures.page(measured(tmp_path, {"pnr/book": DESIGN | SIZE}), {})
    row = next(line for line in page.splitlines() if "the order book alone" in line)
    assert "60 block RAMs" in row
    assert "make pnr DESIGN=book" in row


def test_what_is_not_measured_again_stays_as_it_was(tmp_path: Path) -> None:
    session = {"bench/session": {"stop_last_first_cycles": {"w64": {"max": 15}, "w8": {"max": 16}}, "revision": "abc1234"}}
    first = figures.page(measured(tmp_path / "a", session), {})
    again = figures.page(measured(tmp_path / "b", {}), figures.rows_before(first))
    assert first == again
    changed = {"bench/session": {"stop_last_first_cycles": {"w64": {"max": 14}}, "revision": "def5678"}}
    page = figures.page(measured(tmp_path / "c", changed), figures.rows_before(first))
    news = [line for line in page.splitlines() if line not in first.splitlines()]
    assert len(news) == 1
    assert "14 cycles" in news[0]
    assert "def5678" in news[0]
    assert sum("abc1234" in line for line in page.splitlines()) == sum("abc1234" in line for line in first.splitlines()) - 1


def test_tick_to_trade_is_one_object_of_what_was_measured(tmp_path: Path) -> None:
    def series(mean: float) -> dict[str, object]:
        return {
            "nanoseconds": {"mean": 10 * mean, "max": 20 * mean, "sd": 1.5},
            "cycles": {"mean": mean, "max": 2 * mean},
            "stages": {"decode": {"mean": 18.0}},
        }

    whole = tick_to_trade(
        measured(
            tmp_path,
            {
                "bench/order_log": {"fpga_w64_module_wire_rate": series(40.0), "mismatches": 0},
                "bench/order_log_prices": {"fpga_w64_wire_rate": series(36.0), "mismatches": 4},
                "bench/book": {"w64": {"last_first_cycles": {"max": 17}, "improving_add_cycles": {"max": 13}}},
                "bench/itch": {
                    "fpga_w64_8x": {"eot_sof_ns": {"mean": 147.0, "max": 181.0}},
                    "fpga_w64": {"stages": {"book": {"mean": 4.5}}},
                    "mismatches": 1,
                },
                "bench/strategy": {"handler_ns": 7.5, "programs": 2000, "mismatches": 2},
                "pnr/itch_trader_10g": DESIGN | SIZE,
            },
        )
    )
    assert (whole["wire_rate"]["mean_ns"], whole["wire_rate"]["max_ns"], whole["wire_rate"]["stddev_ns"]) == (360.0, 720.0, 1.5)
    assert (whole["stages"]["wire_rate"]["decode"], whole["stages"]["itch"]["book"]) == (18.0, 4.5)
    assert whole["itch_eot_sof_ns"]["8x"] == {"mean": 147.0, "max": 181.0}
    assert whole["w64"]["fmax_mhz"] == DESIGN["fmax_mhz"]
    assert whole["module"]["mean_ns"] == 400.0
    assert whole["itch"] == {"any_ns": 136.0, "improving_ns": 104.0}  # at 125 MHz
    assert (whole["handler_ns"], whole["programs"], whole["mismatches"]) == (7.5, 2000, 7)
    assert whole["backtest_seconds"] is None
    assert "tickwire-verify bench strategy" in whole["missing"]["backtest_seconds"]
    assert "processor.mean_ns" in whole["missing"]
    assert "wire_rate.mean_ns" not in whole["missing"]


def test_differences_are_not_known_where_a_part_was_not_measured(tmp_path: Path) -> None:
    whole = tick_to_trade(measured(tmp_path, {"bench/order_log": {"mismatches": 0}}))
    assert whole["mismatches"] is None


def test_products_have_their_latency_at_the_slowest_placed_clock(tmp_path: Path) -> None:
    cycles = {"min": 23, "mean": 24.5, "p999": 25, "max": 44}
    prices = {"fpga_w64_wire_rate": {"cycles": cycles}, "mismatches": 0}
    design = {"pnr/order_log_trader_10g": DESIGN | SIZE | {"minutes": [9.5, 10.0, 11.5]}}
    compared = {"bench/itch": {"mismatches": 0}, "bench/order_log": {"mismatches": 0}, "bench/order_log_prices": prices}
    found = products(measured(tmp_path / "a", compared | design))
    product = found["order_log_trader_10g"]
    assert product["latency_ns"] == {"min": 184.0, "mean": 196.0, "p999": 200.0, "max": 352.0}  # at 125 MHz
    assert (product["part"], product["lut4"], product["pnr_minutes"]) == ("LFE5UM5G-85F-8", 40_000, [9.5, 10.0, 11.5])
    assert found["mismatches"] == 0
    assert not [name for name in found["missing"] if name.startswith("order_log_trader_10g")]
    none = products(measured(tmp_path / "b", {}))
    assert none["mismatches"] is None
    assert none["order_log_trader_10g"]["latency_ns"]["mean"] is None
    assert "make pnr" in none["missing"]["order_log_trader_10g.fmax_mhz"]
