//! The market that a strategy meets in a backtest: its own orders, and when they trade.
//!
//! What was recorded stays as it was: orders of the strategy take nothing out of it, and nobody sees them. So the rule is careful, and simple:
//!
//! - An order that reaches prices of the other side trades at once, at those prices, the best first, up to the quantities shown there.
//! - What is left of a limit order rests. All that is shown at its price is before it, once that is the best price of its side; orders
//!   before it that trade or leave bring it forward, as far as the quantity of the best level says. It trades at its own price: when an order shown there
//!   trades for more than is before it; when a trade happens at a worse price, for then it had been next; when the other side's best price reaches it.
//! - What is left of a market order or of one that is immediate or cancelled (IOC) is cancelled; fill or kill (FOK) needs all of it at once.
//!
//! A quantity that is shown counts once: what an order has taken of it is not there for the next, and is no trade when it trades in the record; it is
//! the first of its level to trade there, and the last to leave.

use std::collections::BTreeMap;

use book::{Book, Status};
use formats::Side;
use language::event::{New, Report, ReportKind};
use language::{Intent, TimeInForce};
use serde::Serialize;

/// An order of the strategy in the market.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Own {
    instrument: u32,
    side: Side,
    price: i64,
    remaining: i64,
    /// What is before it at its price.
    ahead: i64,
}

/// A fill, at the time when it happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Fill {
    /// The order's number.
    pub order: i64,
    /// The index of its instrument.
    pub instrument: u32,
    /// Its side.
    pub side: Side,
    /// The price, in the instrument's scale.
    pub price: i64,
    /// The quantity.
    pub quantity: i64,
}

/// Why an order was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i64)]
pub enum Reason {
    /// There is no such order, or no more.
    UnknownOrder = 1,
    /// The quantity is not above 0.
    Quantity = 2,
    /// There is no such instrument.
    Instrument = 3,
    /// The instrument's book cannot be relied on.
    NotTradable = 4,
    /// The number was given before.
    Twice = 5,
}

/// Whether an instrument's book can be relied on, and how much of it the strategy has taken, by side: price and quantity.
#[derive(Clone, Debug, Default)]
struct BookView {
    tradable: bool,
    taken: [Vec<(i64, i64)>; 2],
}

impl BookView {
    /// What the strategy has taken of a level.
    fn taken(&self, side: Side, price: i64) -> i64 {
        let mut taken = self.taken[side as usize].iter();
        taken
            .find(|(level, _)| *level == price)
            .map_or(0, |(_, quantity)| *quantity)
    }

    fn take(&mut self, side: Side, price: i64, quantity: i64) {
        let taken = &mut self.taken[side as usize];
        match taken.iter_mut().find(|(level, _)| *level == price) {
            Some((_, taken)) => *taken += quantity,
            None => taken.push((price, quantity)),
        }
    }

    /// So many of a level trade in the record; returns how many of them the strategy had taken.
    fn gone(&mut self, side: Side, price: i64, quantity: i64) -> i64 {
        let mut levels = self.taken[side as usize].iter_mut();
        let Some((_, taken)) = levels.find(|(level, _)| *level == price) else {
            return 0;
        };
        let gone = quantity.min(*taken);
        *taken -= gone;
        gone
    }
}

/// The strategy's orders, and what they have taken of the books that they meet.
#[derive(Clone, Debug)]
pub struct Market {
    shown: Vec<BookView>,
    orders: BTreeMap<i64, Own>,
    /// The highest number that an order had.
    last: i64,
}

impl Market {
    /// A market of so many instruments, without orders.
    pub fn new(instruments: usize) -> Self {
        Market {
            shown: vec![BookView::default(); instruments],
            orders: BTreeMap::new(),
            last: 0,
        }
    }

    /// How many orders are open.
    pub fn open(&self) -> i64 {
        self.orders.len() as i64
    }

    /// What a strategy asks for; it meets the book as it is. `told` gets the reports, `filled` the fills.
    pub fn intent(
        &mut self,
        intent: &Intent,
        book: &Book,
        told: &mut Vec<Report>,
        filled: &mut Vec<Fill>,
    ) {
        match *intent {
            Intent::New(new) => self.enter(&new, book, told, filled),
            Intent::Cancel { order } => match self.orders.remove(&order) {
                Some(own) => told.push(report(ReportKind::Cancelled, order, &own, 0)),
                None => told.push(rejected(order, Reason::UnknownOrder)),
            },
            Intent::Replace {
                order,
                price,
                quantity,
            } => self.replace(order, price, quantity, book, told, filled),
        }
    }

