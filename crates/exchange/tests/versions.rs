//! The exchange sends only what the version of its client has: each client's session checks it with its dictionary, and rejects what
//! is wrong.

use crate::running;
use std::collections::BTreeSet;
use std::time::{SystemTime, UNIX_EPOCH};

use formats::Side;
use formats::fix::{
    Body, Decimal, Header, MarketDataRequest, MdEntryType, NewOrderSingle, OrdType,
    OrderCancelReplaceRequest, OrderCancelRequest, RelatedSymbol, SubscriptionRequestType,
    Timestamp, Version,
};
use running::{PATIENCE, Running, TIME, log_on, order};
use session::{Event, Initiator, Memory};

/// Waits until a message of a type came; collects the types of all.
fn wait_for(client: &mut Initiator<Memory>, wanted: &str, types: &mut BTreeSet<String>) {
    loop {
        let event = client.wait(PATIENCE).unwrap();
        assert!(
            matches!(event, Some(Event::Message { .. })),
            "{event:?} instead of {wanted}"
        );
        let message = client.message().unwrap();
        let msg_type = String::from_utf8_lossy(message.msg_type()).into_owned();
        let arrived = msg_type == wanted;
        types.insert(msg_type);
        if arrived {
            return;
        }
    }
}

fn everything_is_valid(name: &str, version: Version) {
    let running = Running::start(None);
    let mut client = log_on(name, version, &running);
    let mut types = BTreeSet::new();
    let entry_types = [MdEntryType::Bid, MdEntryType::Offer, MdEntryType::Trade];
    for (symbol, answer) in [("ABC", "W"), ("NONE", "Y")] {
        let symbols = [RelatedSymbol {
            symbol: symbol.as_bytes(),
        }];
        let request = MarketDataRequest {
            request_id: symbol.as_bytes(),
            subscription: SubscriptionRequestType::Subscribe,
            update_type: Some(1),
            entry_types: entry_types[..].into(),
            symbols: symbols[..].into(),
            ..MarketDataRequest::default()
        };
        client.send(&request).unwrap();
        wait_for(&mut client, answer, &mut types);
    }
    // An order, its status, its replacement, trades with one of its own, a stop order, one that is refused.
    let first = order(b"A1", Side::Sell, 10, 1_000);
    client.send(&first).unwrap();
    wait_for(&mut client, "8", &mut types);
    let again = Header {
        possible_resend: Some(true),
        ..Header::default()
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let now = Timestamp(now.as_nanos() as u64);
    let body = |encoder: &mut formats::fix::Encoder<'_>| first.put(encoder);
    client
        .session_mut()
        .send_fields(now, b"D", &again, body)
        .unwrap();
    wait_for(&mut client, "8", &mut types);
    let replace = |name, original| OrderCancelReplaceRequest {
        client_order_id: name,
        original_client_order_id: original,
        symbol: b"ABC",
        side: Side::Sell,
        order_type: OrdType::Limit,
        quantity: Some(Decimal::new(8, 0)),
        price: Some(Decimal::new(1_001, 2)),
        handling: Some(b'1'),
        transact_time: TIME,
        ..OrderCancelReplaceRequest::default()
    };
    client.send(&replace(b"A2", b"A1")).unwrap();
    wait_for(&mut client, "8", &mut types);
    for (name, quantity) in [(&b"B1"[..], 3), (b"B2", 5)] {
        client
            .send(&order(name, Side::Buy, quantity, 1_001))
            .unwrap();
        (0..3).for_each(|_| wait_for(&mut client, "8", &mut types));
    }
    let stop = NewOrderSingle {
        order_type: OrdType::Stop,
        price: None,
        stop_price: Some(Decimal::new(900, 2)),
        ..order(b"S1", Side::Sell, 5, 0)
    };
    client.send(&stop).unwrap();
    wait_for(&mut client, "8", &mut types);
    let unknown = NewOrderSingle {
        symbol: b"NONE",
        ..order(b"N1", Side::Buy, 5, 1_000)
    };
    client.send(&unknown).unwrap();
    wait_for(&mut client, "8", &mut types);
    let cancel = |name, original| OrderCancelRequest {
        client_order_id: name,
        original_client_order_id: original,
        symbol: b"ABC",
        side: Side::Sell,
        transact_time: TIME,
        ..OrderCancelRequest::default()
    };
    client.send(&cancel(b"C1", b"S1")).unwrap();
    wait_for(&mut client, "8", &mut types);
    client.send(&cancel(b"C2", b"S1")).unwrap();
    wait_for(&mut client, "9", &mut types);
    client.send(&replace(b"C3", b"NONE")).unwrap();
    wait_for(&mut client, "9", &mut types);
    // What the version has, and the exchange does not speak; and a private message.
    for msg_type in [&b"6"[..], b"U1"] {
        let body = |encoder: &mut formats::fix::Encoder<'_>| encoder.field(58, &&b"hello"[..]);
        client
            .session_mut()
            .send_fields(now, msg_type, &Header::default(), body)
            .unwrap();
        wait_for(&mut client, "j", &mut types);
    }
    let counters = client.session().counters();
    assert_eq!(counters.rejected, 0, "{types:?}");
    let expected = ["8", "9", "W", "X", "Y", "j"].map(str::to_owned);
    assert_eq!(types, expected.into());
    running.stop();
}

#[test]
fn everything_the_exchange_sends_is_valid_in_4_2() {
    everything_is_valid("BOB", Version::Fix42);
}

#[test]
fn everything_the_exchange_sends_is_valid_in_4_4() {
    everything_is_valid("ALICE", Version::Fix44);
}
