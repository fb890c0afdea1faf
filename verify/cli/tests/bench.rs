//! `tickwire-verify bench`: the figures are written, with what was asked for.

use std::path::Path;

use crate::common::{folder, verify};
use serde_json::Value;

#[test]
fn strategies_are_measured_and_random_ones_compared() {
    let folder = folder();
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let project = project.to_string_lossy();
    let line = ["bench", "strategy", "--project", &project, "--json-out"];
    let few = ["strategy.json", "--programs", "5", "--passes", "1"];
    let output = verify(&folder, &[&line[..], &few, &["--calls", "1000"]].concat());
    assert!(output.status.success(), "{output:?}");
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(shown.contains("market-maker") && shown.contains("0 differences"));
    let text = std::fs::read(folder.path().join("strategy.json")).unwrap();
    let figures: Value = serde_json::from_slice(&text).unwrap();
    assert!(figures["handler_ns"].as_f64() > Some(0.0), "{figures}");
    assert_eq!(
        (&figures["programs"], &figures["mismatches"]),
        (&5.into(), &0.into())
    );
    // Null without the hour.
    let hour = report::demo::aapl_in(Path::new(&*project));
    let seconds = figures["backtest_seconds"].as_f64();
    assert_eq!(seconds > Some(0.0), hour.exists(), "{figures}");
}
