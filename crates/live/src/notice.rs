//! What a desk at work tells, in words and as JSON.

use std::collections::BTreeMap;
use std::fmt;

use formats::Side;
use order::{Kind, Number, Order};
use serde::Serialize;

use crate::restart::Restored;
use crate::sockets::Status;

/// A line of what happened.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Notice {
    /// What the session had open and held from before.
    Restored(Restored),
    /// The session's connection cannot be made; it is tried again each second.
    NotConnected {
        /// Where the exchange should listen.
        peer: String,
        /// What the system says.
        reason: String,
    },
    /// The core has a connection.
    Connected,
    /// Orders can leave.
    LoggedOn {
        /// The number of the first.
        next_outgoing: u64,
    },
    /// What became of an order.
    Order(OrderNotice),
    /// A message of the session that is no order did not leave the core.
    NotSent {
        /// Why.
        reason: String,
    },
    /// The exchange asked for an order that is too old to be sent again. It counts as open.
    NotResent {
        /// MsgSeqNum.
        number: u64,
        /// Its age.
        seconds: u64,
    },
    /// A line that a person typed, and that is no order.
    LineRefused {
        /// It.
        line: String,
        /// Why.
        reason: String,
    },
    /// The core did not take a stop.
    StopRefused {
        /// Where it was to be held.
        slot: usize,
        /// Why.
        reason: String,
    },
    /// The book of an instrument can be relied on from now on, or not any more.
    Book {
        /// Its instrument.
        symbol: String,
        /// Whether orders on it leave.
        tradable: bool,
        /// Why not; a core does not say.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// A snapshot was asked for: a book has to be rebuilt.
    SnapshotRequested {
        /// Of whom.
        server: String,
    },
    /// The book of an instrument was rebuilt.
    Rebuilt {
        /// Its instrument.
        symbol: String,
        /// The number of the feed's first message that was not in the snapshot.
        message: u64,
        /// Its orders in the snapshot.
        orders: u64,
        /// Its messages since.
        since: u64,
    },
    /// The book could not be rebuilt; it is tried again.
    NoSnapshot {
        /// Who should have given it.
        server: String,
        /// Why not.
        reason: String,
        /// When it is asked for again.
        seconds: u64,
    },
    /// A snapshot of the channel cannot be used; the next is waited for.
    NotRebuilt {
        /// Its instrument.
        symbol: String,
        /// Why not.
        reason: String,
    },
    /// The book of an instrument was written into the core.
    #[serde(rename = "restored")]
    BookRestored {
        /// Its instrument.
        symbol: String,
        /// Its orders.
        orders: usize,
    },
    /// The core did not take the book; it is tried again.
    #[serde(rename = "not_restored")]
    BookNotRestored {
        /// Its instrument.
        symbol: String,
        /// Why not.
        reason: String,
    },
    /// The core's clock was late and has been set.
    ClockSet {
        /// By so much.
        behind_s: f64,
    },
    /// The feed sends lower numbers than before, and no others.
    #[serde(rename = "anew")]
    SequenceReset,
    /// What a strategy in the language tells (`emit`).
    Record {
        /// The strategy, in the desk's order.
        strategy: usize,
        /// The feed's time, in nanoseconds after midnight.
        time_ns: i64,
        /// The tag.
        tag: u8,
        /// Its values.
        values: Vec<i64>,
    },
    /// A strategy in the language runs no more. Its orders stay in the market.
    StrategyEnded {
        /// The strategy, in the desk's order.
        strategy: usize,
        /// Why.
        reason: String,
    },
    /// The session is over; it is made again after a second.
    Disconnected {
        /// Why.
        reason: String,
    },
    /// What sockets have counted so far.
    Counters(Box<Status>),
    /// What a strategy in the language came to.
    Strategy(StrategySummary),
    /// What the session came to.
    Session(SessionSummary),
}

/// What became of an order.
#[derive(Debug, Serialize)]
pub struct OrderNotice {
    /// Who asked for it, as the software or as the core has it.
    #[serde(flatten)]
    pub origin: OrderOrigin,
    /// `sent`, `refused` (by risk) or `dropped`.
    pub outcome: &'static str,
    /// `new`, or `replace` or `cancel` of `original`.
    pub kind: &'static str,
    /// MsgSeqNum of the order that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original: Option<u64>,
    /// MsgSeqNum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// Why it did not leave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Its instrument.
    pub symbol: String,
    /// `buy` or `sell`.
    pub side: &'static str,
    /// Quantity.
    pub quantity: u32,
}

