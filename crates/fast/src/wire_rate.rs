//! Tables for the wire-rate FAST engine in hardware (`rtl/decoder/fast/wire`), which decodes the entries of a template's sequence eight bytes a cycle.
//!
//! ```text
//!  Templates, an identifier, wanted fields ── compile ── Tables ── loads: what the host writes into the engine
//! ```
//! The engine does not read a template field by field: it knows how many tokens a presence map implies ([`Tokens`]), and where in them a wanted field is
//! ([`Place`]). `docs/concepts/fast-at-wire-rate.md` explains how that is enough.
//!
//! Dictionary entries of wanted fields may outlive a packet: the engine keeps them, for each template its own. What depends on others that outlive one is not done,
//! but for packets that begin with a Reset.

mod compile;
mod exponents;
mod word;

use thiserror::Error;

use crate::template::Reason;

pub use compile::{compile, fitting};
pub use word::{FieldWord, HeaderWord, InitialWord, Load, Place, TemplateWord, Tokens, map_mask};

/// Tokens of a header at most, presence map and template identifier among them.
pub const MOST_HEADER_TOKENS: usize = 15;
/// Bits of a message's presence map at most: one byte.
pub const MOST_HEADER_BITS: u16 = 7;
/// A null exponent is looked for with fewer tokens left than these.
pub const NULL_ROWS: usize = 32;
/// Templates of a set at most.
pub const MOST_TEMPLATES: usize = 8;
/// Characters of the longest text.
pub const CHARACTERS: usize = 12;
/// Characters of a text in the place of a number.
pub const SHORT_CHARACTERS: usize = 5;

/// What an engine has room for: the parameters of `fast_wire_engine`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Integers of 32 bits and texts of five characters.
    pub numbers: usize,
    /// Decimals and integers of 64 bits.
    pub longs: usize,
    /// Texts of twelve characters.
    pub texts: usize,
    /// Integers of the header.
    pub headers: usize,
    /// Exponents that are watched.
    pub watches: usize,
}

impl Default for Room {
    fn default() -> Self {
        Room {
            numbers: 6,
            longs: 2,
            texts: 2,
            headers: 2,
            watches: 2,
        }
    }
}

impl Room {
    /// Wanted fields.
    pub const fn fields(&self) -> usize {
        self.numbers + self.longs + self.texts
    }
}

/// What is to leave the engine, by tag. A text takes one of the long places while there is one: those that are longest come first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Integers of the header.
    pub header: Vec<u32>,
    /// Fields of the entries.
    pub fields: Vec<u32>,
}

/// Why the engine cannot take a template, with these wanted fields.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// There is none.
    #[error("there is no template {0}")]
    NoTemplate(
        /// The identifier.
        u32,
    ),
    /// No engine of this kind can.
    #[error("{0}")]
    Template(
        /// Why.
        Reason,
    ),
    /// The identifier is too long.
    #[error("identifier {0} has more than three bytes")]
    Identifier(
        /// The identifier.
        u32,
    ),
    /// The header is too long.
    #[error("the header has {0} tokens; at most {MOST_HEADER_TOKENS} fit")]
    HeaderTokens(
        /// How many.
        usize,
    ),
    /// The presence map of the message is too long.
    #[error("the message's presence map has {0} bits; at most {MOST_HEADER_BITS} fit")]
    HeaderBits(
        /// How many.
        u16,
    ),
    /// A field of the header with a number of tokens that does not follow from the presence map.
    #[error("{0} in the header is an optional decimal")]
    HeaderDecimal(
        /// Its name.
        String,
    ),
    /// Nothing tells where an entry begins.
    #[error("entries have neither a presence map nor a token")]
    NoTokens,
    /// The sequence's length has an operator.
    #[error("the length of the sequence has an operator")]
    LengthOperator,
    /// A wanted field that the template does not have.
    #[error("there is no field {0} where it is wanted")]
    NoField(
        /// Its tag.
        u32,
    ),
    /// A wanted field of a kind that has no place.
    #[error("{0} has no value that this engine gives")]
    Kind(
        /// Its name.
        String,
    ),
    /// An initial value that is too long.
    #[error("the initial value of {0} does not fit")]
    Initial(
        /// Its name.
        String,
    ),
    /// A dictionary entry that two fields use.
    #[error("{0} shares its dictionary entry with another field")]
    Shared(
        /// Its name.
        String,
    ),
    /// Too many wanted fields of a kind.
    #[error("there is no place left for {0}")]
    Full(
        /// Its name.
        String,
    ),
    /// Too many exponents to watch.
    #[error("{0} exponents have to be watched; at most {1} can be")]
    Watches(
        /// How many.
        usize,
        /// The room.
        usize,
    ),
    /// Values depend on the packet before.
    #[error(
        "{0} depends on a packet before in a way that the engine does not keep: dictionaries are not reset, and there is no Reset template of two bytes"
    )]
    Remembers(
        /// Its name.
        String,
    ),
}

/// The tables of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tables {
    /// The template's word.
    pub template: TemplateWord,
    /// By place: numbers, longs, texts.
    pub fields: Vec<Option<(FieldWord, InitialWord)>>,
    /// The header's.
    pub headers: Vec<Option<HeaderWord>>,
    /// Exponents that are watched.
    pub watches: Vec<Option<Place>>,
    /// Of each wanted field of the entries, in the order in which they were named: its place.
    pub places: Vec<usize>,
}

impl Tables {
    /// What is written into the engine while it is idle, in any order, for its only template. Places that are not used are written too, so that nothing from before is left.
    pub fn loads(&self) -> Vec<Load> {
        self.loads_of(0)
    }

    /// The same for one template of a set, by its number (0 to [`MOST_TEMPLATES`] - 1).
    pub fn loads_of(&self, template: u8) -> Vec<Load> {
        let mut loads = vec![self.template.load()];
        for (index, field) in self.fields.iter().enumerate() {
            let (word, initial) = field.unwrap_or_default();
            loads.push(word.load(index));
            loads.push(initial.load(index));
        }
        for (index, header) in self.headers.iter().enumerate() {
            loads.push(header.unwrap_or_default().load(index));
        }
        for (index, place) in self.watches.iter().enumerate() {
            loads.push(place.unwrap_or_default().load(index));
        }
        for load in &mut loads {
            load.template = template;
        }
        loads
    }
}
