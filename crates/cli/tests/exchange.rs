//! `tickwire exchange` as its users meet it: log on, trade, kill -9, go on; the feed's request server; faults.

use std::io::{BufRead, BufReader, Lines, Write};
use std::net::UdpSocket;
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::common::market::{Exchange, PATIENCE};
use assert_cmd::cargo::cargo_bin;
use formats::Side;
use formats::fix::{
    Decimal, ExecType, ExecutionReport, NewOrderSingle, OrdStatus, OrdType, Timestamp, Version,
};
use formats::mold::{Header, Packet};
use serde_json::Value;
use session::{Cause, Config, Event, Initiator, Memory, Role, Session, Store};
use tempfile::TempDir;

type Client = Initiator<Memory>;

fn client(name: &str, store: Memory) -> Client {
    let config = Config::new(
        Role::Initiator,
        Version::Fix44,
        name.as_bytes(),
        b"TICKWIRE",
    );
    Initiator::new(Session::new(config, store))
}

fn log_on(client: &mut Client, exchange: &Exchange) {
    client.connect(exchange.address).unwrap();
    assert_eq!(client.wait(PATIENCE).unwrap(), Some(Event::LoggedOn));
}

fn order(client: &mut Client, name: &str, side: Side, cents: i64) {
    let order = NewOrderSingle {
        client_order_id: name.as_bytes(),
        symbol: b"ABC",
        side,
        quantity: Some(Decimal::new(100, 0)),
        order_type: OrdType::Limit,
        price: Some(Decimal::new(cents, 2)),
        transact_time: Timestamp(1_700_000_000_000_000_000),
        ..NewOrderSingle::default()
    };
    client.send(&order).unwrap();
}

/// ClOrdID, ExecType and OrdStatus of the next report.
fn report(client: &mut Client) -> (String, ExecType, OrdStatus) {
    let event = client.wait(PATIENCE).unwrap();
    assert!(matches!(event, Some(Event::Message { .. })), "{event:?}");
    let (_, report) = client.message().unwrap().read::<ExecutionReport>().unwrap();
    (
        String::from_utf8(report.client_order_id.unwrap().to_vec()).unwrap(),
        report.execution_type,
        report.status,
    )
}

fn new(name: &str) -> (String, ExecType, OrdStatus) {
    (name.into(), ExecType::New, OrdStatus::New)
}

#[test]
fn books_and_sequence_numbers_are_there_again_after_kill_9() {
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("market");
    let journal = ["--journal", journal.to_str().unwrap()];
    let exchange = Exchange::start(&journal);
    let mut alice = client("ALICE", Memory::default());
    log_on(&mut alice, &exchange);
    order(&mut alice, "A1", Side::Sell, 1_000);
    order(&mut alice, "A2", Side::Sell, 1_001);
    assert_eq!(
        [report(&mut alice), report(&mut alice)],
        [new("A1"), new("A2")]
    );
    exchange.kill();
    assert_eq!(
        alice.wait(PATIENCE).unwrap(),
        Some(Event::Disconnect(Cause::Lost))
    );
    // Logon and two orders, Logon and two reports.
    let store = alice.session().store().clone();
    assert_eq!((store.next_outgoing(), store.next_incoming()), (4, 4));

    let exchange = Exchange::start(&journal);
    assert_eq!(exchange.listening["recovered"], 2);
    assert_eq!(exchange.listening["live_orders"], 2);
    let mut alice = client("ALICE", store);
    log_on(&mut alice, &exchange);
    let mut bob = client("BOB", Memory::default());
    log_on(&mut bob, &exchange);
    order(&mut bob, "B1", Side::Buy, 1_001);
    assert_eq!(report(&mut bob), new("B1"));
    let filled = |name: &str| (name.to_owned(), ExecType::Trade, OrdStatus::Filled);
    assert_eq!(report(&mut bob), filled("B1"));
    // The better price was first in the book, and it still is.
    assert_eq!(report(&mut alice), filled("A1"));
    let counters = alice.session().counters();
    assert_eq!((counters.gaps, counters.duplicates), (0, 0));
    let store = alice.session().store();
    assert_eq!((store.next_outgoing(), store.next_incoming()), (5, 6));
    let summary = exchange.stop();
    assert_eq!(summary["live_orders"], 1);
    assert_eq!(summary["logons"], 2);
}

