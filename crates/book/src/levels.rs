//! The levels of one side, sorted, and the queues of orders that they lead to.

use std::ops::Index;

use formats::Side;

use crate::change::Level;
use crate::orders::{NONE, Order, Orders};
use crate::prefetch::prefetch;
use crate::window::Window;

/// Levels from the best that are looked at one by one before the rest is halved.
const NEAR: usize = 16;

/// The orders of a level: first and last, their sum and their number. 32 bytes: two share a line of the cache, and none is on two.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(crate) struct Queue {
    pub(crate) price: i64,
    pub(crate) quantity: u64,
    pub(crate) orders: u32,
    /// Of a queue that is not used: the next one.
    pub(crate) first: u32,
    pub(crate) last: u32,
}

/// The queues of all levels. One that is freed is the next to be used, so that it is in the cache. An order knows its queue, so that it can
/// leave without a search for its level.
#[derive(Clone, Debug)]
pub(crate) struct Queues {
    slots: Vec<Queue>,
    free: u32,
}

impl Queues {
    pub(crate) fn with_capacity(levels: usize) -> Self {
        Queues {
            slots: Vec::with_capacity(levels),
            free: NONE,
        }
    }

    /// A queue without orders, which gets one next.
    #[inline(always)]
    fn open(&mut self, price: i64) -> u32 {
        let queue = Queue {
            price,
            quantity: 0,
            orders: 0,
            first: NONE,
            last: NONE,
        };
        let slot = self.free;
        if slot == NONE {
            self.slots.push(queue);
            return self.slots.len() as u32 - 1;
        }
        let place = &mut self.slots[slot as usize];
        self.free = place.first;
        *place = queue;
        slot
    }

    /// Gives a queue back.
    #[inline(always)]
    pub(crate) fn close(&mut self, slot: u32) {
        self.slots[slot as usize].first = self.free;
        self.free = slot;
    }

    #[inline(always)]
    pub(crate) fn level(&self, slot: u32) -> Level {
        let queue = &self.slots[slot as usize];
        Level {
            price: queue.price,
            quantity: queue.quantity,
            orders: queue.orders,
        }
    }

    /// Puts an order where its links say; for a new one that is after the last.
    #[inline(always)]
    pub(crate) fn link(&mut self, slot: u32, orders: &mut Orders) {
        let Order {
            previous,
            next,
            quantity,
            level,
            ..
        } = orders[slot];
        let queue = &mut self.slots[level as usize];
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

    /// Takes an order out.
    #[inline(always)]
    pub(crate) fn unlink(&mut self, order: &Order, orders: &mut Orders) {
        let queue = &mut self.slots[order.level as usize];
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
    }

    /// Takes a quantity off a level, of an order that stays.
    #[inline(always)]
    pub(crate) fn reduce(&mut self, slot: u32, quantity: u32) {
        self.slots[slot as usize].quantity -= u64::from(quantity);
    }

    /// Gives it back.
    pub(crate) fn restore(&mut self, slot: u32, quantity: u32) {
        self.slots[slot as usize].quantity += u64::from(quantity);
    }

    /// Sets quantity and number of orders of a level whose feed gives no orders.
    pub(crate) fn set(&mut self, slot: u32, level: Level) {
        let queue = &mut self.slots[slot as usize];
        (queue.quantity, queue.orders) = (level.quantity, level.orders);
    }

    /// The queue, if there is one.
    #[inline(always)]
    pub(crate) fn get(&self, slot: u32) -> Option<&Queue> {
        self.slots.get(slot as usize)
    }
}

impl Index<u32> for Queues {
    type Output = Queue;

    #[inline(always)]
    fn index(&self, slot: u32) -> &Queue {
        &self.slots[slot as usize]
    }
}

/// A level among its side's.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The price of a bid, the complement of the price of an ask: the best is the highest.
    key: i64,
    queue: u32,
}

