//! `tickwire measure`: the latency of hardware and software on the same packets.

use std::path::{Path, PathBuf};

use clap::Args;
use feed::socket::Wait;
use measure::compare::{self, Options};
use measure::packets::Packets;
use measure::placed;
use measure::report;

use super::demo::Shown;
use super::sim::{Bits, setup};
use crate::console::Console;
use crate::error::Error;
use crate::input::{ReadOptions, version_of};
use crate::settings::PipelineOptions;

/// Measure last byte in to first byte out, of the core and of the software, on the same packets
///
/// One message a packet. Writes report.html, heartbeats.csv (a row a second of the feed) and comparison.json (all of it, for tickwire report).
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tickwire measure day.itch50 --symbols A,B,C --out out/day
  tickwire measure day.itch50 --width 64 --wait busy-poll --factor 1,8 --json")]
pub struct Arguments {
    /// BinaryFILE (ITCH with two-byte lengths), pcap or pcapng
    file: PathBuf,
    /// Cores to simulate
    #[arg(
        long,
        value_name = "BITS,…",
        value_delimiter = ',',
        default_value = "8,64"
    )]
    width: Vec<Bits>,
    /// How the software pipelines wait
    #[arg(
        long,
        value_name = "HOW,…",
        value_delimiter = ',',
        default_value = "busy-poll,blocking"
    )]
    wait: Vec<WaitOption>,
    /// How many times as fast as recorded the software gets its packets
    #[arg(long, value_name = "TIMES,…", value_delimiter = ',', default_value = "1", value_parser = super::replay::positive)]
    factor: Vec<f64>,
    /// Only so many packets of the file
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    packets: usize,
    /// Folder for report.html, heartbeats.csv and comparison.json
    #[arg(long, value_name = "DIR", default_value = "out/measure")]
    out: PathBuf,
    #[command(flatten)]
    pipeline: PipelineOptions,
    #[command(flatten)]
    read: ReadOptions,
}

/// The ways to wait, as an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum WaitOption {
    /// Sleep in the kernel.
    Blocking,
    /// Never sleep.
    BusyPoll,
}

impl From<WaitOption> for Wait {
    fn from(option: WaitOption) -> Self {
        match option {
            WaitOption::Blocking => Wait::Blocking,
            WaitOption::BusyPoll => Wait::BusyPoll,
        }
    }
}

/// Runs the command.
///
/// # Errors
/// Hardware and software differ; the file cannot be read, or the results not be written.
pub fn run(arguments: &Arguments, console: Console) -> Result<(), Error> {
    let setup = setup(
        Some(&arguments.file),
        &arguments.pipeline,
        &arguments.read,
        console,
    )?;
    let version = version_of(&arguments.file, &arguments.read)?;
    let packets = Packets::read(&arguments.file, version)?.first(arguments.packets);
    let waits = arguments.wait.iter().copied().map(Wait::from);
    let options = Options {
        widths: arguments.width.iter().copied().map(Into::into).collect(),
        software: waits
            .flat_map(|wait| arguments.factor.iter().map(move |factor| (wait, *factor)))
            .collect(),
        ..Options::default()
    };
    let mut progress = console.phases();
    let mut comparison = compare::compare(&setup, &packets, &options, &mut progress)?;
    drop(progress);
    placed::at_placed_clocks(&mut comparison, Path::new(placed::FOLDER));
    let (page, csv) = (
        arguments.out.join("report.html"),
        arguments.out.join("heartbeats.csv"),
    );
    report::write(&comparison, &page)?;
    comparison.write_csv(&csv)?;
    console.print(&Shown::new(&comparison, page, csv)?)
}
