//! Instructions as the decoder runs them: 48 bytes each, with the operator, the presence and the type in one number, and what the quick way
//! does there, alone or with the next one, in another.

mod quick;

use std::ops::Range;

use formats::fast::Longest;

use crate::dictionary::{SHORT, assigned};
pub(crate) use quick::Quick;

use crate::template::{Decimal, Initial, Instruction, Kind, Operator, Template, Templates};

/// What a step does. `Optional…` reads the nullable form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    Unsigned,
    OptionalUnsigned,
    UnsignedDefault,
    OptionalUnsignedDefault,
    UnsignedCopy,
    OptionalUnsignedCopy,
    UnsignedIncrement,
    OptionalUnsignedIncrement,
    UnsignedDelta,
    OptionalUnsignedDelta,
    Signed,
    OptionalSigned,
    SignedDefault,
    OptionalSignedDefault,
    SignedCopy,
    OptionalSignedCopy,
    SignedIncrement,
    OptionalSignedIncrement,
    SignedDelta,
    OptionalSignedDelta,
    Decimal,
    OptionalDecimal,
    /// A decimal with an operator for both parts.
    DecimalOperator,
    /// Exponent and mantissa with operators of their own; the mantissa's step follows and is skipped.
    DecimalParts,
    Ascii,
    OptionalAscii,
    AsciiCopy,
    OptionalAsciiCopy,
    /// A string with an operator, or a Unicode string or byte vector.
    Text,
    /// Mandatory constants: an unsigned integer, and an ASCII string of eight characters at most, which is in `initial`.
    UnsignedConstant,
    ShortConstant,
    Constant,
    OptionalConstant,
    /// A mandatory length without an operator.
    PlainLength,
    Length,
    Group,
    OptionalGroup,
    /// An integer whose entry fields of other types share.
    Integer,
    /// The end of a group, or of an entry.
    End,
    Reference,
}

/// A step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub code: Code,
    /// What the quick way does from here on.
    pub quick: Quick,
    pub operator: Operator,
    pub kind: Kind,
    /// Of an integer.
    pub bits: u8,
    pub nullable: bool,
    pub has_initial: bool,
    /// Groups and sequences.
    pub own_map: bool,
    /// Of an initial decimal; of a short constant its length.
    pub exponent: i8,
    /// Whether fields of other types share the entry.
    pub mixed: bool,
    /// Whether the next step reads something in any case, and knows NULL without a change of anything: nullable without a presence-map bit.
    pub next_is_optional: bool,
    /// Integers of so many bytes are in the range of the type, whatever they are.
    pub longest: Longest,
    pub slot: u16,
    /// The stamp of an entry that is assigned and of this type.
    pub assigned: u32,
    pub tag: u32,
    /// Its index.
    pub index: u32,
    /// Groups and sequences: the step that ends them.
    pub end: u32,
    /// An integer or a mantissa; of a string, its number in `texts`; of a sequence's start, the bytes that an entry takes at least; of a
    /// reference, the application type around it.
    pub initial: u64,
}

/// A template as steps.
#[derive(Clone, Debug)]
pub(crate) struct TemplateProgram {
    pub steps: Vec<Step>,
    pub reset: bool,
    /// The dictionary entries that it can change.
    pub slots: Vec<Range<usize>>,
}

/// Which template an identifier stands for.
#[derive(Clone, Debug)]
enum Identifiers {
    /// At the identifier: the template's index, plus one.
    Direct(Vec<u16>),
    /// Sorted.
    Sorted(Vec<(u32, usize)>),
}

/// All templates.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// In the order of the file, then the variants.
    pub templates: Vec<TemplateProgram>,
    /// For each application type around dynamic references, the program of each template.
    variants: Vec<Vec<usize>>,
    pub texts: Vec<Box<[u8]>>,
    pub slots: usize,
    identifiers: Identifiers,
}

