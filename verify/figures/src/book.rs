//! The figures of the order book, as `make bench` writes them to `out/bench/book.json`: what a message takes in software; the book held against a
//! plain one after every message; and the Verilated book against the one in software.

mod comparison;
pub mod fuzz;
mod lockstep;
mod naive;
mod software;
mod table;
mod trader;

use std::path::{Path, PathBuf};

use cosim::Preset;
use feed::generate;
use feed::socket::Wait;
use formats::Symbol;
use formats::itch::Version;
use report::packets::generated_bytes;
use report::packets::{InMemory, Packets};
use report::placed::place_and_route;
use report::tick_to_trade::{self, Intake};
use serde_json::{Map, Value, json};

use crate::{Error, Progress};
use comparison::Comparison;
use fuzz::Fuzzed;
pub use software::{Rate, measure};
pub use table::table;

const AAPL: Symbol = Symbol(*b"AAPL    ");
/// Symbols of the day that is measured.
const SYMBOLS: usize = 8_000;

/// What to measure, and with what.
#[derive(Clone, Debug)]
pub struct Options {
    /// Folder with `aapl.itch41` and `aapl.itch50`; where they are absent they are left out.
    pub aapl: PathBuf,
    /// Messages of the generated day of 8,000 symbols.
    pub messages: u64,
    /// Messages of 16 symbols, generated, that are compared; in each version.
    pub compared: u64,
    /// Passes of each measurement, the best of which counts: the machine is shared.
    pub passes: u32,
    /// Orders over sockets, and echoes.
    pub orders: u64,
    /// Mutated frames: the software has all of them, the core that trades a fiftieth more.
    pub fuzz_frames: u64,
    /// Packets of each recording that the cores that trade have.
    pub traded: usize,
    /// Folder with what place and route left, and that with the times of `make test`.
    pub out: PathBuf,
}

impl Options {
    /// As `make bench` has it, in the project's root.
    pub fn in_project(root: &Path) -> Self {
        Options {
            aapl: root.join("../shared/data/nasdaq-aapl-2012-06-21"),
            messages: 5_000_000,
            compared: 1_000_000,
            passes: 7,
            orders: 20_000,
            fuzz_frames: 200_000,
            traded: 20_000,
            out: root.join("out"),
        }
    }
}

/// Runs every measurement; the result is the complete JSON object.
///
/// # Errors
/// A file that is there cannot be read. A book that differs is not an error here: it is counted in `mismatches`.
pub fn bench_book(options: &Options, progress: Progress) -> Result<Value, Error> {
    let mut comparison = Comparison::default();
    let mut hardware = Hardware::default();
    let mut rates = vec![];
    for (name, version) in [("aapl.itch50", Version::V50), ("aapl.itch41", Version::V41)] {
        if let Ok(file) = std::fs::read(options.aapl.join(name)) {
            comparison.run(name, version, &file, progress);
            // A pass takes milliseconds.
            let passes = 5 * options.passes;
            rates.push(measure(name, version, &file, 1, passes, progress));
            hardware.messages(name, version, &file, &[Some(AAPL)], progress);
        }
        let settings = generate::Settings {
            version,
            symbols: 16,
            messages: options.compared,
            seconds: 3_600,
            seed: 16,
        };
        let file = generated_bytes(&settings)?;
        comparison.run("16 generated symbols", version, &file, progress);
        let symbols: Vec<_> = (0..16).map(|index| Some(generate::symbol(index))).collect();
        hardware.messages("16 generated symbols", version, &file, &symbols, progress);
    }
    hardware.random(options.compared, progress);
    hardware.paced(progress);
    let mut fuzzed = Fuzzed::default();
    fuzzed.software(options.fuzz_frames, progress);
    let cores = traders(options, &mut comparison, &mut fuzzed, progress)?;
    progress("a generated day", 0, 1);
    let settings = generate::Settings {
        version: Version::V50,
        symbols: SYMBOLS,
        messages: options.messages,
        seconds: 23_400,
        seed: 8_000,
    };
    let file = generated_bytes(&settings)?;
    let name = format!("generated, {SYMBOLS} symbols");
    let day = measure(
        &name,
        Version::V50,
        &file,
        SYMBOLS,
        options.passes,
        progress,
    );
    let (ns, of_parse) = (day.hinted_ns, day.of_parse);
    rates.push(day);
    let busy_poll =
        tick_to_trade::measure(Intake::Sockets(Wait::BusyPoll), options.orders, progress)?;
    let blocking =
        tick_to_trade::measure(Intake::Sockets(Wait::Blocking), options.orders, progress)?;
    let of_hardware = json!(hardware);
    let mismatches =
        comparison.mismatches + of_hardware["mismatches"].as_u64().unwrap_or(0) + fuzzed.mismatches;
    // The book alone.
    let placed = place_and_route(&options.out.join("pnr/book.json"));
    let mut figures = json!({
        "best_price_cycles": of_hardware["best_price_cycles"],
        "interval_cycles": of_hardware["interval_cycles"],
        "lut4": placed["lut4"],
        "ebr": placed["ebr"],
        "fmax_mhz": placed["fmax_mhz"],
        "fuzz_frames": fuzzed.frames + fuzzed.core_frames,
        "fuzz": fuzzed,
        "test_minutes": test_minutes(&options.out),
        "software_over_echo": busy_poll.over_echo,
        "tick_to_trade": {"busy_poll": busy_poll, "blocking": blocking},
        "ns_per_message": ns,
        "of_parse": of_parse,
        "passes": options.passes,
        "measured": "processor time of one thread, parse included; the least of the passes",
        "software": rates,
        "messages_compared": comparison.messages,
        "mismatches": mismatches,
        "faults": comparison.faults,
        "hardware": of_hardware,
        "seeds": [16, 8_000],
        "published": {"best_open_book_ns": 51, "what": "itch-order-book: levels only, no checks; another run on the same machine"},
    });
    if let Some(figures) = figures.as_object_mut() {
        figures.extend(cores);
    }
    Ok(figures)
}

