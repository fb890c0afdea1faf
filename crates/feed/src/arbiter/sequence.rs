//! The expected number of an output, and the sessions it has seen: what a packet's number is to it.

use super::protocol::{NEAR, Protocol};

/// What a number is to an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    /// The expected one, or near in front of it: so many messages are missing between.
    AtOrPast(u64),
    /// Near behind.
    Behind,
    /// Far, and near to what was expected before the last session reset, which is not long ago.
    Stale,
    /// Far: it is the candidate now.
    Far,
    /// Far, and near the candidate: a new session has begun, with the lower of the two.
    Reset(u64),
}

/// The expected number of an output.
#[derive(Clone, Debug)]
pub(super) struct Sequence {
    protocol: Protocol,
    /// `None` before the first packet.
    pub expected: Option<u64>,
    candidate: Option<u64>,
    /// What was expected before the last session reset, and until when such numbers are stale.
    former: Option<(u64, u64)>,
}

impl Sequence {
    pub fn new(protocol: Protocol) -> Self {
        Self {
            protocol,
            expected: None,
            candidate: None,
            former: None,
        }
    }

    #[inline]
    pub fn relate(&mut self, number: u64, now: u64) -> Relation {
        let Some(expected) = self.expected else {
            return Relation::AtOrPast(0);
        };
        let missing = self.protocol.distance(expected, number);
        if missing < NEAR {
            Relation::AtOrPast(missing)
        } else if self.protocol.distance(number, expected) <= NEAR {
            Relation::Behind
        } else {
            self.far(number, now)
        }
    }

    #[cold]
    fn far(&mut self, number: u64, now: u64) -> Relation {
        if let Some((former, until)) = self.former
            && now < until
            && self.is_near(former, number)
        {
            return Relation::Stale;
        }
        match self.candidate.replace(number) {
            Some(candidate) if self.protocol.distance(candidate, number) < NEAR => {
                Relation::Reset(candidate)
            }
            Some(candidate) if self.is_near(candidate, number) => Relation::Reset(number),
            _ => Relation::Far,
        }
    }

    fn is_near(&self, from: u64, to: u64) -> bool {
        self.protocol.distance(from, to) < NEAR || self.protocol.distance(to, from) <= NEAR
    }

    /// Begins a session with `number`; numbers near those of the old one are stale until then.
    pub fn reset(&mut self, number: u64, stale_until: u64) {
        self.former = self.expected.map(|expected| (expected, stale_until));
        self.expected = Some(number);
        self.candidate = None;
    }

    /// Forgets everything.
    pub fn forget(&mut self) {
        *self = Self::new(self.protocol);
    }
}
