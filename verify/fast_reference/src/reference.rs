//! The reference decoder: FAST 1.1 as the specification tells it, plainly, and slowly.
//!
//! The template XML becomes a tree, and the tree is walked for every message; previous values stand in one hash map, under
//! the dictionary and the key that the specification says. There is no compiled form, and nothing is shared with the decoders
//! that are held against it.
//!
//! ```
//! use fast_reference::Value;
//! use fast_reference::reference::Decoder;
//!
//! let xml = r#"<templates xmlns="http://www.fixprotocol.org/ns/fast/td/1.1">
//!     <template name="Trade" id="1">
//!         <uInt32 name="Quantity"><copy/></uInt32>
//!         <string name="Symbol" presence="optional"/>
//!     </template>
//! </templates>"#;
//! let mut decoder = Decoder::new(xml)?;
//!
//! // Presence map (identifier and quantity are there), identifier 1, quantity 5, "ABC"; then both are those before, no symbol.
//! let messages = decoder.packet(&[0xe0, 0x81, 0x85, 0x41, 0x42, 0xc3, 0x80, 0x80]);
//! let second = messages[1].as_ref().unwrap();
//! assert_eq!(second.field("Quantity"), Some(&Value::Unsigned(5)));
//! assert_eq!(second.field("Symbol"), Some(&Value::Absent));
//! # Ok::<(), fast_reference::reference::TemplateError>(())
//! ```
//!
//! # Where the specification leaves a choice
//!
//! - **Reset** (6.3.1 says nothing of how it is signalled): [`Decoder::reset`], the policy [`Reset`], and a template with the
//!   attribute `reset` (in no namespace or any; `yes`, `Y`, `true` or `T`). Such a template resets when its message starts,
//!   after its identifier and before its fields; the identifier is undefined then as all else is, so that the next message
//!   has to carry one. Where a reference leads to such a template nothing is reset.
//! - **Type of an entry** (D4): the type that was last assigned, or made empty. An undefined entry has none. The exponent of a
//!   decimal in two parts is an int32, its mantissa an int64, a length a uInt32.
//! - **The tail operator** raises D6 and D7 where copy raises D5 and D6: section 6.3.8 says so, appendix 4 does not.
//! - **The first template identifier** of a stream is D5 if it is left out: it is a copy operator without initial value.
//! - **Application type**: that of the nearest `typeRef` around the instruction. A referenced template without one keeps the
//!   type of where it is referenced. A sequence's own `typeRef` applies to its length too.
//! - **A decimal with one operator or none** raises R1 for an exponent outside -63 to 63 and for a mantissa that does not fit
//!   an int64. In a decimal with two operators the parts are integers of their types first (D2, R4), then R1 for the exponent.
//! - **A Unicode string** that is not UTF-8 is R2 whatever its operator.
//! - **R8** is a bit that is set and that no instruction used. Zeros to the end of the byte are none; whole bytes of zeros are R7.
//! - **An integer without a stop bit** is read until the bytes end, and is truncated, not D2.
//! - **A cycle of static references** is refused with the template; an unknown name in one is D8 when it is reached.
//! - `int8`, `uInt8`, `int16` and `uInt16` are taken as fields too; section 8.1.1 speaks of them, the schema does not.
//! - Attributes that the schema does not know are passed over (exchanges use them); elements that it does not know are S1.

mod decode;
mod dictionary;
mod error;
mod initial;
mod input;
mod operators;
mod references;
mod template;
mod xml;

pub use error::{Code, Error, StaticCode, TemplateError};

use crate::Message;
use decode::Walk;
use dictionary::Dictionaries;
use input::Input;
use template::Templates;

/// How many groups, sequences and references may be inside each other.
pub const NESTING: usize = 64;

/// How many instructions one packet may decode to; 16 bytes of text count as one.
pub const WORK: usize = 250_000;

/// Whether the errors are signalled that a decoder may keep to itself (section 4), as far as it can: R6 to R9.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reportable {
    /// They are errors, as the specification advises for tests.
    #[default]
    Signal,
    /// They are not: an overlong integer, string or presence map means what it would mean without the excess.
    Ignore,
}

/// When all dictionaries are reset, besides [`Decoder::reset`] and templates that say so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reset {
    /// Never.
    #[default]
    Never,
    /// Before each packet (or block).
    EachPacket,
    /// Before each message.
    EachMessage,
}

