//! The session of a core on a TAP interface: connect, log on, arm stops, tell what became of orders; again whenever it is lost.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::mpsc::Receiver;
use std::time::Duration;

use cosim::{Core, SetupError, Width};
use device::shared_session::{Event, Origin, Outcome, SharedSession};
use device::{BestPrice, Driver, TcpConfig};
use formats::fix::Timestamp;
use formats::{Side, Symbol};
use live::desk::session::{Orders, Session};
use order::{Kind, Number, Order};
use risk::Kill;
use serde::Serialize;
use session::Store;
use strategy::stops::{Operation, Stop, turn};

use super::mirror::Mirror;
use super::typed::{Instruments, Typed};
use super::{CommandError, Failure};
use crate::commands::rebuild::Progress;
use crate::commands::restart::{self, RestartOptions};
use crate::commands::run::not_resent;
use crate::console::Console;
use crate::error::Error;

/// Until a lost connection is made again.
const RETRY: u64 = 1_000_000_000;
/// How long a Logout may take at the end.
const PATIENCE: u64 = 5_000_000_000;
/// Steps between two looks at the books: a look takes cycles of the core.
const LOOK: u32 = 64;
/// Cycles in which an order that was given has left.
const LEAVING: u64 = 1_000;

/// A line of what happened.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Notice<'a> {
    Connected,
    LoggedOn {
        next_outgoing: u64,
    },
    Order {
        /// A stop's.
        #[serde(skip_serializing_if = "Option::is_none")]
        slot: Option<usize>,
        /// The strategy's.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        strategy: bool,
        kind: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        original: Option<u64>,
        outcome: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        number: Option<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        symbol: &'a str,
        side: &'static str,
        quantity: u32,
    },
    NotSent {
        reason: String,
    },
    LineRefused {
        line: String,
        reason: String,
    },
    StopRefused {
        slot: usize,
        reason: String,
    },
    /// The book of an instrument can be relied on from now on, or not any more.
    Book {
        symbol: &'a str,
        tradable: bool,
    },
    /// The exchange asked for an order that is too old to be sent again.
    NotResent {
        number: u64,
        seconds: u64,
    },
    /// The core's clock was behind, and is set.
    ClockSet {
        behind_s: f64,
    },
    /// The feed sends lower numbers than before, and no others.
    Anew,
    Disconnected {
        reason: String,
    },
}

impl fmt::Display for Notice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Notice::Connected => write!(f, "connected"),
            Notice::LoggedOn { next_outgoing } => {
                write!(f, "logged on, next MsgSeqNum {next_outgoing}")
            }
            Notice::Order {
                slot,
                strategy,
                kind,
                original,
                outcome,
                number,
                reason,
                symbol,
                side,
                quantity,
            } => {
                match (slot, original) {
                    _ if *strategy => write!(f, "strategy: ")?,
                    (Some(slot), _) => write!(f, "stop {slot}: ")?,
                    (None, Some(original)) => write!(f, "{kind} {original}: ")?,
                    (None, None) => write!(f, "by hand: ")?,
                }
                write!(f, "{side} {quantity} {symbol} {outcome}")?;
                if let Some(number) = number {
                    write!(f, " as {number}")?;
                }
                reason.iter().try_for_each(|reason| write!(f, ": {reason}"))
            }
            Notice::NotSent { reason } => write!(f, "a session message did not leave: {reason}"),
            Notice::LineRefused { line, reason } => write!(f, "{line:?}: {reason}"),
            Notice::StopRefused { slot, reason } => write!(f, "stop {slot} refused: {reason}"),
            Notice::Book {
                symbol,
                tradable: true,
            } => write!(f, "{symbol} is tradable"),
            Notice::Book { symbol, .. } => write!(
                f,
                "{symbol} is not tradable: its book is not complete, or an event did not fit it"
            ),
            Notice::NotResent { number, seconds } => {
                write!(f, "{}", not_resent(*number, *seconds))
            }
            Notice::ClockSet { behind_s } => write!(
                f,
                "the core's clock was {behind_s:.1} s behind, and is set: this machine simulates too slowly"
            ),
            Notice::Anew => write!(f, "the feed has begun anew"),
            Notice::Disconnected { reason } => write!(f, "disconnected: {reason}"),
        }
    }
}

