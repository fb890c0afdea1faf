//! The exchange over TCP: orders of several clients, prices, restarts, and who is let in.

use exchange::{ClientSettings, Exchange, Listing, Server, ServerError, Settings};
use session::{Cause, Config, Credentials, Event, Initiator, Memory, Role, Session};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use wire::Side;
use wire::fix::{
    Body, Decimal, ExecType, ExecutionReport, MarketDataIncrement, MarketDataRequest,
    MarketDataSnapshot, MdEntryType, NewOrderSingle, OrdStatus, OrdType, OrderCancelReject,
    OrderCancelReplaceRequest, OrderCancelRequest, SubscriptionRequestType, Timestamp, Version,
};

const PATIENCE: Duration = Duration::from_secs(20);
const TIME: Timestamp = Timestamp(1_700_000_000_000_000_000);

struct Running {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<exchange::server::Counters, ServerError>>>,
}

impl Running {
    fn start(journal: Option<&Path>) -> Self {
        let client = |name: &str, version, password: Option<&str>| ClientSettings {
            name: name.into(),
            version,
            password: password.map(Into::into),
        };
        let clients = [
            client("ALICE", Version::Fix44, None),
            client("BOB", Version::Fix42, None),
            client("CAROL", Version::Fix44, Some("secret")),
        ];
        let listings = [Listing::cents("ABC".parse().unwrap())];
        let settings = Settings {
            most_orders: 1_000,
            ..Settings::default()
        };
        let journal = journal.map(Path::to_owned);
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let (tell, address) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let exchange = Exchange::new(settings, &listings).unwrap();
            let loopback = "127.0.0.1:0".parse().unwrap();
            let journal = journal.as_deref();
            let mut server = Server::open(loopback, "TICKWIRE", exchange, &clients, journal)?;
            tell.send(server.address().unwrap()).unwrap();
            server.run(&flag)?;
            Ok(server.counters())
        });
        Running {
            address: address.recv().unwrap(),
            stop,
            thread: Some(thread),
        }
    }

    fn stop(mut self) -> exchange::server::Counters {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap().unwrap()
    }
}

fn client(name: &str, version: Version) -> Initiator<Memory> {
    let config = Config::new(Role::Initiator, version, name.as_bytes(), b"TICKWIRE");
    Initiator::new(Session::new(config, Memory::default()))
}

fn log_on(name: &str, version: Version, running: &Running) -> Initiator<Memory> {
    let mut client = client(name, version);
    client.connect(running.address).unwrap();
    assert_eq!(client.wait(PATIENCE).unwrap(), Some(Event::LoggedOn));
    client
}

/// Waits for a message, which must be of this type, and looks at it.
fn next<T>(
    client: &mut Initiator<Memory>,
    msg_type: &[u8],
    look: impl FnOnce(&wire::fix::Message<'_>) -> T,
) -> T {
    let event = client.wait(PATIENCE).unwrap();
    assert!(matches!(event, Some(Event::Message { .. })), "{event:?}");
    let message = client.message().unwrap();
    assert_eq!(
        message.msg_type(),
        msg_type,
        "{:?}",
        String::from_utf8_lossy(message.bytes())
    );
    look(&message)
}

/// What a report says: ClOrdID, ExecType, OrdStatus, LastQty, LeavesQty.
fn report(client: &mut Initiator<Memory>) -> (String, ExecType, OrdStatus, Option<i64>, i64) {
    next(client, b"8", |message| {
        let (_, report) = message.read::<ExecutionReport<'_>>().unwrap();
        (
            String::from_utf8_lossy(report.client_order_id.unwrap()).into_owned(),
            report.execution_type,
            report.status,
            report
                .last_quantity
                .and_then(|quantity| quantity.at_scale(0)),
            report.leaves_quantity.at_scale(0).unwrap(),
        )
    })
}

fn order<'a>(name: &'a [u8], side: Side, quantity: i64, cents: i64) -> NewOrderSingle<'a> {
    NewOrderSingle {
        client_order_id: name,
        symbol: b"ABC",
        side,
        quantity: Some(Decimal::new(quantity, 0)),
        order_type: OrdType::Limit,
        price: Some(Decimal::new(cents, 2)),
        handling: Some(b'1'),
        transact_time: TIME,
        ..NewOrderSingle::default()
    }
}

#[test]
fn both_sides_of_a_trade_are_told_and_whoever_asked_sees_the_prices() {
    let running = Running::start(None);
    let mut alice = log_on("ALICE", Version::Fix44, &running);
    let mut bob = log_on("BOB", Version::Fix42, &running);
    let entry_types = [MdEntryType::Bid, MdEntryType::Offer, MdEntryType::Trade];
    let symbols = [wire::fix::RelatedSymbol { symbol: b"ABC" }];
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
    let seen = |message: &wire::fix::Message<'_>| {
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
    assert_eq!(running.stop().recovered, 1);
}

#[test]
fn strangers_and_wrong_passwords_are_disconnected_without_a_word() {
    let running = Running::start(None);
    let mut stranger = client("MALLORY", Version::Fix44);
    stranger.connect(running.address).unwrap();
    let lost = Some(Event::Disconnect(Cause::Lost));
    assert_eq!(stranger.wait(PATIENCE).unwrap(), lost);
    for (password, expected) in [("wrong", lost), ("secret", Some(Event::LoggedOn))] {
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
    }
    let counters = running.stop();
    assert_eq!((counters.connections.unknown, counters.logons), (1, 1));
}
