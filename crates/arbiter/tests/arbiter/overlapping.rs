//! Packets that begin with known messages and end with new ones: lines that cut the same messages at other places, and retransmissions.

use arbiter::{Arbiter, Config, Delivery, Event, Mode, Output, Sink, Window};
use proptest::prelude::*;

use crate::arbiter::lines::Kind;

/// What a decoder behind each output makes of it, low latency first: numbers from `base` on, those that are known skipped.
struct Decoded {
    kind: Kind,
    base: u128,
    messages: [Vec<u64>; 2],
    gaps: [u64; 2],
}

fn index(output: Output) -> usize {
    usize::from(output == Output::HighReliability)
}

impl Sink for Decoded {
    fn packet(&mut self, delivery: Delivery<'_>) {
        let messages = &mut self.messages[index(delivery.output)];
        let next = messages.last().map_or(0, |last| last + 1);
        let first =
            (0..).find(|at| self.kind.wrap(self.base + u128::from(*at)) == delivery.sequence);
        let first = first.unwrap();
        let behind = first + u64::from(delivery.count);
        assert!(behind > next, "it has something new");
        messages.extend(first.max(next)..behind);
    }

    fn event(&mut self, event: Event) {
        if let Event::Gap { output, .. } = event {
            self.gaps[index(output)] += 1;
        }
    }
}

struct Bench {
    arbiter: Arbiter,
    decoded: Decoded,
    now: u64,
}

impl Bench {
    /// A time window of 100 ms, and room for all.
    fn new(kind: Kind, base: u128) -> Self {
        let config = Config {
            window: Window {
                mode: Mode::Time,
                time: 100_000_000,
                count: 0,
            },
            slots_per_line: 300,
            ..Config::new(kind.protocol())
        };
        Self {
            arbiter: Arbiter::new(config).unwrap(),
            decoded: Decoded {
                kind,
                base,
                messages: Default::default(),
                gaps: [0; 2],
            },
            now: 0,
        }
    }

    /// A microsecond later, so many messages from the base's `at`th on.
    fn push(&mut self, line: usize, at: u64, count: u16) {
        let Decoded { kind, base, .. } = self.decoded;
        let number = kind.wrap(base.wrapping_add(u128::from(at)));
        self.now += 1_000;
        let packet = kind.header(number, count);
        self.arbiter
            .push(line, self.now, &packet, true, &mut self.decoded);
    }

    fn fates(&self) -> [[u32; 2]; 2] {
        let counters = self.arbiter.counters();
        [&counters.low_latency, &counters.high_reliability].map(|output| {
            let passed = output.lines.iter().map(|line| line.passed).sum();
            let refused = output.lines.iter().map(|line| line.refused).sum();
            [passed, refused]
        })
    }

    fn kept(&self) -> u32 {
        self.arbiter
            .counters()
            .store
            .iter()
            .map(|store| store.kept)
            .sum()
    }
}

#[test]
fn what_one_line_lost_the_other_brings_though_it_is_cut_at_other_places() {
    let mut bench = Bench::new(Kind::Mold, 1);
    // A loses its second packet, of four messages; B comes after it.
    for (line, at, count) in [
        (0, 0, 4),
        (1, 0, 2),
        (0, 8, 4),
        (1, 2, 4),
        (1, 6, 4),
        (1, 10, 2),
    ] {
        bench.push(line, at, count);
    }
    let all: Vec<u64> = (0..12).collect();
    assert_eq!(bench.decoded.messages[1], all);
    assert_eq!(bench.arbiter.counters().high_reliability.lost, 0);
    assert_eq!(bench.decoded.gaps, [1, 0]);
    assert_eq!(bench.arbiter.counters().low_latency.lost, 4);
}

