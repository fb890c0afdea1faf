//! Lines A and B made one feed, each message once and in order: the twin of `rtl/arbiter`, after `docs/reference/arbitration.md`.
//!
//! ```text
//!  line A ─┐            ┌─ low latency: whatever is not behind, at once
//!          ├─ Arbiter ──┤
//!  line B ─┘            └─ high reliability: in order; early packets wait in the store for what is missing
//! ```
//!
//! Packets are whole at an instant here, so no output is ever busy: nothing is `missed` and nothing starts late.

mod config;
mod counters;
mod interface;
mod protocol;
mod sessions;
mod silence;
mod store;
mod tracker;

pub use config::{Config, ConfigError, Mode, Window};
pub use counters::{Counters, LineCounters, OutputCounters, StoreCounters};
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
    /// A window that has closed by then closes first. A line that is none is ignored.
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
        let counters = &mut self.counters;
        let outputs = [&mut counters.low_latency, &mut counters.high_reliability];
        let [low, high] = outputs.map(|output| &mut output.lines[line]);
        if !good {
            count(&mut low.bad);
            count(&mut high.bad);
            return;
        }
        let Some(numbers) = self.config.protocol.numbers(payload) else {
            count(&mut low.malformed);
            count(&mut high.malformed);
            return;
        };
        self.silence.heard(line, now);
        let packet = Incoming {
            line,
            now,
            payload,
            numbers,
        };
        self.push_low(&packet, sink);
        self.push_high(&packet, sink);
    }

    /// Lets time pass: closes windows, tells silent lines. Call it at [`Arbiter::deadline`] or oftener.
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
        let window = self.config.window;
        let timed = window.mode != Mode::Count;
        let oldest = self.store.oldest().filter(|_| timed);
        let closes = oldest.map(|ended| ended.saturating_add(window.time));
        closes.into_iter().chain(self.silence.deadline()).min()
    }

    /// Changes mode and window. They hold from the next `push` or `poll` on, for what is kept too.
    pub fn set_window(&mut self, window: Window) {
        self.config.window = window;
    }

    /// The window as it is.
    pub const fn window(&self) -> Window {
        self.config.window
    }

    /// Lets everything that is kept leave.
    pub fn flush(&mut self, now: u64, sink: &mut impl Sink) {
        self.release(now, true, sink);
    }

    /// Flushes, and begins anew with whatever comes first on each output: for a host that knows that a session is over.
    pub fn restart(&mut self, now: u64, sink: &mut impl Sink) {
        self.flush(now, sink);
        (self.low, self.high) = (None, None);
        self.tracker = Tracker::default();
    }

    /// What was counted so far.
    pub const fn counters(&self) -> &Counters {
        &self.counters
    }

    fn push_low(&mut self, packet: &Incoming<'_>, sink: &mut impl Sink) {
        let numbers = packet.numbers;
        let relation = Relation::new(&self.config.protocol, self.low, numbers.sequence);
        let counters = &mut self.counters.low_latency;
        let line = &mut counters.lines[packet.line];
        match relation {
            Relation::AtOrPast(missing) => {
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
            }
            Relation::Behind => count(&mut line.refused),
            Relation::Far => {
                let protocol = &self.config.protocol;
                let stale = self
                    .tracker
                    .is_stale(protocol, numbers.sequence, packet.now);
                count(if stale {
                    &mut line.stale
                } else {
                    &mut line.far
                });
            }
        }
    }

    fn push_high(&mut self, packet: &Incoming<'_>, sink: &mut impl Sink) {
        let numbers = packet.numbers;
        let relation = Relation::new(&self.config.protocol, self.high, numbers.sequence);
        let line = &mut self.counters.high_reliability.lines[packet.line];
        match relation {
            Relation::AtOrPast(0) => {
                count(&mut line.passed);
                self.high = Some(self.config.protocol.next(numbers.sequence, numbers.count));
                sink.packet(packet.delivery(Output::HighReliability));
                if self.store.used() > 0 {
                    self.release(packet.now, false, sink);
                }
            }
            Relation::AtOrPast(_) => self.keep(packet, sink),
            Relation::Behind => count(&mut line.refused),
            Relation::Far => self.far(packet, sink),
        }
    }

    /// A number that is far on the high-reliability output: of the old session, a candidate, or the beginning of a new one.
    #[cold]
    fn far(&mut self, packet: &Incoming<'_>, sink: &mut impl Sink) {
        let (protocol, number) = (self.config.protocol, packet.numbers.sequence);
        let line = &mut self.counters.high_reliability.lines[packet.line];
        if self.tracker.is_stale(&protocol, number, packet.now) {
            count(&mut line.stale);
            return;
        }
        count(&mut line.far);
        let Some(first) = self.tracker.confirm(&protocol, number) else {
            return;
        };
        self.release(packet.now, true, sink);
        let until = packet.now.saturating_add(self.config.hold);
        self.tracker.leave(self.high.unwrap_or(first), until);
        self.high = Some(first);
        // Only where it is far too: what has left there must not leave again.
        if Relation::new(&protocol, self.low, number) == Relation::Far {
            self.low = Some(first);
        }
        count(&mut self.counters.session_reset);
        sink.event(Event::SessionReset { expected: first });
        self.keep(packet, sink);
    }

    /// Stores an early packet, and lets go what has to.
    fn keep(&mut self, packet: &Incoming<'_>, sink: &mut impl Sink) {
        let numbers = packet.numbers;
        let line = &mut self.counters.high_reliability.lines[packet.line];
        if numbers.is_heartbeat() {
            count(&mut line.refused);
            return;
        }
        let store = &mut self.counters.store[packet.line];
        match self
            .store
            .keep(packet.line, numbers, packet.payload, packet.now)
        {
            Keep::Kept => {
                count(&mut store.kept);
                self.release(packet.now, numbers.end_of_session, sink);
            }
            Keep::Repeated => count(&mut line.refused),
            Keep::Overflow => count(&mut store.overflow),
            Keep::TooLong => count(&mut store.too_long),
        }
    }

    /// Lets kept packets leave, lowest number first: those expected, and those forced; all of them in a flush.
    fn release(&mut self, now: u64, flush: bool, sink: &mut impl Sink) {
        while let Some(expected) = self.high {
            let counters = &mut self.counters.high_reliability;
            // What has fallen behind goes first: it must neither take room nor close a window.
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
            let oldest = self.store.oldest();
            oldest.is_some_and(|ended| now.saturating_sub(ended) >= window.time)
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
