//! The simulated exchange. Except `server`, nothing here waits, listens or asks for the time.
//!
//! | module | what it does |
//! |---|---|
//! | [`exchange`](mod@exchange) | messages of clients in, messages to clients out |
//! | [`engine`] | books with price-time priority: orders in, events out, no allocation on the way |
//! | [`order`] | orders, events, and why orders are refused |
//! | [`listing`] | what is traded: names, ticks, bands |
//! | [`outgoing`] | messages to clients |
//! | [`journal`], [`snapshot`] | what was acted on, on disk, so that a restart is in the state of the end |
//! | `fault` | what goes wrong on purpose |
//! | [`server`] | the exchange with FIX sessions over TCP |
//! | [`replay`] | a recorded day in the books |
//! | [`publish`] | the feed on two lines: ITCH 5.0 over MoldUDP64, and the order log of FAST |
#![forbid(unsafe_code)]

/// The example of the crate's page.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod book;
pub mod engine;
pub mod exchange;
mod fault;
mod gateway;
pub mod journal;
mod ladder;
pub mod listing;
mod names;
pub mod order;
pub mod outgoing;
mod prices;
pub mod publish;
mod records;
pub mod replay;
mod report;
pub mod server;
mod slab;
pub mod snapshot;

pub use engine::Engine;
pub use exchange::{Error, Exchange, Request, Settings};
pub use fault::{Faults, Injected};
pub use journal::{JournalError, Recovered};
pub use listing::{Listing, ListingError};
pub use order::{Event, NewOrder, OrderId, Sink};
pub use outgoing::{Outbox, Outgoing};
pub use publish::Publisher;
pub use publish::fast::FastPublisher;
pub use publish::itch::ItchPublisher;
pub use publish::line::{Line, UdpLine};
pub use replay::Replay;
pub use replay::player::{Player, Speed};
pub use server::{ClientSettings, JournalSettings, PlayOptions, RefusalWatch, Server, ServerError};
