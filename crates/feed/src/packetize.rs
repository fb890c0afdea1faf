//! Messages into MoldUDP64 packets: by count, by market time, by size; heartbeats and the end of the session.

use formats::mold::{self, Builder};

use crate::source::{Fault, SourceError};
use crate::{MessageSource, Packet, PacketSource};

/// The UDP payload of a full Ethernet frame: 1,500 − 20 (IPv4) − 8 (UDP).
pub const ETHERNET_PAYLOAD: usize = 1_472;

/// How messages are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// The MoldUDP64 session.
    pub session: [u8; 10],
    /// Sequence number of the first message.
    pub first_sequence: u64,
    /// At most so many messages a packet; 0 means 1.
    pub per_packet: u16,
    /// Messages join a packet while they are less than this after its first, in nanoseconds of market time; `None`: at any
    /// time.
    pub coalesce: Option<u64>,
    /// Largest UDP payload, in bytes. A message that does not fit even alone is an error, not lost.
    pub mtu: usize,
    /// A heartbeat each time the line was silent so long, in nanoseconds of market time.
    pub heartbeat: Option<u64>,
    /// Whether the end of session is sent after the last message.
    pub end_of_session: bool,
}

impl Default for Config {
    /// One message a packet, as an exchange that does not wait; no heartbeats; the end of session.
    fn default() -> Self {
        Self {
            session: *b"TICKWIRE01",
            first_sequence: 1,
            per_packet: 1,
            coalesce: None,
            mtu: ETHERNET_PAYLOAD,
            heartbeat: None,
            end_of_session: true,
        }
    }
}

impl Config {
    /// Messages less than `window` nanoseconds after the first of a packet join it, as many as fit.
    pub fn coalescing(window: u64) -> Self {
        Self {
            per_packet: mold::END_OF_SESSION - 1,
            coalesce: Some(window),
            ..Self::default()
        }
    }
}

/// A message that was read and did not fit into the packet before.
#[derive(Debug, Default)]
struct Carried {
    offset: u64,
    time: u64,
    message: Vec<u8>,
    present: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Messages,
    EndOfSession,
    Done,
}

/// Makes packets of the messages of a source. A packet's time is that of its last message: none leaves before it happened.
#[derive(Debug)]
pub struct Packetizer<S> {
    source: S,
    config: Config,
    builder: Builder,
    carried: Carried,
    phase: Phase,
    /// When the line was last used; `None` before the first packet.
    last: Option<u64>,
    messages: u64,
}

impl<S: MessageSource> Packetizer<S> {
    /// Packets of the messages of `source`.
    pub fn new(source: S, config: Config) -> Self {
        let builder = Builder::new(config.session, config.first_sequence);
        let carried = Carried::default();
        Self {
            source,
            config,
            builder,
            carried,
            phase: Phase::Messages,
            last: None,
            messages: 0,
        }
    }

    /// Messages that were put into packets so far.
    pub const fn messages(&self) -> u64 {
        self.messages
    }

    /// The source.
    pub const fn source(&self) -> &S {
        &self.source
    }

    /// Reads a message unless one is carried; `false` at the end.
    fn carry(&mut self) -> Result<bool, SourceError> {
        if self.carried.present {
            return Ok(true);
        }
        let Some(record) = self.source.next_message()? else {
            return Ok(false);
        };
        (self.carried.offset, self.carried.time) = (record.offset, record.time);
        self.carried.message.clear();
        self.carried.message.extend_from_slice(record.message);
        self.carried.present = true;
        let (message, mtu) = (self.carried.message.len(), self.config.mtu);
        if mold::HEADER + 2 + message > mtu {
            return Err(self
                .source
                .fault(self.carried.offset, Fault::Mtu { message, mtu }));
        }
        Ok(true)
    }

    /// Puts the carried message and the following ones that belong to its packet into the builder; returns the time of the last.
    fn fill(&mut self) -> Result<u64, SourceError> {
        let first = self.carried.time;
        let window_end = self
            .config
            .coalesce
            .map(|window| first.saturating_add(window));
        let mut time = first;
        loop {
            // Cannot fail: the count is bounded below, the length by the 16 bits it was read from.
            let _ = self.builder.push(&self.carried.message);
            self.carried.present = false;
            self.messages += 1;
            time = time.max(self.carried.time);
            let full = self.builder.count() >= self.config.per_packet.min(mold::END_OF_SESSION - 1);
            if full || !self.carry()? {
                return Ok(time);
            }
            let late = window_end.is_some_and(|end| self.carried.time >= end);
            if late || self.builder.bytes().len() + 2 + self.carried.message.len() > self.config.mtu
            {
                return Ok(time);
            }
        }
    }
}

