//! The messages that clients get, one by one.

use crate::common;
use common::{NOW, books, cancel, exchange, limit, price_request, replace};
use exchange::{Error, Exchange, Outgoing, Request};
use formats::Side;
use formats::fix::{self, *};

/// The messages that a request leads to, with their clients, as text: without times and ids that only count.
fn told(exchange: &mut Exchange, client: u32, request: Request<'_>) -> Vec<String> {
    let mut lines = vec![];
    exchange
        .order(
            client,
            &request,
            NOW,
            &mut |client: u32, message: &Outgoing<'_>| lines.push(line(client, message)),
        )
        .unwrap();
    lines
}

fn line(client: u32, message: &Outgoing<'_>) -> String {
    let header = Header {
        sender: b"X",
        target: b"Y",
        ..Header::default()
    };
    let mut buffer = [0; 8_192];
    let length = message
        .encode(&mut buffer, Version::Fix44, &header)
        .unwrap();
    let Frame::Message(found) = fix::frame(&buffer[..length], fix::LONGEST_BODY) else {
        panic!()
    };
    let fields = found
        .fields()
        .map(|field| field.unwrap())
        .filter(|field| ![49, 56, 34, 52, 60, 17, 55].contains(&field.tag));
    let fields: Vec<_> = fields
        .map(|field| format!("{}={}", field.tag, String::from_utf8_lossy(field.value)))
        .collect();
    format!(
        "{client}: 35={} {}",
        String::from_utf8_lossy(found.msg_type()),
        fields.join(" ")
    )
}

#[test]
fn an_order_is_accepted_and_both_sides_of_a_trade_are_told() {
    let mut exchange = exchange();
    let sell = limit(b"s1", Side::Sell, 5_000, 100);
    assert_eq!(
        told(&mut exchange, 0, Request::New(sell)),
        ["0: 35=8 37=1 11=s1 150=0 39=0 54=2 38=100 40=2 44=50.00 59=0 151=100 14=0 6=0.000000"]
    );
    told(
        &mut exchange,
        2,
        Request::New(limit(b"s2", Side::Sell, 5_001, 100)),
    );
    // In 4.2 a fill is called so, and ExecTransType is there.
    assert_eq!(
        told(
            &mut exchange,
            1,
            Request::New(limit(b"b1", Side::Buy, 5_001, 150))
        ),
        [
            "1: 35=8 37=3 11=b1 20=0 150=0 39=0 54=1 38=150 40=2 44=50.01 59=0 151=150 14=0 6=0.000000",
            "0: 35=8 37=1 11=s1 150=F 39=2 54=2 38=100 40=2 44=50.00 59=0 32=100 31=50.0000 151=0 14=100 6=50.000000",
            "1: 35=8 37=3 11=b1 20=0 150=1 39=1 54=1 38=150 40=2 44=50.01 59=0 32=100 31=50.0000 151=50 14=100 6=50.000000",
            "2: 35=8 37=2 11=s2 150=F 39=1 54=2 38=100 40=2 44=50.01 59=0 32=50 31=50.0100 151=50 14=50 6=50.010000",
            // (100 × 50.00 + 50 × 50.01) / 150 = 50.003333…
            "1: 35=8 37=3 11=b1 20=0 150=2 39=2 54=1 38=150 40=2 44=50.01 59=0 32=50 31=50.0100 151=0 14=150 6=50.003333",
        ]
    );
}

#[test]
fn what_is_not_filled_at_once_is_cancelled_where_it_may_not_wait() {
    let mut exchange = exchange();
    told(
        &mut exchange,
        0,
        Request::New(limit(b"s1", Side::Sell, 5_000, 10)),
    );
    let kill = NewOrderSingle {
        time_in_force: Some(TimeInForce::FillOrKill),
        ..limit(b"b1", Side::Buy, 5_000, 11)
    };
    assert_eq!(
        told(&mut exchange, 2, Request::New(kill))[1..],
        [
            "2: 35=8 37=2 11=b1 150=4 39=4 54=1 38=11 40=2 44=50.00 59=4 151=0 14=0 6=0.000000 58=Not filled at once"
        ]
    );
    let market = NewOrderSingle {
        order_type: OrdType::Market,
        price: None,
        ..limit(b"b2", Side::Buy, 0, 11)
    };
    let lines = told(&mut exchange, 2, Request::New(market));
    assert_eq!(lines.len(), 4);
    assert_eq!(
        lines[3],
        "2: 35=8 37=3 11=b2 150=4 39=4 54=1 38=11 40=1 59=0 151=0 14=10 6=50.000000 58=Not filled at once"
    );
}

