//! `tickwire fast events`: messages as events, by a map.

use std::fs;
use std::io::{BufWriter, Write, stdout};
use std::path::PathBuf;

use clap::Args;
use decoder::fast::{Cause, Collector, Fault, Map};
use formats::Event;
use serde::Serialize;

use super::Stream;
use super::payloads;
use crate::console::Console;
use crate::error::Error;

/// Print the events of a file as JSON, one a line: what the order book would get
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tickwire fast events --templates templates.xml --map desks/fast/micex-levels.toml day.dat
  tickwire fast events --templates asts.xml --map desks/fast/moex-trades.toml \\
      capture.pcapng --port 9113 --framing preamble

A map says which field of which template is which member of an event (desks/fast, docs/reference/fast-events.md). Prices are integers at
the map's scale. A packet with an error, or with an entry that the map cannot take, gives no line; what is wrong is said on stderr, and the
last line there says what was counted.")]
pub struct Arguments {
    /// Messages; or pcap or pcapng, of which UDP payloads are decoded
    file: PathBuf,
    #[command(flatten)]
    stream: Stream,
    /// Which fields are which members of an event (TOML)
    #[arg(long, value_name = "TOML")]
    map: PathBuf,
    /// Of a capture, only datagrams to this UDP port
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
}

/// An event on a line: its type as a character.
#[derive(Serialize)]
struct Line<'a> {
    message: char,
    #[serde(flatten)]
    event: &'a Event,
}

/// Packets with an error that are reported one by one.
const TOLD: u64 = 10;

/// Runs the command.
///
/// # Errors
/// A file cannot be read, the map does not fit the templates, or a packet is not what the templates or the map say.
pub fn run(arguments: &Arguments, console: Console) -> Result<(), Error> {
    let templates = arguments.stream.compiled(console)?;
    let text = fs::read_to_string(&arguments.map).map_err(|cause| live::Error::Read {
        path: arguments.map.clone(),
        cause,
    })?;
    let made = Map::parse(&text).and_then(|map| Collector::new(&templates, &map));
    let mut collector = made.map_err(|cause| live::Error::Map {
        path: arguments.map.clone(),
        cause,
    })?;
    let mut out = BufWriter::new(stdout().lock());
    let mut faulty = Faulty::default();
    let outcome = payloads::decode(
        &arguments.file,
        arguments.port,
        &arguments.stream,
        &templates,
        console,
        &mut collector,
        |collector, packet| {
            let mut printed = Ok(());
            let cause = collector.finish(&mut |event: &Event| {
                if printed.is_ok() {
                    printed = print(&mut out, event);
                }
            });
            printed.map_err(Error::Print)?;
            let what = match (cause, &packet.error) {
                (_, Some(error)) => error.describe(&templates),
                (Cause::Faulty(fault), None) => {
                    faulty.add(packet.number, fault);
                    fault.to_string()
                }
                _ => return Ok(()),
            };
            faulty.told += 1;
            if faulty.told <= TOLD {
                console.note(&format!("packet {}: dropped: {what}", packet.number));
            }
            Ok(())
        },
    )?;
    out.flush().map_err(Error::Print)?;
    console.note(&counted(&collector));
    outcome.check(&arguments.file)?;
    match faulty.first {
        None => Ok(()),
        Some((number, fault)) => Err(Error::Dropped {
            path: arguments.file.clone(),
            count: faulty.count,
            first: format!("packet {number}, {fault}"),
        }),
    }
}

/// Packets that the map cannot take.
#[derive(Default)]
struct Faulty {
    told: u64,
    count: u64,
    first: Option<(u64, Fault)>,
}

impl Faulty {
    fn add(&mut self, number: u64, fault: Fault) {
        self.count += 1;
        self.first.get_or_insert((number, fault));
    }
}

fn print(out: &mut impl Write, event: &Event) -> std::io::Result<()> {
    let message = char::from(event.message_type);
    serde_json::to_writer(&mut *out, &Line { message, event })?;
    out.write_all(b"\n")
}

/// What was counted, in a line.
fn counted(collector: &Collector) -> String {
    let counters = collector.counters();
    let mut text = String::new();
    let named = [
        ("packets", u64::from(counters.fast_packets)),
        ("messages", counters.fast_messages.into()),
        ("unmapped", counters.fast_unmapped.into()),
        ("ignored", counters.fast_ignored.into()),
        ("malformed", counters.fast_malformed.into()),
        ("old", counters.fast_old.into()),
        ("gaps", counters.fast_gap.into()),
        ("lost", counters.fast_lost),
    ];
    let causes = counters.causes().map(|(name, count)| (name, count.into()));
    for (name, count) in named.into_iter().chain(causes) {
        let comma = if text.is_empty() { "" } else { ", " };
        text.push_str(&format!("{comma}{name} {count}"));
    }
    text
}
