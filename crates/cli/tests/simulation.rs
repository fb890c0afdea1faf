//! `tickwire sim`, `measure` and `demo`: what they print, against a plain count of the same file.

use std::fs;

use crate::common::{
    count, failure, folder, generate, generate_of, json, json_lines, messages, tickwire,
};
use serde_json::Value;
use tempfile::TempDir;

/// Last byte in to first byte out, in cycles, at either width (docs/concepts/hardware.md).
const LAST_FIRST: u64 = 12;

fn text(folder: &TempDir, file: &str) -> String {
    fs::read_to_string(folder.path().join(file)).unwrap()
}

/// A file whose message in the middle has an unknown type; returns the byte where that message begins.
fn spoil(folder: &TempDir, from: &str, to: &str) -> usize {
    let (at, _) = messages(folder, from)[1_000];
    let mut bytes = fs::read(folder.path().join(from)).unwrap();
    bytes[at + 2] = b'z';
    fs::write(folder.path().join(to), bytes).unwrap();
    at
}

#[test]
fn sim_prints_a_report_a_second_as_counted_from_the_file() {
    for (width, itch, symbols) in [("8", "5.0", "A,C,NONE"), ("64", "4.1", "C,B")] {
        let folder = folder();
        generate(&folder, "day", &["--itch", itch]);
        let names: Vec<&str> = symbols.split(',').collect();
        let counted = count(&messages(&folder, "day"), itch, &names);
        assert!(counted.reports.len() >= 4 && counted.hits > 100 && counted.misses > 100);

        let mut lines = json_lines(
            &folder,
            &["sim", "day", "--width", width, "--symbols", symbols],
        );
        let summary = lines.pop().unwrap();
        assert_eq!(lines.len(), counted.reports.len());
        for (number, (report, (second, sequence, rows))) in
            (1..).zip(lines.iter().zip(&counted.reports))
        {
            assert_eq!(report["type"], "report");
            assert_eq!((&report["part"], &report["parts"]), (&0.into(), &1.into()));
            assert_eq!(report["number"], number);
            assert_eq!(report["second"], *second);
            assert_eq!(report["sequence"], *sequence);
            assert_eq!(report["lost"], 0);
            assert_eq!(report["last_first_cycles"], LAST_FIRST);
            assert_eq!(report["symbols"], *rows);
        }

        assert_eq!(summary["type"], "summary");
        assert_eq!(summary["width"], width.parse::<u32>().unwrap());
        assert_eq!(summary["itch"], itch);
        assert_eq!(summary["reports"], counted.reports.len());
        assert_eq!(summary["mismatches"], 0);
        // A message a packet, and the end of the session.
        assert_eq!(summary["packets"], 2_001);
        let cycles = &summary["last_first_cycles"];
        assert_eq!(cycles["count"], counted.reports.len());
        assert_eq!(
            (&cycles["min"], &cycles["max"]),
            (&12.0.into(), &12.0.into())
        );
        // At the clock that was placed, or none.
        match summary["clock_mhz"].as_f64() {
            Some(mhz) => {
                let nanoseconds = summary["last_first_ns"]["p50"].as_f64().unwrap();
                assert!((nanoseconds - LAST_FIRST as f64 * 1_000.0 / mhz).abs() < 1e-6);
            }
            None => assert!(summary["last_first_ns"].is_null()),
        }
        let counters = &summary["counters"];
        for (name, value) in [
            ("accepted", 2_001),
            ("mold_packet", 2_000),
            ("mold_end_of_session", 1),
            ("itch_messages", 2_000),
            ("filter_hit", counted.hits),
            ("filter_miss", counted.misses),
            ("report_sent", counted.reports.len() as u64),
        ] {
            assert_eq!(counters[name], value, "{name}");
        }
    }
}

