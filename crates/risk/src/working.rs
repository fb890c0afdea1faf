//! The orders in the market, and what the exchange's reports mean for the exposure: the twin of `rtl/risk/working_orders.sv`.

use std::collections::HashMap;

use formats::Side;
use order::{Kind, Number, Order};

use crate::Adjustment;

/// What the exchange says about an order: `execution_e`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Execution {
    /// It is in the market, or a request about it is being looked at.
    Open,
    /// Nothing more of it can be traded: filled, cancelled, expired, done for the day.
    Closed,
    /// The order, or the replacement, was rejected.
    Rejected,
    /// `number` replaced `original`.
    Replaced,
    /// The cancel or the replacement was refused (35=9): the order is as it was.
    ChangeRefused,
}

/// A report of the exchange: `execution_report_t`. Orders are named by their MsgSeqNums.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExecutionReport {
    /// What it says.
    pub what: Execution,
    /// The order, or the request about it.
    pub number: Number,
    /// The order that a request is about.
    pub original: Option<Number>,
    /// What was traded of the order so far, all its fills together (CumQty).
    pub traded: u32,
}

/// What became of an order in the market: `working_change_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    /// The exchange has the order.
    Open(Number),
    /// The order ended.
    Closed(Number),
    /// This replacement is the order now.
    Replaced(Number),
    /// This replacement, or the cancel of this order, was refused.
    Refused(Number),
}

/// What a report means. Neither: it is about an order that is not here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reported {
    /// What risk must take back; `None`: nothing new was traded or ended.
    pub adjustment: Option<Adjustment>,
    /// What became of the order, also if that was known.
    pub change: Option<Change>,
}

/// An order in the market, or a replacement without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WorkingOrder {
    /// The instrument's index.
    pub instrument: u8,
    /// Its side.
    pub side: Side,
    /// How much was ordered; of a replacement, what was traded before is a part of it.
    pub quantity: u32,
    /// How much of it is known to be traded.
    pub traded: u32,
}

impl WorkingOrder {
    /// What is still to be traded.
    pub const fn left(&self) -> u32 {
        self.quantity.saturating_sub(self.traded)
    }

    /// Takes from the exposure of its side what is open no more, and from that of the other side what was traded.
    fn adjustment(&self, given_back: u32, traded: u32, closed: bool) -> Adjustment {
        let (own, other) = (-i64::from(given_back), -i64::from(traded));
        let (buy, sell) = match self.side {
            Side::Buy => (own, other),
            Side::Sell => (other, own),
        };
        Adjustment {
            instrument: self.instrument,
            buy,
            sell,
            closed: closed.into(),
        }
    }
}

/// The orders that left, until the exchange reports their end. A report that comes again, or late, changes nothing: it says what was traded in all.
#[derive(Clone, Debug, Default)]
pub struct WorkingOrders {
    orders: HashMap<Number, WorkingOrder>,
    /// Their full quantity is exposed, and that of the orders they replace.
    replacements: HashMap<Number, WorkingOrder>,
}

impl WorkingOrders {
    /// How many orders are in the market.
    pub fn len(&self) -> usize {
        self.orders.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.orders.is_empty()
    }

    /// The order sent with this number, if its end is not known.
    pub fn order(&self, number: Number) -> Option<&WorkingOrder> {
        self.orders.get(&number)
    }

    /// The orders, and then the replacements without an answer (`true`), with their numbers.
    pub fn all(&self) -> impl Iterator<Item = (Number, WorkingOrder, bool)> {
        let orders = self
            .orders
            .iter()
            .map(|(number, one)| (*number, *one, false));
        let asked = self.replacements.iter();
        orders.chain(asked.map(|(number, one)| (*number, *one, true)))
    }

    /// Puts one back that [`WorkingOrders::all`] gave.
    pub(crate) fn put_back(&mut self, number: Number, order: WorkingOrder, replacement: bool) {
        match replacement {
            true => self.replacements.insert(number, order),
            false => self.orders.insert(number, order),
        };
    }

    /// An order left.
    pub fn sent(&mut self, number: Number, order: &Order) {
        let working = WorkingOrder {
            instrument: order.instrument,
            side: order.side,
            quantity: order.quantity,
            traded: 0,
        };
        // One that had the number in a session before is forgotten.
        let (orders, others) = match order.kind {
            Kind::New => (&mut self.orders, &mut self.replacements),
            Kind::Replace(_) => (&mut self.replacements, &mut self.orders),
            Kind::Cancel(_) => return,
        };
        others.remove(&number);
        orders.insert(number, working);
    }

    /// Takes a report: remembers what it says, and tells what that means.
    pub fn report(&mut self, report: &ExecutionReport) -> Reported {
        let &ExecutionReport {
            what,
            number,
            original,
            traded,
        } = report;
        match what {
            Execution::Open | Execution::Closed => {
                let named = Some(number).filter(|number| self.orders.contains_key(number));
                self.traded(named.or(original), traded, what == Execution::Closed)
            }
            Execution::Rejected => self
                .refused(number)
                .unwrap_or_else(|| self.traded(Some(number), traded, true)),
            Execution::ChangeRefused => self.refused(number).unwrap_or_else(|| Reported {
                adjustment: None,
                // A cancel: the order is as it was.
                change: original
                    .filter(|original| self.orders.contains_key(original))
                    .map(Change::Refused),
            }),
            Execution::Replaced => self.replaced(number, original, traded),
        }
    }

    /// A replacement is none.
    fn refused(&mut self, number: Number) -> Option<Reported> {
        let replacement = self.replacements.remove(&number)?;
        Some(Reported {
            adjustment: Some(replacement.adjustment(replacement.quantity, 0, false)),
            change: Some(Change::Refused(number)),
        })
    }

    fn traded(&mut self, number: Option<Number>, traded: u32, closed: bool) -> Reported {
        let found = number.and_then(|number| Some((number, self.orders.get_mut(&number)?)));
        let Some((number, order)) = found else {
            return Reported::default();
        };
        // More than was ordered is not believed, nor less than is known.
        let traded = traded.min(order.quantity).max(order.traded);
        let news = traded - order.traded;
        order.traded = traded;
        let order = *order;
        if closed {
            self.orders.remove(&number);
        }
        let given_back = if closed { order.left() } else { 0 };
        Reported {
            adjustment: (closed || news > 0).then(|| order.adjustment(given_back, news, closed)),
            change: Some(match closed {
                true => Change::Closed(number),
                false => Change::Open(number),
            }),
        }
    }

    /// The replacement's full quantity was counted, and that of the order: the order's is taken off.
    fn replaced(&mut self, number: Number, original: Option<Number>, traded: u32) -> Reported {
        let found = original.and_then(|original| {
            let replacement = self.replacements.remove(&number)?;
            Some((original, replacement))
        });
        let Some((original, mut replacement)) = found else {
            return Reported::default();
        };
        replacement.traded = traded.min(replacement.quantity);
        let closed = replacement.left() == 0;
        if !closed {
            self.orders.insert(number, replacement);
        }
        let adjustment = match self.orders.remove(&original) {
            Some(order) => {
                let news = replacement.traded.saturating_sub(order.traded);
                replacement.adjustment(order.quantity, news, closed)
            }
            // It had ended: what was traded of it has been counted.
            None => replacement.adjustment(replacement.traded, 0, closed),
        };
        Reported {
            adjustment: Some(adjustment),
            change: Some(match closed {
                true => Change::Closed(number),
                false => Change::Replaced(number),
            }),
        }
    }
}