    fn enter(&mut self, new: &New, book: &Book, told: &mut Vec<Report>, filled: &mut Vec<Fill>) {
        let refused = |reason: Reason| Report {
            kind: ReportKind::Rejected,
            order: new.order,
            side: new.side,
            price: new.price.unwrap_or_default(),
            quantity: new.quantity,
            reason: reason as i64,
            ..Report::default()
        };
        let found = usize::try_from(new.instrument)
            .ok()
            .and_then(|index| self.shown.get(index));
        let reason = match found {
            None => Some(Reason::Instrument),
            Some(shown) if !shown.tradable => Some(Reason::NotTradable),
            Some(_) if new.quantity <= 0 => Some(Reason::Quantity),
            Some(_) if new.order <= self.last => Some(Reason::Twice),
            Some(_) => None,
        };
        if let Some(reason) = reason {
            told.push(refused(reason));
            return;
        }
        self.last = new.order;
        let unlimited = match new.side {
            Side::Buy => i64::MAX,
            Side::Sell => i64::MIN,
        };
        let own = Own {
            instrument: new.instrument as u32,
            side: new.side,
            price: new.price.unwrap_or(unlimited),
            remaining: new.quantity,
            ahead: i64::MAX,
        };
        told.push(report(ReportKind::Accepted, new.order, &own, own.remaining));
        let rests = new.price.is_some()
            && !matches!(
                new.time_in_force,
                TimeInForce::ImmediateOrCancel | TimeInForce::FillOrKill
            );
        let all_or_none = new.time_in_force == TimeInForce::FillOrKill;
        let there = self.reached(book, &own);
        let there = there.fold(0_i64, |sum, (_, quantity)| sum.saturating_add(quantity));
        let enough = !all_or_none || there >= own.remaining;
        self.orders.insert(new.order, own);
        if enough {
            self.meet(new.order, false, book, told, filled);
        }
        if !rests && let Some(own) = self.orders.remove(&new.order) {
            told.push(report(ReportKind::Cancelled, new.order, &own, 0));
        }
        self.queue(new.order, book);
    }

    fn replace(
        &mut self,
        order: i64,
        price: i64,
        quantity: i64,
        book: &Book,
        told: &mut Vec<Report>,
        filled: &mut Vec<Fill>,
    ) {
        let Some(own) = self.orders.get_mut(&order) else {
            told.push(rejected(order, Reason::UnknownOrder));
            return;
        };
        if quantity <= 0 {
            told.push(Report {
                reason: Reason::Quantity as i64,
                ..report(ReportKind::Rejected, order, own, own.remaining)
            });
            return;
        }
        if price != own.price || quantity > own.remaining {
            own.ahead = i64::MAX;
        }
        (own.price, own.remaining) = (price, quantity);
        told.push(report(ReportKind::Replaced, order, own, quantity));
        self.meet(order, false, book, told, filled);
        self.queue(order, book);
    }

    /// How far an order is from being next, as the best level of its side tells.
    fn queue(&mut self, order: i64, book: &Book) {
        if let Some(own) = self.orders.get_mut(&order) {
            let best = book.top(own.instrument).of(own.side);
            let is_better = match own.side {
                Side::Buy => own.price > best.price,
                Side::Sell => own.price < best.price,
            };
            if best.is_empty() || is_better {
                own.ahead = 0;
            } else if own.price == best.price {
                let quantity = i64::try_from(best.quantity).unwrap_or(i64::MAX);
                own.ahead = own.ahead.min(quantity);
            }
        }
    }

    /// The levels of the other side that an order reaches, the best first: price, and what is left of the quantity.
    fn reached<'b>(&'b self, book: &'b Book, own: &Own) -> impl Iterator<Item = (i64, i64)> + 'b {
        let Own {
            instrument,
            side,
            price,
            ..
        } = *own;
        let opposite = other(side);
        let levels = book.levels(instrument, opposite);
        let levels = levels.chain(book.levels_outside(instrument, opposite));
        let reached = levels.take_while(move |level| match side {
            Side::Buy => price >= level.price,
            Side::Sell => price <= level.price,
        });
        let shown = self.shown.get(instrument as usize);
        reached.filter_map(move |level| {
            let taken = shown?.taken(opposite, level.price);
            let left = i64::try_from(level.quantity).unwrap_or(i64::MAX) - taken;
            (left > 0).then_some((level.price, left))
        })
    }

    /// An order meets what is shown: at the prices shown when it comes, at its own if it `rested`.
    fn meet(
        &mut self,
        order: i64,
        rested: bool,
        book: &Book,
        told: &mut Vec<Report>,
        filled: &mut Vec<Fill>,
    ) {
        while let Some(own) = self.orders.get(&order).copied() {
            let Some((shown, left)) = self.reached(book, &own).next() else {
                return;
            };
            let price = if rested { own.price } else { shown };
            let quantity = own.remaining.min(left);
            self.shown[own.instrument as usize].take(other(own.side), shown, quantity);
            self.fill(order, price, quantity, told, filled);
        }
    }

