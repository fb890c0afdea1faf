//! Each rule of docs/reference/arbitration.md, by hand. MoldUDP64, a message or so a packet; times are nanoseconds.

use arbiter::{
    Arbiter, Config, ConfigError, Delivery, Event, Mode, Output, Protocol, Sink, Window,
};

/// What left or was reported, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Low(u64),
    High(u64),
    LowGap(u64, u64),
    HighGap(u64, u64),
    Reset(u64),
    Silent(usize),
}
use Step::{High, HighGap, Low, LowGap, Reset, Silent};

#[derive(Default)]
struct Steps(Vec<Step>);

impl Sink for Steps {
    fn packet(&mut self, delivery: Delivery<'_>) {
        self.0.push(match delivery.output {
            Output::LowLatency => Low(delivery.sequence),
            Output::HighReliability => High(delivery.sequence),
        });
    }

    fn event(&mut self, event: Event) {
        self.0.push(match event {
            Event::Gap {
                output: Output::LowLatency,
                from,
                to,
            } => LowGap(from, to),
            Event::Gap {
                output: Output::HighReliability,
                from,
                to,
            } => HighGap(from, to),
            Event::SessionReset { expected } => Reset(expected),
            Event::LineSilent { line } => Silent(line),
        });
    }
}

struct Bench {
    arbiter: Arbiter,
    steps: Steps,
}

const END: u16 = 0xffff;

fn packet(number: u64, count: u16) -> Vec<u8> {
    let mut packet = b"0123456789".to_vec();
    packet.extend(number.to_be_bytes());
    packet.extend(count.to_be_bytes());
    packet
}

impl Bench {
    /// A window of 1,000 ns or 10 messages, as `mode` says.
    fn new(mode: Mode) -> Self {
        let config = Config {
            window: Window {
                mode,
                time: 1_000,
                count: 10,
            },
            idle_limit: 1_000_000,
            hold: 50_000,
            ..Config::new(Protocol::MOLD_UDP64)
        };
        Self {
            arbiter: Arbiter::new(config).unwrap(),
            steps: Steps::default(),
        }
    }

    /// What it does when this packet comes.
    fn push(&mut self, line: usize, now: u64, number: u64, count: u16) -> Vec<Step> {
        self.raw(line, now, &packet(number, count), true)
    }

    fn raw(&mut self, line: usize, now: u64, packet: &[u8], good: bool) -> Vec<Step> {
        self.arbiter.push(line, now, packet, good, &mut self.steps);
        std::mem::take(&mut self.steps.0)
    }

    fn poll(&mut self, now: u64) -> Vec<Step> {
        self.arbiter.poll(now, &mut self.steps);
        std::mem::take(&mut self.steps.0)
    }
}

#[test]
fn a_packet_waits_exactly_the_time_window() {
    let mut bench = Bench::new(Mode::Time);
    assert_eq!(bench.push(0, 0, 1, 1), [Low(1), High(1)]);
    assert_eq!(bench.push(0, 10, 3, 1), [LowGap(2, 3), Low(3)]);
    assert_eq!(bench.push(0, 20, 5, 1), [LowGap(4, 5), Low(5)]);
    assert_eq!(bench.arbiter.deadline(), Some(1_010));
    assert_eq!(bench.poll(1_009), []);
    assert_eq!(bench.poll(1_010), [HighGap(2, 3), High(3)]);
    assert_eq!(bench.push(1, 1_019, 4, 1), [High(4), High(5)]);
    let counters = bench.arbiter.counters();
    assert_eq!(
        (
            counters.high_reliability.gap,
            counters.high_reliability.lost
        ),
        (1, 1)
    );
    assert_eq!(
        (counters.low_latency.gap, counters.low_latency.lost),
        (2, 2)
    );
    assert_eq!((counters.store[0].kept, counters.store[0].forced), (2, 1));
    assert_eq!(counters.low_latency.lines[1].refused, 1);
}

#[test]
fn one_that_has_waited_forces_those_in_front_of_it() {
    let mut bench = Bench::new(Mode::Time);
    bench.push(0, 0, 1, 1);
    bench.push(0, 10, 9, 1);
    bench.push(1, 500, 5, 1);
    assert_eq!(
        bench.poll(1_010),
        [HighGap(2, 5), High(5), HighGap(6, 9), High(9)]
    );
}

#[test]
fn the_count_window_counts_messages_not_packets() {
    let mut bench = Bench::new(Mode::Count);
    bench.push(0, 0, 1, 1);
    bench.push(0, 1, 3, 9);
    assert_eq!(bench.poll(900_000), [], "no time in this mode");
    assert_eq!(bench.push(0, 900_001, 20, 1).last(), Some(&High(3)));
    assert_eq!(bench.poll(900_002), [], "one message is kept now");
    assert_eq!(bench.push(1, 900_003, 12, 8).last(), Some(&High(20)));
}

