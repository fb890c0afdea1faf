//! When a core gets the packets of a recording, and what an order's latency is from its message's bytes.

use std::fmt;

use cosim::Width;
use cosim::orders::{SentOrder, Start};
use formats::fcs;

use crate::distribution::{Distribution, Summary};
use crate::packets::{Packet, Packets};

/// Packets in a group: both sides are compared after each.
const GROUP: usize = 256;
/// Cycles from when a packet is in the book until the next one begins: a core is done with it then. After a packet that an order follows, the order has left, has
/// been acknowledged, and the next one is prepared.
const REST: u64 = 48;
const REST_AFTER_ORDER: u64 = 500;
/// Silence of so many cycles is as good as any: a core is done with all before it.
const SILENCE: u64 = 4_000;
/// Preamble and start of frame delimiter.
const PREAMBLE: u64 = 8;
/// Ethernet, IPv4 and UDP.
const HEADERS: u64 = 42;
/// Of a frame without its FCS.
const SHORTEST: u64 = 60;
/// Header of MoldUDP64 and the first message's length; Moscow's preamble.
const BEFORE_ITCH: u64 = 22;
const BEFORE_FAST: u64 = 4;

/// When a core gets the packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// One at a time, the next when the core is done with it, its book filled up again: system E's procedure.
    OneByOne,
    /// At their recorded times, so many times as fast, whatever the core is doing.
    Recorded(f64),
}

/// Packets that are given to a core in one go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// Their UDP payloads.
    pub payloads: Vec<Vec<u8>>,
    /// Cycles from the begin of each packet but the last to that of the next; `None`: one by one.
    steps: Vec<Option<u64>>,
}

impl Group {
    /// When each packet begins. `orders`: how many follow each packet.
    pub fn starts(&self, orders: &[usize]) -> Vec<Start> {
        let mut at = 0;
        let steps = self.steps.iter().zip(orders);
        let starts = steps.map(|(step, orders)| match (step, orders) {
            (Some(cycles), _) => {
                at += cycles;
                Start::At(at)
            }
            (None, 0) => Start::Booked(REST),
            (None, _) => Start::Booked(REST_AFTER_ORDER),
        });
        std::iter::once(Start::At(0)).chain(starts).collect()
    }
}

impl fmt::Display for Pace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pace::OneByOne => Ok(()),
            Pace::Recorded(factor) => write!(f, ", {factor}x as recorded"),
        }
    }
}

impl Pace {
    /// What it adds to a key: `_8x`.
    pub fn suffix(self) -> String {
        match self {
            Pace::OneByOne => String::new(),
            Pace::Recorded(factor) => format!("_{factor}x"),
        }
    }

    /// The packets in groups; between two groups the core has time to be done.
    pub fn groups(self, packets: &Packets, mhz: f64) -> Vec<Group> {
        let mut groups: Vec<Group> = vec![];
        let mut before: Option<Packet> = None;
        for packet in packets.iter() {
            let after = before.map(|before| self.after(&before, &packet, mhz));
            match (groups.last_mut(), after) {
                (Some(group), Some(after))
                    if group.payloads.len() < GROUP
                        && after.is_none_or(|cycles| cycles < SILENCE) =>
                {
                    group.steps.push(after);
                    group.payloads.push(packet.payload.to_vec());
                }
                _ => groups.push(Group {
                    payloads: vec![packet.payload.to_vec()],
                    steps: vec![],
                }),
            }
            before = Some(packet);
        }
        groups
    }

    /// Cycles from the begin of a packet to that of the next.
    fn after(self, packet: &Packet, next: &Packet, mhz: f64) -> Option<u64> {
        match self {
            Pace::OneByOne => None,
            Pace::Recorded(factor) => {
                let ns = next.time.saturating_sub(packet.time) as f64;
                Some((ns * mhz / 1_000.0 / factor) as u64)
            }
        }
    }
}

fn bytes(width: Width) -> u64 {
    u64::from(width.bits() / 8)
}

/// With its FCS.
fn frame_length(packet: &Packet) -> u64 {
    (HEADERS + packet.payload.len() as u64).max(SHORTEST) + fcs::LENGTH as u64
}

