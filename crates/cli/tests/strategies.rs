//! `tickwire check`, `tickwire compile` and `tickwire backtest`.

use std::process::Command;

use crate::common::{failure, folder, json, json_lines};
use assert_cmd::cargo::cargo_bin;
use serde_json::Value;

/// A strategy of this project.
fn strategy(name: &str) -> String {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = root.join("desks").join(name).join("strategy.py");
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_file_that_is_not_in_the_language_is_named_with_line_column_and_what_to_write() {
    let folder = folder();
    let text = std::fs::read_to_string(strategy("best-offer")).unwrap();
    let wrong = text.replace("self.last = book.ask.price", "self.last = self.size");
    let line = 1 + wrong
        .lines()
        .position(|line| line.contains("= self.size"))
        .unwrap();
    std::fs::write(folder.path().join("wrong.py"), wrong).unwrap();
    let says = failure(&folder, 1, &["check", "wrong.py"]);
    assert!(says.contains(&format!("wrong.py:{line}:")), "{says}");
    assert!(
        says.contains("Price") && says.contains("Quantity"),
        "{says}"
    );
    let good = json(&folder, &["check", &strategy("best-offer")]);
    assert_eq!(good["strategy"], "BestOffer");
    assert_eq!(good["handlers"][0], "on_book");
    assert_eq!(good["parameters"][1]["default"], 1);
}

#[test]
fn a_strategy_becomes_a_program_with_its_cycles_or_a_module_and_what_takes_too_long_is_refused() {
    let folder = folder();
    let offer = strategy("best-offer");
    let processor = json(&folder, &["compile", &offer]);
    // Nine instructions pass when an order is sent, and the first begins 5 cycles after the event.
    assert_eq!(processor["handlers"][0]["handler"], "on_book");
    let cycles = processor["handlers"][0]["cycles"].as_u64().unwrap();
    assert!((5..=30).contains(&cycles), "{processor}");
    let listing = processor["text"].as_str().unwrap();
    assert!(listing.contains("self.buy(book.instrument"), "{listing}");
    let budget = format!("{}", cycles - 1);
    let says = failure(&folder, 1, &["compile", &offer, "--budget", &budget]);
    assert!(says.contains("raise it"), "{says}");
    let wire = ["compile", &offer, "--target", "module", "--out", "offer.sv"];
    let wire = json(&folder, &wire);
    assert_eq!(wire["out"], "offer.sv");
    assert!(
        wire["handlers"][0]["cycles"].as_u64().unwrap() <= 4,
        "{wire}"
    );
    let text = std::fs::read_to_string(folder.path().join("offer.sv")).unwrap();
    assert!(text.contains("module strategy_best_offer"), "{text}");
    assert!(
        text.contains("// 14: self.buy(book.instrument, book.ask.price, self.size)"),
        "{text}"
    );
}

/// The summary, and the lines before it.
fn backtest(folder: &tempfile::TempDir, more: &[&str]) -> (Value, Vec<Value>) {
    let mut lines = json_lines(folder, &[&["backtest", "day.itch50"], more].concat());
    let summary = lines.pop().unwrap();
    (summary, lines)
}

#[test]
fn a_day_gives_the_same_orders_compiled_and_interpreted_and_its_cash_follows_from_its_fills() {
    let folder = folder();
    let size = ["--symbols", "2", "--messages", "20000", "--seconds", "20"];
    json(
        &folder,
        &[&["generate", "itch", "--out", "day.itch50"], &size[..]].concat(),
    );
    let maker = strategy("market-maker");
    let of = |target| {
        let options = ["--strategy", &maker, "--symbols", "A", "--set", "lot=10"];
        backtest(&folder, &[&options[..], &["--target", target]].concat())
    };
    let (mut summary, lines) = of("compiled");
    let (mut interpreted, same) = of("interpreter");
    assert_eq!(lines, same);
    for one in [&mut summary, &mut interpreted] {
        one["seconds"] = Value::Null;
    }
    assert_eq!(summary, interpreted);
    assert_eq!(summary["faults"], 0);
    let fills: Vec<_> = lines.iter().filter(|line| line["type"] == "fill").collect();
    assert!(fills.len() > 10, "{summary}");
    assert_eq!(summary["fills"], fills.len());
    let position: i64 = fills
        .iter()
        .map(|fill| {
            let quantity = fill["quantity"].as_i64().unwrap();
            if fill["side"] == "buy" {
                quantity
            } else {
                -quantity
            }
        })
        .sum();
    assert_eq!(summary["instruments"][0]["position"], position);
    let sent = lines.iter().filter(|line| line["type"] == "intent").count();
    assert_eq!(summary["intents"], sent);
}

#[test]
fn parameters_that_do_not_fit_are_refused_with_what_to_do() {
    let folder = folder();
    json(
        &folder,
        &[
            "generate",
            "itch",
            "--out",
            "day.itch50",
            "--messages",
            "2000",
            "--seconds",
            "2",
        ],
    );
    let offer = strategy("best-offer");
    for (more, expected) in [
        (
            &["--set", "nonsense=1"][..],
            "no parameter nonsense; it has instrument, size",
        ),
        (&["--set", "size=1.5"], "\"1.5\" is no whole number"),
        (&["--set", "instrument=ZZZ"], "ZZZ is none of --symbols"),
    ] {
        let options = [
            "backtest",
            "day.itch50",
            "--strategy",
            &offer,
            "--symbols",
            "A",
        ];
        let says = failure(&folder, 1, &[&options[..], more].concat());
        assert!(says.contains(expected), "{says}");
    }
    let spread = strategy("spread");
    let says = failure(
        &folder,
        1,
        &[
            "backtest",
            "day.itch50",
            "--strategy",
            &spread,
            "--symbols",
            "A",
        ],
    );
    assert!(
        says.contains("parameter second has no instrument"),
        "{says}"
    );
    let output = Command::new(cargo_bin!("tickwire"))
        .args(["backtest", "day.itch50", "--strategy", &offer])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_symbol_that_the_file_does_not_have_is_an_error_that_names_those_it_has() {
    let folder = folder();
    let size = ["--symbols", "2", "--messages", "2000", "--seconds", "2"];
    let generate = ["generate", "itch", "--out", "day.itch50"];
    json(&folder, &[&generate[..], &size].concat());
    let spread = strategy("spread");
    for symbols in ["ZZZZ,A", "A,ZZZZ"] {
        let backtest = ["backtest", "day.itch50", "--strategy", &spread, "--symbols"];
        let says = failure(&folder, 1, &[&backtest[..], &[symbols]].concat());
        let expected = "day.itch50: no symbol ZZZZ in this file; it has A, B";
        assert!(says.contains(expected), "{says}");
    }
    // A desk that trades another one; the symbol is there, though not in the packets that are asked for.
    json(&folder, &["new", "other", "--symbol", "AAPL"]);
    let says = failure(&folder, 1, &["backtest", "day.itch50", "--desk", "other"]);
    assert!(says.contains("no symbol AAPL in this file"), "{says}");
    let offer = strategy("best-offer");
    let few = ["--strategy", &offer, "--symbols", "B", "--packets", "1"];
    assert_eq!(backtest(&folder, &few).0["packets"], 1);
}

/// Rows of a sweep can be told apart, and a rebate is a fee below 0.
#[test]
fn the_summary_has_the_parameters_and_the_fee() {
    let folder = folder();
    let size = ["--symbols", "2", "--messages", "20000", "--seconds", "20"];
    let generate = ["generate", "itch", "--out", "day.itch50"];
    json(&folder, &[&generate[..], &size].concat());
    let maker = strategy("market-maker");
    let day = ["--strategy", &maker, "--symbols", "B"];
    let set = ["--set", "lot=10", "--set", "half_spread=0.05"];
    let run = |more: &[&str]| backtest(&folder, &[&day[..], &set, more].concat()).0;
    let (free, rebate) = (run(&[]), run(&["--fee", "-1"]));
    for summary in [&free, &rebate] {
        let parameters = &summary["parameters"];
        assert_eq!(parameters["instrument"], "B", "{parameters}");
        assert_eq!(parameters["lot"], "10");
        assert_eq!(parameters["half_spread"], "0.05");
    }
    assert_eq!(
        (&free["fee"], &rebate["fee"]),
        (&0.0.into(), &(-1.0).into())
    );
    let of = |summary: &Value, what| summary["instruments"][0][what].as_f64().unwrap();
    let traded = of(&free, "traded");
    assert!(traded > 0.0);
    assert!((of(&rebate, "profit") - of(&free, "profit") - traded).abs() < 1e-6);
}
