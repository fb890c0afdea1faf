//! Two lines through the complete core: the decoder gets what one line without loss would have brought, or what the rules of
//! `docs/reference/arbitration.md` leave of it; every report and counter after it equals the software's.

use arbiter::{Arbiter, Delivery, Event, Output, Protocol, Sink};
use cosim::{Frame, Setup, Width};
use device::{Arbitration, Source, Window};
use formats::itch::Version;

use super::common;
use super::lines::{
    self, Outcome, Packet, Random, copies, core, cycles, high_reliability, paced, play, software,
};
use crate::count::count;

/// Gap between packets, how far line B is behind, and pause before a second that begins, in cycles. Fewer than three packets come in the time
/// that B is behind: so many may be kept of a line. The pause is longer than the window and a report together.
fn pace(width: Width) -> (u64, u64, u64) {
    match width {
        Width::Gmii => (300, 700, 2_400),
        Width::Xgmii => (60, 130, 450),
    }
}

/// Feeds to try: of the AAPL hour ten messages a packet, and a made-up one; each paced for the width.
fn feeds(width: Width) -> Vec<(Setup, Vec<Packet>)> {
    let (gap, _, pause) = pace(width);
    let made = Setup::example(Version::V41, &lines::symbols());
    let frames = lines::generated(&made, &mut Random(7), count(300, 2_000), 12);
    let mut feeds = vec![(made.clone(), paced(width, &made, frames, gap, pause))];
    if let Some(file) = common::aapl(Version::V50) {
        let setup = Setup::example(Version::V50, &common::symbols());
        let mut frames = common::frames(&file, &setup, 10);
        frames.truncate(count(300, 2_500));
        feeds.push((setup.clone(), paced(width, &setup, frames, gap, pause)));
    }
    feeds
}

fn expected<'a>(packets: impl Iterator<Item = &'a Packet>) -> Vec<(u64, u64)> {
    packets
        .map(|packet| (packet.sequence, packet.messages))
        .collect()
}

/// What becomes of each packet: 5 % are lost on A, as many others on B, and `both` of a thousand on both.
fn losses(packets: usize, both: u64) -> Vec<[bool; 2]> {
    let mut random = Random(11);
    let lost = |index: usize| match random.below(1_000) {
        0..50 => [true, false],
        50..100 => [false, true],
        // The last ones come, so that every gap is seen.
        chance if chance < 100 + both && index + 5 < packets => [true, true],
        _ => [false, false],
    };
    (0..packets).map(lost).collect()
}

fn arbitrated(
    width: Width,
    setup: &Setup,
    packets: &[Packet],
    lost: &[[bool; 2]],
    arbitration: &Arbitration,
) -> Outcome {
    let (_, behind, _) = pace(width);
    let (mut driver, begin) = core(width, setup, arbitration);
    let mut frames = copies(packets, 0, begin, 0, |index| lost[index][0]);
    frames.extend(copies(packets, 1, begin, behind, |index| lost[index][1]));
    let outcome = play(&mut driver, &frames, 4 * behind);
    let arrived = |line: usize| lost.iter().filter(|lost| !lost[line]).count();
    assert_eq!(
        outcome.counters.net.accepted as usize,
        arrived(0),
        "{width:?}: line A"
    );
    assert_eq!(
        outcome.line_b.accepted as usize,
        arrived(1),
        "{width:?}: line B"
    );
    outcome
}

#[test]
fn two_lines_that_lose_different_packets_are_one_line_that_loses_none() {
    for width in lines::WIDTHS {
        for (setup, packets) in feeds(width) {
            let lost = losses(packets.len(), 0);
            let outcome = arbitrated(
                width,
                &setup,
                &packets,
                &lost,
                &high_reliability(2 * pace(width).1),
            );
            assert_eq!(outcome.numbers(), expected(packets.iter()), "{width:?}");
            let (reports, counters) = software(&setup, packets.iter());
            assert!(reports.len() > count(25, 100));
            assert_eq!(outcome.reports, reports, "{width:?}");
            assert_eq!(outcome.counters.feed, counters, "{width:?}");
            assert_eq!(
                (outcome.both.high_gap, outcome.both.high_lost, outcome.gap),
                (0, 0, None),
                "{width:?}"
            );
            assert_eq!(outcome.left(), packets.len() as u64, "{width:?}");
            // A packet or two wait for each that A lost.
            assert!(
                outcome.both.released as usize > packets.len() / 40,
                "{width:?}: {} released",
                outcome.both.released
            );
        }
    }
}

