//! The figures of FAST, as `make bench` writes them to `out/bench/fast.json`: what a message takes in software, and the Verilated engine held against the
//! software decoder on recorded, random and mutated messages, with its cycles.

mod bypass;
mod engine;
pub mod lag;
mod software;

use std::path::{Path, PathBuf};

use report::placed::place_and_route;
use serde_json::{Map, Value, json};

use crate::Progress;

/// What to measure, and with what.
#[derive(Clone, Debug)]
pub struct Options {
    /// Folder with the recorded data; what is absent there is left out.
    pub data: PathBuf,
    /// Passes over the messages that the software decodes; the best counts.
    pub passes: u32,
    /// Random messages to compare, and mutated ones: half of each at each width.
    pub random_messages: u64,
    /// Folder with what place and route left.
    pub out: PathBuf,
}

impl Options {
    /// As `make bench` has it, in the project's root.
    pub fn in_project(root: &Path) -> Self {
        Options {
            data: root.join("../shared/data"),
            passes: 41,
            random_messages: 200_000,
            out: root.join("out"),
        }
    }
}

/// Why FAST was not measured.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Templates that do not compile.
    #[error("templates: {0}")]
    Templates(#[from] fast::TemplateError),
    /// Recorded data that is not good.
    #[error("recorded data: {0}")]
    Data(#[from] fast::Error),
    /// Recorded data that cannot be taken.
    #[error(transparent)]
    Recorded(#[from] report::fast_lines::recorded::Error),
    /// The order log's template file cannot be read.
    #[error("the order log's templates: {0}")]
    Read(#[from] std::io::Error),
    /// They have no order log.
    #[error("the order log: {0}")]
    Log(#[from] exchange::publish::fast::LayoutError),
    /// A generated message does not fit its template.
    #[error("generated data: {0}")]
    Generated(#[from] fast::EncodeError),
}

/// Runs every measurement; the result is the complete JSON object.
///
/// # Errors
/// Recorded data that is there is not good. Hardware and software that differ are not an error here: they are counted in `mismatches`.
pub fn bench_fast(options: &Options, progress: Progress) -> Result<Value, Error> {
    let speed = software::speed(options.passes, progress)?;
    let mut figures = Map::new();
    figures.insert("software_ns_per_message".into(), json!(speed.best_ns));
    figures.insert(
        "software".into(),
        json!({
            "bytes_per_message": speed.bytes,
            "entries_per_message": speed.entries,
            "median_ns_per_message": speed.median_ns,
            "passes": options.passes,
        }),
    );
    for width in ["w64", "w8"] {
        let placed = place_and_route(&options.out.join("pnr").join(format!("fast_{width}.json")));
        figures.insert(
            width.into(),
            json!({"fmax_mhz": placed["fmax_mhz"], "lut4": placed["lut4"], "ebr": placed["ebr"]}),
        );
        if width == "w64" {
            figures.insert("engine_lut4".into(), placed["lut4"].clone());
        }
    }
    {
        let found = engine::engine(options, progress)?;
        figures.extend(found.figures);
        figures.insert("mismatches".into(), json!(found.mismatches));
        figures.insert("faults".into(), json!(found.faults));
    }
    Ok(figures.into())
}

/// The figures for a person.
pub fn table(figures: &Value) -> String {
    let number = |value: &Value| {
        value
            .as_f64()
            .map_or_else(|| "-".to_owned(), |number| format!("{number:.1}"))
    };
    let software = &figures["software"];
    let mut text = format!(
        "software: {} ns a message ({} bytes, {} entries on average), median {}\n",
        number(&figures["software_ns_per_message"]),
        number(&software["bytes_per_message"]),
        number(&software["entries_per_message"]),
        number(&software["median_ns_per_message"]),
    );
    let spread = |values: &Value| {
        ["min", "mean", "p99", "max"]
            .map(|name| number(&values[name]))
            .join(" / ")
    };
    let idle = &figures["last_field_cycles"];
    text += &format!(
        "engine, cycles from last byte to last field, min / mean / p99 / max: {}\n",
        spread(idle)
    );
    for (name, values) in figures["lag_cycles"].as_object().into_iter().flatten() {
        text += &format!("  {name}, cycles: {}\n", spread(values));
    }
    for (way, what) in [
        ("kernel", "kernel socket, software decoder"),
        ("udp", "frames in memory, software decoder"),
        ("fast", "decoded fields in memory"),
    ] {
        let way = &figures["bypass"][way];
        text += &format!(
            "{what}: {} ns a packet (hardware {} cycles, {} ns; software {} ns)\n",
            number(&way["ns"]),
            number(&way["cycles"]),
            number(&way["hardware_ns"]),
            number(&way["software_ns"]),
        );
    }
    text += &format!(
        "  {:.2} tokens a cycle\ncompared: {} random and {} mutated messages, {} of MICEX: {} differences",
        figures["tokens_per_cycle"].as_f64().unwrap_or(f64::NAN),
        figures["random_messages"],
        figures["mutated_messages"],
        figures["micex_messages"],
        figures["mismatches"],
    );
    for fault in figures["faults"].as_array().into_iter().flatten() {
        text += &format!("\n  {}", fault.as_str().unwrap_or_default());
    }
    text
}
