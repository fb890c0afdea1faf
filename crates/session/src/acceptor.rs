//! Sessions over TCP: one thread, all connections, one application. A connection's Logon names its session; one whose names have no
//! session is disconnected.

mod connection;
mod settings;

use crate::clock::now;
use crate::session::{Cause, Event, Session};
use crate::store::Store;
pub use connection::Refused;
use connection::{Connection, Phase, identity};
use formats::fix::{self, Frame, Message, Timestamp};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
pub use settings::{Counters, Settings};
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The longest wait before the stop flag is polled again.
const LONGEST_WAIT: Duration = Duration::from_millis(50);
/// How long a connection that ends is given to take what is left and to close its side.
const GRACE: Duration = Duration::from_secs(1);

/// All sessions of an acceptor, connected or not; a session is known by its index.
#[derive(Debug)]
pub struct Sessions<S>(Vec<Session<S>>);

impl<S> Sessions<S> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A session.
    pub fn get(&self, session: usize) -> Option<&Session<S>> {
        self.0.get(session)
    }

    /// A session, to send with.
    pub fn get_mut(&mut self, session: usize) -> Option<&mut Session<S>> {
        self.0.get_mut(session)
    }
}

/// The application of the sessions. It may send on any session whenever it is called.
pub trait Application<S: Store> {
    /// A session is logged on.
    fn logged_on(&mut self, _sessions: &mut Sessions<S>, _session: usize, _now: Timestamp) {}

    /// A message of the application came, in sequence. An application that calls [`Session::disconnected`] ends the connection
    /// without a message.
    fn message(
        &mut self,
        sessions: &mut Sessions<S>,
        session: usize,
        message: &Message<'_>,
        now: Timestamp,
    );