#[test]
fn a_change_of_mode_holds_for_what_is_kept_already() {
    let mut bench = Bench::new(Mode::Count);
    bench.push(0, 0, 1, 1);
    bench.push(0, 10, 3, 1);
    assert_eq!(bench.poll(5_000), []);
    let window = bench.arbiter.window();
    bench.arbiter.set_window(Window {
        mode: Mode::TimeAndCount,
        ..window
    });
    assert_eq!(bench.poll(5_001), [HighGap(2, 3), High(3)]);
}

#[test]
fn the_time_window_of_a_kept_packet_is_the_one_that_was_set_when_it_came() {
    let mut bench = Bench::new(Mode::Time);
    bench.push(0, 0, 1, 1);
    bench.push(0, 10, 3, 1);
    let window = bench.arbiter.window();
    bench.arbiter.set_window(Window { time: 5, ..window });
    assert_eq!(bench.poll(900), []);
    assert_eq!(bench.push(0, 901, 5, 1).last(), Some(&Low(5)));
    assert_eq!(bench.arbiter.deadline(), Some(906));
    let forced = [HighGap(2, 3), High(3), HighGap(4, 5), High(5)];
    assert_eq!(
        bench.poll(906),
        forced,
        "5 has waited, and forces 3 in front of it"
    );
}

#[test]
fn a_line_without_room_forces_the_lowest_number_of_either_line() {
    let mut bench = Bench::new(Mode::Time);
    bench.push(0, 0, 1, 1);
    assert_eq!(bench.push(1, 1, 3, 1).last(), Some(&Low(3)));
    for number in [5, 7, 9] {
        assert_eq!(bench.push(0, 2, number, 1).last(), Some(&Low(number)));
    }
    let forced = [HighGap(2, 3), High(3), HighGap(4, 5), High(5)];
    assert_eq!(
        bench.push(0, 3, 11, 1),
        [&[LowGap(10, 11), Low(11)][..], &forced].concat()
    );
}

#[test]
fn an_end_of_session_that_is_kept_flushes_and_so_does_silence() {
    let mut bench = Bench::new(Mode::Count);
    bench.push(0, 0, 1, 1);
    bench.push(0, 1, 3, 1);
    let flushed = [
        LowGap(4, 6),
        Low(6),
        HighGap(2, 3),
        High(3),
        HighGap(4, 6),
        High(6),
    ];
    assert_eq!(bench.push(0, 2, 6, END), flushed);
    assert_eq!(
        bench.push(1, 3, 6, END),
        [Low(6), High(6)],
        "it is where both are"
    );
    assert_eq!(
        bench.arbiter.counters().store[0].kept,
        2,
        "no room for it there"
    );
    bench.push(0, 10, 8, 1);
    assert_eq!(bench.poll(1_000_003), [Silent(1)]);
    assert_eq!(bench.poll(1_000_010), [Silent(0), HighGap(6, 8), High(8)]);
    assert_eq!(bench.poll(9_000_000), []);
    assert_eq!(bench.push(1, 9_000_001, 9, 1), [Low(9), High(9)]);
    assert_eq!(
        bench.poll(10_000_001),
        [Silent(1)],
        "told again, once it spoke"
    );
}

#[test]
fn every_good_end_of_session_that_is_not_behind_flushes_whether_it_is_kept_or_not() {
    let kept = [High(1), HighGap(2, 3), High(3)];
    let long = |number| {
        let mut packet = packet(number, END);
        packet.resize(9_001, 0);
        packet
    };
    for (end, good, passes, flushes) in [
        (packet(2, END), true, true, true),
        (packet(4, END), true, true, true),
        (long(4), true, false, true),
        (packet(4, END), false, false, false),
        (packet(1, END), true, false, false),
    ] {
        let mut bench = Bench::new(Mode::Count);
        let mut high: Vec<Step> = bench.push(0, 0, 1, 1);
        high.extend(bench.push(0, 1, 3, 1));
        high.extend(bench.raw(1, 2, &end, good));
        high.retain(|step| matches!(step, High(_) | HighGap(..)));
        let number = u64::from(end[17]);
        let mut expected = kept[..if flushes { 3 } else { 1 }].to_vec();
        if passes {
            expected.insert(if number == 2 { 1 } else { 3 }, High(number));
        }
        assert_eq!(high, expected, "{number} {good}");
    }
}

