//! The order book of the core, and the strategy that acts on it: windows, rebuilds, parameters.

use std::num::NonZeroU8;

use formats::Side;
use thiserror::Error;

use crate::driver::{Driver, Error, Registers};
use crate::orders::{high, low};

/// Codes of `operation`.
const BOOK: u32 = 7;
const STRATEGY: u32 = 14;

/// Ticks that the book of an instrument has room for, of both sides together (`book_pkg::WindowTicks`).
pub const WINDOW_TICKS: u32 = 8190;
/// Bits modulo which the core divides a price by the odd factor of its tick size (`book_pkg::InverseBits`).
const INVERSE_BITS: u32 = 24;
/// The largest odd factor of a tick size, and the largest power of two.
const MOST_ODD: u32 = 2047;
const MOST_SHIFT: u32 = 7;
/// The bits of a tick that the core gives.
const TICK_BITS: u32 = 14;
/// Levels of a side, at most, of a feed that gives levels (`book_pkg::DepthBits`).
pub const MOST_DEPTH: u8 = 7;
/// Levels of a side that can be read at most.
pub const BOOK_LEVELS: usize = 16;
/// The bits of an order id in the core.
const ID_BITS: u32 = 48;
/// The bits of an order's quantity in the core.
const QUANTITY_BITS: u32 = 24;

/// Which prices the book of an instrument keeps: [`WINDOW_TICKS`] from the lowest on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookWindow {
    tick_size: u32,
    low_tick: u32,
    /// 0: the feed gives orders.
    depth: u8,
}

/// Why a window cannot be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BookWindowError {
    /// The core divides by the tick size without a divider, which it can by few numbers.
    #[error("tick size {0}: the core's book takes an odd number up to {MOST_ODD} times a power of two up to {most}", most = 1 << MOST_SHIFT)]
    TickSize(
        /// It.
        u32,
    ),
    /// Prices have 32 bits.
    #[error(
        "a window of {WINDOW_TICKS} ticks of {tick_size} from tick {low_tick} on is beyond 32 bits"
    )]
    TooHigh {
        /// Of the lowest price.
        low_tick: u32,
        /// In the instrument's scale.
        tick_size: u32,
    },
    /// The core has no room for so many levels of a side.
    #[error("{0} price levels of a side: the core's book takes {MOST_DEPTH} at most")]
    Depth(
        /// So many.
        u8,
    ),
}

impl BookWindow {
    /// The window whose lowest price is `low_tick * tick_size`, in the instrument's scale.
    ///
    /// # Errors
    /// The core cannot work with that tick size, or the window ends beyond the prices that there are.
    pub fn new(low_tick: u32, tick_size: u32) -> Result<Self, BookWindowError> {
        let shift = tick_size.trailing_zeros();
        if tick_size == 0 || shift > MOST_SHIFT || tick_size >> shift > MOST_ODD {
            return Err(BookWindowError::TickSize(tick_size));
        }
        let end = low_tick.checked_add(WINDOW_TICKS);
        if end.and_then(|end| end.checked_mul(tick_size)).is_none() {
            return Err(BookWindowError::TooHigh {
                low_tick,
                tick_size,
            });
        }
        Ok(BookWindow {
            tick_size,
            low_tick,
            depth: 0,
        })
    }

    /// The same of an instrument whose feed gives so many price levels of a side, and no orders. The core needs a book that takes levels.
    ///
    /// # Errors
    /// The core takes fewer of a side.
    pub fn by_level(self, depth: NonZeroU8) -> Result<Self, BookWindowError> {
        let depth = depth.get();
        if depth > MOST_DEPTH {
            return Err(BookWindowError::Depth(depth));
        }
        Ok(BookWindow { depth, ..self })
    }

    /// Price levels of a side that the feed gives; `None`: it gives orders.
    pub const fn depth(&self) -> Option<NonZeroU8> {
        NonZeroU8::new(self.depth)
    }

    /// Whether a price is inside.
    pub const fn contains(&self, price: u32) -> bool {
        self.low_price() <= price && price < self.end_price()
    }

