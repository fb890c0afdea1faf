//! Last byte in to first byte out: one number of cycles a width, whatever the pace, the start lane, the frame and the ITCH.

use std::collections::BTreeSet;

use cosim::{Frame, Lockstep, Setup, StartLane, Width};
use formats::Symbol;
use formats::itch::Version;

use super::common;
use crate::count::count;

fn symbols() -> Vec<Symbol> {
    (0..16)
        .map(|i| format!("LAT{i}").parse().expect("a symbol"))
        .collect()
}

/// Frames of `seconds` seconds, 40 each, of 1 to 9 messages, so that last bytes fall on every lane.
fn frames(setup: &Setup, seconds: u32) -> Vec<Vec<u8>> {
    let version = setup.pipeline.version;
    let symbols = symbols();
    let (mut sequence, mut orders, mut frames) = (1, 0, vec![]);
    for second in 0..seconds {
        let second = 34_200 + second;
        for index in 0..40 {
            let mut messages = vec![];
            for _ in 0..1 + (index + second) % 9 {
                orders += 1;
                let time = u64::from(second) * 1_000_000_000 + u64::from(index) * 1_000;
                messages.push(common::add(
                    version,
                    time,
                    symbols[orders as usize * 5 % 16],
                    orders,
                ));
            }
            if index == 0 {
                // Not always the first message of its packet: what follows it must not change the latency.
                messages.truncate(3);
                messages.insert(0, common::begin(version, second, symbols[0]));
            }
            frames.push(common::frame(setup, &mut sequence, &messages));
        }
    }
    frames
}

/// A small separate generator, so that the gaps are the same each run.
fn next(state: &mut u32) -> u32 {
    *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    *state >> 8
}

fn idle_pacing(width: Width, version: Version, speed: u32, latencies: &mut BTreeSet<u64>) {
    let setup = Setup::example(version, &symbols());
    let mut lockstep = Lockstep::new(width, &setup).expect("the core takes the setup");
    let mut random = speed;
    for (index, frame) in frames(&setup, count(8, 30)).iter().enumerate() {
        lockstep.core().set_time(index as u64 * 25_000_000);
        let gap = 12 + next(&mut random) % (4_000 / speed);
        let lane = [StartLane::Deficit, StartLane::Zero, StartLane::Four][index % 3];
        let frame = Frame {
            gap,
            lane,
            ..Frame::new(frame)
        };
        let heartbeat = lockstep
            .frame(frame)
            .unwrap_or_else(|e| panic!("{width:?} {version:?} {speed}x: {e}"));
        latencies.extend(heartbeat.map(|heartbeat| heartbeat.last_first()));
    }
    lockstep
        .check()
        .unwrap_or_else(|e| panic!("{width:?} {version:?} {speed}x: {e}"));
}

fn line_rate(width: Width, version: Version, lane: StartLane, latencies: &mut BTreeSet<u64>) {
    let setup = Setup::example(version, &symbols());
    let mut lockstep = Lockstep::new(width, &setup).expect("the core takes the setup");
    let seconds = count(15, 60);
    let bytes = frames(&setup, seconds);
    let frames: Vec<Frame> = bytes
        .iter()
        .map(|bytes| Frame {
            lane,
            ..Frame::new(bytes)
        })
        .collect();
    let heartbeats = lockstep
        .frames(&frames)
        .unwrap_or_else(|e| panic!("{width:?} {version:?} line rate: {e}"));
    assert_eq!(heartbeats.len(), seconds as usize);
    latencies.extend(heartbeats.iter().map(cosim::Heartbeat::last_first));
    lockstep
        .check()
        .unwrap_or_else(|e| panic!("{width:?} {version:?} line rate: {e}"));
    // What the core measured itself.
    let own = lockstep.driver().latency().expect("registers can be read");
    let first = heartbeats.last().map_or(0, cosim::Heartbeat::last_first);
    assert_eq!(
        [own.last, own.minimum, own.maximum].map(u64::from),
        [first; 3],
        "the core's own meter"
    );
}

fn one_latency(width: Width, limit: u64) {
    let mut latencies = BTreeSet::new();
    for version in [Version::V41, Version::V50] {
        for speed in [1, 8] {
            idle_pacing(width, version, speed, &mut latencies);
        }
        for lane in [StartLane::Deficit, StartLane::Zero, StartLane::Four] {
            line_rate(width, version, lane, &mut latencies);
        }
    }
    println!("{width:?}: {latencies:?} cycles");
    assert_eq!(
        latencies.len(),
        1,
        "cycles from last byte in to first byte out: {latencies:?}"
    );
    assert!(
        latencies.iter().all(|cycles| *cycles <= limit),
        "{latencies:?} cycles, {limit} allowed"
    );
}

#[test]
fn gmii_answers_every_heartbeat_after_the_same_number_of_cycles_at_most_26() {
    one_latency(Width::Gmii, 26);
}

#[test]
fn xgmii_answers_every_heartbeat_after_the_same_number_of_cycles_at_most_14() {
    one_latency(Width::Xgmii, 14);
}
