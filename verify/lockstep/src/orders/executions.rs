//! Trades however the feed tells them, hardware against software: random orders and their executions (E, C, printed or not), P and Q, in a core
//! with an order book; stops and the collar around the last price show what reached them.
//!
//! ```text
//!  random packets ─┬─ line A ─ core: book ─ trades ─ stops, risk ─ orders, reports ─┐
//!                  └─ software: Book ─ trade_of ─ twin of stops and risk ───────────┴─ equal?
//! ```

use std::collections::HashMap;

use book::{Book, Limits as BookLimits};
use device::{BookWindow, WINDOW_TICKS};
use formats::itch::{
    AddOrder, CrossTrade, Head, Message, OrderCancel, OrderDelete, OrderExecuted,
    OrderExecutedWithPrice, OrderReplace, Trade, Version,
};
use formats::{Side, fcs, mold};
use order::{Number, Order};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use risk::{InstrumentLimits, Kill, Limits, Refusal, Request};
use serde::Serialize;
use strategy::stops::{Operation, State, Stop};

use super::twin::{Follow, HostOperation, Observed, PassedOrder, Step, Twin, request_of};
use cosim::MINIMUM_GAP;
use cosim::Preset;
use cosim::orders::testbench::Input;
use cosim::orders::testbench::{Testbench, symbol};
use cosim::orders::{Problem, same_message};

/// What was compared, all of it equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Traded {
    /// Executions of displayed orders that are trades.
    pub executions: u64,
    /// Trades that have a message of their own.
    pub messages: u64,
    /// Orders of stops and of the host that left.
    pub sent: u64,
    /// Orders that risk refused, for their price.
    pub refused: u64,
}

/// Instruments; the last one's book is being rebuilt.
const INSTRUMENTS: usize = 4;
/// In the middle of the window, in 1/10,000 dollar.
const PRICE: u32 = 1_000_000;
const TICK: u32 = 100;

/// Of a message about an instrument; INSTRUMENTS is one that is not ours.
fn head(instrument: usize) -> Head {
    Head {
        stock_locate: 1 + instrument as u16,
        ..Head::default()
    }
}
/// Distance of a limit price from the last price.
const COLLAR: u64 = 700;
/// Stops that are armed at a time.
const ARMED: usize = 12;
/// The name of the feed's session.
const SESSION: [u8; 10] = *b"EXECUTIONS";
/// Idle bytes before a packet that does not follow at once.
const PAUSE: u32 = 3_000;

/// An order in the book.
#[derive(Clone, Copy, Debug)]
struct Live {
    id: u64,
    instrument: usize,
    price: u32,
    shares: u32,
}

/// A core and its twin.
pub struct Executions {
    testbench: Testbench,
    random: ChaCha8Rng,
    twins: Vec<Twin>,
    live: Vec<Live>,
    version: Version,
    /// Number of the feed's next message; ids of orders.
    sequence: u64,
    next_id: u64,
    client_id: u32,
    orders: HashMap<u32, Order>,
    next_number: u64,
    compared: Traded,
}