/// Who asked for an order.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum OrderOrigin {
    /// In software.
    Software {
        /// The strategy, in the desk's order.
        #[serde(skip_serializing_if = "Option::is_none")]
        strategy: Option<usize>,
        /// The stop that fired, in the desk's order.
        #[serde(skip_serializing_if = "Option::is_none")]
        stop: Option<usize>,
        /// Price; a market order and a cancel have none.
        #[serde(skip_serializing_if = "Option::is_none")]
        price: Option<String>,
        /// Number of the message that touched the book last, or that fired the stop.
        message: u64,
    },
    /// In a core.
    Core {
        /// A stop's slot.
        #[serde(skip_serializing_if = "Option::is_none")]
        slot: Option<usize>,
        /// It is the strategy's.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        strategy: bool,
    },
}

/// What became of an order, and its number or why it did not leave.
pub(crate) enum OrderOutcome {
    Sent(Number),
    Refused(String),
    Dropped(String),
}

impl OrderNotice {
    pub(crate) fn new(
        origin: OrderOrigin,
        order: &Order,
        symbol: String,
        outcome: OrderOutcome,
    ) -> Self {
        let (outcome, number, reason) = match outcome {
            OrderOutcome::Sent(number) => ("sent", Some(number.get()), None),
            OrderOutcome::Refused(reason) => ("refused", None, Some(reason)),
            OrderOutcome::Dropped(reason) => ("dropped", None, Some(reason)),
        };
        OrderNotice {
            origin,
            outcome,
            kind: match order.kind {
                Kind::New => "new",
                Kind::Replace(_) => "replace",
                Kind::Cancel(_) => "cancel",
            },
            original: order.original().map(Number::get),
            number,
            reason,
            symbol,
            side: match order.side {
                Side::Buy => "buy",
                Side::Sell => "sell",
            },
            quantity: order.quantity,
        }
    }
}

impl fmt::Display for OrderNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OrderNotice {
            kind,
            original,
            symbol,
            side,
            quantity,
            ..
        } = self;
        match &self.origin {
            OrderOrigin::Software {
                stop,
                price,
                message,
                ..
            } => {
                write!(f, "message {message}: ")?;
                if let Some(slot) = stop {
                    write!(f, "stop {slot}: ")?;
                }
                match (price, original) {
                    (Some(price), None) => write!(f, "{side} {quantity} {symbol} at {price}"),
                    (Some(price), Some(order)) => {
                        write!(
                            f,
                            "{side} {quantity} {symbol} at {price} in place of {order}"
                        )
                    }
                    (None, _) if *kind == "new" => {
                        write!(f, "{side} {quantity} {symbol} at the market")
                    }
                    (None, order) => {
                        write!(f, "cancel of {} in {symbol}", order.unwrap_or_default())
                    }
                }?;
            }
            OrderOrigin::Core { slot, strategy } => {
                match (slot, original) {
                    _ if *strategy => write!(f, "strategy: ")?,
                    (Some(slot), _) => write!(f, "stop {slot}: ")?,
                    (None, Some(original)) => write!(f, "{kind} {original}: ")?,
                    (None, None) => write!(f, "by hand: ")?,
                }
                write!(f, "{side} {quantity} {symbol}")?;
            }
        }
        write!(f, " {}", self.outcome)?;
        if let Some(number) = self.number {
            write!(f, " as {number}")?;
        }
        self.reason
            .iter()
            .try_for_each(|reason| write!(f, ": {reason}"))
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Notice::Restored(restored) => write!(f, "{restored}"),
            Notice::NotConnected { peer, reason } => {
                write!(f, "no exchange at {peer} yet: {reason}")
            }
            Notice::Connected => write!(f, "connected"),
            Notice::LoggedOn { next_outgoing } => {
                write!(f, "logged on, next MsgSeqNum {next_outgoing}")
            }
            Notice::Order(order) => write!(f, "{order}"),
            Notice::NotSent { reason } => write!(f, "a session message did not leave: {reason}"),
            Notice::NotResent { number, seconds } => write!(
                f,
                "order {number} is not sent again: it is {seconds} s old (resend_within_s); it counts as open until what the exchange says is confirmed"
            ),
            Notice::LineRefused { line, reason } => write!(f, "{line:?}: {reason}"),
            Notice::StopRefused { slot, reason } => write!(f, "stop {slot} refused: {reason}"),
            Notice::Book {
                symbol,
                tradable: true,
                ..
            } => write!(f, "{symbol} is tradable"),
            Notice::Book { symbol, reason, .. } => {
                let of_core = "its book is not complete, or an event did not fit it";
                let reason = reason.as_deref().unwrap_or(of_core);
                write!(f, "{symbol} is not tradable: {reason}")
            }
            Notice::SnapshotRequested { server } => write!(f, "snapshot requested of {server}"),
            Notice::Rebuilt {
                symbol,
                message,
                orders,
                since,
            } => write!(
                f,
                "message {message}: {symbol} rebuilt of {orders} orders, and {since} messages since"
            ),
            Notice::NoSnapshot {
                server,
                reason,
                seconds,
            } => write!(
                f,
                "no book from the snapshot server {server}: {reason}; asked again in {seconds} s"
            ),
            Notice::NotRebuilt { symbol, reason } => {
                write!(
                    f,
                    "{symbol} is not rebuilt: {reason}; the next snapshot is waited for"
                )
            }
            Notice::BookRestored { symbol, orders } => {
                write!(f, "{symbol}: {orders} orders written into the core")
            }
            Notice::BookNotRestored { symbol, reason } => {
                write!(f, "{symbol} cannot be written into the core: {reason}")
            }
            Notice::ClockSet { behind_s } => write!(
                f,
                "the core's clock was {behind_s:.1} s behind, and is set: this machine simulates too slowly"
            ),
            Notice::SequenceReset => write!(f, "the feed has begun anew"),
            Notice::Record {
                strategy,
                time_ns,
                tag,
                values,
            } => {
                write!(f, "strategy {strategy}, {time_ns} ns: record {tag}:")?;
                values.iter().try_for_each(|value| write!(f, " {value}"))
            }
            Notice::StrategyEnded { strategy, reason } => {
                write!(f, "strategy {strategy} ended: {reason}")
            }
            Notice::Disconnected { reason } => write!(f, "disconnected: {reason}"),
            Notice::Counters(status) => write!(f, "{status}"),
            Notice::Strategy(summary) => write!(f, "{summary}"),
            Notice::Session(summary) => write!(f, "{summary}"),
        }
    }
}

