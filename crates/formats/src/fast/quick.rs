//! What is usual at the front of bytes: integers and ASCII strings of up to eight bytes, read without a loop.
//!
//! The eight bytes at the front are taken as one word. Its lowest stop bit tells the length; the data bits are joined for all bytes, and
//! those after the stop bit are shifted out. Four bytes hold most integers and take half the work. What is not usual, a
//! [`Reader`] reads.

use std::num::{NonZeroU32, NonZeroU64};

use super::reader::{Reader, STOPS};
use super::{DATA, STOP};

/// Of the seven bits of a byte, the one that tells the sign.
const SIGN: u8 = 0x40;

/// The bytes that an integer may take at most, as the stop bits of these bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Longest(u64);

impl Longest {
    /// So many bytes: 1 to 8. Fewer are taken for 1, more for 8.
    pub const fn bytes(count: u8) -> Self {
        let unused = match count {
            0 | 1 => 7,
            2..8 => 8 - count,
            _ => 0,
        };
        Longest(STOPS >> (8 * unused))
    }
}

/// The data bits of four bytes, the first byte highest, at the top of a word.
#[inline(always)]
const fn join_four(bytes: [u8; 4]) -> u32 {
    let bytes = u32::from_be_bytes(bytes) & 0x7f7f_7f7f;
    // The upper part of each field moves down by what the lower part does not use: 256·a + b becomes 128·a + b.
    let pairs = bytes - ((bytes & 0x7f00_7f00) >> 1);
    (pairs >> 16) << 18 | (pairs & 0xffff) << 4
}

/// As [`join_four`], of eight bytes.
#[inline(always)]
const fn join_eight(bytes: [u8; 8]) -> u64 {
    let bytes = u64::from_be_bytes(bytes) & !STOPS;
    let pairs = bytes - ((bytes & 0x7f00_7f00_7f00_7f00) >> 1);
    let fours = (pairs & 0x0000_3fff_0000_3fff) | ((pairs & 0x3fff_0000_3fff_0000) >> 2);
    (fours >> 32) << 36 | (fours & 0xffff_ffff) << 8
}

/// The unsigned integer (10.6.1.2) at the front, and what follows it, if it takes no more than the `longest`, is not overlong, and
/// at least 8 bytes are there. Otherwise a [`Reader`] finds out what is there.
#[inline(always)]
pub fn quick_unsigned(bytes: &[u8], longest: Longest) -> Option<(u64, &[u8])> {
    let chunk = *bytes.first_chunk::<8>()?;
    if chunk[0] & STOP != 0 {
        return Some((u64::from(chunk[0] & DATA), &bytes[1..]));
    }
    if chunk[0] == 0 {
        return None;
    }
    let stops = u64::from_le_bytes(chunk) & longest.0;
    let [a, b, c, d, ..] = chunk;
    let (value, last) = if let Some(stops) = NonZeroU32::new(stops as u32) {
        let last = stops.trailing_zeros() / 8;
        (u64::from(join_four([a, b, c, d]) >> (25 - 7 * last)), last)
    } else {
        let last = NonZeroU64::new(stops)?.trailing_zeros() / 8;
        (join_eight(chunk) >> (57 - 7 * last), last)
    };
    Some((value, bytes.get(last as usize + 1..)?))
}

/// As [`quick_unsigned`], for a signed integer (10.6.1.1).
#[inline(always)]
pub fn quick_signed(bytes: &[u8], longest: Longest) -> Option<(i64, &[u8])> {
    let chunk = bytes.first_chunk::<8>()?;
    if chunk[0] & STOP != 0 {
        return Some((Reader::of_byte(chunk[0]), &bytes[1..]));
    }
    quick_long_signed(bytes, longest)
}

/// As [`quick_signed`], without a branch for one byte: for values that seldom are so short, as prices.
#[inline(always)]
pub fn quick_long_signed(bytes: &[u8], longest: Longest) -> Option<(i64, &[u8])> {
    let chunk = *bytes.first_chunk::<8>()?;
    // Overlong: the highest seven bits and the sign of the rest are all the same. One byte, whose stop bit is set, is none of the two.
    if matches!(chunk[0], 0 | DATA) && (chunk[0] ^ chunk[1]) & SIGN == 0 {
        return None;
    }
    let stops = u64::from_le_bytes(chunk) & longest.0;
    let [a, b, c, d, ..] = chunk;
    let (value, last) = if let Some(stops) = NonZeroU32::new(stops as u32) {
        let last = stops.trailing_zeros() / 8;
        let value = join_four([a, b, c, d]) as i32 >> (25 - 7 * last);
        (i64::from(value), last)
    } else {
        let last = NonZeroU64::new(stops)?.trailing_zeros() / 8;
        (join_eight(chunk) as i64 >> (57 - 7 * last), last)
    };
    Some((value, bytes.get(last as usize + 1..)?))
}

/// The ASCII string (10.6.3) at the front, its characters with the first in the lowest byte, their count, and what follows it, if it is of
/// 1 to 8 characters without a preamble, and at least 8 bytes are there.
#[inline(always)]
pub fn quick_ascii(bytes: &[u8]) -> Option<(u64, usize, &[u8])> {
    let chunk = *bytes.first_chunk::<8>()?;
    if chunk[0] & DATA == 0 {
        return None;
    }
    if chunk[0] & STOP != 0 {
        return Some((u64::from(chunk[0] & DATA), 1, &bytes[1..]));
    }
    let word = u64::from_le_bytes(chunk);
    let before = NonZeroU64::new(word & STOPS)?.trailing_zeros();
    let value = word & !STOPS & (!0 >> (63 - before));
    let length = before as usize / 8 + 1;
    Some((value, length, bytes.get(length..)?))
}
