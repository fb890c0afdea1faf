//! The instruments: one table for all decoders, from (source, key) to index and scale; the twin of `rtl/instrument`.
//!
//! The feed and the FIX session may each name an instrument by a symbol of their own, and give its prices in a scale of their own. Both lead to
//! the same index, which is all that the stages after this one know of it.
#![forbid(unsafe_code)]

mod directory;
mod locates;
mod symbols;

use formats::{Event, Source, Symbol};

pub use directory::Directory;
pub use locates::Locates;
use symbols::Symbols;

/// The most instruments that a table holds; the core has 16.
pub const MAX_INSTRUMENTS: usize = 256;

/// Decimals of ITCH prices, 1/10,000 dollar (TotalView-ITCH 5.0, section 3.2), and so of every instrument that a feed lists.
pub const ITCH_PRICE_SCALE: u8 = 4;

/// How a source names an instrument, and how it writes its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The key.
    pub symbol: Symbol,
    /// Decimals of its prices.
    pub price_scale: u8,
    /// Decimals of its quantities.
    pub quantity_scale: u8,
}

impl Listing {
    /// An instrument of an ITCH feed.
    pub const fn itch(symbol: Symbol) -> Self {
        Listing {
            symbol,
            price_scale: ITCH_PRICE_SCALE,
            quantity_scale: 0,
        }
    }
}

/// Instruments by index, and their indices by source and key.
#[derive(Clone, Debug)]
pub struct Table {
    /// By source.
    listings: [Vec<Option<Listing>>; 2],
    symbols: [Symbols; 2],
}

impl Table {
    /// A table of so many indices, all empty; at most [`MAX_INSTRUMENTS`].
    pub fn new(instruments: usize) -> Self {
        let listings = vec![None; instruments.min(MAX_INSTRUMENTS)];
        Table {
            listings: [listings.clone(), listings],
            symbols: [Symbols::default(), Symbols::default()],
        }
    }

    /// A table in which the feed lists these symbols, each with its place as its index; those past [`MAX_INSTRUMENTS`] are left out.
    pub fn of_feed(symbols: &[Option<Symbol>]) -> Self {
        let mut table = Table::new(symbols.len());
        let [listings, _] = &mut table.listings;
        for (place, symbol) in listings.iter_mut().zip(symbols) {
            *place = symbol.map(Listing::itch);
        }
        table.rebuild(Source::Feed);
        table
    }

    /// Says how a source lists the instrument of an index; `false` if there is no such index. A symbol that occurs twice is found at the lower index.
    pub fn set(&mut self, source: Source, index: usize, listing: Option<Listing>) -> bool {
        let Some(place) = self.listings[source as usize].get_mut(index) else {
            return false;
        };
        *place = listing;
        self.rebuild(source);
        true
    }

    /// Instruments seldom change, so the hash is rebuilt.
    fn rebuild(&mut self, source: Source) {
        let listings = self.listings[source as usize].iter();
        let symbols = listings.map(|listing| listing.map(|listing| listing.symbol));
        self.symbols[source as usize] = Symbols::new(symbols);
    }

    /// The index of the instrument that a source lists under this symbol.
    #[inline(always)]
    pub fn index(&self, source: Source, symbol: Symbol) -> Option<u8> {
        self.symbols[source as usize].find(symbol)
    }

    /// The same with its scales.
    #[inline]
    pub fn find(&self, source: Source, symbol: Symbol) -> Option<(u8, Listing)> {
        let index = self.index(source, symbol)?;
        let listing = self.listings[source as usize].get(usize::from(index))?;
        Some((index, (*listing)?))
    }

    /// Whether a source's symbol is one of our instruments'; `None`: it has no key, as all of ours have. Where a source lists none, nobody has said what is ours: then every symbol is. The twin of
    /// `fast_ours`.
    pub fn is_ours(&self, source: Source, symbol: Option<Symbol>) -> bool {
        symbol.is_some_and(|symbol| self.index(source, symbol).is_some())
            || self.listings[source as usize].iter().all(Option::is_none)
    }

