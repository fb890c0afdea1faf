//! Latency at the clock that place and route reached: cycles alone are no time, and only a clock that was reached counts.

use std::path::Path;

use cosim::{Preset, Width};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::compare::Comparison;
use crate::distribution::Summary;
use crate::stops::Stops;

/// Where `tools/pnr.py` leaves its results, in the project's root.
pub const FOLDER: &str = "out/pnr";

/// What place and route reached last, by design: `tools/placed.py`.
const RECORD: &str = include_str!("../../../rtl/placed.json");

/// The record of the design whose result would be in this file of `out/pnr`; null if it has none, or it is another file.
pub fn recorded(path: &Path) -> Value {
    let folder = path.parent().and_then(Path::file_name);
    let design = path.file_stem().and_then(|stem| stem.to_str());
    match (folder.and_then(|folder| folder.to_str()), design) {
        (Some("pnr"), Some(design)) => serde_json::from_str::<Value>(RECORD)
            .map_or(Value::Null, |mut record| record[design].take()),
        _ => Value::Null,
    }
}

/// What is in a file of JSON, `null` if it is not there or is something else; of a design that was not placed here (`out/pnr`), what the sources record of it.
pub fn place_and_route(path: &Path) -> Value {
    let read = std::fs::read(path).ok();
    let own = read.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    own.unwrap_or_else(|| recorded(path))
}

/// Cycles in nanoseconds at the slowest clock that a design's seeds reached; none where it was not placed.
pub fn at_placed_clock(placed: &Value, cycles: u64) -> Option<f64> {
    let clocks = placed["fmax_mhz"].as_array()?;
    let slowest = clocks
        .iter()
        .filter_map(Value::as_f64)
        .reduce(f64::min)
        .filter(|mhz| *mhz > 0.0)?;
    Some((cycles as f64 * 100_000.0 / slowest).round() / 100.0)
}

/// Stop orders of a core and of the software client beside it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StopOrders {
    /// The core, with its clock.
    pub label: String,
    /// Last byte of the price in to first byte of the order out, in cycles.
    pub cycles: Summary,
    /// The same, in nanoseconds.
    pub nanoseconds: Summary,
    /// Of the software client, in nanoseconds.
    pub software: Summary,
}

/// The clock of the line, in MHz.
fn line_clock(width: Width) -> f64 {
    1e6 / width.cycle_picoseconds() as f64
}

/// The clock in MHz that a design reached with the slowest of its seeds, here (`folder`: [`FOLDER`]) or where the sources' record comes from; no more than
/// the line's. `None`: it was never placed.
pub fn reached(folder: &Path, design: &str, width: Width) -> Option<f64> {
    let placed = place_and_route(&folder.join(format!("{design}.json")));
    let seeds = placed["fmax_mhz"].as_array()?;
    let slowest = seeds.iter().filter_map(Value::as_f64).reduce(f64::min)?;
    (slowest > 0.0).then_some(slowest.min(line_clock(width)))
}

/// [`reached`] of the preset with a session of so many bits, in MHz.
pub fn with_session(bits: u32) -> Option<f64> {
    let width = Width::ALL.into_iter().find(|width| width.bits() == bits)?;
    reached(Path::new(FOLDER), Preset::with_session(width).name, width)
}

/// A core's name with its clock, and the nanoseconds of a cycle.
fn named(folder: &Path, design: &str, width: Width) -> (String, f64) {
    let bits = width.bits();
    match reached(folder, design, width) {
        Some(clock) => (
            format!("FPGA, {bits} bits, placed at {clock:.2} MHz"),
            1_000.0 / clock,
        ),
        None => (
            format!(
                "FPGA, {bits} bits, never placed: at the line's {} MHz",
                line_clock(width)
            ),
            1_000.0 / line_clock(width),
        ),
    }
}

/// Gives each core of a comparison the clock that it reached, and its name that clock.
pub fn at_placed_clocks(comparison: &mut Comparison, folder: &Path) {
    for series in comparison
        .series
        .iter_mut()
        .filter(|series| series.hardware)
    {
        let width = |width: &Width| series.key == format!("fpga_w{}", width.bits());
        let Some((width, cycles)) = Width::ALL.into_iter().find(width).zip(series.cycles) else {
            continue;
        };
        let (label, period) = named(folder, Preset::two_lines(width).name, width);
        let factor = period * 1_000.0 / width.cycle_picoseconds() as f64;
        series.label = label;
        series.nanoseconds = cycles.scaled(period);
        series.answers.values_mut().for_each(|ns| *ns *= factor);
    }
}

/// Stop orders of a core at the clock that it reached.
pub fn stop_orders(stops: &Stops, width: Width, folder: &Path) -> StopOrders {
    let (label, period) = named(folder, Preset::with_session(width).name, width);
    StopOrders {
        label,
        cycles: stops.hardware_cycles,
        nanoseconds: stops.hardware_cycles.scaled(period),
        software: stops.software_ns,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_not_placed_here_has_the_clock_that_the_sources_record() {
        let folder = tempfile::tempdir().unwrap();
        let pnr = folder.path().join("pnr");
        let clock = reached(&pnr, "statistics_10g", Width::Xgmii).unwrap();
        assert!((50.0..=156.25).contains(&clock), "{clock}");
        assert_eq!(reached(&pnr, "no_such_design", Width::Xgmii), None);
        std::fs::create_dir(&pnr).unwrap();
        std::fs::write(pnr.join("statistics_10g.json"), r#"{"fmax_mhz": [77.0]}"#).unwrap();
        assert_eq!(reached(&pnr, "statistics_10g", Width::Xgmii), Some(77.0));
    }

    #[test]
    fn the_slowest_seed_counts_and_a_clock_beyond_the_lines_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("w64_orders.json", r#"{"fmax_mhz": [131.5, 125.0, 140.0]}"#);
        write("w8.json", r#"{"fmax_mhz": [160.0, 190.0]}"#);
        write("w8_orders.json", r#"{"fmax_mhz": []}"#);
        let named = |design, width| named(folder.path(), design, width);
        assert_eq!(
            named("w64_orders", Width::Xgmii),
            ("FPGA, 64 bits, placed at 125.00 MHz".to_owned(), 8.0)
        );
        assert_eq!(named("w8", Width::Gmii).1, 8.0);
        for absent in ["w8_orders", "w64"] {
            let (label, _) = named(absent, Width::Gmii);
            assert!(label.contains("never placed"), "{label}");
        }
    }

    #[test]
    fn nanoseconds_are_those_of_the_slowest_seed_and_absent_without_a_placement() {
        let placed = json!({"fmax_mhz": [160.0, 125.0, 156.25]});
        assert_eq!(at_placed_clock(&placed, 14), Some(112.0));
        assert_eq!(at_placed_clock(&json!({"fmax_mhz": []}), 14), None);
        assert_eq!(at_placed_clock(&Value::Null, 14), None);
    }
}
