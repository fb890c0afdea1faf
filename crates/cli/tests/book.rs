//! `tickwire book` against a book kept here the plain way, out of the bytes of the file.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::num::NonZero;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use crate::common::{failure, folder, generate, json, messages, tickwire};
use assert_cmd::cargo::cargo_bin;
use parquet::file::reader::{FileReader, SerializedFileReader};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::{Value, json};
use tempfile::TempDir;

fn number(bytes: &[u8]) -> u64 {
    let more = |number, byte: &u8| number << 8 | u64::from(*byte);
    bytes.iter().fold(0, more)
}

/// A live order: symbol, whether it is a bid, price, shares.
type Order = (String, bool, u64, u64);

/// Orders by id; their ids tell in which order they came, which nothing printed here depends on.
#[derive(Clone, Default)]
struct Plain {
    orders: BTreeMap<u64, Order>,
    second: u64,
    /// Nanoseconds after midnight.
    time: u64,
}

impl Plain {
    fn message(&mut self, itch: &str, bytes: &[u8]) {
        let head = if itch == "4.1" { 5 } else { 11 };
        self.time = match (itch, bytes[0]) {
            ("4.1", b'T') => {
                self.second = number(&bytes[1..5]) * 1_000_000_000;
                self.second
            }
            ("4.1", _) => self.second + number(&bytes[1..5]),
            _ => number(&bytes[5..11]),
        };
        let body = &bytes[head..];
        match bytes[0] {
            b'A' | b'F' => {
                let symbol = String::from_utf8(body[13..21].to_vec()).unwrap();
                let (buy, shares) = (body[8] == b'B', number(&body[9..13]));
                let order = (symbol.trim_end().into(), buy, number(&body[21..25]), shares);
                self.orders.insert(number(&body[..8]), order);
            }
            b'E' | b'C' | b'X' => self.reduce(number(&body[..8]), number(&body[8..12])),
            b'D' => drop(self.orders.remove(&number(&body[..8]))),
            b'U' => {
                let (symbol, buy, _, _) = self.orders.remove(&number(&body[..8])).unwrap();
                let order = (symbol, buy, number(&body[20..24]), number(&body[16..20]));
                self.orders.insert(number(&body[8..16]), order);
            }
            _ => {}
        }
    }

    fn reduce(&mut self, id: u64, shares: u64) {
        let order = self.orders.get_mut(&id).unwrap();
        order.3 -= shares;
        if order.3 == 0 {
            self.orders.remove(&id);
        }
    }

    /// Levels of a side, the best first: price, shares, orders.
    fn side(&self, symbol: &str, buy: bool) -> Vec<(u64, u64, u64)> {
        let mut levels: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
        for (of, is_buy, price, shares) in self.orders.values() {
            if of == symbol && *is_buy == buy {
                let level = levels.entry(*price).or_default();
                *level = (level.0 + shares, level.1 + 1);
            }
        }
        let levels = levels.into_iter().map(|(price, (a, b))| (price, a, b));
        if buy {
            levels.rev().collect()
        } else {
            levels.collect()
        }
    }

    /// As `--json` prints a side.
    fn json(&self, symbol: &str, buy: bool, most: usize) -> Value {
        let level = |(price, quantity, orders): &(u64, u64, u64)| json!({"price": price, "quantity": quantity, "orders": orders});
        self.side(symbol, buy)
            .iter()
            .take(most)
            .map(level)
            .collect()
    }

    /// As a row of `--csv`, without the time.
    fn row(&self, symbol: &str, levels: usize) -> Vec<i64> {
        let (asks, bids) = (self.side(symbol, false), self.side(symbol, true));
        let of = |side: &[(u64, u64, u64)], rank: usize, none: i64| {
            side.get(rank)
                .map_or([none, 0], |level| [level.0 as i64, level.1 as i64])
        };
        let rank = |rank| {
            [
                of(&asks, rank, 9_999_999_999),
                of(&bids, rank, -9_999_999_999),
            ]
        };
        (0..levels).flat_map(rank).flatten().collect()
    }
}

/// The book after so many messages of a file.
fn plain(folder: &TempDir, file: &str, itch: &str, count: usize) -> Plain {
    let mut plain = Plain::default();
    for (_, message) in messages(folder, file).iter().take(count) {
        plain.message(itch, message);
    }
    plain
}

