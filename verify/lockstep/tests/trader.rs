//! Tick to trade: the core with its order book against the pipeline in software, on the AAPL hour and on packets that prove bad.

use std::path::{Path, PathBuf};

use cosim::Preset;
use cosim::orders::{Desk, Market, ReportDetails, TickToTrade, Trader};
use feed::generate;
use feed::source::{MessageReader, Options};
use formats::itch::{AddOrder, Head, Message, OrderDelete, Version};
use formats::{Side, Symbol};
use lockstep::orders::Executions;
use order::{Kind, Number, Order};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use risk::{Execution, ExecutionReport};

/// Packets between two comparisons: the strategy keeps so many orders, and more.
const AT_ONCE: usize = 8;

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

fn aapl(version: Version, side: Side) -> Market {
    Market {
        version,
        symbol: Symbol(*b"AAPL    "),
        tick: 100,
        price: 5_850_000,
        side,
        quantity: 100,
        max_notional: u64::MAX,
    }
}

/// So many packets of the hour, each the bytes of one to six messages.
fn packets(name: &str, count: usize) -> Option<Vec<Vec<Vec<u8>>>> {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let reader = MessageReader::open(&data(name)?, Options::default());
    let mut reader = reader.expect("it can be read");
    let mut packets = Vec::new();
    while packets.len() < count {
        let mut packet = Vec::new();
        for _ in 0..random.random_range(1..=6) {
            match reader.next_message().expect("it can be read") {
                Some(record) => packet.push(record.message.to_vec()),
                None => return Some(packets),
            }
        }
        packets.push(packet);
    }
    Some(packets)
}

fn trader(market: &Market) -> Trader {
    Trader::new(Preset::with_book(), market).unwrap_or_else(|problem| panic!("{problem}"))
}

/// Every `bad`th packet comes damaged first, then as it is.
fn run(market: Market, packets: &[Vec<Vec<u8>>], bad: Option<u64>) -> TickToTrade {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut trader = trader(&market);
    for some in packets.chunks(AT_ONCE) {
        for packet in some {
            if bad.is_some_and(|bad| random.random_range(0..bad) == 0) {
                trader.packet(packet, true).expect("sent");
            }
            trader.packet(packet, false).expect("sent");
        }
        if let Err(problem) = trader.compare() {
            panic!("{problem}\nafter {:?}", trader.compared());
        }
    }
    *trader.compared()
}

#[test]
fn the_first_minutes_of_aapl_give_the_same_orders() {
    let Some(packets) = packets("aapl.itch50", 500) else {
        return;
    };
    for side in [Side::Buy, Side::Sell] {
        let compared = run(aapl(Version::V50, side), &packets, Some(9));
        assert!(compared.sent > 60, "{compared:?}");
    }
}

/// A generated market in packets of so many messages: of the first symbol the price of its first order, and the packets.
fn generated(settings: &generate::Settings, messages: usize) -> (u32, Vec<Vec<Vec<u8>>>) {
    let mut file = vec![];
    generate::generate(settings, &mut file, |_| ()).expect("memory takes it");
    let file: Vec<_> = formats::binary_file::Messages::new(&file)
        .map(|message| message.expect("complete").to_vec())
        .collect();
    let price = file.iter().find_map(|message| {
        match Message::parse(settings.version, message).expect("of this version") {
            Message::AddOrder(add) if add.stock == generate::symbol(0) => Some(add.price),
            _ => None,
        }
    });
    let packets = file.chunks(messages).map(<[_]>::to_vec).collect();
    (price.expect("it has an order"), packets)
}

/// All packets of a comparison follow each other as fast as the line takes them; an event that found no room would make the instrument untradable.
#[test]
fn orders_of_8_000_other_instruments_at_line_rate_cost_none_of_ours() {
    for version in [Version::V41, Version::V50] {
        let settings = generate::Settings {
            version,
            symbols: 8_000,
            messages: 40_000,
            seconds: 600,
            seed: 5,
        };
        let (price, packets) = generated(&settings, 30);
        let market = Market {
            symbol: generate::symbol(0),
            price,
            ..aapl(version, Side::Buy)
        };
        let compared = run(market, &packets, None);
        println!("{version:?}: {compared:?}");
        assert!(compared.sent > 20, "{compared:?}");
    }
}

