//! The strategy on lists of events, by hand and against a plain model that looks at all orders again after each frame.

use book::{Book, Limits, Status};
use formats::{Event, Kind, Side};
use proptest::prelude::*;
use strategy::best_price::{Intent, Parameters};
use strategy::own_order::OrderChange;
use strategy::{BestPrice, OwnOrder};

/// Adds an order of instrument 1.
fn add(id: u64, side: Side, price: i64) -> Event {
    Event {
        instrument: Some(1),
        order_id: id,
        side,
        price,
        quantity: 10,
        ..Event::new(Kind::Add, b'A')
    }
}

/// An event of an order of instrument 1.
fn of(kind: Kind, id: u64, quantity: u64) -> Event {
    Event {
        instrument: Some(1),
        order_id: id,
        quantity,
        ..Event::new(kind, b'D')
    }
}

/// A book of two instruments, and a strategy on the second.
struct Bench {
    book: Book,
    strategy: BestPrice,
}

impl Bench {
    fn new(side: Side, limits: Limits) -> Self {
        Bench {
            book: Book::new(2, limits),
            strategy: BestPrice::new(Parameters {
                instrument: 1,
                side,
                enabled: true,
                single: false,
            }),
        }
    }

    /// A buyer that keeps one order in the market.
    fn with_one_order() -> Self {
        let mut bench = Bench::new(Side::Buy, Limits::UNLIMITED);
        let parameters = *bench.strategy.parameters();
        bench.strategy.set(Parameters {
            single: true,
            ..parameters
        });
        bench
    }

    fn frame(&mut self, events: &[Event], good: bool) -> Option<Intent> {
        for event in events {
            if let Some(change) = self.book.apply(event) {
                let ours = self.strategy.change(&change);
                assert_eq!(ours, change.instrument == 1);
            }
        }
        let intent = self.strategy.verdict(good);
        self.book.verdict(good);
        intent
    }

    /// The price of the intent after a good frame.
    fn price(&mut self, events: &[Event]) -> Option<i64> {
        match self.frame(events, true)? {
            Intent::New { price } | Intent::Replace { price, .. } => Some(price),
            Intent::Cancel { .. } => panic!("a cancel"),
        }
    }
}

#[test]
fn a_buy_watches_the_best_ask_and_fires_when_it_changes() {
    let mut bench = Bench::new(Side::Buy, Limits::UNLIMITED);
    let intent = bench.frame(&[add(1, Side::Sell, 105)], true);
    let first = Intent::New { price: 105 };
    assert_eq!(intent, Some(first), "a first price is a change");
    assert_eq!(bench.price(&[add(2, Side::Sell, 105)]), None, "more of it");
    assert_eq!(bench.price(&[add(3, Side::Sell, 107)]), None, "behind it");
    assert_eq!(bench.price(&[add(4, Side::Buy, 100)]), None, "a bid");
    assert_eq!(bench.price(&[add(5, Side::Sell, 104)]), Some(104));
    assert_eq!(bench.price(&[of(Kind::Delete, 5, 0)]), Some(105));
    assert_eq!(bench.price(&[of(Kind::Execute, 1, 10)]), None, "2 is left");
    assert_eq!(bench.price(&[of(Kind::Execute, 2, 10)]), Some(107));
    // No ask at all is no price; when one comes back at the same price, nothing changed.
    assert_eq!(bench.price(&[of(Kind::Delete, 3, 0)]), None);
    assert_eq!(bench.price(&[add(6, Side::Sell, 107)]), None);
    assert_eq!(bench.price(&[add(7, Side::Sell, 106)]), Some(106));
    assert_eq!(bench.strategy.last(), Some(106));
}

fn became(bench: &mut Bench, all: &[OrderChange]) {
    for what in all {
        bench.strategy.became(*what);
    }
}

/// The best ask improves by 1.
fn asks(bench: &mut Bench, id: u64) -> Option<Option<u32>> {
    let price = 1_000 - id as i64;
    let (replaces, asked) = match bench.frame(&[add(id, Side::Sell, price)], true)? {
        Intent::New { price } => (None, price),
        Intent::Replace { order, price } => (Some(order), price),
        Intent::Cancel { .. } => panic!("a cancel"),
    };
    assert_eq!(asked, price);
    Some(replaces)
}

