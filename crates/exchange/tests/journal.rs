//! Journals that were cut, damaged or are opened twice, with other instruments, on another day, on a disk that is full.

use crate::common;
use std::io;
use std::path::Path;

use common::{NOW, act, cancel, everything, exchange, limit, recovered, uninterrupted};
use exchange::{Error, Exchange, JournalError, Listing, Outgoing, Request, Settings};
use formats::Side;
use formats::fix::{ExecType, NewOrderSingle, Timestamp, Version};
use session::{Call, Durability, Limits, LogError};

/// A journal of so many requests, and where each commit ends; it is never rewritten.
fn journal(path: &Path, requests: u64) -> Vec<u64> {
    let mut exchange = exchange();
    let limits = Limits::default();
    exchange.recover(path, Durability::Process, limits).unwrap();
    let mut ends = vec![std::fs::metadata(path).unwrap().len()];
    for number in 0..requests {
        act(&mut exchange, number, &mut ());
        exchange.commit().unwrap();
        ends.push(std::fs::metadata(path).unwrap().len());
    }
    ends
}

#[test]
fn a_journal_cut_at_any_byte_has_every_complete_request_and_takes_more() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let ends = journal(&path, 6);
    let bytes = std::fs::read(&path).unwrap();
    for length in ends[0] as usize..=bytes.len() {
        std::fs::write(&path, &bytes[..length]).unwrap();
        let complete = ends.iter().filter(|end| **end <= length as u64).count() as u64 - 1;
        let (mut exchange, requests) = recovered(&path);
        assert_eq!(requests, complete, "{length} bytes");
        act(&mut exchange, requests, &mut ());
        exchange.commit().unwrap();
        drop(exchange);
        let (exchange, requests) = recovered(&path);
        assert_eq!(requests, complete + 1, "{length} bytes");
        assert_eq!(
            everything(&exchange),
            everything(&uninterrupted(complete + 1))
        );
    }
}

#[test]
fn damage_before_the_end_is_told_with_what_to_do_and_nothing_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let ends = journal(&path, 6);
    let bytes = std::fs::read(&path).unwrap();
    for at in ends[2] as usize..ends[3] as usize {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        std::fs::write(&path, &damaged).unwrap();
        let limits = Limits::default();
        let error = exchange()
            .recover(&path, Durability::Process, limits)
            .unwrap_err();
        let text = format!("damaged at byte {} of {}", ends[2], bytes.len());
        assert!(error.to_string().contains(&text), "byte {at}: {error}");
        assert!(error.to_string().contains("truncate -s"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), damaged);
    }
    std::fs::write(&path, b"TICKWIREJOURNAL1 and orders").unwrap();
    let error = exchange()
        .recover(&path, Durability::Process, Limits::default())
        .unwrap_err();
    assert!(error.to_string().contains("earlier version"), "{error}");
}

#[test]
fn a_journal_is_open_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let first = recovered(&path);
    let second = exchange().recover(&path, Durability::Power, Limits::default());
    assert!(matches!(
        second,
        Err(JournalError::File(LogError::InUse(_)))
    ));
    drop(first);
    recovered(&path);
}

/// Sends an order of a day; ExecType and OrdRejReason of what is said of it.
fn send(
    exchange: &mut Exchange,
    order: &NewOrderSingle<'_>,
    now: Timestamp,
) -> Vec<(ExecType, Option<u32>)> {
    let mut answers = vec![];
    let mut outbox = |_: u32, message: &Outgoing<'_>| {
        answers.push(match message {
            Outgoing::Report(report) => (report.execution_type, report.reject_reason),
            Outgoing::BusinessReject(_) => (ExecType::Rejected, None),
            other => panic!("{other:?}"),
        });
    };
    exchange
        .order(0, &Request::New(*order), now, &mut outbox)
        .unwrap();
    exchange.commit().unwrap();
    answers
}

const DUPLICATE: [(ExecType, Option<u32>); 1] = [(ExecType::Rejected, Some(6))];
const ACCEPTED: [(ExecType, Option<u32>); 1] = [(ExecType::New, None)];

#[test]
fn a_message_that_is_too_long_is_refused_and_its_name_is_free() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let order = limit(b"once", Side::Buy, 5_000, 1);
    let long = NewOrderSingle {
        account: Some(&[b'x'; 5_000]),
        ..order
    };
    let (mut exchange, _) = recovered(&path);
    let refused = send(&mut exchange, &long, NOW);
    assert_eq!(refused, [(ExecType::Rejected, None)]);
    assert_eq!(send(&mut exchange, &order, NOW), ACCEPTED);
    drop(exchange);
    let (mut exchange, requests) = recovered(&path);
    assert_eq!(requests, 1);
    assert_eq!(send(&mut exchange, &order, NOW), DUPLICATE);
}

