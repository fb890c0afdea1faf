//! The Verilated models against their software: one program, as each of several would load every model anew.

mod arbiter;
mod book;
mod core;
mod count;
mod every_handler;
mod fast;
mod fast_wire;
mod golden;
mod own_orders;
mod processor;
mod programs;
mod rebuild;
mod trader;
