//! An account and its session.

use std::io;
use std::net::SocketAddr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use formats::fix::{
    Decimal, MarketDataRequest, MdEntryType, NewOrderSingle, OrderCancelReplaceRequest,
    OrderCancelRequest, RelatedSymbol, SubscriptionRequestType, Timestamp,
};
use session::{Cause, Event, Initiator, Session, Store};

use crate::account::{Account, Request, Step, harmless};
use crate::notice::Notice;

/// How long to wait for the exchange.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why a trader's session is over.
#[derive(Debug)]
pub enum EndReason {
    /// The connection cannot be made, or broke.
    Connection(io::Error),
    /// The exchange ended the session, or did not let it begin: why.
    LoggedOut(String),
    /// Output is impossible: the terminal is gone, or standard output closed.
    Print(io::Error),
}

/// A trader at an exchange.
pub struct Trader {
    initiator: Initiator<Box<dyn Store>>,
    account: Account,
    logging_out: bool,
    over: bool,
}

fn now() -> Timestamp {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    Timestamp(now.unwrap_or_default().as_nanos() as u64)
}

fn whole(quantity: u64) -> Option<Decimal> {
    Some(Decimal::new(i64::try_from(quantity).unwrap_or(i64::MAX), 0))
}

/// The exchange ended a session: why, in its own words if it said so.
fn logged_out(initiator: &Initiator<Box<dyn Store>>, cause: Cause) -> EndReason {
    let text = initiator.session().logout_text();
    EndReason::LoggedOut(match text {
        Some(text) => format!("{cause}: {}", harmless(text)),
        None => cause.to_string(),
    })
}

impl Trader {
    /// Connects a session and logs on.
    ///
    /// # Errors
    /// The exchange is not there, or does not let it in.
    pub fn log_on(
        address: SocketAddr,
        session: Session<Box<dyn Store>>,
    ) -> Result<Self, EndReason> {
        let mut initiator = Initiator::new(session);
        initiator.connect(address).map_err(EndReason::Connection)?;
        match initiator.wait(PATIENCE).map_err(EndReason::Connection)? {
            Some(Event::LoggedOn) => Ok(Trader {
                initiator,
                account: Account::new(now().0 / 1_000),
                logging_out: false,
                over: false,
            }),
            Some(Event::Disconnect(cause)) => Err(logged_out(&initiator, cause)),
            _ => Err(EndReason::LoggedOut("no answer to Logon".into())),
        }
    }

    /// Its orders, prices and stop orders.
    pub const fn account(&self) -> &Account {
        &self.account
    }

    /// Does what a line says; returns what is to be shown, and whether to end.
    ///
    /// # Errors
    /// The connection broke.
    pub fn line(&mut self, line: &str) -> Result<(Vec<Notice>, bool), EndReason> {
        let step = self.account.line(line);
        let quits = step.quits;
        Ok((self.step(step)?, quits))
    }

    /// Sends a Logout; [`Trader::wait`] gives [`Notice::Disconnected`] when that is done.
    ///
    /// # Errors
    /// The connection broke.
    pub fn log_out(&mut self) -> Result<(), EndReason> {
        if !self.logging_out {
            self.logging_out = true;
            self.initiator.log_out().map_err(EndReason::Connection)?;
        }
        Ok(())
    }

    /// Logs out and waits until that is done: without an answer, as long as the session waits for one.
    ///
    /// # Errors
    /// The connection broke.
    pub fn leave(&mut self) -> Result<(), EndReason> {
        self.log_out()?;
        while !self.over {
            self.wait(PATIENCE)?;
        }
        Ok(())
    }

    /// Whether it has logged out.
    pub const fn is_over(&self) -> bool {
        self.over
    }

    /// Waits for something to happen, for a time at most; returns what is to be shown.
    ///
    /// # Errors
    /// The connection broke, or the exchange ended the session.
    pub fn wait(&mut self, time: Duration) -> Result<Vec<Notice>, EndReason> {
        match self.initiator.wait(time).map_err(EndReason::Connection)? {
            None => Ok(vec![]),
            Some(Event::LoggedOn) => Ok(vec![Notice::LoggedOn]),
            Some(Event::Message { .. }) => {
                let message = self.initiator.message();
                let step = message.map(|message| self.account.message(&message));
                self.step(step.unwrap_or_default())
            }
            Some(Event::Disconnect(cause)) if self.logging_out => {
                self.over = true;
                let cause = cause.to_string();
                Ok(vec![Notice::Disconnected { cause }])
            }
            Some(Event::Disconnect(cause)) => Err(logged_out(&self.initiator, cause)),
        }
    }

    fn step(&mut self, step: Step) -> Result<Vec<Notice>, EndReason> {
        for request in &step.requests {
            self.send(request).map_err(EndReason::Connection)?;
        }
        Ok(step.notices)
    }

    fn send(&mut self, request: &Request) -> io::Result<u64> {
        match request {
            Request::New { name, order } => self.initiator.send(&NewOrderSingle {
                client_order_id: name.as_bytes(),
                handling: Some(b'1'),
                symbol: order.symbol.as_bytes(),
                side: order.side,
                transact_time: now(),
                quantity: whole(order.quantity),
                order_type: order.order_type(),
                price: order.price,
                stop_price: order.stop_price,
                time_in_force: Some(order.time_in_force),
                ..NewOrderSingle::default()
            }),
            Request::Cancel {
                name,
                original,
                order,
            } => self.initiator.send(&OrderCancelRequest {
                original_client_order_id: original.as_bytes(),
                client_order_id: name.as_bytes(),
                symbol: order.symbol.as_bytes(),
                side: order.side,
                transact_time: now(),
                quantity: whole(order.quantity),
                ..OrderCancelRequest::default()
            }),
            Request::Replace {
                name,
                original,
                order,
            } => self.initiator.send(&OrderCancelReplaceRequest {
                original_client_order_id: original.as_bytes(),
                client_order_id: name.as_bytes(),
                handling: Some(b'1'),
                symbol: order.symbol.as_bytes(),
                side: order.side,
                transact_time: now(),
                quantity: whole(order.quantity),
                order_type: order.order_type(),
                price: order.price,
                stop_price: order.stop_price,
                ..OrderCancelReplaceRequest::default()
            }),
            Request::Watch(symbol) => {
                let entry_types = [MdEntryType::Bid, MdEntryType::Offer, MdEntryType::Trade];
                let symbols = [RelatedSymbol {
                    symbol: symbol.as_bytes(),
                }];
                self.initiator.send(&MarketDataRequest {
                    request_id: symbol.as_bytes(),
                    subscription: SubscriptionRequestType::Subscribe,
                    depth: 1,
                    update_type: Some(1),
                    entry_types: entry_types[..].into(),
                    symbols: symbols[..].into(),
                    ..MarketDataRequest::default()
                })
            }
        }
    }
}
