//! An order at the best price whenever it changes: the twin of `rtl/strategy/wire/best_price.sv`. The rule is in `docs/reference/rules.md`.

use book::{Change, Status};
use wire::Side;

use crate::own_order::{Became, OwnOrder};

/// What the host sets. The order's quantity is in the prepared order, not here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Parameters {
    /// The index of the instrument.
    pub instrument: u32,
    /// Side of its orders: a buy watches the best ask, a sell the best bid.
    pub side: Side,
    /// Whether it does anything.
    pub enabled: bool,
    /// It keeps one order in the market, and replaces it at a new price, instead of sending an order at each.
    pub single: bool,
}

impl Parameters {
    /// The side of the book that it watches.
    pub const fn watched(&self) -> Side {
        match self.side {
            Side::Buy => Side::Sell,
            Side::Sell => Side::Buy,
        }
    }
}

/// What it asks for: a limit order at a price out of the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Intent {
    /// The index of the instrument.
    pub instrument: u32,
    /// Side of the order.
    pub side: Side,
    /// Its price, in the instrument's scale.
    pub price: i64,
    /// The order that it replaces, by its MsgSeqNum; `None`: it is a new one.
    pub replaces: Option<u32>,
}

/// The strategy. It gives one intent a frame at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BestPrice {
    parameters: Parameters,
    /// The price of the last intent.
    last: Option<i64>,
    /// The watched price after the last change in this frame, if the instrument is tradable and has one.
    seen: Option<i64>,
    /// Its order, with `single`.
    own: OwnOrder,
}

impl BestPrice {
    /// A strategy that has given no intent yet.
    pub const fn new(parameters: Parameters) -> Self {
        BestPrice {
            parameters,
            last: None,
            seen: None,
            own: OwnOrder::NONE,
        }
    }

    /// Its parameters.
    pub const fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Other parameters, between two frames: the last price is forgotten, even if they are the same.
    pub const fn set(&mut self, parameters: Parameters) {
        *self = BestPrice::new(parameters);
    }

    /// The price of the last intent since the parameters were set.
    pub const fn last(&self) -> Option<i64> {
        self.last
    }

    /// An event of this frame changed a book, or touched it; returns whether it is the instrument's.
    #[inline]
    pub fn change(&mut self, change: &Change) -> bool {
        let ours = change.instrument == self.parameters.instrument;
        if ours {
            let best = change.after.of(self.parameters.watched());
            // 0 is no price of an order.
            let usable = change.status == Status::Tradable && !best.is_empty() && best.price != 0;
            self.seen = usable.then_some(best.price);
        }
        ours
    }

    /// The frame ends; a bad one changes nothing.
    #[inline]
    pub fn verdict(&mut self, good: bool) -> Option<Intent> {
        let seen = self.seen.take();
        let price = seen.filter(|_| good && self.parameters.enabled)?;
        if self.last == Some(price) || !self.own.is_free() {
            return None;
        }
        self.last = Some(price);
        let replaces = self.own.replaces();
        if self.parameters.single {
            self.own.ask();
        }
        Some(Intent {
            instrument: self.parameters.instrument,
            side: self.parameters.side,
            price,
            replaces,
        })
    }

    /// Something became of an order of it; only with `single` that matters.
    pub fn became(&mut self, became: Became) {
        self.own.became(became);
    }

    /// The order that it keeps in the market, with `single`.
    pub const fn own(&self) -> &OwnOrder {
        &self.own
    }
}