    /// A connection ended that had not logged on: its peer, and why.
    fn refused(&mut self, _refused: &Refused<'_>) {}

    /// A session's connection ended.
    fn disconnected(
        &mut self,
        _sessions: &mut Sessions<S>,
        _session: usize,
        _cause: Cause,
        _now: Timestamp,
    ) {
    }

    /// Called at each turn, after what was received was handled: at least every 50 ms.
    fn turn(&mut self, _sessions: &mut Sessions<S>, _now: Timestamp) {}

    /// When it wants its next turn, if it does not want to wait for it.
    fn deadline(&mut self, _now: Timestamp) -> Option<Timestamp> {
        None
    }

    /// Whether it cannot go on: the acceptor then ends as if `stop` were set.
    fn is_over(&self) -> bool {
        false
    }
}

/// Listens, and drives its sessions.
#[derive(Debug)]
pub struct Acceptor<S> {
    listener: TcpListener,
    sessions: Sessions<S>,
    settings: Settings,
    connections: Vec<Connection>,
    counters: Counters,
    /// Holds a message while the application reads it.
    message: Vec<u8>,
    /// Where bytes are read to.
    buffer: Box<[u8]>,
}

impl<S: Store> Acceptor<S> {
    /// Listens at an address.
    ///
    /// # Errors
    /// It cannot listen there.
    pub fn bind(
        address: SocketAddr,
        sessions: Vec<Session<S>>,
        settings: Settings,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        Ok(Acceptor {
            listener,
            sessions: Sessions(sessions),
            settings,
            connections: Vec::new(),
            counters: Counters::default(),
            message: Vec::new(),
            buffer: vec![0; 64 * 1024].into_boxed_slice(),
        })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// The system does not say.
    pub fn local_address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// What it counted.
    pub const fn counters(&self) -> Counters {
        self.counters
    }

    /// Its sessions.
    pub const fn sessions(&mut self) -> &mut Sessions<S> {
        &mut self.sessions
    }

    /// Serves until `stop` is set; then logs out of every session, waits for the answers, and returns.
    ///
    /// # Errors
    /// The system's call to wait for connections failed.
    pub fn run(
        &mut self,
        application: &mut impl Application<S>,
        stop: &AtomicBool,
    ) -> io::Result<()> {
        while !stop.load(Ordering::Relaxed) && !application.is_over() {
            self.turn(application)?;
        }
        for session in &mut self.sessions.0 {
            session.log_out(now(), None);
        }
        self.connections
            .retain(|connection| !matches!(connection.phase, Phase::Unknown { .. }));
        // A Logout that is not answered ends by its timeout, a closing connection by its grace.
        while !self.connections.is_empty() {
            self.turn(application)?;
        }
        Ok(())
    }

    /// Waits for what happens next, and handles it.
    ///
    /// # Errors
    /// The system's call to wait for connections failed.
    pub fn turn(&mut self, application: &mut impl Application<S>) -> io::Result<()> {
        let ready = self.wait(application.deadline(now()))?;
        let now = now();
        if ready.first().copied().unwrap_or_default() {
            self.accept(now);
        }
        for (at, ready) in ready.iter().skip(1).enumerate() {
            if *ready {
                self.read(at, application, now);
            }
        }
        for at in 0..self.connections.len() {
            self.drive(at, application, now);
        }
        application.turn(&mut self.sessions, now);
        for at in 0..self.connections.len() {
            self.flush(at, application, now);
        }
        self.connections.retain(|connection| !connection.is_over());
        Ok(())
    }

    /// Waits; returns which of the listener and the connections have something to read.
    fn wait(&self, deadline: Option<Timestamp>) -> io::Result<Vec<bool>> {
        let now = now();
        let mut timeout = deadline.map_or(LONGEST_WAIT, |deadline| {
            Duration::from_nanos(deadline.0.saturating_sub(now.0)).min(LONGEST_WAIT)
        });
        let mut waits = vec![PollFd::new(&self.listener, PollFlags::IN)];
        for connection in &self.connections {
            let mut flags = PollFlags::IN;
            let session = connection.session().and_then(|at| self.sessions.get(at));
            if let Some(session) = session {
                // Its output is at its limit: what came waits, here and in the kernel.
                if session.waiting() > self.buffer.len() * 2 {
                    flags = PollFlags::empty();
                }
                if let Some(deadline) = session.deadline() {
                    let left = deadline.0.saturating_sub(now.0);
                    timeout = timeout.min(Duration::from_nanos(left));
                }
            }
            if connection.is_blocked {
                flags |= PollFlags::OUT;
            }
            waits.push(PollFd::new(&connection.stream, flags));
        }
        let timeout = Timespec {
            tv_sec: 0,
            tv_nsec: timeout.subsec_nanos().into(),
        };
        match poll(&mut waits, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let something = PollFlags::IN | PollFlags::HUP | PollFlags::ERR;
        Ok(waits
            .iter()
            .map(|wait| wait.revents().intersects(something))
            .collect())
    }

    fn accept(&mut self, now: Timestamp) {
        loop {
            match self.listener.accept() {
                Ok((stream, address)) => {
                    self.counters.connections += 1;
                    if let Ok(connection) = Connection::new(stream, address, now) {
                        self.admit(connection);
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    if error.kind() != ErrorKind::WouldBlock {
                        // No more descriptors, most likely: the ones in use have to be closed first.
                        std::thread::sleep(Duration::from_millis(1));
                    }
                    return;
                }
            }
        }
    }

    /// Takes a connection in. Without room, the one that has been silent longest is dropped: a flood of them does not keep out a client
    /// that logs on at once.
    fn admit(&mut self, connection: Connection) {
        if self.connections.len() < self.settings.most_connections {
            self.connections.push(connection);
            return;
        }
        self.counters.too_many += 1;
        let silent = self.connections.iter_mut().filter_map(|other| {
            let Phase::Unknown { since, .. } = other.phase else {
                return None;
            };
            Some((since, other))
        });
        if let Some((_, oldest)) = silent.min_by_key(|(since, _)| *since) {
            *oldest = connection;
        }
    }

    /// Reads what a connection has received.
    fn read(&mut self, at: usize, application: &mut impl Application<S>, now: Timestamp) {
        let Some(connection) = self.connections.get_mut(at) else {
            return;
        };
        let bytes = match connection.read(&mut self.buffer) {
            Ok(0) => return self.lost(at, application, now),
            Ok(length) => self.buffer.get(..length).unwrap_or_default(),
            Err(error) if error.kind() == ErrorKind::WouldBlock => return,
            Err(_) => return self.lost(at, application, now),
        };
        match &mut connection.phase {
            Phase::Unknown { first, .. } => {
                first.extend_from_slice(bytes);
                self.identify(at, application, now);
            }
            Phase::Session(session) => {
                if let Some(session) = self.sessions.get_mut(*session) {
                    session.receive(bytes);
                }
            }
            Phase::Closing { .. } | Phase::Over => {}
        }
    }

    /// The peer, or the network, ended a connection.
    fn lost(&mut self, at: usize, application: &mut impl Application<S>, now: Timestamp) {
        let Some(connection) = self.connections.get_mut(at) else {
            return;
        };
        let session = connection.session();
        connection.phase = Phase::Over;
        if let Some(session) = session {
            if let Some(session) = self.sessions.get_mut(session) {
                session.disconnected();
            }
            application.disconnected(&mut self.sessions, session, Cause::Lost, now);
        }
    }

    /// Finds the session of a connection by its first message.
    fn identify(&mut self, at: usize, application: &mut impl Application<S>, now: Timestamp) {
        let Some(connection) = self.connections.get_mut(at) else {
            return;
        };
        let Phase::Unknown { first, .. } = &mut connection.phase else {
            return;
        };
        let message = match fix::frame(first, connection::LONGEST_LOGON) {
            Frame::Incomplete => return,
            Frame::Message(message) if message.msg_type() == b"A" => message,
            Frame::Message(_) | Frame::Garbled { .. } => {
                self.counters.not_logon += 1;
                application.refused(&connection.refused(Cause::NotLogon));
                connection.phase = Phase::closing(Vec::new(), now);
                return;
            }
        };
        let identity = identity(&message);
        connection.name = identity.1.unwrap_or_default().to_vec();
        let found = self.sessions.0.iter().position(|session| {
            let config = session.config();
            identity
                == (
                    config.version.begin_string().as_slice(),
                    Some(config.target.as_slice()),
                    Some(config.sender.as_slice()),
                )
        });
        match found.and_then(|place| Some((place, self.sessions.get_mut(place)?))) {
            None => {
                self.counters.unknown += 1;
                application.refused(&connection.refused(Cause::UnknownSession));
                connection.phase = Phase::closing(Vec::new(), now);
            }
            Some((_, session)) if session.is_connected() => {
                self.counters.already_connected += 1;
                application.refused(&connection.refused(Cause::AlreadyConnected));
                connection.phase = Phase::closing(Vec::new(), now);
            }
            Some((place, session)) => {
                session.connect(now);
                session.receive(first);
                connection.phase = Phase::Session(place);
            }
        }
    }

    /// Lets a session handle what it received, and the time.
    fn drive(&mut self, at: usize, application: &mut impl Application<S>, now: Timestamp) {
        let Some(connection) = self.connections.get_mut(at) else {
            return;
        };
        if let Phase::Unknown { since, .. } = connection.phase
            && now.0.saturating_sub(since.0) > self.settings.logon_timeout.as_nanos() as u64
        {
            self.counters.not_logon += 1;
            application.refused(&connection.refused(Cause::LogonTimeout));
            connection.phase = Phase::closing(Vec::new(), now);
        }
        let Some(place) = connection.session() else {
            return;
        };
        while let Some(session) = self.sessions.get_mut(place) {
            match session.poll(now, &mut self.message) {
                None => return,
                Some(Event::LoggedOn) => {
                    if let Some(connection) = self.connections.get_mut(at) {
                        connection.has_logged_on = true;
                    }
                    application.logged_on(&mut self.sessions, place, now);
                }
                Some(Event::Message { .. }) => {
                    if let Frame::Message(message) = fix::frame(&self.message, usize::MAX / 2) {
                        application.message(&mut self.sessions, place, &message, now);
                    }
                    if !self.sessions.get(place).is_some_and(Session::is_connected) {
                        // The application ended it.
                        if let Some(connection) = self.connections.get_mut(at) {
                            connection.phase = Phase::Over;
                        }
                        return application.disconnected(
                            &mut self.sessions,
                            place,
                            Cause::Lost,
                            now,
                        );
                    }
                }
                Some(Event::Disconnect(cause)) => {
                    let rest = session.output().unwrap_or_default().to_vec();
                    if let Some(connection) = self.connections.get_mut(at) {
                        if !connection.has_logged_on {
                            application.refused(&connection.refused(cause));
                        }
                        connection.phase = Phase::closing(rest, now);
                    }
                    return application.disconnected(&mut self.sessions, place, cause, now);
                }
            }
        }
    }

    /// Sends what a connection has to send.
    fn flush(&mut self, at: usize, application: &mut impl Application<S>, now: Timestamp) {
        let Some(connection) = self.connections.get_mut(at) else {
            return;
        };
        let Some(place) = connection.session() else {
            return connection.finish(now, GRACE);
        };
        loop {
            let Some(session) = self.sessions.get_mut(place) else {
                return;
            };
            let Some(connection) = self.connections.get_mut(at) else {
                return;
            };
            if connection.session() != Some(place) {
                return connection.finish(now, GRACE);
            }
            let Ok(output) = session.output() else {
                connection.phase = Phase::closing(Vec::new(), now);
                return application.disconnected(&mut self.sessions, place, Cause::Store, now);
            };
            if output.is_empty() {
                return;
            }
            let Ok(length) = connection.write(output) else {
                return self.lost(at, application, now);
            };
            let left = output.len() - length;
            session.sent(length);
            if left > self.settings.most_unsent {
                self.counters.slow += 1;
                return self.lost(at, application, now);
            }
            if left > 0 {
                return;
            }
            // It may have waited for room.
            self.drive(at, application, now);
        }
    }
}
