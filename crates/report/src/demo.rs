//! What `make demo` shows: a recording through the simulated core and the software pipeline, beside the published figures; then on two lines with losses.

use std::path::{Path, PathBuf};

use cosim::{Setup, Width};
use feed::generate;
use wire::itch::Version;

use crate::compare::{self, Comparison};
use crate::fast_lines::fast_lines;
use crate::line_comparison::{self, compare_lines};
use crate::packets::{Packets, generated};
use crate::stops::stops;
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
}

/// What was shown.
#[derive(Debug)]
pub struct Shown {
    /// The comparison.
    pub comparison: Comparison,
    /// The HTML report.
    pub report: PathBuf,
    /// The CSV, a row a heartbeat.
    pub csv: PathBuf,
}

/// Default place of recorded data, from the project's root.
pub fn data_in(project: &Path) -> PathBuf {
    project.join("../shared/data")
}

/// Default place of the AAPL hour, from the project's root.
pub fn aapl_in(project: &Path) -> PathBuf {
    data_in(project).join("nasdaq-aapl-2012-06-21/aapl.itch50")
}

/// Runs the demonstration: about a minute.
///
/// # Errors
/// Hardware and software differ; the data cannot be read, or the results not be written.
pub fn demo(options: &Options, progress: Progress) -> Result<Shown, Error> {
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
    let mut comparison = compare::compare(&setup, &packets, &of_one_core, progress)?;
    let first = packets.first(ON_TWO_LINES);
    let lines = compare_lines(
        &setup,
        &first,
        &line_comparison::Options::default(),
        progress,
    )?;
    comparison.lines = Some(lines);
    let pnr = Path::new(placed::FOLDER);
    placed::at_placed_clocks(&mut comparison, pnr);
    let stops = stops(WIDTH, STOP_ORDERS, progress)?;
    comparison
        .stops
        .push(placed::stop_orders(&stops, WIDTH, pnr));
    comparison.fast = Some(fast_lines(&options.fast, FAST_PACKETS, progress)?);
    let (page, csv) = (
        options.out.join("report.html"),
        options.out.join("heartbeats.csv"),
    );
    html::write(&comparison, &page)?;
    comparison.write_csv(&csv)?;
    Ok(Shown {
        comparison,
        report: page,
        csv,
    })
}

/// Packets shown at most, so that it stays a matter of a minute.
const LONGEST: usize = 200_000;

/// Packets of FAST at most: all of MICEX.
const FAST_PACKETS: usize = 10_000;

/// The width of the cores.
const WIDTH: Width = Width::Xgmii;

/// Stop orders.
const STOP_ORDERS: u64 = 200;

/// Packets on two lines at most: each goes through the core once for every setting.
const ON_TWO_LINES: usize = 3_000;
