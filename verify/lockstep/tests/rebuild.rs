//! A book of the core that lost messages is rebuilt from a snapshot, and the core trades again as the software does.

use std::collections::BTreeMap;

use cosim::Preset;
use cosim::orders::{Market, Trader};
use device::{BookRefused, SnapshotOrder};
use formats::itch::{AddOrder, Head, Message, OrderDelete, OrderExecuted, Version};
use formats::{Side, Symbol};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const AAPL: Symbol = Symbol(*b"AAPL    ");
const MIDDLE: u32 = 5_850_000;

/// A market of random orders; it knows those that live, in the order in which they came.
struct Flow {
    random: ChaCha8Rng,
    live: BTreeMap<u64, SnapshotOrder>,
    next_id: u64,
}

impl Flow {
    fn new(seed: u64) -> Self {
        Flow {
            random: ChaCha8Rng::seed_from_u64(seed),
            live: BTreeMap::new(),
            next_id: 1,
        }
    }

    /// Orders come more often than they go; bids are below asks.
    fn message(&mut self) -> Message {
        let head = Head::default();
        if self.live.len() > 3 && self.random.random_range(0..5) < 2 {
            // The best ask, so that it changes often, or any.
            let asks = self.live.values().filter(|order| order.side == Side::Sell);
            let best = asks.min_by_key(|order| order.price).map(|order| order.id);
            let at = self.random.random_range(0..self.live.len());
            let any = self.live.keys().nth(at).copied();
            let chosen = if self.random.random_range(0..2) == 0 {
                best
            } else {
                any
            };
            let id = chosen.or(any).expect("there are orders");
            let order = self.live.get_mut(&id).expect("it lives");
            if order.quantity > 1 && self.random.random_range(0..4) == 0 {
                order.quantity -= 1;
                return OrderExecuted {
                    head,
                    order_reference: id,
                    executed_shares: 1,
                    match_number: 1,
                }
                .into();
            }
            self.live.remove(&id);
            return OrderDelete {
                head,
                order_reference: id,
            }
            .into();
        }
        let side = if self.random.random_range(0..2) == 0 {
            Side::Buy
        } else {
            Side::Sell
        };
        let away = 100 * self.random.random_range(1..40);
        let price = if side == Side::Buy {
            MIDDLE - away
        } else {
            MIDDLE + away
        };
        let order = SnapshotOrder {
            id: self.next_id,
            side,
            price,
            quantity: self.random.random_range(1..500),
        };
        self.next_id += 1;
        self.live.insert(order.id, order);
        add(&order)
    }

    fn messages(&mut self, count: usize) -> Vec<Message> {
        (0..count).map(|_| self.message()).collect()
    }

    /// Ids grow, so that by id is by time.
    fn orders(&self) -> Vec<SnapshotOrder> {
        self.live.values().copied().collect()
    }
}

fn add(order: &SnapshotOrder) -> Message {
    AddOrder {
        head: Head::default(),
        order_reference: order.id,
        side: order.side,
        shares: order.quantity,
        stock: AAPL,
        price: order.price,
    }
    .into()
}

fn snapshot(orders: &[SnapshotOrder]) -> Vec<Vec<u8>> {
    let bytes = |order: &SnapshotOrder| {
        let mut bytes = vec![];
        add(order).emit(Version::V50, &mut bytes).expect("it fits");
        bytes
    };
    orders.iter().map(bytes).collect()
}

fn sent(trader: &mut Trader) -> u64 {
    match trader.compare() {
        Ok(compared) => compared.sent,
        Err(problem) => panic!("{problem}, best {:?}", trader.best_prices()),
    }
}

/// Packets of one to four messages, given in small numbers at a time.
fn go_on(trader: &mut Trader, flow: &mut Flow, packets: usize) -> u64 {
    for _ in 0..packets {
        let count = flow.random.random_range(1..=4);
        trader.messages(&flow.messages(count)).expect("sent");
        sent(trader);
    }
    sent(trader)
}

#[test]
fn a_book_that_lost_messages_is_rebuilt_and_the_core_trades_as_the_software() {
    let market = Market {
        version: Version::V50,
        symbol: AAPL,
        tick: 100,
        price: MIDDLE,
        side: Side::Buy,
        quantity: 100,
        max_notional: u64::MAX,
    };
    let preset = Preset::by_name("itch_trader_10g").expect("a preset");
    let mut trader = Trader::new(preset, &market).expect("a core");
    let mut flow = Flow::new(1);
    // The session begins with a packet of one order.
    trader.messages(&flow.messages(1)).expect("sent");
    sent(&mut trader);
    let mut last = go_on(&mut trader, &mut flow, 60);
    assert!(last > 5, "{last} orders");
    for round in 0..4 {
        // Lost on the way, and then untradable.
        let lost = flow.messages(10);
        trader.lose(lost.len() as u64);
        let untradable = go_on(&mut trader, &mut flow, 10);
        assert_eq!(untradable, last, "round {round}: no order after the gap");

        // A snapshot that is too old by the time it is there: the core has missed what came since.
        trader.clear_core().expect("cleared");
        let (old, number) = (flow.orders(), trader.next_message());
        trader.messages(&flow.messages(3)).expect("sent");
        assert_eq!(sent(&mut trader), last);
        let refused = trader.restore_core(&old, number).expect("answered");
        assert_eq!(refused, Err(BookRefused::Missed));
        assert_eq!(
            go_on(&mut trader, &mut flow, 2),
            last,
            "it stays untradable"
        );

        // Again, while nothing comes.
        trader.clear_core().expect("cleared");
        let (orders, number) = (flow.orders(), trader.next_message());
        trader
            .rebuild_software(&snapshot(&orders))
            .expect("rebuilt");
        let restored = trader.restore_core(&orders, number).expect("answered");
        assert_eq!(restored, Ok(()), "round {round}");
        let traded = go_on(&mut trader, &mut flow, 60);
        assert!(traded > last + 5, "round {round}: {traded} orders");
        last = traded;
    }
    assert!(
        flow.live.len() > 100,
        "{} orders in the book",
        flow.live.len()
    );
}

#[test]
fn an_order_that_the_core_cannot_store_is_named_and_nothing_becomes_tradable() {
    let market = Market {
        version: Version::V50,
        symbol: AAPL,
        tick: 100,
        price: MIDDLE,
        side: Side::Buy,
        quantity: 100,
        max_notional: u64::MAX,
    };
    let preset = Preset::by_name("itch_trader_10g").expect("a preset");
    let mut trader = Trader::new(preset, &market).expect("a core");
    let order = SnapshotOrder {
        id: 1,
        side: Side::Sell,
        price: MIDDLE,
        quantity: 1,
    };
    // It was not cleared.
    let next = trader.next_message();
    let refused = trader.restore_core(&[order], next).expect("answered");
    assert_eq!(refused, Err(BookRefused::Order(1)));
    trader.clear_core().expect("cleared");
    let wide = SnapshotOrder {
        id: 1 << 48,
        ..order
    };
    let refused = trader.restore_core(&[order, wide], next).expect("answered");
    assert_eq!(refused, Err(BookRefused::Order(1 << 48)));
    // Off the tick: the core finds it out itself.
    trader.clear_core().expect("cleared");
    let off = SnapshotOrder {
        price: MIDDLE + 1,
        ..order
    };
    let refused = trader.restore_core(&[off], next).expect("answered");
    assert!(refused.is_err(), "{refused:?}");
}
