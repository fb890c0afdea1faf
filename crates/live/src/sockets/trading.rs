//! The strategies of a desk in software: the pipeline, and the session that its orders leave by.

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

use book::Status;
use decoder::fast::Fault;
use formats::counters::FeedCounters;
use formats::mold::Cause;
use pipeline::{SEQUENCE_RESET, Traded, Trading as Pipeline, TradingConfig};
use risk::Sources;
use serde::Serialize;
use strategy::statistics::Report;

use super::link::{Engine, Link};
use crate::causes::NotTaken;
use crate::notice::StrategySummary;
use crate::rebuild::Recovery;
use crate::restart::{self, Positions};
use crate::{Error, Monitor, Notice, desk};

/// Datagrams between two looks at the session, while they come without a pause.
const LOOK: u32 = 16;

/// A source of prices, and since when it has been silent, in microseconds.
#[derive(Clone, Copy, Debug, Default)]
struct Alive {
    last: u64,
    stale: bool,
}

/// What the decoder of a feed in FAST counted, and the reader of its snapshots.
#[derive(Clone, Debug, Serialize)]
pub struct FastStatus {
    packets: u32,
    messages: u32,
    old: u32,
    malformed: u32,
    /// Packets with an entry that the map does not take.
    faulty: u32,
    /// Why packets are malformed or faulty: how many, by cause.
    causes: BTreeMap<&'static str, u32>,
    gap: u32,
    lost: u64,
    snapshots: u32,
    snapshots_broken: u32,
    snapshots_malformed: u32,
}

impl fmt::Display for FastStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "  FAST: packets {}, messages {}, old {}, malformed {}, faulty {}, gap {}, lost {}",
            self.packets, self.messages, self.old, self.malformed, self.faulty, self.gap, self.lost
        )?;
        if !self.causes.is_empty() {
            write!(f, "\n  not taken: {}", NotTaken(&self.causes))?;
        }
        write!(
            f,
            "\n  snapshots: complete {}, broken {}, malformed {}",
            self.snapshots, self.snapshots_broken, self.snapshots_malformed
        )
    }
}

/// What trades.
pub struct Trading {
    engine: Engine,
    link: Link,
    /// The strategies in the language, by their places: their names.
    names: Vec<(usize, String)>,
    /// Microseconds of silence after which a source is stale; 0: never.
    stale_limit: u64,
    feed: Alive,
    session: Alive,
    /// Messages of the exchange until then.
    received: u64,
    /// Datagrams since the last look.
    datagrams: u32,
    /// Instruments with strategies, and what was last printed about their books.
    books: Vec<(u32, Status)>,
    recovery: Recovery,
}

impl Trading {
    /// How often to look at the session while nothing comes.
    pub const TURN: Duration = Duration::from_millis(5);

