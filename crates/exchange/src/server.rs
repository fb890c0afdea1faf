//! The exchange with FIX sessions over TCP: one thread, all clients.
//!
//! What arrived since the last turn is acted on; then one commit writes the orders, the answers and all sessions' numbers to the
//! [journal](crate::journal); then the answers leave, and the feed's packets. After a sudden end a turn is there completely or not at all: an
//! order that is not in the journal was not reported, its MsgSeqNum was not taken, and its client sends it again.
//!
//! If the disk becomes full, the reserved room is enough for the end: orders are refused, every client is logged out with a Text (58) that
//! says why, and the server ends with an error.

mod playing;

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use feed::source::SourceError;
use session::{
    Acceptor, AcceptorCounters, Application, Cause, Config, Credentials, Durability, Limits,
    Memory, Refused, Role, Session, Sessions, Store,
};
use thiserror::Error;
use wire::fix::{Body, Message, NewOrderSingle, Timestamp, Version};

use crate::exchange::{Error, Exchange};
use crate::fault::{Faults, Injected, Injector};
use crate::journal::{JournalError, Recovered};
use crate::outgoing::{Outbox, Outgoing};
use crate::publish::Publisher;
use crate::replay::player::Player;

use playing::Playing;
pub use playing::{PlayOptions, Watch};

/// Time between two signs of life of the publishers: MoldUDP64 asks for one a second.
const HEARTBEAT: u64 = 1_000_000_000;
/// The longest CompID, in bytes: it is a file's name.
const LONGEST_NAME: usize = 32;

/// Who may log on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientSettings {
    /// SenderCompID: letters, digits, `-` and `_`.
    pub name: String,
    /// The version it speaks.
    pub version: Version,
    /// What its Logon must have in Password (554), and its name in Username (553); `None`: neither is checked.
    pub password: Option<String>,
}

/// Why there is no server.
#[derive(Debug, Error)]
pub enum ServerError {
    /// An invalid CompID.
    #[error("{0:?} is no CompID: write 1 to {LONGEST_NAME} letters, digits, - and _")]
    Name(String),
    /// Two clients of the same name.
    #[error("{0}: named twice")]
    Twice(String),
    /// The folder of the journal.
    #[error("{path}: {cause}")]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// The journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The socket.
    #[error("cannot listen at {address}: {cause}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// What the system says.
        cause: io::Error,
    },
    /// A recorded day cannot be played beside a journal.
    #[error(
        "a replay keeps no journal: a restart could not put the recorded orders between the clients'"
    )]
    ReplayJournal,
    /// The file of a recorded day.
    #[error(transparent)]
    Replay(#[from] SourceError),
    /// Waiting for clients failed.
    #[error("cannot wait for clients: {0}")]
    Wait(io::Error),
}

/// What happened so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Of the connections.
    pub connections: AcceptorCounters,
    /// Logons that were accepted.
    pub logons: u64,
    /// Messages of clients' applications.
    pub messages: u64,
    /// Messages to clients.
    pub answers: u64,
    /// What the journal held at the start.
    pub recovered: Recovered,
    /// Faults that were injected.
    pub faults: Injected,
}

/// Takes note of a connection that ended before it was logged on.
pub type RefusalWatch = Box<dyn FnMut(&Refused<'_>)>;

/// Numbers and messages of a session, in a file or in memory.
type AnyStore = Box<dyn Store>;

/// The exchange and its clients.
pub struct Server {
    acceptor: Acceptor<AnyStore>,
    floor: Floor,
}

/// A folder for the journal, and what it survives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalSettings {
    /// The folder; made if it is not there.
    pub folder: PathBuf,
    /// What a commit survives.
    pub durability: Durability,
    /// How large the journal may become.
    pub limits: Limits,
}

impl JournalSettings {
    /// With the usual limits.
    pub fn new(folder: &Path, durability: Durability) -> Self {
        JournalSettings {
            folder: folder.to_owned(),
            durability,
            limits: Limits::default(),
        }
    }
}

/// The application of the sessions.
struct Floor {
    exchange: Exchange,
    /// The exchange's number of each session's client.
    clients: Vec<u32>,
    counters: Counters,
    last_heartbeat: Timestamp,
    prices_to_all: bool,
    faults: Injector,
    playing: Option<Playing>,
    refusal_watch: Option<RefusalWatch>,
    failed: Option<ServerError>,
    /// Every client was logged out because the journal failed.
    is_closed: bool,
}

