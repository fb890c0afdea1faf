//! Templates to a program.

use super::slots::Slots;
use super::word::{Ends, Execute, Group, Row, ValueKind, Walk, WalkKind};
use super::{
    GROUP_SIZE, Limit, MOST_MAP_BITS, NOTHING, Patterns, Program, Refused, Room, Subroutine,
};
use crate::template::{Decimal, Initial, Instruction, Kind, Operator, Template, Templates};

/// Which fields leave the engine. Others only keep the dictionary right, and are checked like all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// All fields.
    All,
    /// The fields with these numbers.
    Tags(Vec<u32>),
}

impl Wanted {
    fn has(&self, instruction: &Instruction) -> bool {
        match self {
            Wanted::All => true,
            Wanted::Tags(tags) => tags.contains(&instruction.tag),
        }
    }
}

/// Makes the program of all templates that have an identifier. Those that the engine cannot take are listed in [`Program::refused`].
pub fn assemble(templates: &Templates, wanted: &Wanted, room: Room) -> Program {
    let slots = Slots::new(templates);
    let mut program = Program::default();
    for (index, template) in templates.all().iter().enumerate() {
        let Some(id) = template.id else { continue };
        let mut assembler = Assembler {
            templates,
            slots: &slots,
            wanted,
            room,
            groups: Vec::new(),
            first: program.groups.len(),
            texts: std::mem::take(&mut program.texts),
            open: Open::default(),
        };
        let apart = |limit| Refused {
            template: index,
            name: template.name.local.clone(),
            limit,
        };
        let texts = assembler.texts.len();
        let outcome = assembler.template(template);
        program.texts = std::mem::take(&mut assembler.texts);
        if let Err(limit) = outcome {
            program.texts.truncate(texts);
            program.refused.push(apart(limit));
            continue;
        }
        let mut identifiers: Vec<u32> = program.subroutines.iter().map(|one| one.row.id).collect();
        identifiers.push(id);
        match Patterns::find(&identifiers) {
            Ok(patterns) => program.patterns = patterns,
            Err(_) => {
                program.texts.truncate(texts);
                program.refused.push(apart(Limit::Identifier(id)));
                continue;
            }
        }
        let start = program.groups.len();
        program.groups.append(&mut assembler.groups);
        let group = program
            .groups
            .get(start)
            .map_or(Group::default(), |one| one.0);
        let row = Row {
            used: true,
            reset: template.reset,
            empty: group.ends == Ends::Message && group.walk == [NOTHING; GROUP_SIZE],
            id,
            start: start as u16,
            group,
        };
        program.subroutines.push(Subroutine {
            name: template.name.local.clone(),
            row,
        });
    }
    program
}

/// The group that is being filled.
#[derive(Default)]
struct Open {
    instructions: Vec<(Walk, Execute)>,
    map_bits: u8,
    takes_more: bool,
}

pub(super) struct Assembler<'a> {
    templates: &'a Templates,
    pub(super) slots: &'a Slots,
    wanted: &'a Wanted,
    room: Room,
    groups: Vec<(Group, [Execute; GROUP_SIZE])>,
    /// The groups of the templates before.
    first: usize,
    /// The text memory.
    pub(super) texts: Vec<u64>,
    open: Open,
}

/// Whether an instruction takes a presence-map bit of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Bit {
    None,
    Own,
    /// The one of the instruction before.
    Same,
}

pub(super) fn name(instruction: &Instruction) -> String {
    instruction.name.local.clone()
}

pub(super) fn bit(instruction: &Instruction) -> Bit {
    match instruction.map_bit {
        Some(_) => Bit::Own,
        None => Bit::None,
    }
}

/// The number in an initial value.
fn number(initial: &Option<Initial>) -> u64 {
    match initial {
        Some(Initial::Unsigned(value)) => *value,
        Some(Initial::Signed(value)) => *value as u64,
        _ => 0,
    }
}

