//! The server of snapshots: a thread for each client, few of them, each for a limited time.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use formats::soup::{LoginAccepted, LoginRequest, Packet, Rejection};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::Serialize;

use super::Board;

/// Clients at a time. Each may have a snapshot of its own in memory.
const MOST_CLIENTS: u32 = 8;
/// How long a Login may take.
const LOGIN: Duration = Duration::from_secs(5);
/// How long a client may take for all of it.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long a client has to close the connection after the end.
const GRACE: Duration = Duration::from_secs(5);
/// Silence after which a heartbeat is due.
const HEARTBEAT: Duration = Duration::from_secs(1);
/// How long it takes to see the stop flag.
const TURN: Duration = Duration::from_millis(50);

/// What a server of snapshots counted. 32 bits, wrapping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ServerCounters {
    /// Connections.
    pub connections: u32,
    /// Of these, those closed at once as there were too many.
    pub too_many: u32,
    /// Logins refused: another session, or not from its beginning.
    pub rejected: u32,
    /// Clients that did not log in, or not in time.
    pub no_login: u32,
    /// Snapshots sent completely.
    pub sent: u32,
    /// Clients that left earlier, or were too slow.
    pub broken_off: u32,
}

/// The same, of several threads.
#[derive(Debug, Default)]
struct Counted {
    active: AtomicU32,
    rejected: AtomicU32,
    no_login: AtomicU32,
    sent: AtomicU32,
    broken_off: AtomicU32,
}

/// Gives snapshots to whoever asks. It does not ask who that is: the feed is public too.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    board: Arc<Board>,
}

/// Why a client got nothing.
enum Broken {
    NoLogin,
    Rejected,
    Connection,
}

impl From<io::Error> for Broken {
    fn from(_: io::Error) -> Self {
        Broken::Connection
    }
}

impl Server {
    /// Listens at an address.
    ///
    /// # Errors
    /// Those of the socket calls.
    pub fn open(address: SocketAddr, board: Arc<Board>) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        Ok(Server { listener, board })
    }

    /// The address bound, with the port that the kernel chose where 0 was asked for.
    ///
    /// # Errors
    /// Those of the socket call.
    pub fn local_address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until `stop` is set; what it counted.
    ///
    /// # Errors
    /// The system cannot wait for connections.
    pub fn serve(self, stop: &AtomicBool) -> io::Result<ServerCounters> {
        let counted = Counted::default();
        let (mut connections, mut too_many) = (0_u32, 0_u32);
        thread::scope(|scope| {
            while !stop.load(Ordering::Relaxed) {
                if !self.is_ready()? {
                    continue;
                }
                // A connection that ended before it was accepted, or no room for one: the next may be better.
                let Ok((stream, _)) = self.listener.accept() else {
                    thread::sleep(TURN);
                    continue;
                };
                connections = connections.wrapping_add(1);
                if counted.active.load(Ordering::Relaxed) >= MOST_CLIENTS {
                    too_many = too_many.wrapping_add(1);
                    continue;
                }
                counted.active.fetch_add(1, Ordering::Relaxed);
                let (board, counted) = (&*self.board, &counted);
                scope.spawn(move || {
                    let counter = match serve_client(&stream, board, stop) {
                        Ok(()) => &counted.sent,
                        Err(Broken::NoLogin) => &counted.no_login,
                        Err(Broken::Rejected) => &counted.rejected,
                        Err(Broken::Connection) => &counted.broken_off,
                    };
                    counter.fetch_add(1, Ordering::Relaxed);
                    counted.active.fetch_sub(1, Ordering::Relaxed);
                });
            }
            Ok::<(), io::Error>(())
        })?;
        let of = |counter: &AtomicU32| counter.load(Ordering::Relaxed);
        Ok(ServerCounters {
            connections,
            too_many,
            rejected: of(&counted.rejected),
            no_login: of(&counted.no_login),
            sent: of(&counted.sent),
            broken_off: of(&counted.broken_off),
        })
    }

    /// Waits a turn for a connection.
    fn is_ready(&self) -> io::Result<bool> {
        let timeout = Timespec {
            tv_sec: 0,
            tv_nsec: TURN.subsec_nanos().into(),
        };
        let mut waits = [PollFd::new(&self.listener, PollFlags::IN)];
        match poll(&mut waits, Some(&timeout)) {
            Ok(ready) => Ok(ready > 0),
            Err(rustix::io::Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

/// Login, snapshot, end.
fn serve_client(stream: &TcpStream, board: &Board, stop: &AtomicBool) -> Result<(), Broken> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(TURN))?;
    stream.set_write_timeout(Some(TURN))?;
    let end = Instant::now() + PATIENCE;
    let request = login(stream, stop).ok_or(Broken::NoLogin)?;
    let here = request.session == [b' '; 10] || request.session == board.session;
    // A snapshot has no middle to go on from.
    if !here || request.sequence > 1 {
        let rejected = Packet::LoginRejected(Rejection::SessionNotAvailable);
        send(stream, &bytes(&rejected), end, stop)?;
        close(stream, stop);
        return Err(Broken::Rejected);
    }
    let accepted = LoginAccepted {
        session: board.session,
        sequence: 1,
    };
    send(stream, &bytes(&Packet::LoginAccepted(accepted)), end, stop)?;
    let ticket = board.ask();
    let mut told = Instant::now();
    let packets = loop {
        if let Some(packets) = board.wait(ticket, TURN) {
            break packets;
        }
        if stop.load(Ordering::Relaxed) || Instant::now() >= end {
            return Err(Broken::Connection);
        }
        if told.elapsed() >= HEARTBEAT {
            told = Instant::now();
            send(stream, &bytes(&Packet::ServerHeartbeat), end, stop)?;
        }
    };
    send(stream, &packets.0, end, stop)?;
    drop(packets);
    close(stream, stop);
    Ok(())
}

fn bytes(packet: &Packet<'_>) -> Vec<u8> {
    let mut bytes = vec![];
    // Cannot fail: it has no message.
    let _ = packet.emit(&mut bytes);
    bytes
}

/// Whether a call only ended since its turn is over.
fn is_timeout(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
    )
}

