//! `tickwire fast compile`: what the compiler makes of a template file.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use decoder::fast::{Map, WireRate};
use fast::template::{LateBits, eligible, late_bits, watched_exponents};
use fast::{Template, Templates};
use live::desk::read_templates;
use serde::Serialize;

use crate::console::Console;
use crate::error::Error;

/// Show what the compiler makes of a template file: a listing that reads next to the XML
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tickwire fast compile templates.xml
  tickwire fast compile templates.xml --json
  tickwire fast compile desks/fast/order-log.xml --map desks/fast/moex-order-log.toml --constants

Each row is an instruction: its number, the line in the XML, the field's tag, name, type (? is optional), operator and initial
value, presence-map bit, and dictionary entry (slot). Rows with the same slot share their previous value. Before them stands which
engine of the hardware takes the template, and why not the faster one.

--constants prints rtl/decoder/fast/wire/fast_wire_constants_pkg.sv: the tables of the wire-rate engine for a core that is built for
one template. It decodes the map's first template that the engine can do.")]
pub struct Arguments {
    /// The exchange's template file (FAST 1.1 XML)
    file: PathBuf,
    /// The wire-rate engine's tables for this map, as a SystemVerilog package of constants
    #[arg(long, requires = "map")]
    constants: bool,
    /// Which fields are which members of an event (TOML)
    #[arg(long, value_name = "TOML", requires = "constants")]
    map: Option<PathBuf>,
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
    /// The instruction whose bit of the presence map moves the exponents before it by one.
    late_bit: Option<usize>,
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
/// A file cannot be read, or does not compile; the wire-rate engine can do no template of the map.
pub fn run(arguments: &Arguments, console: Console) -> Result<(), Error> {
    let all = read_templates(&arguments.file, &console)?;
    if let Some(map) = &arguments.map {
        return constants(&arguments.file, &all, map, console);
    }
    let one = |template| {
        let reasons = eligible(template).err().unwrap_or_default();
        One {
            template,
            wire_rate: reasons.is_empty(),
            reasons: reasons.iter().map(ToString::to_string).collect(),
            late_bit: match late_bits(template) {
                LateBits::One(at) => Some(at),
                LateBits::None | LateBits::Many => None,
            },
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

/// Prints the package of constants.
fn constants(
    file: &Path,
    templates: &Templates,
    map: &Path,
    console: Console,
) -> Result<(), Error> {
    let text = fs::read_to_string(map).map_err(|cause| live::Error::Read {
        path: map.to_owned(),
        cause,
    })?;
    let parsed = Map::parse(&text).map_err(|cause| live::Error::Map {
        path: map.to_owned(),
        cause,
    })?;
    let tables = WireRate::new(templates, &parsed, true).map_err(|cause| Error::WireRate {
        path: map.to_owned(),
        cause,
    })?;
    let source = format!("{} with {}", file.display(), map.display());
    console.print(&Package {
        template: tables.templates.first().copied().unwrap_or_default(),
        fingerprint: tables.fingerprint(),
        package: tables.constants(&source),
    })
}

/// A package of constants, printed.
#[derive(Serialize)]
struct Package {
    template: u32,
    fingerprint: u32,
    package: String,
}

impl fmt::Display for Package {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.package.trim_end())
    }
}
