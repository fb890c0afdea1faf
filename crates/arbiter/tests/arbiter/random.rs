//! Random lines through the arbiter, and the checker after it.

use std::collections::HashSet;

use arbiter::{Arbiter, Config, Mode, Window};
use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::arbiter::checker::Checker;
use crate::arbiter::lines::{Kind, Lines, Setting, State};

const IDLE_LIMIT: u64 = 30_000_000;

fn window(random: &mut ChaCha8Rng) -> Window {
    let modes = [Mode::Time, Mode::Count, Mode::TimeAndCount];
    Window {
        mode: modes[random.random_range(0..3)],
        time: random.random_range(0..12_000_000),
        count: random.random_range(0..60),
    }
}

/// Runs it all; every check is the checker's. Windows change and flushes happen at random.
fn run(setting: &Setting, slots_per_line: usize, changes: f64) {
    let lines = Lines::new(setting);
    let mut random = ChaCha8Rng::seed_from_u64(setting.seed ^ 0xabcd);
    let first = window(&mut random);
    let mut arbiter = Arbiter::new(Config {
        slots_per_line,
        window: first,
        idle_limit: IDLE_LIMIT,
        hold: u64::MAX,
        ..Config::new(setting.kind.protocol())
    })
    .unwrap();
    let mut checker = Checker::new(setting.kind, &lines, slots_per_line, IDLE_LIMIT, first);
    arbiter.poll(0, &mut checker);
    let mut now = 0;
    for arrival in &lines.arrivals {
        while let Some(deadline) = arbiter.deadline().filter(|time| *time < arrival.time) {
            now = now.max(deadline);
            checker.waits(now, false);
            arbiter.poll(now, &mut checker);
            checker.waited();
        }
        now = arrival.time;
        if random.random_bool(changes) {
            let window = window(&mut random);
            arbiter.set_window(window);
            checker.set_window(window);
        }
        let flushes = random.random_bool(changes / 10.0);
        checker.waits(now, flushes);
        if flushes {
            arbiter.flush(now, &mut checker);
        } else {
            arbiter.poll(now, &mut checker);
        }
        checker.waited();
        let before = checker.end();
        checker.arrives(*arrival);
        let payload = &lines.sent[arrival.sent].payload;
        let cut = random.random_range(0..4);
        let payload = if arrival.state == State::Cut {
            &payload[..cut]
        } else {
            payload
        };
        let good = arrival.state != State::Bad;
        arbiter.push(arrival.line, now, payload, good, &mut checker);
        checker.arrived(before);
    }
    checker.waits(now, true);
    arbiter.flush(now, &mut checker);
    checker.waited();

    let counters = arbiter.counters();
    for (index, output) in [&counters.low_latency, &counters.high_reliability]
        .into_iter()
        .enumerate()
    {
        assert_eq!((output.gap, output.lost), checker.gaps(index));
        let passed: u32 = output.lines.iter().map(|line| line.passed).sum();
        assert_eq!(passed, checker.packets(index));
        let fates = output
            .lines
            .iter()
            .map(|line| line.passed + line.refused + line.missed + line.bad);
        assert_eq!(
            fates.sum::<u32>(),
            checker.pushed,
            "each packet is in one of them"
        );
    }
    assert_eq!(counters.session_reset, checker.resets);
    for store in &counters.store {
        assert_eq!(store.overflow, 0);
        assert!(store.forced <= store.released && store.released <= store.kept);
    }
}

fn kind() -> impl Strategy<Value = Kind> {
    prop::sample::select(vec![Kind::Mold, Kind::Opra, Kind::Arca, Kind::Moex])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn nothing_leaves_twice_nothing_goes_back_and_nothing_that_came_in_time_is_missing(
        kind in kind(),
        seed in any::<u64>(),
        loss in prop::array::uniform2(0.0..0.5),
        duplication in 0.0..0.2,
        bad in 0.0..0.2,
        reordering in 0.0..0.5,
        heartbeats in 0.0..0.3,
        skew in 0_u64..10_000_000,
        sessions in 1_usize..4,
        slots_per_line in 1_usize..40,
        changes in 0.0..0.1,
    ) {
        let setting = Setting { kind, seed, packets: 300, loss, duplication, bad, reordering, heartbeats, skew, sessions };
        run(&setting, slots_per_line, changes);
    }
}

#[test]
fn with_room_and_time_the_high_reliability_output_loses_only_what_both_lines_lost() {
    let setting = Setting {
        kind: Kind::Opra,
        seed: 11,
        packets: 3_000,
        loss: [0.3, 0.3],
        duplication: 0.01,
        bad: 0.01,
        reordering: 0.1,
        heartbeats: 0.0,
        skew: 1_000_000,
        sessions: 1,
    };
    let lines = Lines::new(&setting);
    let long = Window {
        mode: Mode::Time,
        time: 5_000_000,
        count: 0,
    };
    let mut arbiter = Arbiter::new(Config {
        slots_per_line: 200,
        window: long,
        ..Config::new(setting.kind.protocol())
    })
    .unwrap();
    let mut checker = Checker::new(setting.kind, &lines, 200, 1_000_000_000, long);
    let mut good = HashSet::new();
    for arrival in &lines.arrivals {
        let before = checker.end();
        checker.waits(arrival.time, false);
        arbiter.poll(arrival.time, &mut checker);
        checker.arrives(*arrival);
        let sent = &lines.sent[arrival.sent];
        let whole = arrival.state == State::Good;
        if whole && !sent.too_long {
            good.extend(sent.id..sent.id + sent.messages);
        }
        let payload = if arrival.state == State::Cut {
            &sent.payload[..4]
        } else {
            &sent.payload
        };
        arbiter.push(
            arrival.line,
            arrival.time,
            payload,
            arrival.state != State::Bad,
            &mut checker,
        );
        checker.arrived(before);
    }
    checker.waits(u64::MAX, true);
    arbiter.flush(u64::MAX, &mut checker);
    let first = good.iter().min().copied().unwrap();
    assert!(
        good.is_subset(checker.left(1)),
        "all that came from {first} on"
    );
    assert!(checker.left(0).len() < checker.left(1).len());
    assert!(arbiter.counters().high_reliability.lost > 0);
}
