//! A peer for the core in user space: it answers ARP and ping, takes TCP connections, and passes their bytes to a real server and back.
//!
//! ```text
//!  core ─ Ethernet frames ─ smoltcp ─ bytes ─ TcpStream ─ server
//! ```
//! With it a core trades with a server on this machine without a TAP interface, a namespace or any privilege. The TCP on the core's side is
//! smoltcp's, which knows nothing of the core's. [`Peer`] is that side alone, for a program that is the server itself.
#![forbid(unsafe_code)]

mod peer;
mod queue;

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use smoltcp::socket::tcp;

pub use peer::Peer;

/// How long the server may take to accept.
const PATIENCE: Duration = Duration::from_secs(2);

/// Who the peer is, and where its connections go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Its MAC.
    pub mac: [u8; 6],
    /// Its address; the core's must be in the same /24.
    pub ip: Ipv4Addr,
    /// The TCP port it listens at.
    pub port: u16,
    /// The server.
    pub server: SocketAddr,
}

/// The peer, and the connection to the server. One connection at a time.
pub struct TcpPeer {
    server_address: SocketAddr,
    peer: Peer,
    server: Option<TcpStream>,
    /// Bytes from the core that the server has not taken.
    pending: Vec<u8>,
    /// The server has sent everything.
    server_done: bool,
    /// The end of the core's bytes was passed on to the server.
    core_done: bool,
    connections: u64,
}

impl TcpPeer {
    /// A peer that listens, at this time in nanoseconds.
    pub fn new(settings: Settings, now: u64) -> Self {
        TcpPeer {
            server_address: settings.server,
            peer: Peer::new(settings.mac, settings.ip, settings.port, now),
            server: None,
            pending: Vec::new(),
            server_done: false,
            core_done: false,
            connections: 0,
        }
    }

    /// Takes a frame of the core, without FCS.
    pub fn receive(&mut self, frame: &[u8]) {
        self.peer.receive(frame);
    }

    /// The next frame for the core, without FCS and padding.
    pub fn transmit(&mut self) -> Option<Vec<u8>> {
        self.peer.transmit()
    }

    /// Connections that were passed on to the server so far.
    pub const fn connections(&self) -> u64 {
        self.connections
    }

    /// Does what can be done now: answers frames, moves bytes. Time is in nanoseconds and does not go back. If the server cannot be reached, or is
    /// lost, the core's connection is reset or ended.
    pub fn poll(&mut self, now: u64) {
        self.peer.work(now);
        if self.pass().is_err() {
            self.peer.socket().abort();
            self.server = None;
        }
        self.peer.work(now);
        if self.peer.listen_again() {
            self.server = None;
            self.pending.clear();
            (self.server_done, self.core_done) = (false, false);
        }
    }

    /// Moves bytes between the two connections.
    fn pass(&mut self) -> io::Result<()> {
        let socket: &mut tcp::Socket<'_> = self.peer.socket();
        if self.server.is_none() {
            if !socket.is_active() || !socket.may_send() {
                return Ok(());
            }
            let server = TcpStream::connect_timeout(&self.server_address, PATIENCE)?;
            server.set_nodelay(true)?;
            server.set_nonblocking(true)?;
            self.server = Some(server);
            self.connections += 1;
        }
        let Some(server) = &mut self.server else {
            return Ok(());
        };
        loop {
            if self.pending.is_empty() && socket.can_recv() {
                let taken = socket.recv(|bytes| (bytes.len(), bytes.to_vec()));
                self.pending = taken.map_err(io::Error::other)?;
            }
            if self.pending.is_empty() {
                break;
            }
            match server.write(&self.pending) {
                Ok(written) => drop(self.pending.drain(..written)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        if self.pending.is_empty() && !socket.may_recv() && !self.core_done {
            server.shutdown(Shutdown::Write)?;
            self.core_done = true;
        }
        let mut bytes = [0; 4096];
        while !self.server_done {
            let room = socket.send_capacity() - socket.send_queue();
            if room == 0 || !socket.may_send() {
                break;
            }
            let most = room.min(bytes.len());
            match server.read(&mut bytes[..most]) {
                Ok(0) => {
                    self.server_done = true;
                    socket.close();
                }
                Ok(read) => {
                    socket
                        .send_slice(&bytes[..read])
                        .map_err(io::Error::other)?;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
