//! The byte formats of the tick-to-trade path, one module a format: Ethernet, IPv4, UDP and the frame they make;
//! MoldUDP64; SoupBinTCP and the end of a GLIMPSE snapshot; TotalView-ITCH 4.1 and 5.0; FIX; FAST 1.1; the report packet; and the event that every decoder gives to its listener.
//!
//! Nothing here does I/O and nothing panics, whatever the bytes. Each format has a view with checked accessors or a plain
//! struct with `parse` and `emit`. What the formats mean together is in `docs/reference/rules.md`, which the hardware obeys too.
#![forbid(unsafe_code)]

/// The example of the crate's page.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod binary_file;
pub mod bytes;
pub mod counters;
pub mod ethernet;
pub mod event;
pub mod fast;
pub mod fcs;
pub mod fix;
pub mod frame;
pub mod glimpse;
pub mod ipv4;
pub mod itch;
mod key;
pub mod listener;
pub mod mold;
pub mod report;
pub mod soup;
pub mod udp;

pub use event::{Event, Kind, Side, Source, Symbol};
pub use listener::{FeedInfo, Head, Listener};
