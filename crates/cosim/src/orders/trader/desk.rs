//! A desk that trades: what a core and the software get alike.

use std::num::NonZeroU8;

use book::Limits as BookLimits;
use device::BookWindow;
use fast::Framing;
use formats::itch::{Head, Message, Trade, Version};
use formats::{Side, Symbol, mold};
use instrument::ITCH_PRICE_SCALE;
use order::{Description, Instrument, Templates};
use pipeline::{NoOrders, OrderLog, Traded, Trading, TradingConfig};
use risk::{InstrumentLimits, Kill, Limits};
use strategy::best_price::Parameters;

use super::super::Problem;
use super::super::fast_feed::FastFeed;
use super::super::testbench::Testbench;
use super::{CLIENT_ID, INSTRUMENT, PREFIX, Program, bytes, push};

/// Orders of a strategy that a core follows, at most: `strategy_own_orders` has 32 places, and the next order takes one until risk has judged it.
pub const FOLLOWED: u16 = 31;

/// An instrument of a desk.
#[derive(Clone, Debug, Default)]
pub struct DeskInstrument {
    /// How the core reads its prices.
    pub read: device::Instrument,
    /// The prices that its book shows, if it has one.
    pub window: Option<BookWindow>,
    /// The limits of its orders, if there are any.
    pub limits: Option<InstrumentLimits>,
}

impl DeskInstrument {
    /// The prices that its book shows, if it has one that comes from the feed.
    fn book(&self) -> Option<&BookWindow> {
        self.window.as_ref().filter(|_| self.read.feed.is_some())
    }
}

/// A desk that trades: what the core and the software get alike.
#[derive(Clone, Debug)]
pub struct Desk {
    /// ITCH of the packets.
    pub version: Version,
    /// Its instruments by index, from 0 on.
    pub instruments: Vec<DeskInstrument>,
    /// The templates of its orders, by the same indices.
    pub templates: Templates,
    /// SenderCompID and TargetCompID.
    pub names: [String; 2],
    /// Limits of all orders.
    pub limits: Limits,
    /// What decides: the core has one.
    pub strategy: pipeline::BestPrice,
    /// A strategy in the language, which decides instead: in a core with the processor, or beside one whose strategy stands outside.
    pub program: Option<Program>,
}

/// What is traded.
#[derive(Clone, Copy, Debug)]
pub struct Market {
    /// ITCH of the packets.
    pub version: Version,
    /// The instrument whose best price is taken.
    pub symbol: Symbol,
    /// Its tick size, in 1/10,000 dollar.
    pub tick: u32,
    /// Near its price, in 1/10,000 dollar: the middle of the book's window.
    pub price: u32,
    /// Of the strategy's orders.
    pub side: Side,
    /// Of an order.
    pub quantity: u32,
    /// The limit of all orders' notional, in 1/10,000 dollar.
    pub max_notional: u64,
}

impl Desk {
    /// One that trades in this market alone.
    ///
    /// # Errors
    /// The core's book cannot have this tick, or prices this high.
    pub fn of_market(market: &Market) -> Result<Self, Problem> {
        let wrong = |error: &dyn std::fmt::Display| Problem::Testbench(error.to_string());
        let window =
            BookWindow::around(market.price, market.tick).map_err(|error| wrong(&error))?;
        let named = Instrument {
            symbol: market.symbol.to_string(),
            decimals: ITCH_PRICE_SCALE,
        };
        let names = ["CORE", "PEER"].map(str::to_owned);
        Ok(Desk {
            version: market.version,
            instruments: vec![DeskInstrument {
                read: device::Instrument::of_feed(market.symbol),
                window: Some(window),
                limits: Some(InstrumentLimits {
                    enable: true,
                    position: (1 << 47) - 1,
                    ..InstrumentLimits::default()
                }),
            }],
            templates: templates(&names, vec![named])?,
            names,
            limits: Limits {
                kill: Kill::default(),
                max_quantity: u32::MAX,
                max_notional: market.max_notional,
                max_open_orders: u16::MAX,
                ..Limits::default()
            },
            strategy: pipeline::BestPrice {
                parameters: Parameters {
                    instrument: INSTRUMENT.into(),
                    side: market.side,
                    enabled: true,
                    single: false,
                },
                quantity: market.quantity,
            },
            program: None,
        })
    }

