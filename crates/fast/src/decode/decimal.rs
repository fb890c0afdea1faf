//! Decimals (6.2.2, 6.3.7.2, 10.6.2, 10.7.2).

use formats::fast::{Fault, PresenceMap};

use super::Visitor;
use super::error::ErrorCode;
use super::run::Run;
use crate::dictionary::Previous;
use crate::program::Step;
use crate::template::{Decimal, Operator};

/// The exponents that a decimal may have.
const EXPONENTS: std::ops::RangeInclusive<i64> = -63..=63;

impl<'b, V: Visitor> Run<'_, 'b, V> {
    /// The exponent's own type is int32; a decimal's is narrower.
    #[inline(always)]
    fn exponent(&self, exponent: i64) -> Result<i32, ErrorCode> {
        if EXPONENTS.contains(&exponent) {
            return Ok(exponent as i32);
        }
        self.wide_exponent(exponent)
    }

    #[inline(never)]
    fn wide_exponent(&self, exponent: i64) -> Result<i32, ErrorCode> {
        let exponent = i32::try_from(exponent).map_err(|_| self.too_large(Fault::TooLarge))?;
        if self.report.has(ErrorCode::R1) {
            return Err(ErrorCode::R1);
        }
        Ok(exponent)
    }

    /// A scaled number in the stream.
    #[inline(always)]
    pub(super) fn read_decimal(&mut self, nullable: bool) -> Result<Option<Decimal>, ErrorCode> {
        let exponent = if nullable {
            self.reader.nullable_signed()
        } else {
            self.reader.signed().map(Some)
        };
        if exponent == Ok(None) || exponent == Err(Fault::Truncated) {
            return Ok(exponent?.map(|_| Decimal::default()));
        }
        // Both parts are read before either is judged.
        let mantissa = self.reader.signed();
        let (exponent, mantissa) = self.both(exponent, mantissa)?;
        Ok(Some(Decimal {
            exponent: self.exponent(exponent)?,
            mantissa,
        }))
    }

    /// Exponent and mantissa, where both are there.
    #[inline(always)]
    fn both<I: Default>(
        &self,
        exponent: Result<Option<I>, Fault>,
        mantissa: Result<I, Fault>,
    ) -> Result<(I, I), ErrorCode> {
        match (exponent, mantissa) {
            (Ok(exponent), Ok(mantissa)) => Ok((exponent.unwrap_or_default(), mantissa)),
            (_, Err(Fault::Truncated)) => Err(ErrorCode::Truncated),
            _ => Err(self.too_large(Fault::TooLarge)),
        }
    }

    /// A part of more than 64 bits is no decimal, whether R1 is reported or not.
    #[cold]
    fn too_large(&self, fault: Fault) -> ErrorCode {
        match fault {
            Fault::TooLarge if self.report.has(ErrorCode::R1) => ErrorCode::R1,
            fault => fault.into(),
        }
    }

    fn keep_decimal(
        &mut self,
        step: &Step,
        value: Option<Decimal>,
    ) -> Result<Option<Decimal>, ErrorCode> {
        self.dictionary.check_type(step)?;
        match value {
            Some(value) => {
                let word = value.mantissa as u64;
                self.dictionary.assign(step, word, value.exponent as u32);
            }
            None => self.dictionary.set_empty(step),
        }
        Ok(value)
    }

    /// A decimal with an operator for both parts.
    #[inline(never)]
    pub(super) fn decimal_operator(
        &mut self,
        step: &Step,
        map: &mut PresenceMap<'b>,
    ) -> Result<Option<Decimal>, ErrorCode> {
        match step.operator {
            Operator::Delta => self.decimal_delta(step),
            Operator::Default => {
                if map.next_bit() {
                    return self.read_decimal(step.nullable);
                }
                Ok(step.has_initial.then(|| step.initial_decimal()))
            }
            _ => {
                if map.next_bit() {
                    let value = self.read_decimal(step.nullable)?;
                    return self.keep_decimal(step, value);
                }
                match self.dictionary.previous(step)? {
                    Previous::Assigned(cell) => Ok(Some(Decimal::of_cell(cell))),
                    Previous::Undefined if step.has_initial => {
                        self.keep_decimal(step, Some(step.initial_decimal()))
                    }
                    Previous::Undefined if step.nullable => self.keep_decimal(step, None),
                    Previous::Undefined => Err(ErrorCode::D5),
                    Previous::Empty if step.nullable => Ok(None),
                    Previous::Empty => Err(ErrorCode::D6),
                }
            }
        }
    }

    fn decimal_delta(&mut self, step: &Step) -> Result<Option<Decimal>, ErrorCode> {
        let exponent = if step.nullable {
            self.reader.nullable_signed_wide()
        } else {
            self.reader.signed_wide().map(Some)
        };
        if exponent == Ok(None) || exponent == Err(Fault::Truncated) {
            return Ok(exponent?.map(|_| Decimal::default()));
        }
        let mantissa = self.reader.signed_wide();
        let (exponent, mantissa) = self.both(exponent, mantissa)?;
        let base = match self.dictionary.previous(step)? {
            Previous::Assigned(cell) => Decimal::of_cell(cell),
            Previous::Undefined => step.initial_decimal(),
            Previous::Empty => return Err(ErrorCode::D6),
        };
        let exponent = i128::from(base.exponent) + exponent;
        let mantissa = i128::from(base.mantissa) + mantissa;
        let fits = (-63..=63).contains(&exponent) && i64::try_from(mantissa).is_ok();
        if !fits && self.report.has(ErrorCode::R1) {
            return Err(ErrorCode::R1);
        }
        let sum = Decimal {
            exponent: exponent as i32,
            mantissa: mantissa as i64,
        };
        self.keep_decimal(step, Some(sum))
    }

    /// A decimal whose parts have operators of their own: the mantissa is there if the exponent is.
    #[inline(never)]
    pub(super) fn decimal_parts(
        &mut self,
        exponent: &Step,
        mantissa: &Step,
        map: &mut PresenceMap<'b>,
    ) -> Result<Option<Decimal>, ErrorCode> {
        let value: Option<i64> =
            self.integer(exponent, map, exponent.operator, exponent.nullable)?;
        let Some(value) = value else {
            return Ok(None);
        };
        let value = self.exponent(value)?;
        match self.integer(mantissa, map, mantissa.operator, false)? {
            Some(mantissa) => Ok(Some(Decimal {
                exponent: value,
                mantissa,
            })),
            // A mandatory field has a value, or there is an error.
            None => Err(ErrorCode::D5),
        }
    }
}
