//! The lines of a feed made one: arbitration, and recovery of what all lines lost.
//!
//! ```text
//!  line A ─┐                                            ┌─ request ─ server
//!          ├─ arbiter, one of its two outputs ─ recovery ┤
//!  line B ─┘                                            └─ packets ─ decoder
//! ```

use std::fmt;
use std::time::Duration;

use arbiter::{
    Admission, Arbiter, Config, ConfigError, Counters, Delivery, Event, Output, OutputCounters,
    Protocol, Sessions, Sink, Window,
};
use feed::recovery::{Outlet, Recovery, RecoveryCounters, Settings};
use formats::mold::Packet;
use serde::Serialize;

/// Bytes of the number before a FAST message.
const NUMBER: usize = 4;
/// How long after its last new packet a feed whose packets are all refused is taken to have begun with other numbers: it sends heartbeats each second.
pub const SEQUENCE_RESET: Duration = Duration::from_secs(3);

/// How lines are made one.
#[derive(Clone, Copy, Debug)]
pub struct LinesConfig {
    /// What a packet looks like.
    pub protocol: Protocol,
    /// How many there are.
    pub lines: usize,
    /// The output that goes on.
    pub output: Output,
    /// Of the high-reliability output.
    pub window: Window,
    /// Packets kept at most, shared equally between the lines.
    pub packets: usize,
    /// How patient the recovery is; `None`: there is no server to ask. MoldUDP64 only.
    pub recovery: Option<Settings>,
}

/// Makes lines one. Times are nanoseconds of a clock that does not go back.
#[derive(Debug)]
pub struct Lines {
    /// Packets have a number and no session.
    is_numbered: bool,
    output: Output,
    arbiter: Arbiter,
    sessions: Sessions,
    recovery: Option<Recovery>,
    /// When the last packet was passed on, where packets do not name their session.
    passed: Option<u64>,
}

impl Lines {
    /// Lines of which nothing has come yet.
    ///
    /// # Errors
    /// The window or the number of lines is impossible.
    pub fn new(wanted: &LinesConfig) -> Result<Self, ConfigError> {
        let mut config = Config::new(wanted.protocol);
        config.lines = wanted.lines;
        config.slots_per_line = wanted.packets.div_ceil(wanted.lines.max(1));
        config.window = wanted.window;
        Ok(Lines {
            is_numbered: wanted.protocol != Protocol::MOLD_UDP64,
            output: wanted.output,
            arbiter: Arbiter::new(config)?,
            sessions: Sessions::new(config.hold),
            recovery: wanted.recovery.map(Recovery::new),
            passed: None,
        })
    }

    /// Takes a datagram of a line, and passes on what may go on. What is no packet is passed on too, to be counted.
    pub fn datagram(&mut self, line: usize, payload: &[u8], now: u64, outlet: &mut impl Outlet) {
        if self.is_numbered {
            return self.numbered_datagram(line, payload, now, outlet);
        }
        let Ok(packet) = Packet::parse(payload) else {
            // The other line's copy may be complete.
            let (arbiter, mut sink) = self.parts(now, outlet);
            arbiter.push(line, now, payload, false, &mut sink);
            return outlet.packet(payload);
        };
        let admission = self.sessions.admit(&packet.header.session, now);
        if admission == Admission::Other {
            return;
        }
        let (arbiter, mut sink) = self.parts(now, outlet);
        if admission == Admission::New {
            arbiter.restart(now, &mut sink);
        }
        arbiter.push(line, now, payload, true, &mut sink);
    }

    /// The same of a line whose packets have a number and no session.
    fn numbered_datagram(
        &mut self,
        line: usize,
        payload: &[u8],
        now: u64,
        outlet: &mut impl Outlet,
    ) {
        let mut noting = Noting {
            outlet,
            passed: false,
        };
        let is_reset = self
            .passed
            .is_some_and(|last| u128::from(now.saturating_sub(last)) > SEQUENCE_RESET.as_nanos());
        let (arbiter, mut sink) = self.parts(now, &mut noting);
        if is_reset {
            arbiter.restart(now, &mut sink);
        }
        arbiter.push(line, now, payload, true, &mut sink);
        if noting.passed {
            self.passed = Some(now);
        }
        if payload.len() < NUMBER {
            outlet.packet(payload);
        }
    }

    /// Takes a datagram of the request server.
    pub fn answer(&mut self, payload: &[u8], now: u64, outlet: &mut impl Outlet) {
        if let Some(recovery) = &mut self.recovery {
            recovery.answer(payload, now, outlet);
        }
    }

    /// Lets time pass.
    pub fn poll(&mut self, now: u64, outlet: &mut impl Outlet) {
        let (arbiter, mut sink) = self.parts(now, outlet);
        arbiter.poll(now, &mut sink);
        if let Some(recovery) = &mut self.recovery {
            recovery.poll(now, outlet);
        }
    }

    /// When [`Lines::poll`] will have something to do, if nothing comes before.
    pub fn deadline(&self) -> Option<u64> {
        let recovery = self.recovery.as_ref().and_then(Recovery::deadline);
        self.arbiter.deadline().into_iter().chain(recovery).min()
    }

