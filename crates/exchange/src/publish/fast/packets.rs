//! Entries to packets: as many in a message as fit into an Ethernet frame.

use std::collections::VecDeque;

use fast::{EncodeError, Encoder, Fields, Framing};

use super::layout::{Datum, Layout, entries};

/// The UDP payload of a full Ethernet frame, in bytes.
const LARGEST_PACKET: usize = feed::packetize::ETHERNET_PAYLOAD;
/// Entries of a message at most, if nothing else is asked for: the most that the recorded feed has.
const MOST_ENTRIES: usize = 64;

/// The place of a message among those that its entries are in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// Its number.
    pub(super) number: u32,
    /// It is the first.
    pub(super) first: bool,
    /// It is the last.
    pub(super) last: bool,
}

/// Makes packets. Each has one message, after its number in four bytes, and is decoded without the ones before it: lines lose packets.
#[derive(Debug)]
pub(super) struct Packets {
    encoder: Encoder,
    /// Entries of a message at most.
    most_entries: usize,
    /// The number of the next message.
    next: u32,
    message: Vec<u8>,
    packet: Vec<u8>,
}

impl Packets {
    /// Numbers begin with 1.
    pub(super) fn new(encoder: Encoder) -> Self {
        Packets {
            encoder,
            most_entries: MOST_ENTRIES,
            next: 1,
            message: vec![],
            packet: vec![],
        }
    }

    /// The same with so many entries a message at most.
    pub(super) fn of_entries(self, most_entries: usize) -> Self {
        Packets {
            most_entries,
            ..self
        }
    }

    /// The number of the next message.
    pub(super) const fn next(&self) -> u32 {
        self.next
    }

    /// The encoded size of a message, in bytes with its number; it is not sent.
    pub(super) fn try_message(
        &mut self,
        layout: &Layout,
        header: &[(u32, Datum<'_>)],
        entries: Vec<Fields>,
    ) -> Result<usize, EncodeError> {
        self.message.clear();
        self.encoder.reset();
        let message = layout.message(header, entries);
        self.encoder.message(&message, &mut self.message)?;
        Ok(size_of::<u32>() + self.message.len())
    }

    /// Makes the packets of these entries, in order. `header` gives the values before the entries of a message; without entries there is
    /// one message with them alone.
    pub(super) fn make<'a>(
        &mut self,
        layout: &Layout,
        all: Vec<Fields>,
        header: impl Fn(Part) -> Vec<(u32, Datum<'a>)>,
        send: &mut impl FnMut(&[u8]),
    ) {
        let mut rest = VecDeque::from(all);
        let mut first = true;
        while first || !rest.is_empty() {
            let mut some: Vec<Fields> = rest.drain(..rest.len().min(self.most_entries)).collect();
            let encoded = loop {
                let count = some.len();
                let values = header(Part {
                    number: self.next,
                    first,
                    last: rest.is_empty(),
                });
                let message = layout.message(&values, some);
                self.message.clear();
                self.encoder.reset();
                let encoded = self.encoder.message(&message, &mut self.message);
                let size = size_of::<u32>() + self.message.len();
                if encoded.is_err() || size <= LARGEST_PACKET || count < 2 {
                    break encoded;
                }
                // Entries have about the same size: try so many as are expected to fit, at least one fewer.
                some = entries(message);
                let fit = (count * LARGEST_PACKET / size).clamp(1, count - 1);
                for entry in some.drain(fit..).rev() {
                    rest.push_front(entry);
                }
            };
            // The templates were tried with extreme values: it can be encoded. If not, its number is missing, and a reader sees a gap.
            if encoded.is_ok() {
                self.packet.clear();
                Framing::Preamble.put(self.next, &self.message, &mut self.packet);
                send(&self.packet);
            }
            self.next = self.next.wrapping_add(1);
            first = false;
        }
    }
}
