//! The session of a core on a TAP interface: connect, log on, arm stops, tell what became of orders; again whenever it is lost.

use std::collections::{BTreeSet, VecDeque};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::mpsc::Receiver;
use std::time::Duration;

use cosim::{Core, Width};
use device::shared_session::{Event, Origin, Outcome, SharedSession};
use device::{BestPrice, Driver, TcpConfig};
use formats::Symbol;
use formats::fix::Timestamp;
use order::Order;
use risk::Kill;
use session::Store;
use strategy::stops::{Operation, Stop, turn};

use super::mirror::Mirror;
use super::typed::{Instruments, Typed};
use crate::desk::session::{Orders, Session};
use crate::notice::{OrderNotice, OrderOrigin, OrderOutcome, SessionSummary};
use crate::restart::{self, Positions};
use crate::{Error, Monitor, Notice};

/// Until a lost connection is made again.
const RETRY: u64 = 1_000_000_000;
/// How long a Logout may take at the end.
const PATIENCE: u64 = 5_000_000_000;
/// Steps between two looks at the books: a look takes cycles of the core.
const LOOK: u32 = 64;
/// Cycles in which an order that was given has left.
const LEAVING: u64 = 1_000;

/// A session on the simulated core.
pub(super) struct Trading {
    shared_session: SharedSession<Box<dyn Store>>,
    tcp: TcpConfig,
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
    happened: Vec<Notice>,
    summary: SessionSummary,
    /// The instrument of the strategy, and whether its book was tradable at the last look.
    book: Option<(u8, bool)>,
    /// Steps until the next look.
    until_look: u32,
}

fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

impl Trading {
    /// Tells the core its limits, and arms as many stops as there are slots.
    pub fn new(
        session: &Session,
        strategy: Option<&cosim::orders::Desk>,
        core: &mut Driver<Core>,
        symbols: &[Option<Symbol>],
        width: Width,
        (lines, confirmed): (Option<Receiver<String>>, Option<&Positions>),
        monitor: &dyn Monitor,
    ) -> Result<Self, Error> {
        session.fits_core().map_err(Error::Session)?;
        let orders = session.orders(symbols, width.cycle_picoseconds());
        let orders = orders.map_err(Error::Session)?;
        let instruments = Instruments::of(session, symbols);
        let (store, account) = restart::open(session, instruments.symbols(), confirmed, monitor)?;
        set_limits(core, &orders)?;
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
            instruments,
            lines,
            waiting: orders.stops.into(),
            free: (0..core.stops()).collect(),
            retry: Timestamp::default(),
            ending: None,
            happened: vec![],
            summary: SessionSummary::default(),
            book: None,
            until_look: 0,
        };
        trading.shared_session.restore(core, account)?;
        // Prices are read by the layout of the messages: that is loaded before the texts.
        trading.shared_session.load_templates(core)?;
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
            let set = core.set_book_window(index, window)? && core.set_book_tradable(index, 1)?;
            if !set {
                return Err(Error::Session("the core does not set its books up".into()));
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
        set.map_err(|refused| Error::Session(refused.to_string()))?;
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
        let tradable = core.tradable_books()? >> instrument & 1 != 0;
        self.book = Some((instrument, tradable));
        if tradable == before {
            return Ok(());
        }
        self.happened.push(Notice::Book {
            symbol: self.instruments.symbol(instrument).to_owned(),
            tradable,
            reason: None,
        });
        Ok(())
    }

    /// The feed in FAST has begun anew, with lower numbers: the core's decoder forgets the one that it expects. Its next packet is the first of a session then,
    /// whose books cannot be relied on until they are rebuilt. `resets`: each packet begins with empty dictionaries.
    pub fn begin_anew(&mut self, core: &mut Driver<Core>, resets: bool) -> Result<(), Error> {
        // It has its program already.
        let known = core.load_fast(0, [], resets)?;
        debug_assert!(known, "it was loaded before");
        self.happened.push(Notice::SequenceReset);
        Ok(())
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
        self.happened.push(Notice::ClockSet { behind_s });
        Ok(())
    }

    /// Lets the host's own book be rebuilt, and be written into the core where that needs it.
    fn rebuild(&mut self, core: &mut Driver<Core>, mirror: &mut Mirror) -> Result<(), Error> {
        let tradable = self.book.is_none_or(|(_, tradable)| tradable);
        let (happened, until_look) = (&mut self.happened, &mut self.until_look);
        mirror.poll(core, tradable, &mut |notice| {
            if let Notice::Rebuilt { .. } | Notice::BookRestored { .. } = notice {
                // The next step looks at it.
                *until_look = 0;
            }
            happened.push(notice);
        })?;
        Ok(())
    }

