//! The exchange over TCP: orders of several clients, prices, restarts, and which clients are let in.

use crate::running;
use std::io::{Read, Write};

use formats::Side;
use formats::fix::{
    Body, Decimal, ExecType, MarketDataIncrement, MarketDataRequest, MarketDataSnapshot,
    MdEntryType, OrdStatus, OrdType, OrderCancelReject, OrderCancelReplaceRequest,
    OrderCancelRequest, SubscriptionRequestType, Version,
};
use running::{PATIENCE, Running, TIME, client, log_on, next, order, report};
use session::{Cause, Config, Credentials, Event, Initiator, Memory, Role, Session};

#[test]
fn both_sides_of_a_trade_are_told_and_whoever_asked_sees_the_prices() {
    let running = Running::start(None);
    let mut alice = log_on("ALICE", Version::Fix44, &running);
    let mut bob = log_on("BOB", Version::Fix42, &running);
    let entry_types = [MdEntryType::Bid, MdEntryType::Offer, MdEntryType::Trade];
    let symbols = [formats::fix::RelatedSymbol { symbol: b"ABC" }];
    let request = MarketDataRequest {
        request_id: b"prices",
        subscription: SubscriptionRequestType::Subscribe,
        depth: 1,
        entry_types: entry_types[..].into(),
        symbols: symbols[..].into(),
        ..MarketDataRequest::default()
    };
    bob.send(&request).unwrap();
    let entries = next(&mut bob, MarketDataSnapshot::MSG_TYPE, |message| {
        let (_, snapshot) = message.read::<MarketDataSnapshot<'_>>().unwrap();
        snapshot.entries.iter().count()
    });
    assert_eq!(entries, 0, "the book is empty");

    alice.send(&order(b"A1", Side::Sell, 100, 1_000)).unwrap();
    let new = ("A1".into(), ExecType::New, OrdStatus::New, None, 100);
    assert_eq!(report(&mut alice), new);
    let seen = |message: &formats::fix::Message<'_>| {
        let (_, increment) = message.read::<MarketDataIncrement<'_>>().unwrap();
        let prices = increment.entries.iter().map(|entry| {
            let number = |value: Option<Decimal>, scale| value.and_then(|v| v.at_scale(scale));
            (
                entry.entry_type,
                number(entry.price, 2),
                number(entry.size, 0),
            )
        });
        prices.collect::<Vec<_>>()
    };
    let offer = vec![(Some(MdEntryType::Offer), Some(1_000), Some(100))];
    assert_eq!(next(&mut bob, b"X", seen), offer);

    bob.send(&order(b"B1", Side::Buy, 30, 1_001)).unwrap();
    let (name, _, _, _, leaves) = report(&mut bob);
    assert_eq!((name.as_str(), leaves), ("B1", 30));
    let (name, _, status, last, leaves) = report(&mut bob);
    assert_eq!(
        (name.as_str(), status, last, leaves),
        ("B1", OrdStatus::Filled, Some(30), 0)
    );
    let traded = (
        "A1".into(),
        ExecType::Trade,
        OrdStatus::PartiallyFilled,
        Some(30),
        70,
    );
    assert_eq!(report(&mut alice), traded);
    let changed = next(&mut bob, b"X", seen);
    assert!(
        changed.contains(&(Some(MdEntryType::Trade), Some(1_000), Some(30))),
        "{changed:?}"
    );
    assert!(
        changed.contains(&(Some(MdEntryType::Offer), Some(1_000), Some(70))),
        "{changed:?}"
    );

    let replace = OrderCancelReplaceRequest {
        client_order_id: b"A2",
        original_client_order_id: b"A1",
        symbol: b"ABC",
        side: Side::Sell,
        order_type: OrdType::Limit,
        quantity: Some(Decimal::new(50, 0)),
        price: Some(Decimal::new(1_002, 2)),
        transact_time: TIME,
        ..OrderCancelReplaceRequest::default()
    };
    alice.send(&replace).unwrap();
    let (name, kind, ..) = report(&mut alice);
    assert_eq!((name.as_str(), kind), ("A2", ExecType::Replaced));
    let cancel = OrderCancelRequest {
        client_order_id: b"A3",
        original_client_order_id: b"A2",
        symbol: b"ABC",
        side: Side::Sell,
        transact_time: TIME,
        ..OrderCancelRequest::default()
    };
    alice.send(&cancel).unwrap();
    let (name, kind, status, _, leaves) = report(&mut alice);
    assert_eq!(
        (name.as_str(), kind, status, leaves),
        ("A3", ExecType::Canceled, OrdStatus::Canceled, 0)
    );
    alice
        .send(&OrderCancelRequest {
            client_order_id: b"A4",
            ..cancel
        })
        .unwrap();
    next(&mut alice, OrderCancelReject::MSG_TYPE, |message| {
        let (_, reject) = message.read::<OrderCancelReject<'_>>().unwrap();
        assert_eq!(reject.client_order_id, b"A4");
    });
    alice.log_out().unwrap();
    let end = Event::Disconnect(Cause::LogoutAnswered);
    assert_eq!(alice.wait(PATIENCE).unwrap(), Some(end));
    let counters = running.stop();
    assert_eq!((counters.logons, counters.messages), (2, 6));
}

