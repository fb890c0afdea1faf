//! The order book: the twin of `rtl/book`.
//!
//! ```text
//!  event ─ instrument ─┬─ orders by id ─┬─ levels of each side ─ best prices ─┐
//!                      │                └─ trade                              ├─ Change
//!                      └─ fault: the instrument is untradable ────────────────┘
//!  verdict ─ log: a bad frame is undone, last operation first
//! ```
//!
//! # Rules (rtl/book obeys the same)
//!
//! - **Events before the verdict.** [`Book::apply`] books an event at once and tells what changed. [`Book::verdict`] ends the frame: a good one
//!   is kept, a bad one is undone exactly, its faults and their counts included. A book that is used as a [`Listener`](formats::Listener)
//!   ([`Follow`]) gets good frames only and keeps each of them when the next begins.
//! - **Trades.** An execution of a displayed order is a trade at the event's price, or, if that is 0, at the order's. One that is not
//!   printed changes the book and is no trade. The side of a trade is that of the resting order.
//! - **Faults.** What cannot be booked is not booked; the instrument is untradable from then on, and its first [`Cause`] stays. Later events
//!   are still booked as far as they can be, so that the book is the best guess there is. A rebuild makes it tradable again.
//! - **Instruments that appear late** (software, [`Book::add_instrument`]) are untradable if the feed has lost messages or was joined in the middle.
//! - **A replacement** is a delete and an add. What can be seen on the event alone (quantity, length of an id, a replacement onto its own
//!   id, a full log) refuses both. If only the add fails, the old order is out.
//! - **A change in place** gives an order's new price and quantity; side and instrument stay. One that keeps the price and adds nothing keeps the
//!   order's place among equals; another is a delete and an add of the same id. A feed that gives no price with it says 0
//!   ([`Book::with_price`]): without one it is a fault (`unsupported`).
//! - **Window.** A book with limits shows `2 × window` ticks. A bid below them or an ask above them is kept as an order, outside of the levels
//!   that are shown; while a side has such orders and none inside, its best price is not shown, and the instrument is not tradable
//!   ([`Status::Outside`]). A bid above them or an ask below them is a fault. The host moves the window between frames ([`Book::centre`]).
//!   Until it has done so, the window is centred on each order that enters while the instrument has no orders at all.
//! - **Price levels.** Of an instrument whose feed gives levels, so many a side ([`Book::set_depth`]), an event is a level's new quantity;
//!   0 closes it, and closing one that is not there is nothing. A level that enters a full side drops the worst. A level has as many
//!   orders as the feed says, or one, but not more than [`Limits::given_orders`]: hardware counts one. Orders of such an instrument are a fault, and so
//!   are levels of another, and levels beyond the window on either side.
//! - **Crossed, locked, empty.** The book shows what the feed says: a best bid at or above the best ask is no fault ([`Shape`]). A side
//!   without orders is a level with 0 orders, price 0 and quantity 0.
//! - **Order among equals.** Orders of a level keep the order in which they entered it; a partial execution or a reduction keeps an order's
//!   place, a replacement loses it.
//!
//! # Speed
//!
//! No search on the way of most events: an order knows the queue of its level, a level the sum of its orders, and the best levels stand beside the
//! market's switches in two lines of the cache. In a book of thousands of instruments most of the time is memory's: [`Hints`] ask for what the events
//! of a recorded day will read. `tickwire-verify bench book` measures.
#![deny(unsafe_code)]

/// The example of the crate's page.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod book;
mod by_level;
mod change;
mod fault;
mod follow;
mod hints;
mod levels;
mod limits;
mod orders;
mod prefetch;
mod read;
mod rebuild;
mod undo;
mod window;

pub use book::Book;
pub use change::{Change, Level, Shape, Top, Trade, What};
pub use fault::{Cause, Counters, Status};
pub use follow::Follow;
pub use hints::Hints;
pub use limits::Limits;
pub use read::OrderView;
pub use rebuild::RebuildError;
