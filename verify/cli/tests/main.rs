//! The command `tickwire-verify` as its users run it.

mod bench;
mod common;
mod fuzz;
mod lag;
mod model;
