//! `tickwire fast compile`: what the compiler makes of a template file.

use std::fmt;
use std::path::PathBuf;

use clap::Args;
use fast::template::{eligible, watched_exponents};
use fast::{Template, Templates};
use serde::Serialize;

use super::read_templates;
use crate::console::Console;
use crate::error::Error;

/// Show what the compiler makes of a template file: a listing that reads next to the XML
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tickwire fast compile templates.xml
  tickwire fast compile templates.xml --json

Each row is an instruction: its number, the line in the XML, the field's tag, name, type (? is optional), operator and initial
value, presence-map bit, and dictionary entry (slot). Rows with the same slot share their previous value. Before them stands which
engine of the hardware takes the template, and why not the faster one.")]
pub struct Arguments {
    /// The exchange's template file (FAST 1.1 XML)
    file: PathBuf,
}

/// A set of templates, printed.
#[derive(Serialize)]
struct Compiled<'t> {
    templates: Vec<One<'t>>,
    slots: Vec<String>,
    warnings: Vec<String>,
    #[serde(skip)]
    all: &'t Templates,
}

/// A template, as it is printed.
#[derive(Serialize)]
struct One<'t> {
    #[serde(flatten)]
    template: &'t Template,
    wire_rate: bool,
    reasons: Vec<String>,
    watched: Vec<usize>,
}

impl fmt::Display for Compiled<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.all.listing().trim_end())
    }
}

/// Runs the command.
///
/// # Errors
/// The file cannot be read, or does not compile.
pub fn run(arguments: &Arguments, console: Console) -> Result<(), Error> {
    let all = read_templates(&arguments.file, console)?;
    let one = |template| {
        let reasons = eligible(template).err().unwrap_or_default();
        One {
            template,
            wire_rate: reasons.is_empty(),
            reasons: reasons.iter().map(ToString::to_string).collect(),
            watched: watched_exponents(template),
        }
    };
    let slot = |number: usize| all.describe_slot(fast::template::Slot(number as u16));
    console.print(&Compiled {
        templates: all.all().iter().map(one).collect(),
        slots: (0..all.slot_count()).filter_map(slot).collect(),
        warnings: all.warnings().iter().map(ToString::to_string).collect(),
        all: &all,
    })
}
