//! The Verilated order book in lockstep with the one in software: every message, and everything that leaves.

use std::time::Instant;

use serde::Serialize;
use sim::book::market::{Setting, events, run};
use sim::book::{Design, Spacing, Stats, stream};
use wire::Symbol;
use wire::itch::Version;

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
    ids: 120,
    ticks: 40,
    named: 0.5,
    odd: 0.15,
    bad: 0.3,
    frame: 16,
    gaps: 0.02,
};

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
    /// Cycles from an event to its change, at least.
    pub best_price_cycles: Option<u64>,
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

    fn add(&mut self, messages: u64, start: Instant, stats: Result<Stats, String>) {
        self.messages_compared += messages;
        self.seconds += start.elapsed().as_secs_f64();
        match stats {
            Ok(stats) => {
                self.events += stats.events;
                self.changes += stats.changes;
                self.taken_back += stats.taken_back;
                let least = stats.latency.map(|(least, _)| least);
                self.best_price_cycles = match (self.best_price_cycles, least) {
                    (Some(a), Some(b)) => Some(a.min(b)),
                    (a, b) => a.or(b),
                };
            }
            Err(text) => {
                self.mismatches += 1;
                self.differences.push(text);
            }
        }
        self.events_per_second = self.events as f64 / self.seconds;
    }
}
