//! What can be read out of a book.

use formats::{Event, Kind, Side};

use crate::book::{Book, Market};
use crate::change::{Level, Top, Trade};
use crate::fault::{Counters, Status};
use crate::levels::key;
use crate::limits::Limits;
use crate::orders::{NONE, Order};

/// A live order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OrderView {
    /// Its id.
    pub id: u64,
    /// The index of its instrument.
    pub instrument: u32,
    /// Its side.
    pub side: Side,
    /// Its price, in the instrument's scale.
    pub price: i64,
    /// What is left of it, in shares.
    pub quantity: u32,
}

impl Book {
    fn view(&self, order: &Order) -> OrderView {
        OrderView {
            id: order.id,
            instrument: order.instrument(),
            side: order.side(),
            price: self.queues[order.level].price,
            quantity: order.quantity,
        }
    }

    fn market(&self, instrument: u32) -> Option<&Market> {
        self.markets.get(instrument as usize)
    }

    /// How many instruments it has.
    pub const fn instruments(&self) -> usize {
        self.markets.len()
    }

    /// How much it holds.
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The best levels; empty for an instrument that is not there.
    #[inline]
    pub fn top(&self, instrument: u32) -> Top {
        self.market(instrument)
            .map_or(Top::default(), |market| market.top)
    }

    /// Whether the book of an instrument can be relied on; `None`: there is no such instrument.
    #[inline]
    pub fn status(&self, instrument: u32) -> Option<Status> {
        self.market(instrument).map(Market::status)
    }

    /// The last trade of an instrument.
    pub fn last_trade(&self, instrument: u32) -> Option<Trade> {
        self.market(instrument)?.last_trade
    }

    /// The lowest and the highest price inside of an instrument's window; `None`: there is no such instrument.
    pub fn window(&self, instrument: u32) -> Option<(i64, i64)> {
        self.market(instrument)
            .map(|market| (market.window.low, market.window.high))
    }

    /// The levels of a side inside of the window, the best first.
    pub fn levels(&self, instrument: u32, side: Side) -> impl Iterator<Item = Level> + '_ {
        let levels = self.market(instrument).map(|m| &m.sides[side as usize]);
        levels.into_iter().flat_map(move |levels| {
            let inside = levels.outside()..levels.len();
            inside
                .rev()
                .map(move |at| self.queues.level(levels.queue(at)))
        })
    }

    /// The levels of a side outside of the window, the best first. All are worse than those inside.
    pub fn levels_outside(&self, instrument: u32, side: Side) -> impl Iterator<Item = Level> + '_ {
        let levels = self.market(instrument).map(|m| &m.sides[side as usize]);
        levels.into_iter().flat_map(move |levels| {
            let outside = 0..levels.outside();
            outside
                .rev()
                .map(move |at| self.queues.level(levels.queue(at)))
        })
    }

    /// The level at a price.
    pub fn level(&self, instrument: u32, side: Side, price: i64) -> Option<Level> {
        let levels = &self.market(instrument)?.sides[side as usize];
        let at = levels.find(key(side, price)).ok()?;
        Some(self.queues.level(levels.queue(at)))
    }

    /// The orders at a price, the first to trade first.
    pub fn queue(
        &self,
        instrument: u32,
        side: Side,
        price: i64,
    ) -> impl Iterator<Item = OrderView> + '_ {
        let mut slot = self.market(instrument).map_or(NONE, |market| {
            let levels = &market.sides[side as usize];
            let found = levels.find(key(side, price));
            found.map_or(NONE, |at| self.queues[levels.queue(at)].first)
        });
        std::iter::from_fn(move || {
            let order = (slot != NONE).then(|| &self.orders[slot])?;
            slot = order.next;
            Some(self.view(order))
        })
    }

    /// The order of an id.
    pub fn order(&self, id: u64) -> Option<OrderView> {
        let found = self.orders.find(id).ok()?;
        Some(self.view(&self.orders[found.slot]))
    }

    /// The event with the order's own price and side, if it is a change in place of an order in the book and the feed gave no price (0).
    #[must_use]
    pub fn with_price(&self, event: &Event) -> Event {
        let unpriced = event.kind == Kind::Modify && event.price == 0;
        let order = unpriced.then(|| self.order(event.order_id)).flatten();
        order.map_or(*event, |order| Event {
            side: order.side,
            price: order.price,
            ..*event
        })
    }

    /// Live orders of all instruments.
    pub const fn orders(&self) -> u32 {
        self.orders.live()
    }

    /// What was counted so far, the frame without a verdict included.
    pub const fn counters(&self) -> Counters {
        self.counters
    }
}
