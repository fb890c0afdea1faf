//! The arbiter in hardware against the rules of `docs/reference/arbitration.md`: random lines, and those of a real market.

use std::path::Path;

use arbiter::Mode;
use lockstep::arbiter::compare::{self, Compared, compare};
use lockstep::arbiter::lines::{Lines, Setting, Sizes};
use lockstep::arbiter::micex;
use lockstep::arbiter::{Arbiter, Design, Settings};

use crate::count::count;

fn compared(setting: &Setting) -> Compared {
    compare(&Lines::new(setting)).unwrap_or_else(|fault| panic!("{fault}\n{setting:#?}"))
}

/// Nothing is lost, nothing is bad, both lines bring everything in the same cycle without a pause.
fn flawless(design: Design, sizes: Sizes, packets: usize) -> Setting {
    Setting {
        design,
        seed: 1,
        packets,
        sessions: 1,
        sizes,
        pause: 0,
        loss: [0.0; 2],
        duplicates: 0.0,
        reordered: 0.0,
        bad: 0.0,
        malformed: 0.0,
        heartbeats: 0.0,
        strays: 0.0,
        skew: 0,
        jitter: 0,
        settings: Settings {
            mode: Mode::Time,
            time_window: 1_000,
            count_window: 0,
            idle_limit: 0,
        },
        changes: 0,
        flushes: 0,
    }
}

/// All five designs together: 150,000 packets.
fn random_lines(design: Design) {
    let run = compare::random_lines(design, 0, 30_000, |_| ());
    assert!(run.packets >= 30_000);
    assert!(run.faults.is_empty(), "{}", run.faults.join("\n"));
    // The lines do exercise it.
    assert!(run.released > 2_000 && run.forced > 500 && run.cut_through > 4_000);
    assert!(run.overflows > 20 && run.resets >= 2, "{run:?}");
}

#[test]
fn random_lines_obey_the_rules_moex_8_bits() {
    random_lines(Design::Moex8);
}

#[test]
fn random_lines_obey_the_rules_moex_64_bits() {
    random_lines(Design::Moex64);
}

#[test]
fn random_lines_obey_the_rules_moldudp64_64_bits() {
    random_lines(Design::Mold64);
}

#[test]
fn random_lines_obey_the_rules_moldudp64_128_bits() {
    random_lines(Design::Mold128);
}

#[test]
fn random_lines_obey_the_rules_arca_128_bits() {
    random_lines(Design::Arca128);
}

#[test]
fn both_lines_at_full_rate_in_the_same_cycle_lose_nothing_and_every_first_packet_takes_one_cycle() {
    for design in Design::ALL {
        for (sizes, packets) in [
            (Sizes::Smallest, 5_000),
            (Sizes::Mixed, 2_000),
            (Sizes::Largest, 40),
        ] {
            let compared = compared(&flawless(design, sizes, packets));
            let record = &compared.record;
            let case = format!("{design:?} {sizes:?}");
            // The second copy of an end of session has the expected number too.
            let extra = usize::from(design.protocol().end_of_session.is_some());
            let in_one = compared.low_latency.iter().filter(|cycles| **cycles == 1);
            assert!(
                (packets..=packets + extra).contains(&in_one.count()),
                "{case}"
            );
            let cut_through = compared.high.cut_through as usize;
            assert!((packets..=packets + extra).contains(&cut_through), "{case}");
            assert!(record.low_gaps.is_empty() && record.high_gaps.is_empty());
        }
    }
}

#[test]
fn a_line_10_milliseconds_behind_brings_what_the_other_lost() {
    // Every second design has every width and every protocol among them.
    for design in Design::ALL.into_iter().step_by(count(2, 1)) {
        // 10 ms at 125 MHz, 156.25 MHz and 166 MHz.
        let skew = match design.beat() {
            1 => 1_250_000,
            8 => 1_562_500,
            _ => 1_660_000,
        };
        let few = Setting {
            loss: [0.02, 0.02],
            // Three packets of a line are kept at most: about as many come in 10 ms.
            pause: skew,
            skew,
            jitter: skew / 100,
            settings: Settings {
                mode: Mode::Time,
                time_window: 2 * skew as u32,
                count_window: 0,
                idle_limit: 0,
            },
            ..flawless(design, Sizes::Smallest, 4)
        };
        compared(&few);
        // And with far more than can be kept.
        compared(&Setting {
            pause: 100,
            loss: [0.2, 0.1],
            sizes: Sizes::Mixed,
            packets: 500,
            ..few
        });
    }
}

#[test]
fn the_union_of_both_lines_of_a_real_market_comes_out_once_each_in_order() {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/micex-2013-08-01");
    let Some(lines) = micex::read(&folder) else {
        eprintln!("SKIPPED: no micex-2013-08-01 in ../shared/data");
        return;
    };
    for (design, seed) in [(Design::Moex8, 1), (Design::Moex64, 2)] {
        let merged = micex::merge(design, &lines, 0.2, seed).unwrap();
        assert_eq!(merged.union, 8_112);
        assert!(merged.lost.iter().all(|lost| *lost > 1_500), "{merged:?}");
        assert_eq!(merged.gaps, 0);
    }
}

#[test]
fn the_same_seed_gives_the_same_run() {
    // So that a failure can be run again.
    let setting = Setting::random(Design::Moex8, 5, 200);
    let (one, two) = (Lines::new(&setting), Lines::new(&setting));
    let run =
        |lines: &Lines| Arbiter::new(lines.design).run(lines.sent(), &lines.changes, lines.until);
    assert_eq!(run(&one), run(&two));
}
