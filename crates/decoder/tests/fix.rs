//! 35=W and 35=X to events, after docs/reference/rules.md ("FIX market data") and FIX 4.4.

use decoder::Fix;
use formats::{Event, Kind, Side, Source, Symbol};
use instrument::{Listing, Table};
use proptest::prelude::*;

fn instruments() -> Table {
    let mut table = Table::new(8);
    for (index, symbol, price_scale) in [(2, *b"AAPL    ", 4), (5, *b"MSFT    ", 2)] {
        let listing = Listing {
            symbol: Symbol(symbol),
            price_scale,
            quantity_scale: 0,
        };
        assert!(table.set(Source::Session, index, Some(listing)));
    }
    table
}

/// `8=…|9=…|` before `body` and `10=…|` after it; `|` is SOH.
fn message(body: &str) -> Vec<u8> {
    let head = format!("8=FIX.4.4|9={}|", body.len());
    let mut bytes = format!("{head}{body}").replace('|', "\x01").into_bytes();
    let sum: u32 = bytes.iter().map(|byte| u32::from(*byte)).sum();
    bytes.extend_from_slice(format!("10={:03}\x01", sum % 256).as_bytes());
    bytes
}

fn events(fix: &mut Fix, bytes: &[u8]) -> Vec<Event> {
    let mut events = vec![];
    fix.bytes(bytes, &instruments(), &mut |event: &Event| {
        events.push(*event)
    });
    events
}

fn one(body: &str) -> (Vec<Event>, Fix) {
    let mut fix = Fix::default();
    (events(&mut fix, &message(body)), fix)
}

fn expected(kind: Kind, message_type: u8, instrument: u8, price: i64, quantity: u64) -> Event {
    Event {
        source: Source::Session,
        instrument: Some(instrument),
        price,
        quantity,
        ..Event::new(kind, message_type)
    }
}

#[test]
fn an_increment_becomes_an_event_an_entry_at_its_instruments_scale() {
    let (events, fix) = one(
        "35=X|34=7|268=4|279=0|269=0|55=AAPL|270=150.25|271=300|279=1|269=1|55=MSFT|270=9.5|271=1|\
         279=0|269=2|270=9.51|271=20|279=2|269=0|55=AAPL|",
    );
    let numbered = |event: Event, last| Event {
        sequence: 7,
        last,
        ..event
    };
    let offer = Event {
        side: Side::Sell,
        ..expected(Kind::Modify, b'X', 5, 950, 1)
    };
    assert_eq!(
        events,
        [
            numbered(expected(Kind::Add, b'X', 2, 1_502_500, 300), false),
            numbered(offer, false),
            // The instrument of the entry before holds.
            numbered(expected(Kind::Trade, b'X', 5, 951, 20), false),
            numbered(expected(Kind::Delete, b'X', 2, 0, 0), true),
        ]
    );
    assert_eq!(fix.counters().fix_prices, 1);
}

#[test]
fn a_snapshot_names_its_instrument_before_its_entries() {
    let (events, fix) = one("35=W|34=1|55=MSFT|268=2|269=0|270=1.00|271=5|269=2|270=-0.01|");
    let bid = expected(Kind::Add, b'W', 5, 100, 5);
    let trade = expected(Kind::Trade, b'W', 5, -1, 0);
    let with = |event: Event, last| Event {
        sequence: 1,
        last,
        ..event
    };
    assert_eq!(events, [with(bid, false), with(trade, true)]);
    assert_eq!(fix.counters().fix_prices, 1);
}

/// A trade of nothing, or at no price, moves no last price; one that does not say its size is one.
#[test]
fn a_trade_of_nothing_or_without_a_price_is_no_trade() {
    for (numbers, kind) in [
        ("270=49.95|271=10|", Kind::Trade),
        ("270=49.95|", Kind::Trade),
        ("270=-0.01|271=1|", Kind::Trade),
        ("270=49.95|271=0|", Kind::Status),
        ("270=49.95|271=000|", Kind::Status),
        ("270=0|271=10|", Kind::Status),
        ("270=-0.00|", Kind::Status),
    ] {
        for body in [
            format!("35=X|34=1|268=1|279=0|269=2|55=AAPL|{numbers}"),
            format!("35=W|34=1|55=AAPL|268=1|269=2|{numbers}"),
        ] {
            let (events, _) = one(&body);
            assert_eq!(events.len(), 1, "{body}");
            assert_eq!(events[0].kind, kind, "{body}");
        }
    }
}

