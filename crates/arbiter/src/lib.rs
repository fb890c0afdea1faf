//! Lines A and B made one feed, each message once and in order: the twin of `rtl/arbiter`, after `docs/reference/arbitration.md`.
//!
//! ```text
//!  line A ─┐            ┌─ low latency: what has something new, at once
//!          ├─ Arbiter ──┤
//!  line B ─┘            └─ high reliability: in order; early packets wait in the store for what is missing
//! ```
//!
//! Packets come in one piece here, so no output is ever busy: nothing is `missed` and nothing starts late.

#![forbid(unsafe_code)]

/// The example of the crate's page.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod config;
mod counters;
mod interface;
mod protocol;
mod sessions;
mod silence;
mod store;
mod tracker;

pub use config::{Config, ConfigError, Mode, Window};
pub use counters::{Counters, FateCounters, LineCounters, OutputCounters, StoreCounters};
pub use interface::{Delivery, Event, Output, Sink};
pub use protocol::{ByteOrder, Field, NEAR, Numbers, Protocol, ProtocolError};
pub use sessions::{Admission, Sessions};

use counters::count;
use silence::Silence;
use store::{Keep, Store};
use tracker::{Relation, Tracker};

/// The arbiter. After [`Arbiter::new`] it allocates nothing. Times are nanoseconds of any one clock that does not go back.
#[derive(Clone, Debug)]
pub struct Arbiter {
    config: Config,
    /// What the low-latency output expects; `None` before the first packet.
    low: Option<u64>,
    /// What the high-reliability output expects.
    high: Option<u64>,
    tracker: Tracker,
    store: Store,
    silence: Silence,
    counters: Counters,
}

impl Arbiter {
    /// An arbiter that has seen nothing yet.
    ///
    /// # Errors
    /// The protocol cannot be arbitrated, or there is no line or no slot.
    pub fn new(config: Config) -> Result<Self, ConfigError> {
        config.protocol.check()?;
        if config.lines == 0 || config.slots_per_line == 0 {
            return Err(ConfigError::Empty);
        }
        Ok(Self {
            config,
            low: None,
            high: None,
            tracker: Tracker::default(),
            store: Store::new(config.protocol, config.lines, config.slots_per_line),
            silence: Silence::new(config.lines, config.idle_limit),
            counters: Counters::new(config.lines),
        })
    }

    /// Takes a packet of `line` that ended at `now`, and delivers what may leave; `good`: its frame and checksums are.
    /// A window that has closed by then closes first. A line that does not exist is ignored.
    pub fn push(
        &mut self,
        line: usize,
        now: u64,
        payload: &[u8],
        good: bool,
        sink: &mut impl Sink,
    ) {
        if line >= self.config.lines {
            return;
        }
        self.poll(now, sink);
        self.silence.heard(line, now);
        let numbers = self.config.protocol.numbers(payload);
        let Some(numbers) = numbers.filter(|_| good) else {
            self.spoilt(line, numbers, good);
            return;
        };
        let packet = Incoming {
            line,
            now,
            payload,
            numbers,
        };
        let relation = self.push_low(&packet, sink);
        self.push_high(&packet, relation == Relation::Far, sink);
    }

    /// Lets time pass: closes windows, reports silent lines. Call it at [`Arbiter::deadline`] or more often.
    pub fn poll(&mut self, now: u64, sink: &mut impl Sink) {
        let all_silent = self
            .silence
            .poll(now, |line| sink.event(Event::LineSilent { line }));
        if self.store.used() > 0 {
            self.release(now, all_silent, sink);
        }
    }

    /// When [`Arbiter::poll`] will have something to do, if nothing comes before.
    pub fn deadline(&self) -> Option<u64> {
        let timed = self.config.window.mode != Mode::Count;
        let closes = self.store.deadline().filter(|_| timed);
        closes.into_iter().chain(self.silence.deadline()).min()
    }

    /// Changes mode and window, from the next `push` or `poll` on. Mode and count window hold for stored packets too; the time window of a stored packet is
    /// the one that was set when it came.
    pub fn set_window(&mut self, window: Window) {
        self.config.window = window;
    }

