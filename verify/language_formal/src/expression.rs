//! Expressions of the reference. One that has no effect stands where it is used; any other is worked out before, step by step.

use language::program::{Binary, Expression, OfRing, Unary};
use language::slot;

use crate::Error;
use crate::layout::number;
use crate::reference::Writer;

impl Writer<'_> {
    /// A value: text without effect.
    pub fn value(&mut self, expression: &Expression) -> Result<String, Error> {
        Ok(match expression {
            Expression::Constant(value) => number(*value),
            Expression::Input(input) => format!("inputs[{}]", slot::place(*input)),
            Expression::Parameter(index) => format!("parameters[{index}]"),
            Expression::Local(local) => format!("locals[{local}]"),
            Expression::Field(field) => self.field(*field),
            Expression::Element(field, index) => {
                let index = self.kept(index)?;
                let has = self.has(*field, &index);
                let element = format!("{}[{index}]", self.field(*field));
                self.read(&has, &element)
            }
            Expression::Ring(field, what) => self.of_ring(*field, *what),
            Expression::PositionIn(instrument) => {
                let index = self.kept(instrument)?;
                let has = format!("is_index({index}, {})", self.program.instruments);
                self.read(&has, &format!("positions[{index}]"))
            }
            Expression::Unary(operator, a) => {
                let a = self.value(a)?;
                format!("{}({a})", unary(*operator))
            }
            Expression::Binary(operator, a, b) => {
                let operator =
                    binary(*operator).ok_or_else(|| self.unsupported("such operator"))?;
                // What b does must not change a.
                let a = if is_plain(b) {
                    self.value(a)?
                } else {
                    self.kept(a)?
                };
                let b = self.value(b)?;
                format!("{operator}({a}, {b})")
            }
            Expression::And(a, b) => self.chosen(a, Some(b), None)?,
            Expression::Or(a, b) => self.either(a, b)?,
            Expression::Select(condition, then, otherwise) => {
                self.chosen(condition, Some(then), Some(otherwise))?
            }
            Expression::Block(statements, result) => {
                self.statements(statements)?;
                let kept = self.temporary();
                self.say(&format!("{kept} = locals[{result}];"));
                kept
            }
        })
    }

    /// A value as it is now, whatever happens until it is used.
    pub fn kept(&mut self, expression: &Expression) -> Result<String, Error> {
        let value = self.value(expression)?;
        if matches!(
            expression,
            Expression::Constant(_) | Expression::Input(_) | Expression::Parameter(_)
        ) {
            return Ok(value);
        }
        let kept = self.temporary();
        self.say(&format!("{kept} = {value};"));
        Ok(kept)
    }

    /// Whether a field has a value of this index.
    pub fn has(&self, field: usize, index: &str) -> String {
        if self.fields[field].ring {
            format!("is_index({index}, {}_count)", self.field(field))
        } else {
            format!(
                "is_index({index}, {})",
                number(self.program.length(field) as i64)
            )
        }
    }

    /// What is there, else 0 and a fault.
    fn read(&mut self, has: &str, element: &str) -> String {
        let kept = self.temporary();
        self.say(&format!("{kept} = '0;"));
        self.say(&format!("if ({has}) {kept} = {element};"));
        self.say("else outcome.index_faults += 8'd1;");
        kept
    }

    fn of_ring(&mut self, field: usize, what: OfRing) -> String {
        let (length, field) = (self.program.length(field), self.field(field));
        let (first, next) = match what {
            OfRing::Count => return format!("{field}_count"),
            OfRing::Sum => ("64'sd0".to_owned(), "add"),
            OfRing::Minimum => (format!("{field}[0]"), "minimum"),
            OfRing::Maximum => (format!("{field}[0]"), "maximum"),
        };
        let kept = self.temporary();
        self.say(&format!("{kept} = {field}_count == 0 ? 64'sd0 : {first};"));
        self.say(&format!(
            "for (int i = 0; i < {length}; i++) if (i < {field}_count) {kept} = {next}({kept}, {field}[i]);"
        ));
        kept
    }

    /// One of two values, 0 where there is none; the other is not worked out.
    fn chosen(
        &mut self,
        condition: &Expression,
        then: Option<&Expression>,
        otherwise: Option<&Expression>,
    ) -> Result<String, Error> {
        let condition = self.kept(condition)?;
        let kept = self.temporary();
        let head = format!("if ({condition} != 0) begin");
        for (head, value) in [(head.as_str(), then), ("else begin", otherwise)] {
            self.say(head);
            self.depth += 1;
            let value = match value {
                Some(value) => self.value(value)?,
                None => number(0),
            };
            self.say(&format!("{kept} = {value};"));
            self.depth -= 1;
            self.say("end");
        }
        Ok(kept)
    }

    fn either(&mut self, a: &Expression, b: &Expression) -> Result<String, Error> {
        self.chosen(a, Some(&Expression::Constant(1)), Some(b))
    }
}

/// Whether it is one value that stands there, or operators of such.
fn is_plain(expression: &Expression) -> bool {
    match expression {
        Expression::Constant(_)
        | Expression::Input(_)
        | Expression::Parameter(_)
        | Expression::Local(_)
        | Expression::Field(_)
        | Expression::Ring(..) => true,
        Expression::Unary(_, a) => is_plain(a),
        Expression::Binary(_, a, b) => is_plain(a) && is_plain(b),
        Expression::And(a, b) | Expression::Or(a, b) => is_plain(a) && is_plain(b),
        Expression::Select(a, b, c) => is_plain(a) && is_plain(b) && is_plain(c),
        Expression::Element(..) | Expression::PositionIn(_) | Expression::Block(..) => false,
    }
}

/// The functions of `reference_pkg`.
const fn unary(operator: Unary) -> &'static str {
    match operator {
        Unary::Negate => "negate",
        Unary::Absolute => "absolute",
        Unary::Invert => "invert",
        Unary::Not => "is_zero",
    }
}

/// `None`: the references do not have it.
const fn binary(operator: Binary) -> Option<&'static str> {
    Some(match operator {
        Binary::Add => "add",
        Binary::Subtract => "subtract",
        Binary::And => "bits_and",
        Binary::Or => "bits_or",
        Binary::Xor => "bits_xor",
        Binary::Equal => "equal",
        Binary::NotEqual => "not_equal",
        Binary::Less => "less",
        Binary::LessEqual => "less_equal",
        Binary::Greater => "greater",
        Binary::GreaterEqual => "greater_equal",
        Binary::Minimum => "minimum",
        Binary::Maximum => "maximum",
        Binary::Multiply
        | Binary::FloorDivide
        | Binary::Modulo
        | Binary::ShiftLeft
        | Binary::ShiftRight => return None,
    })
}
