//! The feed's own numbers for its instruments, learned while it runs: the twin of `LOCATES` in `rtl/instrument/instrument_stage.sv`.

use formats::{Event, Source};

use crate::Table;

/// Which of our instruments a stock locate stands for (TotalView-ITCH 5.0, section 3.1: dynamic, assigned anew each day).
///
/// Most messages of ITCH 5.0 have no symbol, and all have the locate of their instrument. It is learned from messages with one of our symbols;
/// where a message has a symbol, the symbol decides. It is forgotten in a new session of the feed, and when the instrument is written anew.
#[derive(Clone, Debug)]
pub struct Locates {
    /// Index of the instrument by locate; [`NONE`] if it is none of ours.
    index_of: Box<[u16]>,
    /// Locate by index of the instrument: an instrument has one.
    locate_of: Vec<Option<u16>>,
}

const NONE: u16 = u16::MAX;

impl Locates {
    /// Nothing is learned yet, for a table of so many instruments: 128 KiB.
    pub fn new(instruments: usize) -> Self {
        Locates {
            index_of: vec![NONE; 1 << 16].into_boxed_slice(),
            locate_of: vec![None; instruments],
        }
    }

    /// The event with the index of its instrument: by symbol where it has one, else by locate. Learns the locate of what has both.
    #[inline]
    pub fn resolve(&mut self, table: &Table, event: &Event) -> Event {
        let event = table.resolve(event);
        if event.source != Source::Feed {
            return event;
        }
        match (event.locate, event.symbol) {
            (Some(locate), Some(_)) => {
                if let Some(index) = event.instrument {
                    self.learn(index, locate);
                }
                event
            }
            (Some(locate), None) if event.instrument.is_none() => Event {
                instrument: self.index(locate),
                ..event
            },
            _ => event,
        }
    }

    /// The instrument that a locate stands for.
    #[inline(always)]
    pub fn index(&self, locate: u16) -> Option<u8> {
        u8::try_from(self.index_of[usize::from(locate)]).ok()
    }

    fn learn(&mut self, index: u8, locate: u16) {
        if self.index(locate) == Some(index) {
            return;
        }
        self.forget(index);
        // Another instrument had it: the feed has given it to this one.
        if let Some(other) = self.index(locate) {
            self.forget(other);
        }
        if let Some(place) = self.locate_of.get_mut(usize::from(index)) {
            *place = Some(locate);
            self.index_of[usize::from(locate)] = index.into();
        }
    }

    /// The instrument is written anew.
    pub fn forget(&mut self, index: u8) {
        let place = self.locate_of.get_mut(usize::from(index));
        if let Some(locate) = place.and_then(Option::take) {
            self.index_of[usize::from(locate)] = NONE;
        }
    }

    /// The feed begins a new session.
    pub fn clear(&mut self) {
        for index in 0..=u8::MAX {
            self.forget(index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use formats::{Kind, Symbol};

    fn table() -> Table {
        let symbol = |text: &str| Some(text.parse::<Symbol>().unwrap());
        Table::of_feed(&[symbol("AAPL"), symbol("MSFT")])
    }

    fn message(symbol: Option<&str>, locate: Option<u16>) -> Event {
        Event {
            symbol: symbol.map(|text| text.parse().unwrap()),
            locate,
            ..Event::new(Kind::Status, b'H')
        }
    }

    #[test]
    fn a_locate_is_learned_from_a_symbol_of_ours_and_from_no_other() {
        let (table, mut locates) = (table(), Locates::new(2));
        let mut find =
            |symbol, locate| locates.resolve(&table, &message(symbol, locate)).instrument;
        assert_eq!(find(None, Some(7)), None);
        assert_eq!(find(Some("MSFT"), Some(7)), Some(1));
        assert_eq!(find(None, Some(7)), Some(1));
        assert_eq!(find(Some("IBM"), Some(8)), None);
        assert_eq!(find(None, Some(8)), None);
        // Without a locate (ITCH 4.1) only the symbol says it.
        assert_eq!(find(None, None), None);
        assert_eq!(find(Some("AAPL"), None), Some(0));
    }

    #[test]
    fn the_symbol_decides_and_the_last_locate_counts() {
        let (table, mut locates) = (table(), Locates::new(2));
        locates.resolve(&table, &message(Some("AAPL"), Some(7)));
        // The locate of AAPL is given to MSFT: AAPL has none then.
        assert_eq!(
            locates
                .resolve(&table, &message(Some("MSFT"), Some(7)))
                .instrument,
            Some(1)
        );
        assert_eq!(locates.index(7), Some(1));
        // MSFT gets another: no instrument has the old one.
        locates.resolve(&table, &message(Some("MSFT"), Some(9)));
        assert_eq!((locates.index(7), locates.index(9)), (None, Some(1)));
    }

    #[test]
    fn a_new_session_and_a_rewritten_instrument_forget_it() {
        let (table, mut locates) = (table(), Locates::new(2));
        locates.resolve(&table, &message(Some("AAPL"), Some(0)));
        locates.resolve(&table, &message(Some("MSFT"), Some(u16::MAX)));
        locates.forget(0);
        assert_eq!((locates.index(0), locates.index(u16::MAX)), (None, Some(1)));
        locates.clear();
        assert_eq!(locates.index(u16::MAX), None);
    }
}
