//! Ethernet to UDP, MoldUDP64 and the report: what was written is read back, and no bytes make anything panic.

use std::net::Ipv4Addr;

use formats::binary_file;
use formats::ethernet::MacAddress;
use formats::frame::{Cause, MAXIMUM, NetConfig, UdpFrame, classify, classify_without_fcs};
use formats::mold::{self, Builder, Header, Malformed, Packet};
use formats::report::{self, Part, Row, SideStatistics};
use formats::{Symbol, fcs};
use proptest::prelude::*;

const GROUP: Ipv4Addr = Ipv4Addr::new(233, 54, 12, 111);
const OTHER_GROUP: Ipv4Addr = Ipv4Addr::new(239, 1, 2, 3);
const NET: NetConfig = NetConfig {
    local_mac: MacAddress([0x02, 0, 0, 0, 0, 0x01]),
    local_ip: Ipv4Addr::new(10, 0, 0, 2),
    groups: [
        GROUP,
        Ipv4Addr::UNSPECIFIED,
        Ipv4Addr::UNSPECIFIED,
        Ipv4Addr::UNSPECIFIED,
    ],
    ports: [26_477, 0, 0, 0],
};
const SENDER: (MacAddress, Ipv4Addr, u16) = (
    MacAddress([0x02, 0, 0, 0, 0, 0x09]),
    Ipv4Addr::new(10, 0, 0, 9),
    1_000,
);

type Fault = fn(&mut Vec<u8>);

fn headers() -> UdpFrame {
    UdpFrame::new(SENDER, (MacAddress::of_group(GROUP), GROUP, 26_477))
}

fn frame(payload: &[u8]) -> Vec<u8> {
    let mut out = vec![];
    headers().emit(payload, &mut out).unwrap();
    out
}

/// The frame with its last four bytes replaced by the right FCS.
fn sealed(mut frame: Vec<u8>) -> Vec<u8> {
    frame.truncate(frame.len() - 4);
    fcs::append(&mut frame, 0);
    frame
}

/// `change` made to a good frame of 40 bytes payload, the IPv4 checksum mended if asked for, the FCS always.
fn changed(mend: bool, change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut frame = frame(&[0x55; 40]);
    change(&mut frame);
    if mend {
        frame[24..26].fill(0);
        let checksum = !formats::ipv4::sum(&frame[14..34], 0);
        frame[24..26].copy_from_slice(&checksum.to_be_bytes());
    }
    sealed(frame)
}

/// By scapy: Ether(dst="01:00:5e:36:0c:6f",src="02:00:00:00:00:09")/IP(src="10.0.0.9",dst="233.54.12.111",flags="DF",id=0,ttl=64)
/// /UDP(sport=1000,dport=26477)/b"tick", padded to 60, zlib.crc32 after it.
#[test]
fn a_frame_is_the_one_scapy_makes() {
    let expected = "01005e360c6f0200000000090800450000200000400040113b1f0a000009e9360c6f03e8676d000cbcfd7469636b0000000000000000000000000000986cbb0e";
    let hex: String = frame(b"tick")
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert_eq!(hex, expected);
}

#[test]
fn a_good_frame_gives_its_payload_without_the_padding() {
    for length in [0, 1, 17, 18, 19, 1_472, 8_972] {
        let payload: Vec<u8> = (0..length).map(|i| i as u8).collect();
        let frame = frame(&payload);
        let datagram = classify(&frame, &NET).unwrap();
        assert_eq!(datagram.payload, payload);
        assert_eq!(
            (datagram.source_port, datagram.destination_port),
            (1_000, 26_477)
        );
        assert_eq!(
            (datagram.source_ip, datagram.destination_ip),
            (SENDER.1, GROUP)
        );
        assert_eq!(frame.len(), (46 + length).max(64));
    }
}

