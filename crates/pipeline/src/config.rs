//! What is traded, and how.

use book::Limits as BookLimits;
use formats::Symbol;
use formats::itch::Version;
use instrument::Listing;
use order::{Templates, TextError};
use risk::{InstrumentLimits, Limits};
use strategy::best_price::Parameters;
use strategy::stops::Stop;
use thiserror::Error;

/// An instrument that is traded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traded {
    /// On the feed; `None`: it has no book.
    pub feed: Option<OnFeed>,
    /// On the FIX session, whose trades are prices too; `None`: it is not read there.
    pub session: Option<Listing>,
    /// The limits of its orders.
    pub limits: InstrumentLimits,
}

/// An instrument on the feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnFeed {
    /// Its name there.
    pub symbol: Symbol,
    /// Every price is a multiple of it, in 1/10,000 dollar.
    pub tick: i64,
}

impl Traded {
    /// An instrument that is read on the feed alone.
    pub const fn on_feed(symbol: Symbol, tick: i64, limits: InstrumentLimits) -> Self {
        Traded {
            feed: Some(OnFeed { symbol, tick }),
            session: None,
            limits,
        }
    }
}

/// A strategy: an order at the best price whenever it changes; with `single` one that stays in the market (`Trading::reported` must follow it then).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BestPrice {
    /// What it watches.
    pub parameters: Parameters,
    /// Quantity of its orders.
    pub quantity: u32,
}

/// What is traded, and how.
#[derive(Clone, Debug)]
pub struct TradingConfig {
    /// ITCH version of the feed.
    pub version: Version,
    /// The instruments by index; `None`: none that is traded has this index.
    pub instruments: Vec<Option<Traded>>,
    /// How much the book holds. With [`BookLimits::grows`] the book allocates while it runs.
    pub book: BookLimits,
    /// Limits of all orders; times in the unit of `Trading::datagram`.
    pub limits: Limits,
    /// The templates of the orders, by the same indices.
    pub templates: Templates,
    /// The strategies: what several give after one frame leaves in their order.
    pub strategies: Vec<BestPrice>,
    /// Stop orders, armed from the start.
    pub stops: Vec<Stop>,
}

/// Why a configuration is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TradingError {
    /// More than 256 instruments.
    #[error("{0} instruments: at most 256")]
    TooManyInstruments(usize),
    /// One symbol under two indices.
    #[error("symbol {0} is listed twice")]
    Duplicate(Symbol),
    /// A tick below 1.
    #[error("the tick of {0} is below 1")]
    Tick(Symbol),
    /// A strategy whose instrument is not on the feed.
    #[error("strategy {0}: its instrument is not traded")]
    Instrument(usize),
    /// A strategy whose orders have no text.
    #[error("strategy {0}: {1}")]
    Text(usize, TextError),
    /// A stop whose order has no text.
    #[error("stop {0}: {1}")]
    Stop(usize, TextError),
}
