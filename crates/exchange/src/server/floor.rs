//! The application of the server's sessions: requests to the exchange, its answers to the clients.

use formats::fix::{Body, Message, NewOrderSingle, Timestamp};
use session::{Application, Cause, Refused, Session, Sessions};

use super::playing::Playing;
use super::{AnyStore, Counters, RefusalWatch, ServerError};
use crate::exchange::{Error, Exchange};
use crate::fault::Injector;
use crate::outgoing::{Outbox, Outgoing};

/// Time between two signs of life of the publishers: MoldUDP64 asks for one a second.
const HEARTBEAT: u64 = 1_000_000_000;

/// The application of the sessions.
pub(super) struct Floor {
    pub(super) exchange: Exchange,
    /// The exchange's number of each session's client.
    pub(super) clients: Vec<u32>,
    pub(super) counters: Counters,
    pub(super) last_heartbeat: Timestamp,
    pub(super) prices_to_all: bool,
    pub(super) faults: Injector,
    pub(super) playing: Option<Playing>,
    pub(super) refusal_watch: Option<RefusalWatch>,
    pub(super) failed: Option<ServerError>,
    /// Every client was logged out because the journal failed.
    pub(super) is_closed: bool,
}

/// Sends to sessions.
struct Desk<'a> {
    sessions: &'a mut Sessions<AnyStore>,
    clients: &'a [u32],
    now: Timestamp,
    sent: u64,
    faults: &'a mut Injector,
}

impl Desk<'_> {
    /// Sends an answer: once, twice, or not yet.
    fn answer(
        session: &mut Session<AnyStore>,
        now: Timestamp,
        message: &Outgoing<'_>,
        (dropped, duplicated): (bool, bool),
    ) -> Result<(), session::SendError> {
        let (msg_type, header) = (message.msg_type(), formats::fix::Header::default());
        let body = |encoder: &mut formats::fix::Encoder<'_>| message.put(encoder);
        if dropped {
            return session.withhold(now, msg_type, body).map(drop);
        }
        let sequence = session.send_fields(now, msg_type, &header, body)?;
        if duplicated {
            // A store that fails reports it again when the output is requested.
            let _ = session.send_twice(now, sequence);
        }
        Ok(())
    }
}

impl Outbox for Desk<'_> {
    fn send(&mut self, client: u32, message: &Outgoing<'_>) {
        let place = self.clients.iter().position(|number| *number == client);
        let Some(session) = place.and_then(|place| self.sessions.get_mut(place)) else {
            return;
        };
        let (now, msg_type) = (self.now, message.msg_type());
        let sent = match message {
            // Prices of the past are of no use.
            Outgoing::Snapshot(_) | Outgoing::Increment(_) => session
                .send_once(now, msg_type, |encoder| message.put(encoder))
                .map(|sent| sent.is_some()),
            _ => Desk::answer(session, now, message, self.faults.answer()).map(|()| true),
        };
        debug_assert!(sent.is_ok(), "no message here is longer than any may be");
        self.sent += u64::from(sent.unwrap_or(false));
    }
}

impl Floor {
    /// Lets the exchange do something, and returns how many messages that led to.
    pub(super) fn with<T>(
        &mut self,
        sessions: &mut Sessions<AnyStore>,
        now: Timestamp,
        act: impl FnOnce(&mut Exchange, &mut dyn Outbox) -> T,
    ) -> (T, u64) {
        let mut desk = Desk {
            sessions,
            clients: &self.clients,
            now,
            sent: 0,
            faults: &mut self.faults,
        };
        let result = act(&mut self.exchange, &mut desk);
        let sent = desk.sent;
        self.counters.answers += sent;
        (result, sent)
    }

    /// Acts on a message of a client.
    fn act(
        &mut self,
        sessions: &mut Sessions<AnyStore>,
        session: usize,
        client: u32,
        message: &Message<'_>,
        now: Timestamp,
    ) {
        if self.failed.is_some() {
            return self.refuse(sessions, session, client, message, now);
        }
        if let Some(name) = sent_again(message) {
            let status = |exchange: &mut Exchange, outbox: &mut dyn Outbox| {
                exchange.status(client, name, outbox);
            };
            if self.with(sessions, now, status).1 > 0 {
                return;
            }
        }
        let is_order = message.msg_type() == NewOrderSingle::MSG_TYPE;
        let refuse = is_order && self.faults.rejects();
        let (result, _) = self.with(sessions, now, |exchange, outbox| {
            if refuse {
                exchange.refuse(client, message, now, outbox)
            } else {
                exchange.message(client, message, now, outbox)
            }
        });
        match result {
            Ok(()) => {}
            Err(Error::Refusal(refusal)) => {
                if let Some(session) = sessions.get_mut(session) {
                    session.reject(now, message, refusal.into());
                }
            }
            Err(Error::Journal(error)) => {
                self.failed = Some(error.into());
                self.refuse(sessions, session, client, message, now);
            }
        }
    }