/// The minutes of the last `make test` that passed.
fn test_minutes(out: &Path) -> Value {
    let text = std::fs::read_to_string(out.join("test_times.json"));
    let times: Option<Value> = text.ok().and_then(|text| serde_json::from_str(&text).ok());
    let passed = times.filter(|times| times["passed"] == true);
    passed.map_or(Value::Null, |times| times["minutes"].clone())
}

/// Messages of a packet of several.
const SEVERAL: u16 = 6;

/// The core with an order book: tick to trade on recordings, and mutated frames.
fn traders(
    options: &Options,
    comparison: &mut Comparison,
    fuzzed: &mut Fuzzed,
    progress: Progress,
) -> Result<Map<String, Value>, Error> {
    let mut cores = Map::new();
    let recordings = recordings(options)?;
    let placed = options.out.join("pnr");
    let core = match trader::trader(&recordings, &placed, progress) {
        Err(Error::Trader(problem)) => {
            let name = Preset::with_book().name;
            comparison.mismatches += 1;
            comparison.faults.push(format!("{name}: {problem}"));
            json!({"reason": "hardware and software differ: faults says where"})
        }
        measured => measured?,
    };
    cores.insert("w64".into(), core);
    fuzzed.core(options.fuzz_frames / 50, progress);
    Ok(cores)
}

/// What the cores that trade are given, each with the symbol that is traded: the AAPL hour where it is, and generated symbols in packets of one message and
/// of several.
fn recordings(options: &Options) -> Result<Vec<(Packets, Symbol)>, Error> {
    let mut recordings = vec![];
    let hour = options.aapl.join("aapl.itch50");
    if hour.exists() {
        let packets = Packets::read(&hour, feed::source::Options::default())?;
        recordings.push((packets.first(options.traded), AAPL));
    }
    for (version, per_packet) in [
        (Version::V50, 1),
        (Version::V41, 1),
        (Version::V50, SEVERAL),
    ] {
        let settings = generate::Settings {
            version,
            symbols: 2,
            messages: options.traded as u64 / 4,
            seconds: 600,
            seed: 16,
        };
        let file = generated_bytes(&settings)?;
        let messages = InMemory::new(version, &file);
        let name = "2 generated symbols".to_owned();
        let packets = Packets::packed(name, version, messages, per_packet)?;
        recordings.push((packets, generate::symbol(0)));
    }
    Ok(recordings)
}

use lockstep::Lockstep as Hardware;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generated_day_is_measured_and_the_book_is_the_plain_one() {
        let options = Options {
            aapl: PathBuf::from("/nowhere"),
            messages: 30_000,
            compared: 30_000,
            passes: 1,
            orders: 20,
            fuzz_frames: 400,
            traded: 400,
            out: PathBuf::from("/nowhere"),
        };
        let figures = bench_book(&options, &mut |_, _, _| ()).unwrap();
        assert_eq!(figures["mismatches"], 0, "{figures}");
        assert_eq!(figures["messages_compared"], 60_000);
        assert!(figures["ns_per_message"].as_f64().unwrap() > 0.0);
        let day = &figures["software"][0];
        assert_eq!(day["messages"], 30_000);
        assert!(figures["software_over_echo"].as_f64().unwrap() > 0.0);
        let table = table(&figures);
        assert!(table.contains("60000 messages compared"), "{table}");
        assert!(table.contains("tick to trade over sockets"), "{table}");
    }
}
