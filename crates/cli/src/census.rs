//! What is in a file of market data: counts by type, times, symbols, sessions, gaps.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use feed::source::{Source, SourceError};
use formats::Symbol;
use formats::itch::Version;
use formats::mold;
use indicatif::ProgressBar;
use serde::Serialize;

use crate::input::{FormatName, ReadOptions, recognize};

const SECOND: u64 = 1_000_000_000;
/// Records between two looks at the progress bar.
const PROGRESS: u64 = 1 << 14;

/// What is in a file.
#[derive(Debug, Serialize)]
pub struct Census {
    /// The file.
    pub file: String,
    /// What it is.
    pub format: FormatName,
    /// ITCH version; `None`: there is no message of either.
    pub itch: Option<Version>,
    /// The file's size, as it is stored.
    pub bytes: u64,
    /// Bytes after the end mark of a BinaryFILE, which are not read.
    pub after_end: u64,
    /// Messages in all.
    pub messages: u64,
    /// Of these, those the version does not have.
    pub unknown: u64,
    /// By type.
    pub by_type: BTreeMap<char, u64>,
    /// Names that occur.
    pub symbols: usize,
    /// The names with the most orders added, at most sixteen, most first.
    pub most_active: Vec<Active>,
    /// Seconds in which there are messages.
    pub seconds: u64,
    /// Time of the first message, in nanoseconds since midnight.
    pub first_time: Option<u64>,
    /// Time of the last.
    pub last_time: Option<u64>,
    /// Of a capture.
    pub capture: Option<Capture>,
}

/// A symbol and the orders added in it.
#[derive(Clone, Debug, Serialize)]
pub struct Active {
    /// Its name.
    pub symbol: Symbol,
    /// `A` and `F` messages.
    pub orders: u64,
}

/// What only captures have.
#[derive(Debug, Default, Serialize)]
pub struct Capture {
    /// UDP datagrams.
    pub datagrams: u64,
    /// By destination.
    pub destinations: BTreeMap<String, u64>,
    /// MoldUDP64 sessions.
    pub sessions: Vec<String>,
    /// Datagrams that are no MoldUDP64.
    pub malformed: u64,
    /// Heartbeats.
    pub heartbeats: u64,
    /// Ends of session.
    pub ends_of_session: u64,
    /// Frames that are not UDP over IPv4.
    pub not_udp: u64,
    /// Fragments.
    pub fragments: u64,
    /// Frames cut short by the capture.
    pub incomplete: u64,
    /// Datagrams to other ports than the one asked for.
    pub other_port: u64,
}

/// Counts messages.
#[derive(Default)]
struct Counter {
    version: Option<Version>,
    messages: u64,
    unknown: u64,
    by_type: BTreeMap<u8, u64>,
    symbols: HashMap<Symbol, u64>,
    t_second: u32,
    second: Option<u64>,
    seconds: u64,
    first_time: Option<u64>,
    last_time: Option<u64>,
}

impl Counter {
    fn message(&mut self, message: &[u8]) {
        self.messages += 1;
        let message_type = message.first().copied().unwrap_or(0);
        *self.by_type.entry(message_type).or_default() += 1;
        if self.version.is_none() {
            self.version = recognize(message);
        }
        let version = self.version.unwrap_or(Version::V50);
        let Ok(event) = decoder::itch::event(version, message, self.t_second, 0, false) else {
            self.unknown += 1;
            return;
        };
        self.t_second = event.seconds;
        let time = event.time_ns();
        self.first_time.get_or_insert(time);
        self.last_time = Some(time);
        if self.second.is_none_or(|second| time / SECOND > second) {
            self.second = Some(time / SECOND);
            self.seconds += 1;
        }
        if let Some(symbol) = event.symbol {
            let orders = self.symbols.entry(symbol).or_default();
            *orders += u64::from(matches!(message_type, b'A' | b'F'));
        }
    }

    fn most_active(&self) -> Vec<Active> {
        let orders = self.symbols.iter().filter(|(_, orders)| **orders > 0);
        let mut active: Vec<Active> = orders
            .map(|(&symbol, &orders)| Active { symbol, orders })
            .collect();
        active.sort_by_key(|active| (std::cmp::Reverse(active.orders), active.symbol));
        active.truncate(16);
        active
    }
}

