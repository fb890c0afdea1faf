//! Real data against the counts in its README. Skips, and says so, where `../shared/data` is absent.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use formats::ethernet::MacAddress;
use formats::frame::{NetConfig, classify};
use formats::itch::{Message, Version};
use formats::mold::Packet;
use formats::{binary_file, fcs};
use pcap_parser::traits::PcapReaderIterator;
use pcap_parser::{LegacyPcapReader, PcapBlockOwned, PcapError};

fn data(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data")
        .join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("SKIPPED: no {name} in ../shared/data");
    None
}

/// The frames of a capture, each with the FCS that captures leave out.
fn frames(path: &Path) -> Vec<Vec<u8>> {
    let mut reader = LegacyPcapReader::new(65_536, File::open(path).unwrap()).unwrap();
    let mut frames = vec![];
    loop {
        match reader.next() {
            Ok((consumed, block)) => {
                if let PcapBlockOwned::Legacy(packet) = block {
                    let mut frame = packet.data.to_vec();
                    fcs::append(&mut frame, 0);
                    frames.push(frame);
                }
                reader.consume(consumed);
            }
            Err(PcapError::Eof) => return frames,
            Err(PcapError::Incomplete(_)) => reader.refill().unwrap(),
            Err(error) => panic!("{}: {error:?}", path.display()),
        }
    }
}

fn counts<'a>(version: Version, messages: impl Iterator<Item = &'a [u8]>) -> BTreeMap<char, usize> {
    let mut counts = BTreeMap::new();
    for bytes in messages {
        let message = Message::parse(version, bytes).unwrap();
        let mut again = vec![];
        message.emit(version, &mut again).unwrap();
        assert_eq!(again, bytes);
        *counts.entry(message.message_type() as char).or_default() += 1;
    }
    counts
}

#[test]
fn the_aapl_hour_has_the_messages_it_is_known_to_have() {
    let Some(folder) = data("nasdaq-aapl-2012-06-21") else {
        return;
    };
    let common = [
        ('A', 44_336),
        ('D', 41_004),
        ('E', 4_067),
        ('P', 2_201),
        ('X', 469),
        ('S', 4),
        ('R', 1),
    ];
    for (name, version, extra) in [
        ("aapl.itch50", Version::V50, None),
        ("aapl.itch41", Version::V41, Some(('T', 3_486))),
    ] {
        let file = fs::read(folder.join(name)).unwrap();
        let messages: Result<Vec<_>, _> = binary_file::Messages::new(&file).collect();
        let messages = messages.unwrap();
        assert_eq!(
            counts(version, messages.iter().copied()),
            common.into_iter().chain(extra).collect(),
            "{name}"
        );
    }
}

#[test]
fn genuine_frames_are_accepted_and_hold_the_messages_they_are_known_to_hold() {
    let Some(folder) = data("nasdaq-frames") else {
        return;
    };
    let group = "233.54.12.111".parse().unwrap();
    let unused = "0.0.0.0".parse().unwrap();
    let net = NetConfig {
        local_mac: MacAddress([2, 0, 0, 0, 0, 1]),
        local_ip: unused,
        groups: [group, unused, unused, unused],
        ports: [26_477, 0, 0, 0],
    };
    let of_frame = |frame: &[u8]| {
        let datagram = classify(frame, &net).unwrap();
        let packet = Packet::parse(datagram.payload).unwrap();
        assert!(packet.header.session.starts_with(b"0000"));
        counts(Version::V50, packet.messages())
    };
    let several = frames(&folder.join("Multiple.Packets.pcap"));
    let found: Vec<_> = several.iter().map(|frame| of_frame(frame)).collect();
    assert_eq!(
        found,
        [
            BTreeMap::from([('D', 1)]),
            BTreeMap::from([('A', 36), ('F', 2)])
        ]
    );
    for (name, message_type) in [
        ("AddOrderNoMpidAttributionMessage", 'A'),
        ("MarketParticipantPositionMessage", 'L'),
        ("NetOrderImbalanceIndicatorMessage", 'I'),
        ("OrderDeleteMessage", 'D'),
        ("OrderExecutedMessage", 'E'),
        ("OrderReplaceMessage", 'U'),
        ("StockTradingActionMessage", 'H'),
    ] {
        let found: Vec<_> = frames(&folder.join(format!("{name}.pcap")))
            .iter()
            .map(|frame| of_frame(frame))
            .collect();
        assert_eq!(found, [BTreeMap::from([(message_type, 1)])], "{name}");
    }
}

/// Their IP and MoldUDP64 headers are zeroed: the block comes after 18 + 20 + 8 + 20 bytes.
#[test]
fn genuine_messages_of_fifteen_types_are_read_and_written_alike() {
    let Some(folder) = data("nasdaq-frames/messages") else {
        return;
    };
    let mut all: BTreeMap<char, usize> = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        for frame in frames(&entry.unwrap().path()) {
            let length = usize::from(u16::from_be_bytes([frame[66], frame[67]]));
            for (message_type, count) in
                counts(Version::V50, std::iter::once(&frame[68..68 + length]))
            {
                *all.entry(message_type).or_default() += count;
            }
        }
    }
    let types: String = all.keys().collect();
    assert_eq!(types, "ACDEFHIJLPQSUXY");
    assert!(all.values().all(|count| (1..=5).contains(count)));
}

#[test]
fn the_start_of_a_genuine_day_has_the_messages_it_is_known_to_have() {
    let Some(path) = data("nasdaq-frames/start-of-day.itch50") else {
        return;
    };
    let file = fs::read(path).unwrap();
    let messages: Vec<_> = binary_file::Messages::new(&file)
        .map(Result::unwrap)
        .collect();
    let expected = BTreeMap::from([('S', 1), ('R', 993), ('H', 3), ('Y', 3)]);
    assert_eq!(counts(Version::V50, messages.into_iter()), expected);
}
