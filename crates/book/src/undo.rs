//! The verdict on a frame, and what a bad one takes back.

use formats::Side;

use crate::book::Book;
use crate::change::{Level, Trade};
use crate::fault::{Cause, Status};
use crate::levels::key;
use crate::orders::Order;
use crate::window::Window;

/// How to take back what was done.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Undo {
    /// The order in this slot entered.
    Add(u32),
    /// This order left the level of this price; its links are those that it had.
    Remove(Order, i64),
    /// The order in this slot lost so much.
    Reduce(u32, u32),
    /// The instrument traded; this was the trade before.
    Trade(u32, Option<Trade>),
    /// The instrument became untradable; this was its status before.
    Status(u32, Status),
    /// A level of the instrument was set; this was it before, with its price.
    Level(u32, Side, Level),
    /// The instrument's window moved; this was it before.
    Window(u32, Window),
}

impl Book {
    /// Ends a frame. A good one is kept. A bad one is undone, last operation first: orders and their places in their levels, trades, windows,
    /// faults and counters are as they were before its first event.
    ///
    /// Two things of a bad frame stay, since both only make the book more careful: [`Cause::LogFull`], and that events were missed during
    /// a rebuild.
    #[inline]
    pub fn verdict(&mut self, good: bool) {
        if !good {
            self.undo();
        }
        if self.faulted {
            self.committed = self.counters;
            self.faulted = false;
        }
        self.committed.not_ours = self.counters.not_ours;
        self.log.clear();
        self.operations = 0;
    }

    #[cold]
    fn undo(&mut self) {
        while let Some(undo) = self.log.pop() {
            match undo {
                Undo::Add(slot) => {
                    let order = self.orders[slot];
                    if let Ok(found) = self.orders.find(order.id) {
                        self.take_out(found, &order);
                    }
                }
                Undo::Remove(order, price) => self.put_back(order, price),
                Undo::Reduce(slot, quantity) => {
                    let order = &mut self.orders[slot];
                    order.quantity += quantity;
                    let order = *order;
                    self.queues.restore(order.level, quantity);
                    let level = self.queues.level(order.level);
                    let market = &mut self.markets[order.instrument() as usize];
                    market.update(order.side(), level);
                }
                Undo::Trade(instrument, previous) => {
                    self.markets[instrument as usize].last_trade = previous;
                }
                Undo::Status(instrument, previous) => {
                    self.markets[instrument as usize].status = previous;
                }
                Undo::Level(instrument, side, level) => {
                    self.put_silently(instrument, side, level.price, level);
                }
                Undo::Window(instrument, previous) => {
                    self.markets[instrument as usize].window = previous;
                }
            }
        }
        self.counters = self.committed;
        self.counters.undone = self.counters.undone.wrapping_add(1);
        self.committed = self.counters;
    }

    /// An order that left is where it was again. It gets the slot it had, since slots are given out last in, first out.
    fn put_back(&mut self, order: Order, price: i64) {
        let Err(vacant) = self.orders.find(order.id) else {
            return;
        };
        let side = order.side();
        let market = &mut self.markets[order.instrument() as usize];
        let levels = &mut market.sides[side as usize];
        let level = match levels.find(key(side, price)) {
            Ok(at) => levels.queue(at),
            Err(at) => {
                let outside = !market.window.contains(price);
                self.levels += u32::from(!outside);
                levels.open(at, side, price, outside, &mut self.queues)
            }
        };
        let slot = self.orders.insert(vacant, Order { level, ..order });
        self.queues.link(slot, &mut self.orders);
        market.refresh(side, &self.queues);
    }

    /// Makes every instrument untradable that is tradable; for good, not only for a frame.
    pub(crate) fn all_untradable(&mut self, cause: Cause) {
        self.missing.get_or_insert(cause);
        for market in &mut self.markets {
            if market.status == Status::Tradable {
                market.status = Status::Untradable(cause);
                self.counters.count(cause);
            }
        }
        self.committed = self.counters;
    }
}
