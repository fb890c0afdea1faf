//! Fetches a snapshot.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use formats::Symbol;
use formats::binary_file;
use formats::glimpse::EndOfSnapshot;
use formats::itch::{self, Message, Version};
use formats::soup::{LoginRequest, Malformed, Packet, Rejection};
use thiserror::Error;

/// Silence after which a heartbeat is due.
const HEARTBEAT: Duration = Duration::from_secs(1);
/// How long a read waits.
const TURN: Duration = Duration::from_millis(50);
/// Bytes read at a time: more than twice the longest packet.
const READ: usize = 256 * 1024;

/// What to ask for.
#[derive(Clone, Debug)]
pub struct Query {
    /// Where the server listens.
    pub server: SocketAddr,
    /// The session of the feed.
    pub session: [u8; 10],
    /// ITCH version of the feed.
    pub version: Version,
    /// Whose orders are wanted: others are dropped as they come.
    pub symbols: Vec<Symbol>,
    /// How long all of it may take.
    pub patience: Duration,
    /// Bytes of messages that are stored at most.
    pub bound: usize,
}

/// Why there is no snapshot.
#[derive(Debug, Error)]
pub enum FetchError {
    /// Nobody listens there.
    #[error("cannot connect: {0}")]
    Connect(io::Error),
    /// The connection failed.
    #[error("the connection failed: {0}")]
    Connection(io::Error),
    /// The server closed it, or ended the session.
    #[error("the server ended it before the snapshot was complete")]
    Ended,
    /// It took too long.
    #[error("it was not complete after {} s", .0.as_secs_f32())]
    Late(Duration),
    /// The login was refused.
    #[error("the login was refused: {0}")]
    Refused(Rejection),
    /// It is of another session than the feed.
    #[error("it is of session {:?}, and the feed's is {:?}", text(.0), text(.1))]
    OtherSession([u8; 10], [u8; 10]),
    /// What the server sent is no SoupBinTCP.
    #[error("the server does not speak SoupBinTCP: {0}")]
    Malformed(#[from] Malformed),
    /// A packet that has no place there.
    #[error("the server sent a packet that has no place there")]
    Unexpected,
    /// A message that the ITCH version does not have.
    #[error("it has a message that is not of the feed's ITCH version: {0}")]
    Message(itch::Error),
    /// More orders than may be stored.
    #[error("it is larger than {0} bytes")]
    TooLarge(usize),
}

fn text(session: &[u8; 10]) -> String {
    String::from_utf8_lossy(session).into_owned()
}

/// The state of the books at a point of the feed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The feed's session.
    pub session: [u8; 10],
    /// The number of the feed's first message that is not in it.
    pub next: u64,
    /// Messages after their lengths.
    bytes: Vec<u8>,
}

impl Snapshot {
    /// Its messages, in order: the instruments (`R`), then their orders (`A`, `F`), the first to trade first.
    pub fn messages(&self) -> impl Iterator<Item = &[u8]> {
        binary_file::Messages::new(&self.bytes).flatten()
    }
}

/// A connection that is read packet by packet.
struct Connection<'a> {
    stream: TcpStream,
    query: &'a Query,
    end: Instant,
    spoken: Instant,
    buffer: Box<[u8]>,
    /// What was read and not used yet.
    begin: usize,
    filled: usize,
}

