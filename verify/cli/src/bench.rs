//! `tickwire-verify bench`: the figures that `make bench` writes.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use cosim::Width;
use figures::arbiter::{self, bench_arbiter};
use figures::book::{self, bench_book};
use figures::codec::codec;
use figures::fast::{self, bench_fast};
use figures::fast_wire::{self, bench_fast_wire};
use figures::foundation::{Options, bench_foundation};
use figures::session::{self, bench_session};
use figures::strategies::{self, bench_strategies};
use report::Progress;
use report::demo::aapl_in;
use report::stops::stops;
use serde::Serialize;
use serde_json::{Value, json};
use tickwire::{Console, backtest, given};

use crate::error::Error;

/// Measure what the project promises; some minutes
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  tickwire-verify bench codec")]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Foundation(Foundation),
    Arbiter(Arbiter),
    Session(Session),
    Codec(Codec),
    Book(Book),
    Fast(Fast),
    FastWire(FastWire),
    Strategy(Strategy),
}

/// The order book: what a message takes in software, every message against a plain book and against the simulated hardware; in the project's root
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  tickwire-verify bench book --json-out out/bench/book.json")]
struct Book {
    /// File to write the figures to, as JSON
    #[arg(long, value_name = "FILE")]
    json_out: Option<PathBuf>,
    /// The project's root: ../shared/data is looked for from there
    #[arg(long, value_name = "DIR", default_value = ".")]
    project: PathBuf,
    /// Messages of the generated day of 8,000 symbols
    #[arg(long, value_name = "N", default_value_t = 5_000_000)]
    messages: u64,
    /// Messages of 16 generated symbols that are compared, in each version of ITCH
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    compared: u64,
    /// Passes of each measurement; the best counts
    #[arg(long, value_name = "N", default_value_t = 7)]
    passes: u32,
}

/// FAST: what a message takes in software; the simulated engine against it, and its cycles; in the project's root
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  tickwire-verify bench fast --json-out out/bench/fast.json")]
struct Fast {
    /// File to write the figures to, as JSON
    #[arg(long, value_name = "FILE")]
    json_out: Option<PathBuf>,
    /// The project's root: ../shared/data and out/pnr are looked for from there
    #[arg(long, value_name = "DIR", default_value = ".")]
    project: PathBuf,
    /// Random messages that are compared, and mutated ones
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    messages: u64,
    /// Passes over the messages that the software decodes; the best counts
    #[arg(long, value_name = "N", default_value_t = 41)]
    passes: u32,
}

/// The wire-rate FAST engine: against the software on recorded, generated, random and mutated packets, its cycles, and its size where it was placed; in the project's root
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  tickwire-verify bench fast-wire --json-out out/bench/fast_wire.json"
)]
struct FastWire {
    /// File to write the figures to, as JSON
    #[arg(long, value_name = "FILE")]
    json_out: Option<PathBuf>,
    /// The project's root: ../shared/data, desks/fast and out/pnr are looked for from there
    #[arg(long, value_name = "DIR", default_value = ".")]
    project: PathBuf,
    /// Random messages that are compared, and as many of which every other one is mutated
    #[arg(long, value_name = "N", default_value_t = 500_000)]
    messages: u64,
}

/// Strategies in the language: what a handler takes as machine code, a backtest, random programs in each target that software has; in the project's root
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  tickwire-verify bench strategy --json-out out/bench/strategy.json"
)]
struct Strategy {
    /// File to write the figures to, as JSON
    #[arg(long, value_name = "FILE")]
    json_out: Option<PathBuf>,
    /// The project's root: desks and ../shared/data are looked for from there
    #[arg(long, value_name = "DIR", default_value = ".")]
    project: PathBuf,
    /// Random programs
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    programs: u64,
    /// Calls of a handler in a pass
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    calls: usize,
    /// Passes of each measurement; the best counts
    #[arg(long, value_name = "N", default_value_t = 7)]
    passes: u32,
}

/// The FIX codec alone: an order encoded, an execution report of 230 bytes parsed; a second
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  tickwire-verify bench codec")]
struct Codec {
    /// File to write the figures to, as JSON
    #[arg(long, value_name = "FILE")]
    json_out: Option<PathBuf>,
    /// Passes of a thousand messages; the best counts
    #[arg(long, value_name = "N", default_value_t = 4_000)]
    passes: u32,
}

