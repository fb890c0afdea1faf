//! The `strategy` sections of a desk: what decides on orders, by the book.

use order::ComputedOrder;
use pipeline::{BestPrice, Traded, TradingConfig};
use serde::Deserialize;
use sim::orders::{Desk, DeskInstrument};
use strategy::best_price::Parameters;

use super::session::{OrderSide, Orders, Session};

/// A strategy.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Strategy {
    /// What it does.
    pub kind: Kind,
    /// One of the session's instruments, whose prices come from the feed.
    pub symbol: String,
    /// `buy`: it watches the best ask; `sell`: the best bid.
    pub side: OrderSide,
    /// Quantity of each order.
    pub quantity: u32,
    /// Whether it does anything.
    #[serde(default = "enabled")]
    pub enabled: bool,
    /// It keeps one order in the market: replaces it at a new price, cancels it when there is none. Where an exchange answers.
    #[serde(default)]
    pub single: bool,
}

const fn enabled() -> bool {
    true
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
        match self.single {
            false => Ok(()),
            true => Err(format!(
                "strategy on {}: no exchange answers here, as it does tickwire run and tickwire sim --tap: leave `single` out",
                self.symbol
            )),
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
        let symbol = &self.symbol;
        let place = session.instruments.iter().position(|i| i.symbol == *symbol);
        let place = place.ok_or_else(|| {
            format!("strategy on {symbol}: it is not among the instruments of the session")
        })?;
        if !session.instruments[place].feed {
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
fn best_price(
    session: &Session,
    symbols: &[Option<wire::Symbol>],
    strategy: &Strategy,
) -> Result<BestPrice, String> {
    let indices = session.indices(symbols);
    let mut traded = indices.iter().zip(&session.instruments);
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

/// What the core and the software beside it get alike. The core holds one strategy. `cycle_picoseconds` is its clock's.
pub fn in_core<'a>(
    session: &Session,
    mut strategies: impl Iterator<Item = &'a Strategy>,
    pipeline: &pipeline::Config,
    cycle_picoseconds: u64,
) -> Result<Desk, String> {
    let (Some(strategy), None) = (strategies.next(), strategies.next()) else {
        return Err(
            "the core holds one strategy: leave the others out, or let tickwire run run them"
                .into(),
        );
    };
    let symbols = &pipeline.symbols;
    let orders = session.orders(symbols, cycle_picoseconds)?;
    let mut instruments: Vec<_> = symbols
        .iter()
        .map(|symbol| DeskInstrument {
            read: symbol.map(device::Instrument::of_feed).unwrap_or_default(),
            window: None,
            limits: None,
        })
        .collect();
    for ((index, limits, read), window) in orders.instruments.into_iter().zip(orders.windows) {
        let index = usize::from(index);
        if instruments.len() <= index {
            instruments.resize_with(index + 1, DeskInstrument::default);
        }
        instruments[index] = DeskInstrument {
            read,
            window,
            limits: Some(limits),
        };
    }
    Ok(Desk {
        version: pipeline.version,
        instruments,
        templates: orders.templates,
        names: [session.sender.clone(), session.target.clone()],
        limits: orders.limits,
        strategy: best_price(session, symbols, strategy)?,
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
        let traded = |(symbol, window): (_, &device::BookWindow)| Traded {
            symbol,
            tick: window.tick_size().into(),
            limits: *limits,
        };
        instruments[usize::from(*index)] = listing.feed.zip(window.as_ref()).map(traded);
    }
    let best_price = |strategy| best_price(session, &pipeline.symbols, strategy);
    let config = TradingConfig {
        version: pipeline.version,
        instruments,
        book: BOOK,
        limits: orders.limits,
        templates: orders.templates.clone(),
        strategies: strategies.map(best_price).collect::<Result<_, _>>()?,
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
        assert_eq!(traded.symbol.to_string(), "AAPL");
        assert_eq!((traded.limits.collar, traded.tick), (5_000, 100));
        let [strategy] = config.strategies[..] else {
            panic!("{:?}", config.strategies);
        };
        assert_eq!(strategy.quantity, 50);
        assert_eq!(strategy.parameters.instrument, 1);
        assert_eq!(strategy.parameters.side, wire::Side::Sell);
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
