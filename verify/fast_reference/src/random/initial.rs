//! Random initial values, and the ways to write them (sections 6.3.2 and 8.1).

use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::model::{Initial, Item, Kind, Primitive};
use super::values;

/// A value that the field may have, and its text. Strings have at most `longest` bytes, and only characters that XML carries as
/// they are.
pub fn initial(rng: &mut ChaCha8Rng, field: &Primitive, longest: usize) -> Initial {
    match field.kind {
        Kind::Integer { .. } => {
            let value = values::integer(rng, field.least, field.greatest, 0);
            let zeros = *["", "", "", "0", "00"].choose(rng).unwrap_or(&"");
            let sign = if value < 0 { "-" } else { "" };
            Initial {
                item: Item::Integer(value),
                text: spaced(rng, format!("{sign}{zeros}{}", value.unsigned_abs())),
            }
        }
        Kind::Decimal => decimal(rng),
        Kind::Ascii | Kind::Unicode => {
            let length = rng.random_range(0..=longest.min(8));
            let text = if field.kind == Kind::Unicode {
                values::of_length(rng, Kind::Unicode, length)
            } else {
                values::printable(rng, length).into_bytes()
            };
            Initial {
                text: String::from_utf8_lossy(&text).into_owned(),
                item: Item::Text(text),
            }
        }
        Kind::Bytes => {
            let bytes = values::text(rng, Kind::Bytes, longest.min(8));
            let text = bytes
                .iter()
                .map(|byte| match rng.random_range(0..3) {
                    0 => format!("{byte:02X}"),
                    1 => format!(" {byte:02x}"),
                    _ => format!("{byte:02x}"),
                })
                .collect();
            Initial {
                item: Item::Text(bytes),
                text,
            }
        }
    }
}

/// A normalized decimal, written with or without digits that say nothing.
fn decimal(rng: &mut ChaCha8Rng) -> Initial {
    let mut mantissa = values::integer(rng, i64::MIN.into(), i64::MAX.into(), 0) as i64;
    while mantissa != 0 && mantissa % 10 == 0 {
        mantissa /= 10;
    }
    let exponent: i32 = match rng.random_range(0..4) {
        _ if mantissa == 0 => 0,
        0 => 0,
        1 => rng.random_range(-63..=63),
        _ => rng.random_range(-8..=3),
    };
    let digits = mantissa.unsigned_abs().to_string();
    let (whole, mut fraction) = if exponent >= 0 {
        (
            format!("{digits}{}", "0".repeat(exponent as usize)),
            String::new(),
        )
    } else {
        let places = exponent.unsigned_abs() as usize;
        let padded = format!("{digits:0>width$}", width = places + 1);
        let (whole, fraction) = padded.split_at(padded.len() - places);
        (whole.to_owned(), fraction.to_owned())
    };
    // At the smallest exponent a further digit would be one too many for a reader that does not normalize first.
    if rng.random_bool(0.2) && fraction.len() < 60 {
        fraction.push('0');
    }
    let whole = if whole == "0" && !fraction.is_empty() && rng.random() {
        ""
    } else {
        &whole
    };
    let sign = if mantissa < 0 { "-" } else { "" };
    let point = if fraction.is_empty() { "" } else { "." };
    let text = format!("{sign}{whole}{point}{fraction}");
    Initial {
        item: Item::Decimal(exponent, mantissa),
        text: spaced(rng, text),
    }
}

/// At times with spaces around it, which do not count (section 8.1).
fn spaced(rng: &mut ChaCha8Rng, text: String) -> String {
    if rng.random_bool(0.1) {
        format!(" {text}  ")
    } else {
        text
    }
}
