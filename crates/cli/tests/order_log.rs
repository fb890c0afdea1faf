//! `tickwire exchange` publishes its order log in FAST, and `tickwire run` trades on it: it joins late, loses packets on both lines, and rebuilds its books
//! from the snapshots each time.

use std::collections::{BTreeMap, HashMap};
use std::net::UdpSocket;
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::common::market::Exchange;
use crate::common::{at_scale, folder, json, json_lines};
use assert_cmd::cargo::cargo_bin;
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

/// Lines between the exchange and the desk, which lose packets by their numbers.
struct Lines {
    /// Where the exchange sends to.
    addresses: [String; 4],
    threads: Vec<JoinHandle<Vec<Vec<u8>>>>,
    stop: Arc<AtomicBool>,
}

/// Whether a line loses the packet of this number: A one in 13, B one in 17, both one in 331; the snapshots one in 11.
fn is_lost(line: usize, number: u32) -> bool {
    match line {
        0 => number.is_multiple_of(13) || number.is_multiple_of(331),
        1 => number.is_multiple_of(17) || number.is_multiple_of(331),
        _ => number.is_multiple_of(11),
    }
}

impl Lines {
    /// To these addresses of a desk.
    fn start(to: &[String; 4]) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let sockets = [(); 4].map(|()| UdpSocket::bind("127.0.0.1:0").unwrap());
        let addresses = sockets
            .each_ref()
            .map(|socket| socket.local_addr().unwrap().to_string());
        let pass_on = |(line, (socket, to)): (usize, (UdpSocket, &String))| {
            let (stop, to) = (Arc::clone(&stop), to.clone());
            let turn = Some(Duration::from_millis(50));
            socket.set_read_timeout(turn).unwrap();
            std::thread::spawn(move || {
                let (mut all, mut buffer) = (vec![], [0; 2_048]);
                while !stop.load(Ordering::Relaxed) {
                    let Ok(length) = socket.recv(&mut buffer) else {
                        continue;
                    };
                    let packet = &buffer[..length];
                    all.push(packet.to_vec());
                    let number = u32::from_le_bytes(*packet.first_chunk().unwrap());
                    if !is_lost(line, number) {
                        // Before the desk listens there is nobody.
                        let _ = socket.send_to(packet, &to);
                    }
                }
                all
            })
        };
        let sockets = sockets.into_iter().zip(to).enumerate();
        Lines {
            addresses,
            threads: sockets.map(pass_on).collect(),
            stop,
        }
    }

    /// Everything that the exchange sent, line by line.
    fn finish(self) -> Vec<Vec<Vec<u8>>> {
        self.stop.store(true, Ordering::Relaxed);
        let ended = self
            .threads
            .into_iter()
            .map(|thread| thread.join().unwrap());
        ended.collect()
    }
}

/// The best ask after each message of the log, by its number: read without the map and the book that the desk uses.
fn best_asks(packets: &[Vec<u8>]) -> HashMap<u64, Option<i64>> {
    let xml = std::fs::read_to_string(of_project("desks/fast/order-log.xml")).unwrap();
    let templates = fast::Templates::parse(&xml).unwrap();
    let (mut messages, json) = (
        fast::MessageBuilder::new(&templates),
        fast::Json::new(&templates),
    );
    let mut asks: BTreeMap<String, i64> = BTreeMap::new();
    let mut best = HashMap::new();
    for packet in packets {
        let mut decoder = fast::Decoder::new(&templates);
        decoder.packet(&packet[4..], &mut messages).unwrap();
        let message: Value = serde_json::from_str(&json.write(&messages.take()[0])).unwrap();
        let fields = &message["fields"];
        for entry in fields["Entries"].as_array().into_iter().flatten() {
            if entry["MDEntryType"] != "1" {
                continue;
            }
            let id = entry["MDEntryID"].as_str().unwrap().to_owned();
            if entry["MDUpdateAction"] == 2 {
                assert!(asks.remove(&id).is_some(), "{entry}");
            } else {
                asks.insert(id, at_scale(&entry["MDEntryPx"], 4));
            }
        }
        let number = fields["MsgSeqNum"].as_u64().unwrap();
        best.insert(number, asks.values().min().copied());
    }
    best
}

