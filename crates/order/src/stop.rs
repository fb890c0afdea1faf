//! Stop orders: `rtl/strategy/stop_pkg.sv`.

use wire::Side;

/// Bits of a trigger and of a limit price, signed: `OrderPriceWidth` in `rtl/order/order_pkg.sv`.
pub const PRICE_BITS: u32 = 48;

/// Whether a trigger or a limit price fits [`PRICE_BITS`]: a stop with one that does not is refused when it is set.
pub const fn price_fits(price: i64) -> bool {
    let unused = i64::BITS - PRICE_BITS;
    price << unused >> unused == price
}

/// A stop: when the last price reaches its trigger, its order leaves, once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stop {
    /// Side of the order.
    pub side: Side,
    /// The instrument's index.
    pub instrument: u8,
    /// In the instrument's scale, of [`PRICE_BITS`]. A sell fires at or below it, a buy at or above.
    pub trigger: i64,
    /// The order's limit price in the instrument's scale, of [`PRICE_BITS`]; `None` is a market order.
    pub price: Option<i64>,
    /// Quantity.
    pub quantity: u32,
    /// The strategy's number of it. The hardware puts its text's index into the low bits.
    pub client_id: u32,
}

/// What is done to a slot. The discriminants are those of `stop_operation_e`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Operation {
    /// Arms a slot that is empty or has fired.
    Set,
    /// Replaces an armed stop, which stays armed.
    Change,
    /// Empties an armed slot.
    Cancel,
}

/// A slot's state. The discriminants are those of `stop_state_e`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum State {
    /// Nothing is there.
    #[default]
    Empty,
    /// It waits for its trigger.
    Armed,
    /// It fired; its order has not left to risk yet.
    Firing,
    /// It fired.
    Fired,
}

impl State {
    /// By its code; only the low two bits count.
    pub const fn from_bits(bits: u32) -> Self {
        match bits & 3 {
            0 => State::Empty,
            1 => State::Armed,
            2 => State::Firing,
            _ => State::Fired,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::price_fits;

    #[test]
    fn prices_of_48_bits_fit_and_no_others() {
        for price in [0, 1, -1, (1 << 47) - 1, -(1 << 47)] {
            assert!(price_fits(price), "{price}");
        }
        for price in [1 << 47, -(1 << 47) - 1, i64::MAX, i64::MIN] {
            assert!(!price_fits(price), "{price}");
        }
    }
}
