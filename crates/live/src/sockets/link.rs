//! The FIX session that a desk's orders leave by, on a kernel socket. An order is written to the socket as soon as it is complete; the session
//! does the rest: Logon, heartbeats, ResendRequests, Logout.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use client::command::text;
use device::Account;
use device::shared_session::{execution_details, execution_report};
use formats::fix::{Decimal, Frame, Message, Timestamp, frame};
use language::Record;
use order::Number;
use order::report::Dropped;
use pipeline::{Decision, EndReason, Executed, OrderSink, Origin, Programs, Trading};
use risk::{ExecutionReport, Kill, Refusal, Reported};
use session::{Cause, Event, Session, Store};

use super::connection::{Attempt, Connection};
use crate::notice::{OrderNotice, OrderOrigin, OrderOutcome, SessionSummary};
use crate::{Error, Notice, desk};

/// Bytes read at a time.
const READ: usize = 64 * 1024;
/// How long a Logout may take at the end.
const PATIENCE: Duration = Duration::from_secs(5);

/// What trades: the pipeline, and its strategies in the language.
pub struct Engine {
    /// The pipeline.
    pub pipeline: Trading,
    /// The strategies in the language.
    pub programs: Programs,
    /// When it began.
    pub began: Instant,
}

impl Engine {
    /// Microseconds since it began.
    pub fn now(&self) -> u64 {
        // Half a million years.
        self.began.elapsed().as_micros() as u64
    }
}

/// The session.
pub struct Link {
    session: Session<Box<dyn Store>>,
    /// The store survives the program: an order is in it before it leaves.
    lasting: bool,
    peer: SocketAddr,
    connection: Connection,
    /// Whether the user has been warned that there is no exchange.
    told_none: bool,
    kill: Kill,
    prefix: Vec<u8>,
    /// What is open and held.
    account: Account,
    /// Names of the instruments, by index.
    symbols: Vec<String>,
    /// Decimals of their prices.
    scale: u8,
    buffer: Box<[u8]>,
    message: Vec<u8>,
    happened: VecDeque<Notice>,
    summary: SessionSummary,
    reports: u64,
    /// Orders that risk refused, by reason.
    refusals: BTreeMap<String, u64>,
    /// The store failed.
    failed: Option<Error>,
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    Timestamp(since.map_or(0, |since| since.as_nanos() as u64))
}

impl Link {
    /// The session of a desk, with its store, and what that has open and held; `symbols` are the names of its instruments, by index, and `scale` the decimals of their prices.
    pub fn new(
        desk: &desk::Session,
        (store, account): (Box<dyn Store>, Account),
        kill: Kill,
        (symbols, scale): (Vec<String>, u8),
    ) -> Self {
        let peer = desk.peer.into();
        let host = kill.host || account.ledger().unsure().is_some();
        Link {
            session: Session::new(desk.config(), store),
            lasting: desk.store.is_some(),
            peer,
            connection: Connection::new(peer),
            told_none: false,
            kill: Kill { host, ..kill },
            prefix: desk.client_order_id_prefix.clone().into_bytes(),
            account,
            symbols,
            scale,
            buffer: vec![0; READ].into_boxed_slice(),
            message: Vec::new(),
            happened: VecDeque::new(),
            summary: SessionSummary::default(),
            reports: 0,
            refusals: BTreeMap::new(),
            failed: None,
        }
    }

    /// Does what is due: connects, reads what the exchange says, answers it.
    ///
    /// # Errors
    /// The session's store failed.
    pub fn poll(&mut self, engine: &mut Engine) -> Result<(), Error> {
        match self.connection.attempt() {
            Attempt::None => {}
            Attempt::Made => {
                self.told_none = false;
                self.session.connect(now());
            }
            Attempt::Failed(cause) => {
                if !std::mem::replace(&mut self.told_none, true) {
                    self.happened.push_back(Notice::NotConnected {
                        peer: self.peer.to_string(),
                        reason: cause.to_string(),
                    });
                }
            }
        }
        self.connection.flush();
        if let Some(bytes) = self.connection.read(&mut self.buffer) {
            self.session.receive(bytes);
        }
        while let Some(event) = self.session.poll(now(), &mut self.message) {
            // What a report means is lasting with its number.
            let reported = self.report(&event);
            self.answer(engine);
            self.event(event, reported, engine);
        }
        self.answer(engine);
        self.account.tidy();
        let old = self.session.not_resent();
        self.happened.extend(old.map(|old| Notice::NotResent {
            number: old.sequence,
            seconds: old.age.as_secs(),
        }));
        if let Some(cause) = self.connection.broken() {
            self.end(engine, cause.to_string());
        }
        self.failed.take().map_or(Ok(()), Err)
    }