    /// The window with this price in its middle, or as near to it as prices begin at 0.
    ///
    /// # Errors
    /// As [`BookWindow::new`].
    pub fn around(price: u32, tick_size: u32) -> Result<Self, BookWindowError> {
        let tick = price.checked_div(tick_size).unwrap_or(0);
        BookWindow::new(tick.saturating_sub(WINDOW_TICKS / 2), tick_size)
    }

    /// Every price is a multiple of it.
    pub const fn tick_size(&self) -> u32 {
        self.tick_size
    }

    /// The first price of its upper half.
    pub const fn middle(&self) -> u32 {
        (self.low_tick + WINDOW_TICKS / 2) * self.tick_size
    }

    /// The lowest price.
    pub const fn low_price(&self) -> u32 {
        self.low_tick * self.tick_size
    }

    /// The price after the last one.
    pub const fn end_price(&self) -> u32 {
        (self.low_tick + WINDOW_TICKS) * self.tick_size
    }

    /// The same with another middle.
    ///
    /// # Errors
    /// As [`BookWindow::new`].
    pub fn moved(&self, middle: u32) -> Result<Self, BookWindowError> {
        let window = BookWindow::around(middle, self.tick_size)?;
        let depth = self.depth;
        Ok(BookWindow { depth, ..window })
    }

    /// The price of a tick, of which the core gives the lower bits.
    const fn price_of(&self, tick: u32) -> u32 {
        let from_low = tick.wrapping_sub(self.low_tick) & ((1 << TICK_BITS) - 1);
        (self.low_tick + from_low) * self.tick_size
    }

    /// The operands of the operation.
    fn words(&self) -> [u32; 5] {
        let shift = self.tick_size.trailing_zeros();
        let odd = self.tick_size >> shift;
        // Newton's iteration doubles the bits that are right; an odd number is its own inverse modulo 8.
        let inverse = (0..3).fold(odd, |inverse, _| {
            inverse.wrapping_mul(2_u32.wrapping_sub(odd.wrapping_mul(inverse)))
        });
        [
            self.low_price(),
            self.low_tick,
            self.end_price(),
            inverse & ((1 << INVERSE_BITS) - 1) | shift << 24,
            self.tick_size | u32::from(self.depth) << 18,
        ]
    }
}

/// An order of a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnapshotOrder {
    /// Its id.
    pub id: u64,
    /// Its side.
    pub side: Side,
    /// In the instrument's scale.
    pub price: u32,
    /// What is left of it.
    pub quantity: u32,
}

impl SnapshotOrder {
    /// The order that a price level is in the core, of a feed that gives levels (`book_pkg::level_id`): to be restored as any other, inside of the window.
    pub fn of_level(instrument: u8, side: Side, price: u32, quantity: u32) -> Self {
        let place = u64::from(instrument) << 1 | u64::from(side == Side::Sell);
        SnapshotOrder {
            id: 1 << (ID_BITS - 1) | place << 32 | u64::from(price),
            side,
            price,
            quantity,
        }
    }
}

/// Why an instrument's book was not rebuilt: it stays as it is, and the instrument untradable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BookRefused {
    /// The instrument is not being rebuilt, or an order does not fit the core's tables.
    #[error("the core cannot store order {0}")]
    Order(
        /// Its id.
        u64,
    ),
    /// An order was refused, its window is none of these prices, or events came that are not in what was restored.
    #[error("events of the feed are not in what was restored, or it did not fit the core's book")]
    Missed,
}

/// A level of the book in the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookLevel {
    /// In the instrument's scale.
    pub price: u32,
    /// Of all its orders, in shares.
    pub quantity: u32,
    /// Their number.
    pub orders: u16,
}

/// What `best_price` does (`rtl/strategy/module/best_price.sv`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BestPrice {
    /// Whether it sends orders.
    pub enabled: bool,
    /// It keeps one order in the market, and replaces it at a new price, instead of sending an order at each.
    pub single: bool,
    /// The instrument it watches and trades.
    pub instrument: u8,
    /// Of its orders: a buyer watches the best ask.
    pub side: Side,
    /// Of an order.
    pub quantity: u32,
    /// The name of its orders in reports.
    pub client_id: u32,
}

