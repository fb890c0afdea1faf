//! The program as a text, beside the lines of its source.

use std::collections::HashMap;
use std::fmt::Write as _;

use crate::image::{INPUT_NAMES, Image};
use crate::instruction::{INDEXED, INPUTS, Instruction, Kind, NOWHERE, Operation};

impl Image {
    /// A listing: each line of the source that has instructions, and these below it.
    pub fn listing(&self, source: &str) -> String {
        let mut text = String::new();
        let lines: Vec<&str> = source.lines().collect();
        let names: HashMap<u16, &str> = self
            .names
            .iter()
            .map(|(at, name)| (*at, name.as_str()))
            .collect();
        let _ = writeln!(
            text,
            "{}: {} instructions, {} words of data",
            self.name,
            self.instructions.len(),
            self.used()
        );
        let mut line = 0;
        for (at, instruction) in self.instructions.iter().enumerate() {
            for (name, entry) in NAMES.iter().zip(self.entries) {
                if let Some(entry) = entry.filter(|entry| usize::from(entry.at) == at) {
                    let levels = match entry.levels {
                        0 => String::new(),
                        levels => format!(", and {levels} levels of the book"),
                    };
                    let _ = writeln!(text, "\n{name}: at most {} cycles{levels}", entry.cycles);
                    line = 0;
                }
            }
            if self.lines[at] != line {
                line = self.lines[at];
                let source = lines.get(line as usize - 1).unwrap_or(&"");
                let _ = writeln!(text, "{line:>5}  {}", source.trim_end());
            }
            let _ = writeln!(text, "{at:>12}  {}", written(instruction, &names));
        }
        text
    }
}

const NAMES: [&str; 4] = ["on_book", "on_trade", "on_order", "on_timer"];

/// An instruction with the names of its words.
fn written(instruction: &Instruction, names: &HashMap<u16, &str>) -> String {
    let word = |at: u16| match at {
        INDEXED => "[found]".to_owned(),
        at => names
            .get(&at)
            .map_or_else(|| format!("[{at}]"), |name| (*name).to_owned()),
    };
    let first = |at: u16| match at.checked_sub(INPUTS) {
        Some(input) => INPUT_NAMES
            .get(usize::from(input))
            .map_or_else(|| format!("input {input}"), |name| (*name).to_owned()),
        None => word(at),
    };
    let Instruction {
        operation,
        to,
        a,
        b,
    } = *instruction;
    let name = format!("{operation:?}").to_lowercase();
    let result = if operation.writes() && to != NOWHERE {
        format!("{} <- ", word(to))
    } else {
        String::new()
    };
    match operation {
        Operation::Wait | Operation::End => name,
        Operation::Jump | Operation::JumpIf | Operation::JumpUnless => format!("{name} {to}"),
        Operation::Index => format!("{name} {}, {} of {b}", word(to), first(a)),
        Operation::New => {
            let kind = Kind::of(b);
            format!(
                "{name} {:?} {} of {}, time in force {}",
                kind.side,
                if kind.limit { "limit" } else { "market" },
                first(a),
                kind.time_in_force
            )
        }
        Operation::Emit => format!("{name} {to}"),
        Operation::Move
        | Operation::Half
        | Operation::Test
        | Operation::Value
        | Operation::Cancel
        | Operation::Replace => format!("{result}{name} {}", first(a)),
        _ => format!("{result}{name} {}, {}", first(a), word(b)),
    }
}
