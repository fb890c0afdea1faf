//! Presence maps (10.5).

use super::{DATA, STOP};

/// Bits that are held in the word.
const HELD: usize = 63;

/// A presence map that is being used up, bit by bit. After its last bit it goes on with zeros, as the specification says.
#[derive(Clone, Copy, Debug)]
pub struct PresenceMap<'a> {
    /// The next bit is the highest.
    bits: u64,
    /// How many bits of the word are still ahead of those in `rest`; counted only where there is a rest.
    left: u8,
    /// The bytes after the first nine.
    rest: &'a [u8],
}

impl<'a> PresenceMap<'a> {
    /// No bit is set.
    pub const EMPTY: PresenceMap<'static> = PresenceMap {
        bits: 0,
        left: 0,
        rest: &[],
    };

    /// The map in one byte.
    #[inline(always)]
    pub(super) const fn of_byte(byte: u8) -> Self {
        PresenceMap {
            bits: (byte as u64) << 57,
            left: 0,
            rest: &[],
        }
    }

    /// The map in the bytes of an entity.
    pub(super) fn new(entity: &'a [u8]) -> Self {
        let (held, rest) = entity.split_at(entity.len().min(HELD / 7));
        PresenceMap {
            bits: Self::of_bytes(held),
            left: HELD as u8,
            rest,
        }
    }

    fn of_bytes(bytes: &[u8]) -> u64 {
        let mut bits = 0;
        for (index, byte) in bytes.iter().enumerate() {
            bits |= u64::from(byte & DATA) << (57 - 7 * index);
        }
        bits
    }

    /// The next bit.
    #[inline(always)]
    pub fn next_bit(&mut self) -> bool {
        if !self.rest.is_empty() {
            return self.next_of_many();
        }
        let bit = self.bits >> 63 != 0;
        self.bits <<= 1;
        bit
    }

    #[inline(never)]
    fn next_of_many(&mut self) -> bool {
        if self.left == 0 {
            let (held, rest) = self.rest.split_at(self.rest.len().min(HELD / 7));
            self.bits = Self::of_bytes(held);
            self.rest = rest;
            self.left = HELD as u8;
        }
        let bit = self.bits >> 63 != 0;
        self.bits <<= 1;
        self.left -= 1;
        bit
    }

    /// The bits that are left, the next one highest; `None` if there may be more than 63.
    #[inline(always)]
    pub fn word(&self) -> Option<u64> {
        self.rest.is_empty().then_some(self.bits)
    }

    /// Goes on with these bits, where [`PresenceMap::word`] gave them.
    #[inline(always)]
    pub fn set_word(&mut self, bits: u64) {
        self.bits = bits;
    }

    /// Whether a bit is set that was not used up (R8).
    #[inline(always)]
    pub fn has_more(&self) -> bool {
        self.bits != 0 || self.rest.iter().any(|byte| byte & DATA != 0)
    }
}

/// Collects the bits of a presence map.
#[derive(Clone, Debug, Default)]
pub struct MapWriter {
    bytes: Vec<u8>,
    count: usize,
}

impl MapWriter {
    /// Forgets all bits.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.count = 0;
    }

    /// Appends a bit.
    pub fn push(&mut self, bit: bool) {
        if self.count.is_multiple_of(7) {
            self.bytes.push(0);
        }
        if let Some(last) = self.bytes.last_mut() {
            *last |= u8::from(bit) << (6 - self.count % 7);
        }
        self.count += 1;
    }

    /// Bits so far.
    pub const fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Inserts the map, without its zeros at the end, at byte `at` of `out`. A map without bits is one byte, as is one of zeros alone.
    pub fn insert(&self, out: &mut Vec<u8>, at: usize) {
        let used = self.bytes.iter().rposition(|byte| *byte != 0);
        let length = used.map_or(1, |last| last + 1);
        let end = out.len();
        let at = at.min(end);
        out.resize(end + length, 0);
        out.copy_within(at..end, at + length);
        for index in 0..length {
            out[at + index] = self.bytes.get(index).copied().unwrap_or(0);
        }
        out[at + length - 1] |= STOP;
    }
}
