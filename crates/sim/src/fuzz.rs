//! Frames that are hardest on a receiver: a feed that is alive (seconds pass, sequence numbers run on), spoilt at every
//! layer, most of it with the checksums above and below mended, so that each fault is met alone.

use std::fmt;

use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use strategy::Counters;
use wire::ethernet::{self, MacAddress};
use wire::itch::{self, Version};
use wire::{Symbol, fcs, frame, ipv4, mold, udp};

use crate::core::{Frame, MINIMUM_GAP, StartLane, Width};
use crate::lockstep::{Lockstep, Mismatch, Setup, SetupError};

/// A frame with the way it is put on the line.
#[derive(Clone, Debug)]
pub struct Spoilt {
    /// The frame with its FCS, right or wrong.
    pub bytes: Vec<u8>,
    /// What was done to it.
    pub fault: Fault,
    gap: u32,
    lane: StartLane,
    error_at: Option<u32>,
}

impl Spoilt {
    /// As the core takes it.
    pub fn frame(&self) -> Frame<'_> {
        Frame {
            bytes: &self.bytes,
            gap: self.gap,
            lane: self.lane,
            error_at: self.error_at,
        }
    }
}

/// What is done to a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// Nothing.
    None,
    /// MoldUDP64 cut, lengthened, its count or a block's length changed.
    Mold,
    /// Bits flipped anywhere, the FCS left.
    Noise,
    /// Bits flipped anywhere, the FCS mended.
    NoiseBehindFcs,
    /// Bits flipped in the headers or the payload, every checksum mended.
    NoiseBehindChecksums,
    /// Cut at any byte, the FCS left.
    Cut,
    /// Cut at any byte, the FCS mended.
    CutBehindFcs,
    /// IPv4 or UDP length changed.
    Length,
    /// IPv4 options, whole or not.
    Options,
    /// More fragments, or an offset.
    Fragment,
    /// One VLAN tag, or two.
    Vlan,
    /// Another EtherType.
    Ethertype,
    /// Another MAC, address, protocol or port, or another of ours.
    Address,
    /// Bytes behind the packet.
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

/// Makes the frames; the same seed makes the same ones.
#[derive(Clone, Debug)]
pub struct Fuzzer {
    random: ChaCha8Rng,
    setup: Setup,
    session: [u8; 10],
    sequence: u64,
    /// Time of the feed, in nanoseconds since midnight.
    time: u64,
}

impl Fuzzer {
    /// Frames for a core set up so.
    pub fn new(seed: u64, setup: &Setup) -> Self {
        let time = 34_200 * 1_000_000_000;
        Fuzzer {
            random: ChaCha8Rng::seed_from_u64(seed),
            setup: setup.clone(),
            session: *b"FUZZ000000",
            sequence: 1,
            time,
        }
    }

    /// The next frame.
    pub fn next_frame(&mut self) -> Spoilt {
        let fault = FAULTS
            .choose_weighted(&mut self.random, |(_, weight)| *weight)
            .map_or(Fault::None, |(fault, _)| *fault);
        let mut payload = self.datagram();
        if fault == Fault::Mold {
            self.spoil_datagram(&mut payload);
        }
        if fault == Fault::Long {
            let around = (frame::MAXIMUM - 60..frame::MAXIMUM)
                .chain([12_000, 20_000])
                .collect::<Vec<_>>();
            let length = *around.choose(&mut self.random).unwrap_or(&9_000);
            payload.resize(length, 0);
        }
        let mut headers = self.setup.feed();
        headers.checksum = fault != Fault::NoChecksum && self.random.random_bool(0.9);
        if fault == Fault::Vlan {
            headers.vlan = Some(self.random.random());
        }
        if fault == Fault::Address {
            self.change_address(&mut headers);
        }
        let mut bytes = vec![];
        // The longest payload above is far below what an IPv4 packet holds.
        let _ = headers.emit(&payload, &mut bytes);
        let error_at =
            (fault == Fault::Mii).then(|| self.random.random_range(0..bytes.len() as u32));
        self.spoil(fault, &mut bytes);
        let gap = if self.random.random_bool(0.8) {
            MINIMUM_GAP
        } else {
            self.random.random_range(5..100)
        };
        let lane = *[StartLane::Deficit, StartLane::Zero, StartLane::Four]
            .choose(&mut self.random)
            .unwrap_or(&StartLane::Deficit);
        Spoilt {
            bytes,
            fault,
            gap,
            lane,
            error_at,
        }
    }