/// Why the strategy's parameters were not set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum StrategyRefused {
    /// Its order has no text.
    #[error("quantity {0} is too wide for its field: raise quantity_width")]
    Quantity(
        /// The quantity.
        u32,
    ),
    /// There is no such instrument.
    #[error("instrument {0} is not in the core")]
    Instrument(
        /// The index.
        u8,
    ),
    /// The core has no strategy.
    #[error("this core has no strategy that acts on the order book: use a preset that has one")]
    Absent,
}

/// Requests of `book_host_if`.
#[derive(Clone, Copy)]
enum Request {
    Window,
    Clear,
    Restore,
    Tradable,
    Read,
    Show,
}

/// How an order changes that the host restores (`host_restore_e`), in the index.
#[derive(Clone, Copy)]
enum Restore {
    Add,
    Reduce,
    Delete,
}

impl<R: Registers> Driver<R> {
    /// Sets the window of an instrument that is being rebuilt and has no orders. False: it is not being rebuilt, or the core has no book.
    ///
    /// # Errors
    /// The core did not answer.
    pub fn set_book_window(
        &mut self,
        instrument: u8,
        window: &BookWindow,
    ) -> Result<bool, Error<R::Error>> {
        let done = self.book(instrument, Request::Window, 0, &window.words())?;
        if done {
            self.windows[usize::from(instrument)] = Some(*window);
        }
        Ok(done)
    }

    /// Begins the rebuild of an instrument: its orders leave the book, and the feed's events of it are not booked any more. False: as
    /// [`Driver::set_book_window`].
    ///
    /// # Errors
    /// The core did not answer.
    pub fn clear_book(&mut self, instrument: u8) -> Result<bool, Error<R::Error>> {
        self.book(instrument, Request::Clear, 0, &[])
    }

    /// Puts an order of the snapshot into the book, the oldest first. False: the instrument is not being rebuilt, or the core cannot store such
    /// an order.
    ///
    /// # Errors
    /// The core did not answer.
    pub fn restore_order(
        &mut self,
        instrument: u8,
        order: &SnapshotOrder,
    ) -> Result<bool, Error<R::Error>> {
        if order.id >> ID_BITS != 0 || order.quantity >> QUANTITY_BITS != 0 {
            return Ok(false);
        }
        let second = high(order.id) | u32::from(order.side == Side::Sell) << 31;
        let words = [low(order.id), second, order.quantity, order.price];
        self.restore(instrument, Restore::Add, &words)
    }

    /// An order that was put in has lost a part since, by a message of the feed: executed, or cancelled. False: the instrument is not being rebuilt.
    /// If the order has less, the rebuild has failed.
    ///
    /// # Errors
    /// The core did not answer.
    pub fn restore_reduction(
        &mut self,
        instrument: u8,
        id: u64,
        quantity: u32,
    ) -> Result<bool, Error<R::Error>> {
        if id >> ID_BITS != 0 || quantity >> QUANTITY_BITS != 0 {
            return Ok(false);
        }
        let words = [low(id), high(id), quantity];
        self.restore(instrument, Restore::Reduce, &words)
    }

    /// The same: it has left. Its quantity does not count.
    ///
    /// # Errors
    /// The core did not answer.
    pub fn restore_deletion(
        &mut self,
        instrument: u8,
        order: &SnapshotOrder,
    ) -> Result<bool, Error<R::Error>> {
        if order.id >> ID_BITS != 0 {
            return Ok(false);
        }
        let mut words = vec![low(order.id), high(order.id)];
        if self.is_order_log() {
            // It keeps prices, and no orders.
            words[1] |= u32::from(order.side == Side::Sell) << 31;
            words.extend([0, order.price]);
        }
        self.restore(instrument, Restore::Delete, &words)
    }

    fn restore(
        &mut self,
        instrument: u8,
        how: Restore,
        words: &[u32],
    ) -> Result<bool, Error<R::Error>> {
        self.book(instrument, Request::Restore, (how as u32) << 11, words)
    }

