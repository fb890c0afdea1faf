//! `match` on constants.

use ruff_python_ast::{Expr, MatchCase, Pattern, StmtMatch};
use ruff_text_size::Ranged;

use super::expression::Value;
use super::literal::with_article;
use super::scope::either;
use super::{Checked, Checker};
use crate::program::{Binary, Expression, Statement, StatementKind};
use crate::types::Type;

impl<'a> Checker<'a> {
    pub(super) fn matching(
        &mut self,
        node: &'a StmtMatch,
        out: &mut Vec<Statement>,
    ) -> Checked<()> {
        let (of, subject) = self.scalar(&node.subject, None)?;
        // The subject is evaluated once.
        let local = self.local(of);
        let at = self.make(&*node.subject, StatementKind::Assign(local, subject));
        let mut read = Vec::new();
        let mut after = None;
        let mut result = Ok(());
        let mut complete = false;
        for case in &node.cases {
            if complete {
                return Err(self.fail(case, "this case is never reached", "put case _ last"));
            }
            let condition = self.case_condition(case, of, local);
            complete = matches!(condition, Ok(None));
            let before = self.frame().assigned.clone();
            let body = self.statements(&case.body);
            let at_end = std::mem::replace(&mut self.frame().assigned, before);
            after = either(after, at_end);
            if complete {
                self.frame().assigned = None;
            }
            match condition {
                Ok(condition) => read.push((condition, body, case.range())),
                Err(reported) => result = Err(reported),
            }
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
        out.push(at);
        out.append(&mut otherwise);
        Ok(())
    }

    /// Whether the subject is one of the case's constants, and its `if` holds; `None` if it always is.
    fn case_condition(
        &mut self,
        case: &'a MatchCase,
        of: Type,
        subject: usize,
    ) -> Checked<Option<Expression>> {
        let pattern = self.pattern(&case.pattern, of, subject)?;
        let Some(guard) = &case.guard else {
            return Ok(pattern);
        };
        let guard = self.condition(guard)?;
        Ok(Some(match pattern {
            None => guard,
            Some(pattern) => Expression::And(Box::new(pattern), Box::new(guard)),
        }))
    }

    fn pattern(
        &mut self,
        pattern: &'a Pattern,
        of: Type,
        subject: usize,
    ) -> Checked<Option<Expression>> {
        let instead = "write case with a constant, such as 1, Side.BUY, or 1 | 2, or case _";
        match pattern {
            Pattern::MatchAs(wild) if wild.pattern.is_none() && wild.name.is_none() => Ok(None),
            Pattern::MatchValue(value) => self.pattern_value(&value.value, of, subject).map(Some),
            Pattern::MatchSingleton(singleton) if of == Type::Bool => {
                let wanted = match singleton.value {
                    ruff_python_ast::Singleton::True => 1,
                    ruff_python_ast::Singleton::False => 0,
                    ruff_python_ast::Singleton::None => {
                        return Err(self.fail(pattern, "there is no None", instead));
                    }
                };
                Ok(Some(equal(subject, wanted)))
            }
            Pattern::MatchOr(all) => {
                let mut any: Option<Expression> = None;
                for pattern in &all.patterns {
                    let Some(one) = self.pattern(pattern, of, subject)? else {
                        return Err(self.fail(
                            pattern,
                            "_ beside other patterns",
                            "write case _ alone",
                        ));
                    };
                    any = Some(match any {
                        None => one,
                        Some(before) => Expression::Or(Box::new(before), Box::new(one)),
                    });
                }
                Ok(any)
            }
            other => Err(self.fail(other, "this pattern is not in the language", instead)),
        }
    }

    fn pattern_value(&mut self, node: &'a Expr, of: Type, subject: usize) -> Checked<Expression> {
        let wanted = match self.constant(node) {
            Some(literal) => self.convert(node, literal?, of)?,
            None => match self.value(node)? {
                Value::Scalar(found, Expression::Constant(value)) if found == of => value,
                Value::Scalar(found, Expression::Constant(_)) => {
                    let reason = format!(
                        "{} is matched with {}",
                        with_article(of),
                        with_article(found)
                    );
                    return Err(self.fail(node, reason, "write constants of the same type"));
                }
                _ => {
                    return Err(self.fail(
                        node,
                        "not a constant",
                        "write if and elif with comparisons",
                    ));
                }
            },
        };
        Ok(equal(subject, wanted))
    }
}

fn equal(local: usize, wanted: i64) -> Expression {
    Expression::Binary(
        Binary::Equal,
        Box::new(Expression::Local(local)),
        Box::new(Expression::Constant(wanted)),
    )
}