#[test]
fn without_fcs_a_frame_may_be_unpadded_and_every_shorter_one_has_a_cause() {
    let sealed = frame(b"tick");
    let unpadded = &sealed[..14 + 20 + 8 + 4];
    let padded = &sealed[..60];
    for frame in [unpadded, padded] {
        assert_eq!(classify_without_fcs(frame, &NET).unwrap().payload, b"tick");
    }
    for length in 0..unpadded.len() {
        let cause = classify_without_fcs(&unpadded[..length], &NET).unwrap_err();
        let expected = match length {
            0..34 => Cause::Runt,
            _ => Cause::IpLengthError,
        };
        assert_eq!(cause, expected, "{length} bytes");
    }
    // The IPv4 and the UDP checksum are checked as with an FCS.
    for (at, cause) in [(25, Cause::IpChecksumError), (45, Cause::UdpChecksumError)] {
        let mut wrong = unpadded.to_vec();
        wrong[at] ^= 1;
        assert_eq!(classify_without_fcs(&wrong, &NET), Err(cause));
    }
}

#[test]
fn one_tag_is_passed_over_and_two_are_not_ip() {
    let mut tagged = vec![];
    UdpFrame {
        vlan: Some(0x607b),
        ..headers()
    }
    .emit(b"tick", &mut tagged)
    .unwrap();
    assert_eq!(tagged[12..18], [0x81, 0x00, 0x60, 0x7b, 0x08, 0x00]);
    assert_eq!(classify(&tagged, &NET).unwrap().payload, b"tick");
    tagged.splice(12..12, [0x81, 0x00, 0x00, 0x01]);
    assert_eq!(classify(&sealed(tagged), &NET), Err(Cause::OtherEthertype));
}

#[test]
fn unicast_to_us_is_ours_and_unused_slots_match_nothing() {
    let mut out = vec![];
    UdpFrame::new(SENDER, (NET.local_mac, NET.local_ip, 26_477))
        .emit(b"tick", &mut out)
        .unwrap();
    assert!(classify(&out, &NET).is_ok());
    let port_zero = changed(false, |f| {
        f[36..38].fill(0);
        f[40..42].fill(0);
    });
    assert_eq!(classify(&port_zero, &NET), Err(Cause::OtherPort));
    let group_zero = changed(false, |f| f[..6].copy_from_slice(&[1, 0, 0x5e, 0, 0, 0]));
    assert_eq!(classify(&group_zero, &NET), Err(Cause::OtherMac));
    let address_zero = changed(true, |f| f[30..34].fill(0));
    assert_eq!(classify(&address_zero, &NET), Err(Cause::OtherIp));
}

#[test]
fn each_fault_has_its_cause() {
    let cases: Vec<(Cause, Vec<u8>)> = vec![
        (Cause::FcsError, {
            let mut f = frame(&[1; 40]);
            f[50] ^= 1;
            f
        }),
        (Cause::FcsError, vec![]),
        (Cause::Runt, changed(false, |f| f.truncate(63))),
        (
            Cause::Oversize,
            changed(false, |f| f.resize(MAXIMUM + 1, 0)),
        ),
        (Cause::OtherMac, changed(false, |f| f[5] ^= 1)),
        (Cause::OtherMac, changed(false, |f| f[..6].fill(0xff))),
        (Cause::OtherEthertype, changed(false, |f| f[13] = 0x06)),
        (Cause::IpHeaderError, changed(true, |f| f[14] = 0x65)),
        (Cause::IpHeaderError, changed(true, |f| f[14] = 0x44)),
        (Cause::IpOptions, changed(true, |f| f[14] = 0x46)),
        (Cause::IpChecksumError, changed(false, |f| f[24] ^= 1)),
        (
            Cause::IpLengthError,
            changed(true, |f| f[16..18].copy_from_slice(&19_u16.to_be_bytes())),
        ),
        (
            Cause::IpLengthError,
            changed(true, |f| f[16..18].copy_from_slice(&69_u16.to_be_bytes())),
        ),
        (Cause::Fragment, changed(true, |f| f[20] = 0x20)),
        (Cause::Fragment, changed(true, |f| f[21] = 1)),
        (Cause::OtherIp, changed(true, |f| f[33] ^= 1)),
        (Cause::OtherProtocol, changed(true, |f| f[23] = 6)),
        (Cause::UdpLengthError, changed(false, |f| f[39] = 47)),
        (Cause::UdpLengthError, changed(false, |f| f[39] = 49)),
        (
            Cause::UdpLengthError,
            changed(true, |f| {
                f[16..18].copy_from_slice(&27_u16.to_be_bytes());
                f[38..40].copy_from_slice(&7_u16.to_be_bytes());
            }),
        ),
        (Cause::OtherPort, changed(false, |f| f[37] ^= 1)),
        (Cause::UdpChecksumError, changed(false, |f| f[60] ^= 1)),
    ];
    for (index, (cause, frame)) in cases.iter().enumerate() {
        assert_eq!(classify(frame, &NET), Err(*cause), "case {index}");
    }
    assert!(
        classify(&changed(true, |f| f[40..42].fill(0)), &NET).is_ok(),
        "no checksum is a good checksum"
    );
    assert!(
        classify(&changed(false, |f| f.resize(MAXIMUM, 0)), &NET).is_ok(),
        "9,022 bytes with much padding"
    );
}

