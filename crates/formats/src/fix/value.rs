//! Data types of FIX (volume 1, "Data types"), read and written without copies or allocation.

use super::Reason;
use super::encoder::{Encoder, ZEROS};
use super::field::{Text, join, not_digits, number, word};
use crate::Side;

/// A value of a field.
pub trait Value<'a>: Sized {
    /// Reads it. `value` is not empty.
    ///
    /// # Errors
    /// [`Reason::Format`] if it is not of the type, [`Reason::Range`] if it is, but is no known value.
    fn read(value: &'a [u8]) -> Result<Self, Reason>;

    /// As [`Value::read`], of a value in its message.
    ///
    /// # Errors
    /// As [`Value::read`].
    #[inline(always)]
    fn take(text: Text<'a>) -> Result<Self, Reason> {
        Self::read(text.value())
    }

    /// Appends it to a message, after a prefix that ends in `=`.
    fn write<const P: usize>(&self, prefix: &[u8; P], encoder: &mut Encoder<'_>);
}

/// `String` and `data`: bytes as they are.
impl<'a> Value<'a> for &'a [u8] {
    #[inline(always)]
    fn read(value: &'a [u8]) -> Result<Self, Reason> {
        Ok(value)
    }

    #[inline(always)]
    fn take(text: Text<'a>) -> Result<Self, Reason> {
        if text.len() == 0 {
            return Err(Reason::Empty);
        }
        Ok(text.value())
    }

    #[inline(always)]
    fn write<const P: usize>(&self, prefix: &[u8; P], encoder: &mut Encoder<'_>) {
        encoder.text(prefix, self);
    }
}

/// `char`: one character.
impl Value<'_> for u8 {
    #[inline(always)]
    fn read(value: &[u8]) -> Result<Self, Reason> {
        match value {
            [character] => Ok(*character),
            _ => Err(Reason::Format),
        }
    }

    #[inline(always)]
    fn write<const P: usize>(&self, prefix: &[u8; P], encoder: &mut Encoder<'_>) {
        encoder.constant(prefix, &[*self]);
    }
}

/// `Boolean`: `Y` or `N`.
impl Value<'_> for bool {
    #[inline(always)]
    fn read(value: &[u8]) -> Result<Self, Reason> {
        match value {
            b"Y" => Ok(true),
            b"N" => Ok(false),
            _ => Err(Reason::Format),
        }
    }

    #[inline(always)]
    fn write<const P: usize>(&self, prefix: &[u8; P], encoder: &mut Encoder<'_>) {
        encoder.constant(prefix, if *self { b"Y" } else { b"N" });
    }
}

/// The digits of a number that is not negative.
#[inline(always)]
pub(super) fn unsigned(text: &[u8]) -> Option<u64> {
    if let 1..=8 = text.len() {
        return number(word(text)?, text.len());
    }
    long_unsigned(text)
}

/// As `unsigned`, of a value in its message.
#[inline(always)]
fn unsigned_within(text: Text<'_>) -> Option<u64> {
    match text.chunk() {
        Some(word) if matches!(text.len(), 1..=8) => number(u64::from_le_bytes(*word), text.len()),
        _ => long_unsigned(text.value()),
    }
}

#[inline(never)]
fn long_unsigned(text: &[u8]) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    let mut value = 0_u64;
    for character in text {
        let digit = character.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
    }
    Some(value)
}

/// `int`, `SeqNum`, `Length`, `NumInGroup` where none is negative.
impl Value<'_> for u64 {
    #[inline(always)]
    fn read(value: &[u8]) -> Result<Self, Reason> {
        unsigned(value).ok_or(Reason::Format)
    }

    #[inline(always)]
    fn take(text: Text<'_>) -> Result<Self, Reason> {
        unsigned_within(text).ok_or(Reason::Format)
    }

    #[inline(always)]
    fn write<const P: usize>(&self, prefix: &[u8; P], encoder: &mut Encoder<'_>) {
        encoder.number(prefix, *self);
    }
}

/// As `u64`, of 32 bits.
impl Value<'_> for u32 {
    #[inline(always)]
    fn read(value: &[u8]) -> Result<Self, Reason> {
        let value = unsigned(value).ok_or(Reason::Format)?;
        u32::try_from(value).map_err(|_| Reason::Format)
    }

    #[inline(always)]
    fn take(text: Text<'_>) -> Result<Self, Reason> {
        let value = unsigned_within(text).ok_or(Reason::Format)?;
        u32::try_from(value).map_err(|_| Reason::Format)
    }

    #[inline(always)]
    fn write<const P: usize>(&self, prefix: &[u8; P], encoder: &mut Encoder<'_>) {
        encoder.number(prefix, u64::from(*self));
    }
}

/// `int`: with a minus sign at most.
impl Value<'_> for i64 {
    #[inline]
    fn read(value: &[u8]) -> Result<Self, Reason> {
        let (negative, digits) = match value {
            [b'-', digits @ ..] => (true, digits),
            digits => (false, digits),
        };
        let magnitude = unsigned(digits).ok_or(Reason::Format)?;
        let value = if negative {
            0_i64.checked_sub_unsigned(magnitude)
        } else {
            i64::try_from(magnitude).ok()
        };
        value.ok_or(Reason::Format)
    }

    #[inline]
    fn write<const P: usize>(&self, prefix: &[u8; P], encoder: &mut Encoder<'_>) {
        encoder.decimal(prefix, *self, 0);
    }
}

