//! The order book of the core, and the strategy that acts on it: windows, rebuilds, parameters.

use thiserror::Error;
use wire::Side;

use crate::driver::{Driver, Error, Registers};
use crate::instruments::INSTRUMENTS;
use crate::orders::{high, low};

/// Codes of `operation`.
const BOOK: u32 = 7;
const STRATEGY: u32 = 14;

/// Ticks that the book of an instrument has room for, of both sides together (`book_pkg::WindowTicks`).
pub const WINDOW_TICKS: u32 = 8190;
/// Bits modulo which the core divides a price by the odd factor of its tick size (`book_pkg::InverseBits`).
const INVERSE_BITS: u32 = 18;
/// The largest odd factor of a tick size, and the largest power of two.
const MOST_ODD: u32 = 31;
const MOST_SHIFT: u32 = 7;
/// The bits of an order id in the core.
const ID_BITS: u32 = 48;
/// The bits of an order's quantity in the core.
const QUANTITY_BITS: u32 = 24;

/// Which prices the book of an instrument keeps: [`WINDOW_TICKS`] from the lowest on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookWindow {
    tick_size: u32,
    low_tick: u32,
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
        })
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

    /// The operands of the operation.
    fn words(&self) -> [u32; 5] {
        let shift = self.tick_size.trailing_zeros();
        let odd = self.tick_size >> shift;
        // Newton's iteration doubles the bits that are right; an odd number is its own inverse modulo 8.
        let inverse = (0..3).fold(odd, |inverse, _| {
            inverse.wrapping_mul(2_u32.wrapping_sub(odd.wrapping_mul(inverse)))
        });
        [
            self.low_tick * self.tick_size,
            self.low_tick,
            (self.low_tick + WINDOW_TICKS) * self.tick_size,
            inverse & ((1 << INVERSE_BITS) - 1) | shift << 24,
            self.tick_size,
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

/// What `best_price` does (`rtl/strategy/wire/best_price.sv`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BestPrice {
    /// Whether it sends orders.
    pub enabled: bool,
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
        self.book(instrument, Request::Window, &window.words())
    }

    /// Begins the rebuild of an instrument: its orders leave the book, and the feed's events of it are not booked any more. False: as
    /// [`Driver::set_book_window`].
    ///
    /// # Errors
    /// The core did not answer.
    pub fn clear_book(&mut self, instrument: u8) -> Result<bool, Error<R::Error>> {
        self.book(instrument, Request::Clear, &[])
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
        self.book(instrument, Request::Restore, &words)
    }

    /// Ends the rebuild: `next` is the number of the feed's first message that is not in what was restored. False: an event of the instrument
    /// that is not in the snapshot was missed meanwhile, or it is not being rebuilt.
    ///
    /// # Errors
    /// The core did not answer.
    pub fn set_book_tradable(
        &mut self,
        instrument: u8,
        next: u64,
    ) -> Result<bool, Error<R::Error>> {
        self.book(instrument, Request::Tradable, &[low(next), high(next)])
    }

    /// Restores a book that was cleared ([`Driver::clear_book`]): the orders, at each price the first to trade first, then tradable. `next` is the number of the
    /// feed's first message that is not in them. What came since the book was cleared, and is not in them, makes the core refuse: clear it, and
    /// take newer orders.
    ///
    /// The messages before `next` must have passed the core before: one that comes later would be booked twice.
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
        words: &[u32],
    ) -> Result<bool, Error<R::Error>> {
        use crate::registers::operation_state::DONE;
        if usize::from(instrument) >= INSTRUMENTS {
            return Ok(false);
        }
        let index = u32::from(instrument) | (request as u32) << 8;
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
                let product = (word & 0xff_ffff) * odd;
                assert_eq!(product % (1 << INVERSE_BITS), 1, "{odd}");
            }
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
    fn a_tick_size_the_core_cannot_divide_by_is_refused() {
        for size in [0, 33, 1 << 8, 37 << 2] {
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
