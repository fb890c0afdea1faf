//! Files in, messages and datagrams out; files at fault are named with the byte.

mod endings;

use std::io::Write;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};

use feed::PacketSource;
use feed::generate::{Settings, generate};
use feed::source::{CaptureReader, Fault, Format, MessageReader, Options, Source, SourceError};
use formats::binary_file;
use formats::ethernet::MacAddress;
use formats::frame::UdpFrame;
use formats::itch::Version;
use proptest::prelude::*;
use tempfile::NamedTempFile;

fn file(bytes: &[u8]) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    file
}

fn sample(version: Version, messages: u64) -> Vec<u8> {
    let mut bytes = vec![];
    generate(
        &Settings {
            version,
            symbols: 5,
            messages,
            seconds: 20,
            seed: 3,
        },
        &mut bytes,
        |_| (),
    )
    .unwrap();
    bytes
}

fn fault(bytes: &[u8], options: Options) -> (u64, Fault) {
    let file = file(bytes);
    let read = || -> Result<(), SourceError> {
        match Source::open(file.path(), options)? {
            Source::Messages(mut reader) => while reader.next_message()?.is_some() {},
            Source::Datagrams(mut reader) => while reader.next_datagram()?.is_some() {},
        }
        Ok(())
    };
    match read() {
        Err(SourceError::Content {
            path,
            offset,
            fault,
        }) => {
            assert_eq!(path, file.path());
            (offset, fault)
        }
        other => panic!("no fault found: {other:?}"),
    }
}

#[test]
fn messages_come_out_with_offset_and_time_and_the_version_is_found_out() {
    for version in [Version::V41, Version::V50] {
        let bytes = sample(version, 5_000);
        let file = file(&bytes);
        let mut reader = MessageReader::open(file.path(), Options::default()).unwrap();
        assert_eq!(reader.version(), version);
        let (mut offset, mut last) = (0, 0);
        for expected in binary_file::Messages::new(&bytes) {
            let expected = expected.unwrap();
            let record = reader.next_message().unwrap().unwrap();
            assert_eq!((record.offset, record.message), (offset, expected));
            assert!(
                record.time >= last && (34_199..35_000).contains(&(record.time / 1_000_000_000))
            );
            last = record.time;
            offset += 2 + expected.len() as u64;
        }
        assert!(reader.next_message().unwrap().is_none());
        assert_eq!(
            reader.position(),
            (bytes.len() as u64, Some(bytes.len() as u64))
        );
    }
}

/// Where messages begin, and where the last ends.
fn starts(bytes: &[u8]) -> Vec<usize> {
    let mut starts = vec![];
    let mut messages = binary_file::Messages::new(bytes);
    loop {
        starts.push(messages.offset());
        if messages.next().is_none() {
            return starts;
        }
    }
}

#[test]
fn a_file_cut_off_anywhere_is_whole_or_names_the_last_message() {
    let bytes = sample(Version::V50, 20);
    let starts = starts(&bytes);
    for length in 5..bytes.len() {
        if starts.contains(&length) {
            continue;
        }
        let start = *starts.iter().rfind(|start| **start <= length).unwrap();
        let (offset, fault) = fault(&bytes[..length], Options::default());
        assert_eq!(offset, start as u64, "cut at {length}");
        assert!(
            matches!(fault, Fault::Truncated { .. }),
            "cut at {length}: {fault}"
        );
    }
}

#[test]
fn a_message_of_no_version_stops_the_reading_unless_it_is_lenient() {
    let mut bytes = sample(Version::V50, 200);
    let at = bytes.len();
    assert!(binary_file::push(b"zzzzzzzzz", &mut bytes));
    let unknown = fault(&bytes, Options::default());
    assert_eq!(
        unknown,
        (
            at as u64,
            Fault::Message(formats::itch::Error::UnknownType(b'z'))
        )
    );
    let file = file(&bytes);
    let mut reader = MessageReader::open(
        file.path(),
        Options {
            lenient: true,
            ..Options::default()
        },
    )
    .unwrap();
    let mut count = 0;
    while reader.next_message().unwrap().is_some() {
        count += 1;
    }
    assert_eq!(count, 201);
}

