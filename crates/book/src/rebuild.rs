//! What the host does between frames: rebuild an instrument, set its tick, move its window; and what ends a feed's truth: gaps and sessions.

use formats::{Event, Kind};
use thiserror::Error;

use crate::book::Book;
use crate::change::{Change, Top};
use crate::fault::{Cause, Status};
use crate::levels::key;
use crate::orders::NONE;
use crate::window::Window;

/// Why the host's request is refused; nothing changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RebuildError {
    /// The index is beyond the table.
    #[error("there is no such instrument")]
    NoInstrument,
    /// A frame has begun and has no verdict yet.
    #[error("a frame has no verdict yet")]
    FrameOpen,
    /// The instrument was not cleared first.
    #[error("the instrument is not being rebuilt")]
    NotRebuilding,
    /// What was put in did not fit.
    #[error("the rebuild failed: {0}")]
    Faulty(
        /// The first fault.
        Cause,
    ),
    /// Events of the feed are missing.
    #[error("events of the feed before message {next} are missing")]
    Missing {
        /// The lowest number of the next message with which the rebuild would be complete.
        next: u64,
    },
    /// A tick below 1, or another tick in a book with orders.
    #[error("the tick is below 1, or the book has orders")]
    Tick,
    /// A depth of 0, or another depth in a book that is not empty.
    #[error("the depth is 0, or the book is not empty")]
    Depth,
    /// Levels would be better than all that the window shows, or too many would be inside.
    #[error("the window does not fit the book")]
    Window,
}

impl Book {
    pub(crate) fn between_frames(&self, instrument: u32) -> Result<(), RebuildError> {
        if instrument as usize >= self.markets.len() {
            return Err(RebuildError::NoInstrument);
        }
        if !self.log.is_empty() || self.faulted {
            return Err(RebuildError::FrameOpen);
        }
        Ok(())
    }

    /// Begins a rebuild: the orders of an instrument leave the book. From here on the feed's events of it are not booked.
    ///
    /// # Errors
    /// No such instrument; a frame without a verdict.
    pub fn clear(&mut self, instrument: u32) -> Result<(), RebuildError> {
        self.between_frames(instrument)?;
        let market = &mut self.markets[instrument as usize];
        for levels in &mut market.sides {
            for at in 0..levels.len() {
                let queue = levels.queue(at);
                let mut slot = self.queues[queue].first;
                while slot != NONE {
                    let order = self.orders[slot];
                    if let Ok(found) = self.orders.find(order.id) {
                        self.orders.remove(found);
                    }
                    slot = order.next;
                }
                self.queues.close(queue);
                self.by_level -= u32::from(market.depth > 0);
            }
            self.levels -= levels.inside() as u32;
            levels.clear();
        }
        market.top = Top::default();
        market.status = Status::Rebuilding;
        market.missed = 0;
        Ok(())
    }

    /// Books an event of a snapshot, or one of the feed's that came after it: first the orders, oldest first, as [`Kind::Add`]; then what the
    /// feed said since. Its instrument is this one, whatever the event says.
    ///
    /// # Errors
    /// No such instrument; a frame without a verdict; not cleared, or a fault since.
    pub fn restore(
        &mut self,
        instrument: u32,
        event: &Event,
    ) -> Result<Option<Change>, RebuildError> {
        self.between_frames(instrument)?;
        match self.markets[instrument as usize].status {
            Status::Rebuilding => {}
            Status::Untradable(cause) => return Err(RebuildError::Faulty(cause)),
            _ => return Err(RebuildError::NotRebuilding),
        }
        let event = Event {
            source: self.source,
            ..*event
        };
        let change = match event.kind {
            Kind::Trade => None,
            _ => self.book::<false>(Some(instrument), &event),
        };
        self.verdict(true);
        Ok(change)
    }

    /// Ends a rebuild: the instrument is tradable. `next` is the number of the first message of the feed that is not in what was put in;
    /// it is the one that [`Book::apply`] books next.
    ///
    /// # Errors
    /// No such instrument; a frame without a verdict; not cleared; a fault since; events of the feed that came meanwhile and are not in what
    /// was put in. An event whose instrument is not known counts as one of them.
    pub fn tradable(&mut self, instrument: u32, next: u64) -> Result<(), RebuildError> {
        self.between_frames(instrument)?;
        let missed = self.unknown.max(self.after_gap);
        let market = &mut self.markets[instrument as usize];
        match market.status {
            Status::Rebuilding => {}
            Status::Untradable(cause) => return Err(RebuildError::Faulty(cause)),
            _ => return Err(RebuildError::NotRebuilding),
        }
        let missed = market.missed.max(missed);
        if next < missed {
            return Err(RebuildError::Missing { next: missed });
        }
        market.status = Status::Tradable;
        Ok(())
    }

