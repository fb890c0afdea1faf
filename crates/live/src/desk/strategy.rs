//! The `strategy` sections of a desk: what decides on orders, by the book.

use std::collections::BTreeMap;
use std::path::PathBuf;

use instrument::{Listing, symbol_of_text};
use order::ComputedOrder;
use pipeline::{BestPrice, OnFeed, Traded, TradingConfig};
use serde::Deserialize;
use strategy::best_price::Parameters;
use toml::Spanned;

use super::session::{OrderSide, Orders, Session};

/// A strategy.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Section")]
pub enum Strategy {
    /// One that this program has.
    BestPrice(AtBestPrice),
    /// One in the language, in a file of its own.
    File(StrategyFile),
}

/// An order at the best price whenever it changes.
#[derive(Clone, Debug)]
pub struct AtBestPrice {
    /// What it does.
    pub kind: Kind,
    /// One of the session's instruments, whose prices come from the feed.
    pub symbol: String,
    /// `buy`: it watches the best ask; `sell`: the best bid.
    pub side: OrderSide,
    /// Quantity of each order.
    pub quantity: u32,
    /// Whether it does anything.
    pub enabled: bool,
    /// It keeps one order in the market: replaces it at a new price, cancels it when there is none. Where an exchange answers.
    pub single: bool,
}

/// A strategy in the language.
#[derive(Clone, Debug)]
pub struct StrategyFile {
    /// Its file, from the folder of the desk's.
    pub file: Spanned<PathBuf>,
    /// Its parameters that have other values than their defaults.
    pub parameters: BTreeMap<String, Spanned<toml::Value>>,
    /// A fault stops it.
    pub fault_stops: bool,
}

/// The section as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Section {
    kind: Option<Kind>,
    symbol: Option<String>,
    side: Option<OrderSide>,
    quantity: Option<u32>,
    enabled: Option<bool>,
    single: Option<bool>,
    file: Option<Spanned<PathBuf>>,
    parameters: Option<BTreeMap<String, Spanned<toml::Value>>>,
    fault_stops: Option<bool>,
}

impl TryFrom<Section> for Strategy {
    type Error = String;

    fn try_from(section: Section) -> Result<Self, String> {
        let Section {
            kind,
            symbol,
            side,
            quantity,
            enabled,
            single,
            file,
            parameters,
            fault_stops,
        } = section;
        let given = |keys: &[(&'static str, bool)]| {
            let given = keys.iter().find(|(_, given)| *given);
            given.map(|(key, _)| *key)
        };
        match (kind, file) {
            (Some(kind), None) => {
                let of_file = [
                    ("parameters", parameters.is_some()),
                    ("fault_stops", fault_stops.is_some()),
                ];
                if let Some(key) = given(&of_file) {
                    return Err(format!(
                        "{key} is of a strategy with file = \"strategy.py\": leave it out"
                    ));
                }
                let none = |key: &str| format!("a strategy of this kind needs {key}");
                Ok(Strategy::BestPrice(AtBestPrice {
                    kind,
                    symbol: symbol.ok_or_else(|| none("symbol"))?,
                    side: side.ok_or_else(|| none("side: \"buy\" or \"sell\""))?,
                    quantity: quantity.ok_or_else(|| none("quantity"))?,
                    enabled: enabled.unwrap_or(true),
                    single: single.unwrap_or(false),
                }))
            }
            (None, Some(file)) => {
                let of_kind = [
                    ("symbol", symbol.is_some()),
                    ("side", side.is_some()),
                    ("quantity", quantity.is_some()),
                    ("enabled", enabled.is_some()),
                    ("single", single.is_some()),
                ];
                if let Some(key) = given(&of_kind) {
                    return Err(format!(
                        "{key} is of a strategy with kind = \"best price\": give what the file asks for as parameters = {{ … }}"
                    ));
                }
                Ok(Strategy::File(StrategyFile {
                    file,
                    parameters: parameters.unwrap_or_default(),
                    fault_stops: fault_stops.unwrap_or(true),
                }))
            }
            _ => {
                Err("a strategy has either kind = \"best price\" or file = \"strategy.py\"".into())
            }
        }
    }
}

/// What a strategy does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Kind {
    /// An order at the best price whenever it changes: see [`strategy::BestPrice`].
    #[serde(rename = "best price")]
    BestPrice,
}

/// A cycle of the software's clock: a microsecond, in picoseconds.
const CYCLE: u64 = 1_000_000;

