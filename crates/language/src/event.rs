//! What goes into a handler, and what comes out. Prices are in the instrument's scale, quantities as the feed gives them, times in ns.

use formats::Side;
use serde::Serialize;

use crate::program::TimeInForce;

/// How many levels of a side [`Depth`] is asked for.
pub const LEVELS: usize = 16;
/// How many intents a handler may send.
pub const INTENTS: usize = 4;
/// How many values a record has at most.
pub const VALUES: usize = 7;

/// A price level; without orders it does not exist, and its price and quantity are 0. The fields of `book::Level`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Level {
    /// Its price.
    pub price: i64,
    /// What is left of its orders.
    pub quantity: i64,
    /// How many orders it has.
    pub orders: i64,
}

/// The levels below the best.
pub trait Depth {
    /// Level `number` of a side, below [`LEVELS`]; 0 is the best.
    fn level(&self, side: Side, number: usize) -> Level;
}

/// A book of which only the best levels are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoDepth;

impl Depth for NoDepth {
    fn level(&self, _: Side, _: usize) -> Level {
        Level::default()
    }
}

/// The first levels of each side, bids first.
impl Depth for [Vec<Level>; 2] {
    fn level(&self, side: Side, number: usize) -> Level {
        self[side as usize].get(number).copied().unwrap_or_default()
    }
}

/// A book after a change (`market_if`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct BookChange {
    /// The index of the instrument.
    pub instrument: u32,
    /// The best bid.
    pub bid: Level,
    /// The best ask.
    pub ask: Level,
    /// Whether one of the two is another than before the frame; for `@each_change`, than before the change.
    pub changed: bool,
    /// Whether the book can be relied on.
    pub tradable: bool,
}

/// A trade, however the feed reports it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Trade {
    /// The index of the instrument.
    pub instrument: u32,
    /// Its price.
    pub price: i64,
    /// Its quantity.
    pub quantity: i64,
    /// The side of the resting order.
    pub side: Side,
}

/// What became of an order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum ReportKind {
    /// The exchange has it.
    #[default]
    Accepted = 0,
    /// It traded, in whole or in part.
    Filled = 1,
    /// It is cancelled.
    Cancelled = 2,
    /// It has another price or quantity.
    Replaced = 3,
    /// The exchange refused it, its replacement or its cancel.
    Rejected = 4,
    /// Risk refused it: it was never sent.
    Refused = 5,
}

/// A report about an order of the strategy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Report {
    /// What happened.
    pub kind: ReportKind,
    /// The order's number, as [`New::order`] had it.
    pub order: i64,
    /// The index of its instrument.
    pub instrument: u32,
    /// Its side.
    pub side: Side,
    /// The price of the fill; else that of the order.
    pub price: i64,
    /// The quantity of the fill; else that of the order.
    pub quantity: i64,
    /// What is left of it in the market.
    pub remaining: i64,
    /// Why it was refused or rejected: risk's or the exchange's code; else 0.
    pub reason: i64,
}

/// What a handler runs for.
#[derive(Clone, Copy)]
pub enum Event<'a> {
    /// `on_book`.
    Book(&'a BookChange, &'a dyn Depth),
    /// `on_trade`.
    Trade(&'a Trade),
    /// `on_order`.
    Report(&'a Report),
    /// `on_timer`.
    Timer,
}

/// What every handler sees besides the event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment<'a> {
    /// The time, in ns.
    pub now: i64,
    /// How many orders of its own are open.
    pub open_orders: i64,
    /// The position in each instrument: bought less sold.
    pub positions: &'a [i64],
}

/// A new order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct New {
    /// Its number: 1, 2 and so on for each strategy.
    pub order: i64,
    /// Buy or sell.
    pub side: Side,
    /// The index of the instrument. Risk refuses what is not there.
    pub instrument: i64,
    /// The price of a limit order; `None` for a market order.
    pub price: Option<i64>,
    /// How much.
    pub quantity: i64,
    /// How long it stays.
    pub time_in_force: TimeInForce,
}

/// What a strategy asks for (`intent_if`). Every one goes through risk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    /// A new order.
    New(New),
    /// The cancel of an order.
    Cancel {
        /// Its number.
        order: i64,
    },
    /// Another price and quantity for an order.
    Replace {
        /// Its number.
        order: i64,
        /// The new price.
        price: i64,
        /// The new quantity.
        quantity: i64,
    },
}

/// A record for the host (`record_if`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Record {
    /// What it is, in the strategy's own terms.
    pub tag: u8,
    count: u8,
    values: [i64; VALUES],
}

impl Record {
    /// A record of these values; of more than [`VALUES`], the first.
    pub fn new(tag: u8, from: &[i64]) -> Self {
        let count = from.len().min(VALUES);
        let mut values = [0; VALUES];
        values[..count].copy_from_slice(&from[..count]);
        Record {
            tag,
            count: count as u8,
            values,
        }
    }

    /// Its values.
    pub fn values(&self) -> &[i64] {
        &self.values[..self.count as usize]
    }
}

/// What went wrong in a handler, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Faults {
    /// Divisions by zero.
    pub division: u64,
    /// Indexes where there is nothing: of an array, a ring, an instrument, a level.
    pub index: u64,
    /// Intents beyond [`INTENTS`].
    pub intents: u64,
}

impl Faults {
    /// All of them.
    pub const fn total(&self) -> u64 {
        self.division + self.index + self.intents
    }
}

/// What a handler gave. It is made once, and filled anew for each event, so that nothing is allocated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// What it asks for, in order; at most [`INTENTS`].
    pub intents: Vec<Intent>,
    /// What it tells, in order.
    pub records: Vec<Record>,
    /// What went wrong.
    pub faults: Faults,
}

impl Outcome {
    /// Room for what any handler of a program gives.
    pub fn of(program: &crate::program::Program) -> Self {
        Outcome {
            intents: Vec::with_capacity(INTENTS),
            records: Vec::with_capacity(program.records()),
            faults: Faults::default(),
        }
    }

    /// Nothing.
    pub fn clear(&mut self) {
        self.intents.clear();
        self.records.clear();
        self.faults = Faults::default();
    }
}
