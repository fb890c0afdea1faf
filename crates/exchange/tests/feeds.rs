//! Reports, prices and the feed agree with the books after every request of a long random day.

use crate::common;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::net::UdpSocket;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use common::{NOW, act, exchange, limit, price_request};
use exchange::{Exchange, ItchPublisher, Line, Outgoing, Request, UdpLine};
use feed::recovery::History;
use feed::socket::{Sender, SenderOptions};
use formats::Side;
use formats::fix::*;
use formats::itch;
use formats::mold::{Header as MoldHeader, Packet};

/// The book as a reader of the ITCH feed has it: reference to symbol, side, price, shares.
#[derive(Default)]
struct ItchReader {
    orders: BTreeMap<u64, (String, Side, u32, u32)>,
    next: u64,
    executed: u64,
}

impl ItchReader {
    fn packet(&mut self, bytes: &[u8]) {
        let packet = Packet::parse(bytes).unwrap();
        assert_eq!(packet.header.sequence, self.next.max(1), "no gap");
        for message in packet.messages() {
            self.next = self.next.max(1) + 1;
            self.message(itch::Message::parse(itch::Version::V50, message).unwrap());
        }
    }

    fn take(&mut self, reference: u64, shares: u32) {
        let order = self
            .orders
            .get_mut(&reference)
            .expect("an order that was added");
        order.3 = order.3.checked_sub(shares).expect("no more than is there");
        if order.3 == 0 {
            self.orders.remove(&reference);
        }
    }

    fn message(&mut self, message: itch::Message) {
        match message {
            itch::Message::AddOrder(m) => {
                let order = (m.stock.to_string(), m.side, m.price, m.shares);
                assert_eq!(
                    self.orders.insert(m.order_reference, order),
                    None,
                    "a reference is used once"
                );
            }
            itch::Message::OrderExecuted(m) => {
                self.take(m.order_reference, m.executed_shares);
                self.executed += u64::from(m.executed_shares);
            }
            itch::Message::OrderCancel(m) => self.take(m.order_reference, m.cancelled_shares),
            itch::Message::OrderDelete(m) => {
                assert!(self.orders.remove(&m.order_reference).is_some())
            }
            itch::Message::OrderReplace(m) => {
                let (symbol, side, ..) = self
                    .orders
                    .remove(&m.order_reference)
                    .expect("an order that was added");
                self.orders
                    .insert(m.new_order_reference, (symbol, side, m.price, m.shares));
            }
            _ => {}
        }
    }
}

/// Quantity by symbol, side and price.
type Levels = BTreeMap<(String, bool, i64), u64>;

fn engine_levels(exchange: &Exchange, best: bool) -> Levels {
    let mut levels = Levels::new();
    for (instrument, listing) in exchange.listings().iter().enumerate() {
        for side in [Side::Buy, Side::Sell] {
            let found = exchange.engine().levels(instrument as u32, side);
            for level in found.take(if best { 1 } else { usize::MAX }) {
                let key = (
                    listing.symbol.to_string(),
                    side == Side::Buy,
                    listing.price(level.price),
                );
                levels.insert(key, level.quantity);
            }
        }
    }
    levels
}

/// The prices as a subscriber of 35=W and 35=X has them.
fn follow(levels: &mut Levels, best: bool, message: &Outgoing<'_>) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    match message {
        Outgoing::Snapshot(snapshot) => {
            for entry in &snapshot.entries {
                if entry.entry_type != MdEntryType::Trade {
                    let buy = entry.entry_type == MdEntryType::Bid;
                    let key = (text(snapshot.symbol), buy, entry.price.unwrap().mantissa);
                    levels.insert(key, entry.size.unwrap().mantissa as u64);
                }
            }
        }
        Outgoing::Increment(increment) => {
            for entry in increment
                .entries
                .iter()
                .filter(|entry| entry.entry_type != Some(MdEntryType::Trade))
            {
                let buy = entry.entry_type == Some(MdEntryType::Bid);
                let key = (
                    text(entry.symbol.unwrap()),
                    buy,
                    entry.price.unwrap().mantissa,
                );
                if best {
                    levels.retain(|old, _| (&old.0, old.1) != (&key.0, key.1));
                }
                let known = levels.contains_key(&key);
                match entry.action {
                    MdUpdateAction::New => assert!(!known, "{entry:?}"),
                    _ => assert!(known || best, "{entry:?}"),
                }
                if entry.action == MdUpdateAction::Delete {
                    levels.remove(&key);
                } else {
                    levels.insert(key, entry.size.unwrap().mantissa as u64);
                }
            }
        }
        _ => {}
    }
}

