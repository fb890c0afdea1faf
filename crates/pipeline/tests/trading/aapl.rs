//! The hour of AAPL (`../shared/data`): orders and messages are those of a plain book and the rule in one line, made of the bytes of the messages alone.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use book::Status;
use feed::PacketSource;
use feed::packetize::{Config, Packetizer};
use feed::source::{MessageReader, Options};
use formats::Side;
use formats::fix::{self, Frame, NewOrderSingle};
use formats::itch::Version;
use risk::Refusal;

use super::{QUANTITY, Record, TIME, config, trading};

fn data(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/nasdaq-aapl-2012-06-21")
        .join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("SKIPPED: no {name} in ../shared/data");
    None
}

fn number(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// A side of the book: price to shares.
type Levels = BTreeMap<u64, u64>;

/// The plain book of AAPL: orders by number, shares by price, bids and asks.
#[derive(Default)]
struct Naive {
    orders: HashMap<u64, (bool, u64, u64)>,
    levels: [Levels; 2],
    traded: bool,
}

impl Naive {
    fn add(&mut self, id: u64, buy: bool, price: u64, shares: u64) {
        self.orders.insert(id, (buy, price, shares));
        *self.levels[usize::from(!buy)].entry(price).or_default() += shares;
    }

    fn take(&mut self, id: u64, shares: Option<u64>) -> (bool, u64) {
        let (buy, price, left) = self.orders[&id];
        let shares = shares.unwrap_or(left);
        self.orders.insert(id, (buy, price, left - shares));
        let levels = &mut self.levels[usize::from(!buy)];
        let level = levels.get_mut(&price).unwrap();
        *level -= shares;
        if *level == 0 {
            levels.remove(&price);
        }
        (buy, price)
    }

    /// Whether the message touched the book. Offsets are those of the specification's tables, after the head.
    fn message(&mut self, version: Version, message: &[u8]) -> bool {
        let body = &message[if version == Version::V50 { 11 } else { 5 }..];
        let at = |from: usize, to: usize| number(&body[from..to]);
        match message[0] {
            b'A' | b'F' => self.add(at(0, 8), body[8] == b'B', at(21, 25), at(9, 13)),
            b'E' | b'C' => {
                self.traded = true;
                self.take(at(0, 8), Some(at(8, 12)));
            }
            b'X' => {
                self.take(at(0, 8), Some(at(8, 12)));
            }
            b'D' => {
                self.take(at(0, 8), None);
            }
            b'U' => {
                let (buy, _) = self.take(at(0, 8), None);
                self.add(at(8, 16), buy, at(20, 24), at(16, 20));
            }
            b'P' => self.traded = true,
            _ => return false,
        }
        true
    }

    fn best(&self, side: Side) -> Option<u64> {
        let [bids, asks] = &self.levels;
        match side {
            Side::Buy => asks.keys().next().copied(),
            Side::Sell => bids.keys().next_back().copied(),
        }
    }
}

/// The hour, so many messages a datagram: orders and messages are those of the plain book.
fn the_hour(name: &str, version: Version, per_packet: u16, sides: &[Side]) -> usize {
    let Some(path) = data(name) else { return 0 };
    let reader = MessageReader::open(&path, Options::default()).unwrap();
    let mut packets = Packetizer::new(
        reader,
        Config {
            per_packet,
            ..Config::default()
        },
    );
    let mut trading = trading(&config(version, sides));
    let (mut record, mut now) = (Record::default(), 0);
    while let Some(packet) = packets.next_packet().unwrap() {
        now += 1;
        trading.datagram(packet.payload, now, &mut record);
    }
    assert_eq!(trading.status(1), Some(Status::Tradable));

    let file = std::fs::read(&path).unwrap();
    let messages = formats::binary_file::Messages::new(&file).map(Result::unwrap);
    let messages: Vec<_> = messages.collect();
    let (mut naive, mut expected, mut refused) = (Naive::default(), vec![], vec![]);
    let mut last = vec![None; sides.len()];
    for (packet, messages) in messages.chunks(per_packet.into()).enumerate() {
        let mut touched = None;
        for (place, message) in messages.iter().enumerate() {
            if naive.message(version, message) {
                touched = Some((packet * usize::from(per_packet) + place + 1) as u64);
            }
        }
        let Some(sequence) = touched else { continue };
        for (strategy, side) in sides.iter().enumerate() {
            let changed = |best: &u64| last[strategy] != Some(*best);
            if let Some(best) = naive.best(*side).filter(changed) {
                last[strategy] = Some(best);
                let order = (strategy, best as i64, sequence);
                if naive.traded {
                    expected.push(order);
                } else {
                    refused.push((order, Refusal::NoPrice));
                }
            }
        }
    }
    assert_eq!(record.sent, expected);
    assert_eq!(record.refused, refused);
    assert_eq!(record.dropped, []);
    for ((strategy, price, _), (number, message)) in
        expected.iter().zip((1..).zip(&record.messages))
    {
        let Frame::Message(message) = fix::frame(message, fix::LONGEST_BODY) else {
            panic!("{}", String::from_utf8_lossy(message));
        };
        let (header, order) = message.read::<NewOrderSingle<'_>>().unwrap();
        assert_eq!((header.sequence, header.sending_time), (number, TIME));
        assert_eq!((order.symbol, order.side), (&b"AAPL"[..], sides[*strategy]));
        assert_eq!(order.price.unwrap().at_scale(4), Some(*price));
        let quantity = order.quantity.unwrap().at_scale(0);
        assert_eq!(quantity, Some(QUANTITY.into()));
    }
    expected.len()
}

#[test]
fn orders_of_the_aapl_hour_are_those_of_a_plain_book() {
    for (name, version) in [("aapl.itch50", Version::V50), ("aapl.itch41", Version::V41)] {
        let each = the_hour(name, version, 1, &[Side::Buy]);
        let seven = the_hour(name, version, 7, &[Side::Buy]);
        if each > 0 {
            assert!(seven > 1_000 && each > seven, "{each} and {seven} orders");
        }
    }
    the_hour("aapl.itch50", Version::V50, 3, &[Side::Sell, Side::Buy]);
}
