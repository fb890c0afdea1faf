//! What passes between host and core besides the registers: the FIX session's bytes, the host's messages, what became of orders.

/// What became of an order, as the core reports it: `order_report_t` of `rtl/order/report_pkg.sv`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawReport {
    /// 0 sent, 1 dropped, 2 refused.
    pub what: u8,
    /// Why it was dropped or refused.
    pub reason: u8,
    /// The strategy's number of the order.
    pub client_id: u32,
    /// MsgSeqNum, four bits a digit; 0 if it was not sent.
    pub number: u64,
    /// When, in nanoseconds of the core's clock.
    pub time_ns: u64,
}

/// What became of a message of the host: `host_answer_e`, and the number it got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawAnswer {
    /// 0 sent; else why not.
    pub answer: u8,
    /// MsgSeqNum, four bits a digit; 0 if it was not numbered.
    pub number: u64,
}

/// The streams of a core. None of the calls waits.
pub trait Streams {
    /// Appends what the peer said since the last call.
    fn session_bytes(&mut self, into: &mut Vec<u8>);

    /// Appends what became of orders since the last call.
    fn reports(&mut self, into: &mut Vec<RawReport>);

    /// Begins to write a message; the one before must have been answered. `number_at`: the hardware numbers it, and puts the digits there.
    fn begin_message(&mut self, bytes: &[u8], number_at: Option<u16>);

    /// The answer to the last message; `None` as long as there is none.
    fn answer(&mut self) -> Option<RawAnswer>;
}

impl<S: Streams + ?Sized> Streams for &mut S {
    fn session_bytes(&mut self, into: &mut Vec<u8>) {
        (**self).session_bytes(into);
    }

    fn reports(&mut self, into: &mut Vec<RawReport>) {
        (**self).reports(into);
    }

    fn begin_message(&mut self, bytes: &[u8], number_at: Option<u16>) {
        (**self).begin_message(bytes, number_at);
    }

    fn answer(&mut self) -> Option<RawAnswer> {
        (**self).answer()
    }
}
