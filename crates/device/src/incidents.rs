//! What goes wrong in the stages, as a line of the ring says it (`record_pkg::incidents_t`; docs/reference/ring.md).

use std::fmt;

/// All that a line says: a bit each, in the order of [`Incident::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Incidents(
    /// The bits.
    pub u64,
);

/// One of them. Each has a counter besides, which says how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Incident {
    /// MII, FCS, length or a checksum of a frame is wrong.
    BadFrame(
        /// The line: 0 is A.
        u8,
    ),
    /// A frame for the host found no room.
    HostOverflow(
        /// The line: 0 is A.
        u8,
    ),
    /// Messages are missing.
    Gap(
        /// The feed.
        u8,
    ),
    /// A good frame cannot be read.
    Malformed(
        /// The feed.
        u8,
    ),
    /// A packet found no room in the arbiter.
    ArbiterOverflow(
        /// The feed.
        u8,
    ),
    /// A packet found no room in the decoder.
    DecoderOverflow(
        /// The feed.
        u8,
    ),
    /// An order's place was taken while it was open.
    ExecutionForgotten,
    /// Bytes of the session found no room.
    ExecutionOverflow,
    /// A report about an order of ours lacks something.
    ExecutionUnreadable,
    /// The exchange reports about an order that is not open.
    ExecutionUnknown,
    /// An event could not be booked.
    BookFault,
    /// A frame was taken back.
    BookUndone,
    /// An event found no room before the book.
    BookOverflow,
    /// A trade found no room on its way to the strategies.
    TradeOverflow,
    /// An intent, or an event for a program, found no room.
    IntentOverflow,
    /// A program's handler did what is not defined.
    ProgramFault,
    /// A program asked for what cannot be an order.
    ProgramRefused,
    /// Risk refused an order.
    Refused,
    /// An order that risk had passed was not sent.
    NotSent,
}

impl Incident {
    /// All of them, from the lowest bit up.
    pub const ALL: [Incident; 33] = [
        Incident::BadFrame(0),
        Incident::HostOverflow(0),
        Incident::BadFrame(1),
        Incident::HostOverflow(1),
        Incident::Gap(0),
        Incident::Malformed(0),
        Incident::ArbiterOverflow(0),
        Incident::DecoderOverflow(0),
        Incident::Gap(1),
        Incident::Malformed(1),
        Incident::ArbiterOverflow(1),
        Incident::DecoderOverflow(1),
        Incident::Gap(2),
        Incident::Malformed(2),
        Incident::ArbiterOverflow(2),
        Incident::DecoderOverflow(2),
        Incident::Gap(3),
        Incident::Malformed(3),
        Incident::ArbiterOverflow(3),
        Incident::DecoderOverflow(3),
        Incident::ExecutionForgotten,
        Incident::ExecutionOverflow,
        Incident::ExecutionUnreadable,
        Incident::ExecutionUnknown,
        Incident::BookFault,
        Incident::BookUndone,
        Incident::BookOverflow,
        Incident::TradeOverflow,
        Incident::IntentOverflow,
        Incident::ProgramFault,
        Incident::ProgramRefused,
        Incident::Refused,
        Incident::NotSent,
    ];
}

impl Incidents {
    /// Those that are set, from the lowest bit up.
    pub fn iter(self) -> impl Iterator<Item = Incident> {
        let set = (0..).zip(Incident::ALL);
        set.filter_map(move |(bit, incident)| (self.0 >> bit & 1 != 0).then_some(incident))
    }
}

impl fmt::Display for Incident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |line: u8| if line == 0 { 'A' } else { 'B' };
        match *self {
            Incident::BadFrame(of) => write!(f, "a bad frame on line {}", line(of)),
            Incident::HostOverflow(of) => {
                write!(f, "a frame for the host found no room on line {}", line(of))
            }
            Incident::Gap(feed) => write!(f, "messages of feed {feed} are missing"),
            Incident::Malformed(feed) => write!(f, "a packet of feed {feed} cannot be read"),
            Incident::ArbiterOverflow(feed) => {
                write!(f, "a packet of feed {feed} found no room in the arbiter")
            }
            Incident::DecoderOverflow(feed) => {
                write!(f, "a packet of feed {feed} found no room in the decoder")
            }
            Incident::ExecutionForgotten => {
                f.write_str("an order's place was taken while it was open")
            }
            Incident::ExecutionOverflow => f.write_str("bytes of the session found no room"),
            Incident::ExecutionUnreadable => {
                f.write_str("the exchange's report about an order lacks something")
            }
            Incident::ExecutionUnknown => {
                f.write_str("the exchange reports about an order that is not open")
            }
            Incident::BookFault => f.write_str("an event could not be booked"),
            Incident::BookUndone => f.write_str("the book took a frame back"),
            Incident::BookOverflow => f.write_str("an event found no room before the book"),
            Incident::TradeOverflow => {
                f.write_str("a trade found no room on its way to the strategies")
            }
            Incident::IntentOverflow => {
                f.write_str("an intent, or an event for a strategy, found no room")
            }
            Incident::ProgramFault => f.write_str("a strategy did what is not defined"),
            Incident::ProgramRefused => f.write_str("a strategy asked for what cannot be an order"),
            Incident::Refused => f.write_str("risk refused an order"),
            Incident::NotSent => f.write_str("an order that risk had passed was not sent"),
        }
    }
}
