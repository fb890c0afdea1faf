//! The module target of the strategy language: a strategy's handlers as SystemVerilog with the ports of `rtl/strategy/processor/strategy_processor.sv`.
//!
//! ```text
//!  language::Program ─ build ─ graph ─ schedule ─ emit ─ a module, the source's lines as comments
//!                      statements   stages of     text
//!                      to choices   the clock
//! ```
//! Of each `if` both branches are worked out, and one is chosen; loops stand there as often as they run. One event is in the module at a time, so what
//! one stage leaves for a later one is a register that nothing overwrites.
#![forbid(unsafe_code)]

mod build;
mod emit;
mod graph;
mod schedule;

use language::Program;
use thiserror::Error;

/// What a handler becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handler {
    /// Cycles from the event to its first intent, without those in which units work and the book answers.
    pub cycles: u64,
    /// How often it divides, multiplies, or asks the book: each adds what that takes.
    pub units: usize,
}

/// A field of the state among the words that can be read out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The first of its values.
    pub at: u16,
    /// How many there are.
    pub length: u16,
    /// It is a ring: after its values come the place of the newest, and how many it has.
    pub ring: bool,
}

/// A generated module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// Its name.
    pub name: String,
    /// SystemVerilog. It uses `processor_pkg`, `wire_intents`, `wire_records`, `processor_multiply` and `processor_divide`.
    pub text: String,
    /// The handlers of a book, a trade, a report and the timer.
    pub handlers: [Option<Handler>; 4],
    /// The fields of the state.
    pub fields: Vec<Place>,
}

/// What does not fit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Limit {
    /// Loops that are too long, too many operators.
    #[error(
        "line {line}: with its loops written out the handler has more than {most} operations: run shorter loops, or use the strategy processor"
    )]
    Operations {
        /// Where it became too much.
        line: u32,
        /// What is allowed.
        most: usize,
    },
    /// An array or ring is too long to stand in flip-flops.
    #[error(
        "{field} has {length} values, and {most} fit into flip-flops: use a shorter one, or the strategy processor"
    )]
    Array {
        /// The field.
        field: String,
        /// Its length.
        length: usize,
        /// What is allowed.
        most: usize,
    },
}

/// Operations that a handler may have.
pub const MOST_OPERATIONS: usize = 20_000;
/// Values that an array may have.
pub const MOST_VALUES: usize = 64;

/// Makes a module of a strategy. `source`: its text, whose lines become comments.
///
/// # Errors
/// It is too large.
pub fn generate(program: &Program, source: &str) -> Result<Module, Limit> {
    for (index, field) in program.fields.iter().enumerate() {
        let length = program.length(index);
        if length > MOST_VALUES {
            return Err(Limit::Array {
                field: field.name.clone(),
                length,
                most: MOST_VALUES,
            });
        }
    }
    let handlers = [
        &program.on_book,
        &program.on_trade,
        &program.on_order,
        &program.on_timer,
    ];
    let mut built = Vec::new();
    for handler in handlers {
        built.push(match handler {
            Some(handler) => Some(build::build(program, handler)?),
            None => None,
        });
    }
    Ok(emit::module(program, source, &built))
}