#[test]
fn with_one_order_in_the_market_a_new_price_replaces_it_and_after_its_end_a_new_one_is_sent() {
    use OrderChange::{ChangeRefused, Closed, NotSent, Open, Prepared, Replaced, Sent};
    let mut bench = Bench::with_one_order();
    assert_eq!(asks(&mut bench, 1), Some(None));
    assert_eq!(asks(&mut bench, 2), None, "risk has it");
    became(&mut bench, &[Sent(7)]);
    assert_eq!(asks(&mut bench, 3), None, "no answer");
    became(&mut bench, &[Open(6), Open(7)]);
    assert_eq!(asks(&mut bench, 4), None, "not prepared");
    became(&mut bench, &[Prepared]);
    // What it did not ask for is still another price than its order's.
    assert_eq!(bench.price(&[add(99, Side::Buy, 1)]), Some(996));
    became(&mut bench, &[NotSent]);
    assert_eq!(asks(&mut bench, 5), Some(Some(7)));
    became(&mut bench, &[Sent(8), ChangeRefused(9)]);
    assert_eq!(asks(&mut bench, 6), None);
    became(&mut bench, &[ChangeRefused(8)]);
    assert_eq!(asks(&mut bench, 7), Some(Some(7)));
    became(&mut bench, &[Sent(9), Replaced(9), Prepared]);
    assert_eq!(asks(&mut bench, 8), Some(Some(9)));
    // It is filled before it could be replaced.
    became(&mut bench, &[Sent(10), Closed(7), Closed(9)]);
    assert_eq!(asks(&mut bench, 9), None, "the replacement has no answer");
    became(&mut bench, &[ChangeRefused(10)]);
    assert_eq!(asks(&mut bench, 10), Some(None));
    became(&mut bench, &[Sent(11), Closed(11)]);
    assert_eq!(asks(&mut bench, 11), Some(None));
    // New parameters forget the order.
    bench.strategy.set(*bench.strategy.parameters());
    assert_eq!(bench.strategy.own(), &OwnOrder::NONE);
}

#[test]
fn its_order_is_cancelled_when_the_watched_side_has_no_price_and_the_same_price_is_a_new_order_then()
 {
    use OrderChange::{CancelSent, ChangeRefused, Closed, NotSent, Open, Prepared, Sent};
    let mut bench = Bench::with_one_order();
    let enter = |id| [add(id, Side::Sell, 105)];
    let delete = |id| [of(Kind::Delete, id, 0)];
    assert_eq!(
        bench.frame(&enter(1), true),
        Some(Intent::New { price: 105 })
    );
    became(&mut bench, &[Sent(7), Open(7), Prepared]);
    assert_eq!(bench.frame(&delete(1), false), None, "a bad frame");
    assert_eq!(
        bench.frame(&[add(50, Side::Buy, 90)], true),
        None,
        "the ask is there"
    );
    // There and back within a frame.
    let back = [of(Kind::Delete, 1, 0), add(2, Side::Sell, 105)];
    assert_eq!(bench.frame(&back, true), None);
    let cancel = Some(Intent::Cancel { order: 7 });
    assert_eq!(bench.frame(&delete(2), true), cancel);
    assert_eq!(bench.strategy.last(), None);
    assert_eq!(
        bench.frame(&[add(51, Side::Buy, 91)], true),
        None,
        "risk has it"
    );
    // Risk refuses it: it is asked for again at the next change of the book.
    became(&mut bench, &[NotSent]);
    assert_eq!(bench.frame(&[add(52, Side::Buy, 92)], true), cancel);
    became(&mut bench, &[CancelSent]);
    assert_eq!(bench.frame(&enter(3), true), None, "no answer");
    // The exchange refuses it, and the price is there again.
    became(&mut bench, &[ChangeRefused(6), ChangeRefused(7)]);
    let replacement = Some(Intent::Replace {
        order: 7,
        price: 105,
    });
    assert_eq!(bench.frame(&[add(53, Side::Buy, 93)], true), replacement);
    became(&mut bench, &[NotSent]);
    assert_eq!(bench.frame(&delete(3), true), cancel);
    became(&mut bench, &[CancelSent, Closed(7)]);
    assert_eq!(
        bench.frame(&[add(54, Side::Buy, 94)], true),
        None,
        "no order, no price"
    );
    assert_eq!(
        bench.frame(&enter(4), true),
        Some(Intent::New { price: 105 })
    );
    // It is filled while risk has its cancel: nothing is due when that has left.
    became(&mut bench, &[Sent(9), Open(9), Prepared]);
    assert_eq!(
        bench.frame(&delete(4), true),
        Some(Intent::Cancel { order: 9 })
    );
    became(&mut bench, &[Closed(9)]);
    assert_eq!(bench.frame(&enter(5), true), None, "risk has the cancel");
    became(&mut bench, &[CancelSent]);
    assert_eq!(
        bench.frame(&[add(55, Side::Buy, 95)], true),
        Some(Intent::New { price: 105 })
    );
    became(&mut bench, &[Sent(11), Open(11), Prepared]);
    // Untradable is no price either.
    assert_eq!(
        bench.frame(&[of(Kind::Delete, 77, 0)], true),
        Some(Intent::Cancel { order: 11 })
    );
}

