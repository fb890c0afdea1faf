//! Prints the program of a strategy for the processor.

use language::{Options, compile};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("give a strategy's file")?;
    let source = std::fs::read_to_string(path)?;
    let program = compile(&source, &Options::default()).map_err(|messages| messages.to_string())?;
    let image = language_processor::lower(&program, u64::MAX)?;
    print!("{}", image.listing(&source));
    Ok(())
}