/// Side (54): `1` buy, `2` sell. The others of the specification are not supported here.
impl Value<'_> for Side {
    #[inline(always)]
    fn read(value: &[u8]) -> Result<Self, Reason> {
        match value {
            b"1" => Ok(Side::Buy),
            b"2" => Ok(Side::Sell),
            [_] => Err(Reason::Range),
            _ => Err(Reason::Format),
        }
    }

    #[inline(always)]
    fn write<const P: usize>(&self, prefix: &[u8; P], encoder: &mut Encoder<'_>) {
        let code = match self {
            Side::Buy => b"1",
            Side::Sell => b"2",
        };
        encoder.constant(prefix, code);
    }
}

/// `float`, `Price`, `Qty`: `mantissa` in units of 10^-`scale`, just as the digits were written. Two that are the same number and
/// were written differently are not equal: compare them [at a scale](Decimal::at_scale).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Decimal {
    /// All digits, without the point.
    pub mantissa: i64,
    /// How many of them are after the point, 0 to 19.
    pub scale: u8,
}

/// The powers of ten that an `i64` holds.
const POWERS: [i64; 19] = {
    let mut powers = [1; 19];
    let mut at = 1;
    while at < powers.len() {
        powers[at] = powers[at - 1] * 10;
        at += 1;
    }
    powers
};

impl Decimal {
    /// `mantissa` in units of 10^-`scale`.
    pub const fn new(mantissa: i64, scale: u8) -> Self {
        Decimal { mantissa, scale }
    }

    /// Up to eight characters without a sign: the point is taken out of the middle of the word.
    #[inline(always)]
    fn read_short(text: &[u8]) -> Option<Self> {
        Decimal::of_word(word(text)?, text.len())
    }

    /// The number in the first `count` (at most 8) of eight characters.
    #[inline(always)]
    fn of_word(word: u64, count: usize) -> Option<Self> {
        // Right-aligned, with leading zeros: the word that the point is taken out of is a number too.
        let digits = (word ^ ZEROS) << ((64 - 8 * count as u32) & 63);
        let others = not_digits(digits);
        if others == 0 {
            return (count > 0).then_some(Decimal {
                mantissa: join(digits) as i64,
                scale: 0,
            });
        }
        // The first byte that is no digit.
        let point = others.trailing_zeros() & 56;
        let after = !0 << point << 8;
        let without = (digits & !(!0 << point)) << 8 | digits & after;
        let is_point = digits >> point & 0xff == u64::from(b'.' ^ b'0');
        // One digit at least, besides the point.
        (is_point && count > 1 && not_digits(without) == 0).then_some(Decimal {
            mantissa: join(without) as i64,
            scale: (7 - point / 8) as u8,
        })
    }

    /// Any number of characters.
    #[inline(never)]
    fn read_long(text: &[u8]) -> Result<Self, Reason> {
        let (negative, digits) = match text {
            [b'-', digits @ ..] => (true, digits),
            digits => (false, digits),
        };
        let mut mantissa = 0_i64;
        // Digits since the point; the first 18 cannot overflow.
        let (mut point, mut count) = (None, 0_u8);
        for byte in digits {
            let digit = byte.wrapping_sub(b'0');
            if digit <= 9 {
                count += 1;
                if count <= 18 {
                    mantissa = mantissa * 10 + i64::from(digit);
                } else {
                    let next = mantissa.checked_mul(10);
                    let next = next.and_then(|m| m.checked_add(i64::from(digit)));
                    mantissa = next.ok_or(Reason::Format)?;
                    // Unlimited leading zeros would wrap the count.
                    if count > 40 {
                        return Err(Reason::Format);
                    }
                }
            } else if *byte == b'.' && point.is_none() {
                point = Some(count);
            } else {
                return Err(Reason::Format);
            }
        }
        let scale = count - point.unwrap_or(count);
        if count == 0 || scale > 19 {
            return Err(Reason::Format);
        }
        let mantissa = if negative { -mantissa } else { mantissa };
        Ok(Decimal { mantissa, scale })
    }

    /// The number in units of 10^-`scale`; `None` if it is not an integer number of them, or too large.
    #[inline]
    pub fn at_scale(self, scale: u8) -> Option<i64> {
        if self.scale <= scale {
            if self.mantissa == 0 {
                return Some(0);
            }
            let factor = *POWERS.get(usize::from(scale - self.scale))?;
            return self.mantissa.checked_mul(factor);
        }
        match POWERS.get(usize::from(self.scale - scale)) {
            Some(divisor) if self.mantissa % divisor == 0 => Some(self.mantissa / divisor),
            None if self.mantissa == 0 => Some(0),
            _ => None,
        }
    }
}

impl Value<'_> for Decimal {
    #[inline(always)]
    fn read(value: &[u8]) -> Result<Self, Reason> {
        match Decimal::read_short(value) {
            Some(decimal) => Ok(decimal),
            None => Decimal::read_long(value),
        }
    }

    #[inline(always)]
    fn take(text: Text<'_>) -> Result<Self, Reason> {
        let short = text.chunk().filter(|_| text.len() <= 8);
        let short = short.and_then(|word| Decimal::of_word(u64::from_le_bytes(*word), text.len()));
        match short {
            Some(decimal) => Ok(decimal),
            None => Decimal::read_long(text.value()),
        }
    }

    #[inline(always)]
    fn write<const P: usize>(&self, prefix: &[u8; P], encoder: &mut Encoder<'_>) {
        encoder.decimal(prefix, self.mantissa, usize::from(self.scale.min(19)));
    }
}
