//! The program `tickwire`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    tickwire::main()
}
