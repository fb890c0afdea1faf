//! `tickwire backtest` of a desk on an order log in FAST: against a plain book of what `tickwire fast decode` prints, and what it says of a log that is damaged or
//! another feed's.

use std::collections::BTreeMap;
use std::path::Path;

use crate::common::{at_scale, failure, folder, json, json_lines, tickwire};
use serde_json::Value;
use tempfile::TempDir;

const SYMBOL: &str = "USD000UTSTOM";
/// Of an order of the desk.
const SIZE: i64 = 100;
const PCAP_HEADER: usize = 24;

/// A file of this project.
fn of_project(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join(path).to_str().unwrap().to_owned()
}

/// A folder with a generated `log.pcap` and the shipped desk, whose files are here, with these changes.
fn with_desk(packets: &str, changes: &[(&str, &str)]) -> TempDir {
    let folder = folder();
    let templates = of_project("desks/fast/order-log.xml");
    let command = ["generate", "moex", "--templates", &templates, "--seed", "4"];
    let size = ["--packets", packets, "--out", "log.pcap"];
    json(&folder, &[&command[..], &size].concat());
    let text = std::fs::read_to_string(of_project("desks/moex-best-offer/desk.toml")).unwrap();
    let offer = of_project("desks/best-offer/strategy.py");
    let mut text = text
        .replace("\"desks/", &format!("\"{}/", of_project("desks")))
        .replace("../best-offer/strategy.py", &offer);
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    std::fs::write(folder.path().join("desk.toml"), text).unwrap();
    folder
}

const BACKTEST: [&str; 4] = ["backtest", "log.pcap", "--desk", "desk.toml"];

/// A new best ask: when, its price, and the quantity there.
#[derive(Debug, PartialEq, Eq)]
struct Ask {
    time_ns: u64,
    price: i64,
    quantity: i64,
}

/// The new best asks of a plain book of what is decoded, each after the packet that brought it.
fn best_asks(folder: &TempDir) -> Vec<Ask> {
    let templates = of_project("desks/fast/order-log.xml");
    let options = ["--framing", "preamble", "--reset-each-packet"];
    let command = ["fast", "decode", "log.pcap", "--templates", &templates];
    let packets = json_lines(folder, &[&command[..], &options].concat());
    let (mut offers, mut last, mut asks) = (BTreeMap::new(), None, vec![]);
    for packet in &packets {
        for entry in packet["fields"]["Entries"].as_array().unwrap() {
            if entry["Symbol"] != SYMBOL || entry["MDEntryType"] != "1" {
                continue;
            }
            let id = entry["MDEntryID"].as_str().unwrap();
            if entry["MDUpdateAction"] == 2 {
                offers.remove(id);
                continue;
            }
            let price = at_scale(&entry["MDEntryPx"], 4);
            offers.insert(id, (price, at_scale(&entry["MDEntrySize"], 0)));
        }
        let best = offers.values().map(|(price, _)| *price).min();
        if let Some(price) = best.filter(|price| last != Some(*price)) {
            last = Some(price);
            // YYMMDDHHMMSS and six decimals.
            let time = packet["fields"]["SendingTime"].as_u64().unwrap();
            let clock = time / 1_000_000;
            let seconds = clock / 10_000 % 100 * 3_600 + clock / 100 % 100 * 60 + clock % 100;
            let at_best = offers.values().filter(|(offered, _)| *offered == price);
            asks.push(Ask {
                time_ns: (seconds * 1_000_000 + time % 1_000_000) * 1_000,
                price,
                quantity: at_best.map(|(_, quantity)| quantity).sum(),
            });
        }
    }
    asks
}

