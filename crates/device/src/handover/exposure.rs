//! What the peer's execution reports mean for the risk limits.

use std::collections::HashMap;

use order::risk::Adjustment;
use order::{Number, Order};
use wire::Side;
use wire::fix::{ExecType, ExecutionReport, Message, OrdStatus};

/// An execution report of one of our orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Execution {
    /// The order's MsgSeqNum.
    pub number: Number,
    /// What was traded with this report.
    pub filled: u32,
    /// The order is open no more.
    pub closed: bool,
}

/// An order of which the end is not known.
#[derive(Clone, Copy, Debug)]
struct Open {
    instrument: u8,
    side: Side,
    quantity: u32,
}

/// The orders the hardware sent, until the peer tells their end.
#[derive(Debug, Default)]
pub struct Exposure {
    open: HashMap<Number, Open>,
}

impl Exposure {
    /// How many there are.
    pub fn open_orders(&self) -> usize {
        self.open.len()
    }

    /// An order left.
    pub fn sent(&mut self, number: Number, order: &Order) {
        let open = Open {
            instrument: order.instrument,
            side: order.side,
            quantity: order.quantity,
        };
        self.open.insert(number, open);
    }

    /// What a message of the peer changes. `prefix` is what our ClOrdIDs begin with.
    pub fn message(&mut self, prefix: &[u8], message: &Message<'_>) -> Option<Adjustment> {
        self.execution(&Execution::of(prefix, message)?)
    }

    /// What an execution changes; nothing if the order is not known.
    pub fn execution(&mut self, execution: &Execution) -> Option<Adjustment> {
        let open = self.open.get_mut(&execution.number)?;
        // A peer that fills more than was ordered is not believed.
        let filled = execution.filled.min(open.quantity);
        open.quantity -= filled;
        let open = *open;
        let mut given_back = 0;
        if execution.closed {
            given_back = i64::from(open.quantity);
            self.open.remove(&execution.number);
        } else if filled == 0 {
            return None;
        }
        let filled = i64::from(filled);
        // A fill moves quantity from the open orders of a side to the position: it lessens the exposure to the other side only.
        let (buy, sell) = match open.side {
            Side::Buy => (-given_back, -filled),
            Side::Sell => (-filled, -given_back),
        };
        Some(Adjustment {
            instrument: open.instrument,
            buy,
            sell,
            closed: execution.closed.into(),
        })
    }
}

impl Execution {
    /// What a message tells of one of our orders; `None` if it tells nothing.
    pub fn of(prefix: &[u8], message: &Message<'_>) -> Option<Self> {
        if message.msg_type() != b"8" {
            return None;
        }
        let (_, report) = message.read::<ExecutionReport<'_>>().ok()?;
        let digits = report.client_order_id?.strip_prefix(prefix)?;
        let number = std::str::from_utf8(digits).ok()?.parse().ok()?;
        let traded = matches!(
            report.execution_type,
            ExecType::Trade | ExecType::Fill | ExecType::PartialFill
        );
        let filled = report.last_quantity.filter(|_| traded);
        let filled = filled.and_then(|filled| u32::try_from(filled.at_scale(0)?).ok());
        let closed = matches!(
            report.status,
            OrdStatus::Filled
                | OrdStatus::Canceled
                | OrdStatus::Rejected
                | OrdStatus::Expired
                | OrdStatus::DoneForDay
        );
        Some(Execution {
            number: Number::new(number).ok()?,
            filled: filled.unwrap_or(0),
            closed,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(value: u64) -> Number {
        Number::new(value).unwrap()
    }

    fn order(side: Side) -> Order {
        Order {
            side,
            instrument: 3,
            quantity: 10,
            ..Order::default()
        }
    }

    /// As risk_pkg says: bought, buy 0 and sell minus; cancelled, buy minus.
    #[test]
    fn fills_and_ends_give_back_what_the_order_had_taken() {
        let mut exposure = Exposure::default();
        exposure.sent(number(5), &order(Side::Buy));
        exposure.sent(number(6), &order(Side::Sell));
        let execution = |number, filled, closed| Execution {
            number,
            filled,
            closed,
        };
        let adjustment = |buy, sell, closed| {
            Some(Adjustment {
                instrument: 3,
                buy,
                sell,
                closed,
            })
        };
        let accepted = execution(number(5), 0, false);
        assert_eq!(exposure.execution(&accepted), None);
        assert_eq!(
            exposure.execution(&execution(number(5), 4, false)),
            adjustment(0, -4, 0)
        );
        assert_eq!(
            exposure.execution(&execution(number(5), 0, true)),
            adjustment(-6, 0, 1)
        );
        assert_eq!(exposure.execution(&execution(number(5), 1, true)), None);
        assert_eq!(
            exposure.execution(&execution(number(6), 99, true)),
            adjustment(-10, 0, 1)
        );
        assert_eq!(exposure.open_orders(), 0);
    }
}
