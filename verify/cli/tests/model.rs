//! `tickwire-verify model`: figures computed by hand from the formulas of `docs/concepts/arbitration.md`.

use std::fs;

use crate::common::{failure, folder, json, verify};

const TIME: [&str; 8] = [
    "model",
    "arbitration",
    "--window",
    "time",
    "--window-time",
    "64us",
    "--window-count",
    "4",
];

#[test]
fn arbitration_prints_three_rates_and_draws_the_plot() {
    let folder = folder();
    let shown = json(
        &folder,
        &[&TIME[..], &["--chart", "out/model.svg"]].concat(),
    );
    assert_eq!(shown["cycles_to_number"], 3);
    let rates = shown["rates"].as_array().unwrap();
    // 64 us, 17 cycles of release and 8 packets of 1,125 beats: 121,708.8 ns, in which 100,000 a second are 12.17.
    let saturated: Vec<bool> = rates
        .iter()
        .map(|at| {
            let delay = at["worst_case_delay_nanoseconds"].as_f64().unwrap();
            assert!((delay - 121_708.8).abs() < 0.01);
            at["saturated"].as_bool().unwrap()
        })
        .collect();
    assert_eq!(saturated, [false, false, true]);
    assert_eq!(shown["published"]["high_reliability_cycles"], 7);
    let plot = fs::read_to_string(folder.path().join("out/model.svg")).unwrap();
    // 8 / 121.7088 us is 65,730 a second.
    assert!(plot.starts_with("<svg") && plot.contains("full at 66x"));
}

#[test]
fn arbitration_prints_a_table() {
    let output = verify(&folder(), &TIME);
    let text = String::from_utf8(output.stdout).unwrap();
    let row = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name)).unwrap();
        line[name.len()..].split_whitespace().collect::<Vec<_>>()
    };
    assert_eq!(row("saturated "), ["no", "no", "yes"]);
    assert_eq!(row("packets meanwhile"), ["0.12", "1.22", "12.17"]);
    assert!(text.contains("high reliability 7 cycles, 42 ns for an expected packet, here 1"));
}

#[test]
fn a_model_that_cannot_be_fails_and_says_why() {
    let folder = folder();
    for (arguments, reason) in [
        (["--loss", "1"], "a loss of 1"),
        (["--width", "32"], "a width of 32 bits: 8, 64 or 128"),
        (
            ["--packet", "9001"],
            "packets of 9001 bytes: from 20 to 9000",
        ),
    ] {
        let said = failure(
            &folder,
            1,
            &[&["model", "arbitration"], &arguments[..]].concat(),
        );
        assert!(said.contains(reason), "{said}");
    }
    failure(&folder, 2, &["model", "arbitration", "--protocol", "fix"]);
}
