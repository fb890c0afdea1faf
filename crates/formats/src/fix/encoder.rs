//! Messages into the caller's buffer: field by field, BodyLength and CheckSum at the end.
//!
//! A field that is surely short is written into a room of fixed size, so that one check of the buffer's length covers all of it and
//! copies need no call; a number's digits are computed in one word. CheckSum is added up from the words as they are written: reading
//! them back from the buffer would wait for all the writes.

use super::field::word;
use super::frame::sum_of_bytes;
use super::timestamp::{Clock, SECOND};
use super::{SOH, checksum};
use thiserror::Error;

/// The buffer has no room for the message and [`SLACK`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the buffer is too small for the message")]
pub struct TooSmall;

/// Writes a message to the front of a buffer, which must be [`SLACK`] longer. BodyLength is given the place of three digits: a body of fewer than 100 bytes or more
/// than 999 is moved once it is known.
#[derive(Debug)]
pub struct Encoder<'b> {
    buffer: &'b mut [u8],
    /// Where the next field begins; [`FULL`]: what is in the buffer is unusable.
    at: usize,
    /// Where the body begins.
    body: usize,
    /// The sum of all bytes so far, without BodyLength's digits.
    sum: u64,
}

/// No buffer has a byte there.
const FULL: usize = usize::MAX;
/// Digits that BodyLength is given at first.
const LENGTH_DIGITS: usize = 3;
/// How much longer than its message a buffer must be, in bytes: a short field is written into that much room, whatever it needs.
pub const SLACK: usize = 40;
/// Room for a short field: its separator, tag, `=`, and a number, a time or a text of at most [`SHORT_TEXT`] bytes.
const SHORT: usize = SLACK;
/// The longest text that is written into such a room.
const SHORT_TEXT: usize = 16;
/// One more than what eight digits can write.
const EIGHT_DIGITS: u64 = 100_000_000;
/// Eight times `0`.
pub(super) const ZEROS: u64 = u64::from_le_bytes(*b"00000000");

/// How many digits a number has; 1 for 0.
#[inline(always)]
const fn digits(value: u64) -> usize {
    match value.checked_ilog10() {
        Some(log) => log as usize + 1,
        None => 1,
    }
}

/// The eight digits of a number below 100,000,000, the first in the lowest byte.
#[inline(always)]
pub(super) const fn split(value: u64) -> u64 {
    // Halves of four digits, pairs of two, then digits: all of a step at once. The factors are the reciprocals of 100 and of 10,
    // exact for dividends of four digits and of two.
    let halves = (value / 10_000) | ((value % 10_000) << 32);
    let hundreds = (halves * 10_486) >> 20 & 0x0000_007f_0000_007f;
    let pairs = hundreds | (halves - 100 * hundreds) << 16;
    let tens = (pairs * 103) >> 10 & 0x000f_000f_000f_000f;
    tens | (pairs - 10 * tens) << 8
}

/// Fills `place` with the last digits of `value`, with leading zeros; returns what is left of it.
#[inline(always)]
fn fill(place: &mut [u8], mut value: u64) -> u64 {
    for digit in place.iter_mut().rev() {
        *digit = b'0' + (value % 10) as u8;
        value /= 10;
    }
    value
}

/// Writes bytes at a place.
#[inline(always)]
fn put<const W: usize>(room: &mut [u8; SHORT], at: usize, bytes: &[u8; W]) {
    // No field is longer than its room. The mask makes that known to the compiler, which needs no other check then.
    debug_assert!(at < 32 && at + W <= SHORT);
    if let Some(place) = room.get_mut(at & 31..).and_then(<[u8]>::first_chunk_mut) {
        *place = *bytes;
    }
}

/// What was written into a room.
#[derive(Clone, Copy)]
struct Written {
    /// Where it ends.
    end: usize,
    /// The sum of its bytes.
    sum: u64,
}

