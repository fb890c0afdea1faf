//! `tickwire compile`: a strategy for the FPGA.

use std::fmt;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use language_module::Module;
use language_processor::{Entry, Image};
use serde::Serialize;

use super::check::LanguageOptions;
use crate::console::Console;
use crate::error::Error;

/// Compile a strategy for the FPGA: a program of the strategy processor, or a module of its own
///
/// processor: prints the program beside the lines of the source, and how many cycles each handler takes at most (docs/reference/strategy-processor.md).
/// module: prints the SystemVerilog, with the lines of the source as comments, and how many cycles it is from an event to the first intent.
///
/// Both have the same ports. tickwire sim and tickwire measure run both on a recorded day, in a core.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tickwire compile desks/best-offer/strategy.py
  tickwire compile desks/market-maker/strategy.py --budget 400
  tickwire compile desks/best-offer/strategy.py --target module --out best_offer.sv")]
pub struct Arguments {
    /// The strategy
    file: PathBuf,
    /// What it becomes
    #[arg(long, value_enum, default_value_t = Target::Processor)]
    target: Target,
    /// Refuse a handler that may take more cycles of the strategy processor
    #[arg(long, value_name = "CYCLES", default_value_t = 1_000)]
    budget: u64,
    /// Write the listing or the module to this file
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    options: LanguageOptions,
}

/// What a strategy becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Target {
    /// A program of the strategy processor.
    #[default]
    Processor,
    /// A module in SystemVerilog.
    Module,
}

impl From<Target> for live::Target {
    fn from(target: Target) -> Self {
        match target {
            Target::Processor => live::Target::Processor,
            Target::Module => live::Target::Module,
        }
    }
}

/// What came of it.
#[derive(Serialize)]
struct Compiled {
    file: PathBuf,
    strategy: String,
    target: &'static str,
    #[serde(flatten)]
    size: Size,
    handlers: Vec<Cycles>,
    #[serde(skip_serializing_if = "Option::is_none")]
    out: Option<PathBuf>,
    /// What `out` has, if it is not written there.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// How large it is.
#[derive(Serialize)]
#[serde(untagged)]
enum Size {
    Processor { instructions: usize, words: usize },
    Wire { lines: usize },
}

/// What a handler takes.
#[derive(Serialize)]
struct Cycles {
    handler: &'static str,
    /// Of the processor the most from the event to its end; of a module those from the event to the first intent. What the book takes to answer, and in a
    /// module what its units take, is not in it.
    cycles: u64,
    /// How often it asks the book for a level, at most; of a module how many units work for it.
    units: u64,
}

const HANDLERS: [&str; 4] = ["on_book", "on_trade", "on_order", "on_timer"];

fn cycles<T>(handlers: [Option<T>; 4], of: impl Fn(T) -> (u64, u64)) -> Vec<Cycles> {
    let named = HANDLERS.into_iter().zip(handlers);
    let found = named.filter_map(|(name, handler)| handler.map(|handler| (name, handler)));
    found
        .map(|(handler, found)| {
            let (cycles, units) = of(found);
            Cycles {
                handler,
                cycles,
                units,
            }
        })
        .collect()
}

impl Compiled {
    fn of_image(file: &Path, image: &Image, source: &str) -> Self {
        Compiled {
            file: file.to_owned(),
            strategy: image.name.clone(),
            target: "processor",
            size: Size::Processor {
                instructions: image.instructions.len(),
                words: image.used(),
            },
            handlers: cycles(image.entries, |entry: Entry| (entry.cycles, entry.levels)),
            out: None,
            text: Some(image.listing(source)),
        }
    }

    fn of_module(file: &Path, strategy: &str, module: Module) -> Self {
        Compiled {
            file: file.to_owned(),
            strategy: strategy.to_owned(),
            target: "module",
            size: Size::Wire {
                lines: module.text.lines().count(),
            },
            handlers: cycles(module.handlers, |handler| {
                (handler.cycles, handler.units as u64)
            }),
            out: None,
            text: Some(module.text),
        }
    }
}

impl fmt::Display for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(text) = &self.text {
            return write!(f, "{}", text.trim_end());
        }
        let (size, most) = match &self.size {
            Size::Processor {
                instructions,
                words,
            } => (
                format!("{instructions} instructions, {words} words of data"),
                "at most ",
            ),
            Size::Wire { lines } => (format!("{lines} lines of SystemVerilog"), ""),
        };
        write!(f, "{}: {}, {size}", self.file.display(), self.strategy)?;
        for of in &self.handlers {
            let units = match (of.units, self.target) {
                (0, _) => String::new(),
                (units, "processor") => format!(", and {units} levels of the book"),
                (units, _) => format!(", and what {units} units take"),
            };
            write!(f, "\n{}: {most}{} cycles{units}", of.handler, of.cycles)?;
        }
        match &self.out {
            Some(out) => write!(f, "\nwritten: {}", out.display()),
            None => Ok(()),
        }
    }
}

/// Runs the command.
///
/// # Errors
/// The file cannot be read or is not in the language; it does not fit; the result cannot be written.
pub fn run(arguments: &Arguments, console: Console) -> Result<(), Error> {
    let file = &arguments.file;
    let source = std::fs::read_to_string(file).map_err(|cause| live::Error::Read {
        path: file.clone(),
        cause,
    })?;
    let program = arguments.options.compile(file, 16)?;
    let refused = |limit: &dyn fmt::Display| live::Error::Strategy {
        text: format!("{}: {limit}", file.display()),
    };
    let mut compiled = match arguments.target {
        Target::Processor => {
            let image = language_processor::lower(&program, arguments.budget);
            let image = image.map_err(|limit| refused(&limit))?;
            Compiled::of_image(file, &image, &source)
        }
        Target::Module => {
            let module = language_module::generate(&program, &source);
            let module = module.map_err(|limit| refused(&limit))?;
            Compiled::of_module(file, &program.name, module)
        }
    };
    if let Some(out) = &arguments.out {
        let text = compiled.text.take().unwrap_or_default();
        std::fs::write(out, text).map_err(|cause| Error::Write {
            path: out.clone(),
            cause,
        })?;
        compiled.out = Some(out.clone());
    }
    console.print(&compiled)
}
