//! Operators, and which units they go with.

use ruff_python_ast::{CmpOp, Expr, ExprCompare, ExprUnaryOp, Operator, UnaryOp};
use ruff_text_size::Ranged;

use super::expression::Value;
use super::literal::{Literal, with_article};
use super::names::is_whole;
use super::{Checked, Checker};
use crate::program::{Binary, Expression, Unary};
use crate::types::Type;
use crate::value;

impl<'a> Checker<'a> {
    pub(super) fn unary(&mut self, node: &'a ExprUnaryOp) -> Checked<Value> {
        if node.op == UnaryOp::Not {
            let condition = self.condition(&node.operand)?;
            return Ok(Value::Scalar(Type::Bool, one(Unary::Not, condition)));
        }
        let operand = self.value(&node.operand)?;
        match (node.op, operand) {
            (UnaryOp::UAdd, _) => Err(self.fail(node, "a + before a value", "leave it out")),
            (UnaryOp::USub, Value::Literal(literal)) => Ok(Value::Literal(Literal {
                value: -literal.value,
                ..literal
            })),
            (UnaryOp::USub, operand) => {
                let (of, value) = self.as_scalar(&*node.operand, operand, None)?;
                self.amount(&*node.operand, of, "-")?;
                Ok(Value::Scalar(of, one(Unary::Negate, value)))
            }
            (_, operand) => {
                let (of, value) = self.as_scalar(&*node.operand, operand, None)?;
                if of == Type::Bool {
                    return Err(self.fail(
                        node,
                        "~ of a bool",
                        format!("write not {}", self.text(&*node.operand)),
                    ));
                }
                if of != Type::Int {
                    let instead = format!("write ~int({})", self.text(&*node.operand));
                    return Err(self.fail(node, format!("~ of {}", with_article(of)), instead));
                }
                Ok(Value::Scalar(of, one(Unary::Invert, value)))
            }
        }
    }

    /// A message, unless values of this type are numbers.
    fn amount(&mut self, node: &impl Ranged, of: Type, sign: &str) -> Checked<()> {
        if of.is_amount() {
            return Ok(());
        }
        let text = self.text(node);
        let instead = match of {
            Type::Bool => format!("write int({text})"),
            _ => "compare it with == or != alone".to_owned(),
        };
        Err(self.fail(node, format!("{sign} of {}", with_article(of)), instead))
    }

    /// `left op right` of an assignment such as `+=`.
    pub(super) fn operation_with(
        &mut self,
        node: &'a impl Ranged,
        left: Value,
        op: Operator,
        right: &'a Expr,
    ) -> Checked<(Type, Expression)> {
        let value = self.operation(node, (node, left), op, right)?;
        self.as_scalar(node, value, None)
    }

