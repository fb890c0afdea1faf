//! Runs the steps of a template over the bytes of a message.

use wire::fast::{
    Fault, Overlong, PresenceMap, Reader, STOP, quick_ascii, quick_signed, quick_unsigned,
};

use super::error::{ErrorCode, Reportable};
use super::integer::Integer;
use super::text::{Scratch, give};
use super::{Field, Value, Visitor};
use crate::dictionary::{Dictionary, SHORT};
use crate::program::{Code, Program, Step};
use crate::template::{Decimal, Kind};

/// Dynamic template references inside each other at most.
pub(super) const DEEPEST: u32 = 64;
/// Entries of sequences that take no bytes, in a message, at most.
pub(super) const MOST_FREE_ENTRIES: u64 = 1 << 16;

impl Step {
    /// The field that it is about.
    #[inline(always)]
    fn field(&self) -> Field {
        Field {
            tag: self.tag,
            index: self.index,
        }
    }
}

/// The entries of a sequence.
#[derive(Clone, Copy, Debug)]
struct Entries {
    count: u32,
    /// Whether each has a presence map of its own.
    own_map: bool,
}

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
    fn used_up(&self, map: &PresenceMap<'_>) -> Result<(), ErrorCode> {
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

    /// From step `at` to the end: once, or for each entry of a sequence.
    ///
    /// This is the quick way: position and presence map in registers, and only what nearly every field is. Whatever is not, even if it is an
    /// error, [`Run::general_step`] does.
    fn repeat(
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
                            && let Some((mantissa, next)) = quick_signed(next, 8)
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
                            if let Some((mantissa, next)) = quick_signed(next, 8)
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

    /// As [`Run::repeat`], the general way: where the presence map has more than 63 bits.
    #[inline(never)]
    fn repeat_general(
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
    fn own_map(&mut self) -> Result<PresenceMap<'b>, ErrorCode> {
        let own = self.reader.presence_map()?;
        self.check_overlong()?;
        Ok(own)
    }

    /// As [`Run::steps`], the general way.
    #[inline(never)]
    fn general_steps(
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
    fn general_step(
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
    fn entries(
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
        self.repeat(steps, at + 1, map, Some(entries))?;
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
    fn give_constant(&mut self, step: &Step, field: Field) {
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