#[test]
fn whoever_is_not_let_in_has_a_line_that_says_why() {
    let mut exchange = Exchange::start(&[]);
    let mut stranger = client("MAL\x1bLORY", Memory::default());
    stranger.connect(exchange.address).unwrap();
    let lost = Some(Event::Disconnect(Cause::Lost));
    assert_eq!(stranger.wait(PATIENCE).unwrap(), lost);
    let line = exchange.line();
    assert_eq!(line["type"], "refused");
    assert_eq!(
        line["name"], "MAL\\x1bLORY",
        "nothing that steers a terminal"
    );
    assert_eq!(
        line["cause"],
        "no session has these CompIDs and this version"
    );
    assert!(line["address"].as_str().unwrap().starts_with("127.0.0.1:"));
    assert_eq!(exchange.stop()["refused"], 1);
}

#[test]
fn a_second_exchange_does_not_take_a_journal_that_is_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().to_str().unwrap();
    let _exchange = Exchange::start(&["--journal", journal]);
    let second = Command::new(cargo_bin!("tickwire"))
        .args(["exchange", "--listen", "127.0.0.1:0", "--client", "ALICE"])
        .args(["--symbols", "ABC", "--journal", journal])
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&second.stderr);
    assert_eq!(second.status.code(), Some(1));
    assert!(error.contains("orders.journal is in use"), "{error}");
}

#[test]
fn what_both_lines_of_the_feed_lost_is_answered_by_the_request_server() {
    // Nothing arrives: all packets except those requested are lost.
    let line = UdpSocket::bind("127.0.0.1:0").unwrap();
    let to = line.local_addr().unwrap().to_string();
    let exchange = Exchange::start(&[
        "--line-a",
        &to,
        "--loss",
        "1",
        "--request-server",
        "127.0.0.1:0",
    ]);
    let mut alice = client("ALICE", Memory::default());
    log_on(&mut alice, &exchange);
    order(&mut alice, "A1", Side::Sell, 1_000);
    assert_eq!(report(&mut alice), new("A1"));

    let server = exchange.listening["request_server"].as_str().unwrap();
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    let session = exchange.listening["feed_session"].as_str().unwrap();
    let request = Header {
        session: session.as_bytes().try_into().unwrap(),
        sequence: 1,
        count: 100,
    };
    socket.send_to(&request.to_bytes(), server).unwrap();
    let mut answer = [0; 2_048];
    let length = socket.recv(&mut answer).unwrap();
    let packet = Packet::parse(&answer[..length]).unwrap();
    let kinds: Vec<_> = packet.messages().map(|message| message[0]).collect();
    // Start of messages, start of system hours, the directory, market open, the order of Alice.
    assert_eq!(kinds, b"SSRSA"[..]);
    let summary = exchange.stop();
    assert_eq!(summary["requests"]["answered"], 1);
}

