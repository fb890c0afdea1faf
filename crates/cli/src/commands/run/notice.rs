//! What `tickwire run` says of a desk that trades.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::commands::rebuild::Progress;

/// A line of what happened.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Notice {
    /// The session's connection cannot be made; it is tried again each second.
    NotConnected {
        /// Where the exchange should listen.
        peer: String,
        /// What the system says.
        reason: String,
    },
    /// Orders can leave.
    LoggedOn {
        /// The number of the first.
        next_outgoing: u64,
    },
    /// What became of an order.
    Order {
        /// The strategy that asked for it, in the desk's order.
        #[serde(skip_serializing_if = "Option::is_none")]
        strategy: Option<usize>,
        /// The stop that fired, in the desk's order.
        #[serde(skip_serializing_if = "Option::is_none")]
        stop: Option<usize>,
        /// `sent`, `refused` (by risk) or `dropped`.
        outcome: &'static str,
        /// `new`, or `replace` or `cancel` of `original`.
        kind: &'static str,
        /// MsgSeqNum of the order that it is about.
        #[serde(skip_serializing_if = "Option::is_none")]
        original: Option<u64>,
        /// MsgSeqNum.
        #[serde(skip_serializing_if = "Option::is_none")]
        number: Option<u64>,
        /// Why it did not leave.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// Its instrument.
        symbol: String,
        /// `buy` or `sell`.
        side: &'static str,
        /// Quantity.
        quantity: u32,
        /// Price; a market order and a cancel have none.
        #[serde(skip_serializing_if = "Option::is_none")]
        price: Option<String>,
        /// Number of the message that touched the book last, or that fired the stop.
        message: u64,
    },
    /// The exchange asked for an order that is too old to be sent again. It counts as open.
    NotResent {
        /// MsgSeqNum.
        number: u64,
        /// Its age.
        seconds: u64,
    },
    /// The book of an instrument can be relied on from now on, or not any more.
    Book {
        /// Its instrument.
        symbol: String,
        /// Whether orders on it leave.
        tradable: bool,
        /// Why not.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
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
    /// How the rebuild of books goes.
    #[serde(untagged)]
    Rebuild(Progress),
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Notice::NotConnected { peer, reason } => {
                write!(f, "no exchange at {peer} yet: {reason}")
            }
            Notice::LoggedOn { next_outgoing } => {
                write!(f, "logged on, next MsgSeqNum {next_outgoing}")
            }
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
            Notice::Order {
                outcome,
                kind,
                original,
                number,
                reason,
                symbol,
                side,
                quantity,
                price,
                message,
                stop,
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
                write!(f, " {outcome}")?;
                if let Some(number) = number {
                    write!(f, " as {number}")?;
                }
                reason.iter().try_for_each(|reason| write!(f, ": {reason}"))
            }
            Notice::Book {
                symbol,
                tradable: true,
                ..
            } => write!(f, "{symbol} is tradable"),
            Notice::Book { symbol, reason, .. } => {
                write!(f, "{symbol} is not tradable")?;
                reason.iter().try_for_each(|reason| write!(f, ": {reason}"))
            }
            Notice::NotResent { number, seconds } => {
                write!(f, "{}", not_resent(*number, *seconds))
            }
            Notice::Rebuild(progress) => write!(f, "{progress}"),
            Notice::Disconnected { reason } => write!(f, "disconnected: {reason}"),
        }
    }
}

/// Why an order is not sent again.
pub fn not_resent(number: u64, seconds: u64) -> String {
    format!(
        "order {number} is not sent again: it is {seconds} s old (resend_within_s); it counts as open until what the exchange says is confirmed"
    )
}

/// What a strategy in the language came to.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename = "strategy")]
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
#[serde(tag = "type", rename = "session")]
pub struct Summary {
    /// Orders that left.
    pub orders_sent: u64,
    /// Orders that risk refused.
    pub orders_refused: u64,
    /// Of these, by reason.
    pub refusals: BTreeMap<String, u64>,
    /// Orders that risk passed and that could not leave.
    pub orders_dropped: u64,
    /// Messages of the exchange about them.
    pub reports: u64,
    /// Orders that the exchange has not reported as ended.
    pub open_orders: usize,
    /// MsgSeqNum of our next message.
    pub next_outgoing: u64,
    /// MsgSeqNum expected of the exchange.
    pub next_incoming: u64,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} orders sent, {} refused by risk, {} dropped; {} reports, {} orders open; next MsgSeqNum {}, expected {}",
            self.orders_sent,
            self.orders_refused,
            self.orders_dropped,
            self.reports,
            self.open_orders,
            self.next_outgoing,
            self.next_incoming
        )?;
        self.refusals
            .iter()
            .try_for_each(|(reason, count)| write!(f, "\n  refused: {reason:<32} {count:>9}"))
    }
}
