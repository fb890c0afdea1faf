//! The core of `rtl/`, cycle-accurate: Verilated for each [`Preset`] when it is first asked for, behind one type, [`Core`].
//!
//! Frames go in and come out complete, with the cycle of their first preamble byte and of their last byte on the MII; the loop
//! over clock edges is C++ (`cpp/shim.inc`), several million cycles a second. Latency as `docs/concepts/hardware.md` defines
//! it is `received.first - sent.last`.
//!
//! [`Lockstep`] runs a core and its software twin on the same frames and compares all they give; [`orders`] does it with a core that trades.

#[cfg(target_os = "linux")]
pub mod attached;
mod core;
mod embedded;
pub mod fast_items;
pub mod fast_ring;
mod hardware_twin;
mod lockstep;
mod model;
mod models;
pub mod orders;
mod preset;
#[cfg(target_os = "linux")]
pub mod tap;
mod width;

pub use core::{
    AxiError, Beat, Core, Delivered, Frame, HostFrame, MINIMUM_GAP, Received, Sent, StartLane,
};
pub use hardware_twin::HardwareTwin;
pub use model::Digest;
pub use models::{Builder as ModelBuilder, Design, LoadedModel, ModelError};
pub use preset::{Feed, Placement, Preset, Strategy};
pub use width::Width;

pub use lockstep::{Heartbeat, Lockstep, Mismatch, Setup, SetupError};
