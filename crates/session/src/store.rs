//! What a session must not forget: both sequence numbers, and what was sent.

mod durable;
mod file;
mod journal;
mod log;
mod memory;
mod record;

use thiserror::Error;

pub use durable::Durable;
pub use file::{Call, Gate};
pub use journal::{Journal, JournalStore, Limits, Recover};
pub use log::{Durability, LogError};
pub use memory::Memory;

/// Messages of a session that can be resent, unless said otherwise: the last so many.
pub const MOST_SENT: usize = 100_000;

/// The store failed: the session ends, as its numbers could not be stored.
#[derive(Debug, Error)]
#[error("the session's store failed: {0}")]
pub struct StoreError(
    /// The store's error.
    pub Box<dyn std::error::Error + Send + Sync>,
);

/// Numbers and messages of one session. Changes are seen at once, and are lasting from [`Store::commit`] on: all of them or none.
///
/// A session commits before its output leaves, so that a number that the peer has seen is never used for another message.
pub trait Store {
    /// The MsgSeqNum of the next message to send; 1 at first.
    fn next_outgoing(&self) -> u64;

    /// The MsgSeqNum of the next message expected; 1 at first.
    fn next_incoming(&self) -> u64;

    /// Sets the number of the next message to send.
    fn set_next_outgoing(&mut self, sequence: u64);

    /// Sets the number of the next message expected.
    fn set_next_incoming(&mut self, sequence: u64);

    /// Stores a message of the application, as it was sent. Only the last [`MOST_SENT`] are certain to be there: older ones may be
    /// dropped, and are gap-filled when the peer asks for them.
    fn keep_sent(&mut self, sequence: u64, message: &[u8]);

    /// The first message sent with a number in `from..=to`.
    ///
    /// # Errors
    /// The store failed.
    fn sent(&self, from: u64, to: u64) -> Result<Option<(u64, Vec<u8>)>, StoreError>;

    /// Both numbers are 1 again; the messages are forgotten.
    fn reset(&mut self);

    /// Makes all changes lasting.
    ///
    /// # Errors
    /// The store failed; what it holds is what it held after the last commit.
    fn commit(&mut self) -> Result<(), StoreError>;
}

impl<S: Store + ?Sized> Store for Box<S> {
    fn next_outgoing(&self) -> u64 {
        (**self).next_outgoing()
    }
    fn next_incoming(&self) -> u64 {
        (**self).next_incoming()
    }
    fn set_next_outgoing(&mut self, sequence: u64) {
        (**self).set_next_outgoing(sequence);
    }
    fn set_next_incoming(&mut self, sequence: u64) {
        (**self).set_next_incoming(sequence);
    }
    fn keep_sent(&mut self, sequence: u64, message: &[u8]) {
        (**self).keep_sent(sequence, message);
    }
    fn sent(&self, from: u64, to: u64) -> Result<Option<(u64, Vec<u8>)>, StoreError> {
        (**self).sent(from, to)
    }
    fn reset(&mut self) {
        (**self).reset();
    }
    fn commit(&mut self) -> Result<(), StoreError> {
        (**self).commit()
    }
}
