//! Everything that can be wrong with an entry is counted under its name.

use decoder::Fast;
use decoder::fast::{Cause, Fault, Map};
use fast::{Framing, Settings, Templates};
use formats::{Event, FeedInfo, Kind, Listener, Symbol};

use crate::fast::{Given, packet};

const XML: &str = r#"
<templates xmlns="http://www.fixprotocol.org/ns/fast/td/1.1">
  <template name="T" id="1">
    <int64 name="Number" id="34" presence="optional"/>
    <uInt64 name="Time" id="52" presence="optional"/>
    <sequence name="Entries"><length name="Count" id="268"/>
      <int32 name="Action" id="279" presence="optional"/>
      <string name="Type" id="269" presence="optional"/>
      <string name="Side" id="54" presence="optional"/>
      <string name="Symbol" id="55" presence="optional"/>
      <string name="Order" id="278" presence="optional"/>
      <decimal name="Price" id="270" presence="optional"/>
      <int64 name="Size" id="271" presence="optional"/>
      <int32 name="Orders" id="346" presence="optional"/>
      <sequence name="Inner"><length name="InnerCount" id="300"/><string name="Symbol" id="9000"/></sequence>
    </sequence>
  </template>
  <template name="U" id="2"><uInt64 name="Security" id="48"/><int32 name="Status" id="326" presence="optional"/></template>
</templates>"#;

const MAP: &str = r#"
price_scale = 2
quantity_scale = 1
[[template]]
id = 1
message_type = "X"
sequence = 34
time = { field = 52, decimals = 3 }
symbol = 55
order_id = 278
price = 270
quantity = 271
orders = 346
action = { field = 279, values = { 0 = "add", 1 = "level", 2 = "delete", 3 = "remove_level", 4 = "execute", 5 = "reduce", -1 = "modify" } }
entry_type = { field = 269, values = { n = "ignore", t = "trade", s = "status", A = "buy" } }
side = { field = 54, values = { B = "buy", S = "sell" } }
[[template]]
id = 2
message_type = "f"
symbol = 48
status = 326
kind = "status"
"#;

fn decoder() -> (Templates, Fast) {
    let templates = Templates::parse(XML).unwrap();
    let map = Map::parse(MAP).unwrap();
    let decoder = Fast::new(&templates, Settings::default(), Framing::None, &map).unwrap();
    (templates, decoder)
}

