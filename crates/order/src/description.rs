//! What a desk says about the orders it sends.

use thiserror::Error;

/// An instrument as the exchange knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instrument {
    /// Symbol (55).
    pub symbol: String,
    /// Decimals of its prices, and so their scale: 0 to [`MOST_DECIMALS`].
    pub decimals: u8,
}

/// The most decimals of a price, as many as the FIX decoder takes.
pub const MOST_DECIMALS: u8 = 8;

/// The orders of a FIX 4.4 session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// SenderCompID (49): our name.
    pub sender: String,
    /// TargetCompID (56): the peer's.
    pub target: String,
    /// Account (1).
    pub account: Option<String>,
    /// What ClOrdID (11) begins with; MsgSeqNum's nine digits follow.
    pub client_order_id_prefix: String,
    /// Characters of OrderQty (38): 1 to 10. A shorter one gets leading zeros.
    pub quantity_width: u8,
    /// Characters of Price (44): its sign (`-` or `0`), its digits and its point. Every instrument must have room for a digit before
    /// the point.
    pub price_width: u8,
    /// Each order says how long it stays: TimeInForce (59) is in its text. Else it is a constant field, or is not there.
    pub time_in_force: bool,
    /// Constant fields of new orders and replacements, such as HandlInst (21) and TimeInForce (59).
    pub fields: Vec<(u32, String)>,
    /// The instruments; the index of each is its place here.
    pub instruments: Vec<Instrument>,
}

/// SecondaryClOrdID: fills the place of Price in a cancel request.
pub(crate) const FILLER: u32 = 526;

/// TimeInForce: the compiler writes it where each order has its own.
const TIME_IN_FORCE: u32 = 59;

/// Fields of a body that the compiler writes itself.
const OWN_TAGS: [u32; 10] = [1, 11, 38, 40, 41, 44, 54, 55, 58, 60];
/// Fields of the header and the trailer, and length fields: none can be among a body's constant ones.
const OTHER_TAGS: [u32; 40] = [
    8, 9, 10, 34, 35, 43, 49, 50, 52, 56, 57, 89, 90, 91, 93, 95, 97, 115, 116, 122, 128, 129, 142,
    143, 144, 145, 212, 213, 348, 350, 352, 354, 355, 347, 358, 360, 362, 364, 369, 627,
];

/// What is wrong with a description, and what to change.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DescriptionError {
    /// A value that has no characters.
    #[error("{0} is empty: give it a value")]
    Empty(
        /// Which value.
        &'static str,
    ),
    /// A value with a character that may not be in a FIX message.
    #[error("{what} {value:?}: only printable ASCII may be in a FIX field")]
    Character {
        /// Which value.
        what: &'static str,
        /// It.
        value: String,
    },
    /// OrderQty does not fit.
    #[error("quantity_width {0}: it must be 1 to 10, the digits of a 32-bit quantity")]
    QuantityWidth(
        /// The width.
        u8,
    ),
    /// An instrument's prices do not fit.
    #[error(
        "price_width {width}: prices of {symbol} need {least} or more, a sign, a digit and {decimals} decimals; {most} is the most"
    )]
    PriceWidth {
        /// The width.
        width: u8,
        /// The instrument.
        symbol: String,
        /// Its decimals.
        decimals: u8,
        /// The least width.
        least: u8,
        /// The greatest.
        most: u8,
    },
    /// More decimals than the hardware works with.
    #[error("{symbol} has {decimals} decimals: at most {MOST_DECIMALS}")]
    Decimals {
        /// The instrument.
        symbol: String,
        /// Its decimals.
        decimals: u8,
    },
    /// A constant field that the compiler writes itself, or that belongs to the header, or is data after a length.
    #[error(
        "field {0} cannot be a constant field: leave it out; it is part of every order, of the header, or data"
    )]
    OwnTag(
        /// The tag.
        u32,
    ),
    /// A constant field is there twice.
    #[error("field {0} is given twice")]
    Twice(
        /// The tag.
        u32,
    ),
    /// Two instruments have the same symbol.
    #[error("instrument {0} is there twice")]
    SameSymbol(
        /// The symbol.
        String,
    ),
    /// There is nothing to trade.
    #[error("no instruments: give at least one")]
    NoInstruments,
}

/// The widest price: sign, nineteen digits of 2^63, point. One less with TimeInForce: a text has 64 bytes.
const WIDEST_PRICE: u8 = 21;

fn check_value(what: &'static str, value: &str) -> Result<(), DescriptionError> {
    if value.is_empty() {
        return Err(DescriptionError::Empty(what));
    }
    if !value.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Err(DescriptionError::Character {
            what,
            value: value.to_owned(),
        });
    }
    Ok(())
}

impl Description {
    /// Orders between two names, with widths that suit most instruments: eight digits of quantity, a sign and eleven digits of price
    /// with the point.
    pub fn new(sender: &str, target: &str, instruments: Vec<Instrument>) -> Self {
        Description {
            sender: sender.to_owned(),
            target: target.to_owned(),
            account: None,
            client_order_id_prefix: String::new(),
            quantity_width: 8,
            price_width: 13,
            time_in_force: false,
            fields: Vec::new(),
            instruments,
        }
    }

    /// Whether it can be compiled, as far as can be checked without lengths.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<(), DescriptionError> {
        check_value("SenderCompID", &self.sender)?;
        check_value("TargetCompID", &self.target)?;
        if let Some(account) = &self.account {
            check_value("Account", account)?;
        }
        // Only the prefix may be empty: nine digits follow.
        if !self.client_order_id_prefix.is_empty() {
            check_value("ClOrdID prefix", &self.client_order_id_prefix)?;
        }
        if !(1..=10).contains(&self.quantity_width) {
            return Err(DescriptionError::QuantityWidth(self.quantity_width));
        }
        for (index, (tag, value)) in self.fields.iter().enumerate() {
            check_value("a constant field", value)?;
            if *tag == 0
                || *tag == FILLER
                || OWN_TAGS.contains(tag)
                || OTHER_TAGS.contains(tag)
                || (self.time_in_force && *tag == TIME_IN_FORCE)
            {
                return Err(DescriptionError::OwnTag(*tag));
            }
            if self
                .fields
                .iter()
                .take(index)
                .any(|(other, _)| other == tag)
            {
                return Err(DescriptionError::Twice(*tag));
            }
        }
        if self.instruments.is_empty() {
            return Err(DescriptionError::NoInstruments);
        }
        for (index, instrument) in self.instruments.iter().enumerate() {
            let (symbol, decimals) = (&instrument.symbol, instrument.decimals);
            check_value("Symbol", symbol)?;
            if decimals > MOST_DECIMALS {
                return Err(DescriptionError::Decimals {
                    symbol: symbol.clone(),
                    decimals,
                });
            }
            let most = WIDEST_PRICE - u8::from(self.time_in_force);
            let least = 2 + decimals + u8::from(decimals > 0);
            if !(least..=most).contains(&self.price_width) {
                return Err(DescriptionError::PriceWidth {
                    width: self.price_width,
                    symbol: symbol.clone(),
                    decimals,
                    least,
                    most,
                });
            }
            let before = self.instruments.iter().take(index);
            if before.into_iter().any(|other| other.symbol == *symbol) {
                return Err(DescriptionError::SameSymbol(symbol.clone()));
            }
        }
        Ok(())
    }
}
