//! Prints the module of a strategy.

use language::{Options, compile};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("give a strategy's file")?;
    let source = std::fs::read_to_string(path)?;
    let options = Options {
        instruments: 2,
        ..Options::default()
    };
    let program = compile(&source, &options).map_err(|messages| messages.to_string())?;
    print!("{}", language_module::generate(&program, &source)?.text);
    Ok(())
}