impl Executions {
    /// A core that has its limits and, but for the last instrument, its books.
    ///
    /// # Errors
    /// The core cannot be set up.
    pub fn new(preset: &Preset, version: Version, seed: u64) -> Result<Self, Problem> {
        let wrong = |what: &str| Problem::Testbench(what.to_owned());
        let listed: Vec<_> = (0..INSTRUMENTS)
            .map(|index| {
                let instrument = device::Instrument::of_feed(symbol(index));
                (instrument, Some(symbol(index).to_string()))
            })
            .collect();
        let mut testbench = Testbench::of(preset, version, &listed)?;
        if testbench.message()?.0 != 1 {
            return Err(wrong("no Logon"));
        }
        let limits = Limits {
            kill: Kill::default(),
            max_quantity: 100,
            max_notional: u64::MAX - 1,
            rate_orders: 255,
            rate_window: 1,
            max_open_orders: u16::MAX,
        };
        let of_instrument = InstrumentLimits {
            enable: true,
            collar: COLLAR,
            position: (1 << 47) - 1,
            ..InstrumentLimits::default()
        };
        let mut book = Book::new(
            INSTRUMENTS,
            BookLimits {
                // The core's window stays where the host has put it.
                window: None,
                ..BookLimits::HARDWARE
            },
        );
        let mut twin = Twin::new(
            testbench.driver.quarter_of_stops(),
            testbench.driver.instruments(),
        );
        twin.risk.set_session(true);
        twin.risk.set_limits(&limits);
        testbench.driver.set_limits(&limits)?;
        let low = (PRICE / TICK).saturating_sub(WINDOW_TICKS / 2);
        let window = BookWindow::new(low, TICK).map_err(|error| wrong(&error.to_string()))?;
        for index in 0..INSTRUMENTS {
            testbench
                .driver
                .set_instrument_limits(index, &of_instrument)?;
            twin.risk.set_instrument(index as u8, &of_instrument);
            let tick = book.set_tick(index as u32, TICK.into());
            tick.map_err(|error| wrong(&format!("{error:?}")))?;
            let rebuilt = index + 1 < INSTRUMENTS;
            let set = testbench.driver.set_book_window(index as u8, &window)?
                && (!rebuilt || testbench.driver.set_book_tradable(index as u8, 1)?);
            let clear = rebuilt || book.clear(index as u32).is_ok();
            if !set || !clear {
                return Err(wrong("the core does not set the book up"));
            }
        }
        testbench.book = Some(book);
        Ok(Executions {
            testbench,
            random: ChaCha8Rng::seed_from_u64(seed),
            twins: vec![twin],
            live: Vec::new(),
            version,
            sequence: 1,
            next_id: 1,
            client_id: 0,
            orders: HashMap::new(),
            next_number: 2,
            compared: Traded::default(),
        })
    }

    /// Stops are armed around the last prices, a packet comes, or two at once, and an order of the host at the edge of its collar.
    ///
    /// # Errors
    /// The first difference.
    pub fn step(&mut self) -> Result<(), Problem> {
        while self.twins[0].stops.armed() < ARMED {
            self.arm()?;
        }
        let packets = 1 + usize::from(self.random.random_bool(0.2));
        for _ in 0..packets {
            let messages: Vec<Message> = (0..self.random.random_range(1..=6))
                .map(|_| self.message())
                .collect();
            if self.random.random_bool(0.1) {
                self.packet(&messages, true)?;
            }
            self.packet(&messages, false)?;
        }
        self.testbench.settle()?;
        let [_, inputs] = self.testbench.inputs();
        for input in &inputs {
            match input {
                Input::Trade(event) if matches!(event.message_type, b'E' | b'C') => {
                    self.compared.executions += 1;
                }
                Input::Trade(_) => self.compared.messages += 1,
                Input::Gap => {}
            }
        }
        self.compare(Step {
            sources: [Vec::new(), inputs],
            operation: None,
        })?;
        self.order()
    }

    /// What was compared so far.
    pub const fn compared(&self) -> &Traded {
        &self.compared
    }

    // ---- the market ------------------------------------------------------------------------------

    fn near(&mut self, price: u32) -> u32 {
        price - 3 * TICK + self.random.random_range(0..=6) * TICK
    }

