//! The software twin of the hardware path behind the MII: deframer, symbol filter, second tracker, statistics, report.
//!
//! [`Handler`] takes UDP payloads; [`HardwareTwin`] takes whole frames and gives back whole report frames, and is what the
//! core must equal bit for bit. Both obey `docs/reference/rules.md`. [`Stops`] holds stop orders, as the core
//! and a client in software both do.
#![forbid(unsafe_code)]

pub mod handler;
pub mod hardware_twin;
pub mod statistics;
pub mod stops;
pub mod symbol_table;
pub mod tracker;

pub use handler::{Config, ConfigError, Handler, Outcome, Report};
pub use hardware_twin::HardwareTwin;
pub use stops::Stops;
pub use symbol_table::SymbolTable;
pub use wire::counters::{Counters, FeedCounters, NetCounters};
