//! Two lines as full as they get: both at line rate, with frames that no module takes between those of the market, with every fault there is.

use cosim::{Frame, Setup, Width};
use device::registers as map;
use device::{Arbitration, Source};
use formats::ethernet::MacAddress;
use formats::frame::UdpFrame;
use formats::itch::Version;
use lockstep::fuzz::Fuzzer;

use super::common;
use super::lines::{
    self, Outcome, Packet, Random, copies, core, high_reliability, low_latency, paced, play,
    software,
};
use crate::count::count;

/// Good frames that no module takes, one kind after another: ARP, IPv6, and UDP to another port.
fn nobodys(setup: &Setup, random: &mut Random, index: u64) -> Vec<u8> {
    let length = 46 + random.below(60) as usize;
    let plain = |destination: MacAddress, ethertype: [u8; 2]| {
        let mut frame = destination.0.to_vec();
        frame.extend(setup.report.destination_mac.0);
        frame.extend(ethertype);
        frame.extend((0..length).map(|byte| byte as u8 ^ index as u8));
        formats::fcs::append(&mut frame, 0);
        frame
    };
    match index % 3 {
        0 => plain(MacAddress([0xff; 6]), [0x08, 0x06]),
        1 => plain(setup.net.local_mac, [0x86, 0xdd]),
        _ => {
            let mut headers: UdpFrame = setup.feed();
            headers.destination_port = 9_999;
            let mut frame = vec![];
            headers
                .emit(&vec![index as u8; length - 28], &mut frame)
                .expect("a packet fits");
            frame
        }
    }
}

/// Frames of each line that no module takes, one in each silence between copies; they end early enough.
fn between(
    width: Width,
    setup: &Setup,
    market: &[Frame],
    random: &mut Random,
) -> Vec<(usize, Vec<u8>)> {
    let lanes = u64::from(width.bits() / 8);
    let mut fillers = vec![];
    for pair in market.windows(2) {
        let end = pair[0].at * lanes + 8 + pair[0].bytes.len() as u64;
        let frame = nobodys(setup, random, fillers.len() as u64);
        // Gap, alignment, preamble, frame, gap.
        assert!(end + 12 + 16 + 8 + frame.len() as u64 + 12 < pair[1].at * lanes);
        fillers.push((pair[0].line, frame));
    }
    fillers
}

#[test]
fn frames_that_are_nobodys_delay_no_market_frame_and_reach_the_host_whole() {
    for width in lines::WIDTHS {
        for arbitration in [
            high_reliability(2_000),
            low_latency(),
            Arbitration {
                source: Source::LineB,
                ..low_latency()
            },
        ] {
            let setup = Setup::example(Version::V50, &lines::symbols());
            let mut random = Random(21);
            let frames = lines::generated(&setup, &mut random, count(300, 1_000), 3);
            let lanes = u64::from(width.bits() / 8);
            let packets = paced(width, &setup, frames, 200 / lanes, 600 / lanes);
            let lost: Vec<u64> = packets.iter().map(|_| random.below(20)).collect();
            let behind = 400 / lanes;
            let run = |random: Option<&mut Random>| {
                let (mut driver, begin) = core(width, &setup, &arbitration);
                let market = [
                    copies(&packets, 0, begin, 0, |index| lost[index] == 0),
                    copies(&packets, 1, begin, behind, |index| lost[index] == 1),
                ];
                let fillers = random.map_or_else(Vec::new, |random| {
                    market
                        .iter()
                        .map(|market| between(width, &setup, market, random))
                        .collect()
                });
                let mut frames = vec![];
                for (line, market) in market.iter().enumerate() {
                    for (index, frame) in market.iter().enumerate() {
                        frames.push(*frame);
                        if let Some((_, bytes)) =
                            fillers.get(line).and_then(|fillers| fillers.get(index))
                        {
                            frames.push(Frame {
                                line,
                                ..Frame::new(bytes)
                            });
                        }
                    }
                }
                (play(&mut driver, &frames, 2_000), fillers)
            };
            let (alone, _) = run(None);
            let (mixed, fillers) = run(Some(&mut random));
            assert!(alone.delivered.len() > count(270, 900));
            // What is delivered, to the cycle.
            assert_eq!(
                mixed.delivered, alone.delivered,
                "{width:?} {arbitration:?}"
            );
            assert_eq!(mixed.reports, alone.reports, "{width:?}");
            assert_eq!(
                (mixed.counters.feed, mixed.both),
                (alone.counters.feed, alone.both),
                "{width:?}"
            );
            for (line, fillers) in fillers.iter().enumerate() {
                let host: Vec<&Vec<u8>> = mixed
                    .host
                    .iter()
                    .filter(|frame| frame.line == line)
                    .map(|frame| &frame.bytes)
                    .collect();
                assert_eq!(
                    host,
                    fillers.iter().map(|(_, bytes)| bytes).collect::<Vec<_>>(),
                    "{width:?}: line {line}"
                );
                let counted = mixed.lines[line];
                assert_eq!(
                    (counted.host_frame as usize, counted.host_overflow),
                    (fillers.len(), 0),
                    "{width:?}: line {line}"
                );
            }
        }
    }
}

