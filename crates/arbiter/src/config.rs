//! What an arbiter is built for, and the window that may change while it runs.

use thiserror::Error;

use crate::protocol::{Protocol, ProtocolError};

/// What ends the wait for a missing packet on the high-reliability output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A stored packet has waited for the time window.
    Time,
    /// So many messages are stored.
    Count,
    /// Either.
    TimeAndCount,
}

/// How long the high-reliability output waits for what is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Which of the two limits hold.
    pub mode: Mode,
    /// The time window, in nanoseconds.
    pub time: u64,
    /// The count window, in stored messages.
    pub count: u64,
}

impl Default for Window {
    /// A millisecond, or a thousand messages.
    fn default() -> Self {
        Self {
            mode: Mode::TimeAndCount,
            time: 1_000_000,
            count: 1_000,
        }
    }
}

/// What an arbiter is built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// The feed's protocol.
    pub protocol: Protocol,
    /// Lines; 2 in hardware.
    pub lines: usize,
    /// Packets of a line that may be stored; a line with so many has no room for another. Hardware for N packets stores N / 2 − 1 of a line:
    /// there the one being received takes a place too.
    pub slots_per_line: usize,
    /// The window to begin with.
    pub window: Window,
    /// How long a line is silent before [`Event::LineSilent`](crate::Event::LineSilent), and all lines before the store is flushed, in nanoseconds;
    /// 0: never.
    pub idle_limit: u64,
    /// How long after a session reset numbers of the old session are stale, in nanoseconds.
    pub hold: u64,
}

impl Config {
    /// Two lines, eight packets, the default window, a second of idle limit and of hold.
    pub fn new(protocol: Protocol) -> Self {
        Self {
            protocol,
            lines: 2,
            slots_per_line: 4,
            window: Window::default(),
            idle_limit: 1_000_000_000,
            hold: 1_000_000_000,
        }
    }
}

/// Why an arbiter cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ConfigError {
    /// The protocol.
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
    /// No lines, or no room to store a packet.
    #[error("an arbiter needs a line and a slot at least")]
    Empty,
}
