//! Best prices, from snapshots and increments.

use formats::fix::{Decimal, MdEntryType, MdUpdateAction};

use crate::command;
use crate::notice::Notice;

/// The best prices of an instrument, and the last one traded at.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Prices {
    /// Best bid.
    pub bid: Option<Decimal>,
    /// The quantity there.
    pub bid_size: Option<Decimal>,
    /// Best offer.
    pub offer: Option<Decimal>,
    /// The quantity there.
    pub offer_size: Option<Decimal>,
    /// Last price.
    pub last: Option<Decimal>,
}

impl Prices {
    /// Takes an entry of a snapshot or an increment.
    pub(crate) fn entry(
        &mut self,
        what: MdEntryType,
        action: MdUpdateAction,
        price: Option<Decimal>,
        size: Option<Decimal>,
    ) {
        let mut trade = None;
        let (place, size_place) = match what {
            MdEntryType::Bid => (&mut self.bid, &mut self.bid_size),
            MdEntryType::Offer => (&mut self.offer, &mut self.offer_size),
            MdEntryType::Trade => (&mut self.last, &mut trade),
            _ => return,
        };
        match action {
            MdUpdateAction::Delete if *place == price => (*place, *size_place) = (None, None),
            // Another price is the best already.
            MdUpdateAction::Delete => {}
            MdUpdateAction::New | MdUpdateAction::Change => (*place, *size_place) = (price, size),
        }
    }

    pub(crate) fn notice(&self, symbol: &str) -> Notice {
        Notice::Prices {
            symbol: symbol.to_owned(),
            bid: self.bid.map(command::text),
            offer: self.offer.map(command::text),
            last: self.last.map(command::text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_better_price_stays_when_a_worse_one_goes() {
        let cents = |value| Some(Decimal::new(value, 2));
        let size = |value| Decimal::new(value, 0);
        let mut prices = Prices::default();
        let (new, gone) = (MdUpdateAction::New, MdUpdateAction::Delete);
        prices.entry(MdEntryType::Bid, new, cents(1_000), Some(size(5)));
        prices.entry(MdEntryType::Bid, new, cents(1_001), Some(size(7)));
        prices.entry(MdEntryType::Bid, gone, cents(1_000), None);
        assert_eq!((prices.bid, prices.bid_size), (cents(1_001), Some(size(7))));
        prices.entry(MdEntryType::Bid, gone, cents(1_001), None);
        assert_eq!(prices, Prices::default());
    }
}
