//! Messages into the caller's buffer: field by field, BodyLength and CheckSum at the end.

use super::{SOH, checksum};
use thiserror::Error;

/// The buffer has no room for the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the buffer is too small for the message")]
pub struct TooSmall;

/// Writes a message to the front of a buffer. BodyLength is given the place of three digits: a body of fewer than 100 bytes or more
/// than 999 is moved once it is known.
#[derive(Debug)]
pub struct Encoder<'b> {
    buffer: &'b mut [u8],
    at: usize,
    /// Where the body begins.
    body: usize,
    /// Once set, what is in the buffer is of no use.
    full: bool,
}

/// Digits that BodyLength is given at first.
const LENGTH_DIGITS: usize = 3;

/// All numbers of two digits.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut value = 0;
    while value < 100 {
        pairs[value] = [b'0' + value as u8 / 10, b'0' + value as u8 % 10];
        value += 1;
    }
    pairs
};

/// How many digits a number has; 1 for 0.
#[inline(always)]
const fn digits(value: u64) -> usize {
    match value.checked_ilog10() {
        Some(log) => log as usize + 1,
        None => 1,
    }
}

/// Fills `place` with the last digits of `value`, zeros in front; gives what is left of it.
#[inline(always)]
fn fill(place: &mut [u8], mut value: u64) -> u64 {
    let mut pairs = place.rchunks_exact_mut(2);
    for pair in &mut pairs {
        pair.copy_from_slice(&PAIRS[(value % 100) as usize]);
        value /= 100;
    }
    if let [digit] = pairs.into_remainder() {
        *digit = b'0' + (value % 10) as u8;
        value /= 10;
    }
    value
}

/// Copies short texts in two words that overlap, where a call would cost more than the copy.
#[inline(always)]
fn copy(place: &mut [u8], bytes: &[u8]) {
    #[inline(always)]
    fn ends<const N: usize>(place: &mut [u8], bytes: &[u8]) {
        if let (Some(first), Some(last)) = (bytes.first_chunk::<N>(), bytes.last_chunk::<N>()) {
            if let Some(place) = place.first_chunk_mut() {
                *place = *first;
            }
            if let Some(place) = place.last_chunk_mut() {
                *place = *last;
            }
        }
    }
    match bytes.len() {
        1 => ends::<1>(place, bytes),
        2..=3 => ends::<2>(place, bytes),
        4..=7 => ends::<4>(place, bytes),
        8..=16 => ends::<8>(place, bytes),
        17..=32 => ends::<16>(place, bytes),
        _ => place.copy_from_slice(bytes),
    }
}

impl<'b> Encoder<'b> {
    /// Begins a message: BeginString, the place of BodyLength, MsgType.
    #[inline(always)]
    pub fn new(buffer: &'b mut [u8], begin_string: &[u8], msg_type: &[u8]) -> Self {
        let mut encoder = Encoder {
            buffer,
            at: 0,
            body: 0,
            full: false,
        };
        encoder.array(b"8=");
        encoder.bytes(begin_string);
        encoder.array(b"\x019=000\x01");
        encoder.body = encoder.at;
        encoder.array(b"35=");
        encoder.bytes(msg_type);
        encoder
    }

    /// Appends a field. `tag` is its tag as text; a value that is empty or contains a separator is the caller's mistake: the other
    /// side will refuse the message.
    #[inline]
    pub fn field<'a>(&mut self, tag: u32, value: &impl super::Value<'a>) {
        self.array(&[SOH]);
        self.number(u64::from(tag));
        self.array(b"=");
        value.write(self);
    }

    /// Appends fields as they were read: `34=2|49=TW|`.
    #[inline]
    pub fn fields(&mut self, fields: &[u8]) {
        if let [fields @ .., SOH] = fields {
            self.array(&[SOH]);
            self.bytes(fields);
        }
    }

    /// The next `length` bytes of the buffer.
    #[inline(always)]
    fn reserve(&mut self, length: usize) -> Option<&mut [u8]> {
        let end = self.at.saturating_add(length);
        match self.buffer.get_mut(self.at..end) {
            Some(place) => {
                self.at = end;
                Some(place)
            }
            None => {
                self.full = true;
                None
            }
        }
    }

    /// Appends bytes of a length known to the compiler.
    #[inline(always)]
    pub(super) fn array<const N: usize>(&mut self, bytes: &[u8; N]) {
        if let Some(place) = self.reserve(N) {
            place.copy_from_slice(bytes);
        }
    }

    /// Appends bytes.
    #[inline(always)]
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        if let Some(place) = self.reserve(bytes.len()) {
            copy(place, bytes);
        }
    }

    /// Appends a number.
    #[inline(always)]
    pub(super) fn number(&mut self, value: u64) {
        if let Some(place) = self.reserve(digits(value)) {
            fill(place, value);
        }
    }

    /// Appends a number of which the last `scale` digits are behind the point.
    #[inline(always)]
    pub(super) fn decimal(&mut self, value: u64, scale: usize) {
        if scale == 0 {
            return self.number(value);
        }
        let whole = digits(value).saturating_sub(scale).max(1);
        if let Some(place) = self.reserve(whole + 1 + scale) {
            let (front, fraction) = place.split_at_mut(whole + 1);
            let value = fill(fraction, value);
            if let [whole @ .., point] = front {
                *point = b'.';
                fill(whole, value);
            }
        }
    }

    /// Ends the message: patches BodyLength, appends CheckSum, gives the length of it all, in bytes.
    ///
    /// # Errors
    /// The buffer is too small.
    #[inline(always)]
    pub fn finish(mut self) -> Result<usize, TooSmall> {
        self.array(&[SOH]);
        if self.full {
            return Err(TooSmall);
        }
        let length = self.at - self.body;
        let width = digits(length as u64);
        if width != LENGTH_DIGITS {
            self.make_room(width)?;
        }
        if let Some(place) = self.buffer.get_mut(self.body - 1 - width..self.body - 1) {
            fill(place, length as u64);
        }
        let sum = checksum(self.buffer.get(..self.at).unwrap_or_default());
        self.array(b"10=000\x01");
        if let Some(place) = self
            .buffer
            .get_mut(self.at.saturating_sub(4)..self.at.saturating_sub(1))
        {
            fill(place, u64::from(sum));
        }
        if self.full {
            Err(TooSmall)
        } else {
            Ok(self.at)
        }
    }

    /// Moves the body so that BodyLength has `width` digits in front of it.
    #[cold]
    fn make_room(&mut self, width: usize) -> Result<(), TooSmall> {
        let body = self.body + width - LENGTH_DIGITS;
        let end = body + (self.at - self.body);
        if end > self.buffer.len() {
            return Err(TooSmall);
        }
        self.buffer.copy_within(self.body..self.at, body);
        if let Some(separator) = self.buffer.get_mut(body - 1) {
            *separator = SOH;
        }
        (self.body, self.at) = (body, end);
        Ok(())
    }
}
