//! `tickwire report`: the HTML report of a comparison that was measured before.

use std::fmt;
use std::fs;
use std::path::PathBuf;

use clap::Args;
use report::{Comparison, html};
use serde::Serialize;

use crate::console::Console;
use crate::error::Error;

/// Write the HTML report of an earlier measurement again
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  tickwire report out/measure/comparison.json --out report.html")]
pub struct Arguments {
    /// comparison.json, as tickwire measure and tickwire demo write it
    file: PathBuf,
    /// The HTML report to write [default: report.html beside the file]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// What was written.
#[derive(Serialize)]
struct Written {
    report: PathBuf,
    data: String,
    seconds: usize,
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {}, {} seconds",
            self.report.display(),
            self.data,
            self.seconds
        )
    }
}

/// Runs the command.
///
/// # Errors
/// The comparison cannot be read, or the report not be written.
pub fn run(arguments: &Arguments, console: Console) -> Result<(), Error> {
    let path = &arguments.file;
    let read = |cause| live::Error::Read {
        path: path.clone(),
        cause,
    };
    let text = fs::read_to_string(path).map_err(read)?;
    let comparison: Comparison =
        serde_json::from_str(&text).map_err(|cause| Error::Comparison {
            path: path.clone(),
            cause,
        })?;
    let page = arguments
        .out
        .clone()
        .unwrap_or_else(|| path.with_file_name("report.html"));
    html::write(&comparison, &page)?;
    console.print(&Written {
        report: page,
        data: comparison.data,
        seconds: comparison.rows.len(),
    })
}
