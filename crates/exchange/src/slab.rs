//! Orders in one piece of memory, a cache line each; places that are free form a list.

use std::ops::{Index, IndexMut};

use formats::Side;

use crate::order::{Kind, OrderId, Party, TimeInForce};

/// No order: place 0 is never used.
pub(crate) const NONE: u32 = 0;

/// An order the engine holds.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(crate) struct Order {
    /// Its neighbours in the queue of its level; of a free place, `next` is the next free one.
    pub(crate) next: u32,
    pub(crate) previous: u32,
    pub(crate) generation: u32,
    pub(crate) instrument: u32,
    pub(crate) remaining: u64,
    /// What was traded so far.
    pub(crate) traded: u64,
    pub(crate) tag: u64,
    pub(crate) client: u32,
    /// The level of its limit, and that of its trigger.
    pub(crate) limit: u32,
    pub(crate) trigger: u32,
    pub(crate) side: Side,
    pub(crate) kind: Kind,
    pub(crate) time_in_force: TimeInForce,
    pub(crate) state: State,
}

/// Where an order is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum State {
    /// The place is free.
    #[default]
    Free,
    /// Just trading.
    Active,
    /// In the book.
    Resting,
    /// Waiting for its trigger.
    Waiting,
}

/// The orders of all books.
#[derive(Debug)]
pub(crate) struct Slab {
    orders: Vec<Order>,
    free: u32,
    most: usize,
}

impl Slab {
    /// Room for so many orders, all of it there from the beginning.
    pub(crate) fn new(most: u32) -> Self {
        let most = most.clamp(1, u32::MAX - 1) as usize + 1;
        let mut orders = Vec::with_capacity(most);
        orders.push(Order::default());
        Slab {
            orders,
            free: NONE,
            most,
        }
    }

    /// Whether there is room for one more.
    #[inline(always)]
    pub(crate) const fn has_room(&self) -> bool {
        self.free != NONE || self.orders.len() < self.most
    }

    /// Allocates a place; only if there is room.
    #[inline(always)]
    pub(crate) fn insert(&mut self, mut order: Order) -> u32 {
        let slot = self.free;
        if slot == NONE {
            order.generation = 1;
            self.orders.push(order);
            return self.orders.len() as u32 - 1;
        }
        let place = &mut self.orders[slot as usize];
        self.free = place.next;
        order.generation = place.generation;
        *place = order;
        slot
    }

    /// Frees a place.
    #[inline(always)]
    pub(crate) fn remove(&mut self, slot: u32) {
        let free = self.free;
        let place = &mut self[slot];
        place.next = free;
        place.state = State::Free;
        place.generation = place.generation.wrapping_add(1).max(1);
        self.free = slot;
    }

    /// Gives the order in a place another id.
    pub(crate) fn renew(&mut self, slot: u32) {
        let place = &mut self[slot];
        place.generation = place.generation.wrapping_add(1).max(1);
    }

    /// The place of an order, if it is still there.
    #[inline(always)]
    pub(crate) fn find(&self, id: OrderId) -> Option<u32> {
        let order = self.orders.get(id.slot() as usize)?;
        let found = order.generation == id.generation() && order.state != State::Free;
        found.then_some(id.slot())
    }

    /// An order as events show it.
    #[inline(always)]
    pub(crate) fn party(&self, slot: u32) -> Party {
        let order = &self[slot];
        Party {
            id: OrderId::new(slot, order.generation),
            client: order.client,
            tag: order.tag,
            remaining: order.remaining,
        }
    }
}

impl Index<u32> for Slab {
    type Output = Order;

    #[inline(always)]
    fn index(&self, slot: u32) -> &Order {
        &self.orders[slot as usize]
    }
}

impl IndexMut<u32> for Slab {
    #[inline(always)]
    fn index_mut(&mut self, slot: u32) -> &mut Order {
        &mut self.orders[slot as usize]
    }
}