    /// The present window.
    pub const fn window(&self) -> Window {
        self.config.window
    }

    /// Lets everything that is stored leave.
    pub fn flush(&mut self, now: u64, sink: &mut impl Sink) {
        self.release(now, true, sink);
    }

    /// Flushes, and starts again with what comes first on each output: for a host that knows that a session is over.
    pub fn restart(&mut self, now: u64, sink: &mut impl Sink) {
        self.flush(now, sink);
        (self.low, self.high) = (None, None);
        self.tracker = Tracker::default();
    }

    /// What was counted so far.
    pub const fn counters(&self) -> &Counters {
        &self.counters
    }

    /// A packet that did not prove good, or is too short.
    #[cold]
    fn spoilt(&mut self, line: usize, numbers: Option<Numbers>, good: bool) {
        let passes = numbers.is_none_or(|numbers| {
            let relation = Relation::new(&self.config.protocol, self.low, numbers);
            matches!(relation, Relation::New(_))
        });
        let counters = &mut self.counters;
        let low = &mut counters.low_latency.lines[line];
        count(if passes {
            &mut low.bad
        } else {
            &mut low.refused
        });
        count(&mut counters.high_reliability.lines[line].bad);
        if good {
            count(&mut counters.lines[line].malformed);
        }
    }

    /// How the packet relates to the number expected there.
    fn push_low(&mut self, packet: &Incoming<'_>, sink: &mut impl Sink) -> Relation {
        let numbers = packet.numbers;
        let relation = Relation::new(&self.config.protocol, self.low, numbers);
        let counters = &mut self.counters.low_latency;
        let line = &mut counters.lines[packet.line];
        let Relation::New(missing) = relation else {
            count(&mut line.refused);
            return relation;
        };
        count(&mut line.passed);
        if missing > 0 {
            count(&mut counters.gap);
            counters.lost = counters.lost.wrapping_add(missing);
            sink.event(Event::Gap {
                output: Output::LowLatency,
                from: self.low.unwrap_or(0),
                to: numbers.sequence,
            });
        }
        self.low = Some(self.config.protocol.next(numbers.sequence, numbers.count));
        sink.packet(packet.delivery(Output::LowLatency));
        relation
    }

    /// `far`: the number is far on the low-latency output.
    fn push_high(&mut self, packet: &Incoming<'_>, far: bool, sink: &mut impl Sink) {
        let (protocol, numbers) = (self.config.protocol, packet.numbers);
        let relation = |expected| Relation::new(&protocol, expected, numbers);
        if packet.payload.len() > protocol.maximum {
            count(&mut self.counters.store[packet.line].too_long);
        }
        let passes = relation(self.high) == Relation::New(0);
        if passes {
            count(&mut self.counters.high_reliability.lines[packet.line].passed);
            self.high = Some(protocol.next(numbers.sequence, numbers.count));
            sink.packet(packet.delivery(Output::HighReliability));
        }
        let reset = far && self.far(packet, sink);
        let mut ends = numbers.end_of_session;
        // What confirms a new session is stored for it, also if it has just left at the end of the old one.
        if !passes || reset {
            match relation(self.high) {
                Relation::New(missing) => self.keep(packet, missing),
                Relation::Behind | Relation::Far => {
                    count(&mut self.counters.high_reliability.lines[packet.line].refused);
                    ends = false;
                }
            }
        }
        if self.store.used() > 0 {
            self.release(packet.now, ends, sink);
        }
    }

