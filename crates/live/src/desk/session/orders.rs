//! What the orders of a session look like, their limits and stops, as a core gets them.

use device::BookWindow;
use formats::Symbol;
use order::{Description, Instrument, Templates};
use risk::{InstrumentLimits, Kill, Limits, Sources};
use strategy::stops::Stop;

use super::super::traded::Traded;
use super::{Session, StopOrder};

/// TimeInForce.
const TIME_IN_FORCE: u32 = 59;

/// All that a core gets of a session.
#[derive(Clone, Debug)]
pub struct Orders {
    /// The templates.
    pub templates: Templates,
    /// Limits of all orders.
    pub limits: Limits,
    /// Of each instrument: its index, its limits, how its prices are read in the session, and its name on the feed if they are read there.
    pub instruments: Vec<(u8, InstrumentLimits, device::Instrument)>,
    /// Of each instrument: the prices that its book shows, if its prices come from the feed.
    pub windows: Vec<Option<BookWindow>>,
    /// The stops.
    pub stops: Vec<Stop>,
    /// Clock cycles of silence after which a source of prices is stale: the session, and the market data if an instrument has its prices there.
    pub stale_limit: u32,
}

impl Session {
    /// What the orders look like.
    fn description(&self) -> Description {
        let instruments = self.traded().map(|traded| Instrument {
            symbol: traded.symbol.clone(),
            decimals: traded.decimals,
        });
        let mut description = Description::new(&self.sender, &self.target, instruments.collect());
        description.account.clone_from(&self.account);
        description
            .client_order_id_prefix
            .clone_from(&self.client_order_id_prefix);
        description.quantity_width = self.quantity_width;
        description.price_width = self.price_width;
        description.fields.clone_from(&self.fields);
        description
    }

    /// The templates of orders that say themselves how long they stay, by the indices of [`Session::indices`], whatever TimeInForce (59) the desk's
    /// constant fields have; as long as `most` bytes.
    ///
    /// # Errors
    /// What does not fit, and what to change.
    pub fn templates_in_force(
        &self,
        symbols: &[Option<Symbol>],
        most: usize,
    ) -> Result<Templates, String> {
        let mut description = self.description();
        description.fields.retain(|(tag, _)| *tag != TIME_IN_FORCE);
        description.time_in_force = true;
        let templates = Templates::compile(&description, most);
        let indices = self.indices(symbols);
        Ok(templates.map_err(|error| error.to_string())?.at(&indices))
    }

    /// The core's index of each instrument. The core has one table: `symbols`, of the statistics, come first in it, and an instrument whose prices
    /// are read there too shares its symbol's place.
    pub fn indices(&self, symbols: &[Option<Symbol>]) -> Vec<u8> {
        let mut free = (0..=u8::MAX).skip(symbols.len());
        let index = |traded: &Traded| {
            let symbol = traded.key().ok().filter(|_| traded.feed);
            let place = symbols
                .iter()
                .position(|other| symbol.is_some() && *other == symbol);
            place.map(|place| place as u8).or_else(|| free.next())
        };
        self.traded().filter_map(index).collect()
    }

