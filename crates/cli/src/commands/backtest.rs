//! `tickwire backtest`: a strategy on a recorded day.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use backtest::{Backtest, Counts, Fill, Happened, Holding};
use clap::{Args, ValueEnum};
use feed::PacketSource;
use language::{Guarded, Intent, Interpreter, Machine, Program, Type};
use language_jit::Compiled;
use serde::Serialize;
use wire::itch::Version;
use wire::{Side, Symbol};

use super::check::{LanguageOptions, PRICE_DECIMALS};
use crate::console::Console;
use crate::error::Error;
use crate::input::{PacketOptions, Packets, ReadOptions, version_of};
use crate::stop;

/// Run a strategy on a recorded day: its orders, fills by a simple rule, its position and profit
///
/// The strategy is a Python file (tickwire check says whether it is good), compiled to machine code. Time is that of the feed. An order meets the book that the
/// strategy saw. It trades at once where it reaches the best price of the other side, up to what is shown there; what rests trades when the other side reaches
/// its price, or when a trade happens at a worse one. Nothing that was recorded changes by it, and risk is not asked.
///
/// With --json: a line for every order, fill and record, then the summary.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tickwire generate itch --symbols 2 --out day.itch50
  tickwire backtest day.itch50 --strategy desks/best-offer/strategy.py --symbols A
  tickwire backtest day.itch50 --strategy desks/market-maker/strategy.py --symbols A --set lot=10 --set half_spread=0.05")]
pub struct Arguments {
    /// BinaryFILE (ITCH with two-byte lengths), pcap or pcapng
    file: PathBuf,
    /// The strategy
    #[arg(long, value_name = "FILE")]
    strategy: PathBuf,
    /// The desk's instruments; a strategy's Instrument is one of these
    #[arg(long, value_name = "SYMBOL,…", value_delimiter = ',', required = true)]
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

/// The value of a parameter as it is written.
fn value(of: Type, text: &str, symbols: &[Symbol]) -> Result<i64, String> {
    let number = |text: &str| {
        text.parse()
            .map_err(|_| format!("{text:?} is no whole number"))
    };
    match of {
        Type::Price => price(text),
        Type::Bool => match text {
            "true" | "True" | "1" => Ok(1),
            "false" | "False" | "0" => Ok(0),
            _ => Err("write true or false".into()),
        },
        Type::Side => match text {
            "buy" => Ok(Side::Buy as i64),
            "sell" => Ok(Side::Sell as i64),
            _ => Err("write buy or sell".into()),
        },
        Type::Instrument => {
            let place = symbols
                .iter()
                .position(|symbol| symbol.to_string() == text)
                .ok_or_else(|| format!("{text} is none of --symbols"))?;
            Ok(place as i64)
        }
        _ => number(text),
    }
}

/// A price as it is written, in 1/10,000.
fn price(text: &str) -> Result<i64, String> {
    let wrong = || {
        format!("{text:?} is no price with up to {PRICE_DECIMALS} decimals, such as 12.5 or -0.01")
    };
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty()
        || part.len() > PRICE_DECIMALS as usize
        || !all_digits(whole)
        || !all_digits(part)
    {
        return Err(wrong());
    }
    let scaled: i64 = format!("{whole}{part:0<width$}", width = PRICE_DECIMALS as usize)
        .parse()
        .map_err(|_| wrong())?;
    Ok(if negative { -scaled } else { scaled })
}

/// Something that happened, as a line of JSON.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line<'a> {
    Intent {
        time_ns: u64,
        #[serde(flatten)]
        intent: &'a Intent,
    },
    Fill {
        time_ns: u64,
        #[serde(flatten)]
        fill: &'a Fill,
    },
    Record {
        time_ns: u64,
        tag: u8,
        values: &'a [i64],
    },
}

/// How it ended.
#[derive(Serialize)]
#[serde(tag = "type", rename = "summary")]
struct Summary {
    file: PathBuf,
    strategy: String,
    packets: u64,
    #[serde(flatten)]
    counts: Counts,
    /// A fault ended the strategy.
    stopped: bool,
    open_orders: i64,
    instruments: Vec<Instrument>,
    /// The whole run, reading and decoding included.
    seconds: f64,
}

/// What it has in an instrument.
#[derive(Serialize)]
struct Instrument {
    symbol: String,
    position: i64,
    traded: i64,
    /// Cash, and the position at the last middle, in dollars.
    profit: f64,
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
            "{} orders, cancels and replacements ({} rejected), {} fills, {} still open; {} records; {} faults{}",
            counts.intents,
            counts.rejected,
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
        for instrument in &self.instruments {
            write!(
                f,
                "\n{:<8} position {:>8}, traded {:>8}, profit {:>12.2}",
                instrument.symbol, instrument.position, instrument.traded, instrument.profit
            )?;
        }
        Ok(())
    }
}