/// An order as its reports show it: quantity, traded, price times quantity, whether it is done.
#[derive(Clone, Copy, Default)]
struct Printed {
    traded: i64,
    notional: i64,
    done: bool,
}

fn check_report(orders: &mut HashMap<Vec<u8>, Printed>, report: &ExecutionReport<'_>) {
    if report.execution_type == ExecType::Rejected {
        return;
    }
    let order = orders.entry(report.order_id.to_vec()).or_default();
    assert!(!order.done, "{report:?}");
    if let (Some(quantity), Some(price)) = (report.last_quantity, report.last_price) {
        order.traded += quantity.mantissa;
        order.notional += quantity.mantissa * price.mantissa;
    }
    assert_eq!(report.cumulative_quantity.mantissa, order.traded);
    order.done = matches!(report.status, OrdStatus::Filled | OrdStatus::Canceled);
    let left = if order.done {
        0
    } else {
        report.quantity.unwrap().mantissa - order.traded
    };
    assert_eq!(report.leaves_quantity.mantissa, left, "{report:?}");
    if order.traded > 0 {
        let average = (order.notional * 100 + order.traded / 2) / order.traded;
        assert_eq!(report.average_price.mantissa, average, "{report:?}");
    }
}

#[test]
fn both_lines_carry_the_same_packets_over_udp_and_heartbeats_between() {
    let mut exchange = exchange();
    let sockets = [(); 2].map(|()| UdpSocket::bind("127.0.0.1:0").unwrap());
    let lost = Arc::new(AtomicU64::new(0));
    let lines = sockets.each_ref().map(|socket| {
        let endpoint = socket.local_addr().unwrap().to_string().parse().unwrap();
        let sender = Sender::open(&endpoint, SenderOptions::default()).unwrap();
        Box::new(UdpLine::new(sender, lost.clone())) as Box<dyn Line>
    });
    let publisher = ItchPublisher::new(*b"SESSION001", lines.into(), None);
    exchange.publish(Box::new(publisher), NOW);
    let order = limit(b"a", Side::Buy, 5_000, 7);
    exchange
        .order(0, &Request::New(order), NOW, &mut ())
        .unwrap();
    exchange.heartbeat(NOW);
    for socket in &sockets {
        socket
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        let mut reader = ItchReader::default();
        let mut buffer = [0; 2_000];
        // The instruments, the order, the heartbeat.
        for messages in [5, 1, 0] {
            let length = socket.recv(&mut buffer).unwrap();
            assert_eq!(
                Packet::parse(&buffer[..length]).unwrap().header.count,
                messages
            );
            reader.packet(&buffer[..length]);
        }
        let orders: Vec<_> = reader.orders.into_values().collect();
        assert_eq!(orders, [("AAPL".to_owned(), Side::Buy, 500_000, 7)]);
    }
    assert_eq!(lost.load(Ordering::Relaxed), 0);
}