    pub(super) fn operation<N: Ranged, L: Ranged>(
        &mut self,
        node: &N,
        left: (&L, Value),
        op: Operator,
        right: &'a Expr,
    ) -> Checked<Value> {
        let (binary, sign) = match op {
            Operator::Add => (Binary::Add, "+"),
            Operator::Sub => (Binary::Subtract, "-"),
            Operator::Mult => (Binary::Multiply, "*"),
            Operator::FloorDiv => (Binary::FloorDivide, "//"),
            Operator::Mod => (Binary::Modulo, "%"),
            Operator::LShift => (Binary::ShiftLeft, "<<"),
            Operator::RShift => (Binary::ShiftRight, ">>"),
            Operator::BitAnd => (Binary::And, "&"),
            Operator::BitOr => (Binary::Or, "|"),
            Operator::BitXor => (Binary::Xor, "^"),
            Operator::Div => {
                return Err(self.fail(
                    node,
                    "/ gives a float",
                    "write //, which rounds towards minus infinity",
                ));
            }
            Operator::Pow => {
                return Err(self.fail(
                    node,
                    "** is not in the language",
                    "write a product, or 1 << n for a power of two",
                ));
            }
            Operator::MatMult => {
                return Err(self.fail(node, "@ is not in the language", "write a loop"));
            }
        };
        let right_value = self.value(right)?;
        let zero_or_far = match (&right_value, binary) {
            (Value::Literal(literal), Binary::FloorDivide | Binary::Modulo)
                if literal.value == 0 =>
            {
                Some("this always divides by zero")
            }
            (Value::Literal(literal), Binary::ShiftLeft | Binary::ShiftRight)
                if !(0..64).contains(&literal.value) =>
            {
                Some("this always shifts by less than 0 or more than 63")
            }
            _ => None,
        };
        if let Some(reason) = zero_or_far {
            return Err(self.fail(right, reason, "write another number"));
        }
        match (left.1, right_value) {
            (Value::Literal(a), Value::Literal(b)) => {
                self.of_literals(node, binary, a, b).map(Value::Literal)
            }
            (a, b) => {
                let (a, b) = self.operands(binary, sign, (left.0, a), (right, b))?;
                let Some(of) = result(binary, a.0, b.0) else {
                    return Err(self.no_operation(node, binary, sign, a.0, b.0));
                };
                Ok(Value::Scalar(of, two(binary, a.1, b.1)))
            }
        }
    }

    /// Numbers with numbers, exactly: what would wrap is refused, for it was surely not meant.
    fn of_literals(
        &mut self,
        node: &impl Ranged,
        binary: Binary,
        a: Literal,
        b: Literal,
    ) -> Checked<Literal> {
        if !is_whole(&a) || !is_whole(&b) {
            return Err(self.fail(
                node,
                "arithmetic of numbers with a decimal point",
                "write the result",
            ));
        }
        let fits = |value: i128| i64::try_from(value).ok();
        let exact = match (fits(a.value), fits(b.value)) {
            (Some(a), Some(b)) => match binary {
                Binary::Add => Some(i128::from(a) + i128::from(b)),
                Binary::Subtract => Some(i128::from(a) - i128::from(b)),
                Binary::Multiply => Some(i128::from(a) * i128::from(b)),
                Binary::ShiftLeft => i128::from(a).checked_mul(1 << b),
                Binary::FloorDivide if b == -1 => Some(-i128::from(a)),
                _ => Some(value::binary(binary, a, b).0.into()),
            },
            _ => None,
        };
        match exact.and_then(fits) {
            Some(value) => Ok(Literal::whole(value.into())),
            None => Err(self.fail(
                node,
                "the number does not fit into 64 bits",
                "write one from -2^63 to 2^63 - 1",
            )),
        }
    }

