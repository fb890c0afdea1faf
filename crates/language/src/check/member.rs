//! Names, members after a dot, and values by an index.

use ruff_python_ast::{Expr, ExprAttribute, ExprName, ExprSubscript};

use super::expression::{Level, Value};
use super::literal::with_article;
use super::names::{BUILT_IN, IMPORTS, INHERITED, duration, list, members, nearest, time_in_force};
use super::scope::{Binding, Object};
use super::{Checked, Checker, Member, Reported};
use crate::program::{Binary, Expression, Input, OfRing, Shape};
use crate::types::Type;

/// The members of a level.
const OF_LEVEL: [(&str, Type); 4] = [
    ("price", Type::Price),
    ("quantity", Type::Quantity),
    ("orders", Type::Int),
    ("exists", Type::Bool),
];

/// Members of what a handler is given.
const OF_BOOK: [(&str, Type, Input); 3] = [
    ("instrument", Type::Instrument, Input::Instrument),
    ("changed", Type::Bool, Input::Changed),
    ("tradable", Type::Bool, Input::Tradable),
];
const OF_TRADE: [(&str, Type, Input); 4] = [
    ("instrument", Type::Instrument, Input::Instrument),
    ("price", Type::Price, Input::Price),
    ("quantity", Type::Quantity, Input::Quantity),
    ("side", Type::Side, Input::Side),
];
const OF_REPORT: [(&str, Type, Input); 8] = [
    ("kind", Type::ReportKind, Input::Kind),
    ("order", Type::OrderRef, Input::Order),
    ("instrument", Type::Instrument, Input::Instrument),
    ("side", Type::Side, Input::Side),
    ("price", Type::Price, Input::Price),
    ("quantity", Type::Quantity, Input::Quantity),
    ("remaining", Type::Quantity, Input::Remaining),
    ("reason", Type::Int, Input::Reason),
];

impl<'a> Checker<'a> {
    pub(super) fn name(&mut self, node: &'a ExprName) -> Checked<Value> {
        let name = node.id.as_str();
        let frame = self.frame();
        let has_value = frame
            .assigned
            .as_ref()
            .is_none_or(|assigned| assigned.contains(name));
        match frame.names.get(name).copied() {
            Some(Binding::Wrong) => return Err(Reported),
            Some(_) if !has_value => {
                let instead = format!(
                    "assign {name} before the if, match or for that may leave it without one"
                );
                return Err(self.fail(node, format!("{name} may have no value here"), instead));
            }
            Some(Binding::Scalar(local, of, _)) => {
                return Ok(Value::Scalar(of, Expression::Local(local)));
            }
            Some(Binding::Level(locals)) => {
                return Ok(Value::Level(Level::Known(locals.map(Expression::Local))));
            }
            Some(Binding::Object(object)) => return Ok(Value::Object(object)),
            None => {}
        }
        if let Some(literal) = self.constants.get(name) {
            return Ok(Value::Literal(*literal));
        }
        let value = match name {
            "now" => Value::Scalar(Type::Time, Expression::Input(Input::Now)),
            "MARKET" => Value::Market,
            "instruments" => {
                return Err(self.fail(
                    node,
                    "instruments is not a value",
                    "write for instrument in instruments",
                ));
            }
            _ => match duration(name) {
                Some(ns) => Value::Scalar(Type::Time, Expression::Constant(ns)),
                None => return Err(self.unknown(node, name)),
            },
        };
        self.needs_import(node, name);
        Ok(value)
    }

    fn unknown(&mut self, node: &'a ExprName, name: &str) -> Reported {
        if self.members.contains_key(name) || self.methods.contains_key(name) {
            return self.fail(
                node,
                format!("{name} belongs to the strategy"),
                format!("write self.{name}"),
            );
        }
        if IMPORTS.contains(&name) || BUILT_IN.contains(&name) {
            return self.fail(
                node,
                format!("{name} is not a value"),
                format!("write {name}(…), or a member of it"),
            );
        }
        let near = nearest(
            name,
            self.frame()
                .names
                .keys()
                .copied()
                .chain(["now", "instruments"]),
        );
        let instead = near.map_or_else(
            || "assign it before".to_owned(),
            |near| format!("write {near}, or assign it before"),
        );
        self.fail(node, format!("{name} is not known"), instead)
    }

