//! Integers with every operator.

use formats::fast::{Fault, PresenceMap, Reader};

use super::error::ErrorCode;
use super::run::Run;
use super::{Value, Visitor};
use crate::dictionary::Previous;
use crate::program::Step;
use crate::template::Operator;

/// `u64` or `i64`.
pub(crate) trait Integer: Copy {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault>;
    fn read_nullable(reader: &mut Reader<'_>) -> Result<Option<Self>, Fault>;
    fn word(self) -> u64;
    fn of_word(word: u64) -> Self;
    fn value<'a>(self) -> Value<'a>;
    /// Whether the type of so many bits has it.
    fn fits(self, bits: u8) -> bool;
    /// One more; the least after the greatest.
    fn next(self, bits: u8) -> Self;
    fn checked_add(self, delta: i64) -> Option<Self>;
    fn wide(self) -> i128;
    /// The lowest bits.
    fn wrap(wide: i128, bits: u8) -> Self;
}

impl Integer for u64 {
    #[inline(always)]
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        reader.unsigned()
    }

    #[inline(always)]
    fn read_nullable(reader: &mut Reader<'_>) -> Result<Option<Self>, Fault> {
        reader.nullable_unsigned()
    }

    #[inline(always)]
    fn word(self) -> u64 {
        self
    }

    #[inline(always)]
    fn of_word(word: u64) -> Self {
        word
    }

    #[inline(always)]
    fn value<'a>(self) -> Value<'a> {
        Value::Unsigned(self)
    }

    #[inline(always)]
    fn fits(self, bits: u8) -> bool {
        self >> (bits - 1) <= 1
    }

    #[inline(always)]
    fn next(self, bits: u8) -> Self {
        self.wrapping_add(1) & (u64::MAX >> (64 - bits))
    }

    #[inline(always)]
    fn checked_add(self, delta: i64) -> Option<Self> {
        self.checked_add_signed(delta)
    }

    fn wide(self) -> i128 {
        i128::from(self)
    }

    fn wrap(wide: i128, bits: u8) -> Self {
        wide as u64 & (u64::MAX >> (64 - bits))
    }
}

impl Integer for i64 {
    #[inline(always)]
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        reader.signed()
    }

    #[inline(always)]
    fn read_nullable(reader: &mut Reader<'_>) -> Result<Option<Self>, Fault> {
        reader.nullable_signed()
    }

    #[inline(always)]
    fn word(self) -> u64 {
        self as u64
    }

    #[inline(always)]
    fn of_word(word: u64) -> Self {
        word as i64
    }

    #[inline(always)]
    fn value<'a>(self) -> Value<'a> {
        Value::Signed(self)
    }

    #[inline(always)]
    fn fits(self, bits: u8) -> bool {
        matches!(self >> (bits - 1), 0 | -1)
    }

    #[inline(always)]
    fn next(self, bits: u8) -> Self {
        Self::wrap(i128::from(self) + 1, bits)
    }

    #[inline(always)]
    fn checked_add(self, delta: i64) -> Option<Self> {
        self.checked_add(delta)
    }

    fn wide(self) -> i128 {
        i128::from(self)
    }

    #[inline(always)]
    fn wrap(wide: i128, bits: u8) -> Self {
        let unused = 64 - u32::from(bits);
        ((wide as i64) << unused) >> unused
    }
}