#[test]
fn a_cut_off_packet_is_refused_on_the_low_latency_output_whatever_it_proves_to_be() {
    let mut bench = Bench::new(Mode::Time);
    bench.push(0, 0, 5, 1);
    bench.raw(0, 1, &packet(4, 1), false);
    bench.raw(0, 2, &packet(1 << 40, 1), false);
    bench.raw(0, 3, &packet(6, 1), false);
    bench.raw(0, 4, &packet(6, 1)[..10], false);
    let counters = bench.arbiter.counters();
    let line = counters.low_latency.lines[0];
    assert_eq!((line.passed, line.refused, line.bad), (1, 2, 2));
    assert_eq!(counters.high_reliability.lines[0].bad, 4);
    assert_eq!((counters.lines[0].far, counters.lines[0].malformed), (0, 0));
}

#[test]
fn a_limit_of_zero_is_no_limit_and_bad_packets_break_the_silence_too() {
    let mut bench = Bench::new(Mode::Count);
    bench.push(0, 0, 1, 1);
    bench.push(1, 0, 1, 1);
    bench.raw(0, 600_000, b"?", false);
    assert_eq!(bench.poll(1_000_000), [Silent(1)]);
    assert_eq!(bench.poll(1_600_000), [Silent(0)]);
    let config = Config {
        idle_limit: 0,
        ..Config::new(Protocol::MOLD_UDP64)
    };
    bench.arbiter = Arbiter::new(config).unwrap();
    bench.push(0, 0, 1, 1);
    assert_eq!(
        (bench.arbiter.deadline(), bench.poll(u64::MAX)),
        (None, vec![])
    );
}

#[test]
fn heartbeats_pass_where_they_are_expected_and_are_never_kept() {
    let mut bench = Bench::new(Mode::Time);
    bench.push(0, 0, 1, 1);
    assert_eq!(bench.push(0, 1, 2, 0), [Low(2), High(2)]);
    assert_eq!(bench.push(1, 2, 2, 0), [Low(2), High(2)]);
    assert_eq!(bench.push(0, 3, 5, 0), [LowGap(2, 5), Low(5)]);
    assert_eq!(bench.poll(5_000), []);
    assert_eq!(bench.push(1, 5_001, 2, 3), [High(2)]);
    assert_eq!(
        bench.arbiter.counters().high_reliability.lines[0].refused,
        1
    );
}

#[test]
fn what_proves_bad_or_ends_early_leaves_the_other_lines_copy_its_way() {
    let mut bench = Bench::new(Mode::Time);
    bench.push(0, 0, 1, 1);
    assert_eq!(bench.raw(0, 1, &packet(2, 1), false), []);
    assert_eq!(bench.raw(0, 2, &packet(2, 1)[..19], true), []);
    assert_eq!(bench.raw(0, 3, &[], true), []);
    assert_eq!(bench.raw(7, 3, &packet(2, 1), true), [], "no such line");
    assert_eq!(bench.push(1, 4, 2, 1), [Low(2), High(2)]);
    let counters = bench.arbiter.counters();
    for output in [&counters.low_latency, &counters.high_reliability] {
        let line = output.lines[0];
        assert_eq!((line.bad, line.refused, line.passed), (3, 0, 1));
    }
    assert_eq!(counters.lines[0].malformed, 2);
}

#[test]
fn a_packet_longer_than_the_store_passes_only_where_it_is_expected() {
    let mut bench = Bench::new(Mode::Time);
    let long = |number| {
        let mut packet = packet(number, 1);
        packet.resize(9_001, 0);
        packet
    };
    assert_eq!(bench.raw(0, 0, &long(1), true), [Low(1), High(1)]);
    assert_eq!(bench.raw(0, 1, &long(3), true), [LowGap(2, 3), Low(3)]);
    assert_eq!(bench.arbiter.counters().store[0].too_long, 2);
    bench.push(1, 2, 2, 1);
    assert_eq!(bench.raw(1, 3, &long(3), true), [High(3)]);
}

#[test]
fn two_far_numbers_that_are_near_each_other_begin_a_session_and_the_old_one_is_stale() {
    const NEW: u64 = 1 << 40;
    let mut bench = Bench::new(Mode::Time);
    bench.push(0, 0, 100, 1);
    bench.push(0, 1, 102, 1);
    assert_eq!(bench.push(0, 2, 1 << 50, 1), [], "a stray");
    assert_eq!(bench.push(0, 3, NEW, 1), [], "the candidate");
    assert_eq!(bench.push(1, 4, 101, 1), [High(101), High(102)]);
    assert_eq!(bench.push(0, 5, NEW + 1, 1), [Reset(NEW)]);
    assert_eq!(bench.push(1, 6, 103, 1), [], "stale");
    assert_eq!(bench.push(1, 7, 104, 1), []);
    let together = [Low(NEW), High(NEW), High(NEW + 1)];
    assert_eq!(bench.push(1, 8, NEW, 1), together, "nothing is lost there");
    assert_eq!(bench.push(1, 9, NEW + 1, 1), [Low(NEW + 1)]);
    let counters = bench.arbiter.counters();
    let lines = &counters.lines;
    assert_eq!(
        (lines[0].far, lines[1].stale, counters.session_reset),
        (3, 2, 1)
    );
    assert_eq!(
        (
            counters.low_latency.lines[0].refused,
            counters.high_reliability.lost
        ),
        (3, 0)
    );
    // Once the hold time is over, the old session can come back.
    assert_eq!(bench.push(0, 50_004, 105, 1), []);
    assert_eq!(bench.push(0, 50_005, 106, 1), []);
    assert_eq!(bench.push(0, 50_006, 107, 1), [Reset(106)]);
}

