//! Initial values: the `value` attribute as a value of the field's type (sections 6.3.2 and 8.1).

use super::template::{Data, Kind};

/// `text` as a value of `kind`, or `None` where it is not one (S3).
pub fn convert(text: &str, kind: Kind) -> Option<Data> {
    match kind {
        Kind::Integer { signed, .. } => {
            let value = integer(trimmed(text), signed)?;
            let (least, greatest) = kind.range();
            (least..=greatest)
                .contains(&value)
                .then_some(Data::Integer(value))
        }
        Kind::Decimal => decimal(trimmed(text)),
        Kind::Ascii => text
            .is_ascii()
            .then(|| Data::Text(text.as_bytes().to_vec())),
        Kind::Unicode => Some(Data::Text(text.as_bytes().to_vec())),
        Kind::Bytes => bytes(text),
    }
}

/// The four characters that section 8.1 calls whitespace.
fn is_whitespace(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\r' | '\n')
}

fn trimmed(text: &str) -> &str {
    text.trim_matches(is_whitespace)
}

/// Section 8.1.1: digits, with a leading minus if the type is signed.
fn integer(text: &str, signed: bool) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) if signed => (true, rest),
        _ => (false, text),
    };
    let value = number(digits)?;
    Some(if negative { -value } else { value })
}

/// A non-empty sequence of digits, as long as its value has at most 30 digits: far more than any type holds.
fn number(digits: &str) -> Option<i128> {
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let significant = digits.trim_start_matches('0');
    if significant.len() > 30 {
        return None;
    }
    Some(
        significant
            .bytes()
            .fold(0, |value, byte| value * 10 + i128::from(byte - b'0')),
    )
}

/// Section 8.1.2, then normalized (6.3.2): the mantissa has no factor of ten, and zero has the exponent zero.
fn decimal(text: &str) -> Option<Data> {
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (whole, fraction) = match text.split_once('.') {
        // A period with nothing after it is none of the forms of section 8.1.2.
        Some((_, "")) => return None,
        Some((whole, fraction)) => (whole, fraction),
        None => (text, ""),
    };
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let significant = digits.trim_end_matches('0');
    if significant.is_empty() {
        return Some(Data::Decimal {
            exponent: 0,
            mantissa: 0,
        });
    }
    let zeros = digits.len() - significant.len();
    let exponent = zeros as i128 - fraction.len() as i128;
    let magnitude = number(significant)?;
    let mantissa = if negative { -magnitude } else { magnitude };
    if !(-63..=63).contains(&exponent) {
        return None;
    }
    Some(Data::Decimal {
        exponent: i32::try_from(exponent).ok()?,
        mantissa: i64::try_from(mantissa).ok()?,
    })
}

/// Section 8.1.3: pairs of hexadecimal digits, whitespace anywhere.
fn bytes(text: &str) -> Option<Data> {
    let digits: Vec<u32> = text
        .chars()
        .filter(|&character| !is_whitespace(character))
        .map(|character| character.to_digit(16))
        .collect::<Option<_>>()?;
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    Some(Data::Text(
        digits
            .chunks(2)
            .map(|pair| (pair[0] * 16 + pair[1]) as u8)
            .collect(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const INT8: Kind = Kind::Integer {
        signed: true,
        bits: 8,
    };
    const UINT64: Kind = Kind::Integer {
        signed: false,
        bits: 64,
    };

    #[test]
    fn integers_are_digits_within_their_range() {
        assert_eq!(convert(" -128\n", INT8), Some(Data::Integer(-128)));
        assert_eq!(convert("-0", INT8), Some(Data::Integer(0)));
        assert_eq!(
            convert("18446744073709551615", UINT64),
            Some(Data::Integer(u64::MAX.into()))
        );
        // "4711" as an int8 is the specification's own example (8.1.1).
        for text in ["4711", "128", "-129", "+1", "1 2", "", "-", "0x1", "1.0"] {
            assert_eq!(convert(text, INT8), None, "{text:?}");
        }
        for text in ["-1", "-0", "18446744073709551616", &"9".repeat(60)] {
            assert_eq!(convert(text, UINT64), None, "{text:?}");
        }
    }

    #[test]
    fn decimals_are_normalized() {
        let is = |text: &str, exponent, mantissa| {
            let expected = Some(Data::Decimal { exponent, mantissa });
            assert_eq!(convert(text, Kind::Decimal), expected, "{text:?}");
        };
        // 100 becomes 1 times ten squared (6.3.2); 1, 1.1, .1 and -0.1 are the forms of 8.1.2.
        is("100", 2, 1);
        is("1", 0, 1);
        is("1.1", -1, 11);
        is(".1", -1, 1);
        is("-0.1", -1, -1);
        is(" 12000 ", 3, 12);
        is("1.500", -1, 15);
        is("-0.0", 0, 0);
        is("-9223372036854775808", 0, i64::MIN);
        is(&format!("1{}", "0".repeat(63)), 63, 1);
        for text in [
            "",
            ".",
            "1.",
            "-",
            "1e5",
            "1.2.3",
            "9223372036854775808",
            &format!("1{}", "0".repeat(64)),
            &format!(".{}1", "0".repeat(63)),
        ] {
            assert_eq!(convert(text, Kind::Decimal), None, "{text:?}");
        }
    }

    #[test]
    fn text_is_taken_as_it_is_and_bytes_are_hexadecimal() {
        assert_eq!(
            convert(" a ", Kind::Ascii),
            Some(Data::Text(b" a ".to_vec()))
        );
        assert_eq!(convert("é", Kind::Ascii), None);
        assert_eq!(
            convert("é", Kind::Unicode),
            Some(Data::Text(vec![0xc3, 0xa9]))
        );
        assert_eq!(
            convert(" 0aF f ", Kind::Bytes),
            Some(Data::Text(vec![0x0a, 0xff]))
        );
        assert_eq!(convert("", Kind::Bytes), Some(Data::Text(vec![])));
        assert_eq!(convert("abc", Kind::Bytes), None);
        assert_eq!(convert("zz", Kind::Bytes), None);
    }
}