impl<S: MessageSource> PacketSource for Packetizer<S> {
    fn next_packet(&mut self) -> Result<Option<Packet<'_>>, SourceError> {
        if self.phase == Phase::Done {
            return Ok(None);
        }
        self.builder.next_packet();
        if self.phase == Phase::Messages && self.carry()? {
            let beat = self
                .last
                .zip(self.config.heartbeat)
                .map(|(last, interval)| last.saturating_add(interval.max(1)));
            let time = match beat {
                Some(beat) if beat < self.carried.time => beat,
                _ => self.fill()?,
            };
            self.last = Some(time);
            return Ok(Some(Packet {
                time,
                payload: self.builder.bytes(),
            }));
        }
        self.phase = match self.phase {
            Phase::Messages if self.config.end_of_session => Phase::EndOfSession,
            _ => Phase::Done,
        };
        if self.phase == Phase::Done {
            return Ok(None);
        }
        self.phase = Phase::Done;
        self.builder.end_session();
        Ok(Some(Packet {
            time: self.last.unwrap_or(0),
            payload: self.builder.bytes(),
        }))
    }

    fn position(&self) -> (u64, Option<u64>) {
        self.source.position()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Record;
    use proptest::prelude::*;

    /// Messages in memory.
    struct List<'a>(&'a [(u64, Vec<u8>)], usize);

    impl MessageSource for List<'_> {
        fn next_message(&mut self) -> Result<Option<Record<'_>>, SourceError> {
            let offset = 100 * self.1 as u64;
            let record = self.0.get(self.1).map(|(time, message)| Record {
                offset,
                time: *time,
                message,
            });
            self.1 += 1;
            Ok(record)
        }

        fn position(&self) -> (u64, Option<u64>) {
            (0, None)
        }

        fn fault(&self, offset: u64, fault: Fault) -> SourceError {
            SourceError::Content {
                path: "memory".into(),
                offset,
                fault,
            }
        }
    }

    /// Time, sequence number, count, messages.
    type Got = (u64, u64, u16, Vec<Vec<u8>>);

    fn packets(messages: &[(u64, Vec<u8>)], config: Config) -> Vec<Got> {
        let mut packetizer = Packetizer::new(List(messages, 0), config);
        let mut got = Vec::new();
        while let Some(packet) = packetizer.next_packet().unwrap() {
            let parsed = mold::Packet::parse(packet.payload).unwrap();
            assert_eq!(parsed.header.session, config.session);
            let messages = parsed.messages().map(<[u8]>::to_vec).collect();
            got.push((
                packet.time,
                parsed.header.sequence,
                parsed.header.count,
                messages,
            ));
        }
        assert_eq!(packetizer.messages(), messages.len() as u64);
        got
    }

    fn message(time: u64, text: &str) -> (u64, Vec<u8>) {
        (time, text.as_bytes().to_vec())
    }

    #[test]
    fn by_default_each_message_travels_alone_and_the_session_ends() {
        let got = packets(
            &[message(5, "first"), message(9, "second")],
            Config::default(),
        );
        let expected = [
            (5, 1, 1, vec![b"first".to_vec()]),
            (9, 2, 1, vec![b"second".to_vec()]),
            (9, 3, 0xffff, vec![]),
        ];
        assert_eq!(got, expected);
    }

    #[test]
    fn a_window_of_market_time_groups_what_begins_within_it() {
        let messages = [
            message(0, "aaaaa"),
            message(99, "bbbbb"),
            message(100, "ccccc"),
            message(150, "ddddd"),
        ];
        let got = packets(
            &messages,
            Config {
                end_of_session: false,
                ..Config::coalescing(100)
            },
        );
        let shape: Vec<_> = got
            .iter()
            .map(|(time, sequence, count, _)| (*time, *sequence, *count))
            .collect();
        assert_eq!(shape, [(99, 1, 2), (150, 3, 2)]);
    }

    #[test]
    fn silence_is_filled_with_heartbeats_that_carry_the_next_number() {
        let config = Config {
            heartbeat: Some(10),
            end_of_session: false,
            ..Config::default()
        };
        let got = packets(&[message(0, "aaaaa"), message(25, "bbbbb")], config);
        let shape: Vec<_> = got
            .iter()
            .map(|(time, sequence, count, _)| (*time, *sequence, *count))
            .collect();
        assert_eq!(shape, [(0, 1, 1), (10, 2, 0), (20, 2, 0), (25, 2, 1)]);
    }

    #[test]
    fn without_messages_there_is_only_the_end_of_session() {
        assert_eq!(packets(&[], Config::default()), [(0, 1, 0xffff, vec![])]);
    }

    #[test]
    fn a_message_too_long_for_any_packet_is_named_by_its_offset() {
        let messages = [message(0, "aaaaa"), message(0, "a message of 23 bytes..")];
        let mut packetizer = Packetizer::new(
            List(&messages, 0),
            Config {
                mtu: 44,
                ..Config::default()
            },
        );
        assert!(packetizer.next_packet().unwrap().is_some());
        let error = packetizer.next_packet().unwrap_err().to_string();
        assert!(error.contains("byte 100: a message of 23 bytes"), "{error}");
    }

    proptest! {
        #[test]
        fn no_packet_exceeds_the_mtu_and_the_sequence_has_no_hole(
            lengths in prop::collection::vec((0_u64..50, 5_usize..60), 0..200),
            per_packet in 0_u16..20,
            coalesce in prop::option::of(0_u64..200),
            mtu in 82_usize..300,
            heartbeat in prop::option::of(1_u64..40),
            first_sequence in any::<u64>(),
        ) {
            let mut time = 0;
            let messages: Vec<_> = lengths.iter().enumerate().map(|(index, (gap, length))| {
                time += gap;
                (time, vec![index as u8; *length])
            }).collect();
            let config = Config { per_packet, coalesce, mtu, heartbeat, first_sequence, ..Config::default() };
            let got = packets(&messages, config);
            let mut expected = first_sequence;
            for (_, sequence, count, messages) in &got {
                prop_assert_eq!(*sequence, expected);
                prop_assert!(*count <= per_packet.max(1) || *count == 0xffff);
                let bytes = 20 + messages.iter().map(|message| 2 + message.len()).sum::<usize>();
                prop_assert!(bytes <= mtu);
                expected = expected.wrapping_add(messages.len() as u64);
            }
            prop_assert!(got.windows(2).all(|pair| pair[0].0 <= pair[1].0));
            let all: Vec<_> = got.into_iter().flat_map(|(_, _, _, messages)| messages).collect();
            let sent: Vec<_> = messages.into_iter().map(|(_, message)| message).collect();
            prop_assert_eq!(all, sent);
        }
    }
}
