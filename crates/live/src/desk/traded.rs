//! An instrument of a desk: its names, its decimals, its tick, and whether the core's book can have them.

use device::BookWindow;
use formats::Symbol;
use formats::event::SymbolError;
use formats::fix::{Decimal, Value};
use risk::MAX_POSITION;
use serde::Deserialize;

/// An instrument that is traded.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Traded {
    /// Symbol (55).
    pub symbol: String,
    /// Its number on the feed (SecurityID, 48), where the feed names instruments by numbers; else its name there is its symbol.
    pub id: Option<u64>,
    /// Decimals of its prices: those of the feed, if they come from there.
    pub decimals: u8,
    /// The greatest distance of a limit price from the last price.
    pub collar: Amount,
    /// The largest position, long or short: [`MAX_POSITION`] at most.
    pub position: u64,
    /// The collar is around this price until the instrument trades; without it no limit order leaves until then.
    pub reference_price: Option<Amount>,
    /// Its trades on the feed fire stops, too, and its book comes from there. Prices have four decimals in ITCH, and in FAST those of the map.
    #[serde(default)]
    pub feed: bool,
    /// Every price of its book is a multiple of this; a cent if it is left out.
    pub tick: Option<Amount>,
    /// The price in the middle of the [`device::WINDOW_TICKS`] ticks that the book of the core shows; the lowest prices if it is left out.
    pub window: Option<Amount>,
}

/// A decimal number, as text: `"10.05"`.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Amount(Decimal);

impl TryFrom<String> for Amount {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match Decimal::read(text.as_bytes()) {
            Ok(decimal) if !text.is_empty() => Ok(Amount(decimal)),
            _ => Err(format!("{text:?} is no decimal number, like \"10.05\"")),
        }
    }
}

impl Amount {
    /// In units of 10^-`decimals`.
    pub(super) fn at(&self, decimals: u8, what: &str) -> Result<i64, String> {
        self.0
            .at_scale(decimals)
            .ok_or_else(|| format!("{what} has more than {decimals} decimals, or is too large"))
    }
}

/// A cent's decimals.
const CENT_DECIMALS: u8 = 2;

impl Traded {
    /// Its name on the feed. Feeds in FAST have longer ones than ITCH: to 12 characters.
    ///
    /// # Errors
    /// It is none.
    pub fn key(&self) -> Result<Symbol, SymbolError> {
        if let Some(id) = self.id {
            return Symbol::of_id(id).ok_or(SymbolError::TooLong);
        }
        let short: Result<Symbol, _> = self.symbol.parse();
        short.or_else(|error| Symbol::of_name(self.symbol.as_bytes()).ok_or(error))
    }

    /// Its reference price, in units of its last decimal.
    ///
    /// # Errors
    /// It has more decimals, or is too large.
    pub(super) fn reference_price(&self) -> Result<Option<i64>, String> {
        let Some(amount) = &self.reference_price else {
            return Ok(None);
        };
        let price = amount.at(self.decimals, "reference_price");
        let price = price.map_err(|fault| format!("{}: {fault}", self.symbol))?;
        match price.unsigned_abs() >> order::PRICE_BITS {
            0 => Ok(Some(price)),
            _ => Err(format!("{}: reference_price is too large", self.symbol)),
        }
    }

    /// Whether the core can read its name in the session.
    ///
    /// # Errors
    /// It is too long.
    pub(super) fn fits_core(&self) -> Result<(), String> {
        match self.symbol.len() {
            0..=8 => Ok(()),
            _ => Err(format!(
                "{}: the core reads symbols of at most 8 characters, as ITCH has them",
                self.symbol
            )),
        }
    }

    /// Which prices its book shows; `None`: it has no book, as its prices do not come from the feed.
    pub(super) fn book(&self) -> Result<Option<BookWindow>, String> {
        let symbol = &self.symbol;
        if !self.feed {
            let of_feed = [
                ("tick", self.tick.is_some()),
                ("window", self.window.is_some()),
                ("id", self.id.is_some()),
            ];
            return match of_feed.iter().find(|(_, given)| *given) {
                None => Ok(None),
                Some((key, _)) => Err(format!(
                    "{symbol}: {key} is of its book, which comes from the feed: give it feed = true"
                )),
            };
        }
        let decimals = self.decimals;
        let price = |amount: &Amount, what: &str| {
            let price = amount.at(decimals, what);
            let price = price.map_err(|fault| format!("{symbol}: {fault}"))?;
            u32::try_from(price).map_err(|_| {
                format!("{symbol}: {what} is negative, or beyond the prices of the feed")
            })
        };
        let cent = || 10_u32.pow(u32::from(decimals.saturating_sub(CENT_DECIMALS).min(9)));
        let tick = self.tick.as_ref().map(|tick| price(tick, "tick"));
        let tick = tick.unwrap_or_else(|| Ok(cent()))?;
        let window = self.window.as_ref().map(|window| price(window, "window"));
        let window = BookWindow::around(window.unwrap_or(Ok(0))?, tick);
        window.map(Some).map_err(|error| {
            let hint = self.decimals_that_fit().map_or_else(String::new, |fewer| {
                format!(
                    "; with fewer decimals it would fit: decimals = {fewer}, if the feed's prices have no more (FAST: price_scale of the map)"
                )
            });
            format!("{symbol}, tick and window at {decimals} decimals: {error}{hint}")
        })
    }

    /// The decimals at which the core's book would take its tick, if there are fewer than now: each takes a 2 and a 5 out of the tick.
    fn decimals_that_fit(&self) -> Option<u8> {
        let fits = |decimals: &u8| {
            let tick = self.tick.as_ref()?.at(*decimals, "tick").ok()?;
            BookWindow::new(0, u32::try_from(tick).ok()?).ok()
        };
        (0..self.decimals)
            .rev()
            .find(|decimals| fits(decimals).is_some())
    }

    /// What is wrong with it, whatever the other instruments are; `decimals`: of the feed's prices, if they are known.
    pub(super) fn check(&self, decimals: Option<u8>) -> Result<(), String> {
        let (symbol, own) = (&self.symbol, self.decimals);
        if let Some(feeds) = decimals.filter(|decimals| self.feed && *decimals != own) {
            return Err(format!(
                "{symbol}: decimals = {own}, but prices of the feed have {feeds} decimals: write decimals = {feeds}"
            ));
        }
        if self.position > MAX_POSITION {
            return Err(format!(
                "{symbol}: position = {} is too large: {MAX_POSITION} (2^46 - 1) at most",
                self.position
            ));
        }
        if self.id.is_some_and(|id| Symbol::of_id(id).is_none()) {
            return Err(format!(
                "{symbol}: id is 2^56 or more: the core's keys have 56 bits"
            ));
        }
        let Some(window) = self.book()? else {
            return Ok(());
        };
        let tick = i64::from(window.tick_size());
        match &self.window {
            Some(middle) if middle.at(own, "window")? % tick != 0 => {
                Err(format!("{symbol}: window is no multiple of tick"))
            }
            _ => Ok(()),
        }
    }
}
