//! The book of one instrument.
//!
//! Bids and offers share one ladder: a book at rest is never crossed, so that every used level up to the best bid holds bids and
//! every one from the best offer on offers. Stop orders wait in two ladders of their own, by trigger.

use formats::Side;

use crate::engine::Instrument;
use crate::ladder::{Ladder, MOST_LEVELS};
use crate::order::{Cause, Event, Kind, Party, Sink, TimeInForce};
use crate::slab::{NONE, Slab, State};

/// A price and what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PriceLevel {
    /// In ticks.
    pub price: i64,
    /// What all its orders have left.
    pub quantity: u64,
}

/// The prices of the trades of one command, while stop orders are looked for.
#[derive(Clone, Copy, Debug)]
struct Traded {
    lowest: usize,
    highest: usize,
}

impl Traded {
    const NOTHING: Traded = Traded {
        lowest: usize::MAX,
        highest: 0,
    };

    #[inline(always)]
    fn at(&mut self, level: usize) {
        self.lowest = self.lowest.min(level);
        self.highest = self.highest.max(level);
    }

    const fn anything(&self) -> bool {
        self.lowest != usize::MAX
    }
}

#[derive(Debug)]
pub(crate) struct Book {
    number: u32,
    /// The price of level 0, in ticks.
    lowest: i64,
    pub(crate) largest_quantity: u64,
    ladder: Ladder,
    /// One above the best bid; 0: there is none.
    bid_end: usize,
    /// The best offer; the number of levels: there is none.
    offer: usize,
    /// Buy stops, then sell stops.
    stops: [Ladder; 2],
    /// How many stop orders wait.
    waiting: usize,
    /// The level of the last trade.
    last: Option<usize>,
    traded: Traded,
}

impl Book {
    pub(crate) fn new(number: u32, instrument: &Instrument) -> Self {
        let levels = instrument.levels().min(MOST_LEVELS as u64) as usize;
        let ladder = Ladder::new(levels);
        Book {
            number,
            lowest: instrument.lowest_price,
            largest_quantity: instrument.largest_quantity,
            bid_end: 0,
            offer: ladder.len(),
            stops: [Ladder::new(levels), Ladder::new(levels)],
            ladder,
            waiting: 0,
            last: None,
            traded: Traded::NOTHING,
        }
    }

    /// The level of a price, if it is in the band.
    #[inline(always)]
    pub(crate) fn level(&self, price: i64) -> Option<u32> {
        let level = price.wrapping_sub(self.lowest) as u64;
        (price >= self.lowest && level < self.ladder.len() as u64).then_some(level as u32)
    }

    #[inline(always)]
    pub(crate) const fn price(&self, level: usize) -> i64 {
        self.lowest + level as i64
    }

    pub(crate) fn last_price(&self) -> Option<i64> {
        self.last.map(|level| self.price(level))
    }

    /// The levels of a side, the best first.
    pub(crate) fn levels(&self, side: Side) -> impl Iterator<Item = PriceLevel> {
        let mut next = match side {
            Side::Buy => self.ladder.below(self.bid_end),
            Side::Sell => self.ladder.above(self.offer),
        };
        std::iter::from_fn(move || {
            let at = next?;
            next = match side {
                Side::Buy => self.ladder.below(at),
                Side::Sell => self.ladder.above(at + 1),
            };
            Some(PriceLevel {
                price: self.price(at),
                quantity: self.ladder.level(at).quantity,
            })
        })
    }

    /// What is at a price of a side.
    pub(crate) fn quantity_at(&self, side: Side, price: i64) -> u64 {
        let Some(at) = self.level(price) else {
            return 0;
        };
        let own = match side {
            Side::Buy => (at as usize) < self.bid_end,
            Side::Sell => at as usize >= self.offer,
        };
        if own {
            self.ladder.level(at as usize).quantity
        } else {
            0
        }
    }