#[test]
fn a_name_is_used_until_the_day_ends_and_that_of_a_live_order_beyond() {
    const DAY: u64 = 86_400_000_000_000;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let (mut exchange, _) = recovered(&path);
    let (live, done) = (
        limit(b"live", Side::Buy, 5_000, 1),
        limit(b"done", Side::Buy, 5_000, 1),
    );
    let midnight = Timestamp((NOW.0 / DAY + 1) * DAY);
    let before = Timestamp(midnight.0 - 1);
    for order in [&live, &done] {
        assert_eq!(send(&mut exchange, order, NOW), ACCEPTED);
    }
    let request = Request::Cancel(cancel(&done, b"cancel"));
    exchange.order(0, &request, NOW, &mut ()).unwrap();
    for order in [&live, &done] {
        assert_eq!(send(&mut exchange, order, before), DUPLICATE);
    }
    // Also after a restart, from a state and from requests that follow it.
    for _ in 0..2 {
        drop(exchange);
        exchange = recovered(&path).0;
        assert_eq!(send(&mut exchange, &done, before), DUPLICATE);
    }
    assert_eq!(send(&mut exchange, &live, midnight), DUPLICATE);
    assert_eq!(send(&mut exchange, &done, midnight), ACCEPTED);
    drop(exchange);
    exchange = recovered(&path).0;
    assert_eq!(exchange.live_orders(), 2);
    assert_eq!(send(&mut exchange, &done, midnight), DUPLICATE);
}

/// An exchange that trades these.
fn trading(symbols: &[&str]) -> Exchange {
    let listing = |symbol: &&str| Listing {
        highest_price: 100_0000,
        ..Listing::cents(symbol.parse().unwrap())
    };
    let listings: Vec<_> = symbols.iter().map(listing).collect();
    let mut exchange = Exchange::new(Settings::default(), &listings).unwrap();
    exchange.client(b"ALICE", Version::Fix44);
    exchange
}

#[test]
fn a_journal_is_not_opened_without_an_instrument_that_has_orders() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let open = |symbols: &[&str]| {
        let mut exchange = trading(symbols);
        let found = exchange.recover(&path, Durability::Process, Limits::default());
        found.map(|_| exchange)
    };
    let of = |symbol: &'static [u8], name: &'static [u8]| NewOrderSingle {
        symbol,
        ..limit(name, Side::Buy, 5_000, 7)
    };
    let stop = NewOrderSingle {
        order_type: formats::fix::OrdType::Stop,
        stop_price: Some(formats::fix::Decimal::new(5_500, 2)),
        ..of(b"IBM", b"stop")
    };
    let mut exchange = open(&["AAPL", "MSFT", "IBM", "GE"]).unwrap();
    for order in [of(b"AAPL", b"1"), of(b"MSFT", b"2"), stop, of(b"GE", b"4")] {
        assert_eq!(send(&mut exchange, &order, NOW), ACCEPTED);
    }
    let request = Request::Cancel(cancel(&of(b"GE", b"4"), b"5"));
    exchange.order(0, &request, NOW, &mut ()).unwrap();
    exchange.commit().unwrap();
    drop(exchange);
    let bytes = std::fs::read(&path).unwrap();
    let error = open(&["AAPL"]).map(drop).unwrap_err().to_string();
    assert!(error.contains("live orders in MSFT,IBM,"), "{error}");
    assert!(error.contains("add MSFT,IBM to the symbols"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), bytes, "left alone");

    // In another order, with another one, and without one whose orders are done.
    let mut exchange = open(&["XYZ", "IBM", "MSFT", "AAPL"]).unwrap();
    assert_eq!(exchange.live_orders(), 3);
    let waiting = exchange.engine().stops(1, Side::Buy).count();
    assert_eq!(waiting, 1, "the stop order of IBM");
    assert_eq!(send(&mut exchange, &of(b"XYZ", b"6"), NOW), ACCEPTED);
    assert_eq!(send(&mut exchange, &of(b"XYZ", b"4"), NOW), DUPLICATE);
    drop(exchange);
    let exchange = open(&["IBM", "MSFT", "AAPL", "XYZ"]).unwrap();
    assert_eq!(exchange.live_orders(), 4);
    assert_eq!(exchange.engine().orders(3, Side::Buy).count(), 1);
    drop(exchange);
    let other = Listing {
        tick: 200,
        lowest_price: 200,
        ..Listing::cents("IBM".parse().unwrap())
    };
    let mut exchange = Exchange::new(Settings::default(), &[other]).unwrap();
    let error = exchange
        .recover(&path, Durability::Process, Limits::default())
        .unwrap_err();
    assert!(error.to_string().contains("IBM was listed"), "{error}");
}

#[test]
fn where_there_is_no_room_an_order_is_not_acted_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let (mut exchange, _) = recovered(&path);
    let gate = |call: Call<'_>| match call {
        Call::Reserve => Err(io::ErrorKind::StorageFull.into()),
        _ => Ok(()),
    };
    let first = limit(b"1", Side::Buy, 5_000, 1);
    assert_eq!(send(&mut exchange, &first, NOW), ACCEPTED);
    exchange.set_journal_gate(Some(Box::new(gate)));
    let mut taken = 1;
    loop {
        let name = format!("again{taken}").into_bytes();
        let request = Request::New(limit(&name, Side::Buy, 5_000, 1));
        match exchange.order(0, &request, NOW, &mut ()) {
            Ok(()) => taken += 1,
            Err(Error::Journal(error)) => {
                assert!(error.is_full(), "{error}");
                break;
            }
            Err(other) => panic!("{other}"),
        }
        exchange.commit().unwrap();
        assert!(taken < 20_000, "the reserve never ends");
    }
    assert_eq!(exchange.live_orders(), taken);
    exchange.commit().unwrap();
    drop(exchange);
    let (exchange, requests) = recovered(&path);
    assert_eq!((exchange.live_orders(), requests as usize), (taken, taken));
}