#[test]
fn sim_takes_no_more_packets_than_asked_for_and_the_most_active_symbols_by_itself() {
    let folder = folder();
    generate(&folder, "day", &[]);
    let first: Vec<_> = messages(&folder, "day").into_iter().take(1_500).collect();
    let lines = json_lines(
        &folder,
        &["sim", "day", "--packets", "500", "--per-packet", "3"],
    );
    let summary = lines.last().unwrap();
    // All three there are.
    let counted = count(&first, "5.0", &["A", "B", "C"]);
    assert_eq!(summary["packets"], 500);
    assert_eq!(summary["counters"]["itch_messages"], 1_500);
    assert_eq!(summary["counters"]["filter_hit"], counted.hits);
    assert_eq!(summary["counters"]["filter_miss"], 0);
}

#[test]
fn measure_answers_every_second_and_writes_csv_comparison_and_page() {
    let folder = folder();
    generate(&folder, "day", &[]);
    let counted = count(&messages(&folder, "day"), "5.0", &["B"]);
    let seconds = counted.reports.len();
    let arguments = [
        "measure",
        "day",
        "--symbols",
        "B",
        "--wait",
        "blocking",
        "--speed",
        "8",
        "--out",
        "out/day",
    ];
    let measured = json(&folder, &arguments);
    assert_eq!(measured["messages"], 2_000);
    assert_eq!(measured["packets"], 2_001);
    assert_eq!(measured["mismatches"], 0);
    assert_eq!(measured["symbols"], serde_json::json!(["B"]));
    let [gmii, xgmii, software] = &measured["series"].as_array().unwrap()[..] else {
        panic!("three series: {measured}")
    };
    for (core, key) in [(gmii, "fpga_w8"), (xgmii, "fpga_w64")] {
        assert_eq!(core["key"], key);
        assert_eq!(
            (&core["missed"], &core["hardware"]),
            (&0.into(), &true.into())
        );
        assert_eq!(core["cycles"]["count"], seconds);
        assert_eq!(core["cycles"]["max"], LAST_FIRST as f64);
    }
    assert_eq!(software["key"], "software_blocking_8x");
    // On a busy machine a report may come after the next second: then it is missed, not late.
    let answered = software["nanoseconds"]["count"].as_u64().unwrap();
    let missed = software["missed"].as_u64().unwrap();
    assert_eq!(answered + missed, seconds as u64);

    let csv = text(&folder, "out/day/heartbeats.csv");
    let mut rows = csv.lines();
    let names: Vec<&str> = rows.next().unwrap().split(',').collect();
    let column = |name| names.iter().position(|other| *other == name).unwrap();
    let (packet, second, cycles) = (
        column("packet"),
        column("second"),
        column("fpga_w64_cycles"),
    );
    let rows: Vec<Vec<&str>> = rows.map(|row| row.split(',').collect()).collect();
    assert_eq!(rows.len(), seconds);
    for (row, (begins, sequence, _)) in rows.iter().zip(&counted.reports) {
        // A message a packet: packets count from 0, messages from 1.
        assert_eq!(row[packet], (sequence - 1).to_string());
        assert_eq!((row[second], row[cycles]), (&*begins.to_string(), "12"));
    }

    let comparison: Value =
        serde_json::from_str(&text(&folder, "out/day/comparison.json")).unwrap();
    assert_eq!(comparison["rows"].as_array().unwrap().len(), seconds);
    let rates = comparison["rate"].as_object().unwrap().values();
    assert_eq!(rates.map(|rate| rate.as_u64().unwrap()).sum::<u64>(), 2_000);

    let page = text(&folder, "out/day/report.html");
    let again = json(
        &folder,
        &["report", "out/day/comparison.json", "--out", "again.html"],
    );
    assert_eq!(
        (&again["data"], &again["seconds"]),
        (&"day".into(), &seconds.into())
    );
    assert_eq!(text(&folder, "again.html"), page);
}