    /// A number that is far on the low-latency output: of the old session, a candidate, or the beginning of a new one; whether that
    /// resets the high-reliability output.
    #[cold]
    fn far(&mut self, packet: &Incoming<'_>, sink: &mut impl Sink) -> bool {
        let (protocol, number) = (self.config.protocol, packet.numbers.sequence);
        let line = &mut self.counters.lines[packet.line];
        if self.tracker.is_stale(&protocol, number, packet.now) {
            count(&mut line.stale);
            return false;
        }
        count(&mut line.far);
        let Some(first) = self.tracker.confirm(&protocol, number) else {
            return false;
        };
        let kept = Relation::new(&protocol, self.high, packet.numbers);
        // If near there, it belongs to the session that the high-reliability output is in: it must not leave again.
        let resets_high = self.high.is_none() || kept == Relation::Far;
        if resets_high {
            self.release(packet.now, true, sink);
            self.high = Some(first);
        }
        let until = packet.now.saturating_add(self.config.hold);
        self.tracker.leave(self.low.unwrap_or(first), until);
        self.low = Some(first);
        count(&mut self.counters.session_reset);
        sink.event(Event::SessionReset { expected: first });
        resets_high
    }

    /// Stores a packet before which so many messages are missing; none if it has just confirmed a new session.
    fn keep(&mut self, packet: &Incoming<'_>, missing: u64) {
        let (line, numbers) = (packet.line, packet.numbers);
        // Heartbeats and an expected end of session are not stored: what they say is known.
        let stored = if numbers.is_heartbeat() || (numbers.end_of_session && missing == 0) {
            Keep::Needless
        } else {
            let deadline = packet.now.saturating_add(self.config.window.time);
            self.store.keep(line, numbers, packet.payload, deadline)
        };
        let store = &mut self.counters.store[line];
        match stored {
            Keep::Kept => return count(&mut store.kept),
            Keep::Overflow => count(&mut store.overflow),
            Keep::Needless | Keep::TooLong => {}
        }
        count(&mut self.counters.high_reliability.lines[line].refused);
    }

    /// Lets stored packets leave, lowest number first: those that contain the expected number, and those forced; all of them in a flush.
    fn release(&mut self, now: u64, flush: bool, sink: &mut impl Sink) {
        while let Some(expected) = self.high {
            let counters = &mut self.counters.high_reliability;
            // What has nothing new leaves the store first: it must neither take room nor close a window.
            while let Some((index, line)) = self.store.behind(expected) {
                count(&mut counters.lines[line].refused);
                self.store.free(index);
            }
            let Some((index, kept, missing)) = self.store.lowest(expected) else {
                return;
            };
            if missing > 0 {
                if !flush && !self.is_forced(now) {
                    return;
                }
                count(&mut self.counters.store[kept.line].forced);
                let counters = &mut self.counters.high_reliability;
                count(&mut counters.gap);
                counters.lost = counters.lost.wrapping_add(missing);
                sink.event(Event::Gap {
                    output: Output::HighReliability,
                    from: expected,
                    to: kept.numbers.sequence,
                });
            }
            let counters = &mut self.counters.high_reliability;
            count(&mut counters.lines[kept.line].passed);
            count(&mut self.counters.store[kept.line].released);
            let Numbers {
                sequence,
                count,
                end_of_session,
            } = kept.numbers;
            self.high = Some(self.config.protocol.next(sequence, count));
            sink.packet(Delivery {
                output: Output::HighReliability,
                line: kept.line,
                payload: self.store.payload(index),
                sequence,
                count,
                end_of_session,
            });
            self.store.free(index);
        }
    }

    fn is_forced(&self, now: u64) -> bool {
        let window = self.config.window;
        let waited = || {
            self.store
                .deadline()
                .is_some_and(|deadline| deadline <= now)
        };
        let many = || self.store.messages() >= window.count;
        let closed = match window.mode {
            Mode::Time => waited(),
            Mode::Count => many(),
            Mode::TimeAndCount => waited() || many(),
        };
        closed || self.store.is_full()
    }
}

/// A good packet on its way in.
struct Incoming<'a> {
    line: usize,
    now: u64,
    payload: &'a [u8],
    numbers: Numbers,
}

impl Incoming<'_> {
    fn delivery(&self, output: Output) -> Delivery<'_> {
        Delivery {
            output,
            line: self.line,
            payload: self.payload,
            sequence: self.numbers.sequence,
            count: self.numbers.count,
            end_of_session: self.numbers.end_of_session,
        }
    }
}