/// Sends to sessions.
struct Desk<'a> {
    sessions: &'a mut Sessions<AnyStore>,
    clients: &'a [u32],
    now: Timestamp,
    sent: u64,
    faults: &'a mut Injector,
}

impl Desk<'_> {
    /// Sends an answer: once, twice, or not yet.
    fn answer(
        session: &mut Session<AnyStore>,
        now: Timestamp,
        message: &Outgoing<'_>,
        (dropped, duplicated): (bool, bool),
    ) -> Result<(), session::SendError> {
        let (msg_type, header) = (message.msg_type(), wire::fix::Header::default());
        let body = |encoder: &mut wire::fix::Encoder<'_>| message.put(encoder);
        if dropped {
            return session.withhold(now, msg_type, body).map(drop);
        }
        let sequence = session.send_fields(now, msg_type, &header, body)?;
        if duplicated {
            // A store that fails reports it again when the output is requested.
            let _ = session.send_twice(now, sequence);
        }
        Ok(())
    }
}

impl Outbox for Desk<'_> {
    fn send(&mut self, client: u32, message: &Outgoing<'_>) {
        let place = self.clients.iter().position(|number| *number == client);
        let Some(session) = place.and_then(|place| self.sessions.get_mut(place)) else {
            return;
        };
        let (now, msg_type) = (self.now, message.msg_type());
        let sent = match message {
            // Prices of the past are of no use.
            Outgoing::Snapshot(_) | Outgoing::Increment(_) => session
                .send_once(now, msg_type, |encoder| message.put(encoder))
                .map(|sent| sent.is_some()),
            _ => Desk::answer(session, now, message, self.faults.answer()).map(|()| true),
        };
        debug_assert!(sent.is_ok(), "no message here is longer than any may be");
        self.sent += u64::from(sent.unwrap_or(false));
    }
}

impl Server {
    /// Listens at an address. With a `journal` the books and the sessions are what they were when it was last used; `name` is the
    /// exchange's CompID.
    ///
    /// # Errors
    /// A client's name, the folder, or the address is wrong.
    pub fn open(
        address: SocketAddr,
        name: &str,
        mut exchange: Exchange,
        clients: &[ClientSettings],
        journal: Option<&JournalSettings>,
    ) -> Result<Self, ServerError> {
        check_name(name)?;
        let mut counters = Counters::default();
        if let Some(journal) = journal {
            let folder = &journal.folder;
            std::fs::create_dir_all(folder).map_err(|cause| ServerError::Folder {
                path: folder.clone(),
                cause,
            })?;
            let path = folder.join("orders.journal");
            counters.recovered = exchange.recover(&path, journal.durability, journal.limits)?;
        }
        let (mut sessions, mut numbers) = (vec![], vec![]);
        for (at, client) in clients.iter().enumerate() {
            check_name(&client.name)?;
            let others = clients.get(..at).unwrap_or_default();
            if others.iter().any(|other| other.name == client.name) {
                return Err(ServerError::Twice(client.name.clone()));
            }
            let store: AnyStore = match exchange.store(client.name.as_bytes()) {
                None => Box::new(Memory::default()),
                Some(store) => Box::new(store),
            };
            let config = Config {
                credentials: client.password.as_ref().map(|password| Credentials {
                    username: client.name.clone().into_bytes(),
                    password: password.clone().into_bytes(),
                }),
                ..Config::new(
                    Role::Acceptor,
                    client.version,
                    name.as_bytes(),
                    client.name.as_bytes(),
                )
            };
            sessions.push(Session::new(config, store));
            numbers.push(exchange.client(client.name.as_bytes(), client.version));
        }
        let settings = session::Settings::default();
        let settings = session::Settings {
            // Every client, and as many strangers as otherwise.
            most_connections: settings.most_connections + sessions.len(),
            ..settings
        };
        let acceptor = Acceptor::bind(address, sessions, settings)
            .map_err(|cause| ServerError::Listen { address, cause })?;
        Ok(Server {
            acceptor,
            floor: Floor {
                exchange,
                clients: numbers,
                counters,
                last_heartbeat: Timestamp::default(),
                prices_to_all: false,
                faults: Injector::default(),
                playing: None,
                refusal_watch: None,
                failed: None,
                is_closed: false,
            },
        })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// The system does not say.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.acceptor.local_address()
    }

