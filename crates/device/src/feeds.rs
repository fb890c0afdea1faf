//! Feeds side by side: which datagrams are whose, and whose counters are read.

use crate::driver::{Driver, Error, Registers};
use crate::registers as map;

/// Feeds that a core can have side by side.
pub const MOST_FEEDS: usize = 4;

/// Which of the groups and ports of a [`NetConfig`](formats::frame::NetConfig) are of a feed: a bit each, the first lowest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FeedSlots {
    /// Of the four groups.
    pub groups: u8,
    /// Of the four ports.
    pub ports: u8,
}

impl<R: Registers> Driver<R> {
    /// Which datagrams are whose: of the first of these feeds that has the port, and the group or none because it came to the core's own address. What is
    /// an unclaimed one is counted as of another port. A core with one feed does not look at it: everything is its own.
    ///
    /// # Errors
    /// The core did not answer.
    pub fn set_feeds(&mut self, feeds: [FeedSlots; MOST_FEEDS]) -> Result<(), Error<R::Error>> {
        let bits =
            |slots: FeedSlots| u32::from(slots.groups & 15) | u32::from(slots.ports & 15) << 4;
        let all = (0..).step_by(8).zip(feeds);
        let all = all.fold(0, |all, (at, slots)| all | bits(slots) << at);
        self.write(map::feeds::ADDRESS, all)
    }

    /// Whose counters are read from now on: those of the decoder and of the arbiter, the last gap, the messages lost. Causes of frames are the lines', not a
    /// feed's.
    ///
    /// # Errors
    /// The core did not answer.
    pub fn show_feed(&mut self, feed: u8) -> Result<(), Error<R::Error>> {
        self.write(map::feed_shown::ADDRESS, u32::from(feed & 3))
    }
}
