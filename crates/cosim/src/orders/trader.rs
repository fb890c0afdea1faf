//! Tick to trade, hardware against software: packets of the feed, the order book, `best_price`, risk, orders; every order's bytes compared.
//!
//! ```text
//!  packets ─┬─ line A ─ core: book, best_price, risk, order ─ session ─┐
//!           └─ pipeline::Trading ──────────────────────────────────────┴─ equal?
//! ```
//! Both are given a few packets at a time, and compared when nothing moves any more. The collar is the widest: what reaches risk as a trade is
//! compared elsewhere ([`super::Executions`]). The silence between packets is not simulated, so that a limit of orders in a time says nothing: it is as
//! wide as can be.

mod burst;
mod desk;
mod exchange;
mod lines;
mod program;
mod rebuild;
mod records;
mod sink;

use std::collections::VecDeque;

use device::{FastEngines, FastLag};
use fast::Framing;
use formats::itch::{Message, Version};
use formats::{fcs, mold};
use order::{ComputedOrder, Kind, Number, Order};
use pipeline::{OrderLog, Programs, Trading, TradingError};
use risk::{Limits, WorkingOrders};
use serde::Serialize;

pub use self::burst::Burst;
pub use self::desk::{Desk, DeskInstrument, FOLLOWED, Market};
pub use self::exchange::ReportDetails;
pub use self::lines::{Arbitrated, LineCopy};
pub use self::program::Program;
pub use self::records::RingLine;
use super::fast_feed::FastFeed;
use super::left::{SentOrder, orders_left};
use super::testbench::{Start, Testbench};
use super::{Problem, same_message};
use crate::core::{Core, Frame, Sent};
use crate::preset::{Preset, Strategy};

use self::sink::Sink;

/// What was compared, all of it equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TickToTrade {
    /// Packets of the feed.
    pub packets: u64,
    /// Orders that left.
    pub sent: u64,
    /// Orders that risk refused.
    pub refused: u64,
    /// Records that a strategy in the language emitted, where the core has a ring.
    pub records: u64,
}

/// A core and the pipeline in software.
pub struct Trader {
    testbench: Testbench,
    software: Trading,
    programs: Programs,
    sink: Sink,
    instrument: u8,
    /// Of all orders.
    limits: Limits,
    /// Decimals of the instruments' prices.
    decimals: u8,
    /// Orders that left, until the exchange says that they ended; and those that [`Trader::take_left`] has not given yet.
    working: WorkingOrders,
    left: Vec<(Number, Order)>,
    /// The strategy follows what becomes of its orders.
    follows_orders: bool,
    /// The packet of each new order that left, since they were last asked for.
    followed: Vec<usize>,
    /// Idle bytes before a packet.
    gap: u32,
    next_number: u64,
    version: Version,
    /// Number of the feed's next message.
    sequence: u64,
    compared: TickToTrade,
    /// Where lines A and B are arbitrated.
    lines: Option<lines::Lines>,
}

/// Idle cycles before a packet. At the line's full rate a series of cancels can empty all the levels that the core's book has at hand, and the
/// strategy sees no best price until the next ones are looked up: then it gives fewer orders than software.
const GAP: u32 = 500;
/// The instrument's index.
const INSTRUMENT: u8 = 0;
/// The name of the strategy's orders in reports; software numbers strategies from 0 on.
const CLIENT_ID: u32 = 0;
/// What ClOrdIDs begin with.
const PREFIX: &str = "T";
/// The name of the feed's session.
const SESSION: [u8; 10] = *b"TRADER    ";

impl Trader {
    /// Both with a desk that trades in this market; each has the instrument's book from the feed's first message on.
    ///
    /// # Errors
    /// As [`Trader::of`].
    pub fn new(preset: &Preset, market: &Market) -> Result<Self, Problem> {
        Trader::of(preset, &Desk::of_market(market)?)
    }

    /// Both with this desk.
    ///
    /// # Errors
    /// The core cannot be set up, or has no book; what of the desk does not fit together.
    pub fn of(preset: &Preset, desk: &Desk) -> Result<Self, Problem> {
        let desk = desk.compared();
        let software = Trading::new(&desk.trading(preset.book));
        let mut trader = Trader::with(preset, &desk, None, software)?;
        trader.datagrams(&[desk.opening()?])?;
        trader.compared = TickToTrade::default();
        Ok(trader)
    }

