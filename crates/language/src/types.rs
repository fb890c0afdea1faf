//! What a value is: a 64-bit integer with a unit, or a `bool`.

use std::fmt;

/// The unit of a value (STRATEGY.md, "Meaning"). Every value is a 64-bit integer in two's complement, whatever its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// A number without a unit.
    Int,
    /// 0 or 1.
    Bool,
    /// A price, in the smallest step of the instrument's scale.
    Price,
    /// A quantity, in shares or lots, as the feed gives it.
    Quantity,
    /// A time or a duration, in nanoseconds.
    Time,
    /// 0 is buy, 1 is sell, as in `formats::Side`.
    Side,
    /// The index of an instrument of the desk.
    Instrument,
    /// The number of an order of this strategy: 1 is its first. 0 is no order.
    OrderRef,
    /// What became of an order: [`crate::event::ReportKind`].
    ReportKind,
}

impl Type {
    /// The types that an annotation may name, in the order of the reference page.
    pub const ALL: [Type; 9] = [
        Type::Int,
        Type::Bool,
        Type::Price,
        Type::Quantity,
        Type::Time,
        Type::Side,
        Type::Instrument,
        Type::OrderRef,
        Type::ReportKind,
    ];

    /// Its name in a source file.
    pub const fn name(self) -> &'static str {
        match self {
            Type::Int => "int",
            Type::Bool => "bool",
            Type::Price => "Price",
            Type::Quantity => "Quantity",
            Type::Time => "Time",
            Type::Side => "Side",
            Type::Instrument => "Instrument",
            Type::OrderRef => "OrderRef",
            Type::ReportKind => "ReportKind",
        }
    }

    /// The type of that name.
    pub fn named(name: &str) -> Option<Type> {
        Type::ALL.into_iter().find(|of| of.name() == name)
    }

    /// Whether two of them are added, subtracted and ordered.
    pub const fn is_amount(self) -> bool {
        matches!(self, Type::Int | Type::Price | Type::Quantity | Type::Time)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_is_found_by_its_name() {
        for of in Type::ALL {
            assert_eq!(Type::named(of.name()), Some(of));
        }
        assert_eq!(Type::named("float"), None);
    }
}
