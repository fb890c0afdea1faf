//! The real hour of AAPL (`../shared/data`), without clients and with one that trades all the time.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::rc::Rc;

use exchange::replay::RECORD;
use exchange::{
    Engine, Event, Exchange, Listing, OrderId, Outgoing, Publisher, Replay, Request, Settings,
};
use feed::source::{MessageReader, Options};
use formats::Side;
use formats::fix::{Decimal, OrdType, Timestamp, Version as Fix};
use formats::itch::Message;

use super::common::{NOW, limit, mixed};

fn file(name: &str) -> Option<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let path = root
        .join("../../../shared/data/nasdaq-aapl-2012-06-21")
        .join(name);
    if path.is_file() {
        return Some(path);
    }
    eprintln!("SKIPPED: no {name} in ../shared/data");
    None
}

fn aapl() -> Exchange {
    let listing = Listing::cents("AAPL".parse().unwrap());
    let settings = Settings {
        most_orders: 10_000,
        ..Settings::default()
    };
    let mut exchange = Exchange::new(settings, &[listing]).unwrap();
    exchange.client(b"ALICE", Fix::Fix44);
    exchange
}

/// The record's own book, built naively: side, price in 1/10,000 and shares by order.
#[derive(Default)]
struct Plain(HashMap<u64, (Side, u32, u64)>);

impl Plain {
    fn message(&mut self, message: &Message) {
        match message {
            Message::AddOrder(m) => {
                let order = (m.side, m.price, m.shares.into());
                self.0.insert(m.order_reference, order);
            }
            Message::OrderExecuted(m) => self.take(m.order_reference, m.executed_shares),
            Message::OrderCancel(m) => self.take(m.order_reference, m.cancelled_shares),
            Message::OrderDelete(m) => drop(self.0.remove(&m.order_reference)),
            Message::StockDirectory(_) | Message::SystemEvent(_) | Message::Trade(_) => {}
            Message::Seconds(_) => {}
            other => panic!("not in this file: {other:?}"),
        }
    }

    fn take(&mut self, reference: u64, shares: u32) {
        let order = self.0.get_mut(&reference).unwrap();
        order.2 -= u64::from(shares);
        if order.2 == 0 {
            self.0.remove(&reference);
        }
    }

    /// Shares by price of a side, in cents.
    fn levels(&self, side: Side) -> BTreeMap<i64, u64> {
        let mut levels = BTreeMap::new();
        for (_, price, shares) in self.0.values().filter(|order| order.0 == side) {
            *levels.entry(i64::from(*price) / 100).or_default() += shares;
        }
        levels
    }
}

fn levels(engine: &Engine, side: Side) -> BTreeMap<i64, u64> {
    engine
        .levels(0, side)
        .map(|level| (level.price, level.quantity))
        .collect()
}

fn best(engine: &Engine) -> (Option<i64>, Option<i64>) {
    let price = |side| engine.levels(0, side).next().map(|level| level.price);
    (price(Side::Buy), price(Side::Sell))
}

fn is_crossed(engine: &Engine) -> bool {
    matches!(best(engine), (Some(bid), Some(offer)) if bid >= offer)
}

#[test]
fn at_the_end_of_the_hour_the_books_are_the_records() {
    for name in ["aapl.itch50", "aapl.itch41"] {
        let Some(path) = file(name) else { return };
        let (mut exchange, mut replay, mut plain) = (aapl(), Replay::default(), Plain::default());
        let mut reader = MessageReader::open(&path, Options::default()).unwrap();
        let version = reader.version();
        while let Some(record) = reader.next_message().unwrap() {
            plain.message(&Message::parse(version, record.message).unwrap());
            replay.message(&mut exchange, version, record.message, NOW, &mut ());
            assert!(!is_crossed(exchange.engine()));
        }
        let engine = exchange.engine();
        for (side, count) in [(Side::Buy, 121), (Side::Sell, 103)] {
            assert_eq!(levels(engine, side), plain.levels(side));
            assert_eq!(engine.levels(0, side).count(), count);
        }
        let orders = |side| engine.orders(0, side).count();
        assert_eq!(orders(Side::Buy) + orders(Side::Sell), 380);
        let counters = replay.counters();
        assert_eq!(counters.orders, 44_336);
        assert_eq!(counters.executed, counters.followed);
        assert_eq!(
            (counters.left_out, counters.unknown, counters.crossed),
            (0, 0, 0)
        );
    }
}

/// What every order has left, by the events alone.
#[derive(Default)]
struct Ledger {
    left: HashMap<OrderId, u64>,
    /// Shares of clients' orders that traded.
    traded: u64,
}

struct Bookkeeper(Rc<RefCell<Ledger>>);

impl Publisher for Bookkeeper {
    fn begin(&mut self, _: &[Listing], _: &Engine, _: Timestamp) {}

