//! Books that cannot be relied on are rebuilt: a snapshot is asked for, and what the feed says meanwhile is stored.
//!
//! ```text
//!  all is well ── a book is untradable ──> asked ── it came ──> arrived ── the feed is there ──> rebuilt, all is well
//!       ↑                                    │ none came           │ does not fit
//!       └──────────────── it is time ─── pause <───────────────────┘
//! ```

use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::time::{Duration, Instant};

use feed::snapshot::{FetchError, Query, Snapshot, fetch};
use formats::Symbol;
use formats::itch::Version;
use pipeline::{Backlog, Fit, Recovered, Trading};

use crate::{Desk, Notice};

/// Bytes of messages that are stored while a snapshot is awaited, and of a snapshot.
const BOUND: usize = 64 << 20;
/// How long a snapshot may take.
const PATIENCE: Duration = Duration::from_secs(20);
/// Until it is asked for again after a failure: at first, and at most, doubled each time.
const PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Where the books of a desk come from, when they lost messages.
pub enum Recovery {
    /// The desk names nothing.
    None,
    /// A server that is asked.
    Server(Box<Rebuilder>),
    /// Lines on which the exchange sends snapshots in a cycle; of these instruments, with their names.
    Channel(Vec<(u32, String)>),
}

impl Recovery {
    /// That of a desk, for these instruments: index, symbol on the feed, and name.
    pub fn of(desk: &Desk, version: Version, instruments: Vec<(u32, Symbol, String)>) -> Self {
        let instruments = instruments.into_iter();
        match (&desk.feed.fast, &desk.feed.snapshots) {
            (Some(fast), _) if !fast.snapshots.is_empty() => {
                Recovery::Channel(instruments.map(|(index, _, name)| (index, name)).collect())
            }
            (None, Some(server)) => Recovery::Server(Box::new(Rebuilder {
                server: (*server.get_ref()).into(),
                version,
                symbols: instruments.clone().map(|(_, symbol, _)| symbol).collect(),
                instruments: instruments.map(|(index, ..)| index).collect(),
                backlog: Backlog::new(BOUND),
                state: State::Idle,
                pause: PAUSE,
            })),
            _ => Recovery::None,
        }
    }

    /// Takes note of a good datagram of the feed, after the pipeline.
    #[inline]
    pub fn datagram(&mut self, payload: &[u8]) {
        if let Recovery::Server(rebuilder) = self {
            rebuilder.datagram(payload);
        }
    }

    /// Does what is due; tells what happened.
    pub fn poll(&mut self, trading: &mut Trading, tell: &mut dyn FnMut(Notice)) {
        match self {
            Recovery::None => {}
            Recovery::Server(rebuilder) => rebuilder.poll(trading, tell),
            Recovery::Channel(named) => {
                let instruments: Vec<_> = named.iter().map(|(index, _)| *index).collect();
                for recovered in trading.recover(&instruments) {
                    let mut named = named.iter();
                    let name = named.find(|(index, _)| *index == recovered.instrument);
                    let name = name.map_or(String::new(), |(_, name)| name.clone());
                    tell(of_channel(name, recovered));
                }
            }
        }
    }
}

/// What became of a snapshot of the channel, of this instrument.
fn of_channel(symbol: String, recovered: Recovered) -> Notice {
    match recovered.rebuilt {
        Ok(rebuilt) => Notice::Rebuilt {
            symbol,
            message: recovered.next,
            orders: rebuilt.orders,
            since: rebuilt.since,
        },
        Err(error) => Notice::NotRebuilt {
            symbol,
            reason: error.to_string(),
        },
    }
}

enum State {
    /// All books can be relied on, or a failure was long enough ago.
    Idle,
    Pause(Instant),
    Asked(Receiver<Result<Snapshot, FetchError>>),
    Arrived(Snapshot),
}

/// Rebuilds books from the snapshots of a server.
pub struct Rebuilder {
    server: SocketAddr,
    version: Version,
    instruments: Vec<u32>,
    /// Their symbols.
    symbols: Vec<Symbol>,
    backlog: Backlog,
    state: State,
    pause: Duration,
}

impl Rebuilder {
    /// Takes note of a good datagram, after the pipeline.
    #[inline]
    fn datagram(&mut self, payload: &[u8]) {
        if let State::Asked(_) | State::Arrived(_) = self.state {
            self.backlog.record(payload);
        }
    }

    /// Does what is due; tells what happened.
    fn poll(&mut self, trading: &mut Trading, tell: &mut dyn FnMut(Notice)) {
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
    fn ask(&mut self, trading: &Trading, tell: &mut dyn FnMut(Notice)) -> State {
        if trading.untradable(&self.instruments).is_empty() {
            return State::Idle;
        }
        // Nothing is untradable before something came.
        let Some((session, next)) = trading.position() else {
            return State::Idle;
        };
        self.backlog.begin(session, next);
        let query = Query {
            server: self.server,
            session,
            version: self.version,
            symbols: self.symbols.clone(),
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
        tell(Notice::SnapshotRequested {
            server: self.server.to_string(),
        });
        State::Asked(asked)
    }

    /// Rebuilds what needs it, if the feed has come so far.
    fn use_snapshot(
        &mut self,
        snapshot: Snapshot,
        trading: &mut Trading,
        tell: &mut dyn FnMut(Notice),
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
            let mut named = self.instruments.iter().zip(&self.symbols);
            let symbol = named.find(|(index, _)| **index == instrument);
            let symbol = symbol.map_or(String::new(), |(_, symbol)| symbol.to_string());
            match rebuilt {
                Ok(rebuilt) => tell(Notice::Rebuilt {
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

    fn fail(&mut self, reason: String, tell: &mut dyn FnMut(Notice)) -> State {
        tell(Notice::NoSnapshot {
            server: self.server.to_string(),
            reason,
            seconds: self.pause.as_secs(),
        });
        let end = Instant::now() + self.pause;
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        State::Pause(end)
    }
}
