//! The exchange as a client's session sees it: messages of the application in, messages to any client out.
//!
//! What comes in is added to the [`crate::journal`] before it is acted on; what goes out follows from it alone, so that a
//! restart that reads the journal is in the same state. Nothing may leave before [`Exchange::commit`]. The sessions (log on, sequence
//! numbers, headers) are not handled here.

mod request;

use std::collections::HashMap;
use std::path::Path;

use formats::Symbol;
use formats::fix::{
    self, Body, BusinessMessageReject, BusinessRejectReason, MarketDataRequest, Message,
    NewOrderSingle, OrderCancelReplaceRequest, OrderCancelRequest, Timestamp, Version,
};
use thiserror::Error;

use crate::engine::Engine;
use crate::journal::{self, Journal, JournalError, Recovered};
use crate::listing::{Listing, ListingError};
use crate::outgoing::{Outbox, Outgoing};
use crate::prices::Prices;
use crate::publish::Publisher;
use crate::records::Records;
use crate::report::Reporter;

pub use request::Request;

/// A day, in nanoseconds.
const DAY: u64 = 86_400_000_000_000;

/// The exchange's settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Orders in all books at once, at most; memory for them is asked for at the start.
    pub most_orders: u32,
    /// ClOrdIDs a day (UTC), at most: each is remembered, in some 35 bytes, so that none is used twice.
    pub most_names: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            most_orders: 1 << 20,
            most_names: 1 << 24,
        }
    }
}

/// Refuses a complete message.
pub(crate) fn reject(client: u32, msg_type: &[u8], text: &[u8], outbox: &mut dyn Outbox) {
    let reject = BusinessMessageReject {
        reference_msg_type: msg_type,
        text: Some(text),
        ..BusinessMessageReject::default()
    };
    outbox.send(client, &Outgoing::BusinessReject(reject));
}

/// Why a message was not acted on; the session says so.
#[derive(Debug, Error)]
pub enum Error {
    /// To be answered with a session-level Reject.
    #[error(transparent)]
    Refusal(#[from] fix::Refusal),
    /// The journal cannot be written: nothing more may be accepted.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// A client.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    pub(crate) name: Vec<u8>,
    pub(crate) version: Version,
}

/// The exchange.
pub struct Exchange {
    pub(crate) settings: Settings,
    pub(crate) engine: Engine,
    pub(crate) listings: Vec<Listing>,
    pub(crate) symbols: HashMap<Symbol, u32>,
    pub(crate) clients: Vec<Client>,
    pub(crate) records: Records,
    /// OrderID and ExecID given out so far.
    pub(crate) orders: u64,
    pub(crate) executions: u64,
    pub(crate) prices: Prices,
    pub(crate) publishers: Vec<Box<dyn Publisher>>,
    pub(crate) journal: Option<Journal>,
    /// Requests that were acted on.
    pub(crate) requests: u64,
    /// The day of the last one, since 1970: ClOrdIDs of orders that are done may be used again on the next.
    pub(crate) day: u64,
    /// Publishers hold something that must not leave before it is committed.
    unpublished: bool,
    /// Rewrites of the journal that failed.
    failed_rewrites: u64,
    /// Orders that were refused and are not in the journal.
    pub(crate) uncounted: u64,
}

impl Exchange {
    /// An exchange with empty books.
    ///
    /// # Errors
    /// An instrument that makes no sense.
    pub fn new(settings: Settings, listings: &[Listing]) -> Result<Self, ListingError> {
        let mut exchange = Exchange {
            settings,
            engine: Engine::new(settings.most_orders),
            listings: vec![],
            symbols: HashMap::new(),
            clients: vec![],
            records: Records::default(),
            orders: 0,
            executions: 0,
            prices: Prices::new(listings.len()),
            publishers: vec![],
            journal: None,
            requests: 0,
            day: 0,
            unpublished: false,
            failed_rewrites: 0,
            uncounted: 0,
        };
        for listing in listings {
            exchange.list(listing)?;
        }
        Ok(exchange)
    }

