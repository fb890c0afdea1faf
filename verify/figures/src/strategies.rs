//! The figures of strategies in the language, as `make bench` writes them to `out/bench/strategy.json`: what a handler takes as machine code and in the interpreter, and
//! random programs as machine code and in the processor's emulator, held against the interpreter.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use formats::Side;
use language::event::{Event, Outcome};
use language::{
    BookChange, Guarded, Interpreter, Level, Machine, Moment, NoDepth, Program, Trade, compile,
};
use language_jit::Compiled;
use language_processor::{Emulator, lower};
use language_random::{agree, program, values};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Map, Value, json};

use crate::{Error, Progress};

/// What to measure.
#[derive(Clone, Debug)]
pub struct Options {
    /// Folder with desks: the strategies of all that have one in the language.
    pub desks: PathBuf,
    /// Calls of a handler in a pass.
    pub calls: usize,
    /// Passes of each measurement; the best counts.
    pub passes: u32,
    /// Random programs.
    pub programs: u64,
}

impl Options {
    /// As `make bench` has it, in the project's root.
    pub fn in_project(root: &Path) -> Self {
        Options {
            desks: root.join("desks"),
            calls: 1_000_000,
            passes: 7,
            programs: 2_000,
        }
    }
}

/// A handler that does nothing: the part that none can be without.
const EMPTY: &str = "from tickwire import Strategy\nclass Empty(Strategy):\n    def on_book(self, book):\n        pass\n";
/// Changes of books, in turn.
const CHANGES: usize = 4_096;
/// Random events of a random program.
const STEPS: usize = 40;

/// Changes of the books of two instruments, whose prices and quantities move at random, so that no branch is learned by heart.
fn changes() -> Vec<BookChange> {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut change = || {
        let bid = 100_000 + random.random_range(0..4) * 100;
        let ask = bid + 100 + random.random_range(0..3) * 100;
        let [bid, ask] = [bid, ask].map(|price| Level {
            price,
            quantity: random.random_range(1..=500),
            orders: 1,
        });
        BookChange {
            instrument: random.random_range(0..2),
            bid,
            ask,
            changed: true,
            tradable: true,
        }
    };
    std::iter::repeat_with(&mut change).take(CHANGES).collect()
}

/// Nanoseconds a call, from the event to the filled outcome; the best pass. A strategy without a handler for changes gets trades at the same prices.
fn time(
    machine: &mut impl Machine,
    program: &Program,
    changes: &[BookChange],
    (passes, calls): (u32, usize),
) -> f64 {
    let trade = |change: &BookChange| Trade {
        instrument: change.instrument,
        price: change.bid.price,
        quantity: 1,
        side: Side::Buy,
    };
    let trades: Vec<Trade> = changes.iter().map(trade).collect();
    let mut outcome = Outcome::of(program);
    let on_book = program.on_book.is_some();
    let mut pass = || {
        let began = Instant::now();
        for (number, (change, trade)) in (0..calls).zip(changes.iter().zip(&trades).cycle()) {
            let moment = Moment {
                now: number as i64,
                open_orders: 0,
                positions: &[0, 0],
            };
            let event = if on_book {
                Event::Book(black_box(change), &NoDepth)
            } else {
                Event::Trade(black_box(trade))
            };
            machine.handle(&moment, &event, &mut outcome);
            black_box(&outcome);
        }
        began.elapsed().as_secs_f64() * 1e9 / calls as f64
    };
    (0..passes).map(|_| pass()).fold(f64::INFINITY, f64::min)
}

/// The strategies: their desks and their texts, an empty one first.
fn strategies(desks: &Path) -> Vec<(String, String)> {
    let folders = std::fs::read_dir(desks).into_iter().flatten().flatten();
    let found = folders.filter_map(|folder| {
        let text = std::fs::read_to_string(folder.path().join("strategy.py")).ok()?;
        Some((folder.file_name().to_string_lossy().into_owned(), text))
    });
    let mut found: Vec<_> = found.collect();
    found.sort();
    found.insert(0, ("empty".to_owned(), EMPTY.to_owned()));
    found
}

/// What the handlers of all strategies take.
fn handlers(options: &Options, progress: Progress) -> Result<Map<String, Value>, Error> {
    let changes = changes();
    let mut measured = Map::new();
    let strategies = strategies(&options.desks);
    for (done, (name, text)) in strategies.iter().enumerate() {
        progress("handlers", done as u64, strategies.len() as u64);
        let failed = |why: String| Error::Strategy(format!("{name}: {why}"));
        let settings = language::Options {
            instruments: 2,
            ..language::Options::default()
        };
        let program = compile(text, &settings).map_err(|messages| failed(messages.to_string()))?;
        let values = values(&program, 1).map_err(|error| failed(error.to_string()))?;
        let began = Instant::now();
        let compiled = Compiled::new(&program, values.clone());
        let compiled = compiled.map_err(|error| failed(error.to_string()))?;
        let load_ms = began.elapsed().as_secs_f64() * 1e3;
        let mut compiled = Guarded::new(compiled, true);
        let mut interpreted = Guarded::new(Interpreter::new(program.clone(), values), true);
        let interpreted_calls = (options.calls / 10).max(1);
        let figures = json!({
            "compiled_ns": time(&mut compiled, &program, &changes, (options.passes, options.calls)),
            "interpreted_ns": time(&mut interpreted, &program, &changes, (options.passes, interpreted_calls)),
            "load_ms": load_ms,
        });
        measured.insert(name.clone(), figures);
    }
    Ok(measured)
}

