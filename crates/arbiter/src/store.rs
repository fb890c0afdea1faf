//! Where the high-reliability output stores early packets: slots of the longest packet's length, so many a line.

use crate::protocol::{NEAR, Numbers, Protocol};
use crate::tracker::Relation;

/// A packet that is stored.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept {
    pub line: usize,
    pub numbers: Numbers,
    /// When it has waited for the time window that was set when it came, in nanoseconds.
    deadline: u64,
    length: usize,
}

/// What was done with an early packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    Kept,
    /// Another with its number and as many messages is stored already, or it has none.
    Needless,
    /// Its line has no room.
    Overflow,
    TooLong,
}

/// The slots: those of line A, those of line B …
#[derive(Clone, Debug)]
pub(super) struct Store {
    protocol: Protocol,
    per_line: usize,
    slots: Vec<Option<Kept>>,
    bytes: Vec<u8>,
    used: usize,
    messages: u64,
}

impl Store {
    pub fn new(protocol: Protocol, lines: usize, per_line: usize) -> Self {
        let slots = lines * per_line;
        Self {
            protocol,
            per_line,
            slots: vec![None; slots],
            bytes: vec![0; slots * protocol.maximum],
            used: 0,
            messages: 0,
        }
    }

    pub fn keep(&mut self, line: usize, numbers: Numbers, payload: &[u8], deadline: u64) -> Keep {
        let as_good = |kept: &Kept| {
            kept.numbers.sequence == numbers.sequence && kept.numbers.count >= numbers.count
        };
        if self.slots.iter().flatten().any(as_good) {
            return Keep::Needless;
        }
        if payload.len() > self.protocol.maximum {
            return Keep::TooLong;
        }
        let first = line * self.per_line;
        let free = (first..first + self.per_line).find(|index| self.slots[*index].is_none());
        let Some(index) = free else {
            return Keep::Overflow;
        };
        let start = index * self.protocol.maximum;
        self.bytes[start..start + payload.len()].copy_from_slice(payload);
        self.slots[index] = Some(Kept {
            line,
            numbers,
            deadline,
            length: payload.len(),
        });
        self.used += 1;
        self.messages += u64::from(numbers.count);
        Keep::Kept
    }

    /// The stored packet with the lowest number, and how many messages are missing before it; none while a stored packet has only known messages.
    pub fn lowest(&self, expected: u64) -> Option<(usize, Kept, u64)> {
        // Of several with this number the first that was stored, which has the fewest messages.
        let order = |kept: &Kept| {
            let from = expected.wrapping_sub(NEAR);
            let Numbers {
                sequence, count, ..
            } = kept.numbers;
            (self.protocol.distance(from, sequence), count)
        };
        let (index, kept) = self.kept().min_by_key(|(_, kept)| order(kept))?;
        match Relation::new(&self.protocol, Some(expected), kept.numbers) {
            Relation::New(missing) => Some((index, *kept, missing)),
            Relation::Behind | Relation::Far => None,
        }
    }

    /// A stored packet that has nothing new when `expected` is, and its line.
    pub fn behind(&self, expected: u64) -> Option<(usize, usize)> {
        let is_behind = |kept: &Kept| {
            let relation = Relation::new(&self.protocol, Some(expected), kept.numbers);
            !matches!(relation, Relation::New(_))
        };
        self.kept()
            .find(|(_, kept)| is_behind(kept))
            .map(|(index, kept)| (index, kept.line))
    }

    fn kept(&self) -> impl Iterator<Item = (usize, &Kept)> {
        let slots = if self.used == 0 { &[] } else { &self.slots[..] };
        let slots = slots.iter().enumerate();
        slots.filter_map(|(index, slot)| Some((index, slot.as_ref()?)))
    }

    pub fn payload(&self, index: usize) -> &[u8] {
        let length = self.slots[index].map_or(0, |kept| kept.length);
        let start = index * self.protocol.maximum;
        &self.bytes[start..start + length]
    }

    pub fn free(&mut self, index: usize) {
        if let Some(kept) = self.slots[index].take() {
            self.used -= 1;
            self.messages -= u64::from(kept.numbers.count);
        }
    }

    /// Packets stored.
    pub const fn used(&self) -> usize {
        self.used
    }

    /// Messages in them.
    pub const fn messages(&self) -> u64 {
        self.messages
    }

    /// When the first of them has waited for its time window.
    pub fn deadline(&self) -> Option<u64> {
        if self.used == 0 {
            return None;
        }
        self.slots.iter().flatten().map(|kept| kept.deadline).min()
    }

    /// Whether a line has no room for another.
    pub fn is_full(&self) -> bool {
        self.used >= self.per_line
            && self
                .slots
                .chunks_exact(self.per_line)
                .any(|line| line.iter().all(Option::is_some))
    }
}
