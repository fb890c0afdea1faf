//! The state machine of a session (volume 2), without I/O: bytes come in with [`Session::receive`], events are asked for with
//! [`Session::poll`], bytes leave with [`Session::output`]; the time is an argument, and [`Session::deadline`] says when to poll
//! although nothing came.

mod incoming;
mod outgoing;

use crate::config::{Config, Role};
use crate::reject::Refusal;
use crate::store::{Store, StoreError};
use formats::fix::{self, Frame, Timestamp};
use std::collections::BTreeMap;
use std::time::Duration;
use thiserror::Error;

pub use outgoing::SendError;

/// Input is not read while this many bytes wait to be sent: a peer that asks without reading has to wait; its answers do not fill the memory.
const MOST_OUTPUT: usize = 256 * 1024;

/// Why a connection is to be closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Cause {
    /// The peer sent a Logout, which was answered.
    #[error("the peer logged out")]
    PeerLogout,
    /// The peer answered our Logout.
    #[error("logged out")]
    LogoutAnswered,
    /// The peer did not answer our Logout.
    #[error("no answer to Logout")]
    LogoutTimeout,
    /// No Logon came.
    #[error("no Logon in time")]
    LogonTimeout,
    /// The peer sent nothing, not even an answer to a TestRequest.
    #[error("no answer to TestRequest")]
    Silent,
    /// A MsgSeqNum below the one expected, without PossDupFlag.
    #[error("MsgSeqNum too low")]
    SequenceTooLow,
    /// A message without MsgSeqNum.
    #[error("MsgSeqNum missing")]
    SequenceMissing,
    /// What came first is garbled, or no Logon.
    #[error("the first message is no Logon")]
    NotLogon,
    /// A Logon of another session.
    #[error("a Logon of another session")]
    OtherSession,
    /// A Logon whose CompIDs and version no session here has.
    #[error("no session has these CompIDs and this version")]
    UnknownSession,
    /// A Logon of a session that has a connection.
    #[error("the session is connected already")]
    AlreadyConnected,
    /// A Logon whose SendingTime is missing or too far from our clock.
    #[error("a Logon with a wrong SendingTime (52)")]
    SendingTime,
    /// A Logon that the dictionary refuses.
    #[error("a Logon that is refused: {0}")]
    WrongLogon(Refusal),
    /// A Logon that asks for what is not supported: encryption, or a HeartBtInt out of range.
    #[error("a Logon with an EncryptMethod (98) other than 0, or a HeartBtInt (108) out of range")]
    Unsupported,
    /// A Logon with other credentials than ours.
    #[error("a Logon with a wrong Username (553) or Password (554)")]
    NotAuthorized,
    /// A Logon while logged on that does not reset the sequence numbers.
    #[error("a second Logon")]
    SecondLogon,
    /// The peer, or the network, closed the connection.
    #[error("the connection was closed")]
    Lost,
    /// The store failed: see [`Session::store_error`].
    #[error("the session's store failed")]
    Store,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Both sides have logged on.
    LoggedOn,
    /// A message of the application; its bytes are in the caller's buffer.
    Message {
        /// MsgSeqNum.
        sequence: u64,
    },
    /// The connection is to be closed once the output was sent; nothing more happens before the next [`Session::connect`].
    Disconnect(Cause),
}

impl Cause {
    /// The peer gave no answer: nothing that was sent may still reach it later.
    pub const fn is_silence(self) -> bool {
        matches!(
            self,
            Cause::Silent | Cause::LogonTimeout | Cause::LogoutTimeout
        )
    }
}

/// A message that the peer asked for, and that was too old to be sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NotResent {
    /// MsgSeqNum.
    pub sequence: u64,
    /// How long ago it was sent.
    pub age: Duration,
}

/// What a session counted since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Messages received, well framed.
    pub received: u64,
    /// Messages sent, resent ones among them.
    pub sent: u64,
    /// Pieces of the stream that were no message.
    pub garbled: u64,
    /// Messages refused with a Reject.
    pub rejected: u64,
    /// Messages received twice, and ignored.
    pub duplicates: u64,
    /// ResendRequests sent.
    pub gaps: u64,
    /// Messages ahead of their turn that there was no room for.
    pub dropped: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Disconnected,
    /// Connected: a Logon must come.
    LogonAwaited,
    LoggedOn,
    LogoutSent,
}

/// A ResendRequest that was not answered completely yet.
#[derive(Clone, Copy, Debug)]
struct Asked {
    /// The last number that is missing.
    up_to: u64,
    at: Timestamp,
}

