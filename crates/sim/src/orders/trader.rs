//! Tick to trade, hardware against software: packets of the feed, the order book, `best_price`, risk, orders; every order's bytes compared.
//!
//! ```text
//!  packets ─┬─ line A ─ core: book, best_price, risk, order ─ session ─┐
//!           └─ pipeline::Trading ──────────────────────────────────────┴─ equal?
//! ```
//! Both are given a few packets at a time, and compared when nothing moves any more. The core tells risk the trades that have a message of their own;
//! the software also the executions of displayed orders: with the widest collar, and after a first trade, that makes no difference.

use std::collections::VecDeque;

use book::Limits as BookLimits;
use device::{BookWindow, WINDOW_TICKS};
use order::report::Dropped;
use order::{ComputedOrder, Number, Templates};
use pipeline::{Decision, OrderSink, Traded, Trading, TradingConfig};
use risk::{InstrumentLimits, Kill, Limits, Refusal};
use serde::Serialize;
use strategy::best_price::Parameters;
use wire::fix::Timestamp;
use wire::itch::{Head, Message, Trade, Version};
use wire::{Side, Symbol, fcs, mold};

use super::Problem;
use super::bench::Bench;
use crate::preset::Preset;

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

/// What was compared, all of it equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TickToTrade {
    /// Packets of the feed.
    pub packets: u64,
    /// Orders that left.
    pub sent: u64,
    /// Orders that risk refused.
    pub refused: u64,
}

/// An order that software gives: it leaves, or risk refuses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Expected {
    price: i64,
    refused: Option<Refusal>,
}

#[derive(Default)]
struct Sink(VecDeque<Expected>);

impl Sink {
    fn expect(&mut self, decision: &Decision, refused: Option<Refusal>) {
        let price = decision.order.price.unwrap_or_default();
        self.0.push_back(Expected { price, refused });
    }
}

impl OrderSink for Sink {
    fn next(&mut self) -> Result<(Number, Timestamp), Dropped> {
        // The core's own are known later: the messages are compared then.
        let number = Number::new(1).map_err(|_| Dropped::Number)?;
        Ok((number, Timestamp(0)))
    }

    fn send(&mut self, decision: &Decision, _: Number, _: &[u8]) {
        self.expect(decision, None);
    }

    fn refused(&mut self, decision: &Decision, reason: Refusal) {
        self.expect(decision, Some(reason));
    }

    fn dropped(&mut self, decision: &Decision, _: Dropped) {
        self.expect(decision, None);
    }
}

/// A core and the pipeline in software.
pub struct Trader {
    bench: Bench,
    software: Trading,
    sink: Sink,
    order: ComputedOrder,
    next_number: u64,
    version: Version,
    /// Number of the feed's next message.
    sequence: u64,
    compared: TickToTrade,
}

/// Idle bytes before a packet. At the line's full rate a series of cancels can empty all the levels that the core's book has at hand, and the
/// strategy sees no best price until the next ones are looked up: then it gives fewer orders than software.
const GAP: u32 = 4_000;
/// The instrument's index.
const INSTRUMENT: u8 = 0;
/// The name of the strategy's orders in reports; software numbers strategies from 0 on.
const CLIENT_ID: u32 = 0;
/// The name of the feed's session.
const SESSION: [u8; 10] = *b"TRADER    ";

impl Trader {
    /// Both are logged on, and have the instrument's book from the feed's first message on.
    ///
    /// # Errors
    /// The core cannot be set up.
    pub fn new(preset: &Preset, market: &Market) -> Result<Self, Problem> {
        let wrong = |what: String| Problem::Bench(what);
        let instrument = device::Instrument::of_feed(market.symbol);
        let name = market.symbol.to_string();
        let mut bench = Bench::of(preset, market.version, &[(instrument, Some(name))])?;
        bench.ignore_statistics();
        if bench.message()?.0 != 1 {
            return Err(wrong("no Logon".into()));
        }
        let limits = Limits {
            kill: Kill::default(),
            max_quantity: u32::MAX,
            max_notional: market.max_notional,
            rate_orders: 255,
            rate_window: 1,
            max_open_orders: u16::MAX,
        };
        let of_instrument = InstrumentLimits {
            enable: true,
            collar: (1 << 47) - 1,
            position: (1 << 47) - 1,
            ..InstrumentLimits::default()
        };
        bench.driver.set_limits(&limits)?;
        bench
            .driver
            .set_instrument_limits(INSTRUMENT.into(), &of_instrument)?;
        let low = (market.price / market.tick).saturating_sub(WINDOW_TICKS / 2);
        let window = BookWindow::new(low, market.tick).map_err(|error| wrong(error.to_string()))?;
        let order = ComputedOrder {
            side: market.side,
            instrument: INSTRUMENT,
            quantity: market.quantity,
            client_id: CLIENT_ID,
            ..ComputedOrder::default()
        };
        let set = bench.driver.set_book_window(INSTRUMENT, &window)?
            && bench.driver.set_book_tradable(INSTRUMENT, 1)?;
        let strategy = bench.driver.set_best_price(&device::BestPrice {
            enabled: true,
            instrument: INSTRUMENT,
            side: market.side,
            quantity: market.quantity,
            client_id: CLIENT_ID,
        })?;
        strategy.map_err(|refused| wrong(refused.to_string()))?;
        if !set {
            return Err(wrong("the core does not set the book up".into()));
        }
        let parameters = Parameters {
            instrument: INSTRUMENT.into(),
            side: market.side,
            enabled: true,
        };
        let software = Trading::new(&TradingConfig {
            version: market.version,
            instruments: vec![Some(Traded {
                symbol: market.symbol,
                tick: market.tick.into(),
                limits: of_instrument,
            })],
            // The core's window stays where the host has put it.
            book: BookLimits {
                window: None,
                ..BookLimits::HARDWARE
            },
            limits,
            templates: Templates::clone(&bench.templates),
            strategies: vec![pipeline::BestPrice {
                parameters,
                quantity: market.quantity,
            }],
        });
        let mut software = software.map_err(|error| wrong(error.to_string()))?;
        software.set_session(true);
        software.set_kill(Kill::default());
        let mut trader = Trader {
            bench,
            software,
            sink: Sink::default(),
            order,
            next_number: 2,
            version: market.version,
            sequence: 1,
            compared: TickToTrade::default(),
        };
        // Risk needs a last price.
        trader.messages(&[Message::Trade(Trade {
            head: Head::default(),
            order_reference: 0,
            side: Side::Buy,
            shares: 1,
            stock: market.symbol,
            price: market.price,
            match_number: 0,
        })])?;
        trader.compare()?;
        Ok(trader)
    }

