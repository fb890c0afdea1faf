//! What goes wrong on purpose, so that clients can be tested: everything by count, so that the same orders meet the same faults.

use std::time::Duration;

/// Which faults there are; 0 is never.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Every so-many-th new order is refused.
    pub reject: u64,
    /// Every so-many-th answer is numbered and stored, and does not leave before the client asks for it.
    pub drop: u64,
    /// Every so-many-th answer is sent twice, the second time with PossDupFlag.
    pub duplicate: u64,
    /// Every so-many-th message is acted on, and then the connection ends before the answer leaves.
    pub disconnect: u64,
    /// Every message is acted on so much later, all clients together.
    pub delay: Duration,
}

/// Faults that were injected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Injected {
    /// Orders refused.
    pub rejected: u64,
    /// Answers withheld.
    pub dropped: u64,
    /// Answers sent twice.
    pub duplicated: u64,
    /// Connections broken off.
    pub disconnected: u64,
}

/// Decides when.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Injector {
    pub(crate) faults: Faults,
    pub(crate) injected: Injected,
    orders: u64,
    answers: u64,
    messages: u64,
}

/// Counts one more; returns whether it is one of every so many.
const fn is_due(count: &mut u64, every: u64) -> bool {
    *count += 1;
    every > 0 && count.is_multiple_of(every)
}

impl Injector {
    /// Whether a new order is to be refused.
    pub(crate) fn rejects(&mut self) -> bool {
        let due = is_due(&mut self.orders, self.faults.reject);
        self.injected.rejected += u64::from(due);
        due
    }

    /// Whether an answer is to be withheld, and whether to be sent twice; not both.
    pub(crate) fn answer(&mut self) -> (bool, bool) {
        let dropped = is_due(&mut self.answers, self.faults.drop);
        let every = self.faults.duplicate;
        let duplicated = !dropped && every > 0 && self.answers.is_multiple_of(every);
        self.injected.dropped += u64::from(dropped);
        self.injected.duplicated += u64::from(duplicated);
        (dropped, duplicated)
    }

    /// Whether the connection a message came by is to end.
    pub(crate) fn disconnects(&mut self) -> bool {
        let due = is_due(&mut self.messages, self.faults.disconnect);
        self.injected.disconnected += u64::from(due);
        due
    }
}
