//! What is known of expressions and statements without running them.

use language::program::{Binary, Expression, Local, Statement, StatementKind};
use language::value;

use super::Lower;

/// Whether nothing happens by it but its value, and it takes no more than a few instructions: then it may be worked out where it is not needed.
pub(super) fn is_quiet(expression: &Expression) -> bool {
    size_of_quiet(expression).is_some_and(|size| size <= 4)
}

/// Instructions of an expression without faults, blocks and units.
fn size_of_quiet(expression: &Expression) -> Option<usize> {
    match expression {
        Expression::Constant(_)
        | Expression::Input(_)
        | Expression::Parameter(_)
        | Expression::Local(_)
        | Expression::Field(_) => Some(0),
        Expression::Unary(_, a) => Some(size_of_quiet(a)? + 1),
        Expression::Binary(operator, a, b) => {
            let size = match operator {
                Binary::Multiply
                | Binary::FloorDivide
                | Binary::Modulo
                | Binary::ShiftLeft
                | Binary::ShiftRight => return None,
                Binary::Minimum | Binary::Maximum => 2,
                _ => 1,
            };
            Some(size_of_quiet(a)? + size_of_quiet(b)? + size)
        }
        Expression::And(a, b) | Expression::Or(a, b) => {
            Some(size_of_quiet(a)? + size_of_quiet(b)? + 1)
        }
        Expression::Select(a, b, c) => {
            Some(size_of_quiet(a)? + size_of_quiet(b)? + size_of_quiet(c)? + 2)
        }
        _ => None,
    }
}

/// Whether there are statements in it, which may change what was read before.
pub(super) fn has_statements(expression: &Expression) -> bool {
    let mut found = false;
    each_expression(expression, &mut |inner| {
        found |= matches!(inner, Expression::Block(..));
    });
    found
}

/// An expression and all in it, but not in its statements.
fn each_expression(expression: &Expression, see: &mut impl FnMut(&Expression)) {
    see(expression);
    match expression {
        Expression::Element(_, a) | Expression::PositionIn(a) | Expression::Unary(_, a) => {
            each_expression(a, see);
        }
        Expression::Binary(_, a, b) | Expression::And(a, b) | Expression::Or(a, b) => {
            each_expression(a, see);
            each_expression(b, see);
        }
        Expression::Select(a, b, c) => {
            each_expression(a, see);
            each_expression(b, see);
            each_expression(c, see);
        }
        _ => {}
    }
}

/// All expressions of a statement, and its statements'.
pub(super) fn each_in(statements: &[Statement], see: &mut impl FnMut(Seen<'_>)) {
    for statement in statements {
        see(Seen::Statement(&statement.kind));
        match &statement.kind {
            StatementKind::Assign(_, a)
            | StatementKind::Write(_, a)
            | StatementKind::Push(_, a)
            | StatementKind::Cancel(a) => expression_in(a, see),
            StatementKind::WriteElement { index, value, .. } => {
                expression_in(value, see);
                expression_in(index, see);
            }
            StatementKind::ReadLevel { side, number, .. } => {
                expression_in(side, see);
                expression_in(number, see);
            }
            StatementKind::If {
                condition,
                then,
                otherwise,
            } => {
                expression_in(condition, see);
                each_in(then, see);
                each_in(otherwise, see);
            }
            StatementKind::Loop { body, .. } | StatementKind::Block(_, body) => each_in(body, see),
            StatementKind::Leave(_) => {}
            StatementKind::New {
                instrument,
                price,
                quantity,
                ..
            } => {
                expression_in(instrument, see);
                if let Some(price) = price {
                    expression_in(price, see);
                }
                expression_in(quantity, see);
            }
            StatementKind::Replace {
                order,
                price,
                quantity,
            } => {
                for expression in [order, price, quantity] {
                    expression_in(expression, see);
                }
            }
            StatementKind::Emit(_, values) => {
                for value in values {
                    expression_in(value, see);
                }
            }
        }
    }
}

/// Something that [`each_in`] comes by.
pub(super) enum Seen<'a> {
    /// A statement.
    Statement(&'a StatementKind),
    /// A local that is read.
    Read(Local),
    /// An operator that takes long.
    Long,
}

fn expression_in(expression: &Expression, see: &mut impl FnMut(Seen<'_>)) {
    let mut blocks = Vec::new();
    each_expression(expression, &mut |inner| match inner {
        Expression::Local(local) => see(Seen::Read(*local)),
        Expression::Block(statements, local) => {
            see(Seen::Read(*local));
            blocks.push(statements.clone());
        }
        Expression::Ring(..) | Expression::Binary(Binary::FloorDivide | Binary::Modulo, ..) => {
            see(Seen::Long);
        }
        _ => {}
    });
    for statements in blocks {
        each_in(&statements, see);
    }
}

/// Whether statements give a local a value.
fn assigns(statements: &[Statement], local: Local) -> bool {
    let mut found = false;
    each_in(statements, &mut |seen| {
        let Seen::Statement(kind) = seen else { return };
        found |= match kind {
            StatementKind::Assign(to, _) => *to == local,
            StatementKind::ReadLevel { into, .. } => into.contains(&local),
            StatementKind::Loop { local: to, .. } => *to == local,
            StatementKind::New { order, .. } => *order == local,
            _ => false,
        };
    });
    found
}

/// Whether the body of a loop stands there as often as it runs: its variable is a number in it then.
pub(super) fn is_repeated(local: Local, count: u64, body: &[Statement]) -> bool {
    let mut size = 1_u64;
    each_in(body, &mut |seen| {
        size += match seen {
            Seen::Statement(StatementKind::Loop { count, .. }) => 2 * count,
            Seen::Statement(_) => 3,
            Seen::Read(_) => 1,
            Seen::Long => 8,
        };
    });
    count <= 16 && count * size <= 160 && !assigns(body, local)
}

impl Lower<'_> {
    /// The value, if it is known here and is no fault.
    pub(super) fn known(&self, expression: &Expression) -> Option<i64> {
        match expression {
            Expression::Constant(value) => Some(*value),
            Expression::Local(local) => self.known.get(local).copied(),
            Expression::Unary(operator, a) => Some(value::unary(*operator, self.known(a)?)),
            Expression::Binary(operator, a, b) => {
                match value::binary(*operator, self.known(a)?, self.known(b)?) {
                    (value, false) => Some(value),
                    (_, true) => None,
                }
            }
            _ => None,
        }
    }
}