/// A packet with one entry; in place of it, the fields of the message.
fn send(fields: &str) -> (Cause, Vec<Event>, Fast) {
    let (templates, mut decoder) = decoder();
    let mut given = Given::default();
    let text = format!(r#"{{"id":1,"fields":{{{fields}}}}}"#);
    let cause = decoder.datagram(&packet(&templates, &[&text]), &mut given);
    (cause, given.events, decoder)
}

fn entry(fields: &str) -> (Cause, Vec<Event>, Fast) {
    send(&format!(
        r#""Entries":[{{{fields},"Inner":[{{"Symbol":"no"}}]}}]"#
    ))
}

#[test]
fn each_fault_is_told_and_counted_by_its_name() {
    let order = r#""Action":0,"Side":"B","Symbol":"A","Order":"1","Price":"1e0","Size":1"#;
    let (cause, events, _) = entry(order);
    assert_eq!((cause, events.len()), (Cause::Good, 1));
    let without = |field: &str| {
        let all = order.split(',').filter(|one| !one.contains(field));
        all.collect::<Vec<_>>().join(",")
    };
    let with = |field: &str, value: &str| {
        let all = order.split(',').map(|one| match one.contains(field) {
            true => format!("\"{field}\":{value}"),
            false => one.into(),
        });
        all.collect::<Vec<_>>().join(",")
    };
    for (fields, fault) in [
        (with("Action", "9"), Fault::UnknownAction),
        (with("Side", "\"X\""), Fault::UnknownSide),
        (with("Side", "\"BUYBUYBUY\""), Fault::UnknownSide),
        (format!(r#"{order},"Type":"z""#), Fault::UnknownEntryType),
        (without("Action"), Fault::NoAction),
        (without("Side"), Fault::NoSide),
        (without("Symbol"), Fault::NoSymbol),
        (without("Order"), Fault::NoOrderId),
        (without("Price"), Fault::NoPrice),
        (without("Size"), Fault::NoQuantity),
        (with("Symbol", "\"nine chars\""), Fault::Symbol),
        (with("Symbol", "\"ABCDEFGHIJKLM\""), Fault::Symbol),
        (with("Order", "\"12a\""), Fault::OrderId),
        (with("Order", "\"18446744073709551616\""), Fault::OrderId),
        (with("Order", "\"007\""), Fault::OrderId),
        (with("Price", "\"1e-3\""), Fault::PriceScale),
        (
            with("Price", "\"9223372036854775807e0\""),
            Fault::PriceScale,
        ),
        (with("Size", "-1"), Fault::QuantityScale),
        (with("Size", "922337203685477581"), Fault::QuantityScale),
        (format!(r#"{order},"Orders":-1"#), Fault::Number),
    ] {
        let (cause, events, decoder) = entry(&fields);
        assert_eq!(cause, Cause::Faulty(fault), "{fields}");
        assert_eq!(events, []);
        for other in Fault::ALL {
            let count = u32::from(other == fault);
            assert_eq!(
                decoder.counters().faults(other),
                count,
                "{fields}: {other:?}"
            );
        }
        assert_eq!(decoder.counters().fast_packets, 0);
    }
    let entries = format!(r#""Entries":[{{{order},"Inner":[]}}]"#);
    for (head, fault) in [
        (r#""Number":-1"#, Fault::Number),
        (r#""Time":250000000"#, Fault::Time),
    ] {
        let (cause, ..) = send(&format!("{head},{entries}"));
        assert_eq!(cause, Cause::Faulty(fault));
    }
}

/// Whoever trades `A` alone.
#[derive(Default)]
struct TradesA(Given);

impl Listener for TradesA {
    fn frame(&mut self, info: &FeedInfo) {
        self.0.frame(info);
    }

    fn event(&mut self, event: &Event) {
        self.0.event(event);
    }

    fn is_ours(&self, symbol: Option<Symbol>) -> bool {
        symbol.is_some_and(|symbol| symbol.to_string() == "A")
    }
}

/// Whatever an entry of another instrument says, whoever does not trade it has no gap; an entry that does not say whose it is may be his.
#[test]
fn what_cannot_be_read_of_an_instrument_that_is_not_ours_is_passed_over() {
    let wrong = [
        r#""Action":9,"Side":"B","Order":"1","Price":"1e0","Size":1"#,
        r#""Side":"X","Action":0,"Order":"1","Price":"1e0","Size":1"#,
        r#""Type":"z","Action":0,"Side":"B","Order":"1","Price":"1e0","Size":1"#,
        r#""Side":"B","Order":"1","Price":"1e0","Size":1"#,
        r#""Action":0,"Order":"1","Price":"1e0","Size":1"#,
        r#""Action":0,"Side":"B","Order":"12a","Price":"1e0","Size":1"#,
        r#""Action":0,"Side":"B","Order":"1","Price":"1e-5","Size":1"#,
        r#""Action":0,"Side":"B","Order":"1","Price":"1e0","Size":-1"#,
        r#""Action":0,"Side":"B","Order":"1","Price":"1e0","Size":1,"Orders":-1"#,
        r#""Action":2"#,
    ];
    let (templates, _) = decoder();
    for wrong in wrong {
        for (symbol, good) in [
            (r#","Symbol":"B""#, true),
            (r#","Symbol":"ABCDEFGHIJKLM""#, true),
            (r#","Symbol":"A""#, false),
            ("", false),
        ] {
            let (_, mut decoder) = self::decoder();
            let entry = |number: u64, fields: &str| {
                let own = format!(r#"{{"Action":2,"Symbol":"A","Order":"{number}","Inner":[]}}"#);
                let other = format!(r#"{{{fields},"Inner":[]}}"#);
                format!(r#"{{"id":1,"fields":{{"Number":{number},"Entries":[{own},{other}]}}}}"#)
            };
            let fine = r#""Action":2,"Symbol":"B","Order":"1""#;
            let mut given = TradesA::default();
            for text in [
                entry(1, fine),
                entry(2, &format!("{wrong}{symbol}")),
                entry(3, fine),
            ] {
                decoder.datagram(&packet(&templates, &[&text]), &mut given);
            }
            let what = format!("{wrong}{symbol}");
            let ours = given.0.events.iter();
            let ours = ours.filter(|event| event.symbol == "A".parse().ok());
            let ids: Vec<u64> = ours.map(|event| event.order_id).collect();
            let counters = decoder.counters();
            let counted = (counters.fast_gap, counters.fast_lost, counters.fast_foreign);
            if good {
                assert_eq!((ids, counted), (vec![1, 2, 3], (0, 0, 1)), "{what}");
                // The last event of a packet is the last that there is.
                let last: Vec<u64> = given
                    .0
                    .events
                    .iter()
                    .filter(|one| one.last)
                    .map(|one| one.sequence)
                    .collect();
                assert_eq!(last, [1, 2, 3]);
            } else {
                assert_eq!((ids, counted), (vec![1, 3], (1, 1, 0)), "{what}");
            }
        }
    }
}

#[test]
fn kinds_have_the_members_that_they_need_and_no_others() {
    let all = r#""Side":"S","Symbol":"A","Order":"7","Price":"15e-1","Size":3,"Orders":2"#;
    let expected = Event {
        side: formats::Side::Sell,
        symbol: "A".parse().ok(),
        order_id: 7,
        price: 150,
        quantity: 30,
        last: true,
        ..Event::new(Kind::Add, b'X')
    };
    let nothing = Event {
        symbol: expected.symbol,
        last: true,
        ..Event::new(Kind::Delete, b'X')
    };
    for (more, expected) in [
        (r#""Action":0"#, expected),
        (
            r#""Action":-1"#,
            Event {
                kind: Kind::Modify,
                ..expected
            },
        ),
        (
            r#""Type":"t""#,
            Event {
                kind: Kind::Trade,
                ..expected
            },
        ),
        // What the type says goes before what the action says.
        (
            r#""Action":2,"Type":"t""#,
            Event {
                kind: Kind::Trade,
                ..expected
            },
        ),
        (
            r#""Action":1"#,
            Event {
                kind: Kind::Level,
                order_id: 2,
                ..expected
            },
        ),
        (
            r#""Action":3"#,
            Event {
                kind: Kind::Level,
                order_id: 0,
                quantity: 0,
                ..expected
            },
        ),
        (
            r#""Action":2"#,
            Event {
                order_id: 7,
                ..nothing
            },
        ),
        (
            r#""Action":4"#,
            Event {
                kind: Kind::Execute,
                order_id: 7,
                price: 150,
                quantity: 30,
                ..nothing
            },
        ),
        (
            r#""Action":5"#,
            Event {
                kind: Kind::Reduce,
                order_id: 7,
                quantity: 30,
                ..nothing
            },
        ),
        (
            r#""Type":"s""#,
            Event {
                kind: Kind::Status,
                ..nothing
            },
        ),
    ] {
        let (cause, events, _) = entry(&format!("{more},{all}"));
        assert_eq!(
            (cause, &events[..]),
            (Cause::Good, &[expected][..]),
            "{more}"
        );
    }
}

#[test]
fn a_trade_of_nothing_or_without_a_price_is_no_trade() {
    for (price, size, kind) in [
        ("4995e-2", 10, Kind::Trade),
        ("-1e0", 1, Kind::Trade),
        ("4995e-2", 0, Kind::Status),
        ("0e0", 10, Kind::Status),
        ("0e0", 0, Kind::Status),
    ] {
        let (cause, events, _) = entry(&format!(
            r#""Type":"t","Symbol":"A","Order":"7","Price":"{price}","Size":{size}"#
        ));
        assert_eq!((cause, events.len()), (Cause::Good, 1));
        let event = events[0];
        assert_eq!(
            (event.kind, event.quantity, event.order_id),
            (kind, size * 10, 7),
            "{price} {size}"
        );
    }
}

#[test]
fn an_entry_that_the_map_ignores_is_counted_whatever_is_wrong_with_it() {
    let (cause, events, decoder) = entry(r#""Action":9,"Type":"n","Order":"x""#);
    assert_eq!((cause, events.len()), (Cause::Good, 0));
    assert_eq!(decoder.counters().fast_ignored, 1);
}

#[test]
fn a_side_may_come_with_the_type_and_a_message_without_a_sequence_is_an_event() {
    let (_, events, _) = entry(r#""Action":3,"Type":"A","Symbol":"A","Price":"1e0""#);
    assert_eq!((events[0].side, events[0].price), (formats::Side::Buy, 100));
    let (templates, mut decoder) = decoder();
    let mut given = Given::default();
    let bytes = packet(
        &templates,
        &[
            r#"{"id":2,"fields":{"Security":5,"Status":18}}"#,
            r#"{"id":2,"fields":{"Security":6}}"#,
        ],
    );
    assert_eq!(decoder.datagram(&bytes, &mut given), Cause::Good);
    let found: Vec<_> = given
        .events
        .iter()
        .map(|event| {
            (
                event.symbol.and_then(|key| key.id()),
                event.quantity,
                event.last,
            )
        })
        .collect();
    assert_eq!(found, [(Some(5), 18, false), (Some(6), 0, true)]);
    let bytes = packet(
        &templates,
        &[r#"{"id":2,"fields":{"Security":72057594037927936}}"#],
    );
    assert_eq!(
        decoder.datagram(&bytes, &mut given),
        Cause::Faulty(Fault::Symbol)
    );
}
