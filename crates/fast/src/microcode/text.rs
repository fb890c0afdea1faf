//! The instructions of strings and byte vectors, and the text memory.
//!
//! ```text
//!  string                           text
//!  string, delta       subtraction  text
//!  byte vector              length  bytes
//!  byte vector, delta  subtraction  length  bytes
//! ```

use super::assemble::{Assembler, Bit, bit, name};
use super::word::{Execute, ValueKind, Walk, WalkKind};
use super::{Limit, MOST_CHARACTERS, MOST_TEXT_PIECES};
use crate::template::{Initial, Instruction, Kind, Operator};

/// Bytes of a word, and of a piece of the text memory.
const WORD: usize = 8;
/// The type of a subtraction length; the others are those of [`Kind::value_type`].
pub(super) const SUBTRACTION: u8 = 12;

fn word(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0, |word, byte| word << 8 | u64::from(*byte))
}

/// Makes bytes the initial value or constant of an instruction: in its word, or if they are more than eight in the text memory. False: that is full.
pub(super) fn set_initial(execute: &mut Execute, bytes: &[u8], texts: &mut Vec<u64>) -> bool {
    execute.extra = bytes.len() as i8;
    if bytes.len() <= WORD {
        execute.initial = word(bytes);
        return true;
    }
    execute.initial = texts.len() as u64;
    texts.extend(bytes.chunks(WORD).map(word));
    texts.len() <= MOST_TEXT_PIECES
}

/// The bytes of an instruction's initial value or constant.
pub(super) fn initial(execute: &Execute, texts: &[u64]) -> Vec<u8> {
    let length = usize::from(execute.extra as u8);
    let of_word = [execute.initial];
    let pieces = if length <= WORD {
        &of_word[..]
    } else {
        let place = usize::try_from(execute.initial).unwrap_or(usize::MAX);
        texts.get(place..).unwrap_or(&[])
    };
    let counts = (0..length).step_by(WORD).map(|at| WORD.min(length - at));
    let pieces = pieces.iter().zip(counts);
    pieces
        .flat_map(|(piece, count)| piece.to_be_bytes().into_iter().skip(WORD - count))
        .collect()
}

impl Assembler<'_> {
    pub(super) fn text(&mut self, instruction: &Instruction) -> Result<(), Limit> {
        if self.is_nothing(instruction) {
            return Ok(());
        }
        let (mut walk, mut execute) = self.words(instruction, ValueKind::Text)?;
        let is_long = self.initial(instruction, &walk, &mut execute)?;
        let operator = instruction.operator;
        if operator == Operator::Constant {
            walk.act_set = execute.wanted;
            if is_long {
                (walk.kind, walk.waits) = (WalkKind::Literal, true);
            }
            return self.add(&[(walk, execute, bit(instruction))]);
        }
        let is_ascii = instruction.kind == Kind::Ascii;
        walk.kind = if is_ascii {
            WalkKind::Text
        } else {
            WalkKind::Bytes
        };
        walk.waits = match operator {
            Operator::Tail | Operator::Delta => true,
            Operator::Copy => is_long || !is_ascii,
            _ => is_long,
        };
        walk.waits_long = operator == Operator::Copy && !walk.waits;
        // Who has a length before the bytes finds NULL there, and so does who has a subtraction length.
        let is_delta = operator == Operator::Delta;
        if is_delta || (!is_ascii && operator == Operator::None) {
            (walk.nullable, execute.nullable) = (false, false);
        }
        let mut all = Vec::new();
        if is_delta {
            all.push(self.subtraction(instruction)?);
        }
        if is_ascii {
            all.push((walk, execute, bit(instruction)));
        } else {
            all.push(self.length(instruction)?);
            let same = match bit(instruction) {
                Bit::Own => Bit::Same,
                other => other,
            };
            all.push((walk, execute, same));
        }
        self.add(&all)
    }

    /// Whether the initial value is in the text memory.
    fn initial(
        &mut self,
        instruction: &Instruction,
        walk: &Walk,
        execute: &mut Execute,
    ) -> Result<bool, Limit> {
        let Some(Initial::Bytes(bytes)) = &instruction.initial else {
            return Ok(false);
        };
        let operator = instruction.operator;
        // Tail and delta are put on it, too.
        let is_base = matches!(operator, Operator::Tail | Operator::Delta);
        let is_given = operator == Operator::Constant && execute.wanted;
        if !(is_base || is_given || walk.act_clear) {
            let bytes = bytes.get(..WORD.min(bytes.len())).unwrap_or(&[]);
            set_initial(execute, bytes, &mut self.texts);
            return Ok(false);
        }
        if bytes.len() > MOST_CHARACTERS {
            return Err(Limit::Initial(name(instruction), bytes.len()));
        }
        if !set_initial(execute, bytes, &mut self.texts) {
            return Err(Limit::TextMemory);
        }
        Ok(bytes.len() > WORD)
    }

    /// The subtraction length before the string of a delta. Its NULL skips what comes after it; the walk waits for one that skips length and bytes.
    fn subtraction(&self, instruction: &Instruction) -> Result<(Walk, Execute, Bit), Limit> {
        let (mut walk, mut execute) = self.without_operator(instruction)?;
        walk.waits = instruction.nullable && instruction.kind != Kind::Ascii;
        execute.value_type = SUBTRACTION;
        (execute.signed_token, execute.signed_value) = (true, true);
        Ok((walk, execute, Bit::None))
    }

    /// The length before the bytes. Where it is NULL the previous value is empty from there on.
    fn length(&self, instruction: &Instruction) -> Result<(Walk, Execute, Bit), Limit> {
        let (mut walk, mut execute) = self.without_operator(instruction)?;
        execute.value_type = Kind::Length.value_type();
        match instruction.operator {
            Operator::Copy | Operator::Tail => {
                walk.slot = self.slots.of(instruction)?;
                execute.operator = Operator::Copy;
                execute.value_type = instruction.kind.value_type();
            }
            Operator::Delta => (walk.nullable, execute.nullable) = (false, false),
            _ => {}
        }
        Ok((walk, execute, bit(instruction)))
    }

    /// An integer before the bytes.
    fn without_operator(&self, instruction: &Instruction) -> Result<(Walk, Execute), Limit> {
        let (mut walk, mut execute) = self.words(instruction, ValueKind::Exponent)?;
        walk.kind = WalkKind::Exponent;
        (walk.act_clear, walk.slot) = (false, 0);
        execute.operator = Operator::None;
        execute.width = 2;
        execute.signed_token = false;
        execute.has_initial = false;
        Ok((walk, execute))
    }
}