impl Program {
    pub(crate) fn new(templates: &Templates) -> Self {
        let mut texts = Vec::new();
        let all = templates.all();
        let mut programs: Vec<TemplateProgram> = all
            .iter()
            .map(|template| TemplateProgram::new(template, &mut texts))
            .collect();
        let mut variants = vec![(0..all.len()).collect::<Vec<usize>>()];
        for number in 1..=templates.application_types() {
            let mut within = Vec::with_capacity(all.len());
            for (index, template) in all.iter().enumerate() {
                let variant = templates.variant(index, number as u16).unwrap_or(template);
                if std::ptr::eq(variant, template) {
                    within.push(index);
                } else {
                    within.push(programs.len());
                    programs.push(TemplateProgram::new(variant, &mut texts));
                }
            }
            variants.push(within);
        }
        mark_mixed(&mut programs, templates.slot_count());
        for program in &mut programs {
            program.choose_instructions();
        }
        Program {
            templates: programs,
            variants,
            texts,
            slots: templates.slot_count(),
            identifiers: Identifiers::new(all),
        }
    }

    /// The program of a template where a dynamic reference leads to it from within an application type.
    pub(crate) fn variant(&self, index: usize, application_type: u32) -> usize {
        let variants = self.variants.get(application_type as usize);
        let variant = variants.and_then(|within| within.get(index));
        variant.copied().unwrap_or(index)
    }

    /// The index of the template with this identifier.
    #[inline(always)]
    pub(crate) fn find(&self, id: u64) -> Option<usize> {
        match &self.identifiers {
            Identifiers::Direct(table) => {
                let entry = table.get(usize::try_from(id).ok()?)?;
                usize::from(*entry).checked_sub(1)
            }
            Identifiers::Sorted(sorted) => {
                let id = u32::try_from(id).ok()?;
                let at = sorted.binary_search_by_key(&id, |(id, _)| *id).ok()?;
                sorted.get(at).map(|(_, index)| *index)
            }
        }
    }

    /// An initial string.
    #[inline]
    pub(crate) fn text(&self, step: &Step) -> &[u8] {
        match self.texts.get(step.initial as usize) {
            Some(text) => text,
            None => &[],
        }
    }
}

impl Program {
    /// An initial string, wherever it is.
    pub(crate) fn initial_text<'a>(&'a self, step: &Step, short: &'a mut [u8; SHORT]) -> &'a [u8] {
        if step.code != Code::ShortConstant {
            return self.text(step);
        }
        *short = step.initial.to_le_bytes();
        short.get(..step.exponent as usize).unwrap_or(&[])
    }
}

impl Identifiers {
    fn new(templates: &[Template]) -> Self {
        /// A table of 128 KiB at most.
        const LARGEST: u32 = u16::MAX as u32;
        let numbered = templates.iter().enumerate();
        let mut sorted: Vec<(u32, usize)> = numbered
            .filter_map(|(index, template)| Some((template.id?, index)))
            .collect();
        sorted.sort_unstable();
        let last = sorted.last().map_or(0, |(id, _)| *id);
        if last > LARGEST || templates.len() >= usize::from(u16::MAX) {
            return Identifiers::Sorted(sorted);
        }
        let mut table = vec![0; last as usize + 1];
        for (id, index) in sorted {
            table[id as usize] = index as u16 + 1;
        }
        Identifiers::Direct(table)
    }
}

/// Whether the initial value is a string that fits the word of a step.
fn is_short(instruction: &Instruction) -> bool {
    matches!(&instruction.initial, Some(Initial::Bytes(bytes)) if bytes.len() <= SHORT)
}

