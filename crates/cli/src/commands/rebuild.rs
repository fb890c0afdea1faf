//! Books that cannot be relied on are rebuilt: a snapshot is asked for, and what the feed says meanwhile is stored.
//!
//! ```text
//!  all is well ── a book is untradable ──> asked ── it came ──> arrived ── the feed is there ──> rebuilt, all is well
//!       ↑                                    │ none came           │ does not fit
//!       └──────────────── it is time ─── pause <───────────────────┘
//! ```

use std::fmt;
use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::time::{Duration, Instant};

use feed::snapshot::{FetchError, Query, Snapshot, fetch};
use formats::Symbol;
use formats::itch::Version;
use pipeline::{Backlog, Fit, Recovered, Trading};
use serde::Serialize;

/// Bytes of messages that are stored while a snapshot is awaited, and of a snapshot.
const BOUND: usize = 64 << 20;
/// How long a snapshot may take.
const PATIENCE: Duration = Duration::from_secs(20);
/// Until it is asked for again after a failure: at first, and at most, doubled each time.
const PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// What is asked for, and where.
#[derive(Clone, Debug)]
pub struct Source {
    /// The server of snapshots.
    pub server: SocketAddr,
    /// ITCH version of the feed.
    pub version: Version,
    /// The instruments that are traded: index and symbol.
    pub instruments: Vec<(u32, Symbol)>,
}

/// A line of how it goes.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Progress {
    /// A snapshot was asked for: a book has to be rebuilt.
    SnapshotRequested {
        /// Of whom.
        server: String,
    },
    /// The book of an instrument was rebuilt.
    Rebuilt {
        /// Its instrument.
        symbol: String,
        /// The number of the feed's first message that was not in the snapshot.
        message: u64,
        /// Its orders in the snapshot.
        orders: u64,
        /// Its messages since.
        since: u64,
    },
    /// The book could not be rebuilt; it is tried again.
    NoSnapshot {
        /// Who should have given it.
        server: String,
        /// Why not.
        reason: String,
        /// When it is asked for again.
        seconds: u64,
    },
    /// A snapshot of the channel cannot be used; the next is waited for.
    NotRebuilt {
        /// Its instrument.
        symbol: String,
        /// Why not.
        reason: String,
    },
    /// The book of an instrument was written into the core.
    Restored {
        /// Its instrument.
        symbol: String,
        /// Its orders.
        orders: usize,
    },
    /// The core did not take the book; it is tried again.
    NotRestored {
        /// Its instrument.
        symbol: String,
        /// Why not.
        reason: String,
    },
}

impl Progress {
    /// What became of a snapshot of the channel, of this instrument.
    pub fn of_channel(symbol: String, recovered: Recovered) -> Self {
        match recovered.rebuilt {
            Ok(rebuilt) => Progress::Rebuilt {
                symbol,
                message: recovered.next,
                orders: rebuilt.orders,
                since: rebuilt.since,
            },
            Err(error) => Progress::NotRebuilt {
                symbol,
                reason: error.to_string(),
            },
        }
    }
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Progress::SnapshotRequested { server } => {
                write!(f, "snapshot requested of {server}")
            }
            Progress::Rebuilt {
                symbol,
                message,
                orders,
                since,
            } => write!(
                f,
                "message {message}: {symbol} rebuilt of {orders} orders, and {since} messages since"
            ),
            Progress::NoSnapshot {
                server,
                reason,
                seconds,
            } => write!(
                f,
                "no book from the snapshot server {server}: {reason}; asked again in {seconds} s"
            ),
            Progress::NotRebuilt { symbol, reason } => {
                write!(
                    f,
                    "{symbol} is not rebuilt: {reason}; the next snapshot is waited for"
                )
            }
            Progress::Restored { symbol, orders } => {
                write!(f, "{symbol}: {orders} orders written into the core")
            }
            Progress::NotRestored { symbol, reason } => {
                write!(f, "{symbol} cannot be written into the core: {reason}")
            }
        }
    }
}

enum State {
    /// All books can be relied on, or a failure was long enough ago.
    Idle,
    Pause(Instant),
    Asked(Receiver<Result<Snapshot, FetchError>>),
    Arrived(Snapshot),
}

/// Rebuilds the books of a desk.
pub struct Rebuilder {
    source: Source,
    instruments: Vec<u32>,
    backlog: Backlog,
    state: State,
    pause: Duration,
}

