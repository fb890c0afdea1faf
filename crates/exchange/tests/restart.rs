//! A restart is in the state of the end: random requests, an end between any two calls of the system, many rewrites of the journal, compared
//! with the engine's rules written once more and a plain list of names.

use crate::common;
use crate::engine::model;
use std::collections::HashMap;
use std::io;
use std::path::Path;

use common::{LIMITS, NOW, exchange};
use exchange::order::{Kind, NewOrder, Replacement, TimeInForce};
use exchange::{Exchange, Outgoing, Request};
use formats::Side;
use formats::fix::{
    self, Decimal, NewOrderSingle, OrdStatus, OrdType, OrderCancelReplaceRequest,
    OrderCancelRequest, Timestamp,
};
use model::{Fact, Model};
use proptest::prelude::*;
use session::{Call, Durability};

const DAY: u64 = 86_400_000_000_000;
const SYMBOLS: [&[u8]; 2] = [b"AAPL", b"MSFT"];

#[derive(Clone, Debug)]
enum Act {
    New {
        client: u32,
        name: u8,
        instrument: usize,
        side: Side,
        order_type: OrdType,
        time_in_force: fix::TimeInForce,
        cents: i64,
        stop: i64,
        quantity: u64,
    },
    Cancel {
        client: u32,
        name: u8,
    },
    Replace {
        client: u32,
        name: u8,
        new_name: u8,
        cents: i64,
        stop: i64,
        quantity: u64,
    },
    Midnight,
    Commit,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let (client, name) = (0..3_u32, 0..60_u8);
    let (cents, quantity) = (4_990..5_010_i64, 0..60_u64);
    let side = prop_oneof![Just(Side::Buy), Just(Side::Sell)];
    let order_type = prop_oneof![
        8 => Just(OrdType::Limit), 1 => Just(OrdType::Market),
        2 => Just(OrdType::Stop), 2 => Just(OrdType::StopLimit),
    ];
    let time_in_force = prop_oneof![
        6 => Just(fix::TimeInForce::Day), 1 => Just(fix::TimeInForce::GoodTillCancel),
        1 => Just(fix::TimeInForce::ImmediateOrCancel), 1 => Just(fix::TimeInForce::FillOrKill),
    ];
    let new = (
        (client.clone(), name.clone(), 0..2_usize, side, order_type),
        (
            time_in_force,
            cents.clone(),
            cents.clone(),
            quantity.clone(),
        ),
    );
    let replace = (
        client.clone(),
        name.clone(),
        name.clone(),
        cents.clone(),
        cents,
        quantity,
    );
    let act = prop_oneof![
        12 => new.prop_map(
            |((client, name, instrument, side, order_type), (time_in_force, cents, stop, quantity))| {
                Act::New {
                    client, name, instrument, side, order_type, time_in_force, cents, stop, quantity,
                }
            }
        ),
        3 => (client, name).prop_map(|(client, name)| Act::Cancel { client, name }),
        3 => replace.prop_map(|(client, name, new_name, cents, stop, quantity)| Act::Replace {
            client, name, new_name, cents, stop, quantity,
        }),
        1 => Just(Act::Midnight),
        6 => Just(Act::Commit),
    ];
    prop::collection::vec(act, 1..200)
}

/// An order of the model, by its tag.
#[derive(Clone, Debug)]
struct Known {
    client: u32,
    name: u8,
    instrument: usize,
    side: Side,
    order_type: OrdType,
    quantity: u64,
}

/// What is to be.
#[derive(Clone, Debug)]
struct World {
    models: [Model; 2],
    live: HashMap<u64, Known>,
    /// Names that are used and that no live order has now, and the tag of the order that had each.
    done: HashMap<(u32, u8), u64>,
    /// OrderIDs by tag, and how orders ended.
    numbers: HashMap<u64, u64>,
    ends: HashMap<u64, OrdStatus>,
    requests: u64,
    now: u64,
    day: u64,
}

impl World {
    fn new() -> Self {
        let model = Model {
            lowest: 1,
            highest: 10_000,
            largest: 1_000_000,
            ..Model::default()
        };
        World {
            models: [model.clone(), model],
            live: HashMap::new(),
            done: HashMap::new(),
            numbers: HashMap::new(),
            ends: HashMap::new(),
            requests: 0,
            now: NOW.0,
            day: 0,
        }
    }