    /// Passes on all that is kept or held: at the end.
    pub fn flush(&mut self, now: u64, outlet: &mut impl Outlet) {
        let (arbiter, mut sink) = self.parts(now, outlet);
        arbiter.flush(now, &mut sink);
        if let Some(recovery) = &mut self.recovery {
            recovery.abandon(outlet);
        }
    }

    /// What was counted so far.
    pub fn status(&self) -> LinesStatus {
        LinesStatus {
            output: match self.output {
                Output::LowLatency => "low latency",
                Output::HighReliability => "high reliability",
            },
            other_session: self.sessions.dropped(),
            counters: self.arbiter.counters().clone(),
            recovery: self.recovery.as_ref().map(Recovery::counters),
        }
    }

    fn parts<'a, O>(&'a mut self, now: u64, outlet: &'a mut O) -> (&'a mut Arbiter, Chosen<'a, O>) {
        let chosen = Chosen {
            output: self.output,
            recovery: self.recovery.as_mut(),
            now,
            outlet,
        };
        (&mut self.arbiter, chosen)
    }
}

/// Takes one of the two outputs, and through the recovery if there is one.
struct Chosen<'a, O> {
    output: Output,
    recovery: Option<&'a mut Recovery>,
    now: u64,
    outlet: &'a mut O,
}

impl<O: Outlet> Sink for Chosen<'_, O> {
    fn packet(&mut self, delivery: Delivery<'_>) {
        if delivery.output != self.output {
            let heartbeat = delivery.count == 0 && !delivery.end_of_session;
            if let Some(recovery) = self.recovery.as_mut().filter(|_| heartbeat) {
                // The high-reliability output refuses a heartbeat that is ahead of what is expected there.
                recovery.heartbeat(delivery.payload, self.now);
            }
            return;
        }
        match &mut self.recovery {
            Some(recovery) => recovery.packet(delivery.payload, self.now, self.outlet),
            None => self.outlet.packet(delivery.payload),
        }
    }

    /// All of it is counted.
    fn event(&mut self, _: Event) {}
}

/// Notes whether anything went on.
struct Noting<'a, O> {
    outlet: &'a mut O,
    passed: bool,
}

impl<O: Outlet> Outlet for Noting<'_, O> {
    fn packet(&mut self, payload: &[u8]) {
        self.passed = true;
        self.outlet.packet(payload);
    }

    fn lost(&mut self, from: u64, to: u64) {
        self.outlet.lost(from, to);
    }

    fn request(&mut self, request: &[u8; formats::mold::HEADER]) {
        self.outlet.request(request);
    }
}

/// What lines counted.
#[derive(Clone, Debug, Serialize)]
pub struct LinesStatus {
    /// The output that goes on.
    pub output: &'static str,
    /// Packets of another session than the current one.
    pub other_session: u32,
    /// Of the arbiter.
    #[serde(flatten)]
    pub counters: Counters,
    /// Of the recovery, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery: Option<RecoveryCounters>,
}

impl LinesStatus {
    /// Messages lost on the output that goes on, and those of them recovered.
    pub fn lost(&self) -> (u64, u64) {
        let output = if self.output == "low latency" {
            &self.counters.low_latency
        } else {
            &self.counters.high_reliability
        };
        let recovered = self.recovery.map_or(0, |recovery| recovery.recovered);
        (output.lost, recovered)
    }
}

impl fmt::Display for LinesStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counters = &self.counters;
        write!(f, "  the pipeline takes the {} output", self.output)?;
        write!(
            f,
            "\n  session_reset {}, of another session {}",
            counters.session_reset, self.other_session
        )?;
        for (name, line) in ('A'..).zip(&counters.lines) {
            write!(
                f,
                "\n  line {name}: malformed {}, far {}, stale {}",
                line.malformed, line.far, line.stale
            )?;
        }
        let mut output = |name: &str, output: &OutputCounters| {
            write!(f, "\n  {name}: gap {}, lost {}", output.gap, output.lost)?;
            ('A'..).zip(&output.lines).try_for_each(|(name, line)| {
                write!(
                    f,
                    "\n    line {name}: passed {}, refused {}, bad {}",
                    line.passed, line.refused, line.bad
                )
            })
        };
        output("low latency", &counters.low_latency)?;
        output("high reliability", &counters.high_reliability)?;
        for (name, store) in ('A'..).zip(&counters.store) {
            write!(
                f,
                "\n    store of {name}: kept {}, released {}, forced {}, overflow {}, too_long {}",
                store.kept, store.released, store.forced, store.overflow, store.too_long
            )?;
        }
        let Some(recovery) = self.recovery else {
            return Ok(());
        };
        write!(
            f,
            "\n  recovery: gap {}, request {}, repeat {}, answer {}, recovered {}, given_up {}, lost {}",
            recovery.gap,
            recovery.request,
            recovery.repeat,
            recovery.answer,
            recovery.recovered,
            recovery.given_up,
            recovery.lost
        )?;
        write!(
            f,
            ", malformed {}, other_session {}, unasked {}",
            recovery.malformed, recovery.other_session, recovery.unasked
        )
    }
}
