//! The exchange with FIX sessions over TCP: one thread, all clients.
//!
//! What arrived since the last turn is acted on; then one commit writes the orders, the answers and all sessions' numbers to the
//! [journal](crate::journal); then the answers leave, and the feed's packets. After a sudden end a turn is there completely or not at all: an
//! order that is not in the journal was not reported, its MsgSeqNum was not taken, and its client sends it again.
//!
//! If the disk becomes full, the reserved room is enough for the end: orders are refused, every client is logged out with a Text (58) that
//! says why, and the server ends with an error.

mod floor;
mod playing;

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use feed::source::SourceError;
use formats::fix::{Timestamp, Version};
use session::{
    Acceptor, AcceptorCounters, Config, Credentials, Durability, Limits, Memory, Refused, Role,
    Session, Store,
};
use thiserror::Error;

use crate::exchange::Exchange;
use crate::fault::{Faults, Injected, Injector};
use crate::journal::{JournalError, Recovered};
use crate::publish::Publisher;
use crate::replay::player::Player;

use floor::Floor;
use playing::Playing;
pub use playing::{PlayOptions, Watch};

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
