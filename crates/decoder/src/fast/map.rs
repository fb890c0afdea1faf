//! The map of a feed: which field of which template is which member of an event (docs/reference/fast-events.md).

use std::collections::BTreeMap;
use std::num::NonZeroU8;

use formats::{Kind, Side};
use serde::Deserialize;
use thiserror::Error;

/// The key of [`Coded::values`] for a field that has no value.
pub const ABSENT: &str = "absent";

/// A feed: its scales and its templates.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Map {
    /// Decimals of its prices, whatever the exponents it sends: as ITCH has 4.
    pub price_scale: u8,
    /// Decimals of its quantities.
    #[serde(default)]
    pub quantity_scale: u8,
    /// Price levels of a side that it gives, the best ones; `None`: it gives orders.
    pub depth: Option<NonZeroU8>,
    /// Its templates; messages of others are counted.
    #[serde(rename = "template")]
    pub templates: Vec<TemplateMap>,
    /// Its snapshots of the books, on a channel of their own.
    pub snapshot: Option<SnapshotMap>,
}

/// Snapshots of the books: each instrument's is one message or more, its fragments, of one template.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SnapshotMap {
    /// The template of a fragment. Its symbol and its sequence are fields before the entries.
    pub template: TemplateMap,
    /// The number of the feed's last message that is in the books (LastMsgSeqNumProcessed, 369).
    pub last_sequence: u32,
    /// 1 in the first fragment of an instrument (RouteFirst, 7944); `None`, and no last one either: each message is all of an instrument.
    pub first_fragment: Option<u32>,
    /// 1 in the last one (LastFragment, 893).
    pub last_fragment: Option<u32>,
}

/// A template. Its messages are an event each, or if one of the fields stands in a sequence, the entries of that are.
///
/// A number is a field's (`id` in the XML).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TemplateMap {
    /// The template's identifier.
    pub id: u32,
    /// [`Event::message_type`](formats::Event::message_type).
    pub message_type: char,
    /// What an entry does whose fields do not say it.
    pub kind: Option<Meaning>,
    /// The number of the message in the feed.
    pub sequence: Option<u32>,
    /// When it was sent: digits `HHMMSS` and decimals of the second; a date before them is left out.
    pub time: Option<Time>,
    /// The instrument: its symbol or its number.
    pub symbol: Option<u32>,
    /// The order: an integer, or digits.
    pub order_id: Option<u32>,
    /// The price: a decimal or an integer.
    pub price: Option<u32>,
    /// The quantity: the same.
    pub quantity: Option<u32>,
    /// Of a price level, how many orders it has.
    pub orders: Option<u32>,
    /// Of a status, the feed's number for it.
    pub status: Option<u32>,
    /// What an entry does (MDUpdateAction, 279).
    pub action: Option<Coded>,
    /// What it is about (MDEntryType, 269). A kind that it says goes before that of `action`.
    pub entry_type: Option<Coded>,
    /// The side.
    pub side: Option<Coded>,
}

/// A field with a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Time {
    /// Its number.
    pub field: u32,
    /// Decimals of the second, at most 9.
    pub decimals: u8,
}

/// A field whose values are names of something.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coded {
    /// Its number.
    pub field: u32,
    /// What the values mean. Any other is an error. [`ABSENT`] is no value; without it, an absent field says nothing.
    pub values: BTreeMap<String, Meaning>,
}

/// What a value means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Meaning {
    /// [`Kind::Add`].
    Add,
    /// [`Kind::Modify`].
    Modify,
    /// [`Kind::Execute`].
    Execute,
    /// [`Kind::Reduce`].
    Reduce,
    /// [`Kind::Delete`].
    Delete,
    /// [`Kind::Trade`].
    Trade,
    /// [`Kind::Status`].
    Status,
    /// [`Kind::Clear`].
    Clear,
    /// [`Kind::Level`].
    Level,
    /// [`Kind::Level`] of quantity 0, whatever the feed's.
    RemoveLevel,
    /// [`Side::Buy`].
    Buy,
    /// [`Side::Sell`].
    Sell,
    /// The entry is no event.
    Ignore,
}

