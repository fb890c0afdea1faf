//! `UTCTimestamp` of FIX (volume 1, "Data types"), read and written without copies or allocation; the last date that was read and a thread's last
//! second that was written are remembered.

use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use super::encoder::{Encoder, ZEROS, split, sum_of_digits, three_digits};
use super::field::{Text, not_digits};
use super::value::unsigned;
use super::{Reason, Value};

/// Nanoseconds in a second.
pub(super) const SECOND: u64 = 1_000_000_000;
const DAY: u64 = 86_400;

/// `UTCTimestamp`: nanoseconds since 1970-01-01 00:00 UTC. Read with up to nine digits after the second (FIX 4.4 has none or
/// three, later versions more), written with three.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(
    /// Nanoseconds.
    pub u64,
);

/// Days from 1970-01-01 to a day of a year up to 9999, if there is such a day (Neri and Schneider, "Euclidean affine functions and
/// their application to calendar algorithms", 2022). The year is given as its century and the year of that.
#[inline(always)]
const fn days(century: u32, of_century: u32, month: u32, day: u32) -> Option<u32> {
    let year = 100 * century + of_century;
    let leap = if of_century == 0 { century } else { of_century } % 4 == 0;
    let last = match month {
        2 => 28 + leap as u32,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    if year < 1970 || month.wrapping_sub(1) > 11 || day.wrapping_sub(1) >= last {
        return None;
    }
    // Years begin in March here.
    let (year, month) = if month < 3 {
        (year - 1, month + 12)
    } else {
        (year, month)
    };
    let century = year / 100;
    let of_years = 1_461 * year / 4 - century + century / 4;
    let of_months = (979 * month - 2_919) / 32;
    Some(of_years + of_months + day - 1 - 719_468)
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

/// The date that was read last: its pairs of digits as bytes, the century's highest, then the days since 1970. One word, so that threads never see half of it;
/// and not a thread's own, whose access may be a call.
static LAST_DATE: AtomicU64 = AtomicU64::new(0x1346_0101_0000_0000);

/// When a date begins that is given as text, in nanoseconds since 1970. All messages but the first of a day have the date that was read last.
#[inline(always)]
fn date_begins(text: u64) -> Option<u64> {
    let digits = text ^ ZEROS;
    if not_digits(digits) != 0 {
        return None;
    }
    // Each byte and the next as a number of two digits, below 100; then the four side by side.
    let pairs = (digits * 10 + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let halves = (pairs << 8 | pairs >> 16) & 0x0000_ffff_0000_ffff;
    let date = (halves << 16 | halves >> 32) as u32;
    let last = LAST_DATE.load(Ordering::Relaxed);
    let days = if (last >> 32) as u32 == date {
        last as u32
    } else {
        new_date(date)?
    };
    Some(u64::from(days) * (DAY * SECOND))
}

/// The days since 1970 of a date, if its nanoseconds have 64 bits.
#[cold]
#[inline(never)]
fn new_date(date: u32) -> Option<u32> {
    let [day, month, year, century] = date.to_le_bytes().map(u32::from);
    let days = days(century, year, month, day)?;
    u64::from(days).checked_mul(DAY * SECOND)?;
    LAST_DATE.store(u64::from(date) << 32 | u64::from(days), Ordering::Relaxed);
    Some(days)
}

/// The nanoseconds since 1970 of `YYYYMMDD-HH:MM:SS`.
#[inline(always)]
fn to_second(text: &[u8; 17]) -> Option<u64> {
    // A colon becomes a zero digit.
    const COLONS: u64 = ZEROS ^ 0x0000_0a00_000a_0000;
    const AT_COLONS: u64 = 0x0000_ff00_00ff_0000;
    let begins = date_begins(u64::from_le_bytes(*text.first_chunk()?))?;
    let time = u64::from_le_bytes(*text.last_chunk()?) ^ COLONS;
    if not_digits(time) != 0 || text[8] != b'-' || time & AT_COLONS != 0 {
        return None;
    }
    // The bytes of the tens of hours, minutes and seconds, as numbers of two digits; one that is too large has its highest bit set once
    // that many are added which its greatest lacks to 127.
    let pairs = (time * 10 + (time >> 8)) & 0x00ff_0000_ff00_00ff;
    let beyond = pairs + ((127 - 60) << 48 | (127 - 59) << 24 | (127 - 23));
    if beyond & 0x0080_0000_8000_0080 != 0 {
        return None;
    }
    let seconds = (pairs & 0xff) * 3_600 + (pairs >> 24 & 0xff) * 60 + (pairs >> 48);
    begins.checked_add(seconds * SECOND)
}

impl Timestamp {
    /// Reads `YYYYMMDD-HH:MM:SS` with or without a fraction; second 60 is a leap second and is taken for the next minute's first.
    #[inline(never)]
    pub fn parse(text: &[u8]) -> Option<Self> {
        let (seconds, fraction) = text.split_first_chunk()?;
        let nanoseconds = match fraction {
            [] => 0,
            [b'.', digits @ ..] if digits.len() <= 9 => {
                unsigned(digits)? * 10_u64.pow(9 - digits.len() as u32)
            }
            _ => return None,
        };
        to_second(seconds)?.checked_add(nanoseconds).map(Timestamp)
    }

    /// As [`Timestamp::parse`], of what most messages have: milliseconds.
    #[inline(always)]
    fn parse_milliseconds(text: &[u8; 21]) -> Option<Self> {
        let fraction = u32::from_le_bytes(*text.last_chunk()?) ^ u32::from_le_bytes(*b".000");
        if (fraction | fraction.wrapping_add(0x7676_7600)) & 0x8080_80ff != 0 {
            return None;
        }
        let digit = |at: u32| u64::from(fraction >> (8 * at) & 0xff);
        let nanoseconds = (digit(1) * 100 + digit(2) * 10 + digit(3)) * 1_000_000;
        let seconds = to_second(text.first_chunk()?)?;
        seconds.checked_add(nanoseconds).map(Timestamp)
    }

    /// `YYYYMMDD-HH:MM:SS.sss`, rounded down.
    #[inline]
    pub fn text(self) -> [u8; 21] {
        let Clock { date, time, .. } = Clock::new(self.0 / SECOND);
        let [y3, y2, y1, y0, m1, m0, d1, d0] = date;
        let [h1, h0, _, n1, n0, _, s1, s0] = time;
        let [f2, f1, f0] = three_digits((self.0 % SECOND / 1_000_000) as u32);
        [
            y3, y2, y1, y0, m1, m0, d1, d0, b'-', h1, h0, b':', n1, n0, b':', s1, s0, b'.', f2, f1,
            f0,
        ]
    }
}

/// As [`Timestamp::text`].
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text()
            .iter()
            .try_for_each(|byte| fmt::Write::write_char(f, char::from(*byte)))
    }
}

/// A second as text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// Seconds since 1970.
    pub second: u64,
    /// `YYYYMMDD`.
    pub date: [u8; 8],
    /// `HH:MM:SS`.
    pub time: [u8; 8],
    /// The sum of the bytes of both.
    pub sum: u64,
}