    /// Sends what the session says. All of it is in the store first.
    fn answer(&mut self, engine: &mut Engine) {
        match self.session.output() {
            Ok([]) => {}
            Ok(output) => {
                let length = output.len();
                self.connection.write(output);
                self.session.sent(length);
            }
            Err(cause) => self.end(engine, cause.to_string()),
        }
    }

    /// Takes note of the report in a message, if it is one.
    fn report(&mut self, event: &Event) -> Option<(ExecutionReport, Reported)> {
        let (Event::Message { .. }, Frame::Message(message)) =
            (event, frame(&self.message, usize::MAX / 2))
        else {
            return None;
        };
        let said = execution_report(&self.prefix, &message)?;
        Some((said, self.account.report(&said)))
    }

    fn event(
        &mut self,
        event: Event,
        reported: Option<(ExecutionReport, Reported)>,
        engine: &mut Engine,
    ) {
        match event {
            Event::LoggedOn => {
                engine.pipeline.set_session(true);
                engine.pipeline.set_kill(self.kill);
                let next_outgoing = self.session.store().next_outgoing();
                self.happened.push_back(Notice::LoggedOn { next_outgoing });
            }
            Event::Message { .. } => {
                let bytes = std::mem::take(&mut self.message);
                if let Frame::Message(message) = frame(&bytes, usize::MAX / 2) {
                    self.message(&message, reported, engine);
                }
                self.message = bytes;
            }
            Event::Disconnect(cause) => {
                let text = self
                    .session
                    .logout_text()
                    .filter(|_| cause != Cause::LogoutAnswered);
                let reason = match text {
                    Some(text) => format!("{cause}: {}", text.escape_debug()),
                    None => cause.to_string(),
                };
                if cause.is_silence() {
                    // The kernel would send the last orders again for minutes.
                    self.connection.abort();
                }
                self.end(engine, reason);
            }
        }
    }

    /// A message of the exchange: its prices, and what it says of an order.
    fn message(
        &mut self,
        message: &Message<'_>,
        reported: Option<(ExecutionReport, Reported)>,
        engine: &mut Engine,
    ) {
        self.reports += u64::from(message.msg_type() == b"8");
        let now = engine.now();
        engine.pipeline.session_message(message, now, self);
        let Some((said, reported)) = reported else {
            return;
        };
        if let Some(adjustment) = &reported.adjustment {
            engine.pipeline.adjust(adjustment);
        }
        if let Some(change) = &reported.change {
            engine.pipeline.reported(change);
        }
        if engine.programs.is_empty() {
            return;
        }
        let details = execution_details(message, self.scale);
        let executed = Executed {
            said,
            reported,
            price: details.price,
            reason: details.reason,
        };
        let Engine {
            pipeline, programs, ..
        } = engine;
        pipeline.executed(programs, &executed, now, self);
    }

    /// The session is over. It is made again.
    fn end(&mut self, engine: &mut Engine, reason: String) {
        engine.pipeline.set_session(false);
        self.connection.close();
        self.session.disconnected();
        self.happened.push_back(Notice::Disconnected { reason });
        if let Some(error) = self.session.store_error() {
            self.failed = Some(Error::Session(error.to_string()));
        }
    }

