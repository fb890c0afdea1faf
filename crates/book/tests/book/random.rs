//! Random streams, valid and invalid, in frames with good and bad verdicts: the book is the plain one after every event.

use book::{Book, Limits};
use formats::{Event, Kind, Side};
use proptest::prelude::*;

use crate::naive::Naive;

const INSTRUMENTS: u8 = 3;

/// Tables so small that every limit is met.
const SMALL: Limits = Limits {
    orders: 12,
    levels: 7,
    window: Some(8),
    level_orders: 3,
    level_quantity: 40,
    quantity: 30,
    given_quantity: 30,
    given_orders: 1,
    id_bits: 5,
    log: 9,
    grows: false,
};

/// Room for what the streams below can do, but with a window.
const LARGE: Limits = Limits {
    orders: 1_000,
    levels: 1_000,
    window: Some(20),
    ..Limits::HARDWARE
};

/// One event; `valid` streams mostly do what a feed does, others anything.
fn event(ids: u64, valid: bool) -> impl Strategy<Value = Event> {
    let kinds = if valid {
        prop_oneof![
            6 => Just(Kind::Add),
            3 => Just(Kind::Execute),
            2 => Just(Kind::Reduce),
            2 => Just(Kind::Delete),
            3 => Just(Kind::Replace),
            3 => Just(Kind::Modify),
            1 => Just(Kind::Trade),
        ]
        .boxed()
    } else {
        prop::sample::select(vec![
            Kind::Add,
            Kind::Execute,
            Kind::Reduce,
            Kind::Delete,
            Kind::Replace,
            Kind::Trade,
            Kind::Modify,
            Kind::Clear,
            Kind::Level,
            Kind::Status,
            Kind::Time,
        ])
        .boxed()
    };
    let instrument = if valid {
        prop_oneof![(0..INSTRUMENTS).prop_map(Some)].boxed()
    } else {
        prop::option::of(0..INSTRUMENTS + 1).boxed()
    };
    let quantity = prop_oneof![8 => 1..10_u64, 1 => 0..45_u64, 1 => Just(u64::from(u32::MAX)), 1 => Just(1 << 32)];
    let price = prop_oneof![12 => 95..106_i64, 3 => 80..121_i64, 1 => -40..200_i64];
    let members = (kinds, instrument, any::<bool>(), price, quantity);
    let rest = (
        0..ids,
        0..ids,
        any::<bool>(),
        prop_oneof![3 => Just(0), 1 => 90..110_i64],
    );
    (members, rest).prop_map(move |(members, rest)| {
        let (kind, instrument, buy, price, quantity) = members;
        let (order_id, new_order_id, non_printable, own_price) = rest;
        let enters = matches!(kind, Kind::Add | Kind::Trade | Kind::Clear | Kind::Level);
        Event {
            // A feed with ids alone names no instrument.
            instrument: instrument.filter(|_| enters || (!valid && order_id % 2 == 0)),
            side: if buy { Side::Buy } else { Side::Sell },
            price: if kind == Kind::Execute {
                own_price
            } else {
                price
            },
            quantity,
            non_printable: non_printable && kind == Kind::Execute,
            order_id,
            new_order_id,
            ..Event::new(kind, b'?')
        }
    })
}

type Frames = Vec<(Vec<Event>, bool)>;

fn frames(ids: u64, valid: bool) -> impl Strategy<Value = Frames> {
    let good = prop::bool::weighted(0.7);
    let frame = (prop::collection::vec(event(ids, valid), 0..14), good);
    prop::collection::vec(frame, 0..40)
}

/// Gives both the same and compares changes after every event, everything after every event and verdict.
fn run(limits: Limits, tick: i64, chosen: bool, frames: &Frames) {
    let mut book = Book::new(INSTRUMENTS.into(), limits);
    let mut naive = Naive::new(INSTRUMENTS.into(), limits);
    book.set_tick(0, tick).unwrap();
    naive.markets[0].tick = tick;
    if let (true, Some(half)) = (chosen, limits.window) {
        book.centre(1, 100).unwrap();
        naive.markets[1].window = Some((100 - i64::from(half), 99 + i64::from(half)));
        naive.markets[1].chosen = true;
    }
    let mut log_full = 0;
    for (events, good) in frames {
        naive.begin();
        for event in events {
            let expected = naive.apply(event);
            assert_eq!(book.apply(event), expected, "{event:?}");
            naive.compare(&book);
        }
        // A log that was full stays on record: the plain book learns it from its own state before it is undone.
        let full: Vec<_> = naive.markets.iter().map(|market| market.full).collect();
        let count = naive.counts.get(&book::Cause::LogFull).copied();
        book.verdict(*good);
        naive.verdict(*good);
        naive
            .markets
            .iter_mut()
            .for_each(|market| market.full = false);
        if !*good {
            for (market, full) in naive.markets.iter_mut().zip(full) {
                if full {
                    market.fault.get_or_insert(book::Cause::LogFull);
                }
            }
            if let Some(count) = count {
                naive.counts.insert(book::Cause::LogFull, count);
                log_full = log_full.max(count);
            }
        }
        naive.compare(&book);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn a_market_without_limits(frames in frames(60, true)) {
        run(Limits::UNLIMITED, 1, false, &frames);
    }

    #[test]
    fn a_market_with_a_window(frames in frames(60, true), tick in 1..3_i64, chosen: bool) {
        run(LARGE, tick, chosen, &frames);
    }

    #[test]
    fn anything_in_small_tables(frames in frames(40, false), tick in 1..3_i64, chosen: bool) {
        run(SMALL, tick, chosen, &frames);
    }

    #[test]
    fn anything_in_tables_that_grow(frames in frames(200, false)) {
        run(Limits::UNLIMITED, 2, false, &frames);
    }

    /// Replacements of replacements of one order, forwards and undone.
    #[test]
    fn chains_of_replacements(steps in prop::collection::vec((95..106_i64, 1..5_u64, any::<bool>()), 1..60), buy: bool) {
        let side = if buy { Side::Buy } else { Side::Sell };
        let add = |order_id, price| Event {
            instrument: Some(1),
            side,
            price,
            quantity: 5,
            order_id,
            ..Event::new(Kind::Add, b'A')
        };
        let mut frames: Frames = vec![(vec![add(1_000, 100), add(1, 100), add(1_001, 100)], true)];
        let mut current = 1;
        for (chunk, frame) in steps.chunks(3).enumerate() {
            let good = frame[0].2;
            let mut id = current;
            let replace = |(place, step): (usize, &(i64, u64, bool))| {
                let new = 2_000 + 10 * chunk as u64 + place as u64;
                let event = Event {
                    price: step.0,
                    quantity: step.1,
                    order_id: id,
                    new_order_id: new,
                    ..Event::new(Kind::Replace, b'U')
                };
                id = new;
                event
            };
            let events = frame.iter().enumerate().map(replace).collect();
            frames.push((events, good));
            current = if good { id } else { current };
        }
        run(LARGE, 1, false, &frames);
    }
}
