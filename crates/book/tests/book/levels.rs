//! Instruments whose feed gives price levels: the derivatives of MICEX, whose book is compared after every message with a plain one of
//! prices and with one of positions, both made from the messages themselves; and the rules, by example and on random levels.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

use book::{Book, Cause, Change, Level, Limits, RebuildError, Status, What};
use decoder::fast::{Collector, Map};
use fast::{Decoder, Fields, Framing, Message, MessageBuilder, Node, Templates};
use formats::{Event, Kind, Side, Symbol};
use proptest::prelude::*;

/// Levels that MICEX gives of a side.
const DEPTH: usize = 5;

fn read(path: &str) -> Option<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let found = fs::read(root.join(path)).ok();
    if found.is_none() {
        eprintln!("SKIPPED: no {path}");
    }
    found
}

/// An entry as the message has it.
struct Entry {
    security: u64,
    side: Side,
    action: u64,
    /// MDPriceLevel: 1 is the best.
    position: usize,
    price: i64,
    quantity: u64,
}

/// The field of this name, of template 74.
fn field(templates: &Templates, fields: &Fields, name: &str) -> Node {
    let (_, template) = templates.by_id(74).unwrap();
    let is_named = |index: u32| template.instructions[index as usize].name.local == name;
    let found = fields.iter().find(|(index, _)| is_named(*index));
    found.map_or(Node::Absent, |(_, node)| node.clone())
}

fn entries(templates: &Templates, message: &Message) -> Vec<Entry> {
    if templates.all()[message.template].id != Some(74) {
        return vec![];
    }
    let Node::Sequence(entries) = field(templates, &message.fields, "MDEntries") else {
        panic!("no entries")
    };
    let entry = |fields: &Fields| {
        let unsigned = |name| match field(templates, fields, name) {
            Node::Unsigned(value) => value,
            Node::Signed(value) => value as u64,
            node => panic!("{name}: {node:?}"),
        };
        let Node::Decimal(price) = field(templates, fields, "MDEntryPx") else {
            panic!("no price")
        };
        let side = match field(templates, fields, "MDEntryType") {
            Node::Bytes(text) if text == b"0" => Side::Buy,
            Node::Bytes(text) if text == b"1" => Side::Sell,
            node => panic!("{node:?}"),
        };
        Entry {
            security: unsigned("SecurityID"),
            side,
            action: unsigned("MDUpdateAction"),
            position: unsigned("MDPriceLevel") as usize,
            price: price.mantissa * 10_i64.pow(price.exponent as u32),
            quantity: unsigned("MDEntrySize"),
        }
    };
    entries.iter().map(entry).collect()
}

/// A side by price, the best first; and by position, as the feed counts them.
#[derive(Clone, Default)]
struct Plain {
    /// Of bids by the price times -1.
    prices: BTreeMap<i64, u64>,
    /// `None`: the feed has not said it since it was joined.
    positions: Vec<Option<(i64, u64)>>,
    complete: bool,
}

impl Plain {
    fn take(&mut self, entry: &Entry) {
        let sign = if entry.side == Side::Buy { -1 } else { 1 };
        let value = Some((entry.price, entry.quantity));
        self.positions.resize(DEPTH, None);
        let at = entry.position - 1;
        match entry.action {
            0 => self.positions.insert(at, value),
            1 => self.positions[at] = value,
            _ => drop(self.positions.remove(at)),
        }
        if entry.action == 2 {
            self.prices.remove(&(sign * entry.price));
        } else {
            self.prices.insert(sign * entry.price, entry.quantity);
        }
        while self.prices.len() > DEPTH {
            self.prices.pop_last();
        }
        self.positions.resize(DEPTH, None);
        self.complete |= self.positions.iter().all(Option::is_some);
    }
}

fn of(book: &Book, index: u32, side: Side) -> Vec<(i64, u64)> {
    let levels = book.levels(index, side);
    levels.map(|level| (level.price, level.quantity)).collect()
}