#[test]
fn on_one_line_packets_that_go_back_pass_at_once_and_are_no_gap() {
    let mut bench = Bench::new(Kind::Mold, 1);
    for (at, count) in [(0, 4), (2, 5), (7, 5)] {
        bench.push(0, at, count);
    }
    let all: Vec<u64> = (0..12).collect();
    assert_eq!(bench.decoded.messages, [all.clone(), all]);
    assert_eq!(bench.decoded.gaps, [0; 2]);
    assert_eq!((bench.fates(), bench.kept()), ([[3, 0]; 2], 0));
}

#[test]
fn a_packet_passes_if_its_last_message_is_the_expected_one_and_not_if_it_ends_before() {
    for kind in [Kind::Mold, Kind::Opra, Kind::Arca] {
        // 10 is expected; the numbers wrap at 0, at 7 (within the packets), and at 10.
        for before_wrap in [0, 7, 10, 1_000] {
            let base = (1_u128 << 64) - before_wrap;
            for (at, count, passes) in [
                (10, 1, true),
                (10, 0, true),
                (9, 1, false),
                (9, 0, false),
                (9, 2, true),
                (5, 5, false),
                (5, 6, true),
                (5, 255, true),
                (0, 10, false),
                (0, 11, true),
            ] {
                let mut bench = Bench::new(kind, base);
                bench.push(0, 0, 10);
                bench.decoded.messages = [vec![9], vec![9]];
                let fates = bench.fates();
                assert_eq!(fates, [[1, 0]; 2]);
                if count > 0 {
                    bench.push(1, at, count);
                } else {
                    // Without messages there is nothing to decode.
                    let number = kind.wrap(base + u128::from(at));
                    let packet = kind.header(number, 0);
                    bench.arbiter.push(1, 5_000, &packet, true, &mut Nothing);
                }
                let expected = if passes { [2, 0] } else { [1, 1] };
                let case = format!("{kind:?} {before_wrap} {at} {count}");
                assert_eq!(bench.fates(), [expected; 2], "{case}");
                assert_eq!(bench.decoded.gaps, [0; 2], "{case}");
                let counters = bench.arbiter.counters();
                assert_eq!(counters.lines[1].far, 0, "{case}");
            }
        }
    }
}

struct Nothing;

