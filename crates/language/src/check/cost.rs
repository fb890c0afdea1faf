//! What a handler costs at most: how many statements and operators it runs, and how many records it emits.

use crate::program::{Expression, Field, Handler, OfRing, Shape, Statement, StatementKind};

/// The most records of a handler.
const RECORDS: u64 = 1 << 16;

#[derive(Clone, Copy, Default)]
struct Cost {
    operations: u64,
    records: u64,
}

impl Cost {
    const ONE: Cost = Cost {
        operations: 1,
        records: 0,
    };

    fn and(self, other: Cost) -> Cost {
        Cost {
            operations: self.operations.saturating_add(other.operations),
            records: self.records.saturating_add(other.records),
        }
    }

    /// Whichever happens.
    fn or(self, other: Cost) -> Cost {
        Cost {
            operations: self.operations.max(other.operations),
            records: self.records.max(other.records),
        }
    }

    fn times(self, count: u64) -> Cost {
        Cost {
            operations: self.operations.saturating_mul(count),
            records: self.records.saturating_mul(count),
        }
    }
}

/// Sets [`Handler::operations`] and [`Handler::records`]; returns whether there are too many records.
pub(super) fn measure(handler: &mut Handler, fields: &[Field]) -> bool {
    let cost = Walk(fields).statements(&handler.body);
    handler.operations = cost.operations;
    handler.records = cost.records.min(RECORDS) as usize;
    cost.records > RECORDS
}

/// A walk through a handler, with the fields of its program.
#[derive(Clone, Copy)]
struct Walk<'a>(&'a [Field]);

impl Walk<'_> {
    fn statements(self, list: &[Statement]) -> Cost {
        list.iter().fold(Cost::default(), |cost, one| {
            cost.and(self.statement(&one.kind))
        })
    }

    fn statement(self, kind: &StatementKind) -> Cost {
        let inside = match kind {
            StatementKind::Assign(_, value)
            | StatementKind::Write(_, value)
            | StatementKind::Push(_, value)
            | StatementKind::Cancel(value) => self.expression(value),
            StatementKind::WriteElement { index, value, .. } => {
                self.expression(index).and(self.expression(value))
            }
            StatementKind::ReadLevel { side, number, .. } => {
                self.expression(side).and(self.expression(number))
            }
            StatementKind::If {
                condition,
                then,
                otherwise,
            } => self
                .expression(condition)
                .and(self.statements(then).or(self.statements(otherwise))),
            StatementKind::Loop { count, body, .. } => {
                self.statements(body).and(Cost::ONE).times(*count)
            }
            StatementKind::Block(_, body) => return self.statements(body),
            StatementKind::Leave(_) => Cost::default(),
            StatementKind::New {
                instrument,
                price,
                quantity,
                ..
            } => {
                let limit = price
                    .as_ref()
                    .map(|price| self.expression(price))
                    .unwrap_or_default();
                self.expression(instrument)
                    .and(limit)
                    .and(self.expression(quantity))
            }
            StatementKind::Replace {
                order,
                price,
                quantity,
            } => self
                .expression(order)
                .and(self.expression(price))
                .and(self.expression(quantity)),
            StatementKind::Emit(_, values) => values.iter().fold(
                Cost {
                    operations: 0,
                    records: 1,
                },
                |cost, value| cost.and(self.expression(value)),
            ),
        };
        inside.and(Cost::ONE)
    }

    fn expression(self, node: &Expression) -> Cost {
        match node {
            Expression::Constant(_)
            | Expression::Input(_)
            | Expression::Parameter(_)
            | Expression::Local(_)
            | Expression::Field(_) => Cost::default(),
            Expression::Ring(field, OfRing::Minimum | OfRing::Maximum) => {
                match self.0[*field].shape {
                    // All values are looked at.
                    Shape::Ring(length) => Cost::ONE.times(length as u64),
                    _ => Cost::ONE,
                }
            }
            Expression::Ring(..) => Cost::ONE,
            Expression::Element(_, a) | Expression::PositionIn(a) | Expression::Unary(_, a) => {
                self.expression(a).and(Cost::ONE)
            }
            Expression::Binary(_, a, b) | Expression::And(a, b) | Expression::Or(a, b) => {
                self.expression(a).and(self.expression(b)).and(Cost::ONE)
            }
            Expression::Select(condition, a, b) => self
                .expression(condition)
                .and(self.expression(a).or(self.expression(b)))
                .and(Cost::ONE),
            Expression::Block(body, _) => self.statements(body),
        }
    }
}
