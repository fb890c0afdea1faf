//! The exchange as a client's session sees it: messages of the application in, messages to any client out.
//!
//! What comes in is written to the [journal](crate::journal) before it is acted on; what goes out follows from it alone, so that a
//! restart that reads the journal stands where it stood. The sessions (log on, sequence numbers, headers) are somebody else's.

use std::collections::HashMap;

use thiserror::Error;
use wire::Symbol;
use wire::fix::{
    self, Body, BusinessMessageReject, BusinessRejectReason, MarketDataRequest, Message,
    NewOrderSingle, OrderCancelReplaceRequest, OrderCancelRequest, Timestamp, Version,
};

use crate::engine::Engine;
use crate::journal::{Journal, JournalError};
use crate::listing::{Listing, ListingError};
use crate::outgoing::{Outbox, Outgoing};
use crate::prices::Prices;
use crate::publish::Publisher;
use crate::records::Records;
use crate::report::Reporter;

/// What the exchange is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Orders in all books at once, at most; memory for them is asked for at the start.
    pub most_orders: u32,
    /// ClOrdIDs a day, at most: each is kept, so that none is used twice.
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

/// What a client may ask for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Request<'a> {
    /// A new order.
    New(NewOrderSingle<'a>),
    /// That an order be cancelled.
    Cancel(OrderCancelRequest<'a>),
    /// That an order be replaced.
    Replace(OrderCancelReplaceRequest<'a>),
    /// Prices, or no more of them.
    Prices(MarketDataRequest<'a>),
}

impl Request<'_> {
    /// MsgType (35).
    pub const fn msg_type(&self) -> &'static [u8] {
        match self {
            Request::New(_) => NewOrderSingle::MSG_TYPE,
            Request::Cancel(_) => OrderCancelRequest::MSG_TYPE,
            Request::Replace(_) => OrderCancelReplaceRequest::MSG_TYPE,
            Request::Prices(_) => MarketDataRequest::MSG_TYPE,
        }
    }
}

/// Refuses a message as a whole.
pub(crate) fn reject(client: u32, msg_type: &[u8], text: &[u8], outbox: &mut dyn Outbox) {
    let reject = BusinessMessageReject {
        reference_msg_type: msg_type,
        text: Some(text),
        ..BusinessMessageReject::default()
    };
    outbox.send(client, &Outgoing::BusinessReject(reject));
}

/// Why a message was not acted on; it is for the session to say so.
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
#[derive(Debug)]
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
        };
        for listing in listings {
            let number = exchange.engine.add(&listing.instrument()?);
            exchange.listings.push(*listing);
            if exchange.symbols.insert(listing.symbol, number).is_some() {
                return Err(ListingError::Twice(listing.symbol));
            }
        }
        Ok(exchange)
    }

    /// Reads what the journal holds, message by message, and writes to it from now on. To be called once, before any client comes.
    /// How many messages there were.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn recover(&mut self, mut journal: Journal) -> Result<u64, JournalError> {
        let mut count = 0;
        journal.replay(|record| {
            count += 1;
            self.again(record);
        })?;
        self.journal = Some(journal);
        Ok(count)
    }

    /// Acts on a message of the journal: what it leads to was told then.
    fn again(&mut self, record: &[u8]) {
        let fix::Frame::Message(message) = fix::frame(record, fix::LONGEST_BODY) else {
            return;
        };
        let version = Version::from_begin_string(message.begin_string()).unwrap_or_default();
        if let Ok(header) = message.header() {
            let client = self.client(header.sender, version);
            // Nobody listens, and what was refused then is refused again.
            let _ = self.message(client, &message, header.sending_time, &mut ());
        }
    }

    /// Adds a publisher. It is first told of every instrument, and of every order in the books.
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

    /// Acts on a message of the application. One that is not spoken here is answered with a BusinessMessageReject.
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
        let request = match message.msg_type() {
            NewOrderSingle::MSG_TYPE => Request::New(message.read()?.1),
            OrderCancelRequest::MSG_TYPE => Request::Cancel(message.read()?.1),
            OrderCancelReplaceRequest::MSG_TYPE => Request::Replace(message.read()?.1),
            MarketDataRequest::MSG_TYPE => {
                match crate::gateway::read_price_request(client, message, outbox)? {
                    Some(request) => Request::Prices(request),
                    None => return Ok(()),
                }
            }
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

    /// Refuses a new order for no reason at all: a fault to test clients with. It is not in the journal, and its name is free.
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
        let (_, order) = message.read()?;
        self.refuse_order(client, &order, now, outbox);
        Ok(())
    }

    /// Acts on a request. `now` is what the reports and the feeds carry.
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
        if let Some(journal) = &mut self.journal
            && let Some(client) = self.clients.get(client_number as usize)
        {
            let written = match request {
                Request::New(order) => journal.append(client, order, now),
                Request::Cancel(cancel) => journal.append(client, cancel, now),
                Request::Replace(replace) => journal.append(client, replace, now),
                // Who listens is not known after a restart: whoever comes back asks again.
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
        match request {
            Request::New(order) => self.new_order(client_number, order, now, outbox),
            Request::Cancel(cancel) => self.cancel_order(client_number, cancel, now, outbox),
            Request::Replace(replace) => self.replace_order(client_number, replace, now, outbox),
            Request::Prices(prices) => self.price_request(client_number, prices, outbox),
        }
        self.tell(now, outbox);
        Ok(())
    }

    /// Tells what changed of the prices.
    fn tell(&mut self, now: Timestamp, outbox: &mut dyn Outbox) {
        self.prices.flush(&self.engine, &self.listings, outbox);
        for publisher in &mut self.publishers {
            publisher.end(now);
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
        self.tell(now, outbox);
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

    /// For a publisher that has to say that it is still there.
    pub fn heartbeat(&mut self, now: Timestamp) {
        for publisher in &mut self.publishers {
            publisher.heartbeat(now);
        }
    }

    /// The engine, to be looked at.
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