#[test]
fn faults_happen_when_they_are_due_and_a_client_gets_over_them() {
    let exchange = Exchange::start(&[
        "--reject-every",
        "3",
        "--drop-every",
        "2",
        "--duplicate-every",
        "5",
        "--disconnect-every",
        "6",
    ]);
    let mut alice = client("ALICE", Memory::default());
    log_on(&mut alice, &exchange);
    let send = |alice: &mut Client, at: usize| order(alice, &format!("A{at}"), Side::Buy, 900);
    let mut reports = vec![];
    send(&mut alice, 1);
    reports.push(report(&mut alice));
    // The second report is withheld until the third shows the gap; the third order is refused.
    send(&mut alice, 2);
    send(&mut alice, 3);
    reports.extend([report(&mut alice), report(&mut alice)]);
    // The fifth is sent twice.
    send(&mut alice, 4);
    send(&mut alice, 5);
    reports.extend([report(&mut alice), report(&mut alice)]);
    // The sixth is refused, and the connection ends in front of the report.
    send(&mut alice, 6);
    let lost = Some(Event::Disconnect(Cause::Lost));
    assert_eq!(alice.wait(PATIENCE).unwrap(), lost);
    log_on(&mut alice, &exchange);
    reports.push(report(&mut alice));
    let refused = |name: &str| (name.to_owned(), ExecType::Rejected, OrdStatus::Rejected);
    let expected = [
        new("A1"),
        new("A2"),
        refused("A3"),
        new("A4"),
        new("A5"),
        refused("A6"),
    ];
    assert_eq!(reports, expected);
    let faults = exchange.stop()["faults"].clone();
    assert_eq!(faults["rejected"], 2);
    assert_eq!(faults["dropped"], 3);
    assert_eq!(faults["duplicated"], 1);
    assert_eq!(faults["disconnected"], 1);
}

/// Lines of `tickwire client --json`, as values.
fn trade(exchange: &Exchange, name: &str, lines: &str) -> Vec<Value> {
    let mut process = Command::new(cargo_bin!("tickwire"))
        .args(["client", "--json", "--linger", "1500ms", "--name", name])
        .arg("--connect")
        .arg(exchange.address.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = process.stdin.take().unwrap();
    input.write_all(lines.as_bytes()).unwrap();
    drop(input);
    let output = process.wait_with_output().unwrap();
    assert!(output.status.success());
    let lines = String::from_utf8(output.stdout).unwrap();
    lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Those of a type.
fn of_type<'a>(told: &'a [Value], kind: &str) -> Vec<&'a Value> {
    told.iter().filter(|line| line["type"] == kind).collect()
}

#[test]
fn a_stop_order_of_the_client_is_sent_once_the_last_price_has_reached_it() {
    let exchange = Exchange::start(&[]);
    let mut bob = client("BOB", Memory::default());
    log_on(&mut bob, &exchange);
    // Bob buys at 9.50 and 9.40; the first trade is at 9.50, which triggers the sale at 9.40.
    order(&mut bob, "B1", Side::Buy, 950);
    order(&mut bob, "B2", Side::Buy, 940);
    assert_eq!([report(&mut bob), report(&mut bob)], [new("B1"), new("B2")]);
    let told = trade(
        &exchange,
        "ALICE",
        "stop sell 40 ABC 9.50\nnonsense\nsell 100 ABC 9.50\n",
    );
    assert_eq!(told[0]["type"], "logged_on");
    assert_eq!(of_type(&told, "wrong").len(), 1);
    let triggered = of_type(&told, "triggered");
    assert_eq!(triggered.len(), 1);
    assert_eq!(triggered[0]["last"], "9.5000");
    let name = &triggered[0]["name"];
    let reports = of_type(&told, "report");
    let of_stop: Vec<_> = reports
        .iter()
        .filter(|line| &line["name"] == name)
        .collect();
    let last = of_stop.last().expect("reports of the stop order");
    assert_eq!(
        (&last["status"], &last["last_price"]),
        (&"Filled".into(), &"9.4000".into())
    );
    assert_eq!(told.last().unwrap()["type"], "disconnected");

    let filled = ("B1".to_owned(), ExecType::Trade, OrdStatus::Filled);
    assert_eq!(report(&mut bob), filled);
    let partly = ("B2".to_owned(), ExecType::Trade, OrdStatus::PartiallyFilled);
    assert_eq!(report(&mut bob), partly);
}

/// A desk that runs with a stop and no strategy; killed where a test fails.
struct Stopping(Child, Lines<BufReader<ChildStdout>>);