/// What the dictionaries are after an error. The rest of a packet with an error is not decoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AfterError {
    /// What they were before the packet, as if it had never come.
    #[default]
    Restore,
    /// Reset.
    Reset,
}

/// What the specification leaves to those who use it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Which errors are signalled.
    pub reportable: Reportable,
    /// When the dictionaries are reset.
    pub reset: Reset,
    /// What the dictionaries are after an error.
    pub after_error: AfterError,
}

/// Templates, and the dictionaries of one stream of messages.
#[derive(Clone, Debug)]
pub struct Decoder {
    templates: Templates,
    dictionaries: Dictionaries,
    options: Options,
}

impl Decoder {
    /// A decoder for the templates of this XML: one `<templates>` or one `<template>`, with the default [`Options`].
    ///
    /// # Errors
    /// The first static error, with its place (section 4).
    pub fn new(xml: &str) -> Result<Self, TemplateError> {
        Self::with_options(xml, Options::default())
    }

    /// [`Decoder::new`] with a choice of options.
    ///
    /// # Errors
    /// The first static error, with its place (section 4).
    pub fn with_options(xml: &str, options: Options) -> Result<Self, TemplateError> {
        Ok(Decoder {
            templates: xml::read(xml)?,
            dictionaries: Dictionaries::default(),
            options,
        })
    }

    /// How many templates there are.
    pub fn templates(&self) -> usize {
        self.templates.list.len()
    }

    /// Makes every entry of every dictionary undefined (section 6.3.1), the template identifier too.
    pub fn reset(&mut self) {
        self.dictionaries.reset();
    }

    /// Decodes one message after the other until the bytes end. An error is the last result: where the next message would
    /// start is not known. No bytes are no messages.
    pub fn packet(&mut self, bytes: &[u8]) -> Vec<Result<Message, Error>> {
        let mut results = Vec::new();
        let done = self.undone_by_error(bytes, |walk| {
            while !walk.is_at_end() {
                results.push(Ok(walk.message()?));
            }
            Ok(())
        });
        results.extend(done.err().map(Err));
        results
    }

    /// Decodes the one message at the start of the bytes; also gives its length in bytes. For streams that mark no ends.
    ///
    /// # Errors
    /// What is wrong with the message, and where. Nothing of it stays in the dictionaries, but see [`AfterError`].
    pub fn message(&mut self, bytes: &[u8]) -> Result<(Message, usize), Error> {
        self.undone_by_error(bytes, |walk| Ok((walk.message()?, walk.offset())))
    }

    /// Decodes a stream of blocks: sizes in bytes, each with its messages (section 10). An error is the last result.
    pub fn blocks(&mut self, bytes: &[u8]) -> Vec<Result<Message, Error>> {
        let mut results = Vec::new();
        let mut input = Input::new(bytes, self.options.reportable);
        while !input.is_at_end() {
            let offset = input.offset();
            let block = input.block_size().and_then(|size| match size {
                0 => Err(Code::D12),
                _ => usize::try_from(size)
                    .ok()
                    .and_then(|size| input.take(size))
                    .ok_or(Code::Truncated),
            });
            let (start, messages) = match block {
                Ok(block) => (input.offset() - block.len(), self.packet(block)),
                Err(code) => (offset, vec![Err(Error { code, offset: 0 })]),
            };
            let is_bad = messages.last().is_some_and(Result::is_err);
            results.extend(messages.into_iter().map(|message| {
                message.map_err(|error| Error {
                    offset: start + error.offset,
                    ..error
                })
            }));
            if is_bad {
                break;
            }
        }
        results
    }

    /// Lets `walk` decode, and undoes what it did to the dictionaries if it fails.
    fn undone_by_error<T>(
        &mut self,
        bytes: &[u8],
        walk: impl FnOnce(&mut Walk) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let before = self.dictionaries.clone();
        if self.options.reset == Reset::EachPacket {
            self.dictionaries.reset();
        }
        let result = walk(&mut Walk::new(
            &self.templates,
            &mut self.dictionaries,
            bytes,
            self.options,
        ));
        if result.is_err() {
            self.dictionaries = match self.options.after_error {
                AfterError::Restore => before,
                AfterError::Reset => Dictionaries::default(),
            };
        }
        result
    }
}