    /// Adds a publisher of prices.
    pub fn publish(&mut self, publisher: Box<dyn Publisher>, now: Timestamp) {
        self.floor.exchange.publish(publisher, now);
    }

    /// From now on every client that logs on gets the prices of every instrument, without a request.
    pub const fn send_prices_to_all(&mut self) {
        self.floor.prices_to_all = true;
    }

    /// From now on `watch` is called for every connection that ends before it is logged on.
    pub fn watch_refusals(&mut self, watch: RefusalWatch) {
        self.floor.refusal_watch = Some(watch);
    }

    /// From now on faults are injected.
    pub const fn inject(&mut self, faults: Faults) {
        self.floor.faults.faults = faults;
    }

    /// Plays a recorded day into the books once the server runs. `watch` gets its progress, every so many messages and at the end.
    ///
    /// # Errors
    /// There is a journal.
    pub fn play(
        &mut self,
        player: Player,
        options: PlayOptions,
        watch: Watch,
    ) -> Result<(), ServerError> {
        if self.floor.exchange.journal.is_some() {
            return Err(ServerError::ReplayJournal);
        }
        let clients = self.floor.clients.clone();
        self.floor.playing = Some(Playing::new(player, options, clients, watch));
        Ok(())
    }

    /// The exchange.
    pub const fn exchange(&self) -> &Exchange {
        &self.floor.exchange
    }

    /// What happened so far.
    pub const fn counters(&self) -> Counters {
        Counters {
            connections: self.acceptor.counters(),
            faults: self.floor.faults.injected,
            ..self.floor.counters
        }
    }

    /// Serves until `stop` is set, then logs all clients out.
    ///
    /// # Errors
    /// The journal cannot be written, or the system cannot wait for connections.
    pub fn run(&mut self, stop: &AtomicBool) -> Result<(), ServerError> {
        let ended = self.acceptor.run(&mut self.floor, stop);
        match self.floor.failed.take() {
            Some(error) => Err(error),
            None => ended.map_err(ServerError::Wait),
        }
    }
}

/// A CompID becomes the name of a file.
fn check_name(name: &str) -> Result<(), ServerError> {
    let fine = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(fine) {
        Ok(())
    } else {
        Err(ServerError::Name(name.to_owned()))
    }
}

impl Floor {
    /// Lets the exchange do something, and returns how many messages that led to.
    fn with<T>(
        &mut self,
        sessions: &mut Sessions<AnyStore>,
        now: Timestamp,
        act: impl FnOnce(&mut Exchange, &mut dyn Outbox) -> T,
    ) -> (T, u64) {
        let mut desk = Desk {
            sessions,
            clients: &self.clients,
            now,
            sent: 0,
            faults: &mut self.faults,
        };
        let result = act(&mut self.exchange, &mut desk);
        let sent = desk.sent;
        self.counters.answers += sent;
        (result, sent)
    }

    /// Acts on a message of a client.
    fn act(
        &mut self,
        sessions: &mut Sessions<AnyStore>,
        session: usize,
        client: u32,
        message: &Message<'_>,
        now: Timestamp,
    ) {
        if self.failed.is_some() {
            return self.refuse(sessions, session, client, message, now);
        }
        if let Some(name) = sent_again(message) {
            let status = |exchange: &mut Exchange, outbox: &mut dyn Outbox| {
                exchange.status(client, name, outbox);
            };
            if self.with(sessions, now, status).1 > 0 {
                return;
            }
        }
        let is_order = message.msg_type() == NewOrderSingle::MSG_TYPE;
        let refuse = is_order && self.faults.rejects();
        let (result, _) = self.with(sessions, now, |exchange, outbox| {
            if refuse {
                exchange.refuse(client, message, now, outbox)
            } else {
                exchange.message(client, message, now, outbox)
            }
        });
        match result {
            Ok(()) => {}
            Err(Error::Refusal(refusal)) => {
                if let Some(session) = sessions.get_mut(session) {
                    session.reject(now, message, refusal.into());
                }
            }
            Err(Error::Journal(error)) => {
                self.failed = Some(error.into());
                self.refuse(sessions, session, client, message, now);
            }
        }
    }

