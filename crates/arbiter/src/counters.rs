//! What the arbiter counts, under the names of `docs/reference/arbitration.md`. All of it wraps.

use serde::Serialize;

/// Packets of one line that no output can interpret, each counted once whatever the outputs do with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LineCounters {
    /// Good packets that end before their number or their count.
    pub malformed: u32,
    /// Good packets whose number is far from what the low-latency output expects.
    pub far: u32,
    /// Of these, those of the session before: counted here, not in `far`.
    pub stale: u32,
}

/// What became of the packets of one line on one output: each packet is in one of them, when its fate is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FateCounters {
    /// Packets that left.
    pub passed: u32,
    /// Low latency: packets whose number does not pass, whatever they prove to be. High reliability: good packets that neither left nor were stored,
    /// and stored ones whose number was passed while they waited.
    pub refused: u32,
    /// Packets for which the output was busy too long. Software gets packets in one piece: always 0.
    pub missed: u32,
    /// Low latency: packets whose number passes, or that have none, and that did not prove good. High reliability: all that did not.
    pub bad: u32,
}

/// What the store did with the packets of one line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StoreCounters {
    /// Packets stored. They count as passed or refused too, when they leave.
    pub kept: u32,
    /// Stored packets that left. What passed without them was cut through.
    pub released: u32,
    /// Of these, those that left in spite of the gap before them.
    pub forced: u32,
    /// Packets that found no room. Software makes room at once: always 0.
    pub overflow: u32,
    /// Good packets longer than the protocol's longest, also where there was no need to store them.
    pub too_long: u32,
}

/// What happened on one output.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OutputCounters {
    /// Line A, line B …
    pub lines: Vec<FateCounters>,
    /// Gaps in what left.
    pub gap: u32,
    /// Messages lost in them.
    pub lost: u64,
}

/// All counters of an arbiter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counters {
    /// Line A, line B …
    pub lines: Vec<LineCounters>,
    /// The low-latency output.
    pub low_latency: OutputCounters,
    /// The high-reliability output.
    pub high_reliability: OutputCounters,
    /// Its store: line A, line B …
    pub store: Vec<StoreCounters>,
    /// New sessions found by their numbers.
    pub session_reset: u32,
}

impl Counters {
    pub(super) fn new(lines: usize) -> Self {
        let output = OutputCounters {
            lines: vec![FateCounters::default(); lines],
            ..OutputCounters::default()
        };
        Self {
            lines: vec![LineCounters::default(); lines],
            low_latency: output.clone(),
            high_reliability: output,
            store: vec![StoreCounters::default(); lines],
            session_reset: 0,
        }
    }
}

/// Counts one more.
#[inline(always)]
pub(super) fn count(counter: &mut u32) {
    *counter = counter.wrapping_add(1);
}