#[test]
fn what_both_lines_lost_is_counted_lost_and_nothing_else() {
    for width in lines::WIDTHS {
        for (setup, packets) in feeds(width) {
            let lost = losses(packets.len(), 20);
            let outcome = arbitrated(
                width,
                &setup,
                &packets,
                &lost,
                &high_reliability(2 * pace(width).1),
            );
            let came = || {
                packets
                    .iter()
                    .zip(&lost)
                    .filter(|(_, lost)| !lost.iter().all(|lost| *lost))
                    .map(|(packet, _)| packet)
            };
            assert_eq!(outcome.numbers(), expected(came()), "{width:?}");
            let (reports, counters) = software(&setup, came());
            assert_eq!(outcome.reports, reports, "{width:?}");
            assert_eq!(outcome.counters.feed, counters, "{width:?}");
            assert!(counters.mold_lost > count(12, 50));
            let both = outcome.both;
            assert_eq!(
                (u64::from(both.high_lost), both.high_gap),
                (counters.mold_lost, counters.mold_gap),
                "{width:?}"
            );
            // The last gap: between the last two packets delivered that do not follow each other.
            let numbers = outcome.numbers();
            let last = numbers
                .windows(2)
                .rev()
                .map(|pair| (pair[0].0 + pair[0].1, pair[1].0))
                .find(|(from, to)| from != to);
            assert_eq!(outcome.gap.map(|gap| (gap.from, gap.to)), last, "{width:?}");
        }
    }
}

/// What left on one output of the twin.
struct Left {
    output: Output,
    packets: Vec<(u64, u64)>,
}

impl Sink for Left {
    fn packet(&mut self, delivery: Delivery<'_>) {
        if delivery.output == self.output {
            self.packets
                .push((delivery.sequence, delivery.count.into()));
        }
    }

    fn event(&mut self, _: Event) {}
}

#[test]
fn packets_one_after_another_leave_as_from_the_software_arbiter() {
    for width in lines::WIDTHS {
        for (output, source) in [
            (Output::LowLatency, Source::LowLatency),
            (Output::HighReliability, Source::HighReliability),
        ] {
            let setup = Setup::example(Version::V50, &lines::symbols());
            let mut random = Random(3);
            let packets = lines::generated(&setup, &mut random, count(375, 1_500), 4);
            let window = arbiter::Window {
                mode: arbiter::Mode::Count,
                time: 0,
                count: 8,
            };
            let mut config = arbiter::Config::new(Protocol::MOLD_UDP64);
            // The core's eight, half of them a line's, the one being received among them.
            (config.slots_per_line, config.window, config.idle_limit) = (3, window, 0);
            let mut twin = Arbiter::new(config).expect("an arbiter");
            let mut left = Left {
                output,
                packets: vec![],
            };
            // Each line goes through the packets separately, leaving some out, sending some twice, some bad; the lines stay close to each other.
            let (mut next, mut sent) = ([0_usize; 2], vec![]);
            while next.iter().all(|next| *next < packets.len()) {
                let line = match next[0].abs_diff(next[1]) {
                    0..3 => random.below(2) as usize,
                    _ => usize::from(next[0] > next[1]),
                };
                let chance = random.below(100);
                let mut frame = packets[next[line]].clone();
                if chance < 5 {
                    *frame.last_mut().expect("an FCS") ^= 0x40;
                }
                if chance >= 10 {
                    let good = chance >= 5;
                    let end = frame.len() - formats::fcs::LENGTH;
                    twin.push(line, sent.len() as u64, &frame[42..end], good, &mut left);
                    sent.push((line, frame));
                }
                next[line] += usize::from(!(20..23).contains(&chance));
            }
            let arbitration = Arbitration {
                source,
                window: Window::Count,
                count: 8,
                ..high_reliability(0)
            };
            let (mut driver, begin) = core(width, &setup, &arbitration);
            // Everything that a packet causes is done before the next.
            let apart = 8 * cycles(width, &packets[0]) + 300;
            let frames: Vec<Frame> = (0..)
                .zip(&sent)
                .map(|(index, (line, frame))| Frame {
                    line: *line,
                    at: begin + index * apart,
                    ..Frame::new(frame)
                })
                .collect();
            let outcome = play(&mut driver, &frames, 0);
            assert!(left.packets.len() > count(250, 1_000) && left.packets.len() < packets.len());
            assert_eq!(outcome.numbers(), left.packets, "{width:?} {output:?}");
            let (counted, both) = (twin.counters(), outcome.both);
            for (gap, lost, counted) in [
                (both.low_gap, both.low_lost, &counted.low_latency),
                (both.high_gap, both.high_lost, &counted.high_reliability),
            ] {
                assert_eq!(
                    (gap, u64::from(lost)),
                    (counted.gap, counted.lost),
                    "{width:?} {output:?}"
                );
            }
            for (line, counted) in outcome.lines.iter().zip(&counted.low_latency.lines) {
                assert_eq!(
                    (line.passed, line.refused, line.bad),
                    (counted.passed, counted.refused, counted.bad),
                    "{width:?} {output:?}"
                );
            }
        }
    }
}
