//! A session that begins over TCP: one connection, blocking.

use crate::clock::now;
use crate::session::{Cause, Event, SendError, Session};
use crate::store::Store;
use formats::fix::{self, Body, Frame, Message};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// How long to wait for a connection, and for a peer that does not read.
const PATIENCE: Duration = Duration::from_secs(10);

/// Connects, and drives its session.
#[derive(Debug)]
pub struct Initiator<S> {
    session: Session<S>,
    stream: Option<TcpStream>,
    message: Vec<u8>,
    buffer: Box<[u8]>,
}

impl<S: Store> Initiator<S> {
    /// Drives a session that is not connected yet.
    pub fn new(session: Session<S>) -> Self {
        Initiator {
            session,
            stream: None,
            message: Vec::new(),
            buffer: vec![0; 64 * 1024].into_boxed_slice(),
        }
    }

    /// Connects, and sends a Logon; [`Event::LoggedOn`] follows, or [`Event::Disconnect`].
    ///
    /// # Errors
    /// No one accepts the connection, or the Logon cannot be sent.
    pub fn connect(&mut self, address: SocketAddr) -> io::Result<()> {
        let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(PATIENCE))?;
        self.stream = Some(stream);
        self.session.connect(now());
        self.flush()
    }

    /// The session.
    pub const fn session(&self) -> &Session<S> {
        &self.session
    }

    /// The session, to send with; [`Initiator::wait`] brings it onto the wire.
    pub const fn session_mut(&mut self) -> &mut Session<S> {
        &mut self.session
    }

    /// Sends a message at once, and returns its MsgSeqNum.
    ///
    /// # Errors
    /// It is too long, or the connection is broken.
    pub fn send<'b, B: Body<'b>>(&mut self, body: &B) -> io::Result<u64> {
        let failed = |error: SendError| io::Error::new(ErrorKind::InvalidInput, error);
        let sequence = self.session.send(now(), body).map_err(failed)?;
        self.flush()?;
        Ok(sequence)
    }

    /// Sends a Logout; [`Event::Disconnect`] follows.
    ///
    /// # Errors
    /// The connection is broken.
    pub fn log_out(&mut self) -> io::Result<()> {
        self.session.log_out(now(), None);
        self.flush()
    }

    /// Ends the connection without a message: to the peer it looks like a network failure.
    pub fn drop_connection(&mut self) {
        self.stream = None;
        self.session.disconnected();
    }

    /// What happens next, within a time; heartbeats and answers are sent meanwhile.
    ///
    /// # Errors
    /// The connection is broken; the session is disconnected.
    pub fn wait(&mut self, timeout: Duration) -> io::Result<Option<Event>> {
        let end = Instant::now() + timeout;
        loop {
            let event = self.session.poll(now(), &mut self.message);
            self.flush()?;
            if let Some(event) = event {
                if matches!(event, Event::Disconnect(_)) {
                    self.close();
                }
                return Ok(Some(event));
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() || self.stream.is_none() {
                return Ok(None);
            }
            if self.read(left)? == Some(0) {
                self.drop_connection();
                return Ok(Some(Event::Disconnect(Cause::Lost)));
            }
        }
    }

    /// The message of the last [`Event::Message`].
    pub fn message(&self) -> Option<Message<'_>> {
        match fix::frame(&self.message, usize::MAX / 2) {
            Frame::Message(message) => Some(message),
            _ => None,
        }
    }

    /// Reads what comes within a time, or until the session has something to do.
    fn read(&mut self, left: Duration) -> io::Result<Option<usize>> {
        let Some(stream) = &mut self.stream else {
            return Ok(None);
        };
        let due = self.session.deadline();
        let due = due.map(|due| Duration::from_nanos(due.0.saturating_sub(now().0)));
        // Zero would mean no limit.
        let wait = due.map_or(left, |due| due.min(left));
        stream.set_read_timeout(Some(wait.max(Duration::from_millis(1))))?;
        match stream.read(&mut self.buffer) {
            Ok(length) => {
                let bytes = self.buffer.get(..length).unwrap_or_default();
                self.session.receive(bytes);
                Ok(Some(length))
            }
            Err(error) => match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted => Ok(None),
                ErrorKind::ConnectionReset => Ok(Some(0)),
                _ => {
                    self.drop_connection();
                    Err(error)
                }
            },
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        let Some(stream) = &mut self.stream else {
            return Ok(());
        };
        let output = match self.session.output() {
            Ok(output) => output,
            Err(cause) => return Err(io::Error::other(cause)),
        };
        let (length, written) = (output.len(), stream.write_all(output));
        if written.is_err() {
            self.drop_connection();
        } else {
            self.session.sent(length);
        }
        written
    }

    fn close(&mut self) {
        if let Some(stream) = self.stream.take() {
            // Fails where the peer was faster.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}