    pub(super) fn attribute(&mut self, node: &'a ExprAttribute) -> Checked<Value> {
        let member = node.attr.as_str();
        if let Expr::Name(name) = &*node.value
            && let Some((all, of)) = members(name.id.as_str())
            && !self.frame().names.contains_key(name.id.as_str())
        {
            let of_name = name.id.as_str();
            self.needs_import(node, of_name);
            return match (all.iter().find(|(name, _)| *name == member), of) {
                (Some((_, number)), Some(of)) => {
                    Ok(Value::Scalar(of, Expression::Constant(*number)))
                }
                (Some((_, number)), None) => Ok(Value::TimeInForce(time_in_force(*number))),
                (None, _) => {
                    let instead = format!("it has {}", list(all.iter().map(|(name, _)| *name)));
                    Err(self.fail(&node.attr, format!("{of_name} has no {member}"), instead))
                }
            };
        }
        match self.value(&node.value)? {
            Value::Object(Object::Strategy) => self.own(node, member),
            Value::Object(Object::Book) => match member {
                "bid" => Ok(best(Input::BidPrice, Input::BidQuantity, Input::BidOrders)),
                "ask" => Ok(best(Input::AskPrice, Input::AskQuantity, Input::AskOrders)),
                "level" => Err(self.fail(
                    node,
                    "level is a method",
                    "write book.level(Side.BUY, 0) for the best bid",
                )),
                _ => self.input(node, "a book", &OF_BOOK, &["bid", "ask", "level"]),
            },
            Value::Object(Object::Trade) => self.input(node, "a trade", &OF_TRADE, &[]),
            Value::Object(Object::Report) => self.input(node, "a report", &OF_REPORT, &[]),
            Value::Level(level) => self.of_level(node, level),
            Value::Container(field) => self.of_container(node, field),
            Value::Scalar(of, _) => Err(self.fail(
                &node.attr,
                format!("{} has no {member}", with_article(of)),
                "leave it out",
            )),
            _ => Err(self.fail(&node.attr, format!("this has no {member}"), "leave it out")),
        }
    }

    fn own(&mut self, node: &'a ExprAttribute, member: &'a str) -> Checked<Value> {
        match self.members.get(member).copied() {
            Some(Member::Field(field)) if self.fields[field].shape == Shape::Scalar => Ok(
                Value::Scalar(self.fields[field].of, Expression::Field(field)),
            ),
            Some(Member::Field(field)) => Ok(Value::Container(field)),
            Some(Member::Parameter(index)) => Ok(Value::Scalar(
                self.parameters[index].of,
                Expression::Parameter(index),
            )),
            Some(Member::Wrong) => Err(Reported),
            None if member == "open_orders" => Ok(Value::Scalar(
                Type::Int,
                Expression::Input(Input::OpenOrders),
            )),
            None if member == "now" => {
                Err(self.fail(node, "the time is not a member of self", "write now"))
            }
            None if self.methods.contains_key(member) || INHERITED.contains(&member) => Err(self
                .fail(
                    node,
                    format!("{member} is a method"),
                    format!("write self.{member}(…)"),
                )),
            None => {
                let near = nearest(
                    member,
                    self.members
                        .keys()
                        .copied()
                        .chain(self.methods.keys().copied())
                        .chain(INHERITED),
                );
                let instead = near.map_or_else(
                    || format!("declare {member}: int = state(0) in the class"),
                    |near| format!("write self.{near}"),
                );
                Err(self.fail(&node.attr, format!("the strategy has no {member}"), instead))
            }
        }
    }

