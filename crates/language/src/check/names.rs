//! The names of the package `tickwire`.

use super::literal::Literal;
use crate::program::TimeInForce;
use crate::types::Type;

/// What a file may import.
pub(super) const IMPORTS: [&str; 32] = [
    "Array",
    "Book",
    "HOUR",
    "Instrument",
    "Level",
    "MARKET",
    "MICROSECOND",
    "MILLISECOND",
    "MINUTE",
    "NANOSECOND",
    "OrderRef",
    "PerInstrument",
    "Price",
    "Quantity",
    "Report",
    "ReportKind",
    "Ring",
    "SECOND",
    "Side",
    "Strategy",
    "Time",
    "TimeInForce",
    "Trade",
    "array",
    "each_change",
    "instruments",
    "now",
    "param",
    "per_instrument",
    "ring",
    "state",
    "timer",
];

/// Python's own names that the language has.
pub(super) const BUILT_IN: [&str; 7] = ["abs", "bool", "int", "len", "max", "min", "range"];

/// What a strategy inherits: no field, parameter or helper has such a name.
pub(super) const INHERITED: [&str; 8] = [
    "buy",
    "sell",
    "cancel",
    "replace",
    "emit",
    "position",
    "open_orders",
    "every",
];

/// The handlers.
pub(super) const HANDLERS: [&str; 4] = ["on_book", "on_trade", "on_order", "on_timer"];

/// A constant of time, in ns.
pub(super) fn duration(name: &str) -> Option<i64> {
    Some(match name {
        "NANOSECOND" => 1,
        "MICROSECOND" => 1_000,
        "MILLISECOND" => 1_000_000,
        "SECOND" => 1_000_000_000,
        "MINUTE" => 60_000_000_000,
        "HOUR" => 3_600_000_000_000,
        _ => return None,
    })
}

/// Names and their numbers.
pub(super) type Members = &'static [(&'static str, i64)];

/// The members of `Side`, `ReportKind` and `TimeInForce`: their numbers.
pub(super) fn members(of: &str) -> Option<(Members, Option<Type>)> {
    Some(match of {
        "Side" => (&[("BUY", 0), ("SELL", 1)], Some(Type::Side)),
        "ReportKind" => (
            &[
                ("ACCEPTED", 0),
                ("FILLED", 1),
                ("CANCELLED", 2),
                ("REPLACED", 3),
                ("REJECTED", 4),
                ("REFUSED", 5),
            ],
            Some(Type::ReportKind),
        ),
        "TimeInForce" => (
            &[
                ("DAY", TimeInForce::Day as i64),
                ("GTC", TimeInForce::GoodTillCancel as i64),
                ("IOC", TimeInForce::ImmediateOrCancel as i64),
                ("FOK", TimeInForce::FillOrKill as i64),
            ],
            None,
        ),
        _ => return None,
    })
}

/// The time in force of that number.
pub(super) fn time_in_force(number: i64) -> TimeInForce {
    [
        TimeInForce::GoodTillCancel,
        TimeInForce::ImmediateOrCancel,
        TimeInForce::FillOrKill,
    ]
    .into_iter()
    .find(|of| *of as i64 == number)
    .unwrap_or_default()
}

/// Names, as a sentence has them.
pub(super) fn list(names: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let names: Vec<String> = names
        .into_iter()
        .map(|name| name.as_ref().to_owned())
        .collect();
    names.join(", ")
}

/// The name that was probably meant: one that differs in case alone, or in one character.
pub(super) fn nearest<'n>(name: &str, among: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let differences = |other: &str| {
        if name.eq_ignore_ascii_case(other) {
            return 0;
        }
        let (a, b): (Vec<char>, Vec<char>) = (name.chars().collect(), other.chars().collect());
        let same_start = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
        let same_end = a[same_start..]
            .iter()
            .rev()
            .zip(b[same_start..].iter().rev())
            .take_while(|(a, b)| a == b)
            .count();
        a.len().max(b.len()) - same_start - same_end
    };
    among
        .into_iter()
        .map(|other| (differences(other), other))
        .filter(|(count, _)| *count <= 2)
        .min()
        .map(|(_, other)| other)
}

/// Whether a literal is a whole number.
pub(super) fn is_whole(literal: &Literal) -> bool {
    literal.decimals == 0 && !literal.point
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_differs_in_little() {
        assert_eq!(nearest("side", IMPORTS), Some("Side"));
        assert_eq!(nearest("quantty", ["price", "quantity"]), Some("quantity"));
        assert_eq!(nearest("volume", ["price", "quantity"]), None);
    }
}