impl<'b, V: Visitor> Run<'_, 'b, V> {
    /// A value in the stream.
    #[inline(always)]
    fn read<I: Integer>(&mut self, step: &Step, nullable: bool) -> Result<Option<I>, ErrorCode> {
        let value = if nullable {
            I::read_nullable(&mut self.reader)?
        } else {
            Some(I::read(&mut self.reader)?)
        };
        match value {
            Some(value) if !value.fits(step.bits) => Err(ErrorCode::D2),
            value => Ok(value),
        }
    }

    /// A value that becomes the previous one.
    #[inline(always)]
    fn keep<I: Integer>(&mut self, step: &Step, value: Option<I>) -> Result<Option<I>, ErrorCode> {
        self.dictionary.check_type(step)?;
        match value {
            Some(value) => self.dictionary.assign(step, value.word(), 0),
            None => self.dictionary.set_empty(step),
        }
        Ok(value)
    }

    /// Copy and increment where nothing is in the stream and nothing is assigned.
    #[inline(never)]
    fn without_previous(
        &mut self,
        step: &Step,
        previous: Previous,
    ) -> Result<Option<u64>, ErrorCode> {
        match previous {
            Previous::Undefined if step.has_initial => {
                self.dictionary.assign(step, step.initial, 0);
                Ok(Some(step.initial))
            }
            Previous::Undefined if step.nullable => {
                self.dictionary.set_empty(step);
                Ok(None)
            }
            Previous::Undefined => Err(ErrorCode::D5),
            _ if step.nullable => Ok(None),
            _ => Err(ErrorCode::D6),
        }
    }

    /// An integer with an operator. Where `operator` and `nullable` are constants, so is all choice.
    #[inline(always)]
    pub(super) fn integer<I: Integer>(
        &mut self,
        step: &Step,
        map: &mut PresenceMap<'b>,
        operator: Operator,
        nullable: bool,
    ) -> Result<Option<I>, ErrorCode> {
        match operator {
            Operator::None | Operator::Tail => self.read(step, nullable),
            Operator::Constant => {
                let is_there = !nullable || map.next_bit();
                Ok(is_there.then_some(I::of_word(step.initial)))
            }
            Operator::Default => {
                if map.next_bit() {
                    return self.read(step, nullable);
                }
                Ok(step.has_initial.then_some(I::of_word(step.initial)))
            }
            Operator::Copy | Operator::Increment => {
                if map.next_bit() {
                    let value = self.read(step, nullable)?;
                    return self.keep(step, value);
                }
                match self.dictionary.previous(step)? {
                    Previous::Assigned(cell) if operator == Operator::Copy => {
                        Ok(Some(I::of_word(cell.word)))
                    }
                    Previous::Assigned(cell) => {
                        let value = I::of_word(cell.word).next(step.bits);
                        self.dictionary.assign(step, value.word(), 0);
                        Ok(Some(value))
                    }
                    previous => {
                        let word = self.without_previous(step, previous)?;
                        Ok(word.map(I::of_word))
                    }
                }
            }
            Operator::Delta => self.delta(step, nullable),
        }
    }

    #[inline(always)]
    fn delta<I: Integer>(&mut self, step: &Step, nullable: bool) -> Result<Option<I>, ErrorCode> {
        let before = self.reader;
        let delta = if nullable {
            self.reader.nullable_signed()
        } else {
            self.reader.signed().map(Some)
        };
        let delta = match delta {
            Ok(Some(delta)) => delta,
            Ok(None) => return Ok(None),
            Err(Fault::TooLarge) => {
                self.reader = before;
                return self.wide_delta(step, nullable);
            }
            Err(fault) => return Err(fault.into()),
        };
        let base = I::of_word(self.base(step)?);
        match base.checked_add(delta) {
            Some(sum) if sum.fits(step.bits) => self.keep(step, Some(sum)),
            _ => self.sum(step, base, i128::from(delta)),
        }
    }

    /// The base value of a delta.
    #[inline(always)]
    fn base(&self, step: &Step) -> Result<u64, ErrorCode> {
        match self.dictionary.previous(step)? {
            Previous::Assigned(cell) => Ok(cell.word),
            // Without an initial value this is zero.
            Previous::Undefined => Ok(step.initial),
            Previous::Empty => Err(ErrorCode::D6),
        }
    }

    /// A delta of more than 64 bits.
    #[inline(never)]
    fn wide_delta<I: Integer>(
        &mut self,
        step: &Step,
        nullable: bool,
    ) -> Result<Option<I>, ErrorCode> {
        let delta = if nullable {
            self.reader.nullable_signed_wide()
        } else {
            self.reader.signed_wide().map(Some)
        };
        // No sum with more than 70 bits is in the range of a type.
        let delta = delta.map_err(|fault| match fault {
            Fault::TooLarge if self.report.has(ErrorCode::R4) => ErrorCode::R4,
            fault => fault.into(),
        })?;
        let Some(delta) = delta else {
            return Ok(None);
        };
        let base = I::of_word(self.base(step)?);
        self.sum(step, base, delta)
    }

    /// A sum that may be outside the type.
    #[inline(never)]
    fn sum<I: Integer>(
        &mut self,
        step: &Step,
        base: I,
        delta: i128,
    ) -> Result<Option<I>, ErrorCode> {
        let sum = base.wide() + delta;
        let wrapped = I::wrap(sum, step.bits);
        if wrapped.wide() != sum && self.report.has(ErrorCode::R4) {
            return Err(ErrorCode::R4);
        }
        self.keep(step, Some(wrapped))
    }
}
