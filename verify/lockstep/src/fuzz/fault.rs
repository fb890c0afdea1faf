//! What is done to a frame, and to the datagram in it, and how checksums are corrected afterwards.

use formats::ethernet::{self, MacAddress};
use formats::frame::{NetConfig, UdpFrame};
use formats::{fcs, ipv4, mold, udp};
use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// What is done to a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// Nothing.
    None,
    /// MoldUDP64 cut, lengthened, its count or a block's length changed.
    Mold,
    /// Bits flipped anywhere, the FCS left.
    Noise,
    /// Bits flipped anywhere, the FCS corrected.
    NoiseBehindFcs,
    /// Bits flipped in the headers or the payload, every checksum corrected.
    NoiseBehindChecksums,
    /// Cut at any byte, the FCS left.
    Cut,
    /// Cut at any byte, the FCS corrected.
    CutBehindFcs,
    /// IPv4 or UDP length changed.
    Length,
    /// IPv4 options, complete or not.
    Options,
    /// More fragments, or an offset.
    Fragment,
    /// One VLAN tag, or two.
    Vlan,
    /// Another EtherType.
    Ethertype,
    /// Another MAC, address, protocol or port, or another of ours.
    Address,
    /// Bytes after the packet.
    Padding,
    /// A UDP checksum of 0.
    NoChecksum,
    /// About the longest a frame may be, or far longer.
    Long,
    /// An error flagged by the PHY.
    Mii,
    /// Bytes that never were a frame.
    Random,
}

/// How often each fault comes, in parts of their sum.
const FAULTS: [(Fault, u32); 18] = [
    (Fault::None, 400),
    (Fault::Mold, 150),
    (Fault::Noise, 30),
    (Fault::NoiseBehindFcs, 60),
    (Fault::NoiseBehindChecksums, 70),
    (Fault::Cut, 30),
    (Fault::CutBehindFcs, 40),
    (Fault::Length, 40),
    (Fault::Options, 20),
    (Fault::Fragment, 20),
    (Fault::Vlan, 40),
    (Fault::Ethertype, 10),
    (Fault::Address, 40),
    (Fault::Padding, 30),
    (Fault::NoChecksum, 20),
    (Fault::Long, 2),
    (Fault::Mii, 20),
    (Fault::Random, 10),
];

impl Fault {
    /// One of them, as often as [`FAULTS`] says.
    pub(super) fn random(random: &mut ChaCha8Rng) -> Self {
        FAULTS
            .choose_weighted(random, |(_, weight)| *weight)
            .map_or(Fault::None, |(fault, _)| *fault)
    }
}

/// Spoils a MoldUDP64 datagram of at least its header.
pub(super) fn spoil_datagram(random: &mut ChaCha8Rng, payload: &mut Vec<u8>) {
    match random.random_range(0..5) {
        0 => payload.truncate(random.random_range(0..=payload.len())),
        1 => payload.extend((0..random.random_range(1..20)).map(|_| random.random::<u8>())),
        2 => {
            let count = u16::from_be_bytes([payload[18], payload[19]]);
            let changed = if random.random_bool(0.7) {
                count
                    .wrapping_add(random.random_range(0..5))
                    .wrapping_sub(2)
            } else {
                random.random()
            };
            payload[18..20].copy_from_slice(&changed.to_be_bytes());
        }
        3 if payload.len() > 22 => {
            // The length of a block, met by walking over those before it.
            let mut at = mold::HEADER;
            for _ in 0..random.random_range(0..5) {
                let next = at + 2 + usize::from(u16::from_be_bytes([payload[at], payload[at + 1]]));
                if next + 2 > payload.len() {
                    break;
                }
                at = next;
            }
            let length = u16::from_be_bytes([payload[at], payload[at + 1]]);
            let changed = match random.random_range(0..3) {
                0 => random.random_range(0..5),
                1 => length
                    .wrapping_add(random.random_range(0..9))
                    .wrapping_sub(4),
                _ => random.random(),
            };
            payload[at..at + 2].copy_from_slice(&changed.to_be_bytes());
        }
        _ => flip(random, payload),
    }
}

/// Changes the frame's destination.
pub(super) fn change_address(random: &mut ChaCha8Rng, net: &NetConfig, headers: &mut UdpFrame) {
    match random.random_range(0..6) {
        0 => headers.destination_mac = MacAddress(random.random()),
        1 => headers.destination_ip = std::net::Ipv4Addr::from_bits(random.random()),
        2 => headers.destination_port = *[random.random(), 0].choose(random).unwrap_or(&0),
        3 => headers.destination_mac = MacAddress::BROADCAST,
        4 => (headers.destination_mac, headers.destination_ip) = (net.local_mac, net.local_ip),
        _ => {
            // Any slot, the unused ones too: they must not match 0.0.0.0.
            let group = *net.groups.choose(random).unwrap_or(&net.local_ip);
            (headers.destination_mac, headers.destination_ip) =
                (MacAddress::of_group(group), group);
        }
    }
}

