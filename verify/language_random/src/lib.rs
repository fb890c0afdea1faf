//! Random programs and events, for the tests of every target of the strategy language.
//!
//! [`program`] writes the source text of a strategy that the checker passes; [`steps`] makes what happens to it, with values at their edges and with
//! faults. [`mutated`] spoils a program; [`agree`] holds two machines against each other. All take a seed, and give the same for the same seed.
#![forbid(unsafe_code)]

mod agree;
mod events;
mod expression;
mod mutate;
mod program;
mod statement;

pub use agree::{agree, values};
pub use events::{Step, What, steps};
pub use mutate::mutated;
pub use program::{Source, program};