#[test]
fn files_of_another_kind_say_so() {
    assert_eq!(fault(b"", Options::default()), (0, Fault::Empty));
    assert_eq!(
        fault(b"<html><body>404</body></html>", Options::default()),
        (0, Fault::Unrecognized)
    );
    let missing = Source::open(Path::new("no/such/file"), Options::default());
    assert!(
        missing
            .unwrap_err()
            .to_string()
            .starts_with("no/such/file: cannot open")
    );
    assert!(matches!(
        Source::open(Path::new("."), Options::default()),
        Err(SourceError::Open { .. })
    ));
}

/// A frame without its FCS, as captures hold it.
fn frame(payload: &[u8], vlan: Option<u16>, port: u16) -> Vec<u8> {
    let group = Ipv4Addr::new(239, 1, 1, 1);
    let source = (
        MacAddress([2, 0, 0, 0, 0, 1]),
        Ipv4Addr::new(10, 0, 0, 1),
        999,
    );
    let header = UdpFrame {
        vlan,
        ..UdpFrame::new(source, (MacAddress::of_group(group), group, port))
    };
    let mut bytes = vec![];
    header.emit(payload, &mut bytes).unwrap();
    bytes.truncate(bytes.len() - 4);
    bytes
}

fn pcap(magic: u32, big_endian: bool, frames: &[(u32, u32, Vec<u8>)]) -> Vec<u8> {
    let word = |value: u32| {
        if big_endian {
            value.to_be_bytes()
        } else {
            value.to_le_bytes()
        }
    };
    let mut bytes = vec![];
    bytes.extend(word(magic));
    bytes.extend(if big_endian {
        [0, 2, 0, 4]
    } else {
        [2, 0, 4, 0]
    });
    [0, 0, 65_535, 1]
        .iter()
        .for_each(|value| bytes.extend(word(*value)));
    for (seconds, fraction, frame) in frames {
        let length = frame.len() as u32;
        [*seconds, *fraction, length, length]
            .iter()
            .for_each(|value| bytes.extend(word(*value)));
        bytes.extend(frame);
    }
    bytes
}

fn block(kind: u32, body: &[u8]) -> Vec<u8> {
    let length = 12 + body.len().next_multiple_of(4) as u32;
    let mut bytes = [kind.to_le_bytes(), length.to_le_bytes()].concat();
    bytes.extend(body);
    bytes.resize(length as usize - 4, 0);
    bytes.extend(length.to_le_bytes());
    bytes
}

