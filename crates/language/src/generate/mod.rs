//! Random programs and events, for the tests of every target.
//!
//! [`program`] writes the source text of a strategy that the checker passes; [`steps`] makes what happens to it, with values at their edges and with
//! faults. Both take a seed, and give the same for the same seed.

mod events;
mod expression;
mod program;
mod statement;

pub use events::{Step, What, steps};
pub use program::{Source, program};
