//! FIX sessions, 4.2 and 4.4: acceptor and initiator.
//!
//! | what | where |
//! |---|---|
//! | the state machine: bytes in, bytes and events out, no I/O and no clock of its own | [`Session`] |
//! | what it must not forget: numbers and messages, in memory or in a file that survives `kill -9` or a power cut | [`Store`], [`Durability`] |
//! | the file of all sessions and of an application: one commit for all | [`Journal`] |
//! | what a message may hold, and what a Reject says | [`dictionary`], [`Refusal`] |
//! | sessions over TCP | [`Acceptor`], [`Initiator`] |
//!
//! Sources: FIX 4.4 with errata 20030618, volume 2 ("FIX session protocol"); FIX 4.2 (2000), where it differs.

#![forbid(unsafe_code)]

mod acceptor;
mod clock;
mod config;
pub mod dictionary;
mod initiator;
mod reject;
mod session;
mod store;

pub use acceptor::{
    Acceptor, Application, Counters as AcceptorCounters, Refused, Sessions, Settings,
};
pub use config::{Config, Credentials, Resend, Role};
pub use formats::fix::Reason;
pub use initiator::Initiator;
pub use reject::Refusal;
pub use session::{Cause, Counters, Event, NotResent, SendError, Session};
pub use store::{
    Call, Durability, Durable, Gate, Journal, JournalStore, Limits, LogError, MOST_SENT, Memory,
    Recover, Store, StoreError,
};
