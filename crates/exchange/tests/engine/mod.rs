//! The matching engine: its rules one by one, and long random days against a naive model.

pub mod model;

use std::collections::HashMap;

use exchange::engine::{Engine, Instrument, MOST_LEVELS};
use exchange::order::{Kind, NewOrder, OrderId, Refusal, Replacement, TimeInForce};
use exchange::{Event, order};
use formats::Side;
use model::{Fact, Model};
use proptest::prelude::*;

const BAND: Instrument = Instrument {
    lowest_price: 90,
    highest_price: 110,
    largest_quantity: 1_000,
};
const CLIENT: u32 = 7;

fn limit(side: Side, price: i64, quantity: u64, tag: u64) -> NewOrder {
    NewOrder {
        client: CLIENT,
        tag,
        side,
        price,
        quantity,
        ..NewOrder::default()
    }
}

/// An engine of one instrument, and what it said.
struct Desk {
    engine: Engine,
    events: Vec<Event>,
}

impl Desk {
    fn new() -> Self {
        let mut engine = Engine::new(100);
        engine.add(&BAND);
        Desk {
            engine,
            events: vec![],
        }
    }

    fn submit(&mut self, new: NewOrder) -> Result<OrderId, Refusal> {
        let events = &mut self.events;
        self.engine
            .submit(&new, &mut |event: &Event| events.push(*event))
    }

    fn replace(&mut self, id: OrderId, price: i64, quantity: u64) -> Result<OrderId, Refusal> {
        let with = Replacement {
            tag: 0,
            price,
            trigger: 0,
            quantity,
        };
        self.engine.replace(CLIENT, id, &with, &mut |_: &Event| ())
    }

    fn trades(&self) -> Vec<(u64, i64, u64)> {
        let trade = |event: &Event| match event {
            Event::Traded {
                maker,
                price,
                quantity,
                ..
            } => Some((maker.tag, *price, *quantity)),
            _ => None,
        };
        self.events.iter().filter_map(trade).collect()
    }

    fn queue(&self, side: Side) -> Vec<u64> {
        self.engine
            .orders(0, side)
            .map(|order| order.party.tag)
            .collect()
    }
}

#[test]
fn the_best_price_trades_first_then_the_oldest_order() {
    let mut desk = Desk::new();
    for (price, tag) in [(101, 1), (100, 2), (100, 3), (102, 4)] {
        desk.submit(limit(Side::Sell, price, 10, tag)).unwrap();
    }
    desk.submit(limit(Side::Buy, 101, 25, 5)).unwrap();
    assert_eq!(desk.trades(), [(2, 100, 10), (3, 100, 10), (1, 101, 5)]);
    assert_eq!(desk.queue(Side::Sell), [1, 4]);
    assert_eq!(desk.engine.last_price(0), Some(101));
}

#[test]
fn a_replacement_keeps_its_place_unless_the_price_changes_or_the_quantity_rises() {
    for (price, quantity, expected) in [
        (100, 5, [1, 2]),
        (100, 10, [1, 2]),
        (100, 11, [2, 0]),
        (101, 5, [2, 0]),
    ] {
        let mut desk = Desk::new();
        let first = desk.submit(limit(Side::Sell, 100, 10, 1)).unwrap();
        desk.submit(limit(Side::Sell, 100, 10, 2)).unwrap();
        let id = desk.replace(first, price, quantity).unwrap();
        let kept = expected[0] == 1;
        let queue: Vec<_> = desk.queue(Side::Sell);
        assert_eq!(
            queue,
            if kept { [0, 2] } else { [2, 0] },
            "{price} {quantity}"
        );
        assert_eq!(id == first, kept);
        assert_eq!(desk.engine.order(id).unwrap().party.remaining, quantity);
    }
}

