//! The ring in host memory that the core writes (`rtl/host/ring`; `docs/reference/ring.md`): lines of 64 bytes, polled by their last word.

use std::sync::atomic::{AtomicU64, Ordering};

use formats::{Event, Kind, Side, Symbol};

pub use crate::incidents::{Incident, Incidents};

/// Words of 64 bits in a line.
pub const LINE_WORDS: usize = 8;
/// Values in a line.
pub const VALUES: usize = 7;

/// Tag 0 of a line of [`Class::Status`] (`record_pkg`, Tag...).
mod tag {
    pub(super) const VERDICT: u8 = 1;
    pub(super) const LOST: u8 = 2;
    pub(super) const INCIDENTS: u8 = 3;
    pub(super) const STRATEGY: u8 = 4;
    pub(super) const EVENTS: u8 = 5;
}

/// Memory that the device writes, in words of 64 bits.
pub trait Memory {
    /// The word at this index, as it is now; what was written before it is seen by reads after it.
    fn word(&self, index: usize) -> u64;
}

impl Memory for [AtomicU64] {
    fn word(&self, index: usize) -> u64 {
        self.get(index)
            .map_or(0, |word| word.load(Ordering::Acquire))
    }
}

impl Memory for [u64] {
    fn word(&self, index: usize) -> u64 {
        self.get(index).copied().unwrap_or(0)
    }
}

/// What a line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Fields of a FAST message.
    Fields,
    /// An event.
    Event,
    /// Bytes of a frame's payload.
    Bytes,
    /// A packet's verdict, or news of the ring itself.
    Status,
}

/// A line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// What it is about.
    pub class: Class,
    /// An entry of a sequence ends after it.
    pub entry_end: bool,
    /// The message, frame or packet ends after it.
    pub message_end: bool,
    values: [u64; VALUES],
    tags: [u8; VALUES],
    count: u8,
}

impl Line {
    /// Its tags and values.
    pub fn values(&self) -> impl Iterator<Item = (u8, u64)> {
        let values = self.tags.into_iter().zip(self.values);
        values.take(usize::from(self.count))
    }

    /// Whose it is: the feed's number, 0 where a core has one alone.
    pub const fn feed(&self) -> u8 {
        // Only a core with one feed fills a line of fields: then the last tag is the last value's.
        if matches!(self.class, Class::Fields) && self.count as usize == VALUES {
            0
        } else {
            self.tags[VALUES - 1]
        }
    }

    /// Of [`Class::Bytes`]: the bytes, 56 at most.
    pub fn bytes(&self) -> impl Iterator<Item = u8> {
        let bytes = self.values.into_iter().flat_map(u64::to_le_bytes);
        bytes.take(usize::from(self.tags[0]))
    }

    /// Of the last line of a frame: the frame was good.
    pub const fn frame_is_good(&self) -> bool {
        self.message_end && self.tags[1] != 0
    }

    /// The event of a line of [`Class::Event`]: all its members but the stock locate. `None`: another class, or a kind that there is not.
    pub fn event(&self) -> Option<Event> {
        if self.class != Class::Event {
            return None;
        }
        let [kind, flags, instrument, message_type, ..] = self.tags;
        let [
            symbol,
            price,
            quantity,
            order_id,
            new_order_id,
            time,
            sequence,
        ] = self.values;
        let is = |bit: u8| flags >> bit & 1 != 0;
        Some(Event {
            side: if is(0) { Side::Sell } else { Side::Buy },
            instrument: is(1).then_some(instrument),
            non_printable: is(2),
            symbol: is(3).then_some(Symbol::from_u64(symbol)),
            price: price as i64,
            quantity,
            order_id,
            new_order_id,
            seconds: (time >> 47) as u32,
            nanoseconds: time & ((1 << 47) - 1),
            sequence,
            last: self.message_end,
            ..Event::new(Kind::from_code(kind)?, message_type)
        })
    }

    /// What a strategy has emitted: its tag, and its values. `None`: another line.
    pub fn emitted(&self) -> Option<(u8, impl Iterator<Item = i64>)> {
        let is_emitted = self.class == Class::Status && self.tags[0] == tag::STRATEGY;
        let values = self.values.into_iter().take(usize::from(self.count));
        is_emitted.then(|| (self.tags[1], values.map(|value| value as i64)))
    }

