//! Fields of a message, without copies.
//!
//! Separators are found 64 bytes at a time, so that finding a field does not wait for the one before it to be read. A tag
//! of at most seven digits and its `=` are read as one number of eight bytes, and so is a short value: the separator and the seven
//! bytes of the trailer after the last field are what makes such a load always possible.

use std::num::NonZeroU64;

use super::encoder::ZEROS;
use super::frame::TRAILER;
use super::{Reason, Refusal, SOH, Value};
use thiserror::Error;
use wide::u8x16;

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The eight bytes from `at`, the first in the lowest.
#[inline(always)]
pub(super) fn load(bytes: &[u8], at: usize) -> Option<u64> {
    bytes
        .get(at..)?
        .first_chunk()
        .map(|b| u64::from_le_bytes(*b))
}

/// Where the first byte equal to `byte` is in eight: 8 if nowhere.
#[inline(always)]
pub(super) const fn position(word: u64, byte: u8) -> usize {
    let difference = word ^ (ONES * byte as u64);
    let zero = difference.wrapping_sub(ONES) & !difference & HIGH;
    zero.trailing_zeros() as usize / 8
}

/// Bytes whose separators are found at once.
const BLOCK: usize = 64;

/// A bit for each separator of a block, the first byte's the lowest.
#[inline(always)]
fn separators(block: &[u8; BLOCK]) -> u64 {
    let (parts, _) = block.as_chunks::<16>();
    let parts = parts.iter().enumerate().map(|(k, part)| {
        let equal = u8x16::new(*part).simd_eq(u8x16::splat(SOH));
        u64::from(equal.to_bitmask() as u16) << (16 * k)
    });
    parts.fold(0, |found, part| found | part)
}

/// The separators of the first 64 bytes of `rest`, the end of `bytes`; there are none after the end.
#[inline(always)]
fn separators_from(bytes: &[u8], rest: &[u8]) -> u64 {
    let (block, beyond) = match (rest.first_chunk(), bytes.last_chunk()) {
        (Some(block), _) => (block, 0),
        (None, Some(block)) => (block, BLOCK - rest.len()),
        (None, None) => return separators_of_few(rest),
    };
    separators(block) >> (beyond & 63)
}

/// The separators of fewer than 64 bytes.
#[inline(never)]
fn separators_of_few(bytes: &[u8]) -> u64 {
    let bit = |(at, byte): (usize, &u8)| u64::from(*byte == SOH) << at;
    bytes.iter().enumerate().map(bit).sum()
}

/// Up to eight characters, the first in the lowest byte, then 0.
#[inline(always)]
pub(super) fn word(text: &[u8]) -> Option<u64> {
    // Two words that overlap: no text is read beyond its end.
    if let (Some(first), Some(last)) = (text.first_chunk::<4>(), text.last_chunk::<4>()) {
        let shift = 8 * text.len().checked_sub(4).filter(|beyond| *beyond <= 4)? as u32;
        return Some(
            u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << shift,
        );
    }
    Some(match *text {
        [a] => u64::from(a),
        [a, b] => u64::from(u16::from_le_bytes([a, b])),
        [a, b, c] => u64::from(u32::from_le_bytes([a, b, c, 0])),
        _ => 0,
    })
}

/// The highest bit of each of eight bytes that is more than 9, right up to the first one; 0 if there is none.
#[inline(always)]
pub(super) const fn not_digits(word: u64) -> u64 {
    (word | word.wrapping_add(0x7676_7676_7676_7676)) & HIGH
}