    /// The orders of a side in the order they would trade.
    pub(crate) fn orders(&self, side: Side, orders: &Slab) -> impl Iterator<Item = u32> {
        self.levels(side).flat_map(move |level| {
            let at = (level.price - self.lowest) as usize;
            let first = Some(self.ladder.level(at).first);
            std::iter::successors(first, |slot| Some(orders[*slot].next))
                .take_while(|slot| *slot != NONE)
        })
    }

    /// The stop orders of a side that wait, the lowest trigger first, each trigger's in the order they would be triggered.
    pub(crate) fn stops(&self, side: Side, orders: &Slab) -> impl Iterator<Item = u32> {
        let stops = &self.stops[side as usize];
        std::iter::successors(stops.above(0), |at| stops.above(at + 1)).flat_map(move |at| {
            let first = Some(stops.level(at).first);
            std::iter::successors(first, |slot| Some(orders[*slot].next))
                .take_while(|slot| *slot != NONE)
        })
    }

    /// Puts an order where it was: nothing trades, and no report is sent.
    pub(crate) fn restore(&mut self, slot: u32, waits: bool, orders: &mut Slab) {
        let (side, limit) = (orders[slot].side, orders[slot].limit as usize);
        if waits {
            return self.wait(slot, orders);
        }
        match side {
            Side::Buy => self.rest::<true>(slot, limit, orders, &mut |_: &Event| ()),
            Side::Sell => self.rest::<false>(slot, limit, orders, &mut |_: &Event| ()),
        }
    }

    /// Takes a price as that of the last trade.
    pub(crate) fn restore_last(&mut self, price: i64) {
        self.last = self.level(price).map(|level| level as usize);
    }

    /// An order that was just accepted or replaced: trades, enters the book or waits. Stop orders that it triggers follow.
    #[inline]
    pub(crate) fn enter(
        &mut self,
        slot: u32,
        orders: &mut Slab,
        matches: &mut u64,
        sink: &mut impl Sink,
    ) {
        let order = &orders[slot];
        if order.kind.is_stop() && !self.reached(order.side, order.trigger as usize) {
            self.wait(slot, orders);
            return;
        }
        if order.kind.is_stop() {
            self.trigger(slot, orders, sink);
        }
        self.trade(slot, orders, matches, sink);
        if self.waiting > 0 && self.traded.anything() {
            self.cascade(orders, matches, sink);
        }
        self.traded = Traded::NOTHING;
    }

    /// Trades with an order in the book, at its price and whatever its place in the queue, for a taker that is no order here. Stop orders
    /// that this triggers follow. Returns how many were traded.
    pub(crate) fn execute(
        &mut self,
        maker: u32,
        quantity: u64,
        taker: &Party,
        orders: &mut Slab,
        matches: &mut u64,
        sink: &mut impl Sink,
    ) -> u64 {
        let order = &mut orders[maker];
        let quantity = order.remaining.min(quantity);
        let (at, side, left) = (order.limit as usize, order.side, order.remaining - quantity);
        if left > 0 {
            order.remaining = left;
            order.traded += quantity;
            self.ladder.reduce(at, quantity);
        }
        self.last = Some(at);
        self.traded.at(at);
        *matches += 1;
        sink.event(&Event::Traded {
            instrument: self.number,
            match_number: *matches,
            price: self.price(at),
            quantity,
            side: match side {
                Side::Buy => Side::Sell,
                Side::Sell => Side::Buy,
            },
            maker: Party {
                remaining: left,
                ..orders.party(maker)
            },
            taker: Party {
                remaining: taker.remaining.saturating_sub(quantity),
                ..*taker
            },
        });
        if left == 0 {
            self.leave(maker, orders);
            orders.remove(maker);
        }
        if self.waiting > 0 {
            self.cascade(orders, matches, sink);
        }
        self.traded = Traded::NOTHING;
        quantity
    }

    /// Whether the last price has reached a trigger.
    fn reached(&self, side: Side, trigger: usize) -> bool {
        self.last.is_some_and(|last| match side {
            Side::Buy => last >= trigger,
            Side::Sell => last <= trigger,
        })
    }

