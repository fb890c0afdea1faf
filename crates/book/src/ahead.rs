//! Events on their way into a book, so that memory is there when they are booked.

use wire::{Event, Kind};

use crate::book::Book;
use crate::change::Change;
use crate::orders::NONE;
use crate::prefetch::prefetch;

/// Events that are on their way, at most.
const LENGTH: usize = 16;
/// After so many further events an event's order is asked for, and after so many its level.
const ORDER: usize = 5;
const LEVEL: usize = 10;

/// Books every event as a frame of its own, [`Ahead::LENGTH`] events late: what a book of thousands of instruments has to read for it (its place
/// in the hash, the market; the order; the level) is asked for meanwhile. For recorded days, not for a live feed: what is late earns nothing.
#[derive(Clone, Debug)]
pub struct Ahead {
    events: [Waiting; LENGTH],
    /// Events taken so far, modulo 2^64.
    taken: usize,
    /// Events not booked yet.
    waiting: usize,
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    instrument: Option<u32>,
    event: Event,
    /// Where the order was when it was looked for: a guess, nothing more.
    slot: u32,
}

impl Default for Ahead {
    fn default() -> Self {
        let nothing = Waiting {
            instrument: None,
            event: Event::new(Kind::Status, 0),
            slot: NONE,
        };
        Ahead {
            events: [nothing; LENGTH],
            taken: 0,
            waiting: 0,
        }
    }
}

impl Ahead {
    /// So many events are on their way, at most.
    pub const LENGTH: usize = LENGTH;

    /// Takes an event of this instrument, as [`Book::apply_to`] does, and books the one that has waited long enough; returns what that changed.
    #[inline(always)]
    pub fn push(
        &mut self,
        book: &mut Book,
        instrument: Option<u32>,
        event: &Event,
    ) -> Option<Change> {
        let place = self.taken % LENGTH;
        let due = (self.waiting == LENGTH).then(|| self.events[place]);
        let change = due.and_then(|due| {
            let change = book.apply_to(due.instrument, &due.event);
            book.verdict(true);
            change
        });
        self.events[place] = Waiting {
            instrument,
            event: *event,
            slot: NONE,
        };
        self.waiting = (self.waiting + 1).min(LENGTH);
        book.ask_for_place(instrument, event);
        let order = &mut self.events[self.taken.wrapping_sub(ORDER) % LENGTH];
        book.ask_for_order(order);
        let level = &self.events[self.taken.wrapping_sub(LEVEL) % LENGTH];
        book.ask_for_level(level);
        self.taken = self.taken.wrapping_add(1);
        change
    }

    /// Books an event that is still on its way; `None`: there is none. To be called until then, at the end.
    pub fn finish(&mut self, book: &mut Book) -> Option<Option<Change>> {
        self.waiting = self.waiting.checked_sub(1)?;
        let oldest = self.taken.wrapping_sub(self.waiting + 1) % LENGTH;
        let due = self.events[oldest];
        let change = book.apply_to(due.instrument, &due.event);
        book.verdict(true);
        Some(change)
    }
}

impl Book {
    /// The place of an event's order in the hash, and its market, will be read.
    #[inline(always)]
    fn ask_for_place(&self, instrument: Option<u32>, event: &Event) {
        match event.kind {
            Kind::Add | Kind::Execute | Kind::Reduce | Kind::Delete => {
                self.orders.prefetch(event.order_id);
            }
            Kind::Replace => {
                self.orders.prefetch(event.order_id);
                self.orders.prefetch(event.new_order_id);
            }
            _ => return,
        }
        if let Some(market) = instrument.and_then(|at| self.markets.get(at as usize)) {
            prefetch(&market.sides);
            prefetch(&market.top);
            prefetch(&market.window);
        }
    }

    /// The order, or the levels of its side, will be read.
    #[inline(always)]
    fn ask_for_order(&self, waiting: &mut Waiting) {
        let event = &waiting.event;
        match event.kind {
            Kind::Execute | Kind::Reduce | Kind::Delete | Kind::Replace => {
                waiting.slot = self.orders.guess(event.order_id).unwrap_or(NONE);
            }
            Kind::Add => {
                let index = waiting.instrument.unwrap_or(u32::MAX);
                if let Some(market) = self.markets.get(index as usize) {
                    market.sides[event.side as usize].prefetch();
                }
            }
            _ => {}
        }
    }

    /// The level will be read.
    #[inline(always)]
    fn ask_for_level(&self, waiting: &Waiting) {
        if let Some(order) = self.orders.get(waiting.slot) {
            self.queues.get(order.level).into_iter().for_each(prefetch);
        }
    }
}
