//! The order log of the currency market, template 3610, as its exchange publishes it.

use decoder::Fast;
use decoder::fast::{Cause, Fault};
use fast::{ErrorCode, Framing, Templates};
use formats::{Event, Kind, Side, Symbol};

use crate::fast::{Given, SETTINGS, map, packet, recorded, templates};

const HEAD: &str = r#""MsgSeqNum":7,"SendingTime":190404100000000001"#;

fn message(head: &str, entries: &str) -> String {
    format!(r#"{{"id":3610,"fields":{{{head},"GroupMDEntries":[{entries}]}}}}"#)
}

#[test]
fn orders_enter_change_and_leave_under_their_numbers() {
    let Some(templates) = templates("moex-templates/asts-2017-03.xml") else {
        return;
    };
    let mut decoder = Fast::new(
        &templates,
        SETTINGS(),
        Framing::None,
        &map("moex-order-log.toml"),
    )
    .unwrap();
    let text = message(
        HEAD,
        concat!(
            r#"{"MDUpdateAction":0,"MDEntryType":"0","MDEntryID":"18446744073709551615","Symbol":"EUR_RUB__TOM","MDEntryPx":"735125e-4","MDEntrySize":"5e0"},"#,
            r#"{"MDUpdateAction":1,"MDEntryType":"1","MDEntryID":"12","Symbol":"USDTOM","MDEntryPx":"65e0","MDEntrySize":"2e0"},"#,
            r#"{"MDUpdateAction":2,"MDEntryType":"1","MDEntryID":"12","Symbol":"USDTOM","MDEntryPx":"65e0","MDEntrySize":"2e0"},"#,
            r#"{"MDUpdateAction":2,"MDEntryType":"J","Symbol":"USDTOM"},"#,
            r#"{"MDEntryType":"1","MDEntryID":"13","Symbol":"USDTOM","MDEntryPx":"651e-1","MDEntrySize":"1e1"}"#
        ),
    );
    let status = r#"{"id":2106,"fields":{"MsgSeqNum":8,"SendingTime":190404100000000002,"Symbol":"USDTOM","SecurityTradingStatus":17}}"#;
    let mut given = Given::default();
    let cause = decoder.datagram(&packet(&templates, &[&text, status]), &mut given);
    assert_eq!(cause, Cause::Good);
    let head = Event {
        nanoseconds: 10 * 3_600_000_000_000 + 1_000,
        sequence: 7,
        ..Event::new(Kind::Add, b'X')
    };
    let short = Symbol::of_name(b"USDTOM");
    let expected = [
        Event {
            side: Side::Buy,
            symbol: Symbol::of_name(b"EUR_RUB__TOM"),
            price: 735_125,
            quantity: 5,
            order_id: u64::MAX,
            ..head
        },
        Event {
            kind: Kind::Modify,
            side: Side::Sell,
            symbol: short,
            price: 650_000,
            quantity: 2,
            order_id: 12,
            ..head
        },
        // Of a delete nothing is needed but the number.
        Event {
            kind: Kind::Delete,
            symbol: short,
            order_id: 12,
            ..head
        },
        Event {
            kind: Kind::Clear,
            symbol: short,
            ..head
        },
        Event {
            side: Side::Sell,
            symbol: short,
            price: 651_000,
            quantity: 10,
            order_id: 13,
            ..head
        },
        Event {
            symbol: short,
            quantity: 17,
            nanoseconds: head.nanoseconds + 1_000,
            sequence: 8,
            last: true,
            ..Event::new(Kind::Status, b'f')
        },
    ];
    assert_eq!(given.events, expected);
    assert_eq!(decoder.expected(), Some(9));
}

#[test]
fn a_packet_with_a_faulty_entry_gives_nothing_and_is_missing_from_the_next() {
    let Some(templates) = templates("moex-templates/asts-2017-03.xml") else {
        return;
    };
    let map = map("moex-order-log.toml");
    let mut decoder = Fast::new(&templates, SETTINGS(), Framing::Preamble, &map).unwrap();
    let mut given = Given::default();
    let mut send = |number: u32, id: &str| {
        let head = format!(r#""MsgSeqNum":{number},"SendingTime":190404100000000001"#);
        let entry = |id| {
            format!(
                r#"{{"MDUpdateAction":2,"MDEntryType":"0","MDEntryID":"{id}","Symbol":"USDTOM"}}"#
            )
        };
        let entries = format!("{},{}", entry("1"), entry(id));
        let mut datagram = number.to_le_bytes().to_vec();
        datagram.extend(packet(&templates, &[&message(&head, &entries)]));
        decoder.datagram(&datagram, &mut given)
    };
    assert_eq!(send(7, "2"), Cause::Good);
    assert_eq!(send(8, "2x"), Cause::Faulty(Fault::OrderId));
    assert_eq!(send(9, "3"), Cause::Good);
    assert_eq!(send(9, "3"), Cause::Old);
    assert_eq!(send(10, "4"), Cause::Good);
    let ids: Vec<u64> = given.events.iter().map(|event| event.order_id).collect();
    assert_eq!(ids, [1, 2, 1, 3, 1, 4]);
    let lost: Vec<u64> = given.frames.iter().map(|frame| frame.lost).collect();
    assert_eq!(lost, [0, 1, 1]);
    let counters = decoder.counters();
    assert_eq!(counters.faults(Fault::OrderId), 1);
    assert_eq!((counters.fast_old, counters.fast_gap), (1, 1));
    // Cut off: not what the template says.
    let cause = decoder.datagram(&[11, 0, 0, 0, 0xc0], &mut given);
    assert_eq!(cause, Cause::Malformed(ErrorCode::Truncated));
    let counters = decoder.counters();
    assert_eq!(counters.fast_malformed, 1);
    let causes: Vec<_> = counters.causes().collect();
    assert_eq!(causes, [("truncated", 1), ("bad_order_id", 1)]);
}

/// Sums over the recorded packets by a decoder in another language; without the four that have a price of more than the map's four decimals.
#[test]
fn recorded_packets_are_the_same_events_with_the_shipped_templates_and_the_exchanges() {
    let files = (
        templates("moex-templates/asts-2017-03.xml"),
        recorded("moex-order-log/packets.bin"),
    );
    let (Some(theirs), Some(bytes)) = files else {
        return;
    };
    let shipped = include_str!("../../../../desks/fast/order-log.xml");
    let shipped = Templates::parse(shipped).unwrap();
    let map = map("moex-order-log.toml");
    let mut all = vec![];
    for templates in [&shipped, &theirs] {
        let (mut rest, mut given) = (bytes.as_slice(), Given::default());
        let mut number = 0;
        while let Some((length, after)) = rest.split_first_chunk() {
            let (packet, after) = after.split_at(u16::from_be_bytes(*length).into());
            let mut decoder = Fast::new(templates, SETTINGS(), Framing::Preamble, &map).unwrap();
            if ![9, 104, 111, 116].contains(&number) {
                assert_eq!(decoder.datagram(packet, &mut given), Cause::Good);
            }
            (rest, number) = (after, number + 1);
        }
        assert_eq!(number, 150);
        all.push(given.events);
    }
    assert_eq!(all[0], all[1]);
    let of = |kinds: &[Kind]| {
        let events = all[0].iter().filter(|event| kinds.contains(&event.kind));
        events.copied().collect::<Vec<Event>>()
    };
    let counts = [Kind::Add, Kind::Modify, Kind::Delete].map(|kind| of(&[kind]).len());
    assert_eq!((counts, all[0].len()), ([75, 1, 114], 190));
    let there = of(&[Kind::Add, Kind::Modify]);
    let prices: i64 = there.iter().map(|event| event.price).sum();
    let quantities: u64 = there.iter().map(|event| event.quantity).sum();
    assert_eq!((prices, quantities), (131_768_096, 268_970));
    let bids = there.iter().filter(|event| event.side == Side::Buy);
    assert_eq!(bids.count(), 39);
    let ids: u64 = all[0].iter().map(|event| event.order_id).sum();
    assert_eq!(ids, 4_073_870);
    let dollar = Symbol::of_name(b"USD000UTSTOM");
    let dollars = all[0].iter().filter(|event| event.symbol == dollar);
    assert_eq!(dollars.count(), 80);
}
