//! `tickwire fast encode`: JSON lines to messages.

use std::fmt;
use std::fs;
use std::path::PathBuf;

use clap::Args;
use fast::{Encoder, Framing, Json};
use serde::Serialize;

use super::Stream;
use crate::console::Console;
use crate::error::Error;

/// Encode messages that are JSON lines: the reverse of decode
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tickwire fast encode --templates templates.xml day.jsonl --out day.dat

Each message is encoded in its shortest form; what decode printed of a sender that does so too comes out byte for byte. With preambles,
\"sequence\" is the number before a message; without it, numbers go on from the one before.")]
pub struct Arguments {
    /// JSON lines, as decode prints them
    file: PathBuf,
    #[command(flatten)]
    stream: Stream,
    /// Where to write the bytes
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// What was encoded.
#[derive(Serialize)]
struct Encoded {
    file: String,
    messages: u64,
    bytes: u64,
}

impl fmt::Display for Encoded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Encoded {
            file,
            messages,
            bytes,
        } = self;
        write!(f, "{file}: {messages} messages, {bytes} bytes")
    }
}

/// Runs the command.
///
/// # Errors
/// A line is no message of the templates, or a file cannot be read or written.
pub fn run(arguments: &Arguments, console: Console) -> Result<(), Error> {
    let templates = arguments.stream.compiled(console)?;
    let path = &arguments.file;
    let text = fs::read_to_string(path).map_err(|cause| live::Error::Read {
        path: path.clone(),
        cause,
    })?;
    let json = Json::new(&templates);
    let framing = Framing::from(arguments.stream.framing);
    let mut encoder = Encoder::new(&templates);
    if let Some(id) = arguments.stream.template {
        encoder.assume_template(id);
    }
    let (mut out, mut message) = (Vec::new(), Vec::new());
    let (mut messages, mut sequence) = (0, 1_u32);
    let bar = console.bytes("encoding", Some(text.len() as u64));
    for (index, line) in text.lines().enumerate() {
        bar.inc(line.len() as u64 + 1);
        if line.trim().is_empty() {
            continue;
        }
        let fail = |cause: String| Error::Line {
            path: path.clone(),
            line: index + 1,
            cause,
        };
        let (meant, number) = json
            .read_numbered(line)
            .map_err(|cause| fail(cause.to_string()))?;
        sequence = number.unwrap_or(sequence);
        if arguments.stream.reset_each_packet {
            encoder.reset();
        }
        message.clear();
        let encoded = encoder.message(&meant, &mut message);
        encoded.map_err(|cause| fail(cause.describe(&templates)))?;
        framing.put(sequence, &message, &mut out);
        sequence = sequence.wrapping_add(1);
        messages += 1;
    }
    bar.finish_and_clear();
    fs::write(&arguments.out, &out).map_err(|cause| Error::Write {
        path: arguments.out.clone(),
        cause,
    })?;
    console.print(&Encoded {
        file: arguments.out.display().to_string(),
        messages,
        bytes: out.len() as u64,
    })
}
