//! What the proofs of the modules that `language_module` writes, and of the programs of `language_processor`, are about (`tests/formal/strategy_wire.sby`,
//! `strategy_wire_more.sby`, `strategy_microcode.sby`).
//!
//! ```text
//!                     ┌─ language_module ─ a module ─────────────────────────────────────────────┬─ a module that compares them
//!  language::Program ─┼─ reference ───── a plain combinational module, statement by statement ─┤
//!                     └─ language_processor ── a program, instruction by instruction (microcode) ────┴─ a module that compares them
//! ```
//! The reference shares nothing with the targets but the intermediate form: it is the interpreter, said in SystemVerilog.
#![forbid(unsafe_code)]

mod bounds;
mod expression;
mod layout;
mod microcode;
mod proof;
mod reference;
mod statement;

use std::path::{Path, PathBuf};

use language::{Options, Program, compile};
use thiserror::Error;

pub use reference::reference;

/// Instruments of the strategies that are proved.
pub const INSTRUMENTS: usize = 2;
/// Records that a reference has room for: `MostRecords` of `tests/formal/reference_pkg.sv`.
pub const RECORDS: usize = 2;

/// Why there are no files of a strategy.
#[derive(Debug, Error)]
pub enum Error {
    /// It cannot be read.
    #[error("{0}: {1}")]
    Read(PathBuf, std::io::Error),
    /// The checker refuses it.
    #[error("{0}")]
    Checked(language::Messages),
    /// The references do not have it.
    #[error("line {line}: the references have no {what}")]
    Unsupported {
        /// The line of the source.
        line: u32,
        /// What it is.
        what: &'static str,
    },
    /// It is too large for a module.
    #[error("{0}")]
    Wire(#[from] language_module::Limit),
    /// It is too large for the processor.
    #[error("{0}")]
    Processor(#[from] language_processor::Limit),
}

/// A file that the proofs read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name.
    pub name: String,
    /// What is in it.
    pub text: String,
}

/// The folder of the strategies.
pub fn strategies() -> PathBuf {
    proofs().join("strategies")
}

/// The folder of the files that are written.
pub fn generated() -> PathBuf {
    proofs().join("generated")
}

fn proofs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/formal")
}

/// The files of every strategy of [`strategies`], in the order of their names.
///
/// # Errors
/// A strategy cannot be read, or has what cannot be proved.
pub fn all() -> Result<Vec<File>, Error> {
    let folder = strategies();
    let read = |error| Error::Read(folder.clone(), error);
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(read)? {
        paths.push(entry.map_err(read)?.path());
    }
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "py"));
    paths.sort();
    let mut all = Vec::new();
    for path in paths {
        let source = std::fs::read_to_string(&path).map_err(|error| Error::Read(path, error))?;
        all.extend(files(&source)?);
    }
    Ok(all)
}

/// The files of one strategy, whose source this is.
///
/// # Errors
/// It is no strategy, or has what cannot be proved.
pub fn files(source: &str) -> Result<Vec<File>, Error> {
    let options = Options {
        instruments: INSTRUMENTS,
        ..Options::default()
    };
    let program = compile(source, &options).map_err(Error::Checked)?;
    let module = language_module::generate(&program, source)?;
    let image = language_processor::lower(&program, u64::MAX)?;
    let file = |name: &str, end: &str, text| File {
        name: format!("{name}{end}.sv"),
        text,
    };
    let name = module.name.as_str();
    Ok(vec![
        file(name, "_reference", reference(&program, source, name)?),
        file(name, "_wire_formal", proof::of_wire(&program, &module)),
        file(
            name,
            "_microcode",
            microcode::microcode(&program, &image, name)?,
        ),
        file(
            name,
            "_microcode_formal",
            microcode::proof(&program, &image, name)?,
        ),
        file(name, "", module.text),
    ])
}

/// The handlers in the order of `handler_e`, with their names there.
fn handlers(program: &Program) -> [(&'static str, Option<&language::program::Handler>); 4] {
    [
        ("HANDLER_BOOK", program.on_book.as_ref()),
        ("HANDLER_TRADE", program.on_trade.as_ref()),
        ("HANDLER_ORDER", program.on_order.as_ref()),
        ("HANDLER_TIMER", program.on_timer.as_ref()),
    ]
}