    /// Opens a book.
    pub(crate) fn list(&mut self, listing: &Listing) -> Result<(), ListingError> {
        let instrument = listing.instrument()?;
        if self.symbols.contains_key(&listing.symbol) {
            return Err(ListingError::Twice(listing.symbol));
        }
        let number = self.engine.add(&instrument);
        self.listings.push(*listing);
        self.symbols.insert(listing.symbol, number);
        Ok(())
    }

    /// Loads what a journal holds, creates it if it is not there, and writes to it from now on. To be called once, before any client
    /// comes.
    ///
    /// # Errors
    /// The journal cannot be read, or has live orders in instruments that are not traded here.
    pub fn recover(
        &mut self,
        path: &Path,
        durability: session::Durability,
        limits: session::Limits,
    ) -> Result<Recovered, JournalError> {
        let mut empty = Exchange::new(self.settings, &[])?;
        empty.clients.clone_from(&self.clients);
        let (journal, mut found, dropped) = journal::read(path, durability, limits, empty)?;
        if found.listings != self.listings {
            found = found.listed_as(&self.listings, path)?;
            journal.file().rewrite(|put| found.state(put))?;
        }
        // A client that spoke another version then.
        for client in &self.clients {
            found.client(&client.name, client.version);
        }
        *self = Exchange {
            prices: Prices::new(found.listings.len()),
            publishers: std::mem::take(&mut self.publishers),
            journal: Some(journal),
            ..found
        };
        Ok(Recovered {
            requests: self.requests,
            dropped,
        })
    }

    /// The same exchange with other instruments, in another order: those that are left out have no live orders.
    fn listed_as(&self, listings: &[Listing], path: &Path) -> Result<Self, JournalError> {
        let mut missing = vec![];
        for (number, old) in (0..).zip(&self.listings) {
            let mut sides = [formats::Side::Buy, formats::Side::Sell].into_iter();
            let has_orders = sides.any(|side| {
                let mut orders = self.engine.orders(number, side);
                orders.next().is_some() || self.engine.stops(number, side).next().is_some()
            });
            let new = listings.iter().find(|new| new.symbol == old.symbol);
            match new {
                None if has_orders => missing.push(old.symbol.to_string()),
                Some(new) if new != old => {
                    return Err(JournalError::Listing {
                        path: path.to_owned(),
                        symbol: old.symbol.to_string(),
                    });
                }
                _ => {}
            }
        }
        if !missing.is_empty() {
            return Err(JournalError::Symbols {
                path: path.to_owned(),
                symbols: missing.join(","),
            });
        }
        let mut listed = Exchange::new(self.settings, listings)?;
        listed.clients.clone_from(&self.clients);
        let mut restored = Some(());
        self.state(&mut |part| restored = restored.and_then(|()| listed.restore(part, true)));
        debug_assert!(restored.is_some(), "what was written can be read");
        Ok(listed)
    }

    /// Acts on a message of the journal: what it leads to was sent then. `None` if it is no message.
    pub(crate) fn again(&mut self, record: &[u8]) -> Option<()> {
        let fix::Frame::Message(message) = fix::frame(record, fix::LONGEST_BODY) else {
            return None;
        };
        let version = Version::from_begin_string(message.begin_string())?;
        let header = message.header().ok()?;
        let client = self.client(header.sender, version);
        // No output is needed, and what was refused then is refused again.
        self.message(client, &message, header.sending_time, &mut ())
            .ok()
    }

    /// Writes what was done since the last time to the journal, with what the sessions that share it have, and lets the publishers send
    /// it. Rewrites the journal if it has become long.
    ///
    /// # Errors
    /// The journal cannot be written: nothing of what was done since may be sent.
    pub fn commit(&mut self) -> Result<(), JournalError> {
        if let Some(journal) = &self.journal {
            journal.file().commit()?;
        }
        if std::mem::take(&mut self.unpublished) {
            for publisher in &mut self.publishers {
                publisher.end();
            }
        }
        if let Some(journal) = &self.journal
            && journal.file().is_due()
            && journal.file().rewrite(|put| self.state(put)).is_err()
        {
            // Everything is as before; a full disk shows again when there is no room left for orders.
            self.failed_rewrites += 1;
        }
        Ok(())
    }

    /// Whether publishers wait for [`Exchange::commit`].
    pub(crate) const fn is_unpublished(&self) -> bool {
        self.unpublished
    }

