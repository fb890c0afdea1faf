//! What can be wrong with an entry, and what is counted.

use std::fmt;

use ::fast::ErrorCode;

/// Why an entry is no event; if it is one of our instruments', or does not say whose it is, its packet is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Fault {
    /// A value of the action that the map does not have.
    UnknownAction,
    /// A value of the entry's type that the map does not have.
    UnknownEntryType,
    /// A value of the side that the map does not have.
    UnknownSide,
    /// Nothing says what the entry does.
    NoAction,
    /// An order or a level without a side.
    NoSide,
    /// No symbol, where the kind needs one.
    NoSymbol,
    /// No order id, where the kind needs one.
    NoOrderId,
    /// No price, where the kind needs one.
    NoPrice,
    /// No quantity, where the kind needs one.
    NoQuantity,
    /// A symbol or security id that has no key without loss.
    Symbol,
    /// An order id that is negative, or no digits in their shortest form, or of more than 64 bits.
    OrderId,
    /// A price with more decimals than the scale has, or too large for it.
    PriceScale,
    /// A quantity with more decimals than the scale has, too large for it, or negative.
    QuantityScale,
    /// A time that is no time of day.
    Time,
    /// A message number, a number of orders or a status that is negative.
    Number,
}

impl Fault {
    /// All of them, in order.
    pub const ALL: [Fault; 15] = [
        Fault::UnknownAction,
        Fault::UnknownEntryType,
        Fault::UnknownSide,
        Fault::NoAction,
        Fault::NoSide,
        Fault::NoSymbol,
        Fault::NoOrderId,
        Fault::NoPrice,
        Fault::NoQuantity,
        Fault::Symbol,
        Fault::OrderId,
        Fault::PriceScale,
        Fault::QuantityScale,
        Fault::Time,
        Fault::Number,
    ];

    /// The name of its counter.
    pub const fn name(self) -> &'static str {
        match self {
            Fault::UnknownAction => "unknown_action",
            Fault::UnknownEntryType => "unknown_entry_type",
            Fault::UnknownSide => "unknown_side",
            Fault::NoAction => "no_action",
            Fault::NoSide => "no_side",
            Fault::NoSymbol => "no_symbol",
            Fault::NoOrderId => "no_order_id",
            Fault::NoPrice => "no_price",
            Fault::NoQuantity => "no_quantity",
            Fault::Symbol => "bad_symbol",
            Fault::OrderId => "bad_order_id",
            Fault::PriceScale => "price_off_scale",
            Fault::QuantityScale => "quantity_off_scale",
            Fault::Time => "bad_time",
            Fault::Number => "bad_number",
        }
    }
}

/// In words, for people.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fault::UnknownAction => "an action that the map does not have",
            Fault::UnknownEntryType => "a type of entry that the map does not have",
            Fault::UnknownSide => "a side that the map does not have",
            Fault::NoAction => "nothing says what the entry does",
            Fault::NoSide => "no side",
            Fault::NoSymbol => "no symbol",
            Fault::NoOrderId => "no order id",
            Fault::NoPrice => "no price",
            Fault::NoQuantity => "no quantity",
            Fault::Symbol => "a symbol that has no key of 64 bits",
            Fault::OrderId => "an order id that is not a number of 64 bits",
            Fault::PriceScale => "a price that is not exact at the scale",
            Fault::QuantityScale => "a quantity that is not exact at the scale, or negative",
            Fault::Time => "a time that is not one",
            Fault::Number => "a negative number",
        })
    }
}

/// What was counted so far. 32 bits, wrapping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Packets that were good.
    pub fast_packets: u32,
    /// Packets that are not what the templates say.
    pub fast_malformed: u32,
    /// Packets with a message number that has been passed.
    pub fast_old: u32,
    /// Packets with messages missing before them.
    pub fast_gap: u32,
    /// Messages that are missing.
    pub fast_lost: u64,
    /// Messages of good packets.
    pub fast_messages: u32,
    /// Of those, messages whose template is not in the map.
    pub fast_unmapped: u32,
    /// Entries that the map ignores, of good packets.
    pub fast_ignored: u32,
    /// Entries of good packets that are not what the map says, of instruments that are none of ours: they were passed over.
    pub fast_foreign: u32,
    errors: [u32; ErrorCode::ALL.len()],
    faults: [u32; Fault::ALL.len()],
}

impl Counters {
    /// Packets that were dropped because of this; the first fault of each counts.
    pub const fn faults(&self, fault: Fault) -> u32 {
        self.faults[fault as usize]
    }

    /// Packets that are not what the templates say because of this; the first error of each counts. Their sum is `fast_malformed`.
    pub const fn errors(&self, code: ErrorCode) -> u32 {
        self.errors[code as usize]
    }

    pub(super) const fn count_error(&mut self, code: ErrorCode) {
        self.fast_malformed = self.fast_malformed.wrapping_add(1);
        let counter = &mut self.errors[code as usize];
        *counter = counter.wrapping_add(1);
    }

    /// The causes for which packets were dropped, by name: of the templates, then of the map; those that there were none of are left out.
    pub fn causes(&self) -> impl Iterator<Item = (&'static str, u32)> + '_ {
        let errors = ErrorCode::ALL.map(|code| (code.name(), self.errors(code)));
        let faults = Fault::ALL.map(|fault| (fault.name(), self.faults(fault)));
        let all = errors.into_iter().chain(faults);
        all.filter(|(_, count)| *count > 0)
    }

    pub(super) const fn count(&mut self, fault: Fault) {
        let counter = &mut self.faults[fault as usize];
        *counter = counter.wrapping_add(1);
    }
}
