//! The end of a snapshot (NASDAQ, GLIMPSE 5.0): after the state of the books as ITCH messages, a message says where the feed goes on.

use crate::soup::{DIGITS, put_number, take_number};

/// The end of a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndOfSnapshot {
    /// The number of the feed's first message that is not in the snapshot.
    pub next: u64,
}

impl EndOfSnapshot {
    /// The type on the wire, ASCII. ITCH has no such type.
    pub const TYPE: u8 = b'G';
    /// Length, in bytes.
    pub const LENGTH: usize = 1 + DIGITS;

    /// The end of a snapshot in a message; `None`: it is another message, or its number is none.
    pub fn parse(message: &[u8]) -> Option<Self> {
        let (message_type, mut rest) = message.split_first()?;
        let next = take_number(&mut rest)?;
        (*message_type == Self::TYPE && rest.is_empty()).then_some(EndOfSnapshot { next })
    }

    /// Appends the message to `out`.
    pub fn emit(&self, out: &mut Vec<u8>) {
        out.push(Self::TYPE);
        put_number(self.next, out);
    }
}
