//! The command `tickwire-verify`: what only those who change Tickwire need. Figures, fuzzing, formulas, the lag of the FAST engines.
//!
//! Exit codes: 0 done, 1 failed, 2 the command line is wrong, 3 done, but a file that was read is cut off.
#![forbid(unsafe_code)]

mod bench;
mod error;
mod fuzz;
mod lag;
mod model;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tickwire::{CUT, Console, print_notices};

use error::Error;

/// Tickwire held against itself and against others: figures, random input, formulas
#[derive(Debug, Parser)]
#[command(name = "tickwire-verify", version, max_term_width = 120)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Results as JSON on stdout, one object a line; no progress bars
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    Bench(bench::Arguments),
    Fuzz(fuzz::Arguments),
    Model(model::Arguments),
    Lag(lag::Arguments),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let console = Console::new(arguments.json);
    let result = match &arguments.command {
        Command::Bench(arguments) => bench::run(arguments, console),
        Command::Fuzz(arguments) => fuzz::run(arguments, console),
        Command::Model(arguments) => model::run(arguments, console),
        Command::Lag(arguments) => lag::run(arguments, console),
    };
    let is_cut = print_notices();
    match result {
        Ok(()) if is_cut => ExitCode::from(CUT),
        Ok(()) => ExitCode::SUCCESS,
        Err(Error::Command(error)) if error.is_broken_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tickwire-verify: {error}");
            ExitCode::FAILURE
        }
    }
}
