//! Messages out of a stream of bytes.
//!
//! ```text
//! 8=FIX.4.4|9=61|35=0|34=2|49=TW|…|10=203|
//!                ^---- BodyLength --^        the bytes the CheckSum covers end there too
//! ```
//! A message is garbled (FIX 4.4 volume 2, "What constitutes a garbled message") if BeginString, BodyLength and MsgType are not
//! its first three fields, if CheckSum is not where BodyLength says, or if it is wrong. It is dropped as far as its BodyLength
//! reaches, if it has one, and then up to the next `8=FIX`: a BodyLength that reaches into the next message loses that one too, and
//! the gap in MsgSeqNum brings both back.

use super::encoder::three_digits;
use super::field::{load, number, position};
use super::{Body, Fields, Header, Refusal, Routing, SOH};
use thiserror::Error;
use wide::{bytemuck::cast, u8x16};

/// The longest body to wait for, unless the caller knows better, in bytes: more is garbled at once.
pub const LONGEST_BODY: usize = 65_535;
/// How a message begins.
const START: &[u8] = b"8=FIX";
/// The longest BeginString, in bytes; FIXT.1.1 has eight.
const LONGEST_BEGIN_STRING: usize = 12;
/// `10=000|`.
pub(super) const TRAILER: usize = 7;

/// Why bytes are no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
pub enum Cause {
    /// They do not begin with `8=FIX`.
    #[error("no BeginString in front")]
    NoBeginString,
    /// What begins with `8=FIX` does not end soon, or is cut off by another field.
    #[error("a BeginString that does not end")]
    BeginString,
    /// The second field is not a BodyLength, or no number.
    #[error("no BodyLength after BeginString")]
    BodyLength,
    /// The BodyLength is beyond the caller's limit.
    #[error("a BodyLength beyond the limit")]
    TooLong,
    /// No CheckSum where BodyLength says.
    #[error("no CheckSum where BodyLength says")]
    NoCheckSum,
    /// The CheckSum is wrong.
    #[error("a wrong CheckSum")]
    CheckSum,
    /// The third field is not a MsgType.
    #[error("no MsgType after BodyLength")]
    MsgType,
}

/// What the front of a stream is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Frame<'a> {
    /// The beginning of a message, as far as is known: more bytes are needed. An empty stream is one.
    Incomplete,
    /// Not a message: drop `length` bytes (never 0), count it, and go on after them.
    Garbled {
        /// Why.
        cause: Cause,
        /// Bytes to drop.
        length: usize,
    },
    /// A complete message; it is [`Message::len`] bytes long.
    Message(Message<'a>),
}

/// A message whose framing was verified.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Message<'a> {
    bytes: &'a [u8],
    /// Where BeginString's value ends.
    begin_string: usize,
    /// Where MsgType's value begins and ends.
    msg_type: (usize, usize),
}

impl<'a> Message<'a> {
    /// All of it, from `8=` to the separator after CheckSum.
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Its length, in bytes.
    #[expect(clippy::len_without_is_empty, reason = "no message is empty")]
    pub const fn len(&self) -> usize {
        self.bytes.len()
    }

    /// BeginString (8).
    #[inline]
    pub fn begin_string(&self) -> &'a [u8] {
        self.bytes.get(2..self.begin_string).unwrap_or_default()
    }

    /// MsgType (35); never empty.
    #[inline]
    pub fn msg_type(&self) -> &'a [u8] {
        self.bytes
            .get(self.msg_type.0..self.msg_type.1)
            .unwrap_or_default()
    }

    /// Its fields from the fourth on, without CheckSum.
    #[inline(always)]
    pub fn fields(&self) -> Fields<'a> {
        Fields::within(self.bytes, self.msg_type.1 + 1)
    }

    /// Its header.
    ///
    /// # Errors
    /// A field of the header is missing or wrong.
    #[inline]
    pub fn header(&self) -> Result<Header<'a>, Refusal> {
        Header::parse(&mut self.fields())
    }

    /// The fields of its header that route it.
    ///
    /// # Errors
    /// A field of the header is malformed, or one of these is wrong.
    #[inline]
    pub fn routing(&self) -> Result<Routing<'a>, Refusal> {
        Routing::parse(&mut self.fields())
    }

    /// Its header and its body. The caller must know that it is of that type ([`Message::msg_type`]).
    ///
    /// # Errors
    /// A field is missing or wrong.
    #[inline]
    pub fn read<B: Body<'a>>(&self) -> Result<(Header<'a>, B), Refusal> {
        // What is returned is filled where it is: large structs cost more to move than to read.
        let mut read = Ok(Default::default());
        if let Ok((header, body)) = &mut read
            && let Err(refusal) = self.fill(header, body)
        {
            read = Err(refusal);
        }
        read
    }

    #[inline(never)]
    fn fill<B: Body<'a>>(&self, header: &mut Header<'a>, body: &mut B) -> Result<(), Refusal> {
        let mut fields = self.fields();
        header.fill(&mut fields)?;
        body.fill(fields)
    }
}

