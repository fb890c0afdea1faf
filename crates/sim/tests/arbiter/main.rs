//! The Verilated arbiters against their rules and their twin in software.

#[path = "../core/count.rs"]
mod count;
mod lockstep;
mod rules;
