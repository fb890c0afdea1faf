//! What a book will have to read, asked for before it is read.

use formats::Side;

use crate::book::Book;
use crate::levels::key;
use crate::orders::NONE;
use crate::prefetch::prefetch;

/// After so many further events an order is asked for.
const ORDER: usize = 5;
/// After so many, its level.
const LEVEL: usize = 10;
/// A power of two above [`LEVEL`].
const LENGTH: usize = 16;

/// A book of fewer orders is in the cache anyway.
const FEW: u32 = 1 << 12;

/// Events that will come: what a book of thousands of instruments has to read for each (its place in the hash and the market; the order; the
/// level) is in the cache when it comes. For recorded days, and for packets with many messages; a hint that is wrong does no harm.
#[derive(Clone, Debug)]
pub struct Hints {
    hints: [Hint; LENGTH],
    /// Hints taken so far, modulo 2^64.
    taken: usize,
}

#[derive(Clone, Copy, Debug)]
struct Hint {
    id: u64,
    instrument: u32,
    /// Where the order was when it was looked for.
    slot: u32,
    /// Side and price of an order that enters.
    limit: Option<(Side, i64)>,
}

impl Default for Hints {
    fn default() -> Self {
        let nothing = Hint {
            id: 0,
            instrument: u32::MAX,
            slot: NONE,
            limit: None,
        };
        Hints {
            hints: [nothing; LENGTH],
            taken: 0,
        }
    }
}

impl Hints {
    /// A hint is given best so many events before its event is booked.
    pub const DISTANCE: usize = LEVEL + 2;

    /// An event of the order with this id will come: of this instrument, if that is known; of an order that enters, at this limit.
    #[inline(always)]
    pub fn give(
        &mut self,
        book: &Book,
        instrument: Option<u32>,
        id: u64,
        limit: Option<(Side, i64)>,
    ) {
        if book.orders.live() < FEW {
            return;
        }
        let instrument = instrument.unwrap_or(u32::MAX);
        self.hints[self.taken % LENGTH] = Hint {
            id,
            instrument,
            slot: NONE,
            limit,
        };
        book.orders.prefetch(id);
        if let Some(market) = book.markets.get(instrument as usize) {
            prefetch(&market.sides);
            prefetch(&market.top);
        }
        let hint = &mut self.hints[self.taken.wrapping_sub(ORDER) % LENGTH];
        match hint.limit {
            None => hint.slot = book.orders.guess(hint.id).unwrap_or(NONE),
            Some((side, _)) => {
                if let Some(market) = book.markets.get(hint.instrument as usize) {
                    market.sides[side as usize].prefetch();
                }
            }
        }
        let hint = &self.hints[self.taken.wrapping_sub(LEVEL) % LENGTH];
        let level = match hint.limit {
            None => book.orders.get(hint.slot).map(|order| {
                if let Some(market) = book.markets.get(order.instrument() as usize) {
                    market.sides[order.side() as usize].prefetch();
                }
                order.level
            }),
            Some((side, price)) => {
                let market = book.markets.get(hint.instrument as usize);
                market.and_then(|market| market.sides[side as usize].guess(key(side, price)))
            }
        };
        let queue = level.and_then(|level| book.queues.get(level));
        queue.into_iter().for_each(prefetch);
        self.taken = self.taken.wrapping_add(1);
    }
}
