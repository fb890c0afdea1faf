//! What a handler costs at most: how many statements and operators it runs, and how many records it emits.

use crate::program::{Expression, Handler, Statement, StatementKind};

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
pub(super) fn measure(handler: &mut Handler) -> bool {
    let cost = statements(&handler.body);
    handler.operations = cost.operations;
    handler.records = cost.records.min(RECORDS) as usize;
    cost.records > RECORDS
}

fn statements(list: &[Statement]) -> Cost {
    list.iter()
        .fold(Cost::default(), |cost, one| cost.and(statement(&one.kind)))
}

fn statement(kind: &StatementKind) -> Cost {
    let inside = match kind {
        StatementKind::Assign(_, value)
        | StatementKind::Write(_, value)
        | StatementKind::Push(_, value)
        | StatementKind::Cancel(value) => expression(value),
        StatementKind::WriteElement { index, value, .. } => {
            expression(index).and(expression(value))
        }
        StatementKind::ReadLevel { side, number, .. } => expression(side).and(expression(number)),
        StatementKind::If {
            condition,
            then,
            otherwise,
        } => expression(condition).and(statements(then).or(statements(otherwise))),
        StatementKind::Loop { count, body, .. } => statements(body).and(Cost::ONE).times(*count),
        StatementKind::Block(_, body) => return statements(body),
        StatementKind::Leave(_) => Cost::default(),
        StatementKind::New {
            instrument,
            price,
            quantity,
            ..
        } => {
            let limit = price.as_ref().map(expression).unwrap_or_default();
            expression(instrument).and(limit).and(expression(quantity))
        }
        StatementKind::Replace {
            order,
            price,
            quantity,
        } => expression(order)
            .and(expression(price))
            .and(expression(quantity)),
        StatementKind::Emit(_, values) => values.iter().fold(
            Cost {
                operations: 0,
                records: 1,
            },
            |cost, value| cost.and(expression(value)),
        ),
    };
    inside.and(Cost::ONE)
}

fn expression(node: &Expression) -> Cost {
    match node {
        Expression::Constant(_)
        | Expression::Input(_)
        | Expression::Parameter(_)
        | Expression::Local(_)
        | Expression::Field(_) => Cost::default(),
        Expression::Ring(..) => Cost::ONE,
        Expression::Element(_, a) | Expression::PositionIn(a) | Expression::Unary(_, a) => {
            expression(a).and(Cost::ONE)
        }
        Expression::Binary(_, a, b) | Expression::And(a, b) | Expression::Or(a, b) => {
            expression(a).and(expression(b)).and(Cost::ONE)
        }
        Expression::Select(condition, a, b) => expression(condition)
            .and(expression(a).or(expression(b)))
            .and(Cost::ONE),
        Expression::Block(body, _) => statements(body),
    }
}
