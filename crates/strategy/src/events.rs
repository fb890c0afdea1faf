//! The events that a strategy in the language gets out of the order book: the same in a backtest and on sockets.
//!
//! `docs/reference/strategy-language.md` says when each handler runs; here is what makes that so.

use book::{Book, Change, Status, Top};
use formats::{Event, Kind, Side};
use language::Depth;
use language::event::{BookChange, Level, Trade};

/// How many intervals of a timer may go by between two events: more would hold up everything else.
pub const TIMERS: i64 = 10_000_000;

/// The levels of an instrument, out of the book.
#[derive(Clone, Copy, Debug)]
pub struct Levels<'a> {
    /// The book.
    pub book: &'a Book,
    /// The index of the instrument.
    pub instrument: u32,
}

impl Depth for Levels<'_> {
    fn level(&self, side: Side, number: usize) -> Level {
        let mut levels = self.book.levels(self.instrument, side);
        levels.nth(number).map_or_else(Level::default, level)
    }
}

/// A quantity as the language has it.
pub fn quantity(quantity: u64) -> i64 {
    i64::try_from(quantity).unwrap_or(i64::MAX)
}

fn level(level: book::Level) -> Level {
    Level {
        price: level.price,
        quantity: quantity(level.quantity),
        orders: level.orders.into(),
    }
}

/// What `on_book` gets of an instrument, whose best levels were `before` when the frame, or the change, began.
pub fn book_change(book: &Book, instrument: u32, before: Top) -> BookChange {
    let top = book.top(instrument);
    BookChange {
        instrument,
        bid: level(top.bid),
        ask: level(top.ask),
        changed: top != before,
        tradable: book.status(instrument) == Some(Status::Tradable),
    }
}

/// The trade that an event is, and the index of its instrument: what stops and risk get. `change` is what the book made of the event. The twin of
/// `rtl/book/market_stage.sv`.
///
/// A message of a trade is one whatever the book makes of it; an execution of a displayed order is one if the book has booked it, at the price that
/// the book knows (docs/reference/rules.md, "Prices").
#[inline(always)]
pub fn trade_of(event: &Event, change: Option<&Change>) -> Option<(u32, book::Trade)> {
    if event.kind == Kind::Trade {
        let trade = book::Trade {
            side: event.side,
            price: event.price,
            quantity: event.quantity,
        };
        return Some((event.instrument?.into(), trade));
    }
    let change = change?;
    Some((change.instrument, change.trade?))
}

/// What `on_trade` gets of a trade.
pub fn trade(instrument: u32, trade: &book::Trade) -> Trade {
    Trade {
        instrument,
        price: trade.price,
        quantity: quantity(trade.quantity),
        side: trade.side,
    }
}

/// The instruments that a frame changed, each once, in the order of their first changes, with their best levels before it.
#[derive(Clone, Debug, Default)]
pub struct Changes(Vec<(u32, Top)>);

impl Changes {
    /// An event of the frame changed a book.
    pub fn note(&mut self, change: &Change) {
        let mut noted = self.0.iter();
        if !noted.any(|(instrument, _)| *instrument == change.instrument) {
            self.0.push((change.instrument, change.before));
        }
    }

    /// The frame has ended: gives them to `each`.
    pub fn end(&mut self, mut each: impl FnMut(u32, Top)) {
        for (instrument, before) in self.0.drain(..) {
            each(instrument, before);
        }
    }
}

/// When `on_timer` runs. Its first time is an interval after the first event.
#[derive(Clone, Copy, Debug)]
pub struct Timer {
    every: i64,
    next: Option<i64>,
}

impl Timer {
    /// Each time that `every` ns have gone by.
    pub fn new(every: i64) -> Self {
        let every = every.max(1);
        Timer { every, next: None }
    }

    /// Time begins anew: its first time is an interval after the next event.
    pub const fn restart(&mut self) {
        self.next = None;
    }

    /// The time that it is due at, in ns, if that is not after `now`; asked again, the next one.
    ///
    /// # Errors
    /// More than [`TIMERS`] intervals went by: how many. None of these is due any more.
    pub fn due(&mut self, now: i64) -> Result<Option<i64>, i64> {
        let Some(next) = self.next else {
            self.next = Some(now.saturating_add(self.every));
            return Ok(None);
        };
        if next > now {
            return Ok(None);
        }
        let late = now.saturating_sub(next) / self.every;
        if late > TIMERS {
            self.next = Some(now.saturating_add(self.every));
            return Err(late);
        }
        self.next = Some(next.saturating_add(self.every));
        Ok(Some(next))
    }
}
