//! The Verilated order book in lockstep with its twin in software.

#[path = "../core/count.rs"]
mod count;
mod directed;
mod levels;
mod messages;
mod random;