/// An exchange, and what it has said that has not come yet.
#[derive(Default)]
struct Exchange {
    next: u32,
    order: Option<u32>,
    request: Option<u32>,
    said: std::collections::VecDeque<OrderChange>,
}

impl Exchange {
    /// A new order or a replacement comes in.
    fn receive(&mut self, replaces: Option<u32>) {
        self.next += 1;
        match replaces {
            None => {
                assert_eq!(self.order, None, "a second order");
                self.order = Some(self.next);
                self.said.push_back(OrderChange::Open(self.next));
            }
            Some(original) => {
                assert_eq!(self.request, None, "a second request");
                match self.order {
                    Some(order) => {
                        assert_eq!(order, original);
                        self.request = Some(self.next);
                    }
                    None => self.said.push_back(OrderChange::ChangeRefused(self.next)),
                }
            }
        }
    }

    /// A cancel comes in; the exchange refuses it now and then.
    fn receive_cancel(&mut self, original: u32, refuses: bool) {
        self.next += 1;
        assert_eq!(self.request, None, "a second request");
        let Some(order) = self.order else { return };
        assert_eq!(order, original);
        self.said.push_back(match refuses {
            true => OrderChange::ChangeRefused(order),
            false => OrderChange::Closed(order),
        });
        self.order = self.order.filter(|_| refuses);
    }

    /// It looks at the request, or the order ends.
    fn act(&mut self, what: u8) {
        let (order, request) = (self.order, self.request);
        match (what, order, request) {
            (0, _, Some(request)) => {
                self.order = Some(request);
                self.said.push_back(OrderChange::Replaced(request));
            }
            (1, _, Some(request)) => self.said.push_back(OrderChange::ChangeRefused(request)),
            (2, Some(order), _) => {
                self.order = None;
                self.said.push_back(OrderChange::Closed(order));
                if let Some(request) = request {
                    self.said.push_back(OrderChange::ChangeRefused(request));
                }
            }
            _ => return,
        }
        self.request = None;
    }
}

proptest! {
    /// Whenever orders, answers and fills cross: the exchange never has two orders, or two requests, and each names the right one.
    #[test]
    fn there_is_one_order_in_the_market_at_most(steps in proptest::collection::vec(0_u8..10, 0..200)) {
        let mut own = OwnOrder::default();
        let mut exchange = Exchange::default();
        let (mut asked, mut cancels) = (None, None);
        for step in steps {
            match step {
                0 | 1 if own.is_free() => {
                    asked = Some(own.replaces());
                    own.ask();
                }
                8 | 9 if asked.is_none() && cancels.is_none() => {
                    cancels = own.replaces().map(|order| (order, step == 8));
                    own.ask_cancel();
                }
                2 | 3 => {
                    if let Some(replaces) = asked.take() {
                        exchange.receive(replaces);
                        own.became(OrderChange::Sent(exchange.next));
                    }
                    if let Some((order, refuses)) = cancels.take() {
                        exchange.receive_cancel(order, refuses);
                        own.became(OrderChange::CancelSent);
                    }
                }
                4 => {
                    if asked.take().is_some() || cancels.take().is_some() {
                        own.became(OrderChange::NotSent);
                    }
                }
                5 => exchange.act(0),
                6 => exchange.act(1 + u8::from(exchange.request.is_none())),
                _ => {
                    match exchange.said.pop_front() {
                        Some(said) => own.became(said),
                        None if own.prepares().is_some() => own.became(OrderChange::Prepared),
                        None => {}
                    }
                }
            }
        }
        // All that was said has come: it knows the order that there is.
        if let Some(replaces) = asked.take() {
            exchange.receive(replaces);
            own.became(OrderChange::Sent(exchange.next));
        }
        if let Some((order, refuses)) = cancels.take() {
            exchange.receive_cancel(order, refuses);
            own.became(OrderChange::CancelSent);
        }
        exchange.act(0);
        while let Some(said) = exchange.said.pop_front() {
            own.became(said);
        }
        if own.prepares().is_some() {
            own.became(OrderChange::Prepared);
        }
        prop_assert!(own.is_free());
        prop_assert_eq!(own.replaces(), exchange.order);
    }
}

