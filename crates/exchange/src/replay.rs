//! A recorded day in the books: its orders enter the engine, and clients' live orders take part.
//!
//! The books follow the record: a recorded order never has more left than in the record, and less only by what clients took from it or took
//! in its place. Message by message:
//!
//! | record | here |
//! |---|---|
//! | add (`A`, `F`) | a limit order; where clients' orders are at its price or better, it trades with them |
//! | executed (`E`, `C`) | an incoming order takes so many shares at the order's price: first from clients' orders ahead of it by price and time, then from the order, then from clients' orders behind it at its price; for the rest there is no counterparty. The order then has at most what the record says |
//! | cancelled in part (`X`) | it loses so many shares |
//! | deleted (`D`) | what is left of it leaves |
//! | replaced (`U`) | it leaves, and an order of the new price and shares enters behind all others, without the shares clients took from the old one |
//! | trades with hidden orders (`P`), crosses (`Q`) | nothing: they are in no book |
//!
//! An order whose price is between two ticks or outside the band, or beyond the largest quantity, is left out, and counted.

pub mod player;

use std::collections::{HashMap, HashSet};

use formats::fix::Timestamp;
use formats::itch::{self, Message, Version};
use formats::{Side, Symbol};

use crate::exchange::Exchange;
use crate::order::{Event, Kind, NewOrder, OrderId, Party, Replacement, Sink, TimeInForce};
use crate::outgoing::Outbox;
use crate::report::Reporter;
use crate::{Engine, Listing};

/// The client of recorded orders: they cause no reports.
pub const RECORD: u32 = u32::MAX;
/// The tag of recorded orders: no index of the gateway.
const TAG: u64 = u64::MAX;

/// What was done with a record so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Messages, of any kind.
    pub messages: u64,
    /// Orders that entered, replacements among them.
    pub orders: u64,
    /// Orders left out: off the tick, outside the band, too large, no room, or of a number that is there already.
    pub left_out: u64,
    /// Messages about orders that are not known, of the instruments traded here.
    pub unknown: u64,
    /// Messages about other instruments, about none, or about trades that are in no book.
    pub others: u64,
    /// Messages that are no ITCH.
    pub malformed: u64,
    /// Shares that the record says were executed.
    pub executed: u64,
    /// Of these, those that were executed here: with the recorded order.
    pub followed: u64,
    /// Those that clients' orders got instead.
    pub diverted: u64,
    /// Those without a counterparty: clients had taken the order away.
    pub void: u64,
    /// Shares of recorded orders that traded with clients' orders as one of the two entered the book.
    pub taken: u64,
    /// Shares of recorded orders that traded with each other as they entered: the record was crossed there.
    pub crossed: u64,
}

/// An order of the record.
#[derive(Clone, Copy, Debug)]
struct Recorded {
    /// In the engine, if it is still there.
    id: OrderId,
    instrument: u32,
    side: Side,
    /// In ticks.
    price: i64,
    /// Shares left in the record.
    shares: u64,
}

/// A record on its way into the books.
#[derive(Debug, Default)]
pub struct Replay {
    orders: HashMap<u64, Recorded>,
    /// Locate codes of the instruments traded here.
    locates: HashSet<u16>,
    counters: Counters,
}

/// Counts what an entering recorded order trades, and passes the events on.
struct Entering<'a, 'b> {
    reporter: &'a mut Reporter<'b>,
    taken: u64,
    crossed: u64,
}

impl Sink for Entering<'_, '_> {
    fn event(&mut self, event: &Event) {
        if let Event::Traded {
            quantity,
            maker,
            taker,
            ..
        } = event
            && taker.client == RECORD
        {
            if maker.client == RECORD {
                self.crossed += quantity;
            } else {
                self.taken += quantity;
            }
        }
        self.reporter.event(event);
    }
}

impl Replay {
    /// What was done so far.
    pub const fn counters(&self) -> Counters {
        self.counters
    }

    /// Orders that are left in the record, even if clients have taken all of them here.
    pub fn orders(&self) -> usize {
        self.orders.len()
    }

