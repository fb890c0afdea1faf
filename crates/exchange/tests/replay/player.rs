//! Files of recorded messages: when each is due, and a message that both lines of a capture have.

use std::io::Write;
use std::net::Ipv4Addr;

use exchange::{Player, Speed};
use feed::source::Options;
use formats::binary_file;
use formats::ethernet::MacAddress;
use formats::fix::Timestamp;
use formats::frame::UdpFrame;
use formats::itch::{Head, Message, SystemEvent, Version};
use formats::mold::Builder;
use tempfile::NamedTempFile;

fn event(nanoseconds: u64, event_code: u8) -> Vec<u8> {
    let head = Head {
        nanoseconds,
        ..Head::default()
    };
    let mut bytes = vec![];
    let message = Message::SystemEvent(SystemEvent { head, event_code });
    message.emit(Version::V50, &mut bytes).unwrap();
    bytes
}

fn player(bytes: &[u8], speed: Speed) -> Player {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    Player::open(file.path(), Options::default(), speed).unwrap()
}

/// When each message is due, if the first is at 1,000, and its event code.
fn played(player: &mut Player) -> Vec<(u64, u8)> {
    let mut played = vec![];
    while let Some(due) = player.due(Timestamp(1_000)).unwrap() {
        let (version, message) = player.take().unwrap();
        assert_eq!(version, Version::V50);
        played.push((due.0, *message.last().unwrap()));
    }
    played
}

#[test]
fn messages_are_due_by_their_own_times_at_the_speed_that_was_asked_for() {
    let mut file = vec![];
    for (time, code) in [(5_000, b'O'), (5_000, b'S'), (9_000, b'Q'), (8_000, b'M')] {
        assert!(binary_file::push(&event(time, code), &mut file));
    }
    for (speed, last) in [(1.0, 5_000), (4.0, 2_000), (0.5, 9_000)] {
        let mut player = player(&file, Speed::Times(speed));
        let times = played(&mut player);
        assert_eq!(times[..3], [(1_000, b'O'), (1_000, b'S'), (last, b'Q')]);
        assert_eq!(times.len(), 4);
    }
    let mut player = player(&file, Speed::Unpaced);
    assert!(player.is_unpaced());
    assert!(played(&mut player).iter().all(|(due, _)| *due == 1_000));
}

fn packet(session: &[u8; 10], sequence: u64, codes: &[u8]) -> Vec<u8> {
    let mut builder = Builder::new(*session, sequence);
    for code in codes {
        builder.push(&event(0, *code)).unwrap();
    }
    builder.bytes().to_vec()
}

#[test]
fn what_both_lines_of_a_capture_sent_is_played_once_and_what_both_lost_is_counted() {
    let (first, second) = (b"SESSION001", b"SESSION002");
    let payloads = [
        packet(first, 7, b"ab"),
        packet(first, 7, b"ab"),
        packet(first, 8, b"bcd"),
        b"no MoldUDP64 at all".to_vec(),
        packet(first, 11, b""),
        packet(first, 13, b"g"),
        packet(first, 11, b"e"),
        packet(second, 1, b"xy"),
    ];
    let mut file = vec![];
    for word in [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 65_535, 1] {
        file.extend(word.to_le_bytes());
    }
    let group = Ipv4Addr::new(239, 1, 1, 1);
    let source = (
        MacAddress([2, 0, 0, 0, 0, 1]),
        Ipv4Addr::new(10, 0, 0, 1),
        999,
    );
    for (at, payload) in payloads.iter().enumerate() {
        let frame = UdpFrame::new(source, (MacAddress::of_group(group), group, 26_400));
        let mut bytes = vec![];
        frame.emit(payload, &mut bytes).unwrap();
        bytes.truncate(bytes.len() - 4);
        let length = bytes.len() as u32;
        // Microseconds.
        for word in [0, at as u32, length, length] {
            file.extend(word.to_le_bytes());
        }
        file.extend(bytes);
    }
    let mut player = player(&file, Speed::Times(1.0));
    let played = played(&mut player);
    let codes: Vec<_> = played.iter().map(|(_, code)| *code).collect();
    assert_eq!(codes, b"abcdgxy");
    assert_eq!(played[2], (3_000, b'c'), "at its packet's time");
    assert_eq!((player.missing(), player.malformed()), (2, 1));
}
