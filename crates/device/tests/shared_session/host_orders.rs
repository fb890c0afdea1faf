//! Orders of the host's own, through the hardware.

use device::OrderRefused;
use device::shared_session::{Event, Origin, Outcome};
use formats::Side;
use formats::fix::{self, Decimal, ExecType, ExecutionReport, OrdStatus, Version};
use order::{Kind, Number, Order};
use session::{Memory, Store};

use crate::shared_session::bench::{Bench, NOW, peer};

/// What the exchange says about an order.
pub fn report(
    sequence: u64,
    name: &[u8],
    original: Option<&[u8]>,
    what: ExecType,
    leaves: i64,
) -> Vec<u8> {
    let body = ExecutionReport {
        order_id: b"1",
        client_order_id: Some(name),
        original_client_order_id: original,
        execution_id: b"1",
        execution_type: what,
        status: match what {
            ExecType::Canceled => OrdStatus::Canceled,
            _ => OrdStatus::New,
        },
        symbol: b"ABC",
        leaves_quantity: Decimal::new(leaves, 0),
        ..ExecutionReport::default()
    };
    let header = fix::Header {
        sender: b"EX",
        target: b"ALICE",
        sequence,
        sending_time: NOW,
        ..fix::Header::default()
    };
    let mut buffer = [0; 512];
    let length = fix::encode(&mut buffer, Version::Fix44, &header, &body).unwrap();
    buffer[..length].to_vec()
}

/// New, replaced, cancelled: the limits get back what was not filled.
#[test]
fn orders_of_the_host_leave_are_told_and_kept_and_what_they_had_taken_comes_back() {
    let mut bench = new_replaced_cancelled(false);
    assert!(!bench.shared_session.core_corrects());
    assert_eq!(bench.hardware().prefix.len(), 1, "it is not there");
    assert_eq!(bench.hardware().adjusted, [(0, 0, -10, 0), (0, 0, -25, 1)]);
    assert_eq!(bench.shared_session.open_orders(), 0);
}

/// The core has read the same reports: what it has given back is not given back twice.
#[test]
fn nothing_is_corrected_in_a_core_that_does_it_itself() {
    let mut bench = new_replaced_cancelled(true);
    assert!(bench.shared_session.core_corrects());
    // With the end of the prefix the decimals of the prices: two.
    let told = [(256, 0x200 | u64::from(b'T')), (257, 0x2100)];
    assert_eq!(bench.hardware().prefix, told);
    assert_eq!(bench.hardware().adjusted, []);
    assert_eq!(bench.shared_session.open_orders(), 0);
}

fn new_replaced_cancelled(reads_reports: bool) -> Bench<Memory> {
    let mut bench = Bench::new(Memory::default(), peer());
    bench.hardware().reads_reports = reads_reports;
    bench.connect();
    bench.settle();
    bench.events.clear();
    let number = |value| Number::new(value).unwrap();
    let order = |kind, price, quantity| Order {
        kind,
        side: Side::Sell,
        price,
        quantity,
        ..Order::default()
    };
    let orders = [
        order(Kind::New, Some(1_000), 10),
        order(Kind::Replace(number(2)), Some(1_001), 25),
        order(Kind::Cancel(number(3)), None, 25),
    ];
    let reports = [
        report(2, b"T000000002", None, ExecType::New, 10),
        report(
            3,
            b"T000000003",
            Some(b"T000000002"),
            ExecType::Replaced,
            25,
        ),
        report(4, b"T000000004", Some(b"T000000003"), ExecType::Canceled, 0),
    ];
    for ((order, report), count) in orders.iter().zip(reports).zip(1..) {
        let sent = bench.shared_session.send_order(&mut bench.core, order, 0);
        assert_eq!(sent.unwrap(), Ok(()));
        let given = bench.hardware().given.take().unwrap();
        assert_eq!(
            Order {
                client_id: 0,
                ..given
            },
            *order
        );
        bench.hardware().leave(&given, NOW.0);
        bench.settle();
        let Some(Event::Order {
            origin,
            order: told,
            outcome: Outcome::Sent { number, .. },
        }) = bench.events.pop()
        else {
            panic!("{:?}", bench.events);
        };
        assert_eq!((origin, number.get()), (Some(Origin::Host), count + 1));
        assert_eq!(told, Some(given));
        let (sequence, left) = bench.got.last().cloned().unwrap();
        let store = bench.shared_session.session().store();
        assert_eq!(
            store.sent(sequence, sequence).unwrap(),
            Some((sequence, left))
        );
        bench.hardware().bytes.extend(report);
        bench.settle();
        bench.events.clear();
    }
    bench
}

#[test]
fn an_order_of_the_host_that_the_core_refuses_is_told_why_and_forgotten() {
    let mut bench = Bench::new(Memory::default(), peer());
    let order = Order {
        price: Some(1_000),
        quantity: 10,
        instrument: 9,
        ..Order::default()
    };
    let send = |bench: &mut Bench<Memory>, order: &Order| {
        let answer = bench.shared_session.send_order(&mut bench.core, order, 0);
        answer.unwrap()
    };
    for (text, refused) in [
        (0, OrderRefused::Waiting),
        (1, OrderRefused::Quantity(10)),
        (2, OrderRefused::Price(1_000)),
        (3, OrderRefused::Instrument(9)),
    ] {
        bench.hardware().operation_state = text << 8;
        assert_eq!(send(&mut bench, &order), Err(refused));
    }
    bench.hardware().given = None;
    let wide = Order {
        price: Some(1 << 47),
        ..order
    };
    assert_eq!(send(&mut bench, &wide), Err(OrderRefused::Price(1 << 47)));
    let replacement = Order {
        kind: Kind::Replace(Number::new(2).unwrap()),
        price: None,
        ..order
    };
    assert_eq!(send(&mut bench, &replacement), Err(OrderRefused::NoPrice));
    assert_eq!(bench.hardware().given, None);
    // A market order has the price by which its notional is computed.
    bench.hardware().operation_state = 2;
    let market = Order {
        price: None,
        ..order
    };
    let sent = bench
        .shared_session
        .send_order(&mut bench.core, &market, -5);
    assert_eq!(sent.unwrap(), Ok(()));
    let words = [3, 4].map(|index| bench.hardware().operand(index));
    assert_eq!(words, [0xffff_fffb, 0xffff_ffff]);
    assert_eq!(bench.hardware().given.unwrap().price, None);
}
