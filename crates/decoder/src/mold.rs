//! Which session and which number a feed is at: the twin of `moldudp64_deframer`.

use formats::mold::Header;

/// How a good datagram relates to those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// All of it has come before.
    Old,
    /// So many messages at its front have come before, the others have not: packets need not be cut at the same places, on the other line or in
    /// a retransmission.
    Overlap(u16),
    /// Of the current session; so many messages are missing before it.
    Next(u64),
    /// Of another session, which is the current one now.
    NewSession,
}

/// Follows the datagrams of a feed (docs/reference/rules.md, "MoldUDP64").
#[derive(Clone, Debug, Default)]
pub struct Sequence {
    session: Option<[u8; 10]>,
    expected: u64,
}

impl Sequence {
    /// Takes the header of a datagram that is well formed.
    #[inline(always)]
    pub fn take(&mut self, header: &Header) -> Step {
        let step = if self.session != Some(header.session) {
            self.session = Some(header.session);
            Step::NewSession
        } else if let known @ 1.. = self.expected.saturating_sub(header.sequence) {
            match u16::try_from(known) {
                Ok(known) if known < header.messages() => Step::Overlap(known),
                _ => return Step::Old,
            }
        } else {
            Step::Next(header.sequence - self.expected)
        };
        self.expected = header.sequence.wrapping_add(u64::from(header.messages()));
        step
    }

    /// The session, and the expected number; `None`: nothing has come yet.
    pub const fn position(&self) -> Option<([u8; 10], u64)> {
        match self.session {
            Some(session) => Some((session, self.expected)),
            None => None,
        }
    }
}
