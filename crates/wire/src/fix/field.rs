//! Fields of a message, without copies.
//!
//! Separators are found 64 bytes at a time, so that where a field begins does not wait for the one before it to be looked at. A tag
//! of at most seven digits and its `=` are read as one number of eight bytes; the seven bytes of the trailer behind the last field
//! are what makes such a load always possible.

use super::{Reason, Refusal, SOH, Value};
use thiserror::Error;
use wide::u8x16;

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;
const ZEROS: u64 = 0x3030_3030_3030_3030;

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

/// The separators of the 64 bytes from `at`; there are none behind the end.
#[inline(always)]
fn separators_from(bytes: &[u8], at: usize) -> u64 {
    let rest = bytes.get(at..).unwrap_or_default();
    if let Some(block) = rest.first_chunk() {
        return separators(block);
    }
    match bytes.last_chunk() {
        Some(block) if !rest.is_empty() => separators(block) >> (BLOCK - rest.len()),
        _ => {
            let mut block = [0; BLOCK];
            for (place, byte) in block.iter_mut().zip(rest) {
                *place = *byte;
            }
            separators(&block)
        }
    }
}

/// Up to eight characters, the first in the lowest byte, 0 behind them.
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

/// The digits of eight characters as numbers, each in its byte; `None` if they are not all digits.
#[inline(always)]
pub(super) const fn digits(word: u64) -> Option<u64> {
    let value = word ^ ZEROS;
    if (value | value.wrapping_add(0x7676_7676_7676_7676)) & HIGH == 0 {
        Some(value)
    } else {
        None
    }
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
    // Right-aligned, zeros in front.
    let shift = 64 - 8 * count as u32;
    let front = match ZEROS.checked_shr(8 * count as u32) {
        Some(front) => front,
        None => 0,
    };
    match digits(word << shift | front) {
        Some(digits) => Some(join(digits)),
        None => None,
    }
}

/// The tag in front of eight characters, and how many of them it takes with its `=`.
#[inline(always)]
fn tag(word: u64) -> Option<(u32, usize)> {
    let [a, b, c, d, ..] = word.to_le_bytes();
    let digit = |character: u8| u32::from(character.wrapping_sub(b'0'));
    let (a1, b1, c1) = (digit(a), digit(b), digit(c));
    // Most tags have one to three digits, and those of a peer's messages come in an order that the processor learns.
    if a1.wrapping_sub(1) > 8 {
        None
    } else if b == b'=' {
        Some((a1, 2))
    } else if c == b'=' && b1 <= 9 {
        Some((a1 * 10 + b1, 3))
    } else if d == b'=' && b1 <= 9 && c1 <= 9 {
        Some((a1 * 100 + b1 * 10 + c1, 4))
    } else {
        let digits = position(word, b'=');
        // None where there is no `=`, or another character in front of it.
        let tag = number(word, digits).filter(|_| digits < 8)?;
        Some((tag as u32, digits + 1))
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

/// What stands between two separators and is no field: no tag, one that is no number or begins with 0, or a data field that runs past
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

/// Whether a field tells the length of a data field: a bit a tag.
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

/// The fields of a message, in order. What is malformed is told, and the next field follows.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
    end: usize,
    /// The separators not passed yet of the block in front of `next_block`.
    separators: u64,
    next_block: usize,
    /// The data field that may follow, and its length; tag 0: none.
    data: (u32, usize),
}

impl<'a> Fields<'a> {
    /// Those between two places of a message: the first byte of one, and behind the separator of another.
    #[inline(always)]
    pub(super) const fn within(bytes: &'a [u8], at: usize, end: usize) -> Self {
        Fields {
            bytes,
            at,
            end,
            separators: 0,
            next_block: at,
            data: (0, 0),
        }
    }

    /// Where the next one begins in the message.
    pub(super) const fn at(&self) -> usize {
        self.at
    }

    /// Those from here up to `end`.
    pub(super) const fn until(&self, end: usize) -> Self {
        Fields { end, ..*self }
    }

    /// Where the next separator is.
    #[inline(always)]
    fn separator(&mut self) -> Option<usize> {
        while self.separators == 0 {
            if self.next_block >= self.end {
                return None;
            }
            self.separators = separators_from(self.bytes, self.next_block);
            let left = self.end - self.next_block;
            if left < BLOCK {
                self.separators &= (1 << left) - 1;
            }
            self.next_block += BLOCK;
        }
        Some(self.next_block - BLOCK + self.separators.trailing_zeros() as usize)
    }

    /// The tag and value at the front, and where its separator is; does not go on.
    #[inline(always)]
    fn read(&mut self) -> Option<Result<(Field<'a>, usize), MalformedField>> {
        let malformed = MalformedField { at: self.at };
        let stop = self.separator()?;
        let Some((tag, length)) = tag(load(self.bytes, self.at).unwrap_or(0)) else {
            return Some(Err(malformed));
        };
        let start = self.at + length;
        let stop = if tag == self.data.0 {
            self.data_end(start)
        } else {
            Some(stop)
        };
        let field = stop.and_then(|stop| Some((self.bytes.get(start..stop)?, stop)));
        Some(match field {
            Some((value, stop)) => Ok((Field { tag, value }, stop)),
            None => Err(malformed),
        })
    }

    /// The tag of the next field, without going on; `None` at the end or where it is malformed.
    #[inline(always)]
    pub fn peek(&mut self) -> Option<u32> {
        self.read()?.ok().map(|(field, _)| field.tag)
    }

    /// Goes on if the next field has a tag that `wanted` likes; `None` if it has not, or at the end.
    #[inline(always)]
    pub(super) fn next_if(
        &mut self,
        wanted: impl FnOnce(u32) -> bool,
    ) -> Option<Result<Field<'a>, MalformedField>> {
        match self.read()? {
            Ok((field, _)) if !wanted(field.tag) => None,
            Ok((field, stop)) => {
                self.separators &= self.separators.wrapping_sub(1);
                self.at = stop + 1;
                if self.data.0 != 0 || tells_length(field.tag) {
                    *self = self.data_follows(field.tag, field.value);
                }
                Some(Ok(field))
            }
            Err(malformed) => {
                self.at = self.separator().map_or(self.end, |stop| stop + 1);
                self.separators &= self.separators.wrapping_sub(1);
                self.data = (0, 0);
                Some(Err(malformed))
            }
        }
    }

    /// Where the data field from `start` ends by the length told in front of it.
    #[cold]
    fn data_end(self, start: usize) -> Option<usize> {
        Some(start + self.data.1)
            .filter(|stop| *stop < self.end && self.bytes.get(*stop) == Some(&SOH))
    }

    /// Goes on behind a field that tells a length, or was told one. By value: what is never lent stays in registers.
    #[cold]
    fn data_follows(mut self, tag: u32, value: &[u8]) -> Self {
        if tag == self.data.0 {
            // Its separators are data.
            (self.separators, self.next_block) = (0, self.at);
        }
        let length = u64::read(value).ok();
        self.data = data_of(tag)
            .zip(length.and_then(|length| u32::try_from(length).ok()))
            .map_or((0, 0), |(tag, length)| (tag, length as usize));
        self
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<Field<'a>, MalformedField>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        self.next_if(|_| true)
    }
}

