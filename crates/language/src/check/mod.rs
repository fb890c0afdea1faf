//! From a source file to a [`Program`]: what is read is checked, and turned into the intermediate form in the same walk.
//!
//! `module` reads the file's level, `declaration` fields and parameters, `handler` handlers and helper methods; `statement`, `assignment`,
//! `repeat`, `matching`, `expression`, `member`, `operator` and `call` what is in them. Each place that is wrong gives a message, and the walk goes on after it.

mod assignment;
mod call;
mod cost;
mod declaration;
mod expression;
mod handler;
mod literal;
mod matching;
mod member;
mod module;
mod names;
mod operator;
mod repeat;
mod scope;
mod statement;

use std::collections::{BTreeMap, HashMap};

use ruff_python_ast::{ModModule, StmtFunctionDef};
use ruff_python_parser::parse_module;
use ruff_text_size::{Ranged, TextRange, TextSize};

use crate::message::{Message, Messages};
use crate::program::{Field, Parameter, Position, Program};
use literal::Literal;
use scope::Body;

/// What the desk says about a strategy before it is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How many instruments there are.
    pub instruments: usize,
    /// How many decimals a price has: `12.5` is 1250 with 2.
    pub price_decimals: u32,
    /// How many statements and operators a handler may run at most.
    pub operations: u64,
}

/// One instrument, prices with four decimals, and 100,000 operations: a tenth of a millisecond or so.
impl Default for Options {
    fn default() -> Self {
        Options {
            instruments: 1,
            price_decimals: 4,
            operations: 100_000,
        }
    }
}

/// The most bytes of a source file.
const SOURCE: usize = 1 << 18;
/// The stack of the thread that reads: 1 KiB for each byte of the longest file, so that no nesting exhausts it. Only what is used takes memory.
const STACK: usize = SOURCE << 10;
/// The most messages that are given at once.
const MESSAGES: usize = 100;

/// Reads a source file.
///
/// # Errors
/// All messages about what is not in the language.
pub fn compile(source: &str, options: &Options) -> Result<Program, Messages> {
    let start = Position { line: 1, column: 1 };
    if source.len() > SOURCE {
        return Err(lone(
            start,
            format!("the file has more than {SOURCE} bytes"),
            "write a shorter one",
        ));
    }
    std::thread::scope(|scope| {
        let reader = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, || read(source, options));
        match reader.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(result)) => result,
            Ok(Err(panicked)) => std::panic::resume_unwind(panicked),
            Err(error) => Err(lone(
                start,
                format!("no thread to read the file: {error}"),
                "free some memory",
            )),
        }
    })
}

/// The names that a strategy file may import from `tickwire`.
pub fn imports() -> impl Iterator<Item = &'static str> {
    names::IMPORTS.into_iter()
}

fn lone(at: Position, reason: String, instead: &str) -> Messages {
    Messages(vec![Message {
        at,
        reason,
        instead: instead.to_owned(),
    }])
}

fn read(source: &str, options: &Options) -> Result<Program, Messages> {
    let parsed = parse_module(source).map_err(|error| {
        let at = position_in(source, error.location.start().to_usize());
        lone(
            at,
            format!("this is not Python: {}", error.error),
            "write it as Python has it",
        )
    })?;
    if let Some(error) = parsed.unsupported_syntax_errors().first() {
        let at = position_in(source, error.range.start().to_usize());
        return Err(lone(
            at,
            format!("this is not Python 3.11 or later: {error}"),
            "write it as Python has it",
        ));
    }
    let module = parsed.into_syntax();
    Checker::new(source, options).program(&module)
}

fn position_in(source: &str, offset: usize) -> Position {
    let mut offset = offset.min(source.len());
    while !source.is_char_boundary(offset) {
        offset -= 1;
    }
    let before = &source[..offset];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX).saturating_add(1);
    Position {
        line: number(before.bytes().filter(|byte| *byte == b'\n').count()),
        column: number(before[line_start..].chars().count()),
    }
}

/// That something is wrong, and a message was given.
#[derive(Clone, Copy, Debug)]
struct Reported;

type Checked<T> = Result<T, Reported>;

/// What a name after `self.` is.
#[derive(Clone, Copy, Debug)]
enum Member {
    Field(usize),
    Parameter(usize),
    /// Its declaration is wrong: whatever uses it is not.
    Wrong,
}

/// The walk.
struct Checker<'a> {
    source: &'a str,
    /// Where each line begins.
    lines: Vec<usize>,
    options: &'a Options,
    messages: Vec<Message>,
    /// Names of `tickwire` that the file imports.
    imported: Vec<&'a str>,
    /// Names of the file with a constant value.
    constants: HashMap<&'a str, Literal>,
    members: HashMap<&'a str, Member>,
    methods: BTreeMap<&'a str, &'a StmtFunctionDef>,
    parameters: Vec<Parameter>,
    fields: Vec<Field>,
    body: Body<'a>,
}

impl<'a> Checker<'a> {
    fn new(source: &'a str, options: &'a Options) -> Self {
        let after_newlines = source
            .bytes()
            .enumerate()
            .filter(|(_, byte)| *byte == b'\n')
            .map(|(at, _)| at + 1);
        Checker {
            source,
            lines: std::iter::once(0).chain(after_newlines).collect(),
            options,
            messages: Vec::new(),
            imported: Vec::new(),
            constants: HashMap::new(),
            members: HashMap::new(),
            methods: BTreeMap::new(),
            parameters: Vec::new(),
            fields: Vec::new(),
            body: Body::default(),
        }
    }

    fn program(mut self, module: &'a ModModule) -> Result<Program, Messages> {
        let program = self.module(module);
        if self.messages.is_empty()
            && let Ok(program) = program
        {
            return Ok(program);
        }
        self.messages.sort();
        self.messages.dedup();
        self.messages.truncate(MESSAGES);
        Err(Messages(self.messages))
    }

    fn position(&self, at: TextSize) -> Position {
        let offset = at.to_usize();
        let line = self.lines.partition_point(|start| *start <= offset) - 1;
        let columns = self.source[self.lines[line]..offset].chars().count();
        Position {
            line: line as u32 + 1,
            column: columns as u32 + 1,
        }
    }

    fn at(&self, node: &impl Ranged) -> Position {
        self.position(node.start())
    }

    /// Gives a message about a node.
    fn fail(
        &mut self,
        node: &impl Ranged,
        reason: impl Into<String>,
        instead: impl Into<String>,
    ) -> Reported {
        let message = Message {
            at: self.at(node),
            reason: reason.into(),
            instead: instead.into(),
        };
        self.messages.push(message);
        Reported
    }

    /// The source text of a node, if it is short and on one line; else dots.
    fn text(&self, node: &impl Ranged) -> &'a str {
        let range: TextRange = node.range();
        let text = &self.source[range.start().to_usize()..range.end().to_usize()];
        if text.len() <= 40 && !text.contains('\n') {
            text
        } else {
            "…"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_counts_lines_and_characters_from_one() {
        let source = "a\nbé c\n";
        assert_eq!(position_in(source, 0), Position { line: 1, column: 1 });
        assert_eq!(position_in(source, 6), Position { line: 2, column: 4 });
        assert_eq!(
            position_in(source, 4),
            Position { line: 2, column: 2 },
            "within a character"
        );
        assert_eq!(position_in(source, 99), Position { line: 3, column: 1 });
        let options = Options::default();
        let checker = Checker::new(source, &options);
        assert_eq!(
            checker.position(TextSize::from(6)),
            Position { line: 2, column: 4 }
        );
    }
}
