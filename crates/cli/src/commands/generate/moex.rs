//! `tickwire generate moex`: an order log in FAST.

use std::fmt;
use std::io;
use std::net::Ipv4Addr;
use std::path::PathBuf;

use clap::Args;
use exchange::publish::fast::LayoutError;
use exchange::publish::fast::generate::{Settings, generate, symbols};
use formats::ethernet::MacAddress;
use formats::frame::UdpFrame;
use live::desk::read_templates;
use serde::Serialize;

use crate::console::Console;
use crate::error::Error;
use crate::pcap::Writer;

/// An order log in FAST 1.1 as the Moscow Exchange's currency market has it (template 3610), as a capture
///
/// Each UDP datagram is a sequence number of four bytes and one message of 1 to 90 entries, 1.4 on average, of several instruments. Entries are as recorded: side
/// and price in each, no quantity in deletes, no zeros at a decimal's end. Books never cross, changes and deletes name live orders, and the same arguments
/// give the same bytes. The most active of six instruments is USD000UTSTOM.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tickwire generate moex --out log.pcap
  tickwire fast statistics log.pcap --templates desks/fast/order-log.xml --framing preamble --reset-each-packet
  tickwire generate moex --templates asts-2017-03.xml --packets 1000000 --seconds 600 --seed 7 --out log.pcap")]
pub struct Moex {
    /// The exchange's template file, with a template 3610
    #[arg(long, value_name = "XML", default_value = "desks/fast/order-log.xml")]
    templates: PathBuf,
    /// Packets
    #[arg(long, default_value_t = 90_000)]
    packets: u32,
    /// Seconds of market time they spread over
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=36_000))]
    seconds: u32,
    /// Another seed, another market
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The capture to write (pcap); an existing file is overwritten
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
}

/// What was made.
#[derive(Serialize)]
pub struct Made<'a> {
    file: &'a PathBuf,
    packets: u32,
    entries: u64,
    most_entries: usize,
    bytes: u64,
    symbols: Vec<&'static str>,
    live_orders: u64,
    seed: u64,
}

impl fmt::Display for Made<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} packets of FAST, {} bytes, {} entries ({} at most in one), {} orders left in the books of {}",
            self.file.display(),
            self.packets,
            self.bytes,
            self.entries,
            self.most_entries,
            self.live_orders,
            self.symbols.join(", ")
        )
    }
}

/// What can go wrong while packets are made.
enum Failure {
    Layout(LayoutError),
    Write(io::Error),
}

impl From<LayoutError> for Failure {
    fn from(cause: LayoutError) -> Self {
        Failure::Layout(cause)
    }
}

/// The order log of the currency market, line A, and who sends it.
const FROM: (MacAddress, Ipv4Addr, u16) = (
    MacAddress([0x02, 0x54, 0x57, 0x00, 0x00, 0x03]),
    Ipv4Addr::new(10, 50, 129, 200),
    9_330,
);
const GROUP: (MacAddress, Ipv4Addr, u16) = (
    MacAddress([0x01, 0x00, 0x5e, 0x4d, 0x01, 0x0a]),
    Ipv4Addr::new(239, 77, 1, 10),
    26_430,
);

/// Makes it.
///
/// # Errors
/// The template file cannot be used, or the capture not be written.
pub fn run(arguments: &Moex, console: Console) -> Result<(), Error> {
    console.print(&make(arguments, console)?)
}

/// Makes it, and says what.
///
/// # Errors
/// As [`run`]'s.
pub fn make(arguments: &Moex, console: Console) -> Result<Made<'_>, Error> {
    let templates = read_templates(&arguments.templates, &console)?;
    let settings = Settings {
        packets: arguments.packets,
        seconds: arguments.seconds,
        seed: arguments.seed,
    };
    let made = write(arguments, &settings, &templates, console);
    let summary = made.map_err(|failure| match failure {
        Failure::Layout(cause) => Error::Layout {
            path: arguments.templates.clone(),
            cause,
        },
        Failure::Write(cause) => Error::Write {
            path: arguments.out.clone(),
            cause,
        },
    })?;
    Ok(Made {
        file: &arguments.out,
        packets: summary.packets,
        entries: summary.entries,
        most_entries: summary.most_entries,
        bytes: summary.bytes,
        symbols: symbols().collect(),
        live_orders: summary.live_orders,
        seed: arguments.seed,
    })
}

fn write(
    arguments: &Moex,
    settings: &Settings,
    templates: &fast::Templates,
    console: Console,
) -> Result<exchange::publish::fast::generate::Summary, Failure> {
    let writer = Writer::create(&arguments.out, UdpFrame::new(FROM, GROUP));
    let mut writer = writer.map_err(Failure::Write)?;
    let bar = console.count("generating", Some(arguments.packets.into()));
    let summary = generate(templates, settings, |time, packet| -> Result<(), Failure> {
        bar.inc(1);
        // A packet fits into an Ethernet frame.
        writer.packet(time, packet).map_err(Failure::Write)
    })?;
    writer.finish().map_err(Failure::Write)?;
    bar.finish_and_clear();
    Ok(summary)
}
