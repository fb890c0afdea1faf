//! Initial values: text of the XML as a value of the field's type (sections 6.3.2 and 8.1).

use serde::Serialize;

use super::error::Fault;
use super::{Decimal, Kind};

/// An initial value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Initial {
    /// Of an unsigned integer or a length.
    Unsigned(u64),
    /// Of a signed integer, an exponent or a mantissa.
    Signed(i64),
    /// Of a decimal, normalized.
    Decimal(Decimal),
    /// Of a string (ASCII, or UTF-8) or a byte vector.
    Bytes(Vec<u8>),
}

/// What the specification calls whitespace.
fn trim(text: &str) -> &str {
    text.trim_matches([' ', '\t', '\r', '\n'])
}

/// Digits, without a sign.
fn digits(text: &str) -> Option<u64> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

fn signed(text: &str) -> Option<i64> {
    match text.strip_prefix('-') {
        None => digits(text).and_then(|value| value.try_into().ok()),
        Some(magnitude) => 0_i64.checked_sub_unsigned(digits(magnitude)?),
    }
}

/// A decimal, normalized: the mantissa is no multiple of ten, and zero has exponent zero.
fn decimal(text: &str) -> Option<Decimal> {
    let (negative, magnitude) = match text.strip_prefix('-') {
        None => (false, text),
        Some(magnitude) => (true, magnitude),
    };
    let (integer, fraction) = match magnitude.split_once('.') {
        Some((_, "")) => return None,
        Some(parts) => parts,
        None if magnitude.is_empty() => return None,
        None => (magnitude, ""),
    };
    let all = integer.bytes().chain(fraction.bytes());
    if !all.clone().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // Zeros at the end would overflow the mantissa before they are taken off.
    let written = integer.len() + fraction.len();
    let zeros = all.clone().rev().take_while(|byte| *byte == b'0').count();
    if zeros == written {
        return Some(Decimal::default());
    }
    let mut mantissa = 0_i128;
    for byte in all.take(written - zeros) {
        mantissa = mantissa * 10 + i128::from(byte - b'0');
        if mantissa > 1 << 64 {
            return None;
        }
    }
    let mantissa = if negative { -mantissa } else { mantissa };
    let exponent = i32::try_from(zeros).ok()? - i32::try_from(fraction.len()).ok()?;
    Some(Decimal {
        exponent: (-63..=63).contains(&exponent).then_some(exponent)?,
        mantissa: mantissa.try_into().ok()?,
    })
}

fn hexadecimal(text: &str) -> Option<Vec<u8>> {
    let spaces = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let digits: Option<Vec<u8>> = text
        .bytes()
        .filter(|byte| !spaces(byte))
        .map(|byte| char::from(byte).to_digit(16).map(|digit| digit as u8))
        .collect();
    let digits = digits?;
    let pairs = digits.chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return None;
    }
    Some(pairs.map(|pair| pair[0] << 4 | pair[1]).collect())
}

/// Converts.
///
/// # Errors
/// S3.
pub(super) fn convert(kind: Kind, text: &str) -> Result<Initial, Fault> {
    let (value, expected) = match kind {
        Kind::Unsigned(width) => {
            let value = digits(trim(text)).filter(|value| fits(*value, width.bits()));
            (
                value.map(Initial::Unsigned),
                "digits that fit the unsigned type",
            )
        }
        Kind::Length => {
            let value = digits(trim(text)).filter(|value| fits(*value, 32));
            (value.map(Initial::Unsigned), "digits of a uInt32")
        }
        Kind::Signed(width) => {
            let least = i64::MIN >> (64 - width.bits());
            let value = signed(trim(text)).filter(|value| (least..=!least).contains(value));
            (
                value.map(Initial::Signed),
                "digits, with a minus at most, that fit the signed type",
            )
        }
        Kind::Exponent => {
            let value = signed(trim(text)).filter(|value| (-63..=63).contains(value));
            (value.map(Initial::Signed), "an exponent from -63 to 63")
        }
        Kind::Mantissa => (
            signed(trim(text)).map(Initial::Signed),
            "digits, with a minus at most, that fit an int64",
        ),
        Kind::Decimal => (
            decimal(trim(text)).map(Initial::Decimal),
            "a decimal such as -12.5, its exponent from -63 to 63, its mantissa an int64",
        ),
        Kind::Ascii => (
            text.is_ascii()
                .then(|| Initial::Bytes(text.as_bytes().to_vec())),
            "ASCII; write charset=\"unicode\" for other characters",
        ),
        Kind::Bytes => (
            hexadecimal(text).map(Initial::Bytes),
            "an even number of hexadecimal digits",
        ),
        _ => (
            Some(Initial::Bytes(text.as_bytes().to_vec())),
            "a Unicode string",
        ),
    };
    value.ok_or_else(|| Fault::InitialValue {
        value: text.chars().take(40).collect(),
        expected,
    })
}

fn fits(value: u64, bits: u32) -> bool {
    value <= u64::MAX >> (64 - bits)
}
