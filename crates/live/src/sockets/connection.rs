//! A TCP connection that never waits: it is made beside the feed, and what the kernel does not take is kept.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long to wait for a connection.
const PATIENCE: Duration = Duration::from_secs(10);
/// Until one that failed, or was lost, is made again.
const RETRY: Duration = Duration::from_secs(1);
/// Bytes that wait for a peer that does not read: beyond these no order leaves.
const MOST_UNSENT: usize = 64 * 1024;

#[derive(Debug)]
enum State {
    Down(Instant),
    Connecting(Receiver<io::Result<TcpStream>>),
    Up(TcpStream),
}

/// The connection.
#[derive(Debug)]
pub struct Connection {
    peer: SocketAddr,
    state: State,
    unsent: Vec<u8>,
    /// Why it is to be closed.
    broken: Option<io::Error>,
}

/// What became of an attempt to connect.
pub enum Attempt {
    /// It is under way, or not due.
    None,
    /// There is a connection.
    Made,
    /// There is none.
    Failed(io::Error),
}

impl Connection {
    /// To this peer, at once.
    pub fn new(peer: SocketAddr) -> Self {
        Connection {
            peer,
            state: State::Down(Instant::now()),
            unsent: Vec::with_capacity(MOST_UNSENT),
            broken: None,
        }
    }

    /// Whether there is one.
    pub const fn is_up(&self) -> bool {
        matches!(self.state, State::Up(_))
    }

    /// Whether an order leaves now: the peer reads.
    pub const fn takes_orders(&self) -> bool {
        self.is_up() && self.broken.is_none() && self.unsent.len() < MOST_UNSENT
    }

    /// Makes the connection if there is none and it is due.
    pub fn attempt(&mut self) -> Attempt {
        let made = match &self.state {
            State::Up(_) => return Attempt::None,
            State::Down(due) if Instant::now() < *due => return Attempt::None,
            State::Down(_) => {
                let (sender, receiver) = channel();
                let peer = self.peer;
                // A peer that does not answer must not hold up the feed. The thread ends by itself.
                thread::spawn(move || sender.send(connect(peer)));
                self.state = State::Connecting(receiver);
                return Attempt::None;
            }
            State::Connecting(made) => made.try_recv(),
        };
        match made {
            Err(TryRecvError::Empty) => Attempt::None,
            Err(TryRecvError::Disconnected) => {
                self.close();
                Attempt::None
            }
            Ok(Ok(stream)) => {
                self.state = State::Up(stream);
                Attempt::Made
            }
            Ok(Err(cause)) => {
                self.close();
                Attempt::Failed(cause)
            }
        }
    }

    /// Reads what has come; `None`: nothing. An end of the stream, or an error, breaks the connection.
    pub fn read<'b>(&mut self, buffer: &'b mut [u8]) -> Option<&'b [u8]> {
        let State::Up(stream) = &mut self.state else {
            return None;
        };
        match stream.read(buffer) {
            Ok(0) => self.broken = Some(ErrorKind::UnexpectedEof.into()),
            Ok(length) => return buffer.get(..length),
            Err(error) if waits(&error) => {}
            Err(error) => self.broken = Some(error),
        }
        None
    }

    /// Sends bytes, now or as soon as the peer reads.
    pub fn write(&mut self, bytes: &[u8]) {
        if self.unsent.is_empty() {
            let sent = self.send(bytes);
            self.unsent
                .extend_from_slice(bytes.get(sent..).unwrap_or_default());
        } else {
            self.unsent.extend_from_slice(bytes);
        }
    }

    /// Sends what was not sent yet.
    pub fn flush(&mut self) {
        if !self.unsent.is_empty() {
            let unsent = std::mem::take(&mut self.unsent);
            let sent = self.send(&unsent);
            self.unsent = unsent;
            self.unsent.drain(..sent);
        }
    }

    /// How many of these bytes the kernel takes.
    fn send(&mut self, bytes: &[u8]) -> usize {
        let State::Up(stream) = &mut self.state else {
            return bytes.len();
        };
        let mut sent = 0;
        while let Some(rest) = bytes.get(sent..).filter(|rest| !rest.is_empty()) {
            match stream.write(rest) {
                Ok(0) => self.broken = Some(ErrorKind::WriteZero.into()),
                Ok(length) => {
                    sent += length;
                    continue;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if waits(&error) => {}
                Err(error) => self.broken = Some(error),
            }
            break;
        }
        sent
    }

    /// Why it broke, once.
    pub fn broken(&mut self) -> Option<io::Error> {
        self.broken.take()
    }

    /// Ends it at once: what the kernel has not sent yet, or sends again, never leaves. The next attempt is due after a second.
    pub fn abort(&mut self) {
        if let State::Up(stream) = &self.state {
            // RST in place of FIN. It fails where there is no connection any more.
            let _ = rustix::net::sockopt::set_socket_linger(stream, Some(Duration::ZERO));
        }
        self.forget();
    }

    /// Ends it after what was written; the next attempt is due after a second.
    pub fn close(&mut self) {
        if let State::Up(stream) = &self.state {
            // Fails where the peer was faster.
            let _ = stream.shutdown(Shutdown::Both);
        }
        self.forget();
    }

    fn forget(&mut self) {
        self.state = State::Down(Instant::now() + RETRY);
        self.unsent.clear();
        self.broken = None;
    }
}

