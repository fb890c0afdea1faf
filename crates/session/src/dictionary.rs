//! What messages may hold, and whether one does.
//!
//! The description is compact and our own (`dictionary/fix44.rs`): types and values of fields, required fields, repeating groups,
//! and which fields a message may have. It holds every message of the session, and those of the application that Tickwire speaks
//! or that its tests need. A test holds it against the FIX 4.4 dictionary where that is at hand: nothing that the dictionary allows is
//! refused, and what it demands is demanded.

mod fix44;
mod rules;

use crate::reject::Refusal;
use rules::{GroupRule, MessageRule, Tags};
use wire::fix::Reason;
use wire::fix::{Fields, Message, Value, Version};

pub use rules::Kind;

/// Fields of the standard header, BeginString, BodyLength and MsgType among them.
const HEADER: Tags = Tags::of(&[
    8, 9, 35, 34, 43, 49, 50, 52, 56, 57, 90, 91, 97, 115, 116, 122, 128, 129, 142, 143, 144, 145,
    212, 213, 347, 369, 627,
]);
/// Those that every message has, beside the framing.
const HEADER_REQUIRED: Tags = Tags::of(&[34, 49, 52, 56]);
/// Fields of the standard trailer.
const TRAILER: Tags = Tags::of(&[10, 89, 93]);

/// The type of a field, and whether FIX 4.4 has it; `None` if our description does not hold it.
pub fn kind(tag: u32) -> Option<Kind> {
    fix44::field(tag).map(|rule| rule.kind)
}

/// The values a field may have, separated by spaces; empty if any of its type, or not described.
pub fn values(tag: u32) -> &'static str {
    fix44::field(tag).map_or("", |rule| rule.values)
}

/// Messages the description holds: their types.
pub fn messages() -> impl Iterator<Item = &'static [u8]> {
    fix44::MESSAGES.iter().map(|rule| rule.msg_type)
}

/// Whether a field is required, allowed or refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Presence {
    /// The message must have it.
    Required,
    /// It may have it.
    Optional,
    /// Not defined for the message.
    NotDefined,
    /// Not described: taken as it is.
    Unchecked,
}

/// What is said of a field outside groups; `None` if the message is not described.
pub fn presence(msg_type: &[u8], tag: u32) -> Option<Presence> {
    let rule = fix44::message(msg_type)?;
    Some(if rule.required.has(tag) {
        Presence::Required
    } else if rule.fields.has(tag) || HEADER.has(tag) || TRAILER.has(tag) {
        Presence::Optional
    } else if rule.complete || fix44::field(tag).is_some() || !fix44::exists(tag) {
        Presence::NotDefined
    } else {
        Presence::Unchecked
    })
}

/// Whether the session, not the application, speaks a message: Heartbeat to Logout, and Logon.
pub const fn is_session_message(msg_type: &[u8]) -> bool {
    matches!(msg_type, [b'0'..=b'5' | b'A'])
}

/// The parts of a message, in order.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Part {
    Header,
    Body,
    Trailer,
}

impl Part {
    fn of(tag: u32) -> Self {
        if HEADER.has(tag) {
            Part::Header
        } else if TRAILER.has(tag) {
            Part::Trailer
        } else {
            Part::Body
        }
    }
}

/// Checks a message against the description, in the order of its fields; required fields come last.
///
/// Of an application message of FIX 4.2 only the structure is checked, and that no field is empty: its dictionary is another one.
///
/// # Errors
/// The first thing that is wrong.
pub fn validate(version: Version, message: &Message<'_>) -> Result<(), Refusal> {
    let rule = fix44::message(message.msg_type());
    if rule.is_none() && !fix44::is_msg_type(message.msg_type()) {
        return Err(Refusal::new(35, Reason::MsgType));
    }
    let described = version == Version::Fix44 || is_session_message(message.msg_type());
    let mut check = Check {
        message,
        rule: rule.filter(|_| described),
        unsure: false,
    };
    let seen = check.fields()?;
    let missing = HEADER_REQUIRED.without(&seen);
    let missing = missing.or_else(|| check.rule?.required.without(&seen));
    match missing {
        Some(tag) => Err(Refusal::new(tag, Reason::Missing)),
        None => Ok(()),
    }
}

