//! `tickwire exchange` publishes its order log in FAST, and `tickwire run` trades on it: it joins late, loses packets on both lines, and rebuilds its books
//! from the snapshots each time.

mod common;
#[path = "common/market.rs"]
mod market;

use std::collections::HashSet;
use std::net::UdpSocket;
use std::process::{Command, Output};
use std::time::Duration;

use assert_cmd::cargo::cargo_bin;
use common::{folder, json};
use market::Exchange;
use serde_json::Value;
use tempfile::TempDir;

/// A file of this project.
fn of_project(path: &str) -> String {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join(path).to_str().unwrap().to_owned()
}

/// Addresses that were free a moment ago: lines A and B, snapshots A and B.
fn free() -> [String; 4] {
    let sockets = [(); 4].map(|()| UdpSocket::bind("127.0.0.1:0").unwrap());
    sockets.map(|socket| socket.local_addr().unwrap().to_string())
}

/// The shipped desk, for symbol A and with these addresses.
fn desk(folder: &TempDir, [a, b, c, d]: &[String; 4], exchange: &str) -> String {
    let text = std::fs::read_to_string(of_project("desks/order-log.toml")).unwrap();
    let mut desk = text;
    for (from, to) in [
        ("127.0.0.1:26430", a.as_str()),
        ("127.0.0.1:26431", b),
        ("127.0.0.1:26432", c),
        ("127.0.0.1:26433", d),
        ("127.0.0.1:9880", exchange),
        ("\"AAPL\"", "\"A\""),
        ("\"AAPL\"", "\"A\""),
        ("collar = \"5\"", "collar = \"1000\""),
        ("quantity = 100", "quantity = 1"),
    ] {
        assert!(desk.contains(from), "{from}");
        desk = desk.replacen(from, to, 1);
    }
    for file in ["desks/fast/order-log.xml", "desks/fast/moex-order-log.toml"] {
        desk = desk.replace(file, &of_project(file));
    }
    let path = folder.path().join("desk.toml");
    std::fs::write(&path, desk).unwrap();
    path.to_str().unwrap().to_owned()
}