    /// The event with the index of its instrument, if its symbol is that of one; an event that has its index already stays as it is.
    #[inline(always)]
    pub fn resolve(&self, event: &Event) -> Event {
        let found = || self.index(event.source, event.symbol?);
        Event {
            instrument: event.instrument.or_else(found),
            ..*event
        }
    }
}

/// A symbol as a FIX field writes it: without padding, one to eight characters. `None`: no symbol of ours can be equal to it.
pub fn symbol_of_text(text: &[u8]) -> Option<Symbol> {
    let mut bytes = [b' '; 8];
    let padded = text.last().is_none_or(|last| *last == b' ');
    bytes.get_mut(..text.len())?.copy_from_slice(text);
    (!padded).then_some(Symbol(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use formats::Kind;

    fn name(index: usize) -> Symbol {
        format!("S{index}").parse().unwrap()
    }

    #[test]
    fn a_full_table_finds_all_of_its_symbols_and_no_other() {
        let symbols: Vec<_> = (0..MAX_INSTRUMENTS).map(|i| Some(name(i))).collect();
        let table = Table::of_feed(&symbols);
        for index in 0..8_000 {
            let expected = (index < MAX_INSTRUMENTS).then_some(index as u8);
            assert_eq!(table.index(Source::Feed, name(index)), expected);
            assert_eq!(table.index(Source::Session, name(index)), None);
        }
    }

    #[test]
    fn an_index_that_is_cleared_or_set_is_so_at_once() {
        let feed = |table: &Table, symbol| table.index(Source::Feed, name(symbol));
        let mut table = Table::of_feed(&[Some(name(1)), None, Some(name(1))]);
        assert_eq!(feed(&table, 1), Some(0));
        assert!(table.set(Source::Feed, 0, None));
        assert_eq!(feed(&table, 1), Some(2));
        assert!(table.set(Source::Feed, 1, Some(Listing::itch(name(7)))));
        assert_eq!(feed(&table, 7), Some(1));
        assert!(!table.set(Source::Feed, 3, None));
        assert_eq!(table.index(Source::Feed, Symbol([0; 8])), None);
    }

    #[test]
    fn two_sources_lead_to_one_index_under_their_own_names_and_scales() {
        let session = Listing {
            symbol: name(9),
            price_scale: 2,
            quantity_scale: 1,
        };
        let mut table = Table::new(4);
        table.set(Source::Feed, 3, Some(Listing::itch(name(5))));
        table.set(Source::Session, 3, Some(session));
        let feed = Some((3, Listing::itch(name(5))));
        assert_eq!(table.find(Source::Feed, name(5)), feed);
        assert_eq!(table.find(Source::Session, name(9)), Some((3, session)));
        assert_eq!(table.find(Source::Session, name(5)), None);
        let event = Event {
            source: Source::Session,
            symbol: Some(name(9)),
            ..Event::new(Kind::Trade, b'X')
        };
        assert_eq!(table.resolve(&event).instrument, Some(3));
    }

    #[test]
    fn where_no_instrument_is_listed_every_symbol_is_ours() {
        let mut table = Table::new(4);
        assert!(table.is_ours(Source::Feed, Some(name(5))));
        table.set(Source::Session, 0, Some(Listing::itch(name(9))));
        assert!(table.is_ours(Source::Feed, Some(name(5))));
        table.set(Source::Feed, 3, Some(Listing::itch(name(5))));
        assert!(table.is_ours(Source::Feed, Some(name(5))));
        assert!(!table.is_ours(Source::Feed, Some(name(9))));
        assert!(!table.is_ours(Source::Feed, None));
        table.set(Source::Feed, 3, None);
        assert!(table.is_ours(Source::Feed, None));
        assert!(table.is_ours(Source::Feed, Some(name(9))));
    }

    #[test]
    fn a_text_is_a_symbol_as_it_is_written_or_none() {
        assert_eq!(symbol_of_text(b"AAPL"), Some(Symbol(*b"AAPL    ")));
        assert_eq!(symbol_of_text(b"BRK A"), Some(Symbol(*b"BRK A   ")));
        for text in [&b""[..], b"AAPL ", b"NINECHARS", b" "] {
            assert_eq!(symbol_of_text(text), None);
        }
    }
}
