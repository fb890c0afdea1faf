//! The fields of a message by tag.

use thiserror::Error;

use super::{MalformedField, Message};

/// Where a field is in its message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Its tag.
    pub tag: u32,
    start: u32,
    end: u32,
}

/// More fields than an [`Index`] has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("more than {0} fields")]
pub struct TooManyFields(
    /// The room.
    pub usize,
);

/// The fields of a message by tag: filled once, looked up often. `N` is the room, in fields.
#[derive(Clone, Debug)]
pub struct Index<'a, const N: usize = 64> {
    bytes: &'a [u8],
    entries: [Entry; N],
    count: usize,
    malformed: Option<MalformedField>,
}

impl<'a, const N: usize> Index<'a, N> {
    /// The fields of a message from the fourth on, without CheckSum.
    ///
    /// # Errors
    /// There are more than `N`.
    pub fn new(message: &Message<'a>) -> Result<Self, TooManyFields> {
        let mut index = Index {
            bytes: message.bytes(),
            entries: [Entry::default(); N],
            count: 0,
            malformed: None,
        };
        let mut fields = message.fields();
        while let Some(field) = fields.next() {
            match field {
                Ok(field) => {
                    let entry = index.entries.get_mut(index.count).ok_or(TooManyFields(N))?;
                    let end = fields.at() - 1;
                    *entry = Entry {
                        tag: field.tag,
                        start: (end - field.value.len()) as u32,
                        end: end as u32,
                    };
                    index.count += 1;
                }
                Err(malformed) => {
                    index.malformed.get_or_insert(malformed);
                }
            }
        }
        Ok(index)
    }

    /// The fields in order.
    pub fn entries(&self) -> &[Entry] {
        self.entries.get(..self.count).unwrap_or_default()
    }

    /// The first malformed field, if there is one.
    pub const fn malformed(&self) -> Option<MalformedField> {
        self.malformed
    }

    /// The value of an entry.
    pub fn value(&self, entry: &Entry) -> &'a [u8] {
        self.bytes
            .get(entry.start as usize..entry.end as usize)
            .unwrap_or_default()
    }

    /// The value of the first field with a tag.
    pub fn get(&self, tag: u32) -> Option<&'a [u8]> {
        let entry = self.entries().iter().find(|entry| entry.tag == tag)?;
        Some(self.value(entry))
    }
}