#[test]
fn a_desk_on_the_order_log_joins_late_loses_packets_and_trades_on_the_right_prices() {
    let folder = folder();
    let size = ["--symbols", "2", "--messages", "6000", "--seconds", "6"];
    json(
        &folder,
        &[&["generate", "itch", "--out", "day.itch50"], &size[..]].concat(),
    );
    let day = folder.path().join("day.itch50");
    let (to_desk, templates) = (free(), of_project("desks/fast/order-log.xml"));
    let between = Lines::start(&to_desk);
    let addresses = between.addresses.clone();
    let mut options = vec!["--replay", day.to_str().unwrap(), "--prices-to-all"];
    options.extend(["--fast-templates", &templates]);
    options.extend(["--fast-snapshot-cycle", "200ms"]);
    let names = [
        "--fast-line-a",
        "--fast-line-b",
        "--fast-snapshots-a",
        "--fast-snapshots-b",
    ];
    for (name, address) in names.iter().zip(&addresses) {
        options.extend([name, address.as_str()]);
    }
    let mut exchange = Exchange::start_with("A", &options);
    let listening = &exchange.listening;
    assert_eq!(listening["fast_lines"][0], addresses[0].as_str());
    assert_eq!(listening["fast_snapshots"][1], addresses[3].as_str());
    let desk = desk(&folder, &to_desk, &exchange.address.to_string());
    // The market has begun: the desk comes late.
    std::thread::sleep(Duration::from_millis(1_000));
    let lines = run(&desk, "7");

    let of = |kind: &str| {
        let of_kind = lines.iter().filter(|line| line["type"] == kind);
        of_kind.collect::<Vec<_>>()
    };
    let rebuilt = of("rebuilt");
    assert!(rebuilt.len() >= 5, "{rebuilt:?}");
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
    let summary = of("summary")[0];
    assert!(summary["fast"]["lost"].as_u64() > Some(5), "{summary}");
    assert_eq!(summary["fast"]["malformed"], 0, "{summary}");
    let by_b = &summary["arbitration"]["high_reliability"]["lines"][1];
    assert!(by_b["passed"].as_u64() > Some(100), "{summary}");

    // The end of the record, and of the exchange.
    exchange.line();
    exchange.stop();
    let sent = between.finish();
    assert_eq!(sent[0], sent[1], "both lines have the same packets");
    assert_eq!(sent[2], sent[3]);
    let best = best_asks(&sent[0]);
    let first = rebuilt[0]["message"].as_u64().unwrap();
    let second = rebuilt[1]["message"].as_u64().unwrap();
    let (mut left, mut after_a_loss) = (0, 0);
    for order in of("order") {
        let message = order["message"].as_u64().unwrap();
        let price = order["price"].as_str().unwrap().replace('.', "");
        assert!(message >= first, "{order}: before the first rebuild");
        assert_eq!(best[&message], Some(price.parse().unwrap()), "{order}");
        left += u32::from(order["outcome"] == "sent");
        after_a_loss += u32::from(message >= second);
    }
    println!("{} rebuilds, {left} orders sent", rebuilt.len());
    assert!(left > 20, "{left} orders sent");
    assert!(after_a_loss > 10, "{after_a_loss} orders after a loss");

    // The first packets of the log, in the core.
    let first_packets = &sent[0][..600];
    let capture = folder.path().join("log.pcap");
    std::fs::write(&capture, pcap(first_packets)).unwrap();
    let capture = capture.to_str().unwrap();
    let lines = json_lines(&folder, &["sim", capture, "--desk", &desk]);
    let (summary, orders) = lines.split_last().unwrap();
    assert_eq!(summary["packets"], 600, "{summary}");
    assert_eq!(summary["feed"], "FAST");
    assert!(orders.len() > 10, "{summary}");
    assert_eq!(summary["orders_sent"], orders.len());
    assert_eq!(summary["mismatches"], 0);
    // The software on sockets sends as many, and each has its row.
    let out = folder.path().join("out");
    let measured = json(
        &folder,
        &[
            &["measure", capture, "--desk", &desk],
            &["--wait", "busy-poll", "--out", out.to_str().unwrap()][..],
        ]
        .concat(),
    );
    assert_eq!(measured["feed"], "FAST");
    assert_eq!(measured["orders_sent"], orders.len());
    let series = measured["series"].as_array().unwrap().iter();
    let keys: Vec<_> = series.map(|one| one["key"].as_str().unwrap()).collect();
    assert_eq!(keys, ["fpga_w64", "software_busy_poll"]);
    let rows = std::fs::read_to_string(out.join("orders.csv")).unwrap();
    assert_eq!(rows.lines().count(), 1 + orders.len(), "{rows}");
    // Packet, time, bytes; then entries: none of the log's packets is empty.
    let entries = rows.lines().skip(1).map(|row| row.split(',').nth(3));
    assert!(entries.flatten().all(|entries| entries != "0"), "{rows}");
}

/// A capture of these datagrams, with raw IPv4 (https://www.tcpdump.org/linktypes.html: 228).
fn pcap(datagrams: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = 0xa1b2_c3d4_u32.to_le_bytes().to_vec();
    bytes.extend([2, 0, 4, 0]);
    for word in [0, 0, 65_535, 228_u32] {
        bytes.extend(word.to_le_bytes());
    }
    for (second, datagram) in (1_u32..).zip(datagrams) {
        let udp = 8 + datagram.len();
        let length = (20 + udp) as u32;
        for word in [second, 0, length, length] {
            bytes.extend(word.to_le_bytes());
        }
        // Checksums of 0: there is none for UDP, and nobody looks at that of IPv4.
        bytes.extend([0x45, 0]);
        bytes.extend((length as u16).to_be_bytes());
        bytes.extend([0, 0, 0x40, 0, 64, 17, 0, 0, 127, 0, 0, 1, 127, 0, 0, 1]);
        bytes.extend(26_430_u16.to_be_bytes());
        bytes.extend(26_430_u16.to_be_bytes());
        bytes.extend((udp as u16).to_be_bytes());
        bytes.extend([0, 0]);
        bytes.extend(datagram);
    }
    bytes
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
fn a_desk_on_the_order_log_is_refused_by_a_core_for_itch_and_without_a_strategy() {
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
    let on_interface = ["sim", "--tap", "tickwire0", "--desk", &desk];
    let says = fails(&[&on_interface[..], &["--preset", "itch_trader_10g"]].concat());
    assert!(says.contains("a FAST decoder and an order book"), "{says}");
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
