//! `tickwire backtest`: a strategy on a recorded day.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use backtest::{Counts, Wrong};
use clap::{Args, ValueEnum};
use formats::Symbol;
use language::Interpreter;
use language_jit::Compiled;
use live::desk::{self, Desk, ToBacktest};
use live::parameters::{self, Instruments};
use serde::Serialize;

use self::day::{Day, Recorded, play};
use self::latency::LatencyOptions;
use super::check::LanguageOptions;
use crate::console::Console;
use crate::error::Error;
use crate::input::{PacketOptions, ReadOptions};

mod day;
mod latency;

/// Run a strategy on a recorded day: its orders, fills by a simple rule, its position and profit
///
/// The strategy is a Python file (tickwire check says whether it is good), compiled to machine code. Time is that of the feed. An order meets the book that the
/// strategy saw. It trades at once where it reaches prices of the other side, the best first, up to what is shown there; what rests trades when the other side
/// reaches its price, or when a trade happens at a worse one. Nothing that was recorded changes by it, and risk is not asked.
///
/// The file is ITCH, or of a desk whose feed is FAST a capture of that feed, an order log or price levels; then prices have the decimals of the desk's map. What was
/// wrong with the recording (damaged packets, gaps, orders that are not in the book) is counted, and told at the end.
///
/// With --latency an order is on its way for so long, and meets what is shown when it arrives; with several, what each costs is shown side by side. It may be what
/// tickwire measure has measured of a core or of the software: then each order has the latency of one of those orders, and --line on top.
///
/// With --json: a line for every order, fill and record, then the summary; with several latencies their summaries alone.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tickwire generate itch --symbols 2 --out day.itch50
  tickwire backtest day.itch50 --strategy desks/best-offer/strategy.py --symbols A
  tickwire backtest day.itch50 --strategy desks/market-maker/strategy.py --symbols A --set lot=10 --set half_spread=0.05
  tickwire backtest aapl.itch50 --desk desks/market-maker --set skew=0.02
  tickwire generate moex --out log.pcap
  tickwire backtest log.pcap --desk desks/moex-best-offer
  tickwire backtest aapl.itch50 --desk desks/market-maker --latency 0,100ns,1us,10us --fee 0.0005 --chart cost.svg
  tickwire backtest aapl.itch50 --desk desks/market-maker --latency fpga_w64_module,software_busy_poll \\
      --measured out/measure --line 5us")]
pub struct Arguments {
    /// BinaryFILE (ITCH with two-byte lengths), pcap or pcapng; of a feed in FAST a capture
    file: PathBuf,
    /// A desk with one strategy in a file: that, with its parameters, and the session's instruments that have feed = true
    #[arg(long, value_name = "DESK", required_unless_present = "strategy")]
    desk: Option<PathBuf>,
    /// The strategy
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "desk",
        requires = "symbols"
    )]
    strategy: Option<PathBuf>,
    /// The instruments; a strategy's Instrument is one of these
    #[arg(
        long,
        value_name = "SYMBOL,…",
        value_delimiter = ',',
        conflicts_with = "desk"
    )]
    symbols: Vec<Symbol>,
    /// A parameter: an instrument by its symbol, a price with its point. Instruments that are not set are the symbols, in order
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = setting)]
    parameters: Vec<(String, String)>,
    /// What runs the strategy
    #[arg(long, value_enum, default_value_t = Target::Compiled)]
    target: Target,
    /// Go on after a fault (a division by zero, an index beyond an array, a fifth intent) instead of ending the strategy
    #[arg(long)]
    go_on_after_faults: bool,
    #[command(flatten)]
    latency: LatencyOptions,
    /// What each costs that is bought or sold, in the currency of the prices; below 0: what it earns
    #[arg(long, value_name = "AMOUNT", value_parser = fee, default_value_t = 0.0, allow_negative_numbers = true)]
    fee: f64,
    /// Where to draw the profit against the latency, as SVG
    #[arg(long, value_name = "FILE")]
    chart: Option<PathBuf>,
    /// Only so many packets of the file
    #[arg(long, value_name = "N")]
    packets: Option<u64>,
    #[command(flatten)]
    options: LanguageOptions,
    #[command(flatten)]
    packet_options: PacketOptions,
    #[command(flatten)]
    read: ReadOptions,
}

/// What runs a strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Target {
    /// Machine code, made when it is loaded.
    Compiled,
    /// The reference: slow.
    Interpreter,
}