impl Stopping {
    fn start(folder: &TempDir, exchange: &Exchange) -> Self {
        let desk = format!(
            "[feed]\nitch = \"5.0\"\nlines = [\"127.0.0.1:9\"]\n[statistics]\nsymbols = [\"ABC\"]\n[report]\nto = \"127.0.0.1:9\"\n\
             [session]\npeer = \"{}\"\nsender = \"CAROL\"\ntarget = \"TICKWIRE\"\nfields = [[21, \"1\"]]\n\
             instruments = [{{ symbol = \"ABC\", decimals = 4, collar = \"0.50\", position = 10_000 }}]\n\
             stops = [{{ symbol = \"ABC\", side = \"sell\", trigger = \"9.50\", limit = \"9.40\", quantity = 40 }}]\n\
             [session.limits]\nmax_quantity = 1_000\nmax_notional = \"50000\"\nrate_orders = 50\nrate_ms = 1_000\nmax_open_orders = 100\n",
            exchange.address
        );
        let path = folder.path().join("desk.toml");
        std::fs::write(&path, desk).unwrap();
        let mut child = Command::new(cargo_bin!("tickwire"))
            .args([
                "run",
                "--json",
                "--seconds",
                "60",
                "--listen",
                "127.0.0.1:0",
            ])
            .arg("--desk")
            .arg(path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Stopping(child, lines)
    }

    /// The next line of this type.
    fn line(&mut self, wanted: &str) -> Value {
        loop {
            let line = self.1.next().expect("a line").unwrap();
            let line: Value = serde_json::from_str(&line).unwrap();
            if line["type"] == wanted {
                return line;
            }
        }
    }
}

impl Drop for Stopping {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_stop_of_a_desk_in_software_leaves_when_a_price_of_the_session_reaches_it() {
    let folder = crate::common::folder();
    let clients = ["ALICE", "BOB", "CAROL"];
    let exchange = Exchange::start_for(&clients, "ABC", &["--prices-to-all"]);
    let mut stopping = Stopping::start(&folder, &exchange);
    stopping.line("logged_on");
    let mut bob = client("BOB", Memory::default());
    log_on(&mut bob, &exchange);
    order(&mut bob, "B1", Side::Buy, 960);
    order(&mut bob, "B2", Side::Buy, 950);
    order(&mut bob, "B3", Side::Buy, 940);
    // The first trade is at 9.60, above the trigger.
    trade(&exchange, "ALICE", "sell 100 ABC 9.60\nsell 100 ABC 9.50\n");
    let left = stopping.line("order");
    assert_eq!(
        (&left["stop"], &left["outcome"]),
        (&0.into(), &"sent".into())
    );
    assert_eq!(
        (&left["side"], &left["price"]),
        (&"sell".into(), &"9.4000".into())
    );
    let mut filled = || loop {
        // Prices come to Bob, too.
        let event = bob.wait(PATIENCE).unwrap();
        assert!(matches!(event, Some(Event::Message { .. })), "{event:?}");
        let message = bob.message().unwrap();
        if let Ok((_, report)) = message.read::<ExecutionReport>()
            && report.execution_type == ExecType::Trade
        {
            let name = report.client_order_id.unwrap().to_vec();
            return (String::from_utf8(name).unwrap(), report.status);
        }
    };
    assert_eq!(filled(), ("B1".to_owned(), OrdStatus::Filled));
    assert_eq!(filled(), ("B2".to_owned(), OrdStatus::Filled));
    assert_eq!(filled(), ("B3".to_owned(), OrdStatus::PartiallyFilled));
}

#[test]
fn prices_are_watched_and_orders_are_known_by_their_names() {
    let exchange = Exchange::start(&[]);
    let told = trade(
        &exchange,
        "ALICE",
        "watch ABC\nbuy 100 ABC 9.00\ncancel X\n",
    );
    let reports = of_type(&told, "report");
    assert_eq!(reports.len(), 1);
    assert_eq!(reports[0]["status"], "New");
    assert_eq!(of_type(&told, "wrong").len(), 1, "no order of that name");
    let prices = of_type(&told, "prices");
    assert_eq!(prices.last().unwrap()["bid"], "9.0000");
}
