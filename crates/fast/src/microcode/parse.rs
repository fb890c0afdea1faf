//! Text to a program: what [`Program`]'s `Display` writes, or what is written by hand.

use std::str::SplitWhitespace;

use thiserror::Error;

use super::listing::{DECIMAL, ENDS, OPERATORS, TYPES, VERBS};
use super::text::set_initial;
use super::word::{Ends, Execute, Group, Row, ValueKind, Walk};
use super::{GROUP_SIZE, MOST_GROUPS, MOST_TEXT_PIECES, NOTHING, Patterns, Program, Subroutine};
use crate::template::Operator;

/// What is wrong with a program's text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {fault}")]
pub struct ParseError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What is wrong with a line of a program's text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// A word that means nothing where it stands.
    #[error("\"{0}\" means nothing here")]
    Word(
        /// The word.
        String,
    ),
    /// A word is missing.
    #[error("{0} is missing")]
    Missing(
        /// Which.
        &'static str,
    ),
    /// A number that is none, or is too large.
    #[error("\"{0}\" is not a number that fits")]
    Number(
        /// The word.
        String,
    ),
    /// A group that is not the next one.
    #[error("the next group is g{0}")]
    Group(
        /// Its number.
        usize,
    ),
    /// More instructions than a group has.
    #[error("a group has {GROUP_SIZE} instructions at most")]
    Full,
    /// More groups than any engine has.
    #[error("a program has {MOST_GROUPS} groups at most")]
    Groups,
    /// Two targets in a group.
    #[error("a group has one instruction with a target, the last")]
    Target,
    /// An instruction before any group.
    #[error("a template and a group must come before the first instruction")]
    NoGroup,
    /// More text than any engine has room for.
    #[error(
        "constants and initial values of more than eight bytes have {MOST_TEXT_PIECES} pieces of eight at most"
    )]
    Texts,
    /// Identifiers that the jump table cannot keep apart.
    #[error("no jump table keeps identifier {0} apart from the others")]
    Identifier(
        /// One of them.
        u32,
    ),
}

fn number<T: std::str::FromStr>(word: &str) -> Result<T, Fault> {
    word.parse().map_err(|_| Fault::Number(word.to_owned()))
}

fn next<'a>(words: &mut SplitWhitespace<'a>, what: &'static str) -> Result<&'a str, Fault> {
    words.next().ok_or(Fault::Missing(what))
}