    fn event(&mut self, event: &Event, _: Timestamp) {
        let mut ledger = self.0.borrow_mut();
        match *event {
            Event::Accepted { order, .. } => {
                assert!(ledger.left.insert(order.id, order.remaining).is_none());
            }
            Event::Traded {
                quantity,
                maker,
                taker,
                ..
            } => {
                assert!(quantity > 0);
                for party in [maker, taker] {
                    ledger.traded += if party.client == RECORD { 0 } else { quantity };
                    // The taker of a recorded order is no order.
                    if party.id != OrderId::default() {
                        let left = ledger.left.get_mut(&party.id).unwrap();
                        *left -= quantity;
                        assert_eq!(*left, party.remaining);
                    }
                }
                ledger.left.retain(|_, left| *left > 0);
            }
            Event::Reduced { order, removed, .. } => {
                let left = ledger.left.get_mut(&order.id).unwrap();
                *left -= removed;
                assert_eq!(*left, order.remaining);
            }
            Event::Removed { order, .. } => {
                assert_eq!(ledger.left.remove(&order.id), Some(order.remaining));
            }
            Event::Replaced { .. } => panic!("nobody replaces here"),
            Event::Rested { .. } | Event::Triggered { .. } => {}
        }
    }

    fn end(&mut self) {}
    fn heartbeat(&mut self, _: Timestamp) {}
}

#[test]
fn a_client_that_trades_all_the_time_leaves_no_book_crossed_and_no_share_unaccounted() {
    let Some(path) = file("aapl.itch50") else {
        return;
    };
    let (mut exchange, mut replay, mut plain) = (aapl(), Replay::default(), Plain::default());
    let ledger = Rc::new(RefCell::new(Ledger::default()));
    exchange.publish(Box::new(Bookkeeper(Rc::clone(&ledger))), NOW);
    let mut reader = MessageReader::open(&path, Options::default()).unwrap();
    let version = reader.version();
    let mut reported = 0_u64;
    let mut outbox = |_: u32, message: &Outgoing<'_>| {
        if let Outgoing::Report(report) = message {
            let last = report.last_quantity.and_then(|last| last.at_scale(0));
            reported += last.unwrap_or(0) as u64;
        }
    };
    let mut number = 0_u64;
    while let Some(record) = reader.next_message().unwrap() {
        number += 1;
        plain.message(&Message::parse(version, record.message).unwrap());
        replay.message(&mut exchange, version, record.message, NOW, &mut outbox);
        assert!(!is_crossed(exchange.engine()));
        if number.is_multiple_of(50) {
            // Around the best prices: some rest in front, some take, some wait far away.
            let bits = mixed(number);
            let name = number.to_string();
            let side = if bits & 1 == 0 { Side::Buy } else { Side::Sell };
            let (bid, offer) = best(exchange.engine());
            let around = bid.or(offer).unwrap_or(58_000);
            let mut order = limit(
                name.as_bytes(),
                side,
                around + (bits >> 8 & 31) as i64 - 15,
                (bits >> 16 & 255) as i64 + 1,
            );
            if bits >> 32 & 15 == 0 {
                order.order_type = OrdType::Stop;
                order.stop_price = Some(Decimal::new(around + 20, 2));
            }
            let request = Request::New(order);
            exchange.order(0, &request, NOW, &mut outbox).unwrap();
            assert!(!is_crossed(exchange.engine()));
        }
        if number.is_multiple_of(10_000) {
            // At no price the record's orders have more than the record.
            for side in [Side::Buy, Side::Sell] {
                let record = plain.levels(side);
                let mut ours: BTreeMap<i64, u64> = BTreeMap::new();
                let orders = exchange.engine().orders(0, side);
                for order in orders.filter(|order| order.party.client == RECORD) {
                    *ours.entry(order.price).or_default() += order.party.remaining;
                }
                assert!(!ours.is_empty());
                for (price, quantity) in ours {
                    assert!(
                        quantity <= record.get(&price).copied().unwrap_or(0),
                        "{price}"
                    );
                }
            }
        }
    }
    let counters = replay.counters();
    let parts = counters.followed + counters.diverted + counters.void;
    assert_eq!(counters.executed, parts);
    // All of it took place.
    assert!(
        counters.diverted > 0 && counters.void > 0 && counters.taken > 0,
        "{counters:?}"
    );
    assert_eq!((counters.unknown, counters.crossed), (0, 0));
    let ledger = ledger.borrow();
    assert_eq!(reported, ledger.traded);
    let mut left = ledger.left.clone();
    for side in [Side::Buy, Side::Sell] {
        for order in exchange.engine().orders(0, side) {
            assert_eq!(left.remove(&order.party.id), Some(order.party.remaining));
        }
    }
    // What is left waits for its trigger.
    let waits = |id: &OrderId| {
        exchange
            .engine()
            .order(*id)
            .is_some_and(|order| order.waiting)
    };
    assert!(left.keys().all(waits), "{} orders unaccounted", left.len());
}
