//! The best N levels of an instrument, as one client knows them.

use formats::Side;
use formats::fix::MdUpdateAction;

use super::{Change, entry_type};
use crate::engine::{Engine, PriceLevel};

/// The best levels, as they were sent to a client.
#[derive(Clone, Debug)]
pub(super) struct Top {
    levels: usize,
    /// Best first: bids, then offers.
    sent: [Vec<PriceLevel>; 2],
}

impl Top {
    pub(super) const fn new(levels: usize) -> Self {
        Top {
            levels,
            sent: [vec![], vec![]],
        }
    }

    /// How many of a side.
    pub(super) const fn levels(&self) -> usize {
        self.levels
    }

    /// Compares a side with the book, and adds what changed: levels that left the best N or the book, new ones, other quantities.
    pub(super) fn update(
        &mut self,
        instrument: u32,
        side: Side,
        engine: &Engine,
        changes: &mut Vec<Change>,
    ) {
        let [bids, offers] = &mut self.sent;
        let sent = match side {
            Side::Buy => bids,
            Side::Sell => offers,
        };
        let mut change = |action, level: PriceLevel| {
            changes.push(Change {
                instrument,
                action,
                what: entry_type(side),
                best: false,
                price: level.price,
                quantity: level.quantity,
            });
        };
        let is_better = |a: &PriceLevel, b: &PriceLevel| match side {
            Side::Buy => a.price > b.price,
            Side::Sell => a.price < b.price,
        };
        let gone = |level: PriceLevel| PriceLevel {
            quantity: 0,
            ..level
        };
        let mut before = sent.iter().copied().peekable();
        for now in engine.levels(instrument, side).take(self.levels) {
            while let Some(left) = before.next_if(|before| is_better(before, &now)) {
                change(MdUpdateAction::Delete, gone(left));
            }
            match before.next_if(|before| before.price == now.price) {
                Some(before) if before == now => {}
                Some(_) => change(MdUpdateAction::Change, now),
                None => change(MdUpdateAction::New, now),
            }
        }
        before.for_each(|left| change(MdUpdateAction::Delete, gone(left)));
        self.remember(side, instrument, engine);
    }

    /// From now on the client knows the present levels.
    pub(super) fn remember(&mut self, side: Side, instrument: u32, engine: &Engine) {
        let [bids, offers] = &mut self.sent;
        let sent = match side {
            Side::Buy => bids,
            Side::Sell => offers,
        };
        sent.clear();
        sent.extend(engine.levels(instrument, side).take(self.levels));
    }
}
