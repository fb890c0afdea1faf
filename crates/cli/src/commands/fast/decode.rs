//! `tickwire fast decode`: messages as JSON lines.

use std::io::{BufWriter, Write, stdout};
use std::path::PathBuf;

use clap::Args;
use fast::{Json, MessageBuilder};

use super::Stream;
use super::payloads;
use crate::console::Console;
use crate::error::Error;

/// Print the messages of a file as JSON, one a line
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tickwire fast decode --templates templates.xml day.dat
  tickwire fast decode --templates templates.xml capture.pcapng --port 9113 --framing preamble

Decimals are text of mantissa and exponent as they were sent (\"942755e-2\"), byte vectors text of hexadecimal digits;
absent fields are left out. A packet with an error gives no line; what is wrong is said on stderr.
tickwire fast encode reverses it.")]
pub struct Arguments {
    /// Messages; or pcap or pcapng, of which UDP payloads are decoded
    file: PathBuf,
    #[command(flatten)]
    stream: Stream,
    /// Of a capture, only datagrams to this UDP port
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
}

/// Runs the command.
///
/// # Errors
/// The file cannot be read, or a packet is not what the templates say.
pub fn run(arguments: &Arguments, console: Console) -> Result<(), Error> {
    /// Packets with an error that are reported one by one.
    const TOLD: u64 = 10;
    let templates = arguments.stream.compiled(console)?;
    let json = Json::new(&templates);
    let mut builder = MessageBuilder::new(&templates);
    let mut out = BufWriter::new(stdout().lock());
    let mut errors = 0;
    let outcome = payloads::decode(
        &arguments.file,
        arguments.port,
        &arguments.stream,
        &templates,
        console,
        &mut builder,
        |builder, packet| {
            if let Some(error) = &packet.error {
                errors += 1;
                if errors <= TOLD {
                    let error = error.describe(&templates);
                    console.note(&format!("packet {}: dropped: {error}", packet.number));
                }
            }
            let mut sequence = packet.sequence;
            for message in builder.take() {
                let line = json.write(&message);
                let printed = match (sequence, line.strip_prefix('{')) {
                    (Some(number), Some(rest)) => {
                        writeln!(out, "{{\"sequence\":{number},{rest}")
                    }
                    _ => writeln!(out, "{line}"),
                };
                printed.map_err(Error::Print)?;
                // In a datagram of several, each has the next number.
                sequence = sequence.map(|number| number.wrapping_add(1));
            }
            Ok(())
        },
    )?;
    out.flush().map_err(Error::Print)?;
    outcome.check(&arguments.file)
}