    /// A packet of these messages.
    ///
    /// # Errors
    /// One of them is not of this ITCH, or they do not fit a packet.
    pub fn messages(&mut self, messages: &[Message]) -> Result<(), Problem> {
        let bytes = |message: &Message| {
            let mut bytes = Vec::new();
            let emitted = message.emit(self.version, &mut bytes);
            emitted.map(|()| bytes)
        };
        let bytes: Result<Vec<_>, _> = messages.iter().map(bytes).collect();
        let bytes = bytes.map_err(|error| Problem::Bench(error.to_string()))?;
        self.packet(&bytes, false)
    }

    /// So many messages, as they are on the wire, each without its length, in a packet of the session; `damaged`: its FCS is wrong.
    ///
    /// # Errors
    /// They do not fit a packet.
    pub fn packet(&mut self, messages: &[Vec<u8>], damaged: bool) -> Result<(), Problem> {
        let mut packet = mold::Builder::new(SESSION, self.sequence);
        for message in messages {
            let pushed = packet.push(message);
            pushed.map_err(|error| Problem::Bench(error.to_string()))?;
        }
        let payload = packet.bytes();
        self.bench.send_datagram(payload, GAP, |frame| {
            if damaged && let Some(last) = frame.len().checked_sub(fcs::LENGTH) {
                frame[last] ^= 1;
            }
        });
        if !damaged {
            let now = self.compared.packets * 8;
            self.software.datagram(payload, now, &mut self.sink);
            self.sequence += messages.len() as u64;
        }
        self.compared.packets += 1;
        Ok(())
    }

    /// Runs the core until nothing moves, and compares what it gave with what software gave.
    ///
    /// # Errors
    /// The first difference.
    pub fn compare(&mut self) -> Result<&TickToTrade, Problem> {
        self.bench.settle()?;
        let reports = std::mem::take(&mut self.bench.reports);
        if reports.len() != self.sink.0.len() {
            let tradable = self.bench.driver.tradable_books()?;
            let (kill, _) = self.bench.driver.risk_state()?;
            let status = self.software.status(INSTRUMENT.into());
            return Err(Problem::Orders {
                hardware: format!("{reports:?}, books {tradable:#x}, {kill:?}"),
                software: format!("{:?}, book {status:?}", self.sink.0),
            });
        }
        // Reports of refusals may come before those of orders that left earlier.
        let mut refused = Vec::new();
        let mut left = VecDeque::new();
        for report in &reports {
            match report.what {
                0 => left.push_back(report.time_ns),
                2 => refused.push(report.reason),
                _ => return Err(Problem::Report(format!("{report:?}"))),
            }
        }
        let expected: Vec<u8> = self
            .sink
            .0
            .iter()
            .filter_map(|expected| expected.refused.map(|reason| reason as u8))
            .collect();
        if refused != expected {
            return Err(Problem::Orders {
                hardware: format!("refused {refused:?}"),
                software: format!("{:?}", self.sink.0),
            });
        }
        self.compared.refused += refused.len() as u64;
        for expected in std::mem::take(&mut self.sink.0) {
            if expected.refused.is_some() {
                continue;
            }
            let (found, hardware) = self.bench.message()?;
            let due = self.next_number;
            if found != due {
                return Err(Problem::Number { found, due });
            }
            let number = Number::new(due).map_err(|error| Problem::Bench(error.to_string()))?;
            let time = left.pop_front().unwrap_or_default();
            let time = self.bench.clock.sending_time(time);
            let price = expected.price as u32;
            let software = self
                .bench
                .templates
                .computed_message(&self.order, price, number, time);
            let software = software.map_err(|error| Problem::Bench(error.to_string()))?;
            if hardware != software {
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace('\x01', "|");
                return Err(Problem::Bytes {
                    hardware: text(&hardware),
                    software: text(&software),
                });
            }
            self.next_number += 1;
            self.compared.sent += 1;
        }
        Ok(&self.compared)
    }

    /// What was compared so far.
    pub const fn compared(&self) -> &TickToTrade {
        &self.compared
    }
}
