//! Strings and byte vectors (6.3.7.3 to 6.3.7.5, 6.3.8, 10.6.3 to 10.6.5, 10.7.3, 10.7.4).

use formats::fast::{Fault, PresenceMap};

use super::error::ErrorCode;
use super::run::Run;
use super::{Field, Value, Visitor};
use crate::dictionary::{Dictionary, Previous, SHORT};
use crate::program::{Program, Step};
use crate::template::{Kind, Operator};

/// Room for strings, kept from message to message.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    /// What the stream has.
    stream: Vec<u8>,
    /// Base value and stream value combined.
    combined: Vec<u8>,
}

/// Gives bytes to the visitor as the value of a string field.
#[inline(always)]
pub(super) fn give<V: Visitor>(
    visitor: &mut V,
    kind: Kind,
    field: Field,
    bytes: &[u8],
    check: bool,
) -> Result<(), ErrorCode> {
    let value = match kind {
        Kind::Ascii => Value::Ascii(bytes),
        Kind::Unicode => {
            if check && std::str::from_utf8(bytes).is_err() {
                return Err(ErrorCode::R2);
            }
            Value::Unicode(bytes)
        }
        _ => Value::Bytes(bytes),
    };
    visitor.field(field, value);
    Ok(())
}

/// The bytes of an assigned entry, in `short` if there are few.
pub(crate) fn stored<'a>(
    dictionary: &'a Dictionary,
    step: &Step,
    word: u64,
    length: u32,
    short: &'a mut [u8; SHORT],
) -> &'a [u8] {
    let length = length as usize;
    if length > SHORT {
        return dictionary.long_text(step);
    }
    *short = word.to_le_bytes();
    short.get(..length).unwrap_or(&[])
}

/// The base value of a delta or a tail.
fn base<'a>(
    dictionary: &'a Dictionary,
    program: &'a Program,
    step: &Step,
    short: &'a mut [u8; SHORT],
) -> Result<&'a [u8], ErrorCode> {
    let initial: &[u8] = if step.has_initial {
        program.text(step)
    } else {
        &[]
    };
    match dictionary.previous(step)? {
        Previous::Assigned(cell) => Ok(stored(dictionary, step, cell.word, cell.extra, short)),
        Previous::Undefined => Ok(initial),
        Previous::Empty if step.operator == Operator::Tail => Ok(initial),
        Previous::Empty => Err(ErrorCode::D6),
    }
}

