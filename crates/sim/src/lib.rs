//! The core of `rtl/`, cycle-accurate: Verilated at both widths behind one type, [`Core`].
//!
//! Frames go in and come out whole, with the cycle of their first preamble byte and of their last byte on the MII; the loop
//! over clock edges is C++ (`cpp/shim.inc`), several million cycles a second. Latency as `docs/concepts/hardware.md` defines
//! it is `out.first - sent.last`.

mod core;
mod model;

pub use core::{AxiError, Beat, Core, Frame, MINIMUM_GAP, Received, Sent, StartLane, Width};
