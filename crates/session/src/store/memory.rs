//! A store that ends with its program.

use super::{Store, StoreError};
use std::collections::BTreeMap;

/// Keeps all in memory: for tests, and for sessions that begin anew each time.
#[derive(Clone, Debug)]
pub struct Memory {
    next_outgoing: u64,
    next_incoming: u64,
    sent: BTreeMap<u64, Vec<u8>>,
    received: BTreeMap<u64, Vec<u8>>,
}

impl Default for Memory {
    fn default() -> Self {
        Memory {
            next_outgoing: 1,
            next_incoming: 1,
            sent: BTreeMap::new(),
            received: BTreeMap::new(),
        }
    }
}

impl Memory {
    pub(super) fn all_sent(&self) -> &BTreeMap<u64, Vec<u8>> {
        &self.sent
    }

    pub(super) fn all_received(&self) -> &BTreeMap<u64, Vec<u8>> {
        &self.received
    }

    /// The numbers stay.
    pub(super) fn forget_messages(&mut self) {
        self.sent.clear();
        self.received.clear();
    }
}

/// The first of a range that may be empty or upside down.
fn first(kept: &BTreeMap<u64, Vec<u8>>, from: u64, to: u64) -> Option<(u64, Vec<u8>)> {
    let (sequence, message) = kept.range(from..).next()?;
    (*sequence <= to).then(|| (*sequence, message.clone()))
}

impl Store for Memory {
    fn next_outgoing(&self) -> u64 {
        self.next_outgoing
    }

    fn next_incoming(&self) -> u64 {
        self.next_incoming
    }

    fn set_next_outgoing(&mut self, sequence: u64) {
        self.next_outgoing = sequence;
    }

    fn set_next_incoming(&mut self, sequence: u64) {
        self.next_incoming = sequence;
    }

    fn keep_sent(&mut self, sequence: u64, message: &[u8]) {
        self.sent.insert(sequence, message.to_vec());
    }

    fn keep_received(&mut self, sequence: u64, message: &[u8]) {
        self.received.insert(sequence, message.to_vec());
    }

    fn sent(&self, from: u64, to: u64) -> Result<Option<(u64, Vec<u8>)>, StoreError> {
        Ok(first(&self.sent, from, to))
    }

    fn received(&self, from: u64, to: u64) -> Result<Option<(u64, Vec<u8>)>, StoreError> {
        Ok(first(&self.received, from, to))
    }

    fn reset(&mut self) {
        *self = Memory::default();
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        Ok(())
    }
}
