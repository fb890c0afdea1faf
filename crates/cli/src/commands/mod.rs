//! The subcommands, one a file.

use clap::{Args, Command};

pub mod backtest;
pub mod book;
pub mod check;
pub mod client;
pub mod compile;
pub mod completions;
pub mod demo;
pub mod exchange;
pub mod fast;
pub mod generate;
pub mod info;
pub mod man;
pub mod measure;
pub mod new;
pub mod replay;
pub mod report;
mod restart;
pub mod run;
pub mod sim;
mod tap;

/// The arguments of a command, as a user writes them.
pub fn given<A: Args>(line: &[&str]) -> A {
    let command = A::augment_args(Command::new("tickwire").no_binary_name(true));
    let matches = command.get_matches_from(line);
    A::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}