    fn find(&self, client: u32, name: u8) -> Option<u64> {
        let mut live = self.live.iter();
        let found = live.find(|(_, known)| (known.client, known.name) == (client, name));
        Some(*found?.0)
    }

    fn is_used(&self, client: u32, name: u8) -> bool {
        self.done.contains_key(&(client, name)) || self.find(client, name).is_some()
    }

    /// Orders that ended take their names with them until midnight.
    fn settle(&mut self) {
        for model in &mut self.models {
            for fact in std::mem::take(&mut model.facts) {
                let ended = match fact {
                    Fact::Removed { tag, .. } => vec![(tag, OrdStatus::Canceled)],
                    Fact::Traded { maker, taker, .. } => [maker, taker]
                        .iter()
                        .filter(|(_, remaining)| *remaining == 0)
                        .map(|(tag, _)| (*tag, OrdStatus::Filled))
                        .collect(),
                    _ => vec![],
                };
                for (tag, status) in ended {
                    if let Some(known) = self.live.remove(&tag) {
                        self.done.insert((known.client, known.name), tag);
                        self.ends.insert(tag, status);
                    }
                }
            }
        }
    }

    /// Acts, and gives the request that an exchange is to act on.
    fn act(&mut self, act: &Act, exchange: &mut Exchange) -> Result<(), exchange::Error> {
        let now = Timestamp(self.now);
        let own = format!("request {}", self.requests).into_bytes();
        if matches!(act, Act::Midnight) {
            self.now += DAY;
            return Ok(());
        }
        if now.0 / DAY > self.day {
            self.day = now.0 / DAY;
            self.done.clear();
        }
        self.requests += 1;
        match *act {
            Act::New {
                client,
                name,
                instrument,
                side,
                order_type,
                time_in_force,
                cents,
                stop,
                quantity,
            } => {
                let text = format!("N{name}").into_bytes();
                let request = Request::New(NewOrderSingle {
                    client_order_id: &text,
                    symbol: SYMBOLS[instrument],
                    side,
                    transact_time: now,
                    quantity: Some(Decimal::new(quantity as i64, 0)),
                    order_type,
                    price: Some(Decimal::new(cents, 2)),
                    stop_price: Some(Decimal::new(stop * 10, 3)),
                    time_in_force: Some(time_in_force),
                    ..NewOrderSingle::default()
                });
                exchange.order(client, &request, now, &mut ())?;
                if self.is_used(client, name) {
                    return Ok(());
                }
                let tag = self.requests;
                let new = NewOrder {
                    instrument: 0,
                    client,
                    tag,
                    side,
                    kind: match order_type {
                        OrdType::Limit => Kind::Limit,
                        OrdType::Market => Kind::Market,
                        OrdType::Stop => Kind::Stop,
                        OrdType::StopLimit => Kind::StopLimit,
                        other => panic!("{other:?}"),
                    },
                    time_in_force: match time_in_force {
                        fix::TimeInForce::Day | fix::TimeInForce::GoodTillCancel => {
                            TimeInForce::Day
                        }
                        fix::TimeInForce::ImmediateOrCancel => TimeInForce::ImmediateOrCancel,
                        fix::TimeInForce::FillOrKill => TimeInForce::FillOrKill,
                        other => panic!("{other:?}"),
                    },
                    price: cents,
                    trigger: stop,
                    quantity,
                };
                let known = Known {
                    client,
                    name,
                    instrument,
                    side,
                    order_type,
                    quantity,
                };
                self.live.insert(tag, known);
                if self.models[instrument].submit(&new).is_ok() {
                    self.numbers.insert(tag, self.numbers.len() as u64 + 1);
                } else {
                    self.live.remove(&tag);
                }
            }
            Act::Cancel { client, name } => {
                let tag = self.find(client, name);
                let text = format!("N{name}").into_bytes();
                let known = tag.map(|tag| self.live[&tag].clone());
                let request = Request::Cancel(OrderCancelRequest {
                    original_client_order_id: &text,
                    client_order_id: &own,
                    symbol: SYMBOLS[known.as_ref().map_or(0, |known| known.instrument)],
                    side: known.as_ref().map_or(Side::Buy, |known| known.side),
                    transact_time: now,
                    ..OrderCancelRequest::default()
                });
                exchange.order(client, &request, now, &mut ())?;
                if let (Some(tag), Some(known)) = (tag, known) {
                    self.models[known.instrument].cancel(tag).unwrap();
                }
            }
            Act::Replace {
                client,
                name,
                new_name,
                cents,
                stop,
                quantity,
            } => {
                let tag = self.find(client, name);
                let (text, new_text) = (
                    format!("N{name}").into_bytes(),
                    format!("N{new_name}").into_bytes(),
                );
                let known = tag.map(|tag| self.live[&tag].clone());
                let request = Request::Replace(OrderCancelReplaceRequest {
                    original_client_order_id: &text,
                    client_order_id: &new_text,
                    symbol: SYMBOLS[known.as_ref().map_or(0, |known| known.instrument)],
                    side: known.as_ref().map_or(Side::Buy, |known| known.side),
                    order_type: known
                        .as_ref()
                        .map_or(OrdType::Limit, |known| known.order_type),
                    transact_time: now,
                    price: Some(Decimal::new(cents, 2)),
                    stop_price: Some(Decimal::new(stop, 2)),
                    quantity: Some(Decimal::new(quantity as i64, 0)),
                    ..OrderCancelReplaceRequest::default()
                });
                exchange.order(client, &request, now, &mut ())?;
                if let (Some(tag), Some(known)) = (tag, known)
                    && !self.is_used(client, new_name)
                {
                    let with = Replacement {
                        tag,
                        price: cents,
                        trigger: stop,
                        quantity,
                    };
                    let live = self.live.get_mut(&tag).unwrap();
                    (live.name, live.quantity) = (new_name, quantity);
                    if self.models[known.instrument].replace(tag, &with).is_ok() {
                        self.done.insert((client, name), tag);
                    } else {
                        self.live.insert(tag, known);
                    }
                }
            }
            Act::Midnight | Act::Commit => unreachable!(),
        }
        self.settle();
        Ok(())
    }

