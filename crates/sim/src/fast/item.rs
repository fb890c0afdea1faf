//! What a packet says, as a list: from the engine's fields, and from the software decoder's callbacks.

use fast::microcode::Wanted;
use fast::{Decimal, Error, Field, Templates, Value, Visitor};

use super::model::Record;

/// Something that a packet says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A message of the template with this identifier begins.
    Message(u32),
    /// A field of this number has no value.
    Absent(u32),
    /// An unsigned integer.
    Unsigned(u32, u64),
    /// A signed one.
    Signed(u32, i64),
    /// A decimal.
    Decimal(u32, Decimal),
    /// A string or byte vector.
    Text(u32, Vec<u8>),
    /// An entry of a sequence ends.
    EntryEnd,
    /// The message ends.
    MessageEnd,
}

/// Collects the items of a packet from the engine's fields.
#[derive(Clone, Debug, Default)]
pub struct FromFields {
    /// What is complete.
    pub items: Vec<Item>,
    text: Vec<u8>,
}

impl FromFields {
    /// Adds a field.
    ///
    /// # Errors
    /// A sentence about a field that is not well-formed.
    pub(super) fn add(&mut self, record: &Record) -> Result<(), String> {
        let (tag, value) = (record.tag, record.value);
        match record.kind {
            0 => {}
            1 => self.items.push(Item::Message(value as u32)),
            2 => self.items.push(Item::Absent(tag)),
            3 => self.items.push(Item::Unsigned(tag, value)),
            4 => self.items.push(Item::Signed(tag, value as i64)),
            5 => self.items.push(Item::Decimal(
                tag,
                Decimal {
                    exponent: i32::from((record.exponent << 1) as i8 >> 1),
                    mantissa: value as i64,
                },
            )),
            6 => self.piece(record)?,
            kind => return Err(format!("a field of kind {kind}")),
        }
        if record.entry_end != 0 {
            self.items.push(Item::EntryEnd);
        }
        if record.message_end != 0 {
            self.items.push(Item::MessageEnd);
        }
        Ok(())
    }

    fn piece(&mut self, record: &Record) -> Result<(), String> {
        if record.first != 0 {
            self.text.clear();
        }
        if record.count > 8 {
            return Err(format!("a piece of {} characters", record.count));
        }
        let bytes = record.value.to_be_bytes();
        let (above, characters) = bytes.split_at(8 - usize::from(record.count));
        if above.iter().any(|byte| *byte != 0) {
            return Err(format!(
                "{:016x} has more characters than {}",
                record.value, record.count
            ));
        }
        self.text.extend_from_slice(characters);
        if record.last != 0 {
            self.items.push(Item::Text(record.tag, self.text.clone()));
        }
        Ok(())
    }
}

/// Collects the items of a packet from the software decoder.
pub struct FromDecoder<'t> {
    templates: &'t Templates,
    wanted: &'t Wanted,
    /// All before an error.
    pub items: Vec<Item>,
    /// The error.
    pub error: Option<Error>,
    long_text: bool,
}

impl<'t> FromDecoder<'t> {
    /// Nothing yet.
    pub fn new(templates: &'t Templates, wanted: &'t Wanted) -> Self {
        FromDecoder {
            templates,
            wanted,
            items: Vec::new(),
            error: None,
            long_text: false,
        }
    }

    /// Whether a string of more than eight bytes came, those before its first character included.
    pub(super) fn has_long_text(&self) -> bool {
        self.long_text
    }
}

impl Visitor for FromDecoder<'_> {
    fn message_start(&mut self, index: usize) {
        let template = self.templates.all().get(index);
        let id = template.and_then(|one| one.id).unwrap_or_default();
        self.items.push(Item::Message(id));
    }

    fn field(&mut self, field: Field, value: Value<'_>) {
        let tag = field.tag;
        if let Value::Ascii(bytes) = value {
            let preamble = if bytes.first() == Some(&0) { 2 } else { 0 };
            self.long_text |= bytes.len() + preamble > 8;
        }
        if let Wanted::Tags(tags) = self.wanted
            && !tags.contains(&tag)
        {
            return;
        }
        self.items.push(match value {
            Value::Absent => Item::Absent(tag),
            Value::Unsigned(value) => Item::Unsigned(tag, value),
            Value::Signed(value) => Item::Signed(tag, value),
            Value::Decimal(value) => Item::Decimal(tag, value),
            Value::Ascii(bytes) | Value::Unicode(bytes) | Value::Bytes(bytes) => {
                Item::Text(tag, bytes.to_vec())
            }
        });
    }

    fn entry_end(&mut self, _: usize) {
        self.items.push(Item::EntryEnd);
    }

    fn message_end(&mut self) {
        self.items.push(Item::MessageEnd);
    }

    fn dropped(&mut self, error: &Error) {
        self.error = Some(*error);
    }
}