    /// Refuses a request, as nothing can be stored any more.
    fn refuse(
        &mut self,
        sessions: &mut Sessions<AnyStore>,
        session: usize,
        client: u32,
        message: &Message<'_>,
        now: Timestamp,
    ) {
        let (result, _) = self.with(sessions, now, |exchange, outbox| {
            exchange.refuse_unstored(client, message, now, outbox)
        });
        if let (Err(Error::Refusal(refusal)), Some(session)) = (result, sessions.get_mut(session)) {
            session.reject(now, message, refusal.into());
        }
    }

    /// Writes the journal, and lets the feed publish what is in it.
    fn commit(&mut self) {
        if let Err(error) = self.exchange.commit() {
            self.failed.get_or_insert(error.into());
        }
    }

    /// Logs every client out, once, if the journal has failed.
    fn close(&mut self, sessions: &mut Sessions<AnyStore>, now: Timestamp) {
        let Some(ServerError::Journal(error)) = &self.failed else {
            return;
        };
        if std::mem::replace(&mut self.is_closed, true) {
            return;
        }
        let text = if error.is_full() {
            "The exchange is closing: its disk is full"
        } else {
            "The exchange is closing: its disk failed"
        };
        for session in 0..sessions.len() {
            if let Some(session) = sessions.get_mut(session) {
                session.log_out(now, Some(text));
            }
        }
    }
}

impl Application<AnyStore> for Floor {
    fn logged_on(&mut self, sessions: &mut Sessions<AnyStore>, session: usize, now: Timestamp) {
        self.counters.logons += 1;
        if let (Some(playing), Some(client)) = (&mut self.playing, self.clients.get(session)) {
            playing.logged_on(*client);
        }
        if let Some(client) = self.clients.get(session).copied()
            && self.prices_to_all
        {
            self.with(sessions, now, |exchange, outbox| {
                exchange.subscribe_to_all(client, outbox);
            });
        }
    }

    fn message(
        &mut self,
        sessions: &mut Sessions<AnyStore>,
        session: usize,
        message: &Message<'_>,
        now: Timestamp,
    ) {
        let Some(client) = self.clients.get(session).copied() else {
            return;
        };
        self.counters.messages += 1;
        std::thread::sleep(self.faults.faults.delay);
        self.act(sessions, session, client, message, now);
        if self.faults.disconnects()
            && let Some(session) = sessions.get_mut(session)
        {
            session.disconnected();
        }
    }

    fn refused(&mut self, refused: &Refused<'_>) {
        if let Some(watch) = &mut self.refusal_watch {
            watch(refused);
        }
    }

    fn disconnected(
        &mut self,
        _: &mut Sessions<AnyStore>,
        session: usize,
        cause: Cause,
        _: Timestamp,
    ) {
        if cause == Cause::Store {
            // The journal failed: it reports that again.
            self.commit();
        }
        if let Some(client) = self.clients.get(session) {
            self.exchange.disconnect(*client);
        }
    }

    fn turn(&mut self, sessions: &mut Sessions<AnyStore>, now: Timestamp) {
        self.play(sessions, now);
        self.commit();
        self.close(sessions, now);
        if now.0.saturating_sub(self.last_heartbeat.0) >= HEARTBEAT {
            self.exchange.heartbeat(now);
            self.last_heartbeat = now;
        }
    }

    fn deadline(&mut self, now: Timestamp) -> Option<Timestamp> {
        if self.exchange.is_unpublished() && self.failed.is_none() {
            return Some(now);
        }
        self.playing.as_mut()?.deadline(now)
    }

    fn is_over(&self) -> bool {
        self.failed.is_some() || self.playing.as_ref().is_some_and(Playing::is_over)
    }
}

/// ClOrdID of a new order that was sent before: it may have been acted on.
fn sent_again<'a>(message: &Message<'a>) -> Option<&'a [u8]> {
    if message.msg_type() != NewOrderSingle::MSG_TYPE
        || message.header().ok()?.possible_duplicate != Some(true)
    {
        return None;
    }
    let mut fields = message.fields().flatten();
    Some(fields.find(|field| field.tag == 11)?.value)
}
