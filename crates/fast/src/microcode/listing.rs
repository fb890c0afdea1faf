//! A program as text, and back: an instruction a line, in the four columns of system A.
//!
//! ```text
//! template 74 DefaultIncrementalRefreshMessage
//! g0 bits 1
//!   uInt32                    34  field bit 0 clear increment slot 0 wanted                -
//!   length                   268  loop none wanted                                         g5
//! g1 ends entry-map bits 2
//!   map                        -  map none                                                 -
//! ```
//! The columns: type, with `?` for optional presence; the field's number; the command; the group to go on with, where the command may jump. `;`
//! begins a comment.

use std::fmt::{self, Write};

use super::text::{SUBTRACTION, initial};
use super::word::{Ends, Execute, Group, ValueKind, Walk, WalkKind};
use super::{NOTHING, Program};
use crate::template::Operator;

/// What the words are called, in the order of their encoding.
pub(super) const VERBS: [(WalkKind, &str); 10] = [
    (WalkKind::Field, "field"),
    (WalkKind::Value, "value"),
    (WalkKind::Text, "text"),
    (WalkKind::Exponent, "exponent"),
    (WalkKind::Map, "map"),
    (WalkKind::Length, "loop"),
    (WalkKind::Group, "group"),
    (WalkKind::Branch, "branch"),
    (WalkKind::Bytes, "bytes"),
    (WalkKind::Literal, "literal"),
];
pub(super) const ENDS: [(Ends, &str); 6] = [
    (Ends::Nothing, ""),
    (Ends::Message, "message"),
    (Ends::Entry, "entry"),
    (Ends::EntryMap, "entry-map"),
    (Ends::Group, "group"),
    (Ends::Reference, "reference"),
];
pub(super) const OPERATORS: [(Operator, &str); 7] = [
    (Operator::None, "none"),
    (Operator::Constant, "constant"),
    (Operator::Default, "default"),
    (Operator::Copy, "copy"),
    (Operator::Increment, "increment"),
    (Operator::Delta, "delta"),
    (Operator::Tail, "tail"),
];

