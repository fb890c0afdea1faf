//! A peer for the core in user space: it answers ARP and ping, takes TCP connections, and passes their bytes to a real server and back.
//!
//! ```text
//!  core ─ Ethernet frames ─ smoltcp ─ bytes ─ TcpStream ─ server
//! ```
//! With it a core trades with a server on this machine without a TAP interface, a namespace or any privilege. The TCP on the core's side is
//! smoltcp's, which knows nothing of the core's.
#![forbid(unsafe_code)]

mod queue;

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use smoltcp::iface::{Config, Interface, SocketHandle, SocketSet};
use smoltcp::socket::tcp;
use smoltcp::time::Instant;
use smoltcp::wire::{EthernetAddress, HardwareAddress, IpAddress, IpCidr};

use queue::Queue;

/// Bytes that wait on either side.
const BUFFER: usize = 65_536;
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

/// The peer. One connection at a time.
pub struct Relay {
    settings: Settings,
    queue: Queue,
    interface: Interface,
    sockets: SocketSet<'static>,
    handle: SocketHandle,
    server: Option<TcpStream>,
    /// Bytes of the core that the server has not taken.
    pending: Vec<u8>,
    /// The server has said all it says.
    server_done: bool,
    told_done: bool,
    connections: u64,
}

impl Relay {
    /// A peer that listens, at this time in nanoseconds.
    pub fn new(settings: Settings, now: u64) -> Self {
        let mut queue = Queue::default();
        let mac = HardwareAddress::Ethernet(EthernetAddress(settings.mac));
        let mut interface = Interface::new(Config::new(mac), &mut queue, instant(now));
        interface.update_ip_addrs(|addresses| {
            // There is room for two at least.
            let _ = addresses.push(IpCidr::new(IpAddress::Ipv4(settings.ip), 24));
        });
        let mut sockets = SocketSet::new(Vec::new());
        let buffer = || tcp::SocketBuffer::new(vec![0; BUFFER]);
        let mut socket = tcp::Socket::new(buffer(), buffer());
        socket.set_nagle_enabled(false);
        let handle = sockets.add(socket);
        let mut relay = Relay {
            settings,
            queue,
            interface,
            sockets,
            handle,
            server: None,
            pending: Vec::new(),
            server_done: false,
            told_done: false,
            connections: 0,
        };
        relay.listen();
        relay
    }

    /// Takes a frame of the core, without FCS.
    pub fn receive(&mut self, frame: &[u8]) {
        self.queue.received.push_back(frame.to_vec());
    }

    /// The next frame for the core, without FCS and padding.
    pub fn transmit(&mut self) -> Option<Vec<u8>> {
        self.queue.sent.pop_front()
    }

    /// Connections that were passed on to the server so far.
    pub const fn connections(&self) -> u64 {
        self.connections
    }

    /// Does what can be done now: answers frames, moves bytes. Time is in nanoseconds and does not go back.
    ///
    /// # Errors
    /// None of the network: a server that cannot be reached, or goes, resets or ends the core's connection.
    pub fn poll(&mut self, now: u64) {
        let now = instant(now);
        self.interface.poll(now, &mut self.queue, &mut self.sockets);
        if self.pass().is_err() {
            self.socket().abort();
            self.server = None;
        }
        self.interface.poll(now, &mut self.queue, &mut self.sockets);
        if matches!(
            self.socket().state(),
            tcp::State::Closed | tcp::State::TimeWait
        ) {
            self.listen();
        }
    }

    fn socket(&mut self) -> &mut tcp::Socket<'static> {
        self.sockets.get_mut(self.handle)
    }

    fn listen(&mut self) {
        let port = self.settings.port;
        self.server = None;
        self.pending.clear();
        (self.server_done, self.told_done) = (false, false);
        let socket = self.socket();
        socket.abort();
        // Port 0 is refused: then nobody can connect, as whoever asked for it wants.
        let _ = socket.listen(port);
    }

    /// Moves bytes between the two connections.
    fn pass(&mut self) -> io::Result<()> {
        let socket = self.sockets.get_mut::<tcp::Socket<'_>>(self.handle);
        if self.server.is_none() {
            if !socket.is_active() || !socket.may_send() {
                return Ok(());
            }
            let server = TcpStream::connect_timeout(&self.settings.server, PATIENCE)?;
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
        if self.pending.is_empty() && !socket.may_recv() && !self.told_done {
            server.shutdown(Shutdown::Write)?;
            self.told_done = true;
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

fn instant(nanoseconds: u64) -> Instant {
    Instant::from_micros((nanoseconds / 1_000) as i64)
}
