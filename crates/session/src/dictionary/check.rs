//! Whether a message holds what its dictionary says.

use formats::fix::{Fields, Message, Reason, Value, Version};

use super::rules::{Item, Part, Tags};
use super::{Dictionary, rules};
use crate::reject::Refusal;

/// The parts of a message, in order.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Place {
    Header,
    Body,
    Trailer,
}

/// Checks a message against the dictionary of its version, in the order of its fields; fields that are missing come last.
///
/// Of a message that the dictionary does not describe only the header is checked, and that no field is empty: the application
/// has to say that it does not support it.
///
/// # Errors
/// The first thing that is wrong.
pub fn validate(version: Version, message: &Message<'_>) -> Result<(), Refusal> {
    let dictionary = Dictionary::of(version);
    if !dictionary.has_msg_type(message.msg_type()) {
        return Err(Refusal::new(35, Reason::MsgType));
    }
    let check = Check {
        dictionary,
        message,
        rule: dictionary.message(message.msg_type()),
    };
    let seen = check.fields()?;
    let required = [Some(&dictionary.header), check.rule.map(|rule| &rule.body)];
    let mut missing = required
        .iter()
        .flatten()
        .filter_map(|part| part.required.without(&seen));
    match missing.next() {
        Some(tag) => Err(Refusal::new(tag, Reason::Missing)),
        None => Ok(()),
    }
}

/// A check under way.
struct Check<'c, 'a> {
    dictionary: &'static Dictionary,
    message: &'c Message<'a>,
    /// What the dictionary says about the message, if it describes it.
    rule: Option<&'static rules::Message>,
}

impl<'a> Check<'_, 'a> {
    fn place(&self, tag: u32) -> Place {
        if self.dictionary.header.fields.has(tag) {
            Place::Header
        } else if self.dictionary.trailer.fields.has(tag) {
            Place::Trailer
        } else {
            Place::Body
        }
    }

    /// What the part of the message may have; `None`: the body of a message that is not described.
    fn part(&self, place: Place) -> Option<&'static Part> {
        match place {
            Place::Header => Some(&self.dictionary.header),
            Place::Body => self.rule.map(|rule| &rule.body),
            Place::Trailer => Some(&self.dictionary.trailer),
        }
    }

    /// Goes through the fields; returns those that are there, without those of groups.
    fn fields(&self) -> Result<Tags, Refusal> {
        // Those of the framing have been read.
        let (mut place, mut seen) = (Place::Header, Tags::of(&[8, 9, 35, 10]));
        let mut fields = self.message.fields();
        while let Some(field) = fields.next() {
            let field = field.map_err(|malformed| Refusal {
                tag: written_tag(self.message, malformed.at),
                reason: Reason::InvalidTag,
            })?;
            let refuse = |reason| Err(Refusal::new(field.tag, reason));
            if self.rule.is_some() && !self.dictionary.has_field(field.tag) {
                return refuse(Reason::InvalidTag);
            }
            let now = self.place(field.tag);
            if now < place {
                return refuse(Reason::Order);
            }
            place = now;
            let Some(part) = self.part(place) else {
                if field.value.is_empty() {
                    return refuse(Reason::Empty);
                }
                continue;
            };
            self.value(field.tag, field.value)?;
            if !seen.insert(field.tag) {
                return refuse(Reason::Repeated);
            }
            if !part.fields.has(field.tag) {
                return refuse(Reason::NotDefined);
            }
            if let Some(group) = part.group(field.tag) {
                self.group(group, field.value, &mut fields)?;
            }
        }
        Ok(seen)
    }

    fn value(&self, tag: u32, value: &[u8]) -> Result<(), Refusal> {
        let result = match self.dictionary.field(tag) {
            _ if value.is_empty() => Err(Reason::Empty),
            Some(field) => field.check(value),
            // It will be refused: only what is described is allowed anywhere.
            None => Ok(()),
        };
        result.map_err(|reason| Refusal::new(tag, reason))
    }

    /// Reads the entries of a group; `fields` begin after its count. Volume 1: an entry begins with the group's first field, and its fields
    /// come in the order of the message's definition.
    fn group(&self, group: &Item, count: &[u8], fields: &mut Fields<'a>) -> Result<(), Refusal> {
        let wrong_count = Refusal::new(group.tag, Reason::Count);
        let count = u64::read(count).map_err(|_| wrong_count)?;
        let place_of = |tag| group.entry.iter().position(|item| item.tag == tag);
        let mut entries = 0_u64;
        // Of the last field, and of the entry that is open.
        let (mut last, mut seen) = (0, Tags::of(&[]));
        while let Some(tag) = fields.peek() {
            let Some((place, item)) =
                place_of(tag).and_then(|place| Some((place, group.entry.get(place)?)))
            else {
                // Then the fault is a field that the version does not have, not the count.
                if entries != count && !self.dictionary.has_field(tag) {
                    return Err(Refusal::new(tag, Reason::InvalidTag));
                }
                break;
            };
            if place == 0 {
                complete(group, entries, &seen)?;
                entries += 1;
                (last, seen) = (0, Tags::of(&[]));
            }
            let is_new = seen.insert(tag);
            if entries == 0 || is_new && place < last {
                return Err(Refusal::new(tag, Reason::GroupOrder));
            }
            if !is_new {
                return Err(Refusal::new(tag, Reason::Repeated));
            }
            last = place;
            let Some(Ok(field)) = fields.next() else {
                break;
            };
            self.value(tag, field.value)?;
            if !item.entry.is_empty() {
                self.group(item, field.value, fields)?;
            }
        }
        complete(group, entries, &seen)?;
        if entries == count {
            Ok(())
        } else {
            Err(wrong_count)
        }
    }
}

/// Checks that the last entry of a group, if there is one, has what it must have.
fn complete(group: &Item, entries: u64, seen: &Tags) -> Result<(), Refusal> {
    let mut required = group.entry.iter().filter(|item| item.required);
    match required.find(|item| !seen.has(item.tag)) {
        Some(item) if entries > 0 => Err(Refusal::new(item.tag, Reason::Missing)),
        _ => Ok(()),
    }
}

/// The tag as it is written at a place of the message where no field could be read; 0 if it is no number at all.
fn written_tag(message: &Message<'_>, at: usize) -> i64 {
    let rest = message.bytes().get(at..).unwrap_or_default();
    let end = rest.iter().position(|byte| *byte == b'=');
    let text = rest.get(..end.unwrap_or(0)).unwrap_or_default();
    i64::read(text).unwrap_or(0)
}
