//! What decides, and what is reported: the twins of `rtl/strategy`. Both listen to events whose instrument is known.
//!
//! [`Statistics`] count the orders that enter and report at each second. [`Stops`] holds stop orders, as the core and a client in software
//! both do.
#![forbid(unsafe_code)]

pub mod statistics;
pub mod stops;

pub use statistics::Statistics;
pub use stops::Stops;
