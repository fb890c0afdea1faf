//! `tickwire sim` on two lines: loss, skew and arbitration, against a plain count of the file and against what `tickwire replay` loses.

use std::fs;

use crate::common::{count, failure, folder, generate_of, json, json_lines, messages};
use serde_json::Value;
use tempfile::TempDir;

const DESK: &str = "[feed]\nitch = \"5.0\"\nlines = [\"239.77.1.1:26400\", \"239.77.1.2:26410\"]\n\
                    [arbitration]\noutput = \"high reliability\"\nwindow = \"time\"\ntime_ns = 6_000\n\
                    [statistics]\nsymbols = [\"A\", \"B\"]\n[report]\nto = \"127.0.0.1:26501\"\n";

fn number(value: &Value, path: &str) -> u64 {
    let found = value.pointer(path).and_then(Value::as_u64);
    found.unwrap_or_else(|| panic!("no {path} in {value}"))
}

/// A day with as many messages as [`messages`] finds.
fn day() -> TempDir {
    let folder = folder();
    generate_of(&folder, "day", "800", &[]);
    folder
}

#[test]
fn high_reliability_reports_what_one_line_without_loss_would() {
    let folder = day();
    fs::write(folder.path().join("desk.toml"), DESK).unwrap();
    let counted = count(&messages(&folder, "day"), "5.0", &["A", "B"]);
    let arguments = [
        "sim",
        "day",
        "--width",
        "8",
        "--desk",
        "desk.toml",
        "--loss",
        "0.1",
        "--loss-b",
        "0",
        "--skew",
        "3us",
    ];
    let mut lines = json_lines(&folder, &arguments);
    let summary = lines.pop().unwrap();
    assert_eq!(lines.len(), counted.reports.len());
    for (report, (second, sequence, rows)) in lines.iter().zip(&counted.reports) {
        assert_eq!(
            (&report["second"], &report["sequence"]),
            (&(*second).into(), &(*sequence).into())
        );
        assert_eq!((&report["symbols"], &report["lost"]), (rows, &0.into()));
    }
    // The desk's window in cycles of 8 ns.
    assert_eq!(summary["output"], "high reliability");
    assert_eq!(
        (&summary["window"], &summary["window_cycles"]),
        (&"time".into(), &750.into())
    );
    // A message a packet, and the end of the session.
    assert_eq!(
        (number(&summary, "/packets"), number(&summary, "/messages")),
        (801, 800)
    );
    assert_eq!(
        (
            number(&summary, "/messages_delivered"),
            number(&summary, "/messages_lost")
        ),
        (800, 0)
    );
    let lost = number(&summary, "/lines/0/lost");
    assert!((40..120).contains(&lost), "{lost}");
    assert_eq!(number(&summary, "/lines/0/frames/accepted"), 801 - lost);
    assert_eq!(number(&summary, "/lines/1/frames/accepted"), 801);
    assert_eq!(
        (number(&summary, "/arbiter/high_lost"), &summary["last_gap"]),
        (0, &Value::Null)
    );
    assert_eq!(
        (
            number(&summary, "/counters/itch_messages"),
            number(&summary, "/counters/mold_lost")
        ),
        (800, 0)
    );
    // docs/concepts/hardware.md: what is expected goes straight through the arbiter.
    assert_eq!(summary["last_first_cycles"]["min"], 13.0);
    // What only B brought is as late as its first copy; what A brought after it waited for that.
    let last = |line: &str| summary["delay_ns"][line].as_f64().unwrap();
    assert!(last("min") < 100.0 && last("max") < 6_000.0, "{summary}");
}

#[test]
fn a_line_alone_loses_what_replay_loses_with_the_same_seed_and_two_lose_what_both_lose() {
    let folder = day();
    let arguments = [
        "replay",
        "day",
        "--to",
        "127.0.0.1:9",
        "--line-b",
        "127.0.0.1:10",
        "--loss",
        "0.2",
        "--seed",
        "7",
        "--max",
    ];
    let replayed = json(&folder, &arguments);
    let sim = |output: &str| {
        let lines = [
            "--line-b",
            "--loss",
            "0.2",
            "--seed",
            "7",
            "--skew",
            "2us",
            "--window-time",
            "5us",
        ];
        let arguments = [
            &[
                "sim",
                "day",
                "--width",
                "8",
                "--symbols",
                "A",
                "--output",
                output,
            ][..],
            &lines,
        ]
        .concat();
        json_lines(&folder, &arguments).pop().unwrap()
    };
    let (a, b, both) = (sim("line-a"), sim("line-b"), sim("high-reliability"));
    for (line, alone) in [&a, &b].into_iter().enumerate() {
        let lost = number(&replayed, &format!("/lines/{line}/lost"));
        assert!((120..200).contains(&lost), "{lost}");
        assert_eq!(number(alone, &format!("/lines/{line}/lost")), lost);
        // The end of the session, which has no messages, may be among them.
        assert!(
            (lost - 1..=lost).contains(&number(alone, "/messages_lost")),
            "line {line}"
        );
    }
    let (lost, counted) = (
        number(&both, "/messages_lost"),
        number(&both, "/counters/mold_lost"),
    );
    // One in 25.
    assert!((12..60).contains(&lost), "{lost}");
    assert_eq!(number(&both, "/arbiter/high_lost"), counted);
    assert!(
        counted <= lost && lost <= counted + 5,
        "{counted} of {lost} had something behind them"
    );
    assert!(number(&both, "/last_gap/1") > number(&both, "/last_gap/0"));
    assert_eq!(sim("high-reliability"), both);
}

#[test]
fn more_lines_than_the_core_has_and_chances_that_are_none_are_refused() {
    let folder = day();
    let third = DESK.replace("26410\"", "26410\", \"239.77.1.3:26400\"");
    fs::write(folder.path().join("desk.toml"), third).unwrap();
    let said = failure(&folder, 1, &["sim", "day", "--desk", "desk.toml"]);
    assert!(
        said.contains("the core has two, the desk names 3"),
        "{said}"
    );
    for arguments in [
        ["--loss", "1.5"],
        ["--output", "best"],
        ["--window", "none"],
    ] {
        let said = failure(&folder, 2, &[&["sim", "day"][..], &arguments].concat());
        assert!(said.contains(arguments[0]), "{said}");
    }
}
