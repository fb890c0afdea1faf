//! `tickwire generate moex`: what it makes is read by the commands of FAST, and a desk on an order log trades on it.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::net::UdpSocket;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::{at_scale, failure, folder, json, json_lines};
use assert_cmd::cargo::cargo_bin;
use serde_json::Value;
use tempfile::TempDir;

const PACKETS: usize = 3_000;

/// A file of this project.
fn of_project(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join(path).to_str().unwrap().to_owned()
}

fn templates() -> String {
    of_project("desks/fast/order-log.xml")
}

fn generate(folder: &TempDir, out: &str, seed: &str) -> Value {
    let packets = PACKETS.to_string();
    let size = ["--packets", &packets, "--seed", seed, "--out", out];
    let templates = templates();
    let command = ["generate", "moex", "--templates", &templates];
    json(folder, &[&command[..], &size].concat())
}

/// Each packet as a line of JSON.
fn decoded(folder: &TempDir, file: &str) -> Vec<Value> {
    let templates = templates();
    let options = ["--framing", "preamble", "--reset-each-packet"];
    let command = ["fast", "decode", file, "--templates", &templates];
    json_lines(folder, &[&command[..], &options].concat())
}

#[test]
fn a_log_is_decoded_counted_and_turned_into_events_and_depends_on_its_seed_alone() {
    let folder = folder();
    let made = generate(&folder, "log.pcap", "1");
    assert_eq!(made["packets"], PACKETS);
    assert_eq!(made["symbols"][0], "USD000UTSTOM");
    let lines = decoded(&folder, "log.pcap");
    assert_eq!(lines.len(), PACKETS);
    let entries: usize = lines
        .iter()
        .map(|line| line["fields"]["Entries"].as_array().unwrap().len())
        .sum();
    assert_eq!(made["entries"], entries);
    let templates = templates();
    let map = of_project("desks/fast/moex-order-log.toml");
    let stream = [
        "log.pcap",
        "--templates",
        &templates,
        "--framing",
        "preamble",
        "--reset-each-packet",
    ];
    let events = [&["fast", "events", "--map", &map], &stream[..]].concat();
    let events = json_lines(&folder, &events);
    let of = |kind: &str| events.iter().filter(|line| line["kind"] == kind).count();
    assert_eq!(
        of("add") + of("modify") + of("delete") + of("clear"),
        entries
    );
    assert_eq!(of("clear"), 6);
    let counted = json_lines(&folder, &[&["fast", "statistics"], &stream[..]].concat());
    let text = serde_json::to_string(&counted).unwrap();
    assert!(text.contains("3610"), "{text}");

    generate(&folder, "same.pcap", "1");
    generate(&folder, "other.pcap", "2");
    let bytes = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    assert_eq!(bytes("log.pcap"), bytes("same.pcap"));
    assert_ne!(bytes("log.pcap"), bytes("other.pcap"));
    // No template 3610.
    let micex = folder.path().join("other.xml");
    std::fs::write(
        &micex,
        "<templates><template name=\"T\" id=\"1\"/></templates>",
    )
    .unwrap();
    let command = [
        "generate",
        "moex",
        "--templates",
        "other.xml",
        "--out",
        "x.pcap",
    ];
    let says = failure(&folder, 1, &command);
    assert!(says.contains("has no template 3610"), "{says}");
}

/// The payloads of a capture with frames of Ethernet, IPv4 and UDP without options.
fn payloads(bytes: &[u8]) -> Vec<Vec<u8>> {
    let (mut at, mut payloads) = (24, vec![]);
    while at < bytes.len() {
        let length = u32::from_le_bytes(bytes[at + 8..at + 12].try_into().unwrap()) as usize;
        let frame = &bytes[at + 16..at + 16 + length];
        let udp = u16::from_be_bytes([frame[38], frame[39]]) as usize;
        payloads.push(frame[42..42 + udp - 8].to_vec());
        at += 16 + length;
    }
    payloads
}

