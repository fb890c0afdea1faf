//! The AAPL hour through the core and its twin: every report equal byte for byte, every counter equal, one latency.

use cosim::{Frame, Lockstep, Setup, Width};
use formats::binary_file;
use formats::itch::Version;

use super::common;
use crate::count::long;

/// With one message a packet, and byte by byte, only the beginning, except under `TICKWIRE_LONG`.
fn run(width: Width, version: Version, per_packet: usize) {
    let Some(file) = common::aapl(version) else {
        return;
    };
    let setup = Setup::example(version, &common::symbols());
    let mut frames = common::frames(&file, &setup, per_packet);
    // A beat of one byte takes four times as long to simulate as one of eight.
    let all = long() || (per_packet > 1 && width == Width::Xgmii);
    if !all {
        frames.truncate(8_000 / per_packet);
    }
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
    let orders = if all {
        44_336
    } else {
        // MoldUDP64's message count, after Ethernet, IPv4, UDP, session and sequence number.
        let count = |frame: &Vec<u8>| usize::from(u16::from_be_bytes([frame[60], frame[61]]));
        let sent = frames.iter().map(count).sum();
        let messages = binary_file::Messages::new(&file).take(sent);
        let kinds = messages.map(|message| message.expect("the file is whole")[0]);
        kinds.filter(|kind| b"AF".contains(kind)).count()
    };
    assert_eq!(
        (counters.feed.filter_hit as usize, counters.feed.filter_miss),
        (orders, 0)
    );
    assert_eq!(counters.net.accepted as usize, frames.len());
    assert_eq!(counters.feed.heartbeat as usize, heartbeats.len());
    assert!(
        heartbeats.len() > if all { 3_000 } else { 200 },
        "{} seconds",
        heartbeats.len()
    );
    let latencies: std::collections::BTreeSet<u64> = heartbeats
        .iter()
        .map(cosim::Heartbeat::last_first)
        .collect();
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