/// The number that eight digits make.
#[inline(always)]
pub(super) const fn join(digits: u64) -> u64 {
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let low = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
    let high = ((pairs >> 16) & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
    low.wrapping_add(high) >> 32
}

/// The number that the first `count` (1 to 8) of eight characters make; `None` if they are not all digits.
#[inline(always)]
pub(super) const fn number(word: u64, count: usize) -> Option<u64> {
    // Right-aligned, with leading zeros.
    let digits = (word ^ ZEROS) << ((64 - 8 * count as u32) & 63);
    if not_digits(digits) == 0 {
        Some(join(digits))
    } else {
        None
    }
}

/// The tag at the front of eight characters, and how many of them it takes with its `=`; tag 0 if there is none.
#[inline(always)]
fn tag(word: u64) -> (u32, usize) {
    // Most tags have one to three digits, and those of a peer's messages come in an order that the processor learns. A digit is below
    // 16 here, also once 6 is added; `=` is 13.
    let digits = word as u32 ^ ZEROS as u32;
    let beyond = (digits | digits.wrapping_add(0x0606_0606)) & 0xf0f0_f0f0;
    if digits >> 16 & 0xff == 13 {
        let tag = (digits & 0xff) * 10 + (digits >> 8 & 0xff);
        if beyond & 0xffff == 0 && tag > 9 {
            return (tag, 3);
        }
    } else if digits >> 24 == 13 {
        let tag = (digits & 0xff) * 100 + (digits >> 8 & 0xff) * 10 + (digits >> 16 & 0xff);
        if beyond & 0x00ff_ffff == 0 && tag > 99 {
            return (tag, 4);
        }
    } else if digits >> 8 & 0xff == 13 && beyond & 0xff == 0 {
        return (digits & 0xff, 2);
    }
    long_tag(word)
}

/// As `tag`, of any length.
#[cold]
#[inline(never)]
fn long_tag(word: u64) -> (u32, usize) {
    let digits = position(word, b'=');
    // None if there is no `=`, or another character before it.
    match number(word, digits.clamp(1, 7)) {
        Some(tag) if (1..8).contains(&digits) && word as u8 != b'0' => (tag as u32, digits + 1),
        _ => (0, 0),
    }
}

/// A field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field<'a> {
    /// Its tag: 1 to 9,999,999.
    pub tag: u32,
    /// Its value, which may be empty: `58=|`.
    pub value: &'a [u8],
}

/// What is between two separators and is no field: no tag, one that is no number or begins with 0, or a data field that runs past
/// the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("no field at byte {at}")]
pub struct MalformedField {
    /// Where it begins in the message.
    pub at: usize,
}

impl From<MalformedField> for Refusal {
    fn from(_: MalformedField) -> Self {
        Refusal {
            tag: 0,
            reason: Reason::InvalidTag,
        }
    }
}

/// The data field whose length a field gives: the one value that may contain separators (volume 1, data type `data`).
#[inline(always)]
const fn data_of(length: u32) -> Option<u32> {
    match length {
        90 => Some(91),
        93 => Some(89),
        95 => Some(96),
        212 => Some(213),
        348 | 350 | 352 | 354 | 356 | 358 | 360 | 362 | 364 | 445 | 618 | 621 => Some(length + 1),
        _ => None,
    }
}

/// Whether a field gives the length of a data field: a bit a tag.
const TELLS_LENGTH: [u64; 10] = {
    let mut bits = [0; 10];
    let mut tag = 0;
    while tag < 640 {
        if data_of(tag).is_some() {
            bits[tag as usize / 64] |= 1 << (tag % 64);
        }
        tag += 1;
    }
    bits
};

#[inline(always)]
fn tells_length(tag: u32) -> bool {
    // The first is 90.
    tag >= 90 && {
        let bits = TELLS_LENGTH.get(tag as usize / 64).copied().unwrap_or(0);
        bits >> (tag % 64) & 1 != 0
    }
}

/// The fields of a message, in order. What is malformed is reported, and the next field follows.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a> {
    bytes: &'a [u8],
    /// From the next field on. The trailer is left when it has seven bytes, too few for a word.
    rest: &'a [u8],
    /// A bit for each separator of the first bytes of `rest`, 64 at most; 0: look for them.
    separators: u64,
    data: Data,
}

/// A data field after a length.
#[derive(Clone, Copy, Debug)]
struct Data {
    /// How many bytes of the message are left from it on; 0: there is none.
    rest: usize,
    /// Where its separator is; `None`: the length is wrong.
    stop: Option<usize>,
}

/// A value within its message: what follows may be read with it, so that complete words are read even if it is shorter.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    /// The message from the value on.
    from: &'a [u8],
    length: usize,
}

impl<'a> Text<'a> {
    /// The value.
    #[inline(always)]
    pub fn value(&self) -> &'a [u8] {
        match self.from.get(..self.length) {
            Some(value) => value,
            None => nothing(),
        }
    }

    /// Its length, in bytes.
    #[inline(always)]
    pub(super) const fn len(&self) -> usize {
        self.length
    }

    /// The first `N` bytes from it on, whether or not it has so many.
    #[inline(always)]
    pub(super) fn chunk<const N: usize>(&self) -> Option<&'a [u8; N]> {
        self.from.first_chunk()
    }
}

/// The field at the front.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lookahead<'a> {
    /// 0: it is malformed.
    pub tag: u32,
    pub text: Text<'a>,
    /// Where its separator is.
    stop: usize,
}

impl<'a> Fields<'a> {
    /// Those of a message from a place on.
    #[inline(always)]
    pub(super) fn within(bytes: &'a [u8], at: usize) -> Self {
        Fields {
            bytes,
            rest: bytes.get(at..).unwrap_or_default(),
            separators: 0,
            data: Data {
                rest: 0,
                stop: None,
            },
        }
    }