#[test]
fn micex_is_a_plain_book_after_every_message() {
    let files = (
        read("../shared/data/micex-2013-08-01/templates.xml"),
        read("../shared/data/micex-2013-08-01/increment_a.dat"),
    );
    let (Some(xml), Some(bytes)) = files else {
        return;
    };
    let map = String::from_utf8(read("desks/fast/micex-levels.toml").unwrap()).unwrap();
    let templates = Templates::parse(&String::from_utf8(xml).unwrap()).unwrap();
    let mut collector = Collector::new(&templates, &Map::parse(&map).unwrap()).unwrap();
    let mut decoders = [Decoder::new(&templates), Decoder::new(&templates)];
    let mut builder = MessageBuilder::new(&templates);
    let mut book = Book::new(9, Limits::HARDWARE);
    for index in 0..9 {
        book.set_depth(index, Some(DEPTH as u32)).unwrap();
    }
    let mut index_of: HashMap<u64, u32> = HashMap::new();
    let mut plain: HashMap<(u64, Side), Plain> = HashMap::new();
    let (mut at, mut messages, mut by_position) = (0, 0, 0);
    while at < bytes.len() {
        let [first, second] = &mut decoders;
        let next = Framing::None.next(first, &bytes, at, &mut builder);
        let message = builder.take().remove(0);
        Framing::None
            .next(second, &bytes, at, &mut collector)
            .unwrap();
        at = next.unwrap().end;
        let entries = entries(&templates, &message);
        for entry in &entries {
            let next = index_of.len() as u32;
            index_of.entry(entry.security).or_insert(next);
            let side = plain.entry((entry.security, entry.side)).or_default();
            side.take(entry);
        }
        let mut events = Vec::new();
        collector.finish(&mut |event: &Event| {
            let id = event.symbol.and_then(Symbol::id).unwrap();
            events.push(Event {
                instrument: Some(index_of[&id] as u8),
                ..*event
            });
        });
        messages += 1;
        // Every third frame comes with a bad verdict before it comes with a good one.
        for good in [messages % 3 != 0, true] {
            for event in &events {
                let Some(change) = book.apply(event) else {
                    assert_eq!(event.quantity, 0);
                    continue;
                };
                assert_eq!(
                    (change.what, change.status),
                    (What::Level, Status::Tradable)
                );
            }
            book.verdict(good);
            if good {
                break;
            }
        }
        for entry in &entries {
            let index = index_of[&entry.security];
            let found = of(&book, index, entry.side);
            let plain = &plain[&(entry.security, entry.side)];
            let prices = plain
                .prices
                .iter()
                .map(|(price, quantity)| (price.abs(), *quantity));
            assert!(found.iter().copied().eq(prices), "message {messages}");
            let best = book.top(index).of(entry.side);
            assert_eq!(
                found.first().copied(),
                (!best.is_empty()).then_some((best.price, best.quantity))
            );
            if plain.complete {
                let positions = plain.positions.iter().flatten().copied();
                assert!(found.iter().copied().eq(positions), "message {messages}");
                by_position += 1;
            }
        }
    }
    assert_eq!((messages, index_of.len()), (16_202, 9));
    assert!(by_position > 20_000, "{by_position}");
}

fn level(side: Side, price: i64, quantity: u64, orders: u64) -> Event {
    Event {
        instrument: Some(0),
        side,
        price,
        quantity,
        order_id: orders,
        ..Event::new(Kind::Level, b'X')
    }
}

fn bid(price: i64, quantity: u64) -> Event {
    level(Side::Buy, price, quantity, 0)
}

fn ask(price: i64, quantity: u64) -> Event {
    level(Side::Sell, price, quantity, 0)
}

fn book(limits: Limits, depth: u32) -> Book {
    let mut book = Book::new(1, limits);
    book.set_depth(0, Some(depth)).unwrap();
    book
}

