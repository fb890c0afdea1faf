//! SessionRejectReason (373) and what a Reject says.

use thiserror::Error;
use wire::fix::Reason;

/// SessionRejectReason; its text is that of Text (58).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[repr(u8)]
pub enum RejectReason {
    /// 0: no field of the version has the tag, or it is no number.
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
    /// 14: a field of the header behind the first of the body, or one behind the trailer's first.
    #[error("Tag specified out of required order")]
    Order = 14,
    /// 15.
    #[error("Repeating group fields out of order")]
    GroupOrder = 15,
    /// 16.
    #[error("Incorrect NumInGroup count for repeating group")]
    Count = 16,
}

impl From<Reason> for RejectReason {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::InvalidTag => RejectReason::InvalidTag,
            Reason::Missing => RejectReason::Missing,
            Reason::Empty => RejectReason::Empty,
            Reason::Range => RejectReason::Range,
            Reason::Format => RejectReason::Format,
            Reason::Repeated => RejectReason::Repeated,
            Reason::Order => RejectReason::Order,
            Reason::Count => RejectReason::Count,
        }
    }
}

/// Why a message is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{reason}: tag {tag}")]
pub struct Refusal {
    /// RefTagID (371): may be negative, as the peer wrote it. 0 may be a tag it wrote, too.
    pub tag: i64,
    /// SessionRejectReason (373).
    pub reason: RejectReason,
}

impl From<wire::fix::Refusal> for Refusal {
    fn from(refusal: wire::fix::Refusal) -> Self {
        Refusal::new(refusal.tag, refusal.reason.into())
    }
}

impl Refusal {
    pub(crate) fn new(tag: u32, reason: RejectReason) -> Self {
        Refusal {
            tag: i64::from(tag),
            reason,
        }
    }
}
