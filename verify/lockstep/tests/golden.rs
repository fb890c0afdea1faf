//! Golden traces: what leaves each preset's core, for inputs that do not change, is what it was. They prove that moving walls changes nothing.
//!
//! ```text
//!  market of a fixed seed ─ core ─ frames, host's frames, session, reports, host memory ─ hashes ─ equal to golden/traces.toml?
//! ```
//! A trace has, by way, how much left, a hash of its bytes and one of its cycles, and a hash of what came in, which tells a change of the input from
//! one of the core. A change that is meant: `TICKWIRE_GOLDEN=write cargo test -p lockstep golden`, and say in the commit which fault or figure it is.

mod market;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use cosim::{Core, ModelBuilder, Preset};

/// What left by one way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Way {
    count: u64,
    bytes: String,
    cycles: String,
}

/// What came in, and what left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Trace {
    input: String,
    sent: Way,
    host: Way,
    session: Way,
    reports: Way,
    memory: Way,
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name)
}

fn trace(core: &Core) -> Trace {
    let [.., input] = core.digests();
    let [sent, host, session, reports, memory, _] = core.digests().map(|digest| Way {
        count: digest.count,
        bytes: format!("{:016x}", digest.bytes),
        cycles: format!("{:016x}", digest.cycles),
    });
    Trace {
        input: format!("{:016x}", input.bytes),
        sent,
        host,
        session,
        reports,
        memory,
    }
}

/// The trace of a preset is the one that is kept; each preset's is a test of its own, so that they run side by side.
fn check(name: &str) {
    let preset = Preset::by_name(name).expect("a preset");
    let found = market::run(preset);
    let warnings = ModelBuilder::default().warnings(&preset.design());
    assert_eq!(warnings.as_deref(), Ok(""), "{name}: what Verilator says");
    // A trace of nothing would prove nothing.
    assert!(
        found.sent.count >= 20 || found.memory.count >= 100,
        "{found:?}"
    );
    let path = file("traces.toml");
    let text = fs::read_to_string(&path).unwrap_or_default();
    if std::env::var_os("TICKWIRE_GOLDEN").is_some_and(|what| what == "write") {
        write(&path, name, found);
        return;
    }
    let kept: BTreeMap<String, Trace> = toml::from_str(&text).expect("it is written by this test");
    let kept = kept
        .get(name)
        .unwrap_or_else(|| panic!("no trace of {name}"));
    assert_eq!(found.input, kept.input, "{name}: another input");
    assert_eq!(&found, kept, "{name}: see the head of golden.rs");
}

/// Puts a trace into the file; tests of other presets may do so too.
fn write(path: &Path, name: &str, trace: Trace) {
    let lock = fs::File::create(path.with_extension("lock")).expect("the folder can be written");
    lock.lock().expect("a lock");
    let text = fs::read_to_string(path).unwrap_or_default();
    let mut kept: BTreeMap<String, Trace> = toml::from_str(&text).unwrap_or_default();
    kept.insert(name.to_owned(), trace);
    let text = toml::to_string(&kept).expect("a table");
    let head = "# Written by `TICKWIRE_GOLDEN=write cargo test -p lockstep golden`.\n\n";
    fs::write(path, format!("{head}{text}")).expect("it can be written");
    let _ = fs::remove_file(path.with_extension("lock"));
}

macro_rules! golden {
    ($($name:ident),*) => {
        const NAMES: &[&str] = &[$(stringify!($name)),*];
        $(
            #[test]
            fn $name() {
                check(stringify!($name));
            }
        )*
    };
}

golden!(
    capture_10g,
    capture_feeds_10g,
    fast_trader_10g,
    itch_module_10g,
    itch_processor_10g,
    itch_trader_10g,
    moex_10g_one_line,
    order_log_module_10g,
    order_log_processor_10g,
    order_log_trader_10g,
    statistics_10g,
    statistics_1g,
    stops_10g,
    stops_1g
);

#[test]
fn every_preset_has_a_trace() {
    let names: Vec<_> = Preset::all().iter().map(|preset| preset.name).collect();
    assert_eq!(names, NAMES);
}