    /// Both with this desk, on an order log in FAST. Its instruments' reference prices are in the middle of the windows, whatever the desk says.
    ///
    /// # Errors
    /// As [`Trader::of`]; the map does not fit the templates or the hardware.
    pub fn of_order_log(
        preset: &Preset,
        desk: &Desk,
        feed: &FastFeed<'_>,
    ) -> Result<Self, Problem> {
        if feed.map.depth.is_some() && !preset.takes_price_levels() {
            let lacks = "does not take price levels, only orders";
            return Err(Problem::Testbench(
                preset.refusal(lacks, Preset::takes_price_levels),
            ));
        }
        let mut desk = desk.compared().with_reference_prices();
        // Their prices come from the feed alone; names at a session have eight characters.
        for listed in &mut desk.instruments {
            listed.read.session = listed.read.session.take_if(|_| listed.read.feed.is_none());
        }
        desk.set_depth(feed.map.depth)?;
        let log = OrderLog::new(feed.decoder(Framing::Preamble)?, None);
        let software = Trading::of_order_log(&desk.trading_on_fast(preset.book), log);
        let mut trader = Trader::with(preset, &desk, Some(feed), software)?;
        if let Some(packet) = feed.before {
            // There are 16.
            trader.begin_after(packet, desk.with_books().map(|index| index as u8))?;
            // The packet may have been a gap.
            trader.testbench.driver.set_kill(desk.limits.kill)?;
            trader.software.set_kill(desk.limits.kill);
            trader.compared = TickToTrade::default();
        }
        Ok(trader)
    }

    fn with(
        preset: &Preset,
        desk: &Desk,
        feed: Option<&FastFeed<'_>>,
        software: Result<Trading, TradingError>,
    ) -> Result<Self, Problem> {
        let wrong = |what: String| Problem::Testbench(what);
        if let Some(program) = &desk.program {
            program.can_run_on(preset).map_err(wrong)?;
        }
        let mut software = software.map_err(|error| wrong(error.to_string()))?;
        let read: Vec<_> = desk
            .instruments
            .iter()
            .map(|listed| listed.read.clone())
            .collect();
        let (templates, names) = (desk.templates.clone(), desk.names.clone());
        let mut testbench = Testbench::with(preset, desk.version, &read, templates, names)?;
        if testbench.message()?.0 != 1 {
            return Err(wrong("no Logon".into()));
        }
        if let Some(feed) = feed {
            feed.load(&mut testbench.driver)?;
        }
        testbench.driver.set_limits(&desk.limits)?;
        for (index, listed) in (0..).zip(&desk.instruments) {
            if let Some(limits) = &listed.limits {
                testbench.driver.set_instrument_limits(index, limits)?;
            }
            let Some(window) = &listed.window else {
                continue;
            };
            let index = index as u8;
            let set = testbench.driver.set_book_window(index, window)?
                && testbench.driver.set_book_tradable(index, 1)?;
            if !set {
                return Err(wrong(format!("preset {} sets no book up", preset.name)));
            }
        }
        desk.centre(&mut software)?;
        let instrument = desk.strategy.parameters.instrument as u8;
        match &desk.program {
            None => desk::set_best_price(&mut testbench, &desk.strategy)?,
            Some(program) => {
                if program.reads_levels() {
                    testbench.expect_reads();
                }
                let slot = program.slot();
                if preset.strategy != slot || !program.load(&mut testbench.driver)? {
                    let place = match slot {
                        Strategy::External => "place for a strategy outside",
                        _ => "strategy processor",
                    };
                    return Err(wrong(format!("preset {} has no {place}", preset.name)));
                }
            }
        }
        // A strategy trades with one scale: that of what has a book.
        let with_book = desk.with_books().next().unwrap_or_default();
        let decimals = desk.templates.decimals(with_book as u8).unwrap_or_default();
        if !testbench.driver.load_prefix(PREFIX.as_bytes(), decimals)? {
            return Err(wrong(format!(
                "preset {} reads no reports of the exchange",
                preset.name
            )));
        }
        let records = records::Records::begin(&mut testbench.driver, preset)?;
        // As on logging on.
        testbench.driver.set_kill(desk.limits.kill)?;
        software.set_session(true);
        software.set_kill(desk.limits.kill);
        Ok(Trader {
            testbench,
            software,
            programs: desk.programs(),
            sink: Sink {
                expected: VecDeque::new(),
                packet: 0,
                next: 2,
                records,
            },
            instrument,
            limits: desk.limits,
            decimals,
            working: WorkingOrders::default(),
            left: Vec::new(),
            follows_orders: desk.program.as_ref().is_some_and(Program::follows_orders),
            followed: Vec::new(),
            gap: GAP * preset.width.bits() / 8,
            next_number: 2,
            version: desk.version,
            sequence: 1,
            compared: TickToTrade::default(),
            lines: None,
        })
    }

    /// A packet of these messages.
    ///
    /// # Errors
    /// One of them is not of this ITCH, or they do not fit a packet.
    pub fn messages(&mut self, messages: &[Message]) -> Result<(), Problem> {
        let bytes = self.bytes(messages)?;
        self.packet(&bytes, false)
    }