#[test]
fn a_level_is_set_and_closes_and_a_full_side_drops_its_worst() {
    let mut book = book(Limits::UNLIMITED, 3);
    for (price, quantity) in [(100, 5), (102, 6), (101, 7)] {
        book.apply(&bid(price, quantity)).unwrap();
        book.apply(&ask(300 - price, quantity)).unwrap();
    }
    assert_eq!(of(&book, 0, Side::Buy), [(102, 6), (101, 7), (100, 5)]);
    assert_eq!(of(&book, 0, Side::Sell), [(198, 6), (199, 7), (200, 5)]);
    // The best changes, with the number of orders that the feed gives.
    let change = book.apply(&level(Side::Buy, 102, 9, 4)).unwrap();
    let best = Level {
        price: 102,
        quantity: 9,
        orders: 4,
    };
    assert_eq!((change.after.bid, change.before.bid.orders), (best, 1));
    book.apply(&bid(103, 1)).unwrap();
    assert_eq!(of(&book, 0, Side::Buy), [(103, 1), (102, 9), (101, 7)]);
    book.apply(&ask(197, 1)).unwrap();
    assert_eq!(of(&book, 0, Side::Sell), [(197, 1), (198, 6), (199, 7)]);
    // Beyond the depth; a level that is not there; both change nothing.
    let change = book.apply(&bid(99, 3)).unwrap();
    assert_eq!((change.what, change.before), (What::Level, change.after));
    assert_eq!(book.apply(&bid(77, 0)), None);
    let change = book.apply(&bid(103, 0)).unwrap();
    assert_eq!(change.after.bid, best);
    book.apply(&bid(99, 3)).unwrap();
    assert_eq!(of(&book, 0, Side::Buy), [(102, 9), (101, 7), (99, 3)]);
    // All of it is one frame, and is taken back.
    book.verdict(false);
    assert_eq!(
        book.levels(0, Side::Buy).count() + book.levels(0, Side::Sell).count(),
        0
    );
    assert_eq!(book.top(0).bid, Level::EMPTY);
}

#[test]
fn what_cannot_be_a_level_is_a_fault_with_its_cause() {
    let limits = Limits {
        levels: 3,
        log: 6,
        ..Limits::HARDWARE
    };
    let order = Event {
        order_id: 1,
        quantity: 1,
        price: 1_000,
        instrument: Some(0),
        ..Event::new(Kind::Add, b'A')
    };
    let at = |price| Event { price, ..order };
    for (events, cause) in [
        (vec![order], Cause::Unsupported),
        (vec![at(1_005)], Cause::Unsupported),
        (vec![bid(1_001, 1)], Cause::OffTick),
        (vec![bid(1_000 + 5 * 4_096, 1)], Cause::OutsideWindow),
        (vec![bid(995 - 5 * 4_096, 1)], Cause::OutsideWindow),
        (vec![ask(1_000 + 5 * 4_096, 1)], Cause::OutsideWindow),
        (vec![ask(995 - 5 * 4_096, 1)], Cause::OutsideWindow),
        (vec![bid(1_000, 1 << 24)], Cause::QuantityTooLarge),
        (vec![bid(1_001, 1 << 24)], Cause::QuantityTooLarge),
        (
            vec![ask(1_005, 1), ask(1_010, 1), ask(1_015, 1)],
            Cause::LevelsFull,
        ),
        // Two operations each, after the first one.
        ([bid(1_000, 2); 3].to_vec(), Cause::LogFull),
        (
            vec![bid(1_000, 2), bid(1_000, 2), ask(1_005, 1)],
            Cause::LogFull,
        ),
    ] {
        let mut book = Book::new(1, limits);
        book.set_tick(0, 5).unwrap();
        book.set_depth(0, Some(8)).unwrap();
        book.apply(&bid(1_000, 1)).unwrap();
        let (last, before) = events.split_last().unwrap();
        for event in before {
            assert_eq!(book.apply(event).unwrap().what, What::Level, "{event:?}");
        }
        let levels = book.levels(0, Side::Sell).count();
        assert_eq!(book.apply(last).unwrap().what, What::Fault(cause));
        assert_eq!(book.status(0), Some(Status::Untradable(cause)));
        assert_eq!(book.levels(0, Side::Sell).count(), levels);
        assert_eq!(book.orders(), 0);
    }
    // An order more than the depth is needed for a moment.
    let limits = Limits {
        orders: 2,
        ..limits
    };
    let mut book = book(limits, 2);
    for (event, what) in [
        (bid(1_000, 1), What::Level),
        (bid(1_001, 1), What::Level),
        (bid(1_001, 2), What::Level),
        (bid(1_002, 1), What::Fault(Cause::OrdersFull)),
    ] {
        assert_eq!(book.apply(&event).unwrap().what, what, "{event:?}");
        book.verdict(true);
    }
    // Under the limits of hardware the number of orders of a level is not counted; the largest quantity fits.
    let change = book
        .apply(&level(Side::Buy, 1_001, (1 << 24) - 1, 9))
        .unwrap();
    assert_eq!(change.after.bid.orders, 1);
    // A level of an instrument whose feed gives orders.
    let mut book = Book::new(1, Limits::HARDWARE);
    let change = book.apply(&bid(1_000, 1)).unwrap();
    assert_eq!(change.what, What::Fault(Cause::Unsupported));
    // The depth is said before anything comes.
    assert_eq!(book.set_depth(0, Some(5)), Err(RebuildError::FrameOpen));
    book.verdict(true);
    book.apply(&order).unwrap();
    book.verdict(true);
    assert_eq!(book.set_depth(0, Some(5)), Err(RebuildError::Depth));
    book.clear(0).unwrap();
    assert_eq!(book.set_depth(0, Some(0)), Err(RebuildError::Depth));
    assert_eq!(book.set_depth(1, None), Err(RebuildError::NoInstrument));
    book.set_depth(0, Some(5)).unwrap();
    // Rebuilt from a snapshot of levels.
    book.restore(0, &bid(1_000, 7)).unwrap();
    book.tradable(0, 1).unwrap();
    assert_eq!(of(&book, 0, Side::Buy), [(1_000, 7)]);
    book.clear(0).unwrap();
    book.set_depth(0, None).unwrap();
}

