//! What happens in a session that host and hardware share.

use order::report::{Dropped, HostMessageError};
use order::{Number, Order};
use risk::Refusal;
use session::Cause;
use thiserror::Error;

use crate::driver;

/// Why a session with the hardware cannot go on.
#[derive(Debug, Error)]
pub enum Error<E> {
    /// The core.
    #[error(transparent)]
    Core(
        #[from]
        /// Why.
        driver::Error<E>,
    ),
    /// The session's store, or the session itself.
    #[error("the session ends: {0}")]
    Session(
        /// Why.
        Cause,
    ),
    /// The numbers of the session are not those of the hardware.
    #[error("MsgSeqNum {0} cannot be sent by the hardware: reset the session")]
    Number(
        /// The number.
        u64,
    ),
}

/// What the core did with an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It left.
    Sent {
        /// Its MsgSeqNum.
        number: Number,
        /// When TCP took it, by the core's clock, in nanoseconds.
        taken_ns: u64,
    },
    /// Risk refused it.
    Refused(
        /// Why; `None`: for a reason this driver does not know.
        Option<Refusal>,
    ),
    /// The order stage dropped it.
    Dropped(
        /// Why; `None`: for a reason this driver does not know.
        Option<Dropped>,
    ),
}

/// Who asked for an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The stop in this slot, which is free again.
    Stop(usize),
    /// The strategy that acts on the book. The order's price is not known here.
    Strategy,
    /// The host.
    Host,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// TCP is connected.
    Connected,
    /// Both sides have logged on: orders may leave.
    LoggedOn,
    /// A message of the application came: [`super::SharedSession::message`].
    Message {
        /// MsgSeqNum.
        sequence: u64,
    },
    /// Something became of an order.
    Order {
        /// Who asked for it; `None`: nobody that is known, as the order.
        origin: Option<Origin>,
        /// The order, if it is known.
        order: Option<Order>,
        /// What.
        outcome: Outcome,
    },
    /// A message of the host did not leave.
    NotSent(
        /// Why.
        HostMessageError,
    ),
    /// The connection is gone, or its end has begun.
    Disconnected(
        /// Why; `None`: TCP ended.
        Option<Cause>,
    ),
}
