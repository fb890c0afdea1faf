//! Random streams, valid and not, in frames with good and bad verdicts; gaps, sessions and rebuilds.

use book::Cause;
use lockstep::book::stream::{Setting, run};
use lockstep::book::{Design, Stats};

use crate::count::count;

/// A stream as a feed has it.
const VALID: Setting = Setting {
    instruments: 3,
    by_level: 0,
    ids: 40,
    ticks: 20,
    named: 0.5,
    odd: 0.0,
    bad: 0.3,
    frame: 10,
    gaps: 0.0,
};

fn all(design: Design, settings: &[Setting], events: u64) -> Vec<Stats> {
    let share = events / settings.len() as u64;
    let run = |(seed, setting): (u64, &Setting)| {
        let stats = run(design, *setting, seed, share, |_| ());
        let stats = stats.unwrap_or_else(|text| panic!("{text}"));
        println!("{setting:?}: {stats:?}");
        stats
    };
    (0..).zip(settings).map(run).collect()
}

fn total(stats: &[Stats], of: impl Fn(&Stats) -> u64) -> u64 {
    stats.iter().map(of).sum()
}

#[test]
fn valid_streams_of_few_orders_and_levels() {
    let settings = [
        Setting {
            ids: 6,
            ticks: 1,
            ..VALID
        },
        Setting {
            instruments: 1,
            ids: 12,
            ticks: 6,
            named: 0.0,
            ..VALID
        },
        Setting {
            named: 1.0,
            ..VALID
        },
        Setting {
            instruments: 1,
            ids: 400,
            ticks: 150,
            ..VALID
        },
        Setting {
            instruments: 6,
            ids: 2_000,
            ticks: 400,
            bad: 0.1,
            frame: 60,
            ..VALID
        },
    ];
    for design in [Design::Default, Design::Small] {
        let few = if design == Design::Small { 3 } else { 5 };
        let stats = all(design, &settings[..few], count(20_000, 250_000));
        assert!(total(&stats, |stats| stats.early) > 50);
        assert!(total(&stats, |stats| stats.taken_back) > 2_000);
    }
}

#[test]
fn anything_at_all_in_the_default_sizes() {
    let settings = [
        Setting {
            odd: 0.2,
            gaps: 0.02,
            ..VALID
        },
        Setting {
            instruments: 16,
            ids: 3_000,
            ticks: 60,
            odd: 0.05,
            frame: 50,
            gaps: 0.01,
            ..VALID
        },
    ];
    let stats = all(Design::Default, &settings, count(12_000, 300_000));
    let causes = [
        Cause::QuantityZero,
        Cause::QuantityTooLarge,
        Cause::IdTooLong,
        Cause::ReplacesItself,
        Cause::UnknownId,
        Cause::DuplicateId,
        Cause::TooMuch,
        Cause::OffTick,
        Cause::OutsideWindow,
        Cause::Unsupported,
    ];
    for cause in causes {
        let count = total(&stats, |stats| stats.faults[cause as usize]);
        assert!(count > 1, "{cause:?}: {count}");
    }
}

/// Levels and orders in one book: few levels of a side and many, sides that are full all the time, and the log again and again.
#[test]
fn levels_and_orders_of_any_kind() {
    let settings = [
        Setting {
            instruments: 4,
            by_level: 4,
            ticks: 6,
            ..VALID
        },
        Setting {
            instruments: 16,
            by_level: 8,
            ticks: 4,
            frame: 16,
            odd: 0.1,
            gaps: 0.02,
            ..VALID
        },
        Setting {
            instruments: 1,
            by_level: 1,
            ticks: 40,
            bad: 0.5,
            ..VALID
        },
    ];
    let stats = all(Design::Levels, &settings, count(20_000, 300_000));
    let causes = [
        Cause::QuantityTooLarge,
        Cause::LogFull,
        Cause::OffTick,
        Cause::OutsideWindow,
        Cause::Unsupported,
    ];
    for cause in causes {
        let count = total(&stats, |stats| stats.faults[cause as usize]);
        assert!(count > 1, "{cause:?}: {count}");
    }
    assert!(total(&stats, |stats| stats.taken_back) > 2_000);
    assert!(total(&stats, |stats| stats.restored) > 100);
}

/// Sets, stash, levels and the log are full again and again.
#[test]
fn anything_at_all_in_small_tables() {
    let settings = [
        Setting {
            ids: 176,
            ticks: 8,
            frame: 24,
            ..VALID
        },
        Setting {
            instruments: 1,
            ids: 150,
            ticks: 300,
            bad: 0.2,
            ..VALID
        },
        Setting {
            instruments: 16,
            ids: 160,
            ticks: 300,
            bad: 0.2,
            ..VALID
        },
        Setting {
            odd: 0.15,
            gaps: 0.02,
            ids: 120,
            ticks: 40,
            frame: 16,
            ..VALID
        },
    ];
    let stats = all(Design::Small, &settings, count(60_000, 500_000));
    for cause in [Cause::LogFull, Cause::OrdersFull] {
        let count = total(&stats, |stats| stats.faults[cause as usize]);
        assert!(count > 15, "{cause:?}: {count}");
    }
    assert!(total(&stats, |stats| stats.full_sets) > 10);
    assert!(total(&stats, |stats| stats.levels_full) > 10);
    assert!(total(&stats, |stats| stats.rebuilt) > 100);
}