    /// A packet of these messages whose FCS is wrong.
    ///
    /// # Errors
    /// As [`Trader::messages`].
    pub fn damaged(&mut self, messages: &[Message]) -> Result<(), Problem> {
        let bytes = self.bytes(messages)?;
        self.packet(&bytes, true)
    }

    fn bytes(&self, messages: &[Message]) -> Result<Vec<Vec<u8>>, Problem> {
        messages
            .iter()
            .map(|message| bytes(self.version, message))
            .collect()
    }

    /// What was lost is there after all.
    pub const fn find(&mut self, messages: u64) {
        self.sequence -= messages;
    }

    /// The feed loses so many messages: the next packet comes after a gap.
    pub const fn lose(&mut self, messages: u64) {
        self.sequence += messages;
    }

    /// So many messages, as they are on the wire, each without its length, in a packet of the session; `damaged`: its FCS is wrong.
    ///
    /// # Errors
    /// They do not fit a packet.
    pub fn packet(&mut self, messages: &[Vec<u8>], damaged: bool) -> Result<(), Problem> {
        let mut packet = mold::Builder::new(SESSION, self.sequence);
        for message in messages {
            push(&mut packet, message)?;
        }
        self.payload(packet.bytes(), damaged);
        if !damaged {
            self.sequence += messages.len() as u64;
        }
        Ok(())
    }

    /// A packet of the feed as it is; `damaged`: its FCS is wrong.
    pub fn payload(&mut self, payload: &[u8], damaged: bool) {
        self.testbench.send_datagram(payload, self.gap, |frame| {
            if damaged && let Some(last) = frame.len().checked_sub(fcs::LENGTH) {
                frame[last] ^= 1;
            }
        });
        if !damaged {
            let now = self.compared.packets * 8;
            self.take(payload, now);
        }
        self.compared.packets += 1;
    }

    /// The same for the core alone: it cannot follow what software can.
    pub fn payload_to_core(&mut self, payload: &[u8]) {
        self.testbench.send_datagram(payload, self.gap, |_| {});
    }

    /// The software gets a packet.
    fn take(&mut self, payload: &[u8], now: u64) {
        let (programs, sink) = (&mut self.programs, &mut self.sink);
        self.software.datagram_with(payload, now, programs, sink);
    }

    /// Packets of the feed as they are, one after the other; both are run until nothing moves, and compared. Returns the orders that left.
    ///
    /// # Errors
    /// The first difference.
    pub fn datagrams(&mut self, payloads: &[Vec<u8>]) -> Result<Vec<SentOrder>, Problem> {
        let gap = self.gap;
        self.given(payloads, |testbench, _| {
            testbench.send_datagrams(payloads, gap)
        })
    }

    /// Packets of the feed, each at its time, or as soon as the line is free. `starts` says when, and gets how many orders the software
    /// gives for each, refused ones too. Else as [`Trader::datagrams`].
    ///
    /// # Errors
    /// The first difference.
    pub fn datagrams_at(
        &mut self,
        payloads: &[Vec<u8>],
        starts: impl FnOnce(&[usize]) -> Vec<Start>,
    ) -> Result<Vec<SentOrder>, Problem> {
        self.given(payloads, |testbench, orders| {
            testbench.play(payloads, &starts(orders))
        })
    }

    fn given(
        &mut self,
        payloads: &[Vec<u8>],
        send: impl FnOnce(&mut Testbench, &[usize]) -> Result<Vec<Sent>, Problem>,
    ) -> Result<Vec<SentOrder>, Problem> {
        self.testbench.left = Some(Vec::new());
        self.followed.clear();
        let mut orders = Vec::with_capacity(payloads.len());
        for (place, payload) in payloads.iter().enumerate() {
            self.sink.packet = place;
            let (now, before) = (self.compared.packets * 8, self.sink.expected.len());
            self.take(payload, now);
            orders.push(self.sink.expected.len() - before);
            self.compared.packets += 1;
        }
        let sent = send(&mut self.testbench, &orders)?;
        self.compare()?;
        let left = self.testbench.left.take().unwrap_or_default();
        orders_left(
            &sent,
            &left,
            &self.followed,
            &std::mem::take(&mut self.testbench.passed),
        )
    }

    /// How many packets each engine of the core's FAST decoder did.
    ///
    /// # Errors
    /// The core did not answer.
    pub fn fast_engines(&mut self) -> Result<FastEngines, Problem> {
        Ok(self.testbench.driver.fast_engines()?)
    }

    /// Packets that FAST did not take, by cause; those that there were none of are left out.
    ///
    /// # Errors
    /// The core did not answer.
    pub fn fast_causes(&mut self) -> Result<Vec<(&'static str, u32)>, Problem> {
        let causes = self.testbench.driver.fast_causes()?;
        Ok(causes.into_iter().filter(|(_, count)| *count > 0).collect())
    }

