//! SessionReason (373) and what a Reject says.

use formats::fix::Reason;
use thiserror::Error;

/// Why a message is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{reason}: tag {tag}")]
pub struct Refusal {
    /// RefTagID (371): may be negative, as the peer wrote it. 0 may be a tag it wrote, too.
    pub tag: i64,
    /// SessionReason (373).
    pub reason: Reason,
}

impl From<formats::fix::Refusal> for Refusal {
    fn from(refusal: formats::fix::Refusal) -> Self {
        Refusal::new(refusal.tag, refusal.reason)
    }
}

impl Refusal {
    pub(crate) fn new(tag: u32, reason: Reason) -> Self {
        Refusal {
            tag: i64::from(tag),
            reason,
        }
    }
}
