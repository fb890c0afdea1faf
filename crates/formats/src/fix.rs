//! FIX 4.2 and 4.4, tag=value: framing, fields, typed messages, and an encoder into the caller's buffer. No I/O, no allocation.
//!
//! | step | with |
//! |---|---|
//! | bytes of a stream to a message, BodyLength and CheckSum verified | [`frame()`] |
//! | a message to its fields, one after the other or by tag | [`Message::fields`], [`Index`] |
//! | a message to a struct | [`Message::header`] and [`Body::parse`], or both at once: [`Message::read`] |
//! | a struct to a message | [`encode()`]; field by field: [`Encoder`] |
//!
//! ```
//! use formats::fix::{self, Body, Frame, Header, Heartbeat, Version};
//!
//! let header = Header { sender: b"TW", target: b"ISLD", sequence: 2, ..Header::default() };
//! let mut buffer = [0; 256];
//! let length = fix::encode(&mut buffer, Version::Fix44, &header, &Heartbeat { test_request_id: Some(b"PING") }).unwrap();
//! let Frame::Message(message) = fix::frame(&buffer[..length], fix::LONGEST_BODY) else { panic!() };
//! assert_eq!(message.msg_type(), Heartbeat::MSG_TYPE);
//! let (read, heartbeat) = message.read::<Heartbeat>().unwrap();
//! assert_eq!((read.sequence, heartbeat.test_request_id), (2, Some(&b"PING"[..])));
//! ```
//!
//! Sources: FIX 4.4 with errata 20030618, volumes 1 (fields and data types), 2 (session), 3 and 4 (messages); FIX 4.2 (2000).

mod define;
mod encoder;
mod field;
mod frame;
mod group;
mod index;
mod market_data;
mod orders;
mod session;
mod timestamp;
mod value;

use thiserror::Error;

pub use encoder::{Encoder, SLACK, TooSmall};
pub use field::{Field, Fields, MalformedField, Text};
pub use frame::{Cause, Frame, LONGEST_BODY, Message, checksum, frame};
pub use group::{Group, GroupIter, Member};
pub use index::{Entry, Index, TooManyFields};
pub use market_data::*;
pub use orders::*;
pub use session::*;
pub use timestamp::Timestamp;
pub use value::{Decimal, Value};

/// What separates fields: SOH.
pub const SOH: u8 = 1;

/// The versions spoken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Version {
    /// FIX 4.2.
    Fix42,
    /// FIX 4.4.
    #[default]
    Fix44,
}

impl Version {
    /// The value of BeginString (8).
    pub const fn begin_string(self) -> &'static [u8; 7] {
        match self {
            Version::Fix42 => b"FIX.4.2",
            Version::Fix44 => b"FIX.4.4",
        }
    }

    /// The version of a BeginString, if it is spoken here.
    pub fn from_begin_string(value: &[u8]) -> Option<Self> {
        [Version::Fix42, Version::Fix44]
            .into_iter()
            .find(|version| version.begin_string() == value)
    }
}

/// SessionRejectReason (373); its text is that of Text (58). A codec reports some, a session the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[repr(u8)]
pub enum Reason {
    /// 0: a field has no tag, one that is no number, or one unknown to the version.
    #[error("Invalid tag number")]
    InvalidTag = 0,
    /// 1.
    #[error("Required tag missing")]
    Missing = 1,
    /// 2.
    #[error("Tag not defined for this message type")]
    NotDefined = 2,
    /// 4.
    #[error("Tag specified without a value")]
    Empty = 4,
    /// 5: well formed, but not one of the values the field may have.
    #[error("Value is incorrect (out of range) for this tag")]
    Range = 5,
    /// 6.
    #[error("Incorrect data format for value")]
    Format = 6,
    /// 9.
    #[error("CompID problem")]
    CompId = 9,
    /// 10.
    #[error("SendingTime accuracy problem")]
    SendingTime = 10,
    /// 11.
    #[error("Invalid MsgType")]
    MsgType = 11,
    /// 13.
    #[error("Tag appears more than once")]
    Repeated = 13,
    /// 14: a field of the header after the first of the body, or one after the trailer's first.
    #[error("Tag specified out of required order")]
    Order = 14,
    /// 15.
    #[error("Repeating group fields out of order")]
    GroupOrder = 15,
    /// 16.
    #[error("Incorrect NumInGroup count for repeating group")]
    Count = 16,
}

/// Why a message that is not garbled is no message of its type: what a session-level Reject says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{reason}: tag {tag}")]
pub struct Refusal {
    /// RefTagID (371).
    pub tag: u32,
    /// SessionRejectReason (373); its text is that of Text (58).
    pub reason: Reason,
}

/// A message after its header: a struct with a member a field.
pub trait Body<'a>: Default {
    /// MsgType (35).
    const MSG_TYPE: &'static [u8];

    /// Reads what follows the header into a default. Fields the struct does not have are skipped.
    ///
    /// # Errors
    /// The first field that is wrong, or a required one that is missing.
    fn fill(&mut self, fields: Fields<'a>) -> Result<(), Refusal>;

    /// Reads what follows the header.
    ///
    /// # Errors
    /// As [`Body::fill`].
    fn parse(fields: Fields<'a>) -> Result<Self, Refusal> {
        let mut read = Self::default();
        read.fill(fields)?;
        Ok(read)
    }

    /// Appends every member that is there, in the order of the struct.
    fn put(&self, encoder: &mut Encoder<'_>);
}

/// Writes a message to the front of `buffer`, which must be [`SLACK`] longer, and returns its length, in bytes.
///
/// # Errors
/// The buffer is too small; what it holds then is no message.
#[inline]
pub fn encode<'a, B: Body<'a>>(
    buffer: &mut [u8],
    version: Version,
    header: &Header<'_>,
    body: &B,
) -> Result<usize, TooSmall> {
    let mut encoder = Encoder::new(buffer, version.begin_string(), B::MSG_TYPE);
    header.put(&mut encoder);
    body.put(&mut encoder);
    encoder.finish()
}
