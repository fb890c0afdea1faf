//! The software client, and the maker who moves the price.

use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use decoder::fix::Entries;
use formats::fix::{
    Decimal, ExecType, ExecutionReport, Message, NewOrderSingle, OrdType, Timestamp,
};
use formats::{Kind, Listener, Side, Source};
use instrument::{Listing, Table, symbol_of_text};
use session::{Event, Initiator, Memory, Session};
use strategy::stops::{Stops, Watch};

use super::{
    AWAY, CENT, DECIMALS, MAKER, Market, PATIENCE, QUANTITY, SOFTWARE, SYMBOL, TRIGGER, config,
    failed,
};
use crate::Error;
use crate::distribution::Distribution;

/// How long to wait before looking whether the market has closed.
const LOOK: Duration = Duration::from_millis(20);

fn log_on(name: &str, address: SocketAddr) -> Result<Initiator<Memory>, Error> {
    let mut client = Initiator::new(Session::new(config(name), Memory::default()));
    client.connect(address).map_err(Error::Socket)?;
    match client.wait(PATIENCE).map_err(Error::Socket)? {
        Some(Event::LoggedOn) => Ok(client),
        _ => Err(failed("a client's logon")),
    }
}

fn now() -> Timestamp {
    let passed = SystemTime::now().duration_since(UNIX_EPOCH);
    Timestamp(passed.unwrap_or_default().as_nanos() as u64)
}

fn order<'a>(id: &'a str, side: Side, price: Option<i64>, quantity: u32) -> NewOrderSingle<'a> {
    NewOrderSingle {
        client_order_id: id.as_bytes(),
        handling: Some(b'1'),
        symbol: SYMBOL.as_bytes(),
        side,
        transact_time: now(),
        quantity: Some(Decimal::new(quantity.into(), 0)),
        order_type: if price.is_some() {
            OrdType::Limit
        } else {
            OrdType::Market
        },
        price: price.map(|cents| Decimal::new(cents, 2)),
        ..NewOrderSingle::default()
    }
}

/// Shares of a trade of ours that the last message reports; 0 if it reports none.
fn traded(client: &Initiator<Memory>) -> u64 {
    let Some(message) = client.message() else {
        return 0;
    };
    match message.read::<ExecutionReport<'_>>() {
        Ok((_, report)) if report.execution_type == ExecType::Trade => {
            let quantity = report
                .last_quantity
                .and_then(|quantity| quantity.at_scale(0));
            quantity.and_then(|n| u64::try_from(n).ok()).unwrap_or(0)
        }
        _ => 0,
    }
}

/// What reads prices out of the session's messages: [`SYMBOL`] is instrument 0, with the exchange's [`DECIMALS`].
pub struct Prices {
    entries: Entries,
    instruments: Table,
}

impl Prices {
    pub fn new() -> Self {
        let mut instruments = Table::new(1);
        let listing = symbol_of_text(SYMBOL.as_bytes()).map(|symbol| Listing {
            symbol,
            price_scale: DECIMALS,
            quantity_scale: 0,
        });
        instruments.set(Source::Session, 0, listing);
        Prices {
            entries: Entries::default(),
            instruments,
        }
    }

    /// Gives the events of a message; the price of its last trade, in cents.
    pub fn last_trade(
        &mut self,
        message: Option<Message<'_>>,
        listener: &mut impl Listener,
    ) -> Option<i64> {
        let mut last = None;
        let mut see = |event: &formats::Event| {
            if event.kind == Kind::Trade {
                last = Some(event.price / CENT);
            }
            listener.event(event);
        };
        self.entries.message(&message?, &self.instruments, &mut see);
        last
    }
}

