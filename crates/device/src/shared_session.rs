//! A FIX session that host and hardware share: the host logs on, sends heartbeats and answers; the hardware sends orders in the same session and
//! owns its numbers.
//!
//! ```text
//!  peer ─ TCP ─ session bytes ─ Session ─ messages ─ numbered by the hardware ─ TCP ─ peer
//!                    orders ─ reports ─ rendered as they were sent ─ Store
//! ```
//! What the session writes is given to the hardware message by message: a new one without its number, which the hardware fills in and
//! reports; one that is sent again unchanged. The host writes what the hardware sent by itself again, byte for byte, and stores it, so that the
//! peer can ask for it. The store is ahead of the hardware's numbers ([`Ahead`]): no number is used twice, even if the host dies before it
//! learns of it.

mod event;
mod numbers;
mod reports;
mod stops;
mod unnumbered;

use std::collections::VecDeque;

use formats::fix::{Frame, Message, Timestamp, frame};
use order::report::{Dropped, HostMessageError};
use order::{Number, Order, Templates, TextError};
use risk::{Adjustment, ExecutionReport, Kill, Limits, Refusal, WorkingOrder};
use session::{Cause, NotResent, Session, Store};
use strategy::stops::{Operation, Stop};

pub use event::{Error, Event, Origin, Outcome};
pub use numbers::Ahead;
pub use reports::{ExecutionDetails, execution_details, execution_report};
use stops::{Named, Stops};
pub use unnumbered::HostMessage;

use crate::account::Account;
use crate::book::{BestPrice, StrategyRefused};
use crate::driver::{self, Driver, Registers};
use crate::host_orders::OrderRefused;
use crate::orders::StopRefused;
use crate::streams::{RawReport, Streams};
use crate::tcp::{TcpConfig, TcpState};
use crate::utc_clock::UtcClock;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// No connection is wanted.
    Idle,
    Connecting,
    Connected,
    /// TCP is to end.
    Closing,
    /// TCP was broken off.
    Aborted,
}

/// A session, and the hardware it shares it with.
#[derive(Debug)]
pub struct SharedSession<S> {
    session: Session<Ahead<S>>,
    templates: Templates,
    prefix: Vec<u8>,
    clock: Option<UtcClock>,
    kill: Kill,
    state: State,
    /// Since when.
    since: Timestamp,
    stops: Stops,
    /// What is open and held, that of an earlier start included.
    account: Account,
    /// The same as far as the core knows it: what left since it began.
    in_core: Account,
    max_open_orders: u16,
    /// Open orders that the core does not know: it may open so many less.
    unknown_to_core: u32,
    /// The core corrects risk's exposures by the exchange's reports itself.
    core_corrects: bool,
    /// Messages that wait for the hardware; the first may be on its way.
    queue: VecDeque<HostMessage>,
    in_flight: bool,
    bytes: Vec<u8>,
    message: Vec<u8>,
    reports: Vec<RawReport>,
    events: VecDeque<Event>,
    date_asked: Timestamp,
    cycle_picoseconds: u64,
}

/// How often the date after the next midnight is checked.
const DATE_INTERVAL: u64 = 60_000_000_000;
/// How long a SYN may go without an answer, and TCP take to end, in nanoseconds.
const CONNECTING: u64 = 10_000_000_000;
const CLOSING: u64 = 5_000_000_000;
/// How far the store is ahead of the hardware's numbers: more orders than can leave while the host is busy.
pub const MARGIN: u64 = 10_000;

impl<S: Store> SharedSession<S> {
    /// A session of which the hardware sends a part with these templates. `prefix` is what ClOrdID begins with, `limits` those of all orders.
    pub fn new(
        config: session::Config,
        store: S,
        templates: Templates,
        prefix: &str,
        limits: &Limits,
        cycle_picoseconds: u64,
    ) -> Self {
        SharedSession {
            session: Session::new(config, Ahead::new(store, MARGIN)),
            templates,
            prefix: prefix.as_bytes().to_vec(),
            clock: None,
            kill: limits.kill,
            state: State::Idle,
            since: Timestamp::default(),
            stops: Stops::default(),
            account: Account::default(),
            in_core: Account::default(),
            max_open_orders: limits.max_open_orders,
            unknown_to_core: 0,
            core_corrects: false,
            queue: VecDeque::new(),
            in_flight: false,
            bytes: Vec::new(),
            message: Vec::new(),
            reports: Vec::new(),
            events: VecDeque::new(),
            date_asked: Timestamp::default(),
            cycle_picoseconds,
        }
    }

