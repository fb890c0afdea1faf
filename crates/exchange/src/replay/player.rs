//! A file of recorded messages and when they are due.

use std::path::Path;

use feed::source::{CaptureReader, MessageReader, Options, Source, SourceError};
use formats::fix::Timestamp;
use formats::itch::{self, Version};
use formats::mold;

/// How fast a record is played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Speed {
    /// So many times as fast as recorded.
    Times(f64),
    /// As fast as it can be read, and clients can take the prices.
    Unpaced,
}

/// Where messages come from.
#[derive(Debug)]
enum Reader {
    Messages(Box<MessageReader>),
    Datagrams {
        capture: Box<CaptureReader>,
        version: Option<Version>,
        /// The packet at hand, and how many of its messages were given.
        packet: Vec<u8>,
        given: usize,
        /// The session, and the number of the next message: what both lines sent is taken once.
        next: Option<([u8; 10], u64)>,
        time: u64,
    },
}

/// A message and when it was recorded, in nanoseconds.
#[derive(Debug, Default)]
struct Pending {
    time: u64,
    message: Vec<u8>,
}

/// Plays a file.
#[derive(Debug)]
pub struct Player {
    reader: Reader,
    version: Version,
    speed: Speed,
    /// The first message's time, and when that was here.
    began: Option<(u64, Timestamp)>,
    pending: Option<Pending>,
    /// Messages of a capture that both lines lost.
    missing: u64,
    /// Packets that are no MoldUDP64.
    malformed: u64,
}

impl Player {
    /// Opens a file: BinaryFILE, pcap or pcapng of MoldUDP64.
    ///
    /// # Errors
    /// It cannot be opened, or is of no known format.
    pub fn open(path: &Path, options: Options, speed: Speed) -> Result<Self, SourceError> {
        let (reader, version) = match Source::open(path, options)? {
            Source::Messages(reader) => {
                let version = reader.version();
                (Reader::Messages(Box::new(reader)), version)
            }
            Source::Datagrams(capture) => {
                let reader = Reader::Datagrams {
                    capture: Box::new(capture),
                    version: options.version,
                    packet: vec![],
                    given: 0,
                    next: None,
                    time: 0,
                };
                (reader, Version::V50)
            }
        };
        Ok(Player {
            reader,
            version,
            speed,
            began: None,
            pending: None,
            missing: 0,
            malformed: 0,
        })
    }

    /// Bytes read so far, and the file's length where it is known.
    pub fn position(&self) -> (u64, Option<u64>) {
        match &self.reader {
            Reader::Messages(reader) => reader.position(),
            Reader::Datagrams { capture, .. } => feed::PacketSource::position(&**capture),
        }
    }

    /// Messages of a capture that are missing by their numbers.
    pub const fn missing(&self) -> u64 {
        self.missing
    }

    /// Packets of a capture that are no MoldUDP64, left out.
    pub const fn malformed(&self) -> u64 {
        self.malformed
    }

    /// Whether only its clients hold it back.
    pub const fn is_unpaced(&self) -> bool {
        matches!(self.speed, Speed::Unpaced)
    }

    /// When the next message is due; `None` at the record's end. The first is due at once.
    ///
    /// # Errors
    /// The file cannot be read on, or is not what it should be.
    pub fn due(&mut self, now: Timestamp) -> Result<Option<Timestamp>, SourceError> {
        if self.pending.is_none() && !self.read()? {
            return Ok(None);
        }
        let time = self.pending.as_ref().map_or(0, |pending| pending.time);
        let (first, began) = *self.began.get_or_insert((time, now));
        let since = time.saturating_sub(first);
        Ok(Some(match self.speed {
            Speed::Unpaced => now,
            Speed::Times(times) => Timestamp(began.0.saturating_add((since as f64 / times) as u64)),
        }))
    }

    /// The message that is due, and its version.
    pub fn take(&mut self) -> Option<(Version, Vec<u8>)> {
        let pending = self.pending.take()?;
        Some((self.version, pending.message))
    }

    fn read(&mut self) -> Result<bool, SourceError> {
        match &mut self.reader {
            Reader::Messages(reader) => {
                let record = reader.next_message()?;
                self.pending = record.map(|record| Pending {
                    time: record.time,
                    message: record.message.to_vec(),
                });
            }
            Reader::Datagrams {
                capture,
                version,
                packet,
                given,
                next,
                time,
            } => loop {
                let parsed = mold::Packet::parse(packet).ok();
                let message = parsed.and_then(|packet| packet.messages().nth(*given));
                if let Some(message) = message {
                    *given += 1;
                    if version.is_none() {
                        *version = recognize(message);
                    }
                    self.version = version.unwrap_or(Version::V50);
                    let (time, message) = (*time, message.to_vec());
                    self.pending = Some(Pending { time, message });
                    break;
                }
                let Some(datagram) = capture.next_datagram()? else {
                    break;
                };
                let Ok(found) = mold::Packet::parse(datagram.payload) else {
                    self.malformed += 1;
                    continue;
                };
                let header = found.header;
                let wanted = match next {
                    Some((session, wanted)) if *session == header.session => *wanted,
                    _ => header.sequence,
                };
                let count = found.messages().count() as u64;
                self.missing += header.sequence.saturating_sub(wanted);
                *given = wanted.saturating_sub(header.sequence) as usize;
                *next = Some((
                    header.session,
                    wanted.max(header.sequence.saturating_add(count)),
                ));
                *time = datagram.time;
                packet.clear();
                packet.extend_from_slice(datagram.payload);
            },
        }
        Ok(self.pending.is_some())
    }
}

/// The version that has a message of this type and length; they share no such pair.
fn recognize(message: &[u8]) -> Option<Version> {
    let message_type = *message.first()?;
    [Version::V50, Version::V41]
        .into_iter()
        .find(|version| itch::length(*version, message_type) == Some(message.len()))
}
