//! SoupBinTCP (NASDAQ, SoupBinTCP 3.00): packets over TCP, a length, a type and what it carries.
//!
//! A client logs in, the server answers and sends numbered messages. Numbers and names stand in fields of fixed width, ASCII, filled with spaces.

use thiserror::Error;

use crate::bytes::Field;

/// Length of a packet's length, in bytes.
pub const LENGTH: usize = 2;
/// The longest message that a packet can carry, in bytes: the length counts the type too.
pub const LONGEST_MESSAGE: usize = u16::MAX as usize - 1;
/// Width of a number, in digits.
pub const DIGITS: usize = 20;

/// Why a login is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Rejection {
    /// `A`.
    #[error("not authorized")]
    NotAuthorized,
    /// `S`.
    #[error("session not available")]
    SessionNotAvailable,
}

/// What a client asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoginRequest {
    /// Its name, spaces after it.
    pub username: [u8; 6],
    /// Its password, spaces after it.
    pub password: [u8; 10],
    /// The session, spaces before it; all spaces: the current one.
    pub session: [u8; 10],
    /// The number of the first message wanted; 0: the next one.
    pub sequence: u64,
}

/// What a server lets in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoginAccepted {
    /// The session, spaces before it.
    pub session: [u8; 10],
    /// The number of the next message.
    pub sequence: u64,
}