    /// The session.
    pub const fn session(&self) -> &Session<Ahead<S>> {
        &self.session
    }

    /// Whether a connection is wanted or there.
    pub fn is_idle(&self) -> bool {
        self.state == State::Idle
    }

    /// The message of the last [`Event::Message`].
    pub fn message(&self) -> Option<Message<'_>> {
        match frame(&self.message, usize::MAX / 2) {
            Frame::Message(message) => Some(message),
            _ => None,
        }
    }

    /// Orders sent whose end is not known.
    pub fn open_orders(&self) -> usize {
        self.account.ledger().working().len()
    }

    /// The order sent with this number, if its end is not known: as it is now, by what the peer said.
    pub fn open_order(&self, number: Number) -> Option<&WorkingOrder> {
        self.account.ledger().working().order(number)
    }

    /// What is open and held.
    pub const fn account(&self) -> &Account {
        &self.account
    }

    /// What turns the kill switch on.
    pub const fn kill(&self) -> Kill {
        self.kill
    }

    /// Gives the session what was open and held before, and the core's risk, whose limits are there: before the first connection. While that is
    /// not known ([`risk::Ledger::unsure`]) the host's kill switch is on.
    ///
    /// # Errors
    /// The core does not do what is asked.
    pub fn restore<R: Registers>(
        &mut self,
        core: &mut Driver<R>,
        account: Account,
    ) -> Result<(), driver::Error<R::Error>> {
        self.account = account;
        self.kill.host |= self.account.ledger().unsure().is_some();
        core.set_kill(self.kill)?;
        let exposures = self.account.ledger().exposures().take(core.instruments());
        for (instrument, (_, exposure)) in (0..).zip(exposures) {
            let (buy, sell) = (exposure.buys, exposure.sells);
            if (buy, sell) != (0, 0) {
                core.adjust(&Adjustment {
                    instrument,
                    buy,
                    sell,
                    closed: 0,
                })?;
            }
        }
        self.limit_open_orders(core)
    }

    /// Lets the core open as many orders as the limit leaves beside those that it does not know.
    fn limit_open_orders<R: Registers>(
        &mut self,
        core: &mut Driver<R>,
    ) -> Result<(), driver::Error<R::Error>> {
        let open = self.account.ledger().open_orders();
        let unknown = open.saturating_sub(self.in_core.ledger().open_orders());
        if unknown != self.unknown_to_core {
            self.unknown_to_core = unknown;
            let unknown = u16::try_from(unknown).unwrap_or(u16::MAX);
            core.set_max_open_orders(self.max_open_orders.saturating_sub(unknown))?;
        }
        Ok(())
    }

    /// Takes a report of the exchange, and corrects in the core's risk what the core does not.
    fn report<R: Registers>(
        &mut self,
        core: &mut Driver<R>,
        report: &ExecutionReport,
    ) -> Result<(), driver::Error<R::Error>> {
        let all = self.account.report(report).adjustment;
        let by_core = self.in_core.report(report).adjustment.unwrap_or_default();
        if let Some(all) = all {
            let done = match self.core_corrects {
                true => by_core,
                false => Adjustment::default(),
            };
            let rest = Adjustment {
                instrument: all.instrument,
                buy: all.buy - done.buy,
                sell: all.sell - done.sell,
                closed: by_core.closed.saturating_sub(done.closed),
            };
            let there = usize::from(rest.instrument) < core.instruments();
            if there && (rest.buy, rest.sell, rest.closed) != (0, 0, 0) {
                core.adjust(&rest)?;
            }
        }
        self.limit_open_orders(core)
    }

    /// Loads the templates, and what ClOrdID begins with: before the first stop is set, and before the first connection. The prices of fills that the core reads
    /// have the decimals of the first instrument.
    ///
    /// # Errors
    /// The core does not do what is asked.
    pub fn load_templates<R: Registers>(
        &mut self,
        core: &mut Driver<R>,
    ) -> Result<(), driver::Error<R::Error>> {
        core.load_templates(&self.templates)?;
        let decimals = self.templates.decimals(0).unwrap_or_default();
        self.core_corrects = core.load_prefix(&self.prefix, decimals)?;
        Ok(())
    }

    /// Whether the core corrects risk's exposures by the exchange's reports itself; if not, this does.
    pub const fn core_corrects(&self) -> bool {
        self.core_corrects
    }

    /// Begins to connect; [`Event::Connected`] and [`Event::LoggedOn`] follow.
    ///
    /// # Errors
    /// The core does not do what is asked.
    pub fn connect<R: Registers + Streams>(
        &mut self,
        core: &mut Driver<R>,
        tcp: &TcpConfig,
        now: Timestamp,
    ) -> Result<(), Error<R::Error>> {
        core.set_logged_on(false)?;
        core.set_tcp(tcp)?;
        self.load_time(core, now)?;
        // Messages left from the connection before go nowhere.
        self.bytes.clear();
        core.registers().session_bytes(&mut self.bytes);
        self.bytes.clear();
        core.connect()?;
        self.enter(State::Connecting, now);
        Ok(())
    }

    /// What the peer asked for again, and did not get, as it was too old: [`session::Config::resend_within`].
    pub fn not_resent(&mut self) -> impl Iterator<Item = NotResent> + '_ {
        self.session.not_resent()
    }

    /// Gives the core the time again: its clock was set.
    ///
    /// # Errors
    /// The core does not do what is asked.
    pub fn load_time<R: Registers>(
        &mut self,
        core: &mut Driver<R>,
        now: Timestamp,
    ) -> Result<(), Error<R::Error>> {
        let clock = UtcClock::new(now, core.time()?, self.cycle_picoseconds);
        let next = Timestamp((now.0 / MILLISECOND + 1) * MILLISECOND);
        core.load_utc(now, clock.core_ns(next))?;
        self.clock = Some(clock);
        self.date_asked = Timestamp::default();
        self.load_date(core, now)
    }

    /// Loads the day after the next midnight by the core's clock, if the core has none.
    fn load_date<R: Registers>(
        &mut self,
        core: &mut Driver<R>,
        now: Timestamp,
    ) -> Result<(), Error<R::Error>> {
        if now.0 < self.date_asked.0.saturating_add(DATE_INTERVAL) {
            return Ok(());
        }
        self.date_asked = now;
        if let Some(clock) = self.clock
            && !core.date_known()?
        {
            let today = clock.utc(core.time()?).0 / DAY;
            core.load_date(Timestamp((today + 1) * DAY))?;
        }
        Ok(())
    }

    /// Sets, changes or cancels a stop. Its `client_id` is given here.
    ///
    /// # Errors
    /// The core does not do what is asked. A refusal is in the inner result.
    pub fn operate_stop<R: Registers>(
        &mut self,
        core: &mut Driver<R>,
        operation: Operation,
        slot: usize,
        stop: &Stop,
    ) -> Result<Result<(), StopRefused>, Error<R::Error>> {
        let stop = self.stops.name_stop(slot, stop);
        let answer = core.operate_stop(operation, slot, &stop)?;
        match answer {
            Ok(()) => self.stops.done(operation, slot, &stop),
            Err(_) => self.stops.refused(stop.client_id),
        }
        Ok(answer)
    }

    /// Sets what the strategy does: see [`Driver::set_best_price`]. The `client_id` of its orders is given here. An order of it that the peer asks for
    /// again is gap-filled: its price was the core's alone.
    ///
    /// # Errors
    /// The core does not do what is asked. A refusal is in the inner result.
    pub fn set_best_price<R: Registers>(
        &mut self,
        core: &mut Driver<R>,
        strategy: &BestPrice,
    ) -> Result<Result<(), StrategyRefused>, Error<R::Error>> {
        self.stops.name_strategy(Order {
            side: strategy.side,
            instrument: strategy.instrument,
            quantity: strategy.quantity,
            client_id: stops::STRATEGY,
            ..Order::default()
        });
        Ok(core.set_best_price(&BestPrice {
            client_id: stops::STRATEGY,
            ..*strategy
        })?)
    }

    /// Sends an order of the host's own through risk: see [`Driver::send_order`]. Its `client_id` is given here; [`Event::Order`] follows.
    ///
    /// # Errors
    /// The core does not do what is asked. A refusal is in the inner result.
    pub fn send_order<R: Registers>(
        &mut self,
        core: &mut Driver<R>,
        order: &Order,
        reference: i64,
    ) -> Result<Result<(), OrderRefused>, Error<R::Error>> {
        let order = self.stops.name_order(order);
        let answer = core.send_order(&order, reference)?;
        if answer.is_err() {
            self.stops.refused(order.client_id);
        }
        Ok(answer)
    }

    /// Sends a Logout; [`Event::Disconnected`] follows.
    ///
    /// # Errors
    /// The core does not do what is asked.
    pub fn log_out<R: Registers>(
        &mut self,
        core: &mut Driver<R>,
        now: Timestamp,
    ) -> Result<(), Error<R::Error>> {
        core.set_logged_on(false)?;
        self.session.log_out(now, None);
        Ok(())
    }

    /// Does what is due, and returns what happened; call it until it returns nothing.
    ///
    /// # Errors
    /// The core does not do what is asked, or the store failed: nothing more of the session leaves.
    pub fn poll<R: Registers + Streams>(
        &mut self,
        core: &mut Driver<R>,
        now: Timestamp,
    ) -> Result<Option<Event>, Error<R::Error>> {
        if let Some(event) = self.events.pop_front() {
            return Ok(Some(event));
        }
        // Bytes are taken before the reports: when the peer asks for an order, its report is there.
        core.registers().session_bytes(&mut self.bytes);
        self.take_reports(core, now);
        self.take_answer(core)?;
        self.follow(core, now)?;
        if self.state != State::Idle {
            self.load_date(core, now)?;
        }
        if let Some(event) = self.events.pop_front() {
            return Ok(Some(event));
        }
        self.session.receive(&self.bytes);
        self.bytes.clear();
        let event = self.session.poll(now, &mut self.message);
        let event = match event {
            Some(event) => self.session_event(core, event, now)?,
            None => None,
        };
        self.write_messages(core)?;
        Ok(event)
    }

    /// What became of orders.
    fn take_reports<R: Registers + Streams>(&mut self, core: &mut Driver<R>, now: Timestamp) {
        let mut reports = std::mem::take(&mut self.reports);
        core.registers().reports(&mut reports);
        for report in reports.drain(..) {
            let named = self.stops.reported(report.client_id);
            let (order, origin) = (
                named.map(|named| named.order),
                named.map(|named| named.origin),
            );
            let outcome = match report.what {
                0 => match Number::from_digits(report.number) {
                    Ok(number) => {
                        self.keep(named, number, report.time_ns, now);
                        Outcome::Sent {
                            number,
                            taken_ns: report.time_ns,
                        }
                    }
                    Err(_) => continue,
                },
                1 => Outcome::Dropped(Dropped::from_bits(report.reason.into())),
                _ => Outcome::Refused(Refusal::from_bits(report.reason.into())),
            };
            self.events.push_back(Event::Order {
                origin,
                order,
                outcome,
            });
        }
        self.reports = reports;
    }

    /// Stores an order that the hardware sent. One that cannot be written again is gap-filled when the peer asks.
    fn keep(&mut self, named: Option<Named>, number: Number, taken_ns: u64, now: Timestamp) {
        self.session.store_mut().number_used(number.get());
        let (Some(Named { order, origin }), Some(clock)) = (named, self.clock) else {
            return;
        };
        self.account.sent(number, &order);
        self.in_core.sent(number, &order);
        if origin == Origin::Strategy {
            return;
        }
        let time = clock.sending_time(taken_ns);
        let written: Result<Vec<u8>, TextError> = self.templates.message(&order, number, time);
        if let Ok(message) = written {
            self.session.keep_sent(now, number.get(), &message);
        }
    }

    /// What became of the message on its way.
    fn take_answer<R: Registers + Streams>(
        &mut self,
        core: &mut Driver<R>,
    ) -> Result<(), Error<R::Error>> {
        if !self.in_flight {
            return Ok(());
        }
        let Some(answer) = core.registers().answer() else {
            return Ok(());
        };
        self.in_flight = false;
        self.queue.pop_front();
        match HostMessageError::from_bits(answer.answer.into()) {
            None => {
                if let Ok(number) = Number::from_digits(answer.number) {
                    self.session.store_mut().number_used(number.get());
                }
            }
            Some(error) => self.events.push_back(Event::NotSent(error)),
        }
        Ok(())
    }

    /// What TCP does.
    fn follow<R: Registers + Streams>(
        &mut self,
        core: &mut Driver<R>,
        now: Timestamp,
    ) -> Result<(), Error<R::Error>> {
        if self.state == State::Idle {
            return Ok(());
        }
        let connection = core.connection()?;
        match (self.state, connection.tcp) {
            (State::Connecting, TcpState::Established) => {
                self.enter(State::Connected, now);
                self.session.store_mut().run();
                self.account.set_running(true);
                self.session.connect(now);
                self.events.push_back(Event::Connected);
            }
            (State::Connecting, TcpState::Closed) if !connection.connecting => self.ended(core)?,
            // The peer ends; what it sent before was taken above.
            (State::Connected, TcpState::CloseWait) if self.bytes.is_empty() => {
                self.close(core, None, now)?;
            }
            (
                State::Connected | State::Closing | State::Aborted,
                TcpState::Closed | TcpState::TimeWait,
            ) => {
                self.ended(core)?;
            }
            // The peer may have moved to another MAC: that is asked for again only when there is no connection.
            (State::Connecting, TcpState::SynSent) if self.lasts(now, CONNECTING) => {
                core.abort()?;
            }
            (State::Closing, _) if self.lasts(now, CLOSING) => {
                core.abort()?;
                self.enter(State::Aborted, now);
            }
            _ => {}
        }
        Ok(())
    }

    const fn enter(&mut self, state: State, now: Timestamp) {
        (self.state, self.since) = (state, now);
    }

    /// Whether the state has lasted for so many nanoseconds.
    const fn lasts(&self, now: Timestamp, patience: u64) -> bool {
        now.0 >= self.since.0.saturating_add(patience)
    }

    /// Ends TCP after what was written; at once, if the peer is silent: TCP would send an order again for minutes, and to a MAC that may be another's by
    /// now.
    fn close<R: Registers>(
        &mut self,
        core: &mut Driver<R>,
        cause: Option<Cause>,
        now: Timestamp,
    ) -> Result<(), Error<R::Error>> {
        core.set_logged_on(false)?;
        let silent = cause.is_some_and(Cause::is_silence);
        if silent {
            self.queue.clear();
            core.abort()?;
        } else if self.queue.is_empty() {
            // What waits must still leave: a Logout, say.
            core.close()?;
        }
        let state = if silent {
            State::Aborted
        } else {
            State::Closing
        };
        self.enter(state, now);
        self.events.push_back(Event::Disconnected(cause));
        Ok(())
    }

    /// The connection is gone: all that the hardware sent is known.
    fn ended<R: Registers>(&mut self, core: &mut Driver<R>) -> Result<(), Error<R::Error>> {
        if !matches!(self.state, State::Closing | State::Aborted) {
            core.set_logged_on(false)?;
            self.events.push_back(Event::Disconnected(None));
        }
        self.state = State::Idle;
        self.queue.clear();
        self.in_flight = false;
        self.session.store_mut().stop();
        self.account.set_running(false);
        self.session.disconnected();
        match self.session.store_error() {
            Some(_) => Err(Error::Session(Cause::Store)),
            None => Ok(()),
        }
    }

    fn session_event<R: Registers>(
        &mut self,
        core: &mut Driver<R>,
        event: session::Event,
        now: Timestamp,
    ) -> Result<Option<Event>, Error<R::Error>> {
        Ok(Some(match event {
            session::Event::LoggedOn => {
                core.set_logged_on(true)?;
                core.set_kill(self.kill)?;
                Event::LoggedOn
            }
            session::Event::Message { sequence } => {
                if let Frame::Message(message) = frame(&self.message, usize::MAX / 2)
                    && let Some(report) = execution_report(&self.prefix, &message)
                {
                    self.report(core, &report)?;
                }
                Event::Message { sequence }
            }
            session::Event::Disconnect(cause) => {
                self.take_output()?;
                self.close(core, Some(cause), now)?;
                return Ok(self.events.pop_front());
            }
        }))
    }

    /// Moves the session's messages into the queue. Everything they say to the peer is stored first.
    fn take_output<E>(&mut self) -> Result<(), Error<E>> {
        let output = self.session.output().map_err(Error::Session)?;
        let (messages, length) = unnumbered::messages(output);
        self.queue.extend(messages);
        self.session.sent(length);
        self.account.tidy();
        Ok(())
    }

    /// Gives the hardware the next message, if it has none.
    fn write_messages<R: Registers + Streams>(
        &mut self,
        core: &mut Driver<R>,
    ) -> Result<(), Error<R::Error>> {
        self.take_output()?;
        if self.in_flight {
            return Ok(());
        }
        let Some(message) = self.queue.front() else {
            if self.state == State::Closing {
                core.close()?;
            }
            return Ok(());
        };
        if message.logon {
            // From here on the hardware counts.
            let number = Number::new(message.sequence);
            core.load_number(number.map_err(|_| Error::Number(message.sequence))?)?;
        }
        core.registers()
            .begin_message(&message.bytes, message.number_at);
        self.in_flight = true;
        Ok(())
    }
}

const MILLISECOND: u64 = 1_000_000;
const DAY: u64 = 86_400_000_000_000;
