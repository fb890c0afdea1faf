//! SoupBinTCP and the end of a snapshot: bytes by the specification, what was written is read back, and no bytes make anything panic.

use formats::glimpse::EndOfSnapshot;
use formats::soup::{
    LONGEST_MESSAGE, LoginAccepted, LoginRequest, Malformed, Packet, Rejection, TooLong,
};
use proptest::prelude::*;

fn bytes(packet: &Packet<'_>) -> Vec<u8> {
    let mut out = vec![];
    packet.emit(&mut out).unwrap();
    out
}

/// The layouts of SoupBinTCP 3.00, sections 2.2 and 2.3.
#[test]
fn packets_are_those_of_the_specification() {
    let accepted = Packet::LoginAccepted(LoginAccepted {
        session: *b"     SESS1",
        sequence: 42,
    });
    let request = Packet::LoginRequest(LoginRequest {
        username: *b"ALICE ",
        password: *b"SECRET    ",
        session: *b"          ",
        sequence: 1,
    });
    for (packet, expected) in [
        (Packet::Debug(b"hello"), b"\x00\x06+hello".to_vec()),
        (
            accepted,
            b"\x00\x1fA     SESS1                  42".to_vec(),
        ),
        (
            Packet::LoginRejected(Rejection::NotAuthorized),
            b"\x00\x02JA".to_vec(),
        ),
        (
            Packet::LoginRejected(Rejection::SessionNotAvailable),
            b"\x00\x02JS".to_vec(),
        ),
        (
            Packet::Sequenced(b"\x00\xff"),
            b"\x00\x03S\x00\xff".to_vec(),
        ),
        (Packet::Unsequenced(b""), b"\x00\x01U".to_vec()),
        (Packet::ServerHeartbeat, b"\x00\x01H".to_vec()),
        (Packet::EndOfSession, b"\x00\x01Z".to_vec()),
        (
            request,
            b"\x00\x2fLALICE SECRET                                 1".to_vec(),
        ),
        (Packet::ClientHeartbeat, b"\x00\x01R".to_vec()),
        (Packet::LogoutRequest, b"\x00\x01O".to_vec()),
    ] {
        assert_eq!(bytes(&packet), expected, "{packet:?}");
        assert_eq!(Packet::parse(&expected), Ok(Some((packet, &[][..]))));
    }
}

#[test]
fn what_is_wrong_is_told_before_the_rest_has_come() {
    for (bytes, fault) in [
        (&b"\x00\x00"[..], Malformed::Empty),
        (b"\x00\x00S", Malformed::Empty),
        (b"\xff\xff?", Malformed::UnknownType(b'?')),
        (
            b"\xff\xffL",
            Malformed::BadLength {
                packet_type: b'L',
                length: u16::MAX,
            },
        ),
        (
            b"\x00\x02H",
            Malformed::BadLength {
                packet_type: b'H',
                length: 2,
            },
        ),
        (b"\x00\x02JX", Malformed::Reason(b'X')),
        (
            b"\x00\x1fA     SESS1                 4 2",
            Malformed::Number,
        ),
        (
            b"\x00\x1fA     SESS1                    ",
            Malformed::Number,
        ),
        (
            b"\x00\x1fA     SESS199999999999999999999",
            Malformed::Number,
        ),
    ] {
        assert_eq!(Packet::parse(bytes), Err(fault), "{bytes:?}");
    }
}

#[test]
fn a_message_that_fits_no_packet_is_refused_and_nothing_is_written() {
    let long = vec![0; LONGEST_MESSAGE + 1];
    let mut out = vec![];
    assert_eq!(
        Packet::Sequenced(&long).emit(&mut out),
        Err(TooLong(long.len()))
    );
    assert!(out.is_empty());
    assert_eq!(bytes(&Packet::Sequenced(&long[1..])).len(), 2 + 65_535);
}

/// GLIMPSE 5.0, "End of Snapshot": `G` and 20 characters.
#[test]
fn the_end_of_a_snapshot_is_21_bytes_and_zeros_count_as_spaces() {
    let mut out = vec![];
    EndOfSnapshot { next: 1_234 }.emit(&mut out);
    assert_eq!(out, b"G                1234");
    for (bytes, next) in [
        (&b"G                1234"[..], Some(1_234)),
        (b"G00000000000000001234", Some(1_234)),
        (b"G18446744073709551615", Some(u64::MAX)),
        (b"G18446744073709551616", None),
        (b"G               1234 ", None),
        (b"G                1234 ", None),
        (b"G               1234", None),
        (b"S                1234", None),
        (b"", None),
    ] {
        assert_eq!(
            EndOfSnapshot::parse(bytes).map(|end| end.next),
            next,
            "{bytes:?}"
        );
    }
}

fn packets() -> impl Strategy<Value = (u8, Vec<u8>, [u8; 10], [u8; 6], u64)> {
    (
        0..10_u8,
        prop::collection::vec(any::<u8>(), 0..300),
        any::<[u8; 10]>(),
        any::<[u8; 6]>(),
        any::<u64>(),
    )
}

fn packet(of: &(u8, Vec<u8>, [u8; 10], [u8; 6], u64)) -> Packet<'_> {
    let (kind, text, session, username, sequence) = of;
    match kind {
        0 => Packet::Debug(text),
        1 => Packet::Sequenced(text),
        2 => Packet::Unsequenced(text),
        3 => Packet::LoginAccepted(LoginAccepted {
            session: *session,
            sequence: *sequence,
        }),
        4 => Packet::LoginRejected(Rejection::NotAuthorized),
        5 => Packet::ServerHeartbeat,
        6 => Packet::EndOfSession,
        7 => Packet::LoginRequest(LoginRequest {
            username: *username,
            password: *session,
            session: *session,
            sequence: *sequence,
        }),
        8 => Packet::ClientHeartbeat,
        _ => Packet::LogoutRequest,
    }
}

proptest! {
    #[test]
    fn a_stream_of_packets_is_read_back_and_a_part_of_one_waits(several in prop::collection::vec(packets(), 1..8), cut in any::<prop::sample::Index>()) {
        let mut stream = vec![];
        for each in &several {
            packet(each).emit(&mut stream).unwrap();
        }
        let mut rest = &stream[..];
        let mut ends = vec![0];
        for each in &several {
            let (found, after) = Packet::parse(rest).unwrap().unwrap();
            prop_assert_eq!(found, packet(each));
            rest = after;
            ends.push(stream.len() - rest.len());
        }
        prop_assert!(rest.is_empty());
        // Cut anywhere: the packet that is not complete is awaited.
        let cut = cut.index(stream.len());
        let begin = ends.iter().rev().find(|end| **end <= cut).unwrap();
        prop_assert_eq!(Packet::parse(&stream[*begin..cut]), Ok(None));
    }

    #[test]
    fn any_bytes_are_a_packet_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        if let Ok(Some((packet, rest))) = Packet::parse(&bytes) {
            // Numbers may have zeros before them; all else is written back as it was.
            let mut again = vec![];
            packet.emit(&mut again).unwrap();
            prop_assert_eq!(again.len() + rest.len(), bytes.len());
            prop_assert_eq!(Packet::parse(&again), Ok(Some((packet, &[][..]))));
        }
    }

    #[test]
    fn the_end_of_a_snapshot_is_read_back(next in any::<u64>()) {
        let mut out = vec![];
        EndOfSnapshot { next }.emit(&mut out);
        prop_assert_eq!(out.len(), EndOfSnapshot::LENGTH);
        prop_assert_eq!(EndOfSnapshot::parse(&out), Some(EndOfSnapshot { next }));
    }
}
