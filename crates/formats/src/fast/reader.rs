//! Reads elements off the front of bytes.

use super::{Ascii, DATA, Fault, Overlong, PresenceMap, STOP};

/// The stop bits of eight bytes.
pub(super) const STOPS: u64 = 0x8080_8080_8080_8080;

/// A position in bytes that are read from front to back.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Encodings that were longer than need be.
    pub overlong: Overlong,
}

/// Joins the data bits of up to eight bytes, the first byte in the highest place.
#[inline(always)]
const fn join(bytes: u64) -> u64 {
    // The upper part of each field moves down by what the lower part does not use: 256·a + b becomes 128·a + b.
    let pairs = bytes - ((bytes & 0x7f00_7f00_7f00_7f00) >> 1);
    let fours = (pairs & 0x0000_3fff_0000_3fff) | ((pairs & 0x3fff_0000_3fff_0000) >> 2);
    (fours >> 32) << 28 | (fours & 0xffff_ffff)
}

/// Seven more bits of an unsigned integer; `None` above 128 bits less seven.
const fn more(value: u128, byte: u8) -> Option<u128> {
    if value >> 121 != 0 {
        return None;
    }
    Some(value << 7 | (byte & DATA) as u128)
}

impl<'a> Reader<'a> {
    /// Begins at the first byte.
    #[inline]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Reader {
            bytes,
            at: 0,
            overlong: Overlong {
                integer: false,
                map: false,
                string: false,
            },
        }
    }

    /// Begins at byte `at`.
    #[inline]
    pub const fn starting_at(bytes: &'a [u8], at: usize) -> Self {
        Reader {
            at,
            ..Reader::new(bytes)
        }
    }

    /// Bytes read so far.
    #[inline(always)]
    pub const fn position(&self) -> usize {
        self.at
    }

    /// Goes on at byte `at`.
    #[inline(always)]
    pub const fn go_to(&mut self, at: usize) {
        self.at = at;
    }

    /// Bytes left.
    #[inline(always)]
    pub const fn remaining(&self) -> usize {
        self.bytes.len().saturating_sub(self.at)
    }

    /// The bytes that are left.
    #[inline(always)]
    pub fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or(&[])
    }

    /// All the bytes, those read included.
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    #[inline(always)]
    fn first(&self) -> Result<u8, Fault> {
        match self.bytes.get(self.at) {
            Some(byte) => Ok(*byte),
            None => Err(Fault::Truncated),
        }
    }

    /// Two to eight bytes of an entity: the joined data bits and the count of bytes, if it ends within eight bytes and the bytes do not.
    #[inline(always)]
    fn short(&self) -> Option<(u64, u32)> {
        let chunk = self.bytes.get(self.at..)?.first_chunk::<8>()?;
        let word = u64::from_be_bytes(*chunk);
        let stops = word & STOPS;
        if stops == 0 {
            return None;
        }
        let before = stops.leading_zeros();
        Some((join((word >> (56 - before)) & !STOPS), before / 8 + 1))
    }

    /// The bytes of a stop-bit entity (10.2), the stop bit included.
    ///
    /// # Errors
    /// No byte has a stop bit.
    #[inline]
    pub fn entity(&mut self) -> Result<&'a [u8], Fault> {
        let rest = self.bytes.get(self.at..).ok_or(Fault::Truncated)?;
        if let Some(chunk) = rest.first_chunk::<8>() {
            let stops = u64::from_le_bytes(*chunk) & STOPS;
            if stops != 0 {
                let length = stops.trailing_zeros() as usize / 8 + 1;
                self.at += length;
                return rest.get(..length).ok_or(Fault::Truncated);
            }
        }
        self.long_entity(rest)
    }

    #[inline(never)]
    fn long_entity(&mut self, rest: &'a [u8]) -> Result<&'a [u8], Fault> {
        let last = rest.iter().position(|byte| byte & STOP != 0);
        let entity = last.and_then(|last| rest.get(..=last));
        let entity = entity.ok_or(Fault::Truncated)?;
        self.at += entity.len();
        Ok(entity)
    }

    /// Any unsigned integer of up to 121 bits.
    #[inline(never)]
    fn long_unsigned(&mut self) -> Result<u128, Fault> {
        let entity = self.entity()?;
        self.overlong.integer |= entity.len() > 1 && entity[0] == 0;
        let mut value = 0;
        for byte in entity {
            value = more(value, *byte).ok_or(Fault::TooLarge)?;
        }
        Ok(value)
    }

    /// Any signed integer of up to 121 bits.
    #[inline(never)]
    fn long_signed(&mut self) -> Result<i128, Fault> {
        let entity = self.entity()?;
        let first = entity[0] & DATA;
        let sign = first >> 6 & 1;
        if let Some(second) = entity.get(1) {
            let extension = if sign == 0 { 0 } else { DATA };
            self.overlong.integer |= first == extension && second >> 6 & 1 == sign;
        }
        let mut value: i128 = if sign == 0 { 0 } else { -1 };
        for byte in entity {
            // What is shifted out must be the sign.
            if value >> 120 != value >> 127 {
                return Err(Fault::TooLarge);
            }
            value = value << 7 | i128::from(byte & DATA);
        }
        Ok(value)
    }

    /// An unsigned integer of up to 64 bits, not nullable (10.6.1.2).
    ///
    /// # Errors
    /// Truncated, or above 64 bits.
    #[inline(always)]
    pub fn unsigned(&mut self) -> Result<u64, Fault> {
        let first = self.first()?;
        if first & STOP != 0 {
            self.at += 1;
            return Ok(u64::from(first & DATA));
        }
        if let Some((value, length)) = self.short() {
            self.overlong.integer |= first == 0;
            self.at += length as usize;
            return Ok(value);
        }
        u64::try_from(self.long_unsigned()?).map_err(|_| Fault::TooLarge)
    }

    /// An unsigned integer of up to 64 bits, or NULL (10.6.1).
    ///
    /// # Errors
    /// Truncated, or above 64 bits.
    #[inline(always)]
    pub fn nullable_unsigned(&mut self) -> Result<Option<u64>, Fault> {
        let first = self.first()?;
        if first & STOP != 0 {
            self.at += 1;
            return Ok(u64::from(first & DATA).checked_sub(1));
        }
        if let Some((value, length)) = self.short() {
            self.overlong.integer |= first == 0;
            self.at += length as usize;
            return Ok(value.checked_sub(1));
        }
        match self.long_unsigned()?.checked_sub(1) {
            None => Ok(None),
            Some(value) => u64::try_from(value).map(Some).map_err(|_| Fault::TooLarge),
        }
    }

    /// The two's complement number in one byte.
    #[inline(always)]
    pub(super) const fn of_byte(byte: u8) -> i64 {
        ((byte << 1) as i8 >> 1) as i64
    }

    /// The two's complement number in `length` joined bytes; notes whether it is overlong.
    #[inline(always)]
    fn extend(&mut self, value: u64, length: u32) -> i64 {
        let unused = 64 - 7 * length;
        let value = (value << unused) as i64;
        // Overlong: the highest seven bits and the sign of the rest are all the same.
        self.overlong.integer |= matches!(value >> 56, 0 | -1);
        value >> unused
    }

    /// A signed integer of up to 64 bits, not nullable (10.6.1.1).
    ///
    /// # Errors
    /// Truncated, or above 64 bits.
    #[inline(always)]
    pub fn signed(&mut self) -> Result<i64, Fault> {
        let first = self.first()?;
        if first & STOP != 0 {
            self.at += 1;
            return Ok(Self::of_byte(first));
        }
        if let Some((value, length)) = self.short() {
            self.at += length as usize;
            return Ok(self.extend(value, length));
        }
        i64::try_from(self.long_signed()?).map_err(|_| Fault::TooLarge)
    }

    /// A signed integer of up to 64 bits, or NULL (10.6.1).
    ///
    /// # Errors
    /// Truncated, or above 64 bits.
    #[inline(always)]
    pub fn nullable_signed(&mut self) -> Result<Option<i64>, Fault> {
        let first = self.first()?;
        let value = if first & STOP != 0 {
            self.at += 1;
            Self::of_byte(first)
        } else if let Some((value, length)) = self.short() {
            self.at += length as usize;
            self.extend(value, length)
        } else {
            return match self.nullable_signed_wide()? {
                None => Ok(None),
                Some(value) => i64::try_from(value).map(Some).map_err(|_| Fault::TooLarge),
            };
        };
        // Of 56 bits at most: nothing overflows.
        Ok((value != 0).then_some(value - i64::from(value > 0)))
    }

    /// A signed integer of up to 70 bits, not nullable: a delta of 64-bit integers may take 66 (10.7.1).
    ///
    /// # Errors
    /// Truncated, or above 70 bits.
    pub fn signed_wide(&mut self) -> Result<i128, Fault> {
        let value = self.long_signed()?;
        if value >> 69 != value >> 127 {
            return Err(Fault::TooLarge);
        }
        Ok(value)
    }

    /// As [`Reader::signed_wide`], or NULL.
    ///
    /// # Errors
    /// Truncated, or above 70 bits.
    pub fn nullable_signed_wide(&mut self) -> Result<Option<i128>, Fault> {
        let value = self.signed_wide()?;
        Ok((value != 0).then_some(value - i128::from(value > 0)))
    }

    /// An ASCII string, not nullable (10.6.3).
    ///
    /// # Errors
    /// Truncated.
    #[inline(always)]
    pub fn ascii(&mut self) -> Result<Ascii<'a>, Fault> {
        let entity = self.entity()?;
        // Nearly every string begins with a character that is not NUL.
        if entity.len() == 1 || entity[0] != 0 {
            return Ok(Ascii::whole(entity));
        }
        let (text, overlong) = Ascii::mandatory(entity);
        self.overlong.string |= overlong;
        Ok(text)
    }

    /// An ASCII string, or NULL (10.6.3).
    ///
    /// # Errors
    /// Truncated.
    #[inline(always)]
    pub fn nullable_ascii(&mut self) -> Result<Option<Ascii<'a>>, Fault> {
        let entity = self.entity()?;
        if entity == [STOP] {
            return Ok(None);
        }
        if entity[0] != 0 {
            return Ok(Some(Ascii::whole(entity)));
        }
        let (text, overlong) = Ascii::after_preamble(&entity[1..]);
        self.overlong.string |= overlong;
        Ok(Some(text))
    }

    /// `length` bytes as they are; the length was read before (10.6.5).
    ///
    /// # Errors
    /// There are fewer bytes.
    #[inline]
    fn raw(&mut self, length: u64) -> Result<&'a [u8], Fault> {
        let length = usize::try_from(length).map_err(|_| Fault::Truncated)?;
        let rest = self.bytes.get(self.at..).ok_or(Fault::Truncated)?;
        let raw = rest.get(..length).ok_or(Fault::Truncated)?;
        self.at += length;
        Ok(raw)
    }

    /// A length of 32 bits at most.
    #[inline]
    fn length(value: u64) -> Result<u64, Fault> {
        if value > u64::from(u32::MAX) {
            return Err(Fault::TooLarge);
        }
        Ok(value)
    }

    /// A byte vector or Unicode string, not nullable (10.6.4, 10.6.5).
    ///
    /// # Errors
    /// Truncated, or a length above 32 bits.
    #[inline]
    pub fn vector(&mut self) -> Result<&'a [u8], Fault> {
        let length = Self::length(self.unsigned()?)?;
        self.raw(length)
    }

    /// A byte vector or Unicode string, or NULL (10.6.4, 10.6.5).
    ///
    /// # Errors
    /// Truncated, or a length above 32 bits.
    #[inline]
    pub fn nullable_vector(&mut self) -> Result<Option<&'a [u8]>, Fault> {
        match self.nullable_unsigned()? {
            None => Ok(None),
            Some(length) => self.raw(Self::length(length)?).map(Some),
        }
    }

    /// A presence map (10.5).
    ///
    /// # Errors
    /// Truncated.
    #[inline(always)]
    pub fn presence_map(&mut self) -> Result<PresenceMap<'a>, Fault> {
        let first = self.first()?;
        if first & STOP != 0 {
            self.at += 1;
            return Ok(PresenceMap::of_byte(first));
        }
        self.long_map()
    }

    #[inline(never)]
    fn long_map(&mut self) -> Result<PresenceMap<'a>, Fault> {
        let entity = self.entity()?;
        self.overlong.map |= entity.last() == Some(&STOP);
        Ok(PresenceMap::new(entity))
    }
}
