//! The market-data event every decoder emits; the mirror of `event_t` in `rtl/common/tickwire_pkg.sv`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What an event does. The discriminants are those of `event_kind_e`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Kind {
    /// An order enters the book.
    Add,
    /// An order changes in place.
    Modify,
    /// An order trades, in whole or in part.
    Execute,
    /// An order loses part of its quantity.
    Reduce,
    /// An order leaves the book.
    Delete,
    /// An order leaves and another takes its place.
    Replace,
    /// A trade that touches no displayed order: its price and its quantity are not 0 ([`Kind::of_trade`]).
    Trade,
    /// A new second of the feed's clock.
    Time,
    /// Anything that is about the market or an instrument, not an order.
    Status,
    /// The book is empty.
    Clear,
    /// A price level has this quantity from here on; 0: it is gone. Of feeds that give levels, not orders.
    Level,
}

impl Kind {
    /// All of them, in the order of their discriminants.
    pub const ALL: [Kind; 11] = [
        Kind::Add,
        Kind::Modify,
        Kind::Execute,
        Kind::Reduce,
        Kind::Delete,
        Kind::Replace,
        Kind::Trade,
        Kind::Time,
        Kind::Status,
        Kind::Clear,
        Kind::Level,
    ];

    /// What an event is that the feed calls a trade. Without a quantity or a price it is none: a cross that found no shares, an auction that
    /// failed (docs/reference/rules.md, "Prices"). The twin of `trade_kind` in `rtl/common/tickwire_pkg.sv`.
    #[inline(always)]
    pub const fn of_trade(price: i64, quantity: u64) -> Self {
        if price == 0 || quantity == 0 {
            Kind::Status
        } else {
            Kind::Trade
        }
    }

    /// The one with this discriminant, if there is one.
    pub fn from_code(code: u8) -> Option<Self> {
        Kind::ALL.get(usize::from(code)).copied()
    }
}

/// Where an event came from. The discriminants are those of `event_source_e`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Source {
    /// The lines of market data.
    #[default]
    Feed,
    /// The FIX session.
    Session,
}

/// The side of an order. The discriminants are those of `side_e`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Side {
    /// A bid.
    #[default]
    Buy,
    /// An offer.
    Sell,
}

impl Side {
    /// `B` is buy, anything else sell.
    #[inline(always)]
    pub const fn from_ascii(byte: u8) -> Self {
        if byte == b'B' { Side::Buy } else { Side::Sell }
    }

    /// `B` or `S`.
    #[inline(always)]
    pub const fn to_ascii(self) -> u8 {
        match self {
            Side::Buy => b'B',
            Side::Sell => b'S',
        }
    }
}

/// An instrument's name as ITCH writes it: 8 bytes of ASCII, padded with spaces on the right.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Symbol(
    /// The bytes as on the wire.
    pub [u8; 8],
);

impl Symbol {
    /// The bytes as one number, the first character in the highest byte: as the hardware stores it.
    #[inline(always)]
    pub const fn to_u64(self) -> u64 {
        u64::from_be_bytes(self.0)
    }

    /// The inverse of [`Symbol::to_u64`].
    #[inline(always)]
    pub const fn from_u64(value: u64) -> Self {
        Symbol(value.to_be_bytes())
    }
}

/// Why a text is not a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SymbolError {
    /// Nothing there.
    #[error("a symbol needs at least one character")]
    Empty,
    /// More than eight characters.
    #[error("a symbol has at most 8 characters")]
    TooLong,
    /// A character that is not printable ASCII, or is a space.
    #[error("a symbol has only printable ASCII characters and no space")]
    Character,
}

impl FromStr for Symbol {
    type Err = SymbolError;

    fn from_str(text: &str) -> Result<Self, SymbolError> {
        let text = text.trim_end_matches(' ').as_bytes();
        if text.is_empty() {
            return Err(SymbolError::Empty);
        }
        if !text.iter().all(u8::is_ascii_graphic) {
            return Err(SymbolError::Character);
        }
        let mut bytes = [b' '; 8];
        bytes
            .get_mut(..text.len())
            .ok_or(SymbolError::TooLong)?
            .copy_from_slice(text);
        Ok(Symbol(bytes))
    }
}

impl TryFrom<String> for Symbol {
    type Error = SymbolError;

    fn try_from(text: String) -> Result<Self, SymbolError> {
        text.parse()
    }
}

impl From<Symbol> for String {
    fn from(symbol: Symbol) -> String {
        symbol.to_string()
    }
}

