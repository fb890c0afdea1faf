//! The core's peer: ARP, ping and TCP by smoltcp, frame by frame.

use std::net::Ipv4Addr;

use smoltcp::iface::{Config, Interface, SocketHandle, SocketSet};
use smoltcp::socket::tcp;
use smoltcp::time::Instant;
use smoltcp::wire::{EthernetAddress, HardwareAddress, IpAddress, IpCidr};

use crate::queue::Queue;

/// Bytes that wait on either side.
const BUFFER: usize = 65_536;

/// A host that listens at one TCP port, one connection at a time. Its time comes from the caller.
pub struct Peer {
    port: u16,
    queue: Queue,
    interface: Interface,
    sockets: SocketSet<'static>,
    handle: SocketHandle,
}

fn instant(nanoseconds: u64) -> Instant {
    Instant::from_micros((nanoseconds / 1_000) as i64)
}

impl Peer {
    /// A host that listens, at this time in nanoseconds. The client must be in the same /24.
    pub fn new(mac: [u8; 6], ip: Ipv4Addr, port: u16, now: u64) -> Self {
        let mut queue = Queue::default();
        let mac = HardwareAddress::Ethernet(EthernetAddress(mac));
        let mut interface = Interface::new(Config::new(mac), &mut queue, instant(now));
        interface.update_ip_addrs(|addresses| {
            // There is room for two at least.
            let _ = addresses.push(IpCidr::new(IpAddress::Ipv4(ip), 24));
        });
        let mut sockets = SocketSet::new(Vec::new());
        let buffer = || tcp::SocketBuffer::new(vec![0; BUFFER]);
        let mut socket = tcp::Socket::new(buffer(), buffer());
        socket.set_nagle_enabled(false);
        let handle = sockets.add(socket);
        let mut peer = Peer {
            port,
            queue,
            interface,
            sockets,
            handle,
        };
        peer.listen();
        peer
    }

    /// Acknowledges each segment at once instead of waiting to combine it with data.
    pub fn acknowledge_at_once(&mut self) {
        self.socket().set_ack_delay(None);
    }

    /// Takes a frame, without FCS.
    pub fn receive(&mut self, frame: &[u8]) {
        self.queue.received.push_back(frame.to_vec());
    }

    /// The next frame it sends, without FCS and padding.
    pub fn transmit(&mut self) -> Option<Vec<u8>> {
        self.queue.sent.pop_front()
    }

    /// Whether there is a connection on which it can write.
    pub fn is_connected(&mut self) -> bool {
        self.socket().may_send()
    }

    /// Appends the bytes that came on the connection.
    pub fn read(&mut self, into: &mut Vec<u8>) {
        let socket = self.socket();
        while socket.can_recv() {
            let taken = socket.recv(|bytes| {
                into.extend_from_slice(bytes);
                (bytes.len(), ())
            });
            if taken.is_err() {
                break;
            }
        }
    }

    /// Writes to the connection: how many of the bytes found room; none without a connection.
    pub fn write(&mut self, bytes: &[u8]) -> usize {
        self.socket().send_slice(bytes).unwrap_or(0)
    }

    /// Does what can be done now: takes frames, makes others. Time is in nanoseconds and does not go back.
    pub fn work(&mut self, now: u64) {
        let now = instant(now);
        self.interface.poll(now, &mut self.queue, &mut self.sockets);
    }

    pub(crate) fn socket(&mut self) -> &mut tcp::Socket<'static> {
        self.sockets.get_mut(self.handle)
    }

    /// Listens again if the connection is over; returns whether it was.
    pub(crate) fn listen_again(&mut self) -> bool {
        let state = self.socket().state();
        let over = matches!(state, tcp::State::Closed | tcp::State::TimeWait);
        if over {
            self.listen();
        }
        over
    }

    fn listen(&mut self) {
        let port = self.port;
        let socket = self.socket();
        socket.abort();
        // Port 0 is refused: then no client can connect, which is what it asks for.
        let _ = socket.listen(port);
    }
}
