//! Integers and decimals.

use formats::fast::{
    MapWriter, put_nullable_signed, put_nullable_signed_wide, put_nullable_unsigned, put_signed,
    put_signed_wide, put_unsigned,
};

use super::{EncodeFault, Encoder};
use crate::decode::integer::Integer;
use crate::dictionary::{Dictionary, Previous};
use crate::program::Step;
use crate::template::{Decimal, Operator};

/// An integer that can be written.
pub(super) trait Put: Integer + PartialEq {
    fn put(self, out: &mut Vec<u8>);
    fn put_nullable(value: Option<Self>, out: &mut Vec<u8>);
}

impl Put for u64 {
    fn put(self, out: &mut Vec<u8>) {
        put_unsigned(out, self);
    }

    fn put_nullable(value: Option<Self>, out: &mut Vec<u8>) {
        put_nullable_unsigned(out, value);
    }
}

impl Put for i64 {
    fn put(self, out: &mut Vec<u8>) {
        put_signed(out, self);
    }

    fn put_nullable(value: Option<Self>, out: &mut Vec<u8>) {
        put_nullable_signed(out, value);
    }
}

/// In the form that the field's presence has.
fn put<I: Put>(step: &Step, value: Option<I>, out: &mut Vec<u8>) {
    match value {
        Some(value) if !step.nullable => value.put(out),
        value => I::put_nullable(value, out),
    }
}

/// The value that the field has where nothing is in the stream: `None` where that would be an error.
fn implied<I: Integer>(dictionary: &Dictionary, step: &Step) -> Option<Option<I>> {
    let none = step.nullable.then_some(None);
    match dictionary.previous(step) {
        Err(_) => None,
        Ok(Previous::Assigned(cell)) => {
            let value = I::of_word(cell.word);
            let next = step.operator == Operator::Increment;
            Some(Some(if next { value.next(step.bits) } else { value }))
        }
        Ok(Previous::Undefined) if step.has_initial => Some(Some(I::of_word(step.initial))),
        Ok(_) => none,
    }
}

fn keep<I: Integer>(dictionary: &mut Dictionary, step: &Step, value: Option<I>) {
    match value {
        Some(value) => dictionary.assign(step, value.word(), 0),
        None => dictionary.set_empty(step),
    }
}

