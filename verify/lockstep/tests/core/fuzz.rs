//! Mutated frames through the core and its twin: every counter by cause and every report equal. `TICKWIRE_FUZZ_FRAMES` sets
//! how many in all, `TICKWIRE_FUZZ_SEED` the seed; both are in the message of a failure.

use cosim::Width;
use formats::itch::Version;

use crate::count::count;

fn variable(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| {
        text.parse()
            .unwrap_or_else(|_| panic!("{name}={text} is no number"))
    })
}

/// A quarter of the frames: there are two widths and two versions.
fn run(width: Width, version: Version) {
    let frames = variable("TICKWIRE_FUZZ_FRAMES", count(28_000, 240_000)).div_ceil(4);
    let summary = lockstep::fuzz::run(
        width,
        version,
        variable("TICKWIRE_FUZZ_SEED", 1),
        frames,
        |_| (),
    )
    .unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(summary.frames, frames);
    println!(
        "{width:?} {version:?}: {} frames, {} reports, {:?}",
        summary.frames, summary.reports, summary.counters
    );
    // A fuzzer that never meets a cause proves nothing about it.
    if frames >= 7_000 {
        let least = if frames >= 50_000 { 5 } else { 1 };
        for (name, value) in summary
            .counters
            .iter()
            .filter(|(name, _)| *name != "report_missed")
        {
            assert!(value >= least, "{name} was met {value} times only");
        }
        assert!(summary.reports >= frames / 60);
    }
}

#[test]
fn gmii_itch_41() {
    run(Width::Gmii, Version::V41);
}

#[test]
fn gmii_itch_50() {
    run(Width::Gmii, Version::V50);
}

#[test]
fn xgmii_itch_41() {
    run(Width::Xgmii, Version::V41);
}

#[test]
fn xgmii_itch_50() {
    run(Width::Xgmii, Version::V50);
}