fn run(desk: &str, seconds: &str) -> Vec<Value> {
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new(cargo_bin!("tickwire"))
        .args(["run", "--json", "--seconds", seconds, "--desk", desk])
        .output()
        .unwrap();
    assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    let text = String::from_utf8(stdout).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_desk_on_the_order_log_joins_late_loses_packets_and_trades_again_after_each_snapshot() {
    let folder = folder();
    let size = ["--symbols", "2", "--messages", "6000", "--seconds", "6"];
    json(
        &folder,
        &[&["generate", "itch", "--out", "day.itch50"], &size[..]].concat(),
    );
    let day = folder.path().join("day.itch50");
    let (addresses, templates) = (free(), of_project("desks/fast/order-log.xml"));
    let mut options = vec!["--replay", day.to_str().unwrap(), "--prices-to-all"];
    options.extend([
        "--fast-templates",
        &templates,
        "--fast-snapshot-cycle",
        "200",
    ]);
    for (option, address) in [
        "--fast-line-a",
        "--fast-line-b",
        "--fast-snapshots-a",
        "--fast-snapshots-b",
    ]
    .iter()
    .zip(&addresses)
    {
        options.extend([option, address.as_str()]);
    }
    // One packet in 20 on each line, so one in 400 on both.
    options.extend(["--loss", "0.05"]);
    let mut exchange = Exchange::start_with("A", &options);
    assert_eq!(exchange.listening["fast_lines"][0], addresses[0].as_str());
    assert_eq!(
        exchange.listening["fast_snapshots"][1],
        addresses[3].as_str()
    );
    let desk = desk(&folder, &addresses, &exchange.address.to_string());
    // The market has begun: the desk comes late.
    std::thread::sleep(Duration::from_millis(1_000));
    let lines = run(&desk, "7");

    let of = |kind: &str| {
        let of_kind = lines.iter().filter(|line| line["type"] == kind);
        of_kind.collect::<Vec<_>>()
    };
    let rebuilt = of("rebuilt");
    assert!(rebuilt.len() >= 2, "{rebuilt:?}");
    let orders = rebuilt.iter().map(|line| line["orders"].as_u64());
    assert!(orders.max().flatten() > Some(10), "{rebuilt:?}");
    assert!(of("not_rebuilt").is_empty(), "{:?}", of("not_rebuilt"));
    let books = of("book");
    let reasons: Vec<_> = books
        .iter()
        .filter_map(|book| book["reason"].as_str())
        .collect();
    assert_eq!(reasons[0], "a new session");
    assert!(reasons[1..].contains(&"lost messages"), "{reasons:?}");
    assert_eq!(books.last().unwrap()["tradable"], true);

    let orders = of("order");
    let first = rebuilt[0]["message"].as_u64().unwrap();
    let last = rebuilt.last().unwrap()["message"].as_u64().unwrap();
    let number = |order: &Value| order["message"].as_u64().unwrap();
    assert!(orders.iter().all(|order| number(order) >= first));
    let sent: Vec<_> = orders
        .iter()
        .filter(|order| order["outcome"] == "sent")
        .collect();
    let prices: HashSet<_> = sent.iter().map(|order| order["price"].as_str()).collect();
    assert!(sent.len() > 20 && prices.len() > 5, "{} sent", sent.len());
    assert!(sent.iter().any(|order| number(order) > last));
    let summary = of("summary")[0];
    assert!(summary["fast"]["lost"].as_u64() > Some(0), "{summary}");
    assert_eq!(summary["fast"]["malformed"], 0, "{summary}");
    assert!(summary["arbitration"]["lines"].is_array(), "{summary}");
    println!("{} rebuilds, {} orders sent", rebuilt.len(), sent.len());
    // The end of the record, and of the exchange.
    exchange.line();
    exchange.stop();
}

#[test]
fn a_template_file_without_the_order_log_is_refused_with_what_to_do() {
    let folder = folder();
    let text = std::fs::read_to_string(of_project("desks/fast/order-log.xml")).unwrap();
    let path = folder.path().join("other.xml");
    std::fs::write(&path, text.replace("id=\"3610\"", "id=\"3611\"")).unwrap();
    let [line, ..] = free();
    let path = path.to_str().unwrap();
    let output = Command::new(cargo_bin!("tickwire"))
        .args(["exchange", "--client", "ALICE", "--symbols", "A"])
        .args(["--listen", "127.0.0.1:0", "--fast-templates", path])
        .args(["--fast-line-a", &line])
        .output()
        .unwrap();
    let says = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1));
    assert!(says.contains("no template 3610 (X-OLR-CURR)"), "{says}");
}

#[test]
fn a_desk_on_the_order_log_is_refused_where_only_itch_is_taken_and_without_a_strategy() {
    let folder = folder();
    let desk = desk(&folder, &free(), "127.0.0.1:9");
    let fails = |arguments: &[&str]| {
        let output = Command::new(cargo_bin!("tickwire"))
            .args(arguments)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let text = std::fs::read_to_string(&desk).unwrap();
    let says = fails(&["measure", "none.itch50", "--desk", &desk]);
    assert!(says.contains("only tickwire run takes it"), "{says}");
    let (without, _) = text.split_once("[session]").unwrap();
    std::fs::write(&desk, without).unwrap();
    let says = fails(&["run", "--desk", &desk, "--seconds", "1"]);
    assert!(says.contains("takes a desk that trades"), "{says}");
    std::fs::write(
        &desk,
        text.replace("[feed.fast]", "itch = \"5.0\"\n[feed.fast]"),
    )
    .unwrap();
    let says = fails(&["run", "--desk", &desk, "--seconds", "1"]);
    assert!(says.contains("either itch"), "{says}");
}
