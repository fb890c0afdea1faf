//! A strategy on a recorded day, without sockets: decoder, order book, strategy, and a market that fills its orders by a simple rule ([`market`]).
//!
//! ```text
//!  packets ─ decoder ─ book ─┬─ on_book, on_trade ─ strategy ─ intents ─ market ─ fills
//!                            └─ best prices ──────────────── on_order ──┘
//! ```
//! The feed is ITCH, or FAST with orders or price levels; after the decoder there is one path for all. Time is that of the feed, or of the capture where the feed
//! tells none. An intent is in the market at once, and meets what the strategy saw, or after a [latency](Backtest::with_latency): then it meets what is
//! shown when it arrives. What one incoming order does is one event: nothing reaches the market between its executions, which follow one another at one
//! time. Risk is not asked, so nothing is refused here.
#![forbid(unsafe_code)]

mod feed;
mod latency;
pub mod market;
mod trader;

use std::collections::VecDeque;

use book::{Book, Change, Limits, Status, Top, What};
use formats::{FeedInfo, Kind, Listener, Source, Symbol};
use instrument::{Locates, Table};
use language::event::{Event, Outcome};
use language::{Intent, Machine, Program, Record};
use serde::Serialize;
use strategy::events::{Changes, Levels, Timer, book_change, quantity, trade, trade_of};
use thiserror::Error;

pub use feed::{Feed, Wrong};
pub use latency::{Latency, Measured};
pub use market::{Fill, Market};

use trader::Trader;

/// Nanoseconds of a day.
const DAY: u64 = 86_400_000_000_000;

/// How often a strategy may answer the reports of its own orders with others, within one event of the feed.
pub const ROUNDS: u32 = 64;

/// Why a backtest ends early.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BacktestError {
    /// A symbol is there twice, or there are more than [`instrument::MAX_INSTRUMENTS`].
    #[error("{0} instruments: each symbol once, 256 at most")]
    Instruments(usize),
    /// The strategy answers its own orders' reports with orders, again and again.
    #[error(
        "at {time_ns} ns the strategy answered reports of its own orders with orders {ROUNDS} times in a row: let on_order send less"
    )]
    Rounds {
        /// The feed's time, in nanoseconds after midnight.
        time_ns: u64,
    },
    /// The timer is too short for the silence in the feed.
    #[error(
        "at {time_ns} ns the timer would run {runs} times before the next message: give it a longer period"
    )]
    Timer {
        /// The feed's time, in nanoseconds after midnight.
        time_ns: u64,
        /// How often.
        runs: i64,
    },
}

/// Something that happened, in order.
#[derive(Clone, Copy, Debug)]
pub enum Action<'a> {
    /// The strategy asks for something.
    Intent(&'a Intent),
    /// An order of it traded.
    Fill(&'a Fill),
    /// It tells something.
    Record(&'a Record),
}

/// What a strategy has in an instrument.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Holding {
    /// Bought less sold.
    pub position: i64,
    /// Bought and sold.
    pub traded: i64,
    /// Received less paid, in price units times quantity.
    pub cash: i128,
    /// The last middle of the best prices, in half price units.
    pub twice_middle: i64,
}

impl Holding {
    /// Cash, and the position at the last middle, in half price units times quantity.
    pub fn twice_profit(&self) -> i128 {
        2 * self.cash + i128::from(self.position) * i128::from(self.twice_middle)
    }
}

/// What was counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Messages about instruments of the strategy that changed a book or were trades.
    pub events: u64,
    /// Handlers that ran.
    pub handlers: u64,
    /// Intents.
    pub intents: u64,
    /// Intents that the market rejected.
    pub rejected: u64,
    /// Fills.
    pub fills: u64,
    /// Records.
    pub records: u64,
    /// Faults: divisions by zero, indexes beyond an array, intents beyond four.
    pub faults: u64,
}

/// A day so far.
pub struct Backtest<M> {
    feed: Feed,
    /// The midnight, in UTC, before the first packet was captured, in nanoseconds since the Unix epoch.
    midnight: Option<u64>,
    desk: Context<M>,
}

/// What the decoder's events reach.
struct Context<M> {
    table: Table,
    locates: Locates,
    book: Book,
    strategy: Trader<M>,
    each_change: bool,
    timer: Option<Timer>,
    /// Instruments that the frame changed.
    changed: Changes,
    /// Whether the feed had any message about each.
    seen: Vec<bool>,
    /// Messages that the feed lost so far.
    lost: u64,
}

