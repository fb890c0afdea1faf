//! `tickwire run` with a desk that trades, against `tickwire exchange`: the orders are those of a plain book of the same messages.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader, Lines};
use std::net::UdpSocket;
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::common::market::Exchange;
use crate::common::{failure, folder, json, json_lines, messages};
use assert_cmd::cargo::cargo_bin;
use formats::{Side, itch};
use serde_json::Value;
use tempfile::TempDir;

const BEST_PRICE: &str = "kind = \"best price\"\nsymbol = \"A\"\nside = \"buy\"\nquantity = 30";

/// A desk for symbol A at this exchange.
fn desk(folder: &TempDir, exchange: &str, more: &str) -> String {
    desk_with(folder, exchange, more, BEST_PRICE)
}

/// The same with another strategy.
fn desk_with(folder: &TempDir, exchange: &str, more: &str, strategy: &str) -> String {
    let text = format!(
        "[feed]\nitch = \"5.0\"\nlines = [\"127.0.0.1:9\"]\n[statistics]\nsymbols = [\"B\", \"A\"]\n[report]\nto = \"127.0.0.1:9\"\n\
         [session]\npeer = \"{exchange}\"\nsender = \"ALICE\"\ntarget = \"TICKWIRE\"\nfields = [[21, \"1\"]]\n\
         instruments = [{{ symbol = \"A\", decimals = 4, collar = \"1000\", position = 10_000_000, feed = true }}]\n{more}\
         [session.limits]\nmax_quantity = 1_000\nmax_notional = \"1000000\"\nrate_orders = 255\nrate_ms = 1\nmax_open_orders = 60_000\n\
         [[strategy]]\n{strategy}\n"
    );
    let path = folder.path().join("desk.toml");
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Two symbols, 8,000 messages, 4 seconds.
fn generate(folder: &TempDir) {
    let size = ["--symbols", "2", "--messages", "8000", "--seconds", "4"];
    let command = ["generate", "itch", "--out", "day.itch50"];
    json(folder, &[&command[..], &size].concat());
}

/// A desk that runs; killed where a test fails.
struct Running {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Running {
    /// Starts it; gives the address it listens at.
    fn start(desk: &str, more: &[&str]) -> (Self, String) {
        let mut running = Running::spawn(desk, more);
        let address = running.listening();
        (running, address)
    }

    fn spawn(desk: &str, more: &[&str]) -> Self {
        let mut child = Command::new(cargo_bin!("tickwire"))
            .args(["run", "--json", "--seconds", "60", "--desk", desk])
            .args(["--listen", "127.0.0.1:0"])
            .args(more)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Running { child, lines }
    }

    /// Where it listens: its next line says so.
    fn listening(&mut self) -> String {
        let listening = self.line();
        assert_eq!(listening["type"], "listening");
        listening["lines"][0].as_str().unwrap().to_owned()
    }

    fn line(&mut self) -> Value {
        serde_json::from_str(&self.lines.next().expect("a line").unwrap()).unwrap()
    }

    /// All lines to its end, which must be a success; the last two are the session's and the summary.
    fn end(mut self) -> (Vec<Value>, Value, Value) {
        let mut lines: Vec<Value> = vec![];
        for line in self.lines.by_ref() {
            lines.push(serde_json::from_str(&line.unwrap()).unwrap());
        }
        assert!(self.child.wait().unwrap().success());
        let (summary, session) = (lines.pop().unwrap(), lines.pop().unwrap());
        assert_eq!(summary["type"], "summary");
        assert_eq!(session["type"], "session");
        (lines, session, summary)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn number(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// Price and message number of each change of the best ask of A, a message a packet; and how many come before its first trade.
fn expected(messages: &[Vec<u8>]) -> (Vec<(u64, u64)>, usize) {
    let mut orders: HashMap<u64, (bool, u64, u64)> = HashMap::new();
    let mut asks: BTreeMap<u64, u64> = BTreeMap::new();
    let (mut changes, mut last, mut before) = (vec![], None, None);
    for (sequence, message) in (1..).zip(messages) {
        let body = &message[11..];
        let at = |from: usize, to: usize| number(&body[from..to]);
        let (mut taken, mut entered) = (None, None);
        match message[0] {
            b'A' | b'F' if &body[13..21] == b"A       " => {
                entered = Some((at(0, 8), body[8] == b'B', at(21, 25), at(9, 13)));
            }
            b'P' if &body[13..21] == b"A       " => {
                before.get_or_insert(changes.len());
            }
            b'E' | b'C' | b'X' => taken = Some(at(8, 12)),
            b'D' | b'U' => taken = Some(u64::MAX),
            _ => continue,
        }
        if let Some(shares) = taken {
            // Of other symbols nothing is known.
            let Some((buy, price, left)) = orders.get(&at(0, 8)).copied() else {
                continue;
            };
            if matches!(message[0], b'E' | b'C') {
                before.get_or_insert(changes.len());
            }
            let shares = shares.min(left);
            orders.insert(at(0, 8), (buy, price, left - shares));
            if message[0] == b'U' {
                entered = Some((at(8, 16), buy, at(20, 24), at(16, 20)));
            }
            if !buy {
                *asks.get_mut(&price).unwrap() -= shares;
                asks.retain(|_, shares| *shares > 0);
            }
        }
        if let Some((id, buy, price, shares)) = entered {
            orders.insert(id, (buy, price, shares));
            if !buy {
                *asks.entry(price).or_default() += shares;
            }
        }
        let best = asks.keys().next().copied();
        if let Some(best) = best.filter(|best| last != Some(*best)) {
            last = Some(best);
            changes.push((best, sequence));
        }
    }
    let before = before.unwrap_or(changes.len());
    (changes, before)
}

/// Waits until it has logged on.
fn logged_on(running: &mut Running) {
    while running.line()["type"] != "logged_on" {}
}

/// Price in 1/10,000 dollar, number of the message.
fn order(line: &Value) -> (u64, u64) {
    let price = line["price"].as_str().unwrap().replace('.', "");
    (price.parse().unwrap(), line["message"].as_u64().unwrap())
}

fn trades(more: &[&str], desk_more: &str) {
    let lines = trades_with(more, desk_more, BEST_PRICE);
    assert!(lines.iter().all(|line| line["type"] != "strategy"));
}

/// The desk's lines but for the last two.
fn trades_with(more: &[&str], desk_more: &str, strategy: &str) -> Vec<Value> {
    let folder = folder();
    generate(&folder);
    let exchange = Exchange::start_with("A", &[]);
    let desk = desk_with(&folder, &exchange.address.to_string(), desk_more, strategy);
    let (mut running, line) = Running::start(&desk, more);
    logged_on(&mut running);
    let options = ["--to", &line, "--mbps", "10", "--per-packet", "1"];
    json(&folder, &[&["replay", "day.itch50"], &options[..]].concat());
    let (lines, session, summary) = running.end();
    assert_eq!(summary["counters"]["mold_lost"], 0);

    let day: Vec<_> = messages(&folder, "day.itch50");
    let day: Vec<_> = day.into_iter().map(|(_, message)| message).collect();
    let (expected, before) = expected(&day);
    assert!(expected.len() - before > 50, "{} orders", expected.len());
    let orders: Vec<_> = lines
        .iter()
        .filter(|line| line["type"] == "order")
        .collect();
    let found: Vec<_> = orders.iter().map(|line| order(line)).collect();
    assert_eq!(found, expected);
    let (refused, sent) = orders.split_at(before);
    for line in refused {
        assert_eq!(line["reason"], "no last price", "{line}");
    }
    for (line, number) in sent.iter().zip(2..) {
        assert_eq!(
            (&line["outcome"], &line["number"]),
            (&"sent".into(), &Value::from(number))
        );
        assert_eq!(
            (&line["symbol"], &line["side"]),
            (&"A".into(), &"buy".into())
        );
    }
    assert_eq!(session["orders_sent"], sent.len());
    assert_eq!(session["orders_refused"], before);
    // Each was accepted, and none traded: nobody sells there.
    assert_eq!(session["reports"], sent.len());
    assert_eq!(session["open_orders"], sent.len());
    let served = exchange.stop();
    assert_eq!(served["live_orders"], sent.len());
    lines
}

/// The strategy of this project that buys at the best ask: the same orders, by the same independent book.
#[test]
fn a_strategy_file_sends_an_order_at_each_new_best_ask() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let file = root.join("desks/best-offer/strategy.py");
    let strategy = format!("file = {file:?}\nparameters = {{ instrument = \"A\", size = 30 }}");
    let mut lines = trades_with(&[], "", &strategy);
    let told = lines.pop().unwrap();
    assert_eq!(told["type"], "strategy", "{told}");
    assert_eq!(told["name"], "BestOffer");
    let orders = lines.iter().filter(|line| line["type"] == "order");
    assert_eq!(told["intents"], orders.count());
    let sent = lines.iter().filter(|line| line["outcome"] == "sent");
    assert_eq!(told["open_orders"], sent.count());
    assert_eq!(told["faults"], 0);
    assert_eq!(told["positions"], serde_json::json!({}));
}

#[test]
fn the_exchange_gets_an_order_at_each_new_best_ask() {
    trades(&[], "");
}

#[test]
fn by_busy_poll_and_with_a_store_it_gets_the_same() {
    let store = tempfile::tempdir().unwrap();
    let path = store.path().join("alice.session");
    trades(
        &["--busy-poll"],
        &format!("store = {:?}\n", path.to_str().unwrap()),
    );
}

/// Plays the day to a desk, until it has told of so many orders: how each ended, and why.
fn orders_of(
    folder: &TempDir,
    running: &mut Running,
    line: &str,
    count: usize,
) -> Vec<(String, Value)> {
    let options = ["--to", line, "--max", "--per-packet", "1"];
    json(folder, &[&["replay", "day.itch50"], &options[..]].concat());
    let mut orders = vec![];
    while orders.len() < count {
        let line = running.line();
        // Before the first trade there is no last price, which the collar needs.
        if line["type"] == "order" && line["reason"] != "no last price" {
            let outcome = line["outcome"].as_str().unwrap().to_owned();
            orders.push((outcome, line["reason"].clone()));
        }
    }
    orders
}

/// The fault: after kill -9 and a start with `store` there were twice as many orders in the market as the limit has.
#[test]
fn what_was_open_before_a_kill_counts_against_the_limits_until_the_operator_says_otherwise() {
    let folder = folder();
    generate(&folder);
    let exchange = Exchange::start_with("A", &[]);
    let store = folder.path().join("alice.session");
    let more = format!("store = {:?}\n", store.to_str().unwrap());
    let path = desk(&folder, &exchange.address.to_string(), &more);
    let text = std::fs::read_to_string(&path).unwrap();
    let limited = text.replace("max_open_orders = 60_000", "max_open_orders = 3");
    assert_ne!(limited, text);
    std::fs::write(&path, limited).unwrap();
    let sent = ("sent".to_owned(), Value::Null);
    let refused = ("refused".to_owned(), Value::from("open orders"));
    let as_limited = [sent.clone(), sent.clone(), sent, refused.clone()];

    let (mut running, line) = Running::start(&path, &[]);
    logged_on(&mut running);
    assert_eq!(orders_of(&folder, &mut running, &line, 4), as_limited);
    // As kill -9.
    drop(running);

    let mut running = Running::spawn(&path, &[]);
    let restored = running.line();
    assert_eq!(restored["type"], "restored");
    assert_eq!(restored["open_orders"], 3);
    assert_eq!(restored["unsure"], Value::Null);
    let line = running.listening();
    logged_on(&mut running);
    assert_eq!(orders_of(&folder, &mut running, &line, 1), [refused]);
    drop(running);

    // 100 are held by now, and nothing is open.
    let mut running = Running::spawn(&path, &["--confirm-positions", "A=100"]);
    let restored = running.line();
    assert_eq!(restored["positions"]["A"], 100);
    assert_eq!(restored["open_orders"], 0);
    let line = running.listening();
    logged_on(&mut running);
    assert_eq!(orders_of(&folder, &mut running, &line, 4), as_limited);
    drop(exchange);
}

/// The exchange closes the connection at every tenth message: the desk logs on again and goes on under the next number.
#[test]
fn a_connection_that_ends_is_made_again_and_no_number_is_used_twice() {
    let folder = folder();
    generate(&folder);
    let exchange = Exchange::start_with("A", &["--disconnect-every", "10"]);
    let desk = desk(&folder, &exchange.address.to_string(), "");
    let (mut running, line) = Running::start(&desk, &[]);
    logged_on(&mut running);
    // Four seconds of market.
    let options = ["--to", &line, "--speed", "1", "--per-packet", "1"];
    json(&folder, &[&["replay", "day.itch50"], &options[..]].concat());
    let (lines, session, _) = running.end();
    let count = |kind: &str| lines.iter().filter(|line| line["type"] == kind).count();
    assert!(
        count("disconnected") >= 1 && count("logged_on") >= 1,
        "{session}"
    );
    let numbers: Vec<_> = lines
        .iter()
        .filter_map(|line| line["number"].as_u64())
        .collect();
    assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
    assert!(
        session["refusals"]["the kill switch is on"].as_u64() > Some(0),
        "{session}"
    );
    assert_eq!(session["orders_sent"], numbers.len());
    drop(exchange);
}

#[test]
fn a_feed_that_is_joined_too_late_is_told_and_nothing_is_sent() {
    let folder = folder();
    generate(&folder);
    let exchange = Exchange::start_with("A", &[]);
    let desk = desk(&folder, &exchange.address.to_string(), "");
    let (mut running, line) = Running::start(&desk, &[]);
    logged_on(&mut running);
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let mut builder = formats::mold::Builder::new(*b"LATE      ", 1_000);
    for (_, message) in messages(&folder, "day.itch50").iter().take(500) {
        builder.push(message).unwrap();
        socket.send_to(builder.bytes(), &line).unwrap();
        builder.next_packet();
    }
    builder.end_session();
    socket.send_to(builder.bytes(), &line).unwrap();
    let (lines, session, _) = running.end();
    let book = lines.iter().find(|line| line["type"] == "book").unwrap();
    assert_eq!(
        (&book["tradable"], &book["reason"]),
        (&false.into(), &"a new session".into())
    );
    assert_eq!(session["orders_sent"], 0);
    drop(exchange);
}

/// The feed of a test: a message a packet.
struct Feed {
    socket: UdpSocket,
    packet: formats::mold::Builder,
    orders: u64,
}

impl Feed {
    fn send(&mut self, message: itch::Message) {
        let mut bytes = vec![];
        message.emit(itch::Version::V50, &mut bytes).unwrap();
        self.packet.push(&bytes).unwrap();
        self.socket.send(self.packet.bytes()).unwrap();
        self.packet.next_packet();
    }

    /// An order enters.
    fn add(&mut self, side: Side, price: u32) -> u64 {
        self.orders += 1;
        self.send(itch::Message::AddOrder(itch::AddOrder {
            head: itch::Head::default(),
            order_reference: self.orders,
            side,
            shares: 100,
            stock: "A".parse().unwrap(),
            price,
        }));
        self.orders
    }

    fn delete(&mut self, order_reference: u64) {
        self.send(itch::Message::OrderDelete(itch::OrderDelete {
            head: itch::Head::default(),
            order_reference,
        }));
    }
}

/// Each step waits for its order; until it comes, bids make the desk look at the book again, for the exchange's answer takes a while.
#[test]
fn with_single_its_one_order_is_replaced_at_a_new_price_and_cancelled_when_there_is_none() {
    let folder = folder();
    let exchange = Exchange::start_with("A", &[]);
    let path = desk(&folder, &exchange.address.to_string(), "");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text + "single = true\n").unwrap();
    let (mut running, line) = Running::start(&path, &[]);
    logged_on(&mut running);
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.connect(&line).unwrap();
    let mut feed = Feed {
        socket,
        packet: formats::mold::Builder::new(*b"SINGLE    ", 1),
        orders: 0,
    };
    feed.send(itch::Message::Trade(itch::Trade {
        head: itch::Head::default(),
        order_reference: 0,
        side: Side::Buy,
        shares: 1,
        stock: "A".parse().unwrap(),
        price: 1_000_000,
        match_number: 0,
    }));
    let (sender, orders) = std::sync::mpsc::channel();
    let end = std::thread::spawn(move || {
        for line in running.lines.by_ref() {
            let line: Value = serde_json::from_str(&line.unwrap()).unwrap();
            if line["type"] == "order" && sender.send(line).is_err() {
                return;
            }
        }
    });
    let next = |feed: &mut Feed| loop {
        match orders.recv_timeout(std::time::Duration::from_millis(20)) {
            Ok(order) => break order,
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => feed.add(Side::Buy, 900_000),
            Err(error) => panic!("{error}"),
        };
    };
    let mut number = 1;
    let mut expect = |feed: &mut Feed, kind: &str, price: Option<&str>| {
        let order = next(feed);
        assert_eq!(
            (&order["kind"], &order["outcome"]),
            (&kind.into(), &"sent".into()),
            "{order}"
        );
        assert_eq!(order.get("price").and_then(Value::as_str), price, "{order}");
        let about = (kind != "new").then_some(number);
        assert_eq!(
            order.get("original").and_then(Value::as_u64),
            about,
            "{order}"
        );
        let sent = order["number"].as_u64().unwrap();
        if kind != "cancel" {
            number = sent;
        }
    };
    for _ in 0..3 {
        let first = feed.add(Side::Sell, 1_000_100);
        expect(&mut feed, "new", Some("100.0100"));
        let better = feed.add(Side::Sell, 1_000_000);
        expect(&mut feed, "replace", Some("100.0000"));
        feed.delete(better);
        expect(&mut feed, "replace", Some("100.0100"));
        feed.delete(first);
        expect(&mut feed, "cancel", None);
    }
    let last = feed.add(Side::Sell, 1_000_200);
    expect(&mut feed, "new", Some("100.0200"));
    // It is the only one that the exchange has; orders that it got, it has answered.
    feed.delete(last);
    expect(&mut feed, "cancel", None);
    feed.add(Side::Sell, 1_000_300);
    expect(&mut feed, "new", Some("100.0300"));
    feed.packet.end_session();
    feed.socket.send(feed.packet.bytes()).unwrap();
    end.join().unwrap();
    let served = exchange.stop();
    assert_eq!(served["live_orders"], 1, "{served}");
}

/// The first packets of the day; the simulated core takes a thousand in some seconds.
const SIMULATED: usize = 1_400;

#[test]
fn the_simulated_core_sends_an_order_at_each_new_best_ask() {
    let folder = folder();
    generate(&folder);
    let desk = desk(&folder, "127.0.0.1:9", "");
    let packets = SIMULATED.to_string();
    let command = ["sim", "day.itch50", "--desk", &desk, "--packets", &packets];
    let mut lines = json_lines(&folder, &command);
    let summary = lines.pop().unwrap();
    let day: Vec<_> = messages(&folder, "day.itch50");
    let day: Vec<_> = day.into_iter().map(|(_, message)| message).collect();
    let (expected, _) = expected(&day[..SIMULATED]);
    assert!(expected.len() > 20, "{} orders", expected.len());
    // A message a packet; the first is number 1.
    let found: Vec<_> = lines
        .iter()
        .map(|line| line["packet"].as_u64().unwrap() + 1)
        .collect();
    let numbers: Vec<_> = expected.iter().map(|(_, number)| *number).collect();
    assert_eq!(found, numbers);
    assert!(lines.iter().all(|line| line["type"] == "order"));
    assert_eq!(summary["orders_sent"], expected.len());
    assert_eq!(summary["orders_refused"], 0);
    assert_eq!(summary["mismatches"], 0);
    let latency = |line: &Value| line["last_first_cycles"].as_f64().unwrap();
    let most = lines.iter().map(latency).fold(0.0, f64::max);
    assert_eq!(summary["last_first_cycles"]["max"], most);
    // BOOK.md: best price after 6 cycles; 10 from the frame's end to its last event, 12 to the order: nothing may take a hundred.
    assert!((10.0..100.0).contains(&most), "{most} cycles");
}

#[test]
fn what_is_measured_is_a_row_an_order_of_the_core_and_of_the_software() {
    let folder = folder();
    generate(&folder);
    let desk = desk(&folder, "127.0.0.1:9", "");
    let options = [
        "--packets",
        "300",
        "--width",
        "64",
        "--wait",
        "busy-poll",
        "--out",
        "out",
    ];
    let command = ["measure", "day.itch50", "--desk", &desk];
    let measured = json(&folder, &[&command[..], &options].concat());
    let day: Vec<_> = messages(&folder, "day.itch50");
    let day: Vec<_> = day.into_iter().map(|(_, message)| message).collect();
    let (expected, _) = expected(&day[..300]);
    assert_eq!(measured["orders_sent"], expected.len());
    let [core, software] = &measured["series"].as_array().unwrap()[..] else {
        panic!("{measured}");
    };
    assert_eq!(core["cycles"]["count"], expected.len());
    assert_eq!(software["nanoseconds"]["count"], expected.len());
    let csv = std::fs::read_to_string(folder.path().join("out/orders.csv")).unwrap();
    let mut rows = csv.lines();
    let head =
        "packet,time_ns,payload_bytes,messages,fpga_w64_cycles,fpga_w64_ns,software_busy_poll_ns";
    assert_eq!(rows.next(), Some(head));
    let period = 1_000.0 / core["clock_mhz"].as_f64().unwrap();
    for (row, (_, number)) in rows.by_ref().zip(&expected) {
        let cells: Vec<f64> = row.split(',').map(|cell| cell.parse().unwrap()).collect();
        // MoldUDP64's header of 20 bytes, a length of 2, the message.
        let length = 22 + day[*number as usize - 1].len();
        let packet = (*number - 1) as f64;
        assert_eq!((cells[0], cells[2], cells[3]), (packet, length as f64, 1.0));
        assert!(cells[4] > 0.0 && cells[6] > 0.0, "{row}");
        assert!((cells[5] - cells[4] * period).abs() < 0.06, "{row}");
    }
    assert_eq!(csv.lines().count(), expected.len() + 1);
    assert!(folder.path().join("out/tick_to_trade.json").exists());
    let picture = std::fs::read_to_string(folder.path().join("out/latency.svg")).unwrap();
    assert!(picture.starts_with("<svg") && picture.contains("orders out by then"));
}

#[test]
fn a_desk_with_a_strategy_is_refused_where_it_cannot_run() {
    let folder = folder();
    generate(&folder);
    let plain = desk(&folder, "127.0.0.1:9", "");
    let sim = ["sim", "day.itch50", "--desk", &plain];
    let refused = |more: &[&str]| failure(&folder, 1, &[&sim[..], more].concat());
    assert!(refused(&["--line-b"]).contains("line A alone"));
    assert!(refused(&["--preset", "stops_10g"]).contains("needs a preset with an order book"));
    let text = std::fs::read_to_string(&plain).unwrap();
    let (_, strategy) = text.split_once("[[strategy]]").unwrap();
    std::fs::write(&plain, format!("{text}[[strategy]]{strategy}")).unwrap();
    assert!(refused(&[]).contains("the core holds one strategy"));
    // Of a symbol that the file does not have.
    let other = text.replace("\"A\", decimals", "\"ZZZ\", decimals");
    std::fs::write(
        &plain,
        other.replace("symbol = \"A\"\nside", "symbol = \"ZZZ\"\nside"),
    )
    .unwrap();
    let says = failure(
        &folder,
        1,
        &[
            "measure",
            "day.itch50",
            "--desk",
            &plain,
            "--packets",
            "50",
            "--width",
            "64",
        ],
    );
    assert!(says.contains("no order leaves on this data"), "{says}");
    let stops = "stops = [{ symbol = \"A\", side = \"buy\", trigger = \"9\", quantity = 1 }]\n";
    let path = desk(&folder, "127.0.0.1:9", stops);
    for command in ["sim", "measure"] {
        let says = failure(&folder, 1, &[command, "day.itch50", "--desk", &path]);
        assert!(says.contains("leave them out"), "{says}");
    }
}