/// The order log: every core's orders are the software's, and each latency has its profit.
fn trades(folder: &TempDir, trading: &Value) {
    let measured = &trading["tick_to_trade"];
    // The first one is not played: cores of an order log alone cannot read it.
    assert_eq!(measured["packets"], 99);
    assert_eq!(measured["mismatches"], 0);
    let orders = measured["orders_sent"].as_u64().unwrap();
    assert!(orders > 5, "{orders}");
    let series = measured["series"].as_array().unwrap();
    for one in series {
        let shown = [&one["cycles"], &one["nanoseconds"]].map(|of| of["count"].as_u64());
        assert!(shown.contains(&Some(orders)), "{one}");
    }
    let keys = series.iter().map(|one| one["key"].as_str().unwrap());
    let keys: Vec<_> = keys.collect();
    let cores = [
        "fpga_w64_processor_wire_rate",
        "fpga_w64_module_wire_rate",
        "software_busy_poll",
    ];
    assert_eq!(keys, cores);
    let runs = trading["backtest"]["runs"].as_array().unwrap();
    let names = runs.iter().map(|run| run["latency"].as_str().unwrap());
    assert_eq!(
        names.collect::<Vec<_>>(),
        [&["0"][..], &cores, &["1 ms"]].concat()
    );
    // The line's 5 us, and the core's own.
    let mean = runs[1]["latency_ns"].as_u64().unwrap();
    assert!((5_100..20_000).contains(&mean), "{mean}");
    let page = text(folder, "out/trading/report.html");
    assert!(page.contains("What a latency costs"));
}

#[test]
fn demo_shows_a_core_three_handlers_and_trading_on_data_of_ones_own() {
    let folder = folder();
    generate_of(&folder, "day", "800", &["--itch", "4.1"]);
    let desks = concat!(env!("CARGO_MANIFEST_DIR"), "/../../desks");
    std::os::unix::fs::symlink(desks, folder.path().join("desks")).unwrap();
    let counted = count(&messages(&folder, "day"), "4.1", &[]);
    let small = ["--data", "day", "--order-log", "100", "--out", "out"];
    let shown = json(&folder, &[&["demo"][..], &small].concat());
    trades(&folder, &shown["trading"]);
    assert_eq!(
        (&shown["data"], &shown["version"]),
        (&"day".into(), &"4.1".into())
    );
    assert_eq!(
        (&shown["messages"], &shown["mismatches"]),
        (&800.into(), &0.into())
    );
    let mut symbols: Vec<&str> = shown["symbols"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap())
        .collect();
    symbols.sort_unstable();
    assert_eq!(symbols, ["A", "B", "C"]);
    let series = shown["series"].as_array().unwrap();
    let keys: Vec<&str> = series
        .iter()
        .map(|series| series["key"].as_str().unwrap())
        .collect();
    assert_eq!(
        keys,
        [
            "fpga_w64",
            "software_busy_poll_1x",
            "software_blocking_1x",
            "software_blocking_8x"
        ]
    );
    for core in &series[..1] {
        assert_eq!(core["nanoseconds"]["count"], counted.reports.len());
        assert_eq!(core["cycles"]["min"], core["cycles"]["max"]);
    }
    let rows = shown["lines"]["rows"].as_array().unwrap();
    let keys = rows.iter().map(|row| row["key"].as_str().unwrap());
    assert_eq!(
        keys.collect::<Vec<_>>(),
        [
            "line_a",
            "line_b",
            "low_latency",
            "time",
            "count",
            "time_and_count"
        ]
    );
    for row in rows {
        let (delivered, lost) = (row["messages"].as_u64(), row["lost"].as_u64());
        assert_eq!(delivered.unwrap() + lost.unwrap(), 800, "{row}");
    }
    // A single line loses one in twenty, both together one in four hundred.
    let lost = |row: usize| rows[row]["lost"].as_u64().unwrap();
    assert!(lost(0) > 20 && lost(1) > 20 && lost(3) < 10, "{rows:?}");
    for member in ["report", "csv", "comparison"] {
        let file = shown[member].as_str().unwrap();
        assert!(
            folder.path().join(file).metadata().unwrap().len() > 100,
            "{file}"
        );
    }
    // The way to the order log's report comes first.
    let page = folder.path().join(shown["report"].as_str().unwrap());
    let html = std::fs::read_to_string(&page).unwrap();
    let link = html.find("href=\"trading/report.html\"").unwrap();
    assert!(link < html.find("<table").unwrap());
    assert!(page.with_file_name("trading/report.html").exists());
}