/// The end of a session.
#[derive(Serialize)]
#[serde(tag = "type", rename = "session")]
struct Summary {
    orders_sent: u64,
    orders_refused: u64,
    orders_dropped: u64,
    next_outgoing: u64,
    next_incoming: u64,
    counters: HashMap<&'static str, u32>,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} orders sent, {} refused by risk, {} dropped; next MsgSeqNum {}, expected {}",
            self.orders_sent,
            self.orders_refused,
            self.orders_dropped,
            self.next_outgoing,
            self.next_incoming
        )?;
        let mut counted: Vec<_> = self.counters.iter().filter(|(_, n)| **n > 0).collect();
        counted.sort();
        counted
            .iter()
            .try_for_each(|(name, value)| write!(f, "\n  {name:<24} {value:>12}"))
    }
}

/// A session on the simulated core.
pub(super) struct Trading {
    shared_session: SharedSession<Box<dyn Store>>,
    tcp: TcpConfig,
    console: Console,
    instruments: Instruments,
    /// Orders by hand.
    lines: Option<Receiver<String>>,
    /// Stops that are not armed yet.
    waiting: VecDeque<Stop>,
    /// Slots for them.
    free: BTreeSet<usize>,
    /// When to connect again.
    retry: Timestamp,
    /// Since when the end is waited for.
    ending: Option<Timestamp>,
    sent: u64,
    refused: u64,
    dropped: u64,
    /// The instrument of the strategy, and whether its book was tradable at the last look.
    book: Option<(u8, bool)>,
    /// Steps until the next look.
    until_look: u32,
}

fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

fn core_error(error: device::Error<cosim::AxiError>) -> Error {
    SetupError::from(error).into()
}

impl Trading {
    /// Tells the core its limits, and arms as many stops as there are slots.
    pub fn new(
        session: &Session,
        strategy: Option<&cosim::orders::Desk>,
        core: &mut Driver<Core>,
        symbols: &[Option<Symbol>],
        width: Width,
        (lines, options): (Option<Receiver<String>>, &RestartOptions),
        console: Console,
    ) -> Result<Self, Error> {
        session.fits_core().map_err(live::Error::Session)?;
        let orders = session.orders(symbols, width.cycle_picoseconds());
        let orders = orders.map_err(live::Error::Session)?;
        let instruments = Instruments::of(session, symbols);
        let (store, account) = restart::open(session, instruments.symbols(), options, console)?;
        set_limits(core, &orders).map_err(core_error)?;
        let port = session
            .local_port
            .unwrap_or(49_152 + (random() % 16_384) as u16);
        let peer = session.peer;
        let mut tcp = TcpConfig::new(*peer.ip(), peer.port(), port, random() as u32);
        tcp.next_hop = session.next_hop.unwrap_or(*peer.ip());
        tcp.keep_alive = Duration::from_secs(10);
        if let Some(milliseconds) = session.rto_minimum_ms {
            tcp.rto_minimum = Duration::from_millis(milliseconds.get().into());
        }
        tcp.retries = session.tcp_retries.unwrap_or(tcp.retries);
        // The port changes with every connection, unless the desk fixes it.
        tcp.time_wait = Duration::from_secs(1);
        if core.stops() == 0 && !orders.stops.is_empty() {
            return Err(Error::NoStops);
        }
        let mut trading = Trading {
            shared_session: SharedSession::new(
                session.config(),
                store,
                orders.templates,
                &session.client_order_id_prefix,
                &orders.limits,
                width.cycle_picoseconds(),
            ),
            tcp,
            console,
            instruments,
            lines,
            waiting: orders.stops.into(),
            free: (0..core.stops()).collect(),
            retry: Timestamp::default(),
            ending: None,
            sent: 0,
            refused: 0,
            dropped: 0,
            book: None,
            until_look: 0,
        };
        trading
            .shared_session
            .restore(core, account)
            .map_err(core_error)?;
        // Prices are read by the layout of the messages: that is loaded before the texts.
        trading
            .shared_session
            .load_templates(core)
            .map_err(core_error)?;
        for _ in 0..core.stops() {
            trading.arm(core)?;
        }
        if let Some(desk) = strategy {
            trading.set_strategy(core, desk)?;
        }
        Ok(trading)
    }

