//! The symbol filter: which slot a symbol is in.

use wire::Symbol;

/// The most symbols a table holds, in hardware and here.
pub const MAX_SYMBOLS: usize = 256;

const BUCKETS: usize = 4 * MAX_SYMBOLS;
const EMPTY: u16 = u16::MAX;

/// Slots with symbols, and a hash of 1,024 buckets with linear probing over them: never more than a quarter full, 12 KiB.
#[derive(Clone, Debug)]
pub struct SymbolTable {
    slots: Vec<Option<Symbol>>,
    keys: Box<[u64; BUCKETS]>,
    slot_of: Box<[u16; BUCKETS]>,
}

impl SymbolTable {
    /// A table with these slots; those past [`MAX_SYMBOLS`] are left out.
    pub fn new(symbols: &[Option<Symbol>]) -> Self {
        let slots = symbols.iter().copied().take(MAX_SYMBOLS).collect();
        let mut table = SymbolTable {
            slots,
            keys: Box::new([0; BUCKETS]),
            slot_of: Box::new([EMPTY; BUCKETS]),
        };
        table.rebuild();
        table
    }

    /// The slots.
    pub fn slots(&self) -> &[Option<Symbol>] {
        &self.slots
    }

    /// Puts `symbol` into `slot`; `false` if there is no such slot. A symbol that is in two slots is found in the lower one.
    pub fn set(&mut self, slot: usize, symbol: Option<Symbol>) -> bool {
        let Some(place) = self.slots.get_mut(slot) else {
            return false;
        };
        *place = symbol;
        self.rebuild();
        true
    }

    /// The slot `symbol` is in.
    #[inline(always)]
    pub fn find(&self, symbol: Symbol) -> Option<usize> {
        let key = u64::from_ne_bytes(symbol.0);
        let mut bucket = Self::bucket(key);
        loop {
            let slot = self.slot_of[bucket];
            if slot == EMPTY {
                return None;
            }
            if self.keys[bucket] == key {
                return Some(usize::from(slot));
            }
            bucket = (bucket + 1) % BUCKETS;
        }
    }

    /// Fibonacci hashing: the high bits of the product depend on all bytes.
    #[inline(always)]
    fn bucket(key: u64) -> usize {
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54) as usize % BUCKETS
    }

    /// Symbols change by hand, so the table is built anew rather than mended. Of equal symbols the first in is the first found.
    fn rebuild(&mut self) {
        self.slot_of.fill(EMPTY);
        for (slot, symbol) in self.slots.iter().enumerate() {
            let Some(symbol) = *symbol else { continue };
            let key = u64::from_ne_bytes(symbol.0);
            let mut bucket = Self::bucket(key);
            while self.slot_of[bucket] != EMPTY {
                bucket = (bucket + 1) % BUCKETS;
            }
            self.keys[bucket] = key;
            self.slot_of[bucket] = slot as u16;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(index: usize) -> Symbol {
        format!("S{index}").parse().unwrap()
    }

    #[test]
    fn a_full_table_finds_all_of_its_symbols_and_no_other() {
        let symbols: Vec<_> = (0..MAX_SYMBOLS).map(|i| Some(name(i))).collect();
        let table = SymbolTable::new(&symbols);
        for index in 0..8_000 {
            assert_eq!(
                table.find(name(index)),
                (index < MAX_SYMBOLS).then_some(index)
            );
        }
    }

    #[test]
    fn a_slot_that_is_cleared_or_loaded_is_so_at_once() {
        let mut table = SymbolTable::new(&[Some(name(1)), None, Some(name(1))]);
        assert_eq!(table.find(name(1)), Some(0));
        assert!(table.set(0, None));
        assert_eq!(table.find(name(1)), Some(2));
        assert!(table.set(1, Some(name(7))));
        assert_eq!(table.find(name(7)), Some(1));
        assert!(!table.set(3, None));
        assert_eq!(table.find(Symbol([0; 8])), None);
    }
}
