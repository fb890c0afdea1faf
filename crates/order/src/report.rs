//! Why the order stage does not send something: `dropped_e` and `host_answer_e` of `order_template_pkg`.

use thiserror::Error;

/// Why an order that risk had passed was dropped. The discriminants are those of `dropped_e`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[repr(u8)]
pub enum Dropped {
    /// No template for its instrument and form.
    #[error("no template")]
    Template = 0,
    /// The connection was lost.
    #[error("no connection")]
    Session = 2,
    /// MsgSeqNum was gone.
    #[error("no MsgSeqNum")]
    Number = 3,
    /// The valid time was gone.
    #[error("no time")]
    Time = 4,
}

impl Dropped {
    /// By its code.
    pub const fn from_bits(bits: u32) -> Option<Self> {
        Some(match bits {
            0 => Dropped::Template,
            2 => Dropped::Session,
            3 => Dropped::Number,
            4 => Dropped::Time,
            _ => return None,
        })
    }
}

/// Why a message of the host did not leave: `host_answer_e`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
pub enum HostMessageError {
    /// It is longer than 2,048 bytes.
    #[error("a message of more than 2,048 bytes")]
    TooLong,
    /// No zeros where the number goes, or not `10=000` and a separator at the end.
    #[error("a message without a place for its number or CheckSum")]
    Malformed,
    /// No connection.
    #[error("no connection")]
    NoSession,
}

impl HostMessageError {
    /// By the answer's code; 0 is no reason: the message left.
    pub const fn from_bits(bits: u32) -> Option<Self> {
        Some(match bits & 3 {
            0 => return None,
            1 => HostMessageError::TooLong,
            2 => HostMessageError::Malformed,
            _ => HostMessageError::NoSession,
        })
    }
}
