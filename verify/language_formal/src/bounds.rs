//! What a program can give at most: so much the cover points ask for.

use language::event::INTENTS;
use language::program::{Expression, Program, Shape, Statement, StatementKind};

/// What there is to reach.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bounds {
    /// Intents of one handler.
    pub intents: usize,
    /// A handler may have a fault.
    pub faults: bool,
    /// A handler may change the state.
    pub changes: bool,
}

/// Of the handlers together.
pub fn bounds(program: &Program) -> Bounds {
    let mut all = Bounds::default();
    for handler in program.handlers() {
        let intents = intents(&handler.body);
        all.faults |= intents > INTENTS;
        all.intents = all.intents.max(intents.min(INTENTS));
        walk(&handler.body, &mut |statement| {
            let changed = matches!(
                statement.kind,
                StatementKind::Write(..)
                    | StatementKind::WriteElement { .. }
                    | StatementKind::Push(..)
            );
            let ring = |field: usize| matches!(program.fields[field].shape, Shape::Ring(_));
            all.changes |= changed;
            all.faults |= reads(statement).iter().any(|value| faults(value, &ring));
        });
    }
    all
}

/// Intents on the way with most of them.
fn intents(body: &[Statement]) -> usize {
    let of = |statement: &Statement| {
        let values: usize = reads(statement).into_iter().map(in_value).sum();
        values + own(statement)
    };
    body.iter().map(of).sum()
}

/// Of a statement, without those of the values that it works out.
fn own(statement: &Statement) -> usize {
    match &statement.kind {
        StatementKind::New { .. } | StatementKind::Cancel(_) | StatementKind::Replace { .. } => 1,
        StatementKind::If {
            then, otherwise, ..
        } => intents(then).max(intents(otherwise)),
        StatementKind::Loop { count, body, .. } => *count as usize * intents(body),
        StatementKind::Block(_, body) => intents(body),
        _ => 0,
    }
}

/// Of a value: an order may be asked for where its number is wanted.
fn in_value(value: &Expression) -> usize {
    match value {
        Expression::Block(statements, _) => intents(statements),
        Expression::Unary(_, a) | Expression::Element(_, a) | Expression::PositionIn(a) => {
            in_value(a)
        }
        Expression::Binary(_, a, b) | Expression::And(a, b) | Expression::Or(a, b) => {
            in_value(a) + in_value(b)
        }
        Expression::Select(a, b, c) => in_value(a) + in_value(b).max(in_value(c)),
        _ => 0,
    }
}

fn walk(body: &[Statement], each: &mut dyn FnMut(&Statement)) {
    for statement in body {
        each(statement);
        match &statement.kind {
            StatementKind::If {
                then, otherwise, ..
            } => {
                walk(then, each);
                walk(otherwise, each);
            }
            StatementKind::Loop { body, .. } | StatementKind::Block(_, body) => walk(body, each),
            _ => {}
        }
    }
}

/// The values that a statement works out itself.
fn reads(statement: &Statement) -> Vec<&Expression> {
    match &statement.kind {
        StatementKind::Assign(_, value)
        | StatementKind::Write(_, value)
        | StatementKind::Push(_, value)
        | StatementKind::Cancel(value) => vec![value],
        StatementKind::WriteElement { index, value, .. } => vec![index, value],
        StatementKind::If { condition, .. } => vec![condition],
        StatementKind::New {
            instrument,
            price,
            quantity,
            ..
        } => [instrument, quantity].into_iter().chain(price).collect(),
        StatementKind::Replace {
            order,
            price,
            quantity,
        } => vec![order, price, quantity],
        StatementKind::Emit(_, values) => values.iter().collect(),
        _ => Vec::new(),
    }
}

/// Whether a value may be an index where there is nothing.
fn faults(value: &Expression, ring: &dyn Fn(usize) -> bool) -> bool {
    match value {
        Expression::Element(field, index) => {
            ring(*field) || !matches!(**index, Expression::Constant(_))
        }
        Expression::PositionIn(_) => true,
        Expression::Unary(_, a) => faults(a, ring),
        Expression::Binary(_, a, b) | Expression::And(a, b) | Expression::Or(a, b) => {
            faults(a, ring) || faults(b, ring)
        }
        Expression::Select(a, b, c) => [a, b, c].iter().any(|value| faults(value, ring)),
        _ => false,
    }
}