#[test]
fn books_and_sessions_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(Some(folder.path()));
    let mut alice = log_on("ALICE", Version::Fix44, &running);
    alice.send(&order(b"A1", Side::Sell, 100, 1_000)).unwrap();
    report(&mut alice);
    let sent = alice.session().store().clone();
    alice.drop_connection();
    running.stop();

    let running = Running::start(Some(folder.path()));
    // While Alice is away her order trades: the report waits for her.
    let mut bob = log_on("BOB", Version::Fix42, &running);
    bob.send(&order(b"B1", Side::Buy, 100, 1_000)).unwrap();
    report(&mut bob);
    assert_eq!(report(&mut bob).2, OrdStatus::Filled);
    let config = Config::new(Role::Initiator, Version::Fix44, b"ALICE", b"TICKWIRE");
    let mut alice = Initiator::new(Session::new(config, sent));
    alice.connect(running.address).unwrap();
    assert_eq!(alice.wait(PATIENCE).unwrap(), Some(Event::LoggedOn));
    let filled = (
        "A1".into(),
        ExecType::Trade,
        OrdStatus::Filled,
        Some(100),
        0,
    );
    assert_eq!(report(&mut alice), filled);
    assert_eq!(running.stop().recovered.requests, 1);
}

#[test]
fn strangers_are_disconnected_without_a_word_and_clients_that_are_refused_learn_why() {
    let running = Running::start(None);
    let mut stranger = client("MALLORY", Version::Fix44);
    stranger.connect(running.address).unwrap();
    let lost = Some(Event::Disconnect(Cause::Lost));
    assert_eq!(stranger.wait(PATIENCE).unwrap(), lost);
    let logout = Some(Event::Disconnect(Cause::PeerLogout));
    for (password, expected) in [("wrong", logout), ("secret", Some(Event::LoggedOn))] {
        let config = Config {
            credentials: Some(Credentials {
                username: b"CAROL".into(),
                password: password.into(),
            }),
            ..Config::new(Role::Initiator, Version::Fix44, b"CAROL", b"TICKWIRE")
        };
        let mut carol = Initiator::new(Session::new(config, Memory::default()));
        carol.connect(running.address).unwrap();
        assert_eq!(carol.wait(PATIENCE).unwrap(), expected, "{password}");
        let text = "a Logon with a wrong Username (553) or Password (554)";
        let text = (expected == logout).then_some(text);
        assert_eq!(carol.session().logout_text(), text);
    }
    let _alice = log_on("ALICE", Version::Fix44, &running);
    let mut again = client("ALICE", Version::Fix44);
    again.connect(running.address).unwrap();
    assert_eq!(again.wait(PATIENCE).unwrap(), lost);
    let mut browser = std::net::TcpStream::connect(running.address).unwrap();
    browser.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    assert_eq!(browser.read(&mut [0; 16]).unwrap(), 0);
    // The exchange's operator sees all of them.
    let refusals: Vec<_> = running.refusals.iter().take(4).collect();
    let expected = [
        "MALLORY: no session has these CompIDs and this version",
        "CAROL: a Logon with a wrong Username (553) or Password (554)",
        "ALICE: the session is connected already",
        ": the first message is no Logon",
    ];
    assert_eq!(refusals, expected);
    let counters = running.stop();
    assert_eq!((counters.connections.unknown, counters.logons), (1, 2));
}