/// Writes a text of at most [`SHORT_TEXT`] bytes, in two words that may overlap: a call would cost more than the copy.
#[inline(always)]
fn put_text(room: &mut [u8; SHORT], at: usize, text: &[u8]) -> Written {
    let sum = match (text.first_chunk(), text.last_chunk()) {
        (Some(first), Some(last)) => {
            put(room, at, first);
            put(room, at + text.len() - 8, last);
            // Of the second word only what the first has not.
            let beyond = 8 * (16 - text.len() as u32);
            let last = u64::from_le_bytes(*last).checked_shr(beyond).unwrap_or(0);
            sum_of_bytes(u64::from_le_bytes(*first)) + sum_of_bytes(last)
        }
        _ => {
            let word = word(text).unwrap_or(0);
            put(room, at, &word.to_le_bytes());
            sum_of_bytes(word)
        }
    };
    let end = at + text.len();
    Written { end, sum }
}

/// Writes a number of at most eight digits, of which the last `scale`, at most seven, are after the point.
#[inline(always)]
fn put_decimal(room: &mut [u8; SHORT], at: usize, value: u64, scale: usize) -> Written {
    let digits = split(value);
    // The bit ends the leading zeros: there is a digit before the point.
    let zeros = (digits | 1 << (8 * (7 - scale))).trailing_zeros() as usize / 8;
    let count = 8 - zeros;
    let text = (digits | ZEROS) >> (8 * zeros);
    put(room, at, &text.to_le_bytes());
    let (mut end, mut sum) = (at + count, sum_of_digits(digits, count));
    if scale > 0 {
        let point = count - scale;
        put(room, at + point, b".");
        let after = text >> ((8 * point) & 63);
        put(room, at + point + 1, &after.to_le_bytes());
        end += 1;
        sum += u64::from(b'.');
    }
    Written { end, sum }
}

/// Writes a time, its fraction in nanoseconds.
#[inline(always)]
fn put_time(room: &mut [u8; SHORT], at: usize, clock: &Clock, nanoseconds: u32) -> Written {
    put(room, at, &clock.date);
    put(room, at + 8, b"-");
    put(room, at + 9, &clock.time);
    put(room, at + 17, b".");
    let fraction = three_digits(nanoseconds / 1_000_000);
    put(room, at + 18, &fraction);
    Written {
        end: at + 21,
        sum: clock.sum + sum_of(b"-.") + sum_of(&fraction),
    }
}

/// The sum of `count` digits as characters, of digits of which all others are 0.
#[inline(always)]
pub(super) const fn sum_of_digits(digits: u64, count: usize) -> u64 {
    // At most 8 times 10: no carry reaches the highest byte.
    (digits.wrapping_mul(0x0101_0101_0101_0101) >> 56) + count as u64 * b'0' as u64
}

/// The sum of bytes that the compiler knows.
#[inline(always)]
fn sum_of<const N: usize>(bytes: &[u8; N]) -> u64 {
    bytes.iter().map(|byte| u64::from(*byte)).sum()
}

// What appends to the buffer out of line takes its parts and gives the next place and the sum: an encoder that is never borrowed stays in
// registers, where a place in memory would add its latency to every field.

/// Appends bytes.
#[inline(never)]
fn append(buffer: &mut [u8], at: usize, bytes: &[u8]) -> (usize, u64) {
    let end = at.saturating_add(bytes.len());
    match buffer.get_mut(at..end) {
        Some(place) => {
            place.copy_from_slice(bytes);
            (end, u64::from(checksum(bytes)))
        }
        None => (FULL, 0),
    }
}

/// Appends a number of any length.
#[inline(never)]
fn append_number(buffer: &mut [u8], at: usize, value: u64) -> (usize, u64) {
    let mut text = [0; 20];
    fill(&mut text, value);
    let unused = text.len() - digits(value);
    append(buffer, at, text.get(unused..).unwrap_or_default())
}

