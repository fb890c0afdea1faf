//! The usual ways of fields: each takes what nearly every field of its kind is, or leaves everything as it was.

use formats::fast::{
    DATA, Longest, STOP, quick_ascii, quick_long_signed, quick_signed, quick_unsigned,
};

use crate::decode::integer::Integer;
use crate::decode::run::Run;
use crate::decode::{Value, Visitor};
use crate::program::Step;
use crate::template::Decimal;

/// A mantissa or a delta may take all the bytes that are read at once, an exponent is read so only of one.
const ANY: Longest = Longest::bytes(8);
const EXPONENT: Longest = Longest::bytes(1);

/// What is ahead.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lookahead<'b> {
    /// The bytes.
    pub rest: &'b [u8],
    /// The presence map, the next bit highest.
    pub bits: u64,
}

/// What became of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// It was given.
    Value,
    /// It is NULL in one byte, and absent.
    Null,
    /// It is not as usual; nothing was done.
    Not,
}

impl<'b, V: Visitor> Run<'_, 'b, V> {
    #[inline(always)]
    fn give_quick(&mut self, step: &Step, value: Value<'_>) -> Taken {
        self.visitor.field(step.field(), value);
        Taken::Value
    }

    #[inline(always)]
    fn null(&mut self, step: &Step) -> Taken {
        self.visitor.field(step.field(), Value::Absent);
        Taken::Null
    }

    #[inline(always)]
    fn short_ascii(&mut self, step: &Step, word: u64, length: usize) -> Taken {
        let text = word.to_le_bytes();
        self.give_quick(step, Value::Ascii(text.get(..length).unwrap_or(&[])))
    }

    /// Without an operator.
    #[inline(always)]
    pub(super) fn unsigned(&mut self, step: &Step, front: &mut Lookahead<'b>) -> Taken {
        let Some((value, rest)) = quick_unsigned(front.rest, step.longest) else {
            return Taken::Not;
        };
        front.rest = rest;
        self.give_quick(step, Value::Unsigned(value))
    }

    /// Without an operator, or NULL.
    #[inline(always)]
    pub(super) fn optional_unsigned(&mut self, step: &Step, front: &mut Lookahead<'b>) -> Taken {
        let Some((value, rest)) = quick_unsigned(front.rest, step.longest) else {
            return Taken::Not;
        };
        front.rest = rest;
        match value.checked_sub(1) {
            None => self.null(step),
            Some(value) => self.give_quick(step, Value::Unsigned(value)),
        }
    }

    /// Without an operator.
    #[inline(always)]
    pub(super) fn signed(&mut self, step: &Step, front: &mut Lookahead<'b>) -> Taken {
        let Some((value, rest)) = quick_signed(front.rest, step.longest) else {
            return Taken::Not;
        };
        front.rest = rest;
        self.give_quick(step, Value::Signed(value))
    }

    /// Without an operator, or NULL.
    #[inline(always)]
    pub(super) fn optional_signed(&mut self, step: &Step, front: &mut Lookahead<'b>) -> Taken {
        let Some((value, rest)) = quick_signed(front.rest, step.longest) else {
            return Taken::Not;
        };
        front.rest = rest;
        if value == 0 {
            return self.null(step);
        }
        self.give_quick(step, Value::Signed(value - i64::from(value > 0)))
    }

    /// Without an operator.
    #[inline(always)]
    pub(super) fn ascii_text<const NULLABLE: bool>(
        &mut self,
        step: &Step,
        front: &mut Lookahead<'b>,
    ) -> Taken {
        if let Some((word, length, rest)) = quick_ascii(front.rest) {
            front.rest = rest;
            return self.short_ascii(step, word, length);
        }
        if NULLABLE && front.rest.first() == Some(&STOP) {
            front.rest = &front.rest[1..];
            return self.null(step);
        }
        Taken::Not
    }

    /// Without an operator.
    #[inline(always)]
    pub(super) fn decimal(&mut self, step: &Step, front: &mut Lookahead<'b>) -> Taken {
        if let Some((exponent, rest)) = quick_signed(front.rest, EXPONENT)
            && let Some((mantissa, rest)) = quick_long_signed(rest, ANY)
            && exponent != -64
        {
            front.rest = rest;
            let exponent = exponent as i32;
            return self.give_quick(step, Value::Decimal(Decimal { exponent, mantissa }));
        }
        Taken::Not
    }

    /// Without an operator; the exponent may be NULL.
    #[inline(always)]
    pub(super) fn optional_decimal(&mut self, step: &Step, front: &mut Lookahead<'b>) -> Taken {
        let Some((exponent, rest)) = quick_signed(front.rest, EXPONENT) else {
            return Taken::Not;
        };
        if exponent == 0 {
            front.rest = rest;
            return self.null(step);
        }
        if let Some((mantissa, rest)) = quick_long_signed(rest, ANY)
            && exponent != -64
        {
            front.rest = rest;
            let exponent = exponent as i32 - i32::from(exponent > 0);
            return self.give_quick(step, Value::Decimal(Decimal { exponent, mantissa }));
        }
        Taken::Not
    }

    /// A value in the stream for copy.
    #[inline(always)]
    fn new_unsigned(&mut self, step: &Step, front: &mut Lookahead<'b>) -> Taken {
        let Some((value, rest)) = quick_unsigned(front.rest, step.longest) else {
            return Taken::Not;
        };
        *front = Lookahead {
            rest,
            bits: front.bits << 1,
        };
        self.dictionary.assign(step, value, 0);
        self.give_quick(step, Value::Unsigned(value))
    }

    /// Whether there is a new value is as good as random for the actions of a book: what the stream has and what was before are chosen
    /// from without a branch.
    #[inline(always)]
    pub(super) fn unsigned_copy(&mut self, step: &Step, front: &mut Lookahead<'b>) -> Taken {
        let Some(before) = self.dictionary.assigned(step) else {
            return Taken::Not;
        };
        let Some(first) = front.rest.first() else {
            return Taken::Not;
        };
        let is_new = front.bits >> 63;
        if is_new > u64::from(first >> 7) {
            return self.new_unsigned(step, front);
        }
        let value = if is_new != 0 {
            u64::from(first & DATA)
        } else {
            before
        };
        let Some(rest) = front.rest.get(is_new as usize..) else {
            return Taken::Not;
        };
        *front = Lookahead {
            rest,
            bits: front.bits << 1,
        };
        self.dictionary.set_word(step, value);
        self.give_quick(step, Value::Unsigned(value))
    }

    /// Copy, where the value in the stream may be NULL.
    #[inline(always)]
    pub(super) fn optional_unsigned_copy(
        &mut self,
        step: &Step,
        front: &mut Lookahead<'b>,
    ) -> Taken {
        if front.bits >> 63 == 0 {
            let value = match self.dictionary.assigned(step) {
                Some(word) => Value::Unsigned(word),
                None if self.dictionary.is_empty(step) => Value::Absent,
                None => return Taken::Not,
            };
            front.bits <<= 1;
            return self.give_quick(step, value);
        }
        let Some((value, rest)) = quick_unsigned(front.rest, step.longest) else {
            return Taken::Not;
        };
        *front = Lookahead {
            rest,
            bits: front.bits << 1,
        };
        let Some(value) = value.checked_sub(1) else {
            self.dictionary.set_empty(step);
            return self.give_quick(step, Value::Absent);
        };
        self.dictionary.assign(step, value, 0);
        self.give_quick(step, Value::Unsigned(value))
    }

    /// Increment, where nothing is in the stream.
    #[inline(always)]
    pub(super) fn unsigned_increment(&mut self, step: &Step, front: &mut Lookahead<'b>) -> Taken {
        if front.bits >> 63 == 0
            && let Some(word) = self.dictionary.assigned(step)
        {
            front.bits <<= 1;
            let value = word.next(step.bits);
            self.dictionary.set_word(step, value);
            return self.give_quick(step, Value::Unsigned(value));
        }
        Taken::Not
    }

    /// A delta that leads to a value of the type.
    #[inline(always)]
    pub(super) fn unsigned_delta<const NULLABLE: bool>(
        &mut self,
        step: &Step,
        front: &mut Lookahead<'b>,
    ) -> Taken {
        let Some((delta, rest)) = quick_signed(front.rest, ANY) else {
            return Taken::Not;
        };
        if NULLABLE && delta == 0 {
            front.rest = rest;
            return self.null(step);
        }
        let delta = delta - i64::from(NULLABLE && delta > 0);
        if let Some(word) = self.dictionary.assigned(step)
            && let Some(sum) = word.checked_add_signed(delta)
            && sum.fits(step.bits)
        {
            front.rest = rest;
            self.dictionary.set_word(step, sum);
            return self.give_quick(step, Value::Unsigned(sum));
        }
        Taken::Not
    }

    /// As the unsigned one.
    #[inline(always)]
    pub(super) fn signed_delta<const NULLABLE: bool>(
        &mut self,
        step: &Step,
        front: &mut Lookahead<'b>,
    ) -> Taken {
        let Some((delta, rest)) = quick_signed(front.rest, ANY) else {
            return Taken::Not;
        };
        if NULLABLE && delta == 0 {
            front.rest = rest;
            return self.null(step);
        }
        let delta = delta - i64::from(NULLABLE && delta > 0);
        if let Some(word) = self.dictionary.assigned(step)
            && let Some(sum) = (word as i64).checked_add(delta)
            && sum.fits(step.bits)
        {
            front.rest = rest;
            self.dictionary.set_word(step, sum as u64);
            return self.give_quick(step, Value::Signed(sum));
        }
        Taken::Not
    }

    /// Copy of a string of at most eight characters, which is in the word of its entry.
    #[inline(always)]
    pub(super) fn ascii_copy<const NULLABLE: bool>(
        &mut self,
        step: &Step,
        front: &mut Lookahead<'b>,
    ) -> Taken {
        if front.bits >> 63 == 0 {
            if NULLABLE && self.dictionary.is_empty(step) {
                front.bits <<= 1;
                return self.give_quick(step, Value::Absent);
            }
            let Some((word, length)) = self.dictionary.short_text(step) else {
                return Taken::Not;
            };
            front.bits <<= 1;
            return self.short_ascii(step, word, length);
        }
        let Some((word, length, rest)) = quick_ascii(front.rest) else {
            return Taken::Not;
        };
        *front = Lookahead {
            rest,
            bits: front.bits << 1,
        };
        self.dictionary.assign(step, word, length as u32);
        self.short_ascii(step, word, length)
    }

    /// A mandatory constant, given to who asks for constants.
    #[inline(always)]
    pub(super) fn unsigned_constant(&mut self, step: &Step, _: &mut Lookahead<'b>) -> Taken {
        if V::CONSTANTS {
            self.visitor
                .field(step.field(), Value::Unsigned(step.initial));
        }
        Taken::Value
    }

    /// As the unsigned one, a string of at most eight characters.
    #[inline(always)]
    pub(super) fn short_constant(&mut self, step: &Step, _: &mut Lookahead<'b>) -> Taken {
        if V::CONSTANTS {
            self.short_ascii(step, step.initial, step.exponent as usize);
        }
        Taken::Value
    }
}
