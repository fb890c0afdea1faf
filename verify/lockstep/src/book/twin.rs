//! What the hardware has to say, from the twin in software.
//!
//! The differences between the two that are allowed, each in one place:
//!
//! | difference (`rtl/book/book_stage.sv` lists them) | where |
//! |---|---|
//! | the host alone sets the window; after a reset every instrument is being rebuilt | [`Twin::new`], [`Twin::window`] |
//! | whether a price beyond the window is a multiple of the tick is not looked at; `KIND_CLEAR` is a fault of an empty book too | [`Twin::adapted`] |
//! | an order beyond the window has no price that is remembered; a trade's quantity has 32 bits | [`Twin::trade`] |
//! | faults of bad frames are counted, and so are events of nobody's orders | [`Counts`] |
//! | the sets of a hash table are full before the table is | [`Twin::apply`], `full` |
//! | a level that does not fit is reported after the order was booked, and stays | [`Twin::wrong`], [`Twin::overflows`] |
//! | an event missed during a rebuild counts with the number of the last event that had come by then | [`Twin::tradable`] |
//! | while a side is short of best levels, fewer are shown | `compare` in [`lockstep`](super::lockstep) |
//!
//! Which order of a level came first the hardware does not know, and does not tell.

use book::{Book, Cause, Change, Level, RebuildError, Status, Top, What};
use formats::{Event, Kind, Side};

use super::model::LEVELS;
use super::{Design, INSTRUMENTS, WINDOW_TICKS};

/// Of all sums of a level the hardware has so many bits.
const LEVEL_ORDERS: u32 = (1 << 12) - 1;
const LEVEL_QUANTITY: u64 = (1 << 32) - 1;

/// The prices of an instrument that the hardware shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Tick size in the instrument's scale: 1 to 31, times a power of two up to 128.
    pub tick: i64,
    /// The lowest price, in ticks; from 0 on.
    pub low: i64,
}

impl Window {
    /// One with this price in its middle, or as near as it may be.
    pub fn around(price: i64, tick: i64) -> Self {
        let low = (price.div_euclid(tick) - WINDOW_TICKS / 2).max(0);
        Window { tick, low }
    }

    /// The lowest price inside.
    pub fn low_price(self) -> i64 {
        self.low * self.tick
    }

    /// The first price after the highest inside.
    pub fn end_price(self) -> i64 {
        (self.low + WINDOW_TICKS) * self.tick
    }

    /// Whether a price is inside.
    pub fn contains(self, price: i64) -> bool {
        (self.low_price()..self.end_price()).contains(&price)
    }

    /// What [`Book::centre`] takes.
    fn centre(self) -> i64 {
        (self.low + WINDOW_TICKS / 2) * self.tick
    }
}

/// What was counted, whatever became of the frames.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Events that could not be booked, by cause.
    pub faults: [u64; Cause::ALL.len()],
    /// Events of orders that are not in the book, of nobody knows which instrument.
    pub not_ours: u64,
    /// Frames that were undone.
    pub undone: u64,
}

/// The best levels of a side, and the best of both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Lines {
    pub top: Top,
    pub levels: [Level; LEVELS],
    /// How many of them there are.
    pub count: usize,
    /// There are more inside of the window.
    pub more: bool,
}

/// A trade as the hardware tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Trade {
    pub instrument: usize,
    pub side: Side,
    pub price: Option<u32>,
    pub quantity: u32,
}

/// A change as the hardware tells it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expected {
    pub instrument: usize,
    pub side: Side,
    pub fault: Option<Cause>,
    /// Best levels are given with it.
    pub shown: bool,
    pub lines: Lines,
    pub tradable: bool,
    /// Of this side.
    pub best_changed: bool,
    /// Two operations.
    pub replaced: bool,
    pub trade: Option<Trade>,
    /// A level cannot hold it: of this a fault comes later.
    pub overflows: bool,
    /// An order that entered alone at a better price than all of its side.
    pub improves: bool,
}

/// An operation of a bad frame that is taken back: what was there before it, if that is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Undone {
    pub instrument: usize,
    pub side: Side,
    pub lines: Option<Lines>,
}

/// The twin.
pub(super) struct Twin {
    pub book: Book,
    windows: [Window; INSTRUMENTS],
    /// Levels of a side that the feed gives; 0: it gives orders.
    depths: [u8; INSTRUMENTS],
    pub counts: Counts,
    /// Operations of the open frame.
    frame: Vec<Undone>,
    /// Instruments with a level that did not fit: its sums are wrong in the hardware until it is rebuilt.
    pub wrong: [bool; INSTRUMENTS],
}

impl Twin {
    /// After a reset every instrument is being rebuilt, and no window is set.
    pub fn new(design: Design) -> Self {
        let mut book = Book::new(INSTRUMENTS, design.limits());
        for instrument in 0..INSTRUMENTS as u32 {
            book.clear(instrument)
                .expect("no frame is open at the start");
        }
        Twin {
            book,
            windows: [Window { tick: 1, low: 0 }; INSTRUMENTS],
            depths: [0; INSTRUMENTS],
            counts: Counts::default(),
            frame: vec![],
            wrong: [false; INSTRUMENTS],
        }
    }

