//! A server of snapshots that runs beside a feed.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use feed::snapshot::{Board, Server, ServerCounters};

use crate::error::Error;

/// What a server of snapshots counted, in words.
#[derive(Clone, Copy, Debug)]
pub struct Snapshots(pub ServerCounters);

impl fmt::Display for Snapshots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counters = &self.0;
        write!(f, "snapshots: {} connections", counters.connections)?;
        for (count, what) in [
            (counters.sent, "sent"),
            (counters.too_many, "too many at a time"),
            (counters.rejected, "logins refused"),
            (counters.no_login, "without a login"),
            (counters.broken_off, "broken off or too slow"),
        ] {
            if count > 0 {
                write!(f, ", {count} {what}")?;
            }
        }
        Ok(())
    }
}

/// A running server of snapshots.
pub struct SnapshotServer {
    board: Arc<Board>,
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<io::Result<ServerCounters>>,
}

impl SnapshotServer {
    /// Gives snapshots of this session to who connects to an address.
    ///
    /// # Errors
    /// It cannot listen there.
    pub fn start(address: SocketAddr, session: [u8; 10]) -> Result<Self, Error> {
        let board = Arc::new(Board::new(session));
        let stop = Arc::new(AtomicBool::new(false));
        let server = Server::open(address, Arc::clone(&board));
        let server = server.map_err(|cause| Error::Snapshots { address, cause })?;
        let address = server.local_address().map_err(live::Error::Receive)?;
        let stopped = Arc::clone(&stop);
        let thread = std::thread::spawn(move || server.serve(&stopped));
        Ok(SnapshotServer {
            board,
            address,
            stop,
            thread,
        })
    }

    /// Where the publisher of the feed makes them.
    pub const fn board(&self) -> &Arc<Board> {
        &self.board
    }

    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends it.
    ///
    /// # Errors
    /// The system could not wait for connections.
    pub fn finish(self) -> Result<ServerCounters, Error> {
        self.stop.store(true, Ordering::Relaxed);
        let panicked = |_| Err(io::Error::other("the server of snapshots ended early"));
        let served = self.thread.join().unwrap_or_else(panicked);
        Ok(served.map_err(live::Error::Receive)?)
    }
}