/// One interface with nanosecond time stamps.
fn pcapng(frames: &[(u64, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = block(
        0x0a0d_0d0a,
        b"\x4d\x3c\x2b\x1a\x01\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff",
    );
    bytes.extend(block(
        1,
        b"\x01\0\0\0\0\0\0\0\x09\0\x01\0\x09\0\0\0\0\0\0\0",
    ));
    for (time, frame) in frames {
        let length = frame.len() as u32;
        let head = [0, (time >> 32) as u32, *time as u32, length, length];
        let body = [head.map(u32::to_le_bytes).as_flattened(), frame].concat();
        bytes.extend(block(6, &body));
    }
    bytes
}

fn datagrams(bytes: &[u8], options: Options) -> (Vec<(u64, u16, Vec<u8>)>, CaptureReader) {
    let file = file(bytes);
    let mut reader = CaptureReader::open(file.path(), options).unwrap();
    let mut all = vec![];
    while let Some(datagram) = reader.next_datagram().unwrap() {
        all.push((
            datagram.time,
            datagram.destination.port(),
            datagram.payload.to_vec(),
        ));
    }
    (all, reader)
}

#[test]
fn every_flavour_of_pcap_gives_its_datagrams_with_their_times() {
    let frames = [
        (7, 5, frame(b"plain", None, 100)),
        (8, 6, frame(b"tagged", Some(42), 200)),
    ];
    for (magic, nanoseconds) in [(0xa1b2_c3d4, 1_000), (0xa1b2_3c4d, 1)] {
        for big_endian in [false, true] {
            let (all, reader) = datagrams(&pcap(magic, big_endian, &frames), Options::default());
            let (first, second) = (
                7_000_000_000 + 5 * nanoseconds,
                8_000_000_000 + 6 * nanoseconds,
            );
            assert_eq!(
                all,
                [
                    (first, 100, b"plain".to_vec()),
                    (second, 200, b"tagged".to_vec())
                ]
            );
            assert_eq!(reader.format(), Format::Pcap);
        }
    }
}

#[test]
fn pcapng_gives_its_datagrams_with_their_times() {
    let frames = [
        (1_234_567_890_123_456_789, frame(b"one", None, 100)),
        (1_234_567_890_123_456_999, frame(b"two", None, 200)),
    ];
    let (all, reader) = datagrams(
        &pcapng(&frames),
        Options {
            port: Some(200),
            ..Options::default()
        },
    );
    assert_eq!(all, [(1_234_567_890_123_456_999, 200, b"two".to_vec())]);
    assert_eq!(
        (reader.format(), reader.skipped().other_port),
        (Format::PcapNg, 1)
    );
}

/// Options of a block: codes and values.
type Choices<'a> = &'a [(u16, &'a [u8])];

/// An interface with these options (pcapng, 4.2), each filled up to four bytes.
fn interface(big_endian: bool, options: Choices<'_>) -> Vec<u8> {
    let half = |value: u16| match big_endian {
        true => value.to_be_bytes(),
        false => value.to_le_bytes(),
    };
    let mut body = [half(1), half(0), half(0), half(0)].concat();
    for (code, value) in options {
        body.extend([half(*code), half(value.len() as u16)].concat());
        body.extend(*value);
        body.resize(body.len().next_multiple_of(4), 0);
    }
    body
}

/// A section of one packet at an interface each: its options, and the time stamp in its units.
fn section(big_endian: bool, packets: &[(Choices<'_>, u64)]) -> Vec<u8> {
    let word = |value: u32| match big_endian {
        true => value.to_be_bytes(),
        false => value.to_le_bytes(),
    };
    let block = |kind: u32, body: &[u8]| {
        let mut bytes = block(kind, body);
        let (length, end) = (word(bytes.len() as u32), bytes.len() - 4);
        bytes[..4].copy_from_slice(&word(kind));
        bytes[4..8].copy_from_slice(&length);
        bytes[end..].copy_from_slice(&length);
        bytes
    };
    let version = if big_endian {
        [0, 1, 0, 0]
    } else {
        [1, 0, 0, 0]
    };
    let head = [&word(0x1a2b_3c4d)[..], &version, &[0xff; 8]].concat();
    let mut bytes = block(0x0a0d_0d0a, &head);
    for (options, _) in packets {
        bytes.extend(block(1, &interface(big_endian, options)));
    }
    for (number, (_, units)) in packets.iter().enumerate() {
        let frame = frame(&[number as u8], None, 1);
        let length = frame.len() as u32;
        let head = [
            number as u32,
            (units >> 32) as u32,
            *units as u32,
            length,
            length,
        ];
        bytes.extend(block(6, &[head.map(word).as_flattened(), &frame].concat()));
    }
    bytes
}

/// pcapng, 4.2: with the highest bit of if_tsresol the rest is a power of two, without it of ten; 10^-6 where it is absent. if_tsoffset: seconds to add.
#[test]
fn time_stamps_of_any_resolution_are_read_in_a_file_of_several_interfaces() {
    const TIME: u64 = 1_753_000_000;
    let half = |exponent: u32| TIME << exponent | 1 << (exponent - 1);
    for big_endian in [false, true] {
        let offset = match big_endian {
            true => TIME.to_be_bytes(),
            false => TIME.to_le_bytes(),
        };
        let before_1970 = [0xff; 8];
        let packets: [(Choices<'_>, u64, u64); 18] = [
            (
                &[],
                TIME * 1_000_000 + 250_000,
                TIME * 1_000_000_000 + 250_000_000,
            ),
            (&[(9, &[0x80])], TIME, TIME * 1_000_000_000),
            (&[(9, &[0x81])], half(1), TIME * 1_000_000_000 + 500_000_000),
            (
                &[(9, &[0x8a])],
                half(10),
                TIME * 1_000_000_000 + 500_000_000,
            ),
            (
                &[(9, &[0x94])],
                half(20),
                TIME * 1_000_000_000 + 500_000_000,
            ),
            (
                &[(9, &[0x9e])],
                half(30),
                TIME * 1_000_000_000 + 500_000_000,
            ),
            (
                &[(9, &[0xa0])],
                half(32),
                TIME * 1_000_000_000 + 500_000_000,
            ),
            (&[(9, &[0xbf])], 1 << 62, 500_000_000),
            (&[(9, &[0xc0])], 1 << 62, 250_000_000),
            (&[(9, &[0xff])], u64::MAX, 0),
            (&[(9, &[0])], TIME, TIME * 1_000_000_000),
            (
                &[(9, &[3])],
                TIME * 1_000 + 7,
                TIME * 1_000_000_000 + 7_000_000,
            ),
            (
                &[(9, &[9])],
                TIME * 1_000_000_000 + 7,
                TIME * 1_000_000_000 + 7,
            ),
            (&[(9, &[19])], 1_000_000_000_000_000_000, 100_000_000),
            (&[(9, &[20])], 1_000_000_000_000_000_000, 10_000_000),
            (&[(9, &[0x7f])], u64::MAX, 0),
            (
                &[(2, b"eth0"), (9, &[0xa0]), (14, &offset)],
                1 << 31,
                TIME * 1_000_000_000 + 500_000_000,
            ),
            (&[(14, &before_1970)], 1_500_000, 500_000_000),
        ];
        let units = packets.map(|(options, units, _)| (options, units));
        let (all, _) = datagrams(&section(big_endian, &units), Options::default());
        let found: Vec<u64> = all.iter().map(|(time, ..)| *time).collect();
        assert_eq!(
            found,
            packets.map(|(.., time)| time),
            "big endian: {big_endian}"
        );
    }
}

#[test]
fn frames_without_a_whole_datagram_are_counted_by_reason() {
    let good = frame(b"a payload that is longer than the padding", None, 1);
    let mut fragment = good.clone();
    fragment[20] |= 0x20;
    let mut arp = good.clone();
    arp[12..14].copy_from_slice(&[8, 6]);
    let cut = good[..good.len() - 1].to_vec();
    let frames: Vec<_> = [good, fragment, arp, cut]
        .into_iter()
        .map(|frame| (0, 0, frame))
        .collect();
    let (all, reader) = datagrams(&pcap(0xa1b2_c3d4, false, &frames), Options::default());
    assert_eq!(all.len(), 1);
    let skipped = reader.skipped();
    assert_eq!(
        (skipped.fragment, skipped.not_udp, skipped.incomplete),
        (1, 1, 1)
    );
}

#[test]
fn a_capture_cut_short_names_the_record() {
    let one = pcap(0xa1b2_c3d4, false, &[(0, 0, frame(b"one", None, 1))]);
    let mut two = one.clone();
    two.extend(&one[24..one.len() - 1]);
    assert!(
        matches!(fault(&two, Options::default()), (offset, Fault::Truncated { .. }) if offset == one.len() as u64)
    );
    let whole = pcapng(&[(0, frame(b"one", None, 1))]);
    assert!(matches!(
        fault(&whole[..whole.len() - 4], Options::default()),
        (60, Fault::Truncated { .. })
    ));
    let mut long = one.clone();
    long[32..36].copy_from_slice(&[0xff; 4]);
    assert!(matches!(
        fault(&long, Options::default()),
        (24, Fault::TooLong { .. })
    ));
}

proptest! {
    #[test]
    fn nothing_a_file_holds_makes_a_reader_panic_or_hang(
        start in 0_usize..7, cuts in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12), length: prop::sample::Index,
    ) {
        let mut bytes = match start {
            0 => sample(Version::V41, 40),
            1 => sample(Version::V50, 40),
            2 => pcap(0xa1b2_c3d4, true, &[(0, 0, frame(b"one", None, 1)), (0, 0, frame(b"two", Some(1), 1))]),
            3 => pcapng(&[(0, frame(b"one", None, 1)), (1, frame(b"two", None, 1))]),
            4 => section(true, &[(&[(9, &[0xa0])], 1), (&[], 2)]),
            5 => endings::gzip(&[&sample(Version::V50, 40)]),
            _ => endings::zstandard(&[&sample(Version::V50, 40)]),
        };
        for (at, value) in cuts {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        bytes.truncate(length.index(bytes.len()) + 1);
        let file = file(&bytes);
        for lenient in [false, true] {
            match Source::open(file.path(), Options { lenient, ..Options::default() }) {
                Ok(Source::Messages(mut reader)) => while let Ok(Some(_)) = reader.next_message() {},
                Ok(Source::Datagrams(mut reader)) => while let Ok(Some(_)) = reader.next_datagram() {},
                Err(_) => {}
            }
        }
    }
}

fn shared(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data")
        .join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: {name} is not at ../shared/data");
    None
}

/// The counts of the data's README, found with an independent decoder.
#[test]
fn the_aapl_hour_has_the_messages_its_readme_says() {
    let Some(path) = shared("nasdaq-aapl-2012-06-21/aapl.itch50") else {
        return;
    };
    let mut reader = MessageReader::open(&path, Options::default()).unwrap();
    let mut counts = [0; 256];
    while let Some(record) = reader.next_message().unwrap() {
        counts[usize::from(record.message[0])] += 1;
    }
    let of = |types: &[u8]| {
        types
            .iter()
            .map(|t| counts[usize::from(*t)])
            .collect::<Vec<_>>()
    };
    assert_eq!(of(b"ADEPXSR"), [44_336, 41_004, 4_067, 2_201, 469, 4, 1]);
    assert_eq!(counts.iter().sum::<i32>(), 92_082);
}

/// The counts of the data's README.
#[test]
fn nasdaq_frames_hold_the_messages_their_readme_says() {
    let Some(path) = shared("nasdaq-frames/Multiple.Packets.pcap") else {
        return;
    };
    let mut reader = CaptureReader::open(&path, Options::default()).unwrap();
    let (mut datagrams, mut types) = (0, vec![]);
    while let Some(datagram) = reader.next_datagram().unwrap() {
        datagrams += 1;
        let packet = formats::mold::Packet::parse(datagram.payload).unwrap();
        types.extend(packet.messages().map(|message| message[0]));
    }
    let count = |wanted| types.iter().filter(|found| **found == wanted).count();
    assert_eq!(
        (
            datagrams,
            count(b'D'),
            count(b'A'),
            count(b'F'),
            types.len()
        ),
        (2, 1, 36, 2, 39)
    );
}

/// What reading a capture as packets ends with, and how many there were.
fn read_as_packets(bytes: &[u8], options: Options) -> (usize, Result<(), String>) {
    let file = file(bytes);
    let mut reader = CaptureReader::open(file.path(), options).unwrap();
    let mut packets = 0;
    loop {
        match reader.next_packet() {
            Ok(Some(_)) => packets += 1,
            Ok(None) => return (packets, Ok(())),
            Err(error) => return (packets, Err(error.to_string())),
        }
    }
}

/// A heartbeat: session, sequence number, no messages.
const HEARTBEAT: &[u8] = b"TICKWIRE01\0\0\0\0\0\0\0\x01\0\0";

#[test]
fn a_capture_without_anything_usable_says_what_it_has_and_what_to_do() {
    let good = frame(HEARTBEAT, None, 26_400);
    let with_type = |number: u16| {
        let mut frame = good.clone();
        frame[12..14].copy_from_slice(&number.to_be_bytes());
        frame
    };
    let mut tcp = good.clone();
    tcp[23] = 6;
    // The link type is the header's last word.
    let with_link = |link: u32, frames: &[(u32, u32, Vec<u8>)]| {
        let mut bytes = pcap(0xa1b2_c3d4, false, frames);
        bytes[20..24].copy_from_slice(&link.to_le_bytes());
        bytes
    };
    // What was captured is half of each frame; the first 16 bytes of a record tell both lengths.
    let mut cut = pcap(0xa1b2_c3d4, false, &[(1, 0, good[..40].to_vec())]);
    cut[36..40].copy_from_slice(&(good.len() as u32).to_le_bytes());
    let other = frame(b"this is not MoldUDP64", None, 5_353);
    let port = Options {
        port: Some(30_000),
        ..Options::default()
    };
    let any = Options::default();
    for (bytes, options, expected) in [
        (
            with_link(1, &[]),
            any,
            vec!["0 frames", "while the feed is up"],
        ),
        (
            with_link(105, &[(1, 0, good.clone()), (2, 0, good.clone())]),
            any,
            vec![
                "2 frames; link type 105 IEEE 802.11, which is not read (2)",
                "editcap",
            ],
        ),
        (
            cut,
            any,
            vec![
                "1 frames, 1 of them cut short by the capture",
                "tcpdump -s 0",
            ],
        ),
        (
            with_link(
                1,
                &[
                    (1, 0, with_type(0x86dd)),
                    (2, 0, with_type(0x0806)),
                    (3, 0, tcp),
                    (4, 0, with_type(0x86dd)),
                ],
            ),
            any,
            vec![
                "not UDP over IPv4: IPv6 (2), ARP (1), TCP (1)",
                "UDP over IPv4: capture the interface",
            ],
        ),
        (
            with_link(1, &[(1, 0, other.clone())]),
            any,
            vec!["UDP to", ":5353 (1)", "ITCH in MoldUDP64"],
        ),
        (
            with_link(1, &[(1, 0, good.clone())]),
            port,
            vec![":26400 (1); asked for port 30000", "with --port"],
        ),
    ] {
        let (_, result) = read_as_packets(&bytes, options);
        let said = result.expect_err("a success");
        assert!(said.contains("no MoldUDP64 in this capture"), "{said}");
        for part in expected {
            assert!(said.contains(part), "{part:?} is not in: {said}");
        }
    }
    // Of another protocol, any datagram will do; where there is none, that is what is missing.
    let protocol = Options {
        any_protocol: true,
        ..Options::default()
    };
    let of_another = with_link(1, &[(1, 0, other.clone())]);
    assert_eq!(read_as_packets(&of_another, protocol), (1, Ok(())));
    let (_, result) = read_as_packets(&with_link(1, &[]), protocol);
    assert!(
        result
            .expect_err("a success")
            .contains("no datagram in this capture: 0 frames")
    );
    // One that is usable is enough, whatever else there is.
    let mixed = with_link(1, &[(1, 0, other), (2, 0, with_type(0x0806)), (3, 0, good)]);
    assert_eq!(read_as_packets(&mixed, any), (2, Ok(())));
}
