//! All tests of the crate in one program: each of several would have to be linked.

mod common;
mod decoding;
mod microcode;
mod recorded;
mod reference;
mod templates;
mod vectors;
mod wire_rate;