/// What a strategy in the language came to.
#[derive(Debug, Serialize)]
pub struct StrategySummary {
    /// The strategy, in the desk's order.
    pub strategy: usize,
    /// Its class.
    pub name: String,
    /// Handlers that ran.
    pub handlers: u64,
    /// Orders, cancels and replacements that it asked for.
    pub intents: u64,
    /// Records.
    pub records: u64,
    /// Faults.
    pub faults: u64,
    /// Orders of it that are in the market.
    pub open_orders: i64,
    /// Bought less sold, of each instrument.
    pub positions: BTreeMap<String, i64>,
}

impl fmt::Display for StrategySummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "strategy {}, {}: {} handlers, {} orders, cancels and replacements, {} records, {} faults; {} orders open",
            self.strategy,
            self.name,
            self.handlers,
            self.intents,
            self.records,
            self.faults,
            self.open_orders
        )?;
        self.positions
            .iter()
            .try_for_each(|(symbol, position)| write!(f, "; {symbol} {position:+}"))
    }
}

/// What a session came to.
#[derive(Debug, Default, Serialize)]
pub struct SessionSummary {
    /// Orders that left.
    pub orders_sent: u64,
    /// Orders that risk refused.
    pub orders_refused: u64,
    /// Orders that risk passed and that could not leave.
    pub orders_dropped: u64,
    /// MsgSeqNum of our next message.
    pub next_outgoing: u64,
    /// MsgSeqNum expected of the exchange.
    pub next_incoming: u64,
    /// Orders that risk refused, by reason: of software.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusals: Option<BTreeMap<String, u64>>,
    /// Messages of the exchange about orders: of software.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reports: Option<u64>,
    /// Orders that the exchange has not reported as ended: of software.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_orders: Option<usize>,
    /// What the core counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counters: Option<BTreeMap<&'static str, u32>>,
}

impl fmt::Display for SessionSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} orders sent, {} refused by risk, {} dropped",
            self.orders_sent, self.orders_refused, self.orders_dropped
        )?;
        if let (Some(reports), Some(open)) = (self.reports, self.open_orders) {
            write!(f, "; {reports} reports, {open} orders open")?;
        }
        write!(
            f,
            "; next MsgSeqNum {}, expected {}",
            self.next_outgoing, self.next_incoming
        )?;
        let mut refusals = self.refusals.iter().flatten();
        refusals
            .try_for_each(|(reason, count)| write!(f, "\n  refused: {reason:<32} {count:>9}"))?;
        let counters = self.counters.iter().flatten();
        let mut counted = counters.filter(|(_, count)| **count > 0);
        counted.try_for_each(|(name, count)| write!(f, "\n  {name:<24} {count:>12}"))
    }
}
