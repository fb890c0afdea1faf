//! ITCH against the offsets printed in the specifications (TotalView-ITCH 5.0, sections 4.1 to 4.9; 4.1, section 4).

use crate::messages;
use formats::Side;
use formats::itch::{self, EmitError, Error, Head, Message, Seconds, Version, Visitor};
use proptest::prelude::*;

use messages::{V41, V50, at, numbered, stock};

fn table(version: Version) -> &'static [(u8, usize)] {
    if version == Version::V50 { &V50 } else { &V41 }
}

fn parse50(message_type: u8, length: usize) -> Message {
    Message::parse(Version::V50, &numbered(message_type, length)).unwrap()
}

#[test]
fn lengths_are_those_of_the_specification_and_no_other_type_is_known() {
    for version in [Version::V41, Version::V50] {
        for message_type in 0..=255 {
            let expected = table(version)
                .iter()
                .find(|(t, _)| *t == message_type)
                .map(|(_, length)| *length);
            assert_eq!(
                itch::length(version, message_type),
                expected,
                "{version:?} {:?}",
                message_type as char
            );
        }
        let mut types = itch::types(version).to_vec();
        let mut expected: Vec<_> = table(version).iter().map(|(t, _)| *t).collect();
        types.sort_unstable();
        expected.sort_unstable();
        assert_eq!(types, expected);
    }
}

#[test]
fn the_head_is_locate_tracking_and_a_time_of_48_bits() {
    for (message_type, length) in V50 {
        let head = *parse50(message_type, length).head().unwrap();
        assert_eq!(u64::from(head.stock_locate), at(1, 2));
        assert_eq!(u64::from(head.tracking_number), at(3, 2));
        assert_eq!(head.nanoseconds, at(5, 6));
    }
    for (message_type, length) in &V41[1..] {
        let message = Message::parse(Version::V41, &numbered(*message_type, *length)).unwrap();
        assert_eq!(
            message.head(),
            Some(&Head {
                nanoseconds: at(1, 4),
                ..Head::default()
            })
        );
    }
}

#[test]
fn the_messages_of_orders_have_their_members_where_the_specification_says() {
    let Message::AddOrder(m) = parse50(b'A', 36) else {
        panic!()
    };
    assert_eq!(
        (m.order_reference, m.side, u64::from(m.shares)),
        (at(11, 8), Side::Sell, at(20, 4))
    );
    assert_eq!((m.stock, u64::from(m.price)), (stock(24), at(32, 4)));

    let Message::AddOrderMpid(m) = parse50(b'F', 40) else {
        panic!()
    };
    assert_eq!(
        (m.order_reference, m.side, u64::from(m.shares)),
        (at(11, 8), Side::Sell, at(20, 4))
    );
    assert_eq!((m.stock, u64::from(m.price)), (stock(24), at(32, 4)));
    assert_eq!(u64::from(u32::from_be_bytes(m.attribution)), at(36, 4));

    let Message::OrderExecuted(m) = parse50(b'E', 31) else {
        panic!()
    };
    assert_eq!(
        (
            m.order_reference,
            u64::from(m.executed_shares),
            m.match_number
        ),
        (at(11, 8), at(19, 4), at(23, 8))
    );

    let Message::OrderExecutedWithPrice(m) = parse50(b'C', 36) else {
        panic!()
    };
    assert_eq!(
        (
            m.order_reference,
            u64::from(m.executed_shares),
            m.match_number
        ),
        (at(11, 8), at(19, 4), at(23, 8))
    );
    assert_eq!(
        (u64::from(m.printable), u64::from(m.execution_price)),
        (at(31, 1), at(32, 4))
    );

    let Message::OrderCancel(m) = parse50(b'X', 23) else {
        panic!()
    };
    assert_eq!(
        (m.order_reference, u64::from(m.cancelled_shares)),
        (at(11, 8), at(19, 4))
    );

    let Message::OrderDelete(m) = parse50(b'D', 19) else {
        panic!()
    };
    assert_eq!(m.order_reference, at(11, 8));

    let Message::OrderReplace(m) = parse50(b'U', 35) else {
        panic!()
    };
    assert_eq!(
        (m.order_reference, m.new_order_reference),
        (at(11, 8), at(19, 8))
    );
    assert_eq!(
        (u64::from(m.shares), u64::from(m.price)),
        (at(27, 4), at(31, 4))
    );
}