    /// Both sides with their types. A literal beside an amount gets its unit where the two are added, subtracted or compared.
    fn operands<L: Ranged>(
        &mut self,
        binary: Binary,
        sign: &str,
        left: (&L, Value),
        right: (&'a Expr, Value),
    ) -> Checked<((Type, Expression), (Type, Expression))> {
        let adapts = !matches!(
            binary,
            Binary::Multiply
                | Binary::FloorDivide
                | Binary::Modulo
                | Binary::ShiftLeft
                | Binary::ShiftRight
                | Binary::And
                | Binary::Or
                | Binary::Xor
        );
        match (left.1, right.1) {
            (Value::Literal(a), b) => {
                let b = self.operand(right.0, b, sign)?;
                let want = if adapts { b.0 } else { Type::Int };
                let a = self.as_scalar(left.0, Value::Literal(a), Some(want))?;
                Ok((a, b))
            }
            (a, Value::Literal(b)) => {
                let a = self.operand(left.0, a, sign)?;
                let want = if adapts { a.0 } else { Type::Int };
                let b = self.as_scalar(right.0, Value::Literal(b), Some(want))?;
                Ok((a, b))
            }
            (a, b) => Ok((
                self.operand(left.0, a, sign)?,
                self.operand(right.0, b, sign)?,
            )),
        }
    }

    fn operand(
        &mut self,
        node: &impl Ranged,
        value: Value,
        sign: &str,
    ) -> Checked<(Type, Expression)> {
        let (of, value) = self.as_scalar(node, value, None)?;
        if !matches!(sign, "==" | "!=" | "&" | "|" | "^") {
            self.amount(node, of, sign)?;
        }
        Ok((of, value))
    }

    fn no_operation(
        &mut self,
        node: &impl Ranged,
        binary: Binary,
        sign: &str,
        a: Type,
        b: Type,
    ) -> super::Reported {
        let instead = match (binary, a, b) {
            (Binary::And | Binary::Or | Binary::Xor, ..) => {
                "write and, or, != for conditions; int(…) around numbers with a unit".to_owned()
            }
            (Binary::Multiply, ..) => {
                "multiply by an int, or a Price by a Quantity; int(…) takes a unit off".to_owned()
            }
            (Binary::FloorDivide | Binary::Modulo, ..) => {
                "divide by an int, or by the same unit; int(…) takes a unit off".to_owned()
            }
            (Binary::ShiftLeft | Binary::ShiftRight, ..) => {
                "shift by an int; int(…) takes a unit off".to_owned()
            }
            (_, Type::Int, other) | (_, other, Type::Int)
                if matches!(other, Type::Quantity | Type::Time) =>
            {
                format!("put the unit on with {other}(…), or take it off with int(…)")
            }
            (_, Type::Int, Type::Price) | (_, Type::Price, Type::Int) => {
                "put the unit on with Price.raw(…), or take it off with int(…)".to_owned()
            }
            _ => "use two of the same unit; int(…) takes a unit off".to_owned(),
        };
        self.fail(node, format!("{a} {sign} {b} has no meaning"), instead)
    }

    pub(super) fn comparison(&mut self, node: &'a ExprCompare) -> Checked<Value> {
        let mut all: Option<Expression> = None;
        let mut left_node = &*node.left;
        let mut left = self.value(left_node)?;
        for (index, (op, right_node)) in node.ops.iter().zip(&node.comparators).enumerate() {
            let mut right = self.value(right_node)?;
            // What stands between two comparisons is evaluated once.
            let mut again = None;
            if index + 1 < node.ops.len()
                && let Value::Scalar(of, value) = right
            {
                let (first, later) = self.kept(right_node, of, value);
                right = Value::Scalar(of, first);
                again = Some(Value::Scalar(of, later));
            } else if let Value::Literal(literal) = right {
                again = Some(Value::Literal(literal));
            }
            let one = self.compare(node, *op, (left_node, left), (right_node, right))?;
            all = Some(match all {
                None => one,
                Some(before) => Expression::And(Box::new(before), Box::new(one)),
            });
            left_node = right_node;
            left = again.unwrap_or(Value::Effect(Vec::new()));
        }
        Ok(Value::Scalar(
            Type::Bool,
            all.unwrap_or(Expression::Constant(1)),
        ))
    }

    fn compare(
        &mut self,
        node: &'a ExprCompare,
        op: CmpOp,
        left: (&'a Expr, Value),
        right: (&'a Expr, Value),
    ) -> Checked<Expression> {
        let (binary, sign) = match op {
            CmpOp::Eq => (Binary::Equal, "=="),
            CmpOp::NotEq => (Binary::NotEqual, "!="),
            CmpOp::Lt => (Binary::Less, "<"),
            CmpOp::LtE => (Binary::LessEqual, "<="),
            CmpOp::Gt => (Binary::Greater, ">"),
            CmpOp::GtE => (Binary::GreaterEqual, ">="),
            CmpOp::Is | CmpOp::IsNot => {
                return Err(self.fail(
                    node,
                    "is compares objects, and there are none",
                    "write == or !=",
                ));
            }
            CmpOp::In | CmpOp::NotIn => {
                return Err(self.fail(
                    node,
                    "in is not in the language",
                    "write comparisons with or, or a match",
                ));
            }
        };
        let (a, b) = match (left.1, right.1) {
            (Value::Literal(a), Value::Literal(b)) => {
                let a = self.as_scalar(left.0, Value::Literal(a), None)?;
                (a, self.as_scalar(right.0, Value::Literal(b), None)?)
            }
            (a, b) => self.operands(binary, sign, (left.0, a), (right.0, b))?,
        };
        if a.0 != b.0 {
            return Err(self.no_operation(node, binary, sign, a.0, b.0));
        }
        Ok(two(binary, a.1, b.1))
    }

    /// `min` or `max` of two.
    pub(super) fn extreme(
        &mut self,
        binary: Binary,
        left: (&'a Expr, Value),
        right: (&'a Expr, Value),
    ) -> Checked<Value> {
        let sign = if binary == Binary::Minimum {
            "min"
        } else {
            "max"
        };
        if let (Value::Literal(a), Value::Literal(b)) = (&left.1, &right.1)
            && is_whole(a)
            && is_whole(b)
        {
            let least = if binary == Binary::Minimum {
                a.value.min(b.value)
            } else {
                a.value.max(b.value)
            };
            return Ok(Value::Literal(Literal::whole(least)));
        }
        let node = left.0;
        let (a, b) = self.operands(binary, sign, left, right)?;
        if a.0 != b.0 {
            let instead = "use values of the same unit; int(…) takes a unit off";
            return Err(self.fail(
                node,
                format!("{sign} of {} and {} has no meaning", a.0, b.0),
                instead,
            ));
        }
        Ok(Value::Scalar(a.0, two(binary, a.1, b.1)))
    }

    pub(super) fn absolute(&mut self, node: &'a Expr) -> Checked<Value> {
        match self.value(node)? {
            Value::Literal(literal) => Ok(Value::Literal(Literal {
                value: literal.value.abs(),
                ..literal
            })),
            value => {
                let (of, value) = self.as_scalar(node, value, None)?;
                self.amount(node, of, "abs")?;
                Ok(Value::Scalar(of, one(Unary::Absolute, value)))
            }
        }
    }
}

/// The type of `a op b`; none where it has no meaning.
fn result(binary: Binary, a: Type, b: Type) -> Option<Type> {
    match binary {
        Binary::Add | Binary::Subtract => (a == b).then_some(a),
        Binary::Multiply => match (a, b) {
            (of, Type::Int) | (Type::Int, of) => Some(of),
            // The value of that many at that price.
            (Type::Price, Type::Quantity) | (Type::Quantity, Type::Price) => Some(Type::Int),
            _ => None,
        },
        Binary::FloorDivide => match (a, b) {
            (of, Type::Int) => Some(of),
            _ => (a == b).then_some(Type::Int),
        },
        Binary::Modulo => (b == Type::Int || a == b).then_some(a),
        Binary::ShiftLeft | Binary::ShiftRight => (b == Type::Int).then_some(a),
        Binary::And | Binary::Or | Binary::Xor => {
            (a == b && matches!(a, Type::Int | Type::Bool)).then_some(a)
        }
        _ => None,
    }
}

fn one(operator: Unary, a: Expression) -> Expression {
    match a {
        Expression::Constant(a) => Expression::Constant(value::unary(operator, a)),
        a => Expression::Unary(operator, Box::new(a)),
    }
}

/// An operator of two constants is worked out here, unless it is a fault.
fn two(operator: Binary, a: Expression, b: Expression) -> Expression {
    if let (Expression::Constant(a), Expression::Constant(b)) = (&a, &b)
        && let (value, false) = value::binary(operator, *a, *b)
    {
        return Expression::Constant(value);
    }
    Expression::Binary(operator, Box::new(a), Box::new(b))
}