impl Meaning {
    /// The kind that it says.
    pub const fn kind(self) -> Option<Kind> {
        Some(match self {
            Meaning::Add => Kind::Add,
            Meaning::Modify => Kind::Modify,
            Meaning::Execute => Kind::Execute,
            Meaning::Reduce => Kind::Reduce,
            Meaning::Delete => Kind::Delete,
            Meaning::Trade => Kind::Trade,
            Meaning::Status => Kind::Status,
            Meaning::Clear => Kind::Clear,
            Meaning::Level | Meaning::RemoveLevel => Kind::Level,
            Meaning::Buy | Meaning::Sell | Meaning::Ignore => return None,
        })
    }

    /// The side that it says.
    pub const fn side(self) -> Option<Side> {
        match self {
            Meaning::Buy => Some(Side::Buy),
            Meaning::Sell => Some(Side::Sell),
            _ => None,
        }
    }
}

/// What is wrong with a map.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum MapError {
    /// It is no TOML, or not as a map is.
    #[error("{0}")]
    Toml(
        /// What the parser says, with the line.
        String,
    ),
    /// A scale or a number of decimals that is too large.
    #[error("{what} is {value}; at most {most} is possible")]
    TooLarge {
        /// Which.
        what: &'static str,
        /// It.
        value: u8,
        /// Its limit.
        most: u8,
    },
    /// A template that the templates do not have, or that is there twice.
    #[error("template {0} is not in the template file, or is twice in the map")]
    Template(
        /// Its identifier.
        u32,
    ),
    /// A field that the template does not have.
    #[error("template {template} has no field {field}")]
    Field {
        /// The template's identifier.
        template: u32,
        /// The field's number.
        field: u32,
    },
    /// A field that is of a type that its member cannot come from, or is two members.
    #[error("template {template}: field {field} cannot be {member}")]
    Type {
        /// The template's identifier.
        template: u32,
        /// The field's number.
        field: u32,
        /// The member.
        member: &'static str,
    },
    /// Fields in two sequences, or in a sequence inside another.
    #[error("template {template}: field {field} is not in the sequence of the other fields")]
    Sequence {
        /// The template's identifier.
        template: u32,
        /// The field's number.
        field: u32,
    },
    /// A value that a field of this type cannot have: no integer, or a text of more than eight characters.
    #[error("template {template}: field {field} cannot have the value \"{value}\"")]
    Value {
        /// The template's identifier.
        template: u32,
        /// The field's number.
        field: u32,
        /// The value.
        value: String,
    },
    /// The type of message is no ASCII character.
    #[error("template {0}: the type of a message is one ASCII character")]
    MessageType(
        /// The template's identifier.
        u32,
    ),
}

impl Map {
    /// Reads a map in TOML.
    ///
    /// # Errors
    /// [`MapError::Toml`], [`MapError::TooLarge`], [`MapError::MessageType`]; what depends on the templates is found by
    /// [`Fast::new`](super::Fast::new).
    pub fn parse(text: &str) -> Result<Self, MapError> {
        let map: Map = toml::from_str(text).map_err(|error| MapError::Toml(error.to_string()))?;
        let limit = |what, value, most| {
            if value > most {
                return Err(MapError::TooLarge { what, value, most });
            }
            Ok(())
        };
        limit("price_scale", map.price_scale, MOST_DECIMALS)?;
        limit("quantity_scale", map.quantity_scale, MOST_DECIMALS)?;
        let snapshot = map.snapshot.as_ref().map(|snapshot| &snapshot.template);
        for template in map.templates.iter().chain(snapshot) {
            if !template.message_type.is_ascii() {
                return Err(MapError::MessageType(template.id));
            }
            if let Some(time) = template.time {
                limit("decimals", time.decimals, 9)?;
            }
        }
        Ok(map)
    }
}

/// Decimals of a price or a quantity at most: 10^18 fits into 64 bits.
const MOST_DECIMALS: u8 = 18;