impl<'b, V: Visitor> Run<'_, 'b, V> {
    /// An ASCII string without an operator.
    #[inline(never)]
    pub(super) fn ascii(&mut self, field: Field, nullable: bool) -> Result<(), ErrorCode> {
        if !self.read_stream(Kind::Ascii, nullable)? {
            self.visitor.field(field, Value::Absent);
            return Ok(());
        }
        let text = Value::Ascii(&self.scratch.stream);
        self.visitor.field(field, text);
        Ok(())
    }

    /// A string in the stream, to `scratch.stream`; false for NULL.
    fn read_stream(&mut self, kind: Kind, nullable: bool) -> Result<bool, ErrorCode> {
        let stream = &mut self.scratch.stream;
        stream.clear();
        if kind == Kind::Ascii {
            let text = if nullable {
                match self.reader.nullable_ascii()? {
                    None => return Ok(false),
                    Some(text) => text,
                }
            } else {
                self.reader.ascii()?
            };
            text.append_to(stream);
            return Ok(true);
        }
        let bytes = if nullable {
            match self.reader.nullable_vector()? {
                None => return Ok(false),
                Some(bytes) => bytes,
            }
        } else {
            self.reader.vector()?
        };
        stream.extend_from_slice(bytes);
        Ok(true)
    }

    /// A string or byte vector with any operator.
    #[inline(never)]
    pub(super) fn text(
        &mut self,
        step: &Step,
        field: Field,
        map: &mut PresenceMap<'b>,
    ) -> Result<(), ErrorCode> {
        let check = self.report.has(ErrorCode::R2);
        match step.operator {
            Operator::Delta => self.text_delta(step, field),
            Operator::None => self.text_in_stream(step, field, false),
            operator if map.next_bit() => match operator {
                Operator::Tail => self.text_tail(step, field),
                Operator::Copy => self.text_in_stream(step, field, true),
                _ => self.text_in_stream(step, field, false),
            },
            Operator::Default => {
                if !step.has_initial {
                    self.visitor.field(field, Value::Absent);
                    return Ok(());
                }
                let initial = self.program.text(step);
                give(self.visitor, step.kind, field, initial, check)
            }
            _ => self.text_missing(step, field, check),
        }
    }

    fn text_in_stream(&mut self, step: &Step, field: Field, keep: bool) -> Result<(), ErrorCode> {
        if !self.read_stream(step.kind, step.nullable)? {
            if keep {
                self.dictionary.check_type(step)?;
                self.dictionary.set_empty(step);
            }
            self.visitor.field(field, Value::Absent);
            return Ok(());
        }
        let bytes = &self.scratch.stream;
        if keep {
            self.dictionary.check_type(step)?;
            self.dictionary.assign_text(step, bytes)?;
        }
        let check = self.report.has(ErrorCode::R2);
        give(self.visitor, step.kind, field, bytes, check)
    }

    /// Copy and tail where nothing is in the stream.
    fn text_missing(&mut self, step: &Step, field: Field, check: bool) -> Result<(), ErrorCode> {
        match self.dictionary.previous(step)? {
            Previous::Assigned(cell) => {
                let mut short = [0; SHORT];
                let bytes = stored(self.dictionary, step, cell.word, cell.extra, &mut short);
                give(self.visitor, step.kind, field, bytes, check)
            }
            Previous::Undefined if step.has_initial => {
                let initial = self.program.text(step);
                self.dictionary.assign_text(step, initial)?;
                give(self.visitor, step.kind, field, initial, check)
            }
            Previous::Undefined if step.nullable => {
                self.dictionary.set_empty(step);
                self.visitor.field(field, Value::Absent);
                Ok(())
            }
            Previous::Empty if step.nullable => {
                self.visitor.field(field, Value::Absent);
                Ok(())
            }
            // The section on the tail operator (6.3.8) numbers these one higher than those on the others.
            Previous::Undefined if step.operator == Operator::Tail => Err(ErrorCode::D6),
            Previous::Undefined => Err(ErrorCode::D5),
            Previous::Empty if step.operator == Operator::Tail => Err(ErrorCode::D7),
            Previous::Empty => Err(ErrorCode::D6),
        }
    }

    fn text_tail(&mut self, step: &Step, field: Field) -> Result<(), ErrorCode> {
        if !self.read_stream(step.kind, step.nullable)? {
            self.dictionary.check_type(step)?;
            self.dictionary.set_empty(step);
            self.visitor.field(field, Value::Absent);
            return Ok(());
        }
        let mut short = [0; SHORT];
        let base = base(self.dictionary, self.program, step, &mut short)?;
        let tail = &self.scratch.stream;
        let kept = base.len().saturating_sub(tail.len());
        let combined = &mut self.scratch.combined;
        combined.clear();
        combined.extend_from_slice(base.get(..kept).unwrap_or(&[]));
        combined.extend_from_slice(tail);
        self.keep_combined(step, field)
    }

    fn text_delta(&mut self, step: &Step, field: Field) -> Result<(), ErrorCode> {
        let subtraction = if step.nullable {
            self.reader.nullable_signed()
        } else {
            self.reader.signed().map(Some)
        };
        let subtraction = match subtraction {
            Ok(None) => {
                self.visitor.field(field, Value::Absent);
                return Ok(());
            }
            Ok(Some(length)) => i32::try_from(length).ok(),
            Err(Fault::TooLarge) => None,
            Err(fault) => return Err(fault.into()),
        };
        self.read_stream(step.kind, false)?;
        let subtraction = subtraction.ok_or(ErrorCode::D7)?;
        let mut short = [0; SHORT];
        let base = base(self.dictionary, self.program, step, &mut short)?;
        let stream = &self.scratch.stream;
        let combined = &mut self.scratch.combined;
        combined.clear();
        if subtraction < 0 {
            // Excess-1: -1 takes nothing off the front.
            let kept = base.get(!subtraction as usize..).ok_or(ErrorCode::D7)?;
            combined.extend_from_slice(stream);
            combined.extend_from_slice(kept);
        } else {
            let kept = base.len().checked_sub(subtraction as usize);
            let kept = kept.and_then(|kept| base.get(..kept));
            combined.extend_from_slice(kept.ok_or(ErrorCode::D7)?);
            combined.extend_from_slice(stream);
        }
        self.keep_combined(step, field)
    }

    fn keep_combined(&mut self, step: &Step, field: Field) -> Result<(), ErrorCode> {
        let combined = &self.scratch.combined;
        self.dictionary.assign_text(step, combined)?;
        let check = self.report.has(ErrorCode::R2);
        give(self.visitor, step.kind, field, combined, check)
    }
}