/// From the first byte of the message that an order follows to the order's first byte, and from its last (`docs/concepts/latency.md`): of packets of one message. A
/// packet in FAST is one, without its preamble.
pub fn of_messages(
    orders: &[SentOrder],
    packets: &Packets,
    fast: bool,
    width: Width,
) -> [Option<Summary>; 2] {
    let all: Vec<_> = packets.iter().collect();
    let [mut som, mut eot] = [Distribution::default(), Distribution::default()];
    for order in orders {
        let Some(packet) = all.get(order.packet) else {
            continue;
        };
        if !fast && packet.messages != 1 {
            continue;
        }
        let before = if fast { BEFORE_FAST } else { BEFORE_ITCH };
        let end = HEADERS + packet.payload.len() as u64 - 1;
        som.add(order.first_first - cycle(HEADERS + before, order, packet, width));
        eot.add(order.first_first - cycle(end, order, packet, width));
    }
    [som, eot].map(|found| Some(found.summary()).filter(|found| found.count > 0))
}

/// The cycle in which a byte of a frame is on the line, after that of the preamble's first. At eight bytes a cycle a frame begins in lane 0 or 4, which
/// its last byte tells.
fn cycle(byte: u64, order: &SentOrder, packet: &Packet, width: Width) -> u64 {
    let bytes = bytes(width);
    let last = PREAMBLE + frame_length(packet) - 1;
    let lane = match last / bytes == order.first_first - order.last_first {
        true => 0,
        false => bytes / 2,
    };
    (PREAMBLE + byte + lane) / bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(first_first: u64, last_first: u64) -> SentOrder {
        SentOrder {
            packet: 0,
            last_first,
            first_first,
            alone: true,
            stages: None,
        }
    }

    /// A packet of MoldUDP64 with one message of 36 bytes: 22 + 36 bytes of payload, so a frame of 42 + 58 + 4 bytes after the preamble's 8: 14 beats.
    #[test]
    fn a_messages_bytes_are_found_on_the_line_whichever_lane_the_frame_begins_in() {
        let payload = [0; 58];
        let packet = Packet {
            time: 0,
            payload: &payload,
            messages: 1,
        };
        let ten = |byte, order: &SentOrder| cycle(byte, order, &packet, Width::Xgmii);
        // The last byte, number 111, is in beat 13 where the frame begins in lane 0, in beat 14 in lane 4. The message begins at byte 8 + 64.
        let lane_0 = order(30, 17);
        assert_eq!((ten(64, &lane_0), ten(99, &lane_0)), (9, 13));
        let lane_4 = order(30, 16);
        assert_eq!((ten(64, &lane_4), ten(99, &lane_4)), (9, 13));
        assert_eq!((ten(59, &lane_0), ten(60, &lane_4)), (8, 9));
        let one = order(150, 39);
        assert_eq!(cycle(64, &one, &packet, Width::Gmii), 72);
        assert_eq!(cycle(99, &one, &packet, Width::Gmii), 107);
    }

    #[test]
    fn packets_come_as_recorded_in_groups_between_long_silences_or_one_by_one() {
        let messages = |time| (vec![0; 58], time, 1);
        let packets = Packets::of("three", [messages(0), messages(8_000), messages(1_000_000)]);
        let groups = |pace: Pace| {
            let groups = pace.groups(&packets, 125.0);
            // The first packet of all is followed by two orders.
            let starts = groups.iter().map(|group| group.starts(&[2, 0, 0]));
            starts.collect::<Vec<_>>()
        };
        // 8 ns a cycle: 1,000 cycles, then silence.
        let first = Start::At(0);
        let recorded = [vec![first, Start::At(1_000)], vec![first]];
        assert_eq!(groups(Pace::Recorded(1.0)), recorded);
        let faster = [vec![first, Start::At(125)], vec![first]];
        assert_eq!(groups(Pace::Recorded(8.0)), faster);
        let one_by_one = [first, Start::Booked(500), Start::Booked(48)];
        assert_eq!(groups(Pace::OneByOne), [one_by_one]);
    }
}