#[test]
fn entries_of_other_instruments_and_other_types_are_no_events() {
    let (events, fix) = one(
        "35=X|34=1|268=3|279=0|269=2|55=NOBODY|270=1|279=0|269=4|55=AAPL|270=1|279=0|269=2|55=AAPL|270=2|",
    );
    assert_eq!(events.len(), 1);
    assert_eq!((events[0].price, events[0].last), (20_000, true));
    assert_eq!(fix.counters().fix_unknown_instrument, 1);
    let (none, fix) = one("35=W|34=1|55=AAPL|268=0|");
    assert_eq!((none.len(), fix.counters().fix_prices), (0, 1));
}

/// One cause a message, the first that applies.
#[test]
fn a_message_that_is_wrong_gives_no_event_and_counts_its_cause() {
    let entry = "279=0|269=2|55=AAPL|270=1|";
    let malformed = [
        // MsgSeqNum is missing, twice, after the entries, empty, or too long.
        format!("35=X|268=1|{entry}"),
        format!("35=X|34=1|34=1|268=1|{entry}"),
        format!("35=X|268=1|{entry}34=1|"),
        format!("35=X|34=|268=1|{entry}"),
        format!("35=X|34=1234567890|268=1|{entry}"),
        // NoMDEntries is another number, missing, twice, or 0 in another way.
        format!("35=X|34=1|268=2|{entry}"),
        format!("35=X|34=1|{entry}"),
        format!("35=X|34=1|268=1|268=1|{entry}"),
        "35=X|34=1|268=00|".to_owned(),
        "35=X|34=1|".to_owned(),
        // An entry without its type, instrument or price, or with one twice, or in another order.
        "35=X|34=1|268=1|279=0|55=AAPL|270=1|".to_owned(),
        "35=X|34=1|268=1|279=0|269=2|270=1|".to_owned(),
        "35=X|34=1|268=1|279=0|269=2|55=AAPL|".to_owned(),
        format!("35=X|34=1|268=1|{entry}270=1|"),
        "35=X|34=1|268=1|279=0|270=1|269=2|55=AAPL|".to_owned(),
        "35=X|34=1|268=1|279=0|269=2|269=2|55=AAPL|270=1|".to_owned(),
        "35=X|34=1|268=1|279=0|269=2|55=AAPL|270=1|55=MSFT|".to_owned(),
        "35=X|34=1|268=1|279=3|269=2|55=AAPL|270=1|".to_owned(),
        "35=W|34=1|55=AAPL|268=1|279=0|269=2|270=1|".to_owned(),
        // Fields that stand where they may not.
        "34=1|35=X|268=0|".to_owned(),
        "35=X|34=1|268=0|35=X|".to_owned(),
        "35=0|34=1||".to_owned(),
    ];
    for body in malformed {
        let (events, fix) = one(&body);
        assert_eq!(
            (events.len(), fix.counters().fix_malformed),
            (0, 1),
            "{body}"
        );
    }
    let bad = ["1.00001", "", "1e3", "--1", "99999999999999999"];
    for price in bad {
        let (events, fix) = one(&format!("35=X|34=1|268=1|279=0|269=2|55=AAPL|270={price}|"));
        let counters = fix.counters();
        assert_eq!((events.len(), counters.fix_bad_number), (0, 1), "{price}");
    }
    let good = message(&format!("35=X|34=1|268=1|{entry}"));
    for (from, to) in [("10=", "10=9"), ("AAPL", "AAPM")] {
        let wrong = String::from_utf8(good.clone()).unwrap().replace(from, to);
        let mut fix = Fix::default();
        assert!(events(&mut fix, wrong.as_bytes()).is_empty());
        assert_eq!(fix.counters().fix_bad_checksum, 1, "{wrong}");
    }
    let wrong = String::from_utf8(good).unwrap().replace("9=4", "9=5");
    let mut fix = Fix::default();
    assert!(events(&mut fix, wrong.as_bytes()).is_empty());
    assert_eq!(fix.counters().fix_bad_length, 1);
}