    /// A good datagram, but for the sequence: sometimes old, after a gap, or of another session.
    fn datagram(&mut self) -> Vec<u8> {
        let random = &mut self.random;
        match random.random_range(0..100) {
            0..3 => self.sequence = self.sequence.wrapping_add(random.random_range(1..1_000)),
            3..6 => self.sequence = self.sequence.wrapping_sub(random.random_range(1..10)),
            6 => {
                self.session[random.random_range(0..10)] = random.random_range(b'0'..=b'9');
                self.sequence = if random.random_bool(0.2) {
                    u64::MAX - random.random_range(0..20)
                } else {
                    random.random()
                };
            }
            _ => {}
        }
        let mut builder = mold::Builder::new(self.session, self.sequence);
        let count = match random.random_range(0..100) {
            0..3 => 0,
            3..5 => {
                let header = mold::Header {
                    session: self.session,
                    sequence: self.sequence,
                    count: mold::END_OF_SESSION,
                };
                return header.to_bytes().to_vec();
            }
            5..8 => random.random_range(10..60),
            _ => random.random_range(1..8),
        };
        for _ in 0..count {
            let message = self.message();
            // 60 messages of at most 60 bytes fit.
            let _ = builder.push(&message);
        }
        self.sequence = self.sequence.wrapping_add(count);
        builder.bytes().to_vec()
    }

    /// A message of any type: its time and symbol make sense, the rest is random. Some are of no type or no length there is.
    fn message(&mut self) -> Vec<u8> {
        let random = &mut self.random;
        let version = self.setup.handler.version;
        match random.random_range(0..1_000) {
            0..10 => {
                self.time = self
                    .time
                    .saturating_sub(random.random_range(0..3_000_000_000))
            }
            10..15 => self.time += random.random_range(0..5_000_000_000),
            15..115 => self.time += random.random_range(0..200_000_000),
            _ => self.time += random.random_range(0..2_000_000),
        }
        // Past midnight a feed begins again.
        self.time %= 86_400 * 1_000_000_000;
        let types = itch::types(version);
        let add = [b'A', b'F'];
        let message_type = match random.random_range(0..100) {
            0..50 => *add.choose(random).unwrap_or(&b'A'),
            50..60 if version == Version::V41 => b'T',
            97 => random.random(),
            _ => *types.choose(random).unwrap_or(&b'S'),
        };
        let length =
            itch::length(version, message_type).unwrap_or_else(|| random.random_range(5..60));
        let length = if random.random_bool(0.01) {
            random.random_range(5..60)
        } else {
            length
        };
        let mut message: Vec<u8> = (0..length).map(|_| random.random()).collect();
        message[0] = message_type;
        match version {
            Version::V41 if message_type == b'T' => {
                let second = (self.time / 1_000_000_000) as u32;
                message[1..5].copy_from_slice(&second.to_be_bytes());
            }
            Version::V41 => {
                message[1..5].copy_from_slice(&((self.time % 1_000_000_000) as u32).to_be_bytes())
            }
            Version::V50 if length >= itch::Head::LENGTH_V50 => {
                message[5..11].copy_from_slice(&self.time.to_be_bytes()[2..])
            }
            Version::V50 => {}
        }
        if add.contains(&message_type) {
            let head = itch::Head::length(version);
            let symbol = self
                .setup
                .handler
                .symbols
                .choose(random)
                .copied()
                .flatten()
                .unwrap_or(Symbol([0; 8]));
            if random.random_bool(0.5) && length > head + 8 {
                message[head + 8] = b'B';
            }
            if random.random_bool(0.8) && length >= head + 21 {
                message[head + 13..head + 21].copy_from_slice(&symbol.0);
                // A neighbour of a symbol, a bit away, must not be taken for it.
                if random.random_bool(0.05) {
                    message[head + 13 + random.random_range(0..8)] ^=
                        1 << random.random_range(0..8);
                }
            }
        }
        message
    }