/// A packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packet<'a> {
    /// `+`: a text for people.
    Debug(&'a [u8]),
    /// `A`: the client is logged in.
    LoginAccepted(LoginAccepted),
    /// `J`: it is not, and the connection ends.
    LoginRejected(Rejection),
    /// `S`: a message of the server; its number is one above the last.
    Sequenced(&'a [u8]),
    /// `U`: a message without a number.
    Unsequenced(&'a [u8]),
    /// `H`: the server has had nothing to say for a second.
    ServerHeartbeat,
    /// `Z`: there will be no more messages.
    EndOfSession,
    /// `L`: a client wants to log in.
    LoginRequest(LoginRequest),
    /// `R`: the client has had nothing to say for a second.
    ClientHeartbeat,
    /// `O`: the client wants to leave.
    LogoutRequest,
}

/// Why bytes are no packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Malformed {
    /// A length of 0: there is no type.
    #[error("a packet without a type")]
    Empty,
    /// A type that the protocol does not have.
    #[error("no packet type {:?}", *.0 as char)]
    UnknownType(
        /// The type byte.
        u8,
    ),
    /// The type has another length.
    #[error("packet type {:?} with {length} bytes", *.packet_type as char)]
    BadLength {
        /// The type byte.
        packet_type: u8,
        /// The length found, the type included.
        length: u16,
    },
    /// A field that is no number.
    #[error("a number that is not {DIGITS} digits with spaces before them")]
    Number,
    /// A reason that a login cannot be refused for.
    #[error("no reason {:?} to refuse a login", *.0 as char)]
    Reason(
        /// The reason's byte.
        u8,
    ),
}

/// A message that is longer than any packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a message of {0} bytes: at most {LONGEST_MESSAGE} fit into a packet")]
pub struct TooLong(
    /// Its length, in bytes.
    pub usize,
);

impl<'a> Packet<'a> {
    /// The packet at the front of `bytes`, and what follows it; `None`: it is not complete yet.
    ///
    /// # Errors
    /// It is no packet.
    pub fn parse(bytes: &'a [u8]) -> Result<Option<(Self, &'a [u8])>, Malformed> {
        let Some((length, rest)) = bytes.split_first_chunk::<LENGTH>() else {
            return Ok(None);
        };
        let length = u16::from_be_bytes(*length);
        let Some((packet_type, rest)) = rest.split_first() else {
            return if length == 0 {
                Err(Malformed::Empty)
            } else {
                Ok(None)
            };
        };
        let carried = length.checked_sub(1).ok_or(Malformed::Empty)?;
        check_length(*packet_type, length)?;
        let Some((body, rest)) = rest.split_at_checked(carried.into()) else {
            return Ok(None);
        };
        let packet = Self::of(*packet_type, length, body)?;
        Ok(Some((packet, rest)))
    }

    fn of(packet_type: u8, length: u16, mut body: &'a [u8]) -> Result<Self, Malformed> {
        let bad_length = Malformed::BadLength {
            packet_type,
            length,
        };
        let fields = &mut body;
        Ok(match packet_type {
            b'+' => Packet::Debug(fields),
            b'S' => Packet::Sequenced(fields),
            b'U' => Packet::Unsequenced(fields),
            b'H' => Packet::ServerHeartbeat,
            b'Z' => Packet::EndOfSession,
            b'R' => Packet::ClientHeartbeat,
            b'O' => Packet::LogoutRequest,
            b'J' => Packet::LoginRejected(match u8::take(fields).ok_or(bad_length)? {
                b'A' => Rejection::NotAuthorized,
                b'S' => Rejection::SessionNotAvailable,
                reason => return Err(Malformed::Reason(reason)),
            }),
            b'A' => Packet::LoginAccepted(LoginAccepted {
                session: Field::take(fields).ok_or(bad_length)?,
                sequence: take_number(fields).ok_or(Malformed::Number)?,
            }),
            b'L' => Packet::LoginRequest(LoginRequest {
                username: Field::take(fields).ok_or(bad_length)?,
                password: Field::take(fields).ok_or(bad_length)?,
                session: Field::take(fields).ok_or(bad_length)?,
                sequence: take_number(fields).ok_or(Malformed::Number)?,
            }),
            other => return Err(Malformed::UnknownType(other)),
        })
    }

    /// Appends the packet to `out`.
    ///
    /// # Errors
    /// Its message is too long; nothing is appended.
    pub fn emit(&self, out: &mut Vec<u8>) -> Result<(), TooLong> {
        let (packet_type, length) = match self {
            Packet::Debug(text) => (b'+', text.len()),
            Packet::Sequenced(message) => (b'S', message.len()),
            Packet::Unsequenced(message) => (b'U', message.len()),
            Packet::LoginAccepted(_) => (b'A', ACCEPTED),
            Packet::LoginRejected(_) => (b'J', 1),
            Packet::ServerHeartbeat => (b'H', 0),
            Packet::EndOfSession => (b'Z', 0),
            Packet::LoginRequest(_) => (b'L', REQUEST),
            Packet::ClientHeartbeat => (b'R', 0),
            Packet::LogoutRequest => (b'O', 0),
        };
        let whole = u16::try_from(length + 1).map_err(|_| TooLong(length))?;
        whole.put(out);
        packet_type.put(out);
        match self {
            Packet::Debug(bytes) | Packet::Sequenced(bytes) | Packet::Unsequenced(bytes) => {
                out.extend_from_slice(bytes);
            }
            Packet::LoginAccepted(accepted) => {
                accepted.session.put(out);
                put_number(accepted.sequence, out);
            }
            Packet::LoginRejected(reason) => out.push(match reason {
                Rejection::NotAuthorized => b'A',
                Rejection::SessionNotAvailable => b'S',
            }),
            Packet::LoginRequest(request) => {
                request.username.put(out);
                request.password.put(out);
                request.session.put(out);
                put_number(request.sequence, out);
            }
            Packet::ServerHeartbeat
            | Packet::EndOfSession
            | Packet::ClientHeartbeat
            | Packet::LogoutRequest => {}
        }
        Ok(())
    }
}

/// What a login that is accepted carries, and a login request.
const ACCEPTED: usize = 10 + DIGITS;
const REQUEST: usize = 6 + 10 + 10 + DIGITS;

/// Whether a type can have this length: so that nobody waits for the rest of what is wrong already.
fn check_length(packet_type: u8, length: u16) -> Result<(), Malformed> {
    let carries = match packet_type {
        b'+' | b'S' | b'U' => return Ok(()),
        b'H' | b'Z' | b'R' | b'O' => 0,
        b'J' => 1,
        b'A' => ACCEPTED,
        b'L' => REQUEST,
        other => return Err(Malformed::UnknownType(other)),
    };
    if usize::from(length) == carries + 1 {
        Ok(())
    } else {
        Err(Malformed::BadLength {
            packet_type,
            length,
        })
    }
}

/// Appends a number: 20 characters, spaces before the digits.
pub fn put_number(number: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("{number:>DIGITS$}").as_bytes());
}

/// Takes a number off the front of `bytes`: 20 characters, spaces or zeros before the digits; `None`: it is none.
pub fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let field = <[u8; DIGITS]>::take(bytes)?;
    let spaces = field.iter().take_while(|byte| **byte == b' ').count();
    let digits = field.get(spaces..).filter(|digits| !digits.is_empty())?;
    digits.iter().try_fold(0_u64, |number, digit| {
        let digit = digit.is_ascii_digit().then(|| digit - b'0')?;
        number.checked_mul(10)?.checked_add(digit.into())
    })
}
