//! Frames of a market whose books are alive: messages that make sense, some of them lost, doubled, exchanged or changed, in frames that are spoilt too.

use feed::generate::{self, Settings};
use formats::itch;
use formats::{binary_file, mold};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Spoilt;
use super::fault::{self, Fault};
use cosim::Setup;
use cosim::StartLane;

/// Messages of a day; then another begins, in a session of its own.
const DAY: u64 = 8_000;
/// Most messages of a frame.
const MOST: usize = 12;
/// Faults that leave no good frame, but for chance.
const BROKEN: [Fault; 5] = [
    Fault::Noise,
    Fault::NoiseBehindFcs,
    Fault::Cut,
    Fault::CutBehindFcs,
    Fault::Mii,
];
/// Faults of frames that are good, or whose messages are changed behind good checksums.
const ODD: [Fault; 4] = [
    Fault::NoiseBehindChecksums,
    Fault::Mold,
    Fault::Padding,
    Fault::Vlan,
];
/// Quantities at the edges, and what wraps around.
const QUANTITIES: [u32; 5] = [0, 1, (1 << 24) - 1, 1 << 24, u32::MAX];

/// How much is spoilt: in parts of all messages, and of all frames.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    /// Messages.
    pub messages: f64,
    /// Frames.
    pub frames: f64,
    /// Of these, frames that are good all the same, or whose messages are changed: after most of them an instrument is not tradable that day.
    pub odd: f64,
    /// Of these, frames whose messages do not come again: each is a gap, after which nothing is tradable that day.
    pub lost: f64,
}

/// Makes the frames; the same seed makes the same ones.
#[derive(Clone, Debug)]
pub struct MarketFuzzer {
    random: ChaCha8Rng,
    setup: Setup,
    share: Share,
    symbols: usize,
    /// The day's messages, as a BinaryFILE, and how far they are used up.
    day: Vec<u8>,
    at: usize,
    days: u32,
    sequence: u64,
    /// Those of a bad frame, which come again.
    again: Option<Vec<Vec<u8>>>,
}

impl MarketFuzzer {
    /// Frames for a core set up so. The market has so many symbols, the first of them those of the setup as a rule.
    pub fn new(seed: u64, setup: &Setup, symbols: usize, share: Share) -> Self {
        MarketFuzzer {
            random: ChaCha8Rng::seed_from_u64(seed),
            setup: setup.clone(),
            share,
            symbols,
            day: vec![],
            at: 0,
            days: 0,
            sequence: 1,
            again: None,
        }
    }

    /// The next frame: mutated, if anything was done to it or to a message in it.
    pub fn next_frame(&mut self) -> (Spoilt, bool) {
        let before = self.sequence;
        let mut mutated = false;
        let messages = match self.again.take() {
            Some(messages) => messages,
            None => {
                let mut messages = self.next_messages();
                for at in 0..messages.len() {
                    if self.random.random_bool(self.share.messages) {
                        mutated = true;
                        self.strike(&mut messages, at);
                    }
                }
                messages
            }
        };
        let mut name = *b"MARKET0000";
        name[6..].copy_from_slice(format!("{:04}", self.days % 10_000).as_bytes());
        let mut packet = mold::Builder::new(name, self.sequence);
        for message in &messages {
            // 24 messages of at most 60 bytes fit.
            let _ = packet.push(message);
        }
        self.sequence += u64::from(packet.count());
        let spoils = self.random.random_bool(self.share.frames);
        let fault = match spoils {
            true if self.random.random_bool(self.share.odd) => ODD.choose(&mut self.random),
            true => BROKEN.choose(&mut self.random),
            false => None,
        };
        let fault = fault.copied().unwrap_or(Fault::None);
        let mut payload = packet.bytes().to_vec();
        if fault == Fault::Mold {
            fault::spoil_datagram(&mut self.random, &mut payload);
        }
        let mut headers = self.setup.feed();
        if fault == Fault::Vlan {
            headers.vlan = Some(self.random.random());
        }
        let mut bytes = vec![];
        // Far below what an IPv4 packet holds.
        let _ = headers.emit(&payload, &mut bytes);
        let error_at =
            (fault == Fault::Mii).then(|| self.random.random_range(0..bytes.len() as u32));
        fault::spoil(&mut self.random, fault, &mut bytes);
        if fault != Fault::None && !self.random.random_bool(self.share.lost) {
            self.sequence = before;
            self.again = Some(messages);
        }
        let spoilt = Spoilt {
            bytes,
            fault,
            gap: cosim::MINIMUM_GAP,
            lane: StartLane::Deficit,
            error_at,
        };
        (spoilt, mutated || spoils)
    }

