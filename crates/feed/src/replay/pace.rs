//! When a packet is due.

use crate::Packet;

/// How fast packets are sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// By their time stamps, so many times as fast: 1 as recorded, 8 eight times as fast.
    Factor(f64),
    /// One after the other at the rate of a line, as bits a second; see [`wire_bytes`].
    LineRate(f64),
    /// As fast as they can be read and sent.
    Unpaced,
}

/// Bytes that a UDP payload takes on an Ethernet line: preamble 8, header 14, IPv4 20, UDP 8, FCS 4, gap 12; at least 84.
pub const fn wire_bytes(payload: usize) -> u64 {
    let bytes = payload as u64 + 66;
    if bytes < 84 { 84 } else { bytes }
}

/// Due times, in nanoseconds from the start; they never go back.
pub(super) struct Schedule {
    pace: Pace,
    first: Option<u64>,
    due: u64,
    bytes: u64,
}

impl Schedule {
    /// `None` if the pace is not a positive number.
    pub fn new(pace: Pace) -> Option<Self> {
        let valid = match pace {
            Pace::Factor(value) | Pace::LineRate(value) => value.is_finite() && value > 0.0,
            Pace::Unpaced => true,
        };
        valid.then_some(Self {
            pace,
            first: None,
            due: 0,
            bytes: 0,
        })
    }

    pub fn due(&mut self, packet: &Packet<'_>) -> u64 {
        let first = *self.first.get_or_insert(packet.time);
        let since = packet.time.saturating_sub(first);
        let due = match self.pace {
            Pace::Factor(1.0) | Pace::Unpaced => since,
            Pace::Factor(factor) => (since as f64 / factor) as u64,
            Pace::LineRate(bits) => {
                let due = (self.bytes as f64 * 8e9 / bits) as u64;
                self.bytes += wire_bytes(packet.payload.len());
                due
            }
        };
        self.due = self.due.max(due);
        self.due
    }
}
