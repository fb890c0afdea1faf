//! Orders as the engine takes them, and its events.

use std::fmt;

use formats::Side;
use thiserror::Error;

/// The largest quantity of an order; the sums of 2^32 of them fit into 64 bits.
pub const LARGEST_QUANTITY: u64 = u32::MAX as u64;

/// An order: its place in the engine (low 32 bits) and how often that place was given away before. It is never 0 and never used
/// again within the 2^32 uses of a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OrderId(
    /// As a number.
    pub u64,
);

impl OrderId {
    pub(crate) const fn new(slot: u32, generation: u32) -> Self {
        OrderId((generation as u64) << 32 | slot as u64)
    }

    pub(crate) const fn slot(self) -> u32 {
        self.0 as u32
    }

    pub(crate) const fn generation(self) -> u32 {
        (self.0 >> 32) as u32
    }
}

impl fmt::Display for OrderId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What an order asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Kind {
    /// To trade at a price or better.
    #[default]
    Limit,
    /// To trade at any price; what does not trade at once is cancelled.
    Market,
    /// To be a market order once the last price reaches the trigger.
    Stop,
    /// To be a limit order once the last price reaches the trigger.
    StopLimit,
}

impl Kind {
    /// Whether it waits for its trigger.
    pub const fn is_stop(self) -> bool {
        matches!(self, Kind::Stop | Kind::StopLimit)
    }

    /// Whether it has a limit price.
    pub const fn has_limit(self) -> bool {
        matches!(self, Kind::Limit | Kind::StopLimit)
    }
}

/// How long an order may wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TimeInForce {
    /// Until it is cancelled.
    #[default]
    Day,
    /// Not at all: what does not trade at once is cancelled.
    ImmediateOrCancel,
    /// Not at all: unless all of it trades at once, nothing does.
    FillOrKill,
}

/// An order that a client sends. Prices are whole numbers of ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NewOrder {
    /// The instrument, as [`Engine::add`](crate::Engine::add) numbered it.
    pub instrument: u32,
    /// Who sends it.
    pub client: u32,
    /// A value that comes back with every event; the engine does not use it.
    pub tag: u64,
    /// Its side.
    pub side: Side,
    /// What it asks for.
    pub kind: Kind,
    /// How long it may wait.
    pub time_in_force: TimeInForce,
    /// The limit, of the kinds that have one.
    pub price: i64,
    /// The last price at which a stop order is triggered.
    pub trigger: i64,
    /// How many.
    pub quantity: u64,
}

/// How an order is to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The new tag.
    pub tag: u64,
    /// The new limit, of the kinds that have one.
    pub price: i64,
    /// The new trigger, of an order that still waits for it.
    pub trigger: i64,
    /// The new quantity, what was traded already included.
    pub quantity: u64,
}

/// Why an order, a replacement or a cancel is refused. Nothing has happened then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
pub enum Refusal {
    /// No such instrument.
    #[error("unknown instrument")]
    Instrument,
    /// 0.
    #[error("a quantity of zero")]
    ZeroQuantity,
    /// Beyond [`LARGEST_QUANTITY`] or the instrument's own limit.
    #[error("quantity beyond the limit")]
    LargeQuantity,
    /// The limit is outside the instrument's band.
    #[error("price outside the band")]
    Price,
    /// The trigger is outside the instrument's band.
    #[error("stop price outside the band")]
    Trigger,
    /// The engine holds as many orders as it may.
    #[error("too many orders")]
    Full,
    /// No such order, or it is done.
    #[error("unknown order")]
    Order,
    /// The order is another client's.
    #[error("order of another client")]
    Client,
    /// The new quantity is not more than what was traded already.
    #[error("quantity not above what was traded")]
    Traded,
}

/// Why an order left without having traded completely.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// Its client asked for it.
    Requested,
    /// It was immediate or cancel, fill or kill, or a market order.
    Unfilled,
}

/// An order and its owner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Party {
    /// The order.
    pub id: OrderId,
    /// Its client.
    pub client: u32,
    /// Its tag.
    pub tag: u64,
    /// What is left of it after the event.
    pub remaining: u64,
}

/// What happened. Every accepted order ends: traded completely, or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// An order was accepted.
    Accepted {
        /// The instrument.
        instrument: u32,
        /// The order.
        order: Party,
    },
    /// An order entered the book, behind all of its price.
    Rested {
        /// The instrument.
        instrument: u32,
        /// The order.
        order: Party,
        /// Its side.
        side: Side,
        /// Its price, in ticks.
        price: i64,
    },
    /// Two orders traded, at the price of the one that was there first.
    Traded {
        /// The instrument.
        instrument: u32,
        /// Counted from 1, over all instruments.
        match_number: u64,
        /// Price, in ticks.
        price: i64,
        /// How many.
        quantity: u64,
        /// The side of the taker.
        side: Side,
        /// The order that was in the book.
        maker: Party,
        /// The one that came.
        taker: Party,
    },
    /// A stop order's trigger was reached; what it does follows.
    Triggered {
        /// The instrument.
        instrument: u32,
        /// The order.
        order: Party,
    },
    /// An order lost quantity and kept its place.
    Reduced {
        /// The instrument.
        instrument: u32,
        /// The order.
        order: Party,
        /// Its side.
        side: Side,
        /// Its price, in ticks.
        price: i64,
        /// How many it lost.
        removed: u64,
        /// Whether it is in the book, not waiting for its trigger.
        displayed: bool,
    },
    /// An order was replaced by one with another id, which trades, enters the book or waits as a new one would.
    Replaced {
        /// The instrument.
        instrument: u32,
        /// The order that left.
        old: OrderId,
        /// Their side.
        side: Side,
        /// The price it had, in ticks.
        old_price: i64,
        /// What it had left.
        old_remaining: u64,
        /// The one that replaces it.
        order: Party,
        /// Whether the one that left was in the book, not waiting for its trigger.
        displayed: bool,
    },
    /// An order left without having traded completely.
    Removed {
        /// The instrument.
        instrument: u32,
        /// The order; `remaining` is what it had left.
        order: Party,
        /// Its side.
        side: Side,
        /// Its price, in ticks; `None` for an order that had none.
        price: i64,
        /// Whether it was in the book.
        displayed: bool,
        /// Why.
        cause: Cause,
    },
}

/// Takes events, in the order they happen.
pub trait Sink {
    /// Something happened.
    fn event(&mut self, event: &Event);
}

impl<F: FnMut(&Event)> Sink for F {
    #[inline(always)]
    fn event(&mut self, event: &Event) {
        self(event);
    }
}