    /// Rewrites of the journal that failed: it grows until one succeeds.
    pub const fn failed_rewrites(&self) -> u64 {
        self.failed_rewrites
    }

    /// How long the journal is, in bytes.
    pub fn journal_length(&self) -> Option<u64> {
        Some(self.journal.as_ref()?.file().length())
    }

    /// The numbers and messages of a client's session in the journal, if there is one.
    pub(crate) fn store(&self, client: &[u8]) -> Option<session::JournalStore> {
        Some(self.journal.as_ref()?.file().store(client))
    }

    /// Puts a gate in front of every call of the system that changes the journal: a disk that is full or broken, for tests.
    pub fn set_journal_gate(&self, gate: Option<session::Gate>) {
        if let Some(journal) = &self.journal {
            journal.set_gate(gate);
        }
    }

    /// Adds a publisher. It first gets every instrument, and every order in the books.
    pub fn publish(&mut self, mut publisher: Box<dyn Publisher>, now: Timestamp) {
        publisher.begin(&self.listings, &self.engine, now);
        self.publishers.push(publisher);
    }

    /// The number of a client, by its CompID; the same each time, also after a restart.
    pub fn client(&mut self, name: &[u8], version: Version) -> u32 {
        let known = self.clients.iter().position(|client| client.name == name);
        let number = known.unwrap_or(self.clients.len());
        match self.clients.get_mut(number) {
            Some(client) => client.version = version,
            None => self.clients.push(Client {
                name: name.to_vec(),
                version,
            }),
        }
        number as u32
    }

    /// Acts on a message of the application. One that is not spoken here is answered with a BusinessMessageReject. An order, a cancel or a
    /// replacement that asks for what is not implemented is refused, and is not in the journal.
    ///
    /// # Errors
    /// The message is not of its type; or nothing more can be accepted.
    pub fn message(
        &mut self,
        client: u32,
        message: &Message<'_>,
        now: Timestamp,
        outbox: &mut dyn Outbox,
    ) -> Result<(), Error> {
        if self.refuse_unsupported(client, message, now, outbox) {
            return Ok(());
        }
        let request = match message.msg_type() {
            NewOrderSingle::MSG_TYPE => Request::New(message.read()?.1),
            OrderCancelRequest::MSG_TYPE => Request::Cancel(message.read()?.1),
            OrderCancelReplaceRequest::MSG_TYPE => Request::Replace(message.read()?.1),
            MarketDataRequest::MSG_TYPE => Request::Prices(message.read()?.1),
            other => {
                let header = message.header()?;
                let reject = BusinessMessageReject {
                    reference_sequence: Some(header.sequence),
                    reference_msg_type: other,
                    reason: BusinessRejectReason::UnsupportedMessageType,
                    text: Some(b"Unsupported message type"),
                    ..BusinessMessageReject::default()
                };
                outbox.send(client, &Outgoing::BusinessReject(reject));
                return Ok(());
            }
        };
        self.order(client, &request, now, outbox)
    }

    /// Refuses a request because the journal can take no more. It has no other effect.
    ///
    /// # Errors
    /// The message is not of its type.
    pub fn refuse_unstored(
        &mut self,
        client: u32,
        message: &Message<'_>,
        now: Timestamp,
        outbox: &mut dyn Outbox,
    ) -> Result<(), Error> {
        if self.refuse_unsupported(client, message, now, outbox) {
            return Ok(());
        }
        match message.msg_type() {
            NewOrderSingle::MSG_TYPE => {
                self.refuse_unstored_order(client, &message.read()?.1, now, outbox);
            }
            OrderCancelRequest::MSG_TYPE => {
                self.refuse_unstored_cancel(client, &message.read()?.1, now, outbox);
            }
            OrderCancelReplaceRequest::MSG_TYPE => {
                self.refuse_unstored_replace(client, &message.read()?.1, now, outbox);
            }
            other => reject(client, other, b"The exchange is closing", outbox),
        }
        Ok(())
    }

