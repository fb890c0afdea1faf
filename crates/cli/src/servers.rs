//! Servers that run beside what is sent: of packets that were lost (MoldUDP64), and of snapshots.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use feed::recovery::{self, History};
use feed::snapshot::{self, Board};
use feed::socket::Endpoint;

use crate::error::Error;

/// Bytes of messages to answer requests from.
const HISTORY: usize = 64 << 20;

/// A server on a thread: what it answers from, and what it counts.
pub struct Server<S, C> {
    source: Arc<S>,
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<io::Result<C>>,
}

/// Answers requests: packets that are recorded in its history can be asked for.
pub type RequestServer = Server<Mutex<History>, recovery::ServerCounters>;
/// Gives snapshots, which the publisher of the feed makes on its board.
pub type SnapshotServer = Server<Board, snapshot::ServerCounters>;

impl RequestServer {
    /// Answers requests that come to an endpoint.
    ///
    /// # Errors
    /// It cannot listen there.
    pub fn start(endpoint: Endpoint) -> Result<Self, Error> {
        let history = Arc::new(Mutex::new(History::new(HISTORY)));
        let server = recovery::Server::open(&endpoint, Arc::clone(&history));
        let server = server.map_err(|cause| live::Error::Socket {
            action: "listen",
            endpoint,
            cause,
        })?;
        Server::run(history, server.local_address(), |stop| server.serve(stop))
    }
}

impl SnapshotServer {
    /// Gives snapshots of this session to who connects to an address.
    ///
    /// # Errors
    /// It cannot listen there.
    pub fn start(address: SocketAddr, session: [u8; 10]) -> Result<Self, Error> {
        let board = Arc::new(Board::new(session));
        let server = snapshot::Server::open(address, Arc::clone(&board));
        let server = server.map_err(|cause| Error::Snapshots { address, cause })?;
        Server::run(board, server.local_address(), |stop| server.serve(stop))
    }
}

impl<S, C: Send + 'static> Server<S, C> {
    fn run(
        source: Arc<S>,
        address: io::Result<SocketAddr>,
        serve: impl FnOnce(&AtomicBool) -> io::Result<C> + Send + 'static,
    ) -> Result<Self, Error> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        Ok(Server {
            source,
            address: address.map_err(live::Error::Receive)?,
            stop,
            thread: std::thread::spawn(move || serve(&stopped)),
        })
    }

    /// What it answers from.
    pub const fn source(&self) -> &Arc<S> {
        &self.source
    }

    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends it.
    ///
    /// # Errors
    /// Its socket failed.
    pub fn finish(self) -> Result<C, Error> {
        self.stop.store(true, Ordering::Relaxed);
        let panicked = |_| Err(io::Error::other("the server ended early"));
        let served = self.thread.join().unwrap_or_else(panicked);
        Ok(served.map_err(live::Error::Receive)?)
    }
}

/// What a request server counted, in words.
#[derive(Clone, Copy, Debug)]
pub struct Requests(pub recovery::ServerCounters);

impl fmt::Display for Requests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let requests = &self.0;
        write!(f, "requests: {}", requests.request)?;
        for (count, what) in [
            (requests.answered, "answered"),
            (requests.malformed, "malformed"),
            (requests.other_session, "of another session"),
            (requests.unavailable, "for what is not there"),
            (requests.send_error, "refused by the socket"),
        ] {
            if count > 0 {
                write!(f, ", {count} {what}")?;
            }
        }
        Ok(())
    }
}

/// What a server of snapshots counted, in words.
#[derive(Clone, Copy, Debug)]
pub struct Snapshots(pub snapshot::ServerCounters);

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