/// A/B arbitration: cycles, random lines against the rules, both lines of a real market; in the project's root
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  tickwire-verify bench arbiter --json-out out/bench/arbiter.json"
)]
struct Arbiter {
    /// File to write the figures to, as JSON
    #[arg(long, value_name = "FILE")]
    json_out: Option<PathBuf>,
    /// The project's root: ../shared/data and out/pnr are looked for from there
    #[arg(long, value_name = "DIR", default_value = ".")]
    project: PathBuf,
    /// Packets of random lines
    #[arg(long, value_name = "N", default_value_t = 500_000)]
    packets: usize,
}

/// The session: matching engine, FIX codec, orders over TCP beside QuickFIX, stop orders in the core; with what make bench measured before
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  tickwire-verify bench session --json-out out/bench/session.json"
)]
struct Session {
    /// File to write the figures to, as JSON
    #[arg(long, value_name = "FILE")]
    json_out: Option<PathBuf>,
    /// Passes of each measurement; the best counts
    #[arg(long, value_name = "N", default_value_t = 200)]
    passes: u32,
    /// Orders to each exchange; 0: none is started
    #[arg(long, value_name = "N", default_value_t = 5_000)]
    orders: u32,
    /// Stop orders of the simulated core at each width, and of the software client
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    rounds: u64,
    /// The project's root: QuickFIX's acceptor is built from tests/peers there, and out/pnr and out/bench are looked at
    #[arg(long, value_name = "DIR", default_value = ".")]
    project: PathBuf,
}

/// The market-data path: latency of both cores, rates, sockets, fuzzing; in the project's root
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  tickwire-verify bench foundation --json-out out/bench/foundation.json"
)]
struct Foundation {
    /// File to write the figures to, as JSON
    #[arg(long, value_name = "FILE")]
    json_out: Option<PathBuf>,
    /// The project's root: ../shared/data and out/pnr are looked for from there
    #[arg(long, value_name = "DIR", default_value = ".")]
    project: PathBuf,
    /// Frames to fuzz
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    fuzz_frames: u64,
    /// Messages of the generated day
    #[arg(long, value_name = "N", default_value_t = 5_000_000)]
    messages: u64,
}

/// Figures, and how a person is shown them.
#[derive(Serialize)]
#[serde(transparent)]
struct Figures {
    figures: Value,
    #[serde(skip)]
    table: Option<fn(&Value) -> String>,
}

impl Figures {
    const fn plain(figures: Value) -> Self {
        Figures {
            figures,
            table: None,
        }
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.table {
            Some(table) => write!(f, "{}", table(&self.figures)),
            None => write!(f, "{:#}", self.figures),
        }
    }
}

