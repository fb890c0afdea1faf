//! `tickwire new`: the desk that it makes is good, and runs.

use crate::common::{failure, folder, json, json_lines};

#[test]
fn a_new_desk_is_good_and_runs_on_a_recorded_day_and_on_sockets() {
    let folder = folder();
    let made = json(&folder, &["new", "mine/dip"]);
    assert_eq!(
        (&made["desk"], &made["symbol"]),
        (&"mine/dip".into(), &"A".into())
    );
    let good = json(&folder, &["check", "mine/dip"]);
    assert_eq!(good["strategies"][0], "Dip");
    json(&folder, &["check", "mine/dip/strategy.py"]);

    let size = ["--symbols", "2", "--messages", "20000", "--seconds", "20"];
    let command = ["generate", "itch", "--out", "day.itch50"];
    json(&folder, &[&command[..], &size].concat());
    let backtest = |more: &[&str]| {
        let command = ["backtest", "day.itch50"];
        json_lines(&folder, &[&command[..], more].concat())
    };
    let lines = backtest(&["--desk", "mine/dip"]);
    let summary = lines.last().unwrap();
    assert!(summary["fills"].as_u64() > Some(0), "{summary}");
    // The same as with all of it on the command line.
    let file = ["--strategy", "mine/dip/strategy.py", "--symbols", "A"];
    let mut same = backtest(&file);
    assert_eq!(lines.len(), same.len());
    same.pop();
    assert_eq!(lines[..same.len()], same);
    // The command line goes before the desk.
    let less = backtest(&["--desk", "mine/dip", "--set", "most=100"]);
    let position = less.last().unwrap()["instruments"][0]["position"].as_i64();
    assert!(position <= Some(100), "{position:?}");

    let run = [
        "run",
        "--desk",
        "mine/dip",
        "--listen",
        "127.0.0.1:0",
        "--seconds",
        "1",
    ];
    let lines = json_lines(&folder, &run);
    let told = lines.iter().find(|line| line["type"] == "strategy");
    assert_eq!(told.unwrap()["name"], "Dip");
}

#[test]
fn what_is_there_is_left_alone() {
    let folder = folder();
    json(&folder, &["new", "dip", "--symbol", "AAPL"]);
    let file = folder.path().join("dip/strategy.py");
    std::fs::write(&file, "# mine\n").unwrap();
    let says = failure(&folder, 1, &["new", "dip"]);
    assert!(
        says.contains("dip: there is something of this name already"),
        "{says}"
    );
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "# mine\n");
    let desk = std::fs::read_to_string(folder.path().join("dip/desk.toml")).unwrap();
    assert!(
        desk.contains("instrument = \"AAPL\"") && !desk.contains("SYMBOL"),
        "{desk}"
    );
}

#[test]
fn a_symbol_with_a_quote_is_no_way_out_of_its_text() {
    let folder = folder();
    json(&folder, &["new", "odd", "--symbol", "A\"B"]);
    json(&folder, &["check", "odd"]);
    let text = std::fs::read_to_string(folder.path().join("odd/desk.toml")).unwrap();
    let desk: toml::Table = text.parse().unwrap();
    let symbol = &desk["session"]["instruments"][0]["symbol"];
    assert_eq!(symbol.as_str(), Some("A\"B"));
}

#[test]
fn a_backtest_needs_a_desk_with_one_strategy_file() {
    let folder = folder();
    json(&folder, &["new", "two"]);
    let path = folder.path().join("two/desk.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let (before, strategy) = text.split_once("[[strategy]]").unwrap();
    std::fs::write(&path, format!("{text}[[strategy]]{strategy}")).unwrap();
    let size = ["--messages", "2000", "--seconds", "2"];
    let command = ["generate", "itch", "--out", "day.itch50"];
    json(&folder, &[&command[..], &size].concat());
    let backtest = ["backtest", "day.itch50", "--desk", "two"];
    let says = failure(&folder, 1, &backtest);
    assert!(
        says.contains("2 strategies with file: a backtest runs one"),
        "{says}"
    );
    std::fs::write(&path, before).unwrap();
    let says = failure(&folder, 1, &backtest);
    assert!(says.contains("0 strategies with file"), "{says}");
}

#[test]
fn a_backtest_compares_latencies_and_draws_what_they_cost() {
    let folder = folder();
    let size = ["--symbols", "2", "--messages", "20000", "--seconds", "20"];
    let generate = ["generate", "itch", "--out", "day.itch50"];
    json(&folder, &[&generate[..], &size].concat());
    let strategy = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../desks/market-maker/strategy.py"
    );
    let day = [
        "backtest",
        "day.itch50",
        "--strategy",
        strategy,
        "--symbols",
        "A",
    ];
    let run = |more: &[&str]| json_lines(&folder, &[&day[..], more].concat());
    let at_once = run(&[]).pop().unwrap();
    let fee = run(&["--fee", "0.01", "--latency", "0"]).pop().unwrap();
    let [traded, before, after] = [
        &at_once["instruments"][0]["traded"],
        &at_once["instruments"][0]["profit"],
        &fee["instruments"][0]["profit"],
    ]
    .map(|value| value.as_f64().unwrap());
    assert!((before - after - traded * 0.01).abs() < 1e-6, "{fee}");

    let lines = run(&["--latency", "0,100ms", "--chart", "cost.svg"]);
    assert_eq!(lines.len(), 1);
    let runs = lines[0]["runs"].as_array().unwrap();
    let latencies: Vec<_> = runs.iter().map(|run| &run["latency_ns"]).collect();
    assert_eq!(latencies, [0, 100_000_000]);
    let at_once_again = &runs[0];
    assert_eq!(at_once_again["fills"], at_once["fills"]);
    assert_eq!(at_once_again["instruments"], at_once["instruments"]);
    assert_ne!(runs[1]["instruments"], at_once["instruments"]);
    let chart = std::fs::read_to_string(folder.path().join("cost.svg")).unwrap();
    assert!(chart.contains("100 ms"));

    // What was measured: 312 cycles at 312 MHz are a microsecond, as its only order's; 9 us of the line.
    let measured = r#"{"series": [{"key": "fpga_w64_module", "cycles": {}, "clock_mhz": 312.0}]}"#;
    std::fs::write(folder.path().join("tick_to_trade.json"), measured).unwrap();
    let rows = "packet,fpga_w64_module_cycles\n0,312\n";
    std::fs::write(folder.path().join("orders.csv"), rows).unwrap();
    let more = ["--measured", ".", "--line", "9us"];
    let lines = run(&[&["--latency", "10us,fpga_w64_module"], &more[..]].concat());
    let runs = lines[0]["runs"].as_array().unwrap();
    assert_eq!(runs[0]["latency_ns"], runs[1]["latency_ns"]);
    assert_eq!(runs[1]["latency"], "fpga_w64_module");
    assert_eq!(runs[0]["instruments"], runs[1]["instruments"]);
    for (key, says) in [
        ("software_blocking", "there is fpga_w64_module"),
        ("fpga_w64_module", "say with --measured"),
    ] {
        let more = if says.contains("say") { &[][..] } else { &more };
        let told = failure(&folder, 1, &[&day[..], &["--latency", key], more].concat());
        assert!(told.contains(says), "{told}");
    }

    for (option, value, says) in [
        ("--clock-mhz", "0", "a clock is more than 0"),
        ("--latency", "soon", "expected number"),
    ] {
        let told = failure(&folder, 2, &[&day[..], &[option, value]].concat());
        assert!(told.contains(says), "{told}");
    }
}
