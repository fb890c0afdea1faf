//! Random templates and random messages for them: from a seed, always the same.
//!
//! A [`Case`] is a template file and packets of messages, as bytes and as the values that were meant. The templates use all
//! that FAST 1.1 has: every type with every operator, mandatory and optional, with and without initial value; groups and
//! sequences in each other, length fields with operators; all dictionaries, shared keys; static and dynamic references;
//! namespaces; templates that reset. The values favour the edges: least and greatest, where another byte begins, empty and long
//! strings, absence. Where a message can be written in several valid ways, one is chosen at random.
//!
//! All of it is valid: no reportable error and no dynamic error either. [`mutate`] makes what is not.
//!
//! The generator has its own templates, dictionaries and writer; of the [reference decoder](crate::reference) it knows nothing.
//!
//! ```
//! use fast_reference::random::{Case, Limits};
//! use fast_reference::reference::Decoder;
//!
//! let case = Case::new(7, &Limits::default());
//! let mut decoder = Decoder::with_options(&case.xml, case.options())?;
//! for packet in &case.packets {
//!     let decoded: Result<Vec<_>, _> = decoder.packet(&packet.bytes).into_iter().collect();
//!     assert_eq!(decoded.unwrap(), packet.messages);
//! }
//! # Ok::<(), fast_reference::reference::TemplateError>(())
//! ```

mod encode;
mod fields;
mod generate;
mod initial;
mod limits;
mod model;
mod mutate;
mod operators;
mod render;
mod values;
mod write;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub use limits::Limits;
pub use mutate::mutate;

use crate::Message;
use crate::reference::{Options, Reset};
use encode::Encoder;

/// How often a message is tried before the packet ends without it.
const TRIES: usize = 20;

/// Templates, and packets for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// What it was made from.
    pub seed: u64,
    /// The template file.
    pub xml: String,
    /// Packets in the order in which one decoder gets them. There may be fewer than the limit says, for lack of valid messages.
    pub packets: Vec<Packet>,
    /// When the dictionaries are reset between them.
    pub reset: Reset,
}

/// Messages one after the other in one datagram.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packet {
    /// What is on the wire.
    pub bytes: Vec<u8>,
    /// What it says.
    pub messages: Vec<Message>,
}

impl Case {
    /// The case of this seed, within the limits.
    pub fn new(seed: u64, limits: &Limits) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let file = generate::file(&mut rng, limits);
        let count = rng.random_range(1..=limits.packets.max(1));
        let counts: Vec<usize> = (0..count)
            .map(|_| rng.random_range(1..=limits.messages.max(1)))
            .collect();
        let mut encoder = Encoder::new(&file, limits, &mut rng);
        let packets = counts
            .into_iter()
            .map(|count| packet(&mut encoder, count, limits))
            .filter(|packet| !packet.messages.is_empty())
            .collect();
        Case {
            seed,
            xml: render::xml(&file),
            packets,
            reset: limits.reset,
        }
    }

    /// The options with which the reference decoder gives these messages.
    pub fn options(&self) -> Options {
        Options {
            reset: self.reset,
            ..Options::default()
        }
    }

    /// How many messages all packets have.
    pub fn messages(&self) -> usize {
        self.packets
            .iter()
            .map(|packet| packet.messages.len())
            .sum()
    }
}

fn packet(encoder: &mut Encoder, count: usize, limits: &Limits) -> Packet {
    if limits.reset == Reset::EachPacket {
        encoder.reset();
    }
    let mut packet = Packet::default();
    for _ in 0..count {
        let room = limits.packet_bytes.saturating_sub(packet.bytes.len());
        if let Some((bytes, message)) = (0..TRIES).find_map(|_| encoder.message(room)) {
            packet.bytes.extend(bytes);
            packet.messages.push(message);
        }
    }
    packet
}