    /// What a line of [`Class::Status`] says, but for what a strategy emits ([`Line::emitted`]).
    pub const fn status(&self) -> Option<Status> {
        let value = self.values[0];
        match (self.class, self.tags[0]) {
            (Class::Status, tag::VERDICT) => Some(Status::Verdict {
                good: value >> 22 & 1 != 0,
                code: (value >> 14 & 0x1f) as u8,
                offset: (value & 0x3fff) as u16,
            }),
            (Class::Status, tag::LOST) => Some(Status::Lost(value as u32)),
            (Class::Status, tag::INCIDENTS) => Some(Status::Incidents {
                incidents: Incidents(value),
                time_ns: self.values[1],
            }),
            (Class::Status, tag::EVENTS) => Some(Status::Events { good: value != 0 }),
            _ => None,
        }
    }
}

/// What a line of [`Class::Status`] says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The packet whose fields came before is over.
    Verdict {
        /// Its fields count.
        good: bool,
        /// What is wrong (`fast_pkg::fast_error_e`).
        code: u8,
        /// The byte after the field in which the error was found.
        offset: u16,
    },
    /// Records were lost here, for the ring was full: how many in all.
    Lost(
        /// Since the ring began.
        u32,
    ),
    /// Something went wrong in the stages.
    Incidents {
        /// What: all since the last such line.
        incidents: Incidents,
        /// When the line was made, by the core's clock, in nanoseconds.
        time_ns: u64,
    },
    /// A packet whose events came before is over.
    Events {
        /// They count.
        good: bool,
    },
}

/// The reader's side of a ring: where it is. Nothing is allocated.
#[derive(Clone, Copy, Debug)]
pub struct Ring {
    size_log2: u32,
    next: u32,
}

impl Ring {
    /// A ring of 2^`size_log2` lines that has just begun: its memory is zero.
    ///
    /// # Panics
    /// `size_log2` is not 1 to 24.
    pub const fn new(size_log2: u32) -> Self {
        assert!(
            size_log2 >= 1 && size_log2 <= 24,
            "a ring has 2 to 2^24 lines"
        );
        Ring { size_log2, next: 0 }
    }

    /// Bytes of memory that it takes.
    pub const fn bytes(&self) -> usize {
        64 << self.size_log2
    }

    /// Lines read since it began, modulo 2^32: what the host writes into `position`, so that the core may write over them.
    pub const fn position(&self) -> u32 {
        self.next
    }