impl<M: Machine> Backtest<M> {
    /// A strategy, compiled or interpreted, on these instruments of a feed: an index of the program is a place in `symbols`.
    ///
    /// # Errors
    /// A symbol is there twice, or there are too many.
    pub fn new(
        program: &Program,
        machine: M,
        feed: Feed,
        symbols: &[Symbol],
    ) -> Result<Self, BacktestError> {
        let count = symbols.len();
        let mut sorted: Vec<_> = symbols.iter().map(|symbol| symbol.0).collect();
        sorted.sort_unstable();
        sorted.dedup();
        if sorted.len() < count || count > instrument::MAX_INSTRUMENTS {
            return Err(BacktestError::Instruments(count));
        }
        let listed: Vec<_> = symbols.iter().copied().map(Some).collect();
        let mut book = Book::new(count, Limits::UNLIMITED);
        let depth = feed.depth().map(|depth| u32::from(depth.get()));
        for index in 0..count as u32 {
            let set = book.set_depth(index, depth);
            debug_assert!(set.is_ok(), "a new book is empty");
        }
        Ok(Backtest {
            feed,
            midnight: None,
            desk: Context {
                table: Table::of_feed(&listed),
                locates: Locates::new(count),
                book,
                strategy: Trader {
                    machine,
                    market: Market::new(count),
                    holdings: vec![Holding::default(); count],
                    positions: vec![0; count],
                    now: 0,
                    outcome: Outcome::of(program),
                    reports: Vec::new(),
                    fills: Vec::new(),
                    latency: Latency::Fixed(0),
                    incoming: None,
                    on_their_way: VecDeque::new(),
                    counts: Counts::default(),
                    error: None,
                },
                each_change: program.each_change,
                timer: program.every.map(Timer::new),
                changed: Changes::default(),
                seen: vec![false; count],
                lost: 0,
            },
        })
    }

    /// The same where an intent is in the market so long after it was made. It arrives before what the feed tells of a later time, and
    /// the strategy gets its report then. Intents are on one connection: none overtakes another.
    #[must_use]
    pub fn with_latency(mut self, latency: Latency) -> Self {
        self.desk.strategy.latency = latency;
        self
    }

    /// How many intents have not arrived.
    pub fn on_their_way(&self) -> usize {
        self.desk.strategy.on_their_way.len()
    }

    /// Takes a packet that was captured then, in nanoseconds since the Unix epoch: that is the time of a feed that tells none, as nanoseconds after the midnight before
    /// the first packet. `each` gets what happens, with the time in nanoseconds after midnight.
    ///
    /// # Errors
    /// The strategy does not come to an end.
    pub fn datagram(
        &mut self,
        payload: &[u8],
        captured: u64,
        each: &mut impl FnMut(u64, Action<'_>),
    ) -> Result<(), BacktestError> {
        let midnight = *self.midnight.get_or_insert(captured - captured % DAY);
        let now = (!self.feed.tells_time()).then(|| captured.saturating_sub(midnight));
        let mut frame = Frame {
            desk: &mut self.desk,
            now,
            each,
        };
        self.feed.datagram(payload, &mut frame);
        frame.end();
        self.desk.strategy.error.clone().map_or(Ok(()), Err)
    }

    /// The books are empty here, and complete from here on: for a feed of price levels that was joined in the middle of a session.
    pub fn begin_with_empty_books(&mut self) {
        let Some(next) = self.feed.expected() else {
            return;
        };
        let book = &mut self.desk.book;
        for index in 0..book.instruments() as u32 {
            let begun = book.clear(index).and_then(|()| book.tradable(index, next));
            debug_assert!(
                begun.is_ok(),
                "between two packets, and nothing is known to be missing"
            );
        }
    }

    /// What was wrong with the feed so far.
    pub fn wrong(&self) -> Wrong {
        self.feed.wrong(&self.desk.book)
    }

    /// Whether the book of an instrument can be relied on.
    pub fn status(&self, instrument: u32) -> Option<Status> {
        self.desk.book.status(instrument)
    }

    /// The instruments about which the feed had no message so far.
    pub fn unseen(&self) -> impl Iterator<Item = usize> {
        let seen = self.desk.seen.iter().enumerate();
        seen.filter(|(_, seen)| !**seen).map(|(index, _)| index)
    }

    /// What was counted so far.
    pub const fn counts(&self) -> &Counts {
        &self.desk.strategy.counts
    }

    /// What it has in each instrument.
    pub fn holdings(&self) -> &[Holding] {
        &self.desk.strategy.holdings
    }

    /// How many of its orders are in the market.
    pub fn open_orders(&self) -> i64 {
        self.desk.strategy.market.open()
    }

    /// What runs the strategy.
    pub const fn machine(&self) -> &M {
        &self.desk.strategy.machine
    }
}

/// A frame that is being decoded. Software decodes good frames only.
struct Frame<'a, M, F> {
    desk: &'a mut Context<M>,
    /// When it was captured, in nanoseconds after midnight, where the feed does not tell the time.
    now: Option<u64>,
    each: &'a mut F,
}

