//! A store that stays ahead of the hardware.

use session::{Store, StoreError};

/// A store for a session whose numbers the hardware counts: while it is connected, the stored next number is half of `margin` or more ahead
/// of the real one. The hardware sends orders that the host learns of later, or never, if it dies; so the next session begins where no
/// number was used. The peer then sees a gap, and gets a gap fill.
#[derive(Debug)]
pub struct Ahead<S> {
    inner: S,
    next: u64,
    margin: u64,
    /// The hardware may send.
    running: bool,
}

impl<S: Store> Ahead<S> {
    /// Resumes from the store. `margin` is more than the orders that can leave between two commits.
    pub fn new(inner: S, margin: u64) -> Self {
        let next = inner.next_outgoing();
        Ahead {
            inner,
            next,
            margin,
            running: false,
        }
    }

    /// The store inside it.
    pub const fn inner(&self) -> &S {
        &self.inner
    }

    /// The hardware will send: from the next commit on the store is ahead.
    pub fn run(&mut self) {
        self.running = true;
        self.inner
            .set_next_outgoing(self.next.saturating_add(self.margin));
    }

    /// The hardware sends no more, and all it sent is known: from the next commit on the store has the exact number.
    pub fn stop(&mut self) {
        self.running = false;
        self.inner.set_next_outgoing(self.next);
    }

    /// A message left with this number: the next one has a higher one.
    pub fn number_used(&mut self, sequence: u64) {
        if sequence >= self.next {
            self.set_next_outgoing(sequence.saturating_add(1));
        }
    }
}

impl<S: Store> Store for Ahead<S> {
    fn next_outgoing(&self) -> u64 {
        self.next
    }

    fn next_incoming(&self) -> u64 {
        self.inner.next_incoming()
    }

    fn set_next_outgoing(&mut self, sequence: u64) {
        let back = sequence < self.next;
        self.next = sequence;
        if !self.running {
            self.inner.set_next_outgoing(sequence);
        } else if back || sequence.saturating_add(self.margin / 2) > self.inner.next_outgoing() {
            // Twice as far ahead as needed, so that few messages write it.
            self.inner
                .set_next_outgoing(sequence.saturating_add(self.margin));
        }
    }

    fn set_next_incoming(&mut self, sequence: u64) {
        self.inner.set_next_incoming(sequence);
    }

    fn keep_sent(&mut self, sequence: u64, message: &[u8]) {
        self.inner.keep_sent(sequence, message);
    }

    fn sent(&self, from: u64, to: u64) -> Result<Option<(u64, Vec<u8>)>, StoreError> {
        self.inner.sent(from, to)
    }

    fn reset(&mut self) {
        self.inner.reset();
        self.next = self.inner.next_outgoing();
        if self.running {
            self.run();
        }
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        self.inner.commit()
    }
}
