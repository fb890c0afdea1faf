//! The figures of A/B arbitration, as `make bench` writes them to `out/bench/arbiter.json`.

use std::path::{Path, PathBuf};

use lockstep::arbiter::compare::{compare, random_lines};
use lockstep::arbiter::lines::{Lines, Setting, Sizes};
use lockstep::arbiter::lockstep::random_lockstep;
use lockstep::arbiter::{Design, Settings, micex};
use report::placed::place_and_route;
use serde_json::{Map, Value, json};

use crate::Progress;
use crate::foundation::Range;

/// What to measure, and with what.
#[derive(Clone, Debug)]
pub struct Options {
    /// Folder with both lines of `micex-2013-08-01`; where it is absent, `null` says so.
    pub micex: PathBuf,
    /// Folder with `arbiter_*.json` of `tools/pnr.py`; where they are absent, `null` says so.
    pub place_and_route: PathBuf,
    /// Packets of random lines, over all designs, and as many again for hardware and software in lockstep.
    pub random_packets: usize,
}

impl Options {
    /// As `make bench` has it, in the project's root.
    pub fn in_project(root: &Path) -> Self {
        Options {
            micex: root.join("../shared/data/micex-2013-08-01"),
            place_and_route: root.join("out/pnr"),
            random_packets: 500_000,
        }
    }
}

/// Runs every measurement; the result is the complete JSON object. Hardware that does not obey the rules, or differs from its twin, is counted in `mismatches`.
pub fn bench_arbiter(options: &Options, progress: Progress) -> Value {
    let mut faults = vec![];
    let mut result = Map::new();
    let (low_latency, expected) = latency(&mut faults);
    result.insert("low_latency_cycles".into(), json!(low_latency));
    result.insert("expected_cycles".into(), json!(expected));

    let share = options.random_packets.div_ceil(Design::ALL.len());
    let mut packets = 0;
    for design in Design::ALL {
        let name = format!("random lines, {design:?}");
        let run = random_lines(design, 10_000, share, |done| {
            progress(&name, done as u64, share as u64);
        });
        packets += run.packets;
        faults.extend(
            run.faults
                .iter()
                .map(|fault| format!("{design:?}, {fault}")),
        );
    }
    result.insert("random_packets".into(), json!(packets));
    lockstep(options, &mut faults, &mut result, progress);

    let union = micex::read(&options.micex).map(|recorded| {
        let unions = [Design::Moex8, Design::Moex64].map(|design| {
            match micex::merge(design, &recorded, 0.2, 1) {
                Ok(merged) => merged.union,
                Err(fault) => {
                    faults.push(fault);
                    0
                }
            }
        });
        unions[0].min(unions[1])
    });
    result.insert("micex_union".into(), json!(union));
    result.insert("mismatches".into(), json!(faults.len()));
    result.insert("faults".into(), json!(faults));

    let placed =
        |name: &str| place_and_route(&options.place_and_route.join(format!("arbiter_{name}.json")));
    let [seq64, seq32] = ["w128_seq64", "w128_seq32"].map(placed);
    result.insert(
        "w128".into(),
        json!({
            "fmax_mhz_seq64": seq64["fmax_mhz"],
            "fmax_mhz_seq32": seq32["fmax_mhz"],
            "lut4": seq64["lut4"],
            "ff": seq64["ff"],
            "ebr": seq64["ebr"],
        }),
    );
    for name in ["w64", "w8"] {
        let placed = placed(name);
        result.insert(
            name.into(),
            json!({
                "fmax_mhz": placed["fmax_mhz"],
                "lut4": placed["lut4"],
                "ff": placed["ff"],
                "ebr": placed["ebr"],
            }),
        );
    }
    Value::Object(result)
}

/// Hardware against software, the same packets to both.
fn lockstep(
    options: &Options,
    faults: &mut Vec<String>,
    result: &mut Map<String, Value>,
    progress: Progress,
) {
    let share = options.random_packets.div_ceil(Design::ALL.len());
    let (mut packets, mut mismatches) = (0, 0);
    for design in Design::ALL {
        let name = format!("lockstep, {design:?}");
        let run = random_lockstep(design, 10_000, share, |done| {
            progress(&name, done as u64, share as u64);
        });
        packets += run.packets;
        mismatches += run.faults.len();
        let told = |fault: &String| format!("lockstep, {design:?}, {fault}");
        faults.extend(run.faults.iter().map(told));
    }
    result.insert("lockstep_packets".into(), json!(packets));
    result.insert("lockstep_mismatches".into(), json!(mismatches));
}

/// From line to low-latency and to high-reliability output, in cycles, of every packet of a line that loses nothing, whatever the sizes and widths.
fn latency(faults: &mut Vec<String>) -> (Range, Range) {
    let mut cycles: [Vec<u64>; 2] = Default::default();
    for design in Design::ALL {
        for sizes in [Sizes::Smallest, Sizes::Mixed] {
            let setting = Setting {
                packets: 2_000,
                sessions: 1,
                sizes,
                pause: 20,
                // Line B is silent, so that all are expected, and find the output free.
                loss: [0.0, 1.0],
                duplicates: 0.0,
                reordered: 0.0,
                bad: 0.0,
                malformed: 0.0,
                heartbeats: 0.0,
                strays: 0.0,
                settings: Settings {
                    idle_limit: 0,
                    ..Setting::random(design, 1, 0).settings
                },
                changes: 0,
                flushes: 0,
                ..Setting::random(design, 1, 0)
            };
            let lines = Lines::new(&setting);
            let compared = match compare(&lines) {
                Ok(compared) => compared,
                Err(fault) => {
                    faults.push(format!("{design:?}, expected packets: {fault}"));
                    continue;
                }
            };
            let record = &compared.record;
            for (cycles, seen) in cycles.iter_mut().zip([&record.low, &record.high]) {
                // Each leaves once, in the order in which it came.
                for (seen, arrival) in seen.iter().zip(&lines.arrivals) {
                    cycles.push(seen.begin - arrival.begin);
                }
            }
        }
    }
    let range = |cycles: &[u64]| Range {
        min: cycles.iter().copied().min().unwrap_or(0),
        max: cycles.iter().copied().max().unwrap_or(0),
    };
    (range(&cycles[0]), range(&cycles[1]))
}
