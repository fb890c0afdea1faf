//! The rules one by one, as an example each.

use book::{Book, Cause, Change, Follow, Level, Limits, RebuildError, Shape, Status, Trade, What};
use formats::{Event, FeedInfo, Kind, Listener, Side, Source, Symbol};

fn add(order_id: u64, side: Side, price: i64, quantity: u64) -> Event {
    Event {
        instrument: Some(0),
        side,
        price,
        quantity,
        order_id,
        ..Event::new(Kind::Add, b'A')
    }
}

fn of(kind: Kind, order_id: u64, quantity: u64) -> Event {
    Event {
        quantity,
        order_id,
        ..Event::new(kind, b'?')
    }
}

fn replace(order_id: u64, new_order_id: u64, price: i64, quantity: u64) -> Event {
    Event {
        price,
        new_order_id,
        ..of(Kind::Replace, order_id, quantity)
    }
}

/// A book of the hardware's sizes with a bid of 10 at 100 (order 1) and an ask of 20 at 110 (order 2).
fn book() -> Book {
    let mut book = Book::new(2, Limits::HARDWARE);
    book.apply(&add(1, Side::Buy, 100, 10)).unwrap();
    book.apply(&add(2, Side::Sell, 110, 20)).unwrap();
    book.verdict(true);
    book
}

fn level(price: i64, quantity: u64, orders: u32) -> Level {
    Level {
        price,
        quantity,
        orders,
    }
}

