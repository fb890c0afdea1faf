//! `tickwire fast`: FAST 1.1 with the exchange's template file: decode, encode, events, capture, compile, statistics.

mod capture;
mod compile;
mod decode;
mod encode;
mod events;
pub mod payloads;
pub mod statistics;

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use fast::{Framing, Templates};
use live::desk::read_templates;

use crate::console::Console;
use crate::error::Error;

/// Decode and encode FAST 1.1, with the exchange's template file
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tickwire fast decode --templates templates.xml day.dat | head
  tickwire fast decode --templates templates.xml capture.pcap --port 9113 --framing preamble
  tickwire fast encode --templates templates.xml day.jsonl --out day.dat
  tickwire fast events --templates templates.xml --map desks/fast/micex-levels.toml day.dat
  tickwire fast capture --templates templates.xml --map desks/fast/micex-levels.toml day.dat --out day.pcap
  tickwire fast compile templates.xml
  tickwire fast statistics --templates templates.xml day.dat")]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Decode(decode::Arguments),
    Encode(encode::Arguments),
    Events(events::Arguments),
    Capture(capture::Arguments),
    Compile(compile::Arguments),
    Statistics(statistics::Arguments),
}

/// What stands around messages, as it is named on the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum FramingName {
    /// Messages back to back
    #[default]
    None,
    /// A 4-byte little-endian sequence number before each message (Moscow Exchange)
    #[value(alias = "preamble4")]
    Preamble,
    /// Blocks, each after its size in bytes (FAST 1.1, section 10)
    Block,
}

impl From<FramingName> for Framing {
    fn from(name: FramingName) -> Self {
        match name {
            FramingName::None => Framing::None,
            FramingName::Preamble => Framing::Preamble,
            FramingName::Block => Framing::Block,
        }
    }
}

/// What every command needs to know that has to do with messages.
#[derive(Args, Clone, Debug)]
pub struct Stream {
    /// The exchange's template file (FAST 1.1 XML)
    #[arg(long, value_name = "XML")]
    pub templates: PathBuf,
    /// What stands around the messages
    #[arg(long, value_enum, default_value_t)]
    pub framing: FramingName,
    /// Begin every packet with empty dictionaries, as some exchanges do (Moscow Exchange)
    #[arg(long)]
    pub reset_each_packet: bool,
    /// Template of messages that name none, by its id: until one names another, at first and after each reset
    #[arg(long, value_name = "ID")]
    pub template: Option<u32>,
}

impl Stream {
    /// The templates, compiled; what was passed over is noted.
    ///
    /// # Errors
    /// The file cannot be read, or does not compile; it has no such template.
    pub fn compiled(&self, console: Console) -> Result<Templates, Error> {
        let templates = read_templates(&self.templates, &console)?;
        match self.template {
            Some(id) if templates.by_id(id).is_none() => Err(Error::NoTemplate {
                path: self.templates.clone(),
                id,
                has: templates.all().iter().filter_map(|one| one.id).collect(),
            }),
            _ => Ok(templates),
        }
    }
}

/// Runs the command.
///
/// # Errors
/// A file cannot be read or written, templates do not compile, or messages are not what the templates say.
pub fn run(arguments: &Arguments, console: Console) -> Result<(), Error> {
    match &arguments.command {
        Command::Decode(arguments) => decode::run(arguments, console),
        Command::Encode(arguments) => encode::run(arguments, console),
        Command::Events(arguments) => events::run(arguments, console),
        Command::Capture(arguments) => capture::run(arguments, console),
        Command::Compile(arguments) => compile::run(arguments, console),
        Command::Statistics(arguments) => statistics::run(arguments, console),
    }
}