/// A book of the largest core, in which no price is too far away.
const BOOK: book::Limits = book::Limits {
    window: None,
    ..book::Limits::LARGEST
};

impl Strategy {
    /// Refuses one that keeps one order in the market, where nothing follows that order.
    ///
    /// # Errors
    /// What to change.
    pub fn refuse_single(&self) -> Result<(), String> {
        match self {
            Strategy::BestPrice(best_price) if best_price.single => Err(format!(
                "strategy on {}: no exchange answers here, as it does tickwire run and tickwire sim --tap: leave `single` out",
                best_price.symbol
            )),
            _ => Ok(()),
        }
    }

    /// Checks it against the session that its orders leave by.
    ///
    /// # Errors
    /// What is wrong, and what to change.
    pub fn check(&self, session: Option<&Session>) -> Result<(), String> {
        let session = session.ok_or(
            "a strategy needs a session to send its orders by: add [session], as in desks/best-price.toml",
        )?;
        match self {
            Strategy::BestPrice(best_price) => best_price.check(session),
            Strategy::File(strategy) if session.traded().all(|traded| !traded.feed) => {
                Err(format!(
                    "strategy {}: its books come from the feed: give an instrument of the session feed = true",
                    strategy.file.get_ref().display()
                ))
            }
            Strategy::File(_) => Ok(()),
        }
    }
}

impl AtBestPrice {
    fn check(&self, session: &Session) -> Result<(), String> {
        let symbol = &self.symbol;
        let mut traded = session.traded().enumerate();
        let found = traded.find(|(_, traded)| traded.symbol == *symbol);
        let (place, traded) = found.ok_or_else(|| {
            format!("strategy on {symbol}: it is not among the instruments of the session")
        })?;
        if !traded.feed {
            return Err(format!(
                "strategy on {symbol}: its book comes from the feed: give it feed = true in the session's instruments"
            ));
        }
        if self.quantity == 0 {
            return Err(format!("strategy on {symbol}: a quantity of 0"));
        }
        let (quantity, most) = (self.quantity, session.limits.max_quantity);
        if quantity > most {
            return Err(format!(
                "strategy on {symbol}: its quantity of {quantity} is above max_quantity, {most}: every order would be refused"
            ));
        }
        let orders = session.orders(&[], CYCLE)?;
        let instrument = orders.instruments[place].0;
        let order = ComputedOrder {
            instrument,
            quantity,
            ..ComputedOrder::default()
        };
        let prepared = orders.templates.prepare(&order);
        prepared.map_err(|error| format!("strategy on {symbol}: {error}"))?;
        Ok(())
    }
}

/// A strategy that was checked, with the index of its instrument.
pub(super) fn best_price(
    session: &Session,
    symbols: &[Option<formats::Symbol>],
    strategy: &AtBestPrice,
) -> Result<BestPrice, String> {
    let indices = session.indices(symbols);
    let mut traded = indices.iter().zip(session.traded());
    let found = traded.find(|(_, traded)| traded.symbol == strategy.symbol);
    let (index, _) = found.ok_or("a strategy on an instrument that is not there")?;
    let parameters = Parameters {
        instrument: (*index).into(),
        side: strategy.side.into(),
        enabled: strategy.enabled,
        single: strategy.single,
    };
    Ok(match strategy.kind {
        Kind::BestPrice => BestPrice {
            parameters,
            quantity: strategy.quantity,
        },
    })
}

/// The pipeline of strategies that were checked, with the indices that the core would give the instruments; and what the session needs.
pub fn trading<'a>(
    session: &Session,
    strategies: impl Iterator<Item = &'a Strategy>,
    pipeline: &pipeline::Config,
) -> Result<(TradingConfig, Orders), String> {
    let orders = session.orders(&pipeline.symbols, CYCLE)?;
    let indices = session.indices(&pipeline.symbols);
    let most = indices.iter().max();
    let count = most.map_or(0, |most| usize::from(*most) + 1);
    let mut instruments = vec![None; count];
    for ((index, limits, listing), window) in orders.instruments.iter().zip(&orders.windows) {
        let on_feed = |(symbol, window): (_, &device::BookWindow)| OnFeed {
            symbol,
            tick: window.tick_size().into(),
        };
        let name = listing.session.as_deref().unwrap_or_default();
        let on_session = symbol_of_text(name.as_bytes()).map(|symbol| Listing {
            symbol,
            price_scale: listing.decimals,
            quantity_scale: listing.quantity_decimals,
        });
        instruments[usize::from(*index)] = Some(Traded {
            feed: listing.feed.zip(window.as_ref()).map(on_feed),
            session: on_session,
            limits: *limits,
        });
    }
    let best_price = |strategy: &Strategy| match strategy {
        Strategy::BestPrice(strategy) => Some(best_price(session, &pipeline.symbols, strategy)),
        Strategy::File(_) => None,
    };
    let config = TradingConfig {
        version: pipeline.version,
        instruments,
        book: BOOK,
        limits: orders.limits,
        templates: orders.templates.clone(),
        strategies: strategies
            .filter_map(best_price)
            .collect::<Result<_, _>>()?,
        stops: orders.stops.clone(),
    };
    Ok((config, orders))
}

