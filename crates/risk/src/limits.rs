//! Limits an order is compared with, and why it is refused: `rtl/risk/risk_pkg.sv`.

use thiserror::Error;

/// Why an order was refused, in order of precedence. The discriminants are those of `refusal_e`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[repr(u8)]
pub enum Refusal {
    /// The kill switch is on.
    #[error("the kill switch is on")]
    Killed,
    /// There is no complete order under the handle, or it is of another instrument than the strategy gave.
    #[error("no such order in the order store")]
    Record,
    /// The instrument has no limits.
    #[error("the instrument has no limits")]
    Instrument,
    /// A source that the instrument depends on is stale.
    #[error("its prices are stale")]
    Stale,
    /// The quantity is 0 or above the limit.
    #[error("quantity")]
    Quantity,
    /// Price times quantity is above the limit.
    #[error("notional")]
    Notional,
    /// No last price was seen since the instrument's limits were written.
    #[error("no last price")]
    NoPrice,
    /// The limit price is too far from the last price.
    #[error("price collar")]
    Collar,
    /// Too many orders in the window of time.
    #[error("rate")]
    Rate,
    /// Too many open orders.
    #[error("open orders")]
    OpenOrders,
    /// The position, all open orders filled, would be too large.
    #[error("position")]
    Position,
}

impl Refusal {
    /// All of them, by their codes.
    pub const ALL: [Refusal; 11] = [
        Refusal::Killed,
        Refusal::Record,
        Refusal::Instrument,
        Refusal::Stale,
        Refusal::Quantity,
        Refusal::Notional,
        Refusal::NoPrice,
        Refusal::Collar,
        Refusal::Rate,
        Refusal::OpenOrders,
        Refusal::Position,
    ];

    /// By its code.
    pub fn from_bits(bits: u32) -> Option<Self> {
        Self::ALL.get(bits as usize).copied()
    }
}

/// What turns the kill switch on: `kill_t`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Kill {
    /// The host.
    pub host: bool,
    /// The order session is not up.
    pub session: bool,
    /// The market-data feed is stale.
    pub feed: bool,
    /// The arbiter lost a message.
    pub gap: bool,
}

impl Kill {
    /// As `kill_t` is packed: `gap` in bit 0.
    pub const fn bits(self) -> u32 {
        (self.host as u32) << 3
            | (self.session as u32) << 2
            | (self.feed as u32) << 1
            | self.gap as u32
    }

    /// The other way; only the low four bits count.
    pub const fn from_bits(bits: u32) -> Self {
        Kill {
            host: bits & 8 != 0,
            session: bits & 4 != 0,
            feed: bits & 2 != 0,
            gap: bits & 1 != 0,
        }
    }

    /// Whether it is on.
    pub const fn any(self) -> bool {
        self.bits() != 0
    }
}

/// Limits of all orders: `risk_config_t`. All are 0 at first, and nothing passes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Which causes turn the kill switch on; `host` turns it on now.
    pub kill: Kill,
    /// The most of an order's quantity.
    pub max_quantity: u32,
    /// The most of its price times quantity, in the instrument's scale.
    pub max_notional: u64,
    /// Orders in any window of time, at most 255.
    pub rate_orders: u8,
    /// That window, in clock cycles, below 2^31.
    pub rate_window: u32,
    /// Orders sent whose end the host has not reported.
    pub max_open_orders: u16,
}

/// Where an instrument's prices come from: `sources_t`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sources {
    /// The market-data feed.
    pub feed: bool,
    /// The FIX session.
    pub session: bool,
}

/// The largest position limit with which every position within it leaves the check right: from such a position to the limit of the other side is twice the limit,
/// which must be below 2^47, as exposures and what is left to a limit have 48 bits, signed. A desk with more is refused.
pub const MAX_POSITION: u64 = (1 << 46) - 1;

/// Limits of an instrument's orders: `risk_limit_t`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct InstrumentLimits {
    /// Whether it is traded at all.
    pub enable: bool,
    /// Its orders are refused while one of these is stale.
    pub sources: Sources,
    /// The greatest distance of a limit price from the last price, in the instrument's scale; below 2^47.
    pub collar: u64,
    /// The largest position, long or short, all open orders filled: up to [`MAX_POSITION`]. The core stores 47 bits; beyond that limit it
    /// and this refuse, as beyond the position, what a position of the other sign leaves too much room for.
    pub position: u64,
    /// The collar is around this price, in the instrument's scale, until the instrument trades. `None`: until then no limit order passes. 49 bits,
    /// signed; one beyond counts as the end of that range, and a core refuses it.
    pub reference_price: Option<i64>,
}

/// What became of orders: `risk_adjust_t`.
///
/// Exposure to buys is position + open buys; to sells, open sells - position. 5 bought of an open order: `buy` 0, `sell` -5, `closed` 1 if
/// that filled it. 5 open to buy cancelled: `buy` -5, `sell` 0, `closed` 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Adjustment {
    /// The instrument's index.
    pub instrument: u8,
    /// Added to the exposure to buys; 48 bits.
    pub buy: i64,
    /// Added to the exposure to sells; 48 bits.
    pub sell: i64,
    /// Orders that are no longer open.
    pub closed: u16,
}