/// A check under way.
struct Check<'c, 'a> {
    message: &'c Message<'a>,
    /// What is known of the message; `None`: nothing.
    rule: Option<&'static MessageRule>,
    /// A field came that the description of the message does not hold, and that may count the entries of a group: what follows may
    /// belong to those.
    unsure: bool,
}

impl<'a> Check<'_, 'a> {
    /// Whether the version may have a field that the description does not hold.
    fn may_have(&self, tag: u32) -> bool {
        match self.rule {
            Some(rule) => !rule.complete && fix44::field(tag).is_none() && fix44::exists(tag),
            None => true,
        }
    }

    /// Goes through the fields; gives those that are there.
    fn fields(&mut self) -> Result<Tags, Refusal> {
        let (mut part, mut seen) = (Part::Header, Tags::of(&[8, 9, 35, 10]));
        let mut fields = self.message.fields();
        while let Some(field) = fields.next() {
            let field = field.map_err(|malformed| Refusal {
                tag: written_tag(self.message, malformed.at),
                reason: Reason::InvalidTag,
            })?;
            let refuse = |reason| Err(Refusal::new(field.tag, reason));
            if self.rule.is_some() && !fix44::exists(field.tag) {
                return refuse(Reason::InvalidTag);
            }
            let now = Part::of(field.tag);
            if now < part {
                return refuse(Reason::Order);
            }
            part = now;
            self.value(field.tag, field.value)?;
            if !seen.insert(field.tag) && !self.unsure {
                return refuse(Reason::Repeated);
            }
            let own = self.rule.is_some_and(|rule| rule.fields.has(field.tag));
            if part == Part::Body && !own {
                if self.may_have(field.tag) {
                    self.unsure = true;
                } else if !self.unsure {
                    return refuse(Reason::NotDefined);
                }
            } else if let Some(group) = fix44::group(self.message.msg_type(), field.tag) {
                self.group(group, field.value, &mut fields)?;
            }
        }
        Ok(seen)
    }

    fn value(&self, tag: u32, value: &[u8]) -> Result<(), Refusal> {
        let described = self.rule.is_some() || HEADER.has(tag);
        let result = match fix44::field(tag).filter(|_| described) {
            _ if value.is_empty() => Err(Reason::Empty),
            Some(rule) => rule.check(value),
            None => Ok(()),
        };
        result.map_err(|reason| Refusal::new(tag, reason))
    }

    /// Reads the entries of a group; `fields` are behind its count.
    fn group(
        &mut self,
        group: &GroupRule,
        count: &[u8],
        fields: &mut Fields<'a>,
    ) -> Result<(), Refusal> {
        let wrong_count = Refusal::new(group.count, Reason::Count);
        let count = u64::read(count).map_err(|_| wrong_count)?;
        let mut entries = 0_u64;
        let mut seen = Tags::of(&[]);
        while let Some(tag) = fields.peek() {
            let member = group.members.has(tag);
            if !member && (entries == 0 || !self.may_have(tag)) {
                break;
            }
            if tag == group.first {
                entries += 1;
                seen = Tags::of(&[]);
            } else if entries == 0 {
                return Err(Refusal::new(tag, Reason::GroupOrder));
            }
            if member && !seen.insert(tag) {
                return Err(Refusal::new(tag, Reason::Repeated));
            }
            let Some(Ok(field)) = fields.next() else {
                break;
            };
            self.value(tag, field.value)?;
            match fix44::group(self.message.msg_type(), tag) {
                Some(nested) if member => self.group(nested, field.value, fields)?,
                _ => self.unsure |= !member,
            }
        }
        if entries == count {
            Ok(())
        } else {
            Err(wrong_count)
        }
    }
}

/// The tag as it is written at a place of the message where no field could be read; 0 if it is no number at all.
fn written_tag(message: &Message<'_>, at: usize) -> i64 {
    let rest = message.bytes().get(at..).unwrap_or_default();
    let end = rest.iter().position(|byte| *byte == b'=');
    let text = rest.get(..end.unwrap_or(0)).unwrap_or_default();
    i64::read(text).unwrap_or(0)
}