    /// One with the books of these markets, that trades in the first; of its limits those of the first hold.
    ///
    /// # Errors
    /// As [`Desk::of_market`]; there are none.
    pub fn of_markets(markets: &[Market]) -> Result<Self, Problem> {
        let desks: Result<Vec<_>, _> = markets.iter().map(Desk::of_market).collect();
        let desks = desks?;
        let instruments = desks.iter().flat_map(|desk| desk.instruments.clone());
        let instruments: Vec<_> = instruments.collect();
        let first = desks.into_iter().next();
        let first = first.ok_or_else(|| Problem::Testbench("no market".into()))?;
        let named = markets.iter().map(|market| Instrument {
            symbol: market.symbol.to_string(),
            decimals: ITCH_PRICE_SCALE,
        });
        let templates = templates(&first.names, named.collect())?;
        Ok(Desk {
            instruments,
            templates,
            ..first
        })
    }

    /// Says that the feed gives so many price levels of a side, or orders.
    ///
    /// # Errors
    /// The core's book has no room for so many.
    pub fn set_depth(&mut self, depth: Option<NonZeroU8>) -> Result<(), Problem> {
        let windows = self.instruments.iter_mut();
        for window in windows.filter_map(|listed| listed.window.as_mut()) {
            if let Some(depth) = depth {
                let by_level = window.by_level(depth);
                *window = by_level.map_err(|error| Problem::Testbench(error.to_string()))?;
            }
        }
        Ok(())
    }

    /// The windows of the books, as the core's.
    ///
    /// # Errors
    /// A book that has no such instrument.
    pub fn centre(&self, software: &mut Trading) -> Result<(), Problem> {
        for (index, listed) in (0..).zip(&self.instruments) {
            if let Some(window) = &listed.window
                && !software.centre_book(index, window.middle().into())
            {
                return Err(Problem::Testbench(format!("no book of instrument {index}")));
            }
        }
        Ok(())
    }

    /// A packet of a session of its own with a trade of each instrument, in the middle of its window: risk needs a last price.
    ///
    /// # Errors
    /// More instruments than fit a packet.
    pub fn opening(&self) -> Result<Vec<u8>, Problem> {
        let mut packet = mold::Builder::new(*b"OPENING   ", 1);
        for instrument in &self.instruments {
            let (Some(stock), Some(window)) = (instrument.read.feed, instrument.window) else {
                continue;
            };
            let trade = Message::Trade(Trade {
                head: Head::default(),
                order_reference: 0,
                side: Side::Buy,
                shares: 1,
                stock,
                price: window.middle(),
                match_number: 0,
            });
            push(&mut packet, &bytes(self.version, &trade)?)?;
        }
        Ok(packet.bytes().to_vec())
    }

    /// The indices of the instruments whose books come from the feed.
    pub(super) fn with_books(&self) -> impl Iterator<Item = usize> {
        let instruments = self.instruments.iter().enumerate();
        instruments.filter_map(|(index, listed)| listed.book().map(|_| index))
    }

    /// The same with a reference price in the middle of each window: risk needs one, where the feed has no trades.
    pub(super) fn with_reference_prices(mut self) -> Self {
        for listed in &mut self.instruments {
            let middle = listed.book().map(|window| i64::from(window.middle()));
            if let Some(limits) = &mut listed.limits {
                limits.reference_price = middle;
            }
        }
        self
    }

