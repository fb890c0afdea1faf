//! Expressions. Every value is a 64-bit word; a `bool` is 0 or 1.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use language::program::{Binary, Expression, OfRing, Unary};

use crate::memory::{COUNT, HEAD, SLOTS, SUM};
use crate::translate::Translator;

/// How many operators are rather worked out in vain than jumped over.
const CHEAP: usize = 6;

impl Translator<'_> {
    pub(crate) fn value(&mut self, expression: &Expression) -> Value {
        match expression {
            Expression::Constant(value) => self.number(*value),
            Expression::Input(input) => self.load(self.inputs, *input as usize),
            Expression::Parameter(index) => self.load(self.parameters, *index),
            Expression::Local(local) => self.builder.use_var(self.locals[*local]),
            Expression::Field(field) => self.load(self.state, self.layout.fields[*field].word),
            Expression::Element(field, index) => self.element(*field, index),
            Expression::Ring(field, what) => self.ring(*field, *what),
            Expression::PositionIn(instrument) => {
                let index = self.value(instrument);
                self.element_at(self.positions, index, self.program.instruments)
            }
            Expression::Unary(operator, a) => {
                let a = self.value(a);
                self.unary(*operator, a)
            }
            Expression::Binary(operator, a, b) => {
                let first = self.value(a);
                let second = self.value(b);
                let constant = match **b {
                    Expression::Constant(value) => Some(value),
                    _ => None,
                };
                self.binary(*operator, first, second, constant)
            }
            Expression::And(a, b) => {
                let a = self.value(a);
                if cheap(b) {
                    let b = self.value(b);
                    return self.builder.ins().band(a, b);
                }
                self.either(a, Some(b), None)
            }
            Expression::Or(a, b) => {
                let a = self.value(a);
                if cheap(b) {
                    let b = self.value(b);
                    return self.builder.ins().bor(a, b);
                }
                self.either(a, None, Some(b))
            }
            Expression::Select(condition, a, b) => {
                let condition = self.value(condition);
                if cheap(a) && cheap(b) {
                    let a = self.value(a);
                    let b = self.value(b);
                    return self.builder.ins().select(condition, a, b);
                }
                self.either(condition, Some(a), Some(b))
            }
            Expression::Block(statements, result) => {
                self.statements(statements);
                self.builder.use_var(self.locals[*result])
            }
        }
    }

    /// One of two values, of which only that one is evaluated. Without an expression the value is the condition itself.
    fn either(
        &mut self,
        condition: Value,
        then: Option<&Expression>,
        otherwise: Option<&Expression>,
    ) -> Value {
        let (yes, no, after) = (self.block(), self.block(), self.block());
        let result = self.builder.append_block_param(after, types::I64);
        self.branch(condition, yes, no);
        for (block, expression) in [(yes, then), (no, otherwise)] {
            self.builder.switch_to_block(block);
            let value = match expression {
                Some(expression) => self.value(expression),
                None => condition,
            };
            self.builder.ins().jump(after, &[value.into()]);
        }
        self.builder.switch_to_block(after);
        result
    }

    /// 1 if the index is at least 0 and below the length.
    pub(crate) fn in_range(&mut self, index: Value, length: usize) -> Value {
        let length = self.number(length as i64);
        self.compare(IntCC::UnsignedLessThan, index, length)
    }

    pub(crate) fn fault_unless(&mut self, valid: Value) {
        let fault = self.builder.ins().bxor_imm_s(valid, 1);
        self.count(self.counters.index, fault);
    }

    /// The address of a word of the state.
    pub(crate) fn place_of(&mut self, word: usize) -> Value {
        self.builder.ins().iadd_imm_s(self.state, word as i64 * 8)
    }

    fn element(&mut self, field: usize, index: &Expression) -> Value {
        let place = self.layout.fields[field];
        if let (Expression::Constant(index), false) = (index, place.is_ring)
            && let Ok(index) = usize::try_from(*index)
            && index < place.length
        {
            return self.load(self.state, place.word + index);
        }
        let index = self.value(index);
        if !place.is_ring {
            let base = self.place_of(place.word);
            return self.element_at(base, index, place.length);
        }
        let count = self.load(self.state, place.word + COUNT);
        let valid = self.compare(IntCC::UnsignedLessThan, index, count);
        self.fault_unless(valid);
        let zero = self.number(0);
        let age = self.builder.ins().select(valid, index, zero);
        // The newest is at the head, older ones before it, and before the first slot comes the last one.
        let head = self.load(self.state, place.word + HEAD);
        let slot = self.builder.ins().isub(head, age);
        let wrapped = self.builder.ins().iadd_imm_s(slot, place.length as i64);
        let below = self.builder.ins().icmp(IntCC::SignedLessThan, slot, zero);
        let slot = self.builder.ins().select(below, wrapped, slot);
        let slots = self.place_of(place.word + SLOTS);
        let address = self.at_index(slots, slot);
        let value = self.load(address, 0);
        self.builder.ins().select(valid, value, zero)
    }

    /// The word of that index, 0 and a fault out of range. The first word is read in any case, and there is one.
    fn element_at(&mut self, base: Value, index: Value, length: usize) -> Value {
        let valid = self.in_range(index, length);
        self.fault_unless(valid);
        let zero = self.number(0);
        let index = self.builder.ins().select(valid, index, zero);
        let address = self.at_index(base, index);
        let value = self.load(address, 0);
        self.builder.ins().select(valid, value, zero)
    }

    fn ring(&mut self, field: usize, what: OfRing) -> Value {
        let place = self.layout.fields[field];
        match what {
            OfRing::Count => self.load(self.state, place.word + COUNT),
            OfRing::Sum => self.load(self.state, place.word + SUM),
            OfRing::Minimum => self.extreme(place.word, IntCC::SignedLessThan),
            OfRing::Maximum => self.extreme(place.word, IntCC::SignedGreaterThan),
        }
    }

    /// The smallest or largest value of a ring. The values are in the first slots, in whatever order.
    fn extreme(&mut self, word: usize, better: IntCC) -> Value {
        let count = self.load(self.state, word + COUNT);
        let slots = self.place_of(word + SLOTS);
        // An empty ring has 0 in its first slot.
        let first = self.load(slots, 0);
        let (head, inside, after) = (self.block(), self.block(), self.block());
        let index = self.builder.append_block_param(head, types::I64);
        let best = self.builder.append_block_param(head, types::I64);
        let one = self.number(1);
        self.builder.ins().jump(head, &[one.into(), first.into()]);
        self.builder.switch_to_block(head);
        let more = self.builder.ins().icmp(IntCC::SignedLessThan, index, count);
        self.branch(more, inside, after);
        self.builder.switch_to_block(inside);
        let address = self.at_index(slots, index);
        let value = self.load(address, 0);
        let wins = self.builder.ins().icmp(better, value, best);
        let new = self.builder.ins().select(wins, value, best);
        let next = self.builder.ins().iadd_imm_s(index, 1);
        self.builder.ins().jump(head, &[next.into(), new.into()]);
        self.builder.switch_to_block(after);
        best
    }

    fn unary(&mut self, operator: Unary, a: Value) -> Value {
        match operator {
            Unary::Negate => self.builder.ins().ineg(a),
            Unary::Invert => self.builder.ins().bnot(a),
            Unary::Not => self.builder.ins().bxor_imm_s(a, 1),
            Unary::Absolute => {
                let negated = self.builder.ins().ineg(a);
                let zero = self.number(0);
                let below = self.builder.ins().icmp(IntCC::SignedLessThan, a, zero);
                self.builder.ins().select(below, negated, a)
            }
        }
    }

    fn binary(&mut self, operator: Binary, a: Value, b: Value, constant: Option<i64>) -> Value {
        match operator {
            Binary::Add => self.builder.ins().iadd(a, b),
            Binary::Subtract => self.builder.ins().isub(a, b),
            Binary::Multiply => self.builder.ins().imul(a, b),
            Binary::FloorDivide => self.divide(a, b, constant),
            Binary::Modulo => self.modulo(a, b, constant),
            Binary::ShiftLeft => {
                let shifted = self.builder.ins().ishl(a, b);
                let zero = self.number(0);
                self.shifted(b, constant, shifted, zero)
            }
            Binary::ShiftRight => {
                let shifted = self.builder.ins().sshr(a, b);
                let sign = self.builder.ins().sshr_imm_s(a, 63);
                self.shifted(b, constant, shifted, sign)
            }
            Binary::And => self.builder.ins().band(a, b),
            Binary::Or => self.builder.ins().bor(a, b),
            Binary::Xor => self.builder.ins().bxor(a, b),
            Binary::Equal => self.compare(IntCC::Equal, a, b),
            Binary::NotEqual => self.compare(IntCC::NotEqual, a, b),
            Binary::Less => self.compare(IntCC::SignedLessThan, a, b),
            Binary::LessEqual => self.compare(IntCC::SignedLessThanOrEqual, a, b),
            Binary::Greater => self.compare(IntCC::SignedGreaterThan, a, b),
            Binary::GreaterEqual => self.compare(IntCC::SignedGreaterThanOrEqual, a, b),
            Binary::Minimum => {
                let first = self.builder.ins().icmp(IntCC::SignedLessThan, a, b);
                self.builder.ins().select(first, a, b)
            }
            Binary::Maximum => {
                let first = self.builder.ins().icmp(IntCC::SignedGreaterThan, a, b);
                self.builder.ins().select(first, a, b)
            }
        }
    }

    /// The shifted value, unless the distance is not in 0 to 63.
    fn shifted(
        &mut self,
        distance: Value,
        constant: Option<i64>,
        shifted: Value,
        beyond: Value,
    ) -> Value {
        match constant {
            Some(0..=63) => shifted,
            Some(_) => beyond,
            None => {
                let valid = self.in_range(distance, 64);
                self.builder.ins().select(valid, shifted, beyond)
            }
        }
    }

    /// The processor's division rounds towards 0, and traps for 0 and for the smallest number by −1: those two are kept away from it.
    fn divide(&mut self, a: Value, b: Value, constant: Option<i64>) -> Value {
        match constant {
            Some(power) if power > 0 && power.count_ones() == 1 => {
                return self
                    .builder
                    .ins()
                    .sshr_imm_s(a, i64::from(power.trailing_zeros()));
            }
            Some(divisor) if divisor > 0 => {
                let quotient = self.builder.ins().sdiv(a, b);
                return self.round_down(a, b, quotient);
            }
            _ => {}
        }
        let zero = self.number(0);
        let by_zero = self.compare(IntCC::Equal, b, zero);
        self.count(self.counters.division, by_zero);
        let by_minus_one = self.builder.ins().icmp_imm_s(IntCC::Equal, b, -1);
        let safe = self.safe_divisor(b, by_zero, by_minus_one);
        let quotient = self.builder.ins().sdiv(a, safe);
        let quotient = self.round_down(a, safe, quotient);
        let negated = self.builder.ins().ineg(a);
        let quotient = self.builder.ins().select(by_minus_one, negated, quotient);
        self.builder.ins().select(by_zero, zero, quotient)
    }

    /// The divisor, and 1 in place of 0 and −1.
    fn safe_divisor(&mut self, b: Value, by_zero: Value, by_minus_one: Value) -> Value {
        let one = self.number(1);
        let safe = self.builder.ins().select(by_zero, one, b);
        self.builder.ins().select(by_minus_one, one, safe)
    }

    /// One less where a rest was cut off on the other side of zero.
    fn round_down(&mut self, a: Value, b: Value, quotient: Value) -> Value {
        let product = self.builder.ins().imul(quotient, b);
        let rest = self.compare(IntCC::NotEqual, product, a);
        let signs = self.builder.ins().bxor(a, b);
        let differ = self.builder.ins().ushr_imm_s(signs, 63);
        let less = self.builder.ins().band(rest, differ);
        self.builder.ins().isub(quotient, less)
    }

    fn modulo(&mut self, a: Value, b: Value, constant: Option<i64>) -> Value {
        if let Some(power) = constant
            && power > 0
            && power.count_ones() == 1
        {
            return self.builder.ins().band_imm_s(a, power - 1);
        }
        let quotient = self.divide(a, b, constant);
        let product = self.builder.ins().imul(quotient, b);
        let rest = self.builder.ins().isub(a, product);
        if constant.is_some_and(|divisor| divisor > 0) {
            return rest;
        }
        // By 0 the quotient is 0, and the rest would be all of it.
        let zero = self.number(0);
        let by_zero = self.builder.ins().icmp(IntCC::Equal, b, zero);
        self.builder.ins().select(by_zero, zero, rest)
    }
}

/// Whether an expression is short, and nothing happens when it is evaluated in vain.
fn cheap(expression: &Expression) -> bool {
    operators(expression).is_some_and(|count| count <= CHEAP)
}

/// How many operators it has; none if it may fault, or does something.
fn operators(expression: &Expression) -> Option<usize> {
    match expression {
        Expression::Constant(_)
        | Expression::Input(_)
        | Expression::Parameter(_)
        | Expression::Local(_)
        | Expression::Field(_) => Some(0),
        Expression::Ring(_, OfRing::Count | OfRing::Sum) => Some(0),
        Expression::Unary(_, a) => Some(operators(a)? + 1),
        Expression::Binary(Binary::FloorDivide | Binary::Modulo, ..) => None,
        Expression::Binary(_, a, b) | Expression::And(a, b) | Expression::Or(a, b) => {
            Some(operators(a)? + operators(b)? + 1)
        }
        Expression::Select(condition, a, b) => {
            Some(operators(condition)? + operators(a)? + operators(b)? + 1)
        }
        Expression::Element(..)
        | Expression::PositionIn(_)
        | Expression::Ring(..)
        | Expression::Block(..) => None,
    }
}