    /// The books are complete from the feed's first message on; then the strategy may begin.
    fn set_strategy(
        &mut self,
        core: &mut Driver<Core>,
        desk: &cosim::orders::Desk,
    ) -> Result<(), Error> {
        for (index, instrument) in (0_u8..).zip(&desk.instruments) {
            let Some(window) = &instrument.window else {
                continue;
            };
            let set = core.set_book_window(index, window).map_err(core_error)?
                && core.set_book_tradable(index, 1).map_err(core_error)?;
            if !set {
                return Err(
                    live::Error::Session("the core does not set its books up".into()).into(),
                );
            }
        }
        let strategy = &desk.strategy;
        let instrument = strategy.parameters.instrument as u8;
        let set = self.shared_session.set_best_price(
            core,
            &BestPrice {
                enabled: strategy.parameters.enabled,
                single: strategy.parameters.single,
                instrument,
                side: strategy.parameters.side,
                quantity: strategy.quantity,
                client_id: 0,
            },
        )?;
        set.map_err(|refused| live::Error::Session(refused.to_string()))?;
        self.book = Some((instrument, true));
        Ok(())
    }

    /// What turns the core's kill switch on; the host's is on while it is not known what is open and held.
    pub const fn kill(&self) -> Kill {
        self.shared_session.kill()
    }

    /// Says when the book of the strategy's instrument is tradable no more, or again.
    fn look_at_book(&mut self, core: &mut Driver<Core>) -> Result<(), Error> {
        self.until_look = self.until_look.checked_sub(1).unwrap_or(LOOK);
        let Some((instrument, before)) = self.book.filter(|_| self.until_look == LOOK) else {
            return Ok(());
        };
        let tradable = core.tradable_books().map_err(core_error)? >> instrument & 1 != 0;
        self.book = Some((instrument, tradable));
        if tradable == before {
            return Ok(());
        }
        self.console.print(&Notice::Book {
            symbol: self.instruments.symbol(instrument),
            tradable,
        })
    }

    /// The feed in FAST has begun anew, with lower numbers: the core's decoder forgets the one that it expects. Its next packet is the first of a session then,
    /// whose books cannot be relied on until they are rebuilt. `resets`: each packet begins with empty dictionaries.
    pub fn begin_anew(&mut self, core: &mut Driver<Core>, resets: bool) -> Result<(), Error> {
        // It has its program already.
        let known = core.load_fast(0, [], resets).map_err(core_error)?;
        debug_assert!(known, "it was loaded before");
        self.console.print(&Notice::Anew)
    }

    /// The core's clock was so far behind that it was set: its orders' time follows.
    pub fn clock_set(
        &mut self,
        core: &mut Driver<Core>,
        behind: Duration,
        now: Timestamp,
    ) -> Result<(), Error> {
        if !self.shared_session.is_idle() {
            self.shared_session.load_time(core, now)?;
        }
        let behind_s = behind.as_secs_f64();
        self.console.print(&Notice::ClockSet { behind_s })
    }

