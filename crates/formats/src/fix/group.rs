//! Repeating groups: NoXXX, then so many entries, each beginning with the same field.

use std::fmt;
use std::marker::PhantomData;

use super::{Encoder, Fields, Reason, Refusal, Value};

/// An entry of a repeating group.
pub trait Member<'a>: Copy {
    /// The tag each entry begins with.
    const FIRST: u32;

    /// Reads one entry and leaves `fields` after it.
    ///
    /// # Errors
    /// A field that is wrong, or a required one that is missing.
    fn parse(fields: &mut Fields<'a>) -> Result<Self, Refusal>;

    /// Appends the entry.
    fn put(&self, encoder: &mut Encoder<'_>);
}

/// The entries of a repeating group: those the caller wants written, or those of a completely checked message.
#[derive(Clone, Copy)]
pub struct Group<'a, E> {
    held: Held<'a, E>,
}

#[derive(Clone, Copy)]
enum Held<'a, E> {
    Entries(&'a [E]),
    Parsed {
        fields: Fields<'a>,
        count: usize,
        entry: PhantomData<E>,
    },
}

impl<E> Default for Group<'_, E> {
    fn default() -> Self {
        Group {
            held: Held::Entries(&[]),
        }
    }
}

impl<'a, E> From<&'a [E]> for Group<'a, E> {
    fn from(entries: &'a [E]) -> Self {
        Group {
            held: Held::Entries(entries),
        }
    }
}

impl<'a, E: Member<'a>> Group<'a, E> {
    /// How many entries there are.
    pub const fn len(&self) -> usize {
        match self.held {
            Held::Entries(entries) => entries.len(),
            Held::Parsed { count, .. } => count,
        }
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entries, in order.
    pub const fn iter(&self) -> GroupIter<'a, E> {
        GroupIter { held: self.held }
    }

    /// Appends the group. `count` is what comes before the number of entries, which is there without entries too: every group here is
    /// required in its message.
    pub(super) fn put<const P: usize>(&self, count: &[u8; P], encoder: &mut Encoder<'_>) {
        encoder.number(count, self.len() as u64);
        self.iter().for_each(|entry| entry.put(encoder));
    }
}

impl<'a, E: Member<'a>> IntoIterator for &Group<'a, E> {
    type Item = E;
    type IntoIter = GroupIter<'a, E>;

    fn into_iter(self) -> GroupIter<'a, E> {
        self.iter()
    }
}

/// Reads the entries after NoXXX: all of them are checked here.
pub(super) fn read<'a, E: Member<'a>>(
    tag: u32,
    value: &'a [u8],
    fields: &mut Fields<'a>,
) -> Result<Group<'a, E>, Refusal> {
    let refuse = |reason| Refusal { tag, reason };
    if value.is_empty() {
        return Err(refuse(Reason::Empty));
    }
    let count = u64::read(value).map_err(refuse)?;
    let first = *fields;
    let mut found = 0;
    while fields.peek() == Some(E::FIRST) {
        E::parse(fields)?;
        found += 1;
    }
    if found != count {
        return Err(refuse(Reason::Count));
    }
    Ok(Group {
        held: Held::Parsed {
            fields: first,
            count: found as usize,
            entry: PhantomData,
        },
    })
}

/// The entries of a [`Group`].
#[derive(Clone)]
pub struct GroupIter<'a, E> {
    held: Held<'a, E>,
}

impl<'a, E: Member<'a>> Iterator for GroupIter<'a, E> {
    type Item = E;

    fn next(&mut self) -> Option<E> {
        match &mut self.held {
            Held::Entries(entries) => {
                let (first, rest) = entries.split_first()?;
                *entries = rest;
                Some(*first)
            }
            Held::Parsed { fields, count, .. } => {
                *count = count.checked_sub(1)?;
                E::parse(fields).ok()
            }
        }
    }
}

impl<'a, E: Member<'a> + PartialEq> PartialEq for Group<'a, E> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<'a, E: Member<'a> + fmt::Debug> fmt::Debug for Group<'a, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