#[test]
fn a_replacement_and_a_cancel_carry_both_names() {
    let mut exchange = exchange();
    let order = limit(b"a", Side::Buy, 4_000, 100);
    told(&mut exchange, 0, Request::New(order));
    assert_eq!(
        told(
            &mut exchange,
            0,
            Request::Replace(replace(&order, b"b", 4_100, 50))
        ),
        ["0: 35=8 37=1 11=b 41=a 150=5 39=0 54=1 38=50 40=2 44=41.00 59=0 151=50 14=0 6=0.000000"]
    );
    let renamed = NewOrderSingle {
        client_order_id: b"b",
        ..order
    };
    assert_eq!(
        told(&mut exchange, 0, Request::Cancel(cancel(&renamed, b"c"))),
        ["0: 35=8 37=1 11=c 41=b 150=4 39=4 54=1 38=50 40=2 44=41.00 59=0 151=0 14=0 6=0.000000"]
    );
    assert_eq!(exchange.live_orders(), 0);
}

/// What a client gets to a cancel and to a replacement of an order under a name, beyond what both have: they say the same.
fn refused_change(
    exchange: &mut Exchange,
    client: u32,
    order: &NewOrderSingle<'_>,
    name: &str,
) -> String {
    let named = NewOrderSingle {
        client_order_id: name.as_bytes(),
        ..*order
    };
    let mut answers = [
        (Request::Cancel(cancel(&named, b"x")), 1),
        (Request::Replace(replace(&named, b"x", 4_000, 50)), 2),
    ]
    .map(|(request, response)| {
        let lines = told(exchange, client, request);
        assert_eq!(lines.len(), 1, "{lines:?}");
        let line = lines[0].strip_prefix(&format!("{client}: 35=9 ")).unwrap();
        let line = line.replace(&format!(" 11=x 41={name}"), "");
        line.replace(&format!(" 434={response}"), "")
    });
    assert_eq!(answers[0], answers[1]);
    std::mem::take(&mut answers[0])
}

/// FIX 4.4 volume 4, OrderCancelReject: OrderID (37) is NONE where CxlRejReason (102) is unknown order, and OrdStatus (39) is that of the order.
/// CxlRejReason: 0 too late, 1 unknown order, 99 other; 4.2 ends at 3, and 2 is the broker's choice.
#[test]
fn a_refused_change_has_the_state_of_the_order_that_it_names() {
    let mut exchange = exchange();
    let act = |exchange: &mut Exchange, client, request| drop(told(exchange, client, request));
    for (client, other) in [(0, 99), (1, 2)] {
        let base = 4 * u64::from(client);
        let first = limit(b"a", Side::Buy, 4_000, 100);
        let unknown = "37=NONE 39=8 102=1 58=Unknown order";
        assert_eq!(refused_change(&mut exchange, client, &first, "a"), unknown);
        // Replaced twice: order 1.
        act(&mut exchange, client, Request::New(first));
        let second = replace(&first, b"b", 4_100, 100);
        act(&mut exchange, client, Request::Replace(second));
        let named = |name| NewOrderSingle {
            client_order_id: name,
            ..first
        };
        let third = replace(&named(b"b"), b"c", 4_100, 90);
        act(&mut exchange, client, Request::Replace(third));
        for name in ["a", "b"] {
            let text = "The order was replaced: its ClOrdID is c now";
            let number = base + 1;
            assert_eq!(
                refused_change(&mut exchange, client, &first, name),
                format!("37={number} 39=0 102={other} 58={text}")
            );
        }
        // Of another side or instrument than the request says.
        for wrong in [
            NewOrderSingle {
                side: Side::Sell,
                ..first
            },
            NewOrderSingle {
                symbol: b"MSFT",
                ..first
            },
        ] {
            let text = "Symbol or Side is not that of the order";
            let number = base + 1;
            assert_eq!(
                refused_change(&mut exchange, client, &wrong, "c"),
                format!("37={number} 39=0 102={other} 58={text}")
            );
        }
        // It trades in part, then the rest, with orders 2 and 3.
        act(
            &mut exchange,
            2,
            Request::New(NewOrderSingle {
                client_order_id: if client == 0 { b"s1" } else { b"s2" },
                ..limit(b"", Side::Sell, 4_100, 40)
            }),
        );
        let text = "The order was replaced: its ClOrdID is c now";
        assert_eq!(
            refused_change(&mut exchange, client, &first, "a"),
            format!("37={} 39=1 102={other} 58={text}", base + 1)
        );
        act(
            &mut exchange,
            2,
            Request::New(NewOrderSingle {
                client_order_id: if client == 0 { b"s3" } else { b"s4" },
                ..limit(b"", Side::Sell, 4_100, 50)
            }),
        );
        for name in ["a", "b", "c"] {
            assert_eq!(
                refused_change(&mut exchange, client, &first, name),
                format!("37={} 39=2 102=0 58=Too late to cancel", base + 1)
            );
        }
        // Cancelled: order 4.
        let fourth = limit(b"d", Side::Buy, 4_000, 10);
        act(&mut exchange, client, Request::New(fourth));
        act(
            &mut exchange,
            client,
            Request::Cancel(cancel(&fourth, b"e")),
        );
        assert_eq!(
            refused_change(&mut exchange, client, &fourth, "d"),
            format!("37={} 39=4 102=0 58=Too late to cancel", base + 4)
        );
    }
    assert_eq!(exchange.live_orders(), 0);
}

