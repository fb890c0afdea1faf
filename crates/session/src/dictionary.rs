//! What the messages of a version may hold, and whether one does.
//!
//! The dictionaries are compact and our own (`crates/session/dictionary`); `build.rs` makes Rust of them. They hold every message of the
//! session, and those of the application that Tickwire speaks, each with all its fields.

mod check;
mod rules;

use formats::fix::Version;

pub use check::validate;
pub use rules::{Field, Item, Kind, Message, Part, Values};

use rules::Tags;

/// What `build.rs` made.
mod generated {
    use super::Dictionary;
    use super::rules::{Field, Item, Kind, Message, Part, Tags, Values, places};
    use formats::fix::Version;

    include!(concat!(env!("OUT_DIR"), "/generated/fix42.rs"));
    include!(concat!(env!("OUT_DIR"), "/generated/fix44.rs"));
}

/// A version's fields and messages.
#[derive(Debug)]
pub struct Dictionary {
    version: Version,
    /// Every MsgType of the version.
    types: &'static [&'static [u8]],
    /// The highest tag of the version.
    highest: u32,
    /// Tags up to the highest that no field has.
    unused: Tags,
    /// Those that are described, by tag.
    fields: &'static [Field],
    places: &'static [u16],
    header: Part,
    trailer: Part,
    messages: &'static [Message],
}

impl Dictionary {
    /// That of a version.
    pub fn of(version: Version) -> &'static Self {
        match version {
            Version::Fix42 => &generated::FIX42,
            Version::Fix44 => &generated::FIX44,
        }
    }

    /// Its version.
    pub const fn version(&self) -> Version {
        self.version
    }

    /// The fields that are described, by tag.
    pub const fn fields(&self) -> &'static [Field] {
        self.fields
    }

    /// A field, if it is described.
    pub fn field(&self, tag: u32) -> Option<&'static Field> {
        let place = usize::from(*self.places.get(tag as usize)?);
        self.fields.get(place.checked_sub(1)?)
    }

    /// Whether the version has a field with a tag, described or not.
    pub fn has_field(&self, tag: u32) -> bool {
        tag <= self.highest && !self.unused.has(tag) || self.field(tag).is_some()
    }

    /// Whether a field may have a value.
    pub fn takes(&self, tag: u32, value: &[u8]) -> bool {
        self.field(tag)
            .is_some_and(|field| field.check(value).is_ok())
    }

    /// The header of every message.
    pub const fn header(&self) -> &Part {
        &self.header
    }

    /// The trailer of every message.
    pub const fn trailer(&self) -> &Part {
        &self.trailer
    }

    /// The messages that are described.
    pub const fn messages(&self) -> &'static [Message] {
        self.messages
    }

    /// A message, if it is described.
    pub fn message(&self, msg_type: &[u8]) -> Option<&'static Message> {
        self.messages
            .iter()
            .find(|message| message.msg_type == msg_type)
    }

    /// Whether a MsgType belongs to the version, described or not, or is one that two parties may agree on: those begin with `U`.
    pub fn has_msg_type(&self, msg_type: &[u8]) -> bool {
        msg_type.first() == Some(&b'U') || self.types.contains(&msg_type)
    }
}

/// Whether the session, not the application, speaks a message: Heartbeat to Logout, and Logon.
pub const fn is_session_message(msg_type: &[u8]) -> bool {
    matches!(msg_type, [b'0'..=b'5' | b'A'])
}
