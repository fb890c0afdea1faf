//! Orders of the host's own: they leave through risk and the order stage like those of stops, and are reported in the same way.

use order::{Kind, Order, price_fits};
use thiserror::Error;

use crate::driver::{Driver, Error, Registers};
use crate::orders::{high, low};

/// Code of `operation`.
const ORDER: u32 = 15;

/// Why an order was not given to risk. What risk decides later comes in a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum OrderRefused {
    /// One at a time.
    #[error("the host's order before it has not reached risk yet")]
    Waiting,
    /// It has no text.
    #[error("quantity {0} is too wide for its field: raise quantity_width")]
    Quantity(
        /// The quantity.
        u32,
    ),
    /// It has no text, or its price has more than 48 bits.
    #[error("price {0} is too wide for its field: raise price_width")]
    Price(
        /// The price.
        i64,
    ),
    /// There is no such instrument.
    #[error("instrument {0} is not in the core")]
    Instrument(
        /// The index.
        u8,
    ),
    /// Only a limit order can be replaced.
    #[error("a replacement needs a price")]
    NoPrice,
}

impl<R: Registers> Driver<R> {
    /// Sends an order at once: a new one, a cancel or a replacement. Stops that fire go first. Its number, or why it did not leave, comes in a
    /// report with its `client_id`.
    ///
    /// `reference` is the price, in the instrument's scale, by which the notional of a market order is computed; risk compares it with the collar
    /// like a limit price. Other orders do not need it.
    ///
    /// # Errors
    /// The core did not answer. A refusal is in the inner result.
    pub fn send_order(
        &mut self,
        order: &Order,
        reference: i64,
    ) -> Result<Result<(), OrderRefused>, Error<R::Error>> {
        use crate::registers::operation_state::{DONE, TEXT};
        if matches!(order.kind, Kind::Replace(_)) && order.price.is_none() {
            return Ok(Err(OrderRefused::NoPrice));
        }
        let cancels = matches!(order.kind, Kind::Cancel(_));
        let price = if cancels {
            0
        } else {
            order.price.unwrap_or(reference)
        };
        if !price_fits(price) {
            return Ok(Err(OrderRefused::Price(price)));
        }
        let kind = match order.kind {
            Kind::New => 0,
            Kind::Cancel(_) => 1,
            Kind::Replace(_) => 2,
        };
        let first = u32::from(order.side == formats::Side::Sell)
            | u32::from(order.price.is_some()) << 1
            | kind << 2
            | u32::from(order.instrument) << 8;
        let original = order.original().map_or(0, order::Number::digits);
        let words = [
            first,
            low(original),
            high(original),
            low(price as u64),
            high(price as u64),
            order.quantity,
            order.client_id,
        ];
        let state = self.begin(ORDER, 0, &words)?;
        if DONE.get(state) != 0 {
            return Ok(Ok(()));
        }
        Ok(Err(match TEXT.get(state) {
            1 => OrderRefused::Quantity(order.quantity),
            2 => OrderRefused::Price(price),
            3 => OrderRefused::Instrument(order.instrument),
            _ => OrderRefused::Waiting,
        }))
    }
}
