//! `tickwire new`: a desk to begin with.

use std::fmt;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use clap::Args;
use formats::Symbol;
use live::desk;
use serde::Serialize;

use crate::console::Console;
use crate::error::Error;

/// Make a new desk: a folder with a strategy that runs, and the configuration around it
///
/// The strategy is a Python file of twenty lines (docs/reference/strategy-language.md says what may be in it); desk.toml says where the market data come from,
/// where orders go, and their limits. tickwire check, backtest and run take both as they are.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tickwire new dip
  tickwire new desks/mine --symbol AAPL")]
pub struct Arguments {
    /// The folder to make; one that is there already is left alone
    desk: PathBuf,
    /// The instrument that it trades; sample data (tickwire generate itch) has A, B, C …
    #[arg(long, value_name = "SYMBOL", default_value = "A")]
    symbol: Symbol,
}

/// What a new desk has.
const DESK: &str = include_str!("new/desk.toml");
const STRATEGY: &str = include_str!("new/strategy.py");
/// In these files, the instrument.
const SYMBOL: &str = "\"SYMBOL\"";
/// The strategy's file.
const STRATEGY_FILE: &str = "strategy.py";

/// What was made.
#[derive(Serialize)]
struct Made<'a> {
    desk: &'a Path,
    files: [PathBuf; 2],
    symbol: String,
}

impl fmt::Display for Made<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (desk, [file, strategy], symbol) = (self.desk.display(), &self.files, &self.symbol);
        writeln!(
            f,
            "{desk}: {} says what to do, {} where, for {symbol}",
            strategy.display(),
            file.display()
        )?;
        writeln!(f, "Change the strategy; then")?;
        writeln!(f, "  tickwire check {desk}")?;
        writeln!(f, "  tickwire backtest DAY --desk {desk}")?;
        write!(f, "  tickwire run --desk {desk}")
    }
}

/// Runs the command.
///
/// # Errors
/// The folder is there already, or cannot be written.
pub fn run(arguments: &Arguments, console: Console) -> Result<(), Error> {
    let folder = &arguments.desk;
    let write = |path: &Path, cause: io::Error| match cause.kind() {
        ErrorKind::AlreadyExists => Error::DeskThere {
            path: path.to_owned(),
        },
        _ => Error::Write {
            path: path.to_owned(),
            cause,
        },
    };
    if let Some(parent) = folder.parent() {
        fs::create_dir_all(parent).map_err(|cause| write(parent, cause))?;
    }
    // Fails if there is one.
    fs::create_dir(folder).map_err(|cause| write(folder, cause))?;
    let symbol = arguments.symbol.to_string();
    let files = [desk::FILE, STRATEGY_FILE].map(|name| folder.join(name));
    let quoted = toml::Value::String(symbol.clone()).to_string();
    for (path, text) in files.iter().zip([DESK, STRATEGY]) {
        let text = text.replace(SYMBOL, &quoted);
        fs::write(path, text).map_err(|cause| write(path, cause))?;
    }
    console.print(&Made {
        desk: folder,
        files,
        symbol,
    })
}
