//! The strategy language: a Python class, read, checked, and turned into a typed intermediate form with an interpreter, which is the reference.
//!
//! [`compile`] takes a source file to a [`Program`], or to [`Messages`] that say what to write instead. [`Interpreter`] runs it. The crate
//! `language_jit` compiles it to machine code; both are a [`Machine`]. `language_processor` and `language_module` make it something for the FPGA; [`slot`] is what an event is there. The language is described in `docs/reference/strategy-language.md`.
#![forbid(unsafe_code)]

/// The example of the crate's page.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod check;
pub mod event;
pub mod interpreter;
pub mod likely;
pub mod machine;
pub mod message;
pub mod program;
pub mod slot;
pub mod types;
pub mod value;

pub use check::{Options, compile};
pub use event::{
    BookChange, Depth, Event, Faults, Intent, Level, Moment, New, NoDepth, Outcome, Record, Report,
    ReportKind, Trade,
};
pub use interpreter::Interpreter;
pub use likely::LikelyOrder;
pub use machine::{Guarded, Machine, ParameterError, parameters};
pub use message::{Message, Messages};
pub use program::{Position, Program, TimeInForce};
pub use types::Type;
