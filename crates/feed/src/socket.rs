//! Kernel UDP sockets: unicast and multicast, blocking and busy-poll.

use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, UdpSocket};
use std::os::fd::AsFd;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use socket2::{Domain, Protocol, Socket, Type};

/// The largest UDP payload over IPv4: 65,535 − 20 − 8.
pub const MAX_PAYLOAD: usize = 65_507;

/// How long a blocking receiver sleeps before it polls its stop flag again.
const STOP_INTERVAL: Duration = Duration::from_millis(100);

/// What is asked of the kernel as receive buffer, in bytes; the kernel caps it at `net.core.rmem_max`.
pub const DEFAULT_RECEIVE_BUFFER: usize = 8 << 20;

/// An address or multicast group, a port, and the interface to use: `ADDR:PORT[@INTERFACE_ADDR]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// The unicast address or multicast group, and the port.
    pub address: SocketAddrV4,
    /// The IPv4 address of the interface; `None` leaves the choice to the routing table.
    pub interface: Option<Ipv4Addr>,
}

/// Why a text is not an [`Endpoint`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// The part before `@` is not an IPv4 address and a port.
    #[error("'{0}' is not ADDR:PORT; write it like 239.1.1.1:26400 or 127.0.0.1:26400")]
    Address(String),
    /// The part after `@` is not an IPv4 address.
    #[error(
        "interface '{0}' is not an IPv4 address; give the address of the interface, like 127.0.0.1 for loopback"
    )]
    Interface(String),
}

impl FromStr for Endpoint {
    type Err = EndpointError;

    fn from_str(text: &str) -> Result<Self, EndpointError> {
        let (address, interface) = match text.split_once('@') {
            Some((address, interface)) => (address, Some(interface)),
            None => (text, None),
        };
        Ok(Self {
            address: address
                .parse()
                .map_err(|_| EndpointError::Address(address.to_owned()))?,
            interface: interface
                .map(|name| {
                    name.parse()
                        .map_err(|_| EndpointError::Interface(name.to_owned()))
                })
                .transpose()?,
        })
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.address)?;
        match self.interface {
            Some(interface) => write!(f, "@{interface}"),
            None => Ok(()),
        }
    }
}

impl From<SocketAddrV4> for Endpoint {
    fn from(address: SocketAddrV4) -> Self {
        Self {
            address,
            interface: None,
        }
    }
}

/// Multicast options of a [`Sender`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SenderOptions {
    /// Time to live of multicast packets; 1 keeps them on the local network.
    pub ttl: u32,
    /// Whether receivers on this machine get them too.
    pub loopback: bool,
}

impl Default for SenderOptions {
    fn default() -> Self {
        Self {
            ttl: 1,
            loopback: true,
        }
    }
}

/// Sends datagrams to one endpoint.
#[derive(Debug)]
pub struct Sender {
    socket: UdpSocket,
}

impl Sender {
    /// Opens a socket connected to `endpoint`: a connected socket spares the kernel a route look-up a packet.
    ///
    /// # Errors
    /// Those of the socket calls, e.g. no route, or an interface that is not this machine's.
    pub fn open(endpoint: &Endpoint, options: SenderOptions) -> io::Result<Self> {
        let socket = Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::UDP))?;
        if endpoint.address.ip().is_multicast() {
            socket.set_multicast_ttl_v4(options.ttl)?;
            socket.set_multicast_loop_v4(options.loopback)?;
            if let Some(interface) = endpoint.interface {
                socket.set_multicast_if_v4(&interface)?;
            }
        }
        if let Some(interface) = endpoint.interface {
            socket.bind(&SocketAddrV4::new(interface, 0).into())?;
        }
        socket.connect(&endpoint.address.into())?;
        Ok(Self {
            socket: socket.into(),
        })
    }

    /// Sends one datagram.
    ///
    /// A refusal that an earlier datagram met (no listener on a unicast port) is not an error of this one: UDP
    /// reports it only by accident, and a feed does not stop for lack of listeners. It is sent again.
    ///
    /// # Errors
    /// Those of the socket call; too long a payload is [`io::ErrorKind::InvalidInput`] or `EMSGSIZE`.
    pub fn send(&self, payload: &[u8]) -> io::Result<()> {
        match self.socket.send(payload) {
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                match self.socket.send(payload) {
                    Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => Ok(()),
                    other => other.map(|_| ()),
                }
            }
            other => other.map(|_| ()),
        }
    }

    /// The address that the kernel sends from.
    ///
    /// # Errors
    /// Those of the socket call.
    pub fn local_address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }
}

/// How a [`Receiver`] waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wait {
    /// Sleeps in the kernel until a datagram is there.
    #[default]
    Blocking,
    /// Never sleeps: reads the sockets in turn and takes a complete core. The least latency.
    BusyPoll,
}