#[test]
fn the_messages_of_trades_have_their_members_where_the_specification_says() {
    let Message::Trade(m) = parse50(b'P', 44) else {
        panic!()
    };
    assert_eq!(
        (m.order_reference, m.side, u64::from(m.shares)),
        (at(11, 8), Side::Sell, at(20, 4))
    );
    assert_eq!(
        (m.stock, u64::from(m.price), m.match_number),
        (stock(24), at(32, 4), at(36, 8))
    );

    let Message::CrossTrade(m) = parse50(b'Q', 40) else {
        panic!()
    };
    assert_eq!(
        (m.shares, m.stock, u64::from(m.cross_price)),
        (at(11, 8), stock(19), at(27, 4))
    );
    assert_eq!(
        (m.match_number, u64::from(m.cross_type)),
        (at(31, 8), at(39, 1))
    );

    let Message::BrokenTrade(m) = parse50(b'B', 19) else {
        panic!()
    };
    assert_eq!(m.match_number, at(11, 8));

    let Message::NetOrderImbalance(m) = parse50(b'I', 50) else {
        panic!()
    };
    assert_eq!(
        (m.paired_shares, m.imbalance_shares),
        (at(11, 8), at(19, 8))
    );
    assert_eq!(
        (u64::from(m.imbalance_direction), m.stock),
        (at(27, 1), stock(28))
    );
    assert_eq!(
        (u64::from(m.far_price), u64::from(m.near_price)),
        (at(36, 4), at(40, 4))
    );
    assert_eq!(
        (u64::from(m.reference_price), u64::from(m.cross_type)),
        (at(44, 4), at(48, 1))
    );
    assert_eq!(u64::from(m.price_variation), at(49, 1));
}

#[test]
fn the_messages_of_instruments_have_their_members_where_the_specification_says() {
    let Message::StockDirectory(m) = parse50(b'R', 39) else {
        panic!()
    };
    assert_eq!(
        (
            m.stock,
            u64::from(m.market_category),
            u64::from(m.financial_status)
        ),
        (stock(11), at(19, 1), at(20, 1))
    );
    assert_eq!(
        (u64::from(m.round_lot_size), u64::from(m.round_lots_only)),
        (at(21, 4), at(25, 1))
    );
    assert_eq!(u64::from(m.issue_classification), at(26, 1));
    assert_eq!(u64::from(u16::from_be_bytes(m.issue_sub_type)), at(27, 2));
    assert_eq!(
        (u64::from(m.authenticity), u64::from(m.short_sale_threshold)),
        (at(29, 1), at(30, 1))
    );
    assert_eq!(
        (
            u64::from(m.ipo_flag),
            u64::from(m.luld_tier),
            u64::from(m.etp_flag)
        ),
        (at(31, 1), at(32, 1), at(33, 1))
    );
    assert_eq!(
        (u64::from(m.etp_leverage_factor), u64::from(m.inverse)),
        (at(34, 4), at(38, 1))
    );

    let Message::StockTradingAction(m) = parse50(b'H', 25) else {
        panic!()
    };
    assert_eq!(
        (m.stock, u64::from(m.trading_state), u64::from(m.reserved)),
        (stock(11), at(19, 1), at(20, 1))
    );
    assert_eq!(u64::from(u32::from_be_bytes(m.reason)), at(21, 4));

    let Message::RegSho(m) = parse50(b'Y', 20) else {
        panic!()
    };
    assert_eq!((m.stock, u64::from(m.action)), (stock(11), at(19, 1)));

    let Message::MarketParticipantPosition(m) = parse50(b'L', 26) else {
        panic!()
    };
    assert_eq!(
        (u64::from(u32::from_be_bytes(m.mpid)), m.stock),
        (at(11, 4), stock(15))
    );
    assert_eq!(u64::from(m.primary_market_maker), at(23, 1));
    assert_eq!(
        (
            u64::from(m.market_maker_mode),
            u64::from(m.market_participant_state)
        ),
        (at(24, 1), at(25, 1))
    );

    let Message::IpoQuotingPeriod(m) = parse50(b'K', 28) else {
        panic!()
    };
    assert_eq!((m.stock, u64::from(m.release_time)), (stock(11), at(19, 4)));
    assert_eq!(
        (u64::from(m.release_qualifier), u64::from(m.price)),
        (at(23, 1), at(24, 4))
    );

    let Message::LuldAuctionCollar(m) = parse50(b'J', 35) else {
        panic!()
    };
    assert_eq!(
        (
            m.stock,
            u64::from(m.reference_price),
            u64::from(m.upper_price)
        ),
        (stock(11), at(19, 4), at(23, 4))
    );
    assert_eq!(
        (u64::from(m.lower_price), u64::from(m.extension)),
        (at(27, 4), at(31, 4))
    );

    let Message::OperationalHalt(m) = parse50(b'h', 21) else {
        panic!()
    };
    assert_eq!(
        (m.stock, u64::from(m.market_code), u64::from(m.action)),
        (stock(11), at(19, 1), at(20, 1))
    );

    let Message::RetailInterest(m) = parse50(b'N', 20) else {
        panic!()
    };
    assert_eq!((m.stock, u64::from(m.interest)), (stock(11), at(19, 1)));

    let Message::DirectListing(m) = parse50(b'O', 48) else {
        panic!()
    };
    assert_eq!(
        (m.stock, u64::from(m.open_eligibility)),
        (stock(11), at(19, 1))
    );
    assert_eq!(
        (u64::from(m.minimum_price), u64::from(m.maximum_price)),
        (at(20, 4), at(24, 4))
    );
    assert_eq!(
        (u64::from(m.near_price), m.near_time),
        (at(28, 4), at(32, 8))
    );
    assert_eq!(
        (u64::from(m.lower_price), u64::from(m.upper_price)),
        (at(40, 4), at(44, 4))
    );
}