    /// Refuses a new order on purpose: a fault to test clients with. It is not in the journal, and its name is free.
    ///
    /// # Errors
    /// The message is not of its type.
    pub fn refuse(
        &mut self,
        client: u32,
        message: &Message<'_>,
        now: Timestamp,
        outbox: &mut dyn Outbox,
    ) -> Result<(), Error> {
        if !self.refuse_unsupported(client, message, now, outbox) {
            let (_, order) = message.read()?;
            self.refuse_order(client, &order, now, outbox);
        }
        Ok(())
    }

    /// Acts on a request. `now` is what the reports and the feeds carry. What is said about it must not leave before [`Exchange::commit`].
    ///
    /// # Errors
    /// The journal cannot be written: nothing has happened then, and nothing more may be accepted.
    pub fn order(
        &mut self,
        client_number: u32,
        request: &Request<'_>,
        now: Timestamp,
        outbox: &mut dyn Outbox,
    ) -> Result<(), Error> {
        // Subscriptions are not known after a restart: clients request them again.
        let is_lasting = !matches!(request, Request::Prices(_));
        if is_lasting
            && let Some(journal) = &mut self.journal
            && let Some(client) = self.clients.get(client_number as usize)
        {
            let sequence = self.requests + 1;
            let written = match request {
                Request::New(order) => journal.append(client, order, sequence, now),
                Request::Cancel(cancel) => journal.append(client, cancel, sequence, now),
                Request::Replace(replace) => journal.append(client, replace, sequence, now),
                Request::Prices(_) => Ok(()),
            };
            match written {
                Err(JournalError::TooLong) => {
                    reject(
                        client_number,
                        request.msg_type(),
                        b"Message too long",
                        outbox,
                    );
                    return Ok(());
                }
                written => written?,
            }
        }
        if is_lasting {
            self.requests += 1;
            let day = now.0 / DAY;
            if day > self.day {
                self.day = day;
                self.records.begin_day();
            }
        }
        match request {
            Request::New(order) => self.new_order(client_number, order, now, outbox),
            Request::Cancel(cancel) => self.cancel_order(client_number, cancel, now, outbox),
            Request::Replace(replace) => self.replace_order(client_number, replace, now, outbox),
            Request::Prices(prices) => self.price_request(client_number, prices, outbox),
        }
        self.tell(outbox);
        Ok(())
    }

    /// Sends the price changes.
    fn tell(&mut self, outbox: &mut dyn Outbox) {
        self.prices.flush(&self.engine, &self.listings, outbox);
        self.unpublished = !self.publishers.is_empty();
        if self.journal.is_none() {
            // There is nothing to wait for.
            let _ = self.commit();
        }
    }

    /// Does something to the books that no client asked for.
    pub(crate) fn act(
        &mut self,
        now: Timestamp,
        outbox: &mut dyn Outbox,
        act: impl FnOnce(&mut Engine, &mut Reporter<'_>),
    ) {
        let (engine, mut reporter) = self.reporter(now, outbox, None);
        act(engine, &mut reporter);
        self.tell(outbox);
    }

    /// Prices of every instrument to a client from now on, without its asking: the best of each side, and trades.
    pub fn subscribe_to_all(&mut self, client: u32, outbox: &mut dyn Outbox) {
        for instrument in 0..self.listings.len() as u32 {
            self.prices.follow(client, instrument);
            self.prices
                .snapshot(client, instrument, &self.engine, &self.listings, outbox);
        }
    }

    /// A client's session has ended: no more prices for it. Its orders stay.
    pub fn disconnect(&mut self, client: u32) {
        self.prices.forget(client, None);
    }

    /// For publishers of snapshots: everything is committed and published.
    pub fn give_snapshots(&mut self, now: Timestamp) {
        for publisher in &mut self.publishers {
            publisher.snapshot(&self.engine, now);
        }
    }

    /// For a publisher that has to send signs of life.
    pub fn heartbeat(&mut self, now: Timestamp) {
        for publisher in &mut self.publishers {
            publisher.heartbeat(now);
        }
    }

    /// The engine, read-only.
    pub const fn engine(&self) -> &Engine {
        &self.engine
    }

    /// What is traded, in the order of the engine's numbers.
    pub fn listings(&self) -> &[Listing] {
        &self.listings
    }

    /// Orders that are in the books or wait for their trigger.
    pub fn live_orders(&self) -> usize {
        self.records.len()
    }
}
