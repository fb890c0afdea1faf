//! The matching engine: a book an instrument, price-time priority, orders in and events out.
//!
//! - A limit order trades at the prices of the orders in the book, the best first, then the oldest; the rest enters the book.
//! - A market order trades at any price; the rest is cancelled. So is that of immediate or cancel; fill or kill trades completely
//!   or not at all.
//! - A stop order waits until a trade at its trigger or beyond (for a buy: at or above; for a sell: at or below), at once if the last
//!   price is there already. Those that a command triggers enter after it, one at a time: buys, the lowest trigger first, then
//!   sells, the highest first; then the one that waited longest.
//! - A replacement keeps its place if the price stays and the quantity does not rise, and loses it otherwise.
//! - Two orders of one client may trade with each other.
//!
//! The same commands give the same events: that is what the journal relies on.

use formats::Side;

use crate::book::Book;
pub use crate::book::PriceLevel;
pub use crate::ladder::MOST_LEVELS;
use crate::order::{
    Cause, Event, Kind, LARGEST_QUANTITY, NewOrder, OrderId, Party, Refusal, Replacement, Sink,
};
use crate::slab::{Order, Slab, State};

/// What the engine has to know about an instrument. Prices are whole numbers of ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instrument {
    /// The lowest price taken.
    pub lowest_price: i64,
    /// The highest; the band has 2^18 (262,144) prices at most, and ends there where it would have more.
    pub highest_price: i64,
    /// The largest quantity of an order.
    pub largest_quantity: u64,
}

impl Instrument {
    /// Prices in the band.
    pub(crate) const fn levels(&self) -> u64 {
        if self.highest_price < self.lowest_price {
            return 1;
        }
        self.highest_price
            .abs_diff(self.lowest_price)
            .saturating_add(1)
    }
}

/// The engine.
#[derive(Debug)]
pub struct Engine {
    books: Vec<Book>,
    orders: Slab,
    matches: u64,
}

/// The present state of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderState {
    /// The order.
    pub party: Party,
    /// Its instrument.
    pub instrument: u32,
    /// Its side.
    pub side: Side,
    /// Its limit, in ticks; of the kinds that have one.
    pub price: i64,
    /// What was traded so far.
    pub traded: u64,
    /// Whether it waits for its trigger.
    pub waiting: bool,
}

impl Engine {
    /// An engine that holds so many orders at most. All memory for them is asked for here.
    pub fn new(most_orders: u32) -> Self {
        Engine {
            books: vec![],
            orders: Slab::new(most_orders),
            matches: 0,
        }
    }

    /// Opens a book; its number is what orders name it by, from 0 on.
    pub fn add(&mut self, instrument: &Instrument) -> u32 {
        let number = self.books.len() as u32;
        self.books.push(Book::new(number, instrument));
        number
    }

    /// Whether an order would be accepted.
    ///
    /// # Errors
    /// Why it would be refused.
    pub fn check(&self, new: &NewOrder) -> Result<(), Refusal> {
        let book = self
            .books
            .get(new.instrument as usize)
            .ok_or(Refusal::Instrument)?;
        check_quantity(new.quantity, book)?;
        levels(book, new.kind, new.price, new.trigger)?;
        if self.orders.has_room() {
            Ok(())
        } else {
            Err(Refusal::Full)
        }
    }

    /// Takes an order. Its [`Event::Accepted`] comes first, then what becomes of it.
    ///
    /// # Errors
    /// Why it is refused.
    #[inline]
    pub fn submit(&mut self, new: &NewOrder, sink: &mut impl Sink) -> Result<OrderId, Refusal> {
        let book = self
            .books
            .get_mut(new.instrument as usize)
            .ok_or(Refusal::Instrument)?;
        check_quantity(new.quantity, book)?;
        let (limit, trigger) = levels(book, new.kind, new.price, new.trigger)?;
        if !self.orders.has_room() {
            return Err(Refusal::Full);
        }
        let slot = self.orders.insert(Order {
            instrument: new.instrument,
            remaining: new.quantity,
            tag: new.tag,
            client: new.client,
            limit,
            trigger,
            side: new.side,
            kind: new.kind,
            time_in_force: new.time_in_force,
            state: State::Active,
            ..Order::default()
        });
        let order = self.orders.party(slot);
        let instrument = new.instrument;
        sink.event(&Event::Accepted { instrument, order });
        book.enter(slot, &mut self.orders, &mut self.matches, sink);
        Ok(order.id)
    }

