//! Two lines while something changes: windows and source, a line that dies, bad copies, a new session.

use cosim::{Frame, Setup, Width};
use device::registers as map;
use device::{Arbitration, Source, Window};
use formats::itch::Version;

use super::lines::{
    self, Outcome, Packet, Random, collect, copies, core, high_reliability, paced, play, software,
};

/// How far line B is behind, in cycles: below three packets.
fn behind(width: Width) -> u64 {
    match width {
        Width::Gmii => 700,
        Width::Xgmii => 130,
    }
}

fn feed(width: Width, packets: u64) -> (Setup, Vec<Packet>) {
    let setup = Setup::example(Version::V50, &lines::symbols());
    let frames = lines::generated(&setup, &mut Random(5), packets, 8);
    let gap = behind(width) * 3 / 7;
    let packets = paced(width, &setup, frames, gap, 2 * behind(width));
    (setup, packets)
}

fn all(packets: &[Packet]) -> Vec<(u64, u64)> {
    packets
        .iter()
        .map(|packet| (packet.sequence, packet.messages))
        .collect()
}

/// The value of the register `arbitration`.
fn register(source: Source, window: Window) -> u32 {
    use map::arbitration::{SOURCE, WINDOW};
    WINDOW.set(SOURCE.set(0, source as u32), window as u32)
}

/// What is delivered, in order and never twice; and how many of all the messages are not.
fn missing(outcome: &Outcome, packets: &[Packet]) -> u64 {
    let numbers = outcome.numbers();
    for pair in numbers.windows(2) {
        assert!(
            pair[1].0 >= pair[0].0 + pair[0].1,
            "{:?} behind {:?}",
            pair[1],
            pair[0]
        );
    }
    let sum = |numbers: &[(u64, u64)]| numbers.iter().map(|(_, messages)| messages).sum::<u64>();
    sum(&all(packets)) - sum(&numbers)
}

const WINDOWS: [Window; 3] = [Window::Time, Window::Count, Window::TimeAndCount];

/// Lines that lose different packets, while the windows change at any moment to others of at least `least` (cycles, messages).
fn changing_windows(width: Width, behind: u64, least: (u64, u64)) -> (Outcome, Setup, Vec<Packet>) {
    let (setup, packets) = feed(width, 2_000);
    let (mut driver, begin) = core(width, &setup, &high_reliability(least.0));
    let mut random = Random(9);
    let lost: Vec<u64> = packets.iter().map(|_| random.below(10)).collect();
    let mut frames = copies(&packets, 0, begin, 0, |index| lost[index] == 0);
    frames.extend(copies(&packets, 1, begin, behind, |index| lost[index] == 1));
    let end = packets.last().map_or(0, |packet| packet.at);
    for change in 0..1_000 {
        let cycle = begin + end * change / 1_000 + random.below(end / 1_000);
        let (address, value) = match random.below(3) {
            0 => (
                map::time_window::ADDRESS,
                (least.0 + random.below(behind)) as u32,
            ),
            1 => (
                map::count_window::ADDRESS,
                (least.1 + random.below(60)) as u32,
            ),
            _ => (
                map::arbitration::ADDRESS,
                register(Source::HighReliability, WINDOWS[random.below(3) as usize]),
            ),
        };
        driver.registers().write_at(cycle, address, value);
    }
    let outcome = play(&mut driver, &frames, 5 * behind);
    (outcome, setup, packets)
}

#[test]
fn windows_that_change_while_it_runs_lose_and_repeat_nothing() {
    for width in lines::WIDTHS {
        // Longer than line B is behind, and more messages than two packets hold.
        let behind = behind(width);
        let (outcome, setup, packets) = changing_windows(width, behind, (behind * 3 / 2, 20));
        assert_eq!(outcome.numbers(), all(&packets), "{width:?}");
        assert_eq!(
            outcome.counters.feed,
            software(&setup, packets.iter()).1,
            "{width:?}"
        );
        assert_eq!(outcome.both.high_lost, 0, "{width:?}");
    }
}

#[test]
fn windows_too_short_lose_what_they_do_not_wait_for_and_count_it() {
    for width in lines::WIDTHS {
        let (outcome, _, packets) = changing_windows(width, 2 * behind(width), (0, 1));
        let missing = missing(&outcome, &packets);
        assert!(missing > 100, "{width:?}: {missing}");
        assert_eq!(
            (
                u64::from(outcome.both.high_lost),
                outcome.counters.feed.mold_lost
            ),
            (missing, missing),
            "{width:?}"
        );
        assert_eq!(
            outcome.both.high_gap, outcome.counters.feed.mold_gap,
            "{width:?}"
        );
    }
}