thread_local! {
    /// The last second that the thread wrote.
    static LAST: Cell<Clock> = const { Cell::new(Clock::new(0)) };
}

impl Clock {
    /// As [`Clock::new`]; cheap if it is the second that the thread wrote last, as for all messages but the first of
    /// each second.
    #[inline(always)]
    pub(super) fn of(second: u64) -> Self {
        let mut clock = LAST.get();
        if clock.second != second {
            clock = Clock::new(second);
            LAST.set(clock);
        }
        clock
    }

    /// The text of a second of the years up to 2554.
    const fn new(second: u64) -> Self {
        let (year, month, day) = date((second / DAY) as u32);
        let date = 10_000 * year + 100 * month + day;
        let time = (second % DAY) as u32;
        let minutes = time / 60;
        // The colons are zero digits at first.
        let time = 1_000_000 * (minutes / 60) + 1_000 * (minutes % 60) + time % 60;
        const COLONS: u64 = 0x0000_0a00_000a_0000;
        let date = split(date as u64);
        let time = split(time as u64) | COLONS;
        Clock {
            second,
            date: (date | ZEROS).to_le_bytes(),
            time: (time + ZEROS).to_le_bytes(),
            sum: sum_of_digits(date, 8) + sum_of_digits(time, 8),
        }
    }
}

impl Value<'_> for Timestamp {
    #[inline]
    fn read(value: &[u8]) -> Result<Self, Reason> {
        Timestamp::parse(value).ok_or(Reason::Format)
    }

    #[inline(always)]
    fn take(text: Text<'_>) -> Result<Self, Reason> {
        let time = match text.chunk() {
            Some(chunk) if text.len() == 21 => Timestamp::parse_milliseconds(chunk),
            _ => Timestamp::parse(text.value()),
        };
        time.ok_or(Reason::Format)
    }

    #[inline]
    fn write<const P: usize>(&self, prefix: &[u8; P], encoder: &mut Encoder<'_>) {
        encoder.time(prefix, self.0);
    }
}
