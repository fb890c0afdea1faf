//! Statements of a method.

use ruff_python_ast::{Expr, Stmt, StmtIf, StmtReturn};
use ruff_text_size::Ranged;

use super::expression::{Level, Value};
use super::literal::with_article;
use super::scope::{Gives, either};
use super::{Checked, Checker, Reported};
use crate::program::{Expression, Local, Position, Statement, StatementKind};
use crate::types::Type;

/// How deep statements and expressions may be inside each other.
pub(super) const DEPTH: usize = 60;

impl<'a> Checker<'a> {
    pub(super) fn statements(&mut self, list: &'a [Stmt]) -> Vec<Statement> {
        let mut out = Vec::new();
        for statement in list {
            // A statement that is wrong has given its message; the others are read all the same.
            let _ = self.statement(statement, &mut out);
        }
        out
    }

    fn statement(&mut self, node: &'a Stmt, out: &mut Vec<Statement>) -> Checked<()> {
        self.count_statement(node)?;
        if self.body.depth >= DEPTH {
            return Err(self.fail(
                node,
                format!("more than {DEPTH} statements in each other"),
                "put the inner ones into a helper method",
            ));
        }
        self.body.depth += 1;
        let result = self.statement_inside(node, out);
        self.body.depth -= 1;
        result
    }

    fn statement_inside(&mut self, node: &'a Stmt, out: &mut Vec<Statement>) -> Checked<()> {
        match node {
            Stmt::Assign(assign) => self.assign(assign, out),
            Stmt::AnnAssign(assign) => self.annotated(assign, out),
            Stmt::AugAssign(assign) => self.augmented(assign, out),
            Stmt::If(choice) => self.choice(choice, out),
            Stmt::For(repeat) => self.repeat(repeat, out),
            Stmt::Match(choice) => self.matching(choice, out),
            Stmt::Return(end) => self.end(end, out),
            Stmt::Pass(_) => Ok(()),
            Stmt::Break(_) | Stmt::Continue(_) => {
                let Some((after, next)) = self.frame().loops.last().copied() else {
                    return Err(self.fail(
                        node,
                        "outside of every loop",
                        "write it inside a for, or return",
                    ));
                };
                let label = if node.is_break_stmt() { after } else { next };
                out.push(self.make(node, StatementKind::Leave(label)));
                self.nothing_follows();
                Ok(())
            }
            Stmt::Expr(alone) => self.alone(&alone.value, out),
            other => Err(self.not_in_the_language(other)),
        }
    }

    pub(super) fn make(&self, node: &impl Ranged, kind: StatementKind) -> Statement {
        Statement {
            at: self.at(node),
            kind,
        }
    }

    fn not_in_the_language(&mut self, node: &'a Stmt) -> Reported {
        let (what, instead) = match node {
            Stmt::While(_) => (
                "while",
                "write for i in range(…), with break where it ends early",
            ),
            Stmt::Try(_) => (
                "try",
                "leave it out: there are no exceptions, every operation has a value",
            ),
            Stmt::Raise(_) => ("raise", "return, and emit a record that says why"),
            Stmt::Assert(_) => ("assert", "write if, and emit a record that says why"),
            Stmt::With(_) => ("with", "leave it out"),
            Stmt::Delete(_) => ("del", "leave it out: a name lives until its method ends"),
            Stmt::Global(_) | Stmt::Nonlocal(_) => {
                ("global", "keep what lasts in a field: name: int = state(0)")
            }
            Stmt::Import(_) | Stmt::ImportFrom(_) => (
                "import inside a method",
                "import at the top, from tickwire alone",
            ),
            Stmt::FunctionDef(_) => (
                "a function inside a method",
                "make it a method of the class",
            ),
            Stmt::ClassDef(_) => ("a class inside a method", "leave it out"),
            _ => ("this statement", "leave it out"),
        };
        self.fail(node, format!("{what} is not in the language"), instead)
    }

    /// An expression whose value nobody takes: a call.
    fn alone(&mut self, node: &'a Expr, out: &mut Vec<Statement>) -> Checked<()> {
        if matches!(node, Expr::StringLiteral(_) | Expr::EllipsisLiteral(_)) {
            return Ok(());
        }
        match self.value(node)? {
            Value::Effect(statements) => out.extend(statements),
            Value::Scalar(_, Expression::Block(statements, _)) if node.is_call_expr() => {
                out.extend(statements)
            }
            _ => {
                return Err(self.fail(
                    node,
                    "nobody takes this value",
                    "assign it, or leave it out",
                ));
            }
        }
        Ok(())
    }

