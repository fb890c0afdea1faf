//! How messages are put into packets and files: the specification leaves it to who speaks FAST (section 10).

use formats::fast::Reader;

use crate::decode::{Decoder, Error, ErrorCode, Nobody, Visitor};
use crate::template::Templates;

/// What stands around messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framing {
    /// Nothing: messages back to back.
    #[default]
    None,
    /// Before each message of a file, and at the start of a datagram, a sequence number of four bytes, little-endian: Moscow Exchange.
    Preamble,
    /// Blocks: before the messages of each, their length in bytes, an unsigned integer that may be overlong (section 10).
    Block,
}

/// A frame: what is decoded or dropped as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Where the next begins, in bytes.
    pub end: usize,
    /// The preamble.
    pub sequence: Option<u32>,
    /// Its messages.
    pub messages: usize,
}

impl Framing {
    /// Decodes the frame that begins at byte `at` of a file or datagram: a message, with its preamble, or a block.
    ///
    /// # Errors
    /// As [`Decoder::packet`]; D12. Offsets are from the start of `bytes`.
    pub fn next<V: Visitor>(
        self,
        decoder: &mut Decoder,
        bytes: &[u8],
        at: usize,
        visitor: &mut V,
    ) -> Result<Frame, Error> {
        decoder.begin_packet();
        let fail = |visitor: &mut V, code, offset| {
            let error = Error {
                code,
                offset,
                template: None,
                instruction: None,
            };
            visitor.dropped(&error);
            error
        };
        let rest = bytes.get(at..).unwrap_or(&[]);
        match self {
            Framing::None => Ok(Frame {
                end: decoder.message_at(bytes, at, visitor)?,
                sequence: None,
                messages: 1,
            }),
            Framing::Preamble => {
                let Some(preamble) = rest.first_chunk() else {
                    return Err(fail(visitor, ErrorCode::Truncated, bytes.len()));
                };
                Ok(Frame {
                    end: decoder.message_at(bytes, at + preamble.len(), visitor)?,
                    sequence: Some(u32::from_le_bytes(*preamble)),
                    messages: 1,
                })
            }
            Framing::Block => {
                let mut reader = Reader::starting_at(bytes, at);
                let size = match reader.unsigned() {
                    Ok(0) => return Err(fail(visitor, ErrorCode::D12, reader.position())),
                    Ok(size) => size,
                    Err(fault) => return Err(fail(visitor, fault.into(), reader.position())),
                };
                let mut at = reader.position();
                let end = usize::try_from(size)
                    .ok()
                    .and_then(|size| at.checked_add(size));
                let Some((end, block)) = end.and_then(|end| Some((end, bytes.get(..end)?))) else {
                    return Err(fail(visitor, ErrorCode::Truncated, bytes.len()));
                };
                let mut messages = 0;
                while at < end {
                    at = decoder.message_at(block, at, visitor)?;
                    messages += 1;
                }
                Ok(Frame {
                    end,
                    sequence: None,
                    messages,
                })
            }
        }
    }

    /// Decodes the frame that begins at byte `at` of a datagram: as [`Framing::next`], but that only its first message has a preamble, and that messages
    /// after one belong to one packet.
    ///
    /// # Errors
    /// As [`Framing::next`].
    pub fn next_of_datagram<V: Visitor>(
        self,
        decoder: &mut Decoder,
        bytes: &[u8],
        at: usize,
        visitor: &mut V,
    ) -> Result<Frame, Error> {
        if self != Framing::Preamble || at == 0 {
            return self.next(decoder, bytes, at, visitor);
        }
        Ok(Frame {
            end: decoder.message_at(bytes, at, visitor)?,
            sequence: None,
            messages: 1,
        })
    }

    /// Decodes a datagram, to its end: messages after one preamble, or blocks. It is one packet: all of it is decoded or dropped.
    ///
    /// # Errors
    /// As [`Framing::next`]; a preamble without a message after it is [`ErrorCode::Truncated`].
    pub fn datagram<V: Visitor>(
        self,
        decoder: &mut Decoder,
        bytes: &[u8],
        visitor: &mut V,
    ) -> Result<Frame, Error> {
        let mut all = Frame {
            end: 0,
            sequence: None,
            messages: 0,
        };
        if self == Framing::None {
            all.messages = decoder.packet(bytes, visitor)?;
            all.end = bytes.len();
            return Ok(all);
        }
        while all.end < bytes.len() {
            let frame = self.next_of_datagram(decoder, bytes, all.end, visitor)?;
            all.end = frame.end;
            all.sequence = all.sequence.or(frame.sequence);
            all.messages += frame.messages;
        }
        Ok(all)
    }

    /// The frames of a file, one after the other, each with what stands before its messages: bytes that are to be decoded or dropped as one.
    ///
    /// # Errors
    /// As [`Framing::next`], of the first frame that is not good.
    pub fn split<'b>(self, templates: &Templates, bytes: &'b [u8]) -> Result<Vec<&'b [u8]>, Error> {
        let mut decoder = Decoder::new(templates);
        let (mut at, mut frames) = (0, Vec::new());
        while at < bytes.len() {
            let frame = self.next(&mut decoder, bytes, at, &mut Nobody)?;
            frames.push(&bytes[at..frame.end]);
            at = frame.end;
        }
        Ok(frames)
    }

    /// Puts a message into its frame.
    pub fn put(self, sequence: u32, message: &[u8], out: &mut Vec<u8>) {
        match self {
            Framing::None => {}
            Framing::Preamble => out.extend_from_slice(&sequence.to_le_bytes()),
            Framing::Block => formats::fast::put_unsigned(out, message.len() as u64),
        }
        out.extend_from_slice(message);
    }
}
