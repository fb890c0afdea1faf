//! What a frame of a log is made of.

/// A record. Sessions are numbered in the order in which a file names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Record<'a> {
    /// The name of the next session.
    Session(&'a [u8]),
    /// The numbers of a session: the next MsgSeqNum to send, and the next one expected.
    Numbers {
        session: u32,
        outgoing: u64,
        incoming: u64,
    },
    /// A message that a session sent.
    Sent {
        session: u32,
        sequence: u64,
        message: &'a [u8],
    },
    /// A session starts again: its messages are forgotten.
    Reset { session: u32 },
    /// Something that the application did.
    Entry(&'a [u8]),
    /// A part of the state that the application was in when the file began.
    State(&'a [u8]),
    /// That state, and that of the sessions, is complete.
    Complete,
}

/// The bytes of a [`Record::Sent`] before its message.
pub(super) const BEFORE_MESSAGE: u64 = 1 + 4 + 8 + 4;

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    // What is longer than 4 GiB is refused by the commit.
    out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    out.extend_from_slice(bytes);
}

impl<'a> Record<'a> {
    /// Appends the record.
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        match *self {
            Record::Session(name) => {
                out.push(1);
                put_bytes(out, name);
            }
            Record::Numbers {
                session,
                outgoing,
                incoming,
            } => {
                out.push(2);
                out.extend_from_slice(&session.to_le_bytes());
                out.extend_from_slice(&outgoing.to_le_bytes());
                out.extend_from_slice(&incoming.to_le_bytes());
            }
            Record::Sent {
                session,
                sequence,
                message,
            } => {
                out.push(3);
                out.extend_from_slice(&session.to_le_bytes());
                out.extend_from_slice(&sequence.to_le_bytes());
                put_bytes(out, message);
            }
            Record::Reset { session } => {
                out.push(4);
                out.extend_from_slice(&session.to_le_bytes());
            }
            Record::Entry(bytes) => {
                out.push(5);
                put_bytes(out, bytes);
            }
            Record::State(bytes) => {
                out.push(6);
                put_bytes(out, bytes);
            }
            Record::Complete => out.push(7),
        }
    }

    /// Takes the first record off a payload.
    pub(super) fn take(payload: &mut &'a [u8]) -> Option<Self> {
        let (kind, mut rest) = payload.split_first()?;
        let rest = &mut rest;
        let record = match kind {
            1 => Record::Session(take_bytes(rest)?),
            2 => Record::Numbers {
                session: take_u32(rest)?,
                outgoing: take_u64(rest)?,
                incoming: take_u64(rest)?,
            },
            3 => Record::Sent {
                session: take_u32(rest)?,
                sequence: take_u64(rest)?,
                message: take_bytes(rest)?,
            },
            4 => Record::Reset {
                session: take_u32(rest)?,
            },
            5 => Record::Entry(take_bytes(rest)?),
            6 => Record::State(take_bytes(rest)?),
            7 => Record::Complete,
            _ => return None,
        };
        *payload = rest;
        Some(record)
    }
}

fn take_u32(from: &mut &[u8]) -> Option<u32> {
    let (bytes, rest) = from.split_first_chunk()?;
    *from = rest;
    Some(u32::from_le_bytes(*bytes))
}

fn take_u64(from: &mut &[u8]) -> Option<u64> {
    let (bytes, rest) = from.split_first_chunk()?;
    *from = rest;
    Some(u64::from_le_bytes(*bytes))
}

fn take_bytes<'a>(from: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = take_u32(from)? as usize;
    let (bytes, rest) = from.split_at_checked(length)?;
    *from = rest;
    Some(bytes)
}
