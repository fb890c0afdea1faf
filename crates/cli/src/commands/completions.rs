//! `tickwire completions`: what completes the command line in a shell.

use std::io::{Write, stdout};

use clap::{Args, Command};
use clap_complete::Shell;

use crate::error::Error;

/// Print the script that completes the command line in a shell
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tickwire completions bash > ~/.local/share/bash-completion/completions/tickwire
  tickwire completions zsh > ~/.zfunc/_tickwire
  tickwire completions fish > ~/.config/fish/completions/tickwire.fish")]
pub struct Arguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Runs the command.
///
/// # Errors
/// Standard output is closed or full.
pub fn run(arguments: &Arguments, command: &mut Command) -> Result<(), Error> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, command, "tickwire", &mut script);
    stdout().write_all(&script).map_err(Error::Print)
}