/// A session.
#[derive(Debug)]
pub struct Session<S> {
    config: Config,
    store: S,
    state: State,
    /// When the state began.
    since: Timestamp,
    input: Vec<u8>,
    /// How much of the input was used.
    used: usize,
    output: Vec<u8>,
    /// Where messages are written.
    scratch: Vec<u8>,
    /// Messages ahead of their turn; an empty one was handled already.
    ahead: BTreeMap<u64, Vec<u8>>,
    asked: Option<Asked>,
    /// What the peer requested and has not got yet: the next number and the last one.
    resending: Option<(u64, u64)>,
    /// HeartBtInt of this connection; zero: none.
    heartbeat_interval: Duration,
    last_received: Timestamp,
    last_sent: Timestamp,
    /// When a TestRequest was sent that is not answered.
    test_request: Option<Timestamp>,
    /// What was not sent again, until it is asked for.
    not_resent: Vec<NotResent>,
    store_error: Option<StoreError>,
    /// Text (58) of the peer's Logout.
    logout_text: Option<String>,
    counters: Counters,
}

/// What a step led to.
enum Step {
    Event(Event),
    Again,
    Idle,
}

fn after(time: Timestamp, duration: Duration) -> Timestamp {
    Timestamp(time.0.saturating_add(duration.as_nanos() as u64))
}

impl<S: Store> Session<S> {
    /// A session that is not connected.
    pub fn new(config: Config, store: S) -> Self {
        let scratch = vec![0; config.longest_body.saturating_add(1_024)];
        Session {
            config,
            store,
            state: State::Disconnected,
            since: Timestamp::default(),
            input: Vec::new(),
            used: 0,
            output: Vec::new(),
            scratch,
            ahead: BTreeMap::new(),
            asked: None,
            resending: None,
            heartbeat_interval: Duration::ZERO,
            last_received: Timestamp::default(),
            last_sent: Timestamp::default(),
            test_request: None,
            not_resent: Vec::new(),
            store_error: None,
            logout_text: None,
            counters: Counters::default(),
        }
    }

    /// Its configuration.
    pub const fn config(&self) -> &Config {
        &self.config
    }

    /// Its store.
    pub const fn store(&self) -> &S {
        &self.store
    }

    /// Its store, if the session is shared with the hardware, which numbers messages while it sends.
    pub const fn store_mut(&mut self) -> &mut S {
        &mut self.store
    }

    /// What it counted.
    pub const fn counters(&self) -> Counters {
        self.counters
    }

    /// Whether there is a connection.
    pub fn is_connected(&self) -> bool {
        self.state != State::Disconnected
    }

    /// Whether messages of the application leave at once. If not they are numbered and stored, and the peer asks for them later.
    pub fn is_logged_on(&self) -> bool {
        self.state == State::LoggedOn
    }

    /// The store's error when it failed.
    pub const fn store_error(&self) -> Option<&StoreError> {
        self.store_error.as_ref()
    }

    /// Why the peer logged out, if its Logout said so, since [`Session::connect`].
    pub fn logout_text(&self) -> Option<&str> {
        self.logout_text.as_deref()
    }

