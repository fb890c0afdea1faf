//! Snapshots of the books over TCP, for who missed a part of the feed: as NASDAQ's GLIMPSE gives them.
//!
//! ```text
//!  publisher of the feed ── Board ── Server ═══ SoupBinTCP ═══ fetch ── a book that is rebuilt
//! ```
//!
//! A client connects and logs in; it gets the instruments and the live orders as ITCH messages, oldest first at each price, then the number of the feed's first
//! message that is not among them ([`EndOfSnapshot`]), and the session ends. The publisher makes a snapshot between two of its messages, and only
//! if one was asked for; whoever asked by then gets the same. It never waits for a client.

mod client;
mod server;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use formats::glimpse::EndOfSnapshot;
use formats::soup::{Packet, TooLong};

pub use client::{FetchError, Query, Snapshot, fetch};
pub use server::{Server, ServerCounters};

/// The publisher's time that snapshots may take: one part in so many.
const SHARE: u32 = 20;

/// A snapshot as it is sent: SoupBinTCP packets, one after the other.
#[derive(Clone, Debug, Default)]
pub struct Packets(Vec<u8>);

impl Packets {
    /// Adds a message.
    ///
    /// # Errors
    /// It fits no packet.
    pub fn push(&mut self, message: &[u8]) -> Result<(), TooLong> {
        Packet::Sequenced(message).emit(&mut self.0)
    }

    /// All is there: `next` is the number of the feed's first message that is not.
    fn finish(&mut self, next: u64) {
        let mut end = Vec::with_capacity(EndOfSnapshot::LENGTH);
        EndOfSnapshot { next }.emit(&mut end);
        for packet in [Packet::Sequenced(&end), Packet::EndOfSession] {
            // Cannot fail: both are short.
            let _ = packet.emit(&mut self.0);
        }
    }
}

#[derive(Debug, Default)]
struct State {
    /// Snapshots made so far, and the last.
    made: u64,
    last: Arc<Packets>,
    /// Not before then the next is made.
    pause_end: Option<Instant>,
}

/// Where a publisher and the servers of its snapshots meet.
#[derive(Debug)]
pub struct Board {
    session: [u8; 10],
    wanted: AtomicBool,
    state: Mutex<State>,
    made: Condvar,
}

impl Board {
    /// For the feed's session of this name.
    pub fn new(session: [u8; 10]) -> Self {
        Board {
            session,
            wanted: AtomicBool::new(false),
            state: Mutex::default(),
            made: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the publisher should make a snapshot now: someone waits, and it has not spent too much of its time on them.
    pub fn is_due(&self) -> bool {
        self.wanted.load(Ordering::Acquire)
            && self
                .state()
                .pause_end
                .is_none_or(|end| Instant::now() >= end)
    }

    /// Makes a snapshot: `fill` adds its messages and gives the number of the feed's next one.
    pub fn make(&self, fill: impl FnOnce(&mut Packets) -> u64) {
        let began = Instant::now();
        self.wanted.store(false, Ordering::Release);
        let mut packets = Packets::default();
        let next = fill(&mut packets);
        packets.finish(next);
        let mut state = self.state();
        state.last = Arc::new(packets);
        state.made += 1;
        state.pause_end = Some(Instant::now() + began.elapsed() * SHARE);
        drop(state);
        self.made.notify_all();
    }

    /// Asks for a snapshot; the ticket to wait with.
    fn ask(&self) -> u64 {
        let made = self.state().made;
        self.wanted.store(true, Ordering::Release);
        made
    }

    /// The snapshot that a ticket is for, if it is made within this time.
    fn wait(&self, ticket: u64, patience: Duration) -> Option<Arc<Packets>> {
        let waits = |state: &mut State| state.made == ticket;
        let state = self.made.wait_timeout_while(self.state(), patience, waits);
        let (state, timeout) = state.unwrap_or_else(PoisonError::into_inner);
        (!timeout.timed_out()).then(|| Arc::clone(&state.last))
    }
}
