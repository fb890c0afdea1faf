//! A connection of an acceptor.

use formats::fix::{Message, Timestamp};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use crate::session::Cause;

/// The longest body of a Logon, in bytes: the sender is not known yet.
pub const LONGEST_LOGON: usize = 4_096;

/// The state of a connection.
#[derive(Debug)]
pub enum Phase {
    /// No Logon came yet.
    Unknown {
        /// What came.
        first: Vec<u8>,
        /// When it was accepted.
        since: Timestamp,
    },
    /// It belongs to a session.
    Session(usize),
    /// It ends: what is left is sent, then our side is closed, then the peer's side is awaited, so that the kernel does not throw
    /// away what the peer has not read yet.
    Closing {
        rest: Vec<u8>,
        since: Timestamp,
        is_shut: bool,
    },
    /// It can be dropped.
    Over,
}

impl Phase {
    pub const fn closing(rest: Vec<u8>, now: Timestamp) -> Self {
        Phase::Closing {
            rest,
            since: now,
            is_shut: false,
        }
    }
}

/// A connection that ended before it was logged on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused<'a> {
    /// Where it came from.
    pub address: SocketAddr,
    /// SenderCompID of its Logon, as it was written; empty where none came.
    pub name: &'a [u8],
    /// Why it ended.
    pub cause: Cause,
}

#[derive(Debug)]
pub struct Connection {
    pub stream: TcpStream,
    /// The peer's.
    address: SocketAddr,
    /// SenderCompID of its Logon.
    pub name: Vec<u8>,
    pub has_logged_on: bool,
    pub phase: Phase,
    /// The kernel took no more bytes when we last tried.
    pub is_blocked: bool,
}

impl Connection {
    pub fn new(stream: TcpStream, address: SocketAddr, now: Timestamp) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        Ok(Connection {
            stream,
            address,
            name: Vec::new(),
            has_logged_on: false,
            phase: Phase::Unknown {
                first: Vec::new(),
                since: now,
            },
            is_blocked: false,
        })
    }

    /// What to report if it ends before it has logged on.
    pub fn refused(&self, cause: Cause) -> Refused<'_> {
        Refused {
            address: self.address,
            name: &self.name,
            cause,
        }
    }

    /// Its session.
    pub const fn session(&self) -> Option<usize> {
        match self.phase {
            Phase::Session(place) => Some(place),
            _ => None,
        }
    }

    pub const fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Over)
    }

    /// Reads what there is.
    pub fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.stream.read(buffer) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                result => return result,
            }
        }
    }

    /// Writes as much as the kernel takes.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut written = 0;
        self.is_blocked = false;
        while let Some(rest) = bytes.get(written..).filter(|rest| !rest.is_empty()) {
            match self.stream.write(rest) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(length) => written += length,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    self.is_blocked = true;
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(written)
    }

    /// Goes on with closing.
    pub fn finish(&mut self, now: Timestamp, grace: Duration) {
        let Phase::Closing {
            rest,
            since,
            is_shut,
        } = &mut self.phase
        else {
            return;
        };
        let is_late = now.0.saturating_sub(since.0) > grace.as_nanos() as u64;
        let (mut bytes, was_shut) = (std::mem::take(rest), *is_shut);
        match self.write(&bytes) {
            Ok(length) => drop(bytes.drain(..length)),
            Err(_) => self.phase = Phase::Over,
        }
        if is_late {
            self.phase = Phase::Over;
        }
        let shut = bytes.is_empty() && !was_shut && {
            // Fails where the peer has closed the connection: nothing is left to do then.
            let _ = self.stream.shutdown(Shutdown::Write);
            true
        };
        if let Phase::Closing { rest, is_shut, .. } = &mut self.phase {
            *rest = bytes;
            *is_shut |= shut;
        }
    }
}

/// BeginString, SenderCompID, TargetCompID of a Logon.
pub fn identity<'a>(message: &Message<'a>) -> (&'a [u8], Option<&'a [u8]>, Option<&'a [u8]>) {
    let get = |tag| {
        let mut fields = message.fields().flatten();
        Some(fields.find(|field| field.tag == tag)?.value)
    };
    (message.begin_string(), get(49), get(56))
}
