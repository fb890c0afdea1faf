//! Strings and byte vectors.

use formats::fast::{
    MapWriter, put_ascii, put_nullable_ascii, put_nullable_signed, put_nullable_vector, put_signed,
    put_vector,
};

use super::{EncodeFault, Encoder};
use crate::decode::text::stored;
use crate::dictionary::{Previous, SHORT};
use crate::program::Step;
use crate::template::{Kind, Operator};

/// In the form that the field's presence has.
fn put(step: &Step, value: Option<&[u8]>, out: &mut Vec<u8>) {
    match (step.kind, value) {
        (Kind::Ascii, Some(text)) if !step.nullable => put_ascii(out, text),
        (Kind::Ascii, value) => put_nullable_ascii(out, value),
        (_, Some(bytes)) if !step.nullable => put_vector(out, bytes),
        (_, value) => put_nullable_vector(out, value),
    }
}

/// How many bytes two strings have in common at the front.
fn common<'a>(a: impl Iterator<Item = &'a u8>, b: impl Iterator<Item = &'a u8>) -> usize {
    a.zip(b).take_while(|(a, b)| a == b).count()
}

/// The subtraction length, and what is added: at the back, or at the front if that is shorter.
fn difference<'a>(base: &[u8], value: &'a [u8]) -> (i64, &'a [u8]) {
    let front = common(base.iter(), value.iter());
    let back = common(base.iter().rev(), value.iter().rev());
    // Both have at most as many bytes in common as they are long, and no string is longer than 2^31.
    if back > front {
        let added = value.get(..value.len() - back).unwrap_or(value);
        return (-((base.len() - back) as i64) - 1, added);
    }
    let added = value.get(front..).unwrap_or(&[]);
    ((base.len() - front) as i64, added)
}

/// The tail that makes `value` of `base`.
fn tail<'a>(base: &[u8], value: &'a [u8]) -> Option<&'a [u8]> {
    if value.len() > base.len() {
        return Some(value);
    }
    if value.len() < base.len() {
        return None;
    }
    value.get(common(base.iter(), value.iter())..)
}

impl Encoder {
    /// A string or a byte vector with any operator.
    pub(super) fn put_text(
        &mut self,
        step: &Step,
        value: Option<&[u8]>,
        map: &mut MapWriter,
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeFault> {
        if value.is_none() && !step.nullable {
            return Err(EncodeFault::Missing);
        }
        if let Some(bytes) = value {
            match step.kind {
                Kind::Ascii if !bytes.is_ascii() => return Err(EncodeFault::Ascii),
                Kind::Unicode if std::str::from_utf8(bytes).is_err() => {
                    return Err(EncodeFault::Unicode);
                }
                _ => {}
            }
            if u32::try_from(bytes.len()).is_err() {
                return Err(EncodeFault::TooLong);
            }
        }
        let mut short = [0; SHORT];
        let initial = step
            .has_initial
            .then(|| self.program.initial_text(step, &mut short));
        match step.operator {
            Operator::Constant => {
                if value.is_some() && value != initial {
                    return Err(EncodeFault::Constant);
                }
                if step.nullable {
                    map.push(value.is_some());
                }
                Ok(())
            }
            Operator::Default => {
                let differs = value != initial;
                map.push(differs);
                if differs {
                    put(step, value, out);
                }
                Ok(())
            }
            Operator::Copy | Operator::Tail | Operator::Delta => {
                self.put_with_previous(step, value, map, out)?;
                self.keep_text(step, value)
            }
            Operator::None | Operator::Increment => {
                put(step, value, out);
                Ok(())
            }
        }
    }

    fn keep_text(&mut self, step: &Step, value: Option<&[u8]>) -> Result<(), EncodeFault> {
        match value {
            Some(bytes) => {
                let assigned = self.dictionary.assign_text(step, bytes);
                assigned.map_err(|_| EncodeFault::TooLong)
            }
            // A null delta leaves the previous value as it is.
            None if step.operator == Operator::Delta => Ok(()),
            None => {
                self.dictionary.set_empty(step);
                Ok(())
            }
        }
    }

    fn put_with_previous(
        &self,
        step: &Step,
        value: Option<&[u8]>,
        map: &mut MapWriter,
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeFault> {
        let initial = step.has_initial.then(|| self.program.text(step));
        let mut short = [0; SHORT];
        let previous = self.dictionary.previous(step);
        let (implied, base) = match previous {
            Err(_) => (None, None),
            Ok(Previous::Assigned(cell)) => {
                let bytes = stored(&self.dictionary, step, cell.word, cell.extra, &mut short);
                (Some(Some(bytes)), Some(bytes))
            }
            Ok(Previous::Undefined) => {
                let none = step.nullable.then_some(None);
                let implied = initial.map_or(none, |initial| Some(Some(initial)));
                (implied, Some(initial.unwrap_or(&[])))
            }
            Ok(Previous::Empty) => {
                let none = step.nullable.then_some(None);
                (none, Some(initial.unwrap_or(&[])))
            }
        };
        if step.operator == Operator::Delta {
            let Some(value) = value else {
                put_nullable_signed(out, None);
                return Ok(());
            };
            if matches!(previous, Ok(Previous::Empty)) {
                return Err(EncodeFault::PreviousEmpty);
            }
            let base = base.ok_or(EncodeFault::PreviousType)?;
            let (subtraction, added) = difference(base, value);
            if step.nullable {
                put_nullable_signed(out, Some(subtraction));
            } else {
                put_signed(out, subtraction);
            }
            if step.kind == Kind::Ascii {
                put_ascii(out, added);
            } else {
                put_vector(out, added);
            }
            return Ok(());
        }
        self.check_type(step)?;
        let differs = implied != Some(value);
        map.push(differs);
        if !differs {
            return Ok(());
        }
        let sent = match value {
            Some(value) if step.operator == Operator::Tail => {
                let base = base.ok_or(EncodeFault::PreviousType)?;
                Some(tail(base, value).ok_or(EncodeFault::Tail)?)
            }
            value => value,
        };
        put(step, sent, out);
        Ok(())
    }
}