    /// What the core gets beside the statistics of `symbols`; `cycle_picoseconds` is its clock's.
    ///
    /// # Errors
    /// What does not fit, and what to change.
    pub fn orders(
        &self,
        symbols: &[Option<Symbol>],
        cycle_picoseconds: u64,
    ) -> Result<Orders, String> {
        let most = device::orders::MESSAGE_BYTES;
        let templates = Templates::compile(&self.description(), most);
        let templates = templates.map_err(|error| error.to_string())?;
        let (most, indices) = (device::instruments::INSTRUMENTS, self.indices(symbols));
        let others = indices
            .iter()
            .filter(|index| usize::from(**index) >= symbols.len());
        let (listed, others) = (symbols.len(), others.count());
        if listed + others > most {
            return Err(format!(
                "{listed} symbols of the statistics and {others} other instruments: the core has room for {most}; name fewer"
            ));
        }
        let cycles =
            |milliseconds: u32| u64::from(milliseconds) * 1_000_000_000 / cycle_picoseconds;
        let window = u32::try_from(cycles(self.limits.rate_ms)).ok();
        let window = window.filter(|window| *window < 1 << 31);
        let stale = u32::try_from(cycles(self.limits.stale_ms));
        // If instruments differ, the limit is that of the fewest decimals: lower for the others, never higher.
        let fewest = self.traded().map(|traded| traded.decimals).min();
        let notional = self
            .limits
            .max_notional
            .at(fewest.unwrap_or(0), "max_notional")?;
        let limits = Limits {
            kill: Kill {
                host: false,
                session: true,
                feed: self.limits.stale_ms > 0 && self.traded().any(|traded| traded.feed),
                gap: true,
            },
            max_quantity: self.limits.max_quantity,
            max_notional: u64::try_from(notional).map_err(|_| "max_notional is negative")?,
            rate_orders: self.limits.rate_orders,
            rate_window: window.ok_or("rate_ms is too long for the core: 10000 at most")?,
            max_open_orders: self.limits.max_open_orders,
        };
        let instrument = |(traded, index): (&Traded, &u8)| {
            let collar = traded.collar.at(traded.decimals, "collar")?;
            let limits = InstrumentLimits {
                enable: true,
                sources: Sources {
                    feed: traded.feed,
                    session: true,
                },
                collar: u64::try_from(collar).map_err(|_| "collar is negative")?,
                position: traded.position,
                reference_price: traded.reference_price()?,
            };
            if !traded.feed {
                traded.fits_core()?;
            }
            let feed = traded.feed.then(|| traded.key()).transpose();
            let instrument = device::Instrument {
                feed: feed.map_err(|error| format!("{}: {error}", traded.symbol))?,
                session: Some(traded.symbol.clone()),
                decimals: traded.decimals,
                quantity_decimals: 0,
            };
            Ok::<_, String>((*index, limits, instrument))
        };
        Ok(Orders {
            templates: templates.at(&indices),
            limits,
            instruments: self
                .traded()
                .zip(&indices)
                .map(instrument)
                .collect::<Result<_, _>>()?,
            windows: self.traded().map(Traded::book).collect::<Result<_, _>>()?,
            stops: self
                .stops
                .iter()
                .map(|stop| self.stop(stop, &indices))
                .collect::<Result<_, _>>()?,
            stale_limit: stale.map_err(|_| "stale_ms is too long for the core: 25000 at most")?,
        })
    }