    /// The strategies of a desk, if it has any.
    ///
    /// # Errors
    /// What does not fit together; the session's store cannot be opened.
    pub fn new(
        desk: &desk::Desk,
        config: &pipeline::Config,
        confirmed: Option<&Positions>,
        monitor: &dyn Monitor,
    ) -> Result<Option<Self>, Error> {
        let symbols = &config.symbols;
        let trading = desk.trading(config).map_err(Error::Session)?;
        let reports = config.clone();
        let (Some((config, orders)), Some(session)) = (trading, &desk.session) else {
            return Ok(None);
        };
        let loaded = desk.load(&config)?;
        let name = |one: &desk::Loaded| (one.place, one.program.name.clone());
        let names: Vec<_> = loaded.iter().map(name).collect();
        let count = config.instruments.len();
        let programs = desk::Desk::programs(session, symbols, loaded, count)?;
        let mut pipeline = match &desk.feed.fast {
            None => Pipeline::new(&config)?.with_reports(reports)?,
            Some(fast) => Pipeline::of_order_log(&config, desk.order_log(fast, monitor)?)?,
        };
        let mut traded_names = vec![String::new(); count];
        let indices = session.get_ref().indices(symbols);
        for (traded, index) in session.get_ref().traded().zip(indices) {
            if let Some(name) = traded_names.get_mut(usize::from(index)) {
                name.clone_from(&traded.symbol);
            }
        }
        let books = books(&config, !names.is_empty());
        let on_feed = |(index, _): &(u32, Status)| {
            let traded = config.instruments.get(*index as usize)?.as_ref()?;
            let name = traded_names.get(*index as usize)?.clone();
            Some((*index, traded.feed?.symbol, name))
        };
        let on_feed = books.iter().filter_map(on_feed).collect();
        let recovery = Recovery::of(desk, config.version, on_feed);
        let (session, kill) = (session.get_ref(), config.limits.kill);
        let (store, account) = restart::open(session, traded_names.clone(), confirmed, monitor)?;
        pipeline.restore_risk(account.ledger());
        let link = Link::new(
            session,
            (store, account),
            kill,
            (traded_names, desk.price_scale()),
        );
        Ok(Some(Trading {
            engine: Engine {
                pipeline,
                programs,
                began: Instant::now(),
            },
            link,
            names,
            stale_limit: orders.stale_limit.into(),
            feed: Alive::default(),
            session: Alive::default(),
            received: 0,
            datagrams: 0,
            books,
            recovery,
        }))
    }

    /// Takes a datagram; its orders have left when it returns.
    #[inline]
    pub fn datagram(&mut self, payload: &[u8]) -> Cause {
        let now = self.engine.now();
        self.look_stale(now);
        if self.feed.stale {
            // A good datagram is a sign of life for the orders that it causes; a bad one causes none.
            self.engine.pipeline.set_stale(Sources {
                feed: false,
                session: self.session.stale,
            });
        }
        let Engine {
            pipeline, programs, ..
        } = &mut self.engine;
        let mut cause = pipeline.datagram_with(payload, now, programs, &mut self.link);
        if cause == Cause::Old && u128::from(now - self.feed.last) > SEQUENCE_RESET.as_micros() {
            pipeline.restart_feed();
            cause = pipeline.datagram_with(payload, now, programs, &mut self.link);
        }
        if !matches!(cause, Cause::Malformed | Cause::Old) {
            (self.feed.last, self.feed.stale) = (now, false);
            self.recovery.datagram(payload);
        }
        self.datagrams += 1;
        cause
    }

