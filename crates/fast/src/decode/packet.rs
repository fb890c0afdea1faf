//! The decoder: packets in, callbacks out.

use formats::fast::Reader;

use super::Visitor;
use super::error::{Error, Reportable};
use super::run::Run;
use super::text::Scratch;
use crate::dictionary::Dictionary;
use crate::program::Program;
use crate::template::Templates;

/// What a decoder is to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Which reportable errors are errors.
    pub report: Reportable,
    /// Whether every packet begins with empty dictionaries.
    pub reset_each_packet: bool,
}

/// A decoder of one stream.
#[derive(Clone, Debug)]
pub struct Decoder {
    program: Program,
    dictionary: Dictionary,
    scratch: Scratch,
    settings: Settings,
}

impl Decoder {
    /// A decoder that reports every error and keeps its dictionary from packet to packet.
    pub fn new(templates: &Templates) -> Self {
        Self::with(templates, Settings::default())
    }

    /// A decoder with settings.
    pub fn with(templates: &Templates, settings: Settings) -> Self {
        let program = Program::new(templates);
        Decoder {
            dictionary: Dictionary::new(&program),
            program,
            scratch: Scratch::default(),
            settings,
        }
    }

    /// Takes messages to be of this template until the stream gives an identifier, at first and after each reset: for streams that name none, because
    /// all is of one template.
    pub fn assume_template(&mut self, id: u32) {
        self.dictionary.assume_template(id);
    }

    /// Sets every dictionary entry undefined, the template identifier too (6.3.1).
    pub fn reset(&mut self) {
        self.dictionary.begin();
        self.dictionary.reset();
    }

    /// Decodes a packet: messages back to back. Returns how many.
    ///
    /// # Errors
    /// The first error. The visitor may have been given messages before it: they are dropped too, and the dictionary is as it was before
    /// the packet.
    #[inline]
    pub fn packet<V: Visitor>(&mut self, bytes: &[u8], visitor: &mut V) -> Result<usize, Error> {
        self.begin_packet();
        let (mut at, mut messages) = (0, 0);
        while at < bytes.len() {
            at = self.message_at(bytes, at, visitor)?;
            messages += 1;
        }
        Ok(messages)
    }

    /// Decodes one message, which is a packet of its own. Returns its length, in bytes.
    ///
    /// # Errors
    /// As [`Decoder::packet`]; also [`Truncated`](super::ErrorCode::Truncated) if there are no bytes.
    #[inline]
    pub fn message<V: Visitor>(&mut self, bytes: &[u8], visitor: &mut V) -> Result<usize, Error> {
        self.begin_packet();
        self.message_at(bytes, 0, visitor)
    }

    /// Begins a packet whose messages are given one by one to [`Decoder::message_at`].
    #[inline]
    pub fn begin_packet(&mut self) {
        self.dictionary.begin();
        if self.settings.reset_each_packet {
            self.dictionary.reset();
        }
    }

    /// Decodes the message that begins at byte `at`. Returns where it ends.
    ///
    /// # Errors
    /// As [`Decoder::packet`]: the dictionary is as it was before the packet.
    #[inline]
    pub fn message_at<V: Visitor>(
        &mut self,
        bytes: &[u8],
        at: usize,
        visitor: &mut V,
    ) -> Result<usize, Error> {
        let mut run = Run {
            program: &self.program,
            dictionary: &mut self.dictionary,
            reader: Reader::starting_at(bytes, at),
            visitor,
            report: self.settings.report,
            scratch: &mut self.scratch,
            template: None,
            failed: None,
            depth: 0,
            free_entries: 0,
        };
        match run.message(None) {
            Ok(()) => {
                run.visitor.message_end();
                Ok(run.reader.position())
            }
            Err(code) => {
                let error = Error {
                    code,
                    offset: run.reader.position(),
                    template: run.template,
                    instruction: run.failed,
                };
                run.visitor.dropped(&error);
                self.dictionary.undo();
                Err(error)
            }
        }
    }
}