    /// The window of an instrument without orders; `depth` 0: its feed gives orders.
    pub fn set_window(
        &mut self,
        instrument: usize,
        window: Window,
        depth: u8,
    ) -> Result<(), RebuildError> {
        let given = (depth > 0).then_some(depth.into());
        self.book.set_depth(instrument as u32, given)?;
        self.depths[instrument] = depth;
        self.book.set_tick(instrument as u32, window.tick)?;
        self.book.centre(instrument as u32, window.centre())?;
        self.windows[instrument] = window;
        Ok(())
    }

    /// The window of an instrument.
    pub fn window(&self, instrument: usize) -> Window {
        self.windows[instrument]
    }

    /// Whether the feed gives levels of an instrument.
    pub fn is_by_level(&self, instrument: usize) -> bool {
        self.depths[instrument] > 0
    }

    /// Operations of the hardware, one that is possible, that set a level: the delete of what it was, its add, the delete of the worst one.
    fn level_operations(&self, event: &Event) -> usize {
        let Some(instrument) = event.instrument.filter(|at| usize::from(*at) < INSTRUMENTS) else {
            return 0;
        };
        let depth = self.depths[usize::from(instrument)];
        let levels = |price| self.book.level(instrument.into(), event.side, price);
        let count = self.book.levels(instrument.into(), event.side).count();
        match (event.quantity, levels(event.price)) {
            (0, _) => 1,
            (_, Some(_)) => 2,
            _ => 1 + usize::from(count >= depth.into()),
        }
    }

    /// The event as the hardware takes it.
    fn adapted(&self, event: &Event) -> Event {
        let mut event = *event;
        match event.kind {
            Kind::Add | Kind::Replace | Kind::Modify | Kind::Level => {
                let order = self.book.order(event.order_id);
                let instrument = match (event.kind, order) {
                    (Kind::Replace | Kind::Modify, Some(order)) => Some(order.instrument as usize),
                    _ => event.instrument.map(usize::from),
                };
                let window = instrument.and_then(|instrument| self.windows.get(instrument));
                if let Some(window) = window.filter(|window| !window.contains(event.price)) {
                    let rest = event.price.rem_euclid(window.tick);
                    let below = event.price.checked_sub(rest);
                    let on_tick = below.unwrap_or_else(|| event.price + (window.tick - rest));
                    // A change without a price is a fault; one below the window is none.
                    event.price = match event.kind {
                        Kind::Modify if event.price != 0 && on_tick == 0 => -window.tick,
                        _ => on_tick,
                    };
                }
            }
            _ => {}
        }
        event
    }

    /// The best levels of an instrument.
    pub fn lines(&self, instrument: usize, side: Side) -> Lines {
        let mut lines = Lines {
            top: self.book.top(instrument as u32),
            ..Lines::default()
        };
        let mut levels = self.book.levels(instrument as u32, side);
        for (place, level) in lines.levels.iter_mut().zip(&mut levels) {
            *place = level;
            lines.count += 1;
        }
        lines.more = levels.next().is_some();
        lines
    }

    /// Books an event. `full`: the hardware had no room for another order, since all sets of its id were full.
    pub fn apply(&mut self, event: &Event, full: bool) -> Option<Expected> {
        let event = self.adapted(event);
        let of_order = matches!(
            event.kind,
            Kind::Modify | Kind::Execute | Kind::Reduce | Kind::Delete | Kind::Replace
        );
        let order = of_order
            .then(|| self.book.order(event.order_id))
            .flatten()
            .map(|order| (order.instrument as usize, order.side, order.price));
        let place = order.map(|(instrument, side, _)| (instrument, side));
        let place = place.or(event.instrument.map(|named| (named.into(), event.side)));
        let before = place.map_or(Lines::default(), |(instrument, side)| {
            self.lines(instrument, side)
        });
        let level_operations = self.level_operations(&event);
        let not_ours = self.book.counters().not_ours;
        if full {
            self.book.set_room_for_orders(0);
        }
        let change = self.book.apply(&event);
        if full {
            self.book.set_room_for_orders(u32::MAX);
        }
        let not_ours = self.book.counters().not_ours.wrapping_sub(not_ours);
        self.counts.not_ours += u64::from(not_ours);
        let change = change?;
        let instrument = change.instrument as usize;
        // Of a replacement that could not enter, only the delete was done.
        let left = order.is_some() && self.book.order(event.order_id).is_none();
        let half = matches!(change.what, What::Fault(_)) && left;
        let side = order.map_or(change.side, |(_, side, _)| side);
        let mut expected = self.expected(&change, side, half);
        expected.trade = self.trade(&change, &event, order.map(|(_, _, price)| price));
        expected.replaced = matches!(event.kind, Kind::Replace | Kind::Modify | Kind::Level);
        let steps = match change.what {
            What::Fault(_) => usize::from(half),
            What::Replace | What::Modify => 2,
            What::Level => level_operations,
            _ => 1,
        };
        for step in 0..steps {
            // Between the delete and the add of a replacement nobody has seen it.
            let lines = (step == 0).then_some(before);
            let undone = Undone {
                instrument,
                side,
                lines,
            };
            self.frame.push(undone);
        }
        Some(expected)
    }

