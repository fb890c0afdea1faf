//! Dictionary entries as numbers (section 6.3.1).

use std::collections::HashMap;

use serde::Serialize;

use super::Name;

/// The number of a dictionary entry, from 0. Operators that share their previous value have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Slot(pub u16);

impl Slot {
    /// As an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Which dictionary.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Scope {
    /// The global one.
    Global,
    /// A template's own: the template's index.
    Template(usize),
    /// An application type's own; none: the type `any`.
    Type(Option<Name>),
    /// One with a name.
    Named(String),
}

/// Which part of a field an entry is for: those without a name in the XML have one that none can collide with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Part {
    Field,
    Exponent,
    Mantissa,
    Length,
}

/// An entry's key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub name: Name,
    pub part: Part,
}

/// An entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Entry {
    pub scope: Scope,
    pub key: Key,
}

impl Entry {
    pub(super) fn describe(&self) -> String {
        let scope = match &self.scope {
            Scope::Global => "global".into(),
            Scope::Template(index) => format!("template #{index}"),
            Scope::Type(None) => "type any".into(),
            Scope::Type(Some(name)) => format!("type {}", name.local),
            Scope::Named(name) => name.clone(),
        };
        let part = match self.key.part {
            Part::Field => "",
            Part::Exponent => " (exponent)",
            Part::Mantissa => " (mantissa)",
            Part::Length => " (length)",
        };
        format!("{scope}/{}{part}", self.key.name.local)
    }
}

/// Gives numbers to entries, in the order of their first use.
#[derive(Debug, Default)]
pub(super) struct Slots {
    numbers: HashMap<Entry, Slot>,
    pub entries: Vec<Entry>,
}

impl Slots {
    /// The entry's number; `None` if there are too many.
    pub(super) fn number(&mut self, entry: Entry) -> Option<Slot> {
        if let Some(slot) = self.numbers.get(&entry) {
            return Some(*slot);
        }
        let slot = Slot(u16::try_from(self.entries.len()).ok()?);
        self.entries.push(entry.clone());
        self.numbers.insert(entry, slot);
        Some(slot)
    }
}