    fn choice(&mut self, node: &'a StmtIf, out: &mut Vec<Statement>) -> Checked<()> {
        let mut ways = vec![(Some(&*node.test), &node.body, node.range())];
        ways.extend(
            node.elif_else_clauses
                .iter()
                .map(|clause| (clause.test.as_ref(), &clause.body, clause.range())),
        );
        // The conditions are read in order, each with what holds before it; the statements are put together from the last one.
        let mut read = Vec::new();
        let mut after = None;
        let mut result = Ok(());
        for (test, body, range) in ways {
            let condition = match test {
                Some(test) => match self.condition(test) {
                    Ok(condition) => Some(condition),
                    Err(reported) => {
                        result = Err(reported);
                        Some(Expression::Constant(0))
                    }
                },
                None => None,
            };
            let before = self.frame().assigned.clone();
            let body = self.statements(body);
            let at_end = std::mem::replace(&mut self.frame().assigned, before);
            after = either(after, at_end);
            if condition.is_none() {
                self.frame().assigned = None;
            }
            read.push((condition, body, range));
        }
        let frame = self.frame();
        frame.assigned = either(after, frame.assigned.take());
        result?;
        let mut otherwise = Vec::new();
        for (condition, body, range) in read.into_iter().rev() {
            otherwise = match condition {
                None => body,
                Some(condition) => vec![self.make(
                    &range,
                    StatementKind::If {
                        condition,
                        then: body,
                        otherwise,
                    },
                )],
            };
        }
        out.append(&mut otherwise);
        Ok(())
    }

    fn end(&mut self, node: &'a StmtReturn, out: &mut Vec<Statement>) -> Checked<()> {
        let frame = self.frame();
        let (end, gives, returns, is_handler) =
            (frame.end, frame.gives, frame.returns, frame.is_handler);
        let value = node
            .value
            .as_deref()
            .filter(|value| !value.is_none_literal_expr());
        match value {
            None => self.frame().bare = true,
            Some(value) if is_handler => {
                self.nothing_follows();
                return Err(self.fail(value, "a handler gives nothing back", "write return alone"));
            }
            Some(value) => {
                let want = match gives {
                    Gives::Value(_, of) => Some(of),
                    _ => returns,
                };
                let given = self
                    .value(value)
                    .and_then(|given| self.returned(value, given, want, returns));
                match given {
                    Ok((of, expression)) => {
                        let local = match gives {
                            Gives::Value(local, _) => local,
                            _ => self.local(of),
                        };
                        self.frame().gives = Gives::Value(local, of);
                        out.push(self.make(node, StatementKind::Assign(local, expression)));
                    }
                    Err(reported) => {
                        self.frame().gives = Gives::Wrong;
                        self.nothing_follows();
                        return Err(reported);
                    }
                }
            }
        }
        out.push(self.make(node, StatementKind::Leave(end)));
        self.nothing_follows();
        Ok(())
    }

    /// The value of a `return`. A bare number gets a unit from the type after `->` alone, as under CPython.
    fn returned(
        &mut self,
        node: &'a Expr,
        given: Value,
        want: Option<Type>,
        declared: Option<Type>,
    ) -> Checked<(Type, Expression)> {
        if let (Value::Literal(_), Some(want), None) = (&given, want, declared)
            && want != Type::Int
        {
            let reason = format!(
                "{} was given back before, and this number has no unit",
                with_article(want)
            );
            return Err(self.fail(
                node,
                reason,
                format!(
                    "write -> {want} after the parameters, or {want}({})",
                    self.text(node)
                ),
            ));
        }
        self.as_scalar(node, given, want)
    }

    /// A level in locals of its own.
    pub(super) fn keep_level(
        &mut self,
        level: Level,
        at: Position,
        out: &mut Vec<Statement>,
    ) -> [Local; 3] {
        let locals = [
            self.local(Type::Price),
            self.local(Type::Quantity),
            self.local(Type::Int),
        ];
        self.read_level(level, locals, at, out);
        locals
    }

    pub(super) fn read_level(
        &mut self,
        level: Level,
        into: [Local; 3],
        at: Position,
        out: &mut Vec<Statement>,
    ) {
        match level {
            Level::Known(values) => {
                for (local, value) in into.into_iter().zip(values) {
                    out.push(Statement {
                        at,
                        kind: StatementKind::Assign(local, value),
                    });
                }
            }
            Level::Read(side, number) => out.push(Statement {
                at,
                kind: StatementKind::ReadLevel {
                    side: *side,
                    number: *number,
                    into,
                },
            }),
        }
    }
}
