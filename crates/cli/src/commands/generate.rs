//! `tickwire generate`: sample data.

pub mod moex;

use std::fmt;
use std::io::BufWriter;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use feed::generate::{Settings, generate};
use formats::itch::Version;
use serde::Serialize;

use crate::console::Console;
use crate::error::Error;
use crate::input::{version, version_name};
use crate::partial::Partial;

/// Make sample data: seeded, reproducible, realistic
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tickwire generate itch --out day.itch50
  tickwire generate moex --out log.pcap")]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Itch(Itch),
    Moex(moex::Moex),
}

/// TotalView-ITCH order flow of many symbols, as a BinaryFILE
///
/// Books never cross, every reference names a live order, and the same arguments give the same bytes. Symbols are
/// named A, B … Z, AA, AB …, the most active first.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tickwire generate itch --out day.itch50
  tickwire generate itch --itch 4.1 --symbols 8000 --messages 5000000 --seconds 600 --seed 7 --out big.itch41")]
pub struct Itch {
    /// Symbols, from 1 to 65,534
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=65_534))]
    symbols: u16,
    /// Messages in all, directory, system events and 4.1's seconds included
    #[arg(long, default_value_t = 1_000_000)]
    messages: u64,
    /// Seconds of market time they spread over, from 09:30 on
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=50_000))]
    seconds: u32,
    /// Another seed, another market
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// ITCH version, 4.1 or 5.0
    #[arg(long, value_name = "VERSION", default_value = "5.0", value_parser = version)]
    itch: Version,
    /// The file to write; an existing file is overwritten
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
}

/// What was made.
#[derive(Serialize)]
pub struct Made<'a> {
    file: &'a PathBuf,
    itch: Version,
    messages: u64,
    bytes: u64,
    symbols: u16,
    live_orders: u64,
    seed: u64,
}

impl fmt::Display for Made<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, itch) = (self.file.display(), version_name(self.itch));
        write!(
            f,
            "{file}: {} messages of ITCH {itch}, {} symbols, ",
            self.messages, self.symbols
        )?;
        write!(
            f,
            "{} bytes, {} orders left in the books",
            self.bytes, self.live_orders
        )
    }
}

/// Runs the command.
///
/// # Errors
/// The file cannot be written.
pub fn run(arguments: &Arguments, console: Console) -> Result<(), Error> {
    match &arguments.what {
        What::Itch(arguments) => console.print(&itch(arguments, console)?),
        What::Moex(arguments) => moex::run(arguments, console),
    }
}

/// Makes order flow in ITCH, and says what.
///
/// # Errors
/// The file cannot be written.
pub fn itch(itch: &Itch, console: Console) -> Result<Made<'_>, Error> {
    let write = |cause| Error::Write {
        path: itch.out.clone(),
        cause,
    };
    let settings = Settings {
        version: itch.itch,
        symbols: usize::from(itch.symbols),
        messages: itch.messages,
        seconds: itch.seconds,
        seed: itch.seed,
    };
    let (file, partial) = Partial::create(&itch.out).map_err(write)?;
    let out = BufWriter::with_capacity(1 << 20, file);
    let bar = console.count("generating", Some(itch.messages));
    let summary = generate(&settings, out, |messages| bar.set_position(messages)).map_err(write)?;
    partial.complete().map_err(write)?;
    bar.finish_and_clear();
    Ok(Made {
        file: &itch.out,
        itch: itch.itch,
        messages: summary.messages,
        bytes: summary.bytes,
        symbols: itch.symbols,
        live_orders: summary.live_orders,
        seed: itch.seed,
    })
}
