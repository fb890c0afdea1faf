//! Values to bytes: the reverse of [`decode`](crate::decode), with the same templates and the same dictionary.
//!
//! An [`Encoder`] chooses the shortest form: the presence-map bit is clear and nothing is in the stream wherever the operator gives the
//! value; a delta of a string works on the end that saves more.

mod error;
mod integer;
mod structure;
mod text;

use formats::fast::MapWriter;

use crate::dictionary::Dictionary;
use crate::message::Message;
use crate::program::Program;
use crate::template::Templates;

pub use error::{EncodeError, EncodeFault};

/// An encoder of one stream.
#[derive(Clone, Debug)]
pub struct Encoder {
    program: Program,
    ids: Vec<Option<u32>>,
    dictionary: Dictionary,
    /// Every message has its template's identifier.
    identifies: bool,
    /// Presence maps that are not in use.
    maps: Vec<MapWriter>,
}

impl Encoder {
    /// An encoder with empty dictionaries.
    pub fn new(templates: &Templates) -> Self {
        let program = Program::new(templates);
        Encoder {
            ids: templates.all().iter().map(|template| template.id).collect(),
            dictionary: Dictionary::new(&program),
            identifies: false,
            program,
            maps: Vec::new(),
        }
    }

    /// One that writes the template's identifier into every message, after one of the same template too, as exchanges do.
    #[must_use]
    pub const fn with_identifiers(mut self) -> Self {
        self.identifies = true;
        self
    }

    /// Leaves the identifier of this template out at first and after each reset, as [`Decoder::assume_template`](crate::Decoder::assume_template) takes it.
    pub fn assume_template(&mut self, id: u32) {
        self.dictionary.assume_template(id);
    }

    /// Sets every dictionary entry undefined, the template identifier too (6.3.1).
    pub fn reset(&mut self) {
        self.dictionary.begin();
        self.dictionary.reset();
    }

    /// Appends a message.
    ///
    /// # Errors
    /// A value that the template cannot carry. `out` and the dictionary are as they were before.
    pub fn message(&mut self, message: &Message, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        let start = out.len();
        self.dictionary.begin();
        let result = self.put_message(message, out, 0, None);
        if result.is_err() {
            out.truncate(start);
            self.dictionary.undo();
        }
        result
    }
}