impl Encoder {
    /// An integer with any operator.
    pub(super) fn put_integer<I: Put>(
        &mut self,
        step: &Step,
        value: Option<I>,
        map: &mut MapWriter,
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeFault> {
        match value {
            None if !step.nullable => return Err(EncodeFault::Missing),
            Some(value) if !value.fits(step.bits) => return Err(EncodeFault::Range),
            _ => {}
        }
        let initial = step.has_initial.then_some(I::of_word(step.initial));
        match step.operator {
            Operator::None | Operator::Tail => put(step, value, out),
            Operator::Constant => {
                if value.is_some() && value != initial {
                    return Err(EncodeFault::Constant);
                }
                if step.nullable {
                    map.push(value.is_some());
                }
            }
            Operator::Default => {
                let differs = value != initial;
                map.push(differs);
                if differs {
                    put(step, value, out);
                }
            }
            Operator::Copy | Operator::Increment => {
                self.check_type(step)?;
                let differs = implied(&self.dictionary, step) != Some(value);
                map.push(differs);
                if differs {
                    put(step, value, out);
                }
                keep(&mut self.dictionary, step, value);
            }
            Operator::Delta => {
                let Some(value) = value else {
                    put_nullable_signed(out, None);
                    return Ok(());
                };
                let base = self.base(step)?;
                let base = base.map_or_else(|| I::of_word(step.initial), |cell| I::of_word(cell.0));
                let delta = value.wide() - base.wide();
                if step.nullable {
                    put_nullable_signed_wide(out, Some(delta));
                } else {
                    put_signed_wide(out, delta);
                }
                keep(&mut self.dictionary, step, Some(value));
            }
        }
        Ok(())
    }

    /// D4.
    pub(super) fn check_type(&self, step: &Step) -> Result<(), EncodeFault> {
        let checked = self.dictionary.check_type(step);
        checked.map_err(|_| EncodeFault::PreviousType)
    }

    /// Word and extra of the base value of a delta; `None`: the initial one.
    fn base(&self, step: &Step) -> Result<Option<(u64, u32)>, EncodeFault> {
        match self.dictionary.previous(step) {
            Err(_) => Err(EncodeFault::PreviousType),
            Ok(Previous::Assigned(cell)) => Ok(Some((cell.word, cell.extra))),
            Ok(Previous::Undefined) => Ok(None),
            Ok(Previous::Empty) => Err(EncodeFault::PreviousEmpty),
        }
    }

    fn keep_decimal(&mut self, step: &Step, value: Option<Decimal>) {
        match value {
            Some(value) => {
                let (word, extra) = (value.mantissa as u64, value.exponent as u32);
                self.dictionary.assign(step, word, extra);
            }
            None => self.dictionary.set_empty(step),
        }
    }

    /// A decimal with one operator or none.
    pub(super) fn put_decimal(
        &mut self,
        step: &Step,
        value: Option<Decimal>,
        map: &mut MapWriter,
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeFault> {
        match value {
            None if !step.nullable => return Err(EncodeFault::Missing),
            Some(value) if !(-63..=63).contains(&value.exponent) => {
                return Err(EncodeFault::Exponent);
            }
            _ => {}
        }
        let initial_value = step.initial_decimal();
        let initial = step.has_initial.then_some(initial_value);
        match step.operator {
            Operator::Constant => {
                if value.is_some() && value != initial {
                    return Err(EncodeFault::Constant);
                }
                if step.nullable {
                    map.push(value.is_some());
                }
            }
            Operator::Default => {
                let differs = value != initial;
                map.push(differs);
                if differs {
                    put_scaled(step, value, out);
                }
            }
            Operator::Copy => {
                self.check_type(step)?;
                let none = step.nullable.then_some(None);
                let implied = match self.dictionary.previous(step) {
                    Err(_) => None,
                    Ok(Previous::Assigned(cell)) => Some(Some(Decimal::of_cell(cell))),
                    Ok(Previous::Undefined) if step.has_initial => Some(initial),
                    Ok(_) => none,
                };
                let differs = implied != Some(value);
                map.push(differs);
                if differs {
                    put_scaled(step, value, out);
                }
                self.keep_decimal(step, value);
            }
            Operator::Delta => {
                let Some(value) = value else {
                    put_nullable_signed(out, None);
                    return Ok(());
                };
                let (word, extra) = match self.base(step)? {
                    Some(cell) => cell,
                    None => (initial_value.mantissa as u64, initial_value.exponent as u32),
                };
                let exponent = i64::from(value.exponent) - i64::from(extra as i32);
                if step.nullable {
                    put_nullable_signed(out, Some(exponent));
                } else {
                    put_signed(out, exponent);
                }
                let mantissa = i128::from(value.mantissa) - i128::from(word as i64);
                put_signed_wide(out, mantissa);
                self.keep_decimal(step, Some(value));
            }
            _ => put_scaled(step, value, out),
        }
        Ok(())
    }

    /// A decimal whose parts have operators of their own.
    pub(super) fn put_parts(
        &mut self,
        exponent: &Step,
        mantissa: &Step,
        value: Option<Decimal>,
        map: &mut MapWriter,
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeFault> {
        if value.is_some_and(|value| !(-63..=63).contains(&value.exponent)) {
            return Err(EncodeFault::Exponent);
        }
        let part = |result: Result<(), EncodeFault>| match result {
            Err(EncodeFault::Constant) => Err(EncodeFault::Decimal),
            other => other,
        };
        let first = value.map(|value| i64::from(value.exponent));
        part(self.put_integer(exponent, first, map, out))?;
        match value {
            None => Ok(()),
            Some(value) => part(self.put_integer(mantissa, Some(value.mantissa), map, out)),
        }
    }
}

/// A scaled number, in the form that the field's presence has (10.6.2).
fn put_scaled(step: &Step, value: Option<Decimal>, out: &mut Vec<u8>) {
    let exponent = value.map(|value| i64::from(value.exponent));
    put(step, exponent, out);
    if let Some(value) = value {
        put_signed(out, value.mantissa);
    }
}
