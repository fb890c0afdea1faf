//! Limits of an acceptor, and what it counts.

use std::time::Duration;

/// Limits of an acceptor.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Connections at once, logged on or not.
    pub most_connections: usize,
    /// How long a connection may take to send its Logon.
    pub logon_timeout: Duration,
    /// Bytes that may wait for a peer that does not read; one with more is disconnected.
    pub most_unsent: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            most_connections: 64,
            logon_timeout: Duration::from_secs(10),
            most_unsent: 16 * 1024 * 1024,
        }
    }
}

/// What an acceptor counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Connections accepted.
    pub connections: u64,
    /// Connections beyond the limit: each ended another that had not logged on, or was ended itself.
    pub too_many: u64,
    /// Connections that began with something else than a Logon, or with none in time.
    pub not_logon: u64,
    /// Logons of names that have no session here.
    pub unknown: u64,
    /// Logons of a session that is connected already.
    pub already_connected: u64,
    /// Peers disconnected because they did not read.
    pub slow: u64,
}
