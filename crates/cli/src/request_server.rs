//! A MoldUDP64 request server that runs beside what is sent.

use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use feed::recovery::{History, Server, ServerCounters};
use feed::socket::Endpoint;

use crate::error::Error;

/// Bytes of messages to answer requests from.
const HISTORY: usize = 64 << 20;

/// What a request server counted, in words.
#[derive(Clone, Copy, Debug)]
pub struct Requests(pub ServerCounters);

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

/// A running request server.
pub struct RequestServer {
    history: Arc<Mutex<History>>,
    address: std::net::SocketAddr,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<io::Result<ServerCounters>>,
}

impl RequestServer {
    /// Answers requests that come to an endpoint.
    ///
    /// # Errors
    /// It cannot listen there.
    pub fn start(endpoint: Endpoint) -> Result<Self, Error> {
        let history = Arc::new(Mutex::new(History::new(HISTORY)));
        let stop = Arc::new(AtomicBool::new(false));
        let server = Server::open(&endpoint, Arc::clone(&history));
        let failed = |cause| live::Error::Socket {
            action: "listen",
            endpoint,
            cause,
        };
        let server = server.map_err(failed)?;
        let address = server.local_address().map_err(live::Error::Receive)?;
        let stopped = Arc::clone(&stop);
        let thread = std::thread::spawn(move || server.serve(&stopped));
        Ok(RequestServer {
            history,
            address,
            stop,
            thread,
        })
    }

    /// What it answers from: packets that are recorded there can be asked for.
    pub const fn history(&self) -> &Arc<Mutex<History>> {
        &self.history
    }

    /// Where it listens.
    pub const fn address(&self) -> std::net::SocketAddr {
        self.address
    }

    /// Ends it.
    ///
    /// # Errors
    /// Its socket failed.
    pub fn finish(self) -> Result<ServerCounters, Error> {
        self.stop.store(true, Ordering::Relaxed);
        let panicked = |_| Err(io::Error::other("the request server ended early"));
        let served = self.thread.join().unwrap_or_else(panicked);
        Ok(served.map_err(live::Error::Receive)?)
    }
}