#[test]
fn frames_for_the_host_that_find_no_room_are_counted_and_the_others_are_whole() {
    for width in lines::WIDTHS {
        let setup = Setup::example(Version::V50, &lines::symbols());
        let mut random = Random(4);
        let fillers: Vec<Vec<u8>> = (0..2_000)
            .map(|index| nobodys(&setup, &mut random, index))
            .collect();
        let (mut driver, _) = core(width, &setup, &low_latency());
        // Both lines at line rate are twice what the host takes.
        let frames: Vec<Frame> = (0..2)
            .flat_map(|line| {
                fillers.iter().map(move |bytes| Frame {
                    line,
                    ..Frame::new(bytes)
                })
            })
            .collect();
        let outcome = play(&mut driver, &frames, 10_000);
        let lines = outcome.lines;
        assert!(
            lines[0].host_overflow + lines[1].host_overflow > 0,
            "{width:?}: {lines:?}"
        );
        for (line, counted) in lines.iter().enumerate() {
            let host: Vec<&Vec<u8>> = outcome
                .host
                .iter()
                .filter(|frame| frame.line == line)
                .map(|frame| &frame.bytes)
                .collect();
            assert_eq!(
                counted.host_frame as usize,
                host.len(),
                "{width:?}: line {line}"
            );
            assert_eq!(
                counted.host_frame + counted.host_overflow,
                2_000,
                "{width:?}: line {line}"
            );
            // In order, some left out.
            let mut sent = fillers.iter();
            assert!(
                host.iter().all(|frame| sent.any(|sent| sent == *frame)),
                "{width:?}: line {line}"
            );
        }
    }
}

/// The smallest packets: a `T` each, and a heartbeat after every seventh.
fn smallest(setup: &Setup, packets: u64) -> Vec<Vec<u8>> {
    let mut frames = vec![];
    let mut sequence = 1;
    for index in 0..packets {
        let message = common::begin(Version::V41, 34_200, lines::symbols()[0]);
        frames.push(common::frame(setup, &mut sequence, &[message]));
        if index % 7 == 6 {
            frames.push(common::frame(setup, &mut sequence, &[]));
        }
    }
    frames
}

