//! A second smoltcp, as the core, talks through the peer to a real server.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant as Wall};

use smoltcp::iface::{Config, Interface, SocketHandle, SocketSet};
use smoltcp::phy::{Device, DeviceCapabilities, Medium, RxToken, TxToken};
use smoltcp::socket::tcp;
use smoltcp::time::Instant;
use smoltcp::wire::{EthernetAddress, HardwareAddress, IpAddress, IpCidr};
use tcp_peer::{Settings, TcpPeer};

const PEER: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 2);
const PORT: u16 = 9876;
const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Default)]
struct Wire {
    in_: VecDeque<Vec<u8>>,
    out: VecDeque<Vec<u8>>,
}

struct In(Vec<u8>);
struct Out<'a>(&'a mut VecDeque<Vec<u8>>);

impl RxToken for In {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, f: F) -> R {
        f(&self.0)
    }
}

impl TxToken for Out<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, length: usize, f: F) -> R {
        let mut frame = vec![0; length];
        let result = f(&mut frame);
        self.0.push_back(frame);
        result
    }
}

impl Device for Wire {
    type RxToken<'a> = In;
    type TxToken<'a> = Out<'a>;

    fn receive(&mut self, _: Instant) -> Option<(In, Out<'_>)> {
        Some((In(self.in_.pop_front()?), Out(&mut self.out)))
    }

    fn transmit(&mut self, _: Instant) -> Option<Out<'_>> {
        Some(Out(&mut self.out))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ethernet;
        capabilities.max_transmission_unit = 1514;
        capabilities
    }
}

/// The core's side, and the peer at the other end of a wire.
struct Bench {
    tcp_peer: TcpPeer,
    wire: Wire,
    interface: Interface,
    sockets: SocketSet<'static>,
    handle: SocketHandle,
    began: Wall,
    /// Frames of the core, of those with many bytes, whose last one is spoiled on the way.
    spoiled: usize,
}

impl Bench {
    fn new(server: SocketAddr) -> Self {
        let mut wire = Wire::default();
        let mac = HardwareAddress::Ethernet(EthernetAddress([2, 0, 0, 0, 0, 1]));
        let mut interface = Interface::new(Config::new(mac), &mut wire, Instant::ZERO);
        interface.update_ip_addrs(|all| {
            all.push(IpCidr::new(IpAddress::v4(10, 0, 0, 1), 24))
                .unwrap();
        });
        let buffer = || tcp::SocketBuffer::new(vec![0; 16_384]);
        let mut sockets = SocketSet::new(Vec::new());
        let handle = sockets.add(tcp::Socket::new(buffer(), buffer()));
        let settings = Settings {
            mac: [2, 0, 0, 0, 0, 0x99],
            ip: PEER,
            port: PORT,
            server,
        };
        let mut bench = Bench {
            tcp_peer: TcpPeer::new(settings, 0),
            wire,
            interface,
            sockets,
            handle,
            began: Wall::now(),
            spoiled: 0,
        };
        bench.connect(40_000);
        bench
    }

    fn connect(&mut self, local: u16) {
        let socket = self.sockets.get_mut::<tcp::Socket<'_>>(self.handle);
        socket
            .connect(
                self.interface.context(),
                (IpAddress::Ipv4(PEER), PORT),
                local,
            )
            .unwrap();
    }

    fn socket(&mut self) -> &mut tcp::Socket<'static> {
        self.sockets.get_mut(self.handle)
    }

    fn step(&mut self) {
        let now = self.began.elapsed();
        let instant = Instant::from_micros(now.as_micros() as i64);
        self.interface
            .poll(instant, &mut self.wire, &mut self.sockets);
        for mut frame in self.wire.out.drain(..) {
            if frame.len() > 100 && self.spoiled > 0 {
                self.spoiled -= 1;
                *frame.last_mut().unwrap() ^= 1;
            }
            self.tcp_peer.receive(&frame);
        }
        self.tcp_peer.poll(now.as_nanos() as u64);
        while let Some(frame) = self.tcp_peer.transmit() {
            self.wire.in_.push_back(frame);
        }
    }

    /// Sends until nothing moves any more: all buffers are full. Returns how many bytes went in.
    fn fill(&mut self, said: &[u8]) -> usize {
        let (mut at, mut still) = (0, Wall::now());
        self.until("everything to be full", |bench| {
            if bench.socket().can_send() {
                at += bench.socket().send_slice(&said[at..]).unwrap();
                still = Wall::now();
            }
            assert!(at < said.len(), "buffers take it all");
            still.elapsed() > Duration::from_millis(200)
        });
        at
    }

    fn until(&mut self, what: &str, mut done: impl FnMut(&mut Self) -> bool) {
        let began = Wall::now();
        while !done(self) {
            assert!(began.elapsed() < PATIENCE, "{what}: not in {PATIENCE:?}");
            self.step();
        }
    }
}

/// A server that takes one connection and does this with it.
fn server(
    serve: impl FnOnce(std::net::TcpStream) + Send + 'static,
) -> (SocketAddr, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    (
        address,
        thread::spawn(move || serve(listener.accept().unwrap().0)),
    )
}