    fn input(
        &mut self,
        node: &'a ExprAttribute,
        what: &str,
        all: &[(&'static str, Type, Input)],
        besides: &[&str],
    ) -> Checked<Value> {
        let member = node.attr.as_str();
        match all.iter().find(|(name, ..)| *name == member) {
            Some((_, of, input)) => Ok(Value::Scalar(*of, Expression::Input(*input))),
            None => {
                let names = all
                    .iter()
                    .map(|(name, ..)| *name)
                    .chain(besides.iter().copied());
                Err(self.fail(
                    &node.attr,
                    format!("{what} has no {member}"),
                    format!("it has {}", list(names)),
                ))
            }
        }
    }

    fn of_level(&mut self, node: &'a ExprAttribute, level: Level) -> Checked<Value> {
        let member = node.attr.as_str();
        let Some(index) = OF_LEVEL.iter().position(|(name, _)| *name == member) else {
            let instead = format!("it has {}", list(OF_LEVEL.map(|(name, _)| name)));
            return Err(self.fail(&node.attr, format!("a level has no {member}"), instead));
        };
        let of = OF_LEVEL[index].1;
        let exists = of == Type::Bool;
        let number = if exists { 2 } else { index };
        let value = match level {
            Level::Known(values) => {
                let [price, quantity, orders] = values;
                [price, quantity, orders]
                    .into_iter()
                    .nth(number)
                    .unwrap_or(Expression::Constant(0))
            }
            read @ Level::Read(..) => {
                let mut statements = Vec::new();
                let at = self.at(node);
                let into = self.keep_level(read, at, &mut statements);
                Expression::Block(statements, into[number])
            }
        };
        let value = if exists {
            Expression::Binary(
                Binary::NotEqual,
                Box::new(value),
                Box::new(Expression::Constant(0)),
            )
        } else {
            value
        };
        Ok(Value::Scalar(of, value))
    }

    fn of_container(&mut self, node: &'a ExprAttribute, field: usize) -> Checked<Value> {
        let Shape::Ring(_) = self.fields[field].shape else {
            return Err(self.fail(
                &node.attr,
                format!("this has no {}", node.attr),
                "write the index of one of its values in [ ]",
            ));
        };
        let of = self.fields[field].of;
        let (what, of) = match node.attr.as_str() {
            "count" => (OfRing::Count, Type::Int),
            "sum" => (OfRing::Sum, of),
            "minimum" => (OfRing::Minimum, of),
            "maximum" => (OfRing::Maximum, of),
            "push" => {
                return Err(self.fail(node, "push is a method", "write it with the value in ( )"));
            }
            other => {
                return Err(self.fail(
                    &node.attr,
                    format!("a ring has no {other}"),
                    "it has count, sum, minimum, maximum, push",
                ));
            }
        };
        let adds = matches!(what, OfRing::Sum | OfRing::Minimum | OfRing::Maximum);
        if adds && !of.is_amount() {
            return Err(self.fail(
                &node.attr,
                format!("values of type {of} have no {}", node.attr),
                "use a ring of numbers",
            ));
        }
        Ok(Value::Scalar(of, Expression::Ring(field, what)))
    }

    pub(super) fn subscript(&mut self, node: &'a ExprSubscript) -> Checked<Value> {
        let field = self.container(&node.value)?;
        let index = self.index(field, &node.slice)?;
        Ok(Value::Scalar(
            self.fields[field].of,
            Expression::Element(field, Box::new(index)),
        ))
    }

    /// The field whose values are reached by an index.
    pub(super) fn container(&mut self, node: &'a Expr) -> Checked<usize> {
        match self.value(node)? {
            Value::Container(field) => Ok(field),
            _ => Err(self.fail(
                node,
                "this holds one value",
                "leave the [ ] out, or declare it with array(…), ring(…) or per_instrument(…)",
            )),
        }
    }

    pub(super) fn index(&mut self, field: usize, node: &'a Expr) -> Checked<Expression> {
        let shape = self.fields[field].shape;
        let want = if shape == Shape::PerInstrument {
            Type::Instrument
        } else {
            Type::Int
        };
        let (_, index) = self.scalar(node, Some(want))?;
        if let (Expression::Constant(number), Shape::Array(length) | Shape::Ring(length)) =
            (&index, shape)
            && !usize::try_from(*number).is_ok_and(|number| number < length)
        {
            let reason = format!("no value has the index {number}: there are {length}");
            return Err(self.fail(node, reason, format!("write one from 0 to {}", length - 1)));
        }
        Ok(index)
    }
}

fn best(price: Input, quantity: Input, orders: Input) -> Value {
    Value::Level(Level::Known(
        [price, quantity, orders].map(Expression::Input),
    ))
}