impl Assembler<'_> {
    fn template(&mut self, template: &Template) -> Result<(), Limit> {
        if template.map_bits > MOST_MAP_BITS {
            return Err(Limit::MapBits(template.map_bits));
        }
        self.body(&template.instructions, 0, template.instructions.len(), 0)?;
        self.close(Ends::Message)?;
        Ok(())
    }

    /// The next group's number.
    fn place(&self) -> usize {
        self.first + self.groups.len()
    }

    /// Closes the open group, which may be empty, and returns its index.
    fn close(&mut self, ends: Ends) -> Result<usize, Limit> {
        if self.place() >= self.room.groups {
            return Err(Limit::Groups(self.room.groups));
        }
        let open = std::mem::take(&mut self.open);
        let mut group = Group {
            walk: [NOTHING; GROUP_SIZE],
            map_bits: open.map_bits,
            takes_more: open.takes_more,
            ends,
            target: 0,
        };
        let mut instructions = [Execute::default(); GROUP_SIZE];
        for (at, (walk, execute)) in open.instructions.into_iter().enumerate() {
            group.walk[at] = walk;
            instructions[at] = execute;
        }
        self.groups.push((group, instructions));
        Ok(self.groups.len() - 1)
    }

    /// Adds instructions that must be in one group.
    pub(super) fn add(&mut self, instructions: &[(Walk, Execute, Bit)]) -> Result<(), Limit> {
        if self.open.instructions.len() + instructions.len() > GROUP_SIZE {
            self.close(Ends::Nothing)?;
        }
        for (walk, execute, bit) in instructions {
            let mut walk = *walk;
            if *bit == Bit::Own {
                self.open.map_bits += 1;
            }
            walk.unconditional = *bit == Bit::None;
            walk.bit_index = match bit {
                Bit::None => 0,
                _ => self.open.map_bits - 1,
            };
            self.open.instructions.push((walk, *execute));
        }
        Ok(())
    }

    /// Whether there is something to do for a field with an operator whose bit is not set.
    fn acts_without(&self, instruction: &Instruction) -> bool {
        match instruction.operator {
            Operator::Constant | Operator::Default => self.wanted.has(instruction),
            // The previous value of a field that is not wanted is the business of nobody, where there must be one, and nobody else has it.
            Operator::Copy | Operator::Tail => {
                let must_be = instruction.initial.is_some() || instruction.nullable;
                self.wanted.has(instruction) || !must_be || self.slots.is_shared(instruction)
            }
            _ => true,
        }
    }

    /// The words of a field, or of a part of one, without what depends on its kind.
    pub(super) fn words(
        &self,
        instruction: &Instruction,
        kind: ValueKind,
    ) -> Result<(Walk, Execute), Limit> {
        let constant = instruction.operator == Operator::Constant;
        let walk = Walk {
            act_set: true,
            act_clear: instruction.map_bit.is_some() && self.acts_without(instruction),
            kind: if constant {
                WalkKind::Value
            } else {
                WalkKind::Field
            },
            nullable: instruction.nullable,
            slot: self.slots.of(instruction)?,
            ..Walk::default()
        };
        let bits = match instruction.kind {
            Kind::Unsigned(width) | Kind::Signed(width) => width.bits(),
            Kind::Length | Kind::Exponent => 32,
            _ => 64,
        };
        let signed = matches!(
            instruction.kind,
            Kind::Signed(_) | Kind::Exponent | Kind::Mantissa | Kind::Decimal
        );
        let execute = Execute {
            tag: instruction.tag,
            initial: number(&instruction.initial),
            extra: 0,
            operator: instruction.operator,
            kind,
            width: (bits / 8).ilog2() as u8,
            value_type: instruction.kind.value_type(),
            nullable: instruction.nullable,
            has_initial: instruction.initial.is_some(),
            wanted: self.wanted.has(instruction),
            whole: false,
            signed_token: signed || instruction.operator == Operator::Delta,
            signed_value: signed,
        };
        Ok((walk, execute))
    }

    /// A constant that nobody wants and that has no bit is not there at all.
    pub(super) fn is_nothing(&self, instruction: &Instruction) -> bool {
        instruction.operator == Operator::Constant
            && instruction.map_bit.is_none()
            && !self.wanted.has(instruction)
    }

    fn body(
        &mut self,
        instructions: &[Instruction],
        mut at: usize,
        end: usize,
        depth: usize,
    ) -> Result<(), Limit> {
        while at < end {
            let Some(instruction) = instructions.get(at) else {
                break;
            };
            match instruction.kind {
                Kind::Unsigned(_) => self.integer(instruction, ValueKind::Unsigned)?,
                Kind::Signed(_) => self.integer(instruction, ValueKind::Signed)?,
                Kind::Decimal => self.decimal(instruction)?,
                Kind::Exponent => {
                    if let Some(mantissa) = instructions.get(at + 1) {
                        self.parts(instruction, mantissa)?;
                    }
                    at += 1;
                }
                Kind::Ascii | Kind::Unicode | Kind::Bytes => self.text(instruction)?,
                Kind::Length => {
                    let start = instructions.get(at + 1);
                    self.sequence(instructions, at, depth)?;
                    at = start.map_or(end, |start| start.partner);
                }
                Kind::GroupStart => {
                    self.group(instructions, at, depth)?;
                    at = instruction.partner;
                }
                Kind::TemplateReference => self.reference(instruction)?,
                Kind::Mantissa | Kind::SequenceStart | Kind::GroupEnd | Kind::SequenceEnd => {}
            }
            at += 1;
        }
        Ok(())
    }

    fn integer(&mut self, instruction: &Instruction, kind: ValueKind) -> Result<(), Limit> {
        if self.is_nothing(instruction) {
            return Ok(());
        }
        let (mut walk, execute) = self.words(instruction, kind)?;
        if instruction.operator == Operator::Constant {
            walk.act_set = execute.wanted;
        }
        self.add(&[(walk, execute, bit(instruction))])
    }

    fn decimal(&mut self, instruction: &Instruction) -> Result<(), Limit> {
        if self.is_nothing(instruction) {
            return Ok(());
        }
        let initial = match &instruction.initial {
            Some(Initial::Decimal(value)) => *value,
            _ => Decimal::default(),
        };
        if instruction.operator == Operator::Constant {
            let (mut walk, mut execute) = self.words(instruction, ValueKind::Decimal)?;
            walk.act_set = execute.wanted;
            execute.initial = initial.mantissa as u64;
            execute.extra = initial.exponent as i8;
            return self.add(&[(walk, execute, bit(instruction))]);
        }
        let (mut walk, mut execute) = self.words(instruction, ValueKind::Exponent)?;
        walk.kind = WalkKind::Exponent;
        execute.whole = true;
        execute.initial = i64::from(initial.exponent) as u64;
        let (mut mantissa_walk, mut mantissa) = (walk, execute);
        mantissa_walk.kind = WalkKind::Field;
        mantissa_walk.nullable = false;
        mantissa.kind = ValueKind::Mantissa;
        mantissa.nullable = false;
        mantissa.initial = initial.mantissa as u64;
        if instruction.slot.is_some() {
            mantissa_walk.slot = self.slots.mantissa(instruction)?;
        }
        let bit = bit(instruction);
        let same = if bit == Bit::Own {
            Bit::Same
        } else {
            Bit::None
        };
        self.add(&[(walk, execute, bit), (mantissa_walk, mantissa, same)])
    }

    /// A decimal whose parts have operators of their own.
    fn parts(&mut self, exponent: &Instruction, mantissa: &Instruction) -> Result<(), Limit> {
        let wanted = self.wanted.has(exponent);
        let (mut walk, mut first) = self.words(exponent, ValueKind::Exponent)?;
        let (mut mantissa_walk, mut second) = self.words(mantissa, ValueKind::Mantissa)?;
        // A value that the exponent needs: whether there is one decides about the mantissa.
        walk.act_clear = exponent.map_bit.is_some();
        walk.waits = exponent.nullable && exponent.map_bit.is_some();
        if exponent.operator != Operator::Constant {
            walk.kind = WalkKind::Exponent;
        }
        mantissa_walk.act_clear = mantissa.map_bit.is_some();
        second.tag = first.tag;
        (first.wanted, second.wanted) = (wanted, wanted);
        let takes_more = exponent.nullable && mantissa.map_bit.is_some();
        let is_exponent = |one: &(Walk, Execute)| one.1.kind == ValueKind::Exponent;
        if takes_more && self.open.instructions.iter().any(is_exponent) {
            // The group has one exponent, so that it is clear whose mantissa has no bit.
            self.close(Ends::Nothing)?;
        }
        self.add(&[
            (walk, first, bit(exponent)),
            (mantissa_walk, second, bit(mantissa)),
        ])?;
        if takes_more {
            self.open.takes_more = true;
            self.open.map_bits -= 1;
            self.close(Ends::Nothing)?;
        }
        Ok(())
    }

    fn sequence(
        &mut self,
        instructions: &[Instruction],
        at: usize,
        depth: usize,
    ) -> Result<(), Limit> {
        let (Some(length), Some(start)) = (instructions.get(at), instructions.get(at + 1)) else {
            return Ok(());
        };
        self.check_depth(depth + 1, start)?;
        let (mut walk, mut execute) = self.words(length, ValueKind::Unsigned)?;
        let constant = length.operator == Operator::Constant;
        walk.act_clear = length.map_bit.is_some();
        walk.waits = length.operator != Operator::None;
        if constant {
            // A constant that waits and is optional is an exponent.
            (walk.nullable, execute.nullable) = (false, false);
        } else {
            walk.kind = WalkKind::Length;
        }
        self.add(&[(walk, execute, bit(length))])?;
        let jumps = self.close(Ends::Nothing)?;
        let first = self.groups.len();
        if start.own_map {
            let map = Walk {
                act_set: true,
                kind: WalkKind::Map,
                ..Walk::default()
            };
            self.add(&[(map, Execute::default(), Bit::None)])?;
        }
        self.body(instructions, at + 2, start.partner, depth + 1)?;
        self.close(if start.own_map {
            Ends::EntryMap
        } else {
            Ends::Entry
        })?;
        let takes_tokens = |group: &(Group, _)| {
            group.0.ends == Ends::Reference || group.0.walk.iter().any(takes_always)
        };
        if !self.groups.iter().skip(first).any(takes_tokens) {
            return Err(Limit::FreeEntries(name(start)));
        }
        self.set_target(jumps);
        Ok(())
    }

    fn group(
        &mut self,
        instructions: &[Instruction],
        at: usize,
        depth: usize,
    ) -> Result<(), Limit> {
        let Some(start) = instructions.get(at) else {
            return Ok(());
        };
        let walk = Walk {
            act_set: start.own_map,
            act_clear: start.nullable,
            kind: if start.own_map {
                WalkKind::Group
            } else {
                WalkKind::Branch
            },
            nullable: start.nullable,
            ..Walk::default()
        };
        let execute = Execute {
            tag: start.tag,
            kind: ValueKind::Group,
            nullable: start.nullable,
            wanted: self.wanted.has(start),
            ..Execute::default()
        };
        if start.own_map {
            self.check_depth(depth + 1, start)?;
            self.add(&[(walk, execute, bit(start))])?;
            let jumps = self.close(Ends::Nothing)?;
            self.body(instructions, at + 1, start.partner, depth + 1)?;
            self.close(Ends::Group)?;
            self.set_target(jumps);
        } else if start.nullable {
            self.add(&[(walk, execute, bit(start))])?;
            let jumps = self.close(Ends::Nothing)?;
            self.body(instructions, at + 1, start.partner, depth)?;
            if !self.open.instructions.is_empty() {
                self.close(Ends::Nothing)?;
            }
            self.set_target(jumps);
        } else {
            self.body(instructions, at + 1, start.partner, depth)?;
        }
        Ok(())
    }

    /// A dynamic template reference comes after the open group, which may be empty: what it refers to is read as a message is. Any template may come.
    fn reference(&mut self, instruction: &Instruction) -> Result<(), Limit> {
        let application_type = instruction.application_type;
        for (index, template) in self.templates.all().iter().enumerate() {
            let variant = self.templates.variant(index, application_type);
            if template.id.is_some() && variant != Some(template) {
                return Err(Limit::ApplicationType(template.name.local.clone()));
            }
        }
        self.close(Ends::Reference)?;
        Ok(())
    }

    fn check_depth(&self, depth: usize, start: &Instruction) -> Result<(), Limit> {
        if depth > self.room.nesting {
            return Err(Limit::Nesting(depth, self.room.nesting));
        }
        if start.map_bits > MOST_MAP_BITS {
            return Err(Limit::MapBits(start.map_bits));
        }
        Ok(())
    }

    /// A group of this template jumps to where the next one will be.
    fn set_target(&mut self, jumps: usize) {
        let target = self.place() as u16;
        if let Some((group, _)) = self.groups.get_mut(jumps) {
            group.target = target;
        }
    }
}

/// Whether an instruction takes a token whatever the presence map says.
fn takes_always(walk: &Walk) -> bool {
    walk.unconditional
        && walk.act_set
        && !matches!(
            walk.kind,
            WalkKind::Value | WalkKind::Branch | WalkKind::Literal
        )
}
