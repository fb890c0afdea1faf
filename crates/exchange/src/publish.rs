//! Public prices: a publisher gets every event and makes a feed of it.

use formats::fix::Timestamp;

use crate::engine::Engine;
use crate::listing::Listing;
use crate::order::Event;

pub mod fast;
pub mod itch;
pub mod line;

/// Makes a feed of what happens. Times are nanoseconds since 1970.
pub trait Publisher {
    /// What is traded, and the present books: called once, before any event.
    fn begin(&mut self, listings: &[Listing], engine: &Engine, now: Timestamp);

    /// Something happened.
    fn event(&mut self, event: &Event, now: Timestamp);

    /// What happened so far is committed: it may leave now, and not before.
    fn end(&mut self);

    /// All of what happened is published: time for a snapshot of the books, if someone waits for one.
    fn snapshot(&mut self, _engine: &Engine, _now: Timestamp) {}

    /// Nothing happened for a while.
    fn heartbeat(&mut self, now: Timestamp);
}
