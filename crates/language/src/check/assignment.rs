//! Assignments: to local names, which are typed by what they hold first, and to fields.

use ruff_python_ast::{Expr, StmtAnnAssign, StmtAssign, StmtAugAssign};
use ruff_text_size::Ranged;

use super::expression::Value;
use super::literal::with_article;
use super::scope::{Binding, Object};
use super::{Checked, Checker, Member, Reported};
use crate::program::{Expression, Shape, Statement, StatementKind};
use crate::types::Type;

impl<'a> Checker<'a> {
    pub(super) fn assign(&mut self, node: &'a StmtAssign, out: &mut Vec<Statement>) -> Checked<()> {
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

    pub(super) fn annotated(
        &mut self,
        node: &'a StmtAnnAssign,
        out: &mut Vec<Statement>,
    ) -> Checked<()> {
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

    pub(super) fn other_type(
        &mut self,
        name: &str,
        node: &impl Ranged,
        held: Type,
        found: Type,
    ) -> Reported {
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

    pub(super) fn local_name(&mut self, name: &'a str, node: &impl Ranged) -> Checked<()> {
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
    pub(super) fn augmented(
        &mut self,
        node: &'a StmtAugAssign,
        out: &mut Vec<Statement>,
    ) -> Checked<()> {
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
}