    /// Lets the host's own book be rebuilt, and be written into the core where that needs it.
    fn rebuild(&mut self, core: &mut Driver<Core>, mirror: &mut Mirror) -> Result<(), Error> {
        let tradable = self.book.is_none_or(|(_, tradable)| tradable);
        let mut told = vec![];
        let polled = mirror.poll(core, tradable, &mut |progress| told.push(progress));
        polled.map_err(core_error)?;
        let changed = |progress: &Progress| {
            matches!(
                progress,
                Progress::Rebuilt { .. } | Progress::Restored { .. }
            )
        };
        if told.iter().any(changed) {
            // The next step looks at it.
            self.until_look = 0;
        }
        told.iter()
            .try_for_each(|progress| self.console.print(progress))
    }

    /// Does what is due; `false` once it has ended. `end` asks for that.
    pub fn step(
        &mut self,
        core: &mut Driver<Core>,
        now: Timestamp,
        end: bool,
        mirror: Option<&mut Mirror>,
    ) -> Result<bool, Failure> {
        if end {
            self.end(core, now).map_err(CommandError)?;
        }
        if self.shared_session.is_idle() {
            if self.ending.is_some() {
                return Ok(false);
            }
            if now >= self.retry {
                self.retry = Timestamp(now.0 + RETRY);
                self.shared_session
                    .connect(core, &self.tcp, now)
                    .map_err(CommandError)?;
                self.tcp.secret = random() as u32;
            }
        }
        if self.ending.is_some_and(|since| now.0 > since.0 + PATIENCE) {
            core.abort().map_err(core_error).map_err(CommandError)?;
            return Ok(false);
        }
        while let Some(event) = self.shared_session.poll(core, now).map_err(CommandError)? {
            self.tell(&event).map_err(CommandError)?;
        }
        for old in self.shared_session.not_resent() {
            let (number, seconds) = (old.sequence, old.age.as_secs());
            self.console
                .print(&Notice::NotResent { number, seconds })
                .map_err(CommandError)?;
        }
        // One at a time: while a stop is armed the core hears nothing of its peer.
        self.arm(core).map_err(CommandError)?;
        self.look_at_book(core).map_err(CommandError)?;
        if let Some(mirror) = mirror {
            self.rebuild(core, mirror).map_err(CommandError)?;
        }
        self.hand(core, now)?;
        Ok(true)
    }

    fn tell(&mut self, event: &Event) -> Result<(), Error> {
        let happened = match event {
            Event::Connected => Notice::Connected,
            Event::LoggedOn => Notice::LoggedOn {
                next_outgoing: self.shared_session.session().store().next_outgoing(),
            },
            Event::Message { .. } => return Ok(()),
            Event::Order {
                origin,
                order,
                outcome,
            } => {
                if let Some(Origin::Stop(slot)) = origin {
                    self.free.insert(*slot);
                }
                return self.tell_order(*origin, order.as_ref(), outcome);
            }
            Event::NotSent(error) => Notice::NotSent {
                reason: error.to_string(),
            },
            Event::Disconnected(cause) => Notice::Disconnected {
                reason: cause.map_or("TCP ended".to_owned(), |cause| cause.to_string()),
            },
        };
        self.console.print(&happened)
    }

    fn tell_order(
        &mut self,
        origin: Option<Origin>,
        order: Option<&Order>,
        outcome: &Outcome,
    ) -> Result<(), Error> {
        let unknown = || Some("unknown".to_owned());
        let (outcome, number, reason) = match outcome {
            Outcome::Sent { number, .. } => {
                self.sent += 1;
                ("sent", Some(number.get()), None)
            }
            Outcome::Refused(reason) => {
                self.refused += 1;
                (
                    "refused",
                    None,
                    reason.map(|r| r.to_string()).or_else(unknown),
                )
            }
            Outcome::Dropped(reason) => {
                self.dropped += 1;
                (
                    "dropped",
                    None,
                    reason.map(|r| r.to_string()).or_else(unknown),
                )
            }
        };
        let order = order.copied().unwrap_or_default();
        let kind = match order.kind {
            Kind::New => "new",
            Kind::Cancel(_) => "cancel",
            Kind::Replace(_) => "replace",
        };
        let slot = match origin {
            Some(Origin::Stop(slot)) => Some(slot),
            _ => None,
        };
        self.console.print(&Notice::Order {
            slot,
            strategy: origin == Some(Origin::Strategy),
            kind,
            original: order.original().map(Number::get),
            outcome,
            number,
            reason,
            symbol: self.instruments.symbol(order.instrument),
            side: match order.side {
                Side::Buy => "buy",
                Side::Sell => "sell",
            },
            quantity: order.quantity,
        })
    }

