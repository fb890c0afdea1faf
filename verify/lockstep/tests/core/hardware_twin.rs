//! The core without orders as software: which frames it takes, and the frames of its reports.

use std::net::Ipv4Addr;

use cosim::HardwareTwin;
use formats::Symbol;
use formats::ethernet::MacAddress;
use formats::frame::{Cause, NetConfig, UdpFrame};
use formats::itch::{Head, Message, OrderDelete, Version};
use formats::mold::Builder;
use formats::report::{Part, ReportConfig};
use pipeline::{Config, Pipeline};
use proptest::prelude::*;

const SECOND: u64 = 1_000_000_000;
const SESSION: [u8; 10] = *b"SESSION  1";

fn pipeline(version: Version) -> Pipeline {
    Pipeline::new(Config {
        version,
        accumulate: false,
        symbols: vec![Some(Symbol(*b"AAPL    ")), None],
    })
    .unwrap()
}

fn bytes(version: Version, message: impl Into<Message>) -> Vec<u8> {
    let mut out = vec![];
    message.into().emit(version, &mut out).unwrap();
    out
}

fn head(nanoseconds: u64) -> Head {
    Head {
        nanoseconds,
        ..Head::default()
    }
}

fn delete(nanoseconds: u64) -> OrderDelete {
    OrderDelete {
        head: head(nanoseconds),
        order_reference: 1,
    }
}

fn packet_of(session: [u8; 10], sequence: u64, messages: &[Vec<u8>]) -> Vec<u8> {
    let mut builder = Builder::new(session, sequence);
    messages
        .iter()
        .for_each(|message| builder.push(message).unwrap());
    builder.bytes().to_vec()
}

fn packet(sequence: u64, messages: &[Vec<u8>]) -> Vec<u8> {
    packet_of(SESSION, sequence, messages)
}

const NET: NetConfig = NetConfig {
    local_mac: MacAddress([0x02, 0, 0, 0, 0, 0x01]),
    local_ip: Ipv4Addr::new(10, 0, 0, 2),
    groups: [
        Ipv4Addr::new(233, 54, 12, 111),
        Ipv4Addr::UNSPECIFIED,
        Ipv4Addr::UNSPECIFIED,
        Ipv4Addr::UNSPECIFIED,
    ],
    ports: [26_477, 0, 0, 0],
};
const REPORT: ReportConfig = ReportConfig {
    destination_mac: MacAddress([0x02, 0, 0, 0, 0, 0x05]),
    destination_ip: Ipv4Addr::new(10, 0, 0, 5),
    source_port: 7_000,
    destination_port: 7_001,
};

fn frame(payload: &[u8]) -> Vec<u8> {
    let group = NET.groups[0];
    let source = (
        MacAddress([2, 0, 0, 0, 0, 9]),
        Ipv4Addr::new(10, 0, 0, 9),
        1,
    );
    let mut out = vec![];
    UdpFrame::new(source, (MacAddress::of_group(group), group, 26_477))
        .emit(payload, &mut out)
        .unwrap();
    out
}

#[test]
fn the_twin_answers_a_heartbeat_with_the_frame_the_rules_describe() {
    let mut twin = HardwareTwin::new(NET, REPORT, pipeline(Version::V50));
    let payload = packet(1, &[bytes(Version::V50, delete(SECOND))]);
    let mut bad = frame(&payload);
    bad[60] ^= 1;
    assert!(twin.frame(&bad).is_empty());
    assert_eq!(twin.last(), (Cause::FcsError, None));
    twin.mii_error();
    let frames = twin.frame(&frame(&payload));
    assert_eq!(frames.len(), 1);
    let sent = &frames[0];
    // Ethernet without a tag; IPv4: IHL 5, DSCP 0, 28 + 64 + 2 * 64 bytes, id 0, DF, TTL 64, UDP; UDP without a checksum.
    assert_eq!(sent[..14], [2, 0, 0, 0, 0, 5, 2, 0, 0, 0, 0, 1, 8, 0]);
    assert_eq!(sent[14..24], [0x45, 0, 0, 220, 0, 0, 0x40, 0, 64, 17]);
    assert_eq!(formats::ipv4::sum(&sent[14..34], 0), 0xffff);
    assert_eq!(sent[26..34], [10, 0, 0, 2, 10, 0, 0, 5]);
    assert_eq!(sent[34..42], [0x1b, 0x58, 0x1b, 0x59, 0, 200, 0, 0]);
    assert_eq!(
        Part::parse(&sent[42..sent.len() - 4])
            .unwrap()
            .header
            .second,
        1
    );
    assert!(formats::fcs::is_good(sent));
    let counters = twin.counters();
    assert_eq!(
        (
            counters.net.fcs_error,
            counters.net.mii_error,
            counters.net.accepted
        ),
        (1, 1, 1)
    );
    assert_eq!(counters.net.iter().map(|(_, value)| value).sum::<u64>(), 3);
    assert_eq!(
        (counters.feed.mold_packet, counters.feed.report_sent),
        (1, 1)
    );
}

#[test]
fn forty_symbols_leave_in_three_parts() {
    let symbols = (0..40).map(|i| format!("S{i}").parse().ok()).collect();
    let pipeline = Pipeline::new(Config {
        version: Version::V50,
        accumulate: false,
        symbols,
    })
    .unwrap();
    let mut twin = HardwareTwin::new(NET, REPORT, pipeline);
    let frames = twin.frame(&frame(&packet(1, &[bytes(Version::V50, delete(SECOND))])));
    let parts: Vec<_> = frames
        .iter()
        .map(|f| Part::parse(&f[42..f.len() - 4]).unwrap())
        .collect();
    let sizes: Vec<_> = parts
        .iter()
        .map(|p| {
            (
                p.header.part,
                p.header.parts,
                p.header.first_symbol,
                p.header.symbols,
            )
        })
        .collect();
    assert_eq!(sizes, [(0, 3, 0, 16), (1, 3, 16, 16), (2, 3, 32, 8)]);
    assert_eq!(parts[2].rows[7].symbol, "S39".parse().ok());
}

proptest! {
    /// Whatever comes in, a frame is in exactly one cause and a datagram in exactly one, and the next good one is processed.
    #[test]
    fn no_bytes_break_the_twin(
        payloads in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..120), 0..8),
        flips in prop::collection::vec((0_usize..8, any::<prop::sample::Index>(), any::<u8>()), 0..8),
        v50: bool,
    ) {
        let version = if v50 { Version::V50 } else { Version::V41 };
        let mut twin = HardwareTwin::new(NET, REPORT, pipeline(version));
        for (index, payload) in payloads.iter().enumerate() {
            let messages: Vec<Vec<u8>> = payload.chunks(23).map(|chunk| [b"A", chunk, &[0; 5]].concat()).collect();
            let mut bytes = frame(&if index % 2 == 0 { packet(1, &messages) } else { payload.clone() });
            for (_, place, value) in flips.iter().filter(|(frame, _, _)| *frame == index) {
                let place = place.index(bytes.len());
                bytes[place] ^= value;
            }
            twin.frame(&bytes);
        }
        let c = twin.counters();
        prop_assert_eq!(c.net.iter().map(|(_, value)| value).sum::<u64>(), payloads.len() as u64);
        let f = c.feed;
        prop_assert_eq!(f.mold_malformed + f.mold_old + f.mold_heartbeat + f.mold_end_of_session + f.mold_packet, c.net.accepted);
        let before = f.mold_heartbeat;
        twin.frame(&frame(&packet_of(*b"the next 1", 1, &[])));
        prop_assert_eq!(twin.counters().feed.mold_heartbeat, before + 1);
    }
}
