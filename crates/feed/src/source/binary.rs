//! BinaryFILE: ITCH messages with two-byte lengths.

use std::path::Path;

use formats::itch::{self, Version};

use super::window::Window;
use super::{Fault, Options, SourceError};
use crate::MessageSource;

/// How much of a file is read to distinguish 4.1 from 5.0.
const DETECTION: usize = 1 << 16;

/// A message of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// Where its length stands in the file, in bytes from the start.
    pub offset: u64,
    /// Nanoseconds since midnight. 4.1: the second of the last `T` and the message's nanoseconds.
    pub time: u64,
    /// The message, from its type on.
    pub message: &'a [u8],
}

/// Reads the messages of a BinaryFILE.
#[derive(Debug)]
pub struct MessageReader {
    window: Window,
    version: Version,
    lenient: bool,
    /// Second of the last `T`, in nanoseconds.
    second: u64,
    /// Of the last message that had one.
    time: u64,
    ended: bool,
    after_end: u64,
}

impl MessageReader {
    /// Opens a file that is known to be a BinaryFILE.
    ///
    /// # Errors
    /// It cannot be opened or read, or holds no ITCH messages.
    pub fn open(path: &Path, options: Options) -> Result<Self, SourceError> {
        Self::new(Window::open(path, options.notice)?, options)
    }

    pub(super) fn new(mut window: Window, options: Options) -> Result<Self, SourceError> {
        let version = match options.version {
            Some(version) => version,
            None => detect(&mut window)?,
        };
        Ok(Self {
            window,
            version,
            lenient: options.lenient,
            second: 0,
            time: 0,
            ended: false,
            after_end: 0,
        })
    }

    /// The version, given or detected.
    pub const fn version(&self) -> Version {
        self.version
    }

    /// Bytes read so far, and the file's length where it is known; of a compressed file as it is stored.
    pub fn position(&self) -> (u64, Option<u64>) {
        self.window.position()
    }

    /// Bytes after the end mark, once that is reached: they are not read.
    pub const fn after_end(&self) -> u64 {
        self.after_end
    }

    /// The next message; `None` at the file's end or at a length of 0, which ends the session (BinaryFILE 1.00).
    ///
    /// # Errors
    /// The file ends inside the message (unless [told](Options::notice)); the version does not have it (unless lenient).
    #[inline]
    pub fn next_message(&mut self) -> Result<Option<Record<'_>>, SourceError> {
        let found = match self.advance() {
            Ok(found) => found,
            Err(error) if self.window.ends_with(&error) => {
                self.ended = true;
                None
            }
            Err(error) => return Err(error),
        };
        Ok(found.map(|(offset, length)| Record {
            offset,
            time: self.time,
            message: self.window.behind(length),
        }))
    }

    /// Moves past the next message; returns where its length stands, and that.
    #[inline]
    fn advance(&mut self) -> Result<Option<(u64, usize)>, SourceError> {
        if self.ended || !self.window.goes_on()? {
            return Ok(None);
        }
        self.window.need("message length", 2)?;
        let offset = self.window.offset();
        let length = match *self.window.bytes() {
            [high, low, ..] => usize::from(u16::from_be_bytes([high, low])),
            _ => 0,
        };
        if length == 0 {
            self.end(offset)?;
            return Ok(None);
        }
        self.window.need("message with its length", 2 + length)?;
        let bytes = self.window.bytes();
        let message = &bytes[2..2 + length];
        match itch::length(self.version, message[0]) {
            Some(expected) if expected == length => self.note_time(),
            _ if self.lenient => {}
            expected => {
                let message_type = message[0];
                let error = match expected {
                    None => itch::Error::UnknownType(message_type),
                    Some(expected) => itch::Error::BadLength {
                        message_type,
                        expected,
                        found: length,
                    },
                };
                return Err(self.window.fault(error));
            }
        }
        self.window.consume(2 + length);
        Ok(Some((offset, length)))
    }

    /// The end mark is here.
    #[cold]
    fn end(&mut self, offset: u64) -> Result<(), SourceError> {
        self.ended = true;
        self.window.consume(2);
        self.after_end = self.window.rest()?;
        if self.after_end > 0 {
            let bytes = self.after_end;
            let error = self.window.fault_at(offset, Fault::AfterEnd { bytes });
            self.window.tell(&error);
        }
        Ok(())
    }

    /// The time of the message at hand, whose length is right.
    #[inline]
    fn note_time(&mut self) {
        match (self.version, &self.window.bytes()[2..]) {
            (Version::V50, [_, _, _, _, _, a, b, c, d, e, f, ..]) => {
                self.time = u64::from_be_bytes([0, 0, *a, *b, *c, *d, *e, *f]);
            }
            (Version::V41, [message_type, a, b, c, d, ..]) => {
                let value = u64::from(u32::from_be_bytes([*a, *b, *c, *d]));
                if *message_type == b'T' {
                    self.second = value * 1_000_000_000;
                    self.time = self.second;
                } else {
                    self.time = self.second + value;
                }
            }
            _ => {}
        }
    }
}

impl MessageSource for MessageReader {
    #[inline]
    fn next_message(&mut self) -> Result<Option<Record<'_>>, SourceError> {
        MessageReader::next_message(self)
    }

    fn position(&self) -> (u64, Option<u64>) {
        MessageReader::position(self)
    }

    fn fault(&self, offset: u64, fault: Fault) -> SourceError {
        self.window.fault_at(offset, fault)
    }
}

/// The version that has all messages of the file's beginning; 5.0 and 4.1 share types but never lengths.
fn detect(window: &mut Window) -> Result<Version, SourceError> {
    window.fill(DETECTION)?;
    if window.bytes().is_empty() {
        return Err(window.fault(Fault::Empty));
    }
    let known = |version| {
        let mut rest = &window.bytes()[..window.bytes().len().min(DETECTION)];
        let mut count = 0_u32;
        while let Some((length, body)) = rest.split_first_chunk::<2>() {
            let length = usize::from(u16::from_be_bytes(*length));
            if length == 0 || body.len() < length {
                break;
            }
            if itch::length(version, body[0]) != Some(length) {
                break;
            }
            count += 1;
            rest = &body[length..];
        }
        count
    };
    match (known(Version::V41), known(Version::V50)) {
        (0, 0) => Err(first_fault(window)),
        (old, new) if old > new => Ok(Version::V41),
        _ => Ok(Version::V50),
    }
}

/// Why not even one message can be read: the file ends inside a message that could be one, or it is something else.
fn first_fault(window: &Window) -> SourceError {
    let bytes = window.bytes();
    if let [high, low, message_type, ..] = *bytes {
        let length = usize::from(u16::from_be_bytes([high, low]));
        let plausible = [Version::V41, Version::V50]
            .iter()
            .any(|v| itch::length(*v, message_type) == Some(length));
        if plausible {
            let (needed, found) = (2 + length as u64, bytes.len() as u64);
            return window.fault(Fault::Truncated {
                what: "message with its length",
                needed,
                found,
            });
        }
    }
    window.unrecognized()
}