    fn stop(&self, stop: &StopOrder, indices: &[u8]) -> Result<Stop, String> {
        let mut instruments = indices.iter().zip(self.traded());
        let (instrument, traded) = instruments
            .find(|(_, traded)| traded.symbol == stop.symbol)
            .ok_or_else(|| format!("stop of {}: it is not among the instruments", stop.symbol))?;
        let limit = stop.limit.as_ref();
        let price = limit
            .map(|limit| limit.at(traded.decimals, "limit"))
            .transpose()?;
        Ok(Stop {
            side: stop.side.into(),
            instrument: *instrument,
            trigger: stop.trigger.at(traded.decimals, "trigger")?,
            price,
            quantity: stop.quantity,
            client_id: 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use formats::Side;

    use super::super::tests::GOOD;
    use super::*;

    fn orders(text: &str) -> Result<Orders, String> {
        let session: Session = toml::from_str(text).map_err(|error| error.message().to_owned())?;
        session.orders(&[], 6_400)
    }

    #[test]
    fn prices_come_in_the_instruments_scale_and_times_in_cycles() {
        let orders = orders(GOOD).unwrap();
        let stop = Stop {
            side: Side::Sell,
            trigger: 1_005,
            price: Some(1_000),
            quantity: 7,
            ..Stop::default()
        };
        assert_eq!(orders.stops, [stop]);
        assert_eq!(orders.instruments[0].1.collar, 50);
        assert_eq!(orders.limits.max_notional, 100_000);
        assert_eq!(orders.limits.rate_window, 156_250_000);
    }

    #[test]
    fn a_reference_price_comes_in_the_instruments_scale_and_is_none_if_left_out() {
        let of = |key: &str| orders(&GOOD.replace("position = 1000", key));
        let reference = |key: &str| of(key).unwrap().instruments[0].1.reference_price;
        assert_eq!(reference("position = 1000"), None);
        let with = |price: &str| format!("position = 1000, reference_price = \"{price}\"");
        assert_eq!(reference(&with("10.05")), Some(1_005));
        assert_eq!(reference(&with("-0.5")), Some(-50));
        assert_eq!(reference(&with("2814749767106.55")), Some((1 << 48) - 1));
        for (price, fault) in [
            ("10.055", "ABC: reference_price has more than 2 decimals"),
            ("2814749767106.56", "ABC: reference_price is too large"),
        ] {
            let refused = of(&with(price)).unwrap_err();
            assert!(refused.contains(fault), "{refused}");
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_with_what_to_change() {
        let refused = |from: &str, to: &str| {
            let text = GOOD.replace(from, to);
            assert_ne!(text, GOOD);
            orders(&text).unwrap_err()
        };
        assert!(refused("\"10.05\"", "\"10.055\"").contains("trigger has more than 2 decimals"));
        assert!(refused("\"10.05\"", "\"ten\"").contains("no decimal number"));
        assert!(refused("rate_ms = 1000", "rate_ms = 20000").contains("10000 at most"));
        assert!(
            refused("{ symbol = \"ABC\", side", "{ symbol = \"XYZ\", side").contains("not among")
        );
        assert!(refused("\"ALICE\"", "\"\"").contains("SenderCompID is empty"));
        assert!(refused("collar = \"0.50\"", "collar = \"-1\"").contains("negative"));
    }

    #[test]
    fn an_instrument_has_the_number_of_the_feed_for_a_name_and_its_decimals() {
        let text = GOOD.replace("decimals = 2", "decimals = 0");
        let text = text.replace("\"0.50\"", "\"50\"").replace("10.05", "10");
        let more = "position = 1000, feed = true, id = 49634118, tick = \"10\"";
        let text = text.replace("position = 1000", more);
        let orders = orders(&text).unwrap();
        assert_eq!(orders.instruments[0].2.feed, Symbol::of_id(49_634_118));
        assert_eq!(orders.instruments[0].2.decimals, 0);
        let window = orders.windows[0].unwrap();
        assert_eq!((window.tick_size(), window.low_price()), (10, 0));
    }

    #[test]
    fn a_book_has_a_tick_and_a_window_that_the_core_can_have() {
        let orders = |more: &str| {
            let text = GOOD.replace("decimals = 2", "decimals = 4");
            orders(&text.replace("position = 1000", &format!("position = 1000{more}")))
        };
        assert_eq!(orders("").unwrap().windows, [None]);
        // From price 0 on, in cents.
        let lowest = BookWindow::new(0, 100).ok();
        assert_eq!(orders(", feed = true").unwrap().windows, [lowest]);
        let window = BookWindow::around(5_850_000, 50).ok();
        let found = orders(", feed = true, tick = \"0.005\", window = \"585\"").unwrap();
        assert_eq!(found.windows, [window]);
        for (more, says) in [
            (", tick = \"0.01\"", "give it feed = true"),
            (", window = \"10\"", "give it feed = true"),
            (", feed = true, tick = \"0\"", "tick size 0"),
            (", feed = true, tick = \"0.2049\"", "tick size 2049"),
            (", feed = true, tick = \"-0.01\"", "tick is negative"),
            (", feed = true, tick = \"0.00001\"", "more than 4 decimals"),
            (", feed = true, window = \"429496.7\"", "beyond 32 bits"),
            (
                ", feed = true, window = \"500000\"",
                "beyond the prices of the feed",
            ),
        ] {
            let refused = orders(more).unwrap_err();
            assert!(refused.contains(says), "{more}: {refused}");
        }
    }

    #[test]
    fn instruments_come_after_the_symbols_of_the_statistics_and_share_what_is_read_in_the_feed() {
        let symbols = ["DEF", "ABC"].map(|symbol| symbol.parse().ok());
        let text = GOOD.replace("decimals = 2", "decimals = 4");
        let session = |text: &str| toml::from_str::<Session>(text).unwrap();
        let orders = session(&text).orders(&symbols, 6_400).unwrap();
        assert_eq!(
            (orders.instruments[0].0, orders.stops[0].instrument),
            (2, 2)
        );
        assert_eq!(orders.templates.instruments.iter().flatten().count(), 1);
        let in_feed = session(&text.replace("position = 1000", "position = 1000, feed = true"));
        let shared = in_feed.orders(&symbols, 6_400).unwrap();
        assert_eq!(
            (shared.instruments[0].0, shared.stops[0].instrument),
            (1, 1)
        );
        assert!(shared.templates.instruments[1].is_some());
        let refused = session(&text).orders(&[None; 16], 6_400).unwrap_err();
        assert!(
            refused.contains("16 symbols of the statistics and 1 other"),
            "{refused}"
        );
    }
}
