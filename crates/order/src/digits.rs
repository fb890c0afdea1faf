//! Numbers and times as the hardware stores them: a digit in four bits, the first digit highest.

use formats::fix::Timestamp;
use thiserror::Error;

/// Digits of a MsgSeqNum: `NumberDigits` of `order_template_pkg`.
pub(crate) const NUMBER_DIGITS: usize = 9;
/// Digits of `YYYYMMDDHHMMSSmmm`: `TimeDigits`.
pub(crate) const TIME_DIGITS: usize = 17;

/// A MsgSeqNum that the hardware can send: 1 to 999,999,999.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Number(u32);

/// A MsgSeqNum the hardware cannot send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("MsgSeqNum {0}: the hardware's are 1 to 999999999; reset the session's numbers")]
pub struct NumberError(
    /// It.
    pub u64,
);

impl Number {
    /// The last one.
    pub const LAST: Number = Number(999_999_999);

    /// A MsgSeqNum.
    ///
    /// # Errors
    /// It is 0, or has more than nine digits.
    pub const fn new(number: u64) -> Result<Self, NumberError> {
        if number == 0 || number > Self::LAST.0 as u64 {
            return Err(NumberError(number));
        }
        Ok(Number(number as u32))
    }

    /// The number.
    pub const fn get(self) -> u64 {
        self.0 as u64
    }

    /// Its nine digits, four bits each.
    pub const fn digits(self) -> u64 {
        decimal_digits(self.0 as u64)
    }

    /// The number of nine digits.
    ///
    /// # Errors
    /// The number is 0, or four bits are no digit.
    pub const fn from_digits(mut digits: u64) -> Result<Self, NumberError> {
        let (given, mut value, mut place) = (digits, 0, 1);
        while digits != 0 {
            if digits & 0xf > 9 {
                return Err(NumberError(given));
            }
            value += (digits & 0xf) * place;
            place *= 10;
            digits >>= 4;
        }
        Number::new(value)
    }

    /// As in a message: nine characters.
    pub(crate) fn text(self) -> [u8; NUMBER_DIGITS] {
        characters(self.digits())
    }
}

/// The last `N` digits as characters.
fn characters<const N: usize>(digits: u64) -> [u8; N] {
    std::array::from_fn(|i| b'0' | (digits >> (4 * (N - 1 - i)) & 0xf) as u8)
}

/// The last sixteen decimal digits of a value, four bits each.
pub const fn decimal_digits(mut value: u64) -> u64 {
    let (mut digits, mut place) = (0, 0);
    while value != 0 && place < 64 {
        digits |= (value % 10) << place;
        value /= 10;
        place += 4;
    }
    digits
}

/// `YYYYMMDDHHMMSSmmm`, four bits a digit, of a time (milliseconds rounded down).
pub fn time_digits(time: Timestamp) -> u128 {
    let text = time.text();
    let digits = text.iter().filter(|byte| byte.is_ascii_digit());
    digits.fold(0, |all, digit| all << 4 | u128::from(digit & 0xf))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_nine_digits_and_comes_back_from_them() {
        let number = Number::new(120_045).unwrap();
        assert_eq!(number.digits(), 0x0_0012_0045);
        assert_eq!(&number.text(), b"000120045");
        assert_eq!(Number::from_digits(number.digits()), Ok(number));
        assert_eq!(Number::LAST.digits(), 0x9_9999_9999);
    }

    #[test]
    fn what_the_hardware_cannot_send_is_no_number() {
        for number in [0, 1_000_000_000, u64::MAX] {
            assert_eq!(Number::new(number), Err(NumberError(number)));
        }
        assert_eq!(Number::from_digits(0xa), Err(NumberError(0xa)));
        assert_eq!(Number::from_digits(u64::MAX), Err(NumberError(u64::MAX)));
    }

    #[test]
    fn a_time_has_seventeen_digits() {
        let time = Timestamp::parse(b"20240229-23:59:58.007").unwrap();
        assert_eq!(time_digits(time), 0x20240229235958007);
    }
}
