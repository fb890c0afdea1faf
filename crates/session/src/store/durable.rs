//! A store in a file of its own.

use super::{Durability, Journal, JournalStore, Limits, Recover, Store, StoreError};
use std::path::Path;

/// Holds all in a file: a [`Journal`] of one session. A file belongs to one store at a time. It stays below
/// [`Limits::rewrite_after`] and twice what can be resent.
#[derive(Debug)]
pub struct Durable {
    journal: Journal,
    store: JournalStore,
    /// An application notes what it does in the same file, and has it rewritten.
    shared: bool,
}

impl Durable {
    /// Opens a file, or makes it.
    ///
    /// # Errors
    /// The file cannot be opened, is no such file, is damaged, or another store has it.
    pub fn open(path: &Path, durability: Durability) -> Result<Self, StoreError> {
        Self::with_limits(path, durability, Limits::default())
    }

    /// As [`Durable::open`], with other limits.
    ///
    /// # Errors
    /// As there.
    pub fn with_limits(
        path: &Path,
        durability: Durability,
        limits: Limits,
    ) -> Result<Self, StoreError> {
        Self::open_with(path, durability, limits, &mut (), false)
    }

    /// Opens a file, or makes it, in which an application notes what it does too ([`Journal::append`]): it is given what it noted before. The application
    /// has the file rewritten ([`Journal::is_due`], [`Journal::rewrite`]).
    ///
    /// # Errors
    /// As [`Durable::open`]; the application does not understand what was noted.
    pub fn share(
        path: &Path,
        durability: Durability,
        limits: Limits,
        application: &mut dyn Recover,
    ) -> Result<Self, StoreError> {
        Self::open_with(path, durability, limits, application, true)
    }

    fn open_with(
        path: &Path,
        durability: Durability,
        limits: Limits,
        application: &mut dyn Recover,
        shared: bool,
    ) -> Result<Self, StoreError> {
        let opened = Journal::open(path, durability, limits, application);
        let (journal, _) = opened.map_err(|error| StoreError(Box::new(error)))?;
        let store = journal.store(b"");
        Ok(Durable {
            journal,
            store,
            shared,
        })
    }

    /// The file: what an application notes there is lasting with the store's next commit.
    pub const fn journal(&self) -> &Journal {
        &self.journal
    }
}

impl Store for Durable {
    fn next_outgoing(&self) -> u64 {
        self.store.next_outgoing()
    }

    fn next_incoming(&self) -> u64 {
        self.store.next_incoming()
    }

    fn set_next_outgoing(&mut self, sequence: u64) {
        self.store.set_next_outgoing(sequence);
    }

    fn set_next_incoming(&mut self, sequence: u64) {
        self.store.set_next_incoming(sequence);
    }

    fn keep_sent(&mut self, sequence: u64, message: &[u8]) {
        self.store.keep_sent(sequence, message);
    }

    fn sent(&self, from: u64, to: u64) -> Result<Option<(u64, Vec<u8>)>, StoreError> {
        self.store.sent(from, to)
    }

    fn reset(&mut self) {
        self.store.reset();
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        self.store.commit()?;
        if !self.shared && self.journal.is_due() {
            // What was committed is safe if this fails, and it is tried again later.
            let _ = self.journal.rewrite(|_| ());
        }
        Ok(())
    }
}