    /// Logs out, and waits for the answer.
    ///
    /// # Errors
    /// The session's store failed.
    pub fn log_out(&mut self, engine: &mut Engine) -> Result<(), Error> {
        let end = Instant::now() + PATIENCE;
        self.session.log_out(now(), None);
        // A connection that is being made is left alone.
        while self.connection.is_up() && self.session.is_connected() && Instant::now() < end {
            self.poll(engine)?;
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    /// Messages of the exchange so far: its signs of life.
    pub const fn received(&self) -> u64 {
        self.session.counters().received
    }

    /// What happened and was not printed yet.
    pub fn happened(&mut self) -> impl Iterator<Item = Notice> + '_ {
        self.happened.drain(..)
    }

    /// Tells what happened elsewhere.
    pub fn tell(&mut self, happened: Notice) {
        self.happened.push_back(happened);
    }

    /// Tells whether a book can be relied on.
    pub fn tell_book(&mut self, instrument: u32, reason: Option<String>) {
        self.happened.push_back(Notice::Book {
            symbol: self.symbol(instrument as usize),
            tradable: reason.is_none(),
            reason,
        });
    }

    /// What it came to.
    pub fn summary(&mut self) -> SessionSummary {
        let store = self.session.store();
        SessionSummary {
            refusals: Some(std::mem::take(&mut self.refusals)),
            reports: Some(self.reports),
            open_orders: Some(self.account.ledger().working().len()),
            next_outgoing: store.next_outgoing(),
            next_incoming: store.next_incoming(),
            ..std::mem::take(&mut self.summary)
        }
    }

    /// The name of an instrument.
    pub fn symbol(&self, instrument: usize) -> String {
        self.symbols.get(instrument).cloned().unwrap_or_default()
    }

    fn tell_order(&mut self, decision: &Decision, outcome: OrderOutcome) {
        let order = &decision.order;
        let price = order
            .price
            .map(|price| text(Decimal::new(price, self.scale)));
        let (strategy, stop) = match decision.origin {
            Origin::Strategy(place) => (Some(place), None),
            Origin::Stop(slot) => (None, Some(slot)),
        };
        let origin = OrderOrigin::Software {
            strategy,
            stop,
            price,
            message: decision.sequence,
        };
        let symbol = self.symbol(order.instrument.into());
        let notice = OrderNotice::new(origin, order, symbol, outcome);
        self.happened.push_back(Notice::Order(notice));
    }
}

impl OrderSink for Link {
    #[inline]
    fn next(&mut self) -> Result<(Number, Timestamp), Dropped> {
        if !self.session.is_logged_on() || !self.connection.takes_orders() {
            return Err(Dropped::Session);
        }
        let number = Number::new(self.session.store().next_outgoing());
        Ok((number.map_err(|_| Dropped::Number)?, now()))
    }

    #[inline]
    fn send(&mut self, decision: &Decision, number: Number, message: &[u8]) {
        self.account.sent(number, &decision.order);
        if self.lasting {
            self.session.keep_sent(now(), number.get(), message);
            // The next poll ends the session.
            if self.session.output().is_err() {
                return self.dropped(decision, Dropped::Session);
            }
            self.connection.write(message);
        } else {
            self.connection.write(message);
            self.session.keep_sent(now(), number.get(), message);
        }
        self.summary.orders_sent += 1;
        self.tell_order(decision, OrderOutcome::Sent(number));
    }

    fn refused(&mut self, decision: &Decision, reason: Refusal) {
        self.summary.orders_refused += 1;
        let count = self.refusals.entry(reason.to_string());
        *count.or_default() += 1;
        self.tell_order(decision, OrderOutcome::Refused(reason.to_string()));
    }

    fn dropped(&mut self, decision: &Decision, reason: Dropped) {
        self.summary.orders_dropped += 1;
        self.tell_order(decision, OrderOutcome::Dropped(reason.to_string()));
    }

    fn record(&mut self, strategy: usize, now: i64, record: &Record) {
        self.happened.push_back(Notice::Record {
            strategy,
            time_ns: now,
            tag: record.tag,
            values: record.values().to_vec(),
        });
    }

    fn ended(&mut self, strategy: usize, why: EndReason) {
        self.happened.push_back(Notice::StrategyEnded {
            strategy,
            reason: why.to_string(),
        });
    }
}
