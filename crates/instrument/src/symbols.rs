//! Symbols of one source, hashed.

use formats::Symbol;

use crate::MAX_INSTRUMENTS;

const BUCKETS: usize = 4 * MAX_INSTRUMENTS;
const EMPTY: u16 = u16::MAX;

/// A hash of 1,024 buckets with linear probing: never more than a quarter full, 10 KiB.
#[derive(Clone, Debug)]
pub struct Symbols {
    keys: Box<[u64; BUCKETS]>,
    index_of: Box<[u16; BUCKETS]>,
}

impl Default for Symbols {
    fn default() -> Self {
        Symbols {
            keys: Box::new([0; BUCKETS]),
            index_of: Box::new([EMPTY; BUCKETS]),
        }
    }
}

impl Symbols {
    /// These symbols by their places, at most [`MAX_INSTRUMENTS`]. Of equal symbols the first is found.
    pub fn new(symbols: impl Iterator<Item = Option<Symbol>>) -> Self {
        let mut hash = Symbols::default();
        for (index, symbol) in (0..MAX_INSTRUMENTS as u16).zip(symbols) {
            let Some(symbol) = symbol else { continue };
            let key = u64::from_ne_bytes(symbol.0);
            let mut bucket = Self::bucket(key);
            while hash.index_of[bucket] != EMPTY {
                bucket = (bucket + 1) % BUCKETS;
            }
            hash.keys[bucket] = key;
            hash.index_of[bucket] = index;
        }
        hash
    }

    /// The place of a symbol.
    #[inline(always)]
    pub fn find(&self, symbol: Symbol) -> Option<u8> {
        let key = u64::from_ne_bytes(symbol.0);
        let first = Self::bucket(key);
        // There is always an empty bucket; the bounded loop lets the compiler leave out a search whose result is not used.
        for step in 0..BUCKETS {
            let bucket = (first + step) % BUCKETS;
            let index = self.index_of[bucket];
            if index == EMPTY {
                return None;
            }
            if self.keys[bucket] == key {
                return Some(index as u8);
            }
        }
        None
    }

    /// Fibonacci hashing: the high bits of the product depend on all bytes.
    #[inline(always)]
    fn bucket(key: u64) -> usize {
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54) as usize % BUCKETS
    }
}
