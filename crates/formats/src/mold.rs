//! MoldUDP64 downstream packets (NASDAQ, MoldUDP64 1.00): a session, a sequence number, a count, and the message blocks.

use serde::Serialize;
use thiserror::Error;

use crate::bytes::{u16_at, u64_at};

/// Length of the header, in bytes.
pub const HEADER: usize = 20;
/// The count that says the session is over.
pub const END_OF_SESSION: u16 = 0xffff;
/// Shortest message a block may carry, in bytes: `T` of ITCH 4.1.
pub const SHORTEST_MESSAGE: usize = 5;

/// What a datagram turned out to be. The discriminants are those of `mold_cause_e`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Cause {
    /// Not a MoldUDP64 packet ([`Malformed`]).
    Malformed,
    /// It is below the expected number, all of its messages too.
    Old,
    /// A heartbeat.
    Heartbeat,
    /// The end of the session.
    EndOfSession,
    /// Messages.
    Packet,
}

/// What is wrong with a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Malformed {
    /// Fewer than 20 bytes.
    #[error("fewer than 20 bytes")]
    Header,
    /// A block whose message is shorter than any ITCH message.
    #[error("block {0} is shorter than 5 bytes")]
    ShortBlock(u16),
    /// A block that runs past the end, or is not there though the count says so.
    #[error("block {0} runs past the end of the datagram")]
    Truncated(u16),
    /// Bytes after the last block, or after the header of a heartbeat or an end of session.
    #[error("{0} bytes after the last block")]
    Trailing(usize),
}

/// The header of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The session's name: ten characters.
    pub session: [u8; 10],
    /// The number of the first message, or of the next one where there is none.
    pub sequence: u64,
    /// The number of messages; 0: heartbeat, 0xffff: end of session.
    pub count: u16,
}

impl Header {
    /// The header and what follows it; `None` if there are fewer than 20 bytes.
    #[inline]
    pub fn parse(datagram: &[u8]) -> Option<(Self, &[u8])> {
        let (head, rest) = datagram.split_first_chunk::<HEADER>()?;
        let (session, _) = head.split_first_chunk::<10>()?;
        Some((
            Header {
                session: *session,
                sequence: u64_at(head, 10),
                count: u16_at(head, 18),
            },
            rest,
        ))
    }

    /// The header's bytes.
    pub fn to_bytes(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        let (session, rest) = bytes.split_at_mut(10);
        let (sequence, count) = rest.split_at_mut(8);
        session.copy_from_slice(&self.session);
        sequence.copy_from_slice(&self.sequence.to_be_bytes());
        count.copy_from_slice(&self.count.to_be_bytes());
        bytes
    }

    /// The number of messages that follow: `count`, or 0 at the end of the session.
    #[inline]
    pub const fn messages(&self) -> u16 {
        if self.count == END_OF_SESSION {
            0
        } else {
            self.count
        }
    }
}

/// A completely checked packet: every block is there.
#[derive(Clone, Copy, Debug)]
pub struct Packet<'a> {
    /// Its header.
    pub header: Header,
    blocks: &'a [u8],
}

impl<'a> Packet<'a> {
    /// Checks a complete datagram, so that nothing of it is used if any of it is wrong.
    #[inline]
    pub fn parse(datagram: &'a [u8]) -> Result<Self, Malformed> {
        let (header, blocks) = Header::parse(datagram).ok_or(Malformed::Header)?;
        let mut rest = blocks;
        for index in 0..header.messages() {
            let (length, body) = rest
                .split_first_chunk::<2>()
                .ok_or(Malformed::Truncated(index))?;
            let length = usize::from(u16::from_be_bytes(*length));
            if length < SHORTEST_MESSAGE {
                return Err(Malformed::ShortBlock(index));
            }
            rest = body.get(length..).ok_or(Malformed::Truncated(index))?;
        }
        if rest.is_empty() {
            Ok(Packet { header, blocks })
        } else {
            Err(Malformed::Trailing(rest.len()))
        }
    }

    /// What it is, as far as the packet alone shows: heartbeat, end of session or packet.
    #[inline]
    pub const fn cause(&self) -> Cause {
        match self.header.count {
            0 => Cause::Heartbeat,
            END_OF_SESSION => Cause::EndOfSession,
            _ => Cause::Packet,
        }
    }

    /// Its messages, in order.
    #[inline]
    pub fn messages(&self) -> Messages<'a> {
        Messages { rest: self.blocks }
    }
}

/// The messages of a [`Packet`].
#[derive(Clone, Debug)]
pub struct Messages<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Messages<'a> {
    type Item = &'a [u8];

    #[inline(always)]
    fn next(&mut self) -> Option<&'a [u8]> {
        let (length, body) = self.rest.split_first_chunk::<2>()?;
        let (message, rest) = body.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
        self.rest = rest;
        Some(message)
    }
}

/// Why a message does not go into a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BuildError {
    /// The packet has 65,534 messages.
    #[error("a packet holds at most 65,534 messages")]
    Full,
    /// A block's length has 16 bits.
    #[error("a message of {0} bytes: at most 65,535 fit into a block")]
    TooLong(usize),
}

/// Builds packets into one buffer that is used again and again.
#[derive(Clone, Debug)]
pub struct Builder {
    bytes: Vec<u8>,
    header: Header,
}

impl Builder {
    /// An empty packet: a heartbeat, if it is sent as it is.
    pub fn new(session: [u8; 10], sequence: u64) -> Self {
        let header = Header {
            session,
            sequence,
            count: 0,
        };
        Builder {
            bytes: header.to_bytes().to_vec(),
            header,
        }
    }

    /// Starts the next packet: empty, its sequence number moved on by the messages of the last one.
    pub fn next_packet(&mut self) {
        let sequence = self
            .header
            .sequence
            .wrapping_add(u64::from(self.header.messages()));
        self.restart(sequence);
    }

    /// Starts a packet with this sequence number.
    pub fn restart(&mut self, sequence: u64) {
        self.header.sequence = sequence;
        self.header.count = 0;
        self.bytes.truncate(HEADER);
        self.write_header();
    }

    /// Adds a message.
    pub fn push(&mut self, message: &[u8]) -> Result<(), BuildError> {
        if self.header.count >= END_OF_SESSION - 1 {
            return Err(BuildError::Full);
        }
        let length =
            u16::try_from(message.len()).map_err(|_| BuildError::TooLong(message.len()))?;
        self.bytes.extend_from_slice(&length.to_be_bytes());
        self.bytes.extend_from_slice(message);
        self.header.count += 1;
        self.write_header();
        Ok(())
    }

    /// Makes it the end of the session: without messages.
    pub fn end_session(&mut self) {
        self.restart(self.header.sequence);
        self.header.count = END_OF_SESSION;
        self.write_header();
    }

    /// The number of messages in it.
    pub const fn count(&self) -> u16 {
        self.header.messages()
    }

    /// The number of its first message.
    pub const fn sequence(&self) -> u64 {
        self.header.sequence
    }

    /// The packet.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn write_header(&mut self) {
        if let Some(head) = self.bytes.get_mut(..HEADER) {
            head.copy_from_slice(&self.header.to_bytes());
        }
    }
}