#[test]
fn an_order_that_makes_no_sense_is_rejected_with_its_reason_and_leaves_no_trace() {
    let mut exchange = exchange();
    told(
        &mut exchange,
        0,
        Request::New(limit(b"used", Side::Buy, 100, 1)),
    );
    let before = books(&exchange);
    let good = limit(b"a", Side::Buy, 5_000, 10);
    let long = [b'x'; 33];
    let price = |mantissa, scale| Some(Decimal::new(mantissa, scale));
    for (order, code, text) in [
        (
            NewOrderSingle {
                symbol: b"IBM",
                ..good
            },
            1,
            "Unknown symbol",
        ),
        (
            NewOrderSingle {
                symbol: b"\xff\xfe",
                ..good
            },
            1,
            "Unknown symbol",
        ),
        (
            NewOrderSingle {
                symbol: b"TOO LONG FOR US",
                ..good
            },
            1,
            "Unknown symbol",
        ),
        (
            NewOrderSingle {
                client_order_id: b"used",
                ..good
            },
            6,
            "Duplicate ClOrdID",
        ),
        (
            NewOrderSingle {
                client_order_id: &long,
                ..good
            },
            99,
            "ClOrdID longer than 32 bytes",
        ),
        (
            NewOrderSingle {
                quantity: None,
                ..good
            },
            13,
            "OrderQty missing, or not a whole number",
        ),
        (
            NewOrderSingle {
                quantity: price(15, 1),
                ..good
            },
            13,
            "OrderQty missing, or not a whole number",
        ),
        (
            NewOrderSingle {
                quantity: price(-5, 0),
                ..good
            },
            13,
            "OrderQty missing, or not a whole number",
        ),
        (
            NewOrderSingle {
                quantity: price(0, 0),
                ..good
            },
            13,
            "a quantity of zero",
        ),
        (
            NewOrderSingle {
                quantity: price(i64::MAX, 0),
                ..good
            },
            3,
            "quantity beyond the limit",
        ),
        (
            NewOrderSingle {
                price: None,
                ..good
            },
            99,
            "Price missing, or not a multiple of the tick",
        ),
        (
            NewOrderSingle {
                price: price(50_005, 3),
                ..good
            },
            99,
            "Price missing, or not a multiple of the tick",
        ),
        (
            NewOrderSingle {
                price: price(i64::MIN, 0),
                ..good
            },
            99,
            "Price missing, or not a multiple of the tick",
        ),
        (
            NewOrderSingle {
                price: price(-1, 2),
                ..good
            },
            99,
            "price outside the band",
        ),
        (
            NewOrderSingle {
                price: price(10_001, 2),
                ..good
            },
            99,
            "price outside the band",
        ),
        (
            NewOrderSingle {
                order_type: OrdType::Stop,
                ..good
            },
            99,
            "StopPx missing, or not a multiple of the tick",
        ),
        (
            NewOrderSingle {
                order_type: OrdType::Stop,
                stop_price: price(0, 0),
                ..good
            },
            99,
            "stop price outside the band",
        ),
    ] {
        let lines = told(&mut exchange, 0, Request::New(order));
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(
            lines[0].starts_with("0: 35=8 37=NONE 11=") && lines[0].contains(" 150=8 39=8 "),
            "{lines:?}"
        );
        assert!(
            lines[0].contains(&format!(" 103={code} "))
                && lines[0].ends_with(&format!(" 58={text}")),
            "{lines:?}"
        );
    }
    assert_eq!(books(&exchange), before);
    // Nothing of the name was stored either.
    assert!(told(&mut exchange, 0, Request::New(good))[0].contains(" 150=0 39=0 "));
}