fn check(found: &Value, plain: &Plain, symbol: &str, levels: usize) {
    let books = found["books"].as_array().unwrap();
    let book = books.iter().find(|book| book["symbol"] == symbol).unwrap();
    assert_eq!(book["bids"], plain.json(symbol, true, levels), "{symbol}");
    assert_eq!(book["asks"], plain.json(symbol, false, levels), "{symbol}");
    let all = [plain.side(symbol, true), plain.side(symbol, false)];
    let orders: u64 = all.iter().flatten().map(|level| level.2).sum();
    assert_eq!(book["orders"], orders);
    assert_eq!(
        (&book["bid_levels"], &book["ask_levels"]),
        (&all[0].len().into(), &all[1].len().into())
    );
    assert_eq!(book["complete"], true);
    assert_eq!(found["time"], plain.time);
}

fn time_of_day(time: u64) -> String {
    let seconds = time / 1_000_000_000;
    let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60);
    format!(
        "{hours:02}:{minutes:02}:{:02}.{:09}",
        seconds % 60,
        time % 1_000_000_000
    )
}

#[test]
fn the_book_at_the_end_at_a_message_and_at_a_time() {
    for itch in ["4.1", "5.0"] {
        let folder = folder();
        generate(&folder, "day", &["--itch", itch]);
        let end = plain(&folder, "day", itch, usize::MAX);
        let found = json(&folder, &["book", "day", "--levels", "1000"]);
        for symbol in ["A", "B", "C"] {
            check(&found, &end, symbol, 1_000);
        }
        assert_eq!(
            (&found["more"], &found["message"]),
            (&0.into(), &messages(&folder, "day").len().into())
        );
        for count in [7, 500, 1_234] {
            let then = plain(&folder, "day", itch, count);
            let text = count.to_string();
            let found = json(
                &folder,
                &[
                    "book",
                    "day",
                    "--symbols",
                    "B,A",
                    "--message",
                    &text,
                    "--levels",
                    "3",
                ],
            );
            check(&found, &then, "A", 3);
            check(&found, &then, "B", 3);
            assert_eq!(found["books"][0]["symbol"], "B");
            // At its own time: all messages of that time are in, and no later one.
            let found = json(
                &folder,
                &[
                    "book",
                    "day",
                    "--symbols",
                    "A",
                    "--at",
                    &time_of_day(then.time),
                ],
            );
            let upto = found["message"].as_u64().unwrap() as usize;
            assert!(upto >= count);
            check(&found, &plain(&folder, "day", itch, upto), "A", 10);
            assert_eq!(found["time"], then.time);
            assert!(plain(&folder, "day", itch, upto + 1).time > then.time);
        }
    }
}

