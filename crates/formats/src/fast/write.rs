//! Writes elements, each in its shortest form.

use super::{DATA, STOP};

/// Appends the lowest `7 * count` bits of `value`.
fn put(out: &mut Vec<u8>, value: u128, count: u32) {
    for index in (0..count).rev() {
        out.push((value >> (7 * index)) as u8 & DATA);
    }
    if let Some(last) = out.last_mut() {
        *last |= STOP;
    }
}

fn put_unsigned_wide(out: &mut Vec<u8>, value: u128) {
    let bits = 128 - value.leading_zeros();
    put(out, value, bits.div_ceil(7).max(1));
}

/// Appends an unsigned integer, not nullable (10.6.1.2).
pub fn put_unsigned(out: &mut Vec<u8>, value: u64) {
    put_unsigned_wide(out, u128::from(value));
}

/// Appends an unsigned integer, or NULL (10.6.1).
pub fn put_nullable_unsigned(out: &mut Vec<u8>, value: Option<u64>) {
    put_unsigned_wide(out, value.map_or(0, |value| u128::from(value) + 1));
}

/// Appends a signed integer, not nullable (10.6.1.1).
pub fn put_signed(out: &mut Vec<u8>, value: i64) {
    put_signed_wide(out, i128::from(value));
}

/// Appends a signed integer, or NULL (10.6.1).
pub fn put_nullable_signed(out: &mut Vec<u8>, value: Option<i64>) {
    put_nullable_signed_wide(out, value.map(i128::from));
}

/// Appends a signed integer of any size, not nullable (10.7.1).
pub fn put_signed_wide(out: &mut Vec<u8>, value: i128) {
    let magnitude = if value < 0 { !value } else { value };
    let bits = 128 - magnitude.leading_zeros() + 1;
    put(out, value as u128, bits.div_ceil(7));
}

/// Appends a signed integer of any size, or NULL (10.7.1).
pub fn put_nullable_signed_wide(out: &mut Vec<u8>, value: Option<i128>) {
    let value = value.map_or(0, |value| value + i128::from(value >= 0));
    put_signed_wide(out, value);
}

/// Appends characters, with the stop bit in the last. Only the lowest seven bits of each are used.
fn put_characters(out: &mut Vec<u8>, text: &[u8]) {
    out.extend(text.iter().map(|character| character & DATA));
    if let Some(last) = out.last_mut() {
        *last |= STOP;
    }
}

/// Appends an ASCII string, not nullable (10.6.3). Only the lowest seven bits of each character are used.
pub fn put_ascii(out: &mut Vec<u8>, text: &[u8]) {
    if text.first().is_none_or(|first| first & DATA == 0) {
        out.push(0);
    }
    put_characters(out, text);
}

/// Appends an ASCII string, or NULL (10.6.3). Only the lowest seven bits of each character are used.
pub fn put_nullable_ascii(out: &mut Vec<u8>, text: Option<&[u8]>) {
    match text {
        None => out.push(STOP),
        Some(text) => {
            if text.first().is_none_or(|first| first & DATA == 0) {
                out.push(0);
            }
            put_ascii(out, text);
        }
    }
}

/// Appends a byte vector or Unicode string, not nullable (10.6.4, 10.6.5).
pub fn put_vector(out: &mut Vec<u8>, bytes: &[u8]) {
    put_unsigned(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Appends a byte vector or Unicode string, or NULL (10.6.4, 10.6.5).
pub fn put_nullable_vector(out: &mut Vec<u8>, bytes: Option<&[u8]>) {
    put_nullable_unsigned(out, bytes.map(|bytes| bytes.len() as u64));
    if let Some(bytes) = bytes {
        out.extend_from_slice(bytes);
    }
}
