//! `tickwire demo`: what `make demo` shows.

mod trading;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use formats::itch::Version;
use report::Comparison;
use report::demo::{Options, aapl_in, data_in, demo};
use report::placed;
use report::stops::{self, Stops};
use serde::Serialize;
use serde_json::Value;

use self::trading::{Traded, trade};
use crate::console::Console;
use crate::error::Error;
use crate::input::version;

/// An hour of market through hardware and software, side by side, with a report to look at
///
/// Then, in the project's folder, an order log in FAST that is traded on: the core's orders and the software's, their latencies, and what these cost a market maker.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  tickwire demo\n  tickwire demo --data day.itch50 --out out/demo"
)]
pub struct Arguments {
    /// BinaryFILE, pcap or pcapng [default: the AAPL hour in ../shared/data where it is there, else generated data]
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    /// ITCH version of the data; detected from a BinaryFILE if not given
    #[arg(long, value_name = "VERSION", value_parser = version)]
    itch: Option<Version>,
    /// Packets of the order log that is traded on; 0: none
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    order_log: u32,
    /// Folder for report.html, heartbeats.csv and comparison.json, and trading/report.html
    #[arg(long, value_name = "DIR", default_value = "out/demo")]
    out: PathBuf,
}

/// A comparison's figures and where all of it is written; `measure` shows the same.
#[derive(Serialize)]
pub struct Output {
    /// All but the rows.
    #[serde(flatten)]
    figures: Value,
    /// For a terminal.
    #[serde(skip)]
    table: String,
    /// The HTML report.
    report: PathBuf,
    /// A row a heartbeat.
    csv: PathBuf,
    /// The complete comparison, for `tickwire report`.
    comparison: PathBuf,
    /// Stop orders, where they were shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stops: Vec<Stops>,
    /// An order log that is traded on, where it was shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    trading: Option<Traded>,
}

impl Output {
    /// Writes the complete comparison beside its report.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn new(comparison: &Comparison, report: PathBuf, csv: PathBuf) -> Result<Self, Error> {
        let path = report.with_file_name("comparison.json");
        let write = |cause| Error::Write {
            path: path.clone(),
            cause,
        };
        let mut figures = serde_json::to_value(comparison).map_err(|error| write(error.into()))?;
        fs::write(&path, format!("{figures}\n")).map_err(write)?;
        strip(&mut figures, &["rows", "rate"]);
        if let Some(series) = figures.get_mut("series").and_then(Value::as_array_mut) {
            series
                .iter_mut()
                .for_each(|series| strip(series, &["answers", "cycles_of"]));
        }
        let lines = figures.get_mut("lines");
        let rows = lines.and_then(|lines| lines.get_mut("rows")?.as_array_mut());
        rows.into_iter()
            .flatten()
            .for_each(|row| strip(row, &["delays"]));
        Ok(Self {
            figures,
            table: comparison.table(),
            report,
            csv,
            comparison: path,
            stops: vec![],
            trading: None,
        })
    }
}

/// Takes members out of an object.
fn strip(value: &mut Value, members: &[&str]) {
    if let Some(object) = value.as_object_mut() {
        object.retain(|name, _| !members.contains(&name.as_str()));
    }
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.table.trim_end())?;
        if !self.stops.is_empty() {
            writeln!(f, "\n{}\n", stops::table(&self.stops, placed::with_session))?;
        }
        if let Some(trading) = &self.trading {
            writeln!(f, "{trading}\n")?;
        }
        writeln!(f, "report      {}", self.report.display())?;
        write!(f, "heartbeats  {}", self.csv.display())
    }
}

/// Runs the command.
///
/// # Errors
/// Hardware and software differ; the data cannot be read, or the results not be written.
pub fn run(arguments: &Arguments, console: Console) -> Result<(), Error> {
    let options = Options {
        data: arguments.data.clone(),
        version: arguments.itch,
        notice: Some(crate::notices::tell),
        aapl: aapl_in(Path::new(".")),
        fast: data_in(Path::new(".")),
        out: arguments.out.clone(),
        tick_to_trade: (arguments.order_log > 0).then_some("trading/report.html"),
        beside: match arguments.order_log {
            0 => || (),
            _ => trading::make_models,
        },
    };
    let mut progress = console.phases();
    let shown = demo(&options, &mut progress)?;
    drop(progress);
    let stops = shown.stops;
    let mut shown = Output::new(&shown.comparison, shown.report, shown.csv)?;
    shown.stops = vec![stops];
    if arguments.order_log > 0 {
        shown.trading = trade(arguments.order_log, &options.aapl, &options.out, console)?;
    }
    console.print(&shown)
}