/// CheckSum of bytes: their sum modulo 256 (volume 2, "CheckSum calculation").
#[inline]
pub fn checksum(bytes: &[u8]) -> u8 {
    let Some(last) = bytes.last_chunk::<16>() else {
        return bytes.iter().fold(0, |sum, byte| sum.wrapping_add(*byte));
    };
    // Sixteen sums side by side, each modulo 256 already.
    let (blocks, rest) = bytes.as_chunks::<16>();
    let sums = blocks
        .iter()
        .fold(u8x16::ZERO, |sums, block| sums + u8x16::new(*block));
    // Of the last block only the part that is in no other.
    let mask = LAST.get(rest.len()..).and_then(<[u8]>::first_chunk);
    let rest = u8x16::new(*last) & u8x16::new(*mask.unwrap_or(&[0; 16]));
    let [low, high]: [u64; 2] = cast(sums + rest);
    sum_of_pairs(pairs(low) + pairs(high)) as u8
}

/// Sixteen bytes from the `n`th on mask the last `n` of sixteen.
const LAST: [u8; 32] = {
    let mut mask = [0; 32];
    let mut at = 16;
    while at < 32 {
        mask[at] = 0xff;
        at += 1;
    }
    mask
};

/// The sums of each two of the eight bytes of a word.
#[inline(always)]
const fn pairs(word: u64) -> u64 {
    const EVEN: u64 = 0x00ff_00ff_00ff_00ff;
    (word & EVEN) + (word >> 8 & EVEN)
}

/// The sum of the four that [`pairs`] gives.
#[inline(always)]
const fn sum_of_pairs(pairs: u64) -> u64 {
    pairs.wrapping_mul(0x0001_0001_0001_0001) >> 48
}

/// The sum of the eight bytes of a word.
#[inline(always)]
pub(super) const fn sum_of_bytes(word: u64) -> u64 {
    sum_of_pairs(pairs(word))
}

/// Looks at the front of a stream. `longest_body` is the largest BodyLength to wait for.
#[inline(always)]
pub fn frame(bytes: &[u8], longest_body: usize) -> Frame<'_> {
    match head(bytes, longest_body) {
        Ok(Some(head)) => match verify(bytes, &head) {
            Ok(message) => message.map_or(Frame::Incomplete, Frame::Message),
            Err((cause, reach)) => garbled(bytes, cause, reach),
        },
        Ok(None) => Frame::Incomplete,
        Err(cause) => garbled(bytes, cause, 1),
    }
}

/// The first two fields.
struct Head {
    /// Where BeginString's value ends.
    begin_string: usize,
    /// Where the body begins and ends.
    body: (usize, usize),
}

/// As [`head`], for what nearly every message begins with: `8=FIX.4.4|9=207|`. `None`: use the general way.
#[inline(always)]
fn usual_head(bytes: &[u8], longest_body: usize) -> Option<Head> {
    const LENGTH: usize = 12;
    let begin = u64::from_le_bytes(*b"8=FIX.4.");
    let word = load(bytes, LENGTH)?;
    let [minor, rest @ ..] = load(bytes, 8)?.to_le_bytes();
    if load(bytes, 0)? != begin || !minor.is_ascii_digit() || rest.first_chunk() != Some(b"\x019=")
    {
        return None;
    }
    // Most have three digits.
    let (length, digits) = match (word as u32 ^ 0x0130_3030).to_le_bytes() {
        [a @ 0..10, b @ 0..10, c @ 0..10, 0] => (
            usize::from(a) * 100 + usize::from(b) * 10 + usize::from(c),
            3,
        ),
        _ => {
            let digits = position(word, SOH);
            (number(word, digits.clamp(1, 7))? as usize, digits)
        }
    };
    if !matches!(digits, 1..8) {
        return None;
    }
    let start = LENGTH + digits + 1;
    (length <= longest_body).then_some(Head {
        begin_string: LENGTH - 3,
        body: (start, start + length),
    })
}