    /// Applies a message of the record; its prices go out at `now`.
    pub fn message(
        &mut self,
        exchange: &mut Exchange,
        version: Version,
        message: &[u8],
        now: Timestamp,
        outbox: &mut dyn Outbox,
    ) {
        self.counters.messages += 1;
        let Ok(message) = Message::parse(version, message) else {
            self.counters.malformed += 1;
            return;
        };
        match message {
            Message::StockDirectory(m) => self.located(exchange, m.head, m.stock),
            Message::AddOrder(m) => {
                let order = (m.order_reference, m.side, m.shares, m.price);
                self.add(exchange, m.head, m.stock, order, now, outbox);
            }
            Message::AddOrderMpid(m) => {
                let order = (m.order_reference, m.side, m.shares, m.price);
                self.add(exchange, m.head, m.stock, order, now, outbox);
            }
            Message::OrderExecuted(m) => {
                self.execute(
                    exchange,
                    m.head,
                    m.order_reference,
                    m.executed_shares,
                    now,
                    outbox,
                );
            }
            Message::OrderExecutedWithPrice(m) => {
                self.execute(
                    exchange,
                    m.head,
                    m.order_reference,
                    m.executed_shares,
                    now,
                    outbox,
                );
            }
            Message::OrderCancel(m) => {
                let by = u64::from(m.cancelled_shares);
                self.reduce(exchange, m.head, m.order_reference, by, now, outbox);
            }
            Message::OrderDelete(m) => {
                self.reduce(exchange, m.head, m.order_reference, u64::MAX, now, outbox);
            }
            Message::OrderReplace(m) => {
                let new = (m.new_order_reference, m.shares, m.price);
                self.replace(exchange, m.head, m.order_reference, new, now, outbox);
            }
            _ => self.counters.others += 1,
        }
    }

    /// Takes note of an instrument's locate code; 4.1 has none.
    fn located(&mut self, exchange: &Exchange, head: itch::Head, stock: Symbol) {
        if head.stock_locate != 0 && exchange.symbols.contains_key(&stock) {
            self.locates.insert(head.stock_locate);
        }
        self.counters.others += 1;
    }

    /// The order a message is about. An unknown one is counted.
    fn known(&mut self, head: itch::Head, reference: u64) -> Option<&mut Recorded> {
        if !self.orders.contains_key(&reference) {
            let other = head.stock_locate != 0 && !self.locates.contains(&head.stock_locate);
            let counter = if other {
                &mut self.counters.others
            } else {
                &mut self.counters.unknown
            };
            *counter += 1;
        }
        self.orders.get_mut(&reference)
    }

    fn add(
        &mut self,
        exchange: &mut Exchange,
        head: itch::Head,
        stock: Symbol,
        (reference, side, shares, price): (u64, Side, u32, u32),
        now: Timestamp,
        outbox: &mut dyn Outbox,
    ) {
        let Some(instrument) = exchange.symbols.get(&stock).copied() else {
            self.counters.others += 1;
            return;
        };
        self.locates.insert(head.stock_locate);
        let ticks = exchange.listings.get(instrument as usize);
        let ticks = ticks.and_then(|listing| in_ticks(listing, price));
        let Some(price) = ticks.filter(|_| !self.orders.contains_key(&reference)) else {
            self.counters.left_out += 1;
            return;
        };
        let recorded = Recorded {
            id: OrderId::default(),
            instrument,
            side,
            price,
            shares: shares.into(),
        };
        exchange.act(now, outbox, |engine, reporter| {
            self.enter(reference, recorded, shares.into(), engine, reporter);
        });
    }

    /// Lets an order of the record enter, with so many of its shares.
    fn enter(
        &mut self,
        reference: u64,
        mut recorded: Recorded,
        quantity: u64,
        engine: &mut Engine,
        reporter: &mut Reporter<'_>,
    ) {
        let order = NewOrder {
            instrument: recorded.instrument,
            client: RECORD,
            tag: TAG,
            side: recorded.side,
            kind: Kind::Limit,
            time_in_force: TimeInForce::Day,
            price: recorded.price,
            trigger: 0,
            quantity,
        };
        let mut entering = Entering {
            reporter,
            taken: 0,
            crossed: 0,
        };
        // Clients may have taken all of it before it was replaced.
        let entered = match quantity {
            0 => Ok(OrderId::default()),
            _ => engine.submit(&order, &mut entering),
        };
        self.counters.taken += entering.taken;
        self.counters.crossed += entering.crossed;
        match entered {
            Ok(id) => {
                recorded.id = id;
                self.orders.insert(reference, recorded);
                self.counters.orders += 1;
            }
            Err(_) => self.counters.left_out += 1,
        }
    }

    fn execute(
        &mut self,
        exchange: &mut Exchange,
        head: itch::Head,
        reference: u64,
        shares: u32,
        now: Timestamp,
        outbox: &mut dyn Outbox,
    ) {
        let Some(recorded) = self.known(head, reference) else {
            return;
        };
        let shares = u64::from(shares);
        recorded.shares = recorded.shares.saturating_sub(shares);
        let recorded = *recorded;
        let mut flow = shares;
        // Without live orders only the order itself can be hit.
        let clients = exchange.live_orders() > 0;
        let (mut diverted, mut followed) = (0, 0);
        exchange.act(now, outbox, |engine, reporter| {
            if clients {
                diverted += divert(&recorded, &mut flow, engine, reporter);
            }
            followed = engine.execute(recorded.id, flow, &taker(flow), reporter);
            flow -= followed;
            if clients {
                diverted += divert(&recorded, &mut flow, engine, reporter);
            }
            shrink(&recorded, u64::MAX, engine, reporter);
        });
        let counters = &mut self.counters;
        counters.executed += shares;
        counters.followed += followed;
        counters.diverted += diverted;
        counters.void += flow;
        if recorded.shares == 0 {
            self.orders.remove(&reference);
        }
    }

