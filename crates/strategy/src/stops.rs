//! Stop orders in software: what `rtl/strategy/stop_orders.sv` does in hardware, for any number of them.
//!
//! A stop is due once the last price has reached its trigger: a sell at or below it, a buy at or above it. It is given out once. Looking whether
//! one is due costs the same however many wait.

use std::collections::{BTreeMap, HashMap};

use wire::Side;

/// Where a stop waits.
#[derive(Clone, Copy, Debug)]
struct Place {
    instrument: u32,
    side: Side,
    key: i64,
}

/// A stop that waits, to be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting<'a, T> {
    /// What it is known by.
    pub number: u64,
    /// Its instrument.
    pub instrument: u32,
    /// Its side.
    pub side: Side,
    /// Its trigger, in the instrument's scale.
    pub trigger: i64,
    /// What is to be sent.
    pub order: &'a T,
}

/// Stop orders of many instruments that wait for their triggers. `T` is what is to be sent then.
#[derive(Clone, Debug)]
pub struct Stops<T> {
    /// By instrument, then by side: the trigger that a price reaches first is in front, and of equal ones the one that was set first.
    queues: Vec<[BTreeMap<(i64, u64), T>; 2]>,
    places: HashMap<u64, Place>,
    /// Numbers given out so far.
    count: u64,
}

impl<T> Default for Stops<T> {
    fn default() -> Self {
        Stops {
            queues: vec![],
            places: HashMap::new(),
            count: 0,
        }
    }
}

/// Prices of a side in the order in which a stop of that side is reached: buys from below, sells from above. It is its own inverse.
const fn towards(side: Side, price: i64) -> i64 {
    match side {
        Side::Buy => price,
        Side::Sell => !price,
    }
}

impl<T> Stops<T> {
    /// Sets a stop; the number it is known by, counted from 1. `trigger` and the last prices are in the instrument's scale.
    pub fn set(&mut self, instrument: u32, side: Side, trigger: i64, order: T) -> u64 {
        self.count += 1;
        let (number, key) = (self.count, towards(side, trigger));
        let at = instrument as usize;
        if self.queues.len() <= at {
            self.queues.resize_with(at + 1, Default::default);
        }
        self.queues[at][side as usize].insert((key, number), order);
        let place = Place {
            instrument,
            side,
            key,
        };
        self.places.insert(number, place);
        number
    }

    /// Takes a stop away; what it would have sent, if it was still there.
    pub fn cancel(&mut self, number: u64) -> Option<T> {
        let place = self.places.remove(&number)?;
        let queue = self.queues.get_mut(place.instrument as usize)?;
        queue[place.side as usize].remove(&(place.key, number))
    }

    /// An instrument traded at a price: the next stop that is due, buys before sells. To be called until there is none.
    pub fn due(&mut self, instrument: u32, last: i64) -> Option<(u64, T)> {
        let queues = self.queues.get_mut(instrument as usize)?;
        for (side, queue) in [Side::Buy, Side::Sell].into_iter().zip(queues) {
            if let Some(first) = queue.first_entry()
                && first.key().0 <= towards(side, last)
            {
                let ((_, number), order) = first.remove_entry();
                self.places.remove(&number);
                return Some((number, order));
            }
        }
        None
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Those that wait: by instrument, buys before sells, the nearest trigger first.
    pub fn waiting(&self) -> impl Iterator<Item = Waiting<'_, T>> {
        let sides = self
            .queues
            .iter()
            .zip(0..)
            .flat_map(|(queues, instrument)| {
                let sides = [Side::Buy, Side::Sell].into_iter().zip(queues);
                sides.map(move |(side, queue)| (instrument, side, queue))
            });
        sides.flat_map(|(instrument, side, queue)| {
            queue.iter().map(move |((key, number), order)| Waiting {
                number: *number,
                instrument,
                side,
                trigger: towards(side, *key),
                order,
            })
        })
    }
}