    /// The best levels of a side, as they were at one moment, between two events; as many as there are inside of the window, up to [`BOOK_LEVELS`].
    /// `None`: the side did not rest for the few microseconds that a read takes, the window was not set by this driver, or the core has no book.
    ///
    /// # Errors
    /// The core did not answer.
    pub fn book_levels(
        &mut self,
        instrument: u8,
        side: Side,
    ) -> Result<Option<Vec<BookLevel>>, Error<R::Error>> {
        use crate::registers::{book_level, book_level_quantity};
        let window = self.windows.get(usize::from(instrument)).copied().flatten();
        let Some(window) = window else {
            return Ok(None);
        };
        let sells = u32::from(side == Side::Sell) << 11;
        if !self.book(instrument, Request::Read, sells, &[])? {
            return Ok(None);
        }
        let mut levels = Vec::with_capacity(BOOK_LEVELS);
        for place in 0..BOOK_LEVELS as u32 {
            self.book(instrument, Request::Show, place << 12, &[])?;
            let word = self.read(book_level::ADDRESS)?;
            let orders = book_level::ORDERS.get(word) as u16;
            if orders == 0 {
                break;
            }
            levels.push(BookLevel {
                price: window.price_of(book_level::TICK.get(word)),
                quantity: self.read(book_level_quantity::ADDRESS)?,
                orders,
            });
        }
        Ok(Some(levels))
    }

    /// The number of the feed's message after the last one that has come to the core's book, modulo 2^32; in a new session its first, until one has.
    ///
    /// # Errors
    /// The core did not answer.
    pub fn next_of_book(&mut self) -> Result<u32, Error<R::Error>> {
        self.read(crate::registers::book_next::ADDRESS)
    }

    /// Ends the rebuild: `next` is the number of the feed's first message that is not in what was restored; the core must have got as far
    /// ([`Driver::next_of_book`]), or it books the messages before it twice. False: an event of the instrument that is not in what was restored
    /// came before or after the book was cleared, or it is not being rebuilt.
    ///
    /// # Errors
    /// The core did not answer.
    pub fn set_book_tradable(
        &mut self,
        instrument: u8,
        next: u64,
    ) -> Result<bool, Error<R::Error>> {
        self.book(instrument, Request::Tradable, 0, &[low(next), high(next)])
    }

    /// Restores a book that was cleared ([`Driver::clear_book`]): the orders, at each price the first to trade first, then tradable. `next` is the number of the
    /// feed's first message that is not in them. What came since the book was cleared, and is not in them, makes the core refuse: clear it, and
    /// take newer orders.
    ///
    /// The messages before `next` must have passed the core before: one that comes later would be booked twice. Register `book_next` says how far the
    /// core is; [`crate::BookKeeper`] waits for it.
    ///
    /// # Errors
    /// The core did not answer. A refusal is in the inner result.
    pub fn restore_book(
        &mut self,
        instrument: u8,
        orders: impl IntoIterator<Item = SnapshotOrder>,
        next: u64,
    ) -> Result<Result<(), BookRefused>, Error<R::Error>> {
        for order in orders {
            if !self.restore_order(instrument, &order)? {
                return Ok(Err(BookRefused::Order(order.id)));
            }
        }
        let done = self.set_book_tradable(instrument, next)?;
        Ok(if done {
            Ok(())
        } else {
            Err(BookRefused::Missed)
        })
    }

    /// Which instruments' books can be relied on, a bit each.
    ///
    /// # Errors
    /// The core did not answer.
    pub fn tradable_books(&mut self) -> Result<u16, Error<R::Error>> {
        use crate::registers::book_state::{ADDRESS, TRADABLE};
        Ok(TRADABLE.get(self.read(ADDRESS)?) as u16)
    }

    fn book(
        &mut self,
        instrument: u8,
        request: Request,
        more: u32,
        words: &[u32],
    ) -> Result<bool, Error<R::Error>> {
        use crate::registers::operation_state::DONE;
        if usize::from(instrument) >= self.instruments() {
            return Ok(false);
        }
        let index = u32::from(instrument) | (request as u32) << 8 | more;
        let state = self.begin(BOOK, index, words)?;
        Ok(DONE.get(state) != 0)
    }

