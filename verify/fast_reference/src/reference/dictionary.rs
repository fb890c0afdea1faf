//! Previous values (section 6.3.1).

use std::collections::HashMap;

use super::error::Code;
use super::template::{Access, Data, Key, Kind, Name, Scope};

/// What "current" means where an instruction stands (section 6.1).
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The template that is being processed.
    pub template: &'a Name,
    /// The application type; `None` is the type that the specification calls any.
    pub application_type: Option<&'a Name>,
}

/// Which dictionary it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Dictionary {
    Global,
    Template(Name),
    Type(Option<Name>),
    User(String),
}

/// The state of a previous value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    Undefined,
    Empty,
    Assigned(Data),
}

/// All dictionaries of a decoder. What is not in the map is undefined.
#[derive(Clone, Debug, Default)]
pub struct Dictionaries {
    entries: HashMap<(Dictionary, Key), (Kind, Option<Data>)>,
}

impl Context<'_> {
    /// The entry that an operator means in this context.
    pub fn entry(&self, access: &Access) -> (Dictionary, Key) {
        let dictionary = match &access.dictionary {
            Scope::Global => Dictionary::Global,
            Scope::Template => Dictionary::Template(self.template.clone()),
            Scope::Type => Dictionary::Type(self.application_type.cloned()),
            Scope::User(name) => Dictionary::User(name.clone()),
        };
        (dictionary, access.key.clone())
    }
}

impl Dictionaries {
    /// The state of an entry, for a field of this type.
    ///
    /// # Errors
    /// D4 if the entry is of another type. An undefined entry has no type yet.
    pub fn state(&self, entry: &(Dictionary, Key), kind: Kind) -> Result<State, Code> {
        match self.entries.get(entry) {
            None => Ok(State::Undefined),
            Some((of, _)) if *of != kind => Err(Code::D4),
            Some((_, None)) => Ok(State::Empty),
            Some((_, Some(value))) => Ok(State::Assigned(value.clone())),
        }
    }

    /// Assigns a value, or makes the entry empty.
    pub fn set(&mut self, entry: (Dictionary, Key), kind: Kind, value: Option<Data>) {
        self.entries.insert(entry, (kind, value));
    }

    /// Makes every entry undefined, the template identifier too.
    pub fn reset(&mut self) {
        self.entries.clear();
    }
}