    fn wait(&mut self, slot: u32, orders: &mut Slab) {
        let order = &mut orders[slot];
        order.state = State::Waiting;
        let (side, trigger) = (order.side, order.trigger as usize);
        self.stops[side as usize].push(trigger, slot, orders);
        self.waiting += 1;
    }

    fn trigger(&mut self, slot: u32, orders: &mut Slab, sink: &mut impl Sink) {
        let order = &mut orders[slot];
        order.kind = match order.kind {
            Kind::Stop => Kind::Market,
            _ => Kind::Limit,
        };
        order.state = State::Active;
        // It no longer has a trigger: a replacement that keeps the limit keeps the place.
        order.trigger = 0;
        sink.event(&Event::Triggered {
            instrument: self.number,
            order: orders.party(slot),
        });
    }

    /// Stop orders whose trigger a trade of this command has reached enter one at a time: buys before sells, the trigger nearest to
    /// where the price came from first, then the one that waited longest. What they trade may reach further triggers.
    #[cold]
    fn cascade(&mut self, orders: &mut Slab, matches: &mut u64, sink: &mut impl Sink) {
        loop {
            let [buys, sells] = &self.stops;
            let buy = buys.above(0).filter(|at| *at <= self.traded.highest);
            let sell = sells
                .below(sells.len())
                .filter(|at| *at >= self.traded.lowest);
            let (side, at) = match (buy, sell) {
                (Some(at), _) => (Side::Buy, at),
                (None, Some(at)) => (Side::Sell, at),
                (None, None) => return,
            };
            let stops = &mut self.stops[side as usize];
            let slot = stops.level(at).first;
            stops.remove(at, slot, orders);
            self.waiting -= 1;
            self.trigger(slot, orders, sink);
            self.trade(slot, orders, matches, sink);
        }
    }

    /// Trades what can be traded; the rest enters the book or is cancelled.
    #[inline(always)]
    fn trade(&mut self, slot: u32, orders: &mut Slab, matches: &mut u64, sink: &mut impl Sink) {
        match orders[slot].side {
            Side::Buy => self.trade_side::<true>(slot, orders, matches, sink),
            Side::Sell => self.trade_side::<false>(slot, orders, matches, sink),
        }
    }

    /// Whether a taker may trade at the best level of the other side.
    #[inline(always)]
    const fn crosses<const BUY: bool>(&self, limit: usize) -> bool {
        if BUY {
            self.offer <= limit && self.offer < self.ladder.len()
        } else {
            self.bid_end > limit
        }
    }

    #[inline(always)]
    fn trade_side<const BUY: bool>(
        &mut self,
        slot: u32,
        orders: &mut Slab,
        matches: &mut u64,
        sink: &mut impl Sink,
    ) {
        let order = &orders[slot];
        let (kind, time_in_force) = (order.kind, order.time_in_force);
        let limit = match kind {
            Kind::Limit | Kind::StopLimit => order.limit as usize,
            Kind::Market | Kind::Stop if BUY => self.ladder.len(),
            Kind::Market | Kind::Stop => 0,
        };
        let mut remaining = order.remaining;
        if self.crosses::<BUY>(limit)
            && (time_in_force != TimeInForce::FillOrKill || self.offers::<BUY>(limit, remaining))
        {
            while remaining > 0 && self.crosses::<BUY>(limit) {
                remaining = self.trade_level::<BUY>(slot, remaining, orders, matches, sink);
            }
        }
        if remaining == 0 {
            orders.remove(slot);
        } else if kind == Kind::Limit && time_in_force == TimeInForce::Day {
            self.rest::<BUY>(slot, limit, orders, sink);
        } else {
            let order = orders.party(slot);
            orders.remove(slot);
            sink.event(&Event::Removed {
                instrument: self.number,
                order,
                side: if BUY { Side::Buy } else { Side::Sell },
                price: self.price(limit),
                displayed: false,
                cause: Cause::Unfilled,
            });
        }
    }

    /// Whether so much can be traded within a limit.
    fn offers<const BUY: bool>(&self, limit: usize, quantity: u64) -> bool {
        let mut found = 0;
        let side = if BUY { Side::Sell } else { Side::Buy };
        let limit = self.price(limit);
        for level in self.levels(side) {
            if (BUY && level.price > limit) || (!BUY && level.price < limit) {
                break;
            }
            found += level.quantity;
            if found >= quantity {
                return true;
            }
        }
        false
    }

