//! Runs the steps of a template over the bytes of a message.

use wire::fast::{PresenceMap, Reader};

use super::error::{ErrorCode, Reportable};
use super::integer::Integer;
use super::text::{Scratch, give};
use super::{Field, Value, Visitor};
use crate::dictionary::Dictionary;
use crate::program::{Code, Program, Step};
use crate::template::{Decimal, Kind, Operator};

/// Dynamic template references inside each other at most.
pub(super) const DEEPEST: u32 = 64;
/// Entries of sequences that take no bytes, in a message, at most.
pub(super) const MOST_FREE_ENTRIES: u64 = 1 << 16;

/// A message being decoded.
pub(super) struct Run<'p, 'b, V> {
    pub program: &'p Program,
    pub dictionary: &'p mut Dictionary,
    pub reader: Reader<'b>,
    pub visitor: &'p mut V,
    pub report: Reportable,
    pub scratch: &'p mut Scratch,
    /// The current template, once it is known.
    pub template: Option<usize>,
    /// The instruction that an error was found in.
    pub failed: Option<usize>,
    pub depth: u32,
    pub free_entries: u64,
}

impl<'p, 'b, V: Visitor> Run<'p, 'b, V> {
    /// A message, or what a dynamic reference refers to: presence map, template identifier, fields (10, "segment").
    #[inline(always)]
    pub(super) fn message(&mut self, reference: Option<Field>) -> Result<(), ErrorCode> {
        let mut map = self.reader.presence_map()?;
        let id = if map.next_bit() {
            self.reader.unsigned()?
        } else {
            u64::from(self.dictionary.template.ok_or(ErrorCode::D5)?)
        };
        let index = self.program.find(id).ok_or(ErrorCode::D9)?;
        let program = self.program;
        let template = program.templates.get(index).ok_or(ErrorCode::D9)?;
        if template.reset {
            self.dictionary.reset();
        }
        self.dictionary.template = Some(id as u32);
        self.dictionary.enter(program, index);
        self.template = Some(index);
        match reference {
            None => self.visitor.message_start(index),
            Some(field) => self.visitor.reference_start(field, index),
        }
        self.steps(&template.steps, 0, &mut map)?;
        self.used_up(&map)?;
        if reference.is_some() {
            self.visitor.reference_end();
        }
        Ok(())
    }

    /// R8.
    #[inline(always)]
    fn used_up(&self, map: &PresenceMap<'_>) -> Result<(), ErrorCode> {
        if map.has_more() && self.report.has(ErrorCode::R8) {
            return Err(ErrorCode::R8);
        }
        Ok(())
    }

    #[cold]
    fn fail(&mut self, at: usize, code: ErrorCode) -> ErrorCode {
        // The innermost is the first.
        self.failed.get_or_insert(at);
        code
    }

    #[inline(always)]
    fn give<I: Integer>(&mut self, field: Field, value: Option<I>) {
        let value = value.map_or(Value::Absent, I::value);
        self.visitor.field(field, value);
    }

    #[inline(always)]
    fn give_decimal(&mut self, field: Field, value: Option<Decimal>) {
        let value = value.map_or(Value::Absent, Value::Decimal);
        self.visitor.field(field, value);
    }