    /// What was too old to be sent again, since the last time: only with [`Config::resend_within`].
    pub fn not_resent(&mut self) -> impl Iterator<Item = NotResent> + '_ {
        self.not_resent.drain(..)
    }

    /// There is a connection now. An initiator sends its Logon.
    pub fn connect(&mut self, now: Timestamp) {
        self.close();
        self.output.clear();
        self.store_error = None;
        self.logout_text = None;
        self.enter(State::LogonAwaited, now);
        (self.last_received, self.last_sent) = (now, now);
        if self.config.role == Role::Initiator {
            self.heartbeat_interval =
                Duration::from_secs(u64::from(self.config.heartbeat_interval));
            if self.config.reset_on_logon {
                self.store.reset();
            }
            self.send_logon(now, self.config.reset_on_logon);
        }
    }

    /// The connection is gone.
    pub fn disconnected(&mut self) {
        self.close();
        self.output.clear();
        if let Err(error) = self.store.commit() {
            self.store_error = Some(error);
        }
    }

    /// Takes bytes of the connection.
    pub fn receive(&mut self, bytes: &[u8]) {
        if self.state != State::Disconnected {
            self.input.extend_from_slice(bytes);
        }
    }

    /// Bytes taken that wait to be handled: a caller reads no more from the connection while there are many.
    pub fn waiting(&self) -> usize {
        self.input.len() - self.used
    }

    /// Handles what was received, and the time. Call it until it returns nothing, then send the output; then again, if there
    /// was output. A message of the application is put into `message`.
    pub fn poll(&mut self, now: Timestamp, message: &mut Vec<u8>) -> Option<Event> {
        loop {
            if self.state == State::Disconnected {
                return None;
            }
            match self.step(now, message) {
                Ok(Step::Event(event)) => return Some(event),
                Ok(Step::Again) => {}
                // Time comes last: what was received may have been in time.
                Ok(Step::Idle) => {
                    return match self.keep_time(now) {
                        Ok(()) => None,
                        Err(cause) => Some(self.end(cause)),
                    };
                }
                Err(cause) => return Some(self.end(cause)),
            }
        }
    }

    fn end(&mut self, cause: Cause) -> Event {
        self.close();
        Event::Disconnect(cause)
    }

    /// What is to be sent. Everything it says to the peer is in the store first.
    ///
    /// # Errors
    /// The store failed; the connection must be closed, and nothing of the output sent.
    pub fn output(&mut self) -> Result<&[u8], Cause> {
        if let Err(error) = self.store.commit() {
            self.store_error = Some(error);
            self.output.clear();
            self.close();
            return Err(Cause::Store);
        }
        Ok(&self.output)
    }

    /// Takes bytes off the front of the output: they were sent.
    pub fn sent(&mut self, length: usize) {
        self.output.drain(..length.min(self.output.len()));
    }

    /// When to poll even if nothing was received.
    pub fn deadline(&self) -> Option<Timestamp> {
        match self.state {
            State::Disconnected => None,
            State::LogonAwaited => Some(after(self.since, self.config.logon_timeout)),
            State::LogoutSent => Some(after(self.since, self.config.logout_timeout)),
            State::LoggedOn if self.heartbeat_interval.is_zero() => None,
            State::LoggedOn => Some(match self.test_request {
                Some(sent) => after(sent, self.patience()),
                None => after(self.last_sent, self.heartbeat_interval)
                    .min(after(self.last_received, self.patience())),
            }),
        }
    }

    /// Sends a Logout; the answer, or its absence, ends the connection.
    pub fn log_out(&mut self, now: Timestamp, text: Option<&str>) {
        if self.state == State::LoggedOn {
            self.send_logout(now, text.map(str::as_bytes));
            self.enter(State::LogoutSent, now);
        }
    }

    /// HeartBtInt and "some reasonable transmission time": a fifth of it.
    fn patience(&self) -> Duration {
        self.heartbeat_interval + self.heartbeat_interval / 5
    }

    fn enter(&mut self, state: State, now: Timestamp) {
        self.state = state;
        self.since = now;
    }

    /// Forgets what belongs to the connection, except the output.
    fn close(&mut self) {
        // A connection that never logged on changes nothing: anyone may have made it.
        let logged_on = matches!(self.state, State::LoggedOn | State::LogoutSent);
        if logged_on && self.config.reset_on_disconnect {
            self.store.reset();
        }
        self.state = State::Disconnected;
        self.input.clear();
        self.used = 0;
        self.ahead.clear();
        self.asked = None;
        self.resending = None;
        self.test_request = None;
    }

    fn step(&mut self, now: Timestamp, delivered: &mut Vec<u8>) -> Result<Step, Cause> {
        if self.output.len() >= MOST_OUTPUT {
            return Ok(Step::Idle);
        }
        if let Some((next, last)) = self.resending {
            self.resend_one(now, next, last)?;
            return Ok(Step::Again);
        }
        let expected = self.store.next_incoming();
        self.ahead = self.ahead.split_off(&expected);
        if let Some(bytes) = self.ahead.remove(&expected) {
            let Frame::Message(message) = fix::frame(&bytes, self.config.longest_body) else {
                self.store.set_next_incoming(expected.saturating_add(1));
                return Ok(Step::Again);
            };
            return self.process(now, &message, delivered);
        }
        // Taken out while it is read, since `self` handles what it holds.
        let mut input = std::mem::take(&mut self.input);
        let rest = input.get(self.used..).unwrap_or_default();
        let step = match fix::frame(rest, self.config.longest_body) {
            Frame::Incomplete => {
                input.drain(..self.used);
                self.used = 0;
                Ok(Step::Idle)
            }
            Frame::Garbled { length, .. } => {
                self.counters.garbled += 1;
                self.used += length;
                match self.state {
                    State::LogonAwaited => Err(Cause::NotLogon),
                    _ => Ok(Step::Again),
                }
            }
            Frame::Message(message) => {
                self.used += message.len();
                self.counters.received += 1;
                self.last_received = now;
                self.test_request = None;
                self.process(now, &message, delivered)
            }
        };
        self.input = input;
        step
    }

    /// Does what is due.
    fn keep_time(&mut self, now: Timestamp) -> Result<(), Cause> {
        if self.deadline().is_none_or(|deadline| now < deadline) {
            return Ok(());
        }
        match self.state {
            State::Disconnected => {}
            State::LogonAwaited => return Err(Cause::LogonTimeout),
            State::LogoutSent => return Err(Cause::LogoutTimeout),
            State::LoggedOn if self.test_request.is_some() => return Err(Cause::Silent),
            State::LoggedOn if now >= after(self.last_received, self.patience()) => {
                self.send_test_request(now);
                self.test_request = Some(now);
            }
            State::LoggedOn => self.send_heartbeat(now, None),
        }
        Ok(())
    }
}
