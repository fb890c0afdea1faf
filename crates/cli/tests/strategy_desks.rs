//! Desks with a strategy file: a market maker in a recorded market, and what is wrong with a desk, by line and key.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::market::Exchange;
use crate::common::{failure, folder, json, json_lines};
use assert_cmd::cargo::cargo_bin;
use serde_json::Value;
use tempfile::TempDir;

/// A desk of this project.
fn of_project(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join("desks").join(name)
}

/// A copy of a desk, with other texts in its files.
fn copy(folder: &TempDir, name: &str, changes: &[(&str, &str)]) -> PathBuf {
    let to = folder.path().join(name);
    std::fs::create_dir_all(&to).unwrap();
    let mut made = vec![false; changes.len()];
    for file in ["desk.toml", "strategy.py"] {
        let mut text = std::fs::read_to_string(of_project(name).join(file)).unwrap();
        for ((from, with), made) in changes.iter().zip(&mut made) {
            *made |= text.contains(from);
            text = text.replace(from, with);
        }
        std::fs::write(to.join(file), text).unwrap();
    }
    assert_eq!(made, vec![true; changes.len()], "{changes:?}");
    to
}

#[test]
fn a_market_maker_trades_in_a_recorded_market_and_both_sides_count_the_same() {
    let folder = folder();
    let size = ["--symbols", "2", "--messages", "20000", "--seconds", "8"];
    let command = ["generate", "itch", "--out", "day.itch50"];
    json(&folder, &[&command[..], &size].concat());
    // The desk is there before the feed begins: books of a feed whose first messages are missing cannot be relied on.
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap().to_string();
    drop(free);
    // It tells its fills, too.
    let tells = "    def on_order(self, report: Report) -> None:\n        if report.kind == ReportKind.FILLED:\n            \
                 self.emit(7, report.side, report.quantity, report.price, self.position(report.instrument))\n";
    let desk = copy(
        &folder,
        "market-maker",
        &[
            ("    def on_order(self, report: Report) -> None:\n", tells),
            ("127.0.0.1:9880", &address),
            ("\"AAPL\"", "\"A\""),
            ("lot = 100", "lot = 50"),
        ],
    );
    let mut run = Command::new(cargo_bin!("tickwire"))
        .args(["run", "--json", "--seconds", "60", "--desk"])
        .arg(&desk)
        .args(["--listen", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut printed = BufReader::new(run.stdout.take().unwrap()).lines();
    let read = |line: std::io::Result<String>| serde_json::from_str(&line.unwrap()).unwrap();
    let listening: Value = printed.next().map(read).unwrap();
    let line = listening["lines"][0].as_str().unwrap();
    // It would wait for a reader of what it prints.
    let printed = std::thread::spawn(move || printed.map(read).collect::<Vec<Value>>());
    let day = folder.path().join("day.itch50");
    let mut exchange = Exchange::start_at(
        &address,
        &["ALICE"],
        "A,B",
        &[
            "--replay",
            day.to_str().unwrap(),
            "--speed",
            "2",
            "--await-clients",
            "--line-a",
            line,
        ],
    );
    let replayed = exchange.line();
    assert_eq!(replayed["type"], "replayed", "{replayed}");
    // The market stays open, so that the desk has every answer when it has logged out.
    let id = run.id().to_string();
    let killed = Command::new("kill").args(["-TERM", &id]).status();
    assert!(killed.unwrap().success());
    let lines = printed.join().unwrap();
    assert!(run.wait().unwrap().success());
    let of = |kind: &'static str| lines.iter().filter(move |line| line["type"] == kind);
    let told = of("strategy").next().unwrap();
    let (mut position, mut traded, mut fills) = (0, 0, 0);
    for record in of("record") {
        let values: Vec<i64> = serde_json::from_value(record["values"].clone()).unwrap();
        let [side, quantity, price, after] = values[..] else {
            panic!("{record}");
        };
        position += if side == 0 { quantity } else { -quantity };
        traded += quantity;
        fills += 1;
        assert_eq!((&record["tag"], after), (&7.into(), position), "{record}");
        assert!(price > 0, "{record}");
    }
    assert!(fills > 10, "{told}");
    assert_eq!(told["positions"]["A"].as_i64().unwrap_or(0), position);
    // What the exchange counted where the client's order was in the book first; the others took what rested there.
    let count = |name: &str| replayed[name].as_i64().unwrap();
    let rested = count("diverted") + count("taken");
    assert!(rested > 0 && traded >= rested, "{traded}, {replayed}");
    assert_eq!(
        (&told["name"], &told["faults"]),
        (&"MarketMaker".into(), &0.into())
    );
    let kinds = |kind: &str| of("order").filter(|line| line["kind"] == kind).count();
    assert!(kinds("new") > 10 && kinds("replace") > 10, "{told}");
    // One bid and one ask at most, and not far beyond the limit of 500.
    assert!(told["open_orders"].as_i64().unwrap() <= 2, "{told}");
    assert!(position.abs() < 500 + 50, "{position}");
    assert_eq!(exchange.stop()["live_orders"], told["open_orders"]);
}

#[test]
fn the_desks_of_this_project_are_good_as_files_and_as_folders() {
    let folder = folder();
    let shipped = [
        ("best-offer", "BestOffer"),
        ("bid-plus-ask", "BidPlusAsk"),
        ("market-maker", "MarketMaker"),
        ("opening-imbalance", "OpeningImbalance"),
        ("spread", "Spread"),
        ("stop-order", "StopOrder"),
        ("symbol-statistics", "SymbolStatistics"),
    ];
    let folders = std::fs::read_dir(of_project("")).unwrap();
    let with_strategy =
        folders.filter(|entry| entry.as_ref().unwrap().path().join("strategy.py").exists());
    assert_eq!(with_strategy.count(), shipped.len());
    for (name, class) in shipped {
        let (desk, file) = (of_project(name), of_project(name).join("desk.toml"));
        let paths = [desk.to_str().unwrap(), file.to_str().unwrap()];
        let lines = json_lines(&folder, &["check", paths[0], paths[1]]);
        for (line, path) in lines.iter().zip(paths) {
            assert_eq!(
                (&line["desk"], &line["strategies"][0]),
                (&path.into(), &class.into())
            );
            // Of the one in FAST, the order log goes at wire rate.
            let fast = (name == "moex-best-offer").then(|| serde_json::json!([3610]));
            assert_eq!(line["fast"].get("wire_rate"), fast.as_ref());
        }
    }
}

#[test]
fn what_is_wrong_with_a_desk_is_named_by_file_line_and_key() {
    let parameters = "parameters = { instrument = \"AAPL\", half_spread = \"0.02\", skew = \"0.01\", lot = 100, limit = 500 }";
    let one = |value: &str| format!("parameters = {{ {value} }}");
    for (from, with, says) in [
        (
            parameters,
            one("lots = 1"),
            "parameter lots: it has no parameter lots",
        ),
        (
            parameters,
            one("skew = 0.01"),
            "write it in quotes, \"0.01\"",
        ),
        (
            parameters,
            one("skew = \"0.00001\""),
            "is no price with up to 4 decimals",
        ),
        (
            parameters,
            one("lot = \"many\""),
            "parameter lot: \"many\" is no whole number",
        ),
        (
            parameters,
            one("lot = [1]"),
            "write a number, a text or true or false",
        ),
        (
            parameters,
            one("instrument = \"IBM\""),
            "IBM is none of the session's instruments with feed = true",
        ),
        (
            "file = \"strategy.py\"",
            "file = \"strategies.py\"".into(),
            "cannot read",
        ),
        (
            "fault_stops = true",
            "fault_stops = 1".into(),
            "invalid type",
        ),
        (
            "fault_stops = true",
            "stops = 1".into(),
            "unknown field `stops`",
        ),
        (
            "fault_stops = true",
            "quantity = 1".into(),
            "parameters = { … }",
        ),
        (
            "fault_stops = true",
            "kind = \"best price\"".into(),
            "either kind = \"best price\" or file",
        ),
        (
            "file = \"strategy.py\"",
            "kind = \"best price\"\nsymbol = \"AAPL\"\nside = \"buy\"\nquantity = 1".into(),
            "is of a strategy with file",
        ),
        (
            ", feed = true, tick = \"0.01\"",
            String::new(),
            "give an instrument of the session feed = true",
        ),
    ] {
        let folder = folder();
        let desk = copy(&folder, "market-maker", &[(from, &with)]);
        let text = std::fs::read_to_string(desk.join("desk.toml")).unwrap();
        for command in [&["check"][..], &["run", "--desk"]] {
            let found = failure(&folder, 1, &[command, &[desk.to_str().unwrap()]].concat());
            assert!(found.contains(says), "{with}: {found}");
            let place = found.split("desk.toml:").nth(1).unwrap_or_default();
            let line: usize = place.split(':').next().unwrap().parse().unwrap();
            let begins = text
                .lines()
                .position(|line| line == "[[strategy]]")
                .unwrap()
                + 1;
            assert!(line >= begins, "{with}: {found}");
        }
    }
    // What is wrong in the strategy is named there.
    let folder = folder();
    let desk = copy(
        &folder,
        "best-offer",
        &[("self.last = book.ask.price", "self.last = self.size")],
    );
    for command in [&["check"][..], &["run", "--desk"]] {
        let found = failure(&folder, 1, &[command, &[desk.to_str().unwrap()]].concat());
        assert!(found.contains("strategy.py:13:25:"), "{found}");
    }
}

#[test]
fn a_strategy_file_runs_in_a_core_as_a_program_and_as_a_module() {
    let folder = folder();
    let size = ["--messages", "2000", "--seconds", "2", "--symbols", "2"];
    let command = ["generate", "itch", "--out", "day.itch50"];
    json(&folder, &[&command[..], &size].concat());
    let desk = copy(&folder, "best-offer", &[("\"AAPL\"", "\"A\"")]);
    let desk = desk.to_str().unwrap();
    let command = ["measure", "day.itch50", "--desk", desk, "--width", "64"];
    let options = ["--packets", "160", "--wait", "busy-poll", "--out", "out"];
    let targets = ["--target", "module,processor", "--open-loop", "8"];
    let measured = json(&folder, &[&command[..], &options, &targets].concat());
    let [processor, processor_8x, module, module_8x, _] =
        &measured["series"].as_array().unwrap()[..]
    else {
        panic!("{measured}");
    };
    // Packets of one message: its last byte comes before the FCS, its first some beats before that.
    for series in [processor, processor_8x, module, module_8x] {
        let mean = |name: &str| series[name]["mean"].as_f64().unwrap();
        let (som, eot) = (mean("som_sof_cycles"), mean("eot_sof_cycles"));
        assert!(mean("cycles") <= eot && eot + 2.0 < som, "{series}");
        assert_eq!(series["cycles"]["count"], measured["orders_sent"]);
    }
    assert_eq!(module_8x["key"], "fpga_w64_module_8x");
    assert_eq!(
        (&processor["key"], &module["key"]),
        (&"fpga_w64_processor".into(), &"fpga_w64_module".into())
    );
    let sent = measured["orders_sent"].as_f64().unwrap();
    assert!(sent > 1.0, "{measured}");
    for series in [processor, module] {
        assert!(
            series["edit_to_simulation_seconds"].as_f64() > Some(0.0),
            "{series}"
        );
    }
    let fastest = |series: &Value| series["cycles"]["min"].as_f64().unwrap();
    assert!(fastest(module) < fastest(processor), "{measured}");
    let csv = std::fs::read_to_string(folder.path().join("out/orders.csv")).unwrap();
    assert!(
        csv.contains(
            ",fpga_w64_processor_cycles,fpga_w64_processor_8x_cycles,fpga_w64_module_cycles,"
        ),
        "{csv}"
    );
}

#[test]
fn a_strategy_file_is_refused_where_it_cannot_run_yet() {
    let folder = folder();
    let size = ["--messages", "400", "--seconds", "2", "--symbols", "2"];
    let command = ["generate", "itch", "--out", "day.itch50"];
    json(&folder, &[&command[..], &size].concat());
    let desk = copy(&folder, "best-offer", &[("\"AAPL\"", "\"A\"")]);
    let desk = desk.to_str().unwrap();
    let maker = copy(&folder, "market-maker", &[("\"AAPL\"", "\"A\"")]);
    // It follows its orders, and runs in both cores.
    for target in ["processor", "module"] {
        let maker = maker.to_str().unwrap();
        let command = ["sim", "day.itch50", "--desk", maker, "--target", target];
        let summary = json_lines(&folder, &command).pop().unwrap();
        assert_eq!(summary["mismatches"], 0, "{summary}");
        assert!(summary["orders_sent"].as_u64().unwrap() > 0, "{summary}");
    }
    let file = maker.join("strategy.py");
    let text = std::fs::read_to_string(&file).unwrap();
    let maker = maker.to_str().unwrap();
    let begins = "    def on_book(self, book: Book) -> None:\n";
    let with = |statement: &str| {
        text.replacen(begins, &format!("{begins}        {statement}\n"), 1)
            .replacen("Quantity,", "Quantity, Side,", 1)
    };
    // Deeper levels and records are in both cores on ITCH.
    let deep = "self.emit(1, book.level(Side.BUY, 3).price // Price.raw(1))";
    std::fs::write(&file, with(deep)).unwrap();
    for target in ["processor", "module"] {
        let command = ["sim", "day.itch50", "--desk", maker, "--target", target];
        let lines = json_lines(&folder, &command);
        let summary = lines.last().unwrap();
        assert_eq!(summary["mismatches"], 0, "{summary}");
        assert!(summary["records"].as_u64().unwrap() > 10, "{summary}");
        let mut records = lines.iter().filter(|line| line["type"] == "record");
        assert!(records.clone().all(|line| line["tag"] == 1));
        assert!(records.any(|line| line["values"][0] != 0));
    }
    // Only a strategy in a file becomes something.
    for command in ["sim", "measure"] {
        let command = [
            command,
            "day.itch50",
            "--symbols",
            "A",
            "--target",
            "module",
        ];
        assert!(failure(&folder, 1, &command).contains("leave it out"));
    }
    let preset = ["--preset", "itch_processor_10g", "--target", "module"];
    let command = ["sim", "day.itch50", "--desk", desk];
    let says = failure(&folder, 1, &[&command[..], &preset].concat());
    assert!(says.contains("itch_module_10g"), "{says}");
    // The other kind goes first.
    let path = Path::new(desk).join("desk.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let other =
        "[[strategy]]\nkind = \"best price\"\nsymbol = \"A\"\nside = \"buy\"\nquantity = 30\n";
    std::fs::write(&path, format!("{text}{other}")).unwrap();
    let says = failure(&folder, 1, &["check", desk]);
    assert!(says.contains("put those with kind first"), "{says}");
    let (before, file) = text.split_once("[[strategy]]").unwrap();
    std::fs::write(&path, format!("{before}{other}[[strategy]]{file}")).unwrap();
    let good = json(&folder, &["check", desk]);
    assert_eq!(
        (&good["others"], &good["strategies"][0]),
        (&1.into(), &"BestOffer".into())
    );
}