impl Rebuilder {
    /// Of these instruments.
    pub fn new(source: Source) -> Self {
        Rebuilder {
            instruments: source.instruments.iter().map(|(index, _)| *index).collect(),
            source,
            backlog: Backlog::new(BOUND),
            state: State::Idle,
            pause: PAUSE,
        }
    }

    /// Takes note of a good datagram, after the pipeline.
    #[inline]
    pub fn datagram(&mut self, payload: &[u8]) {
        if let State::Asked(_) | State::Arrived(_) = self.state {
            self.backlog.record(payload);
        }
    }

    /// Does what is due; tells what happened.
    pub fn poll(&mut self, trading: &mut Trading, tell: &mut dyn FnMut(Progress)) {
        self.state = match std::mem::replace(&mut self.state, State::Idle) {
            State::Pause(end) if Instant::now() < end => State::Pause(end),
            State::Idle | State::Pause(_) => self.ask(trading, tell),
            State::Asked(answer) => match answer.try_recv() {
                Err(TryRecvError::Empty) => State::Asked(answer),
                Err(TryRecvError::Disconnected) => self.fail("nobody asked for it".into(), tell),
                Ok(Err(error)) => self.fail(error.to_string(), tell),
                Ok(Ok(snapshot)) => self.use_snapshot(snapshot, trading, tell),
            },
            State::Arrived(snapshot) => self.use_snapshot(snapshot, trading, tell),
        };
    }

    /// Asks for a snapshot, if a book needs one.
    fn ask(&mut self, trading: &Trading, tell: &mut dyn FnMut(Progress)) -> State {
        if trading.untradable(&self.instruments).is_empty() {
            return State::Idle;
        }
        // Nothing is untradable before something came.
        let Some((session, next)) = trading.position() else {
            return State::Idle;
        };
        self.backlog.begin(session, next);
        let query = Query {
            server: self.source.server,
            session,
            version: self.source.version,
            symbols: self.symbols(),
            patience: PATIENCE,
            bound: BOUND,
        };
        let (answer, asked) = sync_channel(1);
        // It ends by its patience, whether anyone still waits or not.
        let thread = std::thread::Builder::new().name("snapshot".into());
        let spawned = thread.spawn(move || drop(answer.send(fetch(&query))));
        if let Err(error) = spawned {
            return self.fail(error.to_string(), tell);
        }
        tell(Progress::SnapshotRequested {
            server: self.source.server.to_string(),
        });
        State::Asked(asked)
    }

    fn symbols(&self) -> Vec<Symbol> {
        let instruments = self.source.instruments.iter();
        instruments.map(|(_, symbol)| *symbol).collect()
    }

    /// Rebuilds what needs it, if the feed has come so far.
    fn use_snapshot(
        &mut self,
        snapshot: Snapshot,
        trading: &mut Trading,
        tell: &mut dyn FnMut(Progress),
    ) -> State {
        match self.backlog.fit(snapshot.session, snapshot.next) {
            Fit::Ahead => return State::Arrived(snapshot),
            // The feed lost more since, or began anew: the next snapshot has it.
            Fit::TooOld | Fit::OtherSession => return self.ask(trading, tell),
            Fit::Fits => {}
        }
        for instrument in trading.untradable(&self.instruments) {
            let rebuilt = trading.rebuild(
                instrument,
                snapshot.messages(),
                snapshot.session,
                snapshot.next,
                &self.backlog,
            );
            let named = self.source.instruments.iter();
            let symbol = named.clone().find(|(index, _)| *index == instrument);
            let symbol = symbol.map_or(String::new(), |(_, symbol)| symbol.to_string());
            match rebuilt {
                Ok(rebuilt) => tell(Progress::Rebuilt {
                    symbol,
                    message: snapshot.next,
                    orders: rebuilt.orders,
                    since: rebuilt.since,
                }),
                Err(error) => return self.fail(format!("{symbol}: {error}"), tell),
            }
        }
        // What was lost is made up for.
        trading.clear_gap();
        self.pause = PAUSE;
        State::Idle
    }

    fn fail(&mut self, reason: String, tell: &mut dyn FnMut(Progress)) -> State {
        tell(Progress::NoSnapshot {
            server: self.source.server.to_string(),
            reason,
            seconds: self.pause.as_secs(),
        });
        let end = Instant::now() + self.pause;
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        State::Pause(end)
    }
}