impl Connection<'_> {
    fn send(&mut self, packet: &Packet<'_>) -> Result<(), FetchError> {
        let mut bytes = vec![];
        // Cannot fail: it has no message.
        let _ = packet.emit(&mut bytes);
        self.spoken = Instant::now();
        self.stream
            .write_all(&bytes)
            .map_err(FetchError::Connection)
    }

    /// Gives the next packet to `take`.
    fn next<T>(&mut self, take: impl FnOnce(Packet<'_>) -> T) -> Result<T, FetchError> {
        loop {
            let unused = &self.buffer[self.begin..self.filled];
            if let Some((_, rest)) = Packet::parse(unused)? {
                let begin = self.begin;
                self.begin = self.filled - rest.len();
                // It was complete.
                let (packet, _) = Packet::parse(&self.buffer[begin..self.filled])?
                    .ok_or(FetchError::Unexpected)?;
                return Ok(take(packet));
            }
            self.read()?;
        }
    }

    fn read(&mut self) -> Result<(), FetchError> {
        if Instant::now() >= self.end {
            return Err(FetchError::Late(self.query.patience));
        }
        if self.spoken.elapsed() >= HEARTBEAT {
            self.send(&Packet::ClientHeartbeat)?;
        }
        // Half of the buffer holds a packet.
        if self.begin > self.buffer.len() / 2 || self.begin == self.filled {
            self.buffer.copy_within(self.begin..self.filled, 0);
            (self.begin, self.filled) = (0, self.filled - self.begin);
        }
        match self.stream.read(&mut self.buffer[self.filled..]) {
            Ok(0) => Err(FetchError::Ended),
            Ok(read) => {
                self.filled += read;
                Ok(())
            }
            Err(error) => match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted => Ok(()),
                _ => Err(FetchError::Connection(error)),
            },
        }
    }
}

/// Fetches a snapshot; it waits for it.
///
/// # Errors
/// There is none that can be used.
pub fn fetch(query: &Query) -> Result<Snapshot, FetchError> {
    let end = Instant::now() + query.patience;
    let stream = TcpStream::connect_timeout(&query.server, query.patience);
    let stream = stream.map_err(FetchError::Connect)?;
    let prepare = || {
        stream.set_read_timeout(Some(TURN))?;
        stream.set_write_timeout(Some(query.patience))
    };
    prepare().map_err(FetchError::Connection)?;
    let mut connection = Connection {
        stream,
        query,
        end,
        spoken: Instant::now(),
        buffer: vec![0; READ].into_boxed_slice(),
        begin: 0,
        filled: 0,
    };
    connection.send(&Packet::LoginRequest(LoginRequest {
        username: [b' '; 6],
        password: [b' '; 10],
        session: [b' '; 10],
        sequence: 1,
    }))?;
    while !connection.next(|packet| logged_in(&packet, query))?? {}
    let mut snapshot = Snapshot {
        session: query.session,
        ..Snapshot::default()
    };
    while !connection.next(|packet| store(&mut snapshot, &packet, query))?? {}
    Ok(snapshot)
}

/// Whether a packet ends the login.
fn logged_in(packet: &Packet<'_>, query: &Query) -> Result<bool, FetchError> {
    match packet {
        Packet::LoginAccepted(accepted) if accepted.session == query.session => Ok(true),
        Packet::LoginAccepted(accepted) => {
            Err(FetchError::OtherSession(accepted.session, query.session))
        }
        Packet::LoginRejected(reason) => Err(FetchError::Refused(*reason)),
        Packet::Debug(_) | Packet::ServerHeartbeat => Ok(false),
        Packet::EndOfSession => Err(FetchError::Ended),
        _ => Err(FetchError::Unexpected),
    }
}

/// Stores what is wanted of a packet; whether it is the last.
fn store(snapshot: &mut Snapshot, packet: &Packet<'_>, query: &Query) -> Result<bool, FetchError> {
    let message = match packet {
        Packet::Sequenced(message) => *message,
        Packet::Debug(_) | Packet::ServerHeartbeat => return Ok(false),
        Packet::EndOfSession => return Err(FetchError::Ended),
        _ => return Err(FetchError::Unexpected),
    };
    if let Some(end) = EndOfSnapshot::parse(message) {
        snapshot.next = end.next;
        return Ok(true);
    }
    let symbol = match Message::parse(query.version, message).map_err(FetchError::Message)? {
        Message::StockDirectory(directory) => directory.stock,
        Message::AddOrder(order) => order.stock,
        Message::AddOrderMpid(order) => order.stock,
        // The state of trading, and what else there is: no order.
        _ => return Ok(false),
    };
    if query.symbols.contains(&symbol) {
        if snapshot.bytes.len() + 2 + message.len() > query.bound {
            return Err(FetchError::TooLarge(query.bound));
        }
        // ITCH messages are short.
        let length = message.len() as u16;
        snapshot.bytes.extend_from_slice(&length.to_be_bytes());
        snapshot.bytes.extend_from_slice(message);
    }
    Ok(false)
}
