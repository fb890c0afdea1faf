//! Keeps the windows of the core's order books around the market.
//!
//! The core remembers no price of an order beyond its window, so the window of a book with orders cannot be moved there. The host moves it by a
//! rebuild, out of its own copy of the book:
//!
//! ```text
//!  feed ─ copy of every book ─┬─ best prices in an outer quarter of the window, or the core's book not tradable
//!                             │        │
//!                             │      clear ─ window ─ orders, the oldest of a level first ─ what the feed has said since ─ tradable
//!                             └────────────────────────────────────────────────────────────────┘
//! ```
//!
//! Meanwhile the instrument is not tradable, which the core tells (`book_state`, and with every change of the book).

use std::collections::VecDeque;

use book::{Book, Change, Limits, Status, What};
use formats::{Event, FeedInfo, Listener, Side};

use crate::book::{BookWindow, SnapshotOrder, WINDOW_TICKS};
use crate::driver::{Driver, Error, Registers};
use crate::instruments::INSTRUMENTS;

/// Rebuilds of an instrument that may fail one after the other.
const ATTEMPTS: u32 = 3;

/// What [`BookKeeper::work`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BookNews {
    /// A rebuild has begun: the instrument is not tradable.
    Rebuilding {
        /// Its index.
        instrument: u8,
        /// The window that it gets.
        window: BookWindow,
    },
    /// It has ended: the instrument is tradable.
    Tradable {
        /// Its index.
        instrument: u8,
        /// Its window.
        window: BookWindow,
    },
    /// It failed time after time: the core has no room for these orders. The instrument stays untradable until it is given to
    /// [`BookKeeper::keep`] again.
    GivenUp {
        /// Its index.
        instrument: u8,
    },
}

/// Something that a rebuild does next.
#[derive(Clone, Copy, Debug)]
enum Step {
    Window,
    Order(SnapshotOrder),
    Reduction(u64, u32),
    /// Without its quantity.
    Deletion(SnapshotOrder),
}

/// A rebuild.
#[derive(Clone, Debug)]
struct Rebuild {
    instrument: u8,
    window: BookWindow,
    steps: VecDeque<Step>,
    /// Of a feed that gives levels: those that the core has, or gets by the steps.
    levels: Vec<(Side, i64)>,
    /// What was restored is not what the feed says any more: from the beginning.
    starts_over: bool,
}

/// An instrument that is kept.
#[derive(Clone, Copy, Debug)]
struct Kept {
    window: BookWindow,
    /// Rebuilds that failed since one did not.
    failed: u32,
}

/// The host's copy of the books, and what it does with the core's.
///
/// It listens to the feed that the core gets, good frames only, with instruments that are known already (`instrument::Table`). It need not
/// keep pace with the core: a rebuild ends when both have come to the same message.
#[derive(Clone, Debug)]
pub struct BookKeeper {
    book: Book,
    /// The number after that of the last message that came.
    next: u64,
    kept: [Option<Kept>; INSTRUMENTS],
    rebuild: Option<Rebuild>,
    /// Where the search for the next instrument begins.
    first: usize,
}

impl Default for BookKeeper {
    fn default() -> Self {
        BookKeeper::new()
    }
}

impl BookKeeper {
    /// One that keeps nothing yet. It must get the feed from the first message of the session on.
    pub fn new() -> Self {
        let limits = Limits {
            quantity: Limits::HARDWARE.quantity,
            id_bits: Limits::HARDWARE.id_bits,
            given_quantity: Limits::HARDWARE.given_quantity,
            ..Limits::UNLIMITED
        };
        BookKeeper {
            book: Book::new(INSTRUMENTS, limits),
            next: 0,
            kept: [None; INSTRUMENTS],
            rebuild: None,
            first: 0,
        }
    }

