//! What was sent, as far back as memory allows, to answer requests from.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use formats::mold::{Builder, HEADER, Header, Packet};

use crate::packetize::ETHERNET_PAYLOAD;
use crate::source::SourceError;
use crate::{Packet as Timed, PacketSource};

/// Why a request is not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is not 20 bytes long, or asks for nothing.
    Malformed,
    /// It is for another session.
    OtherSession,
    /// The first message it asks for was not sent yet, or is forgotten.
    Unavailable,
}

/// The last messages of a session.
#[derive(Debug)]
pub struct History {
    session: [u8; 10],
    /// The number of the first message that is still there.
    first: u64,
    messages: VecDeque<Vec<u8>>,
    /// Buffers to use again.
    spare: Vec<Vec<u8>>,
    /// Bytes of the messages, and how many may be stored.
    bytes: usize,
    bound: usize,
    answer: Builder,
}

impl History {
    /// A history of at most so many bytes of messages.
    pub fn new(bound: usize) -> Self {
        Self {
            session: [0; 10],
            first: 0,
            messages: VecDeque::new(),
            spare: Vec::new(),
            bytes: 0,
            bound,
            answer: Builder::new([0; 10], 0),
        }
    }

    /// Messages stored.
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Stores the messages of a packet that was sent. What is no MoldUDP64 packet is ignored; another session, or numbers that do not
    /// follow, restart the history.
    pub fn record(&mut self, payload: &[u8]) {
        let Ok(packet) = Packet::parse(payload) else {
            return;
        };
        let header = packet.header;
        let next = self.first.wrapping_add(self.messages.len() as u64);
        if header.session != self.session || header.sequence != next {
            self.spare.extend(self.messages.drain(..));
            (self.session, self.first, self.bytes) = (header.session, header.sequence, 0);
            self.answer = Builder::new(header.session, header.sequence);
        }
        for message in packet.messages() {
            let mut copy = self.spare.pop().unwrap_or_default();
            copy.clear();
            copy.extend_from_slice(message);
            self.bytes += copy.len();
            self.messages.push_back(copy);
        }
        while self.bytes > self.bound
            && let Some(message) = self.messages.pop_front()
        {
            self.bytes -= message.len();
            self.first = self.first.wrapping_add(1);
            self.spare.push(message);
        }
    }

    /// The packet that answers a request: as many of the messages it asks for as there are and as fit into an Ethernet frame, one at least.
    ///
    /// # Errors
    /// It is no request, or there is nothing to answer it with.
    pub fn answer(&mut self, request: &[u8]) -> Result<&[u8], Refusal> {
        let request: &[u8; HEADER] = request.try_into().map_err(|_| Refusal::Malformed)?;
        let (request, _) = Header::parse(request).ok_or(Refusal::Malformed)?;
        if request.count == 0 {
            return Err(Refusal::Malformed);
        }
        if request.session != self.session {
            return Err(Refusal::OtherSession);
        }
        let back = request.sequence.wrapping_sub(self.first);
        let start = usize::try_from(back)
            .ok()
            .filter(|start| *start < self.messages.len())
            .ok_or(Refusal::Unavailable)?;
        self.answer.restart(request.sequence);
        for message in self.messages.range(start..).take(request.count.into()) {
            let length = self.answer.bytes().len() + 2 + message.len();
            if self.answer.count() > 0 && length > ETHERNET_PAYLOAD {
                break;
            }
            // Cannot fail: the message came in such a packet, and the frame is full long before the count is.
            let _ = self.answer.push(message);
        }
        Ok(self.answer.bytes())
    }
}

/// A source whose packets are recorded once they were sent, that is when the next one is asked for.
#[derive(Debug)]
pub struct Recorded<'a, S> {
    source: &'a mut S,
    history: Arc<Mutex<History>>,
    /// The last packet handed out.
    last: Vec<u8>,
}

impl<'a, S> Recorded<'a, S> {
    /// Packets of `source`, recorded in `history`.
    pub const fn new(source: &'a mut S, history: Arc<Mutex<History>>) -> Self {
        Self {
            source,
            history,
            last: Vec::new(),
        }
    }

    fn record(&mut self) {
        if self.last.is_empty() {
            return;
        }
        let mut history = self.history.lock().unwrap_or_else(PoisonError::into_inner);
        history.record(&self.last);
        self.last.clear();
    }
}

impl<S> Drop for Recorded<'_, S> {
    fn drop(&mut self) {
        self.record();
    }
}

impl<S: PacketSource> PacketSource for Recorded<'_, S> {
    fn next_packet(&mut self) -> Result<Option<Timed<'_>>, SourceError> {
        self.record();
        let packet = self.source.next_packet()?;
        if let Some(packet) = packet {
            self.last.extend_from_slice(packet.payload);
        }
        Ok(packet)
    }

    fn position(&self) -> (u64, Option<u64>) {
        self.source.position()
    }
}
