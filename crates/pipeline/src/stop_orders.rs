//! Stop orders of a desk: each leaves once, when a price reaches its trigger (docs/reference/rules.md, "Stops").

use order::{Order, Prepared, Templates, TextError};
use risk::{Request, Risk};
use strategy::stops::{Stop, Watch};

use crate::best_price::dropped;
use crate::sink::{Decision, OrderSink, Origin};

/// The stops, each with its message.
#[derive(Clone, Debug, Default)]
pub(crate) struct StopOrders {
    stops: strategy::Stops<PreparedStop>,
    /// Number of the message whose price came last.
    sequence: u64,
}

/// What leaves when a stop fires.
#[derive(Clone, Debug)]
struct PreparedStop {
    request: Request,
    message: Prepared,
}

impl StopOrders {
    /// Arms the next slot.
    pub(crate) fn arm(&mut self, stop: &Stop, templates: &Templates) -> Result<(), TextError> {
        let order = Order {
            side: stop.side,
            instrument: stop.instrument,
            price: stop.price,
            quantity: stop.quantity,
            client_id: stop.client_id,
            ..Order::default()
        };
        let prepared = PreparedStop {
            request: Request {
                order,
                reference: stop.trigger,
                by_host: false,
            },
            message: templates.prepare_order(&order)?,
        };
        let watch = Watch {
            instrument: stop.instrument.into(),
            side: stop.side,
            trigger: stop.trigger,
        };
        // There are as many slots as are needed.
        self.stops.add(watch, prepared);
        Ok(())
    }

    /// An instrument traded at a price: what it reaches leaves with the next [`StopOrders::leave`].
    #[inline]
    pub(crate) fn price(&mut self, instrument: u32, price: i64, sequence: u64) {
        if self.stops.armed() > 0 {
            self.stops.price(instrument, price);
            self.sequence = sequence;
        }
    }

    /// Holds what fired against the limits; what passes leaves.
    #[inline]
    pub(crate) fn leave(&mut self, risk: &mut Risk, now: u64, sink: &mut dyn OrderSink) {
        while let Some((slot, stop)) = self.stops.leave() {
            self.ask(slot, stop, risk, now, sink);
        }
    }

    #[cold]
    fn ask(
        &self,
        slot: usize,
        mut stop: PreparedStop,
        risk: &mut Risk,
        now: u64,
        sink: &mut dyn OrderSink,
    ) {
        let order = stop.request.order;
        let decision = Decision {
            origin: Origin::Stop(slot),
            sequence: self.sequence,
            order,
        };
        if let Err(reason) = risk.check(&stop.request, now) {
            return sink.refused(&decision, reason);
        }
        match sink.next() {
            Ok((number, time)) => {
                // Its price is in the text already.
                sink.send(&decision, number, stop.message.message(0, number, time));
            }
            Err(reason) => {
                if let Some(adjustment) = dropped(&order) {
                    risk.adjust(&adjustment);
                }
                sink.dropped(&decision, reason);
            }
        }
    }

    /// How many wait.
    pub(crate) const fn armed(&self) -> usize {
        self.stops.armed()
    }
}
