//! The reference: a strategy as one block of statements.

use std::fmt::Write as _;

use language::Program;
use language::program::Handler;

use crate::layout::{Words, layout};
use crate::{Error, RECORDS, handlers};

/// What is being written.
pub struct Writer<'a> {
    pub program: &'a Program,
    pub fields: Vec<Words>,
    pub source: Vec<&'a str>,
    pub text: String,
    pub depth: usize,
    /// How many temporary values there are.
    pub temporaries: usize,
    /// The line of the statement.
    pub line: u32,
}

impl Writer<'_> {
    /// A line of text.
    pub fn say(&mut self, line: &str) {
        let indent = 2 * self.depth;
        let _ = writeln!(self.text, "{:indent$}{line}", "");
    }

    /// A value that is kept until it is used.
    pub fn temporary(&mut self) -> String {
        self.temporaries += 1;
        format!("t[{}]", self.temporaries - 1)
    }

    pub fn unsupported(&self, what: &'static str) -> Error {
        Error::Unsupported {
            line: self.line,
            what,
        }
    }

    /// The name of a field.
    pub fn field(&self, field: usize) -> String {
        format!("field_{field}")
    }
}

/// The reference of a strategy, as the module `NAME_reference`: state, event and parameters in, state and outcome out, all in one `always_comb`.
///
/// # Errors
/// It divides by what is not a constant, or reads levels of the book.
pub fn reference(program: &Program, source: &str, name: &str) -> Result<String, Error> {
    let (fields, words) = layout(program);
    let mut writer = Writer {
        program,
        fields,
        source: source.lines().collect(),
        text: String::new(),
        depth: 3,
        temporaries: 0,
        line: 0,
    };
    for (of, handler) in handlers(program) {
        let Some(handler) = handler else { continue };
        if handler.records > RECORDS {
            writer.line = handler.at.line;
            return Err(writer.unsupported("room for so many records"));
        }
        writer.say(&format!("{of}: begin"));
        writer.depth += 1;
        writer.statements(&handler.body)?;
        writer.depth -= 1;
        writer.say("end");
    }
    Ok(module(&writer, name, words))
}

fn module(writer: &Writer<'_>, name: &str, words: usize) -> String {
    let program = writer.program;
    let handlers = handlers(program);
    let handlers = handlers.iter().filter_map(|(_, handler)| *handler);
    let count = |of: fn(&Handler) -> usize| handlers.clone().map(of).max().unwrap_or(0);
    let locals = count(|handler| handler.locals.len()).max(1);
    let parameters = program.parameters.len().max(1);
    let mut text = format!(
        "// What the strategy {} does with an event, written by verify/language_formal: do not edit, change the strategy.
// `leaves` is 0, or 1 more than the label to whose end the statements after it are skipped. Names are those of the intermediate form.
module {name}_reference
  import processor_pkg::*;
  import reference_pkg::*;
(
    input  handler_e handler,
    input  value_t [EventInputs-1:0] inputs,
    input  value_t [{}:0] parameters,
    input  value_t [{}:0] positions,
    input  value_t [{}:0] state_before,
    input  value_t orders_before,
    output value_t [{}:0] state_after,
    output value_t orders_after,
    output outcome_t outcome
);
",
        program.name,
        parameters - 1,
        program.instruments - 1,
        words - 1,
        words - 1,
    );
    let mut reset = String::from(
        "    orders = orders_before;\n    outcome = '0;\n    leaves = 0;\n    locals = '0;\n",
    );
    let mut after = String::new();
    for (index, words) in writer.fields.iter().enumerate() {
        let Words { first, length, .. } = *words;
        let last = first + length - 1;
        let field = writer.field(index);
        let _ = writeln!(
            text,
            "  value_t{} {field};  // {}",
            if words.scalar {
                String::new()
            } else {
                format!(" [{}:0]", length - 1)
            },
            program.fields[index].name
        );
        let place = if words.scalar {
            format!("{first}")
        } else {
            format!("{last}:{first}")
        };
        let _ = writeln!(reset, "    {field} = state_before[{place}];");
        let _ = writeln!(after, "    state_after[{place}] = {field};");
        if words.ring {
            let count = first + length;
            let _ = writeln!(text, "  value_t {field}_count;");
            let _ = writeln!(reset, "    {field}_count = state_before[{count}];");
            let _ = writeln!(after, "    state_after[{count}] = {field}_count;");
        }
    }
    let _ = writeln!(
        text,
        "  value_t orders;\n  int leaves;\n  value_t [{}:0] locals;",
        locals - 1
    );
    if writer.temporaries != 0 {
        let _ = writeln!(
            text,
            "  value_t [{}:0] t;  // what is used a little later",
            writer.temporaries - 1
        );
        reset.push_str("    t = '0;\n");
    }
    let _ = writeln!(
        text,
        "\n  always_comb begin\n{reset}    case (handler)\n{}      default: ;\n    endcase\n    state_after = state_before;\n{after}    orders_after = orders;\n  end\nendmodule",
        writer.text
    );
    text
}
