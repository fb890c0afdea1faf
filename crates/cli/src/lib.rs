//! The command `tickwire`: reads the command line, calls the subcommand, turns errors into exit codes. What is public beside [`main`] is for
//! `tickwire-verify` (verify/cli), which has the same console and reads the same files.
//!
//! Exit codes: 0 done, 1 failed, 2 the command line is wrong, 3 done, but a file that was read is cut off.
#![forbid(unsafe_code)]

mod census;
mod commands;
mod console;
mod error;
mod impairment;
mod input;
mod notices;
mod partial;
mod pcap;
mod servers;
mod settings;
mod stop;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

pub use commands::replay::positive;
pub use commands::{backtest, fast, given};
pub use console::Console;
pub use error::Error;
pub use input::{nanoseconds, version_name};
pub use notices::print as print_notices;

/// Open tick-to-trade: market data in, orders out, in hardware and in software.
#[derive(Debug, Parser)]
#[command(name = "tickwire", version, after_help = EXAMPLES, max_term_width = 120)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Results as JSON on stdout, one object a line, and an error as one on stderr; no progress bars
    #[arg(long, global = true)]
    json: bool,
}

const EXAMPLES: &str = "\
A first round, in two terminals:
  tickwire generate itch --symbols 16 --out day.itch50
  tickwire run --listen 127.0.0.1:26400 --symbols A,B,C --verbose
  tickwire replay day.itch50 --to 127.0.0.1:26400 --speed 8

Exit codes: 0 done, 1 failed, 2 the command line is wrong, 3 done, but a file that was read is cut off: the
result is of what is before, and stderr says where.";

/// The exit code where a file that was read is cut off.
pub const CUT: u8 = 3;

#[derive(Debug, Subcommand)]
enum Command {
    New(commands::new::Arguments),
    Generate(commands::generate::Arguments),
    Info(commands::info::Arguments),
    Book(commands::book::Arguments),
    Replay(commands::replay::Arguments),
    Run(commands::run::Arguments),
    Sim(commands::sim::Arguments),
    Measure(commands::measure::Arguments),
    Check(commands::check::Arguments),
    Compile(commands::compile::Arguments),
    Backtest(commands::backtest::Arguments),
    Report(commands::report::Arguments),
    Demo(commands::demo::Arguments),
    Exchange(commands::exchange::Arguments),
    Fast(commands::fast::Arguments),
    Client(commands::client::Arguments),
    Completions(commands::completions::Arguments),
    Man(commands::man::Arguments),
}

fn run(command: &Command, console: Console) -> Result<(), Error> {
    match command {
        Command::New(arguments) => commands::new::run(arguments, console),
        Command::Generate(arguments) => commands::generate::run(arguments, console),
        Command::Info(arguments) => commands::info::run(arguments, console),
        Command::Book(arguments) => commands::book::run(arguments, console),
        Command::Replay(arguments) => commands::replay::run(arguments, console),
        Command::Run(arguments) => commands::run::run(arguments, console),
        Command::Sim(arguments) => commands::sim::run(arguments, console),
        Command::Measure(arguments) => commands::measure::run(arguments, console),
        Command::Check(arguments) => commands::check::run(arguments, console),
        Command::Compile(arguments) => commands::compile::run(arguments, console),
        Command::Backtest(arguments) => commands::backtest::run(arguments, console),
        Command::Report(arguments) => commands::report::run(arguments, console),
        Command::Demo(arguments) => commands::demo::run(arguments, console),
        Command::Exchange(arguments) => commands::exchange::run(arguments, console),
        Command::Fast(arguments) => commands::fast::run(arguments, console),
        Command::Client(arguments) => commands::client::run(arguments, console),
        Command::Completions(arguments) => {
            commands::completions::run(arguments, &mut Arguments::command())
        }
        Command::Man(arguments) => commands::man::run(arguments, Arguments::command(), console),
    }
}

/// The program: exit code 0 done, 1 failed, 3 done but a file is cut off; the process ends with 2 if the command line is wrong.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = run(&arguments.command, Console::new(arguments.json));
    let is_cut = notices::print();
    match result {
        Ok(()) if is_cut => ExitCode::from(CUT),
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is_broken_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            if arguments.json {
                let message = error.to_string();
                eprintln!(
                    "{}",
                    serde_json::json!({ "type": "error", "message": message })
                );
            } else {
                eprintln!("tickwire: {error}");
            }
            ExitCode::FAILURE
        }
    }
}
