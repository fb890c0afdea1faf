//! ITCH to events: the table of docs/reference/rules.md, over the offsets printed in the specifications.

use crate::messages;
use decoder::itch;
use formats::itch::{self as format, Message, Version};
use formats::{Event, Kind, Side, Symbol, mold};
use proptest::prelude::*;

use messages::{V41, V50, at, numbered, stock};

/// A message by hand, in both versions.
#[test]
fn an_add_order_written_by_hand_becomes_its_event() {
    #[rustfmt::skip]
    let v50 = [
        b'A', 0x00, 0x0d, 0x00, 0x02, 0x1f, 0x1a, 0xce, 0xd4, 0x8f, 0x35,
        0, 0, 0, 0, 0, 0, 0x30, 0x39, b'B', 0, 0, 0, 100, b'A', b'A', b'P', b'L', b' ', b' ', b' ', b' ', 0x00, 0x59, 0x72, 0x04,
    ];
    #[rustfmt::skip]
    let v41 = [
        b'A', 0x00, 0x98, 0x96, 0x80,
        0, 0, 0, 0, 0, 0, 0x30, 0x39, b'B', 0, 0, 0, 100, b'A', b'A', b'P', b'L', b' ', b' ', b' ', b' ', 0x00, 0x59, 0x72, 0x04,
    ];
    let expected = Event {
        side: Side::Buy,
        symbol: Some(Symbol(*b"AAPL    ")),
        price: 5_861_892,
        quantity: 100,
        order_id: 12_345,
        sequence: 7,
        last: true,
        nanoseconds: 0x1f1a_ced4_8f35,
        locate: Some(13),
        ..Event::new(Kind::Add, b'A')
    };
    assert_eq!(itch::event(Version::V50, &v50, 0, 7, true), Ok(expected));
    let expected = Event {
        seconds: 34_200,
        nanoseconds: 10_000_000,
        locate: None,
        ..expected
    };
    assert_eq!(
        itch::event(Version::V41, &v41, 34_200, 7, true),
        Ok(expected)
    );
}

/// The event table of docs/reference/rules.md, member by member, over numbered messages.
#[test]
fn every_type_becomes_the_event_the_rules_say() {
    let base = |kind, message_type| Event {
        sequence: 9,
        nanoseconds: at(5, 6),
        locate: Some(at(1, 2) as u16),
        ..Event::new(kind, message_type)
    };
    for (message_type, length) in V50 {
        let b = base(Kind::Status, message_type);
        let expected = match message_type {
            b'A' | b'F' | b'P' => Event {
                kind: if message_type == b'P' {
                    Kind::Trade
                } else {
                    Kind::Add
                },
                side: Side::Sell,
                order_id: at(11, 8),
                quantity: at(20, 4),
                symbol: Some(stock(24)),
                price: at(32, 4) as i64,
                ..b
            },
            b'E' => Event {
                kind: Kind::Execute,
                order_id: at(11, 8),
                quantity: at(19, 4),
                ..b
            },
            b'C' => Event {
                kind: Kind::Execute,
                order_id: at(11, 8),
                quantity: at(19, 4),
                price: at(32, 4) as i64,
                ..b
            },
            b'X' => Event {
                kind: Kind::Reduce,
                order_id: at(11, 8),
                quantity: at(19, 4),
                ..b
            },
            b'D' => Event {
                kind: Kind::Delete,
                order_id: at(11, 8),
                ..b
            },
            b'U' => Event {
                kind: Kind::Replace,
                order_id: at(11, 8),
                new_order_id: at(19, 8),
                quantity: at(27, 4),
                price: at(31, 4) as i64,
                ..b
            },
            b'Q' => Event {
                kind: Kind::Trade,
                quantity: at(11, 8),
                symbol: Some(stock(19)),
                price: at(27, 4) as i64,
                ..b
            },
            b'B' => Event {
                order_id: at(11, 8),
                ..b
            },
            b'R' | b'H' | b'Y' | b'K' | b'J' | b'h' | b'N' | b'O' => Event {
                symbol: Some(stock(11)),
                ..b
            },
            b'L' => Event {
                symbol: Some(stock(15)),
                ..b
            },
            b'I' => Event {
                symbol: Some(stock(28)),
                ..b
            },
            _ => b,
        };
        let bytes = numbered(message_type, length);
        assert_eq!(
            itch::event(Version::V50, &bytes, 0, 9, false),
            Ok(expected),
            "{:?}",
            message_type as char
        );
    }
    let time = itch::event(Version::V41, &[b'T', 0, 0, 0x85, 0x98], 1, 9, false).unwrap();
    assert_eq!(
        time,
        Event {
            seconds: 34_200,
            sequence: 9,
            ..Event::new(Kind::Time, b'T')
        }
    );
}

