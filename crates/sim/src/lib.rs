//! The core of `rtl/`, cycle-accurate: Verilated for each [`Preset`], behind one type, [`Core`].
//!
//! Frames go in and come out complete, with the cycle of their first preamble byte and of their last byte on the MII; the loop
//! over clock edges is C++ (`cpp/shim.inc`), several million cycles a second. Latency as `docs/concepts/hardware.md` defines
//! it is `received.first - sent.last`.
//!
//! [`Lockstep`] runs a core and its software twin on the same frames and compares all they give; [`fuzz`] makes the frames
//! that are hardest on both.

#[cfg(feature = "all-models")]
pub mod alu;
#[cfg(feature = "all-models")]
pub mod arbiter;
#[cfg(target_os = "linux")]
pub mod attached;
#[cfg(feature = "all-models")]
pub mod book;
mod core;
#[cfg(feature = "all-models")]
pub mod fast;
pub mod fast_items;
pub mod fast_ring;
#[cfg(feature = "all-models")]
pub mod fast_wire;
pub mod fuzz;
mod hardware_twin;
mod lockstep;
mod model;
pub mod orders;
mod preset;
mod strategy_model;
#[cfg(target_os = "linux")]
pub mod tap;

pub use core::{
    AxiError, Beat, Core, Delivered, Frame, HostFrame, MINIMUM_GAP, Received, Sent, StartLane,
    Width,
};
pub use hardware_twin::HardwareTwin;
pub use preset::{Feed, Placement, Preset, Strategy, WireRate};
pub use strategy_model::{Builder as StrategyBuilder, StrategyModel, StrategyModelError};

pub use lockstep::{Heartbeat, Lockstep, Mismatch, Setup, SetupError};