impl<M: Machine, F: FnMut(u64, Action<'_>)> Listener for Frame<'_, M, F> {
    fn frame(&mut self, info: &FeedInfo) {
        if info.new_session {
            self.desk.locates.clear();
        }
        self.desk.book.frame(info);
        if info.new_session || info.lost != self.desk.lost {
            self.desk.check_books();
        }
        self.desk.lost = info.lost;
    }

    fn event(&mut self, event: &formats::Event) {
        let now = self.now.unwrap_or_else(|| event.time_ns());
        let trades = matches!(event.kind, Kind::Execute | Kind::Trade).then_some(now);
        let desk = &mut *self.desk;
        if trades.is_none() || trades != desk.strategy.incoming {
            desk.strategy.incoming_is_done(&desk.book, self.each);
        }
        self.time(now);
        let desk = &mut *self.desk;
        desk.strategy.incoming = trades;
        let event = desk.locates.resolve(&desk.table, event);
        let instrument = event.instrument.map(usize::from);
        if let Some(seen) = instrument.and_then(|index| desk.seen.get_mut(index)) {
            *seen = true;
        }
        let event = desk.book.with_price(&event);
        if let Some(change) = desk.book.apply(&event) {
            self.change(&event, &change);
        }
    }

    fn is_ours(&self, symbol: Option<Symbol>) -> bool {
        self.desk.table.is_ours(Source::Feed, symbol)
    }
}

impl<M: Machine, F: FnMut(u64, Action<'_>)> Frame<'_, M, F> {
    /// Time goes on: the timer runs as often as it is due.
    fn time(&mut self, now: u64) {
        let desk = &mut *self.desk;
        let strategy = &mut desk.strategy;
        strategy.arrive(now, &desk.book, self.each);
        strategy.now = strategy.now.max(now);
        let Some(timer) = &mut desk.timer else {
            return;
        };
        loop {
            match timer.due(strategy.now as i64) {
                Ok(Some(due)) => {
                    strategy.arrive(due as u64, &desk.book, self.each);
                    strategy.handle_at(due, &Event::Timer, &desk.book, self.each);
                }
                Ok(None) => return,
                Err(runs) => {
                    let time_ns = strategy.now;
                    let error = BacktestError::Timer { time_ns, runs };
                    strategy.error.get_or_insert(error);
                    return;
                }
            }
        }
    }

    fn change(&mut self, event: &formats::Event, change: &Change) {
        let desk = &mut *self.desk;
        let instrument = change.instrument;
        desk.strategy.counts.events += 1;
        if let Some((_, traded)) = trade_of(event, Some(change)) {
            let shown = (change.what == What::Execute).then_some((change.side, change.price));
            let (reports, fills) = (&mut desk.strategy.reports, &mut desk.strategy.fills);
            let (price, quantity) = (traded.price, quantity(traded.quantity));
            desk.strategy
                .market
                .trade(instrument, shown, price, quantity, reports, fills);
            let trade = trade(instrument, &traded);
            desk.strategy
                .handle(&Event::Trade(&trade), &desk.book, self.each);
        }
        if desk.each_change {
            desk.book_changed(instrument, change.before, self.each);
        } else {
            desk.changed.note(change);
        }
    }

    /// The frame is over.
    fn end(self) {
        self.desk.book.verdict(true);
        let mut changed = std::mem::take(&mut self.desk.changed);
        changed.end(|instrument, before| self.desk.book_changed(instrument, before, self.each));
        self.desk.changed = changed;
    }
}

impl<M: Machine> Context<M> {
    /// Books that cannot be relied on after a gap, or in a new session, take no orders, whether or not anything changed in them since.
    fn check_books(&mut self) {
        for instrument in 0..self.book.instruments() as u32 {
            if self.book.status(instrument) != Some(Status::Tradable) {
                self.strategy.market.close(instrument);
            }
        }
    }

    fn book_changed(
        &mut self,
        instrument: u32,
        before: Top,
        each: &mut impl FnMut(u64, Action<'_>),
    ) {
        let top = self.book.top(instrument);
        let change = book_change(&self.book, instrument, before);
        let strategy = &mut self.strategy;
        let (reports, fills) = (&mut strategy.reports, &mut strategy.fills);
        strategy.market.show(instrument, &self.book, reports, fills);
        if !top.bid.is_empty() && !top.ask.is_empty() {
            strategy.holdings[instrument as usize].twice_middle = top.bid.price + top.ask.price;
        }
        let levels = Levels {
            book: &self.book,
            instrument,
        };
        strategy.handle(&Event::Book(&change, &levels), &self.book, each);
    }
}
