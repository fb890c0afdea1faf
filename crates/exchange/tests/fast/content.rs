//! The messages of a short day, field by field.

use exchange::{Exchange, FastPublisher, Request};
use fast::{Decoder, Framing, Json, MessageBuilder, Templates};
use formats::Side;
use formats::fix::Timestamp;
use serde_json::{Value, json};

use crate::common::{NOW, cancel, exchange, limit, replace};
use crate::fast::{SETTINGS, Sent, line, template_files};

/// The entries of the packets since the last call, without what is the same in all.
fn entries(templates: &Templates, sent: &Sent) -> Vec<Vec<Value>> {
    let json = Json::new(templates);
    let mut messages = MessageBuilder::new(templates);
    let packets: Vec<_> = sent.borrow_mut().drain(..).collect();
    let read = |packet: &Vec<u8>| {
        let mut decoder = Decoder::with(templates, SETTINGS());
        Framing::Preamble
            .next(&mut decoder, packet, 0, &mut messages)
            .unwrap();
        let message: Value = serde_json::from_str(&json.write(&messages.take()[0])).unwrap();
        assert_eq!(message["id"], 3610);
        let fields = message["fields"].as_object().unwrap();
        assert_eq!(fields["SendingTime"], 261_121_165_614_123_000_u64);
        let entries = fields.values().find_map(Value::as_array).unwrap();
        let short = |entry: &Value| {
            let mut entry = entry.as_object().unwrap().clone();
            assert_eq!(entry.get("MDEntryDate"), None);
            if entry.contains_key("MDEntryTime") {
                assert_eq!(entry.remove("MDEntryTime"), Some(json!(165_614_000)));
                assert_eq!(entry.remove("OrigTime"), Some(json!(123_000)));
                assert_eq!(entry.remove("TradingSessionID"), Some(json!("CETS")));
                assert_eq!(entry.remove("TradingSessionSubID"), Some(json!("N")));
            }
            Value::Object(entry)
        };
        entries.iter().map(short).collect()
    };
    packets.iter().map(read).collect()
}

/// The number of the order that is there alone on a side.
fn id(exchange: &Exchange, side: Side) -> String {
    let mut orders = exchange.engine().orders(0, side);
    let order = orders.next().unwrap();
    assert!(orders.next().is_none());
    order.party.id.0.to_string()
}

#[test]
fn orders_are_told_as_they_enter_trade_shrink_are_replaced_and_leave() {
    for templates in template_files() {
        let mut exchange = exchange();
        let (line, sent) = line();
        let publisher = FastPublisher::new(&templates, vec![line]).unwrap();
        exchange.publish(Box::new(publisher), NOW);
        let empty = |symbol| json!({"MDUpdateAction": 0, "MDEntryType": "J", "Symbol": symbol});
        assert_eq!(
            entries(&templates, &sent),
            [[empty("AAPL"), empty("MSFT")]],
            "every book begins empty"
        );
        let entry = |action: u32,
                     side: &str,
                     id: &str,
                     report: u32,
                     price: &str,
                     size: Option<&str>| {
            let mut entry = json!({
                "MDUpdateAction": action, "MDEntryType": side, "MDEntryID": id, "Symbol": "AAPL",
                "RptSeq": report, "MDEntryPx": price,
            });
            if let Some(size) = size {
                entry["MDEntrySize"] = json!(size);
                entry["OrderStatus"] = json!("O");
            }
            entry
        };
        let send = |exchange: &mut Exchange, request: Request<'_>| {
            exchange.order(0, &request, NOW, &mut ()).unwrap();
            entries(&templates, &sent)
        };

        let sell = limit(b"s", Side::Sell, 5_000, 10);
        let told = send(&mut exchange, Request::New(sell));
        let first = id(&exchange, Side::Sell);
        assert_eq!(told, [[entry(0, "1", &first, 1, "5e1", Some("1e1"))]]);

        // It is bought in part; the buyer is not in the book.
        let buy = limit(b"b1", Side::Buy, 5_000, 4);
        let told = send(&mut exchange, Request::New(buy));
        assert_eq!(told, [[entry(1, "1", &first, 2, "5e1", Some("6e0"))]]);

        // Of a total of 8, four are traded.
        let told = send(
            &mut exchange,
            Request::Replace(replace(&sell, b"s2", 5_000, 8)),
        );
        assert_eq!(told, [[entry(1, "1", &first, 3, "5e1", Some("4e0"))]]);

        // At another price it is another order.
        let sell = limit(b"s2", Side::Sell, 5_000, 8);
        let told = send(
            &mut exchange,
            Request::Replace(replace(&sell, b"s3", 5_010, 9)),
        );
        let second = id(&exchange, Side::Sell);
        assert_ne!(first, second);
        assert_eq!(
            told,
            [[
                entry(2, "1", &first, 4, "5e1", None),
                entry(0, "1", &second, 5, "501e-1", Some("5e0"))
            ]]
        );

        // All of it is bought, and the rest of the buyer enters: one commit, one message.
        let buy = limit(b"b2", Side::Buy, 5_020, 7);
        let told = send(&mut exchange, Request::New(buy));
        let third = id(&exchange, Side::Buy);
        assert_eq!(
            told,
            [[
                entry(2, "1", &second, 6, "501e-1", None),
                entry(0, "0", &third, 7, "502e-1", Some("2e0"))
            ]]
        );

        let told = send(&mut exchange, Request::Cancel(cancel(&buy, b"c")));
        assert_eq!(told, [[entry(2, "0", &third, 8, "502e-1", None)]]);
    }
}

#[test]
fn after_the_snapshot_of_a_large_book_there_is_a_pause() {
    let templates = crate::fast::template_files().remove(0);
    let mut exchange = exchange();
    for number in 0..1_100 {
        let name = format!("N{number}").into_bytes();
        let buy = limit(&name, Side::Buy, 1_000 + number, 1);
        exchange.order(0, &Request::New(buy), NOW, &mut ()).unwrap();
    }
    let ((line, _), (snapshots, sent)) = (line(), line());
    let publisher = FastPublisher::new(&templates, vec![line]).unwrap();
    let publisher = publisher.with_snapshots(vec![snapshots], 1).unwrap();
    exchange.publish(Box::new(publisher), NOW);
    // In packets a millisecond: those of 1,100 orders, none for the rest of 44 ms, one of the empty book of the other instrument.
    let mut counts = vec![];
    for millisecond in 0..46 {
        exchange.give_snapshots(Timestamp(NOW.0 + millisecond * 1_000_000));
        counts.push(sent.borrow_mut().drain(..).count());
    }
    assert_eq!(counts[0], 16);
    assert!(counts[1] > 0 && counts[2..44] == [0; 42], "{counts:?}");
    assert_eq!(counts[44], 1);
}