#[test]
fn nobody_touches_an_order_of_another_client() {
    let mut exchange = exchange();
    let order = limit(b"a", Side::Buy, 4_000, 100);
    told(&mut exchange, 0, Request::New(order));
    let before = books(&exchange);
    let lines = told(&mut exchange, 2, Request::Cancel(cancel(&order, b"c")));
    assert_eq!(
        lines,
        ["2: 35=9 37=NONE 11=c 41=a 39=8 434=1 102=1 58=Unknown order"]
    );
    let lines = told(
        &mut exchange,
        2,
        Request::Replace(replace(&order, b"c", 1, 1)),
    );
    assert_eq!(
        lines,
        ["2: 35=9 37=NONE 11=c 41=a 39=8 434=2 102=1 58=Unknown order"]
    );
    assert_eq!(books(&exchange), before);
}

#[test]
fn a_message_that_is_not_spoken_here_is_answered_and_a_malformed_one_is_the_sessions() {
    let mut exchange = exchange();
    let mut lines = vec![];
    let mut send = |msg_type: &[u8]| {
        let mut buffer = [0; 256];
        let mut encoder = Encoder::new(&mut buffer, b"FIX.4.4", msg_type);
        Header {
            sender: b"ALICE",
            target: b"X",
            sequence: 7,
            ..Header::default()
        }
        .put(&mut encoder);
        let length = encoder.finish().unwrap();
        let Frame::Message(message) = fix::frame(&buffer[..length], 1_000) else {
            panic!()
        };
        exchange.message(
            0,
            &message,
            NOW,
            &mut |client: u32, message: &Outgoing<'_>| lines.push(line(client, message)),
        )
    };
    assert!(send(b"AE").is_ok());
    assert!(matches!(
        send(b"D"),
        Err(Error::Refusal(Refusal {
            tag: 11,
            reason: Reason::Missing
        }))
    ));
    assert_eq!(
        lines,
        ["0: 35=j 45=7 372=AE 380=3 58=Unsupported message type"]
    );
}

#[test]
fn prices_go_to_those_who_asked_until_they_ask_no_more() {
    let mut exchange = exchange();
    told(
        &mut exchange,
        0,
        Request::New(limit(b"s1", Side::Sell, 5_000, 10)),
    );
    let symbols = [RelatedSymbol { symbol: b"AAPL" }];
    let request = price_request(1, &symbols);
    assert_eq!(
        told(&mut exchange, 2, Request::Prices(request)),
        ["2: 35=W 262=r 268=1 269=1 270=50.0000 271=10"]
    );
    let lines = told(
        &mut exchange,
        0,
        Request::New(limit(b"b1", Side::Buy, 5_000, 4)),
    );
    assert_eq!(
        lines.last().unwrap(),
        "2: 35=X 262=r 268=2 279=0 269=2 270=50.0000 271=4 279=1 269=1 270=50.0000 271=6"
    );
    // Not the best price: not sent.
    let lines = told(
        &mut exchange,
        0,
        Request::New(limit(b"s2", Side::Sell, 5_001, 4)),
    );
    assert_eq!(lines.len(), 1);
    let unsubscribe = MarketDataRequest {
        subscription: SubscriptionRequestType::Unsubscribe,
        ..request
    };
    assert!(told(&mut exchange, 2, Request::Prices(unsubscribe)).is_empty());
    assert_eq!(
        told(
            &mut exchange,
            0,
            Request::New(limit(b"b2", Side::Buy, 4_000, 4))
        )
        .len(),
        1
    );
    let symbols = [RelatedSymbol { symbol: b"IBM" }];
    let lines = told(
        &mut exchange,
        2,
        Request::Prices(price_request(1, &symbols)),
    );
    assert_eq!(lines, ["2: 35=Y 262=r 281=0 58=Unknown symbol"]);
}
