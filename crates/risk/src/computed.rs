//! Computed orders in the order store: what their price is compared with is worked out when they are prepared.

use order::ComputedOrder;

/// The highest price that the limit of the notional allows for a quantity: `max_notional / quantity`, rounded down; all ones if the quantity is 0.
///
/// Prices and quantities are unsigned and have 32 bits: a price is above it exactly if price times quantity is above `max_notional`. The product is
/// below 2^64 - 1, and so never all ones.
pub const fn highest_price(max_notional: u64, quantity: u32) -> u64 {
    match max_notional.checked_div(quantity as u64) {
        Some(highest) => highest,
        None => u64::MAX,
    }
}

/// A computed order as the order store holds it. [`Risk::prepare`](crate::Risk::prepare) makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Computed {
    pub(crate) order: ComputedOrder,
    pub(crate) highest: u64,
    /// How often `max_notional` had changed.
    pub(crate) changes: u64,
}

impl Computed {
    /// The order.
    pub const fn order(&self) -> &ComputedOrder {
        &self.order
    }

    /// The highest price that the limit of the notional allows.
    pub const fn highest(&self) -> u64 {
        self.highest
    }
}