    /// Keeps the book of this instrument from now on, with this window to begin with. False: there is no such instrument, or its copy has orders and
    /// another tick size or depth.
    pub fn keep(&mut self, instrument: u8, window: BookWindow) -> bool {
        let place = usize::from(instrument);
        self.book.verdict(true);
        let has_tick = self
            .kept
            .get(place)
            .copied()
            .flatten()
            .is_some_and(|kept| kept.window.tick_size() == window.tick_size());
        let tick = window.tick_size().into();
        if !has_tick && self.book.set_tick(instrument.into(), tick).is_err() {
            return false;
        }
        let depth = |window: &BookWindow| window.depth().map(|depth| u32::from(depth.get()));
        let before = self.kept.get(place).copied().flatten();
        let has_depth = before.and_then(|kept| depth(&kept.window)) == depth(&window);
        if !has_depth
            && self
                .book
                .set_depth(instrument.into(), depth(&window))
                .is_err()
        {
            return false;
        }
        self.kept[place] = Some(Kept { window, failed: 0 });
        true
    }

    /// The copy.
    pub const fn book(&self) -> &Book {
        &self.book
    }

    /// Whether a rebuild has begun and not ended.
    pub const fn is_rebuilding(&self) -> bool {
        self.rebuild.is_some()
    }

    /// Does one thing, if there is one to do; it takes a few accesses to registers, and where it clears a book the time of that. Call it again and
    /// again.
    ///
    /// # Errors
    /// The core did not answer.
    pub fn work<R: Registers>(
        &mut self,
        driver: &mut Driver<R>,
    ) -> Result<Option<BookNews>, Error<R::Error>> {
        let Some(rebuild) = &mut self.rebuild else {
            return self.look(driver);
        };
        let (instrument, window) = (rebuild.instrument, rebuild.window);
        if rebuild.starts_over {
            self.rebuild = None;
            return self.begin(driver, instrument, window);
        }
        if !self.shows(instrument.into(), &window) {
            // Not in this window, and what the core has is cleared.
            self.rebuild = None;
            return Ok(None);
        }
        let rebuild = self.rebuild.as_mut();
        if let Some(step) = rebuild.and_then(|rebuild| rebuild.steps.pop_front()) {
            let done = match step {
                Step::Window => driver.set_book_window(instrument, &window)?,
                Step::Order(order) => driver.restore_order(instrument, &order)?,
                Step::Reduction(id, quantity) => {
                    driver.restore_reduction(instrument, id, quantity)?
                }
                Step::Deletion(order) => driver.restore_deletion(instrument, &order)?,
            };
            return Ok(if done { None } else { self.fail(instrument) });
        }
        // The core is not yet where the copy is.
        if (driver.next_of_book()?.wrapping_sub(self.next as u32) as i32) < 0 {
            return Ok(None);
        }
        if driver.set_book_tradable(instrument, self.next)? {
            self.rebuild = None;
            self.kept[usize::from(instrument)] = Some(Kept { window, failed: 0 });
            return Ok(Some(BookNews::Tradable { instrument, window }));
        }
        // The copy is not yet where the core is; or, if the core is not rebuilding any more, something did not fit.
        if driver.set_book_window(instrument, &window)? {
            return Ok(None);
        }
        Ok(self.fail(instrument))
    }

    /// The next instrument that needs it.
    fn look<R: Registers>(
        &mut self,
        driver: &mut Driver<R>,
    ) -> Result<Option<BookNews>, Error<R::Error>> {
        let tradable = driver.tradable_books()?;
        for step in 0..INSTRUMENTS {
            let place = (self.first + step) % INSTRUMENTS;
            let Some(kept) = self.kept[place].filter(|kept| kept.failed < ATTEMPTS) else {
                continue;
            };
            if self.book.status(place as u32) != Some(Status::Tradable) {
                continue;
            }
            let moved = self.moved(place as u32, &kept.window);
            let broken = tradable >> place & 1 == 0 && self.shows(place as u32, &kept.window);
            if let Some(window) = moved.or_else(|| broken.then_some(kept.window)) {
                self.first = (place + 1) % INSTRUMENTS;
                return self.begin(driver, place as u8, window);
            }
        }
        Ok(None)
    }