    /// Cancels what is left of an order.
    ///
    /// # Errors
    /// Why it is refused.
    #[inline]
    pub fn cancel(
        &mut self,
        client: u32,
        id: OrderId,
        sink: &mut impl Sink,
    ) -> Result<(), Refusal> {
        let slot = self.find(client, id)?;
        let instrument = self.orders[slot].instrument;
        let book = self
            .books
            .get_mut(instrument as usize)
            .ok_or(Refusal::Order)?;
        let displayed = book.leave(slot, &mut self.orders);
        let order = self.orders.party(slot);
        let (side, limit) = (self.orders[slot].side, self.orders[slot].limit as usize);
        self.orders.remove(slot);
        sink.event(&Event::Removed {
            instrument,
            order,
            side,
            price: book.price(limit),
            displayed,
            cause: Cause::Requested,
        });
        Ok(())
    }

    /// Replaces an order. It keeps its id if it keeps its place, and gets another one otherwise.
    ///
    /// # Errors
    /// Why it is refused.
    pub fn replace(
        &mut self,
        client: u32,
        id: OrderId,
        replacement: &Replacement,
        sink: &mut impl Sink,
    ) -> Result<OrderId, Refusal> {
        let slot = self.find(client, id)?;
        let order = self.orders[slot];
        let instrument = order.instrument;
        let book = self
            .books
            .get_mut(instrument as usize)
            .ok_or(Refusal::Order)?;
        check_quantity(replacement.quantity, book)?;
        let (limit, trigger) = levels(book, order.kind, replacement.price, replacement.trigger)?;
        if replacement.quantity <= order.traded {
            return Err(Refusal::Traded);
        }
        let remaining = replacement.quantity - order.traded;
        let same_place = limit == order.limit && trigger == order.trigger;
        if same_place && remaining <= order.remaining {
            let removed = order.remaining - remaining;
            let (side, price) = (order.side, book.price(limit as usize));
            let displayed = book.reduce(slot, removed, &mut self.orders);
            self.orders[slot].tag = replacement.tag;
            let order = self.orders.party(slot);
            sink.event(&Event::Reduced {
                instrument,
                order,
                side,
                price,
                removed,
                displayed,
            });
            return Ok(id);
        }
        let (side, old_remaining) = (order.side, order.remaining);
        let old_price = book.price(order.limit as usize);
        let displayed = book.leave(slot, &mut self.orders);
        self.orders.renew(slot);
        let order = &mut self.orders[slot];
        (order.limit, order.trigger) = (limit, trigger);
        (order.remaining, order.tag) = (remaining, replacement.tag);
        order.state = State::Active;
        let order = self.orders.party(slot);
        sink.event(&Event::Replaced {
            instrument,
            old: id,
            side,
            old_price,
            old_remaining,
            order,
            displayed,
        });
        book.enter(slot, &mut self.orders, &mut self.matches, sink);
        Ok(order.id)
    }

    /// Trades up to a quantity with one order in the book, at its price and whatever its place in the queue: an execution that was recorded
    /// elsewhere. The taker is no order here; `taker` is how events name it. Returns how many were traded: 0 if the order is not in the book.
    pub fn execute(
        &mut self,
        id: OrderId,
        quantity: u64,
        taker: &Party,
        sink: &mut impl Sink,
    ) -> u64 {
        let Some(slot) = self.orders.find(id) else {
            return 0;
        };
        let order = &self.orders[slot];
        let book = self.books.get_mut(order.instrument as usize);
        match book {
            Some(book) if order.state == State::Resting && quantity > 0 => {
                let (orders, matches) = (&mut self.orders, &mut self.matches);
                book.execute(slot, quantity, taker, orders, matches, sink)
            }
            _ => 0,
        }
    }

    /// The place of a client's order.
    #[inline(always)]
    fn find(&self, client: u32, id: OrderId) -> Result<u32, Refusal> {
        let slot = self.orders.find(id).ok_or(Refusal::Order)?;
        if self.orders[slot].client == client {
            Ok(slot)
        } else {
            Err(Refusal::Client)
        }
    }

    /// How many instruments there are.
    pub const fn instruments(&self) -> usize {
        self.books.len()
    }