/// The cause of a fault that leaves the best levels as they are.
fn fault(book: &mut Book, event: &Event) -> Cause {
    let change = book.apply(event).expect("an event of ours");
    assert_eq!(change.before, change.after, "{event:?}");
    assert_eq!(book.status(change.instrument), Some(change.status));
    assert_eq!(change.trade, None);
    match change.what {
        What::Fault(cause) => cause,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_change_tells_what_it_did_and_both_best_levels() {
    let mut book = book();
    let change = book.apply(&add(3, Side::Buy, 105, 7)).unwrap();
    let mut after = change.before;
    after.bid = level(105, 7, 1);
    let expected = Change {
        instrument: 0,
        what: What::Add,
        side: Side::Buy,
        price: 105,
        before: change.before,
        after,
        trade: None,
        status: Status::Tradable,
    };
    assert_eq!(change, expected);
    assert!(change.best_changed(Side::Buy) && !change.best_changed(Side::Sell));
    let deeper = book.apply(&add(4, Side::Buy, 90, 7)).unwrap();
    assert_eq!(deeper.before, deeper.after);
}

#[test]
fn executions_are_trades_at_the_orders_price_or_their_own() {
    let mut book = book();
    let trade = |change: Option<Change>| change.unwrap().trade;
    let at = |price, quantity| {
        Some(Trade {
            side: Side::Sell,
            price,
            quantity,
        })
    };
    assert_eq!(trade(book.apply(&of(Kind::Execute, 2, 5))), at(110, 5));
    let c = Event {
        price: 111,
        ..of(Kind::Execute, 2, 6)
    };
    assert_eq!(trade(book.apply(&c)), at(111, 6));
    let hidden = Event {
        non_printable: true,
        ..c
    };
    assert_eq!(trade(book.apply(&hidden)), None);
    assert_eq!(book.last_trade(0), at(111, 6));
    assert_eq!(book.top(0).ask, level(110, 3, 1));
    assert_eq!(trade(book.apply(&of(Kind::Execute, 2, 3))), at(110, 3));
    assert_eq!(book.top(0).ask, Level::EMPTY);
    let p = Event {
        kind: Kind::Trade,
        ..add(0, Side::Buy, 104, 9)
    };
    let change = book.apply(&p).unwrap();
    assert_eq!((change.what, change.before), (What::Trade, change.after));
    assert_eq!(change.trade.map(|trade| trade.price), Some(104));
}

#[test]
fn books_are_empty_one_sided_open_locked_or_crossed() {
    let mut book = Book::new(1, Limits::HARDWARE);
    assert_eq!(book.top(0).shape(), Shape::Empty);
    let mut shape = |event: Event| {
        let change = book.apply(&event).unwrap();
        assert_eq!(change.status, Status::Tradable);
        change.after.shape()
    };
    assert_eq!(shape(add(1, Side::Buy, 100, 1)), Shape::OneSided);
    assert_eq!(shape(add(2, Side::Sell, 101, 1)), Shape::Open);
    assert_eq!(shape(replace(1, 3, 101, 1)), Shape::Locked);
    assert_eq!(shape(replace(3, 4, 102, 1)), Shape::Crossed);
    assert_eq!(shape(of(Kind::Delete, 4, 0)), Shape::OneSided);
    assert_eq!(shape(of(Kind::Delete, 2, 0)), Shape::Empty);
}

#[test]
fn every_fault_has_its_cause_is_counted_and_makes_the_instrument_untradable() {
    let limits = Limits {
        orders: 4,
        levels: 3,
        level_orders: 2,
        ..Limits::HARDWARE
    };
    let named = |event: Event| Event {
        instrument: Some(0),
        ..event
    };
    let small = [
        (
            vec![add(3, Side::Buy, 100, 1), add(4, Side::Buy, 100, 1)],
            Cause::LevelOverflow,
        ),
        (
            vec![add(3, Side::Buy, 99, 1), add(4, Side::Buy, 98, 1)],
            Cause::LevelsFull,
        ),
        (
            vec![
                add(3, Side::Buy, 100, 1),
                add(4, Side::Sell, 110, 1),
                add(5, Side::Buy, 99, 1),
            ],
            Cause::OrdersFull,
        ),
        (vec![add(3, Side::Buy, 101, 0)], Cause::QuantityZero),
        (vec![of(Kind::Execute, 1, 0)], Cause::QuantityZero),
        (vec![of(Kind::Reduce, 1, 0)], Cause::QuantityZero),
        (vec![replace(1, 3, 100, 0)], Cause::QuantityZero),
        (
            vec![add(3, Side::Buy, 101, 1 << 24)],
            Cause::QuantityTooLarge,
        ),
        (
            vec![add(3, Side::Buy, 101, u32::MAX.into())],
            Cause::QuantityTooLarge,
        ),
        (
            vec![add(3, Side::Buy, 101, 1 << 32 | 5)],
            Cause::QuantityTooLarge,
        ),
        (vec![add(1 << 48, Side::Buy, 101, 1)], Cause::IdTooLong),
        (vec![replace(1, 1, 100, 5)], Cause::ReplacesItself),
        (vec![named(of(Kind::Delete, 7, 0))], Cause::UnknownId),
        (
            vec![Event {
                instrument: Some(1),
                ..of(Kind::Delete, 1, 0)
            }],
            Cause::UnknownId,
        ),
        (vec![add(1, Side::Buy, 101, 1)], Cause::DuplicateId),
        (vec![of(Kind::Execute, 1, 11)], Cause::TooMuch),
        (vec![of(Kind::Reduce, 1, 11)], Cause::TooMuch),
        (vec![of(Kind::Execute, 1, 1 << 32 | 1)], Cause::TooMuch),
        (
            vec![add(3, Side::Buy, 100 + 4_096, 1)],
            Cause::OutsideWindow,
        ),
        (
            vec![add(3, Side::Sell, 100 - 4_097, 1)],
            Cause::OutsideWindow,
        ),
        (
            vec![Event {
                kind: Kind::Modify,
                ..add(1, Side::Buy, 0, 1)
            }],
            Cause::Unsupported,
        ),
        (
            vec![Event {
                kind: Kind::Clear,
                ..add(0, Side::Buy, 0, 0)
            }],
            Cause::Unsupported,
        ),
    ];
    for (events, expected) in small {
        let mut book = Book::new(2, limits);
        book.apply(&add(1, Side::Buy, 100, 10)).unwrap();
        book.apply(&add(2, Side::Sell, 110, 20)).unwrap();
        let (last, before) = events.split_last().unwrap();
        for event in before {
            let change = book.apply(event).unwrap();
            assert_eq!(change.status, Status::Tradable, "{event:?}");
        }
        let orders = book.orders();
        assert_eq!(fault(&mut book, last), expected, "{last:?}");
        let index = u32::from(last.instrument.unwrap_or(0));
        assert_eq!(book.status(index), Some(Status::Untradable(expected)));
        assert_eq!(book.counters().faults(expected), 1);
        assert_eq!(book.orders(), orders);
        // The first cause stays.
        fault(&mut book, &add(2, Side::Buy, 100, 1));
        if index == 0 {
            assert_eq!(book.status(0), Some(Status::Untradable(expected)));
        }
    }
    let mut book = Book::new(1, limits);
    book.set_tick(0, 5).unwrap();
    assert_eq!(fault(&mut book, &add(1, Side::Buy, 101, 1)), Cause::OffTick);
    assert_eq!(fault(&mut book, &add(1, Side::Buy, -1, 1)), Cause::OffTick);
}

#[test]
fn a_replacement_whose_add_fails_leaves_the_old_order_out() {
    let mut book = book();
    let change = book.apply(&replace(1, 2, 101, 10)).unwrap();
    assert_eq!(change.what, What::Fault(Cause::DuplicateId));
    assert_eq!(change.after.bid, Level::EMPTY);
    book.verdict(false);
    assert_eq!(book.top(0).bid, level(100, 10, 1));
    assert_eq!(book.status(0), Some(Status::Tradable));
    assert_eq!(book.counters().faults(Cause::DuplicateId), 0);
    assert_eq!(book.counters().undone, 1);
}

#[test]
fn events_of_others_change_nothing() {
    let mut book = book();
    let before = book.top(0);
    let other = Event {
        instrument: None,
        ..add(9, Side::Buy, 105, 1)
    };
    assert_eq!(book.apply(&other), None);
    assert_eq!(book.apply(&of(Kind::Delete, 9, 0)), None);
    let beyond = Event {
        instrument: Some(2),
        ..other
    };
    assert_eq!(book.apply(&beyond), None);
    let session = Event {
        source: Source::Session,
        ..add(9, Side::Buy, 105, 1)
    };
    assert_eq!(book.apply(&session), None);
    assert_eq!(book.apply_to(Some(2), &other), None);
    // It names another instrument: whatever the order's number is.
    for kind in [
        Kind::Modify,
        Kind::Execute,
        Kind::Reduce,
        Kind::Delete,
        Kind::Replace,
    ] {
        for id in [1, 9] {
            let named = Event {
                symbol: Some(Symbol(*b"MSFT    ")),
                ..of(kind, id, 5)
            };
            assert_eq!(book.apply(&named), None, "{kind:?} {id}");
        }
    }
    assert_eq!((book.top(0), book.orders()), (before, 2));
    assert_eq!(book.counters().not_ours, 1);
}

#[test]
fn a_log_that_is_full_stays_on_record_and_what_it_holds_is_undone() {
    let mut book = Book::new(
        1,
        Limits {
            log: 2,
            ..Limits::HARDWARE
        },
    );
    for id in 1..=2 {
        book.apply(&add(id, Side::Buy, 100, 1)).unwrap();
    }
    assert_eq!(fault(&mut book, &add(3, Side::Buy, 100, 1)), Cause::LogFull);
    book.verdict(false);
    assert_eq!(book.orders(), 0);
    assert_eq!(book.status(0), Some(Status::Untradable(Cause::LogFull)));
    assert_eq!(book.counters().faults(Cause::LogFull), 1);
}

#[test]
fn orders_far_away_are_kept_outside_of_the_window_until_it_moves() {
    let mut book = book();
    let far = 100 - 4_097;
    let change = book.apply(&add(3, Side::Buy, far, 5)).unwrap();
    assert_eq!(change.status, Status::Tradable);
    assert_eq!(book.levels(0, Side::Buy).count(), 1);
    assert_eq!(
        book.levels_outside(0, Side::Buy).next(),
        Some(level(far, 5, 1))
    );
    // The only bid that is shown leaves: what is the best bid now, the book does not show.
    let change = book.apply(&of(Kind::Delete, 1, 0)).unwrap();
    assert_eq!(
        (change.after.bid, change.status),
        (Level::EMPTY, Status::Outside)
    );
    assert_eq!(book.centre(0, far), Err(RebuildError::FrameOpen));
    book.verdict(true);
    // The ask is within the window still.
    assert_eq!(book.centre(0, 100 - 3_000), Ok(()));
    assert_eq!(book.top(0).bid, level(far, 5, 1));
    assert_eq!(book.status(0), Some(Status::Tradable));
    // A bid above, as after a jump: there is no window for both.
    assert_eq!(book.centre(0, far - 5_000), Err(RebuildError::Window));
    assert_eq!(book.off_centre(0), None);
    book.apply(&add(4, Side::Buy, 109, 5)).unwrap();
    book.verdict(true);
    let middle = book.off_centre(0).expect("109.5 is far from -2,900");
    book.centre(0, middle).unwrap();
    assert_eq!(book.off_centre(0), None);
    assert_eq!(book.window(0), Some((109 - 4_096, 109 + 4_095)));
    assert_eq!(book.levels(0, Side::Buy).count(), 1);
}

#[test]
fn a_rebuild_is_clear_orders_tradable() {
    let mut book = book();
    assert_eq!(
        book.restore(0, &add(5, Side::Buy, 1, 1)),
        Err(RebuildError::NotRebuilding)
    );
    assert_eq!(book.tradable(0, 1), Err(RebuildError::NotRebuilding));
    assert_eq!(book.clear(2), Err(RebuildError::NoInstrument));
    assert_eq!(
        fault(&mut book, &add(1, Side::Buy, 101, 1)),
        Cause::DuplicateId
    );
    assert_eq!(book.clear(0), Err(RebuildError::FrameOpen));
    book.verdict(true);
    book.clear(0).unwrap();
    assert_eq!((book.orders(), book.top(0).shape()), (0, Shape::Empty));
    assert_eq!(book.status(0), Some(Status::Rebuilding));
    // The feed goes on meanwhile.
    let live = Event {
        sequence: 41,
        ..add(7, Side::Sell, 112, 4)
    };
    assert_eq!(book.apply(&live), None);
    book.verdict(true);
    book.restore(0, &add(6, Side::Buy, 99, 3)).unwrap().unwrap();
    assert_eq!(
        book.tradable(0, 41),
        Err(RebuildError::Missing { next: 42 })
    );
    book.restore(0, &live).unwrap().unwrap();
    book.tradable(0, 42).unwrap();
    assert_eq!(book.status(0), Some(Status::Tradable));
    let top = book.top(0);
    assert_eq!((top.bid, top.ask), (level(99, 3, 1), level(112, 4, 1)));
    // A snapshot that does not fit.
    book.clear(0).unwrap();
    book.restore(0, &add(6, Side::Buy, 99, 0)).unwrap().unwrap();
    let faulty = RebuildError::Faulty(Cause::QuantityZero);
    assert_eq!(book.restore(0, &add(6, Side::Buy, 99, 1)), Err(faulty));
    assert_eq!(book.tradable(0, 50), Err(faulty));
}

#[test]
fn a_gap_makes_all_instruments_untradable_and_a_rebuild_must_pass_it() {
    let mut book = book();
    let mut changes = 0;
    let mut follow = Follow::new(&mut book, |_, _| changes += 1);
    let info = |first_sequence, lost, new_session| FeedInfo {
        first_sequence,
        lost,
        new_session,
        ..FeedInfo::default()
    };
    follow.frame(&info(10, 0, false));
    follow.event(&add(3, Side::Buy, 99, 1));
    follow.frame(&info(12, 1, false));
    follow.end();
    assert_eq!(changes, 1);
    for instrument in 0..2 {
        assert_eq!(
            book.status(instrument),
            Some(Status::Untradable(Cause::Gap))
        );
    }
    assert_eq!(book.counters().faults(Cause::Gap), 2);
    book.clear(1).unwrap();
    book.gap(20);
    assert_eq!(
        book.tradable(1, 19),
        Err(RebuildError::Missing { next: 20 })
    );
    assert_eq!(book.tradable(1, 20), Ok(()));
    // A session begins while orders of the old one are there; then one at the start of the day.
    book.frame(&info(1, 1, true));
    assert_eq!(book.status(1), Some(Status::Untradable(Cause::NewSession)));
    book.clear(0).unwrap();
    book.tradable(0, 1).unwrap();
    book.frame(&info(1, 1, true));
    assert_eq!(book.status(1), Some(Status::Tradable));
    book.frame(&info(2, 1, true));
    assert_eq!(book.status(0), Some(Status::Untradable(Cause::NewSession)));
}

/// Orders come and go, frames are undone: with limits nothing is allocated after the start.
#[test]
fn nothing_is_allocated_on_the_way() {
    let mut book = Book::new(2, Limits::HARDWARE);
    let counted = allocation_counter::measure(|| {
        for round in 0..200_u64 {
            for place in 0..100 {
                let id = round * 100 + place;
                let side = if place % 2 == 0 {
                    Side::Buy
                } else {
                    Side::Sell
                };
                let away = 1 + (id * 7 % 1_000) as i64;
                let price = 5_000 + if place % 2 == 0 { -away } else { away };
                assert!(book.apply(&add(id, side, price, 9)).is_some());
                book.apply(&of(Kind::Execute, id / 2, 3));
                book.apply(&replace(id / 3, id + 1_000_000, price, 2));
            }
            book.verdict(round % 4 != 3);
        }
    });
    assert_eq!(counted.count_total, 0);
    assert!(book.orders() > 5_000);
}

fn modify(order_id: u64, price: i64, quantity: u64) -> Event {
    Event {
        price,
        ..of(Kind::Modify, order_id, quantity)
    }
}

#[test]
fn a_change_in_place_keeps_the_place_where_it_adds_nothing_at_the_same_price() {
    let mut book = book();
    book.apply(&add(3, Side::Buy, 100, 5)).unwrap();
    let queue = |book: &Book, price| {
        let orders = book.queue(0, Side::Buy, price);
        orders
            .map(|order| (order.id, order.quantity))
            .collect::<Vec<_>>()
    };
    let change = book.apply(&modify(1, 100, 4)).unwrap();
    assert_eq!(
        (change.what, change.after.bid),
        (What::Modify, level(100, 9, 2))
    );
    assert_eq!(queue(&book, 100), [(1, 4), (3, 5)]);
    book.apply(&modify(1, 100, 4)).unwrap();
    assert_eq!(queue(&book, 100), [(1, 4), (3, 5)]);
    book.apply(&modify(1, 100, 6)).unwrap();
    assert_eq!(queue(&book, 100), [(3, 5), (1, 6)]);
    let change = book.apply(&modify(3, 101, 2)).unwrap();
    assert_eq!(change.after.bid, level(101, 2, 1));
    assert_eq!(change.status, Status::Tradable);
    book.verdict(false);
    assert_eq!(queue(&book, 100), [(1, 10)]);
    assert_eq!(book.top(0).bid, level(100, 10, 1));
}

#[test]
fn a_change_in_place_without_a_price_gets_that_of_its_order() {
    let book = book();
    let event = book.with_price(&modify(2, 0, 7));
    assert_eq!((event.side, event.price), (Side::Sell, 110));
    for other in [modify(2, 111, 7), modify(9, 0, 7), of(Kind::Reduce, 2, 7)] {
        assert_eq!(book.with_price(&other), other);
    }
}