    /// Where the window should be, if it should be elsewhere.
    fn moved(&self, instrument: u32, window: &BookWindow) -> Option<BookWindow> {
        let top = self.book.top(instrument);
        let middle = match (top.bid.is_empty(), top.ask.is_empty()) {
            (true, true) => return None,
            (false, true) => top.bid.price,
            (true, false) => top.ask.price,
            (false, false) => i64::midpoint(top.bid.price, top.ask.price),
        };
        let quarter = u64::from(WINDOW_TICKS / 4 * window.tick_size());
        if middle.abs_diff(window.middle().into()) <= quarter {
            return None;
        }
        let moved = window.moved(u32::try_from(middle).ok()?).ok()?;
        (moved != *window && self.shows(instrument, &moved)).then_some(moved)
    }

    /// Whether no order is better than the window: the core does not take such.
    fn shows(&self, instrument: u32, window: &BookWindow) -> bool {
        let top = self.book.top(instrument);
        let [bid, ask] = [top.bid, top.ask].map(|level| (level.is_empty(), level.price));
        (bid.0 || bid.1 < window.end_price().into())
            && (ask.0 || ask.1 >= window.low_price().into())
    }

    /// The core's book is cleared; then what the copy has is what the core lacks.
    fn begin<R: Registers>(
        &mut self,
        driver: &mut Driver<R>,
        instrument: u8,
        window: BookWindow,
    ) -> Result<Option<BookNews>, Error<R::Error>> {
        let cleared = driver.clear_book(instrument)?;
        if !cleared || self.book.status(instrument.into()) != Some(Status::Tradable) {
            return Ok(None);
        }
        let mut levels = vec![];
        let steps = if window.depth().is_some() {
            self.levels(instrument, &window, &mut levels)
        } else {
            self.snapshot(instrument.into())
        };
        let Some(steps) = steps else {
            return Ok(self.fail(instrument));
        };
        self.rebuild = Some(Rebuild {
            instrument,
            window,
            steps,
            levels,
            starts_over: false,
        });
        Ok(Some(BookNews::Rebuilding { instrument, window }))
    }

    /// The orders of the copy; `None`: the core has no room for the price of one.
    fn snapshot(&self, instrument: u32) -> Option<VecDeque<Step>> {
        let mut steps = VecDeque::from([Step::Window]);
        for side in [Side::Buy, Side::Sell] {
            for level in self.book.levels(instrument, side) {
                for order in self.book.queue(instrument, side, level.price) {
                    steps.push_back(enters(order.id, side, order.price, order.quantity)?);
                }
            }
        }
        Some(steps)
    }

    /// The same of a feed that gives levels; `None` also where one is outside of the window.
    fn levels(
        &self,
        instrument: u8,
        window: &BookWindow,
        levels: &mut Vec<(Side, i64)>,
    ) -> Option<VecDeque<Step>> {
        let mut steps = VecDeque::from([Step::Window]);
        for side in [Side::Buy, Side::Sell] {
            for level in self.book.levels(instrument.into(), side) {
                let quantity = level.quantity as u32;
                let price = u32::try_from(level.price).ok();
                let price = price.filter(|price| window.contains(*price))?;
                let order = SnapshotOrder::of_level(instrument, side, price, quantity);
                steps.push_back(Step::Order(order));
                levels.push((side, level.price));
            }
        }
        Some(steps)
    }

    fn fail(&mut self, instrument: u8) -> Option<BookNews> {
        let kept = self.kept[usize::from(instrument)].as_mut()?;
        kept.failed += 1;
        let given_up = kept.failed >= ATTEMPTS;
        if given_up {
            self.rebuild = None;
        } else if let Some(rebuild) = &mut self.rebuild {
            rebuild.starts_over = true;
        }
        given_up.then_some(BookNews::GivenUp { instrument })
    }

