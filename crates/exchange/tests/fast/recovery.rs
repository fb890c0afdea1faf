//! What lines lose: arbitration makes up for what one of them lost, snapshots for what both did, and for what came before a reader joined.

use std::collections::HashMap;

use arbiter::{Arbiter, Config, Delivery, Event as ArbiterEvent, Output, Protocol, Sink};
use book::{Limits as BookLimits, Status};
use decoder::Fast;
use decoder::fast::Snapshots;
use exchange::{Exchange, FastPublisher, Request};
use fast::{Framing, Templates};
use formats::fix::Timestamp;
use order::{Description, Instrument};
use pipeline::{OrderLog, OrderSink, Traded, Trading, TradingConfig};
use risk::{InstrumentLimits, Kill, Limits};

use crate::common::{NOW, act, exchange, limit, mixed};
use crate::fast::reader::{Order, book_orders, engine_orders, symbols};
use crate::fast::{SETTINGS, Sent, map, template_files};

const MILLISECOND: u64 = 1_000_000;

/// A packet that was published, and whether it is one of the log, not of the snapshots.
type Published = (bool, Vec<u8>);

/// A day of the exchange: its packets in the order in which they left, and its own books after each message that ended a commit.
pub struct Day {
    pub packets: Vec<Published>,
    pub books: HashMap<u32, Vec<Order>>,
}

impl Day {
    /// So many requests, one each millisecond; an instrument has a snapshot every `cycle` milliseconds.
    pub fn new(templates: &Templates, requests: u64, cycle: u64) -> Self {
        let mut exchange = exchange();
        // Orders far from the market, so that a book does not fit into one packet.
        for number in 0..150 {
            let name = format!("F{number}").into_bytes();
            let far = limit(&name, formats::Side::Buy, 4_000 + number, 1 + number);
            exchange.order(0, &Request::New(far), NOW, &mut ()).unwrap();
        }
        for number in 0..500 {
            act(&mut exchange, number, &mut ());
        }
        let sent = Sent::default();
        let all = std::rc::Rc::new(std::cell::RefCell::new(Vec::<Published>::new()));
        let (log, snapshots) = (all.clone(), all.clone());
        let numbers = sent.clone();
        let log = move |packet: &[u8]| {
            log.borrow_mut().push((true, packet.to_vec()));
            numbers.borrow_mut().push(packet[..4].to_vec());
        };
        let snapshots = move |packet: &[u8]| snapshots.borrow_mut().push((false, packet.to_vec()));
        let publisher = FastPublisher::new(templates, vec![Box::new(log)]).unwrap();
        let publisher = publisher
            .with_snapshots(vec![Box::new(snapshots)], cycle * MILLISECOND)
            .unwrap();
        exchange.publish(Box::new(publisher), NOW);
        let mut books = HashMap::new();
        let mut note = |exchange: &Exchange| {
            let last = sent.borrow().last().cloned().unwrap();
            let last = u32::from_le_bytes(last.try_into().unwrap());
            books.insert(last, engine_orders(exchange));
        };
        note(&exchange);
        for number in 500..500 + requests {
            act(&mut exchange, number, &mut ());
            note(&exchange);
            let now = Timestamp(NOW.0 + number * MILLISECOND);
            exchange.give_snapshots(now);
            if number % 10 == 0 {
                exchange.heartbeat(now);
                note(&exchange);
            }
        }
        Day {
            packets: all.take(),
            books,
        }
    }
}

fn number_of(packet: &[u8]) -> u32 {
    u32::from_le_bytes(*packet.first_chunk().unwrap())
}

/// The pipeline without strategies: decoder, instruments, books, recovery.
pub fn trading(templates: &Templates) -> Trading {
    let named = |symbol: formats::Symbol| Instrument {
        symbol: symbol.to_string(),
        decimals: 4,
    };
    let instruments = symbols().map(named).to_vec();
    let texts = order::Templates::compile(&Description::new("TW", "EX", instruments), 256);
    let traded = |symbol| Some(Traded::on_feed(symbol, 100, InstrumentLimits::default()));
    let config = TradingConfig {
        version: formats::itch::Version::V50,
        instruments: symbols().map(traded).to_vec(),
        book: BookLimits::UNLIMITED,
        limits: Limits {
            kill: Kill::default(),
            max_quantity: 1,
            max_notional: 1,
            rate_orders: 1,
            rate_window: 1,
            max_open_orders: 1,
        },
        templates: texts.unwrap().at(&[0, 1]),
        strategies: vec![],
        stops: vec![],
    };
    let decoder = Fast::new(templates, SETTINGS(), Framing::Preamble, &map()).unwrap();
    let snapshots = Snapshots::new(templates, SETTINGS(), Framing::Preamble, &map()).unwrap();
    Trading::of_order_log(&config, OrderLog::new(decoder, snapshots)).unwrap()
}

