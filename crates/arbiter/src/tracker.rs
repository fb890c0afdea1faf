//! How a packet relates to the expected number, and when far numbers are a new session.

use crate::protocol::{NEAR, Numbers, Protocol};

/// How a packet relates to an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    /// It contains the expected number, or its own is near and higher: so many messages are missing before it.
    New(u64),
    /// Its number is near and lower, and it has nothing new.
    Behind,
    /// Its number is not near.
    Far,
}

impl Relation {
    /// Before the first packet every number is at or past what is expected.
    #[inline]
    pub fn new(protocol: &Protocol, expected: Option<u64>, numbers: Numbers) -> Self {
        let Some(expected) = expected else {
            return Relation::New(0);
        };
        let missing = protocol.distance(expected, numbers.sequence);
        if missing < NEAR {
            return Relation::New(missing);
        }
        let known = protocol.distance(numbers.sequence, expected);
        if known >= NEAR {
            Relation::Far
        } else if known < u64::from(numbers.count) {
            Relation::New(0)
        } else {
            Relation::Behind
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