    /// The next line, if it has been written.
    #[inline]
    pub fn poll<M: Memory + ?Sized>(&mut self, memory: &M) -> Option<Line> {
        let at = (self.next & ((1 << self.size_log2) - 1)) as usize * LINE_WORDS;
        let word = memory.word(at + VALUES);
        let [tags @ .., status] = word.to_le_bytes();
        let phase = self.next >> self.size_log2 & 1 == 0;
        if (status & 0x80 != 0) != phase {
            return None;
        }
        self.next = self.next.wrapping_add(1);
        Some(Line {
            class: match status >> 5 & 3 {
                0 => Class::Fields,
                1 => Class::Event,
                2 => Class::Bytes,
                _ => Class::Status,
            },
            entry_end: status & 0x10 != 0,
            message_end: status & 8 != 0,
            values: std::array::from_fn(|value| memory.word(at + value)),
            tags,
            count: status & 7,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(phase: u64, value: u64) -> [u64; 8] {
        let mut words = [value; 8];
        words[7] = phase << 63 | 0x21 << 56 | 5;
        words
    }

    #[test]
    fn a_line_is_read_once_and_only_when_its_phase_has_flipped() {
        let mut memory = vec![0; 16];
        let mut ring = Ring::new(1);
        assert_eq!(ring.poll(memory.as_slice()), None);
        for lap in 0..5 {
            for place in 0..2 {
                let (phase, value) = (1 - lap % 2, 10 * lap + place);
                assert_eq!(ring.poll(memory.as_slice()), None, "lap {lap}");
                let at = 8 * place as usize;
                memory[at..at + 8].copy_from_slice(&line(phase, value));
                let read = ring.poll(memory.as_slice()).expect("written");
                assert_eq!(read.class, Class::Event);
                assert_eq!(read.values().collect::<Vec<_>>(), [(5, value)]);
            }
        }
        assert_eq!(ring.position(), 10);
    }

    #[test]
    fn a_line_says_its_feed_unless_all_its_values_are_fields() {
        for (status, feed) in [(0x86, 3), (0x87, 0), (0xc7, 3), (0xe9, 3)] {
            let mut memory = vec![0; 16];
            memory[7] = status << 56 | 3 << 48 | 5;
            let line = Ring::new(1).poll(memory.as_slice()).expect("written");
            assert_eq!(line.feed(), feed, "{status:#x}");
        }
    }

    #[test]
    fn a_line_of_an_event_has_all_its_members() {
        let mut memory = vec![0; 8];
        memory[..7].copy_from_slice(&[
            0x4142_4344_2020_2020,
            (-5_i64) as u64,
            6,
            7,
            8,
            34_200 << 47 | 999_999_999,
            9,
        ]);
        // Replace; sell, of ours, with a symbol; instrument 3; type U; of feed 2.
        memory[7] = u64::from_le_bytes([5, 0b1011, 3, b'U', 0, 0, 2, 0xaf]);
        let line = Ring::new(1).poll(memory.as_slice()).expect("written");
        let event = Event {
            side: Side::Sell,
            instrument: Some(3),
            symbol: Some(Symbol(*b"ABCD    ")),
            price: -5,
            quantity: 6,
            order_id: 7,
            new_order_id: 8,
            seconds: 34_200,
            nanoseconds: 999_999_999,
            sequence: 9,
            last: true,
            ..Event::new(Kind::Replace, b'U')
        };
        assert_eq!((line.event(), line.feed()), (Some(event), 2));
        // No kind has this number; no event is of another class.
        memory[7] = u64::from_le_bytes([11, 0, 0, 0, 0, 0, 0, 0xa7]);
        let line = Ring::new(1).poll(memory.as_slice()).expect("written");
        assert_eq!(line.event(), None);
        memory[7] = u64::from_le_bytes([1, 0, 0, 0, 0, 0, 0, 0xe7]);
        let line = Ring::new(1).poll(memory.as_slice()).expect("written");
        assert_eq!(line.event(), None);
    }

    #[test]
    fn what_a_strategy_emits_has_its_tag_and_values() {
        let mut memory = vec![0; 8];
        (memory[0], memory[1]) = (3, u64::MAX);
        memory[7] = u64::from_le_bytes([4, 200, 0, 0, 0, 0, 0, 0xea]);
        let line = Ring::new(1).poll(memory.as_slice()).expect("written");
        let (tag, values) = line.emitted().expect("emitted");
        assert_eq!((tag, values.collect::<Vec<_>>()), (200, vec![3, -1]));
        assert_eq!(line.status(), None);
        memory[7] = u64::from_le_bytes([3, 200, 0, 0, 0, 0, 0, 0xea]);
        let line = Ring::new(1).poll(memory.as_slice()).expect("written");
        assert!(line.emitted().is_none());
    }

    #[test]
    fn status_lines_say_what_happened() {
        let mut memory = vec![0; 16];
        memory[0] = 1 << 22 | 7 << 14 | 1000;
        memory[7] = 0xe9 << 56 | 1;
        memory[8] = 12;
        memory[15] = 0xe1 << 56 | 2;
        let mut ring = Ring::new(1);
        let verdict = ring.poll(memory.as_slice()).and_then(|line| line.status());
        let good = Status::Verdict {
            good: true,
            code: 7,
            offset: 1000,
        };
        assert_eq!(verdict, Some(good));
        let lost = ring.poll(memory.as_slice()).and_then(|line| line.status());
        assert_eq!(lost, Some(Status::Lost(12)));
        // The bits of record_pkg::incidents_t: a bad frame on line B, a gap in feed 0, an order refused by risk.
        (memory[0], memory[1]) = (1 << 2 | 1 << 4 | 1 << 31, 77);
        memory[7] = u64::from_le_bytes([3, 0, 0, 0, 0, 0, 0, 0x6a]);
        memory[8] = 1;
        memory[15] = u64::from_le_bytes([5, 0, 0, 0, 0, 0, 0, 0x69]);
        let happened = ring.poll(memory.as_slice()).and_then(|line| line.status());
        let Some(Status::Incidents { incidents, time_ns }) = happened else {
            panic!("{happened:?}");
        };
        let names: Vec<_> = incidents.iter().map(|one| one.to_string()).collect();
        assert_eq!(time_ns, 77);
        assert_eq!(
            names,
            [
                "a bad frame on line B",
                "messages of feed 0 are missing",
                "risk refused an order"
            ]
        );
        let events = ring.poll(memory.as_slice()).and_then(|line| line.status());
        assert_eq!(events, Some(Status::Events { good: true }));
    }
}