    /// A message of an order, or a trade. Prices wander around the middle of the window.
    fn message(&mut self) -> Message {
        let instrument = self.random.random_range(0..INSTRUMENTS);
        let price = self.near(PRICE);
        let id = self.next_id;
        let side = match self.random.random_bool(0.5) {
            true => Side::Buy,
            false => Side::Sell,
        };
        let kind = self.random.random_range(0..100);
        if kind < 8 {
            // One that is not ours, too.
            let instrument = self.random.random_range(0..=INSTRUMENTS);
            return Trade {
                head: head(instrument),
                order_reference: 0,
                side,
                shares: 1,
                stock: symbol(instrument),
                price,
                match_number: 0,
            }
            .into();
        }
        if kind < 12 {
            return CrossTrade {
                head: head(instrument),
                shares: 1,
                stock: symbol(instrument),
                cross_price: price,
                match_number: 0,
                cross_type: b'O',
            }
            .into();
        }
        let place = self.random.random_range(0..self.live.len().max(1));
        let Some(order) = self.live.get(place).copied().filter(|_| kind >= 40) else {
            self.next_id += 1;
            let shares = self.random.random_range(1..=300);
            self.live.push(Live {
                id,
                instrument,
                price,
                shares,
            });
            return AddOrder {
                head: head(instrument),
                order_reference: id,
                side,
                shares,
                stock: symbol(instrument),
                price,
            }
            .into();
        };
        let part = self.random.random_range(1..=order.shares);
        let order_reference = match self.random.random_bool(0.05) {
            // Nobody's.
            true => order.id + (1 << 40),
            false => order.id,
        };
        let is_left = order_reference == order.id;
        let whose = if is_left {
            order.instrument
        } else {
            INSTRUMENTS
        };
        let head = head(whose);
        let mut take = |shares: u32| {
            if is_left {
                self.live[place].shares -= shares;
                if self.live[place].shares == 0 {
                    self.live.swap_remove(place);
                }
            }
        };
        match kind {
            40..65 => {
                take(part);
                OrderExecuted {
                    head,
                    order_reference,
                    executed_shares: part,
                    match_number: 0,
                }
                .into()
            }
            65..80 => {
                take(part);
                let execution_price = match self.random.random_bool(0.2) {
                    // 0: the order's own.
                    true => 0,
                    false => self.near(order.price),
                };
                OrderExecutedWithPrice {
                    head,
                    order_reference,
                    executed_shares: part,
                    match_number: 0,
                    printable: *b"YN".choose(&mut self.random).unwrap_or(&b'Y'),
                    execution_price,
                }
                .into()
            }
            80..86 => {
                take(part);
                OrderCancel {
                    head,
                    order_reference,
                    cancelled_shares: part,
                }
                .into()
            }
            86..92 => {
                take(order.shares);
                OrderDelete {
                    head,
                    order_reference,
                }
                .into()
            }
            _ => {
                take(order.shares);
                self.next_id += 1;
                if is_left {
                    let instrument = order.instrument;
                    let shares = part;
                    self.live.push(Live {
                        id,
                        instrument,
                        price,
                        shares,
                    });
                }
                OrderReplace {
                    head,
                    order_reference,
                    new_order_reference: id,
                    shares: part,
                    price,
                }
                .into()
            }
        }
    }

    /// A packet of these; `damaged`: its FCS is wrong.
    fn packet(&mut self, messages: &[Message], damaged: bool) -> Result<(), Problem> {
        let mut packet = mold::Builder::new(SESSION, self.sequence);
        let mut bytes = Vec::new();
        for message in messages {
            bytes.clear();
            let emitted = message.emit(self.version, &mut bytes);
            emitted.map_err(|error| Problem::Testbench(error.to_string()))?;
            let pushed = packet.push(&bytes);
            pushed.map_err(|error| Problem::Testbench(error.to_string()))?;
        }
        let gap = match self.random.random_bool(0.5) {
            true => MINIMUM_GAP,
            false => PAUSE,
        };
        self.testbench.send_datagram(packet.bytes(), gap, |frame| {
            if damaged && let Some(last) = frame.len().checked_sub(fcs::LENGTH) {
                frame[last] ^= 1;
            }
        });
        if !damaged {
            self.sequence += messages.len() as u64;
        }
        Ok(())
    }

    // ---- the host --------------------------------------------------------------------------------

    fn order_of(&mut self, instrument: u8, price: Option<i64>) -> Order {
        self.client_id += 1;
        Order {
            side: *[Side::Buy, Side::Sell]
                .choose(&mut self.random)
                .unwrap_or(&Side::Buy),
            instrument,
            price,
            quantity: self.random.random_range(1..=100),
            client_id: self.client_id,
            ..Order::default()
        }
    }