impl Sink for Nothing {
    fn packet(&mut self, _: Delivery<'_>) {}
    fn event(&mut self, _: Event) {}
}

#[test]
fn what_proves_bad_is_bad_if_it_would_have_brought_something_new_and_refused_if_not() {
    let mut bench = Bench::new(Kind::Mold, 1);
    bench.push(0, 0, 10);
    for count in [5, 6] {
        let packet = Kind::Mold.header(6, count);
        bench
            .arbiter
            .push(0, bench.now, &packet, false, &mut bench.decoded);
    }
    let line = bench.arbiter.counters().low_latency.lines[0];
    assert_eq!((line.bad, line.refused), (1, 1));
}

#[test]
fn of_two_kept_with_the_same_number_the_later_is_kept_too_if_it_has_more_messages() {
    let mut bench = Bench::new(Kind::Mold, 1);
    bench.push(0, 0, 4);
    bench.push(0, 8, 2);
    bench.push(1, 8, 1); // fewer
    bench.push(1, 8, 2); // as many
    assert_eq!(bench.kept(), 1);
    bench.push(1, 8, 5);
    assert_eq!(bench.kept(), 2);
    bench.push(0, 8, 4);
    bench.push(0, 8, 5);
    assert_eq!(bench.kept(), 2);
    bench.push(0, 2, 6);
    assert_eq!(bench.decoded.messages[1], (0..13).collect::<Vec<_>>());
    let counters = bench.arbiter.counters();
    assert_eq!(counters.store.iter().map(|s| s.released).sum::<u32>(), 2);
    assert_eq!(counters.high_reliability.gap, 0);
}

#[test]
fn a_kept_packet_is_freed_when_all_of_it_has_come_and_not_before() {
    for (count, released, refused) in [(3, 0, 1), (4, 1, 0)] {
        let mut bench = Bench::new(Kind::Mold, 1);
        bench.push(0, 0, 1);
        bench.push(0, 2, count); // 2, 3, 4, and 5 if they are four
        bench.push(1, 1, 4);
        let counters = bench.arbiter.counters();
        assert_eq!(counters.store[0].released, released);
        assert_eq!(counters.high_reliability.lines[0].refused, refused);
        assert_eq!(counters.high_reliability.gap, 0);
        let upto = 5 + u64::from(released);
        assert_eq!(bench.decoded.messages[1], (0..upto).collect::<Vec<_>>());
    }
}

/// Cuts so many messages; each packet's first message and count.
fn cut(messages: u64, sizes: &[u16]) -> Vec<(u64, u16)> {
    let mut packets = vec![];
    let mut at = 0;
    for size in sizes.iter().cycle() {
        let size = u64::from(*size).min(messages - at);
        if size == 0 {
            break;
        }
        packets.push((at, size as u16));
        at += size;
    }
    packets
}

const MESSAGES: u64 = 200;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// However lines cut the same messages, whatever is lost and sent again: what comes on some line within the window comes out once, in order,
    /// and nothing is given up.
    #[test]
    fn each_message_comes_out_once_however_lines_are_cut_if_it_comes_on_one_of_them(
        kind in prop::sample::select(vec![Kind::Mold, Kind::Opra, Kind::Arca]),
        before_wrap in 0_u128..300,
        sizes in prop::array::uniform2(prop::collection::vec(1_u16..12, 1..30)),
        lost in prop::array::uniform2(prop::collection::vec(any::<bool>(), 200)),
        again in prop::collection::vec((0..MESSAGES, 1_u16..40, 0_u64..50), 0..20),
        // Of line B, in messages: with 100 us a message it is within the window.
        skew in 0_u64..50,
    ) {
        let mut arrivals = vec![];
        let mut came = vec![false; MESSAGES as usize];
        let mut missing = vec![];
        for line in 0..2 {
            for (index, packet) in cut(MESSAGES, &sizes[line]).into_iter().enumerate() {
                let (at, count) = packet;
                let time = at + u64::from(count) + skew * line as u64;
                // What begins the feed does come: nothing is kept before it.
                if index > 0 && lost[line][index] {
                    missing.push((time, line, packet));
                } else {
                    arrivals.push((time, line, packet));
                }
            }
        }
        for (at, count, delay) in again {
            let count = u64::from(count).min(MESSAGES - at) as u16;
            arrivals.push((at + u64::from(count) + delay, 1, (at, count)));
        }
        let mark = |came: &mut Vec<bool>, (at, count): (u64, u16)| {
            came[at as usize..at as usize + usize::from(count)].fill(true);
        };
        for (.., packet) in &arrivals {
            mark(&mut came, *packet);
        }
        // What both lost line A, or if it was not its, line B brings after all.
        for (time, line, (at, count)) in missing {
            if came[at as usize..at as usize + usize::from(count)].contains(&false) {
                mark(&mut came, (at, count));
                arrivals.push((time, line, (at, count)));
            }
        }
        arrivals.sort();
        // The first that comes begins the feed.
        let first = arrivals.iter().position(|(.., (at, _))| *at == 0).unwrap();
        arrivals.drain(..first);

        let mut bench = Bench::new(kind, (1 << 64) - before_wrap);
        for (time, line, (at, count)) in arrivals {
            bench.now = (time * 100_000).max(bench.now);
            bench.push(line, at, count);
        }
        prop_assert_eq!(&bench.decoded.messages[1], &(0..MESSAGES).collect::<Vec<_>>());
        prop_assert_eq!(bench.decoded.gaps[1], 0);
        prop_assert!(bench.decoded.messages[0].is_sorted_by(|a, b| a < b));
        let counters = bench.arbiter.counters();
        let lost = MESSAGES - bench.decoded.messages[0].len() as u64;
        prop_assert_eq!((counters.low_latency.lost, counters.high_reliability.lost), (lost, 0));
    }
}
