//! Generated order flow against an order book built here: what a real feed promises must hold.

use std::collections::{BTreeMap, HashMap};

use feed::generate::{Settings, Summary, generate, symbol};
use formats::itch::{Message, Version};
use formats::{Side, Symbol, binary_file};

const SETTINGS: Settings = Settings {
    version: Version::V50,
    symbols: 20,
    messages: 60_000,
    seconds: 300,
    seed: 7,
};

fn make(settings: Settings) -> (Vec<u8>, Summary) {
    let mut file = vec![];
    let summary = generate(&settings, &mut file, |_| ()).expect("memory takes everything");
    (file, summary)
}

fn messages(file: &[u8], version: Version) -> Vec<Message> {
    binary_file::Messages::new(file)
        .map(|message| {
            Message::parse(version, message.expect("framed")).expect("a message of the version")
        })
        .collect()
}

/// Orders by reference, and price levels by symbol and side.
#[derive(Default)]
struct Books {
    orders: HashMap<u64, (Symbol, Side, u32, u32)>,
    levels: HashMap<(Symbol, bool), BTreeMap<u32, u32>>,
}

impl Books {
    fn add(&mut self, reference: u64, stock: Symbol, side: Side, price: u32, shares: u32) {
        assert!(shares > 0 && price > 0);
        assert!(
            self.orders
                .insert(reference, (stock, side, price, shares))
                .is_none(),
            "reference {reference} twice"
        );
        *self
            .levels
            .entry((stock, side == Side::Buy))
            .or_default()
            .entry(price)
            .or_default() += 1;
        let best = |buy: bool| {
            self.levels
                .get(&(stock, buy))
                .filter(|levels| !levels.is_empty())
        };
        if let (Some(bids), Some(asks)) = (best(true), best(false)) {
            let (bid, ask) = (
                bids.last_key_value().unwrap().0,
                asks.first_key_value().unwrap().0,
            );
            assert!(bid < ask, "{stock} crossed: {bid} against {ask}");
        }
    }

    /// Takes shares off an order; `None`: all of them.
    fn take(&mut self, reference: u64, shares: Option<u32>) -> (Symbol, Side) {
        let order = self
            .orders
            .get_mut(&reference)
            .unwrap_or_else(|| panic!("no order {reference}"));
        let (stock, side, price, left) = *order;
        let taken = shares.unwrap_or(left);
        assert!(taken > 0 && taken <= left, "{taken} of {left} shares");
        order.3 -= taken;
        if order.3 == 0 {
            self.orders.remove(&reference);
            let levels = self.levels.get_mut(&(stock, side == Side::Buy)).unwrap();
            let orders = levels.get_mut(&price).unwrap();
            *orders -= 1;
            if *orders == 0 {
                levels.remove(&price);
            }
        }
        (stock, side)
    }

    fn apply(&mut self, message: &Message) {
        match *message {
            Message::AddOrder(m) => self.add(m.order_reference, m.stock, m.side, m.price, m.shares),
            Message::AddOrderMpid(m) => {
                self.add(m.order_reference, m.stock, m.side, m.price, m.shares)
            }
            Message::OrderExecuted(m) => _ = self.take(m.order_reference, Some(m.executed_shares)),
            Message::OrderExecutedWithPrice(m) => {
                _ = self.take(m.order_reference, Some(m.executed_shares))
            }
            Message::OrderCancel(m) => {
                self.take(m.order_reference, Some(m.cancelled_shares));
                assert!(
                    self.orders.contains_key(&m.order_reference),
                    "a cancel leaves a rest"
                );
            }
            Message::OrderDelete(m) => _ = self.take(m.order_reference, None),
            Message::OrderReplace(m) => {
                let (stock, side) = self.take(m.order_reference, None);
                self.add(m.new_order_reference, stock, side, m.price, m.shares);
            }
            _ => {}
        }
    }
}

#[test]
fn every_reference_lives_and_no_book_crosses() {
    let (file, summary) = make(SETTINGS);
    let mut books = Books::default();
    let mut types: HashMap<u8, u64> = HashMap::new();
    for message in messages(&file, Version::V50) {
        books.apply(&message);
        *types.entry(message.message_type()).or_default() += 1;
    }
    assert_eq!(books.orders.len() as u64, summary.live_orders);
    for wanted in *b"SRAFEXCDUP" {
        assert!(
            types.get(&wanted).is_some_and(|&count| count > 0),
            "no {:?}",
            char::from(wanted)
        );
    }
}

#[test]
fn counts_are_as_told_and_times_never_run_back() {
    for version in [Version::V41, Version::V50] {
        let (file, summary) = make(Settings {
            version,
            ..SETTINGS
        });
        assert_eq!(
            (summary.messages, summary.bytes),
            (SETTINGS.messages, file.len() as u64),
            "{version:?}"
        );
        let (mut second, mut last) = (0, 0);
        for message in messages(&file, version) {
            let time = match (message, message.head()) {
                (Message::Seconds(t), _) => {
                    second = u64::from(t.seconds) * 1_000_000_000;
                    second
                }
                (_, Some(head)) => second + head.nanoseconds,
                _ => unreachable!("only T has no head"),
            };
            assert!(time >= last, "{version:?}: {time} after {last}");
            last = time;
        }
        let span = last / 1_000_000_000 - 34_200;
        assert!((200..400).contains(&span), "{span} seconds for 300");
    }
}

#[test]
fn the_first_symbols_trade_most_and_all_are_in_the_directory() {
    let (file, _) = make(SETTINGS);
    let mut adds: HashMap<Symbol, u64> = HashMap::new();
    let mut directory = vec![];
    for message in messages(&file, Version::V50) {
        match message {
            Message::AddOrder(m) => *adds.entry(m.stock).or_default() += 1,
            Message::StockDirectory(m) => directory.push(m.stock),
            _ => {}
        }
    }
    assert_eq!(directory, (0..20).map(symbol).collect::<Vec<_>>());
    assert!(
        adds[&symbol(0)] > 5 * adds[&symbol(19)],
        "activity falls off: {adds:?}"
    );
}

#[test]
fn the_same_seed_makes_the_same_bytes_and_another_does_not() {
    let (first, _) = make(SETTINGS);
    assert_eq!(make(SETTINGS).0, first);
    assert_ne!(
        make(Settings {
            seed: 8,
            ..SETTINGS
        })
        .0,
        first
    );
}

#[test]
fn symbols_are_named_like_columns() {
    let names: Vec<String> = [0, 1, 25, 26, 27, 701, 702, 7_999]
        .iter()
        .map(|&i| symbol(i).to_string())
        .collect();
    assert_eq!(names, ["A", "B", "Z", "AA", "AB", "ZZ", "AAA", "KUR"]);
}
