//! The bytes of a file: datagrams of a capture, or the file itself.

use std::path::Path;

use fast::{Decoder, Framing, Settings, Templates, Visitor};
use feed::source::{Options, Payloads};
use indicatif::ProgressBar;

use super::Stream;
use crate::console::Console;
use crate::error::Error;
use crate::notices;

/// A packet that was decoded, or what is wrong with it.
pub struct Packet<'a> {
    /// Its number in the file, from 1.
    pub number: u64,
    /// The bytes around it: the datagram, or the file.
    pub bytes: &'a [u8],
    /// Where in them it begins, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The sequence number before it.
    pub sequence: Option<u32>,
    /// Whether it is a datagram of a capture.
    pub is_datagram: bool,
    /// What is wrong.
    pub error: Option<fast::Error>,
}

/// What came of a file.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Packets with an error: all of a capture, one at most of another file, which ends it.
    pub dropped: u64,
    /// The first of them.
    pub first: Option<String>,
}

impl Outcome {
    /// An error if there was one.
    ///
    /// # Errors
    /// [`Error::Dropped`].
    pub fn check(self, path: &Path) -> Result<(), Error> {
        match self.first {
            None => Ok(()),
            Some(first) => Err(Error::Dropped {
                path: path.to_owned(),
                count: self.dropped,
                first,
            }),
        }
    }

    fn add(&mut self, packet: &Packet<'_>, templates: &Templates) {
        if let Some(error) = &packet.error {
            self.dropped += 1;
            let first = || format!("packet {}, {}", packet.number, error.describe(templates));
            self.first.get_or_insert_with(first);
        }
    }
}

/// Decodes every packet of a file. A datagram stands or falls as one, and an error in it ends it alone; in a file that is no capture
/// nothing says where the next message would begin, so an error is its end.
///
/// # Errors
/// The file cannot be read, it is a capture without datagrams, or `each` fails.
pub fn decode<V: Visitor>(
    path: &Path,
    port: Option<u16>,
    stream: &Stream,
    templates: &Templates,
    console: Console,
    visitor: &mut V,
    mut each: impl FnMut(&mut V, Packet<'_>) -> Result<(), Error>,
) -> Result<Outcome, Error> {
    let settings = Settings {
        reset_each_packet: stream.reset_each_packet,
        ..Settings::default()
    };
    let mut decoder = Decoder::with(templates, settings);
    if let Some(id) = stream.template {
        decoder.assume_template(id);
    }
    let framing = Framing::from(stream.framing);
    let options = Options {
        port,
        notice: Some(notices::tell),
        ..Options::default()
    };
    let mut outcome = Outcome::default();
    let mut capture = match Payloads::open(path, options)? {
        Payloads::Datagrams(capture) => capture,
        Payloads::Bytes(bytes) => {
            let bar = console.bytes("decoding", Some(bytes.len() as u64));
            whole_file(
                &bytes,
                framing,
                &mut decoder,
                &bar,
                visitor,
                |visitor, packet| {
                    outcome.add(&packet, templates);
                    each(visitor, packet)
                },
            )?;
            bar.finish_and_clear();
            return Ok(outcome);
        }
    };
    let bar = console.bytes("decoding", capture.position().1);
    let mut number = 0;
    while let Some(datagram) = capture.next_datagram()? {
        number += 1;
        let packet = one_datagram(number, datagram.payload, framing, &mut decoder, visitor);
        outcome.add(&packet, templates);
        each(visitor, packet)?;
        bar.set_position(capture.position().0);
    }
    bar.finish_and_clear();
    if number == 0 {
        return Err(Error::NoDatagrams {
            path: path.to_owned(),
        });
    }
    Ok(outcome)
}

/// A datagram: frames back to back. The first that is wrong ends it.
fn one_datagram<'a, V: Visitor>(
    number: u64,
    payload: &'a [u8],
    framing: Framing,
    decoder: &mut Decoder,
    visitor: &mut V,
) -> Packet<'a> {
    let mut packet = Packet {
        number,
        bytes: payload,
        start: 0,
        end: payload.len(),
        sequence: None,
        is_datagram: true,
        error: None,
    };
    match framing.datagram(decoder, payload, visitor) {
        Ok(frame) => packet.sequence = frame.sequence,
        Err(error) => packet.error = Some(error),
    }
    packet
}

fn whole_file<V: Visitor>(
    bytes: &[u8],
    framing: Framing,
    decoder: &mut Decoder,
    bar: &ProgressBar,
    visitor: &mut V,
    mut each: impl FnMut(&mut V, Packet<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let (mut at, mut number) = (0, 0);
    while at < bytes.len() {
        number += 1;
        let mut packet = Packet {
            number,
            bytes,
            start: at,
            end: at,
            sequence: None,
            is_datagram: false,
            error: None,
        };
        match framing.next(decoder, bytes, at, visitor) {
            Ok(frame) => {
                (packet.end, packet.sequence) = (frame.end, frame.sequence);
                at = frame.end;
            }
            Err(error) => {
                packet.error = Some(error);
                at = bytes.len();
            }
        }
        each(visitor, packet)?;
        if number % 1024 == 0 {
            bar.set_position(at as u64);
        }
    }
    Ok(())
}