    fn spoil_datagram(&mut self, payload: &mut Vec<u8>) {
        let random = &mut self.random;
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
                    let next =
                        at + 2 + usize::from(u16::from_be_bytes([payload[at], payload[at + 1]]));
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

    fn change_address(&mut self, headers: &mut frame::UdpFrame) {
        let random = &mut self.random;
        let net = &self.setup.net;
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

    fn spoil(&mut self, fault: Fault, bytes: &mut Vec<u8>) {
        let random = &mut self.random;
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
                    let total = u16::from_be_bytes([bytes[ip + 2], bytes[ip + 3]])
                        .wrapping_add(options as u16);
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
}

fn flip(random: &mut ChaCha8Rng, bytes: &mut [u8]) {
    if bytes.is_empty() {
        return;
    }
    for _ in 0..random.random_range(1..4) {
        bytes[random.random_range(0..bytes.len())] ^= 1 << random.random_range(0..8);
    }
}

/// Mends the FCS, the last four bytes.
fn mend_fcs(bytes: &mut Vec<u8>) {
    bytes.truncate(bytes.len() - fcs::LENGTH);
    fcs::append(bytes, 0);
}

/// Mends the IPv4 and UDP checksums as far as the lengths allow, then the FCS.
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

/// What a run met.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Frames compared.
    pub frames: u64,
    /// Reports compared.
    pub reports: u64,
    /// The counters at the end, equal on both sides.
    pub counters: Counters,
}

/// Where a run failed.
#[derive(Debug)]
pub struct Failure {
    /// The seed that makes it happen again.
    pub seed: u64,
    /// Width of the core.
    pub width: Width,
    /// ITCH of the feed.
    pub version: Version,
    /// What differed.
    pub mismatch: Mismatch,
    /// Index of the first of [`Failure::frames`].
    pub first: u64,
    /// The frames since the last check that went well: the culprit is among them.
    pub frames: Vec<Spoilt>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.mismatch)?;
        writeln!(
            f,
            "seed {}, {:?}, ITCH {:?}; frames {} on:",
            self.seed, self.width, self.version, self.first
        )?;
        for frame in &self.frames {
            writeln!(
                f,
                "{:?} lane {:?} gap {} error {:?}:",
                frame.fault, frame.lane, frame.gap, frame.error_at
            )?;
            for byte in &frame.bytes {
                write!(f, "{byte:02x}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}

/// Runs `frames` frames through a core and its twin; `progress` is told how many are done. A run that fails is repeated
/// with a check behind every frame, to show the one at fault.
///
/// # Errors
/// The first difference, boxed for its size.
///
/// # Panics
/// Never: the setup is its own, and good.
pub fn run(
    width: Width,
    version: Version,
    seed: u64,
    frames: u64,
    mut progress: impl FnMut(u64),
) -> Result<Summary, Box<Failure>> {
    const INTERVAL: u64 = 1_000;
    let setup = setup(version);
    let coarse = attempt(width, &setup, seed, 0..frames, INTERVAL, &mut progress)
        .expect("the setup is good");
    coarse.map_err(|failure| {
        let end = failure.first + failure.frames.len() as u64;
        let fine = attempt(width, &setup, seed, failure.first..end, 1, &mut |_| ())
            .expect("the setup is good");
        fine.err().unwrap_or(failure)
    })
}

/// Sixteen symbols, most of them; an empty slot among them.
fn setup(version: Version) -> Setup {
    let symbols: Vec<Symbol> = (0..16_u64)
        .map(|i| Symbol(*b"FUZZ    ").to_u64() + (i << 24))
        .map(Symbol::from_u64)
        .collect();
    let mut setup = Setup::example(version, &symbols);
    setup.handler.symbols[5] = None;
    setup
}

/// Runs to `range.end`; checks every `interval` frames, from `range.start` on.
fn attempt(
    width: Width,
    setup: &Setup,
    seed: u64,
    range: std::ops::Range<u64>,
    interval: u64,
    progress: &mut impl FnMut(u64),
) -> Result<Result<Summary, Box<Failure>>, SetupError> {
    let mut lockstep = Lockstep::new(width, setup)?;
    let mut fuzzer = Fuzzer::new(seed, setup);
    let mut recent = vec![];
    let mut summary = Summary::default();
    for index in 0..range.end {
        let spoilt = fuzzer.next_frame();
        let heartbeat = lockstep.frame(spoilt.frame());
        recent.push(spoilt);
        let checked = heartbeat.and_then(|heartbeat| {
            summary.frames += 1;
            summary.reports += u64::from(heartbeat.is_some());
            if index + 1 == range.end
                || index >= range.start && summary.frames.is_multiple_of(interval)
            {
                summary.counters = lockstep.check()?;
                return Ok(true);
            }
            Ok(index + 1 == range.start)
        });
        match checked {
            Ok(true) => {
                recent.clear();
                progress(summary.frames);
            }
            Ok(false) => {}
            Err(mismatch) => {
                let first = index + 1 - recent.len() as u64;
                let version = setup.handler.version;
                return Ok(Err(Box::new(Failure {
                    seed,
                    width,
                    version,
                    mismatch,
                    first,
                    frames: recent,
                })));
            }
        }
    }
    Ok(Ok(summary))
}