impl Census {
    /// Reads a complete file.
    ///
    /// # Errors
    /// It cannot be opened or read, or is cut short: file and byte are named.
    pub fn take(path: &Path, read: &ReadOptions, bar: &ProgressBar) -> Result<Self, SourceError> {
        let mut counter = Counter {
            version: read.itch,
            ..Counter::default()
        };
        let source = read.open(path)?;
        let format = source.format().into();
        let (bytes, after_end, capture) = match source {
            Source::Messages(mut reader) => {
                counter.version = Some(reader.version());
                while let Some(record) = reader.next_message()? {
                    counter.message(record.message);
                    if counter.messages.is_multiple_of(PROGRESS) {
                        bar.set_position(reader.position().0);
                    }
                }
                (size(reader.position()), reader.after_end(), None)
            }
            Source::Datagrams(mut reader) => {
                let mut capture = Capture::default();
                let mut destinations = BTreeMap::new();
                let mut sessions = HashSet::new();
                while let Some(datagram) = reader.next_datagram()? {
                    capture.datagrams += 1;
                    *destinations.entry(datagram.destination).or_insert(0) += 1;
                    let Ok(packet) = mold::Packet::parse(datagram.payload) else {
                        capture.malformed += 1;
                        continue;
                    };
                    if sessions.insert(packet.header.session) {
                        capture.sessions.push(session_name(&packet.header.session));
                    }
                    match packet.cause() {
                        mold::Cause::Heartbeat => capture.heartbeats += 1,
                        mold::Cause::EndOfSession => capture.ends_of_session += 1,
                        _ => packet
                            .messages()
                            .for_each(|message| counter.message(message)),
                    }
                    if capture.datagrams.is_multiple_of(PROGRESS) {
                        bar.set_position(reader.position().0);
                    }
                }
                reader.check()?;
                let skipped = reader.skipped();
                capture.destinations = destinations
                    .into_iter()
                    .map(|(address, count)| (address.to_string(), count))
                    .collect();
                capture.not_udp = skipped.not_udp;
                capture.fragments = skipped.fragment;
                capture.incomplete = skipped.incomplete;
                capture.other_port = skipped.other_port;
                (size(reader.position()), 0, Some(capture))
            }
        };
        let types = counter.by_type.iter();
        Ok(Census {
            file: path.display().to_string(),
            format,
            itch: counter.version,
            bytes,
            after_end,
            messages: counter.messages,
            unknown: counter.unknown,
            by_type: types
                .map(|(&message_type, &count)| (char::from(message_type), count))
                .collect(),
            symbols: counter.symbols.len(),
            most_active: counter.most_active(),
            seconds: counter.seconds,
            first_time: counter.first_time,
            last_time: counter.last_time,
            capture,
        })
    }
}

/// The size of a file that was read: where it is known that, or else what was read of it.
fn size((read, length): (u64, Option<u64>)) -> u64 {
    length.unwrap_or(read)
}

/// The session of a MoldUDP64 packet: as text without the spaces it is filled up with, or, where it is no text, its ten bytes in hexadecimal.
fn session_name(session: &[u8; 10]) -> String {
    let text = session.trim_ascii_end();
    let is_text = |byte: &u8| byte.is_ascii_graphic() || *byte == b' ';
    if !text.is_empty() && text.iter().all(is_text) {
        return text.iter().map(|byte| char::from(*byte)).collect();
    }
    let digits = session.iter().map(|byte| format!("{byte:02x}"));
    format!("0x{}", digits.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::session_name;

    #[test]
    fn a_session_is_shown_as_text_or_in_hexadecimal() {
        for (session, shown) in [
            (b"SESSION_01", "SESSION_01"),
            (b"DAY 1     ", "DAY 1"),
            (&[0; 10], "0x00000000000000000000"),
            (b"AB\0\0\0\0\0\0\0\x1f", "0x4142000000000000001f"),
            (b"          ", "0x20202020202020202020"),
        ] {
            assert_eq!(session_name(session), shown);
        }
    }
}
