//! The receive side never waits: at the minimum gap, whatever the length of frames and messages, every one is counted.

use cosim::{Frame, Lockstep, Setup, Width};
use formats::itch::Version;

use super::common;
use crate::count::count;

const SECOND: u32 = 40_000;

/// Sends `count` frames of `messages` each at the minimum gap; then a second begins, whose report shows the statistics.
fn flood(width: Width, version: Version, messages: &[Vec<u8>], frames: usize) {
    let symbols = common::symbols();
    let setup = Setup::example(version, &symbols);
    let mut lockstep = Lockstep::new(width, &setup).expect("the core takes the setup");
    let mut sequence = 1;
    let begin = common::frame(
        &setup,
        &mut sequence,
        &[common::begin(version, SECOND, symbols[0])],
    );
    let flood: Vec<Vec<u8>> = (0..frames)
        .map(|_| common::frame(&setup, &mut sequence, messages))
        .collect();
    let end = common::frame(
        &setup,
        &mut sequence,
        &[common::begin(version, SECOND + 1, symbols[0])],
    );
    let case = format!(
        "{width:?} {version:?}, {frames} frames of {} bytes",
        flood[0].len()
    );
    let run = |lockstep: &mut Lockstep, frames: &[Vec<u8>]| {
        let frames: Vec<Frame> = frames.iter().map(|frame| Frame::new(frame)).collect();
        lockstep
            .frames(&frames)
            .unwrap_or_else(|e| panic!("{case}: {e}"))
            .len()
    };
    assert_eq!(run(&mut lockstep, &[begin]), 1);
    assert_eq!(run(&mut lockstep, &flood), 0);
    assert_eq!(run(&mut lockstep, &[end]), 1);
    let counters = lockstep.check().unwrap_or_else(|e| panic!("{case}: {e}"));
    assert_eq!(counters.net.accepted as usize, frames + 2, "{case}");
    assert_eq!(
        counters.feed.itch_messages as usize,
        frames * messages.len() + 2,
        "{case}"
    );
    assert_eq!(
        (counters.feed.mold_gap, counters.feed.mold_malformed),
        (0, 0),
        "{case}"
    );
}

/// `message` as often as it goes into a frame of 9,000 bytes.
fn jumbo(message: &[u8]) -> Vec<Vec<u8>> {
    vec![message.to_vec(); (9_000 - 14 - 28 - 20 - 4) / (message.len() + 2)]
}

fn every_width(run: impl Fn(Width, Version)) {
    for width in Width::ALL {
        for version in [Version::V41, Version::V50] {
            run(width, version);
        }
    }
}

#[test]
fn frames_of_one_short_message_are_all_counted() {
    every_width(|width, version| {
        let shortest = match version {
            Version::V41 => common::begin(version, SECOND, common::symbols()[0]),
            Version::V50 => [
                b"S\0\0\0\0".as_slice(),
                &(u64::from(SECOND) * 1_000_000_000).to_be_bytes()[2..],
                b"O",
            ]
            .concat(),
        };
        flood(width, version, &[shortest], count(1_000, 5_000));
    });
}

#[test]
fn frames_of_one_add_order_are_all_counted() {
    every_width(|width, version| {
        let order = common::add(
            version,
            u64::from(SECOND) * 1_000_000_000,
            common::symbols()[1],
            7,
        );
        flood(width, version, &[order], count(1_000, 5_000));
    });
}

#[test]
fn frames_of_9000_bytes_of_add_orders_are_all_counted() {
    every_width(|width, version| {
        let order = common::add(
            version,
            u64::from(SECOND) * 1_000_000_000,
            common::symbols()[1],
            8,
        );
        flood(width, version, &jumbo(&order), count(15, 60));
    });
}

#[test]
fn frames_of_9000_bytes_of_the_shortest_messages_are_all_counted() {
    every_width(|width, version| {
        let shortest = match version {
            Version::V41 => common::begin(version, SECOND, common::symbols()[0]),
            Version::V50 => [
                b"S\0\0\0\0".as_slice(),
                &(u64::from(SECOND) * 1_000_000_000).to_be_bytes()[2..],
                b"O",
            ]
            .concat(),
        };
        flood(width, version, &jumbo(&shortest), count(15, 60));
    });
}

#[test]
fn the_smallest_frames_of_ethernet_are_all_counted() {
    for width in Width::ALL {
        let setup = Setup::example(Version::V50, &common::symbols());
        let mut lockstep = Lockstep::new(width, &setup).expect("the core takes the setup");
        let sent = count(4_000, 20_000);
        // 64 bytes: too few for MoldUDP64, so each counts as malformed.
        let mut bytes = vec![];
        setup
            .feed()
            .emit(&[], &mut bytes)
            .expect("an empty payload fits");
        assert_eq!(bytes.len(), 64);
        lockstep
            .frames(&vec![Frame::new(&bytes); sent as usize])
            .expect("no report");
        let counters = lockstep
            .check()
            .unwrap_or_else(|e| panic!("{width:?}: {e}"));
        assert_eq!(
            (counters.net.accepted, counters.feed.mold_malformed),
            (sent, sent),
            "{width:?}"
        );
    }
}

#[test]
fn a_heartbeat_during_a_report_is_counted_as_missed_and_the_interval_goes_on() {
    every_width(|width, version| {
        let symbols = common::symbols();
        let setup = Setup::example(version, &symbols);
        let mut lockstep = Lockstep::new(width, &setup).expect("the core takes the setup");
        let mut sequence = 1;
        let frames: Vec<Vec<u8>> = (0..2)
            .map(|i| {
                common::frame(
                    &setup,
                    &mut sequence,
                    &[common::begin(version, SECOND + i, symbols[0])],
                )
            })
            .collect();
        let expected = lockstep.twin().frame(&frames[0]);
        lockstep.twin().pipeline.set_report_busy(true);
        assert!(lockstep.twin().frame(&frames[1]).is_empty());
        lockstep.twin().pipeline.set_report_busy(false);
        lockstep
            .core()
            .send_all(&[Frame::new(&frames[0]), Frame::new(&frames[1])]);
        assert!(lockstep.core().run_until_idle());
        let sent: Vec<Vec<u8>> = lockstep
            .core()
            .take()
            .into_iter()
            .map(|frame| frame.bytes)
            .collect();
        assert_eq!(sent, expected, "{width:?} {version:?}");
        assert_eq!(
            lockstep
                .check()
                .unwrap_or_else(|e| panic!("{width:?} {version:?}: {e}"))
                .feed
                .report_missed,
            1
        );
        // The next second's report covers both intervals.
        let next = common::frame(
            &setup,
            &mut sequence,
            &[common::begin(version, SECOND + 2, symbols[0])],
        );
        assert!(
            lockstep
                .frame(Frame::new(&next))
                .unwrap_or_else(|e| panic!("{width:?} {version:?}: {e}"))
                .is_some()
        );
    });
}
