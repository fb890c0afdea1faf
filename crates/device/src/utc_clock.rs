//! Universal time by the core's clock, as in its orders.

use formats::fix::Timestamp;

/// The time of an order by the core's clock: what the core writes as SendingTime and TransactTime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UtcClock {
    /// Universal time less the core's, in nanoseconds.
    offset: i128,
    /// From the beginning of a millisecond until the digits are ready.
    delay: i128,
}

/// Cycles from the beginning of a millisecond until its digits are ready (`rtl/order/wall_clock.sv`).
const DIGIT_CYCLES: u64 = 20;

impl UtcClock {
    /// The universal time is `now` when the core's clock is at `core_ns`; a cycle is so many picoseconds.
    pub const fn new(now: Timestamp, core_ns: u64, cycle_picoseconds: u64) -> Self {
        UtcClock {
            offset: now.0 as i128 - core_ns as i128,
            delay: (DIGIT_CYCLES * cycle_picoseconds / 1_000) as i128,
        }
    }

    /// The universal time when the core's clock shows this.
    pub fn utc(&self, core_ns: u64) -> Timestamp {
        Timestamp((core_ns as i128 + self.offset).clamp(0, u64::MAX.into()) as u64)
    }

    /// The core's clock at a universal time; 0 if that was before it began.
    pub fn core_ns(&self, utc: Timestamp) -> u64 {
        (i128::from(utc.0) - self.offset).clamp(0, u64::MAX.into()) as u64
    }

    /// The time in a message that TCP took at this time of the core's clock.
    pub fn sending_time(&self, taken_ns: u64) -> Timestamp {
        let time = (taken_ns as i128 + self.offset - self.delay).max(0);
        Timestamp((time / 1_000_000 * 1_000_000) as u64)
    }
}
