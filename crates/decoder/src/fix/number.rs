//! Numbers in ASCII.

/// Characters of a decimal number at most, sign and point included: what the hardware has room for.
const CHARACTERS: usize = 16;
/// No number is as large as this.
const LIMIT: i64 = 10_i64.pow(16);

/// Digits alone, at least one and at most so many (nine at most fit).
pub fn digits(text: &[u8], most: usize) -> Option<u32> {
    if text.is_empty() || text.len() > most || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let append =
        |value: u32, digit: &u8| value.wrapping_mul(10).wrapping_add(u32::from(digit - b'0'));
    Some(text.iter().fold(0, append))
}

/// A decimal number as an integer of 10^-scale; `None` if it is no number, has more decimals, or is too large.
pub fn fixed_point(text: &[u8], scale: u8) -> Option<i64> {
    if text.len() > CHARACTERS {
        return None;
    }
    let (minus, unsigned) = match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        _ => (false, text),
    };
    let (mut value, mut digits, mut decimals) = (0_i64, 0, None);
    for byte in unsigned {
        match byte {
            b'0'..=b'9' => {
                value = value * 10 + i64::from(byte - b'0');
                digits += 1;
                decimals = decimals.map(|decimals| decimals + 1);
            }
            b'.' if decimals.is_none() => decimals = Some(0_u8),
            _ => return None,
        }
    }
    let missing = scale.checked_sub(decimals.unwrap_or(0))?;
    let value = value.checked_mul(10_i64.checked_pow(missing.into())?)?;
    let good = digits > 0 && value < LIMIT;
    good.then_some(if minus { -value } else { value })
}

/// A decimal number without the zeros at its end, and without a point that nothing follows then.
pub fn without_zeros(text: &[u8]) -> &[u8] {
    let zeros = text.iter().rev().take_while(|byte| **byte == b'0').count();
    let kept = text.get(..text.len() - zeros).unwrap_or_default();
    match kept.split_last() {
        Some((b'.', b"" | b"-")) => text,
        Some((b'.', whole)) => whole,
        _ if kept.contains(&b'.') => kept,
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_after_the_point_change_no_number() {
        for (text, expected) in [
            ("2600.0000", "2600"),
            ("10.5000", "10.5"),
            ("10.0500", "10.05"),
            ("2600", "2600"),
            ("0", "0"),
            ("0.0", "0"),
            ("-0.10", "-0.1"),
            (".0", ".0"),
            ("", ""),
            ("00", "00"),
        ] {
            let short = without_zeros(text.as_bytes());
            assert_eq!(short, expected.as_bytes(), "{text}");
        }
    }

    #[test]
    fn a_decimal_number_is_an_integer_at_its_scale() {
        for (text, scale, expected) in [
            ("1", 0, 1),
            ("1", 4, 10_000),
            ("1.5", 1, 15),
            ("1.50", 4, 15_000),
            ("-0.01", 2, -1),
            (".5", 1, 5),
            ("5.", 0, 5),
            ("-0", 0, 0),
            ("9999999999999999", 0, 9_999_999_999_999_999),
            ("-999999999999999", 0, -999_999_999_999_999),
            ("00000000.0000001", 7, 1),
        ] {
            assert_eq!(
                fixed_point(text.as_bytes(), scale),
                Some(expected),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_no_number_at_its_scale_is_refused() {
        for (text, scale) in [
            ("", 0),
            ("-", 0),
            (".", 0),
            ("-.", 2),
            ("+1", 0),
            ("1.2.3", 4),
            ("1-", 0),
            ("1e3", 0),
            (" 1", 0),
            ("1.50", 1),
            ("100000000", 8),
            ("12345678901234567", 0),
        ] {
            assert_eq!(fixed_point(text.as_bytes(), scale), None, "{text:?}");
        }
    }

    #[test]
    fn digits_are_digits_alone_and_not_too_many() {
        assert_eq!(digits(b"007", 3), Some(7));
        assert_eq!(digits(b"999999999", 9), Some(999_999_999));
        for text in [&b""[..], b"1000", b"-1", b"1 ", b"a"] {
            assert_eq!(digits(text, 3), None);
        }
    }
}