    /// Whether an exchange is in that state: books and stop orders in their order, prices, and every order's status.
    fn assert_is(&self, exchange: &mut Exchange) {
        assert_eq!(exchange.live_orders(), self.live.len());
        for (number, model) in (0..).zip(&self.models) {
            let engine = exchange.engine();
            assert_eq!(engine.last_price(number), model.last);
            let bids = model.bids.iter().rev().flat_map(|(_, orders)| orders);
            let offers = model.offers.values().flatten();
            let queues: [(Side, bool, Vec<_>); 4] = [
                (Side::Buy, false, bids.collect()),
                (Side::Sell, false, offers.collect()),
                (
                    Side::Buy,
                    true,
                    model.buy_stops.values().flatten().collect(),
                ),
                (
                    Side::Sell,
                    true,
                    model.sell_stops.values().flatten().collect(),
                ),
            ];
            for (side, waits, orders) in queues {
                let found: Vec<_> = if waits {
                    engine.stops(number, side).collect()
                } else {
                    engine.orders(number, side).collect()
                };
                let found = found.iter().map(|order| {
                    let price = (!waits).then_some(order.price);
                    (
                        order.party.client,
                        price,
                        order.party.remaining,
                        order.traded,
                    )
                });
                let expected = orders.iter().map(|order| {
                    let price = (!waits).then_some(order.new.price);
                    (order.new.client, price, order.remaining, order.traded)
                });
                let (found, expected): (Vec<_>, Vec<_>) = (found.collect(), expected.collect());
                assert_eq!(found, expected, "{number} {side:?} waits: {waits}");
            }
        }
        for known in self.live.values() {
            let mut reports = vec![];
            let name = format!("N{}", known.name).into_bytes();
            exchange.status(
                known.client,
                &name,
                &mut |client: u32, message: &Outgoing<'_>| {
                    let Outgoing::Report(report) = message else {
                        panic!("{message:?}");
                    };
                    reports.push((client, report.quantity, report.order_type));
                },
            );
            let quantity = Some(Decimal::new(known.quantity as i64, 0));
            let expected = (known.client, quantity, Some(known.order_type));
            assert_eq!(reports, [expected]);
        }
        for ((client, name), tag) in &self.done {
            let status = match (self.ends.get(tag), self.live.get(tag)) {
                (Some(end), _) => vec![*end],
                (None, Some(_)) => vec![OrdStatus::New, OrdStatus::PartiallyFilled],
                (None, None) => panic!("neither there nor done"),
            };
            let (number, found) = named(exchange, *client, *name);
            assert_eq!(number, self.numbers[tag].to_string());
            assert!(status.contains(&found), "{found:?} instead of {status:?}");
        }
    }
}