/// With every fault of the table in one frame, taking them away one by one in order shows the causes in order.
#[test]
fn the_first_cause_that_applies_wins() {
    let faults: [(Cause, Fault); 10] = [
        (Cause::OtherMac, |f| f[5] ^= 1),
        (Cause::OtherEthertype, |f| f[13] = 0x06),
        (Cause::IpHeaderError, |f| f[14] = 0x65),
        (Cause::IpChecksumError, |f| f[25] ^= 1),
        (Cause::IpLengthError, |f| f[16] = 0xff),
        (Cause::Fragment, |f| f[20] = 0x20),
        (Cause::OtherIp, |f| f[33] ^= 1),
        (Cause::OtherProtocol, |f| f[23] = 6),
        (Cause::UdpLengthError, |f| f[39] ^= 1),
        (Cause::OtherPort, |f| f[37] ^= 1),
    ];
    for first in 0..faults.len() {
        let frame = changed(faults[first].0 > Cause::IpChecksumError, |f| {
            for (cause, fault) in &faults[first..] {
                if *cause != Cause::IpChecksumError {
                    fault(f);
                }
            }
        });
        let frame = if faults[first].0 == Cause::IpChecksumError {
            changed(false, |f| faults[first].1(f))
        } else {
            frame
        };
        assert_eq!(classify(&frame, &NET), Err(faults[first].0));
    }
}

#[test]
fn a_payload_that_does_not_fit_is_refused() {
    let mut out = vec![];
    assert!(headers().emit(&vec![0; 65_508], &mut out).is_err());
    assert!(out.is_empty());
    assert!(headers().emit(&vec![0; 65_507], &mut out).is_ok());
}

/// By hand, after the MoldUDP64 specification: session, sequence number, count, then length and data of each block.
#[test]
fn a_packet_written_by_hand_is_read_and_built_alike() {
    let bytes = b"SESSION001\x00\x00\x00\x00\x00\x00\x01\x02\x00\x02\x00\x05Tabcd\x00\x06Sabcde";
    let packet = Packet::parse(bytes).unwrap();
    assert_eq!(
        packet.header,
        Header {
            session: *b"SESSION001",
            sequence: 258,
            count: 2
        }
    );
    assert_eq!(packet.cause(), mold::Cause::Packet);
    assert_eq!(
        packet.messages().collect::<Vec<_>>(),
        [&b"Tabcd"[..], b"Sabcde"]
    );
    let mut builder = Builder::new(*b"SESSION001", 258);
    builder.push(b"Tabcd").unwrap();
    builder.push(b"Sabcde").unwrap();
    assert_eq!(builder.bytes(), bytes);
    builder.next_packet();
    assert_eq!((builder.sequence(), builder.count()), (260, 0));
    assert_eq!(
        Packet::parse(builder.bytes()).unwrap().cause(),
        mold::Cause::Heartbeat
    );
    builder.end_session();
    assert_eq!(
        Packet::parse(builder.bytes()).unwrap().cause(),
        mold::Cause::EndOfSession
    );
    assert_eq!(
        builder.bytes(),
        b"SESSION001\x00\x00\x00\x00\x00\x00\x01\x04\xff\xff"
    );
}

