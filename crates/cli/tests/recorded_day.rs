//! `tickwire exchange --replay` as its users meet it: a record in the books, live orders in it, and what is printed at the end.

use std::path::PathBuf;
use std::time::Duration;

use crate::common::market::{Exchange, PATIENCE};
use crate::common::{failure, folder, tickwire};
use formats::Side;
use formats::fix::{
    Decimal, ExecType, ExecutionReport, NewOrderSingle, OrdType, Timestamp, Version as Fix,
};
use formats::itch::{AddOrder, Head, Message, OrderExecuted, Version};
use session::{Config, Event, Initiator, Memory, Role, Session};
use tempfile::TempDir;

/// A bid for 100 ABC at 10.00, of which 60 are executed a tenth of a second later.
fn record(folder: &TempDir) -> PathBuf {
    let head = |nanoseconds| Head {
        stock_locate: 1,
        tracking_number: 0,
        nanoseconds,
    };
    let messages = [
        Message::AddOrder(AddOrder {
            head: head(0),
            order_reference: 1,
            side: Side::Buy,
            shares: 100,
            stock: "ABC".parse().unwrap(),
            price: 100_000,
        }),
        Message::OrderExecuted(OrderExecuted {
            head: head(100_000_000),
            order_reference: 1,
            executed_shares: 60,
            match_number: 1,
        }),
    ];
    let mut file = vec![];
    for message in messages {
        let mut bytes = vec![];
        message.emit(Version::V50, &mut bytes).unwrap();
        assert!(formats::binary_file::push(&bytes, &mut file));
    }
    let path = folder.path().join("day.itch50");
    std::fs::write(&path, file).unwrap();
    path
}

fn log_on(name: &str, exchange: &Exchange) -> Initiator<Memory> {
    let config = Config::new(Role::Initiator, Fix::Fix44, name.as_bytes(), b"TICKWIRE");
    let mut client = Initiator::new(Session::new(config, Memory::default()));
    client.connect(exchange.address).unwrap();
    assert_eq!(client.wait(PATIENCE).unwrap(), Some(Event::LoggedOn));
    client
}

/// ExecType, LastQty and LastPx in cents of the next report.
fn report(client: &mut Initiator<Memory>) -> (ExecType, Option<i64>, Option<i64>) {
    let event = client.wait(PATIENCE).unwrap();
    assert!(matches!(event, Some(Event::Message { .. })), "{event:?}");
    let (_, report) = client.message().unwrap().read::<ExecutionReport>().unwrap();
    let last = |value: Option<Decimal>, scale| value.and_then(|value| value.at_scale(scale));
    let (quantity, price) = (last(report.last_quantity, 0), last(report.last_price, 2));
    (report.execution_type, quantity, price)
}

#[test]
fn a_live_order_in_front_of_a_recorded_one_gets_its_execution() {
    let folder = folder();
    let day = record(&folder);
    let mut exchange = Exchange::start(&[
        "--replay",
        day.to_str().unwrap(),
        "--await-clients",
        "--close-at-end",
    ]);
    let mut alice = log_on("ALICE", &exchange);
    let order = NewOrderSingle {
        client_order_id: b"A1",
        handling: Some(b'1'),
        symbol: b"ABC",
        side: Side::Buy,
        transact_time: Timestamp(1),
        quantity: Some(Decimal::new(40, 0)),
        order_type: OrdType::Limit,
        price: Some(Decimal::new(1_001, 2)),
        ..NewOrderSingle::default()
    };
    alice.send(&order).unwrap();
    assert_eq!(report(&mut alice), (ExecType::New, None, None));
    assert_eq!(
        alice.wait(Duration::from_millis(250)).unwrap(),
        None,
        "it waits for Bob"
    );
    let _bob = log_on("BOB", &exchange);
    assert_eq!(report(&mut alice), (ExecType::Trade, Some(40), Some(1_001)));
    let replayed = exchange.line();
    let expected = serde_json::json!({
        "type": "replayed", "messages": 2, "orders": 1,
        "executed": 60, "followed": 20, "diverted": 40, "void": 0, "taken": 0,
        "left_out": 0, "unknown": 0, "others": 0, "malformed": 0, "missing": 0, "malformed_packets": 0, "crossed": 0,
        "books": [{"symbol": "ABC", "orders": 1, "bids": 1, "offers": 0}],
    });
    assert_eq!(replayed, expected);
    // The clients have not logged out: the exchange waits for them no longer than necessary.
    drop(alice);
    drop(_bob);
    assert_eq!(exchange.end()["live_orders"], 0);
}

#[test]
fn the_hour_of_aapl_ends_with_the_books_of_its_record() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/nasdaq-aapl-2012-06-21/aapl.itch50");
    if !path.is_file() {
        eprintln!("SKIPPED: no aapl.itch50 in ../shared/data");
        return;
    }
    let mut exchange = Exchange::start_with(
        "AAPL",
        &[
            "--replay",
            path.to_str().unwrap(),
            "--speed",
            "max",
            "--close-at-end",
        ],
    );
    let replayed = exchange.line();
    assert_eq!(replayed["messages"], 92_082);
    assert_eq!(replayed["orders"], 44_336);
    assert_eq!(
        (&replayed["left_out"], &replayed["unknown"]),
        (&0.into(), &0.into())
    );
    let book = serde_json::json!({"symbol": "AAPL", "orders": 380, "bids": 121, "offers": 103});
    assert_eq!(replayed["books"][0], book);
    exchange.end();
}

#[test]
fn a_replay_that_cannot_be_says_why() {
    let folder = folder();
    let day = record(&folder);
    let day = day.to_str().unwrap();
    let exchange = |more: &[&str], code| {
        let arguments = [
            "exchange",
            "--listen",
            "127.0.0.1:0",
            "--client",
            "A",
            "--symbols",
            "ABC",
        ];
        failure(&folder, code, &[&arguments, more].concat())
    };
    let error = exchange(&["--replay", day, "--journal", "market"], 1);
    assert!(error.contains("a replay keeps no journal"), "{error}");
    assert!(!folder.path().join("market").exists(), "and none was begun");
    let error = exchange(&["--replay", "nothing.itch50"], 1);
    assert!(error.contains("nothing.itch50: cannot open"), "{error}");
    for speed in ["0", "fast", "-1", "inf"] {
        let error = exchange(&["--replay", day, &format!("--speed={speed}")], 2);
        assert!(error.contains("write a number above 0, or max"), "{error}");
    }
    let error = exchange(&["--close-at-end"], 2);
    assert!(error.contains("--replay"), "{error}");
}

#[test]
fn a_record_that_is_broken_in_the_middle_ends_the_exchange_with_its_place() {
    let folder = folder();
    let day = record(&folder);
    let mut bytes = std::fs::read(&day).unwrap();
    // The second message is a byte shorter than its type is.
    bytes[39] -= 1;
    bytes.pop();
    std::fs::write(&day, bytes).unwrap();
    let arguments = [
        "exchange",
        "--listen",
        "127.0.0.1:0",
        "--client",
        "A",
        "--symbols",
        "ABC",
    ];
    let output = tickwire(
        &folder,
        &[
            &arguments[..],
            &["--replay", "day.itch50", "--speed", "max"],
        ]
        .concat(),
    );
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("day.itch50: byte 38"), "{error}");
}
