//! Expressions: what they give, and of which type.

use ruff_python_ast::{BoolOp, Expr, ExprAttribute, ExprBoolOp, ExprIf, ExprName, ExprSubscript};
use ruff_text_size::Ranged;

use super::literal::{Literal, with_article};
use super::names::{BUILT_IN, IMPORTS, duration, is_whole, list, members, nearest, time_in_force};
use super::scope::{Binding, Object};
use super::statement::DEPTH;
use super::{Checked, Checker, Member, Reported};
use crate::program::{
    Binary, Expression, Input, OfRing, Shape, Statement, StatementKind, TimeInForce,
};
use crate::types::Type;

/// What an expression of the source gives.
#[derive(Debug)]
pub(super) enum Value {
    Scalar(Type, Expression),
    /// A number whose unit its place decides.
    Literal(Literal),
    Level(Level),
    Object(Object),
    /// An array, a ring, or a value for each instrument.
    Container(usize),
    /// What a call does that gives no value.
    Effect(Vec<Statement>),
    /// In place of a price.
    Market,
    TimeInForce(TimeInForce),
}

/// A level of a book.
#[derive(Debug)]
pub(super) enum Level {
    /// Price, quantity, orders.
    Known([Expression; 3]),
    /// Side and number of what has to be read.
    Read(Box<Expression>, Box<Expression>),
}

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
    /// An expression of one value; a literal gets the type that is wanted, `int` without one.
    pub(super) fn scalar(
        &mut self,
        node: &'a Expr,
        want: Option<Type>,
    ) -> Checked<(Type, Expression)> {
        let value = self.value(node)?;
        self.as_scalar(node, value, want)
    }

    pub(super) fn as_scalar(
        &mut self,
        node: &impl Ranged,
        value: Value,
        want: Option<Type>,
    ) -> Checked<(Type, Expression)> {
        let what = match value {
            Value::Scalar(of, expression) => {
                return match want {
                    Some(want) if want != of => Err(self.mismatch(node, of, want)),
                    _ => Ok((of, expression)),
                };
            }
            Value::Literal(literal) => {
                let want = want.unwrap_or(Type::Int);
                return Ok((
                    want,
                    Expression::Constant(self.convert(node, literal, want)?),
                ));
            }
            Value::Level(_) => (
                "a level is not one value",
                "write .price, .quantity, .orders or .exists after it",
            ),
            Value::Object(Object::Strategy) => ("self is not a value", "write self.field"),
            Value::Object(_) => (
                "what happened is not one value",
                "write a member of it, such as .instrument",
            ),
            Value::Container(_) => (
                "this holds many values",
                "write the index of one of them in [ ]",
            ),
            Value::Effect(_) => (
                "this call gives no value",
                "write it as a statement of its own",
            ),
            Value::Market => (
                "MARKET is not a price",
                "write it as the price of self.buy(…) or self.sell(…) alone",
            ),
            Value::TimeInForce(_) => (
                "a time in force is not a value",
                "write time_in_force=TimeInForce.IOC in self.buy(…) or self.sell(…)",
            ),
        };
        Err(self.fail(node, what.0, what.1))
    }

    fn mismatch(&mut self, node: &impl Ranged, of: Type, want: Type) -> Reported {
        let text = self.text(node);
        let instead = match (of, want) {
            (Type::Bool, Type::Int) | (_, Type::Int) => format!("write int({text})"),
            (Type::Int, Type::Price) => {
                format!("write Price.raw({text}) if it counts the smallest steps of a price")
            }
            (Type::Int, Type::Quantity | Type::Time) => format!("write {want}({text})"),
            (Type::Int, Type::Bool) => format!("write {text} != 0"),
            _ => format!("use {} here", with_article(want)),
        };
        self.fail(
            node,
            format!(
                "{} where {} is wanted",
                with_article(of),
                with_article(want)
            ),
            instead,
        )
    }

    pub(super) fn condition(&mut self, node: &'a Expr) -> Checked<Expression> {
        match self.value(node)? {
            Value::Scalar(Type::Bool, condition) => Ok(condition),
            Value::Scalar(of, _) => {
                let instead = if of.is_amount() || of == Type::OrderRef {
                    format!("write {} != 0", self.text(node))
                } else {
                    "write a comparison".to_owned()
                };
                Err(self.fail(
                    node,
                    format!("{} is no condition", with_article(of)),
                    instead,
                ))
            }
            Value::Level(_) => Err(self.fail(
                node,
                "a level is no condition",
                format!("write {}.exists", self.text(node)),
            )),
            value => self
                .as_scalar(node, value, Some(Type::Bool))
                .map(|(_, condition)| condition),
        }
    }

    pub(super) fn value(&mut self, node: &'a Expr) -> Checked<Value> {
        if self.body.depth >= DEPTH {
            return Err(self.fail(
                node,
                format!("more than {DEPTH} expressions and statements in each other"),
                "name the parts of it",
            ));
        }
        self.body.depth += 1;
        let value = self.value_inside(node);
        self.body.depth -= 1;
        value
    }

    fn value_inside(&mut self, node: &'a Expr) -> Checked<Value> {
        match node {
            Expr::NumberLiteral(number) => self.literal(number).map(Value::Literal),
            Expr::BooleanLiteral(literal) => Ok(Value::Scalar(
                Type::Bool,
                Expression::Constant(literal.value.into()),
            )),
            Expr::Name(name) => self.name(name),
            Expr::Attribute(attribute) => self.attribute(attribute),
            Expr::Subscript(subscript) => self.subscript(subscript),
            Expr::UnaryOp(unary) => self.unary(unary),
            Expr::BinOp(operation) => {
                let left = self.value(&operation.left)?;
                let left = (&*operation.left, left);
                self.operation(node, left, operation.op, &operation.right)
            }
            Expr::Compare(comparison) => self.comparison(comparison),
            Expr::BoolOp(operation) => self.logic(operation),
            Expr::If(choice) => self.conditional(choice),
            Expr::Call(call) => self.call(call),
            other => Err(self.no_such_expression(other)),
        }
    }

    fn no_such_expression(&mut self, node: &'a Expr) -> Reported {
        let (what, instead) = match node {
            Expr::StringLiteral(_)
            | Expr::BytesLiteral(_)
            | Expr::FString(_)
            | Expr::TString(_) => ("there are no strings", "emit a number that says it"),
            Expr::NoneLiteral(_) => (
                "there is no None",
                "write 0, or a field of type bool that says whether there is a value",
            ),
            Expr::List(_) | Expr::Tuple(_) | Expr::Dict(_) | Expr::Set(_) => (
                "there are no lists, tuples, dicts and sets",
                "declare name: Array[int] = array(8) in the class",
            ),
            Expr::ListComp(_) | Expr::SetComp(_) | Expr::DictComp(_) | Expr::Generator(_) => {
                ("there are no comprehensions", "write a for loop")
            }
            Expr::Lambda(_) => ("there is no lambda", "write a method"),
            Expr::Named(_) => (
                "an assignment inside an expression",
                "write it before, as a statement of its own",
            ),
            Expr::Slice(_) => ("there are no slices", "write a for loop over the indexes"),
            Expr::Starred(_) => (
                "there is no * before a value",
                "write the values one by one",
            ),
            _ => ("this expression is not in the language", "leave it out"),
        };
        self.fail(node, what, instead)
    }

    fn name(&mut self, node: &'a ExprName) -> Checked<Value> {
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

    fn attribute(&mut self, node: &'a ExprAttribute) -> Checked<Value> {
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
            None if self.methods.contains_key(member)
                || super::names::INHERITED.contains(&member) =>
            {
                Err(self.fail(
                    node,
                    format!("{member} is a method"),
                    format!("write self.{member}(…)"),
                ))
            }
            None => {
                let near = nearest(
                    member,
                    self.members
                        .keys()
                        .copied()
                        .chain(self.methods.keys().copied())
                        .chain(super::names::INHERITED),
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

    fn subscript(&mut self, node: &'a ExprSubscript) -> Checked<Value> {
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

    fn logic(&mut self, node: &'a ExprBoolOp) -> Checked<Value> {
        let mut all: Option<Expression> = None;
        let mut result = Ok(());
        for value in &node.values {
            match self.condition(value) {
                Ok(next) => {
                    all = Some(match (all, node.op) {
                        (None, _) => next,
                        (Some(before), BoolOp::And) => {
                            Expression::And(Box::new(before), Box::new(next))
                        }
                        (Some(before), BoolOp::Or) => {
                            Expression::Or(Box::new(before), Box::new(next))
                        }
                    });
                }
                Err(reported) => result = Err(reported),
            }
        }
        result?;
        Ok(Value::Scalar(
            Type::Bool,
            all.unwrap_or(Expression::Constant(0)),
        ))
    }

    fn conditional(&mut self, node: &'a ExprIf) -> Checked<Value> {
        let condition = self.condition(&node.test)?;
        let then = self.value(&node.body)?;
        let otherwise = self.value(&node.orelse)?;
        let (of, then, otherwise) = match (then, otherwise) {
            (Value::Literal(a), Value::Literal(b)) if is_whole(&a) && is_whole(&b) => {
                let (_, a) = self.as_scalar(&*node.body, Value::Literal(a), None)?;
                let (_, b) = self.as_scalar(&*node.orelse, Value::Literal(b), None)?;
                (Type::Int, a, b)
            }
            (Value::Scalar(of, then), Value::Literal(literal)) => {
                let (_, otherwise) = self.literal_branch(&node.orelse, literal, of)?;
                (of, then, otherwise)
            }
            (Value::Literal(literal), Value::Scalar(of, otherwise)) => {
                let (_, then) = self.literal_branch(&node.body, literal, of)?;
                (of, then, otherwise)
            }
            (Value::Literal(literal), Value::Literal(_)) => {
                let (node, text) = if is_whole(&literal) {
                    (&node.orelse, self.text(&*node.orelse))
                } else {
                    (&node.body, self.text(&*node.body))
                };
                return Err(self.fail(
                    &**node,
                    "a number with a decimal point, and nothing says that it is a price",
                    format!("write Price({text})"),
                ));
            }
            (then, otherwise) => {
                let (of, then) = self.as_scalar(&*node.body, then, None)?;
                let (found, otherwise) = self.as_scalar(&*node.orelse, otherwise, None)?;
                if found != of {
                    let reason = format!("{} or {}", with_article(of), with_article(found));
                    return Err(self.fail(node, reason, "give both ways the same type"));
                }
                (of, then, otherwise)
            }
        };
        Ok(Value::Scalar(
            of,
            Expression::Select(Box::new(condition), Box::new(then), Box::new(otherwise)),
        ))
    }

    /// A literal beside a value: without a unit it is an `int`, as it is under CPython, where the other way may not even be looked at.
    fn literal_branch(
        &mut self,
        node: &'a Expr,
        literal: Literal,
        of: Type,
    ) -> Checked<(Type, Expression)> {
        if of == Type::Int {
            return self.as_scalar(node, Value::Literal(literal), Some(Type::Int));
        }
        let text = self.text(node);
        let instead = if of.is_amount() || of == Type::OrderRef {
            format!("write {of}({text})")
        } else {
            format!("write {}", with_article(of))
        };
        Err(self.fail(
            node,
            format!("{} or a number without a unit", with_article(of)),
            instead,
        ))
    }

    /// A value in a local, so that it can be read twice; and the expression that gives it for the first time.
    pub(super) fn kept(
        &mut self,
        node: &impl Ranged,
        of: Type,
        value: Expression,
    ) -> (Expression, Expression) {
        let local = self.local(of);
        let statement = self.make(node, StatementKind::Assign(local, value));
        (
            Expression::Block(vec![statement], local),
            Expression::Local(local),
        )
    }
}

fn best(price: Input, quantity: Input, orders: Input) -> Value {
    Value::Level(Level::Known(
        [price, quantity, orders].map(Expression::Input),
    ))
}