    /// The pipeline in software on an order log in FAST, with windows and reference prices as [`super::Trader::of_order_log`] has them. `orders`: that its book has room for.
    ///
    /// # Errors
    /// The map does not fit the templates; the software refuses the desk.
    pub fn on_order_log(&self, feed: &FastFeed<'_>, orders: u32) -> Result<Trading, Problem> {
        let log = OrderLog::new(feed.decoder(Framing::Preamble)?, None);
        let desk = self.clone().with_reference_prices();
        let software = Trading::of_order_log(&desk.trading_on_fast(orders), log);
        let mut software = software.map_err(|error| Problem::Testbench(error.to_string()))?;
        self.centre(&mut software)?;
        if let Some(packet) = feed.before {
            software.datagram(packet, 0, &mut NoOrders);
            let next = software.next_in_order_log().unwrap_or_default();
            for index in self.with_books() {
                let begun = software.rebuild_empty(index as u32, next);
                begun.map_err(|error| Problem::Testbench(error.to_string()))?;
            }
        }
        Ok(software)
    }

    /// As the two are compared: no order is refused for the rate, which is of the time that each has, or for the collar; and if the strategy's orders are
    /// followed, [`FOLLOWED`] may be open at once.
    #[must_use]
    pub fn compared(&self) -> Self {
        let mut desk = self.clone();
        (desk.limits.rate_orders, desk.limits.rate_window) = (255, 1);
        let limits = desk.instruments.iter_mut();
        for limits in limits.filter_map(|listed| listed.limits.as_mut()) {
            limits.collar = (1 << 47) - 1;
        }
        if self.program.as_ref().is_some_and(Program::follows_orders) {
            desk.limits.max_open_orders = desk.limits.max_open_orders.min(FOLLOWED);
        }
        desk
    }

    /// What the software makes of it with a feed in FAST.
    pub(super) fn trading_on_fast(&self, orders: u32) -> TradingConfig {
        let mut config = self.trading(orders);
        config.book.id_bits = BookLimits::HARDWARE_OF_BOTH.id_bits;
        config
    }

    /// What the software makes of it. `orders`: that its book has room for, as the core's.
    ///
    /// [`Trading::new`] takes it; the windows of the books are set afterwards ([`Desk::centre`]).
    pub fn trading(&self, orders: u32) -> TradingConfig {
        let traded = |listed: &DeskInstrument| {
            let tick = listed.window.as_ref()?.tick_size().into();
            Some(Traded::on_feed(listed.read.feed?, tick, listed.limits?))
        };
        TradingConfig {
            version: self.version,
            instruments: self.instruments.iter().map(traded).collect(),
            book: BookLimits {
                orders,
                window: Some(device::WINDOW_TICKS / 2),
                ..BookLimits::HARDWARE
            },
            limits: self.limits,
            templates: self.templates.clone(),
            strategies: match self.program {
                None => vec![self.strategy],
                Some(_) => vec![],
            },
            stops: vec![],
        }
    }
}

/// The templates of orders for these instruments.
fn templates(names: &[String; 2], instruments: Vec<Instrument>) -> Result<Templates, Problem> {
    let [sender, target] = names;
    let mut description = Description::new(sender, target, instruments);
    description.client_order_id_prefix = PREFIX.to_owned();
    description.time_in_force = true;
    let templates = Templates::compile(&description, device::orders::MESSAGE_BYTES);
    templates.map_err(|error| Problem::Testbench(error.to_string()))
}

/// Sets the parameters of the core's strategy.
pub(super) fn set_best_price(
    testbench: &mut Testbench,
    strategy: &pipeline::BestPrice,
) -> Result<(), Problem> {
    let pipeline::BestPrice {
        parameters,
        quantity,
    } = *strategy;
    let set = testbench.driver.set_best_price(&device::BestPrice {
        enabled: parameters.enabled,
        single: parameters.single,
        instrument: parameters.instrument as u8,
        side: parameters.side,
        quantity,
        client_id: CLIENT_ID,
    })?;
    set.map_err(|refused| Problem::Testbench(refused.to_string()))
}