#[test]
fn every_way_to_be_malformed_is_found() {
    let head = |count: u16, rest: &[u8]| {
        [
            b"SESSION001\x00\x00\x00\x00\x00\x00\x00\x01",
            &count.to_be_bytes()[..],
            rest,
        ]
        .concat()
    };
    let cases: [(Vec<u8>, Malformed); 9] = [
        (vec![0; 19], Malformed::Header),
        (vec![], Malformed::Header),
        (head(1, b"\x00\x04abcd"), Malformed::ShortBlock(0)),
        (head(1, b"\x00\x00"), Malformed::ShortBlock(0)),
        (
            head(2, b"\x00\x05abcde\x00\x06abcde"),
            Malformed::Truncated(1),
        ),
        (head(2, b"\x00\x05abcde"), Malformed::Truncated(1)),
        (head(2, b"\x00\x05abcde\x00"), Malformed::Truncated(1)),
        (head(1, b"\x00\x05abcde\x00"), Malformed::Trailing(1)),
        (head(0, b"\x00\x05abcde"), Malformed::Trailing(7)),
    ];
    for (bytes, error) in cases {
        assert_eq!(Packet::parse(&bytes).unwrap_err(), error);
    }
    assert_eq!(
        Packet::parse(&head(0xffff, b"x")).unwrap_err(),
        Malformed::Trailing(1)
    );
}

/// Offsets from docs/reference/rules.md, "The report".
#[test]
fn a_report_has_its_members_where_the_rules_say() {
    let header = report::Header {
        accumulate: true,
        itch_50: true,
        part: 2,
        parts: 3,
        number: 0x0102_0304,
        second: 0x0506_0708,
        first_symbol: 0x090a,
        symbols: 1,
        total_symbols: 0x0b0c,
        session: *b"SESSION001",
        sequence: 0x1112_1314_1516_1718,
        lost: 0x2122_2324_2526_2728,
        first_sequence: 0x3132_3334_3536_3738,
    };
    let side = |n: u32| SideStatistics {
        count: n,
        minimum: n + 1,
        maximum: n + 2,
        volume: u64::from(n) + 3,
        sum: u64::from(n) + 4,
    };
    let part = Part {
        header,
        rows: vec![Row {
            symbol: Some(Symbol(*b"AAPL    ")),
            buy: side(10),
            sell: side(20),
        }],
    };
    let mut bytes = vec![];
    part.emit(&mut bytes);
    let mut expected =
        b"TWST\x01\x03\x02\x03\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x00\x01\x0b\x0cSESSION001"
            .to_vec();
    expected.extend_from_slice(b"\x11\x12\x13\x14\x15\x16\x17\x18\x21\x22\x23\x24\x25\x26\x27\x28\x31\x32\x33\x34\x35\x36\x37\x38");
    expected.extend_from_slice(&[0; 8]);
    assert_eq!(expected.len(), 64);
    expected.extend_from_slice(b"AAPL    ");
    for n in [10, 20] {
        expected.extend_from_slice(&[0, 0, 0, n, 0, 0, 0, n + 1, 0, 0, 0, n + 2]);
        expected.extend_from_slice(&[0, 0, 0, 0, 0, 0, 0, n + 3, 0, 0, 0, 0, 0, 0, 0, n + 4]);
    }
    assert_eq!(bytes, expected);
    assert_eq!(Part::parse(&bytes), Ok(part));
    assert_eq!(
        Part::parse(&bytes[..127]),
        Err(report::Error::Length {
            symbols: 1,
            found: 127
        })
    );
    assert_eq!(Part::parse(&bytes[..63]), Err(report::Error::TooShort(63)));
    bytes[4] = 2;
    assert_eq!(Part::parse(&bytes), Err(report::Error::Version(2)));
    bytes[0] = b'X';
    assert_eq!(Part::parse(&bytes), Err(report::Error::Magic));
}

#[test]
fn statistics_of_a_side_are_count_extremes_and_sums() {
    let mut side = SideStatistics::default();
    for (price, shares) in [(500, 10), (300, 1), (0, 0), (900, 4_000_000_000), (400, 7)] {
        side.add(price, shares);
    }
    assert_eq!(
        side,
        SideStatistics {
            count: 5,
            minimum: 0,
            maximum: 900,
            volume: 4_000_000_018,
            sum: 2_100
        }
    );
}

