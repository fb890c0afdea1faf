//! Statements of a method.

use ruff_python_ast::{
    Expr, Stmt, StmtAnnAssign, StmtAssign, StmtAugAssign, StmtFor, StmtIf, StmtReturn,
};
use ruff_text_size::Ranged;

use super::expression::{Level, Value};
use super::literal::with_article;
use super::names::is_whole;
use super::scope::{Binding, Gives, Object, either};
use super::{Checked, Checker, Member, Reported};
use crate::program::{Expression, Local, Position, Shape, Statement, StatementKind};
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

    fn assign(&mut self, node: &'a StmtAssign, out: &mut Vec<Statement>) -> Checked<()> {
        let [target] = node.targets.as_slice() else {
            return Err(self.fail(
                node,
                "several targets of one assignment",
                "write an assignment for each",
            ));
        };
        match target {
            Expr::Name(name) => self.assign_name(name.id.as_str(), target, &node.value, None, out),
            Expr::Attribute(_) => {
                let field = self.scalar_field(target)?;
                let (_, value) = self.scalar(&node.value, Some(self.fields[field].of))?;
                out.push(self.make(node, StatementKind::Write(field, value)));
                Ok(())
            }
            Expr::Subscript(subscript) => {
                let field = self.container(&subscript.value)?;
                self.not_a_ring(field, target)?;
                let (_, value) = self.scalar(&node.value, Some(self.fields[field].of))?;
                let index = self.index(field, &subscript.slice)?;
                out.push(self.make(
                    node,
                    StatementKind::WriteElement {
                        field,
                        index,
                        value,
                    },
                ));
                Ok(())
            }
            Expr::Tuple(_) | Expr::List(_) => Err(self.fail(
                target,
                "several targets of one assignment",
                "write an assignment for each",
            )),
            other => Err(self.fail(
                other,
                "this cannot be assigned",
                "assign a name, self.field or self.field[…]",
            )),
        }
    }

    fn annotated(&mut self, node: &'a StmtAnnAssign, out: &mut Vec<Statement>) -> Checked<()> {
        let Expr::Name(name) = &*node.target else {
            return Err(self.fail(
                &*node.target,
                "a type in a method, not of a name",
                "declare fields in the class",
            ));
        };
        let of = self.annotation(&node.annotation)?;
        let Some(value) = &node.value else {
            return Err(self.fail(
                node,
                "a name without a value",
                format!("write {}: {of} = …", name.id),
            ));
        };
        self.assign_name(name.id.as_str(), &node.target, value, Some(of), out)
    }

    /// A local name gets a value. Its type is what it holds first.
    fn assign_name(
        &mut self,
        name: &'a str,
        target: &'a Expr,
        value: &'a Expr,
        annotated: Option<Type>,
        out: &mut Vec<Statement>,
    ) -> Checked<()> {
        self.local_name(name, target)?;
        let before = self.frame().names.get(name).copied();
        let held = match before {
            Some(Binding::Scalar(_, of, _)) => Some(of),
            _ => None,
        };
        if let (Some(held), Some(annotated)) = (held, annotated)
            && held != annotated
        {
            return Err(self.other_type(name, target, held, annotated));
        }
        let result = self.assign_value(name, target, value, annotated, before, out);
        if result.is_err() && before.is_none() {
            self.bind(name, Binding::Wrong);
        }
        result
    }

    fn assign_value(
        &mut self,
        name: &'a str,
        target: &'a Expr,
        node: &'a Expr,
        annotated: Option<Type>,
        before: Option<Binding>,
        out: &mut Vec<Statement>,
    ) -> Checked<()> {
        let value = self.value(node)?;
        match (value, before) {
            (_, Some(Binding::Wrong)) => {
                self.bind(name, Binding::Wrong);
                Ok(())
            }
            (_, Some(Binding::Object(_))) => Err(self.fail(
                target,
                format!("{name} has another use"),
                "take another name",
            )),
            (Value::Level(level), None) if annotated.is_none() => {
                let at = self.at(target);
                let locals = self.keep_level(level, at, out);
                self.bind(name, Binding::Level(locals));
                Ok(())
            }
            (Value::Level(level), Some(Binding::Level(locals))) => {
                let at = self.at(target);
                self.read_level(level, locals, at, out);
                self.bind(name, Binding::Level(locals));
                Ok(())
            }
            (_, Some(Binding::Level(_))) => {
                Err(self.fail(target, format!("{name} holds a level"), "take another name"))
            }
            (value, Some(Binding::Scalar(local, of, range))) => {
                if let (Value::Literal(_), None, true) = (&value, annotated, of != Type::Int) {
                    let instead = format!("write {name} = {of}({})", self.text(node));
                    return Err(self.fail(
                        node,
                        format!(
                            "{name} holds {}, and this number has no unit",
                            with_article(of)
                        ),
                        instead,
                    ));
                }
                let (found, value) = self.as_scalar(node, value, annotated)?;
                if found != of {
                    return Err(self.other_type(name, target, of, found));
                }
                out.push(self.make(target, StatementKind::Assign(local, value)));
                self.bind(name, Binding::Scalar(local, of, range));
                Ok(())
            }
            (value, None) => {
                let (of, value) = self.as_scalar(node, value, annotated)?;
                let local = self.local(of);
                out.push(self.make(target, StatementKind::Assign(local, value)));
                self.bind(name, Binding::Scalar(local, of, target.range()));
                Ok(())
            }
        }
    }

    fn other_type(&mut self, name: &str, node: &impl Ranged, held: Type, found: Type) -> Reported {
        let reason = format!(
            "{name} holds {}, and this is {}",
            with_article(held),
            with_article(found)
        );
        let instead = if held == Type::Int {
            format!("write its first assignment as {name}: {found} = …, or take another name")
        } else {
            "take another name".to_owned()
        };
        self.fail(node, reason, instead)
    }

    fn local_name(&mut self, name: &'a str, node: &impl Ranged) -> Checked<()> {
        if let Err(instead) = self.free_name(name) {
            return Err(self.fail(node, format!("{name} is a name of the language"), instead));
        }
        if self.constants.contains_key(name) {
            return Err(self.fail(
                node,
                format!("{name} is a constant of the file"),
                "take another name",
            ));
        }
        Ok(())
    }

    /// `a += b`: the target is read, then `b`, then the target is written.
    fn augmented(&mut self, node: &'a StmtAugAssign, out: &mut Vec<Statement>) -> Checked<()> {
        let kind = match &*node.target {
            Expr::Name(name) => {
                let held = self.value(&node.target)?;
                let (of, value) = self.operation_with(node, held, node.op, &node.value)?;
                match self.frame().names.get(name.id.as_str()).copied() {
                    Some(Binding::Scalar(local, held, _)) if held == of => {
                        StatementKind::Assign(local, value)
                    }
                    Some(Binding::Scalar(_, held, _)) => {
                        return Err(self.other_type(name.id.as_str(), node, held, of));
                    }
                    _ => {
                        return Err(self.fail(
                            node,
                            format!("{} is no name of a value", name.id),
                            "assign it first",
                        ));
                    }
                }
            }
            Expr::Attribute(_) => {
                let field = self.scalar_field(&node.target)?;
                let held = Value::Scalar(self.fields[field].of, Expression::Field(field));
                let (of, value) = self.operation_with(node, held, node.op, &node.value)?;
                self.same_as_field(node, field, of)?;
                StatementKind::Write(field, value)
            }
            Expr::Subscript(subscript) => {
                let field = self.container(&subscript.value)?;
                self.not_a_ring(field, &*node.target)?;
                let index = self.index(field, &subscript.slice)?;
                let kept = self.local(Type::Int);
                out.push(self.make(node, StatementKind::Assign(kept, index)));
                let element = Expression::Element(field, Box::new(Expression::Local(kept)));
                let held = Value::Scalar(self.fields[field].of, element);
                let (of, value) = self.operation_with(node, held, node.op, &node.value)?;
                self.same_as_field(node, field, of)?;
                StatementKind::WriteElement {
                    field,
                    index: Expression::Local(kept),
                    value,
                }
            }
            other => {
                return Err(self.fail(
                    other,
                    "this cannot be assigned",
                    "assign a name, self.field or self.field[…]",
                ));
            }
        };
        out.push(self.make(node, kind));
        Ok(())
    }

    fn same_as_field(&mut self, node: &impl Ranged, field: usize, of: Type) -> Checked<()> {
        let held = self.fields[field].of;
        if held == of {
            return Ok(());
        }
        let reason = format!(
            "self.{} holds {}, and this is {}",
            self.fields[field].name,
            with_article(held),
            with_article(of)
        );
        Err(self.fail(node, reason, "use another field, or another operator"))
    }

    /// The scalar field that `self.name` is.
    fn scalar_field(&mut self, node: &'a Expr) -> Checked<usize> {
        let Expr::Attribute(attribute) = node else {
            return Err(Reported);
        };
        let base = self.value(&attribute.value)?;
        let name = attribute.attr.as_str();
        if !matches!(base, Value::Object(Object::Strategy)) {
            return Err(self.fail(
                node,
                "only the strategy's own fields are assigned",
                "keep it in a field or a local name",
            ));
        }
        match self.members.get(name).copied() {
            Some(Member::Field(field)) if self.fields[field].shape == Shape::Scalar => Ok(field),
            Some(Member::Field(field)) => {
                let instead = match self.fields[field].shape {
                    Shape::Ring(_) => format!("write self.{name}.push(…)"),
                    _ => format!("write self.{name}[…] = …"),
                };
                Err(self.fail(node, format!("{name} holds many values"), instead))
            }
            Some(Member::Parameter(_)) => Err(self.fail(
                node,
                format!("{name} is a parameter, which the host sets"),
                "keep what changes in a field with state(…)",
            )),
            Some(Member::Wrong) => Err(Reported),
            None => Err(self.fail(
                node,
                format!("{name} is not declared"),
                format!("write {name}: int = state(0) in the class"),
            )),
        }
    }

    fn not_a_ring(&mut self, field: usize, node: &impl Ranged) -> Checked<()> {
        let name = self.fields[field].name.clone();
        match self.fields[field].shape {
            Shape::Ring(_) => Err(self.fail(
                node,
                "a value of a ring is not replaced",
                format!("write self.{name}.push(…)"),
            )),
            _ => Ok(()),
        }
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

    fn repeat(&mut self, node: &'a StmtFor, out: &mut Vec<Statement>) -> Checked<()> {
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

    fn read_level(
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
