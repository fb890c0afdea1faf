//! Random values, edges more often than chance would have them.

use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::model::{Item, Kind, Primitive};

/// Characters of one to four bytes.
const CHARACTERS: [char; 8] = ['a', 'Z', '0', 'é', 'ß', '€', '日', '😀'];

/// A value that the field may have, at times one near the previous value. Text has at most `longest` bytes.
pub fn item(
    rng: &mut ChaCha8Rng,
    field: &Primitive,
    previous: Option<&Item>,
    longest: usize,
) -> Item {
    match field.kind {
        Kind::Integer { .. } => {
            let previous = match previous {
                Some(Item::Integer(value)) => *value,
                _ => 0,
            };
            Item::Integer(integer(rng, field.least, field.greatest, previous))
        }
        Kind::Decimal => {
            let (exponent, mantissa) = match previous {
                Some(Item::Decimal(exponent, mantissa)) => (*exponent, *mantissa),
                _ => (0, 0),
            };
            let exponent = if rng.random_bool(0.6) {
                (exponent + rng.random_range(-1..=1)).clamp(-63, 63)
            } else {
                integer(rng, -63, 63, exponent.into()) as i32
            };
            let (least, greatest) = (i64::MIN.into(), i64::MAX.into());
            let mantissa = integer(rng, least, greatest, mantissa.into()) as i64;
            Item::Decimal(exponent, mantissa)
        }
        Kind::Ascii | Kind::Unicode | Kind::Bytes => {
            let previous = match previous {
                Some(Item::Text(text)) if rng.random_bool(0.5) => Some(&text[..]),
                _ => None,
            };
            Item::Text(match previous {
                Some(previous) => edited(rng, field.kind, previous, longest),
                None => text(rng, field.kind, longest),
            })
        }
    }
}

/// An integer from `least` to `greatest`.
pub fn integer(rng: &mut ChaCha8Rng, least: i128, greatest: i128, previous: i128) -> i128 {
    let value = match rng.random_range(0..10) {
        0 => 0,
        1 => -1,
        2 => least,
        3 => greatest,
        4 | 5 => previous + rng.random_range(-3..=3),
        // Where another byte begins, with and without a sign.
        6 => {
            let edge = 1 << (7 * rng.random_range(1..10) - rng.random_range(0..2));
            let value = edge + rng.random_range(-1..=1);
            if rng.random() { value } else { -value }
        }
        7 => rng.random_range(least..=greatest),
        _ => {
            let bits = rng.random_range(0..64);
            let value: i128 = rng.random_range(0..1 << bits);
            if rng.random() { value } else { -value - 1 }
        }
    };
    value.clamp(least, greatest)
}

/// Text of at most `longest` bytes: short, empty at times, long at times.
pub fn text(rng: &mut ChaCha8Rng, kind: Kind, longest: usize) -> Vec<u8> {
    let length = match rng.random_range(0..10) {
        0 | 1 => 0,
        2 => longest,
        3 => rng.random_range(0..=longest),
        _ => rng.random_range(0..=longest.min(8)),
    };
    of_length(rng, kind, length)
}

/// Text of exactly `length` bytes.
pub fn of_length(rng: &mut ChaCha8Rng, kind: Kind, length: usize) -> Vec<u8> {
    match kind {
        Kind::Unicode => {
            let mut text = String::new();
            while text.len() < length {
                let next = *CHARACTERS.choose(rng).unwrap_or(&'a');
                let fits = text.len() + next.len_utf8() <= length;
                text.push(if fits { next } else { 'x' });
            }
            text.into_bytes()
        }
        Kind::Bytes => (0..length).map(|_| rng.random()).collect(),
        _ if rng.random_bool(0.1) => (0..length)
            .map(|_| {
                if rng.random_bool(0.3) {
                    0
                } else {
                    rng.random_range(0..0x80)
                }
            })
            .collect(),
        _ => printable(rng, length).into_bytes(),
    }
}

/// Characters from space to tilde.
pub fn printable(rng: &mut ChaCha8Rng, length: usize) -> String {
    (0..length)
        .map(|_| char::from(rng.random_range(b' '..=b'~')))
        .collect()
}

/// `previous` with a piece cut off and a piece added, at either end.
fn edited(rng: &mut ChaCha8Rng, kind: Kind, previous: &[u8], longest: usize) -> Vec<u8> {
    let mut kept = rng.random_range(0..=previous.len().min(longest));
    let at_front = rng.random();
    let is_boundary = |kept: usize| {
        let cut = if at_front {
            previous.len() - kept
        } else {
            kept
        };
        kind != Kind::Unicode
            || std::str::from_utf8(previous).is_ok_and(|text| text.is_char_boundary(cut))
    };
    while kept > 0 && !is_boundary(kept) {
        kept -= 1;
    }
    let length = rng.random_range(0..=(longest - kept).min(4));
    let added = of_length(rng, kind, length);
    if at_front {
        [&added[..], &previous[previous.len() - kept..]].concat()
    } else {
        [&previous[..kept], &added[..]].concat()
    }
}