    /// What the feed says of an instrument that is being rebuilt.
    fn note(&mut self, event: &Event, change: &Change) {
        let rebuild = self.rebuild.as_mut();
        let Some(rebuild) = rebuild.filter(|one| u32::from(one.instrument) == change.instrument)
        else {
            return;
        };
        // It fits: the copy took it.
        let quantity = event.quantity as u32;
        let order = |id| enters(id, change.side, change.price, quantity);
        // Of an order whose price changes, the price after: a core that restores by price (`Driver::is_order_log`) takes no such changes.
        let leaves = |id| {
            Step::Deletion(SnapshotOrder {
                id,
                side: change.side,
                price: change.price as u32,
                quantity: 0,
            })
        };
        let steps = &mut rebuild.steps;
        match change.what {
            What::Add => match order(event.order_id) {
                Some(order) => steps.push_back(order),
                None => rebuild.starts_over = true,
            },
            What::Execute | What::Reduce => {
                steps.push_back(Step::Reduction(event.order_id, quantity));
            }
            What::Delete => steps.push_back(leaves(event.order_id)),
            What::Replace | What::Modify => {
                let id = match change.what {
                    What::Replace => event.new_order_id,
                    _ => event.order_id,
                };
                match order(id) {
                    Some(order) => steps.extend([leaves(event.order_id), order]),
                    None => rebuild.starts_over = true,
                }
            }
            What::Level => rebuild.note_level(event, &self.book),
            What::Trade => {}
            What::Fault(_) => rebuild.starts_over = true,
        }
    }
}

impl Rebuild {
    /// The feed has set a level: what the copy has no longer leaves, and what it has now enters.
    fn note_level(&mut self, event: &Event, copy: &Book) {
        let (instrument, side) = (self.instrument, event.side);
        let (steps, window) = (&mut self.steps, &self.window);
        let order = |price: i64| SnapshotOrder::of_level(instrument, side, price as u32, 0);
        self.levels.retain(|(of, price)| {
            let changed = *price == event.price;
            let stays = copy.level(instrument.into(), side, *price).is_some() && !changed;
            let leaves = *of == side && !stays;
            if leaves {
                steps.push_back(Step::Deletion(order(*price)));
            }
            !leaves
        });
        let Some(level) = copy.level(instrument.into(), side, event.price) else {
            return;
        };
        let price = u32::try_from(event.price).ok();
        let Some(price) = price.filter(|price| window.contains(*price)) else {
            self.starts_over = true;
            return;
        };
        let order = SnapshotOrder::of_level(instrument, side, price, level.quantity as u32);
        steps.push_back(Step::Order(order));
        self.levels.push((side, event.price));
    }
}

/// An order that enters; `None`: its price has more bits than the core's.
fn enters(id: u64, side: Side, price: i64, quantity: u32) -> Option<Step> {
    Some(Step::Order(SnapshotOrder {
        id,
        side,
        price: u32::try_from(price).ok()?,
        quantity,
    }))
}

impl Listener for BookKeeper {
    fn frame(&mut self, info: &FeedInfo) {
        let before = (0..INSTRUMENTS as u32).map(|instrument| self.book.status(instrument));
        let before: Vec<_> = before.collect();
        self.book.frame(info);
        let after = (0..INSTRUMENTS as u32).map(|instrument| self.book.status(instrument));
        if info.new_session || !after.eq(before) {
            self.next = info.first_sequence;
            if let Some(rebuild) = &mut self.rebuild {
                rebuild.starts_over = true;
            }
        }
    }

    fn event(&mut self, event: &Event) {
        self.next = event.sequence.wrapping_add(1);
        if let Some(change) = self.book.apply(event) {
            self.note(event, &change);
        }
    }
}
