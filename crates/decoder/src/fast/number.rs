//! Decimals at a scale, digits, and times of day.

use ::fast::Decimal;

/// The powers of ten that 64 bits hold.
const POWERS: [i64; 19] = {
    let mut powers = [1; 19];
    let mut at = 1;
    while at < powers.len() {
        powers[at] = powers[at - 1] * 10;
        at += 1;
    }
    powers
};

/// A decimal as an integer of 10^-scale; `None`: it has more decimals, be they zeros, or is too large for 64 bits.
#[inline]
pub fn at_scale(value: Decimal, scale: u8) -> Option<i64> {
    let shift = usize::try_from(value.exponent + i32::from(scale)).ok()?;
    if value.mantissa == 0 {
        return Some(0);
    }
    value.mantissa.checked_mul(*POWERS.get(shift)?)
}

/// Digits alone, as a number that has no other text: without leading zeros. `None` also if it is 2^64 or more.
#[inline]
pub fn digits(text: &[u8]) -> Option<u64> {
    if text.is_empty() || (text.len() > 1 && text.first() == Some(&b'0')) {
        return None;
    }
    text.iter().try_fold(0_u64, |number, byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    })
}

/// The nanoseconds since midnight of digits `HHMMSS` and so many decimals; what stands before them is left out. `None`: no time of day. A
/// second 60 is one: a leap second.
#[inline]
pub fn since_midnight(value: u64, decimals: u8) -> Option<u64> {
    let decimals = usize::from(decimals);
    let second = *POWERS.get(decimals)? as u64;
    let nanoseconds = value % second * *POWERS.get(9_usize.checked_sub(decimals)?)? as u64;
    let digits = value / second;
    let (hours, minutes, seconds) = (digits / 10_000 % 100, digits / 100 % 100, digits % 100);
    let good = hours < 24 && minutes < 60 && seconds <= 60;
    good.then(|| ((hours * 60 + minutes) * 60 + seconds) * 1_000_000_000 + nanoseconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decimal_is_exact_at_its_scale_or_nothing() {
        for (mantissa, exponent, scale, expected) in [
            (7478, -2, 2, Some(7478)),
            (7478, -2, 4, Some(747_800)),
            (13331, 1, 0, Some(133_310)),
            (-5, 0, 1, Some(-50)),
            (-1500, -3, 3, Some(-1500)),
            (1500, -3, 1, None),
            (0, 63, 0, Some(0)),
            (0, -1, 0, None),
            (1, 18, 0, Some(1_000_000_000_000_000_000)),
            (1, 18, 1, None),
            (10, 18, 0, None),
            (i64::MAX, 0, 0, Some(i64::MAX)),
            (i64::MIN, 0, 0, Some(i64::MIN)),
            (i64::MIN, 0, 1, None),
            (1, -63, 18, None),
        ] {
            let value = Decimal { exponent, mantissa };
            assert_eq!(at_scale(value, scale), expected, "{value:?} at {scale}");
        }
    }

    #[test]
    fn digits_are_a_number_of_64_bits_without_loss() {
        assert_eq!(digits(b"0"), Some(0));
        assert_eq!(digits(b"80810596"), Some(80_810_596));
        assert_eq!(digits(b"18446744073709551615"), Some(u64::MAX));
        for text in [
            &b""[..],
            b"18446744073709551616",
            b"007",
            b"1a",
            b"-1",
            b" 1",
        ] {
            assert_eq!(digits(text), None);
        }
    }

    #[test]
    fn a_time_of_day_is_in_nanoseconds_and_a_date_before_it_is_left_out() {
        let second = 1_000_000_000;
        let at = |hours: u64, minutes, seconds| ((hours * 60 + minutes) * 60 + seconds) * second;
        // MICEX: YYYYMMDDHHMMSSsss; Moscow Exchange: YYMMDDHHMMSSuuuuuu.
        let micex = since_midnight(20_130_801_142_437_941, 3);
        assert_eq!(micex, Some(at(14, 24, 37) + 941_000_000));
        let moex = since_midnight(190_404_083_636_274_670, 6);
        assert_eq!(moex, Some(at(8, 36, 36) + 274_670_000));
        assert_eq!(since_midnight(83_636_000, 3), Some(at(8, 36, 36)));
        assert_eq!(since_midnight(235_960, 0), Some(at(24, 0, 0)));
        assert_eq!(since_midnight(1, 9), Some(1));
        for wrong in [240_000, 6_000, 61] {
            assert_eq!(since_midnight(wrong, 0), None, "{wrong}");
        }
    }
}