    /// How far the core's FAST decoder was behind the wire.
    ///
    /// # Errors
    /// The core did not answer.
    pub fn fast_lag(&mut self) -> Result<FastLag, Problem> {
        Ok(self.testbench.driver.fast_lag()?)
    }

    /// Frames, good and bad, one after the other; both are run until nothing moves, and compared.
    ///
    /// # Errors
    /// The first difference.
    pub fn frames(&mut self, frames: &[Frame<'_>]) -> Result<(), Problem> {
        let net = self.testbench.net();
        let gap = |frame: &Frame| frame.gap.max(self.gap);
        let apart = frames.iter().map(|frame| Frame {
            gap: gap(frame),
            ..*frame
        });
        let apart: Vec<_> = apart.collect();
        self.testbench.driver.registers().send_all(&apart);
        for frame in frames {
            self.compared.packets += 1;
            let datagram = formats::frame::classify(frame.bytes, &net);
            if let (Ok(datagram), false) = (datagram, frame.error_at.is_some()) {
                let now = self.compared.packets * 8;
                self.take(datagram.payload, now);
            }
        }
        self.compare().map(|_| ())
    }

    /// Runs the core until nothing moves, and compares what it gave with what software gave.
    ///
    /// # Errors
    /// The first difference.
    pub fn compare(&mut self) -> Result<&TickToTrade, Problem> {
        self.testbench.settle()?;
        self.compare_settled()
    }

    fn compare_settled(&mut self) -> Result<&TickToTrade, Problem> {
        self.compared.records += self.sink.records.compare(&mut self.testbench.driver)?;
        let reports = std::mem::take(&mut self.testbench.reports);
        if reports.len() != self.sink.expected.len() {
            let tradable = self.testbench.driver.tradable_books()?;
            let (kill, _) = self.testbench.driver.risk_state()?;
            let status = self.software.status(self.instrument.into());
            return Err(Problem::Orders {
                hardware: format!("{reports:?}, books {tradable:#x}, {kill:?}"),
                software: format!("{:?}, book {status:?}", self.sink.expected),
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
            .expected
            .iter()
            .filter_map(|expected| expected.refused.map(|reason| reason as u8))
            .collect();
        if refused != expected {
            let (kill, _) = self.testbench.driver.risk_state()?;
            return Err(Problem::Orders {
                hardware: format!("refused {refused:?}, {kill:?}"),
                software: format!("{:?}", self.sink.expected),
            });
        }
        self.compared.refused += refused.len() as u64;
        for expected in std::mem::take(&mut self.sink.expected) {
            if expected.refused.is_some() {
                continue;
            }
            let (found, hardware) = self.testbench.message()?;
            let due = self.next_number;
            if found != due {
                return Err(Problem::Number { found, due });
            }
            let taken_ns = left.pop_front().unwrap_or_default();
            let (number, time) = self.testbench.sent(due, taken_ns)?;
            let (templates, order) = (&self.testbench.templates, expected.order);
            let computed = |replaces, price: i64| {
                let order = ComputedOrder {
                    replaces,
                    side: order.side,
                    instrument: order.instrument,
                    quantity: order.quantity,
                    time_in_force: order.time_in_force,
                    client_id: order.client_id,
                };
                templates.computed_message(&order, price as u32, number, time)
            };
            let software = match (order.kind, order.price) {
                (Kind::New, Some(price)) => computed(None, price),
                (Kind::Replace(original), Some(price)) => computed(Some(original), price),
                _ => templates.message(&order, number, time),
            };
            same_message(&hardware, software)?;
            self.working.sent(number, &order);
            self.left.push((number, order));
            if order.kind == Kind::New {
                self.followed.push(expected.packet);
            }
            self.next_number += 1;
            self.compared.sent += 1;
        }
        Ok(&self.compared)
    }

    /// What the core's ring said since the last call, in order; nothing, if it has none. All of it was compared with software, but for what went wrong.
    pub fn take_told(&mut self) -> Vec<RingLine> {
        std::mem::take(&mut self.sink.records.told)
    }

    /// The core.
    pub fn core(&mut self) -> &mut Core {
        self.testbench.driver.registers()
    }

    /// The cycle the core is in.
    pub fn cycle(&mut self) -> u64 {
        self.testbench.cycle()
    }

    /// What was compared so far.
    pub const fn compared(&self) -> &TickToTrade {
        &self.compared
    }
}

/// A message as it is on the wire.
fn bytes(version: Version, message: &Message) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    let emitted = message.emit(version, &mut bytes);
    emitted.map_err(|error| Problem::Testbench(error.to_string()))?;
    Ok(bytes)
}

fn push(packet: &mut mold::Builder, message: &[u8]) -> Result<(), Problem> {
    let pushed = packet.push(message);
    pushed.map_err(|error| Problem::Testbench(error.to_string()))
}
