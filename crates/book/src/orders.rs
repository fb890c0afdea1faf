//! Orders by id: a slab of orders, and a hash of ids with open addressing.

use std::ops::{Index, IndexMut};

use formats::Side;

use crate::prefetch::prefetch;

/// No order.
pub(crate) const NONE: u32 = u32::MAX;

/// Places of the hash for an order, at least.
const ROOM: usize = 3;
/// From one place of the hash to the next that is tried: one further in the next line of the cache, so that ids that follow one another seldom
/// stand in each other's way. It is odd, so that every place is tried in the end.
const STEP: usize = 9;
/// `STEP × STEPS` is 1, modulo 2^64: how many steps it is from one place to another is their difference, times this.
const STEPS: u64 = 0x8e38_e38e_38e3_8e39;
/// Set in an entry of the hash once another looked for its place further on; without it nothing else has to move when the entry goes.
const PASSED: u64 = 1 << 31;
/// The slot of an entry, + 1.
const SLOT: u64 = PASSED - 1;
/// Places of the hash that are looked at for a guess.
const GUESSES: usize = 4;

/// A live order: 32 bytes, so that two share a line of the cache. Its price is that of its level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(32))]
pub(crate) struct Order {
    pub(crate) id: u64,
    /// The queue of its level.
    pub(crate) level: u32,
    /// What is left of it.
    pub(crate) quantity: u32,
    /// Instrument × 2 + side.
    pub(crate) place: u32,
    /// The orders before and after it in its level.
    pub(crate) previous: u32,
    pub(crate) next: u32,
}

impl Order {
    pub(crate) const fn place(instrument: u32, side: Side) -> u32 {
        instrument << 1 | side as u32
    }

    #[inline(always)]
    pub(crate) const fn instrument(&self) -> u32 {
        self.place >> 1
    }

    #[inline(always)]
    pub(crate) const fn side(&self) -> Side {
        if self.place & 1 == 0 {
            Side::Buy
        } else {
            Side::Sell
        }
    }
}

/// Where an id is in the hash, and which slot it has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    position: usize,
    pub(crate) slot: u32,
}

/// Where an id that is not there would be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vacant {
    position: usize,
    hash: u32,
}

/// The orders. A slot that is freed is the next to be used, so that it is in the cache.
#[derive(Clone, Debug)]
pub(crate) struct Orders {
    slots: Vec<Order>,
    /// The first free slot; the others follow in `next`.
    free: u32,
    live: u32,
    /// Hash in the high half, slot + 1 in the low half, with [`PASSED`]; 0: empty. Never more than a third full; its length is a power of two.
    index: Vec<u64>,
}

impl Orders {
    /// Room for so many orders before anything grows.
    pub(crate) fn with_capacity(orders: usize) -> Self {
        Orders {
            slots: Vec::with_capacity(orders),
            free: NONE,
            live: 0,
            index: vec![0; (ROOM * orders).next_power_of_two().max(64)],
        }
    }

    pub(crate) const fn live(&self) -> u32 {
        self.live
    }

    /// Ids that follow one another share a line of the cache (8 entries), each at its own place; the lines are spread.
    #[inline(always)]
    const fn hash(id: u64) -> u32 {
        let line = id >> 3;
        let mixed = (line ^ line >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 32) as u32 & !7 | ((id ^ mixed >> 29) & 7) as u32
    }

    /// The order of an id, or where it would be.
    #[inline(always)]
    pub(crate) fn find(&self, id: u64) -> Result<Found, Vacant> {
        let hash = Self::hash(id);
        let index = &self.index[..];
        let mask = index.len() - 1;
        let mut position = hash as usize & mask;
        loop {
            let entry = index[position & mask];
            if entry == 0 {
                return Err(Vacant { position, hash });
            }
            if (entry >> 32) as u32 == hash {
                let slot = (entry & SLOT) as u32 - 1;
                if self.slots[slot as usize].id == id {
                    return Ok(Found { position, slot });
                }
            }
            position = (position + STEP) & mask;
        }
    }

    /// Asks for the place of an id in the hash.
    #[inline(always)]
    pub(crate) fn prefetch(&self, id: u64) {
        let position = Self::hash(id) as usize & (self.index.len() - 1);
        self.index.get(position).into_iter().for_each(prefetch);
    }

    /// The slot that an id most likely has; asks for it.
    #[inline(always)]
    pub(crate) fn guess(&self, id: u64) -> Option<u32> {
        let hash = Self::hash(id);
        let mask = self.index.len() - 1;
        for step in 0..GUESSES {
            let entry = self.index[(hash as usize + step * STEP) & mask];
            if entry == 0 {
                return None;
            }
            if (entry >> 32) as u32 == hash {
                let slot = (entry & SLOT) as u32 - 1;
                self.get(slot).into_iter().for_each(prefetch);
                return Some(slot);
            }
        }
        None
    }

