//! The strategies at the best price, with their prepared orders.

use formats::Side;
use order::{ComputedOrder, Kind, Number, Order, Prepared, Templates, TextError};
use risk::{Adjustment, Computed, Request, Risk};
use strategy::best_price::{Intent, Parameters};
use strategy::own_order::OrderChange;

use crate::config::BestPrice;
use crate::sink::{Decision, OrderSink, Origin};

/// A strategy and its prepared order.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub(crate) strategy: strategy::BestPrice,
    order: ComputedOrder,
    record: Computed,
    message: Prepared,
    /// What is asked for about its order in the market, if it keeps one.
    about: Option<AboutOrder>,
    /// Number of the last message that touched its instrument's book.
    pub(crate) sequence: u64,
}

/// The replacement and the cancel of a strategy's order, prepared.
#[derive(Clone, Debug)]
struct AboutOrder {
    replacement: Computed,
    replacement_message: Prepared,
    cancel: Request,
    cancel_message: Prepared,
}

impl Slot {
    /// A strategy whose instrument is traded.
    pub(crate) fn new(
        place: usize,
        best_price: &BestPrice,
        risk: &Risk,
        templates: &Templates,
    ) -> Result<Self, TextError> {
        let parameters = best_price.parameters;
        let order = ComputedOrder {
            side: parameters.side,
            instrument: parameters.instrument as u8,
            quantity: best_price.quantity,
            client_id: place as u32,
            ..ComputedOrder::default()
        };
        Ok(Slot {
            strategy: strategy::BestPrice::new(parameters),
            order,
            record: risk.prepare(&order),
            message: templates.prepare(&order)?,
            about: None,
            sequence: 0,
        })
    }

    /// Other parameters; `false`: its orders are of another instrument or side.
    pub(crate) fn set_parameters(&mut self, parameters: Parameters) -> bool {
        let order = &self.order;
        let fits =
            parameters.instrument == u32::from(order.instrument) && parameters.side == order.side;
        if fits {
            self.strategy.set(parameters);
        }
        fits
    }

    /// Limits changed: what was prepared with them is prepared again.
    pub(crate) fn prepare_again(&mut self, risk: &Risk) {
        self.record = risk.prepare(&self.order);
        if let Some(about) = &mut self.about {
            about.replacement = risk.prepare(about.replacement.order());
        }
    }

    /// Something became of an order in the market.
    pub(crate) fn became(&mut self, became: OrderChange, risk: &Risk, templates: &Templates) {
        self.strategy.became(became);
        let Some(order) = self.strategy.own().prepares() else {
            return;
        };
        let about = self.prepare(order, risk, templates);
        // Its first order was prepared with the same quantity: what is about it fits too.
        if about.is_some() {
            self.about = about;
            self.strategy.became(OrderChange::Prepared);
        }
    }

    /// The replacement and the cancel of its order with this number.
    fn prepare(&self, order: u32, risk: &Risk, templates: &Templates) -> Option<AboutOrder> {
        let original = Number::new(order.into()).ok()?;
        let replacement = ComputedOrder {
            replaces: Some(original),
            ..self.order
        };
        let cancel = Order {
            kind: Kind::Cancel(original),
            price: None,
            ..self.order.at(0)
        };
        Some(AboutOrder {
            replacement: risk.prepare(&replacement),
            replacement_message: templates.prepare(&replacement).ok()?,
            cancel: Request::new(cancel),
            cancel_message: templates.prepare_order(&cancel).ok()?,
        })
    }

    /// Holds what the strategy asks for against the limits; what passes leaves.
    #[inline(always)]
    pub(crate) fn ask(
        &mut self,
        place: usize,
        intent: &Intent,
        risk: &mut Risk,
        now: u64,
        sink: &mut dyn OrderSink,
    ) {
        let (order, checked, price, message) = match (intent, &mut self.about) {
            (&Intent::Replace { price, .. }, Some(about)) => {
                let checked = risk.check_computed(&about.replacement, price, now);
                let order = about.replacement.order().at(price);
                let message = &mut about.replacement_message;
                (order, checked.map(|_| ()), price, message)
            }
            (Intent::Cancel { .. }, Some(about)) => {
                let checked = risk.check(&about.cancel, now);
                (about.cancel.order, checked, 0, &mut about.cancel_message)
            }
            (&Intent::New { price }, _) => {
                let checked = risk.check_computed(&self.record, price, now);
                let order = self.order.at(price);
                (order, checked.map(|_| ()), price, &mut self.message)
            }
            // It asks for them when they are prepared.
            (_, None) => return self.strategy.became(OrderChange::NotSent),
        };
        let decision = Decision {
            origin: Origin::Strategy(place),
            sequence: self.sequence,
            order,
        };
        if let Err(reason) = checked {
            self.strategy.became(OrderChange::NotSent);
            return sink.refused(&decision, reason);
        }
        match sink.next() {
            Ok((number, time)) => {
                // It fits: risk refuses any other.
                let message = message.message(price as u32, number, time);
                sink.send(&decision, number, message);
                self.strategy.became(match order.kind {
                    Kind::Cancel(_) => OrderChange::CancelSent,
                    _ => OrderChange::Sent(number.get() as u32),
                });
            }
            Err(reason) => {
                if let Some(adjustment) = dropped(&order) {
                    risk.adjust(&adjustment);
                }
                self.strategy.became(OrderChange::NotSent);
                sink.dropped(&decision, reason);
            }
        }
    }
}

/// What risk takes back of an order that passed and did not leave.
pub(crate) fn dropped(order: &Order) -> Option<Adjustment> {
    let quantity = -i64::from(order.quantity);
    let (buy, sell) = match order.side {
        Side::Buy => (quantity, 0),
        Side::Sell => (0, quantity),
    };
    let adjustment = Adjustment {
        instrument: order.instrument,
        buy,
        sell,
        closed: (order.kind == Kind::New).into(),
    };
    (!matches!(order.kind, Kind::Cancel(_))).then_some(adjustment)
}
