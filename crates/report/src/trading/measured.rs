//! The latencies that a measurement wrote, read again: what a backtest draws those of its orders from.

use std::path::{Path, PathBuf};

use serde_json::Value;
use thiserror::Error;

/// Why a measurement's latencies cannot be had.
#[derive(Debug, Error)]
pub enum MeasuredError {
    /// A file of the measurement cannot be read.
    #[error("{path}: {cause}: the folder that tickwire measure wrote to is wanted")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Nothing in it has this name.
    #[error("{path}: {key} was not measured; there is {}", .has.join(", "))]
    Key {
        /// The file.
        path: PathBuf,
        /// The name.
        key: String,
        /// What was measured.
        has: Vec<String>,
    },
    /// Its cycles have no length.
    #[error(
        "{key}: its core was never placed, so its cycles have no length: say its clock with --clock-mhz"
    )]
    Clock {
        /// The name.
        key: String,
    },
}

/// The latency of each order, last byte in to first byte out, in nanoseconds, in the packets' order: `key` as in `tick_to_trade.json` of the folder. Those of a core
/// are its cycles at the clock it was placed at, or at `clock_mhz`.
///
/// # Errors
/// Nothing of this name was measured; a core was never placed, and no clock is given; a file cannot be read.
pub fn read_latencies(
    folder: &Path,
    key: &str,
    clock_mhz: Option<f64>,
) -> Result<Vec<u64>, MeasuredError> {
    let path = folder.join("tick_to_trade.json");
    let read = |cause| MeasuredError::Read {
        path: path.clone(),
        cause,
    };
    let text = std::fs::read_to_string(&path).map_err(|cause| read(cause.into()))?;
    let all: Value = serde_json::from_str(&text).map_err(|cause| read(cause.into()))?;
    let series = all["series"].as_array().map_or(&[][..], Vec::as_slice);
    let of_key = series.iter().find(|one| one["key"] == key);
    let of_key = of_key.ok_or_else(|| MeasuredError::Key {
        path: path.clone(),
        key: key.to_owned(),
        has: series
            .iter()
            .filter_map(|one| one["key"].as_str().map(str::to_owned))
            .collect(),
    })?;
    if of_key["cycles"].is_null() {
        return column(folder, &format!("{key}_ns"), 1.0);
    }
    let clock = clock_mhz.or_else(|| of_key["clock_mhz"].as_f64());
    let clock = clock.ok_or_else(|| MeasuredError::Clock {
        key: key.to_owned(),
    })?;
    column(folder, &format!("{key}_cycles"), 1_000.0 / clock)
}

/// A column of `orders.csv` in nanoseconds, where it has a value.
fn column(folder: &Path, name: &str, unit_ns: f64) -> Result<Vec<u64>, MeasuredError> {
    let path = folder.join("orders.csv");
    let read = |cause| MeasuredError::Read {
        path: path.clone(),
        cause,
    };
    let mut rows = csv::Reader::from_path(&path).map_err(|cause| read(cause.into()))?;
    let heads = rows.headers().map_err(|cause| read(cause.into()))?;
    let place = heads.iter().position(|head| head == name);
    let place = place.ok_or_else(|| read(format!("it has no column {name}").into()))?;
    let mut latencies = vec![];
    for row in rows.records() {
        let row = row.map_err(|cause| read(cause.into()))?;
        let cell = row.get(place).unwrap_or_default();
        if !cell.is_empty() {
            let units: u64 = cell
                .parse()
                .map_err(|_| read(format!("{cell:?} is no latency").into()))?;
            latencies.push((units as f64 * unit_ns).round() as u64);
        }
    }
    match latencies.is_empty() {
        true => Err(read(format!("column {name} has no latency").into())),
        false => Ok(latencies),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with these files.
    fn folder(json: &str, csv: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("tick_to_trade.json"), json).unwrap();
        std::fs::write(folder.path().join("orders.csv"), csv).unwrap();
        folder
    }

    const JSON: &str = r#"{"series": [
        {"key": "fpga_w64_module", "cycles": {}, "clock_mhz": 125.0},
        {"key": "fpga_w64_processor", "cycles": {}, "clock_mhz": null},
        {"key": "software_busy_poll", "cycles": null, "clock_mhz": null}]}"#;
    const CSV: &str = "packet,fpga_w64_module_cycles,fpga_w64_processor_cycles,software_busy_poll_ns\n1,40,60,9000\n4,41,,8000\n";

    #[test]
    fn cycles_last_as_long_as_the_clock_says_and_nanoseconds_are_taken_as_they_are() {
        let folder = folder(JSON, CSV);
        let read = |key, clock| read_latencies(folder.path(), key, clock).unwrap();
        assert_eq!(read("fpga_w64_module", None), [320, 328]);
        assert_eq!(read("fpga_w64_module", Some(250.0)), [160, 164]);
        assert_eq!(read("fpga_w64_processor", Some(100.0)), [600]);
        assert_eq!(read("software_busy_poll", None), [9_000, 8_000]);
    }

    #[test]
    fn what_was_not_measured_and_what_cannot_be_read_is_told() {
        for (json, csv, key, says) in [
            (
                JSON,
                CSV,
                "fpga_w8_module",
                "there is fpga_w64_module, fpga_w64_processor, software",
            ),
            (JSON, CSV, "fpga_w64_processor", "--clock-mhz"),
            ("no", CSV, "fpga_w64_module", "tick_to_trade.json: expected"),
            (
                JSON,
                "packet\n1\n",
                "fpga_w64_module",
                "no column fpga_w64_module_cycles",
            ),
            (
                JSON,
                "fpga_w64_module_cycles\nx\n",
                "fpga_w64_module",
                "\"x\" is no latency",
            ),
            (
                JSON,
                "fpga_w64_module_cycles\n",
                "fpga_w64_module",
                "has no latency",
            ),
        ] {
            let folder = folder(json, csv);
            let told = read_latencies(folder.path(), key, None).unwrap_err();
            assert!(told.to_string().contains(says), "{told}");
        }
    }
}
