//! All tests of the crate in one program: each of several would have to be linked.

mod common;
mod errors;
mod hostile;
mod operators;
mod real_data;
mod round_trip;
mod specification;
mod structure;
mod templates;
