//! What a packet says, as a list: from the engine's fields.

use fast::Decimal;

use super::model::Record;
use cosim::fast_items::Item;

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
            7 => self.items.push(Item::Reference(value as u32)),
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