/// Holds the stop in software. From the price being read to the order being written, in nanoseconds.
pub fn software(address: SocketAddr, market: &Market) -> Result<Distribution, Error> {
    let mut client = log_on(SOFTWARE, address)?;
    let mut taken = Distribution::default();
    let mut stops = Stops::with_slots(1);
    let mut prices = Prices::new();
    let mut sent = 0;
    let arm = |stops: &mut Stops<u32>| {
        let watch = Watch {
            instrument: 0,
            side: Side::Sell,
            trigger: TRIGGER * CENT,
        };
        stops.set(0, watch, QUANTITY);
        market.armed[1].fetch_add(1, Ordering::Relaxed);
    };
    arm(&mut stops);
    while !market.closed.load(Ordering::Relaxed) {
        match client.wait(LOOK).map_err(Error::Socket)? {
            Some(Event::Message { .. }) => {
                let began = Instant::now();
                let last = prices.last_trade(client.message(), &mut stops);
                if let Some((_, quantity)) = stops.leave() {
                    sent += 1;
                    let id = format!("S{sent}");
                    let stop = order(&id, Side::Sell, None, quantity);
                    client.send(&stop).map_err(Error::Socket)?;
                    taken.add(began.elapsed().as_nanos() as u64);
                } else if stops.armed() == 0 && last == Some(AWAY) {
                    // Not before: the trades of the other stop are at the trigger, too.
                    arm(&mut stops);
                }
            }
            Some(Event::Disconnect(_)) => return Err(failed("the client's session")),
            _ => {}
        }
    }
    Ok(taken)
}

/// Trades at the trigger, waits until both stops have traded with its bid, and moves the price away again.
pub fn maker(address: SocketAddr, rounds: u64, market: &Market) -> Result<(), Error> {
    let result = play(address, rounds, market);
    if result.is_err() {
        market.closed.store(true, Ordering::Relaxed);
    }
    result
}

fn play(address: SocketAddr, rounds: u64, market: &Market) -> Result<(), Error> {
    let mut maker = log_on(MAKER, address)?;
    for round in 0..rounds {
        let armed = || {
            market
                .armed
                .iter()
                .all(|n| n.load(Ordering::Relaxed) > round)
        };
        let began = Instant::now();
        while !armed() {
            if began.elapsed() > PATIENCE || market.closed.load(Ordering::Relaxed) {
                return Err(failed(&format!("round {}: arming a stop", round + 1)));
            }
            // Heartbeats are answered meanwhile.
            maker
                .wait(Duration::from_millis(1))
                .map_err(Error::Socket)?;
        }
        // A bid for both stops and for the maker's own share, which makes the price.
        trade(
            &mut maker,
            &format!("B{round}"),
            &format!("T{round}"),
            TRIGGER,
            3,
        )?;
        trade(
            &mut maker,
            &format!("A{round}"),
            &format!("U{round}"),
            AWAY,
            1,
        )?;
        market.rounds.store(round + 1, Ordering::Relaxed);
    }
    Ok(())
}

/// A bid for so many shares of one stop's size, and a sale of one such share to it; waits until all of the bid has traded.
fn trade(
    maker: &mut Initiator<Memory>,
    bid: &str,
    sale: &str,
    price: i64,
    shares: u32,
) -> Result<(), Error> {
    let bid = order(bid, Side::Buy, Some(price), shares * QUANTITY);
    maker.send(&bid).map_err(Error::Socket)?;
    let sale = order(sale, Side::Sell, Some(price), QUANTITY);
    maker.send(&sale).map_err(Error::Socket)?;
    // The bid's shares, and the sale's own report.
    let mut left = u64::from((shares + 1) * QUANTITY);
    let began = Instant::now();
    while left > 0 {
        match maker.wait(LOOK).map_err(Error::Socket)? {
            Some(Event::Message { .. }) => left = left.saturating_sub(traded(maker)),
            Some(Event::Disconnect(_)) => return Err(failed("the maker's session")),
            _ => {}
        }
        if began.elapsed() > PATIENCE {
            return Err(failed("a stop's trade"));
        }
    }
    Ok(())
}
