//! The levels of one side, sorted.

use wire::Side;

use crate::change::Level;
use crate::orders::{NONE, Order, Orders};
use crate::window::Window;

/// Levels from the best that are looked at one by one before the rest is halved.
const NEAR: usize = 16;

/// The orders of a level: first and last, their sum and their number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Queue {
    pub(crate) quantity: u64,
    pub(crate) orders: u32,
    pub(crate) first: u32,
    pub(crate) last: u32,
}

/// The levels of one side, the best last: most changes are near it, and move little. Those outside of the window are the worst, so they come first.
#[derive(Clone, Debug)]
pub(crate) struct Levels {
    /// Prices of bids, complements of the prices of asks: the best is the highest.
    keys: Vec<i64>,
    queues: Vec<Queue>,
    /// How many are outside of the window.
    outside: usize,
}

/// What makes asks sort like bids, and prices of them again.
#[inline(always)]
pub(crate) const fn key(side: Side, price: i64) -> i64 {
    match side {
        Side::Buy => price,
        Side::Sell => !price,
    }
}

impl Levels {
    pub(crate) fn with_capacity(levels: usize) -> Self {
        Levels {
            keys: Vec::with_capacity(levels),
            queues: Vec::with_capacity(levels),
            outside: 0,
        }
    }

    /// Where a level is, or where it would be.
    #[inline(always)]
    pub(crate) fn find(&self, key: i64) -> Result<usize, usize> {
        let keys = &self.keys[..];
        let near = keys.len().saturating_sub(NEAR);
        let mut at = keys.len();
        while at > near {
            let found = keys[at - 1];
            if found <= key {
                return if found == key { Ok(at - 1) } else { Err(at) };
            }
            at -= 1;
        }
        keys[..near].binary_search(&key)
    }

    pub(crate) const fn outside(&self) -> usize {
        self.outside
    }

    pub(crate) const fn inside(&self) -> usize {
        self.keys.len() - self.outside
    }

    pub(crate) const fn len(&self) -> usize {
        self.keys.len()
    }

    #[inline(always)]
    pub(crate) fn queue(&self, at: usize) -> &Queue {
        &self.queues[at]
    }

    #[inline(always)]
    pub(crate) fn level(&self, side: Side, at: usize) -> Level {
        let queue = self.queues[at];
        Level {
            price: key(side, self.keys[at]),
            quantity: queue.quantity,
            orders: queue.orders,
        }
    }

    /// The best level inside of the window.
    #[inline(always)]
    pub(crate) fn best(&self, side: Side) -> Level {
        match (self.keys.last(), self.queues.last()) {
            (Some(found), Some(queue)) if self.keys.len() > self.outside => Level {
                price: key(side, *found),
                quantity: queue.quantity,
                orders: queue.orders,
            },
            _ => Level::EMPTY,
        }
    }

    /// A level without orders, which gets one next.
    #[inline(always)]
    pub(crate) fn open(&mut self, at: usize, key: i64, outside: bool) {
        self.outside += usize::from(outside);
        let queue = Queue {
            quantity: 0,
            orders: 0,
            first: NONE,
            last: NONE,
        };
        self.keys.insert(at, key);
        self.queues.insert(at, queue);
    }

    /// Takes a level without orders out; returns whether it was inside.
    #[inline(always)]
    pub(crate) fn close(&mut self, at: usize) -> bool {
        self.keys.remove(at);
        self.queues.remove(at);
        let outside = at < self.outside;
        self.outside -= usize::from(outside);
        !outside
    }

    /// Puts an order where its links say; for a new one that is after the last.
    #[inline(always)]
    pub(crate) fn link(&mut self, at: usize, slot: u32, orders: &mut Orders) {
        let Order {
            previous,
            next,
            quantity,
            ..
        } = orders[slot];
        let queue = &mut self.queues[at];
        queue.quantity += u64::from(quantity);
        queue.orders += 1;
        if previous == NONE {
            queue.first = slot;
        } else {
            orders[previous].next = slot;
        }
        if next == NONE {
            queue.last = slot;
        } else {
            orders[next].previous = slot;
        }
    }

    /// Takes an order out; returns whether its level is without orders now.
    #[inline(always)]
    pub(crate) fn unlink(&mut self, at: usize, order: &Order, orders: &mut Orders) -> bool {
        let queue = &mut self.queues[at];
        queue.quantity -= u64::from(order.quantity);
        queue.orders -= 1;
        if order.previous == NONE {
            queue.first = order.next;
        } else {
            orders[order.previous].next = order.next;
        }
        if order.next == NONE {
            queue.last = order.previous;
        } else {
            orders[order.next].previous = order.previous;
        }
        queue.orders == 0
    }

    /// Takes a quantity off a level, of an order that stays.
    #[inline(always)]
    pub(crate) fn reduce(&mut self, at: usize, quantity: u32) {
        self.queues[at].quantity -= u64::from(quantity);
    }

    /// Gives it back.
    pub(crate) fn restore(&mut self, at: usize, quantity: u32) {
        self.queues[at].quantity += u64::from(quantity);
    }

    /// Finds out anew which levels are outside; `None`: some of them are better than the window.
    pub(crate) fn outside_of(&self, side: Side, window: &Window) -> Option<usize> {
        let (worst, best) = match side {
            Side::Buy => (window.low, window.high),
            Side::Sell => (window.high, window.low),
        };
        let above = self.keys.last().is_some_and(|last| *last > key(side, best));
        let worst = key(side, worst);
        (!above).then(|| self.keys.partition_point(|key| *key < worst))
    }

    pub(crate) const fn set_outside(&mut self, outside: usize) {
        self.outside = outside;
    }

    pub(crate) fn clear(&mut self) {
        self.keys.clear();
        self.queues.clear();
        self.outside = 0;
    }
}