    fn fill(
        &mut self,
        order: i64,
        price: i64,
        quantity: i64,
        told: &mut Vec<Report>,
        filled: &mut Vec<Fill>,
    ) {
        let Some(own) = self.orders.get_mut(&order) else {
            return;
        };
        own.remaining -= quantity;
        let own = *own;
        if own.remaining == 0 {
            self.orders.remove(&order);
        }
        filled.push(Fill {
            order,
            instrument: own.instrument,
            side: own.side,
            price,
            quantity,
        });
        told.push(Report {
            price,
            quantity,
            ..report(ReportKind::Filled, order, &own, own.remaining)
        });
    }

    /// The book of an instrument is shown as it is now; its resting orders that are reached trade, at their own prices.
    pub fn show(
        &mut self,
        instrument: u32,
        book: &Book,
        told: &mut Vec<Report>,
        filled: &mut Vec<Fill>,
    ) {
        let Some(shown) = self.shown.get_mut(instrument as usize) else {
            return;
        };
        for side in [Side::Buy, Side::Sell] {
            shown.taken[side as usize].retain_mut(|(price, taken)| {
                let level = book.level(instrument, side, *price);
                let quantity = level.map_or(0, |level| level.quantity);
                *taken = i64::try_from(quantity).map_or(*taken, |there| there.min(*taken));
                *taken > 0
            });
        }
        shown.tradable = book.status(instrument) == Some(Status::Tradable);
        if !shown.tradable || self.orders.is_empty() {
            return;
        }
        for order in self.of(instrument) {
            self.meet(order, true, book, told, filled);
            self.queue(order, book);
        }
    }

    /// The book of an instrument cannot be relied on until it is [shown](Market::show) again: no order enters.
    pub fn close(&mut self, instrument: u32) {
        if let Some(shown) = self.shown.get_mut(instrument as usize) {
            shown.tradable = false;
        }
    }

    /// A trade of an instrument; `shown`: side and price of the order of the book that traded. Orders that rest at better prices would have been first, and of those at
    /// its price the ones before it. What the strategy had taken of the book's order trades with nobody a second time.
    pub fn trade(
        &mut self,
        instrument: u32,
        shown: Option<(Side, i64)>,
        price: i64,
        quantity: i64,
        told: &mut Vec<Report>,
        filled: &mut Vec<Fill>,
    ) {
        let mut left = [quantity; 2];
        if let (Some((side, level)), Some(book)) = (shown, self.shown.get_mut(instrument as usize))
        {
            left[other(side) as usize] -= book.gone(side, level, quantity);
        }
        if self.orders.is_empty() {
            return;
        }
        let shown = shown.map(|(side, _)| side);
        for order in self.of(instrument) {
            let Some(own) = self.orders.get(&order).copied() else {
                continue;
            };
            let was_next = match own.side {
                Side::Buy => price < own.price,
                Side::Sell => price > own.price,
            };
            let left = &mut left[own.side as usize];
            let mut reached = if was_next { *left } else { 0 };
            if price == own.price
                && shown == Some(own.side)
                && let Some(own) = self.orders.get_mut(&order)
            {
                reached = (*left - own.ahead).max(0);
                own.ahead = own.ahead.saturating_sub(*left).max(0);
            }
            let quantity = own.remaining.min(reached);
            if quantity > 0 {
                *left -= quantity;
                self.fill(order, own.price, quantity, told, filled);
            }
        }
    }

    /// The orders of an instrument, those with the best prices first, then the oldest.
    fn of(&self, instrument: u32) -> Vec<i64> {
        let own = self.orders.iter();
        let mut found: Vec<(i64, i64)> = own
            .filter(|(_, own)| own.instrument == instrument)
            .map(|(order, own)| match own.side {
                Side::Buy => (own.price.saturating_neg(), *order),
                Side::Sell => (own.price, *order),
            })
            .collect();
        found.sort_unstable();
        found.into_iter().map(|(_, order)| order).collect()
    }
}

const fn other(side: Side) -> Side {
    match side {
        Side::Buy => Side::Sell,
        Side::Sell => Side::Buy,
    }
}

fn report(kind: ReportKind, order: i64, own: &Own, remaining: i64) -> Report {
    Report {
        kind,
        order,
        instrument: own.instrument,
        side: own.side,
        // A market order has none.
        price: if matches!(own.price, i64::MIN | i64::MAX) {
            0
        } else {
            own.price
        },
        quantity: own.remaining,
        remaining,
        reason: 0,
    }
}

fn rejected(order: i64, reason: Reason) -> Report {
    Report {
        kind: ReportKind::Rejected,
        order,
        reason: reason as i64,
        ..Report::default()
    }
}