/// The plain book of one instrument, without faults: the levels of a side by price, the worst dropped.
fn set(plain: &mut [BTreeMap<i64, u64>; 2], event: &Event, depth: usize) {
    let sign = if event.side == Side::Buy { -1 } else { 1 };
    let side = &mut plain[event.side as usize];
    if event.quantity == 0 {
        side.remove(&(sign * event.price));
    } else {
        side.insert(sign * event.price, event.quantity);
    }
    while side.len() > depth {
        side.pop_last();
    }
}

proptest! {
    #[test]
    fn random_levels_are_a_plain_book_and_bad_frames_leave_no_trace(
        depth in 1_u32..6,
        frames in prop::collection::vec(
            (any::<bool>(), prop::collection::vec((any::<bool>(), 1_i64..12, 0_u64..3), 1..8)),
            1..40,
        ),
    ) {
        let mut book = book(Limits::HARDWARE, depth);
        let mut plain = [BTreeMap::new(), BTreeMap::new()];
        for (good, events) in frames {
            let before = plain.clone();
            for (buy, price, quantity) in events {
                let event = if buy { bid(price, quantity) } else { ask(price, quantity) };
                let change = book.apply(&event);
                let is_there = plain[event.side as usize].contains_key(&if buy { -price } else { price });
                let expected = (quantity > 0 || is_there).then_some(What::Level);
                prop_assert_eq!(change.map(|change: Change| change.what), expected);
                set(&mut plain, &event, depth as usize);
            }
            book.verdict(good);
            if !good {
                plain = before;
            }
            for side in [Side::Buy, Side::Sell] {
                let levels = plain[side as usize].iter();
                let expected: Vec<_> = levels.map(|(price, quantity)| (price.abs(), *quantity)).collect();
                let best = book.top(0).of(side);
                prop_assert_eq!(of(&book, 0, side), expected.clone());
                prop_assert_eq!((best.price, best.quantity), expected.first().copied().unwrap_or((0, 0)));
            }
        }
    }
}