#[test]
fn a_session_that_begins_while_a_gap_is_open_flushes_the_old_one_first() {
    let mut bench = Bench::new(Mode::Time);
    bench.push(0, 0, 1, 1);
    bench.push(0, 1, 3, 1);
    bench.push(0, 2, 1 << 32, 1);
    let steps = [
        HighGap(2, 3),
        High(3),
        Reset((1 << 32) - 5),
        High((1 << 32) - 5),
    ];
    assert_eq!(bench.push(1, 3, (1 << 32) - 5, 1), steps);
}

#[test]
fn numbers_wrap() {
    let mut bench = Bench::new(Mode::Time);
    assert_eq!(
        bench.push(0, 0, u64::MAX, 1),
        [Low(u64::MAX), High(u64::MAX)]
    );
    assert_eq!(bench.push(0, 1, 2, 1), [LowGap(0, 2), Low(2)]);
    assert_eq!(bench.push(1, 2, 0, 2), [High(0), High(2)]);
    assert_eq!(bench.push(1, 3, u64::MAX - 3, 4), [], "behind");
}

#[test]
fn near_ends_where_the_rules_say() {
    const R: u64 = 1 << 20;
    let start = || {
        let mut bench = Bench::new(Mode::Count);
        bench.push(0, 0, 1 << 30, 0);
        bench
    };
    let base = 1_u64 << 30;
    for (number, passed, refused, far) in [
        (base + R - 1, 2, 0, 0),
        (base + R, 1, 0, 1),
        (base - 1, 1, 1, 0),
        (base - R + 1, 1, 1, 0),
        (base - R, 1, 0, 1),
    ] {
        let mut bench = start();
        bench.push(0, 1, number, 1);
        let counters = bench.arbiter.counters();
        let line = counters.low_latency.lines[0];
        assert_eq!(
            (line.passed, line.refused, counters.lines[0].far),
            (passed, refused + far, far),
            "{number}"
        );
    }
}

#[test]
fn a_restart_takes_whatever_comes_first() {
    let mut bench = Bench::new(Mode::Count);
    bench.push(0, 0, 500, 1);
    bench.push(0, 1, 502, 1);
    bench.arbiter.restart(2, &mut bench.steps);
    assert_eq!(
        std::mem::take(&mut bench.steps.0),
        [HighGap(501, 502), High(502)]
    );
    assert_eq!(bench.push(1, 3, 1, 1), [Low(1), High(1)]);
}

#[test]
fn three_lines_and_no_line() {
    let config = Config {
        lines: 3,
        ..Config::new(Protocol::MOLD_UDP64)
    };
    let mut bench = Bench {
        arbiter: Arbiter::new(config).unwrap(),
        steps: Steps::default(),
    };
    bench.push(0, 0, 1, 1);
    bench.push(1, 1, 3, 1);
    assert_eq!(bench.push(2, 2, 2, 1), [High(2), High(3)]);
    let none = Config { lines: 0, ..config };
    assert_eq!(Arbiter::new(none).err(), Some(ConfigError::Empty));
}

#[test]
fn what_was_kept_and_has_fallen_behind_is_freed() {
    let mut bench = Bench::new(Mode::Time);
    bench.push(0, 0, 1, 1);
    bench.push(0, 1, 3, 1);
    bench.push(0, 2, 9, 1);
    assert_eq!(
        bench.push(1, 900, 2, 5),
        [High(2)],
        "the lines pack differently"
    );
    assert_eq!(bench.poll(1_001), [], "3 waits no more");
    assert_eq!(bench.push(1, 1_001, 3, 1), []);
    assert_eq!(bench.poll(1_002), [HighGap(7, 9), High(9)]);
    let counters = bench.arbiter.counters();
    let lines = &counters.high_reliability.lines;
    assert_eq!((lines[0].refused, lines[1].refused), (1, 1));
    assert_eq!((counters.store[0].kept, counters.store[1].kept), (2, 0));
}
