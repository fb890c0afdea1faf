//! Numbers as they are written. A literal has no unit until its place gives it one.

use ruff_python_ast::{Expr, ExprNumberLiteral, Number, UnaryOp};
use ruff_text_size::Ranged;

use super::names::is_whole;
use super::{Checked, Checker};
use crate::types::Type;

/// A number as it is written: `value` × 10^-`decimals`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Literal {
    pub(super) value: i128,
    pub(super) decimals: u32,
    /// Whether it has a decimal point.
    pub(super) point: bool,
}

impl Literal {
    pub(super) const fn whole(value: i128) -> Self {
        Literal {
            value,
            decimals: 0,
            point: false,
        }
    }
}

/// Digits with a decimal point: `12.50`, `1_000.25`, `.5`, `5.`; nothing with an exponent.
fn decimal(text: &str) -> Option<Literal> {
    let digits = text.replace('_', "");
    let (before, after) = digits.split_once('.')?;
    let after = after.trim_end_matches('0');
    let value = format!("{before}{after}")
        .parse()
        .ok()
        .or((before.is_empty() && after.is_empty()).then_some(0))?;
    Some(Literal {
        value,
        decimals: u32::try_from(after.len()).ok()?,
        point: true,
    })
}

impl<'a> Checker<'a> {
    pub(super) fn literal(&mut self, node: &'a ExprNumberLiteral) -> Checked<Literal> {
        let whole = match &node.value {
            Number::Int(value) => value
                .to_string()
                .parse()
                .ok()
                .filter(|value| *value <= 1_i128 << 63)
                .map(Literal::whole),
            Number::Float(_) => {
                let range = node.range();
                let text = &self.source[range.start().to_usize()..range.end().to_usize()];
                return decimal(text).ok_or_else(|| {
                    self.fail(node, "a number with an exponent", "write all its digits")
                });
            }
            Number::Complex { .. } => {
                return Err(self.fail(
                    node,
                    "complex numbers are not in the language",
                    "write a whole number",
                ));
            }
        };
        whole.ok_or_else(|| {
            self.fail(
                node,
                "the number does not fit into 64 bits",
                "write one from -2^63 to 2^63 - 1",
            )
        })
    }

    /// The value of a literal in a place that wants this type.
    pub(super) fn convert(
        &mut self,
        node: &impl Ranged,
        literal: Literal,
        to: Type,
    ) -> Checked<i64> {
        let scaled = match to {
            Type::Price => {
                let decimals = self.options.price_decimals;
                if literal.decimals > decimals {
                    return Err(self.fail(
                        node,
                        format!(
                            "a price with {} decimals, and prices of this desk have {decimals}",
                            literal.decimals
                        ),
                        "round it, or give the desk's instruments more decimals",
                    ));
                }
                10_i128
                    .checked_pow(decimals - literal.decimals)
                    .and_then(|factor| literal.value.checked_mul(factor))
            }
            Type::Int | Type::Quantity | Type::Time if is_whole(&literal) => Some(literal.value),
            Type::Int | Type::Quantity | Type::Time => {
                let reason = format!(
                    "there are no floats: a number with a decimal point is a price, and this place wants {}",
                    with_article(to)
                );
                return Err(self.fail(
                    node,
                    reason,
                    "write a whole number, or Price(…) where a price is meant",
                ));
            }
            Type::OrderRef if literal == Literal::whole(0) => Some(0),
            Type::OrderRef => {
                return Err(self.fail(
                    node,
                    "an order is not named by a number",
                    "keep what self.buy(…) gives; 0 is no order",
                ));
            }
            Type::Instrument
                if is_whole(&literal)
                    && (0..self.options.instruments as i128).contains(&literal.value) =>
            {
                Some(literal.value)
            }
            Type::Instrument => {
                let reason = format!(
                    "there is no such instrument: this desk has {}, numbered from 0",
                    self.options.instruments
                );
                return Err(self.fail(
                    node,
                    reason,
                    "make it a parameter: instrument: Instrument = param()",
                ));
            }
            Type::Bool => {
                return Err(self.fail(
                    node,
                    "a number where a bool is wanted",
                    "write True or False, or a comparison",
                ));
            }
            Type::Side => {
                return Err(self.fail(
                    node,
                    "a number where a side is wanted",
                    "write Side.BUY or Side.SELL",
                ));
            }
            Type::ReportKind => {
                return Err(self.fail(
                    node,
                    "a number where a kind of report is wanted",
                    "write ReportKind.FILLED or another",
                ));
            }
        };
        let fits = scaled.and_then(|value| i64::try_from(value).ok());
        fits.ok_or_else(|| {
            self.fail(
                node,
                "the number does not fit into 64 bits",
                "write one from -2^63 to 2^63 - 1",
            )
        })
    }

    /// A number, perhaps with a minus, or the name of one: what a declaration and a pattern may have.
    pub(super) fn constant(&mut self, node: &'a Expr) -> Option<Checked<Literal>> {
        match node {
            Expr::NumberLiteral(number) => Some(self.literal(number)),
            Expr::UnaryOp(unary) if unary.op == UnaryOp::USub => {
                let inner = self.constant(&unary.operand)?;
                Some(inner.map(|inner| Literal {
                    value: -inner.value,
                    ..inner
                }))
            }
            Expr::Name(name) => self.constants.get(name.id.as_str()).copied().map(Ok),
            _ => None,
        }
    }
}

/// `a Price`, `an int`.
pub(super) fn with_article(of: Type) -> String {
    let article = if matches!(of, Type::Int | Type::Instrument | Type::OrderRef) {
        "an"
    } else {
        "a"
    };
    format!("{article} {of}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decimal_keeps_its_digits_exactly() {
        let of = |text| decimal(text).map(|literal| (literal.value, literal.decimals));
        assert_eq!(of("12.5"), Some((125, 1)));
        assert_eq!(of("0.10"), Some((1, 1)));
        assert_eq!(of("1_000.25"), Some((100_025, 2)));
        assert_eq!(of("5."), Some((5, 0)));
        assert_eq!(of(".5"), Some((5, 1)));
        assert_eq!(of("1e3"), None);
        assert_eq!(of("1.5e3"), None);
    }
}