    /// Refuses a request, as nothing can be stored any more.
    fn refuse(
        &mut self,
        sessions: &mut Sessions<AnyStore>,
        session: usize,
        client: u32,
        message: &Message<'_>,
        now: Timestamp,
    ) {
        let (result, _) = self.with(sessions, now, |exchange, outbox| {
            exchange.refuse_unstored(client, message, now, outbox)
        });
        if let (Err(Error::Refusal(refusal)), Some(session)) = (result, sessions.get_mut(session)) {
            session.reject(now, message, refusal.into());
        }
    }

    /// Writes the journal, and lets the feed publish what is in it.
    fn commit(&mut self) {
        if let Err(error) = self.exchange.commit() {
            self.failed.get_or_insert(error.into());
        }
    }

    /// Logs every client out, once, if the journal has failed.
    fn close(&mut self, sessions: &mut Sessions<AnyStore>, now: Timestamp) {
        let Some(ServerError::Journal(error)) = &self.failed else {
            return;
        };
        if std::mem::replace(&mut self.is_closed, true) {
            return;
        }
        let text = if error.is_full() {
            "The exchange is closing: its disk is full"
        } else {
            "The exchange is closing: its disk failed"
        };
        for session in 0..sessions.len() {
            if let Some(session) = sessions.get_mut(session) {
                session.log_out(now, Some(text));
            }
        }
    }
}

impl Application<AnyStore> for Floor {
    fn logged_on(&mut self, sessions: &mut Sessions<AnyStore>, session: usize, now: Timestamp) {
        self.counters.logons += 1;
        if let (Some(playing), Some(client)) = (&mut self.playing, self.clients.get(session)) {
            playing.logged_on(*client);
        }
        if let Some(client) = self.clients.get(session).copied()
            && self.prices_to_all
        {
            self.with(sessions, now, |exchange, outbox| {
                exchange.subscribe_to_all(client, outbox);
            });
        }
    }

    fn message(
        &mut self,
        sessions: &mut Sessions<AnyStore>,
        session: usize,
        message: &Message<'_>,
        now: Timestamp,
    ) {
        let Some(client) = self.clients.get(session).copied() else {
            return;
        };
        self.counters.messages += 1;
        std::thread::sleep(self.faults.faults.delay);
        self.act(sessions, session, client, message, now);
        if self.faults.disconnects()
            && let Some(session) = sessions.get_mut(session)
        {
            session.disconnected();
        }
    }

    fn refused(&mut self, refused: &Refused<'_>) {
        if let Some(watch) = &mut self.refusal_watch {
            watch(refused);
        }
    }

    fn disconnected(
        &mut self,
        _: &mut Sessions<AnyStore>,
        session: usize,
        cause: Cause,
        _: Timestamp,
    ) {
        if cause == Cause::Store {
            // The journal failed: it reports that again.
            self.commit();
        }
        if let Some(client) = self.clients.get(session) {
            self.exchange.disconnect(*client);
        }
    }

    fn turn(&mut self, sessions: &mut Sessions<AnyStore>, now: Timestamp) {
        self.play(sessions, now);
        self.commit();
        if self.failed.is_none() {
            self.exchange.give_snapshots(now);
        }
        self.close(sessions, now);
        if now.0.saturating_sub(self.last_heartbeat.0) >= HEARTBEAT {
            self.exchange.heartbeat(now);
            self.last_heartbeat = now;
        }
    }

    fn deadline(&mut self, now: Timestamp) -> Option<Timestamp> {
        if self.exchange.is_unpublished() && self.failed.is_none() {
            return Some(now);
        }
        self.playing.as_mut()?.deadline(now)
    }

    fn is_over(&self) -> bool {
        self.failed.is_some() || self.playing.as_ref().is_some_and(Playing::is_over)
    }
}

/// ClOrdID of a new order that was sent before: it may have been acted on.
fn sent_again<'a>(message: &Message<'a>) -> Option<&'a [u8]> {
    if message.msg_type() != NewOrderSingle::MSG_TYPE
        || message.header().ok()?.possible_duplicate != Some(true)
    {
        return None;
    }
    let mut fields = message.fields().flatten();
    Some(fields.find(|field| field.tag == 11)?.value)
}