/// What a receive loop is to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Wait for the next datagram.
    Continue,
    /// Wait for it, but come back as idle after so long at most: something is due then.
    Within(Duration),
    /// Return from the loop.
    Stop,
}

impl Next {
    /// How long to wait for the next datagram; `None`: no more.
    fn patience(self) -> Option<Duration> {
        match self {
            Next::Continue => Some(STOP_INTERVAL),
            Next::Within(wanted) => Some(wanted.clamp(Duration::from_micros(1), STOP_INTERVAL)),
            Next::Stop => None,
        }
    }
}

/// What a receive loop gives to its handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input<'a> {
    /// A datagram: the line it came on (index into the endpoints), and its payload.
    Datagram {
        /// Index into the endpoints that the receiver was opened with.
        line: usize,
        /// The UDP payload.
        payload: &'a [u8],
    },
    /// Nothing came for a tenth of a second (blocking) or for some thousand reads (busy-poll): time for housekeeping.
    Idle,
}

/// Receives datagrams of one or more endpoints (lines) in one loop.
#[derive(Debug)]
pub struct Receiver {
    sockets: Vec<UdpSocket>,
    wait: Wait,
    buffer: Vec<u8>,
}

impl Receiver {
    /// Opens a socket an endpoint, joins the groups, and asks for `receive_buffer` bytes of buffer for each.
    ///
    /// The kernel gives at most `net.core.rmem_max`; [`Receiver::buffer_sizes`] gives the result.
    ///
    /// # Errors
    /// Those of the socket calls, e.g. an address in use, or an interface that is not this machine's.
    pub fn open(endpoints: &[Endpoint], wait: Wait, receive_buffer: usize) -> io::Result<Self> {
        let sockets = endpoints
            .iter()
            .map(|endpoint| listen(endpoint, receive_buffer))
            .collect::<io::Result<Vec<_>>>()?;
        // One blocking socket waits in recv itself; several, or a spin, must not wait in any one of them.
        let nonblocking = wait == Wait::BusyPoll || sockets.len() != 1;
        for socket in &sockets {
            socket.set_nonblocking(nonblocking)?;
            socket.set_read_timeout(Some(STOP_INTERVAL))?;
        }
        Ok(Self {
            sockets,
            wait,
            buffer: vec![0; MAX_PAYLOAD],
        })
    }

    /// Receives from this socket too, which the caller opened: its datagrams come as those of one more line; returns its index.
    ///
    /// # Errors
    /// Those of the socket calls.
    pub fn add(&mut self, socket: UdpSocket) -> io::Result<usize> {
        self.sockets.push(socket);
        for socket in &self.sockets {
            socket.set_nonblocking(self.wait == Wait::BusyPoll || self.sockets.len() != 1)?;
            socket.set_read_timeout(Some(STOP_INTERVAL))?;
        }
        Ok(self.sockets.len() - 1)
    }

    /// The addresses bound, with the ports that the kernel chose where 0 was asked for.
    ///
    /// # Errors
    /// Those of the socket calls.
    pub fn local_addresses(&self) -> io::Result<Vec<SocketAddr>> {
        self.sockets.iter().map(UdpSocket::local_addr).collect()
    }

    /// The receive buffer that the kernel granted each socket, in bytes (Linux counts its own overhead in).
    ///
    /// # Errors
    /// Those of the socket calls.
    pub fn buffer_sizes(&self) -> io::Result<Vec<usize>> {
        self.sockets
            .iter()
            .map(|socket| socket2::SockRef::from(socket).recv_buffer_size())
            .collect()
    }

