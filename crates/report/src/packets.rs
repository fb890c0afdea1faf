//! A recording in memory: its packets with their times, the same for hardware and software.

use std::path::Path;

use feed::generate;
use feed::packetize::{self, Packetizer};
use feed::source::{CaptureReader, Fault, Options, Record, Source, SourceError};
use feed::{MessageSource, PacketSource};
use formats::Symbol;
use formats::itch::{self, Version};

use crate::Error;

/// Packets of one feed, in order.
#[derive(Clone, Debug)]
pub struct Packets {
    /// What it is called in a report.
    pub name: String,
    /// Its ITCH.
    pub version: Version,
    bytes: Vec<u8>,
    /// End of each packet in `bytes`, its time, and how many messages are in it.
    ends: Vec<(usize, u64, u16)>,
}

/// A second that begins, as the software says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Heartbeat {
    /// Index of the packet that begins it.
    pub packet: usize,
    /// The second, since midnight.
    pub second: u32,
}

/// A packet of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<'a> {
    /// Nanoseconds since midnight (of a capture: since the epoch).
    pub time: u64,
    /// The UDP payload.
    pub payload: &'a [u8],
    /// The number of messages its header announces; of FAST, of entries that are events.
    pub messages: u16,
}

/// Messages of a packet of MoldUDP64.
fn announced(payload: &[u8]) -> u16 {
    formats::mold::Header::parse(payload).map_or(0, |(header, _)| header.messages())
}

impl Packets {
    /// Reads a BinaryFILE (one message a packet, as system B's feed did), a pcap or a pcapng.
    ///
    /// # Errors
    /// Those of [`Source::open`] and of reading; the version of a capture must be named.
    pub fn read(path: &Path, options: Options) -> Result<Self, SourceError> {
        let name = name(path);
        match Source::open(path, options)? {
            Source::Messages(reader) => {
                let version = reader.version();
                Self::collect(
                    name,
                    version,
                    Packetizer::new(reader, packetize::Config::default()),
                    announced,
                )
            }
            Source::Datagrams(reader) => {
                let version = options.version.unwrap_or(Version::V50);
                Self::collect(name, version, reader, announced)
            }
        }
    }

    /// Reads the datagrams of a capture that are no ITCH: `entries` says how many are in a payload.
    ///
    /// # Errors
    /// Those of [`CaptureReader::open`] and of reading.
    pub fn of_capture(
        path: &Path,
        options: Options,
        entries: impl FnMut(&[u8]) -> u16,
    ) -> Result<Self, SourceError> {
        let reader = CaptureReader::open(path, options)?;
        Self::collect(name(path), Version::V50, reader, entries)
    }

    /// Packets of messages in memory, each with its time.
    ///
    /// # Errors
    /// A message that fits into no packet.
    pub fn of_messages(
        name: String,
        version: Version,
        messages: impl MessageSource,
    ) -> Result<Self, SourceError> {
        Self::collect(
            name,
            version,
            Packetizer::new(messages, packetize::Config::default()),
            announced,
        )
    }

    /// The same with so many messages a packet at most.
    ///
    /// # Errors
    /// A message that fits into no packet.
    pub fn packed(
        name: String,
        version: Version,
        messages: impl MessageSource,
        per_packet: u16,
    ) -> Result<Self, SourceError> {
        let config = packetize::Config {
            per_packet,
            ..packetize::Config::default()
        };
        Self::collect(name, version, Packetizer::new(messages, config), announced)
    }

    fn collect(
        name: String,
        version: Version,
        mut source: impl PacketSource,
        mut messages: impl FnMut(&[u8]) -> u16,
    ) -> Result<Self, SourceError> {
        let mut packets = Packets {
            name,
            version,
            bytes: vec![],
            ends: vec![],
        };
        while let Some(packet) = source.next_packet()? {
            packets.bytes.extend_from_slice(packet.payload);
            let (time, messages) = (packet.time, messages(packet.payload));
            packets.ends.push((packets.bytes.len(), time, messages));
        }
        Ok(packets)
    }

    /// These payloads, each with its time and number of messages.
    #[cfg(test)]
    pub(crate) fn of(name: &str, packets: impl IntoIterator<Item = (Vec<u8>, u64, u16)>) -> Self {
        let (mut bytes, mut ends) = (vec![], vec![]);
        for (payload, time, messages) in packets {
            bytes.extend_from_slice(&payload);
            ends.push((bytes.len(), time, messages));
        }
        Packets {
            name: name.to_owned(),
            version: Version::V50,
            bytes,
            ends,
        }
    }

    /// The first `count` of them, or all; the name says so.
    #[must_use]
    pub fn first(mut self, count: usize) -> Self {
        if self.ends.len() > count {
            self.ends.truncate(count);
            self.name += &format!(", first {count} packets");
        }
        self
    }

    /// All but the first; the name says so.
    #[must_use]
    pub fn after_first(mut self) -> Self {
        if let Some((first, ..)) = self.ends.first().copied() {
            self.bytes.drain(..first);
            self.ends.remove(0);
            self.ends.iter_mut().for_each(|(end, ..)| *end -= first);
            self.name += ", from the second packet on";
        }
        self
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The packets.
    pub fn iter(&self) -> impl Iterator<Item = Packet<'_>> {
        let starts = std::iter::once(0).chain(self.ends.iter().map(|(end, ..)| *end));
        starts
            .zip(&self.ends)
            .map(|(start, (end, time, messages))| Packet {
                time: *time,
                payload: &self.bytes[start..*end],
                messages: *messages,
            })
    }

