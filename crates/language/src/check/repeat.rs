//! `for`, which has bounds that are known.

use ruff_python_ast::{Expr, StmtFor};
use ruff_text_size::Ranged;

use super::names::is_whole;
use super::scope::Binding;
use super::{Checked, Checker};
use crate::program::{Expression, Statement, StatementKind};
use crate::types::Type;

impl<'a> Checker<'a> {
    pub(super) fn repeat(&mut self, node: &'a StmtFor, out: &mut Vec<Statement>) -> Checked<()> {
        if let Some(first) = node.orelse.first() {
            return Err(self.fail(
                first,
                "else after for is not in the language",
                "write what it does after the loop",
            ));
        }
        let Expr::Name(name) = &*node.target else {
            return Err(self.fail(&*node.target, "not a name", "write for i in range(…)"));
        };
        let name_text = name.id.as_str();
        self.local_name(name_text, name)?;
        let (of, from, step, count) = self.iterated(&node.iter)?;
        let local = match self.frame().names.get(name_text).copied() {
            Some(Binding::Scalar(local, held, _)) if held == of => local,
            Some(Binding::Scalar(_, held, _)) => {
                return Err(self.other_type(name_text, name, held, of));
            }
            Some(Binding::Level(_) | Binding::Object(_)) => {
                return Err(self.fail(
                    name,
                    format!("{name_text} has another use"),
                    "take another name",
                ));
            }
            Some(Binding::Wrong) | None => self.local(of),
        };
        let before = self.frame().assigned.clone();
        self.bind(name_text, Binding::Scalar(local, of, name.range()));
        let (after, next) = (self.label(), self.label());
        self.frame().loops.push((after, next));
        let body = self.statements(&node.body);
        let frame = self.frame();
        frame.loops.pop();
        // The body may not run at all.
        frame.assigned = before;
        let body = vec![self.make(node, StatementKind::Block(next, body))];
        let repeat = StatementKind::Loop {
            local,
            from,
            step,
            count,
            body,
        };
        let repeat = vec![self.make(node, repeat)];
        out.push(self.make(node, StatementKind::Block(after, repeat)));
        Ok(())
    }

    /// What a `for` goes through: type, first value, step, count.
    fn iterated(&mut self, node: &'a Expr) -> Checked<(Type, i64, i64, u64)> {
        if let Expr::Name(name) = node
            && name.id.as_str() == "instruments"
        {
            self.needs_import(node, "instruments");
            return Ok((Type::Instrument, 0, 1, self.options.instruments as u64));
        }
        let Expr::Call(call) = node else {
            return Err(self.fail(
                node,
                "this is not gone through",
                "write for i in range(…), or for instrument in instruments",
            ));
        };
        if !matches!(&*call.func, Expr::Name(name) if name.id.as_str() == "range")
            || !call.arguments.keywords.is_empty()
        {
            return Err(self.fail(
                node,
                "this is not gone through",
                "write for i in range(…), or for instrument in instruments",
            ));
        }
        let mut bounds = Vec::new();
        for argument in &*call.arguments.args {
            bounds.push(self.bound(argument)?);
        }
        let (from, to, step) = match bounds[..] {
            [to] => (0, to, 1),
            [from, to] => (from, to, 1),
            [from, to, step] if step != 0 => (from, to, step),
            _ => {
                return Err(self.fail(
                    node,
                    "not a range",
                    "write range(end), range(begin, end) or range(begin, end, step)",
                ));
            }
        };
        let (distance, stride) = if step > 0 {
            (to - from, step)
        } else {
            (from - to, -step)
        };
        let count = if distance > 0 {
            (distance + stride - 1) / stride
        } else {
            0
        };
        Ok((Type::Int, from as i64, step as i64, count as u64))
    }

    /// A bound of a range: within 2^31, so that nothing of it overflows.
    fn bound(&mut self, node: &'a Expr) -> Checked<i128> {
        let value = match self.constant(node) {
            Some(literal) => literal.map(|literal| is_whole(&literal).then_some(literal.value))?,
            None => match self.scalar(node, Some(Type::Int))? {
                (_, Expression::Constant(value)) => Some(value.into()),
                _ => None,
            },
        };
        match value {
            Some(value) if value.unsigned_abs() <= 1 << 31 => Ok(value),
            Some(_) => Err(self.fail(node, "a bound beyond 2^31", "write a shorter loop")),
            None => Err(self.fail(
                node,
                "a bound that is not constant",
                "write the largest one, and break where the loop ends earlier",
            )),
        }
    }
}