#[test]
fn a_source_that_changes_while_it_runs_loses_and_repeats_nothing() {
    for width in lines::WIDTHS {
        let (setup, packets) = feed(width, 2_000);
        let (mut driver, begin) = core(width, &setup, &high_reliability(2 * behind(width)));
        let mut frames = copies(&packets, 0, begin, 0, |_| false);
        frames.extend(copies(&packets, 1, begin, behind(width), |_| false));
        let mut random = Random(2);
        let end = packets.last().map_or(0, |packet| packet.at);
        const CHANGES: u64 = 500;
        for change in 0..CHANGES {
            let cycle = begin + end * change / CHANGES + random.below(end / CHANGES);
            // Line B alone is behind: a source chosen after it loses what B had not brought yet. It has a separate test.
            let source = [Source::LineA, Source::LowLatency, Source::HighReliability]
                [random.below(3) as usize];
            driver.registers().write_at(
                cycle,
                map::arbitration::ADDRESS,
                register(source, Window::Time),
            );
        }
        let outcome = play(&mut driver, &frames, 5 * behind(width));
        let feed = outcome.counters.feed;
        assert_eq!(outcome.numbers(), all(&packets), "{width:?}");
        assert_eq!(
            (feed.mold_malformed, feed.mold_gap, feed.mold_old),
            (0, 0, 0),
            "{width:?}"
        );
    }
}

#[test]
fn from_line_a_to_line_b_and_back_nothing_comes_twice() {
    for width in lines::WIDTHS {
        let (setup, packets) = feed(width, 400);
        let (mut driver, begin) = core(
            width,
            &setup,
            &Arbitration {
                source: Source::LineA,
                ..high_reliability(0)
            },
        );
        let mut frames = copies(&packets, 0, begin, 0, |_| false);
        frames.extend(copies(&packets, 1, begin, behind(width), |_| false));
        for (packet, source) in [(105, Source::LineB), (305, Source::LineA)] {
            // Some cycles after the end of a packet on either line.
            let cycle = begin + packets[packet].at - 10;
            driver.registers().write_at(
                cycle,
                map::arbitration::ADDRESS,
                register(source, Window::Time),
            );
        }
        let outcome = play(&mut driver, &frames, 5 * behind(width));
        let feed = outcome.counters.feed;
        let missing = missing(&outcome, &packets);
        // B repeats what A had brought, which the decoder drops; what B had not brought yet is lost on the way back.
        assert!(
            (1..=3).contains(&feed.mold_old),
            "{width:?}: {}",
            feed.mold_old
        );
        assert!(
            feed.mold_gap <= 1 && feed.mold_lost == missing,
            "{width:?}: {missing} missing"
        );
        assert_eq!(feed.mold_malformed, 0, "{width:?}");
    }
}

#[test]
fn a_line_that_dies_and_comes_back_is_told_and_costs_nothing() {
    for width in lines::WIDTHS {
        let (setup, packets) = feed(width, 600);
        let idle_limit = 30 * behind(width) as u32;
        let (mut driver, begin) = core(
            width,
            &setup,
            &Arbitration {
                idle_limit,
                ..high_reliability(2 * behind(width))
            },
        );
        let mut frames = copies(&packets, 0, begin, 0, |index| (200..400).contains(&index));
        frames.extend(copies(&packets, 1, begin, behind(width), |_| false));
        let outcome = play(&mut driver, &frames, 5 * behind(width));
        assert_eq!(outcome.numbers(), all(&packets), "{width:?}");
        // Each may have been silent before its first packet, while the core was set up.
        let silent = outcome.lines.map(|line| line.silent);
        assert!(silent[1] <= 1, "{width:?}: {silent:?}");
        assert_eq!(silent[0], silent[1] + 1, "{width:?}");
        // While it was dead the other line's packets were the expected ones.
        assert!(outcome.lines[1].cut_through >= 200, "{width:?}");
        let passed = outcome
            .lines
            .map(|line| line.passed + line.refused + line.missed);
        assert_eq!(passed, [400, 600], "{width:?}");
    }
}