    /// Where the next one begins in the message.
    pub(super) const fn at(&self) -> usize {
        self.bytes.len() - self.rest.len()
    }

    /// The field at the front; does not go on. `None` at the end.
    #[inline(always)]
    pub(super) fn front(&mut self) -> Option<Lookahead<'a>> {
        let word = u64::from_le_bytes(*self.rest.first_chunk()?);
        let (mut tag, length) = tag(word);
        if self.separators == 0 && self.data.rest != self.rest.len() {
            self.separators = separators_from(self.bytes, self.rest);
        }
        let stop = match NonZeroU64::new(self.separators) {
            Some(separators) => separators.trailing_zeros() as usize,
            None => {
                let ahead = look_ahead(self.bytes, self.rest, self.data);
                self.separators = ahead.separators;
                if ahead.malformed {
                    tag = 0;
                }
                ahead.stop
            }
        };
        let text = Text {
            from: self.rest.get(length..)?,
            length: stop.wrapping_sub(length),
        };
        Some(Lookahead { tag, text, stop })
    }

    /// Goes on after the field at the front, which gives no length.
    #[inline(always)]
    pub(super) fn pass(&mut self, front: &Lookahead<'a>) {
        self.rest = match self.rest.get(front.stop + 1..) {
            Some(rest) => rest,
            None => nothing(),
        };
        // No separator of a block is beyond it.
        self.separators = self.separators >> (front.stop & 63) >> 1;
    }

    /// After [`Fields::pass`] of a field: looks at the data field whose length it may give. If the compiler knows the tag, it knows
    /// whether there is anything to do.
    #[inline(always)]
    pub(super) fn announce(&mut self, tag: u32, front: &Lookahead<'a>) {
        if tells_length(tag) {
            *self = data_follows(*self, tag, front.text.value());
        }
    }

    /// The tag of the next field, without going on; `None` at the end or where it is malformed.
    #[inline(always)]
    pub fn peek(&mut self) -> Option<u32> {
        let front = self.front()?;
        (front.tag != 0).then_some(front.tag)
    }
}

/// What is after the end of a message: never seen; a call, so that the others do not pay for it.
#[cold]
#[inline(never)]
const fn nothing<'a>() -> &'a [u8] {
    &[]
}

/// What [`look_ahead`] finds.
struct Ahead {
    /// The separators of the next bytes.
    separators: u64,
    /// Where the separator is that ends the field at the front.
    stop: usize,
    /// Whether that field is invalid, because of a wrong length.
    malformed: bool,
}

/// Looks for separators near the end of a message, in fields longer than a block, and after a length.
#[inline(never)]
fn look_ahead(bytes: &[u8], rest: &[u8], data: Data) -> Ahead {
    let is_data = data.rest == rest.len();
    if is_data && let Some(stop) = data.stop {
        return Ahead {
            separators: 0,
            stop,
            malformed: false,
        };
    }
    let separators = separators_from(bytes, rest);
    let stop = match separators {
        // The last byte of a message is a separator.
        0 => rest.iter().position(|byte| *byte == SOH),
        _ => Some(separators.trailing_zeros() as usize),
    };
    Ahead {
        separators,
        stop: stop.unwrap_or(rest.len()),
        malformed: is_data,
    }
}

/// Looks at the field after a length, at the front of `fields`: a data field ends where the length says. By value: what is never borrowed
/// stays in registers.
#[cold]
#[inline(never)]
fn data_follows<'a>(mut fields: Fields<'a>, length_tag: u32, value: &[u8]) -> Fields<'a> {
    let next = fields.rest.first_chunk().copied().map(u64::from_le_bytes);
    let Some((tag, start)) = next.map(tag) else {
        return fields;
    };
    if data_of(length_tag) == Some(tag) {
        let length = u64::read(value).ok().and_then(|n| usize::try_from(n).ok());
        let stop = length.and_then(|length| start.checked_add(length));
        // It ends before the trailer, in a separator. If it does not, the next separator ends it.
        let body = fields.rest.len().saturating_sub(TRAILER);
        fields.data = Data {
            rest: fields.rest.len(),
            stop: stop.filter(|stop| *stop < body && fields.rest.get(*stop) == Some(&SOH)),
        };
        fields.separators = 0;
    }
    fields
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<Field<'a>, MalformedField>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let at = self.at();
        let front = self.front()?;
        self.pass(&front);
        let Lookahead { tag, text, .. } = front;
        if tag == 0 {
            return Some(Err(MalformedField { at }));
        }
        self.announce(tag, &front);
        let value = text.value();
        Some(Ok(Field { tag, value }))
    }
}
