//! What a dictionary is made of: fields with their types and values, and which of them a part of a message may have.

use formats::fix::{Decimal, Reason, Timestamp, Value};

/// Type of a field (volume 1, "Data types"). Types that are written alike are one.
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
    /// `String`, `Exchange`, `Currency`, `Country`.
    Text,
    /// `MultipleValueString`: texts, separated by spaces.
    Texts,
    /// `data`.
    Data,
    /// `UTCTimestamp`.
    Timestamp,
    /// `UTCTimeOnly`.
    Time,
    /// `UTCDateOnly`, `LocalMktDate`; in 4.2 `UTCDate`.
    Date,
    /// `month-year`.
    Month,
    /// `day-of-month`.
    Day,
}

impl Kind {
    fn takes(self, value: &[u8]) -> bool {
        match self {
            Kind::Int => i64::read(value).is_ok(),
            Kind::Unsigned | Kind::Count => u64::read(value).is_ok(),
            Kind::Decimal => Decimal::read(value).is_ok(),
            Kind::Char => value.len() == 1,
            Kind::Boolean => matches!(value, b"Y" | b"N"),
            Kind::Text | Kind::Texts | Kind::Data => true,
            Kind::Timestamp => Timestamp::parse(value).is_some(),
            Kind::Time => time_stamp(b"20000101-", value),
            Kind::Date => value.len() == 8 && time_stamp(value, b"-00:00:00"),
            Kind::Month => month(value),
            Kind::Day => u64::read(value).is_ok_and(|day| (1..=31).contains(&day)),
        }
    }
}

/// Whether two parts make a time stamp.
fn time_stamp(front: &[u8], back: &[u8]) -> bool {
    front.len() + back.len() <= 32 && Timestamp::parse(&[front, back].concat()).is_some()
}

/// `YYYYMM`, `YYYYMMDD`, `YYYYMMw1` to `w5`.
fn month(value: &[u8]) -> bool {
    match value {
        [.., b'w', b'1'..=b'5'] if value.len() == 8 => {
            time_stamp(value.get(..6).unwrap_or_default(), b"01-00:00:00")
        }
        _ if value.len() == 6 => time_stamp(value, b"01-00:00:00"),
        _ => value.len() == 8 && time_stamp(value, b"-00:00:00"),
    }
}

/// The values a field may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// Any of its type.
    Any,
    /// One character: bit N is set for the ASCII character N.
    Characters(u128),
    /// One of these.
    Texts(&'static [&'static str]),
}

impl Values {
    fn has(self, value: &[u8]) -> bool {
        match (self, value) {
            (Values::Any, _) => true,
            (Values::Characters(bits), [character @ 0..128]) => bits >> character & 1 != 0,
            (Values::Characters(_), _) => false,
            (Values::Texts(texts), value) => texts.iter().any(|text| text.as_bytes() == value),
        }
    }
}

/// A field.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its tag.
    pub tag: u32,
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
    /// The values it may have.
    pub values: Values,
}

impl Field {
    /// Whether a value is of the type, and is one of those allowed.
    pub(super) fn check(&self, value: &[u8]) -> Result<(), Reason> {
        if !self.kind.takes(value) {
            return Err(Reason::Format);
        }
        let is_known = match (self.kind, self.values) {
            (_, Values::Any) => true,
            (Kind::Texts, values) => value.split(|byte| *byte == b' ').all(|one| values.has(one)),
            // An `int` may have leading zeros.
            (Kind::Int, values) => {
                values.has(match value.iter().position(|digit| *digit != b'0') {
                    Some(first) => value.get(first..).unwrap_or_default(),
                    None => b"0",
                })
            }
            (_, values) => values.has(value),
        };
        if is_known { Ok(()) } else { Err(Reason::Range) }
    }
}

/// A field that a part of a message may have, or a repeating group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its tag; of a group that of the field that counts its entries.
    pub tag: u32,
    /// Whether it must be there.
    pub required: bool,
    /// What each entry of the group may have, in order: the first is what an entry begins with. Empty: not a group.
    pub entry: &'static [Item],
}

/// Header, trailer, or the body of a message: what it may have.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// In the standard's order.
    pub items: &'static [Item],
    pub(super) fields: Tags,
    pub(super) required: Tags,
    groups: Tags,
}

impl Part {
    pub(super) const fn new(items: &'static [Item]) -> Self {
        let mut part = Part {
            items,
            fields: Tags::of(&[]),
            required: Tags::of(&[]),
            groups: Tags::of(&[]),
        };
        let mut at = 0;
        while at < items.len() {
            let item = &items[at];
            part.fields = part.fields.with(item.tag);
            if item.required {
                part.required = part.required.with(item.tag);
            }
            if !item.entry.is_empty() {
                part.groups = part.groups.with(item.tag);
            }
            at += 1;
        }
        part
    }

    /// The group that a field counts the entries of.
    pub(super) fn group(&self, count: u32) -> Option<&'static Item> {
        if !self.groups.has(count) {
            return None;
        }
        self.items.iter().find(|item| item.tag == count)
    }
}

/// A message.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// MsgType (35).
    pub msg_type: &'static [u8],
    /// Its name.
    pub name: &'static str,
    /// What stands between header and trailer.
    pub body: Part,
}

impl Message {
    pub(super) const fn new(
        msg_type: &'static [u8],
        name: &'static str,
        items: &'static [Item],
    ) -> Self {
        Message {
            msg_type,
            name,
            body: Part::new(items),
        }
    }
}

/// Where each tag's field is in a list, plus one; 0: nowhere.
pub(super) const fn places<const N: usize>(fields: &[Field]) -> [u16; N] {
    let mut places = [0; N];
    let mut at = 0;
    while at < fields.len() {
        places[fields[at].tag as usize] = at as u16 + 1;
        at += 1;
    }
    places
}

/// The highest tag of any version.
const HIGHEST: usize = 956;
const WORDS: usize = HIGHEST / 64 + 1;

/// A set of tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tags([u64; WORDS]);

impl Tags {
    pub const fn of(tags: &[u32]) -> Self {
        let mut set = Tags([0; WORDS]);
        let mut at = 0;
        while at < tags.len() {
            set = set.with(tags[at]);
            at += 1;
        }
        set
    }

    /// This set and a tag, which must be one that some version has.
    const fn with(mut self, tag: u32) -> Self {
        self.0[tag as usize / 64] |= 1 << (tag % 64);
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

    /// The lowest tag of this set that another does not have.
    pub fn without(&self, other: &Self) -> Option<u32> {
        (0..)
            .zip(self.0.iter().zip(&other.0))
            .find_map(|(at, (mine, theirs))| {
                let rest = mine & !theirs;
                (rest != 0).then(|| at * 64 + rest.trailing_zeros())
            })
    }
}
