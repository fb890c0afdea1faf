//! What is traded: names, ticks and bands, and prices between the wire and the engine.

use formats::Symbol;
use formats::fix::Decimal;
use thiserror::Error;

use crate::engine::{Instrument, MOST_LEVELS};

/// Decimals of every price here, as ITCH has it: 1/10,000.
pub const PRICE_SCALE: u8 = 4;

/// An instrument that is traded. Prices are in 1/10,000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Its name.
    pub symbol: Symbol,
    /// The step between two prices.
    pub tick: i64,
    /// The lowest price taken; an integer number of ticks.
    pub lowest_price: i64,
    /// The highest price taken.
    pub highest_price: i64,
    /// The largest quantity of an order.
    pub largest_quantity: u64,
}

/// Why an instrument cannot be traded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ListingError {
    /// The tick is not above 0.
    #[error("{0}: the tick must be above 0")]
    Tick(Symbol),
    /// The lowest price is not a whole number of ticks.
    #[error("{0}: the lowest price must be a whole number of ticks")]
    Lowest(Symbol),
    /// The band is empty, or has more prices than a book has levels.
    #[error("{0}: between lowest and highest price there must be 1 to 262,144 prices")]
    Band(Symbol),
    /// The highest price does not fit into ITCH, which has 32 bits for it, or the lowest is negative.
    #[error("{0}: prices must be from 0 to 429,496.7295")]
    Range(Symbol),
    /// Listed twice.
    #[error("{0}: listed twice")]
    Twice(Symbol),
}

impl Listing {
    /// A tick of a cent, from 0.01 to 2,621.44, a million at most.
    pub const fn cents(symbol: Symbol) -> Self {
        Listing {
            symbol,
            tick: 100,
            lowest_price: 100,
            highest_price: 100 * MOST_LEVELS as i64,
            largest_quantity: 1_000_000,
        }
    }

    /// What the engine has to know.
    ///
    /// # Errors
    /// What makes no sense.
    pub fn instrument(&self) -> Result<Instrument, ListingError> {
        let symbol = self.symbol;
        if self.tick <= 0 {
            return Err(ListingError::Tick(symbol));
        }
        if self.lowest_price < 0 || self.highest_price > i64::from(u32::MAX) {
            return Err(ListingError::Range(symbol));
        }
        if self.lowest_price % self.tick != 0 {
            return Err(ListingError::Lowest(symbol));
        }
        let (lowest_price, highest_price) = (
            self.lowest_price / self.tick,
            self.highest_price / self.tick,
        );
        if !(0..MOST_LEVELS as i64).contains(&(highest_price - lowest_price)) {
            return Err(ListingError::Band(symbol));
        }
        Ok(Instrument {
            lowest_price,
            highest_price,
            largest_quantity: self.largest_quantity,
        })
    }

    /// A price in ticks, if it is a whole number of them.
    pub fn ticks(&self, price: Decimal) -> Option<i64> {
        let price = price.at_scale(PRICE_SCALE)?;
        (price % self.tick == 0).then(|| price / self.tick)
    }

    /// A price of the engine, in 1/10,000.
    pub const fn price(&self, ticks: i64) -> i64 {
        ticks * self.tick
    }

    /// A price of the engine as FIX writes it.
    pub const fn decimal(&self, ticks: i64) -> Decimal {
        Decimal::new(self.price(ticks), PRICE_SCALE)
    }
}
