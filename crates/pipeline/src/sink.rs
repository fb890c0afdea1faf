//! What leaves the pipeline, and who takes it.

use formats::fix::Timestamp;
use language::{Faults, Record};
use order::report::Dropped;
use order::{Number, Order};
use risk::Refusal;
use thiserror::Error;

/// Who asked for an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// A strategy, by its place.
    Strategy(usize),
    /// A stop, by its slot.
    Stop(usize),
}

/// An order that a strategy or a stop asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Who asked.
    pub origin: Origin,
    /// Number of the message that touched the instrument's book last, or that fired the stop.
    pub sequence: u64,
    /// The order.
    pub order: Order,
}

/// Takes what leaves the pipeline.
pub trait OrderSink {
    /// The number and the time of the order that leaves now.
    ///
    /// # Errors
    /// None can leave.
    fn next(&mut self) -> Result<(Number, Timestamp), Dropped>;

    /// An order leaves: its message has the number and the time that [`OrderSink::next`] gave.
    fn send(&mut self, decision: &Decision, number: Number, message: &[u8]);

    /// Risk refused an order.
    fn refused(&mut self, decision: &Decision, reason: Refusal);

    /// An order that risk passed could not leave. It counts no more for risk, but for the rate.
    fn dropped(&mut self, decision: &Decision, reason: Dropped);

    /// A strategy in the language tells something, at this time of the feed in nanoseconds.
    fn record(&mut self, strategy: usize, now: i64, record: &Record) {
        let _ = (strategy, now, record);
    }

    /// A strategy in the language ended: no handler of it runs any more. Its orders stay in the market.
    fn ended(&mut self, strategy: usize, why: EndReason) {
        let _ = (strategy, why);
    }
}

/// Takes no order: of a pipeline of which the books alone are wanted.
#[derive(Clone, Copy, Debug)]
pub struct NoOrders;

impl OrderSink for NoOrders {
    fn next(&mut self) -> Result<(Number, Timestamp), Dropped> {
        Err(Dropped::Session)
    }

    fn send(&mut self, _: &Decision, _: Number, _: &[u8]) {}

    fn refused(&mut self, _: &Decision, _: Refusal) {}

    fn dropped(&mut self, _: &Decision, _: Dropped) {}
}

/// Why a strategy in the language ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EndReason {
    /// A fault, where the desk says that one stops it.
    #[error(
        "a fault: {} divisions by zero, {} indexes of what is not there, {} intents too many", .0.division, .0.index, .0.intents
    )]
    Fault(Faults),
    /// It would never come to an end.
    #[error(
        "it answered refusals of its own orders with orders again and again: let on_order send less"
    )]
    Answers,
    /// The feed's time made a leap.
    #[error("its timer would run {missed} times in a row: give it a longer interval")]
    Timer {
        /// How often.
        missed: i64,
    },
}
