//! What software decides, for the core to be compared with.

use std::collections::VecDeque;

use formats::fix::Timestamp;
use language::Record;
use order::report::Dropped;
use order::{Number, Order};
use pipeline::{Decision, OrderSink};
use risk::Refusal;

use super::records::Records;

/// An order that software gives: it leaves, or risk refuses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    pub order: Order,
    pub refused: Option<Refusal>,
    /// The packet that it follows: its place among those given at once.
    pub packet: usize,
}

/// Takes the orders of the pipeline.
pub struct Sink {
    pub expected: VecDeque<Expected>,
    /// The packet that software gets now.
    pub packet: usize,
    /// Number of the next order that leaves.
    pub next: u64,
    pub records: Records,
}

impl Sink {
    fn expect(&mut self, decision: &Decision, refused: Option<Refusal>) {
        let order = decision.order;
        self.expected.push_back(Expected {
            order,
            refused,
            packet: self.packet,
        });
    }
}

impl OrderSink for Sink {
    fn next(&mut self) -> Result<(Number, Timestamp), Dropped> {
        // The core's time is known later: the messages are compared then.
        let number = Number::new(self.next).map_err(|_| Dropped::Number)?;
        Ok((number, Timestamp(0)))
    }

    fn send(&mut self, decision: &Decision, _: Number, _: &[u8]) {
        self.next += 1;
        self.expect(decision, None);
    }

    fn refused(&mut self, decision: &Decision, reason: Refusal) {
        self.expect(decision, Some(reason));
    }

    fn dropped(&mut self, decision: &Decision, _: Dropped) {
        self.expect(decision, None);
    }

    fn record(&mut self, _: usize, _: i64, record: &Record) {
        self.records.software.push_back(*record);
    }
}