    /// Those of a frame; of another day where the last one is over.
    fn next_messages(&mut self) -> Vec<Vec<u8>> {
        let count = self.random.random_range(1..=MOST);
        let mut messages = vec![];
        while messages.len() < count {
            match self.next_message() {
                Some(message) => messages.push(message),
                None if messages.is_empty() => self.begin_day(),
                None => break,
            }
        }
        messages
    }

    fn begin_day(&mut self) {
        let settings = Settings {
            version: self.setup.pipeline.version,
            symbols: self.symbols,
            messages: DAY,
            seconds: 60,
            seed: self.random.random(),
        };
        self.day.clear();
        // Writing to memory does not fail.
        let _ = generate::generate(&settings, &mut self.day, |_| ());
        (self.at, self.sequence) = (0, 1);
        self.days += 1;
    }

    fn next_message(&mut self) -> Option<Vec<u8>> {
        let message = binary_file::Messages::new(self.day.get(self.at..)?)
            .next()?
            .ok()?;
        let message = message.to_vec();
        self.at += 2 + message.len();
        Some(message)
    }

    /// Does something to a message.
    fn strike(&mut self, messages: &mut Vec<Vec<u8>>, at: usize) {
        if at >= messages.len() {
            return;
        }
        let random = &mut self.random;
        let version = self.setup.pipeline.version;
        match random.random_range(0..12) {
            0 => drop(messages.remove(at)),
            1 => messages.insert(at, messages[at].clone()),
            2 => {
                let other = random.random_range(0..messages.len());
                messages.swap(at, other);
            }
            3 => {
                let message = &mut messages[at];
                message.truncate(random.random_range(5..=message.len().max(5)));
            }
            4..7 => {
                let message = &mut messages[at];
                let byte = random.random_range(0..message.len());
                message[byte] = random.random();
            }
            7 => {
                // A replacement onto its own id: the next there is.
                let head = itch::Head::length(version);
                let whole =
                    |message: &&mut Vec<u8>| message[0] == b'U' && message.len() >= head + 16;
                if let Some(message) = messages.iter_mut().skip(at).find(whole) {
                    message.copy_within(head..head + 8, head + 8);
                }
            }
            8..10 => {
                // A price far away, of an order that enters or of a replacement.
                let head = itch::Head::length(version);
                let place = match messages[at][0] {
                    b'A' | b'F' => head + 21,
                    b'U' => head + 20,
                    _ => return,
                };
                let factor = [2, 3, 0][random.random_range(0..3)];
                if let Some(field) = messages[at].get_mut(place..place + 4) {
                    let price = u32::from_be_bytes([field[0], field[1], field[2], field[3]]);
                    field.copy_from_slice(&price.wrapping_mul(factor).to_be_bytes());
                }
            }
            _ => {
                // Where a quantity is: of an order that enters, of an execution or a reduction, of a replacement.
                let message = &mut messages[at];
                let head = itch::Head::length(version);
                let place = match message[0] {
                    b'A' | b'F' => head + 9,
                    b'E' | b'C' | b'X' => head + 8,
                    b'U' => head + 16,
                    _ => return,
                };
                let quantity = *QUANTITIES.choose(random).unwrap_or(&0);
                if let Some(field) = message.get_mut(place..place + 4) {
                    field.copy_from_slice(&quantity.to_be_bytes());
                }
            }
        }
    }
}
