//! ASCII strings (10.6.3).

use super::DATA;

/// An ASCII string as it is encoded, behind its preamble: one character a byte, the stop bit set in the last.
#[derive(Clone, Copy, Debug)]
pub struct Ascii<'a> {
    encoded: &'a [u8],
}

impl<'a> Ascii<'a> {
    /// No preamble: the entity is the string, but a single NUL is the empty string.
    #[inline(always)]
    pub(super) const fn whole(entity: &'a [u8]) -> Self {
        if let [0x80] = entity {
            return Ascii { encoded: &[] };
        }
        Ascii { encoded: entity }
    }

    /// A string that is not nullable, and whether it is overlong.
    pub(super) fn mandatory(entity: &'a [u8]) -> (Self, bool) {
        match entity {
            [first, rest @ ..] if first & DATA == 0 => {
                let overlong = rest.first().is_some_and(|next| next & DATA != 0);
                (Ascii { encoded: rest }, overlong)
            }
            _ => (Ascii { encoded: entity }, false),
        }
    }

    /// What follows the additional preamble of a nullable string, which is a string that is not nullable.
    pub(super) fn after_preamble(entity: &'a [u8]) -> (Self, bool) {
        let preamble = entity.first().is_some_and(|first| first & DATA == 0);
        let (text, overlong) = Self::mandatory(entity);
        // Without a second preamble, the first was not needed.
        (text, overlong || !preamble)
    }

    /// Number of characters.
    #[inline(always)]
    pub const fn len(&self) -> usize {
        self.encoded.len()
    }

    /// Whether there are no characters.
    #[inline(always)]
    pub const fn is_empty(&self) -> bool {
        self.encoded.is_empty()
    }

    /// The characters, with the stop bit set in the last.
    #[inline(always)]
    pub const fn encoded(&self) -> &'a [u8] {
        self.encoded
    }

    /// Appends the characters.
    #[inline]
    pub fn append_to(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.encoded);
        if !self.encoded.is_empty()
            && let Some(last) = out.last_mut()
        {
            *last &= DATA;
        }
    }
}
