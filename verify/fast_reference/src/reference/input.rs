//! The transfer encoding (section 10): presence maps, integers, strings and byte vectors out of bytes.

use super::Reportable;
use super::error::Code;

/// Bytes and how far they are read.
#[derive(Clone, Debug)]
pub struct Input<'a> {
    bytes: &'a [u8],
    offset: usize,
    reportable: Reportable,
}

/// The presence map of a segment (section 10.5), and how many of its bits are used.
#[derive(Clone, Debug, Default)]
pub struct PresenceMap {
    bits: Vec<bool>,
    used: usize,
}

impl PresenceMap {
    /// The next bit. After the last come zeros without end.
    pub fn take(&mut self) -> bool {
        let bit = self.bits.get(self.used).copied().unwrap_or(false);
        self.used += 1;
        bit
    }

    /// Whether a bit is set that nobody took.
    pub fn has_more(&self) -> bool {
        self.bits.iter().skip(self.used).any(|&bit| bit)
    }
}

impl<'a> Input<'a> {
    pub fn new(bytes: &'a [u8], reportable: Reportable) -> Self {
        Input {
            bytes,
            offset: 0,
            reportable,
        }
    }

    /// How many bytes are read.
    pub fn offset(&self) -> usize {
        self.offset
    }

    pub fn is_at_end(&self) -> bool {
        self.offset >= self.bytes.len()
    }

    /// The next `length` bytes, or `None` if there are not as many.
    pub fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let end = self.offset.checked_add(length)?;
        let taken = self.bytes.get(self.offset..end)?;
        self.offset = end;
        Some(taken)
    }

    /// `Err(code)` if reportable errors are signalled and this one is there.
    fn report(&self, is_there: bool, code: Code) -> Result<(), Code> {
        match self.reportable {
            Reportable::Signal if is_there => Err(code),
            _ => Ok(()),
        }
    }

    /// A stop bit encoded entity (section 10.2) as its groups of seven bits, without the stop bits; at least one.
    fn entity(&mut self) -> Result<Vec<u8>, Code> {
        let rest = &self.bytes[self.offset..];
        let last = rest
            .iter()
            .position(|byte| byte & 0x80 != 0)
            .ok_or(Code::Truncated)?;
        self.offset += last + 1;
        Ok(rest[..=last].iter().map(|byte| byte & 0x7f).collect())
    }

    /// Section 10.5.
    pub fn presence_map(&mut self) -> Result<PresenceMap, Code> {
        let entity = self.entity()?;
        self.report(entity.len() > 1 && entity.last() == Some(&0), Code::R7)?;
        let bits = entity
            .iter()
            .flat_map(|group| (0..7).rev().map(move |bit| group >> bit & 1 == 1))
            .collect();
        Ok(PresenceMap { bits, used: 0 })
    }

    /// Section 10.6.1.2. What is too large for any type stays too large for any type.
    pub fn unsigned(&mut self) -> Result<i128, Code> {
        let entity = self.entity()?;
        self.report(entity.len() > 1 && entity[0] == 0, Code::R6)?;
        Ok(value_of(&entity, 0))
    }

    /// An unsigned integer that may be overlong: the size of a block (section 10).
    pub fn block_size(&mut self) -> Result<i128, Code> {
        Ok(value_of(&self.entity()?, 0))
    }

    /// Section 10.6.1.1. What is too large or too small for any type stays so.
    pub fn signed(&mut self) -> Result<i128, Code> {
        let entity = self.entity()?;
        let negative = entity[0] & 0x40 != 0;
        let is_overlong = entity.len() > 1
            && match entity[0] {
                0x00 => entity[1] & 0x40 == 0,
                0x7f => entity[1] & 0x40 != 0,
                _ => false,
            };
        self.report(is_overlong, Code::R6)?;
        Ok(value_of(&entity, if negative { -1 } else { 0 }))
    }

    /// An unsigned integer; with `nullable` one that can be NULL, which is `None` (section 10.6.1).
    pub fn nullable_unsigned(&mut self, nullable: bool) -> Result<Option<i128>, Code> {
        self.unsigned().map(|value| without_null(value, nullable))
    }

    /// A signed integer; with `nullable` one that can be NULL, which is `None` (section 10.6.1).
    pub fn nullable_signed(&mut self, nullable: bool) -> Result<Option<i128>, Code> {
        self.signed().map(|value| without_null(value, nullable))
    }

    /// Section 10.6.3, with its table of zero-preambles. `None` is NULL.
    pub fn ascii(&mut self, nullable: bool) -> Result<Option<Vec<u8>>, Code> {
        let entity = self.entity()?;
        let mut text = &entity[..];
        if nullable && text[0] == 0 {
            // The additional preamble of a nullable string.
            text = &text[1..];
            if text.is_empty() {
                return Ok(None);
            }
            // Only the empty string and one that starts with a zero need it: a zero must follow.
            self.report(text[0] != 0, Code::R9)?;
        }
        if text[0] == 0 {
            // The preamble: nothing may follow it, or a zero.
            text = &text[1..];
            self.report(text.first().is_some_and(|&first| first != 0), Code::R9)?;
        }
        Ok(Some(text.to_vec()))
    }

    /// Section 10.6.5. `None` is NULL.
    pub fn byte_vector(&mut self, nullable: bool) -> Result<Option<Vec<u8>>, Code> {
        let Some(size) = self.nullable_unsigned(nullable)? else {
            return Ok(None);
        };
        let size = u32::try_from(size).map_err(|_| Code::D2)?;
        let bytes = self.take(size as usize).ok_or(Code::Truncated)?;
        Ok(Some(bytes.to_vec()))
    }
}

