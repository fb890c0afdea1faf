//! Expressions: what they give, and of which type.

use ruff_python_ast::{BoolOp, Expr, ExprBoolOp, ExprIf};
use ruff_text_size::Ranged;

use super::literal::{Literal, with_article};
use super::names::is_whole;
use super::scope::Object;
use super::statement::DEPTH;
use super::{Checked, Checker, Reported};
use crate::program::{Expression, Statement, StatementKind, TimeInForce};
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
