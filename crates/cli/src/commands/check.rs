//! `tickwire check`: whether strategies are in the language, and whether desks are good.

use std::fmt;
use std::path::{Path, PathBuf};

use clap::Args;
use decoder::fast::WireRate;
use language::{Options, Program};
use live::desk::{Desk, FastFeed};
use serde::Serialize;

use crate::console::Console;
use crate::error::Error;

/// Check strategies and desks: what is wrong, by line and column, and what to write instead
///
/// A strategy is a Python file; docs/reference/strategy-language.md describes what it may have in it. A desk is a TOML file, or a folder with a desk.toml: its
/// strategies are checked for its instruments and with its parameters, and of a feed in FAST its templates and its map.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tickwire check desks/best-offer/strategy.py
  tickwire check --instruments 2 desks/*/strategy.py
  tickwire check desks/market-maker")]
pub struct Arguments {
    /// The files, or folders of desks
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    options: LanguageOptions,
}

/// What a desk says about a strategy before it is compiled.
#[derive(Args, Clone, Copy, Debug)]
pub struct LanguageOptions {
    /// Instruments of the desk [default: 16, or as many as --symbols names]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub instruments: Option<u16>,
    /// Statements and operators that a handler may run at most
    #[arg(long, value_name = "N", default_value_t = OPERATIONS)]
    pub operations: u64,
}

impl Default for LanguageOptions {
    fn default() -> Self {
        LanguageOptions {
            instruments: None,
            operations: OPERATIONS,
        }
    }
}

/// Statements and operators that a handler may run, if nothing else is said.
const OPERATIONS: u64 = 100_000;

/// Decimals of a price of ITCH.
pub const PRICE_DECIMALS: u32 = 4;

impl LanguageOptions {
    /// Reads and compiles a file, for so many instruments unless the options say how many.
    ///
    /// # Errors
    /// It cannot be read, or is not in the language.
    pub fn compile(&self, path: &Path, instruments: usize) -> Result<Program, Error> {
        self.compile_at(path, instruments, PRICE_DECIMALS as u8)
    }

    /// The same for prices with so many decimals.
    ///
    /// # Errors
    /// As [`LanguageOptions::compile`].
    pub fn compile_at(
        &self,
        path: &Path,
        instruments: usize,
        decimals: u8,
    ) -> Result<Program, Error> {
        let options = Options {
            instruments: self.instruments.map_or(instruments, usize::from),
            price_decimals: decimals.into(),
            operations: self.operations,
        };
        Ok(live::desk::compile(path, &options)?)
    }
}

/// A strategy that is in the language.
#[derive(Serialize)]
struct Checked {
    file: PathBuf,
    strategy: String,
    handlers: Vec<&'static str>,
    parameters: Vec<Parameter>,
}

/// A desk that is good.
#[derive(Serialize)]
struct CheckedDesk {
    desk: PathBuf,
    /// Its strategies in the language.
    strategies: Vec<String>,
    /// Its other strategies.
    others: usize,
    /// Of a feed in FAST: which engine of a core decodes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    fast: Option<FastEngine>,
}

/// Which engine of a core decodes a desk's feed in FAST.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum FastEngine {
    /// The wire-rate engine takes packets of these templates.
    WireRate(Vec<u32>),
    /// The microcode engine alone: why the wire-rate engine takes no template.
    Microcode(String),
}

impl FastEngine {
    fn new(desk: &Desk, fast: &FastFeed, console: Console) -> Result<Self, Error> {
        let read = desk.read_fast(fast, &console)?;
        Ok(
            match WireRate::new(&read.templates, &read.map, read.settings.reset_each_packet) {
                Ok(wire) => FastEngine::WireRate(wire.templates),
                Err(why) => FastEngine::Microcode(why.to_string()),
            },
        )
    }
}

impl fmt::Display for FastEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FastEngine::WireRate(templates) => match &templates[..] {
                [one] => write!(f, "a core can decode template {one} at wire rate"),
                all => {
                    let all: Vec<_> = all.iter().map(ToString::to_string).collect();
                    write!(
                        f,
                        "a core can decode templates {} at wire rate",
                        all.join(", ")
                    )
                }
            },
            FastEngine::Microcode(why) => {
                write!(f, "a core decodes all of it by microcode: {why}")
            }
        }
    }
}

impl fmt::Display for CheckedDesk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is a good desk: ", self.desk.display())?;
        match (&self.strategies[..], self.others) {
            ([], 0) => write!(f, "no strategies"),
            ([], others) => write!(f, "{others} strategies with kind"),
            (strategies, 0) => write!(f, "{}", strategies.join(", ")),
            (strategies, others) => {
                write!(f, "{}, and {others} with kind", strategies.join(", "))
            }
        }?;
        match &self.fast {
            Some(engine) => write!(f, "\n  its FAST: {engine}"),
            None => Ok(()),
        }
    }
}

/// A parameter.
#[derive(Serialize)]
struct Parameter {
    name: String,
    #[serde(rename = "type")]
    of: &'static str,
    default: Option<i64>,
}

impl Checked {
    fn new(file: &Path, program: &Program) -> Self {
        let handlers = [
            ("on_book", program.on_book.is_some()),
            ("on_trade", program.on_trade.is_some()),
            ("on_order", program.on_order.is_some()),
            ("on_timer", program.on_timer.is_some()),
        ];
        Checked {
            file: file.to_owned(),
            strategy: program.name.clone(),
            handlers: handlers
                .into_iter()
                .filter_map(|(name, has)| has.then_some(name))
                .collect(),
            parameters: program
                .parameters
                .iter()
                .map(|parameter| Parameter {
                    name: parameter.name.clone(),
                    of: parameter.of.name(),
                    default: parameter.default,
                })
                .collect(),
        }
    }
}

impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parameters: Vec<_> = self
            .parameters
            .iter()
            .map(|parameter| format!("{}: {}", parameter.name, parameter.of))
            .collect();
        write!(
            f,
            "{}: {} is good: {}; parameters {}",
            self.file.display(),
            self.strategy,
            self.handlers.join(", "),
            if parameters.is_empty() {
                "none".to_owned()
            } else {
                parameters.join(", ")
            }
        )
    }
}

/// A desk, with its strategies.
fn desk(path: &Path, console: Console) -> Result<CheckedDesk, Error> {
    let desk = Desk::open(path)?;
    let mut engine = None;
    if let Some(fast) = &desk.feed.fast {
        // Templates, map and instruments fit each other.
        desk.order_log(fast, &console)?;
        engine = Some(FastEngine::new(&desk, fast, console)?);
    }
    let trading = desk
        .trading(&desk.pipeline())
        .map_err(live::Error::Session)?;
    let loaded = match &trading {
        Some((config, _)) => desk.load(config)?,
        None => vec![],
    };
    Ok(CheckedDesk {
        desk: path.to_owned(),
        fast: engine,
        others: desk.strategy.len() - loaded.len(),
        strategies: loaded.into_iter().map(|one| one.program.name).collect(),
    })
}

/// Runs the command.
///
/// # Errors
/// A file cannot be read, or is not in the language: all messages of all files.
pub fn run(arguments: &Arguments, console: Console) -> Result<(), Error> {
    let mut wrong = Vec::new();
    for file in &arguments.files {
        let is_desk = file.is_dir() || file.extension().is_some_and(|ending| ending == "toml");
        let checked = match is_desk {
            true => desk(file, console).and_then(|checked| console.print(&checked)),
            false => {
                let program = arguments.options.compile(file, 16);
                program.and_then(|program| console.print(&Checked::new(file, &program)))
            }
        };
        match checked {
            Ok(()) => {}
            Err(Error::Live(error @ (live::Error::Strategy { .. } | live::Error::Desk(_)))) => {
                wrong.push(error.to_string());
            }
            Err(error) => return Err(error),
        }
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(live::Error::Strategy {
            text: wrong.join("\n"),
        })?,
    }
}