    /// The report that the last datagram caused.
    pub fn report(&mut self) -> Option<Report<'_>> {
        self.engine.pipeline.report()
    }

    /// What was counted of a feed in ITCH; zeros of another.
    pub fn counters(&self) -> FeedCounters {
        self.engine.pipeline.feed_counters().unwrap_or_default()
    }

    /// Takes a datagram of the feed's snapshots.
    pub fn snapshot_datagram(&mut self, payload: &[u8]) {
        self.engine.pipeline.snapshot_datagram(payload);
    }

    /// What the decoder of a feed in FAST counted; `None`: the feed is ITCH.
    pub fn fast(&self) -> Option<FastStatus> {
        let counters = self.engine.pipeline.fast_counters()?;
        let snapshots = self.engine.pipeline.snapshot_counters().unwrap_or_default();
        Some(FastStatus {
            packets: counters.fast_packets,
            messages: counters.fast_messages,
            old: counters.fast_old,
            malformed: counters.fast_malformed,
            faulty: Fault::ALL.map(|fault| counters.faults(fault)).iter().sum(),
            causes: counters.causes().collect(),
            gap: counters.fast_gap,
            lost: counters.fast_lost,
            snapshots: snapshots.complete,
            snapshots_broken: snapshots.broken,
            snapshots_malformed: snapshots.malformed,
        })
    }

    /// Says which sources have been silent for too long.
    #[inline]
    fn look_stale(&mut self, now: u64) {
        let silent = |alive: &Alive| self.stale_limit > 0 && now - alive.last > self.stale_limit;
        let stale = Sources {
            feed: silent(&self.feed),
            session: silent(&self.session),
        };
        (self.feed.stale, self.session.stale) = (stale.feed, stale.session);
        self.engine.pipeline.set_stale(stale);
    }

    /// Does what is due, if nothing came or it is time: reads what the exchange says, prints what happened.
    ///
    /// # Errors
    /// The session's store failed; this cannot be printed.
    pub fn poll(&mut self, idle: bool, monitor: &dyn Monitor) -> Result<(), Error> {
        if !idle && self.datagrams < LOOK {
            return Ok(());
        }
        self.datagrams = 0;
        self.link.poll(&mut self.engine)?;
        let now = self.engine.now();
        let Engine {
            pipeline, programs, ..
        } = &mut self.engine;
        pipeline.time_passes(programs, now, &mut self.link);
        if self.received != self.link.received() {
            self.received = self.link.received();
            self.session.last = now;
        }
        self.look_stale(now);
        self.tell_books();
        let link = &mut self.link;
        self.recovery
            .poll(&mut self.engine.pipeline, &mut |notice| link.tell(notice));
        self.tell_books();
        let mut happened = self.link.happened();
        happened.try_for_each(|happened| monitor.notice(&happened))
    }

    /// Tells which books can be relied on from now on, or not any more.
    fn tell_books(&mut self) {
        for (instrument, told) in &mut self.books {
            let status = self.engine.pipeline.status(*instrument).unwrap_or_default();
            if *told != status {
                *told = status;
                self.link.tell_book(*instrument, reason(status));
            }
        }
    }

    /// Logs out, and prints what it came to.
    ///
    /// # Errors
    /// As [`Trading::poll`].
    pub fn finish(&mut self, monitor: &dyn Monitor) -> Result<(), Error> {
        // What the exchange has said already.
        self.poll(true, monitor)?;
        self.link.log_out(&mut self.engine)?;
        self.poll(true, monitor)?;
        for (place, counts, open_orders) in self.engine.programs.counts() {
            let mut names = self.names.iter();
            let name = names.find(|(other, _)| *other == place);
            let held = self.engine.programs.positions(place).unwrap_or_default();
            let held = held.iter().enumerate();
            let summary = StrategySummary {
                strategy: place,
                name: name.map(|(_, name)| name.clone()).unwrap_or_default(),
                handlers: counts.handlers,
                intents: counts.intents,
                records: counts.records,
                faults: counts.faults,
                open_orders,
                positions: held
                    .filter(|(_, position)| **position != 0)
                    .map(|(index, position)| (self.link.symbol(index), *position))
                    .collect(),
            };
            monitor.notice(&Notice::Strategy(summary))?;
        }
        let summary = self.link.summary();
        monitor.notice(&Notice::Session(summary))
    }
}

/// The instruments that have strategies. One in the language has all that are traded.
fn books(config: &TradingConfig, all: bool) -> Vec<(u32, Status)> {
    let strategies = config.strategies.iter();
    let mut instruments: Vec<_> = strategies
        .map(|strategy| strategy.parameters.instrument)
        .collect();
    let traded = (0..).zip(&config.instruments);
    let on_feed = |traded: &Option<Traded>| traded.is_some_and(|traded| traded.feed.is_some());
    let traded = traded.filter(|(_, traded)| all && on_feed(traded));
    instruments.extend(traded.map(|(index, _)| index));
    instruments.sort_unstable();
    instruments.dedup();
    let new = |instrument| (instrument, Status::default());
    instruments.into_iter().map(new).collect()
}

/// Why an instrument is not tradable.
fn reason(status: Status) -> Option<String> {
    match status {
        Status::Tradable => None,
        Status::Rebuilding => Some("its book is being rebuilt".into()),
        Status::Outside => Some("its best price is outside of the window".into()),
        Status::Untradable(cause) => Some(cause.to_string()),
    }
}