#[test]
fn bytes_pass_both_ways_whole_and_in_order() {
    let (address, served) = server(|mut stream| {
        let mut bytes = vec![0; 300_000];
        stream.read_exact(&mut bytes).unwrap();
        bytes.reverse();
        stream.write_all(&bytes).unwrap();
    });
    let mut bench = Bench::new(address);
    let said: Vec<u8> = (0..300_000u32).map(|i| (i * 7 + i / 251) as u8).collect();
    let (mut at, mut heard) = (0, Vec::new());
    bench.until("300,000 bytes and back", |bench| {
        let socket = bench.socket();
        if socket.can_send() && at < said.len() {
            at += socket.send_slice(&said[at..]).unwrap();
        }
        if socket.can_recv() {
            socket
                .recv(|b| (b.len(), heard.extend_from_slice(b)))
                .unwrap();
        }
        heard.len() == said.len()
    });
    served.join().unwrap();
    heard.reverse();
    assert!(heard == said);
    assert_eq!(bench.tcp_peer.connections(), 1);
}

#[test]
fn the_end_of_one_side_is_the_end_of_the_other() {
    let (address, served) = server(|mut stream| {
        let mut all = Vec::new();
        stream.read_to_end(&mut all).unwrap();
        assert_eq!(all, b"logout");
        stream.write_all(b"bye").unwrap();
    });
    let mut bench = Bench::new(address);
    bench.until("connected", |bench| bench.socket().can_send());
    bench.socket().send_slice(b"logout").unwrap();
    bench.socket().close();
    let mut heard = Vec::new();
    bench.until("the end of both", |bench| {
        let socket = bench.socket();
        if socket.can_recv() {
            socket
                .recv(|b| (b.len(), heard.extend_from_slice(b)))
                .unwrap();
        }
        matches!(socket.state(), tcp::State::Closed | tcp::State::TimeWait)
    });
    served.join().unwrap();
    assert_eq!(heard, b"bye");
}

#[test]
fn a_server_that_is_not_there_resets_the_connection_and_the_next_one_is_taken() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let mut bench = Bench::new(address);
    bench.until("a reset", |bench| {
        bench.socket().state() == tcp::State::Closed
    });
    assert_eq!(bench.tcp_peer.connections(), 0);

    let listener = TcpListener::bind(address).unwrap();
    let served = thread::spawn(move || listener.accept().unwrap().0.write_all(b"hello").unwrap());
    bench.connect(40_001);
    bench.until("hello", |bench| bench.socket().recv_queue() == 5);
    served.join().unwrap();
}

#[test]
fn garbage_from_the_wire_is_ignored() {
    let (address, served) = server(|mut stream| stream.write_all(b"still here").unwrap());
    let mut bench = Bench::new(address);
    for length in [0, 1, 13, 14, 20, 33, 60, 1514, 9000] {
        bench.tcp_peer.receive(&vec![0xff; length]);
        let mut ip = vec![0x45; length];
        if length > 14 {
            ip[..6].copy_from_slice(&[2, 0, 0, 0, 0, 0x99]);
            ip[12..14].copy_from_slice(&[8, 0]);
        }
        bench.tcp_peer.receive(&ip);
    }
    bench.until("still here", |bench| bench.socket().recv_queue() == 10);
    served.join().unwrap();
}

/// More bytes than all buffers hold, no two neighbours alike.
fn endless() -> Vec<u8> {
    (0..40_000_000_u32)
        .map(|i| (i * 7 + i / 251) as u8)
        .collect()
}

#[test]
fn a_server_that_reads_late_gets_every_byte_once() {
    let (tell, told) = std::sync::mpsc::channel();
    let (address, served) = server(move |mut stream| {
        let sent: Vec<u8> = told.recv().unwrap();
        let mut bytes = vec![0; sent.len()];
        stream.read_exact(&mut bytes).unwrap();
        assert!(bytes == sent);
    });
    let mut bench = Bench::new(address);
    let mut said = endless();
    let sent = bench.fill(&said);
    said.truncate(sent);
    tell.send(said).unwrap();
    bench.until("the server to have all of it", |_| served.is_finished());
    served.join().unwrap();
}

#[test]
fn what_a_broken_connection_left_does_not_reach_the_next_one() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut bench = Bench::new(listener.local_addr().unwrap());
    bench.fill(&endless());
    bench.socket().abort();
    bench.until("two connections", |bench| {
        if bench.socket().state() == tcp::State::Closed {
            bench.step();
            bench.connect(40_002);
        }
        if bench.socket().can_send()
            && bench.socket().send_queue() == 0
            && bench.tcp_peer.connections() == 2
        {
            bench.socket().send_slice(b"new").unwrap();
            bench.socket().close();
            return true;
        }
        false
    });
    // The first one was never read.
    let _first = listener.accept().unwrap();
    let (mut second, _) = listener.accept().unwrap();
    second.set_nonblocking(true).unwrap();
    let (mut heard, mut ended) = (vec![], false);
    bench.until("the end of the second", |_| {
        let mut bytes = [0; 64];
        match second.read(&mut bytes) {
            Ok(0) => ended = true,
            Ok(length) => heard.extend_from_slice(&bytes[..length]),
            Err(_) => {}
        }
        ended
    });
    assert_eq!(heard, b"new");
}

#[test]
fn a_segment_with_a_wrong_checksum_is_not_passed_on() {
    let said = endless()[..300].to_vec();
    let expected = said.clone();
    let (address, served) = server(move |mut stream| {
        let mut bytes = vec![0; 300];
        stream.read_exact(&mut bytes).unwrap();
        assert!(bytes == expected);
    });
    let mut bench = Bench::new(address);
    bench.until("connected", |bench| bench.socket().can_send());
    bench.spoiled = 2;
    bench.socket().send_slice(&said).unwrap();
    bench.until("it to be sent again", |_| served.is_finished());
    assert_eq!(bench.spoiled, 0);
    served.join().unwrap();
}
