//! The driver of the core: everything a host does through its registers.
//!
//! [`Registers`] is the way to the registers (a simulation's AXI4-Lite port, a mapped PCIe window); [`Driver`] stands on top and
//! speaks in the types of `formats`. Addresses and fields are generated from `rtl/host/registers.rdl` ([`registers`]).
//!
//! [`af_xdp`] is the way to the frames of a network device past the kernel's network stack; it alone has unsafe code.
#![deny(unsafe_code)]

mod account;
pub mod af_xdp;
mod book;
mod book_keeper;
pub mod driver;
mod fast_decoder;
mod fast_fields;
mod feeds;
mod host_orders;
mod incidents;
pub mod instruments;
mod limits;
pub mod lines;
mod order_counters;
pub mod order_registers;
pub mod orders;
mod program;
pub mod registers;
pub mod ring;
mod ring_control;
pub mod shared_session;
pub mod streams;
pub mod tcp;
mod utc_clock;

pub use account::Account;
pub use book::{
    BOOK_LEVELS, BestPrice, BookLevel, BookRefused, BookWindow, BookWindowError, MOST_DEPTH,
    SnapshotOrder, StrategyRefused, WINDOW_TICKS,
};
pub use book_keeper::{BookKeeper, BookNews};
pub use driver::{Driver, Error, Latency, Registers};
pub use fast_decoder::{FastEngines, FastLag, FastWord};
pub use fast_fields::{FieldItem, FieldReader, RingValue};
pub use feeds::{FeedSlots, MOST_FEEDS};
pub use host_orders::OrderRefused;
pub use instruments::Instrument;
pub use lines::{Arbitration, Gap, Source, Window};
pub use orders::StopRefused;
pub use program::{AheadOrder, ProgramWord};
pub use ring::Ring;
pub use ring_control::{Producers, RingCounters};
pub use streams::{RawAnswer, RawReport, Streams};
pub use tcp::{Connection, TcpConfig, TcpState};
pub use utc_clock::UtcClock;