/// OrderID and OrdStatus that a client gets about a name: from the refusal of a cancel, which has no other effect.
fn named(exchange: &mut Exchange, client: u32, name: u8) -> (String, OrdStatus) {
    let text = format!("N{name}").into_bytes();
    let cancel = OrderCancelRequest {
        original_client_order_id: &text,
        client_order_id: b"cancel",
        symbol: SYMBOLS[0],
        ..OrderCancelRequest::default()
    };
    let mut buffer = [0; 512];
    let header = fix::Header {
        sender: b"X",
        target: b"Y",
        ..fix::Header::default()
    };
    let length = fix::encode(&mut buffer, fix::Version::Fix44, &header, &cancel);
    let fix::Frame::Message(message) = fix::frame(&buffer[..length.unwrap()], 512) else {
        panic!("a message that is none");
    };
    let mut found = None;
    let mut outbox = |_: u32, message: &Outgoing<'_>| {
        let Outgoing::CancelReject(reject) = message else {
            panic!("{message:?}");
        };
        let order = String::from_utf8_lossy(reject.order_id).into_owned();
        found = Some((order, reject.status));
    };
    exchange
        .refuse_unstored(client, &message, NOW, &mut outbox)
        .unwrap();
    found.unwrap()
}

fn open(path: &Path) -> (Exchange, u64) {
    let mut exchange = exchange();
    let found = exchange.recover(path, Durability::Process, LIMITS).unwrap();
    (exchange, found.requests)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn a_restart_equals_the_state_before_whenever_the_end_came(
        before in acts(), after in acts(), calls in 0..60_u32, part in 0.0..1.0_f64,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let (mut exchange, _) = open(&path);
        let mut left = calls;
        exchange.set_journal_gate(Some(Box::new(move |call| {
            if left > 0 {
                left -= 1;
                return Ok(());
            }
            if let Call::Write { length, passes } = call {
                *passes = (length as f64 * part) as usize;
            }
            Err(io::Error::other("the process is gone"))
        })));
        let mut world = World::new();
        let mut committed = world.clone();
        for act in &before {
            let done = match act {
                Act::Commit => exchange.commit().map(|()| committed.clone_from(&world)).is_ok(),
                act => world.act(act, &mut exchange).is_ok(),
            };
            if !done {
                break;
            }
        }
        drop(exchange);

        let (mut exchange, requests) = open(&path);
        let mut world = if requests == committed.requests {
            committed
        } else {
            // A commit that was not acknowledged, but is there.
            prop_assert_eq!(requests, world.requests);
            world
        };
        world.assert_is(&mut exchange);
        for act in after.iter().filter(|act| !matches!(act, Act::Commit)) {
            world.act(act, &mut exchange).unwrap();
            exchange.commit().unwrap();
        }
        world.assert_is(&mut exchange);
        drop(exchange);
        let (mut exchange, requests) = open(&path);
        prop_assert_eq!(requests, world.requests);
        world.assert_is(&mut exchange);
    }
}

#[test]
fn a_long_day_leaves_a_short_journal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let (mut exchange, _) = open(&path);
    for number in 0..20_000 {
        common::act(&mut exchange, number, &mut ());
        // Every order leaves, and what stays is its name.
        if number % 50 == 49 {
            exchange.commit().unwrap();
        }
    }
    exchange.commit().unwrap();
    let live = exchange.live_orders() as u64;
    let length = exchange.journal_length().unwrap();
    assert_eq!(length, std::fs::metadata(&path).unwrap().len());
    // The state, twice as much after it, and what one commit brings.
    let state = 200 * live + 20 * 20_000 + 1_000;
    assert!(
        length < 3 * state + 3_000 + 50 * 400,
        "{length} bytes for {live} orders"
    );
    let (before, names) = (common::everything(&exchange), exchange.live_orders());
    drop(exchange);
    let (exchange, requests) = open(&path);
    assert_eq!((requests, exchange.live_orders()), (20_000, names));
    assert!(common::everything(&exchange) == before);
}
