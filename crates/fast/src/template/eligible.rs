//! Which templates the wire-rate engine can take: the one that decodes eight bytes of a sequence's entries a cycle.

use thiserror::Error;

use super::{Instruction, Kind, Operator, Template};

/// Bits of an entry's presence map at most.
pub const MOST_MAP_BITS: u16 = 14;
/// Tokens of an entry at most, the presence map not counted.
pub const MOST_TOKENS: usize = 39;

/// Why the wire-rate engine cannot take a template; the microcode engine takes any.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Reason {
    /// Nothing repeats.
    #[error("it has no sequence")]
    NoSequence,
    /// More than one sequence.
    #[error("it has more than one sequence: {0} is the second")]
    SecondSequence(
        /// Its name.
        String,
    ),
    /// Something follows the sequence.
    #[error("{0} follows the sequence")]
    AfterSequence(
        /// Its name.
        String,
    ),
    /// Raw bytes, which have no stop bits.
    #[error("{0} is a byte vector or a Unicode string: its bytes have no stop bits")]
    RawBytes(
        /// Its name.
        String,
    ),
    /// A group, a sequence or a dynamic reference that is not the sequence.
    #[error("{0} is a group, a sequence or a dynamic reference inside")]
    Nested(
        /// Its name.
        String,
    ),
    /// A string operator that needs the previous string.
    #[error("{0} has the operator delta or tail on a string")]
    StringOperator(
        /// Its name.
        String,
    ),
    /// Exponent and mantissa with operators of their own.
    #[error("{0} is a decimal whose parts have operators of their own")]
    SplitDecimal(
        /// Its name.
        String,
    ),
    /// A presence map that is too long.
    #[error("an entry's presence map has {0} bits; at most {MOST_MAP_BITS} fit")]
    MapBits(
        /// How many.
        u16,
    ),
    /// Too many fields.
    #[error("an entry has up to {0} tokens; at most {MOST_TOKENS} fit")]
    Tokens(
        /// How many.
        usize,
    ),
}

/// How many stop-bit entities a field takes at most: an optional decimal counts as two.
pub(crate) fn tokens(instruction: &Instruction) -> usize {
    match (instruction.kind, instruction.operator) {
        (_, Operator::Constant) => 0,
        (Kind::Decimal, _) => 2,
        (Kind::Ascii, Operator::Delta) => 2,
        (kind, _) => usize::from(kind.is_field()),
    }
}

fn shown(instruction: &Instruction) -> String {
    if instruction.kind == Kind::TemplateReference {
        return "templateRef".into();
    }
    instruction.name.local.clone()
}

/// The instructions of the template's first sequence, and what its brackets' indices are.
fn entries(template: &Template) -> Option<(usize, usize)> {
    let mut all = template.instructions.iter().enumerate();
    let (start, instruction) = all.find(|(_, each)| each.kind == Kind::SequenceStart)?;
    Some((start, instruction.partner))
}

/// Whether the wire-rate engine can take a template.
///
/// # Errors
/// Every reason why it cannot.
pub fn eligible(template: &Template) -> Result<(), Vec<Reason>> {
    let Some((start, end)) = entries(template) else {
        return Err(vec![Reason::NoSequence]);
    };
    let mut reasons = Vec::new();
    for (index, instruction) in template.instructions.iter().enumerate() {
        let name = || shown(instruction);
        match instruction.kind {
            Kind::SequenceStart if index > end => reasons.push(Reason::SecondSequence(name())),
            Kind::GroupStart | Kind::TemplateReference => reasons.push(Reason::Nested(name())),
            Kind::SequenceStart if index > start => reasons.push(Reason::Nested(name())),
            Kind::Unicode | Kind::Bytes if instruction.operator != Operator::Constant => {
                reasons.push(Reason::RawBytes(name()));
            }
            // The header is read by the scout, which has the operators of integers alone.
            Kind::Ascii if matches!(instruction.operator, Operator::Delta | Operator::Tail) => {
                reasons.push(Reason::StringOperator(name()));
            }
            Kind::Exponent => reasons.push(Reason::SplitDecimal(name())),
            kind if kind.is_field() && kind != Kind::Length && index > end => {
                reasons.push(Reason::AfterSequence(name()));
            }
            _ => {}
        }
    }
    let inside = template.instructions.get(start + 1..end).unwrap_or(&[]);
    let map_bits = template
        .instructions
        .get(start)
        .map_or(0, |start| start.map_bits);
    if map_bits > MOST_MAP_BITS {
        reasons.push(Reason::MapBits(map_bits));
    }
    let tokens = inside.iter().map(tokens).sum();
    if tokens > MOST_TOKENS {
        reasons.push(Reason::Tokens(tokens));
    }
    if reasons.is_empty() {
        return Ok(());
    }
    Err(reasons)
}

/// An optional decimal that is sent.
pub(crate) fn is_optional_decimal(instruction: &Instruction) -> bool {
    instruction.kind == Kind::Decimal
        && instruction.nullable
        && instruction.operator != Operator::Constant
}

/// What decides how many tokens follow the exponents of optional decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LateBits {
    /// Nothing: no field at or after the first of them needs a bit of the presence map.
    None,
    /// One field of one token: this instruction's.
    One(usize),
    /// More than that.
    Many,
}

/// The bits of the presence map that say where exponents of optional decimals are, counted from the entry's end.
pub fn late_bits(template: &Template) -> LateBits {
    let Some((start, end)) = entries(template) else {
        return LateBits::None;
    };
    let inside = template.instructions.get(..end).unwrap_or(&[]);
    let numbered = inside.iter().enumerate().skip(start + 1);
    let from_first = numbered.skip_while(|(_, each)| !is_optional_decimal(each));
    let mut late = from_first.filter(|(_, each)| each.map_bit.is_some() && tokens(each) > 0);
    match (late.next(), late.next()) {
        (None, _) => LateBits::None,
        (Some((at, each)), None) if tokens(each) == 1 => LateBits::One(at),
        _ => LateBits::Many,
    }
}

/// Which optional decimals of the entries the wire-rate engine watches: a null exponent there may be one that it cannot do the packet
/// with. It reckons surely with a null exponent if at most one bit of the presence map decides how many tokens follow it, and at least 7
/// tokens (8 without a map) always stand before it.
pub fn watched_exponents(template: &Template) -> Vec<usize> {
    let Some((start, end)) = entries(template) else {
        return Vec::new();
    };
    let inside = template.instructions.get(start + 1..end).unwrap_or(&[]);
    let has_map = template
        .instructions
        .get(start)
        .is_some_and(|start| start.own_map);
    let needed = if has_map { 7 } else { 8 };
    let many = late_bits(template) == LateBits::Many;
    let (mut before, mut watched) = (0, Vec::new());
    for (index, instruction) in inside.iter().enumerate() {
        let optional = is_optional_decimal(instruction);
        let mut later = inside.get(index..).unwrap_or(&[]).iter();
        let unsure = many && later.any(|each| each.map_bit.is_some() && tokens(each) > 0);
        if optional && (before < needed || unsure) {
            watched.push(start + 1 + index);
        }
        // Those that are always there: an optional decimal may be its exponent alone.
        if instruction.map_bit.is_none() {
            let least = if optional { 1 } else { tokens(instruction) };
            before += least;
        }
    }
    watched
}