#[test]
fn what_risk_refuses_in_software_it_refuses_in_the_core() {
    let Some(packets) = packets("aapl.itch41", 800) else {
        return;
    };
    let market = Market {
        max_notional: 5_850_000 * 100,
        ..aapl(Version::V41, Side::Buy)
    };
    let compared = run(market, &packets, None);
    assert!(compared.sent > 10 && compared.refused > 10, "{compared:?}");
}

#[test]
fn stops_fire_and_the_collar_moves_on_executions_of_displayed_orders_as_in_software() {
    for version in [Version::V41, Version::V50] {
        let mut traded = Executions::new(Preset::with_book(), version, 11).expect("a core");
        for step in 0..150 {
            if let Err(problem) = traded.step() {
                panic!("{version:?}, step {step}: {problem}");
            }
        }
        let compared = traded.compared();
        println!("{version:?}: {compared:?}");
        assert!(
            compared.executions > 100 && compared.messages > 50,
            "{compared:?}"
        );
        assert!(compared.sent > 150 && compared.refused > 30, "{compared:?}");
    }
}

/// Orders to sell, each a tick lower than the one before.
fn improving(price: &mut u32, id: &mut u64, count: usize) -> Vec<Message> {
    let mut one = || {
        *price -= 100;
        *id += 1;
        AddOrder {
            head: Head::default(),
            order_reference: *id,
            side: Side::Sell,
            shares: 100,
            stock: Symbol(*b"AAPL    "),
            price: *price,
        }
        .into()
    };
    (0..count).map(|_| one()).collect()
}

/// No cause of the kill switch is enabled: what stops the orders is the book.
#[test]
fn no_order_is_asked_for_on_the_first_change_after_a_gap_nor_later() {
    for lost in [1, 1_000_000] {
        let market = aapl(Version::V50, Side::Buy);
        let mut trader = trader(&market);
        let (mut price, mut id) = (market.price, 0);
        let mut send = |trader: &mut Trader, count, damaged: bool| {
            let messages = improving(&mut price, &mut id, count);
            if damaged {
                trader.damaged(&messages).expect("sent");
            } else {
                trader.messages(&messages).expect("sent");
            }
        };
        let sent = |trader: &mut Trader| match trader.compare() {
            Ok(compared) => compared.sent,
            Err(problem) => panic!("{lost} lost: {problem}"),
        };
        send(&mut trader, 2, false);
        assert_eq!(sent(&mut trader), 1);
        // A gap before a frame that proves bad is none.
        trader.lose(lost);
        send(&mut trader, 1, true);
        trader.find(lost);
        send(&mut trader, 1, false);
        assert_eq!(sent(&mut trader), 2);
        trader.lose(lost);
        send(&mut trader, 1, false);
        assert_eq!(sent(&mut trader), 2, "the first change after the gap");
        send(&mut trader, 3, false);
        assert_eq!(sent(&mut trader), 2, "and those after it");
    }
}

/// The core hears that a session has begun with the verdict on its first frame, after the events of that frame.
#[test]
fn no_order_is_asked_for_in_the_first_frame_of_a_session_whose_first_messages_are_missing() {
    let market = aapl(Version::V50, Side::Buy);
    let mut trader = trader(&market);
    let (mut price, mut id) = (market.price, 0);
    trader.lose(1000);
    for packet in 0..3 {
        let messages = improving(&mut price, &mut id, 2);
        trader.messages(&messages).expect("sent");
        let compared = trader.compare();
        let compared = compared.unwrap_or_else(|problem| panic!("{packet}: {problem}"));
        assert_eq!(compared.sent, 0, "{packet}");
    }
}