    /// Sets the strategy's parameters, all at once; it forgets the last price it acted on. What it asked for before leaves first.
    ///
    /// # Errors
    /// The core did not answer. A refusal is in the inner result.
    pub fn set_best_price(
        &mut self,
        strategy: &BestPrice,
    ) -> Result<Result<(), StrategyRefused>, Error<R::Error>> {
        use crate::registers::operation_state::{DONE, TEXT};
        let first = u32::from(strategy.side == Side::Sell)
            | u32::from(strategy.enabled) << 4
            | u32::from(strategy.single) << 5
            | u32::from(strategy.instrument) << 8;
        let words = [first, 0, 0, 0, 0, strategy.quantity, strategy.client_id];
        let state = self.begin(STRATEGY, 0, &words)?;
        if DONE.get(state) != 0 {
            return Ok(Ok(()));
        }
        Ok(Err(match TEXT.get(state) {
            1 => StrategyRefused::Quantity(strategy.quantity),
            3 => StrategyRefused::Instrument(strategy.instrument),
            _ => StrategyRefused::Absent,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_is_one_modulo_its_bits() {
        for odd in (1..=MOST_ODD).step_by(2) {
            for shift in 0..=MOST_SHIFT {
                let window = BookWindow::new(1000, odd << shift).expect("allowed");
                let word = window.words()[3];
                assert_eq!(word >> 24, shift);
                let product = (word & 0xff_ffff).wrapping_mul(odd);
                assert_eq!(product % (1 << INVERSE_BITS), 1, "{odd}");
            }
        }
    }

    /// 0.0025 at six decimals is 4 × 625.
    #[test]
    fn a_tick_may_have_four_decimals_less_than_the_scale() {
        for tick in [25, 2_500, 10_000, 250] {
            assert!(BookWindow::around(66_002_500, tick).is_ok(), "{tick}");
        }
        for tick in [3_125, 2_049, 256] {
            let refused = BookWindow::around(66_002_500, tick);
            assert_eq!(refused, Err(BookWindowError::TickSize(tick)));
        }
    }

    #[test]
    fn a_window_around_a_price_has_as_many_ticks_below_it_as_from_it_on() {
        let window = BookWindow::around(5_850_050, 100).expect("allowed");
        assert_eq!((window.middle(), window.tick_size()), (5_850_000, 100));
        assert_eq!(window.words()[0], 5_850_000 - 4_095 * 100);
        assert_eq!(window.words()[2], 5_850_000 + 4_095 * 100);
        let lowest = BookWindow::around(100, 100).expect("allowed");
        assert_eq!((lowest.words()[0], lowest.middle()), (0, 409_500));
        assert_eq!(
            BookWindow::around(100, 0),
            Err(BookWindowError::TickSize(0))
        );
    }

    #[test]
    fn the_lower_bits_of_a_tick_name_one_price_of_the_window() {
        for low in [
            0,
            58_500 - 4_095,
            (1 << 14) - 5,
            (1 << 14) * 9 - WINDOW_TICKS,
        ] {
            let window = BookWindow::new(low, 25).expect("allowed");
            for tick in low..low + WINDOW_TICKS {
                assert_eq!(window.price_of(tick & 0x3fff), tick * 25);
            }
            assert_eq!(window.low_price(), low * 25);
            assert_eq!(window.end_price(), (low + WINDOW_TICKS) * 25);
        }
    }

    #[test]
    fn a_tick_size_the_core_cannot_divide_by_is_refused() {
        for size in [0, 2_049, 1 << 8, 2_051 << 2] {
            assert_eq!(
                BookWindow::new(0, size),
                Err(BookWindowError::TickSize(size))
            );
        }
        assert!(BookWindow::new(u32::MAX - WINDOW_TICKS + 1, 1).is_err());
        assert!(BookWindow::new((u32::MAX / 100) - WINDOW_TICKS + 1, 100).is_err());
        assert!(BookWindow::new((u32::MAX / 100) - WINDOW_TICKS, 100).is_ok());
    }
}