#[test]
fn what_is_hostile_is_refused_with_its_reason_and_changes_nothing() {
    let mut desk = Desk::new();
    let good = limit(Side::Buy, 100, 10, 1);
    let stop = NewOrder {
        kind: Kind::StopLimit,
        trigger: 100,
        ..good
    };
    for (new, refusal) in [
        (
            NewOrder {
                instrument: 1,
                ..good
            },
            Refusal::Instrument,
        ),
        (
            NewOrder {
                instrument: u32::MAX,
                ..good
            },
            Refusal::Instrument,
        ),
        (
            NewOrder {
                quantity: 0,
                ..good
            },
            Refusal::ZeroQuantity,
        ),
        (
            NewOrder {
                quantity: 1_001,
                ..good
            },
            Refusal::LargeQuantity,
        ),
        (
            NewOrder {
                quantity: u64::MAX,
                ..good
            },
            Refusal::LargeQuantity,
        ),
        (NewOrder { price: 89, ..good }, Refusal::Price),
        (NewOrder { price: 111, ..good }, Refusal::Price),
        (
            NewOrder {
                price: i64::MIN,
                ..good
            },
            Refusal::Price,
        ),
        (
            NewOrder {
                price: i64::MAX,
                ..good
            },
            Refusal::Price,
        ),
        (
            NewOrder {
                trigger: 111,
                ..stop
            },
            Refusal::Trigger,
        ),
        (
            NewOrder {
                trigger: i64::MIN,
                ..stop
            },
            Refusal::Trigger,
        ),
    ] {
        assert_eq!(desk.submit(new), Err(refusal), "{new:?}");
    }
    assert!(desk.events.is_empty());
    let id = desk.submit(good).unwrap();
    let sink = &mut |_: &Event| ();
    assert_eq!(
        desk.engine.cancel(CLIENT + 1, id, sink),
        Err(Refusal::Client)
    );
    assert_eq!(
        desk.engine.cancel(CLIENT, OrderId(0), sink),
        Err(Refusal::Order)
    );
    assert_eq!(
        desk.engine.cancel(CLIENT, OrderId(u64::MAX), sink),
        Err(Refusal::Order)
    );
    assert_eq!(desk.engine.cancel(CLIENT, id, sink), Ok(()));
    assert_eq!(desk.engine.cancel(CLIENT, id, sink), Err(Refusal::Order));
}

#[test]
fn an_id_is_not_used_again_when_its_place_is() {
    let mut desk = Desk::new();
    let first = desk.submit(limit(Side::Buy, 100, 10, 1)).unwrap();
    desk.engine
        .cancel(CLIENT, first, &mut |_: &Event| ())
        .unwrap();
    let second = desk.submit(limit(Side::Buy, 100, 10, 2)).unwrap();
    assert_ne!(first, second);
    assert_eq!(desk.engine.order(first), None);
    assert_eq!(
        desk.engine.cancel(CLIENT, first, &mut |_: &Event| ()),
        Err(Refusal::Order)
    );
}

#[test]
fn a_full_engine_refuses_and_takes_orders_again_when_one_has_left() {
    let mut engine = Engine::new(3);
    engine.add(&BAND);
    let sink = &mut |_: &Event| ();
    let ids: Vec<_> = (0..3)
        .map(|tag| engine.submit(&limit(Side::Buy, 100, 1, tag), sink).unwrap())
        .collect();
    assert_eq!(
        engine.submit(&limit(Side::Buy, 100, 1, 3), sink),
        Err(Refusal::Full)
    );
    engine.cancel(CLIENT, ids[1], sink).unwrap();
    assert!(engine.submit(&limit(Side::Buy, 100, 1, 4), sink).is_ok());
}

#[test]
fn a_band_that_is_too_wide_ends_where_the_ladder_does() {
    let mut engine = Engine::new(3);
    engine.add(&Instrument {
        lowest_price: -5,
        highest_price: i64::MAX,
        largest_quantity: u64::MAX,
    });
    engine.add(&Instrument {
        lowest_price: 5,
        highest_price: 4,
        largest_quantity: 1,
    });
    let sink = &mut |_: &Event| ();
    let highest = MOST_LEVELS as i64 - 6;
    assert!(
        engine
            .submit(&limit(Side::Buy, highest, order::LARGEST_QUANTITY, 0), sink)
            .is_ok()
    );
    assert_eq!(
        engine.submit(&limit(Side::Buy, highest + 1, 1, 0), sink),
        Err(Refusal::Price)
    );
    assert_eq!(
        engine.submit(&limit(Side::Buy, 0, order::LARGEST_QUANTITY + 1, 0), sink),
        Err(Refusal::LargeQuantity)
    );
    let other = NewOrder {
        instrument: 1,
        ..limit(Side::Buy, 4, 1, 0)
    };
    assert_eq!(engine.submit(&other, sink), Err(Refusal::Price));
}