    /// From step `at` to the end of the group, of the entry or of the template.
    fn steps(
        &mut self,
        steps: &'p [Step],
        mut at: usize,
        map: &mut PresenceMap<'b>,
    ) -> Result<(), ErrorCode> {
        use Operator::{Copy, Default, Delta, Increment, None};
        while let Some(step) = steps.get(at) {
            let field = Field {
                tag: step.tag,
                index: at as u32,
            };
            macro_rules! attempt {
                ($result:expr) => {
                    match $result {
                        Ok(value) => value,
                        Err(code) => return Err(self.fail(at, code)),
                    }
                };
            }
            macro_rules! integer {
                ($type:ty, $operator:expr, $nullable:expr) => {{
                    let value = self.integer::<$type>(step, map, $operator, $nullable);
                    let value = attempt!(value);
                    self.give(field, value)
                }};
            }
            match step.code {
                Code::Unsigned => integer!(u64, None, false),
                Code::OptionalUnsigned => integer!(u64, None, true),
                Code::UnsignedDefault => integer!(u64, Default, false),
                Code::OptionalUnsignedDefault => integer!(u64, Default, true),
                Code::UnsignedCopy => integer!(u64, Copy, false),
                Code::OptionalUnsignedCopy => integer!(u64, Copy, true),
                Code::UnsignedIncrement => integer!(u64, Increment, false),
                Code::OptionalUnsignedIncrement => integer!(u64, Increment, true),
                Code::UnsignedDelta => integer!(u64, Delta, false),
                Code::OptionalUnsignedDelta => integer!(u64, Delta, true),
                Code::Signed => integer!(i64, None, false),
                Code::OptionalSigned => integer!(i64, None, true),
                Code::SignedDefault => integer!(i64, Default, false),
                Code::OptionalSignedDefault => integer!(i64, Default, true),
                Code::SignedCopy => integer!(i64, Copy, false),
                Code::OptionalSignedCopy => integer!(i64, Copy, true),
                Code::SignedIncrement => integer!(i64, Increment, false),
                Code::OptionalSignedIncrement => integer!(i64, Increment, true),
                Code::SignedDelta => integer!(i64, Delta, false),
                Code::OptionalSignedDelta => integer!(i64, Delta, true),
                Code::Decimal => {
                    let value = attempt!(self.read_decimal(false));
                    self.give_decimal(field, value);
                }
                Code::OptionalDecimal => {
                    let value = attempt!(self.read_decimal(true));
                    self.give_decimal(field, value);
                }
                Code::DecimalOperator => {
                    let value = attempt!(self.decimal_operator(step, map));
                    self.give_decimal(field, value);
                }
                Code::DecimalParts => {
                    if let Some(mantissa) = steps.get(at + 1) {
                        let value = attempt!(self.decimal_parts(step, mantissa, map));
                        self.give_decimal(field, value);
                    }
                    at += 1;
                }
                Code::Ascii => attempt!(self.ascii(field, false)),
                Code::OptionalAscii => attempt!(self.ascii(field, true)),
                Code::Text => attempt!(self.text(step, field, map)),
                Code::Constant => {
                    if V::CONSTANTS {
                        self.give_constant(step, field);
                    }
                }
                Code::OptionalConstant => {
                    if map.next_bit() {
                        self.give_constant(step, field);
                    } else {
                        self.visitor.field(field, Value::Absent);
                    }
                }
                Code::Length => {
                    attempt!(self.sequence(steps, at, map));
                    at = steps.get(at + 1).map_or(at, |start| start.end as usize);
                }
                Code::OptionalGroup if !map.next_bit() => {
                    self.visitor.field(field, Value::Absent);
                    at = step.end as usize;
                }
                Code::Group | Code::OptionalGroup => {
                    self.visitor.group_start(field);
                    attempt!(self.segment(steps, at, map));
                    self.visitor.group_end();
                    at = step.end as usize;
                }
                Code::End => return Ok(()),
                Code::Reference => attempt!(self.reference(field)),
            }
            at += 1;
        }
        Ok(())
    }

    /// What is in a bracket, with a presence map of its own if it has one.
    #[inline(always)]
    fn segment(
        &mut self,
        steps: &'p [Step],
        start: usize,
        map: &mut PresenceMap<'b>,
    ) -> Result<(), ErrorCode> {
        if !steps.get(start).is_some_and(|step| step.own_map) {
            return self.steps(steps, start + 1, map);
        }
        let mut own = self.reader.presence_map()?;
        self.steps(steps, start + 1, &mut own)?;
        self.used_up(&own)
    }

    /// A length, and as many entries.
    fn sequence(
        &mut self,
        steps: &'p [Step],
        at: usize,
        map: &mut PresenceMap<'b>,
    ) -> Result<(), ErrorCode> {
        let (Some(step), Some(start)) = (steps.get(at), steps.get(at + 1)) else {
            return Ok(());
        };
        let length: Option<u64> = self.integer(step, map, step.operator, step.nullable)?;
        let field = Field {
            tag: step.tag,
            index: at as u32,
        };
        self.give(field, length);
        let Some(length) = length else {
            return Ok(());
        };
        // A length that the bytes cannot hold is found before the first entry.
        if start.initial > 0 {
            if length > self.reader.remaining() as u64 / start.initial {
                return Err(ErrorCode::Truncated);
            }
        } else {
            self.free_entries += length;
            if self.free_entries > MOST_FREE_ENTRIES {
                return Err(ErrorCode::TooManyEntries);
            }
        }
        let field = Field {
            tag: start.tag,
            index: at as u32 + 1,
        };
        self.visitor.sequence_start(field, length as u32);
        for entry in 0..length as u32 {
            self.visitor.entry_start(entry);
            self.segment(steps, at + 1, map)?;
            self.visitor.entry_end();
        }
        self.visitor.sequence_end();
        Ok(())
    }

    #[inline(never)]
    fn reference(&mut self, field: Field) -> Result<(), ErrorCode> {
        if self.depth == DEEPEST {
            return Err(ErrorCode::TooDeep);
        }
        self.depth += 1;
        let outer = self.template;
        self.message(Some(field))?;
        self.template = outer;
        self.depth -= 1;
        Ok(())
    }

    /// A constant is in no need of checks: the compiler made them.
    #[inline(always)]
    fn give_constant(&mut self, step: &Step, field: Field) {
        let value = match step.kind {
            Kind::Unsigned(_) | Kind::Length => Value::Unsigned(step.initial),
            Kind::Decimal => Value::Decimal(Decimal {
                exponent: i32::from(step.exponent),
                mantissa: step.initial as i64,
            }),
            Kind::Ascii | Kind::Unicode | Kind::Bytes => {
                let text = self.program.text(step);
                let _ = give(self.visitor, step.kind, field, text, false);
                return;
            }
            _ => Value::Signed(step.initial as i64),
        };
        self.visitor.field(field, value);
    }
}
