//! What `make demo` shows: a recording through the simulated core and the software pipeline, beside the published figures; then on two lines with losses.

use std::panic;
use std::path::{Path, PathBuf};
use std::thread::{self, ScopedJoinHandle};

use cosim::{Setup, Width};
use feed::generate;
use formats::itch::Version;

use crate::compare::{self, Comparison};
use crate::fast_lines::fast_lines;
use crate::line_comparison::{self, compare_lines};
use crate::packets::{Packets, generated};
use crate::stops::{Stops, stops};
use crate::{Error, Progress, html, placed};

/// What to show.
#[derive(Clone, Debug)]
pub struct Options {
    /// A BinaryFILE, pcap or pcapng; `None`: the AAPL hour where it is there, else generated data.
    pub data: Option<PathBuf>,
    /// Its ITCH, where the file does not tell.
    pub version: Option<Version>,
    /// Who is told that the data is cut off.
    pub notice: Option<feed::source::Notice>,
    /// Where the AAPL hour may be.
    pub aapl: PathBuf,
    /// The folder with recorded FAST data, which may not be there.
    pub fast: PathBuf,
    /// Folder of the results.
    pub out: PathBuf,
    /// The report of tick to trade, from the folder of the results, where there will be one: this report names it first.
    pub tick_to_trade: Option<&'static str>,
    /// What else is to be done before software is measured: with two cores it costs no time.
    pub beside: fn(),
}

/// What was shown.
#[derive(Debug)]
pub struct DemoResult {
    /// The comparison.
    pub comparison: Comparison,
    /// The HTML report.
    pub report: PathBuf,
    /// The CSV, a row a heartbeat.
    pub csv: PathBuf,
    /// Stop orders of the core and of the software.
    pub stops: Stops,
}

/// Default place of recorded data, from the project's root.
pub fn data_in(project: &Path) -> PathBuf {
    project.join("../shared/data")
}

/// Default place of the AAPL hour, from the project's root.
pub fn aapl_in(project: &Path) -> PathBuf {
    data_in(project).join("nasdaq-aapl-2012-06-21/aapl.itch50")
}

/// Runs the demonstration: a minute or two, on two cores.
///
/// # Errors
/// Hardware and software differ; the data cannot be read, or the results not be written.
pub fn demo(options: &Options, progress: Progress) -> Result<DemoResult, Error> {
    let aapl = options.aapl.exists().then_some(&options.aapl);
    let packets = match options.data.as_ref().or(aapl) {
        Some(path) => {
            let options = feed::source::Options {
                version: options.version,
                notice: options.notice,
                ..feed::source::Options::default()
            };
            Packets::read(path, options)?
        }
        None => {
            let version = options.version.unwrap_or(Version::V50);
            generated(&generate::Settings {
                version,
                symbols: 16,
                messages: 90_000,
                seconds: 3_600,
                seed: 1,
            })?
        }
    };
    let packets = packets.first(LONGEST);
    let setup = Setup::example(packets.version, &packets.symbols(16));
    // One width: each core more is half a minute more for who sees this first.
    let of_one_core = compare::Options {
        widths: vec![WIDTH],
        ..compare::Options::default()
    };
    let first = packets.clone().first(ON_TWO_LINES);
    // Beside the first core, and without a bar, which shows one thing at a time. Software is measured when all of it is done.
    let beside = || -> Result<_, Error> {
        let mut quiet = |_: &str, _, _| ();
        let lines = line_comparison::Options::default();
        let lines = compare_lines(&setup, &first, &lines, &mut quiet)?;
        let fast = fast_lines(&options.fast, FAST_PACKETS, &mut quiet)?;
        (options.beside)();
        Ok((lines, fast))
    };
    let (mut comparison, (lines, fast)) = thread::scope(|scope| {
        let mut beside = Some(scope.spawn(beside));
        let mut done = None;
        let mut wait = || {
            if let Some(joined) = beside.take().map(ScopedJoinHandle::join) {
                done = Some(joined.unwrap_or_else(|panic| panic::resume_unwind(panic)));
            }
        };
        let comparison =
            compare::compare_after(&setup, &packets, &of_one_core, &mut wait, progress);
        wait();
        let done = done.unwrap_or(Err(Error::Nothing))?;
        Ok::<_, Error>((comparison?, done))
    })?;
    let stops = stops(WIDTH, STOP_ORDERS, progress)?;
    (comparison.lines, comparison.fast) = (Some(lines), Some(fast));
    comparison.tick_to_trade = options.tick_to_trade.map(str::to_owned);
    let pnr = Path::new(placed::FOLDER);
    placed::at_placed_clocks(&mut comparison, pnr);
    comparison
        .stops
        .push(placed::stop_orders(&stops, WIDTH, pnr));
    let (page, csv) = (
        options.out.join("report.html"),
        options.out.join("heartbeats.csv"),
    );
    html::write(&comparison, &page)?;
    comparison.write_csv(&csv)?;
    Ok(DemoResult {
        comparison,
        report: page,
        csv,
        stops,
    })
}

/// Packets shown at most, so that it stays a matter of a minute.
const LONGEST: usize = 200_000;

/// Packets of FAST at most, of 8,112 recorded ones: each is 1,200 cycles.
const FAST_PACKETS: usize = 3_000;

/// The width of the cores.
const WIDTH: Width = Width::Xgmii;

/// Stop orders.
const STOP_ORDERS: u64 = 200;

/// Packets on two lines at most: each goes through the core once for every setting.
const ON_TWO_LINES: usize = 3_000;
