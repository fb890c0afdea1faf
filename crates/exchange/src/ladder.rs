//! Price levels, a place a tick: queues of orders, and a bitmap of three tiers that finds the next level in three steps.

use crate::slab::{NONE, Slab};

/// The most levels of a ladder: 64 × 64 × 64.
pub const MOST_LEVELS: usize = 1 << 18;

/// A level: the first and the last order of its queue ([`NONE`] if empty), and the sum of what is left of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Level {
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) quantity: u64,
}

/// Levels, and which of them have orders.
#[derive(Debug)]
pub(crate) struct Ladder {
    /// As numbers: memory that is 0 costs nothing until it is used.
    levels: Vec<[u64; 2]>,
    /// A bit a level.
    used: Vec<u64>,
    /// A bit a word of `used`.
    used_words: Vec<u64>,
    /// A bit a word of `used_words`.
    used_tops: u64,
}

impl Ladder {
    /// So many levels, all empty; [`MOST_LEVELS`] at most.
    pub(crate) fn new(levels: usize) -> Self {
        let levels = levels.clamp(1, MOST_LEVELS);
        let words = levels.div_ceil(64);
        Ladder {
            levels: vec![[0; 2]; levels],
            used: vec![0; words],
            used_words: vec![0; words.div_ceil(64)],
            used_tops: 0,
        }
    }

    /// How many levels there are.
    pub(crate) const fn len(&self) -> usize {
        self.levels.len()
    }

    #[inline(always)]
    pub(crate) fn level(&self, at: usize) -> Level {
        let [queue, quantity] = self.levels[at];
        Level {
            first: queue as u32,
            last: (queue >> 32) as u32,
            quantity,
        }
    }

    #[inline(always)]
    fn set(&mut self, at: usize, level: Level) {
        let queue = u64::from(level.last) << 32 | u64::from(level.first);
        self.levels[at] = [queue, level.quantity];
    }

    /// Takes a quantity off a level, of orders that stay.
    #[inline(always)]
    pub(crate) fn reduce(&mut self, at: usize, quantity: u64) {
        self.levels[at][1] -= quantity;
    }

    /// Puts an order behind the others of its level.
    #[inline(always)]
    pub(crate) fn push(&mut self, at: usize, slot: u32, orders: &mut Slab) {
        let mut level = self.level(at);
        let order = &mut orders[slot];
        level.quantity += order.remaining;
        (order.previous, order.next) = (level.last, NONE);
        if level.last == NONE {
            level.first = slot;
            self.mark(at);
        } else {
            orders[level.last].next = slot;
        }
        level.last = slot;
        self.set(at, level);
    }

    /// Takes an order out of its level; returns whether the level is empty now.
    #[inline(always)]
    pub(crate) fn remove(&mut self, at: usize, slot: u32, orders: &mut Slab) -> bool {
        let mut level = self.level(at);
        let order = &orders[slot];
        let (previous, next) = (order.previous, order.next);
        level.quantity -= order.remaining;
        if previous == NONE {
            level.first = next;
        } else {
            orders[previous].next = next;
        }
        if next == NONE {
            level.last = previous;
        } else {
            orders[next].previous = previous;
        }
        self.set(at, level);
        let empty = level.first == NONE;
        if empty {
            self.unmark(at);
        }
        empty
    }

    #[inline(always)]
    fn mark(&mut self, at: usize) {
        self.used[at >> 6] |= 1 << (at & 63);
        self.used_words[at >> 12] |= 1 << (at >> 6 & 63);
        self.used_tops |= 1 << (at >> 12);
    }

    #[inline(always)]
    fn unmark(&mut self, at: usize) {
        let word = &mut self.used[at >> 6];
        *word &= !(1 << (at & 63));
        if *word == 0 {
            let word = &mut self.used_words[at >> 12];
            *word &= !(1 << (at >> 6 & 63));
            if *word == 0 {
                self.used_tops &= !(1 << (at >> 12));
            }
        }
    }

    /// The lowest level with orders at or above one.
    #[inline]
    pub(crate) fn above(&self, at: usize) -> Option<usize> {
        if at >= self.len() {
            return None;
        }
        let found = self.used[at >> 6] & u64::MAX << (at & 63);
        if found != 0 {
            return Some(at & !63 | found.trailing_zeros() as usize);
        }
        let word = (at >> 6) + 1;
        let mut top = word >> 6;
        let mut words = match self.used_words.get(top) {
            Some(words) => words & u64::MAX << (word & 63),
            None => return None,
        };
        if words == 0 {
            let tops = self.used_tops & u64::MAX.checked_shl(top as u32 + 1).unwrap_or(0);
            if tops == 0 {
                return None;
            }
            top = tops.trailing_zeros() as usize;
            words = self.used_words[top];
        }
        let word = top << 6 | words.trailing_zeros() as usize;
        Some(word << 6 | self.used[word].trailing_zeros() as usize)
    }

    /// The highest level with orders below one.
    #[inline]
    pub(crate) fn below(&self, at: usize) -> Option<usize> {
        let at = at.min(self.len()).checked_sub(1)?;
        let found = self.used[at >> 6] & u64::MAX >> (63 - (at & 63));
        if found != 0 {
            return Some(at & !63 | found.ilog2() as usize);
        }
        let word = (at >> 6).checked_sub(1)?;
        let mut top = word >> 6;
        let mut words = self.used_words[top] & u64::MAX >> (63 - (word & 63));
        if words == 0 {
            let tops = self.used_tops & !(u64::MAX << top);
            top = tops.checked_ilog2()? as usize;
            words = self.used_words[top];
        }
        let word = top << 6 | words.checked_ilog2()? as usize;
        Some(word << 6 | self.used[word].checked_ilog2()? as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Levels far apart and near, at every border of a tier.
    const PLACES: [usize; 12] = [
        0,
        1,
        62,
        63,
        64,
        127,
        4_095,
        4_096,
        4_097,
        8_191,
        200_000,
        MOST_LEVELS - 1,
    ];

    #[test]
    fn the_next_level_is_found_across_every_tier() {
        for chosen in 0..1_u32 << PLACES.len() {
            // All sets would take long; a third of them shows as much.
            if chosen % 3 != 1 {
                continue;
            }
            let mut ladder = Ladder {
                levels: vec![[0; 2]; MOST_LEVELS],
                used: vec![0; MOST_LEVELS / 64],
                used_words: vec![0; 64],
                used_tops: 0,
            };
            let set: Vec<usize> = (0..PLACES.len())
                .filter(|bit| chosen >> bit & 1 != 0)
                .map(|bit| PLACES[bit])
                .collect();
            set.iter().for_each(|at| ladder.mark(*at));
            for at in PLACES {
                assert_eq!(
                    ladder.above(at),
                    set.iter().copied().find(|s| *s >= at),
                    "above {at} in {set:?}"
                );
                let below = set.iter().rev().copied().find(|s| *s < at);
                assert_eq!(ladder.below(at), below, "below {at} in {set:?}");
            }
            set.iter().for_each(|at| ladder.unmark(*at));
            assert_eq!((ladder.above(0), ladder.below(MOST_LEVELS)), (None, None));
        }
    }
}
