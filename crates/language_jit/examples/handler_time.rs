//! What a handler takes, in nanoseconds: `cargo run --release -p language_jit --example handler_time -- [FILE.py …]`; without files, those of `desks`.
//!
//! A million changes of books of two instruments with prices that move, in one thread; the best of seven runs. The time includes everything from the
//! event to the filled outcome, not the making of the event. The interpreter is there for comparison.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use language::event::{Event, Outcome};
use language::{
    BookChange, Guarded, Interpreter, Level, Machine, Moment, NoDepth, Options, Program, Trade,
    compile, parameters,
};
use language_jit::Compiled;
use wire::Side;

const EVENTS: usize = 1_000_000;
const RUNS: usize = 7;

fn changes() -> Vec<BookChange> {
    // A linear congruential generator, so that the branches are not learned by heart.
    let mut state = 1_u64;
    let mut next = |limit: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % limit) as i64
    };
    (0..4_096)
        .map(|_| {
            let bid = 100_000 + next(4) * 100;
            let level = |price, quantity| Level {
                price,
                quantity,
                orders: 1,
            };
            BookChange {
                instrument: next(2) as u32,
                bid: level(bid, 1 + next(500)),
                ask: level(bid + 100 + next(3) * 100, 1 + next(500)),
                changed: true,
                tradable: true,
            }
        })
        .collect()
}

/// Nanoseconds an event, and how many intents there were.
fn time(
    machine: &mut impl Machine,
    program: &Program,
    changes: &[BookChange],
    events: usize,
) -> (f64, usize) {
    let mut outcome = Outcome::of(program);
    let mut best = f64::INFINITY;
    let mut intents = 0;
    let on_book = program.on_book.is_some();
    for _ in 0..RUNS {
        intents = 0;
        let began = Instant::now();
        for number in 0..events {
            let change = changes[number % changes.len()];
            let moment = Moment {
                now: number as i64,
                open_orders: 0,
                positions: &[0, 0],
            };
            let event = if on_book {
                Event::Book(change, &NoDepth)
            } else {
                Event::Trade(Trade {
                    instrument: change.instrument,
                    price: change.bid.price,
                    quantity: 1,
                    side: Side::Buy,
                })
            };
            machine.handle(black_box(&moment), black_box(&event), &mut outcome);
            intents += black_box(&outcome).intents.len();
        }
        best = best.min(began.elapsed().as_secs_f64() * 1e9 / events as f64);
    }
    (best, intents)
}

fn files() -> Vec<PathBuf> {
    let given: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
    if !given.is_empty() {
        return given;
    }
    let desks = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../desks");
    let mut found: Vec<PathBuf> = std::fs::read_dir(desks)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path().join("strategy.py")))
        .filter(|path| path.exists())
        .collect();
    found.sort();
    found
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let changes = changes();
    let options = Options {
        instruments: 2,
        ..Options::default()
    };
    println!(
        "{:<22} {:>10} {:>14} {:>12} {:>10} {:>12}",
        "strategy", "operations", "compiled, ns", "interpreted", "intents", "compile, ms"
    );
    for path in files() {
        let source = std::fs::read_to_string(&path)?;
        let program = compile(&source, &options)
            .map_err(|messages| format!("{}: {messages}", path.display()))?;
        let without = program
            .parameters
            .iter()
            .filter(|parameter| parameter.default.is_none());
        let values = parameters(
            &program,
            without.map(|parameter| (parameter.name.as_str(), 1)),
        )?;
        let began = Instant::now();
        let mut compiled = Guarded::new(Compiled::new(&program, values.clone())?, true);
        let loading = began.elapsed().as_secs_f64() * 1e3;
        let (ns, intents) = time(&mut compiled, &program, &changes, EVENTS);
        let mut interpreted = Guarded::new(Interpreter::new(program.clone(), values), true);
        let (slow, _) = time(&mut interpreted, &program, &changes, EVENTS / 10);
        let handler = program.on_book.as_ref().or(program.on_trade.as_ref());
        let operations = handler.map_or(0, |handler| handler.operations);
        println!(
            "{:<22} {operations:>10} {ns:>14.1} {slow:>12.1} {intents:>10} {loading:>12.1}",
            program.name
        );
    }
    Ok(())
}