    fn expected(&mut self, change: &Change, side: Side, half: bool) -> Expected {
        let instrument = change.instrument as usize;
        let fault = match change.what {
            What::Fault(cause) => Some(cause),
            _ => None,
        };
        if let Some(cause) = fault {
            self.counts.faults[cause as usize] += 1;
        }
        let entered = matches!(change.what, What::Add | What::Replace | What::Modify);
        let (before, after) = (change.before.of(side), change.after.of(side));
        Expected {
            instrument,
            side,
            fault,
            shown: fault.is_none() || half,
            lines: self.lines(instrument, side),
            tradable: change.status == Status::Tradable,
            best_changed: change.best_changed(side),
            replaced: false,
            trade: None,
            overflows: entered && self.overflows(instrument, side, change.price),
            improves: change.what == What::Add
                && after.orders == 1
                && after.price == change.price
                && !before.is_empty()
                && before.price != after.price,
        }
    }

    /// Whether a level has more orders or a larger quantity than the hardware can add up. Beyond the window all orders of a side are one level.
    fn overflows(&self, instrument: usize, side: Side, price: i64) -> bool {
        let (orders, quantity) = if self.windows[instrument].contains(price) {
            let level = self.book.level(instrument as u32, side, price);
            level.map_or((0, 0), |level| (level.orders, level.quantity))
        } else {
            let levels = self.book.levels_outside(instrument as u32, side);
            levels.fold((0, 0), |(orders, quantity), level| {
                (orders + level.orders, quantity + level.quantity)
            })
        };
        orders > LEVEL_ORDERS || quantity > LEVEL_QUANTITY
    }

    fn trade(&self, change: &Change, event: &Event, order_price: Option<i64>) -> Option<Trade> {
        let trade = change.trade?;
        let instrument = change.instrument as usize;
        // Its own price, or the order's: which is remembered by its tick in the window.
        let price = match order_price {
            Some(price) if event.price == 0 => {
                Some(price).filter(|price| self.windows[instrument].contains(*price))
            }
            _ => Some(event.price),
        };
        Some(Trade {
            instrument,
            side: trade.side,
            price: price.and_then(|price| u32::try_from(price).ok()),
            quantity: u32::try_from(trade.quantity).unwrap_or(u32::MAX),
        })
    }

    /// Ends the frame; of a bad one, what is taken back, the first one first.
    pub fn verdict(&mut self, good: bool) -> Vec<Undone> {
        self.book.verdict(good);
        let mut frame = std::mem::take(&mut self.frame);
        if good {
            frame.clear();
        } else {
            self.counts.undone += 1;
        }
        frame.reverse();
        frame
    }

    /// Begins a rebuild.
    pub fn clear(&mut self, instrument: usize) -> Result<(), RebuildError> {
        self.book.clear(instrument as u32)?;
        self.wrong[instrument] = false;
        Ok(())
    }

    /// The host puts an order in.
    pub fn restore(
        &mut self,
        instrument: usize,
        event: &Event,
    ) -> Result<Option<Expected>, RebuildError> {
        let event = self.adapted(event);
        let change = self.book.restore(instrument as u32, &event)?;
        Ok(change.map(|change| self.expected(&change, event.side, false)))
    }

    /// The host ends a rebuild; `done`: whether the hardware did. `came` is the number after that of the last event that has come.
    ///
    /// # Errors
    /// The difference, in words. The hardware may be more careful, as far as the last event that has come.
    pub fn tradable(
        &mut self,
        instrument: usize,
        next: u64,
        came: u64,
        done: bool,
    ) -> Result<(), String> {
        if !done && next < came {
            return Ok(());
        }
        let twin = self.book.tradable(instrument as u32, next);
        if twin.is_ok() == done {
            Ok(())
        } else {
            Err(format!(
                "instrument {instrument} from message {next} on: done {done}, in the twin {twin:?}"
            ))
        }
    }

    /// What `all_tradable` has to be; of some instruments that is not known.
    pub fn all_tradable(&self) -> u16 {
        (0..INSTRUMENTS)
            .filter(|&instrument| {
                let status = self.book.status(instrument as u32);
                let reliable = matches!(status, Some(Status::Tradable | Status::Outside));
                reliable && !self.wrong[instrument]
            })
            .fold(0, |all, instrument| all | 1 << instrument)
    }

    /// All levels of a side hold what the hardware holds: number of levels inside and outside of the window.
    pub fn level_count(&self, instrument: usize, side: Side) -> usize {
        let book = &self.book;
        book.levels(instrument as u32, side).count()
            + book.levels_outside(instrument as u32, side).count()
    }
}