/// Groups of seven bits as an integer, the most significant first, after `sign` (0 or -1).
fn value_of(entity: &[u8], sign: i128) -> i128 {
    entity.iter().fold(sign, |value, &group| {
        value.saturating_mul(128).saturating_add(i128::from(group))
    })
}

/// A nullable integer counts from one where it is not negative; zero is NULL.
fn without_null(value: i128, nullable: bool) -> Option<i128> {
    match value {
        _ if !nullable => Some(value),
        0 => None,
        1.. => Some(value - 1),
        _ => Some(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(bytes: &[u8]) -> Input<'_> {
        Input::new(bytes, Reportable::Signal)
    }

    #[test]
    fn integers_of_appendix_3_1() {
        assert_eq!(input(&[0x39, 0x45, 0xa3]).signed(), Ok(942_755));
        assert_eq!(input(&[0x7c, 0x1b, 0x1b, 0x9d]).signed(), Ok(-7_942_755));
        assert_eq!(input(&[0x00, 0x40, 0x81]).signed(), Ok(8_193));
        assert_eq!(input(&[0x7f, 0x3f, 0xff]).signed(), Ok(-8_193));
        let nullable = |bytes: &[u8]| input(bytes).nullable_signed(true);
        assert_eq!(nullable(&[0x39, 0x45, 0xa4]), Ok(Some(942_755)));
        assert_eq!(nullable(&[0x46, 0x3a, 0xdd]), Ok(Some(-942_755)));
        let nullable = |bytes: &[u8]| input(bytes).nullable_unsigned(true);
        assert_eq!(nullable(&[0x80]), Ok(None));
        assert_eq!(nullable(&[0x81]), Ok(Some(0)));
        // The greatest uInt32, the note in section 10.6.1.
        let greatest = nullable(&[0x10, 0x00, 0x00, 0x00, 0x80]);
        assert_eq!(greatest, Ok(Some(4_294_967_295)));
    }

    #[test]
    fn zero_preambles_are_those_of_the_table_in_10_6_3() {
        let lenient = |bytes: &[u8], nullable| {
            Input::new(bytes, Reportable::Ignore)
                .ascii(nullable)
                .unwrap()
        };
        let text = |text: &str| Some(text.as_bytes().to_vec());
        // Entity, nullable, value, overlong: the eight rows, and the plain string.
        for (bytes, nullable, value, overlong) in [
            (&[0x80][..], false, text(""), false),
            (&[0x00, 0x80], false, text("\0"), false),
            (&[0x00, 0xc1], false, text("A"), true),
            (&[0x80], true, None, false),
            (&[0x00, 0x80], true, text(""), false),
            (&[0x00, 0xc1], true, text("A"), true),
            (&[0x00, 0x00, 0x80], true, text("\0"), false),
            (&[0x00, 0x00, 0xc1], true, text("A"), true),
            (&[0xc1], true, text("A"), false),
            (&[0xc1], false, text("A"), false),
        ] {
            assert_eq!(lenient(bytes, nullable), value, "{bytes:x?} {nullable}");
            let strict = input(bytes).ascii(nullable);
            let expected = if overlong { Err(Code::R9) } else { Ok(value) };
            assert_eq!(strict, expected, "{bytes:x?} {nullable}");
        }
    }

    #[test]
    fn overlong_integers_are_reported_where_wanted() {
        for (bytes, value) in [
            (&[0x00, 0x80][..], 0),
            (&[0x00, 0xbf], 63),
            (&[0x7f, 0xc0], -64),
        ] {
            assert_eq!(input(bytes).signed(), Err(Code::R6));
            assert_eq!(Input::new(bytes, Reportable::Ignore).signed(), Ok(value));
        }
        // Here the first group carries the sign.
        assert_eq!(input(&[0x00, 0xc0]).signed(), Ok(64));
        assert_eq!(input(&[0x7f, 0xbf]).signed(), Ok(-65));
        assert_eq!(input(&[0x00, 0xc0]).unsigned(), Err(Code::R6));
        assert_eq!(input(&[0x00, 0xc0]).block_size(), Ok(64));
    }

    #[test]
    fn an_integer_of_any_length_is_read_and_stays_out_of_every_range() {
        let mut bytes = vec![0x01; 1_000];
        bytes.push(0x81);
        assert!(input(&bytes).unsigned().unwrap() > i128::from(u64::MAX) * 1_000);
        bytes[0] = 0x40;
        assert!(input(&bytes).signed().unwrap() < i128::from(i64::MIN) * 1_000);
        bytes.pop();
        assert_eq!(input(&bytes).signed(), Err(Code::Truncated));
    }

    #[test]
    fn a_presence_map_ends_in_zeros_without_end() {
        let mut map = input(&[0x40, 0x82]).presence_map().unwrap();
        let bits: Vec<bool> = (0..20).map(|_| map.take()).collect();
        let set: Vec<usize> = (0..20).filter(|&bit| bits[bit]).collect();
        assert_eq!(set, [0, 12]);
        assert!(!map.has_more());
        let mut map = input(&[0x40, 0x82]).presence_map().unwrap();
        assert!((0..12).map(|_| map.take()).count() == 12 && map.has_more());
        assert_eq!(input(&[0x40, 0x80]).presence_map().unwrap_err(), Code::R7);
    }
}
