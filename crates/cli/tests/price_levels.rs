//! A desk on price levels: the recorded ones of MICEX through `tickwire sim`, `measure` and `run`, held against a plain book of what `tickwire fast decode`
//! prints; and what such a desk is refused for.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader, Write};
use std::net::UdpSocket;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use crate::common::market::Exchange;
use crate::common::{failure, folder, json, json_lines};
use assert_cmd::cargo::cargo_bin;
use serde_json::{Value, json};
use tempfile::TempDir;

/// What the shipped desk trades, and its other instrument.
const RIU3: u64 = 49_634_118;
const SIU3: u64 = 49_664_582;
/// Levels of a side that the feed gives.
const DEPTH: usize = 5;

/// A file of this project.
fn of_project(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join(path).to_str().unwrap().to_owned()
}

/// A file of the recorded data; none where it is absent.
fn recorded(name: &str) -> Option<String> {
    let path = of_project(&format!("../shared/data/micex-2013-08-01/{name}"));
    let found = Path::new(&path).exists();
    if !found {
        eprintln!("SKIPPED: no {path}");
    }
    found.then_some(path)
}

/// The shipped desk, with its files here and these changes.
fn desk(folder: &TempDir, templates: &str, changes: &[(&str, &str)]) -> String {
    let mut text = std::fs::read_to_string(of_project("desks/micex-levels.toml")).unwrap();
    let map = of_project("desks/fast/micex-levels.toml");
    let files = [
        ("\"desks/fast/levels.xml\"", format!("\"{templates}\"")),
        ("\"desks/fast/micex-levels.toml\"", format!("\"{map}\"")),
    ];
    let files = files.iter().map(|(from, to)| (*from, to.as_str()));
    for (from, to) in files.chain(changes.iter().copied()) {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    let path = folder.path().join("desk.toml");
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Price and quantity of the levels of bids and asks.
type Sides = [BTreeMap<i64, i64>; 2];

/// The books of a feed that gives the best five levels of each side: plain, without the map and the book that are tested.
#[derive(Default)]
struct Levels {
    books: HashMap<u64, Sides>,
}

impl Levels {
    /// Takes a message as `fast decode` prints it.
    fn message(&mut self, message: &Value) {
        for entry in message["fields"]["MDEntries"]
            .as_array()
            .into_iter()
            .flatten()
        {
            let id = entry["SecurityID"].as_u64().unwrap();
            let side = match entry["MDEntryType"].as_str().unwrap() {
                "0" => 0,
                "1" => 1,
                other => panic!("no such entry in the recording: {other}"),
            };
            let (mantissa, exponent) = entry["MDEntryPx"]
                .as_str()
                .unwrap()
                .split_once('e')
                .unwrap();
            let price = mantissa.parse::<i64>().unwrap() * 10_i64.pow(exponent.parse().unwrap());
            let quantity = entry["MDEntrySize"].as_i64().unwrap();
            let levels = &mut self.books.entry(id).or_default()[side];
            if entry["MDUpdateAction"] == 2 || quantity == 0 {
                levels.remove(&price);
                continue;
            }
            levels.insert(price, quantity);
            if levels.len() > DEPTH {
                // The worst: the feed says no more of it.
                match side {
                    0 => levels.pop_first(),
                    _ => levels.pop_last(),
                };
            }
        }
    }

    fn best_ask(&self, id: u64) -> Option<i64> {
        self.books.get(&id)?[1].keys().next().copied()
    }
}

/// The messages of a file, each with what stands before it that is none of the feed's.
fn decoded(folder: &TempDir, capture: &str, templates: &str) -> Vec<Value> {
    let options = ["--framing", "preamble", "--templates", templates];
    let lines = json_lines(
        folder,
        &[&["fast", "decode", capture], &options[..]].concat(),
    );
    lines
        .into_iter()
        .filter(|line| line["fields"]["MDEntries"].is_array())
        .collect()
}

/// A line of the recording as a capture in the folder.
fn capture(folder: &TempDir, file: &str, templates: &str, out: &str) -> Value {
    let map = of_project("desks/fast/micex-levels.toml");
    let files = ["--templates", templates, "--map", &map, "--out", out];
    json(folder, &[&["fast", "capture", file], &files[..]].concat())
}

/// The places of the messages after which the best ask is another than the last one that there was.
fn new_best_asks(messages: &[Value]) -> Vec<(usize, i64)> {
    let (mut levels, mut last, mut changes) = (Levels::default(), None, vec![]);
    for (place, message) in messages.iter().enumerate() {
        // The first is from the middle of the session: the books are empty after it.
        if place > 0 {
            levels.message(message);
        }
        let best = levels.best_ask(RIU3);
        if let Some(price) = best.filter(|price| last != Some(*price)) {
            last = Some(price);
            changes.push((place, price));
        }
    }
    changes
}

#[test]
fn the_core_and_the_software_trade_on_recorded_levels_when_a_plain_book_has_a_new_best_ask() {
    const PACKETS: usize = 700;
    let (Some(file), Some(templates)) = (recorded("increment_a.dat"), recorded("templates.xml"))
    else {
        return;
    };
    let folder = folder();
    let written = capture(&folder, &file, &templates, "a.pcap");
    // ../shared/data/README.md says so.
    assert_eq!(written["packets"], 8_101);
    assert_eq!(
        (&written["first"], &written["last"]),
        (&json!(482_727), &json!(490_827))
    );
    let messages = decoded(&folder, "a.pcap", &templates);
    assert_eq!(messages.len(), 8_101);
    let expected = new_best_asks(&messages[..PACKETS]);
    assert!(expected.len() > 20, "{} changes", expected.len());

    let desk = desk(&folder, &templates, &[]);
    let packets = PACKETS.to_string();
    let some = ["a.pcap", "--desk", &desk, "--packets", &packets];
    let lines = json_lines(&folder, &[&["sim"], &some[..]].concat());
    let (summary, orders) = lines.split_last().unwrap();
    assert_eq!(summary["packets"], PACKETS);
    assert_eq!(
        (&summary["mismatches"], &summary["orders_refused"]),
        (&json!(0), &json!(0))
    );
    let packets_of_orders = orders
        .iter()
        .map(|order| order["packet"].as_u64().unwrap() as usize);
    let expected_packets = expected.iter().map(|(place, _)| *place);
    assert_eq!(
        packets_of_orders.collect::<Vec<_>>(),
        expected_packets.collect::<Vec<_>>()
    );

    // The software on sockets sends as many, and each has its row.
    let measured = [
        &["measure"],
        &some[..],
        &["--wait", "busy-poll", "--out", "out"],
    ]
    .concat();
    let measured = json(&folder, &measured);
    assert_eq!(measured["feed"], "FAST");
    assert_eq!(measured["orders_sent"], expected.len());
    assert_eq!(measured["mismatches"], 0);
    let rows = std::fs::read_to_string(folder.path().join("out/orders.csv")).unwrap();
    assert_eq!(rows.lines().count(), 1 + expected.len(), "{rows}");
}

#[test]
fn a_strategy_of_ones_own_trades_on_recorded_levels_in_a_backtest_and_is_refused_by_a_core_with_four_levels()
 {
    const PACKETS: usize = 300;
    let (Some(file), Some(templates)) = (recorded("increment_a.dat"), recorded("templates.xml"))
    else {
        return;
    };
    let folder = folder();
    capture(&folder, &file, &templates, "a.pcap");
    let shipped = std::fs::read_to_string(of_project("desks/micex-levels.toml")).unwrap();
    let (_, of_kind) = shipped.split_once("[[strategy]]").unwrap();
    let of_file = format!(
        "\nfile = \"{}\"\nparameters = {{ instrument = \"RIU3\", size = 3 }}\n",
        of_project("desks/best-offer/strategy.py")
    );
    let desk = desk(&folder, &templates, &[(of_kind, &of_file)]);
    let packets = PACKETS.to_string();
    let says = failure(&folder, 1, &["sim", "a.pcap", "--desk", &desk]);
    let refused = "preset moex_10g_one_line does not take price levels, only orders";
    assert!(says.contains(refused), "{says}");
    let expected = new_best_asks(&decoded(&folder, "a.pcap", &templates)[..PACKETS]);
    let command = ["backtest", "a.pcap", "--desk", &desk, "--packets", &packets];
    let lines = json_lines(&folder, &command);
    let intents = lines.iter().filter(|line| line["type"] == "intent");
    let prices: Vec<_> = intents
        .map(|line| line["new"]["price"].as_i64().unwrap())
        .collect();
    let expected: Vec<_> = expected.iter().map(|(_, price)| *price).collect();
    assert_eq!(prices, expected);
    assert_eq!(lines.last().unwrap()["packets"], PACKETS);
}

/// The UDP payloads of a capture with frames of Ethernet, IPv4 and UDP without options.
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

/// A snapshot of an instrument (template 75), after its number on the line.
fn snapshot(
    levels: &Levels,
    id: u64,
    number: u32,
    last: u64,
    templates: &fast::Templates,
) -> Vec<u8> {
    let sides = &levels.books[&id];
    let entry = |side: usize, (price, quantity): (&i64, &i64)| {
        json!({
            "MDEntryType": side.to_string(), "MDEntryPx": format!("{price}e0"),
            "MDEntryTime": 142_500_000, "MDEntrySize": quantity,
        })
    };
    let entries: Vec<_> = (0..2)
        .flat_map(|side| sides[side].iter().map(move |level| entry(side, level)))
        .collect();
    let message = json!({
        "id": 75,
        "fields": {
            "ApplVerID": "8", "MessageType": "W", "SenderCompID": "RTS", "MsgSeqNum": number, "SendingTime": 20_130_801_142_500_000_u64,
            "RptSeq": 1, "TotNumReports": 2, "LastMsgSeqNumProcessed": last, "SecurityID": id, "SecurityIDSource": 8, "MDEntries": entries,
        },
    });
    let message = fast::Json::new(templates)
        .read(&message.to_string())
        .unwrap();
    let (mut bytes, mut packet) = (vec![], vec![]);
    fast::Encoder::new(templates)
        .message(&message, &mut bytes)
        .unwrap();
    fast::Framing::Preamble.put(number, &bytes, &mut packet);
    packet
}

/// A running desk, and the lines that it has printed.
struct Desk {
    process: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
    told: Vec<Value>,
}

impl Desk {
    fn start(path: &str) -> Self {
        let mut process = Command::new(cargo_bin!("tickwire"))
            .args(["run", "--json", "--seconds", "60", "--desk", path])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        Desk {
            process,
            lines,
            told: vec![],
        }
    }

    /// Reads until it tells this.
    fn wait_for(&mut self, what: impl Fn(&Value) -> bool) {
        loop {
            let line = self.lines.next().expect("it has ended").unwrap();
            self.told.push(serde_json::from_str(&line).unwrap());
            if what(self.told.last().unwrap()) {
                return;
            }
        }
    }

    /// Ends it, and returns all lines that it printed.
    fn end(mut self) -> Vec<Value> {
        let id = self.process.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-INT", &id])
                .status()
                .unwrap()
                .success()
        );
        let rest = self
            .lines
            .map(|line| serde_json::from_str(&line.unwrap()).unwrap());
        self.told.extend(rest);
        assert!(self.process.wait().unwrap().success());
        self.told
    }
}

/// A client types lines, and leaves.
fn types(name: &str, line: &str, exchange: &Exchange) {
    let address = exchange.address.to_string();
    let mut client = Command::new(cargo_bin!("tickwire"))
        .args(["client", "--name", name, "--connect", &address, "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    client
        .stdin
        .take()
        .unwrap()
        .write_all(line.as_bytes())
        .unwrap();
    assert!(client.wait().unwrap().success());
}

#[test]
fn a_desk_on_two_lines_of_recorded_levels_trades_after_each_snapshot_on_the_right_prices() {
    const SENT: usize = 1_400;
    let (Some(file_a), Some(file_b)) = (recorded("increment_a.dat"), recorded("increment_b.dat"))
    else {
        return;
    };
    let xml = recorded("templates.xml").unwrap();
    let folder = folder();
    capture(&folder, &file_a, &xml, "a.pcap");
    capture(&folder, &file_b, &xml, "b.pcap");
    let messages = decoded(&folder, "a.pcap", &xml);
    let read = |name| payloads(&std::fs::read(folder.path().join(name)).unwrap());
    let [lines_a, lines_b] = [read("a.pcap"), read("b.pcap")];
    let number = |packet: &[u8]| u64::from(u32::from_le_bytes(*packet.first_chunk().unwrap()));
    // Line B begins 24 messages later.
    let late = (number(&lines_b[0]) - number(&lines_a[0])) as usize;
    let templates = fast::Templates::parse(&std::fs::read_to_string(&xml).unwrap()).unwrap();

    let exchange = Exchange::start_for(&["ALICE", "BOB", "CAROL"], "RIU3", &["--prices-to-all"]);
    let sockets = [(); 4].map(|()| UdpSocket::bind("127.0.0.1:0").unwrap());
    let to = sockets.map(|socket| socket.local_addr().unwrap().to_string());
    let lines = format!("lines = [\"{}\", \"{}\"]", to[0], to[1]);
    let snapshots = format!("snapshots = [\"{}\", \"{}\"]", to[2], to[3]);
    let desk = desk(
        &folder,
        &xml,
        &[
            ("lines = [\"127.0.0.1:26440\", \"127.0.0.1:26441\"]", &lines),
            (
                "snapshots = [\"127.0.0.1:26442\", \"127.0.0.1:26443\"]",
                &snapshots,
            ),
            ("127.0.0.1:9880", &exchange.address.to_string()),
            ("collar = \"2000\"", "collar = \"200000\""),
        ],
    );
    let mut desk = Desk::start(&desk);
    desk.wait_for(|told| told["type"] == "logged_on");
    // The collar needs a last price. This exchange takes none above 2,621.44: it rejects what the desk sends.
    types("BOB", "sell 1 RIU3 2600\n", &exchange);
    types("CAROL", "buy 1 RIU3 2600\n", &exchange);

    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let mut levels = Levels::default();
    let mut in_snapshots = vec![];
    // Of the messages about RIU3: place, number, best ask after it.
    let mut touched = vec![];
    for (place, message) in messages.iter().take(SENT).enumerate() {
        levels.message(message);
        let number = number(&lines_a[place]);
        let mut entries = message["fields"]["MDEntries"].as_array().unwrap().iter();
        if entries.any(|entry| entry["SecurityID"] == RIU3) {
            touched.push((place, number, levels.best_ask(RIU3).unwrap()));
        }
        // What one line loses the other brings, once it has begun; message 700 is lost on both.
        if place != 700 && (place < late || place % 14 != 5) {
            socket.send_to(&lines_a[place], &to[0]).unwrap();
        }
        if place != 700 && place >= late && place % 14 != 10 {
            let packet = &lines_b[place - late];
            assert_eq!(&lines_a[place], packet, "both lines have the same messages");
            socket.send_to(packet, &to[1]).unwrap();
        }
        if place % 20 == 0 {
            std::thread::sleep(Duration::from_millis(2));
        }
        if let 100 | 800 = place {
            let reason = if place == 100 {
                "a new session"
            } else {
                "lost messages"
            };
            desk.wait_for(|told| told["type"] == "book" && told["reason"] == reason);
            // It stores what comes from here on.
            std::thread::sleep(Duration::from_millis(100));
        }
        if let 120 | 820 = place {
            for (place, id) in [SIU3, RIU3].into_iter().enumerate() {
                let of_it = snapshot(&levels, id, place as u32 + 1, number, &templates);
                socket.send_to(&of_it, &to[2]).unwrap();
                // Line B: a copy.
                socket.send_to(&of_it, &to[3]).unwrap();
            }
            let count = levels.books[&RIU3].iter().map(BTreeMap::len).sum::<usize>();
            in_snapshots.push(Some(count as u64));
            desk.wait_for(|told| told["type"] == "book" && told["tradable"] == true);
        }
    }
    std::thread::sleep(Duration::from_millis(300));
    let told = desk.end();
    drop(exchange);

    let of = |kind: &'static str| told.iter().filter(move |line| line["type"] == kind);
    let rebuilt: Vec<_> = of("rebuilt").map(|line| line["orders"].as_u64()).collect();
    assert_eq!(rebuilt, in_snapshots);
    assert_eq!(of("not_rebuilt").count(), 0);
    let orders = of("order").map(|order| {
        assert_eq!(order["outcome"], "sent", "{order}");
        let price = order["price"].as_str().unwrap().parse().unwrap();
        (order["message"].as_u64().unwrap(), price)
    });
    let expected = [121..700, 821..SENT].map(|places| new_prices(places, &touched));
    assert!(expected.iter().all(|some| some.len() > 20), "{expected:?}");
    assert_eq!(orders.collect::<Vec<(u64, i64)>>(), expected.concat());
    let summary = of("summary").next().unwrap();
    assert_eq!(summary["fast"]["lost"], 1, "{summary}");
    assert_eq!(summary["fast"]["faulty"], 0, "{summary}");
}

/// Of messages by their places, those after which there is another best ask than before.
fn new_prices(places: std::ops::Range<usize>, touched: &[(usize, u64, i64)]) -> Vec<(u64, i64)> {
    let (mut last, mut found) = (None, vec![]);
    for (place, number, best) in touched {
        if places.contains(place) && last != Some(*best) {
            last = Some(*best);
            found.push((*number, *best));
        }
    }
    found
}

#[test]
fn a_desk_that_does_not_fit_its_map_is_refused_with_file_line_and_key() {
    let folder = folder();
    let shipped = std::fs::read_to_string(of_project("desks/fast/micex-levels.toml")).unwrap();
    let map = folder.path().join("map.toml");
    let map = map.to_str().unwrap();
    let own_map = format!("\"{map}\"");
    let shipped_map = format!("\"{}\"", of_project("desks/fast/micex-levels.toml"));
    let templates = of_project("desks/fast/levels.xml");
    let line = |text: &str, of: &str| text.lines().position(|line| line.contains(of)).unwrap() + 1;
    let desk_line = |of| {
        let text = std::fs::read_to_string(of_project("desks/micex-levels.toml")).unwrap();
        format!("desk.toml:{}:", line(&text, of))
    };
    // In the map, or in the desk: from, to, the place, what it says.
    for (in_map, from, to, place, says) in [
        (
            true,
            "depth = 5",
            "# none",
            format!("map.toml:{}:", line(&shipped, "[[template]]")),
            "write at the top of the map",
        ),
        (
            true,
            "price_scale = 0",
            "price_scale = 4",
            desk_line("RIU3\", id"),
            "write decimals = 4",
        ),
        (
            false,
            "decimals = 0, collar = \"2000\"",
            "decimals = 4, collar = \"2000\"",
            desk_line("RIU3\", id"),
            "with fewer decimals it would fit",
        ),
        (
            false,
            "tick = \"10\"",
            "tick = \"0.5\"",
            desk_line("RIU3\", id"),
            "tick has more than 0 decimals",
        ),
        (
            false,
            "tick = \"10\"",
            "tick = \"2049\"",
            desk_line("RIU3\", id"),
            "an odd number up to 2047",
        ),
        (
            false,
            "tick = \"10\"",
            "tick = \"10\", window = \"133255\"",
            desk_line("RIU3\", id"),
            "window is no multiple of tick",
        ),
        (
            false,
            "id = 49634118",
            "id = 72057594037927936",
            desk_line("RIU3\", id"),
            "id is 2^56",
        ),
    ] {
        let change = [(from, to), (shipped_map.as_str(), own_map.as_str())];
        let changes = if in_map { &change[1..] } else { &change[..] };
        let text = if in_map {
            shipped.replacen(from, to, 1)
        } else {
            shipped.clone()
        };
        std::fs::write(map, text).unwrap();
        let desk = desk(&folder, &templates, changes);
        for command in [
            &["check", &desk][..],
            &["run", "--seconds", "1", "--desk", &desk],
        ] {
            let told = failure(&folder, 1, command);
            assert!(
                told.contains(&place),
                "{command:?}, {to}: {told}, not at {place}"
            );
            assert!(told.contains(says), "{command:?}, {to}: {told}");
        }
    }
    // More levels than the core's book has room for: software takes them.
    std::fs::write(map, shipped.replacen("depth = 5", "depth = 10", 1)).unwrap();
    let desk = desk(&folder, &templates, &[(&shipped_map, &own_map)]);
    let checked = json(&folder, &["check", &desk]);
    let why = checked["fast"]["microcode"].as_str().unwrap();
    assert!(why.contains("\"orders\" is not where"), "{why}");
    let day = folder.path().join("none.pcap");
    std::fs::write(&day, one_packet()).unwrap();
    let told = failure(&folder, 1, &["sim", "none.pcap", "--desk", &desk]);
    assert!(
        told.contains("10 price levels of a side: the core's book takes 7 at most"),
        "{told}"
    );
}

/// A capture with one heartbeat, number 1, as raw IPv4 (https://www.tcpdump.org/linktypes.html: 228).
fn one_packet() -> Vec<u8> {
    // Presence map with the template, template 44, MsgSeqNum 1, SendingTime 0.
    let payload = [1, 0, 0, 0, 0xc0, 0x80 | 44, 0x81, 0x80];
    let udp = 8 + payload.len() as u16;
    let length = u32::from(20 + udp);
    let mut bytes = vec![];
    for word in [
        0xa1b2_c3d4,
        4 << 16 | 2,
        0,
        0,
        65_535,
        228,
        1,
        0,
        length,
        length,
    ] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend([0x45, 0]);
    bytes.extend((length as u16).to_be_bytes());
    bytes.extend([0, 0, 0x40, 0, 64, 17, 0, 0, 127, 0, 0, 1, 127, 0, 0, 1]);
    bytes.extend(26_440_u16.to_be_bytes());
    bytes.extend(26_440_u16.to_be_bytes());
    bytes.extend(udp.to_be_bytes());
    bytes.extend([0, 0]);
    bytes.extend(payload);
    bytes
}
