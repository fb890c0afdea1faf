//! What a decoder gives and who takes it: the mirror of `event_if`, with `feed_info_t`.
//!
//! In software a frame is checked before its first event leaves, so every event is committed and there is no verdict.

use crate::event::{Event, Symbol};

/// What a feed's decoder knows about a good frame before its events; the mirror of `feed_info_t`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FeedInfo {
    /// The session's name: ten characters.
    pub session: [u8; 10],
    /// Number of the frame's first message.
    pub first_sequence: u64,
    /// Messages lost so far, the gap before this frame included.
    pub lost: u64,
    /// The frame begins a session: the second is forgotten.
    pub new_session: bool,
}

/// What a message of a feed says before its event: when it was sent, and its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// As [`Event::seconds`].
    pub seconds: u32,
    /// As [`Event::nanoseconds`].
    pub nanoseconds: u64,
    /// As [`Event::sequence`].
    pub sequence: u64,
}

/// Takes what a decoder gives.
///
/// A decoder is generic over its listener and inlined into it: of an event that the listener ignores, no member is loaded and no branch is left.
/// What a listener does with every message belongs in [`Listener::head`], so that it exists once, not once for each type.
pub trait Listener {
    /// A good frame of a feed begins.
    #[inline(always)]
    fn frame(&mut self, _info: &FeedInfo) {}

    /// A message of a feed begins; its event follows.
    #[inline(always)]
    fn head(&mut self, _head: &Head) {}

    /// An event.
    fn event(&mut self, event: &Event);

    /// Whether the instrument of this symbol, `None`: of one that has no key, is one of the listener's. What a decoder cannot read of others it passes
    /// over; of these, it makes the packet bad.
    fn is_ours(&self, _symbol: Option<Symbol>) -> bool {
        true
    }
}

/// A function listens to events alone.
impl<F: FnMut(&Event)> Listener for F {
    #[inline(always)]
    fn event(&mut self, event: &Event) {
        self(event);
    }
}