/// Appends a number of any length, of which the last `scale` digits, at most 19, are after the point.
#[inline(never)]
fn append_decimal(buffer: &mut [u8], at: usize, value: u64, scale: usize) -> (usize, u64) {
    if scale == 0 {
        return append_number(buffer, at, value);
    }
    let mut text = [0; 21];
    let (front, fraction) = text.split_at_mut(21 - scale.min(19));
    let integer = fill(fraction, value);
    let unused = front.len() - 1 - digits(integer);
    if let [place @ .., point] = front {
        *point = b'.';
        fill(place, integer);
    }
    append(buffer, at, text.get(unused..).unwrap_or_default())
}

/// Writes a BodyLength that does not have three digits, and moves the body for it; returns where that ends then, and the sum of the
/// digits.
#[cold]
#[inline(never)]
fn odd_length(buffer: &mut [u8], body: usize, end: usize, length: usize) -> (usize, u64) {
    let width = digits(length as u64);
    let moved = body + width - LENGTH_DIGITS;
    let moved_end = moved + (end - body);
    if moved_end > buffer.len() {
        return (FULL, 0);
    }
    buffer.copy_within(body..end, moved);
    let Some([place @ .., separator]) = buffer.get_mut(moved - 1 - width..moved) else {
        return (FULL, 0);
    };
    *separator = SOH;
    fill(place, length as u64);
    (moved_end, u64::from(checksum(place)))
}

/// A number below 1,000 with leading zeros.
#[inline(always)]
pub(super) const fn three_digits(value: u32) -> [u8; 3] {
    // The reciprocals of 100 and 10, exact for dividends of three digits and of two.
    let hundreds = (value * 41) >> 12;
    let rest = value - 100 * hundreds;
    let tens = (rest * 103) >> 10;
    let units = rest - 10 * tens;
    [b'0' + hundreds as u8, b'0' + tens as u8, b'0' + units as u8]
}

impl<'b> Encoder<'b> {
    /// Begins a message: BeginString, the place of BodyLength, MsgType.
    #[inline(always)]
    pub fn new(buffer: &'b mut [u8], begin_string: &[u8], msg_type: &[u8]) -> Self {
        let mut encoder = Encoder {
            buffer,
            at: 0,
            body: 0,
            sum: 0,
        };
        encoder.text(b"8=", begin_string);
        encoder.array(b"\x019=000\x01");
        // These zeros are overwritten later.
        encoder.sum -= LENGTH_DIGITS as u64 * u64::from(b'0');
        encoder.body = encoder.at;
        encoder.text(b"35=", msg_type);
        encoder
    }