#[test]
fn a_sell_watches_the_best_bid() {
    let mut bench = Bench::new(Side::Sell, Limits::UNLIMITED);
    assert_eq!(bench.price(&[add(1, Side::Sell, 105)]), None);
    assert_eq!(bench.price(&[add(2, Side::Buy, 100)]), Some(100));
    assert_eq!(bench.price(&[add(3, Side::Buy, 101)]), Some(101));
    assert_eq!(bench.price(&[of(Kind::Delete, 3, 0)]), Some(100));
}

#[test]
fn one_intent_leaves_after_a_frame_at_the_price_of_its_end() {
    let mut bench = Bench::new(Side::Buy, Limits::UNLIMITED);
    let asks = [
        add(1, Side::Sell, 105),
        add(2, Side::Sell, 103),
        add(3, Side::Sell, 104),
    ];
    assert_eq!(bench.price(&asks), Some(103));
    // There and back within a frame.
    let back = [add(4, Side::Sell, 101), of(Kind::Delete, 4, 0)];
    assert_eq!(bench.price(&back), None);
    assert_eq!(bench.price(&[]), None);
}

#[test]
fn another_instrument_is_nothing_to_it() {
    let mut bench = Bench::new(Side::Buy, Limits::UNLIMITED);
    let other = Event {
        instrument: Some(0),
        ..add(1, Side::Sell, 90)
    };
    assert_eq!(bench.price(&[other]), None);
    // After ours, in the same frame.
    let other = Event {
        order_id: 3,
        ..other
    };
    assert_eq!(bench.price(&[add(2, Side::Sell, 95), other]), Some(95));
}

#[test]
fn a_bad_frame_gives_nothing_and_changes_nothing() {
    let mut bench = Bench::new(Side::Buy, Limits::UNLIMITED);
    let ask = [add(1, Side::Sell, 105)];
    assert_eq!(bench.frame(&ask, false), None);
    assert_eq!(bench.price(&[add(9, Side::Buy, 100)]), None, "no ask");
    assert_eq!(bench.price(&ask), Some(105));
    assert_eq!(bench.frame(&[of(Kind::Delete, 1, 0)], false), None);
    assert_eq!(bench.frame(&[add(2, Side::Sell, 99)], false), None);
    assert_eq!(bench.price(&[add(3, Side::Sell, 106)]), None, "still 105");
}

#[test]
fn while_the_instrument_is_untradable_it_gives_nothing_and_forgets_nothing() {
    let mut bench = Bench::new(Side::Buy, Limits::UNLIMITED);
    assert_eq!(bench.price(&[add(1, Side::Sell, 105)]), Some(105));
    // An order that nobody added, and a better ask.
    let fault = [of(Kind::Delete, 77, 0), add(2, Side::Sell, 104)];
    assert_eq!(bench.price(&fault), None);
    assert!(matches!(bench.book.status(1), Some(Status::Untradable(_))));
    assert_eq!(bench.price(&[add(3, Side::Sell, 103)]), None);
    // The host rebuilds it, with the ask that it was before: no change.
    bench.book.clear(1).unwrap();
    let restored = bench.book.restore(1, &add(1, Side::Sell, 105)).unwrap();
    assert!(restored.is_some());
    bench.book.tradable(1, 0).unwrap();
    assert_eq!(bench.price(&[add(4, Side::Buy, 100)]), None);
    assert_eq!(bench.price(&[add(5, Side::Sell, 102)]), Some(102));
}

/// The bid of 100 centres the window: 96 to 103. The ask of 200 is above it.
#[test]
fn a_best_price_outside_of_the_window_is_none() {
    let limits = Limits {
        window: Some(4),
        ..Limits::HARDWARE
    };
    let mut bench = Bench::new(Side::Buy, limits);
    assert_eq!(bench.price(&[add(1, Side::Buy, 100)]), None);
    assert_eq!(bench.price(&[add(2, Side::Sell, 200)]), None);
    assert_eq!(bench.book.status(1), Some(Status::Outside));
    assert_eq!(bench.price(&[add(3, Side::Sell, 103)]), Some(103));
}

#[test]
fn a_price_of_0_is_none() {
    let mut bench = Bench::new(Side::Buy, Limits::UNLIMITED);
    assert_eq!(bench.price(&[add(1, Side::Sell, 5)]), Some(5));
    assert_eq!(bench.price(&[add(2, Side::Sell, 0)]), None);
    assert_eq!(bench.price(&[of(Kind::Delete, 2, 0)]), None, "still 5");
}