#[cfg(test)]
mod tests {
    use super::super::Desk;

    const GOOD: &str = "[feed]\nitch = \"5.0\"\nlines = [\"239.77.1.1:26400\"]\n\
        [statistics]\nsymbols = [\"MSFT\"]\n[report]\nto = \"127.0.0.1:26501\"\n\
        [session]\npeer = \"192.0.2.1:9880\"\nsender = \"ALICE\"\ntarget = \"EX\"\n\
        instruments = [{ symbol = \"AAPL\", decimals = 4, collar = \"0.50\", position = 1000, feed = true }]\n\
        [session.limits]\nmax_quantity = 100\nmax_notional = \"1000\"\nrate_orders = 10\nrate_ms = 1000\nmax_open_orders = 5\n\
        [[strategy]]\nkind = \"best price\"\nsymbol = \"AAPL\"\nside = \"sell\"\nquantity = 50\n";

    #[test]
    fn a_strategy_gets_the_index_that_its_instrument_has_in_the_core() {
        let desk = Desk::parse(GOOD).unwrap();
        let (config, orders) = desk.trading(&desk.pipeline()).unwrap().unwrap();
        // MSFT, of the statistics, is 0.
        assert_eq!(config.instruments[0], None);
        let traded = config.instruments[1].unwrap();
        let on_feed = traded.feed.unwrap();
        assert_eq!(on_feed.symbol.to_string(), "AAPL");
        assert_eq!((traded.limits.collar, on_feed.tick), (5_000, 100));
        let [strategy] = config.strategies[..] else {
            panic!("{:?}", config.strategies);
        };
        assert_eq!(strategy.quantity, 50);
        assert_eq!(strategy.parameters.instrument, 1);
        assert_eq!(strategy.parameters.side, formats::Side::Sell);
        assert!(strategy.parameters.enabled);
        // A second is a million microseconds.
        assert_eq!(config.limits.rate_window, 1_000_000);
        assert_eq!(orders.limits, config.limits);
        pipeline::Trading::new(&config).unwrap();
    }

    #[test]
    fn a_desk_without_strategies_trades_nothing() {
        let (without, _) = GOOD.split_once("[[strategy]]").unwrap();
        let desk = Desk::parse(without).unwrap();
        assert!(desk.trading(&desk.pipeline()).unwrap().is_none());
    }

    #[test]
    fn each_fault_is_found_in_the_strategys_line_and_says_what_to_change() {
        for (from, to, says) in [
            ("best price", "worst price", "expected `best price`"),
            ("side = \"sell\"", "side = \"short\"", "unknown variant"),
            ("quantity = 50", "quantity = 50\nlevel = 2", "unknown field"),
            ("quantity = 50", "quantity = 0", "a quantity of 0"),
            ("quantity = 50", "quantity = 101", "above max_quantity, 100"),
            (
                "\"AAPL\"\nside",
                "\"IBM\"\nside",
                "not among the instruments",
            ),
            (", feed = true", "", "give it feed = true"),
            (
                "[session]\n",
                "[session]\nprice_width = 10\n",
                "raise price_width",
            ),
            (
                "[session]\n",
                "[session]\nquantity_width = 1\n",
                "raise quantity_width",
            ),
        ] {
            let text = GOOD.replacen(from, to, 1);
            assert_ne!(text, GOOD);
            let (span, fault) = Desk::parse(&text).unwrap_err();
            assert!(fault.contains(says), "{to}: {fault}");
            let begins = text.find("[[strategy]]").unwrap();
            assert!(span.start >= begins, "{to}: {span:?}");
        }
        let begins = GOOD.find("[session]").unwrap();
        let ends = GOOD.find("[[strategy]]").unwrap();
        let without = [&GOOD[..begins], &GOOD[ends..]].concat();
        let (_, fault) = Desk::parse(&without).unwrap_err();
        assert!(fault.contains("add [session]"), "{fault}");
    }
}