    /// Appends a field. `tag` is its tag as text; a value that is empty or contains a separator is the caller's mistake: the other
    /// side will refuse the message.
    #[inline]
    pub fn field<'a>(&mut self, tag: u32, value: &impl super::Value<'a>) {
        self.array(&[SOH]);
        self.number(b"", u64::from(tag));
        value.write(b"=", self);
    }

    /// Appends fields as they were read: `34=2|49=TW|`.
    #[inline]
    pub fn fields(&mut self, fields: &[u8]) {
        if let [fields @ .., SOH] = fields {
            self.array(&[SOH]);
            self.bytes(fields);
        }
    }

    /// Appends bytes of a length known to the compiler.
    #[inline(always)]
    pub(super) fn array<const N: usize>(&mut self, bytes: &[u8; N]) {
        let room = self.buffer.get_mut(self.at..);
        self.at = match room.and_then(<[u8]>::first_chunk_mut) {
            Some(room) => {
                *room = *bytes;
                self.at + N
            }
            None => FULL,
        };
        self.sum += sum_of(bytes);
    }

    /// Appends bytes.
    #[inline(always)]
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        let appended = append(self.buffer, self.at, bytes);
        self.appended(appended);
    }

    /// Takes note of the next place and the sum of what was appended.
    #[inline(always)]
    fn appended(&mut self, (at, sum): (usize, u64)) {
        self.at = at;
        self.sum += sum;
    }

    /// Room for a short field, in which its prefix is written.
    #[inline(always)]
    fn room<const P: usize>(&mut self, prefix: &[u8; P]) -> Option<&mut [u8; SHORT]> {
        let room = self.buffer.get_mut(self.at..);
        let Some(room) = room.and_then(<[u8]>::first_chunk_mut) else {
            self.at = FULL;
            return None;
        };
        self.sum += sum_of(prefix);
        put(room, 0, prefix);
        Some(room)
    }

    /// Takes note of what was written into a room.
    #[inline(always)]
    fn written(&mut self, written: Written) {
        self.at += written.end;
        self.sum += written.sum;
    }

    /// Appends a prefix and a value of a length known to the compiler.
    #[inline(always)]
    pub(super) fn constant<const P: usize, const N: usize>(
        &mut self,
        prefix: &[u8; P],
        value: &[u8; N],
    ) {
        if let Some(room) = self.room(prefix) {
            put(room, P, value);
            let sum = sum_of(value);
            self.written(Written { end: P + N, sum });
        }
    }

    /// Appends a prefix and a text.
    #[inline(always)]
    pub(super) fn text<const P: usize>(&mut self, prefix: &[u8; P], text: &[u8]) {
        if text.len() > SHORT_TEXT {
            self.array(prefix);
            self.bytes(text);
        } else if let Some(room) = self.room(prefix) {
            let written = put_text(room, P, text);
            self.written(written);
        }
    }

    /// Appends a prefix and a number.
    #[inline(always)]
    pub(super) fn number<const P: usize>(&mut self, prefix: &[u8; P], value: u64) {
        if value >= EIGHT_DIGITS {
            self.array(prefix);
            let appended = append_number(self.buffer, self.at, value);
            self.appended(appended);
        } else if let Some(room) = self.room(prefix) {
            let written = put_decimal(room, P, value, 0);
            self.written(written);
        }
    }

    /// Appends a prefix and a number of which the last `scale` digits are after the point.
    #[inline(always)]
    pub(super) fn decimal<const P: usize>(&mut self, prefix: &[u8; P], value: i64, scale: usize) {
        let magnitude = value.unsigned_abs();
        if value < 0 || magnitude >= EIGHT_DIGITS || scale > 7 {
            self.array(prefix);
            if value < 0 {
                self.array(b"-");
            }
            let appended = append_decimal(self.buffer, self.at, magnitude, scale);
            self.appended(appended);
        } else if let Some(room) = self.room(prefix) {
            let written = put_decimal(room, P, magnitude, scale);
            self.written(written);
        }
    }

    /// Appends a prefix and a time in nanoseconds since 1970, rounded down to milliseconds.
    #[inline(always)]
    pub(super) fn time<const P: usize>(&mut self, prefix: &[u8; P], nanoseconds: u64) {
        let clock = Clock::of(nanoseconds / SECOND);
        if let Some(room) = self.room(prefix) {
            let written = put_time(room, P, &clock, (nanoseconds % SECOND) as u32);
            self.written(written);
        }
    }

    /// Ends the message: patches BodyLength, appends CheckSum, returns the total length, in bytes.
    ///
    /// # Errors
    /// The buffer is too small; what it holds then is no message.
    #[inline(always)]
    pub fn finish(mut self) -> Result<usize, TooSmall> {
        if self.at == FULL {
            return Err(TooSmall);
        }
        // The separator after the last field is a part of the body.
        let length = self.at + 1 - self.body;
        match self.buffer.get_mut(self.body - 4..self.body - 1) {
            Some(place) if matches!(length, 100..1_000) => {
                let digits = three_digits(length as u32);
                place.copy_from_slice(&digits);
                self.sum += sum_of(&digits);
            }
            _ => {
                let appended = odd_length(self.buffer, self.body, self.at, length);
                self.appended(appended);
            }
        }
        let sum = self.sum as u8;
        let [hundreds, tens, units] = three_digits(u32::from(sum.wrapping_add(SOH)));
        self.array(&[SOH, b'1', b'0', b'=', hundreds, tens, units, SOH]);
        if self.at == FULL {
            return Err(TooSmall);
        }
        Ok(self.at)
    }
}
