//! How a packet's number relates to the expected one, and when far numbers are a new session.

use crate::protocol::{NEAR, Protocol};

/// How a number relates to an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    /// The expected one, or near and higher: so many messages are missing between.
    AtOrPast(u64),
    /// Near and lower.
    Behind,
    /// Neither.
    Far,
}

impl Relation {
    /// Before the first packet every number is at or past what is expected.
    #[inline]
    pub fn new(protocol: &Protocol, expected: Option<u64>, number: u64) -> Self {
        let Some(expected) = expected else {
            return Relation::AtOrPast(0);
        };
        let missing = protocol.distance(expected, number);
        if missing < NEAR {
            Relation::AtOrPast(missing)
        } else if protocol.distance(number, expected) < NEAR {
            Relation::Behind
        } else {
            Relation::Far
        }
    }
}

/// Finds new sessions among the far numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Tracker {
    candidate: Option<u64>,
    /// What the low-latency output expected before the last session reset, and until when numbers near it are stale.
    former: Option<(u64, u64)>,
}

impl Tracker {
    /// Whether a far number belongs to the old session, and the reset is recent.
    pub fn is_stale(&self, protocol: &Protocol, number: u64, now: u64) -> bool {
        self.former
            .is_some_and(|(former, until)| now < until && is_near(protocol, former, number))
    }

    /// Takes a far number that is not stale: the lower of it and the candidate if they confirm each other, else it is the candidate.
    pub fn confirm(&mut self, protocol: &Protocol, number: u64) -> Option<u64> {
        let candidate = self.candidate.replace(number)?;
        if !is_near(protocol, candidate, number) {
            return None;
        }
        self.candidate = None;
        let ahead = protocol.distance(candidate, number) < NEAR;
        Some(if ahead { candidate } else { number })
    }

    /// The old session expected `former`: numbers near it are stale until then.
    pub fn leave(&mut self, former: u64, until: u64) {
        self.former = Some((former, until));
    }
}

fn is_near(protocol: &Protocol, from: u64, to: u64) -> bool {
    protocol.distance(from, to) < NEAR || protocol.distance(to, from) < NEAR
}