/// Runs the command.
///
/// # Errors
/// A socket or a file fails.
pub fn run(arguments: &Arguments, console: Console) -> Result<(), Error> {
    let mut progress = console.phases();
    let (figures, json_out) = match &arguments.what {
        What::Foundation(foundation) => {
            let options = Options {
                fuzz_frames: foundation.fuzz_frames,
                generated_messages: foundation.messages,
                ..Options::in_project(&foundation.project)
            };
            let figures = bench_foundation(&options, &mut progress)?;
            (Figures::plain(figures), &foundation.json_out)
        }
        What::Arbiter(arbiter) => {
            let options = arbiter::Options {
                random_packets: arbiter.packets,
                ..arbiter::Options::in_project(&arbiter.project)
            };
            let figures = bench_arbiter(&options, &mut progress);
            (Figures::plain(figures), &arbiter.json_out)
        }
        What::Session(session) => {
            let options = session::Options {
                passes: session.passes,
                orders: session.orders,
                tickwire: program()?,
                project: session.project.clone(),
            };
            let mut figures = bench_session(&options, &mut progress).map_err(Error::RoundTrip)?;
            stop_orders(&mut figures, session.rounds, &mut progress)?;
            let figures = Figures {
                figures,
                table: Some(session::table),
            };
            (figures, &session.json_out)
        }
        What::Book(book) => {
            let options = book::Options {
                messages: book.messages,
                compared: book.compared,
                passes: book.passes,
                ..book::Options::in_project(&book.project)
            };
            let figures = Figures {
                figures: bench_book(&options, &mut progress)?,
                table: Some(book::table),
            };
            (figures, &book.json_out)
        }
        What::Fast(arguments) => {
            let options = fast::Options {
                random_messages: arguments.messages,
                passes: arguments.passes.max(1),
                ..fast::Options::in_project(&arguments.project)
            };
            let figures = Figures {
                figures: bench_fast(&options, &mut progress)?,
                table: Some(fast::table),
            };
            (figures, &arguments.json_out)
        }
        What::FastWire(arguments) => {
            let options = fast_wire::Options {
                messages: arguments.messages,
                ..fast_wire::Options::in_project(&arguments.project)
            };
            let figures = bench_fast_wire(&options, &mut progress)?;
            let figures = Figures {
                figures,
                table: Some(fast_wire::table),
            };
            (figures, &arguments.json_out)
        }
        What::Strategy(arguments) => {
            let options = strategies::Options {
                programs: arguments.programs,
                calls: arguments.calls.max(1),
                passes: arguments.passes.max(1),
                ..strategies::Options::in_project(&arguments.project)
            };
            let mut figures = bench_strategies(&options, &mut progress)?;
            drop(progress);
            backtest_hour(&mut figures, arguments, console)?;
            progress = console.phases();
            let figures = Figures {
                figures,
                table: Some(strategies::table),
            };
            (figures, &arguments.json_out)
        }
        What::Codec(options) => {
            let figures = json!(codec(options.passes.max(1)));
            (Figures::plain(figures), &options.json_out)
        }
    };
    drop(progress);
    if let Some(path) = json_out {
        write(path, &format!("{:#}\n", figures.figures))?;
    }
    Ok(console.print(&figures)?)
}

/// Adds what stop orders take, in the core at both widths and in software. Nanoseconds are those at the clock that place and route reached.
fn stop_orders(figures: &mut Value, rounds: u64, progress: Progress) -> Result<(), Error> {
    let runs = Width::ALL.map(|width| stops(width, rounds, progress));
    for run in runs {
        let run = run?;
        let name = format!("w{}", run.width);
        figures["stop_last_first_cycles"][&name] = json!(run.hardware_cycles);
        figures["stop_last_first_ns"][&name] = match slowest_mhz(&figures[&name]) {
            Some(mhz) => json!(run.hardware_cycles.scaled(1_000.0 / mhz)),
            None => Value::Null,
        };
        figures["stop_software_ns"] = json!(run.software_ns);
    }
    Ok(())
}

/// Adds what a backtest of the AAPL hour takes, the best of two; null where the hour is not there.
fn backtest_hour(figures: &mut Value, arguments: &Strategy, console: Console) -> Result<(), Error> {
    let hour = aapl_in(&arguments.project);
    let desk = arguments.project.join("desks/market-maker");
    let [file, folder] = [&hour, &desk].map(|path| path.to_string_lossy().into_owned());
    figures["backtest"] = json!("the AAPL hour, desks/market-maker");
    figures["backtest_seconds"] = Value::Null;
    if hour.exists() {
        let line = [&file, "--desk", &folder, "--latency", "0,1us"];
        let runs = backtest::runs(&given(&line), console)?;
        let seconds = runs.iter().map(|run| run.seconds);
        figures["backtest_seconds"] = json!(seconds.reduce(f64::min));
    }
    Ok(())
}

/// The slowest clock that the seeds of a design reached.
fn slowest_mhz(design: &Value) -> Option<f64> {
    let clocks = design["fmax_mhz"].as_array()?;
    clocks.iter().filter_map(Value::as_f64).reduce(f64::min)
}

/// The program `tickwire`, which is built beside this one.
fn program() -> Result<PathBuf, Error> {
    let own = std::env::current_exe().map_err(Error::RoundTrip)?;
    let program = own.with_file_name("tickwire");
    if program.exists() {
        return Ok(program);
    }
    let missing = format!(
        "{} is not built: cargo build --package tickwire",
        program.display()
    );
    Err(Error::RoundTrip(io::Error::new(
        io::ErrorKind::NotFound,
        missing,
    )))
}

/// Writes a file, and makes its folder where there is none.
fn write(path: &Path, text: &str) -> Result<(), Error> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    folder
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| fs::write(path, text))
        .map_err(|cause| Error::Write {
            path: path.to_owned(),
            cause,
        })
}