    /// Receives until `handler` says stop or `stop` is set; no allocation a datagram.
    ///
    /// # Errors
    /// Those of the socket calls; interruptions by signals are not errors.
    pub fn run(
        &mut self,
        stop: &AtomicBool,
        handler: impl FnMut(Input<'_>) -> Next,
    ) -> io::Result<()> {
        match (self.wait, self.sockets.len()) {
            (_, 0) => Ok(()),
            (Wait::BusyPoll, _) => self.run_busy(stop, handler),
            (Wait::Blocking, 1) => self.run_one(stop, handler),
            (Wait::Blocking, _) => self.run_polled(stop, handler),
        }
    }

    fn run_one(
        &mut self,
        stop: &AtomicBool,
        mut handler: impl FnMut(Input<'_>) -> Next,
    ) -> io::Result<()> {
        let mut patience = STOP_INTERVAL;
        while !stop.load(Ordering::Relaxed) {
            let next = match receive(&self.sockets[0], &mut self.buffer)? {
                Some(length) => handler(Input::Datagram {
                    line: 0,
                    payload: &self.buffer[..length],
                }),
                None => handler(Input::Idle),
            };
            let Some(wanted) = next.patience() else {
                break;
            };
            if wanted != patience {
                patience = wanted;
                self.sockets[0].set_read_timeout(Some(patience))?;
            }
        }
        Ok(())
    }

    fn run_polled(
        &mut self,
        stop: &AtomicBool,
        mut handler: impl FnMut(Input<'_>) -> Next,
    ) -> io::Result<()> {
        let mut patience = STOP_INTERVAL;
        let mut descriptors: Vec<PollFd<'_>> = self
            .sockets
            .iter()
            .map(|socket| PollFd::from_borrowed_fd(socket.as_fd(), PollFlags::IN))
            .collect();
        while !stop.load(Ordering::Relaxed) {
            // At most STOP_INTERVAL, far below a second.
            let timeout = Timespec {
                tv_sec: 0,
                tv_nsec: i64::from(patience.subsec_nanos()),
            };
            let ready = match poll(&mut descriptors, Some(&timeout)) {
                Ok(ready) => ready,
                Err(rustix::io::Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            };
            if ready == 0 {
                match handler(Input::Idle).patience() {
                    Some(wanted) => patience = wanted,
                    None => return Ok(()),
                }
            }
            for (line, socket) in self.sockets.iter().enumerate() {
                if descriptors[line].revents().is_empty() {
                    continue;
                }
                // One datagram a line and turn: a burst on one line does not starve the other.
                let Some(length) = receive(socket, &mut self.buffer)? else {
                    continue;
                };
                let input = Input::Datagram {
                    line,
                    payload: &self.buffer[..length],
                };
                match handler(input).patience() {
                    Some(wanted) => patience = wanted,
                    None => return Ok(()),
                }
            }
        }
        Ok(())
    }

    fn run_busy(
        &mut self,
        stop: &AtomicBool,
        mut handler: impl FnMut(Input<'_>) -> Next,
    ) -> io::Result<()> {
        const IDLE_AFTER: u32 = 1 << 14;
        /// Empty reads between two looks at the clock, while something is due.
        const LOOK: u32 = 1 << 4;
        let mut empty_reads = 0;
        let mut due: Option<Instant> = None;
        loop {
            for (line, socket) in self.sockets.iter().enumerate() {
                let next = match receive(socket, &mut self.buffer)? {
                    Some(length) => {
                        empty_reads = 0;
                        handler(Input::Datagram {
                            line,
                            payload: &self.buffer[..length],
                        })
                    }
                    None => {
                        empty_reads += 1;
                        let look = empty_reads % LOOK == 0;
                        let is_due = look && due.is_some_and(|due| Instant::now() >= due);
                        if empty_reads < IDLE_AFTER && !is_due {
                            std::hint::spin_loop();
                            continue;
                        }
                        empty_reads = 0;
                        handler(Input::Idle)
                    }
                };
                due = match next {
                    Next::Stop => return Ok(()),
                    Next::Continue => None,
                    Next::Within(wanted) => Instant::now().checked_add(wanted),
                };
            }
            if stop.load(Ordering::Relaxed) {
                return Ok(());
            }
        }
    }
}

/// A datagram's length, or nothing where none came in time or a signal came between.
fn receive(socket: &UdpSocket, buffer: &mut [u8]) -> io::Result<Option<usize>> {
    some_came(socket.recv(buffer))
}

/// The same, and who sent it.
pub(crate) fn receive_from(
    socket: &UdpSocket,
    buffer: &mut [u8],
) -> io::Result<Option<(usize, SocketAddr)>> {
    some_came(socket.recv_from(buffer))
}

fn some_came<T>(received: io::Result<T>) -> io::Result<Option<T>> {
    use io::ErrorKind::{ConnectionRefused, Interrupted, TimedOut, WouldBlock};
    match received {
        Ok(came) => Ok(Some(came)),
        Err(error)
            if matches!(
                error.kind(),
                WouldBlock | TimedOut | Interrupted | ConnectionRefused
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn listen(endpoint: &Endpoint, receive_buffer: usize) -> io::Result<UdpSocket> {
    let socket = Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::UDP))?;
    let group = *endpoint.address.ip();
    if group.is_multicast() {
        // Several receivers may listen to one group; bound to the group, none sees another group's packets.
        socket.set_reuse_address(true)?;
    }
    socket.set_recv_buffer_size(receive_buffer)?;
    socket.bind(&endpoint.address.into())?;
    if group.is_multicast() {
        socket.join_multicast_v4(&group, &endpoint.interface.unwrap_or(Ipv4Addr::UNSPECIFIED))?;
    }
    Ok(socket.into())
}

#[cfg(test)]
mod tests;
