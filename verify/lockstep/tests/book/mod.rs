//! The Verilated order book in lockstep with its twin in software.

mod directed;
mod levels;
mod messages;
mod random;
