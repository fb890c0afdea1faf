//! Fields of a message, without copies.
//!
//! Eight bytes are looked at at a time, as one number: a tag of at most seven digits and its `=` fit into one. The seven bytes of
//! the trailer behind the last field are what makes such a load always possible.

use super::{Reason, Refusal, SOH};
use thiserror::Error;

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
const fn position(word: u64, byte: u8) -> usize {
    let difference = word ^ (ONES * byte as u64);
    let zero = difference.wrapping_sub(ONES) & !difference & HIGH;
    zero.trailing_zeros() as usize / 8
}

/// Where the first separator at or behind `at`, before `end`, is.
#[inline(always)]
pub(super) fn find(bytes: &[u8], mut at: usize, end: usize) -> Option<usize> {
    while at < end {
        let Some(word) = load(bytes, at) else {
            let rest = bytes.get(at..end)?;
            return rest.iter().position(|b| *b == SOH).map(|found| at + found);
        };
        let found = position(word, SOH);
        if found < 8 {
            return Some(at + found).filter(|found| *found < end);
        }
        at += 8;
    }
    None
}

/// The number that the first `digits` (1 to 8) of eight characters make; `None` if they are not all digits.
#[inline(always)]
pub(super) const fn number(word: u64, digits: usize) -> Option<u64> {
    let shift = 64 - 8 * digits as u32;
    // Right-aligned, the missing ones 0.
    let value = (word << shift) ^ (ZEROS << shift);
    if (value | value.wrapping_add(0x7676_7676_7676_7676)) & HIGH != 0 {
        return None;
    }
    let pairs = value.wrapping_mul(10).wrapping_add(value >> 8);
    let low = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
    let high = ((pairs >> 16) & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
    Some(low.wrapping_add(high) >> 32)
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

/// The fields of a message, in order. What is malformed is told, and the next field follows.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
    end: usize,
    /// The data field that may follow, and its length; tag 0: none.
    data: (u32, usize),
}

impl<'a> Fields<'a> {
    /// Those between two places of a message: the first byte of one, and behind the separator of another.
    #[inline]
    pub(super) const fn within(bytes: &'a [u8], at: usize, end: usize) -> Self {
        Fields {
            bytes,
            at,
            end,
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

    /// The tag and value at the front, and where the next field begins; does not move.
    #[inline(always)]
    fn read(&self) -> Option<Result<(Field<'a>, usize), MalformedField>> {
        if self.at >= self.end {
            return None;
        }
        let malformed = MalformedField { at: self.at };
        let word = load(self.bytes, self.at).unwrap_or(0);
        let digits = position(word, b'=');
        if digits == 0 || digits == 8 || word as u8 == b'0' {
            return Some(Err(malformed));
        }
        let Some(tag) = number(word, digits) else {
            return Some(Err(malformed));
        };
        let (tag, start) = (tag as u32, self.at + digits + 1);
        let stop = if tag == self.data.0 {
            // The length was told in front.
            Some(start + self.data.1)
                .filter(|stop| *stop < self.end && self.bytes.get(*stop) == Some(&SOH))
        } else {
            find(self.bytes, start, self.end)
        };
        let field = stop.and_then(|stop| Some((self.bytes.get(start..stop)?, stop + 1)));
        Some(match field {
            Some((value, next)) => Ok((Field { tag, value }, next)),
            None => Err(malformed),
        })
    }

    /// The tag of the next field, without going on; `None` at the end or where it is malformed.
    #[inline(always)]
    pub fn peek(&self) -> Option<u32> {
        self.read()?.ok().map(|(field, _)| field.tag)
    }

    /// Goes on if the next field has a tag that `wanted` likes. Nothing moves if it has not.
    #[inline(always)]
    pub(super) fn next_if(
        &mut self,
        wanted: impl FnOnce(u32) -> bool,
    ) -> Option<Result<Field<'a>, MalformedField>> {
        let found = self.read()?;
        match found {
            Ok((field, _)) if !wanted(field.tag) => None,
            Ok((field, next)) => {
                self.at = next;
                self.data = data_of(field.tag).map_or((0, 0), |data| match field.value.len() {
                    length @ 1..=8 => {
                        let digits = load(self.bytes, next - 1 - length).unwrap_or(0);
                        number(digits, length).map_or((0, 0), |length| (data, length as usize))
                    }
                    _ => (0, 0),
                });
                Some(Ok(field))
            }
            Err(malformed) => {
                self.at = find(self.bytes, self.at, self.end).map_or(self.end, |stop| stop + 1);
                self.data = (0, 0);
                Some(Err(malformed))
            }
        }
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
