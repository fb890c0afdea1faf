//! The simulated exchange without its sockets: nothing here waits, listens or asks for the time.
//!
//! | module | what it does |
//! |---|---|
//! | [`engine`] | books with price-time priority: orders in, events out, no allocation on the way |
//! | [`order`] | orders, events, and why orders are refused |
#![forbid(unsafe_code)]

mod book;
pub mod engine;
mod ladder;
pub mod order;
mod slab;

pub use engine::Engine;
pub use order::{Event, NewOrder, OrderId, Sink};