/// Both versions carry the same body: 4.1's event is 5.0's, except for time and locate.
#[test]
fn a_4_1_message_is_the_5_0_message_with_another_head() {
    for (message_type, length) in &V41[1..] {
        let v50 = numbered(
            *message_type,
            format::length(Version::V50, *message_type).unwrap(),
        );
        let mut v41 = vec![*message_type, 0, 0, 0, 42];
        v41.extend_from_slice(&v50[11..11 + length - 5]);
        let event = itch::event(Version::V41, &v41, 3, 9, false).unwrap();
        let other = itch::event(Version::V50, &v50, 0, 9, false).unwrap();
        assert_eq!(
            event,
            Event {
                seconds: 3,
                nanoseconds: 42,
                locate: None,
                ..other
            },
            "{:?}",
            *message_type as char
        );
    }
}

/// NASDAQ sends a `Q` for every issue at each cross; where no share was crossed, of 0 shares at price 0.
#[test]
fn a_cross_or_a_trade_without_shares_or_price_is_no_trade() {
    // Quantity and price of each: where they are in 5.0.
    for (message_type, quantity, price) in [(b'Q', 11..19, 27..31), (b'P', 20..24, 32..36)] {
        let length = format::length(Version::V50, message_type).unwrap();
        for (no_quantity, no_price) in [(false, false), (true, false), (false, true), (true, true)]
        {
            let mut v50 = numbered(message_type, length);
            if no_quantity {
                v50[quantity.clone()].fill(0);
            }
            if no_price {
                v50[price.clone()].fill(0);
            }
            let mut v41 = vec![message_type, 0, 0, 0, 42];
            v41.extend_from_slice(&v50[11..]);
            for (version, bytes) in [(Version::V50, v50), (Version::V41, v41)] {
                let event = itch::event(version, &bytes, 3, 9, false).unwrap();
                let kind = if no_quantity || no_price {
                    Kind::Status
                } else {
                    Kind::Trade
                };
                assert_eq!(
                    (event.kind, event.quantity == 0, event.price == 0),
                    (kind, no_quantity, no_price)
                );
                assert!(event.symbol.is_some());
            }
        }
    }
}

/// The numbers of the events of packets of deletes: (number of the first, how many).
fn numbers(packets: &[(u64, usize)]) -> (Vec<u64>, decoder::itch::Counters) {
    let mut itch = decoder::Itch::new(Version::V50);
    let mut events: Vec<u64> = vec![];
    for &(first, count) in packets {
        let mut packet = mold::Builder::new(*b"OVERLAPS  ", first);
        for number in first..first + count as u64 {
            let mut message = numbered(b'D', 19);
            message[11..].copy_from_slice(&number.to_be_bytes());
            packet.push(&message).unwrap();
        }
        itch.datagram(packet.bytes(), &mut |event: &Event| {
            assert_eq!(event.order_id, event.sequence, "each has its own message");
            events.push(event.sequence);
        });
    }
    (events, itch.counters())
}

/// A retransmission that goes on where nothing has come yet; line B, which cuts the same messages at other places.
#[test]
fn of_a_packet_that_began_before_the_new_messages_are_taken() {
    let all: Vec<u64> = (1..=12).collect();
    for packets in [
        &[(1, 4), (3, 5), (8, 5)][..],
        &[(1, 2), (1, 4), (3, 4), (5, 4), (7, 4), (9, 4), (11, 2)],
        &[(1, 1), (1, 12), (1, 12), (12, 1)],
    ] {
        let (events, counters) = numbers(packets);
        assert_eq!(events, all, "{packets:?}");
        assert_eq!((counters.mold_gap, counters.itch_messages), (0, 12));
    }
    let (_, counters) = numbers(&[(1, 4), (3, 5), (4, 4), (5, 3), (8, 5)]);
    assert_eq!((counters.mold_packet, counters.mold_old), (3, 2));
}

proptest! {
    /// However a feed is cut and sent again, each message that came is taken once and in order, up to what was never sent.
    #[test]
    fn each_message_is_taken_once_however_packets_are_cut(cuts in prop::collection::vec((0_u64..12, 0_usize..12), 1..40)) {
        let mut next = 1;
        let mut packets = vec![];
        for (back, count) in cuts {
            let first = next - back.min(next - 1);
            packets.push((first, count));
            next = next.max(first + count as u64);
        }
        // The first packet's number is the expected one.
        let begins = packets[0].0;
        let (events, counters) = numbers(&packets);
        prop_assert_eq!(events, (begins..next).collect::<Vec<_>>());
        prop_assert_eq!(counters.mold_gap, 0);
    }

    /// Whatever the bytes: an event of that type where there is a message, the reason where there is none.
    #[test]
    fn bytes_are_an_event_exactly_where_they_are_a_message(bytes: Vec<u8>, message_type: u8, size in 1_usize..70, v50: bool) {
        let version = if v50 { Version::V50 } else { Version::V41 };
        for bytes in [bytes, numbered(message_type, size)] {
            let event = itch::event(version, &bytes, 1, 2, false);
            prop_assert_eq!(event.map(|event| event.message_type), Message::parse(version, &bytes).map(|message| message.message_type()));
        }
    }
}
