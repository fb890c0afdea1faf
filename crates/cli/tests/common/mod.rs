//! What the tests of the command share: running it, reading its JSON, and counting a file of market data without any of its crates.

pub mod market;

use std::collections::BTreeMap;
use std::fs;
use std::process::Output;

use assert_cmd::Command;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Runs the command in the folder.
pub fn tickwire(folder: &TempDir, arguments: &[&str]) -> Output {
    let mut command = Command::cargo_bin("tickwire").unwrap();
    command
        .current_dir(folder.path())
        .args(arguments)
        .output()
        .unwrap()
}

/// A folder that goes when it is dropped.
pub fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// Runs it, which must succeed, and reads the JSON of its only line.
pub fn json(folder: &TempDir, arguments: &[&str]) -> Value {
    let mut lines = json_lines(folder, arguments);
    assert_eq!(lines.len(), 1);
    lines.remove(0)
}

/// Runs it, which must succeed and say nothing else (but that a model is built, the first time), and reads the JSON of its lines.
pub fn json_lines(folder: &TempDir, arguments: &[&str]) -> Vec<Value> {
    let output = tickwire(folder, &[arguments, &["--json"]].concat());
    let says = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{says}");
    let others = says.lines().filter(|line| !line.contains("the model of "));
    assert_eq!(others.count(), 0, "{says}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Runs it, which must fail with this code; gives what it says.
pub fn failure(folder: &TempDir, code: i32, arguments: &[&str]) -> String {
    let output = tickwire(folder, arguments);
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// Three symbols, 2,000 messages, 4 seconds; returns what the command prints about them.
pub fn generate(folder: &TempDir, out: &str, more: &[&str]) -> Value {
    generate_of(folder, out, "2000", more)
}

/// The same with so many messages: a simulated core takes some milliseconds for each.
pub fn generate_of(folder: &TempDir, out: &str, messages: &str, more: &[&str]) -> Value {
    let arguments = [
        "generate",
        "itch",
        "--symbols",
        "3",
        "--messages",
        messages,
        "--seconds",
        "4",
    ];
    json(folder, &[&arguments, more, &["--out", out]].concat())
}

/// A message of a BinaryFILE: where it begins (its length included), and its bytes.
pub type Message = (usize, Vec<u8>);

/// The messages of a file in the folder.
pub fn messages(folder: &TempDir, file: &str) -> Vec<Message> {
    let bytes = fs::read(folder.path().join(file)).unwrap();
    let (mut messages, mut at) = (vec![], 0);
    while at < bytes.len() {
        let end = at + 2 + usize::from(u16::from_be_bytes([bytes[at], bytes[at + 1]]));
        messages.push((at, bytes[at + 2..end].to_vec()));
        at = end;
    }
    messages
}

/// A big-endian number.
fn number(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Prices and shares of a side.
type Orders = Vec<(u64, u64)>;

fn side(orders: &Orders) -> Value {
    let prices = || orders.iter().map(|(price, _)| *price);
    json!({
        "count": orders.len(),
        "minimum": prices().min().unwrap_or(0),
        "maximum": prices().max().unwrap_or(0),
        "volume": orders.iter().map(|(_, shares)| *shares).sum::<u64>(),
        "sum": prices().sum::<u64>(),
    })
}

/// What `docs/reference/rules.md` makes of a file, counted the plain way.
pub struct Count {
    /// Second, sequence number of the message that begins it, rows as `tickwire sim --json` prints them.
    pub reports: Vec<(u64, u64, Value)>,
    /// Orders added in these symbols, and in others.
    pub hits: u64,
    /// Of other symbols.
    pub misses: u64,
}

/// Counts the orders of `symbols` by second.
pub fn count(messages: &[Message], itch: &str, symbols: &[&str]) -> Count {
    let (mut reports, mut hits, mut misses) = (vec![], 0, 0);
    let mut orders: BTreeMap<(&str, bool), Orders> = BTreeMap::new();
    let mut second = None;
    // The head of 4.1 is type and nanoseconds, that of 5.0 type, locate, tracking number and time.
    let head = if itch == "4.1" { 5 } else { 11 };
    for (sequence, (_, message)) in (1..).zip(messages) {
        let begins = match (itch, message[0]) {
            ("4.1", b'T') => Some(number(&message[1..5])),
            ("4.1", _) => None,
            _ => Some(number(&message[5..11]) / 1_000_000_000),
        };
        if begins > second {
            second = begins;
            let row = |name: &&str| {
                let of = |buy| side(orders.get(&(*name, buy)).unwrap_or(&vec![]));
                json!({"symbol": name, "buy": of(true), "sell": of(false)})
            };
            let rows = symbols.iter().map(row).collect();
            reports.push((second.unwrap(), sequence, rows));
            orders.clear();
        }
        if let b'A' | b'F' = message[0] {
            let name = String::from_utf8(message[head + 13..head + 21].to_vec()).unwrap();
            let Some(symbol) = symbols.iter().find(|symbol| **symbol == name.trim_end()) else {
                misses += 1;
                continue;
            };
            hits += 1;
            let shares = number(&message[head + 9..head + 13]);
            let price = number(&message[head + 21..head + 25]);
            let side = orders.entry((*symbol, message[head + 8] == b'B'));
            side.or_default().push((price, shares));
        }
    }
    Count {
        reports,
        hits,
        misses,
    }
}

/// A decimal of `tickwire fast decode`, mantissa and exponent, as an integer of so many decimals.
pub fn at_scale(value: &Value, decimals: i32) -> i64 {
    let text = value.as_str().unwrap();
    let (mantissa, exponent) = text.split_once('e').unwrap();
    let shift = exponent.parse::<i32>().unwrap() + decimals;
    mantissa.parse::<i64>().unwrap() * 10_i64.pow(u32::try_from(shift).unwrap())
}