/// A random program in each target that runs here; whether it fits into the processor.
fn compared(seed: u64) -> Result<bool, String> {
    let source = program(seed);
    let failed = |why: String| format!("seed {seed}: {why}\n{}", source.text);
    let program =
        compile(&source.text, &source.options).map_err(|messages| failed(messages.to_string()))?;
    let values = values(&program, 0).map_err(|error| failed(error.to_string()))?;
    let stops = seed.is_multiple_of(2);
    let interpreter = || Guarded::new(Interpreter::new(program.clone(), values.clone()), stops);
    let compiled = Compiled::new(&program, values.clone());
    let compiled = compiled.map_err(|error| failed(error.to_string()))?;
    let mut compiled = Guarded::new(compiled, stops);
    let events = (seed, STEPS);
    agree(&program, events, &mut interpreter(), &mut compiled, |_| {}).map_err(failed)?;
    let Ok(image) = lower(&program, u64::MAX) else {
        return Ok(false);
    };
    let mut emulator = Guarded::new(Emulator::new(image, &values), stops);
    agree(&program, events, &mut interpreter(), &mut emulator, |_| {}).map_err(failed)?;
    Ok(true)
}

/// Measures and compares; the result is the complete JSON object.
///
/// # Errors
/// A desk's strategy is not in the language. Targets that differ are not an error here: they are counted in `mismatches`.
pub fn bench_strategies(options: &Options, progress: Progress) -> Result<Value, Error> {
    let handlers = handlers(options, progress)?;
    let times = handlers
        .values()
        .filter_map(|one| one["compiled_ns"].as_f64());
    let most = times.fold(0.0, f64::max);
    let (mut fit, mut faults) = (0, vec![]);
    for seed in 0..options.programs {
        progress("random programs", seed, options.programs);
        match compared(seed) {
            Ok(fits) => fit += u64::from(fits),
            Err(fault) => faults.push(fault),
        }
    }
    Ok(json!({
        "handler_ns": most,
        "handlers": handlers,
        "programs": options.programs,
        "programs_processor": fit,
        "events_of_a_program": STEPS,
        "mismatches": faults.len(),
        "faults": faults,
    }))
}

/// The figures for a person.
pub fn table(figures: &Value) -> String {
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let mut text = format!(
        "{:<20}{:>14}{:>18}{:>12}\n",
        "handler of", "compiled, ns", "interpreted, ns", "load, ms"
    );
    for (name, handler) in figures["handlers"].as_object().into_iter().flatten() {
        text += &format!(
            "{name:<20}{:>14.1}{:>18.1}{:>12.1}\n",
            number(&handler["compiled_ns"]),
            number(&handler["interpreted_ns"]),
            number(&handler["load_ms"]),
        );
    }
    text += &format!(
        "{} random programs as machine code, {} of them in the processor's emulator, {} events each: {} differences from the interpreter",
        figures["programs"],
        figures["programs_processor"],
        figures["events_of_a_program"],
        figures["mismatches"],
    );
    for fault in figures["faults"].as_array().into_iter().flatten() {
        text += &format!("\n{}", fault.as_str().unwrap_or_default());
    }
    if let Some(seconds) = figures["backtest_seconds"].as_f64() {
        let what = figures["backtest"].as_str().unwrap_or_default();
        text += &format!("\nbacktest of {what}: {seconds:.2} s");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_strategy_has_a_time_and_random_programs_agree() {
        let options = Options {
            calls: 1_000,
            passes: 1,
            programs: 20,
            ..Options::in_project(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        };
        let figures = bench_strategies(&options, &mut |_, _, _| ()).expect("they are measured");
        let handlers = figures["handlers"].as_object().expect("a map");
        assert!(handlers.len() >= 8, "{handlers:?}");
        assert!(
            handlers
                .values()
                .all(|one| one["compiled_ns"].as_f64() > Some(0.0))
        );
        assert_eq!(
            (&figures["programs"], &figures["mismatches"]),
            (&20.into(), &0.into())
        );
        assert!(figures["programs_processor"].as_u64() > Some(15));
        assert!(table(&figures).contains("0 differences"));
    }
}