    /// Trades with the orders of the other side's best level, oldest first; returns what is left of `remaining`.
    #[inline(always)]
    fn trade_level<const BUY: bool>(
        &mut self,
        taker: u32,
        mut remaining: u64,
        orders: &mut Slab,
        matches: &mut u64,
        sink: &mut impl Sink,
    ) -> u64 {
        let at = if BUY { self.offer } else { self.bid_end - 1 };
        self.last = Some(at);
        self.traded.at(at);
        let price = self.price(at);
        loop {
            let maker = self.ladder.level(at).first;
            let order = &mut orders[maker];
            let quantity = order.remaining.min(remaining);
            remaining -= quantity;
            // The ladder's sum changes with the order.
            let filled = order.remaining == quantity;
            if !filled {
                order.remaining -= quantity;
                order.traded += quantity;
                self.ladder.reduce(at, quantity);
            }
            let mut made = orders.party(maker);
            if filled {
                made.remaining = 0;
            }
            let order = &mut orders[taker];
            order.remaining = remaining;
            order.traded += quantity;
            *matches += 1;
            sink.event(&Event::Traded {
                instrument: self.number,
                match_number: *matches,
                price,
                quantity,
                side: if BUY { Side::Buy } else { Side::Sell },
                maker: made,
                taker: orders.party(taker),
            });
            if filled {
                let empty = self.ladder.remove(at, maker, orders);
                orders.remove(maker);
                if empty {
                    self.next_best::<BUY>(at);
                    return remaining;
                }
            }
            if remaining == 0 {
                return 0;
            }
        }
    }

    /// The best level of the other side is empty.
    #[inline(always)]
    fn next_best<const BUY: bool>(&mut self, at: usize) {
        if BUY {
            self.offer = self.ladder.above(at + 1).unwrap_or(self.ladder.len());
        } else {
            self.bid_end = self.ladder.below(at).map_or(0, |best| best + 1);
        }
    }

    #[inline(always)]
    fn rest<const BUY: bool>(
        &mut self,
        slot: u32,
        at: usize,
        orders: &mut Slab,
        sink: &mut impl Sink,
    ) {
        orders[slot].state = State::Resting;
        self.ladder.push(at, slot, orders);
        let side = if BUY {
            self.bid_end = self.bid_end.max(at + 1);
            Side::Buy
        } else {
            self.offer = self.offer.min(at);
            Side::Sell
        };
        sink.event(&Event::Rested {
            instrument: self.number,
            order: orders.party(slot),
            side,
            price: self.price(at),
        });
    }

    /// Takes an order out of the book, or from its trigger's queue; returns whether it was in the book.
    #[inline(always)]
    pub(crate) fn leave(&mut self, slot: u32, orders: &mut Slab) -> bool {
        let order = &orders[slot];
        let (side, limit, trigger) = (order.side, order.limit as usize, order.trigger as usize);
        if order.state == State::Waiting {
            self.stops[side as usize].remove(trigger, slot, orders);
            self.waiting -= 1;
            return false;
        }
        if self.ladder.remove(limit, slot, orders) {
            // The next best bid is found as an offer would, and the other way round.
            match side {
                Side::Buy if self.bid_end == limit + 1 => self.next_best::<false>(limit),
                Side::Sell if self.offer == limit => self.next_best::<true>(limit),
                _ => {}
            }
        }
        true
    }

    /// Takes a quantity off an order that keeps its place.
    pub(crate) fn reduce(&mut self, slot: u32, quantity: u64, orders: &mut Slab) -> bool {
        let order = &mut orders[slot];
        order.remaining -= quantity;
        let displayed = order.state == State::Resting;
        if displayed {
            self.ladder.reduce(order.limit as usize, quantity);
        } else {
            self.stops[order.side as usize].reduce(order.trigger as usize, quantity);
        }
        displayed
    }
}