#[test]
fn when_both_lines_are_dead_what_is_kept_leaves_and_the_silence_is_told_once() {
    for width in lines::WIDTHS {
        let (setup, packets) = feed(width, 50);
        // The counters are read within.
        let idle_limit = 40_000;
        let (mut driver, begin) = core(
            width,
            &setup,
            &Arbitration {
                idle_limit,
                ..high_reliability(u32::MAX.into())
            },
        );
        let lost = 47;
        let mut frames = copies(&packets, 0, begin, 0, |index| index == lost);
        frames.extend(copies(&packets, 1, begin, behind(width), |index| {
            index >= lost
        }));
        let early = play(&mut driver, &frames, u64::from(idle_limit) / 2);
        assert_eq!(
            early.numbers(),
            all(&packets[..lost]),
            "{width:?}: the window is open"
        );
        assert_eq!(early.lines.map(|line| line.silent), [0, 0], "{width:?}");
        driver.registers().run(3 * u64::from(idle_limit));
        let late = collect(&mut driver);
        assert_eq!(late.numbers(), all(&packets[lost + 1..]), "{width:?}");
        assert_eq!(
            late.lines.map(|line| line.silent),
            [1, 1],
            "{width:?}: once, however long"
        );
        let gap = late.gap.map(|gap| (gap.from, gap.to));
        assert_eq!(
            gap,
            Some((packets[lost].sequence, packets[lost + 1].sequence)),
            "{width:?}"
        );
        assert_eq!(
            u64::from(late.both.high_lost),
            packets[lost].messages,
            "{width:?}"
        );
    }
}

#[test]
fn a_copy_with_a_bad_fcs_is_replaced_by_that_of_the_other_line() {
    for width in lines::WIDTHS {
        let (setup, packets) = feed(width, 1_000);
        let spoilt: Vec<(usize, Vec<u8>)> = (0..1_000)
            .filter(|index| index % 9 == 4)
            .map(|index| {
                let mut frame = packets[index].frame.clone();
                // In a message, or in the FCS.
                let at = if index % 2 == 0 { 80 } else { frame.len() - 1 };
                frame[at] ^= 1;
                (index, frame)
            })
            .collect();
        let (mut driver, begin) = core(width, &setup, &high_reliability(2 * behind(width)));
        let mut frames = copies(&packets, 0, begin, 0, |_| false);
        for (index, bytes) in &spoilt {
            frames[*index] = Frame {
                bytes,
                ..frames[*index]
            };
        }
        frames.extend(copies(&packets, 1, begin, behind(width), |_| false));
        let outcome = play(&mut driver, &frames, 5 * behind(width));
        assert_eq!(outcome.numbers(), all(&packets), "{width:?}");
        let (reports, counters) = software(&setup, packets.iter());
        assert_eq!(
            (&outcome.reports, outcome.counters.feed),
            (&reports, counters),
            "{width:?}"
        );
        assert_eq!(
            outcome.counters.net.fcs_error as usize,
            spoilt.len(),
            "{width:?}"
        );
        assert_eq!(
            outcome.lines.map(|line| line.bad as usize),
            [spoilt.len(), 0],
            "{width:?}"
        );
    }
}

#[test]
fn a_new_session_is_taken_up_whole() {
    for width in lines::WIDTHS {
        for source in [Source::HighReliability, Source::LowLatency] {
            let setup = Setup::example(Version::V50, &lines::symbols());
            let mut random = Random(1);
            let mut frames = lines::generated(&setup, &mut random, 300, 4);
            for frame in &mut frames {
                // The session before: other name, numbers 2^40 further on.
                frame[42..52].copy_from_slice(b"YESTERDAY1");
                frame[54] = 1;
                wire_again(&setup, frame);
            }
            frames.extend(lines::generated(&setup, &mut random, 300, 4));
            let packets = paced(
                width,
                &setup,
                frames,
                behind(width) * 3 / 7,
                2 * behind(width),
            );
            let (mut driver, begin) = core(
                width,
                &setup,
                &Arbitration {
                    source,
                    ..high_reliability(2 * behind(width))
                },
            );
            let mut frames = copies(&packets, 0, begin, 0, |_| false);
            frames.extend(copies(&packets, 1, begin, behind(width), |_| false));
            let outcome = play(&mut driver, &frames, 5 * behind(width));
            assert_eq!(
                (
                    outcome.both.session_reset,
                    outcome.counters.feed.mold_new_session
                ),
                (1, 2),
                "{width:?} {source:?}"
            );
            if source == Source::HighReliability {
                assert_eq!(outcome.numbers(), all(&packets), "{width:?}");
                assert_eq!(
                    outcome.counters.feed,
                    software(&setup, packets.iter()).1,
                    "{width:?}"
                );
            } else {
                // The two packets that show that it is new are lost there, except the part that line B brings before line A goes on.
                assert_eq!(outcome.numbers()[..300], all(&packets[..300]), "{width:?}");
                let lost = packets.len() - outcome.delivered.len();
                assert!((1..=2).contains(&lost), "{width:?}: {lost}");
                assert_eq!(
                    outcome.numbers()[302..],
                    all(&packets[302 + lost..]),
                    "{width:?}"
                );
            }
        }
    }
}

/// The frame with its checksums right again.
fn wire_again(setup: &Setup, frame: &mut Vec<u8>) {
    let payload = frame[42..frame.len() - formats::fcs::LENGTH].to_vec();
    frame.clear();
    setup.feed().emit(&payload, frame).expect("a packet fits");
}
