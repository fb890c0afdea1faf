//! Expressions.

use language::program::{Binary, Expression, OfRing, Unary};

use crate::image::{COUNT, HEAD, Region, SUM, input};
use crate::instruction::{INDEX_WAITS, INDEXED, INPUTS, MULTIPLY_WAITS, NOWHERE, Operation, Taken};

use super::Lower;
use super::analysis::{has_statements, is_quiet};
use super::code::Target;

/// Shifts by so many are done by one at a time.
const SMALL_SHIFT: u32 = 6;

impl Lower<'_> {
    /// The word or the input that has the value.
    pub(super) fn value(&mut self, expression: &Expression) -> u16 {
        self.value_to(expression, None)
    }

    /// The same; `to`: a word that gets the value if an instruction is needed for it. It is not written before all that the expression reads is read.
    pub(super) fn value_to(&mut self, expression: &Expression, to: Option<u16>) -> u16 {
        if let Some(known) = self.known(expression) {
            return self.number(known);
        }
        match expression {
            Expression::Constant(value) => self.number(*value),
            Expression::Input(of) => input(*of),
            Expression::Parameter(index) => self.parameters.at + *index as u16,
            Expression::Local(local) => self.local(*local),
            Expression::Field(field) => self.fields[*field].values.at,
            Expression::Element(field, index) => self.element(*field, index, to),
            Expression::Ring(field, what) => self.of_ring(*field, *what),
            Expression::PositionIn(instrument) => {
                self.reads_positions = true;
                self.indexed(self.positions, instrument, to)
            }
            Expression::Unary(operator, a) => self.unary(*operator, a, to),
            Expression::Binary(operator, a, b) => self.binary(*operator, a, b, to),
            Expression::And(a, b) | Expression::Or(a, b) if is_quiet(b) => {
                let operation = match expression {
                    Expression::And(..) => Operation::And,
                    _ => Operation::Or,
                };
                self.operation(operation, a, b, to)
            }
            Expression::And(a, b) => self.lazily(a, b, false),
            Expression::Or(a, b) => self.lazily(a, b, true),
            Expression::Select(condition, a, b) => self.select(condition, a, b, to),
            Expression::Block(statements, result) => {
                self.statements(statements);
                self.local(*result)
            }
        }
    }

    pub(super) fn local(&self, local: usize) -> u16 {
        self.locals + local as u16
    }

    /// A word of its own for what may change before it is used.
    fn kept(&mut self, operand: u16) -> u16 {
        let own = self.locals + self.read.len() as u16;
        if operand >= own && operand != NOWHERE {
            // Intermediate values, numbers and inputs do not change.
            return operand;
        }
        let to = self.temporary();
        self.add(Operation::Move, to, operand, 0)
    }

    /// Values one after the other, none of which is changed by those after it.
    pub(super) fn values<const N: usize>(&mut self, expressions: [&Expression; N]) -> [u16; N] {
        let mut operands = [0; N];
        for (place, expression) in expressions.iter().enumerate() {
            let operand = self.value(expression);
            let later = &expressions[place + 1..];
            operands[place] = if later.iter().any(|later| has_statements(later)) {
                self.kept(operand)
            } else {
                operand
            };
        }
        operands
    }

    /// The same for a list.
    pub(super) fn list(&mut self, expressions: &[Expression]) -> Vec<u16> {
        let mut operands = Vec::with_capacity(expressions.len());
        for (place, expression) in expressions.iter().enumerate() {
            let operand = self.value(expression);
            let changes = expressions[place + 1..].iter().any(has_statements);
            operands.push(if changes { self.kept(operand) } else { operand });
        }
        operands
    }

    /// An operation of two values. Where only the second is an input, a comparison or a sum is turned round.
    fn operation(
        &mut self,
        operation: Operation,
        a: &Expression,
        b: &Expression,
        to: Option<u16>,
    ) -> u16 {
        let [a, b] = self.values([a, b]);
        self.operation_of(operation, a, b, to)
    }

    fn operation_of(&mut self, operation: Operation, a: u16, b: u16, to: Option<u16>) -> u16 {
        let turned = match operation {
            Operation::Add
            | Operation::And
            | Operation::Or
            | Operation::Xor
            | Operation::Equal
            | Operation::NotEqual => Some(operation),
            Operation::Less => Some(Operation::Greater),
            Operation::Greater => Some(Operation::Less),
            Operation::LessEqual => Some(Operation::GreaterEqual),
            Operation::GreaterEqual => Some(Operation::LessEqual),
            _ => None,
        };
        let (operation, a, b) = match turned {
            Some(turned) if b >= INPUTS && a < INPUTS => (turned, b, a),
            _ => (operation, a, self.second(b)),
        };
        let to = self.or_temporary(to);
        self.add(operation, to, a, b)
    }

    fn unary(&mut self, operator: Unary, a: &Expression, to: Option<u16>) -> u16 {
        let a = self.value(a);
        let zero = self.number(0);
        match operator {
            Unary::Negate => {
                let a = self.second(a);
                let to = self.or_temporary(to);
                self.add(Operation::Subtract, to, zero, a)
            }
            Unary::Absolute => {
                let a = self.second(a);
                let negative = self.temporary();
                self.add(Operation::Subtract, negative, zero, a);
                self.add(Operation::GreaterEqual, NOWHERE, a, zero);
                let to = self.or_temporary(to);
                self.add(Operation::Select, to, a, negative)
            }
            Unary::Invert => {
                let ones = self.number(-1);
                let to = self.or_temporary(to);
                self.add(Operation::Xor, to, a, ones)
            }
            Unary::Not => {
                let to = self.or_temporary(to);
                self.add(Operation::Equal, to, a, zero)
            }
        }
    }

    fn binary(&mut self, operator: Binary, a: &Expression, b: &Expression, to: Option<u16>) -> u16 {
        if let Some(shifted) = self.power_of_two(operator, a, b, to) {
            return shifted;
        }
        let operation = match operator {
            Binary::Add => Operation::Add,
            Binary::Subtract => Operation::Subtract,
            Binary::And => Operation::And,
            Binary::Or => Operation::Or,
            Binary::Xor => Operation::Xor,
            Binary::Minimum | Binary::Maximum => return self.extreme(operator, a, b, to),
            Binary::Multiply => {
                let [a, b] = self.values([a, b]);
                let b = self.second(b);
                self.add(Operation::Multiply, NOWHERE, a, b);
                self.wait(MULTIPLY_WAITS);
                return self.take(Taken::Product, to);
            }
            Binary::FloorDivide => Operation::Divide,
            Binary::Modulo => Operation::Modulo,
            Binary::ShiftLeft => Operation::ShiftLeft,
            Binary::ShiftRight => Operation::ShiftRight,
            _ => return self.operation(comparison(operator), a, b, to),
        };
        if operation.unit_cycles().is_some() {
            let [a, b] = self.values([a, b]);
            let b = self.second(b);
            self.add(operation, NOWHERE, a, b);
            return self.take(Taken::Quotient, to);
        }
        self.operation(operation, a, b, to)
    }

    pub(super) fn take(&mut self, taken: Taken, to: Option<u16>) -> u16 {
        let to = self.or_temporary(to);
        self.add(Operation::Move, to, taken.address(), 0)
    }

    /// Multiplication, division, rest and shifts by a power of two that is known.
    fn power_of_two(
        &mut self,
        operator: Binary,
        a: &Expression,
        b: &Expression,
        to: Option<u16>,
    ) -> Option<u16> {
        let known = self.known(b)?;
        let power = u32::from(known > 0 && known & (known - 1) == 0) * known.trailing_zeros();
        let is_power = known > 0 && known & (known - 1) == 0;
        let (operation, times) = match operator {
            Binary::Multiply if is_power => (Operation::Add, power),
            Binary::FloorDivide if is_power => (Operation::Half, power),
            Binary::ShiftLeft if known >= 0 => (Operation::Add, u32::try_from(known).ok()?),
            Binary::ShiftRight if known >= 0 => (Operation::Half, u32::try_from(known).ok()?),
            Binary::Modulo if is_power => {
                let a = self.value(a);
                let mask = self.number(known - 1);
                let to = self.or_temporary(to);
                return Some(self.add(Operation::And, to, a, mask));
            }
            _ => return None,
        };
        if times > SMALL_SHIFT {
            return None;
        }
        let mut value = self.value(a);
        for _ in 0..times {
            let (a, b) = match operation {
                Operation::Add => {
                    let word = self.second(value);
                    (word, word)
                }
                _ => (value, 0),
            };
            let next = self.temporary();
            value = self.add(operation, next, a, b);
        }
        Some(value)
    }

    /// The smaller or the larger one.
    fn extreme(
        &mut self,
        operator: Binary,
        a: &Expression,
        b: &Expression,
        to: Option<u16>,
    ) -> u16 {
        let [a, b] = self.values([a, b]);
        let b = self.second(b);
        let comparison = match operator {
            Binary::Minimum => Operation::Less,
            _ => Operation::Greater,
        };
        self.add(comparison, NOWHERE, a, b);
        let to = self.or_temporary(to);
        self.add(Operation::Select, to, a, b)
    }

    /// `and`, or with `or` true: the second only if the first does not decide.
    fn lazily(&mut self, a: &Expression, b: &Expression, or: bool) -> u16 {
        let result = self.temporary();
        let end = self.target();
        let first = self.value(a);
        self.add(Operation::Move, result, first, 0);
        self.add(Operation::Test, NOWHERE, first, 0);
        self.jump(
            if or {
                Operation::JumpIf
            } else {
                Operation::JumpUnless
            },
            end,
        );
        let second = self.value(b);
        self.add(Operation::Move, result, second, 0);
        self.place(end);
        result
    }

    fn select(
        &mut self,
        condition: &Expression,
        a: &Expression,
        b: &Expression,
        to: Option<u16>,
    ) -> u16 {
        if is_quiet(a) && is_quiet(b) {
            let condition = self.value(condition);
            let flag = self.flag;
            let [a, b] = self.values([a, b]);
            if flag != Some(condition) || self.flag != flag {
                self.add(Operation::Test, NOWHERE, condition, 0);
            }
            let b = self.second(b);
            let to = self.or_temporary(to);
            return self.add(Operation::Select, to, a, b);
        }
        let result = self.temporary();
        let (otherwise, end) = (self.target(), self.target());
        self.branch(condition, false, otherwise);
        let a = self.value(a);
        self.add(Operation::Move, result, a, 0);
        self.jump(Operation::Jump, end);
        self.place(otherwise);
        let b = self.value(b);
        self.add(Operation::Move, result, b, 0);
        self.place(end);
        result
    }

    /// Goes to the target if the condition is `sense`.
    pub(super) fn branch(&mut self, condition: &Expression, sense: bool, target: Target) {
        if let Some(known) = self.known(condition) {
            if (known != 0) == sense {
                self.jump(Operation::Jump, target);
            }
            return;
        }
        match condition {
            Expression::Unary(Unary::Not, a) => return self.branch(a, !sense, target),
            // Both decide alone: one after the other.
            Expression::And(a, b) if !sense => {
                self.branch(a, false, target);
                return self.branch(b, false, target);
            }
            Expression::Or(a, b) if sense => {
                self.branch(a, true, target);
                return self.branch(b, true, target);
            }
            Expression::And(a, b) => {
                let no = self.target();
                self.branch(a, false, no);
                self.branch(b, true, target);
                return self.place(no);
            }
            Expression::Or(a, b) => {
                let yes = self.target();
                self.branch(a, true, yes);
                self.branch(b, false, target);
                return self.place(yes);
            }
            Expression::Binary(operator, a, b) if is_comparison(*operator) => {
                self.operation(comparison(*operator), a, b, Some(NOWHERE));
            }
            _ => {
                let value = self.value(condition);
                if self.flag != Some(value) {
                    self.add(Operation::Test, NOWHERE, value, 0);
                }
            }
        }
        self.jump(
            if sense {
                Operation::JumpIf
            } else {
                Operation::JumpUnless
            },
            target,
        );
    }

    // ---- arrays, rings, positions

    /// The value at an index of words: 0 and a fault if there is none.
    fn indexed(&mut self, words: Region, index: &Expression, to: Option<u16>) -> u16 {
        let known = self.known(index);
        if let Some(place) = known.and_then(|known| u16::try_from(known).ok())
            && place < words.length
        {
            return words.at + place;
        }
        let index = self.value(index);
        self.indexed_by(words, index, to)
    }

    fn indexed_by(&mut self, words: Region, index: u16, to: Option<u16>) -> u16 {
        self.add(Operation::Index, words.at, index, words.length);
        self.wait(INDEX_WAITS);
        let zero = self.number(0);
        let to = self.or_temporary(to);
        self.add(Operation::Or, to, zero, INDEXED)
    }

    fn element(&mut self, field: usize, index: &Expression, to: Option<u16>) -> u16 {
        let placed = self.fields[field];
        if !placed.ring {
            let words = placed.values;
            return self.indexed(words, index, to);
        }
        // The place of the newest and the age, less the length if that is beyond the end; -1 if the ring has no value of that age.
        let (head, count) = (placed.values.at - HEAD, placed.values.at - COUNT);
        let [zero, ones] = [self.number(0), self.number(-1)];
        let length = self.number(placed.values.length.into());
        let age = self.value(index);
        let age = self.second(age);
        let [sum, less, place, there, below] = [(); 5].map(|()| self.temporary());
        self.add(Operation::Add, sum, age, head);
        self.add(Operation::Subtract, less, sum, length);
        self.add(Operation::Less, NOWHERE, sum, length);
        self.add(Operation::Select, place, sum, less);
        self.add(Operation::GreaterEqual, there, age, zero);
        self.add(Operation::Less, below, age, count);
        self.add(Operation::And, there, there, below);
        self.add(Operation::Test, NOWHERE, there, 0);
        self.add(Operation::Select, place, place, ones);
        self.indexed_by(placed.values, place, to)
    }

    /// A ring is filled from its last place downwards: with n values, places from its length - n on have one.
    fn of_ring(&mut self, field: usize, what: OfRing) -> u16 {
        let values = self.fields[field].values;
        let comparison = match what {
            OfRing::Count => return values.at - COUNT,
            OfRing::Sum => return values.at - SUM,
            OfRing::Minimum => Operation::Less,
            OfRing::Maximum => Operation::Greater,
        };
        let count = values.at - COUNT;
        let last = values.at + values.length - 1;
        let (result, value) = (self.temporary(), self.temporary());
        self.add(Operation::Move, result, last, 0);
        for back in 1..values.length {
            let back_word = self.number(back.into());
            self.add(Operation::Less, NOWHERE, back_word, count);
            self.add(Operation::Select, value, last - back, result);
            self.add(comparison, NOWHERE, value, result);
            self.add(Operation::Select, result, value, result);
        }
        result
    }
}

const fn is_comparison(operator: Binary) -> bool {
    use Binary::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    matches!(
        operator,
        Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual
    )
}

/// The operation of a comparison.
const fn comparison(operator: Binary) -> Operation {
    match operator {
        Binary::NotEqual => Operation::NotEqual,
        Binary::Less => Operation::Less,
        Binary::LessEqual => Operation::LessEqual,
        Binary::Greater => Operation::Greater,
        Binary::GreaterEqual => Operation::GreaterEqual,
        _ => Operation::Equal,
    }
}