/// A type: name, kind, width, [`Kind::value_type`](crate::Kind::value_type), and whether it is signed. A part of a decimal that has one operator is of the
/// decimal's type instead.
pub(super) type Type = (&'static str, ValueKind, u8, u8, bool);

/// Types whose values are characters are told apart by their number, which the dictionary compares.
pub(super) const TYPES: [Type; 19] = [
    ("uInt8", ValueKind::Unsigned, 0, 0, false),
    ("uInt16", ValueKind::Unsigned, 1, 1, false),
    ("uInt32", ValueKind::Unsigned, 2, 2, false),
    ("uInt64", ValueKind::Unsigned, 3, 3, false),
    ("int8", ValueKind::Signed, 0, 4, true),
    ("int16", ValueKind::Signed, 1, 5, true),
    ("int32", ValueKind::Signed, 2, 6, true),
    ("int64", ValueKind::Signed, 3, 7, true),
    ("exponent", ValueKind::Exponent, 2, 6, true),
    ("length", ValueKind::Exponent, 2, 2, false),
    ("unicode-length", ValueKind::Exponent, 2, 10, false),
    ("bytes-length", ValueKind::Exponent, 2, 11, false),
    ("subtraction", ValueKind::Exponent, 2, SUBTRACTION, true),
    ("mantissa", ValueKind::Mantissa, 3, 7, true),
    ("decimal", ValueKind::Decimal, 3, 8, true),
    ("ascii", ValueKind::Text, 3, 9, false),
    ("unicode", ValueKind::Text, 3, 10, false),
    ("bytes", ValueKind::Text, 3, 11, false),
    ("group", ValueKind::Group, 0, 0, false),
];
/// The type of a part of a decimal with one operator, and its width.
pub(super) const DECIMAL: (u8, u8) = (8, 3);

/// Finds a name.
pub(super) fn name_of<T: PartialEq + Copy>(names: &[(T, &'static str)], value: T) -> &'static str {
    let mut all = names.iter();
    all.find(|(one, _)| *one == value)
        .map_or("", |(_, name)| name)
}

fn type_name(walk: &Walk, execute: &Execute) -> &'static str {
    if walk.kind == WalkKind::Map {
        return "map";
    }
    let mut all = TYPES.iter();
    let found = all.find(|(_, kind, width, value_type, _)| {
        let same = *value_type == execute.value_type && *width == execute.width;
        *kind == execute.kind && (same || execute.whole || *kind == ValueKind::Group)
    });
    found.map_or("-", |one| one.0)
}

/// The initial value or constant.
fn literal(execute: &Execute, texts: &[u64]) -> String {
    match execute.kind {
        ValueKind::Text => {
            let mut text = String::from("\"");
            for byte in initial(execute, texts) {
                match byte {
                    b'"' | b'\\' => {
                        text.push('\\');
                        text.push(char::from(byte));
                    }
                    b'!'..=b'~' if byte != b';' => text.push(char::from(byte)),
                    _ => {
                        let _ = write!(text, "\\x{byte:02x}");
                    }
                }
            }
            text.push('"');
            text
        }
        ValueKind::Decimal => format!("{}e{}", execute.initial as i64, execute.extra),
        _ if execute.signed_value => (execute.initial as i64).to_string(),
        _ => execute.initial.to_string(),
    }
}

/// The third column.
fn command(walk: &Walk, execute: &Execute, texts: &[u64]) -> String {
    let mut text = name_of(&VERBS, walk.kind).to_owned();
    if !walk.unconditional {
        let _ = write!(text, " bit {}", walk.bit_index);
    }
    for (flag, word) in [(!walk.act_set, "idle"), (walk.act_clear, "clear")] {
        if flag {
            let _ = write!(text, " {word}");
        }
    }
    let _ = write!(text, " {}", name_of(&OPERATORS, execute.operator));
    if execute.operator.has_slot() {
        let _ = write!(text, " slot {}", walk.slot);
    }
    if execute.has_initial {
        let _ = write!(text, " = {}", literal(execute, texts));
    }
    for (flag, word) in [
        (execute.whole, "whole"),
        (walk.waits, "wait"),
        (walk.waits_long, "wait-long"),
        (execute.wanted, "wanted"),
    ] {
        if flag {
            let _ = write!(text, " {word}");
        }
    }
    text
}

fn jumps(walk: &Walk) -> bool {
    walk.is_length() || matches!(walk.kind, WalkKind::Group | WalkKind::Branch)
}

fn row(
    out: &mut fmt::Formatter<'_>,
    (group, walk, execute): (&Group, &Walk, &Execute),
    texts: &[u64],
) -> fmt::Result {
    let optional = if walk.nullable { "?" } else { "" };
    let kind = format!("{}{optional}", type_name(walk, execute));
    let tag = match walk.kind {
        WalkKind::Map => "-".to_owned(),
        _ => execute.tag.to_string(),
    };
    let target = if jumps(walk) {
        format!("g{}", group.target)
    } else {
        "-".to_owned()
    };
    let command = command(walk, execute, texts);
    writeln!(out, "  {kind:<10} {tag:>10}  {command:<58} {target}")
}

impl fmt::Display for Program {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            out,
            "; type          tag  command                                                    target"
        )?;
        let mut starts = self.subroutines.iter().peekable();
        for (index, (group, instructions)) in self.groups.iter().enumerate() {
            while let Some(one) = starts.next_if(|one| usize::from(one.row.start) == index) {
                let reset = if one.row.reset { " reset" } else { "" };
                writeln!(out, "template {} {}{reset}", one.row.id, one.name)?;
            }
            write!(out, "g{index}")?;
            if group.ends != Ends::Nothing {
                write!(out, " ends {}", name_of(&ENDS, group.ends))?;
            }
            if group.map_bits != 0 {
                write!(out, " bits {}", group.map_bits)?;
            }
            if group.takes_more {
                write!(out, " more")?;
            }
            writeln!(out)?;
            for (walk, execute) in group.walk.iter().zip(instructions) {
                if *walk != NOTHING {
                    row(out, (group, walk, execute), &self.texts)?;
                }
            }
        }
        Ok(())
    }
}