    /// A stop that a trade near the middle of the window reaches, in a slot that takes one.
    fn arm(&mut self) -> Result<(), Problem> {
        let free: Vec<usize> = (0..self.twins[0].stops.most())
            .filter(|slot| {
                let state = self.twins[0].stops.state(*slot);
                matches!(state, State::Empty | State::Fired)
            })
            .collect();
        let slot = *free.choose(&mut self.random).unwrap_or(&0);
        let instrument = self.random.random_range(0..INSTRUMENTS) as u8;
        let trigger = i64::from(self.near(PRICE));
        let price = self.random.random_bool(0.5).then_some(trigger);
        let order = self.order_of(instrument, price);
        let stop = Stop {
            side: order.side,
            instrument,
            trigger,
            price,
            quantity: order.quantity,
            client_id: order.client_id,
        };
        self.orders.insert(order.client_id, request_of(&stop).order);
        let answer = self
            .testbench
            .driver
            .operate_stop(Operation::Set, slot, &stop)?;
        self.testbench.settle()?;
        self.compare(Step {
            operation: Some(HostOperation::Stop {
                operation: Operation::Set,
                slot,
                stop,
                answer,
            }),
            ..Step::default()
        })
    }

    /// An order of the host at the edge of the collar around the last price that software knows, or just beyond it.
    fn order(&mut self) -> Result<(), Problem> {
        let instrument = self.random.random_range(0..INSTRUMENTS) as u8;
        let last = self.twins[0].risk.last(instrument);
        let away = COLLAR as i64 + self.random.random_range(0..=1);
        let away = if self.random.random_bool(0.5) {
            away
        } else {
            -away
        };
        let order = self.order_of(instrument, Some(last.unwrap_or(PRICE.into()) + away));
        self.orders.insert(order.client_id, order);
        let request = Request {
            by_host: true,
            ..Request::new(order)
        };
        let answer = self
            .testbench
            .driver
            .send_order(&order, request.reference)?;
        self.testbench.settle()?;
        self.compare(Step {
            operation: Some(HostOperation::Order { request, answer }),
            ..Step::default()
        })
    }

    // ---- the comparison --------------------------------------------------------------------------

    /// The reports of a step must be those of the twin, and the messages those of the orders that left.
    fn compare(&mut self, step: Step) -> Result<(), Problem> {
        let mut observed = Observed::default();
        let mut sent = HashMap::new();
        for report in std::mem::take(&mut self.testbench.reports) {
            let wrong = || Problem::Report(format!("{report:?}"));
            let client_id = report.client_id;
            let order = self.orders.remove(&client_id).ok_or_else(wrong)?;
            match report.what {
                0 => {
                    let number = Number::from_digits(report.number).map_err(|_| wrong())?;
                    sent.insert(number.get(), (order, report.time_ns));
                    let dropped = None;
                    observed.passed.push(PassedOrder { client_id, dropped });
                }
                2 => {
                    let reason = Refusal::from_bits(report.reason.into()).ok_or_else(wrong)?;
                    observed.refused.push((client_id, reason));
                }
                _ => return Err(wrong()),
            }
        }
        let follow = Follow {
            templates: &self.testbench.templates,
            step: &step,
            observed: &observed,
            cycle: self.testbench.driver.registers().cycle(),
        };
        let ends = follow.all(&self.twins);
        if ends.is_empty() {
            return Err(Problem::Orders {
                hardware: format!("{observed:?} after {step:?}"),
                software: follow.plain(&self.twins[0]).join(", "),
            });
        }
        self.twins = ends;
        self.compared.refused += observed.refused.len() as u64;
        while !sent.is_empty() {
            let (found, hardware) = self.testbench.message()?;
            let due = self.next_number;
            let order = sent.remove(&due).filter(|_| found == due);
            let (order, taken_ns) = order.ok_or(Problem::Number { found, due })?;
            let (number, time) = self.testbench.sent(due, taken_ns)?;
            same_message(
                &hardware,
                self.testbench.templates.message(&order, number, time),
            )?;
            self.next_number += 1;
            self.compared.sent += 1;
        }
        Ok(())
    }
}
