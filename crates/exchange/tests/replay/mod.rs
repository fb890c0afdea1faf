//! A recorded day in the books: how it meets clients' orders, rule by rule, and the real hour of AAPL.

use crate::common;
mod day;
mod player;

use common::{NOW, cancel, exchange, limit};
use exchange::replay::{Counters, RECORD};
use exchange::{Exchange, Outgoing, Replay, Request};
use formats::Side;
use formats::fix::{Decimal, NewOrderSingle, OrdType};
use formats::itch::{
    AddOrder, Head, Message, OrderCancel, OrderDelete, OrderExecuted, OrderReplace, Version,
};

const HEAD: Head = Head {
    stock_locate: 1,
    tracking_number: 0,
    nanoseconds: 0,
};

/// An exchange, a record, and the reports that client 0 got: status and last quantity of each report.
struct Room {
    exchange: Exchange,
    replay: Replay,
    told: Vec<(String, u64)>,
}

impl Room {
    fn new() -> Self {
        Room {
            exchange: exchange(),
            replay: Replay::default(),
            told: vec![],
        }
    }

    fn record(&mut self, message: Message) {
        let mut bytes = vec![];
        message.emit(Version::V50, &mut bytes).unwrap();
        let told = &mut self.told;
        let mut outbox = |_: u32, message: &Outgoing<'_>| note(told, message);
        self.replay
            .message(&mut self.exchange, Version::V50, &bytes, NOW, &mut outbox);
    }

    /// An order of the record in AAPL, price in cents.
    fn add(&mut self, reference: u64, side: Side, shares: u32, cents: u32) {
        self.record(Message::AddOrder(AddOrder {
            head: HEAD,
            order_reference: reference,
            side,
            shares,
            stock: "AAPL".parse().unwrap(),
            price: cents * 100,
        }));
    }

    fn execute(&mut self, reference: u64, shares: u32) {
        self.record(Message::OrderExecuted(OrderExecuted {
            head: HEAD,
            order_reference: reference,
            executed_shares: shares,
            match_number: 1,
        }));
    }

    fn reduce(&mut self, reference: u64, shares: u32) {
        self.record(Message::OrderCancel(OrderCancel {
            head: HEAD,
            order_reference: reference,
            cancelled_shares: shares,
        }));
    }

    fn delete(&mut self, reference: u64) {
        self.record(Message::OrderDelete(OrderDelete {
            head: HEAD,
            order_reference: reference,
        }));
    }

    fn replace(&mut self, reference: u64, new: u64, shares: u32, cents: u32) {
        self.record(Message::OrderReplace(OrderReplace {
            head: HEAD,
            order_reference: reference,
            new_order_reference: new,
            shares,
            price: cents * 100,
        }));
    }

    fn send(&mut self, request: &Request<'_>) {
        let told = &mut self.told;
        let mut outbox = |_: u32, message: &Outgoing<'_>| note(told, message);
        self.exchange.order(0, request, NOW, &mut outbox).unwrap();
    }

    fn order(&mut self, name: &[u8], side: Side, quantity: i64, cents: i64) {
        self.send(&Request::New(limit(name, side, cents, quantity)));
    }

    /// The reports that client 0 got since the last time.
    fn told(&mut self) -> Vec<(String, u64)> {
        std::mem::take(&mut self.told)
    }

    /// The orders of a side in the order they would trade: whether of the record, shares, price in cents.
    fn book(&self, side: Side) -> Vec<(bool, u64, i64)> {
        let orders = self.exchange.engine().orders(0, side);
        orders
            .map(|order| {
                let party = order.party;
                (party.client == RECORD, party.remaining, order.price)
            })
            .collect()
    }

    fn counters(&self) -> Counters {
        self.replay.counters()
    }
}

fn note(told: &mut Vec<(String, u64)>, message: &Outgoing<'_>) {
    if let Outgoing::Report(report) = message {
        let last = report.last_quantity.and_then(|last| last.at_scale(0));
        told.push((format!("{:?}", report.status), last.unwrap_or(0) as u64));
    }
}

fn status(status: &str, last: u64) -> (String, u64) {
    (status.to_owned(), last)
}

