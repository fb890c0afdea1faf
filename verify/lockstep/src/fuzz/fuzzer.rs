//! Makes the frames: datagrams whose messages make sense, or nearly, then the fault.

use formats::itch::{self, Version};
use formats::{Symbol, frame, mold};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Spoilt;
use super::fault::{self, Fault};
use cosim::Setup;
use cosim::{MINIMUM_GAP, StartLane};

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
        let fault = Fault::random(&mut self.random);
        let mut payload = self.datagram();
        if fault == Fault::Mold {
            fault::spoil_datagram(&mut self.random, &mut payload);
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
            fault::change_address(&mut self.random, &self.setup.net, &mut headers);
        }
        let mut bytes = vec![];
        // The longest payload above is far below what an IPv4 packet holds.
        let _ = headers.emit(&payload, &mut bytes);
        let error_at =
            (fault == Fault::Mii).then(|| self.random.random_range(0..bytes.len() as u32));
        fault::spoil(&mut self.random, fault, &mut bytes);
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

    /// A good datagram, except for the sequence: sometimes old, after a gap, or of another session.
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

    /// A message of any type: its time and symbol make sense, the rest is random. Some have an unknown type or length.
    fn message(&mut self) -> Vec<u8> {
        let random = &mut self.random;
        let version = self.setup.pipeline.version;
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
        // Past midnight a feed starts again.
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
                .pipeline
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
}