#[test]
fn each_new_best_ask_of_a_plain_book_is_bought_at_its_time_as_far_as_it_is_there() {
    let folder = with_desk("3000", &[]);
    let asks = best_asks(&folder);
    assert!(asks.len() > 100, "{} changes", asks.len());
    let mut lines = json_lines(&folder, &BACKTEST);
    let summary = lines.pop().unwrap();
    let of = |kind: &str| {
        let found = lines.iter().filter(|line| line["type"] == kind);
        found.collect::<Vec<_>>()
    };
    let number = |line: &Value, key: &str| line[key].as_i64().unwrap();
    let (intents, fills) = (of("intent"), of("fill"));
    assert_eq!(intents.len(), asks.len());
    let (mut at_once, mut short) = (0, 0);
    for (intent, ask) in intents.iter().zip(&asks) {
        assert_eq!(intent["time_ns"], ask.time_ns);
        assert_eq!(number(&intent["new"], "price"), ask.price);
        // Orders that rest at better prices take of the level first.
        let now = || fills.iter().filter(|fill| fill["time_ns"] == ask.time_ns);
        let own = |fill: &&&Value| fill["order"] == intent["new"]["order"];
        let sum = |fills: Vec<&&Value>| -> i64 {
            fills.iter().map(|fill| number(fill, "quantity")).sum()
        };
        let others = sum(now().filter(|fill| !own(fill)).collect());
        let bought = sum(now().filter(own).collect());
        let there = SIZE.min((ask.quantity - others).max(0));
        // What was taken before is not there any more: less at times, never more.
        assert!(bought <= there, "{bought} of {ask:?}");
        short += usize::from(bought < there);
        at_once += bought;
    }
    assert!(at_once > 1_000, "{at_once}");
    assert!(short * 2 < asks.len(), "{short} of {}", asks.len());
    let instrument = &summary["instruments"][0];
    let position: i64 = fills.iter().map(|fill| number(fill, "quantity")).sum();
    assert_eq!(number(instrument, "position"), position);
    // Four decimals, those of the map; the middle is between 5.8 and 5.9 times ten thousand.
    let cash: i64 = fills
        .iter()
        .map(|fill| -number(fill, "quantity") * number(fill, "price"))
        .sum();
    let worth = instrument["profit"].as_f64().unwrap() - cash as f64 / 10_000.0;
    let middle = worth / position as f64;
    assert!((58.0..59.0).contains(&middle), "{middle}");
    let feed = serde_json::json!({
        "malformed": 0, "old": 0, "gaps": 0, "lost": 0, "unknown": 0, "damaged_frames": 0
    });
    assert_eq!(summary["feed"], feed);
    assert_eq!(instrument.get("untradable"), None);
}

#[test]
fn latencies_fees_and_what_was_measured_are_taken_as_of_itch() {
    let folder = with_desk("2000", &[]);
    let run = |more: &[&str]| json_lines(&folder, &[&BACKTEST[..], more].concat());
    let at_once = run(&[]).pop().unwrap();
    let fee = run(&["--fee", "0.01"]).pop().unwrap();
    let [traded, before, after] = [
        &at_once["instruments"][0]["traded"],
        &at_once["instruments"][0]["profit"],
        &fee["instruments"][0]["profit"],
    ]
    .map(|value| value.as_f64().unwrap());
    assert!((before - after - traded * 0.01).abs() < 1e-6, "{fee}");
    // 312 cycles at 312 MHz are a microsecond, and 9 us of the line.
    let measured = r#"{"series": [{"key": "fpga_w64_module", "cycles": {}, "clock_mhz": 312.0}]}"#;
    std::fs::write(folder.path().join("tick_to_trade.json"), measured).unwrap();
    let rows = "packet,fpga_w64_module_cycles\n0,312\n";
    std::fs::write(folder.path().join("orders.csv"), rows).unwrap();
    let latencies = ["--latency", "0,10us,fpga_w64_module,100ms"];
    let more = ["--measured", ".", "--line", "9us", "--chart", "cost.svg"];
    let lines = run(&[&latencies[..], &more].concat());
    let runs = lines[0]["runs"].as_array().unwrap();
    assert_eq!(runs[0]["instruments"], at_once["instruments"]);
    assert_eq!(runs[1]["instruments"], runs[2]["instruments"]);
    assert_ne!(runs[3]["instruments"], runs[0]["instruments"]);
    let chart = std::fs::read_to_string(folder.path().join("cost.svg")).unwrap();
    assert!(chart.contains("100 ms"));
    assert_eq!(
        run(&["--target", "interpreter"]).pop().unwrap()["fills"],
        at_once["fills"]
    );
}

/// Where the records of a capture begin, and its end.
fn records(bytes: &[u8]) -> Vec<usize> {
    let mut at = vec![PCAP_HEADER];
    while at[at.len() - 1] < bytes.len() {
        let begin = at[at.len() - 1];
        let length = u32::from_le_bytes(bytes[begin + 8..begin + 12].try_into().unwrap());
        at.push(begin + 16 + length as usize);
    }
    at
}

