//! What can go wrong with a book, and whether an instrument is tradable.

use std::fmt;

/// Why an instrument is untradable. If several apply to one event, the first in this order counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Cause {
    /// A quantity of 0.
    QuantityZero,
    /// An order of more shares than [`Limits::quantity`](crate::Limits::quantity).
    QuantityTooLarge,
    /// An order id of more bits than [`Limits::id_bits`](crate::Limits::id_bits).
    IdTooLong,
    /// A replacement that has the id of the order that it replaces.
    ReplacesItself,
    /// The frame has more operations than [`Limits::log`](crate::Limits::log). This one stays if the frame turns out to be bad.
    LogFull,
    /// An event of an order that is not in the book, or is another instrument's.
    UnknownId,
    /// An order enters under the id of a live one.
    DuplicateId,
    /// More was executed or cancelled than is left.
    TooMuch,
    /// A price that is no multiple of the instrument's tick.
    OffTick,
    /// A price better than all that the window shows: a bid above it, an ask below it.
    OutsideWindow,
    /// No room for another order.
    OrdersFull,
    /// No room for another level.
    LevelsFull,
    /// More orders, or a larger quantity, than a level holds.
    LevelOverflow,
    /// An event that the book cannot book: an order that changes in place, a feed that clears a book with orders, a level where the feed
    /// gives orders, or an order where it gives levels.
    Unsupported,
    /// The feed lost messages.
    Gap,
    /// The feed began a new session, and orders of the old one are in the book, or its first messages are missing.
    NewSession,
}

impl Cause {
    /// All of them, in order.
    pub const ALL: [Cause; 16] = [
        Cause::QuantityZero,
        Cause::QuantityTooLarge,
        Cause::IdTooLong,
        Cause::ReplacesItself,
        Cause::LogFull,
        Cause::UnknownId,
        Cause::DuplicateId,
        Cause::TooMuch,
        Cause::OffTick,
        Cause::OutsideWindow,
        Cause::OrdersFull,
        Cause::LevelsFull,
        Cause::LevelOverflow,
        Cause::Unsupported,
        Cause::Gap,
        Cause::NewSession,
    ];
}

/// In words, for people.
impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Cause::QuantityZero => "a quantity of 0",
            Cause::QuantityTooLarge => "an order with too large a quantity",
            Cause::IdTooLong => "an order id with too many bits",
            Cause::ReplacesItself => "an order that replaces itself",
            Cause::LogFull => "more changes in a frame than can be undone",
            Cause::UnknownId => "an order that is not in the book",
            Cause::DuplicateId => "an order that is in the book already",
            Cause::TooMuch => "more executed or cancelled than was left",
            Cause::OffTick => "a price that is not a multiple of the tick",
            Cause::OutsideWindow => "a price better than the window",
            Cause::OrdersFull => "too many orders",
            Cause::LevelsFull => "too many levels",
            Cause::LevelOverflow => "a level with too many orders or too large a quantity",
            Cause::Unsupported => "an event that the book cannot book",
            Cause::Gap => "lost messages",
            Cause::NewSession => "a new session",
        })
    }
}

/// Whether an instrument's book can be relied on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Status {
    /// It can.
    #[default]
    Tradable,
    /// It was cleared and is being rebuilt; the feed's events are not booked meanwhile.
    Rebuilding,
    /// It cannot as long as a side has orders outside of the window and none inside: its best price is not shown. This passes by itself.
    Outside,
    /// It cannot, for this reason: the first since it was tradable.
    Untradable(
        /// The reason.
        Cause,
    ),
}

/// What is counted. 32 bits, wrapping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    causes: [u32; Cause::ALL.len()],
    /// Events of orders that are not in the book and whose instrument the event does not tell: of other instruments, as a rule.
    pub not_ours: u32,
    /// Frames that were undone.
    pub undone: u32,
}

impl Counters {
    /// Faults of this cause; gaps and sessions once for each instrument that they made untradable.
    pub const fn faults(&self, cause: Cause) -> u32 {
        self.causes[cause as usize]
    }

    pub(crate) const fn count(&mut self, cause: Cause) {
        let counter = &mut self.causes[cause as usize];
        *counter = counter.wrapping_add(1);
    }
}
