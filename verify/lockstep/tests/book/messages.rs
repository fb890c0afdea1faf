//! Messages of a market through the book in hardware and in software.

use std::fs;
use std::path::Path;

use feed::generate::{Settings, generate, symbol};
use formats::Symbol;
use formats::itch::Version;
use lockstep::book::market::{Outcome, Setting, events, run};
use lockstep::book::{Design, Spacing};

use crate::count::count;

const AAPL: Symbol = Symbol(*b"AAPL    ");

/// Every message.
const ALL: usize = usize::MAX;

/// Frames of 1 to 20 messages, every fifth given with a bad verdict first; a rebuild in the middle.
const SETTING: Setting = Setting {
    seed: 18,
    frame: 20,
    bad_every: 5,
    spacing: Spacing::Random,
    rebuilds: true,
};

/// The first so many messages of the hour.
fn aapl(name: &str, version: Version, most: usize, setting: Setting) -> Option<Outcome> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/nasdaq-aapl-2012-06-21")
        .join(name);
    if !path.exists() {
        eprintln!("SKIPPED: no {name} in ../shared/data");
        return None;
    }
    let file = fs::read(path).unwrap();
    let events = events(version, &file, &[None, Some(AAPL)]);
    let all = most >= events.len();
    let outcome = run(
        Design::Default,
        &events[..most.min(events.len())],
        setting,
        |_| (),
    );
    let outcome = outcome.unwrap_or_else(|text| panic!("{name}, {text}"));
    println!("{name}: {:?}", outcome.stats);
    if all {
        // shared/data/README.md
        assert_eq!(outcome.orders, 380);
        assert_eq!(outcome.levels, [[121, 103]]);
    }
    assert_eq!(outcome.stats.faults, [0; 16]);
    assert_eq!(outcome.stats.levels_full, 0);
    Some(outcome)
}

#[test]
fn the_aapl_hour_in_5_0_with_bad_frames_and_a_rebuild() {
    let Some(outcome) = aapl("aapl.itch50", Version::V50, ALL, SETTING) else {
        return;
    };
    let stats = outcome.stats;
    // A fifth comes twice; and every order and level is shown at the end.
    assert!(stats.changes > 92_077, "{stats:?}");
    assert!(stats.taken_back > 15_000, "{stats:?}");
    assert!(stats.rebuilt == 1 && stats.restored > 100, "{stats:?}");
    assert!(stats.incomplete < stats.changes / 10, "{stats:?}");
}

/// A book whose lines are at rest between any two messages: the least latency, and an add that improves the best is known early.
#[test]
fn the_aapl_hour_in_4_1_with_time_between_the_messages() {
    let setting = Setting {
        bad_every: 0,
        rebuilds: false,
        spacing: Spacing::Far,
        ..SETTING
    };
    let most = count(20_000, ALL);
    let Some(outcome) = aapl("aapl.itch41", Version::V41, most, setting) else {
        return;
    };
    let stats = outcome.stats;
    assert_eq!(stats.latency.map(|(least, _)| least), Some(6));
    assert!(stats.early > 1_000, "{stats:?}");
    assert!(stats.early * 100 > stats.could_be_early * 95, "{stats:?}");
}

#[test]
fn the_aapl_hour_in_4_1_with_bad_frames_2_cycles_apart() {
    let setting = Setting {
        spacing: Spacing::Two,
        ..SETTING
    };
    aapl("aapl.itch41", Version::V41, ALL, setting);
}

/// The next levels of a line are looked up between events: the more room those leave, the fewer changes are without a best price. Of the first
/// 40,000 that is one in 12 with an event every 3 cycles, one in 57 with one every 4, one in 66 with one every 5, one in 320 with one every 8. With one
/// every 2 nothing is left between them, and most have none.
#[test]
fn the_best_prices_of_the_aapl_hour_are_known_where_events_leave_room() {
    for (cycles, least) in [(3, 10), (4, 40), (5, 50), (8, 150)] {
        let setting = Setting {
            bad_every: 0,
            rebuilds: false,
            spacing: Spacing::Apart(cycles),
            ..SETTING
        };
        let most = count(40_000, ALL);
        let Some(outcome) = aapl("aapl.itch50", Version::V50, most, setting) else {
            return;
        };
        let stats = outcome.stats;
        assert!(
            stats.incomplete * least < stats.changes,
            "{cycles}: {stats:?}"
        );
    }
}

/// Messages as far apart as half a read takes: events come during reads, and many of those begin anew.
#[test]
fn the_best_16_levels_of_the_aapl_hour_are_read_while_messages_come() {
    let setting = Setting {
        spacing: Spacing::Apart(300),
        ..SETTING
    };
    let most = count(5_000, ALL);
    let Some(outcome) = aapl("aapl.itch50", Version::V50, most, setting) else {
        return;
    };
    let stats = outcome.stats;
    assert!(stats.reads > stats.events / 10, "{stats:?}");
    assert!(stats.full_reads > stats.reads / 2, "{stats:?}");
    assert!(stats.reads_meanwhile > stats.reads / 4, "{stats:?}");
}

fn generated(version: Version, messages: u64, setting: Setting) -> Outcome {
    let settings = Settings {
        version,
        symbols: 16,
        messages,
        seconds: 3_600,
        seed: 181,
    };
    let mut file = vec![];
    let made = generate(&settings, &mut file, |_| ()).unwrap();
    let symbols: Vec<_> = (0..16).map(|index| Some(symbol(index))).collect();
    let events = events(version, &file, &symbols);
    let outcome = run(Design::Default, &events, setting, |_| ());
    let outcome = outcome.unwrap_or_else(|text| panic!("{version:?}, {text}"));
    println!("{version:?}: {:?}", outcome.stats);
    assert_eq!(outcome.messages, made.messages);
    assert_eq!(u64::from(outcome.orders), made.live_orders);
    assert!(outcome.stats.changes > messages * 11 / 10);
    outcome
}

#[test]
fn messages_of_16_symbols_in_5_0() {
    let outcome = generated(Version::V50, count(25_000, 500_000), SETTING);
    assert_eq!(outcome.stats.rebuilt, 1);
}

#[test]
fn messages_of_16_symbols_in_4_1_as_fast_as_they_may_come() {
    let setting = Setting {
        spacing: Spacing::Burst,
        rebuilds: false,
        ..SETTING
    };
    generated(Version::V41, count(25_000, 500_000), setting);
}
