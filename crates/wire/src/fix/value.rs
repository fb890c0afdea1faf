//! Data types of FIX (volume 1, "Data types"), read and written without copies or allocation.

use super::Reason;
use super::encoder::Encoder;
use super::field::{digits, number, position, word};
use crate::Side;

/// A value of a field.
pub trait Value<'a>: Sized {
    /// Reads it. `value` is not empty.
    ///
    /// # Errors
    /// [`Reason::Format`] where it is not of the type, [`Reason::Range`] where it is, but is none of the values known.
    fn read(value: &'a [u8]) -> Result<Self, Reason>;

    /// Appends it to a message.
    fn write(&self, encoder: &mut Encoder<'_>);
}

/// `String` and `data`: bytes as they are.
impl<'a> Value<'a> for &'a [u8] {
    #[inline(always)]
    fn read(value: &'a [u8]) -> Result<Self, Reason> {
        Ok(value)
    }

    #[inline(always)]
    fn write(&self, encoder: &mut Encoder<'_>) {
        encoder.bytes(self);
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
    fn write(&self, encoder: &mut Encoder<'_>) {
        encoder.array(&[*self]);
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
    fn write(&self, encoder: &mut Encoder<'_>) {
        encoder.array(if *self { b"Y" } else { b"N" });
    }
}

/// The digits of a number that is not negative.
#[inline(always)]
fn unsigned(text: &[u8]) -> Option<u64> {
    if let 1..=8 = text.len() {
        return number(word(text)?, text.len());
    }
    long_unsigned(text)
}

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
    fn write(&self, encoder: &mut Encoder<'_>) {
        encoder.number(*self);
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
    fn write(&self, encoder: &mut Encoder<'_>) {
        encoder.number(u64::from(*self));
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
    fn write(&self, encoder: &mut Encoder<'_>) {
        if *self < 0 {
            encoder.array(b"-");
        }
        encoder.number(self.unsigned_abs());
    }
}

/// Side (54): `1` buy, `2` sell. The others of the specification are not spoken here.
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
    fn write(&self, encoder: &mut Encoder<'_>) {
        encoder.array(match self {
            Side::Buy => b"1",
            Side::Sell => b"2",
        });
    }
}

/// `float`, `Price`, `Qty`: `mantissa` in units of 10^-`scale`, just as the digits were written. Two that are the same number and
/// were written differently are not equal: compare them [at a scale](Decimal::at_scale).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Decimal {
    /// All digits, without the point.
    pub mantissa: i64,
    /// How many of them are behind the point, 0 to 19.
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
        let count = text.len();
        if count > 8 {
            return None;
        }
        let word = word(text)?;
        let point = position(word, b'.');
        if point >= count {
            return Some(Decimal {
                mantissa: number(word, count.max(1))? as i64,
                scale: 0,
            });
        }
        let front = (1 << (8 * point as u32)) - 1;
        let without = word & front | word >> 8 & !front;
        Some(Decimal {
            // One digit at least, besides the point.
            mantissa: number(without, (count > 1).then_some(count - 1)?)? as i64,
            scale: (count - 1 - point) as u8,
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
                    // Zeros in front without end would wrap the count.
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

    /// The number in units of 10^-`scale`; `None` if it is not a whole number of them, or too large.
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
    fn write(&self, encoder: &mut Encoder<'_>) {
        if self.mantissa < 0 {
            encoder.array(b"-");
        }
        encoder.decimal(
            self.mantissa.unsigned_abs(),
            usize::from(self.scale.min(19)),
        );
    }
}

const SECOND: u64 = 1_000_000_000;
const DAY: u64 = 86_400;

/// `UTCTimestamp`: nanoseconds since 1970-01-01 00:00 UTC. Read with up to nine digits behind the second (FIX 4.4 has none or
/// three, later versions more), written with three.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(
    /// Nanoseconds.
    pub u64,
);

/// The first year, and how many there are until the nanoseconds end.
const FIRST_YEAR: u64 = 1970;
const YEARS: usize = 585;

const fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

/// Days from 1970-01-01 to the first of each year.
const YEAR_BEGINS: [u32; YEARS + 1] = {
    let mut days = [0; YEARS + 1];
    let mut year = 0;
    while year < YEARS {
        days[year + 1] = days[year]
            + if is_leap(FIRST_YEAR + year as u64) {
                366
            } else {
                365
            };
        year += 1;
    }
    days
};

/// Days of a year before each month, and behind the last one: of years without and with a leap day.
const MONTH_BEGINS: [[u16; 13]; 2] = [
    [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365],
    [0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335, 366],
];

/// Days from 1970-01-01 to a day, if there is such a day.
#[inline(always)]
fn days(year: u64, month: u64, day: u64) -> Option<u64> {
    let at = usize::try_from(year.checked_sub(FIRST_YEAR)?).ok()?;
    let (begins, ends) = (*YEAR_BEGINS.get(at)?, *YEAR_BEGINS.get(at + 1)?);
    let months = &MONTH_BEGINS[usize::from(ends - begins == 366)];
    let month = usize::try_from(month).ok()?;
    let (first, next) = (*months.get(month.checked_sub(1)?)?, *months.get(month)?);
    let of_year = u64::from(first) + day.checked_sub(1)?;
    (of_year < u64::from(next)).then_some(u64::from(begins) + of_year)
}

/// The inverse, for days of years up to 2554, which is as far as the nanoseconds reach (Neri and Schneider, "Euclidean affine
/// functions and their application to calendar algorithms", 2022).
#[inline(always)]
const fn date(days: u32) -> (u32, u32, u32) {
    let quarters = 4 * (days + 719_468) + 3;
    let (century, of_century) = (quarters / 146_097, quarters % 146_097 / 4);
    let product = 2_939_745 * (4 * of_century + 3) as u64;
    let year = 100 * century + (product >> 32) as u32;
    let of_year = product as u32 / 2_939_745 / 4;
    let months = 2_141 * of_year + 197_913;
    let (month, day) = (months >> 16, (months & 0xffff) / 2_141 + 1);
    // Years begin in March here.
    if of_year >= 306 {
        (year + 1, month - 12, day)
    } else {
        (year, month, day)
    }
}

impl Timestamp {
    /// Reads `YYYYMMDD-HH:MM:SS` with or without a fraction; second 60 is a leap second and is taken for the next minute's first.
    #[inline]
    pub fn parse(text: &[u8]) -> Option<Self> {
        let (date, rest) = text.split_first_chunk::<8>()?;
        let (time, fraction) = rest.strip_prefix(b"-")?.split_first_chunk::<8>()?;
        // Each byte and the next as a number of two digits.
        let pairs = |digits: u64| digits * 10 + (digits >> 8);
        let pair = |pairs: u64, at: u32| pairs >> (8 * at) & 0xff;
        let date = pairs(digits(u64::from_le_bytes(*date))?);
        let day = days(
            pair(date, 0) * 100 + pair(date, 2),
            pair(date, 4),
            pair(date, 6),
        )?;
        let [_, _, b':', _, _, b':', _, _] = *time else {
            return None;
        };
        // What is a colon becomes a zero.
        let time = pairs(digits(u64::from_le_bytes(*time) ^ 0x0000_0a00_000a_0000)?);
        let (hours, minutes, seconds) = (pair(time, 0), pair(time, 3), pair(time, 6));
        if hours > 23 || minutes > 59 || seconds > 60 {
            return None;
        }
        let nanoseconds = match fraction {
            [] => 0,
            [b'.', a, b, c] => {
                let [a, b, c] = [a, b, c].map(|digit| u64::from(digit.wrapping_sub(b'0')));
                if a.max(b).max(c) > 9 {
                    return None;
                }
                (a * 100 + b * 10 + c) * 1_000_000
            }
            [b'.', digits @ ..] if digits.len() <= 9 => {
                unsigned(digits)? * 10_u64.pow(9 - digits.len() as u32)
            }
            _ => return None,
        };
        let seconds = day * DAY + hours * 3_600 + minutes * 60 + seconds;
        seconds
            .checked_mul(SECOND)?
            .checked_add(nanoseconds)
            .map(Timestamp)
    }

    /// `YYYYMMDD-HH:MM:SS.sss`, rounded down.
    #[inline]
    pub fn text(self) -> [u8; 21] {
        let seconds = self.0 / SECOND;
        let milliseconds = (self.0 % SECOND) as u32 / 1_000_000;
        let (year, month, day) = date((seconds / DAY) as u32);
        let time = (seconds % DAY) as u32;
        let two = |value: u32| {
            let tens = (value * 103) >> 10;
            [b'0' + tens as u8, b'0' + (value - 10 * tens) as u8]
        };
        let ([y3, y2], [y1, y0]) = (two(year / 100), two(year % 100));
        let ([m1, m0], [d1, d0]) = (two(month), two(day));
        let ([h1, h0], [n1, n0]) = (two(time / 3_600), two(time / 60 % 60));
        let ([s1, s0], [f2, f1]) = (two(time % 60), two(milliseconds / 10));
        let f0 = b'0' + (milliseconds % 10) as u8;
        [
            y3, y2, y1, y0, m1, m0, d1, d0, b'-', h1, h0, b':', n1, n0, b':', s1, s0, b'.', f2, f1,
            f0,
        ]
    }
}

impl Value<'_> for Timestamp {
    #[inline]
    fn read(value: &[u8]) -> Result<Self, Reason> {
        Timestamp::parse(value).ok_or(Reason::Format)
    }

    #[inline]
    fn write(&self, encoder: &mut Encoder<'_>) {
        encoder.array(&self.text());
    }
}
