//! A store that ends with its program.

use super::{MOST_SENT, Store, StoreError};
use std::collections::BTreeMap;

/// Holds all in memory: for tests, and for sessions that start again each time.
#[derive(Clone, Debug)]
pub struct Memory {
    next_outgoing: u64,
    next_incoming: u64,
    sent: BTreeMap<u64, Vec<u8>>,
}

impl Default for Memory {
    fn default() -> Self {
        Memory {
            next_outgoing: 1,
            next_incoming: 1,
            sent: BTreeMap::new(),
        }
    }
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
        if self.sent.len() > MOST_SENT {
            self.sent.pop_first();
        }
    }

    fn sent(&self, from: u64, to: u64) -> Result<Option<(u64, Vec<u8>)>, StoreError> {
        // The range may be empty or reversed.
        let first = self.sent.range(from..).next();
        let first = first.filter(|(sequence, _)| **sequence <= to);
        Ok(first.map(|(sequence, message)| (*sequence, message.clone())))
    }

    fn reset(&mut self) {
        *self = Memory::default();
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        Ok(())
    }
}