/// The client's request, if it comes in time and is one.
fn login(mut stream: &TcpStream, stop: &AtomicBool) -> Option<LoginRequest> {
    let end = Instant::now() + LOGIN;
    // A request has 49 bytes; a packet of another kind is no login however long it is.
    let (mut buffer, mut filled) = ([0; 64], 0);
    loop {
        match Packet::parse(&buffer[..filled]) {
            Ok(Some((Packet::LoginRequest(request), _))) => return Some(request),
            Ok(None) if filled < buffer.len() => {}
            _ => return None,
        }
        if stop.load(Ordering::Relaxed) || Instant::now() >= end {
            return None;
        }
        match stream.read(&mut buffer[filled..]) {
            Ok(0) => return None,
            Ok(read) => filled += read,
            Err(error) if is_timeout(&error) => {}
            Err(_) => return None,
        }
    }
}

/// Sends all of it, until `end` at most.
fn send(
    mut stream: &TcpStream,
    mut bytes: &[u8],
    end: Instant,
    stop: &AtomicBool,
) -> io::Result<()> {
    while !bytes.is_empty() {
        if stop.load(Ordering::Relaxed) || Instant::now() >= end {
            return Err(ErrorKind::TimedOut.into());
        }
        match stream.write(bytes) {
            Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
            Err(error) if is_timeout(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Closes the connection once the client has: bytes of it that are not read would make the system drop what it has not got yet.
fn close(mut stream: &TcpStream, stop: &AtomicBool) {
    let end = Instant::now() + GRACE;
    let _ = stream.shutdown(Shutdown::Write);
    let mut buffer = [0; 256];
    while !stop.load(Ordering::Relaxed) && Instant::now() < end {
        match stream.read(&mut buffer) {
            Ok(0) => return,
            Ok(_) => {}
            Err(error) if is_timeout(&error) => {}
            Err(_) => return,
        }
    }
}
