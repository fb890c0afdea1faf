//! `tickwire bench`: the figures that `make bench` writes.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use measure::foundation::{Options, bench_foundation};
use serde::Serialize;
use serde_json::Value;

use crate::console::Console;
use crate::error::Error;

/// Measure what the project promises; some minutes
#[derive(Args, Debug)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Foundation(Foundation),
}

/// The market-data path: latency of both cores, rates, sockets, fuzzing; in the project's root
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  tickwire bench foundation --json-out out/bench/foundation.json"
)]
struct Foundation {
    /// File to write the figures to, as JSON
    #[arg(long, value_name = "FILE")]
    json_out: Option<PathBuf>,
    /// The project's root: ../shared/data and out/pnr are looked for from there
    #[arg(long, value_name = "DIR", default_value = ".")]
    project: PathBuf,
    /// Frames to fuzz
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    fuzz_frames: u64,
    /// Messages of the generated day
    #[arg(long, value_name = "N", default_value_t = 5_000_000)]
    messages: u64,
}

/// Figures, as they are.
#[derive(Serialize)]
#[serde(transparent)]
struct Figures(Value);

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#}", self.0)
    }
}

/// Runs the command.
///
/// # Errors
/// A socket or a file fails.
pub fn run(arguments: &Arguments, console: Console) -> Result<(), Error> {
    let What::Foundation(foundation) = &arguments.what;
    let options = Options {
        fuzz_frames: foundation.fuzz_frames,
        generated_messages: foundation.messages,
        ..Options::in_project(&foundation.project)
    };
    let mut progress = console.phases();
    let figures = Figures(bench_foundation(&options, &mut progress)?);
    drop(progress);
    if let Some(path) = &foundation.json_out {
        write(path, &format!("{figures}\n"))?;
    }
    console.print(&figures)
}

/// Writes a file, and makes its folder where there is none.
fn write(path: &Path, text: &str) -> Result<(), Error> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    folder
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| fs::write(path, text))
        .map_err(|cause| Error::Write {
            path: path.to_owned(),
            cause,
        })
}