fn setting(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write name=value")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

fn fee(text: &str) -> Result<f64, String> {
    let amount: Option<f64> = text.parse().ok();
    let amount = amount.filter(|amount| amount.is_finite());
    amount.ok_or_else(|| "write an amount, like 0.0005, or -0.0002 of a rebate".to_owned())
}

/// How it ended.
#[derive(Serialize)]
#[serde(tag = "type", rename = "summary")]
pub struct Summary {
    file: PathBuf,
    strategy: String,
    /// All of them, as they would be set.
    parameters: BTreeMap<String, String>,
    /// What each bought or sold costs, in the currency of the prices.
    fee: f64,
    packets: u64,
    /// From a decision to the market: the time, or the key of what was measured.
    pub latency: String,
    /// In nanoseconds; of what was measured the mean, with the line's.
    latency_ns: u64,
    #[serde(flatten)]
    counts: Counts,
    /// Orders, cancels and replacements that had not arrived when the day ended.
    on_their_way: usize,
    /// A fault ended the strategy.
    stopped: bool,
    open_orders: i64,
    instruments: Vec<Instrument>,
    feed: FeedSummary,
    /// The whole run, reading and decoding included.
    pub seconds: f64,
}

/// What it has in an instrument.
#[derive(Serialize)]
struct Instrument {
    symbol: String,
    position: i64,
    traded: i64,
    /// Cash, and the position at the last middle, less the fees, in the currency of the prices.
    profit: f64,
    /// In the currency of the prices.
    fees: f64,
    /// Why its book cannot be relied on at the end, if it cannot: no order has entered since.
    #[serde(skip_serializing_if = "Option::is_none")]
    untradable: Option<String>,
}

/// What was wrong with the feed.
#[derive(Serialize)]
struct FeedSummary {
    #[serde(flatten)]
    wrong: Wrong,
    /// Frames of the capture that are pieces of packets, or cut short, or whose lengths contradict one another.
    damaged_frames: u64,
}

/// A line that names what there was; empty, if all was as it should be.
impl fmt::Display for FeedSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wrong = &self.wrong;
        let counted = [
            (self.damaged_frames, "damaged frames"),
            (wrong.malformed.into(), "malformed packets"),
            (wrong.faulty().into(), "packets that the map does not allow"),
            (wrong.old.into(), "packets that had been there"),
            (wrong.gaps.into(), "gaps"),
            (wrong.lost, "messages lost"),
            (wrong.unknown.into(), "unknown messages"),
        ];
        let told = counted.iter().filter(|(count, _)| *count > 0);
        let told = told.map(|(count, what)| format!("{count} {what}"));
        let faulty = wrong.faulty.iter();
        let faulty = faulty.map(|(fault, count)| format!("{count} {fault}"));
        let books = wrong.books.iter();
        let books = books.map(|(cause, count)| format!("{count} times {cause}"));
        for (place, list) in [
            ("the feed", told.collect::<Vec<_>>()),
            ("the map", faulty.collect()),
            ("the books", books.collect()),
        ] {
            if !list.is_empty() {
                write!(f, "\nin {place}: {}", list.join(", "))?;
            }
        }
        Ok(())
    }
}

/// The same day with several latencies.
#[derive(Serialize)]
#[serde(tag = "type", rename = "latencies")]
pub struct Latencies {
    /// Of each latency.
    pub runs: Vec<Summary>,
    /// The chart that was drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chart: Option<PathBuf>,
}

impl Summary {
    /// Of all instruments, in the currency of the prices.
    pub fn profit(&self) -> f64 {
        self.instruments.iter().map(|one| one.profit).sum()
    }
}