    /// The feed lost messages before number `next`: every instrument is untradable, and a rebuild must reach that number.
    pub fn gap(&mut self, next: u64) {
        self.after_gap = self.after_gap.max(next);
        self.all_untradable(Cause::Gap);
    }

    /// The feed begins a session with this number. If that is 1 and no order is in the book, the day begins and every instrument is tradable
    /// that is not being rebuilt; else none is, and a rebuild must reach this number. Numbers of the session before count no more.
    pub fn session(&mut self, first: u64) {
        for market in &mut self.markets {
            market.missed = 0;
        }
        self.unknown = 0;
        self.after_gap = 0;
        if first == 1 && self.orders.live() == 0 && self.by_level == 0 {
            for market in &mut self.markets {
                if market.status != Status::Rebuilding {
                    market.status = Status::Tradable;
                }
            }
            self.missing = None;
        } else {
            self.after_gap = first;
            self.all_untradable(Cause::NewSession);
        }
    }

    /// Sets the tick of an instrument, in its price scale: every price must be a multiple of it.
    ///
    /// # Errors
    /// No such instrument; a frame without a verdict; a tick below 1; a book with orders.
    pub fn set_tick(&mut self, instrument: u32, tick: i64) -> Result<(), RebuildError> {
        self.between_frames(instrument)?;
        let market = &mut self.markets[instrument as usize];
        if tick < 1 || market.sides.iter().any(|side| side.len() > 0) {
            return Err(RebuildError::Tick);
        }
        market.tick = tick;
        Ok(())
    }

    /// Moves the window of an instrument so that its middle is this price, rounded down to the tick. From here on it stays where it is put.
    /// Without a window nothing happens.
    ///
    /// # Errors
    /// No such instrument; a frame without a verdict; levels that would be better than the window, or too many inside of it.
    pub fn centre(&mut self, instrument: u32, price: i64) -> Result<(), RebuildError> {
        self.between_frames(instrument)?;
        let Some(half) = self.limits.window else {
            return Ok(());
        };
        let market = &mut self.markets[instrument as usize];
        let window = Window::around(price, market.tick, half, true);
        let [bids, asks] = &market.sides;
        let outside = (
            bids.outside_of(formats::Side::Buy, &window),
            asks.outside_of(formats::Side::Sell, &window),
        );
        let (Some(bids_outside), Some(asks_outside)) = outside else {
            return Err(RebuildError::Window);
        };
        let before = bids.inside() + asks.inside();
        let inside = bids.len() + asks.len() - bids_outside - asks_outside;
        let levels = self.levels as usize - before + inside;
        if levels > self.limits.levels as usize {
            return Err(RebuildError::Window);
        }
        self.levels = levels as u32;
        market.window = window;
        let sides = [
            (formats::Side::Buy, bids_outside),
            (formats::Side::Sell, asks_outside),
        ];
        for (side, outside) in sides {
            market.sides[side as usize].set_outside(outside);
            market.refresh(side, &self.queues);
        }
        Ok(())
    }

    /// Whether the middle of an instrument's best prices is in an outer quarter of its window: the price to give to [`Book::centre`].
    pub fn off_centre(&self, instrument: u32) -> Option<i64> {
        let half = self.limits.window?;
        let market = self.markets.get(instrument as usize)?;
        let top = market.top;
        if market.window == Window::ALL || top.bid.is_empty() || top.ask.is_empty() {
            return None;
        }
        let middle = i64::midpoint(top.bid.price, top.ask.price);
        let quarter = market.tick.saturating_mul(i64::from(half) / 2);
        let low = market.window.low.saturating_add(quarter);
        let high = market.window.high.saturating_sub(quarter);
        (middle < low || middle > high).then_some(middle)
    }
}

impl Book {
    /// Takes no more than so many orders from here on, and never more than [`Limits::orders`](crate::Limits::orders) was: as a hash table of
    /// hardware, which is full as soon as the sets of an id are. The orders that are there stay.
    pub fn set_room_for_orders(&mut self, orders: u32) {
        self.limits.orders = orders.min(self.most_orders);
    }

    /// Where a price is among the levels of a side, the best being 0; `None`: no order has it.
    pub fn rank(&self, instrument: u32, side: formats::Side, price: i64) -> Option<usize> {
        let levels = &self.markets.get(instrument as usize)?.sides[side as usize];
        let at = levels.find(key(side, price)).ok()?;
        Some(levels.len() - 1 - at)
    }
}
