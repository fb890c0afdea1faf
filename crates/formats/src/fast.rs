//! The transfer encoding of FAST 1.1 (section 10): stop-bit entities, integers, strings, byte vectors and presence maps, read and written.
//!
//! Bytes only: templates, operators and dictionaries are in crate `fast`.
//!
//! | element | read | write |
//! |---|---|---|
//! | presence map (10.5) | [`Reader::presence_map`] | [`MapWriter`] |
//! | unsigned integer (10.6.1.2) | [`Reader::unsigned`], [`Reader::nullable_unsigned`] | [`put_unsigned`], [`put_nullable_unsigned`] |
//! | signed integer (10.6.1.1) | [`Reader::signed`], [`Reader::nullable_signed`] | [`put_signed`], [`put_nullable_signed`] |
//! | integer delta of up to 70 bits (10.7.1) | [`Reader::signed_wide`], nullable too | [`put_signed_wide`], nullable too |
//! | ASCII string (10.6.3) | [`Reader::ascii`], [`Reader::nullable_ascii`] | [`put_ascii`], [`put_nullable_ascii`] |
//! | byte vector, Unicode (10.6.4, 10.6.5) | [`Reader::vector`], [`Reader::nullable_vector`] | [`put_vector`], [`put_nullable_vector`] |
//!
//! An encoding that is longer than need be is read all the same and noted in [`Reader::overlong`]: whether that is an error (R6, R7, R9 of
//! the specification) is up to the decoder.
//!
//! ```
//! use formats::fast::{Reader, put_signed};
//!
//! let mut reader = Reader::new(&[0x39, 0x45, 0xa3]);
//! assert_eq!(reader.signed(), Ok(942_755));
//! let mut bytes = Vec::new();
//! put_signed(&mut bytes, 942_755);
//! assert_eq!(bytes, [0x39, 0x45, 0xa3]);
//! ```

mod map;
mod quick;
mod reader;
mod text;
mod write;

use thiserror::Error;

pub use map::{MapWriter, PresenceMap};
pub use quick::{Longest, quick_ascii, quick_long_signed, quick_signed, quick_unsigned};
pub use reader::Reader;
pub use text::Ascii;
pub use write::{
    put_ascii, put_nullable_ascii, put_nullable_signed, put_nullable_signed_wide,
    put_nullable_unsigned, put_nullable_vector, put_signed, put_signed_wide, put_unsigned,
    put_vector,
};

/// The stop bit: set in the last byte of an entity.
pub const STOP: u8 = 0x80;
/// The seven data bits of a byte.
pub const DATA: u8 = 0x7f;

/// Why bytes are not what was to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// The bytes end inside the entity.
    #[error("the bytes end inside a field")]
    Truncated,
    /// An integer of more bits than its type holds (D2 of the specification).
    #[error("the integer is too large for its type")]
    TooLarge,
}

/// Which encodings were longer than need be, since the reader was made or the flags were taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overlong {
    /// An integer (R6).
    pub integer: bool,
    /// A presence map (R7).
    pub map: bool,
    /// A string (R9).
    pub string: bool,
}
