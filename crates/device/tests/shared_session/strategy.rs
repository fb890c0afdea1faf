//! Orders of the strategy in the core: the host does not know their prices.

use device::BestPrice;
use device::shared_session::{Event, Origin, Outcome};
use formats::Side;
use order::{Number, Order};
use session::{Memory, Store};

use crate::shared_session::bench::{Bench, NOW, peer};

/// An order of the strategy, as it leaves the core: one price or another.
fn leave<S: Store>(bench: &mut Bench<S>, price: i64) {
    let order = Order {
        side: Side::Sell,
        price: Some(price),
        quantity: 7,
        ..Order::default()
    };
    bench.hardware().leave(&order, NOW.0);
}

fn trading() -> Bench<Memory> {
    let mut bench = Bench::new(Memory::default(), peer());
    let strategy = BestPrice {
        enabled: true,
        single: false,
        instrument: 0,
        side: Side::Sell,
        quantity: 7,
        client_id: 99,
    };
    let set = bench
        .shared_session
        .set_best_price(&mut bench.core, &strategy);
    assert_eq!(set.unwrap(), Ok(()));
    bench.connect();
    bench.settle();
    bench.events.clear();
    bench
}

#[test]
fn each_order_of_the_strategy_is_told_as_its_and_counts_as_open() {
    let mut bench = trading();
    leave(&mut bench, 1_000);
    // A stop and an order of the host never have the strategy's name.
    bench.arm(0, 1_234);
    bench.hardware().fire(0, NOW.0);
    leave(&mut bench, 1_010);
    bench.settle();
    let told: Vec<_> = bench
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Order {
                origin,
                order,
                outcome: Outcome::Sent { number, .. },
            } => Some((
                *origin,
                order.map(|order| (order.price, order.quantity)),
                number.get(),
            )),
            _ => None,
        })
        .collect();
    let strategy = |number| (Some(Origin::Strategy), Some((None, 7)), number);
    let stop = (Some(Origin::Stop(0)), Some((Some(1_234), 5)), 3);
    assert_eq!(told, [strategy(2), stop, strategy(4)]);
    assert_eq!(bench.shared_session.open_orders(), 3);
    let open = bench
        .shared_session
        .open_order(Number::new(4).unwrap())
        .unwrap();
    assert_eq!((open.quantity, open.side), (7, Side::Sell));
}

/// FIX 4.4, volume 2, "Resend request": a message that is not sent again is skipped by a gap fill.
#[test]
fn an_order_of_the_strategy_that_the_peer_asks_for_again_is_filled_as_a_gap() {
    let mut bench = trading();
    bench.lose = Some(b"D");
    leave(&mut bench, 1_000);
    leave(&mut bench, 1_010);
    bench.settle();
    assert_eq!(bench.peer.counters().gaps, 1);
    assert_eq!(bench.peer.store().next_incoming(), 4);
    let orders = bench
        .got
        .iter()
        .filter(|(_, bytes)| bytes.windows(6).any(|text| text == b"\x0135=D\x01"));
    assert_eq!(
        orders.map(|(sequence, _)| *sequence).collect::<Vec<_>>(),
        [3]
    );
}
