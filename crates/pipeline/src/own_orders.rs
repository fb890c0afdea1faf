//! The orders of a strategy in the language: what it calls them, what the exchange calls them, and what is left of each.

use std::collections::HashMap;

use formats::Side;
use formats::fix::TimeInForce;
use language::Intent;
use language::event::{Report, ReportKind};
use order::{Kind, Number, Order};
use risk::{Change, Execution, ExecutionReport, Reported};

/// Orders and requests that there is room for from the beginning: with more the tables grow, once.
const ROOM: usize = 1_024;

/// Why a request about an order that is not there (any more) is rejected, without the exchange: as FIX has it in CxlRejReason (102), "unknown order".
pub const UNKNOWN_ORDER: i64 = 1;

/// What the exchange said about an order, and what that means for risk.
#[derive(Clone, Copy, Debug)]
pub struct Executed {
    /// The report.
    pub said: ExecutionReport,
    /// What [`risk::WorkingOrders`] made of it.
    pub reported: Reported,
    /// The price of its last fill (LastPx), in the instrument's scale.
    pub price: Option<i64>,
    /// Why the exchange refused: OrdRejReason (103) or CxlRejReason (102); 0 if it says none.
    pub reason: i64,
}

/// An order in the market, or on its way there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Own {
    pub(crate) instrument: u8,
    pub(crate) side: Side,
    pub(crate) price: Option<i64>,
    /// All of it, what is traded already included.
    pub(crate) quantity: u32,
    pub(crate) traded: u32,
    pub(crate) time_in_force: TimeInForce,
    /// Its number at the exchange.
    pub(crate) number: Number,
    /// The replacement or cancel of it that has no answer yet: until then nothing else is asked about it.
    pending: Option<Number>,
    /// What the strategy asked for meanwhile: the last of it.
    waiting: Option<Intent>,
    accepted: bool,
}

impl Own {
    const fn left(&self) -> i64 {
        self.quantity.saturating_sub(self.traded) as i64
    }

    fn report(&self, kind: ReportKind, order: i64, reason: i64) -> Report {
        Report {
            kind,
            order,
            instrument: self.instrument.into(),
            side: self.side,
            price: self.price.unwrap_or_default(),
            quantity: self.left(),
            remaining: self.left(),
            reason,
        }
    }
}

/// A message of ours that the exchange answers.
#[derive(Clone, Copy, Debug)]
struct Request {
    /// The strategy's number of the order.
    order: i64,
    /// What was sent.
    sent: Order,
}

/// The orders.
#[derive(Debug)]
pub(crate) struct OwnOrders {
    orders: HashMap<i64, Own>,
    /// By MsgSeqNum: each order under its present number, and what is not answered yet.
    requests: HashMap<Number, Request>,
}

impl OwnOrders {
    pub(crate) fn new() -> Self {
        OwnOrders {
            orders: HashMap::with_capacity(ROOM),
            requests: HashMap::with_capacity(ROOM),
        }
    }

    /// How many are open.
    pub(crate) fn open(&self) -> i64 {
        self.orders.len() as i64
    }

    pub(crate) fn get(&self, order: i64) -> Option<&Own> {
        self.orders.get(&order)
    }

    /// A message about an order left.
    pub(crate) fn sent(&mut self, order: i64, sent: &Order, number: Number) {
        self.requests.insert(number, Request { order, sent: *sent });
        match sent.kind {
            Kind::New => {
                let own = Own {
                    instrument: sent.instrument,
                    side: sent.side,
                    price: sent.price,
                    quantity: sent.quantity,
                    traded: 0,
                    time_in_force: sent.time_in_force,
                    number,
                    pending: None,
                    waiting: None,
                    accepted: false,
                };
                self.orders.insert(order, own);
            }
            Kind::Replace(_) | Kind::Cancel(_) => {
                if let Some(own) = self.orders.get_mut(&order) {
                    own.pending = Some(number);
                }
            }
        }
    }

    /// Lets a replacement or a cancel wait, if one of the same order has no answer yet; it takes the place of another that waits.
    pub(crate) fn waits(&mut self, order: i64, intent: Intent) -> bool {
        match self.orders.get_mut(&order) {
            Some(own) if own.pending.is_some() => {
                own.waiting = Some(intent);
                true
            }
            _ => false,
        }
    }

    /// What waited for this answer of the exchange, if the order is still there.
    pub(crate) fn released(&mut self, order: i64) -> Option<Intent> {
        let own = self.orders.get_mut(&order)?;
        match own.pending {
            Some(_) => None,
            None => own.waiting.take(),
        }
    }

    /// The order that a message of ours is about.
    pub(crate) fn about(&self, number: Number) -> Option<i64> {
        Some(self.requests.get(&number)?.order)
    }