/// Both lines at line rate, B so many cycles behind.
fn line_rate(
    width: Width,
    setup: &Setup,
    frames: Vec<Vec<u8>>,
    behind: u64,
    lost: u64,
) -> (Outcome, Vec<Packet>) {
    let packets = paced(width, setup, frames, 0, 0);
    let (mut driver, begin) = core(width, setup, &high_reliability(2_000));
    let mut random = Random(behind);
    let lost: Vec<u64> = packets
        .iter()
        .map(|packet| {
            // The first ones come, as their loss would not be noticed.
            if lost == 0 || packet.messages == 0 || packet.sequence < 4 {
                9_999
            } else {
                random.below(1_000) / lost
            }
        })
        .collect();
    let mut sent = vec![];
    for line in 0..2 {
        let copies = copies(&packets, line, begin, behind * line as u64, |index| {
            lost[index] == line as u64
        });
        // As fast as the line goes, except for what is lost.
        sent.extend(copies.into_iter().enumerate().map(|(index, frame)| Frame {
            at: if index == 0 { frame.at } else { 0 },
            ..frame
        }));
    }
    (play(&mut driver, &sent, 10_000), packets)
}

fn with_messages(packets: &[Packet]) -> Vec<(u64, u64)> {
    packets
        .iter()
        .map(|packet| (packet.sequence, packet.messages))
        .filter(|(_, messages)| *messages > 0)
        .collect()
}

#[test]
fn both_lines_at_line_rate_give_every_packet_once_however_they_fall() {
    for width in lines::WIDTHS {
        let small = Setup::example(Version::V41, &lines::symbols());
        let large = Setup::example(Version::V50, &lines::symbols());
        for behind in (0..40).chain([93, 200, 500]) {
            for (setup, frames) in [
                (&small, smallest(&small, count(40, 300))),
                (
                    &large,
                    lines::generated(&large, &mut Random(behind), count(20, 150), 30),
                ),
            ] {
                let (outcome, packets) = line_rate(width, setup, frames, behind, 0);
                assert!(
                    outcome.numbers() == with_messages(&packets),
                    "{width:?}: {behind} cycles behind: {:?} {:?} {:?} {:?}",
                    outcome.lines,
                    outcome.both,
                    outcome.gap,
                    outcome.counters
                );
                let (_, counters) = software(setup, packets.iter());
                assert_eq!(
                    outcome.counters.feed.itch_messages, counters.itch_messages,
                    "{width:?}"
                );
            }
        }
    }
}

#[test]
fn at_line_rate_with_loss_what_is_delivered_and_what_is_lost_is_all_of_it() {
    for width in lines::WIDTHS {
        let setup = Setup::example(Version::V41, &lines::symbols());
        for behind in (0..100).step_by(7).chain([150, 300]) {
            // One line or the other loses one in ten.
            let (outcome, packets) =
                line_rate(width, &setup, smallest(&setup, count(200, 400)), behind, 50);
            let feed = outcome.counters.feed;
            let numbers = outcome.numbers();
            assert!(
                numbers
                    .windows(2)
                    .all(|pair| pair[0].0 + pair[0].1 <= pair[1].0),
                "{width:?}: {behind}: in order, none twice"
            );
            let last = packets
                .iter()
                .map(|packet| packet.sequence + packet.messages)
                .max();
            let arrived = numbers
                .last()
                .map(|(sequence, messages)| sequence + messages);
            let delivered: u64 = numbers.iter().map(|(_, messages)| messages).sum();
            assert_eq!(arrived, last, "{width:?}: {behind}");
            assert_eq!(
                delivered + feed.mold_lost,
                last.unwrap_or(0) - 1,
                "{width:?}: {behind}"
            );
            assert_eq!(
                u64::from(outcome.both.high_lost),
                feed.mold_lost,
                "{width:?}: {behind}"
            );
            assert_eq!(
                (feed.mold_old, feed.mold_malformed),
                (0, 0),
                "{width:?}: {behind}"
            );
        }
    }
}

/// Every frame has one cause, except on XGMII those whose first byte is an error: they are no frames.
fn causes(counters: &formats::counters::NetCounters) -> u64 {
    counters.iter().map(|(_, value)| value).sum()
}