    /// An order loses shares: so many, or all.
    fn reduce(
        &mut self,
        exchange: &mut Exchange,
        head: itch::Head,
        reference: u64,
        by: u64,
        now: Timestamp,
        outbox: &mut dyn Outbox,
    ) {
        let Some(recorded) = self.known(head, reference) else {
            return;
        };
        recorded.shares = recorded.shares.saturating_sub(by);
        let recorded = *recorded;
        let left = left(exchange.engine(), recorded.id).saturating_sub(by);
        exchange.act(now, outbox, |engine, reporter| {
            shrink(&recorded, left, engine, reporter);
        });
        if recorded.shares == 0 {
            self.orders.remove(&reference);
        }
    }

    fn replace(
        &mut self,
        exchange: &mut Exchange,
        head: itch::Head,
        reference: u64,
        (new_reference, shares, price): (u64, u32, u32),
        now: Timestamp,
        outbox: &mut dyn Outbox,
    ) {
        let Some(old) = self.known(head, reference).copied() else {
            return;
        };
        self.orders.remove(&reference);
        let ticks = exchange.listings.get(old.instrument as usize);
        let ticks = ticks.and_then(|listing| in_ticks(listing, price));
        let ticks = ticks.filter(|_| !self.orders.contains_key(&new_reference));
        let missing = old.shares - left(exchange.engine(), old.id).min(old.shares);
        exchange.act(now, outbox, |engine, reporter| {
            shrink(&old, 0, engine, reporter);
            let Some(price) = ticks else {
                self.counters.left_out += 1;
                return;
            };
            let new = Recorded {
                id: OrderId::default(),
                price,
                shares: shares.into(),
                ..old
            };
            let quantity = u64::from(shares).saturating_sub(missing);
            self.enter(new_reference, new, quantity, engine, reporter);
        });
    }
}

/// A price of ITCH (1/10,000) in ticks, if it is a whole number of them.
fn in_ticks(listing: &Listing, price: u32) -> Option<i64> {
    let price = i64::from(price);
    (price % listing.tick == 0).then(|| price / listing.tick)
}

/// The taker of a recorded order: it gets no reports.
fn taker(remaining: u64) -> Party {
    Party {
        id: OrderId::default(),
        client: RECORD,
        tag: TAG,
        remaining,
    }
}

/// What is left of an order in the book.
fn left(engine: &Engine, id: OrderId) -> u64 {
    engine.order(id).map_or(0, |order| order.party.remaining)
}

/// Gives shares of a recorded execution to clients' orders that come before the recorded one by price and time; if that one is gone, to those
/// at its price or better. Returns how many they took.
fn divert(
    recorded: &Recorded,
    flow: &mut u64,
    engine: &mut Engine,
    reporter: &mut Reporter<'_>,
) -> u64 {
    let better = |price: i64| match recorded.side {
        Side::Buy => price >= recorded.price,
        Side::Sell => price <= recorded.price,
    };
    let before = *flow;
    while *flow > 0 {
        let found = engine
            .orders(recorded.instrument, recorded.side)
            .take_while(|order| order.party.id != recorded.id && better(order.price))
            .map(|order| order.party)
            .find(|party| party.client != RECORD);
        let Some(order) = found else { break };
        *flow -= engine.execute(order.id, *flow, &taker(*flow), reporter);
    }
    before - *flow
}

/// Takes shares off an order until it has no more than so many, and no more than the record.
fn shrink(recorded: &Recorded, most: u64, engine: &mut Engine, reporter: &mut Reporter<'_>) {
    let Some(order) = engine.order(recorded.id) else {
        return;
    };
    let most = most.min(recorded.shares);
    if order.party.remaining <= most {
        return;
    }
    // Neither is refused: the order is there, and belongs to the record.
    if most == 0 {
        let _ = engine.cancel(RECORD, recorded.id, reporter);
    } else {
        let with = Replacement {
            tag: TAG,
            price: order.price,
            trigger: 0,
            quantity: order.traded + most,
        };
        let _ = engine.replace(RECORD, recorded.id, &with, reporter);
    }
}