#[test]
fn a_file_that_is_absent_is_named() {
    let folder = folder();
    for arguments in [
        &["sim", "absent"][..],
        &["measure", "absent"],
        &["demo", "--data", "absent"],
    ] {
        let said = failure(&folder, 1, arguments);
        assert!(
            said.contains("absent: cannot open"),
            "{arguments:?}: {said}"
        );
    }
}

#[test]
fn a_message_at_fault_is_named_with_file_and_byte() {
    let folder = folder();
    generate(&folder, "day", &[]);
    let at = spoil(&folder, "day", "spoilt");
    let fault = format!("spoilt: byte {at}: no message type 'z'");
    for arguments in [
        &["sim", "spoilt", "--symbols", "A"][..],
        &["sim", "spoilt"],
        &["measure", "spoilt", "--symbols", "A"],
        &["demo", "--data", "spoilt"],
    ] {
        let said = failure(&folder, 1, arguments);
        assert!(said.contains(&fault), "{arguments:?}: {said}");
    }
    // With --lenient it goes on, and counts the message.
    let mut lines = json_lines(&folder, &["sim", "spoilt", "--symbols", "A", "--lenient"]);
    let summary = lines.pop().unwrap();
    assert_eq!(summary["counters"]["itch_unknown_type"], 1);
    assert_eq!(summary["counters"]["itch_messages"], 2_000);
}

#[test]
fn af_xdp_is_refused_where_nothing_trades() {
    let folder = folder();
    let arguments = [
        "measure",
        "day",
        "--symbols",
        "A",
        "--wait",
        "blocking,af-xdp",
    ];
    let said = failure(&folder, 1, &arguments);
    assert!(
        said.contains("--wait af-xdp is of a desk that trades"),
        "{said}"
    );
}

#[test]
fn a_file_that_ends_inside_a_message_is_used_to_there_and_named_with_an_exit_code_of_its_own() {
    let folder = folder();
    generate(&folder, "day", &[]);
    let (at, _) = *messages(&folder, "day").last().unwrap();
    let bytes = fs::read(folder.path().join("day")).unwrap();
    fs::write(folder.path().join("cut"), &bytes[..at + 5]).unwrap();
    let quick = ["--width", "64", "--wait", "blocking", "--speed", "8"];
    for arguments in [
        &["sim", "cut", "--symbols", "A"][..],
        &[&["measure", "cut", "--symbols", "A"][..], &quick].concat(),
    ] {
        let output = tickwire(&folder, arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{arguments:?}: {said}");
        assert!(!output.stdout.is_empty(), "{arguments:?}");
        assert!(
            said.contains(&format!("byte {at}")),
            "{arguments:?}: {said}"
        );
    }
}

#[test]
fn more_symbols_than_the_core_has_instruments_are_refused_with_what_to_do() {
    let folder = folder();
    generate(&folder, "day", &[]);
    let names: Vec<String> = (0..17).map(|i| format!("S{i}")).collect();
    let said = failure(&folder, 1, &["sim", "day", "--symbols", &names.join(",")]);
    assert!(
        said.contains("17 symbols") && said.contains("name 16 at most"),
        "{said}"
    );
}

#[test]
fn results_that_cannot_be_written_are_named() {
    let folder = folder();
    generate(&folder, "day", &[]);
    fs::write(folder.path().join("out"), "a file where a folder should be").unwrap();
    let arguments = [
        "measure",
        "day",
        "--symbols",
        "A",
        "--width",
        "64",
        "--wait",
        "blocking",
        "--speed",
        "8",
        "--out",
        "out",
    ];
    let said = failure(&folder, 1, &arguments);
    assert!(said.contains("out/report.html"), "{said}");
}