#[test]
fn the_messages_of_the_market_have_their_members_where_the_specification_says() {
    let Message::SystemEvent(m) = parse50(b'S', 12) else {
        panic!()
    };
    assert_eq!(u64::from(m.event_code), at(11, 1));
    let Message::MwcbDeclineLevel(m) = parse50(b'V', 35) else {
        panic!()
    };
    assert_eq!(
        (m.level_1, m.level_2, m.level_3),
        (at(11, 8), at(19, 8), at(27, 8))
    );
    let Message::MwcbStatus(m) = parse50(b'W', 12) else {
        panic!()
    };
    assert_eq!(u64::from(m.breached_level), at(11, 1));
    let message = Message::parse(Version::V41, &numbered(b'T', 5)).unwrap();
    assert_eq!(
        message,
        Message::Seconds(Seconds {
            seconds: at(1, 4) as u32
        })
    );
    assert_eq!(message.head(), None);
}

/// A message by hand, in both versions.
#[test]
fn an_add_order_written_by_hand_is_read_and_written_alike() {
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
    let mut out = vec![];
    Message::parse(Version::V50, &v50)
        .unwrap()
        .emit(Version::V50, &mut out)
        .unwrap();
    Message::parse(Version::V41, &v41)
        .unwrap()
        .emit(Version::V41, &mut out)
        .unwrap();
    assert_eq!(out, [&v50[..], &v41].concat());
}

#[test]
fn what_a_version_cannot_say_is_refused_and_nothing_is_written() {
    let mut out = vec![];
    let seconds = Message::Seconds(Seconds { seconds: 1 });
    assert_eq!(
        seconds.emit(Version::V50, &mut out),
        Err(EmitError::UnknownType(b'T'))
    );
    for (message_type, length) in V50 {
        if itch::length(Version::V41, message_type).is_none() {
            let error = parse50(message_type, length).emit(Version::V41, &mut out);
            assert_eq!(error, Err(EmitError::UnknownType(message_type)));
        }
    }
    // The numbered message's time does not fit into 32 bits.
    assert_eq!(
        parse50(b'D', 19).emit(Version::V41, &mut out),
        Err(EmitError::Time(at(5, 6)))
    );
    let Message::OrderDelete(mut m) = parse50(b'D', 19) else {
        panic!()
    };
    m.head.nanoseconds = 1 << 48;
    assert_eq!(
        Message::from(m).emit(Version::V50, &mut out),
        Err(EmitError::Time(1 << 48))
    );
    assert!(out.is_empty());
}

#[derive(Default)]
struct Count {
    heads: usize,
    refused: Vec<Error>,
}

impl Visitor for Count {
    fn head(&mut self, _: u8, _: Head) {
        self.heads += 1;
    }

    fn refused(&mut self, error: Error) {
        self.refused.push(error);
    }
}

proptest! {
    /// For every type and every length around the right one, in both versions: exactly the right one is accepted.
    #[test]
    fn only_the_specified_length_is_accepted(message_type: u8, length in 1_usize..70, v50: bool) {
        let version = if v50 { Version::V50 } else { Version::V41 };
        let bytes = numbered(message_type, length);
        let expected = match itch::length(version, message_type) {
            Some(right) if right == length => None,
            Some(expected) => Some(Error::BadLength { message_type, expected, found: length }),
            None => Some(Error::UnknownType(message_type)),
        };
        prop_assert_eq!(Message::parse(version, &bytes).err(), expected);
        let mut count = Count::default();
        itch::visit(version, &bytes, &mut count);
        prop_assert_eq!(count.refused.first().copied(), expected);
        prop_assert_eq!(count.heads, usize::from(expected.is_none() && message_type != b'T'));
    }

    #[test]
    fn every_message_is_written_as_it_was_read(index in 0_usize..23, v50: bool, random in prop::array::uniform32(any::<u8>()), more in prop::array::uniform32(any::<u8>())) {
        let version = if v50 { Version::V50 } else { Version::V41 };
        let (message_type, length) = table(version)[index % table(version).len()];
        let mut bytes = [random, more].concat();
        bytes.truncate(length);
        bytes[0] = message_type;
        let message = Message::parse(version, &bytes).unwrap();
        if matches!(message, Message::AddOrder(_) | Message::AddOrderMpid(_) | Message::Trade(_)) {
            // The one member that holds less than a byte: anything but B is sell.
            let side = if v50 { 19 } else { 13 };
            bytes[side] = if bytes[side] == b'B' { b'B' } else { b'S' };
        }
        let mut out = vec![0xaa];
        message.emit(version, &mut out).unwrap();
        prop_assert_eq!(&out[1..], &bytes[..]);
        prop_assert_eq!(Message::parse(version, &out[1..]).unwrap(), message);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes: Vec<u8>, v50: bool) {
        let version = if v50 { Version::V50 } else { Version::V41 };
        let mut count = Count::default();
        itch::visit(version, &bytes, &mut count);
        prop_assert_eq!(Message::parse(version, &bytes).err(), count.refused.first().copied());
    }
}