fn value_of<T: Copy>(names: &[(T, &'static str)], word: &str) -> Result<T, Fault> {
    let found = names.iter().find(|(_, name)| *name == word);
    let found = found.filter(|_| !word.is_empty());
    found
        .map(|(value, _)| *value)
        .ok_or_else(|| Fault::Word(word.to_owned()))
}

/// The number of a group.
fn place(word: &str) -> Result<u16, Fault> {
    let digits = word.strip_prefix('g');
    number(digits.ok_or_else(|| Fault::Word(word.to_owned()))?)
}

impl Program {
    /// Reads a program. Nothing about it is checked but its form: what it does is up to who wrote it.
    ///
    /// # Errors
    /// The first line that cannot be read.
    pub fn parse(text: &str) -> Result<Program, ParseError> {
        let mut parser = Parser::default();
        for (index, line) in text.lines().enumerate() {
            let line = line.split(';').next().unwrap_or_default();
            parser.line(line).map_err(|fault| ParseError {
                line: index + 1,
                fault,
            })?;
        }
        parser.finish().map_err(|fault| ParseError {
            line: text.lines().count(),
            fault,
        })
    }
}

#[derive(Default)]
struct Parser {
    program: Program,
    /// Instructions of the last group.
    used: usize,
    has_target: bool,
}

impl Parser {
    fn line(&mut self, line: &str) -> Result<(), Fault> {
        let mut words = line.split_whitespace();
        let Some(first) = words.next() else {
            return Ok(());
        };
        if first == "template" {
            return self.template(&mut words);
        }
        if let Ok(index) = place(first) {
            return self.group(index, &mut words);
        }
        self.instruction(first, &mut words)
    }

    fn template(&mut self, words: &mut SplitWhitespace<'_>) -> Result<(), Fault> {
        let id = number(next(words, "the identifier")?)?;
        let name = next(words, "the template's name")?.to_owned();
        let reset = match words.next() {
            None => false,
            Some("reset") => true,
            Some(word) => return Err(Fault::Word(word.to_owned())),
        };
        let row = Row {
            used: true,
            reset,
            id,
            start: self.program.groups.len() as u16,
            ..Row::default()
        };
        self.program.subroutines.push(Subroutine { name, row });
        Ok(())
    }

    fn group(&mut self, index: u16, words: &mut SplitWhitespace<'_>) -> Result<(), Fault> {
        if self.program.subroutines.is_empty() {
            return Err(Fault::NoGroup);
        }
        if self.program.groups.len() >= MOST_GROUPS {
            return Err(Fault::Groups);
        }
        if usize::from(index) != self.program.groups.len() {
            return Err(Fault::Group(self.program.groups.len()));
        }
        let mut group = Group {
            walk: [NOTHING; GROUP_SIZE],
            ..Group::default()
        };
        while let Some(word) = words.next() {
            match word {
                "ends" => group.ends = value_of(&ENDS, next(words, "what ends")?)?,
                "bits" => {
                    let word = next(words, "the number of bits")?;
                    group.map_bits = number(word)?;
                    if usize::from(group.map_bits) > GROUP_SIZE {
                        return Err(Fault::Number(word.to_owned()));
                    }
                }
                "more" => group.takes_more = true,
                word => return Err(Fault::Word(word.to_owned())),
            }
        }
        let nothing = [Execute::default(); GROUP_SIZE];
        self.program.groups.push((group, nothing));
        self.used = 0;
        self.has_target = false;
        Ok(())
    }

    fn instruction(&mut self, kind: &str, words: &mut SplitWhitespace<'_>) -> Result<(), Fault> {
        let used = self.used;
        let (group, instructions) = self.program.groups.last_mut().ok_or(Fault::NoGroup)?;
        let (Some(walk), Some(execute)) = (group.walk.get_mut(used), instructions.get_mut(used))
        else {
            return Err(Fault::Full);
        };
        if self.has_target {
            return Err(Fault::Target);
        }
        let tag = next(words, "the field's number")?;
        *execute = Execute {
            tag: if tag == "-" { 0 } else { number(tag)? },
            ..Execute::default()
        };
        *walk = Walk {
            unconditional: true,
            act_set: true,
            kind: value_of(&VERBS, next(words, "the command")?)?,
            ..Walk::default()
        };
        let (kind, optional) = match kind.strip_suffix('?') {
            Some(kind) => (kind, true),
            None => (kind, false),
        };
        (walk.nullable, execute.nullable) = (optional, optional);
        set_type(kind, execute)?;
        let target = command(words, walk, execute, &mut self.program.texts)?;
        if execute.whole {
            execute.value_type = DECIMAL.0;
            execute.width = DECIMAL.1;
        }
        execute.signed_token = execute.signed_value || execute.operator == Operator::Delta;
        if target != "-" {
            group.target = place(target)?;
            self.has_target = true;
        }
        self.used += 1;
        Ok(())
    }

    fn finish(mut self) -> Result<Program, Fault> {
        let identifiers: Vec<u32> = self
            .program
            .subroutines
            .iter()
            .map(|one| one.row.id)
            .collect();
        self.program.patterns = Patterns::find(&identifiers).map_err(Fault::Identifier)?;
        for one in &mut self.program.subroutines {
            let group = self.program.groups.get(usize::from(one.row.start));
            let (group, _) = group.ok_or(Fault::Missing("a template's first group"))?;
            one.row.group = *group;
            one.row.empty = group.ends == Ends::Message && group.walk == [NOTHING; GROUP_SIZE];
        }
        Ok(self.program)
    }
}

fn set_type(name: &str, execute: &mut Execute) -> Result<(), Fault> {
    if name == "map" {
        return Ok(());
    }
    let found = TYPES.iter().find(|one| one.0 == name);
    let (_, kind, width, value_type, signed) = found.ok_or_else(|| Fault::Word(name.to_owned()))?;
    execute.kind = *kind;
    execute.width = *width;
    execute.value_type = *value_type;
    execute.signed_value = *signed;
    Ok(())
}

/// The words after the verb; returns the last, the target.
fn command<'a>(
    words: &mut SplitWhitespace<'a>,
    walk: &mut Walk,
    execute: &mut Execute,
    texts: &mut Vec<u64>,
) -> Result<&'a str, Fault> {
    loop {
        let word = next(words, "the target, or - for none,")?;
        match word {
            "bit" => {
                walk.unconditional = false;
                let word = next(words, "the number of the bit")?;
                walk.bit_index = number(word)?;
                if usize::from(walk.bit_index) >= GROUP_SIZE {
                    return Err(Fault::Number(word.to_owned()));
                }
            }
            "idle" => walk.act_set = false,
            "clear" => walk.act_clear = true,
            "slot" => walk.slot = number(next(words, "the number of the dictionary entry")?)?,
            "=" => {
                execute.has_initial = true;
                literal(next(words, "the initial value")?, execute, texts)?;
            }
            "whole" => execute.whole = true,
            "wait" => walk.waits = true,
            "wait-long" => walk.waits_long = true,
            "wanted" => execute.wanted = true,
            _ => match value_of(&OPERATORS, word) {
                Ok(operator) => execute.operator = operator,
                Err(_) if word == "-" || word.starts_with('g') => {
                    return match words.next() {
                        None => Ok(word),
                        Some(word) => Err(Fault::Word(word.to_owned())),
                    };
                }
                Err(fault) => return Err(fault),
            },
        }
    }
}

fn literal(word: &str, execute: &mut Execute, texts: &mut Vec<u64>) -> Result<(), Fault> {
    match execute.kind {
        ValueKind::Text => {
            let bytes = characters(word)?;
            if !set_initial(execute, &bytes, texts) {
                return Err(Fault::Texts);
            }
        }
        ValueKind::Decimal => {
            let parts = word.split_once('e');
            let (mantissa, exponent) = parts.ok_or_else(|| Fault::Number(word.to_owned()))?;
            execute.initial = number::<i64>(mantissa)? as u64;
            execute.extra = number(exponent)?;
            if !(-63..=63).contains(&execute.extra) {
                return Err(Fault::Number(word.to_owned()));
            }
        }
        _ if execute.signed_value => execute.initial = number::<i64>(word)? as u64,
        _ => execute.initial = number(word)?,
    }
    Ok(())
}

/// Characters in quotation marks.
fn characters(word: &str) -> Result<Vec<u8>, Fault> {
    let wrong = || Fault::Word(word.to_owned());
    let inner = word
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    let mut bytes = inner.ok_or_else(wrong)?.bytes();
    let mut out = Vec::new();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        match bytes.next().ok_or_else(wrong)? {
            b'x' => {
                let mut digit = || {
                    let digit = char::from(bytes.next()?).to_digit(16)?;
                    Some(digit as u8)
                };
                let (high, low) = (digit().ok_or_else(wrong)?, digit().ok_or_else(wrong)?);
                out.push(high << 4 | low);
            }
            byte => out.push(byte),
        }
    }
    if out.len() > super::MOST_CHARACTERS {
        return Err(wrong());
    }
    Ok(out)
}
