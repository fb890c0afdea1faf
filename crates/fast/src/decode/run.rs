//! Runs the steps of a template over the bytes of a message.

use formats::fast::{Fault, Overlong, PresenceMap, Reader};

use super::error::{ErrorCode, Reportable};
use super::integer::Integer;
use super::quick::Entries;
use super::text::{Scratch, give};
use super::{Field, Value, Visitor};
use crate::dictionary::{Dictionary, SHORT};
use crate::program::{Code, Program, Step};
use crate::template::{Decimal, Kind};

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
    /// A message, or what a dynamic reference refers to, from within an application type: presence map, template identifier, fields (10,
    /// "segment").
    #[inline(always)]
    pub(super) fn message(&mut self, reference: Option<(Field, u32)>) -> Result<(), ErrorCode> {
        let mut map = self.reader.presence_map()?;
        self.check_overlong()?;
        let id = if map.next_bit() {
            match self.reader.unsigned() {
                Ok(id) => id,
                // An identifier has no type to be too large for.
                Err(Fault::TooLarge) => {
                    self.check_overlong()?;
                    return Err(ErrorCode::D9);
                }
                Err(fault) => return Err(fault.into()),
            }
        } else {
            u64::from(self.dictionary.template.ok_or(ErrorCode::D5)?)
        };
        self.check_overlong()?;
        let index = self.program.find(id).ok_or(ErrorCode::D9)?;
        let program = self.program;
        let mut variant = index;
        if let Some((_, application_type)) = reference {
            variant = program.variant(index, application_type);
        }
        let template = program.templates.get(variant).ok_or(ErrorCode::D9)?;
        self.dictionary.template = Some(id as u32);
        if template.reset && reference.is_none() {
            self.dictionary.reset();
        }
        self.dictionary.enter(program, variant);
        self.template = Some(index);
        match reference {
            None => self.visitor.message_start(index),
            Some((field, _)) => self.visitor.reference_start(field, index),
        }
        self.steps(&template.steps, 0, &mut map)?;
        self.used_up(&map)?;
        if reference.is_some() {
            self.visitor.reference_end();
        }
        Ok(())
    }

    /// R6, R7, R9: whether an encoding that was read was longer than need be. The quick way never reads such.
    #[inline(always)]
    fn check_overlong(&mut self) -> Result<(), ErrorCode> {
        if self.reader.overlong == Overlong::default() {
            return Ok(());
        }
        self.found_overlong()
    }

    #[cold]
    fn found_overlong(&mut self) -> Result<(), ErrorCode> {
        let overlong = std::mem::take(&mut self.reader.overlong);
        for (is_there, code) in [
            (overlong.map, ErrorCode::R7),
            (overlong.integer, ErrorCode::R6),
            (overlong.string, ErrorCode::R9),
        ] {
            if is_there && self.report.has(code) {
                return Err(code);
            }
        }
        Ok(())
    }

    /// R8.
    #[inline(always)]
    pub(super) fn used_up(&self, map: &PresenceMap<'_>) -> Result<(), ErrorCode> {
        if map.has_more() && self.report.has(ErrorCode::R8) {
            return Err(ErrorCode::R8);
        }
        Ok(())
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

    /// From step `at` to the end of the group or of the template.
    #[inline(always)]
    fn steps(
        &mut self,
        steps: &'p [Step],
        at: usize,
        map: &mut PresenceMap<'b>,
    ) -> Result<(), ErrorCode> {
        self.repeat(steps, at, map, None)
    }

    /// As [`Run::repeat`], the general way: where the presence map has more than 63 bits.
    #[inline(never)]
    pub(super) fn repeat_general(
        &mut self,
        steps: &'p [Step],
        at: usize,
        map: &mut PresenceMap<'b>,
        entries: Option<Entries>,
    ) -> Result<(), ErrorCode> {
        let Some(Entries { count, own_map }) = entries else {
            return self.general_steps(steps, at, map);
        };
        for entry in 0..count {
            self.visitor.entry_start(entry, self.reader.position());
            if own_map {
                let mut own = self.own_map()?;
                self.steps(steps, at, &mut own)?;
                self.used_up(&own)?;
            } else {
                self.general_steps(steps, at, map)?;
            }
            self.visitor.entry_end(self.reader.position());
        }
        Ok(())
    }

    /// The presence map of a group or an entry.
    pub(super) fn own_map(&mut self) -> Result<PresenceMap<'b>, ErrorCode> {
        let own = self.reader.presence_map()?;
        self.check_overlong()?;
        Ok(own)
    }

    /// As [`Run::steps`], the general way.
    #[inline(never)]
    pub(super) fn general_steps(
        &mut self,
        steps: &'p [Step],
        mut at: usize,
        map: &mut PresenceMap<'b>,
    ) -> Result<(), ErrorCode> {
        while let Some(step) = steps.get(at) {
            if step.code == Code::End {
                break;
            }
            at = self.general_step(steps, at, step, map)?;
        }
        Ok(())
    }

    /// Any step but an end, whatever the bytes. Returns the next one.
    #[inline(never)]
    pub(super) fn general_step(
        &mut self,
        steps: &'p [Step],
        at: usize,
        step: &'p Step,
        map: &mut PresenceMap<'b>,
    ) -> Result<usize, ErrorCode> {
        let mut result = self.any_step(steps, at, step, map);
        if let Err(code) = self.check_overlong() {
            // Whatever else is wrong with the step came after.
            result = Err(code);
        }
        if result.is_err() {
            // The innermost is the first.
            self.failed.get_or_insert(at);
        }
        result
    }

    #[inline(always)]
    fn any_step(
        &mut self,
        steps: &'p [Step],
        at: usize,
        step: &'p Step,
        map: &mut PresenceMap<'b>,
    ) -> Result<usize, ErrorCode> {
        let field = step.field();
        match step.code {
            Code::Decimal | Code::OptionalDecimal => {
                let value = self.read_decimal(step.nullable)?;
                self.give_decimal(field, value);
            }
            Code::DecimalOperator => {
                let value = self.decimal_operator(step, map)?;
                self.give_decimal(field, value);
            }
            Code::DecimalParts => {
                if let Some(mantissa) = steps.get(at + 1) {
                    let value = self.decimal_parts(step, mantissa, map)?;
                    self.give_decimal(field, value);
                }
                return Ok(at + 2);
            }
            Code::Ascii | Code::OptionalAscii => self.ascii(field, step.nullable)?,
            Code::AsciiCopy | Code::OptionalAsciiCopy | Code::Text => {
                self.text(step, field, map)?;
            }
            Code::UnsignedConstant | Code::ShortConstant | Code::Constant => {
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
            Code::PlainLength | Code::Length => {
                self.sequence(steps, at, map)?;
                return Ok(steps.get(at + 1).map_or(at, |start| start.end as usize) + 1);
            }
            Code::OptionalGroup if !map.next_bit() => {
                self.visitor.field(field, Value::Absent);
                return Ok(step.end as usize + 1);
            }
            Code::Group | Code::OptionalGroup => {
                self.visitor.group_start(field);
                self.segment(steps, at, map)?;
                self.visitor.group_end();
                return Ok(step.end as usize + 1);
            }
            Code::Reference => self.reference(field, step.initial as u32)?,
            _ => match step.kind {
                Kind::Unsigned(_) => {
                    let value: Option<u64> =
                        self.integer(step, map, step.operator, step.nullable)?;
                    self.give(field, value);
                }
                _ => {
                    let value: Option<i64> =
                        self.integer(step, map, step.operator, step.nullable)?;
                    self.give(field, value);
                }
            },
        }
        Ok(at + 1)
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
        let mut own = self.own_map()?;
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
        let Some(step) = steps.get(at) else {
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
        self.entries(steps, at + 1, length, map)
    }

    /// The entries of the sequence that starts at step `at`.
    pub(super) fn entries(
        &mut self,
        steps: &'p [Step],
        at: usize,
        length: u64,
        map: &mut PresenceMap<'b>,
    ) -> Result<(), ErrorCode> {
        let Some(start) = steps.get(at) else {
            return Ok(());
        };
        // A length that the bytes cannot hold is found before the first entry.
        if start.initial > 0 {
            if length.saturating_mul(start.initial) > self.reader.remaining() as u64 {
                return Err(ErrorCode::Truncated);
            }
        } else {
            self.free_entries += length;
            if self.free_entries > MOST_FREE_ENTRIES {
                return Err(ErrorCode::TooManyEntries);
            }
        }
        self.visitor.sequence_start(start.field(), length as u32);
        let entries = Entries {
            count: length as u32,
            own_map: start.own_map,
        };
        // Without the step that ends the entry: the end of the steps ends it as well, and costs nothing.
        let within = steps.get(..start.end as usize).unwrap_or(steps);
        self.repeat(within, at + 1, map, Some(entries))?;
        self.visitor.sequence_end();
        Ok(())
    }

    #[inline(never)]
    fn reference(&mut self, field: Field, application_type: u32) -> Result<(), ErrorCode> {
        if self.depth == DEEPEST {
            return Err(ErrorCode::TooDeep);
        }
        self.depth += 1;
        let outer = self.template;
        self.message(Some((field, application_type)))?;
        self.template = outer;
        self.depth -= 1;
        Ok(())
    }

    /// A constant is in no need of checks: the compiler made them.
    #[inline(always)]
    pub(super) fn give_constant(&mut self, step: &Step, field: Field) {
        let value = match step.kind {
            Kind::Unsigned(_) | Kind::Length => Value::Unsigned(step.initial),
            Kind::Decimal => Value::Decimal(Decimal {
                exponent: i32::from(step.exponent),
                mantissa: step.initial as i64,
            }),
            Kind::Ascii | Kind::Unicode | Kind::Bytes => {
                let mut short = [0; SHORT];
                let text = self.program.initial_text(step, &mut short);
                let _ = give(self.visitor, step.kind, field, text, false);
                return;
            }
            _ => Value::Signed(step.initial as i64),
        };
        self.visitor.field(field, value);
    }
}
