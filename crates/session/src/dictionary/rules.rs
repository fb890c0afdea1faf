//! How the description is written down.

use wire::fix::Reason;
use wire::fix::{Decimal, Timestamp, Value};

/// Type of a field (volume 1, "Data types").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `int`.
    Int,
    /// `Length`, `SeqNum`: not negative.
    Unsigned,
    /// `NumInGroup`.
    Count,
    /// `float`, `Price`, `PriceOffset`, `Qty`, `Amt`, `Percentage`.
    Decimal,
    /// `char`.
    Char,
    /// `Boolean`.
    Boolean,
    /// `String`, `Exchange`, `Currency`, `Country`, `MultipleValueString`.
    Text,
    /// `data`.
    Data,
    /// `UTCTimestamp`.
    Timestamp,
    /// `UTCTimeOnly`.
    Time,
    /// `UTCDateOnly`, `LocalMktDate`.
    Date,
    /// `month-year`.
    Month,
}

/// A field: its type, and its values where they are few.
#[derive(Clone, Copy, Debug)]
pub(super) struct FieldRule {
    pub tag: u32,
    pub kind: Kind,
    /// Separated by spaces; empty: any of its type.
    pub values: &'static str,
    /// Several values may stand in it, separated by spaces.
    pub several: bool,
}

impl FieldRule {
    /// Whether a value is of the type, and is one of those allowed.
    pub fn check(&self, value: &[u8]) -> Result<(), Reason> {
        if !self.kind.takes(value) {
            return Err(Reason::Format);
        }
        if self.values.is_empty() {
            return Ok(());
        }
        let known = |value: &[u8]| {
            self.values
                .split(' ')
                .any(|known| known.as_bytes() == value)
        };
        let known = if self.several {
            value.split(|byte| *byte == b' ').all(known)
        } else {
            known(value)
        };
        if known { Ok(()) } else { Err(Reason::Range) }
    }
}

impl Kind {
    fn takes(self, value: &[u8]) -> bool {
        match self {
            Kind::Int => i64::read(value).is_ok(),
            Kind::Unsigned | Kind::Count => u64::read(value).is_ok(),
            Kind::Decimal => Decimal::read(value).is_ok(),
            Kind::Char => value.len() == 1,
            Kind::Boolean => matches!(value, b"Y" | b"N"),
            Kind::Text | Kind::Data => true,
            Kind::Timestamp => Timestamp::parse(value).is_some(),
            Kind::Time => stamp(b"20000101-", value),
            Kind::Date => value.len() == 8 && stamp(value, b"-00:00:00"),
            Kind::Month => month(value),
        }
    }
}

/// Whether two parts make a time stamp.
fn stamp(front: &[u8], back: &[u8]) -> bool {
    front.len() + back.len() <= 32 && Timestamp::parse(&[front, back].concat()).is_some()
}

/// `YYYYMM`, `YYYYMMDD`, `YYYYMMw1` to `w5`.
fn month(value: &[u8]) -> bool {
    match value {
        [.., b'w', b'1'..=b'5'] if value.len() == 8 => {
            stamp(value.get(..6).unwrap_or_default(), b"01-00:00:00")
        }
        _ if value.len() == 6 => stamp(value, b"01-00:00:00"),
        _ => value.len() == 8 && stamp(value, b"-00:00:00"),
    }
}

/// A repeating group.
#[derive(Clone, Copy, Debug)]
pub(super) struct GroupRule {
    /// The field in front of it that says how many entries there are.
    pub count: u32,
    /// What each entry begins with.
    pub first: u32,
    /// Fields of an entry, counts of nested groups among them.
    pub members: Tags,
}

/// A message.
#[derive(Clone, Copy, Debug)]
pub(super) struct MessageRule {
    pub msg_type: &'static [u8],
    /// `fields` are all it may have.
    pub complete: bool,
    pub required: Tags,
    /// Required ones among them; those of groups are not.
    pub fields: Tags,
}

/// The highest tag of FIX 4.4.
pub(super) const HIGHEST: u32 = 956;
const WORDS: usize = HIGHEST as usize / 64 + 1;

/// A set of tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tags([u64; WORDS]);

impl Tags {
    pub const fn of(tags: &[u32]) -> Self {
        let mut words = [0; WORDS];
        let mut at = 0;
        while at < tags.len() {
            words[tags[at] as usize / 64] |= 1 << (tags[at] % 64);
            at += 1;
        }
        Tags(words)
    }

    /// Both sets.
    pub const fn and(mut self, other: Self) -> Self {
        let mut at = 0;
        while at < WORDS {
            self.0[at] |= other.0[at];
            at += 1;
        }
        self
    }

    pub fn has(&self, tag: u32) -> bool {
        let word = self.0.get(tag as usize / 64).copied().unwrap_or(0);
        word >> (tag % 64) & 1 != 0
    }

    /// Adds a tag; false if it was there. One beyond the highest is never there.
    pub fn insert(&mut self, tag: u32) -> bool {
        let new = !self.has(tag);
        if let Some(word) = self.0.get_mut(tag as usize / 64) {
            *word |= 1 << (tag % 64);
        }
        new
    }

    /// The lowest tag of it that another does not have.
    pub fn without(&self, other: &Self) -> Option<u32> {
        (0..)
            .zip(self.0.iter().zip(&other.0))
            .find_map(|(at, (mine, theirs))| {
                let rest = mine & !theirs;
                (rest != 0).then(|| at * 64 + rest.trailing_zeros())
            })
    }
}