/// What a step does.
fn code(instruction: &Instruction) -> Code {
    let optional = instruction.nullable;
    let either = |mandatory, nullable| if optional { nullable } else { mandatory };
    match (instruction.kind, instruction.operator) {
        (Kind::Length, Operator::None) => either(Code::PlainLength, Code::Length),
        (Kind::Length, _) => Code::Length,
        (Kind::Exponent | Kind::Mantissa, _) => Code::DecimalParts,
        (Kind::GroupStart, _) => either(Code::Group, Code::OptionalGroup),
        (Kind::SequenceStart | Kind::GroupEnd | Kind::SequenceEnd, _) => Code::End,
        (Kind::TemplateReference, _) => Code::Reference,
        (Kind::Unsigned(_), Operator::Constant) if !optional => Code::UnsignedConstant,
        (Kind::Ascii, Operator::Constant) if !optional && is_short(instruction) => {
            Code::ShortConstant
        }
        (_, Operator::Constant) => either(Code::Constant, Code::OptionalConstant),
        (Kind::Decimal, Operator::None) => either(Code::Decimal, Code::OptionalDecimal),
        (Kind::Decimal, _) => Code::DecimalOperator,
        (Kind::Ascii, Operator::None) => either(Code::Ascii, Code::OptionalAscii),
        (Kind::Ascii, Operator::Copy) => either(Code::AsciiCopy, Code::OptionalAsciiCopy),
        (Kind::Ascii | Kind::Unicode | Kind::Bytes, _) => Code::Text,
        (Kind::Unsigned(_), operator) => match operator {
            Operator::Default => either(Code::UnsignedDefault, Code::OptionalUnsignedDefault),
            Operator::Copy => either(Code::UnsignedCopy, Code::OptionalUnsignedCopy),
            Operator::Increment => either(Code::UnsignedIncrement, Code::OptionalUnsignedIncrement),
            Operator::Delta => either(Code::UnsignedDelta, Code::OptionalUnsignedDelta),
            _ => either(Code::Unsigned, Code::OptionalUnsigned),
        },
        (Kind::Signed(_), operator) => match operator {
            Operator::Default => either(Code::SignedDefault, Code::OptionalSignedDefault),
            Operator::Copy => either(Code::SignedCopy, Code::OptionalSignedCopy),
            Operator::Increment => either(Code::SignedIncrement, Code::OptionalSignedIncrement),
            Operator::Delta => either(Code::SignedDelta, Code::OptionalSignedDelta),
            _ => either(Code::Signed, Code::OptionalSigned),
        },
    }
}

/// Finds the entries that fields of different types share: there D4 is possible, and the quick way is not taken.
fn mark_mixed(programs: &mut [TemplateProgram], slots: usize) {
    let mut types = vec![0_u32; slots];
    let steps = programs.iter().flat_map(|program| &program.steps);
    for step in steps {
        if let Some(types) = types.get_mut(usize::from(step.slot)) {
            *types |= 1 << step.kind.value_type();
        }
    }
    let steps = programs.iter_mut().flat_map(|program| &mut program.steps);
    for step in steps {
        let types = types.get(usize::from(step.slot));
        step.mixed = types.is_some_and(|types| types.count_ones() > 1);
        if step.mixed
            && !matches!(
                step.code,
                Code::PlainLength | Code::Length | Code::DecimalParts
            )
        {
            step.code = match step.kind {
                Kind::Ascii | Kind::Unicode | Kind::Bytes => Code::Text,
                Kind::Decimal => Code::DecimalOperator,
                _ => Code::Integer,
            };
        }
    }
    for program in programs {
        for index in 1..program.steps.len() {
            program.steps[index - 1].next_is_optional = program.steps[index].is_optional();
        }
    }
}

/// The bytes that a field takes at least.
fn least_bytes(instruction: &Instruction) -> u64 {
    if instruction.map_bit.is_some() {
        return 0;
    }
    match (instruction.kind, instruction.operator) {
        (_, Operator::Constant) => 0,
        // An optional decimal may be its exponent alone.
        (Kind::Decimal, _) if !instruction.nullable => 2,
        // Subtraction length and string.
        (Kind::Ascii | Kind::Unicode | Kind::Bytes, Operator::Delta) if !instruction.nullable => 2,
        (Kind::GroupStart | Kind::TemplateReference, _) => {
            u64::from(instruction.own_map || instruction.kind == Kind::TemplateReference)
        }
        (Kind::Mantissa, _) => 0,
        (kind, _) => u64::from(kind.is_field()),
    }
}

/// The bytes that an entry takes at least: fields that are always there.
fn least_bytes_of_entry(instructions: &[Instruction], start: usize) -> u64 {
    let Some(bracket) = instructions.get(start) else {
        return 0;
    };
    let mut bytes = u64::from(bracket.own_map);
    let mut at = start + 1;
    while at < bracket.partner {
        let Some(instruction) = instructions.get(at) else {
            break;
        };
        bytes += least_bytes(instruction);
        let skip = match instruction.kind {
            Kind::SequenceStart => true,
            Kind::GroupStart => instruction.nullable,
            _ => false,
        };
        at = if skip { instruction.partner } else { at };
        at += 1;
    }
    bytes
}

