//! What leaves the book: the mirror of `market_if`.

use formats::Side;

use crate::fault::{Cause, Status};

/// A price level. Without orders it is [`Level::EMPTY`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Level {
    /// Price, in the instrument's scale.
    pub price: i64,
    /// What is left of its orders, in shares.
    pub quantity: u64,
    /// How many orders it has.
    pub orders: u32,
}

impl Level {
    /// No level: no orders, and price and quantity 0.
    pub const EMPTY: Self = Level {
        price: 0,
        quantity: 0,
        orders: 0,
    };

    /// Whether it has no orders.
    pub const fn is_empty(&self) -> bool {
        self.orders == 0
    }
}

/// How the two best prices stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// No orders on either side.
    Empty,
    /// Orders on one side only.
    OneSided,
    /// The best bid is below the best ask.
    Open,
    /// The best bid is the best ask.
    Locked,
    /// The best bid is above the best ask.
    Crossed,
}

/// The best level of each side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Top {
    /// The highest price that somebody would buy at.
    pub bid: Level,
    /// The lowest price that somebody would sell at.
    pub ask: Level,
}

impl Top {
    /// The best level of a side.
    pub const fn of(&self, side: Side) -> Level {
        match side {
            Side::Buy => self.bid,
            Side::Sell => self.ask,
        }
    }

    /// How the two stand to each other.
    pub const fn shape(&self) -> Shape {
        match (self.bid.is_empty(), self.ask.is_empty()) {
            (true, true) => Shape::Empty,
            (true, false) | (false, true) => Shape::OneSided,
            _ if self.bid.price < self.ask.price => Shape::Open,
            _ if self.bid.price == self.ask.price => Shape::Locked,
            _ => Shape::Crossed,
        }
    }

    pub(crate) const fn set(&mut self, side: Side, level: Level) {
        match side {
            Side::Buy => self.bid = level,
            Side::Sell => self.ask = level,
        }
    }
}

/// A trade, however the feed reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Trade {
    /// Side of the resting order; of a cross, which has none, as the event has it.
    pub side: Side,
    /// Price, in the instrument's scale.
    pub price: i64,
    /// Quantity, in shares.
    pub quantity: u64,
}

/// What an event did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum What {
    /// An order entered.
    Add,
    /// An order traded, in whole or in part.
    Execute,
    /// An order lost part of its quantity, or all of it.
    Reduce,
    /// An order left.
    Delete,
    /// An order changed in place.
    Modify,
    /// An order left and another entered.
    Replace,
    /// A trade that touched no displayed order.
    Trade,
    /// A price level got a quantity, or closed.
    Level,
    /// It could not be booked, or the book is not complete any more.
    Fault(
        /// Why.
        Cause,
    ),
}

/// What an event changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Change {
    /// The index of the instrument.
    pub instrument: u32,
    /// What the event did.
    pub what: What,
    /// Side of the order; of a fault, that of the event.
    pub side: Side,
    /// Price of the order, a replacement's new one, or of the trade; of a fault, that of the event. In the instrument's scale.
    pub price: i64,
    /// The best levels before.
    pub before: Top,
    /// The best levels after.
    pub after: Top,
    /// The trade, if the event is one.
    pub trade: Option<Trade>,
    /// Whether the book can be relied on, after the event.
    pub status: Status,
}

impl Change {
    /// Whether the best level of a side changed: price, quantity or number of orders.
    pub fn best_changed(&self, side: Side) -> bool {
        self.before.of(side) != self.after.of(side)
    }
}