#[test]
fn without_clients_the_book_is_the_records() {
    let mut room = Room::new();
    room.add(1, Side::Buy, 100, 1_000);
    room.add(2, Side::Buy, 50, 1_000);
    room.add(3, Side::Sell, 70, 1_001);
    // Not the one ahead of it: the record says which it was.
    room.execute(2, 20);
    room.reduce(1, 30);
    assert_eq!(room.book(Side::Buy), [(true, 70, 1_000), (true, 30, 1_000)]);
    // The replacement is behind the other, at the same price and with fewer shares too.
    room.replace(1, 4, 60, 1_000);
    assert_eq!(room.book(Side::Buy), [(true, 30, 1_000), (true, 60, 1_000)]);
    room.delete(2);
    room.execute(4, 60);
    assert!(room.book(Side::Buy).is_empty());
    assert_eq!(room.book(Side::Sell), [(true, 70, 1_001)]);
    assert_eq!(room.exchange.engine().last_price(0), Some(1_000));
    let counters = room.counters();
    assert_eq!((counters.executed, counters.followed), (80, 80));
    assert_eq!((counters.orders, room.replay.orders()), (4, 1));
}

#[test]
fn a_recorded_order_trades_with_a_clients_order_that_it_meets() {
    let mut room = Room::new();
    room.order(b"1", Side::Sell, 30, 1_000);
    room.add(1, Side::Buy, 100, 1_002);
    assert_eq!(room.told(), [status("New", 0), status("Filled", 30)]);
    assert_eq!(room.book(Side::Buy), [(true, 70, 1_002)]);
    assert_eq!(
        room.exchange.engine().last_price(0),
        Some(1_000),
        "at the price that was there"
    );
    assert_eq!(room.counters().taken, 30);
}

#[test]
fn a_clients_order_in_front_gets_what_the_record_says_was_executed() {
    let mut room = Room::new();
    room.order(b"better", Side::Buy, 10, 1_001);
    room.order(b"earlier", Side::Buy, 10, 1_000);
    room.add(1, Side::Buy, 100, 1_000);
    room.order(b"later", Side::Buy, 10, 1_000);
    room.told();
    room.execute(1, 15);
    assert_eq!(
        room.told(),
        [status("Filled", 10), status("PartiallyFilled", 5)]
    );
    // The record has 85 left of it: the shares that clients' orders took in its place leave too.
    assert_eq!(
        room.book(Side::Buy),
        [(false, 5, 1_000), (true, 85, 1_000), (false, 10, 1_000)]
    );
    room.execute(1, 85);
    assert_eq!(room.told(), [status("Filled", 5)]);
    assert_eq!(room.book(Side::Buy), [(false, 10, 1_000)]);
    let counters = room.counters();
    assert_eq!((counters.executed, counters.followed), (100, 80));
    assert_eq!((counters.diverted, counters.void), (20, 0));
}

#[test]
fn an_execution_of_an_order_that_a_client_took_away_goes_to_clients_behind_it_or_to_nobody() {
    let mut room = Room::new();
    room.add(1, Side::Buy, 100, 1_000);
    room.add(2, Side::Buy, 100, 1_000);
    room.order(b"1", Side::Sell, 100, 1_000);
    assert_eq!(room.told(), [status("New", 0), status("Filled", 100)]);
    room.order(b"2", Side::Buy, 10, 1_000);
    room.order(b"3", Side::Buy, 10, 999);
    room.told();
    room.execute(1, 100);
    assert_eq!(
        room.told(),
        [status("Filled", 10)],
        "not the one at a worse price"
    );
    // The other recorded order was not executed in the record, and is not here.
    assert_eq!(room.book(Side::Buy), [(true, 100, 1_000), (false, 10, 999)]);
    let counters = room.counters();
    assert_eq!(
        (counters.diverted, counters.void, counters.unknown),
        (10, 90, 0)
    );
    assert_eq!(room.replay.orders(), 1);
}