/// The best ask of an instrument, as text with four decimals, after each packet that changed its price: a plain book of what was decoded.
fn best_asks(lines: &[Value], symbol: &str) -> Vec<String> {
    let mut asks: HashMap<&str, i64> = HashMap::new();
    let (mut last, mut changes) = (None, vec![]);
    for line in lines {
        for entry in line["fields"]["Entries"].as_array().unwrap() {
            if entry["Symbol"] != symbol || entry["MDEntryType"] != "1" {
                continue;
            }
            let id = entry["MDEntryID"].as_str().unwrap();
            if entry["MDUpdateAction"] == 2 {
                asks.remove(id);
                continue;
            }
            // In the desk's decimals.
            asks.insert(id, at_scale(&entry["MDEntryPx"], 4));
        }
        let best = asks.values().min().copied();
        if let Some(price) = best.filter(|price| last != Some(*price)) {
            last = Some(price);
            changes.push(format!("{}.{:04}", price / 10_000, price % 10_000));
        }
    }
    changes
}

#[test]
fn a_desk_on_the_order_log_asks_for_an_order_at_each_new_best_ask() {
    const SYMBOL: &str = "USD000UTSTOM";
    let folder = folder();
    generate(&folder, "log.pcap", "4");
    let mut desk = std::fs::read_to_string(of_project("desks/order-log.toml")).unwrap();
    for (from, to) in [
        ("\"AAPL\"", "\"USD000UTSTOM\"".to_owned()),
        ("tick = \"0.01\"", "tick = \"0.0025\"".to_owned()),
        (
            "lines = [\"127.0.0.1:26430\", \"127.0.0.1:26431\"]",
            // The command line names another.
            "lines = [\"127.0.0.1:9\"]".to_owned(),
        ),
        ("snapshots = ", "# snapshots = ".to_owned()),
        ("desks/fast/order-log.xml", templates()),
        (
            "desks/fast/moex-order-log.toml",
            of_project("desks/fast/moex-order-log.toml"),
        ),
        ("127.0.0.1:9880", "127.0.0.1:9".to_owned()),
    ] {
        assert!(desk.contains(from), "{from}");
        desk = desk.replace(from, &to);
    }
    let path = folder.path().join("desk.toml");
    std::fs::write(&path, desk).unwrap();
    let packets = PACKETS.to_string();
    let mut run = Command::new(cargo_bin!("tickwire"))
        .args(["run", "--json", "--packets", &packets, "--seconds", "60"])
        .args(["--listen", "127.0.0.1:0", "--desk"])
        .arg(&path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(run.stdout.take().unwrap()).lines();
    let listening: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    let address = listening["lines"][0].as_str().unwrap().to_owned();
    // It would wait for a reader of what it prints.
    let told = std::thread::spawn(move || -> Vec<Value> {
        lines
            .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
            .collect()
    });
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let log = std::fs::read(folder.path().join("log.pcap")).unwrap();
    for (number, packet) in payloads(&log).iter().enumerate() {
        socket.send_to(packet, &address).unwrap();
        if number % 50 == 0 {
            std::thread::sleep(Duration::from_millis(2));
        }
    }
    let told = told.join().unwrap();
    assert!(run.wait().unwrap().success());
    let orders = told.iter().filter(|line| line["type"] == "order");
    let prices: Vec<_> = orders
        .map(|line| {
            assert_eq!(
                (&line["symbol"], &line["side"]),
                (&SYMBOL.into(), &"buy".into())
            );
            // No exchange is there.
            assert_eq!(line["outcome"], "refused");
            line["price"].as_str().unwrap().to_owned()
        })
        .collect();
    let expected = best_asks(&decoded(&folder, "log.pcap"), SYMBOL);
    assert!(expected.len() > 100, "{} changes", expected.len());
    assert_eq!(prices, expected);
}

/// The shipped desk as `desk.toml` of the folder, with another strategy file.
fn desk(folder: &TempDir, strategy: &str) {
    let text = std::fs::read_to_string(of_project("desks/moex-best-offer/desk.toml")).unwrap();
    let text = text
        .replace("\"desks/", &format!("\"{}/", of_project("desks")))
        .replace("../best-offer/strategy.py", strategy);
    std::fs::write(folder.path().join("desk.toml"), text).unwrap();
}

#[test]
fn a_strategy_of_ones_own_trades_on_the_log_in_both_cores_as_in_software() {
    let folder = folder();
    generate(&folder, "log.pcap", "1");
    desk(&folder, &of_project("desks/best-offer/strategy.py"));
    for (target, preset) in [
        ("processor", "moex_10g_one_line"),
        ("processor", "order_log_processor_10g"),
        ("module", "order_log_module_10g"),
    ] {
        let command = ["sim", "log.pcap", "--desk", "desk.toml", "--preset", preset];
        let some = ["--packets", "80", "--target", target];
        let lines = json_lines(&folder, &[&command[..], &some].concat());
        let summary = lines.last().unwrap();
        assert_eq!(summary["preset"], preset);
        assert_eq!(summary["mismatches"], 0);
        let sent = summary["orders_sent"].as_u64().unwrap();
        assert!(sent > 5, "{summary}");
        assert_eq!(lines.len() as u64, sent + 1);
    }
}

#[test]
fn what_a_core_for_the_order_log_does_not_do_is_named() {
    let folder = folder();
    generate(&folder, "log.pcap", "1");
    desk(&folder, "strategy.py");
    let shipped = std::fs::read_to_string(of_project("desks/best-offer/strategy.py")).unwrap();
    let (before, after) = shipped.split_once("    def on_book").unwrap();
    let report = "    def on_order(self, report: Report) -> None:\n        pass\n\n";
    let follows = format!("{before}{report}    def on_book{after}");
    let follows = follows.replacen("Quantity,", "Quantity, Report,", 1);
    let emits = shipped.replacen("self.buy(", "self.emit(9)\n            self.buy(", 1);
    for (strategy, lacks) in [
        (
            follows,
            "does not follow a strategy's own orders: no on_order",
        ),
        (emits, "has no ring for what a strategy emits: no emit"),
    ] {
        assert_ne!(strategy, shipped);
        std::fs::write(folder.path().join("strategy.py"), strategy).unwrap();
        for (target, preset) in [
            ("processor", "moex_10g_one_line"),
            ("module", "order_log_module_10g"),
        ] {
            let command = ["sim", "log.pcap", "--desk", "desk.toml", "--target", target];
            let told = failure(&folder, 1, &command);
            assert!(told.contains(&format!("preset {preset} {lacks}")), "{told}");
        }
    }

    std::fs::write(folder.path().join("strategy.py"), &shipped).unwrap();
    let both = "order_log_module_10g,order_log_processor_10g";
    let command = [
        "measure",
        "log.pcap",
        "--desk",
        "desk.toml",
        "--preset",
        both,
    ];
    let told = failure(
        &folder,
        1,
        &[&command[..], &["--target", "module"]].concat(),
    );
    assert!(told.contains("preset order_log_processor_10g"), "{told}");

    let quantity = shipped.replacen(
        "book.tradable",
        "book.tradable and book.ask.quantity > 9",
        1,
    );
    assert_ne!(quantity, shipped);
    std::fs::write(folder.path().join("strategy.py"), quantity).unwrap();
    let lacks = "keeps prices and numbers of orders only: no now, no quantity, no book.changed";
    for (target, preset, able) in [
        (
            "processor",
            "order_log_processor_10g",
            "; moex_10g_one_line does",
        ),
        ("module", "order_log_module_10g", ""),
    ] {
        let core = ["--target", target, "--preset", preset];
        let command = ["sim", "log.pcap", "--desk", "desk.toml"];
        let told = failure(&folder, 1, &[&command[..], &core].concat());
        let says = format!("preset {preset} {lacks}{able}");
        assert!(told.contains(&says), "{told}");
    }
}
