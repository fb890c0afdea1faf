//! What leaves an arbiter, and who takes it.

/// One of the two outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Output {
    /// What is expected or later leaves at once; gaps stay.
    LowLatency,
    /// Early packets wait for those that are missing, within a window.
    HighReliability,
}

/// A packet that leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery<'a> {
    /// Where it leaves.
    pub output: Output,
    /// The line that brought it, from 0.
    pub line: usize,
    /// The UDP payload.
    pub payload: &'a [u8],
    /// The number of its first message.
    pub sequence: u64,
    /// Its messages; 0: a heartbeat or the end of the session.
    pub count: u32,
    /// Whether the session is over.
    pub end_of_session: bool,
}

/// What else is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Messages that do not leave on an output.
    Gap {
        /// The output.
        output: Output,
        /// The first of them.
        from: u64,
        /// The first after the gap.
        to: u64,
    },
    /// A new session has begun.
    SessionReset {
        /// What is expected now.
        expected: u64,
    },
    /// Nothing came on a line for the idle limit, good or bad. Reported once, until it sends again.
    LineSilent {
        /// The line, from 0.
        line: usize,
    },
}

/// Takes what leaves. A gap is reported before the packet after it.
pub trait Sink {
    /// A packet leaves.
    fn packet(&mut self, delivery: Delivery<'_>);
    /// Something happened.
    fn event(&mut self, event: Event);
}
