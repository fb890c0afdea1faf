//! The Verilated arbiters against their rules and their twin in software.

mod lockstep;
mod rules;