    /// Gives the core the order of the next line, if there is one.
    fn hand(&mut self, core: &mut Driver<Core>, now: Timestamp) -> Result<(), Failure> {
        let line = self.lines.as_ref().and_then(|lines| lines.try_recv().ok());
        let Some(line) = line.filter(|line| !line.trim().is_empty()) else {
            return Ok(());
        };
        let open = |number| self.shared_session.open_order(number).copied();
        let reason = match self.instruments.typed(&line, open) {
            Err(reason) => reason,
            Ok(Typed::Quit) => {
                self.end(core, now).map_err(CommandError)?;
                return Ok(());
            }
            // Its price is its limit: there are no market orders here.
            Ok(Typed::Order(order)) => {
                match self
                    .shared_session
                    .send_order(core, &order, 0)
                    .map_err(CommandError)?
                {
                    Ok(()) => {
                        // It leaves before the core's clock is moved.
                        core.registers().run(LEAVING);
                        return Ok(());
                    }
                    Err(refused) => refused.to_string(),
                }
            }
        };
        let refused = Notice::LineRefused { line, reason };
        self.console.print(&refused).map_err(CommandError)?;
        Ok(())
    }

    /// Begins to log out.
    fn end(
        &mut self,
        core: &mut Driver<Core>,
        now: Timestamp,
    ) -> Result<(), device::shared_session::Error<cosim::AxiError>> {
        if self.ending.is_none() {
            self.ending = Some(now);
            self.shared_session.log_out(core, now)?;
        }
        Ok(())
    }

    /// Arms the next stop that waits, if a slot is free.
    fn arm(&mut self, core: &mut Driver<Core>) -> Result<(), Error> {
        let Some(stop) = self.waiting.front().copied() else {
            return Ok(());
        };
        // The one that is compared first.
        let quarter = core.quarter_of_stops();
        let turn = |slot: &usize| turn(*slot, stop.instrument.into(), quarter);
        let Some(slot) = self.free.iter().copied().min_by_key(turn) else {
            return Ok(());
        };
        self.free.remove(&slot);
        self.waiting.pop_front();
        let set = self
            .shared_session
            .operate_stop(core, Operation::Set, slot, &stop)?;
        if let Err(refused) = set {
            let reason = refused.to_string();
            self.console.print(&Notice::StopRefused { slot, reason })?;
        }
        Ok(())
    }

    /// What it came to.
    pub fn print_summary(&self, core: &mut Driver<Core>) -> Result<(), Error> {
        let counters = core.order_counters().map_err(core_error)?;
        let store = self.shared_session.session().store();
        self.console.print(&Summary {
            orders_sent: self.sent,
            orders_refused: self.refused,
            orders_dropped: self.dropped,
            next_outgoing: store.next_outgoing(),
            next_incoming: store.next_incoming(),
            counters: counters.into_iter().collect(),
        })
    }
}

/// Limits and instruments.
fn set_limits(
    core: &mut Driver<Core>,
    orders: &Orders,
) -> Result<(), device::Error<cosim::AxiError>> {
    core.set_limits(&orders.limits)?;
    core.set_stale_limits(orders.stale_limit, orders.stale_limit)?;
    for (index, limits, instrument) in &orders.instruments {
        core.set_instrument_limits((*index).into(), limits)?;
        core.set_instrument((*index).into(), instrument)?;
    }
    Ok(())
}
