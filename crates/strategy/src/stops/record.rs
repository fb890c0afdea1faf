//! What the host writes to a slot and what it is answered: `rtl/strategy/stop_pkg.sv`.

use formats::Side;

/// A stop: when the last price reaches its trigger, its order leaves, once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stop {
    /// Side of the order.
    pub side: Side,
    /// The instrument's index.
    pub instrument: u8,
    /// In the instrument's scale, of [`PRICE_BITS`](order::PRICE_BITS). A sell fires at or below it, a buy at or above.
    pub trigger: i64,
    /// The order's limit price in the instrument's scale, of [`PRICE_BITS`](order::PRICE_BITS); `None` is a market order.
    pub price: Option<i64>,
    /// Quantity.
    pub quantity: u32,
    /// The strategy's number of it. The hardware puts its text's index into the low bits.
    pub client_id: u32,
}

/// What is done to a slot. The discriminants are those of `stop_operation_e` (an order of the host, STOP_SEND, is of no slot).
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

/// What the slot answers: `stop_answer_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Answer {
    /// The operation was done; else nothing was changed.
    pub done: bool,
    /// The slot's state when it was done or refused.
    pub previous: State,
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
