//! The AAPL hour through the core and its twin: every report equal byte for byte, every counter equal, one latency.

mod common;

use sim::{Frame, Lockstep, Setup, Width};
use wire::itch::Version;

/// Seconds of the hour in which messages came; both versions of the file begin the same ones.
fn run(width: Width, version: Version, per_packet: usize) {
    let Some(file) = common::aapl(version) else {
        return;
    };
    let setup = Setup::example(version, &common::symbols());
    let frames = common::frames(&file, &setup, per_packet);
    let mut lockstep = Lockstep::new(width, &setup).expect("the core takes the setup");
    let mut heartbeats = vec![];
    for frame in &frames {
        heartbeats.extend(
            lockstep
                .frame(Frame::new(frame))
                .unwrap_or_else(|e| panic!("{width:?} {version:?}: {e}")),
        );
    }
    let counters = lockstep
        .check()
        .unwrap_or_else(|e| panic!("{width:?} {version:?}: {e}"));

    // The data's README counts 44,336 add orders; nothing else is a hit or a miss.
    assert_eq!(
        (counters.feed.filter_hit, counters.feed.filter_miss),
        (44_336, 0)
    );
    assert_eq!(counters.net.accepted as usize, frames.len());
    assert_eq!(counters.feed.heartbeat as usize, heartbeats.len());
    assert!(
        heartbeats.len() > 3_000,
        "{} seconds of an hour",
        heartbeats.len()
    );
    let latencies: std::collections::BTreeSet<u64> =
        heartbeats.iter().map(sim::Heartbeat::last_first).collect();
    assert_eq!(
        latencies.len(),
        1,
        "one latency for every report: {latencies:?}"
    );
    println!(
        "{width:?} {version:?} {per_packet} a packet: {} reports, {latencies:?} cycles",
        heartbeats.len()
    );
}

#[test]
fn itch_50_on_gmii_one_message_a_packet() {
    run(Width::Gmii, Version::V50, 1);
}

#[test]
fn itch_50_on_gmii_ten_messages_a_packet() {
    run(Width::Gmii, Version::V50, 10);
}

#[test]
fn itch_50_on_xgmii_one_message_a_packet() {
    run(Width::Xgmii, Version::V50, 1);
}

#[test]
fn itch_50_on_xgmii_ten_messages_a_packet() {
    run(Width::Xgmii, Version::V50, 10);
}

#[test]
fn itch_41_on_gmii_one_message_a_packet() {
    run(Width::Gmii, Version::V41, 1);
}

#[test]
fn itch_41_on_gmii_ten_messages_a_packet() {
    run(Width::Gmii, Version::V41, 10);
}

#[test]
fn itch_41_on_xgmii_one_message_a_packet() {
    run(Width::Xgmii, Version::V41, 1);
}

#[test]
fn itch_41_on_xgmii_ten_messages_a_packet() {
    run(Width::Xgmii, Version::V41, 10);
}