    /// A message that did not leave: `kind` says why to the strategy.
    pub(crate) fn not_sent(
        &self,
        kind: ReportKind,
        order: i64,
        sent: &Order,
        reason: i64,
    ) -> Report {
        match self.orders.get(&order).filter(|_| sent.kind != Kind::New) {
            Some(own) => own.report(kind, order, reason),
            None => of_request(kind, order, sent, reason),
        }
    }

    /// Takes what the exchange said; `tell` gets the reports for the strategy, and what a fill adds to the position in an instrument. What is about
    /// orders of others changes nothing.
    pub(crate) fn executed(
        &mut self,
        executed: &Executed,
        mut tell: impl FnMut(Report, Option<(u8, i64)>),
    ) {
        let ExecutionReport { what, number, .. } = executed.said;
        match executed.reported.change {
            Some(Change::Open(number)) => {
                let Some((order, own)) = self.of(number) else {
                    return;
                };
                if !std::mem::replace(&mut own.accepted, true) {
                    tell(own.report(ReportKind::Accepted, order, 0), None);
                }
                own.fill(order, executed, &mut tell);
            }
            Some(Change::Replaced(number)) => {
                self.replaced(number, executed, &mut tell);
            }
            Some(Change::Closed(closed)) => {
                let replaced = what == Execution::Replaced;
                let mut filled = replaced && self.replaced(closed, executed, &mut tell);
                let Some((order, own)) = self.of(closed) else {
                    return;
                };
                if !replaced {
                    filled = own.fill(order, executed, &mut tell);
                }
                if own.left() > 0 || !filled {
                    let kind = match what {
                        Execution::Rejected => ReportKind::Rejected,
                        _ => ReportKind::Cancelled,
                    };
                    let report = own.report(kind, order, executed.reason);
                    tell(
                        Report {
                            remaining: 0,
                            ..report
                        },
                        None,
                    );
                }
                self.orders.remove(&order);
                self.requests.remove(&closed);
                // The cancel that ended it.
                self.requests.remove(&number);
            }
            // It is about a request, or about an order that has ended.
            Some(Change::Refused(_)) | None => {
                if !matches!(what, Execution::ChangeRefused | Execution::Rejected) {
                    return;
                }
                let Some(Request { order, sent }) = self.requests.remove(&number) else {
                    return;
                };
                if let Some(own) = self.orders.get_mut(&order)
                    && own.pending == Some(number)
                {
                    own.pending = None;
                }
                let report = self.not_sent(ReportKind::Rejected, order, &sent, executed.reason);
                tell(report, None);
            }
        }
    }

    fn of(&mut self, number: Number) -> Option<(i64, &mut Own)> {
        let order = self.requests.get(&number)?.order;
        Some((order, self.orders.get_mut(&order)?))
    }

    /// A replacement is the order now; returns whether something was traded since the last report.
    fn replaced(
        &mut self,
        number: Number,
        executed: &Executed,
        tell: &mut impl FnMut(Report, Option<(u8, i64)>),
    ) -> bool {
        let Some(Request { order, sent }) = self.requests.get(&number).copied() else {
            return false;
        };
        let Some(own) = self.orders.get_mut(&order) else {
            return false;
        };
        if own.pending == Some(number) {
            own.pending = None;
        }
        let before = std::mem::replace(&mut own.number, number);
        if before != number {
            self.requests.remove(&before);
        }
        (own.price, own.quantity) = (sent.price, sent.quantity);
        let filled = own.fill(order, executed, tell);
        if own.left() > 0 {
            tell(own.report(ReportKind::Replaced, order, 0), None);
        }
        filled
    }
}

impl Own {
    /// What was traded since the last report, by risk's account; returns whether there was something.
    fn fill(
        &mut self,
        order: i64,
        executed: &Executed,
        tell: &mut impl FnMut(Report, Option<(u8, i64)>),
    ) -> bool {
        let Some(adjustment) = executed.reported.adjustment else {
            return false;
        };
        // A fill takes from the exposure of the other side.
        let traded = -match self.side {
            Side::Buy => adjustment.sell,
            Side::Sell => adjustment.buy,
        };
        let Some(traded) = u32::try_from(traded).ok().filter(|traded| *traded > 0) else {
            return false;
        };
        self.traded = self.traded.saturating_add(traded);
        let signed = match self.side {
            Side::Buy => i64::from(traded),
            Side::Sell => -i64::from(traded),
        };
        let report = Report {
            price: executed.price.or(self.price).unwrap_or_default(),
            quantity: traded.into(),
            ..self.report(ReportKind::Filled, order, 0)
        };
        tell(report, Some((self.instrument, signed)));
        true
    }
}

fn of_request(kind: ReportKind, order: i64, sent: &Order, reason: i64) -> Report {
    Report {
        kind,
        order,
        instrument: sent.instrument.into(),
        side: sent.side,
        price: sent.price.unwrap_or_default(),
        quantity: sent.quantity.into(),
        remaining: 0,
        reason,
    }
}
