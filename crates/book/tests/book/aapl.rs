//! The hour of AAPL (`../shared/data`): after every message the book is the plain one.

use std::fs;
use std::path::{Path, PathBuf};

use book::{Book, Follow, Limits, Shape, Status};
use decoder::Itch;
use formats::itch::Version;
use formats::{Event, Listener, Side, Symbol, binary_file, mold};
use instrument::{Locates, Table};

use crate::naive::Naive;

const AAPL: Symbol = Symbol(*b"AAPL    ");

fn data(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data")
        .join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("SKIPPED: no {name} in ../shared/data");
    None
}

/// Every event of the hour, with its instrument: by symbol, and in 5.0 by locate where the message has no symbol.
fn events(name: &str, version: Version) -> Option<Vec<Event>> {
    let file = fs::read(data("nasdaq-aapl-2012-06-21")?.join(name)).unwrap();
    let table = Table::of_feed(&[None, Some(AAPL)]);
    let messages = binary_file::Messages::new(&file).map(Result::unwrap);
    let event = |message| decoder::itch::event(version, message, 0, 0, true).unwrap();
    let mut locates = Locates::new(2);
    let events: Vec<_> = messages
        .map(|m| locates.resolve(&table, &event(m)))
        .collect();
    let of_orders = events
        .iter()
        .filter(|event| b"EXD".contains(&event.message_type));
    let named = of_orders.filter(|event| event.instrument == Some(1));
    // E, X and D (shared/data/README.md).
    let by_locate = 4_067 + 469 + 41_004;
    assert_eq!(
        named.count(),
        if version == Version::V50 {
            by_locate
        } else {
            0
        }
    );
    Some(events)
}

/// What must be so at the end: levels inside and outside of the window.
fn check_end(book: &Book) {
    let levels = |side| book.levels(1, side).count() + book.levels_outside(1, side).count();
    assert_eq!(book.orders(), 380);
    assert_eq!((levels(Side::Buy), levels(Side::Sell)), (121, 103));
    assert_eq!(book.status(1), Some(Status::Tradable));
}

/// Frames of 1 to 20 messages; every third is given twice: first with a bad verdict.
fn run(name: &str, version: Version, limits: Limits) {
    let Some(events) = events(name, version) else {
        return;
    };
    let mut book = Book::new(2, limits);
    let mut naive = Naive::new(2, limits);
    book.set_tick(1, 100).unwrap();
    naive.markets[1].tick = 100;
    let (mut rest, mut number, mut compared, mut trades) = (&events[..], 0, 0, 0);
    while !rest.is_empty() {
        let (frame, after) = rest.split_at((number % 20 + 1).min(rest.len()));
        let verdicts: &[bool] = if number % 3 == 2 {
            &[false, true]
        } else {
            &[true]
        };
        for good in verdicts {
            for event in frame {
                let change = book.apply(event);
                if *good {
                    assert_eq!(change, naive.apply(event));
                    trades += usize::from(change.is_some_and(|change| change.trade.is_some()));
                }
                let Some(change) = change else { continue };
                assert_ne!(change.after.shape(), Shape::Crossed, "{event:?}");
                compared += 1;
                if *good {
                    naive.compare(&book);
                }
            }
            book.verdict(*good);
            naive.verdict(*good);
        }
        (rest, number) = (after, number + 1);
    }
    naive.compare(&book);
    check_end(&book);
    // E and P.
    assert_eq!(trades, 4_067 + 2_201);
    assert!(compared > 92_000);
}

#[test]
fn the_hour_in_5_0() {
    run("aapl.itch50", Version::V50, Limits::UNLIMITED);
}

#[test]
fn the_hour_in_4_1_in_the_sizes_of_the_hardware() {
    run("aapl.itch41", Version::V41, Limits::HARDWARE);
}

/// A table in front, the decoder, and the book as its listener: datagrams as they come.
#[test]
fn the_hour_through_the_decoder() {
    let Some(folder) = data("nasdaq-aapl-2012-06-21") else {
        return;
    };
    struct Resolve<L>(Table, Locates, L);
    impl<L: Listener> Listener for Resolve<L> {
        fn frame(&mut self, info: &formats::FeedInfo) {
            if info.new_session {
                self.1.clear();
            }
            self.2.frame(info);
        }
        fn event(&mut self, event: &Event) {
            self.2.event(&self.1.resolve(&self.0, event));
        }
    }
    for (name, version) in [("aapl.itch50", Version::V50), ("aapl.itch41", Version::V41)] {
        let file = fs::read(folder.join(name)).unwrap();
        let mut book = Book::new(2, Limits::HARDWARE);
        book.set_tick(1, 100).unwrap();
        let (mut decoder, mut changes) = (Itch::new(version), 0);
        let mut builder = mold::Builder::new(*b"BOOK      ", 1);
        let follow = Follow::new(&mut book, |_, _| changes += 1);
        let table = Table::of_feed(&[None, Some(AAPL)]);
        let mut listener = Resolve(table, Locates::new(2), follow);
        for message in binary_file::Messages::new(&file).map(Result::unwrap) {
            builder.push(message).unwrap();
            if builder.count() == 7 {
                decoder.datagram(builder.bytes(), &mut listener);
                builder.next_packet();
            }
        }
        decoder.datagram(builder.bytes(), &mut listener);
        listener.2.end();
        check_end(&book);
        assert_eq!(changes, 92_077, "{name}");
    }
}
