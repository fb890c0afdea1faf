//! The model's results for a setting at a rate, and what was published about system D.

use arbiter::Protocol;
use serde::Serialize;

use super::CUT_THROUGH_CYCLES;

/// What an output does to its packets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Latency {
    /// Mean over all packets that are delivered.
    pub expected_cycles: f64,
    /// The same.
    pub expected_nanoseconds: f64,
    /// No packet takes longer.
    pub maximum_cycles: f64,
    /// The same.
    pub maximum_nanoseconds: f64,
    /// Packets that are not delivered, of all that were sent.
    pub lost_share: f64,
}

/// The packets that wait on the high-reliability output.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Early {
    /// Of all that were sent.
    pub share: f64,
    /// Mean latency of these alone; 0 if there are none.
    pub expected_cycles: f64,
    /// The same.
    pub expected_nanoseconds: f64,
}

/// The model's results at a rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Prediction {
    /// Times the rate at 1x.
    pub rate_factor: f64,
    /// The rate.
    pub packets_per_second: f64,
    /// Share of the line's time that these packets take; above 1 they cannot come.
    pub line_load: f64,
    /// The low-latency output.
    pub low_latency: Latency,
    /// The high-reliability output.
    pub high_reliability: Latency,
    /// The part of it that waits.
    pub early: Early,
    /// The window as a time.
    pub window_nanoseconds: f64,
    /// Window, release and a full store leaving.
    pub worst_case_delay_nanoseconds: f64,
    /// How many come meanwhile.
    pub packets_in_worst_case_delay: f64,
    /// These are more than can be kept: the store's room ends waits, not the window.
    pub saturated: bool,
}

/// System D's figures, for a packet that is expected.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Published {
    /// Of its 128 bits.
    pub clock_megahertz: f64,
    /// Cycles.
    pub low_latency_cycles: u64,
    /// The same.
    pub low_latency_nanoseconds: f64,
    /// Cycles.
    pub high_reliability_cycles: u64,
    /// The same.
    pub high_reliability_nanoseconds: f64,
    /// Cycles in `rtl/arbiter`, of both outputs.
    pub high_reliability_cycles_here: u64,
}

/// What was published about a protocol: TotalView-ITCH for numbers of more than 32 bits, OPRA and ARCA for shorter ones.
pub const fn published(protocol: &Protocol) -> Published {
    let long = protocol.sequence_bits > 32;
    Published {
        clock_megahertz: if long { 166.0 } else { 190.0 },
        low_latency_cycles: 1,
        low_latency_nanoseconds: if long { 6.0 } else { 5.25 },
        high_reliability_cycles: 7,
        high_reliability_nanoseconds: if long { 42.0 } else { 36.75 },
        high_reliability_cycles_here: CUT_THROUGH_CYCLES,
    }
}