impl TemplateProgram {
    fn new(template: &Template, texts: &mut Vec<Box<[u8]>>) -> Self {
        let instructions = &template.instructions;
        let mut steps: Vec<Step> = instructions
            .iter()
            .enumerate()
            .map(|(index, instruction)| Step::new(index, instruction, texts))
            .collect();
        for (index, instruction) in instructions.iter().enumerate() {
            if instruction.kind == Kind::SequenceStart {
                steps[index].initial = least_bytes_of_entry(instructions, index);
            }
        }
        let mut used: Vec<usize> = instructions
            .iter()
            .filter_map(|instruction| Some(instruction.slot?.index()))
            .collect();
        used.sort_unstable();
        used.dedup();
        let mut slots: Vec<Range<usize>> = Vec::new();
        for slot in used {
            match slots.last_mut() {
                Some(last) if last.end == slot => last.end = slot + 1,
                _ => slots.push(slot..slot + 1),
            }
        }
        TemplateProgram {
            steps,
            reset: template.reset,
            slots,
        }
    }
}

impl TemplateProgram {
    /// Chooses what the quick way does at each step, when the codes of all are known.
    fn choose_instructions(&mut self) {
        for index in 0..self.steps.len() {
            self.steps[index].quick = Quick::of(&self.steps[index..]);
        }
    }
}

// As the head of this file says.
const _: () = assert!(size_of::<Step>() == 48);

impl Step {
    /// Whether NULL is one byte here, and all that happens is that there is no value.
    fn is_optional(&self) -> bool {
        matches!(
            self.code,
            Code::OptionalUnsigned
                | Code::OptionalSigned
                | Code::OptionalUnsignedDelta
                | Code::OptionalSignedDelta
                | Code::OptionalDecimal
                | Code::OptionalAscii
        )
    }

    /// The initial value of a decimal; zero if it has none.
    pub(crate) fn initial_decimal(&self) -> Decimal {
        Decimal {
            exponent: i32::from(self.exponent),
            mantissa: self.initial as i64,
        }
    }

    fn new(index: usize, instruction: &Instruction, texts: &mut Vec<Box<[u8]>>) -> Self {
        let code = code(instruction);
        let (initial, exponent) = match &instruction.initial {
            None => (0, 0),
            Some(Initial::Unsigned(value)) => (*value, 0),
            Some(Initial::Signed(value)) => (*value as u64, 0),
            Some(Initial::Decimal(value)) => (value.mantissa as u64, value.exponent as i8),
            Some(Initial::Bytes(bytes)) if code == Code::ShortConstant => {
                let mut word = [0; SHORT];
                word[..bytes.len()].copy_from_slice(bytes);
                (u64::from_le_bytes(word), bytes.len() as i8)
            }
            Some(Initial::Bytes(bytes)) => {
                texts.push(bytes.clone().into());
                (texts.len() as u64 - 1, 0)
            }
        };
        let initial = if instruction.kind == Kind::TemplateReference {
            u64::from(instruction.application_type)
        } else {
            initial
        };
        let bits = match instruction.kind {
            Kind::Unsigned(width) | Kind::Signed(width) => width.bits() as u8,
            Kind::Length | Kind::Exponent => 32,
            _ => 64,
        };
        Step {
            code,
            // Once all steps are known.
            quick: Quick::General,
            operator: instruction.operator,
            kind: instruction.kind,
            bits,
            // A nullable integer takes one value more, which needs no more bits: 7 bits a byte leave room.
            longest: Longest::bytes(bits / 7),
            nullable: instruction.nullable,
            mixed: false,
            next_is_optional: false,
            has_initial: instruction.initial.is_some(),
            own_map: instruction.own_map,
            exponent,
            slot: instruction.slot.map_or(u16::MAX, |slot| slot.0),
            assigned: assigned(instruction.kind.value_type()),
            tag: instruction.tag,
            index: index as u32,
            end: instruction.partner as u32,
            initial,
        }
    }
}