fn net() -> impl Strategy<Value = NetConfig> {
    Just(NetConfig {
        groups: [
            GROUP,
            OTHER_GROUP,
            Ipv4Addr::UNSPECIFIED,
            Ipv4Addr::UNSPECIFIED,
        ],
        ..NET
    })
}

fn side() -> impl Strategy<Value = SideStatistics> {
    any::<(u32, u32, u32, u64, u64)>().prop_map(|(count, minimum, maximum, volume, sum)| {
        SideStatistics {
            count,
            minimum,
            maximum,
            volume,
            sum,
        }
    })
}

proptest! {
    #[test]
    fn any_payload_comes_through_a_frame(payload in prop::collection::vec(any::<u8>(), 0..2_000), vlan: Option<u16>, checksum: bool, source: u16) {
        let mut out = vec![0xee; 3];
        let headers = UdpFrame { vlan, checksum, source_port: source, ..headers() };
        headers.emit(&payload, &mut out).unwrap();
        let datagram = classify(&out[3..], &NET).unwrap();
        prop_assert_eq!(datagram.payload, &payload[..]);
        prop_assert_eq!(datagram.source_port, source);
        prop_assert_eq!(&out[..3], &[0xee; 3]);
    }

    #[test]
    fn no_frame_makes_classify_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), seal: bool, net in net()) {
        let bytes = if seal && bytes.len() >= 4 { sealed(bytes) } else { bytes };
        let _ = classify(&bytes, &net);
    }

    /// Mutated headers with a right FCS reach the deeper checks.
    #[test]
    fn no_mutated_frame_makes_classify_panic(changes in prop::collection::vec((0_usize..60, any::<u8>()), 0..4), mend: bool, net in net()) {
        let bytes = changed(mend, |f| changes.iter().for_each(|(offset, value)| f[*offset] = *value));
        let _ = classify(&bytes, &net);
    }

    #[test]
    fn any_messages_come_through_a_packet(messages in prop::collection::vec(prop::collection::vec(any::<u8>(), 5..60), 0..50), sequence: u64) {
        let mut builder = Builder::new(*b"0123456789", sequence);
        messages.iter().for_each(|message| builder.push(message).unwrap());
        let packet = Packet::parse(builder.bytes()).unwrap();
        prop_assert_eq!(packet.header.sequence, sequence);
        prop_assert_eq!(packet.messages().collect::<Vec<_>>(), messages);
    }

    #[test]
    fn no_datagram_makes_mold_panic(bytes: Vec<u8>, count: u16) {
        let _ = Packet::parse(&bytes);
        let mut packet = [&[0; 18][..], &count.to_be_bytes(), &bytes].concat();
        if let Ok(packet) = Packet::parse(&packet) {
            prop_assert_eq!(packet.messages().count(), usize::from(packet.header.messages()));
        }
        packet.truncate(21);
        let _ = Packet::parse(&packet);
    }

    #[test]
    fn any_report_is_read_as_it_was_written(
        rows in prop::collection::vec(("[A-Z]{1,8}", side(), side()), 0..17), flags: (bool, bool), numbers: (u8, u8, u32, u32, u16, u16), session: [u8; 10], wide: (u64, u64, u64)
    ) {
        let (part, parts, number, second, first_symbol, total_symbols) = numbers;
        let (sequence, lost, first_sequence) = wide;
        let rows: Vec<_> = rows.into_iter().map(|(symbol, buy, sell)| Row { symbol: symbol.parse().ok(), buy, sell }).collect();
        let symbols = rows.len() as u16;
        let (accumulate, itch_50) = flags;
        let header = report::Header { accumulate, itch_50, part, parts, number, second, first_symbol, symbols, total_symbols, session, sequence, lost, first_sequence };
        let part = Part { header, rows };
        let mut bytes = vec![];
        part.emit(&mut bytes);
        prop_assert_eq!(Part::parse(&bytes), Ok(part));
    }

    #[test]
    fn no_bytes_make_report_or_file_panic(bytes: Vec<u8>) {
        let _ = Part::parse(&bytes);
        let _ = Part::parse(&[b"TWST\x01", &bytes[..]].concat());
        let _ = binary_file::Messages::new(&bytes).count();
        let _ = formats::ethernet::Header::parse(&bytes);
    }
}