/// Runs the command.
///
/// # Errors
/// The file or the strategy cannot be read; the strategy is not in the language, or does not come to an end.
pub fn run(arguments: &Arguments, console: Console) -> Result<(), Error> {
    let symbols = &arguments.symbols;
    let program = arguments
        .options
        .compile(&arguments.strategy, symbols.len())?;
    let failed = |text: String| Error::Strategy {
        text: format!("{}: {text}", arguments.strategy.display()),
    };
    let parameters = parameters(&program, &arguments.parameters, symbols).map_err(failed)?;
    let version = version_of(&arguments.file, &arguments.read)?.ok_or_else(|| Error::NoBook {
        path: arguments.file.clone(),
    })?;
    match arguments.target {
        Target::Compiled => {
            let machine = Compiled::new(&program, parameters);
            let machine = machine.map_err(|error| failed(error.to_string()))?;
            play(arguments, &program, machine, version, console)
        }
        Target::Interpreter => {
            let machine = Interpreter::new(program.clone(), parameters);
            play(arguments, &program, machine, version, console)
        }
    }
}

/// The values of all parameters: as set, else an instrument's place among those that are not set, else the default.
fn parameters(
    program: &Program,
    set: &[(String, String)],
    symbols: &[Symbol],
) -> Result<Vec<i64>, String> {
    let mut given = Vec::new();
    let mut free = 0..symbols.len() as i64;
    for (name, text) in set {
        let found = program.parameters.iter().find(|one| one.name == *name);
        let of = found
            .ok_or_else(|| format!("it has no parameter {name}"))?
            .of;
        let value = value(of, text, symbols).map_err(|error| format!("--set {name}: {error}"))?;
        given.push((name.as_str(), value));
    }
    for parameter in &program.parameters {
        let is_set = set.iter().any(|(name, _)| *name == parameter.name);
        if parameter.of == Type::Instrument && parameter.default.is_none() && !is_set {
            let place = free.next().ok_or_else(|| {
                format!(
                    "parameter {} has no instrument: name more symbols, or --set it",
                    parameter.name
                )
            })?;
            given.push((parameter.name.as_str(), place));
        }
    }
    language::parameters(program, given).map_err(|error| error.to_string())
}

fn play<M: Machine>(
    arguments: &Arguments,
    program: &Program,
    machine: M,
    version: Version,
    console: Console,
) -> Result<(), Error> {
    let began = Instant::now();
    let machine = Guarded::new(machine, !arguments.go_on_after_faults);
    let mut backtest = Backtest::new(program, machine, version, &arguments.symbols)?;
    let mut packets = Packets::open(&arguments.file, &arguments.read, &arguments.packet_options)?;
    let bar = console.bytes("backtest", packets.position().1);
    let mut count = 0;
    let mut failed = None;
    while arguments.packets.is_none_or(|most| count < most) && !stop::requested() {
        let Some(packet) = packets.next_packet()? else {
            break;
        };
        count += 1;
        backtest.datagram(packet.payload, &mut |time_ns, happened| {
            let line = match happened {
                Happened::Intent(intent) => Line::Intent { time_ns, intent },
                Happened::Fill(fill) => Line::Fill { time_ns, fill },
                Happened::Record(record) => Line::Record {
                    time_ns,
                    tag: record.tag,
                    values: record.values(),
                },
            };
            if let Err(error) = console.json_line(&line) {
                failed.get_or_insert(error);
            }
        })?;
        if let Some(error) = failed.take() {
            return Err(error);
        }
        if count % 1_024 == 0 {
            bar.set_position(packets.position().0);
        }
    }
    bar.finish_and_clear();
    let holdings = backtest.holdings().iter();
    let instruments = arguments.symbols.iter().zip(holdings);
    console.print(&Summary {
        file: arguments.file.clone(),
        strategy: program.name.clone(),
        packets: count,
        counts: *backtest.counts(),
        stopped: backtest.machine().stopped(),
        open_orders: backtest.open_orders(),
        instruments: instruments
            .map(|(symbol, holding)| instrument(*symbol, holding))
            .collect(),
        seconds: began.elapsed().as_secs_f64(),
    })
}

fn instrument(symbol: Symbol, holding: &Holding) -> Instrument {
    let scale = 2.0 * 10_f64.powi(PRICE_DECIMALS as i32);
    Instrument {
        symbol: symbol.to_string(),
        position: holding.position,
        traded: holding.traded,
        profit: holding.twice_profit() as f64 / scale,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_read_with_its_decimals_and_nothing_else() {
        for (text, expected) in [
            ("12.5", 125_000),
            ("12", 120_000),
            ("-0.01", -100),
            ("0.0001", 1),
        ] {
            assert_eq!(price(text), Ok(expected), "{text}");
        }
        for text in [
            "",
            ".5",
            "1.23456",
            "1e3",
            "--1",
            "1.-2",
            "99999999999999999999",
        ] {
            assert!(price(text).is_err(), "{text}");
        }
    }
}