#[test]
fn what_is_sent_again_is_no_event() {
    let mut fix = Fix::default();
    let mut trade = |number: u32, more: &str| {
        let body = format!("35=X|34={number}|{more}268=1|279=0|269=2|55=AAPL|270=1|");
        events(&mut fix, &message(&body)).len()
    };
    assert_eq!(trade(5, ""), 1);
    assert_eq!(trade(5, ""), 0);
    assert_eq!(trade(4, ""), 0);
    assert_eq!(trade(6, "43=Y|"), 0);
    assert_eq!(trade(6, "43=N|"), 1);
    // A Logon that is itself sent again forgets nothing; one that is not does.
    for (body, taken) in [
        ("35=A|34=1|43=Y|", 0),
        ("35=0|34=1|", 0),
        ("35=A|34=1|", 1),
        ("35=4|34=2|36=1|", 1),
    ] {
        assert!(events(&mut fix, &message(body)).is_empty());
        let again = message("35=X|34=1|268=1|279=0|269=2|55=AAPL|270=1|");
        assert_eq!(events(&mut fix, &again).len(), taken, "{body}");
    }
    fix.restart();
    let first = message("35=X|34=1|268=1|279=0|269=2|55=AAPL|270=1|");
    assert_eq!(events(&mut fix, &first).len(), 1);
    assert_eq!(
        (fix.counters().fix_repeated, fix.counters().fix_other),
        (5, 4)
    );
}

#[test]
fn bytes_outside_messages_and_messages_that_are_broken_off_are_counted_and_skipped() {
    let good = message("35=X|34=1|268=1|279=0|269=2|55=AAPL|270=1|");
    let mut fix = Fix::default();
    let stream = [b"junk\x01more\x01".as_slice(), &good[..30], b"\x01", &good].concat();
    assert_eq!(events(&mut fix, &stream).len(), 1);
    let counters = fix.counters();
    assert_eq!((counters.fix_skipped, counters.fix_truncated), (1, 1));
    // A field that never ends.
    let endless = [&good[..30], &vec![b'x'; 1 << 18]].concat();
    assert!(events(&mut fix, &endless).is_empty());
    assert_eq!(fix.counters().fix_truncated, 2);
    fix.restart();
    assert_eq!(events(&mut fix, &good).len(), 1);
}

#[test]
fn nothing_is_allocated_after_the_longest_message() {
    let table = instruments();
    let body =
        |number| format!("35=X|34={number}|268=2|279=0|269=2|55=AAPL|270=1|279=0|269=0|270=1|");
    let (first, second) = (message(&body(1)), message(&body(2)));
    let (mut fix, mut prices) = (Fix::default(), 0);
    let mut listener = |event: &Event| prices += event.price;
    fix.bytes(&first[..60], &table, &mut listener);
    fix.bytes(&first[60..], &table, &mut listener);
    let allocated = allocation_counter::measure(|| {
        fix.bytes(&second[..60], &table, &mut listener);
        fix.bytes(&second[60..], &table, &mut listener);
    });
    assert_eq!((allocated.count_total, prices), (0, 40_000));
}

proptest! {
    /// However the stream is cut, and whatever else is in it, the events are the same.
    #[test]
    fn cuts_change_nothing(
        parts in prop::collection::vec((any::<bool>(), prop::collection::vec(any::<u8>(), 0..40)), 1..6),
        cuts in prop::collection::vec(1_usize..30, 1..10),
    ) {
        let mut stream = vec![];
        for (number, (junk, bytes)) in (1..).zip(&parts) {
            stream.extend(message(&format!("35=X|34={number}|268=1|279=0|269=2|55=AAPL|270={number}|")));
            if *junk {
                stream.extend_from_slice(bytes);
            }
        }
        let (mut whole, mut cut) = (Fix::default(), Fix::default());
        let at_once = events(&mut whole, &stream);
        let (mut rest, mut in_pieces) = (&stream[..], vec![]);
        for size in cuts.iter().cycle() {
            let (piece, behind) = rest.split_at(rest.len().min(*size));
            in_pieces.extend(events(&mut cut, piece));
            rest = behind;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(at_once, in_pieces);
        prop_assert_eq!(whole.counters(), cut.counters());
    }
}
