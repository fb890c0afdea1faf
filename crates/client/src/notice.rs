//! What a trader is shown, in words and as JSON.

use std::fmt;

use serde::Serialize;

/// Something that a trader is shown.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Notice {
    /// Both sides have logged on.
    LoggedOn,
    /// An order, a cancel or a replacement left.
    Sent {
        /// Its ClOrdID.
        name: String,
        /// What was typed.
        what: String,
    },
    /// An ExecutionReport.
    Report {
        /// ClOrdID.
        name: String,
        /// OrigClOrdID: the order that a cancel or a replacement was about.
        #[serde(skip_serializing_if = "Option::is_none")]
        original: Option<String>,
        /// ExecType.
        execution: String,
        /// OrdStatus.
        status: String,
        /// LastQty.
        last_quantity: Option<String>,
        /// LastPx.
        last_price: Option<String>,
        /// LeavesQty.
        leaves: String,
        /// Text.
        text: Option<String>,
    },
    /// A cancel, a replacement or a request for prices is refused.
    Refused {
        /// Its ClOrdID; of a request for prices the instrument.
        name: String,
        /// Why.
        text: String,
    },
    /// The best prices of an instrument and the last one.
    Prices {
        /// The instrument.
        symbol: String,
        /// Best bid.
        bid: Option<String>,
        /// Best offer.
        offer: Option<String>,
        /// Last price.
        last: Option<String>,
    },
    /// A stop order waits.
    Held {
        /// What it is known by.
        number: u64,
        /// What was typed.
        what: String,
    },
    /// A stop order was sent.
    Triggered {
        /// What it was known by.
        number: u64,
        /// ClOrdID of its order.
        name: String,
        /// The price that triggered it.
        last: String,
    },
    /// A line that was typed is wrong.
    Wrong {
        /// The line.
        line: String,
        /// Why.
        error: String,
    },
    /// The session has ended.
    Disconnected {
        /// Why.
        cause: String,
    },
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or_none = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".into());
        match self {
            Notice::LoggedOn => write!(f, "logged on"),
            Notice::Sent { name, what } => write!(f, "{name}: sent: {what}"),
            Notice::Report {
                name,
                original,
                execution,
                status,
                last_quantity,
                last_price,
                leaves,
                text,
            } => {
                write!(f, "{name}: ")?;
                original
                    .iter()
                    .try_for_each(|old| write!(f, "of {old}: "))?;
                write!(f, "{execution}, {status}, {leaves} left")?;
                if let (Some(quantity), Some(price)) = (last_quantity, last_price) {
                    write!(f, ", traded {quantity} at {price}")?;
                }
                text.iter().try_for_each(|text| write!(f, ": {text}"))
            }
            Notice::Refused { name, text } => write!(f, "{name}: refused: {text}"),
            Notice::Prices {
                symbol,
                bid,
                offer,
                last,
            } => {
                let (bid, offer, last) = (or_none(bid), or_none(offer), or_none(last));
                write!(f, "{symbol}: bid {bid}, offer {offer}, last {last}")
            }
            Notice::Held { number, what } => write!(f, "stop {number}: waits: {what}"),
            Notice::Triggered { number, name, last } => {
                write!(f, "stop {number}: triggered at {last}, sent as {name}")
            }
            Notice::Wrong { line, error } => write!(f, "{line:?}: {error}"),
            Notice::Disconnected { cause } => write!(f, "disconnected: {cause}"),
        }
    }
}
