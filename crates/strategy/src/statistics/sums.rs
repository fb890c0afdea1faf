//! Count, volume, sum, minimum and maximum of the orders of each symbol slot, by side.

use formats::report::{Row, SideStatistics};
use formats::{Side, Symbol};

/// The sums of all slots.
#[derive(Clone, Debug)]
pub struct Sums {
    slots: Vec<[SideStatistics; 2]>,
}

impl Sums {
    /// Sums of so many slots, all zeros.
    pub fn new(slots: usize) -> Self {
        Sums {
            slots: vec![Default::default(); slots],
        }
    }

    /// Counts an order; does nothing if there is no such slot.
    #[inline(always)]
    pub fn add(&mut self, slot: usize, side: Side, price: u32, shares: u32) {
        if let Some(sides) = self.slots.get_mut(slot) {
            sides[side as usize].add(price, shares);
        }
    }

    /// Restarts a slot.
    pub fn clear_slot(&mut self, slot: usize) {
        if let Some(sides) = self.slots.get_mut(slot) {
            *sides = Default::default();
        }
    }

    /// Restarts all slots.
    pub fn clear(&mut self) {
        self.slots.fill(Default::default());
    }

    /// The rows of a report over `symbols`.
    pub fn rows<'a>(&'a self, symbols: &'a [Option<Symbol>]) -> impl Iterator<Item = Row> + 'a {
        let row = |(symbol, [buy, sell]): (&Option<Symbol>, &[SideStatistics; 2])| Row {
            symbol: *symbol,
            buy: *buy,
            sell: *sell,
        };
        symbols.iter().zip(&self.slots).map(row)
    }
}
