//! The ring in host memory that the core writes (`rtl/host/ring`; `docs/reference/ring.md`): lines of 64 bytes, polled by their last word.

use std::sync::atomic::{AtomicU64, Ordering};

/// Words of 64 bits in a line.
pub const LINE_WORDS: usize = 8;
/// Values in a line.
pub const VALUES: usize = 7;

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

    /// What a line of [`Class::Status`] says.
    pub const fn status(&self) -> Option<Status> {
        let value = self.values[0];
        match (self.class, self.tags[0]) {
            (Class::Status, 1) => Some(Status::Verdict {
                good: value >> 22 & 1 != 0,
                code: (value >> 14 & 0x1f) as u8,
                offset: (value & 0x3fff) as u16,
            }),
            (Class::Status, 2) => Some(Status::Lost(value as u32)),
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
    }
}