#[test]
fn every_fault_on_both_lines_under_changing_windows_adds_up() {
    let chunks = count(3, 12);
    for width in lines::WIDTHS {
        for version in [Version::V41, Version::V50] {
            let mut setup = Setup::example(version, &lines::symbols());
            setup.pipeline.symbols.push(None);
            let mut fuzzer = Fuzzer::new(77, &setup);
            let mut random = Random(13);
            let (mut driver, _) = core(
                width,
                &setup,
                &Arbitration {
                    idle_limit: 3_000,
                    ..high_reliability(2_000)
                },
            );
            let mut sent = [0, 0];
            let (mut reports, mut delivered) = (0, 0);
            for chunk in 0..chunks {
                // B brings what A brings, or, now and then, frames of its own; each loses some.
                let made: Vec<_> = (0..1_000).map(|_| fuzzer.next_frame()).collect();
                let mut frames = vec![];
                for spoilt in &made {
                    let chance = random.below(20);
                    for line in [0, 1] {
                        if chance != line as u64 {
                            frames.push(Frame {
                                line,
                                ..spoilt.frame()
                            });
                            sent[line] += 1;
                        }
                    }
                }
                let now = driver.registers().cycle();
                for _ in 0..50 {
                    let cycle = now + random.below(10_000);
                    let (address, value) = match random.below(3) {
                        0 => (map::time_window::ADDRESS, random.below(3_000) as u32),
                        1 => (map::count_window::ADDRESS, random.below(30) as u32),
                        _ => {
                            let window = map::arbitration::WINDOW.set(0, random.below(3) as u32);
                            (
                                map::arbitration::ADDRESS,
                                map::arbitration::SOURCE
                                    .set(window, Source::HighReliability as u32),
                            )
                        }
                    };
                    driver.registers().write_at(cycle, address, value);
                }
                let outcome = play(&mut driver, &frames, 10_000);
                reports += outcome.reports.len();
                delivered += outcome
                    .delivered
                    .iter()
                    .map(|packet| packet.messages)
                    .sum::<u64>();
                if chunk + 1 < chunks {
                    continue;
                }
                let feed = outcome.counters.feed;
                let flagged = |line: usize| {
                    sent[line]
                        - causes(if line == 0 {
                            &outcome.counters.net
                        } else {
                            &outcome.line_b
                        })
                };
                match width {
                    Width::Gmii => assert_eq!([flagged(0), flagged(1)], [0, 0], "{version:?}"),
                    Width::Xgmii => assert!(flagged(0) < 20 && flagged(1) < 20, "{version:?}"),
                }
                for (line, accepted) in outcome
                    .lines
                    .iter()
                    .zip([outcome.counters.net.accepted, outcome.line_b.accepted])
                {
                    let fates = line.passed + line.refused + line.missed + line.bad;
                    assert!(
                        fates >= accepted && line.passed < accepted,
                        "{width:?} {version:?}: {line:?}, {accepted} accepted"
                    );
                    assert!(
                        line.far > 0 && line.malformed > 0 && line.kept > 0,
                        "{width:?} {version:?}: {line:?}"
                    );
                }
                // Each good packet that left has one cause in the decoder.
                let taken = [
                    feed.mold_malformed,
                    feed.mold_old,
                    feed.mold_heartbeat,
                    feed.mold_end_of_session,
                    feed.mold_packet,
                ];
                assert_eq!(
                    taken.map(u64::from).iter().sum::<u64>(),
                    outcome.left(),
                    "{width:?} {version:?}: {feed:?} {:?} {:?}",
                    outcome.lines,
                    outcome.both
                );
                assert_eq!(
                    u64::from(feed.itch_messages),
                    delivered,
                    "{width:?} {version:?}"
                );
                assert_eq!(
                    feed.heartbeat,
                    feed.report_sent + feed.report_missed,
                    "{width:?} {version:?}"
                );
                assert_eq!(feed.report_sent as usize, reports, "{width:?} {version:?}");
                assert!(
                    outcome.both.session_reset > count(2, 10) && reports > count(2, 10),
                    "{width:?} {version:?}: {:?}",
                    outcome.both
                );
            }
        }
    }
}