/// The name without padding, or the number ([`Symbol::of_id`], [`Symbol::of_name`]); of other bytes those that are not printable ASCII as
/// escapes.
impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(id) = self.id() {
            return f.pad(&id.to_string());
        }
        if let Some(name) = self.long_name() {
            return f.pad(&name);
        }
        let mut text = String::new();
        for byte in self.0.trim_ascii_end() {
            match byte {
                b' '..=b'~' => text.push(char::from(*byte)),
                other => text.extend(other.escape_ascii().map(char::from)),
            }
        }
        f.pad(&text)
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Symbol({self})")
    }
}

/// One market-data message, whatever the feed. Members that its kind does not have are 0 (docs/reference/rules.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Event {
    /// What it does.
    pub kind: Kind,
    /// Where it came from.
    pub source: Source,
    /// The index of the instrument, if it is one of ours.
    pub instrument: Option<u8>,
    /// The type of the message as on the wire, ASCII.
    pub message_type: u8,
    /// The side of the order.
    pub side: Side,
    /// The symbol, where the message has one.
    pub symbol: Option<Symbol>,
    /// The feed's number for the instrument, where it gives one (ITCH 5.0: stock locate).
    pub locate: Option<u16>,
    /// Price, fixed point (ITCH: 1/10,000 dollar; FIX: the instrument's scale).
    pub price: i64,
    /// Quantity in shares; of a status, the feed's number for it, where it has one (FAST).
    pub quantity: u64,
    /// It is an execution that is not printed, and so no trade: a cross tells it (ITCH: `C` with printable `N`).
    pub non_printable: bool,
    /// The order it is about; of a price level, how many orders it has, 0 where the feed does not say.
    pub order_id: u64,
    /// The order that replaces it.
    pub new_order_id: u64,
    /// Seconds, if the feed gives them separately (ITCH 4.1); else 0.
    pub seconds: u32,
    /// Nanoseconds on top of `seconds` (ITCH 5.0: since midnight, 48 bits).
    pub nanoseconds: u64,
    /// The number of the message in the feed.
    pub sequence: u64,
    /// Whether it is the last message of its frame.
    pub last: bool,
}

impl Event {
    /// An event with every member but these 0.
    #[inline(always)]
    pub const fn new(kind: Kind, message_type: u8) -> Self {
        Event {
            kind,
            source: Source::Feed,
            instrument: None,
            message_type,
            side: Side::Buy,
            symbol: None,
            locate: None,
            price: 0,
            quantity: 0,
            non_printable: false,
            order_id: 0,
            new_order_id: 0,
            seconds: 0,
            nanoseconds: 0,
            sequence: 0,
            last: false,
        }
    }

    /// Nanoseconds since midnight.
    #[inline]
    pub const fn time_ns(&self) -> u64 {
        (self.seconds as u64 * 1_000_000_000).wrapping_add(self.nanoseconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_is_padded_with_spaces_and_shown_without() {
        let symbol: Symbol = "AAPL".parse().unwrap();
        assert_eq!(&symbol.0, b"AAPL    ");
        assert_eq!(symbol.to_string(), "AAPL");
        assert_eq!(symbol.to_u64(), 0x4141_504c_2020_2020);
        assert_eq!(Symbol::from_u64(symbol.to_u64()), symbol);
        assert_eq!("AAPL    ".parse(), Ok(symbol));
        assert_eq!(format!("{symbol:>6}|"), "  AAPL|");
    }

    #[test]
    fn every_symbol_is_shown_as_it_is_written_and_bytes_that_cannot_be_as_escapes() {
        for byte in b'!'..=b'~' {
            let text = format!("A{}", char::from(byte));
            let symbol: Symbol = text.parse().unwrap();
            assert_eq!(symbol.to_string(), text);
        }
        assert_eq!(Symbol(*b"A\x01\xff     ").to_string(), "A\\x01\\xff");
    }

    #[test]
    fn a_text_that_is_no_symbol_is_refused_with_its_reason() {
        assert_eq!("".parse::<Symbol>(), Err(SymbolError::Empty));
        assert_eq!("   ".parse::<Symbol>(), Err(SymbolError::Empty));
        assert_eq!("ABCDEFGHI".parse::<Symbol>(), Err(SymbolError::TooLong));
        assert_eq!("A B".parse::<Symbol>(), Err(SymbolError::Character));
        assert_eq!("É".parse::<Symbol>(), Err(SymbolError::Character));
    }

    #[test]
    fn time_is_seconds_and_nanoseconds_together() {
        let event = Event {
            seconds: 34_200,
            nanoseconds: 7,
            ..Event::new(Kind::Time, b'T')
        };
        assert_eq!(event.time_ns(), 34_200_000_000_007);
    }

    #[test]
    fn only_the_letter_b_is_buy() {
        for byte in 0..=255 {
            assert_eq!(Side::from_ascii(byte) == Side::Buy, byte == b'B');
        }
    }
}
