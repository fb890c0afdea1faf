//! `tickwire book`: the order book of a file, printed, followed on a terminal, or written row by row.

mod player;
mod rows;
mod screen;
mod view;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::io::{IsTerminal, stdin, stdout};
use std::path::{Path, PathBuf};

use clap::Args;
use formats::Symbol;
use indicatif::ProgressBar;

use super::info::TimeOfDay;
use crate::console::Console;
use crate::error::Error;
use crate::input::ReadOptions;
use crate::stop;
use player::{Player, Until};
use rows::Outputs;
use screen::View;
use view::BookLine;

/// Messages between two looks at the progress bar.
const PROGRESS: u64 = 1 << 14;
/// Symbols that an error names.
const NAMED: usize = 12;

/// Show the order book of a file: at a time, at a message, at the end, as it moves, or as rows
#[derive(Args, Debug)]
#[command(after_help = "\
Prices are those of ITCH, in 1/10,000 dollar, in --json, --csv and --parquet. A row of --csv or --parquet has the columns time, ask_price_1, ask_size_1,
bid_price_1, bid_size_1, ask_price_2 and so on, as LOBSTER's samples of order books have them: a level that is not there has size 0, and price
9999999999 (ask) or -9999999999 (bid). Time is in seconds after midnight in CSV, in nanoseconds after midnight in Parquet.

Keys of --follow: space pauses, + and - change the speed, n goes to the next change, q ends it.

Examples:
  tickwire book day.itch50 --symbols A --at 09:30:01.5
  tickwire book day.itch50 --message 20000 --levels 5 --json
  tickwire book day.itch50 --symbols A --follow --speed 10
  tickwire book day.itch50 --symbols A --csv a.csv --parquet a.parquet --levels 10")]
pub struct Arguments {
    /// BinaryFILE (ITCH with two-byte lengths), pcap or pcapng
    file: PathBuf,
    /// These symbols only
    #[arg(long, value_name = "SYMBOL,…", value_delimiter = ',')]
    symbols: Vec<Symbol>,
    /// After the last message that is not later than this time of day
    #[arg(long, value_name = "HH:MM:SS[.F]", value_parser = time_of_day)]
    at: Option<u64>,
    /// After this message: from 1 on in a BinaryFILE, by its MoldUDP64 number in a capture
    #[arg(long, value_name = "N", conflicts_with = "at", value_parser = clap::value_parser!(u64).range(1..))]
    message: Option<u64>,
    /// Levels of each side
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    levels: u16,
    /// Without --symbols: at most so many books, the most active first
    #[arg(long, value_name = "N", default_value_t = 4)]
    limit: usize,
    #[command(flatten)]
    rows: RowOptions,
    #[command(flatten)]
    follow: FollowOptions,
    #[command(flatten)]
    read: ReadOptions,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Rows, of one symbol")]
struct RowOptions {
    /// Write a row for every message that changes the levels shown, as CSV
    #[arg(long, value_name = "FILE", conflicts_with = "follow")]
    csv: Option<PathBuf>,
    /// The same as Parquet
    #[arg(long, value_name = "FILE", conflicts_with = "follow")]
    parquet: Option<PathBuf>,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "On a terminal")]
struct FollowOptions {
    /// Show the book of one symbol as it moves, from --at or --message on
    #[arg(long)]
    follow: bool,
    /// So many times as fast as recorded
    #[arg(long, value_name = "TIMES", requires = "follow", default_value_t = 1.0, value_parser = super::replay::positive)]
    speed: f64,
}

