//! An order of the trader.

use formats::fix::{Decimal, OrdStatus};

use crate::command::Order;

/// An order of ours at the exchange.
#[derive(Clone, Debug, PartialEq)]
pub struct Own {
    /// ClOrdID: of the order, or of its last replacement.
    pub name: String,
    /// What it is now.
    pub order: Order,
    /// From the last report; `None` before the first.
    pub status: Option<OrdStatus>,
    /// What was traded of it.
    pub traded: Decimal,
    /// The average price of that.
    pub average: Decimal,
    /// What is left of it.
    pub leaves: Decimal,
}

impl Own {
    pub(super) fn new(name: &str, order: Order) -> Self {
        Own {
            name: name.to_owned(),
            status: None,
            traded: Decimal::new(0, 0),
            average: Decimal::new(0, 0),
            leaves: whole(order.quantity),
            order,
        }
    }

    /// Whether it may still trade.
    pub const fn is_open(&self) -> bool {
        !matches!(
            self.status,
            Some(
                OrdStatus::Filled
                    | OrdStatus::DoneForDay
                    | OrdStatus::Canceled
                    | OrdStatus::Rejected
                    | OrdStatus::Expired
            )
        )
    }
}

/// A number of shares.
fn whole(quantity: u64) -> Decimal {
    Decimal::new(i64::try_from(quantity).unwrap_or(i64::MAX), 0)
}
