//! `tickwire-verify lag`: what is known of recorded data.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{failure, folder, json};

/// A file of the recorded data, as an argument; `None`, and a line that says so, where it is absent.
fn recorded(path: &str) -> Option<String> {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data")
        .join(path);
    if !path.exists() {
        eprintln!("SKIPPED: {} is not there", path.display());
        return None;
    }
    Some(path.to_str().unwrap().to_owned())
}

/// The row "one token a cycle" of the measurements in docs/concepts/fast-at-wire-rate.md; of the trades it was counted with the preamble, in whose bytes a stop bit may be set.
#[test]
fn lags_of_a_token_a_cycle_are_those_that_are_known() {
    for (templates, data, more, packets, (slack, min, mean, p99, max)) in [
        (
            "micex-2013-08-01/templates.xml",
            "micex-2013-08-01/increment_a.dat",
            &[][..],
            8_101,
            (0, 19, 43.7, 159, 258),
        ),
        (
            "moex-templates/asts-2017-03.xml",
            "moex-fond-trades-2019-04-04/data.dat",
            &["--framing", "preamble", "--reset-each-packet"],
            5_020,
            (2, 22, 29.2, 66, 109),
        ),
    ] {
        let (Some(templates), Some(data)) = (recorded(templates), recorded(data)) else {
            return;
        };
        let folder = folder();
        let stream = [
            "lag",
            "--templates",
            &templates,
            &data,
            "--chart",
            "lag.svg",
        ];
        let found = json(&folder, &[&stream[..], more].concat());
        let cycles = &found["engines"]["one_token"]["cycles"];
        assert_eq!(found["packets"], packets);
        let near = |name: &str, of: u64| of.abs_diff(cycles[name].as_u64().unwrap()) <= slack;
        assert!(
            near("min", min) && near("p99", p99) && near("max", max),
            "{cycles}"
        );
        assert!(
            (cycles["mean"].as_f64().unwrap() - mean).abs() < 0.1,
            "{cycles}"
        );
        let chart = fs::read_to_string(folder.path().join("lag.svg")).unwrap();
        assert!(chart.contains("one token a cycle"));
    }
}

#[test]
fn a_framing_that_hardware_does_not_have_is_refused() {
    let folder = folder();
    fs::write(folder.path().join("t.xml"), "<templates/>").unwrap();
    fs::write(folder.path().join("data"), "").unwrap();
    let said = failure(
        &folder,
        1,
        &["lag", "--templates", "t.xml", "data", "--framing", "block"],
    );
    assert!(said.contains("--framing block"), "{said}");
}