#[test]
fn without_symbols_the_most_active_are_shown_up_to_a_limit() {
    let folder = folder();
    generate(&folder, "day", &[]);
    let found = json(&folder, &["book", "day", "--limit", "1"]);
    assert_eq!(found["books"].as_array().unwrap().len(), 1);
    assert_eq!(found["books"][0]["symbol"], "A");
    assert_eq!(found["more"], 2);
    let output = tickwire(&folder, &["book", "day", "--limit", "1", "--levels", "2"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("and 2 more symbols"), "{text}");
    let end = plain(&folder, "day", "5.0", usize::MAX);
    let (price, shares, _) = end.side("A", true)[0];
    let price = format!("{}.{:04}", price / 10_000, price % 10_000);
    let best = text.lines().nth(3).unwrap();
    assert!(
        best.contains(&price) && best.contains(&shares.to_string()),
        "{text}"
    );
    assert_eq!(text.lines().count(), 6, "{text}");
}

#[test]
fn rows_are_one_a_change_in_csv_and_in_parquet() {
    for itch in ["4.1", "5.0"] {
        let folder = folder();
        generate(&folder, "day", &["--itch", itch]);
        let (mut plain, mut last) = (Plain::default(), Plain::default().row("B", 3));
        let mut expected: Vec<(u64, Vec<i64>)> = vec![];
        for (_, message) in messages(&folder, "day") {
            plain.message(itch, &message);
            let row = plain.row("B", 3);
            if row != last {
                expected.push((plain.time, row.clone()));
                last = row;
            }
        }
        let rows = ["--csv", "b.csv", "--parquet", "b.parquet", "--levels", "3"];
        let found = json(
            &folder,
            &[&["book", "day", "--symbols", "B"][..], &rows].concat(),
        );
        assert_eq!(found["rows"], expected.len());

        let text = fs::read_to_string(folder.path().join("b.csv")).unwrap();
        let mut lines = text.lines();
        let header = "time,ask_price_1,ask_size_1,bid_price_1,bid_size_1,ask_price_2,ask_size_2,bid_price_2,bid_size_2,ask_price_3,ask_size_3,bid_price_3,bid_size_3";
        assert_eq!(lines.next(), Some(header));
        let line = |(time, row): &(u64, Vec<i64>)| {
            let row: Vec<String> = row.iter().map(i64::to_string).collect();
            format!(
                "{}.{:09},{}",
                time / 1_000_000_000,
                time % 1_000_000_000,
                row.join(",")
            )
        };
        let written: Vec<String> = expected.iter().map(line).collect();
        assert_eq!(lines.collect::<Vec<_>>(), written);

        let file = File::open(folder.path().join("b.parquet")).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        let schema = reader.metadata().file_metadata().schema_descr();
        let names: Vec<_> = (0..13)
            .map(|at| schema.column(at).name().to_owned())
            .collect();
        assert_eq!(names.join(","), header);
        let read: Vec<(u64, Vec<i64>)> = reader
            .get_row_iter(None)
            .unwrap()
            .map(|row| {
                let values = row.unwrap().into_columns();
                let long = |value: &parquet::record::Field| match value {
                    parquet::record::Field::Long(long) => *long,
                    other => panic!("{other:?}"),
                };
                let values: Vec<i64> = values.iter().map(|(_, value)| long(value)).collect();
                (values[0] as u64, values[1..].to_vec())
            })
            .collect();
        assert_eq!(read, expected);
    }
}

#[test]
fn what_a_file_does_not_have_is_said_with_what_it_has() {
    let folder = folder();
    generate(&folder, "day", &[]);
    let said = failure(&folder, 1, &["book", "day", "--symbols", "A,MSFT"]);
    assert!(
        said.contains("day: no symbol MSFT in this file; it has A, B, C\n"),
        "{said}"
    );
    let said = failure(&folder, 1, &["book", "day", "--at", "16:00:00"]);
    assert!(said.contains("the time 16:00:00.000000000 is not in this file: it has times from 09:29:59.000000000 to 09:30:0"), "{said}");
    let early = failure(&folder, 1, &["book", "day", "--at", "09:29:58.9"]);
    assert!(early.contains("the time 09:29:58.900000000 is not in this file: it has times from 09:29:59.000000000 to 09:30:0"), "{early}");
    let count = messages(&folder, "day").len();
    let beyond = (count + 1).to_string();
    let said = failure(&folder, 1, &["book", "day", "--message", &beyond]);
    assert!(
        said.contains(&format!(
            "message {beyond} is not in this file: it has messages 1 to {count}"
        )),
        "{said}"
    );
    json(&folder, &["book", "day", "--message", &count.to_string()]);
    // Rows need one symbol, and what cannot be had leaves no file.
    let said = failure(&folder, 1, &["book", "day", "--csv", "out.csv"]);
    assert!(
        said.contains("choose one symbol with --symbols; the file has A, B, C\n"),
        "{said}"
    );
    failure(
        &folder,
        1,
        &[
            "book",
            "day",
            "--symbols",
            "X",
            "--csv",
            "out.csv",
            "--parquet",
            "out.parquet",
        ],
    );
    assert!(!folder.path().join("out.csv").exists() && !folder.path().join("out.parquet").exists());
    let said = failure(
        &folder,
        1,
        &["book", "day", "--symbols", "A", "--csv", "/dev/full"],
    );
    assert!(
        said.contains("/dev/full: cannot write: No space left"),
        "{said}"
    );
    let said = failure(
        &folder,
        1,
        &[
            "book",
            "day",
            "--symbols",
            "A",
            "--parquet",
            "no/folder/out",
        ],
    );
    assert!(
        said.contains("no/folder/out: cannot write: No such file"),
        "{said}"
    );
    let said = failure(&folder, 1, &["book", "day", "--symbols", "A", "--follow"]);
    assert!(said.contains("--follow needs a terminal"), "{said}");
    for wrong in [
        ["--at", "10:30"],
        ["--message", "0"],
        ["--levels", "0"],
        ["--symbols", "NINECHARS"],
        ["--speed", "2"],
    ] {
        failure(&folder, 2, &[&["book", "day"][..], &wrong].concat());
    }
}

#[test]
fn a_file_without_a_book_is_an_error() {
    let folder = folder();
    generate(&folder, "day", &[]);
    let bytes = fs::read(folder.path().join("day")).unwrap();
    let (orders, _) = &messages(&folder, "day")[6];
    // System events, the directory, the beginning of the market: no order.
    fs::write(folder.path().join("morning"), &bytes[..*orders]).unwrap();
    let said = failure(&folder, 1, &["book", "morning"]);
    assert!(
        said.contains("morning: no order enters in this file, so it has no book; tickwire info"),
        "{said}"
    );
    fs::write(folder.path().join("events"), &bytes[..14]).unwrap();
    let said = failure(&folder, 1, &["book", "events", "--csv", "out.csv"]);
    assert!(
        said.contains("events: no order enters in this file"),
        "{said}"
    );
    fs::write(folder.path().join("text"), "time,price\n1,2\n").unwrap();
    assert!(failure(&folder, 1, &["book", "text"]).contains("text: byte 0: neither pcap"));
    fs::write(folder.path().join("empty"), "").unwrap();
    assert!(failure(&folder, 1, &["book", "empty"]).contains("empty: byte 0: the file is empty"));
    assert!(failure(&folder, 1, &["book", "nothing"]).contains("nothing: cannot open"));
}

fn data(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data")
        .join(name);
    if !path.exists() {
        eprintln!("skipped: {} is absent", path.display());
        return None;
    }
    Some(path)
}

#[test]
fn the_hour_of_aapl_ends_as_its_readme_says() {
    for name in ["aapl.itch50", "aapl.itch41"] {
        let Some(path) = data(&format!("nasdaq-aapl-2012-06-21/{name}")) else {
            return;
        };
        let path = path.to_str().unwrap();
        let book = &json(&folder(), &["book", path])["books"][0];
        assert_eq!(book["symbol"], "AAPL");
        assert_eq!(
            (&book["orders"], &book["bid_levels"], &book["ask_levels"]),
            (&380.into(), &121.into(), &103.into())
        );
        assert_eq!(book["complete"], true);
    }
}

#[test]
fn a_capture_that_begins_within_the_day_has_books_that_are_not_complete() {
    let Some(path) = data("nasdaq-frames/Multiple.Packets.pcap") else {
        return;
    };
    let found = json(
        &folder(),
        &["book", path.to_str().unwrap(), "--limit", "100"],
    );
    let books = found["books"].as_array().unwrap();
    assert!(!books.is_empty());
    for book in books {
        assert_eq!(
            (&book["complete"], &book["why"]),
            (&false.into(), &"a new session".into())
        );
    }
    // A 36 and F 2, of which no more than one can have been deleted again.
    let orders: u64 = books
        .iter()
        .map(|book| book["orders"].as_u64().unwrap())
        .sum();
    assert!((37..=38).contains(&orders), "{orders}");
}

#[test]
fn a_book_is_followed_on_a_terminal() {
    let folder = folder();
    generate(&folder, "day", &[]);
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    rustix::io::fcntl_setfd(&master, rustix::io::FdFlags::CLOEXEC).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let size = Winsize {
        ws_row: 30,
        ws_col: 100,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&master, size).unwrap();
    let name = ptsname(&master, vec![]).unwrap();
    let slave = File::options()
        .read(true)
        .write(true)
        .open(OsStr::from_bytes(name.as_bytes()))
        .unwrap();
    let end = || Stdio::from(slave.try_clone().unwrap());
    let mut process = Command::new(cargo_bin!("tickwire"))
        .args([
            "book",
            "day",
            "--symbols",
            "A",
            "--follow",
            "--message",
            "900",
            "--speed",
            "0.001",
        ])
        .current_dir(folder.path())
        .stdin(end())
        .stdout(end())
        .stderr(end())
        .spawn()
        .unwrap();
    let mut keys = File::from(master);
    let mut reader = keys.try_clone().unwrap();
    let (sender, output) = channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 4_096];
        while let Ok(length) = reader.read(&mut buffer) {
            if sender.send(buffer[..length].to_vec()).is_err() {
                return;
            }
        }
    });
    let [rows, columns] = [30, 100].map(|size| NonZero::new(size).unwrap());
    let mut parser = vt100::Parser::new(rows, columns, 0);
    let mut see = |words: &[&str]| {
        let end = Instant::now() + Duration::from_secs(60);
        loop {
            let contents = parser.screen().contents();
            let fits = |line: &str| words.iter().all(|word| line.contains(word));
            if contents.lines().any(fits) {
                return;
            }
            assert!(Instant::now() < end, "no {words:?} in\n{contents}");
            if let Ok(bytes) = output.recv_timeout(Duration::from_millis(50)) {
                parser.process(&bytes);
            }
        }
    };
    see(&["A, day", "message 9"]);
    keys.write_all(b" ").unwrap();
    see(&["paused"]);
    // To the end, as fast as can be.
    keys.write_all(b" ").unwrap();
    keys.write_all("+".repeat(26).as_bytes()).unwrap();
    let count = messages(&folder, "day").len();
    see(&[&format!("message {count}"), "end of the file"]);
    let last = plain(&folder, "day", "5.0", usize::MAX);
    let price =
        |side: &[(u64, u64, u64)]| format!("{}.{:04}", side[0].0 / 10_000, side[0].0 % 10_000);
    let (bid, ask) = (price(&last.side("A", true)), price(&last.side("A", false)));
    see(&[&bid, &ask]);
    keys.write_all(b"q").unwrap();
    assert!(process.wait().unwrap().success());
    drop(slave);
}
