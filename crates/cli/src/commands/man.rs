//! `tickwire man`: the pages for man(1).

use std::fmt;
use std::fs;
use std::path::PathBuf;

use clap::{Args, Command};
use serde::Serialize;

use crate::console::Console;
use crate::error::Error;

/// Write the pages for man(1), one for each command
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tickwire man ~/.local/share/man/man1
  man tickwire-fast-decode")]
pub struct Arguments {
    /// Where to write them; made if it is not there
    folder: PathBuf,
}

/// What was written.
#[derive(Serialize)]
struct Written<'a> {
    folder: &'a PathBuf,
    pages: usize,
}

impl fmt::Display for Written<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} pages", self.folder.display(), self.pages)
    }
}

fn count(command: &Command) -> usize {
    1 + command.get_subcommands().map(count).sum::<usize>()
}

/// Runs the command.
///
/// # Errors
/// A page cannot be written.
pub fn run(arguments: &Arguments, command: Command, console: Console) -> Result<(), Error> {
    let folder = &arguments.folder;
    let failed = |cause| Error::Write {
        path: folder.clone(),
        cause,
    };
    let pages = count(&command);
    fs::create_dir_all(folder).map_err(failed)?;
    clap_mangen::generate_to(command, folder).map_err(failed)?;
    console.print(&Written { folder, pages })
}
