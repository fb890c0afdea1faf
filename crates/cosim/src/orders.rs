//! A core that trades beside the same desk in software: every order, byte for byte, and every record compared.
//!
//! ```text
//!  packets ─┬─ line A ─ core: book, strategies, risk, order ─ session ─ TCP peer ─┐
//!           └─ pipeline: the same in software ────────────────────────────────────┴─ equal?
//! ```

mod fast_feed;
mod left;
pub mod testbench;
mod trader;

use std::fmt;

pub use fast_feed::FastFeed;
pub use left::{SentOrder, Stages, orders_left};
pub use testbench::Start;
pub use trader::{
    Arbitrated, Burst, Desk, DeskInstrument, FOLLOWED, LineCopy, Market, Program, ReportDetails,
    RingLine, TickToTrade, Trader,
};

use crate::core::AxiError;
use crate::lockstep::SetupError;
use crate::models::ModelError;

/// A message of the core must be software's, byte for byte.
///
/// # Errors
/// It is not.
pub fn same_message<E: fmt::Display>(
    hardware: &[u8],
    software: Result<Vec<u8>, E>,
) -> Result<(), Problem> {
    let software = software.map_err(|error| Problem::Testbench(error.to_string()))?;
    if hardware == software {
        return Ok(());
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace('\x01', "|");
    Err(Problem::Bytes {
        hardware: text(hardware),
        software: text(&software),
    })
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The testbench, not the core.
    #[error("the testbench cannot go on: {0}")]
    Testbench(String),
    /// A setup that is refused.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The model of a strategy.
    #[error(transparent)]
    Strategy(#[from] ModelError),
    /// The core's registers.
    #[error(transparent)]
    Core(#[from] device::Error<AxiError>),
    /// A frame with a wrong FCS, or none at all.
    #[error("malformed frame sent by the core in cycle {0}")]
    Malformed(u64),
    /// The core does not stop.
    #[error("the core does not stop sending")]
    Endless,
    /// A message of the host was not sent.
    #[error("a message of the host was not sent: {0}")]
    HostMessage(String),
    /// A message that ought to have left.
    #[error("no message where one is due on the session: {0:?}")]
    NoMessage(String),
    /// A message with another number than the next one.
    #[error("MsgSeqNum {found} on the session, {due} is due")]
    Number {
        /// On the session.
        found: u64,
        /// The next one.
        due: u64,
    },
    /// A message with other bytes.
    #[error("bytes differ:\nhardware {hardware}\nsoftware {software}")]
    Bytes {
        /// As the core sent it.
        hardware: String,
        /// As it ought to be.
        software: String,
    },
    /// A report that cannot be.
    #[error("a report that cannot be: {0}")]
    Report(String),
    /// No order of events explains what the core reported.
    #[error("orders differ:\nhardware {hardware}\nsoftware {software}")]
    Orders {
        /// What the core reported.
        hardware: String,
        /// What the twin gives.
        software: String,
    },
    /// A strategy emitted other records than in software.
    #[error("records differ:\nhardware {hardware}\nsoftware {software}")]
    Records {
        /// What the core's ring has.
        hardware: String,
        /// What software gives.
        software: String,
    },
    /// A register shows another state.
    #[error("{what}: hardware {hardware}, software {software}")]
    State {
        /// What differs.
        what: &'static str,
        /// In the core.
        hardware: String,
        /// In the twin.
        software: String,
    },
}
