//! The processor target of the strategy language: a strategy's handlers as a program of the processor in `rtl/strategy/processor`.
//!
//! ```text
//!  language::Program ─ lower ─ Image ─┬─ listing
//!                                     ├─ Emulator    the processor in software, its cycles too
//!                                     └─ words       what loads rtl/strategy/processor
//! ```
//! The instructions are those of `docs/reference/strategy-processor.md`.
#![forbid(unsafe_code)]

pub mod core;
mod cost;
pub mod emulator;
pub mod image;
pub mod instruction;
mod listing;
pub mod load;
mod lower;

pub use emulator::Emulator;
pub use image::{Entry, Image, Region};
pub use instruction::{Instruction, Operation};
pub use lower::{Limit, lower};
