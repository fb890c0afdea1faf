//! The quick way through the steps of a template: what nearly every field of nearly every message is.
//!
//! Position and presence map are in registers, and a field that takes the usual way costs one jump. Anything else, an overlong integer, a
//! type that is exceeded, an entry of the dictionary that is not assigned, the last bytes of a packet, goes [the general
//! way](Run::general_step).

use wire::fast::{PresenceMap, STOP, quick_ascii, quick_long_signed, quick_signed, quick_unsigned};

use super::error::ErrorCode;
use super::integer::Integer;
use super::run::Run;
use super::{Field, Value, Visitor};
use crate::program::{Code, Step};
use crate::template::Decimal;

impl Step {
    /// The field that it is about.
    #[inline(always)]
    pub(super) fn field(&self) -> Field {
        Field {
            tag: self.tag,
            index: self.index,
        }
    }
}

/// The entries of a sequence.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entries {
    pub count: u32,
    /// Whether each has a presence map of its own.
    pub own_map: bool,
}

impl<'p, 'b, V: Visitor> Run<'p, 'b, V> {
    /// From step `at` to the end: once, or for each entry of a sequence.
    ///
    /// This is the quick way: position and presence map in registers, and only what nearly every field is. Whatever is not, even if it is
    /// an error, [`Run::general_step`] does.
    pub(super) fn repeat(
        &mut self,
        steps: &'p [Step],
        at: usize,
        map: &mut PresenceMap<'b>,
        entries: Option<Entries>,
    ) -> Result<(), ErrorCode> {
        let Some(mut bits) = map.word() else {
            return self.repeat_general(steps, at, map, entries);
        };
        // The map of the entry at hand, or the one around.
        let mut current = *map;
        let end = self.reader.bytes().len();
        let mut rest = self.reader.rest();
        let mut entry = 0;
        loop {
            if let Some(Entries { count, own_map }) = entries {
                if entry == count {
                    break;
                }
                self.visitor.entry_start(entry, end - rest.len());
                entry += 1;
                match rest.first() {
                    _ if !own_map => {}
                    Some(first) if first & STOP != 0 => {
                        bits = u64::from(*first) << 57;
                        rest = &rest[1..];
                    }
                    _ => {
                        self.reader.go_to(end - rest.len());
                        let mut own = self.own_map()?;
                        let Some(word) = own.word() else {
                            self.general_steps(steps, at, &mut own)?;
                            self.used_up(&own)?;
                            self.visitor.entry_end(self.reader.position());
                            rest = self.reader.rest();
                            continue;
                        };
                        bits = word;
                        rest = self.reader.rest();
                    }
                }
            }
            let mut list = steps.get(at..).unwrap_or(&[]).iter();
            while let Some(step) = list.next() {
                macro_rules! null {
                    ($next:expr) => {{
                        // Where one field is absent, the next ones often are.
                        let mut step = step;
                        rest = $next;
                        self.visitor.field(step.field(), Value::Absent);
                        while step.next_is_optional && rest.first() == Some(&STOP) {
                            let Some(next) = list.next() else { break };
                            step = next;
                            rest = &rest[1..];
                            self.visitor.field(step.field(), Value::Absent);
                        }
                        continue;
                    }};
                }
                macro_rules! give {
                    ($value:expr) => {{
                        let value = $value;
                        self.visitor.field(step.field(), value);
                        continue;
                    }};
                    ($value:expr, $next:expr) => {{
                        rest = $next;
                        give!($value);
                    }};
                }
                match step.code {
                    Code::Unsigned => {
                        if let Some((value, next)) = quick_unsigned(rest, step.longest) {
                            give!(Value::Unsigned(value), next);
                        }
                    }
                    Code::OptionalUnsigned => {
                        if let Some((value, next)) = quick_unsigned(rest, step.longest) {
                            match value.checked_sub(1) {
                                None => null!(next),
                                Some(value) => give!(Value::Unsigned(value), next),
                            }
                        }
                    }
                    Code::Signed => {
                        if let Some((value, next)) = quick_signed(rest, step.longest) {
                            give!(Value::Signed(value), next);
                        }
                    }
                    Code::OptionalSigned => {
                        if let Some((value, next)) = quick_signed(rest, step.longest) {
                            if value == 0 {
                                null!(next);
                            }
                            give!(Value::Signed(value - i64::from(value > 0)), next);
                        }
                    }
                    Code::Ascii | Code::OptionalAscii => {
                        if let Some((word, length, next)) = quick_ascii(rest) {
                            let text = word.to_le_bytes();
                            let text = text.get(..length).unwrap_or(&[]);
                            give!(Value::Ascii(text), next);
                        }
                        if step.nullable && rest.first() == Some(&STOP) {
                            null!(&rest[1..]);
                        }
                    }
                    Code::Decimal => {
                        if let Some((exponent, next)) = quick_signed(rest, 1)
                            && let Some((mantissa, next)) = quick_long_signed(next, 8)
                            && exponent != -64
                        {
                            let exponent = exponent as i32;
                            give!(Value::Decimal(Decimal { exponent, mantissa }), next);
                        }
                    }
                    Code::OptionalDecimal => {
                        if let Some((exponent, next)) = quick_signed(rest, 1) {
                            if exponent == 0 {
                                null!(next);
                            }
                            if let Some((mantissa, next)) = quick_long_signed(next, 8)
                                && exponent != -64
                            {
                                let exponent = exponent as i32 - i32::from(exponent > 0);
                                give!(Value::Decimal(Decimal { exponent, mantissa }), next);
                            }
                        }
                    }
                    Code::UnsignedCopy | Code::OptionalUnsignedCopy => {
                        if bits >> 63 == 0 {
                            if let Some(word) = self.dictionary.assigned(step) {
                                bits <<= 1;
                                give!(Value::Unsigned(word));
                            }
                            if step.nullable && self.dictionary.is_empty(step) {
                                bits <<= 1;
                                give!(Value::Absent);
                            }
                        } else if let Some((value, next)) = quick_unsigned(rest, step.longest) {
                            bits <<= 1;
                            if step.nullable && value == 0 {
                                self.dictionary.set_empty(step);
                                give!(Value::Absent, next);
                            }
                            let value = value - u64::from(step.nullable);
                            self.dictionary.assign(step, value, 0);
                            give!(Value::Unsigned(value), next);
                        }
                    }
                    Code::UnsignedIncrement => {
                        if bits >> 63 == 0
                            && let Some(word) = self.dictionary.assigned(step)
                        {
                            bits <<= 1;
                            let value = word.next(step.bits);
                            self.dictionary.set_word(step, value);
                            give!(Value::Unsigned(value));
                        }
                    }
                    Code::UnsignedDelta | Code::OptionalUnsignedDelta => {
                        if let Some((delta, next)) = quick_signed(rest, 8) {
                            if step.nullable && delta == 0 {
                                null!(next);
                            }
                            let delta = delta - i64::from(step.nullable && delta > 0);
                            if let Some(word) = self.dictionary.assigned(step)
                                && let Some(sum) = word.checked_add_signed(delta)
                                && sum.fits(step.bits)
                            {
                                self.dictionary.set_word(step, sum);
                                give!(Value::Unsigned(sum), next);
                            }
                        }
                    }
                    Code::SignedDelta | Code::OptionalSignedDelta => {
                        if let Some((delta, next)) = quick_signed(rest, 8) {
                            if step.nullable && delta == 0 {
                                null!(next);
                            }
                            let delta = delta - i64::from(step.nullable && delta > 0);
                            if let Some(word) = self.dictionary.assigned(step)
                                && let Some(sum) = (word as i64).checked_add(delta)
                                && sum.fits(step.bits)
                            {
                                self.dictionary.set_word(step, sum as u64);
                                give!(Value::Signed(sum), next);
                            }
                        }
                    }
                    Code::AsciiCopy | Code::OptionalAsciiCopy => {
                        if bits >> 63 == 0 {
                            if step.nullable && self.dictionary.is_empty(step) {
                                bits <<= 1;
                                give!(Value::Absent);
                            }
                            if let Some((word, length)) = self.dictionary.short_text(step) {
                                bits <<= 1;
                                let text = word.to_le_bytes();
                                let text = text.get(..length).unwrap_or(&[]);
                                give!(Value::Ascii(text));
                            }
                        } else if let Some((word, length, next)) = quick_ascii(rest) {
                            bits <<= 1;
                            self.dictionary.assign(step, word, length as u32);
                            let text = word.to_le_bytes();
                            let text = text.get(..length).unwrap_or(&[]);
                            give!(Value::Ascii(text), next);
                        }
                    }
                    Code::UnsignedConstant => {
                        if V::CONSTANTS {
                            give!(Value::Unsigned(step.initial));
                        }
                        continue;
                    }
                    Code::ShortConstant => {
                        if V::CONSTANTS {
                            let text = step.initial.to_le_bytes();
                            let text = text.get(..step.exponent as usize).unwrap_or(&[]);
                            give!(Value::Ascii(text));
                        }
                        continue;
                    }
                    Code::PlainLength => {
                        if let Some((length, next)) = quick_unsigned(rest, step.longest) {
                            self.reader.go_to(end - next.len());
                            current.set_word(bits);
                            self.visitor.field(step.field(), Value::Unsigned(length));
                            let start = step.index as usize + 1;
                            if let Err(code) = self.entries(steps, start, length, &mut current) {
                                self.failed.get_or_insert(start - 1);
                                return Err(code);
                            }
                            let after =
                                steps.get(start).map_or(start, |start| start.end as usize) + 1;
                            list = steps.get(after..).unwrap_or(&[]).iter();
                            rest = self.reader.rest();
                            bits = current.word().unwrap_or(0);
                            continue;
                        }
                    }
                    Code::End => break,
                    // Written out, so that the table of jumps needs no check.
                    Code::UnsignedDefault
                    | Code::OptionalUnsignedDefault
                    | Code::OptionalUnsignedIncrement
                    | Code::SignedDefault
                    | Code::OptionalSignedDefault
                    | Code::SignedCopy
                    | Code::OptionalSignedCopy
                    | Code::SignedIncrement
                    | Code::OptionalSignedIncrement
                    | Code::DecimalOperator
                    | Code::DecimalParts
                    | Code::Text
                    | Code::Constant
                    | Code::OptionalConstant
                    | Code::Length
                    | Code::Group
                    | Code::OptionalGroup
                    | Code::Integer
                    | Code::Reference => {}
                }
                self.reader.go_to(end - rest.len());
                current.set_word(bits);
                let next = self.general_step(steps, step.index as usize, step, &mut current)?;
                list = steps.get(next..).unwrap_or(&[]).iter();
                rest = self.reader.rest();
                bits = current.word().unwrap_or(0);
            }
            let Some(Entries { own_map, .. }) = entries else {
                break;
            };
            if own_map && bits != 0 && self.report.has(ErrorCode::R8) {
                // The error's place is the end of the entry.
                self.reader.go_to(end - rest.len());
                return Err(ErrorCode::R8);
            }
            self.visitor.entry_end(end - rest.len());
        }
        self.reader.go_to(end - rest.len());
        if !entries.is_some_and(|entries| entries.own_map) {
            map.set_word(bits);
        }
        Ok(())
    }
}