/// `None`: more bytes are needed.
#[inline(always)]
fn head(bytes: &[u8], longest_body: usize) -> Result<Option<Head>, Cause> {
    match usual_head(bytes, longest_body) {
        Some(head) => Ok(Some(head)),
        None => any_head(bytes, longest_body),
    }
}

/// `None`: more bytes are needed.
#[inline(never)]
fn any_head(bytes: &[u8], longest_body: usize) -> Result<Option<Head>, Cause> {
    let Some(rest) = bytes.strip_prefix(START) else {
        return if START.starts_with(bytes) {
            Ok(None)
        } else {
            Err(Cause::NoBeginString)
        };
    };
    let end = rest
        .iter()
        .take(LONGEST_BEGIN_STRING)
        .position(|byte| matches!(byte, &SOH | b'='));
    let end = match end.map(|end| (end, rest.get(end))) {
        Some((end, Some(&SOH))) => end,
        None if rest.len() < LONGEST_BEGIN_STRING => return Ok(None),
        // The `=` is that of another `8=FIX`.
        _ => return Err(Cause::BeginString),
    };
    let begin_string = START.len() + end;
    let mut at = begin_string + 1;
    for expected in b"9=" {
        match bytes.get(at) {
            Some(byte) if byte == expected => at += 1,
            Some(_) => return Err(Cause::BodyLength),
            None => return Ok(None),
        }
    }
    let (mut length, mut digits) = (0_usize, 0);
    loop {
        match bytes.get(at) {
            Some(byte @ b'0'..=b'9') => length = length * 10 + usize::from(byte - b'0'),
            Some(&SOH) if digits > 0 => break,
            Some(_) => return Err(Cause::BodyLength),
            None => return Ok(None),
        }
        at += 1;
        digits += 1;
        // Leading zeros are allowed, up to a limit.
        if digits > 9 {
            return Err(Cause::BodyLength);
        }
    }
    if length > longest_body {
        return Err(Cause::TooLong);
    }
    Ok(Some(Head {
        begin_string,
        body: (at + 1, at + 1 + length),
    }))
}

/// `None`: more bytes are needed. An error comes with how far the message reaches.
#[inline(always)]
fn verify<'a>(bytes: &'a [u8], head: &Head) -> Result<Option<Message<'a>>, (Cause, usize)> {
    let (start, end) = head.body;
    let Some(bytes) = bytes.get(..end + TRAILER) else {
        return Ok(None);
    };
    let (covered, trailer) = bytes.split_at(end);
    let [hundreds, tens, units] = three_digits(u32::from(checksum(covered)));
    let expected = [SOH, b'1', b'0', b'=', hundreds, tens, units, SOH];
    if bytes.last_chunk() != Some(&expected) {
        let found =
            covered.last() == Some(&SOH) && matches!(trailer, [b'1', b'0', b'=', _, _, _, SOH]);
        return Err(if found {
            (Cause::CheckSum, bytes.len())
        } else {
            (Cause::NoCheckSum, end)
        });
    }
    let value = start + 3;
    if covered.get(start..value) != Some(b"35=") {
        return Err((Cause::MsgType, bytes.len()));
    }
    // It ends within the body: the last byte of that is a separator. Most have one character.
    let rest = covered.get(value..).unwrap_or_default();
    let length = match rest {
        [character, SOH, ..] if *character != SOH => 1,
        _ => rest.iter().position(|byte| *byte == SOH).unwrap_or(0),
    };
    if length == 0 {
        return Err((Cause::MsgType, bytes.len()));
    }
    Ok(Some(Message {
        bytes,
        begin_string: head.begin_string,
        msg_type: (value, value + length),
    }))
}

/// Everything up to the next `8=FIX` at or after `reach`, or what may become one.
#[cold]
fn garbled(bytes: &[u8], cause: Cause, reach: usize) -> Frame<'_> {
    let reach = reach.clamp(1, bytes.len().max(1));
    let rest = bytes.get(reach..).unwrap_or_default();
    let skipped = (0..rest.len())
        .find(|&at| {
            let tail = &rest[at..];
            tail.starts_with(START) || START.starts_with(tail)
        })
        .unwrap_or(rest.len());
    Frame::Garbled {
        cause,
        length: reach + skipped,
    }
}