/// There is nothing to send.
pub struct NoOrders;

impl OrderSink for NoOrders {
    fn next(&mut self) -> Result<(order::Number, Timestamp), order::report::Dropped> {
        unreachable!("there is no strategy")
    }
    fn send(&mut self, _: &pipeline::Decision, _: order::Number, _: &[u8]) {}
    fn refused(&mut self, _: &pipeline::Decision, _: risk::Refusal) {}
    fn dropped(&mut self, _: &pipeline::Decision, _: order::report::Dropped) {}
}

fn is_tradable(trading: &Trading, instrument: u32) -> bool {
    trading.status(instrument) == Some(Status::Tradable)
}

/// The orders of an instrument.
fn of(orders: &[Order], instrument: u32) -> Vec<Order> {
    let those = orders.iter().filter(|order| order.0 == instrument);
    those.copied().collect()
}

/// Compares the books that can be relied on with the exchange's after this message; how many there were.
fn compare(trading: &Trading, day: &Day, number: u32) -> usize {
    let Some(expected) = day.books.get(&number) else {
        return 0;
    };
    let orders = book_orders(trading.book());
    let tradable = (0..2).filter(|instrument| is_tradable(trading, *instrument));
    tradable
        .inspect(|instrument| {
            let (ours, theirs) = (of(&orders, *instrument), of(expected, *instrument));
            assert_eq!(ours, theirs, "instrument {instrument}, message {number}");
        })
        .count()
}

/// What an arbiter delivers on the reliable output.
#[derive(Default)]
struct Delivered(Vec<Vec<u8>>);

impl Sink for Delivered {
    fn packet(&mut self, delivery: Delivery<'_>) {
        if delivery.output == Output::HighReliability {
            self.0.push(delivery.payload.to_vec());
        }
    }

    fn event(&mut self, event: ArbiterEvent) {
        let lost = matches!(
            event,
            ArbiterEvent::Gap {
                output: Output::HighReliability,
                ..
            }
        );
        assert!(!lost, "{event:?}");
    }
}

#[test]
fn two_lines_that_each_lose_packets_give_the_books_of_the_exchange() {
    for templates in template_files() {
        let day = Day::new(&templates, 3_000, 1_000_000);
        let log = day.packets.iter().filter(|(is_log, _)| *is_log);
        let mut config = Config::new(Protocol::MOEX);
        config.lines = 2;
        config.slots_per_line = 16;
        let mut arbiter = Arbiter::new(config).unwrap();
        let (mut delivered, mut trading) = (Delivered::default(), trading(&templates));
        let mut late = std::collections::VecDeque::new();
        let (mut lost, mut compared) = ([0, 0], 0);
        for (at, (_, packet)) in (0_u64..).zip(log) {
            // One of three packets is lost, by one line; B is two packets behind A.
            let fate = mixed(at) % 6;
            match fate {
                0 => lost[0] += 1,
                _ => arbiter.push(0, 10 * at, packet, true, &mut delivered),
            }
            late.push_back((fate != 1).then(|| packet.clone()));
            lost[1] += u32::from(fate == 1);
            if late.len() > 2
                && let Some(packet) = late.pop_front().flatten()
            {
                arbiter.push(1, 10 * at + 5, &packet, true, &mut delivered);
            }
            for packet in delivered.0.drain(..) {
                trading.datagram(&packet, 0, &mut NoOrders);
                assert!((0..2).all(|instrument| is_tradable(&trading, instrument)));
                compared += compare(&trading, &day, number_of(&packet));
            }
        }
        assert!(lost.iter().all(|lost| *lost > 300), "{lost:?}");
        assert!(compared > 4_000, "{compared} books compared");
    }
}

#[test]
fn after_a_loss_on_both_lines_books_are_untradable_until_snapshots_rebuild_them() {
    for templates in template_files() {
        let day = Day::new(&templates, 6_000, 50);
        let mut trading = trading(&templates);
        let (mut lost, mut untradable, mut compared, mut rebuilt) = (0, 0, 0, 0);
        for (at, (is_log, packet)) in (0_u64..).zip(&day.packets) {
            // One of 300 packets of the log until shortly before the end, and one of 10 of the snapshots.
            let fate = mixed(at);
            let is_end = at + 500 > day.packets.len() as u64;
            if *is_log && fate.is_multiple_of(300) && at > 0 && !is_end {
                lost += 1;
                continue;
            }
            if !*is_log {
                if !fate.is_multiple_of(10) {
                    trading.snapshot_datagram(packet);
                }
            } else {
                trading.datagram(packet, 0, &mut NoOrders);
                compared += compare(&trading, &day, number_of(packet));
            }
            let recovered = trading.recover(&[0, 1]);
            for recovered in &recovered {
                assert!(recovered.rebuilt.is_ok(), "{recovered:?}");
                rebuilt += 1;
            }
            if !recovered.is_empty() {
                let last = trading.fast_counters().unwrap();
                assert_eq!(last.fast_malformed, 0);
            }
            untradable += trading.untradable(&[0, 1]).len();
        }
        assert!(
            lost > 10 && rebuilt > lost,
            "{lost} lost, {rebuilt} rebuilt"
        );
        assert!(untradable > 100 && compared > 6_000);
        assert!(trading.untradable(&[0, 1]).is_empty());
        let counters = trading.snapshot_counters().unwrap();
        assert!(
            counters.broken > 0 && counters.complete > 100,
            "{counters:?}"
        );
    }
}