/// One more is a fault, and the book cannot be relied on.
#[test]
fn the_core_has_room_for_12_288_orders() {
    let market = aapl(Version::V50, Side::Buy);
    let mut trader = trader(&market);
    let add = |order_reference, side, price| -> Message {
        AddOrder {
            head: Head::default(),
            order_reference,
            side,
            shares: 1,
            stock: market.symbol,
            price,
        }
        .into()
    };
    let ids: Vec<u64> = (1..12_288).collect();
    for (step, some) in ids.chunks(30).enumerate() {
        let messages: Vec<_> = some
            .iter()
            // Ids as the exchange gives them: not one after the other.
            .map(|id| {
                add(
                    id * 0x9E37_79B1 % (1 << 44),
                    Side::Buy,
                    market.price - (1 + *id as u32 % 1000) * market.tick,
                )
            })
            .collect();
        trader.messages(&messages).expect("sent");
        if step % 64 == 0 {
            trader
                .compare()
                .unwrap_or_else(|problem| panic!("{step}: {problem}"));
        }
    }
    // Each is better than the last.
    for (improved, orders) in [(3, 1), (2, 1)] {
        let price = market.price + improved * market.tick;
        trader
            .messages(&[add(1 << 45 | u64::from(improved), Side::Sell, price)])
            .expect("sent");
        let compared = trader
            .compare()
            .unwrap_or_else(|problem| panic!("{problem}"));
        assert_eq!(
            compared.sent, orders,
            "the 12,289th changes nothing that can be relied on"
        );
    }
}

/// Nothing answers here: with `single` the first order is the last.
#[test]
fn a_strategy_that_keeps_one_order_in_the_market_sends_no_other_until_the_exchange_has_answered() {
    let market = aapl(Version::V50, Side::Buy);
    for (single, orders) in [(false, 4), (true, 1)] {
        let mut desk = Desk::of_market(&market).expect("a desk");
        desk.strategy.parameters.single = single;
        let mut trader = Trader::of(Preset::with_book(), &desk).expect("a core");
        let (mut price, mut id) = (market.price, 0);
        for _ in 0..4 {
            let messages = improving(&mut price, &mut id, 1);
            trader.messages(&messages).expect("sent");
            trader
                .compare()
                .unwrap_or_else(|problem| panic!("{problem}"));
        }
        assert_eq!(trader.compared().sent, orders);
    }
}

/// An exchange that answers in any order that may be: its order, and what it has not answered yet.
#[derive(Debug, Default)]
struct Exchange {
    order: Option<Number>,
    new: Option<Number>,
    /// A replacement or a cancel, and the order that it is about.
    replacement: Option<(Number, Number)>,
    cancel: Option<(Number, Number)>,
    /// Of each kind: new orders, replacements, cancels; and of these the refused ones, and orders that were filled before the request came.
    counts: [u32; 3],
    refused: [u32; 2],
    crossed: u32,
}

impl Exchange {
    fn receive(&mut self, number: Number, order: &Order) {
        match order.kind {
            Kind::New => {
                assert_eq!((self.order, self.new), (None, None), "a second order");
                self.new = Some(number);
                self.counts[0] += 1;
            }
            Kind::Replace(original) => {
                self.replacement = Some((number, original));
                self.counts[1] += 1;
            }
            Kind::Cancel(original) => {
                self.cancel = Some((number, original));
                self.counts[2] += 1;
            }
        }
    }

    /// What it says next; `None`: nothing now.
    fn answer(&mut self, random: &mut ChaCha8Rng) -> Option<ExecutionReport> {
        let says = |what, number, original| ExecutionReport {
            what,
            number,
            original,
            traded: 0,
        };
        if let Some(number) = self.new {
            self.new = None;
            if random.random_ratio(1, 10) {
                return Some(says(Execution::Rejected, number, None));
            }
            self.order = Some(number);
            return Some(says(Execution::Open, number, None));
        }
        // It ends before the request is looked at.
        if let Some(order) = self.order.filter(|_| random.random_ratio(1, 6)) {
            self.order = None;
            self.crossed += u32::from(self.replacement.is_some() || self.cancel.is_some());
            return Some(ExecutionReport {
                traded: 100,
                ..says(Execution::Closed, order, None)
            });
        }
        let refuses = random.random_ratio(1, 4);
        if let Some((number, original)) = self.replacement.take() {
            if refuses || self.order != Some(original) {
                self.refused[0] += 1;
                return Some(says(Execution::ChangeRefused, number, Some(original)));
            }
            self.order = Some(number);
            return Some(says(Execution::Replaced, number, Some(original)));
        }
        if let Some((number, original)) = self.cancel.take() {
            if refuses || self.order != Some(original) {
                self.refused[1] += 1;
                return Some(says(Execution::ChangeRefused, number, Some(original)));
            }
            self.order = None;
            return Some(says(Execution::Closed, number, Some(original)));
        }
        None
    }
}