/// The levels of one side, the best last: most changes are near it, and move little. Those outside of the window are the worst, so they come first.
#[derive(Clone, Debug)]
pub(crate) struct Levels {
    entries: Vec<Entry>,
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
            entries: Vec::with_capacity(levels),
            outside: 0,
        }
    }

    /// Where a level is, or where it would be.
    #[inline(always)]
    pub(crate) fn find(&self, key: i64) -> Result<usize, usize> {
        let entries = &self.entries[..];
        let near = entries.len().saturating_sub(NEAR);
        let mut at = entries.len();
        while at > near {
            let found = entries[at - 1].key;
            if found <= key {
                return if found == key { Ok(at - 1) } else { Err(at) };
            }
            at -= 1;
        }
        entries[..near].binary_search_by_key(&key, |entry| entry.key)
    }

    pub(crate) const fn outside(&self) -> usize {
        self.outside
    }

    pub(crate) const fn inside(&self) -> usize {
        self.entries.len() - self.outside
    }

    pub(crate) const fn len(&self) -> usize {
        self.entries.len()
    }

    /// The queue of a level.
    #[inline(always)]
    pub(crate) fn queue(&self, at: usize) -> u32 {
        self.entries[at].queue
    }

    /// The queue of the worst level.
    pub(crate) fn worst(&self) -> Option<u32> {
        self.entries.first().map(|entry| entry.queue)
    }

    /// Whether it is the queue of the best level, inside of the window or outside.
    #[inline(always)]
    pub(crate) fn is_best(&self, queue: u32) -> bool {
        self.entries.last().is_some_and(|best| best.queue == queue)
    }

    /// The best level inside of the window.
    #[inline(always)]
    pub(crate) fn best(&self, queues: &Queues) -> Level {
        match self.entries.last() {
            Some(best) if self.entries.len() > self.outside => queues.level(best.queue),
            _ => Level::EMPTY,
        }
    }

    /// A level without orders, which gets one next; returns its queue.
    #[inline(always)]
    pub(crate) fn open(
        &mut self,
        at: usize,
        side: Side,
        price: i64,
        outside: bool,
        queues: &mut Queues,
    ) -> u32 {
        self.outside += usize::from(outside);
        let queue = queues.open(price);
        let key = key(side, price);
        self.entries.insert(at, Entry { key, queue });
        queue
    }

    /// Takes a level without orders out; returns whether it was inside.
    #[inline(always)]
    pub(crate) fn close(&mut self, at: usize) -> bool {
        self.entries.remove(at);
        let outside = at < self.outside;
        self.outside -= usize::from(outside);
        !outside
    }

    /// Finds out anew which levels are outside; `None`: some of them are better than the window.
    pub(crate) fn outside_of(&self, side: Side, window: &Window) -> Option<usize> {
        let (worst, best) = match side {
            Side::Buy => (window.low, window.high),
            Side::Sell => (window.high, window.low),
        };
        let best = key(side, best);
        let above = self.entries.last().is_some_and(|last| last.key > best);
        let worst = key(side, worst);
        (!above).then(|| self.entries.partition_point(|entry| entry.key < worst))
    }

    pub(crate) const fn set_outside(&mut self, outside: usize) {
        self.outside = outside;
    }

    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.outside = 0;
    }

    /// Asks for the best levels.
    #[inline(always)]
    pub(crate) fn prefetch(&self) {
        // A line of the cache has four.
        for at in [1, 5, 9] {
            let entry = self.entries.get(self.entries.len().wrapping_sub(at));
            entry.into_iter().for_each(prefetch);
        }
    }

    /// The queue that a level most likely has.
    #[inline(always)]
    pub(crate) fn guess(&self, key: i64) -> Option<u32> {
        let near = self.entries.iter().rev().take(NEAR);
        let at_or_worse = near.take_while(|entry| entry.key >= key).last();
        at_or_worse.map(|entry| entry.queue)
    }
}
