//! A file of market data as packets: BinaryFILE packetized, captures as they were.

use std::path::Path;

use clap::Args;
use feed::packetize::{Config, ETHERNET_PAYLOAD, Packetizer};
use feed::source::{CaptureReader, Format, MessageReader, Options, Skipped, Source, SourceError};
use feed::{Packet, PacketSource};
use formats::itch::{self, Version};
use formats::mold;
use serde::Serialize;

use crate::notices;

/// How a file is read; the same for every command that reads one.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Reading the file")]
pub struct ReadOptions {
    /// ITCH version; detected from the file if not given
    #[arg(long, value_name = "VERSION", value_parser = version)]
    pub itch: Option<Version>,
    /// Of a capture, only datagrams to this UDP port
    #[arg(long, value_name = "PORT")]
    pub port: Option<u16>,
    /// Pass on messages that the version does not have, instead of stopping at them
    #[arg(long)]
    pub lenient: bool,
}

impl ReadOptions {
    /// Opens the file.
    ///
    /// # Errors
    /// It cannot be opened, or is of no known format.
    pub fn open(&self, path: &Path) -> Result<Source, SourceError> {
        Source::open(path, self.options())
    }

    /// As the readers of files take it.
    pub fn options(&self) -> Options {
        Options {
            version: self.itch,
            lenient: self.lenient,
            port: self.port,
            any_protocol: false,
            notice: Some(notices::tell),
        }
    }

    /// The same for a capture of another protocol than MoldUDP64.
    pub fn of_any_protocol(&self) -> Options {
        Options {
            any_protocol: true,
            ..self.options()
        }
    }
}

/// How the messages of a BinaryFILE become packets. A capture's packets stay as they are.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Packets of a BinaryFILE (those of a capture stay as they are)")]
pub struct PacketOptions {
    /// At most so many messages a MoldUDP64 packet [default: 1, or as many as fit with --coalesce]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub per_packet: Option<u16>,
    /// Messages less than so much market time after a packet's first join it
    #[arg(long, value_name = "TIME", value_parser = nanoseconds)]
    pub coalesce: Option<u64>,
    /// Largest UDP payload, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = ETHERNET_PAYLOAD)]
    pub payload: usize,
    /// MoldUDP64 session: up to 10 characters
    #[arg(long, value_name = "NAME", default_value = "TICKWIRE01", value_parser = session)]
    pub session: [u8; 10],
}

impl Default for PacketOptions {
    /// A message a packet.
    fn default() -> Self {
        PacketOptions {
            per_packet: None,
            coalesce: None,
            payload: ETHERNET_PAYLOAD,
            session: *b"TICKWIRE01",
        }
    }
}

impl PacketOptions {
    fn config(&self) -> Config {
        let base = self
            .coalesce
            .map_or_else(Config::default, Config::coalescing);
        Config {
            session: self.session,
            per_packet: self.per_packet.unwrap_or(base.per_packet),
            mtu: self.payload,
            ..base
        }
    }
}

/// A file as packets.
#[derive(Debug)]
pub enum Packets {
    /// Made of messages.
    Made(Box<Packetizer<MessageReader>>),
    /// As captured.
    Captured(Box<CaptureReader>),
}

impl Packets {
    /// Opens a file and makes packets of it.
    ///
    /// # Errors
    /// It cannot be opened, or is of no known format.
    pub fn open(
        path: &Path,
        read: &ReadOptions,
        packets: &PacketOptions,
    ) -> Result<Self, SourceError> {
        Ok(match read.open(path)? {
            Source::Messages(reader) => {
                Packets::Made(Box::new(Packetizer::new(reader, packets.config())))
            }
            Source::Datagrams(reader) => Packets::Captured(Box::new(reader)),
        })
    }

    /// The datagrams of a capture, whatever is in them.
    ///
    /// # Errors
    /// It cannot be opened, or is no capture.
    pub fn of_any_protocol(path: &Path, read: &ReadOptions) -> Result<Self, SourceError> {
        let reader = CaptureReader::open(path, read.of_any_protocol())?;
        Ok(Packets::Captured(Box::new(reader)))
    }

    /// Frames of a capture that gave no packet so far.
    pub fn skipped(&self) -> Skipped {
        match self {
            Packets::Made(_) => Skipped::default(),
            Packets::Captured(reader) => reader.skipped(),
        }
    }
}

impl PacketSource for Packets {
    fn next_packet(&mut self) -> Result<Option<Packet<'_>>, SourceError> {
        match self {
            Packets::Made(packets) => packets.next_packet(),
            Packets::Captured(packets) => packets.next_packet(),
        }
    }

    fn position(&self) -> (u64, Option<u64>) {
        match self {
            Packets::Made(packets) => packets.position(),
            Packets::Captured(packets) => packets.position(),
        }
    }
}

/// The version that has a message of this type and length; they share no such pair.
pub fn recognize(message: &[u8]) -> Option<Version> {
    let message_type = *message.first()?;
    [Version::V50, Version::V41]
        .into_iter()
        .find(|version| itch::length(*version, message_type) == Some(message.len()))
}

/// The version of a file's ITCH: as given, as detected by the reader, or that of a capture's first valid message.
///
/// # Errors
/// The file cannot be read.
pub fn version_of(path: &Path, read: &ReadOptions) -> Result<Option<Version>, SourceError> {
    if read.itch.is_some() {
        return Ok(read.itch);
    }
    let mut capture = match read.open(path)? {
        Source::Messages(reader) => return Ok(Some(reader.version())),
        Source::Datagrams(capture) => capture,
    };
    while let Some(datagram) = capture.next_datagram()? {
        let packet = mold::Packet::parse(datagram.payload).ok();
        if let Some(version) = packet.and_then(|packet| packet.messages().find_map(recognize)) {
            return Ok(Some(version));
        }
    }
    capture.check()?;
    Ok(None)
}

/// A format's name, as printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FormatName(&'static str);

impl From<Format> for FormatName {
    fn from(format: Format) -> Self {
        FormatName(match format {
            Format::BinaryFile => "BinaryFILE",
            Format::Pcap => "pcap",
            Format::PcapNg => "pcapng",
        })
    }
}

impl std::fmt::Display for FormatName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

/// Reads a time with its unit, such as 50us, from the command line: in nanoseconds.
///
/// # Errors
/// It has no unit, or is longer than 584 years.
pub fn nanoseconds(text: &str) -> Result<u64, String> {
    let time = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    u64::try_from(time.as_nanos()).map_err(|_| "too long".into())
}

/// Reads an ITCH version from the command line.
///
/// # Errors
/// It is neither 4.1 nor 5.0.
pub fn version(text: &str) -> Result<Version, String> {
    match text {
        "4.1" => Ok(Version::V41),
        "5.0" => Ok(Version::V50),
        _ => Err("write 4.1 or 5.0".into()),
    }
}

/// A version as it is written.
pub const fn version_name(version: Version) -> &'static str {
    match version {
        Version::V41 => "4.1",
        Version::V50 => "5.0",
    }
}

fn session(text: &str) -> Result<[u8; 10], String> {
    if text.is_empty() || text.len() > 10 || !text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
    {
        return Err("write 1 to 10 characters of ASCII".into());
    }
    let mut session = [b' '; 10];
    session[..text.len()].copy_from_slice(text.as_bytes());
    Ok(session)
}