#[test]
fn reports_prices_and_the_feed_agree_with_the_books_after_every_request() {
    let mut exchange = exchange();
    let reader = Rc::new(RefCell::new(ItchReader::default()));
    let packets = Rc::new(RefCell::new(vec![]));
    let history = Arc::new(Mutex::new(History::new(1 << 24)));
    let line_a = {
        let reader = reader.clone();
        move |packet: &[u8]| reader.borrow_mut().packet(packet)
    };
    let line_b = {
        let packets = packets.clone();
        move |packet: &[u8]| packets.borrow_mut().push(packet.to_vec())
    };
    // Orders that are there before the first subscription.
    for number in 0..500 {
        act(&mut exchange, number, &mut ());
    }
    let publisher = ItchPublisher::new(
        *b"SESSION001",
        vec![Box::new(line_a), Box::new(line_b)],
        Some(history.clone()),
    );
    exchange.publish(Box::new(publisher), NOW);
    let symbols = [
        RelatedSymbol { symbol: b"AAPL" },
        RelatedSymbol { symbol: b"MSFT" },
    ];
    let (mut all, mut best) = (Levels::new(), Levels::new());
    // A client of its own: prices of all levels come under the name `r`, the best ones without one.
    let watcher = exchange.client(b"WATCHER", Version::Fix44);
    let listen = |client: u32, message: &Outgoing<'_>, all: &mut Levels, best: &mut Levels| {
        let named = match message {
            Outgoing::Snapshot(snapshot) => snapshot.request_id.is_some(),
            Outgoing::Increment(increment) => increment.request_id.is_some(),
            _ => return,
        };
        assert_eq!(client, watcher);
        follow(if named { all } else { best }, !named, message);
    };
    let request = Request::Prices(price_request(0, &symbols));
    exchange
        .order(watcher, &request, NOW, &mut |c: u32, m: &Outgoing<'_>| {
            listen(c, m, &mut all, &mut best)
        })
        .unwrap();
    exchange.subscribe_to_all(watcher, &mut |c: u32, m: &Outgoing<'_>| {
        listen(c, m, &mut all, &mut best)
    });
    let mut orders = HashMap::new();
    let (mut sold, mut kinds) = (0, [0; 4]);
    for number in 500..20_000 {
        act(
            &mut exchange,
            number,
            &mut |client: u32, message: &Outgoing<'_>| {
                listen(client, message, &mut all, &mut best);
                if let Outgoing::Report(report) = message {
                    // Orders of the first 500 requests were traded before.
                    if String::from_utf8_lossy(report.order_id)
                        .parse::<u64>()
                        .is_ok_and(|number| number > 500)
                    {
                        check_report(&mut orders, report);
                    }
                    if report.side == Side::Sell {
                        sold += report
                            .last_quantity
                            .map_or(0, |quantity| quantity.mantissa as u64);
                    }
                    kinds[match report.execution_type {
                        ExecType::Trade | ExecType::Fill | ExecType::PartialFill => 0,
                        ExecType::Replaced => 1,
                        ExecType::Canceled => 2,
                        _ => 3,
                    }] += 1;
                }
            },
        );
        let reader = reader.borrow();
        let mut levels = Levels::new();
        for (symbol, side, price, shares) in reader.orders.values() {
            let key = (symbol.clone(), *side == Side::Buy, i64::from(*price));
            *levels.entry(key).or_default() += u64::from(*shares);
        }
        let expected = engine_levels(&exchange, false);
        assert_eq!(levels, expected, "ITCH, request {number}");
        assert_eq!(all, expected, "35=X, request {number}");
        assert_eq!(
            best,
            engine_levels(&exchange, true),
            "best prices, request {number}"
        );
    }
    assert_eq!(reader.borrow().executed, sold);
    assert!(
        kinds.iter().all(|count| *count > 300),
        "every kind of report came: {kinds:?}"
    );
    // The request server has all of it.
    let next = reader.borrow().next;
    let mut history = history.lock().unwrap();
    let mut again = ItchReader::default();
    while again.next.max(1) < next {
        let header = MoldHeader {
            session: *b"SESSION001",
            sequence: again.next.max(1),
            count: u16::MAX - 1,
        };
        again.packet(history.answer(&header.to_bytes()).unwrap());
    }
    assert_eq!(again.orders, reader.borrow().orders);
    assert!(packets.borrow().iter().all(|packet| packet.len() <= 1_472));
}