    /// The order in a slot, if there ever was one.
    #[inline(always)]
    pub(crate) fn get(&self, slot: u32) -> Option<&Order> {
        self.slots.get(slot as usize)
    }

    /// Makes room for one more, where the hash may grow; afterwards an earlier [`Vacant`] is void.
    #[inline(always)]
    pub(crate) fn reserve(&mut self) {
        if ROOM * (self.live as usize + 1) > self.index.len() {
            self.grow();
        }
    }

    #[cold]
    fn grow(&mut self) {
        let mask = 2 * self.index.len() - 1;
        let old = std::mem::replace(&mut self.index, vec![0; mask + 1]);
        for entry in old.into_iter().filter(|entry| *entry != 0) {
            let entry = entry & !PASSED;
            let mut position = (entry >> 32) as usize & mask;
            while self.index[position] != 0 {
                self.index[position] |= PASSED;
                position = (position + STEP) & mask;
            }
            self.index[position] = entry;
        }
    }

    /// Takes an order in, under an id that is not there.
    #[inline(always)]
    pub(crate) fn insert(&mut self, at: Vacant, order: Order) -> u32 {
        let slot = self.free;
        let slot = if slot == NONE {
            self.slots.push(order);
            self.slots.len() as u32 - 1
        } else {
            let place = &mut self.slots[slot as usize];
            self.free = place.next;
            *place = order;
            slot
        };
        self.live += 1;
        let index = &mut self.index[..];
        let mask = index.len() - 1;
        let (mut position, end) = (at.hash as usize & mask, at.position & mask);
        while position != end {
            index[position] |= PASSED;
            position = (position + STEP) & mask;
        }
        index[end] = u64::from(at.hash) << 32 | u64::from(slot + 1);
        slot
    }

    /// How often it is further to the next place from one place to another.
    #[inline(always)]
    const fn steps(from: usize, to: usize, mask: usize) -> usize {
        (to.wrapping_sub(from) as u64).wrapping_mul(STEPS) as usize & mask
    }

    /// Takes an order out. What passed its place in the hash moves up, so that no mark stays for what is gone.
    #[inline(always)]
    pub(crate) fn remove(&mut self, found: Found) {
        self.slots[found.slot as usize].next = self.free;
        self.free = found.slot;
        self.live -= 1;
        let index = &mut self.index[..];
        let mask = index.len() - 1;
        let mut hole = found.position & mask;
        let mut position = hole;
        // What passed the hole may have to move there; what moves leaves a hole that others may have passed.
        while index[hole] & PASSED != 0 {
            position = (position + STEP) & mask;
            let entry = index[position];
            if entry == 0 {
                break;
            }
            let home = (entry >> 32) as usize & mask;
            if Self::steps(home, position, mask) >= Self::steps(hole, position, mask) {
                index[hole] = entry | PASSED;
                hole = position;
            }
        }
        index[hole] = 0;
    }
}

impl Index<u32> for Orders {
    type Output = Order;

    #[inline(always)]
    fn index(&self, slot: u32) -> &Order {
        &self.slots[slot as usize]
    }
}

impl IndexMut<u32> for Orders {
    #[inline(always)]
    fn index_mut(&mut self, slot: u32) -> &mut Order {
        &mut self.slots[slot as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(id: u64) -> Order {
        Order {
            id,
            level: 0,
            quantity: 1,
            place: 0,
            previous: NONE,
            next: NONE,
        }
    }

    #[test]
    fn ids_of_every_pattern_are_found_until_they_leave() {
        for step in [1, 2, 8, 64, 1 << 16, 1 << 36, 1 << 52, 0x1234_5679] {
            let mut orders = Orders::with_capacity(32);
            let id = |index: u64| index.wrapping_mul(step);
            for index in 0..2_000 {
                orders.reserve();
                let Err(vacant) = orders.find(id(index)) else {
                    panic!("{index} is there")
                };
                orders.insert(vacant, order(id(index)));
                if index % 3 == 2 {
                    let found = orders.find(id(index / 2)).ok();
                    found.into_iter().for_each(|found| orders.remove(found));
                }
            }
            let gone = |index: u64| (0..2_000).any(|by| by % 3 == 2 && by / 2 == index);
            for index in 0..2_000 {
                let found = orders.find(id(index));
                assert_eq!(found.is_err(), gone(index), "{index} × {step}");
                if let Ok(found) = found {
                    assert_eq!(orders[found.slot].id, id(index));
                }
            }
        }
    }
}
