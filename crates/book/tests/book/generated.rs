//! A million generated messages of 16 symbols, half of them in each version of ITCH: after every message the book is the plain one.

use book::{Book, Limits};
use feed::generate::{Settings, generate, symbol};
use formats::binary_file;
use formats::itch::Version;
use instrument::{Locates, Table};

use crate::naive::Naive;

const SYMBOLS: usize = 16;

fn run(version: Version) {
    let long = std::env::var_os("TICKWIRE_LONG").is_some();
    let settings = Settings {
        version,
        symbols: SYMBOLS,
        messages: if long { 5_000_000 } else { 500_000 },
        seconds: 3_600,
        seed: 18,
    };
    let mut file = vec![];
    let made = generate(&settings, &mut file, |_| ()).unwrap();
    let symbols: Vec<_> = (0..SYMBOLS).map(|index| Some(symbol(index))).collect();
    let (table, mut locates) = (Table::of_feed(&symbols), Locates::new(SYMBOLS));
    let mut book = Book::new(SYMBOLS, Limits::UNLIMITED);
    let mut naive = Naive::new(SYMBOLS, Limits::UNLIMITED);
    let (mut number, mut changes) = (0_u64, 0_u64);
    for message in binary_file::Messages::new(&file).map(Result::unwrap) {
        let event = decoder::itch::event(version, message, 0, number, true).unwrap();
        let event = locates.resolve(&table, &event);
        let (change, expected) = (book.apply(&event), naive.apply(&event));
        book.verdict(true);
        naive.verdict(true);
        assert_eq!(change, expected, "message {number}: {event:?}");
        if let Some(change) = change {
            naive.compare_at(&book, change.instrument, change.side, change.price);
            changes += 1;
        }
        if number.is_multiple_of(10_000) {
            naive.compare(&book);
        }
        number += 1;
    }
    naive.compare(&book);
    assert_eq!(number, made.messages);
    assert_eq!(u64::from(book.orders()), made.live_orders);
    // All but the directory, system events and the seconds of 4.1.
    assert!(changes > number - 10_000, "{changes} of {number}");
}

#[test]
fn half_a_million_messages_in_5_0() {
    run(Version::V50);
}

#[test]
fn half_a_million_messages_in_4_1() {
    run(Version::V41);
}
