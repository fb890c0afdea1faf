//! Instruments whose feed gives price levels, not orders.

use formats::Event;

use crate::book::Book;
use crate::change::{Change, Level, What};
use crate::fault::{Cause, Status};
use crate::levels::key;
use crate::rebuild::RebuildError;
use crate::undo::Undo;
use crate::window::{Window, on_tick};

impl Book {
    /// Says that the feed gives price levels of this instrument, the so many best of each side, and no orders; `None`: it gives orders, as
    /// at first. Where a level enters a side that has so many, the worst is dropped, since the feed says nothing more about it.
    ///
    /// # Errors
    /// No such instrument; a frame without a verdict; a book that is not empty; a depth of 0.
    pub fn set_depth(&mut self, instrument: u32, depth: Option<u32>) -> Result<(), RebuildError> {
        self.between_frames(instrument)?;
        let market = &mut self.markets[instrument as usize];
        if depth == Some(0) || market.sides.iter().any(|side| side.len() > 0) {
            return Err(RebuildError::Depth);
        }
        market.depth = depth.unwrap_or(0);
        Ok(())
    }

    /// A level has this quantity from here on.
    pub(crate) fn book_level<const LIVE: bool>(
        &mut self,
        instrument: u32,
        event: &Event,
    ) -> Option<Change> {
        let market = self.markets.get(instrument as usize)?;
        if LIVE && market.status == Status::Rebuilding {
            return self.missed(instrument, event);
        }
        let before = market.top;
        match self.set_level(instrument, event) {
            Ok(true) => Some(self.change(instrument, What::Level, event.side, event.price, before)),
            Ok(false) => None,
            Err(cause) => Some(self.fault(instrument, cause, event, before)),
        }
    }

    /// Whether there was anything to do; on an error nothing changes.
    fn set_level(&mut self, instrument: u32, event: &Event) -> Result<bool, Cause> {
        let market = &self.markets[instrument as usize];
        if market.depth == 0 {
            return Err(Cause::Unsupported);
        }
        if event.quantity > self.limits.given_quantity {
            return Err(Cause::QuantityTooLarge);
        }
        let (side, price) = (event.side, event.price);
        let levels = &market.sides[side as usize];
        let found = levels.find(key(side, price)).is_ok();
        if event.quantity == 0 {
            if found {
                self.has_room(1)?;
                self.operations += 1;
                self.put(instrument, side, price, Level::EMPTY);
            }
            return Ok(found);
        }
        self.has_room(2)?;
        let level = self.wanted(event);
        if found {
            self.operations += 2;
            self.put(instrument, side, price, level);
            return Ok(true);
        }
        if !on_tick(price, market.tick) {
            return Err(Cause::OffTick);
        }
        let full = levels.len() >= market.depth as usize;
        let worst = levels.worst().filter(|_| full);
        self.check_window(instrument, event)?;
        self.operations += 1;
        let Some(worst) = worst else {
            self.put(instrument, side, price, level);
            return Ok(true);
        };
        self.operations += 1;
        let worst = self.queues.level(worst).price;
        // Else it is beyond the depth itself.
        if crate::levels::key(side, worst) < key(side, price) {
            self.put(instrument, side, worst, Level::EMPTY);
            self.put(instrument, side, price, level);
        }
        Ok(true)
    }

    /// Whether so many operations more can be undone.
    fn has_room(&self, operations: u32) -> Result<(), Cause> {
        if operations > self.limits.log - self.operations {
            return Err(Cause::LogFull);
        }
        Ok(())
    }

    /// The level that the event says; of a feed that does not give the number of orders it has one, at least.
    fn wanted(&self, event: &Event) -> Level {
        let orders = event.order_id.clamp(1, self.limits.given_orders.into());
        Level {
            price: event.price,
            quantity: event.quantity,
            orders: orders as u32,
        }
    }

    /// Whether a level can open, before another is dropped for it; moves the window of a book that is empty. A level beyond the window is a fault: hardware
    /// would not know its price, nor so which one is the worst.
    fn check_window(&mut self, instrument: u32, event: &Event) -> Result<(), Cause> {
        let market = &mut self.markets[instrument as usize];
        let mut window = market.window;
        if let Some(half) = self.limits.window {
            if !window.chosen && market.sides.iter().all(|side| side.len() == 0) {
                window = Window::around(event.price, market.tick, half, false);
            }
            if !window.contains(event.price) {
                return Err(Cause::OutsideWindow);
            }
        }
        if self.orders.live() + self.by_level >= self.limits.orders {
            return Err(Cause::OrdersFull);
        }
        if self.levels >= self.limits.levels {
            return Err(Cause::LevelsFull);
        }
        if window != market.window {
            self.log.push(Undo::Window(instrument, market.window));
            market.window = window;
        }
        Ok(())
    }

    /// Sets a level, opens or closes it; what it was before goes into the log.
    fn put(&mut self, instrument: u32, side: formats::Side, price: i64, level: Level) {
        let before = self.put_silently(instrument, side, price, level);
        let before = Level { price, ..before };
        self.log.push(Undo::Level(instrument, side, before));
    }

    /// The same without a trace; returns what it was.
    pub(crate) fn put_silently(
        &mut self,
        instrument: u32,
        side: formats::Side,
        price: i64,
        level: Level,
    ) -> Level {
        let market = &mut self.markets[instrument as usize];
        let levels = &mut market.sides[side as usize];
        let before = match levels.find(key(side, price)) {
            Ok(at) => {
                let queue = levels.queue(at);
                let before = self.queues.level(queue);
                if level.is_empty() {
                    self.levels -= u32::from(levels.close(at));
                    self.queues.close(queue);
                    self.by_level -= 1;
                } else {
                    self.queues.set(queue, level);
                }
                before
            }
            Err(_) if level.is_empty() => Level::EMPTY,
            Err(at) => {
                let outside = !market.window.contains(price);
                let queue = levels.open(at, side, price, outside, &mut self.queues);
                self.queues.set(queue, level);
                self.levels += u32::from(!outside);
                self.by_level += 1;
                Level::EMPTY
            }
        };
        market.refresh(side, &self.queues);
        before
    }
}
