//! An order at the best price whenever it changes: the twin of `rtl/strategy/module/best_price.sv`. The rule is in `docs/reference/rules.md`.

use book::{Change, Status};
use formats::Side;

use crate::own_order::{OrderChange, OwnOrder};

/// What the host sets. The order's quantity is in the prepared order, not here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Parameters {
    /// The index of the instrument.
    pub instrument: u32,
    /// Side of its orders: a buy watches the best ask, a sell the best bid.
    pub side: Side,
    /// Whether it does anything.
    pub enabled: bool,
    /// It keeps one order in the market: replaces it at a new price, instead of sending an order at each, and cancels it when there is none.
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

/// What it asks for, of its instrument and on its side. Prices are out of the book, in the instrument's scale; orders are named by their MsgSeqNums.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Intent {
    /// A limit order.
    New {
        /// Its price.
        price: i64,
    },
    /// The same in place of the order that it has in the market.
    Replace {
        /// That order.
        order: u32,
        /// The new price.
        price: i64,
    },
    /// The cancel of that order.
    Cancel {
        /// That order.
        order: u32,
    },
}

/// The strategy. It gives one intent a frame at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BestPrice {
    parameters: Parameters,
    /// The price of the last intent.
    last: Option<i64>,
    /// The watched price after the last change in this frame, if there was one; inside, `None` if the instrument is not tradable or has none.
    seen: Option<Option<i64>>,
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

    /// The price of the last intent since the parameters were set; a cancel forgets it.
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
            self.seen = Some(usable.then_some(best.price));
        }
        ours
    }

    /// The frame ends; a bad one changes nothing.
    #[inline]
    pub fn verdict(&mut self, good: bool) -> Option<Intent> {
        let seen = self.seen.take();
        let seen = seen.filter(|_| good && self.parameters.enabled && self.own.is_free())?;
        let working = self.own.replaces();
        let Some(price) = seen else {
            let order = working?;
            self.last = None;
            self.own.ask_cancel();
            return Some(Intent::Cancel { order });
        };
        if self.last == Some(price) {
            return None;
        }
        self.last = Some(price);
        if self.parameters.single {
            self.own.ask();
        }
        Some(match working {
            None => Intent::New { price },
            Some(order) => Intent::Replace { order, price },
        })
    }

    /// Something became of an order of it, or of its cancel; only with `single` that matters.
    pub fn became(&mut self, became: OrderChange) {
        self.own.became(became);
    }

    /// The order that it keeps in the market, with `single`.
    pub const fn own(&self) -> &OwnOrder {
        &self.own
    }
}
