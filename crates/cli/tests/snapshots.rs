//! `tickwire run` with a desk that names a server of snapshots: it joins the feed of `tickwire exchange` late, loses packets, and trades again each time.

use std::collections::{BTreeMap, HashMap};
use std::net::UdpSocket;
use std::process::{Command, Output};
use std::time::Duration;

use crate::common::market::Exchange;
use crate::common::{folder, json};
use assert_cmd::cargo::cargo_bin;
use formats::itch::{self, Version};
use formats::mold::{Header, Packet};
use formats::{Side, Symbol};
use serde_json::Value;
use tempfile::TempDir;

/// A desk for symbol A, with these addresses.
fn desk(folder: &TempDir, line: &str, exchange: &str, snapshots: &str) -> String {
    let text = format!(
        "[feed]\nitch = \"5.0\"\nlines = [\"{line}\"]\nsnapshots = \"{snapshots}\"\n[statistics]\nsymbols = [\"A\"]\n\
         [report]\nto = \"127.0.0.1:9\"\n\
         [session]\npeer = \"{exchange}\"\nsender = \"ALICE\"\ntarget = \"TICKWIRE\"\nfields = [[21, \"1\"]]\n\
         instruments = [{{ symbol = \"A\", decimals = 4, collar = \"1000\", position = 10_000_000, feed = true }}]\n\
         [session.limits]\nmax_quantity = 1_000\nmax_notional = \"1000000\"\nrate_orders = 255\nrate_ms = 1\nmax_open_orders = 60_000\n\
         [[strategy]]\nkind = \"best price\"\nsymbol = \"A\"\nside = \"buy\"\nquantity = 1\n"
    );
    let path = folder.path().join("desk.toml");
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// An address that was free a moment ago.
fn free() -> String {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.local_addr().unwrap().to_string()
}

fn run(desk: &str, seconds: &str) -> Vec<Value> {
    let Output { status, stdout, .. } = Command::new(cargo_bin!("tickwire"))
        .args(["run", "--json", "--seconds", seconds, "--desk", desk])
        .output()
        .unwrap();
    assert!(status.success());
    let text = String::from_utf8(stdout).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// All messages of the feed, of its request server.
fn published(exchange: &Exchange) -> Vec<Vec<u8>> {
    let server = exchange.listening["request_server"].as_str().unwrap();
    let session = exchange.listening["feed_session"].as_str().unwrap();
    let session = session.as_bytes().first_chunk::<10>().copied().unwrap();
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.connect(server).unwrap();
    socket
        .set_read_timeout(Some(Duration::from_secs(1)))
        .unwrap();
    let (mut messages, mut answer) = (vec![], [0; 2048]);
    loop {
        let sequence = messages.len() as u64 + 1;
        let request = Header {
            session,
            sequence,
            count: 1_000,
        };
        socket.send(&request.to_bytes()).unwrap();
        // What was not sent yet is not answered.
        let Ok(length) = socket.recv(&mut answer) else {
            return messages;
        };
        let packet = Packet::parse(&answer[..length]).unwrap();
        messages.extend(packet.messages().map(<[u8]>::to_vec));
    }
}

/// The best ask of A after each message, in 1/10,000 dollar.
fn best_asks(messages: &[Vec<u8>]) -> Vec<Option<u32>> {
    let a: Symbol = "A".parse().unwrap();
    let mut asks: HashMap<u64, (u32, u32)> = HashMap::new();
    let mut levels: BTreeMap<u32, u64> = BTreeMap::new();
    let mut best = vec![];
    for bytes in messages {
        let (mut taken, mut entered) = (None, None);
        match itch::Message::parse(Version::V50, bytes).unwrap() {
            itch::Message::AddOrder(m) if m.stock == a && m.side == Side::Sell => {
                entered = Some((m.order_reference, m.price, m.shares));
            }
            itch::Message::OrderExecuted(m) => taken = Some((m.order_reference, m.executed_shares)),
            itch::Message::OrderCancel(m) => taken = Some((m.order_reference, m.cancelled_shares)),
            itch::Message::OrderDelete(m) => taken = Some((m.order_reference, u32::MAX)),
            itch::Message::OrderReplace(m) => {
                taken = Some((m.order_reference, u32::MAX));
                let replaced = asks.contains_key(&m.order_reference);
                entered = replaced.then_some((m.new_order_reference, m.price, m.shares));
            }
            _ => {}
        }
        if let Some((id, shares)) = taken
            && let Some((price, left)) = asks.get_mut(&id)
        {
            let shares = shares.min(*left);
            *left -= shares;
            *levels.get_mut(price).unwrap() -= u64::from(shares);
            levels.retain(|_, shares| *shares > 0);
            asks.retain(|_, (_, left)| *left > 0);
        }
        if let Some((id, price, shares)) = entered {
            asks.insert(id, (price, shares));
            *levels.entry(price).or_default() += u64::from(shares);
        }
        best.push(levels.keys().next().copied());
    }
    best
}

#[test]
fn a_desk_that_joins_late_and_loses_packets_trades_on_the_right_prices() {
    let folder = folder();
    let size = ["--symbols", "2", "--messages", "6000", "--seconds", "6"];
    json(
        &folder,
        &[&["generate", "itch", "--out", "day.itch50"], &size[..]].concat(),
    );
    let day = folder.path().join("day.itch50");
    let line = free();
    let mut options = vec!["--replay", day.to_str().unwrap(), "--line-a", &line];
    options.extend([
        "--loss",
        "0.003",
        "--request-server",
        "127.0.0.1:0",
        "--snapshots",
        "127.0.0.1:0",
    ]);
    let mut exchange = Exchange::start_with("A", &options);
    let snapshots = exchange.listening["snapshots"].as_str().unwrap();
    let desk = desk(&folder, &line, &exchange.address.to_string(), snapshots);
    // The market has begun: the desk comes late.
    std::thread::sleep(Duration::from_millis(1_000));
    let lines = run(&desk, "7");

    let of = |kind: &str| {
        lines
            .iter()
            .filter(|line| line["type"] == kind)
            .collect::<Vec<_>>()
    };
    let rebuilt = of("rebuilt");
    assert!(rebuilt.len() >= 3, "{rebuilt:?}");
    let restored = rebuilt.iter().map(|line| line["orders"].as_u64());
    assert!(restored.max().flatten() > Some(10), "{rebuilt:?}");
    assert!(of("no_snapshot").is_empty(), "{:?}", of("no_snapshot"));
    let reasons: Vec<_> = of("book")
        .iter()
        .filter_map(|book| book["reason"].as_str())
        .collect();
    assert_eq!(reasons[0], "a new session");
    assert!(reasons[1..].contains(&"lost messages"), "{reasons:?}");
    assert_eq!(of("book").last().unwrap()["tradable"], true);

    let best = best_asks(&published(&exchange));
    let first = rebuilt[0]["message"].as_u64().unwrap();
    let last = rebuilt.last().unwrap()["message"].as_u64().unwrap();
    let orders = of("order");
    let mut after_the_last = 0;
    for order in &orders {
        let message = order["message"].as_u64().unwrap();
        let price: u32 = order["price"]
            .as_str()
            .unwrap()
            .replace('.', "")
            .parse()
            .unwrap();
        assert!(message >= first, "{order}: before the first rebuild");
        assert_eq!(best[message as usize - 1], Some(price), "{order}");
        after_the_last += u32::from(message >= last && order["outcome"] == "sent");
    }
    println!(
        "{} rebuilds, {} orders, {after_the_last} after the last",
        rebuilt.len(),
        orders.len()
    );
    assert!(orders.len() > 50, "{} orders", orders.len());
    assert!(after_the_last > 0, "no order after the last rebuild");
    // The end of the record, and of the exchange.
    exchange.line();
    let served = exchange.stop();
    assert!(
        served["snapshots"]["sent"].as_u64().unwrap() >= rebuilt.len() as u64,
        "{served}"
    );
}

#[test]
fn without_a_server_the_desk_says_so_and_does_not_trade() {
    let folder = folder();
    let line = free();
    let exchange = Exchange::start_with("A", &["--line-a", &line]);
    // Nobody listens there.
    let desk = desk(&folder, &line, &exchange.address.to_string(), &free());
    let lines = run(&desk, "4");
    let failed: Vec<_> = lines
        .iter()
        .filter(|line| line["type"] == "no_snapshot")
        .collect();
    let (first, second) = (failed[0], failed[1]);
    assert!(
        first["reason"]
            .as_str()
            .unwrap()
            .starts_with("cannot connect"),
        "{first}"
    );
    assert_eq!(
        (&first["seconds"], &second["seconds"]),
        (&1.into(), &2.into())
    );
    let book = lines.iter().rfind(|line| line["type"] == "book").unwrap();
    assert_eq!(book["tradable"], false);
    drop(exchange);
}
