//! Checks a strategy file: `cargo run -p language --example check -- FILE.py [INSTRUMENTS [PRICE_DECIMALS]]`.

use std::process::ExitCode;

use language::{Options, compile};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize, default: usize| {
        arguments
            .get(index)
            .map_or(Ok(default), |text| text.parse())
    };
    let (Some(path), Ok(instruments), Ok(price_decimals)) =
        (arguments.first(), number(1, 1), number(2, 4))
    else {
        eprintln!("usage: check FILE.py [INSTRUMENTS [PRICE_DECIMALS]]");
        return ExitCode::from(2);
    };
    let source = match std::fs::read_to_string(path) {
        Ok(source) => source,
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::FAILURE;
        }
    };
    let options = Options {
        instruments,
        price_decimals: u32::try_from(price_decimals).unwrap_or(u32::MAX),
        ..Options::default()
    };
    match compile(&source, &options) {
        Ok(program) => {
            let handlers = [
                ("on_book", &program.on_book),
                ("on_trade", &program.on_trade),
                ("on_order", &program.on_order),
                ("on_timer", &program.on_timer),
            ];
            println!(
                "{}: {} parameters, {} fields",
                program.name,
                program.parameters.len(),
                program.fields.len()
            );
            for (name, handler) in handlers {
                if let Some(handler) = handler {
                    println!(
                        "{name}: at most {} operations, {} records",
                        handler.operations, handler.records
                    );
                }
            }
            ExitCode::SUCCESS
        }
        Err(messages) => {
            for message in messages.0 {
                eprintln!("{path}:{message}");
            }
            ExitCode::FAILURE
        }
    }
}
