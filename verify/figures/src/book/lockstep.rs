//! The Verilated order book in lockstep with the one in software: every message, and everything that leaves.

use std::time::Instant;

use formats::itch::Version;
use formats::{Event, Kind, Side, Symbol};
use lockstep::book::market::{Setting, events, run};
use lockstep::book::{Design, Spacing, Stats, Window, stream};
use serde::Serialize;

use crate::Progress;

/// Frames of 1 to 20 messages, every fifth with a bad verdict first; a rebuild while the feed goes on.
const SETTING: Setting = Setting {
    seed: 18,
    frame: 20,
    bad_every: 5,
    spacing: Spacing::Random,
    rebuilds: true,
};

/// Valid and invalid events in small tables, with gaps and sessions.
const ANYTHING: stream::Setting = stream::Setting {
    instruments: 3,
    by_level: 0,
    ids: 120,
    ticks: 40,
    named: 0.5,
    odd: 0.15,
    bad: 0.3,
    frame: 16,
    gaps: 0.02,
};

/// Orders that come and go in [`paced`].
const PACED: u64 = 20;

/// Orders enter, are executed and reduced in part, and deleted, one frame in all: what was compared, and how many events.
fn paced(spacing: Spacing) -> Result<(Stats, u64), String> {
    let mut lockstep = lockstep::book::Lockstep::new(Design::Default, 1);
    lockstep.open(
        0,
        Window {
            tick: 100,
            low: 5_000,
        },
    );
    // As the last of these leaves, the next comes.
    lockstep.settle();
    lockstep.stats = Stats::default();
    let of = |kind, order_id, quantity| Event {
        order_id,
        quantity,
        ..Event::new(kind, b'?')
    };
    let mut events = vec![];
    for id in 1..=PACED {
        events.push(Event {
            instrument: Some(0),
            side: Side::Buy,
            price: (9_000 + id as i64 % 5) * 100,
            ..of(Kind::Add, id, 100)
        });
    }
    events.extend((1..=PACED).map(|id| of(Kind::Execute, id, 10)));
    events.extend((1..=PACED).map(|id| of(Kind::Reduce, id, 10)));
    events.extend((1..=PACED).map(|id| of(Kind::Delete, id, 0)));
    lockstep.frame(&events, true, spacing);
    lockstep.settle();
    match lockstep.failure() {
        Some(text) => Err(format!("{spacing:?}: {text}")),
        None => Ok((lockstep.stats.clone(), events.len() as u64)),
    }
}

/// What was compared.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Lockstep {
    /// Messages and random events.
    pub messages_compared: u64,
    /// Runs that ended with a difference.
    pub mismatches: u64,
    /// Changes of the book, best prices and up to 8 levels each.
    pub changes: u64,
    /// Operations of bad frames that were taken back.
    pub taken_back: u64,
    /// Cycles from an event to its change when events are far apart: an add, an execution, a reduction, a delete; the most.
    pub best_price_cycles: Option<u64>,
    /// Cycles from one event to the next when they wait for each other.
    pub interval_cycles: Option<f64>,
    /// Each difference, in words.
    pub differences: Vec<String>,
    /// Simulated events in a second of this machine.
    pub events_per_second: f64,
    #[serde(skip)]
    seconds: f64,
    #[serde(skip)]
    events: u64,
}

impl Lockstep {
    /// A file of messages.
    pub fn messages(
        &mut self,
        name: &str,
        version: Version,
        file: &[u8],
        symbols: &[Option<Symbol>],
        progress: Progress,
    ) {
        let name = format!("hardware and software, {name}");
        let events = events(version, file, symbols);
        let of = events.len() as u64;
        let start = Instant::now();
        let outcome = run(Design::Default, &events, SETTING, |done| {
            progress(&name, done, of);
        });
        progress(&name, of, of);
        let stats = outcome.map(|outcome| outcome.stats);
        self.add(of, start, stats.map_err(|text| format!("{name}: {text}")));
    }

    /// So many random events.
    pub fn random(&mut self, events: u64, progress: Progress) {
        let name = "hardware and software, random events";
        let start = Instant::now();
        let stats = stream::run(Design::Small, ANYTHING, 18, events, |done| {
            progress(name, done, events);
        });
        progress(name, events, events);
        self.add(events, start, stats);
    }

    /// How long a change takes, and how soon the next may follow: a few orders come and go, far apart, and all at once.
    pub fn paced(&mut self, progress: Progress) {
        let name = "hardware, cycles of the book";
        progress(name, 0, 1);
        let start = Instant::now();
        let (far, burst) = (paced(Spacing::Far), paced(Spacing::Burst));
        if let (Ok((far, _)), Ok((burst, count))) = (&far, &burst)
            && let (Some((_, most)), Some((least, last))) = (far.latency, burst.latency)
        {
            self.best_price_cycles = Some(most);
            // The first comes in cycle 0, the last in cycle count - 1.
            let interval = 1.0 + (last - least) as f64 / (count - 1) as f64;
            self.interval_cycles = Some(interval);
        }
        for paced in [far, burst] {
            let count = paced.as_ref().map_or(0, |(_, count)| *count);
            self.add(count, start, paced.map(|(stats, _)| stats));
        }
        progress(name, 1, 1);
    }

    fn add(&mut self, messages: u64, start: Instant, stats: Result<Stats, String>) {
        self.messages_compared += messages;
        self.seconds += start.elapsed().as_secs_f64();
        match stats {
            Ok(stats) => {
                self.events += stats.events;
                self.changes += stats.changes;
                self.taken_back += stats.taken_back;
            }
            Err(text) => {
                self.mismatches += 1;
                self.differences.push(text);
            }
        }
        self.events_per_second = self.events as f64 / self.seconds;
    }
}