#[test]
fn a_lost_packet_is_told_and_its_books_take_no_orders_from_then_on() {
    let folder = with_desk("600", &[]);
    let path = folder.path().join("log.pcap");
    let bytes = std::fs::read(&path).unwrap();
    let at = records(&bytes);
    // Packet 301 is missing; all of them come twice, as on two lines.
    let twice: Vec<u8> = (0..600)
        .filter(|packet| *packet != 300)
        .flat_map(|packet| bytes[at[packet]..at[packet + 1]].repeat(2))
        .collect();
    std::fs::write(&path, [&bytes[..PCAP_HEADER], &twice].concat()).unwrap();
    let lines = json_lines(&folder, &BACKTEST);
    let summary = lines.last().unwrap();
    let feed = &summary["feed"];
    let counted = ["malformed", "old", "gaps", "lost"].map(|key| feed[key].as_u64().unwrap());
    assert_eq!(counted, [0, 599, 1, 1]);
    assert_eq!(feed["books"]["lost messages"], 1);
    assert_eq!(summary["instruments"][0]["untradable"], "lost messages");
    let output = tickwire(&folder, &BACKTEST);
    let text = String::from_utf8(output.stdout).unwrap();
    for part in [
        "its book cannot be relied on any more: lost messages",
        "599 packets that had been there, 1 gaps, 1 messages lost",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn a_log_of_another_feed_or_no_capture_is_refused_with_what_it_is() {
    let levels = of_project("desks/fast/levels.xml");
    let map = of_project("desks/fast/micex-levels.toml");
    let folder = with_desk(
        "20",
        &[
            (&of_project("desks/fast/order-log.xml"), &levels),
            (&of_project("desks/fast/moex-order-log.toml"), &map),
            ("\"127.0.0.1:26432\", \"127.0.0.1:26433\"", ""),
            ("decimals = 4", "decimals = 0"),
            ("collar = \"5\"", "collar = \"5\", id = 7"),
            ("\"0.0025\"", "\"1\""),
        ],
    );
    let says = failure(&folder, 1, &BACKTEST);
    assert!(
        says.contains(
            "none of 20 packets is of the desk's feed: 20 are not what its templates say"
        ),
        "{says}"
    );
    std::fs::write(folder.path().join("log.pcap"), b"\0\x0dnot a capture").unwrap();
    let says = failure(&folder, 1, &BACKTEST);
    assert!(says.contains("pcap"), "{says}");
}

#[test]
fn a_packet_that_comes_on_neither_line_is_told_beside_those_that_the_other_line_made_up_for() {
    // The core of `best_price` has two lines.
    let program = format!(
        "file = \"{}\"\nparameters = {{ instrument = \"{SYMBOL}\", size = {SIZE} }}",
        of_project("desks/best-offer/strategy.py")
    );
    let best_price =
        format!("kind = \"best price\"\nsymbol = \"{SYMBOL}\"\nside = \"buy\"\nquantity = {SIZE}");
    let folder = with_desk("160", &[(&program, &best_price)]);
    let path = folder.path().join("log.pcap");
    let bytes = std::fs::read(&path).unwrap();
    let at = records(&bytes);
    let without = [&bytes[..at[120]], &bytes[at[121]..]].concat();
    std::fs::write(&path, without).unwrap();
    let measure = [
        "measure",
        "log.pcap",
        "--desk",
        "desk.toml",
        "--width",
        "64",
    ];
    let more = ["--loss", "0.1", "--wait", "busy-poll", "--out", "out"];
    let measured = json(&folder, &[&measure[..], &more].concat());
    let lines = &measured["lines"];
    assert_eq!(
        (&lines["packets"], &lines["missing"]),
        (&159.into(), &1.into())
    );
    let lost = [0, 1].map(|line| lines["lost"][line].as_u64().unwrap());
    assert!(lost.iter().all(|lost| *lost > 3), "{lines}");
    assert_eq!(lines["recovered"], lost[0] + lost[1]);
    assert_eq!(lines["orders"], measured["orders_sent"]);
    let page = std::fs::read_to_string(folder.path().join("out/report.html")).unwrap();
    assert!(page.contains("1 messages came on neither"));
}

#[test]
fn losses_are_of_a_desk_that_trades_on_a_feed_in_fast() {
    let folder = with_desk("20", &[]);
    let size = ["--symbols", "2", "--messages", "200", "--out", "day.itch50"];
    json(&folder, &[&["generate", "itch"], &size[..]].concat());
    let says = failure(&folder, 1, &["measure", "day.itch50", "--loss", "0.1"]);
    assert!(
        says.contains("--loss is of a desk that trades on a feed in FAST"),
        "{says}"
    );
    let command = ["measure", "log.pcap", "--desk", "desk.toml", "--loss"];
    let says = failure(&folder, 2, &[&command[..], &["1"]].concat());
    assert!(
        says.contains("a probability is from 0 to less than 1"),
        "{says}"
    );
}
