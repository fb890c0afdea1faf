//! What `tickwire client` tells, in words and as JSON.

use std::fmt;

use serde::Serialize;

use crate::trader::{self, Prices};

/// What is told.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Told {
    LoggedOn,
    /// An order, a cancel or a replacement left.
    Sent {
        name: String,
        what: String,
    },
    Report {
        name: String,
        execution: String,
        status: String,
        last_quantity: Option<String>,
        last_price: Option<String>,
        leaves: String,
        text: Option<String>,
    },
    /// A cancel or a replacement is refused.
    Refused {
        name: String,
        text: String,
    },
    Prices {
        symbol: String,
        bid: Option<String>,
        offer: Option<String>,
        last: Option<String>,
    },
    /// A stop order waits.
    Held {
        number: u64,
        what: String,
    },
    /// A stop order was sent.
    Triggered {
        number: u64,
        name: String,
        last: String,
    },
    /// A line that was typed is wrong.
    Wrong {
        line: String,
        error: String,
    },
    Disconnected {
        cause: String,
    },
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or_none = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".into());
        match self {
            Told::LoggedOn => write!(f, "logged on"),
            Told::Sent { name, what } => write!(f, "{name}: sent: {what}"),
            Told::Report {
                name,
                execution,
                status,
                last_quantity,
                last_price,
                leaves,
                text,
            } => {
                write!(f, "{name}: {execution}, {status}, {leaves} left")?;
                if let (Some(quantity), Some(price)) = (last_quantity, last_price) {
                    write!(f, ", traded {quantity} at {price}")?;
                }
                text.iter().try_for_each(|text| write!(f, ": {text}"))
            }
            Told::Refused { name, text } => write!(f, "{name}: refused: {text}"),
            Told::Prices {
                symbol,
                bid,
                offer,
                last,
            } => {
                let (bid, offer, last) = (or_none(bid), or_none(offer), or_none(last));
                write!(f, "{symbol}: bid {bid}, offer {offer}, last {last}")
            }
            Told::Held { number, what } => write!(f, "stop {number}: waits: {what}"),
            Told::Triggered { number, name, last } => {
                write!(f, "stop {number}: triggered at {last}, sent as {name}")
            }
            Told::Wrong { line, error } => write!(f, "{line:?}: {error}"),
            Told::Disconnected { cause } => write!(f, "disconnected: {cause}"),
        }
    }
}

impl Told {
    /// The prices of an instrument.
    pub fn prices(symbol: &str, prices: Prices) -> Self {
        Told::Prices {
            symbol: symbol.to_owned(),
            bid: prices.bid.map(trader::text),
            offer: prices.offer.map(trader::text),
            last: prices.last.map(trader::text),
        }
    }
}