#[derive(Clone, Debug)]
enum Command {
    Submit(NewOrder),
    /// The order, by how far back its tag is.
    Cancel(usize),
    Replace(usize, Replacement),
}

fn command() -> impl Strategy<Value = Command> {
    let side = prop_oneof![Just(Side::Buy), Just(Side::Sell)];
    let kind = prop_oneof![
        6 => Just(Kind::Limit), 1 => Just(Kind::Market), 2 => Just(Kind::Stop), 2 => Just(Kind::StopLimit)
    ];
    let time = prop_oneof![
        6 => Just(TimeInForce::Day), 1 => Just(TimeInForce::ImmediateOrCancel), 1 => Just(TimeInForce::FillOrKill)
    ];
    // A little outside the band now and then.
    let price = || prop_oneof![20 => 95..105_i64, 1 => 88..=112_i64];
    let quantity = || prop_oneof![20 => 1..60_u64, 1 => 0..1_100_u64];
    let new = (side, kind, time, price(), price(), quantity());
    let new = new.prop_map(|(side, kind, time_in_force, price, trigger, quantity)| {
        let order = limit(side, price, quantity, 0);
        Command::Submit(NewOrder {
            kind,
            time_in_force,
            trigger,
            ..order
        })
    });
    let replacement = (0..30_usize, price(), price(), quantity());
    let replacement = replacement.prop_map(|(back, price, trigger, quantity)| {
        Command::Replace(
            back,
            Replacement {
                tag: 0,
                price,
                trigger,
                quantity,
            },
        )
    });
    prop_oneof![6 => new, 2 => (0..30_usize).prop_map(Command::Cancel), 2 => replacement]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    #[test]
    fn a_random_day_goes_as_in_the_model(commands in prop::collection::vec(command(), 1..120)) {
        let mut engine = Engine::new(1_000);
        engine.add(&BAND);
        let mut model = Model { lowest: 90, highest: 110, largest: 1_000, ..Model::default() };
        let mut facts: Vec<Fact> = vec![];
        let mut ids: HashMap<u64, OrderId> = HashMap::new();
        let mut tag = 0;
        for command in commands {
            tag += 1;
            let sink = &mut |event: &Event| facts.push(event.into());
            let (found, expected) = match command {
                Command::Submit(new) => {
                    let new = NewOrder { tag, ..new };
                    let found = engine.submit(&new, sink);
                    (found.map(|id| ids.insert(tag, id)).err(), model.submit(&new).err())
                }
                Command::Cancel(back) => {
                    let back = tag.saturating_sub(back as u64);
                    let id = ids.get(&back).copied().unwrap_or_default();
                    (engine.cancel(CLIENT, id, sink).err(), model.cancel(back).err())
                }
                Command::Replace(back, with) => {
                    let back = tag.saturating_sub(back as u64);
                    let with = Replacement { tag, ..with };
                    let id = ids.get(&back).copied().unwrap_or_default();
                    let found = engine.replace(CLIENT, id, &with, sink);
                    // The order has the new tag from now on.
                    let found = found.map(|id| {
                        ids.remove(&back);
                        ids.insert(tag, id);
                    });
                    (found.err(), model.replace(back, &with).err())
                }
            };
            prop_assert_eq!(found, expected);
            prop_assert_eq!(&facts, &model.facts);
            facts.clear();
            model.facts.clear();
        }
        for (side, queue) in [(Side::Buy, &model.bids), (Side::Sell, &model.offers)] {
            let mut expected: Vec<_> = queue.iter().map(|(price, orders)| {
                (*price, orders.iter().map(|o| o.remaining).sum::<u64>(), orders.iter().map(|o| o.new.tag).collect::<Vec<_>>())
            }).collect();
            if side == Side::Buy {
                expected.reverse();
            }
            let levels: Vec<_> = engine.levels(0, side).map(|level| (level.price, level.quantity)).collect();
            prop_assert_eq!(levels, expected.iter().map(|(p, q, _)| (*p, *q)).collect::<Vec<_>>());
            let tags: Vec<_> = engine.orders(0, side).map(|order| order.party.tag).collect();
            prop_assert_eq!(tags, expected.into_iter().flat_map(|(_, _, tags)| tags).collect::<Vec<_>>());
        }
        prop_assert_eq!(engine.last_price(0), model.last);
    }
}