/// Where a field is in its message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Its tag.
    pub tag: u32,
    start: u32,
    end: u32,
}

/// More fields than an [`Index`] has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("more than {0} fields")]
pub struct TooManyFields(
    /// The room.
    pub usize,
);

/// The fields of a message by tag: filled once, asked often. `N` is the room, in fields.
#[derive(Clone, Debug)]
pub struct Index<'a, const N: usize = 64> {
    bytes: &'a [u8],
    entries: [Entry; N],
    count: usize,
    malformed: Option<MalformedField>,
}

impl<'a, const N: usize> Index<'a, N> {
    /// The fields of a message from the fourth on, without CheckSum.
    ///
    /// # Errors
    /// There are more than `N`.
    pub fn new(message: &super::Message<'a>) -> Result<Self, TooManyFields> {
        let mut index = Index {
            bytes: message.bytes(),
            entries: [Entry::default(); N],
            count: 0,
            malformed: None,
        };
        let mut fields = message.fields();
        while let Some(field) = fields.next() {
            match field {
                Ok(field) => {
                    let entry = index.entries.get_mut(index.count).ok_or(TooManyFields(N))?;
                    let end = fields.at() - 1;
                    *entry = Entry {
                        tag: field.tag,
                        start: (end - field.value.len()) as u32,
                        end: end as u32,
                    };
                    index.count += 1;
                }
                Err(malformed) => {
                    index.malformed.get_or_insert(malformed);
                }
            }
        }
        Ok(index)
    }

    /// The fields in order.
    pub fn entries(&self) -> &[Entry] {
        self.entries.get(..self.count).unwrap_or_default()
    }

    /// The first malformed field, if there is one.
    pub const fn malformed(&self) -> Option<MalformedField> {
        self.malformed
    }

    /// The value of an entry.
    pub fn value(&self, entry: &Entry) -> &'a [u8] {
        self.bytes
            .get(entry.start as usize..entry.end as usize)
            .unwrap_or_default()
    }

    /// The value of the first field with a tag.
    pub fn get(&self, tag: u32) -> Option<&'a [u8]> {
        let entry = self.entries().iter().find(|entry| entry.tag == tag)?;
        Some(self.value(entry))
    }
}