#[test]
fn what_a_client_took_of_an_order_stays_taken() {
    let mut room = Room::new();
    room.add(1, Side::Buy, 100, 1_000);
    room.order(b"1", Side::Sell, 30, 1_000);
    room.reduce(1, 20);
    assert_eq!(room.book(Side::Buy), [(true, 50, 1_000)]);
    room.replace(1, 2, 90, 1_001);
    assert_eq!(
        room.book(Side::Buy),
        [(true, 60, 1_001)],
        "90 without the 30"
    );
    room.execute(2, 90);
    assert!(room.book(Side::Buy).is_empty());
    let counters = room.counters();
    assert_eq!((counters.followed, counters.void), (60, 30));

    // One that was taken completely comes back with a larger replacement only, and its messages are known.
    room.add(3, Side::Buy, 40, 1_000);
    room.order(b"2", Side::Sell, 40, 1_000);
    room.replace(3, 4, 40, 1_000);
    assert!(room.book(Side::Buy).is_empty());
    room.replace(4, 5, 45, 1_000);
    assert_eq!(room.book(Side::Buy), [(true, 5, 1_000)]);
    room.reduce(5, 5);
    room.delete(5);
    assert!(room.book(Side::Buy).is_empty());
    assert_eq!((room.counters().unknown, room.replay.orders()), (0, 0));
}

#[test]
fn a_clients_orders_trade_and_leave_beside_recorded_ones_as_beside_any() {
    let mut room = Room::new();
    room.add(1, Side::Sell, 10, 1_000);
    room.order(b"1", Side::Buy, 25, 1_000);
    assert_eq!(
        room.told(),
        [status("New", 0), status("PartiallyFilled", 10)]
    );
    let order = limit(b"1", Side::Buy, 1_000, 25);
    room.send(&Request::Cancel(cancel(&order, b"2")));
    assert_eq!(room.told(), [status("Canceled", 0)]);
    room.delete(1);
    assert!(room.book(Side::Sell).is_empty());
}

#[test]
fn a_recorded_execution_triggers_clients_stop_orders() {
    let mut room = Room::new();
    room.add(1, Side::Buy, 100, 1_000);
    room.add(2, Side::Buy, 100, 990);
    let stop = NewOrderSingle {
        order_type: OrdType::Stop,
        price: None,
        stop_price: Some(Decimal::new(1_000, 2)),
        ..limit(b"1", Side::Sell, 0, 150)
    };
    room.send(&Request::New(stop));
    assert_eq!(room.told(), [status("New", 0)]);
    room.execute(1, 40);
    assert_eq!(
        room.told(),
        [status("PartiallyFilled", 60), status("Filled", 90)]
    );
    assert_eq!(room.book(Side::Buy), [(true, 10, 990)]);
    // The record goes on with what the client took.
    room.execute(1, 60);
    room.delete(2);
    assert!(room.book(Side::Buy).is_empty());
    assert_eq!(room.counters().void, 60);
}

#[test]
fn what_cannot_enter_is_counted_and_so_is_what_is_not_known() {
    let mut room = Room::new();
    room.add(1, Side::Buy, 100, 1_000);
    room.add(1, Side::Buy, 100, 999);
    let half_a_cent = AddOrder {
        head: HEAD,
        order_reference: 2,
        side: Side::Buy,
        shares: 1,
        stock: "AAPL".parse().unwrap(),
        price: 100_050,
    };
    room.record(Message::AddOrder(half_a_cent));
    room.add(3, Side::Buy, 1, 4_000_000);
    room.add(4, Side::Buy, 2_000_000, 1_000);
    room.add(5, Side::Buy, 0, 1_000);
    assert_eq!(
        room.counters().orders,
        2,
        "an order of no shares is none, and is known"
    );
    assert_eq!(room.counters().left_out, 4);
    room.delete(2);
    room.execute(9, 5);
    assert_eq!(room.counters().unknown, 2);
    // Another instrument's, by its locate code.
    let stock = "ZZZ".parse().unwrap();
    let head = Head {
        stock_locate: 7,
        ..HEAD
    };
    room.record(Message::AddOrder(AddOrder {
        head,
        stock,
        ..half_a_cent
    }));
    room.record(Message::OrderDelete(OrderDelete {
        head,
        order_reference: 2,
    }));
    assert_eq!((room.counters().unknown, room.counters().others), (2, 2));
    let mut outbox = ();
    for bytes in [&b""[..], b"A", b"\xff\x00\x00"] {
        room.replay
            .message(&mut room.exchange, Version::V50, bytes, NOW, &mut outbox);
    }
    assert_eq!(room.counters().malformed, 3);
    assert_eq!(room.book(Side::Buy), [(true, 100, 1_000)]);
    // More than there is: all of it, and no more.
    room.execute(1, 500);
    assert!(room.book(Side::Buy).is_empty());
}