/// Reads a time of day as nanoseconds after midnight.
fn time_of_day(text: &str) -> Result<u64, String> {
    let wrong = || "write a time of day, as 10:30:00 or 10:30:00.5".to_owned();
    let (clock, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let parts: Vec<&str> = clock.split(':').collect();
    let [hours, minutes, seconds] = parts[..] else {
        return Err(wrong());
    };
    let number = |text: &str, end: u64| {
        let right = digits(text) && text.len() <= 2;
        let number: Option<u64> = text.parse().ok();
        number
            .filter(|number| right && *number < end)
            .ok_or_else(wrong)
    };
    let seconds = number(hours, 24)? * 3_600 + number(minutes, 60)? * 60 + number(seconds, 60)?;
    if !digits(fraction) || fraction.len() > 9 {
        return Err(wrong());
    }
    let nanoseconds: u64 = format!("{fraction:0<9}").parse().map_err(|_| wrong())?;
    Ok(seconds * 1_000_000_000 + nanoseconds)
}

impl Arguments {
    fn until(&self) -> Until {
        match (self.at, self.message) {
            (Some(time), _) => Until::Time(time),
            (None, Some(number)) => Until::Message(number),
            (None, None) => Until::End,
        }
    }
}

/// Runs the command.
///
/// # Errors
/// The file cannot be read or has no book; it does not have the symbol, the time or the message; there is no terminal to follow on; a file cannot be written.
pub fn run(arguments: &Arguments, console: Console) -> Result<(), Error> {
    if arguments.follow.follow {
        return follow(arguments, console);
    }
    let path = &arguments.file;
    let mut player = open(arguments, &arguments.symbols)?;
    let levels = usize::from(arguments.levels);
    let bar = console.bytes("reading", player.length());
    let RowOptions { csv, parquet } = &arguments.rows;
    let rows = if csv.is_none() && parquet.is_none() {
        read(&mut player, arguments.until(), &bar)?;
        check(&player, arguments, &bar)?;
        None
    } else {
        if arguments.symbols.len() != 1 {
            one_of(&read_all(arguments, &bar)?, path)?;
        }
        let mut outputs = Outputs::create(csv.as_deref(), parquet.as_deref(), levels)?;
        let written = write_rows(&mut player, arguments.until(), &mut outputs, &bar);
        if let Err(error) = written.and_then(|()| check(&player, arguments, &bar)) {
            drop(outputs);
            return Err(error);
        }
        Some(outputs.finish()?)
    };
    bar.finish_and_clear();
    let symbols = &arguments.symbols;
    let shown = BookLine::new(&player, path, symbols, levels, arguments.limit, rows);
    console.print(&shown)
}

/// Opens the file, of which these symbols are wanted; all, if there are none.
fn open(arguments: &Arguments, symbols: &[Symbol]) -> Result<Player, Error> {
    let wanted: BTreeSet<Symbol> = symbols.iter().copied().collect();
    Player::open(&arguments.file, &arguments.read, wanted)
}

/// All of the file, with every symbol that is wanted.
fn read_all(arguments: &Arguments, bar: &ProgressBar) -> Result<Player, Error> {
    let mut all = open(arguments, &arguments.symbols)?;
    read(&mut all, Until::End, bar)?;
    Ok(all)
}

/// Reads up to there.
fn read(player: &mut Player, until: Until, bar: &ProgressBar) -> Result<(), Error> {
    let mut steps = 0_u64;
    while !stop::requested() && player.step(until, &mut |_, _, _| ())? {
        steps += 1;
        if steps.is_multiple_of(PROGRESS) {
            bar.set_position(player.position());
        }
    }
    Ok(())
}

/// The same with a row for every change of what is shown.
fn write_rows(
    player: &mut Player,
    until: Until,
    outputs: &mut Outputs,
    bar: &ProgressBar,
) -> Result<(), Error> {
    let (mut steps, mut failed) = (0_u64, Ok(()));
    while failed.is_ok()
        && !stop::requested()
        && player.step(until, &mut |book, time, change| {
            if failed.is_ok() {
                failed = outputs.change(book, time, change.instrument);
            }
        })?
    {
        steps += 1;
        if steps.is_multiple_of(PROGRESS) {
            bar.set_position(player.position());
        }
    }
    failed
}

/// Whether the file has what was asked for. Only where that is in doubt is the rest of it read.
fn check(player: &Player, arguments: &Arguments, bar: &ProgressBar) -> Result<(), Error> {
    let path = &arguments.file;
    if stop::requested() {
        return Ok(());
    }
    player.check()?;
    let until = arguments.until();
    let unknown = |player: &Player| {
        let symbols = arguments.symbols.iter().copied();
        symbols
            .filter(|symbol| player.directory().find(*symbol).is_none())
            .min()
    };
    let doubtful = unknown(player).is_some() || !player.reached(until) || player.booked() == 0;
    if !doubtful {
        return Ok(());
    }
    let all = read_all(arguments, bar)?;
    if all.directory().symbols().is_empty() {
        return Err(Error::NoBook { path: path.clone() });
    }
    if let Some(symbol) = unknown(&all) {
        return Err(Error::NoSymbol {
            path: path.clone(),
            symbol,
            has: names(&all),
        });
    }
    if all.booked() == 0 {
        return Err(Error::NoBook { path: path.clone() });
    }
    let outside = |what: String, range: String| Error::NoSuchPoint {
        path: path.clone(),
        what,
        range,
    };
    match until {
        Until::Time(time) if !player.reached(until) => {
            let (first, last) = all.times();
            let range = format!("times from {} to {}", TimeOfDay(first), TimeOfDay(last));
            Err(outside(format!("the time {}", TimeOfDay(time)), range))
        }
        Until::Message(number) if !player.reached(until) => {
            let (first, last) = all.numbers();
            let range = format!("messages {first} to {last}");
            Err(outside(format!("message {number}"), range))
        }
        _ => Ok(()),
    }
}

/// Some of the file's symbols, in words.
fn names(player: &Player) -> String {
    some_of(player.directory().symbols())
}

/// The first of some symbols, and how many more there are.
pub fn some_of(symbols: &[Symbol]) -> String {
    let mut text = String::new();
    for (place, symbol) in symbols.iter().take(NAMED).enumerate() {
        let comma = if place == 0 { "" } else { ", " };
        // Writing to a string does not fail.
        let _ = write!(text, "{comma}{symbol}");
    }
    if symbols.len() > NAMED {
        let _ = write!(text, " and {} more", symbols.len() - NAMED);
    }
    text
}

/// The file's only symbol, where one has to be chosen.
fn one_of(player: &Player, path: &Path) -> Result<Symbol, Error> {
    player.check()?;
    match player.directory().symbols() {
        [] => Err(Error::NoBook {
            path: path.to_owned(),
        }),
        [only] => Ok(*only),
        _ => Err(Error::OneSymbol {
            path: path.to_owned(),
            has: names(player),
        }),
    }
}

/// Shows the book on a terminal.
fn follow(arguments: &Arguments, console: Console) -> Result<(), Error> {
    if console.is_json() || !(stdin().is_terminal() && stdout().is_terminal()) {
        return Err(Error::NoScreen);
    }
    let path = &arguments.file;
    // What the file has is found out first, so that the screen knows its end and a wrong symbol is refused at once.
    let bar = console.bytes(
        "reading",
        std::fs::metadata(path).ok().map(|file| file.len()),
    );
    let all = read_all(arguments, &bar)?;
    if stop::requested() {
        return Ok(());
    }
    check(&all, arguments, &bar)?;
    let symbol = match arguments.symbols[..] {
        [symbol] => symbol,
        _ => one_of(&all, path)?,
    };
    let start = match arguments.until() {
        // Before the first order there is nothing to look at.
        Until::End => Until::Message(all.first_order()),
        until => until,
    };
    let mut player = open(arguments, &[symbol])?;
    player.seek(start)?;
    bar.finish_and_clear();
    let title = format!("{symbol}, {}", path.display());
    let view = View::new(title, symbol, usize::from(arguments.levels), all.times().1);
    screen::run(&mut player, view, arguments.follow.speed)
}

#[cfg(test)]
mod tests {
    use super::time_of_day;

    #[test]
    fn a_time_of_day_has_hours_minutes_seconds_and_perhaps_a_fraction() {
        let second = 1_000_000_000;
        assert_eq!(time_of_day("00:00:00"), Ok(0));
        assert_eq!(time_of_day("10:30:00.5"), Ok(37_800 * second + second / 2));
        assert_eq!(time_of_day("9:30:00"), Ok(34_200 * second));
        assert_eq!(time_of_day("23:59:59.999999999"), Ok(86_400 * second - 1));
        for wrong in [
            "",
            "10",
            "10:30",
            "24:00:00",
            "10:60:00",
            "10:30:60",
            "10:30:00.",
            "10:30:00.1234567890",
            "+9:30:00",
            "09:30:00:00",
            "a:b:c",
            "010:30:00",
            "10:30:00.-5",
        ] {
            assert!(time_of_day(wrong).is_err(), "{wrong}");
        }
    }
}
