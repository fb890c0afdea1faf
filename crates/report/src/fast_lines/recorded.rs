//! Recorded FAST data, where it is there.

use std::path::Path;

use fast::{Framing, Templates};

/// Why recorded data that is there cannot be taken.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Templates that do not compile.
    #[error("templates: {0}")]
    Templates(#[from] fast::TemplateError),
    /// Messages that are not what they say.
    #[error("recorded data: {0}")]
    Data(#[from] fast::Error),
}

/// A recording in packets.
pub struct Recording {
    /// As people call it.
    pub name: &'static str,
    /// In the figures.
    pub key: &'static str,
    /// Its name among the lags, if these are measured.
    pub lag: Option<&'static str>,
    /// Fields that an event needs: action, side, instrument, price, size, identifiers, sequence numbers, time.
    pub wanted: &'static [u32],
    /// Its templates.
    pub templates: Templates,
    bytes: Vec<u8>,
    /// Where each packet begins and ends.
    packets: Vec<(usize, usize)>,
}

impl Recording {
    /// The packets, without what the exchange puts before their messages.
    pub fn packets(&self) -> Vec<&[u8]> {
        let packets = self.packets.iter();
        packets
            .map(|(begin, end)| &self.bytes[*begin..*end])
            .collect()
    }
}

/// Where a recording is, and how it is framed.
struct File {
    name: &'static str,
    key: &'static str,
    lag: Option<&'static str>,
    templates: &'static str,
    data: &'static str,
    framing: Framing,
    /// Frames of a packet: MICEX sends a reset before each message.
    frames: usize,
    wanted: &'static [u32],
}

const MICEX: [u32; 12] = [34, 268, 279, 269, 48, 83, 1023, 278, 270, 271, 273, 346];
const MOEX: [u32; 10] = [34, 268, 269, 278, 55, 83, 273, 270, 271, 10504];

const FILES: [File; 3] = [
    File {
        name: "MICEX derivatives, line A",
        key: "micex",
        lag: Some("micex"),
        templates: "micex-2013-08-01/templates.xml",
        data: "micex-2013-08-01/increment_a.dat",
        framing: Framing::None,
        frames: 2,
        wanted: &MICEX,
    },
    File {
        name: "MICEX derivatives, line B",
        key: "micex_b",
        lag: None,
        templates: "micex-2013-08-01/templates.xml",
        data: "micex-2013-08-01/increment_b.dat",
        framing: Framing::None,
        frames: 2,
        wanted: &MICEX,
    },
    File {
        name: "MOEX trades",
        key: "trades",
        lag: Some("trades"),
        templates: "moex-templates/asts-2017-03.xml",
        data: "moex-fond-trades-2019-04-04/data.dat",
        framing: Framing::Preamble,
        frames: 1,
        wanted: &MOEX,
    },
];

/// Those that are there.
///
/// # Errors
/// One that is there is not good.
pub fn all(folder: &Path) -> Result<Vec<Recording>, Error> {
    let mut recordings = vec![];
    for file in FILES {
        let (Ok(xml), Ok(bytes)) = (
            std::fs::read_to_string(folder.join(file.templates)),
            std::fs::read(folder.join(file.data)),
        ) else {
            continue;
        };
        let templates = Templates::parse(&xml)?;
        let frames = file.framing.split(&templates, &bytes)?;
        let preamble = if file.framing == Framing::Preamble {
            4
        } else {
            0
        };
        let mut at = 0;
        let mut packets = vec![];
        for frames in frames.chunks(file.frames) {
            let length: usize = frames.iter().map(|frame| frame.len()).sum();
            packets.push((at + preamble, at + length));
            at += length;
        }
        recordings.push(Recording {
            name: file.name,
            key: file.key,
            lag: file.lag,
            wanted: file.wanted,
            templates,
            bytes,
            packets,
        });
    }
    Ok(recordings)
}
