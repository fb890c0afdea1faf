//! Instruments whose feed gives price levels, not orders.

use wire::Event;

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
        let what = match self.set_level(instrument, event) {
            Ok(()) => What::Level,
            Err(cause) => return Some(self.fault(instrument, cause, event, before)),
        };
        Some(self.change(instrument, what, event.side, event.price, before))
    }

    /// On an error nothing changes.
    fn set_level(&mut self, instrument: u32, event: &Event) -> Result<(), Cause> {
        let market = &self.markets[instrument as usize];
        if market.depth == 0 {
            return Err(Cause::Unsupported);
        }
        if self.operations >= self.limits.log {
            return Err(Cause::LogFull);
        }
        if !on_tick(event.price, market.tick) {
            return Err(Cause::OffTick);
        }
        let level = self.wanted(event)?;
        let levels = &market.sides[event.side as usize];
        let key = key(event.side, event.price);
        let found = levels.find(key);
        if found.is_err() && !level.is_empty() {
            let full = levels.len() >= market.depth as usize;
            let worst = levels.worst().filter(|_| full);
            if let Some(worst) = worst {
                let dropped = self.queues.level(worst).price;
                if crate::levels::key(event.side, dropped) > key {
                    // It is beyond the depth itself.
                    return Ok(());
                }
                self.check_window(instrument, event, Some(dropped))?;
                self.put(instrument, event.side, dropped, Level::EMPTY);
            } else {
                self.check_window(instrument, event, None)?;
            }
        }
        self.operations += 1;
        self.put(instrument, event.side, event.price, level);
        Ok(())
    }

    /// The level that the event says; of a feed that does not give the number of orders it has one, at least.
    fn wanted(&self, event: &Event) -> Result<Level, Cause> {
        if event.quantity == 0 {
            return Ok(Level::EMPTY);
        }
        let orders = u32::try_from(event.order_id.max(1)).unwrap_or(u32::MAX);
        if orders > self.limits.level_orders || event.quantity > self.limits.level_quantity {
            return Err(Cause::LevelOverflow);
        }
        Ok(Level {
            price: event.price,
            quantity: event.quantity,
            orders,
        })
    }

    /// Whether a level can open; moves the window of a book that is empty. `dropped`: the level that goes for it.
    fn check_window(
        &mut self,
        instrument: u32,
        event: &Event,
        dropped: Option<i64>,
    ) -> Result<(), Cause> {
        let market = &mut self.markets[instrument as usize];
        let mut window = market.window;
        if let Some(half) = self.limits.window {
            if !window.chosen && market.sides.iter().all(|side| side.len() == 0) {
                window = Window::around(event.price, market.tick, half, false);
            }
            if window.is_better(event.side, event.price) {
                return Err(Cause::OutsideWindow);
            }
        }
        let inside = |price: i64| u32::from(window.contains(price));
        let levels = self.levels - dropped.map_or(0, inside) + inside(event.price);
        let all = self.orders.live() + self.by_level - u32::from(dropped.is_some());
        if levels > self.limits.levels || all >= self.limits.orders {
            return Err(Cause::LevelsFull);
        }
        if window != market.window {
            self.log.push(Undo::Window(instrument, market.window));
            market.window = window;
        }
        Ok(())
    }

    /// Sets a level, opens or closes it; what it was before goes into the log.
    fn put(&mut self, instrument: u32, side: wire::Side, price: i64, level: Level) {
        let before = self.put_silently(instrument, side, price, level);
        let before = Level { price, ..before };
        self.log.push(Undo::Level(instrument, side, before));
    }

    /// The same without a trace; returns what it was.
    pub(crate) fn put_silently(
        &mut self,
        instrument: u32,
        side: wire::Side,
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