impl fmt::Display for Latencies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let heads = ["latency", "orders", "fills", "traded", "profit", "change"];
        write!(
            f,
            "{:>24}{:>10}{:>10}{:>12}{:>14}{:>12}",
            heads[0], heads[1], heads[2], heads[3], heads[4], heads[5]
        )?;
        let first = self.runs.first().map_or(0.0, Summary::profit);
        for run in &self.runs {
            let traded: i64 = run.instruments.iter().map(|one| one.traded).sum();
            write!(
                f,
                "\n{:>24}{:>10}{:>10}{traded:>12}{:>14.2}{:>12.2}",
                run.latency,
                run.counts.intents,
                run.counts.fills,
                run.profit(),
                run.profit() - first
            )?;
        }
        if let Some(chart) = &self.chart {
            write!(f, "\nchart       {}", chart.display())?;
        }
        Ok(())
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = &self.counts;
        writeln!(
            f,
            "{}: {} on {} packets, {} changes and trades of its instruments; {:.2} s",
            self.file.display(),
            self.strategy,
            self.packets,
            counts.events,
            self.seconds
        )?;
        write!(
            f,
            "{} orders, cancels and replacements ({} rejected, {} on their way), {} fills, {} still open; {} records; {} faults{}",
            counts.intents,
            counts.rejected,
            self.on_their_way,
            counts.fills,
            self.open_orders,
            counts.records,
            counts.faults,
            if self.stopped {
                ", the first of which ended it"
            } else {
                ""
            }
        )?;
        let parameters = self.parameters.iter();
        let parameters = parameters.map(|(name, value)| format!("{name}={value}"));
        let parameters: Vec<_> = parameters.collect();
        write!(f, "\nparameters   {}", parameters.join(", "))?;
        if self.fee != 0.0 {
            write!(f, "; fee {}", self.fee)?;
        }
        for instrument in &self.instruments {
            write!(
                f,
                "\n{:<12} position {:>8}, traded {:>8}, profit {:>12.2}",
                instrument.symbol, instrument.position, instrument.traded, instrument.profit
            )?;
            if let Some(cause) = &instrument.untradable {
                write!(f, "; its book cannot be relied on any more: {cause}")?;
            }
        }
        write!(f, "{}", self.feed)
    }
}

/// Runs the command.
///
/// # Errors
/// The file or the strategy cannot be read; the strategy is not in the language, or does not come to an end.
pub fn run(arguments: &Arguments, console: Console) -> Result<(), Error> {
    match <[Summary; 1]>::try_from(runs(arguments, console)?) {
        Ok([only]) => console.print(&only),
        Err(runs) => console.print(&Latencies {
            runs,
            chart: arguments.chart.clone(),
        }),
    }
}

/// The day with each latency; where there is one alone, what happens is printed, as lines of JSON.
///
/// # Errors
/// As [`run`]'s.
pub fn runs(arguments: &Arguments, console: Console) -> Result<Vec<Summary>, Error> {
    let desk = arguments.desk.as_deref().map(Desk::open).transpose()?;
    let backtest = match &desk {
        Some(desk) => desk.backtest()?,
        None => ToBacktest {
            strategy: arguments.strategy.clone().unwrap_or_default(),
            instruments: {
                let symbols = arguments.symbols.iter();
                symbols
                    .map(|symbol| (symbol.to_string(), *symbol))
                    .collect()
            },
            parameters: vec![],
            fault_stops: true,
        },
    };
    let recorded = Recorded::find(arguments, desk.as_ref(), console)?;
    let decimals = recorded.price_decimals();
    let listed = &backtest.instruments;
    let program = arguments
        .options
        .compile_at(&backtest.strategy, listed.len(), decimals)?;
    let failed = |text: String| live::Error::Strategy {
        text: format!("{}: {text}", backtest.strategy.display()),
    };
    // What the command line says comes last, and holds.
    let set = [&backtest.parameters[..], &arguments.parameters].concat();
    let instruments = Instruments {
        named: {
            let names = listed.iter().map(|(name, _)| name.clone());
            names.zip(0..).collect()
        },
        place: match arguments.desk {
            Some(_) => desk::INSTRUMENTS,
            None => "--symbols",
        },
        decimals,
    };
    let parameters = parameters::values(&program, &set, &instruments);
    let parameters = parameters.map_err(|wrong| {
        let set = wrong.parameter.map(|name| match arguments.desk {
            Some(_) => format!("parameter {name}: "),
            None => format!("--set {name}: "),
        });
        failed(set.unwrap_or_default() + &wrong.text)
    })?;
    let written = parameters::written(&program, &parameters, &instruments);
    let mut runs = vec![];
    let latencies = arguments.latency.runs()?;
    let tells = latencies.len() == 1;
    for latency in latencies {
        let day = Day {
            what: &backtest,
            program: &program,
            recorded: &recorded,
            parameters: written.clone(),
            latency,
            tells,
        };
        let parameters = parameters.clone();
        runs.push(match arguments.target {
            Target::Compiled => {
                let machine = Compiled::new(&program, parameters);
                let machine = machine.map_err(|error| failed(error.to_string()))?;
                play(arguments, day, machine, console)?
            }
            Target::Interpreter => {
                let machine = Interpreter::new(program.clone(), parameters);
                play(arguments, day, machine, console)?
            }
        });
    }
    if let Some(path) = &arguments.chart {
        let points: Vec<_> = runs
            .iter()
            .map(|run| (run.latency.clone(), run.profit()))
            .collect();
        report::profit::write(&points, path)?;
    }
    Ok(runs)
}