    /// The levels of a side of a book, the best first; none if there is no such book.
    pub fn levels(&self, instrument: u32, side: Side) -> impl Iterator<Item = PriceLevel> {
        self.books
            .get(instrument as usize)
            .into_iter()
            .flat_map(move |book| book.levels(side))
    }

    /// What is at a price of a side; 0 outside the band, and on the other side.
    pub fn quantity_at(&self, instrument: u32, side: Side, price: i64) -> u64 {
        let book = self.books.get(instrument as usize);
        book.map_or(0, |book| book.quantity_at(side, price))
    }

    /// The orders of a side of a book, in the order they would trade.
    pub fn orders(&self, instrument: u32, side: Side) -> impl Iterator<Item = OrderState> {
        self.books
            .get(instrument as usize)
            .into_iter()
            .flat_map(move |book| book.orders(side, &self.orders))
            .map(|slot| self.state(slot))
    }

    /// The stop orders of a side that wait, the lowest trigger first.
    pub fn stops(&self, instrument: u32, side: Side) -> impl Iterator<Item = OrderState> {
        self.books
            .get(instrument as usize)
            .into_iter()
            .flat_map(move |book| book.stops(side, &self.orders))
            .map(|slot| self.state(slot))
    }

    /// Puts an order where it was before a restart, after the others of its price: in its book, or with the stop orders that wait. Nothing
    /// trades, and no report is sent. It gets another id than it had.
    pub(crate) fn restore(
        &mut self,
        order: &NewOrder,
        traded: u64,
        waits: bool,
    ) -> Option<OrderId> {
        let book = self.books.get_mut(order.instrument as usize)?;
        let (limit, trigger) = levels(book, order.kind, order.price, order.trigger).ok()?;
        if order.quantity <= traded || !self.orders.has_room() {
            return None;
        }
        let slot = self.orders.insert(Order {
            instrument: order.instrument,
            remaining: order.quantity - traded,
            traded,
            tag: order.tag,
            client: order.client,
            limit,
            trigger,
            side: order.side,
            kind: order.kind,
            time_in_force: order.time_in_force,
            state: State::Active,
            ..Order::default()
        });
        book.restore(slot, waits, &mut self.orders);
        Some(self.orders.party(slot).id)
    }

    /// Trades so far; the next one has the next number.
    pub(crate) const fn matches(&self) -> u64 {
        self.matches
    }

    /// Continues the numbering of trades after a restart.
    pub(crate) const fn restore_matches(&mut self, matches: u64) {
        self.matches = matches;
    }

    /// Takes a price as that of the last trade of an instrument.
    pub(crate) fn restore_last(&mut self, instrument: u32, price: i64) {
        if let Some(book) = self.books.get_mut(instrument as usize) {
            book.restore_last(price);
        }
    }

    /// The price of the last trade, in ticks.
    pub fn last_price(&self, instrument: u32) -> Option<i64> {
        self.books.get(instrument as usize)?.last_price()
    }

    /// An order, if it is still there.
    pub fn order(&self, id: OrderId) -> Option<OrderState> {
        self.orders.find(id).map(|slot| self.state(slot))
    }

    fn state(&self, slot: u32) -> OrderState {
        let order = &self.orders[slot];
        let price = |book: &Book| book.price(order.limit as usize);
        OrderState {
            party: self.orders.party(slot),
            instrument: order.instrument,
            side: order.side,
            price: self.books.get(order.instrument as usize).map_or(0, price),
            traded: order.traded,
            waiting: order.state == State::Waiting,
        }
    }
}

#[inline(always)]
fn check_quantity(quantity: u64, book: &Book) -> Result<(), Refusal> {
    if quantity == 0 {
        Err(Refusal::ZeroQuantity)
    } else if quantity > book.largest_quantity.min(LARGEST_QUANTITY) {
        Err(Refusal::LargeQuantity)
    } else {
        Ok(())
    }
}

/// The levels of limit and trigger; 0 where the kind has none.
#[inline(always)]
fn levels(book: &Book, kind: Kind, price: i64, trigger: i64) -> Result<(u32, u32), Refusal> {
    let limit = if kind.has_limit() {
        book.level(price).ok_or(Refusal::Price)?
    } else {
        0
    };
    let trigger = if kind.is_stop() {
        book.level(trigger).ok_or(Refusal::Trigger)?
    } else {
        0
    };
    Ok((limit, trigger))
}
