//! `tickwire info`: what is in a file; which presets there are.

use std::fmt;
use std::fs;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use crate::census::Census;
use crate::console::Console;
use crate::error::Error;
use crate::input::{ReadOptions, version_name};

/// Show what is in a file: counts by type, times, symbols
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tickwire info day.itch50
  tickwire info capture.pcap --port 26400 --json
  tickwire info --presets")]
pub struct Arguments {
    /// BinaryFILE (ITCH with two-byte lengths), pcap or pcapng
    #[arg(required_unless_present = "presets")]
    file: Option<PathBuf>,
    /// List the presets instead: every core that is shipped
    #[arg(long, conflicts_with = "file")]
    presets: bool,
    #[command(flatten)]
    read: ReadOptions,
}

/// A census, printed.
#[derive(Serialize)]
#[serde(transparent)]
struct CensusText(Census);

/// Nanoseconds since midnight as a time of day.
pub struct TimeOfDay(pub u64);

impl fmt::Display for TimeOfDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, nanoseconds) = (self.0 / 1_000_000_000, self.0 % 1_000_000_000);
        let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60);
        write!(
            f,
            "{hours:02}:{minutes:02}:{:02}.{nanoseconds:09}",
            seconds % 60
        )
    }
}

impl fmt::Display for CensusText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let census = &self.0;
        let itch = census.itch.map_or("unknown", version_name);
        writeln!(
            f,
            "{}: {}, {} bytes, ITCH {itch}",
            census.file, census.format, census.bytes
        )?;
        if let (Some(first), Some(last)) = (census.first_time, census.last_time) {
            let (first, last) = (TimeOfDay(first), TimeOfDay(last));
            writeln!(
                f,
                "time      {first} to {last}, messages in {} seconds",
                census.seconds
            )?;
        }
        if census.after_end > 0 {
            let after_end = census.after_end;
            writeln!(f, "after end {after_end} bytes, which are not read")?;
        }
        write!(f, "messages  {}", census.messages)?;
        if census.unknown > 0 {
            write!(
                f,
                ", {} of a type or length the version does not have",
                census.unknown
            )?;
        }
        for (message_type, count) in &census.by_type {
            write!(
                f,
                "\n  {:<4} {count:>12}",
                message_type.escape_default().to_string()
            )?;
        }
        write!(f, "\nsymbols   {}", census.symbols)?;
        for active in &census.most_active {
            write!(f, "\n  {:<8} {:>8} orders", active.symbol, active.orders)?;
        }
        let Some(capture) = &census.capture else {
            return Ok(());
        };
        write!(f, "\ndatagrams {}", capture.datagrams)?;
        for (destination, count) in &capture.destinations {
            write!(f, "\n  to {destination:<21} {count:>8}")?;
        }
        for session in &capture.sessions {
            write!(f, "\n  session {session}")?;
        }
        for (count, what) in [
            (capture.malformed, "malformed MoldUDP64"),
            (capture.heartbeats, "heartbeats"),
            (capture.ends_of_session, "ends of session"),
            (capture.other_port, "to other ports"),
            (capture.not_udp, "frames that are not UDP over IPv4"),
            (capture.fragments, "fragments"),
            (capture.incomplete, "frames cut short by the capture"),
        ] {
            if count > 0 {
                write!(f, "\n  {count} {what}")?;
            }
        }
        Ok(())
    }
}

/// The presets, printed.
#[derive(Serialize)]
struct Presets {
    presets: Vec<Listed>,
}

/// A preset, as it is printed.
#[derive(Serialize)]
struct Listed {
    name: &'static str,
    summary: &'static str,
    width: u32,
    lines: u32,
    feed: &'static str,
    sessions: u32,
    stops: u32,
    /// Orders that its order book has room for.
    book: u32,
    /// Levels of each side that its order book keeps ready.
    book_levels: u32,
    /// Whether it follows the orders of a strategy in the language.
    own_orders: bool,
    /// Whether a strategy in the language may read levels that are not the best.
    level_reads: bool,
    /// Whether it may be called at each change of the book.
    each_change: bool,
    /// Whether stop orders and strategies get the trades of the feed.
    trades: bool,
    /// Whether a strategy in the language may have a timer.
    timers: bool,
    /// Whether it has a ring in host memory.
    ring: bool,
    /// FAST feeds that it decodes side by side.
    feeds: u32,
    /// Whether this program has its model.
    built_in: bool,
    placements: Vec<Place>,
}

/// A part, and the clock required there.
#[derive(Serialize)]
struct Place {
    part: &'static str,
    clock_mhz: f64,
}

impl Listed {
    fn new(preset: &cosim::Preset) -> Self {
        let places = preset.placements.iter();
        Listed {
            name: preset.name,
            summary: preset.summary,
            width: preset.width.bits(),
            lines: preset.lines,
            feed: match preset.feed {
                cosim::Feed::None => "none",
                cosim::Feed::Itch => "itch",
                cosim::Feed::Fast => "fast",
            },
            sessions: preset.sessions,
            stops: preset.stops,
            book: preset.book,
            book_levels: preset.book_levels,
            own_orders: preset.own_orders,
            level_reads: preset.level_reads,
            each_change: preset.each_change,
            trades: preset.trades,
            timers: preset.timers,
            ring: preset.ring,
            feeds: preset.feeds,
            built_in: preset.is_built_in(),
            placements: places
                .map(|place| Place {
                    part: place.part,
                    clock_mhz: place.clock_mhz,
                })
                .collect(),
        }
    }
}

impl fmt::Display for Presets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for preset in &self.presets {
            let places: Vec<String> = preset
                .placements
                .iter()
                .map(|place| format!("{} at {} MHz", place.part, place.clock_mhz))
                .collect();
            let places = if places.is_empty() {
                "for simulation only".into()
            } else {
                places.join(", ")
            };
            let built = if preset.built_in {
                ""
            } else {
                "; its model is built when it is first run"
            };
            let gap = if std::mem::take(&mut first) { "" } else { "\n" };
            write!(
                f,
                "{gap}{:<20} {}\n{:20} {}{built}",
                preset.name, preset.summary, "", places
            )?;
        }
        Ok(())
    }
}

/// Runs the command.
///
/// # Errors
/// The file cannot be read, or is incomplete.
pub fn run(arguments: &Arguments, console: Console) -> Result<(), Error> {
    let Some(file) = &arguments.file else {
        let presets = cosim::Preset::all().iter().map(Listed::new).collect();
        return console.print(&Presets { presets });
    };
    let length = fs::metadata(file).ok().map(|metadata| metadata.len());
    let bar = console.bytes("reading", length);
    let census = Census::take(file, &arguments.read, &bar)?;
    bar.finish_and_clear();
    console.print(&CensusText(census))
}