    /// Does what is due; `false` once it has ended. `end` asks for that.
    pub fn step(
        &mut self,
        core: &mut Driver<Core>,
        now: Timestamp,
        end: bool,
        mirror: Option<&mut Mirror>,
    ) -> Result<bool, Error> {
        if end {
            self.end(core, now)?;
        }
        if self.shared_session.is_idle() {
            if self.ending.is_some() {
                return Ok(false);
            }
            if now >= self.retry {
                self.retry = Timestamp(now.0 + RETRY);
                self.shared_session.connect(core, &self.tcp, now)?;
                self.tcp.secret = random() as u32;
            }
        }
        if self.ending.is_some_and(|since| now.0 > since.0 + PATIENCE) {
            core.abort()?;
            return Ok(false);
        }
        while let Some(event) = self.shared_session.poll(core, now)? {
            self.tell(&event);
        }
        let old = self.shared_session.not_resent();
        self.happened.extend(old.map(|old| Notice::NotResent {
            number: old.sequence,
            seconds: old.age.as_secs(),
        }));
        // One at a time: while a stop is armed the core hears nothing of its peer.
        self.arm(core)?;
        self.look_at_book(core)?;
        if let Some(mirror) = mirror {
            self.rebuild(core, mirror)?;
        }
        self.hand(core, now)?;
        Ok(true)
    }

    fn tell(&mut self, event: &Event) {
        let happened = match event {
            Event::Connected => Notice::Connected,
            Event::LoggedOn => Notice::LoggedOn {
                next_outgoing: self.shared_session.session().store().next_outgoing(),
            },
            Event::Message { .. } => return,
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
        self.happened.push(happened);
    }

    fn tell_order(&mut self, origin: Option<Origin>, order: Option<&Order>, outcome: &Outcome) {
        let text = |reason: Option<String>| reason.unwrap_or_else(|| "unknown".to_owned());
        let summary = &mut self.summary;
        let (count, outcome) = match outcome {
            Outcome::Sent { number, .. } => (&mut summary.orders_sent, OrderOutcome::Sent(*number)),
            Outcome::Refused(reason) => (
                &mut summary.orders_refused,
                OrderOutcome::Refused(text(reason.map(|reason| reason.to_string()))),
            ),
            Outcome::Dropped(reason) => (
                &mut summary.orders_dropped,
                OrderOutcome::Dropped(text(reason.map(|reason| reason.to_string()))),
            ),
        };
        *count += 1;
        let order = order.copied().unwrap_or_default();
        let symbol = self.instruments.symbol(order.instrument).to_owned();
        let origin = OrderOrigin::Core {
            slot: match origin {
                Some(Origin::Stop(slot)) => Some(slot),
                _ => None,
            },
            strategy: origin == Some(Origin::Strategy),
        };
        let notice = OrderNotice::new(origin, &order, symbol, outcome);
        self.happened.push(Notice::Order(notice));
    }

    /// Gives the core the order of the next line, if there is one.
    fn hand(&mut self, core: &mut Driver<Core>, now: Timestamp) -> Result<(), Error> {
        let line = self.lines.as_ref().and_then(|lines| lines.try_recv().ok());
        let Some(line) = line.filter(|line| !line.trim().is_empty()) else {
            return Ok(());
        };
        let open = |number| self.shared_session.open_order(number).copied();
        let reason = match self.instruments.typed(&line, open) {
            Err(reason) => reason,
            Ok(Typed::Quit) => {
                return Ok(self.end(core, now)?);
            }
            // Its price is its limit: there are no market orders here.
            Ok(Typed::Order(order)) => {
                match self.shared_session.send_order(core, &order, 0)? {
                    Ok(()) => {
                        // It leaves before the core's clock is moved.
                        core.registers().run(LEAVING);
                        return Ok(());
                    }
                    Err(refused) => refused.to_string(),
                }
            }
        };
        self.happened.push(Notice::LineRefused { line, reason });
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
            self.happened.push(Notice::StopRefused { slot, reason });
        }
        Ok(())
    }

    /// What happened and is not reported yet.
    pub fn happened(&mut self) -> impl Iterator<Item = Notice> + '_ {
        self.happened.drain(..)
    }

    /// What it came to.
    pub fn summary(&mut self, core: &mut Driver<Core>) -> Result<SessionSummary, Error> {
        let store = self.shared_session.session().store();
        Ok(SessionSummary {
            next_outgoing: store.next_outgoing(),
            next_incoming: store.next_incoming(),
            counters: Some(core.order_counters()?.into_iter().collect()),
            ..std::mem::take(&mut self.summary)
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