fn connect(peer: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&peer, PATIENCE)?;
    stream.set_nodelay(true)?;
    stream.set_nonblocking(true)?;
    Ok(stream)
}

fn waits(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::WouldBlock | ErrorKind::Interrupted | ErrorKind::TimedOut
    )
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    fn made(connection: &mut Connection) -> Attempt {
        let end = Instant::now() + PATIENCE;
        loop {
            match connection.attempt() {
                Attempt::None if Instant::now() < end => thread::yield_now(),
                other => return other,
            }
        }
    }

    #[test]
    fn a_peer_that_is_not_there_is_told_and_tried_again() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        drop(listener);
        let mut connection = Connection::new(address);
        assert!(matches!(made(&mut connection), Attempt::Failed(_)));
        assert!(!connection.takes_orders());
        let listener = TcpListener::bind(address).unwrap();
        assert!(matches!(made(&mut connection), Attempt::Made));
        assert!(connection.takes_orders());
        drop(listener);
    }

    /// RFC 9293, 3.10.5: ABORT sends a RST, and what waits to be sent is dropped.
    #[test]
    fn what_was_written_before_an_abort_never_reaches_the_peer() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut connection = Connection::new(listener.local_addr().unwrap());
        assert!(matches!(made(&mut connection), Attempt::Made));
        let (mut peer, _) = listener.accept().unwrap();
        // More than the peer takes: the kernel has the rest.
        while connection.takes_orders() {
            connection.write(&[7; 1_000]);
        }
        connection.abort();
        assert!(!connection.is_up() && connection.unsent.is_empty());
        peer.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut read = vec![];
        let end = peer.read_to_end(&mut read).unwrap_err();
        assert_eq!(end.kind(), ErrorKind::ConnectionReset);
    }

    #[test]
    fn what_a_peer_does_not_read_waits_and_no_order_leaves_then() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut connection = Connection::new(listener.local_addr().unwrap());
        assert!(matches!(made(&mut connection), Attempt::Made));
        let (mut peer, _) = listener.accept().unwrap();
        let (mut sent, mut value) = (0_usize, 0_u8);
        while connection.takes_orders() {
            let block: Vec<u8> = (0..1_000)
                .map(|i: usize| value.wrapping_add(i as u8))
                .collect();
            value = value.wrapping_add(232);
            connection.write(&block);
            sent += block.len();
        }
        assert!(!connection.unsent.is_empty());
        let (mut read, mut next) = (0, 0_u8);
        let mut buffer = vec![0; 1 << 16];
        while read < sent {
            connection.flush();
            let length = peer.read(&mut buffer).unwrap();
            for byte in &buffer[..length] {
                assert_eq!(*byte, next);
                next = next.wrapping_add(1);
            }
            read += length;
        }
        assert!(connection.unsent.is_empty() && connection.takes_orders());
        drop(peer);
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end && connection.read(&mut buffer).is_none() {
            if connection.broken().is_some() {
                return;
            }
        }
        panic!("nobody noticed its end");
    }
}
