//! Messages from the exchange to clients.

use formats::fix::{
    Body, BusinessMessageReject, Encoder, ExecutionReport, Header, MarketDataIncrement,
    MarketDataRequestReject, MarketDataSnapshot, OrderCancelReject, OrderRefusal, TooSmall,
    Version,
};

/// A message to a client, without a header.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outgoing<'a> {
    /// What became of an order.
    Report(ExecutionReport<'a>),
    /// An order is refused for a value that no order here may have.
    Refusal(OrderRefusal<'a>),
    /// A cancel or replace request is refused.
    CancelReject(OrderCancelReject<'a>),
    /// A complete message is refused.
    BusinessReject(BusinessMessageReject<'a>),
    /// A request for prices is refused.
    RequestReject(MarketDataRequestReject<'a>),
    /// The prices of an instrument.
    Snapshot(MarketDataSnapshot<'a>),
    /// Changes of the prices.
    Increment(MarketDataIncrement<'a>),
}

impl Outgoing<'_> {
    /// MsgType (35).
    pub const fn msg_type(&self) -> &'static [u8] {
        match self {
            Outgoing::Report(_) => ExecutionReport::MSG_TYPE,
            Outgoing::Refusal(_) => OrderRefusal::MSG_TYPE,
            Outgoing::CancelReject(_) => OrderCancelReject::MSG_TYPE,
            Outgoing::BusinessReject(_) => BusinessMessageReject::MSG_TYPE,
            Outgoing::RequestReject(_) => MarketDataRequestReject::MSG_TYPE,
            Outgoing::Snapshot(_) => MarketDataSnapshot::MSG_TYPE,
            Outgoing::Increment(_) => MarketDataIncrement::MSG_TYPE,
        }
    }

    /// Appends the body.
    pub fn put(&self, encoder: &mut Encoder<'_>) {
        match self {
            Outgoing::Report(body) => body.put(encoder),
            Outgoing::Refusal(body) => body.put(encoder),
            Outgoing::CancelReject(body) => body.put(encoder),
            Outgoing::BusinessReject(body) => body.put(encoder),
            Outgoing::RequestReject(body) => body.put(encoder),
            Outgoing::Snapshot(body) => body.put(encoder),
            Outgoing::Increment(body) => body.put(encoder),
        }
    }

    /// Writes the complete message to the front of `buffer` and returns its length, in bytes.
    ///
    /// # Errors
    /// The buffer is too small.
    pub fn encode(
        &self,
        buffer: &mut [u8],
        version: Version,
        header: &Header<'_>,
    ) -> Result<usize, TooSmall> {
        let mut encoder = Encoder::new(buffer, version.begin_string(), self.msg_type());
        header.put(&mut encoder);
        self.put(&mut encoder);
        encoder.finish()
    }
}

/// Takes messages to clients, in the order they are to be sent.
pub trait Outbox {
    /// A message to a client, connected or not.
    fn send(&mut self, client: u32, message: &Outgoing<'_>);
}

/// Drops all messages.
impl Outbox for () {
    fn send(&mut self, _: u32, _: &Outgoing<'_>) {}
}

impl<F: FnMut(u32, &Outgoing<'_>)> Outbox for F {
    fn send(&mut self, client: u32, message: &Outgoing<'_>) {
        self(client, message);
    }
}
