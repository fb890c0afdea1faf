//! What other programs measure for the session and leave in files: place and route, orders over bad lines, the RTL test's cycles, FIX scripts.

use std::path::Path;

use serde_json::{Value, json};

use report::placed::place_and_route as file;

/// Clocks and sizes of the core with a session, by width: name here, preset.
const CORES: [(&str, &str); 2] = [("w64", "stops_10g"), ("w8", "stops_1g")];
/// The same of TCP alone.
const ENGINES: [(&str, &str); 2] = [("w64", "tcp_w64"), ("w8", "tcp_w8")];
/// What is copied for a design.
const DESIGN: [&str; 9] = [
    "device",
    "target_mhz",
    "fmax_mhz",
    "met",
    "lut4",
    "distributed_ram",
    "ff",
    "ebr",
    "dsp",
];

/// Adds the figures of the files below a project's `out`. What is absent is `null`, and `missing` names it and what measures it.
pub(super) fn add(project: &Path, figures: &mut Value) {
    let out = project.join("out");
    let mut missing = serde_json::Map::new();
    let mut absent = |name: &str, how: &str| {
        missing.insert(name.to_owned(), format!("not measured here: {how}").into());
    };
    for (name, design) in CORES {
        let found = file(&out.join(format!("pnr/{design}.json")));
        figures[name] = taken(&found);
        if found.is_null() {
            figures[name] = json!({"fmax_mhz": null});
            absent(
                &format!("{name}.fmax_mhz"),
                &format!("make pnr DESIGN={design}"),
            );
        }
    }
    let mut most = None;
    for (name, design) in ENGINES {
        let found = file(&out.join(format!("pnr/{design}.json")));
        figures["tcp"][name] = taken(&found);
        match luts(&found) {
            Some(luts) => most = most.max(Some(luts)),
            None => absent(&format!("tcp.{name}"), &format!("make pnr DESIGN={design}")),
        }
    }
    figures["tcp_lut4"] = json!(most);
    let lines = file(&out.join("bench/bad_lines.json"));
    for (name, field) in [
        ("netem_orders", "orders"),
        ("netem_lost", "lost"),
        ("netem_doubled", "doubled"),
        ("netem_impaired_by", "impaired_by"),
        ("netem_wrong", "wrong"),
    ] {
        figures[name] = lines[field].clone();
    }
    if lines.is_null() {
        absent(
            "netem_orders",
            "make orders (as root: it makes network namespaces)",
        );
    }
    let decision = file(&out.join("bench/decision_first_byte.json"));
    if decision.is_null() {
        absent(
            "decision_first_byte_cycles",
            "pytest tests/rtl/test_order_path.py",
        );
    }
    figures["decision_first_byte_cycles"] =
        json!({"w64": decision["w64"].clone(), "w8": decision["w8"].clone()});
    let scripts = file(&out.join("bench/fix_acceptance.json"));
    if scripts.is_null() {
        absent(
            "fix_acceptance_passed",
            "cargo test --package session --test acceptance, with ../shared/data",
        );
    }
    figures["fix_acceptance_passed"] = scripts["passed"].clone();
    figures["fix_acceptance_scripts"] = scripts["scripts"].clone();
    figures["missing"] = Value::Object(missing);
}

/// LUT4 of a design without those that are memory.
fn luts(design: &Value) -> Option<u64> {
    Some(design["lut4"].as_u64()? - design["distributed_ram"].as_u64().unwrap_or(0))
}

fn taken(design: &Value) -> Value {
    if design.is_null() {
        return Value::Null;
    }
    DESIGN
        .iter()
        .map(|name| ((*name).to_owned(), design[*name].clone()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use report::placed::recorded;

    fn project(files: &[(&str, Value)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in files {
            let path = folder.path().join("out").join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content.to_string()).unwrap();
        }
        folder
    }

    #[test]
    fn what_was_not_measured_is_null_and_named_with_what_measures_it() {
        let mut figures = json!({});
        add(project(&[]).path(), &mut figures);
        for name in [
            "tcp_lut4",
            "netem_orders",
            "netem_lost",
            "netem_doubled",
            "fix_acceptance_passed",
        ] {
            assert_eq!(figures.get(name), Some(&Value::Null), "{name}");
        }
        // A clock that was not placed here is that of the sources' record, or null.
        for (name, design) in CORES {
            let record = recorded(&Path::new("pnr").join(format!("{design}.json")));
            assert_eq!(figures[name]["fmax_mhz"], record["fmax_mhz"]);
            let named = figures["missing"].get(format!("{name}.fmax_mhz"));
            assert_eq!(named.is_some(), record.is_null());
        }
        assert_eq!(
            figures["decision_first_byte_cycles"],
            json!({"w64": null, "w8": null})
        );
        let missing = figures["missing"].as_object().unwrap();
        let names = missing.keys().map(String::as_str);
        let mut names: Vec<_> = names.filter(|name| !name.ends_with("fmax_mhz")).collect();
        names.sort_unstable();
        assert_eq!(
            names,
            [
                "decision_first_byte_cycles",
                "fix_acceptance_passed",
                "netem_orders",
                "tcp.w64",
                "tcp.w8"
            ]
        );
        assert!(
            figures["missing"]["netem_orders"]
                .as_str()
                .unwrap()
                .contains("make orders")
        );
    }

    #[test]
    fn the_larger_engine_counts_and_its_memories_do_not() {
        let folder = project(&[
            (
                "pnr/tcp_w8.json",
                json!({"lut4": 2_000, "distributed_ram": 100}),
            ),
            (
                "pnr/tcp_w64.json",
                json!({"lut4": 2_600, "distributed_ram": 400}),
            ),
            ("pnr/stops_1g.json", json!({"fmax_mhz": [126.0, 125.5]})),
            (
                "bench/bad_lines.json",
                json!({"orders": 20_000, "lost": 1, "doubled": 2}),
            ),
            ("bench/decision_first_byte.json", json!({"w8": 3, "w64": 4})),
        ]);
        let mut figures = json!({});
        add(folder.path(), &mut figures);
        assert_eq!(figures["tcp_lut4"], 2_200);
        assert_eq!(figures["w8"]["fmax_mhz"], json!([126.0, 125.5]));
        assert_eq!(figures["netem_orders"], 20_000);
        assert_eq!(
            (&figures["netem_lost"], &figures["netem_doubled"]),
            (&json!(1), &json!(2))
        );
        assert_eq!(
            figures["decision_first_byte_cycles"],
            json!({"w64": 4, "w8": 3})
        );
    }
}
