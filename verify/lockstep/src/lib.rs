//! Hardware held against software, cycle by cycle or step by step: modules of `rtl/` in their testbenches of `tests/rtl`, and the core of
//! [`cosim`] on the frames and orders that are hardest on it.
//!
//! | module | what it compares |
//! |---|---|
//! | [`mod@arbiter`] | `rtl/arbiter` with its rules and its twin |
//! | [`mod@book`] | the order book with its twin |
//! | [`mod@fast`] | the microcode engine of FAST with the software decoder |
//! | [`fast_wire`] | the wire-rate engine of FAST with the software decoder |
//! | [`processor`] | the strategy processor in its testbench |
//! | [`fuzz`] | the core with its twin, on mutated frames |
//! | [`orders`] | the core's path of orders with its twin, on random ones |

pub mod arbiter;
pub mod book;
pub mod fast;
pub mod fast_wire;
pub mod fuzz;
pub mod orders;
pub mod processor;
mod testbench;