#[test]
fn a_reader_that_joins_late_is_untradable_until_snapshots_have_come_and_is_then_equal() {
    for templates in template_files() {
        let day = Day::new(&templates, 2_000, 100);
        let mut trading = trading(&templates);
        let (mut before, mut after) = (0, 0);
        for (is_log, packet) in &day.packets[700..] {
            if *is_log {
                trading.datagram(packet, 0, &mut NoOrders);
                let compared = compare(&trading, &day, number_of(packet));
                (before, after) = match compared {
                    2 => (before, after + 1),
                    _ => (before + 1, after),
                };
                assert!(compared == 2 || after == 0, "tradable once, it stays so");
            } else {
                trading.snapshot_datagram(packet);
            }
            let recovered = trading.recover(&[0, 1]);
            assert!(recovered.iter().all(|one| one.rebuilt.is_ok()));
        }
        assert!(before > 0 && after > 500, "{before} before, {after} after");
    }
}

#[test]
fn an_exchange_that_begins_anew_is_followed_after_the_feed_was_restarted() {
    for templates in template_files() {
        let (first, second) = (
            Day::new(&templates, 300, 100),
            Day::new(&templates, 1_000, 100),
        );
        let mut trading = trading(&templates);
        for (_, packet) in first.packets.iter().filter(|(is_log, _)| *is_log) {
            trading.datagram(packet, 0, &mut NoOrders);
        }
        assert!((0..2).all(|instrument| is_tradable(&trading, instrument)));
        let mut after = 0;
        for (at, (is_log, packet)) in second.packets.iter().enumerate() {
            if at == 20 {
                trading.restart_feed();
            }
            if !*is_log {
                trading.snapshot_datagram(packet);
            } else {
                let cause = trading.datagram(packet, 0, &mut NoOrders);
                if at < 20 {
                    assert_eq!(cause, formats::mold::Cause::Old);
                    continue;
                }
                after += compare(&trading, &second, number_of(packet));
            }
            let recovered = trading.recover(&[0, 1]);
            assert!(recovered.iter().all(|one| one.rebuilt.is_ok()));
        }
        assert!(after > 500, "{after} books compared");
    }
}

#[test]
fn a_snapshot_of_a_book_that_does_not_fit_into_one_packet_comes_in_fragments() {
    for templates in template_files() {
        let day = Day::new(&templates, 300, 100);
        let json = fast::Json::new(&templates);
        let mut messages = fast::MessageBuilder::new(&templates);
        let (mut open, mut several, mut alone) = (None::<(u64, String, u64)>, 0, 0);
        for (_, packet) in day.packets.iter().filter(|(is_log, _)| !*is_log) {
            let mut decoder = fast::Decoder::with(&templates, SETTINGS());
            Framing::Preamble
                .next(&mut decoder, packet, 0, &mut messages)
                .unwrap();
            let message = json.write(&messages.take()[0]);
            let message: serde_json::Value = serde_json::from_str(&message).unwrap();
            assert_eq!(message["id"], 3600);
            let fields = &message["fields"];
            let number = |name: &str| fields[name].as_u64().unwrap();
            let symbol = fields["Symbol"].as_str().unwrap().to_owned();
            let of_book = number("LastMsgSeqNumProcessed");
            match open.take() {
                None => assert_eq!(number("RouteFirst"), 1),
                Some(before) => {
                    assert_eq!(number("RouteFirst"), 0);
                    assert_eq!(before, (number("MsgSeqNum"), symbol.clone(), of_book));
                    several += 1;
                }
            }
            if number("LastFragment") == 0 {
                open = Some((number("MsgSeqNum") + 1, symbol, of_book));
            } else {
                alone += 1;
            }
            assert!(packet.len() <= 1_472);
        }
        assert!(several > 0 && alone > 3, "{several}, {alone}");
    }
}