#[test]
fn parameters_forget_the_last_price_and_can_switch_it_off() {
    let mut bench = Bench::new(Side::Buy, Limits::UNLIMITED);
    assert_eq!(bench.price(&[add(1, Side::Sell, 105)]), Some(105));
    let parameters = *bench.strategy.parameters();
    bench.strategy.set(parameters);
    assert_eq!(bench.price(&[add(2, Side::Buy, 90)]), Some(105));
    bench.strategy.set(Parameters {
        enabled: false,
        ..parameters
    });
    assert_eq!(bench.price(&[add(3, Side::Sell, 104)]), None);
    assert_eq!(bench.strategy.last(), None, "nothing changes");
    bench.strategy.set(Parameters {
        side: Side::Sell,
        ..parameters
    });
    assert_eq!(bench.price(&[add(4, Side::Sell, 103)]), Some(90));
}

/// What happens to an order of the model: its instrument, side, price and quantity; gone if the quantity is 0.
type Orders = Vec<(u8, Side, i64, u64)>;

/// What a step does: instrument, side, price, which order, how much, which kind.
type Step = (u8, bool, i64, prop::sample::Index, u64, u8);

/// The event of a step; `orders` are all there ever were, by id. Never a fault.
fn event(orders: &Orders, (instrument, sells, price, which, much, kind): Step) -> Event {
    let side = if sells { Side::Sell } else { Side::Buy };
    let live: Vec<_> = (0..orders.len()).filter(|id| orders[*id].3 > 0).collect();
    if live.is_empty() || kind < 3 {
        return Event {
            instrument: Some(instrument),
            order_id: orders.len() as u64,
            side,
            price,
            quantity: 5,
            ..Event::new(Kind::Add, b'A')
        };
    }
    let id = live[which.index(live.len())];
    let (instrument, _, _, left) = orders[id];
    let kind = [Kind::Delete, Kind::Execute, Kind::Reduce, Kind::Replace][usize::from(kind - 3)];
    Event {
        instrument: Some(instrument),
        order_id: id as u64,
        new_order_id: orders.len() as u64,
        price: if kind == Kind::Replace { price } else { 0 },
        quantity: if kind == Kind::Replace {
            5
        } else {
            much.min(left)
        },
        ..Event::new(kind, b'E')
    }
}

fn apply(orders: &mut Orders, event: &Event) {
    let new = |side| (event.instrument.unwrap(), side, event.price, event.quantity);
    let id = event.order_id as usize;
    match event.kind {
        Kind::Add => orders.push(new(event.side)),
        Kind::Execute | Kind::Reduce => orders[id].3 -= event.quantity,
        kind => {
            orders[id].3 = 0;
            if kind == Kind::Replace {
                let side = orders[id].1;
                orders.push(new(side));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Frames of any events, a third of them bad; parameters are set again now and then.
    #[test]
    fn it_is_what_looking_at_all_orders_gives(
        buys: bool,
        frames in prop::collection::vec(
            (prop::collection::vec((0..2_u8, any::<bool>(), 1..6_i64, any::<prop::sample::Index>(), 1..6_u64, 0..7_u8), 0..6), 0..3_u8, 0..12_u8),
            1..60,
        ),
    ) {
        let side = if buys { Side::Buy } else { Side::Sell };
        let mut bench = Bench::new(side, Limits::UNLIMITED);
        let (mut orders, mut last) = (Orders::new(), None);
        for (steps, verdict, set) in frames {
            if set == 0 {
                bench.strategy.set(*bench.strategy.parameters());
                last = None;
            }
            let (before, mut events, good) = (orders.clone(), vec![], verdict > 0);
            for step in steps {
                let event = event(&orders, step);
                apply(&mut orders, &event);
                events.push(event);
            }
            let touched = events.iter().any(|event| event.instrument == Some(1));
            if !good {
                orders = before;
            }
            let watched = orders.iter().filter(|(instrument, of, _, left)| *instrument == 1 && *of != side && *left > 0);
            let prices = watched.map(|(_, _, price, _)| *price);
            let best = if buys { prices.min() } else { prices.max() };
            let expected = best.filter(|best| good && touched && last != Some(*best));
            last = expected.or(last);
            let intent = bench.frame(&events, good);
            prop_assert_eq!(intent, expected.map(|price| Intent::New { price }));
        }
    }
}
