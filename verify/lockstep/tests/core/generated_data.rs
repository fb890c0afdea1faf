//! Generated order flow of 16 symbols among 40 through the core and its twin, in one message a packet and in full packets.

use std::path::Path;

use cosim::{Frame, Lockstep, Setup, Width};
use feed::PacketSource;
use feed::generate::{self, Settings};
use feed::packetize::{Config, Packetizer};
use feed::source::{MessageReader, Options};
use formats::itch::Version;

use crate::count::count;

fn run(width: Width, version: Version, config: Config) {
    let settings = Settings {
        version,
        symbols: 40,
        messages: count(4_000, 12_000),
        seconds: count(30, 90),
        seed: 2,
    };
    let mut bytes = vec![];
    generate::generate(&settings, &mut bytes, |_| ()).expect("memory takes it");
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), &bytes).expect("a temporary file can be written");

    let symbols: Vec<_> = (0..16).map(|index| generate::symbol(index * 2)).collect();
    let setup = Setup::example(version, &symbols);
    let mut lockstep = Lockstep::new(width, &setup).expect("the core takes the setup");
    let mut packets = Packetizer::new(open(file.path(), version), config);
    let mut reports = 0;
    while let Some(packet) = packets.next_packet().expect("the file is whole") {
        let mut frame = vec![];
        setup
            .feed()
            .emit(packet.payload, &mut frame)
            .expect("a packet fits");
        let heartbeat = lockstep
            .frame(Frame::new(&frame))
            .unwrap_or_else(|e| panic!("{width:?} {version:?}: {e}"));
        reports += u32::from(heartbeat.is_some());
    }
    let counters = lockstep
        .check()
        .unwrap_or_else(|e| panic!("{width:?} {version:?}: {e}"));
    assert_eq!(u64::from(counters.feed.itch_messages), packets.messages());
    assert_eq!(counters.feed.report_sent, reports);
    assert!(reports > count(20, 60), "{reports} of a report a second");
    assert!(
        counters.feed.filter_hit.min(counters.feed.filter_miss) > count(300, 1_000),
        "{counters:?}"
    );
}

fn open(path: &Path, version: Version) -> MessageReader {
    MessageReader::open(
        path,
        Options {
            version: Some(version),
            ..Options::default()
        },
    )
    .expect("a BinaryFILE")
}

#[test]
fn one_message_a_packet() {
    for width in Width::ALL {
        for version in [Version::V41, Version::V50] {
            run(width, version, Config::default());
        }
    }
}

#[test]
fn packets_filled_over_five_milliseconds() {
    for width in Width::ALL {
        for version in [Version::V41, Version::V50] {
            run(
                width,
                version,
                Config {
                    heartbeat: Some(100_000_000),
                    ..Config::coalescing(5_000_000)
                },
            );
        }
    }
}