/// Spoils a frame with its FCS; the faults that are made before there is a frame leave it unchanged.
pub(super) fn spoil(random: &mut ChaCha8Rng, fault: Fault, bytes: &mut Vec<u8>) {
    // What follows the Ethernet header, without the FCS.
    let ip = if fault == Fault::Vlan {
        ethernet::HEADER + ethernet::TAG
    } else {
        ethernet::HEADER
    };
    match fault {
        Fault::Noise => flip(random, bytes),
        Fault::NoiseBehindFcs => {
            flip(random, bytes);
            mend_fcs(bytes);
        }
        Fault::NoiseBehindChecksums => {
            let range = if random.random_bool(0.5) {
                0..ip + 28
            } else {
                ip + 28..bytes.len() - 4
            };
            flip(random, &mut bytes[range]);
            mend(bytes, ip);
        }
        Fault::Cut => bytes.truncate(random.random_range(1..bytes.len())),
        Fault::CutBehindFcs => {
            bytes.truncate(random.random_range(4..bytes.len()));
            mend_fcs(bytes);
        }
        Fault::Length => {
            let at = if random.random_bool(0.5) {
                ip + 2
            } else {
                ip + ipv4::HEADER + 4
            };
            let length = u16::from_be_bytes([bytes[at], bytes[at + 1]]);
            let changed = match random.random_range(0..3) {
                0 => random.random(),
                1 => random.random_range(0..40),
                _ => length
                    .wrapping_add(random.random_range(0..9))
                    .wrapping_sub(4),
            };
            bytes[at..at + 2].copy_from_slice(&changed.to_be_bytes());
            mend(bytes, ip);
        }
        Fault::Options => {
            let words: u8 = random.random_range(0..16);
            bytes[ip] = 0x40 | words;
            let options = (usize::from(words) * 4).saturating_sub(ipv4::HEADER);
            if random.random_bool(0.7) {
                let total =
                    u16::from_be_bytes([bytes[ip + 2], bytes[ip + 3]]).wrapping_add(options as u16);
                bytes[ip + 2..ip + 4].copy_from_slice(&total.to_be_bytes());
                bytes.splice(ip + ipv4::HEADER..ip + ipv4::HEADER, vec![1; options]);
            }
            mend(bytes, ip);
        }
        Fault::Fragment => {
            let field: u16 = [0x2000, 1, 0x2001, 0x1fff, 0x8000, 0x4000, random.random()]
                [random.random_range(0..7)];
            bytes[ip + 6..ip + 8].copy_from_slice(&field.to_be_bytes());
            mend(bytes, ip);
        }
        Fault::Vlan if random.random_bool(0.2) => {
            bytes.splice(12..12, [0x81, 0x00, 0x00, random.random()]);
            mend_fcs(bytes);
        }
        Fault::Ethertype => {
            let ethertype: u16 =
                [0x0806, 0x86dd, 0x88a8, 0x8100, random.random()][random.random_range(0..5)];
            bytes[12..14].copy_from_slice(&ethertype.to_be_bytes());
            mend_fcs(bytes);
        }
        Fault::Padding => {
            let end = bytes.len() - fcs::LENGTH;
            let padding: Vec<u8> = (0..random.random_range(1..40))
                .map(|_| random.random())
                .collect();
            bytes.splice(end..end, padding);
            mend_fcs(bytes);
        }
        Fault::Random => {
            *bytes = (0..random.random_range(1..200))
                .map(|_| random.random())
                .collect();
            if random.random_bool(0.7) && bytes.len() > fcs::LENGTH {
                mend_fcs(bytes);
            }
        }
        _ => {}
    }
}

fn flip(random: &mut ChaCha8Rng, bytes: &mut [u8]) {
    if bytes.is_empty() {
        return;
    }
    for _ in 0..random.random_range(1..4) {
        bytes[random.random_range(0..bytes.len())] ^= 1 << random.random_range(0..8);
    }
}

/// Corrects the FCS, the last four bytes.
fn mend_fcs(bytes: &mut Vec<u8>) {
    bytes.truncate(bytes.len() - fcs::LENGTH);
    fcs::append(bytes, 0);
}

/// Corrects the IPv4 and UDP checksums as far as the lengths allow, then the FCS.
fn mend(bytes: &mut Vec<u8>, ip: usize) {
    let end = bytes.len() - fcs::LENGTH;
    let header = ip..(ip + usize::from(bytes[ip] & 15) * 4).clamp(ip + ipv4::HEADER, end);
    bytes[ip + 10..ip + 12].fill(0);
    let checksum = !ipv4::sum(&bytes[header.clone()], 0);
    bytes[ip + 10..ip + 12].copy_from_slice(&checksum.to_be_bytes());
    let segment =
        header.end..(ip + usize::from(u16::from_be_bytes([bytes[ip + 2], bytes[ip + 3]]))).min(end);
    if segment.len() >= udp::HEADER && bytes[segment.start + 6..segment.start + 8] != [0, 0] {
        let address = |at: usize| {
            std::net::Ipv4Addr::new(bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3])
        };
        let (source, destination) = (address(ip + 12), address(ip + 16));
        bytes[segment.start + 6..segment.start + 8].fill(0);
        let sum = udp::sum(source, destination, &bytes[segment.clone()]);
        let checksum = if sum == 0xffff { 0xffff } else { !sum };
        bytes[segment.start + 6..segment.start + 8].copy_from_slice(&checksum.to_be_bytes());
    }
    mend_fcs(bytes);
}
