//! All instruments of a feed, numbered as they appear: for books of whole recorded days.

use std::collections::HashMap;

use formats::{Event, Symbol};

const NONE: u32 = u32::MAX;

/// Every instrument that a feed names, as many as there are; [`Table`](crate::Table) and [`Locates`](crate::Locates) have those that a desk trades.
///
/// The rules are those of [`Locates`](crate::Locates): the symbol decides where a message has one, else the stock locate; the last message with
/// both counts, so that an instrument has one locate and a locate one instrument.
#[derive(Clone, Debug)]
pub struct Directory {
    symbols: Vec<Symbol>,
    index_of: HashMap<Symbol, u32>,
    /// Index by locate; [`NONE`] if no instrument has it.
    by_locate: Box<[u32]>,
    locate_of: Vec<Option<u16>>,
}

impl Default for Directory {
    /// Nothing is known yet.
    fn default() -> Self {
        Directory {
            symbols: vec![],
            index_of: HashMap::new(),
            by_locate: vec![NONE; 1 << 16].into_boxed_slice(),
            locate_of: vec![],
        }
    }
}

impl Directory {
    /// The number of a message's instrument, a new one for a symbol that appears for the first time; `None`: the message does not say.
    #[inline]
    pub fn index(&mut self, event: &Event) -> Option<u32> {
        match (event.symbol, event.locate) {
            (None, None) => None,
            (None, Some(locate)) => self.of_locate(locate),
            // Most messages with a symbol have the locate that is known already, and need no look at the map.
            (Some(symbol), Some(locate)) => {
                let index = self.by_locate[usize::from(locate)];
                if self.symbols.get(index as usize) == Some(&symbol) {
                    return Some(index);
                }
                let index = self.enter(symbol);
                self.learn(index, locate);
                Some(index)
            }
            (Some(symbol), None) => Some(self.enter(symbol)),
        }
    }

    /// The number of the instrument that a locate stands for.
    #[inline(always)]
    pub fn of_locate(&self, locate: u16) -> Option<u32> {
        let index = self.by_locate[usize::from(locate)];
        (index != NONE).then_some(index)
    }

    fn enter(&mut self, symbol: Symbol) -> u32 {
        *self.index_of.entry(symbol).or_insert_with(|| {
            self.symbols.push(symbol);
            self.locate_of.push(None);
            self.symbols.len() as u32 - 1
        })
    }

    fn learn(&mut self, index: u32, locate: u16) {
        let other = std::mem::replace(&mut self.by_locate[usize::from(locate)], index);
        if let Some(place) = self.locate_of.get_mut(other as usize) {
            *place = None;
        }
        if let Some(old) = self.locate_of[index as usize].replace(locate) {
            self.by_locate[usize::from(old)] = NONE;
        }
    }

    /// The feed begins a new session: locates are forgotten, instruments keep their numbers.
    pub fn new_session(&mut self) {
        self.by_locate.fill(NONE);
        self.locate_of.fill(None);
    }

    /// The instruments, by number.
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    /// The number of a symbol that has appeared.
    pub fn find(&self, symbol: Symbol) -> Option<u32> {
        self.index_of.get(&symbol).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use formats::Kind;

    fn message(symbol: Option<&str>, locate: Option<u16>) -> Event {
        Event {
            symbol: symbol.map(|text| text.parse().unwrap()),
            locate,
            ..Event::new(Kind::Status, b'R')
        }
    }

    #[test]
    fn instruments_are_numbered_as_they_appear_and_found_by_locate() {
        let mut directory = Directory::default();
        let mut index = |symbol, locate| directory.index(&message(symbol, locate));
        assert_eq!(index(None, Some(7)), None);
        assert_eq!(index(Some("MSFT"), Some(7)), Some(0));
        assert_eq!(index(Some("AAPL"), Some(8)), Some(1));
        assert_eq!(index(None, Some(7)), Some(0));
        assert_eq!(index(None, Some(8)), Some(1));
        assert_eq!(index(None, None), None);
        // Without locates, as in ITCH 4.1.
        assert_eq!(index(Some("IBM"), None), Some(2));
        assert_eq!(index(Some("MSFT"), None), Some(0));
        let names: Vec<_> = directory.symbols().iter().map(Symbol::to_string).collect();
        assert_eq!(names, ["MSFT", "AAPL", "IBM"]);
        assert_eq!(directory.find("AAPL".parse().unwrap()), Some(1));
        assert_eq!(directory.find("X".parse().unwrap()), None);
    }

    #[test]
    fn the_last_message_with_both_counts_and_a_new_session_forgets_locates() {
        let mut directory = Directory::default();
        let mut index = |symbol, locate| directory.index(&message(symbol, locate));
        index(Some("MSFT"), Some(7));
        index(Some("AAPL"), Some(8));
        // MSFT gets AAPL's locate: AAPL has none then, and no instrument has MSFT's old one.
        assert_eq!(index(Some("MSFT"), Some(8)), Some(0));
        assert_eq!(index(None, Some(8)), Some(0));
        assert_eq!(index(None, Some(7)), None);
        // The one that MSFT had before goes to AAPL, which takes nothing away from MSFT.
        assert_eq!(index(Some("AAPL"), Some(7)), Some(1));
        assert_eq!(
            (index(None, Some(7)), index(None, Some(8))),
            (Some(1), Some(0))
        );
        directory.new_session();
        let mut index = |symbol, locate| directory.index(&message(symbol, locate));
        assert_eq!((index(None, Some(7)), index(None, Some(8))), (None, None));
        assert_eq!(index(Some("AAPL"), Some(9)), Some(1));
    }
}