/// Asks come and go, all of them now and then; frames are damaged; the exchange answers soon, late, with yes, no, or a fill.
#[test]
fn the_one_order_in_the_market_is_replaced_and_cancelled_as_in_software_whatever_the_exchange_answers()
 {
    for side in [Side::Buy, Side::Sell] {
        let market = aapl(Version::V50, side);
        let mut desk = Desk::of_market(&market).expect("a desk");
        desk.strategy.parameters.single = true;
        let mut trader = Trader::of(Preset::with_book(), &desk).expect("a core");
        let mut random = ChaCha8Rng::seed_from_u64(11);
        let mut exchange = Exchange::default();
        let (mut live, mut id) = (Vec::<u64>::new(), 0);
        let watched = if side == Side::Buy {
            Side::Sell
        } else {
            Side::Buy
        };
        for step in 0..500 {
            let mut messages = Vec::new();
            let mut after = live.clone();
            let clears = random.random_ratio(1, 4);
            for _ in 0..random.random_range(1..4) {
                if clears || (after.len() > 3 && random.random()) {
                    let gone = if clears {
                        std::mem::take(&mut after)
                    } else {
                        vec![after.remove(0)]
                    };
                    messages.extend(gone.into_iter().map(|order_reference| {
                        Message::from(OrderDelete {
                            head: Head::default(),
                            order_reference,
                        })
                    }));
                    continue;
                }
                id += 1;
                after.push(id);
                messages.push(Message::from(AddOrder {
                    head: Head::default(),
                    order_reference: id,
                    side: watched,
                    shares: 100,
                    stock: Symbol(*b"AAPL    "),
                    price: market.price + 100 * random.random_range(0..6),
                }));
            }
            if messages.is_empty() {
                continue;
            }
            if random.random_ratio(1, 6) {
                trader.damaged(&messages).expect("sent");
            } else {
                trader.messages(&messages).expect("sent");
                live = after;
            }
            if let Err(found) = trader.compare() {
                panic!("{side:?}, step {step}: {found}\n{exchange:?}");
            }
            for (number, order) in trader.take_left() {
                exchange.receive(number, &order);
            }
            while random.random_ratio(1, 2)
                && let Some(report) = exchange.answer(&mut random)
            {
                trader
                    .answer(&report, &ReportDetails::default())
                    .unwrap_or_else(|found| panic!("{side:?}, step {step}: {found}"));
            }
            let open = trader
                .compare_open()
                .unwrap_or_else(|found| panic!("{side:?}, step {step}: {found}"));
            assert!(open <= 1, "{side:?}, step {step}: {open} orders");
        }
        println!("{side:?}: {exchange:?}");
        assert!(
            exchange.counts.iter().all(|count| *count > 20),
            "{exchange:?}"
        );
        assert!(
            exchange.refused.iter().all(|count| *count > 5),
            "{exchange:?}"
        );
        assert!(exchange.crossed > 5, "{exchange:?}");
    }
}

/// Messages after an add have the instrument's stock locate alone.
#[test]
fn an_unknown_order_with_our_stock_locate_ends_the_orders_even_after_a_bad_frame_with_another_locate()
 {
    let market = aapl(Version::V50, Side::Buy);
    let mut trader = trader(&market);
    let (mut price, mut id) = (market.price, 0);
    let mut add = |stock_locate| {
        let mut messages = improving(&mut price, &mut id, 1);
        for message in &mut messages {
            let Message::AddOrder(add) = message else {
                unreachable!("an add");
            };
            add.head.stock_locate = stock_locate;
        }
        messages
    };
    let delete = |stock_locate, order_reference| {
        Message::from(OrderDelete {
            head: Head {
                stock_locate,
                ..Head::default()
            },
            order_reference,
        })
    };
    let sent = |trader: &mut Trader| match trader.compare() {
        Ok(compared) => compared.sent,
        Err(problem) => panic!("{problem}"),
    };
    trader.messages(&add(7)).expect("sent");
    assert_eq!(sent(&mut trader), 1);
    trader.messages(&[delete(9, 99)]).expect("sent");
    trader.messages(&add(7)).expect("sent");
    assert_eq!(sent(&mut trader), 2, "an order of another instrument");
    trader.damaged(&add(9)).expect("sent");
    trader.messages(&[delete(7, 99)]).expect("sent");
    trader.messages(&add(7)).expect("sent");
    assert_eq!(sent(&mut trader), 2, "its book cannot be relied on");
}
