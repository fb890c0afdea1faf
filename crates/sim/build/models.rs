//! What is Verilated: the presets, and benches of `tests/rtl`.

use std::collections::BTreeMap;

use crate::presets::{Feed, Preset, Strategy};

/// A Verilated model: prefix of its C++ class and of its C functions, what it is of, its width, its other parameters, and whether tests run it for more
/// than a moment.
pub struct Model {
    pub name: String,
    pub of: Of,
    pub width: u32,
    pub parameters: Vec<String>,
    pub runs_long: bool,
}

/// What stands beside a core in `cpp/shim.inc`: its PRESET.
#[derive(Clone, Copy)]
pub enum Beside {
    Nothing = 0,
    /// A ring in host memory.
    Ring = 1,
    /// A strategy in a model of its own.
    Strategy = 2,
    /// Both.
    StrategyAndRing = 3,
}

impl Beside {
    fn of(preset: &Preset) -> Self {
        match (preset.strategy, preset.ring) {
            (Strategy::Outside, true) => Beside::StrategyAndRing,
            (Strategy::Outside, false) => Beside::Strategy,
            (_, true) => Beside::Ring,
            (_, false) => Beside::Nothing,
        }
    }
}

/// What a model is of.
#[derive(Clone, Copy)]
pub enum Of {
    /// With what it has in `cpp/shim.inc` beside the lines.
    Core(Beside),
    /// With its protocol by number (`arbiter_pkg::preset`).
    Arbiter(u32),
    Book,
    Fast,
    /// With a ring in host memory.
    FastRing,
    /// With fields made into events.
    FastEvents,
    /// The strategy processor.
    Alu,
    /// The wire-rate FAST engine.
    FastWire,
}

/// The arbiters, in the bench of `tests/rtl`: prefix, width, and protocol by number (`arbiter_pkg::preset`).
const ARBITERS: [(&str, u32, u32); 5] = [
    ("arbiter8_moex", 8, 3),
    ("arbiter64_moex", 64, 3),
    ("arbiter64_mold", 64, 0),
    ("arbiter128_mold", 128, 0),
    ("arbiter128_arca", 128, 2),
];

/// The order books, in the bench of `tests/rtl`: prefix, and parameters that are not the default. `../src/book.rs` has the same sizes.
const BOOKS: [(&str, &[&str]); 3] = [
    ("book", &[]),
    (
        "book_small",
        &[
            "WAYS=4",
            "SETS_LOG2=5",
            "ORDERS=112",
            "LEVEL_SETS_LOG2=5",
            "LOG=16",
            "FIFO=64",
        ],
    ),
    ("book_levels", &["LOG=16", "FIFO=64", "LEVELS=1"]),
];

/// The FAST engines, in the benches of `tests/rtl`: prefix, width, and what takes the engine's fields.
const FAST: [(&str, u32, Of); 6] = [
    ("fast8", 8, Of::Fast),
    ("fast64", 64, Of::Fast),
    ("fast_ring8", 8, Of::FastRing),
    ("fast_ring64", 64, Of::FastRing),
    ("fast_events8", 8, Of::FastEvents),
    ("fast_events64", 64, Of::FastEvents),
];

/// The wire-rate FAST engine: model, templates.
const FAST_WIRE: [(&str, u32); 2] = [("fast_wire", 1), ("fast_wire_set", 8)];

/// Those that are built: the program's presets, with `all` the others, the arbiters, the books, the FAST engines, the strategy processor and the wire-rate engines too.
pub fn models(presets: &BTreeMap<String, Preset>, all: bool) -> Vec<Model> {
    let cores = presets.iter().filter(|(_, preset)| all || preset.program);
    let cores = cores.map(|(name, preset)| Model {
        name: name.clone(),
        of: Of::Core(Beside::of(preset)),
        width: preset.width,
        parameters: vec![
            format!("-GW={}", preset.width),
            format!("-GLINES={}", preset.lines),
            format!("-GFEED={}", preset.feed as u32),
            format!("-GSTATISTICS={}", u32::from(preset.statistics)),
            format!("-GPACKET_BYTES={}", preset.packet),
            format!("-GHOST_WORDS={}", preset.host),
            format!("-GSESSIONS={}", preset.sessions),
            format!("-GSESSION_PRICES={}", u32::from(preset.session_prices)),
            format!("-GBOOK_ORDERS={}", preset.book),
            format!(
                "-GBOOK_LEVELS={}",
                if preset.book == 0 {
                    8
                } else {
                    preset.book_levels
                }
            ),
            format!("-GSTRATEGY={}", preset.strategy as u32),
            format!("-GOWN_ORDERS={}", u32::from(preset.own_orders)),
            format!("-GLEVEL_READS={}", u32::from(preset.level_reads)),
            format!("-GEACH_CHANGE={}", u32::from(preset.each_change)),
            format!("-GTRADES={}", u32::from(preset.trades)),
            format!("-GTIMERS={}", u32::from(preset.timers)),
            format!(
                "-GSTOPS={}",
                if preset.sessions == 0 {
                    64
                } else {
                    preset.stops
                }
            ),
            format!("-GRING={}", u32::from(preset.ring)),
            format!("-GWIRE_RATE={}", preset.wire_rate as u32),
            format!("-GFEEDS={}", preset.feeds),
        ],
        // The tests give them hours of a market.
        runs_long: preset.program || preset.book != 0 || matches!(preset.feed, Feed::Fast),
    });
    let arbiters = ARBITERS.iter().filter(|_| all);
    let arbiters = arbiters.map(|(name, width, preset)| Model {
        name: (*name).to_owned(),
        of: Of::Arbiter(*preset),
        width: *width,
        parameters: vec![format!("-GW={width}"), format!("-GPRESET={preset}")],
        runs_long: true,
    });
    let books = BOOKS.iter().filter(|_| all);
    let books = books.map(|(name, parameters)| Model {
        name: (*name).to_owned(),
        of: Of::Book,
        width: 0,
        parameters: parameters.iter().map(|one| format!("-G{one}")).collect(),
        runs_long: true,
    });
    let engines = FAST.iter().filter(|_| all);
    let engines = engines.map(|(name, width, of)| Model {
        name: (*name).to_owned(),
        of: *of,
        width: *width,
        parameters: vec![format!("-GW={width}")],
        runs_long: true,
    });
    let processor = Model {
        name: "alu".into(),
        of: Of::Alu,
        width: 64,
        parameters: vec![],
        runs_long: true,
    };
    let processor = all.then_some(processor);
    let wire_rate = FAST_WIRE.iter().filter(|_| all);
    let wire_rate = wire_rate.map(|(name, templates)| Model {
        name: (*name).to_owned(),
        of: Of::FastWire,
        width: 64,
        parameters: vec![format!("-GTEMPLATES={templates}")],
        runs_long: true,
    });
    cores
        .chain(arbiters)
        .chain(books)
        .chain(engines)
        .chain(processor)
        .chain(wire_rate)
        .collect()
}