    /// The seconds that begin, for a pipeline configured so.
    ///
    /// # Errors
    /// The configuration is refused.
    pub fn heartbeats(
        &self,
        config: &pipeline::Config,
    ) -> Result<Vec<Heartbeat>, pipeline::ConfigError> {
        let mut pipeline = pipeline::Pipeline::new(config.clone())?;
        let mut heartbeats = vec![];
        for (index, packet) in self.iter().enumerate() {
            if pipeline.datagram(packet.payload).report_due {
                let second = pipeline
                    .report()
                    .and_then(|mut parts| parts.next())
                    .and_then(second_of_report)
                    .unwrap_or(0);
                heartbeats.push(Heartbeat {
                    packet: index,
                    second,
                });
            }
        }
        Ok(heartbeats)
    }

    /// At most `limit` symbols, those with the most orders first; for a desk that does not fit the data.
    pub fn symbols(&self, limit: usize) -> Vec<Symbol> {
        struct Orders(std::collections::HashMap<Symbol, u64>);
        impl itch::Visitor for Orders {
            fn add_order(&mut self, message: itch::AddOrder) {
                *self.0.entry(message.stock).or_default() += 1;
            }
            fn add_order_mpid(&mut self, message: itch::AddOrderMpid) {
                *self.0.entry(message.stock).or_default() += 1;
            }
        }
        let mut orders = Orders(std::collections::HashMap::new());
        for packet in self.iter() {
            let messages =
                formats::mold::Packet::parse(packet.payload).map(|packet| packet.messages());
            messages
                .into_iter()
                .flatten()
                .for_each(|message| itch::visit(self.version, message, &mut orders));
        }
        let mut symbols: Vec<(Symbol, u64)> = orders.0.into_iter().collect();
        symbols.sort_by_key(|(symbol, count)| (std::cmp::Reverse(*count), symbol.0));
        symbols
            .into_iter()
            .take(limit)
            .map(|(symbol, _)| symbol)
            .collect()
    }
}

/// What a file is called in a report.
fn name(path: &Path) -> String {
    let name = path.file_name();
    name.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// The second that a report's payload says begins.
pub(crate) fn second_of_report(payload: &[u8]) -> Option<u32> {
    let bytes = payload.get(..formats::report::HEADER)?.get(12..16)?;
    Some(u32::from_be_bytes(bytes.try_into().ok()?))
}

/// Generated data as packets.
///
/// # Errors
/// The temporary file it passes through cannot be written or read.
pub fn generated(settings: &generate::Settings) -> Result<Packets, Error> {
    let bytes = generated_bytes(settings)?;
    let symbols = if settings.symbols == 1 {
        "symbol"
    } else {
        "symbols"
    };
    let name = format!(
        "generated, {} {symbols}, seed {}",
        settings.symbols, settings.seed
    );
    Ok(Packets::of_messages(
        name,
        settings.version,
        InMemory::new(settings.version, &bytes),
    )?)
}

/// Generated data as a BinaryFILE.
///
/// # Errors
/// None: it is written to memory.
pub fn generated_bytes(settings: &generate::Settings) -> Result<Vec<u8>, Error> {
    let mut bytes = vec![];
    // Writing to memory does not fail.
    generate::generate(settings, &mut bytes, |_| ()).map_err(|cause| Error::Write {
        path: "(memory)".into(),
        cause,
    })?;
    Ok(bytes)
}

/// The messages of a BinaryFILE in memory, with their times.
#[derive(Debug)]
pub struct InMemory<'a> {
    messages: formats::binary_file::Messages<'a>,
    version: Version,
    second: u64,
}

impl<'a> InMemory<'a> {
    /// From the file's first byte on.
    pub fn new(version: Version, file: &'a [u8]) -> Self {
        InMemory {
            messages: formats::binary_file::Messages::new(file),
            version,
            second: 0,
        }
    }
}

impl MessageSource for InMemory<'_> {
    fn next_message(&mut self) -> Result<Option<Record<'_>>, SourceError> {
        let offset = self.messages.offset() as u64;
        // What was made here is complete.
        let Some(Ok(message)) = self.messages.next() else {
            return Ok(None);
        };
        let time = match itch::Message::parse(self.version, message) {
            Ok(itch::Message::Seconds(seconds)) => {
                self.second = u64::from(seconds.seconds) * 1_000_000_000;
                self.second
            }
            Ok(message) => self.second + message.head().map_or(0, |head| head.nanoseconds),
            Err(_) => self.second,
        };
        Ok(Some(Record {
            offset,
            time,
            message,
        }))
    }

    fn fault(&self, offset: u64, fault: Fault) -> SourceError {
        SourceError::Content {
            path: "(generated)".into(),
            offset,
            fault,
        }
    }

    fn position(&self) -> (u64, Option<u64>) {
        (self.messages.offset() as u64, None)
    }
}
